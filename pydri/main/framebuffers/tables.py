# SPDX-License-Identifier: MIT
"""Which buffers glDrawBuffer and glReadBuffer know (GL 2.1, 4.2.1, 4.3.2). Mesa: main/buffers.c."""

from __future__ import annotations

import pydri.api.enums as gl

_NO_BUFFER = (
    8  # bits: 1 needs double buffering, 2 needs stereo, 4 never there, 8 not a buffer's name
)
#: what glDrawBuffers takes none of: they stand for several buffers
SEVERAL = (gl.GL_FRONT, gl.GL_LEFT, gl.GL_RIGHT, gl.GL_FRONT_AND_BACK)
BUFFERS = {
    gl.GL_NONE: 0,
    gl.GL_FRONT: 0,
    gl.GL_LEFT: 0,
    gl.GL_FRONT_LEFT: 0,
    gl.GL_FRONT_AND_BACK: 0,  # as a read buffer too, as with Mesa
    gl.GL_BACK: 1,
    gl.GL_BACK_LEFT: 1,
    gl.GL_RIGHT: 2,
    gl.GL_FRONT_RIGHT: 2,
    gl.GL_BACK_RIGHT: 3,
    gl.GL_AUX0: 4,
    gl.GL_AUX1: 4,
    gl.GL_AUX2: 4,
    gl.GL_AUX3: 4,
    **dict.fromkeys(range(gl.GL_COLOR_ATTACHMENT0, gl.GL_COLOR_ATTACHMENT0 + 32), 4),
}
