# SPDX-License-Identifier: MIT
"""Translates nir into kernel code on 16 lanes, structure of arrays: one value per component.

In: a shader as `nir.passes.lower_for_backend` leaves it, and a `SoaEnv` (soa_env.py) that knows
where inputs come from and where outputs go. Out: code at the cursor; outputs through the
environment.

A component is a vector of 16 lanes, or a scalar as long as it is the same in all lanes (constants,
uniforms and what is computed from them alone): scalars are spread only where they meet a vector, so
LLVM can compute with them once for all lanes, and broadcast them from memory. Every instruction
computes all lanes; the execution mask of control flow (nir_flow.py) counts for phis, variables,
outputs and discards alone, so the neighbours in a quad have values for derivatives everywhere.
Counterpart of Mesa's lp_bld_nir_soa.c.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, Final

from pipe_llvm.gallivm import alu
from pipe_llvm.gallivm.nir_flow import FlowTranslator, Mask
from pipe_llvm.gallivm.nir_memory import Memory
from pipe_llvm.gallivm.nir_scratch import Scratch
from pipe_llvm.gallivm.soa_env import LANES, SoaEnv
from pipe_llvm.sample.call import unread_of
from pydri.jit.types import Scalar, Vec, boolean, f32, f64, i32, i64, u32, u64
from pydri.jit.values import Value
from pydri.nir.ir import (
    AluInstr,
    Instr,
    IntrinsicInstr,
    LoadConst,
    Shader,
    SSADef,
    TexInstr,
    Undef,
)
from pydri.nir.opcodes import OPCODES
from pydri.nir.uses import components_read
from pydri.util.turns import TURNS

if TYPE_CHECKING:
    from pydri.jit import Builder

_JIT = {
    "float": f32, "int": i32, "uint": u32, "bool": boolean, "float64": f64, "int64": i64,
    "uint64": u64,
}  # fmt: skip

#: opcodes with operands of given types that need no more than their row of `alu.EMIT`: the types
PLAIN: Final = {
    name: tuple(_JIT[kind] for kind in op.in_types)
    for name, op in OPCODES.items()
    if name in alu.EMIT and "any" not in op.in_types and name not in ("fmin", "fmax")
}

#: opcodes that are made of a comparison and a choice
_CHOICES = frozenset({"fmin", "fmax", "fsat"})
#: opcodes whose result is never NaN
_NUMBERS = frozenset({"fsat", "fsign", "b2f", "i2f", "u2f"})


def emit_shader(b: Builder, shader: Shader, env: SoaEnv, mask: Value | None = None) -> None:
    """Emit the shader's main function for the lanes of `mask` (None: all 16)."""
    Translator(b, shader, env).run(mask)


class Translator(FlowTranslator):
    """Adds the instructions to the tree."""

    def __init__(self, b: Builder, shader: Shader, env: SoaEnv) -> None:
        super().__init__(b, shader, env)
        self.numbers: set[SSADef] = set()
        self.scratch = Scratch(self)
        self.read: dict[SSADef, int] | None = None  # of its values, where somebody asked

    def run(self, mask: Mask) -> None:
        """The whole main function."""
        self.scratch.prepare()
        super().run(mask)

    # ---- instructions
    def instruction(self, instr: Instr, mask: Mask) -> Mask:
        """Emit an instruction that is no phi and no jump; the lanes that go on behind it."""
        TURNS.give_way()
        if isinstance(instr, AluInstr):  # nearly all are
            self.define(instr.dest, self.alu(instr), mask)
            return mask
        if isinstance(instr, IntrinsicInstr):
            return self.intrinsic(instr, mask)
        assert instr.dest is not None
        self.define(instr.dest, self.instr(instr), mask)
        return mask

    def lookups(self, instrs: list[TexInstr], mask: Mask) -> None:
        """See FlowTranslator."""
        for instr, values in zip(instrs, self.looked_up(instrs), strict=True):
            assert instr.dest is not None
            self.define(instr.dest, values, mask)

    def looked_up(self, instrs: list[TexInstr]) -> list[list[Value]]:
        """The results of lookups that one call can do."""
        if self.read is None:
            self.read = components_read(self.shader.main)
        operands = [self.operands(instr) for instr in instrs]
        return self.env.textures(instrs, operands, unread_of(instrs, self.read))

    def operands(self, instr: TexInstr) -> dict[str, list[Value]]:
        """What a lookup reads, by name and component."""
        return {k: [self.get(s, n) for n in range(s.num_components)] for k, s in instr.srcs}

    def instr(self, instr: Instr) -> list[Value]:
        if isinstance(instr, AluInstr):
            return self.alu(instr)
        if isinstance(instr, LoadConst):
            return self.constant(instr)
        if isinstance(instr, Undef):
            ty = self.storage(instr.dest)
            return [self.b.const(ty, 0)] * instr.dest.num_components
        if isinstance(instr, TexInstr):
            return self.looked_up([instr])[0]
        raise TypeError(f"nir_soa cannot translate {instr!r}; run nir.passes.lower_for_backend")

    def constant(self, instr: LoadConst) -> list[Value]:
        b, dest = self.b, instr.dest
        if dest.bit_size == 1:
            return [b.const(boolean, v) for v in instr.values]
        if dest.bit_size == 64:
            return [b.const(i64, v) for v in instr.values]
        if dest.kind != "float":
            return [b.const(i32, v) for v in instr.values]
        out = []
        for bits in instr.values:
            number = struct.unpack("<f", struct.pack("<I", bits))[0]
            # the payload of a NaN does not survive Python's float
            out.append(b.const(i32, bits) if math.isnan(number) else b.const(f32, number))
        if not any(v.elem is i32 for v in out):
            self.numbers.add(dest)
        return out

    def alu(self, instr: AluInstr) -> list[Value]:
        op = instr.op
        kinds = PLAIN.get(op.name)
        if kinds is not None:
            out = [self.plain(instr, n, kinds) for n in range(instr.dest.num_components)]
        elif op.name in alu.DERIVATIVES:
            out = [
                self.derivative(op.name, self.source(instr, 0, n, "float"))
                for n in range(instr.dest.num_components)
            ]
        elif op.name in alu.EMIT_VECTOR:
            flat = [
                self.source(instr, i, n, kind)
                for i, kind in enumerate(op.in_types)
                for n in range(op.in_sizes[i])
            ]
            flat = self.level(self.unify(flat) if "any" in op.in_types else flat)
            args, at = [], 0
            for size in op.in_sizes:
                args.append(flat[at : at + size])
                at += size
            out = alu.EMIT_VECTOR[op.name](self.b, *args)
        else:
            out = [self.component(instr, n) for n in range(instr.dest.num_components)]
        if op.name in _NUMBERS or instr.saturate:
            self.numbers.add(instr.dest)
        if instr.saturate:
            out = [alu.fsat(self.b, v) for v in out]
        if op.name in _CHOICES or instr.saturate:
            self.chosen.update([v.ref for v in out])
        return out

    def source(self, instr: AluInstr, number: int, component: int, kind: str) -> Value:
        src = instr.srcs[number]
        value = self.get(src.ssa, src.swizzle[component])
        return value if kind == "any" else self.as_type(value, _JIT[kind])

    def unify(self, values: list[Value]) -> list[Value]:
        """Operands of type "any" under one type."""
        first = values[0].elem
        if all(v.elem is first for v in values):
            return values
        return [self.as_type(v, _whole(v)) for v in values]

    def level(self, values: list[Value]) -> list[Value]:
        """All scalars, or all vectors."""
        if any(isinstance(v.ty, Vec) for v in values):
            return [self.b.splat(v, self.width) for v in values]
        return values

    def component(self, instr: AluInstr, n: int) -> Value:
        op, b = instr.op, self.b
        args = [self.source(instr, i, n, kind) for i, kind in enumerate(op.in_types)]
        free = [i for i, kind in enumerate(op.in_types) if kind == "any"]
        if free and op.name != "mov":
            united = self.unify([args[i] for i in free])
            if op.name != "bcsel" and united[0].elem.kind == "f":
                united = [self.as_type(v, _whole(v)) for v in united]
            for i, value in zip(free, united):
                args[i] = value
        if op.name in ("fmin", "fmax"):
            ordered = self.ordered(instr, self.level(args))
            if ordered is not None:
                return ordered
        return alu.EMIT[op.name](b, *self.level(args))

    def plain(self, instr: AluInstr, n: int, kinds: tuple[Scalar, ...]) -> Value:
        """A component of an operation of `PLAIN`: most are such, so this takes no detours."""
        args = []
        vectors = 0
        for src, kind in zip(instr.srcs, kinds):
            found = self.values.get(src.ssa)
            component = src.swizzle[n]
            value = found[component] if found is not None else self.get(src.ssa, component)
            ty = value.ty
            if isinstance(ty, Vec):
                vectors += 1
                ty = ty.elem
            if ty is not kind:
                value = self.as_type(value, kind)
            args.append(value)
        if 0 < vectors < len(args):
            args = [self.b.splat(value, self.width) for value in args]
        return alu.EMIT[instr.op.name](self.b, *args)

    def ordered(self, instr: AluInstr, args: list[Value]) -> Value | None:
        """fmin or fmax where one side is known to be a number."""
        emit = alu.fmin_ordered if instr.op.name == "fmin" else alu.fmax_ordered
        known = [src.ssa in self.numbers for src in instr.srcs]
        if any(known):
            self.numbers.add(instr.dest)
        if known[1]:
            return emit(self.b, args[0], args[1])
        if known[0]:
            return emit(self.b, args[1], args[0])
        return None

    def derivative(self, name: str, value: Value) -> Value:
        if not isinstance(value.ty, Vec):
            return value - value
        where = {xy: lane for lane, xy in enumerate(self.env.lane_xy)}
        plus, minus = (
            [
                where[
                    (x & ~1) + (x & 1 if dx is None else dx),
                    (y & ~1) + (y & 1 if dy is None else dy),
                ]
                for x, y in self.env.lane_xy
            ]
            for dx, dy in alu.DERIVATIVES[name]
        )
        return self.b.shuffle(value, None, plus) - self.b.shuffle(value, None, minus)

    # ---- intrinsics
    def intrinsic(self, instr: IntrinsicInstr, mask: Value | None) -> Value | None:
        name, env = instr.name, self.env
        if instr.row.memory:
            found = Memory(self).access(instr, mask)
            if found is not None and instr.dest is not None:
                self.define(instr.dest, found, mask)
        elif instr.dest is not None:
            self.define(instr.dest, self.load(instr, instr.dest), mask)
        elif name == "store_var":
            self.scratch.store(instr, mask)
        elif name == "store_output":
            for slot, component, n in self.output_cells(instr):
                value = self.as_type(self.get(instr.srcs[0], n), f32)
                env.store_output(slot, component, value, mask)
        elif name == "emit_vertex":
            env.emit_vertex(mask)
        elif name == "end_primitive":
            env.end_primitive(mask)
        elif name == "discard":
            env.discard(mask)
        elif name == "discard_if":
            env.discard(self.both(mask, self.get(instr.srcs[0])))
        elif name == "terminate":
            env.discard(mask)
            return self.b.const(self.mask_type, 0)
        else:
            raise TypeError(f"nir_soa cannot translate {instr!r}; run nir.passes.lower_for_backend")
        return mask

    def number(self, source: SSADef) -> int | Value:
        """An unsigned number: Python's, if it is known."""
        if isinstance(source.instr, LoadConst):
            return int(source.instr.values[0])
        return self.as_type(self.get(source), u32)

    def load(self, instr: IntrinsicInstr, dest: SSADef) -> list[Value]:
        name, width, env = instr.name, dest.num_components, self.env
        if name in ("load_input", "load_output"):
            slot, first = instr.indices["base"], instr.indices["component"]
            if name == "load_input":
                return [env.load_input(slot, first + n) for n in range(width)]
            zero = self.b.const(f32, 0.0)
            found = [env.output(slot, first + n) for n in range(width)]
            return [zero if v is None else v for v in found]
        if name == "load_per_vertex_input":
            slot, first = instr.indices["base"], instr.indices["component"]
            vertex = self.number(instr.srcs[0])
            return [env.load_vertex(slot, first + n, vertex) for n in range(width)]
        if name == "load_ubo":
            return env.load_ubo(instr.indices["block"], self.number(instr.srcs[0]), width)
        if name == "load_var":
            return self.scratch.load(instr)
        if name.startswith("load_") and name != "load_uniform":
            return env.load_system(name.removeprefix("load_"), width)
        raise TypeError(f"nir_soa cannot translate {instr!r}; run nir.passes.lower_for_backend")


def _whole(value: Value) -> Scalar:
    """The whole numbers as wide as a value."""
    return i64 if value.elem.bits == 64 else i32


__all__ = ["LANES", "SoaEnv", "Translator", "emit_shader"]
