# SPDX-License-Identifier: MIT
"""Texture units as they select code in fixed-function programs: canonical keys.

In: the TexUnitKeys of a key block. Out: for each unit that is on a `UnitKey` (how it is sampled)
and a `Combiner` (what becomes of the texel): the modes of GL 1.x and GL_COMBINE are one form, so
programs that say the same in both ways share code. What a function does not read is not in its key.
GL 2.1, 3.8.13 (tables 3.21 to 3.24), NV_texture_env_combine4,
ATI_texture_env_combine3. Counterpart of the texenv part of Mesa's ff_fragment_shader.cpp state_key.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pydri.api import enums as gl
from pydri.main.textures.layout import (
    MAX_TEXTURE_UNITS,
    UNIT_MATRIX,
    UNIT_SHADOW,
    UNIT_SPRITE,
)
from pydri.main.textures.tables import (
    BASE_FORMATS,
    ENV_BASE,
    ENV_BASE_WIDTH,
    GEN_MODES,
    TARGETS,
    unpack,
)

#: Coordinates that an effective target's texels are found by.
DIMENSIONS = {
    gl.GL_TEXTURE_1D: 1,
    gl.GL_TEXTURE_2D: 2,
    gl.GL_TEXTURE_RECTANGLE: 2,
    gl.GL_TEXTURE_3D: 3,
    gl.GL_TEXTURE_CUBE_MAP: 3,
}
#: Functions of GL_COMBINE by the number of their arguments.
_COUNTS = {
    gl.GL_REPLACE: 1,
    gl.GL_INTERPOLATE: 3,
    gl.GL_MODULATE_ADD_ATI: 3,
    gl.GL_MODULATE_SIGNED_ADD_ATI: 3,
    gl.GL_MODULATE_SUBTRACT_ATI: 3,
}
#: Sums of two products, of four arguments (NV_texture_env_combine4).
SUM4, SUM4_SIGNED = -1, -2
_SUMS4 = {gl.GL_ADD: SUM4, gl.GL_ADD_SIGNED: SUM4_SIGNED}
DOT3 = (gl.GL_DOT3_RGB, gl.GL_DOT3_RGBA, gl.GL_DOT3_RGB_EXT, gl.GL_DOT3_RGBA_EXT)
DOT3_RGBA = (gl.GL_DOT3_RGBA, gl.GL_DOT3_RGBA_EXT)
_UNSCALED = (gl.GL_DOT3_RGB_EXT, gl.GL_DOT3_RGBA_EXT)  # EXT_texture_env_dot3


class UnitKey(NamedTuple):
    """How a unit's texture is read."""

    unit: int
    target: int  # GL_TEXTURE_1D ..
    projective: bool  # coordinates are divided by q
    shadow: bool  # the texture compares r with depths


class Combine(NamedTuple):
    """A function of arguments, each (source, operand) as GL enums."""

    function: int
    arguments: tuple[tuple[int, int], ...]
    scale: int = 1


class Combiner(NamedTuple):
    """What a unit makes of its texel and of the colour before it; None: that colour's part."""

    unit: int
    rgb: Combine | None
    alpha: Combine | None


_PREVIOUS, _TEXEL, _CONSTANT = gl.GL_PREVIOUS, gl.GL_TEXTURE, gl.GL_CONSTANT
_COLOR, _ALPHA = gl.GL_SRC_COLOR, gl.GL_SRC_ALPHA


def coordinates(item: UnitKey) -> int:
    """How many components of a unit's texture coordinates the fragment program reads."""
    if item.projective:
        return 4
    return 3 if item.shadow else DIMENSIONS[item.target]


def _form(operand: int, function: int, *sources: int) -> Combine:
    return Combine(function, tuple((source, operand) for source in sources))


def _blend(source: int, by: int, operand: int, by_operand: int) -> Combine:
    """source * by + previous * (1 - by)."""
    arguments = ((source, operand), (_PREVIOUS, operand), (by, by_operand))
    return Combine(gl.GL_INTERPOLATE, arguments)


def _plain(mode: int, base: int) -> tuple[Combine | None, Combine | None]:
    """The functions of the modes of GL 1.1 and of GL_ADD, by base format (tables 3.21, 3.22)."""
    color = base != gl.GL_ALPHA  # the texture has a colour
    alpha = base not in (gl.GL_RGB, gl.GL_LUMINANCE)
    if mode == gl.GL_DECAL:  # undefined for others than RGB and RGBA: they are left out
        if base == gl.GL_RGB:
            return _form(_COLOR, gl.GL_REPLACE, _TEXEL), None
        rgb = _blend(_TEXEL, _TEXEL, _COLOR, _ALPHA) if base == gl.GL_RGBA else None
        return rgb, None
    modulated = _form(_ALPHA, gl.GL_MODULATE, _PREVIOUS, _TEXEL)
    if mode == gl.GL_REPLACE:
        pair = _form(_COLOR, gl.GL_REPLACE, _TEXEL), _form(_ALPHA, gl.GL_REPLACE, _TEXEL)
    elif mode == gl.GL_BLEND:
        rgb = _blend(_CONSTANT, _TEXEL, _COLOR, _COLOR)
        mixed = _blend(_CONSTANT, _TEXEL, _ALPHA, _ALPHA)
        pair = rgb, mixed if base == gl.GL_INTENSITY else modulated
    elif mode == gl.GL_ADD:
        added = _form(_ALPHA, gl.GL_ADD, _PREVIOUS, _TEXEL)
        rgb = _form(_COLOR, gl.GL_ADD, _PREVIOUS, _TEXEL)
        pair = rgb, added if base == gl.GL_INTENSITY else modulated
    else:
        pair = _form(_COLOR, gl.GL_MODULATE, _PREVIOUS, _TEXEL), modulated
    return pair[0] if color else None, pair[1] if alpha else None


def _combined(env: dict[str, list[float]], part: str) -> Combine:
    function = int(env[f"combine_{part}"][0])
    count = _COUNTS.get(function, 2)
    if env["mode"][0] == gl.GL_COMBINE4_NV and function in _SUMS4:
        function, count = _SUMS4[function], 4
    sources, operands = env[f"source_{part}"], env[f"operand_{part}"]
    scale = 1 if function in _UNSCALED else int(env[f"scale_{part}"][0])
    pairs = tuple((int(s), int(o)) for s, o in zip(sources[:count], operands[:count]))
    return Combine(function, pairs, scale)


def combiner(unit: int, packed: int) -> Combiner:
    """The canonical combiner of a unit's packed environment."""
    base = BASE_FORMATS[packed >> ENV_BASE & (1 << ENV_BASE_WIDTH) - 1]
    env = unpack(packed, base)
    mode = int(env["mode"][0])
    if mode not in (gl.GL_COMBINE, gl.GL_COMBINE4_NV):
        return Combiner(unit, *_plain(mode, base))
    rgb = _combined(env, "rgb")
    if rgb.function in DOT3_RGBA:  # its alpha is the product, by alpha's own scale
        scale = 1 if rgb.function in _UNSCALED else int(env["scale_alpha"][0])
        return Combiner(unit, rgb, rgb._replace(scale=scale))
    return Combiner(unit, rgb, _combined(env, "alpha"))


def _samples(item: Combiner) -> set[int]:
    """The units whose texels a combiner reads."""
    units = set()
    for part in (item.rgb, item.alpha):
        for source, _ in part.arguments if part else ():
            if source == _TEXEL:
                units.add(item.unit)
            elif gl.GL_TEXTURE0 <= source < gl.GL_TEXTURE0 + MAX_TEXTURE_UNITS:
                units.add(source - gl.GL_TEXTURE0)
    return units


def gen_modes(unit: Any) -> tuple[int, ...]:
    """The generation modes of s, t, r, q of a TexUnitKey; 0 where there is none."""
    codes = [unit.texgen >> 3 * k & 7 for k in range(4)]
    return tuple(GEN_MODES[code - 1] if code else 0 for code in codes)


def _unit_key(key: Any, number: int, varying: int) -> UnitKey:
    """`varying`: components that vertices give; 0: the current value, all four."""
    unit = key.tex[number]
    target = TARGETS[unit.target - 1]
    generated = gen_modes(unit)[3]
    whole = bool(unit.flags & UNIT_MATRIX) or bool(generated) or varying in (0, 4)
    sprite = unit.flags & UNIT_SPRITE and key.point_sprite and key.prim == 0
    projective = whole and not sprite and target != gl.GL_TEXTURE_CUBE_MAP
    return UnitKey(number, target, projective, bool(unit.flags & UNIT_SHADOW))


def stages(key: Any, varying: list[int]) -> tuple[tuple[UnitKey, ...], tuple[Combiner, ...]]:
    """The units whose textures are read, and the combiners in the order of units.

    `varying`: for each unit's coordinates how many components vertices give. A combiner that leaves
    the colour as it is is left out, and so is a texture that none reads."""
    on = [n for n in range(MAX_TEXTURE_UNITS) if key.tex[n].target]
    combiners = [combiner(n, key.tex[n].env) for n in on]
    combiners = [item for item in combiners if item.rgb is not None or item.alpha is not None]
    read: set[int] = set()
    for item in combiners:
        read |= _samples(item)
    units = tuple(_unit_key(key, n, varying[n]) for n in on if n in read)
    return units, tuple(combiners)


__all__ = ["Combine", "Combiner", "UnitKey", "combiner", "coordinates", "gen_modes", "stages"]
