# SPDX-License-Identifier: MIT
"""Native glProgramEnvParameter*, glProgramLocalParameter* and what asks for them
(ARB_vertex_program 2.14.1.5; EXT_gpu_program_parameters).

In: a target, a number and values. Out: the context's environment parameters, or the local ones of
the program that is bound; DIRTY_CONSTANTS has the next draw bring them together. A program has
memory for local parameters from the first on that is set. Mesa: main/arbprogram.c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import f32, f64, i32, kernel, ptr, u32, u64, void
from pydri.main.kernels import CTX, fail, flush_vertices, is_null, mark, native_as, where
from pydri.main.layout import DIRTY_CONSTANTS
from pydri.main.names.space_kernels import CALLOC
from pydri.main.programs.kernels import OBJECT, is_target, target_place
from pydri.main.programs.layout import MAX_ENV_PARAMETERS, MAX_LOCAL_PARAMETERS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.main.programs.layout import ArbProgram

FLOATS, DOUBLES = ptr(f32), ptr(f64)
V4 = f32.vec(4)


def _checked(b: Builder, ctx: GLContext, target: Value, first: Value, count: Value, most: int,
             slot: Value) -> None:  # fmt: skip
    """Errors of targets and numbers (the caller ends)."""
    fail(b, ctx, ~is_target(target), gl.GL_INVALID_ENUM, slot)
    fail(b, ctx, count == 0, gl.GL_INVALID_VALUE, slot)
    end = b.cast(first, u64) + b.cast(count, u64)
    fail(b, ctx, end > most, gl.GL_INVALID_VALUE, slot)


def _bound(b: Builder, ctx: GLContext, target: Value) -> Any:
    return (ctx.arb.bound + target_place(b, target)).load()


@kernel(FLOATS, (CTX, OBJECT, u32), noinline=True)
def program_locals(b: Builder, ctx: GLContext, program: ArbProgram, slot: Value) -> Value:
    """The local parameters of a program, made at the first use; null: GL_OUT_OF_MEMORY."""
    from pydri.main.kernels import gl_record_error

    with b.If(is_null(program.locals), likely=False):
        made = b.call(CALLOC, b.const(u64, MAX_LOCAL_PARAMETERS), b.const(u64, 16))
        program.locals = made.cast(FLOATS)
        with b.If(is_null(made)):
            b.call(gl_record_error, ctx, gl.GL_OUT_OF_MEMORY, slot)
    return program.locals


def _put(b: Builder, ctx: GLContext, out: Pointer, values: Pointer, count: Value) -> None:
    """Write vectors, once what was drawn before is on its way."""
    flush_vertices(b, ctx)
    with b.For(b.const(u32, 0), count, 1) as n:
        (out + n * 4).store((values + n * 4).load(V4, align=4), align=4)
    mark(b, ctx, DIRTY_CONSTANTS)


@kernel(void, (CTX, u32, u32, u32, FLOATS, u32), noinline=True)
def env_write(b: Builder, ctx: GLContext, target: Value, first: Value, count: Value,
              values: Pointer, slot: Value) -> None:  # fmt: skip
    """glProgramEnvParameter*."""
    _checked(b, ctx, target, first, count, MAX_ENV_PARAMETERS, slot)
    at = target_place(b, target) * (4 * MAX_ENV_PARAMETERS) + first * 4
    _put(b, ctx, ctx.arb.env + at, values, count)


@kernel(void, (CTX, OBJECT, u32, u32, FLOATS, u32), noinline=True)
def local_write(b: Builder, ctx: GLContext, program: ArbProgram, first: Value, count: Value,
                values: Pointer, slot: Value) -> None:  # fmt: skip
    """glProgramLocalParameter* of a program."""
    _checked(b, ctx, program.target, first, count, MAX_LOCAL_PARAMETERS, slot)
    numbers = b.call(program_locals, ctx, program, slot)
    with b.If(is_null(numbers), likely=False):
        b.Return()
    _put(b, ctx, numbers + first * 4, values, count)


@kernel(FLOATS, (CTX, u32, u32, u32), noinline=True)
def env_at(b: Builder, ctx: GLContext, target: Value, number: Value, slot: Value) -> Any:
    """An environment parameter; null after an error."""
    return b.select(
        b.call(_unfit, ctx, target, number, MAX_ENV_PARAMETERS, slot) != 0,
        b.const(FLOATS, None),
        ctx.arb.env + (target_place(b, target) * (4 * MAX_ENV_PARAMETERS) + number * 4),
    )


@kernel(u32, (CTX, u32, u32, u32, u32), noinline=True)
def _unfit(b: Builder, ctx: GLContext, target: Value, number: Value, most: Value,
           slot: Value) -> Value:  # fmt: skip
    """Record the error of a target or number; 0: there is none."""
    from pydri.main.kernels import gl_record_error

    error = b.select(is_target(target), b.const(u32, 0), b.const(u32, gl.GL_INVALID_ENUM))
    high = b.select(number < most, b.const(u32, 0), b.const(u32, gl.GL_INVALID_VALUE))
    error = b.select(error != 0, error, high)
    with b.If(error != 0, likely=False):
        b.call(gl_record_error, ctx, error, slot)
    return error


@kernel(FLOATS, (CTX, u32, u32, u32), noinline=True)
def local_at(b: Builder, ctx: GLContext, target: Value, number: Value, slot: Value) -> Any:
    """A local parameter of the program that is bound; null after an error."""
    with b.If(b.call(_unfit, ctx, target, number, MAX_LOCAL_PARAMETERS, slot) != 0):
        b.Return(b.const(FLOATS, None))
    numbers = b.call(program_locals, ctx, _bound(b, ctx, target), slot)
    return b.select(is_null(numbers), numbers, numbers + number * 4)


Writer = Callable[[Any, Any, Any, Any, Any, Any], None]


def _env(b: Builder, ctx: GLContext, target: Value, first: Value, count: Value,
         values: Pointer) -> None:  # fmt: skip
    b.call(env_write, ctx, target, first, count, values, where(b))


def _local(b: Builder, ctx: GLContext, target: Value, first: Value, count: Value,
           values: Pointer) -> None:  # fmt: skip
    fail(b, ctx, ~is_target(target), gl.GL_INVALID_ENUM, where(b))
    b.call(local_write, ctx, _bound(b, ctx, target), first, count, values, where(b))


def _setters(stem: str, write: Writer) -> None:
    """The forms of one kind: four numbers, four at an address, as floats or doubles."""

    def scalars(b: Builder, ctx: GLContext, target: Value, index: Value, *given: Any) -> None:
        values = b.array(f32, 4)
        for n, value in enumerate(given):
            values[n] = b.cast(value, f32)
        write(b, ctx, target, index, b.const(u32, 1), values)

    def floats(b: Builder, ctx: GLContext, target: Value, index: Value, values: Pointer) -> None:
        write(b, ctx, target, index, b.const(u32, 1), values.cast(FLOATS))

    def doubles(b: Builder, ctx: GLContext, target: Value, index: Value, given: Pointer) -> None:
        values = b.array(f32, 4)
        for n in range(4):
            values[n] = b.cast(given.cast(DOUBLES)[n], f32)
        write(b, ctx, target, index, b.const(u32, 1), values)

    def many(b: Builder, ctx: GLContext, target: Value, index: Value, count: Value,
             values: Pointer) -> None:  # fmt: skip
        fail(b, ctx, b.cast(count, i32) < 0, gl.GL_INVALID_VALUE, where(b))
        write(b, ctx, target, index, b.cast(count, u32), values.cast(FLOATS))

    native_as(f"gl{stem}4fARB", scalars)
    native_as(f"gl{stem}4dARB", scalars)
    native_as(f"gl{stem}4fvARB", floats)
    native_as(f"gl{stem}4dvARB", doubles)
    native_as(f"gl{stem}s4fvEXT", many)


def _getters(stem: str, find: Any) -> None:
    def floats(b: Builder, ctx: GLContext, target: Value, index: Value, out: Pointer) -> None:
        found = b.call(find, ctx, target, index, where(b))
        with b.If(~is_null(found)):
            out.cast(FLOATS).store(found.load(V4, align=4), align=4)

    def doubles(b: Builder, ctx: GLContext, target: Value, index: Value, out: Pointer) -> None:
        found = b.call(find, ctx, target, index, where(b))
        with b.If(~is_null(found)):
            for n in range(4):
                out.cast(DOUBLES)[n] = b.cast(found[n], f64)

    native_as(f"glGet{stem}fvARB", floats)
    native_as(f"glGet{stem}dvARB", doubles)


_setters("ProgramEnvParameter", _env)
_setters("ProgramLocalParameter", _local)
_getters("ProgramEnvParameter", env_at)
_getters("ProgramLocalParameter", local_at)

__all__ = ["env_write", "local_at", "local_write", "program_locals"]
