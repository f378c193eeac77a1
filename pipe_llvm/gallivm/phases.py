# SPDX-License-Identifier: MIT
"""Shaders in phases, so that texture instructions are done for a batch of stamps at a time.

A phase is what can be computed for all stamps of a batch before the next lot of texture functions
is called: phase 0 needs no texture, phase 1 what the textures of phase 0 gave, and so on.
Instructions that independent textures wait for share a phase. Each is in the earliest phase that
has its operands; an If or Loop is in one phase as a whole, in order with the others, and calls the
functions of textures in it at once, for its own stamp. What one phase computes and a later one
reads goes through memory (`BatchMemory`): vectors are stored, what is the same for all stamps
(constants, uniforms) is computed again. Outputs are stored in the last phase.

That memory has to stay in the nearest cache: a shader with many lookups has fewer stamps a batch.
Those of its lookups that are alike lie side by side then, and are done by one call, which so has as
many stamps as ever."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TypeAlias

from pipe_llvm.gallivm.alu import like
from pipe_llvm.gallivm.nir_soa import LANES, SoaEnv, Translator
from pipe_llvm.sample.call import (
    CALLS,
    coords_bytes,
    load_result,
    of_one_call,
    store_operands,
    unread_of,
)
from pydri.jit.types import Scalar, Type, Vec, boolean, element, f32, i32
from pydri.nir.constant_tables import constant_tables
from pydri.nir.divergence import Divergence
from pydri.nir.ir import (
    AluInstr,
    Block,
    CFNode,
    If,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    Loop,
    PhiInstr,
    Shader,
    SSADef,
    TexInstr,
    first_block,
)
from pydri.nir.uses import components_read
from pydri.pipe.sampler import SAMPLE_STAMPS, SampleCoords
from pydri.util.turns import TURNS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

#: a step of a phase: an instruction, or an If or Loop
Step: TypeAlias = "Instr | CFNode"

#: what is known while a triangle's planes are in registers alone
PHASE_0 = ("load_input", "load_frag_coord", "load_point_coord", "load_helper_invocation")
VECTOR: Final = 4 * LANES  # bytes of a stamp's vector of a value of 32 bits or less
#: how many stamps a batch may have; of fewer than four a step of fragment/wide.py would be cut
SIZES: Final = (SAMPLE_STAMPS, 8, 4)
SPARE_STAMPS: Final = 2  # of the planes of a batch that is apart (fragment/packing.py)
#: what operands and results of the lookups behind a phase may take: the nearest cache's bytes. (A
#: tenth less time for 15 lookups a pixel, nothing for nine.)
NEAR_BYTES: Final = 32 << 10
#: what is the same in a stamp, but not in the stamps of several primitives
OF_PRIMITIVES = ("load_front_face", "load_primitive_id")


class Unsplittable(Exception):
    """The shader's control flow does not allow phases: its textures are done stamp by stamp."""


def _inside(node: CFNode) -> Iterable[Instr | If]:
    """All instructions of a node, and the Ifs, whose conditions are read."""
    if isinstance(node, Block):
        yield from node.instrs
    elif isinstance(node, If):
        yield node
        for inner in (*node.then, *node.otherwise):
            yield from _inside(inner)
    elif isinstance(node, Loop):
        for inner in node.body:
            yield from _inside(inner)


def hoist_inputs(shader: Shader) -> None:
    """Inputs are read at the start, where a triangle's planes are in registers."""
    start = first_block(shader.main.body)
    for block in shader.main.blocks():
        if block.parent is None:
            continue
        for instr in tuple(block.instrs):
            if isinstance(instr, IntrinsicInstr) and instr.name in PHASE_0 and not instr.srcs:
                if instr.row.can_reorder:
                    instr.remove()
                    start.insert(0, instr)


class Schedule:
    """Which phase each step of a shader's main function is in. With `apart` phase 0 is nothing but
    inputs, so that all else can be done for several stamps at once; what is the same in a stamp
    alone counts as different in its lanes then."""

    def __init__(self, shader: Shader, apart: bool = False) -> None:
        self.shader = shader
        self._first = int(apart)  # the phase of what needs nothing
        self._memory = False  # variables lie in memory, which is not kept between phases
        #: the first phase that may read a value
        self.level: dict[SSADef, int] = {}
        self.steps: dict[int, list[Step]] = {}
        #: what is called behind each phase
        self.textures: dict[int, list[TexInstr]] = {}
        self.read: dict[SSADef, int] = {}  # the last phase that reads a value
        self._floor = 0  # nodes and discards keep their order
        self._last: list[Step] = []  # what stores outputs
        function = shader.main
        hoist_inputs(shader)
        self._tables = constant_tables(shader)
        #: where there is control flow: nobody asks otherwise
        self.divergence: Divergence | None = None
        if len(function.body) > 1:
            differing = frozenset(OF_PRIMITIVES) if apart else frozenset()
            self.divergence = Divergence(function, differing)
        for node in function.body:
            if isinstance(node, Block):
                for instr in node.instrs:
                    if isinstance(instr, AluInstr):
                        self._alu(instr)
                    else:
                        self._instr(instr)
            else:
                self._node(node)
        self.count = 1 + max((n + 1 for n in self.textures), default=self._first)
        if self._memory and (self.textures or not apart):
            raise Unsplittable("load_var")
        for step in self._last:
            self._place(step, self.count - 1, self._sources(step))
        self.crossing = [
            ssa
            for ssa, last in self.read.items()
            if last > self.level[ssa] and not self._is_called(ssa.instr)
        ]

    @staticmethod
    def _is_called(instr: Instr) -> bool:
        return isinstance(instr, TexInstr) and instr.op in CALLS

    @property
    def is_apart(self) -> bool:
        """Whether phase 0 is nothing but inputs."""
        return self._first != 0

    @property
    def inputs(self) -> list[SSADef]:
        """What phase 0 leaves to later phases."""
        return [ssa for ssa in self.crossing if self.level[ssa] == 0]

    @property
    def stored(self) -> list[tuple[int, int]]:
        """Slots and components of the outputs."""
        found: dict[tuple[int, int], None] = {}
        for step in self._last:
            assert isinstance(step, IntrinsicInstr)
            for slot, component, _ in Translator.output_cells(step):
                found[slot, component] = None
        return list(found)

    def _place(self, step: Step, phase: int, sources: Iterable[SSADef]) -> None:
        self.steps.setdefault(phase, []).append(step)
        for ssa in sources:
            self.read[ssa] = max(self.read.get(ssa, 0), phase)

    def _sources(self, step: Step) -> list[SSADef]:
        """What a step reads of what others define."""
        if isinstance(step, Instr):
            return step.sources()
        found = list(_inside(step))
        own = {part.dest for part in found if isinstance(part, Instr) and part.dest is not None}
        read: list[SSADef] = []
        for part in found:
            read += [part.condition] if isinstance(part, If) else part.sources()
        for phi in step.next_block.phis:
            read += phi.sources()
        return [ssa for ssa in read if ssa not in own]

    def _phase_of(self, sources: Iterable[SSADef]) -> int:
        return max((self.level[ssa] for ssa in sources), default=0)

    def _alu(self, instr: AluInstr) -> None:
        """What `_instr` does, for what most of a shader is."""
        level, read = self.level, self.read
        phase = self._first
        for src in instr.srcs:
            if level[src.ssa] > phase:
                phase = level[src.ssa]
        self.steps.setdefault(phase, []).append(instr)
        level[instr.dest] = phase
        for src in instr.srcs:
            if read.get(src.ssa, -1) < phase:
                read[src.ssa] = phase

    def _instr(self, instr: Instr) -> None:
        if isinstance(instr, PhiInstr):
            return  # has the level of the node before
        if isinstance(instr, JumpInstr):
            raise Unsplittable(instr.kind)
        if isinstance(instr, IntrinsicInstr) and instr.variables:
            if instr.variables[0].var not in self._tables:
                self._memory = True
            elif instr.dest is None:
                return
        phase = self._phase_of(instr.sources())
        if not (isinstance(instr, IntrinsicInstr) and instr.name in PHASE_0):
            phase = max(phase, self._first)
        if isinstance(instr, IntrinsicInstr) and instr.dest is None:
            if instr.name == "store_output":
                self._last.append(instr)
                return
            if instr.name == "terminate":
                raise Unsplittable(instr.name)
            phase = self._floor = max(phase, self._floor)
        if self._is_called(instr):
            assert isinstance(instr, TexInstr)
            self.textures.setdefault(phase, []).append(instr)
            for ssa in instr.sources():
                self.read[ssa] = max(self.read.get(ssa, 0), phase)
            self.level[instr.dest] = phase + 1
            return
        self._place(instr, phase, instr.sources())
        if instr.dest is not None:
            self.level[instr.dest] = phase

    def _node(self, node: CFNode) -> None:
        sources = self._sources(node)
        phase = self._floor = max(self._phase_of(sources), self._floor, self._first)
        for part in _inside(node):
            if isinstance(part, If):
                continue
            if isinstance(part, IntrinsicInstr) and part.variables:
                self._memory |= part.variables[0].var not in self._tables
            if isinstance(part, JumpInstr) and part.kind == "return":
                raise Unsplittable("return")
            if isinstance(part, IntrinsicInstr) and part.name in ("terminate", "store_output"):
                raise Unsplittable(part.name)
            if phase and isinstance(part, IntrinsicInstr) and part.name in PHASE_0:
                raise Unsplittable(part.name)
            if part.dest is not None:
                self.level[part.dest] = phase
        for phi in node.next_block.phis:
            self.level[phi.dest] = phase
        self._place(node, phase, sources)


def stamps_a_batch(schedule: Schedule) -> int:
    """As many as the cache has room for."""
    most = max(
        (
            sum(ssa.num_components for t in lookups for ssa in (*t.sources(), t.dest))
            for lookups in schedule.textures.values()
        ),
        default=0,
    )
    fitting = (n for n in SIZES if n * most * VECTOR <= NEAR_BYTES)
    return next(fitting, SIZES[-1])


class BatchMemory:
    """The layout of a batch's memory behind `head` bytes of its owner's: planes of values, results
    and coordinates of texture functions."""

    def __init__(self, schedule: Schedule, head: int) -> None:
        self.stamps = stamps_a_batch(schedule)
        #: of planes and outputs
        slots = self.stamps + (SPARE_STAMPS if schedule.is_apart else 0)
        plane, at = VECTOR * self.stamps, head
        self.planes: dict[tuple[SSADef, int], int] = {}
        self.results: dict[TexInstr, int] = {}
        self.coords: dict[TexInstr, int] = {}
        #: by phase what is called behind it: lookups that lie side by side
        self.calls: dict[int, list[list[TexInstr]]] = {}
        for ssa in schedule.crossing:
            for n in range(ssa.num_components):
                self.planes[ssa, n] = at
                at += VECTOR * slots * max(ssa.bit_size, 32) // 32
        for phase in sorted(schedule.textures):
            self.calls[phase] = of_one_call(schedule.textures[phase], SAMPLE_STAMPS // self.stamps)
            for lookups in self.calls[phase]:
                coords = at + 4 * plane * len(lookups)
                for n, instr in enumerate(lookups):
                    self.results[instr] = at + 4 * plane * n
                    self.coords[instr] = coords + plane * n
                at = coords + coords_bytes(lookups[0])
        self._read = components_read(schedule.shader.main) if self.calls else {}
        #: by slot and component, where all is apart
        self.outputs: dict[tuple[int, int], int] = {}
        for place in schedule.stored if schedule.is_apart else ():
            self.outputs[place] = at
            at += VECTOR * slots
        self.size = at
        #: the types of what was stored; a value that is missing is the same for all stamps
        self.types: dict[SSADef, list[Type]] = {}

    def unread(self, lookups: list[TexInstr]) -> int:
        """The components (bits) of lookups that are called together that nobody reads."""
        return unread_of(lookups, self._read)

    def planes_of(self, values: Iterable[SSADef]) -> list[int]:
        """Where those of these values that differ from lane to lane lie, once they were saved."""
        found = []
        for ssa in values:
            for n, ty in enumerate(self.types.get(ssa, ())):
                if isinstance(ty, Vec):
                    assert ty.elem is boolean or ty.elem.bits == 32
                    found.append(self.planes[ssa, n])
        return found


class PhaseTranslator(Translator):
    """Emits one phase for stamp `m` of the batch at `memory`."""

    def __init__(
        self, b: Builder, env: SoaEnv, schedule: Schedule, layout: BatchMemory, memory: Pointer,
        m: Value, phase: int,
    ) -> None:  # fmt: skip
        super().__init__(b, schedule.shader, env)
        self.schedule, self.layout, self.memory = schedule, layout, memory
        self.m, self.phase = m, phase

    def emit(self, mask: Value | None) -> None:
        """The phase's code; what its textures and later phases read is in memory afterwards."""
        if self.schedule.divergence is not None:
            self.prepare(self.schedule.divergence)
        self.scratch.prepare(self.phase != 0)  # which has no variables (Unsplittable)
        steps = self.schedule.steps.get(self.phase, [])
        for ssa, last in self.schedule.read.items():
            if last >= self.phase and self.schedule.level[ssa] <= self.phase:
                self.restore(ssa)
        for step in steps:
            TURNS.give_way()
            self.step(step, mask)
        for instr in self.schedule.textures.get(self.phase, ()):
            operands = {k: [self.get(s, n) for n in range(s.num_components)] for k, s in instr.srcs}
            store_operands(self.b, self.place(self.layout.coords[instr], SampleCoords), self.m,
                           instr, operands, self.width)  # fmt: skip
        for ssa in self.schedule.crossing:
            if self.schedule.level[ssa] == self.phase:
                self.save(ssa)

    def step(self, step: Step, mask: Value | None) -> None:
        if isinstance(step, IntrinsicInstr) and step.dest is None:
            self.intrinsic(step, mask)
        elif isinstance(step, Instr):
            assert step.dest is not None
            self.define(step.dest, self.compute(step, step.dest), mask)
        else:
            before = step.previous_block
            self.feed_phis(before, mask)
            self.nodes([step], mask)
            for phi in step.next_block.phis:
                self.define(phi.dest, [var.value for var in self.phis[phi]], mask)

    def compute(self, instr: Instr, ssa: SSADef) -> list[Value]:
        """What defines a value, here."""
        return self.load(instr, ssa) if isinstance(instr, IntrinsicInstr) else self.instr(instr)

    def plain(self, instr: AluInstr, n: int, kinds: tuple[Scalar, ...]) -> Value:
        """In phase 0 what is divided by is mostly the q of coordinates, and that is mostly 1: a
        comparison then, and no division."""
        if self.phase or instr.op.name != "frcp":
            return super().plain(instr, n, kinds)
        b, x = self.b, self.source(instr, 0, n, "float")
        if not isinstance(x.ty, Vec):
            return 1.0 / x
        quotient = b.var(x.ty, 1.0)
        with b.If(b.any(x != 1.0)):
            quotient.value = 1.0 / x
        return quotient.value

    # ---- memory
    def place(self, offset: int, kind: type[SampleCoords]) -> SampleCoords:
        return self.b.bytes_from(self.memory, offset, kind)

    def plane(self, ssa: SSADef, n: int, ty: Scalar) -> Pointer:
        at = self.b.bytes_from(self.memory, self.layout.planes[ssa, n], ty)
        return at + self.m * LANES

    def output_plane(self, slot: int, component: int) -> Pointer:
        """Where the stamp's values of an output lie."""
        at = self.b.bytes_from(self.memory, self.layout.outputs[slot, component], f32)
        return at + self.m * LANES

    def save_outputs(self) -> None:
        """Keep what the shader wrote."""
        for slot, component in self.layout.outputs:
            value = self.env.output(slot, component)
            assert value is not None
            wide = self.b.splat(value, self.width)
            self.output_plane(slot, component).store(wide, align=64)

    def load_outputs(self) -> None:
        """Put what another stamp's lanes wrote where the environment has outputs."""
        for slot, component in self.layout.outputs:
            value = self.output_plane(slot, component).load(f32.vec(self.width), align=64)
            self.env.outputs[slot, component] = value

    def save(self, ssa: SSADef) -> None:
        """Keep a value for later phases, if it is not the same for all stamps."""
        b = self.b
        values = [self.get(ssa, n) for n in range(ssa.num_components)]
        alike = not any(isinstance(v.ty, Vec) for v in values)
        if alike and not isinstance(ssa.instr, PhiInstr):
            return
        self.layout.types[ssa] = []
        for n, value in enumerate(values):
            # what is the same in a stamp stays so: conditions are branches
            kept = value if alike else b.splat(value, self.width)
            self.layout.types[ssa].append(kept.ty)
            if kept.elem is boolean:
                kept = b.select(kept, b.const(like(kept, i32), -1), 0)
            self.plane(ssa, n, kept.elem).store(kept, align=64)

    def restore(self, ssa: SSADef) -> None:
        """A value of an earlier phase."""
        if ssa in self.values or self.schedule.level[ssa] > self.phase:
            return
        instr = ssa.instr
        if isinstance(instr, TexInstr) and instr in self.layout.results:
            out = self.b.bytes_from(self.memory, self.layout.results[instr], f32)
            self.values[ssa] = load_result(self.b, out, self.m, instr, self.width)
            return
        if self.schedule.level[ssa] == self.phase:
            return  # this phase makes it
        types = self.layout.types.get(ssa)
        if types is None:
            for source in instr.sources():
                self.restore(source)
            self.values[ssa] = self.compute(instr, ssa)
            return
        loaded = []
        for n, ty in enumerate(types):
            kind = element(ty)
            stored = i32 if kind is boolean else kind
            shape = stored.vec(self.width) if isinstance(ty, Vec) else stored
            value = self.plane(ssa, n, stored).load(shape, align=64)
            loaded.append(value != 0 if kind is boolean else value)
        self.values[ssa] = loaded
