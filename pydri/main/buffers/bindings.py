# SPDX-License-Identifier: MIT
"""Where a context keeps what is bound to targets and numbered points, in the kernel language.

In: rows of buffers/tables.py. Out: pointers into the context, and loops over points. Mesa:
get_buffer_target and _mesa_buffer_unbind of main/bufferobj.c.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pydri.jit import kernel, ptr, u32
from pydri.main.buffers.storage_kernels import BUFFER
from pydri.main.buffers.tables import INDEXED, TARGETS
from pydri.main.kernels import CTX, flush_vertices
from pydri.main.names.object_kernels import put_reference
from pydri.main.rows import row_finder

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.buffers.layout import BufferObject
    from pydri.main.layout import GLContext

_target = row_finder("buffer_target", TARGETS, inline=True)


def binding_place(ctx: Any, target: int) -> Any:
    """Where the binding of a target (of TARGETS) is kept, whether the context has it or not."""
    block, _, field = TARGETS[target].partition(".")
    owner = ctx.arrays.vao if block == "vao" else getattr(ctx, block)
    return owner.addr(field)


def used_points(b: Builder, ctx: GLContext) -> Iterator[Any]:
    """Emit a loop over the numbered points of each target that may have a buffer."""
    for n, row in enumerate(INDEXED):
        points = getattr(ctx.buffers, f"{row.name}_points")
        with b.For(b.const(u32, 0), ctx.buffers.used[n], 1) as index:
            yield points + index


def points_unbind(b: Builder, ctx: GLContext, buffer: BufferObject) -> None:
    """No numbered point has this buffer any more."""
    for point in used_points(b, ctx):
        with b.If(point.buffer == buffer):
            flush_vertices(b, ctx)
            put_reference(b, ctx, point.addr("buffer"), b.const(BUFFER, None))
            point.offset, point.size = 0, 0
            ctx.buffers.serial = ctx.buffers.serial + 1


@kernel(ptr(BUFFER), (CTX, u32), noinline=True)
def buffer_binding(b: Builder, ctx: GLContext, target: Value) -> Value:
    """Where the binding of a target is kept; null for what is no target of the context."""
    place = b.var(ptr(BUFFER), b.const(ptr(BUFFER), None))
    with b.Switch(b.call(_target, ctx, target)) as s:
        for n, enum in enumerate(TARGETS):
            with s.Case(n):
                place.value = binding_place(ctx, enum)
    return place.value
