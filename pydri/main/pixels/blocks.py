# SPDX-License-Identifier: MIT
"""Where blocks of compressed images lie in the program's memory (GL 4.6, 8.5 and 8.7;
ARB_compressed_texture_pixel_storage).

In: store parameters, how many blocks a row, rows and images of them a box has. Out: where the first
block is, and the steps from row to row and image to image. The usual store parameters count only
where those of blocks are set: the size of one for all of them, its width for those along rows, its
height and its depth for the others.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.jit import f64, i64, u32

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Value

WIDTH, HEIGHT, DEPTH, SIZE = range(4)  # places in raw.pack_blocks and raw.unpack_blocks


class ClientBlocks(NamedTuple):
    """Bytes (i64): to the first block, from row to row, from image to image, to the end of the
    last block."""

    skip: Any
    row: Any
    image: Any
    end: Any


def capped_product(b: Builder, x: Value, y: Value) -> Any:
    """x * y (i64, not negative), at most 2^60: store parameters up to 2^31 - 1 are multiplied with
    each other, and what would wrap around must lie beyond all memory. A few of them can be added.
    """
    fits = b.cast(x, f64) * b.cast(y, f64) < 2.0**60
    return b.select(fits, x * y, b.const(i64, 1 << 60))


def misplaced(b: Any, store: Any, blocks: Any, dims: Operand) -> Any:
    """Whether parameters that skip do not skip whole blocks, which is GL_INVALID_OPERATION."""
    wrong = b.const(u32, 0) != 0
    for n, (place, size) in enumerate(((3, WIDTH), (2, HEIGHT), (5, DEPTH))):
        whole = b.max(blocks[size], 1)
        cut = (blocks[size] != 0) & (store[place] % whole != 0)
        wrong = wrong | (cut & (dims > n))
    return wrong & (blocks[SIZE] != 0)


def client_blocks(b: Any, store: Any, blocks: Any, dims: Operand, box: tuple[Any, Any, Any]
                  ) -> ClientBlocks:  # fmt: skip
    """`box`: bytes of a row of blocks, rows of blocks, images (u64)."""
    wide, tall, deep, size = (b.cast(blocks[n], i64) for n in range(4))
    used, rows, images = (b.cast(n, i64) for n in box)
    length, skip_rows, skip_pixels, height, skip_images = (
        b.cast(store[n], i64) for n in range(1, 6)
    )
    one, none = b.const(i64, 1), b.const(i64, 0)
    along = (size != 0) & (wide != 0)
    wide = b.max(wide, one)
    row = b.select(along & (length > 0), capped_product(b, (length + wide - 1) // wide, size), used)
    skip = b.select(along, capped_product(b, skip_pixels // wide, size), none)
    down = (size != 0) & (tall != 0) & (dims > 1)
    tall = b.max(tall, one)
    skip = skip + b.select(down, capped_product(b, skip_rows // tall, row), none)
    held = b.select(down & (height > 0), (height + tall - 1) // tall, rows)
    back = (size != 0) & (deep != 0) & (dims > 2)
    image = capped_product(b, row, held)
    behind = capped_product(b, skip_images // b.max(deep, one), image)
    skip = skip + b.select(back, behind, none)
    last = capped_product(b, images - 1, image) + capped_product(b, rows - 1, row)
    return ClientBlocks(skip, row, image, skip + last + used)


class _Numbers:
    """A builder whose values are Python's numbers: what the above says of them."""

    @staticmethod
    def const(_: Any, value: int) -> int:
        return value

    @staticmethod
    def cast(value: int, _: Any) -> int:
        return value

    @staticmethod
    def max(x: int, y: int) -> int:
        return x if x > y else y

    @staticmethod
    def select(condition: bool, x: int, y: int) -> int:
        return x if condition else y


def is_misplaced(store: Sequence[int], blocks: Sequence[int], dims: int) -> bool:
    """`misplaced` in Python."""
    return bool(misplaced(_Numbers, store, blocks, dims))


def gathered(
    address: int, box: tuple[int, int, int], dims: int, store: Sequence[int],
    sizes: Sequence[int], memory: Callable[[int, int, int], int],
) -> bytes | None:  # fmt: skip
    """Blocks of the program's memory without gaps. `box` as in client_blocks, nothing of it zero;
    `memory(address, end, element)`: what the address means (0: nothing)."""
    place = client_blocks(_Numbers, store, sizes, dims, box)
    address = memory(address, place.end, 1)
    if not address:
        return None
    used, rows, images = box
    first = address + place.skip
    return b"".join(
        ctypes.string_at(first + z * place.image + y * place.row, used)
        for z in range(images) for y in range(rows)
    )  # fmt: skip


__all__ = [
    "ClientBlocks", "capped_product", "client_blocks", "gathered", "is_misplaced", "misplaced",
]  # fmt: skip
