# SPDX-License-Identifier: MIT
"""The two ALUs of ../alu.py on sixteen lanes of 32-bit words: operations, packs, unpacks, flags."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from pipe_vc4.qpu.fields import QPU_A, QPU_M
from pipe_vc4.simulator.kernels.lanes import U, as_floats, as_words
from pydri.jit.types import f16, f32, i16, i32, u8, u16, u32

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value

    Operation = Callable[[Builder, Value, Value], Value]

_BYTES: Final = u8.vec(64)


def _floats(f: Callable[[Builder, Value, Value], Value]) -> Operation:
    return lambda b, a, c: as_words(b, f(b, as_floats(b, a), as_floats(b, c)))


def _signed(f: Callable[[Builder, Value, Value], Value]) -> Operation:
    return lambda b, a, c: b.bitcast(f(b, b.bitcast(a, i32), b.bitcast(c, i32)), u32)


def _fmin(b: Builder, a: Value, c: Value) -> Value:
    """The lesser; of a number and no number the number; of equal ones the second."""
    return b.select(c != c, a, b.select(a < c, a, c))


def _fmax(b: Builder, a: Value, c: Value) -> Value:
    return b.select(c != c, a, b.select(a > c, a, c))


def _ftoi(b: Builder, a: Value, _: Value) -> Value:
    return b.bitcast(b.cast(as_floats(b, a), i32), u32)


def _itof(b: Builder, a: Value, _: Value) -> Value:
    return b.bitcast(b.cast(b.bitcast(a, i32), f32), u32)


def _ror(b: Builder, a: Value, c: Value) -> Value:
    by = c & 31
    return (a >> by) | (a << ((32 - by) & 31))


def _v8(name: str) -> Operation:
    """An operation on the four bytes of each lane that LLVM has."""
    def bytewise(b: Builder, a: Value, c: Value) -> Value:
        args = b.bitcast(a, _BYTES), b.bitcast(c, _BYTES)
        return b.bitcast(b.intrinsic(f"llvm.{name}.v64i8", _BYTES, *args), U)
    return bytewise


def _v8muld(b: Builder, a: Value, c: Value) -> Value:
    wide = [b.cast(b.bitcast(x, _BYTES), u16) for x in (a, c)]
    return b.bitcast(b.cast((wide[0] * wide[1] + 127) // 255, u8), U)


def _mul24(b: Builder, a: Value, c: Value) -> Value:
    return (a & 0xFFFFFF) * (c & 0xFFFFFF)


ADD_OPS: Final[dict[int, Operation]] = {
    QPU_A.FADD: _floats(lambda b, a, c: a + c), QPU_A.FSUB: _floats(lambda b, a, c: a - c),
    QPU_A.FMIN: _floats(_fmin), QPU_A.FMAX: _floats(_fmax),
    QPU_A.FMINABS: _floats(lambda b, a, c: _fmin(b, b.abs(a), b.abs(c))),
    QPU_A.FMAXABS: _floats(lambda b, a, c: _fmax(b, b.abs(a), b.abs(c))),
    QPU_A.FTOI: _ftoi, QPU_A.ITOF: _itof,
    QPU_A.ADD: lambda b, a, c: a + c, QPU_A.SUB: lambda b, a, c: a - c,
    QPU_A.SHR: lambda b, a, c: a >> (c & 31),
    QPU_A.ASR: _signed(lambda b, a, c: a >> (c & 31)),
    QPU_A.ROR: _ror,
    QPU_A.SHL: lambda b, a, c: a << (c & 31),
    QPU_A.MIN: _signed(lambda b, a, c: b.min(a, c)),
    QPU_A.MAX: _signed(lambda b, a, c: b.max(a, c)),
    QPU_A.AND: lambda b, a, c: a & c, QPU_A.OR: lambda b, a, c: a | c,
    QPU_A.XOR: lambda b, a, c: a ^ c, QPU_A.NOT: lambda b, a, c: ~a,
    QPU_A.CLZ: lambda b, a, c: b.clz(a),
    QPU_A.V8ADDS: _v8("uadd.sat"), QPU_A.V8SUBS: _v8("usub.sat")}
MUL_OPS: Final[dict[int, Operation]] = {
    QPU_M.FMUL: _floats(lambda b, a, c: a * c), QPU_M.MUL24: _mul24, QPU_M.V8MULD: _v8muld,
    QPU_M.V8MIN: _v8("umin"), QPU_M.V8MAX: _v8("umax"), QPU_M.V8ADDS: _v8("uadd.sat"),
    QPU_M.V8SUBS: _v8("usub.sat")}


def saturated(b: Builder, op: int, a: Value, c: Value) -> Value | None:
    """The add pipe's sum or difference held within signed 32 bits; None of other operations."""
    name = {QPU_A.ADD: "sadd", QPU_A.SUB: "ssub"}.get(QPU_A(op))
    if name is None:
        return None
    return b.intrinsic(f"llvm.{name}.sat.v16i32", U, a, c)


def carry(b: Builder, op: int, a: Value, c: Value, result: Value) -> Value | None:
    """In which lanes the add pipe's C flag is set; None: in none."""
    if op == QPU_A.ADD:
        return result < a
    if op == QPU_A.SUB:
        return a < c
    if op in (QPU_A.MIN, QPU_A.MAX):
        return b.bitcast(a, i32) > b.bitcast(c, i32)
    if op in (QPU_A.FMIN, QPU_A.FMAX):
        return as_floats(b, a) > as_floats(b, c)
    if op in (QPU_A.FMINABS, QPU_A.FMAXABS):
        return b.abs(as_floats(b, a)) > b.abs(as_floats(b, c))
    by = c & 31
    if op in (QPU_A.SHR, QPU_A.ASR):
        return (by > 0) & (((a >> ((by - 1) & 31)) & 1) == 1)
    if op == QPU_A.SHL:
        return (by > 0) & (((a >> ((32 - by) & 31)) & 1) == 1)
    return None


def unpack(b: Builder, words: Value, code: int, floats: bool) -> Value:
    """Part `code` (QPU_UNPACK_) of a register, for an operation of floats or of integers."""
    if code in (1, 2):
        half = b.cast(words >> 16 * (code - 1), u16)
        if floats:
            return as_words(b, b.cast(b.bitcast(half, f16), f32))
        return b.bitcast(b.cast(b.bitcast(half, i16), i32), u32)
    if code == 3:
        return (words >> 24) * 0x01010101
    byte = (words >> 8 * (code - 4)) & 255
    return b.bitcast(b.cast(b.bitcast(byte, i32), f32) / 255.0, u32) if floats else byte


def _half(b: Builder, result: Value, floats: bool, saturate: bool) -> Value:
    if floats:
        return b.cast(b.bitcast(b.cast(as_floats(b, result), f16), u16), u32)
    if saturate:
        result = b.bitcast(b.clamp(b.bitcast(result, i32), -32768, 32767), u32)
    return result & 0xFFFF


def pack_a(b: Builder, old: Value, result: Value, code: int, floats: bool) -> Value:
    """What file A holds after `result` is packed into `old` by `code` (QPU_PACK_A)."""
    saturate, where = code >= 8, code & 7
    if where == 0:
        return result
    if where in (1, 2):
        shift = 16 * (where - 1)
        kept = old & (0xFFFFFFFF & ~(0xFFFF << shift))
        return kept | (_half(b, result, floats, saturate) << shift)
    byte = b.bitcast(b.clamp(b.bitcast(result, i32), 0, 255), u32) if saturate else result & 255
    return _byte(old, byte, where)


def has_pack_mul(code: int) -> bool:
    """Whether the multiply pipe has a pack."""
    return code == 3 or 4 <= code <= 7


def pack_mul(b: Builder, old: Value, result: Value, code: int) -> Value:
    """What a register holds after the float `result`, 0 to 1, became a byte of `old`."""
    number = as_floats(b, result)
    zero = b.const(number.ty, 0.0)
    number = b.select(number > 0.0, b.select(number < 1.0, number, 1.0), zero) * 255.0
    whole = b.cast_fast(b.floor(number + 0.5), i32)
    return _byte(old, b.bitcast(whole, u32), code)


def _byte(old: Value, byte: Value, where: int) -> Value:
    """`byte` as all four bytes (3), or as byte a to d (4 to 7) of `old`."""
    if where == 3:
        return byte * 0x01010101
    shift = 8 * (where - 4)
    return (old & (0xFFFFFFFF & ~(255 << shift))) | (byte << shift)


def is_zero(result: Value, floats: bool) -> Value:
    """Words that are 0 exactly where the Z flag of a result is set."""
    return result & 0x7FFFFFFF if floats else result


__all__ = ["ADD_OPS", "MUL_OPS", "carry", "has_pack_mul", "is_zero", "pack_a", "pack_mul",
           "saturated", "unpack"]  # fmt: skip
