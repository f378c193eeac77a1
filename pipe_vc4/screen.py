# SPDX-License-Identifier: MIT
"""The screen: what a VideoCore IV can do (vc4_screen.c), and memory of surfaces.

Colour targets of 8 bits a channel or 565, each by a job of its own, depth of 24 bits with stencil,
textures of 2048 pixels of a side and at most 8 bits a channel. One sample a pixel, or four of
targets of 32 bits that no shader reads. No floats or whole numbers in targets or textures, no
layers, no stream output. 3D textures are sampled by shaders as slices of two dimensions, and add a
sampler's bias to the level of detail. Occlusion queries are GL 1.5's and so advertised, though the
hardware has none: a query counts a sample for each draw, so that nothing that might be seen is left
out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pipe_vc4.resource import (
    COLOR_FORMATS,
    MAX_DRAWN_TARGETS,
    MAX_SIZE,
    MAX_VOLUME,
    ZS_FORMATS,
    Image,
    channels_of,
)
from pipe_vc4.simulator.samples import POSITIONS, SAMPLES
from pydri.pipe.caps import Caps, ShaderCaps
from pydri.pipe.format import BY_NAME, FORMATS, VERTEX
from pydri.pipe.interface import PipeContext
from pydri.pipe.native import Surface
from pydri.pipe.plain import PlainScreen
from pydri.pipe.resource import (
    BIND_CONSTANT,
    BIND_DEPTH,
    BIND_DISPLAY,
    BIND_INDEX,
    BIND_RENDER,
    BIND_SAMPLED,
    BIND_VERTEX,
    TARGET_1D_ARRAY,
    TARGET_2D,
    TARGET_2D_ARRAY,
    TARGET_CUBE_ARRAY,
)
from pydri.pipe.sampler import TEXEL_CLASSES, TEXEL_OF_FORMAT

CAPS = Caps(
    max_texture_2d_size=MAX_SIZE, max_texture_3d_size=MAX_VOLUME, max_texture_cube_size=MAX_SIZE,
    max_viewport_size=MAX_SIZE, max_texture_lod_bias=2.0, max_line_width=32.0,
    max_smooth_line_width=32.0, max_point_size=512.0, max_smooth_point_size=512.0,
    subpixel_bits=4, max_render_targets=MAX_DRAWN_TARGETS, max_varyings=8,
    blend_equation_separate=True, half_float_vertex=True, occlusion_query=True, point_sprite=True,
    two_sided_stencil=True, vertex_bgra=True,
)  # fmt: skip
SHADER_CAPS = ShaderCaps(
    max_inputs=16, max_outputs=8, max_const_bytes=1 << 16, max_const_buffers=2, max_samplers=16,
    control_flow=True,
)  # fmt: skip
_LAYERS = (TARGET_1D_ARRAY, TARGET_2D_ARRAY, TARGET_CUBE_ARRAY)


class Vc4Screen(PlainScreen):
    """pipe_vc4 on one winsys (struct vc4_screen)."""

    def get_name(self) -> str:
        return "VC4 V3D 2.1 (simulated)"

    def get_caps(self) -> Caps:
        return CAPS

    def get_shader_caps(self, stage: int) -> ShaderCaps:
        return SHADER_CAPS

    def is_format_supported(self, format: int, target: int, samples: int, bind: int) -> bool:
        if not 0 < format < len(FORMATS) or target in _LAYERS:
            return False
        fmt, offered = FORMATS[format], 0
        if samples > 1:
            # tiles with samples are stored as they are: 32 bits a sample; shaders read none
            able = samples == SAMPLES and target == TARGET_2D and fmt.bytes == 4
            uses = BIND_DEPTH if fmt.name in ZS_FORMATS else BIND_RENDER | BIND_DISPLAY
            known = fmt.name in COLOR_FORMATS or fmt.name in ZS_FORMATS
            return able and known and not bind & ~uses
        if fmt.name in COLOR_FORMATS:
            offered |= BIND_RENDER | BIND_DISPLAY
        if fmt.name in ZS_FORMATS:
            offered |= BIND_DEPTH
        if fmt.uses & VERTEX:
            offered |= BIND_VERTEX | BIND_INDEX | BIND_CONSTANT
        # blocks are decoded when they are given, and sampled as what they are decoded to
        texels = BY_NAME[fmt.decoded] if fmt.codec else fmt
        number = TEXEL_OF_FORMAT[texels.number]
        if number and channels_of(TEXEL_CLASSES[number]) is not None:
            offered |= BIND_SAMPLED
        return not bind & ~offered

    def get_sample_position(self, samples: int, index: int) -> tuple[float, float]:
        x, y = POSITIONS[index] if samples > 1 else (8, 8)
        return x / 16, y / 16

    def surface_spread(self, surface: Any) -> None:
        multi: Any = Surface.view(surface.multi)
        one, many = Image(surface), Image(multi)
        x, y = np.arange(one.width), np.arange(one.height)
        many.put(x, y, one.pixels(x, y)[..., None])
        multi.resolved = surface.serial

    def context_create(self) -> PipeContext:
        from pipe_vc4.context import Vc4Context

        return Vc4Context(self)
