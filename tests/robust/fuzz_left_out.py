# SPDX-License-Identifier: MIT
"""What episodes leave out before they are played on both drivers: calls behind which the sides
would differ for a known reason that no single call shows, so that no row of fuzz_known.py can name
it. A function a reason; `left_out` goes through all of them.
"""

import re
from typing import Any

from pydri.api.apis import ES1
from pydri.api.enums import (
    GL_FIXED,
    GL_FLOAT,
    GL_LIGHTING,
    GL_LINE_LOOP,
    GL_POLYGON,
    GL_QUAD_STRIP,
    GL_QUADS,
    GL_TEXTURE0,
    GL_TEXTURE_1D,
    GL_ZERO_TO_ONE,
)
from tests.robust import fuzz_contexts
from tests.robust.fuzz_known import Call

_VERTEX = re.compile(r"gl(Vertex[234]|Eval|ArrayElement)")
_SHORT = re.compile(r"gl(Color3|(Multi)?TexCoord[123]|VertexAttribI?[123])")


def _late(calls: list[Call]) -> list[Call]:
    """Without attributes of fewer than four components that a primitive begins to have behind a
    vertex. The vertices before have what was current, with all four (GL 2.1, 2.7); to the peer the
    others are 0 and 1 in all of them."""
    kept: list[Call] = []
    seen: set[tuple[str, Any]] | None = None  # attributes since glBegin; None: outside
    vertices = 0
    for call in calls:
        name, values = call
        found = _SHORT.match(name)
        if name == "glBegin":
            seen, vertices = set(), 0
        elif name == "glEnd":
            seen = None
        elif _VERTEX.match(name):
            vertices += 1
        elif found and seen is not None:
            which = found[0].rstrip("123"), values[0] if "Multi" in name or "Att" in name else 0
            if vertices and which not in seen:
                continue
            seen.add(which)
        kept.append(call)
    return kept


_CURRENT = re.compile(
    r"gl((Secondary)?Color|Normal|(Multi)?TexCoord|EdgeFlag|Index|FogCoord|Material|VertexAttribI?)"
    r"(\d|[a-z])|gl(EdgeFlag|ArrayElement|Eval)"
)
_CORNERS = {GL_QUADS: 4, GL_QUAD_STRIP: 1 << 30, GL_POLYGON: 1 << 30, GL_LINE_LOOP: 1 << 30}


def _decided(calls: list[Call]) -> list[Call]:
    """Without attributes that change within a quad or polygon: GL 2.1, 3.5.1 leaves open how its
    corners are averaged inside. Elements of arrays are corners, too, and of any place. The peer
    leaves out the line that closes a loop where an attribute is new behind its corners."""
    kept: list[Call] = []
    corners = vertices = 0  # of one polygon; so far
    for call in calls:
        name, values = call
        if name in ("glBegin", "glEnd"):
            corners = _CORNERS.get(values[0], 0) if name == "glBegin" else 0
            vertices = 0
        elif corners and _CURRENT.match(name):
            if vertices % corners or name.startswith(("glArray", "glEval")):
                continue
        elif name.startswith("glVertex"):
            vertices += 1
        kept.append(call)
    return kept


_LENGTH = re.compile(r"gl(SecondaryColor|Color|Normal|(?:Multi)?TexCoord|VertexAttrib)P?([1-4])")


def _shrunk_once(calls: list[Call]) -> list[Call]:
    """Without a form of what is current that is shorter than the one before, but for the first: the
    peer forgets to put the other coordinates at 0 and 1 (KNOWN has it for answers)."""
    kept: list[Call] = []
    lengths: dict[tuple[str, Any], tuple[int, bool]] = {}  # the last one, and whether it ever fell
    for call in calls:
        name, values = call
        if found := _LENGTH.match(name):
            which = found[1], values[0] if found[1][0] in "MV" else 0
            if found[1] == "TexCoord":
                which = "MultiTexCoord", GL_TEXTURE0
            before, fell = lengths.get(which, (0, False))
            shorter = int(found[2]) < before
            if shorter and fell:
                continue
            lengths[which] = int(found[2]), fell or shorter
        kept.append(call)
    return kept


def _lists_told(calls: list[Call]) -> list[Call]:
    """Without list 0 in a primitive, the peer's error about which is told behind glEnd (KNOWN), and
    without lists there that begin one themselves: that glBegin is an error and nothing else of the
    list is (GL 2.1, 2.6.1); the peer leaves out what stands behind it, too."""
    kept: list[Call] = []
    listed: int | None = None  # the list that is compiled
    begins: set[int] = set()  # lists with glBegin
    inside = False
    for call in calls:
        name, values = call
        inside = name == "glBegin" or inside and name != "glEnd"
        if name in ("glNewList", "glEndList"):
            listed = values[0] if name == "glNewList" else None
        elif name == "glBegin" and listed is not None:
            begins.add(listed)
        if inside and (
            name == "glCallList" and (not values[0] or values[0] in begins)
            or name == "glCallLists" and begins
        ):
            continue
        kept.append(call)
    return kept


#: the peer gives a name this target (GL_TEXTURE_BUFFER) even by a call that it refuses, and is of
#: another mind about the name afterwards (GL 2.1, 2.5: such a call does nothing)
KEPT_TARGETS = frozenset((0x8C2A,))


def _same_objects(call: Call) -> bool:
    """Whether a call makes an object of a name that has none on both sides or on neither, refused
    or not. glTextureSubImage1DEXT alone looks at its target before that at the peer's."""
    name, values = call
    if name == "glTextureSubImage1DEXT" and values[1] != GL_TEXTURE_1D:
        return False
    if name == "glNamedCopyBufferSubDataEXT" and 0 in values[:2]:  # makes the other buffer there
        return False
    targets = [value for value in values[:2] if isinstance(value, int)]
    return "Tex" not in name or KEPT_TARGETS.isdisjoint(targets)


def _no_strings(call: Call) -> bool:
    """Whether a shader gets a source of no strings, an empty one (GL 2.1, 2.15.1): the peer takes
    its length from what lies before the lengths of none."""
    return call[0] == "glShaderSource" and call[1][1] == 0


def _tells(call: Call) -> bool:
    """Whether a call makes points so large that a single one tells: without an array of vertices
    (GL 2.1, 2.8: nothing is drawn) the peer draws where the current vertex is."""
    name, values = call
    if not name.startswith("glPointParameter") or len(values) < 2:
        return False
    given = values[1][2] if isinstance(values[1], tuple | list) else [values[1]]
    return any(isinstance(value, int | float) and value > 12 for value in given)


#: maps of what is current: colours, normals, texture coordinates
_CURRENT_MAPS = {*range(0xD90, 0xD97), *range(0xDB0, 0xDB7)}
_EVALUATES = re.compile(r"glEval(Coord|Point)")


def _unevaluated(calls: list[Call]) -> list[Call]:
    """Without evaluations, where maps of what is current may be in use. GL 2.1, 5.1: what is
    evaluated changes nothing that is current; the peer cuts coordinates that were set since it drew
    down to as many as the map has, and has colours of 0 behind some."""
    if not any(value in _CURRENT_MAPS for _, values in calls for value in values
               if isinstance(value, int)):  # fmt: skip
        return calls
    return [call for call in calls if not _EVALUATES.match(call[0])]


def _in_the_volume(calls: list[Call]) -> list[Call]:
    """Without raster positions where the view volume may begin at a depth of zero: those in front
    of it are not valid (ARB_clip_control; GL 4.5 compatibility, 14.2), and are to the peer."""
    if not any(name.startswith("glClipControl") and GL_ZERO_TO_ONE in values
               for name, values in calls):  # fmt: skip
        return calls
    return [call for call in calls if not call[0].startswith("glRasterPos")]


def _has_ends_in_lists(calls: list[Call]) -> list[Call]:
    """Without attributes behind the last vertex of a primitive that a list compiles, or in one that
    it leaves open: they are current once the list is executed (GL 2.1, 2.7 and 5.4), and lost, or
    replaced by what lay in memory, at the peer."""
    kept: list[Call] = []
    primitive: list[Call] | None = None  # its calls since glBegin in a list
    listed = False
    for call in calls:
        name, values = call
        if name in ("glNewList", "glEndList"):
            kept += _without_current(primitive or [])
            listed, primitive = name == "glNewList", None
        if primitive is None:
            kept.append(call)
            primitive = [] if listed and name == "glBegin" else None
            continue
        primitive.append(call)
        if name == "glEnd":
            last = max((n for n, (what, _) in enumerate(primitive) if _VERTEX.match(what)),
                       default=-1) + 1  # fmt: skip
            kept += primitive[:last] + _without_current(primitive[last:])
            primitive = None
    return kept + _without_current(primitive or [])


def _compiled(calls: list[Call]) -> list[Call]:
    """Without commands in lists that the peer executes at once (GL 2.1, 5.4 has them compiled)."""
    kept: list[Call] = []
    listed = False
    for call in calls:
        name = call[0]
        listed = name == "glNewList" or listed and name != "glEndList"
        if not (listed and name.startswith("glMultiTexGen")):
            kept.append(call)
    return kept


_UNCLAMPED = (GL_FLOAT, GL_FIXED)


def _clamped(calls: list[Call]) -> list[Call]:
    """Without vertices' colours beyond 0 and 1 in OpenGL ES 1: of arrays of numbers, and of lights.
    They are clamped before they are interpolated (OpenGL ES 1.1, 2.12.6); at the peer behind that.
    """
    if fuzz_contexts.kind().api != ES1:
        return calls
    return [
        (name, values) for name, values in calls
        if not (name == "glColorPointer" and values[1] in _UNCLAMPED
                or name == "glEnable" and values[0] == GL_LIGHTING)
    ]  # fmt: skip


def _at_depths(calls: list[Call]) -> list[Call]:
    """Without OES_draw_texture where there is a range of depths, which the peer takes for the whole
    one (OES_draw_texture: of z the window's depth is made as of vertices')."""
    if not any(name.startswith("glDepthRange") for name, _ in calls):
        return calls
    return [call for call in calls if not call[0].startswith("glDrawTex")]


def _without_current(calls: list[Call]) -> list[Call]:
    return [call for call in calls if not _CURRENT.match(call[0])]


#: what programs are asked about their captures: GL_TRANSFORM_FEEDBACK_VARYINGS, their mode, the
#: longest name. Where a program was linked again the peer reads what it has given up
OF_CAPTURES = (0x8C83, 0x8C7F, 0x8C76)


def _of_captures(call: Call) -> bool:
    return call[0].startswith("glGetProgramiv") and call[1][1] in OF_CAPTURES


def left_out(calls: list[Call]) -> list[Call]:
    """The calls that are played."""
    calls = [call for call in calls
             if _same_objects(call) and not _no_strings(call) and not _tells(call)
             and not _of_captures(call)]  # fmt: skip
    for without in (_late, _decided, _shrunk_once, _lists_told, _unevaluated, _in_the_volume,
                    _has_ends_in_lists, _compiled, _clamped,
                    _at_depths):  # fmt: skip
        calls = without(calls)
    return calls
