# SPDX-License-Identifier: MIT
"""What a vertex carries besides its place, and how it varies over a primitive (GL 2.1, 2.14.7,
3.4.1 and 3.5.1).

A vertex is a row of floats: the place in the window and 1/w, clip coordinates, then four floats for
each varying that the fragment shader, clipping or rasterisation read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pipe_soft.arrays import Arr
from pydri.nir.enums import (
    VARYING_SLOT_BFC0,
    VARYING_SLOT_CLIP_DIST0,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_CULL_DIST0,
    VARYING_SLOT_CULL_DIST1,
    VARYING_SLOT_DRIVER0,
    VARYING_SLOT_EDGE,
    VARYING_SLOT_FACE,
    VARYING_SLOT_LAYER,
    VARYING_SLOT_PNTC,
    VARYING_SLOT_POS,
    VARYING_SLOT_PSIZ,
)
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_GEOMETRY, SHADER_VERTEX
from pydri.pipe.state import PRIM_POINTS, PRIM_TRIANGLES, PipelineState

X, Y, DEPTH, RECIP_W = range(4)  # floats of a row: the place in the window
CLIP = 4  # and four clip coordinates
FIRST = 8
#: Varyings of this driver's own: where a fragment lies in a smooth line, and in a smooth point.
LINE_COVERAGE, POINT_COVERAGE = VARYING_SLOT_DRIVER0, VARYING_SLOT_DRIVER0 + 1
GL_POINT = 0x1B00
#: where a shader says distances to cull by
CULL_SLOTS = (VARYING_SLOT_CULL_DIST0, VARYING_SLOT_CULL_DIST1)
#: what the rasteriser makes itself
_GENERATED = (VARYING_SLOT_POS, VARYING_SLOT_FACE, VARYING_SLOT_PNTC)


class Input(NamedTuple):
    """A fragment shader's input: where its four floats lie in a row, of back faces, too."""

    slot: int
    components: int
    column: int
    back_column: int
    kind: str  # "flat", "smooth", "noperspective"


class Layout(NamedTuple):
    """The columns of vertex rows."""

    columns: dict[int, int]  # first of four, by VARYING_SLOT
    inputs: tuple[Input, ...]
    flat: Arr  # whether a column's value is the provoking vertex'
    linear: Arr  # whether it varies linearly in the window

    @property
    def width(self) -> int:
        return len(self.flat)

    @property
    def perspective(self) -> bool:
        return any(item.kind == "smooth" for item in self.inputs)


def fading(state: PipelineState) -> bool:
    """Whether there are points with several samples, which may fade (GL 2.1, 3.3)."""
    rast = state.rast
    corners = GL_POINT in (rast.fill_front, rast.fill_back)
    points = state.prim == PRIM_POINTS or (state.prim == PRIM_TRIANGLES and corners)
    return state.multisample.enabled and points


def chooses_layer(state: PipelineState) -> bool:
    """Whether primitives say which layer they go to (gl_Layer)."""
    gs = state.stages[SHADER_GEOMETRY]
    return gs is not None and VARYING_SLOT_LAYER in gs.outputs


def last_outputs(state: PipelineState) -> tuple[int, ...]:
    """What the last shader before rasterisation writes; rectangles have none."""
    last = state.stages[SHADER_GEOMETRY] or state.stages[SHADER_VERTEX]
    return last.outputs if last else ()


def are_squares(state: PipelineState) -> bool:
    """Whether points are squares of whole pixels, over which nothing varies."""
    return not (state.multisample.enabled or state.rast.point_smooth)


def make_layout(state: PipelineState) -> Layout:
    """The rows of a pipeline."""
    rast, slots = state.rast, []
    given = {*_GENERATED} - ({VARYING_SLOT_PNTC} if rast.point_sprite else set())
    fragment = state.stages[SHADER_FRAGMENT]
    read = fragment.inputs if fragment is not None else ()
    wanted = {item.slot: item for item in read if item.slot not in given}
    back = {}
    for slot in wanted:
        slots.append(slot)
        if rast.twoside and slot in (VARYING_SLOT_COL0, VARYING_SLOT_COL1):
            back[slot] = slot - VARYING_SLOT_COL0 + VARYING_SLOT_BFC0
            slots.append(back[slot])
    if rast.clip_planes:
        slots += [VARYING_SLOT_CLIP_DIST0, VARYING_SLOT_CLIP_DIST0 + 1]
    slots += [slot for slot in CULL_SLOTS if slot in last_outputs(state)]
    if rast.point_size_per_vertex:
        slots.append(VARYING_SLOT_PSIZ)
    if rast.unfilled:
        slots.append(VARYING_SLOT_EDGE)
    if chooses_layer(state):
        slots.append(VARYING_SLOT_LAYER)
    captured = state.stream_output.captures
    slots += [item.slot for item in captured if item.slot != VARYING_SLOT_POS]
    if rast.line_smooth:
        slots.append(LINE_COVERAGE)
    if rast.point_smooth or fading(state):
        slots.append(POINT_COVERAGE)
    columns = {slot: FIRST + 4 * n for n, slot in enumerate(dict.fromkeys(slots))}
    width = FIRST + 4 * len(columns)
    flat, linear = np.zeros(width, np.bool_), np.zeros(width, np.bool_)
    inputs = []
    for slot, item in wanted.items():
        kind = item.interp
        if kind == "color":
            kind = "flat" if rast.flatshade else "smooth"
        if state.prim == PRIM_POINTS and are_squares(state):
            kind = "flat"
        components = max(i.components for i in read if i.slot == slot)
        back_column = columns[back[slot]] if slot in back else -1
        inputs.append(Input(slot, components, columns[slot], back_column, kind))
        for column in (columns[slot], back_column):
            if column >= 0:
                flat[column : column + 4] = kind == "flat"
                linear[column : column + 4] = kind == "noperspective"
    if chooses_layer(state):
        flat[columns[VARYING_SLOT_LAYER]] = True
    for slot in (LINE_COVERAGE, POINT_COVERAGE):
        if slot in columns:
            linear[columns[slot] : columns[slot] + 4] = True
    return Layout(columns, tuple(inputs), flat, linear)
