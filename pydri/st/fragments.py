# SPDX-License-Identifier: MIT
"""Fragments of pixel rectangles, drawn as points of one pixel: the way of glBitmap, glDrawPixels
and glCopyPixels into the framebuffer (GL 2.1, 3.6.4, 3.7).

In: window positions, depths and colours (none: the current raster colour). Out: one draw of
GL_POINTS through the context's own draw call, so that fog, colour sum and all of chapter 4
(scissor, alpha, stencil, depth, blending, logic op, masks) are the driver's, as ever. A
point has exactly one fragment, so no zoom factor, shape or gap needs a case of its own; it costs a
vertex a pixel where a textured quad would cost a texel. For the time of the draw, state that
belongs to vertices is replaced (matrices, lighting, clip planes, viewport), then put back; the key
block comes back as it was, so plans are found again. numpy is imported on first use.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.main import memory
from pydri.main.layout import (
    DIRTY_STENCIL,
    DIRTY_VIEWPORT,
    GLContext,
    KeyBlock,
    RawState,
    ValueBlock,
)
from pydri.pipe.format import number
from pydri.pipe.native import MAX_ATTRIBS, DrawInfo, VertexBinding

if TYPE_CHECKING:
    import numpy as np

    Arr = np.ndarray[Any, Any]

POSITION, COLOR0, COLOR1, FOG = 0, 2, 3, 4
STRIDE = 32  # bytes a vertex: position, then colour
BATCH = 1 << 16
_DRAW = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)
#: blocks of the context that are changed for the draw and put back
_KEPT = tuple(
    (GLContext.offset(name), block.size)
    for name, block in (("key", KeyBlock), ("val", ValueBlock), ("raw", RawState))
)
Change = Callable[[Any], None]


def visible(n: Any, x: Arr, y: Arr) -> Arr:
    """Which window positions lie in the framebuffer and the scissor box."""
    fb, raw = n.dyn.fb, n.raw
    inside = (x >= 0) & (x < fb.width) & (y >= 0) & (y < fb.height)
    if raw.scissor_enabled:
        left, bottom, width, height = raw.scissor
        inside &= (x >= left) & (x < left + width) & (y >= bottom) & (y < bottom + height)
    return inside


def draw_fragments(
    ctx: Any, x: Arr, y: Arr, z: Arr | float, colors: Arr | None = None,
    change: Change | None = None,
) -> None:
    """Draw a fragment at each position; `change` may alter the native context's state further."""
    import numpy as np

    inside = visible(ctx.n, x, y)
    count = int(np.count_nonzero(inside))
    if not count:
        return
    vertices = np.zeros((count, STRIDE // 4), np.float32)
    vertices[:, 0] = x[inside] + 0.5
    vertices[:, 1] = y[inside] + 0.5
    vertices[:, 2] = z[inside] if isinstance(z, np.ndarray) else z
    if colors is not None:
        vertices[:, 4:] = colors[inside]
    address, n = ctx.address, ctx.n
    ctx.call("st_refresh")  # what is put back below must be up to date
    kept = [ctypes.string_at(address + offset, size) for offset, size in _KEPT]
    try:
        _window_state(n, colors is not None)
        if change is not None:
            change(n)
        n.dirty |= DIRTY_VIEWPORT | DIRTY_STENCIL
        n.key_dirty = 1
        ctx.call("st_refresh")
        fb = n.dyn.fb
        n.val.mvp[:] = (
            2.0 / fb.width, 0, 0, 0, 0, 2.0 / fb.height, 0, 0, 0, 0, 1, 0, -1, -1, 0, 1
        )  # fmt: skip
        _draw_points(n, address, vertices)
    finally:
        for (offset, size), data in zip(_KEPT, kept, strict=True):
            ctypes.memmove(address + offset, data, size)
        n.dirty |= DIRTY_VIEWPORT | DIRTY_STENCIL
        n.key_dirty = 1


def _window_state(n: Any, colored: bool) -> None:
    """Vertices are in window coordinates; what fragments inherit is the raster position's."""
    key, val, raw, fb = n.key, n.val, n.raw, n.dyn.fb
    lit = key.light
    key.color_sum = int(key.color_sum or (lit.lighting and lit.separate_specular))
    lit.lighting = 0
    key.clip_planes = key.point_smooth = key.point_attenuated = key.depth_clamp = 0
    key.fog_coord_src = gl.GL_FOG_COORDINATE
    for slot in range(MAX_ATTRIBS):
        key.attrib_format[slot] = 0
    key.attrib_format[POSITION] = number("R32G32B32_FLOAT")
    if colored:
        key.attrib_format[COLOR0] = number("R32G32B32A32_FLOAT")
    val.current[COLOR0][:] = list(raw.raster_color)
    val.current[COLOR1][:] = list(raw.raster_secondary_color)
    val.current[FOG][0] = raw.raster_distance
    val.point_size = val.point_size_min = val.point_size_max = 1.0
    raw.viewport[:] = (0.0, 0.0, fb.width, fb.height)
    raw.depth_range[:] = (-1.0, 1.0)  # a scale of 1: the depth that is given is the depth


def _draw_points(n: Any, address: int, vertices: Arr) -> None:
    block = memory.allocate(DrawInfo.size + MAX_ATTRIBS * VertexBinding.size)
    try:
        bindings = block + DrawInfo.size
        info: Any = DrawInfo.view(block)
        info.mode, info.attribs, info.prim_flags = gl.GL_POINTS, bindings, 3
        draw = _DRAW(n.draw)
        for first in range(0, len(vertices), BATCH):
            part = vertices[first : first + BATCH]
            for slot, offset in ((POSITION, 0), (COLOR0, 16)):
                binding: Any = VertexBinding.view(bindings + slot * VertexBinding.size)
                binding.base = part.ctypes.data + offset
                binding.stride, binding.count = STRIDE, 0
            info.count = len(part)
            draw(address, block)
    finally:
        memory.free(block)


__all__ = ["Change", "draw_fragments", "visible"]
