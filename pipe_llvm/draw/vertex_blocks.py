# SPDX-License-Identifier: MIT
"""Uniform blocks in buffers of the vertex stage, which shades while the draw is recorded.

In: the ranges that are bound. Out: `LpContext.vertex_blocks`: where they lie, what scenes write
there being awaited, as for a read of the CPU; of those that are too short a copy with zeros behind
it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.native import LpContext, LpPlan
from pipe_llvm.shader_memory import bound
from pipe_llvm.transfer import lp_transfer_map
from pipe_llvm.uniform_blocks import block_range, block_row, fill_block
from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u8, u32, u64, void
from pydri.pipe.native import MAP_READ, SHADER_VERTEX, PipeDynamic

if TYPE_CHECKING:
    from pydri.jit import Builder

_BYTES = ptr(u8)


@kernel(ret=void, args=(ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic)), noinline=True,
        name="lp_vertex_blocks")  # fmt: skip
def vertex_blocks(b: Builder, lp: LpContext, plan: LpPlan, dyn: PipeDynamic) -> None:
    """Before the vertices of a draw are shaded."""
    places = lp.addr("vertex_blocks").cast(ptr(_BYTES))
    pad = b.var(_BYTES, lp.block_pad)
    with b.For(b.const(u32, 0), plan.vertex.blocks) as n:
        size = plan.vertex.block_bytes[n]
        data, given, _ = block_range(b, bound(b, dyn, SHADER_VERTEX), n)
        there = b.ptr_to_int(data) != 0
        with b.If(there):
            resource = block_row(b, bound(b, dyn, SHADER_VERTEX), n).resource
            b.call(lp_transfer_map, lp.addr("pipe"), resource, MAP_READ)
        with b.If(there & (given >= b.cast(size, u64)), likely=True):
            (places + n).store(data)
        with b.Else():
            fill_block(b, pad.value, data, given, size)
            (places + n).store(pad.value)
            pad.value = pad.value + b.cast((size + 63) & ~63, u64)
