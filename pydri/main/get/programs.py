# SPDX-License-Identifier: MIT
"""TABLE: what glGet tells of programs that never changes: of GLSL, of ARB_vertex_program and of
ATI_fragment_shader.
"""

import pydri.api.enums as gl
from pydri.main.matrix.layout import MAX_PROGRAM_MATRICES, MAX_PROGRAM_STACK
from pydri.main.shaders.layout import MAX_VARYING_VECTORS, limits_of
from pydri.nir.stages import OFFERED

PROGRAM_NUMBERS = {
    gl.GL_MAX_VARYING_FLOATS: 4 * MAX_VARYING_VECTORS,
    gl.GL_MAX_VARYING_VECTORS: MAX_VARYING_VECTORS,
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
for _row in OFFERED:
    for _name, _value in limits_of(_row).items():
        if _row.limit(_name) in vars(gl):  # vectors are counted where OpenGL ES 2.0 counts them
            PROGRAM_NUMBERS[getattr(gl, _row.limit(_name))] = _value

__all__ = ["PROGRAM_NUMBERS"]
