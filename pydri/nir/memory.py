# SPDX-License-Identifier: MIT
"""Memory that shaders read and write, as the interpreters see it: buffers, counters, images.

In: arrays of dwords, or what stands for images.  Out: what loads and atomics give; the arrays are
changed.  An access counts in bytes, cut down to a multiple of four.  Outside a load gives 0, a
store vanishes, and an atomic does nothing and gives 0. Lanes come one after the other in their
order, which is one of those that are allowed: invocations have none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

import numpy as np

Arr = np.ndarray[Any, Any]
_ALL: Final = 0xFFFFFFFF


def _signed(x: int) -> int:
    return x - (1 << 32) if x >> 31 else x


def _fadd(old: int, data: int, _: int) -> int:
    with np.errstate(all="ignore"):
        total = np.uint32(old).view(np.float32) + np.uint32(data).view(np.float32)
    return int(np.float32(total).view(np.uint32))


#: atomic -> what is there then, of what was there, the operand and the second one. Of
#: `comp_swap` these are the number that is compared and the new one (nir's order, and TGSI's).
ATOMICS: Final[dict[str, Callable[[int, int, int], int]]] = {
    "add": lambda old, data, _: old + data & _ALL,
    "imin": lambda old, data, _: min(old, data, key=_signed),
    "umin": lambda old, data, _: min(old, data),
    "imax": lambda old, data, _: max(old, data, key=_signed),
    "umax": lambda old, data, _: max(old, data),
    "and": lambda old, data, _: old & data,
    "or": lambda old, data, _: old | data,
    "xor": lambda old, data, _: old ^ data,
    "exchange": lambda _, data, __: data,
    "comp_swap": lambda old, data, new: new if old == data else old,
    "fadd": _fadd,
    "inc_wrap": lambda old, data, _: 0 if old >= data else old + 1,
    "dec_wrap": lambda old, data, _: data if old == 0 or old > data else old - 1,
}


class Block:
    """Dwords: a buffer, or the counters of a binding."""

    def __init__(self, words: Arr) -> None:
        self.words = words

    @property
    def size(self) -> int:
        """Its bytes."""
        return 4 * self.words.size

    def load(self, offset: Arr, count: int) -> Arr:
        """(count, lanes) dwords from the byte offset of each lane on."""
        at = offset.astype(np.int64) // 4 + np.arange(count)[:, None]
        inside = at < self.words.size
        if not self.words.size:
            return np.zeros(at.shape, np.uint32)
        return np.where(inside, self.words[np.where(inside, at, 0)], np.uint32(0))

    def store(self, offset: Arr, value: Arr, wrmask: int, mask: Arr) -> None:
        """Components of the mask, of the lanes of the mask."""
        for n in range(len(value)):
            at = offset.astype(np.int64) // 4 + n
            lanes = np.nonzero(mask & (at < self.words.size))[0]
            if wrmask >> n & 1:
                self.words[at[lanes]] = value[n][lanes]

    def atomic(self, name: str, offset: Arr, data: list[Arr], mask: Arr) -> Arr:
        """What was there before, (1, lanes)."""
        at = offset.astype(np.int64) // 4
        lanes = np.nonzero(mask & (at < self.words.size))[0]
        return in_turn(self.words, at, lanes, name, data)


def in_turn(words: Arr, at: Arr, lanes: Arr, name: str, data: list[Arr]) -> Arr:
    """An atomic of some lanes, one after the other, on dwords of an array; what was there."""
    found = np.zeros((1, len(at)), np.uint32)
    for lane in lanes:
        old = int(words[at[lane]])
        given = [int(part[lane]) for part in data]
        words[at[lane]] = ATOMICS[name](old, given[0], given[-1])
        found[0, lane] = old
    return found


class Image(Protocol):
    """What stands for an image: texels by x, y and slice, layer or face, (3, lanes)."""

    #: width, height, slices, layers or faces
    sizes: tuple[int, int, int]

    def load(self, place: Arr) -> Arr:
        """Bits of four components; outside 0."""

    def store(self, place: Arr, value: Arr, mask: Arr) -> None:
        """Write texels."""

    def atomic(self, name: str, place: Arr, data: list[Arr], mask: Arr) -> Arr:
        """On texels of one component of 32 bits."""


class Texels:
    """An image as dwords, four a texel: (slices, rows, columns, 4), nothing converted."""

    def __init__(self, words: Arr) -> None:
        self.words = words
        self.sizes = (words.shape[2], words.shape[1], words.shape[0])

    def inside(self, place: Arr) -> Arr:
        """Which lanes name a texel."""
        x, y, z = place.astype(np.int64)
        width, height, depth = self.sizes
        good = (x >= 0) & (x < width) & (y >= 0) & (y < height) & (z >= 0) & (z < depth)
        return np.asarray(good)

    def load(self, place: Arr) -> Arr:
        inside = self.inside(place)
        if not self.words.size:
            return np.zeros((4, place.shape[1]), np.uint32)
        x, y, z = np.where(inside, place, 0)
        return np.where(inside, self.words[z, y, x].T, np.uint32(0))

    def store(self, place: Arr, value: Arr, mask: Arr) -> None:
        lanes = np.nonzero(mask & self.inside(place))[0]
        x, y, z = place[:, lanes]
        self.words[z, y, x] = value[:, lanes].T

    def atomic(self, name: str, place: Arr, data: list[Arr], mask: Arr) -> Arr:
        lanes = np.nonzero(mask & self.inside(place))[0]
        x, y, z = place.astype(np.int64)
        at = 4 * ((z * self.sizes[1] + y) * self.sizes[0] + x)
        return in_turn(self.words.reshape(-1), at, lanes, name, data)


class Memory:
    """All that a shader has; what is not bound is empty."""

    def __init__(
        self, buffers: Mapping[int, Block] | None = None,
        counters: Mapping[int, Block] | None = None, images: Mapping[int, Image] | None = None,
    ) -> None:  # fmt: skip
        self.buffers = dict(buffers or {})
        self.counters = dict(counters or {})
        self.images: dict[int, Image] = dict(images or {})

    def block(self, space: str, number: int) -> Block:
        """A buffer ("ssbo") or the counters of a binding ("counter")."""
        known = self.buffers if space == "ssbo" else self.counters
        return known.get(number) or Block(np.zeros(0, np.uint32))

    def image(self, number: int) -> Image:
        """An image."""
        return self.images.get(number) or Texels(np.zeros((0, 0, 0, 4), np.uint32))


def image_place(coord: Arr, dim: str, array: bool) -> Arr:
    """x, y and slice, layer or face, signed, of an image's coordinates."""
    place = np.zeros((3, coord.shape[1]), np.int64)
    given = np.ascontiguousarray(coord).view(np.int32)
    at = [0, 2] if dim == "1D" and array else [0, 1, 2]
    for n, row in zip(at, given):
        place[n] = row
    return place


def image_sizes(image: Image, dim: str, array: bool) -> list[int]:
    """What image_size gives: as many as there are coordinates, of cubes without faces."""
    width, height, depth = image.sizes
    known = {"1D": [width], "Buf": [width], "3D": [width, height, depth]}
    sizes = known.get(dim, [width, height])
    return [*sizes, depth // 6 if dim == "Cube" else depth] if array else sizes


__all__ = ["ATOMICS", "Block", "Image", "Memory", "Texels", "image_place", "image_sizes", "in_turn"]
