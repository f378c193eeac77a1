# SPDX-License-Identifier: MIT
"""Which GL versions and extensions we say we have; MESA_GL_VERSION_OVERRIDE and
MESA_EXTENSION_OVERRIDE change it.

In: nothing but the options. Out: numbers for GLX (which contexts may be asked for) and the texts
of glGetString. EXTENSIONS lists only what works. Mesa: main/version.c, main/extensions.c.
"""

from __future__ import annotations

from pydri.util.options import options

MAX_COMPAT = (1, 5)
MAX_CORE: tuple[int, int] | None = None
PYDRI = "0.1"

#: name, year of its last revision (MESA_EXTENSION_MAX_YEAR hides the younger ones)
EXTENSION_TABLE: tuple[tuple[str, int], ...] = (
    ("GL_ARB_multisample", 1994),
    ("GL_ARB_transpose_matrix", 1999),
    ("GL_ARB_vertex_buffer_object", 2003),
    ("GL_ARB_window_pos", 2001),
    ("GL_ARB_point_parameters", 1997),
    ("GL_ARB_depth_clamp", 2003),
    ("GL_ARB_framebuffer_sRGB", 1998),
    ("GL_ARB_polygon_offset_clamp", 2017),
    ("GL_ARB_provoking_vertex", 2009),
    ("GL_ARB_half_float_pixel", 2003),
    ("GL_ARB_occlusion_query", 2001),
    ("GL_ARB_occlusion_query2", 2003),
    ("GL_ARB_timer_query", 2010),
    ("GL_ARB_base_instance", 2011),
    ("GL_ARB_buffer_storage", 2013),
    ("GL_ARB_clear_buffer_object", 2012),
    ("GL_ARB_clip_control", 2014),
    ("GL_ARB_conditional_render_inverted", 2014),
    ("GL_ARB_copy_buffer", 2008),
    ("GL_ARB_debug_output", 2009),
    ("GL_ARB_draw_elements_base_vertex", 2009),
    ("GL_ARB_draw_indirect", 2010),
    ("GL_ARB_draw_instanced", 2008),
    ("GL_ARB_indirect_parameters", 2013),
    ("GL_ARB_multi_draw_indirect", 2012),
    ("GL_AMD_multi_draw_indirect", 2011),
    ("GL_IBM_rasterpos_clip", 1996),
    ("GL_ARB_half_float_vertex", 2008),
    ("GL_ARB_instanced_arrays", 2008),
    ("GL_ARB_invalidate_subdata", 2012),
    ("GL_ARB_map_buffer_alignment", 2011),
    ("GL_ARB_map_buffer_range", 2008),
    ("GL_ARB_pixel_buffer_object", 2004),
    ("GL_ARB_query_buffer_object", 2013),
    ("GL_ARB_robust_buffer_access_behavior", 2012),
    ("GL_ARB_robustness", 2010),
    ("GL_ARB_sync", 2003),
    ("GL_ARB_vertex_array_bgra", 2008),
    ("GL_ARB_vertex_array_object", 2006),
    ("GL_ARB_vertex_attrib_binding", 2012),
    ("GL_ARB_vertex_type_10f_11f_11f_rev", 2013),
    ("GL_ARB_vertex_type_2_10_10_10_rev", 2009),
    ("GL_EXT_abgr", 1995),
    ("GL_EXT_bgra", 1995),
    ("GL_EXT_blend_color", 1995),
    ("GL_EXT_blend_equation_separate", 2003),
    ("GL_EXT_blend_func_separate", 1999),
    ("GL_EXT_blend_minmax", 1995),
    ("GL_EXT_blend_subtract", 1995),
    ("GL_EXT_compiled_vertex_array", 1996),
    ("GL_EXT_draw_instanced", 2006),
    ("GL_EXT_draw_range_elements", 1997),
    ("GL_EXT_fog_coord", 1999),
    ("GL_EXT_framebuffer_sRGB", 1998),
    ("GL_EXT_multi_draw_arrays", 1999),
    ("GL_EXT_packed_pixels", 1997),
    ("GL_EXT_packed_depth_stencil", 2005),
    ("GL_EXT_pixel_buffer_object", 2004),
    ("GL_EXT_point_parameters", 1997),
    ("GL_EXT_polygon_offset", 1995),
    ("GL_EXT_polygon_offset_clamp", 2014),
    ("GL_EXT_provoking_vertex", 2009),
    ("GL_EXT_rescale_normal", 1997),
    ("GL_EXT_secondary_color", 1999),
    ("GL_EXT_separate_specular_color", 1997),
    ("GL_EXT_stencil_two_side", 2001),
    ("GL_EXT_stencil_wrap", 2002),
    ("GL_EXT_timer_query", 2006),
    ("GL_EXT_vertex_array", 1995),
    ("GL_EXT_vertex_array_bgra", 2008),
    ("GL_APPLE_packed_pixels", 2002),
    ("GL_ATI_blend_equation_separate", 2003),
    ("GL_INGR_blend_func_separate", 1999),
    ("GL_NV_half_float", 2001),
    ("GL_SUN_multi_draw_arrays", 1999),
    ("GL_ATI_separate_stencil", 2006),
    ("GL_IBM_multimode_draw_arrays", 1998),
    ("GL_MESA_pack_invert", 2002),
    ("GL_MESA_window_pos", 2000),
    ("GL_KHR_context_flush_control", 2014),
    ("GL_KHR_debug", 2012),
    ("GL_KHR_no_error", 2015),
    ("GL_KHR_robust_buffer_access_behavior", 2014),
    ("GL_KHR_robustness", 2012),
    ("GL_EXT_debug_label", 2013),
    ("GL_AMD_query_buffer_object", 2012),
    ("GL_OES_read_format", 2003),
    ("GL_NV_blend_square", 1999),
    ("GL_NV_conditional_render", 2008),
    ("GL_NV_copy_depth_to_color", 2001),
    ("GL_NV_depth_clamp", 2001),
    ("GL_NV_fog_distance", 2001),
    ("GL_NV_light_max_exponent", 1999),
    ("GL_NV_packed_depth_stencil", 2000),
    ("GL_NV_primitive_restart", 2002),
)
# A row is advertised only if the entry points it needs are written: `extensions()` asks.
NEEDS: dict[str, tuple[str, ...]] = {
    "GL_ARB_window_pos": ("glWindowPos2f",),
    "GL_MESA_window_pos": ("glWindowPos4fMESA",),
    "GL_EXT_compiled_vertex_array": ("glLockArraysEXT",),
    "GL_EXT_multi_draw_arrays": ("glMultiDrawArrays",),
    "GL_EXT_provoking_vertex": ("glProvokingVertex",),
    "GL_EXT_draw_range_elements": ("glDrawRangeElements",),
    "GL_EXT_vertex_array": ("glArrayElement", "glDrawArrays"),
    "GL_EXT_fog_coord": ("glFogCoordf",),
    "GL_EXT_secondary_color": ("glSecondaryColor3f",),
}


def override() -> tuple[tuple[int, int] | None, str]:
    """MESA_GL_VERSION_OVERRIDE: (version or None, suffix "", "FC" or "COMPAT"); a malformed one
    counts as unset.
    """
    text = options.MESA_GL_VERSION_OVERRIDE.strip()
    suffix = ""
    for ending in ("COMPAT", "FC"):
        if text.endswith(ending):
            text, suffix = text[: -len(ending)], ending
    major, dot, minor = text.partition(".")
    if not dot or not major.isdigit() or not minor.isdigit():
        return None, ""
    return (int(major), int(minor)), suffix


def context_version(core_profile: bool) -> tuple[int, int]:
    """The version of a new context."""
    forced, _ = override()
    if forced is not None:
        return forced
    return (MAX_CORE or MAX_COMPAT) if core_profile else MAX_COMPAT


def version_string(version: tuple[int, int], core_profile: bool) -> str:
    """GL_VERSION: a number, then who we are."""
    profile = ""
    if version >= (3, 1):
        profile = " (Core Profile)" if core_profile else " (Compatibility Profile)"
    return f"{version[0]}.{version[1]}{profile} pydri {PYDRI}"


def extensions(has_entry: object = None) -> list[str]:
    """Names of the extensions; `has_entry(name)` says whether an entry point is written (default:
    take all rows).
    """
    out = []
    for name, year in EXTENSION_TABLE:
        if year > options.MESA_EXTENSION_MAX_YEAR:
            continue
        if callable(has_entry) and not all(has_entry(entry) for entry in NEEDS.get(name, ())):
            continue
        out.append(name)
    for word in options.MESA_EXTENSION_OVERRIDE.split():
        bare = word.lstrip("+-")
        if word[0] == "-":
            out = [name for name in out if name != bare]
        elif bare not in out:
            out.append(bare)
    return out
