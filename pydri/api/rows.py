# SPDX-License-Identifier: MIT
"""Reads the rows of gl_table.py, glx_table.py and egl_table.py (their format: scripts/gen_api.py).

In: one string with a line an entry point. Out: `Table`, which answers by name or slot and parses a
row only when asked: a program uses some dozens of 3,400 entry points. The C spelling of a type is
here too, because both the stubs (libgl_shim) and the externs (`_core`) are rendered from it.
"""

from bisect import bisect_left
from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

C_TYPES = {
    "v": "void",
    "E": "unsigned int",
    "M": "unsigned int",
    "B": "unsigned int",
    "A": "unsigned int",
    "b": "unsigned char",
    "c": "signed char",
    "C": "unsigned char",
    "s": "short",
    "S": "unsigned short",
    "i": "int",
    "I": "unsigned int",
    "l": "long",
    "L": "unsigned long",
    "X": "unsigned long",
    "f": "float",
    "d": "double",
    "D": "unsigned long",
    "y": "void *",
    "V": "void *",
    "F": "void *",
    "G": "void *",
    "z": "void *",
    "p": "void *",
    "e": "unsigned int",
    "Y": "void *",
    "N": "void *",
    "*": "void *",
}


_FEW = 8


class Row:
    """One entry point: name, slot, the name it is an alias of (or ""), codes of result and
    parameters.
    """

    __slots__ = ("name", "slot", "alias", "ret", "params")

    def __init__(self, line: str, slot: int) -> None:
        words = line.split(" ")
        self.name = words[0]
        self.slot = slot
        at = 1
        self.alias = ""
        if words[1][0] == "=":
            self.alias, at = words[1][1:], 2
        self.ret = words[at]
        self.params: list[tuple[str, str]] = []
        for word in words[at + 1 :]:
            name, _, code = word.partition(":")
            self.params.append((name, code))

    @property
    def c_ret(self) -> str:
        """C type of the result, flattened."""
        return C_TYPES[self.ret[0]]

    @property
    def c_params(self) -> list[str]:
        """C types of the parameters, flattened."""
        return [C_TYPES[code[0]] for _, code in self.params]


class Slots(Mapping[str, int]):
    """name -> slot, found in the sorted lines: a dictionary would take each start half a
    millisecond."""

    __slots__ = ("_lines",)

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def __getitem__(self, name: str) -> int:
        slot = self.get(name)
        if slot is None:
            raise KeyError(name)
        return slot

    def get(self, name: str, default: "Any" = None) -> "Any":
        """The slot, or something else."""
        word = f"{name} "
        slot = bisect_left(self._lines, word)
        if slot < len(self._lines) and self._lines[slot].startswith(word):
            return slot
        return default

    def __contains__(self, name: object) -> bool:
        return self.get(str(name)) is not None

    def __iter__(self) -> "Iterator[str]":
        return (line[: line.index(" ")] for line in self._lines)

    def __len__(self) -> int:
        return len(self._lines)


class Table:
    """Entry points in slot order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = text.split("\n")[:-1]
        #: name -> slot
        self.slots = Slots(self._lines)
        self._aliases: dict[str, list[str]] | None = None
        self._bases: dict[str, str] = {}  # the other way round, filled with it
        self._asked = 0

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def names(self) -> list[str]:
        """All names, by slot."""
        return list(self.slots)

    def row(self, key: int | str) -> Row:
        """The row of a slot or a name."""
        slot = key if isinstance(key, int) else self.slots[key]
        return Row(self._lines[slot], slot)

    def aliases_of(self, name: str) -> list[str]:
        """Names whose row says that they are the same as `name`."""
        self._know_aliases()
        assert self._aliases is not None
        return self._aliases.get(name, [])

    def _know_aliases(self) -> None:
        if self._aliases is None:
            self._aliases = {}
            for line in self._lines:
                if " =" in line:
                    other, base, _ = line.split(" ", 2)
                    self._aliases.setdefault(base[1:], []).append(other)
                    self._bases[other] = base[1:]

    def _found(self, name: str) -> list[str]:
        """What `same` answers, without all aliases being known: a start asks once or twice."""
        slot = self.slots.get(name)
        base = (Row(self._lines[slot], slot).alias if slot is not None else "") or name
        found, word = [base], f" ={base} "
        at = self._text.find(word)
        while at >= 0:
            found.append(self._text[self._text.rfind("\n", 0, at) + 1 : at])
            at = self._text.find(word, at + 1)
        return found

    def same(self, name: str) -> list[str]:
        """All names of a function. No row is parsed: the tables of native entry points are made of
        hundreds of names where kernels are compiled.
        """
        self._asked += 1
        if self._asked < _FEW:
            return self._found(name)
        found = self.aliases_of(name)
        base = self._bases.get(name, name)
        return [base, *(found if base == name else self.aliases_of(base))]
