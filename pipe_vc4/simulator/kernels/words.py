# SPDX-License-Identifier: MIT
"""One QPU word in lanes: operands, results, flags, writes (../qpu.py, `Machine.word`)."""
from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pipe_vc4.qpu.fields import (
    QPU_COND,
    QPU_COND_BRANCH,
    QPU_M,
    QPU_MUX,
    QPU_PACK_A,
    QPU_R,
    QPU_SIG_,
    QPU_W,
)
from pipe_vc4.simulator import tmu as plain_tmu
from pipe_vc4.simulator.alu import FLOAT_IN, FLOAT_OUT
from pipe_vc4.simulator.kernels import alu, sfu
from pipe_vc4.simulator.kernels.errors import error_code
from pipe_vc4.simulator.kernels.lanes import (
    WORD,
    U,
    allowed,
    as_floats,
    as_words,
    one_allowed,
    uniform,
    words_at,
)
from pipe_vc4.simulator.kernels.layout import LANES, Vc4Group, Vc4Rows, Vc4Sample
from pipe_vc4.simulator.kernels.state import Ended, State, UnitState, Untranslatable
from pydri.jit.types import boolean, i32, u32, u64

if TYPE_CHECKING:
    from pipe_vc4.simulator.program import Instruction
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value, Var

_SFU = {QPU_W.SFU_RECIP: sfu.recip, QPU_W.SFU_RECIPSQRT: sfu.rsqrt, QPU_W.SFU_EXP: sfu.exp2,
        QPU_W.SFU_LOG: sfu.log2}
_ONCE = (QPU_R.VARY, QPU_R.VPM)
_MASKS = boolean.vec(LANES)


class Side(Protocol):
    """What stands around a QPU that runs a shader of one kind (../qpu.py, `Unit`)."""

    def state(self) -> tuple[object, ...]:
        """What is not the lanes' own."""

    def enter(self, state: tuple[object, ...]) -> None:
        """Take such a state over."""

    def read(self, file: int, address: int) -> Value:
        """What a special address of file A (0) or B (1) holds."""

    def constant(self) -> Value:
        """The constant term of the varying just read."""

    def write(self, file: int, address: int, value: Value, mask: Value | None,
              known: int | None) -> None:
        """A write to a special address; `known`: the value, where it is a constant."""

    def load_color(self) -> Value:
        """The tile buffer's colours."""


class Words:
    """Registers, flags and units, and the words that change them."""

    side: Side

    def __init__(self, b: Builder, group: Vc4Group | Vc4Rows, block: int) -> None:
        self.b, self.group, self.in_block = b, group, block
        self.memory, self.units = group.memory, group.units
        self.files = [[b.var(U, 0) for _ in range(32)] for _ in range(2)]
        self.acc = [b.var(U, 0) for _ in range(6)]
        #: Z where a lane is 0, N where its sign is set, C where it is not 0
        self.zero, self.negative, self.carry = b.var(U, 1), b.var(U, 0), b.var(U, 0)
        self.coordinates = [[b.var(U, 0) for _ in range(4)] for _ in range(2)]
        self.setups = [[b.var(u32, 0) for _ in range(4)] for _ in range(2)]
        self.results = [[b.var(U, 0) for _ in range(plain_tmu.FIFO)] for _ in range(2)]
        self.sample = b.array(Vc4Sample, align=64)
        self.stream = b.var(u32, group.uniforms)
        self.uniform_number, self.moved, self.switched = 0, False, -1
        self.tmus = [UnitState(), UnitState()]
        self.new_r5: Value | None = None
        self.new_stream: Value | None = None
        self.elements = b.iota(U)

    # ---- states and errors
    def leave(self, at: int) -> State:
        """What is known as the words from `at` on begin."""
        return State(at, self.uniform_number, self.moved, self.switched,
                     (self.tmus[0], self.tmus[1]), self.side.state())

    def enter(self, state: State) -> None:
        """Take over what is known."""
        self.uniform_number, self.moved = state.uniform, state.moved
        self.switched, self.tmus = state.switched, list(state.units)
        self.new_r5 = self.new_stream = None
        self.side.enter(state.side)

    def fail(self, text: str, number: int = 0) -> None:
        """An error whenever this is reached."""
        self.b.Return(error_code(text, number))
        raise Ended

    def fail_if(self, condition: Value, text: str, number: int = 0) -> None:
        """An error in some runs."""
        with self.b.If(condition, likely=False):
            self.b.Return(error_code(text, number))

    def uniform(self) -> Value:
        """The next uniform, in all lanes."""
        b, number = self.b, self.uniform_number
        self.uniform_number += 1
        address = self.stream.value + 4 * number
        if self.moved or number >= self.in_block:
            good = one_allowed(b, self.memory, b.cast(address, u64))
            self.fail_if(~good, "a uniform is read outside of every buffer")
        place = b.bytes_from(self.memory.bytes, b.cast(address & 0xFFFFFFFC, u64), u32)
        return uniform(b, place.load())

    # ---- conditions
    def flag(self, number: int, complement: int) -> Value:
        """Where Z (0), N (1) or C (2) is set, or is not."""
        b = self.b
        if number == 1:
            signed = b.bitcast(self.negative.value, i32)
            return signed >= 0 if complement else signed < 0
        value = (self.zero if number == 0 else self.carry).value
        return value == 0 if complement == number // 2 else value != 0

    def taken(self, cond: int) -> Value | None:
        """Whether a branch on `cond` is taken; None: it is."""
        if cond == QPU_COND_BRANCH.ALWAYS:
            return None
        if cond > QPU_COND_BRANCH.ANY_CC:
            self.fail("branch condition {}", cond)
        lanes = self.flag(cond // 4, cond & 1)
        return self.b.any(lanes) if cond & 2 else self.b.all(lanes)

    def mask(self, cond: int) -> Value | None:
        """The lanes where `cond` holds; None: all."""
        if cond == QPU_COND.ALWAYS:
            return None
        if cond == QPU_COND.NEVER:
            return self.b.const(_MASKS, 0)
        return self.flag((cond - 2) // 2, cond & 1)

    def set(self, place: Var[Value], value: Value, mask: Value | None) -> None:
        """Assign in the lanes of `mask`."""
        place.value = value if mask is None else self.b.select(mask, value, place.value)

    # ---- words
    def word(self, word: Instruction) -> None:
        """One word that is no branch."""
        if word.sig == QPU_SIG_.BRANCH:
            raise Untranslatable("a branch in a branch's delay slots")
        if word.sig == QPU_SIG_.LOAD_IMM:
            self.load_immediate(word)
        else:
            self.compute(word)
        if self.new_r5 is not None:
            self.acc[5].value = self.new_r5
            self.new_r5 = None
        if word.sig in (QPU_SIG_.LOAD_TMU0, QPU_SIG_.LOAD_TMU1):
            self.acc[4].value = self.pop(word.sig - QPU_SIG_.LOAD_TMU0)
        elif word.sig in (QPU_SIG_.COLOR_LOAD, QPU_SIG_.COLOR_LOAD_END):
            self.acc[4].value = self.side.load_color()
        elif word.sig in (QPU_SIG_.COVERAGE_LOAD, QPU_SIG_.ALPHA_MASK_LOAD, QPU_SIG_.BREAKPOINT):
            self.fail("signal {} is not simulated", word.sig)
        if self.new_stream is not None:
            self.stream.value, self.new_stream = self.new_stream, None
            self.uniform_number, self.moved = 0, True

    def load_immediate(self, word: Instruction) -> None:
        """A load of an immediate into what both pipes write."""
        b, mode = self.b, word.unpack
        if mode & 4:
            self.fail("semaphores: shaders of a job run one after the other")
        value = uniform(b, word.imm)
        if mode:
            sign = 2 if mode == 3 else -2
            pairs = [(word.imm >> n & 1) + (word.imm >> n + 16 & 1) * sign for n in range(LANES)]
            value = b.const(U, pairs)
        masks = self.mask(word.cond_add), self.mask(word.cond_mul)
        if word.sf:
            self.flags(value, None, False, masks[0])
        known = None if mode else word.imm
        self.result(word, 0, value, masks[0], False, known)
        self.result(word, 1, value, masks[1], False, known)

    def source(self, word: Instruction, file: int, address: int, given: Value | None) -> Value:
        """What address `address` of a file gives."""
        b = self.b
        if address < 32:
            return self.files[file][address].value
        if address == QPU_R.UNIF:
            assert given is not None
            return given
        if address == QPU_R.ELEM_QPU:
            return self.elements if file == 0 else uniform(b, 0)
        if address == QPU_R.NOP:
            return uniform(b, 0)
        value = self.side.read(file, address)
        if address == QPU_R.VARY:
            self.new_r5 = self.side.constant()
        return value

    def operands(self, word: Instruction) -> dict[int, Value]:
        """What each mux that the word uses gives, before any unpack."""
        given = self.uniform() if word.reads_uniform else None
        muxes = set(word.add if word.op_add else ()) | set(word.mul if word.op_mul else ())
        values = {mux: self.acc[mux].value for mux in sorted(muxes) if mux < QPU_MUX.A}
        if QPU_MUX.A in muxes:
            values[QPU_MUX.A] = self.source(word, 0, word.raddr_a, given)
        if QPU_MUX.B in muxes:
            if word.small is not None:
                values[QPU_MUX.B] = uniform(self.b, int(word.small[0, 0]))
            elif QPU_MUX.A in muxes and word.raddr_a == word.raddr_b and word.raddr_a in _ONCE:
                values[QPU_MUX.B] = values[QPU_MUX.A]
            else:
                values[QPU_MUX.B] = self.source(word, 1, word.raddr_b, given)
        return values

    def unpacked(self, word: Instruction, mux: int, value: Value, floats: bool) -> Value:
        """An operand after the word's unpack, for an operation of floats or of integers."""
        if word.unpack and mux == (QPU_MUX.R4 if word.pm else QPU_MUX.A):
            return alu.unpack(self.b, value, word.unpack, floats or bool(word.pm))
        return value

    def compute(self, word: Instruction) -> None:
        """Both pipes at once: operands, results, flags, then writes."""
        b, values = self.b, self.operands(word)
        add = mul = carry = None
        if word.op_add:
            floats = word.op_add in FLOAT_IN
            x, y = (self.unpacked(word, mux, values[mux], floats) for mux in word.add)
            if word.op_add not in alu.ADD_OPS:
                self.fail("there is no operation {} of the add pipe", word.op_add)
            if word.pack == QPU_PACK_A.S32 and not word.pm:
                add = alu.saturated(b, word.op_add, x, y)
            if add is None:
                add = alu.ADD_OPS[word.op_add](b, x, y)
            if word.sf:
                carry = alu.carry(b, word.op_add, x, y, add)
        if word.op_mul:
            floats = word.op_mul == QPU_M.FMUL
            x, y = (self.unpacked(word, mux, values[mux], floats) for mux in word.mul)
            if word.rotate is not None:
                x, y = self.rotated(x, word.rotate), self.rotated(y, word.rotate)
            mul = alu.MUL_OPS[word.op_mul](b, x, y)
        masks = self.mask(word.cond_add), self.mask(word.cond_mul)
        if word.sf:
            if add is not None and word.cond_add != QPU_COND.NEVER:
                self.flags(add, carry, word.op_add in FLOAT_OUT, masks[0])
            elif mul is not None:
                self.flags(mul, None, word.op_mul == QPU_M.FMUL, masks[1])
        if add is not None:
            self.result(word, 0, add, masks[0], word.op_add in FLOAT_OUT)
        if mul is not None:
            self.result(word, 1, mul, masks[1], word.op_mul == QPU_M.FMUL)

    def rotated(self, value: Value, by: int) -> Value:
        """The lanes moved up by `by`, or by r5 of lane 0."""
        b = self.b
        if by:
            return b.shuffle(value, None, [(lane - by) % LANES for lane in range(LANES)])
        twice = b.array(u32, 2 * LANES, align=64)
        twice.store(value)
        (twice + LANES).store(value)
        shift = self.acc[5].value[0] & 15
        return (twice + b.cast(LANES - shift, u64)).load(U)

    def flags(self, result: Value, carry: Value | None, floats: bool, mask: Value | None) -> None:
        """Z, N and C of a result, in the lanes that write it."""
        b = self.b
        self.set(self.zero, alu.is_zero(result, floats), mask)
        self.set(self.negative, result, mask)
        none = b.const(U, 0)
        self.set(self.carry, none if carry is None else b.select(carry, b.const(U, 1), none), mask)

    # ---- writes
    def result(self, word: Instruction, pipe: int, value: Value, mask: Value | None, floats: bool,
               known: int | None = None) -> None:
        """A pipe's result to its address, packed."""
        file = word.ws ^ pipe
        address = word.waddr_mul if pipe else word.waddr_add
        if word.pack:
            if word.pm:
                if pipe:
                    if not alu.has_pack_mul(word.pack):
                        self.fail("the multiply pipe has no pack {}", word.pack)
                    value = alu.pack_mul(self.b, self.old(file, address), value, word.pack)
            elif file == 0 and address < 32:
                value = alu.pack_a(self.b, self.old(file, address), value, word.pack, floats)
            known = None
        self.store(file, address, value, mask, known)

    def old(self, file: int, address: int) -> Value:
        """What a register holds before bytes of it are written; elsewhere zeros."""
        if address < 32:
            return self.files[file][address].value
        if address <= QPU_W.ACC3:
            return self.acc[address - QPU_W.ACC0].value
        return uniform(self.b, 0)

    def store(self, file: int, address: int, value: Value, mask: Value | None,
              known: int | None) -> None:
        """A write, in the lanes of `mask`."""
        b = self.b
        if address < 32:
            self.set(self.files[file][address], value, mask)
        elif address <= QPU_W.ACC3:
            self.set(self.acc[address - QPU_W.ACC0], value, mask)
        elif address == QPU_W.NOP:
            pass
        elif address == QPU_W.ACC5:
            step = 4 if file == 0 else LANES
            spread = [lane // step * step for lane in range(LANES)]
            self.set(self.acc[5], b.shuffle(value, None, spread), mask)
        elif address in _SFU:
            found = _SFU[QPU_W(address)](b, as_floats(b, value))
            self.set(self.acc[4], as_words(b, found), mask)
        elif address >= QPU_W.TMU0_S:
            self.write_tmu(*divmod(address - QPU_W.TMU0_S, 4), value)
        elif address == QPU_W.UNIFORMS_ADDRESS:
            self.new_stream = value[0]
        elif address in (QPU_W.TMU_NOSWAP, QPU_W.HOST_INT, QPU_W.MUTEX_RELEASE):
            pass
        else:
            self.side.write(file, address, value, mask, known)

    # ---- the texture units
    def write_tmu(self, unit: int, coordinate: int, value: Value) -> None:
        """A coordinate; s is the last, and begins the sample or the read of memory."""
        b, now = self.b, self.tmus[unit]
        self.coordinates[unit][coordinate].value = value
        reads = coordinate == plain_tmu.S and not now.given
        words = now.words
        if not reads:
            word = self.uniform()[0]
            if words < 4:
                self.setups[unit][words].value = word
                words += 1
        given = now.given | 1 << coordinate
        if coordinate != plain_tmu.S:
            self.tmus[unit] = UnitState(given, words, now.results)
            return
        if now.results >= plain_tmu.FIFO:
            self.fail("more samples wait in a TMU than it holds")
        if reads:
            good = allowed(b, self.memory, value)
            self.fail_if(~b.all(good), "memory is read outside of every buffer")
            found = words_at(b, self.memory, value, good)
        else:
            found = self.sampled(unit, given, words)
        self.results[unit][now.results].value = found
        self.tmus[unit] = UnitState(0, 0, now.results + 1)

    def sampled(self, unit: int, given: int, words: int) -> Value:
        """What the sampler makes of what was given."""
        b, sample = self.b, self.sample
        sample.memory = self.memory
        sample.given = given
        for n in range(4):
            sample.words[n] = self.setups[unit][n].value if n < words else 0
            if given >> n & 1:
                (sample.coordinates + LANES * n).store(self.coordinates[unit][n].value)
        code = b.call(self.units.sample, sample)
        with b.If(code != 0, likely=False):
            b.Return(code)
        return sample.result.cast(WORD).load(U)

    def pop(self, unit: int) -> Value:
        """The oldest result of a unit."""
        now = self.tmus[unit]
        if not now.results:
            self.fail("a TMU's result is read, and none was asked for")
        places = self.results[unit]
        first = places[0].value
        for n in range(1, now.results):
            places[n - 1].value = places[n].value
        self.tmus[unit] = now._replace(results=now.results - 1)
        return first


__all__ = ["Side", "Words"]
