# SPDX-License-Identifier: MIT
"""GLX contexts: making them with the checks that the specifications ask for, asking, and ending
them.

In: visuals, configs, attribute lists.  Out: `GlxContext`, whose handle (the GLXContext of the
program) is the address of a block that we own.  A context that is destroyed while current lives on
until it is released. Counterpart of Mesa's src/glx/create_context.c and glxcmds.c; specifications:
GLX 1.4 section 3.3.7, ARB_create_context, ARB_create_context_profile, _robustness, _no_error,
ARB_context_flush_control, EXT_no_config_context.
"""

import ctypes
from typing import Any

from pydri.api.dispatch import glx_entry
from pydri.dri.base import BaseContext
from pydri.dri.context import ContextAttribs, ContextError
from pydri.dri.request import ContextRefused, Offers, api_of, check_request, es_of, offered_es
from pydri.glx import enums as e
from pydri.glx import native
from pydri.glx.display import GlxDisplay, GlxScreen, find_display
from pydri.glx.fbconfig import FBConfig
from pydri.glx.visual import find_config, read_pairs
from pydri.util import log
from pydri.util.options import options
from winsys_x11.xlib import address, libs, pointer


class GlxContext:
    """A context of a screen."""

    def __init__(
        self, screen: GlxScreen, config: FBConfig | None, dri: BaseContext, share: int
    ) -> None:
        self.screen = screen
        self.display: GlxDisplay = screen.display
        self.config = config
        self.dri = dri
        self.share = share
        self._doomed = False
        self.xid = int(libs().xcb.xcb_generate_id(self.display.connection.xcb))
        self._block = native.ContextBlock.ctype()()
        self.handle = ctypes.addressof(self._block)
        block = self._block
        block.mark, block.xid, block.gl = _MARK, self.xid, dri.address
        block.display, block.screen = self.display.address, dri.screen.serial

    @property
    def thread(self) -> int:
        """Address of the block of the thread where it is current, 0: nowhere."""
        return int(self._block.thread)

    @thread.setter
    def thread(self, block: int) -> None:
        self._block.thread = block

    @property
    def doomed(self) -> bool:
        """Destroyed by the program, but still current."""
        return self._doomed

    @doomed.setter
    def doomed(self, value: bool) -> None:
        self._doomed = value
        self._block.ready = 0

    def allow_kernels(self) -> None:
        """Let kernels make the context current from now on: Python has done it once."""
        fits = self.dri.switches_natively and self.dri.attribs.flush_on_release
        if fits and not self._doomed and not self._block.ready:
            self._block.ready = 1
            native.add_context(self.handle)

    def destroy(self) -> None:
        """End it now."""
        native.remove_context(self.handle)
        CONTEXTS.pop(self.handle, None)
        self.dri.destroy()


CONTEXTS: dict[int, GlxContext] = {}
_MARK = 0x7079647269435458


def find_context(handle: Any) -> GlxContext | None:
    """Return the context behind a GLXContext; a destroyed one is none."""
    context = CONTEXTS.get(address(handle))
    return None if context is None or context.doomed else context


class _Refused(Exception):
    """The attributes cannot be met: an error of GLX or of the core."""

    def __init__(self, code: int, why: str, core: bool = False) -> None:
        super().__init__(why)
        self.code = code
        self.core = core


def _boolean(attribute: str, value: int) -> bool:
    if value not in (0, 1):
        raise _Refused(e.BadValue, f"{attribute} is {value}", core=True)
    return bool(value)


def parse_attribs(pairs: Any, driver: Offers = None) -> ContextAttribs:
    """Turn a list of glXCreateContextAttribsARB into ContextAttribs; raise _Refused."""
    asked: dict[int, int] = {
        e.GLX_CONTEXT_MAJOR_VERSION_ARB: 1,
        e.GLX_CONTEXT_MINOR_VERSION_ARB: 0,
        e.GLX_CONTEXT_FLAGS_ARB: 0,
        e.GLX_CONTEXT_PROFILE_MASK_ARB: e.GLX_CONTEXT_CORE_PROFILE_BIT_ARB,
        e.GLX_RENDER_TYPE: e.GLX_RGBA_TYPE,
        e.GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB: e.GLX_NO_RESET_NOTIFICATION_ARB,
        e.GLX_CONTEXT_OPENGL_NO_ERROR_ARB: 0,
        e.GLX_CONTEXT_RELEASE_BEHAVIOR_ARB: e.GLX_CONTEXT_RELEASE_BEHAVIOR_FLUSH_ARB,
        e.GLX_SCREEN: 0,
    }
    for attribute, value in pairs:
        if attribute not in asked:
            raise _Refused(e.BadValue, f"unknown attribute {attribute:#x}", core=True)
        asked[attribute] = value
    major, minor = asked[e.GLX_CONTEXT_MAJOR_VERSION_ARB], asked[e.GLX_CONTEXT_MINOR_VERSION_ARB]
    flags = asked[e.GLX_CONTEXT_FLAGS_ARB]
    profile = asked[e.GLX_CONTEXT_PROFILE_MASK_ARB]
    _check_profile(profile, driver)
    if flags & ~7:
        raise _Refused(e.BadValue, f"unknown flags {flags:#x}", core=True)
    forward = bool(flags & e.GLX_CONTEXT_FORWARD_COMPATIBLE_BIT_ARB)
    render_type = asked[e.GLX_RENDER_TYPE]
    if render_type not in (e.GLX_RGBA_TYPE, e.GLX_COLOR_INDEX_TYPE):
        raise _Refused(e.BadValue, f"render type {render_type:#x}", core=True)
    if render_type != e.GLX_RGBA_TYPE:
        raise _Refused(e.BadMatch, "only RGBA rendering is there", core=True)
    strategy = asked[e.GLX_CONTEXT_RESET_NOTIFICATION_STRATEGY_ARB]
    if strategy not in (e.GLX_NO_RESET_NOTIFICATION_ARB, e.GLX_LOSE_CONTEXT_ON_RESET_ARB):
        # ARB_create_context_robustness names no error; BadMatch is what programs know (NVIDIA).
        raise _Refused(e.BadMatch, f"reset strategy {strategy:#x}", core=True)
    release = asked[e.GLX_CONTEXT_RELEASE_BEHAVIOR_ARB]
    if release not in (
        e.GLX_CONTEXT_RELEASE_BEHAVIOR_NONE_ARB, e.GLX_CONTEXT_RELEASE_BEHAVIOR_FLUSH_ARB,
    ):  # fmt: skip
        raise _Refused(e.BadValue, f"release behaviour {release:#x}", core=True)
    no_error = _boolean("GLX_CONTEXT_OPENGL_NO_ERROR_ARB", asked[e.GLX_CONTEXT_OPENGL_NO_ERROR_ARB])
    debug = bool(flags & e.GLX_CONTEXT_DEBUG_BIT_ARB)
    robust = bool(flags & e.GLX_CONTEXT_ROBUST_ACCESS_BIT_ARB)
    core = profile == e.GLX_CONTEXT_CORE_PROFILE_BIT_ARB
    es = profile == e.GLX_CONTEXT_ES2_PROFILE_BIT_EXT
    attribs = ContextAttribs(
        major=major,
        minor=minor,
        api=es_of(major) if es else api_of((major, minor), core, forward, driver),
        forward_compatible=forward,
        debug=debug,
        robust_access=robust,
        no_error=no_error,
        lose_context_on_reset=strategy == e.GLX_LOSE_CONTEXT_ON_RESET_ARB,
        flush_on_release=release == e.GLX_CONTEXT_RELEASE_BEHAVIOR_FLUSH_ARB,
    )
    try:
        check_request(attribs, driver)
    except ContextRefused as problem:
        code = e.GLXBadFBConfig if problem.too_new else e.BadMatch
        raise _Refused(code, str(problem), core=not problem.too_new) from None
    return attribs


def _check_profile(profile: int, driver: Offers) -> None:
    if profile == e.GLX_CONTEXT_ES2_PROFILE_BIT_EXT and offered_es(driver):
        return
    if profile not in (
        e.GLX_CONTEXT_CORE_PROFILE_BIT_ARB, e.GLX_CONTEXT_COMPATIBILITY_PROFILE_BIT_ARB,
    ):  # fmt: skip
        raise _Refused(e.GLXBadProfileARB, f"profile mask {profile:#x}")


def _create(
    screen: GlxScreen, config: FBConfig | None, share_handle: Any, attribs: ContextAttribs
) -> GlxContext:
    """Make a context or raise _Refused."""
    if options.LIBGL_ALWAYS_INDIRECT:
        log.error(
            "LIBGL_ALWAYS_INDIRECT is set, but there is no indirect rendering here", once=True
        )
        raise _Refused(e.GLXBadContext, "indirect rendering was asked for")
    share: GlxContext | None = None
    if address(share_handle):
        share = find_context(share_handle)
        if share is None:
            raise _Refused(e.GLXBadContext, "the context to share with does not exist")
        # Another connection is no hindrance (a program may have one a thread): the objects live in
        # this process. Another screen is one by specification, another driver would not know them.
        theirs = share.screen
        assert theirs.dri is not None and screen.dri is not None
        if theirs.number != screen.number or theirs.dri.driver.name != screen.dri.driver.name:
            raise _Refused(e.BadMatch, "contexts of two screens cannot share", core=True)
        if share.dri.attribs.lose_context_on_reset != attribs.lose_context_on_reset:
            raise _Refused(e.BadMatch, "sharing with another reset strategy", core=True)
        if share.dri.attribs.no_error != attribs.no_error:
            raise _Refused(
                e.BadMatch, "sharing between contexts with and without errors", core=True
            )
    assert screen.dri is not None
    try:
        buffers = config.dri if config else None
        dri = screen.dri.create_context(buffers, share.dri if share else None, attribs)
    except MemoryError as problem:
        raise _Refused(e.BadAlloc, str(problem), core=True) from problem
    native.FRONT.install()
    context = GlxContext(screen, config, dri, share.xid if share else 0)
    CONTEXTS[context.handle] = context
    if "glx" in options.PYDRI_DEBUG:
        log.note(f"glx: context {context.handle:#x} of {config!r}, {attribs}")
    return context


def _make(
    dpy: Any, number: int | None, config: FBConfig | None, share: Any, pairs: Any, minor: int,
    *, plain: bool,
) -> int:  # fmt: skip
    display = find_display(dpy)
    if display is None:
        return 0
    try:
        if number is None:
            raise _Refused(e.GLXBadFBConfig, "no such config")
        screen = display.screen(number)
        if screen is None:
            raise _Refused(e.BadValue, f"screen {number} cannot be drawn to", core=True)
        driver = screen.dri.offers if screen.dri is not None else None
        attribs = ContextAttribs() if plain else parse_attribs(pairs, driver)
        return _create(screen, config, share, attribs).handle
    except ContextError as problem:
        # Our own failure, not the program's: no context, but no X error either (it would end it).
        log.error(f"cannot make a context: {problem}")
        return 0
    except _Refused as problem:
        display.error(problem.code, 0, minor, core=problem.core, why=str(problem))
        return 0


@glx_entry
def glXCreateContext(dpy: Any, vis: Any, shareList: Any, direct: int) -> int:
    """A context for windows of a visual.  All contexts are direct."""
    display = find_display(dpy)
    if display is None or not address(vis):
        return 0
    info = pointer("XVisualInfo *", vis)
    screen = display.screen(info.screen)
    config = screen.config_of_visual(info.visualid) if screen else None
    if screen is None or config is None:
        display.error(e.BadValue, info.visualid, e.X_GLXCreateContext, core=True,
                      why="GL cannot draw to windows of this visual")  # fmt: skip
        return 0
    return _make(dpy, screen.number, config, shareList, None, e.X_GLXCreateContext, plain=True)


def _from_config(dpy: Any, config: Any, render_type: int, share: Any, minor: int) -> int:
    display = find_display(dpy)
    found = find_config(config)
    if display is not None and found is not None and render_type != e.GLX_RGBA_TYPE:
        display.error(e.BadValue, 0, minor, core=True, why=f"render type {render_type:#x}")
        return 0
    return _make(dpy, found.screen if found else None, found, share, None, minor, plain=True)


@glx_entry
def glXCreateNewContext(
    dpy: Any, config: Any, render_type: int, share_list: Any, direct: int
) -> int:
    """A context for drawables of a config."""
    return _from_config(dpy, config, render_type, share_list, e.X_GLXCreateNewContext)


@glx_entry
def glXCreateContextWithConfigSGIX(
    dpy: Any, config: Any, render_type: int, share_list: Any, direct: int
) -> int:
    """The name of GLX_SGIX_fbconfig."""
    return _from_config(dpy, config, render_type, share_list, e.X_GLXVendorPrivate)


@glx_entry
def glXCreateContextAttribsARB(
    dpy: Any, config: Any, share_context: Any, direct: int, attrib_list: Any
) -> int:
    """A context of a version and kind."""
    pairs = list(read_pairs(attrib_list))
    found = find_config(config)
    number = found.screen if found else None
    minor = e.X_GLXCreateContextAttribsARB
    if not address(config):  # EXT_no_config_context: the screen must be named
        number = dict(pairs).get(e.GLX_SCREEN)
        display = find_display(dpy)
        if number is None and display is not None:
            display.error(e.BadValue, 0, minor, core=True, why="neither a config nor GLX_SCREEN")
            return 0
    return _make(dpy, number, found, share_context, pairs, minor, plain=False)


@glx_entry
def glXDestroyContext(dpy: Any, ctx: Any) -> None:
    """End a context, at once or when it is no longer current.

    To end one twice that is still current changes nothing: its handle is good until then.
    """
    if not address(ctx):
        return
    display = find_display(dpy)
    context = CONTEXTS.get(address(ctx))
    if display is None:
        return
    if context is None:
        display.error(e.GLXBadContext, 0, e.X_GLXDestroyContext)
    elif context.thread:
        context.doomed = True
    else:
        context.destroy()


@glx_entry
def glXCopyContext(dpy: Any, src: Any, dst: Any, mask: int) -> None:
    """Copy groups of GL state from one context to another."""
    display = find_display(dpy)
    source, target = find_context(src), find_context(dst)
    if display is None:
        return
    if source is None or target is None:
        display.error(e.GLXBadContext, 0, e.X_GLXCopyContext)
        return
    if target.thread:
        display.error(10, target.xid, e.X_GLXCopyContext, core=True, why="destination is current")
        return
    if source.screen is not target.screen:
        display.error(e.BadMatch, target.xid, e.X_GLXCopyContext, core=True)
        return
    if not target.dri.copy_state(source.dri, mask):
        display.error(e.BadMatch, target.xid, e.X_GLXCopyContext, core=True,
                      why="the driver cannot copy contexts")  # fmt: skip


@glx_entry
def glXIsDirect(dpy: Any, ctx: Any) -> int:
    """True: rendering never goes through the server."""
    context = find_context(ctx)
    if context is None:
        display = find_display(dpy)
        if display is not None:
            display.error(e.GLXBadContext, 0, 6)
    return int(context is not None)


@glx_entry
def glXQueryContext(dpy: Any, ctx: Any, attribute: int, value: Any) -> int:
    """One attribute of a context: 0, or why not."""
    context = find_context(ctx)
    if context is None:
        display = find_display(dpy)
        if display is not None:
            display.error(e.GLXBadContext, 0, e.X_GLXQueryContext)
        return e.GLXBadContext
    config = context.config
    answers = {
        e.GLX_FBCONFIG_ID: config.id if config else 0,
        e.GLX_RENDER_TYPE: e.GLX_RGBA_TYPE if config else e.GLX_DONT_CARE - (1 << 32),
        e.GLX_SCREEN: context.screen.number,
        e.GLX_VISUAL_ID: config.visual_id if config else 0,
        e.GLX_SHARE_CONTEXT_EXT: context.share,
    }
    if attribute not in answers:
        return e.GLX_BAD_ATTRIBUTE
    pointer("int *", value)[0] = answers[attribute]
    return 0


@glx_entry
def glXQueryContextInfoEXT(dpy: Any, context: Any, attribute: int, value: Any) -> int:
    """The name of GLX_EXT_import_context."""
    return glXQueryContext(dpy, context, attribute, value)


@glx_entry
def glXGetContextIDEXT(context: Any) -> int:
    """The XID of a context."""
    found = find_context(context)
    return found.xid if found else 0


@glx_entry
def glXImportContextEXT(dpy: Any, contextID: int) -> int:
    """Null: only indirect contexts can be imported, and all of ours are direct."""
    display = find_display(dpy)
    if display is not None and not any(c.xid == contextID for c in list(CONTEXTS.values())):
        display.error(e.GLXBadContext, contextID, e.X_GLXQueryContext)
    return 0


@glx_entry
def glXFreeContextEXT(dpy: Any, context: Any) -> None:
    """Forget an imported context; there are none, and others are left alone."""
