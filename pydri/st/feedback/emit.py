# SPDX-License-Identifier: MIT
"""Points, lines and polygons of selection and feedback: what is left of them becomes hits or tokens
(GL 2.1, 5.2 and 5.3).

In: rows that were placed, by number. Out: `select_hit` of the window depths of the corners of what
is inside; in feedback tokens, window coordinates, colours and texture coordinates in the program's
buffer. Polygons are cut, then they have a face, are culled, and are points or lines where polygon
modes say so (GL 2.1, 3.5.1 and 3.5.4). Mesa: st_cb_feedback.c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import boolean, f32, f64, kernel, u32, u64, void
from pydri.main.feedback.kernels import FEEDBACK_TYPES, feedback_value, select_hit
from pydri.main.feedback.layout import ROW_WINDOW, SELECT, RowLayout
from pydri.main.kernels import CTX, is_null
from pydri.nir.enums import VERT_ATTRIB_COLOR0, VERT_ATTRIB_TEX0
from pydri.st.feedback.clip import NUMBERS, feed_cut_line, feed_cut_polygon, number_of
from pydri.st.feedback.rows import CUT_BITS, FLOATS, LAYOUT, V4, outside_of

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

#: numbers of a vertex, by type (GL 2.1, table 5.2)
_SIZES = (2, 3, 7, 11, 12)
_MOST = max(_SIZES)


@kernel(void, (CTX, FLOATS, u32), noinline=True)
def feed_values(b: Builder, ctx: GLContext, values: Pointer, count: Value) -> None:
    """Append numbers to feedback's buffer; those that have no room are only counted."""
    with b.For(b.const(u32, 0), count, 1) as n:
        b.call(feedback_value, ctx, values[n])


def _append(
    b: Builder, ctx: GLContext, most: int, count: Any, write: Callable[[Any], None]
) -> None:
    """Emit: append `count` numbers, at most so many, that `write` stores at an address: in the
    program's buffer, if that has room for them."""
    f = ctx.feedback
    fits = (f.count + b.cast(count, u64) <= b.cast(f.size, u64)) & ~is_null(f.buffer)
    aside = b.array(f32, most)
    out = b.var(FLOATS, aside)
    with b.If(fits, likely=True):
        out.value = f.buffer + f.count
        f.count = f.count + b.cast(count, u64)
    write(out.value)
    with b.If(~fits, likely=False):
        b.call(feed_values, ctx, aside, count)


def _written(b: Builder, ctx: GLContext, row: Pointer, at: Value, slot: int) -> Any:
    """Four floats of a row; the current value is what no program wrote."""
    place = b.var(FLOATS, ctx.val.current.cast(FLOATS) + 4 * slot)
    with b.If(at != 0, likely=True):
        place.value = row + at
    return place.value.load(V4, align=4)


@kernel(void, (CTX, LAYOUT, FLOATS, FLOATS, u32), noinline=True)
def feed_vertex(b: Builder, ctx: GLContext, layout: RowLayout, row: Pointer, colored: Pointer,
                back: Value) -> None:  # fmt: skip
    """A corner that is inside; of another row its colour, that of back faces if `back`."""
    type_ = ctx.feedback.type
    size = b.table(u32, list(_SIZES))[type_ - FEEDBACK_TYPES[0]]

    def write(out: Any) -> None:
        for n in range(2):
            out[n] = row[ROW_WINDOW + n]
        with b.If(size > 2, likely=True):
            out[2] = row[ROW_WINDOW + 2]
        with b.If(size > 3, likely=True):
            whole = type_ == gl.GL_4D_COLOR_TEXTURE
            with b.If(whole):
                out[3] = row[3]
            rest = out + b.select(whole, b.const(u32, 4), 3)
            at = b.select((back != 0) & (layout.back != 0), layout.back, layout.color)
            rest.store(_written(b, ctx, colored, at, VERT_ATTRIB_COLOR0), align=4)
            with b.If(size > 7):
                tex = _written(b, ctx, row, layout.tex, VERT_ATTRIB_TEX0)
                (rest + 4).store(tex, align=4)

    _append(b, ctx, _MOST, size, write)


def _token(b: Builder, ctx: GLContext, token: Any, count: Any = None) -> None:
    """Emit: a token, and how many vertices follow if it does not say so itself."""

    def write(out: Any) -> None:
        out[0] = token
        if count is not None:
            out[1] = b.cast(count, f32)

    with b.If(~_selecting(ctx)):
        _append(b, ctx, 2, b.const(u32, 1 if count is None else 2), write)


def _selecting(ctx: Any) -> Any:
    """Whether hits are wanted, and not what a vertex is like."""
    return ctx.key.render_mode == SELECT


def _hit(b: Builder, ctx: GLContext, row: Pointer) -> None:
    """Emit: a corner that is inside is a hit."""
    b.call(select_hit, ctx, b.cast(row[ROW_WINDOW + 2], f64))


def _corner(b: Builder, ctx: GLContext, layout: Any, row: Any, colored: Any, back: Any) -> None:
    """Emit: a corner that is inside, in either mode."""
    with b.If(_selecting(ctx)):
        _hit(b, ctx, row)
    with b.Else():
        b.call(feed_vertex, ctx, layout, row, colored, back)


def _colored(b: Builder, ctx: GLContext, row: Value, provoking: Value) -> Any:
    """The row whose colour one has: flat primitives have that of the provoking vertex."""
    flat = ctx.key.shade_model == gl.GL_FLAT
    chosen = b.select(flat, b.ptr_to_int(provoking), b.ptr_to_int(row))
    return b.int_to_ptr(chosen, f32)


@kernel(void, (CTX, LAYOUT, FLOATS), noinline=True)
def feed_point(b: Builder, ctx: GLContext, layout: RowLayout, row: Pointer) -> None:
    """A point."""
    with b.If(outside_of(row) == 0):
        _token(b, ctx, float(gl.GL_POINT_TOKEN))
        _corner(b, ctx, layout, row, row, 0)


def _line(b: Builder, ctx: GLContext, layout: Any, ends: tuple[Any, Any], provoking: Any,
          reset: Any, back: Any) -> None:  # fmt: skip
    """Emit: a line that is inside."""
    again = b.const(f32, float(gl.GL_LINE_TOKEN))
    _token(b, ctx, b.select(reset != 0, b.const(f32, float(gl.GL_LINE_RESET_TOKEN)), again))
    for row in ends:
        _corner(b, ctx, layout, row, _colored(b, ctx, row, provoking), back)


@kernel(void, (CTX, LAYOUT, FLOATS, FLOATS, FLOATS, u32), noinline=True)
def feed_line(b: Builder, ctx: GLContext, layout: RowLayout, first: Pointer, second: Pointer,
              provoking: Pointer, reset: Value) -> None:  # fmt: skip
    """A line between two rows."""
    outside = outside_of(first), outside_of(second)
    with b.If((outside[0] & outside[1]) != 0):
        b.Return()
    a, c = b.var(FLOATS, first), b.var(FLOATS, second)
    with b.If(((outside[0] | outside[1]) & CUT_BITS) != 0, likely=False):
        part = b.call(feed_cut_line, ctx, layout, first, second)
        with b.If(is_null(part)):
            b.Return()
        a.value, c.value = part, part + layout.floats
    _line(b, ctx, layout, (a.value, c.value), provoking, reset, 0)


def _is_back(b: Builder, ctx: Any, area: Any) -> Any:
    """Whether a polygon of this area in the window faces away; one without area does. Which way y
    grows on the screen (ARB_clip_control) makes no other side of it the front."""
    raw = ctx.raw
    counter = (area > 0.0) ^ (raw.clip_origin == gl.GL_UPPER_LEFT)
    return (area == 0.0) | (counter ^ (raw.front_face == gl.GL_CCW))


def _area(b: Builder, at: Any, count: Value) -> Value:
    """Emit: twice the area of a polygon in the window. `at`: the row of a corner."""
    area = b.var(f64, 0.0)
    with b.For(b.const(u32, 0), count, 1) as n:
        here, there = at(n), at(b.select(n + 1 == count, b.const(u32, 0), n + 1))
        x0, y0, x1, y1 = (b.cast(r[ROW_WINDOW + k], f64) for r in (here, there) for k in range(2))
        area.value = area.value + (x0 * y1 - x1 * y0)
    return area.value


def _hits(b: Builder, ctx: GLContext, at: Any, count: Value) -> None:
    """Emit: the corners of a polygon are hits. What counts are the nearest and the farthest."""
    first = at(b.const(u32, 0))[ROW_WINDOW + 2]
    near, far = b.var(f32, first), b.var(f32, first)
    with b.For(b.const(u32, 1), count, 1) as n:
        z = at(n)[ROW_WINDOW + 2]
        near.value, far.value = b.min(near.value, z), b.max(far.value, z)
    for z in (near.value, far.value):
        b.call(select_hit, ctx, b.cast(z, f64))


def _outline(b: Builder, ctx: GLContext, layout: Any, at: Any, count: Any, provoking: Any,
             plain: Any, back: Any, mode: Any) -> None:  # fmt: skip
    """Emit: a polygon as points or lines. `at`: the row of a corner."""
    reset = b.var(u32, 1)
    every = (plain != 0) | (layout.edge == 0)
    with b.For(b.const(u32, 0), count, 1) as i:
        row, next_ = at(i), at(b.select(i + 1 == count, b.const(u32, 0), i + 1))
        with b.If(every | (row[layout.edge] != 0.0)):
            with b.If(mode == gl.GL_POINT):
                _token(b, ctx, float(gl.GL_POINT_TOKEN))
                _corner(b, ctx, layout, row, _colored(b, ctx, row, provoking), back)
            with b.Else():
                _line(b, ctx, layout, (row, next_), provoking, reset.value, back)
                reset.value = 0


@kernel(void, (CTX, LAYOUT, FLOATS, NUMBERS, u32, FLOATS, u32), noinline=True)
def feed_inside(
    b: Builder, ctx: GLContext, layout: RowLayout, rows: Pointer, numbers: Pointer, count: Value,
    provoking: Pointer, plain: Value,
) -> None:  # fmt: skip
    """A polygon that is inside."""

    def at(n: Any) -> Any:
        return rows + number_of(b, numbers, n) * layout.floats

    raw, key = ctx.raw, ctx.key
    apart = (raw.cull_enabled != 0) | (key.polygon_front != key.polygon_back) | (layout.back != 0)
    faces = b.var(boolean, False)
    with b.If(apart, likely=False):
        faces.value = _is_back(b, ctx, _area(b, at, count))
    back = faces.value
    with b.If(raw.cull_enabled != 0):
        culled = b.select(back, b.const(u32, gl.GL_BACK), gl.GL_FRONT) == raw.cull_face_mode
        with b.If(culled | (raw.cull_face_mode == gl.GL_FRONT_AND_BACK)):
            b.Return()
    mode = b.cast(b.select(back, key.polygon_back, key.polygon_front), u32)
    face = b.cast(back, u32)
    with b.If(mode != gl.GL_FILL, likely=False):
        _outline(b, ctx, layout, at, count, provoking, plain, face, mode)
        b.Return()
    with b.If(_selecting(ctx)):
        _hits(b, ctx, at, count)
        b.Return()
    _token(b, ctx, float(gl.GL_POLYGON_TOKEN), count)
    with b.For(b.const(u32, 0), count, 1) as n:
        row = at(n)
        b.call(feed_vertex, ctx, layout, row, _colored(b, ctx, row, provoking), face)


@kernel(void, (CTX, LAYOUT, FLOATS, NUMBERS, u32, u32, u32), noinline=True)
def feed_polygon(
    b: Builder, ctx: GLContext, layout: RowLayout, rows: Pointer, numbers: Pointer, count: Value,
    provoking: Value, plain: Value,
) -> None:  # fmt: skip
    """A convex polygon of so many rows, by number (null: 0, 1, 2 ...); `plain`: all of its edges
    are of the boundary, else their flags say so."""
    every, some = b.var(u32, 0xFFFFFFFF), b.var(u32, 0)
    with b.For(b.const(u32, 0), count, 1) as n:
        outside = outside_of(rows + number_of(b, numbers, n) * layout.floats)
        every.value, some.value = every.value & outside, some.value | outside
    with b.If(every.value != 0):
        b.Return()
    own, cut = rows + provoking * layout.floats, some.value & CUT_BITS
    with b.If(cut == 0, likely=True):
        b.call(feed_inside, ctx, layout, rows, numbers, count, own, plain)
        b.Return()
    corners = b.array(u32, 1)
    given = (rows, numbers, count, cut, plain, corners)
    part = b.call(feed_cut_polygon, ctx, layout, *given)
    with b.If(~is_null(part)):
        none = b.const(NUMBERS, None)
        b.call(feed_inside, ctx, layout, part, none, corners[0], own, 0)


__all__ = ["feed_line", "feed_point", "feed_polygon"]
