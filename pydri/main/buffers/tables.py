# SPDX-License-Identifier: MIT
"""Where buffer objects are bound: TABLES, for kernels, glGet and deletion.

TARGETS: the binding of each target; its path begins with `vao.` (the bound vertex array object) or
names a block of the context. INDEXED: those that have numbered binding points, too.
Mesa: get_buffer_target, bind_buffer_range and set_buffer_multi_binding of main/bufferobj.c.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.where import In
from pydri.main.buffers.layout import (
    MAX_COUNTER_POINTS,
    MAX_FEEDBACK_POINTS,
    MAX_STORAGE_POINTS,
    MAX_UNIFORM_POINTS,
)
from pydri.main.names.objects import name_at


class Indexed(NamedTuple):
    """A target with numbered binding points (GL 4.6, table 6.5): `name` and `name`_points are the
    fields of the block of buffers.

    `limit`: the field of Limits that tells how many there are; `most`: how many there is room for.
    `alignment`: of offsets, in bytes, or the field of Limits that tells; `whole`: of sizes, too.
    `binding`, `start`, `size`: what glGetIntegeri_v calls them.
    """

    enum: int
    name: str
    limit: str
    most: int
    alignment: int | str
    whole: bool
    binding: int
    start: int
    size: int


INDEXED: tuple[Indexed, ...] = (
    Indexed(
        gl.GL_UNIFORM_BUFFER, "uniform", "uniform_points", MAX_UNIFORM_POINTS,
        "uniform_alignment", False,
        gl.GL_UNIFORM_BUFFER_BINDING, gl.GL_UNIFORM_BUFFER_START, gl.GL_UNIFORM_BUFFER_SIZE,
    ),
    Indexed(
        gl.GL_TRANSFORM_FEEDBACK_BUFFER, "feedback", "feedback_points", MAX_FEEDBACK_POINTS,
        4, True,
        gl.GL_TRANSFORM_FEEDBACK_BUFFER_BINDING, gl.GL_TRANSFORM_FEEDBACK_BUFFER_START,
        gl.GL_TRANSFORM_FEEDBACK_BUFFER_SIZE,
    ),
    Indexed(
        gl.GL_ATOMIC_COUNTER_BUFFER, "counter", "counter_points", MAX_COUNTER_POINTS,
        4, False,
        gl.GL_ATOMIC_COUNTER_BUFFER_BINDING, gl.GL_ATOMIC_COUNTER_BUFFER_START,
        gl.GL_ATOMIC_COUNTER_BUFFER_SIZE,
    ),
    Indexed(
        gl.GL_SHADER_STORAGE_BUFFER, "storage", "storage_points", MAX_STORAGE_POINTS,
        "storage_alignment", False,
        gl.GL_SHADER_STORAGE_BUFFER_BINDING, gl.GL_SHADER_STORAGE_BUFFER_START,
        gl.GL_SHADER_STORAGE_BUFFER_SIZE,
    ),
)  # fmt: skip

TARGETS: dict[int, str] = {
    gl.GL_ARRAY_BUFFER: "buffers.array",
    gl.GL_ELEMENT_ARRAY_BUFFER: "vao.element_buffer",
    gl.GL_COPY_READ_BUFFER: "buffers.copy_read",
    gl.GL_COPY_WRITE_BUFFER: "buffers.copy_write",
    gl.GL_DRAW_INDIRECT_BUFFER: "buffers.draw_indirect",
    gl.GL_PARAMETER_BUFFER: "buffers.parameter",
    gl.GL_QUERY_BUFFER: "buffers.query",
    gl.GL_TEXTURE_BUFFER: "buffers.texture",
    gl.GL_PIXEL_PACK_BUFFER: "pixel.pack_buffer",
    gl.GL_PIXEL_UNPACK_BUFFER: "pixel.unpack_buffer",
    **{row.enum: f"buffers.{row.name}" for row in INDEXED},
}
BINDINGS: dict[int, int] = {
    gl.GL_ARRAY_BUFFER_BINDING: gl.GL_ARRAY_BUFFER,
    gl.GL_ELEMENT_ARRAY_BUFFER_BINDING: gl.GL_ELEMENT_ARRAY_BUFFER,
    gl.GL_COPY_READ_BUFFER_BINDING: gl.GL_COPY_READ_BUFFER,
    gl.GL_COPY_WRITE_BUFFER_BINDING: gl.GL_COPY_WRITE_BUFFER,
    gl.GL_DRAW_INDIRECT_BUFFER_BINDING: gl.GL_DRAW_INDIRECT_BUFFER,
    gl.GL_PARAMETER_BUFFER_BINDING: gl.GL_PARAMETER_BUFFER,
    gl.GL_QUERY_BUFFER_BINDING: gl.GL_QUERY_BUFFER,
    gl.GL_TEXTURE_BUFFER_BINDING: gl.GL_TEXTURE_BUFFER,
    gl.GL_PIXEL_PACK_BUFFER_BINDING: gl.GL_PIXEL_PACK_BUFFER,
    gl.GL_PIXEL_UNPACK_BUFFER_BINDING: gl.GL_PIXEL_UNPACK_BUFFER,
    **{row.binding: row.enum for row in INDEXED},
}


class Parameter(NamedTuple):
    """A parameter of a buffer: a field of BufferObject, and how it is told ("number", "flag": 0 or
    1, "way": GL_READ_ONLY and its like)."""

    enum: int
    field: str
    told: str = "number"
    where: In | None = None


_MAPS = In(30, 31, 0, 30, ("ARB_map_buffer_range", "EXT_map_buffer_range:c"))
PARAMETERS: tuple[Parameter, ...] = (
    Parameter(gl.GL_BUFFER_SIZE, "size"),
    Parameter(gl.GL_BUFFER_USAGE, "usage"),
    Parameter(gl.GL_BUFFER_ACCESS, "access", "way"),
    Parameter(gl.GL_BUFFER_MAPPED, "mapped", "flag"),
    Parameter(gl.GL_BUFFER_ACCESS_FLAGS, "access", where=_MAPS),
    Parameter(gl.GL_BUFFER_MAP_OFFSET, "map_offset", where=_MAPS),
    Parameter(gl.GL_BUFFER_MAP_LENGTH, "map_length", where=_MAPS),
    Parameter(gl.GL_BUFFER_IMMUTABLE_STORAGE, "immutable"),
    Parameter(gl.GL_BUFFER_STORAGE_FLAGS, "storage_flags"),
)
USAGES = (
    gl.GL_STREAM_DRAW,
    gl.GL_STREAM_READ,
    gl.GL_STREAM_COPY,
    gl.GL_STATIC_DRAW,
    gl.GL_STATIC_READ,
    gl.GL_STATIC_COPY,
    gl.GL_DYNAMIC_DRAW,
    gl.GL_DYNAMIC_READ,
    gl.GL_DYNAMIC_COPY,
)


def has_target(ctx: Any, target: int) -> bool:
    """Whether an enum is a buffer target of a context."""
    return ctx.row(TARGETS, target) is not None


def owner_of(ctx: Any, target: int) -> tuple[Any, str]:
    """The native struct and the name of the field that hold a target's binding."""
    block, _, field = TARGETS[target].partition(".")
    return (ctx.vao if block == "vao" else getattr(ctx.n, block)), field


def bound_name(ctx: Any, target: int) -> int:
    """Name of the buffer bound to a target; 0 for none."""
    owner, field = owner_of(ctx, target)
    return name_at(getattr(owner, field))
