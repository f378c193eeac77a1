# SPDX-License-Identifier: MIT
"""Parameters of a program: constants, and references to state.

In: constants and references as a parser meets them. Out: a list in which each has a number, four
numbers each; what is there already is found again, of a constant perhaps as other components of an
earlier one. A reference is a tuple of words and numbers, such as ("material", "front", "ambient")
or ("env", 3); `state_name` writes it as a program does. Counterpart of Mesa's prog_parameter.c and
of the names in prog_statevars.c.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

State = tuple[str | int, ...]
Four = tuple[float, float, float, float]


#: what a program has of its own; all other references are to state
OWN_PARAMETERS = ("env", "local", "ati")


class Parameter(NamedTuple):
    """One: a constant of `size` numbers (the rest is 0), or a reference."""

    state: State | None
    values: Four = (0.0, 0.0, 0.0, 0.0)
    size: int = 4


def _bits(value: float) -> bytes:
    """Numbers are the same if their bits are."""
    return struct.pack("<f", value)


class ParameterList:
    """All parameters of a program."""

    def __init__(self) -> None:
        self.items: list[Parameter] = []

    def __len__(self) -> int:
        return len(self.items)

    def has(self, state: State) -> bool:
        """Whether a reference has a number."""
        return any(item.state == state for item in self.items)

    def add_state(self, state: State) -> int:
        """The number of a reference."""
        for n, item in enumerate(self.items):
            if item.state == state:
                return n
        return self.append(Parameter(state))

    def append(self, item: Parameter) -> int:
        """A parameter of its own, as elements of arrays that are indexed are."""
        self.items.append(item)
        return len(self.items) - 1

    def add_constant(
        self, values: tuple[float, ...], swizzled: bool = True
    ) -> tuple[int, tuple[int, int, int, int]]:
        """The number of a constant, and its components; `swizzled`: those of another will do."""
        size = len(values)
        if swizzled:
            for n, item in enumerate(self.items):
                found = None if item.state else _within(values, item)
                if found is not None:
                    return n, found
            if size == 1:
                for n, item in enumerate(self.items):
                    if item.state is None and item.size < 4:
                        at = item.size
                        whole = [*item.values[:at], values[0], *item.values[at + 1 :]]
                        self.items[n] = Parameter(None, _four(whole), at + 1)
                        return n, (at,) * 4
        number = self.append(Parameter(None, _four([*values, 0.0, 0.0, 0.0][:4]), size))
        return number, ((0, 0, 0, 0) if size == 1 else (0, 1, 2, 3))


def _four(values: list[float]) -> Four:
    return values[0], values[1], values[2], values[3]


def _within(values: tuple[float, ...], item: Parameter) -> tuple[int, int, int, int] | None:
    """The components of a constant that are these numbers."""
    if len(values) > item.size:
        return None
    have = [_bits(v) for v in item.values[: item.size]]
    picks = []
    for n, value in enumerate(values):
        bits = _bits(value)
        if bits not in have:
            return None
        picks.append(n if len(values) > 1 and have[n] == bits else have.index(bits))
    picks += [picks[-1]] * (4 - len(picks))
    return picks[0], picks[1], picks[2], picks[3]


def state_name(state: State) -> str:
    """A reference as programs write it (ARB_vertex_program, tables X.2 and X.3)."""
    kind, *rest = state
    if kind in ("env", "local"):
        return f"program.{kind}[{rest[0]}]"
    if kind == "matrix":
        name, index, modifier, row = rest
        place = f"[{index}]" if index or name in ("texture", "program") else ""
        tail = f".{modifier}" if modifier else ""
        return f"state.matrix.{name}{place}{tail}.row[{row}]"
    if kind in ("light", "lightprod", "texgen", "texenv", "clip"):
        rest = [f"[{rest[0]}]", *(f".{part}" for part in rest[1:])]
        return f"state.{kind}{''.join(map(str, rest))}{'.plane' if kind == 'clip' else ''}"
    return ".".join(map(str, ("state", *state)))


__all__ = ["Four", "Parameter", "ParameterList", "State", "state_name"]
