# SPDX-License-Identifier: MIT
"""Vertex arrays: from memory of any vertex format to four numbers a vertex (GL 2.1, 2.8).

A vertex number at or above a binding's count reads the last vertex; stride 0 is one value for all.
Signed normalised numbers are max(c / (2^(b-1) - 1), -1), as the peer and later versions of GL have
it. Whole numbers (UINT, SINT) keep their bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pipe_soft.arrays import F32, Arr
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.memory_numpy import memory

_TYPES = {"f": "f", "u": "u", "s": "i"}


def attribute(binding: Any, number: int, vertices: Arr) -> Arr:
    """Four numbers of each vertex as bits: uint32 (vertices, 4)."""
    fmt = FORMATS[number]
    offsets = _kept(vertices, binding.count) * binding.stride
    array = memory(binding.base, int(offsets.max()) + fmt.bytes, np.uint8)
    data = array[offsets[:, None] + np.arange(fmt.bytes)]
    channels, at = [], 0
    for kind, bits in fmt.channels:
        channels.append(_convert(_channel(data, kind, bits, at), kind, bits))
        at += bits
    one = np.uint32(1) if fmt.channels[0][0] in ("ui", "si") else F32(1).view(np.uint32)
    out = np.zeros((len(vertices), 4), np.uint32)
    for n, letter in enumerate(_swizzle(fmt)):
        if letter != "z":
            out[:, n] = one if letter == "o" else channels[int(letter)].view(np.uint32)
    return out


def _kept(vertices: Arr, count: int) -> Arr:
    """Vertex numbers within the array (a count of 0 is unknown)."""
    return np.minimum(vertices, count - 1) if count else vertices


def _swizzle(fmt: Format) -> str:
    return fmt.swizzle.ljust(4, "o")


def _channel(data: Arr, kind: str, bits: int, at: int) -> Arr:
    """A channel that begins at bit `at` of each vertex' bytes, as it is stored."""
    if bits % 8 == 0 and at % 8 == 0:
        part = np.ascontiguousarray(data[:, at // 8 : (at + bits) // 8])
        return part.view(f"<{_TYPES[kind[0]]}{bits // 8}")[:, 0]
    word = np.ascontiguousarray(data[:, :4]).view("<u4")[:, 0].astype(np.int64)
    number = (word >> at) & ((1 << bits) - 1)
    if kind == "f":  # halves without a sign and with fewer bits behind the point
        return (number << (15 - bits)).astype(np.uint16).view(np.float16)
    negative = kind[0] == "s" and number >> (bits - 1) != 0
    return np.where(negative, number - (1 << bits), number)


def _convert(stored: Arr, kind: str, bits: int) -> Arr:
    """Stored numbers as 32 bits."""
    if kind in ("ui", "si"):
        return stored.astype(np.int64).astype(np.uint32)
    if kind == "sx":
        return stored.astype(np.float32) * F32(1 / 65536)
    if kind not in ("un", "sn"):
        return stored.astype(np.float32)
    top = (1 << bits) - 1 if kind == "un" else (1 << (bits - 1)) - 1
    if bits == 32:
        value = (stored.astype(np.float64) / top).astype(np.float32)
    else:
        value = stored.astype(np.float32) / F32(top)
    return np.maximum(value, F32(-1)) if kind == "sn" else value
