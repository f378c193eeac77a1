# SPDX-License-Identifier: MIT
"""Random shaders for property tests: deterministic in the seed, always terminating.

Out: a valid shader with inputs 0..3 (vec4), uniform block 0 and outputs VAR0.. that uses opcodes of
all kinds, nested ifs, loops with breaks and continues, locals, arrays indexed at run time.
"""

from __future__ import annotations

from random import Random

import numpy as np

from pydri.nir import types
from pydri.nir.builder import Builder
from pydri.nir.enums import VARYING_SLOT_VAR0
from pydri.nir.interp import Result, run
from pydri.nir.ir import Deref, Shader, SSADef, Variable
from pydri.nir.opcodes import OPCODES

LANES = 12
SKIPPED = {"fddx", "fddy", "fddx_fine", "fddy_fine", "fddx_coarse", "fddy_coarse"}
OPS = [op for op in OPCODES.values() if op.name not in SKIPPED]


def type_of(value: SSADef) -> str:
    """As rows of opcodes name types."""
    return f"{value.kind}64" if value.bit_size == 64 else value.kind


class Generator:
    """One shader being made."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.b = Builder(Shader("vertex"))
        self.pool: list[SSADef] = []
        self.vars: list[Variable] = []
        self.array = self.b.local("array", types.array(types.VEC2, 3))
        self.depth = 0
        self.ops = OPS

    def make(self) -> Shader:
        b = self.b
        for slot in range(4):
            self.pool.append(b.load_input(slot, self.random.randint(1, 4)))
        self.pool.append(b.load_ubo(0, 16, 4))
        self.pool.append(b.load_ubo(0, 32, 2, kind="int"))
        self.pool += [b.imm_float(1.0), b.imm_int(3), b.imm_uint(8), b.imm_bool(True)]
        self.pool += [b.imm_float(0.0), b.imm_int(0), b.f2i(self.pool[0])]
        for i, type_ in enumerate((types.FLOAT, types.VEC3, types.INT, types.BOOL)):
            var = b.local(f"v{i}", type_)
            b.store_var(var, 0 if type_.kind != "bool" else False)
            self.vars.append(var)
        for i in range(3):
            b.store_var(Deref(self.array, (i,)), b.imm_float(float(i), 0.5))
        self.statements(10)
        for i, var in enumerate(self.vars):
            value = b.load_var(var)
            if value.bit_size == 1:
                value = b.b2i(value)
            b.store_output(value, VARYING_SLOT_VAR0 + i)
        for i in range(3):
            b.store_output(b.load_var(Deref(self.array, (i,))), VARYING_SLOT_VAR0 + 8 + i)
        for i in range(4):
            self.output(VARYING_SLOT_VAR0 + 16 + i)
        return b.shader

    def output(self, slot: int) -> None:
        value = self.random.choice(self.pool)
        if value.bit_size == 1:
            value = self.b.b2f(value)
        elif value.bit_size == 64:  # of no number the bits are free
            low = self.b.unpack_64_2x32_split_x
            value = self.b.d2f(value) if value.kind == "float" else low(value)
        mask = self.random.randint(1, (1 << value.num_components) - 1)
        self.b.store_output(value, slot, mask)

    # ---- values
    def value(self, kind: str, size: int) -> SSADef:
        """A value of that kind; size 0 = any number of components."""
        b = self.b
        fits = [v for v in self.pool if type_of(v) == kind or (kind == "any")]
        fits = [v for v in fits if not size or v.num_components >= size]
        if fits and self.random.random() < 0.9:
            found = self.random.choice(fits)
        else:
            number = self.random.choice((0, 1, 2, 4, -1, 7))
            found = b.imm(float(number) if kind.startswith("float") else number, kind)
        if size and found.num_components != size:
            picks = [self.random.randrange(found.num_components) for _ in range(size)]
            found = b.swizzle(found, tuple(picks))
        return found

    def operation(self) -> None:
        op = self.random.choice(self.ops)
        kind = self.random.choice(("float", "int", "uint", "bool", "float64", "uint64"))
        if op.name in ("iand", "ior", "ixor", "inot", "ieq", "ine"):
            kind = {"float": "int", "float64": "int64"}.get(kind, kind)
        width = self.random.choice((1, 1, 2, 3, 4))
        srcs = []
        for size, wanted in zip(op.in_sizes, op.in_types, strict=True):
            srcs.append(self.value(kind if wanted == "any" else wanted, size or width))
        if op.name == "bitfield_insert" or op.name.endswith("bitfield_extract"):
            srcs[-2:] = [self.b.iand(srcs[-2], 15), self.b.iand(srcs[-1], 15)]
        saturate = op.out_type == "float" and self.random.random() < 0.1
        self.pool.append(self.b.alu(op.name, *srcs, saturate=saturate))

    def condition(self) -> SSADef:
        if self.random.random() < 0.1:
            return self.b.imm_bool(self.random.random() < 0.5)
        return self.value("bool", 1)

    # ---- statements
    def statements(self, count: int) -> None:
        for _ in range(count):
            choice = self.random.random()
            if choice < 0.6 or self.depth > 2:
                self.operation()
            elif choice < 0.7:
                self.store()
            elif choice < 0.75:
                var = self.random.choice(self.vars)
                self.pool.append(self.b.load_var(var))
            elif choice < 0.8:
                index = self.value("int", 1)
                index = self.b.umin(self.b.iabs(index), 2)
                self.array_access(index)
            elif choice < 0.93:
                self.branch()
            else:
                self.loop()

    def array_access(self, index: SSADef) -> None:
        where = Deref(self.array, (index,))
        if self.random.random() < 0.5:
            self.pool.append(self.b.load_var(where))
        else:
            self.b.store_var(where, self.value("float", 2), self.random.randint(1, 3))

    def store(self) -> None:
        var = self.random.choice(self.vars)
        value = self.value(var.type.kind, var.type.rows)
        self.b.store_var(var, value, self.random.randint(1, (1 << var.type.rows) - 1))

    def scoped(self, count: int) -> list[SSADef]:
        """Statements whose values are not seen outside; gives what they made."""
        before = list(self.pool)
        self.depth += 1
        self.statements(count)
        self.depth -= 1
        made, self.pool = self.pool, before
        return made

    def branch(self) -> None:
        b = self.b
        with b.If(self.condition()):
            then = self.scoped(3)
            x = self.random.choice([v for v in then if type_of(v) == "float"])
            x = b.swizzle(x, (0,))
        with b.Else():
            otherwise = self.scoped(self.random.randint(0, 3))
            y = self.random.choice([v for v in otherwise if type_of(v) == "float"])
            y = b.swizzle(y, (y.num_components - 1,))
        self.pool.append(b.if_phi(x, y))

    def loop(self) -> None:
        b = self.b
        counter = b.local("counter", types.INT)
        b.store_var(counter, 0)
        limit = self.value("int", 1)
        with b.Loop():
            now = b.load_var(counter)
            with b.If(b.ior(b.ige(now, 4), b.ige(now, limit))):
                b.Break()
            b.store_var(counter, b.iadd(now, 1))
            outer = list(self.pool)
            self.pool = self.scoped(3)
            if self.random.random() < 0.5:
                with b.If(self.condition()):
                    self.scoped(1)
                    if self.random.random() < 0.5:
                        b.Continue()
                    else:
                        b.Break()
            self.scoped(2)
            self.store()
            self.pool = outer


def inputs(seed: int) -> dict[str, object]:
    """Arguments for interp.run: edge values and random ones."""
    rng = np.random.default_rng(seed)
    slots = {}
    edges = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.5, 1e30, -3.7], np.float32)
    for slot in range(4):
        values = rng.normal(size=(LANES, 4)).astype(np.float32) * 4
        values[: len(edges), slot] = edges
        slots[slot] = values
    block = rng.integers(-5, 5, 32).astype(np.int32)
    block[:8] = rng.normal(size=8).astype(np.float32).view(np.int32)
    return {"inputs": slots, "ubos": {0: block.tobytes()}}


def generate(seed: int) -> Shader:
    """The shader of a seed."""
    return Generator(seed).make()


def execute(shader: Shader, seed: int) -> Result:
    """Run it on the inputs of a seed."""
    return run(shader, LANES, **inputs(seed))  # type: ignore[arg-type]


def same(x: Result, y: Result) -> bool:
    """Equal outputs; any NaN equals any NaN."""
    if x.outputs.keys() != y.outputs.keys():
        return False
    for slot, bits in x.outputs.items():
        other = y.outputs[slot]
        nans = np.isnan(bits.view(np.float32)) & np.isnan(other.view(np.float32))
        if not np.all((bits == other) | nans):
            return False
    return bool(np.all(x.discarded == y.discarded))
