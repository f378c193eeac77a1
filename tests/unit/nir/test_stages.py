# SPDX-License-Identifier: MIT
"""The table of stages: what its rows must have in common."""

import pytest

from pydri.api import enums as gl
from pydri.nir import stages
from pydri.nir.stages import ATTRIBUTES, NOTHING, RESULTS, STAGES, VARYINGS, ShaderStage
from pydri.pipe import native
from pydri.tgsi.tokens import enums as tgsi

ROWS = pytest.mark.parametrize("row", STAGES, ids=lambda row: row.name)


@ROWS
def test_a_row_stands_at_its_number(row: ShaderStage) -> None:
    name = row.name.upper()
    assert STAGES[row.number] is row is stages.BY_NAME[row.name]
    assert getattr(native, f"SHADER_{name}") == row.number == getattr(tgsi, name)


@ROWS
def test_the_enum_is_gl_s(row: ShaderStage) -> None:
    name = {"tess_eval": "TESS_EVALUATION", "tess_ctrl": "TESS_CONTROL"}.get(row.name)
    assert getattr(gl, f"GL_{name or row.name.upper()}_SHADER") == row.shader_type


@pytest.mark.parametrize("column", ["name", "word", "short", "suffix", "shader_type"])
def test_columns_tell_rows_apart(column: str) -> None:
    assert len({getattr(row, column) for row in STAGES}) == len(STAGES)


@ROWS
def test_limits_have_gl_s_names(row: ShaderStage) -> None:
    for name in ("UNIFORM_COMPONENTS", "TEXTURE_IMAGE_UNITS"):
        assert hasattr(gl, row.limit(name))


def test_constants_have_glsl_s_names() -> None:
    """Those that both languages of 4.60 and 3.20 have."""
    found = [row.constant("TEXTURE_IMAGE_UNITS") for row in STAGES]
    assert found == [
        "gl_MaxVertexTextureImageUnits", "gl_MaxTessControlTextureImageUnits",
        "gl_MaxTessEvaluationTextureImageUnits", "gl_MaxGeometryTextureImageUnits",
        "gl_MaxTextureImageUnits", "gl_MaxComputeTextureImageUnits",
    ]  # fmt: skip
    assert stages.BY_NAME["fragment"].constant("UNIFORM_VECTORS") == "gl_MaxFragmentUniformVectors"


def test_a_chain_has_ends_and_passes_varyings() -> None:
    """Attributes go in, results come out; what is between is passed from stage to stage."""
    first, *between, last = stages.CHAIN
    assert (first.inputs.kind, last.outputs.kind) == (ATTRIBUTES, RESULTS)
    kinds = [first.outputs, *(i for row in between for i in (row.inputs, row.outputs)), last.inputs]
    assert {interface.kind for interface in kinds} == {VARYINGS}
    (compute,) = (row for row in STAGES if row.alone)
    assert compute.inputs.kind == compute.outputs.kind == NOTHING


def test_neighbours() -> None:
    assert list(stages.neighbours([1, 2])) == [(None, 1), (1, 2), (2, None)]
    assert list(stages.neighbours([])) == [(None, None)]


def test_slot_names() -> None:
    assert stages.slot_names("geometry", "shader_in")[0] == "VARYING_SLOT_POS"
    assert stages.slot_names("vertex", "shader_in")[0] == "VERT_ATTRIB_POS"
    assert stages.slot_names("fragment", "shader_out")[0] == "FRAG_RESULT_DEPTH"
    assert stages.slot_names("compute", "shader_in") == {}
    assert stages.slot_names("fragment", "uniform") == {}
