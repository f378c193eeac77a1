# SPDX-License-Identifier: MIT
"""Native tables that grow."""

import ctypes

from pydri.main import memory


def test_a_table_keeps_what_it_held() -> None:
    table, count = memory.grow_table(0, 0, 3, 64)
    assert count == 64
    cells = (ctypes.c_uint64 * count).from_address(table)
    assert not any(cells)
    cells[:] = range(count)
    table, count = memory.grow_table(table, count, 300, 64)
    assert count == 512
    cells = (ctypes.c_uint64 * count).from_address(table)
    assert cells[:64] == list(range(64)) and not any(cells[64:])
    memory.free(table)
