# SPDX-License-Identifier: MIT
"""PipeResource: Python's half of a resource (the native structs and layouts: resource.py; what is
done to them: resource_kernels.py)."""

from __future__ import annotations

from typing import Any

from pydri.pipe.format import FORMATS
from pydri.pipe.resource import (
    BIND_SAMPLED,
    FLAG_STAMPS,
    MAX_LEVELS,
    MAX_SIZE,
    TARGET_1D,
    TARGET_1D_ARRAY,
    TARGET_2D,
    TARGET_2D_ARRAY,
    TARGET_2D_MS,
    TARGET_2D_MS_ARRAY,
    TARGET_3D,
    TARGET_BUFFER,
    TARGET_CUBE,
    TARGET_CUBE_ARRAY,
    TARGET_RECT,
    Resource,
)
from pydri.util.once import once


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
        row = FORMATS[format]
        template.block_bytes = row.bytes or 1
        template.block_width, template.block_height = row.width, row.height
        described = cls(ctypes.addressof(template))
        described.native = template  # which holds the memory
        return described

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

    def widened(self, bind: int) -> PipeResource:
        """A copy that may be used as `bind`, too, which may need another layout; nothing that is
        pending writes the resource. Raises MemoryError.
        """
        address = _call("resource_widened", self.address, bind)
        if not address:
            raise MemoryError(f"{self.native.size} bytes")
        return PipeResource(address)


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
    TARGET_2D_MS: "h",
    TARGET_2D_MS_ARRAY: "hl",
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
