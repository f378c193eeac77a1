# SPDX-License-Identifier: MIT
"""glRasterPos and glWindowPos in all their forms (GL 2.1, 2.13): where pixels are drawn next.

In: a position, and the state a vertex has: matrices, clip planes, lights, current values. Out: the
raster block of `raw` (position in window coordinates, valid bit, distance, colours, texture
coordinates). A raster position is a vertex that is not drawn, so what happens to it is what
st/fixed/vertex.py writes as a program, here for one vertex; programs set one a line of text, so it
is a kernel. The colour is always the front face's. Texture coordinates are not generated. In
selection a valid position is a hit (GL 2.1, 5.2). Counterpart of Mesa's main/rastpos.c and
st_cb_rasterpos.c.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import boolean, f32, f64, kernel, mathlib, ptr, u32, void
from pydri.main.feedback.kernels import select_hit
from pydri.main.feedback.layout import SELECT
from pydri.main.kernels import CTX, clamp01, flush_vertices, is_null, native_as
from pydri.main.light.kernels import sync_color_material
from pydri.main.light.layout import (
    LIGHT_ENABLED,
    LIGHT_POSITIONAL,
    LIGHT_SPOT,
    MAX_LIGHTS,
    Light,
    Material,
)
from pydri.main.matrix.kernels import stack_top
from pydri.main.matrix.layout import MAX_CLIP_PLANES
from pydri.main.matrix.tables import MODELVIEW, PROJECTION, TEXTURE
from pydri.main.state.layout import VERTEX_FREE, ShadedVertex
from pydri.main.textures.layout import MAX_TEXTURE_UNITS
from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR1,
    VERT_ATTRIB_FOG,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_TEX0,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

V4 = f32.vec(4)
FLOATS = ptr(f32)
_TO_RADIANS = math.pi / 180.0
Vector = list[Any]


def _transform(b: Builder, m: Pointer, v: Vector) -> Vector:
    """A column-major matrix times a vector; products are added from left to right."""
    out = []
    for row in range(4):
        total = m[row] * v[0]
        for k in range(1, 4):
            total = total + m[4 * k + row] * v[k]
        out.append(total)
    return out


def _dot(x: Vector, y: Vector) -> Any:
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def _cross(x: Vector, y: Vector) -> Vector:
    return [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]


def _over(b: Builder, x: Value, y: Value) -> Value:
    """x / y, and 0 where y is 0."""
    return b.select(y == 0.0, b.const(f32, 0.0), x / b.select(y == 0.0, b.const(f32, 1.0), y))


def _unit(b: Builder, v: Vector) -> Vector:
    length = b.sqrt(_dot(v, v))
    return [_over(b, c, length) for c in v[:3]]


def _current(ctx: Any, slot: int) -> Any:
    return ctx.val.current.cast(FLOATS) + 4 * slot


# -- lighting, GL 2.1, 2.14.1 -----------------------------------------------------------------


def _normal(b: Builder, ctx: GLContext, modelview: Pointer) -> Vector:
    """The current normal in eye coordinates (GL 2.1, 2.11.3): cofactors over the determinant."""
    light, given = ctx.key.light, _current(ctx, VERT_ATTRIB_NORMAL)
    x, y, z = ([modelview[4 * j + k] for k in range(3)] for j in range(3))
    columns = [_cross(y, z), _cross(z, x), _cross(x, y)]
    determinant = _dot(x, columns[0])
    scale = b.const(f32, 1.0) / b.select(determinant == 0.0, b.const(f32, 1.0), determinant)
    normal = []
    for row in range(3):
        total = columns[0][row] * given[0] + columns[1][row] * given[1] + columns[2][row] * given[2]
        normal.append(scale * total)
    third = b.sqrt(_dot(columns[2], columns[2])) * b.abs(scale)
    length = b.sqrt(_dot(normal, normal))
    one = b.const(f32, 1.0)
    rescale = b.select(light.rescale_normal != 0, third, one)
    divisor = b.select(light.normalize != 0, length, rescale)
    return [_over(b, c, divisor) for c in normal]


@kernel(void, (CTX, FLOATS, FLOATS, FLOATS), noinline=True)
def raster_lit(b: Builder, ctx: GLContext, modelview: Pointer, eye: Pointer, out: Pointer) -> None:
    """Primary and secondary colour of the front face, at `out`."""
    key, val = ctx.key.light, ctx.val
    material = val.addr("materials").cast(ptr(Material))
    w = eye[3]
    point = [b.select(w == 0.0, eye[k], eye[k] / b.select(w == 0.0, b.const(f32, 1.0), w))
             for k in range(3)]  # fmt: skip
    normal = _normal(b, ctx, modelview)
    viewer_here = _unit(b, [0.0 - c for c in point])
    far = (b.const(f32, 0.0), b.const(f32, 0.0), b.const(f32, 1.0))
    local = key.local_viewer != 0
    viewer = [b.select(local, near, f) for near, f in zip(viewer_here, far, strict=True)]
    color = [b.var(f32, material.emission[c] + material.ambient[c] * val.light_model_ambient[c])
             for c in range(3)]  # fmt: skip
    shine = [b.var(f32, 0.0) for _ in range(3)]
    with b.For(b.const(u32, 0), MAX_LIGHTS) as n:
        flags = b.cast(key.flags[n], u32)
        with b.If((flags & LIGHT_ENABLED) == 0):
            b.Continue()
        light = val.addr("lights").cast(ptr(Light)) + n
        factor = b.var(f32, 1.0)
        towards = [b.var(f32, light.position[k]) for k in range(3)]
        with b.If((flags & LIGHT_POSITIONAL) != 0):
            way = [light.position[k] / light.position[3] - point[k] for k in range(3)]
            distance = b.sqrt(_dot(way, way))
            fade = light.constant_attenuation + distance * (
                light.linear_attenuation + distance * light.quadratic_attenuation
            )
            factor.value = _over(b, b.const(f32, 1.0), fade)
            for var, v in zip(towards, way, strict=True):
                var.value = v
        direction = _unit(b, [v.value for v in towards])
        with b.If((flags & LIGHT_SPOT) != 0):
            spot = _unit(b, [light.spot_direction[k] for k in range(3)])
            cosine = 0.0 - _dot(direction, spot)
            inside = cosine >= mathlib.cos(b, light.spot_cutoff * _TO_RADIANS)
            power = mathlib.powr(b, b.max(cosine, 0.0), light.spot_exponent)
            power = b.select(light.spot_exponent == 0.0, b.const(f32, 1.0), power)
            factor.value = b.select(inside, factor.value * power, b.const(f32, 0.0))
        facing = _dot(normal, direction)
        half = _unit(b, [d + v for d, v in zip(direction, viewer, strict=True)])
        exponent = material.shininess[0]
        power = mathlib.powr(b, b.max(_dot(normal, half), 0.0), exponent)
        power = b.select(exponent == 0.0, b.const(f32, 1.0), power)
        power = b.select(facing > 0.0, power, b.const(f32, 0.0))
        for c in range(3):
            diffuse = material.diffuse[c] * light.diffuse[c] * b.max(facing, 0.0)
            glow = material.ambient[c] * light.ambient[c] + diffuse
            color[c].value = color[c].value + factor.value * glow
            spark = factor.value * power * material.specular[c] * light.specular[c]
            shine[c].value = shine[c].value + spark
    separate = key.separate_specular != 0
    for c in range(3):
        out[c] = b.select(separate, color[c].value, color[c].value + shine[c].value)
        out[4 + c] = b.select(separate, shine[c].value, b.const(f32, 0.0))
    out[3] = material.diffuse[3]
    out[7] = 1.0


# -- texture coordinates, GL 2.1, 2.11.4 ------------------------------------------------------


def _reflection(b: Builder, ctx: GLContext, modelview: Pointer,
                eye: Pointer) -> tuple[Vector, Vector]:  # fmt: skip
    """The current normal, and the unit vector from the eye to the vertex, reflected at it."""
    normal = _normal(b, ctx, modelview)
    way = _unit(b, [eye[k] for k in range(3)])
    twice = _dot(normal, way) * 2.0
    return normal, [w - n * twice for w, n in zip(way, normal, strict=True)]


@kernel(void, (CTX, FLOATS, FLOATS, FLOATS, u32, FLOATS), noinline=True)
def raster_generated(b: Builder, ctx: GLContext, modelview: Pointer, given: Pointer, eye: Pointer,
                     unit: Value, coords: Pointer) -> None:  # fmt: skip
    """Coordinates of a unit that are generated, in place of the current ones. `given`: the position
    as it was given, and in eye coordinates."""
    normal, way = _reflection(b, ctx, modelview, eye)
    z = way[2] + 1.0
    length = b.sqrt(way[0] * way[0] + way[1] * way[1] + z * z)
    half = _over(b, b.const(f32, 0.5), length)
    planes = ctx.val.addr("texgen").cast(FLOATS) + unit * 32
    enabled = b.cast(ctx.raw.texgen_enabled[unit], u32)
    for n in range(4):
        with b.If((enabled & (1 << n)) != 0), b.Switch(ctx.raw.texgen_mode[unit * 4 + n]) as s:
            for mode, place, at in ((gl.GL_OBJECT_LINEAR, given, 4 * n),
                                    (gl.GL_EYE_LINEAR, eye, 16 + 4 * n)):  # fmt: skip
                with s.Case(mode):
                    total = planes[at] * place[0]
                    for k in range(1, 4):
                        total = total + planes[at + k] * place[k]
                    coords[n] = total
            if n < 3:
                with s.Case(gl.GL_NORMAL_MAP):
                    coords[n] = normal[n]
                with s.Case(gl.GL_REFLECTION_MAP):
                    coords[n] = way[n]
            if n < 2:
                with s.Case(gl.GL_SPHERE_MAP):
                    coords[n] = way[n] * half + 0.5


# -- the raster position ----------------------------------------------------------------------


def _inside(b: Builder, ctx: GLContext, clip: Vector) -> Any:
    """Whether a vertex lies in the view volume."""
    w = clip[3]
    out = w > 0.0
    for n, c in enumerate(clip[:3]):
        low = 0.0 - w
        if n == 2:
            low = b.select(ctx.raw.clip_depth_mode == gl.GL_ZERO_TO_ONE, b.const(f32, 0.0), low)
        within = (c >= low) & (c <= w)
        free = ctx.raw.raster_unclipped if n < 2 else ctx.key.depth_clamp  # IBM_rasterpos_clip
        out = out & (within | (free != 0))
    return out


def _within_planes(b: Builder, ctx: GLContext, eye: Vector) -> Any:
    """Whether a vertex lies on the right side of the user's planes."""
    inside = b.var(boolean, b.const(boolean, 1))
    planes = ctx.key.clip_planes
    with b.If(planes != 0, likely=False):
        for n in range(MAX_CLIP_PLANES):
            plane = ctx.val.clip_planes.cast(FLOATS) + 4 * n
            distance = plane[0] * eye[0] + plane[1] * eye[1] + plane[2] * eye[2]
            distance = distance + plane[3] * eye[3]
            off = (planes & (1 << n)) == 0
            inside.value = inside.value & (off | (distance >= 0.0))
    return inside.value


def _clamp(b: Builder, ctx: GLContext, place: Pointer, source: Pointer) -> None:
    """A colour of the raster position, clamped as those of vertices are."""
    v = source.load(V4, align=4)
    free = (ctx.raw.clamp_vertex == gl.GL_FALSE) | ((ctx.key.clamping & VERTEX_FREE) != 0)
    place.store(b.select(free, v, clamp01(b, v)), align=4)


def _distance(b: Builder, ctx: GLContext, otherwise: Any) -> Any:
    from_coord = ctx.key.fog_coord_src == gl.GL_FOG_COORDINATE
    return b.select(from_coord, _current(ctx, VERT_ATTRIB_FOG)[0], otherwise)


def _selected(b: Builder, ctx: GLContext) -> None:
    """A valid position is a hit in selection."""
    with b.If(ctx.key.render_mode == SELECT, likely=False):
        b.call(select_hit, ctx, b.cast(ctx.raw.raster_position[2], f64))


def _to_window(b: Builder, ctx: GLContext, clip: Vector) -> None:
    """The raster position of clip coordinates that are inside (GL 2.1, 2.11.1)."""
    raw = ctx.raw
    ndc = [clip[n] / clip[3] for n in range(3)]
    left, bottom, width, height = (raw.viewport[n] for n in range(4))
    near, far = (b.cast(raw.depth_range[n], f64) for n in range(2))
    ndc[1] = b.select(raw.clip_origin == gl.GL_UPPER_LEFT, 0.0 - ndc[1], ndc[1])
    depth = 0.5 * ((far - near) * b.cast(ndc[2], f64) + far + near)
    whole = raw.clip_depth_mode == gl.GL_ZERO_TO_ONE
    depth = b.select(whole, (far - near) * b.cast(ndc[2], f64) + near, depth)
    depth = b.min(b.max(depth, b.min(near, far)), b.max(near, far))
    raw.raster_position[0] = left + width * 0.5 * (ndc[0] + 1.0)
    raw.raster_position[1] = bottom + height * 0.5 * (ndc[1] + 1.0)
    raw.raster_position[2] = b.cast(depth, f32)
    raw.raster_position[3] = clip[3]


@kernel(u32, (CTX, FLOATS), noinline=True)
def raster_shaded(b: Builder, ctx: GLContext, place: Pointer) -> Value:
    """The raster position by the vertex stage of a program (GL 2.1, 2.15.4); 0: there is none."""
    raw, vertex = ctx.raw, b.array(ShadedVertex)
    done = b.call(ctx.shade_vertex, ctx, place, vertex)
    with b.If(done == 0):
        b.Return(0)
    clip = [vertex.clip[n] for n in range(4)]
    valid = _inside(b, ctx, clip) & (vertex.cut == 0)
    raw.raster_valid = b.cast(valid, raw.raster_valid.ty)
    with b.If(valid):
        _to_window(b, ctx, clip)
        raw.raster_distance = vertex.fog
        _clamp(b, ctx, raw.raster_color, vertex.color)
        _clamp(b, ctx, raw.raster_secondary_color, vertex.secondary)
        b.memcpy(raw.addr("raster_texcoords"), vertex.addr("texcoords"), 16 * MAX_TEXTURE_UNITS)
        _selected(b, ctx)
    return b.const(u32, 1)


@kernel(void, (CTX, f32, f32, f32, f32), noinline=True)
def raster_pos(b: Builder, ctx: GLContext, x: Value, y: Value, z: Value, w: Value) -> None:
    """Transform, clip and light a raster position."""
    flush_vertices(b, ctx)
    raw = ctx.raw
    with b.If(~is_null(ctx.program.current) | (ctx.arb.enabled[0] != 0), likely=False):
        given = b.array(f32, 4, align=16)
        for n, v in enumerate((x, y, z, w)):
            given[n] = v
        with b.If(b.call(raster_shaded, ctx, given) != 0):
            b.Return()
    modelview = stack_top(b, ctx, MODELVIEW)
    eye = _transform(b, modelview, [x, y, z, w])
    clip = _transform(b, stack_top(b, ctx, PROJECTION), eye)
    valid = _inside(b, ctx, clip) & _within_planes(b, ctx, eye)
    raw.raster_valid = b.cast(valid, raw.raster_valid.ty)
    with b.If(~valid):
        b.Return()
    _to_window(b, ctx, clip)
    mode = ctx.key.fog_distance_mode
    plane = b.select(mode == gl.GL_EYE_PLANE, eye[2], b.abs(eye[2]))
    radius = b.sqrt(eye[0] * eye[0] + eye[1] * eye[1] + eye[2] * eye[2])
    distance = b.select(mode == gl.GL_EYE_RADIAL_NV, radius, plane)
    raw.raster_distance = _distance(b, ctx, distance)
    with b.If(ctx.key.light.lighting != 0):
        b.call(sync_color_material, ctx)
        colors, place = b.array(f32, 8, align=16), b.array(f32, 4, align=16)
        for n, v in enumerate(eye):
            place[n] = v
        b.call(raster_lit, ctx, modelview, place, colors)
        _clamp(b, ctx, raw.raster_color, colors)
        _clamp(b, ctx, raw.raster_secondary_color, colors + 4)
    with b.Else():
        _clamp(b, ctx, raw.raster_color, _current(ctx, VERT_ATTRIB_COLOR0))
        _clamp(b, ctx, raw.raster_secondary_color, _current(ctx, VERT_ATTRIB_COLOR1))
    texcoords = raw.addr("raster_texcoords").cast(FLOATS)
    places = b.array(f32, 8, align=16)
    for n, v in enumerate((x, y, z, w, *eye)):
        places[n] = v
    for unit in range(MAX_TEXTURE_UNITS):
        matrix = stack_top(b, ctx, TEXTURE, unit)
        current, given = _current(ctx, VERT_ATTRIB_TEX0 + unit), b.array(f32, 4, align=16)
        given.store(current.load(V4, align=4))
        with b.If(raw.texgen_enabled[unit] != 0, likely=False):
            b.call(raster_generated, ctx, modelview, places, places + 4, unit, given)
        moved = _transform(b, matrix, [given[n] for n in range(4)])
        for n, v in enumerate(moved):
            texcoords[4 * unit + n] = v
    _selected(b, ctx)


@kernel(void, (CTX, f32, f32, f32, f32), noinline=True)
def window_pos(b: Builder, ctx: GLContext, x: Value, y: Value, z: Value, w: Value) -> None:
    """Set the raster position in window coordinates: no transform, no lighting, always valid."""
    flush_vertices(b, ctx)
    raw = ctx.raw
    near, far = (b.cast(raw.depth_range[n], f64) for n in range(2))
    inside = b.cast(b.min(b.max(z, 0.0), 1.0), f64)
    raw.raster_position[0] = x
    raw.raster_position[1] = y
    raw.raster_position[2] = b.cast(near + inside * (far - near), f32)
    raw.raster_position[3] = w
    raw.raster_distance = _distance(b, ctx, b.const(f32, 0.0))
    _clamp(b, ctx, raw.raster_color, _current(ctx, VERT_ATTRIB_COLOR0))
    _clamp(b, ctx, raw.raster_secondary_color, _current(ctx, VERT_ATTRIB_COLOR1))
    texcoords = raw.addr("raster_texcoords").cast(FLOATS)
    for unit in range(MAX_TEXTURE_UNITS):
        value = _current(ctx, VERT_ATTRIB_TEX0 + unit).load(V4, align=4)
        (texcoords + 4 * unit).store(value, align=4)
    raw.raster_valid = 1
    _selected(b, ctx)


def _define(name: str, does: Any, size: int, letter: str) -> None:
    """One form: of scalars, and of a pointer to them."""

    def put(b: Builder, ctx: GLContext, values: list[Any]) -> None:
        given = [b.cast(v, f32) for v in values]
        missing = [b.const(f32, 0.0), b.const(f32, 1.0)]
        b.call(does, ctx, *given, *missing[size - 4 :] if size < 4 else ())

    def scalars(b: Builder, ctx: GLContext, *args: Any) -> None:
        put(b, ctx, list(args))

    def vector(b: Builder, ctx: GLContext, v: Value) -> None:
        put(b, ctx, [v[n] for n in range(size)])

    vendor = "MESA" if does is window_pos and size == 4 else ""
    for body, suffix in ((scalars, ""), (vector, "v")):
        native_as(f"{name}{size}{letter}{suffix}{vendor}", body)


for _name, _does, _sizes in (
    ("glRasterPos", raster_pos, (2, 3, 4)),
    ("glWindowPos", window_pos, (2, 3, 4)),
):
    for _size in _sizes:
        for _letter in "sifd":
            _define(_name, _does, _size, _letter)

__all__ = ["raster_pos", "window_pos"]
