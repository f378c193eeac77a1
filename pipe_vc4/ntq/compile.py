# SPDX-License-Identifier: MIT
"""nir to QIR: the body of a shader (vc4_shader_ntq and the ntq_* of vc4_program.c).

In: nir as lower.py leaves it (scalar arithmetic, registers instead of phis), a stage and a key.
Out: a `Vc4Compile` with QIR that is not optimised yet. Ends of programs: ends.py; arithmetic:
alu.py; textures: tex.py.

Control flow runs all lanes under an execution mask: `execute` is 0 in lanes that run, else the
number of the block where they run again. Registers and outputs are written in running lanes only;
SSA values are written in all, since nothing reads what a lane at rest has.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipe_vc4.ntq import alu, flow, memory, tex
from pipe_vc4.ntq.alu import NtqError
from pipe_vc4.qir.qir import (
    NULL,
    Cond,
    Pack,
    QBlock,
    QFile,
    QReg,
    QStage,
    Vc4Compile,
    bits_float,
)
from pydri.nir.enums import VARYING_SLOT_POS, VARYING_SLOT_PSIZ
from pydri.nir.ir import (
    AluInstr,
    AluSrc,
    Block,
    CFNode,
    If,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConst,
    Loop,
    Shader,
    SSADef,
    TexInstr,
    Undef,
    Variable,
)
from pydri.nir.uses import Uses

_VECTORS = ("vec2", "vec3", "vec4")


class Ntq:
    """A shader being translated. `c` is what is made."""

    def __init__(self, shader: Shader, c: Vc4Compile) -> None:
        self.shader = shader
        self.c = c
        self.uses = Uses(shader.main)
        self.values: dict[SSADef, list[QReg]] = {}
        self.registers: dict[Variable, list[QReg]] = {}
        #: (slot, component) -> register; a temp that is written where it is if `kept`
        self.outputs: dict[tuple[int, int], QReg] = {}
        self.kept: set[int] = set()
        self.inputs: dict[tuple[int, int], QReg] = {}
        self.execute: QReg = NULL
        self.discard: QReg = NULL
        self.loop_cont: QBlock | None = None
        self.loop_break: QBlock | None = None
        #: where lanes that returned wait
        self.returned: QBlock | None = None

    # ---- values
    def get(self, ssa: SSADef, component: int = 0) -> QReg:
        """A component of a value (ntq_get_src)."""
        return self.values[ssa][component]

    def source(self, src: AluSrc) -> QReg:
        """The one component that a scalar instruction reads (ntq_get_alu_src)."""
        return self.values[src.ssa][src.swizzle[0]]

    @property
    def running(self) -> bool:
        """Whether all lanes run here."""
        return self.execute.file == QFile.NULL

    def store(self, dst: QReg, value: QReg) -> None:
        """Write a register that outlives this place, in the lanes that run (ntq_store_dest)."""
        if not self.running:
            self.c.SF(self.execute)
        move = self.c.to.MOV(dst, value)
        if not self.running:
            move.cond = Cond.ZS
            move.cond_is_exec_mask = True

    # ---- the body
    def emit(self) -> None:
        """All of it."""
        c, function = self.c, self.shader.main
        self._outputs(function.instrs())
        jumps = [i for i in function.instrs() if isinstance(i, JumpInstr) and i.kind == "return"]
        if any(isinstance(i, IntrinsicInstr) and i.name.startswith("discard")
               for i in function.instrs()):  # fmt: skip
            self.discard = c.q.MOV(c.uniform_ui(0))
            c.defs[self.discard.index] = None
        if jumps:
            self.returned = c.new_block()
            self.execute = c.q.MOV(c.uniform_ui(0))
            c.defs[self.execute.index] = None
        self.nodes(function.body)
        if self.returned is not None:
            c.link_blocks(c.cur_block, self.returned)
            c.set_emit_block(self.returned)
            self.execute = NULL

    def _outputs(self, instrs: Iterable[Instr]) -> None:
        """Outputs that are written within control flow, or more than once, need a place."""
        seen: set[tuple[int, int]] = set()
        for instr in instrs:
            if not isinstance(instr, IntrinsicInstr) or instr.name != "store_output":
                continue
            assert instr.block is not None
            slot, first = instr.indices["base"], instr.indices["component"]
            for n in range(4):
                if instr.indices["wrmask"] >> n & 1:
                    if instr.block.parent is not None or (slot, first + n) in seen:
                        self.kept.add(slot)
                    seen.add((slot, first + n))
        for slot, component in sorted(seen):
            if slot in self.kept:
                place = self.outputs[slot, component] = self.c.get_temp()
                self.c.to.MOV(place, self.c.uniform_ui(0))

    def nodes(self, nodes: list[CFNode]) -> None:
        """A list of control flow (ntq_emit_cf_list)."""
        for node in nodes:
            if isinstance(node, Block):
                for instr in node.instrs:
                    self.instr(instr)
            elif isinstance(node, If):
                flow.emit_if(self, node)
            elif isinstance(node, Loop):
                flow.emit_loop(self, node)

    def instr(self, instr: Instr) -> None:
        """An instruction (ntq_emit_instr)."""
        if isinstance(instr, AluInstr):
            self.values[instr.dest] = self.alu(instr)
        elif isinstance(instr, LoadConst):
            wide = [0xFFFFFFFF if v and instr.dest.bit_size == 1 else v for v in instr.values]
            self.values[instr.dest] = [self.c.uniform_ui(v) for v in wide]
        elif isinstance(instr, Undef):
            self.values[instr.dest] = [self.c.uniform_ui(0)] * instr.dest.num_components
        elif isinstance(instr, TexInstr):
            self.values[instr.dest] = tex.emit_tex(self, instr)
        elif isinstance(instr, IntrinsicInstr):
            self.intrinsic(instr)
        elif isinstance(instr, JumpInstr):
            flow.emit_jump(self, instr)
        else:
            raise NtqError(f"{instr!r} has no QIR")

    # ---- arithmetic
    def alu(self, instr: AluInstr) -> list[QReg]:
        """An operation's results, one a component (ntq_emit_alu)."""
        name, c = instr.op.name, self.c
        if name in _VECTORS:
            return [self.source(src) for src in instr.srcs]
        if name == "mov":
            only = instr.srcs[0]
            return [self.values[only.ssa][n] for n in only.swizzle]
        if name == "pack_unorm_4x8":
            whole = instr.srcs[0]
            return [self.pack([self.values[whole.ssa][n] for n in whole.swizzle])]
        if name == "unpack_unorm_4x8":
            word = self.source(instr.srcs[0])
            return [c.UNPACK_8_F(word, n) for n in range(4)]
        if instr.dest.num_components != 1:
            raise NtqError(f"nir's {name} of {instr.dest.num_components} components")
        square = _root_of_square(instr)
        if square is not None:
            result = c.q.FMAXABS(*[self.source(square)] * 2)
        elif name == "bcsel":
            result = self.bcsel(instr)
        elif name in ("b2f", "b2i") and self.compares(instr.srcs[0]):
            one = c.uniform_f(1.0) if name == "b2f" else c.uniform_ui(1)
            result = self.chosen(instr.srcs[0], one, c.uniform_ui(0))
        else:
            result = alu.emit_alu(c, name, [self.source(src) for src in instr.srcs])
        return [c.SAT(result) if instr.saturate else result]

    def bcsel(self, instr: AluInstr) -> QReg:
        """A selection, by the comparison's own flags if that is near (ntq_emit_bcsel)."""
        yes, no = self.source(instr.srcs[1]), self.source(instr.srcs[2])
        return yes if yes == no else self.chosen(instr.srcs[0], yes, no)

    def compares(self, condition: AluSrc) -> bool:
        """A comparison whose result nobody else wants."""
        made = condition.ssa.instr
        is_one = isinstance(made, AluInstr) and made.op.name in alu.COMPARISONS
        return is_one and self.uses.count(condition.ssa) == 1

    def chosen(self, condition: AluSrc, yes: QReg, no: QReg) -> QReg:
        """One of two."""
        made = condition.ssa.instr
        if isinstance(made, AluInstr) and made.op.name in alu.COMPARISONS:
            a, b = (self.source(src) for src in made.srcs)
            return self.c.SEL(alu.compare(self.c, made.op.name, a, b), yes, no)
        self.c.SF(self.source(condition))
        return self.c.SEL(Cond.ZC, yes, no)

    def pack(self, parts: list[QReg]) -> QReg:
        """Four floats into a word, as unorm."""
        c = self.c
        if len(set(parts)) == 1 and c.constant(parts[0]) is None:
            return c.PACK_8888_F(parts[0])
        known = [c.constant(part) for part in parts]
        word = sum(unorm(bits) << 8 * n for n, bits in enumerate(known) if bits is not None)
        if None not in known:
            return c.uniform_ui(word)
        result = c.get_temp()
        given = [n for n in range(4) if known[n] is not None]
        zeros = [n for n in given if word >> 8 * n & 0xFF == 0]
        ones = [n for n in given if word >> 8 * n & 0xFF == 0xFF]
        if given and len(zeros) + len(ones) == len(given):
            base, rest = (0, ones) if len(zeros) >= len(ones) else (-1, zeros)
            c.to.MOV(result, c.uniform_ui(base))
        elif len(given) > 1:  # one move for all that is constant
            c.to.MOV(result, c.uniform_ui(word))
            rest = []
        else:
            rest = given
        for n, part in enumerate(parts):
            if known[n] is None or n in rest:
                c.to.MMOV(result._replace(pack=Pack.P8A + n), part)
        return result

    # ---- intrinsics
    def intrinsic(self, instr: IntrinsicInstr) -> None:
        """ntq_emit_intrinsic."""
        name, c, dest = instr.name, self.c, instr.dest
        if name == "load_var":
            assert dest is not None
            register = self.register(instr.variables[0].var)
            self.values[dest] = [c.q.MOV(part) for part in register]
        elif name == "store_var":
            register = self.register(instr.variables[0].var)
            for n, part in enumerate(register):
                if instr.indices["wrmask"] >> n & 1:
                    self.store(part, self.get(instr.srcs[0], n))
        elif name == "store_output":
            self.store_output(instr)
        elif name == "load_output" and dest is not None:
            slot, first = instr.indices["base"], instr.indices["component"]
            found = [self.output(slot, first + k) for k in range(dest.num_components)]
            self.values[dest] = [self.c.q.MOV(v or self.c.uniform_ui(0)) for v in found]
        elif name in ("discard", "discard_if", "terminate"):
            flow.emit_discard(self, instr)
        else:
            assert dest is not None
            self.values[dest] = memory.emit_load(self, instr)

    def register(self, variable: Variable) -> list[QReg]:
        """The temps of a register."""
        found = self.registers.get(variable)
        if found is None:
            if not variable.type.is_vector_or_scalar:
                raise NtqError(f"{variable.name} is an array that is indexed at run time")
            found = [self.c.get_temp() for _ in range(variable.type.rows)]
            self.registers[variable] = found
        return found

    def store_output(self, instr: IntrinsicInstr) -> None:
        """Note an output's components, or write its place."""
        slot, first = instr.indices["base"], instr.indices["component"]
        if self.c.stage == QStage.COORD and slot not in (VARYING_SLOT_POS, VARYING_SLOT_PSIZ):
            return
        for n in range(instr.srcs[0].num_components):
            if instr.indices["wrmask"] >> n & 1:
                value = self.get(instr.srcs[0], n)
                if slot in self.kept:
                    self.store(self.outputs[slot, first + n], value)
                else:
                    self.outputs[slot, first + n] = value

    def output(self, slot: int, component: int) -> QReg | None:
        """What was written."""
        return self.outputs.get((slot, component))


def unorm(bits: int) -> int:
    """A constant float as byte, to the nearest."""
    value = bits_float(bits)
    return int(min(max(value, 0.0), 1.0) * 255.0 + 0.5) if value == value else 0


def _root_of_square(instr: AluInstr) -> AluSrc | None:
    """x of sqrt(x * x), which is |x|: the length of what has one component."""
    made = instr.srcs[0].ssa.instr
    if instr.op.name != "fsqrt" or not isinstance(made, AluInstr) or made.op.name != "fmul":
        return None
    a, b = made.srcs
    return a if a.ssa is b.ssa and a.swizzle == b.swizzle else None
