# SPDX-License-Identifier: MIT
"""Use lists: who reads each value.

In: a function.  Out: `Uses`, valid until an instruction changes.
nir itself keeps none (ir.py says why); a pass or back end that asks about single values builds
them in one walk. Counterpart of Mesa's nir_ssa_def.uses and if_uses.
"""

from __future__ import annotations

from pydri.nir.ir import AluInstr, Block, Function, If, Instr, SSADef


class Uses:
    """Readers of a function's values."""

    __slots__ = ("_ifs", "_instrs")

    def __init__(self, function: Function) -> None:
        self._instrs: dict[SSADef, list[Instr]] = {}
        self._ifs: dict[SSADef, list[If]] = {}
        for node in function.nodes():
            if isinstance(node, Block):
                for instr in node.instrs:
                    for ssa in instr.sources():
                        self._instrs.setdefault(ssa, []).append(instr)
            elif isinstance(node, If):
                self._ifs.setdefault(node.condition, []).append(node)

    def instrs(self, ssa: SSADef) -> list[Instr]:
        """The instructions that read a value, once for each time that they do."""
        return self._instrs.get(ssa, [])

    def ifs(self, ssa: SSADef) -> list[If]:
        """The Ifs whose condition it is."""
        return self._ifs.get(ssa, [])

    def count(self, ssa: SSADef) -> int:
        """How often it is read."""
        return len(self.instrs(ssa)) + len(self.ifs(ssa))

    def only(self, ssa: SSADef) -> Instr | None:
        """The instruction that alone reads it, once; None if it is not so."""
        found = self.instrs(ssa)
        return found[0] if len(found) == 1 and not self.ifs(ssa) else None


def components_read(function: Function) -> dict[SSADef, int]:
    """Which components (bits) of each value somebody reads; none of a value that is not in it. Who
    is no ALU instruction reads all of what he reads (nir_ssa_def_components_read)."""
    found: dict[SSADef, int] = {}
    for node in function.nodes():
        if isinstance(node, If):
            found[node.condition] = 1
        if not isinstance(node, Block):
            continue
        for instr in node.instrs:
            if isinstance(instr, AluInstr):
                for src in instr.srcs:
                    for component in src.swizzle:
                        found[src.ssa] = found.get(src.ssa, 0) | 1 << component
                continue
            for ssa in instr.sources():
                found[ssa] = (1 << ssa.num_components) - 1
    return found
