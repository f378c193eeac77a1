# SPDX-License-Identifier: MIT
"""Contents of framebuffers that the program needs no longer (ARB_invalidate_subdata).

In: attachments and rectangles. Out: errors alone. Mesa: main/fbobject.c
(invalidate_framebuffer_storage).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.framebuffers.query_entries import of_name, of_target, places_of
from pydri.main.pointers import U32, fetch

if TYPE_CHECKING:
    from pydri.main.context import GLContext

#: attachments of the window system's framebuffer (GL 4.6, 17.4.4, and the compatibility profile's)
ATTACHMENTS = frozenset(
    (
        gl.GL_COLOR, gl.GL_DEPTH, gl.GL_STENCIL, gl.GL_FRONT_LEFT, gl.GL_FRONT_RIGHT,
        gl.GL_BACK_LEFT, gl.GL_BACK_RIGHT, gl.GL_ACCUM, gl.GL_AUX0, gl.GL_AUX1, gl.GL_AUX2,
        gl.GL_AUX3,
    )
)  # fmt: skip


def _check(fbo: Any, count: int, attachments: Any, width: int = 0, height: int = 0) -> None:
    """Errors alone: what is undefined from now on may as well stay what it is."""
    if count < 0 or width < 0 or height < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"numAttachments={count}, {width} x {height}")
    for name in fetch(attachments, U32, count) if count else ():
        if fbo is not None:
            places_of(name)
        elif name not in ATTACHMENTS:
            raise GLError(gl.GL_INVALID_ENUM, f"attachment={gl.name_of(name)}")


@entry(flush=False)
def glInvalidateFramebuffer(
    ctx: GLContext, target: int, numAttachments: int, attachments: Any
) -> None:
    _check(of_target(ctx, target), numAttachments, attachments)


@entry(flush=False)
def glInvalidateSubFramebuffer(
    ctx: GLContext, target: int, numAttachments: int, attachments: Any, x: int, y: int,
    width: int, height: int,
) -> None:  # fmt: skip
    _check(of_target(ctx, target), numAttachments, attachments, width, height)


@entry(flush=False)
def glInvalidateNamedFramebufferData(
    ctx: GLContext, framebuffer: int, numAttachments: int, attachments: Any
) -> None:
    with of_name(ctx, framebuffer, False) as fbo:
        _check(fbo, numAttachments, attachments)


@entry(flush=False)
def glInvalidateNamedFramebufferSubData(
    ctx: GLContext, framebuffer: int, numAttachments: int, attachments: Any, x: int, y: int,
    width: int, height: int,
) -> None:  # fmt: skip
    with of_name(ctx, framebuffer, False) as fbo:
        _check(fbo, numAttachments, attachments, width, height)


__all__ = ["ATTACHMENTS"]
