# SPDX-License-Identifier: MIT
"""Blits while a scene is executed: a command of a tile (OP_BLIT), row by row.

What of src a row needs is brought together in memory of the thread, packed pixels side by side in
the order of dst. They are moved as they are, or become numbers, which are averaged (samples),
filtered (columns, then rows; rows that are used again are kept) and packed in the format of dst.
Arithmetic is in singles, in the order written here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pipe_llvm.blit.native import (
    BLIT_AVERAGE,
    BLIT_CONVERT,
    BLIT_FILTER,
    BLIT_MOVE,
    PIECE,
    PLANE,
    LpBlit,
)
from pipe_llvm.command import address_of
from pipe_llvm.gallivm import format as color_format
from pipe_llvm.native import LpTask
from pipe_llvm.rast.samples import by_fields
from pydri.jit import Struct, boolean, f32, kernel, ptr, u8, u16, u32, u64, void
from pydri.jit.types import Scalar, Vec
from pydri.pipe.format import Format
from pydri.pipe.native import MAX_TARGETS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

u32x16 = u32.vec(16)
#: what a pixel of so many bytes is moved as
_MOVED: dict[int, Scalar | Vec] = {1: u8, 2: u16, 4: u32, 8: u64, 16: u64.vec(2)}
#: Bytes of a piece of the widest pixels, and of what whole quads have more, at its ends.
SLACK = 64
PIXELS = PIECE * 16 + 2 * SLACK
NUMBERS = 4 * PLANE
SAMPLES = 8  # at most


class BlitRow(Struct, align=64):
    """A thread's memory for a blit."""

    before = u8[SLACK]
    pixels = u8[PIXELS * SAMPLES]  # of src
    done = u8[PIXELS]  # of dst
    numbers = u8[NUMBERS]
    one = u8[NUMBERS]  # of one sample, of the right neighbours
    kept = u8[2 * NUMBERS]  # two rows of texels, filtered
    kept_rows = u32[2]  # their numbers


def _by_size(b: Builder, size: Value, emit: Callable[[Scalar | Vec, int], None]) -> None:
    """Emit emit(type, bytes) for pixels of each size."""
    with b.Switch(size) as which:
        for count, ty in _MOVED.items():
            with which.Case(count):
                emit(ty, count)


def _every_second(b: Builder, places: Pointer, count: Value, size: int) -> Value:
    """Whether so many places (a multiple of 16, not none) are those of every second pixel."""
    first, step = places[0], 2 * size
    found = b.var(boolean, False)
    with b.If((count != 0) & (places[1] - first == step)):
        apart = b.var(u32x16, 0)
        with b.For(b.const(u32, 0), count, 16) as i:
            wanted = b.splat(first + i * step, 16) + b.const(u32x16, [n * step for n in range(16)])
            apart.value = apart.value | ((places + i).load(u32x16, align=4) ^ wanted)
        found.value = ~b.any(apart.value != 0)
    return found.value


@kernel(void, (ptr(u8), ptr(u8), ptr(u32), u32, u32), noinline=True, noalias=(0,))
def gather_row(
    b: Builder, out: Pointer, row: Pointer, places: Pointer, count: Value, size: Value
) -> None:
    """Pixels of `size` bytes, from `places` in a row, side by side; `places` has as many entries as
    fill a multiple of four. Of an image that is made half as wide they are every second one."""

    def copy(ty: Scalar | Vec, bytes_: int) -> None:
        start = b.var(u32, 0)
        if not isinstance(ty, Vec):
            whole = count & ~15
            with b.If(_every_second(b, places, whole, bytes_)):
                with b.For(b.const(u32, 0), whole, 16) as i:
                    first = b.bytes_from(row, places[i], ty)
                    low, high = ((first + n).load(ty.vec(16), align=1) for n in (0, 15))
                    order = [2 * n + (n > 7) for n in range(16)]
                    to = b.bytes_from(out, i * bytes_, ty)
                    to.store(b.shuffle(low, high, order), align=1)
                start.value = whole
        with b.For(start.value, count, 4) as i:
            for n in range(4):
                pixel = b.bytes_from(row, places[i + n], u8).cast(ptr(_element(ty)))
                to = b.bytes_from(out, i * bytes_ + n * bytes_, _element(ty))
                to.store(pixel.load(ty, align=1), align=1)

    _by_size(b, size, copy)


@kernel(void, (ptr(u8), ptr(u8), u32, u32, u32, u32), noinline=True, noalias=(0,))
def quads_row(
    b: Builder, out: Pointer, row: Pointer, place: Value, count: Value, size: Value, step: Value
) -> None:
    """Pixels of a row of stamps from the one at `place` on, side by side; four at a time, up to
    three before and behind them, too."""

    def copy(ty: Scalar | Vec, bytes_: int) -> None:
        element = _element(ty)
        quad, lanes = 4 * bytes_, 4 * bytes_ // element.size
        begin = place & (quad - 1)
        come = b.var(ptr(u8), b.bytes_from(row, place - begin, u8))
        to = b.var(ptr(u8), b.bytes_from(out, 0, u8) - b.cast(begin, u64))
        with b.For(b.const(u32, 0), begin + count * bytes_, quad):
            pixels = b.bytes_from(come.value, 0, element).load(element.vec(lanes), align=1)
            b.bytes_from(to.value, 0, element).store(pixels, align=1)
            come.value = b.bytes_from(come.value, step, u8)
            to.value = b.bytes_from(to.value, quad, u8)

    _by_size(b, size, copy)


def _element(ty: Scalar | Vec) -> Scalar:
    return ty.elem if isinstance(ty, Vec) else ty


@kernel(void, (ptr(u8), ptr(u8), u32, u32, u32, u32, u64), noinline=True, noalias=(0,))
def scatter_row(
    b: Builder, row: Pointer, pixels: Pointer, first: Value, count: Value, size: Value,
    step: Value, keep: Value,
) -> None:  # fmt: skip
    """Pixels to columns from `first` on of a row of stamps, which lie `step` bytes apart. Bits that
    `keep` has stay (of pixels of up to 8 bytes)."""

    def copy(ty: Scalar | Vec, bytes_: int) -> None:
        element, start = _element(ty), b.var(u32, 0)
        quad = element.vec(4 * bytes_ // element.size)
        with b.If((keep == 0) & ((first & 3) == 0)):
            with b.For(b.const(u32, 0), count & ~3, 4) as i:
                to = b.bytes_from(row, ((first + i) >> 2) * step, element)
                four = b.bytes_from(pixels, i * bytes_, element).load(quad, align=1)
                to.store(four, align=bytes_)
            start.value = count & ~3
        with b.For(start.value, count) as i:
            x = first + i
            to = b.bytes_from(row, (x >> 2) * step + (x & 3) * bytes_, _element(ty))
            new = b.bytes_from(pixels, i * bytes_, _element(ty)).load(ty, align=1)
            if bytes_ <= 8:
                bits = b.cast(keep, ty)
                new = (to.load(ty, align=bytes_) & bits) | (new & ~bits)
            to.store(new, align=bytes_)

    _by_size(b, size, copy)


@kernel(void, (ptr(u8), ptr(u8), u32, u32), noinline=True)
def average_row(b: Builder, out: Pointer, pixels: Pointer, count: Value, number: Value) -> None:
    """The averages of four samples, whose pixels begin PIXELS bytes apart, of a format."""

    def mean(fmt: Format) -> None:
        with b.For(b.const(u32, 0), count, 16) as i:
            at = i * fmt.bytes
            four = [
                color_format.load_samples(b, b.bytes_from(pixels, at + n * PIXELS, u8), fmt)
                for n in range(4)
            ]
            result = color_format.average(b, fmt, four)
            color_format.store_samples(b, b.bytes_from(out, at, u8), fmt, result)

    by_fields(b, number, mean)


@kernel(void, (ptr(u8), u32, u32, u32), noinline=True)
def swap_row(b: Builder, pixels: Pointer, count: Value, swap: Value, ones: Value) -> None:
    """Pixels of four bytes: if `swap`, the first and the third change places; `ones` are set."""
    with b.For(b.const(u32, 0), count, 16) as i:
        place = b.bytes_from(pixels, i * 4, u32)
        v = place.load(u32.vec(16), align=64)
        other = (v & 0xFF00FF00) | ((v >> 16) & 0xFF) | ((v & 0xFF) << 16)
        place.store(b.select(swap != 0, other, v) | b.splat(ones, 16), align=64)


def _source_row(b: Builder, blit: LpBlit, y: Value) -> Pointer:
    """Where row y of src begins."""
    stride = b.cast(blit.stride, u64)
    stamps = b.cast(y >> 2, u64) * stride * 4 + b.cast((y & 3) * 4 * blit.from_size, u64)
    linear = b.cast(y, u64) * stride
    place: Pointer = blit.data + b.select(blit.stamps != 0, stamps, linear)
    return place


def _sample(b: Builder, blit: LpBlit, row: Pointer, n: Value) -> Pointer:
    """The same row of sample n."""
    return b.bytes_from(row, n * (blit.from_size * 16), u8)


@kernel(void, (ptr(LpBlit), ptr(u8), ptr(u8), ptr(u32), u32), noinline=True)
def bring(
    b: Builder, blit: LpBlit, out: Pointer, row: Pointer, places: Pointer, count: Value
) -> None:
    """Pixels of a row, side by side."""
    size, step = blit.from_size, blit.step
    with b.If((blit.adjacent != 0) & (step != 0)):
        b.call(quads_row, out, row, places[0], count, size, step)
    with b.Elif(lambda: blit.adjacent != 0):
        b.memcpy(out, b.bytes_from(row, places[0], u8), b.cast(count * size, u64))
    with b.Else():
        b.call(gather_row, out, row, places, count, blit.from_size)


@kernel(void, (ptr(u8), ptr(u8)), inline=True)
def _add(b: Builder, total: Pointer, more: Pointer) -> None:
    """A piece's numbers (f32) plus others."""
    ty = f32.vec(16)
    with b.For(b.const(u32, 0), NUMBERS, 64) as i:
        to = b.bytes_from(total, i, f32)
        to.store(to.load(ty, align=64) + b.bytes_from(more, i, f32).load(ty, align=64), align=64)


@kernel(void, (ptr(LpBlit), ptr(BlitRow), ptr(u8), ptr(u8), ptr(u32), u32), noinline=True)
def numbers_of(
    b: Builder, blit: LpBlit, memory: BlitRow, numbers: Pointer, row: Pointer, places: Pointer,
    count: Value,
) -> None:  # fmt: skip
    """The numbers of a row's pixels, averages of their samples."""
    b.call(bring, blit, memory.pixels, row, places, count)
    blit.fetch(numbers, memory.pixels, count)
    with b.If(blit.samples > 1, likely=False):
        other = b.bytes_from(memory, BlitRow.offset("pixels") + PIXELS, u8)
        with b.For(b.const(u32, 1), blit.samples) as n:
            b.call(bring, blit, memory.pixels, _sample(b, blit, row, n), places, count)
            blit.fetch(other, memory.pixels, count)
            b.call(_add, numbers, other)
        ty = f32.vec(16)
        with b.For(b.const(u32, 0), NUMBERS, 64) as i:
            to = b.bytes_from(numbers, i, f32)
            to.store(to.load(ty, align=64) * b.splat(blit.scale, 16), align=64)


def _mix(b: Builder, to: Pointer, first: Pointer, second: Pointer, weight: Callable[[Value], Value],
         ) -> None:  # fmt: skip
    """first * (1 - weight) + second * weight of a piece's numbers; `weight` of its column."""
    ty = f32.vec(16)
    with b.For(b.const(u32, 0), PIECE, 16) as i:
        w = weight(i)
        for n in range(4):
            x, y = (b.bytes_from(p, i * 4 + n * PLANE, f32).load(ty, align=64)
                    for p in (first, second))  # fmt: skip
            mixed = x * (1.0 - w) + y * w
            b.bytes_from(to, i * 4 + n * PLANE, f32).store(mixed, align=64)


@kernel(ptr(u8), (ptr(LpBlit), ptr(BlitRow), u32, u32, u32, u32), noinline=True)
def filtered_row(
    b: Builder, blit: LpBlit, memory: BlitRow, y: Value, other: Value, column: Value, count: Value
) -> None:
    """Row y of texels, filtered in x; `other` is a row that must stay where it is kept."""
    kept = b.bytes_from(memory, BlitRow.offset("kept"), u8)
    rows = memory.kept_rows
    for n in range(2):
        with b.If(rows[n] == y):
            b.Return(b.bytes_from(kept, NUMBERS * n, u8))
    slot = b.select(rows[0] == other, b.const(u32, 1), b.const(u32, 0))
    to = b.bytes_from(kept, slot * NUMBERS, u8)
    rows[slot] = y
    row = _source_row(b, blit, y)
    left = b.bytes_from(memory, BlitRow.offset("numbers"), u8)
    right = b.bytes_from(memory, BlitRow.offset("one"), u8)
    b.call(numbers_of, blit, memory, left, row, blit.columns + column, count)
    b.call(numbers_of, blit, memory, right, row, blit.right + column, count)
    weights = blit.weights + column

    def weight(i: Value) -> Value:
        return (weights + i).load(f32.vec(16), align=4)

    _mix(b, to, left, right, weight)
    b.Return(to)


@kernel(void, (ptr(LpBlit), ptr(BlitRow), u32, u32, u32, u32), noinline=True)
def blit_pixels(
    b: Builder, blit: LpBlit, memory: BlitRow, line: Value, column: Value, count: Value, n: Value
) -> None:
    """`memory.done`: the packed pixels of dst in row `line` of the box, from a column of it on; of
    sample n and those behind it that are read."""
    places, done, numbers = blit.columns + column, memory.done, memory.numbers
    y = blit.rows[line]
    row = _sample(b, blit, _source_row(b, blit, y), n)
    with b.Switch(blit.how) as s:
        with s.Case(BLIT_MOVE):
            b.call(bring, blit, done, row, places, count)
        with s.Case(BLIT_CONVERT):
            b.call(numbers_of, blit, memory, numbers, row, places, count)
            blit.put(numbers, done, count)
        with s.Case(BLIT_FILTER):
            low = blit.below[line]
            above = b.call(filtered_row, blit, memory, y, low, column, count)
            below = b.call(filtered_row, blit, memory, low, y, column, count)
            share = b.splat(blit.row_weights[line], 16)
            _mix(b, numbers, above, below, lambda _: share)
            blit.put(numbers, done, count)
        with s.Case(BLIT_AVERAGE):
            with b.For(b.const(u32, 0), blit.samples) as k:
                pixels = b.bytes_from(memory.pixels, k * PIXELS, u8)
                b.call(bring, blit, pixels, _sample(b, blit, row, k), places, count)
            b.call(average_row, done, memory.pixels, count, blit.format)
    with b.If((blit.swap | blit.ones) != 0):
        b.call(swap_row, done, count, blit.swap, blit.ones)


def _to_stamps(
    b: Builder, blit: LpBlit, memory: BlitRow, row: Pointer, x: Value, line: Value, column: Value,
    count: Value,
) -> None:  # fmt: skip
    """Emit: a row of pixels to columns from x on of a row of stamps: all samples get the pixel, or
    each its own."""
    size, samples = blit.size, blit.to_samples
    with b.For(b.const(u32, 0), samples) as n:
        own = blit.one_to_one != 0
        with b.If(own | (n == 0)):
            b.call(blit_pixels, blit, memory, line, column, count, b.select(own, n, 0))
        to = b.bytes_from(row, n * (size * 16), u8)
        b.call(scatter_row, to, memory.done, x, count, size, size * 16 * samples, blit.keep)


def _to_rows(
    b: Builder, blit: LpBlit, memory: BlitRow, to: Pointer, line: Value, column: Value, count: Value
) -> None:
    """Emit: a row of pixels to where the first of them lies in rows."""
    size = b.cast(count * blit.size, u64)
    whole = (blit.how == BLIT_MOVE) & (blit.adjacent != 0) & (blit.step == 0)
    with b.If(whole & ((blit.swap | blit.ones) == 0), likely=True):
        row = _source_row(b, blit, blit.rows[line])
        b.memcpy(to, b.bytes_from(row, blit.columns[column], u8), size)
    with b.Else():
        b.call(blit_pixels, blit, memory, line, column, count, 0)
        b.memcpy(to, memory.done, size)


@kernel(void, (ptr(LpTask), u64), noinline=True)
def rast_blit(b: Builder, task: LpTask, command: Value) -> None:
    """OP_BLIT: what of the box lies in the tile."""
    blit = b.int_to_ptr(address_of(command), LpBlit)
    memory = b.array(BlitRow, 1, align=64)
    for n in range(2):
        memory.kept_rows[n] = b.const(u32, 0xFFFFFFFF)
    left, top = b.max(blit.box[0], task.x0), b.max(blit.box[1], task.y0)
    right, bottom = b.min(blit.box[2], task.x0 + 64), b.min(blit.box[3], task.y0 + 64)
    count, column = b.cast(right - left, u32), b.cast(left - blit.box[0], u32)
    x, target = b.cast(left - task.x0, u32), blit.target
    with b.If((target == MAX_TARGETS) | (task.scene.samples > 1)):
        place, stride = b.var(ptr(u8), task.depth), b.var(u32, task.depth_stride)
        with b.If(target != MAX_TARGETS):
            place.value, stride.value = task.color[target], task.color_stride[target]
        with b.For(top, bottom) as y:
            line, within = b.cast(y - blit.box[1], u32), b.cast(y - task.y0, u32)
            stamps = b.cast((within & ~3) * stride.value, u64)
            row = place.value + (stamps + b.cast((within & 3) * 4 * blit.size, u64))
            _to_stamps(b, blit, memory, row, x, line, column, count)
    with b.Else():
        pitch = b.cast(task.color_stride[target], u64)
        first = b.bytes_from(b.load(task.color + target, ptr(u8)), x * blit.size, u8)
        with b.For(top, bottom) as y:
            line = b.cast(y - blit.box[1], u32)
            to = b.bytes_from(first, b.cast(y - task.y0, u64) * pitch, u8)
            _to_rows(b, blit, memory, to, line, column, count)
