# SPDX-License-Identifier: MIT
"""Pixel and vertex formats: ONE row each (Mesa's u_format.csv as a Python table, so that start-up
parses nothing).

A name lists channels from the lowest address (arrays) or lowest bit (packed) upwards, as in
Gallium. A row: name, what it can be used for at most (which of that it is used for says
`is_format_supported` of the driver's screen), channels as (type, bits) with type
un/sn/us/ss/sx/ui/si/f/m/e/x (unorm, snorm, uscaled, sscaled, 16.16 fixed, uint, sint, float,
mantissa and exponent of a shared exponent, padding), and the swizzle that gives r, g, b, a (channel
numbers, or 0 and 1 as "z" and "o"). Of it follow kind and size.

Luminance, intensity and alpha formats are rows of their own, and no more than that: L8A8_UNORM has
the channels of R8G8_UNORM and the swizzle "0001". So code that is made by channels (fetch, store,
samplers) is the same, the swizzle is data that is composed with that of the texture, and what is
stored where follows from the same row: a channel gets the first of r, g, b, a that reads it.

A name that ends in _SRGB is a view of the format whose name ends in _UNORM: of the same bytes, but
red, green and blue hold sRGB-encoded numbers. Surfaces have the UNORM format (`Surface.srgb` names
the view); pipelines draw through the one or the other.

A compressed format has blocks of several texels. What `codec` says decodes them (codecs of
pydri/pipe), to texels of the format `decoded`; that is what is sampled.

What the numbers of a texel mean is what pydri/pipe/format_numpy.py makes of the row; kernels
(pydri/pipe/format_emit.py) are compared with that."""

from __future__ import annotations

from typing import NamedTuple

#: What a format can be used for.
VERTEX, SAMPLER, TARGET, DEPTH, DISPLAY = 1, 2, 4, 8, 16
_TEXTURE = SAMPLER | TARGET
_WINDOW = SAMPLER | TARGET | DISPLAY
_ZS = SAMPLER | DEPTH


class Format(NamedTuple):
    """Description of a format; `number` is what native structs hold."""

    number: int
    name: str
    kind: str  # unorm snorm uscaled sscaled fixed uint sint float shared srgb zs compressed none
    bits: int  # a block
    channels: tuple[tuple[str, int], ...]
    swizzle: str  # "rgba" as channel digits: '2','1','0','3' for BGRA; 'z' = 0, 'o' = 1
    uses: int  # VERTEX | SAMPLER ...
    width: int = 1  # texels of a block
    height: int = 1
    codec: str = ""
    decoded: str = ""  # name of the format that a compressed one is decoded to

    @property
    def bytes(self) -> int:
        """Bytes a block."""
        return self.bits // 8

    @property
    def component_bits(self) -> tuple[int, ...]:
        """Bits of red, green, blue and alpha; 0: there is none, as where there are depths."""
        picks = self.swizzle[:4].ljust(4, "z") if self.kind != "zs" else "zzzz"
        return tuple(self.channels[int(c)][1] if c.isdigit() else 0 for c in picks)

    @property
    def srgb(self) -> bool:
        """Whether red, green and blue are sRGB-encoded."""
        return self.name.endswith("_SRGB")

    @property
    def integer(self) -> bool:
        """Whether a sampler gives whole numbers."""
        return self.kind in ("uint", "sint")


_KINDS = {
    "un": "unorm", "sn": "snorm", "us": "uscaled", "ss": "sscaled", "sx": "fixed", "ui": "uint",
    "si": "sint", "f": "float", "m": "shared", "": "none",
}  # fmt: skip


def _ch(text: str) -> tuple[tuple[tuple[str, int], ...], int, str]:
    """Channels of their text, the bits of all, and the kind."""
    out = [_CHANNELS.get(word) or _channel(word) for word in text.split()]
    return tuple(out), sum(size for _, size in out), _KINDS[out[0][0] if out else ""]


_CHANNELS: dict[str, tuple[str, int]] = {}  # there are few


def _channel(word: str) -> tuple[str, int]:
    """Letters and size of a channel."""
    letters = word.rstrip("0123456789")
    found = _CHANNELS[word] = letters, int(word[len(letters) :])
    return found


_ROWS: list[tuple[str, int, str, str]] = [
    ("NONE", 0, "", ""),
    # colour buffers
    ("B8G8R8A8_UNORM", _WINDOW, "un8 un8 un8 un8", "2103"),
    ("B8G8R8X8_UNORM", _WINDOW, "un8 un8 un8 x8", "210o"),
    ("R8G8B8A8_UNORM", _WINDOW | VERTEX, "un8 un8 un8 un8", "0123"),
    ("R8G8B8X8_UNORM", _WINDOW, "un8 un8 un8 x8", "012o"),
    ("B5G6R5_UNORM", _WINDOW, "un5 un6 un5", "210o"),
    ("R5G6B5_UNORM", _WINDOW, "un5 un6 un5", "012o"),
    ("B5G5R5X1_UNORM", _WINDOW, "un5 un5 un5 x1", "210o"),
    ("B10G10R10A2_UNORM", _WINDOW | VERTEX, "un10 un10 un10 un2", "2103"),
    ("B10G10R10X2_UNORM", _WINDOW, "un10 un10 un10 x2", "210o"),
    ("R10G10B10A2_UNORM", _WINDOW | VERTEX, "un10 un10 un10 un2", "0123"),
    ("R10G10B10X2_UNORM", _WINDOW, "un10 un10 un10 x2", "012o"),
    ("B8G8R8A8_SRGB", _WINDOW, "un8 un8 un8 un8", "2103"),
    ("B8G8R8X8_SRGB", _WINDOW, "un8 un8 un8 x8", "210o"),
    ("R8G8B8A8_SRGB", _WINDOW, "un8 un8 un8 un8", "0123"),
    ("R8G8B8X8_SRGB", _WINDOW, "un8 un8 un8 x8", "012o"),
    # depth and stencil: depth in the low bits, stencil above it
    ("Z16_UNORM", _ZS, "un16", "0"),
    ("Z24X8_UNORM", _ZS, "un24 x8", "0"),
    ("Z24_UNORM_S8_UINT", _ZS, "un24 us8", "01"),
    ("Z32_UNORM", _ZS, "un32", "0"),
    ("Z32_FLOAT", _ZS, "f32", "0"),
    ("Z32_FLOAT_S8X24_UINT", _ZS, "f32 us8 x24", "01"),
    ("S8_UINT", _ZS, "us8", "z0"),
]
_SWIZZLES = {1: "0zzo", 2: "01zo", 3: "012o", 4: "0123"}
_SUFFIX = {
    "f": "FLOAT", "un": "UNORM", "sn": "SNORM", "us": "USCALED", "ss": "SSCALED", "sx": "FIXED",
    "ui": "UINT", "si": "SINT",
}  # fmt: skip


def _arrays(types: str) -> None:
    """Rows of one to four channels of a type and size that vertices may have; those of textures
    have no three channels."""
    for word in types.split():
        kind = word.rstrip("0123456789")
        bits = word[len(kind) :]
        texture = VERTEX
        if kind in ("ui", "si") or (kind == "f" and bits != "64"):
            texture = VERTEX | _TEXTURE
        elif kind in ("un", "sn") and bits != "32":
            texture = VERTEX | _TEXTURE
        name = channels = ""
        for n, letter in enumerate("RGBA", 1):
            name += letter + bits
            channels += word + " "
            if name != "R8G8B8A8" or kind != "un":  # is a colour format already, which serves both
                uses = VERTEX if n == 3 else texture
                _ROWS.append((f"{name}_{_SUFFIX[kind]}", uses, channels, _SWIZZLES[n]))


_arrays("f32 f64 f16 un8 sn8 us8 ss8 un16 sn16 us16 ss16 un32 sn32 us32 ss32")
# ARB_vertex_array_bgra
_ROWS.append(("VB8G8R8A8_UNORM", VERTEX, "un8 un8 un8 un8", "2103"))
for _type in ("sn", "us", "ss"):  # those of "un" are windows' formats, too
    _packed = " ".join([f"{_type}{_bits}" for _bits in (10, 10, 10, 2)])
    _ROWS.append((f"R10G10B10A2_{_SUFFIX[_type]}", VERTEX, _packed, "0123"))
    _ROWS.append((f"B10G10R10A2_{_SUFFIX[_type]}", VERTEX, _packed, "2103"))
_ROWS.append(("R11G11B10_FLOAT", VERTEX | _TEXTURE, "f11 f11 f10", "012o"))
_arrays("sx32 ui8 si8 ui16 si16 ui32 si32")
# textures
_ROWS += [
    ("B2G3R3_UNORM", _TEXTURE, "un2 un3 un3", "210o"),
    ("B4G4R4A4_UNORM", _TEXTURE, "un4 un4 un4 un4", "2103"),
    ("B4G4R4X4_UNORM", _TEXTURE, "un4 un4 un4 x4", "210o"),
    ("B5G5R5A1_UNORM", _TEXTURE, "un5 un5 un5 un1", "2103"),
    ("L4A4_UNORM", _TEXTURE, "un4 un4", "0001"),
    ("R9G9B9E5_FLOAT", SAMPLER, "m9 m9 m9 e5", "012o"),
    ("R10G10B10A2_UINT", _TEXTURE, "ui10 ui10 ui10 ui2", "0123"),
    ("B10G10R10A2_UINT", _TEXTURE, "ui10 ui10 ui10 ui2", "2103"),
    ("R8_SRGB", SAMPLER, "un8", "0zzo"),
    ("R8G8_SRGB", SAMPLER, "un8 un8", "01zo"),
    ("L8_SRGB", SAMPLER, "un8", "000o"),
    ("L8A8_SRGB", SAMPLER, "un8 un8", "0001"),
]
for _word in "un8 un16 sn8 sn16 f16 f32 ui8 ui16 ui32 si8 si16 si32".split():
    _type = _word.rstrip("0123456789")
    _bits = _word[len(_type) :]
    _end = f"{_bits}_{_SUFFIX[_type]}"
    if _word != "un8":  # R8G8B8X8_UNORM is a window's
        _text = f"{_word} {_word} {_word} x{_bits}"
        _ROWS.append((f"R{_bits}G{_bits}B{_bits}X{_end}", _TEXTURE, _text, "012o"))
    _ROWS += [
        (f"A{_end}", _TEXTURE, _word, "zzz0"),
        (f"L{_end}", _TEXTURE, _word, "000o"),
        (f"L{_bits}A{_end}", _TEXTURE, f"{_word} {_word}", "0001"),
        (f"I{_end}", _TEXTURE, _word, "0000"),
    ]

#: Compressed formats: name, codec, bytes and width of a block, decoded. Those of ASTC follow; all
#: others are four texels high.
_BLOCKS: list[tuple[str, str, int, int, str]] = [
    ("DXT1_RGB", "dxt1", 8, 4, "R8G8B8X8_UNORM"),
    ("DXT1_RGBA", "dxt1", 8, 4, "R8G8B8A8_UNORM"),
    ("DXT3_RGBA", "dxt3", 16, 4, "R8G8B8A8_UNORM"),
    ("DXT5_RGBA", "dxt5", 16, 4, "R8G8B8A8_UNORM"),
    ("DXT1_SRGB", "dxt1", 8, 4, "R8G8B8X8_SRGB"),
    ("DXT1_SRGBA", "dxt1", 8, 4, "R8G8B8A8_SRGB"),
    ("DXT3_SRGBA", "dxt3", 16, 4, "R8G8B8A8_SRGB"),
    ("DXT5_SRGBA", "dxt5", 16, 4, "R8G8B8A8_SRGB"),
    ("RGTC1_UNORM", "rgtc1", 8, 4, "R8_UNORM"),
    ("RGTC1_SNORM", "rgtc1", 8, 4, "R8_SNORM"),
    ("RGTC2_UNORM", "rgtc2", 16, 4, "R8G8_UNORM"),
    ("RGTC2_SNORM", "rgtc2", 16, 4, "R8G8_SNORM"),
    ("LATC1_UNORM", "rgtc1", 8, 4, "L8_UNORM"),
    ("LATC1_SNORM", "rgtc1", 8, 4, "L8_SNORM"),
    ("LATC2_UNORM", "rgtc2", 16, 4, "L8A8_UNORM"),
    ("LATC2_SNORM", "rgtc2", 16, 4, "L8A8_SNORM"),
    ("FXT1_RGB", "fxt1", 16, 8, "R8G8B8X8_UNORM"),
    ("FXT1_RGBA", "fxt1", 16, 8, "R8G8B8A8_UNORM"),
    ("ETC1_RGB", "etc2", 8, 4, "R8G8B8X8_UNORM"),
    ("ETC2_RGB", "etc2", 8, 4, "R8G8B8X8_UNORM"),
    ("ETC2_SRGB", "etc2", 8, 4, "R8G8B8X8_SRGB"),
    ("ETC2_RGBA1", "etc2_punched", 8, 4, "R8G8B8A8_UNORM"),
    ("ETC2_SRGBA1", "etc2_punched", 8, 4, "R8G8B8A8_SRGB"),
    ("ETC2_RGBA", "etc2_alpha", 16, 4, "R8G8B8A8_UNORM"),
    ("ETC2_SRGBA", "etc2_alpha", 16, 4, "R8G8B8A8_SRGB"),
    ("EAC1_UNORM", "eac1", 8, 4, "R16_UNORM"),
    ("EAC1_SNORM", "eac1", 8, 4, "R16_SNORM"),
    ("EAC2_UNORM", "eac2", 16, 4, "R16G16_UNORM"),
    ("EAC2_SNORM", "eac2", 16, 4, "R16G16_SNORM"),
    ("BPTC_RGBA", "bptc", 16, 4, "R8G8B8A8_UNORM"),
    ("BPTC_SRGBA", "bptc", 16, 4, "R8G8B8A8_SRGB"),
    ("BPTC_RGB_FLOAT", "bptc_float", 16, 4, "R16G16B16X16_FLOAT"),
    ("BPTC_RGB_UFLOAT", "bptc_float", 16, 4, "R16G16B16X16_FLOAT"),
]
#: widths and heights of blocks of ASTC
ASTC_SIZES = (
    (4, 4), (5, 4), (5, 5), (6, 5), (6, 6), (8, 5), (8, 6), (8, 8), (10, 5), (10, 6), (10, 8),
    (10, 10), (12, 10), (12, 12),
)  # fmt: skip

FORMATS: list[Format] = []
BY_NAME: dict[str, Format] = {}
_parsed: dict[str, tuple[tuple[tuple[str, int], ...], int, str]] = {}
for _name, _uses, _text, _swz in _ROWS:
    _found = _parsed.get(_text)
    if _found is None:
        _found = _parsed[_text] = _ch(_text)
    _channels, _size, _kind = _found
    if _uses & DEPTH:
        _kind = "zs"
    elif _name[-4:] == "SRGB":
        _kind = "srgb"
    _row = Format(len(FORMATS), _name, _kind, _size, _channels, _swz, _uses)
    BY_NAME[_name] = _row
    FORMATS.append(_row)


def _block_row(name: str, codec: str, size: int, width: int, height: int, decoded: str) -> None:
    row = BY_NAME[decoded]
    BY_NAME[name] = Format(
        len(FORMATS), name, "compressed", 8 * size, row.channels, row.swizzle, SAMPLER, width,
        height, codec, decoded,
    )  # fmt: skip
    FORMATS.append(BY_NAME[name])


for _name, _codec, _bytes, _width, _decoded in _BLOCKS:
    _block_row(_name, _codec, _bytes, _width, 4, _decoded)
for _width, _height in ASTC_SIZES:
    for _end, _decoded in (("", "R8G8B8A8_UNORM"), ("_SRGB", "R8G8B8A8_SRGB")):
        _name = f"ASTC_{_width}x{_height}{_end}"
        _block_row(_name, "astc", 16, _width, _height, _decoded)


def number(name: str) -> int:
    """The number of a format by its name."""
    return BY_NAME[name].number


def linear(fmt: Format) -> Format:
    """The format of the same bytes without sRGB encoding; most are that themselves."""
    return BY_NAME[fmt.name.removesuffix("_SRGB") + "_UNORM"] if fmt.srgb else fmt


def srgb_view(fmt: Format) -> Format | None:
    """The sRGB-encoded view of a format, if it has one (or is one)."""
    return BY_NAME.get(fmt.name.removesuffix("_UNORM").removesuffix("_SRGB") + "_SRGB")


#: What windows' surfaces may have (each view counts as what it is a view of).
COLOR_FORMATS = tuple(f for f in FORMATS if f.uses & DISPLAY and not f.srgb)
ZS_FORMATS = tuple(f for f in FORMATS if f.kind == "zs")
