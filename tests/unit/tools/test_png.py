# SPDX-License-Identifier: MIT
"""PNG files: what is written is what the specification says, and what others write can be read."""

import struct
import zlib

import pytest

from pydri.tools.png import Image, decode, encode


def test_the_bytes_of_a_file() -> None:
    data = encode(Image(2, 2, bytes(range(12))))
    assert data.startswith(b"\x89PNG") and data[16:24] == b"\0\0\0\2\0\0\0\2"
    body = data[data.index(b"IDAT") + 4 : -16]
    assert zlib.decompress(body) == b"\0" + bytes(range(6)) + b"\0" + bytes(range(6, 12))


def test_png_round_trip() -> None:
    image = Image(5, 3, bytes(range(45)))
    assert decode(encode(image)) == image
    with pytest.raises(ValueError, match="not a PNG"):
        decode(b"GIF89a")


def test_png_filters() -> None:
    """Rows filtered by other writers: left, up, average, Paeth."""
    rows = [bytes([10, 20, 30, 40, 50, 60]), bytes([15, 25, 35, 45, 55, 65])]

    def paeth(a: int, b: int, c: int) -> int:
        p = a + b - c
        return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]

    for kind in range(5):
        raw = b""
        for y, row in enumerate(rows):
            above = rows[y - 1] if y else bytes(6)
            out = []
            for i, value in enumerate(row):
                a, b = (row[i - 3] if i >= 3 else 0), above[i]
                c = above[i - 3] if i >= 3 else 0
                out.append((value - [0, a, b, (a + b) // 2, paeth(a, b, c)][kind]) & 255)
            raw += bytes([kind, *out])
        plain = encode(Image(2, 2, b"".join(rows)))
        at = plain.index(b"IDAT") - 4
        size = struct.unpack_from(">I", plain, at)[0]
        body = zlib.compress(raw)
        chunk = struct.pack(">I", len(body)) + b"IDAT" + body
        chunk += struct.pack(">I", zlib.crc32(b"IDAT" + body))
        assert decode(plain[:at] + chunk + plain[at + size + 12 :]).rgb == b"".join(rows)
