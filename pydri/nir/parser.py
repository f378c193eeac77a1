# SPDX-License-Identifier: MIT
"""Reads NIR's text form back: what `printer.py` prints, and Mesa listings of 2016 that stay in it.

In: text.  Out: a Shader with the same numbering.
Line by line, since the printer puts one thing on a line; comments (predecessors, index names) carry
nothing that is not computed again.  Used by tests and tools, never by a running driver.
"""

from __future__ import annotations

from pydri.nir import types
from pydri.nir.enums import INTERP_NAMES
from pydri.nir.instr import TEX_OPS
from pydri.nir.intrinsics import INTRINSICS
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
from pydri.nir.opcodes import KINDS, OPCODES
from pydri.nir.stages import slot_names


class ParseError(Exception):
    """The text is not NIR; says which line."""


def parse_shader(text: str) -> Shader:
    """The shader that a listing describes."""
    parser = _Parser(text)
    try:
        return parser.shader()
    except ParseError:
        raise
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise ParseError(f"line {parser.at}: {parser.last!r}: {error}") from error


def strip_comments(line: str) -> str:
    """The line without /* ... */."""
    while "/*" in line:
        before, _, rest = line.partition("/*")
        line = before + rest.partition("*/")[2]
    return line.strip()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = [strip_comments(line) for line in text.splitlines()]
        self.at = 0
        self.last = ""
        self.variables: dict[str, Variable] = {}
        self.structs: dict[str, types.StructType] = {}

    def fail(self, why: str) -> ParseError:
        return ParseError(f"line {self.at}: {self.last!r}: {why}")

    def next(self) -> str:
        """The next line that says something; "" at the end."""
        while self.at < len(self.text):
            self.last = self.text[self.at]
            self.at += 1
            if self.last:
                return self.last
        self.last = ""
        return ""

    # ---- declarations
    def shader(self) -> Shader:
        head = self.next()
        if not head.startswith("shader: MESA_SHADER_"):
            raise self.fail("a listing begins with `shader: MESA_SHADER_...`")
        shader = self.out = Shader(head.removeprefix("shader: MESA_SHADER_").lower())
        shader.functions = []
        while line := self.next():
            word, _, rest = line.partition(" ")
            if word == "name:":
                shader.name = rest
            elif word == "info:":
                pairs = (fact.partition("=") for fact in rest.split())
                shader.info = {key: int(value) for key, _, value in pairs}
            elif word == "decl_struct":
                self.struct(rest)
            elif word == "decl_var":
                shader.add(self.variable(rest, "global"))
            elif word == "decl_function":
                shader.functions.append(Function(shader, rest.split()[0]))
            elif word == "impl":
                name = rest.split()[0]
                function = next(f for f in shader.functions if f.name == name)
                _FunctionParser(self, function).parse()
            else:
                raise self.fail("not a declaration")
        return shader

    def struct(self, text: str) -> None:
        name, _, body = text.partition("{")
        fields = []
        for field in body.rstrip(" }").split(";"):
            if field.strip():
                type_, label = field.split()
                fields.append((label, types.by_name(type_, self.structs)))
        self.structs[name.strip()] = types.struct(name.strip(), tuple(fields))

    def variable(self, text: str, mode: str) -> Variable:
        text, _, place = text.partition(" (")
        words = text.split()
        invariant = words[0] == "invariant"
        words = words[invariant:]
        if not words[0].startswith("INTERP_QUALIFIER_"):
            mode = words.pop(0)
        interp = INTERP_NAMES.index(words[0].removeprefix("INTERP_QUALIFIER_"))
        printed = words[2]
        name = printed.partition("@")[0]
        var = Variable(name, types.by_name(words[1], self.structs), mode, interp=interp)
        var.invariant = invariant
        if place:
            location, driver_location = place.rstrip(")").split(", ")
            location, _, component = location.partition(".")
            numbers = {label: n for n, label in slot_names(self.out.stage, mode).items()}
            known = numbers.get(location)
            var.location = int(location) if known is None else known
            var.component = "xyzw".index(component) if component else 0
            var.driver_location = int(driver_location)
        self.variables[printed] = var
        return var


class _FunctionParser:
    def __init__(self, outer: _Parser, function: Function) -> None:
        self.outer = outer
        self.function = function
        self.values: dict[str, SSADef] = {}
        self.blocks: dict[str, Block] = {}
        self.phis: list[tuple[PhiInstr, str]] = []

    def parse(self) -> None:
        end = self.nodes(self.function.body, None)
        if end != "}":
            raise self.outer.fail("a function ends with `}`")
        # The listing's last block is the end block, which is not part of the body.
        last = self.function.body.pop()
        assert isinstance(last, Block)
        if last.instrs:
            raise self.outer.fail("the end block holds instructions")
        for phi, text in self.phis:
            for src in text.split(", "):
                block, _, value = src.partition(": ")
                phi.srcs.append((self.blocks[block], self.values[value]))
            first = phi.srcs[0][1]
            phi.dest.kind = first.kind
        self.function.cfg_changed()

    def nodes(self, into: list[CFNode], parent: If | Loop | None) -> str:
        """Fill a list of nodes up to the line that closes it; that line is the result."""
        into.clear()
        block: Block | None = None
        outer = self.outer
        while line := outer.next():
            if line.startswith("}"):
                return line
            if line.startswith("decl_var "):
                var = outer.variable(line.removeprefix("decl_var "), "local")
                self.function.locals.append(var)
            elif line.startswith("block "):
                block = Block(self.function, parent)
                self.blocks[line.split()[1].rstrip(":")] = block
                into.append(block)
            elif line.startswith("if "):
                branch = If(self.function, self.values[line.split()[1]], parent)
                into.append(branch)
                if self.nodes(branch.then, branch) != "} else {":
                    raise outer.fail("`} else {` is missing")
                self.nodes(branch.otherwise, branch)
            elif line == "loop {":
                loop = Loop(self.function, parent)
                into.append(loop)
                self.nodes(loop.body, loop)
            elif block is None:
                raise outer.fail("an instruction outside a block")
            else:
                block.append(self.instr(line))
        raise outer.fail("the text ends inside a function")

    # ---- instructions
    def instr(self, line: str) -> Instr:
        if line in ("break", "continue", "return"):
            return JumpInstr(line)
        left, equals, right = line.partition(" = ")
        if not equals:
            return self.intrinsic(line, 0, 32)
        words = left.split()
        width = int(words[0].removeprefix("vec"))
        bits = int(words[1]) if len(words) == 3 else 32
        instr = self.definition(right, width, bits)
        assert instr.dest is not None
        if (instr.dest.num_components, instr.dest.bit_size) != (width, bits):
            raise self.outer.fail(f"the result is {instr.dest!r}")
        number = int(words[-1].removeprefix("ssa_"))
        instr.dest.index = number
        self.function.ssa_alloc = max(self.function.ssa_alloc, number + 1)
        if words[-1] in self.values:
            raise self.outer.fail(f"{words[-1]} is defined twice")
        self.values[words[-1]] = instr.dest
        return instr

    def definition(self, text: str, width: int, bits: int) -> Instr:
        word, _, rest = text.partition(" ")
        kind = "bool" if bits == 1 else "float"
        if word == "intrinsic":
            return self.intrinsic(text, width, bits)
        if word == "load_const":
            values = rest.strip("()").split(",")
            names = {"true": 1, "false": 0}
            numbers = tuple(names[v.strip()] if bits == 1 else int(v.strip(), 16) for v in values)
            return LoadConst(numbers, bits, kind)
        if word == "undefined":
            return Undef(width, bits, kind)
        if word == "phi":
            phi = PhiInstr(width, bits, kind)
            self.phis.append((phi, rest))
            return phi
        if word in TEX_OPS:
            return self.tex(word, rest, width)
        return self.alu(word, rest, width, bits)

    def alu(self, word: str, rest: str, width: int, bits: int) -> AluInstr:
        name, _, saturate = word.partition(".")
        if name not in OPCODES:
            raise self.outer.fail(f"unknown opcode {name}")
        op = OPCODES[name]
        srcs = [self.alu_src(part) for part in rest.split(", ")]
        if len(srcs) != op.arity:
            raise self.outer.fail(f"{name} takes {op.arity} sources")
        kind = KINDS.get(op.out_type, "any")
        if kind == "any":
            kind = next(s.ssa.kind for s, t in zip(srcs, op.in_types, strict=True) if t == "any")
        return AluInstr(op, srcs, width, bits, kind, saturate == "sat")

    def alu_src(self, text: str) -> AluSrc:
        name, dot, letters = text.strip().partition(".")
        value = self.values[name]
        if dot:
            return AluSrc(value, tuple("xyzw".index(letter) for letter in letters))
        return AluSrc(value, IDENTITY[: value.num_components])

    def intrinsic(self, text: str, width: int, bits: int) -> IntrinsicInstr:
        word, _, rest = text.partition(" ")
        name, _, rest = rest.partition(" ")
        if word != "intrinsic" or name not in INTRINSICS:
            raise self.outer.fail("unknown instruction")
        groups = [group.strip(" ()") for group in rest.split(") (")]
        srcs = [self.values[s] for s in groups[0].split(", ") if s]
        variables = [self.deref(d) for d in groups[1].split(", ") if d]
        numbers = [int(n) for n in groups[2].split(", ") if n]
        indices = dict(zip(INTRINSICS[name].indices, numbers, strict=True))
        kind = ""
        if name == "load_var":
            kind = variables[0].type.kind
        return IntrinsicInstr(name, srcs, variables, indices, width, bits, kind)

    def deref(self, text: str) -> Deref:
        # `a[ssa_3].field[2]`: after the name every step begins with [ or .
        marked = text.replace("[", "\0[").replace(".", "\0.").split("\0")
        deref = Deref(self.outer.variables[marked[0]])
        for step in marked[1:]:
            if step[0] == ".":
                deref = deref[step[1:]]
            else:
                inner = step.strip("[]")
                deref = deref[self.values[inner] if inner.startswith("ssa_") else int(inner)]
        return deref

    def tex(self, op: str, rest: str, width: int) -> TexInstr:
        srcs: list[tuple[str, SSADef]] = []
        fields: dict[str, str] = {}
        flags: set[str] = set()
        for part in rest.split(", "):
            value, paren, label = part.partition(" (")
            if not paren:
                flags.add(value)
            elif value.startswith("ssa_"):
                srcs.append((label.rstrip(")"), self.values[value]))
            else:
                fields[label.rstrip(")")] = value
        return TexInstr(
            op,
            srcs,
            sampler_dim=fields["dim"],
            is_array="array" in flags,
            is_shadow="shadow" in flags,
            texture_index=int(fields["texture"]),
            sampler_index=int(fields["sampler"]),
            component=int(fields.get("component", 0)),
            num_components=width,
            kind=fields["type"],
        )
