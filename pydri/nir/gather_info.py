# SPDX-License-Identifier: MIT
"""What a shader reads and writes: the facts of a ShaderRef (pydri/pipe/state.py).

In: a shader whose inputs and outputs are slots (`lower_io`), SSA or not.  Out: an `Info`; nothing
is changed. Counterpart of nir_gather_info.c (nir_shader_gather_info).
"""

from __future__ import annotations

from typing import Any, Final

from pydri.nir.enums import (
    FRAG_RESULT_DEPTH,
    INTERP_FLAT,
    INTERP_NONE,
    INTERP_NOPERSPECTIVE,
    VARYING_SLOT_COL0,
    VARYING_SLOT_COL1,
    VARYING_SLOT_PNTC,
)
from pydri.nir.info import UNIFORM_BLOCK, WHOLE, Info
from pydri.nir.instr import AluInstr, Instr, IntrinsicInstr, LoadConst, TexInstr
from pydri.nir.ir import Loop, Shader
from pydri.pipe.shader_memory import FIRST_BLOCK
from pydri.pipe.state import Accesses, Emits, ShaderInput

_INTERP: Final = {INTERP_FLAT: "flat", INTERP_NOPERSPECTIVE: "noperspective"}

#: kinds of memory by a word of the intrinsic's name, and the index that has the number
_MEMORY: Final = (
    ("image", "images", "image"), ("counter", "counters", "base"), ("ssbo", "buffers", "buffer"),
)  # fmt: skip
#: which of ShaderRef.ways has the textures of an operation
_WAYS = {"txf": 0, "txf_ms": 0, "tg4": 2, "lod": 3}


class _Gather:
    """What has been seen so far."""

    def __init__(self, shader: Shader) -> None:
        self.shader = shader
        self.inputs: dict[int, int] = {}  # slot -> components
        self.outputs: set[int] = set()
        self.ranges: dict[int, tuple[int, int]] = {}
        self.discard = False
        self.textures: set[int] = set()
        self.uniforms: set[tuple[int, int]] = set()
        self.indexed = False
        self.ways = [0, 0, 0, 0]
        self.positions: set[Any] = set()  # values of load_frag_coord
        self.access = dict.fromkeys(Accesses._fields, 0)
        self.position = False  # z or w of one is read

    def instr(self, instr: Instr) -> None:
        """One more instruction."""
        if isinstance(instr, TexInstr):
            self.textures.add(instr.texture_index)
            moved = 1 if instr.source("offset") is not None else None
            way = _WAYS.get(instr.op, moved)
            if way is not None:
                self.ways[way] |= 1 << instr.texture_index
        elif isinstance(instr, IntrinsicInstr):
            self.intrinsic(instr)
        if self.positions:
            self.reads(instr)

    def intrinsic(self, instr: IntrinsicInstr) -> None:
        name, indices = instr.name, instr.indices
        if instr.row.memory:
            self.touched(name, indices, instr.row.memory)
        if name in ("load_input", "load_per_vertex_input"):
            assert instr.dest is not None
            end = indices["component"] + instr.dest.num_components
            slot = indices["base"]
            self.inputs[slot] = max(self.inputs.get(slot, 0), end)
        elif name == "load_point_coord":
            self.inputs[VARYING_SLOT_PNTC] = 2
        elif name == "store_output":
            self.outputs.add(indices["base"])
        elif name == "load_ubo":
            self.block(instr)
        elif name == "load_frag_coord":
            self.positions.add(instr.dest)
        elif name in ("discard", "discard_if", "terminate"):
            self.discard = True

    def touched(self, name: str, indices: dict[str, int], how: str) -> None:
        """Memory that shaders write."""
        kind, index = next((k, i) for word, k, i in _MEMORY if word in name)
        for letter, what in (("r", "read"), ("w", "written")):
            if letter in how:
                self.access[f"{kind}_{what}"] |= 1 << indices[index]

    def block(self, instr: IntrinsicInstr) -> None:
        """Bytes of a uniform block."""
        offset = instr.srcs[0].instr
        number = instr.indices["block"]
        low, high = self.ranges.get(number, (0, 0))
        if not isinstance(offset, LoadConst):
            low, high = WHOLE
            self.indexed |= number == UNIFORM_BLOCK
        else:
            assert instr.dest is not None
            at = offset.values[0]
            end = at + 4 * instr.dest.num_components
            low, high = (at, end) if high == 0 else (min(low, at), max(high, end))
            if number == UNIFORM_BLOCK:
                self.uniforms.add((at, end))
        self.ranges[number] = low, high

    def reads(self, instr: Instr) -> None:
        """Whether z or w of the fragment's place is read: of arithmetic the components are known.
        """
        if isinstance(instr, AluInstr):
            for src in instr.srcs:
                if src.ssa in self.positions:
                    self.position |= any(part >= 2 for part in src.swizzle)
        elif any(ssa in self.positions for ssa in instr.sources()):
            self.position = True


def _input(shader: Shader, slot: int, components: int) -> ShaderInput:
    interp = shader.input_interp(slot)
    if slot == VARYING_SLOT_PNTC:
        return ShaderInput(slot, 2, "noperspective")
    if interp == INTERP_NONE and slot in (VARYING_SLOT_COL0, VARYING_SLOT_COL1):
        return ShaderInput(slot, components, "color")
    return ShaderInput(slot, components, _INTERP.get(interp, "smooth"))


def _emits(shader: Shader) -> Emits:
    names = ("output_primitive", "vertices_out", "invocations", "vertices_in")
    if "gs_vertices_out" not in shader.info:
        return Emits()
    return Emits(*(int(shader.info[f"gs_{name}"]) for name in names))


def gather(shader: Shader) -> Info:
    """The facts of a shader."""
    from pydri.nir.stages import BY_NAME, RESULTS  # a start that makes no nir needs no rows

    found = _Gather(shader)
    for instr in shader.main.instrs():
        found.instr(instr)
    slots = sorted(found.inputs)
    stage = BY_NAME[shader.stage]
    inputs: tuple[Any, ...] = tuple(slots)
    if stage.inputs.interpolated:
        inputs = tuple(_input(shader, slot, found.inputs[slot]) for slot in slots)
    return Info(
        inputs, tuple(sorted(found.outputs)), found.ranges.get(0, (0, 0)),
        found.ranges.get(UNIFORM_BLOCK, (0, 0)), found.discard,
        stage.outputs.kind == RESULTS and FRAG_RESULT_DEPTH in found.outputs, found.position,
        max(found.textures, default=-1) + 1, tuple(sorted(found.uniforms)), found.indexed,
        frozenset(found.textures),
        (found.ways[0], found.ways[1], found.ways[2], found.ways[3]), Accesses(**found.access),
        tuple(found.ranges.get(n, (0, 0))[1] for n in range(
            FIRST_BLOCK, max(found.ranges, default=0) + 1)),
        _emits(shader), any(isinstance(node, Loop) for node in shader.main.nodes()),
    )  # fmt: skip


__all__ = ["WHOLE", "Info", "gather"]
