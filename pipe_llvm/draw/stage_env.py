# SPDX-License-Identifier: MIT
"""What surrounds the shader of a stage that runs while a draw is recorded: what it finds by
numbers.

In: the stage's row of PipeDynamic, and what was made ready for the draw (LpShading). Everything
that is the same for all lanes is a scalar behind an invariant load, so it is loaded once and
broadcast from memory. Counterpart of Mesa's draw_llvm.h (draw_vs_jit_context, draw_gs_jit_context).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.gallivm.constants import load_dwords
from pipe_llvm.gallivm.nir_soa import LANES, SoaEnv
from pipe_llvm.native import buffer_of, image_of
from pipe_llvm.sample.call import sample_now
from pydri.jit.types import i32, ptr, u8, u32
from pydri.nir.ir import IntrinsicInstr, Shader, TexInstr
from pydri.pipe.native import SHADER_VERTEX
from pydri.pipe.sampler import SAMPLE_STAMPS, TextureView
from pydri.pipe.shader_memory import FIRST_BLOCK

if TYPE_CHECKING:
    from pydri.jit import Builder
    from pydri.jit.values import Value

#: by stage, the field of LpContext that is its LpShading
_SHADING = {SHADER_VERTEX: "vertex"}


class Bound:
    """What is bound for a stage in a draw; `sizes`: of its uniform blocks in buffers."""

    def __init__(self, b: Builder, lp: Any, dyn: Any, stage: int, sizes: tuple[int, ...]) -> None:
        self.b, self.lp, self.dyn, self.stage, self.sizes = b, lp, dyn, stage, sizes
        self.shading = getattr(lp, _SHADING.get(stage, "geometry"))
        self.blocks: dict[int, tuple[Any, Any]] = {}

    def load_blocks(self, nir: Shader) -> None:
        """Where the uniform blocks that the shader reads lie, and their sizes; here, once."""
        for instr in nir.main.instrs():
            if isinstance(instr, IntrinsicInstr) and instr.name == "load_ubo":
                number = instr.indices["block"]
                if number not in self.blocks:
                    self.blocks[number] = self._block(number)

    def _block(self, number: int) -> tuple[Any, Any]:
        """Where a block lies, and its size: a number where settle_blocks has seen to that."""
        if number >= FIRST_BLOCK:
            n = number - FIRST_BLOCK
            places = self.shading.addr("blocks").cast(ptr(ptr(u8)))
            return (places + n).load(ptr(u8), invariant=True), self.sizes[n]
        place = self.dyn.stages[self.stage] if number else self.dyn
        base = place.addr(f"const{number}").load(ptr(u8), invariant=True)
        return base, place.addr(f"const{number}_size").load(u32, invariant=True)


class StageEnv(SoaEnv):
    """16 lanes of such a stage; each stage says where its inputs come from."""

    def __init__(self, bound: Bound) -> None:
        super().__init__(bound.b)
        self.bound, self.lp = bound, bound.lp
        self.at: tuple[Any, Any]  # how many invocations there are, and the number of the first lane

    def buffer(self, space: str, number: int) -> tuple[Any, Value]:
        return buffer_of(self.bound.shading.addr("memory"), space, number)

    def image(self, number: int) -> Any:
        return image_of(self.bound.shading.addr("memory"), number)

    def live(self, mask: Value | None) -> Value:
        b, (count, first) = self.b, self.at
        # lanes behind the last invocation are this one again
        inside = b.iota(u32.vec(LANES)) < b.splat(count - first, LANES)
        return inside if mask is None else inside & mask

    def load_ubo(self, block: int, offset: Any, count: int) -> list[Value]:
        base, size = self.bound.blocks[block]
        return load_dwords(self.b, base, 0, size, offset, count)

    @property
    def lookups(self) -> int:
        return SAMPLE_STAMPS

    def textures(
        self, instrs: list[TexInstr], srcs: list[dict[str, list[Value]]], unread: int
    ) -> list[list[Value]]:
        views = self.bound.shading.addr("views").load(ptr(TextureView), invariant=True)
        view = views + instrs[0].texture_index
        return sample_now(self.b, view, instrs, srcs, self.lp.thread, unread)

    def loops_cut(self) -> None:
        self.lp.thread.loops_cut = 1

    def variables(self) -> Any:
        return self.lp.thread.variables

    def whole(self, number: Value) -> list[Value]:
        """A system value of unsigned numbers."""
        return [self.b.bitcast(number, i32)]


__all__ = ["Bound", "StageEnv"]
