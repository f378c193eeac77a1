# SPDX-License-Identifier: MIT
"""Images in the program's memory, or in the buffer object that is bound for them (GL 2.1, 3.6.4;
ARB_pixel_buffer_object).

In: a pointer as the program gave it, GL_PACK_* or GL_UNPACK_* state, a size. Out: the addresses of
rows and pixels. A buffer object is checked (mapped, alignment, bounds) and held until
`leave_buffer`, as another thread may give it other storage meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.enums import GL_INVALID_OPERATION
from pydri.jit import i64, ptr, u8, u32
from pydri.main.buffers.storage_kernels import access_begin, read_end
from pydri.main.kernels import record_error
from pydri.main.pixels.blocks import capped_product
from pydri.main.pixels.tables import TYPES
from pydri.pipe.native import MAP_READ, MAP_WRITE
from pydri.pipe.resource_kernels import head_of
from pydri.st.pixels.rows import bytes_a_pixel

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.buffers.layout import BufferObject
    from pydri.main.layout import GLContext

SWAP_BYTES, LSB_FIRST = 6, 7  # places in raw.pack and raw.unpack
BITS = next(n for n, row in enumerate(TYPES) if row.kind == "bits")


class Image:
    """An image of the program's memory: where its rows are (GL 2.1, 3.6.4, figure 3.8).

    `first`: the pixel (0, 0), `offset` bytes from where the image was given, `left` in its row;
    `step`: bytes from a row to the next; bitmaps begin at bit `bit`."""

    def __init__(self, b: Builder, store: Any, pixels: Pointer, width: Value, format: Value,
                 type_: Value) -> None:
        self.width, self.type = width, type_
        self.size = b.cast(bytes_a_pixel(b, format, type_), i64)
        align, length = b.cast(store[0], i64), b.cast(store[1], i64)
        length = b.select(length > 0, length, b.cast(width, i64))
        skip_rows, skip_pixels = b.cast(store[2], i64), b.cast(store[3], i64)
        bits = type_ == BITS
        row = b.select(bits, (length + 7) >> 3, length * self.size)
        self.step = (row + align - 1) & (0 - align)
        self.left = b.select(bits, skip_pixels >> 3, skip_pixels * self.size)
        self.bit = b.select(bits, b.cast(skip_pixels & 7, u32), 0)
        self.offset = capped_product(b, skip_rows, self.step) + self.left
        self.first = b.bytes_from(pixels, self.offset, u8)
        self.swap = b.cast(store[SWAP_BYTES], u32)
        self.lsb = b.cast(store[LSB_FIRST], u32)

    def place(self, b: Builder, row: Value, column: Value) -> tuple[Any, Any]:
        """Address of a pixel, and for bitmaps the bit there; numbers are i64."""
        bits = self.type == BITS
        at = b.cast(column, i64) + b.cast(self.bit, i64)
        along = b.select(bits, at >> 3, b.cast(column, i64) * self.size)
        bit = b.select(bits, b.cast(at & 7, u32), 0)
        return b.bytes_from(self.first, b.cast(row, i64) * self.step + along, u8), bit

    def end(self, b: Builder, height: Any) -> Any:
        """Bytes from where the image was given to the end of its last pixel."""
        rows = b.cast(height, i64) - 1
        bits = (b.cast(self.width, i64) + b.cast(self.bit, i64) + 7) >> 3
        plain = b.cast(self.width, i64) * self.size
        used = b.select(self.type == BITS, bits, plain)
        return self.offset + capped_product(b, rows, self.step) + used


def in_buffer(b: Builder, ctx: GLContext, pack: bool, pixels: Pointer, end: Value, element: Value,
              wrong: Any = None) -> Any:  # fmt: skip
    """The address that `pixels` means: itself, or an offset into the buffer object that is bound
    to be written (`pack`), or to be read.

    `end`: bytes from there to the last one that is accessed; `element`: what the offset is a
    multiple of. Where the buffer forbids that, GL_INVALID_OPERATION is recorded and the kernel
    returns `wrong`. Whoever calls the kernel calls `leave_buffer` then."""
    out = b.var(ptr(u8), pixels)
    buffer = ctx.pixel.pack_buffer if pack else ctx.pixel.unpack_buffer
    with b.If(buffer != b.const(buffer.ty, None), likely=False):
        access_begin(b, ctx, buffer, MAP_WRITE if pack else MAP_READ)
        offset, data = b.cast(b.ptr_to_int(pixels), i64), buffer.data
        size = b.var(i64, 0)
        with b.If(data != b.const(data.ty, None)):
            size.value = b.cast(head_of(data).size, i64)
        beyond = (offset < 0) | (offset > size.value) | (end > size.value - offset)
        odd = (b.cast(offset, u32) & (element - 1)) != 0
        with b.If((buffer.mapped == 1) | beyond | odd):
            record_error(b, ctx, GL_INVALID_OPERATION)
            b.Return(wrong)
        out.value = b.bytes_from(data, offset, u8)
    return out.value


def leave_buffer(b: Builder, ctx: GLContext, buffer: BufferObject) -> None:
    """Behind a call of a kernel that used `in_buffer`."""
    with b.If(buffer != b.const(buffer.ty, None), likely=False):
        read_end(b, ctx)


__all__ = ["BITS", "Image", "LSB_FIRST", "SWAP_BYTES", "in_buffer", "leave_buffer"]
