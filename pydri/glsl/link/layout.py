# SPDX-License-Identifier: MIT
"""Where the variables of a linked stage live: what the linker tells the translation to nir.

In: made by the linker (`StageLayout`), or by a test.  Out: asked by `to_nir.py`.
The typed trees that a program is linked from are never written to: `var` and `function` say which
variable and which definition a tree's means in this program.  Everything else is asked of these.
"""

from __future__ import annotations

from math import prod
from typing import Final, NamedTuple

from pydri.glsl.language.layouts import RULES, SAMPLERS, VEC4, path
from pydri.glsl.tree import Function, Var

#: numbers of uniform blocks: the context's value block, and the program's own; those in buffers
#: follow from FIRST_BLOCK of pydri/pipe/shader_memory.py on
STATE_BLOCK: Final = 0
UNIFORM_BLOCK: Final = 1
#: not a block: nir's load_uniform, which counts in vec4 slots
DEFAULT_BLOCK: Final = -1

class Place(NamedTuple):
    """Where a vector, or what an index leads to, lies in a uniform block. `strides`: bytes from one
    element to the next, for each array on the way from the variable to it, outermost first, and
    then for the columns of a matrix; `step`: from one component to the next, 4 unless a matrix
    lies there by rows. `blocks`: the first indices say which of several blocks it is in: how many
    they lie apart, from `block` on; their strides are 0.
    """

    block: int
    offset: int
    strides: tuple[int, ...] = ()
    step: int = 4
    blocks: tuple[int, ...] = ()


class BlockHome(NamedTuple):
    """Where a stage finds a block of the program: its number (of an array of blocks the first
    one's), and the places of members in it.
    """

    number: int
    offsets: dict[str, int]


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
        #: blocks, by name
        self.homes: dict[str, BlockHome] = {}

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
        if root.block is not None:
            return self._in_block(root, members)
        block, offset = self.uniform(root)
        before, strides, step = path(VEC4, root.type, members)
        return Place(block, offset + before, strides, step)

    def _in_block(self, root: Var, members: tuple[str, ...]) -> Place:
        """Where a member of a block lies, or a part of one."""
        block = root.block
        assert block is not None
        if block.instance:
            root, members = block.member(members[0]), members[1:]
        home = self.homes[block.name]
        rule = RULES[block.packing]
        before, strides, step = path(rule, root.type, members, root.by_rows)
        at = home.offsets[root.name] + before
        blocks = tuple(prod(block.sizes[n + 1 :]) for n in range(len(block.sizes)))
        return Place(home.number, at, (*(0 for _ in blocks), *strides), step, blocks)

    def sampler_place(self, root: Var, members: tuple[str, ...]) -> tuple[int, tuple[int, ...]]:
        """The number of a sampler, all indices being 0, and the strides of its arrays."""
        before, strides, _ = path(SAMPLERS, root.type, members)
        return self.sampler(root) + before, strides
