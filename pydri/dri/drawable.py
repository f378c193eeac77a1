# SPDX-License-Identifier: MIT
"""DriDrawable: the buffers of a window, pixmap or pbuffer, and how they follow its size.

Stage: between GLX, winsys and driver.  In: a config and the winsys' side of a window.  Out: the
`Surface` structs (back, front, depth/stencil) that the state tracker binds and the driver draws to.
Two displaytargets take turns, so that the next frame is drawn while the server reads the last one.

Sizes: the winsys reports the window's size with every present; a different one bumps `stamp`, and
the next draw calls `validate` here.  `check_geometry` asks at once (make-current, glViewport).  A
window that has vanished keeps its last size, and so does one whose new size cannot be allocated.
Counterpart of dri_drawable.c and drisw_allocate_textures in Mesa's gallium/frontends/dri.
"""

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydri.dri.base import BaseContext, BaseDrawable
from pydri.dri.native import Drawable
from pydri.pipe.format import BY_NAME, linear, srgb_view
from pydri.pipe.native import TILE, Surface
from pydri.pipe.resource import BIND_RENDER, TARGET_2D
from pydri.util import log, stats
from pydri.util.options import options

if TYPE_CHECKING:
    from pydri.dri.context import DriContext
    from pydri.dri.screen import DriScreen


class DriDrawable(BaseDrawable):
    """Buffers of one drawable.  `address` is its native struct, `native` the ctypes view of it."""

    def __init__(
        self, screen: "DriScreen", config: Any, surface: Any, xid: int = 0, encoded: bool = False
    ) -> None:
        super().__init__(screen, config, surface, xid)
        self._targets: list[Any] = []
        self._color = linear(BY_NAME[config.color_format])
        view = srgb_view(self._color)
        # whatever the config says of it, as with Mesa (st_framebuffer_create): programs count on
        # GL_FRAMEBUFFER_SRGB in windows that they have asked nothing for
        capable = view and screen.pipe.is_format_supported(
            view.number, TARGET_2D, max(config.samples, 1), BIND_RENDER
        )
        zs = config.depth_format
        self._zs = BY_NAME[zs] if zs else None
        native = self.native
        native.swap_copy = int(config.double_buffer and config.swap_copy)
        native.has_zs = int(self._zs is not None)
        native.has_accum = int(config.accum > 0)
        native.surface = surface.native
        native.present = surface.present_fn
        native.settle = surface.settle_fn
        if not (surface.present_fn and surface.settle_fn):
            native.through_python = 1
        self._back = self._view("back")
        self._front = self._view("front")
        self._depth = self._view("zs")
        self._accum = self._view("accum")
        self._samples = max(config.samples, 1)
        self._multi = {"back": self._view("back_multi"), "front": self._view("front_multi")}
        for surface in (self._back, self._front, *self._multi.values()):
            surface.srgb = view.number if view and capable else 0
            surface.encoded = int(encoded)  # EGL_GL_COLORSPACE_SRGB

    def _view(self, name: str) -> Any:
        return Surface.view(self.address + Drawable.offset(name))

    def surface_address(self, name: str) -> int:
        """Return the address of `back`, `front`, `zs` or `accum`."""
        return self.address + Drawable.offset(name)

    def draw_surface(self, name: str) -> int:
        """Return the address of what is drawn to for `back` or `front`: itself or, with several
        samples a pixel, the surface in its place.
        """
        if self._samples == 1:
            return self.surface_address(name)
        if not self._multi[name].data and self._targets:
            self._create_multi(name, self.width, self.height)
        return self.surface_address(f"{name}_multi")

    # -- size -------------------------------------------------------------------------------------

    def check_geometry(self) -> bool:
        """Ask for the size now and follow it; True if the buffers are new."""
        for target in self._targets:
            self.surface.settle(target)  # an older answer must not be heard after the newest
        self.surface.geometry()
        return self.validate()

    def validate(self) -> bool:
        """Follow the size that was heard of last; True if the buffers are new."""
        try:
            return self._follow()
        finally:
            self.native.buffers_stamp = self.native.stamp

    def _follow(self) -> bool:
        self._report()
        width, height = self.surface.size()
        self.surface.known(width, height)
        if (width, height) == (self.width, self.height):
            return False
        try:
            self._allocate(width, height)
        except MemoryError as error:
            if not self._targets:
                raise
            log.error(f"drawable {self.xid:#x} keeps its size: {error}", once=True)
            return False
        return True

    def _allocate(self, width: int, height: int) -> None:
        """Make new buffers, carry the pixels over that both sizes have, and free the old ones."""
        cpp = self._color.bytes
        native = self.native
        self._resolve()
        new: list[Any] = []
        try:
            for _ in range(2 if native.double_buffer else 1):
                new.append(self.screen.winsys.displaytarget_create(width, height, cpp))
            self._create_own(width, height)
        except MemoryError:
            for target in new:
                target.destroy()
            if self._targets:
                self._create_own(self.width, self.height)
                self._spread()
            raise
        old = self._targets
        for target in old:
            self.surface.settle(target)
        if old:
            current = native.current
            ordered = (old[current], old[current ^ 1]) if len(old) == 2 else tuple(old)
            for source, target in zip(ordered, new):
                _carry_over(source, target)
            self._detach()
        self._targets = new
        native.current = 0
        for n, target in enumerate(new):
            native.targets[n] = target.native
            native.target_data[n] = target.map()
        back, front = new[0], new[-1]
        if native.double_buffer:
            self._attach(self._back, back)
        self._attach(self._front, front)
        self._spread()
        native.width, native.height = width, height
        native.frame_bytes = width * height * cpp
        if "x11" in options.PYDRI_DEBUG:
            log.note(f"x11: drawable {self.xid:#x} has buffers of {width}x{height}")
        native.frames = 0
        native.stamp += 1
        for target in old:
            target.destroy()

    def _create_own(self, width: int, height: int) -> None:
        """Make what is not presented: depth and stencil, and colour with several samples a pixel.
        What was in it is lost.
        """
        pipe = self.screen.pipe
        self._destroy_own()
        if self._zs is not None:
            pipe.surface_create(self._depth, self._zs.number, width, height, self._samples)
        if self._samples > 1:
            self._create_multi("back" if self.native.double_buffer else "front", width, height)

    def _create_multi(self, name: str, width: int, height: int) -> None:
        pipe, multi = self.screen.pipe, self._multi[name]
        pipe.surface_create(multi, self._color.number, width, height, self._samples)

    def create_accum(self) -> None:
        """Memory for the accumulation buffer, all zero; without memory it stays as it was."""
        number = BY_NAME["R16G16B16A16_SNORM"].number
        try:
            self.screen.pipe.surface_create(self._accum, number, self.width, self.height)
        except MemoryError as error:
            log.error(f"drawable {self.xid:#x} cannot accumulate: {error}", once=True)

    def _destroy_own(self) -> None:
        for surface in (self._depth, self._accum, *self._multi.values()):
            if surface.data:
                self.screen.pipe.surface_destroy(surface)
        self._back.multi = self._front.multi = 0

    def _spread(self) -> None:
        """Give the multisampled surfaces the pixels of those that they stand for."""
        if self._samples > 1:
            self._load_multi("back" if self.native.double_buffer else "front")

    def _load_multi(self, name: str) -> None:
        surface = self._view(name)
        surface.multi = self.surface_address(f"{name}_multi")
        self.screen.pipe.surface_spread(surface)

    def _attach(self, surface: Any, target: Any) -> None:
        self.screen.pipe.surface_attach(
            surface, target.map(), target.stride, self._color.number, target.width, target.height
        )

    def _detach(self) -> None:
        if self.native.double_buffer:
            self.screen.pipe.surface_destroy(self._back)
        self.screen.pipe.surface_destroy(self._front)

    # -- who draws here ---------------------------------------------------------------------------

    def acquire(self, context: BaseContext) -> None:
        if self.context is not None and self.context is not context:
            self._resolve()  # what another context left pending must not be lost
        super().acquire(context)

    def release(self, context: BaseContext) -> None:
        if self.context is context:
            self._resolve()
        super().release(context)

    def _resolve(self) -> None:
        """Bring what the drawing context has pending into the buffers' memory."""
        if self.context is None or not self._targets:
            return
        pipe = self.context.pipe
        if self.native.double_buffer:
            pipe.resolve(self.surface_address("back"))
        pipe.resolve(self.surface_address("front"))

    def pixels(self) -> tuple[int, int] | None:
        """The address of the lowest row of what is drawn to (a back buffer, if there is one), and
        bytes from there to the row above; None where there is no memory yet. Good until somebody
        draws."""
        self.validate()
        self._resolve()
        surface = self._back if self.native.double_buffer else self._front
        if not surface.data:
            return None
        return surface.data + (surface.height - 1) * surface.stride, -surface.stride

    # -- frames -----------------------------------------------------------------------------------

    def swap(self, current: "DriContext | None" = None) -> None:
        """Show the back buffer; `current` is the calling thread's context.

        The definition of what the kernel `dri_swap` does for the usual case.
        """
        native = self.native
        if not self._targets:
            return  # never made current: there is no image
        if current is not None and current is self.context:
            current.gl.flush()
            self._resolve()
        if not native.double_buffer:
            self.flush_front()
            native.sbc += 1
            return
        self._pace()
        shown = native.current
        other = shown ^ 1
        self.surface.present(self._targets[shown])
        changed = self.surface.settle(self._targets[other])
        native.current = other
        for surface, n in ((self._back, other), (self._front, shown)):
            surface.data = native.target_data[n]
            surface.serial += 1
        back, front = self._back, self._front  # what the driver knows of the pixels goes with them
        back.tile_state, front.tile_state = front.tile_state, back.tile_state
        values = list(back.clear_value), list(front.clear_value)
        front.clear_value[:], back.clear_value[:] = values
        if native.swap_copy:
            _copy_rows(self._targets[shown], self._targets[other], 0, 0, self.width, self.height)
            _forget_tiles(back)
        front.multi = 0  # what stands for it has the pixels of an older frame
        native.frames += 1
        native.sbc += 1
        drawn, native.front_used = native.front_used, 0
        self._count_frame()
        if changed or drawn:  # who draws to the front buffer has to prepare it again
            native.stamp += 1
        self._report()

    def prepare_front(self) -> None:
        """To be called before the front buffer of a double-buffered drawable is drawn to.

        The server may still be reading it; and a swap must know that it has pixels of its own.
        """
        native = self.native
        if native.double_buffer and self._targets and not native.front_used:
            if self.surface.settle(self._targets[native.current ^ 1]):
                native.stamp += 1
            native.front_used = 1
        if self._samples > 1 and self._targets and not self._front.multi:
            self.draw_surface("front")
            self._load_multi("front")

    def flush_front(self) -> None:
        """Show what was drawn to the front buffer (glFlush, glFinish, make-current)."""
        native = self.native
        if not self._targets or (native.double_buffer and not native.front_used):
            return
        if self.context is not None:
            self.context.pipe.resolve(self.surface_address("front"))
        target = self._targets[(native.current ^ 1) if native.double_buffer else 0]
        self.surface.present(target)
        if self.surface.settle(target):
            native.stamp += 1
        if not native.double_buffer:
            native.frames += 1
        native.front_used = 0
        stats.add("bytes_presented", native.frame_bytes)
        self._report()

    def copy_sub_buffer(self, x: int, y: int, width: int, height: int) -> None:
        """Show a rectangle of the back buffer (y counts from the bottom) and leave the buffers as
        they are.
        """
        native = self.native
        if not self._targets or not native.double_buffer:
            return
        if self.context is not None:
            self.context.gl.flush()
            self._resolve()
        target = self._targets[native.current]
        box = (x, self.height - y - height, width, height)
        self.surface.present(target, box)
        _copy_box(target, self._targets[native.current ^ 1], box)
        _forget_tiles(self._front)
        if self._front.multi:
            self._load_multi("front")
        if self.surface.settle(target):
            native.stamp += 1

    def copy_to(self, surface: Any) -> None:
        """Show the image in another place, a pixmap (eglCopyBuffers): the back buffer, or the front
        buffer of a single-buffered drawable.
        """
        if not self._targets:
            return
        if self.context is not None:
            self.context.gl.flush()
            self._resolve()
        target = self._targets[self.native.current]
        surface.present(target)
        surface.settle(target)

    @property
    def buffer_age(self) -> int:
        """How many frames old the back buffer's content is; 0: undefined (GLX_EXT_buffer_age)."""
        native = self.native
        # several samples: what is drawn to is no presented buffer and keeps its frame
        age = 1 if native.swap_copy or self._samples > 1 else 2
        return age if native.double_buffer and native.frames >= age else 0

    def cut_off(self) -> None:
        """The connection is closed while a context draws here: from now on nothing is shown,
        awaited or asked for; `abandon` follows when it is released; `destroy` is the same then.
        """
        self._cut_off = True
        for target in self._targets:
            target.forget()
        self.surface.abandon()

    def abandon(self) -> None:
        """The connection is closed: free what is in this process and say nothing to anybody."""
        self.native.context = 0
        self._free(lambda target: target.abandon())
        self.surface.abandon()

    def destroy(self) -> None:
        """Free everything; the window itself belongs to the program."""
        self.doomed = False
        if self._cut_off:
            self.abandon()
            return
        if self.context is not None:
            self.release(self.context)
        for target in self._targets:
            self.surface.settle(target)
        self._free(lambda target: target.destroy())
        self.surface.destroy()

    def _free(self, free_target: Callable[[Any], None]) -> None:
        if self._targets:
            self._detach()
            self._destroy_own()
            for target in self._targets:
                free_target(target)
        self._targets = []


def _copy_rows(source: Any, target: Any, x: int, y: int, width: int, height: int) -> None:
    cpp = source.cpp
    from_, to = source.map(), target.map()
    for row in range(y, y + height):
        ctypes.memmove(
            to + row * target.stride + x * cpp, from_ + row * source.stride + x * cpp, width * cpp
        )


def _forget_tiles(surface: Any) -> None:
    """What the driver knew of a surface's tiles (fast clears) is no longer true."""
    if surface.tile_state:
        ctypes.memset(surface.tile_state, 0, 4 * surface.tiles_x * (surface.rows // TILE))


def _carry_over(source: Any, target: Any) -> None:
    """Copy what both images have; the upper left corner stays."""
    width, height = min(source.width, target.width), min(source.height, target.height)
    _copy_rows(source, target, 0, 0, width, height)


def _copy_box(source: Any, target: Any, box: tuple[int, int, int, int]) -> None:
    x, y, width, height = box
    x0, y0 = max(x, 0), max(y, 0)
    x1, y1 = min(x + width, source.width), min(y + height, source.height)
    if x0 < x1 and y0 < y1:
        _copy_rows(source, target, x0, y0, x1 - x0, y1 - y0)
