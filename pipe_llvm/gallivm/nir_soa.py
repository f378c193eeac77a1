# SPDX-License-Identifier: MIT
"""Translates nir into kernel code on 16 lanes, structure of arrays: one value per component.

In: a shader as `nir.passes.lower_for_backend` leaves it, and a `SoaEnv` that knows where inputs
come from and where outputs go. Out: code at the cursor; outputs through the environment.

A component is a vector of 16 lanes, or a scalar as long as it is the same in all lanes (constants,
uniforms and what is computed from them alone): scalars are spread only where they meet a vector, so
LLVM can compute with them once for all lanes, and broadcast them from memory. Control flow runs
under execution masks; None is "all lanes". A side whose mask is empty is branched around unless it
is short; a condition that is a scalar is a plain branch. Phis, and values that are read outside of
the If or Loop that defines them, live in local variables written under the mask (registers after
SROA), so a value keeps what it was when its lane left a loop: the rule of nir/interp.py.
Counterpart of Mesa's lp_bld_nir_soa.c.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from pipe_llvm.gallivm import alu
from pydri.jit.types import Scalar, Vec, boolean, element, f32, i32, u32
from pydri.jit.values import Value, Var
from pydri.nir.ir import (
    AluInstr,
    Block,
    CFNode,
    If,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConst,
    Loop,
    PhiInstr,
    Shader,
    SSADef,
    TexInstr,
    Undef,
)

if TYPE_CHECKING:
    from pydri.jit import Builder

LANES = 16
MAX_ITERATIONS = 65536  # a loop that does not end must not hang the program
SHORT = 8  # instructions: a side as short as this is not worth a branch

_JIT = {"float": f32, "int": i32, "uint": u32, "bool": boolean}
_MASK = boolean.vec(LANES)

#: opcodes whose result is never NaN
_NUMBERS = frozenset({"fsat", "fsign", "b2f", "i2f", "u2f"})


class SoaEnv:
    """What surrounds a shader; vertex and fragment stages derive from it.

    `outputs` holds what was stored: (slot, component) -> value, read with `output`."""

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

    def load_ubo(self, block: int, offset: int | Value, count: int) -> list[Value]:
        """`count` dwords at a byte offset: a Python number, a scalar or a vector; outside: 0."""
        raise NotImplementedError(f"this stage has no uniform block {block}")

    def load_system(self, name: str, count: int) -> list[Value]:
        """frag_coord, front_face, vertex_id, ..."""
        raise NotImplementedError(f"this stage has no system value {name}")

    def texture(self, instr: TexInstr, srcs: dict[str, list[Value]]) -> list[Value]:
        raise NotImplementedError("this stage has no textures")

    def discard(self, mask: Value | None) -> None:
        """Drop these lanes (None: all)."""
        raise NotImplementedError("only fragment shaders discard")

    def declare_output(self, slot: int, component: int) -> None:
        """Called before the shader's code where control flow makes stores conditional."""
        self.cells[slot, component] = self.b.var(f32.vec(LANES), 0.0)

    def store_output(self, slot: int, component: int, value: Value, mask: Value | None) -> None:
        cell = self.cells.get((slot, component))
        if cell is None:
            self.outputs[slot, component] = value
            return
        wide = self.b.splat(value, LANES)
        cell.value = wide if mask is None else self.b.select(mask, wide, cell.value)

    # ---- for whoever emitted the shader
    def output(self, slot: int, component: int) -> Value | None:
        """What was stored, as f32 (maybe a scalar); None if the shader never writes it."""
        cell = self.cells.get((slot, component))
        return cell.value if cell is not None else self.outputs.get((slot, component))


def emit_shader(b: Builder, shader: Shader, env: SoaEnv, mask: Value | None = None) -> None:
    """Emit the shader's main function for the lanes of `mask` (None: all 16)."""
    Translator(b, shader, env).run(mask)


def _scopes(node: CFNode) -> list[tuple[CFNode, str]]:
    """The sides of Ifs and bodies of Loops that a node lies in, innermost first."""
    out: list[tuple[CFNode, str]] = []
    while node.parent is not None:
        parent = node.parent
        out.append((parent, _side_of(parent, node)))
        node = parent
    return out


def _side_of(parent: CFNode, node: CFNode) -> str:
    if isinstance(parent, Loop):
        return "body"
    assert isinstance(parent, If)
    return "then" if any(n is node for n in parent.then) else "otherwise"


def _weight(nodes: list[CFNode]) -> int:
    """A rough count of instructions; loops are always worth a branch."""
    total = 0
    for node in nodes:
        if isinstance(node, Block):
            for instr in node.instrs:
                total += 1 + 4 * isinstance(instr, TexInstr)
                if isinstance(instr, IntrinsicInstr) and instr.name.startswith(("disc", "term")):
                    total += SHORT
        elif isinstance(node, If):
            total += _weight(node.then) + _weight(node.otherwise)
        else:
            total += 1000
    return total


def _changes_mask(nodes: list[CFNode]) -> bool:
    """Whether lanes may leave within these nodes."""
    for node in nodes:
        if isinstance(node, Block):
            for i in node.instrs:
                if isinstance(i, JumpInstr):
                    return True
                if isinstance(i, IntrinsicInstr) and i.name == "terminate":
                    return True
        elif isinstance(node, If):
            if _changes_mask(node.then) or _changes_mask(node.otherwise):
                return True
        elif isinstance(node, Loop) and _changes_mask(node.body):
            return True
    return False


class _Frame:
    """Lanes that left or restarted the loop being emitted."""

    def __init__(self, b: Builder) -> None:
        self.broken = b.var(_MASK, 0)
        self.continued = b.var(_MASK, 0)


class Translator:
    def __init__(self, b: Builder, shader: Shader, env: SoaEnv) -> None:
        self.b = b
        self.shader = shader
        self.env = env
        self.values: dict[SSADef, list[Value]] = {}
        self.kept: dict[SSADef, list[Var[Value]]] = {}
        self.phis: dict[PhiInstr, list[Var[Value]]] = {}
        self.numbers: set[SSADef] = set()
        self.frames: list[_Frame] = []
        self.made: list[list[SSADef]] = [[]]  # definitions by scope, forgotten at its end

    def run(self, mask: Value | None) -> None:
        function = self.shader.main
        function.require_cfg()
        if len(function.body) > 1:
            self.prepare()
        self.nodes(function.body, mask)

    def prepare(self) -> None:
        """Local variables for phis, outputs, and values that outlive their scope."""
        function = self.shader.main
        stored: dict[tuple[int, int], None] = {}
        home: dict[SSADef, tuple[CFNode, str] | None] = {}
        uses: list[tuple[SSADef, CFNode]] = []
        for node in function.nodes():
            if isinstance(node, If):
                uses.append((node.condition, node))
            if not isinstance(node, Block):
                continue
            scope = next(iter(_scopes(node)), None)
            for instr in node.instrs:
                if instr.dest is not None:
                    home[instr.dest] = scope
                if isinstance(instr, PhiInstr):
                    self.phis[instr] = self.variables(instr.dest)
                    uses += [(ssa, block) for block, ssa in instr.srcs]
                    continue
                uses += [(ssa, node) for ssa in instr.sources()]
                if isinstance(instr, IntrinsicInstr) and instr.name == "store_output":
                    for cell in self.output_cells(instr):
                        stored[cell[:2]] = None
        for slot, component in stored:
            self.env.declare_output(slot, component)
        for ssa, where in uses:
            scope = home[ssa]
            if scope is not None and ssa not in self.kept and scope not in _scopes(where):
                self.kept[ssa] = self.variables(ssa)

    def variables(self, ssa: SSADef) -> list[Var[Value]]:
        ty = self.storage(ssa).vec(LANES)
        return [self.b.var(ty, 0) for _ in range(ssa.num_components)]

    @staticmethod
    def storage(ssa: SSADef) -> Scalar:
        return boolean if ssa.bit_size == 1 else f32 if ssa.kind == "float" else i32

    # ---- values
    def get(self, ssa: SSADef, component: int = 0) -> Value:
        found = self.values.get(ssa)
        if found is not None:
            return found[component]
        return self.kept[ssa][component].value

    def define(self, ssa: SSADef, value: list[Value], mask: Value | None) -> None:
        self.values[ssa] = value
        self.made[-1].append(ssa)
        for var, v in zip(self.kept.get(ssa, ()), value):
            self.assign(var, v, mask)

    def assign(self, var: Var[Value], value: Value, mask: Value | None) -> None:
        wide = self.b.splat(self.as_type(value, element(var.ty)), LANES)
        var.value = wide if mask is None else self.b.select(mask, wide, var.value)

    def as_type(self, value: Value, elem: Scalar) -> Value:
        """The same bits read as another 32-bit type."""
        return value if value.elem is elem else self.b.bitcast(value, elem)

    def both(self, mask: Value | None, cond: Value) -> Value:
        """The lanes of `mask` for which `cond` holds."""
        wide = self.b.splat(cond, LANES)
        return wide if mask is None else mask & wide

    def full(self, mask: Value | None) -> Value:
        return self.b.const(_MASK, 1) if mask is None else mask

    # ---- control flow; each step gives the lanes that go on behind the node
    def nodes(self, nodes: list[CFNode], mask: Value | None) -> Value | None:
        for node in nodes:
            if isinstance(node, Block):
                mask = self.block(node, mask)
            elif isinstance(node, If):
                mask = self.branch(node, mask)
            elif isinstance(node, Loop):
                mask = self.loop(node, mask)
        return mask

    def scoped(self, nodes: list[CFNode], mask: Value | None) -> Value | None:
        """Nodes whose values cannot be read directly behind them."""
        self.made.append([])
        mask = self.nodes(nodes, mask)
        for ssa in self.made.pop():
            del self.values[ssa]
        return mask

    def branch(self, node: If, mask: Value | None) -> Value | None:
        b = self.b
        cond = self.get(node.condition)
        jumps = _changes_mask(node.then) or _changes_mask(node.otherwise)
        out = b.var(_MASK, 0) if jumps else None
        uniform = not isinstance(cond.ty, Vec)
        for nodes, taken in ((node.then, cond), (node.otherwise, ~cond)):
            if uniform:
                with b.If(taken):
                    self.side(nodes, mask, out)
                continue
            lanes = self.both(mask, taken)
            if _weight(nodes) <= SHORT:
                self.side(nodes, lanes, out)
                continue
            with b.If(b.any(lanes)):
                self.side(nodes, lanes, out)
        return mask if out is None else out.value

    def side(self, nodes: list[CFNode], lanes: Value | None, out: Var[Value] | None) -> None:
        rest = self.scoped(nodes, lanes)
        if out is not None:
            out.value = out.value | self.full(rest)

    def loop(self, node: Loop, mask: Value | None) -> Value | None:
        b = self.b
        frame = _Frame(b)
        self.frames.append(frame)
        active = b.var(_MASK, self.full(mask))
        rounds = b.var(i32, 0)
        with b.Loop():
            lanes = active.value
            with b.If((b.bitmask(lanes) == 0) | (rounds.value >= MAX_ITERATIONS)):
                b.Break()
            rounds.value = rounds.value + 1
            frame.continued.value = b.const(_MASK, 0)
            rest = self.scoped(node.body, lanes)
            active.value = self.full(rest) | frame.continued.value
        self.frames.pop()
        return frame.broken.value

    def block(self, block: Block, mask: Value | None) -> Value | None:
        for instr in block.instrs:
            if isinstance(instr, PhiInstr):
                self.define(instr.dest, [var.value for var in self.phis[instr]], mask)
            elif isinstance(instr, JumpInstr):
                self.feed_phis(block, mask)
                return self.jump(instr, mask)
            elif isinstance(instr, IntrinsicInstr):
                mask = self.intrinsic(instr, mask)
            else:
                self.define(instr.dest, self.instr(instr), mask)  # type: ignore[arg-type]
        self.feed_phis(block, mask)
        return mask

    def feed_phis(self, block: Block, mask: Value | None) -> None:
        """Where control leaves a block: what the phis of its successors read from here."""
        if not self.phis:
            return
        for successor in block.successors:
            for phi in successor.phis:
                for source, ssa in phi.srcs:
                    if source is block:
                        for n, var in enumerate(self.phis[phi]):
                            self.assign(var, self.get(ssa, n), mask)

    def jump(self, instr: JumpInstr, mask: Value | None) -> Value:
        if instr.kind in ("break", "continue"):
            frame = self.frames[-1]
            var = frame.broken if instr.kind == "break" else frame.continued
            var.value = var.value | self.full(mask)
        return self.b.const(_MASK, 0)

    # ---- instructions
    def instr(self, instr: Instr) -> list[Value]:
        if isinstance(instr, AluInstr):
            return self.alu(instr)
        if isinstance(instr, LoadConst):
            return self.constant(instr)
        if isinstance(instr, Undef):
            ty = self.storage(instr.dest)
            return [self.b.const(ty, 0)] * instr.dest.num_components
        if isinstance(instr, TexInstr):
            srcs = {k: [self.get(s, n) for n in range(s.num_components)] for k, s in instr.srcs}
            return self.env.texture(instr, srcs)
        raise TypeError(f"nir_soa cannot translate {instr!r}; run nir.passes.lower_for_backend")

    def constant(self, instr: LoadConst) -> list[Value]:
        b, dest = self.b, instr.dest
        if dest.bit_size == 1:
            return [b.const(boolean, v) for v in instr.values]
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
        if op.name in alu.DERIVATIVES:
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
        return [self.as_type(v, i32) for v in values]

    def level(self, values: list[Value]) -> list[Value]:
        """All scalars, or all vectors."""
        if any(isinstance(v.ty, Vec) for v in values):
            return [self.b.splat(v, LANES) for v in values]
        return values

    def component(self, instr: AluInstr, n: int) -> Value:
        op, b = instr.op, self.b
        args = [self.source(instr, i, n, kind) for i, kind in enumerate(op.in_types)]
        free = [i for i, kind in enumerate(op.in_types) if kind == "any"]
        if free and op.name != "mov":
            united = self.unify([args[i] for i in free])
            if op.name != "bcsel" and united[0].elem is f32:
                united = [self.as_type(v, i32) for v in united]
            for i, value in zip(free, united):
                args[i] = value
        if op.name in ("fmin", "fmax"):
            ordered = self.ordered(instr, self.level(args))
            if ordered is not None:
                return ordered
        return alu.EMIT[op.name](b, *self.level(args))

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
            value = self.b.splat(value, LANES)
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
    @staticmethod
    def output_cells(instr: IntrinsicInstr) -> list[tuple[int, int, int]]:
        """(slot, component, component of the source) of each dword that is stored."""
        first, mask = instr.indices["component"], instr.indices["wrmask"]
        width = instr.srcs[0].num_components
        slot = instr.indices["base"]
        return [(slot, first + n, n) for n in range(width) if mask >> n & 1]

    def intrinsic(self, instr: IntrinsicInstr, mask: Value | None) -> Value | None:
        name, env = instr.name, self.env
        if instr.dest is not None:
            self.define(instr.dest, self.load(instr, instr.dest), mask)
        elif name == "store_output":
            for slot, component, n in self.output_cells(instr):
                value = self.as_type(self.get(instr.srcs[0], n), f32)
                env.store_output(slot, component, value, mask)
        elif name == "discard":
            env.discard(mask)
        elif name == "discard_if":
            env.discard(self.both(mask, self.get(instr.srcs[0])))
        elif name == "terminate":
            env.discard(mask)
            return self.b.const(_MASK, 0)
        else:
            raise TypeError(f"nir_soa cannot translate {instr!r}; run nir.passes.lower_for_backend")
        return mask

    def load(self, instr: IntrinsicInstr, dest: SSADef) -> list[Value]:
        name, width, env = instr.name, dest.num_components, self.env
        if name in ("load_input", "load_output"):
            slot, first = instr.indices["base"], instr.indices["component"]
            if name == "load_input":
                return [env.load_input(slot, first + n) for n in range(width)]
            zero = self.b.const(f32, 0.0)
            found = [env.output(slot, first + n) for n in range(width)]
            return [zero if v is None else v for v in found]
        if name == "load_ubo":
            source = instr.srcs[0]
            offset: int | Value = (
                self.as_type(self.get(source), u32)
                if not isinstance(source.instr, LoadConst)
                else source.instr.values[0]
            )
            return env.load_ubo(instr.indices["block"], offset, width)
        if name.startswith("load_") and name not in ("load_var", "load_uniform"):
            return env.load_system(name.removeprefix("load_"), width)
        raise TypeError(f"nir_soa cannot translate {instr!r}; run nir.passes.lower_for_backend")
