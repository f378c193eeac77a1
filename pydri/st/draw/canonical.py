# SPDX-License-Identifier: MIT
"""The canonical key block: what has no effect is zero in it.

In: the key block as entry points wrote it. Out: a copy in which everything that a disabled
function, another state or the primitive makes ineffective is zero. Two key blocks that mean the
same are thus mostly the same bytes, so that the table of plans holds a meaning once and a program
that changes what is switched off never asks for a plan that is not there. Whatever is zero here is
what pydri/st/draw/pipeline_state.py ignores too: a key block and its canonical form have one
pipeline (tests/unit/st/test_canonical.py). Counterpart of Mesa's cso_hash of canonical templates
(st_atom_blend.c and its like)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import boolean, kernel, ptr, u8, u16, u32, u64, void
from pydri.main.feedback.layout import FEEDBACK, RENDER
from pydri.main.layout import RECTANGLES, KeyBlock, blend_of
from pydri.main.light.layout import LIGHT_ATTENUATED, LIGHT_ENABLED, LIGHT_POSITIONAL, LightKey
from pydri.main.shaders.layout import READS_FLAT
from pydri.main.state.layout import (
    SAMPLE_ALPHA_TO_COVERAGE,
    SAMPLE_COVERAGE,
    SAMPLE_MASK,
    VERTEX_FREE,
    BlendKey,
    StencilKey,
)
from pydri.main.textures.layout import (
    MAX_TEXTURE_UNITS,
    UNIT_MATRIX,
    UNIT_SPRITE,
    TexUnitKey,
)
from pydri.nir.enums import (
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_FOGC,
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
from pydri.nir.stages import CHAIN, VARYINGS
from pydri.pipe.format import FORMATS, TARGET, Format, linear
from pydri.pipe.native import MAX_ATTRIBS, MAX_TARGETS, SHADER_FRAGMENT, SHADER_VERTEX

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.pipe.native import Surface

KEY = ptr(KeyBlock)
_DEPTH, _STENCIL, _SRGB = 1, 2, 4


def _facts() -> list[int]:
    """Of each format: whether it holds depth, stencil, sRGB-encoded numbers."""
    out = []
    for row in FORMATS:
        depth = row.kind == "zs" and row.swizzle[0] == "0"
        stencil = row.kind == "zs" and any(kind == "us" for kind, _ in row.channels)
        out.append(_DEPTH * depth | _STENCIL * stencil | _SRGB * row.srgb)
    return out


def _linear(row: Format) -> int:
    """The number of what a target's format is a view of; of what is no target its own."""
    return linear(row).number if row.uses & TARGET else row.number


def _zero_unless(b: Builder, block: Operand, wanted: Any, names: Iterable[str]) -> None:
    """Emit: fields that count only where `wanted` holds."""
    for name in names:
        value = getattr(block, name)
        setattr(block, name, b.select(wanted, value, b.const(value.ty, 0)))


def _has(key: Any, stage: int) -> Any:
    """Whether a program has a stage; else fixed function does its work, if there is any."""
    return key.stages[stage] != 0


def _flag(b: Builder, value: Operand) -> Any:
    return b.cast(value, u8)


def _clear(b: Builder, place: Any, size: int) -> None:
    b.memset(place.cast(ptr(u8)), 0, b.const(u64, size))


def _format_places(key: Any) -> list[Any]:
    """Where the formats of all targets lie."""
    return [key.addr("color_format"), *(key.other_formats + n for n in range(MAX_TARGETS - 1))]


def _formats(b: Builder, key: Any) -> Any:
    """Targets: without GL_FRAMEBUFFER_SRGB views are what they are views of; targets that nothing
    is written to are none. Returns whether a colour is written."""
    plain = b.table(u8, [_linear(row) for row in FORMATS])
    encodes, none, mask = key.framebuffer_srgb != 0, b.const(u8, 0), key.color_mask
    written = b.const(u32, 0)
    for n, place in enumerate(_format_places(key)):
        given = place.load()
        view = b.select(encodes, given, plain[b.cast(given, u32)])
        bits = b.select(view != 0, mask & (15 << 4 * n), 0)
        written = written | bits
        # the first one's alpha may be tested though nothing is written
        place.store(view if n == 0 else b.select(bits != 0, view, none))
    key.color_mask = written
    return written != 0


def _encoding(b: Builder, key: Any) -> None:
    """GL_FRAMEBUFFER_SRGB counts where a target is a view."""
    facts, srgb = b.table(u8, _facts()), b.const(boolean, 0)
    for place in _format_places(key):
        srgb = srgb | ((facts[b.cast(place.load(), u32)] & _SRGB) != 0)
    _zero_unless(b, key, srgb, ["framebuffer_srgb"])


_FUNCTIONS = (("eq_rgb", "src_rgb", "dst_rgb"), ("eq_alpha", "src_alpha", "dst_alpha"))


def _reduced(b: Builder, own: Operand) -> Value:
    """Factors that no equation uses become zero. Returns whether blending with these is none."""
    neutral = b.const(boolean, 1)
    for equation, source, destination in _FUNCTIONS:
        eq, src, dst = (getattr(own, name) for name in (equation, source, destination))
        neutral = neutral & (eq == gl.GL_FUNC_ADD) & (src == gl.GL_ONE) & (dst == gl.GL_ZERO)
        factorless = (eq == gl.GL_MIN) | (eq == gl.GL_MAX)
        _zero_unless(b, own, ~factorless, [source, destination])
    return neutral


def _blending(b: Builder, key: Any, written: Operand) -> None:
    _zero_unless(b, key, written, ["color_logic_op"])
    logic = key.color_logic_op != 0
    copies = key.logic_op == gl.GL_COPY
    key.color_logic_op = _flag(b, logic & ~copies)
    _zero_unless(b, key, logic & ~copies, ["logic_op"])
    blends, mask, apart = blend_of(key, 0), key.color_mask, key.blend_apart != 0
    found = b.const(u8, 0)
    for n in range(MAX_TARGETS):
        own = blends + n
        neutral = _reduced(b, own)
        if n == 0:
            first = neutral
        else:
            neutral = b.select(apart, neutral, first)
        on = ((mask >> 4 * n) & 15) != 0
        on = on & ~logic & ((key.blend & (1 << n)) != 0) & ~neutral
        found = found | b.select(on, b.const(u8, 1 << n), b.const(u8, 0))
        if n:
            _zero_unless(b, own, on & apart, BlendKey.fields)
    key.blend = found
    some = b.select(apart, found & 1, found) != 0
    _zero_unless(b, blends, some, BlendKey.fields)
    _zero_unless(b, key, (found & 0xFE) != 0, ["blend_apart"])


def _stencil(b: Builder, key: Any, on: Any, depth: Operand, filled: Any) -> None:
    """Front and back; the back of EXT_stencil_two_side moves to where the other one lies."""
    key.stencil_test = _flag(b, on)
    two_side = key.stencil_two_side != 0
    for name in StencilKey.fields:
        back = b.select(two_side, getattr(key.stencil[2], name), getattr(key.stencil[1], name))
        setattr(key.stencil[1], name, b.select(filled, back, b.const(u16, 0)))
    key.stencil_two_side = 0
    _clear(b, key.stencil + 2, StencilKey.size)
    keep = b.const(u16, gl.GL_KEEP)
    for n in range(2):
        side = key.stencil[n]
        func = side.func
        passes = func != gl.GL_NEVER
        here = on if n == 0 else on & filled
        side.fail = b.select(func == gl.GL_ALWAYS, keep, side.fail)
        side.zfail = b.select(depth & passes, side.zfail, keep)
        side.zpass = b.select(passes, side.zpass, keep)
        _zero_unless(b, side, here, StencilKey.fields)


def _depth_and_stencil(b: Builder, key: Any) -> None:
    facts = b.table(u8, _facts())[b.cast(key.zs_format, u32)]
    facts = facts & ~(key.zs_hidden >> 1)  # CLEAR_DEPTH and CLEAR_STENCIL are twice these bits
    key.zs_hidden = 0
    func = key.depth_func
    write = (key.depth_mask != 0) & (func != gl.GL_NEVER)
    on = ((facts & _DEPTH) != 0) & (key.depth_test != 0) & ((func != gl.GL_ALWAYS) | write)
    key.depth_test, key.depth_mask = _flag(b, on), _flag(b, on & write)
    _zero_unless(b, key, on, ["depth_func"])
    stencil = ((facts & _STENCIL) != 0) & (key.stencil_test != 0)
    _stencil(b, key, stencil, on, key.prim == 2)


def _samples(b: Builder, key: Any) -> Any:
    """Several samples: whether antialiasing of lines and polygons is what draws them smooth."""
    several = key.samples > 1
    _zero_unless(b, key, several, ["samples", "multisample"])
    flags = key.sample_flags  # two ways to have one mask
    masked = b.select((flags & SAMPLE_MASK) != 0, flags | SAMPLE_COVERAGE, flags)
    key.sample_flags = masked & ~b.const(u8, SAMPLE_MASK)
    _zero_unless(b, key, key.multisample != 0, ["sample_flags"])
    return key.multisample == 0


def _primitives(b: Builder, key: Any, color: Pointer, smooth: Operand) -> None:
    """What belongs to other primitives."""
    prim = key.prim
    points, lines, filled = prim == 0, prim == 1, prim == 2
    modes = [key.polygon_front, key.polygon_back]

    def has(mode: int) -> Pointer:
        return filled & ((modes[0] == mode) | (modes[1] == mode))

    _zero_unless(b, key, lines | has(gl.GL_LINE), ["line_stipple"])
    _zero_unless(b, key, smooth & (lines | has(gl.GL_LINE)), ["line_smooth"])
    _zero_unless(b, key, smooth & has(gl.GL_FILL), ["polygon_smooth"])
    drawn = points | has(gl.GL_POINT)
    _zero_unless(b, key, drawn, ["point_sprite", "point_attenuated"])
    _zero_unless(b, key, ~_has(key, SHADER_VERTEX), ["point_attenuated"])
    _zero_unless(b, key, drawn & _has(key, SHADER_VERTEX), ["program_point_size"])
    _zero_unless(b, key, filled & _has(key, SHADER_VERTEX), ["program_two_side"])
    _zero_unless(b, key, drawn & (key.point_sprite == 0), ["point_smooth"])
    _zero_unless(b, key, has(gl.GL_FILL), ["polygon_stipple"])
    _zero_unless(b, key, filled, ["polygon_front", "polygon_back"])
    flat = color & (lines | filled) & (key.shade_model == gl.GL_FLAT)
    _zero_unless(b, key, flat, ["shade_model"])
    inputs = _has(key, SHADER_FRAGMENT) & ((key.varyings_read & READS_FLAT) != 0)
    first = (flat | inputs & (prim < RECTANGLES)) & (key.provoking == gl.GL_FIRST_VERTEX_CONVENTION)
    _zero_unless(b, key, first, ["provoking"])
    _zero_unless(b, key, prim < RECTANGLES, ["clip_planes", "depth_clamp"])


def _programs(b: Builder, key: Any) -> None:
    """What the stages of a program do themselves. Of lighting fixed-function fragments want to know
    whether there is a second colour.
    """
    for row in CHAIN:
        if row.outputs.kind == VARYINGS:  # rectangles have no vertices
            place = key.stages + row.number
            place.store(b.select(key.prim < RECTANGLES, place.load(), b.const(u32, 0)))
    shaded, coloured = _has(key, SHADER_VERTEX), _has(key, SHADER_FRAGMENT)
    _zero_unless(b, key, shaded, ["attribs_read"])
    _zero_unless(b, key, coloured, ["varyings_read"])
    light = key.light
    apart = shaded & (light.lighting != 0) & (light.separate_specular != 0)
    key.color_sum = b.select(apart, b.const(u8, 1), key.color_sum)
    _zero_unless(b, key, ~coloured, ["color_sum", "fog"])
    _zero_unless(b, light, ~shaded, [name for name in LightKey.fields if name != "flags"])
    with b.If(shaded):
        _clear(b, light.flags, 8)


def _reads(key: Any, *slots: int) -> Any:
    """Whether the fragment shader reads one of these varyings."""
    return (key.varyings_read & sum(1 << slot for slot in slots)) != 0


def _fog(b: Builder, key: Any, color: Pointer) -> Any:
    """Returns whether the fog coordinate is an attribute that is read."""
    mode = key.fog_mode
    known = (mode == gl.GL_LINEAR) | (mode == gl.GL_EXP) | (mode == gl.GL_EXP2)
    on = color & (key.fog != 0) & known
    key.fog = _flag(b, on)
    drawn = (key.prim < RECTANGLES) & ~_has(key, SHADER_VERTEX)
    drawn = drawn & (on | _reads(key, VARYING_SLOT_FOGC))
    _zero_unless(b, key, on, ["fog_mode"])
    given = drawn & (key.fog_coord_src == gl.GL_FOG_COORDINATE)
    _zero_unless(b, key, given, ["fog_coord_src"])
    distance = key.fog_distance_mode
    special = (distance == gl.GL_EYE_PLANE) | (distance == gl.GL_EYE_RADIAL_NV)
    _zero_unless(b, key, drawn & ~given & special, ["fog_distance_mode"])
    return given


def _textures(b: Builder, key: Any, color: Pointer) -> tuple[Any, Any]:
    """Units that are off. Returns the attribute slots of the coordinates that may be read, and
    whether coordinates are generated, for which there may have to be a normal."""
    wanted, generated = b.const(u64, 0), b.const(boolean, 0)
    drawn = (key.prim < RECTANGLES) & ~_has(key, SHADER_VERTEX)
    plain = b.select(~_has(key, SHADER_VERTEX), b.const(u8, 0xFF), b.const(u8, 0xFF & ~UNIT_MATRIX))
    for unit in range(MAX_TEXTURE_UNITS):
        tex = key.tex[unit]
        wants = b.select(_has(key, SHADER_FRAGMENT), _reads(key, VARYING_SLOT_TEX0 + unit), color)
        on = wants & (tex.target != 0)
        tex.flags = tex.flags & plain
        _zero_unless(b, tex, ~_has(key, SHADER_VERTEX), ["texgen"])
        slot = b.const(u64, 1 << VERT_ATTRIB_TEX0 + unit)
        wanted = wanted | b.select(on & drawn, slot, b.const(u64, 0))
        generated = generated | on & drawn & (tex.texgen != 0)
        _zero_unless(b, tex, on, [name for name in TexUnitKey.fields if name != "pad"])
        sprites = key.point_sprite != 0
        tex.flags = b.select(sprites, tex.flags, tex.flags & ~b.const(u8, UNIT_SPRITE))
    return wanted, generated


def _lighting(b: Builder, key: Any, color: Pointer, generated: Operand) -> tuple[Any, Any]:
    """Returns whether there is lighting, and whether normals are read."""
    light = key.light
    read = _reads(key, VARYING_SLOT_COL0, VARYING_SLOT_COL1)
    color = b.select(_has(key, SHADER_FRAGMENT), read, color)
    rectangle = key.prim >= RECTANGLES
    lit = color & (light.lighting != 0)
    light.lighting = _flag(b, lit)
    summed = rectangle & lit & (light.separate_specular != 0)
    _zero_unless(b, light, lit, ["separate_specular"])
    summable = rectangle & ~summed | ~rectangle & ~lit
    _zero_unless(b, key, color & summable & ~_has(key, SHADER_FRAGMENT), ["color_sum"])
    lit = lit & ~rectangle
    kept = ("lighting", "separate_specular", "flags", "normalize", "rescale_normal")
    others = [name for name in LightKey.fields if name not in kept]
    _zero_unless(b, light, lit, others)
    some = b.const(boolean, 0)
    for n in range(8):
        flags = light.flags[n]
        on = lit & ((flags & LIGHT_ENABLED) != 0)
        some = some | on
        near = (flags & LIGHT_POSITIONAL) != 0
        flags = b.select(near, flags, flags & ~b.const(u8, LIGHT_ATTENUATED))
        light.flags[n] = b.select(on, flags, b.const(u8, 0))
    normals = some | generated
    _zero_unless(b, light, some, ["local_viewer"])
    _zero_unless(b, light, normals, ["normalize", "rescale_normal"])
    _zero_unless(b, light, light.normalize == 0, ["rescale_normal"])
    _zero_unless(b, light, key.prim == 2, ["two_side"])
    names = ["color_material_face", "color_material_mode"]
    _zero_unless(b, light, light.color_material != 0, names)
    return lit, normals


def _attributes(
    b: Builder, key: Any, color: Surface, lit: Value, normals: Value, fog: Value, coordinates: Value
) -> None:
    """Formats of attributes that no vertex program of this key reads."""

    def bits(condition: Value, *slots: int) -> Any:
        mask = sum(1 << slot for slot in slots)
        return b.select(condition, b.const(u64, mask), b.const(u64, 0))

    drawn = key.prim < RECTANGLES
    unfilled = (key.prim == 2) & (
        (key.polygon_front != gl.GL_FILL) | (key.polygon_back != gl.GL_FILL)
    )
    unlit = b.select(_has(key, SHADER_FRAGMENT), _reads(key, VARYING_SLOT_COL0), color) & ~lit
    second = (key.color_sum != 0) | _reads(key, VARYING_SLOT_COL1)
    wanted = bits(drawn, VERT_ATTRIB_POS) | bits(normals, VERT_ATTRIB_NORMAL)
    wanted = wanted | bits(unlit | (key.light.color_material != 0), VERT_ATTRIB_COLOR0)
    wanted = wanted | bits(second & ~lit & (color | _has(key, SHADER_FRAGMENT)), VERT_ATTRIB_COLOR1)
    wanted = wanted | bits(lit, *range(VERT_ATTRIB_MAT0, MAX_ATTRIBS))
    wanted = wanted | bits(fog, VERT_ATTRIB_FOG) | coordinates
    points = (key.prim == 2) & (
        (key.polygon_front == gl.GL_POINT) | (key.polygon_back == gl.GL_POINT)
    )
    wanted = wanted | bits(points | (key.prim == 0), VERT_ATTRIB_POINT_SIZE)
    wanted = b.select(~_has(key, SHADER_VERTEX), wanted, b.cast(key.attribs_read, u64))
    wanted = wanted | bits(unfilled, VERT_ATTRIB_EDGEFLAG)
    wanted = b.select(drawn, wanted, b.const(u64, 0))
    for first in (0, 16, MAX_ATTRIBS - 16):
        chosen = b.mask_of(b.cast(wanted >> first, u16))
        place = key.attrib_format + first
        formats = place.load(u8.vec(16), align=1)
        place.store(b.select(chosen, formats, b.const(u8.vec(16), 0)), align=1)
    divided = key.attrib_divided.cast(ptr(u32))
    divided.store(divided.load(u32, align=1) & b.cast(wanted, u32), align=1)


#: what nothing is drawn with in selection and feedback. Which vertex provokes, and how polygons
#: are drawn, is decided behind the vertices there (st/feedback)
_OF_PIXELS = (
    "zs_format alpha_test depth_test stencil_test blend color_logic_op color_sum samples "
    "multisample sample_flags fog point_smooth line_smooth polygon_smooth line_stipple "
    "polygon_stipple depth_clamp point_attenuated point_sprite program_point_size zs_hidden "
    "capturing counting color_mask shade_model provoking varyings_read"
).split()


def _unseen(b: Builder, key: Any) -> None:
    """Selection and feedback: of vertices alone."""
    for name in _OF_PIXELS:
        setattr(key, name, 0)
    for place in _format_places(key):
        place.store(b.const(u8, 0))
    fragments = key.stages + SHADER_FRAGMENT
    fragments.store(b.const(u32, 0))
    fed = key.render_mode == FEEDBACK
    key.clamping = b.select(fed, key.clamping & VERTEX_FREE, b.const(u8, 0))
    modes = "polygon_front", "polygon_back"
    filled = (key.polygon_front == gl.GL_FILL) & (key.polygon_back == gl.GL_FILL)
    for name in modes:
        setattr(key, name, b.select(filled, b.const(u16, gl.GL_FILL), gl.GL_LINE))
    texgen = b.select(fed, key.tex[0].texgen, b.const(u16, 0))
    _clear(b, key.addr("tex"), TexUnitKey.size * MAX_TEXTURE_UNITS)
    with b.If(fed & (key.stages[SHADER_VERTEX] == 0)):
        unit = key.tex[0]
        unit.target, unit.flags, unit.texgen = 1, UNIT_MATRIX, texgen


@kernel(void, (KEY, KEY), noinline=True)
def st_canonical(b: Builder, given: KeyBlock, key: KeyBlock) -> None:
    """Write the canonical form of a key block to `key`."""
    b.memcpy(key.cast(ptr(u8)), given.cast(ptr(u8)), b.const(u64, KeyBlock.size))
    key.dither = 0
    _zero_unless(b, key, key.prim < RECTANGLES, ["render_mode"])
    with b.If(key.render_mode != RENDER, likely=False):
        _unseen(b, key)
    fed = key.render_mode == FEEDBACK
    written = _formats(b, key)
    tested = (key.alpha_test != 0) & (key.alpha_func != gl.GL_ALWAYS)
    key.alpha_test = _flag(b, tested)
    _zero_unless(b, key, tested, ["alpha_func"])
    _blending(b, key, written)
    _depth_and_stencil(b, key)
    smooth = _samples(b, key)
    covers = (key.sample_flags & SAMPLE_ALPHA_TO_COVERAGE) != 0
    color = written | tested | covers | fed
    _zero_unless(b, key, color, ["color_format"])
    _zero_unless(b, key, color | _has(key, SHADER_FRAGMENT), ["clamping"])
    _zero_unless(b, key, (key.prim < RECTANGLES) & _has(key, SHADER_VERTEX), ["capturing"])
    _programs(b, key)
    _encoding(b, key)
    _primitives(b, key, color | _has(key, SHADER_FRAGMENT), smooth)
    fog = _fog(b, key, color)
    coordinates, generated = _textures(b, key, color)
    lit, normals = _lighting(b, key, color, generated)
    _attributes(b, key, color, lit, normals, fog, coordinates)


__all__ = ["st_canonical"]
