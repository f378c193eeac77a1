# SPDX-License-Identifier: MIT
"""All contexts and surfaces of EGL, also those that were destroyed while current and have no
handle any more: displays, surfaces and contexts find each other here."""

from typing import TYPE_CHECKING

from pydri.api import dispatch
from pydri.api import egl_enums as e
from winsys_x11.xlib import address

if TYPE_CHECKING:
    from pydri.egl.context import EglContext
    from pydri.egl.surface import EglSurface

CONTEXTS: "dict[int, EglContext]" = {}  # by handle
SURFACES: "dict[int, EglSurface]" = {}  # by the address of the native Drawable


def current_context() -> "EglContext | None":
    """Return the calling thread's context, a doomed one included."""
    return CONTEXTS.get(address(dispatch.thread().egl_context))


def bound_api() -> int:
    """The API that the calling thread has bound: at first OpenGL ES (EGL 1.5, 3.7)."""
    return int(dispatch.thread().egl_api) or e.EGL_OPENGL_ES_API
