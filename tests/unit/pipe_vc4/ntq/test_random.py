# SPDX-License-Identifier: MIT
"""Random shaders: nir's interpreter and QIR's agree bit for bit, before and after optimisation."""

import pytest

from pipe_vc4.qir import optimize
from pipe_vc4.qir.qir import QStage
from pipe_vc4.qir.text import parse_qir, qir_dump
from pipe_vc4.qir.validate import qir_validate
from tests.unit.pipe_vc4.ntq.rig import (
    ExactGenerator,
    agree,
    by_nir,
    by_qir,
    compiled,
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
