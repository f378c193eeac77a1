# SPDX-License-Identifier: MIT
"""nir's arithmetic as QIR (ntq_emit_alu).

In: a scalar instruction (vec and pack words excepted) and the registers of its sources. Out: the
register of its result. A bool is 0 or ~0 in 32 bits. What Mesa's vc4 computes with series or one
Newton step is computed so here, too: sin, cos, 1/x, 1/sqrt.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from pipe_vc4.qir.qir import Cond, QFile, QReg, Vc4Compile

Emit = Callable[..., QReg]


class NtqError(Exception):
    """A shader that this hardware cannot run, and why."""


def _table(*rows: tuple[str, str]) -> dict[str, str]:
    return {name: op for names, op in rows for name in names.split()}


#: 1.5 * 2^23: a number below 2^22 that it is added to loses its bits behind the point
_ROUNDS: Final = 12582912.0
#: opcodes that are one operation
_SAME: Final = _table(
    ("fadd", "FADD"), ("fsub", "FSUB"), ("fmul", "FMUL"), ("fmin", "FMIN"), ("fmax", "FMAX"),
    ("iadd", "ADD"), ("isub", "SUB"), ("ishl", "SHL"), ("ushr", "SHR"), ("ishr", "ASR"),
    ("imin", "MIN"), ("imax", "MAX"), ("iand", "AND"), ("ior", "OR"), ("ixor", "XOR"),
    ("inot", "NOT"), ("mov", "MOV"), ("f2i f2u", "FTOI"), ("i2f u2f", "ITOF"), ("fexp2", "EXP2"),
    ("flog2", "LOG2"),
)  # fmt: skip
#: comparisons: which operation of the operands sets the flags, and which flag tells
COMPARISONS: Final = {
    "feq": ("FSUB", Cond.ZS), "fneu": ("FSUB", Cond.ZC), "flt": ("FMAX", Cond.CS),
    "fge": ("FMAX", Cond.CC), "ieq": ("SUB", Cond.ZS), "ine": ("SUB", Cond.ZC),
    "ilt": ("SUB", Cond.NS), "ige": ("SUB", Cond.NC), "ult": ("SUB", Cond.CS),
    "uge": ("SUB", Cond.CC),
}  # fmt: skip


def emit_alu(c: Vc4Compile, name: str, src: list[QReg]) -> QReg:
    """An opcode whose result is one register."""
    if name in _SAME:
        value: QReg = getattr(c.q, _SAME[name])(*src)
        return value
    if name in COMPARISONS:
        cond = compare(c, name, src[0], src[1])
        return c.SEL(cond, c.uniform_ui(~0), c.uniform_ui(0))
    found = _OTHERS.get(name)
    if found is None:
        raise NtqError(f"VC4 has nothing for nir's {name}")
    return found(c, *src)


def compare(c: Vc4Compile, name: str, a: QReg, b: QReg) -> Cond:
    """Set the flags by a comparison; in which lanes it holds. A whole number is smaller if the
    difference is below zero, so they must not be further apart than 2^31; a float is, if of both
    the other one is the greater, which a maximum's carry tells, of -0 and infinities, too.
    """
    op, cond = COMPARISONS[name]
    if op == "FMAX":
        c.SF(c.q.FMAX(b, a))
        return cond
    zero = op == "FSUB" or cond in (Cond.ZS, Cond.ZC)
    if zero and c.constant(b) == 0 and not (op == "FSUB" and b.pack):
        c.SF(a)
    elif zero and cond in (Cond.ZS, Cond.ZC) and c.constant(a) == 0:
        c.SF(b)
    else:
        c.SF(getattr(c.q, op)(a, b))
    return cond


# ---- one register after another
def rcp(c: Vc4Compile, x: QReg) -> QReg:
    """1 / x, with a Newton step behind the table's value (ntq_rcp)."""
    r = c.q.RCP(x)
    return c.q.FMUL(r, c.q.FSUB(c.uniform_f(2.0), c.q.FMUL(x, r)))


def rsq(c: Vc4Compile, x: QReg) -> QReg:
    """1 / sqrt(x), likewise (ntq_rsq)."""
    r = c.q.RSQ(x)
    half = c.q.FMUL(c.uniform_f(0.5), c.q.FMUL(x, c.q.FMUL(r, r)))
    return c.q.FMUL(r, c.q.FSUB(c.uniform_f(1.5), half))


def _sqrt(c: Vc4Compile, x: QReg) -> QReg:
    """x / sqrt(x); of 0, whose reciprocal root the Newton step makes no number of, it is 0."""
    product = c.q.FMUL(x, rsq(c, x))
    c.SF(x)
    return c.SEL(Cond.ZS, c.uniform_f(0.0), product)


def _trunc(c: Vc4Compile, x: QReg) -> QReg:
    return c.q.ITOF(c.q.FTOI(x))


def _floor(c: Vc4Compile, x: QReg) -> QReg:
    """Truncation, one less where that went up (ntq_ffloor)."""
    result = _trunc(c, x)
    c.SF(c.q.FSUB(x, result))
    c.to.FSUB(result, result, c.uniform_f(1.0)).cond = Cond.NS
    return result


def _ceil(c: Vc4Compile, x: QReg) -> QReg:
    result = _trunc(c, x)
    c.SF(c.q.FSUB(result, x))
    c.to.FADD(result, result, c.uniform_f(1.0)).cond = Cond.NS
    return result


def fract(c: Vc4Compile, x: QReg) -> QReg:
    """x less its truncation, one more where that is negative (ntq_ffract)."""
    result = c.q.FSUB(x, _trunc(c, x))
    c.SF(result)
    c.to.FADD(result, result, c.uniform_f(1.0)).cond = Cond.NS
    return result


def _round_even(c: Vc4Compile, x: QReg) -> QReg:
    big = c.uniform_f(_ROUNDS)
    return c.q.FSUB(c.q.FADD(x, big), big)


def _half_turns(c: Vc4Compile, angle: QReg) -> tuple[QReg, QReg]:
    """An angle as -1/2 to 1/2 of a half turn, and the sign that the half turns left out turn: the
    lowest bit of their number, which lies lowest in the rounded sum, becomes the highest.
    """
    scaled, big = c.q.FMUL(angle, c.uniform_f(1.0 / math.pi)), c.uniform_f(_ROUNDS)
    rounded = c.q.FADD(scaled, big)
    sign = c.q.SHL(rounded, c.uniform_ui(~0))  # the lowest five bits of a shift count: by 31
    return c.q.FSUB(scaled, c.q.FSUB(rounded, big)), sign


def _series(c: Vc4Compile, x: QReg, total: QReg, powers: tuple[int, ...]) -> QReg:
    """`total` and terms of the series of sine or cosine in x^2; x counts half turns."""
    square = c.q.FMUL(x, x)
    power = x if powers[0] % 2 else None
    for n in powers:
        power = square if power is None else c.q.FMUL(power, square)
        factor = math.pi**n / math.factorial(n) * (-1 if n % 4 in (2, 3) else 1)
        total = c.q.FADD(total, c.q.FMUL(power, c.uniform_f(factor)))
    return total


def _sin(c: Vc4Compile, angle: QReg) -> QReg:
    """The series to the ninth power."""
    x, sign = _half_turns(c, angle)
    first = c.q.FMUL(x, c.uniform_f(math.pi))
    return c.q.XOR(_series(c, x, first, (3, 5, 7, 9)), sign)


def _cos(c: Vc4Compile, angle: QReg) -> QReg:
    """The series to the tenth power."""
    x, sign = _half_turns(c, angle)
    return c.q.XOR(_series(c, x, c.uniform_f(1.0), (2, 4, 6, 8, 10)), sign)


def _fsign(c: Vc4Compile, x: QReg) -> QReg:
    """By the flags of 0 - x, which of -0 is 0: of -0 itself they would say that it is negative."""
    result = c.get_temp()
    c.SF(c.q.FSUB(c.uniform_f(0.0), x))
    c.to.MOV(result, c.uniform_f(0.0))
    c.to.MOV(result, c.uniform_f(-1.0)).cond = Cond.ZC
    c.to.MOV(result, c.uniform_f(1.0)).cond = Cond.NS
    return result


def _isign(c: Vc4Compile, x: QReg) -> QReg:
    return c.q.MIN(c.q.MAX(x, c.uniform_ui(-1)), c.uniform_ui(1))


def _imul(c: Vc4Compile, a: QReg, b: QReg) -> QReg:
    """Three products of 24 bits; one is enough for small constants (ntq_umul)."""
    small = [c.constant(x) is not None and (c.constant(x) or 0) < 1 << 24 for x in (a, b)]
    if all(small):
        return c.q.MUL24(a, b)
    shift = c.uniform_ui(24)
    low = c.q.MUL24(a, b)
    parts = []
    if not small[0]:
        parts.append(c.q.MUL24(c.q.SHR(a, shift), b))
    if not small[1]:
        parts.append(c.q.MUL24(a, c.q.SHR(b, shift)))
    high = parts[0] if len(parts) == 1 else c.q.ADD(parts[0], parts[1])
    return c.q.ADD(low, c.q.SHL(high, shift))


def _abs(c: Vc4Compile, x: QReg) -> QReg:
    return c.q.FMAXABS(x, x)


def _iabs(c: Vc4Compile, x: QReg) -> QReg:
    return c.q.MAX(x, c.q.SUB(c.uniform_ui(0), x))


def _not_zero(c: Vc4Compile, x: QReg) -> QReg:
    c.SF(x)
    return c.SEL(Cond.ZC, c.uniform_ui(~0), c.uniform_ui(0))


def _select(c: Vc4Compile, condition: QReg, yes: QReg, no: QReg) -> QReg:
    c.SF(condition)
    return c.SEL(Cond.ZC, yes, no)


def _udiv(c: Vc4Compile, a: QReg, b: QReg) -> QReg:
    """By the reciprocal, put right by the remainder: right for numbers below 2^24, which are those
    that GLSL 1.20 promises (4.1.3: 16 bits), and nearly always above.
    """
    q = c.q.FTOI(c.q.FMUL(c.q.ITOF(a), rcp(c, c.q.ITOF(b))))
    rest = c.q.SUB(a, _imul(c, q, b))
    c.SF(rest)
    c.to.SUB(q, q, c.uniform_ui(1)).cond = Cond.NS
    rest = c.q.SUB(a, _imul(c, q, b))
    c.SF(c.q.SUB(rest, b))
    c.to.ADD(q, q, c.uniform_ui(1)).cond = Cond.NC
    return q


def _idiv(c: Vc4Compile, a: QReg, b: QReg) -> QReg:
    q = _udiv(c, _iabs(c, a), _iabs(c, b))
    c.SF(c.q.XOR(a, b))
    c.to.SUB(q, c.uniform_ui(0), q).cond = Cond.NS
    return q


def _irem(c: Vc4Compile, a: QReg, b: QReg) -> QReg:
    return c.q.SUB(a, _imul(c, _idiv(c, a, b), b))


def _imod(c: Vc4Compile, a: QReg, b: QReg) -> QReg:
    """The remainder, plus b where its sign is not b's."""
    rest = c.q.MOV(_irem(c, a, b))
    moved = c.q.ADD(rest, b)
    differs = c.q.XOR(rest, b)
    c.SF(rest)
    c.to.MOV(differs, c.uniform_ui(0)).cond = Cond.ZS
    c.SF(differs)
    return c.SEL(Cond.NS, moved, rest)


def _umod(c: Vc4Compile, a: QReg, b: QReg) -> QReg:
    return c.q.SUB(a, _imul(c, _udiv(c, a, b), b))


def _unsigned(op: str, cond: Cond) -> Emit:
    def emit(c: Vc4Compile, a: QReg, b: QReg) -> QReg:
        c.SF(c.q.SUB(a, b))
        return c.SEL(cond, a, b)

    return emit


def _derivative(near: int, mask: int) -> Emit:
    """The difference to the neighbour in the quad, whichever side it is on (ntq_fddx, fddy)."""

    def emit(c: Vc4Compile, x: QReg) -> QReg:
        if x.pack or x.file != QFile.TEMP:
            x = c.q.MOV(x)  # what is rotated comes from an accumulator
        before = c.ROT_MUL(x, near)
        behind = c.ROT_MUL(x, 16 - near)
        c.SF(c.q.AND(QReg(QFile.QPU_ELEMENT), c.uniform_ui(mask)))
        result = c.get_temp()
        c.to.FSUB(result, x, before)
        c.to.FSUB(result, behind, x).cond = Cond.ZS
        return result

    return emit


_OTHERS: Final[dict[str, Emit]] = {
    "fneg": lambda c, x: c.q.FMUL(x, c.uniform_f(-1.0)),
    "ineg": lambda c, x: c.q.SUB(c.uniform_ui(0), x),
    "fabs": _abs,
    "iabs": _iabs,
    "fsat": lambda c, x: c.SAT(x),
    "fsign": _fsign,
    "isign": _isign,
    "frcp": rcp,
    "frsq": rsq,
    "fsqrt": _sqrt,
    "fdiv": lambda c, a, b: c.q.FMUL(a, rcp(c, b)),
    "fpow": lambda c, x, y: c.q.EXP2(c.q.FMUL(c.q.LOG2(x), y)),
    "fsin": _sin,
    "fcos": _cos,
    "ffloor": _floor,
    "fceil": _ceil,
    "ftrunc": _trunc,
    "fround_even": _round_even,
    "ffract": fract,
    "ffma": lambda c, x, y, z: c.q.FADD(c.q.FMUL(x, y), z),
    "imul": _imul,
    "idiv": _idiv,
    "udiv": _udiv,
    "irem": _irem,
    "imod": _imod,
    "umod": _umod,
    "umin": _unsigned("umin", Cond.CS),
    "umax": _unsigned("umax", Cond.CC),
    "bcsel": _select,
    "b2f": lambda c, x: c.q.AND(x, c.uniform_f(1.0)),
    "b2i": lambda c, x: c.q.AND(x, c.uniform_ui(1)),
    "f2b": _not_zero,
    "i2b": _not_zero,
    **dict.fromkeys(("fddx", "fddx_fine", "fddx_coarse"), _derivative(1, 1)),
    **dict.fromkeys(("fddy", "fddy_fine", "fddy_coarse"), _derivative(2, 2)),
}
