# SPDX-License-Identifier: MIT
"""Depth and stencil test on a 4x4 stamp, in the buffer's own format (as lp_bld_depth.c does, and
for its reason: the comparison must be the one between stored values).

Depth buffers are the driver's own, so they are kept in stamp order: the 16 values of a 4x4 stamp
are contiguous (one 64-byte load and store). Integer formats compare as unsigned integers; Z24
with stencil keeps depth in the low 24 bits and stencil in the high 8."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipe_llvm.gallivm.any_tests import compare_any, stencil_any
from pydri.jit.types import f32, i32, u8, u16, u32
from pydri.pipe.format import Format
from pydri.pipe.state import ANY_FUNC, DepthStencilAlpha, StencilSide

if TYPE_CHECKING:
    from pipe_llvm.native import LpFragState
    from pydri.jit import Builder, Pointer, Value

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


def compare(func: int, x: Value, y: Value) -> Value:
    """x func y as a boolean (vector), func a GL enum."""
    if func == GL_NEVER:
        return x != x if f32x16 is not x.ty else (x < y) & (x > y)
    if func == GL_LESS:
        return x < y
    if func == GL_EQUAL:
        return x == y
    if func == GL_LEQUAL:
        return x <= y
    if func == GL_GREATER:
        return x > y
    if func == GL_NOTEQUAL:
        return x != y
    if func == GL_GEQUAL:
        return x >= y
    return x == x


def _passes(
    b: Builder, func: int, zs: ZsLayout, new: Value, old: Value, state: LpFragState
) -> Value:
    """The depth test of stored values. Below 2^31 numbers compare with a sign as without one, for
    which AVX2 has an instruction."""
    if not zs.is_float and zs.depth_bits != 32:
        new, old = b.bitcast(new, i32), b.bitcast(old, i32)
    if func == ANY_FUNC:
        return compare_any(b, state.plan.tests.depth, new, old)
    return compare(func, new, old)


def _max_depth(bits: int) -> float:
    return float((1 << bits) - 1)


def quantise_depth(b: Builder, fmt: Format, z: Value) -> Value:
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

    def __init__(self, b: Builder, fmt: Format, place: Pointer) -> None:
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

    def depth(self) -> Value:
        """The stored depth: an integer, or a float of float formats."""
        b = self.b
        if self.zs.is_float:
            return b.bitcast(self.raw, f32)
        if self.zs.depth_bits == 24:
            return self.raw & 0xFFFFFF
        return self.raw

    def stencil(self) -> Value:
        """The stored stencil values (u32x16)."""
        if self.fmt.bytes == 8:
            return self.raw_stencil & 0xFF
        if self.fmt.name == "S8_UINT":
            return self.raw
        return self.raw >> 24

    def store(self, depth: Value | None, stencil: Value | None) -> None:
        """Write the stamp back; None keeps what was loaded. One of them is new, and of a format
        that has only depth or only stencil that one."""
        b, fmt = self.b, self.fmt
        if fmt.bytes == 8:
            d = self.raw if depth is None else b.bitcast(depth, u32)
            s = self.raw_stencil if stencil is None else stencil
            order = [n // 2 + (16 if n & 1 else 0) for n in range(32)]
            self.place.store(b.shuffle(d, s, order), align=64)
            return
        if fmt.name == "S8_UINT":
            assert stencil is not None
            self.place.store(b.cast(stencil, u8), align=16)
            return
        if self.zs.has_stencil:
            low = self.raw & 0xFFFFFF if depth is None else depth
            high = self.raw & 0xFF000000 if stencil is None else stencil << 24
            out = low | high
        else:
            assert depth is not None
            out = b.bitcast(depth, u32) if self.zs.is_float else depth
        if fmt.bytes == 2:
            self.place.store(b.cast(out, u16), align=32)
        else:
            self.place.store(out, align=64)


def _stencil_op(b: Builder, op: int, old: Value, ref: Value) -> Value:
    if op == GL_ZERO:
        return b.const(u32x16, 0)
    if op == GL_REPLACE:
        return b.splat(ref & 0xFF, 16)
    if op == GL_INCR:
        return b.min(old + 1, 255)
    if op == GL_DECR:
        return b.select(old == 0, old, old - 1)
    if op == GL_INVERT:
        return old ^ 0xFF
    if op == GL_INCR_WRAP:
        return (old + 1) & 0xFF
    if op == GL_DECR_WRAP:
        return (old - 1) & 0xFF
    return old  # GL_KEEP


def _stencil_side(
    b: Builder,
    side: StencilSide,
    old: Value,
    state: LpFragState,
    face: int,
    z_pass: Value | None,
    covered: Value,
) -> tuple[Value, Value]:
    """New stencil values and the mask of pixels that pass the stencil test, for one face."""
    ref = state.stencil_ref[face]
    value_mask = state.stencil_valuemask[face]
    write_mask = state.stencil_writemask[face] & 0xFF
    wanted, there = b.splat(ref & value_mask & 0xFF, 16), old & (value_mask & 0xFF)
    if side.func == ANY_FUNC:
        any_side = state.plan.tests.back if face else state.plan.tests.front
        passed = compare_any(b, any_side.compare, b.bitcast(wanted, i32), b.bitcast(there, i32))
        ways = (any_side.fail, any_side.zfail, any_side.zpass)
        new, after_z, success = (stencil_any(b, way, old, ref) for way in ways)
    else:
        passed = compare(side.func, wanted, there)
        operations = (side.fail, side.zfail, side.zpass)
        new, after_z, success = (_stencil_op(b, op, old, ref) for op in operations)
    tested = success if z_pass is None else b.select(z_pass, success, after_z)
    new = b.select(passed, tested, new)
    keep = write_mask ^ 0xFF
    new = (new & write_mask) | (old & keep)
    return b.select(covered, new, old), passed


#: of pixels that fail: they fail, too, once others that pass have been written
_LASTING = (GL_NEVER, GL_LESS, GL_EQUAL, GL_LEQUAL, GL_GREATER, GL_GEQUAL)


def fails_for_good(dsa: DepthStencilAlpha, fmt: Format) -> bool:
    """Whether a pixel that fails the depth test now will fail it after more pixels of the draw, and
    leaves no trace."""
    tested = dsa.depth_func in _LASTING and layout_of(fmt).depth_bits > 0
    return tested and dsa.stencil_front is None


def may_pass(
    b: Builder, dsa: DepthStencilAlpha, fmt: Format, place: Pointer, z: Value, state: LpFragState
) -> Value:
    """The depth test of a stamp alone (`fails_for_good`): which pixels may pass it later on."""
    stamp = Stamp(b, fmt, place)
    return _passes(b, dsa.depth_func, stamp.zs, quantise_depth(b, fmt, z), stamp.depth(), state)


def test(
    b: Builder,
    dsa: DepthStencilAlpha,
    fmt: Format,
    place: Pointer,
    z: Value,
    covered: Value,
    state: LpFragState,
    front: Value,
) -> Value:
    """Emit the stencil and depth test of a stamp; returns the mask of pixels that survive.

    place: pointer to the stamp; z: f32x16 window depth; covered: boolean x16; state: pointer to
    LpFragState; front: boolean.
    """
    stamp = Stamp(b, fmt, place)
    zs = stamp.zs
    has_depth = bool(dsa.depth_func) and zs.depth_bits > 0
    depth = quantise_depth(b, fmt, z) if has_depth else None
    z_pass = None
    if depth is not None and dsa.depth_func != GL_ALWAYS:
        z_pass = _passes(b, dsa.depth_func, zs, depth, stamp.depth(), state)
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
    new_depth = None
    if depth is not None and dsa.depth_write and dsa.depth_func != GL_NEVER:
        if dsa.depth_func == ANY_FUNC:
            written = b.splat(state.plan.tests.write, 16)
            depth = (depth & written) | (stamp.depth() & ~written)
        new_depth = b.select(alive, depth, stamp.depth())
    if new_depth is not None or stencil is not None:
        stamp.store(new_depth, stencil)
    return alive
