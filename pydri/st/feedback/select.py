# SPDX-License-Identifier: MIT
"""Drawing in selection: what of a draw lies within the view volume, and how deep (GL 2.1, 5.2).

In: a DrawInfo while `key.render_mode` is GL_SELECT's. Out: `select_hit` of the window depths of
vertices of the clipped primitives. Positions alone matter: they are transformed by the
fixed-function matrices, primitives are clipped at the view volume and the user's planes, polygons
that face the wrong way are left out. Polygons that are not filled, and positions that are no
floats, go up to pipeline.py, whose stages in Python these are. Mesa: st_cb_feedback.c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import f32, f64, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.main.feedback.kernels import select_hit
from pydri.main.kernels import CTX, one_of
from pydri.main.matrix.layout import MAX_CLIP_PLANES
from pydri.nir.enums import VERT_ATTRIB_POS
from pydri.pipe.format import number
from pydri.pipe.native import PRIM_BEGIN, SHADER_VERTEX, DrawInfo

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

V4 = f32.vec(4)
INFO, ROW = ptr(DrawInfo), ptr(f64)
#: positions of floats: components
FORMATS = {
    number("R32G32_FLOAT"): 2,
    number("R32G32B32_FLOAT"): 3,
    number("R32G32B32A32_FLOAT"): 4,
}

#: a vertex is a row of doubles: its position in clip space, and how far inside of each plane it is
#: (left, right, bottom, top, near, far, the user's): all are linear, so cuts interpolate them alike
PLANES = 6 + MAX_CLIP_PLANES
NEAR = 4
WIDTH = 4 + PLANES


def transformed(b: Builder, matrix: Pointer, x: Value) -> Any:
    """A column-major matrix times four floats."""
    out = matrix.load(V4) * b.splat(x[0], 4)
    for k in range(1, 4):
        out = out + (matrix + 4 * k).load(V4) * b.splat(x[k], 4)
    return out


def vertex_number(b: Builder, info: DrawInfo, n: Value) -> Value:
    """Which vertex the n-th of a draw is."""
    at = b.var(i64, b.cast(info.start + n, i64))
    for size, ty in ((1, u8), (2, u16), (4, u32)):
        with b.If(info.index_size == size):
            index = info.indices.cast(ptr(ty))[b.cast(info.start + n, u64)]
            at.value = b.cast(index, i64) + b.cast(info.index_bias, i64)
    return at.value


def fetched(b: Builder, ctx: GLContext, info: DrawInfo, number: Value, slot: int) -> Value:
    """An attribute of a vertex, one of FORMATS."""
    binding = info.attribs + slot
    limit = b.cast(binding.count, i64)
    at = b.select(limit != 0, b.max(b.min(number, limit - 1), 0), number)
    place = b.bytes_from(binding.base, at * b.cast(binding.stride, i64), f32)
    given = b.var(V4, b.const(V4, [0.0, 0.0, 0.0, 1.0]))
    for format_, size in FORMATS.items():
        with b.If(ctx.key.attrib_format[slot] == format_):
            rest = [b.const(f32, 0.0), b.const(f32, 1.0)][size - 2 :]
            given.value = b.vector([place[k] for k in range(size)] + rest[: 4 - size])
    return given.value


@kernel(u32, (CTX, INFO, u32, ROW), noinline=True)
def select_vertex(b: Any, ctx: GLContext, info: DrawInfo, n: Value, row: Pointer) -> None:
    """The row of the n-th vertex of a draw. Returns a bit for each plane that it is outside of."""
    given = fetched(b, ctx, info, vertex_number(b, info, n), VERT_ATTRIB_POS)
    clip = b.cast(transformed(b, ctx.val.mvp, given), f64)
    for k in range(4):
        row[k] = clip[k]
    outside = b.var(u32, 0)
    for axis in range(3):
        for side, sign in enumerate((1.0, -1.0)):
            plane = 2 * axis + side
            near = _near_plane(b, ctx) if plane == NEAR else 1.0
            distance = clip[3] * near + clip[axis] * sign
            row[4 + plane] = distance
            off = (ctx.key.depth_clamp != 0) if axis == 2 else None
            out = ~(distance >= 0.0)
            bit = b.select(out if off is None else out & ~off, b.const(u32, 1 << plane), 0)
            outside.value = outside.value | bit
    planes = b.cast(ctx.key.clip_planes, u32)
    with b.If(planes != 0, likely=False):
        eye = transformed(b, ctx.val.modelview, given)
        with b.For(b.const(u32, 0), MAX_CLIP_PLANES, 1) as k:
            product = (ctx.val.clip_planes.cast(ptr(f32)) + k * 4).load(V4) * eye
            total = product[0] + product[1] + product[2] + product[3]
            row[k + 10] = b.cast(total, f64)
            on = ((planes >> k) & 1) != 0
            bit = b.select(on & ~(total >= 0.0), b.const(u32, 1), 0)
            outside.value = outside.value | bit << (k + 6)
    return outside.value


def _near_plane(b: Builder, ctx: GLContext) -> Any:
    """z there, as a multiple of -w (ARB_clip_control)."""
    whole = ctx.raw.clip_depth_mode == gl.GL_ZERO_TO_ONE
    return b.select(whole, b.const(f64, 0.0), 1.0)


def divisor(b: Builder, row: Value) -> Any:
    """w, and 1 where it is 0."""
    w = row[3]
    return b.select(w == 0.0, b.const(f64, 1.0), w)


def window_depth(b: Builder, ctx: GLContext, row: Value) -> Any:
    """A row's depth in the window."""
    near, far = ctx.raw.depth_range[0], ctx.raw.depth_range[1]
    plane = _near_plane(b, ctx)
    scale = (far - near) / (plane + 1.0)
    z = scale * (row[2] / divisor(b, row)) + near + scale * plane
    return b.min(b.max(z, b.min(near, far)), b.max(near, far))


@kernel(void, (CTX, ROW), noinline=True)
def select_point(b: Builder, ctx: GLContext, row: Pointer) -> None:
    """A vertex that is inside."""
    b.call(select_hit, ctx, window_depth(b, ctx, row))


def _cut(b: Builder, to: Any, inside: Any, outside: Any, plane: Operand, width: int) -> None:
    """Where an edge meets a plane."""
    near, far = inside[plane + 4], outside[plane + 4]
    t = near / (near - far)
    with b.For(b.const(u32, 0), width, 1) as k:
        x = inside[k]
        to[k] = x + (outside[k] - x) * t


def clipped_line(b: Builder, rows: Pointer, a_out: Value, c_out: Value,
                 width: int) -> tuple[Any, Any]:  # fmt: skip
    """The rows of the part of a line that is inside; returns from the kernel if there is none.
    Each plane moves an end that is outside of it; bits are planes.
    """
    with b.If((a_out & c_out) != 0):
        b.Return()
    a, c = rows, rows + width
    end = b.array(f64, width)
    left = b.var(u32, a_out | c_out)
    with b.While(lambda: left.value != 0):
        plane = b.cast(b.ctz(left.value), u32)
        left.value = left.value & (left.value - 1)
        a_in, c_in = a[plane + 4] >= 0.0, c[plane + 4] >= 0.0
        with b.If(~(a_in | c_in)):
            b.Return()
        with b.If(~a_in):
            _cut(b, end, c, a, plane, width)
            b.memcpy(a, end, width * 8)
        with b.Elif(lambda: ~c_in):
            _cut(b, end, a, c, plane, width)
            b.memcpy(c, end, width * 8)
    return a, c


@kernel(void, (CTX, ROW, u32, u32), noinline=True)
def select_line(b: Builder, ctx: GLContext, rows: Pointer, a_out: Value, c_out: Value) -> None:
    """A line between two rows; bits are planes that the ends are outside of."""
    for row in clipped_line(b, rows, a_out, c_out, WIDTH):
        b.call(select_point, ctx, row)


@kernel(u32, (CTX, ROW, u32, u32), noinline=True)
def select_culled(b: Builder, ctx: GLContext, rows: Pointer, count: Value, width: Value) -> Value:
    """Whether a polygon faces the side that is culled; one without area faces away. Which way y
    grows on the screen (ARB_clip_control) makes no other side of it the front.
    """
    raw = ctx.raw
    area = b.var(f64, 0.0)

    def place(n: Value) -> tuple[Any, Any]:
        row = rows + n * width
        w = divisor(b, row)
        return (
            row[0] / w * b.cast(raw.viewport[2], f64),
            row[1] / w * b.cast(raw.viewport[3], f64),
        )

    with b.For(b.const(u32, 0), count, 1) as n:
        x0, y0 = place(n)
        x1, y1 = place(b.select(n + 1 == count, b.const(u32, 0), n + 1))
        area.value = area.value + (x0 * y1 - x1 * y0)
    back = (area.value > 0.0) ^ (raw.front_face == gl.GL_CCW)
    mode = raw.cull_face_mode
    culled = (mode == gl.GL_FRONT_AND_BACK) | (
        b.select(back, b.const(u32, gl.GL_BACK), gl.GL_FRONT) == mode
    )
    return b.cast(culled, u32)


def clipped_polygon(b: Builder, ctx: GLContext, rows: Operand, count: Operand, every: Value,
                    some: Operand, width: int, most: int) -> tuple[Any, Any]:  # fmt: skip
    """The rows of what is inside of a convex polygon of at most `most` rows, and their number;
    returns from the kernel if nothing is or if it is culled. Bits of planes that `every` or `some`
    vertex is outside of.
    """
    with b.If(every != 0):
        b.Return()
    corners = most + PLANES + 2  # every plane cut it
    first, second = b.array(f64, width * corners), b.array(f64, width * corners)
    v, out = b.var(ROW, rows), b.var(ROW, first)
    n = b.var(u32, count)
    left = b.var(u32, some)
    with b.While(lambda: left.value != 0):
        plane = b.cast(b.ctz(left.value), u32)
        left.value = left.value & (left.value - 1)
        kept = b.var(u32, 0)
        with b.For(b.const(u32, 0), n.value, 1) as i:
            here = v.value + i * width
            there = v.value + b.select(i + 1 == n.value, b.const(u32, 0), i + 1) * width
            here_in, there_in = here[plane + 4] >= 0.0, there[plane + 4] >= 0.0
            with b.If(here_in):
                b.memcpy(out.value + kept.value * width, here, width * 8)
                kept.value = kept.value + 1
            # a corner on the plane is where the edge that comes in meets it: once is enough
            comes = there_in & ~here_in & (there[plane + 4] > 0.0)
            with b.If((here_in & ~there_in) | comes):
                to = out.value + kept.value * width
                with b.If(here_in):
                    _cut(b, to, here, there, plane, width)
                with b.Else():
                    _cut(b, to, there, here, plane, width)
                kept.value = b.min(kept.value + 1, corners - 2)
        with b.If(kept.value < 3):
            b.Return()
        n.value = kept.value
        again = b.ptr_to_int(out.value) == b.ptr_to_int(first)
        v.value = out.value
        out.value = b.int_to_ptr(b.select(again, b.ptr_to_int(second), b.ptr_to_int(first)), f64)
    with b.If(ctx.raw.cull_enabled != 0):
        with b.If(b.call(select_culled, ctx, v.value, n.value, width) != 0):
            b.Return()
    return v.value, n.value


@kernel(void, (CTX, ROW, u32, u32, u32), noinline=True)
def select_polygon(b: Builder, ctx: GLContext, rows: Pointer, count: Value, every: Value,
                   some: Value) -> None:  # fmt: skip
    """A convex polygon of three or four rows."""
    v, n = clipped_polygon(b, ctx, rows, count, every, some, WIDTH, 4)
    with b.For(b.const(u32, 0), n, 1) as i:
        b.call(select_point, ctx, v + i * WIDTH)


# -- primitives -----------------------------------------------------------------------------------


def together(bits: list[Any]) -> tuple[Any, Any]:
    """The planes that every, and that some vertex is outside of."""
    every = some = bits[0]
    for more in bits[1:]:
        every, some = every & more, some | more
    return every, some


def each(b: Builder, count: Value, behind: int, step: int, emit: Callable[[Any], None]) -> None:
    """emit(i) for i from 0 to count - behind."""
    with b.If(count >= behind), b.For(b.const(u32, 0), count - (behind - 1), step) as i:
        emit(i)


def assembled(
    b: Builder, info: DrawInfo, point: Callable[[Any], None], line: Callable[[Any, Any, Any], None],
    polygon: Callable[..., None],
) -> None:  # fmt: skip
    """The primitives of a draw, but for GL_POLYGON: by the numbers of their vertices. Lines hear
    whether the stipple begins anew, polygons which of the vertices provokes (the last convention:
    GL 2.1, 2.14.7).
    """
    mode, count = info.mode, info.count
    anew, goes_on = b.const(u32, 1), b.const(u32, 0)

    def piece(i: Value, first: int = 0) -> None:
        begins = (b.cast(info.prim_flags, u32) & PRIM_BEGIN) != 0
        line(i + first, i + (first + 1), b.select(begins & (i == 0), anew, goes_on))

    with b.Switch(mode) as s:
        with s.Case(gl.GL_POINTS), b.For(b.const(u32, 0), count, 1) as i:
            point(i)
        with s.Case(gl.GL_LINES):
            each(b, count, 2, 2, lambda i: line(i, i + 1, anew))
        with s.Case(gl.GL_LINE_STRIP):
            each(b, count, 2, 1, piece)
        with s.Case(gl.GL_LINE_LOOP):
            each(b, count, 2, 1, piece)
            with b.If(count > 1):
                line(count - 1, b.const(u32, 0), goes_on)
        with s.Case(gl.GL_LINES_ADJACENCY):
            each(b, count, 4, 4, lambda i: line(i + 1, i + 2, anew))
        with s.Case(gl.GL_LINE_STRIP_ADJACENCY):
            each(b, count, 4, 1, lambda i: piece(i, 1))
        with s.Case(gl.GL_TRIANGLES_ADJACENCY):
            each(b, count, 6, 6, lambda i: polygon(i, i + 2, i + 4, provoking=2))
        with s.Case(gl.GL_TRIANGLE_STRIP_ADJACENCY):
            each(b, count, 6, 2, lambda i: polygon(
                i + (i & 2), i + 2 - (i & 2), i + 4, provoking=2))  # fmt: skip
        with s.Case(gl.GL_TRIANGLES):
            each(b, count, 3, 3, lambda i: polygon(i, i + 1, i + 2, provoking=2))
        with s.Case(gl.GL_TRIANGLE_STRIP):
            each(b, count, 3, 1, lambda i: polygon(
                i + (i & 1), i + 1 - (i & 1), i + 2, provoking=2))  # fmt: skip
        with s.Case(gl.GL_TRIANGLE_FAN):
            each(b, count, 3, 1, lambda i: polygon(
                b.const(u32, 0), i + 1, i + 2, provoking=2))  # fmt: skip
        with s.Case(gl.GL_QUADS):
            each(b, count, 4, 4, lambda i: polygon(i, i + 1, i + 2, i + 3, provoking=3))
        with s.Case(gl.GL_QUAD_STRIP):
            each(b, count, 4, 2, lambda i: polygon(i, i + 1, i + 3, i + 2, provoking=2))


@kernel(u32, (CTX, INFO), noinline=True)
def st_select(b: Builder, ctx: GLContext, info: DrawInfo) -> Value:
    """A draw in selection. 0: Python has to do it."""
    key = ctx.key
    known = one_of(b, key.attrib_format[VERT_ATTRIB_POS], list(FORMATS))
    filled = (key.polygon_front == gl.GL_FILL) & (key.polygon_back == gl.GL_FILL)
    mode, count = info.mode, info.count
    with b.If(~known | (key.stages[SHADER_VERTEX] != 0) | ((mode >= gl.GL_TRIANGLES) & ~filled)):
        b.Return(0)
    rows = b.array(f64, 4 * WIDTH)

    def fetch(*numbers: Any) -> list[Any]:
        return [
            b.call(select_vertex, ctx, info, n, rows + k * WIDTH) for k, n in enumerate(numbers)
        ]

    def point(n: Any) -> None:
        with b.If(fetch(n)[0] == 0):
            b.call(select_point, ctx, rows)

    def line(first: Value, second: Value, _reset: Value) -> None:
        b.call(select_line, ctx, rows, *fetch(first, second))

    def polygon(*numbers: Any, provoking: int) -> None:
        b.call(select_polygon, ctx, rows, len(numbers), *together(fetch(*numbers)))

    assembled(b, info, point, line, polygon)
    with b.If(mode == gl.GL_POLYGON):  # the triangles of a fan reach as deep
        each(b, count, 3, 1, lambda i: polygon(b.const(u32, 0), i + 1, i + 2, provoking=0))
    return b.const(u32, 1)


__all__ = ["st_select"]
