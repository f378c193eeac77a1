# SPDX-License-Identifier: MIT
"""PNG files without an image library: 8-bit RGB, written and read.

In: rows of RGB bytes.  Out: a PNG file as bytes, and back.  For screenshots of tools and tests; the
reader knows what this writer and most other programs write for RGB and RGBA (all five filters, no
interlacing).
"""

import struct
import zlib
from typing import NamedTuple

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Image(NamedTuple):
    """Pixels from the top row down, three bytes each."""

    width: int
    height: int
    rgb: bytes

    def pixel(self, x: int, y: int) -> tuple[int, int, int]:
        """Return red, green, blue of a pixel."""
        at = 3 * (y * self.width + x)
        red, green, blue = self.rgb[at : at + 3]
        return red, green, blue


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def encode(image: Image, level: int = 6) -> bytes:
    """Return the PNG file of an image."""
    row = 3 * image.width
    raw = b"".join(b"\0" + image.rgb[y * row : (y + 1) * row] for y in range(image.height))
    header = struct.pack(">IIBBBBB", image.width, image.height, 8, 2, 0, 0, 0)
    return (
        _SIGNATURE
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(raw, level))
        + _chunk(b"IEND", b"")
    )


def _unfilter(kind: int, row: bytearray, above: bytes, bpp: int) -> None:
    """Undo a row's filter in place (PNG specification, section 9)."""
    for i in range(len(row)):
        left = row[i - bpp] if i >= bpp else 0
        up = above[i]
        if kind == 1:
            row[i] = (row[i] + left) & 255
        elif kind == 2:
            row[i] = (row[i] + up) & 255
        elif kind == 3:
            row[i] = (row[i] + (left + up) // 2) & 255
        elif kind == 4:
            corner = above[i - bpp] if i >= bpp else 0
            p = left + up - corner
            a, b, c = abs(p - left), abs(p - up), abs(p - corner)
            best = left if a <= b and a <= c else up if b <= c else corner
            row[i] = (row[i] + best) & 255


def decode(data: bytes) -> Image:
    """Return the image of a PNG file; ValueError if it is another kind of file, or damaged."""
    if data[:8] != _SIGNATURE:
        raise ValueError("not a PNG file")
    try:
        return _decode(data)
    except (struct.error, zlib.error) as error:
        raise ValueError(f"a damaged PNG file: {error}") from None


def _decode(data: bytes) -> Image:
    at, body, width, height, channels = 8, b"", 0, 0, 3
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        chunk = data[at + 8 : at + 8 + size]
        at += size + 12
        if kind == b"IHDR":
            width, height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", chunk)
            if depth != 8 or color not in (2, 6) or interlace:
                raise ValueError("only 8-bit RGB and RGBA without interlacing")
            channels = 3 if color == 2 else 4
        elif kind == b"IDAT":
            body += chunk
    raw = zlib.decompress(body)
    stride = channels * width
    if not width or not height or len(raw) != height * (stride + 1):
        raise ValueError("a damaged PNG file: its image is of another size")
    if max(raw[:: stride + 1]) > 4:
        raise ValueError("a damaged PNG file: an unknown filter")
    above, rows = bytes(stride), []
    for y in range(height):
        start = y * (stride + 1)
        row = bytearray(raw[start + 1 : start + 1 + stride])
        if raw[start]:
            _unfilter(raw[start], row, above, channels)
        above = bytes(row)
        rows.append(above)
    rgb = b"".join(rows)
    if channels == 4:
        rgb = b"".join(rgb[i : i + 3] for i in range(0, len(rgb), 4))
    return Image(width, height, rgb)
