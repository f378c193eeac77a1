# SPDX-License-Identifier: MIT
"""One method for each opcode on ureg, made of the opcode table (tgsi_opcode_tmp.h, OP00..OP14_TEX).

In: destinations, then for textures the target, then sources; what branches returns its label.
Out: the instruction.  `u.ADD(dst, a, b)`, `u.TEX(dst, TEXTURE_2D, coord, sampler)`,
`label = u.IF(condition)`, `u.LOAD(dst, buffer, offset, memory=Memory(...))`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pydri.tgsi.tokens.enums import RETURN_UNKNOWN, TEXTURE_UNKNOWN
from pydri.tgsi.tokens.opcodes import BY_NAME, Opcode
from pydri.tgsi.tokens.parse import Memory, TexInfo
from pydri.tgsi.tokens.registers import Dst, Src, TexOffset

#: SAMPLE to GATHER4 have the token of a texture, for its offsets
_SAMPLE = range(145, 154)


class Shapes:
    """The base of Ureg with the methods below; Ureg has `insn`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., int]:
            """Opcode methods are made from the table."""

        def insn(
            self, name: str, dsts: Iterable[Dst] = (), srcs: Iterable[Src] = (), *,
            precise: bool = False, label: bool = False, texture: TexInfo | None = None,
            memory: Memory | None = None,
        ) -> int:  # fmt: skip
            """Emit an instruction."""


def shape(op: Opcode) -> str:
    """The name of its form, as tgsi_opcode_tmp.h has it."""
    tex = "_TEX" if op.is_tex else ""
    label = "_LBL" if op.is_branch else ""
    return f"OP{op.num_dst}{op.num_src}{tex}{label}"


def _plain(op: Opcode) -> Callable[..., int]:
    def emit(self: Shapes, *operands: Dst | Src, precise: bool = False,
             memory: Memory | None = None) -> int:  # fmt: skip
        dsts, srcs = _operands(op, operands)
        return self.insn(op.name, dsts, srcs, precise=precise, memory=memory)

    return emit


def _branch(op: Opcode) -> Callable[..., int]:
    def emit(self: Shapes, *operands: Dst | Src, label: bool = True) -> int:
        return self.insn(op.name, *_operands(op, operands), label=label)

    return emit


def _texture(op: Opcode) -> Callable[..., int]:
    def emit(self: Shapes, dst: Dst, target: int, *srcs: Src, return_type: int = RETURN_UNKNOWN,
             offsets: tuple[TexOffset, ...] = ()) -> int:  # fmt: skip
        info = TexInfo(target, return_type, offsets)
        return self.insn(op.name, (dst,), srcs, texture=info)

    return emit


def _sample(op: Opcode) -> Callable[..., int]:
    def emit(self: Shapes, dst: Dst, *srcs: Src, offsets: tuple[TexOffset, ...] = ()) -> int:
        info = TexInfo(TEXTURE_UNKNOWN, RETURN_UNKNOWN, offsets)  # the view knows the target
        return self.insn(op.name, (dst,), srcs, texture=info)

    return emit


def _operands(op: Opcode, operands: tuple[Dst | Src, ...]) -> tuple[list[Dst], list[Src]]:
    """Sources where destinations stand, and the other way round, are read and written."""
    n = op.num_dst
    dsts = [o if isinstance(o, Dst) else o.dst() for o in operands[:n]]
    return dsts, [o if isinstance(o, Src) else o.src() for o in operands[n:]]


def _method(op: Opcode) -> Callable[..., int]:
    if op.is_tex:
        emit = _texture(op)
    elif op.number in _SAMPLE:
        emit = _sample(op)
    else:
        emit = _branch(op) if op.is_branch else _plain(op)
    emit.__name__ = op.name
    emit.__doc__ = f"{op.name}: {op.num_dst} destinations, {op.num_src} sources ({shape(op)})."
    return emit


for _name, _row in BY_NAME.items():
    setattr(Shapes, _name, _method(_row))
