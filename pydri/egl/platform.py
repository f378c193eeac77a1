# SPDX-License-Identifier: MIT
"""Platforms: where an EGLDisplay's windows come from.

In: what eglGetDisplay and eglGetPlatformDisplay were given.  Out: a `Platform`, opened when the
display is initialised: winsys, visuals, and the few questions that EGL has about native windows.  A
new platform is a class here and a row in PLATFORMS. Counterpart of Mesa's src/egl/main/egldisplay.c
and src/egl/drivers/dri2/platform_*.c.
"""

from typing import Any

from pydri.api import egl_enums as e
from pydri.egl import native
from pydri.egl.errors import EglError
from winsys_x11 import X11Winsys
from winsys_x11.base import SwWinsys
from winsys_x11.connection import Geometry, XConnection
from winsys_x11.null import NullWinsys
from winsys_x11.visuals import Visual, screen_visuals
from winsys_x11.xcb import XcbConnection, connect
from winsys_x11.xlib import XLibraryMissing, address, ffi, libs, pointer

_ALWAYS = ffi.new("uint64_t *", 1)
_XID = 0xFFFFFFFF  # names of the X server have 32 bits, whatever type a program keeps them in


class Platform:
    """No window system at all: EGL_MESA_platform_surfaceless."""

    enum = e.EGL_PLATFORM_SURFACELESS_MESA
    screen_attribute: int | None = None  # what names a screen in eglGetPlatformDisplay's list

    def __init__(self, native: int = 0, screen: int | None = None) -> None:
        self.native = native
        self.screen = screen
        self.winsys: SwWinsys | None = None
        self.device: Any = None

    @classmethod
    def check(cls, native: int) -> None:
        """EGL_BAD_PARAMETER for a native display that this platform cannot have."""
        if native:
            raise EglError(e.EGL_BAD_PARAMETER, "this platform has no native displays")

    def open(self) -> SwWinsys:
        """Connect; EGL_NOT_INITIALIZED if there is nobody to connect to."""
        self.winsys = self.winsys or NullWinsys()
        return self.winsys

    def visuals(self) -> list[Visual] | None:
        """What windows can look like; None where there are no windows."""
        return None

    @property
    def alive_address(self) -> int:
        """Where a word lies (u64) that is not 0 until the native display is closed."""
        return address(_ALWAYS)

    def alive(self) -> bool:
        """False once the native display is no more: nothing of it may be touched then."""
        return True

    def geometry(self, drawable: int) -> Geometry | None:
        """Size and depth of a native window or pixmap, None if there is no such thing."""
        return None

    def native_id(self, where: int) -> int:
        """The window or pixmap that eglCreatePlatform*Surface points at."""
        return 0

    def wait(self) -> None:
        """Until the window system has drawn what it was asked to."""


_device = ffi.new("uint64_t[2]", [0x65676C446576, 0])
DEVICE = int(ffi.cast("uintptr_t", _device))


def is_device(handle: int) -> bool:
    """Whether a number is an EGLDeviceEXT."""
    return handle == DEVICE


class DevicePlatform(Platform):
    """EGL_EXT_platform_device: the one device there is, the CPU."""

    enum = e.EGL_PLATFORM_DEVICE_EXT

    @classmethod
    def check(cls, native: int) -> None:
        if not is_device(native):
            raise EglError(e.EGL_BAD_PARAMETER, "no such device")


class X11Platform(Platform):
    """EGL_KHR_platform_x11: a `Display*` of the program, or a connection of our own."""

    enum = e.EGL_PLATFORM_X11_KHR
    screen_attribute = e.EGL_PLATFORM_X11_SCREEN_KHR
    id_type = "unsigned long *"  # Window and Pixmap of Xlib

    def __init__(self, native: int = 0, screen: int | None = None) -> None:
        super().__init__(native, screen)
        self.connection: XConnection | None = None
        self._alive: Any = None  # memory that turns 0 when Xlib closes the Display

    @classmethod
    def check(cls, native: int) -> None:
        pass  # whether a Display* is one cannot be told

    def open(self) -> SwWinsys:
        if self.connection is not None and self.alive() and self.connection.alive:
            assert self.winsys is not None
            return self.winsys
        try:
            self.connection = self._connect()
        except XLibraryMissing as problem:
            raise EglError(e.EGL_NOT_INITIALIZED, str(problem)) from None
        self.winsys = X11Winsys(self.connection)
        return self.winsys

    def _connect(self) -> XConnection:
        display = self.native
        if not display:
            display = address(libs().x11.XOpenDisplay(ffi.NULL))
            if not display:
                raise EglError(e.EGL_NOT_INITIALIZED, "no X server on DISPLAY")
        connection = XConnection(display)
        x11 = libs().x11
        if self.screen is None:
            self.screen = int(x11.XDefaultScreen(connection.display))
        if not 0 <= self.screen < x11.XScreenCount(connection.display):
            raise EglError(e.EGL_NOT_INITIALIZED, f"the X server has no screen {self.screen}")
        self._alive = native.FRONT.watch_display(connection.display)
        return connection

    def _open(self) -> XConnection:
        assert self.connection is not None
        return self.connection

    def visuals(self) -> list[Visual] | None:
        return screen_visuals(self._open(), self.screen or 0)

    @property
    def alive_address(self) -> int:
        return address(self._alive)

    def alive(self) -> bool:
        return self._alive is None or bool(self._alive[0])

    def geometry(self, drawable: int) -> Geometry | None:
        return self._open().geometry(drawable)

    def native_id(self, where: int) -> int:
        # Qt points to an xcb_window_t here, too: behind its 32 bits lies something else.
        return int(pointer(self.id_type, where)[0]) & _XID

    def wait(self) -> None:
        # A round trip on the connection that the program draws on.
        self._open().request_reply(b"\x2b\x00\x01\x00", 32)  # GetInputFocus


class XcbPlatform(X11Platform):
    """EGL_EXT_platform_xcb: an `xcb_connection_t *` of the program, or a connection of our own.

    Nobody tells when the program closes it; it must terminate the display before.
    """

    enum = e.EGL_PLATFORM_XCB_EXT
    screen_attribute = e.EGL_PLATFORM_XCB_SCREEN_EXT
    id_type = "uint32_t *"  # xcb_window_t

    def _connect(self) -> XConnection:
        where: Any = self.native
        if not where:
            opened = connect()
            if opened is None:
                raise EglError(e.EGL_NOT_INITIALIZED, "no X server on DISPLAY")
            where, screen = opened
            self.screen = screen if self.screen is None else self.screen
        connection = XcbConnection(where)
        self.screen = self.screen or 0
        if not 0 <= self.screen < len(connection.visuals_of_screen):
            raise EglError(e.EGL_NOT_INITIALIZED, f"the X server has no screen {self.screen}")
        return connection

    @property
    def alive_address(self) -> int:
        return address(_ALWAYS)

    def visuals(self) -> list[Visual] | None:
        connection = self._open()
        assert isinstance(connection, XcbConnection)
        return connection.visuals_of_screen[self.screen or 0]


PLATFORMS: dict[int, type[Platform]] = {
    e.EGL_PLATFORM_XCB_EXT: XcbPlatform,
    e.EGL_PLATFORM_X11_KHR: X11Platform,
    e.EGL_PLATFORM_SURFACELESS_MESA: Platform,
    e.EGL_PLATFORM_DEVICE_EXT: DevicePlatform,
}
#: EGL_PLATFORM in the environment (Mesa's name and values): what eglGetDisplay means.
BY_NAME = {"x11": e.EGL_PLATFORM_X11_KHR, "surfaceless": e.EGL_PLATFORM_SURFACELESS_MESA}
