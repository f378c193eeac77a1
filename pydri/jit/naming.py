# SPDX-License-Identifier: MIT
"""What compiled kernels are named by.

In: our sources, llvmlite, the sidecar beside libGL.so.1. Out: `build_id`, which goes into every
name in a cache together with the processor's level (cpu.py).

Names are made of what code generation depends on and of nothing else: the *contents* of the sources
that emit it, and llvmlite, whose LLVM translates it. Neither times of files nor the interpreter
count, so a Python of another patch version, a copy of the folder or another machine of the same
level finds what is there, and two versions never share a name, however alike their files look.

To read all sources would cost a start 15 ms. So the build notes in the sidecar what it read
(`sources`) and how the files looked then (`seen`: folder, names, sizes, times). Where they look the
same, the note counts; where they don't, because somebody edits a checkout, they are read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence

from pydri.util import place

try:
    from _blake2 import blake2b  # hashlib would load OpenSSL, 10 ms, to hand us this very function
except ImportError:
    from hashlib import blake2b

_TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_SOURCES = ("pydri", "pipe_llvm", "winsys_x11")
TOOLS = os.path.join(_TOP, "pydri", "tools")  # commands for people, which emit no code


def source_roots() -> list[str]:
    """The packages whose files decide what code is made."""
    return [os.path.join(_TOP, package) for package in _SOURCES]


def _files(root: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
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


def appearance(roots: Sequence[str]) -> str:
    """How the sources look from outside: equal as long as nobody touches them. With the core it
    takes half a millisecond."""
    native = place.native_look
    digest = blake2b(digest_size=20)
    for root in roots:
        name = os.fsencode(root)
        value = native(name, os.fsencode(TOOLS)) if native else look(root)
        digest.update(b"%s %d\n" % (name, value))
    return str(digest.hexdigest())


def contents(roots: Iterable[str]) -> str:
    """What is in the sources (15 ms)."""
    digest = blake2b(digest_size=20)
    for root in roots:
        for name, entry in _files(root):
            with open(entry.path, "rb", buffering=0) as file:
                data = file.read()
            digest.update(b"%s %d\n" % (os.fsencode(name), len(data)))
            digest.update(data)
    return str(digest.hexdigest())


def sources() -> str:
    """`contents` of our sources; as the build noted them, where they look as they did then."""
    roots = source_roots()
    noted = place.fact("sources")
    if noted and place.fact("seen") == appearance(roots):
        return noted
    return contents(roots)


def llvmlite_version() -> bytes:
    """What tells one llvmlite from another, without importing it (that would load LLVM). A host's
    Python may have one of its own, before ours."""
    for folder in sys.path:
        path = os.path.join(folder, "llvmlite")
        try:
            with open(os.path.join(path, "_version.py"), "rb") as file:
                text = file.read()
        except OSError:
            continue
        for library in ("libllvmlite.so", "libllvmlite.dylib"):
            try:
                text += str(os.stat(os.path.join(path, "binding", library)).st_size).encode()
            except OSError:
                continue
        return text
    return b""


_id = b""


def build_id() -> bytes:
    """Fingerprint of all that generates code. Found out once a process, which goes on making the
    code of the modules that it has imported."""
    global _id
    if not _id:
        _id = blake2b(sources().encode() + llvmlite_version(), digest_size=20).digest()
    return _id


__all__ = [
    "TOOLS", "appearance", "blake2b", "build_id", "contents", "llvmlite_version", "look",
    "source_roots", "sources",
]  # fmt: skip
