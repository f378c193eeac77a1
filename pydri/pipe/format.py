# SPDX-License-Identifier: MIT
"""Pixel and vertex formats: ONE row each (Mesa's u_format.csv as a Python table, so that start-up
parses nothing).

A name lists channels from the lowest address (arrays) or lowest bit (packed) upwards, as in
Gallium. A row: name, kind ("color", "zs", "vertex"), bits a pixel, channels as (type, bits) with
type un/sn/us/ss/sx/ui/si/f/x (unorm, snorm, uscaled, sscaled, 16.16 fixed, uint, sint, float,
padding), and the swizzle that gives
r, g, b, a (channel numbers, or 0 and 1 as "0" and "1").

A name that ends in _SRGB is a view of the format whose name ends in _UNORM: of the same bytes, but
red, green and blue hold sRGB-encoded numbers. Surfaces have the UNORM format (`Surface.srgb` names
the view); pipelines draw through the one or the other."""

from __future__ import annotations

from typing import NamedTuple


class Format(NamedTuple):
    """Description of a format; `number` is what native structs hold."""

    number: int
    name: str
    kind: str
    bits: int
    channels: tuple[tuple[str, int], ...]
    swizzle: str  # "rgba" as channel digits: '2','1','0','3' for BGRA; 'z' = 0, 'o' = 1

    @property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def srgb(self) -> bool:
        """Whether red, green and blue are sRGB-encoded."""
        return self.name.endswith("_SRGB")


def _ch(text: str) -> tuple[tuple[str, int], ...]:
    out = []
    for word in text.split():
        kind = word.rstrip("0123456789")
        out.append((kind, int(word[len(kind) :])))
    return tuple(out)


_ROWS: list[tuple[str, str, str, str]] = [
    ("NONE", "none", "", ""),
    # colour buffers
    ("B8G8R8A8_UNORM", "color", "un8 un8 un8 un8", "2103"),
    ("B8G8R8X8_UNORM", "color", "un8 un8 un8 x8", "210o"),
    ("R8G8B8A8_UNORM", "color", "un8 un8 un8 un8", "0123"),
    ("R8G8B8X8_UNORM", "color", "un8 un8 un8 x8", "012o"),
    ("B5G6R5_UNORM", "color", "un5 un6 un5", "210o"),
    ("R5G6B5_UNORM", "color", "un5 un6 un5", "012o"),
    ("B5G5R5X1_UNORM", "color", "un5 un5 un5 x1", "210o"),
    ("B10G10R10A2_UNORM", "color", "un10 un10 un10 un2", "2103"),
    ("B10G10R10X2_UNORM", "color", "un10 un10 un10 x2", "210o"),
    ("R10G10B10A2_UNORM", "color", "un10 un10 un10 un2", "0123"),
    ("R10G10B10X2_UNORM", "color", "un10 un10 un10 x2", "012o"),
    ("B8G8R8A8_SRGB", "color", "un8 un8 un8 un8", "2103"),
    ("B8G8R8X8_SRGB", "color", "un8 un8 un8 x8", "210o"),
    ("R8G8B8A8_SRGB", "color", "un8 un8 un8 un8", "0123"),
    ("R8G8B8X8_SRGB", "color", "un8 un8 un8 x8", "012o"),
    # depth and stencil: depth in the low bits, stencil above it
    ("Z16_UNORM", "zs", "un16", "0"),
    ("Z24X8_UNORM", "zs", "un24 x8", "0"),
    ("Z24_UNORM_S8_UINT", "zs", "un24 us8", "01"),
    ("Z32_UNORM", "zs", "un32", "0"),
    ("Z32_FLOAT", "zs", "f32", "0"),
    ("Z32_FLOAT_S8X24_UINT", "zs", "f32 us8 x24", "01"),
    ("S8_UINT", "zs", "us8", "z0"),
]
_SWIZZLES = {1: "0zzo", 2: "01zo", 3: "012o", 4: "0123"}
for _type, _bits, _suffix in (
    ("f", 32, "FLOAT"),
    ("f", 64, "FLOAT"),
    ("f", 16, "FLOAT"),
    ("un", 8, "UNORM"),
    ("sn", 8, "SNORM"),
    ("us", 8, "USCALED"),
    ("ss", 8, "SSCALED"),
    ("un", 16, "UNORM"),
    ("sn", 16, "SNORM"),
    ("us", 16, "USCALED"),
    ("ss", 16, "SSCALED"),
    ("un", 32, "UNORM"),
    ("sn", 32, "SNORM"),
    ("us", 32, "USCALED"),
    ("ss", 32, "SSCALED"),
):
    for _n in range(1, 5):
        _name = "".join(f"{c}{_bits}" for c in "RGBA"[:_n]) + "_" + _suffix
        if _name != "R8G8B8A8_UNORM":  # is a colour format already; the same row serves vertices
            _ROWS.append((_name, "vertex", " ".join([f"{_type}{_bits}"] * _n), _SWIZZLES[_n]))
_ROWS.append(("VB8G8R8A8_UNORM", "vertex", "un8 un8 un8 un8", "2103"))  # ARB_vertex_array_bgra
for _type, _suffix in (("un", "UNORM"), ("sn", "SNORM"), ("us", "USCALED"), ("ss", "SSCALED")):
    for _order, _swz in (("R10G10B10A2", "0123"), ("B10G10R10A2", "2103")):
        if f"{_order}_{_suffix}" != "B10G10R10A2_UNORM":  # a colour format, too
            _packed = " ".join(f"{_type}{_bits}" for _bits in (10, 10, 10, 2))
            _ROWS.append((f"{_order}_{_suffix}", "vertex", _packed, _swz))
_ROWS.append(("R11G11B10_FLOAT", "vertex", "f11 f11 f10", "012o"))
for _type, _bits, _suffix in (
    ("sx", 32, "FIXED"),
    ("ui", 8, "UINT"),
    ("si", 8, "SINT"),
    ("ui", 16, "UINT"),
    ("si", 16, "SINT"),
    ("ui", 32, "UINT"),
    ("si", 32, "SINT"),
):
    for _n in range(1, 5):
        _name = "".join(f"{c}{_bits}" for c in "RGBA"[:_n]) + "_" + _suffix
        _ROWS.append((_name, "vertex", " ".join([f"{_type}{_bits}"] * _n), _SWIZZLES[_n]))


FORMATS: list[Format] = []
BY_NAME: dict[str, Format] = {}
for _number, (_name, _kind, _channels, _swz) in enumerate(_ROWS):
    _parsed = _ch(_channels)
    _row = Format(_number, _name, _kind, sum(b for _, b in _parsed), _parsed, _swz)
    FORMATS.append(_row)
    BY_NAME[_name] = _row


def number(name: str) -> int:
    """The number of a format by its name."""
    return BY_NAME[name].number


def linear(fmt: Format) -> Format:
    """The format of the same bytes without sRGB encoding; most are that themselves."""
    return BY_NAME[fmt.name.removesuffix("_SRGB") + "_UNORM"] if fmt.srgb else fmt


def srgb_view(fmt: Format) -> Format | None:
    """The sRGB-encoded view of a format, if it has one (or is one)."""
    return BY_NAME.get(fmt.name.removesuffix("_UNORM").removesuffix("_SRGB") + "_SRGB")


#: What surfaces in memory may have (each view counts as what it is a view of).
COLOR_FORMATS = tuple(f for f in FORMATS if f.kind == "color" and not f.srgb)
ZS_FORMATS = tuple(f for f in FORMATS if f.kind == "zs")
