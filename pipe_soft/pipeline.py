# SPDX-License-Identifier: MIT
"""A pipeline: a PipelineState with its shaders, kept until they are deleted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

from pipe_soft.layout import Layout, make_layout
from pydri.nir import interp
from pydri.nir.interp import Result
from pydri.nir.ir import AluInstr, IntrinsicInstr, Shader, TexInstr
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_GEOMETRY, SHADER_VERTEX
from pydri.pipe.state import PipelineState, VertexElement
from pydri.tgsi.exec import machine as exec
from pydri.tgsi.tokens.parse import Stream, parse

_DERIVATIVES = ("DDX", "DDY", "DDX_FINE", "DDY_FINE")


class Pipeline:
    """What draws with one state."""

    def __init__(self, state: PipelineState) -> None:
        self.state = state
        self.layout: Layout = make_layout(state)
        vs = state.stages[SHADER_VERTEX]
        self.elements: tuple[VertexElement, ...] = tuple(
            e for e in state.elements if vs is not None and e.slot in vs.inputs
        )

    @cached_property
    def vertex(self) -> Callable[..., Result]:
        """Runs the vertex shader, as it was built: nothing is lowered or optimised."""
        vs = self.state.shader(SHADER_VERTEX)
        if vs.tokens is not None:
            return partial(exec.run, parse(vs.tokens()), attributes=vs.inputs)
        return partial(interp.run, vs.build())

    @cached_property
    def geometry(self) -> Shader | None:
        """The geometry shader, if there is one."""
        gs = self.state.stages[SHADER_GEOMETRY]
        return None if gs is None else gs.build()

    @cached_property
    def fragment(self) -> Callable[..., Result]:
        """Runs the fragment shader."""
        shader = self._fragment
        if isinstance(shader, Stream):
            return partial(exec.run, shader)
        return partial(interp.run, shader)

    @cached_property
    def _fragment(self) -> Shader | Stream:
        fs = self.state.shader(SHADER_FRAGMENT)
        return fs.build() if fs.tokens is None else parse(fs.tokens())

    @cached_property
    def state_reads(self) -> frozenset[str]:
        """State that the fragment shader reads: what passes put there (alpha_ref, tile_color)."""
        shader = self._fragment
        if isinstance(shader, Stream):
            return frozenset()
        loads = (i.name for i in shader.main.instrs() if isinstance(i, IntrinsicInstr))
        return frozenset(name.removeprefix("load_") for name in loads)

    @cached_property
    def in_quads(self) -> bool:
        """Whether fragments look at their neighbours: derivatives, levels of detail."""
        shader = self._fragment
        if isinstance(shader, Stream):
            looks = (instr.op for instr in shader.instructions)
            return any(op.is_tex or op.name in _DERIVATIVES for op in looks)
        return any(
            isinstance(instr, TexInstr) or (isinstance(instr, AluInstr) and instr.op.cross_lane)
            for instr in shader.main.instrs()
        )
