# SPDX-License-Identifier: MIT
"""Attributes of configs that kernels answer."""

import ctypes
from collections.abc import Callable

import pytest

from pydri.dri.native_configs import _PATIENCE, Configs, NativeConfigs, dri_config_value
from pydri.jit import Module


@pytest.fixture(scope="module")
def ask() -> Callable[..., int | None]:
    """(table, display, key, attribute) -> the value; None where it is a case for Python."""
    image = Module("config_value", [dri_config_value]).compile()
    prototype = ctypes.CFUNCTYPE(
        ctypes.c_uint32, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint32,
        ctypes.c_void_p,
    )  # fmt: skip
    call = prototype(image.address("dri_config_value"))

    def value(table: int, display: int, key: int, attribute: int) -> int | None:
        out = ctypes.c_int32(77)
        done = call(table, display, key, attribute, ctypes.addressof(out))
        assert done or out.value == 77
        return out.value if done else None

    assert not call(0, 1, 2, 3, ctypes.addressof(ctypes.c_int32()))
    return value


class Front:
    """A front with one screen of some configs."""

    def __init__(self, count: int) -> None:
        self.table = 0
        self.configs = NativeConfigs(self._publish)
        self.alive = ctypes.c_uint64(1)
        numbers = range(count)
        #: what is not known to a display alone is known to all
        self.keys = [(0x1000 + 32 * n, 9, n) for n in numbers] + [(8 + n, 0, n) for n in numbers]
        values = {5: [*numbers], 0x8013: [0xFFFFFFFF] * count, 2: [3 * n for n in numbers]}
        self.all = Configs(values, self.keys, ctypes.addressof(self.alive))

    def _publish(self, table: int) -> None:
        self.table = table

    def know(self, owner: object = "screen", configs: Configs | None = None) -> None:
        for _ in range(_PATIENCE):
            self.configs.asked(owner, lambda: configs or self.all)


def test_every_value_of_every_config(ask: Callable[..., int | None]) -> None:
    front = Front(600)
    front.know()
    for key, display, n in front.keys:
        found = [ask(front.table, display, key, attribute) for attribute in (5, 0x8013, 2)]
        assert found == [n, -1, 3 * n]
        assert ask(front.table, display, key, 6) is None
        assert ask(front.table, 8, key, 5) is None
        assert ask(front.table, display, key + 0x8008, 5) is None
    assert ask(front.table, 9, 0, 5) is None


def test_nothing_is_made_for_who_asks_little(ask: Callable[..., int | None]) -> None:
    front = Front(3)
    for _ in range(_PATIENCE - 1):
        front.configs.asked("screen", lambda: front.all)
    assert front.table == 0
    front.configs.asked("screen", lambda: front.all)
    assert ask(front.table, 9, 0x1000, 5) == 0


def test_changes_and_ends(ask: Callable[..., int | None]) -> None:
    front = Front(4)
    front.know()
    values = {5: [49, 50], 0x8013: [2, 1], 2: [6, 7]}
    other = Configs(values, [(0x9000, 0, 1)], ctypes.addressof(front.alive))
    front.know("another", other)
    assert ask(front.table, 0, 0x9000, 5) == 50 and ask(front.table, 9, 0x1020, 5) == 1
    front.configs.change(0x1020, 9, 8 + 3)
    front.configs.change(0x7777, 9, 8 + 3)  # not known: nothing happens
    assert ask(front.table, 9, 0x1020, 5) == 3 and ask(front.table, 9, 0x1020, 2) == 9
    assert ask(front.table, 9, 0x7777, 5) is None
    old = front.table
    front.configs.remove("screen")
    assert ask(front.table, 9, 0x1020, 5) is None and ask(front.table, 0, 0x9000, 2) == 7
    assert ask(old, 9, 0x1020, 5) == 3  # a thread that is reading it
    front.alive.value = 0
    assert ask(front.table, 0, 0x9000, 2) is None
    front.alive.value = 1
    front.know()
    assert ask(front.table, 9, 0x1020, 5) == 1
