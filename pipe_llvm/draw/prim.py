# SPDX-License-Identifier: MIT
"""Primitive assembly: from a run of vertices to vertex numbers of points, lines and triangles.

In: GL's mode and either an index list or a first row number. Out: planar arrays v0, v1, v2; of a
triangle v2 is the provoking vertex (the last, of polygons the first: GL 2.1, table 2.12), and the
order keeps GL's winding; quads share their fourth vertex. Sixteen primitives are made at once. The
convention "first vertex provokes" is a second pass, since hardly anybody asks for it. Counterpart
of Mesa's draw_decompose_tmp.h and u_prim.h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from pipe_llvm.draw.prims import EMITTED
from pydri.jit.kernel import kernel
from pydri.jit.types import i32, ptr, u32, void
from pydri.pipe.native import PRIM_BEGIN

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

LANES = 16
U32X16 = u32.vec(LANES)


class Mode(NamedTuple):
    """How a mode's vertices follow each other."""

    least: int  # vertices of the first primitive
    step: int  # vertices of each further one
    per_step: int  # primitives that a step makes
    overlap: int  # vertices that a cut repeats
    pinned: int  # 1: the first vertex takes part in every primitive (or closes the loop)
    reduced: int  # 0 points, 1 lines, 2 triangles


MODES = (
    Mode(1, 1, 1, 0, 0, 0),  # GL_POINTS
    Mode(2, 2, 1, 0, 0, 1),  # GL_LINES
    Mode(2, 1, 1, 1, 1, 1),  # GL_LINE_LOOP (without the closing line)
    Mode(2, 1, 1, 1, 0, 1),  # GL_LINE_STRIP
    Mode(3, 3, 1, 0, 0, 2),  # GL_TRIANGLES
    Mode(3, 1, 1, 2, 0, 2),  # GL_TRIANGLE_STRIP
    Mode(3, 1, 1, 1, 1, 2),  # GL_TRIANGLE_FAN
    Mode(4, 4, 2, 0, 0, 2),  # GL_QUADS
    Mode(4, 2, 2, 2, 0, 2),  # GL_QUAD_STRIP
    Mode(3, 1, 1, 1, 1, 2),  # GL_POLYGON
    Mode(4, 4, 1, 0, 0, 1),  # GL_LINES_ADJACENCY
    Mode(4, 1, 1, 3, 0, 1),  # GL_LINE_STRIP_ADJACENCY
    Mode(6, 6, 1, 0, 0, 2),  # GL_TRIANGLES_ADJACENCY
    # GL_TRIANGLE_STRIP_ADJACENCY: each part of one that is cut has a triangle beyond the cut, which
    # it does not make, beside its own
    Mode(6, 2, 1, 8, 0, 2),
)
(POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, STRIP, FAN, QUADS, QUAD_STRIP, POLYGON,
 LINES_ADJACENCY, LINE_STRIP_ADJACENCY, TRIANGLES_ADJACENCY, STRIP_ADJACENCY) = range(14)


def mode_field(b: Builder, mode: Value, name: str) -> Any:
    """A column of MODES for a run-time mode (below 14)."""
    return b.table(u32, [getattr(row, name) for row in MODES])[mode]


def begins(mode: Any, i: Any, prim_flags: Any) -> Any:
    """Whether triangle i of a chunk is the first of its polygon."""
    second = ((mode == QUADS) | (mode == QUAD_STRIP)) & ((i & 1) != 0)
    later = (mode == POLYGON) & ((i != 0) | ((prim_flags & PRIM_BEGIN) == 0))
    return ~(second | later)


class _Source:
    """Numbers of the vertices of 16 primitives from primitive `p` on."""

    def __init__(self, b: Builder, elts: Any, base: Any, pin: Any, p: Any) -> None:
        self.b, self.elts, self.base, self.p = b, elts, base, p
        self.pin = b.splat(pin, LANES)
        self.lane = b.splat(p, LANES) + b.iota(U32X16)
        self.odd = (self.lane & 1) == 1

    def number(self, k: Any) -> Any:
        """Of the k-th vertices (u32x16)."""
        if self.elts is None:
            return k + self.b.splat(self.base, LANES)
        return self.b.gather(self.elts, self.b.bitcast(k, i32))

    def run(self, offset: int) -> Any:
        """Of vertices p + lane + offset."""
        if self.elts is None:
            return self.number(self.lane + offset)
        return (self.elts + (self.p + offset)).load(U32X16)

    def every(self, stride: int) -> list[Any]:
        """Of vertices stride * (p + lane) + 0, 1 .. stride-1 (stride 2 or 3)."""
        b = self.b
        if self.elts is None:
            return [self.number(self.lane * stride + n) for n in range(stride)]
        parts = [(self.elts + (self.p * stride + LANES * n)).load(U32X16) for n in range(stride)]
        out = []
        for n in range(stride):
            at = [stride * lane + n for lane in range(LANES)]
            both = b.shuffle(parts[0], parts[1], [a if a < 32 else -1 for a in at])
            if stride == 3:
                pick = [lane if a < 32 else a - 16 for lane, a in enumerate(at)]
                both = b.shuffle(both, parts[2], pick)
            out.append(both)
        return out


def _points(s: _Source) -> list[Any]:
    return [s.run(0)] * 3


def _lines(s: _Source) -> list[Any]:
    first, second = s.every(2)
    return [first, second, second]


def _line_strip(s: _Source) -> list[Any]:
    return [s.run(0), s.run(1), s.run(1)]


def _strip(s: _Source) -> list[Any]:
    a, c = s.run(0), s.run(1)
    return [s.b.select(s.odd, c, a), s.b.select(s.odd, a, c), s.run(2)]


def _quads(s: _Source) -> list[Any]:
    odd = s.lane & 1
    corner = (s.lane >> 1) * 4
    return [s.number(corner + odd), s.number(corner + odd + 1), s.number(corner + 3)]


def _quad_strip(s: _Source) -> list[Any]:
    odd = s.lane & 1
    corner = s.lane - odd
    return [s.number(corner + 2 - odd * 2), s.number(corner + odd), s.number(corner + 3)]


_MAKERS: dict[int, Callable[[_Source], list[Any]]] = {
    POINTS: _points,
    LINES: _lines,
    LINE_LOOP: _line_strip,
    LINE_STRIP: _line_strip,
    TRIANGLES: lambda s: s.every(3),
    STRIP: _strip,
    # of fans and polygons the caller skips the first vertex: it is `pin`
    FAN: lambda s: [s.pin, s.run(0), s.run(1)],
    QUADS: _quads,
    QUAD_STRIP: _quad_strip,
    POLYGON: lambda s: [s.run(0), s.run(1), s.pin],
}
#: modes that make the same primitives from vertices alone
_SAME = {LINE_LOOP: LINE_STRIP}


@kernel(
    ret=void,
    args=(u32, ptr(u32), u32, u32, u32, ptr(u32), ptr(u32), ptr(u32)),
    name="lp_assemble",
    noalias=(1, 5, 6, 7),
    noinline=True,
)
def assemble(b: Builder, mode: Value, elts: Pointer, base: Value, pin: Value, count: Value,
             v0: Pointer, v1: Pointer, v2: Pointer) -> None:  # fmt: skip
    """Numbers of `count` primitives; up to 16 further entries of each array are zeroed.

    elts: null, or readable up to 64 entries behind the last; base: vertex 0 without elts."""
    out = (v0, v1, v2)

    def loop(maker: Callable[[_Source], list[Any]], source: Any) -> None:
        with b.For(b.const(u32, 0), count, LANES) as p:
            for place, value in zip(out, maker(_Source(b, source, base, pin, p)), strict=True):
                (place + p).store(value)

    with b.Switch(mode) as s:
        for number, maker in _MAKERS.items():
            if number in _SAME:
                continue
            with s.Case(number, *(k for k, v in _SAME.items() if v == number)):
                with b.If(elts == 0):
                    loop(maker, None)
                with b.Else():
                    loop(maker, elts)
    for place in out:  # setup loads whole vectors: no wild numbers behind the end
        (place + count).store(b.const(U32X16, 0))


def _adjacent_strip(n: Any, number: Any, b: Builder, total: Any) -> list[Any]:
    """A triangle of a strip (OpenGL 3.2, table 2.4): its corners are every other vertex, and beside
    the strip's first and last edge lies the one between."""
    at, odd = n * 2, (n & 1) == 1
    behind = b.select(n == b.splat(total - 1, LANES), at + 5, at + 6)
    before = b.select(n == 0, b.const(U32X16, 1), at - 2)
    first, second = b.select(odd, at + 2, at), b.select(odd, at, at + 2)
    beside = at + 3
    ways = before, b.select(odd, beside, behind), b.select(odd, behind, beside)
    order = (first, ways[0], second, ways[1], at + 4, ways[2])
    return [number(k) for k in order]


@kernel(
    ret=void,
    args=(u32, ptr(u32), u32, u32, u32, *[ptr(u32)] * 6),
    name="lp_assemble_adjacent",
    noinline=True,
)
def assemble_adjacent(b: Builder, mode: Value, elts: Pointer, first: Value, count: Value,
                      total: Value, *places: Pointer) -> None:  # fmt: skip
    """Numbers of all vertices of `count` primitives with adjacent vertices, from number `first` of
    `total` on; up to 16 further entries of each array are zeroed. What has four vertices gives the
    third one in the place of the fifth, too."""

    def loop(make: Callable[[Any, Any], list[Any]], number: Callable[[Any], Any]) -> None:
        with b.For(b.const(u32, 0), count, LANES) as p:
            lane = b.min(b.splat(p, LANES) + b.iota(U32X16), b.splat(count - 1, LANES))
            for place, value in zip(places, make(lane + b.splat(first, LANES), number)):
                (place + p).store(value)

    def each(make: Callable[[Any, Any], list[Any]]) -> None:
        with b.If(elts == 0):
            loop(make, lambda k: k)
        with b.Else():
            loop(make, lambda k: b.gather(elts, b.bitcast(k, i32)))

    def lines(step: int) -> None:
        each(lambda n, number: [number(n * step + k) for k in (0, 1, 2, 3, 2)])

    with b.Switch(mode) as s:
        with s.Case(LINES_ADJACENCY):
            lines(4)
        with s.Case(LINE_STRIP_ADJACENCY):
            lines(1)
        with s.Case(TRIANGLES_ADJACENCY):
            each(lambda n, number: [number(n * 6 + k) for k in range(6)])
        with s.Case(STRIP_ADJACENCY):
            each(lambda n, number: _adjacent_strip(n, number, b, total))
    for place in places:
        (place + count).store(b.const(U32X16, 0))


@kernel(ret=void, args=(ptr(u32), u32, u32, u32), name="lp_repeat", noinline=True)
def repeat(b: Builder, numbers: Pointer, count: Value, times: Value, step: Value) -> None:
    """Make `count` numbers `times` times as many: each copy has `step` more than the one before. 16
    further entries become 0."""
    total = count * times
    made, add = b.var(u32, count), b.var(u32, step)
    with b.While(lambda: made.value < total):
        more = b.min(made.value, total - made.value)
        # what a whole vector writes behind its part is written again, or zeroed
        with b.For(b.const(u32, 0), more, LANES) as i:
            value = (numbers + i).load(U32X16) + b.splat(add.value, LANES)
            (numbers + made.value + i).store(value)
        made.value = made.value + more
        add.value = add.value + add.value
    (numbers + total).store(b.const(U32X16, 0))


@kernel(
    ret=void,
    args=(u32, u32, u32, ptr(u32), ptr(u32), ptr(u32)),
    name="lp_provoke_first",
    cold=True,
    noalias=(3, 4, 5),
)
def provoke_first(b: Builder, mode: Value, count: Value, parity: Value, v0: Pointer, v1: Pointer,
                  v2: Pointer) -> None:  # fmt: skip
    """Turn assembled triangles so that v2 is the vertex that GL calls the first.

    Quads keep their last one (GL_QUADS_FOLLOW_PROVOKING_VERTEX_CONVENTION is false, as the
    peer's), polygons always have their first."""
    with b.For(b.const(u32, 0), count) as i:
        x, y, z = v0[i], v1[i], v2[i]

        def put(n: Value, *numbers: Any) -> None:
            for place, number in zip((v0, v1, v2), numbers, strict=True):
                place[n] = number

        with b.Switch(mode) as s:
            with s.Case(TRIANGLES):
                put(i, y, z, x)
            with s.Case(STRIP):
                by_place = ((i + parity) & 1) != 0
                odd = b.select(parity == EMITTED, x > y, by_place)
                with b.If(~odd):
                    put(i, y, z, x)
                with b.Else():
                    put(i, z, x, y)
            with s.Case(FAN):
                put(i, z, x, y)
