# SPDX-License-Identifier: MIT
"""Translates a shader's words into one function: sixteen lanes from the first word to the end.

In: words. Out: a kernel that takes a Vc4Group (fragments) or Vc4Rows (vertices) and returns DONE or
an error's code. What does not depend on lanes is known as the code is made:
which uniform, varying or row comes next, what waits in the TMUs. So a block is made once for each
such state in which it is entered, and nothing is counted at run time. A thread switch changes
nothing but the accumulators.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from pipe_vc4.qpu.fields import QPU_SIG_, QPU_W
from pipe_vc4.simulator import qpu
from pipe_vc4.simulator.kernels.errors import DONE
from pipe_vc4.simulator.kernels.layout import Vc4Group, Vc4Rows
from pipe_vc4.simulator.kernels.sides import FragmentSide, VertexSide
from pipe_vc4.simulator.kernels.state import Ended, State, Untranslatable
from pipe_vc4.simulator.kernels.words import Words
from pipe_vc4.simulator.program import SWITCHES, Instruction, decode, uniform_places
from pydri.jit.kernel import Kernel
from pydri.jit.types import ptr, u32

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.emitter import Block

#: more blocks, or words in them, than this are not worth a translation
MOST_BLOCKS = 512
MOST_WORDS = 8192
_ENDS = (QPU_SIG_.PROG_END, QPU_SIG_.COLOR_LOAD_END)
_GARBAGE = 0xDEADBEEF


class Shape(NamedTuple):
    """All that the code of a shader depends on."""

    words: tuple[int, ...]
    fragment: bool
    #: of a fragment shader: how many varyings it is given, its depth test, whether depth is written
    varyings: int = 0
    depth_function: int = 7
    writes_depth: bool = False
    samples: int = 1


class Translator(Words):
    """A program while it is translated."""

    def __init__(self, b: Builder, shape: Shape, group: Vc4Group | Vc4Rows) -> None:
        self.code = [decode(word) for word in shape.words]
        super().__init__(b, group, uniform_places(self.code)[1])
        self.side = (
            FragmentSide(self, cast(Vc4Group, group), shape)
            if shape.fragment else VertexSide(self, cast(Vc4Rows, group)))
        self.blocks: dict[State, Block] = {}
        self.todo: list[State] = []
        self.leaders = _leaders(self.code)
        self.branches = any(word.sig == QPU_SIG_.BRANCH for word in self.code)
        self.ran = b.var(u32, 0)
        self.made = 0

    def program(self) -> None:
        """Everything, from where the builder stands."""
        self.jump(0)
        while self.todo:
            state = self.todo.pop()
            self.b.place(self.blocks[state])
            self.enter(state)
            try:
                self.block(state.at)
            except Ended:
                pass

    def target(self, at: int) -> str:
        """The label of the block at a word, entered as things stand."""
        state = self.leave(at)
        if state not in self.blocks:
            if len(self.blocks) >= MOST_BLOCKS:
                raise Untranslatable("the state of a loop differs from round to round")
            self.blocks[state] = self.b.new_block(f"word{at}")
            self.todo.append(state)
        return self.blocks[state].label

    def jump(self, at: int) -> None:
        """Go on at a word."""
        self.b.terminate(f"br label %{self.target(at)}")

    def block(self, begin: int) -> None:
        """Words from `begin` to where the way parts or meets another, or to the end."""
        at, count = begin, len(self.code)
        while True:
            if at >= count:
                self.fail("a shader runs past its last word")
            if at in self.leaders and at != begin:
                self.jump(at)
                return
            word = self.code[at]
            at += 1
            self.made += 1
            if self.made > MOST_WORDS:
                raise Untranslatable("more words than a compiler should see")
            if word.sig == QPU_SIG_.BRANCH:
                self.branch(word, at, at - begin)
                return
            self.word(word)
            if word.sig in _ENDS:
                for last in self.code[at:at + 2]:
                    if last.sig == QPU_SIG_.BRANCH:
                        raise Untranslatable("a branch behind the end")
                    self.word(last)
                self.b.Return(DONE)
                return
            if word.sig in SWITCHES:
                self.switched = at + 2
            if at == self.switched:
                # The other thread has used the accumulators meanwhile.
                self.switched = -1
                for place in self.acc:
                    place.value = _GARBAGE

    def branch(self, branch: Instruction, after: int, ran: int) -> None:
        """A branch with its delay slots."""
        b = self.b
        if branch.register is not None or not branch.relative or (
                {branch.waddr_add, branch.waddr_mul} != {int(QPU_W.NOP)}):
            raise Untranslatable("a branch whose target, or link, is an address")
        taken = self.taken(branch.cond_branch)
        for word in self.code[after:after + 3]:
            self.word(word)
        offset = branch.imm - (1 << 32 if branch.imm >> 31 else 0)
        place = after + 3 + offset // 8
        self.ran.value = self.ran.value + ran
        self.fail_if(self.ran.value > qpu.LIMIT, "a shader does not end")
        if offset % 8 or not 0 <= place < len(self.code):
            why = "a branch to half a word" if offset % 8 else "a branch out of the shader"
            if taken is None:
                self.fail(why)
            else:
                self.fail_if(taken, why)
            self.jump(after + 3)
        elif taken is None:
            self.jump(place)
        else:
            b.terminate(f"br i1 {taken.ref}, label %{self.target(place)}, "
                        f"label %{self.target(after + 3)}")


def _leaders(code: list[Instruction]) -> set[int]:
    """The words that branches go to, or go past."""
    found = set()
    for at, word in enumerate(code):
        if word.sig == QPU_SIG_.BRANCH:
            offset = word.imm - (1 << 32 if word.imm >> 31 else 0)
            found |= {at + 4, at + 4 + offset // 8}
    return found


def translate(shape: Shape) -> Kernel:
    """The kernel of a shader: u32 (Vc4Group or Vc4Rows)."""
    of = Vc4Group if shape.fragment else Vc4Rows

    def trace(b: Builder, group: Vc4Group | Vc4Rows) -> None:
        Translator(b, shape, group).program()

    return Kernel(trace, "shader", u32, (ptr(of),))


__all__ = ["Shape", "translate"]
