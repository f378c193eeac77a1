# SPDX-License-Identifier: MIT
"""Render modes: selection's name stack and hit records, feedback's buffer (GL 2.1, 5.2 and 5.3).

In: glRenderMode, glSelectBuffer, glFeedbackBuffer, the name stack, glPassThrough; and from the
state tracker, which draws in Python while another mode than GL_RENDER is on, `hit(z)` and
`write(values)`. Out: the client's buffers, written at once; counts go on beyond their ends, so that
overflow is seen when the mode is left. `key.render_mode` tells the kernels that nothing is
rasterised. Mesa: main/feedback.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.context import GLContext
from pydri.main.layout import MAX_NAME_STACK
from pydri.main.pointers import address_of

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
    """The state of selection and feedback of one context."""

    def __init__(self) -> None:
        self.select = ClientBuffer(ctypes.c_uint32)
        self.feedback = ClientBuffer(ctypes.c_float)
        self.names: list[int] = []
        self.hits = 0
        self._forget()

    def _forget(self) -> None:
        self._hit = False
        self._near, self._far = 1.0, 0.0

    def hit(self, z: float) -> None:
        """Something at window depth z is within the view volume."""
        self._hit = True
        self._near, self._far = min(self._near, z), max(self._far, z)

    def record(self) -> None:
        """A hit record, if anything was hit since the names last changed."""
        if self._hit:
            near, far = (int(min(max(z, 0.0), 1.0) * 0xFFFFFFFF) for z in (self._near, self._far))
            self.select.write([len(self.names), near, far, *self.names])
            self.hits += 1
        self._forget()

    def leave(self, mode: int) -> int:
        """End a mode: what glRenderMode returns."""
        if mode == SELECT:
            self.record()
            result = -1 if self.select.count > self.select.size else self.hits
            self.select.count = self.hits = 0
            self.names.clear()
            return result
        if mode == FEEDBACK:
            count, self.feedback.count = self.feedback.count, 0
            return -1 if count > self.feedback.size else count
        return 0


def render_modes(ctx: Any) -> RenderModes:
    """The render modes of a context, made at first use."""
    found = ctx.render_modes
    if found is None:
        found = ctx.render_modes = RenderModes()
    return found  # type: ignore[no-any-return]


@entry
def glRenderMode(ctx: GLContext, mode: int) -> int:
    if mode not in MODES:
        raise GLError(gl.GL_INVALID_ENUM, f"mode={gl.name_of(mode)}")
    new = MODES.index(mode)
    modes = render_modes(ctx)
    if new and not (modes.select if new == SELECT else modes.feedback).given:
        raise GLError(gl.GL_INVALID_OPERATION, f"{gl.name_of(mode)} has no buffer")
    key = ctx.n.key
    result = modes.leave(key.render_mode)
    if key.render_mode != new:
        key.render_mode = new
        ctx.n.key_dirty = 1
    return result


def _size(size: int) -> int:
    if size < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"size={size}")
    return size


@entry
def glSelectBuffer(ctx: GLContext, size: int, buffer: Any) -> None:
    if ctx.n.key.render_mode == SELECT:
        raise GLError(gl.GL_INVALID_OPERATION, "in selection")
    render_modes(ctx).select.give(address_of(buffer), _size(size))


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


# -- names: outside of selection they are ignored -------------------------------------------------


@entry
def glInitNames(ctx: GLContext) -> None:
    if ctx.n.key.render_mode == SELECT:
        modes = render_modes(ctx)
        modes.record()
        modes.names.clear()


@entry
def glLoadName(ctx: GLContext, name: int) -> None:
    if ctx.n.key.render_mode != SELECT:
        return
    modes = render_modes(ctx)
    if not modes.names:
        raise GLError(gl.GL_INVALID_OPERATION, "the name stack is empty")
    modes.record()
    modes.names[-1] = name


@entry
def glPushName(ctx: GLContext, name: int) -> None:
    if ctx.n.key.render_mode != SELECT:
        return
    modes = render_modes(ctx)
    if len(modes.names) >= MAX_NAME_STACK:
        raise GLError(gl.GL_STACK_OVERFLOW, f"{MAX_NAME_STACK} names")
    modes.record()
    modes.names.append(name)


@entry
def glPopName(ctx: GLContext) -> None:
    if ctx.n.key.render_mode != SELECT:
        return
    modes = render_modes(ctx)
    if not modes.names:
        raise GLError(gl.GL_STACK_UNDERFLOW, "the name stack is empty")
    modes.record()
    modes.names.pop()
