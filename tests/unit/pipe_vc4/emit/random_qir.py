# SPDX-License-Identifier: MIT
"""Random programs of QIR, as the emitter gets them: after all passes.

In: a `random.Random`.  Out: a `Vc4Compile`.  Floats stay small and are never NaN, so that two
interpreters agree in all bits; everything that a program may do occurs: packs and unpacks, flags
and conditions, immediates, the SFU, samples, reads of the tile, thread switches, blocks.
"""

from __future__ import annotations

import random

from pipe_vc4.qir.enums import BranchCond, Cond, Pack, QFile, QStage, QUniform, Unpack
from pipe_vc4.qir.opt_dead_code import qir_opt_dead_code
from pipe_vc4.qir.qir import NULL, QReg, VaryingSlot, Vc4Compile, float_bits

CONDS = (Cond.ZS, Cond.ZC, Cond.NS, Cond.NC)
_INT_OPS = ("ADD", "SUB", "MIN", "MAX", "AND", "OR", "XOR", "SHL", "SHR", "ASR", "MUL24", "V8MIN",
            "V8MAX", "V8ADDS", "V8SUBS")  # fmt: skip
_FLOAT_OPS = ("FADD", "FSUB", "FMUL", "FMIN", "FMAX", "FMINABS", "FMAXABS")


class Maker:
    """Makes one program."""

    def __init__(self, rng: random.Random, stage: QStage, sfu: bool = True) -> None:
        self.rng = rng
        self.sfu = sfu
        self.c = Vc4Compile(stage)
        self.floats: list[QReg] = []
        self.ints: list[QReg] = []
        self.textures = False

    # ---- operands
    def uniform(self, floating: bool) -> QReg:
        """A constant; few different ones, so that some are read twice."""
        value = self.rng.choice((0.25, 1.5, -3.0, 0.75, 5.0, -0.125))
        number = self.rng.choice((3, 0x12345678, 0xFFFFFF00, 77, 0x80FF7F01))
        return self.c.uniform_f(value) if floating else self.c.uniform_ui(number)

    def small(self, floating: bool) -> QReg:
        """A small immediate."""
        value = (float_bits(self.rng.choice((1.0, 2.0, 0.5, 4.0, 0.0078125))) if floating
                 else self.rng.choice((0, 1, 7, 15, 0xFFFFFFFF, 0xFFFFFFF0)))
        return QReg(QFile.SMALL_IMM, value)

    def operands(self, floating: bool, count: int, mul: bool) -> list[QReg]:
        """Sources that one instruction may have: one uniform, one immediate, one unpacked."""
        temps = self.floats if floating else self.ints
        found = [self.rng.choice(temps) for _ in range(count)]
        kind = self.rng.random()
        at = self.rng.randrange(count)
        if kind < 0.2:
            found[at] = self.uniform(floating)
        elif kind < 0.3 and not mul:
            found[at] = self.small(floating)
        elif kind < 0.42 and self.ints:
            word = self.rng.choice(self.ints)
            unpack = self.rng.choice((Unpack.U8A, Unpack.U8B, Unpack.U8C, Unpack.U8D))
            found[at] = word._replace(pack=unpack)
        return found

    # ---- instructions
    def arithmetic(self) -> None:
        """An operation with a new temp for its result, sometimes with flags."""
        floating = bool(self.floats) and (not self.ints or self.rng.random() < 0.6)
        name = self.rng.choice(_FLOAT_OPS if floating else _INT_OPS)
        mul = name in ("FMUL", "MUL24") or name.startswith("V8")
        if not floating and mul:
            sources = [self.rng.choice(self.ints), self.rng.choice(self.ints)]
        else:
            sources = self.operands(floating, 2, mul)
        result = getattr(self.c.q, name)(*sources)
        if self.rng.random() < 0.2:
            self.c.definition(result).sf = True
        if name in ("FMUL", "FADD", "FSUB"):
            result = self.c.q.FMIN(result, self.c.uniform_f(8.0))
            result = self.c.q.FMAX(result, self.c.uniform_f(-8.0))
        (self.floats if floating else self.ints).append(result)

    def select(self) -> None:
        """One of two values by the flags."""
        temps = self.floats if self.floats and self.rng.random() < 0.5 else self.ints
        if temps:
            self.c.to.MOV(NULL, self.rng.choice(temps)).sf = True
            temps.append(self.c.SEL(
                self.rng.choice(CONDS), self.rng.choice(temps), self.rng.choice(temps)))

    def convert(self) -> None:
        """Between floats and integers."""
        if self.floats and self.rng.random() < 0.5:
            self.ints.append(self.c.q.FTOI(self.rng.choice(self.floats)))
        elif self.ints:
            small = self.c.q.AND(self.rng.choice(self.ints), self.small(False)._replace(index=7))
            self.floats.append(self.c.q.ITOF(small))

    def pack(self) -> None:
        """Four floats into a word, by the multiplier, or two halves on the way into file A."""
        word = self.c.get_temp()
        if not self.floats:
            return
        if self.rng.random() < 0.7:
            for byte in range(4):
                self.c.PACK_8_F(word, self.rng.choice(self.floats), byte)
        else:
            for half in (Pack.P16A, Pack.P16B):
                self.c.to.FTOI(word._replace(pack=half), self.rng.choice(self.floats))
        self.ints.append(word)

    def special(self) -> None:
        """The SFU, of a positive number."""
        if not self.floats or not self.sfu:
            return
        value = self.c.q.FMAXABS(self.rng.choice(self.floats), self.c.uniform_f(0.25))
        name = self.rng.choice(("RCP", "RSQ", "EXP2", "LOG2"))
        result = getattr(self.c.q, name)(value)
        self.floats.append(self.c.q.FMIN(result, self.c.uniform_f(8.0)))

    def load(self) -> None:
        """A constant in the instruction."""
        self.ints.append(self.c.LOAD_IMM(self.rng.getrandbits(32)))

    def sample(self) -> None:
        """A texture sample of two coordinates, its set-up words numbered by their data."""
        c = self.c
        if c.stage != QStage.FRAG or not self.textures:
            return
        for file in (QFile.TEX_T, QFile.TEX_S):
            word = c.uniform(QUniform.TEXTURE_CONFIG_P0, self.rng.randrange(1000))
            c.to.MOV(QReg(file), self.rng.choice(self.floats), word)
        if c.fs_threaded:
            c.to.THRSW(NULL)
        self.ints.append(c.q.TEX_RESULT())

    def rotation(self) -> None:
        """Another lane's value."""
        self.ints.append(self.c.ROT_MUL(self.c.q.MOV(self.rng.choice(self.ints)),
                                        self.rng.randint(1, 15)))

    def color(self) -> None:
        """What the tile holds; before any write of it."""
        if self.c.stage == QStage.FRAG and not self.c.fs_threaded:
            self.ints.append(self.c.q.TLB_COLOR_READ())

    def step(self) -> None:
        """Any of these."""
        kinds = (self.arithmetic, self.select, self.convert, self.pack, self.special, self.load,
                 self.sample, self.rotation, self.color)
        self.rng.choices(kinds, (10, 2, 2, 1, 1.5, 0.5, 1, 0.3, 0.3))[0]()

    # ---- begin and end
    def begin(self, inputs: int) -> None:
        """Inputs: varyings, or words of the vertex (taken for floats)."""
        c = self.c
        if c.stage == QStage.FRAG:
            w = c.payload("FRAG_W")
            c.input_slots = [VaryingSlot(0, number) for number in range(inputs)]
            for number in range(inputs):
                self.floats.append(c.q.VARY_ADD_C(c.q.FMUL(QReg(QFile.VARY, number), w)))
            self.ints.append(c.LOAD_IMM(self.rng.getrandbits(32)))
        else:
            c.num_inputs = inputs
            for number in range(inputs):
                self.floats.append(c.q.MOV(QReg(QFile.VPM, number)))
            self.ints.append(c.q.FTOI(self.floats[0]))

    def end(self) -> None:
        """Outputs: colours, or words of the vertex; raw bits, so that nothing is clamped away."""
        c, rng = self.c, self.rng
        for _ in range(rng.randint(3, 8)):
            late = self.floats[-6:] + self.ints[-6:]
            if c.stage == QStage.FRAG:
                mixed = c.q.XOR(rng.choice(late), rng.choice(self.floats + self.ints))
                c.to.MOV(QReg(QFile.TLB_COLOR_WRITE), mixed)
            else:
                c.VPM_WRITE(rng.choice(late))


def straight(rng: random.Random, sfu: bool = True, textures: bool = True) -> Vc4Compile:
    """A program of one block."""
    maker = Maker(rng, rng.choice((QStage.FRAG, QStage.VERT)), sfu)
    maker.textures = textures and rng.random() < 0.5
    maker.c.fs_threaded = maker.textures and maker.c.stage == QStage.FRAG and rng.random() < 0.7
    maker.begin(rng.randint(1, 6))
    maker.sample()
    for _ in range(rng.randint(3, 60)):
        maker.step()
    maker.end()
    return _alive(maker.c)


def branching(rng: random.Random, sfu: bool = True) -> Vc4Compile:
    """A program with branches that go forwards: over a block, or to one of two."""
    maker = Maker(rng, QStage.FRAG, sfu)
    c = maker.c
    maker.begin(rng.randint(1, 4))
    for _ in range(rng.randint(1, 3)):
        for _ in range(rng.randint(0, 6)):
            maker.step()
        merged = [c.q.MOV(rng.choice(maker.ints)), c.q.MOV(rng.choice(maker.floats))]
        c.to.MOV(NULL, rng.choice(maker.ints)).sf = True
        before, then, after = c.cur_block, c.new_block(), c.new_block()
        c.BRANCH(BranchCond(rng.randrange(8)))
        c.link_blocks(before, after)
        c.link_blocks(before, then)
        c.set_emit_block(then)
        kept = list(maker.ints), list(maker.floats)
        for _ in range(rng.randint(1, 8)):
            maker.step()
        c.to.MOV(merged[0], rng.choice(maker.ints))
        c.to.MOV(merged[1], rng.choice(maker.floats))
        c.link_blocks(then, after)
        c.set_emit_block(after)
        maker.ints, maker.floats = [*kept[0], merged[0]], [*kept[1], merged[1]]
    maker.end()
    return _alive(c)


def _alive(c: Vc4Compile) -> Vc4Compile:
    """Without what nothing reads; the varyings that are left are numbered as they come."""
    while qir_opt_dead_code(c):
        pass
    numbers: dict[int, int] = {}
    for inst in c.instructions():
        inst.src = [
            src._replace(index=numbers.setdefault(src.index, len(numbers)))
            if src.file == QFile.VARY else src for src in inst.src]
    return c


def looping(rng: random.Random, sfu: bool = True) -> Vc4Compile:
    """A program with a loop that all lanes run a few times, and outputs that may read no uniform
    behind it."""
    maker = Maker(rng, QStage.FRAG, sfu)
    c = maker.c
    maker.begin(rng.randint(1, 4))
    for _ in range(rng.randint(0, 8)):
        maker.step()
    kept = [c.q.MOV(rng.choice(maker.ints)), c.q.MOV(rng.choice(maker.floats))]
    count = c.q.MOV(c.uniform_ui(rng.randint(1, 4)))
    maker.ints.append(kept[0])
    maker.floats.append(kept[1])
    loop, after = c.new_block(), c.new_block()
    c.link_blocks(c.cur_block, loop)
    c.set_emit_block(loop)
    outside = len(maker.ints), len(maker.floats)
    for _ in range(rng.randint(1, 10)):
        maker.step()
    c.to.MOV(kept[0], rng.choice(maker.ints[-4:]))
    c.to.MOV(kept[1], rng.choice(maker.floats[-4:]))
    c.to.SUB(count, count, QReg(QFile.SMALL_IMM, 1)).sf = True
    c.BRANCH(BranchCond.ANY_ZC)
    c.link_blocks(loop, loop)
    c.link_blocks(loop, after)
    c.set_emit_block(after)
    if rng.random() < 0.5:
        del maker.ints[outside[0]:], maker.floats[outside[1]:]
    maker.end()
    return _alive(c)
