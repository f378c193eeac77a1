# SPDX-License-Identifier: MIT
"""A shader's texture instructions: TextureViews as sample.py wants them, lanes as its stamps.

In: nir's `tex` instructions with their sources, and the views of the draw (pydri/pipe/sampler.py).
Out: what the interpreter stores. Everything that a view says is data, so it is read back from there
and not from the state that it was made of.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

from pipe_soft.arrays import F32, Arr
from pipe_soft.gather import gather
from pipe_soft.sample import Coords, Texture, fetch, query_lod, sample
from pydri.nir.ir import TexInstr
from pydri.pipe import format_numpy
from pydri.pipe.memory_numpy import memory
from pydri.pipe.resource import CUBE_FACES, MULTISAMPLE
from pydri.pipe.sampler import (
    GL_CLAMP,
    GL_CLAMP_TO_BORDER,
    GL_CLAMP_TO_EDGE,
    GL_LINEAR,
    GL_LINEAR_MIPMAP_LINEAR,
    GL_MIRROR_CLAMP,
    GL_MIRROR_CLAMP_TO_BORDER,
    GL_MIRROR_CLAMP_TO_EDGE,
    GL_MIRRORED_REPEAT,
    GL_NEAREST,
    GL_NEAREST_MIPMAP_NEAREST,
    GL_NEVER,
    GL_REPEAT,
    LOD_BIAS,
    LOD_EXPLICIT,
    LOD_GRADIENTS,
    LOD_IMPLICIT,
    MIP_LINEAR,
    MIP_NONE,
    SWIZZLE_ZERO,
    TEXEL_CLASSES,
    SamplerKey,
    SamplerState,
    TexelClass,
    TextureView,
    unpack_key,
)

LOOKUPS = {"tex": LOD_IMPLICIT, "txb": LOD_BIAS, "txl": LOD_EXPLICIT, "txd": LOD_GRADIENTS}
#: wrap modes by MIRROR_* and margin
_CLAMPS = {
    (0, 0): GL_CLAMP_TO_EDGE, (0, 64): GL_CLAMP, (0, 128): GL_CLAMP_TO_BORDER,
    (1, 0): GL_MIRRORED_REPEAT, (2, 0): GL_MIRROR_CLAMP_TO_EDGE, (2, 64): GL_MIRROR_CLAMP,
    (2, 128): GL_MIRROR_CLAMP_TO_BORDER,
}  # fmt: skip
#: the lanes of a stamp of 4x4 pixels, quad by quad
_QUADS = np.array([0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15])
_DIMENSIONS = {"1D": 1, "2D": 2, "3D": 3, "Cube": 3, "Rect": 2, "Buf": 1, "MS": 2}
_ONE = 0x3F800000


def decoded(kind: TexelClass, texels: Arr) -> Arr:
    """Channels of texels (n, bytes): bytes where these are filtered, else floats or whole numbers'
    bits as floats."""
    if kind.filtered_as_integers:
        return texels
    bits = np.unpackbits(texels, axis=1, bitorder="little").astype(np.uint64)
    raw, at = [], 0
    for _, size in kind.channels:
        powers = np.uint64(1) << np.arange(size, dtype=np.uint64)
        raw.append((bits[:, at : at + size] * powers).sum(axis=1, dtype=np.uint64))
        at += size
    if kind.channels[0][0] == "m":
        return np.stack(format_numpy._unshare(raw), axis=1)
    out = []
    for n, (channel, (letters, size)) in enumerate(zip(raw, kind.channels)):
        if letters == "x":
            out.append(np.zeros(len(texels), np.float32))
            continue
        number: Any = format_numpy._number(channel, letters, size)
        if n < kind.encoded:
            number = format_numpy.srgb_to_linear(number.astype(np.float64)).astype(np.float32)
        out.append(number.view(np.float32))
    return np.stack(out, axis=1)


def _level(view: Any, kind: TexelClass, row: Any, images: int) -> Arr:
    """A level: (images, rows, columns, channels)."""
    size = kind.bits // 8
    stride, image = row.stride * size, row.image_stride * size
    span = (images - 1) * image + (row.height - 1) * stride + row.width * size
    data = memory(view.data + row.offset, span, np.uint8)
    shape, steps = (images, row.height, row.width * size), (image, stride, 1)
    rows = np.lib.stride_tricks.as_strided(data, shape, steps, writeable=False)
    texels = np.ascontiguousarray(rows).reshape(-1, size)
    return decoded(kind, texels).reshape(images, row.height, row.width, -1)


def _samples(view: Any, kind: TexelClass) -> list[Arr]:
    """The samples of textures with several, each as `_level` has a level: they lie in stamps."""
    row, size = view.level[0], kind.bits // 8
    y, x = np.mgrid[: row.height, : row.width]
    stamp = (y >> 2) * (4 * row.stride) + (x >> 2) * (16 * view.samples)
    places = stamp + (y & 3) * 4 + (x & 3)
    images = np.arange(row.depth)[:, None, None] * row.image_stride
    last = (row.depth - 1) * row.image_stride + int(places.max()) + 16 * view.samples
    texels = memory(view.data + row.offset, last * size, np.uint8).reshape(-1, size)
    found = [texels[(images + places + 16 * n).ravel()] for n in range(view.samples)]
    shape = row.depth, row.height, row.width, -1
    return [decoded(kind, np.ascontiguousarray(each)).reshape(shape) for each in found]


def _swizzle(view: Any) -> list[int]:
    """For each output its channel, or SWIZZLE_ZERO or SWIZZLE_ONE."""
    shown = {view.place[channel]: channel for channel in range(4)}
    out = []
    for n in range(4):
        if not view.fixes >> n & 1:
            out.append(shown[16 * n])
        elif view.source[n] < 64:
            out.append(shown[view.source[n]])
        else:
            out.append(view.source[n] - 64 + SWIZZLE_ZERO)
    return out


def texture_of(view: Any, key: SamplerKey) -> Texture:
    """What a view shows."""
    kind = TEXEL_CLASSES[key.texel]
    levels = _samples(view, kind) if key.target in MULTISAMPLE else []
    for n in range(0 if levels else view.max_level + 1):
        row = view.level[n]
        levels.append(_level(view, kind, row, row.depth))
    fixed = not any(letters == "f" for letters, _ in kind.channels)
    return Texture(key.target, levels, _swizzle(view), list(view.border), fixed)


def state_of(view: Any, key: SamplerKey) -> SamplerState:
    """How it is sampled."""
    wraps = [
        _CLAMPS[view.mirror[n], int(view.margin[n])] if key.clamp >> n & 1 else GL_REPEAT
        for n in range(3)
    ]
    low = GL_LINEAR if key.min_linear else GL_NEAREST
    if key.mip != MIP_NONE:
        low = GL_NEAREST_MIPMAP_NEAREST + int(key.min_linear) + 2 * (key.mip == MIP_LINEAR)
        assert low <= GL_LINEAR_MIPMAP_LINEAR
    return SamplerState(
        (wraps[0], wraps[1], wraps[2]), low, GL_LINEAR if key.mag_linear else GL_NEAREST,
        key.compare - 1 + GL_NEVER if key.compare else 0, key.seamless,
        view.max_anisotropy if key.anisotropic else 1.0, view.lod_bias, view.min_lod,
        view.max_lod, tuple(view.border),
    )  # fmt: skip


class Textures:
    """The textures of a draw: the interpreter's `texture` function."""

    def __init__(self, views: int, vertex: bool = False) -> None:
        self._views = views  # address of a table of addresses
        self._vertex = vertex  # vertices have no neighbours: level 0 where none is named
        self._known: dict[int, tuple[Any, Texture | None, SamplerState]] = {}

    def _view(self, number: int) -> tuple[Any, Texture | None, SamplerState]:
        found = self._known.get(number)
        if found is None:
            view = TextureView.view(ctypes.c_uint64.from_address(self._views + 8 * number).value)
            key = unpack_key(view.key)
            if view.key:
                found = view, texture_of(view, key), state_of(view, key)
            else:
                found = view, None, SamplerState()
            self._known[number] = found
        return found

    def __call__(self, instr: TexInstr, srcs: Mapping[str, Arr]) -> Arr:
        view, texture, state = self._view(instr.texture_index)
        lanes = next(iter(srcs.values())).shape[1] if srcs else 1
        if instr.op == "query_levels":
            return np.full((1, lanes), view.max_level + 1)
        if instr.op == "txs":
            return _sizes(view, instr, srcs, lanes)
        if texture is None:
            return _without(instr, lanes)
        if instr.op in ("txf", "txf_ms"):
            return _swizzled(view, texture, fetch(texture, *_places(srcs)), lanes)
        if instr.op == "tg4":
            return _gathered(view, gather(texture, state, _coords(instr, srcs), instr.component),
                             texture.swizzle[instr.component], lanes)  # fmt: skip
        if instr.op == "lod":
            return _as_lanes(query_lod(texture, state, _coords(instr, srcs)), lanes)
        coords, lookup = _coords(instr, srcs), LOOKUPS[instr.op]
        if self._vertex and lookup in (LOD_IMPLICIT, LOD_BIAS):
            lod = np.zeros_like(coords.s) if coords.lod is None else coords.lod
            coords, lookup = coords._replace(lod=lod), LOD_EXPLICIT
        return _swizzled(view, texture, sample(texture, state, coords, lookup), lanes)


def _without(instr: TexInstr, lanes: int) -> Arr:
    """What is found where there is no texture, whose texels are 0, 0, 0, 1."""
    values = [0, 0, 0, 1]
    if instr.op in ("tg4", "lod"):
        values = [int(instr.op == "tg4" and instr.component == 3)] * 4
    return np.tile(np.array(values, np.float32)[:, None], (1, lanes))


def _as_lanes(found: Arr, lanes: int) -> Arr:
    """Stamps (n, 16, 4) as lanes, quad by quad."""
    return found.view(np.uint32).reshape(-1, 16, 4)[:, _QUADS].reshape(-1, 4)[:lanes].T


def _gathered(view: Any, found: Arr, channel: int, lanes: int) -> Arr:
    """Four texels' component; `channel`: what of a texel it is."""
    out = _as_lanes(found, lanes)
    if view.one != _ONE and channel == SWIZZLE_ZERO + 1:  # whole numbers
        out = np.ones_like(out)
    return np.ascontiguousarray(out)


def _swizzled(view: Any, texture: Texture, found: Arr, lanes: int) -> Arr:
    """What a lookup found as lanes."""
    out = _as_lanes(found, lanes)
    if view.one != _ONE:  # whole numbers
        swizzle = np.array(texture.swizzle)[:, None]
        out = np.where(swizzle == SWIZZLE_ZERO + 1, np.uint32(1), out)
    return np.ascontiguousarray(out)


def _places(srcs: Mapping[str, Arr]) -> tuple[list[Arr], Arr]:
    """The whole numbers of a fetch as stamps: coordinates, then the level or sample."""
    rows = [_stamps(np.ascontiguousarray(row).view(np.int32)) for row in srcs["coord"]]
    asked = srcs["ms_index"] if "ms_index" in srcs else srcs["lod"]
    return rows, _stamps(np.ascontiguousarray(asked[0]).view(np.int32))


def _stamps(values: Arr) -> Arr:
    """Lanes, quad by quad, as stamps of 4x4 pixels; the last one is filled up with its last."""
    full = np.pad(values, (0, -len(values) % 16), mode="edge").reshape(-1, 16)
    out = np.empty_like(full)
    out[:, _QUADS] = full
    return out


def _coords(instr: TexInstr, srcs: Mapping[str, Arr]) -> Coords:
    """The sources as stamps; what a projector divides is divided (GL 2.1, 3.8)."""
    floats = {name: np.ascontiguousarray(value).view(np.float32) for name, value in srcs.items()}
    given = {name: [_stamps(row) for row in value] for name, value in floats.items()}
    place, reference = list(given["coord"]), given.get("comparator", [None])[0]
    if "projector" in given:
        factor = F32(1) / given["projector"][0]
        count = len(place) - instr.is_array  # the layer is not divided
        place = [value * factor for value in place[:count]] + place[count:]
        reference = None if reference is None else reference * factor
    parts = dict(zip(("s", "t", "r", "layer"), place))
    lod = given.get("lod", given.get("bias", [None]))[0]
    moves = [int(row[0]) for row in srcs["offset"].view(np.int32)] if "offset" in srcs else []
    return Coords(parts["s"], parts.get("t"), parts.get("r"), parts.get("layer"), reference, lod,
                  given.get("ddx", ()), given.get("ddy", ()), moves)  # fmt: skip


def _sizes(view: Any, instr: TexInstr, srcs: Mapping[str, Arr], lanes: int) -> Arr:
    """The sizes of a level, then the layers."""
    asked = srcs["lod"][0].view(np.int32) if "lod" in srcs else np.zeros(lanes, np.int32)
    rows = [view.level[int(n)] for n in np.clip(asked, 0, view.max_level)]
    names = ["width", "height", "depth"][: _DIMENSIONS[instr.sampler_dim]]
    if instr.sampler_dim == "Cube":
        names = ["width", "height"]
    if instr.is_array:
        names.append("depth")
    sizes = np.array([[getattr(row, name) for row in rows] for name in names])
    if instr.sampler_dim == "Cube" and instr.is_array:
        sizes[2] //= CUBE_FACES
    return sizes


__all__ = ["Textures", "state_of", "texture_of"]
