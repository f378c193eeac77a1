# SPDX-License-Identifier: MIT
"""glUniformBlockBinding: the binding point that a uniform block is read from (OpenGL 3.1, 2.11.4).

In: a program, the index of a block, the number of a point. Out: `Executable.bindings`, which draws
look at; a further link makes another executable, whose blocks begin at point 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydri.api.enums as gl
from pydri.jit import u32
from pydri.main.kernels import error_if, flush_vertices, is_null, native, record_error
from pydri.main.names.counted_kernels import COUNTED, PLACE, counted_drop, counted_take
from pydri.main.names.object_kernels import NAMED, release
from pydri.main.shaders.kernels import EXECUTABLE, names

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext


@native
def glUniformBlockBinding(b: Builder, ctx: GLContext, program: Value, index: Value,
                          point: Value) -> None:  # fmt: skip
    found = names.acquire(b, ctx, program)
    error_if(b, ctx, is_null(found), gl.GL_INVALID_VALUE)
    error = b.var(u32, gl.GL_INVALID_VALUE)
    with b.If(found.is_program == 0):
        error.value = gl.GL_INVALID_OPERATION
    taken = b.call(counted_take, found.cast(NAMED), found.addr("exec").cast(PLACE))
    with b.If(~is_null(taken)):
        exec_ = taken.cast(EXECUTABLE)
        with b.If((index < exec_.block_count) & (point < ctx.limits.uniform_points)):
            error.value = 0
            with b.If(exec_.bindings[index] != point):
                flush_vertices(b, ctx)
                exec_.bindings[index] = point
    b.call(counted_drop, ctx, taken.cast(COUNTED))
    release(b, ctx, found.cast(NAMED))
    with b.If(error.value != 0, likely=False):
        record_error(b, ctx, error.value)


__all__ = ["glUniformBlockBinding"]
