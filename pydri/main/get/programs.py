# SPDX-License-Identifier: MIT
"""TABLE: what glGet tells of programs (numbers, or the fields that have a driver's): of GLSL, of
ARB_vertex_program and of ATI_fragment_shader.
"""

import pydri.api.enums as gl
from pydri.main.matrix.layout import MAX_PROGRAM_MATRICES, MAX_PROGRAM_STACK
from pydri.main.shaders.layout import (
    MAX_GEOMETRY_COMPONENTS,
    MAX_GEOMETRY_VERTICES,
    STAGE_LIMITS,
)
from pydri.nir.stages import OFFERED

PROGRAM_NUMBERS: dict[int, int | str] = {
    gl.GL_MAX_VARYING_FLOATS: "limits.varying_components",
    gl.GL_MAX_VARYING_VECTORS: "limits.varying_vectors",
    gl.GL_MAX_VERTEX_OUTPUT_COMPONENTS: "limits.varying_components",
    gl.GL_MAX_GEOMETRY_INPUT_COMPONENTS: "limits.varying_components",
    gl.GL_MAX_GEOMETRY_OUTPUT_COMPONENTS: "limits.varying_components",
    gl.GL_MAX_FRAGMENT_INPUT_COMPONENTS: "limits.varying_components",
    gl.GL_MAX_GEOMETRY_OUTPUT_VERTICES: MAX_GEOMETRY_VERTICES,
    gl.GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS: MAX_GEOMETRY_COMPONENTS,
    gl.GL_MAX_PROGRAM_MATRICES_ARB: MAX_PROGRAM_MATRICES,
    gl.GL_MAX_PROGRAM_MATRIX_STACK_DEPTH_ARB: MAX_PROGRAM_STACK,
    gl.GL_NUM_FRAGMENT_REGISTERS_ATI: 6,
    gl.GL_NUM_FRAGMENT_CONSTANTS_ATI: 8,
    gl.GL_NUM_PASSES_ATI: 2,
    gl.GL_NUM_INSTRUCTIONS_PER_PASS_ATI: 8,
    gl.GL_NUM_INSTRUCTIONS_TOTAL_ATI: 16,
    gl.GL_NUM_INPUT_INTERPOLATOR_COMPONENTS_ATI: 3,
    gl.GL_NUM_LOOPBACK_COMPONENTS_ATI: 3,
    gl.GL_COLOR_ALPHA_PAIRING_ATI: 1,
}
for _name, _value in STAGE_LIMITS.items():
    for _row in OFFERED:
        if hasattr(gl, _row.limit(_name)):  # vectors are counted where OpenGL ES 2.0 counts them
            PROGRAM_NUMBERS[getattr(gl, _row.limit(_name))] = _value

__all__ = ["PROGRAM_NUMBERS"]
