# SPDX-License-Identifier: MIT
"""Piglit's shaders for GLSL 1.10 to 3.30 are translated, optimised, and valid nir."""

import pytest

from pydri.glsl.translate.to_nir import TooComplex, to_nir
from pydri.nir.passes import lower_glsl
from pydri.nir.validate import validate
from tests.unit.glsl import shaders
from tests.unit.glsl.translated import OneStage

#: calls doubled sixty times: Mesa runs out of memory there
EXPLODING = "glsl-fs-inline-explosion"


def translated(found: list[shaders.Shader]) -> int:
    """How many of them are whole shaders; each goes all the way."""
    count = 0
    for shader in found:
        tree = shader.compiled().shader
        if tree is None or all(f.name != "main" for f in tree.functions):
            continue
        if tree.blocks or any(f.body is None for f in tree.functions):
            continue  # another object has it; the linker knows where blocks are
        try:
            nir = to_nir(tree, OneStage(tree))
        except TooComplex:
            assert EXPLODING in shader.name
            continue
        validate(nir, shader.name)
        lower_glsl(nir)
        validate(nir, f"lower_glsl, {shader.name}")
        count += 1
    return count


@pytest.mark.needs("piglit")
def test_sample() -> None:
    assert translated(shaders.embedded()[::40]) > 150
    assert translated(shaders.parser_tests()[::40]) > 50


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.needs("piglit")
def test_all() -> None:
    assert translated(shaders.embedded() + shaders.parser_tests()) > 9000
