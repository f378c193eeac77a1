# SPDX-License-Identifier: MIT
"""Rows of bytes: every length and alignment that the kernel treats differently, and nothing beside
them."""

import ctypes
import random

import pytest

from pydri.jit import Module
from pydri.pipe.rows import move_rows

ROWS, ROOM = 3, 1024


@pytest.fixture(scope="module")
def move():
    image = Module("test_rows", [move_rows]).compile()
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, *[ctypes.c_uint64] * 2,
                            *[ctypes.c_int64] * 2, ctypes.c_uint32)  # fmt: skip
    return kind(image.address("move_rows")), image


@pytest.mark.parametrize("gap", [0, 5, 64])
@pytest.mark.parametrize("start", [0, 1, 16, 63])
def test_rows_are_copied_and_nothing_else(move, start, gap):
    function, _ = move
    random.seed(start)
    given = random.randbytes(ROWS * ROOM + 256)
    source = ctypes.create_string_buffer(given, len(given))
    for size in (0, 1, 63, 64, 65, 127, 128, 129, 191, 192, 257, 319, 320, 321, 448, 513, 800):
        into = ctypes.create_string_buffer(b"\xa5" * len(given), len(given))
        step, source_step = size + gap, size + 3 * gap
        function(ctypes.addressof(into) + 64 + start, ctypes.addressof(source) + 7, size, ROWS,
                 step, source_step, 0)  # fmt: skip
        wanted = bytearray(b"\xa5" * len(given))
        for row in range(ROWS):
            at, come = 64 + start + row * step, 7 + row * source_step
            wanted[at : at + size] = given[come : come + size]
        assert into.raw == bytes(wanted), size


@pytest.mark.parametrize("repeat", [1, 2, 4, 8, 16])
def test_rows_repeat_their_beginning(move, repeat):
    function, _ = move
    given = random.Random(repeat).randbytes(ROWS * ROOM)
    source = ctypes.create_string_buffer(given, len(given))
    for size in (16, 160, 800):
        into = ctypes.create_string_buffer(b"\xa5" * len(given), len(given))
        function(ctypes.addressof(into), ctypes.addressof(source), size, ROWS, ROOM, size, repeat)
        for n in range(ROWS):
            row = given[n * size : (n + 1) * size]
            row = row + row[:repeat]
            assert into.raw[n * ROOM : (n + 1) * ROOM] == row.ljust(ROOM, b"\xa5")
