# SPDX-License-Identifier: MIT
"""Point setup: vertex numbers in, squares of pixels in the scene's bins out (lp_setup_point.c's
job).

Points that are neither smooth nor multisampled: axis-aligned squares of whole pixels, or of their
very size (sprites), whose depth and inputs do not vary, but for the coordinates of sprites. Sixteen
are set up at once into a packet that fragment kernels read as they read triangles', but there are
no edges: a square within one 4x4 stamp brings its entry of the stamp list along, others are walked
by their boxes (stamps.py). A pipeline of points has constant inputs (PacketLayout.constant);
corners of polygons share the packets of triangles, with planes that are level."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pipe_llvm.command import BOX_STAMP_SHIFT, OP_BOX, coded
from pipe_llvm.fragment.packet import (
    ANCHOR,
    BOX_STAMP,
    DEPTH,
    RECIP_W,
    PacketHeader,
    packet_bytes,
    store_field,
)
from pipe_llvm.native import PRIM_BACK, SUBPIXEL_BITS, LpContext, LpPlan
from pipe_llvm.setup.common import SetupPackets
from pipe_llvm.setup.vertex_rows import VertexRows
from pydri.jit import Kernel, extern_c, f32, i32, kernel, ptr, u32, u64, void
from pydri.pipe.native import PipeDynamic

if TYPE_CHECKING:
    from pipe_llvm.recipe import SetupPart

f32x16, i32x16, u32x16 = f32.vec(16), i32.vec(16), u32.vec(16)
ONE = 1 << SUBPIXEL_BITS
LP_BIN_BOX = extern_c("lp_bin_box", void, ptr(LpContext), ptr(PacketHeader), u32, u64)
MAX_SIZE = 255.0  # pixels: GL_ALIASED_POINT_SIZE_RANGE


def point_box(b: Any, x: Any, y: Any, size: Any, flip_y: Any) -> tuple[Any, Any, Any, Any]:
    """First and last column and row of points (i32 vectors): squares around a pixel's centre if the
    rounded size is odd, else around a corner of pixels (GL 2.1, 3.3.1).

    Sizes are rounded to whole pixels and places to 1/256. A size half-way between is taken as the
    lesser one, which GL leaves open: so the peer has it, and programs do use 2.5 or 1.5. No number
    counts as 1."""
    wide = b.min(b.max(size, 1.0), MAX_SIZE)
    side = (b.cast_fast(b.round_even(wide * float(ONE)), i32) + (ONE // 2 - 1)) >> SUBPIXEL_BITS
    shift = b.select((side & 1) != 0, b.const(i32x16, 0), b.const(i32x16, ONE // 2))
    out = []
    for n, at in enumerate((x, y)):
        place = b.cast_fast(b.round_even(at * float(ONE)), i32)
        if n == 1:
            # window y grows upwards in GL: a tie goes the other way where rows count downwards
            place = place - b.select(flip_y, b.const(i32, 1), b.const(i32, 0))
        first = ((place + shift) >> SUBPIXEL_BITS) - (side >> 1)
        out.append((first, first + side - 1))
    return out[0][0], out[1][0], out[0][1], out[1][1]


def sprite_box(b: Any, x: Any, y: Any, size: Any, flip_y: Any) -> tuple[Any, Any, Any, Any, Any]:
    """The same of sprites: pixels whose centres lie in a square of this size around the point, and
    the size (f32), both in 1/256 pixels (GL 2.1, 3.3.1). A centre on the left edge is in the
    square, one on the right is not; of level edges it is the lower one in the window that is.
    """
    wide = b.min(b.max(size, 1.0), MAX_SIZE)
    side = b.cast_fast(b.round_even(wide * float(ONE)), i32)
    out = []
    for n, at in enumerate((x, y)):
        place = b.cast_fast(b.round_even(at * float(ONE)), i32)
        start = place - (side >> 1) + (ONE // 2 - 1)
        if n == 1:
            start = start + b.select(flip_y, b.const(i32, 1), b.const(i32, 0))
        out.append((start >> SUBPIXEL_BITS, ((start + side) >> SUBPIXEL_BITS) - 1))
    return out[0][0], out[1][0], out[0][1], out[1][1], b.cast(side, f32)


def _stamp(b: Any, minx: Any, miny: Any, maxx: Any, maxy: Any) -> Any:
    """The entry of LpStamps (without a command) of boxes that lie within one stamp."""
    one = b.const(u32x16, 1)

    def unsigned(value: Any) -> Any:
        return b.bitcast(value, u32)

    columns = (one << unsigned((maxx & 3) + 1)) - (one << unsigned(minx & 3))
    rows = (one << unsigned((maxy & 3) * 4 + 4)) - (one << unsigned((miny & 3) * 4))
    place = unsigned(((minx & 60) << 14) | ((miny & 60) << 18))
    return ((columns * 0x1111) & rows) | place


class PointSetup:
    """The body of a setup kernel of points: made at its start, `batch` sets up sixteen."""

    def __init__(
        self, b: Any, lp: Any, plan: Any, dyn: Any, prim: Any, part: SetupPart
    ) -> None:
        self.b, self.lp, self.dyn = b, lp, dyn
        self.part, self.layout = part, part.layout
        self.packets = SetupPackets(b, lp, plan, dyn, packet_bytes(self.layout.fields))
        self.flip_y = dyn.fb.flip_y != 0
        self.front = (prim & PRIM_BACK) == 0
        self.rows, self.row_bytes = lp.stream.rows, b.cast(plan.row_bytes, u64)
        #: of sprites' coordinates s, t, 0, 1: the values at the centre of the anchor's pixel, the
        #: steps in x and y, both times the size in s and t; the size; and the anchor
        self.planes: tuple[tuple[Any, Any, Any], ...] = ()
        self.side = self.anchor = b.const(i32x16, 0)

    def batch(self, active: Any, numbers: Any) -> None:
        """The points at vertices `numbers`, of which lanes `active` are there."""
        b, packets = self.b, self.packets
        value = VertexRows(b, self.rows, self.row_bytes, numbers).value
        value(0)
        psiz = self.part.psiz
        size = value(psiz) if psiz >= 0 else b.splat(self.dyn.point_size, 16)
        box = self.box(value(0), value(1), size)
        packet, header, todo = packets.open(active & packets.some(box), box)
        minx, miny, maxx, maxy = box
        header.front = b.select(self.front, b.const(u32, 0xFFFF), b.const(u32, 0))
        header.linear = 0xFFFF
        header.clipped = 0
        header.smooth = 0
        store_field(b, packet, BOX_STAMP, _stamp(b, minx, miny, maxx, maxy))
        self.store_values(packet, value)
        one_stamp = ((minx ^ maxx) | (miny ^ maxy)) < 4
        simple = b.cast(b.bits_of(one_stamp), u64)

        def small(lane: Any) -> Any:
            return (((simple >> b.cast(lane, u64)) & 1) << BOX_STAMP_SHIFT) | coded(OP_BOX)

        def large(lane: Any, command: Any) -> None:
            b.call(LP_BIN_BOX, self.lp, header, lane, command)

        row = self.part.layer
        packets.bin(packet, box, todo, small, large, value(row) if row >= 0 else None)

    def box(self, x: Any, y: Any, size: Any) -> Any:
        """The points' boxes, within the scissor."""
        b = self.b
        if not self.part.sprites:
            return self.packets.clip(point_box(b, x, y, size, self.flip_y))
        *box, side = sprite_box(b, x, y, size, self.flip_y)
        first = [b.max(at, 0) for at in box[:2]]
        self.anchor = first[0] | (first[1] << 16)
        self.side = side * (1.0 / ONE)
        step = b.const(f32x16, 1.0)
        down = b.select(self.dyn.sprite_down != 0, b.const(f32, 1.0), b.const(f32, -1.0))
        gains = (step, b.splat(down, 16))
        s, t = (
            ((b.cast(start, f32) + 0.5) - place) * gain + self.side * 0.5
            for start, place, gain in zip(first, (x, y), gains)
        )
        none, one = b.const(f32x16, 0.0), b.const(f32x16, 1.0)
        self.planes = (
            (s, gains[0], none), (t, none, gains[1]), (none, none, none), (one, none, none),
        )  # fmt: skip
        return self.packets.clip(tuple(box))

    def store_values(self, packet: Any, value: Callable[[int], Any]) -> None:
        """Depth and the inputs of the fragment shader, as level planes where planes are asked for;
        `value(row)` is a float of the vertex rows."""
        b, layout = self.b, self.layout
        level = b.const(f32x16, 0.0)

        def store(field: int, what: Any, plane: bool) -> None:
            store_field(b, packet, field, what)
            if plane:
                store_field(b, packet, field + 1, level)
                store_field(b, packet, field + 2, level)

        varying = not layout.constant
        store(DEPTH, value(2), varying)
        if varying or any(source.sprite for source in self.part.sources):
            store_field(b, packet, ANCHOR, self.anchor)
        if layout.sprite_size:
            store_field(b, packet, layout.sprite_size, self.side)
        if layout.perspective:
            store(RECIP_W, value(3), True)
        for item, source in zip(layout.inputs, self.part.sources, strict=True):
            if source.sprite:
                for n, number in enumerate(self.planes[item.component]):
                    store_field(b, packet, item.field + n, number)
                continue
            what = value(source.row)
            if source.back >= 0:
                what = b.select(b.splat(self.front, 16), what, value(source.back))
            store(item.field, what, item.interp != "flat")


def make_point_setup(name: str, part: SetupPart) -> Kernel:
    """The kernel of LpPlan.points."""

    @kernel(
        void, (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic), ptr(u32), u32, u32), name=name
    )
    def setup(b: Any, lp: Any, plan: Any, dyn: Any, vertices: Any, count: Any, prim: Any) -> None:
        points = PointSetup(b, lp, plan, dyn, prim, part)
        with b.For(b.const(u32, 0), count, 16) as i:
            active = b.iota(u32x16) + i < b.splat(count, 16)
            points.batch(active, b.select(active, (vertices + i).load(u32x16), 0))

    return setup
