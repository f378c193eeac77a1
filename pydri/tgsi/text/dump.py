# SPDX-License-Identifier: MIT
"""Token streams as text, in the exact form of tgsi_dump.

In: tokens or a parsed stream.  Out: text, which reader.py reads.  Floats have four digits behind
the point, as Mesa's; with `hexadecimal` they are their bits, and nothing is lost.  `older` writes
as Mesa of 2010 did: SUB, constants of one dimension, immediates without numbers. Counterpart of
tgsi_dump.c.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from pydri.pipe.format import FORMATS
from pydri.tgsi.tokens import enums
from pydri.tgsi.tokens.enums import COMPONENTS, word
from pydri.tgsi.tokens.iterate import Iterator, iterate
from pydri.tgsi.tokens.parse import Declaration, Immediate, Instruction, Property, Stream
from pydri.tgsi.tokens.registers import Dim, Dst, Ind, Src

#: opcodes whose label is printed
_LABELLED = ("IF", "UIF", "ELSE", "BGNLOOP", "ENDLOOP", "CAL", "BGNSUB")


def format_name(number: int) -> str:
    """util_format_name, of the numbers of pydri/pipe/format.py."""
    return f"PIPE_FORMAT_{FORMATS[number].name if number < len(FORMATS) else '???'}"


def fixed(value: float, width: int, digits: int) -> str:
    """C's %*.*f."""
    text = f"{value:.{digits}f}"
    minus = "-" if value != value and math.copysign(1, value) < 0 else ""  # C tells NaNs' signs
    return (minus + text).rjust(width)


def float_of(bits: int) -> float:
    """The single of 32 bits."""
    found: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return found


def writemask(mask: int) -> str:
    """The components of a mask, nothing for all of them."""
    if mask == enums.WRITEMASK_XYZW:
        return ""
    return "." + "".join(c for n, c in enumerate(COMPONENTS) if mask >> n & 1)


def _signed(value: int) -> str:
    return str(value - (1 << 32) if value >> 31 else value)


def _bracket(index: int, ind: Ind | None) -> str:
    if ind is None:
        return f"[{index}]"
    inner = f"{word(enums.FILES, ind.file)}[{ind.number}].{COMPONENTS[ind.swizzle]}"
    plus = "" if index == 0 else f"{index:+d}"
    array = f"({ind.array_id})" if ind.array_id else ""
    return f"[{inner}{plus}]{array}"


def _register(file: int, index: int, ind: Ind | None, dim: Dim | None) -> str:
    outer = "" if dim is None else _bracket(dim.number, dim.indirect)
    return word(enums.FILES, file) + outer + _bracket(index, ind)


def dst_text(dst: Dst) -> str:
    """A destination."""
    return _register(dst.file, dst.number, dst.ind, dst.dim) + writemask(dst.mask)


def src_text(src: Src) -> str:
    """A source."""
    text = _register(src.file, src.number, src.ind, src.dim)
    if src.swz != (0, 1, 2, 3):
        text += "." + "".join(COMPONENTS[n] for n in src.swz)
    bar = "|" if src.absolute else ""
    return ("-" if src.negated else "") + bar + text + bar


def _immediate_values(imm: Immediate, hexadecimal: bool) -> list[str]:
    values = imm.values
    if imm.type in (enums.IMM_FLOAT64, enums.IMM_INT64, enums.IMM_UINT64):
        kind = {enums.IMM_FLOAT64: "d", enums.IMM_INT64: "q", enums.IMM_UINT64: "Q"}[imm.type]
        even = [*values, 0][: (len(values) + 1) // 2 * 2]
        wide = struct.unpack(f"<{len(even) // 2}{kind}", struct.pack(f"<{len(even)}I", *even))
        return [fixed(v, 10, 8) if kind == "d" else str(v) for v in wide]
    if imm.type == enums.IMM_FLOAT32:
        if hexadecimal:
            return [f"0x{v:08x}" for v in values]
        return [fixed(float_of(v), 10, 4) for v in values]
    return [_signed(v) if imm.type == enums.IMM_INT32 else str(v) for v in values]


class _Dump(Iterator):
    def __init__(self, hexadecimal: bool, older: bool) -> None:
        super().__init__()
        self.hexadecimal, self.older = hexadecimal, older
        self.lines: list[str] = []
        self.instructions = self.immediates = self.indent = 0

    def prolog(self) -> None:
        self.lines.append(word(enums.PROCESSORS, self.processor))

    def implied(self, decl: Declaration) -> bool:
        """Whether there is one for each vertex: the first dimension is not declared."""
        patch = decl.semantic is not None and decl.semantic.name in enums.PATCH_SEMANTICS
        if decl.file == enums.FILE_INPUT:
            tess = self.processor in (enums.TESS_CTRL, enums.TESS_EVAL) and not patch
            return self.processor == enums.GEOMETRY or tess
        return decl.file == enums.FILE_OUTPUT and not patch and self.processor == enums.TESS_CTRL

    def declaration(self, decl: Declaration) -> None:
        text = f"DCL {word(enums.FILES, decl.file)}"
        text += "[]" if self.implied(decl) else ""
        one = self.older and decl.file == enums.FILE_CONSTANT and not decl.dim
        text += "" if decl.dim is None or one else f"[{decl.dim}]"
        last = "" if decl.first == decl.last else f"..{decl.last}"
        text += f"[{decl.first}{last}]{writemask(decl.mask)}"
        parts = [text]
        if decl.array is not None:
            parts.append(f"ARRAY({decl.array})")
        if decl.local:
            parts.append("LOCAL")
        parts += self.semantic(decl)
        parts += self.resource(decl)
        if decl.interp is not None:
            if self.processor == enums.FRAGMENT and decl.file == enums.FILE_INPUT:
                parts.append(word(enums.INTERPOLATE, decl.interp.mode))
            if decl.interp.location != enums.LOC_CENTER:
                parts.append(word(enums.LOCATIONS, decl.interp.location))
        if decl.invariant:
            parts.append("INVARIANT")
        self.lines.append(", ".join(parts))

    @staticmethod
    def semantic(decl: Declaration) -> list[str]:
        semantic = decl.semantic
        if semantic is None:
            return []
        text = word(enums.SEMANTICS, semantic.name)
        always = (enums.SEMANTIC_TEXCOORD, enums.SEMANTIC_GENERIC)
        if semantic.number or semantic.name in always:
            text += f"[{semantic.number}]"
        if any(semantic.streams):
            return [text, f"STREAM({', '.join(map(str, semantic.streams))})"]
        return [text]

    @staticmethod
    def resource(decl: Declaration) -> list[str]:
        """Images, buffers, memory, sampler views."""
        if decl.image is not None:
            image = decl.image
            parts = [word(enums.TEXTURES, image.resource), format_name(image.format)]
            return parts + ["WR"] * image.writable + ["RAW"] * image.raw
        if decl.file == enums.FILE_BUFFER:
            return ["ATOMIC"] * decl.atomic
        if decl.file == enums.FILE_MEMORY:
            return [word(enums.MEMORY_TYPES, decl.memory)]
        if decl.view is not None:
            types = decl.view.types if len(set(decl.view.types)) > 1 else decl.view.types[:1]
            names = [word(enums.RETURN_TYPES, number) for number in types]
            return [word(enums.TEXTURES, decl.view.resource), *names]
        return []

    def property(self, prop: Property) -> None:
        words = enums.PROPERTY_WORDS.get(prop.name)
        values = [word(words, v) if words else _signed(v) for v in prop.values]
        text = f"PROPERTY {word(enums.PROPERTIES, prop.name)}"
        self.lines.append(text + (" " + ", ".join(values) if values else ""))

    def immediate(self, imm: Immediate) -> None:
        values = ", ".join(_immediate_values(imm, self.hexadecimal))
        number = "" if self.older else f"[{self.immediates}]"
        self.lines.append(f"IMM{number} {word(enums.IMMEDIATES, imm.type)} {{{values}}}")
        self.immediates += 1

    def instruction(self, instr: Instruction) -> None:
        op = instr.op
        name, width = op.name, 3
        if self.older:
            name, instr = _older(instr)
            width = 0
        self.indent -= op.pre_dedent
        text = f"{self.instructions:{width}d}: " + "  " * max(self.indent, 0) + name
        self.indent += op.post_indent
        self.instructions += 1
        text += "_SAT" if instr.saturate else ""
        text += "_PRECISE" if instr.precise else ""
        operands = [*map(dst_text, instr.dsts), *map(src_text, instr.srcs)]
        text += " " + ", ".join(operands) if operands else ""
        self.lines.append(text + self.extensions(instr))

    @staticmethod
    def extensions(instr: Instruction) -> str:
        parts = []
        if instr.texture is not None:
            if not 145 <= instr.op.number <= 153:  # SAMPLE to GATHER4: the view knows its target
                parts.append(word(enums.TEXTURES, instr.texture.target))
            for file, index, swizzle in instr.texture.offsets:
                picks = "".join(COMPONENTS[n] for n in swizzle)
                parts.append(f"{word(enums.FILES, file)}[{index}].{picks}")
        if instr.memory is not None:
            qualifier, texture, format = instr.memory
            parts += [w for n, w in enumerate(enums.MEMORY_QUALIFIERS) if qualifier >> n & 1]
            parts += [word(enums.TEXTURES, texture)] if texture else []
            parts += [format_name(format)] if format else []
        text = "".join(f", {part}" for part in parts)
        if instr.label is not None and instr.op.name in _LABELLED:
            text += f" :{instr.label}"
        return text


def _older(instr: Instruction) -> tuple[str, Instruction]:
    """An instruction as it was written in 2010: ADD of what is negated is SUB."""
    srcs = [
        src._replace(dim=None) if src.file == enums.FILE_CONSTANT and src.dim == Dim(0) else src
        for src in instr.srcs
    ]
    name = instr.op.name
    if name == "ADD" and srcs[1].negated and not srcs[0].negated:
        name, srcs[1] = "SUB", srcs[1].negate()
    return name, instr._replace(srcs=tuple(srcs))


def dump(shader: Stream | Sequence[int], hexadecimal: bool = False, older: bool = False) -> str:
    """The text of a shader."""
    iterator = _Dump(hexadecimal, older)
    iterate(shader, iterator)
    return "\n".join(iterator.lines) + "\n"
