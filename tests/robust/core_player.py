# SPDX-License-Identifier: MIT
"""In a core context of OpenGL 3.3 on the libEGL that is found: a line each for commands that the
core profile has and has not, and the error that calling them gives. test_apis.py compares the lines
of both drivers. (pydri claims the version: MESA_GL_VERSION_OVERRIDE.)
"""

import ctypes
from collections.abc import Iterator

from pydri.api import apis, enums, registry
from pydri.api.gl_table import TABLE
from pydri.main.buffers.tables import TARGETS
from pydri.main.get.string_entries import STRINGS
from pydri.main.get.tables import PARAMS
from pydri.main.pixels.tables import FORMATS
from pydri.main.state import kernels as state
from pydri.main.state.enable_tables import CAPS
from pydri.main.textures.image_tables import BASES, INTEGER, ROWS
from pydri.main.textures.parameters import COLOR, ENUMS, PARAMETERS
from pydri.main.textures.tables import BIND_TARGETS
from tests.robust.headless import Headless

#: of the core profile, with arguments that are no mistake
FINE = (
    ("DepthMask", 1), ("Clear", 0), ("BindVertexArray", 0), ("ActiveTexture", 0x84C0),
    ("Enable", enums.GL_DEPTH_TEST), ("Flush",), ("PointSize", 1.0), ("UseProgram", 0),
    ("ClampColor", enums.GL_CLAMP_READ_COLOR, 0), ("TexParameteri", 0xDE1, 0x2801, 0x2600),
)  # fmt: skip


def removed() -> list[str]:
    """Commands of OpenGL 1.0 to 2.1, without gl, that core contexts have not by any name."""
    rows = ((name, registry.row(slot), slot) for name, slot in TABLE.slots.items())
    return [
        name.removeprefix("gl")
        for name, row, slot in rows
        if 0 < row.compat <= 21 and not row.core and not apis.has(slot, apis.CORE)
    ]


#: mistakes, or none
ASKED = (
    ("VertexAttribPointer", 0, 4, enums.GL_FLOAT, 0, 0, None), ("LineWidth", 2.0),
    ("EnableVertexAttribArray", 0), ("Enable", enums.GL_VERTEX_ARRAY),
    ("Clear", enums.GL_ACCUM_BUFFER_BIT),
    ("TexImage2D", 0xDE1, 0, enums.GL_RGBA8, 6, 6, 1, enums.GL_RGBA, enums.GL_UNSIGNED_BYTE, None),
    ("BlendFunc", enums.GL_SRC1_COLOR, enums.GL_SRC_ALPHA_SATURATE),
    ("GetIntegerv", enums.GL_CONTEXT_PROFILE_MASK, (ctypes.c_int * 4)()),
    ("GetIntegerv", enums.GL_RGBA_INTEGER_MODE_EXT, (ctypes.c_int * 4)()),
    ("FramebufferTexture", enums.GL_FRAMEBUFFER, enums.GL_COLOR_ATTACHMENT0, 0, 0),
    ("FramebufferTexture", enums.GL_FRAMEBUFFER, enums.GL_COLOR_ATTACHMENT0, 0xDEAD, 0),
    ("FramebufferTexture", enums.GL_TEXTURE_3D, enums.GL_COLOR_ATTACHMENT0, 0, 0),
    ("FramebufferTexture", enums.GL_READ_FRAMEBUFFER, enums.GL_COLOR, 0, 0),
    # records of draws lie in buffers, and vertex arrays have names
    ("MultiDrawArraysIndirect", 0, None, 0, 0), ("VertexArrayVertexBuffer", 0, 0, 0, 0, 0),
    # of extensions that core contexts have beside the registry's word
    ("ClearColorIiEXT", 1, 1, 1, 1), ("GetHandleARB", enums.GL_PROGRAM_OBJECT_ARB),
    ("BindFramebufferEXT", enums.GL_FRAMEBUFFER, 0), ("BindRenderbufferEXT", 0x8D41, 0),
    ("MultiModeDrawArraysIBM", None, None, None, 0, 4),
)  # fmt: skip


def draws(gl: Headless) -> None:
    """Without a vertex array object nothing is drawn (OpenGL 3.2 core, E.2.2); without a fragment
    shader something is, nobody knows what, of whole numbers, too."""
    names = (ctypes.c_uint * 1)()
    gl("GenRenderbuffers", 1, names)
    gl("BindRenderbuffer", enums.GL_RENDERBUFFER, int(names[0]))
    gl("RenderbufferStorage", enums.GL_RENDERBUFFER, enums.GL_RGBA8, 16, 16)
    renderbuffer = int(names[0])
    gl("GenFramebuffers", 1, names)
    gl("BindFramebuffer", enums.GL_FRAMEBUFFER, int(names[0]))
    gl("FramebufferRenderbuffer", enums.GL_FRAMEBUFFER, enums.GL_COLOR_ATTACHMENT0,
       enums.GL_RENDERBUFFER, renderbuffer)  # fmt: skip
    gl("GenVertexArrays", 1, names)
    for name in (0, int(names[0])):
        gl("BindVertexArray", name)
        for count in (0, 3):
            gl("DrawArrays", enums.GL_TRIANGLES, 0, count)
            print(f"glDrawArrays, array {name}, count {count}: {gl('GetError'):#x}")
    gl("RenderbufferStorage", enums.GL_RENDERBUFFER, enums.GL_R32I, 16, 16)
    for count in (0, 3):
        gl("DrawArrays", enums.GL_TRIANGLES, 0, count)
        print(f"glDrawArrays, whole numbers, count {count}: {gl('GetError'):#x}")


def signed(gl: Headless) -> None:
    """Fragments keep their signs where the target has some: nothing clamps them."""
    names, texel = (ctypes.c_uint * 1)(), (ctypes.c_byte * 4)()
    gl("GenTextures", 1, names)
    gl("BindTexture", 0xDE1, int(names[0]))
    form = enums.GL_RED, enums.GL_BYTE
    gl("TexImage2D", 0xDE1, 0, enums.GL_R8_SNORM, 1, 1, 0, *form, None)
    color = enums.GL_COLOR_ATTACHMENT0
    gl("FramebufferTexture2D", enums.GL_FRAMEBUFFER, color, 0xDE1, int(names[0]), 0)
    made = gl("CreateProgram")
    for kind, text in (
        (enums.GL_VERTEX_SHADER, "gl_Position = vec4(gl_VertexID % 2 * 4 - 1, gl_VertexID / 2 * 4"
                                 " - 1, 0., 1.);"),
        (enums.GL_FRAGMENT_SHADER, "color = vec4(-.5);"),
    ):  # fmt: skip
        shader = gl("CreateShader", kind)
        head = "out vec4 color; " if kind == enums.GL_FRAGMENT_SHADER else ""
        source = ctypes.c_char_p(f"#version 330\n{head}void main() {{ {text} }}".encode())
        gl("ShaderSource", shader, 1, ctypes.byref(source), None)
        gl("CompileShader", shader)
        gl("AttachShader", made, shader)
    gl("LinkProgram", made)
    gl("UseProgram", made)
    gl("Viewport", 0, 0, 1, 1)
    gl("DrawArrays", enums.GL_TRIANGLES, 0, 3)
    gl("GetTexImage", 0xDE1, 0, *form, texel)
    print(f"negative: {texel[0]} {gl('GetError'):#x}")


def parts(gl: Headless) -> None:
    """What is not attached is not copied, whatever else the texture holds."""
    names = (ctypes.c_uint * 2)()
    gl("GenTextures", 2, names)
    for internal, type_ in (
        (enums.GL_DEPTH24_STENCIL8, enums.GL_UNSIGNED_INT_24_8),
        (enums.GL_DEPTH32F_STENCIL8, enums.GL_FLOAT_32_UNSIGNED_INT_24_8_REV),
    ):
        both = enums.GL_DEPTH_STENCIL
        gl("BindTexture", 0xDE1, int(names[0]))
        gl("TexImage2D", 0xDE1, 0, internal, 4, 4, 0, both, type_, None)
        gl("BindTexture", 0xDE1, int(names[1]))
        for place in (enums.GL_DEPTH_ATTACHMENT, enums.GL_STENCIL_ATTACHMENT):
            whole = enums.GL_DEPTH_STENCIL_ATTACHMENT
            gl("FramebufferTexture2D", enums.GL_FRAMEBUFFER, whole, 0xDE1, 0, 0)
            gl("FramebufferTexture2D", enums.GL_FRAMEBUFFER, place, 0xDE1, int(names[0]), 0)
            gl("CopyTexImage2D", 0xDE1, 0, both, 0, 0, 4, 4, 0)
            print(f"copy of {internal:#x} at {place:#x}: {gl('GetError'):#x}")


#: format and type of an image, by the base format of a texture of colours, of depths ...
_PIXELS = {
    enums.GL_DEPTH_COMPONENT: (enums.GL_DEPTH_COMPONENT, enums.GL_FLOAT),
    enums.GL_DEPTH_STENCIL: (enums.GL_DEPTH_STENCIL, enums.GL_UNSIGNED_INT_24_8),
    enums.GL_STENCIL_INDEX: (enums.GL_STENCIL_INDEX, enums.GL_UNSIGNED_BYTE),
}


_READ_AS = (enums.GL_IMPLEMENTATION_COLOR_READ_FORMAT, enums.GL_IMPLEMENTATION_COLOR_READ_TYPE)


def rows() -> Iterator[tuple[int, tuple[object, ...]]]:
    """An enum of each row of our tables, and a call in which it is no mistake where it is known."""
    out = (ctypes.c_double * 16)()
    for cap in CAPS:
        yield cap.enum, ("Disable", cap.enum)
    for param in PARAMS:
        if param.enum in _READ_AS:
            continue  # of a window's framebuffer, which is not here
        yield param.enum, ("GetFloatv", param.enum, out)
    for row in PARAMETERS:
        if row.kind not in (COLOR, ENUMS):
            yield row.pname, ("TexParameteri", 0xDE1, row.pname, int(row.initial))
            for value in row.values:
                yield value, ("TexParameteri", 0xDE1, row.pname, value)
    for hint in state.HINTS:
        yield hint, ("Hint", hint, enums.GL_NICEST)
    for face in (enums.GL_FRONT, enums.GL_BACK, enums.GL_FRONT_AND_BACK):
        yield face, ("PolygonMode", face, enums.GL_FILL)
    for factor, _ in state.SRC_FACTORS:
        yield factor, ("BlendFunc", factor, enums.GL_ZERO)
    for target in TARGETS:
        yield target, ("BindBuffer", target, 0)
    for target in BIND_TARGETS:
        yield target, ("BindTexture", target, 0)
    for name in STRINGS:
        yield name, ("GetString", name)
    for row, base, whole in zip(ROWS, BASES, INTEGER, strict=True):
        if not row.compressed:
            format_, type_ = _PIXELS.get(base, (enums.GL_RGBA, enums.GL_UNSIGNED_BYTE))
            format_ = enums.GL_RGBA_INTEGER if whole else format_
            yield row.enum, ("TexImage2D", 0xDE1, 0, row.enum, 4, 4, 0, format_, type_, None)
    for pixels in FORMATS:
        internal = enums.GL_RGBA8UI if pixels.kind == "integer" else enums.GL_RGBA8
        arguments = (0xDE1, 0, internal, 4, 4, 0, pixels.enum, enums.GL_UNSIGNED_BYTE, None)
        if pixels.kind in ("color", "integer"):
            yield pixels.enum, ("TexImage2D", *arguments)


def main() -> None:
    """Print the lines."""
    gl = Headless(3, 3)
    for name in removed():
        gl(name, *[0] * 10)
        print(f"gl{name}: {gl('GetError'):#x}")
    for name, *values in FINE + ASKED:
        gl(name, *values)
        print(f"gl{name}: {gl('GetError'):#x}")
    for mode in range(16):
        gl("DrawArrays", mode, 0, 0)
        print(f"glDrawArrays, mode {mode}: {gl('GetError'):#x}")
    for enum, (name, *values) in rows():
        gl(name, *values)
        print(f"gl{name}, {enum:#x}: {gl('GetError'):#x}")
    draws(gl)
    signed(gl)
    parts(gl)


if __name__ == "__main__":
    main()
