# SPDX-License-Identifier: MIT
"""PipeResource: the memory of a buffer, texture, renderbuffer or window-system buffer (Mesa's
pipe_resource).

All levels lie in one allocation, in linear rows, each level at a multiple of 64 bytes:

- A resource that is sampled (BIND_SAMPLED) has around each image a *skirt* of one texel right of
  the last column and below the last row, which `row_stride` and `image_stride` include. So a pair
  of horizontal neighbours, or the row below, may be loaded wherever a texel may. What writes texels
  refreshes the skirt.
- A resource that is drawn to (BIND_RENDER, BIND_DEPTH) has room for whole 64x64 tiles in each
  image, so that no kernel of a rasteriser that writes a tile needs a form that clips. A skirt lies
  in that room, or right of and below it where the image fills its tiles. The room costs small
  levels 16 KiB an image, so textures get it when they are first attached, not before.
- With several samples, and for depth and stencil that are not sampled, pixels lie in 4x4 stamps
  (FLAG_STAMPS; native.py says how), for which `row_stride` is a quarter of a row of stamps.

The memory itself is a `Storage` with references of its own: a scene that is pending refers to the
storage it reads and writes, so a resource that is renamed meanwhile (gets new storage), or deleted,
leaves the old one to the scene.

References are counted by kernels (pydri/pipe/resource_kernels.py), on any thread; the last one
frees."""

from __future__ import annotations

from typing import Any

from pydri.jit.types import Struct, ptr, u8, u32, u64
from pydri.pipe.format import FORMATS
from pydri.util.once import once

MAX_LEVELS = 15  # 16384 pixels
MAX_SIZE = 16384
MAX_BYTES = 1 << 34  # of one resource
SLACK = 64  # bytes behind the last level that vector loads may read

(
    TARGET_BUFFER,
    TARGET_1D,
    TARGET_2D,
    TARGET_3D,
    TARGET_CUBE,
    TARGET_RECT,
    TARGET_1D_ARRAY,
    TARGET_2D_ARRAY,
    TARGET_CUBE_ARRAY,
) = range(9)

#: What a resource may be used for (Mesa's PIPE_BIND_*).
BIND_SAMPLED, BIND_RENDER, BIND_DEPTH, BIND_VERTEX, BIND_INDEX, BIND_CONSTANT = (
    1,
    2,
    4,
    8,
    16,
    32,
)
BIND_DISPLAY = 64  # the memory is the winsys'

FLAG_STAMPS = 1  # pixels lie in 4x4 stamps


class Storage(Struct, align=64):
    """Memory with a count of its users; the data follow at DATA bytes, or lie elsewhere."""

    references = u32
    borrowed = u32  # 1: the data are somebody else's and not freed
    size = u64
    memory = ptr(u8)  # what free() takes


class Level(Struct):
    """One mipmap level."""

    offset = u64  # of pixel (0, 0) of image 0 from Resource.data, bytes
    image_stride = u64  # bytes from one image (3D slice, array layer, cube face) to the next
    row_stride = u32  # bytes from one row (of blocks) to the next
    width = u32
    height = u32
    depth = u32  # images: slices, layers, 6 * cubes


class Resource(Struct, align=64):
    """What kernels know of a resource; its address is stable."""

    references = u32  # atomic; 0 frees
    target = u32  # TARGET_*
    format = u32  # PipeFormat number; 0 for buffers without one
    width = u32  # of level 0, pixels; of buffers bytes
    height = u32
    depth = u32  # slices of 3D textures, else 1
    layers = u32  # of arrays; cubes have 6, arrays of cubes 6 * cubes; else 1
    last_level = u32
    samples = u32  # 1 and more
    bind = u32  # BIND_*: what it may be used for
    flags = u32  # FLAG_*
    serial = u32  # bumped when data changes
    data = ptr(u8)  # 64-byte aligned; changes when the resource is renamed
    size = u64
    # fences of the last scene that reads, that writes it; 0: none since the storage is new
    reads = u64
    writes = u64
    storage = ptr(Storage)
    block_bytes = u32  # bytes of a block of the format (a pixel, where it is not compressed)
    block_width = u32  # pixels of a block; 1 where it is not compressed
    block_height = u32
    level = Level[MAX_LEVELS]


@once
def resource_image() -> Any:
    """The compiled kernels of resources."""
    from pydri.pipe.resource_kernels import module

    return module().compile()


def _call(name: str, *arguments: int) -> int:
    import ctypes

    function = ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * len(arguments))
    return int(function(resource_image().address(name))(*arguments))


class PipeResource:
    """Python's hold on a native Resource: one reference of it."""

    __slots__ = ("__weakref__", "address", "native")

    def __init__(self, address: int) -> None:
        self.address = address
        self.native = Resource.view(address)

    @classmethod
    def create(
        cls,
        target: int,
        format: int,
        width: int,
        height: int = 1,
        depth: int = 1,
        layers: int = 1,
        last_level: int = 0,
        samples: int = 1,
        bind: int = BIND_SAMPLED,
    ) -> PipeResource:
        """A resource with zeroed memory. Cubes have 6 layers; sizes are those of level 0, in
        pixels, of buffers in bytes.

        Raises ValueError for sizes that the target cannot have, MemoryError where there is not so
        much memory.
        """
        described = cls._described(
            target, format, width, height, depth, layers, last_level, samples
        )
        template = described.native
        template.bind = bind
        if samples > 1 or (FORMATS[format].kind == "zs" and not bind & BIND_SAMPLED):
            template.flags = FLAG_STAMPS
        address = _call("resource_create", described.address)
        if not address:
            raise MemoryError(f"a resource of {width}x{height}x{max(depth, layers)} pixels")
        return cls(address)

    @classmethod
    def _described(
        cls,
        target: int,
        format: int,
        width: int,
        height: int,
        depth: int,
        layers: int,
        last_level: int,
        samples: int,
    ) -> PipeResource:
        """A description without memory, checked."""
        import ctypes

        template = Resource.ctype()()
        _check(target, width, height, depth, layers, last_level, samples)
        template.target, template.format = target, format
        template.width, template.height, template.depth = width, height, depth
        template.layers, template.last_level, template.samples = layers, last_level, samples
        template.block_bytes = FORMATS[format].bytes or 1
        template.block_width = template.block_height = 1
        described = cls(ctypes.addressof(template))
        described.native = template  # which holds the memory
        return described

    @classmethod
    def borrow(
        cls, data: int, row_stride: int, format: int, width: int, height: int, rows: int
    ) -> PipeResource:
        """A resource of one 2D image in memory of the winsys (64-byte aligned): `rows` rows of
        `row_stride` bytes, which hold whole tiles.
        """
        described = cls._described(TARGET_2D, format, width, height, 1, 1, 0, 1)
        described.native.bind = BIND_RENDER | BIND_DISPLAY
        address = _call("resource_borrow", described.address, data, row_stride, rows)
        if not address:
            raise MemoryError("a resource")
        return cls(address)

    @property
    def format(self) -> int:
        return int(self.native.format)

    def reference(self) -> PipeResource:
        """A further reference, to be released by itself."""
        _call("resource_reference", self.address)
        return PipeResource(self.address)

    def release(self) -> None:
        """Give this reference back; the last one frees. Only once."""
        address, self.address, self.native = self.address, 0, None
        if address:
            _call("resource_release", address)

    def rename(self) -> None:
        """New zeroed memory of the same layout; who reads or writes the old one keeps it. Raises
        MemoryError, and then nothing has changed.
        """
        if not _call("resource_rename", self.address):
            raise MemoryError(f"{self.native.size} bytes")

    def relayout(self, bind: int) -> None:
        """Allow further uses. Where they need another layout the texels move to new memory;
        nothing that is pending writes the resource. Raises MemoryError, and then nothing has
        changed.
        """
        if not _call("resource_relayout", self.address, bind):
            raise MemoryError(f"{self.native.size} bytes")


_SIZES_USED = {  # which of height, depth and layers a target has
    TARGET_BUFFER: "",
    TARGET_1D: "",
    TARGET_2D: "h",
    TARGET_3D: "hd",
    TARGET_CUBE: "hl",
    TARGET_RECT: "h",
    TARGET_1D_ARRAY: "l",
    TARGET_2D_ARRAY: "hl",
    TARGET_CUBE_ARRAY: "hl",
}


def _check(
    target: int, width: int, height: int, depth: int, layers: int, last_level: int, samples: int
) -> None:
    used = _SIZES_USED[target]
    if not 0 < width <= (0xFFFFFFFF if target == TARGET_BUFFER else MAX_SIZE):
        raise ValueError(f"{width} pixels or bytes")
    for letter, value in zip("hdl", (height, depth, layers)):
        if not 0 < value <= (MAX_SIZE if letter in used else 1):
            raise ValueError(f"{width}x{height}x{depth}, {layers} layers of target {target}")
    if target == TARGET_CUBE and layers != 6 or target == TARGET_CUBE_ARRAY and layers % 6:
        raise ValueError(f"{layers} faces")
    if not 0 <= last_level < min(max(width, height, depth).bit_length(), MAX_LEVELS):
        raise ValueError(f"level {last_level} of {width}x{height}x{depth}")
    if target in (TARGET_BUFFER, TARGET_RECT) and last_level:
        raise ValueError(f"level {last_level} of target {target}")
    if samples not in (1, 2, 4, 8) or (samples > 1 and last_level):
        raise ValueError(f"{samples} samples")
