# SPDX-License-Identifier: MIT
"""Random fragment shaders for tests of execution masks: deterministic in the seed, always ending.

Beside what shadergen.py makes: discards; derivatives wherever the lanes of a quad are together;
loops whose lengths, breaks and continues are the same in all lanes, in the lanes of a quad, or in
none; arrays that are indexed out of bounds, in memory and as selections; uniform blocks 0 and 1 at
offsets that differ by lane, within and outside of the block.
"""

from __future__ import annotations

import numpy as np

from pydri.nir import types
from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_DATA0
from pydri.nir.ir import Deref, Shader, SSADef
from pydri.nir.opcodes import OPCODES
from tests.unit.nir.shadergen import SKIPPED, Generator, type_of

LANES = 16
QUAD_SLOT = 5  # an input that is the same in the lanes of a quad
BLOCKS = {0: 96, 1: 64}  # bytes
#: Opcodes with one answer: no tolerance, no freedom in the sign of zeros or the payload of NaNs.
EXACT = [
    op
    for op in OPCODES.values()
    if op.ulp == 0
    and op.name not in {*SKIPPED, "fmin", "fmax", "fmin64", "fmax64"}
    and ("pack_" not in op.name or "pack_64" in op.name)
]
DERIVATIVES = sorted(SKIPPED)


class LaneGenerator(Generator):
    """One shader being made."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.b = Builder(Shader("fragment"))
        self.array = self.b.local("array", types.array(types.VEC2, 3))
        self.table = self.b.local("table", types.array(types.FLOAT, 40))
        self.together = True  # the lanes of each quad are
        self.ops = EXACT
        self.loops = 0  # around the cursor

    def make(self) -> Shader:
        b = self.b
        for slot in range(4):
            self.pool.append(b.load_input(slot, self.random.randint(1, 4)))
        self.pool += [b.load_ubo(0, 16, 4), b.load_ubo(1, 32, 2, kind="int")]
        self.pool += [b.imm_float(1.0), b.imm_int(3), b.imm_uint(8), b.imm_bool(True)]
        self.pool += [b.imm_int(0), b.f2i(self.pool[0]), b.flt(self.value("float", 1), 0.5)]
        for i, type_ in enumerate((types.FLOAT, types.VEC3, types.INT, types.BOOL)):
            var = b.local(f"v{i}", type_)
            b.store_var(var, 0 if type_.kind != "bool" else False)
            self.vars.append(var)
        self.statements(14)
        for i, var in enumerate(self.vars):
            value = b.load_var(var)
            b.store_output(b.b2i(value) if value.bit_size == 1 else value, FRAG_RESULT_DATA0 + i)
        b.store_output(b.load_var(Deref(self.array, (1,))), FRAG_RESULT_DATA0 + 4)
        b.store_output(b.load_var(Deref(self.table, (7,))), FRAG_RESULT_DATA0 + 5)
        for i in range(2):
            self.output(FRAG_RESULT_DATA0 + 6 + i)
        return b.shader

    # ---- statements
    def statements(self, count: int) -> None:
        for _ in range(count):
            choice = self.random.random()
            if choice < 0.4 or self.depth > 3:
                self.operation()
            elif choice < 0.5:
                self.store()
            elif choice < 0.58:
                self.pool.append(self.b.load_var(self.random.choice(self.vars)))
            elif choice < 0.66:
                self.access()
            elif choice < 0.72:
                self.block_read()
            elif choice < 0.77:
                self.derivative()
            elif choice < 0.8 and self.b.shader.stage == "fragment":
                self.b.discard_if(self.condition())
            elif choice < 0.91 or self.loops > 1:
                self.branch()
            else:
                self.loops += 1
                self.loop()
                self.loops -= 1

    def derivative(self) -> None:
        if self.together:
            name = self.random.choice(DERIVATIVES)
            self.pool.append(self.b.alu(name, self.value("float", 0)))

    def index(self) -> SSADef:
        """Mostly within an array of 3, sometimes anywhere."""
        index = self.value("int", 1)
        if self.random.random() < 0.7:
            index = self.b.umin(self.b.iabs(index), self.random.choice((2, 3, 39)))
        return index

    def access(self) -> None:
        b = self.b
        var = self.random.choice((self.array, self.table, self.table))
        where = Deref(var, (self.index(),))
        if self.random.random() < 0.5:
            self.pool.append(b.load_var(where))
        else:
            rows = where.type.rows
            b.store_var(where, self.value("float", rows), self.random.randint(1, 2**rows - 1))

    def block_read(self) -> None:
        b = self.b
        block = self.random.choice((0, 1, 1))
        offset = b.ishl(self.index(), self.random.choice((2, 4)))
        kind = self.random.choice(("float", "int"))
        self.pool.append(b.load_ubo(block, offset, self.random.randint(1, 4), kind))

    def quad_value(self) -> SSADef:
        """What the lanes of a quad agree on."""
        return self.b.load_input(QUAD_SLOT, 1)

    def agreed(self) -> tuple[SSADef, bool]:
        """A condition, and whether the lanes of a quad agree on it."""
        b, choice = self.b, self.random.random()
        if choice < 0.35:
            word = b.load_ubo(0, 4 * self.random.randrange(24), 1, "int")
            return b.ilt(word, self.random.randint(-3, 3)), True
        if choice < 0.65:
            return b.flt(self.quad_value(), self.random.uniform(-3, 3)), True
        return self.condition(), False

    def apart(self, agreed: bool, count: int) -> list[SSADef]:
        """Statements under a condition."""
        kept = self.together
        self.together = kept and agreed
        made = self.scoped(count)
        self.together = kept
        return made

    def branch(self) -> None:
        b = self.b
        condition, agreed = self.agreed()
        with b.If(condition):
            then = self.apart(agreed, self.random.randint(1, 4))
            x = b.swizzle(self.random.choice([v for v in then if type_of(v) == "float"]), (0,))
        with b.Else():
            other = self.apart(agreed, self.random.randint(0, 3))
            y = b.swizzle(self.random.choice([v for v in other if type_of(v) == "float"]), (0,))
        self.pool.append(b.if_phi(x, y))

    def loop(self) -> None:
        b, r = self.b, self.random
        counter = b.local(f"counter{self.depth}", types.INT)
        b.store_var(counter, 0)
        kind = r.randrange(4)  # of the length: a number, of a block, of a quad, of a lane
        limit = [
            b.imm_int(r.randint(0, 5)),
            b.load_ubo(1, 4 * r.randrange(16), 1, "int"),
            b.f2i(self.quad_value()),
            self.value("int", 1),
        ][kind]
        kept, outer = self.together, list(self.pool)
        jumps = [self.agreed() for _ in range(r.randrange(3))]
        self.together = kept and kind < 3 and all(agreed for _, agreed in jumps)
        with b.Loop():
            now = b.load_var(counter)
            with b.If(b.ior(b.ige(now, 6), b.ige(now, limit))):
                b.Break()
            self.pool.append(now)
            self.pool = self.scoped(2)
            for condition, _ in jumps:
                self.jump(condition, counter, now)
                self.pool = self.scoped(r.randint(0, 2))
            self.store()
            b.store_var(counter, b.iadd(now, 1))
        self.together, self.pool = kept, outer
        if r.random() < 0.5:
            self.pool.append(now)  # what it was when the lane left

    def jump(self, condition: SSADef, counter: object, now: SSADef) -> None:
        b = self.b
        kept, self.together = self.together, False
        with b.If(b.ixor(condition, b.ieq(b.iand(now, 1), self.random.randrange(3)))):
            if self.random.random() < 0.5:
                self.scoped(1)
            if self.random.random() < 0.5:
                b.Break()
            else:
                b.store_var(counter, b.iadd(now, 1))  # type: ignore[arg-type]
                b.Continue()
        self.together = kept


def arguments(seed: int) -> tuple[dict[int, np.ndarray], dict[int, bytes], np.ndarray]:
    """Inputs by slot, blocks, and the lanes that execute: whole quads."""
    rng = np.random.default_rng(seed)
    edges = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 1e30, -3.7], np.float32)
    slots = {}
    for slot in range(4):
        values = (rng.normal(size=(LANES, 4)) * 4).astype(np.float32)
        values[: len(edges), slot] = rng.permutation(edges)
        slots[slot] = values
    quads = rng.normal(size=(LANES // 4, 4)).astype(np.float32) * 3
    slots[QUAD_SLOT] = np.repeat(quads, 4, axis=0)
    blocks = {}
    for block, size in BLOCKS.items():
        words = rng.integers(-4, 7, size // 4).astype(np.int32)
        words[4:8] = rng.normal(size=4).astype(np.float32).view(np.int32)
        blocks[block] = words.tobytes()
    whole = rng.random(LANES // 4) < 0.7
    whole[rng.integers(LANES // 4)] = True
    return slots, blocks, np.repeat(whole, 4)


def generate(seed: int) -> Shader:
    """The shader of a seed."""
    return LaneGenerator(seed).make()
