# SPDX-License-Identifier: MIT
"""glGet*i_v: what there are several of, one by one (EXT_draw_buffers2, ARB_draw_buffers_blend,
ARB_vertex_attrib_binding, ARB_uniform_buffer_object; of texture units EXT_direct_state_access).

In: an enum and a number. Out: values, converted as those of glGet*. ONE table, INDEXED. Mesa:
find_value_indexed of main/get.c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.api.where import In
from pydri.main.arrays.entries import GENERIC0, MAX_GENERIC
from pydri.main.buffers import tables as buffer_tables
from pydri.main.get.entries import values as values_of
from pydri.main.names.objects import name_at
from pydri.main.pointers import F32, F64, I32, I64, U8, store, to_int
from pydri.main.textures.layout import MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS
from pydri.main.textures.tables import BIND_QUERIES
from pydri.pipe.native import MAX_TARGETS

if TYPE_CHECKING:
    from pydri.main.context import GLContext


class Indexed(NamedTuple):
    """What a parameter's values are, and how many of it there are."""

    count: Callable[[GLContext], int]
    values: Callable[[GLContext, int], list[Any]]
    beyond: int = gl.GL_INVALID_VALUE  # the error of a number that is too large, as the peer's
    kind: str = "i"  # of Param; L: of 64 bits
    where: In | None = None


def _targets(ctx: GLContext) -> int:
    return min(int(ctx.n.limits.draw_buffers), MAX_TARGETS)


def _blend(field: str) -> Indexed:
    def values(ctx: GLContext, index: int) -> list[int]:
        key = ctx.n.key
        if index and key.blend_apart:
            return [getattr(key.other_blends[index - 1], field)]
        return [getattr(key, "blend_" + field)]

    return Indexed(_targets, values)


def _mask(ctx: GLContext, index: int) -> list[int]:
    return [ctx.n.key.color_mask >> 4 * index + k & 1 for k in range(4)]


def _binding(value: Callable[[Any], int], kind: str = "i") -> Indexed:
    def values(ctx: GLContext, index: int) -> list[int]:
        return [value(ctx.vao.buffers[GENERIC0 + index])]

    return Indexed(lambda _: MAX_GENERIC, values, kind=kind)


def _points(row: buffer_tables.Indexed, field: str) -> Indexed:
    """Of a numbered binding point of buffers."""

    def values(ctx: GLContext, index: int) -> list[int]:
        value = getattr(getattr(ctx.n.buffers, f"{row.name}_points")[index], field)
        return [name_at(value) if field == "buffer" else value]

    return Indexed(lambda ctx: int(getattr(ctx.n.limits, row.limit)), values, kind="L")


def _of_unit(pname: int, units: int, beyond: int = gl.GL_INVALID_ENUM) -> Indexed:
    """What glGet answers of the active unit, or of the client's."""

    def values(ctx: GLContext, index: int) -> list[Any]:
        raw, arrays = ctx.n.raw, ctx.n.arrays
        before = raw.active_texture, arrays.client_active_texture
        raw.active_texture = index
        arrays.client_active_texture = min(index, MAX_TEXTURE_UNITS - 1)
        try:
            return values_of(ctx, pname)[1]
        finally:
            raw.active_texture, arrays.client_active_texture = before

    return Indexed(lambda _: units, values, beyond)


_OF_COORDINATES = (
    *range(gl.GL_TEXTURE_GEN_S, gl.GL_TEXTURE_GEN_Q + 1), gl.GL_TEXTURE_COORD_ARRAY,
    gl.GL_TEXTURE_MATRIX, gl.GL_TRANSPOSE_TEXTURE_MATRIX,
)  # fmt: skip
_OF_IMAGES = (
    gl.GL_TEXTURE_1D, gl.GL_TEXTURE_2D, gl.GL_TEXTURE_3D, gl.GL_TEXTURE_RECTANGLE,
    gl.GL_TEXTURE_CUBE_MAP,
)  # fmt: skip

INDEXED: dict[int, Indexed] = {
    **{pname: _of_unit(pname, MAX_TEXTURE_UNITS) for pname in _OF_COORDINATES},
    **{pname: _of_unit(pname, MAX_IMAGE_UNITS) for pname in _OF_IMAGES},
    **{
        pname: _of_unit(pname, MAX_IMAGE_UNITS, gl.GL_INVALID_VALUE)
        for pname in (*BIND_QUERIES, gl.GL_SAMPLER_BINDING)
    },
    gl.GL_BLEND: Indexed(_targets, lambda ctx, n: [ctx.n.key.blend >> n & 1]),
    gl.GL_COLOR_WRITEMASK: Indexed(_targets, _mask),
    gl.GL_SAMPLE_MASK_VALUE: Indexed(
        lambda _: 1, lambda ctx, _: [ctx.n.raw.sample_mask_value]),
    gl.GL_BLEND_SRC: _blend("src_rgb"), gl.GL_BLEND_SRC_RGB: _blend("src_rgb"),
    gl.GL_BLEND_SRC_ALPHA: _blend("src_alpha"),
    gl.GL_BLEND_DST: _blend("dst_rgb"), gl.GL_BLEND_DST_RGB: _blend("dst_rgb"),
    gl.GL_BLEND_DST_ALPHA: _blend("dst_alpha"),
    gl.GL_BLEND_EQUATION_RGB: _blend("eq_rgb"), gl.GL_BLEND_EQUATION_ALPHA: _blend("eq_alpha"),
    gl.GL_VERTEX_BINDING_OFFSET: _binding(lambda buffer: buffer.offset, "L"),
    gl.GL_VERTEX_BINDING_STRIDE: _binding(lambda buffer: buffer.stride),
    gl.GL_VERTEX_BINDING_DIVISOR: _binding(lambda buffer: buffer.divisor),
    gl.GL_VERTEX_BINDING_BUFFER: _binding(lambda buffer: name_at(buffer.buffer))._replace(
        where=In(43, 43, 0, 31, ("ARB_vertex_attrib_binding",))  # the registry forgets it there
    ),
    **{
        pname: _points(row, field)
        for row in buffer_tables.INDEXED
        for pname, field in ((row.binding, "buffer"), (row.start, "offset"), (row.size, "size"))
    },
}  # fmt: skip


def _values(ctx: GLContext, target: int, index: int) -> tuple[str, list[Any]]:
    row = ctx.row(INDEXED, target)
    if row is None:
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    if index >= row.count(ctx):
        raise GLError(row.beyond, f"index={index}")
    return row.kind, row.values(ctx, index)


@entry
def glGetBooleani_v(ctx: GLContext, target: int, index: int, data: Any) -> None:
    store(data, U8, [int(v != 0) for v in _values(ctx, target, index)[1]])


@entry
def glGetIntegeri_v(ctx: GLContext, target: int, index: int, data: Any) -> None:
    kind, values = _values(ctx, target, index)
    store(data, I32, [to_int(kind, v) for v in values])


@entry
def glGetInteger64i_v(ctx: GLContext, target: int, index: int, data: Any) -> None:
    kind, values = _values(ctx, target, index)
    store(data, I64, [to_int(kind, v, 64) for v in values])


@entry
def glGetFloati_v(ctx: GLContext, target: int, index: int, data: Any) -> None:
    store(data, F32, _values(ctx, target, index)[1])


@entry
def glGetDoublei_v(ctx: GLContext, target: int, index: int, data: Any) -> None:
    store(data, F64, _values(ctx, target, index)[1])
