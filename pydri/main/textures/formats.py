# SPDX-License-Identifier: MIT
"""Internal formats of textures and renderbuffers: ONE table (GL 4.6, 8.5; the extensions of GL 1.x
that the names say).

In: an internal format, and where it has no size the format and type of the program's image. Out: a
row: base format, formats of the driver in order of preference, of which the first that
`is_format_supported` is taken; what GL_TEXTURE_INTERNAL_FORMAT answers; and the sizes and types
that glGetTexLevelParameter answers, which follow from the driver's format and the base format. What
a program can see is what the peer has (tests/unit/main/test_texture_formats.py compares all of
them). Mesa: main/teximage.c, main/glformats.c, state_tracker/st_format.c.

An internal format without a size follows the program's image where a format has the image's layout
(GL_RGB with 5_6_5 has 5, 6 and 5 bits): `sized`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pydri.api import enums as gl
from pydri.api.where import COMPAT_ONLY, In, on_desktop
from pydri.pipe.format import ASTC_SIZES, BY_NAME, DEPTH, TARGET, Format


class InternalFormat(NamedTuple):
    """A row. `formats`: names of pydri/pipe/format.py in order of preference."""

    enum: int
    base: int  # GL_RGBA ... GL_DEPTH_STENCIL
    formats: tuple[str, ...]
    answer: int  # of GL_TEXTURE_INTERNAL_FORMAT
    renderbuffer: bool = True  # glRenderbufferStorage takes it
    where: In | None = None

    @property
    def renderable(self) -> bool:
        """Whether it can be attached to a framebuffer that is then complete."""
        return bool(BY_NAME[self.formats[0]].uses & (TARGET | DEPTH))

    @property
    def compressed(self) -> bool:
        """Whether texels are stored as blocks."""
        return bool(BY_NAME[self.formats[0]].codec)


_BASES = {
    "R": gl.GL_RED, "RG": gl.GL_RG, "RGB": gl.GL_RGB, "RGBA": gl.GL_RGBA, "A": gl.GL_ALPHA,
    "L": gl.GL_LUMINANCE, "LA": gl.GL_LUMINANCE_ALPHA, "I": gl.GL_INTENSITY,
    "D": gl.GL_DEPTH_COMPONENT, "DS": gl.GL_DEPTH_STENCIL, "S": gl.GL_STENCIL_INDEX,
}  # fmt: skip

INTERNAL: dict[int, InternalFormat] = {}
_RGTC = ("ARB_texture_compression_rgtc", "EXT_texture_compression_rgtc")


_BOTH = ("ARB_framebuffer_object:3", "EXT_packed_depth_stencil:1", "OES_packed_depth_stencil:8")
_DEPTHS = ("ARB_depth_texture:1", "OES_depth_texture:8", "OES_required_internalformat:8")
#: internal formats whose enum also means something else: there where the format is; and depths,
#: which in OpenGL ES 1 renderbuffers alone hold
_WHERE: dict[int, In] = {
    gl.GL_DEPTH_STENCIL: In(30, 31, 0, 30, (*_BOTH, "NV_packed_depth_stencil:1")),
    gl.GL_DEPTH24_STENCIL8: In(30, 31, 0, 30, (*_BOTH, "OES_required_internalformat:8")),
    gl.GL_DEPTH_COMPONENT16: In(14, 31, 0, 20, _DEPTHS),
    gl.GL_DEPTH_COMPONENT24: In(14, 31, 0, 30, (*_DEPTHS, "OES_depth24:8")),
    **dict.fromkeys(range(1, 5), COMPAT_ONLY),
    gl.GL_ALPHA: In(10, 0, 10, 20),
    gl.GL_RED: In(30, 31, ext=("ARB_texture_rg", "EXT_texture_rg")),
    gl.GL_DEPTH_COMPONENT: In(14, 31, ext=("ARB_depth_texture", "OES_depth_texture")),
    gl.GL_STENCIL_INDEX: In(
        30, 31, ext=("ARB_texture_stencil8", "ARB_framebuffer_object", "EXT_framebuffer_object")
    ),
    # the registry has no extension with these
    gl.GL_COMPRESSED_RED: In(30, 31, ext=_RGTC), gl.GL_COMPRESSED_RG: In(30, 31, ext=_RGTC),
    **{
        getattr(gl, f"GL_{name}_SNORM"): In(0, 0, ext=("EXT_texture_snorm",))
        for name in ("RED", "RG", "RGB", "RGBA")  # in core, too, as Mesa
    },
    gl.GL_COMPRESSED_LUMINANCE_ALPHA_3DC_ATI: In(0, 0, ext=("ATI_texture_compression_3dc",)),
    # blocks whose extensions core contexts have, too
    **{
        getattr(gl, f"GL_COMPRESSED_{name}_EXT"): In(
            0, 0, ext=("EXT_texture_sRGB:3", "EXT_texture_compression_s3tc_srgb:8")
        )
        for name in ("SRGB_S3TC_DXT1", *(f"SRGB_ALPHA_S3TC_DXT{n}" for n in (1, 3, 5)))
    },
    **dict.fromkeys(
        (gl.GL_RGB_S3TC, gl.GL_RGB4_S3TC, gl.GL_RGBA_S3TC, gl.GL_RGBA4_S3TC), on_desktop("S3_s3tc")
    ),
    **dict.fromkeys(
        (gl.GL_COMPRESSED_RGB_FXT1_3DFX, gl.GL_COMPRESSED_RGBA_FXT1_3DFX),
        on_desktop("3DFX_texture_compression_FXT1"),
    ),
    gl.GL_BGRA: In(0, 0, ext=("EXT_texture_format_BGRA8888:c",)),
}  # fmt: skip


def _row(enum: int, base: str, formats: str, answer: int = 0, renderbuffer: bool = True) -> None:
    names = formats.split()
    # a format of red, green, blue and padding can be replaced by the one with alpha that is one
    for name in list(names):
        head, _, kind = name.rpartition("_")
        other = head.replace("X", "A") + "_" + kind
        if "X" in head and "Z" not in head and other in BY_NAME:
            names.append(other)
    INTERNAL[enum] = InternalFormat(
        enum, _BASES[base], tuple(names), answer or enum, renderbuffer, _WHERE.get(enum)
    )


def _rows(base: str, text: str) -> None:
    """Rows `GL_NAME=FORMAT FORMAT`, one a line."""
    for line in text.strip().splitlines():
        name, _, formats = line.strip().partition("=")
        _row(getattr(gl, f"GL_{name}"), base, formats)


# -- fractions -------------------------------------------------------------------------------------

_RGB8 = "R8G8B8X8_UNORM B8G8R8X8_UNORM"
_RGBA8 = "R8G8B8A8_UNORM B8G8R8A8_UNORM"
_GENERIC = (("L", "L8_UNORM"), ("LA", "L8A8_UNORM"), ("RGB", _RGB8), ("RGBA", _RGBA8))
for _n, (_base, _formats) in enumerate(_GENERIC, 1):
    _row(_n, _base, _formats, renderbuffer=False)
for _base, _formats in (*_GENERIC, ("A", "A8_UNORM"), ("I", "I8_UNORM"), ("R", "R8_UNORM"),
                        ("RG", "R8G8_UNORM")):  # fmt: skip
    _row(_BASES[_base], _base, _formats)
_rows("RGB", f"""
    R3_G3_B2=B2G3R3_UNORM
    RGB4=B4G4R4X4_UNORM
    RGB5=B5G5R5X1_UNORM
    RGB565=B5G6R5_UNORM
    RGB8={_RGB8}
    RGB10=B10G10R10X2_UNORM R10G10B10X2_UNORM
    RGB12=R16G16B16X16_UNORM
    RGB16=R16G16B16X16_UNORM
""")
_rows("RGBA", f"""
    RGBA2=B4G4R4A4_UNORM
    RGBA4=B4G4R4A4_UNORM
    RGB5_A1=B5G5R5A1_UNORM
    RGBA8={_RGBA8}
    RGB10_A2=R10G10B10A2_UNORM B10G10R10A2_UNORM
    RGBA12=R16G16B16A16_UNORM
    RGBA16=R16G16B16A16_UNORM
""")
_row(gl.GL_BGRA, "RGBA", "B8G8R8A8_UNORM R8G8B8A8_UNORM", renderbuffer=False)
_row(gl.GL_R8, "R", "R8_UNORM")
_row(gl.GL_R16, "R", "R16_UNORM")
_row(gl.GL_RG8, "RG", "R8G8_UNORM")
_row(gl.GL_RG16, "RG", "R16G16_UNORM")
for _name, _letter in (("ALPHA", "A"), ("LUMINANCE", "L"), ("INTENSITY", "I")):
    for _bits, _held in ((4, 8), (8, 8), (12, 16), (16, 16)):
        _row(getattr(gl, f"GL_{_name}{_bits}"), _letter, f"{_letter}{_held}_UNORM")
_rows("LA", """
    LUMINANCE4_ALPHA4=L4A4_UNORM
    LUMINANCE6_ALPHA2=L8A8_UNORM
    LUMINANCE8_ALPHA8=L8A8_UNORM
    LUMINANCE12_ALPHA4=L16A16_UNORM
    LUMINANCE12_ALPHA12=L16A16_UNORM
    LUMINANCE16_ALPHA16=L16A16_UNORM
""")

# -- signed fractions, floats, whole numbers -------------------------------------------------------

_CHANNELS = {
    "R": "R{0}", "RG": "R{0}G{0}", "RGB": "R{0}G{0}B{0}X{0}", "RGBA": "R{0}G{0}B{0}A{0}",
    "A": "A{0}", "L": "L{0}", "LA": "L{0}A{0}", "I": "I{0}",
}  # fmt: skip
_WORDS = {"A": "ALPHA", "L": "LUMINANCE", "LA": "LUMINANCE_ALPHA", "I": "INTENSITY"}
for _base, _pattern in _CHANNELS.items():
    _word = _WORDS.get(_base, "RED" if _base == "R" else _base)
    _row(getattr(gl, f"GL_{_word}_SNORM"), _base, _pattern.format(8) + "_SNORM")
    for _bits in (8, 16):
        _word = f"{_WORDS.get(_base, _base)}{_bits}"
        _word = f"LUMINANCE{_bits}_ALPHA{_bits}" if _base == "LA" else _word
        _row(getattr(gl, f"GL_{_word}_SNORM"), _base, _pattern.format(_bits) + "_SNORM")
    for _bits in (16, 32):
        _name = f"GL_{_WORDS.get(_base, _base)}{_bits}F" + ("_ARB" if _base in _WORDS else "")
        _row(getattr(gl, _name), _base, _pattern.format(_bits) + "_FLOAT")
    for _bits in (8, 16, 32):
        for _letters, _suffix in (("I", "SINT"), ("UI", "UINT")):
            _name = f"GL_{_WORDS.get(_base, _base)}{_bits}{_letters}"
            _name += "_EXT" if _base in _WORDS else ""
            _row(getattr(gl, _name), _base, f"{_pattern.format(_bits)}_{_suffix}")
_row(gl.GL_RGB10_A2UI, "RGBA", "R10G10B10A2_UINT B10G10R10A2_UINT")
_row(gl.GL_R11F_G11F_B10F, "RGB", "R11G11B10_FLOAT")
_row(gl.GL_RGB9_E5, "RGB", "R9G9B9E5_FLOAT")

#: What buffer textures may have (ARB_texture_buffer_object, table X.2, with ARB_texture_rg's and
#: EXT_texture_integer's): formats of a size, without sRGB and signed fractions. Texels lie in the
#: buffer as those of the row's first format do.
TEXEL_BUFFERS: tuple[int, ...] = tuple(
    getattr(gl, f"GL_{_pattern.format(_bits)}{_tail}")
    for _pattern, _suffixes in (
        ("R{0}", ("", "F", "I", "UI")), ("RG{0}", ("", "F", "I", "UI")),
        ("RGBA{0}", ("", "F", "I", "UI")), ("ALPHA{0}", ("", "F_ARB", "I_EXT", "UI_EXT")),
        ("LUMINANCE{0}", ("", "F_ARB", "I_EXT", "UI_EXT")),
        ("INTENSITY{0}", ("", "F_ARB", "I_EXT", "UI_EXT")),
        ("LUMINANCE{0}_ALPHA{0}", ("",)), ("LUMINANCE_ALPHA{0}", ("F_ARB", "I_EXT", "UI_EXT")),
    )
    for _tail in _suffixes
    for _bits in ((8, 16) if not _tail else (16, 32) if _tail[0] == "F" else (8, 16, 32))
)  # fmt: skip

# -- sRGB ------------------------------------------------------------------------------------------

_row(gl.GL_SRGB, "RGB", "R8G8B8X8_SRGB B8G8R8X8_SRGB", renderbuffer=False)
_row(gl.GL_SRGB8, "RGB", "R8G8B8X8_SRGB B8G8R8X8_SRGB")
_row(gl.GL_SRGB_ALPHA, "RGBA", "R8G8B8A8_SRGB B8G8R8A8_SRGB", renderbuffer=False)
_row(gl.GL_SRGB8_ALPHA8, "RGBA", "R8G8B8A8_SRGB B8G8R8A8_SRGB")
for _name, _base, _formats in (
    ("SLUMINANCE", "L", "L8_SRGB"), ("SLUMINANCE8", "L", "L8_SRGB"), ("SR8_EXT", "R", "R8_SRGB"),
    ("SLUMINANCE_ALPHA", "LA", "L8A8_SRGB"), ("SLUMINANCE8_ALPHA8", "LA", "L8A8_SRGB"),
    ("SRG8_EXT", "RG", "R8G8_SRGB"),
):  # fmt: skip
    _row(getattr(gl, f"GL_{_name}"), _base, _formats, renderbuffer=False)

# -- depth and stencil -----------------------------------------------------------------------------

_Z24 = "Z24X8_UNORM Z24_UNORM_S8_UINT"
_row(gl.GL_DEPTH_COMPONENT, "D", _Z24)
_row(gl.GL_DEPTH_COMPONENT16, "D", "Z16_UNORM")
_row(gl.GL_DEPTH_COMPONENT24, "D", _Z24)
_row(gl.GL_DEPTH_COMPONENT32, "D", f"Z32_UNORM {_Z24}")
_row(gl.GL_DEPTH_COMPONENT32F, "D", "Z32_FLOAT")
_row(gl.GL_DEPTH_STENCIL, "DS", "Z24_UNORM_S8_UINT")
_row(gl.GL_DEPTH24_STENCIL8, "DS", "Z24_UNORM_S8_UINT")
_row(gl.GL_DEPTH32F_STENCIL8, "DS", "Z32_FLOAT_S8X24_UINT")
for _name in ("", "1", "4", "8", "16"):
    _row(getattr(gl, f"GL_STENCIL_INDEX{_name}"), "S", "S8_UINT")

# -- compressed ------------------------------------------------------------------------------------


def _blocks(base: str, text: str) -> None:
    """Rows `GL_NAME=FORMAT [GL_ANSWER]`, one a line: blocks, which no renderbuffer has."""
    for line in text.strip().splitlines():
        name, _, rest = line.strip().partition("=")
        formats, _, answer = rest.partition(" ")
        enum = getattr(gl, f"GL_{name}")
        _row(enum, base, formats, getattr(gl, f"GL_{answer}") if answer else 0, False)


_blocks("RGB", """
    COMPRESSED_RGB_S3TC_DXT1_EXT=DXT1_RGB
    COMPRESSED_SRGB_S3TC_DXT1_EXT=DXT1_SRGB
    COMPRESSED_RGB_FXT1_3DFX=FXT1_RGB
    ETC1_RGB8_OES=ETC1_RGB
    COMPRESSED_RGB8_ETC2=ETC2_RGB
    COMPRESSED_SRGB8_ETC2=ETC2_SRGB
    COMPRESSED_RGB_BPTC_SIGNED_FLOAT=BPTC_RGB_FLOAT
    COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT=BPTC_RGB_UFLOAT
    COMPRESSED_RGB=DXT1_RGB COMPRESSED_RGB_S3TC_DXT1_EXT
    COMPRESSED_SRGB=DXT1_SRGB COMPRESSED_SRGB_S3TC_DXT1_EXT
    RGB_S3TC=DXT1_RGB COMPRESSED_RGB_S3TC_DXT1_EXT
    RGB4_S3TC=DXT1_RGB COMPRESSED_RGB_S3TC_DXT1_EXT
""")
_blocks("RGBA", """
    COMPRESSED_RGBA_S3TC_DXT1_EXT=DXT1_RGBA
    COMPRESSED_RGBA_S3TC_DXT3_EXT=DXT3_RGBA
    COMPRESSED_RGBA_S3TC_DXT5_EXT=DXT5_RGBA
    COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT=DXT1_SRGBA
    COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT=DXT3_SRGBA
    COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT=DXT5_SRGBA
    COMPRESSED_RGBA_FXT1_3DFX=FXT1_RGBA
    COMPRESSED_RGB8_PUNCHTHROUGH_ALPHA1_ETC2=ETC2_RGBA1
    COMPRESSED_SRGB8_PUNCHTHROUGH_ALPHA1_ETC2=ETC2_SRGBA1
    COMPRESSED_RGBA8_ETC2_EAC=ETC2_RGBA
    COMPRESSED_SRGB8_ALPHA8_ETC2_EAC=ETC2_SRGBA
    COMPRESSED_RGBA_BPTC_UNORM=BPTC_RGBA
    COMPRESSED_SRGB_ALPHA_BPTC_UNORM=BPTC_SRGBA
    COMPRESSED_RGBA=DXT5_RGBA COMPRESSED_RGBA_S3TC_DXT5_EXT
    COMPRESSED_SRGB_ALPHA=DXT3_SRGBA COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT
    RGBA_S3TC=DXT3_RGBA COMPRESSED_RGBA_S3TC_DXT3_EXT
    RGBA4_S3TC=DXT3_RGBA COMPRESSED_RGBA_S3TC_DXT3_EXT
""")
_blocks("R", """
    COMPRESSED_RED_RGTC1=RGTC1_UNORM
    COMPRESSED_SIGNED_RED_RGTC1=RGTC1_SNORM
    COMPRESSED_RED=RGTC1_UNORM COMPRESSED_RED_RGTC1
    COMPRESSED_R11_EAC=EAC1_UNORM
    COMPRESSED_SIGNED_R11_EAC=EAC1_SNORM
""")
_blocks("RG", """
    COMPRESSED_RG_RGTC2=RGTC2_UNORM
    COMPRESSED_SIGNED_RG_RGTC2=RGTC2_SNORM
    COMPRESSED_RG=RGTC2_UNORM COMPRESSED_RG_RGTC2
    COMPRESSED_RG11_EAC=EAC2_UNORM
    COMPRESSED_SIGNED_RG11_EAC=EAC2_SNORM
""")
_blocks("L", """
    COMPRESSED_LUMINANCE_LATC1_EXT=LATC1_UNORM
    COMPRESSED_SIGNED_LUMINANCE_LATC1_EXT=LATC1_SNORM
    COMPRESSED_LUMINANCE=LATC1_UNORM COMPRESSED_LUMINANCE_LATC1_EXT
    COMPRESSED_SLUMINANCE=L8_SRGB LUMINANCE
""")
_blocks("LA", """
    COMPRESSED_LUMINANCE_ALPHA_LATC2_EXT=LATC2_UNORM
    COMPRESSED_SIGNED_LUMINANCE_ALPHA_LATC2_EXT=LATC2_SNORM
    COMPRESSED_LUMINANCE_ALPHA_3DC_ATI=LATC2_UNORM COMPRESSED_LUMINANCE_ALPHA_LATC2_EXT
    COMPRESSED_LUMINANCE_ALPHA=LATC2_UNORM COMPRESSED_LUMINANCE_ALPHA_LATC2_EXT
    COMPRESSED_SLUMINANCE_ALPHA=L8A8_SRGB LUMINANCE_ALPHA
""")
for _width, _height in ASTC_SIZES:
    _blocks("RGBA", f"""
        COMPRESSED_RGBA_ASTC_{_width}x{_height}_KHR=ASTC_{_width}x{_height}
        COMPRESSED_SRGB8_ALPHA8_ASTC_{_width}x{_height}_KHR=ASTC_{_width}x{_height}_SRGB
    """)
_blocks("A", "COMPRESSED_ALPHA=A8_UNORM ALPHA")
_blocks("I", "COMPRESSED_INTENSITY=I8_UNORM INTENSITY")


# -- without a size --------------------------------------------------------------------------------

_SIXTEEN = {
    gl.GL_RED: gl.GL_R16, gl.GL_RG: gl.GL_RG16, gl.GL_RGBA: gl.GL_RGBA16,
    gl.GL_ALPHA: gl.GL_ALPHA16, gl.GL_LUMINANCE: gl.GL_LUMINANCE16,
    gl.GL_LUMINANCE_ALPHA: gl.GL_LUMINANCE16_ALPHA16,
    gl.GL_DEPTH_COMPONENT: gl.GL_DEPTH_COMPONENT16,
}  # fmt: skip
_RGBA_BGRA = (gl.GL_RGBA, gl.GL_BGRA)
#: Generic compressed formats -> the formats that targets of lines have in their place: changes of
#: parts need not begin and end with a block there (Mesa: st_ChooseTextureFormat).
UNCOMPRESSED: dict[int, int] = {
    getattr(gl, f"GL_COMPRESSED_{name}"): getattr(gl, f"GL_{name}")
    for name in "RED RG RGB RGBA SRGB SRGB_ALPHA LUMINANCE LUMINANCE_ALPHA".split()
}
#: (internal format, format, type) -> internal format whose row is taken
SIZED: dict[tuple[int, int, int], int] = {
    (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT): gl.GL_DEPTH_COMPONENT32,
    (gl.GL_RGB, gl.GL_RGB, gl.GL_UNSIGNED_BYTE_3_3_2): gl.GL_R3_G3_B2,
    (gl.GL_RGB, gl.GL_RGB, gl.GL_UNSIGNED_BYTE_2_3_3_REV): gl.GL_R3_G3_B2,
    (gl.GL_RGB, gl.GL_RGB, gl.GL_UNSIGNED_SHORT_5_6_5): gl.GL_RGB565,
    (gl.GL_RGB, gl.GL_RGB, gl.GL_UNSIGNED_SHORT_5_6_5_REV): gl.GL_RGB565,
    **{(enum, enum, gl.GL_UNSIGNED_SHORT): to for enum, to in _SIXTEEN.items()},
    **{(gl.GL_RGB, f, gl.GL_UNSIGNED_SHORT_5_5_5_1): gl.GL_RGB5 for f in _RGBA_BGRA},
    **{(gl.GL_RGB, f, gl.GL_UNSIGNED_INT_2_10_10_10_REV): gl.GL_RGB10 for f in _RGBA_BGRA},
    **{
        (gl.GL_RGBA, f, t): to
        for types, to in (
            ((gl.GL_UNSIGNED_SHORT_4_4_4_4, gl.GL_UNSIGNED_SHORT_4_4_4_4_REV), gl.GL_RGBA4),
            ((gl.GL_UNSIGNED_SHORT_5_5_5_1, gl.GL_UNSIGNED_SHORT_1_5_5_5_REV), gl.GL_RGB5_A1),
            ((gl.GL_UNSIGNED_INT_10_10_10_2, gl.GL_UNSIGNED_INT_2_10_10_10_REV), gl.GL_RGB10_A2),
        )
        for t in types
        for f in ((*_RGBA_BGRA, gl.GL_ABGR_EXT) if to == gl.GL_RGBA4 else _RGBA_BGRA)
    },
}


def sized(internal: int, format: int, type_: int) -> InternalFormat | None:
    """The row of an internal format whose image is given in a format and a type (0: none is);
    None: there is no such internal format. `enum`, `base` and `answer` are the program's."""
    row = INTERNAL.get(internal)
    other = SIZED.get((internal, format, type_))
    if row is None or other is None:
        return row
    return row._replace(formats=INTERNAL[other].formats)


def choose(row: InternalFormat, supported: Callable[[int], bool]) -> Format | None:
    """The driver's format for a row: the first that it supports. Of compressed formats it need
    support what they are decoded to; None: it has none."""
    for name in row.formats:
        fmt = BY_NAME[name]
        held = BY_NAME[fmt.decoded] if fmt.codec else fmt
        if supported(held.number):
            return fmt
    return None


#: for drivers that have none of a row's fractions: a row of the same base that every driver has (GL
#: 2.1, 3.8.1: as close as possible, with fewer bits if need be)
_FEWER_BITS = {
    gl.GL_RGB: gl.GL_RGB8, gl.GL_RGBA: gl.GL_RGBA8, gl.GL_ALPHA: gl.GL_ALPHA8,
    gl.GL_LUMINANCE: gl.GL_LUMINANCE8, gl.GL_LUMINANCE_ALPHA: gl.GL_LUMINANCE8_ALPHA8,
    gl.GL_INTENSITY: gl.GL_INTENSITY8, gl.GL_DEPTH_COMPONENT: gl.GL_DEPTH_COMPONENT24,
}  # fmt: skip


def choose_any(row: InternalFormat, supported: Callable[[int], bool]) -> Format | None:
    """The same, with fewer bits or more where the driver has none that the row names."""
    found = choose(row, supported)
    if found is None and row.base in _FEWER_BITS and (
        not row.compressed and all(name.endswith("_UNORM") for name in row.formats)
    ):
        return choose(INTERNAL[_FEWER_BITS[row.base]], supported)
    return found


# -- what glGetTexLevelParameter answers -----------------------------------------------------------

#: which of r, g, b, a (or depth, stencil) each GL_TEXTURE_*_SIZE is, by base format
_SEEN = {
    gl.GL_RED: {"RED": 0}, gl.GL_RG: {"RED": 0, "GREEN": 1},
    gl.GL_RGB: {"RED": 0, "GREEN": 1, "BLUE": 2},
    gl.GL_RGBA: {"RED": 0, "GREEN": 1, "BLUE": 2, "ALPHA": 3},
    gl.GL_ALPHA: {"ALPHA": 3}, gl.GL_LUMINANCE: {"LUMINANCE": 0},
    gl.GL_LUMINANCE_ALPHA: {"LUMINANCE": 0, "ALPHA": 3}, gl.GL_INTENSITY: {"INTENSITY": 0},
    gl.GL_DEPTH_COMPONENT: {"DEPTH": 0}, gl.GL_STENCIL_INDEX: {"STENCIL": 1},
    gl.GL_DEPTH_STENCIL: {"DEPTH": 0, "STENCIL": 1},
}  # fmt: skip
COMPONENTS = (
    "RED", "GREEN", "BLUE", "ALPHA", "LUMINANCE", "INTENSITY", "DEPTH", "STENCIL",
)  # fmt: skip
_TYPES = {
    "un": gl.GL_UNSIGNED_NORMALIZED, "sn": gl.GL_SIGNED_NORMALIZED, "f": gl.GL_FLOAT,
    "m": gl.GL_FLOAT, "ui": gl.GL_UNSIGNED_INT, "si": gl.GL_INT, "us": gl.GL_NONE,
}  # fmt: skip
#: what Mesa tells of channels of blocks, by format or codec: r, g, b, a
_BLOCK_BITS = {
    "dxt1": (4,) * 4, "dxt3": (4,) * 4, "dxt5": (4,) * 4, "fxt1": (4, 4, 4, 1),
    "etc2_punched": (8, 8, 8, 1), "eac1": (11,) * 4, "eac2": (11,) * 4,
    **{f"ASTC_{width}x{height}": (16,) * 4 for width, height in ASTC_SIZES},
}  # fmt: skip


class Component(NamedTuple):
    """Bits and GL type of a component."""

    size: int
    type: int


def components(row: InternalFormat, fmt: Format) -> dict[str, Component]:
    """Sizes and types by COMPONENTS; what a base format does not have is not there."""
    out = {}
    for name, n in _SEEN[row.base].items():
        pick = fmt.swizzle[n : n + 1]
        if not pick.isdigit():
            continue
        kind, bits = fmt.channels[int(pick)]
        told = _BLOCK_BITS.get(fmt.name) or _BLOCK_BITS.get(fmt.codec)
        if told:
            bits = told[n]
        out[name] = Component(bits, _TYPES[kind])
    return out


def shared_size(fmt: Format) -> int:
    """GL_TEXTURE_SHARED_SIZE."""
    return next((bits for kind, bits in fmt.channels if kind == "e"), 0)


def image_size(fmt: Format, width: int, height: int, depth: int = 1) -> int:
    """Bytes of an image without gaps: GL_TEXTURE_COMPRESSED_IMAGE_SIZE, what
    glCompressedTexImage must be given."""
    across, down = -(-width // fmt.width), -(-height // fmt.height)
    return across * down * depth * fmt.bytes


__all__ = [
    "COMPONENTS", "Component", "INTERNAL", "InternalFormat", "choose", "components", "image_size",
    "TEXEL_BUFFERS", "shared_size", "sized",
]  # fmt: skip
