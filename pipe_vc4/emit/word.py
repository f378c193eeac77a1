# SPDX-License-Identifier: MIT
"""A QPU word taken apart, and two of them put into one (qpu_merge_inst).

In: words of 64 bits.  Out: `Word`, its other forms, `merge`.  A word has an add and a multiply
operation, one port into each file of registers, one signal, one mode of packing and unpacking: two
operations share a word when they agree in all that is there once.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pipe_vc4.qpu.fields import ALU_FIELDS, QPU_A, QPU_COND, QPU_M, QPU_MUX, QPU_R, QPU_SIG_, QPU_W

NO_UNIFORM: Final = -1
# Plain ints: the scheduler compares them by the thousand.
SIG, W = QPU_SIG_, QPU_W
A_NOP, A_OR = int(QPU_A.NOP), int(QPU_A.OR)
M_NOP, M_V8MIN = int(QPU_M.NOP), int(QPU_M.V8MIN)
MUX_R4, MUX_A, MUX_B = int(QPU_MUX.R4), int(QPU_MUX.A), int(QPU_MUX.B)
R_NOP, W_NOP = int(QPU_R.NOP), int(QPU_W.NOP)
_NOT_ALU: Final = int(SIG.LOAD_IMM)  # and SIG.BRANCH above it
COND_NEVER = int(QPU_COND.NEVER)
SIG_NONE, SIG_SMALL_IMM = int(SIG.NONE), int(SIG.SMALL_IMM)
#: name -> lowest bit, bits
_FIELDS: Final = {field.name: (field.shift, field.mask >> field.shift) for field in ALU_FIELDS}
#: write addresses from 32 up that are another register in file A than in file B
_OF_ONE_FILE: Final = frozenset({W.ACC5, W.QUAD_XY, W.MS_FLAGS, W.VPMVCD_SETUP, W.VPM_ADDR})
#: which file a result must go to: nothing matters
_EITHER: Final = -1


class Word:
    """The fields of an ALU word."""

    __slots__ = ("add_a", "add_b", "cond_add", "cond_mul", "mul_a", "mul_b", "op_add", "op_mul",
                 "pack", "pm", "raddr_a", "raddr_b", "sf", "sig", "unpack", "waddr_add",
                 "waddr_mul", "word", "ws")
    add_a: int
    add_b: int
    cond_add: int
    cond_mul: int
    mul_a: int
    mul_b: int
    op_add: int
    op_mul: int
    pack: int
    pm: int
    raddr_a: int
    raddr_b: int
    sf: int
    sig: int
    unpack: int
    waddr_add: int
    waddr_mul: int
    word: int
    ws: int

    def __init__(self, word: int) -> None:
        self.word = word
        for name, (shift, mask) in _FIELDS.items():
            setattr(self, name, word >> shift & mask)

    def copy(self) -> Word:
        """The same once more."""
        made = Word.__new__(Word)
        for name in Word.__slots__:
            setattr(made, name, getattr(self, name))
        return made

    def encode(self) -> Word:
        """Itself, once `word` is again what its fields say."""
        self.word = 0
        for name, (shift, _) in _FIELDS.items():
            self.word |= getattr(self, name) << shift
        return self

    @property
    def is_alu(self) -> bool:
        """It has operations."""
        return self.sig < _NOT_ALU

    @property
    def has_add(self) -> bool:
        """The add ALU does something."""
        return self.op_add != A_NOP

    @property
    def has_mul(self) -> bool:
        """The multiplier does something."""
        return self.op_mul != M_NOP

    def muxes(self) -> tuple[int, ...]:
        """What its operations read."""
        add = (self.add_a, self.add_b) if self.has_add else ()
        return add + ((self.mul_a, self.mul_b) if self.has_mul else ())

    def wants_swap(self) -> int:
        """The bit WS that its results ask for; _EITHER."""
        if self.pack and not self.pm:
            return self.ws  # packing is on the way into file A
        if self.has_add and _of_one_file(self.waddr_add):
            return self.ws
        if self.has_mul and _of_one_file(self.waddr_mul):
            return self.ws
        return _EITHER

    def wants_mode(self) -> int:
        """The bit PM that its packing and unpacking ask for; _EITHER."""
        return self.pm if self.pack or self.unpack else _EITHER

    # ---- other forms
    def as_mul(self, op: int) -> Word:
        """A move of the add ALU, done by the multiplier."""
        made = self.copy()
        made.op_mul, made.mul_a, made.mul_b = op, self.add_a, self.add_b
        made.cond_mul, made.waddr_mul = self.cond_add, self.waddr_add
        made.op_add, made.add_a, made.add_b = A_NOP, 0, 0
        made.cond_add, made.waddr_add = COND_NEVER, W_NOP
        made.ws = 1 - self.ws
        return made.encode()

    def as_add(self, op: int) -> Word:
        """A move of the multiplier, done by the add ALU."""
        made = self.copy()
        made.op_add, made.add_a, made.add_b = op, self.mul_a, self.mul_b
        made.cond_add, made.waddr_add = self.cond_mul, self.waddr_mul
        made.op_mul, made.mul_a, made.mul_b = M_NOP, 0, 0
        made.cond_mul, made.waddr_mul = COND_NEVER, W_NOP
        made.ws = 1 - self.ws
        return made.encode()

    def with_other_port(self, shared: Collection[int]) -> Word | None:
        """What both files offer (`shared`: read addresses), read through the other port."""
        if self.sig == SIG_SMALL_IMM or self.unpack and not self.pm:
            return None
        if self.raddr_a in shared and self.raddr_b == R_NOP:
            old, new = MUX_A, MUX_B
        elif self.raddr_b in shared and self.raddr_a == R_NOP:
            old, new = MUX_B, MUX_A
        else:
            return None
        made = self.copy()
        made.raddr_a, made.raddr_b = self.raddr_b, self.raddr_a
        for name in ("add_a", "add_b", "mul_a", "mul_b"):
            if getattr(made, name) == old:
                setattr(made, name, new)
        return made.encode()


def _of_one_file(waddr: int) -> bool:
    """The address means another register in file A than in file B."""
    return waddr < 32 or waddr in _OF_ONE_FILE


def _modes_clash(one: Word, other: Word) -> bool:
    """Unpacking of `one` would catch what `other` reads, or its packing what that writes."""
    if one.unpack and one.unpack != other.unpack:
        caught = MUX_R4 if one.pm else MUX_A
        if caught in other.muxes():
            return True
    if one.pack and not one.pm:
        # The other result goes past file A: wants_swap() agrees, or there is none.
        return one.has_add and other.has_add or one.has_mul and other.has_mul
    return False


def _port(mine: int, its: int, free: int) -> int | None:
    """A port's address for both; None if they disagree."""
    if mine == its or its == free:
        return mine
    return its if mine == free else None


def merge(one: Word, other: Word) -> Word | None:
    """Both in one word; None where something that is there once would have to be twice."""
    if not (one.is_alu and other.is_alu):
        return None
    if one.has_add and other.has_add or one.has_mul and other.has_mul:
        return None
    if one.sf and other.has_add and not one.has_add or other.sf and one.has_add and (
            not other.has_add):
        return None  # the flags come from the add ALU when it does something
    if SIG_SMALL_IMM in (one.sig, other.sig) and one.sig != other.sig:
        plain = other if one.sig == SIG_SMALL_IMM else one
        if plain.sig != SIG_NONE or plain.raddr_b != R_NOP:
            return None
    elif one.sig != other.sig and SIG_NONE not in (one.sig, other.sig):
        return None
    raddr_a = _port(one.raddr_a, other.raddr_a, R_NOP)
    if SIG_SMALL_IMM in (one.sig, other.sig) and one.sig != other.sig:
        raddr_b: int | None = one.raddr_b if one.sig == SIG_SMALL_IMM else other.raddr_b
    elif one.sig == SIG_SMALL_IMM and one.raddr_b != other.raddr_b:
        return None
    else:
        raddr_b = _port(one.raddr_b, other.raddr_b, R_NOP)
    if raddr_a is None or raddr_b is None:
        return None
    ws = _port(one.wants_swap(), other.wants_swap(), _EITHER)
    pm = _port(one.wants_mode(), other.wants_mode(), _EITHER)
    if ws is None or pm is None or _modes_clash(one, other) or _modes_clash(other, one):
        return None
    if one.pack and other.pack or one.unpack and other.unpack and one.unpack != other.unpack:
        return None
    return _joined(one, other, raddr_a, raddr_b, max(ws, 0), max(pm, 0))


def _joined(one: Word, other: Word, raddr_a: int, raddr_b: int, ws: int, pm: int) -> Word:
    """The word of both, whose ports and bits are found already."""
    made = one.copy()
    made.raddr_a, made.raddr_b, made.ws, made.pm = raddr_a, raddr_b, ws, pm
    made.sig = one.sig if one.sig != SIG_NONE else other.sig
    made.pack, made.unpack, made.sf = (
        one.pack or other.pack, one.unpack or other.unpack, one.sf or other.sf)
    if other.has_add:
        made.op_add, made.add_a, made.add_b = other.op_add, other.add_a, other.add_b
        made.cond_add, made.waddr_add = other.cond_add, other.waddr_add
    if other.has_mul:
        made.op_mul, made.mul_a, made.mul_b = other.op_mul, other.mul_a, other.mul_b
        made.cond_mul, made.waddr_mul = other.cond_mul, other.waddr_mul
    return made.encode()
