# SPDX-License-Identifier: MIT
"""Sync objects: fences and reusable syncs (EGL 1.5 section 3.8, EGL_KHR_fence_sync, _reusable_sync,
_wait_sync).

In: the calling thread's context.  Out: `EglSync`.  A fence is a finish: there is no queue that
outlives a call of the CPU's driver but the rasteriser's scenes, and who makes a fence is about to
wait for them.  Mesa: src/egl/main/eglsync.c.
"""

import threading
from typing import Any

from pydri.api import egl_enums as e
from pydri.egl.attribs import ATTRIB, INT, read_pairs, store
from pydri.egl.display import EglDisplay, live_display
from pydri.egl.errors import EglError, egl
from pydri.egl.registry import current_context
from winsys_x11.xlib import address, ffi

_CONDITIONS = {
    e.EGL_SYNC_FENCE: e.EGL_SYNC_PRIOR_COMMANDS_COMPLETE,
    e.EGL_SYNC_REUSABLE_KHR: e.EGL_NONE,
}


class EglSync:
    """A sync object; `signaled` under `condition`."""

    def __init__(self, display: EglDisplay, kind: int) -> None:
        self.display = display
        self.kind = kind
        self.condition = threading.Condition()
        self.signaled = kind == e.EGL_SYNC_FENCE
        self.label = 0
        self._block = ffi.new("uint64_t[2]", [0x65676C53796E63, 0])
        self.handle = int(ffi.cast("uintptr_t", self._block))

    def signal(self, signaled: bool) -> None:
        """Change the state; who waits for it goes on."""
        with self.condition:
            self.signaled = signaled
            if signaled:
                self.condition.notify_all()

    def wait(self, timeout: int) -> bool:
        """Wait for at most so many nanoseconds (EGL_FOREVER: for ever); False if they are over."""
        seconds = None if timeout == e.EGL_FOREVER else min(timeout / 1e9, threading.TIMEOUT_MAX)
        with self.condition:
            return self.condition.wait_for(lambda: self.signaled, seconds)

    def destroy(self) -> None:
        """Let go who waits, as if it were signaled."""
        self.signal(True)


def _find(display: EglDisplay, sync: Any) -> EglSync:
    found = display.syncs.get(address(sync))
    if found is None:
        raise EglError(e.EGL_BAD_PARAMETER, f"no sync {address(sync):#x}")
    return found


def _create(dpy: Any, kind: int, pairs: list[tuple[int, int]], unknown: int) -> int:
    display = live_display(dpy)
    if kind not in _CONDITIONS:
        raise EglError(unknown, f"type {e.name_of(kind)}")
    if pairs:
        raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(pairs[0][0])}")
    if kind == e.EGL_SYNC_FENCE:
        context = current_context()
        if context is None:
            raise EglError(e.EGL_BAD_MATCH, "no context is current")
        if context.display is not display:
            raise EglError(e.EGL_BAD_MATCH, "the current context is of another display")
        context.dri.flush()
    sync = EglSync(display, kind)
    display.syncs[sync.handle] = sync
    return sync.handle


@egl
def eglCreateSync(dpy: Any, type: int, attrib_list: Any) -> int:
    """A fence behind the commands given so far, or a sync that the program signals."""
    return _create(dpy, type, read_pairs(attrib_list, ATTRIB), e.EGL_BAD_PARAMETER)


@egl
def eglCreateSyncKHR(dpy: Any, type: int, attrib_list: Any) -> int:
    """The same with EGLint attributes."""
    return _create(dpy, type, read_pairs(attrib_list, INT), e.EGL_BAD_ATTRIBUTE)


@egl
def eglDestroySync(dpy: Any, sync: Any) -> int:
    """End a sync."""
    display = live_display(dpy)
    found = _find(display, sync)
    if display.syncs.pop(found.handle, None) is not None:  # two threads may have found it
        found.destroy()
    return 1


@egl
def eglClientWaitSync(dpy: Any, sync: Any, flags: int, timeout: int) -> int:
    """Wait in the calling thread."""
    display = live_display(dpy)
    found = _find(display, sync)
    if flags & e.EGL_SYNC_FLUSH_COMMANDS_BIT and found.kind == e.EGL_SYNC_REUSABLE_KHR:
        context = current_context()
        if context is not None:
            context.dri.flush_commands()
    return e.EGL_CONDITION_SATISFIED if found.wait(timeout) else e.EGL_TIMEOUT_EXPIRED


def _wait(dpy: Any, sync: Any, flags: int) -> int:
    display = live_display(dpy)
    found = _find(display, sync)
    if current_context() is None:
        raise EglError(e.EGL_BAD_MATCH, "no context is current")
    if found.kind != e.EGL_SYNC_FENCE:
        raise EglError(e.EGL_BAD_MATCH, "GL can only wait for fences")
    if flags:
        raise EglError(e.EGL_BAD_PARAMETER, f"flags {flags:#x}")
    return 1  # a fence is signaled from the start


@egl
def eglWaitSync(dpy: Any, sync: Any, flags: int) -> int:
    """Let GL wait."""
    return _wait(dpy, sync, flags)


@egl
def eglWaitSyncKHR(dpy: Any, sync: Any, flags: int) -> int:
    """The name of EGL_KHR_wait_sync."""
    return _wait(dpy, sync, flags)


@egl
def eglSignalSyncKHR(dpy: Any, sync: Any, mode: int) -> int:
    """Set the state of a reusable sync."""
    found = _find(live_display(dpy), sync)
    if found.kind != e.EGL_SYNC_REUSABLE_KHR:
        raise EglError(e.EGL_BAD_MATCH, "only reusable syncs can be signaled")
    if mode not in (e.EGL_SIGNALED, e.EGL_UNSIGNALED):
        raise EglError(e.EGL_BAD_ATTRIBUTE, f"mode {e.name_of(mode)}")
    found.signal(mode == e.EGL_SIGNALED)
    return 1


def _attribute(dpy: Any, sync: Any, attribute: int, value: Any, ctype: str) -> int:
    found = _find(live_display(dpy), sync)
    answers = {
        e.EGL_SYNC_TYPE: found.kind,
        e.EGL_SYNC_STATUS: e.EGL_SIGNALED if found.signaled else e.EGL_UNSIGNALED,
    }
    if found.kind == e.EGL_SYNC_FENCE:
        answers[e.EGL_SYNC_CONDITION] = _CONDITIONS[found.kind]
    if attribute not in answers:
        raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")
    store(value, answers[attribute], ctype)
    return 1


@egl
def eglGetSyncAttrib(dpy: Any, sync: Any, attribute: int, value: Any) -> int:
    """One attribute of a sync."""
    return _attribute(dpy, sync, attribute, value, ATTRIB)


@egl
def eglGetSyncAttribKHR(dpy: Any, sync: Any, attribute: int, value: Any) -> int:
    """The same as an EGLint."""
    return _attribute(dpy, sync, attribute, value, INT)


# -- images ------------------------------------------------------------------------------------
