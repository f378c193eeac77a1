# SPDX-License-Identifier: MIT
"""The screen: what the driver can do, and memory of surfaces."""

from __future__ import annotations

from typing import Any

from pipe_soft.memory import SAMPLES, Image
from pydri.pipe.caps import EVERYTHING, Caps, ShaderCaps
from pydri.pipe.format import BY_NAME, DEPTH, DISPLAY, FORMATS, TARGET, VERTEX
from pydri.pipe.interface import PipeContext
from pydri.pipe.native import MAX_TARGETS, Surface
from pydri.pipe.plain import PlainScreen
from pydri.pipe.resource import (
    BIND_CONSTANT,
    BIND_DEPTH,
    BIND_DISPLAY,
    BIND_INDEX,
    BIND_RENDER,
    BIND_SAMPLED,
    BIND_VERTEX,
    MAX_SIZE,
    MULTISAMPLE,
    TARGET_2D,
    TARGET_2D_ARRAY,
)
from pydri.pipe.sampler import is_sampleable
from pydri.util.options import options

#: pixels of a side: the guard band (vertices.py)
CAPS = EVERYTHING._replace(
    max_texture_2d_size=MAX_SIZE, max_viewport_size=MAX_SIZE, max_render_targets=MAX_TARGETS
)
SHADER_CAPS = ShaderCaps(
    max_inputs=32, max_outputs=32, max_const_bytes=1 << 16, control_flow=True, integers=True
)
#: what resources may be used for, by what their format may be
_USES = (
    (TARGET, BIND_RENDER), (DISPLAY, BIND_DISPLAY), (DEPTH, BIND_DEPTH),
    (VERTEX, BIND_VERTEX | BIND_INDEX | BIND_CONSTANT),
)  # fmt: skip


class SoftScreen(PlainScreen):
    """pipe_soft on one winsys."""

    def get_name(self) -> str:
        return "softpipe (numpy)"

    def get_caps(self) -> Caps:
        return CAPS

    def get_sample_position(self, samples: int, index: int) -> tuple[float, float]:
        x, y = SAMPLES[max(samples, 1)][index]
        return x / 256, y / 256

    def get_shader_caps(self, stage: int) -> ShaderCaps:
        return SHADER_CAPS._replace(preferred_ir=options.PYDRI_SHADER_IR)

    def is_format_supported(self, format: int, target: int, samples: int, bind: int) -> bool:
        if not 0 < format < len(FORMATS):
            return False
        several = (TARGET_2D, TARGET_2D_ARRAY, *MULTISAMPLE)
        if samples > 1 and (samples not in SAMPLES or target not in several):
            return False
        if samples <= 1 and target in MULTISAMPLE:
            return False
        fmt = FORMATS[format]
        offered = sum(flags for use, flags in _USES if fmt.uses & use)
        # blocks are decoded when they are given, and sampled as what they are decoded to
        texels = BY_NAME[fmt.decoded] if fmt.codec else fmt
        if is_sampleable(texels.number):
            offered |= BIND_SAMPLED
        return not bind & ~offered

    def context_create(self) -> PipeContext:
        from pipe_soft.context import SoftContext

        return SoftContext(self)

    def surface_spread(self, surface: Any) -> None:
        multi = Surface.view(surface.multi)
        one, many = Image(surface), Image(multi)
        box = (0, 0, surface.width, surface.height)
        many.texels[many.box(*box)] = one.texels[one.box(*box)]
        multi.resolved = surface.serial
