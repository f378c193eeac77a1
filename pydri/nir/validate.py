# SPDX-License-Identifier: MIT
"""The law of the IR, checked after every pass in tests and under NIR_VALIDATE.

In: a shader and the name of the pass that just ran.  Out: nothing, or `ValidationError` whose text
is the whole listing with each fault below the line that has it.
Counterpart of Mesa's nir_validate.c.
"""

from __future__ import annotations

from pydri.nir.dominance import Dominance
from pydri.nir.instr import TEX_OPS, TEX_SRCS
from pydri.nir.ir import (
    AluInstr,
    Block,
    CFNode,
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
    Variable,
)
from pydri.nir.opcodes import BITS
from pydri.nir.printer import print_shader
from pydri.nir.stages import BY_NAME


class ValidationError(Exception):
    """A pass or front end left IR that breaks the rules."""


def validate(shader: Shader, when: str = "") -> None:
    """Raise ValidationError if any rule is broken."""
    notes: dict[object, list[str]] = {}
    for function in shader.functions:
        _FunctionCheck(shader, function, notes).run()
    if notes:
        count = sum(map(len, notes.values()))
        listing = print_shader(shader, notes)
        at = f" after {when}" if when else ""
        raise ValidationError(f"NIR validation failed{at}: {count} errors\n{listing}")


class _FunctionCheck:
    def __init__(self, shader: Shader, function: Function, notes: dict[object, list[str]]) -> None:
        self.shader = shader
        self.function = function
        self.notes = notes
        self.position: dict[Instr, int] = {}
        self.known: set[Variable] = set(function.locals)
        for mode in ("uniform", "shader_in", "shader_out", "global"):
            self.known.update(shader.variables(mode))

    def want(self, condition: bool, about: object, message: str) -> None:
        """Note a fault unless the condition holds."""
        if not condition:
            self.notes.setdefault(about, []).append(message)

    def run(self) -> None:
        self.node_list(self.function.body, None, in_loop=False)
        if self.notes:
            return  # the graph cannot be trusted
        self.function.cfg_changed()
        dominance = Dominance(self.function)
        numbers: dict[int, SSADef] = {}
        for block in self.function.blocks():
            for i, instr in enumerate(block.instrs):
                self.position[instr] = i
                if instr.dest is not None:
                    twin = numbers.setdefault(instr.dest.index, instr.dest)
                    self.want(twin is instr.dest, instr, "the SSA number is used twice")
                    self.want(0 <= instr.dest.index < self.function.ssa_alloc, instr, "bad number")
        for block in self.function.blocks():
            for instr in block.instrs:
                self.instr(block, instr, dominance)
        for node in self.function.nodes():
            if isinstance(node, If):
                shape = (node.condition.num_components, node.condition.bit_size)
                self.want(shape == (1, 1), node, "the condition must be one 1-bit component")
                self.defined(node.condition, node.previous_block, None, node, dominance)

    # ---- structure
    def node_list(self, nodes: list[CFNode], parent: CFNode | None, in_loop: bool) -> None:
        ends = bool(nodes) and isinstance(nodes[0], Block) and isinstance(nodes[-1], Block)
        self.want(ends, parent, "a list of nodes must begin and end with a block")
        for i, node in enumerate(nodes):
            self.want(node.parent is parent, node, "wrong parent")
            self.want(node.function is self.function, node, "belongs to another function")
            if i:
                mixed = isinstance(node, Block) != isinstance(nodes[i - 1], Block)
                self.want(mixed, node, "blocks and other nodes must alternate")
            if isinstance(node, Block):
                self.block(node, in_loop, nodes[i + 1] if i + 1 < len(nodes) else None)
            elif isinstance(node, If):
                self.node_list(node.then, node, in_loop)
                self.node_list(node.otherwise, node, in_loop)
            elif isinstance(node, Loop):
                self.node_list(node.body, node, in_loop=True)

    def block(self, block: Block, in_loop: bool, following: CFNode | None) -> None:
        body = False
        for instr in block.instrs:
            self.want(instr.block is block, instr, "instr.block is another block")
            if isinstance(instr, PhiInstr):
                self.want(not body, instr, "phis must come first")
            else:
                body = True
            if isinstance(instr, JumpInstr):
                self.want(instr is block.instrs[-1], instr, "a jump must come last")
                self.want(following is None, instr, "a jump must end its list of nodes")
                self.want(in_loop or instr.kind == "return", instr, "not inside a loop")

    # ---- instructions
    def instr(self, block: Block, instr: Instr, dominance: Dominance) -> None:
        if isinstance(instr, PhiInstr):
            self.phi(block, instr, dominance)
            return
        for value in instr.sources():
            self.defined(value, block, self.position[instr], instr, dominance)
        if isinstance(instr, AluInstr):
            self.alu(instr)
        elif isinstance(instr, IntrinsicInstr):
            self.intrinsic(instr)
        elif isinstance(instr, LoadConst):
            limit = 1 << instr.dest.bit_size
            self.want(all(0 <= v < limit for v in instr.values), instr, "constant too wide")
        elif isinstance(instr, TexInstr):
            self.want(instr.op in TEX_OPS, instr, "unknown texture operation")
            self.tex(instr)
        if instr.dest is not None:
            self.want(1 <= instr.dest.num_components <= 4, instr, "1 to 4 components")
            self.want(instr.dest.bit_size in (1, 32, 64), instr, "1, 32 or 64 bits")

    def tex(self, instr: TexInstr) -> None:
        for kind, _ in instr.srcs:
            self.want(kind in TEX_SRCS, instr, f"unknown source {kind}")
        needed = {"txb": ("bias",), "txl": ("lod",), "txd": ("ddx", "ddy"), "txf": ("lod",),
                  "txf_ms": ("ms_index",)}  # fmt: skip
        for kind in needed.get(instr.op, ()):
            self.want(instr.source(kind) is not None, instr, f"{instr.op} needs {kind}")
        sizes = {"1D": 1, "2D": 2, "3D": 3, "Cube": 3, "Rect": 2, "Buf": 1, "MS": 2}
        dims = sizes.get(instr.sampler_dim)
        self.want(dims is not None, instr, f"unknown sampler_dim {instr.sampler_dim}")
        coord = instr.source("coord")
        if coord is None or dims is None:
            without = instr.op in ("txs", "query_levels")
            self.want(without or dims is None, instr, f"{instr.op} needs coord")
            return
        count = dims + (instr.is_array and instr.op != "lod")
        self.want(coord.num_components == count, instr, f"coord has {count} components")

    def defined(
        self, value: SSADef, block: Block, before: int | None, about: object, dom: Dominance
    ) -> None:
        """`value` must be defined on every way to this place."""
        source = value.instr.block
        if source is None or value.instr not in self.position:
            self.want(False, about, f"ssa_{value.index} is not defined in this function")
        elif source is block:
            here = before is None or self.position[value.instr] < before
            self.want(here, about, f"ssa_{value.index} is used before its definition")
        else:
            reached = dom.dominates(source, block)
            self.want(reached, about, f"ssa_{value.index} is not defined on every way here")

    def phi(self, block: Block, phi: PhiInstr, dominance: Dominance) -> None:
        named = [source for source, _ in phi.srcs]
        self.want(len(set(named)) == len(named), phi, "a predecessor is named twice")
        self.want(set(named) == set(block.predecessors), phi, "the blocks are not the predecessors")
        for source, value in phi.srcs:
            same = (value.num_components, value.bit_size) == (
                phi.dest.num_components,
                phi.dest.bit_size,
            )
            self.want(same, phi, f"ssa_{value.index} has another shape")
            self.defined(value, source, None, phi, dominance)

    def alu(self, instr: AluInstr) -> None:
        op, dest = instr.op, instr.dest
        self.want(len(instr.srcs) == op.arity, instr, f"takes {op.arity} sources")
        self.want(
            op.out_size in (0, dest.num_components),
            instr,
            f"the result has {op.out_size} components",
        )
        fits = op.out_type.startswith("float") or not instr.saturate
        self.want(fits, instr, "only floats saturate")
        widths = set()
        for src, size, kind in zip(instr.srcs, op.in_sizes, op.in_types, strict=False):
            need = size or dest.num_components
            self.want(len(src.swizzle) == need, instr, f"the swizzle must have {need} letters")
            inside = all(0 <= c < src.ssa.num_components for c in src.swizzle)
            self.want(inside, instr, f"the swizzle leaves ssa_{src.ssa.index}")
            if kind == "any":
                widths.add(src.ssa.bit_size)
            else:
                bits = BITS[kind]
                self.want(src.ssa.bit_size == bits, instr, f"a {kind} source must have {bits} bits")
        if op.out_type == "any":
            widths.add(dest.bit_size)
        else:
            bits = BITS[op.out_type]
            self.want(dest.bit_size == bits, instr, f"the result must have {bits} bits")
        self.want(len(widths) <= 1, instr, "values of different widths")

    def of_stage(self, instr: IntrinsicInstr) -> None:
        """Intrinsics that not every stage has."""
        stage = BY_NAME[self.shader.stage]
        if instr.name in ("emit_vertex", "end_primitive"):
            self.want(stage.emits, instr, f"a {stage.name} shader emits no vertices")
        elif instr.name in ("load_input", "load_per_vertex_input"):
            arrayed = instr.name == "load_per_vertex_input"
            needs = "one" if stage.inputs.per_vertex else "no"
            self.want(arrayed == stage.inputs.per_vertex, instr, f"inputs have {needs} vertex")

    def intrinsic(self, instr: IntrinsicInstr) -> None:
        row = instr.row
        self.want(len(instr.srcs) == len(row.sources), instr, f"takes {len(row.sources)} sources")
        for value, size in zip(instr.srcs, row.sources, strict=False):
            self.want(size in (0, value.num_components), instr, f"a source has {size} components")
            self.want(value.bit_size != 64, instr, "a source has 64 bits, which only ALU has")
        self.want(len(instr.variables) == row.variables, instr, f"names {row.variables} variables")
        self.want(set(instr.indices) == set(row.indices), instr, f"indices are {row.indices}")
        if (instr.dest is None) != (row.dest is None):
            self.want(False, instr, "has a result or has none, against the table")
        if row.dest and instr.dest is not None:
            self.want(instr.dest.num_components == row.dest, instr, f"gives {row.dest}")
        for deref in instr.variables:
            declared = deref.var in self.known
            self.want(declared, instr, f"variable {deref.var.name} is not declared")
        self.of_stage(instr)
        mask = instr.indices.get("wrmask")
        if mask is not None and instr.srcs:
            limit = 1 << instr.srcs[0].num_components
            self.want(0 < mask < limit, instr, "the write mask does not fit the value")
        if instr.name in ("load_var", "store_var") and instr.variables:
            type_ = instr.variables[0].type
            moved = instr.dest if instr.name == "load_var" else instr.srcs[0]
            assert moved is not None
            bits = 1 if type_.kind == "bool" else 32
            fits = type_.is_vector_or_scalar and moved.num_components == type_.rows
            self.want(fits and moved.bit_size == bits, instr, f"the variable is a {type_}")
        if instr.name == "copy_var" and len(instr.variables) == 2:
            a, b = instr.variables
            self.want(a.type is b.type, instr, f"copies a {b.type} to a {a.type}")
