# SPDX-License-Identifier: MIT
"""Boolean vectors in variables, in logic and across branches: the same truths at each width, and
below AVX-512 no detour over bytes."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from pydri.jit import Module, boolean, compiler, f32, i32, kernel, ptr, u8, u32, void
from tests.unit.jit import harness

P = ctypes.c_void_p
LANES, ROUNDS = 16, 20


@kernel(void, (ptr(f32.vec(16)), ptr(f32.vec(16)), ptr(u32)))
def left_alone(b: Any, given: Any, out: Any, left: Any) -> None:
    """A loop that lanes leave one by one, each with the number that it had then."""
    active = b.var(boolean.vec(LANES), 1)
    kept, number = b.var(f32.vec(LANES), 0.0), b.var(f32.vec(LANES), given[0])
    with b.For(0, ROUNDS) as round_number:
        with b.If(~b.any(active.value)):
            b.Break()
        number.value = number.value * given[1] + given[2]
        leaves = active.value & ((number.value > 100.0) | (number.value < -100.0))
        with b.If(b.any(leaves)):
            kept.value = b.select(leaves, number.value + b.cast(round_number, f32), kept.value)
        active.value = active.value & ~leaves
    out[0] = kept.value
    left[0] = b.cast(b.bits_of(active.value), u32)


def expected(given: np.ndarray) -> tuple[np.ndarray, int]:
    """What `left_alone` gives."""
    number, kept = given[0].copy(), np.zeros(LANES, np.float32)
    active = np.ones(LANES, bool)
    for round_number in range(ROUNDS):
        if not active.any():
            break
        number = number * given[1] + given[2]
        leaves = active & ((number > 100) | (number < -100))
        kept = np.where(leaves, number + np.float32(round_number), kept)
        active &= ~leaves
    return kept, sum(int(on) << lane for lane, on in enumerate(active))


@pytest.mark.parametrize("width", harness.EACH_WIDTH)
def test_lanes_leave_one_by_one(width: int) -> None:
    call = harness.function(harness.compiled([left_alone], width), "left_alone", None, P, P, P)
    rng = np.random.default_rng(17)
    for spread in (0.0, 0.6, 4.0):
        given = rng.normal(0, 1 + spread, (3, LANES)).astype(np.float32)
        out, left = np.empty(LANES, np.float32), np.empty(1, np.uint32)
        call(*(harness.address(a) for a in (given, out, left)))
        kept, active = expected(given)
        assert out.tobytes() == kept.tobytes() and left[0] == active


@pytest.mark.parametrize("width", [128, 256])
def test_no_mask_goes_through_bytes(width: int) -> None:
    module = Module("masks test", [left_alone], b"", variant=True)
    with compiler.optimise(module.ir(width), width, compiler.VARIANT) as optimised:
        text = compiler._machine(width).emit_assembly(optimised)
    assert "blendv" in text and "movmskps" in text
    assert "packs" not in text and "pmovsx" not in text and "pmovzx" not in text


@kernel(void, (ptr(i32.vec(16)), ptr(u8.vec(16)), i32, ptr(u32)))
def mixed(b: Any, words: Any, narrow: Any, every: Any, out: Any) -> None:
    """Masks of words, of bytes, of one truth for all, and of constants, by all that reads them."""
    by_word, by_byte = words[0] > 3, narrow[0] > 100
    alike = b.splat(every != 0, LANES)
    held = b.var(boolean.vec(LANES), by_byte)
    masks = [
        by_word & by_byte,
        by_word ^ alike,
        ~(by_word & (words[1] > 0)),
        b.select(by_word, words[1] > 0, alike),
        b.select(by_byte, by_word, b.const(boolean.vec(LANES), 1)),
        held.value | (by_word & alike),
        by_word | b.const(boolean.vec(LANES), [n % 3 == 0 for n in range(LANES)]),
    ]
    for n, mask in enumerate(masks):
        out[4 * n] = b.cast(b.bits_of(mask), u32)
        out[4 * n + 1] = b.cast(b.any(mask), u32)
        out[4 * n + 2] = b.cast(b.all(mask), u32)
        out[4 * n + 3] = b.reduce("add", b.cast(mask, u32))


@pytest.mark.parametrize("width", harness.EACH_WIDTH)
@pytest.mark.parametrize("every", [0, 1])
def test_masks_of_all_kinds(width: int, every: int) -> None:
    call = harness.function(
        harness.compiled([mixed], width), "mixed", None, P, P, ctypes.c_int32, P
    )
    rng = np.random.default_rng(every)
    for low, high in ((-9, 9), (-9, 3), (4, 9), (1, 9)):
        words = rng.integers(low, high, (2, LANES), np.int32)
        narrow = rng.integers(0, 256, LANES, np.uint8)
        out = np.empty(28, np.uint32)
        call(harness.address(words), harness.address(narrow), every, harness.address(out))
        by_word, by_byte, second = words[0] > 3, narrow > 100, words[1] > 0
        alike = np.full(LANES, bool(every))
        truths = [
            by_word & by_byte,
            by_word ^ alike,
            ~(by_word & second),
            np.where(by_word, second, alike),
            np.where(by_byte, by_word, True),
            by_byte | (by_word & alike),
            by_word | (np.arange(LANES) % 3 == 0),
        ]
        for n, mask in enumerate(truths):
            bits = sum(int(on) << lane for lane, on in enumerate(mask))
            assert list(out[4 * n : 4 * n + 4]) == [bits, mask.any(), mask.all(), mask.sum()], n
