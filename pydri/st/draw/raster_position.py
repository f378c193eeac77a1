# SPDX-License-Identifier: MIT
"""Raster positions by a program's vertex stage (GL 2.1, 2.13 and 2.15.4): the kernel that
main/state/raster_kernels.py asks, and the stage itself, run in nir's interpreter.

In: a position, and the context's current values. Out: a ShadedVertex. What the stage does not write
is the current value, as in feedback. Counterpart of Mesa's st_cb_rasterpos.c.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from pydri.jit import f32, kernel, ptr, u32
from pydri.main.kernels import CTX
from pydri.main.layout import DIRTY_CONSTANTS, DIRTY_PROGRAM, DIRTY_TEXTURE
from pydri.main.state.layout import ShadedVertex
from pydri.main.textures.layout import MAX_TEXTURE_UNITS
from pydri.nir.enums import (
    VARYING_SLOT_CLIP_VERTEX,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_FOGC,
    VARYING_SLOT_POS,
    VARYING_SLOT_TEX0,
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR1,
    VERT_ATTRIB_FOG,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_VERTEX
from pydri.st.draw.derived import refresh, textures_moved
from pydri.st.programs.kernels import program_moved

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext


@kernel(u32, (CTX, ptr(f32), ptr(ShadedVertex)), noinline=True)
def st_shade_vertex(b: Builder, ctx: GLContext, place: Pointer, vertex: ShadedVertex) -> Value:
    """A raster position by the vertex stage that would be drawn with; 0: fixed function's."""
    with b.If(program_moved(b, ctx) != 0):
        ctx.dirty = ctx.dirty | DIRTY_PROGRAM
    with b.If(ctx.arb.copies_state != 0):
        ctx.dirty = ctx.dirty | DIRTY_CONSTANTS
    with b.If(textures_moved(b, ctx) != 0):
        ctx.dirty = ctx.dirty | DIRTY_TEXTURE
    refresh(b, ctx)
    with b.If(ctx.key.stages[SHADER_VERTEX] == 0):
        b.Return(0)
    b.call(ctx.hook_shade, ctx, place, vertex)
    return b.const(u32, 1)


def shade_vertex(gl: Any, place: int, out: int) -> None:
    """The hook: `place` has four floats, `out` is a ShadedVertex."""
    import numpy as np

    from pydri.st.feedback.vertices import cut_by, run_program

    n, vertex = gl.n, ShadedVertex.view(out)
    key = type(n.key).from_buffer_copy(n.key)
    ctypes.memset(key.attrib_format, 0, ctypes.sizeof(key.attrib_format))
    key.attrib_format[VERT_ATTRIB_POS] = number("R32G32B32A32_FLOAT")
    given = np.array((ctypes.c_float * 4).from_address(place), np.float32).reshape(1, 4)
    one = np.zeros(1, np.int64)
    outputs, result = run_program(gl, key, lambda slots: dict.fromkeys(slots, given), one)

    def written(slot: int, otherwise: int) -> list[float]:
        value = result.output(slot)[0] if slot in outputs else n.val.current[otherwise]
        return [float(v) for v in value]

    clip = result.output(VARYING_SLOT_POS)
    vertex.clip[:] = clip[0].tolist()
    vertex.color[:] = written(VARYING_SLOT_COL0, VERT_ATTRIB_COLOR0)
    vertex.secondary[:] = written(VARYING_SLOT_COL1, VERT_ATTRIB_COLOR1)
    for unit in range(MAX_TEXTURE_UNITS):
        vertex.texcoords[unit][:] = written(VARYING_SLOT_TEX0 + unit, VERT_ATTRIB_TEX0 + unit)
    vertex.fog = written(VARYING_SLOT_FOGC, VERT_ATTRIB_FOG)[0]
    side = result.output(VARYING_SLOT_CLIP_VERTEX) if VARYING_SLOT_CLIP_VERTEX in outputs else clip
    distances = cut_by(n, side)[0]
    vertex.cut = int(any(n.key.clip_planes >> k & 1 and d < 0 for k, d in enumerate(distances)))


EXPORTS = (st_shade_vertex,)
__all__ = ["EXPORTS", "shade_vertex", "st_shade_vertex"]
