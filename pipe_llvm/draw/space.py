# SPDX-License-Identifier: MIT
"""Clip space to surface space, and clip planes: formulas that vertex shaders and clipping share.

Both must compute the same bits: a vertex that clipping makes lies where the vertex shader would
have put it. x and y are clipped at the guard band of setup, not at the viewport (pixels outside of
the viewport are cut off by the scissor that the state tracker narrows); so hardly any triangle is
clipped there. Works on scalars and on vectors. Counterpart of Mesa's draw_llvm.c
(generate_clipmask).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.native import (
    CLIP_BOTTOM,
    CLIP_FAR,
    CLIP_LEFT,
    CLIP_NEAR,
    CLIP_RIGHT,
    CLIP_TOP,
    GUARD_BAND,
)
from pydri.jit.types import f32

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.pipe.native import PipeDynamic


def clamp_offset(b: Builder, dyn: PipeDynamic, shift: Value) -> Value:
    """Polygon offset within the clamp (ARB_polygon_offset_clamp): 0, or no number, is none."""
    limit = dyn.offset_clamp
    high = b.select(limit > 0.0, limit, b.const(f32, float("inf")))
    low = b.select(limit < 0.0, limit, b.const(f32, float("-inf")))
    return b.min(b.max(shift, low), high)


class View:
    """The viewport of a PipeDynamic, loaded once before a loop."""

    def __init__(self, b: Builder, dyn: PipeDynamic) -> None:
        scale, move = dyn.addr("viewport_scale"), dyn.addr("viewport_translate")
        self.b = b
        self.scale = [(scale + n).load(f32, invariant=True) for n in range(3)]
        self.move = [(move + n).load(f32, invariant=True) for n in range(3)]
        self.near = (scale + 3).load(f32, invariant=True)
        self.low = [t + GUARD_BAND for t in self.move[:2]]
        self.high = [GUARD_BAND - t for t in self.move[:2]]

    def distances(self, pos: list[Any], depth: bool) -> list[tuple[int, Any]]:
        """(flag bit, signed distance) of each frustum plane; inside is >= 0."""
        x, y, z, w = pos
        out = []
        for n, (c, low, high) in enumerate(
            ((x, CLIP_LEFT, CLIP_RIGHT), (y, CLIP_BOTTOM, CLIP_TOP))
        ):
            across = c * self.scale[n]
            out.append((low, across + w * self.low[n]))
            out.append((high, w * self.high[n] - across))
        if depth:
            out.append((CLIP_NEAR, z + w * self.near))
            out.append((CLIP_FAR, w - z))
        return out

    def project(self, pos: list[Any]) -> list[Any]:
        """Surface x, y, depth and 1/w of a clip position."""
        recip = 1.0 / pos[3]
        return [*(pos[n] * recip * self.scale[n] + self.move[n] for n in range(3)), recip]
