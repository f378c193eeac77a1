# SPDX-License-Identifier: MIT
"""Where the constants and the texture views of a draw lie in its LpFragState: the parts of the
first two uniform blocks that the fragment shader reads, one behind the other, then the addresses of
views, and those of the further blocks.

In: a ShaderRef. The kernel that records a draw (scene.py) reads what `describe` told the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pipe_llvm.native import LpFragState
from pydri.jit.types import ptr, u8
from pydri.pipe.sampler import TextureView
from pydri.pipe.shader_memory import FIRST_BLOCK

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer
    from pydri.pipe.state import ShaderRef


def padded(span: tuple[int, int]) -> int:
    """Bytes that the copy of a range takes."""
    return (span[1] - span[0] + 15) & ~15


class Constants(NamedTuple):
    """The ranges [low, high) of blocks 0 and 1 that are copied, and what is told by address."""

    values: tuple[int, int]
    uniforms: tuple[int, int]
    textures: int = 0
    #: bytes of each block from FIRST_BLOCK on
    blocks: tuple[int, ...] = ()
    accesses: bool = False  # whether there is an LpMemory

    @property
    def views(self) -> int:
        """Byte of the state block at which the addresses of the views begin."""
        return self.uniforms_at + padded(self.uniforms)

    @property
    def memory(self) -> int:
        """Byte of the state block that has the address of its LpMemory, if there is one."""
        return self.blocks_at + 8 * len(self.blocks)

    @property
    def size(self) -> int:
        """Bytes of the state block."""
        return (self.memory + 8 * self.accesses + 63) & ~63

    @property
    def blocks_at(self) -> int:
        """Byte of the state block at which the addresses of further blocks begin."""
        return self.views + 8 * self.textures

    @property
    def uniforms_at(self) -> int:
        """Byte of the state block at which the copy of block 1 begins."""
        return LpFragState.offset("consts") + padded(self.values)

    def describe(self, plan: Any) -> None:
        """Tell a plan what is copied for each draw, and where it goes."""
        plan.const_start, plan.const_bytes = self.values[0], padded(self.values)
        plan.uniform_start, plan.uniform_bytes = self.uniforms[0], padded(self.uniforms)
        plan.uniforms_at, plan.views_at, plan.memory_at = self.uniforms_at, self.views, self.memory
        plan.blocks_at, plan.state_bytes = self.blocks_at, self.size

    def block(self, b: Builder, state: LpFragState, number: int) -> tuple[Pointer, int, int]:
        """A block: its place, and which bytes of the block are there."""
        if number >= FIRST_BLOCK:
            n = number - FIRST_BLOCK
            place = b.bytes_from(state, self.blocks_at + 8 * n, ptr(u8))
            return place.load(ptr(u8), invariant=True), 0, self.blocks[n]
        at = self.uniforms_at if number else LpFragState.offset("consts")
        low, high = self.uniforms if number else self.values
        return b.bytes_from(state, at, u8), low, high

    def view(self, b: Builder, state: LpFragState, number: int) -> TextureView:
        """The draw's view of a texture."""
        place = b.bytes_from(state, self.views + 8 * number, ptr(TextureView))
        return place.load(ptr(TextureView), invariant=True)


def constants_of(fs: ShaderRef) -> Constants:
    """What a fragment shader reads."""
    ranges = fs.const_range, fs.uniform_range
    return Constants(*ranges, fs.textures, fs.blocks, fs.access.some)
