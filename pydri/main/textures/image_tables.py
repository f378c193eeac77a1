# SPDX-License-Identifier: MIT
"""Images of textures: what there is to be called, ONE table of operations, targets and internal
formats each.

In: nothing. Out: OPERATIONS, an entry point a row; TARGETS, rows of what images can be given for;
ROWS, internal formats by number (`TextureImage.row`), and lists by these numbers, of which the
checks (image_check.py) are made. GL 4.6, chapter 8; Mesa: main/teximage.c.
"""

from __future__ import annotations

from typing import NamedTuple

from pydri.api import enums as gl
from pydri.api.where import In
from pydri.main.textures import formats
from pydri.pipe import resource as res
from pydri.pipe.format import BY_NAME, FORMATS

# -- operations ------------------------------------------------------------------------------------

(
    OP_IMAGE, OP_SUB_IMAGE, OP_COPY_IMAGE, OP_COPY_SUB_IMAGE, OP_COMPRESSED, OP_COMPRESSED_SUB,
    OP_GET, OP_GET_COMPRESSED, OP_MIPMAP, OP_STORAGE, OP_CLEAR, OP_CLEAR_SUB, OP_INVALIDATE,
    OP_INVALIDATE_SUB, OP_GET_SUB, OP_GET_COMPRESSED_SUB, OP_VIEW,
    OP_GET_NAMED, OP_GET_COMPRESSED_NAMED, OP_NOTHING, OP_IMAGE_SAMPLES, OP_STORAGE_SAMPLES,
) = range(22)  # fmt: skip

#: parameters of entry points (as the registry calls them) whose field has another name
FIELDS = {
    "internalformat": "internal", "xoffset": "x", "yoffset": "y", "zoffset": "z", "x": "read_x",
    "y": "read_y", "imageSize": "size", "bufSize": "size", "data": "pixels", "img": "pixels",
    "lod": "level", "levels": "level", "texture": "name", "origtexture": "other",
    "minlevel": "level", "numlevels": "width", "minlayer": "z", "numlayers": "depth",
    "fixedsamplelocations": "fixed",
}  # fmt: skip


class Operation(NamedTuple):
    """An entry point; `by_name`: it names a texture in place of a target."""

    entry: str
    number: int
    dims: int
    by_name: bool = False


def _operations() -> tuple[Operation, ...]:
    rows = []
    for stem, number, dims in (
        ("TexImage{}D", OP_IMAGE, (1, 2, 3)), ("TexSubImage{}D", OP_SUB_IMAGE, (1, 2, 3)),
        ("CopyTexImage{}D", OP_COPY_IMAGE, (1, 2)),
        ("CopyTexSubImage{}D", OP_COPY_SUB_IMAGE, (1, 2, 3)),
        ("CompressedTexImage{}D", OP_COMPRESSED, (1, 2, 3)),
        ("CompressedTexSubImage{}D", OP_COMPRESSED_SUB, (1, 2, 3)),
        ("TexStorage{}D", OP_STORAGE, (1, 2, 3)),
        ("TexImage{}DMultisample", OP_IMAGE_SAMPLES, (2, 3)),
        ("TexStorage{}DMultisample", OP_STORAGE_SAMPLES, (2, 3)),
    ):
        rows += [Operation("gl" + stem.format(n), number, n) for n in dims]
    for name, number in (
        ("TexImage3DEXT", OP_IMAGE), ("GetTexImage", OP_GET), ("GetnTexImage", OP_GET),
        ("GetnTexImageARB", OP_GET), ("GetCompressedTexImage", OP_GET_COMPRESSED),
        ("GetnCompressedTexImage", OP_GET_COMPRESSED),
        ("GetnCompressedTexImageARB", OP_GET_COMPRESSED), ("GenerateMipmap", OP_MIPMAP),
        ("TextureView", OP_VIEW),
    ):  # fmt: skip
        rows.append(Operation("gl" + name, number, 3))
    for name, number in (
        ("ClearTexImage", OP_CLEAR), ("ClearTexSubImage", OP_CLEAR_SUB),
        ("InvalidateTexImage", OP_INVALIDATE), ("InvalidateTexSubImage", OP_INVALIDATE_SUB),
        ("GetTextureSubImage", OP_GET_SUB),
        ("GetCompressedTextureSubImage", OP_GET_COMPRESSED_SUB),
        ("GetTextureImage", OP_GET_NAMED), ("GetCompressedTextureImage", OP_GET_COMPRESSED_NAMED),
    ):  # fmt: skip
        rows.append(Operation("gl" + name, number, 3, by_name=True))
    return tuple(rows)


OPERATIONS = _operations()

# -- targets ---------------------------------------------------------------------------------------

SIZE_2D, SIZE_3D, SIZE_CUBE, SIZE_RECT = range(4)  # which limit sizes have


class Target(NamedTuple):
    """What images can be given for. `object`: target of the texture; `whole`: all faces of a cube
    at once (not for single images); `proxy`: 1 + its place among proxies, 0: none."""

    enum: int
    object: int
    dims: int
    kind: int  # TARGET_* of pydri/pipe/resource.py
    size: int = SIZE_2D
    face: int = 0
    proxy: int = 0
    whole: bool = False
    where: In | None = None

    @property
    def multisample(self) -> bool:
        """Whether its texels have several samples: no images are given, and there are no levels."""
        return self.kind in res.MULTISAMPLE

    @property
    def layered(self) -> int:
        """Which size counts layers: 0 none, 1 the height, 2 the depth."""
        deep = (res.TARGET_2D_ARRAY, res.TARGET_CUBE_ARRAY, res.TARGET_2D_MS_ARRAY)
        return 1 if self.kind == res.TARGET_1D_ARRAY else 2 if self.kind in deep else 0


_T = "GL_TEXTURE_"
_KINDS = (
    ("1D", 1, res.TARGET_1D, SIZE_2D), ("2D", 2, res.TARGET_2D, SIZE_2D),
    ("3D", 3, res.TARGET_3D, SIZE_3D), ("CUBE_MAP", 2, res.TARGET_CUBE, SIZE_CUBE),
    ("RECTANGLE", 2, res.TARGET_RECT, SIZE_RECT), ("1D_ARRAY", 2, res.TARGET_1D_ARRAY, SIZE_2D),
    ("2D_ARRAY", 3, res.TARGET_2D_ARRAY, SIZE_2D),
    ("CUBE_MAP_ARRAY", 3, res.TARGET_CUBE_ARRAY, SIZE_CUBE),
    ("2D_MULTISAMPLE", 2, res.TARGET_2D_MS, SIZE_2D),
    ("2D_MULTISAMPLE_ARRAY", 3, res.TARGET_2D_MS_ARRAY, SIZE_2D),
)  # fmt: skip


def _targets() -> tuple[Target, ...]:
    rows = []
    for number, (name, dims, kind, size) in enumerate(_KINDS):
        enum = getattr(gl, _T + name)
        cube = kind == res.TARGET_CUBE
        rows.append(Target(enum, enum, dims, kind, size, whole=cube))
        if cube:
            first = gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X
            rows += [Target(first + face, enum, dims, kind, size, face) for face in range(6)]
        proxy = getattr(gl, f"GL_PROXY_TEXTURE_{name}")
        rows.append(Target(proxy, enum, dims, kind, size, 0, number + 1))
    return tuple(rows)


TARGETS = _targets()
TARGET_NUMBERS = {row.enum: n for n, row in enumerate(TARGETS)}


# -- internal formats ------------------------------------------------------------------------------

ROWS = tuple(formats.INTERNAL.values())
ROW_NUMBERS = {row.enum: n for n, row in enumerate(ROWS)}
CLASS_COLOR, CLASS_DEPTH, CLASS_STENCIL, CLASS_BOTH = range(4)
_CLASSES = {
    gl.GL_DEPTH_COMPONENT: CLASS_DEPTH, gl.GL_STENCIL_INDEX: CLASS_STENCIL,
    gl.GL_DEPTH_STENCIL: CLASS_BOTH,
}  # fmt: skip
#: by row: whether it holds colours, depth ...; whole numbers; blocks
CLASSES = [_CLASSES.get(row.base, CLASS_COLOR) for row in ROWS]
INTEGER = [int(BY_NAME[row.formats[0]].integer and "S8" not in row.formats[0]) for row in ROWS]
COMPRESSED = [int(row.compressed) for row in ROWS]
BASES = [row.base for row in ROWS]
CODECS = ("", *dict.fromkeys(fmt.codec for fmt in FORMATS if fmt.codec))
#: by row: the codec's number, 0 for what is not compressed
CODEC_NUMBERS = [CODECS.index(BY_NAME[row.formats[0]].codec) for row in ROWS]
#: rows whose blocks are the program's alone: none are made of texels (Mesa:
#: _mesa_format_no_online_compression)
GIVEN = [int(CODECS[n].startswith(("etc", "eac", "astc"))) for n in CODEC_NUMBERS]
#: rows whose blocks may be slices of a volume (KHR_texture_compression_astc_sliced_3d, and
#: ARB_texture_compression_bptc)
VOLUMES = [int(CODECS[n].startswith(("astc", "bptc"))) for n in CODEC_NUMBERS]
#: by row: texels of a block, across and down
BLOCK_WIDTHS = [BY_NAME[row.formats[0]].width for row in ROWS]
BLOCK_HEIGHTS = [BY_NAME[row.formats[0]].height for row in ROWS]
#: rows that do not say how they are stored
GENERIC = [int(row.compressed and row.answer != row.enum) for row in ROWS]
#: by row: the row of the format that is taken in targets of lines, which are not kept in blocks
UNCOMPRESSED = [ROW_NUMBERS[formats.UNCOMPRESSED.get(row.enum, row.enum)] for row in ROWS]
#: (internal format, format, type, number of the row whose formats are taken)
SIZED = [
    (*key, ROW_NUMBERS[to]) for key, to in sorted(formats.SIZED.items())
]  # fmt: skip


__all__ = [
    "BASES", "BLOCK_HEIGHTS", "BLOCK_WIDTHS", "CLASSES", "CLASS_BOTH", "CLASS_COLOR",
    "CLASS_DEPTH", "CLASS_STENCIL", "CODECS",
    "CODEC_NUMBERS", "COMPRESSED", "FIELDS", "GENERIC", "GIVEN", "INTEGER", "OPERATIONS",
    "Operation", "ROWS", "ROW_NUMBERS", "SIZED", "SIZE_2D", "SIZE_3D", "SIZE_CUBE", "SIZE_RECT",
    "TARGETS", "TARGET_NUMBERS", "Target", "UNCOMPRESSED", "VOLUMES",
]  # fmt: skip
