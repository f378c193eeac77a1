# SPDX-License-Identifier: MIT
"""CompiledDrawable: a window, pixmap or pbuffer that a compiled driver draws to.

Stage: between the fronts, a compiled driver and the winsys.  In: a config and the winsys' side of a
window.  Out: the driver's own drawable, whose buffers are the driver's matter; it asks for the size
and hands over pictures through callbacks.py, of which this is the Python side.  A pbuffer has no
window: its pictures go nowhere, and what the driver would read back is what it has in memory.
Counterpart of struct drisw_drawable in Mesa's src/glx/drisw_glx.c.
"""

import ctypes
from typing import TYPE_CHECKING, Any

from pydri.dri.base import BaseDrawable
from pydri.dri.compiled.callbacks import LoaderDrawable
from pydri.jit.image import function_address
from pydri.util import log

if TYPE_CHECKING:
    from pydri.dri.compiled.screen import CompiledScreen

_HOOKS = ("changed", "put", "get", "put_shm", "get_shm")


class CompiledDrawable(BaseDrawable):
    """A drawable of a compiled driver; `handle` is the driver's own."""

    def __init__(self, screen: "CompiledScreen", config: Any, surface: Any, xid: int = 0) -> None:
        super().__init__(screen, config, surface, xid)
        self._cpp = config.layout.cpp
        self._target = screen.winsys.borrow_target(self._cpp)
        self._loader = LoaderDrawable.ctype()()
        self._callbacks = self._make_callbacks()
        loader = self._loader
        loader.surface, loader.target = surface.native, self._target.native
        surface.will_be_asked()
        loader.ask, loader.present_box = surface.ask_fn, surface.present_box_fn
        self._size = (ctypes.c_uint32 * 2)(*surface.size())
        loader.size = surface.size_address or ctypes.addressof(self._size)
        loader.segment = -1
        driver = screen.driver
        self.handle: int = int(
            driver.swrast.createNewDrawable(
                screen.handle, screen.handle_of(config), ctypes.addressof(loader)
            )
        )
        if not self.handle:
            raise MemoryError(f"driver {driver.name} makes no drawable for {xid:#x}")
        screen.use()
        native = self.native
        native.driver_drawable = self.handle
        native.driver_swap = function_address(driver.core.swapBuffers)
        native.driver_flush = screen.flush_address
        self.check_geometry()

    def _make_callbacks(self) -> list[Any]:
        """ctypes' forms of the methods that kernels call; an exception says so and gives 0."""
        made = []
        for name in _HOOKS:
            callback = LoaderDrawable.prototype(name)(_guarded(getattr(self, f"_{name}")))
            setattr(self._loader, name, function_address(callback))
            made.append(callback)
        return made

    # -- size -------------------------------------------------------------------------------------

    def check_geometry(self) -> bool:
        if self._cut_off:
            return False
        self.surface.settle(self._target)  # an older answer must not be heard after the newest
        self.surface.geometry()
        return self._follow()

    def _follow(self) -> bool:
        """Take the size over that the winsys knows."""
        self._report()
        width, height = self.surface.size()
        self.surface.known(width, height)
        self._size[0], self._size[1] = width, height
        native = self.native
        native.frame_bytes = width * height * self._cpp
        if (width, height) == (native.width, native.height):
            return False
        native.width, native.height = width, height
        native.stamp += 1
        return True

    def _changed(self, loader: int) -> None:
        self._follow()

    # -- pictures ---------------------------------------------------------------------------------

    def _put(
        self, loader: int, x: int, y: int, width: int, height: int, stride: int, data: int
    ) -> None:
        """Show memory of the process, `data` being the rectangle's first pixel."""
        stride = stride or _row(width * self._cpp)
        self._describe(data - y * stride - x * self._cpp, stride, y + height)
        self._present(x, y, width, height)

    def _put_shm(
        self, loader: int, x: int, y: int, width: int, height: int, stride: int, segment: int,
        data: int, offset: int,
    ) -> None:  # fmt: skip
        """Show a rectangle of a segment that we have not seen like this yet."""
        if offset != y * stride:  # its picture does not begin where the segment does
            self._put(loader, x, y, width, height, stride, data + offset + x * self._cpp)
            return
        rows = y + height
        if segment == self._loader.segment and stride == self._loader.stride:
            rows = max(rows, self._target.rows)
        self._describe(data, stride, rows, segment)
        self._present(x, y, width, height)

    def _describe(self, address: int, stride: int, rows: int, segment: int = -1) -> None:
        loader = self._loader
        self.surface.settle(self._target)  # what is on its way is of the memory before
        self._target.describe(address, stride, rows, segment)
        loader.segment, loader.stride, loader.rows = segment, stride, rows if segment >= 0 else 0

    def _present(self, x: int, y: int, width: int, height: int) -> None:
        most_wide, most_high = self.surface.size()
        box = (x, y, min(width, most_wide - x), min(height, most_high - y))
        if box[2] > 0 and box[3] > 0 and not self._cut_off:
            self.surface.present(self._target, box)
        if not self.surface.ask_fn and self.surface.settle(self._target):
            self._follow()  # nobody else would say so

    def _get(
        self, loader: int, x: int, y: int, width: int, height: int, stride: int, data: int
    ) -> None:
        """Give the driver what the server has in the drawable; where nobody has anything, the
        driver's memory is right as it is."""
        found = None if self._cut_off else self.surface.fetch()
        if found is None:
            return
        stride = stride or _row(width * self._cpp)
        width, height = min(width, found.width - x), min(height, found.height - y)
        start = found.address + x * self._cpp
        for row in range(height if width > 0 else 0):
            ctypes.memmove(
                data + row * stride, start + (y + row) * found.stride, width * self._cpp
            )

    def _get_shm(self, loader: int, x: int, y: int, width: int, height: int, segment: int) -> int:
        whole = (x, y, width, height) == (0, 0, *self.surface.size())
        return int(whole and not self._cut_off and self.surface.fetch_into(segment))

    # -- frames -----------------------------------------------------------------------------------

    def swap(self, current: Any = None) -> None:
        driver = self.screen.driver
        if current is not None and current is self.context:
            current.flush_commands()
        self._pace()
        driver.core.swapBuffers(self.handle)
        self.native.sbc += 1
        self._count_frame()
        self._report()

    def copy_sub_buffer(self, x: int, y: int, width: int, height: int) -> None:
        extension = self.screen.driver.copy_sub_buffer
        if extension is None or not self.native.double_buffer:
            return
        extension.copySubBuffer(self.handle, x, y, width, height)
        self.surface.settle(self._target)  # the driver goes on in the same buffer, and asks nothing

    def copy_to(self, surface: Any) -> None:
        """The driver hands over what it has as if it were for the window."""
        window, loader = self.surface, self._loader
        self.surface.settle(self._target)
        self.surface = surface
        loader.surface, loader.present_box = surface.native, surface.present_box_fn
        kept, loader.size = loader.size, surface.size_address or loader.size
        try:
            self.copy_sub_buffer(0, 0, self.width, self.height)
        finally:
            self.surface = window
            loader.surface, loader.present_box = window.native, window.present_box_fn
            loader.size = kept

    def flush_front(self) -> None:
        """The driver does so by itself, at glFlush and when it lets the drawable go."""

    @property
    def buffer_age(self) -> int:
        return 0  # the driver does not say

    # -- the end ----------------------------------------------------------------------------------

    def cut_off(self) -> None:
        self._cut_off = True
        self._target.forget()
        self.surface.abandon()

    def abandon(self) -> None:
        self.native.context = 0
        self._cut_off = True
        self._free()
        self._target.abandon()
        self.surface.abandon()

    def destroy(self) -> None:
        self.doomed = False
        if self._cut_off:
            self.abandon()
            return
        if self.context is not None:
            self.release(self.context)
        self.surface.settle(self._target)
        self._free()
        self._target.destroy()
        self.surface.destroy()

    def _free(self) -> None:
        if self.handle:
            self.screen.driver.core.destroyDrawable(self.handle)
            self.screen.let_go()
        self.handle = 0
        self.native.driver_drawable = self.native.driver_swap = 0


def _row(size: int) -> int:
    """Bytes of a row of X's images."""
    return (size + 3) & ~3


def _guarded(method: Any) -> Any:
    """A method as a callback: what it raises has nowhere to go."""

    def call(*arguments: int) -> Any:
        try:
            return method(*arguments)
        except Exception as problem:
            log.error(f"{method.__name__}: {type(problem).__name__}: {problem}", once=True)
        return 0

    return call


__all__ = ["CompiledDrawable"]
