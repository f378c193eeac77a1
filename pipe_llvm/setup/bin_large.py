# SPDX-License-Identifier: MIT
"""Binning of triangles that span tiles: which tiles, and which edges cut each (the loop of
lp_setup_tri.c's do_triangle_ccw).

A tile is outside if some edge is negative at its best corner, and needs no test of the edges that
are positive at their worst corner. A tile that no edge cuts gets OP_WHOLE."""

from __future__ import annotations

from functools import reduce
from typing import Any

from pipe_llvm.command import CUT_EDGE, CUT_SCISSOR, OP_BOX, OP_TRI, OP_WHOLE, coded
from pipe_llvm.fragment.area import edge_reach
from pipe_llvm.fragment.packet import (
    BBOX,
    EDGE_A,
    EDGE_B,
    EDGE_C,
    SAMPLE_EDGES,
    PacketHeader,
    field_pointer,
)
from pipe_llvm.native import SAMPLE_POSITIONS, TILE_SHIFT, WORK_TILE, LpContext
from pipe_llvm.scene import append_command, new_chunk
from pipe_llvm.setup.common import free_scissor
from pydri.jit import Kernel, boolean, i32, i64, kernel, ptr, u32, u64, void


def _cuts_tile(b: Any, scissor: Any, x: Any, y: Any) -> Any:
    """Whether a scissor (free_scissor) cuts the tile at (x, y)."""
    x0, y0, x1, y1 = scissor
    return (x < x0) | (y < y0) | (x + 63 >= x1) | (y + 63 >= y1)


def _bin(
    b: Any,
    lp: Any,
    packet: Any,
    lane: Any,
    command: Any,
    clipped: Any,
    samples: int,
    smooth: bool,
) -> None:

    def field(number: int, ty: Any) -> Any:
        return field_pointer(b, packet, number, ty)[lane]

    minx, miny, maxx, maxy = [field(BBOX + k, i32) for k in range(4)]
    scene, state = lp.scene, packet.cast(ptr(PacketHeader)).state
    scissor = free_scissor(b, [state.scissor[k] for k in range(4)], scene, state, state.plan)
    tiles_x = b.cast(scene.tiles_x, i32)
    edges = []
    for k in range(3):
        a, step_y, c = field(EDGE_A + k, i32), field(EDGE_B + k, i32), field(EDGE_C + 2 * k, i64)
        a, step_y = b.cast(a, i64), b.cast(step_y, i64)
        zero = b.const(i64, 0)
        most = b.max(a * 63, zero) + b.max(step_y * 63, zero)
        least = b.min(a * 63, zero) + b.min(step_y * 63, zero)
        if samples:
            first = SAMPLE_EDGES + k * samples
            less = reduce(b.max, [field(first + s, i32) for s in range(samples)])
            least = least - b.cast(less, i64)
        if smooth:
            reach = edge_reach(b, a, step_y)
            most, least = most + reach, least - reach
        edges.append((a * 64, step_y * 64, c, most, least))
    with b.For(miny >> TILE_SHIFT, (maxy >> TILE_SHIFT) + 1) as ty:
        with b.For(minx >> TILE_SHIFT, (maxx >> TILE_SHIFT) + 1) as tx:
            out = b.const(boolean, 0)
            cut = b.const(u64, 0)
            for k, (a, step_y, c, most, least) in enumerate(edges):
                e = c + a * b.cast(tx, i64) + step_y * b.cast(ty, i64)
                out = out | (e + most < 0)
                edge = b.const(u64, CUT_EDGE[k])
                cut = cut | b.select(e + least < 0, edge, b.const(u64, 0))
            with b.If(out):
                b.Continue()
            boxed = (clipped != 0) & _cuts_tile(b, scissor, tx << TILE_SHIFT, ty << TILE_SHIFT)
            cut = cut | b.select(boxed, b.const(u64, CUT_SCISSOR), b.const(u64, 0))
            op = b.select(cut == 0, b.const(u64, coded(OP_WHOLE)), b.const(u64, coded(OP_TRI)))
            scene.work = scene.work + WORK_TILE
            append_command(b, scene, ty * tiles_x + tx, command | cut | op, new_chunk)


def _kernel(name: str, samples: int = 0, smooth: bool = False) -> Kernel:
    @kernel(void, (ptr(LpContext), ptr(PacketHeader), u32, u64, u32), noinline=True, name=name)
    def bin_large(b: Any, lp: Any, packet: Any, lane: Any, command: Any, clipped: Any) -> None:
        """Put a triangle that spans tiles into the bin of each tile it touches, with the edges
        that cut that tile.
        """
        _bin(b, lp, packet, lane, command, clipped, samples, smooth)

    return bin_large


bin_large = _kernel("lp_bin_large")
bin_smooth = _kernel("lp_bin_large_smooth", smooth=True)


def bin_box(b: Any, scene: Any, box: tuple[Any, Any, Any, Any], command: Any, part: int) -> None:
    """Emit: put a box of pixels (first column and row, those behind the last) into the bin of each
    tile it touches. `part`: operation and edges where the box cuts the tile."""
    x0, y0, x1, y1 = box
    tiles_x = b.cast(scene.tiles_x, i32)
    last_x, last_y = (x1 - 1) >> TILE_SHIFT, (y1 - 1) >> TILE_SHIFT
    one = ((x0 >> TILE_SHIFT) == last_x) & ((y0 >> TILE_SHIFT) == last_y)
    work = b.select(one, b.const(u32, 1), b.const(u32, WORK_TILE))
    with b.For(y0 >> TILE_SHIFT, last_y + 1) as ty:
        with b.For(x0 >> TILE_SHIFT, last_x + 1) as tx:
            left, top = tx << TILE_SHIFT, ty << TILE_SHIFT
            whole = (left >= x0) & (top >= y0) & (left + 64 <= x1) & (top + 64 <= y1)
            cut = b.select(whole, b.const(u64, coded(OP_WHOLE)), b.const(u64, part))
            scene.work = scene.work + work
            append_command(b, scene, ty * tiles_x + tx, command | cut, new_chunk)


@kernel(void, (ptr(LpContext), ptr(PacketHeader), u32, u64), noinline=True)
def lp_bin_box(b: Any, lp: Any, packet: Any, lane: Any, command: Any) -> None:
    """Put a square that spans tiles into the bin of each."""
    minx, miny, maxx, maxy = (field_pointer(b, packet, BBOX + k, i32)[lane] for k in range(4))
    bin_box(b, lp.scene, (minx, miny, maxx + 1, maxy + 1), command, coded(OP_BOX))


#: by number of samples at which edges are evaluated
bin_samples = {n: _kernel(f"lp_bin_large_{n}x", n) for n in SAMPLE_POSITIONS}
