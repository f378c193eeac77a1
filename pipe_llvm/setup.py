# SPDX-License-Identifier: MIT
"""Triangle setup: vertex numbers in, packets of edge functions and planes in the scene's bins out
(lp_setup_tri.c's job).

Sixteen triangles are set up at once. Vertex rows are loaded whole (64 bytes) and transposed by
shuffles, which costs a fraction of gathers. Window positions are snapped to 1/256 pixel; edge
functions are exact integers. Since samples lie at pixel centres, an edge function changes by a
whole multiple of 256 from pixel to pixel, so E >= 0 may be tested on floor(E / 256): steps A and
B then fit 32 bits across a tile (the fill rule is applied before the division). GL's rule: a
sample on an edge belongs to the triangle to its right or, for horizontal edges, to the one above
it in the window. With PacketLayout.samples the edges are evaluated at each sample, whose values
differ from the greatest among them by a number that is the same for all pixels."""

from __future__ import annotations

from functools import reduce
from typing import Any

from pipe_llvm.draw.space import clamp_offset
from pipe_llvm.native import (
    OP_TRI,
    PRIM_BACK,
    SAMPLE_POSITIONS,
    SUBPIXEL_BITS,
    LpContext,
    LpPlan,
    VertexLayout,
)
from pipe_llvm.packet import (
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
    PacketLayout,
    store_field,
)
from pipe_llvm.setup_packet import SetupPackets
from pydri.jit import Kernel, extern_c, f32, i32, i64, kernel, ptr, u32, u64, void
from pydri.pipe.native import PipeDynamic

f32x16, i32x16, i64x16, u32x16 = f32.vec(16), i32.vec(16), i64.vec(16), u32.vec(16)
ONE = 1 << SUBPIXEL_BITS
Places = tuple[tuple[int, int], ...]
CENTRE: Places = ((ONE // 2, ONE // 2),)
_BIN = (void, ptr(LpContext), ptr(PacketHeader), u32, u64, u32)
LP_BIN_LARGE = extern_c("lp_bin_large", *_BIN)
LP_BIN_SMOOTH = extern_c("lp_bin_large_smooth", *_BIN)
LP_BIN_SAMPLES = {n: extern_c(f"lp_bin_large_{n}x", *_BIN) for n in SAMPLE_POSITIONS}


def transpose16(b: Any, rows: list[Any]) -> list[Any]:
    """16 vectors of 16 lanes, transposed: out[c][r] = rows[r][c] (four rounds of shuffles)."""
    out = rows
    for step in (1, 2, 4, 8):
        nxt: list[Any] = [None] * 16
        for i in range(16):
            if i & step:
                continue
            x, y = out[i], out[i + step]
            low = [k if not k & step else 16 + k - step for k in range(16)]
            high = [k + step if not k & step else 16 + k for k in range(16)]
            nxt[i] = b.shuffle(x, y, low)
            nxt[i + step] = b.shuffle(x, y, high)
        out = nxt
    return out


def load_rows(b: Any, rows: Any, row_bytes: Any, numbers: Any, block: int) -> list[Any]:
    """Floats 16*block .. 16*block+15 of sixteen vertices, each as a vector over the vertices."""
    loaded = []
    for lane in range(16):
        at = b.cast(numbers[lane], u64) * row_bytes + 64 * block
        loaded.append(b.bytes_from(rows, at, f32).load(f32x16, align=64))
    return transpose16(b, loaded)


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


def make_setup(
    name: str, rows: VertexLayout, layout: PacketLayout, offset_scale: float, float_depth: bool
) -> Kernel:
    """The setup kernel for a packet layout. `offset_scale`: smallest resolvable depth difference
    of the depth format.
    """

    places = SAMPLE_POSITIONS[layout.samples] if layout.samples else CENTRE
    spans = [(min(p[n] for p in places), max(p[n] for p in places)) for n in (0, 1)]
    bin_large = LP_BIN_SAMPLES[layout.samples] if layout.samples else LP_BIN_LARGE
    if layout.smooth:  # all pixels that the interior touches
        spans, bin_large = [(1, ONE - 1)] * 2, LP_BIN_SMOOTH

    @kernel(
        void,
        (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic), ptr(u32), ptr(u32), ptr(u32), u32, u32),
        name=name,
    )
    def setup(
        b: Any, lp: Any, plan: Any, dyn: Any, v0: Any, v1: Any, v2: Any, count: Any, prim: Any
    ) -> None:
        packets = SetupPackets(b, lp, plan, dyn, layout)
        is_tri = prim == 2
        cull = b.select(is_tri, dyn.cull, 0)
        front_negative = dyn.front_negative != 0
        flip_y = dyn.fb.flip_y != 0
        # points and lines of polygons come with their offset, those of GL have none
        offset_on = is_tri & ((dyn.offset_flags & 4) != 0)
        stream = lp.stream
        data = stream.rows
        row_bytes = b.cast(plan.row_bytes, u64)
        with b.For(b.const(u32, 0), count, 16) as i:
            active = b.iota(u32x16) + i < b.splat(count, 16)
            numbers = [b.select(active, (v + i).load(u32x16), 0) for v in (v0, v1, v2)]
            first = [load_rows(b, data, row_bytes, n, 0) for n in numbers]
            fx = [b.cast_fast(b.round_even(f[0] * float(ONE)), i32) for f in first]
            fy = [b.cast_fast(b.round_even(f[1] * float(ONE)), i32) for f in first]
            # twice the area, exactly; the sign says the winding
            e1x, e1y, e2x, e2y = fx[1] - fx[0], fy[1] - fy[0], fx[2] - fx[0], fy[2] - fy[0]
            area = b.cast(e1x, i64) * b.cast(e2y, i64) - b.cast(e2x, i64) * b.cast(e1y, i64)
            negative = area < 0
            front = negative ^ ~b.splat(front_negative, 16)
            front = b.select(is_tri, front, b.splat((prim & PRIM_BACK) == 0, 16))
            culled = (front & b.splat((cull & 1) != 0, 16)) | (
                ~front & b.splat((cull & 2) != 0, 16)
            )
            (left, right), (top, bottom) = spans
            minx = (b.min(b.min(fx[0], fx[1]), fx[2]) + (ONE - 1 - right)) >> SUBPIXEL_BITS
            miny = (b.min(b.min(fy[0], fy[1]), fy[2]) + (ONE - 1 - bottom)) >> SUBPIXEL_BITS
            maxx = (b.max(b.max(fx[0], fx[1]), fx[2]) - left) >> SUBPIXEL_BITS
            maxy = (b.max(b.max(fy[0], fy[1]), fy[2]) - top) >> SUBPIXEL_BITS
            # planes count from the triangle's own corner: far from it, a steep plane would
            # lose its last bits (the scissor has no say: GL 2.1, appendix A.3, rule 2)
            anchor_x, anchor_y = b.max(minx, 0), b.max(miny, 0)
            inside = packets.inside((minx, miny, maxx, maxy))
            box = packets.clip((minx, miny, maxx, maxy))
            alive = active & (area != 0) & ~culled & packets.some(box)
            packet, header, todo = packets.open(alive, box)
            header.front = b.cast(b.bits_of(front), u32)
            clipped = b.cast(b.bits_of(~inside), u32)
            header.clipped = clipped
            edges = []
            for k in range(3):
                n = (k + 1) % 3
                edges.append(_edge(b, fx[k], fy[k], fx[n], fy[n], negative, flip_y, places))
            for k, (ea, eb, values) in enumerate(edges):
                most = reduce(b.max, values)
                store_field(b, packet, EDGE_A + k, ea)
                store_field(b, packet, EDGE_B + k, eb)
                store_field(b, packet, EDGE_C + 2 * k, most)
                if layout.samples:
                    for s, value in enumerate(values):
                        less = b.cast(most - value, i32)
                        store_field(b, packet, SAMPLE_EDGES + k * layout.samples + s, less)
            if layout.smooth:
                for k in range(3):
                    store_field(b, packet, CORNERS + 2 * k, fx[k])
                    store_field(b, packet, CORNERS + 2 * k + 1, fy[k])
                store_field(b, packet, POLYGON, (stream.polygons + i).load(u32x16))
                header.smooth = b.select(is_tri, b.const(u32, 0xFFFF), 0)

            # planes: a(x, y) = a0 + dadx * x + dady * y at the centre of the anchor + (x, y)
            store_field(b, packet, ANCHOR, anchor_x | (anchor_y << 16))
            # They go through the vertices as these are, not as snapped: what is coplanar stays so.
            # Specks that snapping gives another shape would get wild slopes: they take the shape.
            scale = 1.0 / ONE
            deltas = [first[k][c] - first[0][c] for k in (1, 2) for c in (0, 1)]
            exact = deltas[0] * deltas[3] - deltas[2] * deltas[1]
            snapped = b.cast(area, f32) * (scale * scale)
            alike = b.abs(exact - snapped) < b.abs(snapped) * 0.25
            d1x, d1y, d2x, d2y = (
                b.select(alike, d, b.cast(e, f32) * scale)
                for d, e in zip(deltas, (e1x, e1y, e2x, e2y))
            )
            recip = b.const(f32x16, 1.0) / b.select(alike, exact, snapped)
            px = first[0][0] - b.cast(anchor_x, f32) - 0.5
            py = first[0][1] - b.cast(anchor_y, f32) - 0.5

            def plane(a0: Any, a1: Any, a2: Any) -> tuple[Any, Any, Any]:
                da1, da2 = a1 - a0, a2 - a0
                dadx = (da1 * d2y - da2 * d1y) * recip
                dady = (da2 * d1x - da1 * d2x) * recip
                return a0 - (dadx * px + dady * py), dadx, dady

            def store_plane(number: int, values: tuple[Any, Any, Any]) -> None:
                for n, v in enumerate(values):
                    store_field(b, packet, number + n, v)

            z0, dzdx, dzdy = plane(*(f[2] for f in first))
            with b.If(offset_on):
                slope = b.max(b.abs(dzdx), b.abs(dzdy))
                if float_depth:
                    top = b.max(b.max(b.abs(first[0][2]), b.abs(first[1][2])), b.abs(first[2][2]))
                    exponent = (b.bitcast(top, i32) & 0x7F800000) - (23 << 23)
                    unit = b.bitcast(b.max(exponent, 0), f32)
                else:
                    unit = b.const(f32x16, offset_scale)
                shift = slope * dyn.offset_factor + unit * dyn.offset_units
                shift = clamp_offset(b, dyn, shift)
                store_field(b, packet, DEPTH, z0 + shift)
            with b.Else():
                store_field(b, packet, DEPTH, z0)
            store_field(b, packet, DEPTH + 1, dzdx)
            store_field(b, packet, DEPTH + 2, dzdy)
            rw = [f[3] for f in first]
            linear = (rw[0] == rw[1]) & (rw[1] == rw[2])
            header.linear = b.cast(b.bits_of(linear), u32)
            if layout.perspective:
                store_plane(RECIP_W, plane(*rw))
                weight = [b.select(linear, b.const(f32x16, 1.0), w) for w in rw]
            cache = {0: first}

            def corner(row: int, k: int) -> Any:
                block = row // 16
                if block not in cache:
                    cache[block] = [load_rows(b, data, row_bytes, n, block) for n in numbers]
                return cache[block][k][row % 16]

            for item in layout.inputs:

                def value(k: int, item: Any = item) -> Any:
                    v = corner(item.row, k)
                    return v if item.back_row < 0 else b.select(front, v, corner(item.back_row, k))

                if item.interp == "flat":
                    store_field(b, packet, item.field, value(2))
                elif item.interp == "linear":
                    store_plane(item.field, plane(value(0), value(1), value(2)))
                else:
                    store_plane(item.field, plane(*(value(k) * weight[k] for k in range(3))))

            def small(lane: Any) -> Any:
                cut = ((clipped >> lane) & 1) != 0
                edges = b.select(cut, b.const(u64, 15 << 52), b.const(u64, 7 << 52))
                return edges | (OP_TRI << 56)

            def large(lane: Any, command: Any) -> None:
                bit = b.const(u32, 1) << lane
                b.call(bin_large, lp, packet, lane, command, clipped & bit)

            packets.bin(packet, box, todo, small, large)

    return setup
