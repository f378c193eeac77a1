# SPDX-License-Identifier: MIT
"""Displays and screens: what GLX knows of an application's `Display*`, made at the first question.

In: a `Display*`.  Out: `GlxDisplay` (connection, drawables, error codes) and `GlxScreen` (driver,
FBConfigs). The order of decisions is the one of seed 001: display -> per-screen driver by name ->
extensions bound -> screen -> configs.  Answers to __glXInitialize and AllocAndFetchScreenConfigs in
Mesa's src/glx/glxext.c.

A program may close a display and open another one at the same address.  So each display carries a
token in Xlib's own list of extension data, which dies with it; an object whose token is gone is
buried at the next look-up.  No callback is needed for that.
"""

from typing import TYPE_CHECKING, Any

from pydri.dri.config import screen_configs
from pydri.dri.screen import DriScreen, create_screen
from pydri.glx.errors import send_error
from pydri.glx.fbconfig import FBConfig, describe, make_configs
from pydri.util import log
from pydri.util.options import options
from winsys_x11 import X11Winsys
from winsys_x11.connection import XConnection
from winsys_x11.visuals import Visual, screen_visuals
from winsys_x11.xlib import XLibraryMissing, address, ffi, libs

if TYPE_CHECKING:
    from pydri.glx.drawable import GlxDrawable

_TOKEN = 0x70796472  # "pydr": the number of our entry in a display's extension data


class GlxScreen:
    """One screen: the driver on it and the configs it offers."""

    def __init__(self, display: "GlxDisplay", number: int) -> None:
        self.display = display
        self.number = number
        self.configs: list[FBConfig] = []
        self.of_visual: dict[int, FBConfig] = {}
        # glXChooseVisual may have to return one visual for several configs: the last choice counts.
        self.chosen: dict[int, FBConfig] = {}
        self.dri: DriScreen | None = create_screen(X11Winsys(display.connection))
        if self.dri is None:
            return
        visuals = screen_visuals(display.connection, number)
        depths = display.connection.bits_per_pixel
        self.configs = make_configs(number, screen_configs(visuals, self.dri.supports, depths))
        kinds: dict[tuple[int, int, tuple[str, ...]], FBConfig] = {}
        for config in self.configs:
            FBCONFIGS[config.handle] = config
            if config.visual is not None:
                self.of_visual.setdefault(config.visual.id, config)
                kinds.setdefault(_kind(config.visual), config)
        for visual in visuals:  # more of a kind than there are configs
            kind = kinds.get(_kind(visual))
            if kind is not None:
                self.of_visual.setdefault(visual.id, kind)
        if not self.configs:
            log.error(
                f"screen {number} has no visual that driver {self.dri.driver.name} can draw to"
            )
        if options.is_set("LIBGL_DIAGNOSTIC") or "glx" in options.PYDRI_DEBUG:
            log.note(f"screen {number}, driver {self.dri.driver.name}\n{describe(self.configs)}")

    def config_of_visual(self, visual_id: int) -> FBConfig | None:
        """Return the config that a visual stands for."""
        return self.chosen.get(visual_id) or self.of_visual.get(visual_id)

    def destroy(self) -> None:
        """Forget the configs and let the driver go."""
        for config in self.configs:
            FBCONFIGS.pop(config.handle, None)
        if self.dri is not None:
            self.dri.destroy()


def _kind(visual: Visual) -> tuple[int, int, tuple[str, ...]]:
    """Visuals of one kind can stand for each other."""
    return visual.depth, visual.visual_class, visual.formats()


class GlxDisplay:
    """One application display."""

    def __init__(self, dpy: int) -> None:
        self.address = dpy
        self.connection = XConnection(dpy)
        self.extension = self.connection.query_extension("GLX")
        self.screens: dict[int, GlxScreen] = {}
        self.drawables: dict[int, GlxDrawable] = {}
        self.n_screens = libs().x11.XScreenCount(self.connection.display)
        self._token = _attach_token(self.connection.display)

    def alive(self) -> bool:
        """Whether the Display at our address is still the one that we were made for."""
        return _token_of(self.connection.display) == self._token

    def screen(self, number: int) -> GlxScreen | None:
        """Return a screen, made when asked first; None if it cannot be drawn to."""
        if not 0 <= number < self.n_screens:
            return None
        screen = self.screens.get(number)
        if screen is None:
            screen = self.screens[number] = GlxScreen(self, number)
        return screen if screen.dri is not None else None

    def error(
        self, code: int, resource: int, minor: int, *, core: bool = False, why: str = ""
    ) -> None:
        """Raise an X error."""
        send_error(
            self.connection.display, code, resource, minor,
            core=core, extension=self.extension, why=why,
        )  # fmt: skip

    def bury(self) -> None:
        """The Display is closed: free what is ours, ask the server for nothing."""
        for drawable in list(self.drawables.values()):
            drawable.abandon()
        self.drawables.clear()
        for screen in self.screens.values():
            screen.destroy()


FBCONFIGS: dict[int, FBConfig] = {}
DISPLAYS: dict[int, GlxDisplay] = {}
_serial = [0]


def _token_list(display: Any) -> Any:
    return libs().x11.XEHeadOfExtensionList(display)


def _attach_token(display: Any) -> int:
    """Hang a number on a Display; Xlib frees it when the display is closed."""
    _serial[0] += 1
    libc = libs().c
    entry = ffi.cast("XExtData *", libc.calloc(1, ffi.sizeof("XExtData")))
    token = ffi.cast("uint64_t *", libc.malloc(8))
    token[0] = _serial[0]
    entry.number = _TOKEN
    entry.private_data = token
    libs().x11.XAddToExtensionList(_token_list(display), entry)
    return _serial[0]


def _token_of(display: Any) -> int:
    entry = libs().x11.XFindOnExtensionList(_token_list(display), _TOKEN)
    if entry == ffi.NULL:
        return 0
    return int(ffi.cast("uint64_t *", entry.private_data)[0])


def find_display(dpy: Any) -> GlxDisplay | None:
    """Return what we know of a `Display*`, None where it cannot be used (the reason was said)."""
    where = address(dpy)
    if not where:
        return None
    known = DISPLAYS.get(where)
    if known is not None:
        if known.alive():
            return known
        del DISPLAYS[where]
        known.bury()
    try:
        display = DISPLAYS[where] = GlxDisplay(where)
    except XLibraryMissing as problem:
        log.error(str(problem), once=True)
        return None
    return display


def find_screen(dpy: Any, number: int) -> GlxScreen | None:
    """Return a screen of a display, or None."""
    display = find_display(dpy)
    return display.screen(number) if display else None
