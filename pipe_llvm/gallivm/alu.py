# SPDX-License-Identifier: MIT
"""TABLE: nir opcode -> kernel code, one row each; the names are those of pydri/nir/opcodes.py.

In: operands of the types that the row states (all scalars or all vectors of 16 lanes).
Out: the result. `EMIT` works component by component; the rows of `EMIT_VECTOR` take and give lists
of components. What an opcode means is said once, by the numpy code of its nir row; tests run both.
Nothing here may depend on the vector width or the CPU: no approximations, no contraction, NaN rules
written out. Counterpart of Mesa's lp_bld_nir.c (do_alu_action) and lp_bld_arit.c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pipe_llvm.gallivm.alu_wide import WIDE, WIDE_VECTOR
from pydri.jit import mathlib
from pydri.jit.types import Scalar, Type, Vec, f16, f32, i32, i64, u16, u32, u64
from pydri.nir.opcodes_wide import SAME

if TYPE_CHECKING:
    from pydri.jit import Builder, Value

EMIT: dict[str, Callable[..., Value]] = {}
EMIT_VECTOR: dict[str, Callable[..., list[Value]]] = {}


def like(x: Value, elem: Scalar) -> Type:
    """The type with `elem` in each lane of x."""
    return elem.vec(x.ty.lanes) if isinstance(x.ty, Vec) else elem


# ---- float ------------------------------------------------------------------------------------
def fmin_ordered(b: Builder, x: Value, y: Value) -> Value:
    """fmin where y is known to be a number: one instruction."""
    return b.min(x, y)


def fmax_ordered(b: Builder, x: Value, y: Value) -> Value:
    """fmax where y is known to be a number: one instruction."""
    return b.max(x, y)


def _chosen(b: Builder, x: Value) -> Value:
    """A result of b.min or b.max, of which LLVM makes the instruction, which makes zeros of
    denormals, or a choice of bits, which does not, where whole numbers come in and go out. So it
    is with doubles, halves that were put together; of singles nir_soa sees to it."""
    return b.canonical(x) if x.elem.bits == 64 else x


def _fmin(b: Builder, x: Value, y: Value) -> Value:
    return _chosen(b, b.min(x, b.select(y != y, x, y)))


def _fmax(b: Builder, x: Value, y: Value) -> Value:
    return _chosen(b, b.max(x, b.select(y != y, x, y)))


def fsat(b: Builder, x: Value) -> Value:
    """Clamp to [0, 1]; NaN and -0 give +0."""
    return _chosen(b, b.clamp(x, 0.0, 1.0))


def _fsign(b: Builder, x: Value) -> Value:
    one, zero = b.const(x.ty, 1.0), b.const(x.ty, 0.0)
    return b.select(x > 0.0, one, b.select(x < 0.0, b.const(x.ty, -1.0), zero))


def _fdot(b: Builder, x: list[Value], y: list[Value]) -> list[Value]:
    total = x[0] * y[0]
    for p, q in zip(x[1:], y[1:], strict=True):
        total = total + p * q
    return [total]


EMIT.update(
    fadd=lambda b, x, y: x + y,
    fsub=lambda b, x, y: x - y,
    fmul=lambda b, x, y: x * y,
    fdiv=lambda b, x, y: x / y,
    fneg=lambda b, x: -x,
    fabs=lambda b, x: b.abs(x),
    fsat=fsat,
    fsign=_fsign,
    frcp=lambda b, x: 1.0 / x,
    frsq=lambda b, x: 1.0 / b.sqrt(x),
    fsqrt=lambda b, x: b.sqrt(x),
    fexp2=mathlib.quick_exp2,
    flog2=mathlib.quick_log2,
    fpow=mathlib.quick_powr,
    fsin=mathlib.quick_sin,
    fcos=mathlib.quick_cos,
    ffloor=lambda b, x: b.floor(x),
    fceil=lambda b, x: b.ceil(x),
    ftrunc=lambda b, x: b.trunc(x),
    fround_even=lambda b, x: b.round_even(x),
    ffract=lambda b, x: x - b.floor(x),
    fmin=_fmin,
    fmax=_fmax,
    fmod=lambda b, x, y: x - y * b.floor(x / y),
    ffma=lambda b, x, y, z: b.fma(x, y, z),
    flrp=lambda b, x, y, t: x * (1.0 - t) + y * t,
    feq=lambda b, x, y: x == y,
    fneu=lambda b, x, y: x != y,
    flt=lambda b, x, y: x < y,
    fge=lambda b, x, y: x >= y,
)
EMIT_VECTOR.update(fdot2=_fdot, fdot3=_fdot, fdot4=_fdot)


# ---- integers ---------------------------------------------------------------------------------
def _high_product(wide: Scalar, narrow: Scalar) -> Callable[..., Value]:
    def emit(b: Builder, x: Value, y: Value) -> Value:
        product = b.cast(x, wide) * b.cast(y, wide)
        return b.cast(product >> 32, like(x, narrow))

    return emit


def _safe_divisor(b: Builder, x: Value, y: Value) -> Value:
    """1 where the machine's signed division would trap; both results then come out as defined."""
    least = -1 << (x.elem.bits - 1)
    return b.select((y == 0) | ((x == least) & (y == -1)), 1, y)


def _idiv(b: Builder, x: Value, y: Value) -> Value:
    return b.select(y == 0, 0, x // _safe_divisor(b, x, y))


def _irem(b: Builder, x: Value, y: Value) -> Value:
    return x % _safe_divisor(b, x, y)


def _imod(b: Builder, x: Value, y: Value) -> Value:
    rest = _irem(b, x, y)
    return b.select((rest != 0) & ((rest ^ y) < 0), rest + y, rest)


def _udiv(b: Builder, x: Value, y: Value) -> Value:
    return b.select(y == 0, 0, x // b.select(y == 0, 1, y))


def _umod(b: Builder, x: Value, y: Value) -> Value:
    return x % b.select(y == 0, 1, y)


EMIT.update(
    ilt=lambda b, x, y: x < y,
    ige=lambda b, x, y: x >= y,
    ult=lambda b, x, y: x < y,
    uge=lambda b, x, y: x >= y,
    ieq=lambda b, x, y: x == y,
    ine=lambda b, x, y: x != y,
    iadd=lambda b, x, y: x + y,
    isub=lambda b, x, y: x - y,
    imul=lambda b, x, y: x * y,
    imul_high=_high_product(i64, i32),
    umul_high=_high_product(u64, u32),
    idiv=_idiv,
    irem=_irem,
    imod=_imod,
    udiv=_udiv,
    umod=_umod,
    ineg=lambda b, x: -x,
    iabs=lambda b, x: b.abs(x),
    isign=lambda b, x: b.min(b.max(x, -1), 1),
    imin=lambda b, x, y: b.min(x, y),
    imax=lambda b, x, y: b.max(x, y),
    umin=lambda b, x, y: b.min(x, y),
    umax=lambda b, x, y: b.max(x, y),
    uadd_carry=lambda b, x, y: b.cast(x + y < x, u32),
    usub_borrow=lambda b, x, y: b.cast(x < y, u32),
)


# ---- bits -------------------------------------------------------------------------------------
def _bitfield_reverse(b: Builder, x: Value) -> Value:
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F)):
        x = ((x >> shift) & mask) | ((x & mask) << shift)
    return b.bswap(x)


def _msb(b: Builder, x: Value) -> Value:
    return 31 - b.bitcast(b.clz(x), i32)


def _find_lsb(b: Builder, x: Value) -> Value:
    return b.select(x == 0, -1, b.bitcast(b.ctz(x), i32))


def _ones(b: Builder, bits: Value) -> Value:
    """The lowest `bits` (0..63) bits, in 64-bit arithmetic."""
    count = b.cast(b.bitcast(bits & 63, u32), u64)
    return (b.const(count.ty, 1) << count) - 1


def _bitfield_insert(b: Builder, base: Value, insert: Value, offset: Value, bits: Value) -> Value:
    at = b.cast(b.bitcast(offset & 63, u32), u64)
    mask = b.cast(_ones(b, bits) << at, u32)
    moved = b.cast(b.cast(insert, u64) << at, u32)
    return (base & ~mask) | (moved & mask)


def _ubitfield_extract(b: Builder, base: Value, offset: Value, bits: Value) -> Value:
    at = b.cast(b.bitcast(offset & 63, u32), u64)
    return b.cast((b.cast(base, u64) >> at) & _ones(b, bits), u32)


def _ibitfield_extract(b: Builder, base: Value, offset: Value, bits: Value) -> Value:
    count = b.cast(b.min(b.max(bits, 0), 32), i64)
    moved = b.cast(base, i64) >> b.cast(offset & 63, i64)
    spare = (64 - count) & 63
    field = (moved << spare) >> spare
    return b.cast(b.select(count == 0, 0, field), i32)


EMIT.update(
    iand=lambda b, x, y: x & y,
    ior=lambda b, x, y: x | y,
    ixor=lambda b, x, y: x ^ y,
    inot=lambda b, x: ~x,
    ishl=lambda b, x, y: x << b.bitcast(y & 31, i32),
    ishr=lambda b, x, y: x >> b.bitcast(y & 31, i32),
    ushr=lambda b, x, y: x >> (y & 31),
    bit_count=lambda b, x: b.bitcast(b.popcount(x), i32),
    bitfield_reverse=_bitfield_reverse,
    ufind_msb=_msb,
    ifind_msb=lambda b, x: _msb(b, b.bitcast(x ^ (x >> 31), u32)),
    find_lsb=_find_lsb,
    bitfield_insert=_bitfield_insert,
    ubitfield_extract=_ubitfield_extract,
    ibitfield_extract=_ibitfield_extract,
)

# ---- selection and conversion -----------------------------------------------------------------
EMIT.update(
    mov=lambda b, x: x,
    bcsel=lambda b, c, x, y: b.select(c, x, y),
    b2f=lambda b, x: b.select(x, b.const(like(x, f32), 1.0), b.const(like(x, f32), 0.0)),
    b2i=lambda b, x: b.cast(b.cast(x, u32), i32),
    f2b=lambda b, x: x != 0.0,
    i2b=lambda b, x: x != 0,
    f2i=lambda b, x: b.cast(x, i32),
    f2u=lambda b, x: b.cast(x, u32),
    i2f=lambda b, x: b.cast(x, f32),
    u2f=lambda b, x: b.cast(x, f32),
)
for _n in (2, 3, 4):
    EMIT_VECTOR[f"vec{_n}"] = lambda b, *parts: [part[0] for part in parts]


# ---- packing ----------------------------------------------------------------------------------
def _pack(width: int, low: float, scale: float) -> Callable[..., list[Value]]:
    def emit(b: Builder, parts: list[Value]) -> list[Value]:
        total = None
        for i, x in enumerate(parts):
            unit = b.min(b.max(x, low), 1.0)
            q = b.bitcast(b.cast_fast(b.round_even(unit * scale), i32), u32)
            q = (q & ((1 << width) - 1)) << (width * i)
            total = q if total is None else total | q
        assert total is not None, "a packing takes components"
        return [total]

    return emit


def _unpack(width: int, signed: bool) -> Callable[..., list[Value]]:
    def emit(b: Builder, parts: list[Value]) -> list[Value]:
        out = []
        for i in range(32 // width):
            left = parts[0] << (32 - width * (i + 1))
            if signed:
                q = b.bitcast(left, i32) >> (32 - width)
                out.append(b.max(b.cast(q, f32) / float((1 << (width - 1)) - 1), -1.0))
            else:
                q = b.bitcast(left >> (32 - width), i32)
                out.append(b.cast(q, f32) / float((1 << width) - 1))
        return out

    return emit


def _pack_half(b: Builder, parts: list[Value]) -> list[Value]:
    low, high = (b.cast(b.bitcast(b.cast(x, f16), u16), u32) for x in parts)
    return [low | (high << 16)]


def _unpack_half(b: Builder, parts: list[Value]) -> list[Value]:
    words = [b.cast(parts[0], u16), b.cast(parts[0] >> 16, u16)]
    return [b.cast(b.bitcast(w, f16), f32) for w in words]


EMIT_VECTOR.update(
    pack_unorm_4x8=_pack(8, 0.0, 255.0),
    pack_snorm_4x8=_pack(8, -1.0, 127.0),
    pack_unorm_2x16=_pack(16, 0.0, 65535.0),
    pack_snorm_2x16=_pack(16, -1.0, 32767.0),
    pack_half_2x16=_pack_half,
    unpack_unorm_4x8=_unpack(8, False),
    unpack_snorm_4x8=_unpack(8, True),
    unpack_unorm_2x16=_unpack(16, False),
    unpack_snorm_2x16=_unpack(16, True),
    unpack_half_2x16=_unpack_half,
)

# ---- derivatives: (right or lower lane, left or upper lane) of each lane's quad ------------------
#: opcode -> ((dx, dy) of the lane that counts, (dx, dy) of the lane subtracted); None = own
DERIVATIVES: dict[str, tuple[tuple[int | None, int | None], tuple[int | None, int | None]]] = {
    "fddx": ((1, None), (0, None)),
    "fddy": ((None, 1), (None, 0)),
    "fddx_coarse": ((1, 0), (0, 0)),
    "fddy_coarse": ((0, 1), (0, 0)),
    "fddx_fine": ((1, None), (0, None)),
    "fddy_fine": ((None, 1), (None, 0)),
}

# ---- 64 bits ----------------------------------------------------------------------------------
#: rows that are the same code in both widths, though numpy's of 64 bits is its own
_SAME_CODE = (
    "fneg", "fabs", "fsat", "fsign", "frcp", "frsq", "ffma", "idiv", "irem", "imod",
)  # fmt: skip
EMIT.update(WIDE, **{f"{name}64": EMIT[name] for name in (*SAME, *_SAME_CODE)})
EMIT_VECTOR.update(WIDE_VECTOR)
