# SPDX-License-Identifier: MIT
"""The pipeline of a draw in selection or feedback: its vertex stage, and what that leaves behind.

In: a key block whose `render_mode` is not 0. Out: what its vertex stage is made of, the
StreamOutput that writes rows, and the RowLayout that says where a row has what
(pydri/st/draw/pipeline_state.py makes a pipeline without fragments of it). Selection wants places
alone; feedback colours and texture coordinates, too, whatever the framebuffer has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pydri.main.feedback.layout import FEEDBACK, ROW_FIRST
from pydri.main.state.layout import VERTEX_FREE
from pydri.main.textures.layout import UNIT_MATRIX
from pydri.nir.enums import (
    VARYING_SLOT_BFC0,
    VARYING_SLOT_CLIP_DIST0,
    VARYING_SLOT_COL0,
    VARYING_SLOT_CULL_DIST0,
    VARYING_SLOT_EDGE,
    VARYING_SLOT_POS,
    VARYING_SLOT_TEX0,
    VERT_ATTRIB_POINT_SIZE,
)
from pydri.pipe.native import SHADER_VERTEX
from pydri.pipe.state import Capture, StreamOutput
from pydri.st.fixed.key import (
    FragmentKey,
    ReadUnit,
    VertexKey,
    has_unfilled,
    vertex_key,
    vertex_outputs,
)


class _Part(NamedTuple):
    """What a row may have: field of RowLayout, varyings, floats."""

    field: str
    slots: tuple[int, ...]
    floats: int


_COLORED = (
    _Part("color", (VARYING_SLOT_COL0,), 4),
    _Part("back", (VARYING_SLOT_BFC0,), 4),
    _Part("tex", (VARYING_SLOT_TEX0,), 4),
)
_PLACED = (
    _Part("dist", (VARYING_SLOT_CLIP_DIST0, VARYING_SLOT_CLIP_DIST0 + 1), 8),
    _Part("cull", (VARYING_SLOT_CULL_DIST0, VARYING_SLOT_CULL_DIST0 + 1), 8),
    _Part("edge", (VARYING_SLOT_EDGE,), 1),
)
_PARTS = (*_COLORED, *_PLACED)


def neutral(key: Any) -> Any:
    """A copy of a key block, without what makes other code of vertices that nobody draws."""
    copy = type(key).from_buffer_copy(key)
    copy.point_sprite = copy.point_attenuated = copy.attrib_format[VERT_ATTRIB_POINT_SIZE] = 0
    if key.render_mode != FEEDBACK:
        copy.clamping |= VERTEX_FREE
    return copy


def fixed_vertex_key(key: Any) -> VertexKey:
    """The fixed-function vertex program of a key block: with a colour, and with the coordinates of
    unit 0, in feedback."""
    own = neutral(key)
    if key.render_mode != FEEDBACK:
        return vertex_key(own, FragmentKey(False, False, 0))
    own.tex[0].flags = UNIT_MATRIX  # a product with the identity is what was given
    units: Any = (ReadUnit(0),)
    return vertex_key(own, FragmentKey(True, False, 0, units=units))


def _program_code(key: Any) -> Any:
    from pydri.main.shaders.code import STAGES

    return STAGES[key.stages[SHADER_VERTEX]]


def _outputs(key: Any) -> set[int]:
    """The varyings that the vertex stage writes and feedback reads."""
    if not key.stages[SHADER_VERTEX]:
        return set(vertex_outputs(fixed_vertex_key(key)))
    found = set(_program_code(key).info.outputs)
    if not (key.program_two_side and key.prim == 2):
        found.discard(VARYING_SLOT_BFC0)
    found -= {VARYING_SLOT_CLIP_DIST0, VARYING_SLOT_CLIP_DIST0 + 1}
    if key.clip_planes:  # the driver says how far inside of them vertices are
        found.add(VARYING_SLOT_CLIP_DIST0)
    return found | ({VARYING_SLOT_EDGE} if has_unfilled(key) else set())


def _parts(key: Any) -> tuple[list[tuple[_Part, int]], int]:
    """The parts of rows with their first floats, and the floats of a row."""
    outputs, at, found = _outputs(key), ROW_FIRST, []
    for part in _PARTS if key.render_mode == FEEDBACK else _PLACED:
        if not outputs.isdisjoint(part.slots):
            found.append((part, at))
            at += part.floats
    return found, at


def describe(layout: Any, key: Any) -> None:
    """Fill in the RowLayout of a key block."""
    parts, layout.floats = _parts(key)
    for part, at in parts:
        setattr(layout, part.field, at)


def stream_output(key: Any) -> StreamOutput:
    """What the pipeline of a key block leaves in memory."""
    parts, floats = _parts(key)
    captures = [Capture(VARYING_SLOT_POS, 0, 4, 0, 0)]
    for part, at in parts:
        # planes behind the last one that is on have no distances
        used = key.clip_planes.bit_length() if part.field == "dist" else part.floats
        for n, slot in zip(range(0, used, 4), part.slots):
            captures.append(Capture(slot, 0, min(4, used - n), 0, at + n))
    return StreamOutput(tuple(captures), (floats,))


__all__ = ["describe", "fixed_vertex_key", "neutral", "stream_output"]
