# SPDX-License-Identifier: MIT
"""Fragment kernels with textures, or with long shaders: up to 16 stamps of one draw in a tile at a
time, fewer where the shader has many lookups (`BatchMemory.stamps`).

A stamp that is covered and passes the early tests is shaded up to its texture instructions (phase
0 of gallivm/phases.py) while its triangle's planes are in registers, and joins the batch. When that
is full, and behind the last triangle, `rest` goes through the batch: it calls the sampler
functions, shades the next phase, and so on; the last phase tests, blends and stores stamp by stamp
in their order, as the kernels without textures do. Depth that is written early is written in that
order, too, so a pixel that several triangles of a batch cover gets them one after the other.
Of a long shader what lies in the batch are quads (fragment/packing.py).

Measured: one sampler call for 16 stamps instead of 16 takes about half the time, since no stage of
it waits for the latencies of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.fragment.env import FsEnv
from pipe_llvm.fragment.kernel import FragmentBuilder
from pipe_llvm.fragment.packing import (
    FIRST_BIT,
    FRONT,
    HEAD,
    MOST_STAMPS,
    PACKED,
    Entry,
    Packing,
    live_of,
    stamp_words,
)
from pipe_llvm.fragment.primitive import Passed, Primitive, Stamp, Tile
from pipe_llvm.fragment.quad_inputs import QuadInputs
from pipe_llvm.fragment.quads import whole_quads
from pipe_llvm.fragment.wide import WideEnv, stamps_a_step
from pipe_llvm.gallivm import depth as zs
from pipe_llvm.gallivm.phases import BatchMemory, PhaseTranslator, Schedule, Unsplittable
from pipe_llvm.native import BATCH_BYTES, LpFragState, LpTask
from pipe_llvm.sample.call import call_together
from pydri.jit import Kernel, Var, boolean, f32, i32, kernel, ptr, u8, u16, u32, u64
from pydri.nir.ir import IntrinsicInstr, TexInstr

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

f32x16, mask16 = f32.vec(16), boolean.vec(16)


class BatchFragmentBuilder(FragmentBuilder):
    """Generates a fragment kernel whose shader samples textures, or is long."""

    schedule: Schedule | None = None
    memory: BatchMemory
    batch: Pointer  # of the kernel that is being emitted
    used: Var[Value]  # stamps that it holds: the thread's, since functions share it
    packing: Packing | None = None  # where a step is several stamps
    asks_faces = False  # the shader reads which way its primitive faces
    phase = 0
    step = 1  # stamps that are shaded at once behind phase 0 (fragment/wide.py)

    @property
    def stacks_planes(self) -> bool:
        """See FragmentBuilder; without batches planes are few."""
        return self.schedule is not None

    @property
    def defers_inputs(self) -> bool:
        """See FragmentBuilder; of triangles with one sample a pixel, where quads are moved."""
        other = self.rect is not None or self.layout.samples or self.layout.smooth
        return self.schedule is not None and self.step > 1 and not other

    @property
    def rejects_early(self) -> bool:
        """See FragmentBuilder; not what shaders write, nor what is counted."""
        if self.schedule is None or self.part.counting or self.fs.writes_depth:
            return False
        return zs.fails_for_good(self.part.dsa, self.zs_fmt)

    @property
    def counts_shaded(self) -> bool:
        """See FragmentBuilder; it begins in the first phase."""
        return self.part.counting and self.phase == 0

    def kernel(self, name: str) -> Kernel:
        """See FragmentBuilder.kernel. A shader that cannot be cut is done stamp by stamp."""
        self.name = name
        return super().kernel(name)

    def prepare(self) -> None:
        """The phases, and what goes through them."""
        self.schedule = self._cut()
        asked = (i.name for i in self.shader.main.instrs() if isinstance(i, IntrinsicInstr))
        self.asks_faces = "load_front_face" in asked
        if self.schedule is not None:
            self.rest = self._rest_kernel()

    @property
    def takes_blocks(self) -> bool:
        """See FragmentBuilder; of a long shader phase 0 is the inputs alone."""
        apart = self.schedule is not None and self.step > 1
        return apart or super().takes_blocks

    def begin(self, b: Builder, task: LpTask, state: LpFragState, passed: Passed) -> None:
        """The thread's batch."""
        self.phase = 0
        if self.schedule is None:
            return
        self.batch = task.thread.batch
        self.used = Var(task.thread.addr("batched"), u32)
        self.packing = self._packing(b, task)
        self._flush = lambda: self._call_rest(b, task, state, passed)

    def start(self) -> None:
        """It is empty."""
        if self.schedule is not None:
            self.used.value = 0
        if self.packing is not None:
            self.packing.clear()

    def _packing(self, b: Builder, task: LpTask) -> Packing | None:
        """Whose quads lie side by side."""
        if self.step == 1:
            return None
        places: Var[Value] = Var(task.thread.addr("packed"), u32)
        return Packing(b, self.batch, self.memory.stamps, places, self.asks_faces)

    def _cut(self) -> Schedule | None:
        """The phases; None if there is but one."""
        # one stamp a step is a quarter of the code
        self.step = 1 if self.hurried else stamps_a_step(self.shader)
        if self.step == 1 and not any(isinstance(i, TexInstr) for i in self.shader.main.instrs()):
            return None
        try:
            schedule = Schedule(self.shader, apart=self.step > 1)
        except Unsplittable:
            return None
        if schedule.count == 1:
            return None
        self.memory = BatchMemory(schedule, HEAD + self.kept_bytes * MOST_STAMPS)
        return schedule if self.memory.size <= BATCH_BYTES else None

    @property
    def last_phase(self) -> int:
        """The number of what tests, blends and stores: the last phase, or a round behind it."""
        assert self.schedule is not None
        return self.schedule.count - (self.step == 1)

    @property
    def is_last(self) -> bool:
        """Whether what is emitted is the last phase, or all of them."""
        return self.schedule is None or self.phase == self.last_phase

    @property
    def kept_bytes(self) -> int:
        """What is kept of a stamp beside its pixels: depths."""
        return 64

    @property
    def kept(self) -> Pointer:
        """What is kept of stamps, `kept_bytes` of each."""
        return self.batch + HEAD

    def end(self, b: Builder) -> None:
        """What is left in the batch."""
        if self.schedule is not None:
            with b.If(self.used.value != 0):
                self._flush()

    def _call_rest(
        self, b: Builder, task: LpTask, state: LpFragState, passed: Passed
    ) -> None:
        found = b.call(self.rest, task, state, self.batch, self.used.value)
        passed.total.value = passed.total.value + found
        self.used.value = b.const(u32, 0)

    # -- phase 0 ---------------------------------------------------------------------------------

    def shade_color(
        self,
        b: Builder,
        prim: Primitive,
        at: Stamp,
        alive: Var[Value],
        z: Value | None,
        place: Pointer | None,
    ) -> None:
        """In the main kernel: phase 0, and the stamp joins the batch. In the last phase: all that
        is left to do."""
        if self.is_last:
            super().shade_color(b, prim, at, alive, z, place)
            return
        m = self.join(b, prim, at, alive.value, z)
        if self.late_zs:
            assert z is not None
            self.depth_of_stamp(b, m).store(z, align=64)
        self.joined(b)

    def join(
        self, b: Builder, prim: Primitive, at: Stamp, alive: Value, z: Value | None
    ) -> Value:
        """Phase 0 of a stamp, which joins the batch. Gives its number; `joined` comes next."""
        m = self.stamp_number = self.used.value
        where = b.cast(at.x | (at.y << 8), u32)
        word = where | (b.cast(prim.front, u32) << 16)
        if self.packing is None:
            env, _ = self.run_shader(b, prim, at, alive, z)
            alive = env.mask.value  # phase 0 may discard
        else:
            entry = self.packing.begin(b.bits_of(alive))
            word = word | (entry.first << FIRST_BIT)
            self.stamp_number = entry.slot
            if self.defers_inputs:
                self._defer(b, prim, at, alive, z, entry, where)
            else:
                self.run_shader(b, prim, at, alive, z)
                self.packing.join(entry, prim.front, self._input_planes)
        self._note(b, m, word, alive)
        self.used.value = m + 1
        return m

    @property
    def _input_planes(self) -> list[int]:
        """Where phase 0 has left its values."""
        assert self.schedule is not None
        return self.memory.planes_of(self.schedule.inputs)

    def _defer(
        self, b: Builder, prim: Primitive, at: Stamp, alive: Value, z: Value | None,
        entry: Entry, where: Value,
    ) -> None:  # fmt: skip
        """A stamp joins whose inputs are computed later; at once, where its block's planes are
        there and all of its quads are alive."""
        assert self.packing is not None
        computed = b.const(boolean, 0)
        if prim.block_stamp is not None:
            computed = entry.whole
            with b.If(computed):
                self.run_shader(b, prim, at, alive, z)
                self.packing.take_computed(entry, prim)
        with b.If(~computed):
            if self.counts_shaded:
                prim.passed.count_shaded(alive)
            self.packing.defer(entry, prim, where)

    def joined(self, b: Builder) -> None:
        """All of a stamp is in the batch: shade it, if it is full."""
        if self.packing is None:
            full = self.used.value == self.memory.stamps
        else:
            full = self.packing.is_full | (self.used.value == MOST_STAMPS)
        with b.If(full):
            self._flush()

    def depth_of_stamp(self, b: Builder, m: Value) -> Pointer:
        """Where the depths of stamp m are kept."""
        return b.bytes_from(self.kept, m * self.kept_bytes, f32)

    def _note(self, b: Builder, m: Value, where: Value, pixels: Value) -> None:
        """The word of stamp m: where it is, and which of its pixels are live."""
        live = b.cast(b.bits_of(pixels), u64) << 32
        stamp_words(b, self.batch)[m] = b.cast(where, u64) | live

    def emit(self, b: Builder, env: FsEnv, exec_mask: Value) -> None:
        """The phase's part of the shader."""
        if self.schedule is None:
            super().emit(b, env, exec_mask)
            return
        phase = self._phase(b, env, self.stamp_number)
        if self.phase == self.schedule.count:
            phase.load_outputs()
        else:
            phase.emit(exec_mask)

    def _phase(self, b: Builder, env: FsEnv, m: Value) -> PhaseTranslator:
        assert self.schedule is not None
        return PhaseTranslator(b, env, self.schedule, self.memory, self.batch, m, self.phase)

    # -- further phases --------------------------------------------------------------------------

    def interpolate(
        self, b: Builder, prim: Primitive, at: Stamp
    ) -> tuple[dict[tuple[int, int], Value], Value | None]:
        """Inputs are read in phase 0 alone."""
        return super().interpolate(b, prim, at) if self.phase == 0 else ({}, None)

    def _rest_kernel(self) -> Kernel:
        """rest(task, state, batch, stamps) -> pixels that passed every test."""

        @kernel(
            u32, (ptr(LpTask), ptr(LpFragState), ptr(u8), u32), name=f"{self.name}_rest",
            noinline=True, noalias=(2,),
        )  # fmt: skip
        def rest(
            b: Builder, task: LpTask, state: LpFragState, batch: Pointer, stamps: Value
        ) -> None:
            assert self.schedule is not None
            self.batch = batch
            passed = Passed(b, state)
            tile = self.tile(b, task)
            packing = self.packing = self._packing(b, task)
            shaded = stamps if packing is None else packing.stamps
            if packing is not None and self.defers_inputs:
                self._compute_inputs(b, tile, state, packing)
            for phase in range(1, self.last_phase + 1):
                self._call_samplers(b, state, phase - 1, shaded)
                self.phase = phase
                if packing is not None and phase < self.schedule.count:
                    with b.For(b.const(u32, 0), shaded, self.step) as m:
                        self.stamp_number = m
                        self._shade_stamps(b, state, m)
                elif packing is not None:
                    self._finish_packed(b, tile, state, passed, packing, stamps)
                else:
                    with b.For(b.const(u32, 0), stamps) as m:
                        self.stamp_number = m
                        live = live_of(b, stamp_words(b, self.batch)[m])
                        self._shade_stamp(b, tile, state, passed, m, live)
            b.Return(passed.total.value)

        return rest

    def _compute_inputs(
        self, b: Builder, tile: Tile, state: LpFragState, packing: Packing
    ) -> None:
        """Phase 0 of the quads that have joined without."""
        self.phase = 0
        packing.records.close(packing.used.value)

        def compute(m: Value, words: Value, bases: list[Pointer]) -> None:
            quads = QuadInputs(b, self, tile, words, bases)
            live = quads.live
            packing.note_computed(m, live, quads.front)
            env = FsEnv(b, self, state, *quads.inputs(state), live, live)
            self._phase(b, env, m).emit(whole_quads(b, live))

        with b.For(b.const(u32, 0), packing.stamps) as m:
            words, bases = packing.records.stamp(m)
            first, *others = (b.ptr_to_int(base) for base in bases)
            with b.If(first != 0):
                differ = (first ^ others[0]) | (first ^ others[1]) | (first ^ others[2])
                with b.If(differ == 0):  # larger triangles: a number is loaded once, for all lanes
                    compute(m, words, bases[:1])
                with b.Else():
                    compute(m, words, bases)

    def _call_samplers(self, b: Builder, state: LpFragState, phase: int, stamps: Value) -> None:
        assert self.schedule is not None
        for lookups in self.memory.calls.get(phase, ()):
            first = lookups[0]
            view = self.constants.view(b, state, first.texture_index)
            coords = b.bytes_from(self.batch, self.memory.coords[first], f32)
            out = b.bytes_from(self.batch, self.memory.results[first], f32)
            unread = self.memory.unread(lookups)
            call_together(b, view, stamps, self.memory.stamps, coords, out, lookups, unread)

    def _shade_stamps(self, b: Builder, state: LpFragState, m: Value) -> None:
        """A phase of the stamps from m on that make a step, whose quads may be of any stamps."""
        assert self.schedule is not None
        word = {2: u32, 4: u64}[self.step]
        live = b.bytes_from(self.batch, m * 2 + PACKED, word)
        front = b.bytes_from(self.batch, m * 2 + FRONT, word)
        mask = b.mask_of(live.load(word, align=2))
        env = WideEnv(b, self, state, front, mask, self.step)
        phase = self._phase(b, env, m)
        phase.emit(whole_quads(b, mask))
        if self.phase == self.schedule.count - 1:
            phase.save_outputs()
        if self.fs.uses_discard:
            live.store(b.bits_of(env.mask.value), align=2)

    def _finish_packed(
        self, b: Builder, tile: Tile, state: LpFragState, passed: Passed, packing: Packing,
        stamps: Value,
    ) -> None:  # fmt: skip
        """The last phase of all stamps. Each one's quads come together while the one before is
        stored: they are read as vectors, which would wait for what has just been written."""
        outputs = list(self.memory.outputs.values())
        slot, live = b.var(u32, 0), b.var(u32, 0)
        with b.For(b.const(u32, 0), stamps + 1) as m:
            self.stamp_number, pixels = slot.value, live.value
            with b.If(m < stamps, likely=True):
                slot.value, live.value = packing.leave(m, self.fs.uses_discard, outputs)
            with b.If(m != 0, likely=True):
                self._shade_stamp(b, tile, state, passed, m - 1, pixels)
        packing.clear()

    def _shade_stamp(
        self, b: Builder, tile: Tile, state: LpFragState, passed: Passed, m: Value, live: Value
    ) -> None:
        """A phase of stamp m, of which these pixels are left."""
        assert self.schedule is not None
        where = b.cast(stamp_words(b, self.batch)[m], u32)
        x, y = b.cast(where & 63, i32), b.cast((where >> 8) & 63, i32)
        no, first = b.const(boolean, 0), b.const(i32, 0)
        prim = Primitive(tile, state, _no_packet, (where >> 16) & 1 != 0, no, (first, first))
        prim.passed = passed
        at = Stamp(x, y, live == 0xFFFF, _no_planes)
        mask = b.mask_of(b.cast(live, u16))
        if self.phase < self.last_phase:
            env, _ = self.run_shader(b, prim, at, mask, None)
            self._note(b, m, where, env.mask.value)
            return
        with b.If(live != 0, likely=True):
            self.finish(b, prim, at, m, mask)

    def finish(self, b: Builder, prim: Primitive, at: Stamp, m: Value, mask: Value) -> None:
        """The last phase of stamp m, of which these pixels are left."""
        z, place = None, None
        if self.late_zs:
            z = self.depth_of_stamp(b, m).load(f32x16, align=64)
            place = self.depth_place(b, prim.tile, at.x, at.y)
        self.shade_color(b, prim, at, b.var(mask16, mask), z, place)


def _no_packet(*_: object) -> Value:
    raise TypeError("a triangle's packet is read in phase 0 alone")


def _no_planes(_: object) -> Value:
    raise TypeError("planes are evaluated in phase 0 alone")
