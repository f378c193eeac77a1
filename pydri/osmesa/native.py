# SPDX-License-Identifier: MIT
"""Native forms of what a frame does: make-current, and the picture's way into the program's memory.

Stage: the exported OSMesa entry points, and behind glFlush, glFinish and make-current. In: the
calling thread's block (of the shim), and what an OSMesaContext points to. Out: the answer, or a
jump to the Python form of the same entry point (pydri.osmesa.current), which remains the
definition. `osmesa_show` copies what was drawn since it was last called, nothing else: the program
may have freed its buffer when it had its picture. Make-current knows the contexts that Python has
made current (`remember`); the list of them is replaced, never edited: a thread that is reading an
old one finds whole entries. Counterpart of osmesa_st_framebuffer_flush_front of Mesa's
gallium/frontends/osmesa/osmesa.c.
"""

import ctypes
from typing import Any

from pydri.api.dispatch import OSMESA
from pydri.dri.front import FrontKernels
from pydri.dri.native import Drawable, ThreadBlock
from pydri.dri.swap import dri_count_frame
from pydri.dri.switch import drawable_of, dri_switch
from pydri.jit import Struct, fn, i32, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.main.layout import DIRTY_TARGET, GLContext
from pydri.osmesa.layout import LAYOUTS, Layout
from pydri.pipe.native import Surface
from pydri.st.pixels.copy import (
    ROWS,
    STAMP_ROWS,
    RowsJob,
    copy_rows,
    rows_in_parts,
    stamp_kernel,
)
from pydri.st.pixels.read import resolve
from pydri.st.pixels.rows import LANES


class ContextBlock(Struct):
    """What an OSMesaContext points to, and what the drawable it draws to has as its `surface`."""

    mark = u64
    gl = ptr(GLContext)
    thread = u64  # address of the block of the thread where it is current, 0: nowhere
    drawable = ptr(Drawable)  # null: it was never current
    buffer = ptr(u8)  # the program's memory, or null
    copy = fn(void, *ROWS)  # brings pixels there
    filter = fn(void, ptr(Surface))  # goes over the picture before, or null
    depth = ptr(u8)  # what OSMesaGetDepthBuffer gave, or null: nobody wants it
    copy_depth = fn(void, *STAMP_ROWS)  # fills that
    type = u32
    width = i32
    height = i32
    row_length = i32  # pixels from row to row of the program's memory, 0: the width
    y_up = u32  # 1: the lowest row comes first there
    pixel = u32  # bytes of a pixel there
    depth_pixel = u32  # and of a depth


class OsmesaGlobals(Struct):
    """What the kernels cannot get as arguments, since C fixes their signatures."""

    known = ptr(ptr(ContextBlock))  # contexts that Python has made current, behind the last a null
    thread = fn(ptr(ThreadBlock))
    make_current = fn(u8, ptr(void), ptr(void), u32, i32, i32)


FRONT = FrontKernels(OSMESA, OsmesaGlobals)


# -- pixels ----------------------------------------------------------------------------------------


@kernel(void, ROWS, noinline=True)
def osmesa_same(b: Any, dst: Any, src: Any, count: Any, rows: Any, dst_step: Any, src_step: Any,
                pixel: Any) -> None:  # fmt: skip
    """Rows as they are; `pixel`: bytes a pixel."""
    with b.For(0, rows) as n:
        b.memcpy(dst + n * dst_step, src + n * src_step, count * b.cast(pixel, i64))


def _ordering_kernel(layout: Layout) -> Any:
    """What copies chosen channels of four, in another order."""
    element = {1: u8, 2: u16, 4: u32}[layout.channel]
    step = LANES // layout.channel  # pixels that are reordered at once, in registers of 64 bytes
    lanes = [4 * pixel + n for pixel in range(step) for n in layout.order]

    @kernel(void, ROWS, name=f"osmesa_{8 * layout.channel}_{_letters(layout)}", noinline=True)
    def copy(b: Any, dst: Any, src: Any, count: Any, rows: Any, dst_step: Any, src_step: Any,
             number: Any) -> None:  # fmt: skip
        def convert(source: Any) -> Any:
            places = [source + 4 * layout.channel * n for n in range(0, LANES, step)]
            loaded = [place.load(element.vec(4 * step), align=layout.channel) for place in places]
            return [b.shuffle(v, None, lanes) for v in loaded]

        copy_rows(b, dst, src, count, rows, dst_step, src_step, 4 * layout.channel, layout.pixel,
                  convert)  # fmt: skip

    return copy


def _letters(layout: Layout) -> str:
    return "".join("rgba"[n] for n in layout.order)


#: by layout's order and bytes of a channel: what copies pixels
_ORDERING = {
    (row.channel, row.order): _ordering_kernel(row)
    for row in dict.fromkeys(LAYOUTS.values())
    if not row.copied
}


def _depth_kernel(bytes_: int) -> Any:
    element = {1: u8, 2: u16, 4: u32}[bytes_]
    wide = element.vec(LANES)
    return stamp_kernel(f"osmesa_depth{bytes_}", bytes_, bytes_, lambda b, v: b.cast(v, wide))


_DEPTH = {bytes_: _depth_kernel(bytes_) for bytes_ in (1, 2, 4)}


def copy_address(layout: Layout) -> int:
    """The address of what copies pixels of a layout."""
    found = osmesa_same if layout.copied else _ORDERING[layout.channel, layout.order]
    return int(FRONT.image().address(found.name))


def depth_address(bytes_: int) -> int:
    """The address of what copies depths, or stencil values, of so many bytes."""
    return int(FRONT.image().address(_DEPTH[bytes_].name))


@kernel(void, (ptr(GLContext), ptr(Surface), ptr(ContextBlock)), noinline=True)
def osmesa_copy_color(b: Any, ctx: Any, surface: Any, to: Any) -> None:
    """The picture's rows, uppermost first whatever the order in the program's memory: where they
    share bytes (a row length below the width) the last one stays, as with the peer."""
    resolve(b, ctx, surface)
    with b.If(~_is_null(b, to.filter), likely=False):
        b.call(to.filter, surface)
    width, rows = b.cast(surface.width, i64), b.cast(surface.height, i64)
    pixel, length = b.cast(to.pixel, i64), b.cast(to.row_length, i64)
    step = b.select(length != 0, length, width) * pixel
    up = to.y_up != 0
    job = b.array(RowsJob)
    job.copy, job.src, job.src_step = to.copy, surface.data, b.cast(surface.stride, i64)
    job.dst = to.buffer + b.select(up, (rows - 1) * step, b.const(i64, 0))
    job.dst_step = b.select(up, -step, step)
    job.count, job.rows, job.number = width, rows, to.pixel
    rows_in_parts(b, ctx.pipe, job, pixel, pixel)


@kernel(void, (ptr(GLContext), ptr(Surface), ptr(ContextBlock)), noinline=True)
def osmesa_copy_depth(b: Any, ctx: Any, surface: Any, to: Any) -> None:
    """Depth and stencil values as they lie in words, the lowest row first."""
    resolve(b, ctx, surface)
    width, rows = b.cast(surface.width, i64), b.cast(surface.height, i64)
    pixel, stride = b.cast(to.depth_pixel, i64), b.cast(surface.stride, i64)
    step = width * pixel
    with b.If(surface.layout == 0, likely=False):  # of drivers that keep rows
        with b.For(0, rows) as n:
            b.memcpy(to.depth + n * step, surface.data + (rows - 1 - n) * stride, step)
        b.Return()
    b.call(to.copy_depth, to.depth, surface.data, b.const(i64, 0), width, rows - 1, rows, step,
           stride, b.const(i64, -1), b.const(i64, 1))  # fmt: skip


def _is_null(b: Any, pointer: Any) -> Any:
    return b.ptr_to_int(pointer) == 0


@kernel(void, (ptr(GLContext),))
def osmesa_show(b: Any, ctx: Any) -> None:
    """FramebufferBlock.show: bring what was drawn to the window's buffers since the last time into
    the program's memory. While a framebuffer object is drawn to nothing is shown."""
    block, d = ctx.framebuffers, drawable_of(ctx, "draw_drawable")
    with b.If((block.used == 0) | _is_null(b, d) | ~_is_null(b, block.draw)):
        b.Return()
    block.used = 0
    ctx.dirty = ctx.dirty | DIRTY_TARGET  # who draws next says so
    to = d.surface.cast(ptr(ContextBlock))
    b.call(osmesa_copy_color, ctx, d.addr("front"), to)
    with b.If(~_is_null(b, to.depth), likely=False):
        b.call(osmesa_copy_depth, ctx, d.addr("zs"), to)
    b.call(dri_count_frame, d.frame_bytes)


# -- make-current ----------------------------------------------------------------------------------


@kernel(u32, (ptr(ThreadBlock), ptr(ContextBlock)), noinline=True)
def osmesa_switch(b: Any, t: Any, new: Any) -> None:
    """From the thread's context to another one that was current before: 1 if done."""
    old = t.osmesa_context.cast(ptr(ContextBlock))
    with b.If(_is_null(b, old)):
        b.Return(0)
    with b.If(b.cmpxchg(new.addr("thread"), 0, b.ptr_to_int(t)) != 0):
        b.Return(0)  # current in another thread
    with b.If(b.call(dri_switch, t.ctx, new.gl, new.drawable, new.drawable) == 0):
        new.thread = 0
        b.Return(0)
    old.thread = 0
    t.ctx, t.osmesa_context = new.gl, new.cast(ptr(void))
    b.Return(1)


@kernel(u32, (ptr(ThreadBlock), ptr(ContextBlock), ptr(void), u32, i32, i32), noinline=True)
def osmesa_rebind(b: Any, t: Any, known: Any, buffer: Any, type: Any, width: Any,
                  height: Any) -> None:  # fmt: skip
    """Make a context current with memory like that which it had: 1 if done."""
    same = (known.type == type) & (known.width == width) & (known.height == height)
    with b.If(~same | _is_null(b, buffer)):
        b.Return(0)
    with b.If(t.osmesa_context != known.cast(ptr(void))):
        with b.If(b.call(osmesa_switch, t, known) == 0):
            b.Return(0)
    known.buffer = buffer.cast(ptr(u8))
    ctx = known.gl
    ctx.dirty = ctx.dirty | DIRTY_TARGET  # who draws next says so (osmesa_show)
    b.Return(1)


@kernel(u8, (ptr(void), ptr(void), u32, i32, i32))
def OSMesaMakeCurrent(b: Any, osmesa: Any, buffer: Any, type: Any, width: Any, height: Any) -> None:
    """A known context, and a buffer as large as its last one; everything else is Python's."""
    g = FRONT.kernel_globals(b)
    t = b.call(g.thread)
    at = b.var(ptr(ptr(ContextBlock)), g.known)
    with b.While(lambda: ~_is_null(b, at.value.load())):
        known = at.value.load()
        with b.If(known.cast(ptr(void)) == osmesa):
            with b.If(b.call(osmesa_rebind, t, known, buffer, type, width, height) != 0):
                b.Return(1)
            b.Break()
        at.value = at.value + 1
    b.Return(b.call(g.make_current, osmesa, buffer, type, width, height))


_MAX_KNOWN = 16
_KEEP = 16  # lists that are replaced stay allocated for a while: nobody knows who still reads them
_known: list[int] = []
_published: list[Any] = []


def _publish() -> None:
    table = (ctypes.c_uint64 * (_MAX_KNOWN + 1))(*_known)
    _published.append(table)
    FRONT.globals.known = ctypes.addressof(table)
    del _published[:-_KEEP]


def remember(handle: int) -> None:
    """From now on kernels may make this context current."""
    if handle not in _known:
        _known.insert(0, handle)
        del _known[_MAX_KNOWN:]
        _publish()


def forget(handle: int) -> None:
    """A context ends: no kernel makes it current any more."""
    if handle in _known:
        _known.remove(handle)
        _publish()


FRONT.define(
    [OSMesaMakeCurrent],
    {"make_current": "OSMesaMakeCurrent"},
    _publish,
    [osmesa_show, osmesa_copy_depth, osmesa_same, *_ORDERING.values(), *_DEPTH.values()],
)
