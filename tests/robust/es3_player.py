# SPDX-License-Identifier: MIT
"""What OpenGL ES 3.0 does with each internal format, on the libEGL that is found, a fact a line:
whether textures (by glTexStorage2D) and renderbuffers have it, and whether both are drawn to; what
images of the other formats may be given (format and type)."""

import ctypes

from pydri.api import enums as gl
from pydri.api.where import registered
from pydri.main.pixels.tables import FORMATS, TYPES
from pydri.main.textures.formats import INTERNAL
from tests.robust.headless import Headless

#: of swizzles there; as formats the peer lets them pass (es_formats.py)
SWIZZLES = {gl.GL_GREEN, gl.GL_BLUE}
PLACES = {
    gl.GL_DEPTH_COMPONENT: gl.GL_DEPTH_ATTACHMENT, gl.GL_STENCIL_INDEX: gl.GL_STENCIL_ATTACHMENT,
    gl.GL_DEPTH_STENCIL: gl.GL_DEPTH_STENCIL_ATTACHMENT,
}  # fmt: skip


def here(enum: int) -> bool:
    """Whether OpenGL ES 3.0 has it."""
    try:
        return 0 < registered(enum).es2 <= 30
    except KeyError:
        return False


def error(es: Headless) -> str:
    """The first error since the last time."""
    found = es("GetError")
    while es("GetError"):
        pass
    return f"{found:#x}"


def main() -> None:
    """Print the facts."""
    es = Headless(3, 0, es=True)
    names = (ctypes.c_uint * 2)(1, 2)
    es("BindFramebuffer", gl.GL_FRAMEBUFFER, 1)
    for row in (row for row in INTERNAL.values() if row.enum > 4 and here(row.enum)):
        place = PLACES.get(row.base, gl.GL_COLOR_ATTACHMENT0)
        told = []
        es("BindTexture", gl.GL_TEXTURE_2D, 1)
        es("TexStorage2D", gl.GL_TEXTURE_2D, 1, row.enum, 8, 8)
        told.append(error(es))
        es("FramebufferTexture2D", gl.GL_FRAMEBUFFER, place, gl.GL_TEXTURE_2D, 1, 0)
        told.append(f"{es('CheckFramebufferStatus', gl.GL_FRAMEBUFFER):#x}")
        es("FramebufferTexture2D", gl.GL_FRAMEBUFFER, place, gl.GL_TEXTURE_2D, 0, 0)
        es("DeleteTextures", 1, names)
        es("BindRenderbuffer", gl.GL_RENDERBUFFER, 1)
        es("RenderbufferStorage", gl.GL_RENDERBUFFER, row.enum, 8, 8)
        told.append(error(es))
        es("FramebufferRenderbuffer", gl.GL_FRAMEBUFFER, place, gl.GL_RENDERBUFFER, 1)
        told.append(f"{es('CheckFramebufferStatus', gl.GL_FRAMEBUFFER):#x}")
        es("FramebufferRenderbuffer", gl.GL_FRAMEBUFFER, place, gl.GL_RENDERBUFFER, 0)
        es("DeleteRenderbuffers", 1, names)
        error(es)
        print(f"{row.enum:#x} {gl.name_of(row.enum)}: {' '.join(told)}", flush=True)
        es("BindTexture", gl.GL_TEXTURE_2D, 2)
        for form in (form for form in FORMATS if here(form.enum) and form.enum not in SWIZZLES):
            for kind in (kind for kind in TYPES if here(kind.enum)):
                es("TexImage2D", gl.GL_TEXTURE_2D, 0, row.enum, 4, 4, 0, form.enum, kind.enum, None)
                if error(es) == "0x0":
                    pair = gl.name_of(form.enum), gl.name_of(kind.enum)
                    print(f"{row.enum:#x} {gl.name_of(row.enum)} of {' '.join(pair)}", flush=True)
    encoding(es)
    reads(es)
    depths(es)
    objects(es)


#: formats and types that pixels are asked for in
_READ_FORMATS = (
    gl.GL_RGBA, gl.GL_BGRA, gl.GL_RGB, gl.GL_RED, gl.GL_RG, gl.GL_RGBA_INTEGER, gl.GL_RED_INTEGER,
    gl.GL_ALPHA, gl.GL_LUMINANCE,
)  # fmt: skip
_READ_TYPES = (
    gl.GL_UNSIGNED_BYTE, gl.GL_FLOAT, gl.GL_HALF_FLOAT, gl.GL_INT, gl.GL_UNSIGNED_INT, gl.GL_SHORT,
    gl.GL_UNSIGNED_INT_2_10_10_10_REV, gl.GL_UNSIGNED_SHORT_5_6_5,
)  # fmt: skip


def reads(es: Headless) -> None:
    """Which formats and types each kind of surface is read in."""
    room = (ctypes.c_ubyte * 64)()
    for internal in (
        gl.GL_RGBA8, gl.GL_RGB8, gl.GL_RGB565, gl.GL_R8, gl.GL_RG8, gl.GL_RGB10_A2, gl.GL_RGBA16F,
        gl.GL_R32F, gl.GL_R11F_G11F_B10F, gl.GL_RGBA8I, gl.GL_R16I, gl.GL_RG32UI, gl.GL_RGBA32UI,
        gl.GL_RGB10_A2UI, gl.GL_SRGB8_ALPHA8,
    ):  # fmt: skip
        es("BindRenderbuffer", gl.GL_RENDERBUFFER, 7)
        es("RenderbufferStorage", gl.GL_RENDERBUFFER, internal, 1, 1)
        color = gl.GL_COLOR_ATTACHMENT0
        es("FramebufferRenderbuffer", gl.GL_FRAMEBUFFER, color, gl.GL_RENDERBUFFER, 7)
        if es("CheckFramebufferStatus", gl.GL_FRAMEBUFFER) != gl.GL_FRAMEBUFFER_COMPLETE:
            continue
        for form in _READ_FORMATS:
            for kind in _READ_TYPES:
                es("ReadPixels", 0, 0, 1, 1, form, kind, room)
                what = f"{gl.name_of(internal)} as {gl.name_of(form)} {gl.name_of(kind)}"
                print(f"{what}: {error(es)}", flush=True)


def depths(es: Headless) -> None:
    """Which formats and types depths and stencil values are read in."""
    room = (ctypes.c_ubyte * 64)()
    es("FramebufferRenderbuffer", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_RENDERBUFFER, 0)
    for internal in (
        gl.GL_DEPTH_COMPONENT16, gl.GL_DEPTH_COMPONENT24, gl.GL_DEPTH_COMPONENT32F,
        gl.GL_DEPTH24_STENCIL8, gl.GL_DEPTH32F_STENCIL8, gl.GL_STENCIL_INDEX8,
    ):  # fmt: skip
        es("BindRenderbuffer", gl.GL_RENDERBUFFER, 7)
        es("RenderbufferStorage", gl.GL_RENDERBUFFER, internal, 1, 1)
        whole = gl.GL_DEPTH_STENCIL_ATTACHMENT
        es("FramebufferRenderbuffer", gl.GL_FRAMEBUFFER, whole, gl.GL_RENDERBUFFER, 0)
        place = PLACES[INTERNAL[internal].base]
        es("FramebufferRenderbuffer", gl.GL_FRAMEBUFFER, place, gl.GL_RENDERBUFFER, 7)
        es("ClearDepthf", 0.25)
        es("ClearStencil", 77)
        es("Clear", gl.GL_DEPTH_BUFFER_BIT | gl.GL_STENCIL_BUFFER_BIT)
        for form in PLACES:
            for kind in (
                gl.GL_UNSIGNED_BYTE, gl.GL_UNSIGNED_SHORT, gl.GL_UNSIGNED_INT, gl.GL_FLOAT,
                gl.GL_UNSIGNED_INT_24_8, gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV,
            ):  # fmt: skip
                es("ReadPixels", 0, 0, 1, 1, form, kind, room)
                what = f"{gl.name_of(internal)} as {gl.name_of(form)} {gl.name_of(kind)}"
                told = error(es)
                high = f" {bytes(room)[2:4].hex()}" if kind == gl.GL_UNSIGNED_INT_24_8 else ""
                high = f" {room[0]}" if form == gl.GL_STENCIL_INDEX else high
                print(f"{what}: {told}{high if told == '0x0' else ''}", flush=True)
    es("FramebufferRenderbuffer", gl.GL_FRAMEBUFFER, whole, gl.GL_RENDERBUFFER, 0)


def objects(es: Headless) -> None:
    """What a new renderbuffer has, names that nobody generated, fractions as integers, blits."""
    number, wide = ctypes.c_int(), (ctypes.c_int64 * 4)()
    es("BindRenderbuffer", gl.GL_RENDERBUFFER, 8)
    pname = gl.GL_RENDERBUFFER_INTERNAL_FORMAT
    es("GetRenderbufferParameteriv", gl.GL_RENDERBUFFER, pname, ctypes.byref(number))
    print(f"new renderbuffer: {number.value:#x}")
    threads, status = gl.GL_MAX_SHADER_COMPILER_THREADS_KHR, gl.GL_COMPLETION_STATUS_KHR
    es("GetIntegerv", threads, ctypes.byref(number))
    print(f"threads that compile: {number.value:#x}")
    es("MaxShaderCompilerThreadsKHR", 3)
    es("GetIntegerv", threads, ctypes.byref(number))
    es("GetShaderiv", es("CreateShader", gl.GL_VERTEX_SHADER), status, ctypes.byref(wide))
    print(f"then: {number.value:#x} {wide[0]} {error(es)}")
    es("BeginQuery", gl.GL_ANY_SAMPLES_PASSED, 4711)
    print(f"query without a name: {error(es)}")
    es("ClearColor", 0.5, 1.0, 0.0, 0.25)
    es("GetInteger64v", gl.GL_COLOR_CLEAR_VALUE, wide)
    print(f"clear colour: {list(wide)}")
    es("Viewport", 40000, -40000, 99, 99)
    box = (ctypes.c_int * 4)()
    es("GetIntegerv", gl.GL_VIEWPORT, box)
    print(f"viewport: {list(box)}")
    es("ReadBuffer", gl.GL_FRONT)
    print(f"read buffer: {error(es)}")
    es("RenderbufferStorageMultisample", gl.GL_RENDERBUFFER, 99, gl.GL_RGBA4, 1, 1)
    print(f"too many samples: {error(es)}")
    pname = gl.GL_NUM_SAMPLE_COUNTS
    es("GetInternalformativ", gl.GL_TEXTURE_2D, gl.GL_RGBA8, pname, 1, ctypes.byref(number))
    print(f"samples of textures: {error(es)}")
    es("BindTexture", gl.GL_TEXTURE_2D, 20)
    blocks = gl.GL_COMPRESSED_RGBA8_ETC2_EAC
    es("CompressedTexImage2D", gl.GL_TEXTURE_2D, 0, blocks, 0, 0, 1, 0, None)
    print(f"border of blocks: {error(es)}")
    for internal, form, kind in (
        (gl.GL_RGB8_SNORM, gl.GL_RGB, gl.GL_BYTE), (gl.GL_SRGB8, gl.GL_RGB, gl.GL_UNSIGNED_BYTE),
        (gl.GL_RGBA16F, gl.GL_RGBA, gl.GL_FLOAT), (gl.GL_RGB, gl.GL_RGB, gl.GL_UNSIGNED_BYTE),
        (gl.GL_RGB9_E5, gl.GL_RGB, gl.GL_FLOAT), (gl.GL_R8I, gl.GL_RED_INTEGER, gl.GL_BYTE),
        (gl.GL_RED, gl.GL_RED, gl.GL_UNSIGNED_BYTE), (gl.GL_RGB32F, gl.GL_RGB, gl.GL_FLOAT),
        (gl.GL_SRGB8_ALPHA8, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE),
        (gl.GL_DEPTH_COMPONENT16, gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_SHORT),
    ):  # fmt: skip
        es("TexImage2D", gl.GL_TEXTURE_2D, 0, internal, 4, 4, 0, form, kind, None)
        es("GenerateMipmap", gl.GL_TEXTURE_2D)
        print(f"mipmaps of {gl.name_of(internal)}: {error(es)}")
    for n, (internal, samples) in enumerate(((gl.GL_RGBA8, 4), (gl.GL_RGBA8, 0), (gl.GL_RGBA4, 0))):
        es("BindRenderbuffer", gl.GL_RENDERBUFFER, 10 + n)
        es("RenderbufferStorageMultisample", gl.GL_RENDERBUFFER, samples, internal, 32, 32)
        es("BindFramebuffer", gl.GL_FRAMEBUFFER, 10 + n)
        color = gl.GL_COLOR_ATTACHMENT0
        es("FramebufferRenderbuffer", gl.GL_FRAMEBUFFER, color, gl.GL_RENDERBUFFER, 10 + n)
    for source in range(10, 13):
        for target in range(10, 13):
            es("BindFramebuffer", gl.GL_READ_FRAMEBUFFER, source)
            es("BindFramebuffer", gl.GL_DRAW_FRAMEBUFFER, target)
            for x in (0, 2):
                es("BlitFramebuffer", 0, 0, 16, 16, x, x, 16 + x, 16 + x, gl.GL_COLOR_BUFFER_BIT,
                   gl.GL_NEAREST)  # fmt: skip
                print(f"blit of {source} to {target} by {x}: {error(es)}")


def encoding(es: Headless) -> None:
    """What half of the colour is in a texture of encoded bytes."""
    pixel = (ctypes.c_ubyte * 4)()
    es("BindTexture", gl.GL_TEXTURE_2D, 3)
    es("TexStorage2D", gl.GL_TEXTURE_2D, 1, gl.GL_SRGB8_ALPHA8, 8, 8)
    es("FramebufferTexture2D", gl.GL_FRAMEBUFFER, gl.GL_COLOR_ATTACHMENT0, gl.GL_TEXTURE_2D, 3, 0)
    es("ClearColor", 0.5, 0.25, 0.0, 0.5)
    es("Clear", gl.GL_COLOR_BUFFER_BIT)
    es("ReadPixels", 0, 0, 1, 1, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pixel)
    print(f"0x0 encoded: {list(pixel)} {error(es)}")


if __name__ == "__main__":
    main()
