# SPDX-License-Identifier: MIT
"""The two ALUs on arrays of 32-bit words: operations, packs, unpacks and flags.

Floats are IEEE singles without denormal numbers, rounded to nearest. Sources: the guide's tables
"QPU Add Op Codes", "QPU Mul Op Codes" and those of packing.
"""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pipe_vc4.qpu.fields import QPU_A, QPU_M
from pipe_vc4.simulator.arrays import Bools, Floats, Words
from pipe_vc4.simulator.errors import JobError

FLOAT_ADD = frozenset({QPU_A.FADD, QPU_A.FSUB, QPU_A.FMIN, QPU_A.FMAX, QPU_A.FMINABS,
                       QPU_A.FMAXABS})
#: Operations whose operands are floats, and those whose result is one.
FLOAT_IN = FLOAT_ADD | {QPU_A.FTOI}
FLOAT_OUT = FLOAT_ADD | {QPU_A.ITOF}
_EXPONENT = np.uint32(0x7F800000)
_SIGN = np.uint32(0x80000000)
_BYTE = np.uint32(0xFF)
_SHIFTS = np.array([0, 8, 16, 24], np.uint32)


def flush(bits: Words) -> Words:
    """The words with denormal numbers replaced by zeros of their signs."""
    small = (bits & _EXPONENT) == 0
    if small.any():
        bits = np.where(small, bits & _SIGN, bits)
    return bits


def as_floats(bits: Words) -> Floats:
    """The numbers that words are, denormal ones as zeros."""
    return flush(bits).view(np.float32)


def as_words(numbers: Floats) -> Words:
    """The words of numbers, denormal ones as zeros."""
    return flush(np.asarray(numbers, np.float32).view(np.uint32))


def _float2(f: Callable[[Floats, Floats], Floats]) -> Callable[[Words, Words], Words]:
    return lambda a, b: as_words(f(as_floats(a), as_floats(b)))


def _signed(f: Callable[..., np.ndarray]) -> Callable[[Words, Words], Words]:
    return lambda a, b: np.asarray(f(a.view(np.int32), b.view(np.int32))).view(np.uint32)


def _ftoi(a: Words, _: Words) -> Words:
    wide = np.nan_to_num(as_floats(a).astype(np.float64), nan=0.0, posinf=2.0**31, neginf=-2.0**31)
    whole = np.clip(np.trunc(wide), -2.0**31, 2.0**31 - 1).astype(np.int64)
    found: Words = whole.astype(np.int32).view(np.uint32)
    return found


def _clz(a: Words, _: Words) -> Words:
    exponent = np.frexp(a.astype(np.float64))[1]
    return np.asarray(32 - exponent, np.uint32)


def _ror(a: Words, b: Words) -> Words:
    by = b & np.uint32(31)
    return np.asarray((a >> by) | (a << ((np.uint32(32) - by) & np.uint32(31))), np.uint32)


def _lanes(words: Words) -> np.ndarray:
    """The four bytes of words, as a new last axis."""
    parts: np.ndarray = (words[..., None] >> _SHIFTS) & _BYTE
    return parts


def _join(parts: np.ndarray) -> Words:
    return np.sum(parts.astype(np.uint32) << _SHIFTS, axis=-1, dtype=np.uint32)


def _v8(f: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Callable[[Words, Words], Words]:
    def bytewise(a: Words, b: Words) -> Words:
        if a is b and f in (np.minimum, np.maximum):
            return a.copy()
        return _join(f(_lanes(a).astype(np.int32), _lanes(b).astype(np.int32)))
    return bytewise


def _v8adds(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.minimum(a + b, 255)


def _v8subs(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.maximum(a - b, 0)


def _v8muld(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a * b + 127) // 255


def _mul24(a: Words, b: Words) -> Words:
    low = np.uint32(0xFFFFFF)
    return (a & low) * (b & low)


ADD_OPS: dict[int, Callable[[Words, Words], Words]] = {
    QPU_A.FADD: _float2(np.add), QPU_A.FSUB: _float2(np.subtract),
    QPU_A.FMIN: _float2(np.fmin), QPU_A.FMAX: _float2(np.fmax),
    QPU_A.FMINABS: _float2(lambda a, b: np.fmin(np.abs(a), np.abs(b))),
    QPU_A.FMAXABS: _float2(lambda a, b: np.fmax(np.abs(a), np.abs(b))),
    QPU_A.FTOI: _ftoi,
    QPU_A.ITOF: lambda a, _: a.view(np.int32).astype(np.float32).view(np.uint32),
    QPU_A.ADD: np.add, QPU_A.SUB: np.subtract,
    QPU_A.SHR: lambda a, b: a >> (b & np.uint32(31)),
    QPU_A.ASR: _signed(lambda a, b: a >> (b & 31)),
    QPU_A.ROR: _ror,
    QPU_A.SHL: lambda a, b: a << (b & np.uint32(31)),
    QPU_A.MIN: _signed(np.minimum), QPU_A.MAX: _signed(np.maximum),
    QPU_A.AND: np.bitwise_and, QPU_A.OR: np.bitwise_or, QPU_A.XOR: np.bitwise_xor,
    QPU_A.NOT: lambda a, _: ~a, QPU_A.CLZ: _clz,
    QPU_A.V8ADDS: _v8(_v8adds), QPU_A.V8SUBS: _v8(_v8subs)}
MUL_OPS: dict[int, Callable[[Words, Words], Words]] = {
    QPU_M.FMUL: _float2(np.multiply), QPU_M.MUL24: _mul24, QPU_M.V8MULD: _v8(_v8muld),
    QPU_M.V8MIN: _v8(np.minimum), QPU_M.V8MAX: _v8(np.maximum), QPU_M.V8ADDS: _v8(_v8adds),
    QPU_M.V8SUBS: _v8(_v8subs)}


def carry(op: int, a: Words, b: Words, result: Words) -> Bools:
    """The add pipe's C flag: carry, borrow, the last bit shifted out, or a greater than b."""
    if op == QPU_A.ADD:
        return np.asarray(result < a)
    if op == QPU_A.SUB:
        return np.asarray(a < b)
    if op in (QPU_A.MIN, QPU_A.MAX):
        return np.asarray(a.view(np.int32) > b.view(np.int32))
    if op in (QPU_A.FMIN, QPU_A.FMAX):
        return np.asarray(as_floats(a) > as_floats(b))
    if op in (QPU_A.FMINABS, QPU_A.FMAXABS):
        return np.asarray(np.abs(as_floats(a)) > np.abs(as_floats(b)))
    if op in (QPU_A.SHR, QPU_A.ASR):
        by = b & np.uint32(31)
        return np.asarray((by > 0) & ((a >> ((by - np.uint32(1)) & np.uint32(31))) & 1 == 1))
    if op == QPU_A.SHL:
        by = b & np.uint32(31)
        return np.asarray((by > 0) & ((a >> ((np.uint32(32) - by) & np.uint32(31))) & 1 == 1))
    return np.zeros(np.broadcast(a, b).shape, bool)


def saturated(op: int, a: Words, b: Words, result: Words) -> Words:
    """The add pipe's sum or difference held within signed 32 bits; other results as they are."""
    if op not in (QPU_A.ADD, QPU_A.SUB):
        return result
    wide_a, wide_b = (part.view(np.int32).astype(np.int64) for part in (a, b))
    wide = wide_a + wide_b if op == QPU_A.ADD else wide_a - wide_b
    found: Words = np.clip(wide, -2**31, 2**31 - 1).astype(np.int32).view(np.uint32)
    return found


def unpack(words: Words, code: int, floats: bool) -> Words:
    """Part `code` (QPU_UNPACK_) of a register, for an operation of floats or of integers."""
    if code in (1, 2):
        half = ((words >> np.uint32(16 * (code - 1))) & np.uint32(0xFFFF)).astype(np.uint16)
        if floats:
            return as_words(half.view(np.float16).astype(np.float32))
        return half.view(np.int16).astype(np.int32).view(np.uint32)
    if code == 3:
        return (words >> np.uint32(24)) * np.uint32(0x01010101)
    byte = (words >> np.uint32(8 * (code - 4))) & _BYTE
    if floats:
        return (byte.astype(np.float32) / np.float32(255)).view(np.uint32)
    return byte


def _half(result: Words, floats: bool, saturate: bool) -> Words:
    if floats:
        return as_floats(result).astype(np.float16).view(np.uint16).astype(np.uint32)
    if saturate:
        result = np.clip(result.view(np.int32), -32768, 32767).view(np.uint32)
    return result & np.uint32(0xFFFF)


def pack_a(old: Words, result: Words, code: int, floats: bool) -> Words:
    """What file A holds after `result` is packed into `old` by `code` (QPU_PACK_A)."""
    saturate, where = code >= 8, code & 7
    if where == 0:
        return result
    if where in (1, 2):
        shift = np.uint32(16 * (where - 1))
        mask = np.uint32(0xFFFF) << shift
        return (old & ~mask) | (_half(result, floats, saturate) << shift)
    byte = np.clip(result.view(np.int32), 0, 255).view(np.uint32) if saturate else result & _BYTE
    return _byte(old, byte, where)


def pack_mul(old: Words, result: Words, code: int) -> Words:
    """What a register holds after the float `result`, 0 to 1, became a byte of `old`."""
    if code != 3 and not 4 <= code <= 7:
        raise JobError(f"the multiply pipe has no pack {code}")
    number = np.clip(np.nan_to_num(as_floats(result)), 0, 1) * np.float32(255)
    return _byte(old, np.floor(number + np.float32(0.5)).astype(np.uint32), code)


def _byte(old: Words, byte: Words, where: int) -> Words:
    """`byte` as all four bytes (3), or as byte a to d (4 to 7) of `old`."""
    if where == 3:
        return byte * np.uint32(0x01010101)
    shift = np.uint32(8 * (where - 4))
    return (old & ~(_BYTE << shift)) | (byte << shift)
