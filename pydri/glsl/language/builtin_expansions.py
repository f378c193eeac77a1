# SPDX-License-Identifier: MIT
"""What built-in functions mean, where that takes more than one opcode.

In: a builder (nir's `Builder`, or `fold.Folder` for constants) and values.  Out: a value. Each
function is the `expand` column of a row of `builtin_functions.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

RADIANS: Final = 0.017453292519943295
DEGREES: Final = 57.29577951308232
LOG2_E: Final = 1.4426950408889634
LN_2: Final = 0.6931471805599453
HALF_PI: Final = 1.5707963267948966
PI: Final = 3.141592653589793

#: atan(x) / x on [0, 1] in powers of x * x: a least-squares fit on Chebyshev nodes, made with
#: numpy; the worst error of atan is 1.1e-7, a rounding of singles near pi/4 being 6e-8
ATAN: Final = (
    1.0, -0.3333306610584259, 0.19992484152317047, -0.14202570915222168,
    0.10636754333972931, -0.07495445758104324, 0.042587608098983765, -0.016005029901862144,
    0.0028340641874819994,
)


def opcode(name: str) -> Callable[..., Any]:
    """The expansion to one opcode."""
    return lambda b, *args: b.alu(name, *args)


def _polynomial(b: Any, x: Any, coefficients: tuple[float, ...]) -> Any:
    """Horner's scheme, the constant term first in the list."""
    total = b.fadd(b.fmul(x, coefficients[-1]), coefficients[-2])
    for c in reversed(coefficients[:-2]):
        total = b.fadd(b.fmul(total, x), c)
    return total


def _ratio(b: Any, small: Any, large: Any) -> Any:
    """atan(small / large) for 0 <= small <= large."""
    t = b.fdiv(small, large)
    return b.fmul(t, _polynomial(b, b.fmul(t, t), ATAN))


def atan(b: Any, x: Any) -> Any:
    """One argument: beyond 1 the complement is taken."""
    size = b.fabs(x)
    inner = _ratio(b, b.fmin(size, 1.0), b.fmax(size, 1.0))
    angle = b.bcsel(b.flt(1.0, size), b.fsub(HALF_PI, inner), inner)
    return b.bcsel(b.flt(x, 0.0), b.fneg(angle), angle)


def atan2(b: Any, y: Any, x: Any) -> Any:
    """All quadrants; (0, 0) gives 0."""
    height, width = b.fabs(y), b.fabs(x)
    large = b.fmax(height, width)
    # A large of 0 would divide 0 by 0; any other number gives the 0 that is wanted.
    safe = b.bcsel(b.feq(large, 0.0), b.fadd(large, 1.0), large)
    inner = _ratio(b, b.fmin(height, width), safe)
    angle = b.bcsel(b.flt(width, height), b.fsub(HALF_PI, inner), inner)
    angle = b.bcsel(b.flt(x, 0.0), b.fsub(PI, angle), angle)
    return b.bcsel(b.flt(y, 0.0), b.fneg(angle), angle)


def _other_leg(b: Any, x: Any) -> Any:
    return b.fsqrt(b.fmul(b.fsub(1.0, x), b.fadd(1.0, x)))


def asin(b: Any, x: Any) -> Any:
    """The angle whose sine is x: of the triangle with that height."""
    return atan2(b, x, _other_leg(b, x))


def acos(b: Any, x: Any) -> Any:
    """The angle whose cosine is x."""
    return atan2(b, _other_leg(b, x), x)


def _exp(b: Any, x: Any) -> Any:
    return b.fexp2(b.fmul(x, LOG2_E))


def _log(b: Any, x: Any) -> Any:
    return b.fmul(b.flog2(x), LN_2)


def sinh(b: Any, x: Any) -> Any:
    """(e^x - e^-x) / 2"""
    return b.fmul(b.fsub(_exp(b, x), _exp(b, b.fneg(x))), 0.5)


def cosh(b: Any, x: Any) -> Any:
    """(e^x + e^-x) / 2"""
    return b.fmul(b.fadd(_exp(b, x), _exp(b, b.fneg(x))), 0.5)


def tanh(b: Any, x: Any) -> Any:
    """Clamped, since e^x overflows where tanh is 1 long since."""
    x = b.fmin(b.fmax(x, -10.0), 10.0)
    up, down = _exp(b, x), _exp(b, b.fneg(x))
    return b.fdiv(b.fsub(up, down), b.fadd(up, down))


def asinh(b: Any, x: Any) -> Any:
    """Of the size, since the logarithm of a difference would lose all digits."""
    size = b.fabs(x)
    root = b.fsqrt(b.fadd(b.fmul(x, x), 1.0))
    return b.fmul(b.fsign(x), _log(b, b.fadd(size, root)))


def acosh(b: Any, x: Any) -> Any:
    """log(x + sqrt(x^2 - 1))"""
    return _log(b, b.fadd(x, b.fsqrt(b.fsub(b.fmul(x, x), 1.0))))


def atanh(b: Any, x: Any) -> Any:
    """log((1 + x) / (1 - x)) / 2"""
    return b.fmul(_log(b, b.fdiv(b.fadd(1.0, x), b.fsub(1.0, x))), 0.5)


def mix(b: Any, x: Any, y: Any, a: Any) -> Any:
    """x * (1 - a) + y * a: exact at both ends."""
    return b.fadd(b.fmul(x, b.fsub(1.0, a)), b.fmul(y, a))


def smoothstep(b: Any, low: Any, high: Any, x: Any) -> Any:
    """Hermite's curve between two edges."""
    t = b.fsat(b.fdiv(b.fsub(x, low), b.fsub(high, low)))
    return b.fmul(b.fmul(t, t), b.fsub(3.0, b.fmul(t, 2.0)))


def length(b: Any, x: Any) -> Any:
    return b.fsqrt(b.dot(x, x))


def cross(b: Any, x: Any, y: Any) -> Any:
    """The product of vectors of space."""
    a, c = (1, 2, 0), (2, 0, 1)
    plus = b.fmul(b.swizzle(x, a), b.swizzle(y, c))
    return b.fsub(plus, b.fmul(b.swizzle(x, c), b.swizzle(y, a)))


def faceforward(b: Any, n: Any, incident: Any, reference: Any) -> Any:
    """n, turned against `incident` as `reference` is."""
    return b.bcsel(b.flt(b.dot(reference, incident), 0.0), n, b.fneg(n))


def reflect(b: Any, incident: Any, n: Any) -> Any:
    """The mirrored direction."""
    return b.fsub(incident, b.fmul(b.fmul(b.dot(n, incident), 2.0), n))


def refract(b: Any, incident: Any, n: Any, eta: Any) -> Any:
    """The broken direction; total reflection gives 0."""
    d = b.dot(n, incident)
    k = b.fsub(1.0, b.fmul(b.fmul(eta, eta), b.fsub(1.0, b.fmul(d, d))))
    along = b.fadd(b.fmul(eta, d), b.fsqrt(b.fmax(k, 0.0)))
    bent = b.fsub(b.fmul(eta, incident), b.fmul(along, n))
    return b.bcsel(b.flt(k, 0.0), b.fmul(incident, 0.0), bent)


def relation(opcode: str, swap: bool) -> Callable[..., Any]:
    """A comparison of vectors; nir has `less` and `not less` alone."""
    if swap:
        return lambda b, x, y: b.alu(opcode, y, x)
    return lambda b, x, y: b.alu(opcode, x, y)


def zeros(b: Any, x: Any, width: int) -> Any:
    """`width` zeros; x is not used."""
    return b.vec(*[0.0] * width)


def three(op: str) -> Callable[..., Any]:
    """min3 and max3."""
    return lambda b, x, y, z: b.alu(op, b.alu(op, x, y), z)


def middle(kind: str) -> Callable[..., Any]:
    """mid3, the one between the two others."""
    def expand(b: Any, x: Any, y: Any, z: Any) -> Any:
        low, high = b.alu(f"{kind}min", x, y), b.alu(f"{kind}max", x, y)
        return b.alu(f"{kind}max", low, b.alu(f"{kind}min", high, z))

    return expand


#: a matrix as the scalars of its columns
Scalars = list[list[Any]]


def _minor(m: Scalars, column: int, row: int) -> Scalars:
    return [[x for r, x in enumerate(part) if r != row] for c, part in enumerate(m) if c != column]


def determinant(b: Any, m: Scalars) -> Any:
    """By Laplace's expansion along the first column."""
    if len(m) == 1:
        return m[0][0]
    total = b.fmul(m[0][0], determinant(b, _minor(m, 0, 0)))
    for r in range(1, len(m)):
        part = b.fmul(m[0][r], determinant(b, _minor(m, 0, r)))
        total = b.alu("fsub" if r % 2 else "fadd", total, part)
    return total


def inverse(b: Any, m: Scalars) -> tuple[Scalars, Any]:
    """The adjugate, and what its components are to be multiplied with."""
    size = range(len(m))
    # Element (column c, row r) of the inverse is the cofactor of (column r, row c).
    cofactors = [[determinant(b, _minor(m, r, c)) for r in size] for c in size]
    adjugate = [[b.fneg(x) if (c + r) % 2 else x for r, x in enumerate(column)]
                for c, column in enumerate(cofactors)]
    total = b.fmul(m[0][0], adjugate[0][0])
    for r in size[1:]:
        total = b.fadd(total, b.fmul(m[0][r], adjugate[r][0]))
    return adjugate, b.frcp(total)
