# SPDX-License-Identifier: MIT
"""Compressed blocks that kernels make: how near they are to the texels, and to what the peer makes
of the same image."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.pipe import codec_numpy
from pydri.pipe.codecs import flags_of
from pydri.pipe.encoders import ENCODERS
from pydri.pipe.format import BY_NAME, FORMATS, Format
from tests.unit.jit.harness import BEST, WIDTHS, address, compiled
from tests.unit.pipe.peer import NEEDS, Peer, ask
from tests.unit.pipe.test_codecs import PEER, tiled

COMPRESSED = [
    f for f in FORMATS if f.codec in ENCODERS and "SRGB" not in f.name and f.codec != "bptc_float"
]
FLOATS = [f for f in FORMATS if f.codec == "bptc_float"]


@functools.cache
def image(width: int) -> Any:
    return compiled(list(ENCODERS.values()), width)


def encoded(fmt: Format, texels: np.ndarray, width: int = BEST) -> np.ndarray:
    """Blocks of an image (rows, columns, bytes a texel)."""
    rows, columns, size = texels.shape
    across, down = -(-columns // fmt.width), -(-rows // 4)
    out = np.full((across * down + 1, fmt.bytes), 0xA5, np.uint8)
    types = [ctypes.c_void_p, ctypes.c_uint64] * 2 + [ctypes.c_uint32] * 3
    call = ctypes.CFUNCTYPE(None, *types)(image(width).address(f"encode_{fmt.codec}"))
    texels = np.ascontiguousarray(texels)
    call(address(out), across * fmt.bytes, address(texels), columns * size, columns, rows,
         flags_of(fmt))  # fmt: skip
    assert (out[-1] == 0xA5).all()
    return out[:-1]


def decoded(fmt: Format, blocks: np.ndarray, columns: int, rows: int) -> np.ndarray:
    across, down = -(-columns // fmt.width), -(-rows // 4)
    whole = tiled(fmt, codec_numpy.decode(fmt, blocks), across, down)
    return whole[:rows, :columns]


def picture(size: int, channels: int, seed: int = 1) -> np.ndarray:
    """Slopes, edges and some noise, (size, size, channels)."""
    y, x = np.mgrid[:size, :size] / size
    rng = np.random.default_rng(seed)
    planes = []
    for n in range(channels):
        slope = 0.5 + 0.5 * np.sin(5 * x * (n + 1) + 3 * y + n)
        edge = ((x * 7 + y * 3 + n * 0.3) % 1 > 0.6) * 0.3
        planes.append(0.6 * slope + edge + rng.normal(0, 0.02, x.shape))
    return (np.clip(np.stack(planes, axis=2), 0, 1) * 255).astype(np.uint8)


def as_numbers(fmt: Format, texels: np.ndarray) -> np.ndarray:
    """Texels as whole numbers; signed ones from -127 on."""
    if fmt.name.endswith("SNORM"):
        return np.maximum(texels.view(np.int8).astype(int), -127)
    return texels.astype(int)


def rms(fmt: Format, one: np.ndarray, other: np.ndarray) -> float:
    difference = as_numbers(fmt, one) - as_numbers(fmt, other)
    return float(np.sqrt((difference.astype(float) ** 2).mean()))


@pytest.mark.parametrize("fmt", COMPRESSED, ids=lambda f: f.name)
def test_an_image_comes_back_nearly(fmt: Format) -> None:
    size = BY_NAME[fmt.decoded].bytes
    for columns, rows in ((64, 64), (61, 39), (3, 2), (1, 1), (9, 5)):
        texels = picture(64, size)[:rows, :columns]
        if fmt.decoded.startswith("R8G8B8X8"):
            texels = texels.copy()
            texels[..., 3] = 255
        if fmt.name == "DXT1_RGBA":
            texels[..., 3] = np.where(texels[..., 3] < 40, 0, 255)
            texels[texels[..., 3] == 0] = 0
        back = decoded(fmt, encoded(fmt, texels), columns, rows)
        colors = fmt.codec.startswith(("dxt", "bptc"))
        limit = {"fxt1": 32.0}.get(fmt.codec, 18.0 if colors else 6.0)
        assert rms(fmt, back, texels) < limit, (columns, rows)
        if fmt.name == "DXT1_RGBA":
            assert (back[..., 3] == texels[..., 3]).all()


@pytest.mark.parametrize("fmt", COMPRESSED, ids=lambda f: f.name)
def test_plain_blocks(fmt: Format) -> None:
    """Two colours that the format has come back as they are; any one colour nearly."""
    size = BY_NAME[fmt.decoded].bytes
    rng = np.random.default_rng(3)
    pairs = [((0,) * 4, (255,) * 4), ((255, 0, 0, 255), (0, 255, 255, 255))]
    if size == 4 and fmt.name != "DXT1_RGBA":  # which has black alone where nothing is seen
        pairs.append(((255, 0, 0, 0), (0, 255, 255, 255)))
    for one, other in pairs:
        pair = np.array([one[:size], other[:size]], np.uint8)
        if fmt.decoded.startswith("R8G8B8X8"):
            pair[:, 3] = 255
        texels = pair[rng.integers(0, 2, (16, 16))]
        back = decoded(fmt, encoded(fmt, texels), 16, 16)
        assert np.abs(as_numbers(fmt, back) - as_numbers(fmt, texels)).max() <= 0, (one, other)
    for color in rng.integers(0, 256, (32, size), np.uint8):
        if size == 4:
            color[3] = 255
        texels = np.broadcast_to(color, (4, 8, size))
        back = decoded(fmt, encoded(fmt, texels), 8, 4)
        assert np.abs(as_numbers(fmt, back) - as_numbers(fmt, texels)).max() <= 5


@pytest.mark.slow
def test_each_width_gives_the_same_blocks() -> None:
    for fmt in COMPRESSED:
        texels = picture(32, BY_NAME[fmt.decoded].bytes)
        blocks = [encoded(fmt, texels, width) for width in WIDTHS]
        assert all((other == blocks[0]).all() for other in blocks[1:]), fmt.name


def peer_encodes(peer: Peer, texels: np.ndarray, signed: np.ndarray) -> dict[str, np.ndarray]:
    """The blocks that the peer makes of RGBA images."""
    out = {}
    rows, columns, _ = texels.shape
    for name, (enum, _) in PEER.items():
        fmt = BY_NAME[name]
        if fmt.codec not in ENCODERS or fmt in FLOATS:
            continue
        given = signed if name.endswith("SNORM") else texels
        kind = gl.GL_BYTE if name.endswith("SNORM") else gl.GL_UNSIGNED_BYTE
        target = gl.GL_TEXTURE_2D
        peer.TexImage2D(target, 0, enum, columns, rows, 0, gl.GL_RGBA, kind, given)
        blocks = np.zeros((columns // fmt.width * rows // 4, fmt.bytes), np.uint8)
        peer.GetCompressedTexImage(target, 0, blocks)
        assert not peer.GetError(), name
        out[name] = blocks
    return out


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
def test_no_worse_than_the_peer() -> None:
    texels = picture(64, 4)
    signed = (texels.astype(int) - 128).astype(np.int8).view(np.uint8)
    for name, theirs in ask(peer_encodes, texels, signed).items():
        fmt = BY_NAME[name]
        given = signed if name.endswith("SNORM") else texels
        columns = [
            next(n for n, c in enumerate(fmt.swizzle) if c == str(k))
            for k, (kind, _) in enumerate(fmt.channels)
            if kind != "x"
        ]
        mine = given[..., columns]
        if name == "DXT1_RGBA":  # colours of what is transparent are nobody's
            continue
        source = np.full((64, 64, BY_NAME[fmt.decoded].bytes), 255, np.uint8)
        source[..., : len(columns)] = mine
        errors = [
            rms(fmt, decoded(fmt, blocks, 64, 64)[..., : len(columns)], mine)
            for blocks in (encoded(fmt, source), theirs)
        ]
        assert errors[0] <= errors[1] * 1.05 + 0.1, (name, errors)


def floats(fmt: Format) -> np.ndarray:
    """Numbers of some size, (64, 64, 3), with signs where the format has them."""
    values = picture(64, 3).astype(np.float32) / 32
    return values - 4 * fmt.name.endswith("_FLOAT")


def as_floats(texels: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(texels).view(np.float16)[..., :3].astype(np.float32)


def halves(values: np.ndarray) -> np.ndarray:
    """Numbers as texels of four halves."""
    out = np.ones((*values.shape[:2], 4), np.float16)
    out[..., :3] = values
    return out.view(np.uint8)


def peer_encodes_floats(peer: Peer, images: list[np.ndarray]) -> list[np.ndarray]:
    """The blocks that the peer makes of RGB images, one a format of FLOATS."""
    out, target = [], gl.GL_TEXTURE_2D
    for fmt, values in zip(FLOATS, images, strict=True):
        rows, columns, _ = values.shape
        enum = PEER[fmt.name][0]
        peer.TexImage2D(target, 0, enum, columns, rows, 0, gl.GL_RGB, gl.GL_FLOAT, values)
        blocks = np.zeros((columns // 4 * rows // 4, fmt.bytes), np.uint8)
        peer.GetCompressedTexImage(target, 0, blocks)
        assert not peer.GetError(), fmt.name
        out.append(blocks)
    return out


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
def test_floats_are_no_worse_than_the_peers() -> None:
    images = [floats(fmt) for fmt in FLOATS]
    for fmt, values, theirs in zip(FLOATS, images, ask(peer_encodes_floats, images), strict=True):
        errors = [
            float(np.sqrt(((as_floats(decoded(fmt, blocks, 64, 64)) - values) ** 2).mean()))
            for blocks in (encoded(fmt, halves(values)), theirs)
        ]
        assert errors[0] <= errors[1] * 1.05, (fmt.name, errors)


@pytest.mark.parametrize("fmt", FLOATS, ids=lambda f: f.name)
def test_floats_of_all_sizes(fmt: Format) -> None:
    """A block of one number is that, but for the bits that ends have not; what is no number, or
    not finite, becomes one; zero is zero; a number below it is zero where there are no signs."""
    signed = fmt.name.endswith("_FLOAT")
    for value in (0.0, 1.0, 0.01, 1000.0, 65504.0, -1.0, -60000.0, np.inf, -np.inf, np.nan):
        values = np.full((4, 4, 3), value, np.float32)
        back = as_floats(decoded(fmt, encoded(fmt, halves(values)), 4, 4))
        want = np.clip(np.nan_to_num(value, nan=65504.0), -65504.0 * signed, 65504.0)
        assert np.abs(back - want).max() <= abs(want) * 0.06, value


@pytest.mark.parametrize("fmt", FLOATS, ids=lambda f: f.name)
def test_floats_at_the_edge(fmt: Format) -> None:
    """Blocks at the right and lower edge repeat the last column and row."""
    values = floats(fmt)
    for columns, rows in ((61, 39), (3, 2), (1, 1), (9, 5)):
        part = values[:rows, :columns]
        back = as_floats(decoded(fmt, encoded(fmt, halves(part)), columns, rows))
        assert float(np.sqrt(((back - part) ** 2).mean())) < 0.8
