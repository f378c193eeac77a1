# SPDX-License-Identifier: MIT
"""What glGetLight and glGetMaterial answer: kind (as in get/tables.py), field, number of values
(GL 2.1, tables 6.12 to 6.14).
"""

from __future__ import annotations

import pydri.api.enums as gl

LIGHT: dict[int, tuple[str, str, int]] = {
    gl.GL_AMBIENT: ("n", "ambient", 4),
    gl.GL_DIFFUSE: ("n", "diffuse", 4),
    gl.GL_SPECULAR: ("n", "specular", 4),
    gl.GL_POSITION: ("f", "position", 4),
    gl.GL_SPOT_DIRECTION: ("f", "spot_direction", 3),
    gl.GL_SPOT_EXPONENT: ("f", "spot_exponent", 0),
    gl.GL_SPOT_CUTOFF: ("f", "spot_cutoff", 0),
    gl.GL_CONSTANT_ATTENUATION: ("f", "constant_attenuation", 0),
    gl.GL_LINEAR_ATTENUATION: ("f", "linear_attenuation", 0),
    gl.GL_QUADRATIC_ATTENUATION: ("f", "quadratic_attenuation", 0),
}
MATERIAL: dict[int, tuple[str, str, int]] = {
    gl.GL_AMBIENT: ("n", "ambient", 4),
    gl.GL_DIFFUSE: ("n", "diffuse", 4),
    gl.GL_SPECULAR: ("n", "specular", 4),
    gl.GL_EMISSION: ("n", "emission", 4),
    gl.GL_SHININESS: ("f", "shininess", 1),
    gl.GL_COLOR_INDEXES: ("f", "indexes", 3),
}
