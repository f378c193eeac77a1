# SPDX-License-Identifier: MIT
"""Buffers, counters and images of a draw, as nir's interpreter has them.

In: the address of a ShaderMemory (pydri/pipe/shader_memory.py).  Out: a `Memory` whose blocks and
images are the resources' own bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pipe_soft.arrays import Arr
from pydri.nir.memory import Block, Image, Memory, in_turn
from pydri.pipe.format import FORMATS
from pydri.pipe.format_numpy import number_dtype, pack, unpack
from pydri.pipe.memory_numpy import memory
from pydri.pipe.resource import Resource
from pydri.pipe.shader_memory import (
    MAX_BUFFERS,
    MAX_COUNTERS,
    MAX_IMAGES,
    ShaderMemory,
    bound_range,
)


class SoftImage:
    """A level of a resource."""

    def __init__(self, row: Any) -> None:
        resource: Any = Resource.view(row.resource)
        level = resource.level[row.level]
        self.format = FORMATS[row.format]
        self.sizes = (level.width, level.height, row.layers)
        self.data = resource.data + level.offset + row.first_layer * level.image_stride
        self.steps = (self.format.bytes, level.row_stride, level.image_stride)

    def _places(self, place: Arr, mask: Arr) -> tuple[Arr, Arr, Arr]:
        """All bytes of the image, the lanes that name a texel, and the first byte of each."""
        inside = mask.copy()
        for row, size in zip(place, self.sizes):
            inside &= (row >= 0) & (row < size)
        lanes = np.nonzero(inside)[0]
        at = sum(row[lanes] * step for row, step in zip(place, self.steps))
        last = sum((size - 1) * step for size, step in zip(self.sizes, self.steps))
        room = last + self.format.bytes if min(self.sizes) > 0 else 0
        return memory(self.data, room, np.uint8), lanes, np.asarray(at)

    def load(self, place: Arr) -> Arr:
        data, lanes, at = self._places(place, np.ones(place.shape[1], np.bool_))
        out = np.zeros((4, place.shape[1]), np.uint32)
        if len(lanes):
            texels = data[at[:, None] + np.arange(self.format.bytes)]
            numbers = unpack(self.format, np.ascontiguousarray(texels))
            out[:, lanes] = np.ascontiguousarray(numbers).view(np.uint32).T
        return out

    def store(self, place: Arr, value: Arr, mask: Arr) -> None:
        data, lanes, at = self._places(place, mask)
        if not len(lanes):
            return
        rgba = np.ascontiguousarray(value[:, lanes]).view(number_dtype(self.format)).T
        texels = np.asarray(pack(self.format, np.ascontiguousarray(rgba)))
        data[at[:, None] + np.arange(self.format.bytes)] = texels.reshape(len(lanes), -1)

    def atomic(self, name: str, place: Arr, data: list[Arr], mask: Arr) -> Arr:
        bytes_, lanes, at = self._places(place, mask)
        every = np.zeros(place.shape[1], np.int64)
        every[lanes] = at // 4
        return in_turn(bytes_[: len(bytes_) & ~3].view(np.uint32), every, lanes, name, data)


def _block(row: Any) -> Block | None:
    data, size = bound_range(row)
    return Block(memory(data, size, np.uint32)) if data else None


def memory_of(address: int | None) -> Memory:
    """What is bound."""
    found = Memory()
    if not address:
        return found
    table: Any = ShaderMemory.view(address)
    for known, rows, count in ((found.buffers, table.buffers, MAX_BUFFERS),
                               (found.counters, table.counters, MAX_COUNTERS)):  # fmt: skip
        for number in range(count):
            block = _block(rows[number])
            if block is not None:
                known[number] = block
    images: dict[int, Image] = {
        n: SoftImage(table.images[n]) for n in range(MAX_IMAGES) if table.images[n].resource
    }
    found.images = images
    return found
