# SPDX-License-Identifier: MIT
"""Rectangles of pixels: what glBitmap, glDrawPixels and glCopyPixels become in the driver.

In: a RectInfo (pydri/pipe/native.py): a box within the scissor, values that are the same for all
its fragments, and an image in scene memory: coverage bits, or pixels that the fragment shader reads
with `load_pixel`. Out: packets and commands in the bins, as triangles have them, but a lane of a
packet is a whole rectangle and there is neither vertex work nor an edge. Up to 16 rectangles that
share a draw's state share a packet, so a line of text is one packet and a few commands.
An image lies as fragments want it: 4x4 stamps that line up with the surface's. Every operation on
fragments is that of fs.py. The peer draws textured quads (st_cb_bitmap.c, st_cb_drawpixels.c).
"""

from __future__ import annotations

from typing import Any

from pipe_llvm.bin_large import bin_box
from pipe_llvm.gallivm import format as color
from pipe_llvm.native import OP_TRI, LpContext, LpPlan
from pipe_llvm.packet import RECT_BOX, RECT_DEPTH, PacketHeader, lane_loader
from pipe_llvm.scene import scene_state
from pipe_llvm.setup_scene import reserve
from pydri.jit import boolean, f32, i32, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.pipe.format import BY_NAME
from pydri.pipe.native import PipeDynamic, PipeNative, RectInfo
from pydri.pipe.state import (
    RECT_BITS,
    RECT_L32F,
    RECT_R32F,
    RECT_RGBA8,
    RECT_RGBA32F,
    RECT_Z32F,
)
from pydri.util.stats import INDEX

f32x16, i32x16, mask16 = f32.vec(16), i32.vec(16), boolean.vec(16)
RGBA8 = BY_NAME["R8G8B8A8_UNORM"]
#: bytes a pixel of an image; bits have a word a stamp
PIXEL_BYTES = {RECT_RGBA8: 4, RECT_RGBA32F: 16, RECT_Z32F: 4, RECT_R32F: 4, RECT_L32F: 4}
_SLACK = 1024  # what the packet and roundings may take behind an uploaded image

_ARGS = (ptr(PipeNative), ptr(void), ptr(PipeDynamic))


@kernel(ptr(u8), (*_ARGS, u32))
def lp_upload(b: Any, pipe: Any, pipeline: Any, dyn: Any, size: Any) -> None:
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


def _lane(b: Any, packet: Any, lane: Any, field: int | Any, value: Any) -> None:
    """Store one lane of a field."""
    at = b.cast(lane, u64) * value.ty.size + PacketHeader.size
    at = at + (field * 64 if isinstance(field, int) else b.cast(field, u64) * 64)
    b.bytes_from(packet, at, value.ty).store(value)


@kernel(void, (*_ARGS, ptr(RectInfo)))
def lp_draw_rect(b: Any, pipe: Any, pipeline: Any, dyn: Any, rect: Any) -> None:
    """PipeNative.draw_rect: a lane of a packet, and a command in each tile that it touches."""
    lp, plan = pipe.cast(ptr(LpContext)), pipeline.cast(ptr(LpPlan))
    x0, y0, x1, y1 = rect.x0, rect.y0, rect.x1, rect.y1
    with b.If((x0 >= x1) | (y0 >= y1)):
        b.Return()
    stats = lp.stats
    with b.If(stats != 0):
        for name in ("draws", "primitives"):
            stats[INDEX[name]] = stats[INDEX[name]] + 1
    place = b.call(reserve, lp, plan, dyn, plan.packet_bytes)
    with b.If(b.ptr_to_int(place) == 0):
        b.Return()
    scene = lp.scene
    state = b.call(scene_state, lp, plan, dyn)
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
        for name in ("linear", "front"):
            setattr(header, name, b.const(u32, 0xFFFF))
        header.clipped = 0
        scene.rects = place
        scene.rect_lanes = 0
    with b.Else():  # the state is the last one, so what was reserved is the end of the arena
        scene.arena_used = b.ptr_to_int(place) - b.ptr_to_int(scene.arena)
    now, lane = packet.value, scene.rect_lanes
    scene.rect_lanes = lane + 1
    for n, v in enumerate((x0, y0, x1 - 1, y1 - 1)):
        _lane(b, now, lane, RECT_BOX + n, v)
    _lane(b, now, lane, RECT_DEPTH, rect.depth)
    values = rect.addr("values").cast(ptr(f32))
    with b.For(b.const(u32, 0), plan.rect_inputs) as n:
        item = plan.rect_map[n]
        _lane(b, now, lane, item >> 16, values[item & 0xFFFF])
    field = plan.rect_image
    with b.If(field != 0):
        # where pixel (0, 0) of the surface would be
        size, stride = b.cast(plan.rect_bytes, i64), b.cast(rect.stride, i64)
        left, top = b.cast(x0, i64), b.cast(y0, i64)
        bits = size == 0
        back = b.select(
            bits,
            (top >> 2) * stride + (left >> 2) * 2,
            (top & -4) * stride + (left & -4) * size,
        )
        _lane(b, now, lane, field, b.cast(b.ptr_to_int(rect.image), i64) - back)
        _lane(b, now, lane, field + 2, rect.stride)
    command = b.ptr_to_int(now) | (b.cast(lane, u64) << 48)
    bin_box(b, scene, (x0, y0, x1, y1), command, OP_TRI << 56 | 8 << 52)


# -- the fragment side -----------------------------------------------------------------------------


class RectFragments:
    """What a fragment kernel does otherwise for rectangles than for triangles."""

    def __init__(self, layout: Any, rect: int) -> None:
        self.layout = layout
        self.rect = rect

    def load(self, b: Any, task: Any, state: Any, packet: Any, lane: Any) -> dict[str, Any]:
        """The rectangle's values from its lane, in the form that fs.py has of triangles."""
        load = lane_loader(b, packet, lane)
        zero, none = b.const(f32, 0.0), b.const(f32x16, 0.0)
        rect: dict[str, Any] = {"state": state, "task": task, "load": load, "rw": None}
        rect["front"] = b.const(boolean, 1)
        rect["linear"] = b.const(boolean, 1)
        rect["start"] = (b.const(i32, 0), b.const(i32, 0))
        rect["depth"] = (load(RECT_DEPTH, f32), zero, zero, none)
        rect["planes"] = {i.field: load(i.field, f32) for i in self.layout.inputs}
        if self.layout.image:
            base, stride = load(self.layout.image, i64), load(self.layout.image + 2, i32)
            x, y = b.cast(task.x0, i64), b.cast(task.y0, i64)
            wide = b.cast(stride, i64)
            if self.rect == RECT_BITS:
                base = base + (y >> 2) * wide + (x >> 2) * 2
            else:
                base = base + y * wide + x * PIXEL_BYTES[self.rect]
            rect["image"] = (b.int_to_ptr(b.cast(base, u64), u8), wide)
        return rect

    def raster(self, b: Any, rect: dict[str, Any], shade: Any) -> None:
        """Walk the stamps of the box in the tile: shade(x, y, covered pixels, are these all)."""
        load, tile = rect["load"], rect["task"]
        x0, y0 = tile.x0, tile.y0
        minx, miny = b.max(load(RECT_BOX, i32) - x0, 0), b.max(load(RECT_BOX + 1, i32) - y0, 0)
        maxx = b.min(load(RECT_BOX + 2, i32) - x0, 63)
        maxy = b.min(load(RECT_BOX + 3, i32) - y0, 63)
        px = b.const(i32x16, [n % 4 for n in range(16)])
        py = b.const(i32x16, [n // 4 for n in range(16)])
        with b.For(miny & ~3, maxy + 1, 4) as y, b.For(minx & ~3, maxx + 1, 4) as x:
            inside = (x >= minx) & (x + 3 <= maxx) & (y >= miny) & (y + 3 <= maxy)
            covered, whole = b.var(mask16, b.const(mask16, 1)), b.var(boolean, inside)
            with b.If(~inside):
                gx, gy = b.splat(x, 16) + px, b.splat(y, 16) + py
                covered.value = (gx >= minx) & (gx <= maxx) & (gy >= miny) & (gy <= maxy)
            if self.rect == RECT_BITS:
                base, stride = rect["image"]
                at = b.cast(y >> 2, i64) * stride + b.cast(x >> 1, i64)
                bits = b.bytes_from(base, at, u16).load(u16, align=2)
                covered.value = covered.value & b.mask_of(bits)
                whole.value = whole.value & (bits == 0xFFFF)
                with b.If(~b.any(covered.value)):
                    b.Continue()
            shade(x, y, [covered.value], whole.value)

    def pixel(self, b: Any, rect: dict[str, Any], x: Any, y: Any) -> list[Any]:
        """`load_pixel` of the stamp at (x, y) in the tile."""
        base, stride = rect["image"]
        size = PIXEL_BYTES[self.rect]
        place = b.bytes_from(base, b.cast(y, i64) * stride + b.cast(x, i64) * size, u8)
        if self.rect == RECT_RGBA8:
            packed = color.load_stamp(b, place, stride, RGBA8)
            return color.unpack(b, RGBA8, packed)
        floats = 4 * size // 4
        rows = [
            b.bytes_from(place, stride * n, f32).load(f32.vec(floats), align=16) for n in range(4)
        ]
        step = size // 4
        out = []
        for c in range(step):
            pairs = []
            for top in (0, 2):
                lanes = [floats * (n // 4) + n % 4 * step + c for n in range(8)]
                pairs.append(b.shuffle(rows[top], rows[top + 1], lanes))
            out.append(b.shuffle(*pairs, list(range(16))))
        if step == 1:
            others = out[0] if self.rect == RECT_L32F else b.const(f32x16, 0.0)
            return [out[0], others, others, b.const(f32x16, 1.0)]
        return out


__all__ = ["PIXEL_BYTES", "RectFragments", "lp_draw_rect", "lp_upload"]
