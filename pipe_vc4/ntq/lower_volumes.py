# SPDX-License-Identifier: MIT
"""Samples of 3D textures become samples of 2D textures: the hardware has no others.

In: nir, the keys of the textures. Out: True if samples went. A texture of a key with a `Volume` is
an image of its slices: level beside level, in each slice above slice, all with a rim of one texel,
which holds what its wrap mode finds there (resource.py). The shader wraps the coordinates, chooses
level and slices, and mixes what it is given of them. The level that the TMU is asked for says
whether it magnifies or minifies: the image has one level.
"""

from __future__ import annotations

from typing import NamedTuple

from pipe_vc4.ntq.keys import Vc4TexKey, Volume
from pydri.nir.builder import Builder
from pydri.nir.ir import Shader, SSADef, TexInstr


class _Place(NamedTuple):
    """Of the level that each lane samples: size by axis, and where its image begins, in texels."""

    sizes: list[SSADef]
    begin: SSADef


def run(shader: Shader, tex: tuple[Vc4TexKey, ...] = ()) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        b, replace = Builder(shader, function), {}
        for instr in list(function.instrs()):
            if not isinstance(instr, TexInstr) or instr.sampler_dim != "3D":
                continue
            unit = instr.texture_index
            volume = tex[unit].volume if unit < len(tex) else None
            if instr.op not in ("tex", "txb", "txl", "txd"):
                continue
            b.before(instr)
            if volume is None:  # no texture, or an incomplete one (GL 2.1, 3.8.10)
                replace[instr.dest] = b.imm_float(0.0, 0.0, 0.0, 1.0)
            else:
                replace[instr.dest] = _Sample(b, instr, volume, shader.stage == "fragment").made()
            instr.remove()
            progress = True
        function.rewrite(replace)
    return progress


class _Sample:
    """A sample while it is rebuilt."""

    def __init__(self, b: Builder, instr: TexInstr, volume: Volume, slopes: bool) -> None:
        self.b, self.instr, self.volume, self.slopes = b, instr, volume, slopes
        coord = instr.source("coord")
        assert coord is not None
        self.coord = b.components(coord)

    def made(self) -> SSADef:
        """The colour."""
        b, volume = self.b, self.volume
        lod = self._lod()
        magnified = b.fge(0.0, lod)
        last = float(volume.levels - 1)
        if volume.mip == "NONE" or volume.levels == 1:
            return self._level(b.imm_float(0.0), magnified)
        if volume.mip == "NEAREST":
            nearest = b.fceil(b.fadd(lod, -0.5))
            return self._level(b.clamp(nearest, 0.0, last), magnified)
        within = b.clamp(lod, 0.0, last)
        lower = b.ffloor(within)
        upper = b.fmin(b.fadd(lower, 1.0), last)
        part = b.fsub(within, lower)
        return b.flrp(self._level(lower, magnified), self._level(upper, magnified),
                      b.vec(part, part, part, part))  # fmt: skip

    def _lod(self) -> SSADef:
        """The level of detail of the sample, with the sampler's bias (GL 2.1, 3.8.8)."""
        bias = self.volume.lod_bias
        return self.b.fadd(self._asked(), bias) if bias else self._asked()

    def _asked(self) -> SSADef:
        """The level of detail that the shader asks for."""
        b, instr = self.b, self.instr
        lod = instr.source("lod")
        if lod is not None:
            return lod
        given = [instr.source(name) for name in ("ddx", "ddy")]
        if instr.op != "txd":
            if not self.slopes:
                return b.imm_float(0.0)
            given = [b.vec(*(b.alu(name, part) for part in self.coord))
                     for name in ("fddx", "fddy")]  # fmt: skip
        squares = []
        for slope in given:
            assert slope is not None
            texels = [b.fmul(part, float(size))
                      for part, size in zip(b.components(slope), self.volume.size)]  # fmt: skip
            vector = b.vec(*texels)
            squares.append(b.dot(vector, vector))
        lod = b.fmul(b.flog2(b.fmax(*squares)), 0.5)
        bias = instr.source("bias")
        return lod if bias is None else b.fadd(lod, bias)

    def _place(self, level: SSADef) -> _Place:
        b, volume = self.b, self.volume
        begin, size = 0, volume.size
        found = [b.imm_float(float(n)) for n in (*size, begin)]
        for number in range(1, volume.levels):
            begin += size[0] + 2
            size = volume.at(number)
            here = b.fge(level, float(number))
            found = [b.bcsel(here, float(new), old) for new, old in zip((*size, begin), found)]
        return _Place(found[:3], found[3])

    def _wrapped(self, axis: int, size: SSADef) -> SSADef:
        """The coordinate in texels, within the rim."""
        b, wrap, part = self.b, self.volume.wraps[axis], self.coord[axis]
        if wrap == "REPEAT":
            return b.fmul(b.ffract(part), size)
        if wrap == "MIRRORED_REPEAT":
            turns = b.fmul(2.0, b.ffloor(b.fadd(b.fmul(part, 0.5), 0.5)))
            return b.fmul(b.fabs(b.fsub(part, turns)), size)
        if wrap.startswith("MIRROR_"):
            part = b.fabs(part)
        if wrap.endswith("BORDER"):
            return b.fmin(b.fmax(b.fmul(part, size), -0.5), b.fadd(size, 0.5))
        return b.fmul(b.clamp(part, 0.0, 1.0), size)

    def _level(self, level: SSADef, magnified: SSADef) -> SSADef:
        """The colour of a level: of two slices, mixed where the filter is linear."""
        b, volume = self.b, self.volume
        place = self._place(level)
        x, y, z = (self._wrapped(axis, place.sizes[axis]) for axis in range(3))
        x = b.fmul(b.fadd(b.fadd(x, 1.0), place.begin), 1.0 / volume.image[0])
        kinds = (volume.mag_linear, volume.min_linear)
        near = b.fadd(b.ffloor(z), 1.0)
        if not any(kinds):
            return self._slice(x, y, near, place, magnified)
        half = b.fadd(z, -0.5)
        lower = b.ffloor(half)
        first, part = b.fadd(lower, 1.0), b.fsub(half, lower)
        if not all(kinds):
            linear = magnified if volume.mag_linear else b.inot(magnified)
            first, part = b.bcsel(linear, first, near), b.bcsel(linear, part, 0.0)
        last = b.fadd(place.sizes[2], 1.0)
        return b.flrp(self._slice(x, y, first, place, magnified),
                      self._slice(x, y, b.fmin(b.fadd(first, 1.0), last), place, magnified),
                      b.vec(part, part, part, part))  # fmt: skip

    def _slice(self, x: SSADef, y: SSADef, number: SSADef, place: _Place, magnified: SSADef
               ) -> SSADef:  # fmt: skip
        """The colour of a slice, counted from the rim on."""
        b, volume, unit = self.b, self.volume, self.instr.texture_index
        rows = b.fmul(number, b.fadd(place.sizes[1], 2.0))
        y = b.fmul(b.fadd(b.fadd(y, 1.0), rows), 1.0 / volume.image[1])
        lod = b.bcsel(magnified, -1.0, 1.0)
        return b.tex("txl", {"coord": b.vec(x, y), "lod": lod}, sampler_dim="2D",
                     texture_index=unit, sampler_index=unit)  # fmt: skip


__all__ = ["run"]
