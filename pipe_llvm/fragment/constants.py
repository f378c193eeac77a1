# SPDX-License-Identifier: MIT
"""Where the constants and the texture views of a draw lie in its LpFragState: the parts of the
first two uniform blocks that the fragment shader reads, one behind the other, then the addresses of
views, and those of the further blocks.

In: a ShaderRef. The kernel that records a draw (scene.py) reads what plans.py told the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipe_llvm.native import LpFragState
from pydri.jit.types import ptr, u8
from pydri.pipe.sampler import TextureView
from pydri.pipe.shader_memory import FIRST_BLOCK

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer
    from pydri.pipe.state import ShaderRef


def _padded(span: tuple[int, int]) -> int:
    """Bytes that the copy of a range takes."""
    return (span[1] - span[0] + 15) & ~15


class Constants(NamedTuple):
    """The ranges [low, high) of blocks 0 and 1 that are copied, what is told by address, and at
    which byte of the state block each begins."""

    values: tuple[int, int]
    values_bytes: int  # of the copy
    uniforms: tuple[int, int]
    uniforms_bytes: int
    uniforms_at: int
    views: int  # the addresses of the views
    blocks: tuple[int, ...]  # bytes of each block from FIRST_BLOCK on
    blocks_at: int  # their addresses
    memory: int  # the address of the draw's LpMemory, if there is one
    size: int  # bytes of the state block

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
    values_bytes, uniforms_bytes = _padded(fs.const_range), _padded(fs.uniform_range)
    uniforms_at = LpFragState.offset("consts") + values_bytes
    views = uniforms_at + uniforms_bytes
    blocks_at = views + 8 * fs.textures
    memory = blocks_at + 8 * len(fs.blocks)
    size = (memory + 8 * fs.access.some + 63) & ~63
    return Constants(
        fs.const_range, values_bytes, fs.uniform_range, uniforms_bytes, uniforms_at, views,
        fs.blocks, blocks_at, memory, size,
    )  # fmt: skip
