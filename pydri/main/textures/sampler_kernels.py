# SPDX-License-Identifier: MIT
"""Native sampler objects (ARB_sampler_objects; GL 4.5, 8.2).

In: names, units, and parameters of the table textures/parameters.py that samplers have. Out: which
object each unit has (`TextureBlock.sampler`), and its parameters. Where one is bound, textures of
the unit are complete, and are looked at, as it says (st/textures/kernels.py). Mesa:
main/samplerobj.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.jit import boolean, kernel, ptr, u32, void
from pydri.main.kernels import (
    CTX,
    error_if,
    errors_of_several,
    fail,
    flush_vertices,
    gl_record_error,
    is_null,
    mark,
    native,
    one_of,
    where,
)
from pydri.main.layout import DIRTY_TEXTURE
from pydri.main.names.kernels import install
from pydri.main.names.object_kernels import NAMED, put_reference, release
from pydri.main.names.tables import SAMPLERS
from pydri.main.textures.layout import MAX_IMAGE_UNITS, SamplerObject
from pydri.main.textures.object_kernels import initial_params
from pydri.main.textures.parameter_kernels import (
    VECTORS,
    WORDS,
    Owner,
    parameter_commands,
    parameter_row,
    set_row,
    taken_words,
)
from pydri.main.textures.parameters import PARAMETERS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.main.names.layout import Named

SAMPLER = ptr(SamplerObject)


@kernel(void, (CTX, NAMED), noinline=True)
def sampler_born(b: Builder, ctx: GLContext, thing: Named) -> None:
    """A sampler's initial state (GL 4.5, table 23.18): a texture's."""
    initial_params(b, ctx, thing.cast(SAMPLER).params)


@kernel(void, (CTX, NAMED), noinline=True)
def sampler_unbind(b: Builder, ctx: GLContext, thing: Named) -> None:
    """A sampler is deleted: units of this context have none."""
    with b.For(b.const(u32, 0), MAX_IMAGE_UNITS, 1) as unit:
        place = ctx.textures.sampler + unit
        with b.If(place.load() == thing.cast(SAMPLER)):
            flush_vertices(b, ctx)
            put_reference(b, ctx, place, b.const(SAMPLER, None))
            mark(b, ctx, DIRTY_TEXTURE)


names = install(SAMPLERS, __name__, born=sampler_born, unbind=sampler_unbind)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def leave_samplers(b: Builder, ctx: GLContext) -> None:
    """The context goes: what its units refer to."""
    with b.For(b.const(u32, 0), MAX_IMAGE_UNITS, 1) as unit:
        put_reference(b, ctx, ctx.textures.sampler + unit, b.const(SAMPLER, None))


# -- binding --------------------------------------------------------------------------------------


def put_sampler(b: Builder, ctx: GLContext, unit: Value, sampler: SamplerObject) -> None:
    """Bind a sampler (or null) whose reference the caller has."""
    place = ctx.textures.sampler + unit
    with b.If(place.load() != sampler):
        flush_vertices(b, ctx)
        mark(b, ctx, DIRTY_TEXTURE)
    put_reference(b, ctx, place, sampler)


@native
def glBindSampler(b: Builder, ctx: GLContext, unit: Value, name: Value) -> None:
    error_if(b, ctx, unit >= MAX_IMAGE_UNITS, gl.GL_INVALID_VALUE)
    found = b.var(SAMPLER, b.const(SAMPLER, None))
    with b.If(name != 0):
        found.value = names.acquire(b, ctx, name)
        error_if(b, ctx, is_null(found.value), gl.GL_INVALID_OPERATION)
    put_sampler(b, ctx, unit, found.value)


@native
def glBindSamplers(b: Builder, ctx: GLContext, first: Value, count: Value, given: Pointer) -> None:
    """ARB_multi_bind: names that are none leave their unit as it was."""
    errors_of_several(b, ctx, first, count, MAX_IMAGE_UNITS)
    number = b.cast(count, u32)
    none = b.const(SAMPLER, None)
    with b.For(b.const(u32, 0), number, 1) as n:
        found = b.var(SAMPLER, none)
        good = b.var(boolean, b.const(boolean, 1))
        with b.If(~is_null(given)):
            with b.If(given[n] != 0):
                found.value = names.acquire(b, ctx, given[n])
                good.value = ~is_null(found.value)
                with b.If(~good.value, likely=False):
                    b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, where(b))
        with b.If(good.value):
            put_sampler(b, ctx, first + n, found.value)


# -- parameters -----------------------------------------------------------------------------------


def _changed(b: Builder, ctx: GLContext, sampler: SamplerObject) -> None:
    """All contexts of the group look through their units when they next draw."""
    b.atomic_add(ctx.shared.addr("texture_serial"), 1)


@kernel(void, (CTX, SAMPLER, u32, WORDS, u32, u32), noinline=True)
def sampler_row(b: Builder, ctx: GLContext, sampler: SamplerObject, pname: Value, words: Pointer,
                form: Value, slot: Value) -> None:  # fmt: skip
    """Set a parameter; as texture_parameter."""
    owner = Owner(sampler, b.const(boolean, 0), b.const(boolean, 0), _changed, gl.GL_INVALID_VALUE)
    with b.Switch(b.call(parameter_row, ctx, pname)) as s:
        for n, row in enumerate(PARAMETERS):
            if row.sampler:
                with s.Case(n):
                    set_row(b, ctx, owner, row, words, form, slot)
        with s.Default():
            b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, slot)


@kernel(void, (CTX, u32, u32, WORDS, u32, u32, u32), noinline=True)
def sampler_parameter(b: Builder, ctx: GLContext, name: Value, pname: Value, given: Pointer,
                      scalar: Value, form: Value, slot: Value) -> None:  # fmt: skip
    """glSamplerParameter*: `given` are the program's words, one if `scalar`."""
    sampler = names.acquire(b, ctx, name)
    fail(b, ctx, is_null(sampler), gl.GL_INVALID_OPERATION, slot)
    vector = one_of(b, pname, VECTORS)
    with b.If(vector & (scalar != 0), likely=False):
        b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, slot)
    with b.Else():
        b.call(sampler_row, ctx, sampler, pname, taken_words(b, given, vector), form, slot)
    release(b, ctx, sampler.cast(NAMED))


parameter_commands("glSamplerParameter", sampler_parameter)
