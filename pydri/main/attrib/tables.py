# SPDX-License-Identifier: MIT
"""What glPushAttrib and glPushClientAttrib save: ONE table from bits to fields of the native
context.

A field may stand under several bits (GL_ENABLE_BIT repeats every switch). Out: rows (bit, offset,
size, place in the saved image, DIRTY_* bits, whether in the key), which attrib/kernels.py turns
into loops over data. Bound texture objects and their parameters are saved by the texture room
(textures/object_kernels.py). GL 2.1, 6.1.13 and tables 6.5 ff.; Mesa: main/attrib.c.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pydri.api.enums as gl
from pydri.main import layout as la
from pydri.main.arrays.layout import VERTEX_BUFFERS, VertexArray
from pydri.main.layout import GLContext
from pydri.main.state.enable_tables import CAPS

_L, _V, _T, _S = la.DIRTY_LIGHT, la.DIRTY_VIEWPORT, la.DIRTY_TEXTURE, la.DIRTY_STENCIL

_RASTER = (
    "raw.raster_valid raw.raster_position raw.raster_distance raw.raster_color "
    "raw.raster_secondary_color raw.raster_texcoords"
)
_TRANSFER = (
    "raw.pixel_scale raw.pixel_bias raw.index_shift raw.index_offset raw.map_color raw.map_stencil"
)
_STENCIL = "raw.stencil_ref raw.stencil_mask raw.stencil_writemask"

#: bit -> ((dirty bits, fields), ...)
GROUPS: dict[int, tuple[tuple[int, str], ...]] = {
    gl.GL_CURRENT_BIT: ((0, "val.current raw.edge_flag " + _RASTER),),
    gl.GL_POINT_BIT: (
        (
            _V,
            "val.point_size val.point_size_min val.point_size_max "
            "val.point_fade val.point_attenuation "
            "raw.point_sprite_origin key.point_smooth key.point_attenuated",
        ),
        (_T, "key.point_sprite"),
    ),
    gl.GL_LINE_BIT: (
        (_V, "raw.line_width raw.line_stipple_factor raw.line_stipple_pattern"),
        (0, "key.line_smooth key.line_stipple"),
    ),
    gl.GL_POLYGON_BIT: (
        (
            _V,
            "raw.cull_enabled raw.cull_face_mode raw.front_face raw.offset_point raw.offset_line "
            "raw.offset_fill raw.offset_factor raw.offset_units raw.offset_clamp "
            "key.polygon_front key.polygon_back",
        ),
        (0, "key.polygon_smooth key.polygon_stipple"),
    ),
    gl.GL_POLYGON_STIPPLE_BIT: ((_V, "raw.polygon_stipple"),),
    gl.GL_PIXEL_MODE_BIT: ((la.DIRTY_FB, "raw.read_buffer"), (0, "raw.pixel_zoom " + _TRANSFER)),
    gl.GL_LIGHTING_BIT: (
        (
            _L,
            "key.light.lighting key.light.two_side key.light.local_viewer "
            "key.light.separate_specular "
            "key.light.color_material key.light.flags key.light.color_material_face "
            "key.light.color_material_mode val.light_model_ambient val.lights val.materials "
            "raw.light_model_color_control",
        ),
        (0, "key.shade_model"),
        (la.DIRTY_TARGET, "raw.clamp_vertex"),
    ),
    gl.GL_FOG_BIT: (
        (
            la.DIRTY_FOG,
            "key.fog key.fog_mode key.fog_coord_src key.fog_distance_mode val.frag.fog_color "
            "raw.given_fog_color "
            "val.frag.fog_density val.frag.fog_start val.frag.fog_end",
        ),
        (0, "raw.fog_index key.color_sum"),
    ),
    gl.GL_DEPTH_BUFFER_BIT: ((0, "key.depth_test key.depth_func key.depth_mask raw.clear_depth"),),
    gl.GL_ACCUM_BUFFER_BIT: ((0, "raw.clear_accum"),),
    gl.GL_STENCIL_BUFFER_BIT: (
        (
            _S,
            "key.stencil_test key.stencil_two_side key.stencil raw.stencil_active_face "
            "raw.clear_stencil " + _STENCIL,
        ),
    ),
    gl.GL_VIEWPORT_BIT: ((_V, "raw.viewport raw.depth_range"),),
    gl.GL_TRANSFORM_BIT: (
        (la.DIRTY_CLIP, "key.clip_planes val.clip_planes"),
        (0, "matrix.mode matrix.mode_enum key.depth_clamp raw.raster_unclipped"),
        (_V, "raw.clip_origin raw.clip_depth_mode"),
        (la.DIRTY_MODELVIEW, "key.light.normalize key.light.rescale_normal"),
    ),
    gl.GL_COLOR_BUFFER_BIT: (
        (la.DIRTY_FB, "raw.draw_buffer raw.more_draw_buffers"),
        (la.DIRTY_TARGET, "raw.clamp_fragment raw.clamp_read"),
        (
            0,
            "key.alpha_test key.alpha_func dyn.alpha_ref raw.given_alpha_ref key.blend "
            "key.blend_eq_rgb key.blend_eq_alpha "
            "key.blend_src_rgb key.blend_dst_rgb key.blend_src_alpha "
            "key.blend_dst_alpha key.blend_apart key.other_blends dyn.blend_color "
            "key.color_logic_op raw.index_logic_op key.logic_op key.dither "
            "key.color_mask raw.index_mask key.framebuffer_srgb "
            "raw.clear_color raw.clear_index",
        ),
    ),
    gl.GL_HINT_BIT: ((0, "raw.hints"),),
    gl.GL_EVAL_BIT: (
        (
            0,
            "raw.auto_normal raw.map1_enabled raw.map2_enabled "
            "raw.map1_domain raw.map2_domain raw.map1_segments raw.map2_segments",
        ),
    ),
    gl.GL_LIST_BIT: ((0, "raw.list_base"),),
    gl.GL_TEXTURE_BIT: (
        (
            _T,
            "raw.seamless raw.active_texture raw.texture_enabled raw.texgen_enabled raw.texenv "
            "raw.texgen_mode "
            "val.texgen val.frag.tex_env_color raw.given_env_color",
        ),
    ),
    gl.GL_SCISSOR_BIT: ((_V, "raw.scissor_enabled raw.scissor"),),
    gl.GL_MULTISAMPLE_BIT: (
        (0, "key.multisample"),
        (_V, "key.sample_flags raw.sample_coverage_value raw.sample_coverage_invert "
             "raw.sample_mask_value"),
    ),
    gl.GL_ENABLE_BIT: tuple(
        {(cap.dirty, cap.path.partition("[")[0]): None for cap in CAPS if cap.saved}
    ),
}

_PACK = "pixel.pack_invert pixel.pack_buffer pixel.unpack_buffer"
CLIENT_GROUPS: dict[int, tuple[tuple[int, str], ...]] = {
    gl.GL_CLIENT_PIXEL_STORE_BIT: (
        (0, "raw.pack raw.unpack raw.pack_blocks raw.unpack_blocks"), (0, _PACK),
    ),
    gl.GL_CLIENT_VERTEX_ARRAY_BIT: (
        (0, "buffers.array arrays.client_active_texture"),
        (0, "vao.attribs vao.buffers vao.element_buffer vao.enabled vao.name"),
        (0, "raw.restart raw.restart_fixed raw.restart_index"),
    ),
}


#: which of these fields are references to objects with names (names/object_kernels.py)
CLIENT_REFERENCES: dict[int, tuple[str, ...]] = {
    gl.GL_CLIENT_PIXEL_STORE_BIT: ("pixel.pack_buffer", "pixel.unpack_buffer"),
    gl.GL_CLIENT_VERTEX_ARRAY_BIT: (
        "buffers.array",
        "vao.element_buffer",
        *(f"vao.buffers[{n}].buffer" for n in range(VERTEX_BUFFERS)),
    ),
}


class Row(NamedTuple):
    """One run of bytes: in the context at `offset`, in the saved image at `place`."""

    bit: int
    offset: int
    size: int
    place: int
    dirty: int
    in_key: bool
    in_vao: bool = False  # `offset` counts from the bound vertex array object


def _field(path: str) -> tuple[int, int]:
    block, _, rest = path.partition(".")
    base, path = (VertexArray, rest) if block == "vao" else (GLContext, path)
    here: Any = base
    for part in path.split("."):
        here = here.fields[part].type
    return base.offset(path), here.size


def _rows(groups: dict[int, tuple[tuple[int, str], ...]]) -> tuple[list[Row], int]:
    """Rows of a table, neighbours joined, and the size of a saved image."""
    rows: list[Row] = []
    place = 0
    for bit, parts in groups.items():
        fields = sorted(
            (path.startswith("vao."), *_field(path), dirty, path.startswith("key."))
            for dirty, text in parts
            for path in text.split()
        )
        for in_vao, offset, size, dirty, in_key in fields:
            last = rows[-1] if rows else None
            if (
                last
                and last.bit == bit
                and last.offset + last.size == offset
                and (last.dirty, last.in_key, last.in_vao) == (dirty, in_key, in_vao)
            ):
                rows[-1] = last._replace(size=last.size + size)
            else:
                rows.append(Row(bit, offset, size, place, dirty, in_key, in_vao))
            place += size
    return rows, (place + 63) // 64 * 64


class Reference(NamedTuple):
    """One reference: in the context, or the bound vertex array object, and in the saved image."""

    bit: int
    offset: int
    place: int
    in_vao: bool


def _references(groups: dict[int, tuple[str, ...]], rows: list[Row]) -> list[Reference]:
    out = []
    for bit, paths in groups.items():
        for path in paths:
            in_vao = path.startswith("vao.")
            offset = VertexArray.offset(path[4:]) if in_vao else GLContext.offset(path)
            (row,) = (
                r
                for r in rows
                if (r.bit, r.in_vao) == (bit, in_vao) and r.offset <= offset < r.offset + r.size
            )
            out.append(Reference(bit, offset, row.place + offset - row.offset, in_vao))
    return out


SAVED, SAVED_BYTES = _rows(GROUPS)
CLIENT_SAVED, CLIENT_BYTES = _rows(CLIENT_GROUPS)
REFERENCES = _references(CLIENT_REFERENCES, CLIENT_SAVED)
