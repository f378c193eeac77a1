# SPDX-License-Identifier: MIT
"""The buffer textures of what is drawn with, before each draw: a buffer gets other storage, or
another size, without a word to the textures that it is the texels of.

In: a program with samplers of buffer textures, and what is bound to their units. Out: textures
whose buffers moved are changed textures, which st_textures looks at again. Mesa: st_validate
of buffer textures (st_atom_texture.c, st_sampler_view.c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import kernel, u32, void
from pydri.main.buffers.texel_kernels import texels_moved
from pydri.main.kernels import CTX, is_null
from pydri.main.textures.layout import TARGET_INDEX_BUFFER
from pydri.main.textures.object_kernels import texture_changed
from pydri.main.textures.view_kernels import lock_textures, unlock_textures
from pydri.nir.stages import OFFERED
from pydri.st.textures.kernels import sampled_texture

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext


def _of_buffers(b: Builder, sampler: Any) -> Value:
    return b.cast(sampler.target, u32) == TARGET_INDEX_BUFFER


def texel_buffers_of_stages(b: Builder, ctx: GLContext, exec_: Any) -> None:
    """Emit: note how many samplers of buffer textures what is drawn with has (null: nothing of a
    program)."""
    count = b.var(u32, 0)
    with b.If(~is_null(exec_)):
        for row in OFFERED:
            own = exec_.stages[row.number]
            with b.For(b.const(u32, 0), own.sampler_count, 1) as n:
                count.value = count.value + b.cast(_of_buffers(b, own.samplers + n), u32)
    ctx.program.texel_buffers = count.value


@kernel(void, (CTX,), noinline=True)
def st_texel_buffers(b: Builder, ctx: Any) -> None:
    """Before a draw of a program that reads some."""
    exec_ = ctx.program.exec
    lock_textures(b, ctx)
    for row in OFFERED:
        own = exec_.stages[row.number]
        with b.For(b.const(u32, 0), own.sampler_count, 1) as n:
            with b.If(_of_buffers(b, own.samplers + n)):
                _, texture = sampled_texture(b, ctx, own, own.samplers + n)
                with b.If(~is_null(texture.buffer)), b.If(texels_moved(texture), likely=False):
                    texture_changed(b, ctx, texture)
    unlock_textures(b, ctx)


__all__ = ["st_texel_buffers", "texel_buffers_of_stages"]
