# SPDX-License-Identifier: MIT
"""All tiles of a job: loads, primitives cut into quads, quads four at a time through the fragment
shader, stores.

Quads come in the order of the primitives, row by row. Four make a group, of any primitives of one
draw; a quad whose pixels are in the group already waits for that to end.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pipe_vc4.simulator.kernels import setup
from pipe_vc4.simulator.kernels.errors import DONE
from pipe_vc4.simulator.kernels.layout import (
    LANES,
    SIDES,
    Vc4Draw,
    Vc4Group,
    Vc4Job,
    Vc4Primitive,
)
from pipe_vc4.simulator.kernels.surfaces import Surfaces
from pipe_vc4.simulator.samples import POSITIONS
from pydri.jit.kernel import Kernel
from pydri.jit.types import boolean, f32, f64, i32, i64, ptr, u32, u64

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Pointer, Value

    #: in 1/16 pixel
    Place = tuple[int, int]
    #: the lanes of the quad at pixel (x, y) that lie in a primitive
    Inside = Callable[[Builder, Vc4Primitive, Value, Value, Place], Value]

_FOUR, _DOUBLES, _WIDE = u32.vec(4), f64.vec(4), i64.vec(4)
_PIXELS = i32.vec(4)
_QUAD_X, _QUAD_Y = (0, 1, 0, 1), (0, 0, 1, 1)
_CENTRE = 8, 8


class Tiles:
    """The kernels that draw tiles of some samples a pixel: `play` does all."""

    def __init__(self, samples: int) -> None:
        self.samples, self.side = samples, SIDES[samples]
        self.surfaces = Surfaces(samples)
        of = (ptr(Vc4Job), ptr(Vc4Draw))
        self.run_group = self._kernel("run_group", self._run_group, of)
        self.add_quad = self._kernel("add_quad", self._add_quad, (
            *of, ptr(Vc4Primitive), i32, i32, u32, u32))
        self.walks = {corners: self._walk(f"walk_{name}", inside) for corners, (name, inside)
                      in _INSIDE.items()}
        self.draw_tile = self._kernel("draw_tile", self._draw_tile, (*of, i32, i32))
        self.play = Kernel(self._play, self._name("play"), u32, (ptr(Vc4Job),))

    def _name(self, name: str) -> str:
        return name if self.samples == 1 else f"{name}_{self.samples}x"

    def _kernel(self, name: str, trace: Callable[..., None], args: tuple[Any, ...]) -> Kernel:
        return Kernel(trace, self._name(name), u32, args, noinline=True)

    # ---- groups
    def _run_group(self, b: Builder, job: Vc4Job, draw: Vc4Draw) -> None:
        """Runs the shader over the quads that wait. The last one fills the group up, uncovered."""
        group = job.group
        count = group.quads
        with b.If(count == 0):
            b.Return(DONE)
        last = count - 1
        with b.For(count, b.const(u32, 4)) as n:
            to, source = b.cast(n * 4, u64), b.cast(last * 4, u64)
            for place in (group.x, group.y, group.back, group.w, group.z):
                (place + to).store((place + source).load(_FOUR))
            for sample in range(self.samples):
                (group.covered + LANES * sample + to).store(b.const(_FOUR, 0))
            group.place[n] = group.place[last]
            with b.For(b.const(u32, 0), draw.planes - 2) as k:
                row = b.cast(k * LANES, u64)
                for place in (group.varyings, group.constants):
                    (place + row + to).store((place + row + source).load(_FOUR))
        group.quads = 0
        b.Return(b.call(draw.shader, group))

    def _add_quad(self, b: Builder, job: Vc4Job, draw: Vc4Draw, primitive: Vc4Primitive, x: Value,
                  y: Value, bits: Value, place: Value) -> None:
        """A quad of a primitive at pixel (x, y): `bits`, which of its pixels are covered, sample by
        sample; `place`, of the first one in the tile's arrays."""
        group = job.group
        taken = b.var(boolean, False)
        with b.For(b.const(u32, 0), group.quads) as n:
            taken.value = taken.value | (group.place[n] == place)
        with b.If(taken.value):
            code = b.call(self.run_group, job, draw)
            with b.If(code != 0, likely=False):
                b.Return(code)
        count = group.quads
        lane = b.cast(count * 4, u64)
        group.place[count] = place
        columns = b.splat(x, 4) + b.const(_PIXELS, _QUAD_X)
        rows = b.splat(y, 4) + b.const(_PIXELS, _QUAD_Y)
        (group.x + lane).store(b.cast(columns, u32))
        (group.y + lane).store(b.cast(rows, u32))
        for sample in range(self.samples):
            picked = (b.splat(bits >> 4 * sample, 4) & b.const(_FOUR, [1, 2, 4, 8])) != 0
            lanes = b.select(picked, b.const(_FOUR, 0xFFFFFFFF), b.const(_FOUR, 0))
            (group.covered + LANES * sample + lane).store(lanes)
        (group.back + lane).store(b.splat(b.cast(0, u32) - primitive.back, 4))
        z = _values(b, group, draw, primitive, lane, columns, rows)
        if self.samples > 1:
            self._sample_depths(b, group, draw, primitive, lane, z)
        group.quads = count + 1
        with b.If(count == 3):
            b.Return(b.call(self.run_group, job, draw))
        b.Return(DONE)

    @staticmethod
    def _sample_depths(b: Builder, group: Vc4Group, draw: Vc4Draw, primitive: Vc4Primitive,
                       lane: Value, z: Value) -> None:
        """The depths of a quad's samples; `z`: those of its centres, before they are rounded."""
        own = draw.oversamples != 0
        for sample, (x, y) in enumerate(POSITIONS):
            by_x, by_y = primitive.planes[4], primitive.planes[5]
            step = by_x * (x / 16 - 0.5) + by_y * (y / 16 - 0.5)
            at = z + b.splat(b.select(own, step, b.const(f64, 0.0)), 4)
            (group.sample_z + LANES * sample + lane).store(_stored_depth(b, at))

    # ---- coverage
    def _walk(self, name: str, inside: Inside) -> Kernel:
        """The kernel that cuts primitives of a kind into quads, within the tile at pixel (x, y)."""

        def walk(b: Builder, job: Vc4Job, draw: Vc4Draw, primitive: Vc4Primitive, tile_x: Value,
                 tile_y: Value) -> None:
            side = self.side
            x0, x1 = b.max(primitive.x0, tile_x) & -2, b.min(primitive.x1, tile_x + (side - 1))
            y0, y1 = b.max(primitive.y0, tile_y) & -2, b.min(primitive.y1, tile_y + (side - 1))
            left, right, bottom, top = (
                b.splat(value, 4) for value in (draw.left, draw.right, draw.bottom, draw.top))
            with b.For(y0, y1 + 1, 2) as y:
                rows = b.splat(y, 4) + b.const(_PIXELS, _QUAD_Y)
                in_rows = (rows >= bottom) & (rows <= top)
                row = (y - tile_y) * side
                with b.For(x0, x1 + 1, 2) as x:
                    columns = b.splat(x, 4) + b.const(_PIXELS, _QUAD_X)
                    window = in_rows & (columns >= left) & (columns <= right)
                    bits = self._covered(b, draw, functools.partial(
                        _bits_at, b, inside, primitive, (x, y), window))
                    with b.If(bits != 0):
                        place = b.cast(row + (x - tile_x) * 2, u32)
                        code = b.call(self.add_quad, job, draw, primitive, x, y, bits, place)
                        with b.If(code != 0, likely=False):
                            b.Return(code)
            b.Return(DONE)

        return self._kernel(name, walk, (ptr(Vc4Job), ptr(Vc4Draw), ptr(Vc4Primitive), i32, i32))

    def _covered(self, b: Builder, draw: Vc4Draw, bits_at: Callable[[Place], Value]) -> Value:
        """Which pixels of a quad are covered, sample by sample."""
        if self.samples == 1:
            return bits_at(_CENTRE)
        found = b.var(u32, 0)
        with b.If(draw.oversamples != 0):
            for sample, place in enumerate(POSITIONS):
                found.value = found.value | bits_at(place) << 4 * sample
        with b.Else():
            found.value = bits_at(_CENTRE) * 0x1111
        return found.value

    # ---- tiles
    def _draw_tile(self, b: Builder, job: Vc4Job, draw: Vc4Draw, x: Value, y: Value) -> None:
        """A draw's part of the tile at pixel (x, y)."""
        group, last = job.group, self.side - 1
        group.quads, group.uniforms = 0, draw.uniforms
        with b.For(b.const(u32, 0), draw.number) as n:
            primitive = draw.made[n]
            here = ((primitive.x0 <= x + last) & (primitive.x1 >= x)
                    & (primitive.y0 <= y + last) & (primitive.y1 >= y))
            with b.If(here):
                code = b.var(u32, 0)
                with b.Switch(draw.corners) as switch:
                    for corners, walk in self.walks.items():
                        with switch.Case(corners):
                            code.value = b.call(walk, job, draw, primitive, x, y)
                with b.If(code.value != 0, likely=False):
                    b.Return(code.value)
        b.Return(b.call(self.run_group, job, draw))

    def _play(self, b: Builder, job: Vc4Job) -> None:
        """Everything of a job behind the vertices."""
        def checked(code: Value) -> None:
            with b.If(code != 0, likely=False):
                b.Return(code)

        of = self.surfaces
        with b.For(job.first_y, job.last_y + 1) as row, \
                b.For(job.first_x, job.last_x + 1) as column:
            x, y = b.cast(column * self.side, i32), b.cast(row * self.side, i32)
            b.call(of.clear, job)
            for surface, load in ((job.color_read, of.load_color), (job.zs_read, of.load_zs)):
                with b.If(surface.address != 0):
                    checked(b.call(load, job, x, y))
            with b.For(b.const(u32, 0), job.count) as n:
                checked(b.call(self.draw_tile, job, job.draws[n], x, y))
            for surface, store in of.stores(job):
                with b.If(surface.address != 0):
                    checked(b.call(store, job, x, y))
        b.Return(DONE)


def _bits_at(b: Builder, inside: Inside, primitive: Vc4Primitive, quad: tuple[Value, Value],
             window: Value, place: Place) -> Value:
    """The pixels of a quad of which a place lies in a primitive, as bits."""
    return b.cast(b.bits_of(inside(b, primitive, *quad, place) & window), u32)


def _values(b: Builder, group: Vc4Group, draw: Vc4Draw, primitive: Vc4Primitive, lane: Value,
            columns: Value, rows: Value) -> Value:
    """w, z, varyings and constants of a quad; its depths before they are rounded."""
    dx = b.cast(columns, f64) + 0.5 - primitive.origin[0]
    dy = b.cast(rows, f64) + 0.5 - primitive.origin[1]

    def at(plane: Pointer) -> Value:
        return b.splat(plane[0], 4) + b.splat(plane[1], 4) * dx + b.splat(plane[2], 4) * dy

    rw = at(primitive.planes)
    rw = b.select(rw == 0.0, 1e-30, rw)
    w = b.cast(1.0 / rw, f32)
    (group.w + lane).store(b.bitcast(w, u32))
    z = at(primitive.planes + 3)
    (group.z + lane).store(_stored_depth(b, z))
    with b.For(b.const(u32, 0), draw.planes - 2) as k:
        place = b.cast(k * LANES, u64) + lane
        value = at(primitive.planes + b.cast(k * 3 + 6, u64))
        (group.varyings + place).store(b.bitcast(b.cast(value, f32), u32))
        constant = b.cast(primitive.constants[b.cast(k, u64)], f32)
        (group.constants + place).store(b.bitcast(b.splat(constant, 4), u32))
    return z


def _stored_depth(b: Builder, z: Value) -> Value:
    """Depths as the tile has them: 24 bits, 0 for what is no number."""
    z = b.select(z > 0.0, b.select(z < 1.0, z, 1.0), b.const(_DOUBLES, 0.0))
    return b.cast(b.cast_fast(b.floor(z * float(0xFFFFFF) + 0.5), i32), u32)


# ---- coverage: for each kind of primitive the lanes of a quad that lie inside at a place in pixels
def _triangle(b: Builder, primitive: Vc4Primitive, x: Value, y: Value, place: Place) -> Value:
    wide_x, wide_y = b.cast(x, i64), b.cast(y, i64)
    outside = None
    for i in range(3):
        by_x, by_y, at = (primitive.edges[3 * i + n] for n in range(3))
        # edges are of centres, and a pixel's step is sixteen places
        at = at + ((by_x >> 4) * (place[0] - 8) + (by_y >> 4) * (place[1] - 8))
        here = b.splat(by_x * wide_x + by_y * wide_y + at, 4)
        away = (b.splat(by_x, 4) * b.const(_WIDE, _QUAD_X)
                + b.splat(by_y, 4) * b.const(_WIDE, _QUAD_Y))
        outside = here + away if outside is None else outside | (here + away)
    assert outside is not None
    return outside >= 0


def _places(b: Builder, x: Value, y: Value, place: Place) -> tuple[Value, Value]:
    """A place in each of a quad's pixels, in 1/16 pixel."""
    columns = b.splat(x, 4) + b.const(_PIXELS, _QUAD_X)
    rows = b.splat(y, 4) + b.const(_PIXELS, _QUAD_Y)
    return b.cast(columns, f64) * 16.0 + place[0], b.cast(rows, f64) * 16.0 + place[1]


def _line(b: Builder, primitive: Vc4Primitive, x: Value, y: Value, place: Place) -> Value:
    px, py = _places(b, x, y, place)
    span = [b.splat(primitive.span[n], 4) for n in range(7)]
    steep = span[setup.STEEP] != 0.0
    along, across = b.select(steep, py, px), b.select(steep, px, py)
    off = across - (span[setup.ACROSS0] + span[setup.SLOPE] * (along - span[setup.ALONG0]))
    step, half = span[setup.STEP], span[setup.HALF]
    return (((along - span[setup.ALONG0]) * step >= 0.0)
            & ((along - span[setup.ALONG1]) * step < 0.0) & (off >= -half) & (off < half))


def _point(b: Builder, primitive: Vc4Primitive, x: Value, y: Value, place: Place) -> Value:
    px, py = _places(b, x, y, place)
    middle_x, middle_y, half = (b.splat(primitive.span[n], 4) for n in range(3))
    return ((px >= middle_x - half) & (px < middle_x + half) & (py >= middle_y - half)
            & (py < middle_y + half))


#: by corners: the name of a kind of primitive, and what it covers
_INSIDE = {1: ("point", _point), 2: ("line", _line), 3: ("triangle", _triangle)}

__all__ = ["Tiles"]
