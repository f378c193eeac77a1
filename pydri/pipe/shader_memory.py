# SPDX-License-Identifier: MIT
"""Memory that shaders of a stage read and write: buffers, counters, images and uniform blocks by
number.

In: what is bound, with Gallium's names (set_shader_buffers, set_hw_atomic_buffers,
set_shader_images, set_constant_buffers).  Out: a native table whose address is
StageBindings.memory. Bounds are those of the range and of the resource; nothing outside of both is
touched.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.jit.types import Struct, ptr, u32, u64
from pydri.pipe.resource import Resource, Storage

if TYPE_CHECKING:
    from pydri.pipe.pipe_resource import PipeResource

MAX_BUFFERS = 16
MAX_COUNTERS = 8  # bindings
MAX_IMAGES = 8
FIRST_BLOCK = 2
MAX_BLOCKS = 15  # uniform blocks behind the first two (const0, const1)
MAX_BLOCK_BYTES = 1 << 16


class BufferRange(Struct):
    """A range of a buffer; null: nothing is bound. What of it lies beyond the buffer, as that is
    when something is drawn, is not there; nor is what has no memory."""

    resource = ptr(Resource)
    offset = u64
    size = u64  # bytes


class ImageRange(Struct):
    """A level of a texture; null: nothing is bound."""

    resource = ptr(Resource)
    level = u32
    first_layer = u32  # slice, layer or face
    layers = u32
    format = u32  # PipeFormat number, of the size of the resource's


class ShaderMemory(Struct, align=64):
    """All of a stage."""

    buffers = BufferRange[MAX_BUFFERS]
    counters = BufferRange[MAX_COUNTERS]
    images = ImageRange[MAX_IMAGES]
    blocks = BufferRange[MAX_BLOCKS]  # uniform blocks: that of number n + 2 at n


def bound_range(row: Any) -> tuple[int, int]:
    """(address, bytes) of what there is of a BufferRange: whole dwords of its buffer, as that is
    now; the address of what is not bound, or has no memory, is 0."""
    data = Resource.view(row.resource).data if row.resource else 0
    if not data:
        return 0, 0
    there = Storage.view(data - Storage.size).size
    return data + row.offset, min(row.size, there - min(row.offset, there)) & ~3


def constant_buffers(address: int | None) -> dict[int, bytes]:
    """The uniform blocks of the table at an address (None, 0: there is none), as they are now."""
    found: dict[int, bytes] = {}
    if not address:
        return found
    table: Any = ShaderMemory.view(address)
    for n in range(MAX_BLOCKS):
        data, size = bound_range(table.blocks[n])
        if data:
            found[n + FIRST_BLOCK] = ctypes.string_at(data, min(size, MAX_BLOCK_BYTES))
    return found


class Range(NamedTuple):
    """A range of a buffer (pipe_shader_buffer); without a size all behind the offset."""

    buffer: PipeResource
    offset: int = 0
    size: int | None = None


class ImageView(NamedTuple):
    """A level of a texture (pipe_image_view); format 0: the resource's own."""

    resource: PipeResource
    level: int = 0
    first_layer: int = 0
    layers: int | None = None
    format: int = 0


class Bindings:
    """What is bound for a stage; it keeps the resources."""

    def __init__(self) -> None:
        self._native: Any = ShaderMemory.ctype()()
        self._kept: dict[tuple[str, int], PipeResource] = {}

    @property
    def address(self) -> int:
        """The address of the table, while this object lives."""
        return ctypes.addressof(self._native)

    def set_shader_buffers(self, start: int, buffers: Sequence[Range | None]) -> None:
        """Bind buffers from a number on."""
        self._buffers("buffers", start, buffers)

    def set_hw_atomic_buffers(self, start: int, buffers: Sequence[Range | None]) -> None:
        """Bind buffers of counters from a binding on."""
        self._buffers("counters", start, buffers)

    def set_constant_buffers(self, start: int, buffers: Sequence[Range | None]) -> None:
        """Bind uniform blocks from a number on, 2 being the first."""
        self._buffers("blocks", start - FIRST_BLOCK, buffers)

    def _buffers(self, kind: str, start: int, buffers: Sequence[Range | None]) -> None:
        for number, given in enumerate(buffers, start):
            place = getattr(self._native, kind)[number]
            place.resource = place.offset = place.size = 0
            self._kept.pop((kind, number), None)
            if given is None:
                continue
            room = max(0, given.buffer.native.width - given.offset)
            self._kept[kind, number] = given.buffer
            place.resource, place.offset = given.buffer.address, given.offset
            place.size = room if given.size is None else min(room, given.size)

    def set_shader_images(self, start: int, images: Sequence[ImageView | None]) -> None:
        """Bind images from a number on."""
        for number, given in enumerate(images, start):
            place = self._native.images[number]
            place.resource = 0
            self._kept.pop(("images", number), None)
            if given is None:
                continue
            native = given.resource.native
            depth = native.level[given.level].depth - given.first_layer
            self._kept["images", number] = given.resource
            place.resource, place.level = given.resource.address, given.level
            place.first_layer = given.first_layer
            place.layers = max(0, depth if given.layers is None else min(depth, given.layers))
            place.format = given.format or native.format


__all__ = [
    "Bindings", "BufferRange", "FIRST_BLOCK", "ImageRange", "ImageView", "MAX_BLOCKS",
    "MAX_BLOCK_BYTES", "MAX_BUFFERS", "MAX_COUNTERS", "MAX_IMAGES", "Range", "ShaderMemory",
    "bound_range", "constant_buffers",
]  # fmt: skip
