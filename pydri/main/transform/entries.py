# SPDX-License-Identifier: MIT
"""What programs capture: glTransformFeedbackVaryings, and the question after it
(EXT_transform_feedback, ARB_transform_feedback3); what is asked of transform feedback objects by
their names (ARB_direct_state_access). Mesa: main/transformfeedback.c."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.glsl.link.captures import NEXT_BUFFER, SPECIAL
from pydri.glsl.link.linked import CAPTURE
from pydri.main.names.objects import name_at, object_by_name
from pydri.main.names.tables import TRANSFORMS
from pydri.main.pointers import I32, I64, U32, address_of, store
from pydri.main.shaders.objects import program_of
from pydri.main.shaders.query_entries import put_text
from pydri.main.shaders.types import type_enum
from pydri.nir.types import VOID

if TYPE_CHECKING:
    from pydri.main.context import GLContext
    from pydri.main.transform.layout import TransformState


@entry(flush=False)
def glTransformFeedbackVaryings(
    ctx: GLContext, program: int, count: int, varyings: Any, mode: int
) -> None:
    """It counts at the next link."""
    if mode not in (gl.GL_INTERLEAVED_ATTRIBS, gl.GL_SEPARATE_ATTRIBS):
        raise GLError(gl.GL_INVALID_ENUM, f"bufferMode={gl.name_of(mode)}")
    separate = mode == gl.GL_SEPARATE_ATTRIBS
    if count < 0 or (separate and count > ctx.n.limits.feedback_points):
        raise GLError(gl.GL_INVALID_VALUE, f"count={count}")
    with ctx.shared.lock:
        found = program_of(ctx, program)
        at = address_of(varyings)
        pointers = list((ctypes.c_void_p * count).from_address(at)) if count else []
        names = tuple(ctypes.string_at(p).decode("latin-1") if p else "" for p in pointers)
        buffers = 1 + names.count(NEXT_BUFFER)
        if (separate and SPECIAL & set(names)) or buffers > ctx.n.limits.feedback_points:
            raise GLError(gl.GL_INVALID_OPERATION, f"varyings={names}")
        found.captures = names, separate


@entry(flush=False)
def glGetTransformFeedbackVarying(
    ctx: GLContext, program: int, index: int, room: int, length: Any, size: Any, kind: Any,
    name: Any,
) -> None:  # fmt: skip
    """Of the last link that succeeded."""
    with ctx.shared.lock:
        linked = program_of(ctx, program).linked
        rows = linked.resources[CAPTURE] if linked is not None else []
        if index >= len(rows):
            raise GLError(gl.GL_INVALID_VALUE, f"index={index}")
        row = rows[index]
        put_text(row.name.encode("latin-1"), room, length, name)
        gap = row.type is VOID
        store(size, I32, [row.size if gap else row.elements])
        store(kind, U32, [gl.GL_NONE if gap else type_enum(row.type)])


def _object(ctx: GLContext, name: int) -> tuple[TransformState, Any]:
    """State and points of an object, 0 the default one."""
    block, found = ctx.n.transform, None
    if name:
        with object_by_name(ctx, TRANSFORMS, name) as found:  # it is this context's alone
            if found is None:
                raise GLError(gl.GL_INVALID_OPERATION, f"xfb={name}")
    bound = name_at(block.current) == name
    held = block.default if found is None else found
    return (block.now, ctx.n.buffers.feedback_points) if bound else (held.state, held.points)


@entry(flush=False)
def glGetTransformFeedbackiv(ctx: GLContext, xfb: int, pname: int, param: Any) -> None:
    state, _ = _object(ctx, xfb)
    told = {gl.GL_TRANSFORM_FEEDBACK_PAUSED: state.paused,
            gl.GL_TRANSFORM_FEEDBACK_ACTIVE: state.active}  # fmt: skip
    if pname not in told:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(param, I32, [told[pname]])


def _point(ctx: GLContext, xfb: int, index: int) -> Any:
    _, points = _object(ctx, xfb)
    if index >= ctx.n.limits.feedback_points:
        raise GLError(gl.GL_INVALID_VALUE, f"index={index}")
    return points[index]


@entry(flush=False)
def glGetTransformFeedbacki_v(
    ctx: GLContext, xfb: int, pname: int, index: int, param: Any
) -> None:
    point = _point(ctx, xfb, index)
    if pname != gl.GL_TRANSFORM_FEEDBACK_BUFFER_BINDING:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(param, I32, [name_at(point.buffer)])


@entry(flush=False)
def glGetTransformFeedbacki64_v(
    ctx: GLContext, xfb: int, pname: int, index: int, param: Any
) -> None:
    point = _point(ctx, xfb, index)
    told = {gl.GL_TRANSFORM_FEEDBACK_BUFFER_START: point.offset,
            gl.GL_TRANSFORM_FEEDBACK_BUFFER_SIZE: point.size}  # fmt: skip
    if pname not in told:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(param, I64, [told[pname]])


__all__: list[str] = []
