# SPDX-License-Identifier: MIT
"""What programs capture: glTransformFeedbackVaryings, and the question after it
(EXT_transform_feedback). Mesa: main/transformfeedback.c."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.glsl.link.linked import CAPTURE
from pydri.main.pointers import I32, U32, address_of, store
from pydri.main.shaders.objects import program_of
from pydri.main.shaders.query_entries import put_text
from pydri.main.shaders.types import type_enum

if TYPE_CHECKING:
    from pydri.main.context import GLContext


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
        names = (ctypes.string_at(p).decode("latin-1") if p else "" for p in pointers)
        found.captures = tuple(names), separate


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
        store(size, I32, [row.elements])
        store(kind, U32, [type_enum(row.type)])


__all__: list[str] = []
