# SPDX-License-Identifier: MIT
"""What a compiled driver calls for a window: how large it is, "show this", "what is there".

Stage: between the driver and the winsys.  In: the functions of DRI_SWRastLoader, each with the
`LoaderDrawable` that was given to the driver.  Out: requests of the winsys.  What a steady frame
needs is done here: the size, which comes with the reply that also says that the server has read the
last frame, and pictures in memory that the server knows.  Everything else (memory that is new to
us, windows that changed their size, pictures that the driver reads back) goes up to Python, by a
hook of the drawable.

A driver has one back buffer and asks for the size before it draws there again: that is when the
last frame's replies are awaited.  Counterpart of swrastGetDrawableInfo, swrastXPutImage and
swrastGetImage2 in Mesa's src/glx/drisw_glx.c, which ask and wait each time.
"""

import ctypes
from typing import Any

from pydri.jit import Module, Struct, fn, hook, i32, kernel, ptr, u8, u32, void
from pydri.loader import abi
from pydri.util.once import once


class LoaderDrawable(Struct):
    """A drawable as the callbacks know it."""

    surface = ptr(void)  # the winsys' own struct of the window
    target = ptr(void)  # and of the driver's memory that is shown
    # of the winsys; null: there is nothing to ask
    ask = fn(u32, ptr(void), ptr(void))  # (surface, target): await, and ask for the size; 1: new
    present_box = fn(void, ptr(void), ptr(void), u32, u32, u32, u32)  # null: go through Python
    size = ptr(u32)  # width and height as the winsys knows them
    # what `target` describes; a segment's number is that of SysV, -1: none
    segment = i32
    stride = u32
    rows = u32
    changed = hook(void, ptr("LoaderDrawable"))  # the window's size is another one, or it is gone
    # (x, y, width, height, bytes a row or 0, data): memory of the process
    put = hook(void, ptr("LoaderDrawable"), i32, i32, i32, i32, i32, ptr(void))
    get = hook(void, ptr("LoaderDrawable"), i32, i32, i32, i32, i32, ptr(void))
    # (x, y, width, height, bytes a row, segment, its address, offset of the rectangle's first row)
    put_shm = hook(void, ptr("LoaderDrawable"), i32, i32, i32, i32, i32, i32, ptr(void), u32)
    get_shm = hook(u32, ptr("LoaderDrawable"), i32, i32, i32, i32, i32)  # .., segment); 1: done


_DATA = ptr(void)
_BOX = (ptr(void), i32, i32, i32, i32)  # the driver's drawable and a rectangle
_PUT_BOX = (ptr(void), i32, i32, i32, i32, i32)  # with what it is put for


@kernel(void, (ptr(void), ptr(i32), ptr(i32), ptr(i32), ptr(i32), ptr(LoaderDrawable)))
def loader_drawable_info(
    b: Any, drawable: Any, x: Any, y: Any, width: Any, height: Any, d: Any
) -> None:
    """getDrawableInfo: the size now, after the server has read what was shown last."""
    with b.If(b.ptr_to_int(d.ask) != 0):
        with b.If(b.call(d.ask, d.surface, d.target) != 0, likely=False):
            b.call(d.changed, d)
    x[0] = b.const(i32, 0)
    y[0] = b.const(i32, 0)
    width[0] = b.cast(d.size[0], i32)
    height[0] = b.cast(d.size[1], i32)


@kernel(void, (*_PUT_BOX, _DATA, ptr(LoaderDrawable)))
def loader_put_image(
    b: Any, drawable: Any, op: Any, x: Any, y: Any, width: Any, height: Any, data: Any, d: Any
) -> None:
    """putImage: rows one behind the other."""
    b.call(d.put, d, x, y, width, height, 0, data)


@kernel(void, (*_PUT_BOX, i32, _DATA, ptr(LoaderDrawable)))
def loader_put_image2(
    b: Any, drawable: Any, op: Any, x: Any, y: Any, width: Any, height: Any, stride: Any,
    data: Any, d: Any,
) -> None:  # fmt: skip
    """putImage2."""
    b.call(d.put, d, x, y, width, height, stride, data)


@kernel(void, (*_BOX, _DATA, ptr(LoaderDrawable)))
def loader_get_image(
    b: Any, drawable: Any, x: Any, y: Any, width: Any, height: Any, data: Any, d: Any
) -> None:
    """getImage: rows one behind the other."""
    b.call(d.get, d, x, y, width, height, 0, data)


@kernel(void, (*_BOX, i32, _DATA, ptr(LoaderDrawable)))
def loader_get_image2(
    b: Any, drawable: Any, x: Any, y: Any, width: Any, height: Any, stride: Any, data: Any, d: Any
) -> None:
    """getImage2."""
    b.call(d.get, d, x, y, width, height, stride, data)


@kernel(void, (*_PUT_BOX, i32, i32, _DATA, u32, ptr(LoaderDrawable)))
def loader_put_shm(
    b: Any, drawable: Any, op: Any, x: Any, y: Any, width: Any, height: Any, stride: Any,
    segment: Any, data: Any, offset: Any, d: Any,
) -> None:  # fmt: skip
    """putImageShm: the offset is that of the rectangle's first pixel, which nobody but old drivers
    asks for."""
    start = data.cast(ptr(u8)) + offset
    b.call(d.put, d, x, y, width, height, stride, start.cast(ptr(void)))


@kernel(void, (*_PUT_BOX, i32, i32, _DATA, u32, ptr(LoaderDrawable)))
def loader_put_shm2(
    b: Any, drawable: Any, op: Any, x: Any, y: Any, width: Any, height: Any, stride: Any,
    segment: Any, data: Any, offset: Any, d: Any,
) -> None:  # fmt: skip
    """putImageShm2: a rectangle of a picture in shared memory, natively if the picture was shown
    from before."""
    known = (segment == d.segment) & (b.cast(stride, u32) == d.stride)
    known = known & (b.cast(y + height, u32) <= d.rows) & (x >= 0) & (y >= 0)
    known = known & (offset == b.cast(y * stride, u32)) & (b.ptr_to_int(d.present_box) != 0)
    with b.If(~known, likely=False):
        b.call(d.put_shm, d, x, y, width, height, stride, segment, data, offset)
        b.Return()
    left, below = b.cast(d.size[0], i32) - x, b.cast(d.size[1], i32) - y
    with b.If((left <= 0) | (below <= 0)):
        b.Return()
    b.call(
        d.present_box, d.surface, d.target, b.cast(x, u32), b.cast(y, u32),
        b.cast(b.min(width, left), u32), b.cast(b.min(height, below), u32),
    )  # fmt: skip


@kernel(void, (*_BOX, i32, ptr(LoaderDrawable)))
def loader_get_shm(
    b: Any, drawable: Any, x: Any, y: Any, width: Any, height: Any, segment: Any, d: Any
) -> None:
    """getImageShm."""
    b.call(d.get_shm, d, x, y, width, height, segment)


@kernel(u8, (*_BOX, i32, ptr(LoaderDrawable)))
def loader_get_shm2(
    b: Any, drawable: Any, x: Any, y: Any, width: Any, height: Any, segment: Any, d: Any
) -> None:
    """getImageShm2: 0 if the driver has to ask without shared memory."""
    b.Return(b.cast(b.call(d.get_shm, d, x, y, width, height, segment), u8))


#: field of DRI_SWRastLoader -> kernel; those of shared memory last
_PLAIN = {
    "getDrawableInfo": loader_drawable_info,
    "putImage": loader_put_image,
    "getImage": loader_get_image,
    "putImage2": loader_put_image2,
    "getImage2": loader_get_image2,
}
_SHARED = {
    "putImageShm": loader_put_shm,
    "getImageShm": loader_get_shm,
    "putImageShm2": loader_put_shm2,
    "getImageShm2": loader_get_shm2,
}
MODULE = Module("pydri.dri.compiled", [*_PLAIN.values(), *_SHARED.values()])
_keep: list[Any] = []  # drivers hold addresses of it as long as they like


@once
def loader_extensions(shared: bool) -> int:
    """The address of the list of extensions that a driver gets; `shared`: the server takes pictures
    from memory that it shares."""
    kernels = MODULE.compile()
    name = ctypes.create_string_buffer(abi.SWRAST_LOADER.encode())
    loader = abi.SwrastLoader.ctype()()
    loader.name = ctypes.addressof(name)
    loader.version = abi.WITH_SHM if shared else abi.WITHOUT_SHM
    for field, function in {**_PLAIN, **(_SHARED if shared else {})}.items():
        setattr(loader, field, kernels.address(function.name))
    listed = (ctypes.c_uint64 * 2)(ctypes.addressof(loader), 0)
    _keep.extend((name, loader, listed))
    return ctypes.addressof(listed)


__all__ = ["MODULE", "LoaderDrawable", "loader_extensions"]
