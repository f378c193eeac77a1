# SPDX-License-Identifier: MIT
"""Transform feedback at draw time: which memory the driver writes.

In: the numbered points of buffers while feedback is active. Out: `dyn.stream_targets`, before each
draw, since buffers get other memory; what scenes do with that memory is awaited, since stream
output is written at once. What was written before stays counted. Mesa: st_cb_xformfb.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import kernel, ptr, u8, u64, void
from pydri.main.buffers.layout import BindingPoint
from pydri.main.buffers.storage_kernels import buffer_settle, held_range
from pydri.main.kernels import CTX, is_null
from pydri.pipe.native import MAP_READ, MAP_WRITE, MAX_STREAM_TARGETS, StreamTarget
from pydri.pipe.resource_kernels import head_of

if TYPE_CHECKING:
    from pydri.jit import Builder


@kernel(void, (CTX,), noinline=True)
def st_captures(b: Builder, ctx: Any) -> None:
    """Between read_begin and read_end."""
    points = ctx.buffers.feedback_points.cast(ptr(BindingPoint))
    targets = ctx.dyn.addr("stream_targets").cast(ptr(StreamTarget))
    for n in range(MAX_STREAM_TARGETS):
        point, target = points + n, targets + n
        target.data, target.size = b.const(ptr(u8), None), 0
        buffer = point.buffer
        with b.If(((ctx.transform.now.buffers >> n) & 1 != 0) & ~is_null(buffer)):
            with b.If(~is_null(buffer.resource), likely=False):
                b.call(buffer_settle, ctx, buffer, MAP_READ | MAP_WRITE)
            data = buffer.data
            with b.If(~is_null(data)):
                start, held = held_range(b, head_of(data), point.offset, point.size)
                target.data = b.bytes_from(data, start, u8)
                target.size = held & ~b.const(u64, 3)


__all__ = ["st_captures"]
