# SPDX-License-Identifier: MIT
"""Random textures in memory between two guard pages, and lookups in them: by the driver's functions
and by pipe_soft/sample.py."""

from __future__ import annotations

import ctypes
import mmap
from functools import cache
from typing import Any

import numpy as np

from pipe_llvm.sample.functions import sampler_kernel
from pipe_soft import sample as soft
from pydri.jit import Module
from pydri.jit.image import function_address
from pydri.pipe import format_numpy
from pydri.pipe.format import BY_NAME
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.sampler import (
    TEXEL_CLASSES,
    TEXEL_OF_FORMAT,
    WAY_FILTER,
    WAY_KEYS,
    SampleCoords,
    SamplerParams,
    SamplerState,
    SamplerTable,
    SamplerView,
    TextureView,
    ViewParams,
    unpack_key,
)
from pydri.pipe.sampler_kernels import EXPORTS, _format_row
from tests.unit.alone import compiled_alone

F = np.float32
PAGE = 4096
_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mprotect.argtypes = (ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int)


def guarded(size: int) -> tuple[int, Any]:
    """Memory of `size` bytes (a multiple of 64) that ends at a page which nobody may touch, behind
    another such page: its address, and what keeps it."""
    pages = -(-size // PAGE)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (0, pages + 1):
        assert _LIBC.mprotect(base + page * PAGE, PAGE, 0) == 0
    return base + (pages + 1) * PAGE - size, memory


@cache
def view_kernel() -> Any:
    """pipe_texture_view."""
    image = Module("test_view", list(EXPORTS)).compile()
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)
    return function(image.address("pipe_texture_view"))


@cache
def sampler(packed: int, width: int) -> tuple[int, Any]:
    """The function of a packed key at a vector width, and what keeps it."""
    image = compiled_alone("test_sample", [sampler_kernel(unpack_key(packed))], width)
    return image.address("sample"), image


class Texture:
    """Random texels of a format in all levels, skirts as they have to be."""

    def __init__(
        self,
        rng: np.random.Generator,
        format: str,
        target: int,
        width: int,
        height: int = 1,
        depth: int = 1,
        layers: int = 1,
        last_level: int = 0,
    ) -> None:
        fmt = self.fmt = BY_NAME[format]
        self.target = target
        self.resource = PipeResource.create(
            target, fmt.number, width, height, depth, layers, last_level
        )
        native = self.resource.native
        size = int(native.size)
        self.address, self._memory = guarded(size)
        block = np.frombuffer((ctypes.c_ubyte * size).from_address(self.address), np.uint8)
        self.levels = []
        for n in range(last_level + 1):
            level = native.level[n]
            images = np.lib.stride_tricks.as_strided(
                block[level.offset :],
                (level.depth, level.height + 1, (level.width + 1) * fmt.bytes),
                (level.image_stride, level.row_stride, 1),
            )
            images[...] = self._random(rng, images.shape)
            images[:, :-1, -fmt.bytes :] = images[:, :-1, : fmt.bytes]
            images[:, -1] = images[:, 0]
            raw = images[:, :-1, : -fmt.bytes]
            self.levels.append(self._decoded(np.ascontiguousarray(raw), level.width))

    def _random(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Bytes of texels: half of them extremes; floats without infinities."""
        kinds = {kind for kind, _ in self.fmt.channels}
        if kinds & {"f"}:
            dtype = np.float16 if self.fmt.channels[0][1] == 16 else np.float32
            count = int(np.prod(shape)) // np.dtype(dtype).itemsize
            values = rng.uniform(-2, 3, count) * rng.integers(0, 2, count)
            if self.fmt.kind == "zs":
                values = rng.random(count)
            return values.astype(dtype).view(np.uint8).reshape(shape)
        found = rng.integers(0, 256, shape, np.uint8)
        return np.where(rng.random(shape) < 0.3, rng.integers(0, 2, shape, np.uint8) * 255, found)

    def _decoded(self, raw: np.ndarray, width: int) -> np.ndarray:
        """(images, rows, columns, channels): bytes, or floats."""
        fmt = self.fmt
        kind = TEXEL_CLASSES[TEXEL_OF_FORMAT[fmt.number]]
        images, rows, _ = raw.shape
        raw = raw.reshape(images, rows, width, fmt.bytes)
        if kind.filtered_as_integers:
            return raw
        bits = format_numpy.channels(fmt, raw.reshape(-1, fmt.bytes))
        out = []
        for (channel, size), raw_bits in zip(kind.channels, bits):
            value = raw_bits if channel == "x" else format_numpy._number(raw_bits, channel, size)
            if len(out) < kind.encoded:
                value = format_numpy.srgb_to_linear(value.astype(np.float64))
            out.append(value.astype(F).reshape(raw.shape[:3]))
        return np.stack(out, -1)

    def soft(self, view: SamplerView, state: SamplerState) -> soft.Texture:
        """The part of it that a view shows, for the judge."""
        row = _format_row(self.fmt.number)
        channel = [(row.swizzle >> 4 * n) & 15 for n in range(4)]
        swizzle = [n if n > 3 else channel[n] for n in view.swizzle]
        border = [0.0] * 4
        for n in range(3, -1, -1):
            if channel[n] < 4:
                color = state.border[n]
                kind = self.fmt.channels[channel[n]][0]
                low = {"un": 0.0, "sn": -1.0}.get(kind, -1e30)
                border[channel[n]] = min(max(color, low), 1.0 if kind in ("un", "sn") else 1e30)
        levels = self.levels[view.first_level : view.last_level + 1]
        if view.target != 3:
            levels = [x[view.first_layer : view.last_layer + 1] for x in levels]
        fixed = not any(kind == "f" for kind, _ in self.fmt.channels)
        return soft.Texture(view.target, levels, swizzle, border, fixed)


class View:
    """A TextureView of a texture, at a vector width."""

    def __init__(self, tex: Texture, view: SamplerView, state: SamplerState, width: int) -> None:
        self.tex, self.view, self.state = tex, view, state
        self._keep: list[Any] = [tex]
        self.address, self.native = self._struct(TextureView)
        params, _ = self._struct(ViewParams)
        sampler_params, _ = self._struct(SamplerParams)
        table, native_table = self._struct(SamplerTable)
        hook = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint32)(
            lambda _table, key: sampler(key, width)[0]
        )
        native_table.hook = function_address(hook)
        self._keep.append(hook)  # draws ask for further functions (pipe_view_ways)
        view.store(params)
        state.store(sampler_params)
        view_kernel()(self.address, params, sampler_params, table)
        self.native.data = tex.address
        self.key = unpack_key(self.native.key)
        self._width = width

    def _struct(self, kind: Any) -> tuple[int, Any]:
        memory = np.zeros(kind.size + 64, np.uint8)
        self._keep.append(memory)
        address = -(-memory.ctypes.data // 64) * 64
        return address, kind.view(address)

    def function(self, way: int) -> int:
        """The address of a function of the view."""
        if way == WAY_FILTER:
            return int(self.native.sample)
        row = WAY_KEYS[way]
        return sampler(self.native.key & row.kept | row.added, self._width)[0]

    def sample(self, coords: soft.Coords, how: int = 0, way: int = WAY_FILTER) -> np.ndarray:
        """(stamps, 16, 4)."""
        stamps = coords.s.shape[0]
        place, native = self._struct(SampleCoords)
        for name in ("s", "t", "r", "layer", "compare", "lod"):
            value = getattr(coords, name)
            if value is not None:
                # bits of whole numbers stay what they are
                np.ctypeslib.as_array(getattr(native, name))[: stamps * 16] = value.reshape(-1)
        for name in ("ddx", "ddy"):
            for n, value in enumerate(getattr(coords, name)):
                getattr(native, name)[256 * n : 256 * n + stamps * 16] = list(value.reshape(-1))
        memory = np.full(16 * 64 + 16, np.nan, F)
        start = (-memory.ctypes.data % 64) // 4
        out = memory[start : start + 16 * 64]
        types = (ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p)
        function = ctypes.CFUNCTYPE(None, *types, ctypes.c_uint32)(self.function(way))
        function(self.address, stamps, place, out.ctypes.data, how)
        return out[: stamps * 64].reshape(stamps, 4, 16).transpose(0, 2, 1).copy()

    def judged(self, coords: soft.Coords, how: int = 0) -> np.ndarray:
        """The same by numpy."""
        return soft.sample(self.tex.soft(self.view, self.state), self.state, coords, how)


def planes(
    rng: np.random.Generator, stamps: int, scale: float, size: tuple[int, ...]
) -> list[np.ndarray]:
    """Coordinates that vary linearly over stamps of 4x4 pixels: about `scale` texels a pixel, in a
    random direction."""
    out = []
    x = np.arange(16) % 4 + 4 * np.arange(stamps)[:, None]
    y = np.arange(16) // 4 + np.zeros((stamps, 1))
    for n in size:
        step = rng.normal(size=2) * scale / n
        out.append((rng.uniform(-1.5, 2.5) + step[0] * x + step[1] * y).astype(F))
    return out
