# SPDX-License-Identifier: MIT
"""What classes of rows are in the start image: `typing.NamedTuple`s that are cheap to make.

In: nothing. Out: `Row`, their base, and `GETTERS`. `typing.NamedTuple` has its methods compiled
anew at each start, for each class: a sixth of a millisecond. So libgl_shim/slim.py writes `__new__`
and the names of fields into the class itself when it makes the start image, and the rest, which is
the same for all, is here. A class from its source is `typing`'s own; tests/unit/shim/test_slim.py
holds one against the other.
"""

from _collections import _tuplegetter  # type: ignore[import-not-found]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Self

_MOST_FIELDS = 64
#: readers of the first element, of the second one ...: classes share them
GETTERS: "tuple[Any, ...]" = tuple(_tuplegetter(n, "") for n in range(_MOST_FIELDS))
MAKE = tuple.__new__


class Row(tuple):  # type: ignore[type-arg]
    """A tuple with named fields (collections.namedtuple)."""

    __slots__ = ()
    _fields: "tuple[str, ...]" = ()
    _field_defaults: "dict[str, Any]" = {}

    @classmethod
    def _make(cls, values: "Iterable[Any]") -> "Self":
        """A row of an iterable."""
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self, /, **changes: "Any") -> "Self":
        """The same with other values in some fields."""
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"Got unexpected field names: {list(changes)!r}")
        return made

    def _asdict(self) -> "dict[str, Any]":
        """Values by names."""
        return dict(zip(self._fields, self))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"{type(self).__name__}({fields})"

    def __getnewargs__(self) -> "tuple[Any, ...]":
        return tuple(self)


class Subscripted:
    """Stands for `typing.Generic`: parameters mean nothing at run time."""

    __slots__ = ()

    def __class_getitem__(cls, parameters: "Any") -> "type[Subscripted]":
        return cls


__all__ = ["GETTERS", "MAKE", "Row", "Subscripted"]
