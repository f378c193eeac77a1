# SPDX-License-Identifier: MIT
"""Rasterisation: which pixels and samples a shape covers, and what varies over it (GL 2.1, 3.5.1).

In: Shapes. Out: batches of fragments in order, and the planes that give their depth and inputs.

Window positions are rounded to 1/256 pixel; edge functions are exact integers there. A sample on an
edge belongs to the triangle to its right or, for horizontal edges, to the one above it in the
window. What varies is a plane a0 + dadx * x + dady * y through the vertices as they are, not as
rounded: what is coplanar stays so. Specks that rounding gives another shape would get wild slopes,
so their planes go through the rounded corners. Planes count from the triangle's own corner pixel
and, as singles have few bits, in steps that both drivers share: to the first pixel of a 4x4 stamp,
and from there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pipe_soft.area import Covered, cover
from pipe_soft.arrays import F32, I64, Arr, clamp, f32, most, spread, whole
from pipe_soft.layout import DEPTH, POINT_COVERAGE, RECIP_W, X, Y
from pipe_soft.memory import SAMPLES
from pipe_soft.points import is_sprite, sprite_side
from pipe_soft.polygons import Shapes, offset
from pipe_soft.vertices import Vertices
from pydri.nir.enums import VARYING_SLOT_LAYER
from pydri.pipe.native import SHADER_FRAGMENT

if TYPE_CHECKING:
    from pipe_soft.pipeline import Pipeline

BATCH = 1 << 17  # pixels that are looked at at once
Plane = tuple[Arr, Arr, Arr]  # for each shape: value at its anchor's centre, steps in x and y


class Shape(ABC):
    """What gives fragments, and their values. Primitives in `front` face the viewer."""

    front: Arr

    def __init__(self, pipeline: Pipeline, dyn: Any) -> None:
        self.pipeline, self.dyn = pipeline, dyn
        self.samples = pipeline.state.samples

    @abstractmethod
    def fragments(self) -> Iterator[Covered]:
        """What is covered, in order."""

    @abstractmethod
    def depth(self, at: Covered) -> Arr:
        """Window depth of the samples, (fragments, samples)."""

    def centre_depth(self, at: Covered) -> Arr:
        """Window depth of the pixels' centres."""
        return self.depth(at)[:, 0]

    def layer(self, at: Covered) -> Arr | int:
        """Which images of the targets the fragments go to."""
        return 0

    @property
    def uses_w(self) -> bool:
        """Whether 1/w is interpolated."""
        fs = self.pipeline.state.shader(SHADER_FRAGMENT)
        return self.pipeline.layout.perspective or fs.uses_position

    @abstractmethod
    def values(self, at: Covered) -> tuple[dict[int, Arr], Arr]:
        """The fragment inputs by slot, (fragments, 4), and 1/w."""

    def own(self, slot: int, at: Covered) -> Arr | None:
        """A varying of this driver's at the centres, (fragments, 4); None if there is none."""
        return None

    def discs(self, at: Covered) -> Arr:
        """Which samples lie in the disc of a smooth point (GL 2.1, 3.3.3); of others all."""
        return np.ones((len(at.x), self.samples), np.bool_)

    def pixels(self, at: Covered) -> Arr | None:
        """What `load_pixel` gives, (fragments, 4); None where there is no image."""
        return None

    def clamped(self, z: Arr) -> Arr:
        """With depth clamp: within the viewport's range (ARB_depth_clamp), not 0 to 1."""
        if not self.pipeline.state.rast.depth_clamp:
            return z
        middle, scale, near = (F32(n) for n in (
            self.dyn.viewport_translate[2], *self.dyn.viewport_scale[2:4]))  # fmt: skip
        ends = middle - scale * near, middle + scale
        return clamp(z, min(ends), max(ends))


class Triangles(Shape):
    """Triangles of one kind, and the planes over them."""

    def __init__(self, pipeline: Pipeline, dyn: Any, vertices: Vertices, shapes: Shapes) -> None:
        super().__init__(pipeline, dyn)
        self.shapes = shapes
        self.rows = vertices.rows
        state = pipeline.state
        self.places = SAMPLES[self.samples if state.multisample.enabled else 1]
        numbers = shapes.corners
        place = whole(self.rows[numbers][:, :, X : Y + 1] * F32(256))
        self.px, self.py = place[..., 0], place[..., 1]  # (triangles, corners), 1/256 pixels
        self.sides = [self.px[:, 1] - self.px[:, 0], self.py[:, 1] - self.py[:, 0],
                      self.px[:, 2] - self.px[:, 0], self.py[:, 2] - self.py[:, 0]]  # fmt: skip
        #: twice the area; the sign is the winding
        self.area = self.sides[0] * self.sides[3] - self.sides[2] * self.sides[1]
        alive = self.area != 0
        self.front = np.full(len(numbers), not shapes.back)
        if shapes.kind == "fill":
            self.front = (self.area < 0) == bool(dyn.front_negative)
            alive &= (dyn.cull & np.where(self.front, 1, 2)) == 0
        self.smooth = shapes.kind == "fill" and state.rast.poly_smooth
        self.low, self.high = self._boxes()
        #: the pixel from which planes count
        self.anchor = np.maximum(self.low, 0)
        scissor = (
            np.array([dyn.scissor_x0, dyn.scissor_y0]),
            np.array([dyn.scissor_x1 - 1, dyn.scissor_y1 - 1]),
        )
        self.low, self.high = np.maximum(self.low, scissor[0]), np.minimum(self.high, scissor[1])
        self.alive = alive & (self.low <= self.high).all(axis=1)

    # -- coverage ----------------------------------------------------------------------------------

    def _boxes(self) -> tuple[Arr, Arr]:
        """First and last pixels (x, y) in which a sample may be covered."""
        corners = np.stack([self.px, self.py], axis=2)
        places = np.array(self.places)
        first, last = places.min(axis=0), places.max(axis=0)
        if self.smooth:  # all pixels that the interior touches
            first, last = np.array([1, 1]), np.array([255, 255])
        low = (corners.min(axis=1) + 255 - last) >> 8
        return low, (corners.max(axis=1) - first) >> 8

    @cached_property
    def edges(self) -> list[tuple[Arr, Arr, Arr]]:
        """Of each edge the steps in x and y, and the values (triangles, places) in pixel (0, 0);
        a place is inside if no value is negative."""
        out = []
        flip = np.where(self.area < 0, -1, 1)
        for k in range(3):
            n = (k + 1) % 3
            xa, ya = self.px[:, k], self.py[:, k]
            step_x, step_y = (ya - self.py[:, n]) * flip, (self.px[:, n] - xa) * flip
            level = step_y < 0 if self.dyn.fb.flip_y else step_y > 0
            owned = (step_x > 0) | ((step_x == 0) & level)
            at = [step_x * (x - xa) + step_y * (y - ya) for x, y in self.places]
            values = (np.stack(at, axis=1) - np.where(owned, 0, 1)[:, None]) >> 8
            out.append((step_x, step_y, values))
        return out

    def inside(self, shape: Arr, x: Arr, y: Arr) -> Arr:
        """Which places of pixels the triangles cover, (pixels, places)."""
        out = np.ones((len(shape), len(self.places)), np.bool_)
        for step_x, step_y, values in self.edges:
            at = step_x[shape] * x + step_y[shape] * y
            out &= at[:, None] + values[shape] >= 0
        return out

    def fragments(self) -> Iterator[Covered]:
        """What is covered, in order."""
        if self.smooth:
            yield from cover(self)
            return
        for shape, x, y in self.candidates(np.nonzero(self.alive)[0]):
            covered = self.inside(shape, x, y)
            some = covered.any(axis=1)
            samples = np.broadcast_to(covered[some], (int(some.sum()), self.samples))
            yield Covered(shape[some], x[some], y[some], samples)

    def candidates(self, shapes: Arr) -> Iterator[tuple[Arr, Arr, Arr]]:
        """All pixels of the boxes of some triangles: shape, x, y."""
        sizes = self.high[shapes] - self.low[shapes] + 1
        yield from box_pixels(shapes, self.low[shapes], sizes)

    def layer(self, at: Covered) -> Arr | int:
        return layers_of(self.pipeline, self.dyn, self.rows[self.shapes.corners[at.shape, 2]])

    # -- planes ------------------------------------------------------------------------------------

    @cached_property
    def _solver(self) -> tuple[list[Arr], Arr, Arr, Arr]:
        """Sides, the area's reciprocal, and the first corner from the anchor's centre."""
        corner = self.rows[self.shapes.corners][:, :, X : Y + 1]
        exact_sides = [corner[:, k, c] - corner[:, 0, c] for k in (1, 2) for c in (0, 1)]
        exact = exact_sides[0] * exact_sides[3] - exact_sides[2] * exact_sides[1]
        snapped = self.area.astype(np.float32) * F32(1 / 65536)
        alike = np.abs(exact - snapped) < np.abs(snapped) * F32(0.25)
        sides = [
            np.where(alike, exact, rounded.astype(np.float32) * F32(1 / 256))
            for exact, rounded in zip(exact_sides, self.sides)
        ]
        recip = F32(1) / np.where(alike, exact, snapped)
        x, y = (corner[:, 0, c] - self.anchor[:, c].astype(np.float32) - F32(0.5) for c in (0, 1))
        return sides, recip, x, y

    def through(self, values: Arr) -> Plane:
        """The planes with these values (triangles, 3) at the corners."""
        (x1, y1, x2, y2), recip, x, y = self._solver
        a0 = values[:, 0]
        a1, a2 = values[:, 1] - a0, values[:, 2] - a0
        dadx, dady = (a1 * y2 - a2 * y1) * recip, (a2 * x1 - a1 * x2) * recip
        return a0 - (dadx * x + dady * y), dadx, dady

    def evaluate(self, plane: Plane, at: Covered) -> Arr:
        """A plane's values at the centres of fragments (or where `shift` says)."""
        origin, dx, dy = (part[at.shape] for part in plane)
        anchor = self.anchor[at.shape]
        stamp_x = ((at.x & ~3) - anchor[:, 0]).astype(np.float32)
        stamp_y = ((at.y & ~3) - anchor[:, 1]).astype(np.float32)
        within = dx * (at.x & 3).astype(np.float32) + dy * (at.y & 3).astype(np.float32)
        value = (dx * stamp_x + dy * stamp_y) + (within + origin)
        if at.shift is not None:
            value = value + (at.shift[0] * dx + at.shift[1] * dy)
        return np.asarray(value)

    def at_samples(self, plane: Plane, at: Covered) -> Arr:
        """A plane's values at the samples, (fragments, samples)."""
        centre = self.evaluate(plane, at)
        out = np.empty((len(centre), self.samples), np.float32)
        _, dx, dy = (part[at.shape] for part in plane)
        for n in range(self.samples):
            x, y = self.places[n % len(self.places)]
            shift = dx * F32((x - 128) / 256) + dy * F32((y - 128) / 256)
            out[:, n] = centre + shift if len(self.places) > 1 else centre
        return out

    def column(self, column: int, back: int = -1) -> Arr:
        """A float of the rows at the corners (triangles, 3); of back faces that at `back`."""
        value = self.rows[self.shapes.corners, column]
        if back < 0:
            return value
        return np.where(self.front[:, None], value, self.rows[self.shapes.corners, back])

    @cached_property
    def depth_plane(self) -> Plane:
        """Depth, with the polygon offset of filled polygons."""
        depth = self.column(DEPTH)
        z, dzdx, dzdy = self.through(depth)
        if self.shapes.kind == "fill" and self.dyn.offset_flags & 4:
            corners = np.abs(depth)
            top = most(most(corners[:, 0], corners[:, 1]), corners[:, 2])
            slope = most(np.abs(dzdx), np.abs(dzdy))
            z = z + offset(self.dyn, self.pipeline.state, slope, top)
        return z, dzdx, dzdy

    def depth(self, at: Covered) -> Arr:
        """Window depth of the samples."""
        return self.clamped(self.at_samples(self.depth_plane, at))

    def centre_depth(self, at: Covered) -> Arr:
        return self.clamped(self.evaluate(self.depth_plane, at))

    def values(self, at: Covered) -> tuple[dict[int, Arr], Arr]:
        """The fragment inputs by slot, (fragments, 4), and 1/w."""
        layout = self.pipeline.layout
        recip = self.column(RECIP_W)
        level = (recip[:, 0] == recip[:, 1]) & (recip[:, 1] == recip[:, 2])
        weight = np.where(level[:, None], F32(1), recip)
        recip_w = self.evaluate(self.through(recip), at)
        w = np.where(level[at.shape], F32(1), F32(1) / recip_w)
        out = {}
        for item in layout.inputs:
            value = np.zeros((len(at.shape), 4), np.float32)
            value[:, 3] = 1
            for n in range(item.components):
                back = item.back_column + n if item.back_column >= 0 else -1
                corners = self.column(item.column + n, back)
                if item.kind == "flat":
                    value[:, n] = corners[at.shape, 2]
                elif item.kind == "noperspective":
                    value[:, n] = self.evaluate(self.through(corners), at)
                else:
                    value[:, n] = self.evaluate(self.through(corners * weight), at) * w
            out[item.slot] = value
        return out, recip_w if self.uses_w else np.ones_like(recip_w)

    def own(self, slot: int, at: Covered) -> Arr | None:
        """A varying of this driver's at the centres, (fragments, 4); None if there is none."""
        column = self.pipeline.layout.columns.get(slot)
        if column is None:
            return None
        planes = (self.through(self.column(column + n)) for n in range(4))
        return np.stack([self.evaluate(plane, at) for plane in planes], axis=1)

    def discs(self, at: Covered) -> Arr:
        """Which samples lie in the disc of a smooth point (GL 2.1, 3.3.3)."""
        column = self.pipeline.layout.columns[POINT_COVERAGE]
        x, y = (self.at_samples(self.through(self.column(column + n)), at) for n in range(2))
        return np.asarray(x * x + y * y <= 1)


class Squares(Shape):
    """Square points: depth and inputs do not vary, but for the coordinates of sprites."""

    def __init__(self, pipeline: Pipeline, dyn: Any, vertices: Vertices, shapes: Shapes) -> None:
        assert shapes.boxes is not None and shapes.sizes is not None
        super().__init__(pipeline, dyn)
        self.rows = vertices.rows[shapes.corners[:, -1]]
        self.front = np.full(len(self.rows), not shapes.back)
        self.point_sizes, self.anchor = shapes.sizes, np.maximum(shapes.boxes[:, :2], 0)
        self.low = np.maximum(shapes.boxes[:, :2], [dyn.scissor_x0, dyn.scissor_y0])
        high = np.minimum(shapes.boxes[:, 2:], [dyn.scissor_x1 - 1, dyn.scissor_y1 - 1])
        self.sizes = np.maximum(high - self.low + 1, 0)

    def fragments(self) -> Iterator[Covered]:
        """What is covered, in order."""
        alive = np.nonzero(self.sizes.all(axis=1))[0]
        for shape, x, y in box_pixels(alive, self.low[alive], self.sizes[alive]):
            yield Covered(shape, x, y, np.ones((len(shape), self.samples), np.bool_))

    def layer(self, at: Covered) -> Arr | int:
        return layers_of(self.pipeline, self.dyn, self.rows[at.shape])

    def depth(self, at: Covered) -> Arr:
        """Window depth of the samples."""
        return self.clamped(np.tile(self.rows[at.shape, DEPTH, None], (1, self.samples)))

    def values(self, at: Covered) -> tuple[dict[int, Arr], Arr]:
        """The fragment inputs by slot, and 1/w."""
        layout = self.pipeline.layout
        rows, front = self.rows[at.shape], self.front[at.shape]
        out = {}
        for item in layout.inputs:
            value = rows[:, item.column : item.column + 4].copy()
            if is_sprite(self.pipeline, item.slot):
                value = self.coordinates(at)
            if item.back_column >= 0:
                back = rows[:, item.back_column : item.back_column + 4]
                value = np.where(front[:, None], value, back)
            value[:, item.components :] = 0
            value[:, 3] = value[:, 3] if item.components == 4 else 1
            out[item.slot] = value
        recip_w = rows[:, RECIP_W]
        return out, recip_w if self.uses_w else np.ones_like(recip_w)

    def coordinates(self, at: Covered) -> Arr:
        """Where fragments lie in their sprites: s, t, 0, 1 (GL 2.1, 3.3.1)."""
        out = np.tile(f32([0, 0, 0, 1]), (len(at.shape), 1))
        size = sprite_side(self.point_sizes).astype(np.float32) / F32(256)
        for n, pixel in enumerate((at.x, at.y)):
            gain = F32(-1 if n and not self.dyn.sprite_down else 1)
            first = self.anchor[:, n].astype(np.float32)
            origin = ((first + F32(0.5)) - self.rows[:, X + n]) * gain + size * F32(0.5)
            shape = at.shape
            stamp = ((pixel & ~3) - self.anchor[shape, n]).astype(np.float32)
            part = origin[shape] + gain * stamp + gain * (pixel & 3).astype(np.float32)
            out[:, n] = part / size[shape]
        return out

    def own(self, slot: int, at: Covered) -> Arr | None:
        """What stands for full coverage, where others have less; None if nothing has."""
        if slot not in self.pipeline.layout.columns:
            return None
        return np.tile(np.array([0, 0, 0, 1], np.float32), (len(at.shape), 1))


def layers_of(pipeline: Pipeline, dyn: Any, provoking: Arr) -> Arr | int:
    """The layers that primitives go to, by rows of their provoking vertices: gl_Layer, as an
    unsigned number; the last one, if there are not so many (OpenGL 3.2, 4.4.7 leaves that open)."""
    column = pipeline.layout.columns.get(VARYING_SLOT_LAYER)
    if column is None or not dyn.fb.layers:
        return 0
    chosen = np.ascontiguousarray(provoking[:, column]).view(np.uint32)
    return np.minimum(chosen, dyn.fb.layers - 1).astype(I64)


def box_pixels(shapes: Arr, low: Arr, sizes: Arr) -> Iterator[tuple[Arr, Arr, Arr]]:
    """All pixels of boxes that begin at `low` and have these sizes (boxes, 2): shape, x, y. In
    batches of whole boxes."""
    counts = sizes[:, 0] * sizes[:, 1]
    batch = np.cumsum(counts) // BATCH
    for number in np.unique(batch):
        some = np.nonzero(batch == number)[0]
        group, inside = spread(counts[some])
        box = some[group]
        width = sizes[box, 0]
        x, y = low[box, 0] + inside % width, low[box, 1] + inside // width
        yield shapes[box], x.astype(I64), y.astype(I64)


def rasterise(pipeline: Pipeline, dyn: Any, vertices: Vertices, shapes: Shapes) -> Shape:
    """Shapes, ready to give their fragments."""
    if shapes.boxes is None:
        return Triangles(pipeline, dyn, vertices, shapes)
    return Squares(pipeline, dyn, vertices, shapes)
