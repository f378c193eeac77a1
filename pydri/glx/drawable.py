# SPDX-License-Identifier: MIT
"""GLX drawables: windows, pixmaps, pbuffers, and what may be asked of them.

In: XIDs.  Out: `GlxDrawable`, which owns a DriDrawable from the first make-current on.  A window
may be used by its own XID or through glXCreateWindow; both names mean the same buffers.  New XIDs
come from the connection's own range and the server never hears of them.  Counterpart of
src/glx/glx_pbuffer.c and driFetchDrawable in Mesa's src/glx/dri_common.c.
"""

from typing import TYPE_CHECKING, Any

from pydri.api.dispatch import glx_entry
from pydri.dri.base import BaseDrawable, allowed_interval, start_interval
from pydri.dri.closing import DISPLAY_LOCK
from pydri.glx import enums as e
from pydri.glx import native
from pydri.glx.display import GlxDisplay, GlxScreen, find_display
from pydri.glx.fbconfig import MAX_PBUFFER_SIZE, FBConfig
from pydri.glx.visual import find_config, read_pairs
from pydri.util import log
from pydri.util.options import options
from winsys_x11.connection import BAD_DRAWABLE
from winsys_x11.null import OffscreenSurface
from winsys_x11.xlib import libs, pointer

if TYPE_CHECKING:
    from pydri.dri.base import BaseScreen

WINDOW, PIXMAP, PBUFFER = "window", "pixmap", "pbuffer"
_TYPE_BITS = {WINDOW: e.GLX_WINDOW_BIT, PIXMAP: e.GLX_PIXMAP_BIT, PBUFFER: e.GLX_PBUFFER_BIT}
MAX_SWAP_INTERVAL = 1000


class DrawableError(Exception):
    """An X error to be raised: its code, and whether it is one of the core."""

    def __init__(self, code: int, core: bool, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.core = core


class GlxDrawable:
    """A drawable.  `xid` is GLX's name of it, `x_drawable` the server's (0: none)."""

    def __init__(
        self, display: GlxDisplay, xid: int, x_drawable: int, kind: str, config: FBConfig
    ) -> None:
        self.display = display
        self.xid = xid
        self.x_drawable = x_drawable
        self.kind = kind
        self.config = config
        self.size = (1, 1)
        self.largest = False
        self.preserved = True
        self.texture: Any = None  # TextureAttribs of a pixmap
        self.event_mask = 0
        self.reported = False  # swaps are told to the program (pydri/glx/events.py)
        self.interval = self.asked = start_interval()
        self.dri: BaseDrawable | None = None

    def realise(self, screen: "BaseScreen") -> BaseDrawable:
        """Return the buffers, made at the first call; DrawableError if that fails."""
        if self.dri is not None and self.dri.surface.gone() and not self.dri.used:
            self.release()  # the program destroyed the window; its XID may mean a new one
        if self.dri is None:
            if self.kind == PBUFFER:
                surface: Any = OffscreenSurface(*self.size)
            else:
                depth, cpp = self.config.x_depth, self.config.dri.layout.cpp
                surface = screen.winsys.window_surface(self.x_drawable, depth, cpp)
            if surface is None:
                raise DrawableError(e.GLXBadDrawable, False, "no such X drawable")
            if self.kind != PBUFFER and not self.fits(surface.depth):
                found = surface.depth
                surface.destroy()
                raise DrawableError(
                    e.BadMatch, True,
                    f"the drawable has depth {found}, the config {self.config.x_depth}",
                )  # fmt: skip
            with DISPLAY_LOCK:  # two contexts may come to a new window at once
                if self.dri is None:
                    self._attach(screen.create_drawable(self.config.dri, surface, self.xid))
                else:
                    surface.destroy()
        assert self.dri is not None
        return self.dri

    def _attach(self, dri: BaseDrawable) -> None:
        dri.native.display = self.display.address
        dri.native.offscreen = int(self.kind == PBUFFER)
        dri.set_interval(self.interval, self.asked)
        dri.native.reported = int(self.reported)
        self.dri = dri
        if self.kind != PIXMAP:  # a swap does nothing to a pixmap
            native.add_drawable(self.display.address, self.xid, dri.address)
        if "glx" in options.PYDRI_DEBUG:
            log.note(f"glx: {self.kind} {self.xid:#x} is drawn to with {self.config!r}")

    def fits(self, depth: int) -> bool:
        """Whether an X drawable of a depth can be drawn to with the config."""
        return _fits(self.config, self.kind, depth)

    def set_interval(self, interval: int, asked: int | None = None) -> None:
        """Swap at most once in so many refreshes; `asked`: as the program has said it."""
        self.interval = interval
        self.asked = interval if asked is None else asked
        if self.dri is not None:
            self.dri.set_interval(interval, asked)

    def set_reported(self, reported: bool) -> None:
        """Swaps are told to the program from now on; they go through Python then."""
        self.reported = reported
        if self.dri is not None:
            self.dri.native.reported = int(reported)

    def release(self) -> None:
        """Free the buffers."""
        native.remove_drawable(self.display.address, self.xid)
        if self.dri is not None:
            self.dri.destroy()
            self.dri = None

    def abandon(self) -> None:
        """The connection is gone: free the memory without a word to the server; what is current
        keeps its own until it is released.
        """
        native.remove_drawable(self.display.address, self.xid)
        if self.dri is not None:
            if self.dri.used:
                self.dri.doomed = True
                self.dri.cut_off()
            else:
                self.dri.abandon()
            self.dri = None


def _fits(config: FBConfig, kind: str, depth: int) -> bool:
    return config.fits_pixmap(depth) if kind == PIXMAP else depth == config.x_depth


def _new_xid(display: GlxDisplay) -> int:
    return int(libs().xcb.xcb_generate_id(display.connection.xcb))


def fetch_drawable(screen: GlxScreen, xid: int, config: FBConfig | None) -> GlxDrawable:
    """Return the drawable of an XID; a plain window becomes one when it is first made current."""
    display = screen.display
    known = display.drawables.get(xid)
    if known is not None:
        return known
    geometry = display.connection.geometry(xid)
    if geometry is None:
        raise DrawableError(e.GLXBadDrawable, False, "no such drawable")
    if config is None:
        config = next((c for c in screen.configs if c.visual and c.x_depth == geometry.depth), None)
        if config is None:
            raise DrawableError(e.BadMatch, True, f"no config for depth {geometry.depth}")
    _sweep(display)
    # another thread may have been here since we looked: one window, one drawable
    return display.drawables.setdefault(xid, GlxDrawable(display, xid, xid, WINDOW, config))


def _sweep(display: GlxDisplay) -> None:
    """Free the buffers of windows that the program has destroyed without telling GLX."""
    for xid, drawable in list(display.drawables.items()):
        if drawable.kind != WINDOW or drawable.xid != drawable.x_drawable:
            continue
        if drawable.dri is not None and drawable.dri.used:
            continue
        # threads that share a Display may all look at this one: who takes it out frees it
        if display.connection.geometry(drawable.x_drawable) is None and (
            display.drawables.pop(xid, None) is drawable
        ):
            drawable.release()


def create_drawable(
    dpy: Any, config: Any, x_drawable: int, kind: str, minor: int, bad: int
) -> GlxDrawable | None:
    """Make a GLX drawable for an X drawable; or raise the X error and return None."""
    display = find_display(dpy)
    if display is None:
        return None
    found = find_config(config)
    if found is None:
        display.error(e.GLXBadFBConfig, 0, minor)
        return None
    geometry = display.connection.geometry(x_drawable)
    if geometry is None:
        display.error(bad, x_drawable, minor, core=True, why="no such X drawable")
        return None
    if not _fits(found, kind, geometry.depth):
        display.error(
            e.BadMatch, x_drawable, minor, core=True,
            why=f"depth {geometry.depth}, the config has {found.x_depth}",
        )  # fmt: skip
        return None
    if kind == WINDOW and any(
        d.x_drawable == x_drawable and d.xid != x_drawable for d in display.drawables.values()
    ):
        display.error(e.BadAlloc, x_drawable, minor, core=True, why="has a GLX window already")
        return None
    xid = _new_xid(display)
    drawable = display.drawables[xid] = GlxDrawable(display, xid, x_drawable, kind, found)
    return drawable


def destroy_drawable(dpy: Any, xid: int, kind: str, minor: int, bad: int) -> None:
    display = find_display(dpy)
    if display is None:
        return
    drawable = display.drawables.get(xid)
    if drawable is None or drawable.kind != kind or display.drawables.pop(xid, None) is None:
        display.error(bad, xid, minor)
        return
    if kind == WINDOW and display.connection.geometry(drawable.x_drawable) is None:
        display.error(bad, xid, minor, why="its window is gone")  # and the GLX window with it
    if drawable.dri is not None and drawable.dri.used:
        # Still current: GLX 1.4 lets it live until it is not.
        drawable.dri.doomed = True
        native.remove_drawable(display.address, xid)
        return
    drawable.release()


@glx_entry
def glXCreateWindow(dpy: Any, config: Any, win: int, attrib_list: Any) -> int:
    """A GLX name for a window."""
    drawable = create_drawable(dpy, config, win, WINDOW, e.X_GLXCreateWindow, e.BadWindow)
    return drawable.xid if drawable else 0


@glx_entry
def glXDestroyWindow(dpy: Any, win: int) -> None:
    """Take that name away; the window itself stays."""
    destroy_drawable(dpy, win, WINDOW, e.X_GLXDestroyWindow, e.GLXBadWindow)


def _create_pbuffer(dpy: Any, config: Any, width: int, height: int, attribs: dict[int, int]) -> int:
    display = find_display(dpy)
    if display is None:
        return 0
    found = find_config(config)
    if found is None:
        display.error(e.GLXBadFBConfig, 0, e.X_GLXCreatePbuffer)
        return 0
    largest = bool(attribs.get(e.GLX_LARGEST_PBUFFER, 0))
    if width < 0 or height < 0:
        display.error(e.BadValue, 0, e.X_GLXCreatePbuffer, core=True)
        return 0
    if max(width, height) > MAX_PBUFFER_SIZE and not largest:
        display.error(e.BadAlloc, 0, e.X_GLXCreatePbuffer, core=True, why=f"{width}x{height}")
        return 0
    xid = _new_xid(display)
    drawable = display.drawables[xid] = GlxDrawable(display, xid, 0, PBUFFER, found)
    drawable.size = (
        min(max(width, 1), MAX_PBUFFER_SIZE),
        min(max(height, 1), MAX_PBUFFER_SIZE),
    )
    drawable.largest = largest
    drawable.preserved = bool(attribs.get(e.GLX_PRESERVED_CONTENTS, 1))
    return xid


@glx_entry
def glXCreatePbuffer(dpy: Any, config: Any, attrib_list: Any) -> int:
    """A drawable that nobody sees."""
    attribs = dict(read_pairs(attrib_list))
    width, height = attribs.get(e.GLX_PBUFFER_WIDTH, 0), attribs.get(e.GLX_PBUFFER_HEIGHT, 0)
    return _create_pbuffer(dpy, config, width, height, attribs)


@glx_entry
def glXCreateGLXPbufferSGIX(
    dpy: Any, config: Any, width: int, height: int, attrib_list: Any
) -> int:
    """The name of GLX_SGIX_pbuffer."""
    return _create_pbuffer(dpy, config, width, height, dict(read_pairs(attrib_list)))


@glx_entry
def glXDestroyPbuffer(dpy: Any, pbuf: int) -> None:
    """End a pbuffer."""
    destroy_drawable(dpy, pbuf, PBUFFER, e.X_GLXDestroyPbuffer, e.GLXBadPbuffer)


@glx_entry
def glXDestroyGLXPbufferSGIX(dpy: Any, pbuf: int) -> None:
    """The name of GLX_SGIX_pbuffer."""
    glXDestroyPbuffer(dpy, pbuf)


def _attribute(drawable: GlxDrawable, attribute: int) -> int | None:
    if attribute in (e.GLX_WIDTH, e.GLX_HEIGHT):
        size = drawable.size
        if drawable.kind != PBUFFER:
            geometry = drawable.display.connection.geometry(drawable.x_drawable)
            if geometry is None:
                raise DrawableError(BAD_DRAWABLE, True, "no such X drawable")
            size = (geometry.width, geometry.height)
        return size[0] if attribute == e.GLX_WIDTH else size[1]
    answers = {
        e.GLX_PRESERVED_CONTENTS: int(drawable.preserved),
        e.GLX_LARGEST_PBUFFER: int(drawable.largest),
        e.GLX_FBCONFIG_ID: drawable.config.id,
        e.GLX_EVENT_MASK: drawable.event_mask,
        e.GLX_DRAWABLE_TYPE: _TYPE_BITS[drawable.kind],
        e.GLX_SCREEN: drawable.config.screen,
        e.GLX_LATE_SWAPS_TEAR_EXT: int(drawable.asked < 0),
        e.GLX_SWAP_INTERVAL_EXT: drawable.interval,
        e.GLX_MAX_SWAP_INTERVAL_EXT: MAX_SWAP_INTERVAL,
        e.GLX_BACK_BUFFER_AGE_EXT: drawable.dri.buffer_age if drawable.dri else 0,
    }
    if drawable.texture is not None:
        format, target, mipmap = drawable.texture
        answers[e.GLX_TEXTURE_FORMAT_EXT] = format
        answers[e.GLX_TEXTURE_TARGET_EXT] = target
        answers[e.GLX_MIPMAP_TEXTURE_EXT] = mipmap
        answers[e.GLX_Y_INVERTED_EXT] = 1
    return answers.get(attribute)


def known_drawable(dpy: Any, xid: int, minor: int) -> GlxDrawable | None:
    """Return a drawable of the display, a plain window included; raise GLXBadDrawable if there is
    none.
    """
    display = find_display(dpy)
    if display is None:
        return None
    drawable = display.drawables.get(xid)
    if drawable is not None:
        return drawable
    screen = display.screen(0)
    if screen is not None and xid:
        try:
            return fetch_drawable(screen, xid, None)
        except DrawableError as problem:
            log.debug(f"drawable {xid:#x}: {problem}")
    display.error(e.GLXBadDrawable, xid, minor)
    return None


@glx_entry
def glXQueryDrawable(dpy: Any, draw: int, attribute: int, value: Any) -> None:
    """One attribute of a drawable."""
    drawable = known_drawable(dpy, draw, e.X_GLXGetDrawableAttributes)
    if drawable is None:
        return
    try:
        answer = _attribute(drawable, attribute)
    except DrawableError as problem:
        drawable.display.error(problem.code, draw, e.X_GLXGetDrawableAttributes, core=problem.core)
        return
    if answer is not None:
        pointer("unsigned int *", value)[0] = answer


@glx_entry
def glXQueryGLXPbufferSGIX(dpy: Any, pbuf: int, attribute: int, value: Any) -> None:
    """The name of GLX_SGIX_pbuffer."""
    glXQueryDrawable(dpy, pbuf, attribute, value)


@glx_entry
def glXSwapIntervalEXT(dpy: Any, drawable: int, interval: int) -> None:
    """GLX_EXT_swap_control."""
    found = known_drawable(dpy, drawable, e.X_GLXVendorPrivate)
    if found is None:
        return
    # Negative (EXT_swap_control_tear): a late swap does not wait. Ours never do, so it is the same.
    found.set_interval(allowed_interval(min(abs(interval), MAX_SWAP_INTERVAL)), interval)
