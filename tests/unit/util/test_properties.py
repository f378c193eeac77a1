# SPDX-License-Identifier: MIT
"""What holds for any input of the parsers that read what others wrote: numbers of variables as libc
reads them, PNG files, records of the cache. Hypothesis looks for what does not; the same examples
in each run, fresh ones in `scripts/test --long`."""

import ctypes
import struct

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pydri.tools import png
from pydri.util import codec
from pydri.util.options import parse_bool, parse_flags, parse_number, parse_size
from tests import host

LONG = host.tier() == "long"
COMMON = settings(
    derandomize=not LONG, max_examples=3000 if LONG else 200, deadline=None, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
NUMBERS = st.from_regex(r"\s*[-+]?(0[xX]?)?[0-9a-fA-FxX]{0,24}\s?[a-z]*", fullmatch=True)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)


@COMMON
@given(NUMBERS | WORDS)
def test_numbers_are_libcs(text: str) -> None:
    """strtoll with base 0; where it finds no digits it gives 0 (and we the default)."""
    libc = ctypes.CDLL("libc.so.6")
    libc.strtoll.restype = ctypes.c_longlong
    raw = ctypes.create_string_buffer(text.encode())
    end = ctypes.c_void_p()
    value = libc.strtoll(raw, ctypes.byref(end), 0)
    found = end.value != ctypes.addressof(raw)
    assert parse_number(text, 77) == (value if found else 77)


@COMMON
@given(WORDS | NUMBERS)
def test_any_text_of_a_variable_means_something(text: str) -> None:
    assert parse_bool(text, True) in (True, False)
    assert 0 <= parse_size(text, 5) < 1 << 63
    assert parse_flags(text, {"one": "", "two": ""}) <= {"one", "two"}


@COMMON
@given(st.integers(1, 30), st.integers(1, 30), st.data(), st.integers(0, 9))
def test_pictures_come_back(width: int, height: int, data: st.DataObject, level: int) -> None:
    rgb = data.draw(st.binary(min_size=3 * width * height, max_size=3 * width * height))
    image = png.Image(width, height, rgb)
    assert png.decode(png.encode(image, level)) == image


@COMMON
@given(st.binary(max_size=60), st.integers(0, 80), st.integers(0, 8))
def test_a_damaged_picture_is_a_value_error(junk: bytes, at: int, lost: int) -> None:
    """Bytes in place of others, fewer, or more."""
    whole = png.encode(png.Image(3, 2, bytes(range(18))))
    for data in (whole[:8] + junk, whole[:at] + junk + whole[at + lost :]):
        try:
            image = png.decode(data)
        except ValueError:
            continue
        assert len(image.rgb) == 3 * image.width * image.height


@COMMON
@given(
    st.lists(st.integers(-(1 << 63), (1 << 63) - 1), max_size=9),
    st.lists(st.binary(max_size=9), max_size=9),
)
def test_records_come_back(numbers: list[int], texts: list[bytes]) -> None:
    written = codec.Writer()
    written.numbers(numbers)
    written.data(*texts)

    def parse(read: codec.Reader) -> tuple[list[int], list[bytes]]:
        return list(read.numbers()), [read.data() for _ in texts]

    assert codec.decode(written.finish(), parse) == (numbers, texts)


@COMMON
@given(st.binary(max_size=80) | st.builds(lambda a, b, rest: struct.pack("<II", a, b) + rest,
       st.integers(0, 9), st.integers(0, 9), st.binary(max_size=150)))  # fmt: skip
def test_a_made_up_record_is_damaged(data: bytes) -> None:
    """Or it is what it says; nothing else is raised."""
    def parse(read: codec.Reader) -> list[str]:
        read.numbers()
        return [read.text() for _ in range(read.count())]

    try:
        codec.decode(data, parse)
    except codec.Damaged:
        pass
