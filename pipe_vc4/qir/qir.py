# SPDX-License-Identifier: MIT
"""QIR's data: registers, instructions, blocks, and the compile that holds them and builds.

In: made by ntq, the parser, passes. Out: read by passes, the register allocator, the emitter.
Counterpart of Mesa's vc4_qir.h. QIR is nearly SSA: most temps are written once, by `defs[index]`;
those of nir's registers, of selections and of packed words are written by several instructions and
have None there. The operations are rows of opcodes.py; for a row FADD a `Vc4Compile` c has

    c.q.FADD(a, b)          a new temp holds the result (qir_FADD)
    c.to.FADD(dst, a, b)    the result goes to `dst`; the instruction comes back (qir_FADD_dest)
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from pipe_vc4.qir.enums import (
    PACK_CHANNELS,
    BranchCond,
    Cond,
    Pack,
    QFile,
    QStage,
    QUniform,
    Unpack,
)
from pipe_vc4.qir.opcodes import MUL, QOPS, QOp

if TYPE_CHECKING:
    from pipe_vc4.ntq.keys import Vc4FsKey, Vc4VsKey


class QReg(NamedTuple):
    """An operand. `pack` is an Unpack mode where it is read, a Pack mode where it is written."""

    file: QFile
    index: int = 0  # type: ignore[assignment]  # the seed's word, and never tuple.index here
    pack: int = 0


NULL: Final = QReg(QFile.NULL)
#: words of the VPM that vertices are read from, in vectors of four
MAX_ATTRIBUTES: Final = 16
#: where a write starts or feeds a texture sample
TEX_FILES: Final = frozenset(
    {QFile.TEX_S_DIRECT, QFile.TEX_S, QFile.TEX_T, QFile.TEX_R, QFile.TEX_B}
)
#: writes that are effects: none may go though nothing reads them
EFFECT_FILES: Final = TEX_FILES | {
    QFile.TLB_Z_WRITE,
    QFile.TLB_COLOR_WRITE,
    QFile.TLB_COLOR_WRITE_MS,
    QFile.TLB_STENCIL_SETUP,
}
_MOVES: Final = frozenset({"MOV", "FMOV", "MMOV"})


class QInst:
    """An instruction. A write of a texture coordinate (not TEX_S_DIRECT) has one source more than
    its row says: the uniform that the hardware takes beside it.
    """

    __slots__ = ("cond", "cond_is_exec_mask", "dst", "op", "sf", "src")

    def __init__(self, op: QOp, dst: QReg, src: list[QReg], cond: int = Cond.ALWAYS) -> None:
        self.op = op
        self.dst = dst
        self.src = src
        #: the flags are set by what is written
        self.sf = False
        #: a Cond; a BranchCond if it is a branch
        self.cond = cond
        #: the condition is that of the lanes that run, so another value of the same temp that a
        #: lane at rest would see does not matter
        self.cond_is_exec_mask = False

    @property
    def name(self) -> str:
        """Name of the row."""
        return self.op.name

    @property
    def is_tex(self) -> bool:
        """It writes a texture coordinate or an address (qir_is_tex)."""
        return self.dst.file in TEX_FILES

    @property
    def has_implicit_tex_uniform(self) -> bool:
        """Its last source is the uniform that comes with a texture coordinate."""
        return self.dst.file in TEX_FILES and self.dst.file != QFile.TEX_S_DIRECT

    @property
    def tex_uniform_src(self) -> int:
        """Number of that source."""
        return len(self.src) - 1

    @property
    def non_sideband_nsrc(self) -> int:
        """Sources that the operation itself reads."""
        return self.op.nsrc

    @property
    def is_mul(self) -> bool:
        """Only the multiplier does it (qir_is_mul)."""
        return self.op.pipe == MUL

    @property
    def is_raw_mov(self) -> bool:
        """It only copies (qir_is_raw_mov)."""
        return (
            self.op.name in _MOVES
            and self.cond == Cond.ALWAYS
            and not self.dst.pack
            and not self.src[0].pack
        )

    @property
    def is_float_input(self) -> bool:
        """Sources are unpacked as floats (qir_is_float_input)."""
        return self.op.float_input

    @property
    def writes_r4(self) -> bool:
        """The result comes in R4 (qir_writes_r4)."""
        return self.op.writes_r4

    @property
    def depends_on_flags(self) -> bool:
        """Flags decide whether it writes or jumps (qir_depends_on_flags)."""
        if self.op.name == "BRANCH":
            return self.cond != BranchCond.ALWAYS
        return self.cond not in (Cond.ALWAYS, Cond.NEVER)

    @property
    def has_side_effects(self) -> bool:
        """It must stay though nothing reads what it writes (qir_has_side_effects)."""
        return self.op.effects or self.dst.file in EFFECT_FILES

    @property
    def reads_uniform(self) -> bool:
        """qir_has_uniform_read."""
        return any(src.file == QFile.UNIF for src in self.src)

    @property
    def channels_written(self) -> int:
        """Bytes of the destination that it writes, as a mask (qir_channels_written)."""
        return PACK_CHANNELS[self.dst.pack]

    def __repr__(self) -> str:
        regs = [f"{r.file.name}{r.index}" for r in (self.dst, *self.src)]
        return f"<{self.op.name} {' '.join(regs)}>"


class QBlock:
    """Instructions without control flow between them (struct qblock)."""

    __slots__ = ("index", "instructions", "live_in", "live_out", "predecessors", "successors")

    def __init__(self, index: int) -> None:
        self.index = index
        self.instructions: list[QInst] = []
        self.predecessors: list[QBlock] = []
        #: at most two: where the branch goes, then what follows
        self.successors: list[QBlock] = []
        #: temps, as bits of a number (liveness.py)
        self.live_in = 0
        self.live_out = 0

    def __repr__(self) -> str:
        return f"<block {self.index}>"


class VaryingSlot(NamedTuple):
    """A scalar that goes from vertex to fragment shader (struct vc4_varying_slot)."""

    slot: int  # VARYING_SLOT_*; -1: made by the hardware (points, lines)
    swizzle: int


class QirError(Exception):
    """QIR was used in a way that its rules forbid."""


class _Values:
    """`c.q`: operations whose result is a new temp."""

    def __init__(self, compile_: Vc4Compile) -> None:
        self._compile = compile_

    def __getattr__(self, name: str) -> Callable[..., QReg]:
        row, c = QOPS[name], self._compile

        def emit(*src: QReg) -> QReg:
            return c.emit_def(c.inst(row, NULL, *src))

        setattr(self, name, emit)
        return emit


class _Writes:
    """`c.to`: operations with a destination; those that have none get NULL."""

    def __init__(self, compile_: Vc4Compile) -> None:
        self._compile = compile_

    def __getattr__(self, name: str) -> Callable[..., QInst]:
        row, c = QOPS[name], self._compile

        def emit(dst: QReg, *src: QReg) -> QInst:
            return c.emit_nondef(c.inst(row, dst, *src))

        setattr(self, name, emit)
        return emit


class Vc4Compile:
    """A program while it is made (struct vc4_compile): blocks, temps, uniforms, slots."""

    def __init__(self, stage: QStage) -> None:
        self.stage = stage
        self.blocks: list[QBlock] = []
        self.num_temps = 0
        #: by temp: the only instruction that writes it, or None
        self.defs: list[QInst | None] = []
        #: what the driver writes where the program reads a uniform: entry i is UNIF i
        self.uniform_contents: list[QUniform] = []
        self.uniform_data: list[int] = []
        self._uniforms: dict[tuple[QUniform, int], int] = {}
        #: of a fragment shader: what VARY i is
        self.input_slots: list[VaryingSlot] = []
        #: of a vertex shader: bytes of attribute i that it reads, by its VPM index
        self.vattr_sizes: list[int] = [0] * MAX_ATTRIBUTES
        #: which attribute each of them is (VERT_ATTRIB_*)
        self.attr_slots: list[int] = []
        self.num_inputs = 0
        #: words of the constants that it reads from memory
        self.tables: list[int] = []
        self.num_texture_samples = 0
        self.fs_threaded = False
        #: the last THRSW is where all lanes run, as the hardware wants it
        self.last_thrsw_at_top_level = False
        self.fs_key: Vc4FsKey | None = None
        self.vs_key: Vc4VsKey | None = None
        self.program_id = 0
        self.variant_id = 0
        self._payload: dict[str, QReg] = {}
        self.q = _Values(self)
        self.to = _Writes(self)
        self._next_block = 0
        self.cur_block = self.new_block()
        self.set_emit_block(self.cur_block)

    # ---- blocks
    def new_block(self) -> QBlock:
        """A block with a number of its own, in the program when it is emitted into
        (qir_new_block).
        """
        self._next_block += 1
        return QBlock(self._next_block - 1)

    def set_emit_block(self, block: QBlock) -> None:
        """Emit into that block from here on; it follows those before (qir_set_emit_block)."""
        self.blocks.append(block)
        self.cur_block = block

    @staticmethod
    def link_blocks(predecessor: QBlock, successor: QBlock) -> None:
        """An edge (qir_link_blocks)."""
        if len(predecessor.successors) == 2:
            raise QirError(f"block {predecessor.index} has two successors already")
        predecessor.successors.append(successor)
        if predecessor not in successor.predecessors:
            successor.predecessors.append(predecessor)

    @property
    def entry_block(self) -> QBlock:
        """Where it begins."""
        return self.blocks[0]

    @property
    def exit_block(self) -> QBlock:
        """Where it ends."""
        return self.blocks[-1]

    def instructions(self) -> Iterator[QInst]:
        """All instructions in order; a block may be edited while it is walked."""
        for block in self.blocks:
            yield from tuple(block.instructions)

    # ---- temps and uniforms
    def get_temp(self) -> QReg:
        """A new temp (qir_get_temp)."""
        self.defs.append(None)
        self.num_temps += 1
        return QReg(QFile.TEMP, self.num_temps - 1)

    def uniform(self, contents: QUniform, data: int = 0) -> QReg:
        """The uniform with these contents (qir_uniform)."""
        key = (contents, data & 0xFFFFFFFF)
        found = self._uniforms.get(key)
        if found is None:
            found = self._uniforms[key] = len(self.uniform_contents)
            self.uniform_contents.append(contents)
            self.uniform_data.append(key[1])
        return QReg(QFile.UNIF, found)

    def uniform_ui(self, value: int) -> QReg:
        """A constant by its bits (qir_uniform_ui)."""
        return self.uniform(QUniform.CONSTANT, value)

    def uniform_f(self, value: float) -> QReg:
        """A constant float (qir_uniform_f)."""
        return self.uniform_ui(float_bits(value))

    def set_uniforms(self, contents: list[QUniform], data: list[int]) -> None:
        """Other uniforms, to which all registers are numbered already."""
        self.uniform_contents, self.uniform_data = contents, data
        self._uniforms = {}

    def constant(self, reg: QReg) -> int | None:
        """The bits of a constant uniform or a small immediate without unpacking; else None."""
        if reg.pack:
            return None
        if reg.file == QFile.SMALL_IMM:
            return reg.index & 0xFFFFFFFF
        if reg.file == QFile.UNIF and self.uniform_contents[reg.index] == QUniform.CONSTANT:
            return self.uniform_data[reg.index]
        return None

    # ---- emission
    @staticmethod
    def inst(op: QOp | str, dst: QReg, *src: QReg) -> QInst:
        """An instruction in no block (qir_inst)."""
        row = QOPS[op] if isinstance(op, str) else op
        wanted = row.nsrc + (dst.file in TEX_FILES and dst.file != QFile.TEX_S_DIRECT)
        if len(src) != wanted:
            raise QirError(f"{row.name} takes {wanted} sources, not {len(src)}")
        return QInst(row, dst, list(src))

    def emit_def(self, inst: QInst) -> QReg:
        """Put it at the end with a new temp for its result (qir_emit_def)."""
        if inst.dst.file != QFile.NULL:
            raise QirError("the instruction has a destination already")
        temp = self.get_temp()
        inst.dst = temp._replace(pack=inst.dst.pack)
        self.defs[temp.index] = inst
        self.cur_block.instructions.append(inst)
        return temp

    def emit_nondef(self, inst: QInst) -> QInst:
        """Put it at the end; if it writes a temp, that one has more than one writer
        (qir_emit_nondef).
        """
        if inst.dst.file == QFile.TEMP:
            self.defs[inst.dst.index] = None
        self.cur_block.instructions.append(inst)
        return inst

    def definition(self, reg: QReg) -> QInst:
        """The only writer of a temp."""
        found = self.defs[reg.index] if reg.file == QFile.TEMP else None
        if found is None:
            raise QirError("the register has no single writer")
        return found

    def payload(self, name: str) -> QReg:
        """FRAG_Z or FRAG_W, read once, where the program begins."""
        found = self._payload.get(name)
        if found is None:
            found = self._payload[name] = self.get_temp()
            inst = self.inst(name, found)
            self.defs[found.index] = inst
            self.entry_block.instructions.insert(0, inst)
        return found

    # ---- small words built of operations
    def SF(self, src: QReg) -> None:
        """Set the flags from a value (qir_SF)."""
        last = self.cur_block.instructions[-1] if self.cur_block.instructions else None
        fits = src.file == QFile.TEMP and not src.pack and last is not None
        if last is None or not fits or self.defs[src.index] is not last or last.sf:
            last = self.to.MOV(NULL, src)
        last.sf = True

    def SEL(self, cond: Cond, yes: QReg, no: QReg) -> QReg:
        """`yes` in lanes where the condition holds, else `no` (qir_SEL)."""
        result = self.get_temp()
        self.to.MOV(result, no)
        self.to.MOV(result, yes).cond = cond
        return result

    def SAT(self, value: QReg) -> QReg:
        """Clamp to [0, 1]; NaN gives 0 (qir_SAT)."""
        return self.q.FMIN(self.q.FMAX(value, self.uniform_f(0.0)), self.uniform_f(1.0))

    def UNPACK_8_F(self, src: QReg, byte: int) -> QReg:
        """A byte of a word as unorm float."""
        return self.q.FMOV(src._replace(pack=Unpack.U8A + byte))

    def UNPACK_8_I(self, src: QReg, byte: int) -> QReg:
        """A byte of a word as integer."""
        return self.q.MOV(src._replace(pack=Unpack.U8A + byte))

    def UNPACK_16_F(self, src: QReg, half: int) -> QReg:
        """A half of a word as half float."""
        return self.q.FMOV(src._replace(pack=Unpack.U16A + half))

    def UNPACK_16_I(self, src: QReg, half: int) -> QReg:
        """A half of a word as signed integer."""
        return self.q.MOV(src._replace(pack=Unpack.U16A + half))

    def PACK_8_F(self, dst: QReg, value: QReg, byte: int) -> QInst:
        """A float into a byte of a word, as unorm."""
        return self.to.MMOV(dst._replace(pack=Pack.P8A + byte), value)

    def PACK_8888_F(self, value: QReg) -> QReg:
        """A float into all bytes of a word, as unorm."""
        result = self.q.MMOV(value)
        self.definition(result).dst = result._replace(pack=Pack.P8888)
        return result

    def VPM_WRITE(self, value: QReg) -> QInst:
        """The next word of the vertex."""
        return self.to.MOV(QReg(QFile.VPM), value)

    def LOAD_IMM(self, value: int) -> QReg:
        """A constant in the instruction itself."""
        return self.q.LOAD_IMM(QReg(QFile.LOAD_IMM, value & 0xFFFFFFFF))

    def ROT_MUL(self, value: QReg, lanes: int) -> QReg:
        """Lane i gets what lane i - lanes had."""
        return self.q.ROT_MUL(value, QReg(QFile.LOAD_IMM, lanes))

    def BRANCH(self, cond: BranchCond) -> QInst:
        """End the block with a branch to successors[0]."""
        inst = self.to.BRANCH(NULL)
        inst.cond = cond
        return inst

    # ---- facts
    def has_side_effect_reads(self, inst: QInst) -> bool:
        """It takes something out of a queue: it must stay (qir_has_side_effect_reads). Varyings
        may go, since the vertex shader makes only those that are read; what the hardware makes for
        points and lines comes in any case.
        """
        for src in inst.src:
            if src.file == QFile.VPM:
                return True
            if src.file == QFile.VARY and self.input_slots[src.index].slot < 0:
                return True
        return inst.dst.file == QFile.VPM

    def remove(self, block: QBlock, inst: QInst) -> None:
        """Take it out of its block (qir_remove_instruction)."""
        block.instructions.remove(inst)
        if inst.dst.file == QFile.TEMP and self.defs[inst.dst.index] is inst:
            self.defs[inst.dst.index] = None


def float_bits(value: float) -> int:
    """Bits of the nearest single."""
    return int.from_bytes(struct.pack("<f", value), "little")


def bits_float(bits: int) -> float:
    """The single with these bits."""
    return float(struct.unpack("<f", (bits & 0xFFFFFFFF).to_bytes(4, "little"))[0])


#: module attributes qir_<OP> and qir_<OP>_dest, by name
def __getattr__(name: str) -> Callable[..., QReg | QInst]:
    row = name.removeprefix("qir_")
    if row != name and row in QOPS:
        return lambda c, *src: getattr(c.q, row)(*src)
    if row != name and row.removesuffix("_dest") in QOPS:
        return lambda c, dst, *src: getattr(c.to, row.removesuffix("_dest"))(dst, *src)
    raise AttributeError(name)


__all__ = [
    "BranchCond", "Cond", "NULL", "Pack", "QBlock", "QFile", "QInst", "QOPS", "QOp", "QReg",
    "QStage", "QUniform", "QirError", "TEX_FILES", "Unpack", "VaryingSlot", "Vc4Compile",
    "bits_float", "float_bits",
]  # fmt: skip
