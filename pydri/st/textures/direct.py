# SPDX-License-Identifier: MIT
"""Images that become texels, and texels that become images, without numbers: copies, and bytes in
another order.

A *code* says how a format and a type of the program's memory go with a format of texels: 0, only
through numbers (textures/images.py); COPY, the same bytes; BYTES, each byte is one of the other
side's, 0 or 255; TURN and TURN_BACK, words of depth and stencil whose parts change places. Codes
follow from the rows on both sides: `upload_code`, `download_code`. Mesa: main/texstore.c (memcpy
and swizzle paths), _mesa_format_matches_format_and_type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import i64, kernel, ptr, u8, u32, u64, void
from pydri.main.pixels.tables import PixelFormat, PixelType, error_of
from pydri.pipe.format import Format
from pydri.pipe.rows import move_rows
from pydri.st.pixels.bytes import load_words, narrow_words, reorder
from pydri.st.pixels.copy import U32X16, copy_rows

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

COPY, BYTES, TURN, TURN_BACK = 1, 2, 3, 4  # in bits 24 and up
UNKNOWN = 0xFFFFFFFF  # not asked for yet
_ZERO, _ONE = 4, 5  # digits of an order

#: a channel of the program's pixels: type and bits; where r, g, b, a are, "z" and "o" else
_Client = tuple[tuple[tuple[str, int], ...], str]


def client_layout(format: PixelFormat, type_: PixelType) -> _Client | None:
    """Channels and swizzle, as in pydri/pipe/format.py, of pixels of the program; None: of kinds
    that are no colours, or that no row describes."""
    if format.kind not in ("color", "integer") or error_of(format.enum, type_.enum):
        return None
    if type_.kind in ("u", "i", "f"):
        kind = type_.kind
        if kind != "f":
            kind += "i" if format.kind == "integer" and kind == "u" else ""
            kind = {"ui": "ui", "u": "un", "i": "si" if format.kind == "integer" else "sn"}[kind]
        channels = [(kind, 8 * type_.bytes)] * format.components
        at = {c: str(n) for n, c in enumerate(format.channels)}
    elif type_.kind == "packed":
        widths = type_.widths if type_.reverse else type_.widths[::-1]
        kind = "ui" if format.kind == "integer" else "un"
        channels = [(kind, bits) for bits in widths]
        last = len(widths) - 1
        at = {c: str(n if type_.reverse else last - n) for n, c in enumerate(format.channels)}
    elif type_.kind == "r11g11b10":
        channels, at = [("f", 11), ("f", 11), ("f", 10)], {"R": "0", "G": "1", "B": "2"}
    elif type_.kind == "rgb9e5":
        channels = [("m", 9)] * 3 + [("e", 5)]
        at = {"R": "0", "G": "1", "B": "2"}
    else:
        return None
    if "L" in at:
        at |= dict.fromkeys("RGB", at["L"])
    swizzle = "".join(at.get(c, "o" if c == "A" else "z") for c in "RGBA")
    return tuple(channels), swizzle


def _order(digits: list[int], size_in: int, size_out: int) -> int:
    word = sum(d << 4 * n for n, d in enumerate(digits))
    return BYTES << 24 | size_in << 20 | size_out << 16 | word


def _digit(pick: str) -> int:
    return {"z": _ZERO, "o": _ONE}[pick] if pick in "zo" else int(pick)


def _all_bytes(channels: tuple[tuple[str, int], ...]) -> bool:
    return all(bits == 8 and kind in ("un", "x") for kind, bits in channels)


def _depth_code(format: PixelFormat, type_: PixelType, fmt: Format) -> int:
    """Of depth and stencil: what needs neither scale nor rounding."""
    pair = (format.kind, type_.kind, type_.bytes)
    if pair == ("both", "z24s8", 4) and fmt.name == "Z24_UNORM_S8_UINT":
        return TURN << 24
    same = {
        ("depth", "u", 2): "Z16_UNORM", ("depth", "u", 4): "Z32_UNORM",
        ("depth", "f", 4): "Z32_FLOAT", ("stencil", "u", 1): "S8_UINT",
        ("both", "z32fs8", 4): "Z32_FLOAT_S8X24_UINT",
    }  # fmt: skip
    return COPY << 24 if same.get(pair) == fmt.name else 0


def upload_code(format: PixelFormat, type_: PixelType, fmt: Format) -> int:
    """How pixels of the program become texels of a format."""
    if fmt.kind == "zs":
        # numbers below 0 and above 1 would have to be clamped: floats go the long way
        return 0 if type_.kind in ("f", "z32fs8") else _depth_code(format, type_, fmt)
    client = client_layout(format, type_)
    if client is None or (format.kind == "integer") != fmt.integer:
        return 0
    channels, swizzle = client
    sources = [fmt.swizzle.find(str(n)) for n in range(len(fmt.channels))]
    wanted = [swizzle[c] if c >= 0 else "x" for c in sources]
    same = len(channels) == len(wanted) and all(
        theirs[1] == bits and (kind == "x" or (theirs[0] == kind and pick == str(n)))
        for n, (theirs, (kind, bits), pick) in enumerate(
            zip(channels, fmt.channels, wanted, strict=True)
        )
    ) if len(channels) == len(fmt.channels) else False
    if same or (fmt.kind == "shared" and channels == fmt.channels):
        return COPY << 24
    if fmt.bytes <= 4 and len(channels) <= 4 and _all_bytes(channels) and _all_bytes(fmt.channels):
        digits = [_ONE if pick == "x" else _digit(pick) for pick in wanted]
        return _order(digits, len(channels), len(fmt.channels))
    return 0


#: what glGetTexImage gives of r, g, b, a, by base format; others give them as they are
READ_SWIZZLE = {
    gl.GL_LUMINANCE: "0zzo", gl.GL_INTENSITY: "0zzo", gl.GL_LUMINANCE_ALPHA: "0zz3",
    gl.GL_ALPHA: "zzz3", gl.GL_RGB: "012o", gl.GL_RED: "0zzo", gl.GL_RG: "01zo",
}  # fmt: skip


def natural_base(fmt: Format) -> int:
    """The base format whose textures a format is made for."""
    name = fmt.name
    for start, base in (("L8A8", gl.GL_LUMINANCE_ALPHA), ("L4A4", gl.GL_LUMINANCE_ALPHA)):
        if name.startswith(start):
            return base
    by_swizzle = {"zzz0": gl.GL_ALPHA, "000o": gl.GL_LUMINANCE, "0001": gl.GL_LUMINANCE_ALPHA,
                  "0000": gl.GL_INTENSITY, "0zzo": gl.GL_RED, "01zo": gl.GL_RG}  # fmt: skip
    if fmt.swizzle in by_swizzle:
        return by_swizzle[fmt.swizzle]
    return gl.GL_RGBA if "o" not in fmt.swizzle else gl.GL_RGB


def download_code(format: PixelFormat, type_: PixelType, fmt: Format) -> int:
    """How texels of a format become pixels of the program."""
    if fmt.kind == "zs":
        code = _depth_code(format, type_, fmt)
        return TURN_BACK << 24 if code == TURN << 24 else code
    client = client_layout(format, type_)
    if client is None or (format.kind == "integer") != fmt.integer:
        return 0
    channels, swizzle = client
    base = natural_base(fmt)
    # each channel of the program: r, g, b or a, then what that is of the texel
    read = READ_SWIZZLE.get(base, "0123")
    digits = []
    for n in range(len(channels)):
        c = swizzle.find(str(n))
        pick = read[c]
        digits.append(fmt.swizzle[int(pick)] if pick.isdigit() else pick)
    same = len(channels) == len(fmt.channels) and all(
        theirs == ours and pick == str(n)
        for n, (theirs, ours, pick) in enumerate(zip(channels, fmt.channels, digits, strict=True))
    )
    if same:
        return COPY << 24
    if fmt.bytes <= 4 and len(channels) <= 4 and _all_bytes(channels) and _all_bytes(fmt.channels):
        return _order([_digit(pick) for pick in digits], len(fmt.channels), len(channels))
    return 0


#: destination, source, pixels a row, rows, bytes from row to row of both, code, bytes a pixel, and
#: of COPY bytes that each row repeats behind it (move_rows)
DIRECT = (ptr(u8), ptr(u8), i64, i64, i64, i64, u32, u32, u32)


@kernel(void, DIRECT, noinline=True, noalias=(0, 1))
def tx_direct(b: Builder, dst: Pointer, src: Pointer, count: Value, rows: Value, dst_step: Value,
              src_step: Value, code: Value, size: Value, repeat: Value) -> None:  # fmt: skip
    """Rows of pixels as a code says; COPY: of `size` bytes each."""
    with b.If((code >> 24) == COPY):
        bytes_ = b.cast(count, u64) * b.cast(size, u64)
        b.call(move_rows, dst, src, bytes_, b.cast(rows, u64), dst_step, src_step, repeat)
        b.Return()
    for turn, left in ((TURN, 24), (TURN_BACK, 8)):
        with b.If((code >> 24) == turn):
            _turned(b, (dst, src, count, rows, dst_step, src_step), left)
            b.Return()
    with b.Switch((code >> 16) & 0xFF) as s:
        for size_in in range(1, 5):
            for size_out in range(1, 5):

                def convert(place: Pointer, i: int = size_in, o: int = size_out) -> Any:
                    words = reorder(b, load_words(b, place, i), code & 0xFFFF)
                    return narrow_words(b, words, o)

                with s.Case(size_in << 4 | size_out):
                    copy_rows(b, dst, src, count, rows, dst_step, src_step, size_in, size_out,
                              convert)


def _turned(b: Builder, rows: tuple[Any, ...], left: int) -> None:
    """Words whose bits are turned left."""

    def convert(place: Pointer) -> Any:
        v = place.cast(ptr(u32)).load(U32X16, align=1)
        return (v << left) | (v >> (32 - left))

    dst, src, count, number, dst_step, src_step = rows
    copy_rows(b, dst, src, count, number, dst_step, src_step, 4, 4, convert)


__all__ = [
    "BYTES", "COPY", "READ_SWIZZLE", "TURN", "TURN_BACK", "UNKNOWN", "client_layout",
    "download_code", "natural_base", "tx_direct", "upload_code",
]
