# SPDX-License-Identifier: MIT
"""Stream output: what the state captures of vertices goes to memory, primitive by primitive
(EXT_transform_feedback, 2.Y; OpenGL 4.6, 13.3).

In: assembled primitives, before a vertex was made the provoking one and before clipping; vertex
rows and clip coordinates; the plan's `stream`. Out: `StreamTarget`s, in order; counters. A
primitive is written whole or not at all, and what follows one that is not, isn't either. Mesa:
draw_pt_so_emit.c."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.draw.clip import clip_of, row_of
from pipe_llvm.draw.prim import mode_field
from pipe_llvm.draw.prims import Prims
from pipe_llvm.draw.statistics import count as count_statistics
from pipe_llvm.native import LpCapture, LpContext, LpPlan
from pydri.jit.kernel import kernel
from pydri.jit.types import f32, ptr, u8, u32, u64, void
from pydri.pipe.native import MAX_STREAM_TARGETS, PipeDynamic, StreamTarget

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value

_V4, _V8 = f32.vec(4), f32.vec(8)


def tapped(dyn: Any, plan: Any) -> Any:
    """Whether somebody looks at primitives between assembly and rasterisation, or stops them."""
    generated, statistics = (
        dyn.addr(name).cast(ptr(u64)).load() for name in ("primitives_generated", "statistics")
    )
    return (plan.stream.captures != 0) | (dyn.discard != 0) | ((generated | statistics) != 0)


def _count(b: Builder, place: Pointer, number: Value) -> None:
    """Add to a counter, if there is one."""
    with b.If(b.ptr_to_int(place) != 0):
        place[0] = place[0] + b.cast(number, u64)


def _target(dyn: Any, n: Any) -> Any:
    return dyn.addr("stream_targets").cast(ptr(StreamTarget)) + n


def _room(b: Builder, plan: Any, dyn: Any, count: Operand, corners: Any) -> Any:
    """How many of `count` primitives all targets have room for."""
    left = b.var(u64, b.cast(count, u64))
    with b.For(b.const(u32, 0), MAX_STREAM_TARGETS) as n:
        size = b.cast(plan.stream.strides[n] * corners, u64)
        with b.If(size != 0):
            target = _target(dyn, n)
            room = b.select(target.size > target.used, target.size - target.used, 0)
            left.value = b.min(left.value, room // size)
    return b.cast(left.value, u32)


def _copy(b: Builder, source: Pointer, step: int, to: Pointer, count: Any) -> None:
    """`count` floats, 1 to 4; those of a source lie `step` floats apart."""
    with b.For(b.const(u32, 0), count) as n:
        (to + n).store(source[n * step], align=4)


@kernel(
    ret=void, args=(ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic), ptr(Prims)),
    name="lp_stream_output", noinline=True,
)  # fmt: skip
def stream_output(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic, prims: Prims) -> None:
    """Write primitives and count them."""
    count = prims.count
    _count(b, dyn.primitives_generated, count)
    with b.If(plan.stream.captures == 0):
        b.Return()
    corners = mode_field(b, prims.mode, "reduced") + 1
    fits = _room(b, plan, dyn, count, corners)
    _count(b, dyn.primitives_written, fits)
    count_statistics(b, dyn, primitives_lost=count - fits)
    places = b.array(u64, MAX_STREAM_TARGETS)
    with b.For(b.const(u32, 0), MAX_STREAM_TARGETS) as n:
        target = _target(dyn, n)
        places[n] = b.ptr_to_int(target.data) + target.used
        size = plan.stream.strides[n] * corners
        target.used = target.used + b.cast(size, u64) * b.cast(fits, u64)
    captures = plan.stream.addr("map").cast(ptr(LpCapture))
    with b.For(b.const(u32, 0), plan.stream.captures) as n, b.For(b.const(u32, 0), corners) as c:
        what = captures + n
        buffer = b.cast(what.buffer, u32)
        stride = plan.stream.strides[buffer]
        at = places[buffer] + b.cast(stride * c, u64) + b.cast(what.offset, u64)
        own = b.select(c == 0, prims.v0, b.select(c == 1, prims.v1, prims.v2))
        _column(b, lp, plan, what, own, fits, b.int_to_ptr(at, u8), stride * corners)


def _column(b: Builder, lp: Any, plan: Any, what: Any, numbers: Any, count: Any, to: Any,
            step: Any) -> None:  # fmt: skip
    """Emit: one capture of one corner of `count` primitives, `step` bytes apart. What the loops
    need is read before them: what they write might be anything, for all that LLVM knows."""
    rows, row_bytes, clips = lp.stream.rows, b.cast(plan.row_bytes, u64), lp.stream.clip
    source, size = b.cast(what.source, u32), b.cast(what.count, u32)
    of_clip, apart = what.clip != 0, b.cast(step, u64)

    def each(write: Any) -> None:
        with b.For(b.const(u32, 0), count) as i:
            write(b.bytes_from(to, b.cast(i, u64) * apart, f32), numbers[i])

    def row(number: Value) -> Any:
        return row_of(b, rows, row_bytes, number) + source

    with b.If(of_clip):
        with b.If(size == 4, likely=True):
            four = [16 * k for k in range(4)]
            each(lambda at, n: at.store(b.vector([clip_of(clips, n)[k] for k in four]), align=4))
        with b.Else():
            each(lambda at, n: _copy(b, clip_of(clips, n) + source * 16, 16, at, size))
    with b.Else():
        with b.If(size == 8):
            each(lambda at, n: at.store(row(n).load(_V8, align=4), align=4))
        with b.Elif(lambda: size == 4):
            each(lambda at, n: at.store(row(n).load(_V4, align=4), align=4))
        with b.Else():
            each(lambda at, n: _copy(b, row(n), 1, at, size))


__all__ = ["stream_output", "tapped"]
