# SPDX-License-Identifier: MIT
"""lp_draw_vbo: one draw call, from indices and arrays to setup.

In: a plan, dynamic state, a DrawInfo. Out: calls of the plan's `vs` and `setup`. A draw is taken in
chunks that fit the vertex stream; a chunk of a strip repeats the vertices that the cut would lose.
Indexed chunks whose numbers lie close together are shaded as a range, each vertex once; others are
shaded index by index. Small instances share a chunk, so that no lane is empty. Flags decide: a
chunk wholly outside of one plane is dropped, one that needs clipping takes the slow way. Lines and
points are widened. Nothing in a DrawInfo can make this read outside of the bindings or of the
stream. Counterpart of Mesa's draw_pt.c, draw_pt_vsplit.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.chain import STATE
from pipe_llvm.draw.chunk import LANES, draw_chunk, has_geometry
from pipe_llvm.draw.clip import SPARE
from pipe_llvm.draw.geometry import rows_wanted
from pipe_llvm.draw.prim import STRIP_ADJACENCY, mode_field, repeat
from pipe_llvm.draw.stage_blocks import stage_blocks
from pipe_llvm.draw.stage_views import stage_views
from pipe_llvm.draw.statistics import asked, count_submitted
from pipe_llvm.draw.statistics import count as count_statistics
from pipe_llvm.native import (
    GROW_INDICES,
    GROW_SHADED,
    GROW_VERTICES,
    VERTEX_BATCH,
    LpContext,
    LpPlan,
)
from pipe_llvm.setup.recording import settle_blocks, settle_memory, settle_now, settle_views
from pipe_llvm.shader_memory import bound, refresh_table
from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u8, u16, u32, u64, void
from pydri.pipe.native import (
    MAX_ATTRIBS,
    PRIM_BEGIN,
    PRIM_END,
    PRIM_NUMBERED_ON,
    SHADER_GEOMETRY,
    SHADER_VERTEX,
    DrawInfo,
    PipeDynamic,
    PipeNative,
)
from pydri.pipe.shader_memory import MAX_BLOCK_BYTES, MAX_BLOCKS
from pydri.util.stats import INDEX

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value

U32X16 = u32.vec(LANES)
# multiples of 12, so that no list of lines, triangles or quads is cut within a primitive
LINEAR_CHUNK = VERTEX_BATCH // 12 * 12
INDEX_CHUNK = 3 * VERTEX_BATCH // 12 * 12
NOT_DENSE = 0xFFFFFFFF  # in place of the first of a range of vertices


@kernel(ret=u32, args=(ptr(LpContext), ptr(LpPlan), u32), name="lp_shaded_room", noinline=True)
def shaded_room(b: Builder, lp: LpContext, plan: LpPlan, vertices: Value) -> None:
    """Room for the rows of `vertices` vertices that a geometry shader reads."""
    wanted = b.cast(vertices, u64) * b.cast(plan.emits.input_bytes, u64)
    with b.If(lp.stream.shaded_bytes < wanted):
        b.Return(lp.hook_grow(lp, GROW_SHADED, wanted))
    b.Return(1)


@kernel(ret=u32, args=(ptr(LpContext), ptr(LpPlan), u32, u32), name="lp_make_room", noinline=True)
def make_room(b: Builder, lp: LpContext, plan: LpPlan, vertices: Value, indices: Value) -> None:
    """Room for `vertices` rows of the plan and as many to append, and for `indices` numbers."""
    stream = lp.stream
    rows, numbers = b.var(u32, vertices), b.var(u32, indices)
    with b.If(has_geometry(b, plan), likely=False):
        with b.If(b.call(shaded_room, lp, plan, vertices) == 0):
            b.Return(0)
        rows.value = rows_wanted(b, plan)
        numbers.value = b.max(indices, (plan.emits.most + 2) * LANES)
    # an eighth of the stream and the rows of one primitive are left for clipping
    wanted_ = b.var(u32, rows.value + b.max(rows.value >> 3, 4 * SPARE))
    with b.If(plan.primitive.number != 0):  # each primitive has vertices of its own
        wanted_.value = wanted_.value + indices * 2
    wanted, indices = wanted_.value, numbers.value
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


@kernel(ret=u32, args=(*STATE, ptr(DrawInfo)), name="lp_bounded_count", noinline=True)
def bounded_count(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic,
                  info: DrawInfo) -> None:  # fmt: skip
    """The draw's count without the vertices that no array holds (all would be the last one)."""
    limit, rest = b.var(u32, 0), b.var(u64, plan.vertex_inputs)
    with b.If(rest.value == 0):
        limit.value = 0xFFFFFFFF
    with b.While(lambda: rest.value != 0):
        slot = b.ctz(rest.value)
        rest.value = rest.value & (rest.value - 1)
        binding = info.attribs + b.min(slot, MAX_ATTRIBS - 1)
        with b.If((binding.stride != 0) & (binding.divisor == 0)):
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
def widen(b: Builder, indices: Pointer, size: Value, first: Value, bias: Value, elts: Pointer,
          count: Value) -> None:  # fmt: skip
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
def index_range(b: Builder, elts: Pointer, count: Value) -> None:
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


def _count_vertices(b: Builder, lp: LpContext, dyn: PipeDynamic, vertices: Value) -> None:
    count_statistics(b, dyn, vertex_invocations=vertices)
    stats = lp.stats
    with b.If(stats != 0):
        at = INDEX["vertices"]
        stats[at] = stats[at] + b.cast(vertices, u64)


def _round_up(rows: Any) -> Any:
    return (rows + (LANES - 1)) & ~(LANES - 1)


@kernel(ret=ptr(u32), args=(ptr(LpContext), u32, u32, u32), name="lp_instances")
def instance_list(b: Builder, lp: LpContext, first: Value, rows: Value, count: Value) -> None:
    """The instances of vertices, of `count` from `first` on, `rows` each; null: all are 0. It lies
    where clipping will write."""
    with b.If((first == 0) & (count == 1)):
        b.Return(b.const(ptr(u32), 0))
    out = lp.stream.w1
    with b.For(b.const(u32, 0), rows, LANES) as i:
        (out + i).store(b.splat(first, LANES))
    b.call(repeat, out, rows, count, 1)
    # lanes behind the last vertex are this one again
    (out + rows * count).store(b.splat(first + count - 1, LANES))
    b.Return(out)


@kernel(ret=void, args=(*STATE, ptr(DrawInfo), u32, u32), name="lp_draw_linear", noinline=True)
def draw_linear(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, info: DrawInfo,
                count: Value, instance: Value) -> None:  # fmt: skip
    """Vertices info.start .. + count, in chunks (not for modes that pin a vertex, if cut)."""
    mode, start = info.mode, info.start
    overlap = mode_field(b, mode, "overlap")
    at = b.var(u32, 0)
    with b.Loop():
        take = b.min(count - at.value, LINEAR_CHUNK)
        with b.If(b.call(make_room, lp, plan, _round_up(take), take + 4 * LANES) == 0):
            b.Return()
        instances = b.call(instance_list, lp, instance, take, 1)
        flags = plan.vs(lp, plan, dyn, info.attribs, 0, start + at.value, take, instances)
        _count_vertices(b, lp, dyn, take)
        # a strip is one primitive: only its first chunk begins it, and only the last one ends it
        begins = b.select(at.value == 0, info.prim_flags & PRIM_BEGIN, 0)
        ends = b.select(at.value + take >= count, info.prim_flags & PRIM_END, 0)
        prim_flags = begins | ends
        given = (mode, 0, take, flags, prim_flags, _round_up(take), 0, 1)
        b.call(draw_chunk, lp, plan, dyn, *given)
        at.value = at.value + take
        with b.If(at.value >= count):
            b.Break()
        at.value = at.value - overlap


def _bias(b: Builder, info: DrawInfo) -> Value:
    """What is added to indices."""
    return b.select(info.index_size == 0, b.const(u32, 0), b.bitcast(info.index_bias, u32))


def _dense(plan: Any, spread: Any, count: Any) -> Any:
    """Whether all vertices of a range are shaded, not those that `count` indices name: a shader
    that writes memory runs for no vertex that no index names."""
    return (spread < count + (count >> 1)) & (plan.vertex.access.writes == 0)


def _from(b: Builder, elts: Pointer, low: Value, count: Operand) -> None:
    """Count indices from the lowest."""
    with b.For(b.const(u32, 0), count, LANES) as i:
        place = elts + i
        place.store(place.load(U32X16) - b.splat(low, LANES))


@kernel(ret=void, args=(*STATE, ptr(DrawInfo), u32, u32), name="lp_draw_indexed", noinline=True)
def draw_indexed(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, info: DrawInfo,
                 count: Value, instance: Value) -> None:  # fmt: skip
    """Vertices by index (or a range that pins its first vertex, as if by index), in chunks."""
    mode, size = info.mode, info.index_size
    overlap, pinned = mode_field(b, mode, "overlap"), mode_field(b, mode, "pinned")
    bias = _bias(b, info)
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
        dense = _dense(plan, spread, n)
        rows = b.select(dense, spread + 1, n)
        with b.If(b.call(make_room, lp, plan, _round_up(rows), INDEX_CHUNK + 8 * LANES) == 0):
            b.Return()
        _count_vertices(b, lp, dyn, rows)
        # a loop is one primitive: only its first and last chunks have its ends
        begins = b.select(at.value == 0, info.prim_flags & PRIM_BEGIN, 0)
        is_last = at.value + take >= count
        ends = b.select(is_last, info.prim_flags & PRIM_END, 0)
        source, flags = b.var(ptr(u32), stream.elts), b.var(u32)
        numbers = b.call(instance_list, lp, instance, rows, 1)
        with b.If(dense):
            flags.value = plan.vs(lp, plan, dyn, info.attribs, 0, low, rows, numbers)
            _from(b, source.value, low, n)
        with b.Else():
            flags.value = plan.vs(lp, plan, dyn, info.attribs, source.value, 0, rows, numbers)
            source.value = b.const(ptr(u32), 0)
        given = (mode, source.value, n, flags.value, begins | ends, _round_up(rows), 0, 1)
        b.call(draw_chunk, lp, plan, dyn, *given)
        at.value = at.value + take
        with b.If(is_last):
            b.Break()
        at.value = at.value - overlap


@kernel(ret=void, args=(*STATE, ptr(DrawInfo), u32, u32), name="lp_draw_instance", noinline=True)
def draw_instance(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, info: DrawInfo,
                  count: Value, instance: Value) -> None:  # fmt: skip
    """One instance, in as many chunks as it needs."""
    with b.If((info.prim_flags & PRIM_NUMBERED_ON) == 0):
        lp.primitive = 0
    cut = (mode_field(b, info.mode, "pinned") != 0) & (count > LINEAR_CHUNK)
    with b.If((info.index_size != 0) | cut):
        b.call(draw_indexed, lp, plan, dyn, info, count, instance)
    with b.Else():
        b.call(draw_linear, lp, plan, dyn, info, count, instance)


@kernel(
    ret=void,
    args=(*STATE, ptr(DrawInfo), u32, u32, u32, u32, u32),
    name="lp_draw_together",
    noinline=True,
)
def draw_together(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, info: DrawInfo,
                  count: Value, low: Value, rows: Value, first: Value,
                  instances: Value) -> None:  # fmt: skip
    """The vertices of several instances, `rows` each, in one chunk. `elts` has what assembly wants
    to know: vertices `low` to low + rows, or none where they are shaded index by index (rows ==
    count, not dense)."""
    total = rows * instances
    with b.If(b.call(make_room, lp, plan, _round_up(total), INDEX_CHUNK + 8 * LANES) == 0):
        b.Return()
    stream = lp.stream
    numbers = stream.w0  # free up to clipping, as what `instance_list` writes
    _count_vertices(b, lp, dyn, total)
    dense = low != NOT_DENSE
    with b.If(dense):
        b.call(widen, info.indices, 0, low, 0, numbers, rows)
    with b.Else():
        b.call(widen, info.indices, info.index_size, info.start, _bias(b, info), numbers, rows)
    b.call(repeat, numbers, rows, instances, 0)
    of_instances = b.call(instance_list, lp, first, rows, instances)
    flags = plan.vs(lp, plan, dyn, info.attribs, numbers, 0, total, of_instances)
    lp.primitive = 0
    source = b.select(dense, stream.elts, b.const(ptr(u32), 0))
    given = (info.mode, source, count, flags, info.prim_flags, _round_up(total), rows, instances)
    b.call(draw_chunk, lp, plan, dyn, *given)


@kernel(ret=void, args=(*STATE, ptr(DrawInfo), u32), name="lp_draw_instances", noinline=True)
def draw_instances(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, info: DrawInfo,
                   count: Value) -> None:  # fmt: skip
    """All instances of a draw: as many of them in a chunk as there is room for."""
    first, instances = info.instance, b.max(info.instances, 1)
    group, low, rows = b.var(u32, 0), b.var(u32, 0), b.var(u32, count)
    with b.If((count <= INDEX_CHUNK) & (instances > 1)):
        with b.If(b.call(make_room, lp, plan, LANES, INDEX_CHUNK + 8 * LANES) == 0):
            b.Return()
        elts = lp.stream.elts
        b.call(widen, info.indices, info.index_size, info.start, _bias(b, info), elts, count)
        bounds = b.call(index_range, elts, count)
        low.value = b.cast(bounds, u32)
        spread = b.cast(bounds >> 32, u32) - low.value
        with b.If(_dense(plan, spread, count) & (low.value != NOT_DENSE)):
            rows.value = spread + 1
            _from(b, elts, low.value, count)
        with b.Else():
            low.value = NOT_DENSE
        group.value = b.min(LINEAR_CHUNK // rows.value, INDEX_CHUNK // count)
    at = b.var(u32, 0)
    with b.While(lambda: at.value < instances):
        take = b.max(b.min(group.value, instances - at.value), 1)
        with b.If(take == 1):
            b.call(draw_instance, lp, plan, dyn, info, count, first + at.value)
            group.value = 0  # it has used `elts`
        with b.Else():
            given = (count, low.value, rows.value, first + at.value, take)
            b.call(draw_together, lp, plan, dyn, info, *given)
        at.value = at.value + take


@kernel(ret=void, args=STATE, name="lp_settle_geometry", noinline=True)
def settle_geometry(b: Builder, lp: LpContext, plan: LpPlan, dyn: Any) -> None:
    """Make what a geometry shader reads ready for a draw, behind the vertex stage's."""
    own, table = dyn.stages[SHADER_GEOMETRY], bound(b, dyn, SHADER_GEOMETRY)
    copies = lp.block_pad + MAX_BLOCKS * MAX_BLOCK_BYTES
    b.call(stage_blocks, lp, plan.geometry, table, lp.geometry, copies)
    b.call(stage_views, lp, plan.geometry, own, lp.geometry)
    with b.If(plan.geometry.memory != 0):
        b.call(settle_now, lp, table, plan.geometry.addr("access"), lp.geometry)


@kernel(ret=void, args=(ptr(PipeNative), ptr(void), ptr(PipeDynamic), ptr(DrawInfo)))
def lp_draw_vbo(b: Builder, pipe: PipeNative, pipeline: Pointer, dyn: Any,
                info: DrawInfo) -> None:  # fmt: skip
    """PipeNative.draw_vbo."""
    lp, plan = pipe.cast(ptr(LpContext)), pipeline.cast(ptr(LpPlan))
    mode = info.mode
    with b.If((mode > STRIP_ADJACENCY) | (info.count == 0)):
        b.Return()
    stats = lp.stats
    with b.If(stats != 0):
        stats[INDEX["draws"]] = stats[INDEX["draws"]] + 1
    count = b.var(u32, info.count)
    with b.If(info.index_size == 0, likely=True):
        count.value = b.call(bounded_count, lp, plan, dyn, info)
    with b.If(count.value < mode_field(b, mode, "least")):
        b.Return()
    with b.If(asked(b, dyn), likely=False):
        b.call(count_submitted, dyn, info, count.value)
    lp.base_instance = info.base_instance
    with b.If(plan.fragment.views != 0):
        b.call(settle_views, lp, plan, dyn)
    with b.If((plan.fragment.memory | plan.vertex.memory) != 0, likely=False):
        b.call(settle_memory, lp, plan, dyn)
    with b.If(plan.fragment.blocks != 0, likely=False):
        b.call(settle_blocks, lp, plan, dyn)
    with b.If(plan.vertex.blocks != 0, likely=False):
        b.call(stage_blocks, lp, plan.vertex, bound(b, dyn, SHADER_VERTEX), lp.vertex, lp.block_pad)
    with b.If(plan.vertex.views != 0, likely=False):
        b.call(stage_views, lp, plan.vertex, dyn.stages[SHADER_VERTEX], lp.vertex)
    with b.If(has_geometry(b, plan), likely=False):
        b.call(settle_geometry, lp, plan, dyn)
    with b.If((info.instances > 1) | (info.instance != 0), likely=False):
        b.call(draw_instances, lp, plan, dyn, info, count.value)
    with b.Else():
        b.call(draw_instance, lp, plan, dyn, info, count.value, 0)
    with b.If(plan.vertex.access.images_written != 0, likely=False):
        b.call(refresh_table, bound(b, dyn, SHADER_VERTEX), plan.vertex.access.images_written)
    with b.If(plan.geometry.access.images_written != 0, likely=False):
        b.call(refresh_table, bound(b, dyn, SHADER_GEOMETRY), plan.geometry.access.images_written)
