# SPDX-License-Identifier: MIT
"""glRasterPos and glWindowPos in all their forms (GL 2.1, 2.13): where pixels are drawn next.

In: a position, and the state a vertex has: matrices, clip planes, lights, current values. Out: the
raster block of `raw` (position in window coordinates, valid bit, distance, colours, texture
coordinates). A raster position is a vertex that is not drawn, so what happens to it is what
st/ff_vertex.py writes as a program, here in plain floats; it happens once a string, not once a
vertex. The colour is always the front face's. Texture coordinates are not generated. Answers to
Mesa's main/rastpos.c and st_cb_rasterpos.c.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from typing import Any

import pydri.api.enums as gl
from pydri.api.dispatch import entry
from pydri.main import layout as la
from pydri.main.context import GLContext
from pydri.main.pointers import F32, F64, I32, fetch
from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR1,
    VERT_ATTRIB_FOG,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_TEX0,
)

Vector = Sequence[float]


def _clamp(x: float, low: float = 0.0, high: float = 1.0) -> float:
    return min(max(x, low), high) if x == x else low


def _transform(m: Vector, v: Vector) -> list[float]:
    """A column-major matrix times a vector."""
    return [sum(m[4 * k + row] * v[k] for k in range(4)) for row in range(4)]


def _dot(x: Vector, y: Vector) -> float:
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def _unit(v: Vector) -> list[float]:
    length = math.sqrt(_dot(v, v))
    return [c / length for c in v[:3]] if length else [0.0, 0.0, 0.0]


# -- lighting, GL 2.1, 2.14.1 -----------------------------------------------------------------


def _normal(n: Any, modelview: Vector) -> list[float]:
    """The current normal in eye coordinates (GL 2.1, 2.11.3): cofactors over the determinant."""
    x, y, z = (modelview[4 * j : 4 * j + 3] for j in range(3))

    def cross(a: Vector, b: Vector) -> list[float]:
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    columns = (cross(y, z), cross(z, x), cross(x, y))
    scale = 1.0 / (_dot(x, columns[0]) or 1.0)
    given = n.val.current[VERT_ATTRIB_NORMAL]
    normal = [scale * sum(columns[k][row] * given[k] for k in range(3)) for row in range(3)]
    if n.key.light.normalize:
        return _unit(normal)
    if n.key.light.rescale_normal:
        third = math.sqrt(_dot(columns[2], columns[2])) * abs(scale)
        return [c / third for c in normal] if third else normal
    return normal


def _towards(light: Any, flags: int, point: Vector) -> tuple[list[float], float]:
    """The unit vector to a light, and its attenuation times its spotlight factor."""
    position, factor = light.position, 1.0
    direction = _unit(position)
    if flags & la.LIGHT_POSITIONAL:
        way = [position[k] / position[3] - point[k] for k in range(3)]
        distance, direction = math.sqrt(_dot(way, way)), _unit(way)
        fade = light.constant_attenuation + distance * (
            light.linear_attenuation + distance * light.quadratic_attenuation
        )
        factor = 1.0 / fade if fade else 0.0
    if flags & la.LIGHT_SPOT:
        cosine = -_dot(direction, _unit(light.spot_direction))
        inside = cosine >= math.cos(math.radians(light.spot_cutoff))
        factor *= max(cosine, 0.0) ** light.spot_exponent if inside else 0.0
    return direction, factor


def _lit(n: Any, modelview: Vector, eye: Vector) -> tuple[list[float], list[float]]:
    """Primary and secondary colour of the front face."""
    key, val, material = n.key.light, n.val, n.val.materials[0]
    point = [c / eye[3] for c in eye[:3]] if eye[3] else list(eye[:3])
    normal = _normal(n, modelview)
    color = [material.emission[c] + material.ambient[c] * val.light_model_ambient[c]
             for c in range(3)]  # fmt: skip
    shine = [0.0, 0.0, 0.0]
    for number in range(la.MAX_LIGHTS):
        flags, light = key.flags[number], val.lights[number]
        if not flags & la.LIGHT_ENABLED:
            continue
        direction, factor = _towards(light, flags, point)
        facing = _dot(normal, direction)
        viewer = _unit([-c for c in point]) if key.local_viewer else [0.0, 0.0, 1.0]
        half = _unit([d + v for d, v in zip(direction, viewer, strict=True)])
        power = max(_dot(normal, half), 0.0) ** material.shininess[0] if facing > 0.0 else 0.0
        for c in range(3):
            diffuse = material.diffuse[c] * light.diffuse[c] * max(facing, 0.0)
            color[c] += factor * (material.ambient[c] * light.ambient[c] + diffuse)
            shine[c] += factor * power * material.specular[c] * light.specular[c]
    if not key.separate_specular:
        color = [a + b for a, b in zip(color, shine, strict=True)]
        shine = [0.0, 0.0, 0.0]
    return [*color, material.diffuse[3]], [*shine, 1.0]


# -- the raster position ----------------------------------------------------------------------


def _inside(n: Any, clip: Vector, eye: Vector) -> bool:
    """Whether a vertex lies in the view volume and on the right side of the user's planes."""
    w = clip[3]
    axes = clip[:2] if n.key.depth_clamp else clip[:3]
    if not w > 0.0 or not all(-w <= c <= w for c in axes):
        return False
    planes = [n.val.clip_planes[k] for k in range(la.MAX_CLIP_PLANES) if n.key.clip_planes >> k & 1]
    return all(sum(p[c] * eye[c] for c in range(4)) >= 0.0 for p in planes)


def raster_pos(ctx: GLContext, x: float, y: float, z: float = 0.0, w: float = 1.0) -> None:
    """Transform, clip and light a raster position."""
    ctx.call("sync_color_material")
    n = ctx.n
    raw, stacks, current = n.raw, n.matrix, n.val.current

    def top(stack: Any, at: int) -> list[float]:
        return list(stack[16 * at : 16 * at + 16])

    modelview = top(stacks.modelview, stacks.depth[0])
    eye = _transform(modelview, (x, y, z, w))
    clip = _transform(top(stacks.projection, stacks.depth[1]), eye)
    raw.raster_valid = int(_inside(n, clip, eye))
    if not raw.raster_valid:
        return
    ndc = [c / clip[3] for c in clip[:3]]
    left, bottom, width, height = raw.viewport
    near, far = raw.depth_range
    depth = _clamp(0.5 * ((far - near) * ndc[2] + far + near), min(near, far), max(near, far))
    raw.raster_position[:] = (
        left + 0.5 * width * (ndc[0] + 1.0), bottom + 0.5 * height * (ndc[1] + 1.0), depth, clip[3]
    )  # fmt: skip
    from_coord = n.key.fog_coord_src == gl.GL_FOG_COORDINATE
    raw.raster_distance = current[VERT_ATTRIB_FOG][0] if from_coord else abs(eye[2])
    if n.key.light.lighting:
        colors = _lit(n, modelview, eye)
    else:
        colors = list(current[VERT_ATTRIB_COLOR0]), list(current[VERT_ATTRIB_COLOR1])
    _set_colors(raw, *colors)
    for unit in range(la.MAX_TEXTURE_UNITS):
        matrix = top(stacks.texture, unit * la.MAX_TEXTURE_STACK + stacks.depth[3 + unit])
        raw.raster_texcoords[unit][:] = _transform(matrix, current[VERT_ATTRIB_TEX0 + unit])


def _set_colors(raw: Any, primary: Vector, secondary: Vector) -> None:
    raw.raster_color[:] = [_clamp(c) for c in primary]
    raw.raster_secondary_color[:] = [_clamp(c) for c in secondary]


def window_pos(ctx: GLContext, x: float, y: float, z: float = 0.0) -> None:
    """Set the raster position in window coordinates: no transform, no lighting, always valid."""
    n = ctx.n
    raw, current = n.raw, n.val.current
    near, far = raw.depth_range
    raw.raster_position[:] = (x, y, near + _clamp(z) * (far - near), 1.0)
    from_coord = n.key.fog_coord_src == gl.GL_FOG_COORDINATE
    raw.raster_distance = current[VERT_ATTRIB_FOG][0] if from_coord else 0.0
    _set_colors(raw, current[VERT_ATTRIB_COLOR0], current[VERT_ATTRIB_COLOR1])
    for unit in range(la.MAX_TEXTURE_UNITS):
        raw.raster_texcoords[unit][:] = list(current[VERT_ATTRIB_TEX0 + unit])
    raw.raster_valid = 1


_TYPES = {"s": ctypes.c_int16, "i": I32, "f": F32, "d": F64}


def _define(name: str, does: Any, size: int, letter: str) -> None:
    """One form: of scalars, and of a pointer to them."""

    def scalars(ctx: GLContext, *args: float) -> None:
        does(ctx, *args)

    def vector(ctx: GLContext, v: Any) -> None:
        does(ctx, *fetch(v, _TYPES[letter], size))

    for function, suffix in ((scalars, ""), (vector, "v")):
        function.__name__ = f"{name}{size}{letter}{suffix}"
        entry(function)


for _name, _does, _sizes in (
    ("glRasterPos", raster_pos, (2, 3, 4)),
    ("glWindowPos", window_pos, (2, 3)),
):
    for _size in _sizes:
        for _letter in _TYPES:
            _define(_name, _does, _size, _letter)

__all__ = ["raster_pos", "window_pos"]
