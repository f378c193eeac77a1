# SPDX-License-Identifier: MIT
"""Operations with 0, 1 or all ones become moves; FADD of a negation becomes FSUB
(vc4_opt_algebraic.c).

In: a compile. Out: True if something changed.
"""

from __future__ import annotations

from pipe_vc4.qir.facts import follow_movs
from pipe_vc4.qir.qir import QOPS, QFile, QInst, QReg, QUniform, Unpack, Vc4Compile, float_bits

_ONE, _MINUS_ONE = float_bits(1.0), float_bits(-1.0)
_BYTES = range(Unpack.U8D_REP, Unpack.U8D + 1)
_ZEROS = (0, float_bits(-0.0))
#: operation -> constants that make it a copy of the other operand, on either side
_NEUTRAL = {
    "ADD": (0,), "OR": (0,), "XOR": (0,), "FADD": _ZEROS, "AND": (0xFFFFFFFF,), "FMUL": (_ONE,),
}  # fmt: skip
#: the same, where only the second operand counts
_RIGHT_NEUTRAL = {"SUB": (0,), "FSUB": _ZEROS, "SHL": (0,), "SHR": (0,), "ASR": (0,)}
#: operation -> the constant that is the result, whatever the other operand is
_ABSORBING = {"AND": 0, "OR": 0xFFFFFFFF, "MUL24": 0}


def qir_opt_algebraic(c: Vc4Compile) -> bool:
    """The pass."""
    progress = False
    for block in c.blocks:
        for inst in block.instructions:
            progress |= _one(c, inst)
    return progress


def _one(c: Vc4Compile, inst: QInst) -> bool:
    name = inst.name
    # The kernel wants to see an addition where a memory read gets its address.
    if len(inst.src) < 2 or inst.op.nsrc != 2 or inst.dst.file == QFile.TEX_S_DIRECT:
        return False
    values = [c.constant(follow_movs(c, src)) for src in inst.src[:2]]
    if name in _NEUTRAL and not inst.dst.pack:
        for n in (0, 1):
            if values[n] in _NEUTRAL[name]:
                return _move(inst, inst.src[1 - n])
    if name in _RIGHT_NEUTRAL and values[1] in _RIGHT_NEUTRAL[name]:
        return _move(inst, inst.src[0])
    if name in _ABSORBING and not inst.dst.pack:
        for n in (0, 1):
            if values[n] == _ABSORBING[name]:
                return _move(inst, c.uniform(QUniform.CONSTANT, _ABSORBING[name]))
    if name in ("FMIN", "FMAX") and not inst.sf:  # whose carry tells the greater one
        bound = _ONE if name == "FMIN" else 0
        for n in (0, 1):
            if values[n] == bound and _is_unorm(c, inst.src[1 - n]):
                return _move(inst, inst.src[1 - n])
    return name == "FADD" and _negated(c, inst)


def _is_unorm(c: Vc4Compile, reg: QReg) -> bool:
    """A float that is a byte: from 0 to 1."""
    if reg.pack:
        return reg.pack in _BYTES
    inst = c.defs[reg.index] if reg.file == QFile.TEMP else None
    return inst is not None and inst.name == "FMOV" and inst.src[0].pack in _BYTES


def _negated(c: Vc4Compile, inst: QInst) -> bool:
    """a + b * -1 is a - b."""
    for n in (1, 0):
        other = inst.src[n]
        found = c.defs[other.index] if other.file == QFile.TEMP and not other.pack else None
        if found is None or found.name != "FMUL" or found.dst.pack:
            continue
        values = [c.constant(follow_movs(c, src)) for src in found.src]
        if _MINUS_ONE not in values:
            continue
        inner = found.src[1 - values.index(_MINUS_ONE)]
        stays = inner.file == QFile.UNIF or (
            inner.file == QFile.TEMP and c.defs[inner.index] is not None
        )
        if stays and not inner.pack:
            inst.op = QOPS["FSUB"]
            inst.src[:2] = [inst.src[1 - n], inner]
            return True
    return False


def _move(inst: QInst, value: QReg) -> bool:
    inst.src[:2] = [value]
    kind = "MMOV" if inst.is_mul else "FMOV" if inst.is_float_input else "MOV"
    if kind == "MMOV" and inst.is_float_input and value.pack:
        kind = "FMOV"  # which unpacks as a float
    inst.op = QOPS[kind]
    return True
