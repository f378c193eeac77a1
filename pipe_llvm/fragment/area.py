# SPDX-License-Identifier: MIT
"""How much of each pixel a smooth polygon covers (GL 2.1, 3.5.3): commands in, areas out.

The area of a pixel that a triangle covers is a sum over its edges: what lies to the right of a
left edge, less what lies to the right of a right edge, both within the edge's rows (as scan
converters of outlines have it). Each summand is rounded to 1/65536 by itself and depends on its
edge alone, so what two polygons that share an edge lose or gain by the rounding cancels: their
coverages sum to one exactly, whatever the edge.

A polygon gives one fragment a pixel, however it was cut into triangles: its triangles follow each
other in the bin with the same number, their areas are added up here for a whole tile, and the
triangle that holds the pixel's centre, or else the first that touches the pixel, is the one to
interpolate. The fragment half is fragment/cover.py. Nothing here depends on a pipeline; llvmpipe
has no such thing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pipe_llvm.command import CUTS_BOX, OP_BOX, address_of, cut_of, lane_of, operation_of
from pipe_llvm.fragment.packet import CORNERS, EDGE_A, POLYGON, PacketHeader, lane_loader
from pipe_llvm.fragment.stamps import STAMP_X, STAMP_Y, Box, Edges
from pipe_llvm.native import LpChunk, LpCover, LpTask
from pydri.jit import boolean, extern_c, f32, i32, kernel, ptr, u8, u32, u64

if TYPE_CHECKING:
    from pipe_llvm.fragment.packet import LaneLoader
    from pydri.jit import Builder, Value

f32x16, i32x16, u32x16, mask16 = f32.vec(16), i32.vec(16), u32.vec(16), boolean.vec(16)
ONE = 1 << 16  # the area of a pixel
TINY = 1e-20  # instead of a width of 0: the quotient is clamped
LP_COVER = extern_c("lp_cover", u32, ptr(LpTask), ptr(LpCover))


def edge_reach(b: Builder, a: Value, step_y: Value) -> Value:
    """More than an edge function changes from a pixel's centre to the pixel's corners, with the
    part that rounding it down has cut off."""
    return ((b.abs(a) + b.abs(step_y) + 1) >> 1) + 1


class _Part(NamedTuple):
    """How an edge runs through pixels: what lies to the right of it."""

    rows: list[Value]  # where it enters and leaves the pixel's rows, from the pixel's top
    before: Value  # the part of these rows in which it runs to the left of the pixel
    until: Value  # the part in which it runs to the left of the pixel or through it
    low: Value  # where it enters the pixel, from the pixel's left side
    high: Value  # where it leaves the pixel
    rising: Value  # its upper end is the left one
    sign: Value  # 1 of a triangle's left edge, -1 of a right one


class Slopes:
    """A triangle's edges as lines x(y) between two rows, in pixels from the tile's first."""

    def __init__(self, b: Builder, task: LpTask, load: LaneLoader) -> None:
        self.b = b
        corners = [
            [
                b.cast(load(CORNERS + 2 * k + n, i32) - (origin << 8), f32) * (1 / 256)
                for n, origin in enumerate((task.x0, task.y0))
            ]
            for k in range(3)
        ]
        #: x and y of the upper end, y of the lower one, the slope dx/dy, 1 or -1 (_Part.sign)
        self.lines: list[tuple[Value, Value, Value, Value, Value]] = []
        for k in range(3):
            (xa, ya), (xb, yb) = corners[k], corners[(k + 1) % 3]
            down = ya < yb  # both polygons at an edge see it from the same end
            x0, y0 = b.select(down, xa, xb), b.select(down, ya, yb)
            x1, y1 = b.select(down, xb, xa), b.select(down, yb, ya)
            # of a level edge, which has no rows, the slope is any number
            slope = (x1 - x0) / b.max(y1 - y0, 1 / 256)
            sign = b.select(load(EDGE_A + k, i32) > 0, b.const(i32, 1), b.const(i32, -1))
            self.lines.append((x0, y0, y1, slope, sign))

    def _parts(self, x: Value, y: Value) -> Iterator[_Part]:
        """How each edge runs through the pixels of the stamp at (x, y)."""
        b = self.b
        left = b.splat(b.cast(x, f32), 16) + b.const(f32x16, [float(n) for n in STAMP_X])
        top = b.splat(b.cast(y, f32), 16) + b.const(f32x16, [float(n) for n in STAMP_Y])
        for x0, y0, y1, slope, sign in self.lines:
            first, last = (b.clamp(row, b.splat(y0, 16), b.splat(y1, 16)) for row in (top, top + 1))
            ends = [(x0 + (row - y0) * slope) - left for row in (first, last)]
            low, high = b.min(*ends), b.max(*ends)
            per = b.const(f32x16, 1.0) / b.max(high - low, TINY)
            before = b.clamp(-low * per, 0.0, 1.0)
            until = b.clamp((1.0 - low) * per, 0.0, 1.0)
            rising = ends[0] <= ends[1]
            rows = [row - top for row in (first, last)]
            yield _Part(rows, before, until, b.max(low, 0.0), b.min(high, 1.0), rising, sign)

    def area(self, x: Value, y: Value) -> Value:
        """Of the stamp at (x, y): the part of each pixel that is inside, in 1/65536."""
        b = self.b
        total = b.const(i32x16, 0)
        for p in self._parts(x, y):
            right = p.before + (p.until - p.before) * (1.0 - (p.low + p.high) * 0.5)
            part = b.cast_fast(b.round_even((p.rows[1] - p.rows[0]) * right * float(ONE)), i32)
            total = total + part * b.splat(p.sign, 16)
        return total

    def middle(self, x: Value, y: Value) -> list[Value]:
        """From each pixel's centre to the centre of gravity of the part that is inside, x and y, in
        pixels. Sums over the edges as the area is, of the first moments."""
        b = self.b
        area, across, down = (b.const(f32x16, 0.0) for _ in range(3))
        for p in self._parts(x, y):
            sign = b.splat(b.cast(p.sign, f32), 16)
            start, end = b.select(p.rising, p.rows[0], p.rows[1]), p.rows[1] - p.rows[0]
            way = b.select(p.rising, end, -end)  # rows from the line's left end to its right one
            low, high = start + way * p.before, start + way * p.until
            # the rows where the pixel is whole, and those that the line cuts
            whole, cut = end * p.before, end * (p.until - p.before)
            widths = 1.0 - p.low, 1.0 - p.high
            part = cut * ((widths[0] + widths[1]) * 0.5)
            squares = p.low * p.low + p.low * p.high + p.high * p.high
            rows = (low * widths[0] + high * widths[1]) * (1 / 3)
            rows = rows + (low * widths[1] + high * widths[0]) * (1 / 6)
            area = area + sign * (whole + part)
            across = across + sign * (cut * (1.0 - squares * (1 / 3)) - part) * 0.5
            down = down + sign * (whole * ((start + low) * 0.5 - 0.5) + (cut * rows - part * 0.5))
        per = b.const(f32x16, 1.0) / b.max(area, 0.5 / ONE)
        return [b.clamp(moment * per, -0.5, 0.5) for moment in (across, down)]


class Adder:
    """Adds areas of one triangle to those of its polygon."""

    def __init__(self, b: Builder, cover: LpCover, owner: Value) -> None:
        self.b, self.cover, self.owner = b, cover, b.splat(owner, 16)

    def add(self, sx: Value, sy: Value, area: Value, centre: Value) -> None:
        """Areas of the stamp in column sx, row sy; `centre`: the pixels whose centre is inside."""
        b, cover = self.b, self.cover
        at = ((sy << 4) + sx) << 4
        place, owners = cover.area + at, cover.owner + at
        bit = b.const(u32, 1) << b.cast(sx, u32)
        there = cover.rows[sy]
        old = b.select(there & bit != 0, place.load(i32x16, align=64), 0)
        place.store(old + area, align=64)
        mine = centre | ((old <= 0) & (area > 0))
        owners.store(b.select(mine, self.owner, owners.load(u32x16, align=64)), align=64)
        cover.rows[sy] = there | bit

    def full(self, sx: Value, sy: Value) -> None:
        """The whole stamp."""
        self.add(sx, sy, self.b.const(i32x16, ONE), self.b.const(mask16, 1))


def _in_box(b: Builder, box: Box, x: Value, y: Value) -> Value:
    """Which pixels of a stamp lie in the box."""
    gx = b.splat(x, 16) + b.const(i32x16, STAMP_X)
    gy = b.splat(y, 16) + b.const(i32x16, STAMP_Y)
    return (gx >= box.minx) & (gx <= box.maxx) & (gy >= box.miny) & (gy <= box.maxy)


def _box(b: Builder, box: Box, adder: Adder) -> None:
    """All pixels of a box."""
    with b.For(box.miny >> 2, (box.maxy >> 2) + 1) as sy:
        with b.For(box.minx >> 2, (box.maxx >> 2) + 1) as sx:
            inside = _in_box(b, box, sx << 2, sy << 2)
            area = b.select(inside, b.const(i32x16, ONE), 0)
            adder.add(sx, sy, area, inside)


def _triangle(
    b: Builder, task: LpTask, load: LaneLoader, box: Box, smooth: Value, adder: Adder
) -> None:
    """What edges cut: blocks of 4x4 stamps, one lane a stamp, then the stamps' pixels. Where the
    primitive is not `smooth` (lines of polygons), a pixel is covered if its centre is."""
    edges = Edges(b, task, load)
    slopes = Slopes(b, task, load)
    pixels, gain = edges.pixels(), edges.greatest_gain()
    reach = [edge_reach(b, a, s) for a, s, _ in edges.steps]
    zero = b.const(i32, 0)
    loss = [b.min(a * 3, zero) + b.min(s * 3, zero) for a, s, _ in edges.steps]
    first_x, last_x, last_y = box.minx >> 2, box.maxx >> 2, box.maxy >> 2
    one = b.const(u32, 1)
    with b.For(box.miny >> 2, last_y + 1, 4) as top:
        with b.For(first_x, last_x + 1, 4) as left:
            columns = (one << b.cast(b.min(last_x - left, 3) + 1, u32)) - 1
            rows = (one << b.cast(b.min(last_y - top, 3) * 4 + 4, u32)) - 1
            may = whole = b.const(mask16, 1)
            for k, e in enumerate(edges.at(left << 2, top << 2)):
                at = b.splat(e, 16) + (pixels[k] << 2)  # a stamp is four pixels apart
                may = may & (at + b.splat(gain[k] + reach[k], 16) >= 0)
                whole = whole & (at + b.splat(loss[k] - reach[k], 16) >= 0)
            todo = b.var(u32, (rows & 0x1111) * columns & b.cast(b.bits_of(may), u32))
            full = b.select(box.cuts, b.const(u32, 0), b.cast(b.bits_of(whole), u32))
            with b.While(lambda: todo.value != 0):
                n = b.ctz(todo.value)
                todo.value = todo.value & (todo.value - 1)
                sx, sy = left + b.cast(n & 3, i32), top + b.cast(n >> 2, i32)
                with b.If(((full >> n) & 1) != 0):
                    adder.full(sx, sy)
                    b.Continue()
                x, y = sx << 2, sy << 2
                inside = _in_box(b, box, x, y)
                centre = inside
                for e, steps in zip(edges.at(x, y), pixels, strict=True):
                    centre = centre & (b.splat(e, 16) + steps >= 0)
                area = b.var(i32x16, b.select(centre, b.const(i32x16, ONE), 0))
                with b.If(smooth, likely=True):
                    area.value = b.select(inside, slopes.area(x, y), 0)
                adder.add(sx, sy, area.value, centre)


@kernel(u32, (ptr(LpTask), ptr(LpCover)), name="lp_cover")
def lp_cover(b: Builder, task: LpTask, cover: LpCover) -> None:
    """Add the areas of the bin's next polygon (or line, or point of one) to `cover`, if it has the
    draw state of `cover`. Returns the number of commands that the polygon took, 0 if it has
    another state or the bin is at its end."""
    taken, number = b.var(u32, 0), b.var(u32, 0)
    arena = b.ptr_to_int(task.scene.arena)
    with b.Loop():
        chunk = b.var(ptr(LpChunk), cover.chunk)
        with b.If(b.ptr_to_int(chunk.value) == 0):
            b.Break()
        at = cover.at
        with b.If(at >= chunk.value.count):
            cover.chunk = chunk.value.next
            cover.at = 0
            b.Continue()
        command = chunk.value.commands[at]
        op = operation_of(command)
        with b.If(op > OP_BOX, likely=False):
            b.Break()
        address = address_of(command)
        packet = b.int_to_ptr(address, u8)
        with b.If(packet.cast(ptr(u64))[0] != cover.state, likely=False):
            b.Break()
        lane = lane_of(b, command)
        load = lane_loader(b, packet, lane)
        smooth = ((packet.cast(ptr(PacketHeader)).smooth >> lane) & 1) != 0
        this = b.select(smooth, load(POLYGON, u32), 0)
        with b.If(taken.value == 0):
            number.value = this
        with b.Elif(lambda: ~smooth | (this != number.value)):
            b.Break()
        cover.at = at + 1
        taken.value = taken.value + 1
        # packets are 64 bytes apart at least: where it lies in the arena, and the lane
        owner = b.cast((address - arena) >> 2, u32) | lane
        adder = Adder(b, cover, owner)
        cut = cut_of(b, command)
        with b.If(op == OP_BOX):
            _box(b, Box(b, task, load, b.const(boolean, 0)), adder)
        with b.Elif(lambda: cut == 0):  # the whole tile
            with b.For(b.const(i32, 0), 256) as n:
                adder.full(n & 15, n >> 4)
        with b.Else():
            _triangle(b, task, load, Box(b, task, load, (cut & CUTS_BOX) != 0), smooth, adder)
    b.Return(taken.value)


