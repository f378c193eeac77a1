# SPDX-License-Identifier: MIT
"""Which pixels of a tile triangles and boxes cover: commands in, 4x4 stamps with 16-bit masks out
(the half of lp_rast_tri.c that no pipeline state changes).

Coverage goes 64 -> 16 -> 4: a block of 16x16 pixels is classified by one 16-lane compare an edge (a
lane for each of its stamps), a stamp's 16 pixels by another. Triangles of one stamp, which are
many, skip the first. One kernel does this for all pipelines: it is compiled once, a fragment kernel
holds nothing but shading, and a triangle that covers no sample never has its planes loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from pipe_llvm.command import (
    CUTS_BOX,
    OP_BOX,
    OP_STAMPS,
    cut_of,
    lane_of,
    operation_of,
    packet_of,
)
from pipe_llvm.fragment.packet import (
    BBOX,
    BOX_STAMP,
    EDGE_A,
    EDGE_B,
    EDGE_C,
    STAMP_ENTRIES,
    lane_loader,
)
from pipe_llvm.native import STAMP_BATCH, STAMP_LIMIT, LpStamps, LpTask
from pydri.jit import boolean, i32, i64, kernel, ptr, u32, u64

if TYPE_CHECKING:
    from pipe_llvm.fragment.packet import LaneLoader
    from pydri.jit import Builder, Pointer, Value, Var

#: push(column, row, pixels): add a stamp to the list, if it has some
Push: TypeAlias = "Callable[[Value, Value, Value], None]"

i32x16, u32x16 = i32.vec(16), u32.vec(16)
FAR = 1 << 30  # more than an edge function can change across a tile
ALL = 0xFFFF
BLOCK = 1 << 31  # the bit of an entry of blocks
STAMP_X = [n % 4 for n in range(16)]
STAMP_Y = [n // 4 for n in range(16)]


class Edges:
    """A triangle's three edge functions, counted from the tile's first pixel."""

    def __init__(self, b: Builder, task: LpTask, load: LaneLoader) -> None:
        self.b = b
        x0, y0 = b.cast(task.x0, i64), b.cast(task.y0, i64)
        self.steps: list[tuple[Value, Value, Value]] = []  # a step to the right, down, the value
        for k in range(3):
            a, step_y = load(EDGE_A + k, i32), load(EDGE_B + k, i32)
            e = load(EDGE_C + 2 * k, i64) + b.cast(a, i64) * x0 + b.cast(step_y, i64) * y0
            # beyond this an edge has the same sign in the whole tile, and 32 bits are enough
            self.steps.append((a, step_y, b.cast(b.min(b.max(e, -FAR), FAR), i32)))

    def pixels(self) -> list[Value]:
        """What each of a stamp's 16 pixels adds to an edge's value at the first."""
        b = self.b
        px, py = b.const(i32x16, STAMP_X), b.const(i32x16, STAMP_Y)
        return [b.splat(a, 16) * px + b.splat(s, 16) * py for a, s, _ in self.steps]

    def at(self, x: Value, y: Value) -> list[Value]:
        """The edges' values at pixel (x, y) of the tile."""
        return [e + a * x + s * y for a, s, e in self.steps]

    def greatest_gain(self) -> list[Value]:
        """The most that an edge gains from a stamp's first pixel to any of its others."""
        b = self.b
        zero = b.const(i32, 0)
        return [b.max(a * 3, zero) + b.max(s * 3, zero) for a, s, _ in self.steps]

    def hold_block(self, x: Value, y: Value) -> Value:
        """Whether no edge cuts the 16x16 pixels from (x, y) of the tile on, which are inside."""
        b = self.b
        zero = b.const(i32, 0)
        worst = [
            e + b.min(a * 15, zero) + b.min(s * 15, zero)
            for e, (a, s, _) in zip(self.at(x, y), self.steps, strict=True)
        ]
        return (worst[0] | worst[1] | worst[2]) >= 0


def _inside(b: Builder, values: list[Value]) -> Value:
    """Where no edge is negative: a boolean vector."""
    return (values[0] | values[1] | values[2]) >= b.const(values[0].ty, 0)


class Box:
    """The part of a triangle's bounding box that lies in the tile. `cuts` (a boolean): it cuts off
    pixels that the edges leave inside."""

    def __init__(self, b: Builder, task: LpTask, load: LaneLoader, cuts: Value) -> None:
        self.b, self.cuts = b, cuts
        x0, y0 = task.x0, task.y0
        self.minx, self.miny = b.max(load(BBOX, i32) - x0, 0), b.max(load(BBOX + 1, i32) - y0, 0)
        self.maxx = b.min(load(BBOX + 2, i32) - x0, 63)
        self.maxy = b.min(load(BBOX + 3, i32) - y0, 63)

    def pixels(self, x: Value, y: Value) -> Value:
        """Bits of those of the stamp at (x, y), which the box touches, that lie in it."""
        b = self.b

        def span(first: Value, low: Value, high: Value, step: int) -> Value:
            """`step` bits for each pixel of a row or column of the stamp that lies in the box."""
            one = b.const(u32, 1)
            end = b.cast((b.min(high - first, 3) + 1) * step, u32)
            return (one << end) - (one << b.cast(b.max(low - first, 0) * step, u32))

        return span(x, self.minx, self.maxx, 1) * 0x1111 & span(y, self.miny, self.maxy, 4)

    def cut(self, inside: Value, x: Value, y: Value) -> Value:
        """Bits of the stamp at (x, y): what is inside, less what the box cuts off."""
        b = self.b
        bits = b.var(u32, b.cast(b.bits_of(inside), u32))
        with b.If(self.cuts, likely=False):
            bits.value = bits.value & self.pixels(x, y)
        return bits.value

    def blocks(self) -> tuple[Value, Value, Value, Value]:
        """Between which pixels blocks lie from which the box cuts nothing off: where it does not
        cut, all pixels of its first and last stamps are there."""
        b = self.b
        low = [b.select(self.cuts, v, v & ~3) for v in (self.minx, self.miny)]
        high = [b.select(self.cuts, v, v | 3) for v in (self.maxx, self.maxy)]
        return low[0], low[1], high[0], high[1]


def _one_stamp(b: Builder, edges: Edges, box: Box, push: Push) -> None:
    """The bounding box touches one stamp."""
    sx, sy = box.minx >> 2, box.miny >> 2
    x, y = sx << 2, sy << 2
    at = [b.splat(e, 16) + p for e, p in zip(edges.at(x, y), edges.pixels(), strict=True)]
    push(sx, sy, box.cut(_inside(b, at), x, y))


def is_block(entry: Value) -> Value:
    """Whether an entry of LpStamps stands for blocks of stamps."""
    return entry >= BLOCK


def pixels_of(b: Builder, entry: Value) -> Value:
    """How many pixels an entry covers."""
    low = entry & ALL
    return b.select(is_block(entry), low << 8, b.popcount(low))


class Entries:
    """Appends what one command covers to an LpStamps."""

    def __init__(self, b: Builder, out: LpStamps, used: Var[Value], tag: Value) -> None:
        self._b, self._out, self._used, self._tag = b, out, used, tag

    def push(self, sx: Value, sy: Value, mask: Value) -> None:
        """The stamp in a column and row, if some of its pixels are covered."""
        b, used = self._b, self._used
        at = b.cast((sy << 4) + sx, u32)
        self._out.stamps[used.value] = self._tag | (at << 16) | mask
        used.value = used.value + b.cast(mask != 0, u32)

    def push_block(self, sx: Value, sy: Value) -> None:
        """The block of four by four stamps that begins there, covered wholly."""
        at = self._b.cast((sy << 4) + sx, u32)
        self.push_entry(self._tag | (at << 16) | (BLOCK | 1))

    def push_entry(self, entry: Value) -> None:
        """An entry of one command, with its number."""
        self._out.stamps[self._used.value] = entry
        self._used.value = self._used.value + 1

    def push_tile(self) -> None:
        """The whole tile: one entry if blocks are taken."""
        b, used = self._b, self._used
        with b.If(self._out.blocks != 0, likely=True):
            self.push_entry(self._tag | (BLOCK | 16))
        with b.Else():
            for n in range(0, 256, 16):
                row = b.const(u32x16, [(n + k) << 16 | ALL for k in range(16)])
                (self._out.stamps + (used.value + n)).store(row | b.splat(self._tag, 16), align=4)
            used.value = used.value + 256


def _blocks(b: Builder, edges: Edges, box: Box, entries: Entries, whole: bool = False) -> None:
    """Look at blocks of 4x4 stamps from the bounding box's first stamp on. One lane a stamp says
    which of them may hold samples. `whole`: blocks all of whose pixels are inside are one entry.
    """
    left_end, top_end, right_end, bottom_end = box.blocks()
    pixels, gain = edges.pixels(), edges.greatest_gain()
    values = b.array(i32, 48, align=64)  # the edges' values at the stamps' first pixels
    first_x, last_x = box.minx >> 2, box.maxx >> 2
    last_y = box.maxy >> 2
    with b.For(box.miny >> 2, last_y + 1, 4) as top:
        with b.For(first_x, last_x + 1, 4) as left:
            if whole:
                x, y = left << 2, top << 2
                within = (x >= left_end) & (y >= top_end)
                within = within & (x + 15 <= right_end) & (y + 15 <= bottom_end)
                with b.If(within & edges.hold_block(x, y)):
                    entries.push_block(left, top)
                    b.Continue()
            # the stamps of the block that the bounding box touches, as bits
            one = b.const(u32, 1)
            columns = (one << b.cast(b.min(last_x - left, 3) + 1, u32)) - 1
            rows = (one << b.cast(b.min(last_y - top, 3) * 4 + 4, u32)) - 1
            some = []
            for k, e in enumerate(edges.at(left << 2, top << 2)):
                at = b.splat(e, 16) + (pixels[k] << 2)  # a stamp is four pixels apart
                (values + 16 * k).store(at, align=64)
                some.append(at + b.splat(gain[k], 16))
            may = b.cast(b.bits_of(_inside(b, some)), u32)
            todo = b.var(u32, (rows & 0x1111) * columns & may)
            with b.While(lambda: todo.value != 0):
                n = b.ctz(todo.value)
                todo.value = todo.value & (todo.value - 1)
                sx, sy = left + b.cast(n & 3, i32), top + b.cast(n >> 2, i32)
                here = [b.splat(values[b.cast(n, i32) + 16 * k], 16) + pixels[k] for k in range(3)]
                entries.push(sx, sy, box.cut(_inside(b, here), sx << 2, sy << 2))


@kernel(u32, (ptr(LpTask), u64, u32, u32, ptr(LpStamps)), noinline=True)
def stamps_of_large(
    b: Builder, task: LpTask, command: Value, tag: Value, used: Value, out: LpStamps
) -> None:
    """What a triangle that may hold blocks covers, for who takes these; gives the list's length.
    Most triangles are smaller, and faster without this beside them."""
    end = b.var(u32, used)
    load = lane_loader(b, packet_of(b, command), lane_of(b, command))
    box = Box(b, task, load, (cut_of(b, command) & CUTS_BOX) != 0)
    _blocks(b, Edges(b, task, load), box, Entries(b, out, end, tag), whole=True)
    b.Return(end.value)


def _walk(b: Builder, box: Box, push: Push) -> None:
    """All pixels of a box."""

    with b.For(box.miny >> 2, (box.maxy >> 2) + 1) as sy:
        with b.For(box.minx >> 2, (box.maxx >> 2) + 1) as sx:
            push(sx, sy, box.pixels(sx << 2, sy << 2))


@kernel(u32, (ptr(LpTask), ptr(u64), u32, u64, ptr(LpStamps)), name="lp_stamps")
def lp_stamps(
    b: Builder, task: LpTask, commands: Pointer, count: Value, state: Value, out: LpStamps
) -> None:
    """Turn the first of `count` commands into stamps: those that come before the first command that
    is no triangle or box of the draw state at the address `state`. Returns the number of commands
    that were turned into stamps, fewer where the list was full before.
    """
    done, used = b.var(u32, 0), b.var(u32, 0)
    blocks = out.blocks != 0
    limit = b.min(count, b.const(u32, STAMP_BATCH))
    with b.While(lambda: done.value < limit):
        command = commands[done.value]
        packet = packet_of(b, command)
        op = operation_of(command)
        with b.If(op > OP_STAMPS, likely=False):
            b.Break()
        with b.If(packet.cast(ptr(u64))[0] != state, likely=False):
            b.Break()
        tag = done.value << 24
        done.value = done.value + 1
        cut = cut_of(b, command)

        entries = Entries(b, out, used, tag)
        with b.If(op == OP_STAMPS):
            load = lane_loader(b, packet, lane_of(b, command))
            for field in STAMP_ENTRIES:
                entry = load(field, u32)
                out.stamps[used.value] = tag | entry
                used.value = used.value + b.cast((entry & ALL) != 0, u32)
        with b.Elif(lambda: op == OP_BOX):
            load = lane_loader(b, packet, lane_of(b, command))
            with b.If(cut != 0, likely=True):
                entries.push_entry(tag | load(BOX_STAMP, u32))
            with b.Else():
                _walk(b, Box(b, task, load, b.const(boolean, 0)), entries.push)
        with b.Elif(lambda: cut == 0):
            entries.push_tile()
        with b.Else():
            load = lane_loader(b, packet, lane_of(b, command))
            box = Box(b, task, load, (cut & CUTS_BOX) != 0)
            wide = b.min((box.maxx >> 2) - (box.minx >> 2), (box.maxy >> 2) - (box.miny >> 2)) >= 3
            with b.If(wide & blocks, likely=False):
                used.value = b.call(stamps_of_large, task, command, tag, used.value, out)
            with b.Else():
                edges = Edges(b, task, load)
                with b.If((((box.minx ^ box.maxx) | (box.miny ^ box.maxy)) & ~3) == 0):
                    _one_stamp(b, edges, box, entries.push)
                with b.Else():
                    _blocks(b, edges, box, entries)
        with b.If(used.value > STAMP_LIMIT - 256, likely=False):
            b.Break()
    out.count = used.value
    b.Return(done.value)


@kernel(u32, (i32,) * 12, name="lp_block_masks_samples")
def block_masks_samples(b: Builder, *args: Value) -> None:
    """Classify the sixteen stamps of a 16x16 block with several samples a pixel: bits 0..15 those
    that may hold samples, bits 16..31 those that lie inside of all edges. For each edge: A, B, the
    value at the block's first pixel, and how far it lies below that at the worst sample.
    """
    x = b.const(i32.vec(16), [4 * (n % 4) for n in range(16)])
    y = b.const(i32.vec(16), [4 * (n // 4) for n in range(16)])
    inside = whole = b.const(boolean.vec(16), 1)
    for a, step_y, e, drop in (args[n : n + 4] for n in (0, 4, 8)):
        zero = b.const(i32, 0)
        most = b.max(a * 3, zero) + b.max(step_y * 3, zero)
        least = b.min(a * 3, zero) + b.min(step_y * 3, zero) - drop
        at = b.splat(e, 16) + b.splat(a, 16) * x + b.splat(step_y, 16) * y
        inside = inside & (at + b.splat(most, 16) >= 0)
        whole = whole & (at + b.splat(least, 16) >= 0)
    b.Return(b.cast(b.bits_of(inside), u32) | (b.cast(b.bits_of(whole), u32) << 16))
