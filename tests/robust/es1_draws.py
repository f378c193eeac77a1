# SPDX-License-Identifier: MIT
"""What OpenGL ES 1.1 draws on the libEGL that is found, a fact a line: arrays of its types, sizes
of points, rectangles of textures, palettes, coordinates that are generated, operations. Pictures
are small, and told by colours that no rounding changes."""

import ctypes
from typing import Any

from pydri.api import enums as gl
from tests.robust.es1_player import error, fixed, floats, kept, texels
from tests.robust.headless import Headless

SIZE = 16
FLAT = gl.GL_TEXTURE_2D
#: two triangles over all of the target, as fixed-point numbers and as bytes
CORNERS = (-1, -1, 1, -1, -1, 1, 1, 1)


def shorts(*values: int) -> Any:
    return kept(ctypes.c_short, *values)


def signed(*values: int) -> Any:
    return kept(ctypes.c_byte, *values)


def color(es: Headless, *values: float) -> None:
    """The current colour; the peer's rectangles have one of earlier, unless it was asked for."""
    es("Color4x", *fixed(*values))
    es("GetFloatv", gl.GL_CURRENT_COLOR, floats(0, 0, 0, 0))


def told(es: Headless, what: str) -> None:
    """The picture: a letter for each colour (16 steps a channel), rows from below; the error."""
    pixels = (ctypes.c_ubyte * (4 * SIZE * SIZE))()
    es("ReadPixels", 0, 0, SIZE, SIZE, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixels)
    colors = ["".join(f"{(value + 8) // 17:x}" for value in pixels[n : n + 4])
              for n in range(0, len(pixels), 4)]
    letters = {color: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[n % 52]
               for n, color in enumerate(dict.fromkeys(colors))}
    rows = ["".join(letters[color] for color in colors[n : n + SIZE])
            for n in range(0, SIZE * SIZE, SIZE)]
    print(f"{what}: {' '.join(rows)} {letters} {error(es):#x}", flush=True)


def spots(es: Headless, what: str) -> None:
    """The colours in the middle of each side."""
    pixel, colors = (ctypes.c_ubyte * 4)(), []
    for x, y in ((8, 1), (1, 8), (14, 7), (7, 14)):
        es("ReadPixels", x, y, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixel)
        colors.append(list(pixel))
    print(f"{what}: {colors} {error(es):#x}", flush=True)


def clear(es: Headless) -> None:
    es("Clear", gl.GL_COLOR_BUFFER_BIT | gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT)


def quad(es: Headless) -> None:
    """All of the target."""
    es("VertexPointer", 2, gl.GL_FIXED, 0, fixed(*CORNERS))
    es("EnableClientState", gl.GL_VERTEX_ARRAY)
    es("DrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)


def image(es: Headless, name: int, side: int, values: Any) -> None:
    """A texture of RGBA texels, looked at one by one."""
    es("BindTexture", FLAT, name)
    form = gl.GL_RGBA, gl.GL_UNSIGNED_BYTE
    es("TexImage2D", FLAT, 0, gl.GL_RGBA, side, side, 0, *form, values)
    plain(es)


def plain(es: Headless, target: int = FLAT) -> None:
    for pname in (gl.GL_TEXTURE_MIN_FILTER, gl.GL_TEXTURE_MAG_FILTER):
        es("TexParameterx", target, pname, gl.GL_NEAREST)


def steps(side: int) -> Any:
    """Texels that differ."""
    size = side * side
    return texels(*(v for n in range(size) for v in (n * 255 // (size - 1) & 0xF0, 255 - n * 16,
                                                     n % side * 64, 255)))  # fmt: skip


def arrays(es: Headless) -> None:
    """Types of arrays."""
    es("EnableClientState", gl.GL_VERTEX_ARRAY)
    for kind, values in ((gl.GL_FIXED, fixed(*(n / 2 for n in CORNERS))),
                         (gl.GL_BYTE, signed(*CORNERS)), (gl.GL_SHORT, shorts(*CORNERS)),
                         (gl.GL_FLOAT, floats(*(n * 0.75 for n in CORNERS)))):
        clear(es)
        es("VertexPointer", 2, kind, 0, values)
        es("DrawArrays", gl.GL_TRIANGLE_STRIP, 0, 4)
        told(es, f"vertices {kind:#x}")
    es("EnableClientState", gl.GL_COLOR_ARRAY)
    es("ShadeModel", gl.GL_FLAT)
    colors = (0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1)
    for kind, values in ((gl.GL_FIXED, fixed(*colors)), (gl.GL_FLOAT, floats(*colors)),
                         (gl.GL_UNSIGNED_BYTE, texels(*(255 * n for n in colors)))):
        clear(es)
        es("ColorPointer", 4, kind, 0, values)
        quad(es)
        told(es, f"colours {kind:#x}")
    es("DisableClientState", gl.GL_COLOR_ARRAY)
    es("ShadeModel", gl.GL_SMOOTH)
    es("Enable", gl.GL_LIGHTING)
    es("Enable", gl.GL_LIGHT0)
    es("EnableClientState", gl.GL_NORMAL_ARRAY)
    for kind, values in ((gl.GL_BYTE, signed(*(0, 0, 127) * 4)),
                         (gl.GL_FIXED, fixed(*(0, 0, 1) * 4))):
        clear(es)
        es("NormalPointer", kind, 0, values)
        quad(es)
        told(es, f"normals {kind:#x}")
    for cap in (gl.GL_LIGHTING, gl.GL_LIGHT0):
        es("Disable", cap)
    es("DisableClientState", gl.GL_NORMAL_ARRAY)
    clear(es)
    es("VertexPointer", 2, gl.GL_BYTE, 0, signed(*CORNERS))
    es("DrawElements", gl.GL_TRIANGLES, 3, gl.GL_UNSIGNED_INT, (ctypes.c_uint * 3)(0, 1, 2))
    told(es, "whole numbers as indices")


def points(es: Headless) -> None:
    """Sizes by vertices, attenuated; sprites."""
    es("EnableClientState", gl.GL_VERTEX_ARRAY)
    es("VertexPointer", 2, gl.GL_FLOAT, 0, floats(-0.6875, -0.6875, 0.1875, 0.1875))
    es("PointSizex", 65536)
    clear(es)
    es("DrawArrays", gl.GL_POINTS, 0, 2)
    told(es, "points")
    es("EnableClientState", gl.GL_POINT_SIZE_ARRAY_OES)
    for kind, values in ((gl.GL_FLOAT, floats(3, 7)), (gl.GL_FIXED, fixed(5, 1))):
        clear(es)
        es("PointSizePointerOES", kind, 0, values)
        es("DrawArrays", gl.GL_POINTS, 0, 2)
        told(es, f"sizes {kind:#x}")
    es("DisableClientState", gl.GL_POINT_SIZE_ARRAY_OES)
    es("PointSizex", 12 << 16)
    es("PointParameterxv", gl.GL_POINT_DISTANCE_ATTENUATION, fixed(16, 0, 0))
    clear(es)
    es("DrawArrays", gl.GL_POINTS, 0, 2)
    told(es, "attenuated")
    es("PointParameterxv", gl.GL_POINT_DISTANCE_ATTENUATION, fixed(1, 0, 0))
    image(es, 1, 4, steps(4))
    for cap in (FLAT, gl.GL_POINT_SPRITE):
        es("Enable", cap)
    es("TexEnvx", gl.GL_POINT_SPRITE, gl.GL_COORD_REPLACE, 1)
    es("TexEnvx", gl.GL_TEXTURE_ENV, gl.GL_TEXTURE_ENV_MODE, gl.GL_REPLACE)
    es("PointSizex", 8 << 16)
    es("VertexPointer", 2, gl.GL_FLOAT, 0, floats(0, 0))
    clear(es)
    es("DrawArrays", gl.GL_POINTS, 0, 1)
    told(es, "sprite")
    for cap in (FLAT, gl.GL_POINT_SPRITE):
        es("Disable", cap)
    es("VertexPointer", 2, gl.GL_FLOAT, 0, floats(1.1, 0))
    clear(es)
    es("DrawArrays", gl.GL_POINTS, 0, 1)
    told(es, "a point whose centre is outside")


def rectangles(es: Headless) -> None:
    """glDrawTexOES."""
    image(es, 2, 4, steps(4))
    es("Enable", FLAT)
    es("TexEnvx", gl.GL_TEXTURE_ENV, gl.GL_TEXTURE_ENV_MODE, gl.GL_REPLACE)
    for crop in ((0, 0, 4, 4), (1, 1, 2, 2), (4, 0, -4, 4), (0, 4, 4, -4), (2, 0, 4, 4)):
        es("TexParameteriv", FLAT, gl.GL_TEXTURE_CROP_RECT_OES, (ctypes.c_int * 4)(*crop))
        clear(es)
        es("DrawTexiOES", 2, 3, 0, 4, 4)
        told(es, f"crop {crop}")
    es("TexParameteriv", FLAT, gl.GL_TEXTURE_CROP_RECT_OES, (ctypes.c_int * 4)(0, 0, 4, 4))
    clear(es)
    es("DrawTexxOES", *fixed(-4, 1, 0, 8, 12))
    told(es, "larger, over a side")
    clear(es)
    es("DrawTexsvOES", shorts(8, 8, 0, 40, 4))
    told(es, "over another side")
    clear(es)
    es("DrawTexfvOES", floats(1.25, 2.25, 0.5, 3.5, 4))
    told(es, "between pixels")
    for size in ((0, 4), (4, -1)):
        es("DrawTexiOES", 2, 3, 0, *size)
        print(f"size {size}: {error(es):#x}")
    ignored(es)
    depths(es)
    several(es)


def ignored(es: Headless) -> None:
    """What such a rectangle does not know, and what it does."""
    es("MatrixMode", gl.GL_TEXTURE)
    es("Translatex", *fixed(0.25, 0, 0))
    es("MatrixMode", gl.GL_MODELVIEW)
    es("Translatex", *fixed(0.5, 0, 0))
    es("Viewport", 3, 3, 5, 5)
    es("ClipPlanex", gl.GL_CLIP_PLANE0, fixed(-1, 0, 0, -1))
    es("CullFace", gl.GL_FRONT)
    for cap in (gl.GL_LIGHTING, gl.GL_CULL_FACE, gl.GL_CLIP_PLANE0):
        es("Enable", cap)
        clear(es)
        es("DrawTexiOES", 2, 3, 0, 8, 4)
        told(es, f"ignored {cap:#x}")
        es("Disable", cap)
    clear(es)
    es("Enable", gl.GL_SCISSOR_TEST)
    es("Scissor", 4, 4, 3, 8)
    es("DrawTexiOES", 2, 3, 0, 8, 4)
    es("Disable", gl.GL_SCISSOR_TEST)
    told(es, "scissored")
    es("Viewport", 0, 0, SIZE, SIZE)
    es("LoadIdentity")
    es("MatrixMode", gl.GL_TEXTURE)
    es("LoadIdentity")
    es("MatrixMode", gl.GL_MODELVIEW)
    es("TexEnvx", gl.GL_TEXTURE_ENV, gl.GL_TEXTURE_ENV_MODE, gl.GL_MODULATE)
    color(es, 0, 1, 0, 1)
    clear(es)
    es("DrawTexiOES", 2, 3, 0, 8, 4)
    color(es, 1, 1, 1, 1)
    told(es, "by the colour")
    es("Disable", FLAT)
    clear(es)
    es("DrawTexiOES", 2, 3, 0, 8, 4)
    told(es, "without a texture")
    quad(es)
    told(es, "state is kept")
    es("Enable", FLAT)


def depths(es: Headless) -> None:
    """The third coordinate."""
    es("Enable", gl.GL_DEPTH_TEST)
    color(es, 1, 0, 0, 1)
    for z in (-1.0, 0.25, 0.75, 2.0):
        es("ClearDepthx", 0x8000)
        clear(es)
        es("DrawTexfOES", 2.0, 3.0, z, 8.0, 4.0)
        told(es, f"depth {z}")
    es("ClearDepthx", 0x10000)
    es("Disable", gl.GL_DEPTH_TEST)
    color(es, 1, 1, 1, 1)


def several(es: Headless) -> None:
    """Two units, each with its own rectangle."""
    es("ActiveTexture", gl.GL_TEXTURE1)
    image(es, 3, 2, texels(*(255, 255, 255, 255, 0, 255, 0, 255) * 2))
    es("TexParameteriv", FLAT, gl.GL_TEXTURE_CROP_RECT_OES, (ctypes.c_int * 4)(0, 0, 2, 2))
    es("Enable", FLAT)
    clear(es)
    es("DrawTexiOES", 2, 3, 0, 8, 8)
    told(es, "two units")
    es("Disable", FLAT)
    es("ActiveTexture", gl.GL_TEXTURE0)
    es("Disable", FLAT)


def palettes(es: Headless) -> None:
    """Images of each format, and levels."""
    es("Enable", FLAT)
    es("TexEnvx", gl.GL_TEXTURE_ENV, gl.GL_TEXTURE_ENV_MODE, gl.GL_REPLACE)
    for n, size in enumerate((3, 4, 2, 2, 2) * 2):
        colors = 16 if n < 5 else 256
        palette = [(k * 37 + 11) & 255 for k in range(colors * size)]
        numbers = [(k * 29 + 3) & 255 for k in range(8 if n < 5 else 16)]
        data = texels(*palette, *numbers)
        es("BindTexture", FLAT, 20 + n)
        es("CompressedTexImage2D", FLAT, 0, gl.GL_PALETTE4_RGB8_OES + n, 4, 4, 0, len(data), data)
        plain(es)
        es("TexParameteriv", FLAT, gl.GL_TEXTURE_CROP_RECT_OES, (ctypes.c_int * 4)(0, 0, 4, 4))
        clear(es)
        es("DrawTexiOES", 0, 0, 0, 16, 16)
        told(es, f"palette {n}")
    format_, entries = gl.GL_PALETTE4_RGBA8_OES, [v for k in range(16) for v in (k * 17, 0, 0, 255)]
    data = texels(*entries, *([0x11] * 8), *([0x77] * 2), 0xFF)
    es("BindTexture", FLAT, 40)
    es("CompressedTexImage2D", FLAT, -2, format_, 4, 4, 0, len(data), data)
    print(f"levels: {error(es):#x}")
    es("TexParameterx", FLAT, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST_MIPMAP_NEAREST)
    es("TexParameteriv", FLAT, gl.GL_TEXTURE_CROP_RECT_OES, (ctypes.c_int * 4)(0, 0, 4, 4))
    clear(es)
    for n, side in enumerate((4, 2, 1)):
        es("DrawTexiOES", 5 * n, 0, 0, side, side)
    told(es, "levels")
    for level, border, size in ((1, 0, 72), (-9, 0, 72), (0, 1, 72), (0, 0, 71), (-40, 0, 72)):
        es("CompressedTexImage2D", FLAT, level, format_, 4, 4, border, size, data)
        print(f"level {level}, border {border}, size {size}: {error(es):#x}")
    es("Disable", FLAT)


def cubes(es: Headless) -> None:
    """Faces, and coordinates from normals."""
    cube = gl.GL_TEXTURE_CUBE_MAP
    es("BindTexture", cube, 50)
    for face in range(6):
        data = texels(*([40 * face, 255 - 40 * face, 0, 255] * 4))
        form = gl.GL_RGBA, gl.GL_UNSIGNED_BYTE
        target = gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X + face
        es("TexImage2D", target, 0, gl.GL_RGBA, 2, 2, 0, *form, data)
    plain(es, cube)
    for cap in (cube, gl.GL_TEXTURE_GEN_STR_OES):
        es("Enable", cap)
    str_, mode = gl.GL_TEXTURE_GEN_STR_OES, gl.GL_TEXTURE_GEN_MODE
    for number in (gl.GL_NORMAL_MAP, gl.GL_REFLECTION_MAP):
        es("TexGenfOES", str_, mode, float(number))  # the peer's glTexGeniOES sets one of three
        for normal in ((1, 0, 0), (0, -1, 0), (0, 0, 1)):
            es("Normal3x", *fixed(*normal))
            clear(es)
            quad(es)
            spots(es, f"generated {number:#x} {normal}")
    for cap in (cube, gl.GL_TEXTURE_GEN_STR_OES):
        es("Disable", cap)


def operations(es: Headless) -> None:
    """Tests, blending, fog, combiners."""
    color(es, 0.25, 1, 0, 0.5)
    es("Enable", gl.GL_BLEND)
    for equation in (gl.GL_FUNC_ADD, gl.GL_FUNC_SUBTRACT, gl.GL_FUNC_REVERSE_SUBTRACT, gl.GL_MIN):
        es("ClearColorx", *fixed(1, 0.25, 1, 1))
        clear(es)
        es("BlendEquationOES", equation)
        es("BlendFuncSeparateOES", gl.GL_ONE, gl.GL_ONE, gl.GL_ONE, gl.GL_ZERO)
        quad(es)
        told(es, f"equation {equation:#x}")
    es("Disable", gl.GL_BLEND)
    es("ClearColorx", 0, 0, 0, 0)
    es("Enable", gl.GL_ALPHA_TEST)
    for func in (gl.GL_LESS, gl.GL_GREATER):
        clear(es)
        es("AlphaFuncx", func, 0x4000)
        quad(es)
        told(es, f"alpha {func:#x}")
    es("Disable", gl.GL_ALPHA_TEST)
    es("Enable", gl.GL_FOG)
    es("Fogx", gl.GL_FOG_MODE, gl.GL_LINEAR)
    es("Fogxv", gl.GL_FOG_COLOR, fixed(0, 0, 1, 1))
    es("Fogx", gl.GL_FOG_START, *fixed(-1))
    es("Fogx", gl.GL_FOG_END, *fixed(1))
    clear(es)
    quad(es)
    es("DrawTexiOES", 2, 3, 0, 8, 4)
    told(es, "fog")
    es("Disable", gl.GL_FOG)
    image(es, 60, 1, texels(255, 128, 0, 255))
    es("Enable", FLAT)
    env = gl.GL_TEXTURE_ENV
    es("TexEnvx", env, gl.GL_TEXTURE_ENV_MODE, gl.GL_COMBINE)
    es("TexEnvxv", env, gl.GL_TEXTURE_ENV_COLOR, fixed(1, 0.5, 1, 1))
    es("TexEnvx", env, gl.GL_SRC1_RGB, gl.GL_CONSTANT)
    for combine in (gl.GL_DOT3_RGB, gl.GL_SUBTRACT, gl.GL_ADD_SIGNED, gl.GL_MODULATE):
        es("TexEnvx", env, gl.GL_COMBINE_RGB, combine)
        clear(es)
        quad(es)
        told(es, f"combine {combine:#x}")
    es("Color4x", *fixed(1, 1, 1, 1))
    mipmaps(es)


def mipmaps(es: Headless) -> None:
    """GL_GENERATE_MIPMAP, and formats of bytes."""
    env = gl.GL_TEXTURE_ENV
    es("TexEnvx", env, gl.GL_TEXTURE_ENV_MODE, gl.GL_REPLACE)
    es("BindTexture", FLAT, 61)
    es("TexParameterx", FLAT, gl.GL_GENERATE_MIPMAP, 1)
    form = gl.GL_LUMINANCE_ALPHA, gl.GL_UNSIGNED_BYTE
    es("TexImage2D", FLAT, 0, form[0], 2, 2, 0, *form, texels(255, 255, 0, 255, 255, 255, 0, 255))
    es("TexParameterx", FLAT, gl.GL_TEXTURE_MIN_FILTER, gl.GL_NEAREST_MIPMAP_NEAREST)
    es("TexParameteriv", FLAT, gl.GL_TEXTURE_CROP_RECT_OES, (ctypes.c_int * 4)(0, 0, 2, 2))
    clear(es)
    es("DrawTexiOES", 2, 3, 0, 1, 1)
    es("DrawTexiOES", 8, 3, 0, 2, 2)
    told(es, "made levels")
    es("Disable", FLAT)


def target(es: Headless) -> None:
    """Something to draw to."""
    depth = gl.GL_DEPTH24_STENCIL8
    for n, (internal, places) in enumerate((
        (gl.GL_RGBA8, (gl.GL_COLOR_ATTACHMENT0,)),
        (depth, (gl.GL_DEPTH_ATTACHMENT, gl.GL_STENCIL_ATTACHMENT)),
    )):
        es("BindRenderbufferOES", gl.GL_RENDERBUFFER, n + 1)
        es("RenderbufferStorageOES", gl.GL_RENDERBUFFER, internal, SIZE, SIZE)
        es("BindFramebufferOES", gl.GL_FRAMEBUFFER, 1)
        for place in places:
            es("FramebufferRenderbufferOES", gl.GL_FRAMEBUFFER, place, gl.GL_RENDERBUFFER, n + 1)
    print(f"status: {es('CheckFramebufferStatusOES', gl.GL_FRAMEBUFFER):#x}")
    es("Viewport", 0, 0, SIZE, SIZE)


def main() -> None:
    """Print the facts."""
    es = Headless(1, 1, es=True)
    target(es)
    for part in (arrays, points, rectangles, palettes, cubes, operations):
        part(es)


if __name__ == "__main__":
    main()
