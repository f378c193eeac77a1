# SPDX-License-Identifier: MIT
"""Differences from the peer that are none of ours, by mechanism: ONE table, KNOWN.

A row says which commands, which errors of the two sides and which arguments, why we are right (with
the section of the specification), and an example: calls whose last one differs so. Every test run
plays the examples (test_fuzz_peer.py): a row that excuses its own example no longer, because one of
the sides has changed, fails there. `excuse` counts what each row has excused.
"""

import base64
import collections
import math
import re
import struct
from collections.abc import Callable
from typing import Any

from pydri.api.enums import GL_TEXTURE0
from pydri.main.textures.layout import MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS
from pydri.main.textures.tables import BIND_TARGETS
from tests.robust.fuzz_arguments import BYTES, FEEDBACK, FLOATS
from tests.robust.fuzz_known_contexts import OF_CONTEXTS
from tests.robust.fuzz_known_row import FAILS, Call, Heard, Known

_OUT = ("o", 256)
# A state is told as each of these kinds, so a row about one is about all.
_GET = r"glGet(Boolean|Integer|Integer64|Float|Double)v"


def _negative(values: tuple[Any, ...]) -> bool:
    return any(isinstance(value, int) and value < 0 for value in values)


def _has(*enums: int) -> Callable[[tuple[Any, ...]], bool]:
    return lambda values: any(value in enums for value in values if isinstance(value, int))


def _first_is(*numbers: int) -> Callable[[tuple[Any, ...]], bool]:
    return lambda values: values[0] in numbers


def _no_buffer(values: tuple[Any, ...]) -> bool:
    return values[2] == 0


def _unit_beyond(values: tuple[Any, ...]) -> bool:
    return MAX_IMAGE_UNITS <= values[0] - GL_TEXTURE0 < 192  # what Mesa has for all stages


def _coordinates_beyond(values: tuple[Any, ...]) -> bool:
    return values[0] - GL_TEXTURE0 >= MAX_TEXTURE_UNITS


def _unit_number_beyond(values: tuple[Any, ...]) -> bool:
    return MAX_IMAGE_UNITS <= values[0] < 192


def _units_beyond(values: tuple[Any, ...]) -> bool:
    return MAX_IMAGE_UNITS < values[0] + values[1] <= 192


def _matrices_beyond(values: tuple[Any, ...]) -> bool:
    return values[0] in (0xBA5, 0xBA8, 0x84E5) and MAX_TEXTURE_UNITS <= values[1] < 192


def _index_beyond(values: tuple[Any, ...]) -> bool:
    return MAX_IMAGE_UNITS <= values[1] < 192


def _first_is_empty(values: tuple[Any, ...]) -> bool:
    counts = values[2]
    return isinstance(counts, tuple | list) and counts[0] == "a" and counts[2][0] == 0


def _first_count_is_empty(values: tuple[Any, ...]) -> bool:
    counts = values[1]
    return isinstance(counts, tuple | list) and counts[0] == "a" and counts[2][0] == 0


def _zero_at(*places: int) -> Callable[[tuple[Any, ...]], bool]:
    return lambda values: any(values[at] == 0 for at in places)


def _no_draws(values: tuple[Any, ...]) -> bool:
    return values[3 if len(values) == 4 else 4] == 0  # what glMultiDraw* calls primcount


def _no_program(values: tuple[Any, ...]) -> bool:
    return len(values) > 1 and values[1] not in (0x8620, 0x8804)


def _third_is_fraction(values: tuple[Any, ...]) -> bool:
    given = values[2]
    number = given[2][0] if isinstance(given, tuple | list) else given
    return values[1] == 0x8862 and number not in (0, 1)


def _nearest(number: float) -> int:
    """The nearest whole number, of two the greater one."""
    return math.floor(number + 0.5)


def _rounds_below(values: tuple[Any, ...]) -> bool:
    """Swizzles and modes of comparison, the nearest of whose numbers are other ones than those
    without their fractions (GL_NONE and GL_ZERO are 0)."""
    pname, given = values[-2:]
    numbers = given[2] if isinstance(given, tuple | list) else [given]
    numbers = numbers[: 4 if pname == 0x8E46 else 1]
    known = pname in (0x884C, *range(0x8E42, 0x8E47))
    return known and any(_nearest(n) != int(n) for n in numbers)


def _level_rounds_below(values: tuple[Any, ...]) -> bool:
    """Levels in a list, the nearest of which is another one than that without its fraction."""
    pname, given = values[-2:]
    return pname in (0x813C, 0x813D) and _nearest(given[2][0]) != int(given[2][0])


def _filter_of_samples(values: tuple[Any, ...]) -> bool:
    """A filter or a wrap of a texture that may have several samples; by name alone it may be any.
    """
    *named, pname = (value for value in values if isinstance(value, int))
    others = set(BIND_TARGETS) - {0x9100, 0x9102}
    return pname in (0x2800, 0x2801, 0x2802, 0x2803, 0x8072) and others.isdisjoint(named)


def _beyond_window(values: tuple[Any, ...]) -> bool:
    x, y, width, height = values[:4]  # the window has 100 x 100
    return x < 0 or y < 0 or x + width > 100 or y + height > 100


def _four_floats(heard: Heard) -> tuple[float, ...]:
    """The first of an answer; what is behind its end is 0."""
    return struct.unpack("<4f", base64.b64decode(heard[2])[:16].ljust(16, b"\0"))


def _short_form(mine: Heard, theirs: Heard) -> bool:
    """Whether ours are 0, 0, 1 behind the first number wherever the answers differ."""
    ours, peers = _four_floats(mine), _four_floats(theirs)
    return all(
        abs(a - b) <= 1e-4 * max(1.0, abs(a)) or a == left
        for a, b, left in zip(ours, peers, (None, 0.0, 0.0, 1.0), strict=True)
    )


def _third_is_clamped(mine: Heard, theirs: Heard) -> bool:
    """Whether only the third number differs, which is 0 or 1 of ours and beyond it of theirs."""
    ours, peers = _four_floats(mine), _four_floats(theirs)
    others = all(abs(ours[n] - peers[n]) <= 1e-4 * max(1.0, abs(ours[n])) for n in (0, 1, 3))
    return others and ours[2] == min(max(peers[2], 0.0), 1.0)


def _at_the_other_end(mine: Heard, theirs: Heard) -> bool:
    """Whether ours are the greatest integer wherever the answers differ, and theirs the least."""
    ours, peers = (base64.b64decode(side[2]).ljust(256, b"\0") for side in (mine, theirs))
    return len(ours) == len(peers) and all(
        (a, b) in ((0x7FFFFFFF, 0x80000000), (a, a))
        for (a,), (b,) in zip(struct.iter_unpack("<I", ours), struct.iter_unpack("<I", peers))
    )


def _proxy(values: tuple[Any, ...]) -> bool:
    return values[1] in PROXIES


PROXIES = (0x8063, 0x8064, 0x8070, 0x84F7, 0x851B, 0x8C19, 0x8C1B, 0x900B, 0x9101, 0x9103)
_ERRORS_OF_LEVELS = (
    (0x500, ("glGetTexLevelParameterfv", (0xDE1, 0, 0xDEAD, _OUT))),
    (0x501, ("glGetTexLevelParameterfv", (0xDE1, 99, 0x1000, _OUT))),
)
_FLOATS = ("a", "f", [0.5, 0.25, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0])
_HALVES = ("a", "S", [0x3C00] * 8)
_NAMES = ("a", "I", [0] * 8)
_INVARIANT = "!!ARBvp1.0 OPTION ARB_position_invariant; MOV result.color, vertex.color; END"
_INCOMPLETE: Call = ("glBindFramebuffer", (0x8CA9, 37))
_ARRAY_OF_COLOURS: tuple[Call, ...] = (
    ("glRecti", (87, 7, 93, 65)),
    ("glColor3f", (1.0, 0.0, 0.0)),
    ("glEnableClientState", (0x8076,)),
)
_INDEX_BUFFER: tuple[Call, ...] = (
    ("glBindBuffer", (0x8893, 4)), ("glBufferData", (0x8893, 65536, ("m", 10 << 20), 0x88E4)),
)  # fmt: skip
_INDICES, _THREE = (0x1403, ("m", 9 << 20)), ("a", "i", [3])
#: commands, where their counts of vertices, instances and draws stand, an example
_DRAWS_OF_NOTHING: tuple[tuple[str, tuple[int, ...], Call], ...] = (
    (r"glDrawArrays(EXT)?$", (2,), ("glDrawArrays", (4, 0, 0))),
    (r"glDrawArraysInstanced", (2, 3), ("glDrawArraysInstancedARB", (4, 0, 3, 0))),
    (r"glDrawElements(BaseVertex)?$", (1,), ("glDrawElements", (4, 0, *_INDICES))),
    (r"glDrawElementsInstanced", (1, 4), ("glDrawElementsInstancedARB", (4, 0, *_INDICES, 1))),
    (r"glDrawRangeElements", (3,), ("glDrawRangeElements", (4, 0, 100, 0, *_INDICES))),
    (r"glMultiDrawArrays(EXT)?$", (3,), ("glMultiDrawArrays", (4, _THREE, _THREE, 0))),
    (r"glMultiDrawElements(EXT|BaseVertex)?$", (4,),
     ("glMultiDrawElements", (4, _THREE, 0x1403, ("P", [9 << 20]), 0))),
    (r"glMultiDrawArraysIndirect", (2,), ("glMultiDrawArraysIndirect", (4, None, 0, 0))),
)  # fmt: skip

KNOWN = (
    *(Known("answer", r"glGet(Tex|MultiTex|Texture)LevelParameterfv", error, error, "GL 2.1, 2.5:"
            " a command with an error writes nothing; the peer writes what its stack held",
            (call,)) for error, call in _ERRORS_OF_LEVELS),
    Known("answer", r"glGet(Multi)?TexEnv\w+", None, None, "NV_texture_env_combine4: the fourth"
          " argument is zero at first; Mesa begins with the third one's",
          (("glGetTexEnviv", (0x2300, 0x859B, _OUT)),), _has(0x8583, 0x858B, 0x8593, 0x859B)),
    Known("error", "glAreTexturesResidentEXT", None, None, "EXT_texture_object: the peer's library"
          " calls another command by this name, whose enum its arguments are not",
          (("glAreTexturesResidentEXT", (0, _NAMES, _OUT)),)),
    Known("answer", "glAreTexturesResidentEXT", None, None, "the same, while a list is compiled: it"
          " answers GL_FALSE",
          (("glNewList", (5, 0x1300)), ("glAreTexturesResidentEXT", (0, _NAMES, _OUT)))),
    Known("error", r"gl\w*MultiTex\w*EXT", None, None, "GL 2.1, table 6.45: there are 64 image"
          " units here, more at the peer (docs/differences.md)",
          (("glBindMultiTextureEXT", (0x8506, 0xDE1, 0)),), _unit_beyond),
    Known("error", "glMatrixMode", 0x500, 0, "GL 2.1, 2.11.2: matrices are the active unit's;"
          " only commands of EXT_direct_state_access take units (docs/differences.md)",
          (("glMatrixMode", (0x84C1,)),), _has(*range(GL_TEXTURE0, GL_TEXTURE0 + 32))),
    Known("error", r"glGet(MultiTex|Texture)LevelParameter\w+EXT", 0x500, 0, "GL 2.1, 6.1.3: levels"
          " are of a cube's faces",
          (("glGetTextureLevelParameterfvEXT", (4, 0x8513, 0, 0x1000, _OUT)),),
          _has(0x8513)),
    Known("error", r"glGetMultiTexLevelParameter\w+EXT", 0, 0x500, "the same",
          (("glGetMultiTexLevelParameterfvEXT", (0x84C0, 0x8517, 0, 0x1000, _OUT)),),
          _has(*range(0x8515, 0x851B))),
    Known("error", r"glGetMultiTexLevelParameter\w+EXT", 0x502, 0, "EXT_direct_state_access: the"
          " unit is one, whatever the target; the peer does not ask for a proxy's",
          (("glGetMultiTexLevelParameterfvEXT", (0xDEAD, 0x8063, 0, 0x1000, _OUT)),), _proxy),
    Known("answer", _GET, 0, 0, "GL 2.1, 6.1.2: a flag"
          " is set by all that is not zero; the peer answers whether an array's byte was one",
          (("glEdgeFlagPointer", (16, ("m", FLOATS))), ("glEnable", (0x8079,)),
           ("glArrayElement", (210,)), ("glGetFloatv", (0xB43, _OUT))), _has(0xB43)),
    Known("answer", "glGetVertexAttrib", 0, 0, "the same, of whether an array is normalised",
          (("glVertexAttribPointer", (3, 4, 0x1401, 96, 0, ("m", BYTES))),
           ("glGetVertexAttribiv", (3, 0x886A, _OUT))), _has(0x886A), (-1,)),
    Known("error", r"gl((En|Dis)able|IsEnabled)$", 0x500, 0, "GL 2.1, 3.2.1: whether coverage is"
          " inverted is told by glSampleCoverage alone", (("glDisable", (0x80AB,)),), _has(0x80AB)),
    Known("error", "glAreTexturesResident$", 0x501, 0, "GL 2.1, 3.8.12: a name that was generated"
          " is no texture before it is bound; the peer has an object from then on",
          (("glGenTextures", (4, _OUT)), ("glAreTexturesResident", (1, ("a", "I", [2]), _OUT)))),
    Known("error", r"glGet\w+(i_v|Indexedv)(EXT)?", 0x500, 0, "GL 2.1, 2.11.2: matrices are of"
          " units with coordinates, of which there are fewer",
          (("glGetIntegeri_v", (0xBA8, 15, _OUT)),),
          _matrices_beyond),
    Known("error", "glNormalPointer", 0, 0x502, "ARB_vertex_type_2_10_10_10_rev: a normal has no"
          " size that would have to be four", (("glNormalPointer", (0x8D9F, 0, ("m", 1 << 16))),),
          _has(0x8D9F, 0x8368)),
    Known("error", "glBindBufferRange", 0, 0x501, "GL 4.6, 6.1.1: of no buffer neither offset nor"
          " size counts, however it is aligned",
          (("glBindBufferRange", (0x8A11, 0, 0, 11, 53)),), _no_buffer),
    Known("error", "glGetCompressedTextureImageEXT", 0x500, 0, "GL 2.1, 6.1.4: no proxies,"
          " and of a cube its faces", (("glGetCompressedTextureImageEXT", (0, 0x8C1B, 4, _OUT)),),
          _has(*PROXIES, 0x8513)),
    Known("answer", "glGetMaterial", 0, 0, "GL 2.1, 2.14.3: a material that follows the colour has"
          " it at once; the peer forgets it where glColorMaterial names another",
          (("glEnable", (0xB57,)), ("glColor4f", (0.25, 0.5, 0.75, 1.0)),
           ("glColorMaterial", (0x408, 0x1600)), ("glGetMaterialfv", (0x404, 0x1200, _OUT)))),
    Known("answer", _GET, 0, 0, "ARB_color_buffer_float: clamped unless targets"
          " hold more, of which an incomplete framebuffer has none",
          (("glBindFramebuffer", (0x8D40, 39)), ("glAlphaFunc", (0x204, -0.5)),
           ("glGetFloatv", (0xBC2, _OUT))), _has(0xBC2, 0xB66, 0x8005, 0xC22)),
    Known("answer", "glGet(Multi)?TexEnv", 0, 0, "the same",
          (("glTexEnvfv", (0x2300, 0x2201, ("a", "f", [0.5, -1.0, 2.0, -0.5]))),
           ("glBindFramebuffer", (0x8D40, 39)), ("glGetTexEnvfv", (0x2300, 0x2201, _OUT))),
          _has(0x2201)),
    Known("error", "glMultiTexCoordPointerEXT", 0x502, 0, "EXT_direct_state_access: as behind"
          " glClientActiveTexture, which takes no more units than there are coordinates",
          (("glMultiTexCoordPointerEXT", (0x84CC, 1, 0x1406, 0, None)),), _coordinates_beyond),
    Known("error", r"glBind(Sampler|TextureUnit)$", 0x501, 0, "the same",
          (("glBindSampler", (70, 0)),), _unit_number_beyond),
    Known("error", r"glBind(Sampler|Texture)s$", 0x502, 0, "the same",
          (("glBindSamplers", (60, 8, _NAMES)),), _units_beyond),
    Known("error", r"glGet\w+(i_v|Indexedv)(EXT)?", 0x501, 0, "the same, for what a unit has",
          (("glGetIntegerIndexedvEXT", (0x8069, 70, _OUT)),), _index_beyond),
    Known("error", r"gl((En|Dis)able|IsEnabled)(Indexed|i)", 0x501, 0, "the same, for its targets",
          (("glIsEnabledIndexedEXT", (0xDE1, 70)),), _index_beyond),
    Known("error", r"glGet\w+(i_v|Indexedv)(EXT)?", 0x500, 0, "the same, for what a unit has",
          (("glGetIntegerIndexedvEXT", (0xDE1, 70, _OUT)),), _index_beyond),
    Known("error", "glBindImageTextures", 0x502, 0, "ARB_multi_bind: there are no image units here",
          (("glBindImageTextures", (1, 0, _NAMES)),)),
    *(Known("error", f"{name}$", None, 0, "GL 4.6, 2.3.1: a negative sizei",
            ((name, (*place, -1, _NAMES, *more)),), _negative)
      for name, place, more in (
          ("glBindSamplers", (1,), ()), ("glBindTextures", (1,), ()),
          ("glBindBuffersBase", (0x8A11, 1), ()),
          ("glBindBuffersRange", (0x8A11, 1), (_NAMES, _NAMES)),
          ("glBindVertexBuffers", (1,), (_NAMES, _NAMES)))),
    Known("error", r"gl(Get)?(Texture|MultiTex)Parameter\w+EXT", None, 0,
          "EXT_direct_state_access, 6.1.3 and 3.8.4: the targets of glTexParameter and"
          " glGetTexParameter, no proxies (GL 2.1, 6.1.3)",
          (("glGetTextureParameterivEXT", (0, 0x8064, 0x1004, _OUT)),), _proxy),
    Known("error", r"gl(Get)?Named(Renderbuffer\w*|FramebufferRenderbuffer)EXT", None, 0,
          "EXT_direct_state_access, 4.4.2: an object of no name cannot be named; the peer makes one"
          " of name 0", (("glNamedRenderbufferStorageEXT", (0, 0x8058, 4, 4)),), _first_is(0)),
    Known("error", "glVertexArrayVertexAttribDivisorEXT", 0x502, 0, "ARB_instanced_arrays: the"
          " name is one of glGenVertexArrays",
          (("glVertexArrayVertexAttribDivisorEXT", (0, 9, 1)),), _first_is(0)),
    Known("error", r"glNamedFramebufferTexture(Layer)?EXT", None, 0, "EXT_direct_state_access,"
          " 4.4.2: the errors of glFramebufferTexture; the peer's library has no such commands,"
          " and what it calls instead does nothing",
          (("glNamedFramebufferTextureEXT", (1, 0xDEAD, 0, 0)),)),
    Known("error", r"gl(Get)?NamedProgram\w*EXT", 0x500, None, "EXT_direct_state_access: the target"
          " is one of programs; the peer does not ask",
          (("glNamedProgramLocalParameter4fEXT", (1, 0x2A0A, 0, 0.0, 0.0, 0.0, 0.0)),),
          _no_program),
    Known("error", r"glGet\w+(i_v|Indexedv)(EXT)?", 0x500, 0, "ARB_viewport_array, which is not"
          " here (docs/differences.md), makes viewports, scissors and depth ranges indexed",
          (("glGetDoubleIndexedvEXT", (0xC10, 0, _OUT)),), _has(0xBA2, 0xC10, 0xC11, 0xB70)),
    Known("error", r"gl(Begin|End|Get)Query", 0x500, None, "ARB_pipeline_statistics_query: what"
          " counts a stage that there is not is no target",
          (("glGetQueryiv", (0x82F1, 0x8864, _OUT)),), _has(0x82F1, 0x82F2, 0x82F5)),
    Known("error", r"gl\w*PointerEXT", 0x501, 0, "EXT_vertex_array: a negative count",
          (("glVertexPointerEXT", (3, 0x1406, 0, -1, ("m", 1 << 16))),), _negative),
    Known("answer", _GET, None, None, "EXT_vertex_array: how many elements an array has;"
          " the peer forgets it",
          (("glVertexPointerEXT", (3, 0x1406, 0, 9, ("m", 1 << 16))),
           ("glGetFloatv", (0x807D, _OUT))), _has(0x807D, 0x8080, 0x8084, 0x8087, 0x808B, 0x808D)),
    Known("error", r"glMultiDraw(Arrays|Elements)(BaseVertex)?(EXT)?$", 0, 0x506, "GL 2.1, 2.8: so"
          " many draws as it says; none has no error of a draw's",
          (_INCOMPLETE, ("glMultiDrawArrays", (4, ("a", "i", [0]), ("a", "i", [3]), 0))),
          _no_draws),
    *(Known("error", rf"{name}(AMD)?$", 0, 0x506, "the same (ARB_multi_draw_indirect)",
            (_INCOMPLETE, *_INDEX_BUFFER, (name, (4, *kind, ("a", "I", [0] * 5), 0, 0))),
            _zero_at(2 + len(kind)))
      for name, kind in (("glMultiDrawArraysIndirect", ()),
                         ("glMultiDrawElementsIndirect", (0x1405,)))),
    Known("drawing", r"glMultiDrawArrays\w*", None, None, "GL 2.1, 2.8: each draw for itself;"
          " the peer draws nothing if the first has no vertices",
          (("glInterleavedArrays", (0x2A21, 0, ("m", 1 << 16))),
           ("glMultiDrawArrays", (4, ("a", "i", [0, 0]), ("a", "i", [0, 60]), 2))),
          _first_is_empty),
    Known("drawing", r"glMultiDrawElements\w*", None, None, "the same",
          (("glInterleavedArrays", (0x2A21, 0, ("m", 1 << 16))),
           ("glMultiDrawElements", (4, ("a", "i", [0, 60]), 0x1403,
                                    ("P", [9 << 20, 9 << 20]), 2))),
          _first_count_is_empty),
    Known("drawing", "glVertexPointer(EXT)?$", 0, 0, "GL 2.1, 2.1.1: numbers have five digits,"
          " which leaves open where a triangle whose corners are 2^31 away is clipped",
          (("glEnableClientState", (0x8074,)),
           ("glVertexPointer", (2, 0x1404, 100, ("m", BYTES))), ("glDrawArrays", (4, 0, 60))),
          _has(0x1404)),
    Known("drawing", "glBlendFunc", 0, 0, "ARB_blend_func_extended: a second colour that nobody"
          " writes is undefined, and fixed function has none",
          (("glEnable", (0xBE2,)), ("glBlendFunc", (0x88F9, 0))),
          _has(0x8589, 0x88F9, 0x88FA, 0x88FB)),
    Known("drawing", "glEnable$", 0, 0, "GL 2.1, 3.5.3: smooth polygons; the peer has"
          " none", (("glEnable", (0xB41,)),), _has(0xB41)),
    Known("drawing", "glCopyPixels", 0, 0, "GL 2.1, 4.3.3 and 4.3.2: what lies outside of the"
          " window is undefined", (("glCopyPixels", (90, 0, 40, 40, 0x1801)),), _beyond_window),
    Known("drawing", r"gl(Multi)?Draw(Arrays|(Range)?Elements|Transf)", FAILS, FAILS, "GL 2.1, 2.5:"
          " a command with an error does nothing; behind it the peer draws with the values that"
          " were current before, of what has an array",
          (*_ARRAY_OF_COLOURS, ("glDrawArrays", (4, 0, -1)))),
    *(Known("drawing", "glDrawPixels", error, error, "GL 2.1, 3.6.4: an image of nothing, and one"
            " that is refused, changes nothing; the peer draws with the colour before glColor",
            (("glDrawArrays", (4, 0, 4)), ("glColor4ub", (73, 0, 2, 96)),
             ("glWindowPos2i", (49, 42)), ("glDrawPixels", (0, 4, 0x1908, kind, ("m", 1 << 16)))),
            nothing)
      for error, kind, nothing in ((0, 0x1401, _zero_at(0, 1)), (FAILS, 0x1A00, lambda _: True))),
    *(Known("drawing", command, 0, 0, "GL 2.1, 2.8: behind a draw what has an array is current"
            " with any values; the peer's as above where nothing is drawn",
            (*_ARRAY_OF_COLOURS, call), _zero_at(*places))
      for command, places, call in _DRAWS_OF_NOTHING),
    Known("drawing", "glMultiDrawElementsIndirect", 0, 0, "the same",
          (*_ARRAY_OF_COLOURS, *_INDEX_BUFFER,
           ("glMultiDrawElementsIndirect", (4, 0x1405, None, 0, 0))), _zero_at(3)),
    Known("error", "glSecondaryColorPointer", 0x501, None, "GL 2.1, table 2.4: three components, no"
          " four", (("glSecondaryColorPointer", (4, 0x1406, 0, ("m", 1 << 16))),), _has(4)),
    Known("error", r"gl(Multi)?TexEnv", 0x501, 0, "GL 2.1, 3.3: GL_COORD_REPLACE is true or false;"
          " the peer cuts other numbers down to those",
          (("glTexEnvf", (0x8861, 0x8862, 0.75)),), _third_is_fraction),
    Known("error", r"glVertexAttribs\dhvNV", 0x501, 0, "NV_half_float: a negative number, or more"
          " attributes than there are; the peer passes over those",
          (("glVertexAttribs2hvNV", (0, -1, _HALVES)),)),
    Known("error", r"glPixelMap", 0x501, 0, "GL 2.1, 3.6.3: the map of indices to indices, too, has"
          " 2^n entries", (("glPixelMapfv", (0xC70, 3, ("m", 1 << 16))),), _has(0xC70)),
    Known("answer", _GET, None, None, "GL 2.1, 4.2.3: the index is a fixed-point number;"
          " the peer keeps no fraction", (("glClearIndex", (0.5,)), ("glGetFloatv", (0xC20, _OUT))),
          _has(0xC20)),
    Known("answer", _GET, None, None, "GL 2.1, 2.7: fewer coordinates set the others to 0"
          " and 1; the peer keeps those of a form before",
          (("glMultiTexCoord3d", (0x84C0, 0.25, 10.0, 10.0)), ("glTexCoord2d", (-1.0, 0.5)),
           ("glTexCoord3d", (-1.0, -0.5, 0.25)), ("glTexCoord2d", (0.5, -1.0)),
           ("glWindowPos2i", (13, 61)), ("glGetFloatv", (0xB06, _OUT))), _has(0xB03, 0xB06),
          apart=_short_form),
    Known("answer", _GET, 0, 0, "the same, for colours",
          (("glColor4f", (0.0, 0.0, 0.0, 0.5)), ("glColor3f", (1.0, 0.5, 0.0)),
           ("glColor4f", (0.0, 0.0, 0.0, 0.25)), ("glColor3f", (0.5, 0.0, 0.0)),
           ("glGetFloatv", (0xB00, _OUT))), _has(0xB00), apart=_short_form),
    Known("error", r"gl((Multi)?Tex(ture)?|Sampler)Parameterfv?(EXT)?$", 0x500, 0, "GL 4.6, 2.2.1,"
          " of which EXT_texture_swizzle has no other rule: the nearest whole number; the peer"
          " leaves the fraction out",
          (("glTexParameterfv", (0xDE1, 0x8E46, ("a", "f", [-0.75] * 4))),),
          _rounds_below),
    Known("error", r"gl(Multi)?Tex(ture)?Parameterfv(EXT)?$", FAILS, 0, "the same, of levels in a"
          " list; a single one it rounds, too",
          (("glTexParameterfv", (0xDE1, 0x813C, ("a", "f", [-0.75] * 4))),), _level_rounds_below),
    Known("drawing", r"gl(Multi)?Tex(ture)?Parameterfv(EXT)?$", 0, 0, "the same",
          (("glTexImage2D", (0xDE1, 1, 0x1908, 1, 1, 0, 0x1908, 0x1401, ("m", BYTES))),
           ("glTexParameteri", (0xDE1, 0x2801, 0x2600)), ("glEnable", (0xDE1,)),
           ("glTexParameterfv", (0xDE1, 0x813C, ("a", "f", [1.75] * 4)))), _level_rounds_below),
    Known("error", "glNamedCopyBufferSubDataEXT", 0x502, 0, "EXT_direct_state_access: zero names no"
          " buffer", (("glNamedCopyBufferSubDataEXT", (1, 0, 0, 0, 0)),),
          lambda values: 0 in values[:2]),
    Known("answer", r"glGet(Multi)?Tex(ture)?Parameter", 0, 0, "GL 4.6, 8.22 leaves open what"
          " filters and wraps textures with several samples tell that have none; with the peer it"
          " hangs on whether their names were given before they were bound",
          (("glBindTexture", (0x9100, 9)),
           ("glGetTexParameteriv", (0x9100, 0x2801, _OUT))), _filter_of_samples),
    Known("answer", _GET, 0, 0, "GL 3.2 compatibility, 2.25: where depth is clamped, that"
          " of the raster position is, too",
          (("glEnable", (0x864F,)), ("glRasterPos3f", (0.5, 0.5, -1.5)),
           ("glGetFloatv", (0xB07, _OUT))), _has(0xB07), apart=_third_is_clamped),
    Known("answer", _GET, None, None, "GL 2.1, 2.13 and 3.10: the distance may be |z|",
          (("glRasterPos3f", (0.5, 0.5, 0.5)), ("glGetFloatv", (0xB09, _OUT))), _has(0xB09)),
    Known("answer", "glRenderMode", 0, 0, "GL 2.1, 2.12 and 5.3: what remains of a polygon that is"
          " clipped is one polygon; the peer feeds back triangles",
          (("glFeedbackBuffer", (4096, 0x601, ("m", FEEDBACK))), ("glRenderMode", (0x1C01,)),
           ("glBegin", (9,)), ("glVertex2f", (0.0, -1.125)), ("glVertex2i", (0, 75)),
           ("glVertex2i", (1, 2)), ("glEnd", ()), ("glRenderMode", (0x1C00,))),
          _first_is(0x1C00)),
    Known("answer", _GET, None, None, "GL 2.1, 2.14.6: the raster position's colours are"
          " clamped", (("glColor3f", (2.0, 0.0, 0.0)), ("glRasterPos2f", (0.0, 0.0)),
                       ("glGetFloatv", (0xB04, _OUT))), _has(0xB04, 0x845F)),
    Known("answer", _GET, None, None, "GL 2.1, 6.1.2 and table 6.32: names,"
          " the base of lists and GL 3.3's index of restarts are not negative",
          (("glListBase", (0xFFFFFFFF,)), ("glGetFloatv", (0xB32, _OUT))),
          _has(0xB32, 0x8CA6, 0x8CA7, 0x8CAA, 0x8F9E)),
    Known("answer", r"glGetInteger(64)?(Indexed)?v(EXT)?$", 0, 0, "GL 2.1, 6.1.2: matrices are"
          " rounded; Mesa maps [-1, 1] to the whole range, as of colours (docs/differences.md)",
          (("glGetIntegerv", (0xBA6, _OUT)),),
          _has(0xBA6, 0xBA7, 0xBA8, 0x84E3, 0x84E4, 0x84E5, 0x8641, 0x88B7)),
    Known("answer", r"glGet(Integer|\w+i)v", 0, 0, "GL 2.1, 6.1.2: of what is too"
          " large for an integer the nearest one is the answer; Mesa's conversion overflows",
          (("glColor4f", (1.5, 0.5, -1.5, 1.0)), ("glGetIntegerv", (0xB00, _OUT))),
          apart=_at_the_other_end),
    Known("answer", r"glGet\w+v", 0, 0, "GL 2.1, table 6.45, and docs/differences.md: versions,"
          " extensions, image units, compressed formats, formats that windows are read in",
          (("glGetIntegerv", (0x8B4D, _OUT)),),
          _has(0x821B, 0x821C, 0x821D, 0x8872, 0x8B4C, 0x8B4D, 0x8C29, 0x86A2, 0x86A3, 0x8B9B)),
    Known("error", r"gl((En|Dis)able|IsEnabled)(Indexed|i)", 0x500, 0, "ARB_viewport_array,"
          " which is not here, has scissors one by one", (("glEnableIndexedEXT", (0xC11, 0)),),
          _has(0xC11)),
    Known("answer", "glGetInternalformati", 0, 0, "ARB_internalformat_query2: what can be done with"
          " a format here (docs/differences.md)",
          (("glGetInternalformativ", (0xDE1, 0x8058, 0x829E, 4, _OUT)),)),
    Known("error", "glGetInternalformati", 0, 0x500, "ARB_clear_texture: whether a format can be"
          " cleared is asked for by ARB_internalformat_query2",
          (("glGetInternalformativ", (0xDE1, 0x8058, 0x9365, 4, _OUT)),), _has(0x9365)),
    Known("error", r"glGet(n|Compressed)?(MultiTex|Texture)ImageEXT", 0, 0x500,
          "EXT_direct_state_access: the targets of glGetTexImage, faces of cubes among them",
          (("glTextureParameteriEXT", (4, 0x8513, 0x2801, 0x2601)),
           ("glGetTextureImageEXT", (4, 0x8517, 0, 0x1903, 0x1406, _OUT)))),
    # 4 instructions for the position, 3 to 5 for fog
    *(Known("answer", "glGetProgramivARB", 0, 0, "ARB_vertex_program 6.1.12: what the program uses;"
            " the peer counts what the code for its options uses, too, which is of the native"
            " counts",
            (("glProgramStringARB", (0x8620, 0x8875, len(_INVARIANT), ("s", _INVARIANT))),
             ("glGetProgramivARB", (0x8620, pname, _OUT))), _has(pname), by)
      for pname, by in ((0x88A0, (3, 4, 5)), (0x88A4, (1, 2)))),
    Known("answer", "glGetShaderPrecisionFormat", 0, 0, "ARB_ES2_compatibility: what is computed"
          " with; the peer says halves and computes with singles",
          (("glGetShaderPrecisionFormat", (0x8B31, 0x8DF0, _OUT, _OUT)),),
          _has(0x8DF0, 0x8DF1, 0x8DF3, 0x8DF4)),
    Known("answer", r"gl(Gen|Create)\w+", 0, 0, "GL 2.1, 3.8.12: any names that are unused; the"
          " peer's are greater than all that were bound",
          (("glBindBuffer", (0x8893, 4)), ("glCreateBuffers", (1, _OUT)))),
    Known("error", "glCallList$", 0, 0x501, "GL 2.1, 5.4: a list that is not there is no error",
          (("glCallList", (0,)),)),
    *(Known("error", command, 0, error, "GL 2.1, 5.4: what a list keeps has its errors when the"
            " list is executed; the peer looks at types and numbers of attributes at once",
            (("glNewList", (2, 0x1300)), call))
      for command, error, call in (
          (r"gl\w+P\duiv?$", 0x500, ("glColorP3ui", (0x1400, 34))),
          (r"glVertexAttrib", 0x501, ("glVertexAttrib1f", (99, 0.5))))),
    Known("error", "glCompressedTexImage2D", 0x500, 0, "GL 2.1, 5.4: proxies are not kept in lists,"
          " of 1D arrays either",
          (("glNewList", (2, 0x1300)),
           ("glCompressedTexImage2D", (0x8C19, 0, 0x83F0, 4, 4, 0, 8, ("m", BYTES)))),
          lambda values: values[0] in PROXIES),
    Known("error", "glDrawArrays", 0x501, 0, "GL 2.1, 2.8 recommends it for first < 0",
          (("glDrawArrays", (4, -1, 3)),), _negative),
    Known("error", "glGetn", 0x502, 0, "ARB_robustness: a size below what is needed; the peer takes"
          " negative ones as large", (("glGetnPixelMapfvARB", (0xC71, -1, _OUT)),), _negative),
    *OF_CONTEXTS,
)  # fmt: skip

EXCUSED: collections.Counter[int] = collections.Counter()
"""What each row (by its place) has excused in this process."""


def _number(heard: Heard) -> int:
    """An answer that is one whole number; its last zeros are not sent."""
    return int.from_bytes(base64.b64decode(heard[2]), "little")


def _fits(asked: int | None, error: int) -> bool:
    return bool(error) if asked == FAILS else asked in (None, error)


def row_of(kind: str, mine: Heard, theirs: Heard, call: Call) -> int | None:
    """The first row that says why the sides differ here."""
    name, values = call
    for number, row in enumerate(KNOWN):
        if (row.kind == kind and re.match(row.command, name)
                and _fits(row.ours, mine[0]) and _fits(row.peers, theirs[0])
                and row.when(values)
                and (not row.by or _number(theirs) - _number(mine) in row.by)
                and row.apart(mine, theirs)):  # fmt: skip
            return number
    return None


def excuse(kind: str, mine: Heard, theirs: Heard, call: Call) -> bool:
    """Whether a row says why the sides differ here; it is counted."""
    number = row_of(kind, mine, theirs, call)
    if number is not None:
        EXCUSED[number] += 1
    return number is not None


def idle() -> list[str]:
    """The rows that have excused nothing in this process."""
    return [
        f"KNOWN[{n}] {row.command}: {row.why}" for n, row in enumerate(KNOWN) if not EXCUSED[n]
    ]
