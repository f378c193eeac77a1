# SPDX-License-Identifier: MIT
"""Rows of fuzz_known.py about core profiles and OpenGL ES."""

from collections.abc import Callable
from typing import Any

from pydri.api import enums as gl
from pydri.main.textures.layout import MAX_IMAGE_UNITS
from tests.robust.fuzz_arguments import NO_ENUM
from tests.robust.fuzz_known_row import FAILS, Known

_OUT = ("o", 256)
_GET = r"glGet(Boolean|Integer|Integer64|Float|Double)v"
_GENERATED = ("a", "i", [gl.GL_REFLECTION_MAP, 0, 0, 0])
_DEPTHS = (gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT_24_8)
_PIXELS = (gl.GL_PIXEL_PACK_BUFFER, gl.GL_PIXEL_UNPACK_BUFFER)


def _texture_unit(values: tuple[Any, ...]) -> bool:
    return MAX_IMAGE_UNITS <= values[-1] < 192


def _one_of(*values: int) -> Callable[[tuple[Any, ...]], bool]:
    return lambda given: given[0] in values


def _no_format_or_type(values: tuple[Any, ...]) -> bool:
    return not {NO_ENUM, 0x1F00, 0x2A0A}.isdisjoint(values[4:6])


OF_CONTEXTS = (
    Known("error", _GET, 0x500, 0, "GL 3.3 core, E.2.2: client arrays are gone, and whether they"
          " are enabled", (("glGetFloatv", (gl.GL_VERTEX_ARRAY, _OUT)),),
          _one_of(gl.GL_VERTEX_ARRAY), context="core"),
    Known("answer", _GET, 0, 0, "EGL 1.5, 3.5: of how many buffers a pbuffer has nothing is said",
          (("glGetFloatv", (gl.GL_DOUBLEBUFFER, _OUT)),),
          _one_of(gl.GL_DOUBLEBUFFER, gl.GL_READ_BUFFER), context="core"),
    Known("error", r"gl(Program)?Uniform1i(ARB)?$", 0x501, 0, "GL 3.3, 2.11.7: a sampler takes the"
          " numbers of units, of which the peer has more (docs/differences.md)",
          (("glUseProgram", (9,)), ("glUniform1i", (1, 86))), _texture_unit, context="es3"),
    Known("answer", "glGetProgramiv", 0, 0, "GL 2.1, 2.15.4: what logs say is the implementation's"
          " matter", (("glDetachShader", (3, 2)), ("glLinkProgram", (3,)),
                      ("glValidateProgram", (3,)),
                      ("glGetProgramiv", (3, gl.GL_INFO_LOG_LENGTH, _OUT))),
          lambda values: values[1] == gl.GL_INFO_LOG_LENGTH, context="es3"),
    Known("error", r"gl\w*TransformFeedback(Buffer|i)", 0x502, 0, "GL 4.5, 13.2.1: a name that was"
          " generated is no object before it is bound; the peer has one from then on",
          (("glTransformFeedbackBufferBase", (3, 2, 2)),), context="core"),
    Known("error", r"gl(Program)?Uniform\w*\d", 0x502, 0, "GL 3.3, 2.11.4: uniforms of blocks have"
          " no location; the peer numbers them, too, and takes what is given there",
          (("glUniformMatrix4fv", (1, 1, 0, ("m", 1 << 16))),), context="core"),
    Known("error", r"gl\w*VertexArrays?OES", None, 0x502, "OES_vertex_array_object is for OpenGL"
          " ES 1, too; the peer offers it there and has none of its commands",
          (("glBindVertexArrayOES", (0,)),), context="es1"),
    Known("error", r"glTexGenxv?OES", 0, 0x500, "OES_texture_cube_map, with its forms for fixed"
          " point: modes are enums; the peer takes none",
          (("glTexGenxvOES", (gl.GL_TEXTURE_GEN_STR_OES, gl.GL_TEXTURE_GEN_MODE, _GENERATED)),),
          context="es1"),
    Known("error", "glBindBuffer$", 0x500, 0, "OpenGL ES 1.1, 2.9: two targets; nothing reads the"
          " peer's others there", (("glBindBuffer", (gl.GL_PIXEL_PACK_BUFFER, 0)),),
          _one_of(*_PIXELS), context="es1"),
    Known("error", "glReadPixels", 0x500, FAILS, "OpenGL ES 1.1, 2.5: an enum that is none is"
          " GL_INVALID_ENUM", (("glReadPixels", (0, 0, 1, 1, NO_ENUM, gl.GL_UNSIGNED_BYTE, _OUT)),),
          _no_format_or_type, context="es1"),
    Known("error", r"glDrawTex\w+OES", 0x506, 0, "OES_framebuffer_object: of commands that draw, to"
          " a framebuffer that is not complete",
          (("glBindFramebufferOES", (gl.GL_FRAMEBUFFER, 70)),
           ("glDrawTexiOES", (5, 5, 0, 20, 20))), context="es1"),
    Known("answer", "glReadPixels", 0, 0, "NV_read_depth: what lies beside the depth's 24 bits is"
          " not said", (("glReadPixels", (0, 0, 1, 1, *_DEPTHS, _OUT)),),
          lambda values: values[4:6] == _DEPTHS, context="es2"),
)  # fmt: skip
