# SPDX-License-Identifier: MIT
"""How much of each pixel a smooth polygon covers (GL 2.1, 3.5.3).

The area of a pixel that a triangle covers is a sum over its edges: what lies to the right of a left
edge, less what lies to the right of a right edge, both within the edge's rows. Each summand is
rounded to 1/65536 by itself and depends on its edge alone, so coverages of polygons that share an
edge sum to one exactly. A polygon gives one fragment a pixel however it was cut into triangles: the
triangle that holds the pixel's centre, or else the first that touches the pixel, is interpolated,
at the middle of what it covers of the pixel.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pipe_soft.arrays import F32, Arr, clamp, least, most, number_of

if TYPE_CHECKING:
    from pipe_soft.raster import Triangles

ONE = 1 << 16  # the area of a pixel
TINY = F32(1e-20)  # instead of a width of 0: the quotient is clamped
TILE = 64


class Covered(NamedTuple):
    """Fragments: which shape, where, and which samples of the pixel."""

    shape: Arr
    x: Arr
    y: Arr
    samples: Arr  # booleans (fragments, samples)
    coverage: Arr | None = None  # of smooth polygons: the part of the pixel that is covered
    # of smooth polygons: from the pixel's centre to the middle of what is covered
    shift: tuple[Arr, Arr] | None = None


class _Part(NamedTuple):
    """How an edge runs through pixels: what lies to the right of it."""

    rows: list[Arr]  # where it enters and leaves the pixel's rows, from the pixel's top
    before: Arr  # the part of these rows in which it runs to the left of the pixel
    until: Arr  # the part in which it runs to the left of the pixel or through it
    low: Arr  # where it enters the pixel, from the pixel's left side
    high: Arr  # where it leaves the pixel
    rising: Arr  # its upper end is the left one
    sign: Arr  # 1 of a triangle's left edge, -1 of a right one


def _parts(triangles: Triangles, shape: Arr, x: Arr, y: Arr) -> Iterator[_Part]:
    """How each edge runs through pixels; places count from the pixel's tile of 64x64."""
    origin = [n // TILE * TILE for n in (x, y)]
    left, top = ((n - o).astype(np.float32) for n, o in zip((x, y), origin))
    corners = [
        [
            (place[shape, k] - o * 256).astype(np.float32) * F32(1 / 256)
            for place, o in zip((triangles.px, triangles.py), origin)
        ]
        for k in range(3)
    ]
    for k, (step_x, _, _) in enumerate(triangles.edges):
        (xa, ya), (xb, yb) = corners[k], corners[(k + 1) % 3]
        down = ya < yb  # both polygons at an edge see it from the same end
        x0, y0 = np.where(down, xa, xb), np.where(down, ya, yb)
        x1, y1 = np.where(down, xb, xa), np.where(down, yb, ya)
        slope = (x1 - x0) / most(y1 - y0, 1 / 256)  # any number of a level edge
        first, last = (clamp(row, y0, y1) for row in (top, top + F32(1)))
        ends = [(x0 + (row - y0) * slope) - left for row in (first, last)]
        low, high = least(*ends), most(*ends)
        per = F32(1) / most(high - low, TINY)
        before, until = clamp(-low * per, 0, 1), clamp((F32(1) - low) * per, 0, 1)
        rows = [first - top, last - top]
        sign = np.where(step_x[shape] > 0, 1, -1)
        yield _Part(rows, before, until, most(low, 0), least(high, 1), ends[0] <= ends[1], sign)


def areas(triangles: Triangles, shape: Arr, x: Arr, y: Arr) -> Arr:
    """The part of each pixel that is inside, in 1/65536."""
    total = np.zeros(len(shape), np.int64)
    for p in _parts(triangles, shape, x, y):
        right = p.before + (p.until - p.before) * (F32(1) - (p.low + p.high) * F32(0.5))
        part = np.rint((p.rows[1] - p.rows[0]) * right * F32(ONE)).astype(np.int64)
        total += part * p.sign
    return total


def middles(triangles: Triangles, shape: Arr, x: Arr, y: Arr) -> tuple[Arr, Arr]:
    """From each pixel's centre to the centre of gravity of the part that is inside, in pixels.
    Sums over the edges as the area is, of the first moments."""
    area, across, down = (np.zeros(len(shape), np.float32) for _ in range(3))
    third, sixth, half = F32(1 / 3), F32(1 / 6), F32(0.5)
    for p in _parts(triangles, shape, x, y):
        sign = p.sign.astype(np.float32)
        start, end = np.where(p.rising, p.rows[0], p.rows[1]), p.rows[1] - p.rows[0]
        way = np.where(p.rising, end, -end)  # rows from the line's left end to its right one
        low, high = start + way * p.before, start + way * p.until
        # the rows where the pixel is whole, and those that the line cuts
        full, cut = end * p.before, end * (p.until - p.before)
        widths = F32(1) - p.low, F32(1) - p.high
        part = cut * ((widths[0] + widths[1]) * half)
        squares = p.low * p.low + p.low * p.high + p.high * p.high
        rows = (low * widths[0] + high * widths[1]) * third
        rows = rows + (low * widths[1] + high * widths[0]) * sixth
        area = area + sign * (full + part)
        across = across + sign * (cut * (F32(1) - squares * third) - part) * half
        down = down + sign * (full * ((start + low) * half - half) + (cut * rows - part * half))
    per = F32(1) / most(area, F32(0.5 / ONE))
    return clamp(across * per, -0.5, 0.5), clamp(down * per, -0.5, 0.5)


def cover(triangles: Triangles) -> Iterator[Covered]:
    """The fragments of smooth polygons, in order."""
    assert triangles.shapes.polygons is not None
    alive = np.nonzero(triangles.alive)[0]
    found = [
        (shape, x, y, areas(triangles, shape, x, y), triangles.inside(shape, x, y)[:, 0])
        for shape, x, y in triangles.candidates(alive)
    ]
    if not found:
        return
    shape, x, y, area, centre = (np.concatenate(part) for part in zip(*found))
    keys, at = number_of(triangles.shapes.polygons[shape], y, x)
    total = np.zeros(len(keys), np.int64)
    np.add.at(total, at, area)
    # who is interpolated: the first that touches, unless one holds the centre (of several that are
    # assigned to one place numpy keeps the last)
    owner = np.full(len(keys), -1)
    touching, holding = np.nonzero(area > 0)[0][::-1], np.nonzero(centre)[0]
    owner[at[touching]] = touching
    owner[at[holding]] = holding
    drawn = (total > 0) & (owner >= 0)
    mine, total = owner[drawn], total[drawn]
    shape, x, y = shape[mine], x[mine], y[mine]
    partly = total < ONE
    shift = tuple(np.where(partly, m, F32(0)) for m in middles(triangles, shape, x, y))
    coverage = least(total.astype(np.float32) * F32(1 / ONE), 1)
    samples = np.ones((len(shape), triangles.samples), np.bool_)
    yield Covered(shape, x, y, samples, coverage, (shift[0], shift[1]))
