# SPDX-License-Identifier: MIT
"""What contexts and drawables of all drivers have in common, whether the driver is ours, on the
pipe interface (context.py, drawable.py), or a compiled one (pydri/dri/compiled).

In: what fronts ask.  Out: `BaseScreen`, `BaseContext` and `BaseDrawable`, which is all that GLX and
EGL rely on: what is offered, who draws where, when a destroyed drawable goes, how often a window
may be swapped, how frames are counted.
"""

import ctypes
from _thread import RLock
from abc import ABC, abstractmethod
from collections.abc import Iterable
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from pydri.dri.native import Drawable
from pydri.st.drawables import DRAWABLES
from pydri.util import clock, garbage, log, stats
from pydri.util.options import options

if TYPE_CHECKING:
    from pydri.dri.config import DriConfig, ScreenConfig
    from pydri.dri.context import ContextAttribs
    from winsys_x11.base import SwWinsys
    from winsys_x11.visuals import Visual

#: refreshes a second where the display names none: the clock of programs that ask for its time
REFRESH_RATE = (60, 1)
NS = 1_000_000_000
_ALIGN = 64

#: address of the native context -> context: kernels change what is current, and Python finds the
#: objects again by the addresses they leave behind
CONTEXTS: "WeakValueDictionary[int, BaseContext]" = WeakValueDictionary()
#: Held while contexts are looked through, and taken by who ends one after it has left the tables:
#: what they draw to stands in native memory, which goes with them.
LOOKING = RLock()


_serials = count(1)


class BaseScreen(ABC):
    """One driver instance; GLX has one a screen of a display."""

    #: the driver as the loader has bound it: its `name` and `file`
    driver: Any
    #: extensions of GLX and EGL that the driver is not made for
    lacks: frozenset[str] = frozenset()

    def __init__(self, winsys: "SwWinsys") -> None:
        self.winsys = winsys
        self.serial = next(_serials)  # what kernels compare

    @property
    @abstractmethod
    def offers(self) -> Any:
        """Which versions there are, for pydri.dri.request."""

    @property
    @abstractmethod
    def name(self) -> str:
        """How the renderer is called."""

    def has(self, config: "DriConfig") -> bool:
        """Whether there is a config; the formats that it has are supported."""
        return True

    @abstractmethod
    def supports(self, format_name: str, samples: int = 0) -> bool:
        """Whether a window's colour or depth buffer may have this format, and so many samples a
        pixel.
        """

    @abstractmethod
    def configs(
        self, visuals: "Iterable[Visual]", pixmap_depths: Iterable[int]
    ) -> "list[ScreenConfig]":
        """Return what can be drawn to, in the order of pydri/dri/config.py."""

    def config_for_both(self, config: "DriConfig") -> "DriConfig | None":
        """The config of a context that draws to double- and single-buffered drawables alike, as
        those of EGL do; given is the double-buffered one."""
        return config

    @abstractmethod
    def create_context(
        self, config: "DriConfig | None", share: Any, attribs: "ContextAttribs | None" = None
    ) -> "BaseContext":
        """Return a new context; ContextError says why there is none."""

    @abstractmethod
    def create_drawable(
        self, config: "DriConfig", surface: Any, xid: int = 0, encoded: bool = False
    ) -> "BaseDrawable":
        """Return the buffers of a drawable, `surface` being the winsys' side of it."""

    def renderer(self, attribute: int, text: bool = False) -> "tuple[int, ...] | str | None":
        """What the driver itself answers to GLX_MESA_query_renderer (attributes counted from the
        vendor's), in numbers or as a text; None: nothing."""
        return None

    @abstractmethod
    def destroy(self) -> None:
        """Let the driver go."""


class BaseContext(ABC):
    """A context of some driver.  Its address is that of the native struct by which the shim calls
    it."""

    screen: Any
    attribs: "ContextAttribs"
    #: whether kernels may make it current (pydri/dri/switch.py)
    switches_natively = False

    @property
    @abstractmethod
    def address(self) -> int:
        """Where the native context lies."""

    @property
    @abstractmethod
    def draw(self) -> Any:
        """The drawable that is drawn to, or None."""

    @property
    @abstractmethod
    def read(self) -> Any:
        """The drawable that is read from, or None."""

    @abstractmethod
    def _make_current(self, draw: Any, read: Any) -> None:
        """Let the driver draw there, for the calling thread; MemoryError if it cannot."""

    @abstractmethod
    def _finish(self) -> None:
        """What is drawn is to be there for others before the drawables are let go."""

    @abstractmethod
    def _lose_current(self) -> None:
        """Let the driver draw nowhere."""

    def bind(self, draw: Any, read: Any) -> None:
        """Make drawables the default framebuffer; MemoryError if their buffers cannot be had."""
        for drawable in {draw, read}:
            if drawable is not None:
                drawable.check_geometry()
        before = {self.draw, self.read}
        if self.draw is not None and self.draw is not draw:
            self.draw.release(self)
        if draw is not None:
            draw.acquire(self)
        self._make_current(draw, read)
        for drawable in before:
            if drawable is not None:
                drawable.end_if_doomed()
        garbage.drawing()

    def unbind(self) -> None:
        """Let the drawables go, after flushing as the context's release behaviour says."""
        if self.attribs.flush_on_release:
            self._finish()
        before = {self.draw, self.read}
        self._lose_current()
        for drawable in before:
            if drawable is not None:
                drawable.release(self)
                drawable.end_if_doomed()

    @abstractmethod
    def flush_commands(self) -> None:
        """glFlush."""

    @abstractmethod
    def flush(self) -> None:
        """Bring everything drawn so far into memory."""

    @abstractmethod
    def copy_state(self, source: Any, mask: int) -> bool:
        """Take groups of GL state over from another context; False if the driver cannot."""

    @abstractmethod
    def bind_pixmap(self, drawable: Any, index: int, alpha: bool) -> None:
        """What the server has in a pixmap becomes the image of the texture that is bound to a
        target (TARGET_INDEX_*)."""

    @abstractmethod
    def bind_pbuffer(self, drawable: Any, alpha: bool) -> bool:
        """What is drawn in a pbuffer becomes the image of the texture that is bound to
        GL_TEXTURE_2D; False if the driver cannot."""

    @abstractmethod
    def destroy(self) -> None:
        """End the context.  It must not be current."""


class BaseDrawable(ABC):
    """A drawable of some driver.  `address` is its native struct, `native` the ctypes view."""

    def __init__(self, screen: Any, config: Any, surface: Any, xid: int) -> None:
        self.screen = screen
        self.config = config
        self.surface = surface
        self._cut_off = False  # from its window system
        self.xid = xid
        self._memory = ctypes.create_string_buffer(Drawable.size + _ALIGN)
        self.address = (ctypes.addressof(self._memory) + _ALIGN - 1) & -_ALIGN
        self.native: Any = Drawable.view(self.address)
        DRAWABLES[self.address] = self
        native = self.native
        native.double_buffer = int(config.double_buffer)
        native.xid = xid
        native.screen = screen.serial
        self._rate: tuple[int, int] | None = None
        self._asked = False
        self.set_interval(start_interval())
        show_fps = options.LIBGL_SHOW_FPS > 0
        native.through_python = int(show_fps)
        self._fps = _FrameRate(options.LIBGL_SHOW_FPS) if show_fps else None

    # -- who draws here ---------------------------------------------------------------------------

    @property
    def context(self) -> Any:
        """Who draws here. Told by the native struct, since a kernel may have changed it."""
        context = self.native.context
        return CONTEXTS.get(context) if context else None

    def acquire(self, context: BaseContext) -> None:
        """A context draws here from now on."""
        self.native.context = context.address

    def release(self, context: BaseContext) -> None:
        """A context does not draw here any more."""
        if self.context is context:
            self.native.context = 0

    @property
    def doomed(self) -> bool:
        """Destroyed by the program while current: goes with its context."""
        return bool(self.native.doomed)

    @doomed.setter
    def doomed(self, value: bool) -> None:
        self.native.doomed = int(value)

    @property
    def used(self) -> bool:
        """Whether a context draws here or reads from here."""
        with LOOKING:
            return any(self is c.draw or self is c.read for c in list(CONTEXTS.values()))

    def end_if_doomed(self) -> None:
        """What was destroyed while it was current goes with its last user, drawing or reading."""
        if self.doomed and not self.used:
            self.destroy()

    # -- size -------------------------------------------------------------------------------------

    @property
    def width(self) -> int:
        """Width of the buffers."""
        return int(self.native.width)

    @property
    def height(self) -> int:
        """Height of the buffers."""
        return int(self.native.height)

    @property
    def stamp(self) -> int:
        """Changes when the buffers did."""
        return int(self.native.stamp)

    @abstractmethod
    def check_geometry(self) -> bool:
        """Ask for the size now and follow it; True if the buffers are new."""

    def _report(self) -> None:
        """Tell what the window system refused."""
        complaint = self.surface.complaint()
        if complaint is not None:
            log.debug(complaint)
        if self.surface.gone():
            self.native.through_python = 1  # EGL has an error for it

    # -- frames -----------------------------------------------------------------------------------

    @abstractmethod
    def swap(self, current: Any = None) -> None:
        """Show the back buffer; `current` is the calling thread's context."""

    @abstractmethod
    def copy_sub_buffer(self, x: int, y: int, width: int, height: int) -> None:
        """Show a rectangle of the back buffer (y counts from the bottom)."""

    @abstractmethod
    def copy_to(self, surface: Any) -> None:
        """Show the image in another place, a pixmap (eglCopyBuffers): the back buffer, or the front
        buffer of a single-buffered drawable."""

    @abstractmethod
    def flush_front(self) -> None:
        """Show what was drawn to the front buffer."""

    @property
    @abstractmethod
    def buffer_age(self) -> int:
        """How many frames old the back buffer's content is; 0: undefined (GLX_EXT_buffer_age)."""

    def refresh_rate(self) -> tuple[int, int] | None:
        """Refreshes a second, as a fraction, that the display names; asked for once, since a
        window that moves to another monitor is a rarity."""
        if not self._asked:
            self._rate, self._asked = self.surface.refresh_rate(), True
        return self._rate

    def clock_rate(self) -> tuple[int, int]:
        """Refreshes a second of the clock that a program is told of, and may wait for."""
        return self.refresh_rate() or REFRESH_RATE

    def set_interval(self, interval: int, asked: int | None = None) -> None:
        """Swap at most once in so many refreshes: where the display has any. Nobody waits for
        what a display without a refresh rate (Xvfb, a remote one) does not have. `asked`: what the
        program has said, where that is not allowed as it is."""
        self.native.interval = interval
        self.native.asked = interval if asked is None else asked
        rate = self.refresh_rate() if interval else None
        self.native.period = NS * rate[1] // rate[0] if rate else 0

    def _pace(self) -> None:
        native = self.native
        if not (native.interval and native.period):
            return
        now = clock.monotonic_ns()
        due = native.next_swap
        if now < due:
            clock.sleep_until_ns(due)
        late = now > due + native.period
        native.next_swap = (now if late else due) + native.interval * native.period

    def _count_frame(self) -> None:
        stats.add("bytes_presented", self.native.frame_bytes)
        stats.frame()
        if self._fps is not None:
            self._fps.frame()

    # -- the end ----------------------------------------------------------------------------------

    @abstractmethod
    def cut_off(self) -> None:
        """The connection is closed while a context draws here: from now on nothing is shown,
        awaited or asked for; `abandon` follows when it is released; `destroy` is the same then.
        """

    @abstractmethod
    def abandon(self) -> None:
        """The connection is closed: free what is in this process and say nothing to anybody."""

    @abstractmethod
    def destroy(self) -> None:
        """Free everything; the window itself belongs to the program."""


def start_interval() -> int:
    """The swap interval of a new drawable: vblank_mode 2 and 3 ask for 1, else 0."""
    return 1 if options.vblank_mode >= 2 else 0


def allowed_interval(asked: int) -> int:
    """What vblank_mode makes of the interval a program asks for."""
    mode = options.vblank_mode
    if mode == 0:
        return 0
    return max(asked, 1) if mode == 3 else asked


class _FrameRate:
    """LIBGL_SHOW_FPS: one line to stderr every so many seconds."""

    def __init__(self, seconds: int) -> None:
        self.interval = seconds
        self.since = clock.monotonic()
        self.frames = 0

    def frame(self) -> None:
        """Count a frame."""
        self.frames += 1
        now = clock.monotonic()
        if now - self.since >= self.interval:
            log.note(f"libGL: FPS = {self.frames / (now - self.since):.2f}")
            self.since, self.frames = now, 0
