# SPDX-License-Identifier: MIT
"""What glGet tells of how a context was made: flags, profile, what it does about resets and when it
is released."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydri.api.enums as gl
from pydri.api.apis import CORE

if TYPE_CHECKING:
    from pydri.main.context import GLContext


def context_flags(ctx: GLContext) -> int:
    """GL_CONTEXT_FLAGS."""
    flags = gl.GL_CONTEXT_FLAG_DEBUG_BIT if ctx.debug_context else 0
    flags |= gl.GL_CONTEXT_FLAG_ROBUST_ACCESS_BIT if ctx.robust_access else 0
    flags |= gl.GL_CONTEXT_FLAG_FORWARD_COMPATIBLE_BIT if ctx.version.forward else 0
    return flags | (gl.GL_CONTEXT_FLAG_NO_ERROR_BIT if ctx.n.no_error else 0)


def profile(ctx: GLContext) -> int:
    """The bit of the context's profile."""
    core = ctx.api == CORE
    return gl.GL_CONTEXT_CORE_PROFILE_BIT if core else gl.GL_CONTEXT_COMPATIBILITY_PROFILE_BIT


def reset_strategy(ctx: GLContext) -> int:
    """GL_RESET_NOTIFICATION_STRATEGY."""
    lost = ctx.lose_context_on_reset
    return gl.GL_LOSE_CONTEXT_ON_RESET if lost else gl.GL_NO_RESET_NOTIFICATION


def release_behavior(ctx: GLContext) -> int:
    """GL_CONTEXT_RELEASE_BEHAVIOR."""
    return gl.GL_CONTEXT_RELEASE_BEHAVIOR_FLUSH if ctx.flush_on_release else gl.GL_NONE


__all__ = ["context_flags", "profile", "release_behavior", "reset_strategy"]
