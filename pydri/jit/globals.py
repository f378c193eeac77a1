# SPDX-License-Identifier: MIT
"""Keeps a library's globals alive until the process is gone.

In: the path of a library that is loaded. Out: globals that its functions make from now on, when
they are called first, are never destroyed. LLVM has many such, and a thread of ours may be at work
with them when the program calls exit(): destructors registered after our own handler
(pydri/util/ending.py) run before it. C++ registers a destructor by `__cxa_atexit`; the library
reaches that through its own table of addresses (ELF: R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT), where
a function that does nothing of the kind takes its place.
"""

from __future__ import annotations

import ctypes
import struct

from pydri.jit.image import extern_address

_PT_DYNAMIC = 2
_PLTRELSZ, _STRTAB, _SYMTAB, _RELA, _RELASZ, _STRSZ, _JMPREL = 2, 5, 6, 7, 8, 10, 23
_RELACOUNT = 0x6FFFFFF9
_GLOB_DAT, _JUMP_SLOT = 6, 7
_REGISTER = b"__cxa_atexit"
_HARMLESS = "getpid"  # its arguments count for nothing, and so does what __cxa_atexit returns


def _base(path: str) -> int:
    """Where a library is mapped; 0 if it is not."""
    with open("/proc/self/maps") as file:
        for line in file:
            words = line.split()
            if len(words) > 5 and words[5] == path and int(words[2], 16) == 0:
                return int(words[0].partition("-")[0], 16)
    return 0


def _dynamic(base: int) -> dict[int, int]:
    """The library's dynamic section: tag -> value."""
    at, size, count = struct.unpack_from("<Q14xHH", ctypes.string_at(base + 32, 28))
    for n in range(count):
        kind, _, _, place, _, length = struct.unpack_from(
            "<IIQQQQ", ctypes.string_at(base + at + n * size, 40)
        )
        if kind == _PT_DYNAMIC:
            return dict(struct.iter_unpack("<QQ", ctypes.string_at(base + place, length)))
    return {}


def keep_globals(path: str) -> int:
    """Have the library's later globals kept; how many entries of its table were changed."""
    base = _base(path)
    tags = _dynamic(base) if base else {}
    if not tags.get(_STRTAB) or not tags.get(_SYMTAB):
        return 0

    def pointer(tag: int) -> int:
        """An address of the dynamic section, which the loader may have relocated."""
        return tags[tag] if tags[tag] >= base else base + tags[tag]

    names = ctypes.string_at(pointer(_STRTAB), tags[_STRSZ])
    symbols, changed = pointer(_SYMTAB), 0
    for table, length, skipped in ((_JMPREL, _PLTRELSZ, 0), (_RELA, _RELASZ, _RELACOUNT)):
        if table not in tags:
            continue
        first = 24 * tags.get(skipped, 0) if skipped else 0
        data = ctypes.string_at(pointer(table) + first, tags[length] - first)
        for place, info, _ in struct.iter_unpack("<QQq", data):
            if info & 0xFFFFFFFF in (_GLOB_DAT, _JUMP_SLOT):
                name = ctypes.c_uint32.from_address(symbols + 24 * (info >> 32)).value
                if names.startswith(_REGISTER + b"\0", name):
                    changed += _replace(base + place)
    return changed


def _replace(place: int) -> int:
    """Put the harmless function's address at a place that may be read-only; 1 if that is done."""
    page, writable = place & -4096, _writable(place)
    protect = ctypes.CDLL(None).mprotect
    protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if not writable and protect(page, 4096, 3):
        return 0
    ctypes.c_uint64.from_address(place).value = extern_address(_HARMLESS)
    if not writable:
        protect(page, 4096, 1)
    return 1


def _writable(place: int) -> bool:
    """Whether memory at an address may be written."""
    with open("/proc/self/maps") as file:
        for line in file:
            area, rights, _ = line.split(maxsplit=2)
            start, end = (int(number, 16) for number in area.split("-"))
            if start <= place < end:
                return "w" in rights
    return False


__all__ = ["keep_globals"]
