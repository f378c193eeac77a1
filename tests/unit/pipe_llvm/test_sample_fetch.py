# SPDX-License-Identifier: MIT
"""Texels by their places (txf, and txf_ms of textures with several samples, of all formats): the
driver's functions at all vector widths and pipe_soft against an array that is laid out here.
Places, levels and samples beyond the texture give 0; behind and before it lie pages that nobody may
touch."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import numpy as np
import pytest

from pipe_soft import sample as soft
from pipe_soft import textures
from pydri.pipe import resource as r
from pydri.pipe import sampler as s
from pydri.pipe.format import BY_NAME, DEPTH, FORMATS, TARGET
from pydri.pipe.pipe_resource import PipeResource
from tests.unit.jit.harness import BEST, EACH_WIDTH
from tests.unit.pipe_llvm.sample_rig import F, Texture, View, guarded

NAMES = tuple(
    f.name for f in FORMATS if f.uses & (TARGET | DEPTH) and s.is_sampleable(f.number)
)
COMMON = ("R8G8B8A8_UNORM", "Z24_UNORM_S8_UINT", "R32G32B32A32_UINT", "R8_SNORM", "Z16_UNORM",
          "R16G16B16A16_FLOAT", "R11G11B10_FLOAT", "R8G8B8A8_SRGB")  # fmt: skip


class Samples:
    """Random texels with four samples, in stamps; `values`: (samples, layers, rows, columns,
    channels) as they decode."""

    def __init__(self, name: str, width: int, height: int, layers: int) -> None:
        rng = np.random.default_rng(width)
        fmt = self.fmt = BY_NAME[name]
        self.target = r.TARGET_2D_MS_ARRAY if layers > 1 else r.TARGET_2D_MS
        bind = r.BIND_SAMPLED | (r.BIND_DEPTH if fmt.kind == "zs" else r.BIND_RENDER)
        self.resource = PipeResource.create(
            self.target, fmt.number, width, height, layers=layers, samples=4, bind=bind
        )
        native = self.resource.native
        self.address, self._memory = guarded(int(native.size))
        block = np.ctypeslib.as_array(
            (ctypes.c_ubyte * int(native.size)).from_address(self.address)
        )
        level = native.level[0]
        raw = rng.integers(0, 256, (4, layers, height, width, fmt.bytes), np.uint8)
        for n, z, y, x in np.ndindex(*raw.shape[:4]):
            at = z * level.image_stride + (y >> 2) * 4 * level.row_stride
            at += ((x >> 2) * 4 + n) * 16 * fmt.bytes + ((y & 3) * 4 + (x & 3)) * fmt.bytes
            block[at : at + fmt.bytes] = raw[n, z, y, x]
        kind = s.TEXEL_CLASSES[s.TEXEL_OF_FORMAT[fmt.number]]
        values = textures.decoded(kind, raw.reshape(-1, fmt.bytes))
        if values.dtype == np.uint8:
            values = values.astype(F) / F(255)
        self.values = values.reshape(*raw.shape[:4], -1)


def fetched(texture: Samples, places: list[Any], samples: Any, swizzle: list[int]) -> Any:
    """What there is to find, (stamps, 16, 4)."""
    count, layers, height, width, _ = texture.values.shape
    x, y = places[:2]
    z = places[2] if layers > 1 else np.zeros_like(x)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height) & (z >= 0) & (z < layers)
    inside = inside & (samples >= 0) & (samples < count)
    n, z, y, x = (np.where(inside, part, 0) for part in (samples, z, y, x))
    channels = np.where(inside[..., None], texture.values[n, z, y, x], F(0))
    whole = s.TEXEL_CLASSES[s.TEXEL_OF_FORMAT[texture.fmt.number]].pure_integer
    one = np.array([1], np.uint32).view(F)[0] if whole else F(1)
    parts = {4: np.zeros_like(channels[..., 0]), 5: np.full_like(channels[..., 0], one)}
    return np.stack([parts[c] if c > 3 else channels[..., c] for c in swizzle], -1)


def places_of(rng: np.random.Generator, size: tuple[int, ...], stamps: int) -> list[Any]:
    """Whole numbers, most of them of texels that there are."""
    out = []
    for most in size:
        near = rng.integers(-2, most + 2, (stamps, 16), np.int32)
        far = rng.integers(-(2**31), 2**31 - 1, (stamps, 16), np.int64).astype(np.int32)
        out.append(np.where(rng.random((stamps, 16)) < 0.05, far, near))
    return out


def same(texture: Samples, found: Any, wanted: Any) -> None:
    """Bit by bit, but where sRGB is decoded (to 0.004 of an encoded step, which is at most 2.3 of a
    linear one: pydri/pipe/srgb.py); what is no number is one whatever its bits."""
    equal = found.view(np.uint32) == wanted.view(np.uint32)
    if not texture.fmt.integer:
        equal = equal | (np.isnan(found) & np.isnan(wanted))
    if texture.fmt.srgb:
        equal = equal | (np.abs(found - wanted) <= 0.004 * 2.3 / 255)
    assert equal.all(), (texture.fmt.name, np.argwhere(~equal)[:3])


def check(name: str, width: int, size: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(len(name))
    texture = Samples(name, *size)
    shape = s.SamplerView(texture.resource.address, texture.fmt.number, texture.target,
                          last_layer=size[2] - 1)  # fmt: skip
    view = View(texture, shape, s.SamplerState(), width)  # type: ignore[arg-type]
    assert view.native.samples == 4 and view.key.target == texture.target
    judge = textures.texture_of(view.native, view.key)
    parts = 3 if size[2] > 1 else 2
    for stamps in (1, 16):
        *places, samples = places_of(rng, (*size[:parts], 4), stamps)
        coords = soft.Coords(*(part.view(F) for part in places), lod=samples.view(F))
        found = view.sample(coords, 0, s.WAY_FETCH)
        wanted = fetched(texture, places, samples, list(judge.swizzle))
        same(texture, found, wanted)
        if not texture.fmt.integer and texture.fmt.kind != "zs":  # (numbers' one: textures.py)
            same(texture, soft.fetch(judge, places, samples), wanted)


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("name", COMMON)
def test_samples(name: str, width: int) -> None:
    check(name, width, (7, 5, 1))
    check(name, width, (66, 64, 3))


@pytest.mark.parametrize("name", NAMES)
def test_formats(name: str) -> None:
    """Every format that can be drawn to, at one width."""
    check(name, BEST, (9, 6, 2))


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize(
    "name", ("R8_UINT", "R16_UINT", "R8G8B8A8_UINT", "R32G32_UINT", "R32G32B32A32_UINT")
)
def test_levels(name: str, width: int) -> None:
    """Stamps whose rows are rows of texels, and others; of one level, of a level each, and of one
    whose lanes ask for several."""
    rng = np.random.default_rng(6)
    tex = Texture(rng, name, r.TARGET_2D, 24, 13, last_level=3)
    shape = s.SamplerView(tex.resource.address, tex.fmt.number, tex.target, last_level=3)
    view = View(tex, shape, s.SamplerState(), width)
    swizzle = textures.texture_of(view.native, view.key).swizzle
    memory = (ctypes.c_ubyte * int(tex.resource.native.size)).from_address(tex.address)
    kind = {8: np.uint8, 16: np.uint16, 32: np.uint32}[tex.fmt.channels[0][1]]

    def texel(lod: int, column: int, row: int) -> Any:
        level = tex.resource.native.level[lod if 0 <= lod <= 3 else 0]
        if not (0 <= lod <= 3 and 0 <= row < level.height and 0 <= column < level.width):
            return [0] * 4
        at = level.offset + row * level.row_stride + column * tex.fmt.bytes
        return np.frombuffer(memory, kind, tex.fmt.bytes // kind().itemsize, at)

    y, x = np.divmod(np.arange(16, dtype=np.int32), 4)
    for stamps, ordered, levels in itertools.product((1, 7, 16), (True, False), (0, 1, 2)):
        at = rng.integers(0, 3, (2, stamps, 1), np.int32) * 4
        places = [x + at[0], y + at[1]] if ordered else places_of(rng, (24, 13), stamps)
        some = rng.integers(-1, 6, (stamps, 1 if levels == 1 else 16), np.int32)
        lods = np.broadcast_to(some if levels else 0, (stamps, 16)).astype(np.int32)
        coords = soft.Coords(*(part.view(F) for part in places), lod=lods.view(F))
        found = view.sample(coords, 0, s.WAY_FETCH).view(np.uint32)
        wanted = np.zeros((stamps, 16, 4), np.uint32)
        for m, n in np.ndindex(stamps, 16):
            there = texel(int(lods[m, n]), int(places[0][m, n]), int(places[1][m, n]))
            wanted[m, n] = [int(c == 5) if c > 3 else there[c] for c in swizzle]
        assert (found == wanted).all(), (stamps, ordered, levels)
