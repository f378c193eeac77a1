# SPDX-License-Identifier: MIT
"""GL state as it was set: native structs. Counterparts of Mesa's gl_*_attrib (mtypes.h)."""

from pydri.jit.types import Struct, f32, f64, i32, u8, u16, u32, u64
from pydri.main.textures.layout import MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS, TexEnv

# sample_flags bits
SAMPLE_ALPHA_TO_COVERAGE, SAMPLE_ALPHA_TO_ONE, SAMPLE_COVERAGE, SAMPLE_MASK = 1, 2, 4, 8


# KeyBlock.clamping bits (ARB_color_buffer_float): colours of vertices are not clamped; nor are
# those of fragments; those of fragments are clamped though the targets hold more
VERTEX_FREE, FRAGMENT_FREE, FRAGMENT_CLAMPED = 1, 2, 4


class StencilKey(Struct):
    func = u16
    fail = u16
    zfail = u16
    zpass = u16


class BlendKey(Struct):
    """Blend equations and functions of a colour target."""

    eq_rgb = u16
    eq_alpha = u16
    src_rgb = u16
    dst_rgb = u16
    src_alpha = u16
    dst_alpha = u16


class ShadedVertex(Struct, align=16):
    """What a program's vertex stage makes of a raster position."""

    clip = f32[4]
    color = f32[4]
    secondary = f32[4]
    texcoords = f32[4][MAX_TEXTURE_UNITS]
    fog = f32
    cut = u32  # it lies on the wrong side of a plane of the user's
    pad = u64


class RawState(Struct):
    """GL state as it was set, where neither shaders nor drivers read it directly."""

    viewport = f32[4]  # x, y, w, h
    depth_range = f64[2]
    clip_origin = u32  # glClipControl
    clip_depth_mode = u32
    scissor = i32[4]
    clear_color = f32[4]
    clear_depth = f64
    clear_stencil = i32
    clear_index = f32
    cull_face_mode = u32
    front_face = u32
    cull_enabled = u8
    scissor_enabled = u8
    offset_point = u8
    offset_line = u8
    offset_fill = u8
    seamless = u8  # GL_TEXTURE_CUBE_MAP_SEAMLESS
    lighting_pad = u8[2]
    line_width = f32
    active_texture = u32  # below MAX_IMAGE_UNITS; only the first MAX_TEXTURE_UNITS have coordinates
    draw_buffer = u32  # of the window; framebuffer objects have their own
    more_draw_buffers = u32[7]  # by glDrawBuffers: the second and further ones
    second_sources = u32  # some blend function was once given a factor of a second source
    read_buffer = u32
    stencil_ref = i32[3]
    stencil_mask = u32[3]
    stencil_writemask = u32[3]
    stencil_active_face = u32
    line_stipple_factor = i32
    line_stipple_pattern = u32
    polygon_stipple = u32[32]  # a row a word from the bottom up, highest bit to the left
    hints = u32[8]
    compiler_threads = i32  # that may compile shaders (KHR_parallel_shader_compile)
    index_mask = i32
    list_base = u32
    # alignment, row_length, skip_rows, skip_pixels, image_height, skip_images, swap_bytes,
    # lsb_first
    pack = i32[8]
    unpack = i32[8]
    # of compressed images: width, height, depth and bytes of a block (main/pixels/blocks.py)
    pack_blocks = i32[4]
    unpack_blocks = i32[4]
    clear_accum = f32[4]
    light_model_color_control = u32
    fog_index = f32
    offset_factor = f32  # polygon offset as set; st/draw/derived.py writes dyn's
    offset_units = f32
    offset_clamp = f32
    restart = u8  # primitive restart at restart_index (NV's and GL 3.1's are one), at 2^N - 1
    restart_fixed = u8
    restart_pad = u16
    restart_index = u32
    texture_enabled = u8[MAX_IMAGE_UNITS]  # TEX_* bits; 0 of units without coordinates
    texgen_enabled = u8[MAX_IMAGE_UNITS]  # TEXGEN_* bits
    index_logic_op = u8
    auto_normal = u8
    map1_enabled = u8[9]
    map2_enabled = u8[9]
    point_sprite_origin = u32
    edge_flag = u8  # current edge flag
    raster_valid = u8
    sample_coverage_invert = u8
    raster_unclipped = u8  # GL_RASTER_POSITION_UNCLIPPED_IBM
    sample_coverage_value = f32
    sample_mask_value = u32
    raster_position = f32[4]
    raster_distance = f32
    raster_color = f32[4]
    raster_secondary_color = f32[4]
    raster_texcoords = f32[4][MAX_TEXTURE_UNITS]
    pixel_zoom = f32[2]
    texenv = TexEnv[MAX_IMAGE_UNITS]  # of units without coordinates the bias alone
    texgen_mode = u32[4 * MAX_TEXTURE_UNITS]  # s, t, r, q of each unit
    error_slot = u32  # entry point of the pending error, for people
    debug_output = u8  # GL_DEBUG_OUTPUT: errors become messages
    debug_synchronous = u8
    debug_pad = u16
    map1_domain = f32[2]  # glMapGrid: u1, u2
    map2_domain = f32[4]  # u1, u2, v1, v2
    map1_segments = i32
    map2_segments = i32[2]
    # glPixelTransfer: red, green, blue, alpha, depth; the maps are Python's
    # (main/pixels/entries.py)
    pixel_scale = f32[5]
    pixel_bias = f32[5]
    index_shift = i32
    index_offset = i32
    map_color = u8
    map_stencil = u8
    pixel_pad = u16
    pixel_map_size = u32[10]  # by map - GL_PIXEL_MAP_I_TO_I
    lock_first = i32  # glLockArraysEXT
    lock_count = i32  # 0: not locked
    # glClampColor; and what is clamped with fragments as it was given
    clamp_vertex = u32
    clamp_fragment = u32
    clamp_read = u32
    ever_free = u32  # fragments were not clamped once: attributes that were saved may be beyond
    given_alpha_ref = f32
    given_fog_color = f32[4]
    given_env_color = f32[4][MAX_TEXTURE_UNITS]
