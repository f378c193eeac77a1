# SPDX-License-Identifier: MIT
"""The ALUs lane by lane against what Python's numbers say; packs, unpacks, flags; the SFU."""

import math
import random
import struct

import numpy as np
import pytest

from pipe_vc4.qpu.fields import QPU_A, QPU_M
from pipe_vc4.simulator import alu, sfu

CHANCE = random.Random(5)
EDGES = [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3F800000, 0xBF800000,
         0x00FFFFFF, 0x01000000, 31, 32, 33]
WORDS = EDGES + [CHANCE.getrandbits(32) for _ in range(48)]
PAIRS = [(a, b) for a in EDGES for b in EDGES] + list(zip(WORDS, reversed(WORDS)))
A = np.array([a for a, _ in PAIRS], np.uint32)
B = np.array([b for _, b in PAIRS], np.uint32)


def signed(word):
    return word - (word >> 31 << 32)


def bytes_of(word):
    return [word >> shift & 255 for shift in (0, 8, 16, 24)]


def bytewise(f):
    def result(a, b):
        return sum(f(x, y) << 8 * i for i, (x, y) in enumerate(zip(bytes_of(a), bytes_of(b))))
    return result


INTEGERS = {
    QPU_A.ADD: lambda a, b: a + b, QPU_A.SUB: lambda a, b: a - b,
    QPU_A.SHR: lambda a, b: a >> (b & 31), QPU_A.ASR: lambda a, b: signed(a) >> (b & 31),
    QPU_A.SHL: lambda a, b: a << (b & 31),
    QPU_A.ROR: lambda a, b: (a << 32 | a) >> (b & 31),
    QPU_A.MIN: lambda a, b: min(signed(a), signed(b)),
    QPU_A.MAX: lambda a, b: max(signed(a), signed(b)),
    QPU_A.AND: lambda a, b: a & b, QPU_A.OR: lambda a, b: a | b, QPU_A.XOR: lambda a, b: a ^ b,
    QPU_A.NOT: lambda a, b: ~a, QPU_A.CLZ: lambda a, b: 32 - a.bit_length(),
    QPU_A.V8ADDS: bytewise(lambda x, y: min(x + y, 255)),
    QPU_A.V8SUBS: bytewise(lambda x, y: max(x - y, 0)),
    QPU_A.ITOF: lambda a, b: struct.unpack("<I", struct.pack("<f", float(signed(a))))[0],
}  # fmt: skip
PRODUCTS = {
    QPU_M.MUL24: lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF),
    QPU_M.V8MULD: bytewise(lambda x, y: round(x * y / 255)),
    QPU_M.V8MIN: bytewise(min), QPU_M.V8MAX: bytewise(max),
    QPU_M.V8ADDS: INTEGERS[QPU_A.V8ADDS], QPU_M.V8SUBS: INTEGERS[QPU_A.V8SUBS],
}  # fmt: skip


@pytest.mark.parametrize("op", INTEGERS)
def test_the_add_pipe(op):
    expected = [INTEGERS[op](a, b) & 0xFFFFFFFF for a, b in PAIRS]
    assert alu.ADD_OPS[op](A, B).tolist() == expected


@pytest.mark.parametrize("op", PRODUCTS)
def test_the_multiply_pipe(op):
    expected = [PRODUCTS[op](a, b) & 0xFFFFFFFF for a, b in PAIRS]
    assert alu.MUL_OPS[op](A, B).tolist() == expected


def test_every_operation_is_there():
    assert set(alu.ADD_OPS) == set(QPU_A) - {QPU_A.NOP}
    assert set(alu.MUL_OPS) == set(QPU_M) - {QPU_M.NOP}


def floats(*numbers):
    return np.array(numbers, np.float32).view(np.uint32)


def test_floats():
    a, b = floats(1.5, -2, 0, 3), floats(2.5, 1, -4, -3)
    for op, expected in ((QPU_A.FADD, [4, -1, -4, 0]), (QPU_A.FSUB, [-1, -3, 4, 6]),
                         (QPU_A.FMIN, [1.5, -2, -4, -3]), (QPU_A.FMAX, [2.5, 1, 0, 3]),
                         (QPU_A.FMINABS, [1.5, 1, 0, 3]), (QPU_A.FMAXABS, [2.5, 2, 4, 3])):
        assert alu.ADD_OPS[op](a, b).view(np.float32).tolist() == expected
    assert alu.MUL_OPS[QPU_M.FMUL](a, b).view(np.float32).tolist() == [3.75, -2, 0, -9]
    truncated = alu.ADD_OPS[QPU_A.FTOI](floats(1.9, -1.9, 3e9, math.nan), b)
    assert truncated.view(np.int32).tolist() == [1, -1, 2**31 - 1, 0]


def test_denormal_numbers_are_zeros():
    small = floats(1e-40, -1e-40)
    assert alu.ADD_OPS[QPU_A.FADD](small, small).tolist() == [0, 0x80000000]
    assert alu.MUL_OPS[QPU_M.FMUL](floats(1e-30), floats(1e-12)).tolist() == [0]


def test_carry():
    assert alu.carry(QPU_A.ADD, A, B, A + B).tolist() == [a + b > 0xFFFFFFFF for a, b in PAIRS]
    assert alu.carry(QPU_A.SUB, A, B, A - B).tolist() == [a < b for a, b in PAIRS]
    shr = alu.carry(QPU_A.SHR, A, B, A)
    assert shr.tolist() == [bool((b & 31) and a >> (b & 31) - 1 & 1) for a, b in PAIRS]
    shl = alu.carry(QPU_A.SHL, A, B, A)
    assert shl.tolist() == [bool(a << (b & 31) >> 32 & 1) for a, b in PAIRS]


@pytest.mark.parametrize("code,integer,number", [
    (1, 0xFFFF8001, -5.9604645e-08), (2, 0x3C00, 1.0), (3, 0x3C3C3C3C, None), (4, 0x01, 1 / 255),
    (5, 0x80, 128 / 255), (6, 0x00, 0.0), (7, 0x3C, 60 / 255)])
def test_unpacks(code, integer, number):
    word = np.array([0x3C008001], np.uint32)
    assert alu.unpack(word, code, False).tolist() == [integer]
    if number is not None:
        got = alu.unpack(word, code, True).view(np.float32)[0]
        assert got == np.float32(number)


@pytest.mark.parametrize("code,floats_,result,expected", [
    (1, False, 0x12345678, 0xAAAA5678), (2, False, 0x12345678, 0x5678AAAA),
    (1, True, 0x3F800000, 0xAAAA3C00), (9, False, 0x00012345, 0xAAAA7FFF),
    (9, False, 0xFFFE0000, 0xAAAA8000), (3, False, 0x12345678, 0x78787878),
    (4, False, 0x12345678, 0xAAAAAA78), (7, False, 0x12345678, 0x78AAAAAA),
    (12, False, 0x00000178, 0xAAAAAAFF), (15, False, 0xFFFFFF00, 0x00AAAAAA),
    (0, False, 0x12345678, 0x12345678)])
def test_packs_into_file_a(code, floats_, result, expected):
    old = np.array([0xAAAAAAAA], np.uint32)
    assert alu.pack_a(old, np.array([result], np.uint32), code, floats_).tolist() == [expected]


@pytest.mark.parametrize("number,byte", [
    (0, 0), (1, 255), (2, 255), (-1, 0), (0.5, 128), (1 / 255, 1), (math.nan, 0)])
def test_packs_of_the_multiply_pipe(number, byte):
    old = np.array([0xAAAAAAAA], np.uint32)
    assert alu.pack_mul(old, floats(number), 5).tolist() == [0xAAAA00AA | byte << 8]
    assert alu.pack_mul(old, floats(number), 3).tolist() == [byte * 0x01010101]


def test_saturated():
    a, b = np.array([0x7FFFFFFF, 0x80000000], np.uint32), np.array([1, 1], np.uint32)
    assert alu.saturated(QPU_A.ADD, a, b, a + b).tolist() == [0x7FFFFFFF, 0x80000001]
    assert alu.saturated(QPU_A.SUB, a, b, a - b).tolist() == [0x7FFFFFFE, 0x80000000]


@pytest.mark.parametrize("ours,exact", [
    (sfu.recip, lambda x: 1 / x), (sfu.rsqrt, lambda x: 1 / math.sqrt(x)),
    (sfu.log2, math.log2), (sfu.exp2, lambda x: 2.0**x)])
def test_special_functions(ours, exact):
    x = np.array([CHANCE.uniform(0.001, 90) for _ in range(300)] + [1, 2, 0.5, 64], np.float32)
    got = ours(x).astype(np.float64)
    expected = np.array([exact(float(value)) for value in x])
    assert (np.abs(got - expected) <= np.abs(np.spacing(expected.astype(np.float32)))).all()


def test_special_functions_at_their_ends():
    with np.errstate(all="ignore"):
        zero = np.zeros(1, np.float32)
        assert sfu.recip(zero)[0] == math.inf and sfu.log2(zero)[0] == -math.inf
        assert sfu.exp2(np.array([-200, 200], np.float32)).tolist() == [0, math.inf]
