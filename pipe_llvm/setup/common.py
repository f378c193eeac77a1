# SPDX-License-Identifier: MIT
"""What all setup kernels do around their arithmetic: the scissor, a packet of the scene for each
sixteen primitives, and a command in the bin of each tile that they touch.

In: boxes of pixels, sixteen at a time. Out: a packet with its header and boxes, whose other fields
are the caller's to store, and the loop that hands each live lane to its bin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pipe_llvm.command import of_lane
from pipe_llvm.fragment.packet import BBOX, PacketHeader, store_field
from pipe_llvm.native import (
    TILE_SHIFT,
    LpBin,
    LpChunk,
    LpContext,
    LpFragState,
    LpPlan,
    LpScene,
)
from pipe_llvm.scene import append_command, is_counted
from pydri.jit import extern_c, i32, ptr, u8, u32
from pydri.pipe.native import PipeDynamic

# kernels of the driver's core image (pipe_llvm/core.py), shared by all setup kernels
LP_RESERVE = extern_c("lp_reserve", ptr(u8), ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic), u32)
LP_SCENE_STATE = extern_c(
    "lp_scene_state", ptr(LpFragState), ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic)
)
LP_NEW_CHUNK = extern_c("lp_new_chunk", ptr(LpChunk), ptr(LpScene), ptr(LpBin))

#: first and last column and row of pixels, inclusive: min x, min y, max x, max y (i32 vectors)
Box = tuple[Any, Any, Any, Any]
_FAR = 1 << 30  # beyond all coordinates


def free_scissor(b: Any, scissor: Any, surface: Any, draw: Any, plan: Any) -> Box:
    """What of a scissor keeps pixels of a tile out: nothing where it is the surface's own edge.
    There is nothing before the first column and row, and behind the last ones is padding, in which
    may be drawn if nobody sees it: no query counts there, no shader writes memory."""
    unseen = ~is_counted(b, draw) & (plan.fragment.access.writes == 0)
    x0, y0, x1, y1 = scissor
    begins = (b.select(start == 0, b.const(i32, -_FAR), start) for start in (x0, y0))
    ends = (
        b.select(unseen & (stop == b.cast(size, i32)), b.const(i32, _FAR), stop)
        for stop, size in ((x1, surface.width), (y1, surface.height))
    )
    return (*begins, *ends)


class SetupPackets:
    """The packets of one call of a setup kernel. Made at the kernel's start; leaves the kernel if
    the scissor lets nothing through."""

    def __init__(self, b: Any, lp: Any, plan: Any, dyn: Any, packet_bytes: int) -> None:
        self.b, self.lp, self.plan, self.dyn = b, lp, plan, dyn
        self.packet_bytes: Any = b.const(u32, packet_bytes)
        self.scissor = x0, y0, x1, y1 = (
            dyn.scissor_x0, dyn.scissor_y0, dyn.scissor_x1, dyn.scissor_y1,
        )  # fmt: skip
        with b.If((x0 >= x1) | (y0 >= y1)):
            b.Return()
        self.keeps_out = free_scissor(b, self.scissor, dyn.fb, dyn, plan)
        self.state = b.var(ptr(LpFragState))
        self.state.value = None

    @staticmethod
    def _lie_in(box: Box, scissor: Box) -> Any:
        x0, y0, x1, y1 = scissor
        minx, miny, maxx, maxy = box
        return (minx >= x0) & (miny >= y0) & (maxx < x1) & (maxy < y1)

    def whole(self, box: Box) -> Any:
        """Which boxes the scissor leaves whole."""
        return self._lie_in(box, self.scissor)

    def inside(self, box: Box) -> Any:
        """Of which boxes there is nothing that the scissor keeps out."""
        return self._lie_in(box, self.keeps_out)

    def clip(self, box: Box) -> Box:
        """What the scissor leaves of boxes; of some nothing (see `some`)."""
        b = self.b
        x0, y0, x1, y1 = self.scissor
        minx, miny, maxx, maxy = box
        return b.max(minx, x0), b.max(miny, y0), b.min(maxx, x1 - 1), b.min(maxy, y1 - 1)

    @staticmethod
    def some(box: Box) -> Any:
        """Which boxes hold a pixel."""
        minx, miny, maxx, maxy = box
        return (minx <= maxx) & (miny <= maxy)

    def open(self, alive: Any, box: Box) -> tuple[Any, Any, Any]:
        """A packet for the lanes of `alive` with these boxes, its header, and the lanes as bits
        that may be counted down. Goes on with the loop around it if there are none, leaves the
        kernel if memory ran out."""
        b, lp, plan, dyn = self.b, self.lp, self.plan, self.dyn
        todo = b.var(u32, b.cast(b.bits_of(alive), u32))
        with b.If(todo.value == 0):
            b.Continue()
        packet = b.call(LP_RESERVE, lp, plan, dyn, self.packet_bytes)
        with b.If(b.ptr_to_int(packet) == 0):
            b.Return()
        header = packet.cast(ptr(PacketHeader))
        # one state block serves the whole draw, unless the scene was flushed meanwhile
        state = self.state
        stale = (b.ptr_to_int(state.value) == 0) | (lp.scene.state != state.value)
        with b.If(stale, likely=False):
            state.value = b.call(LP_SCENE_STATE, lp, plan, dyn)
        header.state = state.value
        for k, v in enumerate(box):
            store_field(b, packet, BBOX + k, v)
        return packet, header, todo

    def bin(
        self,
        packet: Any,
        box: Box,
        todo: Any,
        small: Callable[[Any], Any],
        large: Callable[[Any, Any], None],
        layer: Any = None,
    ) -> None:
        """A command for each lane: `small` gives what it says besides packet and lane where the box
        lies within one tile (of a lane, as u32); `large` bins the others (lane, command). `layer`:
        the floats of rows that say which layer they go to; those that there are not are the last
        (OpenGL 3.2, 4.4.7 leaves that open)."""
        b, scene = self.b, self.lp.scene
        minx, miny, maxx, maxy = box
        one_tile = ((minx ^ maxx) | (miny ^ maxy)) < 1 << TILE_SHIFT
        single = b.cast(b.bits_of(one_tile), u32)
        tile = (miny >> TILE_SHIFT) * b.cast(scene.tiles_x, i32) + (minx >> TILE_SHIFT)
        tiles = b.array(i32, 16, align=64)
        tiles.store(tile, align=64)
        layers = b.array(u32, 16, align=64) if layer is not None else None
        if layers is not None:
            last = b.max(scene.drawn_layers, 1) - 1
            layers.store(b.min(b.bitcast(layer, u32), b.splat(last, 16)), align=64)
        base = b.ptr_to_int(packet)
        scene.work = scene.work + b.popcount(todo.value)
        with b.While(lambda: todo.value != 0):
            lane = b.ctz(todo.value)
            todo.value = todo.value & (todo.value - 1)
            command = of_lane(b, base, lane)
            if layers is not None:
                scene.layer_bins = scene.bins + layers[lane] * scene.layer_tiles
            with b.If(((single >> lane) & 1) != 0, likely=True):
                append_command(b, scene, tiles[lane], command | small(lane), LP_NEW_CHUNK)
            with b.Else():
                large(lane, command)
        if layers is not None:
            scene.layer_bins = scene.bins
