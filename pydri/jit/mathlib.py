# SPDX-License-Identifier: MIT
"""sin, cos, tan, exp, log, pow, atan ... for kernels: float32 in, float32 out, any number of lanes.

In: a `f32` value or vector. Out: one of the same type, emitted in place; `function(name, lanes)`
gives the same thing as a kernel to call, for code that uses one often. Everything is built from
IEEE operations that round alike on every machine, at every vector width (no fused multiply-add,
no hardware approximation, no libm), so pictures stay equal to the last bit. Where float32 loses
digits (reducing an angle, a logarithm about to be multiplied) the step is done in float64: two
vectors instead of one, and in return no compensated arithmetic.

Errors are below 0.6 ulp for tan, atan, atan2, log2 and log, below 1.5 ulp for sin, cos, exp2,
exp, pow, powr and rsqrt, over all float32 arguments, also 1e38; zeros, infinities, NaN and
denormals as C99 annex F has them. What is called quick says itself what it keeps of that.
`tests/unit/jit/test_mathlib.py` measures it against numpy in float64. Rounding to integers uses the
addition of 1.5 * 2^52 (or 2^23), whose low bits then *are* the integer: cheap even where the CPU
lacks conversions.

The peer uses polynomials without these promises (gallivm/lp_bld_arit.c: lp_build_pow,
lp_build_sin, ...).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pydri.jit.kernel import Kernel
from pydri.jit.types import Scalar, Type, Vec, f32, f64, i32, u32, u64

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value

# Minimax polynomials, lowest power first. t stands for the square of the argument.
_SIN = (-0.16666654925968905, 0.008332176986888757, -0.000195171371829514)  # (sin r - r) / r^3 in t
#: pi in parts (_quick_sin_cos)
_PI_PARTS = (3.140625, 0.0009676535846665502)
#: sin r / r in t, for r within +-pi/2
_WIDE_SIN = (
    1.0,
    -0.16666659712791443,
    0.008333065547049046,
    -0.00019809538207482547,
    2.6056300157506485e-06,
)
_COS = (
    0.041666646836377545,
    -0.0013887365982178349,
    2.4438269394697097e-05,
)  # (cos r - 1 + t/2) / t^2 in t
_SIN64 = (
    -0.16666666641576494,
    0.008333329379994857,
    -0.00019839332915520978,
    2.7182929882657103e-06,
)
_COS64 = (
    0.04166666662273943,
    -0.001388888374565927,
    2.4799517935845736e-05,
    -2.721006439918661e-07,
)
_EXP2 = (
    0.6931472064427023,
    0.24022651336328557,
    0.055503274098235925,
    0.009618004908252101,
    0.00134004167185414,
    0.00015476044665605504,
)  # (2^f - 1) / f, |f| <= 1/2
_LOG2 = (
    2.8853900817902036,
    0.9617966732000018,
    0.5770836115885435,
    0.41167113426233437,
    0.3407593583194471,
)
# log2((1 + s) / (1 - s)) / s in t
#: the same with a term less, for singles
_QUICK_LOG2 = (
    2.8853900797890253,
    0.9617988476202224,
    0.5767143851057965,
    0.4317358632670672,
)
_ATAN = (
    0.9999999978791199,
    -0.3333328768990349,
    0.19998374453683432,
    -0.14263049866090474,
    0.10947789549825047,
    -0.08393989390760204,
    0.057835584624877964,
    -0.031085412757440097,
    0.010876918912216722,
    -0.0017872979493778985,
)  # atan(q) / q in t, 0 <= q <= 1

_ROUND64 = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to a whole number
_ROUND32 = 12582912.0  # 1.5 * 2^23
_ROUND32_BITS = 0x4B400000
_PI = 3.141592653589793
_LOG2E = 1.4426950408889634
_LN2 = 0.6931471805599453
_INF = float("inf")
_LARGEST = 3.4028234663852886e38
_NAN = float("nan")


def _like(ty: Type, elem: Scalar) -> Type:
    """The type with `elem` in each lane of `ty`."""
    return elem.vec(ty.lanes) if isinstance(ty, Vec) else elem


def _poly(b: Builder, t: Value, coefficients: tuple[float, ...]) -> Value:
    """Horner's rule."""
    out = b.const(t.ty, coefficients[-1])
    for c in coefficients[-2::-1]:
        out = out * t + c
    return out


def _paired_poly(b: Builder, t: Value, coefficients: tuple[float, ...]) -> Value:
    """Even and odd powers of all but the first term by Horner's rule each: one operation more, and
    half the latency, which counts since LLVM puts the chains of a wide vector's parts one behind
    the other. The first term, of which most digits are, comes last, as it does in _poly.
    """
    square = t * t
    even, odd = (_poly(b, square, coefficients[first::2]) for first in (1, 2))
    return (odd * t + even) * t + coefficients[0]


def _check(x: object, name: str) -> None:
    if getattr(x, "elem", None) is not f32:
        raise TypeError(f"mathlib.{name} takes an f32 value or vector, not {getattr(x, 'ty', x)!r}")


# -- trigonometry --------------------------------------------------------------------------------


def _pi_scaled(bits: int) -> int:
    """floor(pi * 2^bits), by Machin's formula."""

    def arctan_inverse(n: int) -> int:
        term = total = (1 << (bits + 32)) // n
        k, sign = 3, -1
        while term:
            term //= n * n
            total += sign * (term // k)
            k, sign = k + 2, -sign
        return total

    return (16 * arctan_inverse(5) - 4 * arctan_inverse(239)) >> 32


_BIG = float(1 << 26)  # from here on the quotient by pi/2 is too large for the three-part reduction
_FIRST_POWER = 3  # arguments of _BIG and more are m * 2^e with a 24-bit m and e from 3 to 104
_tables: tuple[list[float], list[float], tuple[float, float, float]] | None = None


def _reduction_tables() -> tuple[list[float], list[float], tuple[float, float, float]]:
    """2^e mod 2 pi for each power as a coarse part (so short that times 24 bits is exact) and the
    rest; pi/2 in three parts.
    """
    global _tables
    if _tables is None:
        bits = 320
        two_pi = 2 * _pi_scaled(bits)
        coarse, rest = [], []
        for e in range(_FIRST_POWER, 105):
            r = (1 << (e + bits)) % two_pi
            if r > two_pi // 2:
                r -= two_pi
            step = 1 << (bits - 27)
            short = (r + step // 2) // step
            coarse.append(short / (1 << 27))
            rest.append((r - short * step) / (1 << bits))
        half_pi = two_pi // 4
        first = half_pi >> (bits - 26)
        second = (half_pi >> (bits - 53)) - (first << 27)
        third = half_pi - ((first << 27) + second << (bits - 53))
        parts = (first / (1 << 26), second / (1 << 53), third / (1 << bits))
        _tables = coarse, rest, parts
    return _tables


def _reduce_angle(b: Builder, a: Value) -> tuple[Value, Value]:
    """|x| -> (r, quadrant): a = r + quadrant * pi/2 (mod 2 pi), r in f64 within +-pi/4; quadrant
    in the low bits of a u32.

    pi/2 comes in parts of 26, 27 and 53 bits, so the first two products and differences are exact
    as long as the quotient has at most 27 bits. Larger arguments (a branch, hardly ever taken)
    are made small first, exactly, by a table of the powers of two modulo 2 pi. So r is good to 60
    bits even for the float32 nearest to a multiple of pi/2.
    """
    coarse, rest, (c1, c2, c3) = _reduction_tables()
    wide = _like(a.ty, f64)
    high, low = b.var(wide, b.cast(a, f64)), b.var(wide, 0.0)
    big = (a >= _BIG) & (a < _INF)
    with b.If(b.any(big) if isinstance(a.ty, Vec) else big, likely=False):
        word = b.bitcast(a, u32)
        power = b.select(big, b.cast(word >> 23, i32) - (150 + _FIRST_POWER), 0)
        mantissa = b.cast(b.cast((word & 0x7FFFFF) | 0x800000, i32), f64)
        parts = []
        for table in (b.table(f64, coarse), b.table(f64, rest)):
            parts.append(b.gather(table, power) if isinstance(a.ty, Vec) else table[power])
        high.value = b.select(big, mantissa * parts[0], high.value)
        low.value = b.select(big, mantissa * parts[1], low.value)
    y = high.value
    shifted = y * (2.0 / _PI) + _ROUND64
    k = shifted - _ROUND64
    r = ((y - k * c1) - k * c2) - (k * c3 - low.value)
    return r, b.cast(b.bitcast(shifted, u64), u32)


def _sin_cos(b: Builder, x: Value, quarter_turns: int) -> Value:
    """sin(x + quarter_turns * pi/2), worked out on |x|; for the sine the sign comes back at the
    end.
    """
    word = b.bitcast(x, u32)
    a = b.bitcast(word & 0x7FFFFFFF, f32)
    wide, quadrant = _reduce_angle(b, a)
    if quarter_turns:
        quadrant = quadrant + quarter_turns
    sine, cosine = sin_cos_small(b, b.cast(wide, f32))
    out = b.bitcast(b.select((quadrant & 1) != 0, cosine, sine), u32) ^ ((quadrant & 2) << 30)
    if not quarter_turns:
        out = out ^ (word & 0x80000000)
    return b.bitcast(out, f32)


def _quick_sin_cos(b: Builder, x: Value, quarter_turns: int) -> Value:
    """The same in singles, for any x, without a branch. What is left of the angle lies within pi/2
    of a multiple of pi, so that one polynomial does for all of a turn; the cosine is the sine a
    quarter of a turn on. pi comes in two parts. The first has 8 bits, so that its product with a
    quotient of 16 is exact; up to there, an angle of 200,000 (of cosines 100,000), the other part
    leaves an error of 2^-36 of the angle. From there on the product's rounding takes another angle
    within half a unit in x's last place. Where even quotients have no digits left, r may be
    anything, and so may the sine, from -1 to 1. It is r times a polynomial, not r and a product
    more, since -0 + 0 is 0."""
    turns = x * (1.0 / _PI)
    if quarter_turns:
        turns = turns + 0.5
    shifted = turns + _ROUND32
    k = shifted - _ROUND32
    if quarter_turns:
        k = k - 0.5
    first, second = _PI_PARTS
    r = (x - k * first) - k * second
    # NaN, of infinities, stays what it is, as the second operand
    sine = b.max(b.const(x.ty, -1.0), b.min(b.const(x.ty, 1.0), r * _poly(b, r * r, _WIDE_SIN)))
    return b.bitcast(b.bitcast(sine, u32) ^ (b.bitcast(shifted, u32) << 31), f32)


def sin_cos_small(b: Builder, x: Value) -> tuple[Value, Value]:
    """Sine and cosine of radians within +-pi/4 (and a little beyond): nothing to reduce."""
    _check(x, "sin")
    t = x * x
    return x + x * (t * _poly(b, t, _SIN)), (1.0 - t * 0.5) + (t * t) * _poly(b, t, _COS)


def sin(b: Builder, x: Value) -> Value:
    """Sine of radians; NaN for infinities."""
    _check(x, "sin")
    return _sin_cos(b, x, 0)


def cos(b: Builder, x: Value) -> Value:
    """Cosine of radians; NaN for infinities."""
    _check(x, "cos")
    return _sin_cos(b, x, 1)


def quick_sin(b: Builder, x: Value) -> Value:
    """Sine of radians within four ulp and |x| 2^-35, up to |x| = 100,000; then of an angle within
    one ulp of x, and from 2^23 on any number from -1 to 1; NaN for infinities."""
    _check(x, "quick_sin")
    return _quick_sin_cos(b, x, 0)


def quick_cos(b: Builder, x: Value) -> Value:
    """Cosine of radians, as quick_sin."""
    _check(x, "quick_cos")
    return _quick_sin_cos(b, x, 1)


def tan(b: Builder, x: Value) -> Value:
    """Tangent of radians; NaN for infinities."""
    _check(x, "tan")
    word = b.bitcast(x, u32)
    r, quadrant = _reduce_angle(b, b.bitcast(word & 0x7FFFFFFF, f32))
    t = r * r
    sine = r + r * (t * _poly(b, t, _SIN64))
    cosine = (1.0 - t * 0.5) + (t * t) * _poly(b, t, _COS64)
    odd = (quadrant & 1) != 0
    out = b.cast(b.select(odd, -cosine, sine) / b.select(odd, sine, cosine), f32)
    return b.bitcast(b.bitcast(out, u32) ^ (word & 0x80000000), f32)


def _atan_ratio(b: Builder, y: Value, x: Value) -> Value:
    """Angle of the point (x, y) of the first quadrant, in f64."""
    swap = y > x
    small, large = b.select(swap, x, y), b.select(swap, y, x)
    q = b.select(small == large, 1.0, small / large)  # infinity / infinity too
    q = b.select(large == 0.0, 0.0, q)
    p = q * _poly(b, q * q, _ATAN)
    return b.select(swap, _PI / 2 - p, p)


def atan(b: Builder, x: Value) -> Value:
    """Arc tangent, within +-pi/2."""
    _check(x, "atan")
    word = b.bitcast(x, u32)
    a = b.cast(b.bitcast(word & 0x7FFFFFFF, f32), f64)
    angle = _atan_ratio(b, a, b.const(a.ty, 1.0))
    return b.bitcast(b.bitcast(b.cast(angle, f32), u32) | (word & 0x80000000), f32)


def atan2(b: Builder, y: Value, x: Value) -> Value:
    """Angle of the point (x, y), within +-pi; zeros and infinities as C99 F.9.1.4."""
    _check(y, "atan2")
    _check(x, "atan2")
    ys, xs = b.bitcast(y, u32), b.bitcast(x, u32)
    angle = _atan_ratio(
        b,
        b.cast(b.bitcast(ys & 0x7FFFFFFF, f32), f64),
        b.cast(b.bitcast(xs & 0x7FFFFFFF, f32), f64),
    )
    angle = b.select((xs & 0x80000000) != 0, _PI - angle, angle)
    out = b.bitcast(b.bitcast(b.cast(angle, f32), u32) | (ys & 0x80000000), f32)
    return b.select((x == x) & (y == y), out, _NAN)


# -- exponentials --------------------------------------------------------------------------------


def _scaled_exp2(b: Builder, k: Value, f: Value) -> Value:
    """2^(k + f) for a small i32 k and |f| <= 1/2. Scaled in two steps, so that denormal results
    are rounded once.
    """
    p = 1.0 + f * _poly(b, f, _EXP2)
    half = k >> 1
    out = p * b.bitcast((half + 127) << 23, f32)
    return out * b.bitcast((k - half + 127) << 23, f32)


def _bounded(b: Builder, x: Value, low: float, high: float) -> Value:
    """x within [low, high]; NaN stays NaN."""
    x = b.select(x < low, low, x)
    return b.select(x > high, high, x)


def _exp2_of_f64(b: Builder, t: Value) -> Value:
    """2^t as f32 for an f64 t."""
    t = _bounded(b, t, -160.0, 160.0)
    shifted = t + _ROUND64
    k = b.cast(
        b.cast(b.bitcast(shifted, u64), u32), i32
    )  # the low bits; the constant's own are zero
    return _scaled_exp2(b, k, b.cast(t - (shifted - _ROUND64), f32))


def _flushed_exp2(b: Builder, t: Value, shifted: Value, f: Value) -> Value:
    """2^t for t = k + f, |f| <= 1/2, where `shifted` is k + _ROUND32: 0 for what is denormal. Its
    exponent is added to that of 2^f (the bits of the constant are moved out), which is nonsense
    where t is out of range, or NaN.
    """
    p = 1.0 + f * _paired_poly(b, f, _EXP2)
    out = b.bitcast(b.bitcast(p, u32) + (b.bitcast(shifted, u32) << 23), f32)
    out = b.select(t < 128.0, out, t * _INF)
    return b.select(t < -126.0, 0.0, out)


def quick_exp2(b: Builder, x: Value) -> Value:
    """2 to the power of x where denormals are flushed."""
    _check(x, "quick_exp2")
    shifted = x + _ROUND32
    return _flushed_exp2(b, x, shifted, x - (shifted - _ROUND32))


def exp2(b: Builder, x: Value) -> Value:
    """2 to the power of x."""
    _check(x, "exp2")
    x = _bounded(b, x, -160.0, 160.0)
    shifted = x + _ROUND32
    k = b.bitcast(shifted, i32) - _ROUND32_BITS
    return _scaled_exp2(b, k, x - (shifted - _ROUND32))


def exp(b: Builder, x: Value) -> Value:
    """e to the power of x."""
    _check(x, "exp")
    return _exp2_of_f64(b, b.cast(x, f64) * _LOG2E)


def _log2_of(b: Builder, x: Value) -> Value:
    """log2(x) as f64, good to 36 bits: -infinity for 0, NaN below."""
    tiny = x < 1.1754943508222875e-38
    word = b.bitcast(b.select(tiny, x * 16777216.0, x), i32)
    # e is the exponent that leaves m within [sqrt(1/2), sqrt(2)): 0x3F3504F3 is sqrt(1/2)
    e = (word - 0x3F3504F3) >> 23
    m = b.cast(b.bitcast(word - (e << 23), f32), f64)
    e = e - b.select(tiny, b.const(e.ty, 24), 0)
    s = (m - 1.0) / (m + 1.0)
    out = b.cast(e, f64) + s * _poly(b, s * s, _LOG2)
    out = b.select(x == _INF, _INF, out)
    out = b.select(x == 0.0, -_INF, out)
    return b.select(x >= 0.0, out, _NAN)


def _log2_parts(b: Builder, word: Value) -> tuple[Value, Value]:
    """e and log2(m) of the bits of m * 2^e, a positive number that is not denormal."""
    whole = (word - 0x3F3504F3) >> 23
    m = b.bitcast(word - (whole << 23), f32)  # within sqrt(1/2) and sqrt(2)
    s = (m - 1.0) / (m + 1.0)
    return b.cast(whole, f32), s * _poly(b, s * s, _QUICK_LOG2)


def quick_log2(b: Builder, x: Value) -> Value:
    """Logarithm to base 2 where denormals are flushed, within three ulp, half of the work."""
    _check(x, "quick_log2")
    e, log2_m = _log2_parts(b, b.bitcast(x, i32))
    out = b.select(x < _INF, e + log2_m, x)
    out = b.select(x == 0.0, -_INF, out)
    return b.select(x < 0.0, _NAN, out)


def log2(b: Builder, x: Value) -> Value:
    """Logarithm to base 2: -infinity for 0, NaN below."""
    _check(x, "log2")
    return b.cast(_log2_of(b, x), f32)


def log(b: Builder, x: Value) -> Value:
    """Natural logarithm: -infinity for 0, NaN below."""
    _check(x, "log")
    return b.cast(_log2_of(b, x) * _LN2, f32)


def powr(b: Builder, x: Value, y: Value) -> Value:
    """x to the power of y for x >= 0 (NaN below); anything to the power of 0 is 1. What GL's pow
    needs.
    """
    _check(x, "powr")
    _check(y, "powr")
    out = _exp2_of_f64(b, _log2_of(b, x) * b.cast(y, f64))
    return b.select((y == 0.0) | (x == 1.0), 1.0, out)


def quick_powr(b: Builder, x: Value, y: Value) -> Value:
    """x to the power of y for x >= 0 (NaN below), where denormals are flushed, within 4 ulp and 3
    for each unit of |y log2 x|; NaN for 1 to the power of NaN. Half of the work: in singles,
    2^(y e) 2^(y log2 m) for x = m 2^e. The first exponent is exact, as y comes in two halves, whose
    products with e have few bits; so its whole part is taken away from it without a loss.
    """
    _check(x, "quick_powr")
    _check(y, "quick_powr")
    y = _bounded(b, y, -_LARGEST, _LARGEST)
    high = b.bitcast(b.bitcast(y, u32) & 0xFFFFF000, f32)
    e, log2_m = _log2_parts(b, b.bitcast(x, i32))
    exact = high * e
    rest = (y - high) * e + y * log2_m
    t = exact + rest
    t = b.select(x < _INF, t, x * y)
    t = b.select(x == 0.0, y * -_INF, t)
    shifted = t + _ROUND32
    f = (exact - (shifted - _ROUND32)) + rest
    out = b.select(y == 0.0, 1.0, _flushed_exp2(b, t, shifted, f))
    return b.select(x < 0.0, _NAN, out)


def pow(b: Builder, x: Value, y: Value) -> Value:
    """x to the power of y as C's powf: a negative x is allowed where y is a whole number."""
    _check(x, "pow")
    _check(y, "pow")
    ax, ay = b.abs(x), b.abs(y)
    whole = b.trunc(y) == y
    half = y * 0.5
    odd = whole & (b.trunc(half) != half) & (ay < _INF)
    out = _exp2_of_f64(b, _log2_of(b, ax) * b.cast(y, f64))
    sign = b.bitcast(x, u32) & b.select(odd, b.const(_like(x.ty, u32), 0x80000000), 0)
    out = b.bitcast(b.bitcast(out, u32) | sign, f32)
    out = b.select((x < 0.0) & ~whole & (x > -_INF), _NAN, out)
    out = b.select((x == -1.0) & (ay == _INF), 1.0, out)
    return b.select((y == 0.0) | (x == 1.0), 1.0, out)


def rsqrt(b: Builder, x: Value) -> Value:
    """1 / sqrt(x), each step correctly rounded: infinity for 0, NaN below."""
    _check(x, "rsqrt")
    return 1.0 / b.sqrt(x)


# -- as functions --------------------------------------------------------------------------------

UNARY: dict[str, Callable[[Builder, Value], Value]] = {
    "sin": sin,
    "cos": cos,
    "quick_sin": quick_sin,
    "quick_cos": quick_cos,
    "tan": tan,
    "atan": atan,
    "exp2": exp2,
    "quick_exp2": quick_exp2,
    "exp": exp,
    "log2": log2,
    "quick_log2": quick_log2,
    "log": log,
    "rsqrt": rsqrt,
}
BINARY: dict[str, Callable[[Builder, Value, Value], Value]] = {
    "pow": pow,
    "powr": powr,
    "quick_powr": quick_powr,
    "atan2": atan2,
}

_functions: dict[tuple[str, int], Kernel] = {}


def function(name: str, lanes: int = 16) -> Kernel:
    """The function `name` as a kernel to `b.call`: one copy in a module, however often it is
    used. 0 lanes: a scalar.
    """
    found = _functions.get((name, lanes))
    if found is None:
        ty = f32.vec(lanes) if lanes else f32
        emit = UNARY.get(name) or BINARY[name]
        args = (ty,) if name in UNARY else (ty, ty)
        found = Kernel(emit, f"math_{name}_{lanes}", ty, args, noinline=True)
        _functions[name, lanes] = found
    return found
