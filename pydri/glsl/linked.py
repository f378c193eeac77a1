# SPDX-License-Identifier: MIT
"""What linking a program finds out: rows that outlive the trees.

In: nothing. Out: the classes that the linker fills in, apart from it, since a program that comes
from the cache (pydri/main/shaders/cache.py) needs these alone, and none of the front end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pydri.nir.types import SamplerType, Type

if TYPE_CHECKING:
    from pydri.glsl.linker_stage import Stage


class Uniform(NamedTuple):
    """A row. `size` is 0 for what is no array; `location` and `offset` are -1 for built-in ones."""

    name: str
    type: Type
    size: int
    location: int
    offset: int

    @property
    def builtin(self) -> bool:
        return self.location < 0

    @property
    def elements(self) -> int:
        return self.size or 1


class Sampler(NamedTuple):
    """A sampler of a stage: where in the program's block its unit stands, and what it is. One that
    isn't active keeps its number, but nobody looks through it.
    """

    offset: int
    type: SamplerType
    active: bool = True


class Attribute(NamedTuple):
    """An active attribute; built-in ones have no location (-1)."""

    name: str
    type: Type
    location: int


class Linked:
    """What came of it; without `good` only the log means something."""

    def __init__(self) -> None:
        self.good = True
        self.log = ""
        #: empty where the program came from the cache
        self.stages: dict[str, Stage] = {}
        self.attributes: list[Attribute] = []
        self.uniforms: list[Uniform] = []
        #: the fragment shader's own outputs: colour number of the first element, and how many
        self.outputs: dict[str, tuple[int, int]] = {}
        self.samplers: dict[str, list[Sampler]] = {}
        #: the number of a stage's first sampler, where that isn't 0
        self.first_sampler: dict[str, int] = {}
        self.locations = 0
        #: block 1 as it begins
        self.storage = b""

    def fail(self, text: str) -> None:
        """An error."""
        self.good = False
        self.log += f"error: {text}\n"


__all__ = ["Attribute", "Linked", "Sampler", "Uniform"]
