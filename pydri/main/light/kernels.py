# SPDX-License-Identifier: MIT
"""Native lighting and fog state: glLight*, glLightModel*, glMaterial*, glColorMaterial, glFog*.

In: parameters in any of the four forms (f, i, fv, iv). All of them become floats and meet in one
`*_fv` kernel per subject, which checks, compares, flushes and writes. Positions and spot
directions are taken to eye space with the modelview of now (GL 2.1, 2.14.1). LIGHT_* bits of the
key are kept by `update_light_flags`. Colour material: the vertex shader follows the current colour
by key; `sync_color_material` writes it down where somebody else looks at the material. The form of
glMaterial between glBegin and glEnd belongs to vbo. Mesa: main/light.c, main/fog.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.where import COMPAT_ONLY
from pydri.jit import f32, kernel, u8, u32, void
from pydri.jit.mathlib import function as math_function
from pydri.main import layout as la
from pydri.main.kernels import (
    CTX,
    F4,
    FLOATS,
    enum_of_float,
    fail,
    flush_vertices,
    four_forms,
    gl_record_error,
    lookup,
    mark,
    native,
    one_of,
    set_clamped,
    set_vector,
    update,
)
from pydri.main.light.layout import (
    LIGHT_ATTENUATED,
    LIGHT_ENABLED,
    LIGHT_POSITIONAL,
    LIGHT_SPOT,
    MAX_LIGHTS,
)
from pydri.main.matrix.kernels import stack_top, transform
from pydri.main.matrix.tables import MODELVIEW
from pydri.main.rows import Enum, enum_check, enum_set, valid

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

COLOR0 = 2  # VERT_ATTRIB_COLOR0
COLORS = (gl.GL_AMBIENT, gl.GL_DIFFUSE, gl.GL_SPECULAR, gl.GL_EMISSION, gl.GL_AMBIENT_AND_DIFFUSE)


# -- lights ---------------------------------------------------------------------------------------


@kernel(void, (CTX, u32), noinline=True)
def update_light_flags(b: Builder, ctx: GLContext, number: Any) -> None:
    """Bring the LIGHT_* bits of the key and the cosine of the cutoff in line with the light's
    parameters.
    """
    light = ctx.val.lights + number
    flags = ctx.key.light.flags + number
    w = light.position[3]
    spot = light.spot_cutoff != 180.0
    plain = (
        (light.constant_attenuation == 1.0)
        & (light.linear_attenuation == 0.0)
        & (light.quadratic_attenuation == 0.0)
    )
    new = flags.load() & LIGHT_ENABLED
    new = new | b.select(w != 0.0, b.const(u8, LIGHT_POSITIONAL), 0)
    new = new | b.select(spot, b.const(u8, LIGHT_SPOT), 0)
    new = new | b.select(plain, b.const(u8, 0), LIGHT_ATTENUATED)
    with b.If(new != flags.load()):
        flags.store(new)
        ctx.key_dirty = 1


@kernel(void, (CTX, u32, u32, FLOATS, u32), noinline=True)
def light_fv(b: Builder, ctx: GLContext, name: Any, pname: Any, p: Any, slot: Any) -> None:
    """glLightfv."""
    number = name - gl.GL_LIGHT0
    fail(b, ctx, number >= MAX_LIGHTS, gl.GL_INVALID_ENUM, slot)
    light = ctx.val.lights + number
    dirty = la.DIRTY_LIGHT
    with b.Switch(pname) as s:
        for enum, field in (
            (gl.GL_AMBIENT, "ambient"),
            (gl.GL_DIFFUSE, "diffuse"),
            (gl.GL_SPECULAR, "specular"),
        ):
            with s.Case(enum):
                set_vector(b, ctx, light.addr(field), p.load(F4), dirty)
        with s.Case(gl.GL_POSITION):
            eye = transform(b, stack_top(b, ctx, MODELVIEW), p[0], p[1], p[2], p[3])
            set_vector(b, ctx, light.addr("position"), eye, dirty)
        with s.Case(gl.GL_SPOT_DIRECTION):
            eye = transform(b, stack_top(b, ctx, MODELVIEW), p[0], p[1], p[2])
            set_vector(b, ctx, light.addr("spot_direction"), eye, dirty)
        with s.Case(gl.GL_SPOT_EXPONENT):
            x = p[0]
            fail(b, ctx, ~((x >= 0.0) & (x <= 128.0)), gl.GL_INVALID_VALUE, slot)
            update(b, ctx, [(light.addr("spot_exponent"), x)], dirty)
        with s.Case(gl.GL_SPOT_CUTOFF):
            x = p[0]
            fail(b, ctx, ~(((x >= 0.0) & (x <= 90.0)) | (x == 180.0)), gl.GL_INVALID_VALUE, slot)
            with b.If(light.spot_cutoff != x):
                flush_vertices(b, ctx)
                light.spot_cutoff = x
                cosine = b.call(math_function("cos", 0), x * 0.017453292519943295)
                light.spot_cos_cutoff = b.max(cosine, 0.0)
                mark(b, ctx, dirty)
        for enum, field in (
            (gl.GL_CONSTANT_ATTENUATION, "constant_attenuation"),
            (gl.GL_LINEAR_ATTENUATION, "linear_attenuation"),
            (gl.GL_QUADRATIC_ATTENUATION, "quadratic_attenuation"),
        ):
            with s.Case(enum):
                x = p[0]
                fail(b, ctx, ~(x >= 0.0), gl.GL_INVALID_VALUE, slot)
                update(b, ctx, [(light.addr(field), x)], dirty)
        with s.Default():
            b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, slot)
            b.Return()
    b.call(update_light_flags, ctx, number)


LIGHT_VECTORS = {
    gl.GL_AMBIENT: (4, True),
    gl.GL_DIFFUSE: (4, True),
    gl.GL_SPECULAR: (4, True),
    gl.GL_POSITION: (4, False),
    gl.GL_SPOT_DIRECTION: (3, False),
}
four_forms("glLight", light_fv, 1, LIGHT_VECTORS)


LIGHT_MODEL = enum_set(
    "parameters of the light model", gl.GL_LIGHT_MODEL_AMBIENT, gl.GL_LIGHT_MODEL_TWO_SIDE,
    gl.GL_LIGHT_MODEL_LOCAL_VIEWER, gl.GL_LIGHT_MODEL_COLOR_CONTROL,
)  # fmt: skip


@kernel(void, (CTX, u32, FLOATS, u32), noinline=True)
def light_model_fv(b: Builder, ctx: GLContext, pname: Value, p: Any, slot: Value) -> None:
    """glLightModelfv."""
    known = valid(b, ctx, pname, LIGHT_MODEL, "glLightModelfv")
    fail(b, ctx, ~known, gl.GL_INVALID_ENUM, slot)
    with b.Switch(pname) as s:
        with s.Case(gl.GL_LIGHT_MODEL_AMBIENT):
            set_vector(b, ctx, ctx.val.addr("light_model_ambient"), p.load(F4), la.DIRTY_LIGHT)
        with s.Case(gl.GL_LIGHT_MODEL_LOCAL_VIEWER):
            update(b, ctx, [("key.light.local_viewer", b.cast(p[0] != 0.0, u8))], la.DIRTY_LIGHT)
        with s.Case(gl.GL_LIGHT_MODEL_TWO_SIDE):
            update(b, ctx, [("key.light.two_side", b.cast(p[0] != 0.0, u8))], la.DIRTY_LIGHT)
        with s.Default():
            x = enum_of_float(b, p[0])
            fail(
                b,
                ctx,
                ~one_of(b, x, (gl.GL_SINGLE_COLOR, gl.GL_SEPARATE_SPECULAR_COLOR)),
                gl.GL_INVALID_ENUM,
                slot,
            )
            update(
                b,
                ctx,
                [
                    ("raw.light_model_color_control", x),
                    ("key.light.separate_specular", b.cast(x == gl.GL_SEPARATE_SPECULAR_COLOR, u8)),
                ],
                la.DIRTY_LIGHT,
            )


four_forms("glLightModel", light_model_fv, 0, {gl.GL_LIGHT_MODEL_AMBIENT: (4, True)})


# -- material -------------------------------------------------------------------------------------

AMBIENT, DIFFUSE, SPECULAR, EMISSION, SHININESS, INDEXES = (
    1,
    2,
    4,
    8,
    16,
    32,
)  # order of struct Material
_MODE_BITS = {
    gl.GL_AMBIENT: AMBIENT,
    gl.GL_DIFFUSE: DIFFUSE,
    gl.GL_SPECULAR: SPECULAR,
    gl.GL_EMISSION: EMISSION,
    gl.GL_AMBIENT_AND_DIFFUSE: AMBIENT | DIFFUSE,
    gl.GL_SHININESS: SHININESS,
    gl.GL_COLOR_INDEXES: INDEXES,
}
_FACE_BITS = {gl.GL_FRONT: 1, gl.GL_BACK: 2, gl.GL_FRONT_AND_BACK: 3}
#: OpenGL ES 1 sets both faces' at once
MATERIAL_FACES = enum_set(
    "faces of materials", Enum(gl.GL_FRONT, COMPAT_ONLY), Enum(gl.GL_BACK, COMPAT_ONLY),
    gl.GL_FRONT_AND_BACK,
)  # fmt: skip
MATERIAL_PARAMETERS = enum_set("parameters of materials", *_MODE_BITS)


@kernel(u32, (CTX,), inline=True)
def tracked_bits(b: Builder, ctx: GLContext) -> Value:
    """Material attributes that follow the current colour: bits 0-5 front, 6-11 back."""
    key = ctx.key.light
    with b.If(key.color_material == 0, likely=True):
        b.Return(0)
    mode = lookup(b, b.cast(key.color_material_mode, u32), _MODE_BITS)
    face = lookup(b, b.cast(key.color_material_face, u32), _FACE_BITS)
    bits = b.select((face & 1) != 0, mode, 0) | b.select((face & 2) != 0, mode << 6, 0)
    return bits


@kernel(void, (CTX, u32, F4), noinline=True)
def set_materials(b: Builder, ctx: Any, bits: Value, value: Value) -> None:
    """Write a value to the attributes named by `bits`, if it differs."""
    left = b.var(u32, bits)
    with b.While(lambda: left.value != 0):
        n = b.ctz(left.value)
        left.value = left.value & (left.value - 1)
        set_vector(b, ctx, ctx.val.materials.cast(FLOATS) + n * 4, value, la.DIRTY_LIGHT)


@kernel(void, (CTX,), noinline=True)
def sync_color_material(b: Builder, ctx: GLContext) -> None:
    """If the material follows the current colour, write the colour into it (pending vertices are
    drawn already).
    """
    bits = b.call(tracked_bits, ctx)
    with b.If(bits != 0):
        b.call(set_materials, ctx, bits, (ctx.val.current.cast(FLOATS) + COLOR0 * 4).load(F4))


@kernel(void, (CTX, u32, u32, FLOATS, u32), noinline=True)
def material_fv(b: Builder, ctx: GLContext, face: Value, pname: Value, p: Any, slot: Value) -> None:
    """glMaterialfv outside of glBegin/glEnd. What colour material tracks does not change."""
    known = valid(b, ctx, face, MATERIAL_FACES, "glMaterialfv")
    known = known & valid(b, ctx, pname, MATERIAL_PARAMETERS, "glMaterialfv")
    fail(b, ctx, ~known, gl.GL_INVALID_ENUM, slot)
    sides = lookup(b, face, _FACE_BITS)
    attribs = lookup(b, pname, _MODE_BITS)
    value = b.var(F4, 0.0)
    with b.Switch(attribs) as s:
        with s.Case(SHININESS):
            x = p[0]
            fail(b, ctx, ~((x >= 0.0) & (x <= 128.0)), gl.GL_INVALID_VALUE, slot)
            value.value = value.value.insert(0, x)
        with s.Case(INDEXES):
            value.value = b.vector([p[0], p[1], p[2], b.const(f32, 0.0)])
        with s.Default():
            value.value = p.load(F4)
    bits = b.select((sides & 1) != 0, attribs, 0) | b.select((sides & 2) != 0, attribs << 6, 0)
    b.call(set_materials, ctx, bits & ~b.call(tracked_bits, ctx), value.value)


four_forms(
    "glMaterial",
    material_fv,
    1,
    {
        **dict.fromkeys(COLORS, (4, True)),
        gl.GL_COLOR_INDEXES: (3, False),
    },
)


@native
def glColorMaterial(b: Builder, ctx: GLContext, face: Value, mode: Value) -> None:
    enum_check(b, ctx, face, (gl.GL_FRONT, gl.GL_BACK, gl.GL_FRONT_AND_BACK))
    enum_check(b, ctx, mode, COLORS)
    key = ctx.key.light
    with b.If(
        (b.cast(key.color_material_face, u32) != face)
        | (b.cast(key.color_material_mode, u32) != mode)
    ):
        flush_vertices(b, ctx)
        b.call(sync_color_material, ctx)
        update(
            b,
            ctx,
            [("key.light.color_material_face", face), ("key.light.color_material_mode", mode)],
            la.DIRTY_LIGHT,
        )


# -- fog ------------------------------------------------------------------------------------------

FOG_DISTANCE_MODES = (gl.GL_EYE_RADIAL_NV, gl.GL_EYE_PLANE, gl.GL_EYE_PLANE_ABSOLUTE_NV)
"""NV_fog_distance."""


FOG = enum_set(
    "parameters of fog", gl.GL_FOG_MODE, gl.GL_FOG_DENSITY, gl.GL_FOG_START, gl.GL_FOG_END,
    gl.GL_FOG_COLOR, gl.GL_FOG_INDEX, gl.GL_FOG_COORD_SRC, gl.GL_FOG_DISTANCE_MODE_NV,
)  # fmt: skip


@kernel(void, (CTX, u32, FLOATS, u32), noinline=True)
def fog_fv(b: Builder, ctx: GLContext, pname: Value, p: Any, slot: Value) -> None:
    """glFogfv."""
    fail(b, ctx, ~valid(b, ctx, pname, FOG, "glFogfv"), gl.GL_INVALID_ENUM, slot)
    frag = "val.frag."
    with b.Switch(pname) as s:
        with s.Case(gl.GL_FOG_MODE):
            x = enum_of_float(b, p[0])
            fail(
                b,
                ctx,
                ~one_of(b, x, (gl.GL_LINEAR, gl.GL_EXP, gl.GL_EXP2)),
                gl.GL_INVALID_ENUM,
                slot,
            )
            update(b, ctx, [("key.fog_mode", x)], la.DIRTY_FOG)
        with s.Case(gl.GL_FOG_COORD_SRC):
            x = enum_of_float(b, p[0])
            fail(
                b,
                ctx,
                ~one_of(b, x, (gl.GL_FOG_COORD, gl.GL_FRAGMENT_DEPTH)),
                gl.GL_INVALID_ENUM,
                slot,
            )
            update(b, ctx, [("key.fog_coord_src", x)], la.DIRTY_FOG)
        with s.Case(gl.GL_FOG_DISTANCE_MODE_NV):
            x = enum_of_float(b, p[0])
            fail(b, ctx, ~one_of(b, x, FOG_DISTANCE_MODES), gl.GL_INVALID_ENUM, slot)
            update(b, ctx, [("key.fog_distance_mode", x)], la.DIRTY_FOG)
        with s.Case(gl.GL_FOG_DENSITY):
            fail(b, ctx, ~(p[0] >= 0.0), gl.GL_INVALID_VALUE, slot)
            update(b, ctx, [(frag + "fog_density", p[0])], la.DIRTY_FOG)
        with s.Case(gl.GL_FOG_START):
            update(b, ctx, [(frag + "fog_start", p[0])], la.DIRTY_FOG)
        with s.Case(gl.GL_FOG_END):
            update(b, ctx, [(frag + "fog_end", p[0])], la.DIRTY_FOG)
        with s.Case(gl.GL_FOG_INDEX):
            update(b, ctx, [("raw.fog_index", p[0])])
        with s.Default():  # GL_FOG_COLOR
            given, used = ctx.raw.given_fog_color, ctx.val.frag.fog_color
            set_clamped(b, ctx, given, used, p.load(F4), la.DIRTY_FOG)


four_forms("glFog", fog_fv, 0, {gl.GL_FOG_COLOR: (4, True)})
