# SPDX-License-Identifier: MIT
"""Uniform blocks in buffers of the stages that shade while the draw is recorded.

In: the ranges that are bound. Out: `LpShading.blocks`: where they lie, what scenes write there
being awaited, as for a read of the CPU; of those that are too short a copy with zeros behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.native import LpContext, LpShading, LpStagePlan
from pipe_llvm.transfer import lp_transfer_map
from pipe_llvm.uniform_blocks import block_range, block_row, fill_block
from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u8, u32, u64
from pydri.pipe.native import MAP_READ
from pydri.pipe.shader_memory import ShaderMemory

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer

_BYTES = ptr(u8)


@kernel(
    ret=_BYTES,
    args=(ptr(LpContext), ptr(LpStagePlan), ptr(ShaderMemory), ptr(LpShading), _BYTES),
    noinline=True, name="lp_stage_blocks",
)  # fmt: skip
def stage_blocks(b: Builder, lp: LpContext, stage: Any, bound: Any, out: Any,
                 free: Pointer) -> None:  # fmt: skip
    """Before a stage shades what a draw has for it. Copies lie at `free`; returns where the next
    ones may."""
    places = out.addr("blocks").cast(ptr(_BYTES))
    pad = b.var(_BYTES, free)
    with b.For(b.const(u32, 0), stage.blocks) as n:
        size = stage.block_bytes[n]
        data, given, _ = block_range(b, bound, n)
        there = b.ptr_to_int(data) != 0
        with b.If(there):
            resource = block_row(b, bound, n).resource
            b.call(lp_transfer_map, lp.addr("pipe"), resource, MAP_READ)
        with b.If(there & (given >= b.cast(size, u64)), likely=True):
            (places + n).store(data)
        with b.Else():
            fill_block(b, pad.value, data, given, size)
            (places + n).store(pad.value)
            pad.value = pad.value + b.cast((size + 63) & ~63, u64)
    b.Return(pad.value)
