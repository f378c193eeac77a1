# SPDX-License-Identifier: MIT
"""What a driver can do: limits and features, from which GL's limits, extensions and versions follow
(Mesa's PIPE_CAP_* and get_param).

A field's default is the driver that does not know of the field: the least number, or no."""

from __future__ import annotations

from typing import NamedTuple

from pydri.pipe.shader_memory import MAX_BLOCK_BYTES, MAX_BLOCKS


class Caps(NamedTuple):
    """Capabilities of a screen, the same for all of its contexts."""

    # limits: pixels, layers, levels
    max_texture_2d_size: int = 64
    max_texture_3d_size: int = 16
    max_texture_cube_size: int = 16
    max_texture_array_layers: int = 0
    max_viewport_size: int = 64
    max_texture_lod_bias: float = 0.0
    max_line_width: float = 1.0
    max_smooth_line_width: float = 1.0
    max_point_size: float = 1.0
    max_smooth_point_size: float = 1.0
    subpixel_bits: int = 4
    max_render_targets: int = 1
    max_varyings: int = 32  # vectors from a stage to the next; 8 at least (GL 2.1, table 6.34)
    max_dual_source_render_targets: int = 0  # FRAG_RESULT_DUAL_SRC in RtBlend's factors: 0 or 1
    max_vertex_attrib_stride: int = 2048
    max_cull_distances: int = 0  # VARYING_SLOT_CULL_DIST0: 0 or 8
    # numbered binding points of buffers, of all stages together; bytes
    max_uniform_buffer_bindings: int = 0
    max_stream_output_buffers: int = 0
    max_hw_atomic_buffer_bindings: int = 0
    max_shader_buffer_bindings: int = 0
    max_texel_buffer_elements: int = 0
    texture_buffer_offset_alignment: int = 256
    constant_buffer_offset_alignment: int = 256
    shader_buffer_offset_alignment: int = 256
    max_stage_constant_buffers: int = 0  # ShaderRef.blocks of a stage
    max_constant_buffer_size: int = 0
    # features
    base_instance: bool = False
    blend_equation_separate: bool = False
    clip_halfz: bool = False  # k of PipeDynamic.viewport_scale
    depth_clamp: bool = False
    geometry_shader: bool = False
    half_float_vertex: bool = False
    occlusion_query: bool = False
    packed_vertex: bool = False  # 2_10_10_10 and 10F_11F_11F
    pipeline_statistics: bool = False  # PipelineStatistics, and fragments that are counted
    point_sprite: bool = False
    polygon_offset_clamp: bool = False
    primitive_restart: bool = False
    two_sided_stencil: bool = False
    vertex_bgra: bool = False


class ShaderCaps(NamedTuple):
    """Capabilities of a shader stage."""

    max_inputs: int = 16  # vectors of four
    max_outputs: int = 16
    max_const_bytes: int = 4096  # of a constant block
    max_const_buffers: int = 1
    max_samplers: int = 0
    control_flow: bool = False
    indirect_inputs: bool = False
    integers: bool = False
    preferred_ir: str = "nir"  # or "tgsi": shaders come with ShaderRef.tokens


#: Of a driver that can do whatever the interface has words for; for drivers that draw nothing.
_FEATURES = {name: True for name, default in Caps._field_defaults.items() if default is False}
EVERYTHING = Caps()._replace(
    **_FEATURES, max_texture_2d_size=16384, max_texture_3d_size=2048, max_texture_cube_size=16384,
    max_texture_array_layers=2048,
    max_viewport_size=16384, max_texture_lod_bias=16.0, max_line_width=255.0,
    max_smooth_line_width=255.0, max_point_size=255.0, max_smooth_point_size=255.0,
    subpixel_bits=8, max_render_targets=8, max_dual_source_render_targets=1,
    max_cull_distances=8,
    max_uniform_buffer_bindings=90, max_stream_output_buffers=4,
    max_hw_atomic_buffer_bindings=16, max_shader_buffer_bindings=80,
    max_texel_buffer_elements=1 << 27, texture_buffer_offset_alignment=16,
    constant_buffer_offset_alignment=16, shader_buffer_offset_alignment=16,
    max_stage_constant_buffers=MAX_BLOCKS, max_constant_buffer_size=MAX_BLOCK_BYTES,
)  # fmt: skip
