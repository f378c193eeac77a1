# SPDX-License-Identifier: MIT
"""The extensions, a row each: for which API, from which version on, and what they need of the
driver. Only what works has a row. Mesa: main/extensions_table.h.
"""

from __future__ import annotations

from typing import NamedTuple

from pydri.api.apis import COMPAT, DESKTOP, ES1, ES2
from pydri.pipe.format import BY_NAME
from pydri.pipe.interface import PipeScreen
from pydri.pipe.resource import (
    BIND_DEPTH,
    BIND_RENDER,
    BIND_SAMPLED,
    TARGET_2D,
    TARGET_2D_ARRAY,
    TARGET_2D_MS,
    TARGET_3D,
    TARGET_CUBE,
    TARGET_CUBE_ARRAY,
    TARGET_RECT,
)

BOTH = DESKTOP
ALL, _OLD = DESKTOP | ES2, COMPAT | ES2
_CULLS = ("max_cull_distances",)
ES, EVERY = ES1 | ES2, DESKTOP | ES1 | ES2


class Extension(NamedTuple):
    """What must hold for an extension to be advertised."""

    name: str
    year: int  # of its last revision (MESA_EXTENSION_MAX_YEAR hides the younger ones)
    api: int  # bits of those that have it
    since: tuple[int, int] = (1, 0)  # least version of the context
    needs: tuple[str, ...] = ()  # fields of Caps that are not 0
    formats: tuple[str, ...] = ()  # PipeFormats that can be drawn to
    sampled: tuple[str, ...] = ()  # PipeFormats that can be sampled, in textures of a target
    target: int = TARGET_2D
    samples: int = 1  # of these textures
    glsl: bool = False  # shaders name it, too
    since_es: tuple[int, int] = (1, 0)  # least version of OpenGL ES

    def comes_with(self, api: int, number: tuple[int, int]) -> bool:
        """Whether a version of an API suffices."""
        return bool(self.api & api) and number >= (self.since if api & DESKTOP else self.since_es)

    def holds(self, screen: PipeScreen | None) -> bool:
        """Whether a driver can do what this needs; None can do everything."""
        if screen is None or not (self.needs or self.formats or self.sampled):
            return True
        caps = screen.get_caps()
        return all(getattr(caps, need) for need in self.needs) and all(
            _can_draw_to(screen, name) for name in self.formats
        ) and all(
            _can_sample(screen, name, self.target, self.samples) for name in self.sampled
        )


def _can_sample(screen: PipeScreen, name: str, target: int, samples: int) -> bool:
    row = BY_NAME[name]
    held = BY_NAME[row.decoded] if row.codec else row
    return screen.is_format_supported(held.number, target, samples, BIND_SAMPLED)


def _can_draw_to(screen: PipeScreen, name: str) -> bool:
    row = BY_NAME[name]
    bind = BIND_DEPTH if row.kind == "zs" else BIND_RENDER
    return screen.is_format_supported(row.number, TARGET_2D, 1, bind)


_RGBA, _DEPTH, _FLOAT = ("R8G8B8A8_UNORM",), ("Z24X8_UNORM",), ("R16G16B16A16_FLOAT",)
_TARGETS = ("R8G8B8A8_UNORM", "Z24_UNORM_S8_UINT")
_DXT, _LATC = ("DXT1_RGB", "DXT1_RGBA", "DXT3_RGBA", "DXT5_RGBA"), ("LATC1_UNORM", "LATC2_UNORM")
_ETC = ("ETC2_RGB", "ETC2_SRGBA", "EAC1_UNORM", "EAC2_SNORM")
_BPTC = ("BPTC_RGBA", "BPTC_SRGBA", "BPTC_RGB_FLOAT", "BPTC_RGB_UFLOAT")
_ASTC = ("ASTC_4x4", "ASTC_12x12_SRGB")
_RGTC, _FXT = ("RGTC1_UNORM", "RGTC2_UNORM"), ("FXT1_RGB", "FXT1_RGBA")
_INTEGERS = ("R8G8B8A8_SINT", "R16G16B16A16_UINT", "R32G32B32A32_UINT", "L8_UINT", "I16_SINT")
_SRGB = ("R8G8B8A8_SRGB", "L8_SRGB", "DXT1_SRGB")


def _textures(
    *rows: tuple[str, int, int, tuple[str, ...]], target: int = TARGET_2D, glsl: bool = False,
    since_es: tuple[int, int] = (1, 0),
) -> tuple[Extension, ...]:  # fmt: skip
    """Rows of textures: name without GL_, year, APIs, formats that can be sampled."""
    return tuple(
        Extension(f"GL_{name}", year, api, sampled=formats, target=target, glsl=glsl,
                  since_es=since_es)
        for name, year, api, formats in rows
    )


TEXTURES = (
    *_textures(
        ("EXT_texture", 1996, COMPAT, _RGBA), ("EXT_texture_object", 1995, COMPAT, _RGBA),
    ),
    *_textures(("EXT_subtexture", 1995, COMPAT, _RGBA), ("EXT_copy_texture", 1995, COMPAT, _RGBA)),
    *_textures(("EXT_texture3D", 1996, COMPAT, _RGBA), target=TARGET_3D),
    *_textures(
        ("ARB_texture_cube_map", 1999, COMPAT, _RGBA),
        ("EXT_texture_cube_map", 2001, COMPAT, _RGBA),
        ("NV_texgen_reflection", 1999, COMPAT, _RGBA),
        target=TARGET_CUBE,
    ),
    *_textures(("ARB_texture_rectangle", 2004, BOTH, _RGBA), target=TARGET_RECT, glsl=True),
    *_textures(
        ("EXT_texture_rectangle", 2004, COMPAT, _RGBA),
        ("NV_texture_rectangle", 2000, COMPAT, _RGBA),
        target=TARGET_RECT,
    ),
    *_textures(
        ("EXT_texture_array", 2006, BOTH, _RGBA),
        target=TARGET_2D_ARRAY, glsl=True,
    ),
    *_textures(("ARB_multitexture", 1998, COMPAT, _RGBA)),
    *_textures(
        # environments
        ("ARB_texture_env_add", 1999, COMPAT, _RGBA), ("EXT_texture_env_add", 1999, COMPAT, _RGBA),
        ("ARB_texture_env_combine", 2001, COMPAT, _RGBA),
        ("EXT_texture_env_combine", 2000, COMPAT, _RGBA),
        ("ARB_texture_env_crossbar", 2001, COMPAT, _RGBA),
        ("ARB_texture_env_dot3", 2001, COMPAT, _RGBA),
        ("EXT_texture_env_dot3", 2000, COMPAT, _RGBA),
        ("ATI_texture_env_combine3", 2002, COMPAT, _RGBA),
        ("NV_texture_env_combine4", 1999, COMPAT, _RGBA),
        ("EXT_texture_lod_bias", 1999, COMPAT | ES1, _RGBA),
        # wraps, levels, filters
        ("ARB_texture_border_clamp", 2000, COMPAT, _RGBA),
        ("SGIS_texture_border_clamp", 1997, COMPAT, _RGBA),
        ("EXT_texture_edge_clamp", 1997, COMPAT, _RGBA),
        ("SGIS_texture_edge_clamp", 1997, COMPAT, _RGBA),
        ("ARB_texture_mirrored_repeat", 2001, COMPAT, _RGBA),
        ("IBM_texture_mirrored_repeat", 1998, COMPAT, _RGBA),
        ("ARB_texture_mirror_clamp_to_edge", 2013, BOTH, _RGBA),
        ("EXT_texture_mirror_clamp", 2004, BOTH, _RGBA),
        ("ATI_texture_mirror_once", 2006, BOTH, _RGBA),
        ("SGIS_texture_lod", 1997, COMPAT, _RGBA), ("SGIS_generate_mipmap", 1997, COMPAT, _RGBA),
        ("ARB_texture_filter_anisotropic", 2017, BOTH, _RGBA),
        ("EXT_texture_filter_anisotropic", 1999, EVERY, _RGBA),
        ("ARB_texture_non_power_of_two", 2003, BOTH, _RGBA),
        ("ARB_texture_swizzle", 2008, BOTH, _RGBA), ("EXT_texture_swizzle", 2008, BOTH, _RGBA),
        # depths
        ("ARB_depth_texture", 2001, COMPAT, _DEPTH), ("ARB_shadow", 2001, COMPAT, _DEPTH),
        ("EXT_shadow_funcs", 2002, COMPAT, _DEPTH),
        # formats
        ("ARB_texture_float", 2004, BOTH, _FLOAT), ("ATI_texture_float", 2002, BOTH, _FLOAT),
        ("ARB_texture_rg", 2008, BOTH, ("R8_UNORM", "R8G8_UNORM", "R16G16_FLOAT")),
        ("EXT_texture_snorm", 2009, BOTH, ("R8G8B8A8_SNORM", "R16G16B16A16_SNORM", "L8_SNORM")),
        ("MESA_texture_signed_rgba", 2009, BOTH, ("R8G8B8A8_SNORM",)),
        ("EXT_packed_float", 2004, BOTH, ("R11G11B10_FLOAT",)),
        ("EXT_texture_shared_exponent", 2004, BOTH, ("R9G9B9E5_FLOAT",)),
        ("EXT_texture_sRGB", 2004, BOTH, _SRGB),
        ("EXT_texture_compression_s3tc", 2000, ALL, _DXT),
        ("EXT_texture_compression_dxt1", 2004, EVERY, _DXT),
        ("ANGLE_texture_compression_dxt3", 2011, EVERY, _DXT),
        ("ANGLE_texture_compression_dxt5", 2011, EVERY, _DXT), ("S3_s3tc", 1999, BOTH, _DXT),
        ("ARB_texture_compression_rgtc", 2004, BOTH, _RGTC),
        ("EXT_texture_compression_latc", 2006, COMPAT, _LATC),
        ("ATI_texture_compression_3dc", 2004, COMPAT, _LATC),
        ("3DFX_texture_compression_FXT1", 1999, BOTH, _FXT),
        ("ARB_ES3_compatibility", 2012, BOTH, _ETC),
        ("ARB_texture_compression_bptc", 2010, BOTH, _BPTC),
        ("KHR_texture_compression_astc_ldr", 2012, ALL, _ASTC),
    ),
    *_textures(
        ("EXT_texture_compression_bptc", 2017, ES2, _BPTC),
        ("EXT_texture_compression_rgtc", 2004, ALL, _RGTC),
        ("EXT_texture_sRGB_decode", 2006, ALL, _SRGB),
        ("EXT_texture_sRGB_R8", 2015, ALL, ("R8_SRGB",)),
        ("EXT_texture_sRGB_RG8", 2015, ALL, ("R8G8_SRGB",)),
        since_es=(3, 0),
    ),
    *_textures(
        ("EXT_texture_integer", 2006, BOTH, _INTEGERS),
        ("ARB_texture_rgb10_a2ui", 2009, BOTH, ("R10G10B10A2_UINT",)),
    ),
    *_textures(("ARB_texture_compression", 2000, COMPAT, _RGBA)),
    *_textures(("ARB_sampler_objects", 2009, BOTH, _RGBA)),
    *_textures(("ARB_seamless_cube_map", 2009, BOTH, _RGBA), target=TARGET_CUBE),
    *_textures(("ARB_texture_storage", 2011, BOTH, _RGBA)),
    *_textures(
        ("ARB_clear_texture", 2013, BOTH, _RGBA), ("ARB_get_texture_sub_image", 2014, BOTH, _RGBA),
    ),
    *_textures(
        ("ARB_copy_image", 2012, BOTH, _RGBA), ("NV_copy_image", 2009, BOTH, _RGBA),
    ),
    *_textures(("OES_EGL_image", 2006, EVERY, _RGBA)),
    *_textures(("EXT_EGL_image_storage", 2018, BOTH, _RGBA)),
    *_textures(
        ("ARB_internalformat_query", 2011, BOTH, _RGBA),
        ("ARB_internalformat_query2", 2013, BOTH, _RGBA),
    ),
    *_textures(("KHR_texture_compression_astc_sliced_3d", 2015, ALL, _ASTC), target=TARGET_3D),
    *_textures(("ARB_compressed_texture_pixel_storage", 2011, BOTH, _RGBA)),
    *_textures(("ARB_texture_view", 2012, BOTH, _RGBA), ("ARB_multi_bind", 2013, BOTH, _RGBA)),
    *_textures(
        ("ARB_texture_cube_map_array", 2009, BOTH, _RGBA), target=TARGET_CUBE_ARRAY, glsl=True,
    ),
    *_textures(
        ("ARB_seamless_cubemap_per_texture", 2013, BOTH, _RGBA),
        ("AMD_seamless_cubemap_per_texture", 2009, BOTH, _RGBA),
        target=TARGET_CUBE,
    ),
    *_textures(("ARB_stencil_texturing", 2012, BOTH, ("Z24_UNORM_S8_UINT",))),
    *_textures(("ARB_texture_stencil8", 2013, BOTH, ("S8_UINT",))),
)  # fmt: skip

#: of OpenGL ES alone
EMBEDDED = (
    *_textures(
        ("APPLE_texture_max_level", 2009, ES, _RGBA),
        ("EXT_texture_border_clamp", 2014, ES2, _RGBA),
        ("OES_texture_border_clamp", 2014, ES2, _RGBA),
        ("EXT_texture_compression_s3tc_srgb", 2016, ES2, ("DXT1_SRGB",)),
        ("EXT_texture_format_BGRA8888", 2005, ES, ("B8G8R8A8_UNORM",)),
        ("EXT_texture_mirror_clamp_to_edge", 2017, ES2, _RGBA),
        ("EXT_texture_rg", 2011, ES2, ("R8_UNORM", "R8G8_UNORM", "R16G16_FLOAT")),
        ("EXT_texture_type_2_10_10_10_REV", 2008, ES2, ("R10G10B10A2_UNORM",)),
        ("OES_compressed_ETC1_RGB8_texture", 2005, ES, ("ETC1_RGB",)),
        ("EXT_compressed_ETC1_RGB8_sub_texture", 2014, ES, ("ETC1_RGB",)),
        ("OES_depth_texture", 2006, ES2, _DEPTH),
        ("OES_required_internalformat", 2012, ES, ("R8G8B8A8_UNORM", "L8A8_UNORM")),
        ("OES_texture_float", 2005, ES2, ("R32G32B32A32_FLOAT", "L32_FLOAT")),
        ("OES_texture_float_linear", 2005, ES2, ("R32G32B32A32_FLOAT", "L32_FLOAT")),
        ("OES_texture_half_float", 2005, ES2, ("R16G16B16A16_FLOAT", "L16_FLOAT")),
        ("OES_texture_half_float_linear", 2005, ES2, ("R16G16B16A16_FLOAT", "L16_FLOAT")),
        ("OES_texture_npot", 2005, ES, _RGBA),
    ),
    *_textures(
        ("EXT_copy_image", 2014, ES2, _RGBA), ("OES_copy_image", 2014, ES2, _RGBA),
        since_es=(3, 0),
    ),
    *_textures(("OES_texture_3D", 2005, ES2, _RGBA), target=TARGET_3D, glsl=True),
    *_textures(("OES_depth_texture_cube_map", 2012, ES2, _DEPTH), target=TARGET_CUBE),
    Extension("GL_ANGLE_pack_reverse_row_order", 2011, ES2),
    Extension("GL_EXT_base_instance", 2014, ES2, since_es=(3, 0), needs=("base_instance",)),
    Extension("GL_EXT_blend_func_extended", 2015, ES2,
              needs=("max_dual_source_render_targets",), glsl=True),
    Extension("GL_EXT_clip_control", 2017, ES2, needs=("clip_halfz",)),
    Extension("GL_EXT_clip_cull_distance", 2016, ES2, since_es=(3, 0), needs=_CULLS, glsl=True),
    Extension("GL_EXT_color_buffer_half_float", 2010, ES2,
              formats=("R16G16B16A16_FLOAT", "R16_FLOAT")),
    Extension("GL_EXT_color_buffer_float", 2013, ES2, since_es=(3, 0), formats=(
        "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT", "R11G11B10_FLOAT")),
    Extension("GL_EXT_float_blend", 2015, ES2, since_es=(3, 0), formats=("R32G32B32A32_FLOAT",)),
    Extension("GL_EXT_depth_clamp", 2019, ES2, needs=("depth_clamp",)),
    Extension("GL_EXT_discard_framebuffer", 2009, ES),
    Extension("GL_EXT_disjoint_timer_query", 2016, ES2),
    Extension("GL_EXT_draw_buffers", 2012, ES2, glsl=True),
    Extension("GL_EXT_draw_buffers_indexed", 2014, ES2, since_es=(3, 0)),
    Extension("GL_EXT_draw_elements_base_vertex", 2014, ES2),
    Extension("GL_EXT_frag_depth", 2010, ES2, glsl=True),
    Extension("GL_EXT_map_buffer_range", 2012, ES),
    Extension("GL_EXT_occlusion_query_boolean", 2011, ES2, needs=("occlusion_query",)),
    Extension("GL_EXT_read_format_bgra", 2009, ES),
    Extension("GL_EXT_robustness", 2011, ES2),
    Extension("GL_EXT_texture_query_lod", 2019, ES2, since_es=(3, 0), glsl=True),
    Extension("GL_EXT_unpack_subimage", 2011, ES2),
    Extension("GL_MESA_bgra", 2021, ES2),
    Extension("GL_NV_draw_buffers", 2011, ES2, glsl=True),
    Extension("GL_NV_fbo_color_attachments", 2010, ES2),
    *(Extension(f"GL_NV_{name}", 2011, ES2) for name in (
        "pack_subimage", "read_buffer", "read_depth", "read_depth_stencil", "read_stencil")),
    Extension("GL_NV_pixel_buffer_object", 2012, ES2),
    Extension("GL_NV_shader_noperspective_interpolation", 2014, ES2, since_es=(3, 0), glsl=True),
    Extension("GL_OES_depth24", 2005, ES, formats=("Z24X8_UNORM",)),
    Extension("GL_OES_draw_buffers_indexed", 2014, ES2, since_es=(3, 0)),
    Extension("GL_OES_draw_elements_base_vertex", 2014, ES2),
    Extension("GL_OES_fbo_render_mipmap", 2005, ES, formats=_TARGETS),
    Extension("GL_OES_get_program_binary", 2008, ES2),
    Extension("GL_OES_packed_depth_stencil", 2007, ES, formats=("Z24_UNORM_S8_UINT",)),
    Extension("GL_OES_rgb8_rgba8", 2005, ES, formats=("R8G8B8A8_UNORM",)),
    Extension("GL_OES_standard_derivatives", 2005, ES2, glsl=True),
    Extension("GL_OES_stencil8", 2005, ES, formats=("Z24_UNORM_S8_UINT",)),
    *(Extension(f"GL_OES_{name}", year, ES) for name, year in (
        ("mapbuffer", 2005), ("element_index_uint", 2005), ("surfaceless_context", 2012),
        ("vertex_array_object", 2010), ("EGL_sync", 2010))),
    Extension("GL_OES_vertex_half_float", 2005, ES2, needs=("half_float_vertex",)),
)  # fmt: skip

#: of OpenGL ES 1 alone, of which 1.1 has made some its own
FIRST_EMBEDDED = (
    *_textures(
        ("OES_compressed_paletted_texture", 2003, ES1, _RGBA),
        ("OES_draw_texture", 2004, ES1, _RGBA),
        ("OES_texture_env_crossbar", 2005, ES1, _RGBA),
        ("OES_texture_mirrored_repeat", 2005, ES1, _RGBA),
    ),
    *_textures(("OES_texture_cube_map", 2007, ES1, _RGBA), target=TARGET_CUBE),
    Extension("GL_OES_blend_equation_separate", 2009, ES1, needs=("blend_equation_separate",)),
    Extension("GL_OES_framebuffer_object", 2005, ES1, formats=_TARGETS),
    *(Extension(f"GL_OES_{name}", year, ES1) for name, year in (
        ("blend_func_separate", 2009), ("blend_subtract", 2009), ("byte_coordinates", 2002),
        ("fixed_point", 2002), ("point_size_array", 2004), ("query_matrix", 2003),
        ("single_precision", 2003), ("stencil_wrap", 2002),
    )),
    Extension("GL_OES_point_sprite", 2004, ES1, needs=("point_sprite",)),
)  # fmt: skip

EXTENSIONS: tuple[Extension, ...] = (
    *TEXTURES,
    *EMBEDDED,
    *FIRST_EMBEDDED,
    Extension("GL_ARB_multisample", 1994, COMPAT),
    Extension("GL_ARB_transpose_matrix", 1999, COMPAT),
    Extension("GL_ARB_vertex_buffer_object", 2003, BOTH),
    Extension("GL_ARB_window_pos", 2001, COMPAT),
    Extension("GL_ARB_point_parameters", 1997, COMPAT),
    Extension("GL_ARB_depth_clamp", 2003, BOTH, needs=("depth_clamp",)),
    Extension("GL_ARB_framebuffer_sRGB", 1998, BOTH, formats=("B8G8R8A8_SRGB",)),
    Extension("GL_ARB_point_sprite", 2003, BOTH, needs=("point_sprite",)),
    Extension("GL_ARB_polygon_offset_clamp", 2017, BOTH, needs=("polygon_offset_clamp",)),
    Extension("GL_ARB_provoking_vertex", 2009, BOTH),
    Extension(
        "GL_ARB_ES2_compatibility", 2009, BOTH, since=(2, 0), formats=("B5G6R5_UNORM",),
    ),
    Extension("GL_ARB_half_float_pixel", 2003, BOTH),
    Extension("GL_ARB_occlusion_query", 2001, COMPAT, needs=("occlusion_query",)),
    Extension("GL_ARB_occlusion_query2", 2003, BOTH, needs=("occlusion_query",)),
    Extension("GL_ARB_timer_query", 2010, BOTH),
    Extension("GL_ARB_base_instance", 2011, BOTH, needs=("base_instance",)),
    Extension("GL_ARB_blend_func_extended", 2009, BOTH, (2, 0),
              needs=("max_dual_source_render_targets",)),
    Extension("GL_ARB_buffer_storage", 2013, BOTH),
    Extension("GL_ARB_clear_buffer_object", 2012, BOTH),
    Extension("GL_ARB_clip_control", 2014, BOTH, needs=("clip_halfz",)),
    Extension("GL_EXT_transform_feedback", 2011, BOTH, (2, 0),
              needs=("max_stream_output_buffers",)),
    Extension("GL_ARB_transform_feedback2", 2010, BOTH, (2, 0),
              needs=("max_stream_output_buffers",)),
    Extension("GL_ARB_transform_feedback3", 2010, BOTH, (2, 0),
              needs=("max_stream_output_buffers",)),
    Extension("GL_ARB_transform_feedback_overflow_query", 2014, BOTH, (2, 0),
              needs=("max_stream_output_buffers", "pipeline_statistics")),
    Extension("GL_ARB_pipeline_statistics_query", 2014, BOTH, needs=("pipeline_statistics",)),
    Extension("GL_ARB_transform_feedback_instanced", 2011, BOTH, (2, 0),
              needs=("max_stream_output_buffers",)),
    Extension("GL_ARB_uniform_buffer_object", 2009, BOTH,
              needs=("max_stage_constant_buffers", "max_uniform_buffer_bindings"), glsl=True),
    Extension("GL_ARB_texture_buffer_object", 2008, BOTH, since=(2, 0),
              needs=("max_texel_buffer_elements",)),
    Extension("GL_ARB_texture_buffer_range", 2012, BOTH, since=(2, 0),
              needs=("max_texel_buffer_elements",)),
    Extension("GL_EXT_texture_buffer_object", 2007, COMPAT, since=(2, 0),
              needs=("max_texel_buffer_elements",)),
    Extension("GL_ARB_cull_distance", 2014, BOTH, since=(2, 0), needs=_CULLS, glsl=True),
    Extension("GL_ARB_conditional_render_inverted", 2014, BOTH, needs=("occlusion_query",)),
    Extension("GL_ARB_compatibility", 2009, COMPAT, since=(3, 1)),
    Extension("GL_ARB_copy_buffer", 2008, BOTH),
    Extension("GL_ARB_debug_output", 2009, BOTH),
    Extension("GL_ARB_draw_elements_base_vertex", 2009, BOTH),
    Extension("GL_ARB_draw_indirect", 2010, BOTH),
    Extension("GL_ARB_draw_instanced", 2008, BOTH, glsl=True),
    Extension("GL_ARB_indirect_parameters", 2013, BOTH),
    Extension("GL_ARB_multi_draw_indirect", 2012, BOTH),
    Extension("GL_AMD_multi_draw_indirect", 2011, BOTH),
    Extension("GL_IBM_rasterpos_clip", 1996, COMPAT),
    Extension("GL_ARB_half_float_vertex", 2008, BOTH, needs=("half_float_vertex",)),
    Extension("GL_ARB_instanced_arrays", 2008, BOTH),
    Extension("GL_ARB_invalidate_subdata", 2012, BOTH),
    Extension("GL_ARB_map_buffer_alignment", 2011, BOTH),
    Extension("GL_ARB_map_buffer_range", 2008, BOTH),
    Extension("GL_ARB_parallel_shader_compile", 2015, BOTH),
    Extension("GL_ARB_pixel_buffer_object", 2004, BOTH),
    Extension("GL_ARB_query_buffer_object", 2013, BOTH),
    Extension("GL_ARB_robust_buffer_access_behavior", 2012, BOTH),
    Extension("GL_ARB_robustness", 2010, BOTH),
    Extension("GL_ARB_shader_texture_lod", 2009, BOTH, since=(2, 0), glsl=True),
    Extension("GL_ARB_shader_bit_encoding", 2010, BOTH, since=(2, 0), glsl=True),
    Extension("GL_ARB_arrays_of_arrays", 2012, BOTH, since=(2, 0), glsl=True),
    Extension("GL_EXT_texture_shadow_lod", 2018, ALL, (2, 0), glsl=True, since_es=(3, 0)),
    Extension("GL_EXT_shader_integer_mix", 2013, ALL, (3, 0), glsl=True, since_es=(3, 0)),
    Extension("GL_ARB_shading_language_packing", 2011, BOTH, since=(2, 0), glsl=True),
    Extension("GL_ARB_texture_barrier", 2014, BOTH),
    Extension("GL_NV_texture_barrier", 2009, BOTH),
    Extension("GL_ARB_texture_gather", 2009, BOTH, since=(2, 0), glsl=True),
    Extension("GL_AMD_texture_texture4", 2008, BOTH, since=(2, 0), glsl=True),
    Extension("GL_ARB_texture_query_lod", 2009, BOTH, since=(2, 0), glsl=True),
    Extension("GL_ARB_texture_query_levels", 2012, BOTH, since=(2, 0), glsl=True),
    Extension("GL_AMD_conservative_depth", 2009, BOTH, since=(2, 0), glsl=True),
    Extension("GL_ARB_conservative_depth", 2011, BOTH, since=(2, 0), glsl=True),
    Extension("GL_AMD_shader_trinary_minmax", 2012, BOTH, since=(2, 0), glsl=True),
    Extension("GL_ARB_derivative_control", 2014, BOTH, since=(2, 0), glsl=True),
    Extension("GL_ARB_explicit_attrib_location", 2009, BOTH, since=(2, 0), glsl=True),
    Extension("GL_ARB_fragment_coord_conventions", 2009, BOTH, since=(2, 0), glsl=True),
    Extension("GL_ARB_shader_objects", 2002, BOTH, (2, 0)),
    Extension("GL_ARB_shading_language_100", 2003, COMPAT, (2, 0)),
    Extension("GL_ARB_vertex_shader", 2002, BOTH, (2, 0)),
    Extension("GL_ARB_fragment_shader", 2002, BOTH, (2, 0)),
    Extension("GL_ARB_vertex_program", 2002, COMPAT, (2, 0)),
    Extension("GL_ARB_fragment_program", 2002, COMPAT, (2, 0)),
    Extension("GL_ARB_fragment_program_shadow", 2003, COMPAT, (2, 0)),
    Extension("GL_ATI_fragment_shader", 2001, COMPAT, (2, 0)),
    Extension("GL_EXT_gpu_program_parameters", 2006, COMPAT, (2, 0)),
    Extension("GL_ARB_sync", 2003, BOTH),
    Extension("GL_ARB_vertex_array_bgra", 2008, BOTH, needs=("vertex_bgra",)),
    Extension("GL_ARB_vertex_array_object", 2006, BOTH),
    Extension("GL_ARB_vertex_attrib_binding", 2012, BOTH),
    Extension("GL_ARB_vertex_type_10f_11f_11f_rev", 2013, BOTH, needs=("packed_vertex",)),
    Extension("GL_ARB_vertex_type_2_10_10_10_rev", 2009, BOTH, needs=("packed_vertex",)),
    Extension("GL_EXT_gpu_shader4", 2006, COMPAT, (2, 0), glsl=True),
    Extension("GL_EXT_abgr", 1995, BOTH),
    Extension("GL_ARB_direct_state_access", 2014, BOTH, (2, 0)),
    Extension("GL_EXT_direct_state_access", 2010, COMPAT, (2, 0)),
    Extension("GL_EXT_bgra", 1995, COMPAT),
    Extension("GL_EXT_blend_color", 1995, COMPAT),
    Extension("GL_EXT_blend_equation_separate", 2003, BOTH, needs=("blend_equation_separate",)),
    Extension("GL_EXT_blend_func_separate", 1999, COMPAT),
    Extension("GL_EXT_blend_minmax", 1995, _OLD | ES1),
    Extension("GL_EXT_blend_subtract", 1995, COMPAT),
    Extension("GL_EXT_compiled_vertex_array", 1996, COMPAT),
    Extension("GL_EXT_draw_instanced", 2006, ALL, glsl=True),
    Extension("GL_EXT_draw_range_elements", 1997, COMPAT),
    Extension("GL_EXT_EGL_sync", 2019, BOTH),
    Extension("GL_EXT_fog_coord", 1999, COMPAT),
    Extension("GL_EXT_framebuffer_object", 2000, BOTH, formats=_TARGETS),
    Extension("GL_EXT_framebuffer_blit", 2005, BOTH, formats=_TARGETS),
    Extension("GL_EXT_framebuffer_multisample", 2005, BOTH, formats=_TARGETS),
    *(
        Extension(name, year, BOTH, (2, 0), sampled=_TARGETS, target=TARGET_2D_MS, samples=4,
                  formats=_TARGETS, glsl="storage" not in name)
        for name, year in (
            ("GL_ARB_texture_multisample", 2009), ("GL_ARB_texture_storage_multisample", 2012),
        )
    ),
    Extension("GL_ARB_framebuffer_object", 2005, BOTH, formats=_TARGETS),
    Extension(
        "GL_ARB_framebuffer_no_attachments", 2012, BOTH, formats=_TARGETS,
    ),
    Extension("GL_EXT_framebuffer_multisample_blit_scaled", 2011, BOTH, formats=_TARGETS),
    Extension(
        "GL_ARB_depth_buffer_float", 2008, BOTH, formats=("Z32_FLOAT", "Z32_FLOAT_S8X24_UINT"),
    ),
    Extension("GL_ARB_color_buffer_float", 2004, COMPAT),
    Extension("GL_ARB_draw_buffers", 2002, BOTH, glsl=True),
    Extension("GL_ATI_draw_buffers", 2002, COMPAT),
    Extension("GL_EXT_draw_buffers2", 2006, BOTH),
    Extension("GL_ARB_draw_buffers_blend", 2009, BOTH),
    Extension("GL_AMD_draw_buffers_blend", 2009, BOTH),
    Extension("GL_EXT_framebuffer_sRGB", 1998, BOTH, formats=("B8G8R8A8_SRGB",)),
    Extension("GL_EXT_multi_draw_arrays", 1999, _OLD | ES1),
    Extension("GL_EXT_packed_pixels", 1997, COMPAT),
    Extension("GL_EXT_packed_depth_stencil", 2005, BOTH, formats=("Z24_UNORM_S8_UINT",)),
    Extension("GL_EXT_pixel_buffer_object", 2004, BOTH),
    Extension("GL_EXT_point_parameters", 1997, COMPAT),
    Extension("GL_EXT_polygon_offset", 1995, COMPAT),
    Extension("GL_EXT_polygon_offset_clamp", 2014, EVERY, needs=("polygon_offset_clamp",)),
    Extension("GL_EXT_provoking_vertex", 2009, BOTH),
    Extension("GL_EXT_rescale_normal", 1997, COMPAT),
    Extension("GL_EXT_secondary_color", 1999, COMPAT),
    Extension("GL_EXT_separate_specular_color", 1997, COMPAT),
    Extension("GL_EXT_stencil_two_side", 2001, COMPAT, needs=("two_sided_stencil",)),
    Extension("GL_EXT_stencil_wrap", 2002, COMPAT),
    Extension("GL_EXT_timer_query", 2006, BOTH),
    Extension("GL_EXT_vertex_array", 1995, COMPAT),
    Extension("GL_EXT_vertex_array_bgra", 2008, BOTH, needs=("vertex_bgra",)),
    Extension("GL_APPLE_packed_pixels", 2002, COMPAT),
    Extension("GL_ATI_blend_equation_separate", 2003, BOTH, needs=("blend_equation_separate",)),
    Extension("GL_INGR_blend_func_separate", 1999, COMPAT),
    Extension("GL_NV_half_float", 2001, COMPAT, needs=("half_float_vertex",)),
    Extension("GL_SUN_multi_draw_arrays", 1999, COMPAT),
    Extension("GL_ATI_separate_stencil", 2006, COMPAT, needs=("two_sided_stencil",)),
    Extension("GL_IBM_multimode_draw_arrays", 1998, BOTH),
    Extension("GL_MESA_pack_invert", 2002, BOTH),
    Extension("GL_MESA_window_pos", 2000, COMPAT),
    *(Extension(f"GL_KHR_{name}", year, ALL) for name, year in (
        ("context_flush_control", 2014), ("parallel_shader_compile", 2017), ("robustness", 2012),
        ("robust_buffer_access_behavior", 2014))),
    *(Extension(f"GL_{name}", year, EVERY) for name, year in (
        ("KHR_debug", 2012), ("KHR_no_error", 2015), ("EXT_debug_label", 2013))),
    Extension("GL_AMD_query_buffer_object", 2012, BOTH),
    Extension("GL_OES_read_format", 2003, COMPAT | ES1),
    Extension("GL_NV_blend_square", 1999, COMPAT),
    Extension("GL_NV_conditional_render", 2008, ALL, needs=("occlusion_query",)),
    Extension("GL_NV_copy_depth_to_color", 2001, COMPAT),
    Extension("GL_NV_depth_clamp", 2001, BOTH, needs=("depth_clamp",)),
    Extension("GL_NV_fog_distance", 2001, COMPAT),
    Extension("GL_NV_light_max_exponent", 1999, COMPAT),
    Extension("GL_NV_packed_depth_stencil", 2000, BOTH, formats=("Z24_UNORM_S8_UINT",)),
    Extension("GL_NV_primitive_restart", 2002, COMPAT, needs=("primitive_restart",)),
)

#: name without GL_ -> its bit in `GLContext.extensions`
NUMBERS = {row.name.removeprefix("GL_"): number for number, row in enumerate(EXTENSIONS)}

#: extensions of the language, which shaders switch on
GLSL_EXTENSIONS = frozenset(row.name for row in EXTENSIONS if row.glsl)
