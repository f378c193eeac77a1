# SPDX-License-Identifier: MIT
"""Entry points that make shaders and programs: sources, compiling, attaching, linking, deleting (GL
2.1, 2.15.1, 2.15.2; ARB_shader_objects).

In: names and texts. Out: ShaderData and ProgramData (objects.py). What programs may call in every
frame is native (kernels.py, uniform_kernels.py). Errors are the peer's: main/shaderapi.c.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.apis import DESKTOP
from pydri.api.dispatch import GLError, entry
from pydri.main.pointers import I32, U32, address_of
from pydri.main.shaders import dump, link, objects
from pydri.main.shaders.objects import program_of, shader_of

if TYPE_CHECKING:
    from pydri.main.context import GLContext

MAX_ATTRIBS = 16


# -- shaders ---------------------------------------------------------------------------------------


def source_of(count: int, strings: Any, lengths: Any) -> bytes:
    """The concatenated strings of glShaderSource; lengths may be null, or negative for strings that
    end with a zero.
    """
    if count < 0 or not address_of(strings):
        raise GLError(gl.GL_INVALID_VALUE, f"count={count}, string={address_of(strings):#x}")
    at = address_of(lengths)
    if count == 1 and not at:  # as nearly everybody calls it
        only = ctypes.c_void_p.from_address(address_of(strings)).value
        if only:
            return ctypes.string_at(only)
    pointers = (ctypes.c_void_p * count).from_address(address_of(strings))
    sizes = list((I32 * count).from_address(at)) if at else [-1] * count
    out = []
    for pointer, size in zip(pointers, sizes, strict=True):
        if not pointer:
            raise GLError(gl.GL_INVALID_OPERATION, "a string is null")
        out.append(ctypes.string_at(pointer, size) if size >= 0 else ctypes.string_at(pointer))
    return b"".join(out).partition(b"\0")[0]


@entry(flush=False)
def glShaderSource(ctx: GLContext, shader: int, count: int, string: Any, length: Any) -> None:
    with ctx.shared.lock:
        found = shader_of(ctx, shader)
        found.source = dump.source_given(found.stage, source_of(count, string, length))


@entry(flush=False)
def glCompileShader(ctx: GLContext, shader: int) -> None:
    with objects.at_work(ctx, shader, shader_of) as found:
        link.compile_shader(ctx, found)


@entry(flush=False)
def glDeleteShader(ctx: GLContext, shader: int) -> None:
    if shader:
        with ctx.shared.lock:
            objects.delete(ctx, shader, shader_of(ctx, shader))


@entry(flush=False)
def glReleaseShaderCompiler(ctx: GLContext) -> None:
    """ARB_ES2_compatibility: a hint. What the compiler holds is shared by all contexts, and small
    beside what compiling again would cost."""


@entry(flush=False)
def glShaderBinary(
    ctx: GLContext, count: int, shaders: Any, binaryFormat: int, binary: Any, length: int
) -> None:
    """ARB_ES2_compatibility: there are no formats of shader binaries, so what is given is none."""
    if count < 0 or length < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"count={count}, length={length}")
    with ctx.shared.lock:
        for name in (U32 * count).from_address(address_of(shaders)) if count else ():
            shader_of(ctx, name)
    raise GLError(gl.GL_INVALID_ENUM, f"binaryFormat={binaryFormat:#x}")


# -- programs --------------------------------------------------------------------------------------


@entry(flush=False)
def glAttachShader(ctx: GLContext, program: int, shader: int) -> None:
    with ctx.shared.lock:
        found, added = program_of(ctx, program), shader_of(ctx, shader)
        if shader in found.shaders:
            raise GLError(gl.GL_INVALID_OPERATION, f"shader {shader} is attached already")
        if not ctx.api & DESKTOP:  # one of each stage (OpenGL ES 2.0, 2.10.3)
            others = (objects.find(ctx, name) for name in found.shaders)
            if any(getattr(other, "stage", "") == added.stage for other in others):
                raise GLError(gl.GL_INVALID_OPERATION, f"a second {added.stage} shader")
        found.shaders.append(shader)
        added.n.uses += 1


@entry(flush=False)
def glDetachShader(ctx: GLContext, program: int, shader: int) -> None:
    with ctx.shared.lock:
        found = program_of(ctx, program)
        if shader not in found.shaders:
            known = objects.find(ctx, shader) is not None
            error = gl.GL_INVALID_OPERATION if known else gl.GL_INVALID_VALUE
            raise GLError(error, f"shader {shader} is not attached")
        found.shaders.remove(shader)
        objects.detached(ctx, shader)


@entry
def glLinkProgram(ctx: GLContext, program: int) -> None:
    with objects.at_work(ctx, program, program_of) as found:
        if found.n.captured:
            raise GLError(gl.GL_INVALID_OPERATION, "transform feedback of it is active")
        link.link_program(ctx, found)


@entry
def glValidateProgram(ctx: GLContext, program: int) -> None:
    """Whether it could be drawn with now (GL 2.1, 2.15.4)."""
    with ctx.shared.lock:
        found = program_of(ctx, program)
        link.validate(found)


@entry(flush=False)
def glDeleteProgram(ctx: GLContext, program: int) -> None:
    if program:
        with ctx.shared.lock:
            objects.delete(ctx, program, program_of(ctx, program))


@entry(flush=False)
def glDeleteObjectARB(ctx: GLContext, obj: int) -> None:
    """Either kind."""
    if obj:
        with ctx.shared.lock:
            found = objects.find(ctx, obj)
            if found is None:
                raise GLError(gl.GL_INVALID_VALUE, f"obj={obj}")
            objects.delete(ctx, obj, found)


@entry(flush=False)
def glBindAttribLocation(ctx: GLContext, program: int, index: int, name: Any) -> None:
    """It counts at the next link."""
    with ctx.shared.lock:
        found = program_of(ctx, program)
        text = name_text(name)
        if text is None:
            return
        if text.startswith("gl_"):
            raise GLError(gl.GL_INVALID_OPERATION, f"name={text}")
        if index >= MAX_ATTRIBS:
            raise GLError(gl.GL_INVALID_VALUE, f"index={index}")
        found.bindings[text] = index


@entry(flush=False)
def glBindFragDataLocation(ctx: GLContext, program: int, color: int, name: Any) -> None:
    """It counts at the next link."""
    _bind_color(ctx, program, color, 0, name)


@entry(flush=False)
def glBindFragDataLocationIndexed(
    ctx: GLContext, program: int, colorNumber: int, index: int, name: Any
) -> None:
    """The same, where index 1 is the second source of blending."""
    _bind_color(ctx, program, colorNumber, index, name)


def _bind_color(ctx: GLContext, program: int, color: int, index: int, name: Any) -> None:
    with ctx.shared.lock:
        found = program_of(ctx, program)
        text = name_text(name)
        if text is None:
            return
        if text.startswith("gl_"):
            raise GLError(gl.GL_INVALID_OPERATION, f"name={text}")
        limits = ctx.n.limits
        if index > 1 or color >= (limits.dual_source if index else limits.draw_buffers):
            raise GLError(gl.GL_INVALID_VALUE, f"color={color}, index={index}")
        found.colors[text] = color, index


def name_text(name: Any) -> str | None:
    """A zero-terminated name; None for null."""
    at = address_of(name)
    return ctypes.string_at(at).decode("latin-1") if at else None


__all__ = ["name_text", "source_of"]
