# SPDX-License-Identifier: MIT
"""Builds NIR: one method per opcode, control flow as `with` statements, constants, loads, stores.

In: a Shader and the calls of a front end.  Out: instructions at the cursor.

    b = Builder(Shader("fragment"))
    color = b.load_input(VARYING_SLOT_COL0, 4)
    with b.If(color.w < 0.5):
        b.discard()
    b.store_output(color * 2.0, FRAG_RESULT_DATA0)

Opcode methods (`b.fadd(x, y)`, from the table) take values and Python numbers; a scalar next to a
vector is read with an .xxxx swizzle, which costs no instruction.  Values that change in a loop are
local variables (`b.local`, `b.load_var`, `b.store_var`); lower_vars_to_ssa makes phis of them.
Counterpart of Mesa's nir_builder.h.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from pydri.nir import ir, types
from pydri.nir.enums import INTERP_NONE
from pydri.nir.ir import (
    IDENTITY,
    AluInstr,
    AluSrc,
    Block,
    CFNode,
    Deref,
    Function,
    If,
    Instr,
    IntrinsicInstr,
    IRError,
    JumpInstr,
    LoadConst,
    Loop,
    PhiInstr,
    Shader,
    SSADef,
    TexInstr,
    Undef,
    Variable,
    last_block,
)
from pydri.nir.opcodes import BITS, KINDS, OPCODES
from pydri.nir.stages import slot_names

if TYPE_CHECKING:
    from pydri.nir.values import Operand

FULL_MASK: Final = -1  #: a write mask of "every component of the value"

#: opcodes of type `any` for which a Python number next to a value is always an integer or bool
_INTEGER_OPS: Final = frozenset(("ieq", "ine", "iand", "ior", "ixor", "inot"))


def float_bits(value: float) -> int:
    """The bits of a Python float rounded to single precision; too large a number is inf."""
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


class Builder:
    """Emits at a cursor: the end of `block`, or before its instruction number `position`."""

    def __init__(self, shader: Shader, function: Function | None = None) -> None:
        self.shader = shader
        self.function = function or shader.main
        self.function.builder = self
        self.block: Block = last_block(self.function.body)
        self.position: int | None = None

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., SSADef]:
            """Opcode methods are made from the table, below."""

    # ---- the cursor
    def at_end(self, block: Block) -> None:
        """Emit at the end of a block."""
        self.block, self.position = block, None

    def at_start(self, block: Block) -> None:
        """Emit after the phis of a block."""
        self.block, self.position = block, len(block.phis)

    def before(self, instr: Instr) -> None:
        """Emit before an instruction."""
        assert instr.block is not None
        self.block, self.position = instr.block, instr.block.instrs.index(instr)

    def after(self, instr: Instr) -> None:
        """Emit after an instruction."""
        self.before(instr)
        assert self.position is not None
        self.position += 1

    def insert(self, instr: Instr) -> None:
        """Put an instruction at the cursor."""
        if self.position is not None:
            self.block.insert(self.position, instr)
            self.position += 1
            return
        if self.block.jump is not None:
            raise IRError(f"nothing can follow a {self.block.jump.kind} in its block")
        self.block.append(instr)

    def _def(self, instr: Instr) -> SSADef:
        self.insert(instr)
        assert instr.dest is not None
        return instr.dest

    # ---- constants
    def imm_float(self, *values: float) -> SSADef:
        """A float constant of as many components as there are arguments."""
        return self._def(LoadConst(tuple(float_bits(v) for v in values), 32, "float"))

    def imm_vec2(self, x: float, y: float) -> SSADef:
        """A constant vec2."""
        return self.imm_float(x, y)

    def imm_vec3(self, x: float, y: float, z: float) -> SSADef:
        """A constant vec3."""
        return self.imm_float(x, y, z)

    def imm_vec4(self, x: float, y: float, z: float, w: float) -> SSADef:
        """A constant vec4."""
        return self.imm_float(x, y, z, w)

    def imm_int(self, *values: int) -> SSADef:
        """A signed integer constant."""
        return self._def(LoadConst(tuple(v & 0xFFFFFFFF for v in values), 32, "int"))

    def imm_uint(self, *values: int) -> SSADef:
        """An unsigned integer constant."""
        return self._def(LoadConst(tuple(v & 0xFFFFFFFF for v in values), 32, "uint"))

    def imm_double(self, *values: float) -> SSADef:
        """A constant of doubles."""
        bits = tuple(int.from_bytes(struct.pack("<d", v), "little") for v in values)
        return self._def(LoadConst(bits, 64, "float"))

    def imm_int64(self, *values: int, kind: str = "int") -> SSADef:
        """A constant of whole numbers of 64 bits."""
        return self._def(LoadConst(tuple(v & (1 << 64) - 1 for v in values), 64, kind))

    def imm_bool(self, *values: bool) -> SSADef:
        """A 1-bit constant."""
        return self._def(LoadConst(tuple(int(v) for v in values), 1, "bool"))

    def imm(self, value: float | int | bool, kind: str) -> SSADef:
        """A scalar constant of a type; a float never silently becomes an integer."""
        if kind == "float":
            return self.imm_float(float(value))
        if kind == "bool":
            return self.imm_bool(bool(value))
        if kind == "float64":
            return self.imm_double(float(value))
        if isinstance(value, float):
            raise TypeError(f"{value!r} is a float, and a constant of kind {kind} is wanted here")
        if kind.endswith("64"):
            return self.imm_int64(value, kind=KINDS[kind])
        return self.imm_uint(value) if kind == "uint" else self.imm_int(value)

    def undef(self, num_components: int, bit_size: int = 32, kind: str = "float") -> SSADef:
        """A value that may be anything."""
        return self._def(Undef(num_components, bit_size, kind))

    # ---- ALU
    def alu(self, name: str, *operands: Operand, saturate: bool = False) -> SSADef:
        """An instruction of the opcode table; the named methods call this."""
        op = OPCODES[name]
        if len(operands) != op.arity:
            raise TypeError(f"{name} takes {op.arity} operands, not {len(operands)}")
        any_kind = self._any_kind(op.in_types, operands) if "any" in op.in_types else ""
        if name in _INTEGER_OPS and any_kind == "float":
            any_kind = "int"  # they work on bits, whatever the hint says
        values: list[SSADef] = []
        for wanted, operand in zip(op.in_types, operands, strict=True):
            if isinstance(operand, SSADef):
                values.append(operand)
            elif wanted == "any":
                values.append(self.imm(operand, self._any_type(op.in_types, operands, any_kind)))
            else:
                values.append(self.imm(operand, wanted))
        width = op.out_size
        if width == 0:
            pairs = zip(op.in_sizes, values, strict=True)
            width = max((v.num_components for size, v in pairs if size == 0), default=1)
        srcs = []
        for size, value in zip(op.in_sizes, values, strict=True):
            need = size or width
            have = value.num_components
            if have == 1:
                swizzle = (0,) * need
            elif have == need:
                swizzle = IDENTITY[:need]
            else:
                raise TypeError(f"{name}: a vec{have} where a vec{need} or scalar is wanted")
            srcs.append(AluSrc(value, swizzle))
        return self._def(self._make(name, srcs, width, any_kind, saturate))

    def _make(
        self, name: str, srcs: list[AluSrc], width: int, any_kind: str, saturate: bool = False
    ) -> AluInstr:
        op = OPCODES[name]
        if op.out_type != "any":
            out = op.out_type
            return AluInstr(op, srcs, width, BITS[out], KINDS[out], saturate)
        bits = next(s.ssa.bit_size for s, t in zip(srcs, op.in_types, strict=True) if t == "any")
        return AluInstr(op, srcs, width, bits, any_kind, saturate)

    @staticmethod
    def _any_type(in_types: tuple[str, ...], operands: tuple[Operand, ...], kind: str) -> str:
        """The type of a number next to sources of type `any`: as wide as these."""
        wide = (isinstance(o, SSADef) and o.bit_size == 64 and t == "any"
                for t, o in zip(in_types, operands, strict=True))  # fmt: skip
        return f"{kind}64" if any(wide) else kind

    @staticmethod
    def _any_kind(in_types: tuple[str, ...], operands: tuple[Operand, ...]) -> str:
        """The kind that sources of type `any` share: that of the first value among them."""
        mine = [o for t, o in zip(in_types, operands, strict=True) if t == "any"]
        for operand in mine:
            if isinstance(operand, SSADef):
                return operand.kind
        for operand in mine:
            if isinstance(operand, bool):
                return "bool"
            if isinstance(operand, int):
                return "int"
        return "float"

    def swizzle(self, value: SSADef, picks: tuple[int, ...]) -> SSADef:
        """The chosen components, as a vector; the value itself if that is all of it."""
        if picks == IDENTITY[: value.num_components]:
            return value
        return self._def(self._make("mov", [AluSrc(value, picks)], len(picks), value.kind))

    def components(self, value: SSADef) -> list[SSADef]:
        """The components as scalars."""
        return [self.swizzle(value, (i,)) for i in range(value.num_components)]

    def vec(self, *parts: Operand) -> SSADef:
        """A vector from scalars and vectors laid end to end, at most four components."""
        flat: list[tuple[SSADef | float | int | bool, int]] = []
        for part in parts:
            width = part.num_components if isinstance(part, SSADef) else 1
            flat.extend((part, i) for i in range(width))
        if len(flat) == 1:
            only = flat[0][0]
            return only if isinstance(only, SSADef) else self.imm_float(float(only))
        kind = self._any_kind(("any",) * len(flat), tuple(v for v, _ in flat))
        srcs = [AluSrc(v if isinstance(v, SSADef) else self.imm(v, kind), (i,)) for v, i in flat]
        return self._def(self._make(f"vec{len(flat)}", srcs, len(flat), kind))

    def channel(self, value: SSADef, index: SSADef) -> SSADef:
        """The component whose number is known only at run time; the last one if there is none."""
        last = value.num_components - 1
        result = self.swizzle(value, (last,))
        for i in range(last):
            result = self.alu("bcsel", self.alu("ieq", index, i), value[i], result)
        return result

    # ---- common combinations
    def dot(self, x: SSADef, y: SSADef) -> SSADef:
        """The dot product of two vectors of one size."""
        if x.num_components == 1:
            return self.alu("fmul", x, y)
        return self.alu(f"fdot{x.num_components}", x, y)

    def length(self, x: SSADef) -> SSADef:
        """The length of a vector."""
        return self.alu("fsqrt", self.dot(x, x))

    def normalize(self, x: SSADef) -> SSADef:
        """x / length(x)."""
        return self.alu("fmul", x, self.alu("frsq", self.dot(x, x)))

    def clamp(self, x: SSADef, low: Operand, high: Operand) -> SSADef:
        """min(max(x, low), high), for the value's kind."""
        letter = {"float": "f", "int": "i", "uint": "u"}[x.kind]
        return self.alu(f"{letter}min", self.alu(f"{letter}max", x, low), high)

    def any_true(self, x: SSADef) -> SSADef:
        """Is any component of a bool vector true?"""
        parts = self.components(x)
        result = parts[0]
        for part in parts[1:]:
            result = self.alu("ior", result, part)
        return result

    def all_true(self, x: SSADef) -> SSADef:
        """Are all components of a bool vector true?"""
        parts = self.components(x)
        result = parts[0]
        for part in parts[1:]:
            result = self.alu("iand", result, part)
        return result

    # ---- intrinsics
    def intrinsic(
        self,
        name: str,
        *srcs: SSADef,
        variables: list[Deref] | None = None,
        indices: Mapping[str, int] | None = None,
        num_components: int = 0,
        bit_size: int = 32,
        kind: str = "",
    ) -> IntrinsicInstr:
        """Any intrinsic of the table."""
        instr = IntrinsicInstr(name, list(srcs), variables, indices, num_components, bit_size, kind)
        self.insert(instr)
        return instr

    def _load(self, name: str, num_components: int, kind: str, **indices: int) -> SSADef:
        instr = self.intrinsic(name, indices=indices, num_components=num_components, kind=kind)
        assert instr.dest is not None
        return instr.dest

    def _declare(self, mode: str, slot: int, kind: str, interp: int) -> None:
        for var in self.shader.variables(mode):
            if var.location <= slot < var.location + var.type.slots:
                return
        name = slot_names(self.shader.stage, mode).get(slot, f"SLOT_{slot}")
        prefix = "in" if mode == "shader_in" else "out"
        short = name.partition("_")[2].partition("_")[2].lower() or name.lower()
        var = Variable(f"{prefix}_{short}", types.vector(kind, 4), mode, slot, interp=interp)
        var.driver_location = slot
        self.shader.add(var)

    def load_input(
        self,
        slot: int,
        num_components: int = 4,
        *,
        component: int = 0,
        interp: int = INTERP_NONE,
        kind: str = "float",
    ) -> SSADef:
        """Components of an input slot; declares a vec4 input if none covers the slot yet."""
        self._declare("shader_in", slot, kind, interp)
        return self._load("load_input", num_components, kind, base=slot, component=component)

    def load_per_vertex_input(
        self, vertex: int | SSADef, slot: int, num_components: int = 4, *, component: int = 0,
        kind: str = "float",
    ) -> SSADef:  # fmt: skip
        """Components of an input slot of a vertex."""
        index = vertex if isinstance(vertex, SSADef) else self.imm_int(vertex)
        instr = self.intrinsic(
            "load_per_vertex_input", index, indices={"base": slot, "component": component},
            num_components=num_components, kind=kind)  # fmt: skip
        assert instr.dest is not None
        return instr.dest

    def load_output(self, slot: int, num_components: int = 4, *, component: int = 0) -> SSADef:
        """What the shader itself has stored (fragment shader: the framebuffer's value)."""
        return self._load("load_output", num_components, "float", base=slot, component=component)

    def store_output(
        self, value: Operand, slot: int, wrmask: int = FULL_MASK, *, component: int = 0
    ) -> None:
        """Write components of an output slot; declares a vec4 output if none covers it yet."""
        ssa = value if isinstance(value, SSADef) else self.imm_float(float(value))
        kind = ssa.kind if ssa.kind in ("int", "uint") else "float"
        self._declare("shader_out", slot, kind, INTERP_NONE)
        mask = (1 << ssa.num_components) - 1 if wrmask == FULL_MASK else wrmask
        indices = {"base": slot, "wrmask": mask, "component": component}
        self.intrinsic("store_output", ssa, indices=indices)

    def load_ubo(
        self,
        block: int,
        byte_offset: int | SSADef,
        num_components: int = 4,
        kind: str = "float",
    ) -> SSADef:
        """Dwords of a uniform block; block 0 is the context's value block."""
        offset = byte_offset if isinstance(byte_offset, SSADef) else self.imm_int(byte_offset)
        instr = self.intrinsic(
            "load_ubo", offset, indices={"block": block}, num_components=num_components, kind=kind
        )
        assert instr.dest is not None
        return instr.dest

    def load_uniform(
        self, base: int, num_components: int = 4, offset: int | SSADef = 0, kind: str = "float"
    ) -> SSADef:
        """The default uniform block: vec4 slot base + offset."""
        index = offset if isinstance(offset, SSADef) else self.imm_int(offset)
        instr = self.intrinsic(
            "load_uniform", index, indices={"base": base}, num_components=num_components, kind=kind
        )
        assert instr.dest is not None
        return instr.dest

    def sysval(self, name: str) -> SSADef:
        """A system value: frag_coord, front_face, vertex_id, instance_id, ..."""
        instr = self.intrinsic(f"load_{name}")
        assert instr.dest is not None
        return instr.dest

    def load_frag_coord(self) -> SSADef:
        """Window x, y, z and 1/w."""
        return self.sysval("frag_coord")

    def load_front_face(self) -> SSADef:
        """Bool: the primitive is front facing."""
        return self.sysval("front_face")

    def discard(self) -> None:
        """Drop the fragment."""
        self.intrinsic("discard")

    def discard_if(self, condition: SSADef) -> None:
        """Drop the fragment where the condition holds."""
        self.intrinsic("discard_if", condition)

    def tex(self, op: str, srcs: Mapping[str, SSADef], **fields: Any) -> SSADef:
        """A texture instruction; `fields` are those of TexInstr."""
        return self._def(TexInstr(op, list(srcs.items()), **fields))

    # ---- variables
    def local(self, name: str, type_: types.Type) -> Variable:
        """A new local variable."""
        var = Variable(name, type_, "local")
        self.function.locals.append(var)
        return var

    @staticmethod
    def deref(where: Variable | Deref) -> Deref:
        """A variable as a path without steps."""
        return where if isinstance(where, Deref) else Deref(where)

    def load_var(self, where: Variable | Deref) -> SSADef:
        """The value of a scalar or vector variable or part of one."""
        deref = self.deref(where)
        type_ = deref.type
        if not type_.is_vector_or_scalar:
            raise TypeError(f"load_var of a {type_}: go down to a vector with deref[...]")
        bits = 1 if type_.kind == "bool" else 32
        instr = self.intrinsic(
            "load_var",
            variables=[deref],
            num_components=type_.rows,
            bit_size=bits,
            kind=type_.kind,
        )
        assert instr.dest is not None
        return instr.dest

    def store_var(self, where: Variable | Deref, value: Operand, wrmask: int = FULL_MASK) -> None:
        """Write the masked components; scalars spread over a vector."""
        deref = self.deref(where)
        type_ = deref.type
        ssa = value if isinstance(value, SSADef) else self.imm(value, type_.kind)
        if ssa.num_components == 1 and type_.rows > 1:
            ssa = self.swizzle(ssa, (0,) * type_.rows)
        mask = (1 << type_.rows) - 1 if wrmask == FULL_MASK else wrmask
        self.intrinsic("store_var", ssa, variables=[deref], indices={"wrmask": mask})

    def copy_var(self, target: Variable | Deref, source: Variable | Deref) -> None:
        """target = source, whole."""
        self.intrinsic("copy_var", variables=[self.deref(target), self.deref(source)])

    # ---- control flow
    def add_cf(self, node: ir.If | ir.Loop) -> None:
        """Put an If or Loop at the cursor; what followed the cursor moves to a block after it."""
        here = self.block
        if here.jump is not None and self.position is None:
            raise IRError(f"nothing can follow a {here.jump.kind} in its block")
        after = Block(self.function, here.parent)
        if self.position is not None:
            after.instrs = here.instrs[self.position :]
            del here.instrs[self.position :]
            for instr in after.instrs:
                instr.block = after
            self._move_edges(here, after)
            self.position = None
        node.parent = here.parent
        nodes = here.siblings
        at = len(nodes) if nodes[-1] is here else nodes.index(here) + 1
        nodes[at:at] = [node, after]
        self.function.cfg_changed()

    def _move_edges(self, old: Block, new: Block) -> None:
        """Phis that named `old` as where control comes from must now name `new`."""
        for block in self.function.blocks():
            for phi in block.phis:
                phi.srcs = [(new if b is old else b, s) for b, s in phi.srcs]

    def If(self, condition: SSADef) -> _Branch:
        """`with b.If(c):` emits into the then side; the cursor ends up after the If."""
        if condition.bit_size != 1 or condition.num_components != 1:
            raise TypeError("an If needs one bool; compare first, or use b.any_true(x)")
        return _Branch(self, If(self.function, condition), "then")

    def Else(self) -> _Branch:
        """`with b.Else():` directly after a `with b.If` block."""
        return _Branch(self, self._last_if(), "otherwise")

    def Loop(self) -> _Branch:
        """`with b.Loop():` runs until a b.Break()."""
        return _Branch(self, Loop(self.function), "body")

    def Break(self) -> None:
        """Leave the innermost loop."""
        self._need_loop("break")
        self.insert(JumpInstr("break"))

    def Continue(self) -> None:
        """Go to the beginning of the innermost loop."""
        self._need_loop("continue")
        self.insert(JumpInstr("continue"))

    def _need_loop(self, what: str) -> None:
        node = self.block.parent
        while isinstance(node, ir.If):
            node = node.parent
        if node is None:
            raise IRError(f"{what} outside a loop")

    def Return(self) -> None:
        """End the shader."""
        self.insert(JumpInstr("return"))

    def _last_if(self) -> ir.If:
        nodes = self.block.siblings
        at = nodes.index(self.block)
        node: CFNode | None = nodes[at - 1] if at > 0 else None
        if not isinstance(node, If) or any(not isinstance(i, PhiInstr) for i in self.block.instrs):
            raise IRError("this must stand directly after a `with b.If(...)` block")
        return node

    def if_phi(self, then: SSADef, otherwise: SSADef) -> SSADef:
        """The value that the If just built gives: `then` or `otherwise`."""
        node = self._last_if()
        phi = PhiInstr(then.num_components, then.bit_size, then.kind)
        phi.srcs = [(last_block(node.then), then), (last_block(node.otherwise), otherwise)]
        phi.srcs = [(block, ssa) for block, ssa in phi.srcs if block.jump is None]
        self.block.insert(len(self.block.phis), phi)
        return phi.dest


class _Branch:
    """Context manager: the cursor goes into a branch or body, and behind the node at the end."""

    __slots__ = ("builder", "node", "side")

    def __init__(self, builder: Builder, node: If | Loop, side: str) -> None:
        self.builder = builder
        self.node = node
        self.side = side

    def __enter__(self) -> If | Loop:
        if self.side != "otherwise":
            self.builder.add_cf(self.node)
        self.builder.at_end(last_block(getattr(self.node, self.side)))
        return self.node

    def __exit__(self, *exc: object) -> None:
        self.builder.at_end(self.node.next_block)


def _method(name: str) -> Callable[..., SSADef]:
    def emit(self: Builder, *operands: Operand, saturate: bool = False) -> SSADef:
        return self.alu(name, *operands, saturate=saturate)

    emit.__name__ = name
    emit.__doc__ = f"Opcode {name}: {OPCODES[name].rule or 'see the table'}."
    return emit


for _name in OPCODES:
    setattr(Builder, _name, _method(_name))
