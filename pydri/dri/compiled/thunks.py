# SPDX-License-Identifier: MIT
"""The dispatch table of compiled drivers: for each slot a few instructions that drop the context.

Stage: between the stubs of the shim and a compiled driver's GL functions.  In: the address that
glapi has for each name.  Out: a table as every context's begins with.  A stub calls
`table[slot](context, a0, a1, ...)`; Mesa's functions want `(a0, a1, ...)` and find their context by
themselves.  So a thunk moves every integer one register down, brings the first one that the stub
has put on the stack into the last register, copies what the function wants on the stack, if there
is any, and goes on there.  Floats are where they were.  (System V ABI for AMD64, 3.2.3.)

The thunks depend on the types of the parameters alone: a template for each of some sixty kinds, the
address in the middle.  All of them are made at once, in memory that is never given back, since
threads of the program may be in it at any time; written first, executable then.
"""

import ctypes
import mmap
import struct
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from pydri.api import gl_table
from pydri.util.once import once

_FLOATS = ("float", "double")
_INTEGER_REGISTERS, _FLOAT_REGISTERS = 6, 8
#: rdi <- rsi <- rdx <- rcx <- r8 <- r9
_MOVES = (b"\x48\x89\xf7", b"\x48\x89\xd6", b"\x48\x89\xca", b"\x4c\x89\xc1", b"\x4d\x89\xc8")
_LOAD_R9, _LOAD_RAX, _STORE_RAX = b"\x4c\x8b\x8c\x24", b"\x48\x8b\x84\x24", b"\x48\x89\x84\x24"
_GROW, _SHRINK = b"\x48\x81\xec", b"\x48\x81\xc4"  # the stack, by a constant
_SET_R11, _JUMP_R11, _CALL_R11, _RETURN = b"\x49\xbb", b"\x41\xff\xe3", b"\x41\xff\xd3", b"\xc3"
#: for names that glapi does not know: 0 in both registers of results
_NOTHING = b"\x31\xc0\x0f\x57\xc0\xc3"
_FAILED = (1 << 64) - 1


class Template(NamedTuple):
    """A thunk: what stands before and behind the eight bytes of the address."""

    head: bytes
    tail: bytes

    def to(self, address: int) -> bytes:
        """The thunk of a function."""
        return self.head + struct.pack("<Q", address) + self.tail


def _at(offset: int) -> bytes:
    return struct.pack("<i", offset)


@cache
def template(floats: tuple[bool, ...]) -> Template:
    """The thunk of a function by which of its parameters are floats; all have 8 bytes at most."""
    integers = floating = 0
    stacked = 0  # parameters that the stub has put on the stack, so far
    last_register = -1  # the place on the stack of what belongs into r9
    passed = []  # the places of what the function wants on the stack
    for is_float in floats:
        if is_float:
            floating += 1
            if floating > _FLOAT_REGISTERS:
                passed.append(stacked)
                stacked += 1
            continue
        integers += 1
        if integers < _INTEGER_REGISTERS:
            continue
        if integers == _INTEGER_REGISTERS:
            last_register = stacked
        else:
            passed.append(stacked)
        stacked += 1
    moves = b"".join(_MOVES[: min(integers, len(_MOVES))])
    # a call needs a stack that is a multiple of 16 below our own return address
    frame = 8 * len(passed) + 8 * (len(passed) % 2 == 0) if passed else 0
    load = _LOAD_R9 + _at(frame + 8 + 8 * last_register) if last_register >= 0 else b""
    if not passed:
        return Template(moves + load + _SET_R11, _JUMP_R11)
    copies = b"".join(
        _LOAD_RAX + _at(frame + 8 + 8 * place) + _STORE_RAX + _at(8 * n)
        for n, place in enumerate(passed)
    )
    return Template(
        _GROW + _at(frame) + copies + moves + load + _SET_R11,
        _CALL_R11 + _SHRINK + _at(frame) + _RETURN,
    )


def _lasting(data: bytes, execute: bool) -> int:
    """The address of a copy in memory that stays; code cannot be written there any more."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_uint64
    libc.mmap.argtypes = [
        ctypes.c_uint64, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
    ]  # fmt: skip
    libc.mprotect.argtypes = [ctypes.c_uint64, ctypes.c_size_t, ctypes.c_int]
    size = (len(data) + mmap.PAGESIZE - 1) & -mmap.PAGESIZE
    writable = mmap.PROT_READ | mmap.PROT_WRITE
    base: int = libc.mmap(0, size, writable, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    if base == _FAILED:
        raise MemoryError(f"no memory for {size} bytes of thunks")
    ctypes.memmove(base, data, len(data))
    if execute and libc.mprotect(base, size, mmap.PROT_READ | mmap.PROT_EXEC):
        raise MemoryError("the system allows no code that is made while the program runs")
    return base


def make_table(find: Callable[[str], int]) -> int:
    """The address of a table of all slots; `find` gives a function's address, or 0."""
    table = gl_table.TABLE
    code = bytearray(_NOTHING)
    places = []
    for slot in range(len(table)):
        row = table.row(slot)
        address = find(row.name)
        if not address:
            places.append(0)
            continue
        code += b"\xcc" * (-len(code) % 16)
        places.append(len(code))
        code += template(tuple(kind in _FLOATS for kind in row.c_params)).to(address)
    base = _lasting(bytes(code), execute=True)
    return _lasting(b"".join(struct.pack("<Q", base + place) for place in places), execute=False)


@once
def dispatch_table(get_proc_address: int, get_proc_offset: int) -> int:
    """The table of a glapi, by the addresses of its functions: one for all drivers of the process
    that need this glapi, and for all their contexts."""
    from pydri.api import dispatch

    address = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_char_p)(get_proc_address)
    offset = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)(get_proc_offset)

    def find(name: str) -> int:
        # to ask for the address of a name that is not there would have glapi make a function
        encoded = name.encode()
        return int(address(encoded) or 0) if offset(encoded) >= 0 else 0

    made = make_table(find)
    dispatch.table_ready(made)
    return made


__all__ = ["dispatch_table", "make_table", "template"]
