# SPDX-License-Identifier: MIT
"""Depth and stencil test on a 4x4 stamp, in the buffer's own format (as lp_bld_depth.c does, and
for its reason: the comparison must be the one between stored values).

Depth buffers are the driver's own, so they are kept in stamp order: the 16 values of a 4x4 stamp
are contiguous (one 64-byte load and store). Integer formats compare as unsigned integers; Z24
with stencil keeps depth in the low 24 bits and stencil in the high 8."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydri.jit.types import f32, u8, u16, u32
from pydri.pipe.format import Format
from pydri.pipe.state import DepthStencilAlpha, StencilSide

u32x16 = u32.vec(16)
f32x16 = f32.vec(16)

GL_NEVER, GL_LESS, GL_EQUAL, GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS = range(
    0x200, 0x208
)
GL_KEEP, GL_REPLACE, GL_INCR, GL_DECR, GL_INVERT = 0x1E00, 0x1E01, 0x1E02, 0x1E03, 0x150A
GL_INCR_WRAP, GL_DECR_WRAP, GL_ZERO = 0x8507, 0x8508, 0


class ZsLayout(NamedTuple):
    """Where depth and stencil lie in a pixel."""

    stamp_bytes: int
    depth_bits: int
    is_float: bool
    has_stencil: bool


def layout_of(fmt: Format) -> ZsLayout:
    """The stamp layout of a depth/stencil format."""
    depth = fmt.channels[0][1] if fmt.name != "S8_UINT" else 0
    return ZsLayout(fmt.bytes * 16, depth, "FLOAT" in fmt.name, "S8" in fmt.name)


def compare(b: Any, func: int, x: Any, y: Any) -> Any:
    """x func y as a boolean (vector), func a GL enum."""
    match func:
        case 0x200:
            return x != x if f32x16 is not x.ty else (x < y) & (x > y)
        case 0x201:
            return x < y
        case 0x202:
            return x == y
        case 0x203:
            return x <= y
        case 0x204:
            return x > y
        case 0x205:
            return x != y
        case 0x206:
            return x >= y
    return x == x


def _max_depth(bits: int) -> float:
    return float((1 << bits) - 1)


def quantise_depth(b: Any, fmt: Format, z: Any) -> Any:
    """Depth in [0, 1] (f32x16, clamped here) as the stored value: u32x16, or f32x16 for float
    formats.
    """
    zs = layout_of(fmt)
    z = b.clamp(z, 0.0, 1.0)
    if zs.is_float:
        return z
    if zs.depth_bits == 32:
        # a float has 24 bits: the top byte is repeated below, so that 1 becomes all ones
        wide = b.cast_fast(z * 4294967040.0, u32)
        return wide | (wide >> 24)
    return b.bitcast(b.round_to_int(z * _max_depth(zs.depth_bits)), u32)


class Stamp:
    """The loaded depth/stencil values of a stamp and where they go back to."""

    def __init__(self, b: Any, fmt: Format, place: Any) -> None:
        self.b = b
        self.fmt = fmt
        self.zs = layout_of(fmt)
        self.place = place
        if fmt.bytes == 2:
            self.raw = b.cast(place.load(u16.vec(16), align=32), u32)
        elif fmt.bytes == 4:
            self.raw = place.load(u32x16, align=64)
        elif fmt.bytes == 8:  # float depth and stencil, interleaved
            both = place.load(u32.vec(32), align=64)
            self.raw = b.shuffle(both, None, list(range(0, 32, 2)))
            self.raw_stencil = b.shuffle(both, None, list(range(1, 32, 2)))
        else:
            self.raw = b.cast(place.load(u8.vec(16), align=16), u32)

    def depth(self) -> Any:
        b = self.b
        if self.zs.is_float:
            return b.bitcast(self.raw, f32)
        if self.zs.depth_bits == 24:
            return self.raw & 0xFFFFFF
        return self.raw

    def stencil(self) -> Any:
        if self.fmt.bytes == 8:
            return self.raw_stencil & 0xFF
        if self.fmt.name == "S8_UINT":
            return self.raw
        return self.raw >> 24

    def store(self, depth: Any | None, stencil: Any | None) -> None:
        """Write the stamp back; None keeps what was loaded."""
        b, fmt = self.b, self.fmt
        if fmt.bytes == 8:
            d = self.raw if depth is None else b.bitcast(depth, u32)
            s = self.raw_stencil if stencil is None else stencil
            order = [n // 2 + (16 if n & 1 else 0) for n in range(32)]
            self.place.store(b.shuffle(d, s, order), align=64)
            return
        if fmt.name == "S8_UINT":
            self.place.store(b.cast(stencil, u8), align=16)
            return
        if self.zs.is_float:
            out = b.bitcast(depth, u32)
        elif self.zs.has_stencil:
            low = self.raw & 0xFFFFFF if depth is None else depth
            high = self.raw & 0xFF000000 if stencil is None else stencil << 24
            out = low | high
        else:
            out = depth
        if fmt.bytes == 2:
            self.place.store(b.cast(out, u16), align=32)
        else:
            self.place.store(out, align=64)


def _stencil_op(b: Any, op: int, old: Any, ref: Any) -> Any:
    match op:
        case 0:
            return b.const(u32x16, 0)
        case 0x1E01:
            return b.splat(ref & 0xFF, 16)
        case 0x1E02:
            return b.min(old + 1, 255)
        case 0x1E03:
            return b.select(old == 0, old, old - 1)
        case 0x150A:
            return old ^ 0xFF
        case 0x8507:
            return (old + 1) & 0xFF
        case 0x8508:
            return (old - 1) & 0xFF
    return old


def _stencil_side(
    b: Any, side: StencilSide, old: Any, state: Any, face: int, z_pass: Any, covered: Any
) -> tuple[Any, Any]:
    """New stencil values and the mask of pixels that pass the stencil test, for one face."""
    ref = state.stencil_ref[face]
    value_mask = state.stencil_valuemask[face]
    write_mask = state.stencil_writemask[face] & 0xFF
    passed = compare(b, side.func, b.splat(ref & value_mask & 0xFF, 16), old & (value_mask & 0xFF))
    new = _stencil_op(b, side.fail, old, ref)
    after_z = _stencil_op(b, side.zfail, old, ref) if z_pass is not None else None
    success = _stencil_op(b, side.zpass, old, ref)
    tested = success if z_pass is None else b.select(z_pass, success, after_z)
    new = b.select(passed, tested, new)
    keep = write_mask ^ 0xFF
    new = (new & write_mask) | (old & keep)
    return b.select(covered, new, old), passed


def test(
    b: Any,
    dsa: DepthStencilAlpha,
    fmt: Format,
    place: Any,
    z: Any,
    covered: Any,
    state: Any,
    front: Any,
) -> Any:
    """Emit the stencil and depth test of a stamp; returns the mask of pixels that survive.

    place: pointer to the stamp; z: f32x16 window depth; covered: boolean x16; state: pointer to
    LpFragState; front: boolean.
    """
    stamp = Stamp(b, fmt, place)
    zs = stamp.zs
    has_depth = bool(dsa.depth_func) and zs.depth_bits > 0
    depth = quantise_depth(b, fmt, z) if has_depth else None
    z_pass = None
    if has_depth and dsa.depth_func != GL_ALWAYS:
        z_pass = compare(b, dsa.depth_func, depth, stamp.depth())
    alive = covered if z_pass is None else covered & z_pass
    stencil = None
    if dsa.stencil_front is not None and zs.has_stencil:
        old = stamp.stencil()
        stencil, passed = _stencil_side(b, dsa.stencil_front, old, state, 0, z_pass, covered)
        if dsa.stencil_back is not None:
            back, back_passed = _stencil_side(b, dsa.stencil_back, old, state, 1, z_pass, covered)
            stencil = b.select(b.splat(front, 16), stencil, back)
            passed = b.select(b.splat(front, 16), passed, back_passed)
        alive = alive & passed
    write_depth = has_depth and dsa.depth_write and dsa.depth_func != GL_NEVER
    if write_depth or stencil is not None:
        new_depth = b.select(alive, depth, stamp.depth()) if write_depth else None
        stamp.store(new_depth, stencil)
    return alive


