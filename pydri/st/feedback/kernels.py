# SPDX-License-Identifier: MIT
"""Drawing in selection and feedback: vertices as the driver's stages make them, and the primitives
of a draw.

In: a DrawInfo while `key.render_mode` is not 0. Its vertices are drawn as points by a pipeline that
leaves what its last stage wrote in memory (StreamOutput, captured.py) and rasterises nothing, so
what is fed back is what would be drawn, with light, texture generation and programs. Out: the rows
(rows.py) of a draw's primitives, handed on one by one (emit.py). Draws of many vertices come in
parts. Where a geometry shader makes the primitives, and of drivers that leave nothing in memory,
vertices.py gives rows, in Python. Mesa: st_draw_feedback.c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import kernel, ptr, u8, u32, u64, void
from pydri.main.feedback.layout import FEEDBACK, RowLayout
from pydri.main.kernels import CTX, is_null
from pydri.pipe.native import (
    DISCARD_ASKED,
    PRIM_BEGIN,
    PRIM_END,
    SHADER_GEOMETRY,
    SHADER_VERTEX,
    DrawInfo,
    StreamTarget,
)
from pydri.st.feedback.clip import NUMBERS
from pydri.st.feedback.emit import feed_line, feed_point, feed_polygon
from pydri.st.feedback.rows import FLOATS, LAYOUT, feed_place, feed_rows_room
from pydri.st.programs.blocks import block_buffers
from pydri.st.textures.kernels import generation

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

INFO = ptr(DrawInfo)
#: vertices of a part of a draw: a multiple of 12, so that no list is cut within a primitive, and
#: triangles of a strip that is cut have the same order
PART = 3072
_AT_FIRST = 16 * PART  # vertices of what is never cut, before there is more memory
#: modes that can be cut: how many vertices the next part begins with again
_OVERLAPS = {
    gl.GL_POINTS: 0, gl.GL_LINES: 0, gl.GL_LINE_STRIP: 1, gl.GL_TRIANGLES: 0,
    gl.GL_TRIANGLE_STRIP: 2, gl.GL_QUADS: 0, gl.GL_QUAD_STRIP: 2, gl.GL_LINES_ADJACENCY: 0,
    gl.GL_LINE_STRIP_ADJACENCY: 3, gl.GL_TRIANGLES_ADJACENCY: 0,
}  # fmt: skip
_MODES = gl.GL_TRIANGLE_STRIP_ADJACENCY + 1


# -- primitives -----------------------------------------------------------------------------------


class _Primitives:
    """Hands on the primitives of rows, by number. `first`: the first vertex provokes, else the
    last (OpenGL 3.2, table 2.14; of polygons always the first, of quads always the last)."""

    def __init__(
        self, b: Builder, ctx: Any, layout: Any, rows: Any, count: Any, flags: Any
    ) -> None:
        self.b, self.ctx, self.layout, self.rows = b, ctx, layout, rows
        self.count, self.flags = count, flags
        self.first = ctx.key.provoking == gl.GL_FIRST_VERTEX_CONVENTION
        self.numbers = b.array(u32, 4)

    def row(self, n: Any) -> Any:
        return self.rows + n * self.layout.floats

    def each(self, least: int, step: int, emit: Callable[[Any], None], start: Any = 0) -> None:
        """emit(i) for the first vertex i of each primitive."""
        b = self.b
        first = b.const(u32, start) if isinstance(start, int) else start
        with b.If(self.count >= least), b.For(first, self.count - (least - 1), step) as i:
            emit(i)

    def line(self, a: Any, c: Any, reset: Any) -> None:
        b = self.b
        own = self.row(b.select(self.first, a, c))
        b.call(feed_line, self.ctx, self.layout, self.row(a), self.row(c), own, reset)

    def piece(self, i: Any, beside: int = 0) -> None:
        """A line of a strip, whose stipple begins with it."""
        begins = ((self.flags & PRIM_BEGIN) != 0) & (i == 0)
        self.line(i + beside, i + (beside + 1), self.b.cast(begins, u32))

    def polygon(self, *numbers: Any, first: Any, last: Any, plain: bool = True) -> None:
        """`first`, `last`: which vertex provokes; `plain`: a piece of a strip or fan."""
        b = self.b
        for n, number in enumerate(numbers):
            self.numbers[n] = number
        own = b.select(self.first, first, last)
        given = (self.rows, self.numbers, len(numbers), own, int(plain))
        b.call(feed_polygon, self.ctx, self.layout, *given)

    def triangle(self, i: Any) -> None:
        self.polygon(i, i + 1, i + 2, first=i, last=i + 2, plain=False)

    def of_strip(self, i: Any) -> None:
        odd = i & 1
        self.polygon(i + odd, i + 1 - odd, i + 2, first=i, last=i + 2)

    def of_fan(self, i: Any) -> None:
        self.polygon(self.b.const(u32, 0), i + 1, i + 2, first=i + 1, last=i + 2)

    def quad(self, i: Any) -> None:
        self.polygon(i, i + 1, i + 2, i + 3, first=i + 3, last=i + 3, plain=False)

    def of_quads(self, i: Any) -> None:
        self.polygon(i, i + 1, i + 3, i + 2, first=i + 3, last=i + 3)

    def whole(self) -> None:
        """A polygon; where it is a piece of a longer one its cuts are no edges."""
        b, layout = self.b, self.layout
        with b.If(self.count > 2):
            for bit, n in ((PRIM_BEGIN, b.const(u32, 0)), (PRIM_END, self.count - 1)):
                with b.If(((self.flags & bit) == 0) & (layout.edge != 0), likely=False):
                    self.row(n)[layout.edge] = 0.0
            none = b.const(NUMBERS, None)
            b.call(feed_polygon, self.ctx, layout, self.rows, none, self.count, 0, 0)

    def between(self, i: Any) -> None:
        self.polygon(i, i + 2, i + 4, first=i, last=i + 4)

    def beside(self) -> None:
        """Strips with vertices beside them: what lies beyond a cut is another part's."""
        b = self.b
        start = b.select((self.flags & PRIM_BEGIN) != 0, b.const(u32, 0), 2)
        cut = b.select((self.flags & PRIM_END) != 0, b.const(u32, 0), 2)

        def emit(i: Any) -> None:
            odd = i & 2
            with b.If(i + 6 + cut <= self.count):
                self.polygon(i + odd, i + 2 - odd, i + 4, first=i, last=i + 4)

        self.each(6, 2, emit, start)

    def of_mode(self, mode: Value) -> None:
        """Emit: the primitives of a draw."""
        b = self.b
        anew, goes_on = b.const(u32, 1), b.const(u32, 0)

        def loop() -> None:
            # the first vertex of a part of a loop is there for the line that closes it
            start = b.select((self.flags & PRIM_BEGIN) != 0, b.const(u32, 0), 1)
            self.each(2, 1, self.piece, start)
            with b.If((self.count > 1) & ((self.flags & PRIM_END) != 0)):
                self.line(self.count - 1, b.const(u32, 0), goes_on)

        def point(i: Any) -> None:
            b.call(feed_point, self.ctx, self.layout, self.row(i))

        rows: dict[int, Callable[[], None]] = {
            gl.GL_POINTS: lambda: self.each(1, 1, point),
            gl.GL_LINES: lambda: self.each(2, 2, lambda i: self.line(i, i + 1, anew)),
            gl.GL_LINE_STRIP: lambda: self.each(2, 1, self.piece),
            gl.GL_LINE_LOOP: loop,
            gl.GL_TRIANGLES: lambda: self.each(3, 3, self.triangle),
            gl.GL_TRIANGLE_STRIP: lambda: self.each(3, 1, self.of_strip),
            gl.GL_TRIANGLE_FAN: lambda: self.each(3, 1, self.of_fan),
            gl.GL_QUADS: lambda: self.each(4, 4, self.quad),
            gl.GL_QUAD_STRIP: lambda: self.each(4, 2, self.of_quads),
            gl.GL_POLYGON: self.whole,
            gl.GL_LINES_ADJACENCY: lambda: self.each(
                4, 4, lambda i: self.line(i + 1, i + 2, anew)),
            gl.GL_LINE_STRIP_ADJACENCY: lambda: self.each(4, 1, lambda i: self.piece(i, 1)),
            gl.GL_TRIANGLES_ADJACENCY: lambda: self.each(6, 6, self.between),
            gl.GL_TRIANGLE_STRIP_ADJACENCY: self.beside,
        }  # fmt: skip
        with b.Switch(mode) as s:
            for number, emit in rows.items():
                with s.Case(number):
                    emit()


@kernel(void, (CTX, LAYOUT, FLOATS, u32, u32, u32), noinline=True)
def st_feed_rows(b: Builder, ctx: GLContext, layout: RowLayout, rows: Pointer, count: Value,
                 mode: Value, flags: Value) -> None:  # fmt: skip
    """The primitives of rows that nobody has placed yet."""
    b.call(feed_place, ctx, layout, rows, count)
    _Primitives(b, ctx, layout, rows, count, flags).of_mode(mode)


# -- vertices -------------------------------------------------------------------------------------


def captured(ctx: GLContext) -> Any:
    """Whether the driver leaves the vertices of a draw in memory. What a geometry shader makes
    comes from Python: stream output tells of no strips."""
    return (ctx.feedback.captures != 0) & (ctx.key.stages[SHADER_GEOMETRY] == 0)


def generate(b: Builder, ctx: GLContext) -> None:
    """Emit: the key block says how unit 0 generates coordinates, whether something is sampled there
    or not. What drawing needs comes back with glRenderMode, which sets DIRTY_TEXTURE."""
    with b.If((ctx.key.render_mode == FEEDBACK) & (ctx.key.stages[SHADER_VERTEX] == 0)):
        unit: Any = ctx.key.tex[0]
        texgen = b.cast(generation(b, ctx, b.const(u32, 0)), unit.texgen.ty)
        with b.If(unit.texgen != texgen):
            unit.texgen = texgen
            ctx.key_dirty = 1


@kernel(u32, (CTX, INFO), noinline=True)
def st_capture(b: Builder, ctx: Any, info: DrawInfo) -> Value:
    """Have the driver draw points, which leave rows in `feedback.rows`; how many they are."""
    dyn, pipe, block = ctx.dyn, ctx.pipe, ctx.feedback
    size = b.cast(info.count, u64) * b.cast(ctx.plan.rows.floats * 4, u64)
    with b.If(b.call(feed_rows_room, ctx, size) == 0, likely=False):
        b.Return(0)
    target = dyn.addr("stream_targets").cast(ptr(StreamTarget))
    names = ("primitives_generated", "primitives_written", "statistics")
    kept = [target.data, target.size, target.used, dyn.discard, *(getattr(dyn, n) for n in names)]
    target.data, target.size, target.used = block.rows, size, 0
    dyn.discard = DISCARD_ASKED
    for name in names:
        setattr(dyn, name, b.const(getattr(dyn, name).ty, None))
    draw = pipe.draw_vbo

    def drawn() -> None:
        with b.If(is_null(draw), likely=False):
            b.call(ctx.hook_draw, ctx, info)
        with b.Else():
            b.call(draw, pipe, ctx.plan.pipeline, dyn, info)

    block_buffers(b, ctx, drawn)
    found = target.used // b.cast(ctx.plan.rows.floats * 4, u64)
    target.data, target.size, target.used, dyn.discard = kept[:4]
    for name, value in zip(names, kept[4:], strict=True):
        setattr(dyn, name, value)
    return b.cast(found, u32)


@kernel(u32, (CTX, INFO, u32), noinline=True)
def st_capture_all(b: Builder, ctx: Any, info: DrawInfo, count: Value) -> None:
    """The same of so many vertices, which need not be there: arrays may end before, and only then
    is known how much memory they take."""
    room = b.var(u32, b.min(count, _AT_FIRST))
    with b.Loop():
        info.count = room.value
        found = b.call(st_capture, ctx, info)
        with b.If((found < room.value) | (room.value == count), likely=True):
            b.Return(found)
        room.value = b.select(count // 8 < room.value, count, room.value * 8)


@kernel(void, (CTX, INFO, INFO), noinline=True)
def st_feed_instance(b: Builder, ctx: GLContext, info: DrawInfo, one: DrawInfo) -> None:
    """An instance of a draw, part by part. `one`: the same as points."""
    mode, count, flags = info.mode, info.count, b.cast(info.prim_flags, u32)
    overlaps = [_OVERLAPS.get(n, 0) for n in range(_MODES)]
    parts = [PART if n in _OVERLAPS else 0 for n in range(_MODES)]  # 0: these are never cut
    part, overlap = (b.table(u32, row)[mode] for row in (parts, overlaps))
    at = b.var(u32, 0)
    with b.Loop():
        left = count - at.value
        take = b.select(part != 0, b.min(left, part), left)
        one.start = info.start + at.value
        found = b.call(st_capture_all, ctx, one, take)
        ends = at.value + take >= count
        begins = b.select(at.value == 0, flags & PRIM_BEGIN, 0)
        own = begins | b.select(ends, flags & PRIM_END, 0)
        layout, rows = ctx.plan.addr("rows"), ctx.feedback.rows.cast(FLOATS)
        b.call(st_feed_rows, ctx, layout, rows, found, mode, own)
        with b.If(ends | (found < take)):  # no array has the rest
            b.Break()
        at.value = at.value + (take - overlap)


@kernel(void, (CTX, INFO), noinline=True)
def st_feed(b: Builder, ctx: GLContext, info: DrawInfo) -> None:
    """A draw in selection or feedback, whose plan has been found."""
    with b.If(info.mode >= _MODES):
        b.Return()
    one = b.array(DrawInfo, 1, align=16)
    b.memcpy(one.cast(ptr(u8)), info.cast(ptr(u8)), b.const(u64, DrawInfo.size))
    one.mode, one.instances, one.prim_flags = gl.GL_POINTS, 1, PRIM_BEGIN | PRIM_END
    with b.For(b.const(u32, 0), b.max(info.instances, 1), 1) as n:
        one.instance = info.instance + n
        b.call(st_feed_instance, ctx, info, one)


__all__ = ["INFO", "captured", "generate", "st_feed", "st_feed_rows"]
