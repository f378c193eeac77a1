# SPDX-License-Identifier: MIT
"""TABLE: one row per ALU opcode.  The row is the definition.

In: nothing.  Out: `OPCODES`, name -> `Opcode`.
A row gives the type of the result and of each source, what the operation means as numpy code, how
far (in ulp) machine code may be from that, algebraic properties, and optionally how to build the
operation from simpler ones.  Builder methods, printer, parser, validator, constant folding and the
interpreter follow from the row; a back end has its own table with the same names.

Types: `float`, `int`, `uint` (32 bits), `float64`, `int64`, `uint64` (rows of those:
opcodes_wide.py), `bool` (1 bit) or `any` (of any width; all `any` of one instruction have the
same).  Without a number the operation works component by component
and every such source has as many components as the result; with a number the source or result is a
vector of exactly that size.  Integers wrap.  Floats are IEEE single precision, round to nearest
even; `ulp` 0 means the same bits (any NaN equals any NaN).

**Denormals** (of 32 bits and of 64) count as zero and become zero, with their sign: every operation
reads a `float` that is one as a zero, and gives a zero where the result, rounded as if exponents
had no end, is below the least normal number ("tiny after rounding", as x86 has it with FTZ and DAZ;
GLSL 4.60, 4.7.1 allows it).  That holds within a row that stands for several operations, too
(fdot, flrp, fmod): they are written with `add`, `mul` and `div` of flush.py.  Rows marked `bits`
only change bits (fneg, fabs) and keep denormals, and so do moves, selections, loads and stores,
whose type is `any` or none.  Halves (pack_half_2x16) have denormals: nothing computes with them.
Who computes a row calls `evaluate` of interp.py, which does what is said here.

The numpy code gets arrays of shape (components, lanes) and must not loop over lanes; numpy is
loaded when the first of them runs, never at import.  Counterpart of Mesa's nir_opcodes.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from pydri.nir.flush import add, div, mul, single
from pydri.nir.opcodes_wide import add_rows
from pydri.util.lazy_numpy import np

Arr = Any  # an ndarray; numpy's own generic types say nothing that would help here


#: type -> bits, and what the builder's operators read it as
BITS: Final[dict[str, int]] = {
    "float": 32, "int": 32, "uint": 32, "bool": 1, "float64": 64, "int64": 64, "uint64": 64,
}  # fmt: skip
KINDS: Final[dict[str, str]] = {name: name.removesuffix("64") for name in BITS}


class Opcode(NamedTuple):
    """One row.  Sizes are 0 for "per component"."""

    name: str
    out_size: int
    out_type: str
    in_sizes: tuple[int, ...]
    in_types: tuple[str, ...]
    eval: Callable[..., Arr]
    #: how far an answer may be from the right one, and how much farther for some sources
    ulp: int
    ulp_more: Callable[..., Arr] | None
    commutative: bool
    associative: bool
    #: reads other lanes of the 2x2 quad: must not move into or out of control flow
    cross_lane: bool
    #: about bits, not numbers: denormals stay
    bits: bool
    #: (builder, *sources) -> the same value from simpler opcodes
    lower: Callable[..., Any] | None
    rule: str

    @property
    def arity(self) -> int:
        """Number of sources."""
        return len(self.in_types)


OPCODES: Final[dict[str, Opcode]] = {}


def _split(spec: str) -> tuple[str, int]:
    """Type and size; the size of a type that ends with 64 stands behind a dot."""
    if "64" in spec:
        wide, _, size = spec.partition(".")
        return wide, int(size or 0)
    name = spec.rstrip("0123456789")
    return name, int(spec[len(name) :] or 0)


def _op(
    name: str,
    out: str,
    ins: str,
    eval_: Callable[..., Arr],
    *,
    ulp: int = 0,
    ulp_more: Callable[..., Arr] | None = None,
    comm: bool = False,
    assoc: bool = False,
    cross_lane: bool = False,
    bits: bool = False,
    lower: Callable[..., Any] | None = None,
    rule: str = "",
) -> None:
    out_type, out_size = _split(out)
    types, sizes = zip(*map(_split, ins.split()), strict=True)
    OPCODES[name] = Opcode(
        name, out_size, out_type, sizes, types, eval_, ulp, ulp_more, comm, assoc, cross_lane, bits,
        lower, rule,
    )  # fmt: skip


# ---- helpers of the numpy code ----------------------------------------------------------------
def _via64(fn: Callable[..., Arr]) -> Callable[..., Arr]:
    """Evaluate in double precision and round once: the correctly rounded result, nearly always."""
    return lambda *args: single(fn(*(a.astype(np.float64) for a in args)))


def _ulps_of_angle(angle: Arr, result: Arr) -> Arr:
    """An error of |angle| 2^-35 in ulp of the result."""
    return np.abs(angle) * 2.0**-35 / np.spacing(np.abs(result).astype(np.float32))


def _fma(a: Arr, b: Arr, c: Arr) -> Arr:
    """Fused multiply-add with one rounding.

    The product of two singles is exact in double; the sum is rounded to odd there, which makes the
    final rounding to single the only one that counts (Boldo and Melquiond).
    """
    p, c64 = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    s = p + c64
    t = s - p
    err = (p - (s - t)) + (c64 - t)
    bits = s.view(np.int64)
    fix = (err != 0) & ((bits & 1) == 0) & np.isfinite(s)
    away = (err > 0) == (s > 0)
    odd = np.where(fix, bits + np.where(away, 1, -1), bits)
    return single(odd.view(np.float64))


def _bits(a: Arr) -> Arr:
    return a.view(np.uint32)


def _float(a: Arr) -> Arr:
    return a.view(np.float32)


def _f2i(a: Arr) -> Arr:
    wide = np.clip(np.trunc(np.nan_to_num(a.astype(np.float64), nan=0.0)), -(2.0**31), 2.0**31 - 1)
    return wide.astype(np.int32)


def _f2u(a: Arr) -> Arr:
    wide = np.clip(np.trunc(np.nan_to_num(a.astype(np.float64), nan=0.0)), 0.0, 2.0**32 - 1)
    return wide.astype(np.uint32)


def _sat(a: Arr) -> Arr:
    return np.where(a > 0, np.where(a < 1, a, np.float32(1)), np.float32(0))


def _idiv(a: Arr, b: Arr) -> Arr:
    n, d = np.broadcast_arrays(a.astype(np.int64), b.astype(np.int64))
    q = np.abs(n) // np.where(d == 0, 1, np.abs(d))
    return np.where(d == 0, 0, np.where((n < 0) != (d < 0), -q, q)).astype(np.int32)


def _irem(a: Arr, b: Arr) -> Arr:
    n, d = a.astype(np.int64), b.astype(np.int64)
    r = np.abs(n) % np.where(d == 0, 1, np.abs(d))
    return np.where(d == 0, 0, np.where(n < 0, -r, r)).astype(np.int32)


def _imod(a: Arr, b: Arr) -> Arr:
    n, d = a.astype(np.int64), b.astype(np.int64)
    return np.where(d == 0, 0, n % np.where(d == 0, 1, d)).astype(np.int32)


def _udiv(a: Arr, b: Arr) -> Arr:
    return np.where(b == 0, np.uint32(0), a // np.where(b == 0, np.uint32(1), b))


def _umod(a: Arr, b: Arr) -> Arr:
    return np.where(b == 0, np.uint32(0), a % np.where(b == 0, np.uint32(1), b))


def _shift_count(b: Arr) -> Arr:
    return b & np.uint32(31)


def _dot(size: int) -> Callable[[Arr, Arr], Arr]:
    def dot(a: Arr, b: Arr) -> Arr:
        total = mul(a[0], b[0])
        for i in range(1, size):
            total = add(total, mul(a[i], b[i]))
        return total[None]

    return dot


def _dot_lower(size: int) -> Callable[[Any, Any, Any], Any]:
    def lower(b: Any, x: Any, y: Any) -> Any:
        total = b.fmul(x[0], y[0])
        for i in range(1, size):
            total = b.fadd(total, b.fmul(x[i], y[i]))
        return total

    return lower


def _msb(a: Arr) -> Arr:
    """Position of the highest one bit, -1 for 0 (frexp of the exact double gives it)."""
    return (np.frexp(a.astype(np.float64))[1] - 1).astype(np.int32) * (a != 0) - (a == 0)


def _lsb(a: Arr) -> Arr:
    return _msb(a & (~a + np.uint32(1)))


def _bit_count(a: Arr) -> Arr:
    a = a - ((a >> np.uint32(1)) & np.uint32(0x55555555))
    a = (a & np.uint32(0x33333333)) + ((a >> np.uint32(2)) & np.uint32(0x33333333))
    a = (a + (a >> np.uint32(4))) & np.uint32(0x0F0F0F0F)
    return ((a * np.uint32(0x01010101)) >> np.uint32(24)).astype(np.int32)


def _reverse(a: Arr) -> Arr:
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        s, m = np.uint32(shift), np.uint32(mask)
        a = ((a >> s) & m) | ((a & m) << s)
    return (a >> np.uint32(16)) | (a << np.uint32(16))


def _field_mask(offset: Arr, bits: Arr) -> Arr:
    """Ones at [offset, offset + bits), as 64-bit numbers; offset and bits are taken modulo 64."""
    o, n = (offset & 63).astype(np.uint64), (bits & 63).astype(np.uint64)
    return ((np.uint64(1) << n) - np.uint64(1)) << o


def _bitfield_insert(base: Arr, insert: Arr, offset: Arr, bits: Arr) -> Arr:
    mask = _field_mask(offset, bits).astype(np.uint32)
    moved = (insert.astype(np.uint64) << (offset & 63).astype(np.uint64)).astype(np.uint32)
    return (base & ~mask) | (moved & mask)


def _ubitfield_extract(base: Arr, offset: Arr, bits: Arr) -> Arr:
    moved = base.astype(np.uint64) >> (offset & 63).astype(np.uint64)
    return (moved & _field_mask(offset * 0, bits)).astype(np.uint32)


def _ibitfield_extract(base: Arr, offset: Arr, bits: Arr) -> Arr:
    n = np.clip(bits.astype(np.int64), 0, 32)
    moved = base.astype(np.int64) >> (offset & 63).astype(np.int64)
    return np.where(n == 0, 0, (moved << (64 - n) % 64) >> (64 - n) % 64).astype(np.int32)


def _pack(width: int, low: float, scale: float) -> Callable[[Arr], Arr]:
    count, mask = 32 // width, np_mask(width)

    def pack(a: Arr) -> Arr:
        # 0 * clamped NaN: fmax and fmin give the number, so NaN packs as the low bound.
        unit = np.fmin(np.fmax(a, np.float32(low)), np.float32(1))
        q = np.rint(unit * np.float32(scale)).astype(np.int64)
        total = sum((q[i] & mask) << (width * i) for i in range(count))
        return np.asarray(total).astype(np.uint32)[None]

    return pack


def np_mask(width: int) -> int:
    """`width` one bits."""
    return (1 << width) - 1


def _unpack_u(width: int) -> Callable[[Arr], Arr]:
    def unpack(a: Arr) -> Arr:
        mask = np.uint32(np_mask(width))
        parts = [(a[0] >> np.uint32(width * i)) & mask for i in range(32 // width)]
        return np.stack(parts).astype(np.float32) / np.float32(np_mask(width))

    return unpack


def _unpack_s(width: int) -> Callable[[Arr], Arr]:
    def unpack(a: Arr) -> Arr:
        left = [(a[0] << np.uint32(32 - width * (i + 1))) for i in range(32 // width)]
        q = np.stack(left).astype(np.uint32).view(np.int32) >> np.int32(32 - width)
        f = q.astype(np.float32) / np.float32(np_mask(width - 1))
        return np.fmax(f, np.float32(-1))

    return unpack


def _pack_half(a: Arr) -> Arr:
    h = a.astype(np.float16).view(np.uint16).astype(np.uint32)
    return (h[0] | (h[1] << np.uint32(16)))[None]


def _unpack_half(a: Arr) -> Arr:
    h = np.stack([a[0] & np.uint32(0xFFFF), a[0] >> np.uint32(16)])
    return h.astype(np.uint16).view(np.float16).astype(np.float32)


def _quad(picks: list[int], minus: list[int]) -> Callable[[Arr], Arr]:
    """Differences inside quads: lanes 4k..4k+3 are top-left, top-right, bottom-left, bottom-right.

    A last quad that is not whole is filled up with its last lane.
    """

    def diff(a: Arr) -> Arr:
        lanes = a.shape[-1]
        q = np.pad(a, ((0, 0), (0, -lanes % 4)), mode="edge").reshape(a.shape[0], -1, 4)
        return (q[..., picks] - q[..., minus]).reshape(a.shape[0], -1)[:, :lanes]

    return diff


# fmt: off
# ---- float arithmetic -------------------------------------------------------------------------
_op("fadd", "float", "float float", lambda a, b: a + b, comm=True)
_op("fsub", "float", "float float", lambda a, b: a - b,
    lower=lambda b, x, y: b.fadd(x, b.fneg(y)))
_op("fmul", "float", "float float", mul, comm=True)
_op("fdiv", "float", "float float", div,
    rule="correctly rounded; x/0 is inf with the sign of both, 0/0 NaN")
_op("fneg", "float", "float", lambda a: _float(_bits(a) ^ np.uint32(1 << 31)), bits=True,
    rule="flips the sign bit, of NaN too")
_op("fabs", "float", "float", lambda a: _float(_bits(a) & np.uint32((1 << 31) - 1)),
    bits=True, rule="clears the sign bit, of NaN too")
_op("fsat", "float", "float", _sat, rule="clamp to [0, 1]; NaN and -0 give +0",
    lower=lambda b, x: b.fmin(b.fmax(x, 0.0), 1.0))
_op("fsign", "float", "float",
    lambda a: (a > 0).astype(np.float32) - (a < 0).astype(np.float32),
    rule="-1, +0 or 1; NaN and both zeros give +0",
    lower=lambda b, x: b.fsub(b.b2f(b.flt(0.0, x)), b.b2f(b.flt(x, 0.0))))
_op("frcp", "float", "float", lambda a: div(np.ones_like(a), a),
    rule="correctly rounded 1/x, never an approximation", lower=lambda b, x: b.fdiv(1.0, x))
_op("frsq", "float", "float", _via64(lambda a: 1.0 / np.sqrt(a)), ulp=1,
    rule="1/sqrt(x) with at most two roundings; 0 gives inf, negative NaN",
    lower=lambda b, x: b.frcp(b.fsqrt(x)))
_op("fsqrt", "float", "float", lambda a: np.sqrt(a), rule="correctly rounded; negative gives NaN")
_op("fexp2", "float", "float", _via64(lambda a: np.exp2(a)), ulp=2)
_op("flog2", "float", "float", _via64(lambda a: np.log2(a)), ulp=3,
    rule="0 gives -inf, negative NaN")
_op("fpow", "float", "float float",
    _via64(lambda a, b: np.where((a < 0) | np.isnan(b), np.nan, np.power(np.abs(a), b))), ulp=4,
    ulp_more=lambda a, b: 3 * np.abs(b * np.log2(a)),
    rule="x^y; negative x and NaN for y give NaN, x^0 is 1 for every x >= 0 (GL 2.1, 2.14.1 needs"
    " 0^0 = 1); the bound is below that of GLSL 4.60, 4.7.1, where pow is exp2(y * log2(x))")
_op("fsin", "float", "float", _via64(lambda a: np.sin(a)), ulp=4,
    ulp_more=lambda a: _ulps_of_angle(a, np.sin(a)),
    rule="an error of |x| 2^-35 besides; that holds for |x| <= 32768; beyond, any value in [-1, 1];"
    " inf gives NaN; GLSL has no bound, and GLSL ES' tests ask for 2^-12 |x|")
_op("fcos", "float", "float", _via64(lambda a: np.cos(a)), ulp=4,
    ulp_more=lambda a: _ulps_of_angle(a, np.cos(a)), rule="as fsin")
_op("ffloor", "float", "float", lambda a: np.floor(a))
_op("fceil", "float", "float", lambda a: np.ceil(a))
_op("ftrunc", "float", "float", lambda a: np.trunc(a))
_op("fround_even", "float", "float", lambda a: np.rint(a), rule="halves go to the even integer")
_op("ffract", "float", "float", lambda a: a - np.floor(a), rule="x - floor(x); may round up to 1",
    lower=lambda b, x: b.fsub(x, b.ffloor(x)))
_op("fmin", "float", "float float", lambda a, b: np.fmin(a, b), comm=True, assoc=True,
    rule="NaN and a number give the number; of -0 and +0 either")
_op("fmax", "float", "float float", lambda a, b: np.fmax(a, b), comm=True, assoc=True,
    rule="as fmin")
_op("fmod", "float", "float float", lambda a, b: add(a, -mul(b, np.floor(div(a, b)))),
    rule="GLSL mod: x - y*floor(x/y), in single precision, not fused",
    lower=lambda b, x, y: b.fsub(x, b.fmul(y, b.ffloor(b.fdiv(x, y)))))
_op("ffma", "float", "float float float", _fma, rule="x*y + z with one rounding")
_op("flrp", "float", "float float float",
    lambda a, b, t: add(mul(a, np.ones_like(t) - t), mul(b, t)),
    rule="x*(1-t) + y*t, not fused",
    lower=lambda b, x, y, t: b.fadd(b.fmul(x, b.fsub(1.0, t)), b.fmul(y, t)))
for _n in (2, 3, 4):
    _op(f"fdot{_n}", "float1", f"float{_n} float{_n}", _dot(_n), comm=True, lower=_dot_lower(_n),
        rule="products added from left to right, not fused")

# ---- derivatives ------------------------------------------------------------------------------
_DX, _DY = ([1, 1, 1, 1], [0, 0, 0, 0]), ([2, 2, 2, 2], [0, 0, 0, 0])
_OWN_DX, _OWN_DY = ([1, 1, 3, 3], [0, 0, 2, 2]), ([2, 3, 2, 3], [0, 1, 0, 1])
_op("fddx", "float", "float", _quad(*_OWN_DX), cross_lane=True, rule="as fddx_fine, as llvmpipe's")
_op("fddy", "float", "float", _quad(*_OWN_DY), cross_lane=True, rule="as fddy_fine, as llvmpipe's")
_op("fddx_coarse", "float", "float", _quad(*_DX), cross_lane=True,
    rule="top-right minus top-left, for the whole quad")
_op("fddy_coarse", "float", "float", _quad(*_DY), cross_lane=True,
    rule="bottom-left minus top-left, for the whole quad; y grows from top to bottom lane")
_op("fddx_fine", "float", "float", _quad(*_OWN_DX), cross_lane=True,
    rule="right minus left of the lane's own row")
_op("fddy_fine", "float", "float", _quad(*_OWN_DY), cross_lane=True,
    rule="bottom minus top of the lane's own column")

# ---- comparisons: 1-bit results ---------------------------------------------------------------
_op("feq", "bool", "float float", lambda a, b: a == b, comm=True, rule="false with NaN")
_op("fneu", "bool", "float float", lambda a, b: a != b, comm=True, rule="true with NaN")
_op("flt", "bool", "float float", lambda a, b: a < b, rule="false with NaN")
_op("fge", "bool", "float float", lambda a, b: a >= b, rule="false with NaN")
_op("ieq", "bool", "any any", lambda a, b: a == b, comm=True, rule="bits, of bools too")
_op("ine", "bool", "any any", lambda a, b: a != b, comm=True, rule="bits, of bools too")
_op("ilt", "bool", "int int", lambda a, b: a < b)
_op("ige", "bool", "int int", lambda a, b: a >= b)
_op("ult", "bool", "uint uint", lambda a, b: a < b)
_op("uge", "bool", "uint uint", lambda a, b: a >= b)

# ---- integer arithmetic -----------------------------------------------------------------------
_op("iadd", "int", "int int", lambda a, b: a + b, comm=True, assoc=True)
_op("isub", "int", "int int", lambda a, b: a - b, lower=lambda b, x, y: b.iadd(x, b.ineg(y)))
_op("imul", "int", "int int", lambda a, b: a * b, comm=True, assoc=True)
_op("imul_high", "int", "int int",
    lambda a, b: (a.astype(np.int64) * b >> np.int64(32)).astype(np.int32), comm=True,
    rule="upper half of the 64-bit product")
_op("umul_high", "uint", "uint uint",
    lambda a, b: (a.astype(np.uint64) * b >> np.uint64(32)).astype(np.uint32), comm=True)
_op("idiv", "int", "int int", _idiv, rule="towards zero; x/0 is 0, INT_MIN/-1 is INT_MIN")
_op("irem", "int", "int int", _irem, rule="sign of the dividend; x rem 0 is 0",
    lower=lambda b, x, y: b.bcsel(b.ieq(y, 0), 0, b.isub(x, b.imul(y, b.idiv(x, y)))))
_op("imod", "int", "int int", _imod, rule="sign of the divisor; x mod 0 is 0")
_op("udiv", "uint", "uint uint", _udiv, rule="x/0 is 0")
_op("umod", "uint", "uint uint", _umod, rule="x mod 0 is 0")
_op("ineg", "int", "int", lambda a: -a, rule="INT_MIN stays")
_op("iabs", "int", "int", lambda a: np.abs(a), rule="INT_MIN stays",
    lower=lambda b, x: b.imax(x, b.ineg(x)))
_op("isign", "int", "int", lambda a: np.sign(a), lower=lambda b, x: b.imin(b.imax(x, -1), 1))
_op("imin", "int", "int int", lambda a, b: np.minimum(a, b), comm=True, assoc=True)
_op("imax", "int", "int int", lambda a, b: np.maximum(a, b), comm=True, assoc=True)
_op("umin", "uint", "uint uint", lambda a, b: np.minimum(a, b), comm=True, assoc=True)
_op("umax", "uint", "uint uint", lambda a, b: np.maximum(a, b), comm=True, assoc=True)
_op("uadd_carry", "uint", "uint uint", lambda a, b: ((a + b) < a).astype(np.uint32), comm=True,
    rule="1 where the sum wraps, else 0", lower=lambda b, x, y: b.b2i(b.ult(b.iadd(x, y), x)))
_op("usub_borrow", "uint", "uint uint", lambda a, b: (a < b).astype(np.uint32),
    rule="1 where the difference wraps, else 0", lower=lambda b, x, y: b.b2i(b.ult(x, y)))

# ---- bits; `any` where bools are welcome too ---------------------------------------------------
_op("iand", "any", "any any", lambda a, b: a & b, comm=True, assoc=True)
_op("ior", "any", "any any", lambda a, b: a | b, comm=True, assoc=True)
_op("ixor", "any", "any any", lambda a, b: a ^ b, comm=True, assoc=True)
_op("inot", "any", "any", lambda a: ~a)
_op("ishl", "int", "int uint", lambda a, b: a << _shift_count(b).view(np.int32),
    rule="shift counts are taken modulo 32, here and below")
_op("ishr", "int", "int uint", lambda a, b: a >> _shift_count(b).view(np.int32),
    rule="copies the sign bit")
_op("ushr", "uint", "uint uint", lambda a, b: a >> _shift_count(b))
_op("bit_count", "int", "uint", _bit_count)
_op("bitfield_reverse", "uint", "uint", _reverse)
_op("ufind_msb", "int", "uint", _msb, rule="highest one bit; -1 for 0")
_op("ifind_msb", "int", "int", lambda a: _msb(np.where(a < 0, ~a, a).view(np.uint32)),
    rule="highest bit that differs from the sign; -1 for 0 and -1")
_op("find_lsb", "int", "uint", _lsb, rule="lowest one bit; -1 for 0")
_op("bitfield_insert", "uint", "uint uint int int", _bitfield_insert,
    rule="(base, insert, offset, bits); 0 <= offset, bits and offset+bits <= 32, else undefined")
_op("ubitfield_extract", "uint", "uint int int", _ubitfield_extract, rule="0 bits give 0")
_op("ibitfield_extract", "int", "int int int", _ibitfield_extract, rule="0 bits give 0")

# ---- selection, moves, conversions ------------------------------------------------------------
_op("mov", "any", "any", lambda a: a)
_op("bcsel", "any", "bool any any", lambda c, a, b: np.where(c, a, b), rule="c ? x : y, bits")
for _n in (2, 3, 4):
    _op(f"vec{_n}", f"any{_n}", " ".join(["any1"] * _n), lambda *parts: np.concatenate(parts))
_op("b2f", "float", "bool", lambda a: a.astype(np.float32), rule="0.0 or 1.0")
_op("b2i", "int", "bool", lambda a: a.astype(np.int32), rule="0 or 1")
_op("f2b", "bool", "float", lambda a: a != 0, rule="NaN is true",
    lower=lambda b, x: b.fneu(x, 0.0))
_op("i2b", "bool", "int", lambda a: a != 0, lower=lambda b, x: b.ine(x, 0))
_op("f2i", "int", "float", _f2i, rule="towards zero, saturating; NaN gives 0")
_op("f2u", "uint", "float", _f2u, rule="towards zero, saturating; NaN and negative give 0")
_op("i2f", "float", "int", lambda a: a.astype(np.float32), rule="to nearest even")
_op("u2f", "float", "uint", lambda a: a.astype(np.float32), rule="to nearest even")

# ---- packing; component 0 in the low bits -----------------------------------------------------
_op("pack_unorm_4x8", "uint1", "float4", _pack(8, 0.0, 255.0),
    rule="round_even(clamp(x, 0, 1) * 255); NaN packs as 0")
_op("pack_snorm_4x8", "uint1", "float4", _pack(8, -1.0, 127.0),
    rule="round_even(clamp(x, -1, 1) * 127); NaN packs as -1")
_op("pack_unorm_2x16", "uint1", "float2", _pack(16, 0.0, 65535.0), rule="as 4x8, * 65535")
_op("pack_snorm_2x16", "uint1", "float2", _pack(16, -1.0, 32767.0), rule="as 4x8, * 32767")
_op("pack_half_2x16", "uint1", "float2", _pack_half, rule="to nearest even, overflow to inf")
_op("unpack_unorm_4x8", "float4", "uint1", _unpack_u(8), rule="u / 255, correctly rounded")
_op("unpack_snorm_4x8", "float4", "uint1", _unpack_s(8), rule="max(s / 127, -1)")
_op("unpack_unorm_2x16", "float2", "uint1", _unpack_u(16), rule="u / 65535")
_op("unpack_snorm_2x16", "float2", "uint1", _unpack_s(16), rule="max(s / 32767, -1)")
_op("unpack_half_2x16", "float2", "uint1", _unpack_half)
# fmt: on
add_rows(OPCODES, _op)
