# SPDX-License-Identifier: MIT
"""Native ARB program objects: names, binding, what a context has of them.

In: names and targets. Out: `ctx.arb.bound`, with DIRTY_PROGRAM set where the next draw must look at
it (st/programs/arb.py). Program 0 of a target is an object of the share group. Mesa:
main/arbprogram.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.jit import boolean, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    is_null,
    mark,
    native,
    where,
)
from pydri.main.layout import DIRTY_PROGRAM
from pydri.main.names.counted_kernels import COUNTED, counted_drop
from pydri.main.names.kernels import install
from pydri.main.names.object_kernels import (
    NAMED,
    object_new,
    put_reference,
    rebind,
    reference,
    release,
)
from pydri.main.names.space_kernels import FREE_MEMORY, lock, unlock
from pydri.main.names.tables import ATI_SHADERS, PROGRAMS
from pydri.main.programs.layout import FRAGMENT, PLACE_STAGES, VERTEX, ArbCode, ArbProgram
from pydri.main.shaders.kernels import executable

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext
    from pydri.main.names.layout import Named

OBJECT, CODE = ptr(ArbProgram), ptr(ArbCode)
BYTES = ptr(u8)
#: enums of the targets by place
TARGETS = (gl.GL_VERTEX_PROGRAM_ARB, gl.GL_FRAGMENT_PROGRAM_ARB)


def target_place(b: Builder, target: Value) -> Any:
    """The place of a target that is one (u32)."""
    return b.select(target == TARGETS[FRAGMENT], b.const(u32, FRAGMENT), b.const(u32, VERTEX))


def is_target(target: Any) -> Any:
    """Whether an enum is a target."""
    return (target == TARGETS[VERTEX]) | (target == TARGETS[FRAGMENT])


@kernel(void, (CTX, NAMED), cold=True)
def program_unbind(b: Builder, ctx: GLContext, object_: Named) -> None:
    """A program is deleted: where it is bound in this context, program 0 is."""
    for index in range(3):
        place = ctx.arb.bound + index
        with b.If(place.load() == object_.cast(OBJECT)):
            flush_vertices(b, ctx)
            rebind(b, ctx, place, ctx.shared.assembly[index])
            mark(b, ctx, DIRTY_PROGRAM)


@gl_kernel
@kernel(void, (CTX, OBJECT, CODE), cold=True)
def codes_put(b: Builder, ctx: GLContext, program: ArbProgram, code: ArbCode) -> None:
    """A program draws with other code (null: none), whose reference the caller has; what it drew
    with goes when no context draws with it any more."""
    lock(b, program.space)
    left = b.var(CODE, program.code)
    program.code = code
    unlock(b, program.space)
    with b.While(lambda: ~is_null(left.value)):
        gone = left.value
        left.value = gone.previous
        b.call(counted_drop, ctx, gone.cast(COUNTED))


@kernel(void, (CTX, NAMED), cold=True)
def program_dead(b: Builder, ctx: GLContext, object_: Named) -> None:
    """Nobody has the object any more."""
    program = object_.cast(OBJECT)
    b.call(codes_put, ctx, program, b.const(CODE, None))
    with b.If(~is_null(program.locals)):
        b.call(FREE_MEMORY, program.locals.cast(BYTES))


names = install(PROGRAMS, __name__, unbind=program_unbind, dead=program_dead)
ati_names = install(ATI_SHADERS, __name__, unbind=program_unbind, dead=program_dead)


@gl_kernel
@kernel(u64, (CTX,), cold=True)
def programs_join(b: Builder, ctx: GLContext) -> Value:
    """A new context has the share group's programs 0, which the first one makes. The group's lock
    is held. 0: no memory."""
    for index, kind in enumerate((names, names, ati_names)):
        default = ctx.shared.assembly + index
        with b.If(is_null(default.load())):
            space = kind.space(b, ctx)
            with b.If(space.limit == 0), b.If(is_null(b.call(kind.open, ctx))):
                b.Return(0)
            made = b.call(object_new, ctx, space, 0)
            with b.If(is_null(made)):
                b.Return(0)
            made.cast(OBJECT).target = (*TARGETS, gl.GL_FRAGMENT_SHADER_ATI)[index]
            default.store(made.cast(OBJECT))
        rebind(b, ctx, ctx.arb.bound + index, default.load())
    ctx.arb.unit[3] = 1.0
    ctx.arb.error_position = -1
    return b.const(u64, 1)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def leave_programs(b: Builder, ctx: Any) -> None:
    """The context goes: what it refers to, and its blocks."""
    for index in range(3):
        put_reference(b, ctx, ctx.arb.bound + index, b.const(OBJECT, None))
        held = (ctx.arb.codes + index).load()
        (ctx.arb.codes + index).store(b.const(CODE, None))
        b.call(counted_drop, ctx, held.cast(COUNTED))
    for index in range(2):
        block = (ctx.arb.blocks + index).load()
        with b.If(~is_null(block)):
            b.call(FREE_MEMORY, block)


@kernel(OBJECT, (CTX, u32, u32, u32), noinline=True)
def program_of_target(b: Builder, ctx: GLContext, name: Value, target: Value, slot: Value) -> Any:
    """The object of a name for a target, with a reference; made at its first use. Null after an
    error."""
    index = target_place(b, target)
    default = (ctx.shared.assembly + index).load()
    with b.If(name == 0):
        reference(b, ctx, default.cast(NAMED))
        b.Return(default)
    found = b.call(names.obtain, ctx, name, slot)
    with b.If(~is_null(found), likely=True):
        with b.If(found.target == 0):
            found.target = target
        with b.If(found.target != target, likely=False):
            release(b, ctx, found.cast(NAMED))
            b.call(_mismatch, ctx, slot)
            b.Return(b.const(OBJECT, None))
    return found


@kernel(void, (CTX, u32), cold=True)
def _mismatch(b: Builder, ctx: GLContext, slot: Value) -> None:
    from pydri.main.kernels import gl_record_error

    b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, slot)


@native
def glBindProgramARB(b: Builder, ctx: GLContext, target: Value, name: Value) -> None:
    error_if(b, ctx, ~is_target(target), gl.GL_INVALID_ENUM)
    place = ctx.arb.bound + target_place(b, target)
    old = place.load()
    with b.If((old.name == name) & (old.deleted == 0)):
        b.Return()
    found = b.call(program_of_target, ctx, name, target, where(b))
    with b.If(is_null(found), likely=False):
        b.Return()
    flush_vertices(b, ctx)
    put_reference(b, ctx, place, found)
    mark(b, ctx, DIRTY_PROGRAM)


def missing(b: Builder, ctx: Any) -> Any:
    """Whether a program is switched on that has no code, and no GLSL program has its stage."""
    out = b.var(boolean, b.const(boolean, 0))
    with b.If((ctx.arb.enabled[VERTEX] | ctx.arb.enabled[FRAGMENT]) != 0, likely=False):
        ids = [b.var(u32, 0), b.var(u32, 0)]
        with b.If(~is_null(ctx.program.current)):
            exec_ = executable(b, ctx)
            for index, number in enumerate(ids):
                number.value = exec_.stages[PLACE_STAGES[index]].number
        for index in range(2):
            empty = is_null((ctx.arb.bound + index).load().code)
            out.value = out.value | (ctx.arb.enabled[index] != 0) & (ids[index].value == 0) & empty
    return out.value


def refuse_missing(b: Builder, ctx: GLContext) -> None:
    """The error of drawing with a program that is not valid (ARB_vertex_program, 2.14.1.4), also
    where nothing is drawn; returns from the kernel."""
    error_if(b, ctx, missing(b, ctx), gl.GL_INVALID_OPERATION)


__all__ = [
    "CODE", "OBJECT", "TARGETS", "ati_names", "glBindProgramARB", "is_target", "missing", "names",
    "program_of_target", "refuse_missing", "target_place",
]  # fmt: skip
