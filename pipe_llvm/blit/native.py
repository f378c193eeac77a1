# SPDX-License-Identifier: MIT
"""The structs of blits: the argument of OP_BLIT, and the kernels of a format."""

from __future__ import annotations

from pydri.jit.types import Struct, f32, fn, i32, ptr, u8, u32, u64, void

PIECE = 64  # pixels of a row of a tile, which is what is done at a time
PLANE = 4 * PIECE  # bytes of one of the four numbers of a piece

#: What becomes of a pixel: its bytes are moved; numbers are made of it and packed anew, or filtered
#: before; its samples are averaged as they are packed.
BLIT_MOVE, BLIT_CONVERT, BLIT_FILTER, BLIT_AVERAGE = range(4)


class BlitKernels(Struct):
    """A format's kernels (blit/texels.py); null until they are compiled."""

    # numbers, packed pixels, how many (rounded up to a multiple of 16)
    fetch = fn(void, ptr(u8), ptr(u8), u32)
    put = fn(void, ptr(u8), ptr(u8), u32)


class LpBlit(Struct, align=64):
    """Argument of OP_BLIT. The tables have an entry for each column and row of `box`."""

    box = i32[4]  # [x0, x1) x [y0, y1): pixels of dst that are written
    target = u32  # number of the colour target; MAX_TARGETS: depth and stencil
    size = u32  # bytes a pixel and sample of dst
    how = u32  # BLIT_*
    format = u32  # of BLIT_AVERAGE
    to_samples = u32  # of dst
    one_to_one = u32  # sample n of src goes to sample n of dst
    keep = u64  # bits of a pixel of dst that stay
    # src: rows of pixels, or of stamps
    data = ptr(u8)
    stride = u32
    stamps = u32
    from_size = u32
    samples = u32  # that are read
    adjacent = u32  # columns of dst have neighbouring texels, in the same order
    step = u32  # bytes from a stamp of src to the next; 0: rows
    # of pixels of four bytes whose formats differ in order and padding alone: red and blue change
    # places, and these bits are set
    swap = u32
    ones = u32
    # where the texel of a column lies in a row, in bytes; of BLIT_FILTER its right neighbour, too
    columns = ptr(u32)
    right = ptr(u32)
    weights = ptr(f32)  # of the right neighbours
    # and the rows of texels
    rows = ptr(u32)
    below = ptr(u32)
    row_weights = ptr(f32)
    fetch = fn(void, ptr(u8), ptr(u8), u32)
    put = fn(void, ptr(u8), ptr(u8), u32)
    scale = f32  # 1 / samples
