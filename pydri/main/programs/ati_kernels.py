# SPDX-License-Identifier: MIT
"""Native ATI_fragment_shader: names, glBindFragmentShaderATI, constants, and which code is drawn
with.

In: names. Out: `ctx.arb.bound[ATI]`. The code of a shader depends on the targets of the units that
it samples and on fog: there is one for each such signature that was met, and Python makes another
(`hook_variant`). Mesa: main/atifragshader.c, st_program.c (st_fp_variant_key.texture_index).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.gl_table import TABLE
from pydri.jit import f32, fn, ptr, u32, void
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    is_null,
    mark,
    native,
    python_form,
    where,
)
from pydri.main.layout import DIRTY_CONSTANTS, DIRTY_PROGRAM
from pydri.main.names.object_kernels import NAMED, object_delete, put_reference, reference
from pydri.main.names.space_kernels import limit_of, names_take
from pydri.main.programs.kernels import OBJECT, ati_names
from pydri.main.programs.layout import ATI

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext


def _refuse_compiling(b: Builder, ctx: GLContext) -> None:
    error_if(b, ctx, ctx.arb.compiling != 0, gl.GL_INVALID_OPERATION)


@native
def glGenFragmentShadersATI(b: Builder, ctx: GLContext, count: Value) -> Any:
    error_if(b, ctx, count == 0, gl.GL_INVALID_VALUE)
    _refuse_compiling(b, ctx)
    space = ati_names.space(b, ctx)
    with b.If(limit_of(b, space) == 0, likely=False):
        error_if(b, ctx, is_null(b.call(ati_names.open, ctx)), gl.GL_OUT_OF_MEMORY)
    first = b.call(names_take, space, b.cast(count, u32))
    error_if(b, ctx, first == 0, gl.GL_OUT_OF_MEMORY)
    return first


@native
def glBindFragmentShaderATI(b: Builder, ctx: Any, name: Value) -> None:
    _refuse_compiling(b, ctx)
    place = ctx.arb.bound + ATI
    old = place.load()
    with b.If((old.name == name) & (old.deleted == 0)):
        b.Return()
    default = (ctx.shared.assembly + ATI).load()
    found = b.var(OBJECT, default)
    with b.If(name != 0):
        found.value = b.call(ati_names.obtain, ctx, name, where(b))
        with b.If(is_null(found.value), likely=False):
            b.Return()
        found.value.target = gl.GL_FRAGMENT_SHADER_ATI
    with b.Else():
        reference(b, ctx, default.cast(NAMED))
    flush_vertices(b, ctx)
    put_reference(b, ctx, place, found.value)
    mark(b, ctx, DIRTY_PROGRAM)


@native
def glDeleteFragmentShaderATI(b: Builder, ctx: GLContext, name: Value) -> None:
    _refuse_compiling(b, ctx)
    flush_vertices(b, ctx)
    with b.If(name != 0):
        b.call(object_delete, ctx, ati_names.space(b, ctx), name)


@native
def glSetFragmentShaderConstantATI(b: Builder, ctx: GLContext, dst: Value, value: Pointer) -> None:
    number = dst - gl.GL_CON_0_ATI
    error_if(b, ctx, number >= 8, gl.GL_INVALID_ENUM)
    with b.If(ctx.arb.compiling != 0, likely=False):
        slot = TABLE.row("glSetFragmentShaderConstantATI").slot
        python_form(b, ctx, slot, fn(void, CTX, u32, ptr(f32)), dst, value)
        b.Return()
    flush_vertices(b, ctx)
    vector = value.load(f32.vec(4), align=4)
    (ctx.arb.ati_constants + number * 4).store(vector, align=4)
    mark(b, ctx, DIRTY_CONSTANTS)


__all__ = ["glBindFragmentShaderATI", "glSetFragmentShaderConstantATI"]
