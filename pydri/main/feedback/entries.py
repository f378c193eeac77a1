# SPDX-License-Identifier: MIT
"""Feedback's buffer (GL 2.1, 5.3), and the render modes where they begin or end feedback.

In: glRenderMode, glFeedbackBuffer, glPassThrough; and from the state tracker, which draws in Python
in feedback, `write(values)`. Out: the client's buffer, written at once; the count goes on beyond
its end, so that overflow is seen when the mode is left. Selection is feedback/kernels.py's.
Mesa: main/feedback.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.pointers import address_of

if TYPE_CHECKING:
    from pydri.main.context import GLContext

MODES = (gl.GL_RENDER, gl.GL_SELECT, gl.GL_FEEDBACK)
RENDER, SELECT, FEEDBACK = range(3)
FEEDBACK_TYPES = (
    gl.GL_2D,
    gl.GL_3D,
    gl.GL_3D_COLOR,
    gl.GL_3D_COLOR_TEXTURE,
    gl.GL_4D_COLOR_TEXTURE,
)


class ClientBuffer:
    """A client's array of one type; `count` values were written to it, or would have been."""

    def __init__(self, ctype: Any) -> None:
        self.ctype = ctype
        self.address = self.size = self.count = 0
        self.given = False
        self.type = gl.GL_2D  # of feedback

    def give(self, address: int, size: int) -> None:
        """The program's memory from here on."""
        self.address, self.size, self.count, self.given = address, size, 0, True

    def write(self, values: Sequence[Any]) -> None:
        """Append values; what has no room is only counted."""
        room = min(len(values), self.size - self.count)
        if room > 0 and self.address:
            at = self.address + self.count * ctypes.sizeof(self.ctype)
            (self.ctype * room).from_address(at)[:] = list(values[:room])
        self.count += len(values)


class RenderModes:
    """The state of feedback of one context."""

    def __init__(self) -> None:
        self.feedback = ClientBuffer(ctypes.c_float)


def render_modes(ctx: Any) -> RenderModes:
    """The render modes of a context, made at first use."""
    found = ctx.render_modes
    if found is None:
        found = ctx.render_modes = RenderModes()
    return found  # type: ignore[no-any-return]


def hit(n: Any, z: float) -> None:
    """Something at window depth z is within the view volume: select_hit for Python."""
    s = n.select
    near, far = (s.near, s.far) if s.hit else (1.0, 0.0)
    s.hit, s.near, s.far = 1, min(near, z), max(far, z)


def _leave(ctx: GLContext, mode: int) -> int:
    """End a mode: what glRenderMode returns."""
    if mode == SELECT:
        return ctypes.c_int32(ctx.kernel("select_leave")(ctx.address)).value
    feedback = render_modes(ctx).feedback
    count, feedback.count = feedback.count, 0
    return (-1 if count > feedback.size else count) if mode == FEEDBACK else 0


@entry
def glRenderMode(ctx: GLContext, mode: int) -> int:
    """Into feedback, or out of it; feedback/kernels.py does the rest."""
    new = MODES.index(mode)
    given = ctx.n.select.given if new == SELECT else render_modes(ctx).feedback.given
    if new and not given:
        raise GLError(gl.GL_INVALID_OPERATION, f"{gl.name_of(mode)} has no buffer")
    key = ctx.n.key
    result = _leave(ctx, key.render_mode)
    if key.render_mode != new:
        key.render_mode = new
        ctx.n.key_dirty = 1
    return result


def _size(size: int) -> int:
    if size < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"size={size}")
    return size


@entry
def glFeedbackBuffer(ctx: GLContext, size: int, type_: int, buffer: Any) -> None:
    if ctx.n.key.render_mode == FEEDBACK:
        raise GLError(gl.GL_INVALID_OPERATION, "in feedback")
    _size(size)
    if type_ not in FEEDBACK_TYPES:
        raise GLError(gl.GL_INVALID_ENUM, f"type={gl.name_of(type_)}")
    feedback = render_modes(ctx).feedback
    feedback.give(address_of(buffer), size)
    feedback.type = type_


@entry
def glPassThrough(ctx: GLContext, token: float) -> None:
    if ctx.n.key.render_mode == FEEDBACK:
        render_modes(ctx).feedback.write([float(gl.GL_PASS_THROUGH_TOKEN), token])
