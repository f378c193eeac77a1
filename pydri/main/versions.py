# SPDX-License-Identifier: MIT
"""The versions of each API, a row each: what they need of the driver. Only what works has a row.
Mesa: the compute_version functions of main/version.c.
"""

from __future__ import annotations

from typing import NamedTuple

from pydri.api.apis import COMPAT, DESKTOP, ES1, ES2
from pydri.main.extensions import EXTENSIONS, NUMBERS
from pydri.pipe.caps import EVERYTHING
from pydri.pipe.interface import PipeScreen


class Version(NamedTuple):
    """A version of an API: the version of the shading language that comes with it (0: none; it is
    the compiler's best, which takes the older ones, too), extensions that it has made its own and
    that not every driver has, and least values of fields of Caps (the tables of minimum values of
    its specification)."""

    api: int
    number: tuple[int, int]
    glsl: int
    extensions: tuple[str, ...] = ()
    limits: tuple[tuple[str, float], ...] = ()

    def holds(self, screen: PipeScreen | None) -> bool:
        """Whether a driver suffices; None can do everything."""
        rows = [EXTENSIONS[NUMBERS[name.removeprefix("GL_")]] for name in self.extensions]
        if not all(row.holds(screen) for row in rows):
            return False
        caps = screen.get_caps() if screen is not None else EVERYTHING
        return all(getattr(caps, field) >= least for field, least in self.limits)


#: a version is offered where it and all before it hold; in the order of their numbers
VERSIONS: tuple[Version, ...] = (
    Version(COMPAT, (1, 0), 0),
    Version(COMPAT, (1, 1), 0, (
        "GL_EXT_vertex_array", "GL_EXT_polygon_offset", "GL_EXT_texture", "GL_EXT_texture_object",
        "GL_EXT_subtexture", "GL_EXT_copy_texture",
    )),
    Version(COMPAT, (1, 2), 0, (
        "GL_EXT_bgra", "GL_EXT_packed_pixels", "GL_EXT_draw_range_elements", "GL_EXT_texture3D",
        "GL_SGIS_texture_edge_clamp", "GL_SGIS_texture_lod",
    ), (("max_texture_3d_size", 16),)),
    Version(COMPAT, (1, 3), 0, (
        "GL_ARB_multisample", "GL_ARB_transpose_matrix", "GL_ARB_texture_compression",
        "GL_ARB_texture_cube_map", "GL_ARB_multitexture", "GL_ARB_texture_env_add",
        "GL_ARB_texture_env_combine", "GL_ARB_texture_env_dot3", "GL_ARB_texture_border_clamp",
    ), (("max_texture_cube_size", 16),)),
    Version(COMPAT, (1, 4), 0, (
        "GL_EXT_fog_coord", "GL_EXT_secondary_color", "GL_EXT_blend_func_separate",
        "GL_ARB_depth_texture", "GL_ARB_shadow", "GL_SGIS_generate_mipmap",
        "GL_EXT_texture_lod_bias", "GL_ARB_texture_mirrored_repeat",
        "GL_ARB_texture_env_crossbar",
    ), (("max_texture_lod_bias", 2.0),)),
    Version(COMPAT, (1, 5), 0, (
        "GL_ARB_vertex_buffer_object", "GL_ARB_occlusion_query", "GL_EXT_shadow_funcs",
    )),
    Version(COMPAT, (2, 0), 120, (
        "GL_ARB_shader_objects", "GL_ARB_vertex_shader", "GL_ARB_fragment_shader",
        "GL_ARB_shading_language_100", "GL_ARB_draw_buffers", "GL_ARB_texture_non_power_of_two",
        "GL_ARB_point_sprite", "GL_EXT_blend_equation_separate", "GL_EXT_stencil_two_side",
    ), (("max_render_targets", 1), ("max_texture_2d_size", 64))),
    Version(COMPAT, (2, 1), 120, ("GL_ARB_pixel_buffer_object", "GL_EXT_texture_sRGB")),
    Version(DESKTOP, (3, 0), 130, (
        "GL_ARB_color_buffer_float", "GL_ARB_depth_buffer_float", "GL_ARB_framebuffer_object",
        "GL_ARB_half_float_pixel", "GL_ARB_half_float_vertex", "GL_ARB_map_buffer_range",
        "GL_ARB_shader_texture_lod", "GL_ARB_texture_compression_rgtc", "GL_ARB_texture_float",
        "GL_ARB_texture_rg", "GL_ARB_vertex_array_object", "GL_EXT_draw_buffers2",
        "GL_EXT_framebuffer_sRGB", "GL_EXT_gpu_shader4", "GL_EXT_packed_float",
        "GL_EXT_texture_array", "GL_EXT_texture_integer", "GL_EXT_texture_shared_exponent",
        "GL_EXT_transform_feedback", "GL_NV_conditional_render",
    ), (
        ("max_render_targets", 8), ("max_texture_2d_size", 1024), ("max_texture_3d_size", 256),
        ("max_texture_cube_size", 1024), ("max_texture_array_layers", 256),
        ("max_stream_output_buffers", 4),
    )),
    Version(DESKTOP, (3, 1), 140, (
        "GL_ARB_copy_buffer", "GL_ARB_draw_instanced", "GL_ARB_texture_buffer_object",
        "GL_ARB_texture_rectangle", "GL_ARB_uniform_buffer_object", "GL_EXT_texture_snorm",
        "GL_NV_primitive_restart",
    ), (
        ("max_uniform_buffer_bindings", 24), ("max_stage_constant_buffers", 12),
        ("max_constant_buffer_size", 16384), ("max_texel_buffer_elements", 65536),
    )),
    Version(DESKTOP, (3, 2), 150, (
        "GL_ARB_depth_clamp", "GL_ARB_draw_elements_base_vertex",
        "GL_ARB_fragment_coord_conventions", "GL_ARB_provoking_vertex", "GL_ARB_seamless_cube_map",
        "GL_ARB_sync", "GL_ARB_texture_multisample", "GL_ARB_vertex_array_bgra",
    ), (("geometry_shader", True), ("max_uniform_buffer_bindings", 36))),
    Version(DESKTOP, (3, 3), 330, (
        "GL_ARB_blend_func_extended", "GL_ARB_explicit_attrib_location", "GL_ARB_instanced_arrays",
        "GL_ARB_occlusion_query2", "GL_ARB_sampler_objects", "GL_ARB_shader_bit_encoding",
        "GL_ARB_texture_rgb10_a2ui", "GL_ARB_texture_swizzle", "GL_ARB_timer_query",
        "GL_ARB_vertex_type_2_10_10_10_rev",
    )),
    Version(ES1, (1, 0), 0, (
        "GL_EXT_packed_pixels", "GL_EXT_texture_object", "GL_SGIS_texture_edge_clamp",
        "GL_ARB_multisample", "GL_ARB_multitexture", "GL_OES_fixed_point",
        "GL_OES_byte_coordinates", "GL_OES_compressed_paletted_texture", "GL_OES_single_precision",
    ), (("max_texture_2d_size", 64),)),
    Version(ES1, (1, 1), 0, (
        "GL_ARB_vertex_buffer_object", "GL_ARB_texture_env_combine", "GL_ARB_texture_env_dot3",
        "GL_SGIS_generate_mipmap", "GL_ARB_point_parameters", "GL_OES_point_sprite",
        "GL_OES_point_size_array",
    )),
    Version(ES2, (2, 0), 100, (
        "GL_ARB_ES2_compatibility", "GL_ARB_texture_cube_map", "GL_ARB_vertex_shader",
        "GL_ARB_fragment_shader", "GL_ARB_texture_non_power_of_two", "GL_EXT_framebuffer_object",
        "GL_EXT_blend_equation_separate",
    ), (("max_render_targets", 1), ("max_texture_2d_size", 64), ("max_texture_cube_size", 16))),
    Version(ES2, (3, 0), 300, (
        "GL_ARB_ES3_compatibility", "GL_ARB_color_buffer_float", "GL_ARB_copy_buffer",
        "GL_ARB_depth_buffer_float", "GL_ARB_draw_instanced", "GL_ARB_framebuffer_object",
        "GL_ARB_instanced_arrays", "GL_ARB_map_buffer_range", "GL_ARB_occlusion_query2",
        "GL_ARB_sampler_objects", "GL_ARB_sync", "GL_ARB_texture_float",
        "GL_ARB_texture_rgb10_a2ui", "GL_ARB_texture_storage", "GL_ARB_texture_swizzle",
        "GL_ARB_transform_feedback2", "GL_ARB_uniform_buffer_object",
        "GL_ARB_vertex_array_object", "GL_ARB_vertex_type_2_10_10_10_rev",
        "GL_EXT_packed_float", "GL_EXT_texture_array", "GL_EXT_texture_integer",
        "GL_EXT_texture_sRGB", "GL_EXT_texture_shared_exponent", "GL_EXT_texture_snorm",
    ), (
        ("max_render_targets", 4), ("max_texture_2d_size", 2048), ("max_texture_3d_size", 256),
        ("max_texture_cube_size", 2048), ("max_texture_array_layers", 256),
        ("max_stream_output_buffers", 4), ("max_uniform_buffer_bindings", 24),
        ("max_stage_constant_buffers", 12), ("max_constant_buffer_size", 16384),
    )),
)  # fmt: skip
