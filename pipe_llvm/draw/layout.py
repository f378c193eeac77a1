# SPDX-License-Identifier: MIT
"""What a vertex row holds: which varyings, and where.

In: the fragment shader's inputs and the rasterizer state. Out: a VertexLayout. Only what somebody
reads is stored: a row of 16 floats (position and 12 more) is one cache line. Distances to user clip
planes come first, at float CLIP_DISTANCES, because clipping, which knows no layout, reads them.
Counterpart of Mesa's draw_vertex.c and lp_state_derived.c. Imported when a pipeline is made, so it
loads nothing but tables.
"""

from __future__ import annotations

from typing import NamedTuple

from pipe_llvm.native import LANES, MAX_ROW_FLOATS
from pydri.nir.enums import (
    VARYING_SLOT_BFC0,
    VARYING_SLOT_CLIP_DIST0,
    VARYING_SLOT_CLIP_VERTEX,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_CULL_DIST0,
    VARYING_SLOT_CULL_DIST1,
    VARYING_SLOT_EDGE,
    VARYING_SLOT_FACE,
    VARYING_SLOT_LAYER,
    VARYING_SLOT_PNTC,
    VARYING_SLOT_POS,
    VARYING_SLOT_PSIZ,
)
from pydri.pipe.state import Capture, Rasterizer, ShaderInput

#: words of VertexStream.emitted before the first vertex: how many there are, by lane
COUNTS = LANES
#: float of a row at which the distance to user plane 0 stands, if there are user planes
CLIP_DISTANCES = 4
#: where a shader says distances to cull by, of which rows hold nothing
CULL_SLOTS = (VARYING_SLOT_CULL_DIST0, VARYING_SLOT_CULL_DIST1)
#: inputs that the rasteriser makes itself
_GENERATED = frozenset({VARYING_SLOT_POS, VARYING_SLOT_FACE, VARYING_SLOT_PNTC})


class Varying(NamedTuple):
    """One varying of a vertex row: VARYING_SLOT, first float, components."""

    slot: int
    offset: int
    components: int


class VertexLayout(NamedTuple):
    """Vertex row: position in floats 0..3, then `varyings`; `floats` is the row's size, a
    multiple of 16.
    """

    varyings: tuple[Varying, ...]
    floats: int

    def offset_of(self, slot: int) -> int:
        """The first float of a varying; -1: there is none."""
        return next((v.offset for v in self.varyings if v.slot == slot), -1)


def _captured(captures: tuple[Capture, ...]) -> dict[int, int]:
    """How many components of each varying stream output reads."""
    wanted: dict[int, int] = {}
    for item in captures:
        if item.slot != VARYING_SLOT_POS:
            wanted[item.slot] = max(wanted.get(item.slot, 0), item.component + item.components)
    return wanted


def input_layout(slots: tuple[int, ...]) -> VertexLayout:
    """Rows of what the next stage reads of a vertex: whole vectors."""
    return VertexLayout(
        tuple(Varying(slot, 4 * n, 4) for n, slot in enumerate(slots)), -(-len(slots) // 4) * 16)


def emitted_cells(
    outputs: tuple[int, ...], rows: VertexLayout, clip_planes: int
) -> tuple[tuple[int, int], ...]:
    """(slot, component) of what rows of vertices are made of that a shader with these outputs
    emits."""
    wanted = [(VARYING_SLOT_POS, n) for n in range(4)]
    if clip_planes:
        wanted += [(VARYING_SLOT_CLIP_VERTEX, n) for n in range(4)]
    wanted += [(slot, n) for slot in CULL_SLOTS for n in range(4)]
    wanted += [(item.slot, n) for item in rows.varyings for n in range(item.components)]
    return tuple(dict.fromkeys(cell for cell in wanted if cell[0] in outputs))


def emitted_bytes(most: int, cells: int) -> int:
    """Of VertexStream.emitted: counts, the vertices, one that nobody reads (of lanes that emit too
    many), and one from which lanes are copied."""
    return 4 * COUNTS + (most + 2) * cells * 4 * LANES


def make_layout(
    fs_inputs: tuple[ShaderInput, ...], rast: Rasterizer, captures: tuple[Capture, ...] = (),
    layered: bool = False,
) -> VertexLayout:  # fmt: skip
    """Rows for a fragment shader: its inputs, back colours if `twoside`, point size, edge flag, the
    layer if it is chosen (`layered`); and what stream output writes beside clip coordinates. Of a
    varying that is there twice the last one has all that somebody reads."""
    out: list[Varying] = []
    at = CLIP_DISTANCES

    def add(slot: int, components: int) -> None:
        nonlocal at
        out.append(Varying(slot, at, components))
        at += components

    planes = rast.clip_planes.bit_length()
    for half in range(0, planes, 4):
        add(VARYING_SLOT_CLIP_DIST0 + half // 4, min(4, planes - half))
    seen: dict[int, int] = {}
    for item in fs_inputs:
        # of sprites the corners have it
        if item.slot not in _GENERATED or (item.slot == VARYING_SLOT_PNTC and rast.point_sprite):
            seen[item.slot] = max(item.components, seen.get(item.slot, 0))
    for slot, components in seen.items():
        add(slot, components)
        if rast.twoside and slot in (VARYING_SLOT_COL0, VARYING_SLOT_COL1):
            add(slot - VARYING_SLOT_COL0 + VARYING_SLOT_BFC0, components)
    if rast.point_size_per_vertex and VARYING_SLOT_PSIZ not in seen:
        add(VARYING_SLOT_PSIZ, 1)
    if rast.unfilled:
        add(VARYING_SLOT_EDGE, 1)
    if layered and VARYING_SLOT_LAYER not in seen:
        add(VARYING_SLOT_LAYER, 1)
    for slot, components in _captured(captures).items():
        if max((row.components for row in out if row.slot == slot), default=0) < components:
            add(slot, components)
    if at > MAX_ROW_FLOATS:
        raise ValueError(f"a vertex of {at} floats; {MAX_ROW_FLOATS} are possible")
    return VertexLayout(tuple(out), (at + 15) // 16 * 16)
