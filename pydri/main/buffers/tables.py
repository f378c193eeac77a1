# SPDX-License-Identifier: MIT
"""Where buffer objects are bound: ONE table, for kernels, glGet and deletion.

A target's path begins with `vao.` (the bound vertex array object) or names a block of the context.
Mesa: get_buffer_target of main/bufferobj.c.
"""

from __future__ import annotations

from typing import Any

import pydri.api.enums as gl
from pydri.main.names.objects import name_at

TARGETS: dict[int, str] = {
    gl.GL_ARRAY_BUFFER: "buffers.array",
    gl.GL_ELEMENT_ARRAY_BUFFER: "vao.element_buffer",
    gl.GL_COPY_READ_BUFFER: "buffers.copy_read",
    gl.GL_COPY_WRITE_BUFFER: "buffers.copy_write",
    gl.GL_DRAW_INDIRECT_BUFFER: "buffers.draw_indirect",
    gl.GL_PARAMETER_BUFFER: "buffers.parameter",
    gl.GL_QUERY_BUFFER: "buffers.query",
    gl.GL_PIXEL_PACK_BUFFER: "pixel.pack_buffer",
    gl.GL_PIXEL_UNPACK_BUFFER: "pixel.unpack_buffer",
}
BINDINGS: dict[int, int] = {
    gl.GL_ARRAY_BUFFER_BINDING: gl.GL_ARRAY_BUFFER,
    gl.GL_ELEMENT_ARRAY_BUFFER_BINDING: gl.GL_ELEMENT_ARRAY_BUFFER,
    gl.GL_COPY_READ_BUFFER_BINDING: gl.GL_COPY_READ_BUFFER,
    gl.GL_COPY_WRITE_BUFFER_BINDING: gl.GL_COPY_WRITE_BUFFER,
    gl.GL_DRAW_INDIRECT_BUFFER_BINDING: gl.GL_DRAW_INDIRECT_BUFFER,
    gl.GL_PARAMETER_BUFFER_BINDING: gl.GL_PARAMETER_BUFFER,
    gl.GL_QUERY_BUFFER_BINDING: gl.GL_QUERY_BUFFER,
    gl.GL_PIXEL_PACK_BUFFER_BINDING: gl.GL_PIXEL_PACK_BUFFER,
    gl.GL_PIXEL_UNPACK_BUFFER_BINDING: gl.GL_PIXEL_UNPACK_BUFFER,
}
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


def owner_of(ctx: Any, target: int) -> tuple[Any, str]:
    """The native struct and the name of the field that hold a target's binding."""
    block, _, field = TARGETS[target].partition(".")
    return (ctx.vao if block == "vao" else getattr(ctx.n, block)), field


def bound_name(ctx: Any, target: int) -> int:
    """Name of the buffer bound to a target; 0 for none."""
    owner, field = owner_of(ctx, target)
    return name_at(getattr(owner, field))
