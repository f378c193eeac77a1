# SPDX-License-Identifier: MIT
"""What may be asked of a context and set in it.

In: parameters by their enums. Out: answers, or fields of the context's native block. Counterpart of
the second half of Mesa's gallium/frontends/osmesa/osmesa.c; where that reads through a null pointer
(no context is current) nothing is set here, and 0 is the answer.
"""

import ctypes
from collections.abc import Callable
from typing import Any

from pydri.api import enums as gl
from pydri.api import osmesa_table as o
from pydri.api.dispatch import osmesa_entry
from pydri.api.gl_table import SLOTS
from pydri.osmesa.context import OsmesaContext, current_context, find_context
from pydri.osmesa.filters import FILTERS
from pydri.osmesa.screen import screen
from pydri.util import log
from winsys_x11.xlib import address, ffi, pointer


@osmesa_entry
def OSMesaPixelStore(pname: int, value: int) -> None:
    """How the picture lies in the program's memory, from the next flush on."""
    context = current_context()
    if pname not in (o.OSMESA_ROW_LENGTH, o.OSMESA_Y_UP):
        log.error(f"OSMesaPixelStore: invalid pname {pname:#x}")
    elif context is not None and pname == o.OSMESA_ROW_LENGTH:
        context.block.row_length = value
    elif context is not None:
        context.block.y_up = int(value != 0)


_INTEGERS: dict[int, Callable[[OsmesaContext], int]] = {
    o.OSMESA_WIDTH: lambda context: context.block.width,
    o.OSMESA_HEIGHT: lambda context: context.block.height,
    o.OSMESA_FORMAT: lambda context: context.wanted.format,
    o.OSMESA_TYPE: lambda context: context.block.type,
    o.OSMESA_ROW_LENGTH: lambda context: context.block.row_length,
    o.OSMESA_Y_UP: lambda context: context.block.y_up,
}


@osmesa_entry
def OSMesaGetIntegerv(pname: int, value: Any) -> None:
    """One parameter of the current context, or a limit."""
    context = current_context()
    if pname in (o.OSMESA_MAX_WIDTH, o.OSMESA_MAX_HEIGHT):
        answer = screen().pipe.get_caps().max_texture_2d_size
    elif pname in _INTEGERS:
        answer = _INTEGERS[pname](context) if context is not None else 0
    else:
        log.error(f"OSMesaGetIntegerv: invalid pname {pname:#x}")
        return
    _store(value, answer)


def _store(out: Any, value: int) -> None:
    if address(out):
        pointer("int32_t *", out)[0] = value


def _store_all(outs: tuple[Any, ...], values: tuple[int, ...], buffer: Any, memory: int) -> int:
    for out, value in zip(outs, values):
        _store(out, value)
    if address(buffer):
        pointer("uintptr_t *", buffer)[0] = memory
    return int(memory != 0)


@osmesa_entry
def OSMesaGetDepthBuffer(
    osmesa: Any, width: Any, height: Any, bytesPerValue: Any, buffer: Any
) -> int:
    """Memory with the depth (and stencil) values of a context, brought up to date by each flush
    that shows a picture, the lowest row first."""
    context = find_context(osmesa)
    memory, bytes_ = context.depth_buffer() if context is not None else (0, 0)
    size = (0, 0, 0)
    if context is not None and memory:
        size = context.block.width, context.block.height, bytes_
    return _store_all((width, height, bytesPerValue), size, buffer, memory)


@osmesa_entry
def OSMesaGetColorBuffer(osmesa: Any, width: Any, height: Any, format: Any, buffer: Any) -> int:
    """The program's memory that a context was last made current with."""
    context = find_context(osmesa)
    memory, facts = 0, (0, 0, 0)
    if context is not None and context.drawable is not None:
        block = context.block
        memory, facts = int(block.buffer), (block.width, block.height, context.wanted.format)
    return _store_all((width, height, format), facts, buffer, memory)


@osmesa_entry
def OSMesaColorClamp(enable: int) -> None:
    """glClampColor for fragments: always, or where colours are fixed-point."""
    context = current_context()
    if context is not None:
        n = context.dri.gl.n
        slot = ctypes.c_uint64.from_address(n.dispatch + 8 * SLOTS["glClampColor"]).value
        clamp = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint32)(slot)
        mode = gl.GL_TRUE if enable else gl.GL_FIXED_ONLY
        clamp(context.dri.address, gl.GL_CLAMP_FRAGMENT_COLOR, mode)


@osmesa_entry
def OSMesaPostprocess(osmesa: Any, filter: Any, enable_value: int) -> None:
    """Have a filter go over each picture; before the context is made current, as with Mesa."""
    context = find_context(osmesa)
    if context is None or not address(filter):
        return
    name = ffi.string(pointer("char *", filter)).decode("ascii", "replace")
    if context.drawable is not None:
        log.debug("OSMesaPostprocess after OSMesaMakeCurrent")
    elif name not in FILTERS:
        log.warning(f"OSMesaPostprocess: there is no filter {name}", once=True)
    elif enable_value:
        context.filters[name] = enable_value
    else:
        context.filters.pop(name, None)
