# SPDX-License-Identifier: MIT
"""Writes the start image: the code of the driver's modules in one file beside the libraries.

In: our packages, and what a start imports of Python's own modules. Out: `start.image`, which the
boot (core_image.c) maps and pydri/util/start_image.py imports from: no folder is looked into and no
file opened for what is in there. The modules are lighter than their sources (slim.py). Like the
sidecar the image is of its place: it names the files that it was made of, and how they looked.

The file begins with `_HEAD` (core_image.c): the format's mark, that of this Python's byte code, a
hash of its version, where the head and the groups begin, the length of the file, a sum of its words
up to the groups, and the mark of what it was made of, by which a build knows that it is current;
then the names and places of frozen modules, which are code that Python's own start imports. What
follows is marshalled: these; the head, which is the code of pydri/util/start_image.py, what that
wants: the places of modules, what they import, sys.path and how enums' files look, and how modules
were made lighter; and the groups, each a dictionary of modules, with sums of their own: most of
them no start looks at. A file that holds `_HEAD` alone says that no image can be made of these
sources. To make 800 modules lighter takes ten seconds: who builds again takes those whose sources
look as they did from the image that is there.
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
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import NamedTuple

from libgl_shim import fold
from libgl_shim.slim import slim, without_docstrings
from pydri.util.source_tree import TOOLS

NAME = "start.image"
PHASES = (
    ("pydri.boot", "_cffi_backend", "_blake2"),
    ("pydri.FRONT.entries",),
    (
        "pydri.util.spans", "pydri.util.turns", "pydri.jit.compiler", "pydri.jit.cache",
        "pydri.loader.drivers.llvmpipe_dri", "pipe_llvm.screen", "pydri.vbo", "pydri.main.core",
        "pydri.main.context", "pydri.main.entry_index", "pydri.st.context", "pipe_llvm.core",
        "pipe_llvm.plan_records", "pipe_llvm.fragment.variants", "pipe_llvm.context",
        "pydri.main.extensions", "pydri.main.version", "pydri.api.enum_availability",
        "pydri.api.registry", "pipe_llvm.setup.any_image", "pipe_llvm.sample.table",
        "winsys_x11.present", "winsys_x11.shm", "winsys_x11.displaytarget", "pydri.dri.drawable",
        "pydri.main.get.string_entries", "pydri.main.shaders.held",
    ),
    ("pydri.main.get.entries",),
    (
        "pydri.main.textures.image_loader", "pydri.st.textures.load", "pydri.st.textures.direct",
        "pydri.main.framebuffers.loader",
    ),
    ("pydri.main.shaders.entries", "pydri.main.shaders.query_entries"),
)  # fmt: skip
"""What a start imports, one after the other: at the boot, for the front (FRONTS) that a program
calls, for a context, for a program that asks what that can do, for its first texture and its first
shader. What the same starts import in the same phase is a group."""
FRONTS = ("glx", "egl", "osmesa")
_PACKAGES = ("pydri", "pipe_llvm", "winsys_x11")
_HEAD = struct.Struct("<8s4sIIIQQ32s")
_FROZEN_ROW = struct.Struct("<24sII")
_COVERED = _HEAD.size  # the sum is of what follows
_MAGIC = b"PYDRIS\x00\x02"
_HOW = ("fold.py", "slim.py", "start_image.py")  # what makes modules lighter
#: what Python imports of files before it can be given modules
_FROZEN = ("encodings", "encodings.aliases", "encodings.utf_8")
_LOADER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "pydri", "util",
                       "start_image.py")  # fmt: skip
_MODULE, _PACKAGE, _EXTENSION, _FOREIGN = 0, 1, 2, 4  # of pydri/util/start_image.py


#: as pydri/util/start_image.py wants a module: path, size, time of change, kind, code
Ready = tuple[str, int, int, int, object]
Group = dict[str, Ready]
Kept = Mapping[str, Ready]


class Member(NamedTuple):
    """A module that a start imports."""

    front: str
    phase: int
    name: str
    inside: int  # so many of those before it are done while it is run
    alone: bool  # no other one imports it
    path: str
    kind: int


# -- what goes into it -----------------------------------------------------------------------------

_LIST = """
import posix, sys
sys.path[:] = PATHS
import encodings.utf_8
known = set(sys.modules)
if IMAGE:
    names = {}
    with open(LOADER, "rb") as file:
        exec(file.read(), names)
    with open(IMAGE, "rb") as file:
        data = file.read()
    places = dict.fromkeys(MODULES, (0, len(data), 0))
    names["serve"](memoryview(data), (places, {}, sys.path, (), 0), False)
finders = list(sys.meta_path)
done = []
phase = depth = 0

class Watch:
    def find_spec(self, name, path=None, target=None):
        specs = (finder.find_spec(name, path, target) for finder in finders)
        spec = next(filter(None, specs), None)
        if spec and isinstance(getattr(spec.loader, "path", None), str):
            execute = spec.loader.exec_module
            spec.loader.exec_module = lambda module: self.execute(execute, module)
        return spec

    def execute(self, execute, module):
        global depth
        begin = len(done)
        depth += 1
        execute(module)
        depth -= 1
        name = module.__name__
        if name not in known:
            package = int(hasattr(module, "__path__"))
            line = (phase, name, len(done) - begin, int(not depth), package, module.__file__)
            done.append(line)

sys.meta_path[:] = [Watch()]
for front in FRONTS:
    if posix.fork():
        if posix.wait()[1]:
            sys.exit(f"what {front} imports is not known")
        continue
    for phase, leads in enumerate(PHASES):
        for lead in leads:
            __import__(lead.replace("FRONT", front))
    for line in done:
        print(front, *line)
    break
"""


def _listed(paths: list[str], image: str = "", modules: Iterable[str] = ()) -> list[Member]:
    """What starts import in the order in which it is done, found by importing what begins them as
    the boot would; modules that are in an image come from there."""
    code = _LIST.replace("PATHS", repr(paths)).replace("PHASES", repr(PHASES))
    code = code.replace("IMAGE", repr(image)).replace("MODULES", repr(list(modules)))
    code = code.replace("FRONTS", repr(FRONTS)).replace("LOADER", repr(_LOADER))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [_member(*line.split(" ", 6)) for line in done.stdout.splitlines()]


def _member(
    front: str, phase: str, name: str, inside: str, alone: str, package: str, path: str
) -> Member:
    kind = int(package) if path.endswith(".py") else _EXTENSION
    kind += _FOREIGN * (name.partition(".")[0] not in _PACKAGES)
    return Member(front, int(phase), name, int(inside), alone == "1", path, kind)


def _groups(paths: list[str], kept: Kept) -> tuple[list[Group], dict[str, tuple[str, ...]]]:
    """The groups, and what those import that are imported by no other one. Light modules import
    less: first our own are made lighter, then these are imported, to see what else they need."""
    full = {each.name: each for each in _listed(paths) if each.kind < _FOREIGN}
    ready = {name: _ready(each, kept) for name, each in full.items()}
    with tempfile.NamedTemporaryFile(prefix="pydri-image-") as file:
        file.write(marshal.dumps(ready))
        file.flush()
        members = _listed(paths, file.name, ready)
    starts: dict[str, list[tuple[str, int]]] = {}
    ahead: dict[str, dict[str, None]] = {}
    for n, each in enumerate(members):
        if each.name not in ready:
            ready[each.name] = _ready(each, kept)
        starts.setdefault(each.name, []).append((each.front, each.phase))
        if each.alone and each.inside:
            inside = (other.name for other in members[n - each.inside : n])
            ahead.setdefault(each.name, {}).update(dict.fromkeys(inside))
    groups: dict[object, Group] = {}
    for name, where in starts.items():
        groups.setdefault(tuple(where), {})[name] = ready[name]
    return list(groups.values()), {name: tuple(names) for name, names in ahead.items()}


def _others(paths: list[str], kept: Kept) -> Iterator[tuple[str, Ready]]:
    """Our other modules: each may be the first one that a program needs, and is light, too."""
    for package in _PACKAGES:
        top = next(path for path in paths if os.path.isdir(os.path.join(path, package)))
        for folder, folders, files in os.walk(os.path.join(top, package)):
            folders[:] = (each for each in folders if os.path.join(folder, each) != TOOLS)
            for file in files:
                path = os.path.join(folder, file)
                name = os.path.relpath(path, top).removesuffix(".py").replace("/", ".")
                if file == "__init__.py":
                    name = name.removesuffix(".__init__")
                if file.endswith(".py") and path != _LOADER:
                    kind = _PACKAGE if file == "__init__.py" else _MODULE
                    yield name, _ready(Member("", 0, name, 0, True, path, kind), kept)


def _ready(member: Member, kept: Kept) -> Ready:
    """A module as pydri/util/start_image.py wants it; it may be one of those that are there."""
    status = os.stat(member.path)
    there = kept.get(member.name)
    seen = member.path, status.st_size, status.st_mtime_ns, member.kind
    if there is not None and there[:-1] == seen:
        return there
    code = None
    if member.kind & 3 != _EXTENSION:
        with open(member.path, "rb") as file:
            tree = ast.parse(file.read(), member.path)
        if member.kind < _FOREIGN:
            lighter = fold.late if member.name in fold.SOURCES else fold.fold
            tree = lighter(slim(tree))
        else:
            tree = without_docstrings(tree)
        code = compile(tree, member.path, "exec", dont_inherit=True, optimize=0)
    return *seen, code


# -- the file --------------------------------------------------------------------------------------


def _sum(data: bytes) -> int:
    """Of whole words (`sum_of` of core_image.c)."""
    words = array("Q", data)
    return sum(words) + sum(accumulate(words)) * 0x9E3779B97F4A7C15 & (1 << 64) - 1


def _hash(text: str) -> int:
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 0x1000193 & 0xFFFFFFFF
    return value


def _whole_words(data: bytes) -> bytes:
    return data.ljust(len(data) + 7 & ~7, b"\0")


def _image(paths: list[str], mark: bytes, old: bytes = b"") -> bytes:
    """The content of the file, for an interpreter that has these folders on its sys.path; `old`:
    that of the file that is there."""
    enums = tuple(_enums(paths))
    how = _way(enums)
    kept = _kept(old, how)
    groups, ahead = _groups(paths, kept)
    known = {name for group in groups for name in group}
    groups += [{name: row} for name, row in _others(paths, kept) if name not in known]
    blobs = [_whole_words(marshal.dumps(group)) for group in groups]
    loader = _ready(Member("", 0, "pydri.util.start_image", 0, True, _LOADER, _MODULE), {})[-1]
    places: dict[str, tuple[int, int, int]] = {}
    at = 0
    for group, blob in zip(groups, blobs, strict=True):
        places |= dict.fromkeys(group, (at, at + len(blob), _sum(blob)))
        at += len(blob)
    rest = (places, ahead, paths, enums, how)
    head = marshal.dumps((loader, rest))  # type: ignore[arg-type]
    return _sealed(_frozen(), head, b"".join(blobs), mark)


def _enums(paths: list[str]) -> Iterator[tuple[str, int, int]]:
    """How the modules look whose numbers are in the code of others (fold.py)."""
    for name in fold.SOURCES:
        found = (os.path.join(path, *name.split(".")) + ".py" for path in paths)
        file = next(filter(os.path.exists, found))
        status = os.stat(file)
        yield file, status.st_size, status.st_mtime_ns


def _way(enums: tuple[tuple[str, int, int], ...]) -> bytes:
    """Tells how modules are made lighter: by this Python and our code, with these enums."""
    digest = hashlib.blake2b(repr((sys.version, enums)).encode(), digest_size=32)
    here = os.path.dirname(os.path.abspath(__file__))
    lean = os.path.join(os.path.dirname(_LOADER), "lean.py")
    for path in (*(os.path.join(here, name) for name in _HOW), lean):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.digest()


def _kept(data: bytes, how: bytes) -> Group:
    """The modules of an image, if they were made in the same way."""
    found: Group = {}
    try:
        *_, head, begin, _, _, _ = _HEAD.unpack_from(data)
        places, *_, way = marshal.loads(data[head:begin])[1]
        if way != how:
            return {}
        for place in set(places.values()):
            group = data[begin + place[0] : begin + place[1]]
            if _sum(group) == place[2]:
                found |= marshal.loads(group)
    except (EOFError, TypeError, ValueError, struct.error):  # none is there, or another version's
        return {}
    return found


def _frozen() -> list[tuple[str, bytes]]:
    """The modules of _FROZEN with their code."""
    found = []
    for name in _FROZEN:
        spec = importlib.util.find_spec(name)
        if spec is None or not spec.origin or not spec.origin.endswith(".py"):
            return []
        code = _ready(Member("", 0, name, 0, True, spec.origin, _FOREIGN), {})[-1]
        found.append((name, marshal.dumps(code)))  # type: ignore[arg-type]
    return found


def _sealed(frozen: list[tuple[str, bytes]], head: bytes, groups: bytes, mark: bytes) -> bytes:
    """What the boot looks at before it believes the rest, and the rest."""
    at = _COVERED + _FROZEN_ROW.size * (len(_FROZEN) + 1)
    rows = b""
    for name, code in frozen:
        rows += _FROZEN_ROW.pack(name.encode(), at, len(code))
        at += len(code)
    rows = rows.ljust(_FROZEN_ROW.size * (len(_FROZEN) + 1), b"\0")
    covered = _whole_words(b"".join((rows, *(code for _, code in frozen), head)))
    begin = _COVERED + len(covered)
    numbers = _hash(sys.version), at, begin, begin + len(groups), _sum(covered)
    return _HEAD.pack(_MAGIC, importlib.util.MAGIC_NUMBER, *numbers, mark) + covered + groups


def module_folders(text: str) -> list[str]:
    """What a sidecar puts on sys.path."""
    pairs = (line.partition("=") for line in text.splitlines())
    return [value for key, _, value in pairs if key in ("stdlib", "path")]


def _mark(sidecar: str) -> bytes:
    """Tells what an image is made of: this Python, what the sidecar says (its folders, how our
    sources look), and how we go about it."""
    digest = hashlib.blake2b(repr((sys.version, PHASES, sidecar)).encode(), digest_size=32)
    for name in _HOW:
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
        with open(os.path.join(out, NAME), "rb") as file:
            old = file.read()
    except OSError:
        old = b""
    try:
        data = _image(module_folders(sidecar), mark, old)
    except (OSError, SyntaxError, ValueError, subprocess.CalledProcessError) as problem:
        print(f"pydri: no start image ({problem}): programs start later", file=sys.stderr)
        data = _HEAD.pack(_MAGIC, b"", 0, 0, 0, 0, 0, mark)
    temporary = os.path.join(out, f".{NAME}.{os.getpid()}")
    with open(temporary, "wb") as file:
        file.write(data)
    os.chmod(temporary, 0o644)
    os.replace(temporary, os.path.join(out, NAME))
