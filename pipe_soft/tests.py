# SPDX-License-Identifier: MIT
"""The alpha, stencil and depth tests (GL 2.1, 4.1.4 to 4.1.6).

Depth and stencil are compared as they are stored. GL compares alpha in fixed point: colour buffers
of 8 bits a channel in 8 bits, so GL_EQUAL to 0.5 is true of the byte 128; others as floats.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from pipe_soft.arrays import Arr
from pipe_soft.memory import Image
from pipe_soft.pixels import depth_bits, has_stencil, is_float, quantise, quantise_depth, stencil_at
from pydri.pipe.format import Format
from pydri.pipe.state import DepthStencilAlpha, StencilSide

GL_NEVER, GL_ALWAYS = 0x200, 0x207
_COMPARE: dict[int, Callable[[Any, Any], Any]] = {
    0x201: operator.lt, 0x202: operator.eq, 0x203: operator.le,
    0x204: operator.gt, 0x205: operator.ne, 0x206: operator.ge,
}  # fmt: skip


def compare(func: int, x: Arr, y: Arr) -> Arr:
    """x func y, func a GL enum."""
    if func in (GL_NEVER, GL_ALWAYS):
        return np.full(np.broadcast(x, y).shape, func == GL_ALWAYS)
    return np.asarray(_COMPARE[func](x, y))


def alpha_test(func: int, fmt: Format, alpha: Arr, reference: float) -> Arr:
    """Which fragments pass the alpha test; `fmt` is the colour buffer's."""
    ref = np.full(1, reference, np.float32)
    if fmt.channels and all(bits == 8 for _, bits in fmt.channels):
        return compare(func, quantise(alpha, 8), quantise(ref, 8))
    return compare(func, alpha, ref)


_OPERATIONS: dict[int, Callable[[Arr, int], Any]] = {
    0x0000: lambda old, ref: 0 * old,  # GL_ZERO
    0x1E00: lambda old, ref: old,  # GL_KEEP
    0x1E01: lambda old, ref: 0 * old + ref,  # GL_REPLACE
    0x1E02: lambda old, ref: np.minimum(old + 1, 255),  # GL_INCR
    0x1E03: lambda old, ref: np.maximum(old - 1, 0),  # GL_DECR
    0x150A: lambda old, ref: old ^ 255,  # GL_INVERT
    0x8507: lambda old, ref: (old + 1) & 255,  # GL_INCR_WRAP
    0x8508: lambda old, ref: (old - 1) & 255,  # GL_DECR_WRAP
}


def _stencil_side(dyn: Any, side: StencilSide, face: int, old: Arr, deep: Arr) -> tuple[Arr, Arr]:
    """New stencil values and which samples pass, of one face; `deep`: they pass the depth test."""
    ref, values = dyn.stencil_ref[face] & 255, dyn.stencil_valuemask[face] & 255
    writes = dyn.stencil_writemask[face] & 255
    passed = compare(side.func, np.full(1, ref & values), old & values)
    fail, zfail, zpass = (_OPERATIONS[op](old, ref) for op in (side.fail, side.zfail, side.zpass))
    new = np.where(passed, np.where(deep, zpass, zfail), fail)
    return (new & writes) | (old & ~writes), passed


def depth_stencil_test(dyn: Any, dsa: DepthStencilAlpha, image: Image, places: Arr, depth: Arr,
                       covered: Arr, front: Arr) -> Arr:  # fmt: skip
    """Test and write samples (all arrays (fragments, samples), but for `front`); which are left.
    No place is there twice."""
    fmt = image.format
    raw = image.words[places].astype(np.uint64)
    deep, alive, new = np.ones(covered.shape, np.bool_), covered, raw
    bits = depth_bits(fmt)
    has_depth = bool(dsa.depth_func) and bits > 0
    if has_depth:
        low = np.uint64((1 << bits) - 1)
        number, stored = quantise_depth(fmt, depth), raw & low
        sides = [_as_floats(n) if is_float(fmt) else n for n in (number, stored)]
        deep = compare(dsa.depth_func, sides[0], sides[1])
        alive = alive & deep
    if dsa.stencil_front is not None and has_stencil(fmt):
        at = np.uint64(stencil_at(fmt))
        old = ((raw >> at) & np.uint64(255)).astype(np.int64)
        value, passed = _stencil_side(dyn, dsa.stencil_front, 0, old, deep)
        if dsa.stencil_back is not None:
            back, back_passed = _stencil_side(dyn, dsa.stencil_back, 1, old, deep)
            value = np.where(front[:, None], value, back)
            passed = np.where(front[:, None], passed, back_passed)
        alive = alive & passed
        cleared = new & ~(np.uint64(255) << at)
        new = np.where(covered, cleared | (value.astype(np.uint64) << at), new)
    if has_depth and dsa.depth_write:
        new = np.where(alive, (new & ~low) | number, new)
    image.words[places[covered]] = new[covered].astype(image.words.dtype)
    return np.asarray(alive)


def _as_floats(bits: Arr) -> Arr:
    return bits.astype(np.uint32).view(np.float32)
