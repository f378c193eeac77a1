# SPDX-License-Identifier: MIT
"""Shaders with long chains of instructions, several stamps at once.

One native vector a value waits for the latency of each instruction as soon as a shader has a long
chain: with two or four vectors a value the same shader runs up to 2.8 times as fast (phong with a
pow a light, 512 bits), in the same bits. So such a shader is a batch (fragment/batch.py) whose
phase 0 is nothing but inputs; all further phases take STAMPS stamps a step, whose lanes are full of
live quads (fragment/packing.py), and outputs go through memory to a last round, which tests, blends
and stores stamp by stamp. Short shaders would gain nothing. A loop out of which lanes go one by one
lasts as long as the slowest of all lanes, so there a step is half as large: neighbours mostly go
together, and what waits for latencies loses nothing (a Mandelbrot set: 1.3 times as fast by two
stamps, 1.4 by four). So it is where the rounds of a loop hand on more vectors than there are
registers, which each round would load and store (six numbers, 256 bits: 1.27 times as fast by one
stamp)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.fragment.env import FsEnv
from pydri.jit.cpu import native_vector_width
from pydri.nir.divergence import Divergence
from pydri.nir.ir import AluInstr, Block, CFNode, If, Loop, Shader, TexInstr

if TYPE_CHECKING:
    from pipe_llvm.fragment.kernel import FragmentBuilder
    from pipe_llvm.native import LpFragState
    from pydri.jit import Builder, Pointer, Value

#: stamps a step, by the bits of a native vector; of 128 bits a value has four vectors anyway
STAMPS = {512: 4, 256: 2, 128: 1}
#: registers for vectors, likewise
REGISTERS = {512: 32, 256: 16, 128: 16}
#: how long an opcode's chain is, in instructions; others 1
_LENGTHS = {
    "fexp2": 15, "flog2": 15, "fpow": 35, "fsin": 20, "fcos": 20, "frcp": 4, "frsq": 8, "fsqrt": 6,
    "fdiv": 4, "mov": 0, "vec2": 0, "vec3": 0, "vec4": 0,
}  # fmt: skip
LONG = 70  # from here on, measured: 50 gains nothing, 75 a quarter, 140 a half
_ROUNDS = 6  # what a loop is counted for
_LOOKUP = 50  # and a lookup within control flow, whose function is called for a step of stamps


def length(nodes: list[CFNode]) -> int:
    """How many instructions some nodes are, roughly."""
    total = 0
    for node in nodes:
        if isinstance(node, Block):
            for instr in node.instrs:
                if isinstance(instr, AluInstr):
                    total += _LENGTHS.get(instr.op.name, 1)
                elif isinstance(instr, TexInstr) and node.parent is not None:
                    total += _LOOKUP
        elif isinstance(node, If):
            total += length(node.then) + length(node.otherwise)
        elif isinstance(node, Loop):
            total += _ROUNDS * length(node.body)
    return total


def stamps_a_step(shader: Shader) -> int:
    """How many stamps of a shader are worth doing at once."""
    width = native_vector_width()
    stamps = STAMPS[width]
    if stamps == 1 or length(shader.main.body) < LONG:
        return 1
    divergence = Divergence(shader.main)
    masked = any(lanes.masked for lanes in divergence.loops.values())
    handed_on = max((_handed_on(loop, divergence) for loop in divergence.loops), default=0)
    crowded = handed_on * stamps * 512 // width > REGISTERS[width]
    return stamps // 2 if masked or crowded else stamps


def _handed_on(loop: Loop, divergence: Divergence) -> int:
    """Numbers of a lane that a loop's rounds hand on to the next."""
    header = loop.body[0]
    assert isinstance(header, Block)
    phis = (phi.dest for phi in header.phis)
    return sum(ssa.num_components for ssa in phis if not divergence.is_uniform(ssa))


class WideEnv(FsEnv):
    """What a fragment shader sees of several stamps of a batch, whose quads may be of different
    triangles."""

    def __init__(
        self, b: Builder, frag: FragmentBuilder, state: LpFragState, front: Pointer, mask: Value,
        stamps: int,
    ) -> None:  # fmt: skip
        self.lanes = 16 * stamps
        self.lane_xy = tuple((x + 4 * n, y) for n in range(stamps) for x, y in FsEnv.lane_xy)
        super().__init__(b, frag, state, {}, [], mask, mask)
        self._front = front  # the bits of the lanes whose primitive faces the viewer

    def load_system(self, name: str, count: int) -> list[Value]:
        """The face differs from quad to quad; all others are inputs of phase 0."""
        if name != "front_face":
            return super().load_system(name, count)
        return [self.b.mask_of(self._front.load(align=2))]
