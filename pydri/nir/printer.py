# SPDX-License-Identifier: MIT
"""NIR's text form, as Mesa's nir_print.c of 2016 prints it.

In: a Shader.  Out: text that `parser.py` reads back to the same IR.
What Mesa did not print but a reader needs is added where Mesa's output cannot be mistaken for it:
widths other than 32 (`vec1 1 ssa_5 = flt ...`), `decl_struct` lines, `info:` lines, `@2` after
the second variable of one name.  The kind hints of values are not part of the text.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from pydri.nir.enums import INTERP_NAMES
from pydri.nir.ir import (
    AluInstr,
    AluSrc,
    Block,
    CFNode,
    Deref,
    Function,
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
    Variable,
)
from pydri.nir.stages import slot_names
from pydri.nir.types import ArrayType, StructType, Type

#: which list of variables an intrinsic's `base` counts in
_NAMED_BY_BASE = {
    "load_uniform": "uniform",
    "load_input": "shader_in",
    "load_per_vertex_input": "shader_in",
    "load_output": "shader_out",
    "store_output": "shader_out",
}

Notes = Mapping[object, list[str]]


def print_shader(shader: Shader, notes: Notes | None = None) -> str:
    """The whole listing; `notes` are lines put below an instruction, block or variable."""
    return _Printer(shader, notes or {}).shader_text()


def print_instr(instr: Instr) -> str:
    """One instruction, as it stands in a listing."""
    return _Printer(None, {}).instr(instr).partition("\t")[0]


class _Printer:
    def __init__(self, shader: Shader | None, notes: Notes) -> None:
        self.shader = shader
        self.notes = notes
        self.lines: list[str] = []
        self.names: dict[Variable, str] = {}
        self.taken: dict[str, int] = {}

    # ---- declarations
    def shader_text(self) -> str:
        shader = self.shader
        assert shader is not None
        self.lines.append(f"shader: MESA_SHADER_{shader.stage.upper()}")
        if shader.name:
            self.lines.append(f"name: {shader.name}")
        if shader.info:
            facts = " ".join(f"{key}={value}" for key, value in sorted(shader.info.items()))
            self.lines.append(f"info: {facts}")
        self.structs(shader)
        for var in (*shader.uniforms, *shader.inputs, *shader.outputs, *shader.globals):
            self.declare(var, 0)
        for function in shader.functions:
            self.lines.append(f"decl_function {function.name} returning void")
        for function in shader.functions:
            self.lines.append("")
            self.impl(function)
        return "\n".join(self.lines) + "\n"

    def structs(self, shader: Shader) -> None:
        seen: dict[str, StructType] = {}

        def visit(type_: Type) -> None:
            if isinstance(type_, ArrayType):
                visit(type_.item)
            elif isinstance(type_, StructType) and type_.name not in seen:
                for _, field in type_.fields:
                    visit(field)
                seen[type_.name] = type_

        for mode in ("uniform", "shader_in", "shader_out", "global"):
            for var in shader.variables(mode):
                visit(var.type)
        for function in shader.functions:
            for var in function.locals:
                visit(var.type)
        for name, type_ in seen.items():
            fields = " ".join(f"{field} {label};" for label, field in type_.fields)
            self.lines.append(f"decl_struct {name} {{ {fields} }}")

    def declare(self, var: Variable, depth: int) -> None:
        words = ["decl_var"]
        if var.invariant:
            words.append("invariant")
        if var.mode not in ("global", "local"):
            words.append(var.mode)
        words += [f"INTERP_QUALIFIER_{INTERP_NAMES[var.interp]}", var.type.name, self.name(var)]
        if var.mode not in ("global", "local"):
            stage = self.shader.stage if self.shader else ""
            place = slot_names(stage, var.mode).get(var.location, str(var.location))
            if var.component:
                place += "." + "xyzw"[var.component]
            words.append(f"({place}, {var.driver_location})")
        self.emit(depth, " ".join(words), var)

    def name(self, var: Variable) -> str:
        found = self.names.get(var)
        if found is None:
            count = self.taken[var.name] = self.taken.get(var.name, 0) + 1
            found = self.names[var] = var.name if count == 1 else f"{var.name}@{count}"
        return found

    # ---- control flow
    def emit(self, depth: int, text: str, about: object = None) -> None:
        self.lines.append("\t" * depth + text)
        for note in self.notes.get(about, ()):
            self.lines.append("\t" * depth + f"error: {note}")

    def impl(self, function: Function) -> None:
        function.require_cfg()
        self.lines.append(f"impl {function.name} {{")
        for var in function.locals:
            self.declare(var, 1)
        self.node_list(function.body, 1)
        self.emit(1, f"block block_{function.end_block.index}:", function.end_block)
        self.lines.append("}")

    def node_list(self, nodes: list[CFNode], depth: int) -> None:
        for node in nodes:
            if isinstance(node, Block):
                self.print_block(node, depth)
            elif isinstance(node, If):
                self.emit(depth, f"if ssa_{node.condition.index} {{", node)
                self.node_list(node.then, depth + 1)
                self.emit(depth, "} else {")
                self.node_list(node.otherwise, depth + 1)
                self.emit(depth, "}")
            elif isinstance(node, Loop):
                self.emit(depth, "loop {", node)
                self.node_list(node.body, depth + 1)
                self.emit(depth, "}")

    def print_block(self, block: Block, depth: int) -> None:
        def others(blocks: list[Block]) -> str:
            return "".join(f"block_{b.index} " for b in sorted(blocks, key=lambda b: b.index))

        self.emit(depth, f"block block_{block.index}:", block)
        self.emit(depth, f"/* preds: {others(block._predecessors)}*/")
        for instr in block.instrs:
            self.emit(depth, self.instr(instr), instr)
        self.emit(depth, f"/* succs: {others(block._successors)}*/")

    # ---- instructions
    def instr(self, instr: Instr) -> str:
        text = _PRINT[type(instr)](self, instr)
        if instr.dest is None:
            return text
        width = "" if instr.dest.bit_size == 32 else f" {instr.dest.bit_size}"
        return f"vec{instr.dest.num_components}{width} {ssa(instr.dest)} = {text}"

    def alu(self, instr: AluInstr) -> str:
        saturate = ".sat" if instr.saturate else ""
        return f"{instr.op.name}{saturate} " + ", ".join(map(alu_src, instr.srcs))

    def load_const(self, instr: LoadConst) -> str:
        return f"load_const ({', '.join(constant(v, instr.dest.bit_size) for v in instr.values)})"

    def deref(self, deref: Deref) -> str:
        text = self.name(deref.var)
        for step in deref.path:
            if isinstance(step, str):
                text += f".{step}"
            else:
                text += f"[{ssa(step) if isinstance(step, SSADef) else step}]"
        return text

    def intrinsic(self, instr: IntrinsicInstr) -> str:
        srcs = ", ".join(map(ssa, instr.srcs))
        variables = ", ".join(map(self.deref, instr.variables))
        names = instr.row.indices
        values = ", ".join(str(instr.indices.get(name, 0)) for name in names)
        text = f"intrinsic {instr.name} ({srcs}) ({variables}) ({values})"
        for name in names:
            value = instr.indices.get(name, 0)
            shown = str(value)
            if name == "wrmask":
                shown = "".join(letter for i, letter in enumerate("xyzw") if value >> i & 1)
            text += f" /* {name}={shown} */"
        mode = _NAMED_BY_BASE.get(instr.name)
        if mode is not None and self.shader is not None:
            base = instr.indices.get("base", 0)
            for var in self.shader.variables(mode):
                if base == (var.driver_location if mode == "uniform" else var.location):
                    return f"{text}\t/* {self.name(var)} */"
        return text

    def tex(self, instr: TexInstr) -> str:
        parts = [f"{ssa(value)} ({kind})" for kind, value in instr.srcs]
        parts += [f"{instr.texture_index} (texture)", f"{instr.sampler_index} (sampler)"]
        parts += [f"{instr.sampler_dim} (dim)", f"{instr.dest.kind} (type)"]
        parts += [f"{instr.component} (component)"] * (instr.op == "tg4")
        parts += ["array"] * instr.is_array + ["shadow"] * instr.is_shadow
        return f"{instr.op} " + ", ".join(parts)

    def phi(self, instr: PhiInstr) -> str:
        srcs = sorted(instr.srcs, key=lambda src: src[0].index)
        return "phi " + ", ".join(f"block_{b.index}: {ssa(value)}" for b, value in srcs)

    def jump(self, instr: JumpInstr) -> str:
        return instr.kind

    def undef(self, instr: Undef) -> str:
        return "undefined"


_PRINT: dict[type, Callable[..., str]] = {
    AluInstr: _Printer.alu,
    LoadConst: _Printer.load_const,
    IntrinsicInstr: _Printer.intrinsic,
    TexInstr: _Printer.tex,
    PhiInstr: _Printer.phi,
    JumpInstr: _Printer.jump,
    Undef: _Printer.undef,
}


def ssa(value: SSADef) -> str:
    """A value's name."""
    return f"ssa_{value.index}"


def alu_src(src: AluSrc) -> str:
    """A source of an ALU instruction, with its swizzle unless it is the whole value."""
    if src.is_identity:
        return ssa(src.ssa)
    return f"{ssa(src.ssa)}." + "".join("xyzw"[i] for i in src.swizzle)


def constant(bits: int, bit_size: int) -> str:
    """One component of a constant: its bits, and what they are as a float."""
    if bit_size == 1:
        return "true" if bits else "false"
    if bit_size == 64:
        (number,) = struct.unpack("<d", bits.to_bytes(8, "little"))
        return f"0x{bits:016x} /* {number:f} */"
    (number,) = struct.unpack("<f", bits.to_bytes(4, "little"))
    return f"0x{bits:08x} /* {number:f} */"
