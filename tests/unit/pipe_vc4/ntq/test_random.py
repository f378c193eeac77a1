# SPDX-License-Identifier: MIT
"""Random shaders: nir's interpreter and QIR's agree bit for bit, before and after optimisation."""

import numpy as np
import pytest

from pipe_vc4.qir import optimize
from pipe_vc4.qir.qir import QStage
from pipe_vc4.qir.text import parse_qir, qir_dump
from pipe_vc4.qir.validate import qir_validate
from pydri.nir.builder import Builder
from pydri.nir.ir import Shader
from tests.unit.pipe_vc4.ntq.rig import (
    SLOTS,
    ExactGenerator,
    agree,
    by_nir,
    by_qir,
    compiled,
    data,
    fragments,
    fragments_agree,
)


@pytest.mark.parametrize("seed", range(24))
def test_qir_means_what_nir_meant(seed):
    expected = by_nir(ExactGenerator(seed).make(), seed)
    shader = ExactGenerator(seed).make()
    c = compiled(shader, optimized=False)
    qir_validate(c, "ntq")
    assert agree(expected, by_qir(c, shader, seed))

    def record(name, c):
        qir_validate(c, name)
        assert agree(expected, by_qir(c, shader, seed)), name

    optimize.qir_optimize(c, record if seed < 8 else None)
    optimize.qir_lower_uniforms(c)
    qir_validate(c, "lower_uniforms", lowered=True)
    assert agree(expected, by_qir(c, shader, seed)), qir_dump(c)
    text = qir_dump(c)
    again = qir_dump(parse_qir(text, QStage.VERT))
    assert [line.split(" u")[0] for line in again.splitlines()] == [
        line.split(" u")[0] for line in text.splitlines()
    ]


@pytest.mark.parametrize("seed", range(24))
def test_fragments(seed):
    assert fragments_agree(fragments(seed))


def test_the_sign_of_no_number_is_none():
    b = Builder(Shader("vertex"))
    value = b.load_input(0, 4)
    b.store_output(b.fsign(b.fneg(b.fmul(value, 0.0))), SLOTS[0])
    b.store_output(b.fsign(b.fneg(value)), SLOTS[1])
    c = compiled(b.shader)
    found = by_qir(c, b.shader, 5)
    assert not (found[SLOTS[0]] & 0x7FFFFFFF).any()
    numbers, _ = data(5)
    assert (found[SLOTS[1]].view(np.float32) == -np.sign(numbers[0]).T).all()


def test_sines():
    """Series are taken within a quarter of a turn around each half of one, where they are best."""
    b = Builder(Shader("vertex"))
    angle = b.load_input(0, 4)
    large = b.fmul(angle, 256.0)
    b.store_output(b.fsin(angle), SLOTS[0])
    b.store_output(b.fcos(angle), SLOTS[1])
    b.store_output(b.fsin(large), SLOTS[2])
    b.store_output(b.fcos(large), SLOTS[3])
    c = compiled(b.shader)
    found = by_qir(c, b.shader, 5)
    numbers, _ = data(5)
    angles = numbers[0].T.astype(np.float64)
    for slots, of, most in ((SLOTS[:2], angles, 6e-6), (SLOTS[2:4], angles * 256, 5e-4)):
        for slot, true in zip(slots, (np.sin(of), np.cos(of)), strict=True):
            assert np.abs(found[slot].view(np.float32) - true).max() < most


def comparisons(name: str) -> Shader:
    """Of zeros of both signs, of numbers, of infinities."""
    b = Builder(Shader("vertex"))
    x, y = b.load_input(0, 4), b.load_input(1, 4)
    zero = b.fneg(b.fmul(x, 0.0))
    infinite = b.bcsel(b.flt(x, 0.5), float("inf"), b.fneg(b.imm_float(float("inf"))))
    pairs = ((zero, 0.0), (0.0, zero), (x, y), (infinite, float("inf")), (0.0, infinite))
    for slot, (one, other) in zip(SLOTS, pairs):
        b.store_output(b.b2f(getattr(b, name)(one, other)), slot)
    return b.shader


@pytest.mark.parametrize("name", ["flt", "fge"])
def test_floats_compare_as_they_are(name):
    shader = comparisons(name)
    c = compiled(shader)
    assert agree(by_nir(comparisons(name), 7), by_qir(c, shader, 7)), qir_dump(c)
