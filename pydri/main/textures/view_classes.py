# SPDX-License-Identifier: MIT
"""Which internal formats share their bits: ONE table (GL 4.6, tables 8.22 and 18.4).

In: nothing. Out: VIEW_CLASSES, by number of an internal format's row: formats of one class (not 0)
may be views of each other (glTextureView) and be copied to each other as they are
(glCopyImageSubData); BLOCK_CLASSES, of blocks the class of texels of their size. Those in no class
go with themselves alone. Mesa: main/textureview.c, main/copyimage.c.
"""

from __future__ import annotations

from pydri.api import enums as gl
from pydri.main.textures.image_tables import ROWS

_CLASSES = """
128: RGBA32F RGBA32UI RGBA32I
96: RGB32F RGB32UI RGB32I
64: RGBA16F RG32F RGBA16UI RG32UI RGBA16I RG32I RGBA16 RGBA16_SNORM
48: RGB16 RGB16_SNORM RGB16F RGB16UI RGB16I
32: RG16F R11F_G11F_B10F R32F RGB10_A2UI RGBA8UI RG16UI R32UI RGBA8I RG16I R32I RGB10_A2 RGBA8 RG16
32: RGBA8_SNORM RG16_SNORM SRGB8_ALPHA8 RGB9_E5
24: RGB8 RGB8_SNORM SRGB8 RGB8UI RGB8I
16: R16F RG8UI R16UI RG8I R16I RG8 R16 RG8_SNORM R16_SNORM
8: R8UI R8I R8 R8_SNORM
RGTC1: COMPRESSED_RED_RGTC1 COMPRESSED_SIGNED_RED_RGTC1
RGTC2: COMPRESSED_RG_RGTC2 COMPRESSED_SIGNED_RG_RGTC2
DXT1: COMPRESSED_RGB_S3TC_DXT1_EXT COMPRESSED_SRGB_S3TC_DXT1_EXT
DXT1A: COMPRESSED_RGBA_S3TC_DXT1_EXT COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT
DXT3: COMPRESSED_RGBA_S3TC_DXT3_EXT COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT
DXT5: COMPRESSED_RGBA_S3TC_DXT5_EXT COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT
BPTC_UNORM: COMPRESSED_RGBA_BPTC_UNORM COMPRESSED_SRGB_ALPHA_BPTC_UNORM
BPTC_FLOAT: COMPRESSED_RGB_BPTC_SIGNED_FLOAT COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT
"""
#: texels that blocks are copied to and from, by the blocks' class
_SAME_SIZE = {"RGTC1": "64", "DXT1": "64", "DXT1A": "64", "RGTC2": "128", "DXT3": "128",
              "DXT5": "128", "BPTC_UNORM": "128", "BPTC_FLOAT": "128"}  # fmt: skip


def _by_enum() -> dict[int, str]:
    found: dict[int, str] = {}
    for line in _CLASSES.strip().splitlines():
        name, _, formats = line.partition(": ")
        found |= {getattr(gl, f"GL_{word}"): name for word in formats.split()}
    return found


_OF = _by_enum()
NAMES = ("", *dict.fromkeys(_OF.values()))
VIEW_CLASSES = [NAMES.index(_OF.get(row.enum, "")) for row in ROWS]
#: by row: of blocks the class of texels that go with them, 0 for what is not compressed
BLOCK_CLASSES = [NAMES.index(_SAME_SIZE.get(_OF.get(row.enum, ""), "")) for row in ROWS]
#: by row: of texels that go with blocks their own class. (32-bit formats of three channels and
#: those of table 18.4 are not the same: 128 and 64 bits alone.)
TEXEL_CLASSES = [
    NAMES.index(name) if (name := _OF.get(row.enum, "")) in ("64", "128") else 0 for row in ROWS
]

__all__ = ["BLOCK_CLASSES", "NAMES", "TEXEL_CLASSES", "VIEW_CLASSES"]
