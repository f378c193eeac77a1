# SPDX-License-Identifier: MIT
"""Which commands display lists keep, and how much memory their pointer arguments mean.

In: nothing. Out: `base_names()`; `pointer_bytes`; image unpacking. What is not named
here (and is no vertex command) runs at once while a list is compiled: queries, object names,
client state, pixel store, buffer objects, glFlush ... (GL 2.1, 5.4). Fixed sizes come from the
registry (`*f4`); the others are rows of SIZES. Images are unpacked when they are compiled, as the
specification wants: a list keeps rows without gaps. Counterpart of the save_* functions of Mesa's
main/dlist.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pydri.api import enums as gl
from pydri.api.dispatch import GLError
from pydri.api.gl_table import TABLE
from pydri.main.direct.tables import COMMANDS as DIRECT
from pydri.main.pixels.blocks import gathered, is_misplaced
from pydri.main.pixels.layout import MAX_PIXEL_MAP
from pydri.main.pixels.tables import (
    FORMAT_NUMBERS,
    FORMATS,
    TYPE_NUMBERS,
    TYPES,
    error_of,
    pixel_bytes,
)
from pydri.main.textures.formats import INTERNAL
from pydri.main.textures.layout import MAX_TEXTURE_LEVELS
from pydri.pipe.format import BY_NAME
from pydri.vbo.native import MAP_SIZES, MAX_ORDER

_INT = (1 << 31) - 1

_NAMES = """
Accum AlphaFunc BindTexture BlendColor BlendEquation BlendEquationSeparate BlendFunc
BlendFuncSeparate CallList CallLists Clear ClearAccum ClearBuffer{fi,fv,iv,uiv}
ClearColor{,IiEXT,IuiEXT} ClearDepth ClearIndex ClearStencil
ClipControl ClipPlane ColorMask ColorMaterial CullFace DepthFunc DepthMask DepthRange Disable Enable
DrawBuffer DrawBuffers EvalCoord1{d,dv,f,fv} EvalCoord2{d,dv,f,fv} EvalMesh{1,2} EvalPoint{1,2}
Fog{f,fv,i,iv} FrontFace Frustum Hint IndexMask InitNames Light{f,fv,i,iv} LightModel{f,fv,i,iv}
LineStipple
LineWidth ListBase LoadIdentity LoadMatrix{d,f} LoadName LoadTransposeMatrix{d,f} MultMatrix{d,f}
MultTransposeMatrix{d,f} LogicOp Map1{d,f} Map2{d,f} MapGrid1{d,f} MapGrid2{d,f}
Material{f,fv,i,iv} MatrixMode Ortho PassThrough PixelMap{fv,uiv,usv} PixelTransfer{f,i} PixelZoom
PointParameter{f,fv,i,iv} PointSize PolygonMode PolygonOffset{,Clamp,EXT} PolygonStipple PopAttrib
PopMatrix PopName PrioritizeTextures PushAttrib PushMatrix PushName RasterPos2{d,dv,f,fv,i,iv,s,sv}
RasterPos3{d,dv,f,fv,i,iv,s,sv} RasterPos4{d,dv,f,fv,i,iv,s,sv} ReadBuffer Rotate{d,f} Scale{d,f}
Translate{d,f} SampleCoverage Scissor ShadeModel StencilFunc StencilFuncSeparate{,ATI} StencilMask
StencilMaskSeparate StencilOp StencilOpSeparate ActiveStencilFaceEXT TexEnv{f,fv,i,iv}
TexGen{d,dv,f,fv,i,iv} TexParameter{f,fv,i,iv,Iiv,Iuiv} ActiveTexture TexImage{1D,2D,3D}
TexImage3DEXT TexSubImage{1D,2D,3D} CompressedTexImage{1D,2D,3D} CompressedTexSubImage{1D,2D,3D}
CopyTexImage{1D,2D} CopyTexSubImage{1D,2D,3D} CopyPixels DrawPixels Bitmap Viewport
WindowPos2{d,dv,f,fv,i,iv,s,sv} WindowPos3{d,dv,f,fv,i,iv,s,sv} UseProgram UniformBlockBinding
Uniform1{f,fv,i,iv}
Uniform2{f,fv,i,iv} Uniform3{f,fv,i,iv} Uniform4{f,fv,i,iv}
Uniform1{ui,uiv} Uniform2{ui,uiv} Uniform3{ui,uiv} Uniform4{ui,uiv}
UniformMatrix{2fv,3fv,4fv,2x3fv,3x2fv,2x4fv,4x2fv,3x4fv,4x3fv} BindProgramARB ProgramStringARB
ProgramEnvParameter4{d,dv,f,fv}ARB ProgramLocalParameter4{d,dv,f,fv}ARB ProgramEnvParameters4fvEXT
ProgramLocalParameters4fvEXT BeginQuery{,Indexed} EndQuery{,Indexed} QueryCounter
BeginTransformFeedback EndTransformFeedback BindTransformFeedback PauseTransformFeedback
ResumeTransformFeedback DrawTransformFeedback{,Instanced,Stream,StreamInstanced}
BindSampler SamplerParameter{f,fv,i,iv,Iiv,Iuiv} BindFragmentShaderATI SetFragmentShaderConstantATI
BeginConditionalRender EndConditionalRender BlitFramebuffer ClampColor ProvokingVertex ColorMaski
Enablei Disablei BlendFunci BlendFuncSeparatei BlendEquationi BlendEquationSeparatei
"""


#: commands after which the current values of a list are not known any more
CHANGES_CURRENT = frozenset(
    ("glCallList", "glCallLists", "glPopAttrib", "glEvalMesh1", "glEvalMesh2")
)


def _expand(word: str) -> list[str]:
    head, brace, rest = word.partition("{")
    if not brace:
        return ["gl" + word]
    middle, _, tail = rest.partition("}")
    return [f"gl{head}{m}{tail}" for m in middle.split(",")]


def base_names() -> list[str]:
    """The listable commands that are not vertex commands, without aliases."""
    return [*_plain_names(), *DIRECT_BASES]


def _plain_names() -> list[str]:
    return [name for word in _NAMES.split() for name in _expand(word)]


def _direct_bases() -> dict[str, tuple[str, int]]:
    """Commands of direct state access that lists keep, since they keep what those are: that, and
    how many arguments come before its own."""
    plain = set(_plain_names())
    return {row.entry: (row.base, row.leading) for row in DIRECT if row.base in plain}


DIRECT_BASES = _direct_bases()

#: Commands with one number that lists keep, and run, as the commands with several, the others being
#: 0: then glTexParameterf takes a border colour. GL 2.1 asks for GL_INVALID_ENUM (3.8.4: one number
#: is for "a single-valued parameter"), and gets it outside of lists; in lists Mesa has always taken
#: it, and piglit's gl-1.0-beginend-coverage wants it taken.
VECTORS = {
    name: f"{name.removesuffix('EXT')}v{'EXT' if name.endswith('EXT') else ''}"
    for base in ("glTexParameterf", "glTexParameteri")
    for name in (base, *(entry for entry, (plain, _) in DIRECT_BASES.items() if plain == base))
}


# -- sizes of pointer arguments --------------------------------------------------------------------

ELEMENT = {
    "f": 4,
    "d": 8,
    "i": 4,
    "I": 4,
    "E": 4,
    "s": 2,
    "S": 2,
    "c": 1,
    "C": 1,
    "b": 1,
    "v": 1,
    "l": 8,
    "L": 8,
    "B": 4,
}

_COLORS = dict.fromkeys(
    (gl.GL_AMBIENT, gl.GL_DIFFUSE, gl.GL_SPECULAR, gl.GL_EMISSION, gl.GL_AMBIENT_AND_DIFFUSE), 4
)
_TEXTURE = {gl.GL_TEXTURE_BORDER_COLOR: 4, gl.GL_TEXTURE_SWIZZLE_RGBA: 4}
_BY_PNAME: dict[str, dict[int, int]] = {
    "glLight": {**_COLORS, gl.GL_POSITION: 4, gl.GL_SPOT_DIRECTION: 3},
    "glLightModel": {gl.GL_LIGHT_MODEL_AMBIENT: 4},
    "glFog": {gl.GL_FOG_COLOR: 4},
    "glMaterial": {**_COLORS, gl.GL_COLOR_INDEXES: 3},
    "glTexEnv": {gl.GL_TEXTURE_ENV_COLOR: 4},
    "glTexGen": {gl.GL_OBJECT_PLANE: 4, gl.GL_EYE_PLANE: 4},
    "glTexParameter": _TEXTURE,
    "glSamplerParameter": _TEXTURE,
    "glPointParameter": {gl.GL_POINT_DISTANCE_ATTENUATION: 3},
}
LIST_TYPE_BYTES = {
    gl.GL_BYTE: 1,
    gl.GL_UNSIGNED_BYTE: 1,
    gl.GL_SHORT: 2,
    gl.GL_UNSIGNED_SHORT: 2,
    gl.GL_INT: 4,
    gl.GL_UNSIGNED_INT: 4,
    gl.GL_FLOAT: 4,
    gl.GL_2_BYTES: 2,
    gl.GL_3_BYTES: 3,
    gl.GL_4_BYTES: 4,
}


def _map_end(ops: Any, target: Any, first: int, *axes: tuple[Any, Any]) -> Any:
    """Numbers up to the last control point's last; `axes` are (stride, order)."""
    rows = {first + n: size for n, size in enumerate(MAP_SIZES)}
    point = ops.pick(target, rows, 0)
    out = point
    for stride, order in axes:
        out = out + ops.within(order, 1, MAX_ORDER, order - 1) * ops.within(stride, 1, _INT, stride)
    for _, order in axes:  # what glMap refuses is not read
        out = ops.within(order, 1, MAX_ORDER, out)
    return ops.within(point, 1, 4, out)


def _map1(ops: Any, a: Sequence[Any]) -> Any:
    return _map_end(ops, a[0], gl.GL_MAP1_COLOR_4, (a[3], a[4]))


def _map2(ops: Any, a: Sequence[Any]) -> Any:
    return _map_end(ops, a[0], gl.GL_MAP2_COLOR_4, (a[3], a[4]), (a[7], a[8]))


def _argument(n: int, times: int = 1, most: int = _INT) -> Any:
    """As many as the n-th argument says, some times; none if it says more than `most`."""
    return lambda ops, a: ops.within(a[n], 0, most, a[n]) * times


def _picked(n: int, rows: dict[int, int]) -> Any:
    """As many as the n-th argument, an enum, means; others mean one."""
    return lambda ops, a: ops.pick(a[n], rows, 1)


def _matrix_size(name: str) -> int:
    dims = name[len("glUniformMatrix") : -2].split("x")
    return int(dims[0]) * int(dims[-1])


#: Elements that the pointer argument of a command means, from its arguments. `ops` computes with
#: them: `pick(value, rows, default)` looks up, `within(value, low, high, x)` is x or 0.
SIZES: dict[str, Callable[[Any, Sequence[Any]], Any]] = {
    "glCallLists": lambda ops, a: (
        ops.within(a[0], 0, _INT, a[0]) * ops.pick(a[1], LIST_TYPE_BYTES, 0)
    ),
    "glMap1f": _map1,
    "glMap1d": _map1,
    "glMap2f": _map2,
    "glMap2d": _map2,
    "glPrioritizeTextures": _argument(0),
    **{f"glClearBuffer{n}v": _picked(0, {gl.GL_COLOR: 4}) for n in ("f", "i", "ui")},
    **{f"gl{of}ParameterI{n}v": _picked(1, _TEXTURE)
       for of in ("Tex", "Sampler") for n in ("i", "ui")},
    "glDrawBuffers": _argument(0, most=32),  # more are an error
    "glProgramStringARB": _argument(2),
    "glProgramEnvParameters4fvEXT": _argument(2, 4),
    "glProgramLocalParameters4fvEXT": _argument(2, 4),
}


def pointer_bytes(ops: Any, name: str, code: str, args: Sequence[Any]) -> Any:
    """Bytes behind the pointer argument with registry code `code` (`*f4`, `*v` ...); `ops` as for
    SIZES.
    """
    if name in DIRECT_BASES:
        name, leading = DIRECT_BASES[name]
        args = args[leading:]
    inner = code[1:] if code[0] == "*" else "v"
    count = inner.lstrip("".join(ELEMENT))
    element = ELEMENT[inner[0]]
    if name in SIZES:
        return SIZES[name](ops, args) * element
    if name.startswith("glUniformMatrix"):
        return _argument(1, _matrix_size(name) * element)(ops, args)
    if name.startswith("glUniform"):
        return _argument(1, int(name[len("glUniform")]) * element)(ops, args)
    if count:
        return int(count) * element
    family = name[:-2]
    if family in _BY_PNAME:
        pname = args[0] if family in ("glFog", "glLightModel", "glPointParameter") else args[1]
        return ops.pick(pname, _BY_PNAME[family], 1) * element
    raise KeyError(f"{name}: no size for its pointer argument")


def map_bytes(code: str, size: int) -> int:
    """Bytes of a pixel map of `size` values; a size that glPixelMap refuses is not read."""
    return size * ELEMENT[code[1]] if 0 < size <= MAX_PIXEL_MAP else 0


# -- images ----------------------------------------------------------------------------------------

_IMAGES = frozenset(
    (
        "glTexImage1D",
        "glTexImage2D",
        "glTexImage3D",
        "glTexImage3DEXT",
        "glTexSubImage1D",
        "glTexSubImage2D",
        "glTexSubImage3D",
        "glDrawPixels",
        "glBitmap",
        "glPolygonStipple",
    )
)
#: those whose images are blocks
_BLOCKS = frozenset(f"glCompressedTex{part}Image{n}D" for part in ("", "Sub") for n in "123")
#: commands whose last parameter is an image in client memory: the command, or what it is by name
IMAGES = {
    **{name: name for name in _IMAGES | _BLOCKS},
    **{name: base for name, (base, _) in DIRECT_BASES.items() if base in _IMAGES | _BLOCKS},
}
#: by the dimensions of an image: the targets that only ask whether a texture could be
PROXIES: dict[int, tuple[int, ...]] = {
    1: (gl.GL_PROXY_TEXTURE_1D,),
    2: (gl.GL_PROXY_TEXTURE_2D, gl.GL_PROXY_TEXTURE_CUBE_MAP, gl.GL_PROXY_TEXTURE_RECTANGLE,
        gl.GL_PROXY_TEXTURE_1D_ARRAY),
    3: (gl.GL_PROXY_TEXTURE_3D, gl.GL_PROXY_TEXTURE_2D_ARRAY, gl.GL_PROXY_TEXTURE_CUBE_MAP_ARRAY),
}  # fmt: skip


def proxies(name: str) -> tuple[int, ...]:
    """The targets with which a command is a question, executed at once (GL 2.1, 5.4); () where it
    is none whatever the target."""
    base = IMAGES.get(name, name)
    dims = base.partition("Image")[2][:1]
    return PROXIES[int(dims)] if dims and "Sub" not in base else ()


#: the longest edge that an image of a texture has, with both of its borders
LARGEST = (1 << (MAX_TEXTURE_LEVELS - 1)) + 2


class _Layout(NamedTuple):
    """Where an image lies: bytes of a row, of a plane, to the first pixel, and what of a row is
    used; `bit`: the first one's place in its byte, of bitmaps."""

    stride: int
    plane: int
    start: int
    used: int
    bit: int
    element: int


def _layout(
    size: tuple[int, int, int], format_: int, type_: int, unpack: Sequence[int]
) -> _Layout | None:
    """None where format or type mean nothing, or not together."""
    alignment, row_length, skip_rows, skip_pixels, image_height, skip_images = unpack[:6]
    width, height, _ = size
    length = row_length or width
    if type_ == gl.GL_BITMAP:
        element, bit = 1, skip_pixels % 8
        stride, left, used = (length + 7) // 8, skip_pixels // 8, (bit + width + 7) // 8
    else:
        if error_of(format_, type_):
            return None
        kind = TYPES[TYPE_NUMBERS[type_]]
        pixel = pixel_bytes(FORMATS[FORMAT_NUMBERS[format_]], kind)
        element, bit = kind.bytes, 0
        stride, left, used = pixel * length, skip_pixels * pixel, width * pixel
    stride = (stride + alignment - 1) // alignment * alignment
    plane = stride * (image_height or height)
    return _Layout(
        stride, plane, skip_images * plane + skip_rows * stride + left, used, bit, element
    )


def _end(place: _Layout, size: tuple[int, int, int]) -> int:
    """Bytes from where an image was given to the end of its last row."""
    _, height, depth = size
    return place.start + (depth - 1) * place.plane + (height - 1) * place.stride + place.used


def _tight_bits(row: bytes, bit: int, width: int, lsb_first: int) -> bytes:
    if lsb_first:  # the least significant bit is the first pixel
        row = bytes(int(f"{v:08b}"[::-1], 2) for v in row)
    bits = int.from_bytes(row, "big") << bit & (1 << 8 * len(row)) - 1
    return bits.to_bytes(len(row), "big")[: (width + 7) // 8]


def unpack_image(
    address: int, size: tuple[int, int, int], format_: int, type_: int, unpack: Sequence[int],
    memory: Callable[[int, int, int], int] | None = None,
) -> bytes | None:  # fmt: skip
    """An image in client memory under pixel store state `unpack` as rows without gaps; None where
    format or type mean nothing. `memory(address, end, element)`: what the address means.
    """
    width, height, depth = size = tuple(max(0, n) for n in size)  # type: ignore[assignment]
    place = _layout(size, format_, type_, unpack)
    if place is None or not (width and height and depth):
        return None if place is None else b""
    if memory is not None:
        address = memory(address, _end(place, size), place.element)
    if not address:
        return None
    rows = [
        ctypes.string_at(address + place.start + z * place.plane + y * place.stride, place.used)
        for z in range(depth)
        for y in range(height)
    ]
    if type_ == gl.GL_BITMAP:
        return b"".join(_tight_bits(row, place.bit, width, unpack[7]) for row in rows)
    data = b"".join(rows)
    if unpack[6] and place.element > 1:
        swapped = bytearray(len(data))
        for n in range(place.element):
            swapped[n :: place.element] = data[place.element - 1 - n :: place.element]
        data = bytes(swapped)
    return data


def blocks_of(
    name: str, args: dict[str, Any], unpack: Sequence[int], sizes: Sequence[int],
    memory: Callable[[int, int, int], int],
) -> bytes | None:  # fmt: skip
    """The blocks of a command of IMAGES without gaps; `sizes` are the store parameters of blocks.
    None where the command will be refused before it reads: of a format that has none, or another
    number of bytes."""
    row = INTERNAL.get(args.get("internalformat", args.get("format", 0)))
    size = (args["width"], args.get("height", 1), args.get("depth", 1))
    if row is None or not row.compressed or row.answer != row.enum or min(size) <= 0:
        return None
    blocks, dims = BY_NAME[row.formats[0]], int(IMAGES[name][-2])
    box = -(-size[0] // blocks.width) * blocks.bytes, -(-size[1] // blocks.height), size[2]
    if box[0] * box[1] * box[2] != args["imageSize"]:
        return None
    if is_misplaced(unpack, sizes, dims):
        raise GLError(gl.GL_INVALID_OPERATION)
    return gathered(list(args.values())[-1], box, dims, unpack, sizes, memory)


def image_of(
    name: str, args: dict[str, Any], unpack: Sequence[int],
    memory: Callable[[int, int, int], int] | None = None,
) -> bytes | None:  # fmt: skip
    """The tight image of a command of IMAGES; `args` by the names of the parameters in the
    registry, the image last. `memory` as in unpack_image. None where no texture is that large: the
    command will be refused, so the memory that it speaks of need not be there.
    """
    address = list(args.values())[-1]
    bits = (gl.GL_COLOR_INDEX, gl.GL_BITMAP, unpack, memory)
    if name == "glPolygonStipple":
        return unpack_image(address, (32, 32, 1), *bits)
    size = (args["width"], args.get("height", 1), args.get("depth", 1))
    if name == "glBitmap":
        return unpack_image(address, size, *bits)
    if "Tex" in name and max(size) > LARGEST:
        return None
    return unpack_image(address, size, args["format"], args["type"], unpack, memory)


def missing() -> list[str]:
    """Names above that the registry does not know (none; a test looks)."""
    return [name for name in base_names() if name not in TABLE.slots]
