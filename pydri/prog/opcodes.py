# SPDX-License-Identifier: MIT
"""TABLE: the instructions of Mesa IR.

A row says how many operands there are, what phrase of the grammar the instruction is (its token, ""
where no text has it), in which of the two languages it is ("v", "f"), and whether `_SAT` may
follow. What an instruction computes is in interp.py (numbers) and to_nir.py (nir); a row without
either fails tests/unit/prog. Counterpart of Mesa's prog_instruction.c (InstInfo).
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Opcode(NamedTuple):
    """One instruction."""

    name: str
    operands: int
    token: str
    languages: str
    saturates: bool = True
    writes: bool = True


def _rows() -> dict[str, Opcode]:
    rows: dict[str, Opcode] = {}

    def add(names: str, operands: int, token: str, languages: str = "vf", *more: bool) -> None:
        for name in names.split():
            rows[name] = Opcode(name, operands, token, languages, *more)

    add("ABS FLR FRC LIT MOV", 1, "VECTOR_OP")
    add("ADD DP3 DP4 DPH DST MAX MIN MUL SGE SLT SUB XPD", 2, "BIN_OP")
    add("CMP LRP", 3, "TRI_OP", "f")
    add("MAD", 3, "TRI_OP")
    add("EX2 LG2 RCP RSQ", 1, "SCALAR_OP")
    add("COS SCS SIN", 1, "SCALAR_OP", "f")
    add("EXP LOG", 1, "SCALAR_OP", "v", False)
    add("POW", 2, "BINSC_OP")
    add("SWZ", 1, "SWZ")
    add("TEX TXB TXP", 1, "SAMPLE_OP", "f")
    add("TXL TXD", 1, "", "f")
    add("ARL", 1, "ARL", "v", False)
    add("KIL", 1, "KIL", "f", False, False)
    add("DDX DDY", 1, "", "f")
    add("END NOP", 0, "", "", False, False)
    rows["TXD"] = rows["TXD"]._replace(operands=3)
    return rows


OPCODES: Final = _rows()

__all__ = ["OPCODES", "Opcode"]
