# SPDX-License-Identifier: MIT
"""Depth, stencil and alpha tests that are chosen at run time: what kernels of ANY_FUNC do with a
plan's LpTests, to the last bit what kernels for one state do (gallivm/depth.py, alpha.py).

In: a DepthStencilAlpha, whose functions `describe` turns into masks. Out: the emitted comparison
and stencil operation. Floats are not compared so: their NaNs are neither less, equal nor
greater."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit.types import i32, u32

if TYPE_CHECKING:
    from pipe_llvm.native_any import LpCompare, LpStencilOp
    from pydri.jit import Builder, Value
    from pydri.pipe.state import DepthStencilAlpha, StencilSide

GL_ALWAYS = 0x207
_ALL, _BYTE = 0xFFFFFFFF, 0xFF
#: LpStencilOp by GL's operation: keep, flip, replace, add, wrap
_OPERATIONS = {
    0x1E00: (_BYTE, 0, 0, 0, _ALL),  # GL_KEEP
    0x0000: (0, 0, 0, 0, _ALL),  # GL_ZERO
    0x1E01: (0, 0, _BYTE, 0, _ALL),  # GL_REPLACE
    0x1E02: (_BYTE, 0, 0, 1, _ALL),  # GL_INCR
    0x1E03: (_BYTE, 0, 0, _ALL, _ALL),  # GL_DECR
    0x150A: (_BYTE, _BYTE, 0, 0, _ALL),  # GL_INVERT
    0x8507: (_BYTE, 0, 0, 1, _BYTE),  # GL_INCR_WRAP
    0x8508: (_BYTE, 0, 0, _ALL, _BYTE),  # GL_DECR_WRAP
}


def _describe_compare(func: int, into: Any) -> None:
    """GL's functions are bits: less 1, equal 2, greater 4."""
    for bit, name in enumerate(("less", "equal", "greater")):
        setattr(into, name, _ALL if func >> bit & 1 else 0)


def _describe_side(side: StencilSide, into: Any) -> None:
    _describe_compare(side.func, into.compare)
    for name in ("fail", "zfail", "zpass"):
        row, place = _OPERATIONS[getattr(side, name)], getattr(into, name)
        place.keep, place.flip, place.replace, place.add, place.wrap = row


def describe(dsa: DepthStencilAlpha, into: Any) -> None:
    """Fill an LpTests (`into`, a ctypes view). What is off passes."""
    _describe_compare(dsa.depth_func or GL_ALWAYS, into.depth)
    into.write = _ALL if dsa.depth_func and dsa.depth_write else 0
    _describe_compare(dsa.alpha_func or GL_ALWAYS, into.alpha)
    if dsa.stencil_front is not None:
        _describe_side(dsa.stencil_front, into.front)
        _describe_side(dsa.stencil_back or dsa.stencil_front, into.back)


def compare_any(b: Builder, how: LpCompare, x: Value, y: Value) -> Value:
    """Whether x compares with y so (vectors of whole numbers): a boolean vector."""
    less, equal, greater = (b.splat(v, 16) for v in (how.less, how.equal, how.greater))
    return b.select(x < y, less, b.select(x == y, equal, greater)) != 0


def stencil_any(b: Builder, op: LpStencilOp, old: Value, reference: Value) -> Value:
    """What becomes of stencil values (u32x16)."""
    flip = op.flip | (reference & op.replace)
    kept = (old & b.splat(op.keep, 16)) ^ b.splat(flip, 16)
    signed = b.bitcast((kept + b.splat(op.add, 16)) & b.splat(op.wrap, 16), i32)
    return b.bitcast(b.min(b.max(signed, 0), _BYTE), u32)


__all__ = ["compare_any", "describe", "stencil_any"]
