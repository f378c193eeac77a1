# SPDX-License-Identifier: MIT
"""Pixels in the program's memory or in a pixel buffer object, for Python (ARB_pixel_buffer_object).

In: a pointer as the program gave it, and how many bytes behind it are read or written. Out: an
address, or GL_INVALID_OPERATION. The kernels' form is st/pixels/memory.py.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pydri.api.enums as gl
from pydri.api.dispatch import CONTEXTS, GLError
from pydri.main.buffers.layout import BufferObject
from pydri.main.pointers import address_of
from pydri.pipe.native import MAP_WRITE


def pixel_memory(n: Any, target: str, pointer: Any, end: int, element: int = 1) -> int:
    """The address that a pointer means: itself, or an offset into the buffer that is bound to
    `target` ("pack_buffer", "unpack_buffer") of a native context; `end` bytes from there are used.
    """
    address = address_of(pointer)
    bound = getattr(n.pixel, target)
    if not bound:
        return address
    buffer = BufferObject.view(bound)
    if buffer.mapped == 1:
        raise GLError(gl.GL_INVALID_OPERATION, f"{target}: the buffer is mapped")
    if address % element or address + end > buffer.size:
        raise GLError(gl.GL_INVALID_OPERATION, f"{target}: offset {address}, size {buffer.size}")
    if buffer.resource:  # scenes may use it
        context: Any = CONTEXTS[ctypes.addressof(n)]
        context.kernel("buffer_access")(context.address, bound, MAP_WRITE)
    return int(buffer.data or 0) + address


__all__ = ["pixel_memory"]
