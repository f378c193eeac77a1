# SPDX-License-Identifier: MIT
"""Addresses of client memory that arrive as cffi `void *` (or as plain integers, in tests), read
and written through ctypes; and how values are converted to integers on their way there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from pydri.api import dispatch
from pydri.api.enums import GL_INVALID_OPERATION


def address_of(pointer: Any) -> int:
    """The address in a `void *`; None and null are 0."""
    if pointer is None or isinstance(pointer, int):
        return pointer or 0
    return int(dispatch.ffi.cast("unsigned long", pointer))


def store(pointer: Any, ctype: Any, values: Sequence[Any]) -> None:
    """Write an array of values at a client's address; a null pointer is ignored (the program asked
    for nothing).
    """
    address = address_of(pointer)
    if address and len(values) == 1:  # as nearly all ask for
        ctype.from_address(address).value = values[0]
    elif address and values:
        (ctype * len(values)).from_address(address)[:] = values


def check_room(needed: int, room: int) -> None:
    """The sized queries of ARB_robustness: nothing is written unless all of it fits."""
    if needed > room:
        raise dispatch.GLError(GL_INVALID_OPERATION, f"{needed} bytes, bufSize={room}")


def fetch(pointer: Any, ctype: Any, count: int) -> list[Any]:
    """Read an array of values from a client's address."""
    return list((ctype * count).from_address(address_of(pointer)))


I32, U32, I64, U64, F32, F64, U8, U16 = (
    ctypes.c_int32,
    ctypes.c_uint32,
    ctypes.c_int64,
    ctypes.c_uint64,
    ctypes.c_float,
    ctypes.c_double,
    ctypes.c_uint8,
    ctypes.c_uint16,
)


FRACTIONS = "nN"
FIXED_ONE = 65536.0  # of fixed-point numbers (OpenGL ES 1.1, 2.3)


def bounded(value: float, bits: int = 32) -> float:
    """A number within what a signed integer of some bits holds, so that any rounding of it is one:
    not a number is 0, and what is too large the largest (GL 3.2, 6.1.2).
    """
    top = 1 << (bits - 1)
    return max(-top, min(top - 1, value)) if value == value else 0


def to_int(kind: str, value: float, bits: int = 32) -> int:
    """One value of a kind (get/tables.py) as a signed integer of some bits, see `bounded`.
    Fractions have 32 bits in every integer, as Khronos' tests and the peer have them."""
    if kind in FRACTIONS:
        return int(max(-1.0, min(1.0, value)) * 0x7FFFFFFF)
    top = 1 << (bits - 1)
    if isinstance(value, float):
        return round(bounded(value, bits))
    if kind == "L":
        return min(top - 1, value)
    value = int(value) & (2 * top - 1)
    return value - 2 * top if value >= top else value
