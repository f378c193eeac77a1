# SPDX-License-Identifier: MIT
"""Instructions on 64 bits for machine.py: x and y are the halves of one number, z and w of another.

In: a machine, an instruction, the lanes.  Out: registers that were written.  A result of 32 bits
goes into the first component of the mask, and the second number's into the second (tgsi_exec.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydri.tgsi.exec.lanes import LANES

if TYPE_CHECKING:
    from pydri.tgsi.exec.lanes import Arr
    from pydri.tgsi.exec.machine import Machine
    from pydri.tgsi.tokens.parse import Instruction
    from pydri.tgsi.tokens.registers import Src


def _operand(machine: Machine, src: Src, kind: str) -> Arr:
    """Two numbers a lane, (2, lanes), with their sign."""
    if kind in "fiu":
        return machine.fetch(src, "f" if kind == "f" else "i")[:2]
    cells = machine.fetch(src._replace(absolute=False, negated=False)).astype(np.uint64)
    value = np.ascontiguousarray(cells[0::2] | cells[1::2] << np.uint64(32))
    letter = "f" if kind == "d" else "i"
    if src.absolute:
        value = LANES.alu(f"{letter}abs64", value)
    return LANES.alu(f"{letter}neg64", value) if src.negated else value


def run_wide(machine: Machine, instr: Instruction, mask: Arr) -> None:
    """Run an instruction whose row is `wide`."""
    kinds = instr.op.wide
    assert instr.op.expand is not None
    operands = [
        _operand(machine, src, kind) for src, kind in zip(instr.srcs, kinds[2:], strict=True)
    ]
    found = instr.op.expand(LANES, *operands)
    if instr.saturate:
        found = LANES.fsat64(found) if kinds[0] == "d" else LANES.fsat(found)
    dst, out = instr.dsts[0], np.zeros((4, machine.lanes), np.uint32)
    if kinds[0] in "fiu":
        places = [n for n in range(4) if dst.mask >> n & 1][:2]
        for place, value in zip(places, found):
            out[place] = value
        dst = dst._replace(mask=sum(1 << place for place in places))
    else:
        out[0::2] = (found & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        out[1::2] = (found >> np.uint64(32)).astype(np.uint32)
    machine.store(dst, out, mask)
