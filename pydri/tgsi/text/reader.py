# SPDX-License-Identifier: MIT
"""Text to tokens.

In: text as tgsi_dump writes it (comments do not exist; letters of either case, blanks anywhere).
Out: a `Stream` that has been checked by sanity.py, or TextError with line and column.  Stricter
than Mesa's in one thing: what follows a declaration and is no part of one is an error.  Floats may
be given as eight hexadecimal digits, which are their bits (as in virglrenderer), and SUB and ABS of
older texts are read as what replaced them.  Counterpart of
tgsi_text.c.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from pydri.pipe.format import FORMATS
from pydri.tgsi.text.lexer import Cursor, TextError
from pydri.tgsi.tokens import enums
from pydri.tgsi.tokens.layout import FieldError
from pydri.tgsi.tokens.opcodes import BY_NAME, Opcode
from pydri.tgsi.tokens.parse import (
    Declaration,
    ImageInfo,
    Immediate,
    Instruction,
    Interp,
    Item,
    Memory,
    Property,
    Semantic,
    Stream,
    TexInfo,
    ViewInfo,
    item_tokens,
)
from pydri.tgsi.tokens.registers import Dim, Dst, Ind, Src, TexOffset

_SUFFIXES = ("_SAT", "_PRECISE")
#: opcodes with an access of memory behind their operands
_MEMORY = ("RESQ", "LOAD", "STORE", "IMG2HND", "ATOMFADD", "ATOMINC_WRAP", "ATOMDEC_WRAP")
#: opcodes of older texts: what they are now, and what becomes of their last source
_OLDER: Final[dict[str, tuple[str, Callable[[Src], Src]]]] = {
    "SUB": ("ADD", Src.negate), "ABS": ("MOV", Src.abs),
}  # fmt: skip
#: patches of tessellation shaders have so many vertices at most
_PATCH_VERTICES = 32


def _format(name: str) -> int:
    """The number of a format's printed name, 0 for what is none."""
    plain = name.upper().removeprefix("PIPE_FORMAT_")
    return next((row.number for row in FORMATS if row.name.upper() == plain), 0)


class _Parser:
    def __init__(self, text: str) -> None:
        self.cur = Cursor(text)
        self.processor = 0
        self.implied = 0  # vertices of what an input has one of for each
        self.items: list[Item] = []
        self.immediates = 0
        self.older: tuple[str, Callable[[Src], Src]] | None = None

    def shader(self) -> Stream:
        cur = self.cur
        self.processor = cur.one_of(enums.PROCESSORS, "a processor such as FRAG")
        if self.processor in (enums.TESS_CTRL, enums.TESS_EVAL):
            self.implied = _PATCH_VERTICES
        lines: dict[str, Callable[[], Item]] = {
            "DCL": self.declaration, "IMM": self.immediate, "PROPERTY": self.property,
        }  # fmt: skip
        while not cur.at_end():
            at = cur.place()
            if cur.number_next():
                cur.unsigned()
                cur.expect(":")
                item: Item = self.instruction()
            else:
                name = cur.peek_word()
                item = lines[name]() if name in lines else self.instruction()
            self.check(item, at)
            self.items.append(item)
        return Stream(self.processor, tuple(self.items))

    def check(self, item: Item, at: int) -> None:
        """Every number must fit into its bits."""
        try:
            item_tokens(item)
        except FieldError as error:
            raise self.cur.error(str(error), at) from None

    # ---- registers
    def file(self) -> int:
        return self.cur.one_of(enums.FILES, "a register file")

    def bracket(self) -> tuple[int, Ind | None]:
        """What stands in brackets: a number, or a register's component and perhaps a number."""
        cur = self.cur
        cur.expect("[")
        if cur.number_next():
            index = cur.unsigned()
            cur.expect("]")
            return index, None
        file = self.file()
        cur.expect("[")
        number = cur.unsigned()
        cur.expect("]")
        swizzle = cur.components(1)[0] if cur.accept(".") else 0
        index = cur.signed() if cur.next_is("+-") else 0
        cur.expect("]")
        array = 0
        if cur.accept("("):
            array = cur.unsigned()
            cur.expect(")")
        return index, Ind(file, number, swizzle, array)

    def place(self) -> tuple[int, int, Ind | None, Dim | None]:
        """File, index, indirection and dimension of an operand."""
        file = self.file()
        index, ind = self.bracket()
        if not self.cur.next_is("["):
            return file, index, ind, None
        dim = Dim(index, ind)
        index, ind = self.bracket()
        return file, index, ind, dim

    def mask(self) -> int:
        return self.cur.writemask() if self.cur.accept(".") else enums.WRITEMASK_XYZW

    def dst(self) -> Dst:
        file, index, ind, dim = self.place()
        return Dst(file, index, self.mask(), ind, dim)

    def src(self) -> Src:
        cur = self.cur
        negated = cur.accept("-")
        absolute = cur.accept("|")
        file, index, ind, dim = self.place()
        x, y, z, w = cur.components(4) if cur.accept(".") else (0, 1, 2, 3)
        if absolute:
            cur.expect("|")
        return Src(file, index, (x, y, z, w), negated, absolute, ind, dim)

    # ---- instructions
    def opcode(self) -> tuple[Opcode, bool, bool]:
        at = self.cur.place()
        name = self.cur.word("an opcode, DCL, IMM, PROPERTY or a label")
        flags = {}
        for suffix in reversed(_SUFFIXES):
            flags[suffix] = name not in BY_NAME and name.endswith(suffix)
            name = name.removesuffix(suffix) if flags[suffix] else name
        self.older = _OLDER.get(name)
        name = self.older[0] if self.older else name
        if name not in BY_NAME:
            raise self.cur.error(f"{name} is no opcode", at)
        return BY_NAME[name], flags["_SAT"], flags["_PRECISE"]

    def instruction(self) -> Instruction:
        cur = self.cur
        op, saturate, precise = self.opcode()
        operands: list[Dst | Src] = []
        for n in range(op.num_dst + op.num_src):
            if n:
                cur.expect(",")
            operands.append(self.dst() if n < op.num_dst else self.src())
        texture = self.texture(op)
        memory = None
        if op.name in _MEMORY or 167 <= op.number <= 176:
            memory = self.memory()
        label = None
        if op.is_branch and cur.accept(":"):
            label = cur.unsigned()
        dsts = tuple(o for o in operands if isinstance(o, Dst))
        srcs = tuple(o for o in operands if isinstance(o, Src))
        if self.older:
            srcs = (*srcs[:-1], self.older[1](srcs[-1]))
        return Instruction(op, dsts, srcs, saturate, precise, label, texture, memory)

    def texture(self, op: Opcode) -> TexInfo | None:
        """Target and offsets; SAMPLE to GATHER4 have offsets alone."""
        cur = self.cur
        sample = 145 <= op.number <= 153
        if not op.is_tex and not sample:
            return None
        target = enums.TEXTURE_UNKNOWN
        if op.is_tex:
            cur.expect(",")
            target = cur.one_of(enums.TEXTURES, "a texture target")
        offsets: list[TexOffset] = []
        while len(offsets) < 4 and cur.accept(","):
            file = self.file()
            index, _ = self.bracket()
            x, y, z = cur.components(3) if cur.accept(".") else (0, 1, 2)
            offsets.append(TexOffset(file, index, (x, y, z)))
        return TexInfo(target, 0, tuple(offsets))

    def memory(self) -> Memory:
        qualifier = texture = format = 0
        while self.cur.accept(","):
            at = self.cur.place()
            name = self.cur.word("a memory qualifier, a texture target or a format")
            if name in enums.MEMORY_QUALIFIERS:
                qualifier |= 1 << enums.MEMORY_QUALIFIERS.index(name)
            elif name in enums.TEXTURES:
                texture = enums.TEXTURES.index(name)
            elif _format(name):
                format = _format(name)
            else:
                raise self.cur.error(f"{name} is no qualifier, target or format", at)
        return Memory(qualifier, texture, format)

    # ---- declarations
    def range(self) -> tuple[int, int]:
        cur = self.cur
        cur.expect("[")
        if self.implied and cur.accept("]"):
            return 0, self.implied - 1
        at = cur.place()
        first = cur.unsigned()
        last = cur.unsigned() if cur.accept("..") else first
        if last < first:
            raise cur.error(f"a range from {first} to {last}", at)
        cur.expect("]")
        return first, last

    def by_vertex(self, file: int) -> bool:
        """Whether the first bracket counts vertices, which nobody declares."""
        if file == enums.FILE_INPUT:
            return self.processor in (enums.GEOMETRY, enums.TESS_CTRL, enums.TESS_EVAL)
        return file == enums.FILE_OUTPUT and self.processor == enums.TESS_CTRL

    def declaration(self) -> Declaration:
        cur = self.cur
        cur.word("DCL")
        file = self.file()
        first, last = self.range()
        dim = None
        if cur.next_is("["):
            dim = None if self.by_vertex(file) else first
            first, last = self.range()
        decl = Declaration(file, first, last, self.mask(), dim)
        if file == enums.FILE_IMAGE:
            return decl._replace(image=self.image())
        if file == enums.FILE_SAMPLER_VIEW:
            return decl._replace(view=self.view())
        while cur.accept(","):
            decl = self.attribute(decl)
        return decl

    def attribute(self, decl: Declaration) -> Declaration:
        """One of the words behind a declared range."""
        cur, at = self.cur, self.cur.place()
        name = cur.word("a semantic, an interpolation, ARRAY, LOCAL or INVARIANT")
        if name == "ARRAY":
            cur.expect("(")
            array = cur.unsigned()
            cur.expect(")")
            return decl._replace(array=array)
        if name == "LOCAL":
            return decl._replace(local=True)
        if name == "INVARIANT":
            return decl._replace(invariant=True)
        if name == "STREAM" and decl.semantic is not None:
            return decl._replace(semantic=decl.semantic._replace(streams=self.streams()))
        if decl.file == enums.FILE_BUFFER and name == "ATOMIC":
            return decl._replace(atomic=True)
        if decl.file == enums.FILE_MEMORY and name in enums.MEMORY_TYPES:
            return decl._replace(memory=enums.MEMORY_TYPES.index(name))
        if name in enums.SEMANTICS and decl.semantic is None:
            index = 0
            if cur.accept("["):
                index = cur.unsigned()
                cur.expect("]")
            return decl._replace(semantic=Semantic(enums.SEMANTICS.index(name), index))
        if name in enums.INTERPOLATE:
            return decl._replace(interp=Interp(enums.INTERPOLATE.index(name)))
        if name in enums.LOCATIONS:
            interp = decl.interp or Interp(enums.INTERPOLATE_CONSTANT)
            return decl._replace(interp=interp._replace(location=enums.LOCATIONS.index(name)))
        raise cur.error(f"{name} belongs to no declaration of {enums.FILES[decl.file]}", at)

    def streams(self) -> tuple[int, int, int, int]:
        cur = self.cur
        cur.expect("(")
        found = []
        for n in range(4):
            if n:
                cur.expect(",")
            found.append(cur.unsigned())
        cur.expect(")")
        return found[0], found[1], found[2], found[3]

    def image(self) -> ImageInfo:
        cur = self.cur
        cur.expect(",")
        image = ImageInfo(cur.one_of(enums.TEXTURES, "a texture target"))
        while cur.accept(","):
            at = cur.place()
            name = cur.word("a format, WR or RAW")
            if name == "WR":
                image = image._replace(writable=True)
            elif name == "RAW":
                image = image._replace(raw=True)
            elif _format(name) or name == "PIPE_FORMAT_NONE":
                image = image._replace(format=_format(name))
            else:
                raise cur.error(f"{name} is no format", at)
        return image

    def view(self) -> ViewInfo:
        cur = self.cur
        cur.expect(",")
        target = cur.one_of(enums.TEXTURES, "a texture target")
        at, types = cur.place(), []
        while cur.accept(","):
            types.append(cur.one_of(enums.RETURN_TYPES, "a type"))
        if len(types) not in (1, 4):
            raise cur.error("one type or four", at)
        x, y, z, w = types * 4 if len(types) == 1 else types
        return ViewInfo(target, (x, y, z, w))

    # ---- immediates and properties
    def immediate(self) -> Immediate:
        cur = self.cur
        cur.word("IMM")
        if cur.accept("["):
            at = cur.place()
            if cur.unsigned() != self.immediates:
                raise cur.error("immediates must be in order", at)
            cur.expect("]")
        kind = cur.one_of(enums.IMMEDIATES, "a type of immediate")
        cur.expect("{")
        values: list[int] = []
        while len(values) < 4:
            if values:
                cur.expect(",")
            values += self.constant(kind)
        cur.expect("}")
        self.immediates += 1
        return Immediate(kind, tuple(values))

    def constant(self, kind: int) -> tuple[int, ...]:
        """A number's words."""
        cur = self.cur
        if kind == enums.IMM_FLOAT32:
            return (cur.single(),)
        if kind == enums.IMM_UINT32:
            return (cur.unsigned() & 0xFFFFFFFF,)
        if kind == enums.IMM_INT32:
            return (cur.signed() & 0xFFFFFFFF,)
        if kind == enums.IMM_FLOAT64:
            return struct.unpack("<2I", struct.pack("<d", cur.double()))
        wide = cur.signed() & 0xFFFFFFFFFFFFFFFF
        return wide & 0xFFFFFFFF, wide >> 32

    def property(self) -> Property:
        cur = self.cur
        cur.word("PROPERTY")
        name = cur.one_of(enums.PROPERTIES, "a property")
        words = enums.PROPERTY_WORDS.get(name)
        value = cur.one_of(words, f"one of {', '.join(words)}") if words else cur.signed()
        if name == enums.PROPERTY_GS_INPUT_PRIM and self.processor == enums.GEOMETRY:
            self.implied = enums.PRIMITIVE_VERTICES[value]
        return Property(name, (value & 0xFFFFFFFF,))


def read(text: str) -> Stream:
    """The stream of a text, whatever it says."""
    return _Parser(text).shader()


def translate(text: str) -> Stream:
    """The stream of a text that makes sense (tgsi_text_translate)."""
    from pydri.tgsi.tokens.sanity import check

    stream = read(text)
    check(stream)
    return stream


__all__ = ["TextError", "read", "translate"]
