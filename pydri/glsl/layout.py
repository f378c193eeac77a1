# SPDX-License-Identifier: MIT
"""Where the variables of a linked stage live: what the linker tells the translation to nir.

In: made by the linker (`StageLayout`), or by a test.  Out: asked by `to_nir.py`.
The typed trees that a program is linked from are never written to: `var` and `function` say which
variable and which definition a tree's means in this program.  Everything else is asked of these.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pydri.glsl.tree import Function, Var
from pydri.nir.types import ArrayType, SamplerType, StructType, Type

#: numbers of uniform blocks: the context's value block, the program's own
STATE_BLOCK: Final = 0
UNIFORM_BLOCK: Final = 1
#: not a block: nir's load_uniform, which counts in vec4 slots
DEFAULT_BLOCK: Final = -1

SLOT_BYTES: Final = 16


class Place(NamedTuple):
    """Where a vector, or what an index leads to, lies in a uniform block. `strides`: bytes from one
    element to the next, for each array on the way from the variable to it, outermost first, and
    then for the columns of a matrix; `step`: from one component to the next, 4 unless a matrix
    lies there by rows.
    """

    block: int
    offset: int
    strides: tuple[int, ...] = ()
    step: int = 4


def sampler_count(type_: Type) -> int:
    """How many samplers a type holds, arrays and structs flattened."""
    if isinstance(type_, ArrayType):
        return type_.size * sampler_count(type_.item)
    if isinstance(type_, StructType):
        found: int | None = type_.derived.get("sampler count")
        if found is None:
            found = sum(sampler_count(t) for _, t in type_.fields)
            type_.derived["sampler count"] = found
        return found
    return int(isinstance(type_, SamplerType))


def slots_to(
    type_: Type, members: tuple[str, ...], samplers: bool = False
) -> tuple[int, tuple[int, ...]]:
    """How many slots stand before a member's first element, and the strides of the arrays and of
    the matrix on the way. With `samplers` these are counted, and nothing else.
    """
    key = ("slots to", members, samplers)
    found: tuple[int, tuple[int, ...]] | None = type_.derived.get(key)
    if found is None:
        found = type_.derived[key] = _slots_to(type_, members, samplers)
    return found


def _slots_to(
    type_: Type, members: tuple[str, ...], samplers: bool
) -> tuple[int, tuple[int, ...]]:
    def size(t: Type) -> int:
        return sampler_count(t) if samplers else t.slots

    before = 0
    strides: list[int] = []
    rest = list(members)
    while True:
        if isinstance(type_, ArrayType):
            type_ = type_.item
            strides.append(size(type_))
        elif rest:
            name = rest.pop(0)
            assert isinstance(type_, StructType)
            for field, inner in type_.fields:
                if field == name:
                    break
                before += size(inner)
            type_ = type_.element(name)
        else:
            return before, (*strides, 1) if type_.is_matrix else tuple(strides)


class Layout:
    """Answers for one stage of one program. The linker's is a subclass; this one holds tables, and
    lays uniforms out in vec4 slots.
    """

    def __init__(self) -> None:
        #: user uniforms: (block, byte offset)
        self.uniforms: dict[Var, tuple[int, int]] = {}
        #: the first sampler of each uniform that has any
        self.samplers: dict[Var, int] = {}
        #: built-in uniforms
        self.states: dict[tuple[Var, tuple[str, ...]], Place] = {}

    def var(self, var: Var) -> Var:
        """The variable that a tree's global means in this program; locals are themselves. Its
        `type` is sized, its `slot` final.
        """
        return var

    def function(self, function: Function) -> Function:
        """The definition of a function that a tree calls."""
        return function

    def uniform(self, root: Var) -> tuple[int, int]:
        """Block and byte offset of a user uniform; each vector in it takes SLOT_BYTES."""
        return self.uniforms[root]

    def sampler(self, root: Var) -> int:
        """The number of the first sampler of a uniform."""
        return self.samplers[root]

    def state(self, root: Var, members: tuple[str, ...]) -> Place:
        """Where a built-in uniform, or a member of it, lies."""
        return self.states[root, members]

    # ---- what follows from these
    def place(self, root: Var, members: tuple[str, ...]) -> Place:
        """Where a uniform's member lies, all indices being 0."""
        if root.builtin:
            return self.state(root, members)
        block, offset = self.uniform(root)
        slots, strides = slots_to(root.type, members)
        return Place(block, offset + slots * SLOT_BYTES, tuple(s * SLOT_BYTES for s in strides))

    def sampler_place(self, root: Var, members: tuple[str, ...]) -> tuple[int, tuple[int, ...]]:
        """The number of a sampler, all indices being 0, and the strides of its arrays."""
        before, strides = slots_to(root.type, members, samplers=True)
        return self.sampler(root) + before, strides
