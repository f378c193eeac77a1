# SPDX-License-Identifier: MIT
"""Whether a folder of libraries is as it was when all of it was found right.

In: the folder, this interpreter, this processor. Out: yes or no, in a few milliseconds: this is
asked where a program is started and where `pydri.load()` is called, and looks at files from
outside. The whole check (installed.py, build.py, folder.py) reads sources and asks Python where it
has its folders, which takes twenty times as long; where it finds all in order, it notes beside the
libraries what it looked at and how that looked (`note`). Where anything looks otherwise, or
somebody else asks, the whole check is made again.
"""

import os
import sys

from libgl_shim.products import CORE_LIBRARY, SIDECAR
from pydri.util import place, source_tree
from pydri.util.options import options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

NAME = "ready"
_END = "all of it"
_RECORD = 8192  # bytes: the first processor's record of /proc/cpuinfo is shorter


def _processor() -> bytes:
    """What this processor can do, which decides whose kernels are wanted."""
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as file:
            record = file.read(_RECORD)
    except OSError:
        return b""
    return record.partition(b"\nflags")[2].partition(b"\n")[0]


def _asker() -> str:
    """Who asks, in a line: for another interpreter, or on another processor, another folder of
    packages or of kernels may be right."""
    digest = source_tree.blake2b(_processor(), digest_size=20)
    interpreter = sys.version, sys.executable, sys.prefix, sys.base_prefix
    wanted = options.PYDRI_CPU, options.LP_NATIVE_VECTOR_WIDTH
    digest.update(repr((interpreter, wanted)).encode("utf-8", "surrogateescape"))
    return f"pydri {digest.hexdigest()}"


def _row(path: str) -> str:
    """How a file or folder looks, in a line."""
    try:
        status = os.stat(path)
    except OSError:
        return f"- - {path}"
    return f"{status.st_size} {status.st_mtime_ns} {path}"


def rows(paths: "Iterable[str]") -> list[str]:
    """How files and folders look; to be asked before they are checked, for `note`."""
    return [_row(path) for path in paths]


def note(out: str, looked: "Iterable[str]") -> None:
    """All is right in a folder, as far as it depends on what looked like this (`rows`) and on our
    sources. Where nothing can be written the whole check is made each time."""
    temporary = os.path.join(out, f".{NAME}.{os.getpid()}")
    try:
        with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write("\n".join((_asker(), *looked, _END)))
        os.replace(temporary, os.path.join(out, NAME))
    except (OSError, ValueError):
        return


def _native_look(core: str) -> "Callable[[bytes, bytes], int] | None":
    """The core's function for how sources look; None where that is not to be loaded."""
    import ctypes

    try:
        function = ctypes.CDLL(core).pydri_look
    except (AttributeError, OSError):
        return None
    function.restype, function.argtypes = ctypes.c_uint64, (ctypes.c_char_p, ctypes.c_char_p)
    found: Callable[[bytes, bytes], int] = function
    return found


def _sources_look_the_same(out: str) -> bool:
    """Whether our sources look as they did when the sidecar was written. The libraries are what
    they were, as we know by now: so the core can be asked."""
    place.native_look = place.native_look or _native_look(os.path.join(out, CORE_LIBRARY))
    seen = "\nseen=" + source_tree.appearance(source_tree.source_roots()) + "\n"
    with open(os.path.join(out, SIDECAR), encoding="utf-8", errors="surrogateescape") as file:
        return seen in file.read()


def holds(out: str) -> bool:
    """Whether what `note` has noted in a folder holds."""
    try:
        with open(os.path.join(out, NAME), encoding="utf-8", errors="surrogateescape") as file:
            asker, *looked, end = file.read().split("\n")
        if (asker, end) != (_asker(), _END):
            return False
        paths = [line.split(" ", 2)[2] for line in looked]
        return looked == rows(paths) and _sources_look_the_same(out)
    except (IndexError, OSError, ValueError):
        return False
