# SPDX-License-Identifier: MIT
"""Levels of detail (GL 2.1, 3.8.8; lp_bld_sample.c's lod_selector), 24.8 fixed point a lane.

rho is the longer of the footprint's two edges in texels of the view's first level; lambda is log2
of it plus bias, limited, and rounded to 1/256. Of a quad all lanes have one, unless the shader
gives levels lane by lane. log2 is the exponent plus a polynomial of the mantissa, exact at powers
of two and within 1/8800 between them: only sums and products, so the same bits everywhere.

Out: `lods` has for each lane -1 (magnified), or the level and 8 bits of the next one's weight;
`runs` for each stamp MIXED, MAGNIFIED or 2 * level + whether two levels are mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.sample.coords import dimensions, level_rows
from pipe_llvm.sample.cube import direction_of, rho_squared
from pipe_llvm.sample.vectors import (
    BELOW,
    FIRST,
    QUAD,
    QUAD_FIRST,
    RIGHT,
    f32x16,
    i32x16,
    in_lanes,
)
from pydri.jit import f32, i32, u32
from pydri.pipe.resource import TARGET_CUBE, TARGET_CUBE_ARRAY
from pydri.pipe.sampler import (
    LOD_BIAS,
    LOD_EXPLICIT,
    LOD_GRADIENTS,
    LOD_IMPLICIT,
    MIP_NEAREST,
    MIP_NONE,
    SAMPLE_STAMPS,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.pipe.sampler import SampleCoords, SamplerKey, TextureView

MIXED, MAGNIFIED = -2, -1
#: log2(1 + x) = x (c0 + c1 x + c2 x^2 + c3 x^3) on [0, 1]: least greatest error, exact at 1
LOG2 = (1.43872574303469, -0.6777839898208189, 0.3211889491498429, -0.08213070236371411)
TINY = 1e-30  # rho squared is at least this: lambda ends at -50


def half_log2(b: Builder, x: Value) -> Value:
    """Half the binary logarithm of positive floats; infinity gives 64, NaN as TINY."""
    x = b.max(x, TINY)
    bits = b.bitcast(x, i32)
    exponent = b.cast((bits >> 23) - 127, f32)
    m = b.bitcast((bits & 0x7FFFFF) | 0x3F800000, f32) - 1.0
    p = m * LOG2[3] + LOG2[2]
    p = p * m + LOG2[1]
    p = p * m + LOG2[0]
    return (exponent + p * m) * 0.5


def squares(b: Builder, steps: list[Value]) -> Value:
    """The sum of squares."""
    total = steps[0] * steps[0]
    for step in steps[1:]:
        total = total + step * step
    return total


class Lods:
    """The stage of a sampler that finds levels of detail."""

    def __init__(self, b: Builder, key: SamplerKey, view: TextureView) -> None:
        self.b = b
        self.key = key
        self.view = view
        self.axes = dimensions(key.target)
        self.is_cube = key.target in (TARGET_CUBE, TARGET_CUBE_ARRAY)
        self.lods = b.array(i32, 16 * SAMPLE_STAMPS, align=64)
        self.runs = b.array(i32, SAMPLE_STAMPS, align=64)
        first = level_rows(view)
        self.scale = [(first.addr("scale") + n).load(f32, invariant=True) for n in range(3)]

    def _load(self, name: str) -> Value:
        return self.view.addr(name).load(invariant=True)

    # -- lambda ----------------------------------------------------------------------------------

    def biased(self, lam: Value) -> Value:
        """Lambda with the view's bias."""
        return lam + self._load("lod_bias")

    def limited(self, lam: Value) -> Value:
        """Biased lambda within its limits, in fixed point."""
        b = self.b
        low, high = self._load("min_lod"), self._load("max_lod")
        return b.round_to_int(b.clamp(lam, low, high) * 256.0)

    def level(self, value: Value) -> Value:
        """The level, and the next one's weight, that limited lambda selects where minified."""
        b = self.b
        if self.key.mip == MIP_NONE:
            return b.const(value.ty, 0)
        last = b.bitcast(self._load("max_level") << 8, i32)
        up = value
        if self.key.mip == MIP_NEAREST:
            up = (value + 127) & -256
        return b.min(b.max(up, 0), last)

    def fixed(self, lam: Value) -> Value:
        """Lambda without the view's bias -> what `lods` holds."""
        b = self.b
        value = self.limited(self.biased(lam))
        level = self.level(value)
        if self.key.min_linear == self.key.mag_linear:
            return level
        # A texture is magnified up to a level of detail of 0, whatever its filters are: Khronos'
        # tests and the peer hold no half of GL 2.1, 3.8.9.
        return b.select(value <= 0, -1, level)

    def find(self, coords: SampleCoords, stamps: Value, how: Value) -> None:
        """All stamps' levels of detail and runs, by the ways that LOD_* name."""
        b = self.b
        if self.is_cube:
            with b.If(how == LOD_EXPLICIT, likely=False):
                self._explicit(coords, stamps)
            with b.Else():
                self._cube(coords, stamps, how)
            self._find_runs(stamps)
            return
        with b.If(how <= LOD_BIAS, likely=True):
            self._implicit(coords, stamps, how)
        with b.Else():
            with b.If(how == LOD_EXPLICIT):
                self._explicit(coords, stamps)
            with b.Else():
                self._gradients(coords, stamps)
            self._find_runs(stamps)

    def _explicit(self, coords: SampleCoords, stamps: Value) -> None:
        b = self.b
        with b.For(b.const(u32, 0), stamps) as m:
            lam = (coords.lod + m * 16).load(f32x16, align=64)
            (self.lods + m * 16).store(self.fixed(lam), align=64)

    def _cube(self, coords: SampleCoords, stamps: Value, how: Value) -> None:
        """Of a cube's faces, lane by lane; of implicit derivatives all of a quad as its first."""
        b = self.b
        with b.For(b.const(u32, 0), stamps) as m:
            direction = direction_of(coords, m)
            held = [b.var(f32x16, b.shuffle(v, None, FIRST)) for v in direction]
            steps = [[b.var(f32x16, x) for x in derivatives(b, v)] for v in direction]
            added = b.var(f32x16, 0.0)
            with b.If(how == LOD_GRADIENTS, likely=False):
                for n, v in enumerate(direction):
                    held[n].value = v
                    for step, name in zip(steps[n], ("ddx", "ddy")):
                        place = coords.addr(name) + (m * 16 + 256 * n)
                        step.value = place.load(f32x16, align=64)
            with b.If(how == LOD_BIAS, likely=False):
                lod = (coords.lod + m * 16).load(f32x16, align=64)
                added.value = b.shuffle(lod, None, FIRST)
            pairs = [(x.value, y.value) for x, y in steps]
            rho = rho_squared(b, [v.value for v in held], pairs, self.scale[0])
            lam = half_log2(b, rho) + added.value
            (self.lods + m * 16).store(self.fixed(lam), align=64)

    def _implicit(self, coords: SampleCoords, stamps: Value, how: Value) -> None:
        b = self.b
        rho = b.array(f32, 4 * SAMPLE_STAMPS, align=64)
        bias = b.array(f32, 4 * SAMPLE_STAMPS, align=64)
        with b.For(b.const(u32, 0), stamps) as m:
            (rho + m * 4).store(self._quads_rho(coords, m), align=16)
        with b.If(how == LOD_BIAS):
            with b.For(b.const(u32, 0), stamps) as m:
                lod = (coords.lod + m * 16).load(f32x16, align=64)
                (bias + m * 4).store(b.shuffle(lod, None, QUAD_FIRST), align=16)
        with b.For(b.const(u32, 0), stamps, 4) as m:
            lam = half_log2(b, (rho + m * 4).load(f32x16, align=64))
            added = b.var(f32x16, 0.0)
            with b.If(how != LOD_IMPLICIT, likely=False):
                added.value = (bias + m * 4).load(f32x16, align=64)
            fixed = self.fixed(lam + added.value)
            for n in range(4):
                spread = b.shuffle(fixed, None, [4 * n + q for q in QUAD])
                (self.lods + (m * 16 + 16 * n)).store(spread, align=64)
            (self.runs + m).store(self._runs_of(fixed), align=16)

    def _runs_of(self, fixed: Value) -> Value:
        """Of four stamps' quads what each stamp asks for (i32x4)."""
        b = self.b
        level = fixed >> 8
        first = in_lanes(b, level, level, [0, 0, 0, 0])
        differ, part = level ^ first, fixed & 255
        for pattern in ([1, 0, 3, 2], [2, 3, 0, 1]):
            differ = differ | in_lanes(b, differ, differ, pattern)
            part = part | in_lanes(b, part, part, pattern)
        run = first * 2 + b.select(part != 0, b.const(i32x16, 1), 0)
        run = b.select(first < 0, b.const(i32x16, MAGNIFIED), run)
        run = b.select(differ != 0, b.const(i32x16, MIXED), run)
        return b.shuffle(run, None, [0, 4, 8, 12])

    def _quads_rho(self, coords: SampleCoords, m: Value) -> Value:
        """rho squared of a stamp's four quads."""
        b = self.b

        def load(name: str) -> Value:
            return (coords.addr(name) + m * 16).load(f32x16, align=64)

        if self.axes == 1:
            return b.max(*self._edges([load("s")]))
        pair = self._edges([load("s"), load("t")])
        edges = [
            b.shuffle(e, None, [0, 1, 2, 3]) + b.shuffle(e, None, [4, 5, 6, 7]) for e in pair
        ]
        if self.axes == 3:
            edges = [x + y for x, y in zip(edges, self._edges([load("r")], 2))]
        return b.max(*edges)

    def _edges(self, values: list[Value], axis: int = 0) -> list[Value]:
        """The squares of what one or two coordinates, from number `axis` on, gain in each quad to
        the right, and downwards: four lanes a coordinate."""
        b = self.b
        sizes = [b.splat(self.scale[axis + n], 4) for n in range(len(values))]

        def side_by_side(parts: list[Value], lanes: list[int]) -> Value:
            if len(parts) == 1:
                return b.shuffle(parts[0], None, lanes)
            width = 4 if parts is sizes else 16
            return b.shuffle(parts[0], parts[1], [*lanes, *(width + n for n in lanes)])

        size = side_by_side(sizes, [0, 1, 2, 3])
        corner = side_by_side(values, QUAD_FIRST)
        steps = [
            (side_by_side(values, [n + offset for n in QUAD_FIRST]) - corner) * size
            for offset in (1, 4)
        ]
        return [step * step for step in steps]

    def _gradients(self, coords: SampleCoords, stamps: Value) -> None:
        b = self.b
        with b.For(b.const(u32, 0), stamps) as m:
            sums = []
            for name in ("ddx", "ddy"):
                steps = [
                    (coords.addr(name) + (m * 16 + 256 * n)).load(f32x16, align=64)
                    * b.splat(self.scale[n], 16)
                    for n in range(self.axes)
                ]
                sums.append(squares(b, steps))
            (self.lods + m * 16).store(self.fixed(half_log2(b, b.max(*sums))), align=64)

    # -- runs ------------------------------------------------------------------------------------

    def _find_runs(self, stamps: Value) -> None:
        """What each stamp asks for."""
        b = self.b
        with b.For(b.const(u32, 0), stamps) as m:
            lods = (self.lods + m * 16).load(i32x16, align=64)
            first = self.lods[m * 16] >> 8
            mixed = b.any((lods >> 8) != b.splat(first, 16))
            two = b.any((lods & 255) != 0) & (first >= 0)
            run = b.select(first < 0, MAGNIFIED, first * 2 + b.cast(two, i32))
            self.runs[m] = b.select(mixed, MIXED, run)


def derivatives(b: Builder, value: Value) -> tuple[Value, Value]:
    """What a value gains in each lane's quad to the right and downwards."""
    corner = b.shuffle(value, None, FIRST)
    return b.shuffle(value, None, RIGHT) - corner, b.shuffle(value, None, BELOW) - corner

