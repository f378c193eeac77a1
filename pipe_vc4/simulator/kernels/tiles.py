# SPDX-License-Identifier: MIT
"""All tiles of a job: loads, primitives cut into quads, quads four at a time through the fragment
shader, stores.

Quads come in the order of the primitives, row by row. Four make a group, of any primitives of one
draw; a quad whose pixels are in the group already waits for that to end.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_vc4.simulator.kernels import setup
from pipe_vc4.simulator.kernels.errors import DONE
from pipe_vc4.simulator.kernels.layout import (
    LANES,
    TILE,
    Vc4Draw,
    Vc4Group,
    Vc4Job,
    Vc4Primitive,
)
from pipe_vc4.simulator.kernels.surfaces import (
    clear,
    load_color,
    load_zs,
    store_color,
    store_zs,
)
from pydri.jit.kernel import Kernel, kernel
from pydri.jit.types import boolean, f32, f64, i32, i64, ptr, u32, u64

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Pointer, Value

_FOUR, _DOUBLES, _WIDE = u32.vec(4), f64.vec(4), i64.vec(4)
_PIXELS = i32.vec(4)
_QUAD_X, _QUAD_Y = (0, 1, 0, 1), (0, 0, 1, 1)


# ---- groups
@kernel(ret=u32, args=(ptr(Vc4Job), ptr(Vc4Draw)), noinline=True)
def run_group(b: Builder, job: Vc4Job, draw: Vc4Draw) -> None:
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
        (group.covered + to).store(b.const(_FOUR, 0))
        group.place[n] = group.place[last]
        with b.For(b.const(u32, 0), draw.planes - 2) as k:
            row = b.cast(k * LANES, u64)
            for place in (group.varyings, group.constants):
                (place + row + to).store((place + row + source).load(_FOUR))
    group.quads = 0
    b.Return(b.call(draw.shader, group))


@kernel(ret=u32, args=(ptr(Vc4Job), ptr(Vc4Draw), ptr(Vc4Primitive), i32, i32, u32, u32),
        noinline=True)
def add_quad(b: Builder, job: Vc4Job, draw: Vc4Draw, primitive: Vc4Primitive, x: Value, y: Value,
             bits: Value, place: Value) -> None:
    """A quad of a primitive at pixel (x, y): `bits`, which of its pixels are covered; `place`, of
    the first one in the tile's arrays."""
    group = job.group
    taken = b.var(boolean, False)
    with b.For(b.const(u32, 0), group.quads) as n:
        taken.value = taken.value | (group.place[n] == place)
    with b.If(taken.value):
        code = b.call(run_group, job, draw)
        with b.If(code != 0, likely=False):
            b.Return(code)
    count = group.quads
    lane = b.cast(count * 4, u64)
    group.place[count] = place
    columns = b.splat(x, 4) + b.const(_PIXELS, _QUAD_X)
    rows = b.splat(y, 4) + b.const(_PIXELS, _QUAD_Y)
    (group.x + lane).store(b.cast(columns, u32))
    (group.y + lane).store(b.cast(rows, u32))
    picked = (b.splat(bits, 4) & b.const(_FOUR, [1, 2, 4, 8])) != 0
    (group.covered + lane).store(b.select(picked, b.const(_FOUR, 0xFFFFFFFF), b.const(_FOUR, 0)))
    (group.back + lane).store(b.splat(b.cast(0, u32) - primitive.back, 4))
    _values(b, group, draw, primitive, lane, columns, rows)
    group.quads = count + 1
    with b.If(count == 3):
        b.Return(b.call(run_group, job, draw))
    b.Return(DONE)


def _values(b: Builder, group: Vc4Group, draw: Vc4Draw, primitive: Vc4Primitive, lane: Value,
            columns: Value, rows: Value) -> None:
    """w, z, varyings and constants of a quad."""
    dx = b.cast(columns, f64) + 0.5 - primitive.origin[0]
    dy = b.cast(rows, f64) + 0.5 - primitive.origin[1]

    def at(plane: Pointer) -> Value:
        return b.splat(plane[0], 4) + b.splat(plane[1], 4) * dx + b.splat(plane[2], 4) * dy

    rw = at(primitive.planes)
    rw = b.select(rw == 0.0, 1e-30, rw)
    w = b.cast(1.0 / rw, f32)
    (group.w + lane).store(b.bitcast(w, u32))
    z = at(primitive.planes + 3)
    z = b.select(z > 0.0, b.select(z < 1.0, z, 1.0), b.const(_DOUBLES, 0.0))
    whole = b.cast_fast(b.floor(z * float(0xFFFFFF) + 0.5), i32)
    (group.z + lane).store(b.cast(whole, u32))
    with b.For(b.const(u32, 0), draw.planes - 2) as k:
        place = b.cast(k * LANES, u64) + lane
        value = at(primitive.planes + b.cast(k * 3 + 6, u64))
        (group.varyings + place).store(b.bitcast(b.cast(value, f32), u32))
        constant = b.cast(primitive.constants[b.cast(k, u64)], f32)
        (group.constants + place).store(b.bitcast(b.splat(constant, 4), u32))


# ---- coverage: for each kind of primitive the lanes of a quad that lie inside
def _triangle(b: Builder, primitive: Vc4Primitive, x: Value, y: Value) -> Value:
    wide_x, wide_y = b.cast(x, i64), b.cast(y, i64)
    outside = None
    for i in range(3):
        by_x, by_y, at = (primitive.edges[3 * i + n] for n in range(3))
        here = b.splat(by_x * wide_x + by_y * wide_y + at, 4)
        away = (b.splat(by_x, 4) * b.const(_WIDE, _QUAD_X)
                + b.splat(by_y, 4) * b.const(_WIDE, _QUAD_Y))
        outside = here + away if outside is None else outside | (here + away)
    assert outside is not None
    return outside >= 0


def _centres(b: Builder, x: Value, y: Value) -> tuple[Value, Value]:
    """The centres of a quad's pixels, in 1/16 pixel."""
    columns = b.splat(x, 4) + b.const(_PIXELS, _QUAD_X)
    rows = b.splat(y, 4) + b.const(_PIXELS, _QUAD_Y)
    return b.cast(columns, f64) * 16.0 + 8.0, b.cast(rows, f64) * 16.0 + 8.0


def _line(b: Builder, primitive: Vc4Primitive, x: Value, y: Value) -> Value:
    px, py = _centres(b, x, y)
    span = [b.splat(primitive.span[n], 4) for n in range(7)]
    steep = span[setup.STEEP] != 0.0
    along, across = b.select(steep, py, px), b.select(steep, px, py)
    off = across - (span[setup.ACROSS0] + span[setup.SLOPE] * (along - span[setup.ALONG0]))
    step, half = span[setup.STEP], span[setup.HALF]
    return (((along - span[setup.ALONG0]) * step >= 0.0)
            & ((along - span[setup.ALONG1]) * step < 0.0) & (off >= -half) & (off < half))


def _point(b: Builder, primitive: Vc4Primitive, x: Value, y: Value) -> Value:
    px, py = _centres(b, x, y)
    middle_x, middle_y, half = (b.splat(primitive.span[n], 4) for n in range(3))
    return ((px >= middle_x - half) & (px < middle_x + half) & (py >= middle_y - half)
            & (py < middle_y + half))


def _walk(name: str, inside: object) -> Kernel:
    """The kernel that cuts primitives of a kind into quads, within the tile at pixel (x, y)."""

    def walk(b: Builder, job: Vc4Job, draw: Vc4Draw, primitive: Vc4Primitive, tile_x: Value,
             tile_y: Value) -> None:
        x0, x1 = b.max(primitive.x0, tile_x) & -2, b.min(primitive.x1, tile_x + (TILE - 1))
        y0, y1 = b.max(primitive.y0, tile_y) & -2, b.min(primitive.y1, tile_y + (TILE - 1))
        left, right, bottom, top = (
            b.splat(value, 4) for value in (draw.left, draw.right, draw.bottom, draw.top))
        with b.For(y0, y1 + 1, 2) as y:
            rows = b.splat(y, 4) + b.const(_PIXELS, _QUAD_Y)
            in_rows = (rows >= bottom) & (rows <= top)
            row = (y - tile_y) * TILE
            with b.For(x0, x1 + 1, 2) as x:
                covered = inside(b, primitive, x, y)  # type: ignore[operator]
                columns = b.splat(x, 4) + b.const(_PIXELS, _QUAD_X)
                covered = covered & in_rows & (columns >= left) & (columns <= right)
                bits = b.cast(b.bits_of(covered), u32)
                with b.If(bits != 0):
                    place = b.cast(row + (x - tile_x) * 2, u32)
                    code = b.call(add_quad, job, draw, primitive, x, y, bits, place)
                    with b.If(code != 0, likely=False):
                        b.Return(code)
        b.Return(DONE)

    args = (ptr(Vc4Job), ptr(Vc4Draw), ptr(Vc4Primitive), i32, i32)
    return Kernel(walk, name, u32, args, noinline=True)


_WALKS = {1: _walk("walk_point", _point), 2: _walk("walk_line", _line),
          3: _walk("walk_triangle", _triangle)}


# ---- tiles
@kernel(ret=u32, args=(ptr(Vc4Job), ptr(Vc4Draw), i32, i32), noinline=True)
def draw_tile(b: Builder, job: Vc4Job, draw: Vc4Draw, x: Value, y: Value) -> None:
    """A draw's part of the tile at pixel (x, y)."""
    group = job.group
    group.quads, group.uniforms = 0, draw.uniforms
    with b.For(b.const(u32, 0), draw.number) as n:
        primitive = draw.made[n]
        here = ((primitive.x0 <= x + (TILE - 1)) & (primitive.x1 >= x)
                & (primitive.y0 <= y + (TILE - 1)) & (primitive.y1 >= y))
        with b.If(here):
            code = b.var(u32, 0)
            with b.Switch(draw.corners) as switch:
                for corners, walk in _WALKS.items():
                    with switch.Case(corners):
                        code.value = b.call(walk, job, draw, primitive, x, y)
            with b.If(code.value != 0, likely=False):
                b.Return(code.value)
    b.Return(b.call(run_group, job, draw))


@kernel(ret=u32, args=(ptr(Vc4Job),))
def play(b: Builder, job: Vc4Job) -> None:
    """Everything of a job behind the vertices."""
    def checked(code: Value) -> None:
        with b.If(code != 0, likely=False):
            b.Return(code)

    with b.For(job.first_y, job.last_y + 1) as row, b.For(job.first_x, job.last_x + 1) as column:
        x, y = b.cast(column * TILE, i32), b.cast(row * TILE, i32)
        b.call(clear, job)
        for surface, load in ((job.color_read, load_color), (job.zs_read, load_zs)):
            with b.If(surface.address != 0):
                checked(b.call(load, job, x, y))
        with b.For(b.const(u32, 0), job.count) as n:
            checked(b.call(draw_tile, job, job.draws[n], x, y))
        for surface, store in ((job.zs_write, store_zs), (job.color_write, store_color)):
            with b.If(surface.address != 0):
                checked(b.call(store, job, x, y))
    b.Return(DONE)


__all__ = ["play"]
