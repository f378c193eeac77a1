# SPDX-License-Identifier: MIT
"""GL_COMPRESSED_TEXTURE_FORMATS: ONE table of what is told, and where.

In: nothing. Out: COMPRESSED_TOLD, in the peer's order, and the rows of it that a context has.
Mesa: _mesa_get_compressed_formats of main/texcompress.c.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.apis import DESKTOP, ES1, ES2
from pydri.api.where import In, where_of
from pydri.main.textures.tables import PALETTES
from pydri.pipe.format import ASTC_SIZES

_S3TC = "EXT_texture_compression_s3tc"
_DXT1 = "EXT_texture_compression_dxt1"


class CompressedFormat(NamedTuple):
    """A compressed format, and where GL_COMPRESSED_TEXTURE_FORMATS tells it."""

    enum: int
    where: In | None = None


def _told(names: str, *enums: int, apis: int = DESKTOP | ES1 | ES2) -> list[CompressedFormat]:
    """Formats of extensions of which one suffices, in contexts of some APIs."""
    where = In(0, 0, ext=tuple(f"{name}:{apis:x}" for name in names.split()))
    return [CompressedFormat(enum, where) for enum in enums]


#: Formats for any use, in the peer's order: OpenGL leaves out those of special use (GL 2.1, 3.8.3),
#: OpenGL ES leaves out none.
COMPRESSED_TOLD: tuple[CompressedFormat, ...] = (
    *_told("3DFX_texture_compression_FXT1",
           gl.GL_COMPRESSED_RGB_FXT1_3DFX, gl.GL_COMPRESSED_RGBA_FXT1_3DFX),
    *_told(f"{_S3TC} {_DXT1}", gl.GL_COMPRESSED_RGB_S3TC_DXT1_EXT),
    *_told(f"{_S3TC} ANGLE_texture_compression_dxt3", gl.GL_COMPRESSED_RGBA_S3TC_DXT3_EXT),
    *_told(f"{_S3TC} ANGLE_texture_compression_dxt5", gl.GL_COMPRESSED_RGBA_S3TC_DXT5_EXT),
    *_told(f"{_S3TC} {_DXT1}", gl.GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, apis=ES1 | ES2),
    *_told("OES_compressed_ETC1_RGB8_texture", gl.GL_ETC1_RGB8_OES, apis=ES1 | ES2),
    *_told("EXT_texture_compression_bptc",
           gl.GL_COMPRESSED_RGBA_BPTC_UNORM, gl.GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM,
           gl.GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT, gl.GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT,
           apis=ES1 | ES2),
    *_told("EXT_texture_compression_rgtc",
           gl.GL_COMPRESSED_RED_RGTC1, gl.GL_COMPRESSED_SIGNED_RED_RGTC1,
           gl.GL_COMPRESSED_RG_RGTC2, gl.GL_COMPRESSED_SIGNED_RG_RGTC2, apis=ES1 | ES2),
    *map(CompressedFormat, (
        gl.GL_COMPRESSED_RGB8_ETC2, gl.GL_COMPRESSED_SRGB8_ETC2, gl.GL_COMPRESSED_RGBA8_ETC2_EAC,
        gl.GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, gl.GL_COMPRESSED_R11_EAC,
        gl.GL_COMPRESSED_RG11_EAC, gl.GL_COMPRESSED_SIGNED_R11_EAC,
        gl.GL_COMPRESSED_SIGNED_RG11_EAC, gl.GL_COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2,
        gl.GL_COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2,
    )),
    *(CompressedFormat(row.enum) for row in PALETTES),
    *_told("KHR_texture_compression_astc_ldr", *(
        getattr(gl, f"GL_COMPRESSED_{kind}_ASTC_{width}x{height}_KHR")
        for kind in ("RGBA", "SRGB8_ALPHA8") for width, height in ASTC_SIZES
    ), apis=ES1 | ES2),
)  # fmt: skip


def compressed(ctx: Any) -> list[int]:
    """Those of a context."""
    return [row.enum for row in COMPRESSED_TOLD if ctx.has(where_of(row.enum, row.where))]


__all__ = ["COMPRESSED_TOLD", "CompressedFormat", "compressed"]
