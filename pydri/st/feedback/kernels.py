# SPDX-License-Identifier: MIT
"""Drawing in feedback: the tokens of what of a draw lies within the view volume (GL 2.1, 5.3).

In: a DrawInfo while `key.render_mode` is GL_FEEDBACK's. Out: `feedback_value` of tokens and window
coordinates, colours and texture coordinates. Vertices are rows as in selection (select.py), with
colour and texture coordinates behind them, which cuts interpolate, too. What a program or light
makes of a vertex, polygons that are not filled, and attributes that are no floats go up to
pipeline.py, whose stages in Python these are. Mesa: st_cb_feedback.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import f32, f64, kernel, ptr, u32, void
from pydri.main.feedback.kernels import feedback_value
from pydri.main.kernels import CTX, clamp01, one_of
from pydri.main.matrix.kernels import stack_top
from pydri.main.matrix.tables import TEXTURE
from pydri.main.state.layout import VERTEX_FREE
from pydri.nir.enums import VERT_ATTRIB_COLOR0, VERT_ATTRIB_POS, VERT_ATTRIB_TEX0
from pydri.pipe.native import SHADER_VERTEX
from pydri.st.feedback import select
from pydri.st.feedback.select import FORMATS, INFO, ROW, V4

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.pipe.native import DrawInfo

COLOR = select.WIDTH
TEX = COLOR + 4
WIDTH = TEX + 4
_MOST = 32  # vertices of a GL_POLYGON; a larger one is Python's

_COLORED = (gl.GL_3D_COLOR, gl.GL_3D_COLOR_TEXTURE, gl.GL_4D_COLOR_TEXTURE)
_TEXTURED = _COLORED[1:]


# -- vertices -------------------------------------------------------------------------------------


def _attribute(b: Builder, ctx: GLContext, info: DrawInfo, n: Value, slot: int) -> Any:
    """An attribute of the n-th vertex of a draw; a constant one is the current value."""
    value = b.var(V4, (ctx.val.current.cast(ptr(f32)) + 4 * slot).load(V4, align=4))
    with b.If(ctx.key.attrib_format[slot] != 0):
        value.value = select.fetched(b, ctx, info, select.vertex_number(b, info, n), slot)
    return value.value


@kernel(u32, (CTX, INFO, u32, ROW), noinline=True)
def feedback_vertex(b: Builder, ctx: GLContext, info: DrawInfo, n: Value, row: Pointer) -> None:
    """The row of the n-th vertex of a draw. Returns a bit for each plane that it is outside of."""
    outside = b.call(select.select_vertex, ctx, info, n, row)
    with b.If(one_of(b, ctx.feedback.type, list(_COLORED))):
        color = _attribute(b, ctx, info, n, VERT_ATTRIB_COLOR0)
        free = (ctx.raw.clamp_vertex == gl.GL_FALSE) | ((ctx.key.clamping & VERTEX_FREE) != 0)
        color = b.cast(b.select(free, color, clamp01(b, color)), f64)
        given = _attribute(b, ctx, info, n, VERT_ATTRIB_TEX0)
        tex = b.cast(select.transformed(b, stack_top(b, ctx, TEXTURE), given), f64)
        for k in range(4):
            row[COLOR + k] = color[k]
            row[TEX + k] = tex[k]
    with b.Else(), b.For(b.const(u32, COLOR), WIDTH, 1) as at:
        row[at] = 0.0
    return outside


@kernel(void, (CTX, ROW, u32, u32), noinline=True)
def feedback_flat(b: Builder, ctx: GLContext, rows: Pointer, count: Value,
                  provoking: Value) -> None:  # fmt: skip
    """One colour for all rows of a primitive while shading is flat."""
    with b.If(ctx.key.shade_model != gl.GL_FLAT):
        b.Return()
    with b.For(b.const(u32, 0), count, 1) as i:
        with b.If(i != provoking):
            row = rows + i * WIDTH + COLOR
            b.memcpy(row, rows + provoking * WIDTH + COLOR, 4 * 8)


# -- tokens ---------------------------------------------------------------------------------------


@kernel(void, (CTX, ROW), noinline=True)
def feedback_row(b: Builder, ctx: GLContext, row: Pointer) -> None:
    """The numbers of a vertex that is inside."""
    raw, type_ = ctx.raw, ctx.feedback.type
    w = select.divisor(b, row)
    up = b.select(raw.clip_origin == gl.GL_UPPER_LEFT, b.const(f64, -1.0), 1.0)
    x, y, width, height = (b.cast(raw.viewport[k], f64) for k in range(4))

    def put(value: Value) -> None:
        b.call(feedback_value, ctx, b.cast(value, f32))

    put((row[0] / w + 1.0) * width / 2.0 + x)
    put((row[1] / w * up + 1.0) * height / 2.0 + y)
    with b.If(type_ != gl.GL_2D):
        put(select.window_depth(b, ctx, row))
    with b.If(type_ == gl.GL_4D_COLOR_TEXTURE):
        put(row[3])
    with b.If(one_of(b, type_, list(_COLORED))):
        for k in range(4):
            put(row[COLOR + k])
    with b.If(one_of(b, type_, list(_TEXTURED))):
        for k in range(4):
            put(row[TEX + k])


def _token(b: Builder, ctx: GLContext, *numbers: Any) -> None:
    for number in numbers:
        b.call(feedback_value, ctx, float(number) if isinstance(number, int) else number)


@kernel(void, (CTX, ROW, u32, u32, u32), noinline=True)
def feedback_line(b: Builder, ctx: GLContext, rows: Pointer, a_out: Value, c_out: Value,
                  reset: Value) -> None:  # fmt: skip
    """A line between two rows; bits are planes that the ends are outside of."""
    ends = select.clipped_line(b, rows, a_out, c_out, WIDTH)
    again = b.const(f32, float(gl.GL_LINE_TOKEN))
    _token(b, ctx, b.select(reset != 0, b.const(f32, float(gl.GL_LINE_RESET_TOKEN)), again))
    for row in ends:
        b.call(feedback_row, ctx, row)


@kernel(void, (CTX, ROW, u32, u32, u32), noinline=True)
def feedback_polygon(b: Builder, ctx: GLContext, rows: Pointer, count: Value, every: Value,
                     some: Value) -> None:  # fmt: skip
    """A convex polygon of up to _MOST rows."""
    v, n = select.clipped_polygon(b, ctx, rows, count, every, some, WIDTH, _MOST)
    _token(b, ctx, gl.GL_POLYGON_TOKEN, b.cast(n, f32))
    with b.For(b.const(u32, 0), n, 1) as i:
        b.call(feedback_row, ctx, v + i * WIDTH)


@kernel(void, (CTX, INFO, ROW), noinline=True)
def feedback_whole(b: Builder, ctx: GLContext, info: DrawInfo, rows: Pointer) -> None:
    """A GL_POLYGON; its first vertex provokes."""
    every, some = b.var(u32, 0xFFFFFFFF), b.var(u32, 0)
    with b.For(b.const(u32, 0), info.count, 1) as i:
        bits = b.call(feedback_vertex, ctx, info, i, rows + i * WIDTH)
        every.value, some.value = every.value & bits, some.value | bits
    b.call(feedback_flat, ctx, rows, info.count, 0)
    b.call(feedback_polygon, ctx, rows, info.count, every.value, some.value)


# -- draws ----------------------------------------------------------------------------------------


def _known(b: Builder, ctx: GLContext, info: DrawInfo) -> Value:
    """Whether the kernels can make the vertices and primitives of a draw."""
    key, mode, type_ = ctx.key, info.mode, ctx.feedback.type

    def floats(slot: int, *others: int) -> Any:
        return one_of(b, key.attrib_format[slot], [*FORMATS, *others])

    filled = (key.polygon_front == gl.GL_FILL) & (key.polygon_back == gl.GL_FILL)
    known = floats(VERT_ATTRIB_POS) & (key.stages[SHADER_VERTEX] == 0)
    known = known & ((mode < gl.GL_TRIANGLES) | filled)
    known = known & ((mode != gl.GL_POLYGON) | (info.count <= _MOST))
    last = key.provoking == gl.GL_LAST_VERTEX_CONVENTION
    plain = (key.light.lighting == 0) & (last | (key.shade_model != gl.GL_FLAT))
    plain = plain & (ctx.raw.texgen_enabled[0] == 0)
    colored = plain & floats(VERT_ATTRIB_COLOR0, 0) & floats(VERT_ATTRIB_TEX0, 0)
    return known & (~one_of(b, type_, list(_COLORED)) | colored)


@kernel(u32, (CTX, INFO), noinline=True)
def st_feedback(b: Builder, ctx: GLContext, info: DrawInfo) -> Value:
    """A draw in feedback. 0: Python has to do it."""
    with b.If(~_known(b, ctx, info)):
        b.Return(0)
    rows = b.array(f64, _MOST * WIDTH)

    def fetch(*numbers: Any) -> list[Any]:
        return [
            b.call(feedback_vertex, ctx, info, n, rows + k * WIDTH) for k, n in enumerate(numbers)
        ]

    def point(n: Any) -> None:
        with b.If(fetch(n)[0] == 0):
            _token(b, ctx, gl.GL_POINT_TOKEN)
            b.call(feedback_row, ctx, rows)

    def line(first: Value, second: Value, reset: Value) -> None:
        bits = fetch(first, second)
        b.call(feedback_flat, ctx, rows, 2, 1)
        b.call(feedback_line, ctx, rows, *bits, reset)

    def polygon(*numbers: Any, provoking: int) -> None:
        bits = select.together(fetch(*numbers))
        b.call(feedback_flat, ctx, rows, len(numbers), provoking)
        b.call(feedback_polygon, ctx, rows, len(numbers), *bits)

    select.assembled(b, info, point, line, polygon)
    with b.If((info.mode == gl.GL_POLYGON) & (info.count > 2)):
        b.call(feedback_whole, ctx, info, rows)
    return b.const(u32, 1)


__all__ = ["st_feedback"]
