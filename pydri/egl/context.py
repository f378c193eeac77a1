# SPDX-License-Identifier: MIT
"""EGLContexts: making them with the checks that the specifications ask for, asking, ending them.

In: configs and attribute lists.  Out: `EglContext`.  One that is destroyed while current lives on
until it is released.  EGL 1.5 section 3.7.1, EGL_KHR_create_context(_no_error),
EGL_EXT_create_context_robustness, EGL_KHR_no_config_context, EGL_KHR_context_flush_control; Mesa:
src/egl/main/eglcontext.c.
"""

import ctypes
from typing import Any

from pydri.api import egl_enums as e
from pydri.api.apis import DESKTOP
from pydri.dri.base import BaseContext
from pydri.dri.context import ContextAttribs, ContextError
from pydri.dri.request import (
    FIRST_WITH_PROFILES,
    ContextRefused,
    Offers,
    api_of,
    check_request,
    es_of,
)
from pydri.egl import native
from pydri.egl.attribs import read_pairs, store
from pydri.egl.config import EglConfig
from pydri.egl.display import EglDisplay, live_display
from pydri.egl.errors import EglError, egl
from pydri.egl.registry import CONTEXTS, SURFACES, bound_api
from pydri.egl.surface import EglSurface
from pydri.util import log
from winsys_x11.xlib import address

_DEBUG_BIT, _FORWARD_BIT, _ROBUST_BIT = 1, 2, 4
_CORE_BIT, _COMPAT_BIT = 1, 2
# What OpenGL ES has not (EGL 1.5, 3.7.1.2, 3.7.1.3; of the flags the debug bit alone).
_OF_DESKTOP = (e.EGL_CONTEXT_OPENGL_PROFILE_MASK, e.EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE)
_STRATEGIES = (
    e.EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
    e.EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT,
)


class EglContext:
    """A context of OpenGL or of OpenGL ES."""

    def __init__(self, display: EglDisplay, config: EglConfig | None, dri: BaseContext) -> None:
        self.display = display
        self.config = config  # None: made without one
        self.dri = dri
        self.label = 0
        self.doomed = False
        self._block: Any = native.ContextBlock.ctype()()
        self._block.mark, self._block.gl = 0x65676C43747874, dri.address
        self._block.ready = int(dri.attribs.flush_on_release and dri.switches_natively)
        self.handle = ctypes.addressof(self._block)

    @property
    def thread(self) -> int:
        """Address of the block of the thread where it is current, 0: nowhere."""
        return int(self._block.thread)

    @thread.setter
    def thread(self, block: int) -> None:
        self._block.thread = block

    @property
    def draw(self) -> EglSurface | None:
        """What is drawn to. Told by DRI, since a kernel may have changed it."""
        return SURFACES.get(self.dri.draw.address) if self.dri.draw else None

    @property
    def read(self) -> EglSurface | None:
        """What is read from."""
        return SURFACES.get(self.dri.read.address) if self.dri.read else None

    def doom(self) -> None:
        """End it, at once or when it is no longer current."""
        self.display.contexts.pop(self.handle, None)
        self.doomed = True
        self._block.ready = 0
        native.forget(self.handle)
        if not self.thread:
            self.destroy()

    def destroy(self) -> None:
        """End it now."""
        CONTEXTS.pop(self.handle, None)
        self.dri.destroy()


class _Attribs:
    """The list of eglCreateContext, checked step by step; `es`: for OpenGL ES."""

    def __init__(
        self, pairs: list[tuple[int, int]], driver: Offers = None, es: bool = False
    ) -> None:
        self.driver = driver
        self.es = es
        self.major, self.minor = 1, 0
        self.profile = _CORE_BIT
        self.flags = 0
        self.strategy = e.EGL_NO_RESET_NOTIFICATION
        self.no_error = False
        self.release = e.EGL_CONTEXT_RELEASE_BEHAVIOR_FLUSH_KHR
        for attribute, value in pairs:
            self._set(attribute, value)
        self._check()

    def _set(self, attribute: int, value: int) -> None:
        if self.es and (attribute in _OF_DESKTOP or (
            attribute == e.EGL_CONTEXT_FLAGS_KHR and value & ~_DEBUG_BIT
        )):  # fmt: skip
            raise EglError(e.EGL_BAD_ATTRIBUTE, f"{e.name_of(attribute)} of OpenGL ES")
        flags = {
            e.EGL_CONTEXT_OPENGL_DEBUG: _DEBUG_BIT,
            e.EGL_CONTEXT_OPENGL_FORWARD_COMPATIBLE: _FORWARD_BIT,
            e.EGL_CONTEXT_OPENGL_ROBUST_ACCESS: _ROBUST_BIT,
            e.EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT: _ROBUST_BIT,
        }
        fine = True
        if attribute == e.EGL_CONTEXT_MAJOR_VERSION:
            self.major = value
        elif attribute == e.EGL_CONTEXT_MINOR_VERSION:
            self.minor = value
        elif attribute == e.EGL_CONTEXT_FLAGS_KHR:
            fine = not value & ~(_DEBUG_BIT | _FORWARD_BIT | _ROBUST_BIT)
            self.flags |= value
        elif attribute == e.EGL_CONTEXT_OPENGL_PROFILE_MASK:
            self.profile = value
        elif attribute in flags:
            fine = value in (0, 1)
            self.flags = self.flags | flags[attribute] if value else self.flags & ~flags[attribute]
        elif attribute in _STRATEGIES:
            fine = value in (e.EGL_NO_RESET_NOTIFICATION, e.EGL_LOSE_CONTEXT_ON_RESET)
            self.strategy = value
        elif attribute == e.EGL_CONTEXT_OPENGL_NO_ERROR_KHR:
            fine = value in (0, 1)
            self.no_error = bool(value)
        elif attribute == e.EGL_CONTEXT_RELEASE_BEHAVIOR_KHR:
            fine = value in (
                e.EGL_CONTEXT_RELEASE_BEHAVIOR_FLUSH_KHR, e.EGL_CONTEXT_RELEASE_BEHAVIOR_NONE_KHR,
            )  # fmt: skip
            self.release = value
        else:
            raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")
        if not fine:
            raise EglError(e.EGL_BAD_ATTRIBUTE, f"{e.name_of(attribute)} {value:#x}")

    def _check(self) -> None:
        profiles = (self.major, self.minor) >= FIRST_WITH_PROFILES
        if profiles and not self.es and self.profile not in (_CORE_BIT, _COMPAT_BIT):
            raise EglError(e.EGL_BAD_MATCH, f"profile mask {self.profile:#x}")
        try:
            check_request(self.result(), self.driver)
        except ContextRefused as problem:
            raise EglError(e.EGL_BAD_MATCH, str(problem)) from None

    def result(self) -> ContextAttribs:
        """What pydri.dri asks for."""
        core, forward = self.profile == _CORE_BIT, bool(self.flags & _FORWARD_BIT)
        number = self.major, self.minor
        return ContextAttribs(
            major=self.major,
            minor=self.minor,
            api=es_of(self.major) if self.es else api_of(number, core, forward, self.driver),
            forward_compatible=forward,
            debug=bool(self.flags & _DEBUG_BIT),
            robust_access=bool(self.flags & _ROBUST_BIT),
            no_error=self.no_error,
            lose_context_on_reset=self.strategy == e.EGL_LOSE_CONTEXT_ON_RESET,
            flush_on_release=self.release == e.EGL_CONTEXT_RELEASE_BEHAVIOR_FLUSH_KHR,
        )


def _check_share(share: EglContext, display: EglDisplay, attribs: ContextAttribs) -> None:
    theirs = share.dri.attribs
    assert display.dri is not None
    if share.dri.screen.driver.name != display.dri.driver.name:
        raise EglError(e.EGL_BAD_MATCH, "contexts of two drivers cannot share")
    if theirs.lose_context_on_reset != attribs.lose_context_on_reset:
        raise EglError(e.EGL_BAD_MATCH, "sharing with another reset strategy")
    if theirs.no_error != attribs.no_error:
        raise EglError(e.EGL_BAD_MATCH, "sharing between contexts with and without errors")


@egl
def eglCreateContext(dpy: Any, config: Any, share_context: Any, attrib_list: Any) -> int:
    """A context of the API that is bound."""
    display = live_display(dpy)
    found = display.config(config) if address(config) else None
    share = display.context(share_context) if address(share_context) else None
    driver = display.dri.offers if display.dri is not None else None
    es = bound_api() == e.EGL_OPENGL_ES_API
    attribs = _Attribs(read_pairs(attrib_list), driver, es).result()
    if share is not None:
        _check_share(share, display, attribs)
    assert display.dri is not None
    buffers = display.dri.config_for_both(found.buffers[True]) if found else None
    try:
        dri = display.dri.create_context(buffers, share.dri if share else None, attribs)
    except ContextError as problem:
        log.error(f"cannot make a context: {problem}")
        raise EglError(e.EGL_BAD_ALLOC, str(problem)) from None
    context = EglContext(display, found, dri)
    display.contexts[context.handle] = CONTEXTS[context.handle] = context
    return context.handle


@egl
def eglDestroyContext(dpy: Any, ctx: Any) -> int:
    """End a context."""
    live_display(dpy).context(ctx).doom()
    return 1


@egl
def eglQueryContext(dpy: Any, ctx: Any, attribute: int, value: Any) -> int:
    """One attribute of a context."""
    context = live_display(dpy).context(ctx)
    desktop = bool(context.dri.attribs.api & DESKTOP)
    answers = {
        e.EGL_CONFIG_ID: context.config.id if context.config else 0,
        e.EGL_CONTEXT_CLIENT_TYPE: e.EGL_OPENGL_API if desktop else e.EGL_OPENGL_ES_API,
        e.EGL_CONTEXT_CLIENT_VERSION: context.dri.attribs.major,
        e.EGL_RENDER_BUFFER: context.draw.render_buffer if context.draw else e.EGL_NONE,
    }
    if attribute not in answers:
        raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")
    store(value, answers[attribute])
    return 1
