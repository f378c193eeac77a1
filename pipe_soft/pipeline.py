# SPDX-License-Identifier: MIT
"""A pipeline: a PipelineState with its shaders, kept until they are deleted."""

from __future__ import annotations

from functools import cached_property

from pipe_soft.layout import Layout, make_layout
from pydri.nir.ir import AluInstr, Shader, TexInstr
from pydri.pipe.state import PipelineState, VertexElement


class Pipeline:
    """What draws with one state."""

    def __init__(self, state: PipelineState) -> None:
        self.state = state
        self.layout: Layout = make_layout(state)
        self.elements: tuple[VertexElement, ...] = tuple(
            e for e in state.elements if e.slot in state.vs.inputs
        )

    @cached_property
    def vertex(self) -> Shader:
        """The vertex shader, as it was built: nothing is lowered or optimised."""
        return self.state.vs.build()

    @cached_property
    def fragment(self) -> Shader:
        """The fragment shader."""
        return self.state.fs.build()

    @cached_property
    def in_quads(self) -> bool:
        """Whether fragments look at their neighbours: derivatives, levels of detail."""
        return any(
            isinstance(instr, TexInstr) or (isinstance(instr, AluInstr) and instr.op.cross_lane)
            for instr in self.fragment.main.instrs()
        )
