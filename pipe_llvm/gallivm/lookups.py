# SPDX-License-Identifier: MIT
"""Lookups of a block that do not need each other, together.

A sampler function takes up to SAMPLE_STAMPS stamps and costs the more a stamp the fewer there are:
a gradient's six lookups in a loop over two stamps are one call for twelve. In: a block's
instructions. Out: the same ones in another order, in which lookups that one call can do stand
together: what waits for a lookup comes behind those that do not. Nothing passes an instruction that
has effects. (Outside of control flow phases.py puts lookups together, for a batch.)"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pipe_llvm.sample.call import CALLS, of_one_call
from pydri.nir.ir import AluInstr, Instr, IntrinsicInstr, LoadConst, SSADef, TexInstr, Undef

if TYPE_CHECKING:
    from collections.abc import Iterable

#: an instruction, or lookups of one call
Step: TypeAlias = "Instr | list[TexInstr]"


class _Waiting:
    """Lookups that are put off, and what waits for them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lookups: list[TexInstr] = []
        self._behind: list[Instr] = []
        self._results: set[SSADef] = set()

    def stands_behind(self, instr: Instr) -> bool:
        """Whether an instruction needs what waits."""
        return not self._results.isdisjoint(instr.sources())

    def put(self, instr: Instr) -> None:
        """An instruction waits, too: a lookup that needs none of the others, or what needs one."""
        if isinstance(instr, TexInstr) and instr.op in CALLS:
            self._lookups.append(instr)
        else:
            self._behind.append(instr)
        assert instr.dest is not None
        self._results.add(instr.dest)

    def done(self) -> list[Step]:
        """All of it; nothing waits then."""
        steps: list[Step] = [*of_one_call(self._lookups, self._most), *self._behind]
        self._lookups, self._behind = [], []
        self._results.clear()
        return steps


def _moves(instr: Instr) -> bool:
    """Whether an instruction that is no lookup may be done sooner or later."""
    if isinstance(instr, IntrinsicInstr):
        return instr.dest is not None and instr.row.can_reorder
    return isinstance(instr, (AluInstr, LoadConst, Undef))


def in_calls(instrs: list[Instr], most: int) -> Iterable[Step]:
    """A block's instructions, lookups by calls of at most so many."""
    if most == 1 or sum(isinstance(i, TexInstr) and i.op in CALLS for i in instrs) < 2:
        return instrs
    steps: list[Step] = []
    waiting = _Waiting(most)
    for instr in instrs:
        called = isinstance(instr, TexInstr) and instr.op in CALLS
        behind = waiting.stands_behind(instr)
        if called or not _moves(instr):
            if behind or not called:
                steps += waiting.done()
            if called:
                waiting.put(instr)
                continue
        elif behind:
            waiting.put(instr)
            continue
        steps.append(instr)
    return [*steps, *waiting.done()]


__all__ = ["Step", "in_calls"]
