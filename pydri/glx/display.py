# SPDX-License-Identifier: MIT
"""Displays and screens: what GLX knows of an application's `Display*`, made at the first question.

In: a `Display*`.  Out: `GlxDisplay` (connection, drawables, error codes) and `GlxScreen` (driver,
FBConfigs). The order of decisions is that of Mesa: display -> per-screen driver by name ->
extensions bound -> screen -> configs. Counterpart of __glXInitialize and AllocAndFetchScreenConfigs
in Mesa's src/glx/glxext.c.

A program may close a display and open another one at the same address.  So each display is watched
(pydri/dri/closing.py); one that was closed is buried at the next look-up, and what is still current
draws on, but neither shows nor asks anything.
"""

from typing import TYPE_CHECKING, Any

from pydri.dri.closing import DISPLAY_LOCK
from pydri.dri.native_configs import Configs
from pydri.dri.screen import create_screen
from pydri.glx import native
from pydri.glx.errors import send_error
from pydri.glx.fbconfig import FBConfig, columns, describe, make_configs
from pydri.st.drawables import DRAWABLES
from pydri.util import log
from pydri.util.options import options
from winsys_x11 import X11Winsys
from winsys_x11.connection import XConnection
from winsys_x11.visuals import Visual, screen_visuals
from winsys_x11.xlib import XLibraryMissing, address, libs

if TYPE_CHECKING:
    from pydri.dri.base import BaseScreen
    from pydri.glx.drawable import GlxDrawable


class GlxScreen:
    """One screen: the driver on it and the configs it offers."""

    def __init__(self, display: "GlxDisplay", number: int) -> None:
        self.display = display
        self.number = number
        self.configs: list[FBConfig] = []
        self.of_visual: dict[int, FBConfig] = {}
        # glXChooseVisual may have to return one visual for several configs: the last choice counts.
        self.chosen: dict[int, FBConfig] = {}
        self.dri: BaseScreen | None = create_screen(X11Winsys(display.connection), number)
        if self.dri is None:
            return
        visuals = screen_visuals(display.connection, number)
        depths = display.connection.bits_per_pixel
        self.configs = make_configs(number, self.dri.configs(visuals, depths))
        kinds: dict[tuple[int, int, tuple[str, ...]], FBConfig] = {}
        for config in self.configs:
            FBCONFIGS[config.handle] = config
            config.owner = self
            if config.visual is not None and config.visual.id not in self.of_visual:
                self.of_visual[config.visual.id] = config
                kinds.setdefault(_kind(config.visual), config)
        for visual in visuals:  # more of a kind than there are configs
            if visual.id not in self.of_visual:
                kind = kinds.get(_kind(visual))
                if kind is not None:
                    self.of_visual[visual.id] = kind
        if not self.configs:
            log.error(
                f"screen {number} has no visual that driver {self.dri.driver.name} can draw to"
            )
        if options.is_set("LIBGL_DIAGNOSTIC") or "glx" in options.PYDRI_DEBUG:
            log.note(f"screen {number}, driver {self.dri.driver.name}\n{describe(self.configs)}")

    def config_of_visual(self, visual_id: int) -> FBConfig | None:
        """Return the config that a visual stands for."""
        return self.chosen.get(visual_id) or self.of_visual.get(visual_id)

    def choose(self, config: FBConfig) -> None:
        """A config's visual stands for it from now on."""
        visual = config.visual_id
        self.chosen[visual] = config
        key = native.visual_key(visual, self.number)
        native.CONFIGS.change(key, self.display.address, config.handle)

    def native_configs(self) -> Configs:
        """What kernels are to know of the configs."""
        native.FRONT.install()
        numbers = {config.handle: n for n, config in enumerate(self.configs)}
        keys = [(handle, 0, n) for handle, n in numbers.items()]
        dpy = self.display.address
        for visual, config in (self.of_visual | self.chosen).items():
            keys.append((native.visual_key(visual, self.number), dpy, numbers[config.handle]))
        return Configs(columns(self.configs), keys, self.display.alive_address)

    def destroy(self) -> None:
        """Forget the configs and let the driver go."""
        native.CONFIGS.remove(self)
        for config in self.configs:
            FBCONFIGS.pop(config.handle, None)
            config.owner = None
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
        self._alive = native.FRONT.watch_display(self.connection.display)

    @property
    def alive_address(self) -> int:
        """Where the word lies that is 0 when the Display is closed."""
        return address(self._alive)

    def alive(self) -> bool:
        """Whether the Display at our address is still the one that we were made for."""
        return bool(self._alive[0])

    def screen(self, number: int) -> GlxScreen | None:
        """Return a screen, made when asked first; None if it cannot be drawn to."""
        if not 0 <= number < self.n_screens:
            return None
        screen = self.screens.get(number)
        if screen is None:
            with DISPLAY_LOCK:
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

    def check_alive(self) -> None:
        """If the program has closed the Display, bury what we know of it; once."""
        with DISPLAY_LOCK:
            if DISPLAYS.get(self.address) is self and not self.alive():
                del DISPLAYS[self.address]
                self.bury()

    def bury(self) -> None:
        """The Display is closed: free what is ours, ask the server for nothing."""
        for drawable in list(self.drawables.values()):
            drawable.abandon()
        self.drawables.clear()
        for dri in list(DRAWABLES.values()):  # those that were destroyed while current
            if dri.native.display == self.address and dri.doomed:
                dri.cut_off()
        for screen in self.screens.values():
            screen.destroy()
        self.screens.clear()  # each refers back to us


FBCONFIGS: dict[int, FBConfig] = {}
DISPLAYS: dict[int, GlxDisplay] = {}


def find_display(dpy: Any) -> GlxDisplay | None:
    """Return what we know of a `Display*`, None where it cannot be used (the reason was said)."""
    where = address(dpy)
    if not where:
        return None
    known = DISPLAYS.get(where)
    if known is not None and known.alive():
        return known
    with DISPLAY_LOCK:
        known = DISPLAYS.get(where)
        if known is not None and known.alive():
            return known
        for other in list(DISPLAYS.values()):  # the next one need not get a closed one's address
            other.check_alive()
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
