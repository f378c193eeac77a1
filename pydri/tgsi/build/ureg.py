# SPDX-License-Identifier: MIT
"""ureg: builds token streams by declaring registers and emitting instructions.

In: calls.  Out: `finalize()` gives the tokens.  Declarations may come while instructions do: there
are two domains, and the second is put behind the first at the end.

    u = Ureg(FRAGMENT)
    color = u.decl_fs_input(SEMANTIC_COLOR, 0, INTERPOLATE_COLOR)
    out = u.decl_output(SEMANTIC_COLOR, 0)
    u.MUL(out, color, u.imm(0.5))
    u.END()
    tokens = u.finalize()

Every opcode is a method of its name (build/ops.py).  What has no room, or no memory, makes the
program bad, as in Mesa: it goes on taking calls, and `finalize` returns None.  Counterpart of
tgsi_ureg.c; names are Mesa's without `ureg_`, declarations in small letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydri.nir.builder import float_bits
from pydri.tgsi.tokens import enums
from pydri.tgsi.tokens.layout import replace
from pydri.tgsi.tokens.opcodes import BY_NAME, Opcode
from pydri.tgsi.tokens.parse import Instruction, Memory, TexInfo, header_tokens, instruction_tokens
from pydri.tgsi.tokens.registers import Dst, Src, without_array
from pydri.tgsi.build.decl import MAX_IMMEDIATE, Declarations, Immediate32
from pydri.tgsi.build.ops import Shapes

#: words a domain may have: what BodySize of the header can say
MAX_TOKENS = (1 << 24) - 1
#: what a stream of a program that went bad consists of (error_tokens)
ERROR_TOKENS = 32
_WIDE = (enums.IMM_FLOAT64, enums.IMM_UINT64, enums.IMM_INT64)


class Tokens:
    """A domain: words, in memory that doubles until it is too much."""

    def __init__(self, most: int = MAX_TOKENS) -> None:
        self.words: list[int] = []
        self.size = self.order = 0
        self.most = most
        self.bad = False

    def take(self, words: Sequence[int]) -> int:
        """Append; the number of the first of them."""
        at = len(self.words)
        if self.bad:
            return 0
        while at + len(words) > self.size:
            self.order += 1
            self.size = 1 << self.order
        if at + len(words) > self.most:
            self.fail()
            return 0
        self.words += words
        return at

    def fail(self) -> None:
        """From now on there are only words that mean nothing."""
        self.words = [0] * ERROR_TOKENS
        self.bad = True

    def patch(self, at: int, row: str, **values: int) -> None:
        """Change fields of a word that was appended."""
        if not self.bad:
            self.words[at] = replace(row, self.words[at], **values)


class Ureg(Declarations, Shapes):
    """A program that is being built (struct ureg_program)."""

    def __init__(
        self,
        processor: int,
        *,
        any_inout_decl_range: bool = False,
        next_shader: int = -1,
        most: int = MAX_TOKENS,
    ) -> None:
        """`any_inout_decl_range`: inputs and outputs may be arrays, as the driver's
        PIPE_SHADER_CAP_TGSI_ANY_INOUT_DECL_RANGE says; `next_shader`: the stage behind this one.
        """
        super().__init__(processor, any_inout_decl_range)
        self.next_shader = next_shader
        self.precise = False
        self.instructions = 0
        self.decl_tokens, self.insn_tokens = Tokens(most), Tokens(most)

    # ---- instructions
    def insn(
        self,
        name: str,
        dsts: Iterable[Dst] = (),
        srcs: Iterable[Src] = (),
        *,
        precise: bool = False,
        label: bool = False,
        texture: TexInfo | None = None,
        memory: Memory | None = None,
    ) -> int:
        """Emit one (ureg_insn, ureg_tex_insn, ureg_memory_insn). With `label` it has one, whose
        word's number is returned, for fixup_label; otherwise 0.
        """
        op = BY_NAME[name]
        dsts, srcs = tuple(dsts), tuple(srcs)
        self.validate(op, dsts, srcs)
        if dsts and dsts[0].is_empty and memory is None:
            return 0
        if not self.any_inout_decl_range:
            dsts, srcs = tuple(map(_dst, dsts)), tuple(map(_src, srcs))
        saturate = bool(dsts) and dsts[0].saturated and memory is None
        instr = Instruction(
            op, dsts, srcs, saturate, precise or self.precise, 0 if label else None, texture,
            memory,
        )  # fmt: skip
        self.instructions += 1
        at = self.insn_tokens.take(instruction_tokens(instr))
        return at + 1 if label else 0

    @staticmethod
    def validate(op: Opcode, dsts: tuple[Dst, ...], srcs: tuple[Src, ...]) -> None:
        """As many operands as the opcode wants, of files that can be read or written."""
        if len(dsts) != op.num_dst or len(srcs) != op.num_src:
            raise TypeError(f"{op.name} takes {op.num_dst} destinations, {op.num_src} sources")
        unfit = (
            enums.FILE_NULL, enums.FILE_SAMPLER, enums.FILE_SAMPLER_VIEW, enums.FILE_IMMEDIATE,
        )  # fmt: skip
        if any(dst.file in unfit for dst in dsts) or any(not src.file for src in srcs):
            raise TypeError(f"{op.name}: an operand of a file that does not fit")

    def get_instruction_number(self) -> int:
        """The number that the next instruction will have (ureg_get_instruction_number)."""
        return self.instructions

    def fixup_label(self, label: int, instruction: int) -> None:
        """Say where a label leads (ureg_fixup_label)."""
        self.insn_tokens.patch(label, "label", Label=instruction)

    # ---- immediates
    def imm(self, *values: float) -> Src:
        """Floats, one to four (ureg_DECL_immediate)."""
        return self.immediate([float_bits(v) for v in values], enums.IMM_FLOAT32)

    def imm_uint(self, *values: int) -> Src:
        """Unsigned integers (ureg_DECL_immediate_uint)."""
        return self.immediate([v & 0xFFFFFFFF for v in values], enums.IMM_UINT32)

    def imm_int(self, *values: int) -> Src:
        """Integers (ureg_DECL_immediate_int)."""
        return self.immediate([v & 0xFFFFFFFF for v in values], enums.IMM_INT32)

    def imm_f64(self, *values: float) -> Src:
        """One or two doubles (ureg_DECL_immediate_f64)."""
        import struct

        words = struct.unpack(f"<{2 * len(values)}I", struct.pack(f"<{len(values)}d", *values))
        return self.immediate(words, enums.IMM_FLOAT64)

    def imm_uint64(self, *values: int) -> Src:
        """One or two unsigned integers of 64 bits (ureg_DECL_immediate_uint64)."""
        return self.immediate(_halves(values), enums.IMM_UINT64)

    def imm_int64(self, *values: int) -> Src:
        """One or two integers of 64 bits (ureg_DECL_immediate_int64)."""
        return self.immediate(_halves(values), enums.IMM_INT64)

    def immediate(self, words: Sequence[int], kind: int) -> Src:
        """Words within an immediate that has them, or has room for them, or a new one
        (decl_immediate).
        """
        if not 0 < len(words) <= 4:
            raise TypeError(f"an immediate of {len(words)} words")
        step = 2 if kind in _WIDE else 1
        first = words[0]
        for index, known in enumerate(self.immediates):
            if known.count >= 4 and first not in known.words:
                continue  # full, and without the first word: said at once, since there may be many
            picks = known.match(words, step) if known.type == kind else None
            if picks is not None:
                return _picked(index, picks, step)
        if len(self.immediates) >= MAX_IMMEDIATE:
            self.decl_tokens.fail()
            return Src(enums.FILE_IMMEDIATE, 0)
        fresh = Immediate32(kind)
        self.immediates.append(fresh)
        picks = fresh.match(words, step)
        assert picks is not None
        return _picked(len(self.immediates) - 1, picks, step)

    def immediate_block_uint(self, words: Sequence[int]) -> Src:
        """Immediates one behind the other, to be indexed (ureg_DECL_immediate_block_uint)."""
        index = len(self.immediates)
        if index + (len(words) + 3) // 4 > MAX_IMMEDIATE:
            self.decl_tokens.fail()
            return Src(enums.FILE_IMMEDIATE, 0)
        for at in range(0, len(words), 4):
            part = list(words[at : at + 4])
            self.immediates.append(Immediate32(enums.IMM_UINT32, part, len(part)))
        return Src(enums.FILE_IMMEDIATE, index)

    # ---- the end
    def set_bad(self) -> None:
        self.decl_tokens.fail()

    def finalize(self) -> list[int] | None:
        """The tokens; None for a program that went bad (ureg_finalize). Call it once."""
        if self.processor in (enums.VERTEX, enums.TESS_EVAL):
            behind = enums.FRAGMENT if self.next_shader == -1 else self.next_shader
            self.property(enums.PROPERTY_NEXT_SHADER, behind)
        out = self.decl_tokens
        out.take(header_tokens(self.processor, 0))
        for words in self.declarations():
            out.take(words)
        out.take(self.insn_tokens.words)
        out.patch(0, "header", BodySize=len(out.words) - 2)
        if out.bad or self.insn_tokens.bad:
            return None
        return out.words


def _picked(index: int, picks: list[int], step: int) -> Src:
    """An immediate whose components beyond those that were asked for repeat the first."""
    while len(picks) < 4:
        picks += picks[:step]
    return Src(enums.FILE_IMMEDIATE, index).swizzle(picks[0], picks[1], picks[2], picks[3])


def _halves(values: Sequence[int]) -> list[int]:
    return [half for v in values for half in (v & 0xFFFFFFFF, v >> 32 & 0xFFFFFFFF)]


def _dst(dst: Dst) -> Dst:
    found = without_array(dst)
    assert isinstance(found, Dst)
    return found


def _src(src: Src) -> Src:
    found = without_array(src)
    assert isinstance(found, Src)
    return found


__all__ = ["ERROR_TOKENS", "MAX_TOKENS", "Ureg"]
