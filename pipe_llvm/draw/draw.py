# SPDX-License-Identifier: MIT
"""lp_draw_vbo: one draw call, from indices and arrays to setup.

In: a plan, dynamic state, a DrawInfo. Out: calls of the plan's `vs` and `setup`. A draw is taken in
chunks that fit the vertex stream; a chunk of a strip repeats the vertices that the cut would lose.
Indexed chunks whose numbers lie close together are shaded as a range, each vertex once; others are
shaded index by index. Flags decide: a chunk wholly outside of one plane is dropped, one that needs
clipping takes the slow way. Lines and points are widened. Nothing in a DrawInfo can make this read
outside of the bindings or of the stream. Counterpart of Mesa's draw_pt.c, draw_pt_vsplit.c.
"""

from __future__ import annotations

from typing import Any

from pipe_llvm.draw.clip import SPARE, clip_triangles
from pipe_llvm.draw.number import number_primitives
from pipe_llvm.draw.prim import (
    FAN,
    LINE_LOOP,
    POLYGON,
    assemble,
    mode_field,
    provoke_first,
)
from pipe_llvm.draw.stipple import stippled_lines
from pipe_llvm.draw.unfilled import unfilled_triangles
from pipe_llvm.draw.vertex_blocks import vertex_blocks
from pipe_llvm.draw.vertex_views import vertex_views
from pipe_llvm.draw.wide import wide_lines, wide_points
from pipe_llvm.native import (
    GROW_INDICES,
    GROW_VERTICES,
    PLAN_POLY_SMOOTH,
    PLAN_PROVOKING_FIRST,
    PLAN_STIPPLED,
    PLAN_UNFILLED,
    VERTEX_BATCH,
    LpContext,
    LpPlan,
)
from pipe_llvm.setup.recording import settle_blocks, settle_memory, settle_views
from pipe_llvm.shader_memory import bound, refresh_table
from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u8, u16, u32, u64, void
from pydri.pipe.native import (
    MAX_ATTRIBS,
    PRIM_BEGIN,
    PRIM_END,
    SHADER_VERTEX,
    DrawInfo,
    PipeDynamic,
    PipeNative,
)
from pydri.util.stats import INDEX

LANES = 16
U32X16 = u32.vec(LANES)
_STATE = (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic))
# multiples of 12, so that no list of lines, triangles or quads is cut within a primitive
LINEAR_CHUNK = VERTEX_BATCH // 12 * 12
INDEX_CHUNK = 3 * VERTEX_BATCH // 12 * 12


@kernel(ret=u32, args=(ptr(LpContext), ptr(LpPlan), u32, u32), name="lp_make_room", noinline=True)
def make_room(b: Any, lp: Any, plan: Any, vertices: Any, indices: Any) -> None:
    """Room for `vertices` rows of the plan and as many to append, and for `indices` numbers."""
    stream = lp.stream
    # an eighth of the stream and the rows of one primitive are left for clipping
    wanted_ = b.var(u32, vertices + b.max(vertices >> 3, 4 * SPARE))
    with b.If(plan.primitive_offset != 0):  # each primitive has vertices of its own
        wanted_.value = wanted_.value + indices * 2
    wanted = wanted_.value
    with b.If((stream.row_bytes < plan.row_bytes) | (stream.capacity < wanted), likely=False):
        old = stream.row_bytes
        stream.row_bytes = b.max(old, plan.row_bytes)  # the hook multiplies with it
        wanted = b.max(stream.capacity, wanted)
        with b.If(lp.hook_grow(lp, GROW_VERTICES, b.cast(wanted, u64)) == 0):
            stream.row_bytes = old
            b.Return(0)
    with b.If(stream.index_capacity < indices, likely=False):
        b.Return(lp.hook_grow(lp, GROW_INDICES, b.cast(indices, u64)))
    b.Return(1)


def count_of(b: Any, mode: Any, vertices: Any) -> Any:
    """Primitives that `vertices` vertices make."""
    least, step = mode_field(b, mode, "least"), mode_field(b, mode, "step")
    steps = (vertices - least) // step + 1
    return b.select(vertices < least, 0, steps * mode_field(b, mode, "per_step"))


@kernel(
    ret=void,
    args=(*_STATE, u32, ptr(u32), u32, u32, u32, u32),
    name="lp_draw_chunk",
    noinline=True,
)
def draw_chunk(b: Any, lp: Any, plan: Any, dyn: Any, mode: Any, elts: Any, vertices: Any,
               flags: Any, prim_flags: Any, free: Any) -> None:  # fmt: skip
    """Primitives of shaded vertices: numbers in `elts`, or 0 .. vertices-1 if that is null.

    flags: OR and AND << 16 of the vertices' clip flags; prim_flags: PRIM_BEGIN, PRIM_END; free:
    first row of the stream that is not taken."""
    stream = lp.stream
    count, room = b.var(u32, count_of(b, mode, vertices)), b.var(u32, free)
    before = lp.primitive
    lp.primitive = before + count.value
    with b.If((count.value == 0) | ((flags >> 16) != 0)):
        b.Return()
    pin, base, source = b.var(u32, 0), b.var(u32, 0), b.var(ptr(u32), elts)
    indexed = elts != 0
    with b.If(indexed):
        pin.value = elts[0]
    cut_loop = (mode == LINE_LOOP) & ((prim_flags & PRIM_BEGIN) == 0)
    with b.If((mode == FAN) | (mode == POLYGON) | cut_loop):
        # these begin at the second vertex
        base.value = 1
        with b.If(indexed):
            source.value = elts + 1
        with b.If(cut_loop):
            count.value = count.value - 1
    v0, v1, v2 = stream.v0, stream.v1, stream.v2
    b.call(assemble, mode, source.value, base.value, pin.value, count.value, v0, v1, v2)
    with b.If((mode == LINE_LOOP) & ((prim_flags & PRIM_END) != 0)):
        last = b.var(u32, vertices - 1)
        with b.If(indexed):
            last.value = elts[last.value]
        v0[count.value] = last.value
        v1[count.value] = pin.value
        count.value = count.value + 1
    reduced = mode_field(b, mode, "reduced")
    with b.If(((plan.flags & PLAN_PROVOKING_FIRST) != 0) & (reduced == 2), likely=False):
        b.call(provoke_first, mode, count.value, v0, v1, v2)
    with b.If(plan.primitive_offset != 0, likely=False):
        room.value = b.call(number_primitives, lp, plan, mode, count.value, before, free)
    stats = lp.stats
    with b.If(stats != 0):
        stats[INDEX["primitives"]] = stats[INDEX["primitives"]] + b.cast(count.value, u64)
    with b.Switch(reduced) as s:
        with s.Case(0):
            b.call(wide_points, lp, plan, dyn, count.value, room.value)
        with s.Case(1):
            with b.If((plan.flags & PLAN_STIPPLED) != 0, likely=False):
                b.call(stippled_lines, lp, plan, dyn, mode, count.value, prim_flags, room.value)
                b.Return()
            b.call(wide_lines, lp, plan, dyn, count.value, room.value)
        with s.Default():
            with b.If((plan.flags & PLAN_UNFILLED) != 0, likely=False):
                given = (mode, count.value, prim_flags, room.value)
                b.call(unfilled_triangles, lp, plan, dyn, *given)
                b.Return()
            smooth = (plan.flags & PLAN_POLY_SMOOTH) != 0
            with b.If(((flags & 0xFFFF) != 0) | smooth, likely=False):
                given = (mode, count.value, prim_flags, room.value)
                b.call(clip_triangles, lp, plan, dyn, *given)
            with b.Else():
                plan.setup(lp, plan, dyn, v0, v1, v2, count.value, 2)


@kernel(ret=u32, args=(*_STATE, ptr(DrawInfo)), name="lp_bounded_count", noinline=True)
def bounded_count(b: Any, lp: Any, plan: Any, dyn: Any, info: Any) -> None:
    """The draw's count without the vertices that no array holds (all would be the last one)."""
    limit, rest = b.var(u32, 0), b.var(u64, plan.vs_inputs)
    with b.If(rest.value == 0):
        limit.value = 0xFFFFFFFF
    with b.While(lambda: rest.value != 0):
        slot = b.ctz(rest.value)
        rest.value = rest.value & (rest.value - 1)
        binding = info.attribs + b.min(slot, MAX_ATTRIBS - 1)
        with b.If(binding.stride != 0):
            known = b.select(binding.count == 0, 0xFFFFFFFF, binding.count)
            limit.value = b.max(limit.value, known)
        with b.Else():
            with b.If(rest.value == 0):  # constants alone bound nothing
                limit.value = b.select(limit.value == 0, 0xFFFFFFFF, limit.value)
    left = b.select(limit.value > info.start, limit.value - info.start, 0)
    b.Return(b.min(info.count, left))


@kernel(
    ret=void,
    args=(ptr(u8), u32, u32, u32, ptr(u32), u32),
    name="lp_widen",
    noalias=(0, 4),
    noinline=True,
)
def widen(b: Any, indices: Any, size: Any, first: Any, bias: Any, elts: Any, count: Any) -> None:
    """`count` indices from number `first` on as 32 bits, plus bias; size 0: first, first + 1 ..."""
    whole = count & ~(LANES - 1)

    def copy(memory: Any) -> None:
        source = indices.cast(ptr(memory)) + first
        with b.For(b.const(u32, 0), whole, LANES) as i:
            value = (source + i).load(memory.vec(LANES), align=1)
            (elts + i).store(b.cast(value, u32) + b.splat(bias, LANES))
        with b.For(whole, count) as i:
            elts[i] = b.cast((source + i).load(memory, align=1), u32) + bias

    with b.Switch(size) as s:
        for bits, memory in ((1, u8), (2, u16), (4, u32)):
            with s.Case(bits):
                copy(memory)
        with s.Default():
            with b.For(b.const(u32, 0), count, LANES) as i:
                (elts + i).store(b.splat(first + bias + i, LANES) + b.iota(U32X16))


@kernel(ret=u64, args=(ptr(u32), u32), name="lp_index_range", noinline=True)
def index_range(b: Any, elts: Any, count: Any) -> None:
    """Smallest | greatest << 32 of a list; up to 16 entries behind its end are overwritten."""
    pad = b.splat(elts[0], LANES)
    (elts + count).store(pad)
    low, high = b.var(U32X16, pad), b.var(U32X16, pad)
    with b.For(b.const(u32, 0), count, LANES) as i:
        value = (elts + i).load(U32X16)
        low.value = b.min(low.value, value)
        high.value = b.max(high.value, value)
    least, most = b.reduce("min", low.value), b.reduce("max", high.value)
    b.Return(b.cast(least, u64) | (b.cast(most, u64) << 32))


def _count_vertices(b: Any, lp: Any, vertices: Any) -> None:
    stats = lp.stats
    with b.If(stats != 0):
        at = INDEX["vertices"]
        stats[at] = stats[at] + b.cast(vertices, u64)


def _round_up(rows: Any) -> Any:
    return (rows + (LANES - 1)) & ~(LANES - 1)


@kernel(ret=void, args=(*_STATE, ptr(DrawInfo), u32), name="lp_draw_linear", noinline=True)
def draw_linear(b: Any, lp: Any, plan: Any, dyn: Any, info: Any, count: Any) -> None:
    """Vertices info.start .. + count, in chunks (not for modes that pin a vertex, if cut)."""
    mode, start = info.mode, info.start
    overlap = mode_field(b, mode, "overlap")
    at = b.var(u32, 0)
    with b.Loop():
        take = b.min(count - at.value, LINEAR_CHUNK)
        with b.If(b.call(make_room, lp, plan, _round_up(take), take + 4 * LANES) == 0):
            b.Return()
        flags = plan.vs(lp, plan, dyn, info.attribs, 0, start + at.value, take, 0)
        _count_vertices(b, lp, take)
        # a strip is one primitive: only its first chunk begins it
        kept = b.select(at.value == 0, b.const(u32, PRIM_BEGIN | PRIM_END), PRIM_END)
        prim_flags = info.prim_flags & kept
        b.call(draw_chunk, lp, plan, dyn, mode, 0, take, flags, prim_flags, _round_up(take))
        at.value = at.value + take
        with b.If(at.value >= count):
            b.Break()
        at.value = at.value - overlap


@kernel(ret=void, args=(*_STATE, ptr(DrawInfo), u32), name="lp_draw_indexed", noinline=True)
def draw_indexed(b: Any, lp: Any, plan: Any, dyn: Any, info: Any, count: Any) -> None:
    """Vertices by index (or a range that pins its first vertex, as if by index), in chunks."""
    mode, size = info.mode, info.index_size
    overlap, pinned = mode_field(b, mode, "overlap"), mode_field(b, mode, "pinned")
    bias = b.select(size == 0, b.const(u32, 0), b.bitcast(info.index_bias, u32))
    at = b.var(u32, 0)
    with b.Loop():
        with b.If(b.call(make_room, lp, plan, LANES, INDEX_CHUNK + 8 * LANES) == 0):
            b.Return()
        stream = lp.stream
        elts = stream.elts
        take = b.min(count - at.value, INDEX_CHUNK)
        # a later chunk of a fan begins with the fan's first vertex again
        again = b.select(at.value == 0, b.const(u32, 0), pinned)
        b.call(widen, info.indices, size, info.start, bias, elts, again)
        b.call(widen, info.indices, size, info.start + at.value, bias, elts + again, take)
        n = take + again
        bounds = b.call(index_range, elts, n)
        low, high = b.cast(bounds, u32), b.cast(bounds >> 32, u32)
        spread = high - low
        # a shader that writes memory runs for no vertex that no index names
        dense = (spread < n + (n >> 1)) & (plan.vs_access.writes == 0)
        rows = b.select(dense, spread + 1, n)
        with b.If(b.call(make_room, lp, plan, _round_up(rows), INDEX_CHUNK + 8 * LANES) == 0):
            b.Return()
        _count_vertices(b, lp, rows)
        # a loop is one primitive: only its first and last chunks have its ends
        begins = b.select(at.value == 0, info.prim_flags & PRIM_BEGIN, 0)
        is_last = at.value + take >= count
        ends = b.select(is_last, info.prim_flags & PRIM_END, 0)
        source, flags = b.var(ptr(u32), stream.elts), b.var(u32)
        with b.If(dense):
            flags.value = plan.vs(lp, plan, dyn, info.attribs, 0, low, rows, 0)
            with b.For(b.const(u32, 0), n, LANES) as i:
                place = source.value + i
                place.store(place.load(U32X16) - b.splat(low, LANES))
        with b.Else():
            flags.value = plan.vs(lp, plan, dyn, info.attribs, source.value, 0, rows, 0)
            source.value = b.const(ptr(u32), 0)
        b.call(
            draw_chunk,
            *(lp, plan, dyn, mode, source.value, n, flags.value, begins | ends, _round_up(rows)),
        )
        at.value = at.value + take
        with b.If(is_last):
            b.Break()
        at.value = at.value - overlap


@kernel(ret=void, args=(ptr(PipeNative), ptr(void), ptr(PipeDynamic), ptr(DrawInfo)))
def lp_draw_vbo(b: Any, pipe: Any, pipeline: Any, dyn: Any, info: Any) -> None:
    """PipeNative.draw_vbo."""
    lp, plan = pipe.cast(ptr(LpContext)), pipeline.cast(ptr(LpPlan))
    mode = info.mode
    with b.If((mode > POLYGON) | (info.count == 0)):
        b.Return()
    stats = lp.stats
    with b.If(stats != 0):
        stats[INDEX["draws"]] = stats[INDEX["draws"]] + 1
    count = b.var(u32, info.count)
    with b.If(info.index_size == 0, likely=True):
        count.value = b.call(bounded_count, lp, plan, dyn, info)
    with b.If(count.value < mode_field(b, mode, "least")):
        b.Return()
    lp.instance, lp.primitive = info.instance, 0
    with b.If(plan.views != 0):
        b.call(settle_views, lp, plan, dyn)
    with b.If((plan.fs_memory | plan.vs_memory) != 0, likely=False):
        b.call(settle_memory, lp, plan, dyn)
    with b.If(plan.fs_blocks != 0, likely=False):
        b.call(settle_blocks, lp, plan, dyn)
    with b.If(plan.vs_blocks != 0, likely=False):
        b.call(vertex_blocks, lp, plan, dyn)
    with b.If(plan.vs_views != 0, likely=False):
        b.call(vertex_views, lp, plan, dyn)
    cut = (mode_field(b, mode, "pinned") != 0) & (count.value > LINEAR_CHUNK)
    with b.If((info.index_size != 0) | cut):
        b.call(draw_indexed, lp, plan, dyn, info, count.value)
    with b.Else():
        b.call(draw_linear, lp, plan, dyn, info, count.value)
    with b.If(plan.vs_access.images_written != 0, likely=False):
        b.call(refresh_table, bound(b, dyn, SHADER_VERTEX), plan.vs_access.images_written)
