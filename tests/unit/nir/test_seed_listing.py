# SPDX-License-Identifier: MIT
"""The three listings of Rob Clark's RFC of March 2016 are reproduced to the letter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pydri.nir.interp import run
from pydri.nir.parser import parse_shader
from pydri.nir.passes import lower_for_backend, run_pass
from pydri.nir.printer import print_shader
from pydri.nir.validate import validate

GOLDEN = Path(__file__).parents[2] / "golden" / "nir"
STEPS = ("input", "lower_indirect_io", "lower_io_types")


def listing(step: str) -> str:
    return (GOLDEN / f"seed003_{step}.nir").read_text()


@pytest.mark.parametrize("step", STEPS)
def test_printer_reproduces_what_the_parser_read(step: str) -> None:
    shader = parse_shader(listing(step))
    validate(shader)
    assert print_shader(shader) == listing(step)


def test_passes_print_exactly_what_the_seed_shows() -> None:
    shader = parse_shader(listing("input"))
    assert run_pass(shader, "lower_indirect_io")
    assert print_shader(shader) == listing("lower_indirect_io")
    assert run_pass(shader, "lower_io_types")
    assert print_shader(shader) == listing("lower_io_types")
    assert not run_pass(shader, "lower_indirect_io")
    assert not run_pass(shader, "lower_io_types")


@pytest.mark.parametrize("index", [0, 1, 2, 3])
def test_every_step_computes_the_same(index: int) -> None:
    lanes = 5
    attributes = np.random.default_rng(7).normal(size=(4, lanes, 4)).astype(np.float32)
    inputs = {15 + i: attributes[i] for i in range(4)}
    uniforms = np.array([[index, 0, 0, 0]], np.int32)
    shaders = [parse_shader(listing(step)) for step in STEPS]
    shaders.append(parse_shader(listing("input")))
    lower_for_backend(shaders[-1])
    for shader in shaders:
        result = run(shader, lanes, inputs=inputs, uniforms=uniforms)
        assert np.array_equal(result.output(0), attributes[0])
        for i, source in enumerate((0, 1, 2, 0)):
            assert np.array_equal(result.output(32 + i), attributes[source])
            assert np.array_equal(result.output(36 + i), attributes[index])
