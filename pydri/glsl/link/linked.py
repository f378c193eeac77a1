# SPDX-License-Identifier: MIT
"""What linking a program finds out: rows that outlive the trees.

In: nothing. Out: the classes that the linker fills in, apart from it, since a program that comes
from the cache (pydri/main/shaders/cache.py) needs these alone, and none of the front end.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final, NamedTuple

from pydri.nir.types import ArrayType, SamplerType, Type, dimensions
from pydri.pipe.state import StreamOutput

if TYPE_CHECKING:
    from pydri.glsl.link.stage import Stage


#: interfaces, by which resources are sorted
UNIFORM: Final = "uniform"
UNIFORM_BLOCK: Final = "uniform block"
CAPTURE: Final = "transform feedback varying"
INTERFACES: Final = (UNIFORM, UNIFORM_BLOCK, CAPTURE)


class Resource(NamedTuple):
    """A row of what a program has (OpenGL 4.6, 7.3.1), its index being its place among those of its
    interface. What a row has not is -1, or 0 where nothing is counted.
    """

    name: str
    #: of an array its elements'; of a block its members as those of a struct
    type: Type
    #: 0 for what is no array
    size: int = 0
    #: a bit for each stage that refers to it, by its number (pydri/nir/stages.py)
    stages: int = 0
    #: the first element's
    location: int = -1
    #: where the value lies in the program's own block
    storage: int = -1
    #: the index of the block that it is a member of, and where it lies there
    block: int = -1
    offset: int = -1
    #: from one element, and from one column or (`by_rows`) row to the next
    array_stride: int = 0
    matrix_stride: int = 0
    by_rows: bool = False
    #: the size of a block
    bytes: int = 0
    #: indices of a block's uniforms
    members: tuple[int, ...] = ()

    @property
    def builtin(self) -> bool:
        return self.storage < 0 and self.block < 0

    @property
    def elements(self) -> int:
        return self.size or 1


class Sampler(NamedTuple):
    """A sampler of a stage: where in the program's block its unit stands, and what it is. One that
    isn't active keeps its number, but nobody looks through it. `single`: what its lookups compare
    is one number, whatever GL_DEPTH_TEXTURE_MODE says (GLSL 1.30, 8.7).
    """

    offset: int
    type: SamplerType
    active: bool = True
    single: bool = False


class Attribute(NamedTuple):
    """An active attribute; built-in ones have no location (-1)."""

    name: str
    type: Type
    location: int

    @property
    def is_array(self) -> bool:
        return isinstance(self.type, ArrayType)

    @property
    def element(self) -> Type:
        """The type of its elements, or its own."""
        type_ = self.type
        while isinstance(type_, ArrayType):
            type_ = type_.item
        return type_

    @property
    def elements(self) -> int:
        return prod(dimensions(self.type))


class Linked:
    """What came of it; without `good` only the log means something."""

    def __init__(self) -> None:
        self.good = True
        self.log = ""
        #: empty where the program came from the cache
        self.stages: dict[str, Stage] = {}
        self.attributes: list[Attribute] = []
        #: what the program has, by interface
        self.resources: dict[str, list[Resource]] = {name: [] for name in INTERFACES}
        #: the indices of each stage's blocks, in the order of their numbers in its code
        self.stage_blocks: dict[str, list[int]] = {}
        #: the fragment shader's own outputs: colour number of the first element, how many, and
        #: which source of blending they are (0, 1)
        self.outputs: dict[str, tuple[int, int, int]] = {}
        self.samplers: dict[str, list[Sampler]] = {}
        self.locations = 0
        #: what transform feedback writes of the last stage before fragments
        self.stream_output = StreamOutput()
        #: block 1 as it begins
        self.storage = b""

    @property
    def uniforms(self) -> list[Resource]:
        """The active uniforms."""
        return self.resources[UNIFORM]

    def fail(self, text: str) -> None:
        """An error."""
        self.good = False
        self.log += f"error: {text}\n"


__all__ = [
    "CAPTURE", "INTERFACES", "UNIFORM", "UNIFORM_BLOCK", "Attribute", "Linked", "Resource",
    "Sampler",
]  # fmt: skip
