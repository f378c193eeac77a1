# SPDX-License-Identifier: MIT
"""Compressed formats: kernels decode what numpy decodes, and numpy what the peer does."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import pytest

from pydri.api import enums as gl
from pydri.pipe import astc_tables, codec_numpy
from pydri.pipe.codecs import CODECS, flags_of
from pydri.pipe.format import ASTC_SIZES, BY_NAME, FORMATS, Format
from tests.unit.jit.harness import BEST, EACH_WIDTH, address, compiled
from tests.unit.pipe.peer import NEEDS, Peer, ask

COMPRESSED = [f for f in FORMATS if f.codec]


@functools.cache
def image(width: int) -> Any:
    return compiled([c.kernel for c in CODECS.values()], width)


def some_blocks(fmt: Format, count: int, seed: int = 3) -> np.ndarray:
    """Random blocks; some whose two ends are equal or in the other order."""
    blocks = np.random.default_rng(seed).integers(0, 256, (count, fmt.bytes), np.uint8)
    if fmt.codec == "astc":
        return astc_blocks(fmt, blocks)
    if fmt.codec.startswith("bptc"):
        return bptc_blocks(fmt, blocks)
    if not fmt.codec.startswith(("fxt1", "etc", "eac")):
        blocks[::7, :2], blocks[::7, -8:-6] = blocks[::7, 2:4], blocks[::7, -6:-4]
        blocks[1::7, :2] = 0
        blocks[2::7, :2] = 255
    return blocks


def astc_blocks(fmt: Format, blocks: np.ndarray) -> np.ndarray:
    """The same of ASTC: most modes fit the block, but most random bits are errors; some void
    extents, with and without an extent, wrong and of the high range."""
    words = blocks.view("<u8")
    rng = np.random.default_rng(fmt.number)
    fit = [n for n, mode in enumerate(astc_tables.modes())
           if mode and mode.width <= fmt.width and mode.height <= fmt.height]  # fmt: skip
    some = np.arange(len(words)) % 4 != 3
    modes = rng.choice(fit, len(words)).astype(np.uint64)
    words[some, 0] = (words[some, 0] & ~np.uint64(0x7FF) | modes[some])
    # one part, and fewer bits for colours' ends: more blocks that mean something
    words[::5, 0] &= ~np.uint64(3 << 11 | 3 << 15)
    words[1::5, 0] &= ~np.uint64(1 << 12 | 3 << 23)
    words[2::5, 0] &= ~np.uint64(3 << 27)
    words[::16, 0] = words[::16, 0] & ~np.uint64(0x3FF) | np.uint64(0x1FC)
    words[::32, 0] |= ~np.uint64(0xFFF)
    words[::64, 0] |= np.uint64(0x200)
    return blocks


def bptc_blocks(fmt: Format, blocks: np.ndarray) -> np.ndarray:
    """The same of BPTC: as many of each mode, and of none."""
    number = np.arange(len(blocks), dtype=np.uint8)
    if fmt.codec == "bptc":
        lowest = (1 << (number % 9)).astype(np.uint8)
        blocks[:, 0] = blocks[:, 0] & ~(lowest - 1) | lowest
    else:
        blocks[:, 0] = blocks[:, 0] & 0xE0 | number % 32
    return blocks


def tiled(fmt: Format, texels: np.ndarray, across: int, down: int) -> np.ndarray:
    """Blocks side by side as an image: (rows, columns, bytes a texel)."""
    grid = texels.reshape(down, across, fmt.height, fmt.width, -1).transpose(0, 2, 1, 3, 4)
    return grid.reshape(down * fmt.height, across * fmt.width, -1)


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("fmt", COMPRESSED, ids=lambda f: f.name)
def test_blocks_are_decoded(fmt: Format, width: int) -> None:
    across, down = 33, 16 if fmt.codec != "astc" else 4
    blocks = some_blocks(fmt, across * down)
    size = BY_NAME[fmt.decoded].bytes
    types = [ctypes.c_void_p, ctypes.c_uint64] * 2 + [ctypes.c_uint32] * 3
    call = ctypes.CFUNCTYPE(None, *types)(image(width).address(f"decode_{fmt.codec}"))
    want = tiled(fmt, codec_numpy.decode(fmt, blocks), across, down)
    for cut in range(0, fmt.width, 1 if fmt.width == 4 else 3):
        rows, columns = down * fmt.height - cut % 4, across * fmt.width - cut
        out = np.full((down * fmt.height + 1, across * fmt.width + 3, size), 0xA5, np.uint8)
        stride = out.shape[1] * size
        source = across * fmt.bytes
        call(address(out), stride, address(blocks), source, columns, rows, flags_of(fmt))
        assert (out[:rows, :columns] == want[:rows, :columns]).all()
        assert (out[rows:] == 0xA5).all() and (out[:, columns:] == 0xA5).all()


def test_the_codec_fits_the_row() -> None:
    for fmt in COMPRESSED:
        codec = CODECS[fmt.codec]
        assert codec.bytes == fmt.bytes and codec.width in (0, fmt.width)
        assert codec.texel == BY_NAME[fmt.decoded].bytes
    assert BEST in (128, 256, 512)


#: GL's names, and by how much the peer may differ: what it draws to decompress is approximate
#: (gallivm/lp_bld_format_s3tc.c); what it decompresses in main is exact.
PEER = {
    "DXT1_RGB": (gl.GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 2),
    "DXT1_RGBA": (gl.GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, 2),
    "DXT3_RGBA": (gl.GL_COMPRESSED_RGBA_S3TC_DXT3_EXT, 2),
    "DXT5_RGBA": (gl.GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, 2),
    "RGTC1_UNORM": (gl.GL_COMPRESSED_RED_RGTC1, 2),
    "RGTC1_SNORM": (gl.GL_COMPRESSED_SIGNED_RED_RGTC1, 2),
    "RGTC2_UNORM": (gl.GL_COMPRESSED_RG_RGTC2, 2),
    "RGTC2_SNORM": (gl.GL_COMPRESSED_SIGNED_RG_RGTC2, 2),
    "LATC2_UNORM": (gl.GL_COMPRESSED_LUMINANCE_ALPHA_LATC2_EXT, 0),
    "LATC2_SNORM": (gl.GL_COMPRESSED_SIGNED_LUMINANCE_ALPHA_LATC2_EXT, 0),
    "FXT1_RGB": (gl.GL_COMPRESSED_RGB_FXT1_3DFX, 0),
    "FXT1_RGBA": (gl.GL_COMPRESSED_RGBA_FXT1_3DFX, 0),
    "ETC2_RGB": (gl.GL_COMPRESSED_RGB8_ETC2, 0),
    "ETC2_RGBA1": (gl.GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2, 0),
    "ETC2_RGBA": (gl.GL_COMPRESSED_RGBA8_ETC2_EAC, 0),
    "EAC1_UNORM": (gl.GL_COMPRESSED_R11_EAC, 0),
    "EAC1_SNORM": (gl.GL_COMPRESSED_SIGNED_R11_EAC, 0),
    "EAC2_UNORM": (gl.GL_COMPRESSED_RG11_EAC, 0),
    "EAC2_SNORM": (gl.GL_COMPRESSED_SIGNED_RG11_EAC, 0),
    "BPTC_RGBA": (gl.GL_COMPRESSED_RGBA_BPTC_UNORM, 0),
    "BPTC_SRGBA": (gl.GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM, 0),
    "BPTC_RGB_FLOAT": (gl.GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT, 0),
    "BPTC_RGB_UFLOAT": (gl.GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT, 0),
    **{
        f"ASTC_{w}x{h}{end}": (getattr(gl, f"GL_COMPRESSED_{name}_ASTC_{w}x{h}_KHR"), 0)
        for w, h in ASTC_SIZES for name, end in (("RGBA", ""), ("SRGB8_ALPHA8", "_SRGB"))
    },
}  # fmt: skip
ACROSS, DOWN = 32, 16


def peer_decodes(peer: Peer) -> dict[str, np.ndarray]:
    """What glGetTexImage gives of `some_blocks`, RGBA of as many bits as are decoded."""
    out = {}
    for name, (enum, _) in PEER.items():
        fmt = BY_NAME[name]
        blocks = some_blocks(fmt, ACROSS * DOWN)
        width, height = ACROSS * fmt.width, DOWN * fmt.height
        target = gl.GL_TEXTURE_2D
        peer.CompressedTexImage2D(target, 0, enum, width, height, 0, blocks.size, blocks)
        bits = BY_NAME[fmt.decoded].channels[0][1]
        dtype = np.dtype(f"{'int' if name.endswith('SNORM') else 'uint'}{bits}")
        half = BY_NAME[fmt.decoded].channels[0][0] == "f"
        texels = np.zeros((height, width, 4), dtype)
        kind = {"int8": gl.GL_BYTE, "uint8": gl.GL_UNSIGNED_BYTE, "int16": gl.GL_SHORT,
                "uint16": gl.GL_HALF_FLOAT if half else gl.GL_UNSIGNED_SHORT,
                }[dtype.name]  # fmt: skip
        peer.GetTexImage(target, 0, gl.GL_RGBA, kind, texels)
        assert not peer.GetError(), name
        out[name] = texels
    return out


@pytest.mark.slow
@pytest.mark.needs(*NEEDS)
def test_the_peer_decodes_the_same() -> None:
    answers = ask(peer_decodes)
    for name, (_, tolerance) in PEER.items():
        fmt = BY_NAME[name]
        texels = codec_numpy.decode(fmt, some_blocks(fmt, ACROSS * DOWN))
        want = tiled(fmt, texels, ACROSS, DOWN).view(answers[name].dtype).astype(int)
        got = answers[name].astype(int)
        columns = [k for k, c in enumerate(fmt.swizzle) if c.isdigit()]
        if fmt.swizzle.startswith("000"):  # luminance is read as red
            columns = [k for k in columns if k not in (1, 2)]
        for k in columns:
            least = -np.iinfo(answers[name].dtype).max
            channel = np.maximum(want[:, :, int(fmt.swizzle[k])], least)
            difference = np.abs(np.maximum(got[:, :, k], least) - channel)
            assert difference.max() <= tolerance, (name, k)
