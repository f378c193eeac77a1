# SPDX-License-Identifier: MIT
"""What a fragment kernel does otherwise for rectangles (rect.py) than for triangles: it loads a box
and values without planes, walks the stamps of the box, and reads the rectangle's image."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from pipe_llvm.fragment.packet import RECT_BOX, RECT_DEPTH, PacketLayout, lane_loader
from pipe_llvm.fragment.primitive import Plane, Planes, Primitive, RectImage, Tile
from pipe_llvm.fragment.stamps import STAMP_X, STAMP_Y
from pipe_llvm.gallivm import format as color
from pydri.jit import boolean, f32, i32, i64, u8, u16, u64
from pydri.pipe.format import BY_NAME
from pydri.pipe.state import RECT_BITS, RECT_L32F, RECT_PIXEL_BYTES, RECT_RGBA8

if TYPE_CHECKING:
    from pipe_llvm.native import LpFragState
    from pydri.jit import Builder, Pointer, Value

#: shade(x, y, masks of covered pixels, whether these are all): see FragmentBuilder.shade
Shade: TypeAlias = "Callable[[Value, Value, list[Value], Value], None]"

f32x16, i32x16, mask16 = f32.vec(16), i32.vec(16), boolean.vec(16)
RGBA8 = BY_NAME["R8G8B8A8_UNORM"]


class RectFragments:
    """The part of a fragment kernel that draws rectangles with an image of kind `rect` (RECT_*)."""

    def __init__(self, layout: PacketLayout, rect: int) -> None:
        self.layout = layout
        self.rect = rect

    def load(
        self, b: Builder, tile: Tile, state: LpFragState, packet: Pointer, lane: Value
    ) -> Primitive:
        """The rectangle's values from its lane."""
        load = lane_loader(b, packet, lane)
        zero = b.const(f32, 0.0)
        true, first = b.const(boolean, 1), b.const(i32, 0)
        rect = Primitive(tile, state, load, true, true, (first, first))
        rect.corners = Planes(b)
        rect.depth = rect.corners.add(Plane(zero, zero, b.splat(load(RECT_DEPTH, f32), 16)))
        rect.planes = {i.field: load(i.field, f32) for i in self.layout.inputs}
        if self.layout.image:
            base, stride = load(self.layout.image, i64), load(self.layout.image + 2, i32)
            x, y = b.cast(tile.x0, i64), b.cast(tile.y0, i64)
            wide = b.cast(stride, i64)
            if self.rect == RECT_BITS:
                base = base + (y >> 2) * wide + (x >> 2) * 2
            else:
                base = base + y * wide + x * RECT_PIXEL_BYTES[self.rect]
            rect.image = RectImage(b.int_to_ptr(b.cast(base, u64), u8), wide)
        return rect

    def walk(self, b: Builder, rect: Primitive, shade: Shade) -> None:
        """Shade the stamps of the box that lie in the tile."""
        load, tile = rect.load, rect.tile
        x0, y0 = tile.x0, tile.y0
        minx, miny = b.max(load(RECT_BOX, i32) - x0, 0), b.max(load(RECT_BOX + 1, i32) - y0, 0)
        maxx = b.min(load(RECT_BOX + 2, i32) - x0, 63)
        maxy = b.min(load(RECT_BOX + 3, i32) - y0, 63)
        px = b.const(i32x16, STAMP_X)
        py = b.const(i32x16, STAMP_Y)
        with b.For(miny & ~3, maxy + 1, 4) as y, b.For(minx & ~3, maxx + 1, 4) as x:
            inside = (x >= minx) & (x + 3 <= maxx) & (y >= miny) & (y + 3 <= maxy)
            covered, whole = b.var(mask16, b.const(mask16, 1)), b.var(boolean, inside)
            with b.If(~inside):
                gx, gy = b.splat(x, 16) + px, b.splat(y, 16) + py
                covered.value = (gx >= minx) & (gx <= maxx) & (gy >= miny) & (gy <= maxy)
            if self.rect == RECT_BITS:
                assert rect.image is not None
                base, stride = rect.image
                at = b.cast(y >> 2, i64) * stride + b.cast(x >> 1, i64)
                bits = b.bytes_from(base, at, u16).load(u16, align=2)
                covered.value = covered.value & b.mask_of(bits)
                whole.value = whole.value & (bits == 0xFFFF)
                with b.If(~b.any(covered.value)):
                    b.Continue()
            shade(x, y, [covered.value], whole.value)

    def pixel(self, b: Builder, image: RectImage, x: Value, y: Value) -> list[Value]:
        """`load_pixel` of the stamp at (x, y) in the tile."""
        base, stride = image
        size = RECT_PIXEL_BYTES[self.rect]
        place = b.bytes_from(base, b.cast(y, i64) * stride + b.cast(x, i64) * size, u8)
        if self.rect == RECT_RGBA8:
            packed = color.load_stamp(b, place, stride, RGBA8)
            return color.unpack(b, RGBA8, packed)
        floats = size  # of a row of four pixels
        rows = [
            b.bytes_from(place, stride * n, f32).load(f32.vec(floats), align=16) for n in range(4)
        ]
        step = size // 4
        out = []
        for c in range(step):
            lanes = [floats * (n // 4) + n % 4 * step + c for n in range(8)]
            top, bottom = (b.shuffle(rows[n], rows[n + 1], lanes) for n in (0, 2))
            out.append(b.shuffle(top, bottom, list(range(16))))
        if step == 1:
            others = out[0] if self.rect == RECT_L32F else b.const(f32x16, 0.0)
            return [out[0], others, others, b.const(f32x16, 1.0)]
        return out
