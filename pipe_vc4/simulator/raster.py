# SPDX-License-Identifier: MIT
"""Fragments of primitives: which pixels are covered, and the planes that what they carry lies in.

Pixels are taken at their centres, in 1/16 pixel; a centre on an edge belongs to the triangle right
of it or above it. Lines are as wide as they say along the minor axis; points are squares.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pipe_vc4.simulator.arrays import Bools, Doubles, Ints, Words
from pipe_vc4.simulator.cl import State
from pipe_vc4.simulator.clip import Vertices
from pipe_vc4.simulator.samples import POSITIONS, REACH
from pipe_vc4.simulator.tlb import Fragments

LANES = 16
_QUAD_X = np.array([0, 1, 0, 1])
_QUAD_Y = np.array([0, 0, 1, 1])
#: Varyings of points (x, y), lines (side) and triangles before those that their vertices have.
IMPLICIT = {1: 2, 2: 1, 3: 0}


@dataclass
class Quads:
    """Quads of pixels, in the order of the primitives, and the planes of the primitives.

    A plane is (value at the first vertex, change a pixel in x, in y); rows of `planes`: 1/w, z,
    then of each varying (value - constant) / w.
    """

    primitive: Ints
    x: Ints                 # of the quad's pixel of even x and y
    y: Ints
    covered: Bools          # quads x 4, or x 4 x samples
    origin: Doubles         # primitives x 2, in pixels
    planes: Doubles         # primitives x values x 3
    constants: Doubles      # primitives x varyings
    back: Bools             # primitives
    samples: tuple[tuple[int, int], ...] = ()  # places in a pixel whose depths are wanted

    def layers(self) -> list[Ints]:
        """The quads in turns, none of which has a pixel twice, in the order they are drawn in."""
        if not len(self.x):
            return []
        place = self.y * 65536 + self.x
        order = np.argsort(place, kind="stable")
        sorted_place = place[order]
        begins = np.r_[True, sorted_place[1:] != sorted_place[:-1]]
        start = np.maximum.accumulate(np.where(begins, np.arange(len(place)), 0))
        layer = np.empty(len(place), np.int64)
        layer[order] = np.arange(len(place)) - start
        return [np.flatnonzero(layer == i) for i in range(int(np.max(layer)) + 1)]

    def fragments(self, chosen: Ints) -> Fragments:
        """The lanes of some quads, four quads a group; the last group is filled up uncovered."""
        missing = -len(chosen) % 4
        chosen = np.concatenate([chosen, np.repeat(chosen[-1:], missing)])
        covered = self.covered[chosen]
        if missing:
            covered = covered.copy()
            covered[-missing:] = False
        primitive = self.primitive[chosen]
        x, y = self.x[chosen, None] + _QUAD_X, self.y[chosen, None] + _QUAD_Y
        dx = x + 0.5 - self.origin[primitive, 0, None]
        dy = y + 0.5 - self.origin[primitive, 1, None]
        planes = self.planes[primitive]
        values = (planes[:, :, 0, None] + planes[:, :, 1, None] * dx[:, None]
                  + planes[:, :, 2, None] * dy[:, None])
        rw = np.where(values[:, 0] == 0, 1e-30, values[:, 0])
        z = _stored_depth(values[:, 1])
        count, groups = planes.shape[1] - 2, len(chosen) // 4
        varyings = np.moveaxis(values[:, 2:], 1, 0).reshape(count, groups, LANES).astype(np.float32)
        constants = np.repeat(self.constants[primitive].T[..., None], 4, axis=2)
        return Fragments(
            x.reshape(-1, LANES), y.reshape(-1, LANES),
            covered.reshape(-1, LANES, *covered.shape[2:]),
            np.repeat(self.back[primitive], 4).reshape(-1, LANES),
            (1 / rw).astype(np.float32).reshape(-1, LANES), z.reshape(-1, LANES),
            self._sample_depths(values[:, 1], planes[:, 1]), varyings,
            constants.astype(np.float32).reshape(count, groups, LANES))

    def _sample_depths(self, centres: Doubles, planes: Doubles) -> Words:
        """Depths of the samples of quads' pixels: groups x 16 x samples."""
        moves = np.array(self.samples) / 16 - 0.5
        if not len(moves):
            return np.zeros((centres.size // LANES, LANES, 0), np.uint32)
        steps = planes[:, 1:] @ moves.T  # quads x samples
        return _stored_depth(centres[..., None] + steps[:, None]).reshape(-1, LANES, len(moves))


def _stored_depth(depth: Doubles) -> Words:
    """Depth as the tile has it: 24 bits, 0 for what is no number."""
    return np.floor(np.clip(np.nan_to_num(depth, nan=0.0), 0, 1) * 0xFFFFFF + 0.5).astype(np.uint32)


def _places(xs: Ints, ys: Ints, state: State) -> tuple[Ints, Ints]:
    """Where the samples of pixels lie, in 1/16 pixel: rows x columns x samples, as they are
    broadcast; of one sample, or where all have the centre's coverage, the centres.
    """
    if not state.oversamples:
        return 16 * xs[None, :] + 8, 16 * ys[:, None] + 8
    x, y = np.array(POSITIONS).T
    return 16 * xs[None, :, None] + x, 16 * ys[:, None, None] + y


def _pixels(bounds: tuple[float, float, float, float], state: State) -> tuple[Ints, Ints] | None:
    """Even pixels, and those beside them, within bounds (1/16 pixel) and the clip window."""
    left, bottom, width, height = state.clip
    first, last = REACH if state.oversamples else (8, 8)
    x0 = max(int(np.ceil((bounds[0] - last) / 16)), left)
    x1 = min(int(np.floor((bounds[1] - first) / 16)), left + width - 1)
    y0 = max(int(np.ceil((bounds[2] - last) / 16)), bottom)
    y1 = min(int(np.floor((bounds[3] - first) / 16)), bottom + height - 1)
    if x0 > x1 or y0 > y1:
        return None
    return np.arange(x0 & ~1, (x1 | 1) + 1), np.arange(y0 & ~1, (y1 | 1) + 1)


class Collector:
    """Quads while primitives are drawn."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.parts: list[tuple[int, Ints, Ints, Bools]] = []
        self.origin: list[tuple[float, float]] = []
        self.planes: list[Doubles] = []
        self.constants: list[Doubles] = []
        self.back: list[bool] = []

    def add(self, xs: Ints, ys: Ints, inside: Bools, origin: tuple[float, float], planes: Doubles,
            constants: Doubles, back: bool) -> None:
        """A primitive: pixels inside (rows y, columns x, both from an even one on), or samples of
        them.
        """
        left, bottom, width, height = self.state.clip
        window = (((xs >= left) & (xs < left + width))[None, :]
                  & ((ys >= bottom) & (ys < bottom + height))[:, None])
        each = self.state.samples if self.state.samples > 1 else 0
        if each and inside.ndim == 2:
            inside = np.broadcast_to(inside[..., None], (*inside.shape, each))
        shape = (each,) if each else ()
        inside = inside & window.reshape(*window.shape, *(1,) * len(shape))
        blocks = inside.reshape(len(ys) // 2, 2, len(xs) // 2, 2, *shape).swapaxes(1, 2)
        quads = blocks.reshape(len(ys) // 2, len(xs) // 2, 4, *shape)
        rows, columns = np.nonzero(quads.reshape(*quads.shape[:2], -1).any(axis=2))
        if not len(rows):
            return
        self.parts.append((len(self.origin), xs[::2][columns], ys[::2][rows], quads[rows, columns]))
        self.origin.append(origin)
        self.planes.append(planes)
        self.constants.append(constants)
        self.back.append(back)

    def quads(self, values: int) -> Quads:
        """All quads; `values` planes a primitive."""
        parts = self.parts
        number = [np.full(len(x), i) for i, x, _, _ in parts]
        none = [np.zeros(0, np.int64)]
        return Quads(
            np.concatenate(number or none), np.concatenate([p[1] for p in parts] or none),
            np.concatenate([p[2] for p in parts] or none),
            np.concatenate([p[3] for p in parts] or [np.zeros((0, 4), bool)]),
            np.array(self.origin).reshape(-1, 2), np.array(self.planes).reshape(-1, values, 3),
            np.array(self.constants).reshape(len(self.constants), values - 2),
            np.array(self.back, bool), self._samples())

    def _samples(self) -> tuple[tuple[int, int], ...]:
        """Where depths are wanted, in 1/16 pixel; nowhere where there is one sample."""
        if self.state.samples == 1:
            return ()
        return POSITIONS if self.state.oversamples else ((8, 8),) * self.state.samples


def _plane(values: Doubles, dx: Doubles, dy: Doubles, area: float) -> Doubles:
    """Planes (rows) through three vertices' values (columns); dx, dy: pixels from the first."""
    d1, d2 = values[:, 1] - values[:, 0], values[:, 2] - values[:, 0]
    by_x = (d1 * dy[1] - d2 * dy[0]) / area
    by_y = (d2 * dx[0] - d1 * dx[1]) / area
    return np.stack([values[:, 0], by_x, by_y], axis=1)


def _carried(v: Vertices, row: Ints, provoking: int, state: State) -> tuple[Doubles, Doubles]:
    """1/w, z and the varyings' (value - constant) / w at the vertices (rows), and the constants."""
    varyings = v.varyings[row].T
    count = len(varyings)
    constants = varyings[:, 0].copy()
    flat = np.array([bool(state.flat >> i & 1) for i in range(count)], bool)
    constants[flat] = v.varyings[provoking][flat]
    scaled = (varyings - constants[:, None]) * v.rw[row]
    scaled[flat] = 0
    return np.vstack([v.rw[row], v.z[row], scaled]), constants


def triangle(out: Collector, v: Vertices, row: Ints, provoking: int) -> None:
    """A triangle: culled, offset in depth, its pixels by the signs of its three edges."""
    state = out.state
    x, y = v.x[row], v.y[row]
    area = int((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]))
    if area == 0:
        return
    front = (area < 0) == state.front_is_clockwise
    if not (state.draws_front if front else state.draws_back):
        return
    grid = _pixels((float(np.min(x)), float(np.max(x)), float(np.min(y)), float(np.max(y))), state)
    if grid is None:
        return
    xs, ys = grid
    px, py = _places(xs, ys, state)
    inside = np.ones(np.broadcast_shapes(px.shape, py.shape), bool)
    turn = 1 if area > 0 else -1
    for i in range(3):
        j = (i + 1) % 3
        ex, ey = turn * (x[j] - x[i]), turn * (y[j] - y[i])
        edge = ex * (py - y[i]) - ey * (px - x[i])
        belongs = ey < 0 or (ey == 0 and ex > 0)
        inside &= edge >= 0 if belongs else edge > 0
    values, constants = _carried(v, row, provoking, state)
    dx, dy = (x[1:] - x[0]) / 16, (y[1:] - y[0]) / 16
    planes = _plane(values, dx, dy, area / 256)
    if state.offsets_depth:
        steepest = max(abs(planes[1, 1]), abs(planes[1, 2]))
        planes[1, 0] += state.offset_factor * steepest + state.offset_units / 0xFFFFFF
    out.add(xs, ys, inside, (x[0] / 16, y[0] / 16), planes, constants, not front)


def line(out: Collector, v: Vertices, row: Ints, provoking: int) -> None:
    """A line: along its major axis from its begin to before its end, across as wide as it is."""
    x, y = v.x[row].astype(np.float64), v.y[row].astype(np.float64)
    half = max(out.state.line_width, 1.0) * 8
    steep = abs(y[1] - y[0]) > abs(x[1] - x[0])
    along, across = (y, x) if steep else (x, y)
    length = along[1] - along[0]
    if length == 0:
        return
    left, right, low, high = np.min(x) - half, np.max(x) + half, np.min(y) - half, np.max(y) + half
    grid = _pixels((left, right, low, high), out.state)
    if grid is None:
        return
    xs, ys = grid
    px, py = (place.astype(np.float64) for place in _places(xs, ys, out.state))
    pa, pc = (py, px) if steep else (px, py)
    slope = (across[1] - across[0]) / length
    off = pc - (across[0] + slope * (pa - along[0]))
    step = 1 if length > 0 else -1
    inside = (((pa - along[0]) * step >= 0) & ((pa - along[1]) * step < 0)
              & (off >= -half) & (off < half))
    values, constants = _carried(v, row, provoking, out.state)
    planes = np.zeros((len(values), 3))
    planes[:, 0] = values[:, 0]
    planes[:, 2 if steep else 1] = (values[:, 1] - values[:, 0]) / (length / 16)
    side = np.array([0.5, 0.0, 0.0]) * planes[0]
    planes = np.insert(planes, 2, side, axis=0)
    out.add(xs, ys, inside, (x[0] / 16, y[0] / 16), planes, np.insert(constants, 0, 0.0), False)


def point(out: Collector, v: Vertices, row: Ints, provoking: int) -> None:
    """A point: a square around its vertex; its first varyings are the place in it, y downwards."""
    x, y, half = float(v.x[row[0]]), float(v.y[row[0]]), float(v.size[row[0]]) * 8
    grid = _pixels((x - half, x + half, y - half, y + half), out.state)
    if grid is None or half <= 0:
        return
    xs, ys = grid
    px, py = _places(xs, ys, out.state)
    inside = (px >= x - half) & (px < x + half) & (py >= y - half) & (py < y + half)
    values, constants = _carried(v, row, provoking, out.state)
    planes = np.zeros((len(values), 3))
    planes[:, 0] = values[:, 0]
    rw, size = values[0, 0], half / 8
    place = np.array([[0.5 * rw, rw / size, 0.0], [0.5 * rw, 0.0, -rw / size]])
    planes = np.insert(planes, 2, place, axis=0)
    out.add(xs, ys, inside, (x / 16, y / 16), planes, np.insert(constants, 0, [0.0, 0.0]), False)


def rasterize(v: Vertices, rows: Ints, provoking: Ints, state: State) -> Quads:
    """The quads of primitives of one, two or three vertices."""
    out = Collector(state)
    kind = rows.shape[1]
    draw = {1: point, 2: line, 3: triangle}[kind]
    for row, last in zip(rows, provoking.tolist(), strict=True):
        draw(out, v, row, last)
    return out.quads(2 + IMPLICIT[kind] + v.varyings.shape[1])
