# SPDX-License-Identifier: MIT
"""What of a key block decides the text of the fixed-function programs: two small frozen keys.

In: a ctypes view of a KeyBlock. Out: `VertexKey` and `FragmentKey`, canonical: state without effect
is neutral in them (light flags while lighting is off, formats of attributes that nobody reads), so
that different state blocks share programs, compiled code and cache entries. Counterpart of Mesa's
ffvertex_prog.c make_state_key and ff_fragment_shader.cpp's state_key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api import enums as gl
from pydri.main.layout import RECTANGLES, ValueBlock
from pydri.main.light.layout import (
    LIGHT_ATTENUATED,
    LIGHT_ENABLED,
    LIGHT_POSITIONAL,
    LIGHT_SPOT,
    MAX_LIGHTS,
)
from pydri.main.state.layout import (
    FRAGMENT_CLAMPED,
    FRAGMENT_FREE,
    SAMPLE_ALPHA_TO_COVERAGE,
    VERTEX_FREE,
)
from pydri.main.textures.layout import MAX_TEXTURE_UNITS, UNIT_MATRIX, UNIT_SPRITE
from pydri.nir.enums import (
    MAT_ATTRIB_MAX,
    VARYING_SLOT_BFC0,
    VARYING_SLOT_BFC1,
    VARYING_SLOT_CLIP_DIST0,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_EDGE,
    VARYING_SLOT_FOGC,
    VARYING_SLOT_POS,
    VARYING_SLOT_PSIZ,
    VARYING_SLOT_TEX0,
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR1,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_FOG,
    VERT_ATTRIB_MAT0,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_POINT_SIZE,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)
from pydri.pipe.format import FORMATS
from pydri.pipe.native import SHADER_VERTEX
from pydri.pipe.state import (
    RECT_L32F,
    RECT_R32F,
    RECT_RGBA8,
    RECT_RGBA32F,
    RECT_Z32F,
    ShaderInput,
)

if TYPE_CHECKING:
    from pydri.st.fixed.env import Combiner, UnitKey

# Material properties, in the order of MAT_ATTRIB_*: attribute 2 * property + face.
AMBIENT, DIFFUSE, SPECULAR, EMISSION, SHININESS = range(5)
NORMAL_PLAIN, NORMAL_RESCALE, NORMAL_UNIT = range(3)
FOG_NONE, FOG_EYE_Z, FOG_COORD, FOG_EYE_PLANE, FOG_EYE_RADIAL = range(5)
#: What fog is computed from while it follows the depth (NV_fog_distance).
_FOG_DISTANCES = {gl.GL_EYE_PLANE: FOG_EYE_PLANE, gl.GL_EYE_RADIAL_NV: FOG_EYE_RADIAL}
#: Bytes of the value block that fog in the fragment program reads.
FOG_RANGE = (ValueBlock.offset("frag.fog_color"), ValueBlock.offset("frag.fog_scale") + 4)
#: The polygon pattern's bytes, which follow those of fog.
STIPPLE_RANGE = (ValueBlock.offset("frag.stipple"), ValueBlock.offset("frag.stipple") + 128)

#: The properties that follow the current colour, by glColorMaterial's mode.
_TRACKED = {
    gl.GL_AMBIENT: (AMBIENT,),
    gl.GL_DIFFUSE: (DIFFUSE,),
    gl.GL_SPECULAR: (SPECULAR,),
    gl.GL_EMISSION: (EMISSION,),
    gl.GL_AMBIENT_AND_DIFFUSE: (AMBIENT, DIFFUSE),
}
_FACES = {gl.GL_FRONT: (0,), gl.GL_BACK: (1,), gl.GL_FRONT_AND_BACK: (0, 1)}
#: what of a fragment comes from a rectangle's image
IMAGES = {
    RECT_Z32F: "depth",
    **dict.fromkeys((RECT_RGBA8, RECT_RGBA32F, RECT_R32F, RECT_L32F), "color"),
}
#: Generation modes that read the normal.
_OF_NORMALS = (gl.GL_SPHERE_MAP, gl.GL_REFLECTION_MAP, gl.GL_NORMAL_MAP)
_FOG_MODES = {gl.GL_LINEAR: 1, gl.GL_EXP: 2, gl.GL_EXP2: 3}


class LightingKey(NamedTuple):
    """Lighting as it selects code (GL 2.1, 2.14)."""

    lights: tuple[tuple[int, int], ...]  # (number, LIGHT_* bits) of the enabled ones
    local_viewer: bool
    two_side: bool
    separate_specular: bool
    specular: int  # bit a face: the face's specular material may be other than black
    tracked: int  # bit a MAT_ATTRIB: follows the colour
    varying: int  # bit a MAT_ATTRIB: comes with each vertex


class TexCoordKey(NamedTuple):
    """A texture coordinate set that is passed on."""

    unit: int
    matrix: bool  # multiplied by the texture matrix
    modes: tuple[int, ...] = (0, 0, 0, 0)  # generation of s, t, r, q; 0: from the vertex


class ReadUnit(NamedTuple):
    """A unit whose coordinates somebody reads, be it no fixed-function fragment program: the field
    of UnitKey that vertices want to know."""

    unit: int


class VertexKey(NamedTuple):
    """The text of a fixed-function vertex program."""

    inputs: int  # attribute slots that vary; the others are read from the value block
    position_size: int  # components that memory gives
    lighting: LightingKey | None
    clamp: int  # unlit colours that may be out of [0, 1]: bit 0 primary, bit 1 secondary
    color: bool
    secondary: bool  # COL1 is written
    fog: int  # FOG_*
    clip_planes: int
    point_size: bool  # it is written
    texcoords: tuple[TexCoordKey, ...]
    edge: bool = False  # the edge flag is passed on
    normal: int = NORMAL_PLAIN  # what is done to transformed normals, if there are any
    free: bool = False  # lit colours are not clamped (`clamp` says it of others)
    attenuated: bool = False  # how large points are depends on their distance


class FragmentKey(NamedTuple):
    """The text of a fixed-function fragment program."""

    color: bool  # someone looks at the colour
    secondary: bool  # colour sum
    fog: int  # 0 off, 1 linear, 2 exp, 3 exp2
    stipple: int = 0  # polygon stipple: 1 of front faces, 2 of back faces (those that are filled)
    image: str = ""  # of a rectangle: "color" or "depth"
    units: tuple[UnitKey, ...] = ()  # whose textures are read
    combiners: tuple[Combiner, ...] = ()
    clamping: int = 0  # FRAGMENT_FREE, FRAGMENT_CLAMPED


def channels(format: int) -> int:
    """Components that a vertex format gives; 0: the attribute is constant."""
    return len(FORMATS[format].channels)


def _may_exceed(key: Any, slot: int) -> bool:
    """Whether an attribute's numbers may be outside of [0, 1]: all but unsigned normalised ones."""
    row = FORMATS[key.attrib_format[slot]]
    return not row.channels or any(kind != "un" for kind, _ in row.channels)


def _lighting(key: Any) -> LightingKey:
    light = key.light
    mask = LIGHT_ENABLED | LIGHT_POSITIONAL | LIGHT_SPOT
    lights = []
    for n in range(MAX_LIGHTS):
        flags = light.flags[n]
        if flags & LIGHT_ENABLED:
            # distance means something for positional lights only, the cone for all (GL 2.1, 2.14.1)
            extra = LIGHT_ATTENUATED if flags & LIGHT_POSITIONAL else 0
            lights.append((n, flags & (mask | extra)))
    two_side = bool(light.two_side) and key.prim == 2
    faces = (0, 1) if two_side else (0,)
    used = sum(1 << 2 * prop + face for prop in range(SHININESS + 1) for face in faces)
    tracked = 0
    if light.color_material:
        tracked = sum(
            1 << 2 * prop + face
            for prop in _TRACKED.get(light.color_material_mode, ())
            for face in _FACES.get(light.color_material_face, ())
        )
    varying = sum(
        1 << n for n in range(MAT_ATTRIB_MAX) if key.attrib_format[VERT_ATTRIB_MAT0 + n]
    )
    specular = light.specular
    for face in faces:
        if (tracked | varying) >> 2 * SPECULAR + face & 1:
            specular |= 1 << face
    specular &= 3 if two_side else 1
    if not lights:
        specular, used = 0, used & ~sum(3 << 2 * prop for prop in (SPECULAR, SHININESS))
    for face in faces:
        if not specular >> face & 1:
            used &= ~(1 << 2 * SHININESS + face | 1 << 2 * SPECULAR + face)
    some = bool(specular)
    return LightingKey(
        tuple(lights),
        bool(light.local_viewer) and some,
        two_side,
        bool(light.separate_specular) and some,
        specular,
        tracked & used,
        varying & used & ~tracked,
    )


def _inputs(key: Any, wanted: int) -> int:
    return sum(1 << n for n, f in enumerate(key.attrib_format) if f and wanted >> n & 1)


def needs_color(key: Any) -> bool:
    """Whether a fragment's colour has an effect: it is written, or alpha is tested."""
    tested = bool(key.alpha_test) and key.alpha_func != gl.GL_ALWAYS
    covers = key.samples > 1 and key.multisample and key.sample_flags & SAMPLE_ALPHA_TO_COVERAGE
    formats = key.color_format or any(key.other_formats)
    return bool(formats and key.color_mask) or tested or bool(covers)


def fragment_key(key: Any) -> FragmentKey:
    """The canonical fragment key of a key block."""
    image = IMAGES.get(key.prim - RECTANGLES, "") if key.prim >= RECTANGLES else ""
    faces = (key.polygon_front == gl.GL_FILL) | (key.polygon_back == gl.GL_FILL) << 1
    stipple = faces if key.polygon_stipple and key.prim == 2 else 0
    if not needs_color(key):
        return FragmentKey(False, False, 0, stipple, image if image == "depth" else "")
    if key.prim >= RECTANGLES:  # their secondary colour is that of the raster position
        lit = key.light.lighting and key.light.separate_specular
        secondary = bool(key.color_sum or lit)
    elif key.stages[SHADER_VERTEX]:  # what a shader wrote is added where fixed function's were
        secondary = bool(key.color_sum or key.light.lighting and key.light.separate_specular)
    elif key.light.lighting:
        secondary = _lighting(key).separate_specular
    else:
        secondary = bool(key.color_sum)
    fog = _FOG_MODES.get(key.fog_mode, 0) if key.fog else 0
    clamping = key.clamping & (FRAGMENT_FREE | FRAGMENT_CLAMPED)
    plain = FragmentKey(True, secondary, fog, stipple, image, clamping=clamping)
    if not any(unit.target for unit in key.tex):
        return plain
    from pydri.st.fixed.env import stages  # programs without textures start without it

    units, combiners = stages(key, _coordinates(key))
    return plain._replace(units=units, combiners=combiners)


def _coordinates(key: Any) -> list[int]:
    """Components of each unit's texture coordinates that vary; rectangles have all four, and so may
    vertex shaders.
    """
    if key.prim >= RECTANGLES or key.stages[SHADER_VERTEX]:
        return [4] * MAX_TEXTURE_UNITS
    return [
        channels(key.attrib_format[VERT_ATTRIB_TEX0 + unit]) for unit in range(MAX_TEXTURE_UNITS)
    ]


def _texcoords(key: Any, fragment: FragmentKey) -> tuple[TexCoordKey, ...]:
    """How texture coordinates of the units in use are generated, one row a unit. Units whose
    coordinates the rasteriser replaces on points (ARB_point_sprite) are left out.
    """
    if not fragment.units:
        return ()
    from pydri.st.fixed.env import gen_modes

    out = []
    for item in fragment.units:
        unit = key.tex[item.unit]
        if unit.flags & UNIT_SPRITE and key.point_sprite and key.prim == 0:
            continue
        out.append(TexCoordKey(item.unit, bool(unit.flags & UNIT_MATRIX), gen_modes(unit)))
    return tuple(out)


def _normal(key: Any, used: bool) -> int:
    if not used:
        return NORMAL_PLAIN
    if key.light.normalize:
        return NORMAL_UNIT
    return NORMAL_RESCALE if key.light.rescale_normal else NORMAL_PLAIN


def vertex_key(key: Any, fragment: FragmentKey) -> VertexKey:
    """The canonical vertex key of a key block whose fragment program is `fragment`."""
    wanted = 1 << VERT_ATTRIB_POS
    lit = _lighting(key) if key.light.lighting and fragment.color else None
    clamp = 0
    if lit is not None:
        wanted |= (1 << VERT_ATTRIB_NORMAL) if lit.lights else 0
        wanted |= (1 << VERT_ATTRIB_COLOR0) if lit.tracked else 0
        wanted |= lit.varying << VERT_ATTRIB_MAT0
    elif fragment.color:
        wanted |= 1 << VERT_ATTRIB_COLOR0
        clamp |= int(_may_exceed(key, VERT_ATTRIB_COLOR0))
        if fragment.secondary:
            wanted |= 1 << VERT_ATTRIB_COLOR1
            clamp |= int(_may_exceed(key, VERT_ATTRIB_COLOR1)) << 1
        clamp = 0 if key.clamping & VERTEX_FREE else clamp
    fog = FOG_NONE
    if fragment.fog:
        if key.fog_coord_src == gl.GL_FOG_COORDINATE:
            fog = FOG_COORD
        else:
            fog = _FOG_DISTANCES.get(key.fog_distance_mode, FOG_EYE_Z)
        wanted |= (1 << VERT_ATTRIB_FOG) if fog == FOG_COORD else 0
    texcoords = _texcoords(key, fragment)
    mapped = any(mode in _OF_NORMALS for item in texcoords for mode in item.modes)
    wanted |= (1 << VERT_ATTRIB_NORMAL) if mapped else 0
    for item in texcoords:
        if not all(item.modes):
            wanted |= 1 << VERT_ATTRIB_TEX0 + item.unit
    edge = has_unfilled(key)
    wanted |= (1 << VERT_ATTRIB_EDGEFLAG) if edge else 0
    attenuated = bool(key.point_attenuated) and has_points(key)
    wanted |= (1 << VERT_ATTRIB_POINT_SIZE) if has_points(key) else 0
    inputs = _inputs(key, wanted)
    point_size = attenuated or bool(inputs >> VERT_ATTRIB_POINT_SIZE & 1)
    return VertexKey(
        inputs,
        channels(key.attrib_format[VERT_ATTRIB_POS]) or 4,
        lit,
        clamp,
        fragment.color,
        fragment.secondary,
        fog,
        key.clip_planes,
        point_size,
        texcoords,
        edge,
        _normal(key, mapped or lit is not None and bool(lit.lights)),
        lit is not None and bool(key.clamping & VERTEX_FREE),
        attenuated,
    )


def has_unfilled(key: Any) -> bool:
    """Whether polygons may be drawn as lines or points."""
    return key.prim == 2 and {key.polygon_front, key.polygon_back} != {gl.GL_FILL}


def has_points(key: Any) -> bool:
    if key.prim == 0:
        return True
    return key.prim == 2 and gl.GL_POINT in (key.polygon_front, key.polygon_back)


# -- what the programs of a key read and write, without building them ------------------------------


def vertex_outputs(key: VertexKey) -> tuple[int, ...]:
    """The VARYING_SLOTs that the program of a key writes, in ascending order."""
    out = {VARYING_SLOT_POS}
    two_side = key.lighting is not None and key.lighting.two_side
    if key.color:
        out |= {VARYING_SLOT_COL0} | ({VARYING_SLOT_BFC0} if two_side else set())
    if key.secondary:
        out |= {VARYING_SLOT_COL1} | ({VARYING_SLOT_BFC1} if two_side else set())
    if key.fog != FOG_NONE:
        out.add(VARYING_SLOT_FOGC)
    for half in (0, 1):
        if key.clip_planes >> 4 * half & 15:
            out.add(VARYING_SLOT_CLIP_DIST0 + half)
    if key.point_size:
        out.add(VARYING_SLOT_PSIZ)
    if key.edge:
        out.add(VARYING_SLOT_EDGE)
    out |= {VARYING_SLOT_TEX0 + item.unit for item in key.texcoords}
    return tuple(sorted(out))


def fragment_inputs(key: FragmentKey) -> tuple[ShaderInput, ...]:
    """What the program of a key reads; colours follow the shade model."""
    out = []
    if key.color and key.image != "color":
        out.append(ShaderInput(VARYING_SLOT_COL0, 4, "color"))
    if key.secondary:
        out.append(ShaderInput(VARYING_SLOT_COL1, 3, "color"))
    if key.fog:
        out.append(ShaderInput(VARYING_SLOT_FOGC, 1))
    if key.units:
        from pydri.st.fixed.env import coordinates

        out += [ShaderInput(VARYING_SLOT_TEX0 + u.unit, coordinates(u)) for u in key.units]
    return tuple(out)


def _env_colors(key: FragmentKey) -> list[tuple[int, int]]:
    """The bytes of the environment colours that are read."""
    ranges = []
    for item in key.combiners:
        forms = [form for form in (item.rgb, item.alpha) if form is not None]
        if any(source == gl.GL_CONSTANT for form in forms for source, _ in form.arguments):
            first = ValueBlock.offset(f"frag.tex_env_color[{item.unit}]")
            ranges.append((first, first + 16))
    return ranges


def const_range(key: FragmentKey) -> tuple[int, int]:
    """Bytes [low, high) of the value block that the program reads."""
    ranges = _env_colors(key)
    ranges += [STIPPLE_RANGE] if key.stipple else []
    ranges += [FOG_RANGE] if key.fog else []
    if not ranges:
        return 0, 0
    return min(low for low, _ in ranges), max(high for _, high in ranges)


__all__ = [
    "AMBIENT", "DIFFUSE", "EMISSION", "FOG_COORD", "FOG_EYE_PLANE", "FOG_EYE_RADIAL", "FOG_EYE_Z",
    "FOG_NONE", "FragmentKey", "IMAGES", "NORMAL_PLAIN", "NORMAL_RESCALE", "NORMAL_UNIT",
    "LightingKey", "ReadUnit", "SHININESS", "SPECULAR", "TexCoordKey", "VertexKey", "channels",
    "const_range", "fragment_inputs", "fragment_key", "has_points", "has_unfilled", "needs_color",
    "vertex_key", "vertex_outputs",
]
