# SPDX-License-Identifier: MIT
"""What shaders and points of OpenGL ES 3.0 see, on the libEGL that is found, a fact a line: what
Khronos' tests found wrong once. Every answer is one that no rounding changes."""

import ctypes

from pydri.api import enums as gl
from tests.robust.headless import Headless

SIZE = 16
#: a triangle over all of the target
COVER = """#version 300 es
void main() {
    gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}"""
HEAD = """#version 300 es
precision highp float; precision highp int;
out vec4 color;
"""
#: the same as far as distances of each vertex, made of its number and START, let it be drawn
DISTANCES = COVER.replace("es\n", "es\n#extension GL_EXT_clip_cull_distance : require\n").replace(
    "}", "    gl_ClipDistance[1] = gl_VertexID == 1 ? -6.0 : 2.0;\n"
    "    gl_CullDistance[0] = 1.0;\n    gl_CullDistance[2] = float(gl_VertexID) - START;\n}")
#: a 5 pixels wide point whose centre is off the view volume
POINT = """#version 300 es
void main() { gl_Position = vec4(1.1, 0.0, 0.0, 1.0); gl_PointSize = 5.0; }"""


def program(es: Headless, vertex: str, fragment: str, captured: str = "") -> None:
    """Link and use."""
    made = es("CreateProgram")
    for kind, text in ((gl.GL_VERTEX_SHADER, vertex), (gl.GL_FRAGMENT_SHADER, HEAD + fragment)):
        shader = es("CreateShader", kind)
        source = ctypes.c_char_p(text.encode())
        es("ShaderSource", shader, 1, ctypes.byref(source), None)
        es("CompileShader", shader)
        es("AttachShader", made, shader)
    if captured:
        name = ctypes.c_char_p(captured.encode())
        mode = gl.GL_INTERLEAVED_ATTRIBS
        es("TransformFeedbackVaryings", made, 1, ctypes.byref(name), mode)
    es("LinkProgram", made)
    es("UseProgram", made)


def drawn(es: Headless, fragment: str) -> list[int]:
    """The colour that a fragment shader gives."""
    program(es, COVER, fragment)
    es("Clear", gl.GL_COLOR_BUFFER_BIT)
    es("DrawArrays", gl.GL_TRIANGLES, 0, 3)
    pixel = (ctypes.c_ubyte * 4)()
    es("ReadPixels", 3, 5, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixel)
    return list(pixel)


def texels(*values: int) -> ctypes.Array:
    return (ctypes.c_ubyte * len(values))(*values)


def image(es: Headless, target: int, level: int, side: int, red: list[int]) -> None:
    """Rows of RGBA texels by their red."""
    data = texels(*(channel for value in red for channel in (value, 0, 0, 255)))
    form = gl.GL_RGBA, gl.GL_UNSIGNED_BYTE
    es("TexImage2D", target, level, gl.GL_RGBA8, side, side, 0, *form, data)


def filters(es: Headless, target: int, low: int, high: int) -> None:
    es("TexParameteri", target, gl.GL_TEXTURE_MIN_FILTER, low)
    es("TexParameteri", target, gl.GL_TEXTURE_MAG_FILTER, high)


def levels(es: Headless) -> None:
    """Levels are there for textureSize and texelFetch whatever the filter is; up to a level of
    detail of 0 a texture is magnified, beyond it minified."""
    es("BindTexture", gl.GL_TEXTURE_2D, 1)
    for level, side in enumerate((8, 4, 2, 1)):
        image(es, gl.GL_TEXTURE_2D, level, side, [(n + level) % 2 * 255 for n in range(side**2)])
    filters(es, gl.GL_TEXTURE_2D, gl.GL_NEAREST, gl.GL_NEAREST)
    sizes = "vec4(textureSize(s, 2), textureSize(s, 0))"
    text = f"uniform sampler2D s; void main() {{ color = {sizes} / 8.; }}"
    print("sizes:", drawn(es, text))
    text = "uniform sampler2D s; void main() { color = texelFetch(s, ivec2(0, 0), 1); }"
    print("texel of level 1:", drawn(es, text))
    filters(es, gl.GL_TEXTURE_2D, gl.GL_NEAREST_MIPMAP_NEAREST, gl.GL_LINEAR)
    for lod in (-0.25, 0.25):
        look = f"textureLod(s, vec2(.24, .3), {lod})"
        text = f"uniform sampler2D s; void main() {{ color = {look}; }}"
        print(f"level of detail {lod}: mixed" if 0 < drawn(es, text)[0] < 255 else f"{lod}: one")


def cubes(es: Headless) -> None:
    """The last column of a face is at its edge, however a sampler wraps."""
    target = gl.GL_TEXTURE_CUBE_MAP
    es("BindTexture", target, 2)
    for face in range(6):
        edges = [0, 255] * 2 if face == 0 else [255, 0] * 2 if face == 5 else [0] * 4
        image(es, gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, 2, edges)
    filters(es, target, gl.GL_NEAREST, gl.GL_NEAREST)
    es("TexParameteri", target, gl.GL_TEXTURE_WRAP_S, gl.GL_REPEAT)
    text = "uniform samplerCube s; void main() { color = texture(s, vec3(1., .25, -1.)); }"
    print("edge:", drawn(es, text))


def encoded(es: Headless) -> None:
    """Both channels of GL_SRG8_EXT are encoded."""
    es("BindTexture", gl.GL_TEXTURE_2D, 3)
    form = gl.GL_RG, gl.GL_UNSIGNED_BYTE
    es("TexImage2D", gl.GL_TEXTURE_2D, 0, gl.GL_SRG8_EXT, 1, 1, 0, *form, texels(128, 128))
    filters(es, gl.GL_TEXTURE_2D, gl.GL_NEAREST, gl.GL_NEAREST)
    text = "uniform sampler2D s; void main() { color = step(.3, texture(s, vec2(.5))); }"
    print("encoded:", drawn(es, text))


def points(es: Headless) -> None:
    """Points are not clipped by their centres; what lies in the viewport is drawn."""
    program(es, POINT, "void main() { color = vec4(1.0); }")
    es("Viewport", 4, 4, 8, 8)
    es("Clear", gl.GL_COLOR_BUFFER_BIT)
    es("DrawArrays", gl.GL_POINTS, 0, 1)
    pixels = (ctypes.c_ubyte * (4 * SIZE * SIZE))()
    es("ReadPixels", 0, 0, SIZE, SIZE, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels)
    lit = [divmod(n, SIZE) for n in range(SIZE * SIZE) if pixels[4 * n]]
    print("point:", lit)


def distances(es: Headless) -> None:
    """What is clipped and what is culled (EXT_clip_cull_distance)."""
    es("Viewport", 0, 0, SIZE, SIZE)
    es("Enable", gl.GL_CLIP_DISTANCE1)
    told = []
    for start in (-0.5, 0.5, 2.5, 0.5):
        program(es, DISTANCES.replace("START", str(start)), "void main() { color = vec4(1.0); }")
        es("Clear", gl.GL_COLOR_BUFFER_BIT)
        es("DrawArrays", gl.GL_TRIANGLES, 0, 3)
        pixels = (ctypes.c_ubyte * (4 * SIZE * SIZE))()
        es("ReadPixels", 0, 0, SIZE, SIZE, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels)
        told.append(sum(pixels[::4]) // 255)
    es("Disable", gl.GL_CLIP_DISTANCE1)
    print("distances:", *told)


def captures(es: Headless) -> None:
    """A draw whose vertices do not fit into the buffer is an error; what fits takes its room."""
    program(es, COVER, "void main() { color = vec4(1.0); }", captured="gl_Position")
    target, start = gl.GL_TRANSFORM_FEEDBACK_BUFFER, 16
    es("BindBuffer", target, 7)
    es("BufferData", target, start + 4 * 3 * 16 + 40, None, gl.GL_STATIC_DRAW)
    es("BindBufferRange", target, 0, 7, start, 4 * 3 * 16 + 40)
    es("BeginTransformFeedback", gl.GL_TRIANGLES)
    told = []
    for count, instances in ((15, 1), (6, 1), (3, 3), (3, 2), (2, 9), (3, 1)):
        es("DrawArraysInstanced", gl.GL_TRIANGLES, 0, count, instances)
        told.append(f"{es('GetError'):#x}")
    es("PauseTransformFeedback")
    es("DrawArrays", gl.GL_TRIANGLES, 0, 3)
    es("ResumeTransformFeedback")
    es("EndTransformFeedback")
    es("BeginTransformFeedback", gl.GL_TRIANGLES)
    es("DrawArrays", gl.GL_TRIANGLES, 0, 12)
    es("EndTransformFeedback")
    print("room:", *told, f"{es('GetError'):#x}")


def main() -> None:
    """Print the facts."""
    es = Headless(3, 0, es=True)
    es("BindRenderbuffer", gl.GL_RENDERBUFFER, 1)
    es("RenderbufferStorage", gl.GL_RENDERBUFFER, gl.GL_RGBA8, SIZE, SIZE)
    es("BindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    color = gl.GL_COLOR_ATTACHMENT0
    es("FramebufferRenderbuffer", gl.GL_FRAMEBUFFER, color, gl.GL_RENDERBUFFER, 1)
    es("Viewport", 0, 0, SIZE, SIZE)
    for part in (levels, cubes, encoded, points, distances, captures):
        part(es)
    print(f"error: {es('GetError'):#x}")


if __name__ == "__main__":
    main()
