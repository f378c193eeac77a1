# SPDX-License-Identifier: MIT
"""What was made lately, by what it was made of, as far as there is room.

In: keys, values, and how large each is. Out: the value of a key, unless it is long ago. Two
generations: what is asked for moves to the younger one, and once that is full the older one is
forgotten. So what is kept is at least the room's worth of what was used last, and at most twice
that, without a list of who came when.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Recent(Generic[_Key, _Value]):
    """A dictionary that forgets. Several threads may use one: at worst something is made twice."""

    __slots__ = ("_old", "_room", "_size", "_young")

    def __init__(self, room: int) -> None:
        self._room = room
        self._size = 0
        self._young: dict[_Key, tuple[_Value, int]] = {}
        self._old: dict[_Key, tuple[_Value, int]] = {}

    def get(self, key: _Key) -> _Value | None:
        """What was made of it; None: nothing that is still known."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is None:
                return None
            self.put(key, *found)
        return found[0]

    def put(self, key: _Key, value: _Value, size: int) -> None:
        """Keep a value."""
        if self._size + size > self._room and self._young:
            self._old, self._young, self._size = self._young, {}, 0
        self._young[key] = value, size
        self._size += size

    def clear(self) -> None:
        """Forget everything."""
        self._young, self._old, self._size = {}, {}, 0

    def __len__(self) -> int:
        """How many values there are, some of them twice."""
        return len(self._young) + len(self._old)


__all__ = ["Recent"]
