# SPDX-License-Identifier: MIT
"""Vertices: from a draw call to rows of floats in clip and window coordinates (GL 2.1, 2.11, 2.12).

The vertex shader runs once over all vertices that a draw names. Window coordinates are
x / w * scale + move, with 1 / w taken first. `flags` says which planes a vertex lies outside of;
x and y count for triangles from a guard band 16384 pixels away, since the scissor cuts off what
lies outside of the viewport anyway.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pipe_soft.arrays import F32, Arr, f32
from pipe_soft.fetch import attribute
from pipe_soft.layout import CLIP, CULL_SLOTS, DEPTH, FIRST, RECIP_W, Layout, X, Y
from pipe_soft.shader_memory import memory_of
from pipe_soft.textures import Textures
from pydri.nir.enums import (
    VARYING_SLOT_CLIP_DIST0,
    VARYING_SLOT_CLIP_VERTEX,
    VARYING_SLOT_POS,
)
from pydri.nir.interp import Result
from pydri.pipe.native import MAX_ATTRIBS, SHADER_VERTEX, DrawInfo, PipeDynamic, VertexBinding
from pydri.pipe.shader_memory import constant_buffers

if TYPE_CHECKING:
    from pipe_soft.pipeline import Pipeline

GUARD_BAND = 16384.0
#: Bits of Vertices.flags: planes of the view volume, user planes (USER << n), and what is no plane:
#: a w that is not a positive number, and negative distances to cull by (CULL << n).
LEFT, RIGHT, BOTTOM, TOP, NEAR, FAR, USER, W, CULL = 1, 2, 4, 8, 16, 32, 64, 1 << 14, 1 << 15
CULLS = CULL * 0xFF
SIDES = LEFT | RIGHT | BOTTOM | TOP


class View:
    """The viewport of a PipeDynamic."""

    def __init__(self, dyn: Any) -> None:
        self.scale = f32(dyn.viewport_scale[:])
        self.move = f32(dyn.viewport_translate[:])

    def project(self, clip: Arr) -> Arr:
        """x, y, depth and 1/w of clip coordinates (n, 4)."""
        recip = F32(1) / clip[:, 3]
        out = [clip[:, n] * recip * self.scale[n] + self.move[n] for n in range(3)]
        return np.stack([*out, recip], axis=1)

    def distances(self, clip: Arr, guard: bool) -> list[tuple[int, Arr]]:
        """(flag, signed distance) of vertices from each plane; inside is >= 0."""
        x, y, z, w = clip.T
        out = []
        for n, (c, low, high) in enumerate(((x, LEFT, RIGHT), (y, BOTTOM, TOP))):
            if guard:
                across = c * self.scale[n]
                out.append((low, across + w * (self.move[n] + F32(GUARD_BAND))))
                out.append((high, w * (F32(GUARD_BAND) - self.move[n]) - across))
            else:
                out += [(low, c + w), (high, w - c)]
        return [*out, (NEAR, z + w * self.scale[3]), (FAR, w - z)]


class Vertices:
    """Rows of vertices; clipping and wide primitives append to them."""

    def __init__(self, layout: Layout, view: View, rows: Arr, depth_clamp: bool) -> None:
        self.layout, self.view, self.depth_clamp = layout, view, depth_clamp
        self._rows, self._count = rows, len(rows)
        self.flags = self._outside()

    def _outside(self) -> Arr:
        """Flags of all planes that clip, those of the guard band for x and y."""
        flags = np.where(self.rows[:, CLIP + 3] > 0, 0, W)
        for flag, distance in (*self.planes(self.rows, True), *self._culls()):
            flags = flags | np.where(distance >= 0, 0, flag)  # no number counts as outside
        return flags

    def planes(self, rows: Arr, guard: bool) -> list[tuple[int, Arr]]:
        """(flag, distance of each row) of all planes, in the order in which they clip."""
        out = self.view.distances(rows[:, CLIP:FIRST], guard)
        if self.depth_clamp:
            out = [pair for pair in out if pair[0] not in (NEAR, FAR)]
        at = self.layout.columns.get(VARYING_SLOT_CLIP_DIST0)
        if at is not None:
            out += [(USER << n, rows[:, at + n]) for n in range(8)]
        return out

    def _culls(self) -> Iterator[tuple[int, Arr]]:
        """The same of distances to cull by."""
        for half, slot in enumerate(CULL_SLOTS):
            column = self.layout.columns.get(slot)
            if column is not None:
                for n in range(4):
                    yield CULL << 4 * half + n, self.rows[:, column + n]

    @property
    def rows(self) -> Arr:
        """All rows (vertices, floats)."""
        return self._rows[: self._count]

    def append(self, rows: Arr) -> Arr:
        """Add rows that lie inside of all planes; their numbers."""
        numbers = np.arange(self._count, self._count + len(rows))
        if self._count + len(rows) > len(self._rows):
            more = self._count + 2 * len(rows) + 64
            spare = np.zeros((more, rows.shape[1]), np.float32)
            self._rows = np.concatenate([self.rows, spare])
            self.flags = np.concatenate([self.flags[: self._count], np.zeros(more, np.int64)])
        self._rows[numbers] = rows
        self._count += len(rows)
        return numbers

    def of_volume(self, numbers: Arr) -> Arr:
        """Flags of vertices with x and y against the view volume instead of the guard band."""
        x, y, _, w = self.rows[numbers, CLIP:FIRST].T
        flags = self.flags[numbers] & ~SIDES
        for beyond, flag in ((x < -w, LEFT), (x > w, RIGHT), (y < -w, BOTTOM), (y > w, TOP)):
            flags = flags | np.where(beyond, flag, 0)
        return np.asarray(flags)

    def mix(self, ends: tuple[Arr, Arr], factors: tuple[Arr, Arr], provoking: Arr,
            place_is_linear: slice | None = None) -> Arr:  # fmt: skip
        """New rows: first + factor * (second - first). `factors`: of what is smooth, and of what is
        linear in the window (with the columns `place_is_linear` of the place)."""
        first, second = self.rows[ends[0]], self.rows[ends[1]]
        linear = self.layout.linear.copy()
        if place_is_linear is not None:
            linear[place_is_linear] = True
        factor = np.where(linear, factors[1][:, None], factors[0][:, None])
        mixed = first + factor * (second - first)
        return np.where(self.layout.flat, self.rows[provoking], mixed)


def bindings(pipeline: Pipeline, info: Any) -> list[Any]:
    """Where the values of each vertex element lie."""
    slots = [min(element.slot, MAX_ATTRIBS - 1) for element in pipeline.elements]
    return [VertexBinding.view(info.attribs + slot * VertexBinding.size) for slot in slots]


def constants(dyn: Any, stage: int) -> dict[int, bytes]:
    """The uniform blocks of a stage (SHADER_*)."""
    own = dyn.stages[stage]
    given = ((dyn.const0, dyn.const0_size), (own.const1, own.const1_size))
    found = {n: ctypes.string_at(at, size) for n, (at, size) in enumerate(given) if at}
    return {**found, **constant_buffers(own.memory)}


def _elements(binding: Any, info: Any, numbers: Arr, instance: int) -> Arr:
    """Which elements of an array these vertices of an instance have."""
    if not binding.divisor:
        return numbers
    return np.full_like(numbers, (instance // binding.divisor + info.base_instance) & 0xFFFFFFFF)


def shade(pipeline: Pipeline, dyn: Any, info: Any, numbers: Arr, number: int) -> Result:
    """What the vertex shader gives of the vertices with these numbers of an instance."""
    inputs = {
        element.slot: attribute(
            binding, element.format, _elements(binding, info, numbers, number)
        )
        for element, binding in zip(pipeline.elements, bindings(pipeline, info))
    }
    bound = dyn.stages[SHADER_VERTEX]
    instance = np.full(len(numbers), number, np.uint32)
    planes = np.array([plane[:] for plane in dyn.clip_planes], np.float32)
    system: dict[str, Arr] = {"vertex_id": numbers.astype(np.uint32), "instance_id": instance}
    system["user_clip_plane"] = planes
    with np.errstate(all="ignore"):
        return pipeline.vertex(
            len(numbers), inputs=inputs, ubos=constants(dyn, SHADER_VERTEX), system=system,
            texture=Textures(bound.views, vertex=True), memory=memory_of(bound.memory),
        )  # fmt: skip


def placed(pipeline: Pipeline, dyn: Any, done: Result, count: int) -> Vertices:
    """The vertices that the last shader before rasterisation gave, projected."""
    with np.errstate(all="ignore"):
        rows = _rows(pipeline, dyn, done, count)
        return Vertices(pipeline.layout, View(dyn), rows, pipeline.state.rast.depth_clamp)


def _rows(pipeline: Pipeline, dyn: Any, done: Result, count: int) -> Arr:
    def output(slot: int) -> Arr:
        if slot not in done.outputs:
            return np.tile(f32([0, 0, 0, 1]), (count, 1))
        return done.output(slot)

    layout = pipeline.layout
    rows = np.zeros((count, layout.width), np.float32)
    clip = output(VARYING_SLOT_POS)
    rows[:, CLIP:FIRST] = clip
    rows[:, X : RECIP_W + 1] = View(dyn).project(clip)
    for slot, column in layout.columns.items():
        rows[:, column : column + 4] = output(slot)
    planes = pipeline.state.rast.clip_planes
    if planes:
        at = layout.columns[VARYING_SLOT_CLIP_DIST0]
        vertex = clip
        if VARYING_SLOT_CLIP_VERTEX in done.outputs:
            vertex = output(VARYING_SLOT_CLIP_VERTEX)
        for n in range(8):
            if not planes >> n & 1:
                rows[:, at + n] = 0  # inside
            elif VARYING_SLOT_CLIP_DIST0 + n // 4 not in done.outputs:
                rows[:, at + n] = _distance(vertex, f32(dyn.clip_planes[n][:]))
    return rows


def _distance(vertex: Arr, plane: Arr) -> Arr:
    """From a user plane (GL 2.1, 2.12)."""
    total = vertex[:, 0] * plane[0]
    for n in range(1, 4):
        total = total + vertex[:, n] * plane[n]
    return total


def dynamics(address: int) -> Any:
    """The PipeDynamic at an address."""
    return PipeDynamic.view(address)


def draw_info(address: int) -> Any:
    """The DrawInfo at an address."""
    return DrawInfo.view(address)


__all__ = [
    "DEPTH", "RECIP_W", "SIDES", "View", "Vertices", "W", "X", "Y", "constants", "draw_info",
    "dynamics", "placed", "shade",
]  # fmt: skip
