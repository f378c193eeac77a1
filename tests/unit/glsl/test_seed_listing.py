# SPDX-License-Identifier: MIT
"""The program of Rob Clark's RFC of March 2016, compiled here: the listings are his, line by line,
value numbers included.
"""

from __future__ import annotations

from pathlib import Path

from pydri.glsl.compiler import Context
from pydri.glsl.link.layout import DEFAULT_BLOCK
from pydri.glsl.translate.to_nir import to_nir
from pydri.nir.passes import run_pass
from pydri.nir.printer import print_shader
from pydri.nir.validate import validate
from tests.unit.glsl.translated import OneStage, checked

GOLDEN = Path(__file__).parents[2] / "golden" / "nir"


def listing(step: str) -> str:
    return (GOLDEN / f"seed003_{step}.nir").read_text()


def test_listings() -> None:
    # Arrays of attributes are legal since 1.50; the compiler of that time did not ask.
    text = "#version 150 compatibility\n" + (GOLDEN / "seed003.vert").read_text()
    tree = checked(text, "vertex", Context(150, extensions=("GL_ARB_compatibility",)))
    shader = to_nir(tree, OneStage(tree, DEFAULT_BLOCK))
    validate(shader)
    assert run_pass(shader, "lower_io_to_temporaries")
    assert run_pass(shader, "lower_vars_to_ssa")
    shader.main.index_ssa_defs()
    assert print_shader(shader) == listing("input")
    assert run_pass(shader, "lower_indirect_io")
    assert print_shader(shader) == listing("lower_indirect_io")
    assert run_pass(shader, "lower_io_types")
    assert print_shader(shader) == listing("lower_io_types")
    validate(shader)
