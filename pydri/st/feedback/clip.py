# SPDX-License-Identifier: MIT
"""Lines and polygons of selection and feedback, cut at the planes (GL 2.1, 2.12).

In: rows that were placed (rows.py), at least one of which is outside of a plane. Out: rows of what
is inside, placed. Cuts are made in doubles: a row of clip coordinates, of how far inside of each
plane it is, and of whatever a row of floats has besides. All of that is linear in clip space, so
cuts interpolate it alike. Polygons stay whole; edges along a plane are edges of the boundary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import f32, f64, kernel, ptr, u8, u32, u64
from pydri.main.feedback.layout import ROW_FIRST, RowLayout
from pydri.main.kernels import CTX, is_null
from pydri.main.matrix.layout import MAX_CLIP_PLANES
from pydri.st.feedback.rows import (
    CUT_BITS,
    FLOATS,
    LAYOUT,
    PLANES,
    VOLUME,
    distances,
    feed_place,
    feed_work_room,
    near_plane,
    outside_of,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

NUMBERS, DOUBLES = ptr(u32), ptr(f64)
_CLIP, _DISTANCE = 0, 4
_FIRST = _DISTANCE + PLANES  # what a row has from ROW_FIRST on


def _width(layout: RowLayout) -> Any:
    """Doubles of a row."""
    return layout.floats + (_FIRST - ROW_FIRST)


def number_of(b: Builder, numbers: Pointer, n: Operand) -> Any:
    """The n-th of a list of rows; a null list is 0, 1, 2 ..."""
    found = b.var(u32, n)
    with b.If(~is_null(numbers)):
        found.value = numbers[found.value]
    return found.value


def _widened(b: Builder, ctx: Any, layout: RowLayout, row: Pointer, to: Pointer) -> None:
    """A row in doubles."""
    clip = [b.cast(row[k], f64) for k in range(4)]
    for k in range(4):
        to[_CLIP + k] = clip[k]
    for n, distance in enumerate(distances(clip, near_plane(b, ctx))):
        to[_DISTANCE + n] = distance
    with b.If(layout.dist != 0, likely=False), b.For(b.const(u32, 0), MAX_CLIP_PLANES, 1) as plane:
        with b.If(((ctx.key.clip_planes >> b.cast(plane, u8)) & 1) != 0):
            to[plane + (_DISTANCE + VOLUME)] = b.cast(row[layout.dist + plane], f64)
        with b.Else():
            to[plane + (_DISTANCE + VOLUME)] = 0.0
    with b.For(b.const(u32, ROW_FIRST), layout.floats, 1) as at:
        to[at + (_FIRST - ROW_FIRST)] = b.cast(row[at], f64)


def _narrowed(b: Builder, layout: RowLayout, row: Pointer, to: Pointer) -> None:
    """A row in floats, but for its place."""
    for k in range(4):
        to[k] = b.cast(row[_CLIP + k], f32)
    with b.For(b.const(u32, ROW_FIRST), layout.floats, 1) as at:
        to[at] = b.cast(row[at + (_FIRST - ROW_FIRST)], f32)


def _cut(b: Builder, to: Pointer, inside: Pointer, outside: Pointer, plane: Value,
         width: Value) -> None:  # fmt: skip
    """Where an edge meets a plane."""
    near, far = inside[plane + _DISTANCE], outside[plane + _DISTANCE]
    t = near / (near - far)
    with b.For(b.const(u32, 0), width, 1) as k:
        x = inside[k]
        to[k] = x + (outside[k] - x) * t


def _is_in(row: Pointer, plane: Value) -> Any:
    return row[plane + _DISTANCE] >= 0.0


@kernel(FLOATS, (CTX, LAYOUT, FLOATS, FLOATS), noinline=True)
def feed_cut_line(b: Builder, ctx: GLContext, layout: RowLayout, first: Pointer,
                  second: Pointer) -> Value:  # fmt: skip
    """Two rows, of the part of a line that is inside; null: there is none. Each plane moves an end
    that is outside of it."""
    none = b.const(FLOATS, None)
    width, size = _width(layout), layout.floats
    with b.If(b.call(feed_work_room, ctx, b.cast(width * (3 * 8) + size * (2 * 4), u64)) == 0):
        b.Return(none)
    a = ctx.feedback.work.cast(DOUBLES)
    c, end = a + width, a + width * 2
    for row, to in ((first, a), (second, c)):
        _widened(b, ctx, layout, row, to)
    left = b.var(u32, (outside_of(first) | outside_of(second)) & CUT_BITS)
    with b.While(lambda: left.value != 0):
        plane = b.cast(b.ctz(left.value), u32)
        left.value = left.value & (left.value - 1)
        a_in, c_in = _is_in(a, plane), _is_in(c, plane)
        with b.If(~(a_in | c_in)):
            b.Return(none)
        with b.If(~a_in):
            _cut(b, end, c, a, plane, width)
            b.memcpy(a, end, width * 8)
        with b.Elif(lambda: ~c_in):
            _cut(b, end, a, c, plane, width)
            b.memcpy(c, end, width * 8)
    out = (a + width * 3).cast(FLOATS)
    for n, row in enumerate((a, c)):
        _narrowed(b, layout, row, out + size * n)
    b.call(feed_place, ctx, layout, out, 2)
    return out


def _edge_place(layout: RowLayout) -> Any:
    """Where a row of doubles has the edge flag; of one without it is no place."""
    return layout.edge + (_FIRST - ROW_FIRST)


class _Cutter:
    """One plane after the other; a corner outside of it makes place for two on it."""

    def __init__(self, b: Builder, layout: RowLayout, most: Operand) -> None:
        self.b, self.layout, self.most, self.width = b, layout, most, _width(layout)

    def _corner(self, to: Any, inside: Any, outside: Any, plane: Any, edge: Any) -> None:
        """A corner on the plane, at which an edge with this flag begins."""
        b = self.b
        _cut(b, to, inside, outside, plane, self.width)
        with b.If(self.layout.edge != 0):
            to[_edge_place(self.layout)] = edge

    def cut(self, v: Pointer, count: Value, out: Pointer, plane: Value) -> Any:
        """The corners of what is inside go to `out`; how many there are."""
        b, width = self.b, self.width
        kept = b.var(u32, 0)

        def keep() -> None:
            kept.value = b.min(kept.value + 1, self.most)

        with b.For(b.const(u32, 0), count, 1) as i:
            here = v + i * width
            there = v + b.select(i + 1 == count, b.const(u32, 0), i + 1) * width
            here_in, there_in = _is_in(here, plane), _is_in(there, plane)
            # a corner on the plane is where the edge that comes in meets it: once is enough
            comes = there_in & (there[plane + _DISTANCE] > 0.0)
            with b.If(here_in):
                b.memcpy(out + kept.value * width, here, width * 8)
                keep()
                with b.If(~there_in):  # here begins an edge along the plane
                    self._corner(out + kept.value * width, here, there, plane, b.const(f64, 1.0))
                    keep()
            with b.Elif(lambda: comes):
                flag = here[_edge_place(self.layout)]
                self._corner(out + kept.value * width, there, here, plane, flag)
                keep()
        return kept.value


@kernel(FLOATS, (CTX, LAYOUT, FLOATS, NUMBERS, u32, u32, u32, NUMBERS), noinline=True)
def feed_cut_polygon(
    b: Builder, ctx: GLContext, layout: RowLayout, rows: Pointer, numbers: Pointer, count: Value,
    some: Value, plain: Value, corners: Pointer,
) -> Value:  # fmt: skip
    """The rows of what is inside of a convex polygon, and to `corners` how many; null: nothing is.
    `some`: bits of the planes that cut it; `plain`: all its edges are of the boundary."""
    none = b.const(FLOATS, None)
    most = count * 2 + (PLANES + 2)  # a convex one gets a corner more from each plane
    width, size = _width(layout), layout.floats
    each = b.cast(most + 1, u64) * b.cast(width * 8, u64)
    wanted = each * 2 + b.cast(most, u64) * b.cast(size * 4, u64)
    with b.If(b.call(feed_work_room, ctx, wanted) == 0, likely=False):
        b.Return(none)
    first = ctx.feedback.work.cast(DOUBLES)
    second = b.bytes_from(first, each, f64)
    v, out, n = b.var(DOUBLES, first), b.var(DOUBLES, second), b.var(u32, count)
    with b.For(b.const(u32, 0), count, 1) as i:
        to = first + i * width
        _widened(b, ctx, layout, rows + number_of(b, numbers, i) * size, to)
        with b.If((plain != 0) & (layout.edge != 0)):
            to[_edge_place(layout)] = 1.0
    left, cutter = b.var(u32, some), _Cutter(b, layout, most)
    with b.While(lambda: left.value != 0):
        plane = b.cast(b.ctz(left.value), u32)
        left.value = left.value & (left.value - 1)
        n.value = cutter.cut(v.value, n.value, out.value, plane)
        with b.If(n.value < 3):
            b.Return(none)
        swapped = v.value
        v.value = out.value
        out.value = swapped
    done = b.bytes_from(first, each * 2, f32)
    with b.For(b.const(u32, 0), n.value, 1) as i:
        _narrowed(b, layout, v.value + i * width, done + i * size)
    b.call(feed_place, ctx, layout, done, n.value)
    corners[0] = n.value
    return done


__all__ = ["NUMBERS", "feed_cut_line", "feed_cut_polygon", "number_of"]
