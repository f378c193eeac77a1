# SPDX-License-Identifier: MIT
"""What surrounds a shader that nir_soa.py translates: where its inputs come from and where its
outputs go. Vertex and fragment stages derive their own from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit.types import boolean, f32
from pydri.jit.values import Value, Var
from pydri.nir.ir import TexInstr

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer

LANES = 16  # of a stamp, and of most environments


class SoaEnv:
    """What surrounds a shader; vertex and fragment stages derive from it.

    `outputs` holds what was stored: (slot, component) -> value, read with `output`."""

    #: how many lanes a vector has: a multiple of LANES
    lanes = LANES

    #: (x, y) of each lane, for derivatives; the default is four quads one after the other
    lane_xy: tuple[tuple[int, int], ...] = tuple(
        (2 * (n // 4) + n % 2, n % 4 // 2) for n in range(LANES)
    )

    def __init__(self, b: Builder) -> None:
        self.b = b
        self.outputs: dict[tuple[int, int], Value] = {}
        self.cells: dict[tuple[int, int], Var[Value]] = {}

    # ---- what the translator asks for
    def load_input(self, slot: int, component: int) -> Value:
        raise NotImplementedError(f"this stage has no input slot {slot}")

    def load_vertex(self, slot: int, component: int, vertex: int | Value) -> Value:
        """An input of a vertex of the primitive: a Python number, a scalar or a vector (u32); of
        one that is not there the last one's."""
        raise NotImplementedError("this stage has no primitives")

    def emit_vertex(self, mask: Value | None) -> None:
        """The outputs are a vertex of these lanes (None: all)."""
        raise NotImplementedError("only geometry shaders emit")

    def end_primitive(self, mask: Value | None) -> None:
        """The next vertex of these lanes begins a primitive."""
        raise NotImplementedError("only geometry shaders emit")

    def load_ubo(self, block: int, offset: int | Value, count: int) -> list[Value]:
        """`count` dwords at a byte offset: a Python number, a scalar or a vector; outside: 0."""
        raise NotImplementedError(f"this stage has no uniform block {block}")

    def load_system(self, name: str, count: int) -> list[Value]:
        """frag_coord, front_face, vertex_id, ..."""
        raise NotImplementedError(f"this stage has no system value {name}")

    @property
    def lookups(self) -> int:
        """How many lookups `textures` takes at most."""
        return 1

    def textures(
        self, instrs: list[TexInstr], srcs: list[dict[str, list[Value]]], unread: int
    ) -> list[list[Value]]:
        """The results of lookups that one call can do, of their operands; components that have
        their bit in `unread` may be anything."""
        raise NotImplementedError("this stage has no textures")

    def variables(self) -> Pointer:
        """VARIABLE_BYTES for the variables of a shader that are too large for the stack."""
        raise NotImplementedError("this stage has no memory for variables")

    def buffer(self, space: str, number: int) -> tuple[Pointer, Value]:
        """Where a buffer ("ssbo") or a binding's counters ("counter") lie, and their bytes."""
        raise NotImplementedError("this stage has no buffers")

    def image(self, number: int) -> Any:
        """The LpImage of an image."""
        raise NotImplementedError("this stage has no images")

    def live(self, mask: Value | None) -> Value:
        """The lanes of those that run (None: all) that may write memory."""
        every = self.b.const(boolean.vec(self.lanes), 1)
        return every if mask is None else mask

    def loops_cut(self) -> None:
        """Called where loops end because they have made MAX_ROUNDS rounds."""

    def discard(self, mask: Value | None) -> None:
        """Drop these lanes (None: all)."""
        raise NotImplementedError("only fragment shaders discard")

    def declare_output(self, slot: int, component: int) -> None:
        """Called before the shader's code where control flow makes stores conditional."""
        self.cells[slot, component] = self.b.var(f32.vec(self.lanes), 0.0)

    def store_output(self, slot: int, component: int, value: Value, mask: Value | None) -> None:
        cell = self.cells.get((slot, component))
        if cell is None:
            self.outputs[slot, component] = value
            return
        wide = self.b.splat(value, self.lanes)
        cell.value = wide if mask is None else self.b.select(mask, wide, cell.value)

    # ---- for whoever emitted the shader
    def output(self, slot: int, component: int) -> Value | None:
        """What was stored, as f32 (maybe a scalar); None if the shader never writes it."""
        cell = self.cells.get((slot, component))
        return cell.value if cell is not None else self.outputs.get((slot, component))
