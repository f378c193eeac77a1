# SPDX-License-Identifier: MIT
"""The winsys seam: what a software driver and the DRI room ask of a window system.

Two small abstract classes, after Mesa's frontend/sw_winsys.h (one struct: create, map, unmap,
display, destroy).  New here: a winsys may offer native functions for present and settle, so that a
swap needs no Python; 0 means "call the method".  Memory is laid out as pydri/pipe/native.py wants
its Surfaces: rows padded to whole 64x64 tiles.
"""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

from pydri.pipe.native import TILE

MAX_SIDE = 16384  # as PIPE_CAP_MAX_TEXTURE_2D_SIZE of the peer
MAX_BYTES = 1 << 30


def layout(width: int, height: int, cpp: int) -> tuple[int, int]:
    """Return (stride in bytes, rows) of a displaytarget; raise MemoryError for a size nobody can
    mean.

        A stride that is a multiple of 2 kB would put the rows of a tile into the same few sets of
    the L1 cache, so     such a surface gets another 64 pixels a row.
    """
    if not (0 < width <= MAX_SIDE and 0 < height <= MAX_SIDE):
        raise MemoryError(f"a drawable of {width}x{height} pixels (at most {MAX_SIDE}x{MAX_SIDE})")
    stride = (width + TILE - 1) // TILE * TILE * cpp
    if stride % 2048 == 0:
        stride += TILE * cpp
    rows = (height + TILE - 1) // TILE * TILE
    if stride * rows > MAX_BYTES:
        raise MemoryError(f"a drawable of {width}x{height} pixels needs {stride * rows} bytes")
    return stride, rows


class DisplayTarget(ABC):
    """Memory that can be shown.  `native` is the address of the winsys' own struct, the argument of
    its kernels.
    """

    native: int = 0
    width: int
    height: int
    stride: int
    rows: int
    cpp: int

    @abstractmethod
    def map(self) -> int:
        """Return the address of row 0; valid until `destroy`."""

    @abstractmethod
    def destroy(self) -> None:
        """Give the memory back (after what was presented from it has been read)."""

    def forget(self) -> None:  # noqa: B027  optional
        """The connection is closed: what was presented is not awaited any more."""

    def abandon(self) -> None:
        """As destroy, when the connection is closed and must not be touched."""
        self.destroy()


class BorrowedTarget(DisplayTarget):
    """Memory of somebody else, a compiled driver, that is shown: what it is `describe` says anew
    whenever it is another.  `segment` is SysV's number of shared memory, -1: it is not shared."""

    def __init__(self, cpp: int) -> None:
        self.cpp = cpp
        self.segment = -1
        self.address = 0
        self.stride = self.width = self.height = self.rows = 0

    def describe(self, address: int, stride: int, rows: int, segment: int = -1) -> None:
        """From now on it is this memory."""
        self.address, self.stride, self.segment = address, stride, segment
        self.width = stride // self.cpp
        self.height = self.rows = rows

    def map(self) -> int:
        return self.address

    def destroy(self) -> None:
        """The memory is its owner's."""


class Fetched(NamedTuple):
    """Pixels as they lie in a drawable of the server: rows, uppermost first."""

    address: int
    stride: int
    width: int
    height: int


class WindowSurface(ABC):
    """Where displaytargets are shown: a window.  `native` is the first argument of present and
    settle.
    """

    native: int = 0
    present_fn: int = 0  # void (*)(native, target.native)
    settle_fn: int = 0  # u32 (*)(native, target.native)
    present_box_fn: int = 0  # void (*)(native, target.native, x, y, width, height)
    ask_fn: int = 0  # as settle, and the size is that of now (`will_be_asked` comes before)
    size_address: int = 0  # where `size` lies: two u32

    @abstractmethod
    def geometry(self) -> tuple[int, int] | None:
        """Ask for the size now; None if the window is gone."""

    @abstractmethod
    def known(self, width: int, height: int) -> None:
        """Remember the size that the drawable was made for: another one is a resize."""

    @abstractmethod
    def size(self) -> tuple[int, int]:
        """Return the size that was heard of last (with a present's reply)."""

    @abstractmethod
    def present(self, target: Any, box: tuple[int, int, int, int] | None = None) -> None:
        """Show a target, or its rectangle (x, y, width, height), counted from the top."""

    @abstractmethod
    def settle(self, target: Any) -> bool:
        """Wait until the target may be drawn to again; True if the window's size is not the known
        one.
        """

    def will_be_asked(self) -> None:  # noqa: B027  optional
        """Somebody is going to call `ask_fn`."""

    def gone(self) -> bool:
        """Whether the window has vanished."""
        return False

    def refresh_rate(self) -> tuple[int, int] | None:
        """Refreshes a second, as a fraction, of what shows the window; None if none is named."""
        return None

    def fetch(self) -> Fetched | None:
        """Return what the server has in the drawable now; None if it is gone, or nobody has it.
        The memory is true until the next call.
        """
        return None

    def fetch_into(self, segment: int) -> bool:
        """The same into shared memory (SysV's number), rows padded to 32 bits; False: `fetch`."""
        return False

    def complaint(self) -> str | None:
        """Return what the window system refused since the last call, in words, or None."""
        return None

    @abstractmethod
    def destroy(self) -> None:
        """Release what belongs to the winsys; the window itself is the program's."""

    def abandon(self) -> None:
        """As destroy, when the connection is closed and must not be touched."""
        self.destroy()


class SwWinsys(ABC):
    """A window system for software drivers."""

    name: str

    @abstractmethod
    def displaytarget_create(self, width: int, height: int, cpp: int) -> DisplayTarget:
        """Return memory for an image that can be shown; MemoryError if it cannot be had."""

    @property
    def shares_memory(self) -> bool:
        """Whether pictures can be shown from shared memory."""
        return False

    def borrow_target(self, cpp: int) -> BorrowedTarget:
        """Return what stands for memory of a compiled driver."""
        return BorrowedTarget(cpp)

    @abstractmethod
    def window_surface(self, window: int, depth: int, cpp: int) -> WindowSurface | None:
        """Return the presenting side of a window; None if there is no such window."""

    def destroy(self) -> None:  # noqa: B027  optional
        """Release the winsys."""
