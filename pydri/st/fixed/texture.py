# SPDX-License-Identifier: MIT
"""Texturing in the fixed-function fragment program: texels are read and combined, unit by unit.

In: `UnitKey`s and `Combiner`s (fixed/env.py) and the primary colour. Out: the colour that goes on
to colour sum and fog. Each result is clamped to [0, 1] (GL 2.1, 3.8.13). A texture instruction
reads `texture_index` = `sampler_index` = the unit; its four components are the texel's as the base
format and swizzle have them, of a texture that compares depths the comparison's. Counterpart of
Mesa's ff_fragment_shader.cpp.
"""

from __future__ import annotations

from functools import reduce

from pydri.api import enums as gl
from pydri.main.layout import ValueBlock
from pydri.main.textures.layout import MAX_TEXTURE_UNITS
from pydri.nir import Builder, SSADef
from pydri.nir.enums import VARYING_SLOT_TEX0
from pydri.st.fixed.env import (
    DIMENSIONS,
    DOT3,
    SUM4,
    SUM4_SIGNED,
    Combine,
    Combiner,
    UnitKey,
    coordinates,
)

_NAMES = {
    gl.GL_TEXTURE_1D: "1D",
    gl.GL_TEXTURE_2D: "2D",
    gl.GL_TEXTURE_RECTANGLE: "Rect",
    gl.GL_TEXTURE_3D: "3D",
    gl.GL_TEXTURE_CUBE_MAP: "Cube",
}
_FROM_ALPHA = (gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA)
_INVERTED = (gl.GL_ONE_MINUS_SRC_COLOR, gl.GL_ONE_MINUS_SRC_ALPHA)


class TextureStages:
    """The texture part of one program."""

    def __init__(
        self, b: Builder, units: tuple[UnitKey, ...], primary: SSADef, free: bool = False
    ) -> None:
        self.b = b
        self.free = free  # results are not clamped
        self.units = {item.unit: item for item in units}
        self.primary = primary
        self.previous = primary
        self._texels: dict[int, SSADef] = {}

    def texel(self, unit: int) -> SSADef:
        """The texel of a unit, read once; of a unit that is off: black, as the peer's."""
        if unit not in self.units:
            return self.b.imm_vec4(0.0, 0.0, 0.0, 1.0)
        if unit not in self._texels:
            self._texels[unit] = self._sample(self.units[unit])
        return self._texels[unit]

    def _sample(self, item: UnitKey) -> SSADef:
        b, dim = self.b, DIMENSIONS[item.target]
        coord = b.load_input(VARYING_SLOT_TEX0 + item.unit, coordinates(item))
        if item.projective:
            coord = coord * b.frcp(coord.w)
        srcs = {"coord": coord if coord.num_components == dim else coord[:dim]}
        if item.shadow:
            srcs["comparator"] = coord.z
        return b.tex(
            "tex",
            srcs,
            sampler_dim=_NAMES[item.target],
            is_shadow=item.shadow,
            texture_index=item.unit,
            sampler_index=item.unit,
        )

    def source(self, source: int, unit: int) -> SSADef:
        """What an argument is taken from, four components."""
        if source == gl.GL_TEXTURE:
            return self.texel(unit)
        if source == gl.GL_CONSTANT:
            return self.b.load_ubo(0, ValueBlock.offset(f"frag.tex_env_color[{unit}]"), 4)
        if source == gl.GL_PRIMARY_COLOR:
            return self.primary
        if source == gl.GL_PREVIOUS:
            return self.previous
        if source in (gl.GL_ZERO, gl.GL_ONE):
            return self.b.imm_vec4(*(float(source),) * 4)
        assert 0 <= source - gl.GL_TEXTURE0 < MAX_TEXTURE_UNITS, source
        return self.texel(source - gl.GL_TEXTURE0)

    def argument(self, pair: tuple[int, int], unit: int, size: int) -> SSADef:
        """An argument of `size` components."""
        source, operand = pair
        value = self.source(source, unit)
        if size == 1:
            value = value.w
        else:
            value = self.b.swizzle(value, (3, 3, 3)) if operand in _FROM_ALPHA else value.xyz
        return 1.0 - value if operand in _INVERTED else value

    def clamped(self, value: SSADef) -> SSADef:
        """A result, clamped unless colours of fragments are not."""
        return value if self.free else self.b.fsat(value)

    def combine(self, form: Combine, unit: int, size: int) -> SSADef:
        """A function's result, scaled and clamped."""
        b = self.b
        if form.function in DOT3:
            x, y = (self.argument(pair, unit, 3) - 0.5 for pair in form.arguments)
            dot = b.fdot3(x, y) * (4.0 * form.scale)
            return self.clamped(dot if size == 1 else b.vec(dot, dot, dot))
        args = [self.argument(pair, unit, size) for pair in form.arguments]
        value = _FUNCTIONS[form.function](args)
        return self.clamped(value * float(form.scale) if form.scale != 1 else value)

    def run(self, combiners: tuple[Combiner, ...]) -> SSADef:
        """The colour behind the last unit."""
        for item in combiners:
            rgb, alpha = self.previous.xyz, self.previous.w
            if item.rgb is not None:
                rgb = self.combine(item.rgb, item.unit, 3)
            if item.alpha is not None:
                alpha = self.combine(item.alpha, item.unit, 1)
            self.previous = self.b.vec(rgb, alpha)
        return self.previous


def _product(args: list[SSADef]) -> SSADef:
    return reduce(lambda x, y: x * y, args)


#: What the functions of a combination compute (GL 2.1, table 3.24, and the two extensions).
_FUNCTIONS = {
    gl.GL_REPLACE: lambda a: a[0],
    gl.GL_MODULATE: _product,
    gl.GL_ADD: lambda a: a[0] + a[1],
    gl.GL_ADD_SIGNED: lambda a: a[0] + a[1] - 0.5,
    gl.GL_INTERPOLATE: lambda a: a[0] * a[2] + a[1] * (1.0 - a[2]),
    gl.GL_SUBTRACT: lambda a: a[0] - a[1],
    gl.GL_MODULATE_ADD_ATI: lambda a: a[0] * a[2] + a[1],
    gl.GL_MODULATE_SIGNED_ADD_ATI: lambda a: a[0] * a[2] + a[1] - 0.5,
    gl.GL_MODULATE_SUBTRACT_ATI: lambda a: a[0] * a[2] - a[1],
    SUM4: lambda a: a[0] * a[1] + a[2] * a[3],
    SUM4_SIGNED: lambda a: a[0] * a[1] + a[2] * a[3] - 0.5,
}

__all__ = ["TextureStages"]
