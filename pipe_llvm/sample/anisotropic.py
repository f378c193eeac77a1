# SPDX-License-Identifier: MIT
"""Anisotropic sampling: probes along the longer edge of a quad's footprint, averaged
(EXT_texture_filter_anisotropic).

As many probes as the longer edge is longer than the shorter one (TOLERANCE aside), at most
`max_anisotropy`, at the level of detail at which one probe covers its share of the longer edge and
the whole shorter one: a level of larger texels would blur, one of smaller ones leave texels between
the probes out. Each probe is a call of the function for the same key without anisotropy, for the
whole batch; quads that need fewer probes than others drop what is too much. Where one probe is
enough the call is all that happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.sample.coords import level_rows
from pipe_llvm.sample.lod import derivatives, half_log2, squares
from pipe_llvm.sample.sampler import HOW, OUT_FLOATS, RAW, finish, sampler_function
from pipe_llvm.sample.vectors import FIRST, f32x16, i32x16
from pydri.jit import Kernel, f32, i32, u32
from pydri.pipe.sampler import (
    LOD_BIAS,
    LOD_EXPLICIT,
    LOD_GRADIENTS,
    MOVE_SHIFT,
    SAMPLE_STAMPS,
    SampleCoords,
    TextureView,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

FLOATS = 16 * SAMPLE_STAMPS
#: By how much of the shorter edge the longer one may be longer than its probes cover: what a square
#: footprint differs by after rounding does not cost a second probe.
TOLERANCE = 0.0625


class Probes:
    """What the first stage finds of each stamp: number of probes and its inverse, the step from the
    first end of the footprint to the other, and the coordinates of the middle."""

    def __init__(self, b: Builder, view: TextureView, coords: SampleCoords) -> None:
        self.b, self.view, self.coords = b, view, coords
        self.share = b.array(f32, FLOATS, align=64)
        self.count = b.array(i32, FLOATS, align=64)
        self.along = [b.array(f32, FLOATS, align=64) for _ in range(2)]
        self.middle = [b.array(f32, FLOATS, align=64) for _ in range(2)]

    def load(self, place: Pointer, m: Value) -> Value:
        return (place + m * 16).load(f32x16, align=64)

    def find(self, stamps: Value, how: Value) -> Value:
        """Fill in all stamps, and the levels of detail in `coords.lod`; the most probes that any
        lane needs."""
        b, view, coords = self.b, self.view, self.coords
        most = b.var(i32x16, 1)
        limit = view.max_anisotropy
        with b.For(b.const(u32, 0), stamps) as m:
            steps = [[b.var(f32x16), b.var(f32x16)] for _ in range(2)]
            for n, name in enumerate("st"):
                value = self.load(coords.addr(name), m)
                (self.middle[n] + m * 16).store(value, align=64)
                for step, gain in zip(steps[n], derivatives(b, value)):
                    step.value = gain
            with b.If(how == LOD_GRADIENTS, likely=False):
                for n in range(2):
                    for step, given in zip(steps[n], ("ddx", "ddy")):
                        step.value = self.load(coords.addr(given) + 256 * n, m)
            scale = [b.splat((level_rows(view).addr("scale") + n).load(f32), 16) for n in range(2)]
            x, y = (squares(b, [steps[n][k].value * scale[n] for n in range(2)]) for k in (0, 1))
            greater, less = b.max(x, y), b.min(x, y)
            ratio = b.sqrt(greater) / b.sqrt(b.max(less, 1e-30))
            probes = b.ceil(b.clamp(ratio - TOLERANCE, 1.0, b.splat(limit, 16)))
            share = 1.0 / probes
            lam = b.var(f32x16, half_log2(b, b.max(greater * (share * share), less)))
            with b.If(how == LOD_BIAS, likely=False):
                lam.value = lam.value + b.shuffle(self.load(coords.lod, m), None, FIRST)
            (coords.lod + m * 16).store(lam.value, align=64)
            (self.share + m * 16).store(share, align=64)
            number = b.cast_fast(probes, i32)
            (self.count + m * 16).store(number, align=64)
            most.value = b.max(most.value, number)
            several = number > 1  # a single probe stays where it is, whatever the edges are
            for n in range(2):
                along = b.select(x > y, steps[n][0].value, steps[n][1].value)
                along = b.select(several, along, 0.0)
                (self.along[n] + m * 16).store(along, align=64)
        return b.reduce("max", most.value)

    def move(self, stamps: Value, probe: Value) -> None:
        """The coordinates of a probe."""
        b = self.b
        number = b.splat(b.cast(probe, f32), 16)
        with b.For(b.const(u32, 0), stamps) as m:
            at = (number + 0.5) * self.load(self.share, m) - 0.5
            for n, name in enumerate("st"):
                value = self.load(self.middle[n], m) + self.load(self.along[n], m) * at
                (self.coords.addr(name) + m * 16).store(value, align=64)

    def add(self, stamps: Value, probe: Value, sums: Pointer, out: Pointer) -> None:
        """Add what a probe found, in the lanes that have as many."""
        b = self.b
        with b.For(b.const(u32, 0), stamps) as m:
            mine = (self.count + m * 16).load(i32x16, align=64) > b.splat(probe, 16)
            for n in range(4):
                at = m * OUT_FLOATS + 16 * n
                found = b.select(mine, (out + at).load(f32x16, align=64), 0.0)
                before = b.select(probe == 0, b.const(f32x16, 0.0), (sums + at).load(f32x16))
                (sums + at).store(before + found, align=64)


def anisotropic_kernel(inner: Kernel, name: str) -> Kernel:
    """The function that calls `inner`, the one for a single probe."""

    def emit(
        b: Builder,
        view: TextureView,
        stamps: Value,
        coords: SampleCoords,
        out: Pointer,
        how: Value,
    ) -> None:
        with b.If((how & HOW) == LOD_EXPLICIT):
            b.call(inner, view, stamps, coords, out, how)
            b.Return()
        probes = Probes(b, view, coords)
        most = probes.find(stamps, how & HOW)
        raw = how & -(1 << MOVE_SHIFT) | (LOD_EXPLICIT | RAW)
        sums = b.array(f32, OUT_FLOATS * SAMPLE_STAMPS, align=64)
        with b.For(b.const(i32, 0), most) as probe:
            with b.If(most > 1):
                probes.move(stamps, probe)
            b.call(inner, view, stamps, coords, out, raw)
            with b.If(most > 1):
                probes.add(stamps, probe, sums, out)
        with b.If(most > 1):
            with b.For(b.const(u32, 0), stamps) as m:
                share = probes.load(probes.share, m)
                for n in range(4):
                    at = m * OUT_FLOATS + 16 * n
                    total = (sums + at).load(f32x16, align=64)
                    (out + at).store(total * share, align=64)
        finish(b, view, stamps, out, how)

    return sampler_function(name, emit)
