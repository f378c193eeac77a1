# SPDX-License-Identifier: MIT
"""glDrawTexOES and its kin: rectangles of the window that show parts of textures
(OES_draw_texture).

In: a rectangle in window coordinates, the crop rectangles of the textures that units show. Out: a
draw of four vertices by the pipeline of a key block without what the extension does not know:
lighting, matrices, generated coordinates, clip planes. Corners are clip coordinates by a power of
two, so that window coordinates come out as they went in, and texels meet pixels one to one. The
peer: st_cb_drawtex.c, which knows no glDepthRange here, and culls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.enums import GL_INVALID_VALUE, GL_TEXTURE_2D, GL_TRIANGLE_FAN
from pydri.jit import f32, i32, kernel, ptr, u8, u16, u32, void
from pydri.main.framebuffers.complete_kernels import refuse_draw
from pydri.main.kernels import CTX, clamp01, error_if, flush_vertices, native_as
from pydri.main.layout import DIRTY_MODELVIEW, DIRTY_PROJECTION, DIRTY_VIEWPORT
from pydri.main.textures.layout import (
    MAX_TEXTURE_TARGETS,
    MAX_TEXTURE_UNITS,
    TARGET_INDEX_2D,
    UNIT_MATRIX,
    TexUnitKey,
)
from pydri.main.textures.tables import TARGETS
from pydri.nir.enums import VERT_ATTRIB_POS, VERT_ATTRIB_TEX0
from pydri.pipe.format import number
from pydri.pipe.native import MAX_ATTRIBS, PRIM_BEGIN, PRIM_END, DrawInfo, VertexBinding
from pydri.st.draw.derived import st_scissor, synchronise

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

V4 = f32.vec(4)
#: clip coordinates are window coordinates divided by it: beyond every framebuffer's sides
FAR = 32768.0
CORNERS = 4
#: of a corner: its position, and the coordinates of each unit
VALUES = 1 + MAX_TEXTURE_UNITS
FLOATS4 = number("R32G32B32A32_FLOAT")


def _whole_window(b: Builder, ctx: GLContext) -> None:
    """Vertices are window coordinates, of whatever lies in the window; nothing is culled."""
    raw, dyn, fb, val = ctx.raw, ctx.dyn, ctx.dyn.fb, ctx.val
    flip = fb.flip_y != 0
    near, far = (b.cast(raw.depth_range[n], f32) for n in range(2))
    zero, width = b.const(f32, 0.0), b.const(f32, FAR)
    height = b.cast(fb.height, f32)
    dyn.viewport_scale.store(b.vector([width, b.select(flip, -width, width), far - near, zero]))
    dyn.viewport_translate.store(b.vector([zero, b.select(flip, height, zero), near, zero]))
    dyn.cull, dyn.offset_flags = 0, 0
    for column in range(4):
        one = [1.0 if n == column else 0.0 for n in range(4)]
        (val.mvp + 4 * column).store(b.const(V4, one))
        (val.modelview + 4 * column).store(b.const(V4, 0.0))  # the distance of fog is 0
    kept = [raw.viewport[n] for n in range(4)]
    size = [zero, zero, b.cast(fb.width, f32), height]
    for n, value in enumerate(size):
        raw.viewport[n] = value
    b.call(st_scissor, ctx)
    for n, value in enumerate(kept):
        raw.viewport[n] = value


@kernel(void, (CTX, u32, ptr(f32)), noinline=True)
def st_crop(b: Builder, ctx: Any, unit: Value, corners: Pointer) -> None:
    """Coordinates of a unit at the four corners (lower left, lower right, upper right, upper left):
    the sides of its texture's crop rectangle."""
    texture = ctx.textures.bound[unit * MAX_TEXTURE_TARGETS + TARGET_INDEX_2D]
    params = texture.params
    image = texture.images + params.base_level
    sizes = [b.cast(size, f32) for size in (image.width, image.height)]
    low = [b.cast(params.crop[n], f32) / sizes[n] for n in range(2)]
    # the sum is that of whole numbers, which may be beyond those of 32 bits
    high = [
        (b.cast(params.crop[n], f32) + b.cast(params.crop[n + 2], f32)) / sizes[n]
        for n in range(2)
    ]
    zero, one = b.const(f32, 0.0), b.const(f32, 1.0)
    corner_of = ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))
    for n, (s, t) in enumerate(corner_of):
        place = corners + 4 * (VALUES * n) + b.cast(unit * 4 + 4, i32)
        place.store(b.vector([s, t, zero, one]), align=16)


def _units(b: Builder, ctx: Any, corners: Pointer, bindings: Any) -> None:
    """Units show textures by coordinates as they are given; those of other targets have the current
    ones."""
    key, flat = ctx.key, TARGETS.index(GL_TEXTURE_2D) + 1
    with b.For(b.const(u32, 0), MAX_TEXTURE_UNITS, 1) as unit:
        tex = key.tex + unit
        tex.flags = tex.flags & ~b.const(u8, UNIT_MATRIX)
        tex.texgen = b.const(u16, 0)
        with b.If(b.cast(tex.target, u32) == flat):
            b.call(st_crop, ctx, unit, corners)
            (key.attrib_format + VERT_ATTRIB_TEX0)[unit] = FLOATS4
            binding = bindings + (unit + VERT_ATTRIB_TEX0)
            binding.base = (corners + b.cast(unit * 4 + 4, i32)).cast(ptr(u8))
            binding.stride, binding.count = 16 * VALUES, CORNERS


@kernel(void, (CTX, ptr(f32)), noinline=True)
def st_draw_corners(b: Builder, ctx: GLContext, corners: Pointer) -> None:
    """Draw a rectangle whose positions are known; the key block is the program's behind it."""
    key = ctx.key
    size = TexUnitKey.size * MAX_TEXTURE_UNITS
    kept_units = b.array(u8, size, align=64)
    units = key.addr("tex").cast(ptr(u8))
    b.memcpy(kept_units, units, size)
    lighting, planes = key.light.lighting, key.clip_planes
    for at in (0, 16, 32):
        (key.attrib_format + at).store(b.const(u8.vec(16), 0))
    bindings = b.array(VertexBinding, MAX_ATTRIBS, align=64)
    b.memset(bindings.cast(ptr(u8)), 0, VertexBinding.size * MAX_ATTRIBS)
    key.attrib_format[VERT_ATTRIB_POS] = FLOATS4
    position = bindings + VERT_ATTRIB_POS
    position.base = corners.cast(ptr(u8))
    position.stride, position.count = 16 * VALUES, CORNERS
    key.light.lighting, key.clip_planes = 0, 0
    _units(b, ctx, corners, bindings)
    key.prim = 2
    ctx.key_dirty = 1
    _whole_window(b, ctx)
    info = b.array(DrawInfo, align=64)
    b.memset(info.cast(ptr(u8)), 0, DrawInfo.size)
    info.mode, info.count, info.attribs = GL_TRIANGLE_FAN, CORNERS, bindings
    info.bounds_known, info.max_index = 1, CORNERS - 1
    info.prim_flags, info.instances = PRIM_BEGIN | PRIM_END, 1
    b.call(ctx.draw, ctx, info)
    b.memcpy(units, kept_units, size)
    key.light.lighting, key.clip_planes = lighting, planes
    ctx.key_dirty = 1
    ctx.dirty = ctx.dirty | DIRTY_MODELVIEW | DIRTY_PROJECTION | DIRTY_VIEWPORT


def _draw_texture(b: Builder, ctx: GLContext, numbers: list[Any]) -> None:
    """Draw at (x, y, z) in a size."""
    x, y, z, width, height = (b.cast(value, f32) for value in numbers)
    error_if(b, ctx, ~((width > 0.0) & (height > 0.0)), GL_INVALID_VALUE)
    flush_vertices(b, ctx)
    refuse_draw(b, ctx)
    synchronise(b, ctx)
    corners = b.array(f32, CORNERS * VALUES * 4, align=64)
    one = b.const(f32, 1.0)
    places = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    for n, (left, low) in enumerate(places):
        position = [left * (1 / FAR), low * (1 / FAR), clamp01(b, z), one]
        (corners + 4 * VALUES * n).store(b.vector(position), align=16)
    b.call(st_draw_corners, ctx, corners)


def _make(letter: str) -> None:
    def scalars(b: Builder, ctx: GLContext, *numbers: Any) -> None:
        _draw_texture(b, ctx, list(numbers))

    def vector(b: Builder, ctx: GLContext, numbers: Pointer) -> None:
        _draw_texture(b, ctx, [numbers[n] for n in range(5)])

    native_as(f"glDrawTex{letter}OES", scalars)
    native_as(f"glDrawTex{letter}vOES", vector)


for _letter in "sif":
    _make(_letter)

__all__ = ["st_draw_corners"]
