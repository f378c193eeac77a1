# SPDX-License-Identifier: MIT
"""How our sources look, and what is in them.

In: the packages whose files decide what code is generated; the sidecar beside libGL.so.1. Out: two
digests. `contents` is of what the files say, of which names of kernels are made
(pydri/jit/naming.py); `appearance` of how they look from outside: names, sizes, times.

To read all sources would cost a start 15 ms. So the build notes in the sidecar what it read
(`sources`) and how the files looked then (`seen`). Where they look the same, the note counts; where
they don't, because somebody edits a checkout, they are read.
"""

import os

from pydri.util import place

try:
    from _blake2 import blake2b  # hashlib would load OpenSSL, 10 ms, to hand us this very function
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_SOURCES = ("pydri", "pipe_llvm", "winsys_x11")
TOOLS = os.path.join(_TOP, "pydri", "tools")  # commands for people, which emit no code


def source_roots() -> list[str]:
    """The packages whose files decide what code is made."""
    return [os.path.join(_TOP, package) for package in _SOURCES]


def _files(root: str) -> "Iterator[tuple[str, os.DirEntry[str]]]":
    """Each .py and .csv file below a folder, with its name there, in a fixed order."""
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.endswith((".py", ".csv")):
                # relpath would be half of a start's whole check
                yield entry.path[len(root) + 1 :], entry
            elif entry.name[0] not in "_." and "." not in entry.name and entry.is_dir():
                if entry.path != TOOLS:
                    folders.append(entry.path)


_FNV, _MASK = (0xCBF29CE484222325, 0x100000001B3), (1 << 64) - 1


def _hash(text: bytes) -> int:
    """FNV-1a of 64 bits."""
    value, prime = _FNV
    for byte in text:
        value = (value ^ byte) * prime & _MASK
    return value


def look(root: str) -> int:
    """How the files below a folder look: a sum, so that their order does not matter. (What
    `pydri_look` of libgl_shim/core_boot.c gives, too.)"""
    total = 0
    for name, entry in _files(root):
        status = entry.stat()
        line = b"%s %d %d" % (os.fsencode(name), status.st_size, status.st_mtime_ns)
        total += _hash(line)
    return total & _MASK


def appearance(roots: "Sequence[str]") -> str:
    """How the sources look from outside: equal as long as nobody touches them. With the core it
    takes half a millisecond."""
    native = place.native_look
    digest = blake2b(digest_size=20)
    for root in roots:
        name = os.fsencode(root)
        value = native(name, os.fsencode(TOOLS)) if native else look(root)
        digest.update(b"%s %d\n" % (name, value))
    return str(digest.hexdigest())


def contents(roots: "Iterable[str]") -> str:
    """What is in the sources (15 ms)."""
    digest = blake2b(digest_size=20)
    for root in roots:
        for name, entry in _files(root):
            with open(entry.path, "rb", buffering=0) as file:
                data = file.read()
            digest.update(b"%s %d\n" % (os.fsencode(name), len(data)))
            digest.update(data)
    return str(digest.hexdigest())


def noted_contents() -> str:
    """`contents` of our sources; as the build noted them, where they look as they did then."""
    roots = source_roots()
    noted = place.fact("sources")
    if noted and place.fact("seen") == appearance(roots):
        return noted
    return contents(roots)


__all__ = [
    "TOOLS", "appearance", "blake2b", "contents", "look", "noted_contents", "source_roots",
]  # fmt: skip
