# SPDX-License-Identifier: MIT
"""Make-current, and what ends with a thread or with a context that is current.

In: a context, and memory with its type and size. Out: the calling thread's block (which stubs and
kernels read) and the bindings of DRI. The native form in native.py answers for what was current
before. Counterpart of OSMesaMakeCurrent in Mesa's gallium/frontends/osmesa/osmesa.c.
"""

from typing import Any

from pydri.api import dispatch
from pydri.api.dispatch import osmesa_entry
from pydri.dri.current import leave_others, register_front
from pydri.main.layout import DIRTY_TARGET
from pydri.osmesa import native
from pydri.osmesa.context import OsmesaContext, current_context, find_context
from pydri.osmesa.layout import LAYOUTS
from pydri.util import log
from winsys_x11.xlib import address


def _me() -> int:
    return int(dispatch.ffi.cast("uintptr_t", dispatch.thread()))


def _leave() -> None:
    """Nothing of OSMesa is current in this thread any more; what was drawn is shown."""
    context = current_context()
    if context is not None:
        context.dri.unbind()
        dispatch.make_current_osmesa(0, 0)
        context.block.thread = 0
        if context.doomed:
            context.destroy()


def _drop() -> None:
    """The same, but nothing is shown: the thread or the context ends, and the program may have
    freed its buffer long ago."""
    context = current_context()
    if context is not None:
        context.dri.gl.gl.flush_vertices()
        context.dri.gl.n.framebuffers.used = 0
        _leave()


register_front("osmesa", _leave, _drop)


def _bind(context: OsmesaContext, buffer: int, type: int, width: int, height: int) -> bool:
    layout = LAYOUTS.get((context.wanted.format, type))
    if layout is None:
        log.error("OSMesaMakeCurrent(unsupported format/type)")
        return False
    if context.block.thread not in (0, _me()):
        log.debug("OSMesaMakeCurrent: the context is current in another thread")
        return False
    try:
        drawable = context.draw_to(layout, type, width, height)
    except MemoryError as problem:
        log.debug(f"OSMesaMakeCurrent: {problem}")
        return False
    if current_context() is not context:
        leave_others("osmesa")
        _leave()
    context.dri.bind(drawable, drawable)
    context.settle(drawable, layout, type)
    context.block.buffer, context.block.thread = buffer, _me()
    context.dri.gl.n.dirty |= DIRTY_TARGET  # who draws next says so (osmesa_show)
    dispatch.make_current_osmesa(context.dri.address, context.handle)
    native.remember(context.handle)
    return True


@osmesa_entry
def OSMesaMakeCurrent(osmesa: Any, buffer: Any, type: int, width: int, height: int) -> int:
    """Draw to memory of the program; with neither context nor memory nothing is current."""
    handle, memory = address(osmesa), address(buffer)
    if not handle and not memory:
        _leave()
        return 1
    context = find_context(handle)
    if context is None or not memory or width < 1 or height < 1:
        return 0
    return int(_bind(context, memory, type, width, height))


@osmesa_entry
def OSMesaDestroyContext(osmesa: Any) -> None:
    """End a context; if it is current, nothing is current any more."""
    context = find_context(osmesa)
    if context is None:
        return
    if context is current_context():
        _drop()
    context.doom()
