# SPDX-License-Identifier: MIT
"""The texture views of the stages that shade while the draw is recorded.

Each draw gets copies, whose data is where the texels lie now: what scenes draw to them is awaited,
as for a read of the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.native import LpContext, LpShading, LpStagePlan
from pipe_llvm.scene_views import ways_of
from pipe_llvm.transfer import lp_transfer_map
from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u32, void
from pydri.pipe.native import MAP_READ, StageBindings
from pydri.pipe.sampler import TextureView
from pydri.pipe.sampler_kernels import view_ways

if TYPE_CHECKING:
    from pydri.jit import Builder


@kernel(
    ret=void, args=(ptr(LpContext), ptr(LpStagePlan), ptr(StageBindings), ptr(LpShading)),
    noinline=True, name="lp_stage_views",
)  # fmt: skip
def stage_views(b: Builder, lp: LpContext, stage: Any, bound: Any, out: Any) -> None:
    """Before a stage shades what a draw has for it."""
    views = bound.views
    with b.For(b.const(u32, 0), stage.views) as n:
        view = (views + n).load(ptr(TextureView))
        copy = out.views + n
        wanted = ways_of(stage.ways, n)
        with b.If(wanted != 0, likely=False):
            b.call(view_ways, view, wanted)
        b.memcpy(copy, view, TextureView.size)
        with b.If(b.ptr_to_int(view.resource) != 0):
            copy.data = b.call(lp_transfer_map, lp.addr("pipe"), view.resource, MAP_READ)
