# SPDX-License-Identifier: MIT
"""The uniform blocks of what is drawn with: which range of which buffer each stage's are.

In: a program with blocks in buffers, their binding points (`Executable.bindings`), and what is
bound there. Out: `blocks` of each stage's ShaderMemory, before each draw, since buffers get other
memory and points other buffers at any time: a few words a block. Mesa: st_bind_ubos
(st_atom_constbuf.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import kernel, ptr, u8, u32, u64, void
from pydri.main.buffers.layout import BindingPoint
from pydri.main.buffers.storage_kernels import read_begin, read_end
from pydri.main.kernels import CTX, is_null
from pydri.nir.stages import OFFERED
from pydri.pipe.resource import Resource
from pydri.pipe.shader_memory import MAX_BLOCKS, BufferRange
from pydri.st.programs.captures import st_captures

if TYPE_CHECKING:
    from pydri.jit import Builder
    from pydri.main.layout import GLContext

_REST = (1 << 63) - 1  # of a range that ends with its buffer: drivers end it there


def blocks_of_stages(b: Builder, ctx: Any, exec_: Any) -> None:
    """Emit: note how many blocks there are in what is drawn with (null: nothing of a program), and
    tell the driver where their ranges are to be found. What only an earlier program had is bound no
    longer: its buffers may go."""
    count = b.var(u32, 0)
    with b.If(~is_null(exec_)):
        for row in OFFERED:
            count.value = count.value + exec_.stages[row.number].block_count
    with b.If(ctx.program.blocks != 0):
        for row in OFFERED:
            blocks = ctx.program.memory[row.number].addr("blocks")
            b.memset(blocks.cast(ptr(u8)), 0, BufferRange.size * MAX_BLOCKS)
    ctx.program.blocks = count.value
    with b.If(count.value != 0):
        for row in OFFERED:
            ctx.dyn.stages[row.number].memory = ctx.program.memory[row.number]


@kernel(void, (CTX,), noinline=True)
def st_blocks(b: Builder, ctx: Any) -> None:
    """Before a draw of a program that has blocks."""
    exec_, bindings = ctx.program.exec, ctx.program.linked.bindings
    points = ctx.buffers.uniform_points.cast(ptr(BindingPoint))
    for row in OFFERED:
        stage = exec_.stages[row.number]
        table = ctx.program.memory[row.number]
        with b.For(b.const(u32, 0), stage.block_count, 1) as n:
            point = points + bindings[b.cast(stage.blocks[n], u32)]
            out = table.addr("blocks").cast(ptr(BufferRange)) + n
            buffer = point.buffer
            out.resource = b.const(ptr(Resource), None)
            with b.If(~is_null(buffer)):
                out.resource = buffer.resource  # since it was bound to a point (`point_put`)
                out.offset = point.offset
                out.size = b.select(point.size == 0, b.const(u64, _REST), point.size)


def block_buffers(b: Builder, ctx: GLContext, draw: Any) -> None:
    """Emit a draw, `draw()`: other threads leave it the memory of what it reads of blocks."""
    with b.If((ctx.program.blocks != 0) & (ctx.reading == 0), likely=False):
        read_begin(b, ctx)
        draw()
        read_end(b, ctx)
    with b.Else():
        draw()


def draw_buffers(b: Builder, ctx: GLContext, draw: Any) -> None:
    """Emit a draw, `draw()`: other threads leave it the memory of what it reads of blocks, and
    writes with transform feedback.
    """
    capturing = ctx.key.capturing != 0

    def captured() -> None:
        with b.If(capturing, likely=False):
            b.call(st_captures, ctx)
        draw()

    with b.If(((ctx.program.blocks != 0) | capturing) & (ctx.reading == 0), likely=False):
        read_begin(b, ctx)
        captured()
        read_end(b, ctx)
    with b.Else():
        captured()


__all__ = ["block_buffers", "blocks_of_stages", "draw_buffers", "st_blocks"]
