# SPDX-License-Identifier: MIT
"""Which samples of a tile a triangle covers where a pixel has several: blocks of 16x16 pixels, then
4x4 stamps, then a mask of pixels for each sample.

stamps.py does the same for one sample a pixel, in a kernel that all pipelines share; here the walk
is a part of the fragment kernel. What only large triangles need (classifying a block's stamps) is a
call, so that the small ones, which are most, do not compute it."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pipe_llvm.command import CUTS_BOX
from pipe_llvm.fragment.packet import BBOX, EDGE_A, EDGE_B, EDGE_C
from pipe_llvm.fragment.stamps import FAR, STAMP_X, STAMP_Y
from pydri.jit import boolean, extern_c, i32, i64, u32

if TYPE_CHECKING:
    from pipe_llvm.fragment.primitive import Primitive
    from pydri.jit import Builder, Value

#: shade(x, y, a mask a sample, whether all pixels are covered): see FragmentBuilder.shade
Shade: TypeAlias = "Callable[[Value, Value, list[Value], Value], None]"

i32x16, mask16 = i32.vec(16), boolean.vec(16)
LP_BLOCK_MASKS_SAMPLES = extern_c("lp_block_masks_samples", u32, *[i32] * 12)


class _Edge(NamedTuple):
    """An edge function, counted from the tile's first pixel."""

    dx: Value  # what it gains to the right, i32
    dy: Value  # and downwards
    first: Value  # its value at the tile's first pixel
    pixels: Value  # i32x16: what a stamp's pixels have more than the stamp's first
    drop: list[Value]  # by sample: how far its value there lies below that at the pixel


class _Box(NamedTuple):
    """The part of the triangle's bounding box that lies in the tile, in pixels, inclusive."""

    minx: Value
    miny: Value
    maxx: Value
    maxy: Value


def _edges(b: Builder, prim: Primitive) -> list[_Edge]:
    load, tile = prim.load, prim.tile
    px, py = b.const(i32x16, STAMP_X), b.const(i32x16, STAMP_Y)
    edges = []
    for k in range(3):
        a, step_y = load(EDGE_A + k, i32), load(EDGE_B + k, i32)
        e = load(EDGE_C + 2 * k, i64)
        e = e + b.cast(a, i64) * b.cast(tile.x0, i64) + b.cast(step_y, i64) * b.cast(tile.y0, i64)
        # beyond this an edge has the same sign in the whole tile, and 32 bits are enough
        e = b.cast(b.min(b.max(e, -FAR), FAR), i32)
        pixels = b.splat(a, 16) * px + b.splat(step_y, 16) * py
        edges.append(_Edge(a, step_y, e, pixels, prim.sample_drop[k]))
    return edges


def _classify(b: Builder, edges: list[_Edge], left: Value, top: Value) -> Value:
    """The stamps of the block at (left, top): see block_masks_samples of stamps.py."""
    args: list[Value] = []
    for edge in edges:
        args += [edge.dx, edge.dy, edge.first + edge.dx * left + edge.dy * top]
        args.append(reduce(b.max, edge.drop))
    masks: Value = b.call(LP_BLOCK_MASKS_SAMPLES, *args)
    return masks


def _coverage(b: Builder, edges: list[_Edge], samples: int, x: Value, y: Value) -> list[Value]:
    """Which pixels of the stamp at (x, y) the edges leave inside: a mask a sample."""
    values = [b.splat(e.first + e.dx * x + e.dy * y, 16) + e.pixels for e in edges]
    masks = []
    for s in range(samples):
        inside = b.const(mask16, 1)
        for value, edge in zip(values, edges):
            inside = inside & (value >= b.splat(edge.drop[s], 16))
        masks.append(inside)
    return masks


def _touched(b: Builder, box: _Box, left: Value, top: Value) -> Value:
    """The stamps of the block at (left, top) that the bounding box touches, as 16 bits."""
    first_x, last_x = b.max(box.minx - left, 0) >> 2, b.min(box.maxx - left, 15) >> 2
    first_y, last_y = b.max(box.miny - top, 0) >> 2, b.min(box.maxy - top, 15) >> 2
    one = b.const(u32, 1)
    columns = (one << b.cast(last_x + 1, u32)) - (one << b.cast(first_x, u32))
    rows = (one << b.cast(last_y * 4 + 4, u32)) - (one << b.cast(first_y * 4, u32))
    return (rows & 0x1111) * columns


def walk_triangle(b: Builder, samples: int, prim: Primitive, cut: Value, shade: Shade) -> None:
    """Shade the stamps of a triangle that have covered samples. `cut`: edges that cut the tile (0:
    the triangle covers it), bit 3: the bounding box cuts it."""
    load, tile = prim.load, prim.tile
    x0, y0 = tile.x0, tile.y0
    minx, miny = b.max(load(BBOX, i32) - x0, 0), b.max(load(BBOX + 1, i32) - y0, 0)
    maxx, maxy = b.min(load(BBOX + 2, i32) - x0, 63), b.min(load(BBOX + 3, i32) - y0, 63)
    box = _Box(minx, miny, maxx, maxy)
    edges = _edges(b, prim)
    boxed = (cut & CUTS_BOX) != 0
    covers = cut == 0
    stamps_x, stamps_y = (maxx >> 2) - (minx >> 2), (maxy >> 2) - (miny >> 2)
    few = stamps_x + stamps_y <= 2
    with b.For(miny >> 4, (maxy >> 4) + 1) as by:
        with b.For(minx >> 4, (maxx >> 4) + 1) as bx:
            left, top = bx << 4, by << 4
            todo = b.var(u32, _touched(b, box, left, top))
            full = b.var(u32, b.select(covers, b.const(u32, 0xFFFF), b.const(u32, 0)))
            with b.If(~(few | covers)):
                masks = _classify(b, edges, left, top)
                todo.value = todo.value & masks
                full.value = b.select(boxed, b.const(u32, 0), masks >> 16)
            with b.While(lambda: todo.value != 0):
                n = b.ctz(todo.value)
                todo.value = todo.value & (todo.value - 1)
                x = left + b.cast((n & 3) << 2, i32)
                y = top + b.cast((n >> 2) << 2, i32)
                everywhere = b.const(mask16, 1)
                covered = [b.var(mask16, everywhere) for _ in range(samples)]
                is_whole = ((full.value >> n) & 1) != 0
                with b.If(~is_whole):
                    for var, inside in zip(covered, _coverage(b, edges, samples, x, y)):
                        var.value = inside
                    with b.If(boxed, likely=False):
                        gx = b.splat(x, 16) + b.const(i32x16, STAMP_X)
                        gy = b.splat(y, 16) + b.const(i32x16, STAMP_Y)
                        in_box = (gx >= minx) & (gx <= maxx) & (gy >= miny) & (gy <= maxy)
                        for var in covered:
                            var.value = var.value & in_box
                    with b.If(~b.any(reduce(or_, [var.value for var in covered]))):
                        b.Continue()
                shade(x, y, [var.value for var in covered], is_whole)
