# SPDX-License-Identifier: MIT
"""Rectangles of pixels: what glBitmap, glDrawPixels and glCopyPixels become in the driver.

In: a RectInfo (pydri/pipe/native.py): a box within the scissor, values that are the same for all
its fragments, and an image in scene memory: coverage bits, or pixels that the fragment shader reads
with `load_pixel`. Out: packets and commands in the bins, as triangles have them, but a lane of a
packet is a whole rectangle and there is neither vertex work nor an edge. Up to 16 rectangles that
share a draw's state share a packet, so a line of text is one packet and a few commands.
An image lies as fragments want it: 4x4 stamps that line up with the surface's. Every operation on
fragments is that of fragment/kernel.py. The peer draws textured quads (st_cb_bitmap.c,
st_cb_drawpixels.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.command import CUT_SCISSOR, OP_TRI, coded, of_lane
from pipe_llvm.fragment.packet import RECT_BOX, RECT_DEPTH, PacketHeader
from pipe_llvm.native import LpContext, LpPlan, LpRectPlan, LpStagePlan
from pipe_llvm.scene import scene_state
from pipe_llvm.setup.bin_large import bin_box
from pipe_llvm.setup.recording import reserve, settle_blocks, settle_memory, settle_views
from pydri.jit import boolean, f32, i64, kernel, ptr, u8, u32, u64, void
from pydri.pipe.native import PipeDynamic, PipeNative, RectInfo
from pydri.util.stats import INDEX

if TYPE_CHECKING:
    from pipe_llvm.native import LpScene
    from pydri.jit import Builder, Pointer, Value

_SLACK = 1024  # what the packet and roundings may take behind an uploaded image

_ARGS = (ptr(PipeNative), ptr(void), ptr(PipeDynamic))


@kernel(ptr(u8), (*_ARGS, u32))
def lp_upload(
    b: Builder, pipe: PipeNative, pipeline: Pointer, dyn: PipeDynamic, size: Value
) -> None:
    """PipeNative.upload: scene memory, with room kept for the rectangle that shows it."""
    lp, plan = pipe.cast(ptr(LpContext)), pipeline.cast(ptr(LpPlan))
    with b.If(size > 1 << 24):
        b.Return(None)
    more = b.cast(plan.packet_bytes, u32) + _SLACK
    place = b.call(reserve, lp, plan, dyn, size + more)
    with b.If(b.ptr_to_int(place) != 0, likely=True):
        scene = lp.scene
        end = b.ptr_to_int(place) - b.ptr_to_int(scene.arena) + b.cast((size + 63) & ~63, u64)
        scene.arena_used = end
    b.Return(place)


def _lane(b: Builder, packet: Pointer, lane: Value, field: int | Value, value: Value) -> None:
    """Store one lane of a field."""
    at = b.cast(lane, u64) * value.ty.size + PacketHeader.size
    at = at + (field * 64 if isinstance(field, int) else b.cast(field, u64) * 64)
    b.bytes_from(packet, at, value.ty).store(value)


def _take_packet(b: Builder, scene: LpScene, place: Pointer, state: Value) -> Pointer:
    """The packet for a rectangle of the draw state `state`: that of the rectangle before, if it has
    the same state and a free lane, else a new one at `place`, which was reserved."""
    packet = b.var(ptr(u8), scene.rects)
    fresh = b.var(boolean, scene.rect_lanes == 16)
    with b.If(b.ptr_to_int(packet.value) == 0):
        fresh.value = b.const(boolean, 1)
    with b.Else():
        other = packet.value.cast(ptr(PacketHeader)).state != state
        fresh.value = fresh.value | other
    with b.If(fresh.value):
        packet.value = place
        header = place.cast(ptr(PacketHeader))
        header.state = state
        header.linear = b.const(u32, 0xFFFF)
        header.front = b.const(u32, 0xFFFF)
        header.clipped = 0
        scene.rects = place
        scene.rect_lanes = 0
    with b.Else():  # the state is the last one, so what was reserved is the end of the arena
        scene.arena_used = b.ptr_to_int(place) - b.ptr_to_int(scene.arena)
    return packet.value


def _store_image(
    b: Builder,
    fields: LpRectPlan,
    packet: Pointer,
    lane: Value,
    rect: RectInfo,
    corner: tuple[Value, Value],
) -> None:
    """The fields of the image, whose first pixel is at `corner` of the surface: where pixel (0, 0)
    of the surface would lie, and the stride."""
    size, stride = b.cast(fields.bytes, i64), b.cast(rect.stride, i64)
    left, top = (b.cast(n, i64) for n in corner)
    bits = size == 0
    back = b.select(
        bits,
        (top >> 2) * stride + (left >> 2) * 2,
        (top & -4) * stride + (left & -4) * size,
    )
    _lane(b, packet, lane, fields.image, b.cast(b.ptr_to_int(rect.image), i64) - back)
    _lane(b, packet, lane, fields.image + 2, rect.stride)


@kernel(void, (*_ARGS, ptr(RectInfo)))
def lp_draw_rect(
    b: Builder, pipe: PipeNative, pipeline: Pointer, dyn: PipeDynamic, rect: RectInfo
) -> None:
    """PipeNative.draw_rect: a lane of a packet, and a command in each tile that it touches."""
    lp, plan = pipe.cast(ptr(LpContext)), pipeline.cast(ptr(LpPlan))
    x0, y0, x1, y1 = rect.x0, rect.y0, rect.x1, rect.y1
    with b.If((x0 >= x1) | (y0 >= y1)):
        b.Return()
    stats = lp.stats
    with b.If(stats != 0):
        for name in ("draws", "primitives"):
            stats[INDEX[name]] = stats[INDEX[name]] + 1
    reads = plan.addr("fragment").cast(ptr(LpStagePlan))
    with b.If(reads.views != 0):
        b.call(settle_views, lp, plan, dyn)
    with b.If(reads.memory != 0, likely=False):
        b.call(settle_memory, lp, plan, dyn)
    with b.If(reads.blocks != 0, likely=False):
        b.call(settle_blocks, lp, plan, dyn)
    place: Pointer = b.call(reserve, lp, plan, dyn, plan.packet_bytes)
    with b.If(b.ptr_to_int(place) == 0):
        b.Return()
    scene = lp.scene
    state = b.call(scene_state, lp, plan, dyn)
    packet = _take_packet(b, scene, place, state)
    lane = scene.rect_lanes
    scene.rect_lanes = lane + 1
    for n, corner in enumerate((x0, y0, x1 - 1, y1 - 1)):
        _lane(b, packet, lane, RECT_BOX + n, corner)
    _lane(b, packet, lane, RECT_DEPTH, rect.depth)
    values = rect.addr("values").cast(ptr(f32))
    fields = plan.addr("rect").cast(ptr(LpRectPlan))
    with b.For(b.const(u32, 0), fields.inputs) as i:
        item = fields.map[i]
        _lane(b, packet, lane, item >> 16, values[item & 0xFFFF])
    with b.If(fields.image != 0):
        _store_image(b, fields, packet, lane, rect, (x0, y0))
    command = of_lane(b, b.ptr_to_int(packet), lane)
    bin_box(b, scene, (x0, y0, x1, y1), command, coded(OP_TRI) | CUT_SCISSOR)


__all__ = ["lp_draw_rect", "lp_upload"]
