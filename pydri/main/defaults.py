# SPDX-License-Identifier: MIT
"""The initial state of a context (GL 2.1, tables 6.5 to 6.37), written into a zeroed native
struct.

In: the ctypes view of a fresh GLContext. Out: defaults; what is zero or false by default is not
mentioned. What is the same in every context (`fixed`) is in fact copied (default_kernels.py); the
rest (`begin`) hangs on its API, its driver and its address.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pydri.api.enums as gl
from pydri.api.apis import DESKTOP, ES1, ES2
from pydri.main import layout as la
from pydri.main.get.layout import fill
from pydri.main.matrix.layout import (
    MAX_MODELVIEW_STACK,
    MAX_PROGRAM_MATRICES,
    MAX_PROGRAM_STACK,
    MAX_TEXTURE_STACK,
)
from pydri.main.textures.layout import FIRST_ENV, MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS
from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR1,
    VERT_ATTRIB_COLOR_INDEX,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_FOG,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_POINT_SIZE,
)
from pydri.pipe.caps import EVERYTHING, Caps
from pydri.pipe.format import number
from pydri.pipe.native import EACH_TARGET

# Arguments of texture combination (ARB_texture_env_combine; the fourth: NV_texture_env_combine4).
_SOURCES = (gl.GL_TEXTURE, gl.GL_PREVIOUS, gl.GL_CONSTANT, gl.GL_ZERO)
_OPERANDS_RGB = (
    gl.GL_SRC_COLOR, gl.GL_SRC_COLOR, gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_COLOR,
)
_OPERANDS_ALPHA = (gl.GL_SRC_ALPHA,) * 3 + (gl.GL_ONE_MINUS_SRC_ALPHA,)


def _key(key: Any) -> None:
    key.light.color_material_face = gl.GL_FRONT_AND_BACK
    key.light.color_material_mode = gl.GL_AMBIENT_AND_DIFFUSE
    key.shade_model = gl.GL_SMOOTH
    key.polygon_front = key.polygon_back = gl.GL_FILL
    key.dither = key.depth_mask = key.multisample = 1
    key.color_mask = 15 * EACH_TARGET
    key.fog_mode = gl.GL_EXP
    key.fog_coord_src = gl.GL_FRAGMENT_DEPTH
    key.fog_distance_mode = gl.GL_EYE_PLANE_ABSOLUTE_NV
    key.alpha_func = gl.GL_ALWAYS
    key.depth_func = gl.GL_LESS
    for side in key.stencil:
        side.func = gl.GL_ALWAYS
        side.fail = side.zfail = side.zpass = gl.GL_KEEP
    key.blend_eq_rgb = key.blend_eq_alpha = gl.GL_FUNC_ADD
    key.blend_src_rgb = key.blend_src_alpha = gl.GL_ONE
    key.blend_dst_rgb = key.blend_dst_alpha = gl.GL_ZERO
    key.logic_op = gl.GL_COPY
    key.provoking = gl.GL_LAST_VERTEX_CONVENTION


def _values(val: Any) -> None:
    for i, light in enumerate(val.lights):
        bright = (1.0, 1.0, 1.0, 1.0) if i == 0 else (0.0, 0.0, 0.0, 1.0)
        light.ambient[:] = (0.0, 0.0, 0.0, 1.0)
        light.diffuse[:] = light.specular[:] = bright
        light.position[:] = (0.0, 0.0, 1.0, 0.0)
        light.spot_direction[:] = (0.0, 0.0, -1.0, 0.0)
        light.spot_cutoff = 180.0
        light.spot_cos_cutoff = 0.0
        light.constant_attenuation = 1.0
    val.light_model_ambient[:] = (0.2, 0.2, 0.2, 1.0)
    for material in val.materials:
        material.ambient[:] = (0.2, 0.2, 0.2, 1.0)
        material.diffuse[:] = (0.8, 0.8, 0.8, 1.0)
        material.specular[:] = material.emission[:] = (0.0, 0.0, 0.0, 1.0)
        material.indexes[:] = (0.0, 1.0, 1.0, 0.0)
    val.frag.fog_density = val.frag.fog_end = 1.0
    for current in val.current:
        current[3] = 1.0
    val.current[VERT_ATTRIB_NORMAL][2] = 1.0
    val.current[VERT_ATTRIB_COLOR0][:] = (1.0, 1.0, 1.0, 1.0)
    for slot in (VERT_ATTRIB_COLOR_INDEX, VERT_ATTRIB_EDGEFLAG, VERT_ATTRIB_POINT_SIZE):
        val.current[slot][0] = 1.0
    val.point_size = val.point_fade = 1.0
    val.point_attenuation[0] = 1.0
    for unit in range(MAX_TEXTURE_UNITS):
        for planes in (val.texgen[2 * unit], val.texgen[2 * unit + 1]):
            planes[0] = planes[5] = 1.0  # s = (1,0,0,0), t = (0,1,0,0)


def _raw(raw: Any) -> None:
    raw.depth_range[1] = raw.clear_depth = 1.0
    raw.clip_origin, raw.clip_depth_mode = gl.GL_LOWER_LEFT, gl.GL_NEGATIVE_ONE_TO_ONE
    raw.cull_face_mode = gl.GL_BACK
    raw.front_face = gl.GL_CCW
    raw.clamp_vertex, raw.clamp_fragment = gl.GL_TRUE, gl.GL_FIXED_ONLY
    raw.clamp_read = gl.GL_FIXED_ONLY
    raw.line_width = 1.0
    for side in range(3):
        # all ones of the deepest stencil buffer there is, as Mesa
        raw.stencil_mask[side] = raw.stencil_writemask[side] = 0xFF
    raw.stencil_active_face = gl.GL_FRONT
    raw.line_stipple_factor, raw.line_stipple_pattern = 1, 0xFFFF
    raw.polygon_stipple[:] = (0xFFFFFFFF,) * 32
    raw.hints[:] = (gl.GL_DONT_CARE,) * 8
    raw.compiler_threads = -1  # as many as the driver likes
    raw.index_mask = -1
    raw.pack[0] = raw.unpack[0] = 4
    raw.light_model_color_control = gl.GL_SINGLE_COLOR
    raw.point_sprite_origin = gl.GL_UPPER_LEFT
    raw.edge_flag = raw.raster_valid = 1
    raw.sample_coverage_value = 1.0
    raw.sample_mask_value = 0xFFFFFFFF
    raw.raster_position[3] = raw.raster_secondary_color[3] = 1.0
    raw.raster_color[:] = (1.0, 1.0, 1.0, 1.0)
    for coords in raw.raster_texcoords:
        coords[3] = 1.0
    raw.pixel_zoom[:] = (1.0, 1.0)
    raw.pixel_scale[:] = (1.0,) * 5
    raw.pixel_map_size[:] = (1,) * 10
    raw.map1_domain[:] = (0.0, 1.0)
    raw.map2_domain[:] = (0.0, 1.0, 0.0, 1.0)
    raw.map1_segments = 1
    raw.map2_segments[:] = (1, 1)
    for env in raw.texenv:
        env.mode = env.combine_rgb = env.combine_alpha = gl.GL_MODULATE
        env.source_rgb[:] = env.source_alpha[:] = _SOURCES
        env.operand_rgb[:] = _OPERANDS_RGB
        env.operand_alpha[:] = _OPERANDS_ALPHA
        env.scale_rgb = env.scale_alpha = 1.0
        env.packed = FIRST_ENV
    raw.texgen_mode[:] = (gl.GL_EYE_LINEAR,) * (4 * MAX_TEXTURE_UNITS)


def _matrices(m: Any) -> None:
    m.mode_enum = gl.GL_MODELVIEW
    m.limit = MAX_MODELVIEW_STACK
    m.dirty_bit = la.DIRTY_MODELVIEW
    bases = [m.modelview, m.projection]
    for base in bases:
        for k in range(0, 16, 5):
            base[k] = 1.0
    for unit in range(MAX_IMAGE_UNITS):
        for k in range(0, 16, 5):
            m.texture[16 * MAX_TEXTURE_STACK * unit + k] = 1.0
    for program in range(MAX_PROGRAM_MATRICES):
        for k in range(0, 16, 5):
            m.program[16 * MAX_PROGRAM_STACK * program + k] = 1.0


#: size and type of the arrays that are not four floats
ARRAY_DEFAULTS: dict[int, tuple[int, int, str]] = {
    VERT_ATTRIB_NORMAL: (3, gl.GL_FLOAT, "R32G32B32_FLOAT"),
    VERT_ATTRIB_COLOR1: (3, gl.GL_FLOAT, "R32G32B32_FLOAT"),
    VERT_ATTRIB_FOG: (1, gl.GL_FLOAT, "R32_FLOAT"),
    VERT_ATTRIB_COLOR_INDEX: (1, gl.GL_FLOAT, "R32_FLOAT"),
    VERT_ATTRIB_EDGEFLAG: (1, gl.GL_UNSIGNED_BYTE, "R8_USCALED"),
    VERT_ATTRIB_POINT_SIZE: (1, gl.GL_FLOAT, "R32_FLOAT"),
}


def vertex_array(vao: Any) -> None:
    """The initial state of a vertex array object: a zeroed VertexArray."""
    four = number("R32G32B32A32_FLOAT")
    for slot, array in enumerate(vao.attribs):
        array.binding = slot
        if slot in ARRAY_DEFAULTS:
            size, kind, format_name = ARRAY_DEFAULTS[slot]
            array.size, array.type, array.format = size, kind, number(format_name)
            array.bytes = size * (1 if kind == gl.GL_UNSIGNED_BYTE else 4)
        else:
            array.size, array.type, array.format, array.bytes = 4, gl.GL_FLOAT, four, 16
        vao.buffers[slot].stride = array.bytes
    vao.stale = 1


def fixed(n: Any) -> None:
    """The part of the initial state that all contexts share; `n`: zeroed."""
    _key(n.key)
    _values(n.val)
    _raw(n.raw)
    _matrices(n.matrix)
    vertex_array(n.arrays.default)
    n.arrays.default.references = 1  # it never dies
    n.arrays.default.own = 1  # it is bound
    n.feedback.type = gl.GL_2D
    n.dyn.const0_size = la.ValueBlock.size
    n.dyn.line_width = n.dyn.point_size = 1.0
    n.key_dirty = 1
    n.dirty = la.DIRTY_ALL


def begin(n: Any, caps: Caps = EVERYTHING) -> None:
    """Write the rest of the initial state, on a driver with `caps`. API and visual block are filled
    before: they decide the draw buffer."""
    address = ctypes.addressof(n)

    def put(path: str, kind: Any, value: float) -> None:
        # no view, which a start would have to make for it: one field of many is wanted
        kind.from_address(address + la.GLContext.offset(path)).value = value

    fill(n.limits, caps)
    put("val.point_size_max", ctypes.c_float, caps.max_point_size)
    for pointer, to in (
        ("matrix.top", "matrix.modelview"), ("arrays.vao", "arrays.default"), ("dyn.const0", "val"),
    ):  # fmt: skip
        put(pointer, ctypes.c_uint64, address + la.GLContext.offset(to))
    put("arrays.default.owner", ctypes.c_uint64, address)
    # in OpenGL ES GL_BACK is that of a single-buffered window, too (3.0, 4.2.1)
    back = n.visual.double_buffer or not n.api & DESKTOP
    n.raw.draw_buffer = n.raw.read_buffer = gl.GL_BACK if back else gl.GL_FRONT
    if n.api == ES1:
        n.raw.texgen_mode[:] = (gl.GL_REFLECTION_MAP,) * (4 * MAX_TEXTURE_UNITS)
    if n.api == ES2:
        n.dyn.points_unbounded = 1


def initialise(n: Any, caps: Caps = EVERYTHING) -> None:
    """Write the whole initial state (where there is no core to copy it)."""
    fixed(n)
    begin(n, caps)
