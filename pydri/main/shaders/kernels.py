# SPDX-License-Identifier: MIT
"""Native program objects: making, glUseProgram, and what a context gives back (GL 2.1, 2.15).

In: names. Out: `ctx.program.current`, with DIRTY_PROGRAM set where the next draw must look at it
(st/programs/kernels.py). Deleting what is in use is Python's (objects.py): it is asked through
`hook_unused` when the last use of a deleted program ends. Mesa: main/shaderapi.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import gl_kernel
from pydri.jit import i32, kernel, ptr, u8, u32, void
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    is_null,
    mark,
    native,
    one_of,
    record_error,
    where,
)
from pydri.main.layout import DIRTY_PROGRAM, blend_of
from pydri.main.names.counted_kernels import COUNTED, PLACE, counted_drop, counted_take
from pydri.main.names.kernels import install
from pydri.main.names.object_kernels import NAMED, put_reference, release
from pydri.main.names.tables import SHADERS
from pydri.main.rows import enum_check
from pydri.main.shaders.layout import Executable, ProgramObject
from pydri.main.state.kernels import SECOND_SOURCES
from pydri.main.textures.layout import MAX_IMAGE_UNITS
from pydri.nir.stages import OFFERED

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

PROGRAM, EXECUTABLE = ptr(ProgramObject), ptr(Executable)
names = install(SHADERS, __name__)


@native
def glCreateShader(b: Builder, ctx: GLContext, kind: Value) -> Any:
    enum_check(b, ctx, kind, [row.shader_type for row in OFFERED])
    made = b.call(names.make, ctx, where(b))
    with b.If(is_null(made), likely=False):
        b.Return(0)
    made.kind = kind
    return made.name


@native
def glCreateProgram(b: Builder, ctx: GLContext) -> Any:
    made = b.call(names.make, ctx, where(b))
    with b.If(is_null(made), likely=False):
        b.Return(0)
    made.is_program = 1
    return made.name


@native
def glMaxShaderCompilerThreadsKHR(b: Builder, ctx: GLContext, count: Value) -> None:
    # a hint: shaders are compiled when somebody asks for what becomes of them
    ctx.raw.compiler_threads = b.cast(count, i32)


@native
def glIsShader(b: Builder, ctx: GLContext, name: Value) -> Any:
    return _is(b, ctx, name, 0)


@native
def glIsProgram(b: Builder, ctx: GLContext, name: Value) -> Any:
    return _is(b, ctx, name, 1)


def _is(b: Builder, ctx: GLContext, name: Value, program: int) -> Value:
    """Whether a name is a shader's, or a program's."""
    out = b.var(u8, 0)
    found = names.acquire(b, ctx, name)
    with b.If(~is_null(found)):
        out.value = b.cast(found.is_program == program, u8)
        release(b, ctx, found.cast(NAMED))
    return out.value


@kernel(void, (CTX, PROGRAM), noinline=True)
def program_use(b: Builder, ctx: Any, wanted: ProgramObject) -> None:
    """Make a program (whose reference the caller has; null: none) the current one."""
    flush_vertices(b, ctx)
    place = ctx.program.addr("current")
    old = place.load()
    with b.If(~is_null(wanted)):
        b.atomic_add(wanted.addr("uses"), 1)
    mark(b, ctx, DIRTY_PROGRAM)
    gone, refused = b.var(u32, 0), b.var(u32, 0)
    with b.If(~is_null(wanted)):
        refused.value = wanted.refused
    ctx.program.refused = refused.value
    with b.If(~is_null(old)):
        before = b.atomic_add(old.addr("uses"), b.const(u32, 0xFFFFFFFF))
        with b.If((before == 1) & (old.pending != 0)):
            gone.value = old.name
    put_reference(b, ctx, place, wanted)
    asked = ctx.program.asked
    ctx.program.asked = b.const(EXECUTABLE, None)
    b.call(counted_drop, ctx, asked.cast(COUNTED))
    with b.If((gone.value != 0) & ~is_null(ctx.program.hook_unused)):
        b.call(ctx.program.hook_unused, ctx, gone.value)


def capturing(ctx: Any) -> Any:
    """Whether draws are captured now."""
    return (ctx.transform.now.active != 0) & (ctx.transform.now.paused == 0)


@native
def glUseProgram(b: Builder, ctx: GLContext, name: Value) -> None:
    error_if(b, ctx, capturing(ctx), gl.GL_INVALID_OPERATION)
    wanted = b.var(PROGRAM, b.const(PROGRAM, None))
    with b.If(name != 0):
        wanted.value = names.acquire(b, ctx, name)
        error_if(b, ctx, is_null(wanted.value), gl.GL_INVALID_VALUE)
        usable = (wanted.value.is_program != 0) & (wanted.value.linked != 0)
        with b.If(~usable, likely=False):
            release(b, ctx, wanted.value.cast(NAMED))
            record_error(b, ctx, gl.GL_INVALID_OPERATION)
            b.Return()
    with b.If(ctx.program.current == wanted.value):
        with b.If(~is_null(wanted.value)):
            release(b, ctx, wanted.value.cast(NAMED))
            # a new link is taken up with the next use at the latest
            with b.If(ctx.program.linked != wanted.value.exec):
                mark(b, ctx, DIRTY_PROGRAM)
        b.Return()
    b.call(program_use, ctx, wanted.value)


@kernel(EXECUTABLE, (CTX,), noinline=True)
def program_executable(b: Builder, ctx: GLContext) -> Value:
    """The executable of the current program (not null) is another one than was asked for last."""
    block = ctx.program
    program, old = block.current, block.asked
    found = b.call(counted_take, program.cast(NAMED), program.addr("exec").cast(PLACE))
    block.asked = found.cast(EXECUTABLE)
    b.call(counted_drop, ctx, old.cast(COUNTED))
    return block.asked


def executable(b: Builder, ctx: GLContext) -> Any:
    """The executable of the current program (not null), which stays until it is asked for again
    though another thread may link the program anew."""
    found = b.var(EXECUTABLE, ctx.program.asked)
    with b.If(b.load_atomic(ctx.program.current.addr("exec")) != found.value, likely=False):
        found.value = b.call(program_executable, ctx)
    return found.value


@kernel(u32, (EXECUTABLE,), noinline=True)
def samplers_conflict(b: Builder, exec_: Any) -> Value:
    """Whether samplers of different targets have one unit (GL 2.1, 2.15.3)."""
    seen = b.array(u32, MAX_IMAGE_UNITS)
    with b.For(b.const(u32, 0), MAX_IMAGE_UNITS, 1) as n:
        seen[n] = 0
    for row in OFFERED:
        stage = exec_.stages[row.number]
        with b.For(b.const(u32, 0), stage.sampler_count, 1) as n:
            sampler = stage.samplers + n
            units = b.bytes_from(stage.block, sampler.offset, u32)
            unit = units.load() & (MAX_IMAGE_UNITS - 1)
            target = b.cast(sampler.target, u32) + 1
            with b.If(sampler.dead == 0):
                with b.If((seen[unit] != 0) & (seen[unit] != target)):
                    b.Return(1)
                seen[unit] = target
    return b.const(u32, 0)


@kernel(u32, (CTX,), noinline=True)
def second_sources_conflict(b: Builder, ctx: GLContext) -> Value:
    """Whether a draw buffer that has no second source of blending is to be blended with it
    (ARB_blend_func_extended: GL_INVALID_OPERATION, whether blending is on or not)."""
    fbo = ctx.framebuffers.draw
    with b.For(ctx.limits.dual_source, ctx.limits.draw_buffers, 1) as n:
        buffer = b.var(u32, ctx.raw.more_draw_buffers[n - 1])
        with b.If(~is_null(fbo)):
            buffer.value = fbo.draw_buffers[n]
        own = blend_of(ctx.key, b.select(ctx.key.blend_apart != 0, n, b.const(u32, 0)))
        for name in ("src_rgb", "dst_rgb", "src_alpha", "dst_alpha"):
            second = one_of(b, b.cast(getattr(own, name), u32), SECOND_SOURCES)
            with b.If(second & (buffer.value != gl.GL_NONE)):
                b.Return(1)
    return b.const(u32, 0)


def refuse_conflict(b: Builder, ctx: GLContext) -> None:
    """The error of drawing while samplers of different types have one unit, or with a second source
    of blending that is not there, also where nothing is drawn; returns from the kernel.
    """
    with b.If(ctx.raw.second_sources != 0, likely=False):
        conflict = b.call(second_sources_conflict, ctx) != 0
        error_if(b, ctx, conflict, gl.GL_INVALID_OPERATION)
    with b.If(~is_null(ctx.program.current), likely=False):
        exec_ = executable(b, ctx)
        with b.If(exec_.sampler_count > 1):
            conflict = b.call(samplers_conflict, exec_) != 0
            error_if(b, ctx, conflict, gl.GL_INVALID_OPERATION)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def leave_shaders(b: Builder, ctx: GLContext) -> None:
    """The context goes: it uses no program any more."""
    with b.If(~is_null(ctx.program.current)):
        b.call(program_use, ctx, b.const(PROGRAM, None))
    linked = ctx.program.linked
    ctx.program.linked = b.const(EXECUTABLE, None)
    b.call(counted_drop, ctx, linked.cast(COUNTED))


__all__ = [
    "EXECUTABLE", "PROGRAM", "executable", "glUseProgram", "names", "program_use",
    "refuse_conflict", "samplers_conflict", "second_sources_conflict",
]  # fmt: skip
