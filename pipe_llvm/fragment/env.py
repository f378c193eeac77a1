# SPDX-License-Identifier: MIT
"""What a fragment shader sees of the stamp that is being shaded: interpolated inputs, the draw's
constants, views and memory, and the mask of its pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.fragment.stamps import STAMP_X, STAMP_Y
from pipe_llvm.gallivm.constants import load_dwords
from pipe_llvm.gallivm.nir_soa import LANES, SoaEnv
from pipe_llvm.native import LpFragState, LpImage, LpMemory, buffer_of, image_of
from pipe_llvm.sample.call import sample_now
from pydri.jit import f32, ptr
from pydri.nir.enums import VARYING_SLOT_PNTC
from pydri.pipe.sampler import SAMPLE_STAMPS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipe_llvm.fragment.kernel import FragmentBuilder
    from pydri.jit import Builder, Pointer, Value
    from pydri.nir.ir import TexInstr


class FsEnv(SoaEnv):
    """What a fragment shader sees of the stamp that is being shaded."""

    lane_xy = tuple(zip(STAMP_X, STAMP_Y, strict=True))

    def __init__(
        self,
        b: Builder,
        frag: FragmentBuilder,
        state: LpFragState,
        inputs: dict[tuple[int, int], Value],
        coords: list[Value],
        front: Value,
        mask: Value,
    ) -> None:
        super().__init__(b)
        self.frag = frag
        self.state = state
        self.inputs = inputs
        self.coords = coords
        self.front = front
        #: of a rectangle with an image: gives its pixels at this stamp
        self.pixel: Callable[[], list[Value]] | None = None
        self.mask = b.var(mask.ty, mask)

    def load_input(self, slot: int, component: int) -> Value:
        """An interpolated input; components that the vertex side doesn't write are 0, 0, 0, 1."""
        value = self.inputs.get((slot, component))
        return value if value is not None else self.b.const(f32, 1.0 if component == 3 else 0.0)

    def load_ubo(self, block: int, offset: int | Value, count: int) -> list[Value]:
        """Dwords of a block, of those that are there."""
        base, low, high = self.frag.constants.block(self.b, self.state, block)
        return load_dwords(self.b, base, low, high, offset, count, self.lanes)

    def load_system(self, name: str, count: int) -> list[Value]:
        if name == "frag_coord":
            return self.coords[:count]
        if name == "front_face":
            return [self.front]
        if name == "helper_invocation":
            return [~self.mask.value]
        if name == "point_coord":
            return [self.load_input(VARYING_SLOT_PNTC, n) for n in range(count)]
        if name == "pixel" and self.pixel is not None:
            return self.pixel()[:count]
        return super().load_system(name, count)

    @property
    def lookups(self) -> int:
        """See SoaEnv."""
        return SAMPLE_STAMPS * LANES // self.lanes

    def textures(
        self, instrs: list[TexInstr], srcs: list[dict[str, list[Value]]], unread: int
    ) -> list[list[Value]]:
        """Texture instructions of these stamps alone."""
        view = self.frag.constants.view(self.b, self.state, instrs[0].texture_index)
        return sample_now(self.b, view, instrs, srcs, self.frag.thread, unread, self.lanes)

    def variables(self) -> Pointer:
        return self.frag.thread.variables

    def loops_cut(self) -> None:
        self.frag.thread.loops_cut = 1

    def memory(self) -> LpMemory:
        """What the draw's shader reads and writes."""
        place = self.b.bytes_from(self.state, self.frag.constants.memory, ptr(LpMemory))
        found: LpMemory = place.load(ptr(LpMemory), invariant=True)
        return found

    def buffer(self, space: str, number: int) -> tuple[Pointer, Value]:
        return buffer_of(self.memory(), space, number)

    def image(self, number: int) -> LpImage:
        return image_of(self.memory(), number)

    def live(self, mask: Value | None) -> Value:
        return self.mask.value if mask is None else self.mask.value & mask

    def discard(self, mask: Value | None) -> None:
        """Drop the pixels of `mask` (None: all)."""
        b = self.b
        ty = self.mask.ty
        dropped = b.const(ty, 1) if mask is None else b.splat(mask, self.lanes)
        self.mask.value = self.mask.value & ~dropped
