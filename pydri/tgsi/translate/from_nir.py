# SPDX-License-Identifier: MIT
"""nir to TGSI.

In: a nir shader as st makes them: inputs and outputs are slots, locals are what is indexed at run
time.  Out: tokens.  The shader is changed on the way (lowered).  Each SSA value that is computed
has a temporary from its definition to its last use (liveness.py); constants, inputs, swizzles and
signs are read in place.  Phis are temporaries that are written where ways meet.  Booleans are all
bits or none.  Counterpart of nir_to_tgsi.c.

Derivatives within control flow that is not the same for the whole quad are undefined in GL; here
they differ from nir's interpreter, where every lane computes every value.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydri.nir import enums as slots
from pydri.nir.enums import VARYING_SLOT_PNTC, VARYING_SLOT_PRIMITIVE_ID
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
from pydri.nir.passes import run_pass
from pydri.nir.printer import print_instr
from pydri.nir.stages import ATTRIBUTES, BY_NAME, RESULTS, VARYINGS
from pydri.tgsi.build.ureg import Ureg
from pydri.tgsi.tokens import enums as t
from pydri.tgsi.tokens.registers import Dst, Src
from pydri.tgsi.tokens.slots import (
    PIXEL_INDEX,
    NoSlot,
    interpolation,
    result_semantic,
    varying_semantic,
)
from pydri.tgsi.tokens.structure import DEEPEST
from pydri.tgsi.tokens.tex import NoTexture
from pydri.tgsi.translate.from_nir_access import Accesses
from pydri.tgsi.translate.from_nir_alu import KNOWN, LOWERED, SAME, SCALAR, SPECIAL, WHOLE
from pydri.tgsi.translate.from_nir_tex import lookup
from pydri.tgsi.translate.liveness import Values, constant_place
from pydri.tgsi.translate.to_nir import Unsupported
from pydri.util.deep_stack import DeepStack

_SYSTEM = {
    "load_vertex_id": t.SEMANTIC_VERTEXID, "load_instance_id": t.SEMANTIC_INSTANCEID,
    "load_front_face": t.SEMANTIC_FACE,
}  # fmt: skip


def from_nir(shader: Shader, attributes: Sequence[int] | None = None) -> list[int]:
    """The tokens of a shader. `attributes`: the slots of the input registers of a vertex shader;
    those that it reads, where it is not said.
    """
    with DeepStack(DEEPEST):
        run_pass(shader, "lower_io")
        run_pass(shader, "lower_tex")
        run_pass(shader, "lower_var_copies")
        run_pass(shader, "lower_vars_to_ssa")
        run_pass(shader, "lower_alu", ops=LOWERED)
        emitter = _Emitter(shader, attributes)
        try:
            tokens = emitter.run()
        except (NoSlot, NoTexture, Unsupported) as error:
            raise Unsupported(f"{error}{emitter.where()}") from None
    if tokens is None:
        raise Unsupported("more than a token stream has room for")
    return tokens


class _Emitter(Accesses):
    """Emits a shader; Memory knows variables and constant blocks, Wide numbers of 64 bits, Accesses
    buffers and images."""

    def __init__(self, shader: Shader, attributes: Sequence[int] | None) -> None:
        self.shader = shader
        self.row = BY_NAME[shader.stage]
        self.function = shader.main
        self.function.require_cfg()
        u = Ureg(self.row.number)
        values = Values(self.function)
        super().__init__(u, values)
        self.attributes = list(attributes) if attributes is not None else self.read_attributes()
        self.temps: dict[SSADef, Dst] = {}
        self.wides: dict[SSADef, tuple[Dst, ...]] = {}
        self.current: Instr | None = None  # that is being translated
        self.outputs: dict[int, tuple[Dst, int]] = {}
        self.at = 0
        #: (last use, value) of the temporaries that are in use
        self.alive: list[tuple[int, SSADef]] = []

    def where(self) -> str:
        """Where the instruction stands that is being translated, and what it says."""
        for number, instr in enumerate(self.function.instrs()):
            if instr is self.current:
                return f" (instruction {number}: {print_instr(instr)})"
        return ""

    def read_attributes(self) -> list[int]:
        return sorted({i.indices["base"] for i in self.intrinsics("load_input")})

    def intrinsics(self, *names: str) -> list[IntrinsicInstr]:
        found = (i for i in self.function.instrs() if isinstance(i, IntrinsicInstr))
        return [i for i in found if i.name in names]

    # ---- declarations
    def run(self) -> list[int] | None:
        self.declare_variables(self.shader)
        self.declare_inputs()
        for slot in sorted({i.indices["base"] for i in
                            self.intrinsics("store_output", "load_output")}):  # fmt: skip
            self.declare_output(slot)
        self.declare_constants(self.intrinsics("load_ubo"))
        self.declare_resources(self.function)
        self.nodes(self.function.body)
        self.u.END()
        return self.u.finalize()

    def declare_inputs(self) -> None:
        u = self.u
        if self.row.inputs.kind == ATTRIBUTES:
            for n, slot in enumerate(self.attributes):
                if any(i.indices["base"] == slot for i in self.intrinsics("load_input")):
                    u.decl_vs_input(n)
            return
        masks: dict[int, int] = {}
        for instr in self.intrinsics("load_input"):
            assert instr.dest is not None
            part = (1 << instr.dest.num_components) - 1 << instr.indices["component"]
            slot = instr.indices["base"]
            masks[slot] = masks.get(slot, 0) | part
        self.fs_inputs: dict[int, Src] = {}
        for slot, mask in sorted(masks.items()):
            semantic = varying_semantic(slot)
            mode = interpolation(slot, self.shader.input_interp(slot))
            self.fs_inputs[slot] = u.decl_fs_input(
                semantic.name, semantic.number, mode, usage_mask=mask
            )

    def declare_output(self, slot: int) -> None:
        if self.row.outputs.kind == RESULTS:
            semantic, first = result_semantic(slot)
            if slot == slots.FRAG_RESULT_COLOR:
                self.u.property(t.PROPERTY_FS_COLOR0_WRITES_ALL_CBUFS, 1)
            mask = t.WRITEMASK_XYZW if semantic.name == t.SEMANTIC_COLOR else 1 << first
        else:
            semantic, first, mask = varying_semantic(slot), 0, t.WRITEMASK_XYZW
            if semantic.name in (t.SEMANTIC_PSIZE, t.SEMANTIC_EDGEFLAG):
                mask = t.WRITEMASK_X
        self.outputs[slot] = self.u.decl_output(semantic.name, semantic.number, mask), first

    # ---- operands
    def operand(self, value: SSADef, picks: Sequence[int]) -> Src:
        """Components of a value as a source; beyond the last they repeat it."""
        piece = self.values.piece(value, tuple(picks))
        src = self.root(piece.root)
        wide = [*piece.picks, *[piece.picks[-1]] * (4 - len(piece.picks))]
        src = src.swizzle(wide[0], wide[1], wide[2], wide[3])
        src = src.abs() if piece.absolute else src
        return src.negate() if piece.negated else src

    def whole(self, value: SSADef) -> Src:
        """All components of a value."""
        return self.operand(value, range(value.num_components))

    def root(self, value: SSADef) -> Src:
        """Where a value lies."""
        instr = value.instr
        if isinstance(instr, LoadConst):
            bits = [0xFFFFFFFF if v else 0 for v in instr.values]
            return self.u.imm_uint(*(instr.values if value.bit_size == 32 else bits))
        if isinstance(instr, Undef):
            return self.u.imm_uint(0)
        if isinstance(instr, IntrinsicInstr) and self.values.in_place(value):
            return self.in_place(instr)
        return self.temporary(value).src()

    def in_place(self, instr: IntrinsicInstr) -> Src:
        u, name = self.u, instr.name
        if name == "load_input":
            slot, first = instr.indices["base"], instr.indices["component"]
            if self.row.inputs.kind == VARYINGS:
                src = self.fs_inputs[slot]
            elif slot in self.attributes:
                src = u.decl_vs_input(self.attributes.index(slot))
            else:
                raise Unsupported(f"attribute {slot} is none of this shader's")
            return src.swizzle(*(min(first + n, 3) for n in range(4)))
        place = constant_place(instr)
        if place is not None:
            block, vector, first = place
            src = Src(t.FILE_CONSTANT, vector).dimension(block)
            return src.swizzle(*(min(first + n, 3) for n in range(4)))
        if name == "load_frag_coord":
            return u.decl_fs_input(t.SEMANTIC_POSITION, 0, t.INTERPOLATE_LINEAR)
        if name == "load_pixel":
            return u.decl_fs_input(t.SEMANTIC_GENERIC, PIXEL_INDEX, t.INTERPOLATE_CONSTANT)
        if name == "load_point_coord":
            if VARYING_SLOT_PNTC in self.fs_inputs:
                return self.fs_inputs[VARYING_SLOT_PNTC]
            return u.decl_fs_input(t.SEMANTIC_PCOORD, 0, t.INTERPOLATE_LINEAR)
        if name == "load_primitive_id" and self.row.inputs.interpolated:
            if VARYING_SLOT_PRIMITIVE_ID in self.fs_inputs:
                raise Unsupported("the primitive's number, twice")
            return u.decl_fs_input(t.SEMANTIC_PRIMID, 0, t.INTERPOLATE_CONSTANT)
        return u.decl_system_value(_SYSTEM[name])

    def temporary(self, value: SSADef) -> Dst:
        """The temporary of a value that is computed."""
        found = self.temps.get(value)
        if found is None:
            found = self.temps[value] = self.u.decl_temporary()
            self.alive.append((self.values.last.get(value, self.at), value))
        return found

    def target(self, value: SSADef) -> Dst:
        """The components of a value's temporary, to be written."""
        return self.temporary(value).writemask((1 << value.num_components) - 1)

    def passed(self, at: int) -> None:
        """Everything up to this number has been emitted: give temporaries back."""
        self.at = at
        gone = [value for last, value in self.alive if last <= at]
        if not gone:
            return
        self.alive = [pair for pair in self.alive if pair[0] > at]
        for value in gone:
            wide = value.bit_size == 64
            for temp in self.wides.pop(value) if wide else (self.temps.pop(value),):
                self.u.release_temporary(temp)

    # ---- control flow
    def nodes(self, nodes: list[CFNode]) -> None:
        for node in nodes:
            if isinstance(node, Block):
                self.block(node)
            elif isinstance(node, If):
                self.branch(node)
            elif isinstance(node, Loop):
                label = self.u.BGNLOOP()
                start = self.u.get_instruction_number() - 1
                self.nodes(node.body)
                self.u.fixup_label(label, self.u.get_instruction_number())
                self.u.fixup_label(self.u.ENDLOOP(), start)
                self.passed(self.values.loop_ends[node])

    def branch(self, node: If) -> None:
        u = self.u
        label = u.UIF(self.operand(node.condition, (0, 0, 0, 0)))
        self.nodes(node.then)
        u.fixup_label(label, u.get_instruction_number())
        if any(not isinstance(n, Block) or n.instrs or self.copies(n) for n in node.otherwise):
            label = u.ELSE()
            self.nodes(node.otherwise)
            u.fixup_label(label, u.get_instruction_number())
        u.ENDIF()
        self.passed(self.values.if_ends[node])

    def block(self, block: Block) -> None:
        jump = None
        for instr in block.instrs:
            if isinstance(instr, JumpInstr):
                jump = instr.kind
            elif not isinstance(instr, PhiInstr):
                self.instr(instr)
            self.passed(self.values.number[instr])
        self.copy(self.copies(block))
        if jump is not None:
            getattr(self.u, {"break": "BRK", "continue": "CONT", "return": "RET"}[jump])()
        self.passed(self.values.ends[block])

    def copies(self, block: CFNode) -> list[tuple[SSADef, SSADef]]:
        """(phi, value) of what is behind a block."""
        assert isinstance(block, Block)
        return [
            (phi.dest, value)
            for successor in block.successors
            for phi in successor.phis
            for source, value in phi.srcs
            if source is block and phi.dest in self.values.last
        ]

    def copy(self, copies: list[tuple[SSADef, SSADef]]) -> None:
        """Write phis all at once: none before its old value has been read for another."""
        work = [(self.target(phi), self.whole(value)) for phi, value in copies
                if phi.bit_size != 64]  # fmt: skip
        for phi, value in copies:
            if phi.bit_size == 64:
                pairs = enumerate(self.registers(phi))
                work += [(dst, self.pair(value, n)) for n, dst in pairs]
        spare: list[Dst] = []
        while work:
            free = next((n for n, (dst, _) in enumerate(work) if not any(
                src.file == dst.file and src.number == dst.number
                for m, (_, src) in enumerate(work) if m != n)), None)  # fmt: skip
            if free is None:  # a circle: one of them moves out of the way
                dst = work[0][0]
                aside = self.u.decl_temporary()
                spare.append(aside)
                self.u.MOV(aside.writemask(dst.mask), dst.src())
                work = [
                    (d, s._replace(number=aside.number)
                     if (s.file, s.number) == (dst.file, dst.number) else s)
                    for d, s in work
                ]  # fmt: skip
                continue
            dst, src = work.pop(free)
            if src != dst.src():
                self.u.MOV(dst, src)
        for temp in spare:
            self.u.release_temporary(temp)

    # ---- instructions
    def instr(self, instr: Instr) -> None:
        self.current = instr
        if isinstance(instr, AluInstr):
            if instr.dest not in self.values.aliases and instr.dest in self.values.last:
                self.alu(instr)
        elif isinstance(instr, TexInstr):
            lookup(self, instr)
        elif isinstance(instr, IntrinsicInstr):
            if instr.row.memory:
                if instr.dest in self.values.last or not instr.row.can_eliminate:
                    self.access(instr)
            elif instr.dest is None:
                self.effect(instr)
            elif not self.values.in_place(instr.dest) and instr.dest in self.values.last:
                self.load(instr, instr.dest)

    def alu(self, instr: AluInstr) -> None:
        u, name = self.u, instr.op.name
        if instr.dest.bit_size == 64 or any(src.ssa.bit_size == 64 for src in instr.srcs):
            self.wide_alu(instr)
            return
        if name not in KNOWN:
            raise Unsupported(f"opcode {name}")
        dst = self.target(instr.dest)
        if instr.saturate:
            dst = dst.saturate()
        srcs = [self.operand(src.ssa, src.swizzle) for src in instr.srcs]
        if name in SAME:
            u.insn(SAME[name], [dst], srcs)
        elif name in WHOLE:
            u.insn(WHOLE[name], [dst], srcs)
        elif name in SCALAR:
            for n in range(instr.dest.num_components):
                u.insn(SCALAR[name], [dst.writemask(1 << n)], [src.scalar(n) for src in srcs])
        elif name in SPECIAL:
            SPECIAL[name](u, dst, srcs)
        else:  # a vector of scalars
            for n, src in enumerate(srcs):
                u.MOV(dst.writemask(1 << n), src.scalar(0))

    def load(self, instr: IntrinsicInstr, dest: SSADef) -> None:
        u, name = self.u, instr.name
        if name == "load_var":
            self.load_var(instr.variables[0], self.target(dest))
        elif name == "load_ubo":
            self.load_ubo(instr, dest)
        elif name == "load_output":
            out, first = self.outputs[instr.indices["base"]]
            first += instr.indices["component"]
            picks = [min(first + n, 3) for n in range(4)]
            u.MOV(self.target(dest), out.src().swizzle(*picks))
        elif name == "load_helper_invocation":
            u.READ_HELPER(self.target(dest))
        else:
            raise Unsupported(f"intrinsic {name}")

    def effect(self, instr: IntrinsicInstr) -> None:
        u, name = self.u, instr.name
        if name == "store_output":
            self.store_output(instr)
        elif name == "store_var":
            mask = instr.indices["wrmask"]
            self.store_var(instr.variables[0], self.whole(instr.srcs[0]), mask)
        elif name == "discard":
            u.KILL()
        elif name == "discard_if":
            work = u.decl_temporary()
            one = u.imm_uint(0x3F800000)
            u.AND(work.writemask(1), self.operand(instr.srcs[0], (0,)), one)
            u.KILL_IF(work.src().scalar(0).negate())
            u.release_temporary(work)
        elif name == "terminate":
            u.KILL()
            u.RET()
        else:
            raise Unsupported(f"intrinsic {name}")

    def store_output(self, instr: IntrinsicInstr) -> None:
        out, first = self.outputs[instr.indices["base"]]
        first += instr.indices["component"]
        value, mask = instr.srcs[0], instr.indices["wrmask"]
        count = value.num_components
        picks = [min(max(n - first, 0), count - 1) for n in range(4)]
        dst = out.writemask(mask << first & 15)
        if dst.mask:
            self.u.MOV(dst, self.operand(value, picks))


__all__ = ["Unsupported", "from_nir"]
