# SPDX-License-Identifier: MIT
"""The native table of the kernels of formats (st/textures/load.py fills it), and how their numbers
lie."""

from pydri.jit.types import Struct, fn, ptr, u8, u32, void
from pydri.pipe.resource import Resource

CHUNK = 256  # texels of a piece
VALUES = CHUNK * 16  # bytes of a piece's numbers
DEPTHS, STENCILS = 0, CHUNK * 8  # bytes: where they lie in a piece of depth and stencil
DEPTH_PART, STENCIL_PART = 1, 2


class TexelKernels(Struct):
    """A format's kernels; null until they are compiled."""

    # numbers, texels, how many, DEPTH_PART | STENCIL_PART
    read = fn(void, ptr(u8), ptr(u8), u32, u32)
    write = fn(void, ptr(u8), ptr(u8), u32, u32)
    mipmap = fn(void, ptr(Resource), u32)  # resource, level that is made
    bytes = u32  # a texel
    pad = u32
    # codes of how images of the program's memory become texels, and texels images, without numbers,
    # by what the state tracker counts (pydri/st/textures/direct.py)
    uploads = ptr(u32)
    downloads = ptr(u32)


class Box(Struct):
    """A box of texels of a level: z counts images (slices, layers, faces), as do the rows of 1D
    arrays in `y` (GL's way)."""

    x = u32
    y = u32
    z = u32
    width = u32
    height = u32
    depth = u32
