# SPDX-License-Identifier: MIT
"""TABLE: what glGet tells of buffer targets, their numbered points, and uniform blocks, which
read those. Where a context has no such target it has no such parameter either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError
from pydri.main.buffers.tables import bound_name, has_target


def bound_to(target: int) -> Callable[[Any], int]:
    """The getter of a target's binding."""

    def name(ctx: Any) -> int:
        if not has_target(ctx, target):
            raise GLError(gl.GL_INVALID_ENUM, "there is no such target")
        return bound_name(ctx, target)

    return name


def limit(field: str, count: str) -> Callable[[Any], int]:
    """The getter of a field of Limits, where another one (how many points there are) is not 0."""

    def value(ctx: Any) -> int:
        if not getattr(ctx.n.limits, count):
            raise GLError(gl.GL_INVALID_ENUM, "there are no such points")
        return int(getattr(ctx.n.limits, field))

    return value


POINT_LIMITS: dict[int, Callable[[Any], int]] = {
    enum: limit(field, count)
    for enum, field, count in (
        (gl.GL_MAX_UNIFORM_BUFFER_BINDINGS, "uniform_points", "uniform_points"),
        (gl.GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, "uniform_alignment", "uniform_points"),
        (gl.GL_MAX_VERTEX_UNIFORM_BLOCKS, "stage_blocks", "stage_blocks"),
        (gl.GL_MAX_FRAGMENT_UNIFORM_BLOCKS, "stage_blocks", "stage_blocks"),
        (gl.GL_MAX_COMBINED_UNIFORM_BLOCKS, "program_blocks", "stage_blocks"),
        (gl.GL_MAX_UNIFORM_BLOCK_SIZE, "block_bytes", "stage_blocks"),
        (gl.GL_MAX_COMBINED_VERTEX_UNIFORM_COMPONENTS, "block_components", "stage_blocks"),
        (gl.GL_MAX_COMBINED_FRAGMENT_UNIFORM_COMPONENTS, "block_components", "stage_blocks"),
        (gl.GL_MAX_TRANSFORM_FEEDBACK_BUFFERS, "feedback_points", "feedback_points"),
        (gl.GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS, "feedback_points", "feedback_points"),
        (gl.GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS, "feedback_most", "feedback_points"),
        (gl.GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS, "feedback_most", "feedback_points"),
        (gl.GL_MAX_ATOMIC_COUNTER_BUFFER_BINDINGS, "counter_points", "counter_points"),
        (gl.GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS, "storage_points", "storage_points"),
        (gl.GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, "storage_alignment", "storage_points"),
    )
}

__all__ = ["POINT_LIMITS", "bound_to", "limit"]
