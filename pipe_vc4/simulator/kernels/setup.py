# SPDX-License-Identifier: MIT
"""Primitives on the screen: pixels, coverage and planes, as ../raster.py defines them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipe_vc4.simulator.kernels.layout import Vc4Draw, Vc4Primitive
from pydri.jit.kernel import kernel
from pydri.jit.types import boolean, f64, i32, i64, ptr, u32, u64, void

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value

#: places in `span`: of a line its begin and end along the major axis, its begin across, slope, half
#: its width, 1 or -1 along, whether it is steep; of a point x, y, half its size
ALONG0, ALONG1, ACROSS0, SLOPE, HALF, STEP, STEEP = range(7)
POINT_X, POINT_Y, POINT_HALF = range(3)
_FRONT, _BACK, _CLOCKWISE, _OFFSET = 1, 2, 4, 8
_MOST_DEPTH: Final = 0xFFFFFF


def _window(b: Builder, draw: Vc4Draw, primitive: Vc4Primitive, bounds: list[Value]) -> Value:
    """Pixels whose centres, or samples, lie within bounds (left, right, bottom, top; doubles, 1/16
    pixel) and the clip window; whether there are any."""
    left, right, bottom, top = bounds
    for name, value, limit, inner in (
        ("x0", b.ceil((left - draw.far) / 16.0), draw.left, b.max),
        ("x1", b.floor((right - draw.near) / 16.0), draw.right, b.min),
        ("y0", b.ceil((bottom - draw.far) / 16.0), draw.bottom, b.max),
        ("y1", b.floor((top - draw.near) / 16.0), draw.top, b.min),
    ):
        setattr(primitive, name, b.cast(inner(value, b.cast(limit, f64)), i32))
    return (primitive.x0 <= primitive.x1) & (primitive.y0 <= primitive.y1)


def _is_flat(b: Builder, draw: Vc4Draw, number: Value) -> Value:
    """Whether a varying has one value on a primitive: the first 32 may."""
    bit = b.select(number < 32, draw.flat >> (number & 31), b.const(u32, 0)) & 1
    return bit != 0


class _Carried:
    """What a primitive's vertices carry: 1/w, z, and varyings less their constants, over w."""

    def __init__(self, b: Builder, draw: Vc4Draw, corners: list[Value], provoking: Value) -> None:
        self.b, self.draw, self.corners, self.provoking = b, draw, corners, provoking
        self.rw = [draw.rw[corner] for corner in corners]
        self.z = [draw.z[corner] for corner in corners]

    def varying(self, number: Value) -> tuple[list[Value], Value]:
        """A varying's values at the vertices, and its constant."""
        b, draw = self.b, self.draw
        count = b.cast(draw.count, i64)
        place = b.cast(number, i64)
        values = [draw.varyings[corner * count + place] for corner in self.corners]
        flat = _is_flat(b, draw, number)
        constant = b.select(flat, draw.varyings[self.provoking * count + place], values[0])
        scaled = [b.select(flat, b.const(f64, 0.0), (value - constant) * rw)
                  for value, rw in zip(values, self.rw, strict=True)]
        return scaled, constant


def _put(primitive: Vc4Primitive, number: Value | int, plane: list[Value]) -> None:
    b = plane[0].b
    at = number * 3 if isinstance(number, int) else b.cast(number * 3, u64)
    place = primitive.planes + at
    for n, value in enumerate(plane):
        place[n] = value


def _planes(b: Builder, primitive: Vc4Primitive, carried: _Carried, before: int,
            plane: object) -> None:
    """Planes of all that is carried; `before`: the varyings that the kind of primitive adds."""
    _put(primitive, 0, plane(carried.rw))  # type: ignore[operator]
    _put(primitive, 1, plane(carried.z))  # type: ignore[operator]
    with b.For(b.const(u32, 0), carried.draw.count) as number:
        values, constant = carried.varying(number)
        _put(primitive, number + 2 + before, plane(values))  # type: ignore[operator]
        primitive.constants[b.cast(number + before, u64)] = constant


@kernel(ret=boolean, args=(ptr(Vc4Draw), ptr(Vc4Primitive), ptr(i64), i64), noinline=True)
def triangle(b: Builder, draw: Vc4Draw, primitive: Vc4Primitive, row: Value,
             provoking: Value) -> None:
    """A triangle; whether there is something to draw."""
    corners = [row[n] for n in range(3)]
    x, y = ([of[corner] for corner in corners] for of in (draw.x, draw.y))
    area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
    clockwise = draw.config & _CLOCKWISE != 0
    front = (area < 0) == clockwise
    drawn = draw.config & b.select(front, b.const(u32, _FRONT), b.const(u32, _BACK)) != 0
    with b.If((area == 0) | ~drawn):
        b.Return(False)
    bounds = []
    for of in (x, y):
        bounds.append(b.cast(b.min(b.min(of[0], of[1]), of[2]), f64))
        bounds.append(b.cast(b.max(b.max(of[0], of[1]), of[2]), f64))
    with b.If(~_window(b, draw, primitive, bounds)):
        b.Return(False)
    turn = b.select(area > 0, b.const(i64, 1), b.const(i64, -1))
    for i in range(3):
        j = (i + 1) % 3
        ex, ey = turn * (x[j] - x[i]), turn * (y[j] - y[i])
        belongs = (ey < 0) | ((ey == 0) & (ex > 0))
        less = b.select(belongs, b.const(i64, 0), b.const(i64, 1))
        primitive.edges[3 * i] = ey * -16
        primitive.edges[3 * i + 1] = ex * 16
        primitive.edges[3 * i + 2] = ex * (8 - y[i]) - ey * (8 - x[i]) - less
    dx, dy = ([b.cast(of[n] - of[0], f64) / 16.0 for n in (1, 2)] for of in (x, y))
    size = b.cast(area, f64) / 256.0

    def plane(values: list[Value]) -> list[Value]:
        d1, d2 = values[1] - values[0], values[2] - values[0]
        return [values[0], (d1 * dy[1] - d2 * dy[0]) / size, (d2 * dx[0] - d1 * dx[1]) / size]

    _planes(b, primitive, _Carried(b, draw, corners, provoking), 0, plane)
    with b.If(draw.config & _OFFSET != 0):
        z = primitive.planes + 3
        by_x, by_y = b.abs(z[1]), b.abs(z[2])
        steepest = b.select(by_y > by_x, by_y, by_x)
        z[0] = z[0] + (draw.offset_factor * steepest + draw.offset_units / float(_MOST_DEPTH))
    primitive.origin[0] = b.cast(x[0], f64) / 16.0
    primitive.origin[1] = b.cast(y[0], f64) / 16.0
    primitive.back = b.cast(~front, u32)
    b.Return(True)


@kernel(ret=boolean, args=(ptr(Vc4Draw), ptr(Vc4Primitive), ptr(i64), i64), noinline=True)
def line(b: Builder, draw: Vc4Draw, primitive: Vc4Primitive, row: Value,
         provoking: Value) -> None:
    """A line: along its major axis from its begin to before its end, across as wide as it is."""
    corners = [row[n] for n in range(2)]
    x, y = ([b.cast(of[corner], f64) for corner in corners] for of in (draw.x, draw.y))
    half = b.max(draw.line_width, 1.0) * 8.0
    steep = b.abs(y[1] - y[0]) > b.abs(x[1] - x[0])
    along = [b.select(steep, one, other) for one, other in zip(y, x, strict=True)]
    across = [b.select(steep, one, other) for one, other in zip(x, y, strict=True)]
    length = along[1] - along[0]
    with b.If(length == 0.0):
        b.Return(False)
    bounds = []
    for of in (x, y):
        bounds += [b.min(of[0], of[1]) - half, b.max(of[0], of[1]) + half]
    with b.If(~_window(b, draw, primitive, bounds)):
        b.Return(False)
    step = b.select(length > 0.0, b.const(f64, 1.0), b.const(f64, -1.0))
    span = {ALONG0: along[0], ALONG1: along[1], ACROSS0: across[0],
            SLOPE: (across[1] - across[0]) / length, HALF: half, STEP: step,
            STEEP: b.cast(b.cast(steep, u32), f64)}
    for place, value in span.items():
        primitive.span[place] = value
    zero = b.const(f64, 0.0)

    def plane(values: list[Value]) -> list[Value]:
        change = (values[1] - values[0]) / (length / 16.0)
        return [values[0], b.select(steep, zero, change), b.select(steep, change, zero)]

    _planes(b, primitive, _Carried(b, draw, corners, provoking), 1, plane)
    whole = [primitive.planes[n] for n in range(3)]
    _put(primitive, 2, [whole[0] * 0.5, whole[1] * 0.0, whole[2] * 0.0])
    primitive.constants[0] = 0.0
    primitive.origin[0], primitive.origin[1] = x[0] / 16.0, y[0] / 16.0
    primitive.back = 0
    b.Return(True)


@kernel(ret=boolean, args=(ptr(Vc4Draw), ptr(Vc4Primitive), ptr(i64), i64), noinline=True)
def point(b: Builder, draw: Vc4Draw, primitive: Vc4Primitive, row: Value,
          provoking: Value) -> None:
    """A point: a square around its vertex; its first varyings are the place in it, y downwards."""
    corner = row[0]
    x, y = b.cast(draw.x[corner], f64), b.cast(draw.y[corner], f64)
    half = draw.size[corner] * 8.0
    some = _window(b, draw, primitive, [x - half, x + half, y - half, y + half])
    with b.If(~(some & (half > 0.0))):
        b.Return(False)
    for place, value in ((POINT_X, x), (POINT_Y, y), (POINT_HALF, half)):
        primitive.span[place] = value
    zero = b.const(f64, 0.0)
    carried = _Carried(b, draw, [corner], provoking)
    _planes(b, primitive, carried, 2, lambda values: [values[0], zero, zero])
    rw, size = carried.rw[0], half / 8.0
    _put(primitive, 2, [rw * 0.5, rw / size, zero])
    _put(primitive, 3, [rw * 0.5, zero, -rw / size])
    primitive.constants[0], primitive.constants[1] = 0.0, 0.0
    primitive.origin[0], primitive.origin[1] = x / 16.0, y / 16.0
    primitive.back = 0
    b.Return(True)


@kernel(ret=void, args=(ptr(Vc4Draw),))
def set_up(b: Builder, draw: Vc4Draw) -> None:
    """All primitives of a draw: `made` gets those of which something may be seen."""
    number = b.var(u32, 0)
    corners = draw.corners
    with b.For(b.const(u32, 0), draw.primitives) as n:
        row = draw.rows + b.cast(n * corners, u64)
        provoking = draw.provoking[b.cast(n, u64)]
        primitive = draw.made[number.value]
        drawn = b.var(u32, 0)
        with b.Switch(corners) as switch:
            for count, make in ((1, point), (2, line), (3, triangle)):
                with switch.Case(count):
                    drawn.value = b.cast(b.call(make, draw, primitive, row, provoking), u32)
        number.value = number.value + drawn.value
    draw.number = number.value
    draw.planes = draw.count + b.select(corners == 1, b.const(u32, 4),
                                        b.select(corners == 2, b.const(u32, 3), b.const(u32, 2)))
    b.Return()


__all__ = ["set_up"]
