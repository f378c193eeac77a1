# SPDX-License-Identifier: MIT
"""The native struct of limits that a driver sets, for glGet."""

from typing import Any

from pydri.jit.types import Struct, f32, u32
from pydri.main.shaders.layout import MAX_UNIFORM_COMPONENTS
from pydri.pipe.caps import Caps
from pydri.pipe.native import MAX_CAPTURED, SHADER_STAGES


class Limits(Struct):
    """What follows from the driver's Caps; fields as there."""

    texture_2d = u32
    texture_3d = u32
    texture_cube = u32
    array_layers = u32
    viewport = u32[2]
    texture_lod_bias = f32
    line_width = f32[2]  # least and greatest
    smooth_line_width = f32[2]
    point_size = f32[2]
    smooth_point_size = f32[2]
    subpixel_bits = u32
    draw_buffers = u32  # and colour attachments
    varying_vectors = u32  # from a stage to the next
    varying_components = u32
    dual_source = u32  # draw buffers that may be blended with a second colour
    samples = u32
    attrib_stride = u32
    # numbered binding points of buffers; 0: there is no such target
    uniform_points = u32
    feedback_points = u32
    feedback_most = u32  # that one of these buffers may get
    counter_points = u32
    storage_points = u32
    uniform_alignment = u32  # of offsets there, bytes: powers of two
    storage_alignment = u32
    texel_buffer = u32  # texels of a buffer texture; 0: there are none
    texel_alignment = u32
    # uniform blocks of a stage, of a program; bytes of one; components of all uniforms of a stage
    stage_blocks = u32
    program_blocks = u32
    block_bytes = u32
    block_components = u32


def fill(limits: Any, caps: Caps) -> None:
    """Write a driver's limits (`limits`: a ctypes view)."""
    limits.texture_2d = caps.max_texture_2d_size
    limits.texture_3d = caps.max_texture_3d_size
    limits.texture_cube = caps.max_texture_cube_size
    limits.array_layers = caps.max_texture_array_layers
    limits.texture_lod_bias = caps.max_texture_lod_bias
    limits.subpixel_bits = caps.subpixel_bits
    limits.attrib_stride = caps.max_vertex_attrib_stride
    limits.draw_buffers = caps.max_render_targets
    limits.varying_vectors = caps.max_varyings
    limits.varying_components = 4 * caps.max_varyings
    limits.dual_source = caps.max_dual_source_render_targets
    limits.samples = 4
    limits.uniform_points = caps.max_uniform_buffer_bindings
    limits.feedback_points = caps.max_stream_output_buffers
    limits.feedback_most = MAX_CAPTURED
    limits.counter_points = caps.max_hw_atomic_buffer_bindings
    limits.storage_points = caps.max_shader_buffer_bindings
    limits.stage_blocks = caps.max_stage_constant_buffers
    limits.program_blocks = caps.max_stage_constant_buffers * SHADER_STAGES
    limits.block_bytes = caps.max_constant_buffer_size
    blocks = limits.stage_blocks * limits.block_bytes
    limits.block_components = MAX_UNIFORM_COMPONENTS + blocks // 4
    limits.uniform_alignment = caps.constant_buffer_offset_alignment
    limits.storage_alignment = caps.shader_buffer_offset_alignment
    limits.texel_buffer = caps.max_texel_buffer_elements
    limits.texel_alignment = caps.texture_buffer_offset_alignment
    for name, value in (
        ("line_width", caps.max_line_width),
        ("smooth_line_width", caps.max_smooth_line_width),
        ("point_size", caps.max_point_size),
        ("smooth_point_size", caps.max_smooth_point_size),
    ):
        getattr(limits, name)[:] = (1.0, value)
    limits.viewport[:] = (caps.max_viewport_size, caps.max_viewport_size)
