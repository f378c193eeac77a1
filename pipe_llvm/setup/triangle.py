# SPDX-License-Identifier: MIT
"""Triangle setup: vertex numbers in, packets of edge functions and planes in the scene's bins out
(lp_setup_tri.c's job).

Sixteen triangles are set up at once (vertex_rows.py loads their vertices). Window positions are
snapped to 1/256 pixel; edge functions are exact integers. Since samples lie at pixel centres, an
edge function changes by a whole multiple of 256 from pixel to pixel, so E >= 0 may be tested on
floor(E / 256): steps A and B then fit 32 bits across a tile (the fill rule is applied before the
division). GL's rule: a sample on an edge belongs to the triangle to its right or, for horizontal
edges, to the one above it in the window. With PacketLayout.samples the edges are evaluated at each
sample, whose values differ from the greatest among them by a number that is the same for all
pixels."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from pipe_llvm.command import CUT_EDGES, CUT_SCISSOR, OP_STAMPS, OP_TRI, coded
from pipe_llvm.draw.space import clamp_offset
from pipe_llvm.fragment.packet import (
    ANCHOR,
    CORNERS,
    DEPTH,
    EDGE_A,
    EDGE_B,
    EDGE_C,
    POLYGON,
    RECIP_W,
    SAMPLE_EDGES,
    PacketHeader,
    Source,
    packet_bytes,
    store_field,
)
from pipe_llvm.native import PRIM_BACK, SAMPLE_POSITIONS, SUBPIXEL_BITS, LpContext, LpPlan
from pipe_llvm.setup.common import Box, SetupPackets
from pipe_llvm.setup.vertex_rows import VertexRows
from pydri.jit import ExternC, Kernel, extern_c, f32, i32, i64, kernel, ptr, u32, u64, void
from pydri.pipe.native import PipeDynamic

if TYPE_CHECKING:
    from pipe_llvm.recipe import SetupPart

f32x16, i32x16, i64x16, u32x16 = f32.vec(16), i32.vec(16), i64.vec(16), u32.vec(16)
u64x16 = u64.vec(16)
ONE = 1 << SUBPIXEL_BITS
Places = tuple[tuple[int, int], ...]
CENTRE: Places = ((ONE // 2, ONE // 2),)
_BIN = (void, ptr(LpContext), ptr(PacketHeader), u32, u64, u32)
LP_BIN_LARGE = extern_c("lp_bin_large", *_BIN)
LP_BIN_SMOOTH = extern_c("lp_bin_large_smooth", *_BIN)
LP_BIN_SAMPLES = {n: extern_c(f"lp_bin_large_{n}x", *_BIN) for n in SAMPLE_POSITIONS}
LP_SMALL_TRIANGLES = extern_c("lp_small_triangles", u32, ptr(PacketHeader), u32)


def _edge(
    b: Any, xa: Any, ya: Any, xb: Any, yb: Any, flip: Any, flip_y: Any, places: Places
) -> tuple[Any, Any, list[Any]]:
    """A, B (per pixel) and C (of pixel 0, 0, at each of `places` in it) of the edge a -> b;
    positive inside once `flip` is applied.
    """
    dx, dy = xb - xa, ya - yb  # E = dy * (px - xa) + dx * (py - ya)
    step_x, step_y = b.select(flip, -dy, dy), b.select(flip, -dx, dx)
    ax, ay = b.cast(step_x, i64), b.cast(step_y, i64)
    horizontal = b.select(b.splat(flip_y, 16), step_y < 0, step_y > 0)
    owned = (step_x > 0) | ((step_x == 0) & horizontal)
    inside = b.select(owned, b.const(i64x16, 0), b.const(i64x16, 1))
    values = [ax * b.cast(x - xa, i64) + ay * b.cast(y - ya, i64) - inside for x, y in places]
    return step_x, step_y, [c >> SUBPIXEL_BITS for c in values]


class Edges(NamedTuple):
    """What kind of edges triangles have."""

    places: Places  # where in a pixel they are evaluated, in 1/256
    spans: list[tuple[int, int]]  # first and last x, and y, in it that count for bounding boxes
    bin_large: ExternC  # the kernel that bins a triangle of several tiles


def _edges_of(samples: int, smooth: bool) -> Edges:
    if smooth:  # all pixels that the interior touches
        return Edges(CENTRE, [(1, ONE - 1)] * 2, LP_BIN_SMOOTH)
    places = SAMPLE_POSITIONS[samples] if samples else CENTRE
    spans = [(min(p[n] for p in places), max(p[n] for p in places)) for n in (0, 1)]
    return Edges(places, spans, LP_BIN_SAMPLES[samples] if samples else LP_BIN_LARGE)


class Triangles:
    """Sixteen triangles: their vertex rows, corners in 1/256 pixel (`x`, `y`) and area."""

    def __init__(
        self, b: Any, rows: Any, row_bytes: Any, numbers: list[Any], hurried: bool
    ) -> None:
        self.b, self.rows, self.row_bytes, self.numbers = b, rows, row_bytes, numbers
        self.hurried = hurried
        self.loaded = [VertexRows(b, rows, row_bytes, n) for n in numbers]
        self.gathered: dict[tuple[int, int], Any] = {}
        self.first = first = [[self.corner(c, k) for c in range(4)] for k in range(3)]
        self.x = x = [b.cast_fast(b.round_even(f[0] * float(ONE)), i32) for f in first]
        self.y = y = [b.cast_fast(b.round_even(f[1] * float(ONE)), i32) for f in first]
        # twice the area, exactly; the sign says the winding
        self.sides = e1x, e1y, e2x, e2y = x[1] - x[0], y[1] - y[0], x[2] - x[0], y[2] - y[0]
        self.area = b.cast(e1x, i64) * b.cast(e2y, i64) - b.cast(e2x, i64) * b.cast(e1y, i64)
        self.negative = self.area < 0

    def corner(self, row: int, k: int) -> Any:
        """Float number `row` of the vertex rows of the corners k."""
        if self.hurried:
            return self.gather(row, k)
        return self.loaded[k].value(row)

    def gather(self, row: int, k: int) -> Any:
        """The same in a fifth of the instructions, which take longer."""
        b, found = self.b, self.gathered.get((row, k))
        if found is None:
            places = b.cast(self.numbers[k], u64x16) * b.splat(self.row_bytes, 16)
            found = b.gather(self.rows, places + 4 * row, ty=f32, scale=1)
            self.gathered[row, k] = found
        return found

    def box(self, spans: list[tuple[int, int]]) -> Box:
        """The pixels between the first and last places in which a corner lies."""
        b, x, y = self.b, self.x, self.y
        (left, right), (top, bottom) = spans
        minx = (b.min(b.min(x[0], x[1]), x[2]) + (ONE - 1 - right)) >> SUBPIXEL_BITS
        miny = (b.min(b.min(y[0], y[1]), y[2]) + (ONE - 1 - bottom)) >> SUBPIXEL_BITS
        maxx = (b.max(b.max(x[0], x[1]), x[2]) - left) >> SUBPIXEL_BITS
        maxy = (b.max(b.max(y[0], y[1]), y[2]) - top) >> SUBPIXEL_BITS
        return minx, miny, maxx, maxy


class Planes:
    """a(x, y) = a0 + dadx * x + dady * y at the centre of the anchor + (x, y).

    Planes go through the vertices as these are, not as snapped: what is coplanar stays so. Specks
    that snapping gives another shape would get wild slopes: their planes go through the snapped
    corners."""

    def __init__(self, b: Any, triangles: Triangles, anchor_x: Any, anchor_y: Any) -> None:
        first, scale = triangles.first, 1.0 / ONE
        deltas = [first[k][c] - first[0][c] for k in (1, 2) for c in (0, 1)]
        exact = deltas[0] * deltas[3] - deltas[2] * deltas[1]
        snapped = b.cast(triangles.area, f32) * (scale * scale)
        alike = b.abs(exact - snapped) < b.abs(snapped) * 0.25
        self.deltas = [
            b.select(alike, d, b.cast(e, f32) * scale) for d, e in zip(deltas, triangles.sides)
        ]
        self.recip = b.const(f32x16, 1.0) / b.select(alike, exact, snapped)
        self.px = first[0][0] - b.cast(anchor_x, f32) - 0.5
        self.py = first[0][1] - b.cast(anchor_y, f32) - 0.5

    def through(self, a0: Any, a1: Any, a2: Any) -> tuple[Any, Any, Any]:
        """The plane with these values at the corners: a0, dadx, dady."""
        d1x, d1y, d2x, d2y = self.deltas
        da1, da2 = a1 - a0, a2 - a0
        dadx = (da1 * d2y - da2 * d1y) * self.recip
        dady = (da2 * d1x - da1 * d2x) * self.recip
        return a0 - (dadx * self.px + dady * self.py), dadx, dady


class TriangleSetup:
    """The body of a setup kernel: made at its start, `batch` sets up sixteen triangles."""

    def __init__(
        self, b: Any, lp: Any, plan: Any, dyn: Any, prim: Any, part: SetupPart, hurried: bool
    ) -> None:
        self.b, self.lp, self.dyn, self.prim = b, lp, dyn, prim
        self.part, self.layout, self.hurried = part, part.layout, hurried
        self.edges = _edges_of(self.layout.samples, self.layout.smooth)
        self.packets = SetupPackets(b, lp, plan, dyn, packet_bytes(self.layout.fields))
        self.is_tri = prim == 2
        self.cull = b.select(self.is_tri, dyn.cull, 0)
        self.front_negative = dyn.front_negative != 0
        self.flip_y = dyn.fb.flip_y != 0
        # points and lines of polygons come with their offset, those of GL have none
        self.offset_on = self.is_tri & ((dyn.offset_flags & 4) != 0)
        self.rows = lp.stream.rows
        self.row_bytes = b.cast(plan.row_bytes, u64)

    def facing(self, triangles: Triangles) -> tuple[Any, Any]:
        """Which triangles face the viewer, and which are culled."""
        b, cull = self.b, self.cull
        front = triangles.negative ^ ~b.splat(self.front_negative, 16)
        front = b.select(self.is_tri, front, b.splat((self.prim & PRIM_BACK) == 0, 16))
        culled = (front & b.splat((cull & 1) != 0, 16)) | (~front & b.splat((cull & 2) != 0, 16))
        return front, culled

    def batch(self, i: Any, active: Any, numbers: list[Any]) -> None:
        """Triangles i to i + 15: vertices `numbers`, of which lanes `active` are there."""
        b, packets = self.b, self.packets
        triangles = Triangles(b, self.rows, self.row_bytes, numbers, self.hurried)
        front, culled = self.facing(triangles)
        whole = triangles.box(self.edges.spans)
        # planes count from the triangle's own corner: far from it, a steep plane would lose its
        # last bits (the scissor has no say: GL 2.1, appendix A.3, rule 2)
        anchor = b.max(whole[0], 0), b.max(whole[1], 0)
        inside, uncut = packets.inside(whole), packets.whole(whole)
        box = packets.clip(whole)
        alive = active & (triangles.area != 0) & ~culled & packets.some(box)
        packet, header, todo = packets.open(alive, box)
        header.front = b.cast(b.bits_of(front), u32)
        clipped = b.cast(b.bits_of(~inside), u32)
        header.clipped = clipped
        self.store_edges(packet, triangles)
        if self.layout.smooth:
            self.store_corners(packet, header, triangles, i)
        store_field(b, packet, ANCHOR, anchor[0] | (anchor[1] << 16))
        planes = Planes(b, triangles, *anchor)
        self.store_depth(packet, planes.through(*(f[2] for f in triangles.first)), triangles)
        self.store_inputs(packet, header, triangles, planes, front)
        stamps = self.cover_small(packet, todo, b.cast(b.bits_of(uncut), u32))

        def small(lane: Any) -> Any:
            bit = b.const(u32, 1) << lane
            edges = b.select(
                (clipped & bit) != 0, b.const(u64, CUT_EDGES | CUT_SCISSOR | coded(OP_TRI)),
                b.const(u64, CUT_EDGES | coded(OP_TRI)),
            )  # fmt: skip
            if stamps is None:
                return edges
            return b.select((stamps & bit) != 0, b.const(u64, coded(OP_STAMPS)), edges)

        def large(lane: Any, command: Any) -> None:
            bit = b.const(u32, 1) << lane
            b.call(self.edges.bin_large, self.lp, packet, lane, command, clipped & bit)

        row = self.part.layer
        layer = triangles.corner(row, 2) if row >= 0 else None
        packets.bin(packet, box, todo, small, large, layer)

    def cover_small(self, packet: Any, todo: Any, uncut: Any) -> Any:
        """Have the small triangles of a packet covered here, of the lanes `uncut`, whose boxes are
        those of whole triangles; their lanes (u32). Those that cover nothing are no longer to do.
        None where coverage is not that of pixels' centres."""
        if self.layout.samples or self.layout.smooth:
            return None
        b = self.b
        found = b.call(LP_SMALL_TRIANGLES, packet, todo.value & uncut)
        todo.value = todo.value & ~(found & ~(found >> 16))
        return found

    def store_edges(self, packet: Any, triangles: Triangles) -> None:
        """The three edge functions; with several samples the greatest value of the samples, and by
        how much the value at each sample is less."""
        b, samples, x, y = self.b, self.layout.samples, triangles.x, triangles.y
        edges = []
        for k in range(3):
            n = (k + 1) % 3
            corners = x[k], y[k], x[n], y[n]
            edges.append(_edge(b, *corners, triangles.negative, self.flip_y, self.edges.places))
        for k, (step_x, step_y, values) in enumerate(edges):
            greatest = reduce(b.max, values)
            store_field(b, packet, EDGE_A + k, step_x)
            store_field(b, packet, EDGE_B + k, step_y)
            store_field(b, packet, EDGE_C + 2 * k, greatest)
            if samples:
                for s, value in enumerate(values):
                    below = b.cast(greatest - value, i32)
                    store_field(b, packet, SAMPLE_EDGES + k * samples + s, below)

    def store_corners(self, packet: Any, header: Any, triangles: Triangles, i: Any) -> None:
        """What coverage by area needs: the corners, and which polygon a triangle is part of."""
        b = self.b
        for k in range(3):
            store_field(b, packet, CORNERS + 2 * k, triangles.x[k])
            store_field(b, packet, CORNERS + 2 * k + 1, triangles.y[k])
        store_field(b, packet, POLYGON, (self.lp.stream.polygons + i).load(u32x16))
        header.smooth = b.select(self.is_tri, b.const(u32, 0xFFFF), 0)

    def store_depth(self, packet: Any, plane: tuple[Any, Any, Any], triangles: Triangles) -> None:
        """The plane of depth, with the polygon offset (GL 2.1, 3.5.5)."""
        b, dyn = self.b, self.dyn
        z0, dzdx, dzdy = plane
        with b.If(self.offset_on):
            slope = b.max(b.abs(dzdx), b.abs(dzdy))
            unit = self.depth_unit(triangles)
            shift = clamp_offset(b, dyn, slope * dyn.offset_factor + unit * dyn.offset_units)
            store_field(b, packet, DEPTH, z0 + shift)
        with b.Else():
            store_field(b, packet, DEPTH, z0)
        store_field(b, packet, DEPTH + 1, dzdx)
        store_field(b, packet, DEPTH + 2, dzdy)

    def depth_unit(self, triangles: Triangles) -> Any:
        """What a unit of polygon offset is in depth."""
        b = self.b
        if not self.part.depth.is_float:
            return b.const(f32x16, self.part.depth.unit)
        z = [b.abs(f[2]) for f in triangles.first]
        largest = b.max(b.max(z[0], z[1]), z[2])
        exponent = (b.bitcast(largest, i32) & 0x7F800000) - (23 << 23)
        return b.bitcast(b.max(exponent, 0), f32)

    def store_inputs(
        self, packet: Any, header: Any, triangles: Triangles, planes: Planes, front: Any
    ) -> None:
        """The inputs of the fragment shader: values, planes, planes of values divided by w."""
        b = self.b

        def store_plane(number: int, values: tuple[Any, Any, Any]) -> None:
            for n, v in enumerate(values):
                store_field(b, packet, number + n, v)

        if self.layout.sprite_size:
            store_field(b, packet, self.layout.sprite_size, b.const(f32x16, 1.0))
        rw = [f[3] for f in triangles.first]
        linear = (rw[0] == rw[1]) & (rw[1] == rw[2])
        header.linear = b.cast(b.bits_of(linear), u32)
        weight: list[Any] = []
        if self.layout.perspective:
            store_plane(RECIP_W, planes.through(*rw))
            weight = [b.select(linear, b.const(f32x16, 1.0), w) for w in rw]
        for item, source in zip(self.layout.inputs, self.part.sources, strict=True):

            def value(k: int, source: Source = source) -> Any:
                v = triangles.corner(source.row, k)
                if source.back < 0:
                    return v
                return b.select(front, v, triangles.corner(source.back, k))

            if item.interp == "flat":
                store_field(b, packet, item.field, value(2))
            elif item.interp == "linear":
                store_plane(item.field, planes.through(value(0), value(1), value(2)))
            else:
                weighted = (value(k) * weight[k] for k in range(3))
                store_plane(item.field, planes.through(*weighted))


def make_setup(
    name: str, part: SetupPart, hurried: bool = False, body: type[TriangleSetup] = TriangleSetup
) -> Kernel:
    """The setup kernel of triangles. `hurried`: the code shall be short rather than fast. `body`:
    what sets up sixteen triangles."""

    @kernel(
        void,
        (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic), ptr(u32), ptr(u32), ptr(u32), u32, u32),
        name=name,
    )
    def setup(
        b: Any, lp: Any, plan: Any, dyn: Any, v0: Any, v1: Any, v2: Any, count: Any, prim: Any
    ) -> None:
        triangles = body(b, lp, plan, dyn, prim, part, hurried)
        with b.For(b.const(u32, 0), count, 16) as i:
            active = b.iota(u32x16) + i < b.splat(count, 16)
            numbers = [b.select(active, (v + i).load(u32x16), 0) for v in (v0, v1, v2)]
            triangles.batch(i, active, numbers)

    return setup
