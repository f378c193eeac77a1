# SPDX-License-Identifier: MIT
"""Reads the rows of gl_table.py, glx_table.py and egl_table.py (their format: scripts/gen_api.py).

In: one string with a line an entry point. Out: `Table`, which answers by name or slot and parses a
row only when asked: a program uses some dozens of 3,400 entry points. The C spelling of a type is
here too, because both the stubs (libgl_shim) and the externs (`_core`) are rendered from it.
"""

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


class Table:
    """Entry points in slot order."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")[:-1]
        self._slots: dict[str, int] | None = None
        self._aliases: dict[str, list[str]] | None = None
        self._bases: dict[str, str] = {}  # the other way round, filled with it

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def slots(self) -> dict[str, int]:
        """name -> slot."""
        if self._slots is None:
            self._slots = {line[: line.index(" ")]: i for i, line in enumerate(self._lines)}
        return self._slots

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
        if self._aliases is None:
            self._aliases = {}
            for line in self._lines:
                words = line.split(" ", 2)
                if words[1][0] == "=":
                    base = words[1][1:]
                    self._aliases.setdefault(base, []).append(words[0])
                    self._bases[words[0]] = base
        return self._aliases.get(name, [])

    def same(self, name: str) -> list[str]:
        """All names of a function. No row is parsed: the tables of native entry points are made of
        hundreds of names while a program starts.
        """
        found = self.aliases_of(name)
        base = self._bases.get(name, name)
        return [base, *(found if base == name else self.aliases_of(base))]
