# SPDX-License-Identifier: MIT
"""TABLE: what glGet tells of buffer targets, their numbered points, and uniform blocks, which
read those.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pydri.api.enums as gl
from pydri.api.apis import CORE
from pydri.main.buffers.tables import bound_name
from pydri.main.names.objects import name_at
from pydri.main.textures.layout import MAX_TEXTURE_TARGETS, TARGET_INDEX_BUFFER, TextureObject


def bound_to(target: int) -> Callable[[Any], int]:
    """The getter of a target's binding."""

    return lambda ctx: bound_name(ctx, target)


def _texels(ctx: Any) -> Any:
    """The buffer texture that is bound to the active unit."""
    place = ctx.n.raw.active_texture * MAX_TEXTURE_TARGETS + TARGET_INDEX_BUFFER
    return TextureObject.view(ctx.n.textures.bound[place])


TEXEL_BUFFERS: dict[int, Callable[[Any], int]] = {
    gl.GL_TEXTURE_BUFFER_DATA_STORE_BINDING: lambda ctx: name_at(_texels(ctx).buffer),
    gl.GL_TEXTURE_BUFFER_FORMAT_ARB: lambda ctx: (
        _texels(ctx).images[0].internal_format
        or (gl.GL_R8 if ctx.api == CORE else gl.GL_LUMINANCE8)),
}

#: glGet parameter -> field of Limits
POINT_LIMITS: dict[int, str] = {
    enum: f"limits.{field}"
    for enum, field in (
        (gl.GL_MAX_UNIFORM_BUFFER_BINDINGS, "uniform_points"),
        (gl.GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, "uniform_alignment"),
        (gl.GL_MAX_VERTEX_UNIFORM_BLOCKS, "stage_blocks"),
        (gl.GL_MAX_FRAGMENT_UNIFORM_BLOCKS, "stage_blocks"),
        (gl.GL_MAX_GEOMETRY_UNIFORM_BLOCKS, "stage_blocks"),
        (gl.GL_MAX_COMBINED_UNIFORM_BLOCKS, "program_blocks"),
        (gl.GL_MAX_UNIFORM_BLOCK_SIZE, "block_bytes"),
        (gl.GL_MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS, "block_components"),
        (gl.GL_MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS, "block_components"),
        (gl.GL_MAX_COMBINED_GEOMETRY_UNIFORM_COMPONENTS, "block_components"),
        (gl.GL_MAX_TRANSFORM_FEEDBACK_BUFFERS, "feedback_points"),
        (gl.GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS, "feedback_points"),
        (gl.GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS, "feedback_most"),
        (gl.GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, "feedback_most"),
        (gl.GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS, "counter_points"),
        (gl.GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS, "storage_points"),
        (gl.GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, "storage_alignment"),
        (gl.GL_MAX_TEXTURE_BUFFER_SIZE, "texel_buffer"),
        (gl.GL_TEXTURE_BUFFER_OFFSET_ALIGNMENT, "texel_alignment"),
    )
}

__all__ = ["POINT_LIMITS", "TEXEL_BUFFERS", "bound_to"]
