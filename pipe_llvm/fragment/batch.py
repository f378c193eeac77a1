# SPDX-License-Identifier: MIT
"""Fragment kernels with textures, or with long shaders: up to 16 stamps of one draw in a tile at a
time, fewer where the shader has many lookups (`BatchMemory.stamps`).

A stamp that is covered and passes the early tests is shaded up to its texture instructions (phase
0 of gallivm/phases.py) while its triangle's planes are in registers, and joins the batch. When that
is full, and behind the last triangle, `rest` goes through the batch: it calls the sampler
functions, shades the next phase, and so on; the last phase tests, blends and stores stamp by stamp
in their order, as the kernels without textures do. Depth that is written early is written in that
order, too, so a pixel that several triangles of a batch cover gets them one after the other.

Measured: one sampler call for 16 stamps instead of 16 takes about half the time, since no stage of
it waits for the latencies of another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.fragment.env import FsEnv
from pipe_llvm.fragment.kernel import FragmentBuilder
from pipe_llvm.fragment.primitive import Passed, Primitive, Stamp, Tile
from pipe_llvm.fragment.quads import whole_quads
from pipe_llvm.fragment.wide import WideEnv, stamps_a_step
from pipe_llvm.gallivm.phases import BatchMemory, PhaseTranslator, Schedule, Unsplittable
from pipe_llvm.native import BATCH_BYTES, LpFragState, LpTask
from pipe_llvm.sample.call import call_together
from pydri.jit import Kernel, Var, boolean, f32, i32, kernel, ptr, u8, u16, u32, u64
from pydri.nir.ir import TexInstr
from pydri.pipe.sampler import SAMPLE_STAMPS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

f32x16, mask16 = f32.vec(16), boolean.vec(16)
#: of a batch: for each stamp where it is (x | y << 8 | front << 16, u32) and its live pixels (u16);
#: depths
_WHERE, _LIVE, _DEPTH, _VALUES = 0, 4 * SAMPLE_STAMPS, 128, 128 + 64 * SAMPLE_STAMPS


class BatchFragmentBuilder(FragmentBuilder):
    """Generates a fragment kernel whose shader samples textures, or is long."""

    schedule: Schedule | None = None
    memory: BatchMemory
    batch: Pointer  # of the kernel that is being emitted
    used: Var[Value]  # stamps that it holds: the thread's, since functions share it
    phase = 0
    step = 1  # stamps that are shaded at once behind phase 0 (fragment/wide.py)

    @property
    def stacks_planes(self) -> bool:
        """See FragmentBuilder; without batches planes are few."""
        return self.schedule is not None

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
        self._flush = lambda: self._call_rest(b, task, state, passed)

    def start(self) -> None:
        """It is empty."""
        if self.schedule is not None:
            self.used.value = 0

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
        self.memory = BatchMemory(schedule, _VALUES)
        return schedule if self.memory.size <= BATCH_BYTES else None

    @property
    def last_phase(self) -> int:
        """The number of what tests, blends and stores: the last phase, or a round behind it."""
        assert self.schedule is not None
        return self.schedule.count - (self.step == 1)

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
        if self.schedule is None or self.phase == self.last_phase:
            super().shade_color(b, prim, at, alive, z, place)
            return
        m = self.stamp_number = self.used.value
        env, _ = self.run_shader(b, prim, at, alive.value, z)
        front = b.cast(prim.front, u32) << 16
        where = b.cast(at.x | (at.y << 8), u32) | front
        b.bytes_from(self.batch, _WHERE, u32)[m] = where
        self._keep_live(b, m, env)
        if self.late_zs:
            assert z is not None
            (b.bytes_from(self.batch, _DEPTH, f32) + m * 16).store(z, align=64)
        self.used.value = m + 1
        with b.If(self.used.value == self.memory.stamps):
            self._flush()

    def _keep_live(self, b: Builder, m: Value, env: FsEnv) -> None:
        b.bytes_from(self.batch, _LIVE, u16)[m] = b.bits_of(env.mask.value)

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
            if self.step > 1:
                most = self.memory.stamps
                with b.For(stamps, most) as m:  # those of the last step that are none
                    b.bytes_from(batch, _LIVE, u16)[m] = 0
            for phase in range(1, self.last_phase + 1):
                self._call_samplers(b, state, phase - 1, stamps)
                self.phase = phase
                wide = self.step if phase < self.schedule.count else 1
                with b.For(b.const(u32, 0), stamps, wide) as m:
                    self.stamp_number = m
                    if wide > 1:
                        self._shade_stamps(b, state, m)
                    else:
                        self._shade_stamp(b, tile, state, passed, m)
            b.Return(passed.total.value)

        return rest

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
        """A phase of the stamps from m on that make a step."""
        assert self.schedule is not None
        word = {2: u32, 4: u64}[self.step]
        live = b.bytes_from(self.batch, m * 2 + _LIVE, word)
        where = b.bytes_from(self.batch, _WHERE, u32) + m
        mask = b.mask_of(live.load(word, align=2))
        env = WideEnv(b, self, state, where, mask, self.step)
        phase = self._phase(b, env, m)
        phase.emit(whole_quads(b, mask))
        if self.phase == self.schedule.count - 1:
            phase.save_outputs()
        if self.fs.uses_discard:
            live.store(b.bits_of(env.mask.value), align=2)

    def _shade_stamp(
        self, b: Builder, tile: Tile, state: LpFragState, passed: Passed, m: Value
    ) -> None:
        """A phase of stamp m."""
        assert self.schedule is not None
        where = b.bytes_from(self.batch, _WHERE, u32)[m]
        live = b.cast(b.bytes_from(self.batch, _LIVE, u16)[m], u32)
        x, y = b.cast(where & 63, i32), b.cast((where >> 8) & 63, i32)
        no, first = b.const(boolean, 0), b.const(i32, 0)
        prim = Primitive(tile, state, _no_packet, (where >> 16) != 0, no, (first, first))
        prim.passed = passed
        at = Stamp(x, y, live == 0xFFFF, _no_planes)
        mask = b.mask_of(b.cast(live, u16))
        z = None
        if self.late_zs:
            z = (b.bytes_from(self.batch, _DEPTH, f32) + m * 16).load(f32x16, align=64)
        if self.phase < self.last_phase:
            env, _ = self.run_shader(b, prim, at, mask, z)
            self._keep_live(b, m, env)
            return
        place = self.depth_place(b, tile, x, y) if self.late_zs else None
        with b.If(live != 0, likely=True):
            self.shade_color(b, prim, at, b.var(mask16, mask), z, place)


def _no_packet(*_: object) -> Value:
    raise TypeError("a triangle's packet is read in phase 0 alone")


def _no_planes(_: object) -> Value:
    raise TypeError("planes are evaluated in phase 0 alone")
