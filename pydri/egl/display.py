# SPDX-License-Identifier: MIT
"""EGLDisplays: found by platform and native display, initialised, terminated.

In: native displays.  Out: `EglDisplay`, which owns the driver's screen, the configs, and everything
that was made on it.  An EGLDisplay is the address of a block that is never freed, so a kernel may
read its words where it has seen the handle before (1: initialised; the address of a word that is
not 0 while the native display is open).  Terminating ends what is
not current; the rest ends when it is released, but no handle is valid any more.  EGL 1.5 section
3.2, EGL_KHR_display_reference; Mesa: src/egl/main/egldisplay.c, eglInitialize in eglapi.c.
"""

from typing import TYPE_CHECKING, Any

from pydri.api import egl_enums as e
from pydri.dri.closing import DISPLAY_LOCK
from pydri.dri.native_configs import Configs
from pydri.dri.request import offered_es
from pydri.dri.screen import create_screen
from pydri.egl import native, strings
from pydri.egl.attribs import ATTRIB, INT, read_pairs, store
from pydri.egl.config import EglConfig, make_configs, renderable
from pydri.egl.errors import EglError, egl
from pydri.egl.platform import BY_NAME, PLATFORMS, Platform
from pydri.egl.registry import SURFACES
from pydri.util.options import options
from winsys_x11.xlib import address, ffi

if TYPE_CHECKING:
    from pydri.dri.base import BaseScreen
    from pydri.egl.context import EglContext
    from pydri.egl.surface import EglSurface
    from pydri.egl.sync import EglSync
    from pydri.main.textures.shared_images import SharedImage


class EglDisplay:
    """One display."""

    def __init__(self, platform: Platform, tracks_references: bool) -> None:
        self.platform = platform
        self.tracks_references = tracks_references
        self.references = 0  # eglInitialize calls, where they are counted
        self.dri: BaseScreen | None = None
        self.configs: list[EglConfig] = []
        self.by_handle: dict[int, EglConfig] = {}
        self.surfaces: dict[int, EglSurface] = {}
        self.contexts: dict[int, EglContext] = {}
        self.syncs: dict[int, EglSync] = {}
        self.images: dict[int, SharedImage] = {}
        self.label = 0
        self._block = ffi.new("uint64_t[2]")
        self.handle = int(ffi.cast("uintptr_t", self._block))

    @property
    def initialized(self) -> bool:
        """Between eglInitialize and eglTerminate."""
        return bool(self._block[0])

    def initialize(self) -> None:
        """Connect and find out what can be drawn to."""
        with DISPLAY_LOCK:
            if not self.initialized:
                self._open()
            if self.tracks_references:
                self.references += 1

    def _open(self) -> None:
        self.dri = create_screen(self.platform.open())
        if self.dri is None:
            raise EglError(e.EGL_NOT_INITIALIZED, "no driver")
        apis = renderable(offered_es(self.dri.offers))
        self.configs = make_configs(
            self.platform.visuals(), self.dri.supports, apis, self.dri.has
        )
        self.by_handle = {config.handle: config for config in self.configs}
        native.FRONT.install()
        self._block[1] = self.platform.alive_address
        self._block[0] = 1

    def native_configs(self) -> Configs:
        """What kernels are to know of the configs."""
        columns = {
            attribute: [config.values[attribute] for config in self.configs]
            for attribute in self.configs[0].values
        }
        keys = [(config.handle, self.handle, n) for n, config in enumerate(self.configs)]
        return Configs(columns, keys, self.platform.alive_address)

    def terminate(self) -> None:
        """End what is not current; what is loses its handle."""
        with DISPLAY_LOCK:
            if not self.initialized:
                return
            if self.tracks_references:
                self.references -= 1
                if self.references > 0:
                    return
            self._end()

    def _end(self) -> None:
        """Nothing that was made on the display can be named any more."""
        self._block[0] = 0
        native.CONFIGS.remove(self)
        for sync in list(self.syncs.values()):
            sync.destroy()
        for image in list(self.images.values()):
            image.destroy()
        for context in list(self.contexts.values()):
            context.doom()
        for surface in list(self.surfaces.values()):
            surface.doom()
        self.syncs, self.images, self.configs, self.by_handle = {}, {}, [], {}
        if self.dri is not None:  # what is current draws on without it
            self.dri.destroy()
            self.dri = None

    def check_alive(self) -> None:
        """If the program has closed the native display: free what is ours and say nothing to
        anybody.
        """
        if self.initialized and not self.platform.alive():
            for surface in list(SURFACES.values()):
                if surface.display is self:  # also one that was destroyed while current
                    surface.abandon()
            self._end()
            self.references = 0

    def config(self, handle: Any) -> EglConfig:
        """Return the config behind a handle; EGL_BAD_CONFIG if there is none."""
        config = self.by_handle.get(address(handle))
        if config is None:
            raise EglError(e.EGL_BAD_CONFIG, f"no config {address(handle):#x}")
        return config

    def surface(self, handle: Any) -> "EglSurface":
        """Return the surface behind a handle; EGL_BAD_SURFACE if there is none."""
        surface = self.surfaces.get(address(handle))
        if surface is None:
            raise EglError(e.EGL_BAD_SURFACE, f"no surface {address(handle):#x}")
        return surface

    def context(self, handle: Any) -> "EglContext":
        """Return the context behind a handle; EGL_BAD_CONTEXT if there is none."""
        context = self.contexts.get(address(handle))
        if context is None:
            raise EglError(e.EGL_BAD_CONTEXT, f"no context {address(handle):#x}")
        return context


DISPLAYS: dict[int, EglDisplay] = {}  # by handle
_known: dict[tuple[int, int, int | None, bool], EglDisplay] = {}


def find_display(dpy: Any) -> EglDisplay:
    """Return the display behind a handle; EGL_BAD_DISPLAY if there is none."""
    display = DISPLAYS.get(address(dpy))
    if display is None:
        raise EglError(e.EGL_BAD_DISPLAY, f"no display {address(dpy):#x}")
    display.check_alive()
    return display


def live_display(dpy: Any) -> EglDisplay:
    """Return an initialised display; EGL_BAD_DISPLAY, EGL_NOT_INITIALIZED."""
    display = find_display(dpy)
    if not display.initialized:
        raise EglError(e.EGL_NOT_INITIALIZED, "the display is not initialised")
    return display


def get_display(
    enum: int, native: int, screen: int | None = None, tracks_references: bool = False
) -> EglDisplay:
    """Return the display of these parameters, always the same one."""
    if enum not in PLATFORMS:
        raise EglError(e.EGL_BAD_PARAMETER, f"platform {e.name_of(enum)}")
    kind = PLATFORMS[enum]
    kind.check(native)
    key = enum, native, screen, tracks_references
    with DISPLAY_LOCK:
        if key not in _known:
            for other in list(DISPLAYS.values()):  # ours may never be asked for again
                other.check_alive()
            display = _known[key] = EglDisplay(kind(native, screen), tracks_references)
            DISPLAYS[display.handle] = display
        return _known[key]


@egl
def eglGetDisplay(display_id: Any) -> int:
    """The display of a native one; EGL_PLATFORM says which kind, else it is one of X."""
    enum = BY_NAME.get(options.EGL_PLATFORM, e.EGL_PLATFORM_X11_KHR)
    windows = PLATFORMS[enum].screen_attribute is not None
    return get_display(enum, address(display_id) if windows else 0).handle


def _platform_display(enum: int, native: Any, pairs: list[tuple[int, int]]) -> int:
    screen: int | None = None
    tracks = False
    named = PLATFORMS[enum].screen_attribute if enum in PLATFORMS else None
    for attribute, value in pairs if enum in PLATFORMS else ():
        if attribute == named:
            screen = value
        elif attribute == e.EGL_TRACK_REFERENCES_KHR and value in (0, 1):
            tracks = bool(value)
        else:
            raise EglError(e.EGL_BAD_ATTRIBUTE, f"attribute {e.name_of(attribute)}")
    return get_display(enum, address(native), screen, tracks).handle


@egl
def eglGetPlatformDisplay(platform: int, native_display: Any, attrib_list: Any) -> int:
    """The display of a native one of a platform."""
    return _platform_display(platform, native_display, read_pairs(attrib_list, ATTRIB))


@egl
def eglGetPlatformDisplayEXT(platform: int, native_display: Any, attrib_list: Any) -> int:
    """The same with EGLint attributes."""
    return _platform_display(platform, native_display, read_pairs(attrib_list, INT))


@egl
def eglInitialize(dpy: Any, major: Any, minor: Any) -> int:
    """Make a display usable; again is no mistake."""
    find_display(dpy).initialize()
    for out, value in zip((major, minor), strings.VERSION):
        if address(out):
            store(out, value)
    return 1


@egl
def eglTerminate(dpy: Any) -> int:
    """End everything that was made on a display; the handle stays good for eglInitialize."""
    find_display(dpy).terminate()
    return 1


@egl
def eglQueryString(dpy: Any, name: int) -> Any:
    """A string of a display, or, without one, of EGL itself."""
    if not address(dpy):
        version = "{}.{}".format(*strings.VERSION)
        answers = {e.EGL_EXTENSIONS: " ".join(strings.CLIENT_EXTENSIONS), e.EGL_VERSION: version}
        if name not in answers:
            raise EglError(e.EGL_BAD_DISPLAY, f"{e.name_of(name)} without a display")
        return strings.c_string(answers[name])
    display = live_display(dpy)
    windows = strings.WINDOW_EXTENSIONS if display.platform.screen_attribute is not None else ()
    lacks = display.dri.lacks if display.dri is not None else frozenset[str]()
    answers = {
        e.EGL_CLIENT_APIS: strings.client_apis(),
        e.EGL_VENDOR: strings.VENDOR,
        e.EGL_VERSION: "{}.{}".format(*strings.VERSION),
        e.EGL_EXTENSIONS: " ".join(sorted({*strings.EXTENSIONS, *windows} - lacks)),
    }
    if name not in answers:
        raise EglError(e.EGL_BAD_PARAMETER, f"name {e.name_of(name)}")
    return strings.c_string(answers[name])


@egl
def eglGetDisplayDriverName(dpy: Any) -> Any:
    """EGL_MESA_query_driver: the driver that the loader found."""
    dri = live_display(dpy).dri
    assert dri is not None
    return strings.c_string(dri.driver.name)


@egl
def eglGetDisplayDriverConfig(dpy: Any) -> Any:
    """EGL_MESA_query_driver: driconf's description of the driver's options; there are none."""
    live_display(dpy)
    return strings.malloced('<?xml version="1.0"?>\n<driinfo>\n</driinfo>\n')
