# SPDX-License-Identifier: MIT
"""Writes the start image: the code of the driver's modules in one file beside the libraries.

In: our packages, and what a start imports of Python's own modules. Out: `start.image`, which the
boot (core_boot.c) maps and pydri/util/start_image.py imports from: no folder is looked into and no
file opened for what is in there. The modules are lighter than their sources (slim.py). Like the
sidecar the image is of its place: it names the files that it was made of, and how they looked.

The file begins with `_HEAD`: the format's mark, that of this Python's byte code, the length of the
head, that of the file, two sums of its words, and the mark of what it was made of, by which a build
knows that it is current. What follows is marshalled: the head, which is the code of
pydri/util/start_image.py, and what that wants: the places of modules, and sys.path; and the groups,
each a dictionary of modules. A file that holds `_HEAD` alone says that no image can be made of
these sources.
"""

import ast
import hashlib
import importlib.util
import marshal
import os
import struct
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from libgl_shim.slim import slim

NAME = "start.image"
GROUPS = {
    "boot": ("pydri.boot", "importlib.machinery", "_cffi_backend", "_blake2"),
    "glx": ("pydri.glx.entries",),
    "egl": ("pydri.egl.entries",),
    "osmesa": ("pydri.osmesa.entries",),
    "context": (
        "pydri.util.spans", "pydri.util.turns", "pydri.jit.compiler", "pydri.jit.cache",
        "pydri.loader.drivers.llvmpipe_dri", "pipe_llvm.screen", "pydri.vbo", "pydri.main.core",
        "pydri.main.context", "pydri.main.entry_index", "pydri.st.context", "pipe_llvm.core",
        "pipe_llvm.plan_records", "pipe_llvm.fragment.variants", "pipe_llvm.context",
        "pydri.main.extensions", "pydri.main.version", "pydri.api.enum_availability",
        "pydri.api.registry", "pipe_llvm.setup.any_image", "pipe_llvm.sample.table", "array",
        "winsys_x11.present", "winsys_x11.shm", "winsys_x11.displaytarget", "pydri.dri.drawable",
        "pydri.main.get.string_entries", "pydri.main.shaders.held",
    ),
}  # fmt: skip
"""What is imported together: modules that begin it, with all that they import and no earlier group
has."""
_PACKAGES = ("pydri", "pipe_llvm", "winsys_x11")
_HEAD = struct.Struct("<8s4sIQQQ32s")
_MAGIC = b"PYDRIS\x00\x01"
_LOADER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "pydri", "util",
                       "start_image.py")  # fmt: skip
_MODULE, _PACKAGE, _EXTENSION, _FOREIGN = 0, 1, 2, 4  # of pydri/util/start_image.py


#: as pydri/util/start_image.py wants a module: path, size, time of change, kind, code
Ready = tuple[str, int, int, int, object]


class Member(NamedTuple):
    """A module of the image."""

    name: str
    path: str
    kind: int


# -- what goes into it -----------------------------------------------------------------------------

_LIST = """
import sys
sys.path[:] = PATHS
import encodings.utf_8
known = {*sys.modules, "pydri.util.start_image"}
if IMAGE:
    from pydri.util.start_image import serve
    with open(IMAGE, "rb") as file:
        data = file.read()
    serve(memoryview(data), (dict.fromkeys(MODULES, (0, len(data))), sys.path), False)
for leads in GROUPS:
    for lead in leads:
        __import__(lead)
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        spec = getattr(module, "__spec__", None)
        if name not in known and file and spec and spec.origin == file:
            print(name, int(hasattr(module, "__path__")), file)
    known.update(sys.modules)
    print()
"""


def _listed(paths: list[str], image: str = "", modules: Iterable[str] = ()) -> list[list[Member]]:
    """Members of the groups, found by importing what begins them as the boot would; modules that
    are in an image come from there."""
    code = _LIST.replace("PATHS", repr(paths)).replace("GROUPS", repr(list(GROUPS.values())))
    code = code.replace("IMAGE", repr(image)).replace("MODULES", repr(list(modules)))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    return [
        [_member(*line.split(" ", 2)) for line in block.splitlines()]
        for block in done.stdout.split("\n\n")[: len(GROUPS)]
    ]


def _member(name: str, package: str, path: str) -> Member:
    kind = int(package) if path.endswith(".py") else _EXTENSION
    return Member(name, path, kind + _FOREIGN * (name.partition(".")[0] not in _PACKAGES))


def _groups(paths: list[str]) -> list[dict[str, Ready]]:
    """The groups. Light modules import less: first our own are made lighter, then these are
    imported, to see what else they need."""
    full = [each for group in _listed(paths) for each in group]
    ready = {each.name: _ready(each) for each in full if each.kind < _FOREIGN}
    with tempfile.NamedTemporaryFile(prefix="pydri-image-") as file:
        file.write(marshal.dumps(ready))
        file.flush()
        groups = _listed(paths, file.name, ready)
    return [{each.name: ready.get(each.name) or _ready(each) for each in group} for group in groups]


def _ready(member: Member) -> Ready:
    """A module as pydri/util/start_image.py wants it."""
    status = os.stat(member.path)
    code = None
    if member.kind & 3 != _EXTENSION:
        with open(member.path, "rb") as file:
            tree = ast.parse(file.read(), member.path)
        if member.kind < _FOREIGN:
            tree = slim(tree)
        code = compile(tree, member.path, "exec", dont_inherit=True, optimize=0)
    return member.path, status.st_size, status.st_mtime_ns, member.kind, code


# -- the file --------------------------------------------------------------------------------------


def _image(paths: list[str], mark: bytes) -> bytes:
    """The content of the file, for an interpreter that has these folders on its sys.path."""
    groups = _groups(paths)
    blobs = [marshal.dumps(group) for group in groups]
    loader = _ready(Member("pydri.util.start_image", _LOADER, _MODULE))[-1]
    # The head says where groups are, from its own end on.
    places: dict[str, tuple[int, int]] = {}
    at = 0
    for group, blob in zip(groups, blobs, strict=True):
        places |= dict.fromkeys(group, (at, at + len(blob)))
        at += len(blob)
    head = marshal.dumps((loader, (places, paths)))  # type: ignore[arg-type]
    body = b"".join((head, *blobs))
    return _sealed(body.ljust(len(body) + 7 & ~7, b"\0"), len(head), mark)


def _sealed(body: bytes, head: int, mark: bytes) -> bytes:
    """What the boot looks at before it believes the rest, and the rest."""
    words, mask = array("Q", body), (1 << 64) - 1
    sums = sum(words) & mask, sum(accumulate(words)) & mask
    size = _HEAD.size + len(body)
    return _HEAD.pack(_MAGIC, importlib.util.MAGIC_NUMBER, head, size, *sums, mark) + body


def module_folders(text: str) -> list[str]:
    """What a sidecar puts on sys.path."""
    pairs = (line.partition("=") for line in text.splitlines())
    return [value for key, _, value in pairs if key in ("stdlib", "path")]


def _mark(sidecar: str) -> bytes:
    """Tells what an image is made of: this Python, what the sidecar says (its folders, how our
    sources look), and how we go about it."""
    digest = hashlib.blake2b(repr((sys.version, GROUPS, sidecar)).encode(), digest_size=32)
    for name in ("slim.py", "start_image.py"):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), "rb") as file:
            digest.update(file.read())
    return digest.digest()


def is_current(out: str, sidecar: str) -> bool:
    """Whether the folder has the image that goes with a sidecar's text."""
    try:
        with open(os.path.join(out, NAME), "rb") as file:
            begin = file.read(_HEAD.size)
    except OSError:
        return False
    return len(begin) == _HEAD.size and _HEAD.unpack(begin)[-1] == _mark(sidecar)


def write(out: str, sidecar: str) -> None:
    """Write the image into the folder of the libraries, unless it is there."""
    if is_current(out, sidecar):
        return
    mark = _mark(sidecar)
    try:
        data = _image(module_folders(sidecar), mark)
    except (OSError, SyntaxError, ValueError, subprocess.CalledProcessError) as problem:
        print(f"pydri: no start image ({problem}): programs start later", file=sys.stderr)
        data = _sealed(b"", 0, mark)
    temporary = os.path.join(out, f".{NAME}.{os.getpid()}")
    with open(temporary, "wb") as file:
        file.write(data)
    os.chmod(temporary, 0o644)
    os.replace(temporary, os.path.join(out, NAME))
