# SPDX-License-Identifier: MIT
"""Arguments for random calls: a type and a group of enums come from the registry, what neither can
say stands in the tables below, a row for each parameter that is special.

An argument is a number, None (a null pointer) or a tuple: ("m", offset) in the player's block of
memory, which stays as it is after the call; ("a", type, values) an array for this call; ("o",
bytes) room for an answer; ("s", text); ("P", offsets) an array of pointers into the block; ("k", n)
the n-th sync object that was made. All of it can be written as JSON.

PLAIN is for sequences whose result GL defines: no infinities, nothing read beyond its end.
"""

import random
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydri.api.apis import COMPAT, ES1
from tests.robust import fuzz_contexts
from tests.robust.fuzz_registry import Command, Param, registry

# The player's block: regions of one kind of content each, with room before and behind.
FLOATS, DOUBLES, BYTES, HALVES = 1 << 16, 2 << 20, 4 << 20, 6 << 20
INDICES8, INDICES16, INDICES32 = 8 << 20, 9 << 20, 10 << 20
SOURCES = 11 << 20
SELECTION, FEEDBACK, OUT = 12 << 20, 13 << 20, 14 << 20
OUT_ROOM = 64 << 20  # of each of up to four threads: a texture of 1000 x 1000 x 4 floats
ROOM = OUT + 5 * OUT_ROOM  # memory that nobody touches costs nothing
VERTICES = 300  # that every array has
PLAIN_FLOATS = [0.0, 1.0, -1.0, 0.5, 2.0, 10.0]
WILD_FLOATS = [*PLAIN_FLOATS, -0.0, 1e-40, 1e38, float("inf"), float("nan"), -1e38]
PLAIN_INTS = [0, 1, 2, 3, 7, 64, 200, 255, -1]
WILD_INTS = [*PLAIN_INTS, 1000, 32767, 32768, 65535, 0x7FFFFFFF, -2, -0x80000000]
BITS = {"c": 8, "C": 8, "s": 16, "S": 16, "i": 32, "I": 32, "b": 8, "E": 32}
NO_ENUM = 0xDEAD  # of no version and no extension

#: of contexts without quads: each of theirs more often than one that there isn't, or is with
#: geometry shaders alone
_MODES = (*range(7), *range(7), 7, 10, 11, 12, 13)
NAMES = (0, 1, 2, 3, 4)  # of objects
PIXEL_BUFFERS = (20, 21)  # buffers that pixels and answers of queries are written to
_COUNTS = (0, 1, 3, 4, 7, 60, 290, -1)
_SIZES = (0, 1, 7, 40, -1)
_ENDS = (0, 1, 4, 16, 1000, 4000, 65536, 1 << 33, -1)
_WORDS = tuple(end for end in _ENDS if end < 0 or end % 4 == 0)
_WHOLE = (65536, 65537, 131072, -1)
#: commands that read the program's arrays: how far says no pointer of theirs
_READS_ARRAYS = re.compile(r"gl(Draw|Lock)Arrays|glArrayElement")
#: internal formats: numbers of components, sizes of every kind, of blocks, none
_STORED = (1, 3, 4, 0x1906, 0x1907, 0x1908, 0x1909, 0x8049, 0x8051, 0x8058, 0x8059, 0x805B, 0x8C43,
           0x1902, 0x81A6, 0x84F9, 0x88F0, 0x8229, 0x8F94, 0x881A, 0x8814, 0x8C3A, 0x8C3D, 0x8D7C,
           0x8D82, 0x83F0, 0x83F3, 0x8DBB, NO_ENUM)  # fmt: skip
#: of plain sequences: images of theirs are of the stories, as good as no other call makes one
_ANY = tuple(range(-2, 101))
_COLUMN = "(Vertex|Color|SecondaryColor|Normal|TexCoord|Index|FogCoord|EdgeFlag|VertexAttribI?)"


class Row(NamedTuple):
    """Values of the parameters that a pattern names (`param`) in commands that another one names;
    a function takes the choice and the values of the parameters before. `plain`: for sequences
    whose result is defined, where it must be other values.
    """

    command: str
    param: str
    values: Any
    plain: Any = None


def _indices(r: random.Random, before: list[Any]) -> Any:
    """Where indices of the type among the arguments before lie."""
    where = {0x1401: INDICES8, 0x1403: INDICES16, 0x1405: INDICES32}
    kinds = [where[v] for v in before if isinstance(v, int) and v in where]
    return ("m", kinds[-1] if kinds else INDICES32)


def _pixels(r: random.Random, before: list[Any]) -> Any:
    """Texels of the type among the arguments before."""
    kind = next((v for v in reversed(before) if isinstance(v, int)), 0)
    return ("m", {0x1406: FLOATS, 0x140B: HALVES}.get(kind, BYTES))


def _array(r: random.Random, before: list[Any]) -> Any:
    """A client array of the type among the arguments before."""
    regions = {0x1406: FLOATS, 0x140A: DOUBLES, 0x140B: HALVES}
    kinds = [regions[v] for v in before if isinstance(v, int) and v in regions]
    return ("m", (kinds or [BYTES])[-1] + r.choice((0, 0, 64, 4096)))


def _unsigned(*choices: int) -> Any:
    return lambda r, before: ("a", "I", [r.choice(choices) for _ in range(4)])


def _numbers(*choices: int) -> Any:
    return lambda r, before: ("a", "i", [r.choice(choices) for _ in range(4)])


def _indirect(r: random.Random, before: list[Any]) -> Any:
    """Commands of indirect draws in the program's memory: every word is harmless as any field."""
    return ("a", "I", [r.choice((0, 1, 3, 4, 5)) for _ in range(40)])


def _pointers(r: random.Random, before: list[Any]) -> Any:
    return ("P", [_indices(r, before)[1] for _ in range(4)])


#: formats that glClearBufferData fills a buffer with -> those of the pixel, for words that are
#: small: a colour without alpha has one of 1.0
_CLEARED = {
    0x8229: (0x1903, 0x1908), 0x8058: (0x1908,), 0x8814: (0x1908,),  # R8, RGBA8, RGBA32F
    0x8236: (0x8D94, 0x8D99), 0x8D70: (0x8D99,),  # R32UI, RGBA32UI
}  # fmt: skip


def _cleared_format(r: random.Random, before: list[Any]) -> Any:
    """A pixel's format beside the format among the arguments before; now and then no good one."""
    good = next((_CLEARED[v] for v in before if v in _CLEARED), (0x1903,))
    return r.choice((*good, *good, NO_ENUM))


def _cleared_data(r: random.Random, before: list[Any]) -> Any:
    """Zeros, or a whole number where the buffer gets whole numbers."""
    word = r.choice((0, 5, 63)) if any(v in (0x8D94, 0x8D99) for v in before) else 0
    return r.choice((None, ("a", "I", [word] * 4)))


#: what shaders are made of in compatibility contexts, and their variables; the player's block holds
#: the texts
_COMPATIBLE = (
    "attribute vec4 a; uniform mat4 m; varying vec4 v; void main() {"
    " v = a; gl_FrontColor = gl_BackColor = a; gl_Position = m * a; }",
    "uniform vec3 u[3]; varying vec4 v; void main() { gl_FragColor = vec4(u[1] * v.x, 1.0); }",
    "uniform sampler2D s; void main() { gl_FragColor = texture2D(s, gl_TexCoord[0].xy); }",
    "uniform ivec2 i; void main() { gl_FrontColor = gl_BackColor = gl_Color;"
    " gl_Position = ftransform() + vec4(i, 0, 0); }",
    "void main() { gl_Position = vec4(0.5) }",  # an error
)
#: and in those without what was deprecated: as many of the same use
_MODERN = (
    "HEAD TAKES vec4 a; uniform mat4 m; GIVES vec4 v; void main() { v = a; gl_Position = m * a; }",
    "HEAD uniform vec3 u[3]; GETS vec4 v; OUT void main() { COLOR = vec4(u[1] * v.x, 1.0); }",
    "HEAD uniform sampler2D s; GETS vec4 v; OUT void main() { COLOR = TEXTURE(s, v.xy); }",
    "HEAD TAKES vec4 a; uniform ivec2 i; GIVES vec4 v; void main() {"
    " v = a; gl_Position = vec4(a.xyz * 0.5, 1.0) + vec4(vec2(i) * 0.25, 0.0, 0.0); }",
    "HEAD void main() { gl_Position = vec4(0.5) }",  # an error
)
#: and of GLSL 3.30 and 3.00 ES: blocks of uniforms, whole numbers; a geometry shader, and what is
#: behind it
_BLOCKS = (
    "HEAD TAKES vec4 a; TAKES ivec4 n; layout(std140) uniform Block { vec4 scale; mat4 turn; }"
    " block; GIVES vec4 v; flat GIVES ivec4 w; void main() { v = a * block.scale; w = n;"
    " gl_Position = vec4(a.xyz * 0.5, 1.0) + 0.25 * block.turn[0]; }",
    "HEAD GETS vec4 v; flat GETS ivec4 w; uniform uvec2 k; OUT void main() {"
    " COLOR = fract(abs(v)) * 0.5 + vec4(w & 3) * 0.125 + vec4(k.x % 3u) * 0.125; }",
    "HEAD layout(triangles) in; layout(triangle_strip, max_vertices = 3) out; in vec4 v[];"
    " out vec4 z; void main() { for (int i = 0; i < 3; i++) { z = v[i] * 0.5;"
    " gl_Position = gl_in[i].gl_Position.yxzw; EmitVertex(); } }",
    "HEAD GETS vec4 z; OUT void main() { COLOR = z; }",
)


def _spelled(text: str, glsl: fuzz_contexts.Dialect) -> str:
    names = {"HEAD ": glsl.head, "TAKES": glsl.takes, "GIVES": glsl.gives, "GETS": glsl.gets,
             "OUT": glsl.out, "COLOR": glsl.color, "TEXTURE": glsl.texture}  # fmt: skip
    return re.sub("HEAD |[A-Z]{3,}", lambda found: names[found[0]], text)


def shaders() -> tuple[str, ...]:
    """The texts of shaders for the kind of contexts that is played."""
    kind = fuzz_contexts.kind()
    if kind.api in (COMPAT, ES1):
        return _COMPATIBLE
    texts = (*_MODERN, *(_BLOCKS if kind.glsl.takes == "in" else ()))
    return tuple(_spelled(text, kind.glsl) for text in texts)


SHADER_ROOM = 512  # bytes of each of them
#: what transform feedback captures of the first of them, and what there is not; behind them
CAPTURED = ("v", "gl_Position", "gl_TexCoord[0]", "v[1]", "nothing", "gl_NextBuffer",
            "gl_SkipComponents2")  # fmt: skip
VARIABLES = ("a", "m", "u", "u[1]", "u[9]", "s", "i", "gl_Vertex", "gl_ModelViewMatrix", "b", "")


def _sources(r: random.Random, before: list[Any]) -> Any:
    return ("P", [SOURCES + SHADER_ROOM * r.randrange(len(shaders())) for _ in range(4)])


def _captured(r: random.Random, before: list[Any]) -> Any:
    """Names, mostly such as there are."""
    numbers = [r.choice((0, 1, 0, 1, r.randrange(len(CAPTURED)))) for _ in range(4)]
    return ("P", [SOURCES + SHADER_ROOM * (len(shaders()) + n) for n in numbers])


def _lengths(r: random.Random, before: list[Any]) -> Any:
    """Of the texts: whole, to their ends by zero, or cut off."""
    return r.choice((None, ("a", "i", [r.choice((-1, -1, SHADER_ROOM, 40, 0)) for _ in range(4)])))


def _name_list(r: random.Random, before: list[Any]) -> Any:
    """Bytes that are names of lists of any type."""
    return ("a", "C", [r.choice((0, 0, 1, 2, 3)) for _ in range(64)])


ROWS = (
    # draws
    Row(r"glDraw|glMultiDraw|glMultiMode", "(prim|draw|maxdraw)count", (0, 1, 2, 4, -1)),
    Row(r"gl(Draw|MultiDraw|MultiMode)", "instance_?count|primcount", (0, 1, 3, -1)),
    Row(r"gl(Draw|MultiDraw)\w*IndirectCount", "indirect|drawcount", (0, 4, 64, 2, -4)),
    Row(r"gl(Draw|MultiDraw)\w*Indirect", "indirect", _indirect),
    Row(r"gl(Draw|MultiDraw)\w*Indirect", "stride", (0, 16, 20, 4, 3, -4), (0, 16, 20, 3)),
    Row(r"glMulti(Mode)?Draw", "first|count", _numbers(0, 0, 3, 5, 60), _numbers(0, 3, 5, 60)),
    Row(r"glMultiModeDraw", "mode", _unsigned(0, 1, 4, 5, 9, 77)),
    Row(r"glMultiModeDraw", "modestride", (4, 4, 0)),
    Row(r"glMulti(Mode)?DrawElements", "indices", _pointers),
    Row(r"glMultiDraw", "basevertex", _numbers(0, 1, 5, 100)),
    Row(r"glDraw", "basevertex|baseinstance", (0, 1, 5, 100)),
    Row(r"gl(Draw|Lock)Arrays", "first", (0, 0, 1, 5, -1)),
    Row(r"gl(Draw|Lock)", "count", _COUNTS),
    # what indices outside of the range draw is not defined: plain ones are all within (0 to 63), or
    # the range is an error
    Row(r"glDrawRangeElements", "start", (0, 5, 9, 3, 0xFFFFFFFF), (0, 0, 100)),
    Row(r"glDrawRangeElements", "end", (0, 5, 9, 3, 0xFFFFFFFF), (64, 70)),
    Row(r"glDraw", "indices", _indices),
    Row(r"glArrayElement", "i", tuple(range(VERTICES - 1)), tuple(range(VERTICES - 1))),
    # arrays
    # after the error for a negative stride the peer has changed the array all the same
    Row(rf"gl{_COLUMN}Pointer|glInterleavedArrays", "stride", (0, 0, 4, 12, 16, 36, 100, 255, -1),
        (0, 0, 12, 16, 36, 100)),
    Row(rf"gl{_COLUMN}Pointer", "pointer", _array),
    Row(r"glInterleavedArrays", "pointer", _array, (("m", FLOATS), ("m", FLOATS + 64))),
    Row(rf"gl{_COLUMN}Pointer", "size", (1, 2, 3, 3, 4, 4, 5, 0, 0x80E1)),
    Row(r"glVertexAttrib\w*Format", "size", (1, 2, 3, 4, 0x80E1)),
    Row(r"glVertexAttrib\w*Format", "relativeoffset", (0, 4, 13, 2047, 2048), (0, 4, 2048)),
    Row(r"glBindVertexBuffer", "offset", _ENDS, (0, 4, -1)),
    Row(r"glBindVertexBuffer", "stride", (0, 4, 60, 2048, 2049, -1), (12, 16, 60, 2049, -1)),
    Row(r"gl\w*(Binding|Vertex(Buffer|Attrib))", "(attrib|binding)?index", tuple(range(18))),
    Row(r"gl\w*Divisor", "divisor", (0, 1, 2, 1000)),
    Row(r"glVertexAttribs", "n", (0, 1, 2, -1), (0, 1, 2)),  # the peer writes beyond its attributes
    # buffers: whatever a draw takes from one as an index or a count is a small number, so words
    # stay where words were
    Row(r"glBuffer(Data|Storage)", "target", (0x8892, 0x8893, 0x8F37, 0x9999)),
    Row(r"gl(Named)?Buffer(Data|Storage)", "size", (0, 12, 4000, 65536, 65537, -1), _WHOLE),
    Row(r"gl(Named)?Buffer(Sub)?(Data|Storage)", "data", (("m", INDICES32),)),
    Row(r"glBufferSubData", "offset|size", (0, 4, 5000, 70000, -1), (0, 4, 5000, 70000, -1)),
    Row(r"glGetBufferSubData", "offset|size", (0, 4, 5000, 70000, -1)),
    Row(r"gl(Map(Named)?|Flush\w*)BufferRange", "offset|length", _ENDS),
    Row(r"glMap(Named)?BufferRange", "access", (1, 2, 3, 0x12, 0x22, 0x42, 0xC2, 0x100, 0),
        (1, 2, 3, 0)),
    Row(r"gl(Named)?BufferStorage", "flags", (0x1C3, 0x100, 2, 0x40, 0), (0x100, 0x40, 0x103)),
    Row(r"glCopyBufferSubData", "writeTarget", (0x8892,)),
    Row(r"gl(Named)?Copy(Named)?BufferSubData", "(read|write)Buffer", NAMES),
    Row(r"gl\w*BufferSubData", "\\w*[oO]ffset", _WORDS),
    Row(r"gl\w*BufferSubData", "length|size", _ENDS),
    Row(r"glClearBuffer", "target", (0x8892, 0x8F37)),
    Row(r"glClear(Named)?Buffer", "internalformat", (*_CLEARED, 0x1908)),
    Row(r"glClear(Named)?Buffer", "format", _cleared_format),
    Row(r"glClear(Named)?Buffer", "data", _cleared_data),
    Row(r"glGetQueryBufferObject", "buffer", (0, *PIXEL_BUFFERS)),
    Row(r"gl(Begin|End|Get)QueryIndexed", "index", (0, 0, 0, 1, 3, 4, 0xFFFFFFFF)),
    Row(r"glDrawTransformFeedbackStream", "stream", (0, 0, 0, 1, 4)),
    Row(r"glGetQueryBufferObject", "offset", _ENDS),
    # pixels
    Row(r"gl(Read|Draw|Copy)n?Pixels|glBitmap", "width|height", _SIZES),
    Row(r"gl(Read|Copy)n?Pixels", "[xy]", (0, 10, 190, 250, -5, 0x7FFFFFF0, -0x7FFFFFFF),
        (0, 3, 10, 90)),
    Row(r"gl(Draw|Copy)Pixels|glBitmap", "pixels|bitmap", _pixels),
    Row(r"gl\w*Tex\w*Image|gl(Tex|Texture)Storage", "width|height|depth|imageSize",
        (0, 1, 2, 8, 64, -1)),
    Row(r"gl\w*Tex\w*(Image|Level)", "level", (0, 0, 0, 1, 2, 15, -1), _ANY),
    Row(r"gl\w*Tex\w*Image", "border", (0, 0, 0, 0, 1, -1), _ANY),
    Row(r"gl\w*Tex\w*SubImage", "[xyz]offset", (0, 0, 1, 4, -1), _ANY),
    Row(r"gl(Multi)?Tex(ture)?Image", "internalformat", _STORED, _ANY),
    Row(r"gl\w*Tex\w*Storage", "levels", (1, 1, 2, 7, 0, -1), _ANY),
    Row(r"gl\w*Tex\w*Multisample", "samples", (4, 4, 1, 2, 0, -1, 5, 99)),
    Row(r"glPixelMap", "mapsize", (1, 2, 4, 32, 256, 0, 3, 257, -1)),
    Row(r"glPixelZoom", "[xy]factor", (1.0, 2.0, -1.0, 0.5, 0.0, -2.5)),
    Row(r"glReadnPixels|glGetn", "bufSize", (0, 4, 100, 60000, -1)),
    # evaluators, selection
    Row(r"glMap[12]", "[uv]?order", (1, 2, 3, 4, 0, 31, -1), (1, 2, 3, 4, 0, -1)),
    Row(r"glMap[12]", "[uv]?stride", (4, 5, 8, 1, 0, -1)),
    Row(r"glMap1f|glMap2f", "points", (("m", FLOATS),)),
    Row(r"glMap1d|glMap2d", "points", (("m", DOUBLES),)),
    Row(r"glMap(Grid)?[12]", "[uv]1", (0.0, -1.0)),
    Row(r"glMap(Grid)?[12]", "[uv]2", (1.0, 2.0, 0.0)),
    Row(r"glMapGrid", "[uv]n", (1, 2, 10, 0, -1)),
    Row(r"glEvalMesh|glEvalPoint", "[ij][12]?", (0, 1, 2, 5, -1)),
    Row(r"glSelectBuffer", "size", (64, 256, 4, 0, -1)),
    Row(r"glSelectBuffer", "buffer", (("m", SELECTION),)),
    Row(r"glFeedbackBuffer", "size", (64, 4096, 4, 0, -1)),
    Row(r"glFeedbackBuffer", "buffer", (("m", FEEDBACK),)),
    # shaders
    Row(r"glShaderSource", "count", (0, 1, 1, 2, 4, -1)),
    Row(r"glShaderSource", "string", _sources),
    Row(r"glShaderSource", "length", _lengths),
    Row(r"glTransformFeedbackVaryings", "count", (1, 1, 1, 1, 2, 2, 2, 0, 4, -1)),
    Row(r"glTransformFeedbackVaryings", "varyings", _captured),
    Row(r"glTransformFeedbackVaryings", "bufferMode", (*(0x8C8C, 0x8C8D) * 3, NO_ENUM)),
    Row(r"gl\w*(Uniform|Attrib)Location", "name", tuple(("s", name) for name in VARIABLES)),
    Row(r"gl(Program)?Uniform\w*v", "count", (0, 1, 2, 3, 40, -1)),
    Row(r"gl(Program)?Uniform\w*v", "value", (("m", FLOATS), ("m", INDICES32))),
    Row(r"gl\w*Uniform", "location", tuple(range(-1, 9))),
    Row(r"glGet\w*(Shader|Attached|InfoLog)", "max(Count|Length)", (0, 1, 4, 1000, -1)),
    Row(r"glDrawBuffers", "n", (0, 1, 2, 8, 9, -1)),
    Row(r"gl", "(program|shader|obj|\\w+Obj)", tuple(range(9))),
    # programs
    Row(r"gl\w*Program\w*Parameters4fv", "count", (0, 1, 2, 8, 96, -1)),
    Row(r"gl\w*Program\w*Parameters4fv", "params", (("m", FLOATS),)),
    # names
    Row(r"gl(Gen|Create|Delete|AreTex)", "n", (0, 1, 4, -1)),
    Row(r"gl(Gen|Delete)Lists", "range", (0, 1, 3, -1)),
    Row(r"glCallLists", "n", (0, 1, 5, -1)),
    Row(r"glCallLists", "lists", _name_list),
    Row(r"glDelete|glAreTex|glPrioritizeTex", "\\w+s(ARB)?|ids", _unsigned(0, 1, 2, 3, 4, 77)),
    Row(r"gl", "(buffer|id|array|texture|name|list|identifier)", NAMES),
    Row(r"gl\w*Sync", "sync", (("k", 0), ("k", 1), ("k", 0), ("k", 99))),
    Row(r"glWaitSync", "timeout", (0xFFFFFFFFFFFFFFFF, 5)),
    Row(r"gl(Client)?WaitSync", "flags|timeout", (0, 0, 1, 2)),
    Row(r"glFenceSync", "flags", (0, 0, 1)),
    Row(r"gl\w*(Debug|Label|Object)", "callback", (None,)),
    Row(r"gl\w*(Debug|Label|Object)", "ptr", (("k", 0), ("k", 1), None)),
    Row(r"glGet", "bufSize", (0, 4, 100, 60000, -1)),
    Row(r"glGetSync", "count", (4, 1, 0, -1)),
    Row(r"glGetDebug", "count", (0, 1, 4)),
    Row(r"gl\w*(Debug|Label)", "length", (0, 1, 5, -1)),
    Row(r"glDebugMessageControl", "count", (0, 1, 2, -1)),
    # state
    Row(r"glLineWidth|glPointSize", "width|size", (0.0, 0.5, 1.0, 1.7, 3.0, 12.0, -1.0)),
    Row(r"glLineStipple", "factor", (1, 2, 5, 0, 300)),
    Row(r"gl(Viewport|Scissor)", "[xy]", (0, 0, 10, -20, 50)),
    Row(r"gl(Viewport|Scissor)", "width|height", (100, 80, 33, 0, 9000, -1), (100, 80, 33, 0, -1)),
    Row(r"glRotate", "angle", (0.0, 30.0, 45.0, 90.0, -200.0)),
    Row(r"glClipControl", "origin", (0x8CA1, 0x8CA2, 5)),
    Row(r"glClipControl", "depth", (0x935E, 0x935F, 5)),
    Row(r"gl\w*MultiTex\w*EXT", "texunit", (0x84C0, 0x84C0, 0x84C1, 0x84C7, 0x84CF, 0x84D0, 5)),
    Row(r"gl(Client)?ActiveTexture|glMultiTexCoord", "texture|target", (0x84C0, 0x84C1, 0x84C7, 5)),
)  # fmt: skip

_PROPER = (-1.0, 0.0, 0.5, 1.0, 10.0)
#: values that fit a parameter's name, scalars and the first of vectors
OF_NAME: dict[str, tuple[float, ...]] = {
    "FOG_MODE": (0x2601, 0x800, 0x801, 7), "FOG_COORD_SRC": (0x8451, 0x8452, 7),
    "FOG_DISTANCE_MODE_NV": (0x855A, 0x855B, 0x855C, 7), "FOG_DENSITY": _PROPER,
    "TEXTURE_ENV_MODE": (0x2100, 0x2101, 0xBE2, 0x1E01, 0x104, 0x8570, 7),
    "TEXTURE_GEN_MODE": (0x2400, 0x2401, 0x2402, 0x8511, 0x8512, 7),
    "COMBINE_RGB": (0x1E01, 0x2100, 0x104, 0x8574, 0x8575, 0x84E7, 0x86AE, 7),
    "COMBINE_ALPHA": (0x1E01, 0x2100, 0x104, 0x8574, 0x8575, 0x84E7, 0x86AE, 7),
    **{f"{what}{n}_{kind}": values for n in range(3) for kind in ("RGB", "ALPHA") for what, values
       in (("SRC", (0x1702, 0x8576, 0x8577, 0x8578, 7)), ("OPERAND", (0x300, 0x301, 0x302, 7)))},
    "RGB_SCALE": (1, 2, 4, 3), "ALPHA_SCALE": (1, 2, 4, 3), "COORD_REPLACE": (0, 1, 2),
    "LIGHT_MODEL_COLOR_CONTROL": (0x81F9, 0x81FA, 7), "LIGHT_MODEL_TWO_SIDE": (0, 1, 5),
    "POINT_SPRITE_COORD_ORIGIN": (0x8CA1, 0x8CA2, 7), "SHININESS": (0, 10, 128, 129, -1),
    "SPOT_EXPONENT": (0, 10, 128, 129, -1), "SPOT_CUTOFF": (0, 45, 90, 91, 180, -1),
    **{f"{n}_ATTENUATION": _PROPER for n in ("CONSTANT", "LINEAR", "QUADRATIC")},
    "POINT_SIZE_MIN": (0, 1, 5, -1), "POINT_SIZE_MAX": (1, 5, 100, -1),
    "POINT_FADE_THRESHOLD_SIZE": (0, 1, 5, -1),
    **{f"{way}_{what}": values for way in ("PACK", "UNPACK") for what, values in (
        ("ALIGNMENT", (1, 2, 4, 8, 3)), ("ROW_LENGTH", (0, 50, 77, 100, -1)),
        ("SKIP_ROWS", (0, 1, 3, -1)), ("SKIP_PIXELS", (0, 1, 3, 11, -1)), ("SWAP_BYTES", (0, 1)),
        ("LSB_FIRST", (0, 1)), ("SKIP_IMAGES", (0, 2, -1)), ("IMAGE_HEIGHT", (0, 9, -1)),
        ("COMPRESSED_BLOCK_WIDTH", (0, 4, 8, -1)), ("COMPRESSED_BLOCK_HEIGHT", (0, 4, 3, -1)),
        ("COMPRESSED_BLOCK_DEPTH", (0, 1, 2, -1)), ("COMPRESSED_BLOCK_SIZE", (0, 8, 16, -1)))},
    "MAP_COLOR": (0, 1), "MAP_STENCIL": (0, 1), "INDEX_SHIFT": (0, 1, -2), "INDEX_OFFSET": (0, 3),
}  # fmt: skip
# Parameters of several values: GL 2.1 wants an error where a form for one value names them, but
# programs do that, and Mesa takes the others from its stack (glMaterialf), or as 0.
_VECTORS = re.compile(
    r"GL_(\w*COLOR|AMBIENT\w*|DIFFUSE|SPECULAR|EMISSION|POSITION|\w*_INDEXES|SPOT_DIRECTION"
    r"|\w*_PLANE|LIGHT_MODEL_AMBIENT|\w*DISTANCE_ATTENUATION)"
)


_HALVES = re.compile(r"hv?NV$")
#: commands of OpenGL ES 1 whose numbers are in units of 2^-16
_FIXED = re.compile(r"xv?(OES)?$")


def _finite(value: Any) -> Any:
    """Half floats, or an array of them, of which none is infinite or no number."""
    if isinstance(value, tuple) and value[0] == "a":
        return (*value[:2], [_finite(each) for each in value[2]])
    return value & ~0x4000 if isinstance(value, int) and value & 0x7C00 == 0x7C00 else value


def _needed(length: str, numbers: dict[str, Any]) -> int:
    """Elements that the registry gives a pointer (`count*4`); 0: it does not say, or it is absurd.
    """
    total = 1
    for factor in length.split("*"):
        value = int(factor) if factor.isdigit() else numbers.get(factor)
        if not isinstance(value, int):
            return 0
        total *= value
    return total if 0 < total <= 1 << 16 else 0


def long_enough(command: Command, values: Sequence[Any]) -> list[Any]:
    """Arrays with as many elements as the command takes: no driver may be led beyond their end."""
    numbers = {param.name: value for param, value in zip(command.params, values, strict=True)}
    out = []
    for param, value in zip(command.params, values, strict=True):
        if isinstance(value, tuple) and value[0] == "a":
            short = _needed(param.length, numbers) - len(value[2])
            if short > 0:
                value = (*value[:2], value[2] + [value[2][n % len(value[2])] for n in range(short)])
        out.append(value)
    return out


class Arguments:
    """Draws arguments with a generator of random numbers."""

    def __init__(self, dice: random.Random, plain: bool) -> None:
        self.random, self.plain = dice, plain
        known = registry()
        self.of_name = {known.values[f"GL_{name}"]: v for name, v in OF_NAME.items()}
        self.known = known.known_enums()
        self.vectors = {known.values[n] for n in known.claimed if _VECTORS.fullmatch(n)}
        self.rows: dict[tuple[str, str], Row | None] = {}

    def row(self, command: str, param: str) -> Row | None:
        """The special row of a parameter."""
        key = command, param
        if key not in self.rows:
            self.rows[key] = next(
                (r for r in ROWS if re.match(r.command, command) and re.fullmatch(r.param, param)),
                None,
            )
        return self.rows[key]

    def of(self, command: Command) -> tuple[Any, ...]:
        """Values for all parameters."""
        values: list[Any] = []
        for param in command.params:
            values.append(self.value(command, param, values))
        values = long_enough(command, values)
        if self.plain and _HALVES.search(command.name):
            values = [_finite(value) for value in values]
        if self.plain and command.params and command.params[-1].name == "param":
            return tuple(
                NO_ENUM if isinstance(v, int) and v in self.vectors else v for v in values
            )
        return tuple(values)

    def value(self, command: Command, param: Param, before: list[Any]) -> Any:
        """One of them."""
        r = self.random
        row = self.row(command.name, param.name)
        if row and param.code[0] in "*z" and not callable(row.values) and row.values[0] in NAMES:
            row = None  # it is about the number of that name
        owned = any(each.code[0] in "*pz" for each in command.params)
        owned = owned or _READS_ARRAYS.match(command.name) is not None
        if row and (owned or self.plain or r.random() < 0.97):
            values = row.plain if self.plain and row.plain is not None else row.values
            return values(r, before) if callable(values) else fit(r.choice(values), param.code)
        names = self.of_name.get(before[-1]) if before and isinstance(before[-1], int) else None
        # the store says how much memory images have: absurd numbers are Fuzz.astray's
        always = command.name.startswith("glPixelStore")
        untyped = param.code[:2] == "*v"
        fits = names and not untyped and param.name.startswith("param")
        if names and fits and (always or r.random() < 0.85):
            chosen = r.choice(names)
            if param.code[0] == "*":
                kind = param.code[1]
                rest = [fit(self.scalar(kind), kind) for _ in range(3)]
                return ("o", 256) if command.name.startswith("glGet") else (
                    "a", kind, [fit(chosen, kind), *rest])
            return fit(chosen, param.code)
        if param.code[0] in "*pzF":
            return self.pointer(command, param)
        if param.code in "EMBA":
            return self.enum(param)
        # how far a pointer leads may hang on any number beside it
        if self.is_fixed(command) and param.code == "i":
            return round(r.uniform(-1.5, 1.5) * 65536) if self.plain else fit(
                r.getrandbits(32), "i")
        return fit(r.randint(-2, 100), param.code) if owned else self.scalar(param.code)

    @staticmethod
    def is_fixed(command: Command) -> bool:
        """Whether its numbers are in units of 2^-16."""
        return fuzz_contexts.used() == "es1" and _FIXED.search(command.name) is not None

    def enum(self, param: Param) -> int:
        """One that fits, one of GL's others, or none at all."""
        r, dice = self.random, self.random.random()
        if param.code in "BA":
            bits = r.choice(param.enums) if param.enums else r.getrandbits(20)
            return bits if dice < 0.8 else (bits | r.choice(param.enums or (1,)), 0)[dice > 0.97]
        if param.code == "M" and dice < 0.95:
            return r.choice(_MODES) if fuzz_contexts.used() != "compat" else r.randrange(10)
        if param.enums and dice < 0.9:
            return r.choice(param.enums)
        if dice < 0.97:
            return r.choice(self.known)
        return NO_ENUM if self.plain else r.getrandbits(32)

    def scalar(self, code: str) -> Any:
        """A number of a type."""
        r = self.random
        kind = code[0]
        if kind == "b":
            # the peer takes 255 for false where it keeps a boolean as a float
            return r.choice((0, 1) if self.plain else (0, 1, 1, 255))
        if kind in "fd":
            if r.random() < 0.2:
                return r.choice(PLAIN_FLOATS if self.plain else WILD_FLOATS)
            return round(r.uniform(-1.5, 1.5), 3)
        if kind in "EMBA":
            return r.choice(self.known)
        if r.random() < 0.2:
            return fit(r.choice(PLAIN_INTS if self.plain else WILD_INTS), code)
        return fit(r.randint(-2, 100), code)

    def pointer(self, command: Command, param: Param) -> Any:
        """Room for an answer, or an array that is long enough for everything."""
        if command.name.startswith(("glGet", "glGen", "glCreate", "glRead", "glAre")):
            return ("o", 1 << 16)
        kind = param.code[1:2]
        if param.code == "z" or kind == "c" and re.search("Label|Debug", command.name):
            return ("s", "a name")
        if param.code[0] == "p":
            return ("m", BYTES)
        if kind not in "bcCsSiIlLfdE" or not kind:
            return ("m", BYTES)
        if self.is_fixed(command) and kind == "i":
            return ("a", kind, [round(self.random.uniform(-1, 1) * 65536) for _ in range(16)])
        if "Matrix" in command.name and kind in "fd":
            return ("a", kind, [round(self.random.uniform(-1, 1), 3) for _ in range(16)])
        if "Stipple" in command.name or "Map" in command.name:
            return ("m", FLOATS if kind == "f" else BYTES)
        return ("a", kind, [self.scalar(kind) for _ in range(8)])


def fit(value: Any, code: str) -> Any:
    """A number as the type holds it."""
    kind = code[0]
    if value is None or isinstance(value, tuple):
        return value
    if kind in "fd":
        return float(value)
    value = int(value)
    bits = BITS.get(kind, 64)
    value &= (1 << bits) - 1
    return value if kind in "CSILXbEMBA" or not value >> bits - 1 else value - (1 << bits)
