# SPDX-License-Identifier: MIT
"""The vertex stage of a pipeline: what create_pipeline needs of draw.

In: a PipelineState and the layout of vertex rows. Out: the module of the kernel `lp_vs`. When the
object cache has the kernel, no nir is built and neither llvmlite nor the generators are loaded.
Counterpart of Mesa's draw_vs.c (variants).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from pipe_llvm.native import VertexLayout
from pydri.jit.kernel import Module
from pydri.pipe.native import SHADER_VERTEX
from pydri.pipe.state import PipelineState, VertexElement, key_bytes


def vs_elements(state: PipelineState) -> tuple[VertexElement, ...]:
    """The vertex elements that the shader reads."""
    read = state.shader(SHADER_VERTEX).inputs
    return tuple(e for e in state.elements if e.slot in read)


def vs_module(state: PipelineState, layout: VertexLayout) -> Module:
    """The module of a vertex stage; its key is everything that its code depends on."""
    elements, rast, vs = vs_elements(state), state.rast, state.shader(SHADER_VERTEX)

    def kernels(hurried: bool) -> list[Any]:
        from pipe_llvm.draw.vs import vs_kernel
        from pydri.nir.passes import lower_for_backend

        def build() -> Any:
            shader = vs.build()
            lower_for_backend(shader, hurried=hurried)
            return shader

        clip = rast.clip_planes, rast.depth_clamp
        return [vs_kernel(build, elements, layout, *clip, vs.blocks, hurried)]

    key = key_bytes(vs.key, elements, layout, rast.clip_planes, rast.depth_clamp)
    best, first = partial(kernels, False), partial(kernels, True)
    return Module("lp_vs", best, key, variant=True, first=first)


def vertex_inputs(state: PipelineState) -> int:
    """Attribute slots that are fetched, as a bit mask (LpPlan.vs_inputs)."""
    mask = 0
    for element in vs_elements(state):
        mask |= 1 << element.slot
    return mask
