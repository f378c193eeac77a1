# SPDX-License-Identifier: MIT
"""Two QPU words as one: the pairing of an add with a multiply, or of an operation with a signal."""
from __future__ import annotations

from pipe_vc4.qpu.fields import (
    ALU_FIELDS,
    QPU_A,
    QPU_ADD_A,
    QPU_ADD_B,
    QPU_COND,
    QPU_COND_ADD,
    QPU_COND_MUL,
    QPU_GET_FIELD,
    QPU_M,
    QPU_MUL_A,
    QPU_MUL_B,
    QPU_MUX,
    QPU_OP_ADD,
    QPU_OP_MUL,
    QPU_PACK,
    QPU_PM,
    QPU_R,
    QPU_RADDR_A,
    QPU_RADDR_B,
    QPU_SET_FIELD,
    QPU_SF,
    QPU_SIG,
    QPU_SIG_,
    QPU_UNPACK,
    QPU_UPDATE_FIELD,
    QPU_W,
    QPU_WADDR_ADD,
    QPU_WADDR_MUL,
    QPU_WS,
    Field,
)

_NOT_ALU = (QPU_SIG_.LOAD_IMM, QPU_SIG_.BRANCH)
#: Addresses from 32 up that mean the same in both files.
_SAME_READS = frozenset({QPU_R.UNIF, QPU_R.VARY, QPU_R.VPM, QPU_R.MUTEX_ACQUIRE})
_OTHER_WRITES = frozenset({QPU_W.ACC5, QPU_W.QUAD_XY, QPU_W.MS_FLAGS, QPU_W.VPMVCD_SETUP,
                           QPU_W.VPM_ADDR})


def qpu_waddr_ignores_ws(address: int) -> bool:
    """Whether a write to `address` is the same in both files."""
    return address >= 32 and address not in _OTHER_WRITES


def _sources(word: int) -> list[Field]:
    """The operands that the word's operations take."""
    add = [QPU_ADD_A, QPU_ADD_B] if QPU_GET_FIELD(word, QPU_OP_ADD) else []
    mul = [QPU_MUL_A, QPU_MUL_B] if QPU_GET_FIELD(word, QPU_OP_MUL) else []
    return add + mul


def _muxes(word: int) -> set[int]:
    return {QPU_GET_FIELD(word, source) for source in _sources(word)}


def _meant(word: int) -> set[Field]:
    """The fields of an ALU word that mean something: no other word may give them other values."""
    meant: set[Field] = set(_sources(word))
    muxes = _muxes(word)
    if QPU_GET_FIELD(word, QPU_SIG) != QPU_SIG_.NONE:
        meant.add(QPU_SIG)
    if QPU_GET_FIELD(word, QPU_OP_ADD):
        meant |= {QPU_OP_ADD, QPU_WADDR_ADD, QPU_COND_ADD}
    if QPU_GET_FIELD(word, QPU_OP_MUL):
        meant |= {QPU_OP_MUL, QPU_WADDR_MUL, QPU_COND_MUL}
    if not all(qpu_waddr_ignores_ws(QPU_GET_FIELD(word, waddr))
               for waddr in (QPU_WADDR_ADD, QPU_WADDR_MUL)):
        meant.add(QPU_WS)
    if QPU_MUX.A in muxes:
        meant.add(QPU_RADDR_A)
    if QPU_MUX.B in muxes or QPU_GET_FIELD(word, QPU_SIG) == QPU_SIG_.SMALL_IMM:
        meant |= {QPU_RADDR_B, QPU_SIG}
    if QPU_GET_FIELD(word, QPU_UNPACK):
        meant |= {QPU_UNPACK, QPU_PM}
    if QPU_GET_FIELD(word, QPU_PACK):
        meant |= {QPU_PACK, QPU_PM}
    return meant


def _writes_a(word: int) -> bool:
    """Whether a register of file A is written, which a pack changes."""
    waddr = QPU_WADDR_MUL if QPU_GET_FIELD(word, QPU_WS) else QPU_WADDR_ADD
    return QPU_GET_FIELD(word, waddr) < 32


def _disturbs(word: int, other: int) -> bool:
    """Whether `word`'s pack, unpack or flags would change what `other` does."""
    pm = QPU_GET_FIELD(word, QPU_PM)
    if QPU_GET_FIELD(word, QPU_UNPACK):
        source = QPU_MUX.R4 if pm else QPU_MUX.A
        if source in _muxes(other) and not QPU_GET_FIELD(other, QPU_UNPACK):
            return True
    if QPU_GET_FIELD(word, QPU_PACK) and not QPU_GET_FIELD(other, QPU_PACK):
        if QPU_GET_FIELD(other, QPU_OP_MUL) if pm else _writes_a(other):
            return True
    if QPU_GET_FIELD(word, QPU_SF):
        # The add pipe sets the flags when it does something: another add would take them over,
        # and a word that sets flags itself would lose its own.
        if QPU_GET_FIELD(other, QPU_SF):
            return True
        if not QPU_GET_FIELD(word, QPU_OP_ADD) and QPU_GET_FIELD(other, QPU_OP_ADD):
            return True
    return False


def _to_file_b(word: int) -> int:
    """`word` with a read that both files give taken from B, where B is free; else as it is."""
    if (QPU_GET_FIELD(word, QPU_RADDR_A) not in _SAME_READS or QPU_MUX.B in _muxes(word)
            or QPU_GET_FIELD(word, QPU_SIG) == QPU_SIG_.SMALL_IMM
            or QPU_GET_FIELD(word, QPU_UNPACK)):
        return word
    for source in _sources(word):
        if QPU_GET_FIELD(word, source) == QPU_MUX.A:
            word = QPU_UPDATE_FIELD(word, QPU_MUX.B, source)
    word = QPU_UPDATE_FIELD(word, QPU_GET_FIELD(word, QPU_RADDR_A), QPU_RADDR_B)
    return QPU_UPDATE_FIELD(word, QPU_R.NOP, QPU_RADDR_A)


def _move_to_mul(word: int) -> int | None:
    """A move of the add pipe as one of the multiply pipe, or None where it is none or cannot be."""
    if (QPU_GET_FIELD(word, QPU_OP_ADD) != QPU_A.OR or QPU_GET_FIELD(word, QPU_OP_MUL)
            or QPU_GET_FIELD(word, QPU_ADD_A) != QPU_GET_FIELD(word, QPU_ADD_B)
            or QPU_GET_FIELD(word, QPU_PM)):
        return None
    mux, waddr = QPU_GET_FIELD(word, QPU_ADD_A), QPU_GET_FIELD(word, QPU_WADDR_ADD)
    cond = QPU_GET_FIELD(word, QPU_COND_ADD)
    # Unpacks of 16 bits and the packs of file A treat what a float operation made as a float, but
    # both moves are of integers; the flags of a byte-wise minimum are those of the 32 bits.
    if QPU_GET_FIELD(word, QPU_UNPACK):
        return None
    for field, value in ((QPU_OP_ADD, QPU_A.NOP), (QPU_COND_ADD, QPU_COND.NEVER),
                         (QPU_ADD_A, 0), (QPU_ADD_B, 0), (QPU_WADDR_ADD, QPU_W.NOP),
                         (QPU_OP_MUL, QPU_M.V8MIN), (QPU_COND_MUL, cond), (QPU_MUL_A, mux),
                         (QPU_MUL_B, mux), (QPU_WADDR_MUL, waddr)):
        word = QPU_UPDATE_FIELD(word, value, field)
    if not qpu_waddr_ignores_ws(waddr):
        word ^= QPU_SET_FIELD(1, QPU_WS)
    return word


def _merge(a: int, b: int) -> int | None:
    """The fields of both words as they are, or None where both mean one and differ."""
    if _disturbs(a, b) or _disturbs(b, a):
        return None
    meant_a, meant_b = _meant(a), _meant(b)
    if (QPU_OP_ADD in meant_a and QPU_OP_ADD in meant_b) or (
            QPU_OP_MUL in meant_a and QPU_OP_MUL in meant_b):
        return None
    merged = 0
    for field in ALU_FIELDS:
        value_a, value_b = QPU_GET_FIELD(a, field), QPU_GET_FIELD(b, field)
        if field in meant_a and field in meant_b and value_a != value_b:
            return None
        value = value_a if field in meant_a else value_b if field in meant_b else None
        if value is None:
            value = value_a | value_b if field is QPU_SF else value_a
        merged |= QPU_SET_FIELD(value, field)
    return merged


def qpu_merge_inst(a: int, b: int) -> int | None:
    """One word that does what `a` and `b` do, both at the old values; None where there is none.

    Neither may depend on the other's result: that is the scheduler's to know.
    """
    if any(QPU_GET_FIELD(word, QPU_SIG) in _NOT_ALU for word in (a, b)):
        return None
    for first in (a, _to_file_b(a)):
        for second in (b, _to_file_b(b)):
            for one, other in ((first, second), (_move_to_mul(first), second),
                               (first, _move_to_mul(second))):
                if one is not None and other is not None:
                    merged = _merge(one, other)
                    if merged is not None:
                        return merged
    return None
