# SPDX-License-Identifier: MIT
"""What QIR means, in numpy, 16 lanes at a time: the definition that emitters are tested against.

In: a compile, what the hardware brings (varyings, attributes, place, the tile's colour), what the
driver puts into uniforms. Out: what was written to the VPM and to the tile, in order, with the
lanes that wrote. A varying is its full value here: the read gives it, VARY_ADD_C passes it on, and
FRAG_W is 1, so that no rounding of the hardware's plane is modelled. Textures are asked for by a
function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pipe_vc4.qir.qir import (
    TEX_FILES,
    BranchCond,
    Cond,
    Pack,
    QBlock,
    QFile,
    QInst,
    QirError,
    QReg,
    QUniform,
    Unpack,
    Vc4Compile,
)
from pydri.nir.flush import flushed
from pydri.util.lazy_numpy import np

Arr = Any  # an ndarray of uint32, one cell a lane
#: (coordinates by file, the sample's uniform indices) -> a word a lane
Fetch = Callable[[dict[QFile, Arr], list[int]], Arr]

LANES = 16
_STEPS = 1 << 20


class Written(NamedTuple):
    """One write to a fixed function."""

    file: QFile
    value: Arr
    lanes: Arr


class Machine:
    """A program and the state of its lanes."""

    def __init__(
        self,
        c: Vc4Compile,
        uniform: Callable[[QUniform, int], int],
        reads: Mapping[tuple[QFile, int], Arr] | None = None,
        fetch: Fetch | None = None,
    ) -> None:
        self.c, self.uniform, self.fetch = c, uniform, fetch
        self.reads = dict(reads or {})
        self.temps: Arr = np.zeros((c.num_temps, LANES), np.uint32)
        self.flags = [np.zeros(LANES, np.bool_) for _ in range(3)]
        self.written: list[Written] = []
        self._coordinates: dict[QFile, Arr] = {}
        self._words: list[int] = []
        self._results: list[Arr] = []

    def run(self) -> list[Written]:
        """From the first block to the end of the last."""
        at, blocks = self.c.blocks[0], self.c.blocks
        steps = 0
        while True:
            target = self.block(at)
            steps += 1
            if steps > _STEPS:
                raise QirError("the program does not end")
            if target is None:
                follow = blocks.index(at) + 1
                if follow == len(blocks):
                    return self.written
                target = at.successors[-1] if at.successors else blocks[follow]
            at = target

    def block(self, block: QBlock) -> QBlock | None:
        """Run a block; where its branch goes, if it is taken."""
        for inst in block.instructions:
            if inst.name == "BRANCH":
                return block.successors[0] if self.taken(inst.cond) else None
            self.instruction(inst)
        return None

    def taken(self, cond: int) -> bool:
        """Whether a branch's condition holds in any or all lanes."""
        if cond == BranchCond.ALWAYS:
            return True
        pair, rest = divmod(cond, 4)
        flag = self.flags[pair]
        flag = ~flag if rest & 1 else flag
        return bool(flag.any() if rest & 2 else flag.all())

    def mask(self, cond: int) -> Arr:
        """The lanes in which a condition holds."""
        if cond < Cond.ZS:
            return np.full(LANES, cond == Cond.ALWAYS)
        flag = self.flags[(cond - Cond.ZS) // 2]
        return ~flag if cond & 1 else flag.copy()

    # ---- operands
    def read(self, reg: QReg, floats: bool) -> Arr:
        """A source, unpacked."""
        value = self._raw(reg)
        if reg.pack == Unpack.NOP:
            return value
        if reg.pack == Unpack.U8D_REP:
            byte = value >> np.uint32(24)
            return byte * np.uint32(0x01010101)
        if reg.pack in (Unpack.U16A, Unpack.U16B):
            half = (value >> np.uint32(16 * (reg.pack - Unpack.U16A))) & np.uint32(0xFFFF)
            half = half.astype(np.uint16)
            if floats:
                return half.view(np.float16).astype(np.float32).view(np.uint32)
            return half.view(np.int16).astype(np.int32).view(np.uint32)
        byte = (value >> np.uint32(8 * (reg.pack - Unpack.U8A))) & np.uint32(255)
        if not floats:
            return byte
        return (byte.astype(np.float32) / np.float32(255)).view(np.uint32)

    def _raw(self, reg: QReg) -> Arr:
        if reg.file == QFile.TEMP:
            return self.temps[reg.index].copy()
        if reg.file in (QFile.SMALL_IMM, QFile.LOAD_IMM):
            return np.full(LANES, reg.index & 0xFFFFFFFF, np.uint32)
        if reg.file == QFile.UNIF:
            c = self.c
            word = self.uniform(c.uniform_contents[reg.index], c.uniform_data[reg.index])
            return np.full(LANES, word & 0xFFFFFFFF, np.uint32)
        if reg.file == QFile.QPU_ELEMENT:
            return np.arange(LANES, dtype=np.uint32)
        found = self.reads.get((reg.file, reg.index))
        if found is None:
            raise QirError(f"nothing was given for {reg.file.name} {reg.index}")
        return found

    # ---- instructions
    def instruction(self, inst: QInst) -> None:
        """One of them."""
        value = self.result(inst)
        lanes = self.mask(inst.cond)
        if inst.sf:
            zero, negative, carry = self.flags
            word = value
            self.flags[0] = np.where(lanes, word == 0, zero)
            self.flags[1] = np.where(lanes, word >> np.uint32(31) != 0, negative)
            self.flags[2] = np.where(lanes, self.carry(inst), carry)
        self.write(inst, value, lanes)

    def carry(self, inst: QInst) -> Arr:
        """Of an addition what does not fit, of a subtraction what is borrowed; whether the first of
        two floats is the greater one."""
        if inst.name in ("FMIN", "FMAX"):
            x, y = (flushed(self.read(src, True).view(np.float32)) for src in inst.src[:2])
            return np.asarray(x > y)
        if inst.name not in ("ADD", "SUB"):
            return np.zeros(LANES, np.bool_)
        a, b = (self.read(src, False).astype(np.int64) for src in inst.src[:2])
        return a + b >> 32 != 0 if inst.name == "ADD" else a < b

    def result(self, inst: QInst) -> Arr:
        """What an operation gives, before it is packed."""
        name, floats = inst.name, inst.is_float_input
        src = [self.read(reg, floats) for reg in inst.src[: inst.op.nsrc]]
        if inst.op.eval is not None:
            return np.asarray(inst.op.eval(*src)).astype(np.uint32)
        if name == "VARY_ADD_C":
            return src[0]
        if name == "FRAG_W":
            return np.full(LANES, 0x3F800000, np.uint32)
        if name == "FRAG_Z":
            return self.reads[QFile.NULL, 0]
        if name == "TLB_COLOR_READ":
            return self.reads[QFile.TLB_COLOR_WRITE, 0]
        if name == "ROT_MUL":
            return np.roll(src[0], inst.src[1].index)
        if name == "TEX_RESULT":
            return self._results.pop(0)
        if name == "LOAD_IMM":
            return src[0]
        if name in ("THRSW", "MS_MASK"):
            return np.zeros(LANES, np.uint32)
        raise QirError(f"{name} has no meaning here")

    def write(self, inst: QInst, value: Arr, lanes: Arr) -> None:
        """To a temp, or out."""
        dst = inst.dst
        if dst.file == QFile.TEMP:
            old = self.temps[dst.index]
            new = packed(old, value, dst.pack, inst.is_mul, inst.op.float_output)
            self.temps[dst.index] = np.where(lanes, new, old)
        elif dst.file in TEX_FILES:
            self._coordinates[dst.file] = value
            if inst.has_implicit_tex_uniform:
                self._words.append(inst.src[-1].index)
            if dst.file in (QFile.TEX_S, QFile.TEX_S_DIRECT):
                if self.fetch is None:
                    raise QirError("the program samples a texture; give fetch=")
                self._results.append(self.fetch(self._coordinates, self._words))
                self._coordinates, self._words = {}, []
        elif dst.file != QFile.NULL:
            zero = np.zeros(LANES, np.uint32)
            new = packed(zero, value, dst.pack, inst.is_mul, inst.op.float_output)
            self.written.append(Written(dst.file, new, lanes))


def _unorm(value: Arr) -> Arr:
    real = value.view(np.float32).astype(np.float64)
    unit = np.fmin(np.fmax(real, 0.0), 1.0)
    return np.rint(unit * 255.0).astype(np.uint32)


def packed(old: Arr, value: Arr, mode: int, by_mul: bool, real: bool) -> Arr:
    """A register after a result was written through a pack mode."""
    if mode == Pack.NOP:
        return value
    if by_mul or mode == Pack.P8888:
        byte = _unorm(value) if by_mul else value & np.uint32(255)
        if mode == Pack.P8888:
            return byte * np.uint32(0x01010101)
        shift = np.uint32(8 * (mode - Pack.P8A))
        return (old & ~(np.uint32(255) << shift)) | (byte << shift)
    if mode in (Pack.P16A, Pack.P16B):
        if real:
            half = value.view(np.float32).astype(np.float16).view(np.uint16).astype(np.uint32)
        else:
            half = value & np.uint32(0xFFFF)
        shift = np.uint32(16 * (mode - Pack.P16A))
        return (old & ~(np.uint32(0xFFFF) << shift)) | (half << shift)
    if Pack.P8A <= mode <= Pack.P8D:
        shift = np.uint32(8 * (mode - Pack.P8A))
        return (old & ~(np.uint32(255) << shift)) | ((value & np.uint32(255)) << shift)
    raise QirError(f"pack mode {Pack(mode).name} has no meaning here")
