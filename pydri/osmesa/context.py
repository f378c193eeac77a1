# SPDX-License-Identifier: MIT
"""OSMesaContexts: making them as attributes say, and ending them.

In: a format, bits of the other buffers, a profile and a version. Out: `OsmesaContext`, which owns a
DriContext and the drawable it was last made current with. Its handle is the address of its native
block. Counterpart of OSMesaCreateContextAttribs and OSMesaDestroyContext in Mesa's
gallium/frontends/osmesa/osmesa.c.
"""

import ctypes
from typing import Any, NamedTuple

from pydri.api import dispatch
from pydri.api import osmesa_table as o
from pydri.api.apis import COMPAT, CORE
from pydri.api.dispatch import osmesa_entry
from pydri.dri.config import DriConfig, color_layout
from pydri.dri.context import ContextAttribs, ContextError, DriContext
from pydri.dri.drawable import DriDrawable
from pydri.dri.request import max_versions
from pydri.osmesa import native
from pydri.osmesa.filters import filter_address
from pydri.osmesa.layout import FORMATS, Layout
from pydri.osmesa.screen import screen
from pydri.osmesa.surface import BufferSurface
from pydri.pipe.format import BY_NAME
from pydri.pipe.interface import PipeScreen
from pydri.util import log
from winsys_x11.xlib import address, pointer

_MARK = 0x6F736D657361
_MAX_LIST = 1024  # a list longer than this has lost its end
CONTEXTS: "dict[int, OsmesaContext]" = {}  # by handle


class Wanted(NamedTuple):
    """What a program asked for."""

    format: int = o.OSMESA_RGBA
    depth: int = 0
    stencil: int = 0
    accum: int = 0
    profile: int = o.OSMESA_COMPAT_PROFILE
    major: int = 1
    minor: int = 0

    @property
    def api(self) -> int:
        """The API of pydri/api/apis.py."""
        return CORE if self.profile == o.OSMESA_CORE_PROFILE else COMPAT

    def config(self, surface: str = "R8G8B8A8_UNORM") -> DriConfig:
        """The buffers, of which there are the sizes that Mesa's OSMesa has."""
        if self.stencil:
            depth, stencil = (24, 8) if self.depth else (0, 8)
        else:
            depth, stencil = next((bits for bits in (24, 16) if self.depth >= bits), 0), 0
        accum = 16 if self.accum else 0
        return DriConfig(color_layout(surface), False, False, depth, stencil, accum, 0)


#: attribute -> field of Wanted, and what its values are
_ATTRIBUTES: dict[int, tuple[str, Any]] = {
    o.OSMESA_FORMAT: ("format", lambda value: value in FORMATS),
    o.OSMESA_DEPTH_BITS: ("depth", lambda value: value >= 0),
    o.OSMESA_STENCIL_BITS: ("stencil", lambda value: value >= 0),
    o.OSMESA_ACCUM_BITS: ("accum", lambda value: value >= 0),
    o.OSMESA_PROFILE: (
        "profile", lambda value: value in (o.OSMESA_CORE_PROFILE, o.OSMESA_COMPAT_PROFILE),
    ),
    o.OSMESA_CONTEXT_MAJOR_VERSION: ("major", lambda value: value >= 1),
    o.OSMESA_CONTEXT_MINOR_VERSION: ("minor", lambda value: value >= 0),
}  # fmt: skip


class OsmesaContext:
    """A context; `block` is its native side."""

    def __init__(self, wanted: Wanted, share: "OsmesaContext | None") -> None:
        self.wanted = wanted
        attribs = ContextAttribs(major=wanted.major, minor=wanted.minor, api=wanted.api)
        theirs = share.dri if share is not None else None
        self.dri: DriContext = DriContext(screen(), wanted.config(), theirs, attribs)
        self.dri.gl.n.framebuffers.show = native.FRONT.image().address("osmesa_show")
        self.drawable: DriDrawable | None = None
        self.filters: dict[str, int] = {}  # OSMesaPostprocess: name -> its number, not 0
        self.depth: Any = None  # memory that OSMesaGetDepthBuffer gave
        self.doomed = False  # destroyed while current in another thread
        self.block: Any = native.ContextBlock.ctype()()
        self.block.mark, self.block.gl, self.block.y_up = _MARK, self.dri.address, 1
        self.handle = ctypes.addressof(self.block)
        CONTEXTS[self.handle] = self

    def draw_to(self, layout: Layout, type: int, width: int, height: int) -> DriDrawable:
        """The drawable for a buffer of the program: the one there is, if nothing but the buffer's
        address is another one. A new one is empty; MemoryError if it cannot be had."""
        block, old = self.block, self.drawable
        known = (block.type, block.width, block.height)
        if old is not None and known == (type, width, height):
            return old
        config = self.wanted.config(layout.surface)
        surface = BufferSurface(width, height, self.handle)
        new = DriDrawable(self.dri.screen, config, surface)
        new.native.offscreen = 1
        new.check_geometry()
        return new

    def settle(self, drawable: DriDrawable, layout: Layout, type: int) -> None:
        """A drawable is bound, and is the context's from now on."""
        block, old = self.block, self.drawable
        if old is drawable:
            return
        self.drawable = drawable
        block.drawable, block.type = drawable.address, type
        block.width, block.height = drawable.width, drawable.height
        block.pixel, block.copy = layout.pixel, native.copy_address(layout)
        block.filter = filter_address(tuple(self.filters), layout.surface) if self.filters else 0
        block.depth = 0  # what the program has of it stays as it is
        self._show_visual(drawable.config)
        self.dri.gl.n.framebuffers.used = 0
        if old is not None:
            old.destroy()

    def _show_visual(self, config: DriConfig) -> None:
        """What glGet tells of the window follows the buffer's format."""
        visual, layout = self.dri.gl.n.framebuffers.window_visual, config.layout
        visual.red, visual.green, visual.blue = layout.red, layout.green, layout.blue
        visual.alpha = layout.alpha
        visual.floats = int(BY_NAME[config.color_format].kind == "float")

    def depth_buffer(self) -> tuple[int, int]:
        """The address of depth (and stencil) values, filled in here and at each flush from now on,
        and bytes a value; (0, 0) where there are none."""
        drawable, block = self.drawable, self.block
        if drawable is None or not drawable.config.depth:
            return 0, 0
        bytes_ = BY_NAME[drawable.config.depth_format].bytes
        if not block.depth:
            size = drawable.width * drawable.height * bytes_
            if self.depth is None or len(self.depth) != size:
                self.depth = ctypes.create_string_buffer(size)
            block.depth_pixel, block.copy_depth = bytes_, native.depth_address(bytes_)
            block.depth = ctypes.addressof(self.depth)
            surface = drawable.surface_address("zs")
            copy = ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * 3)
            self.dri.gl.gl.flush_vertices()
            copy(native.FRONT.image().address("osmesa_copy_depth"))(
                self.dri.address, surface, self.handle
            )
        return int(block.depth), bytes_

    def doom(self) -> None:
        """End it, at once or when it is no longer current."""
        self.doomed = True
        native.forget(self.handle)
        if not self.block.thread:
            self.destroy()

    def destroy(self) -> None:
        """End it now."""
        CONTEXTS.pop(self.handle, None)
        self.block.mark = 0
        if self.drawable is not None:
            self.drawable.destroy()
        self.dri.destroy()


def current_context() -> OsmesaContext | None:
    """The calling thread's context, a doomed one included."""
    return CONTEXTS.get(address(dispatch.thread().osmesa_context))


def find_context(handle: Any) -> OsmesaContext | None:
    """The context behind a handle, if there is one."""
    context = CONTEXTS.get(address(handle))
    return context if context is not None and not context.doomed else None


def _offered(driver: PipeScreen, wanted: Wanted) -> bool:
    """Whether the driver's best version of the profile is not below what is asked for. That there
    is an OpenGL of that version is not asked, as with the peer."""
    compat, core = max_versions(driver)
    best = core if wanted.api == CORE else compat
    if (wanted.major, wanted.minor) == (1, 0):
        return best is not None
    return best is not None and 10 * wanted.major + wanted.minor <= 10 * best[0] + best[1]


def _create(pairs: list[tuple[int, int]], sharelist: Any) -> int:
    fields: dict[str, int] = {}
    for attribute, value in pairs:
        if attribute not in _ATTRIBUTES:
            log.error(f"OSMesaCreateContextAttribs: bad attribute {attribute:#x}")
            return 0
        name, fine = _ATTRIBUTES[attribute]
        if not fine(value):
            log.debug(f"OSMesaCreateContextAttribs: {name} {value:#x}")
            return 0
        fields[name] = value
    wanted = Wanted(**fields)
    share = find_context(sharelist)
    if address(sharelist) and share is None:
        log.debug(f"OSMesaCreateContextAttribs: no context {address(sharelist):#x} to share with")
        return 0
    try:
        if not _offered(screen().pipe, wanted):
            log.debug(f"OpenGL {wanted.major}.{wanted.minor} is not offered")
            return 0
        return OsmesaContext(wanted, share).handle
    except (ContextError, RuntimeError) as problem:
        log.error(f"cannot make a context: {problem}")
        return 0


@osmesa_entry
def OSMesaCreateContextAttribs(attribList: Any, sharelist: Any) -> int:
    """A context by a list of pairs that ends with 0."""
    pairs: list[tuple[int, int]] = []
    words = pointer("int32_t *", attribList) if address(attribList) else (0,)
    for i in range(0, _MAX_LIST, 2):
        if not words[i]:
            break
        pairs.append((words[i], words[i + 1]))
    return _create(pairs, sharelist)


@osmesa_entry
def OSMesaCreateContextExt(
    format: int, depthBits: int, stencilBits: int, accumBits: int, sharelist: Any
) -> int:
    """A context with so many bits of depth, stencil and accumulation."""
    pairs = [
        (o.OSMESA_FORMAT, format),
        (o.OSMESA_DEPTH_BITS, depthBits),
        (o.OSMESA_STENCIL_BITS, stencilBits),
        (o.OSMESA_ACCUM_BITS, accumBits),
    ]
    return _create(pairs, sharelist)


@osmesa_entry
def OSMesaCreateContext(format: int, sharelist: Any) -> int:
    """A context with a depth buffer of 24 bits and a stencil buffer."""
    return OSMesaCreateContextExt(format, 24, 8, 0, sharelist)
