# SPDX-License-Identifier: MIT
"""Whether a stream makes sense: registers declared, operands as many as opcodes want, one END.

In: tokens or a parsed stream.  Out: `Report` with errors and warnings, each with the place of its
item; `check` raises SanityError for the first error.  Beyond Mesa's, structures must nest (IF,
loops, SWITCH, subroutines), numbers must be ones that there are, and a declaration's range is not
walked register by register, so that none takes long.  Counterpart of tgsi_sanity.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydri.tgsi.tokens import enums
from pydri.tgsi.tokens.enums import word
from pydri.tgsi.tokens.iterate import Iterator, iterate
from pydri.tgsi.tokens.parse import Declaration, Immediate, Instruction, Property, Stream
from pydri.tgsi.tokens.registers import Dim, Dst, Ind, Src

#: what opens, what may stand between at its own level, what closes
STRUCTURES = {
    "IF": (("ELSE",), "ENDIF"), "UIF": (("ELSE",), "ENDIF"), "BGNLOOP": ((), "ENDLOOP"),
    "SWITCH": (("CASE", "DEFAULT"), "ENDSWITCH"), "BGNSUB": ((), "ENDSUB"),
}  # fmt: skip
_CLOSES = {close for _, close in STRUCTURES.values()}
_WITHIN = {name for middle, _ in STRUCTURES.values() for name in middle}
_UNWRITABLE = (
    enums.FILE_CONSTANT, enums.FILE_SAMPLER, enums.FILE_SAMPLER_VIEW, enums.FILE_IMMEDIATE,
    enums.FILE_CONSTBUF, enums.FILE_SYSTEM_VALUE, enums.FILE_INPUT,
)  # fmt: skip
_PATCH_VERTICES = 32


class SanityError(ValueError):
    """A stream that makes no sense; `item` counts its items from 0."""

    def __init__(self, message: str, item: int) -> None:
        super().__init__(f"{message} (item {item})")
        self.item = item


class Report(NamedTuple):
    """(item, message) of what was found."""

    errors: list[tuple[int, str]]
    warnings: list[tuple[int, str]]


class _Ranges:
    """Declared registers of one file, by dimension (None: there is none)."""

    def __init__(self) -> None:
        self.spans: dict[int | None, list[tuple[int, int]]] = {}
        self.used: dict[int | None, set[int]] = {}
        self.indirect = False
        self.by_vertex = 0  # any dimension below this number stands for None

    def add(self, dim: int | None, first: int, last: int) -> bool:
        """Declare; False if one of them has been."""
        spans = self.spans.setdefault(dim, [])
        fresh = all(last < low or high < first for low, high in spans)
        spans.append((first, last))
        return fresh

    def use(self, dim: int | None, index: int) -> bool:
        """Mark as used; False if it was not declared."""
        if self.by_vertex and dim is not None and 0 <= dim < self.by_vertex:
            dim = None
        self.used.setdefault(dim, set()).add(index)
        spans = self.spans.get(dim, ())
        return any(low <= index <= high for low, high in spans)


class _Sanity(Iterator):
    def __init__(self) -> None:
        super().__init__()
        self.report = Report([], [])
        self.item = -1
        self.files: dict[int, _Ranges] = {}
        self.places: dict[tuple[int, int | None, int, int], int] = {}
        self.immediates = self.instructions = self.ends = 0
        self.open: list[str] = []
        self.vertices_in = self.vertices_out = 0
        self.ended = False  # behind END only subroutines may stand

    def error(self, message: str) -> None:
        self.report.errors.append((self.item, message))

    def prolog(self) -> None:
        if self.processor in (enums.TESS_CTRL, enums.TESS_EVAL):
            self.vertices_in = _PATCH_VERTICES

    def file(self, number: int) -> _Ranges | None:
        """The registers of a file, None (and an error) for what is no file."""
        if not enums.FILE_NULL < number < len(enums.FILES):
            self.error(f"({number}): Invalid register file name")
            return None
        return self.files.setdefault(number, _Ranges())

    # ---- declarations
    def declaration(self, decl: Declaration) -> None:
        self.item += 1
        if self.instructions:
            self.error("Instruction expected but declaration found")
        file = self.file(decl.file)
        if file is None:
            return
        name = word(enums.FILES, decl.file)
        if decl.last < decl.first:
            self.error(f"{name}[{decl.first}..{decl.last}]: Empty range")
        patch = decl.semantic is not None and decl.semantic.name in enums.PATCH_SEMANTICS
        if decl.file == enums.FILE_INPUT and not patch:
            file.by_vertex = self.vertices_in
        elif decl.file == enums.FILE_OUTPUT and not patch:
            file.by_vertex = self.vertices_out
        if not file.add(decl.dim, decl.first, decl.last):
            self.error(f"{name}[{decl.first}]: The same register declared more than once")
        self.places[decl.file, decl.dim, decl.first, decl.last] = self.item
        self.numbers(decl)

    def numbers(self, decl: Declaration) -> None:
        """Enumerations that a declaration names."""
        types = decl.view.types if decl.view else ()
        for words, number, what in (
            (enums.SEMANTICS, decl.semantic and decl.semantic.name, "semantic"),
            (enums.INTERPOLATE, decl.interp and decl.interp.mode, "interpolation"),
            (enums.LOCATIONS, decl.interp and decl.interp.location, "location"),
            (enums.TEXTURES, decl.image and decl.image.resource, "texture target"),
            (enums.TEXTURES, decl.view and decl.view.resource, "texture target"),
            *((enums.RETURN_TYPES, kind, "type") for kind in types),
        ):
            if number is not None and number >= len(words):
                self.error(f"({number}): Invalid {what}")

    def immediate(self, imm: Immediate) -> None:
        self.item += 1
        if self.instructions:
            self.error("Instruction expected but immediate found")
        file = self.file(enums.FILE_IMMEDIATE)
        assert file is not None
        file.add(None, self.immediates, self.immediates)
        self.places[enums.FILE_IMMEDIATE, None, self.immediates, self.immediates] = self.item
        self.immediates += 1
        if imm.type >= len(enums.IMMEDIATES):
            self.error(f"({imm.type}): Invalid immediate data type")

    def property(self, prop: Property) -> None:
        self.item += 1
        if prop.name >= len(enums.PROPERTIES):
            self.error(f"({prop.name}): Invalid property")
            return
        words = enums.PROPERTY_WORDS.get(prop.name)
        if not prop.values:
            self.error(f"{enums.PROPERTIES[prop.name]}: Property without a value")
        elif words and prop.values[0] >= len(words):
            self.error(f"({prop.values[0]}): Invalid value of {enums.PROPERTIES[prop.name]}")
        elif self.processor == enums.GEOMETRY and prop.name == enums.PROPERTY_GS_INPUT_PRIM:
            self.vertices_in = enums.PRIMITIVE_VERTICES[prop.values[0]]
        elif self.processor == enums.TESS_CTRL and prop.name == enums.PROPERTY_TCS_VERTICES_OUT:
            self.vertices_out = prop.values[0]

    # ---- instructions
    def instruction(self, instr: Instruction) -> None:
        self.item += 1
        op = instr.op
        if op.name == "END":
            self.ends += 1
            if self.ends > 1:
                self.error("Too many END instructions")
        if len(instr.dsts) != op.num_dst:
            self.error(f"{op.name}: Invalid number of destination operands, should be {op.num_dst}")
        if len(instr.srcs) != op.num_src:
            self.error(f"{op.name}: Invalid number of source operands, should be {op.num_src}")
        for dst in instr.dsts:
            self.destination(dst)
        for src in instr.srcs:
            self.register(src, "source")
        if instr.texture is not None:
            if instr.texture.target >= len(enums.TEXTURES):
                self.error(f"({instr.texture.target}): Invalid texture target")
            for offset in instr.texture.offsets:
                self.register(Src(offset.file, offset.number), "texture offset")
        elif op.is_tex:
            self.error(f"{op.name}: Texture target expected")
        self.structure(op.name)
        self.instructions += 1

    def destination(self, dst: Dst) -> None:
        if dst.file in _UNWRITABLE:
            self.error(f"{word(enums.FILES, dst.file)}[{dst.number}]: Register cannot be written")
        self.register(dst, "destination")
        if not dst.mask:
            self.error("Destination register has empty writemask")

    def register(self, register: Src | Dst, what: str) -> None:
        file = self.file(register.file)
        if file is None:
            return
        if register.file == enums.FILE_CONSTBUF:  # declared by its vectors
            constants = self.files.get(enums.FILE_CONSTANT, file)
            if register.number not in constants.spans:
                self.error(f"CONSTBUF[{register.number}]: Undeclared {what} register")
            constants.indirect = True
            return
        name = word(enums.FILES, register.file)
        dim: Dim | None = register.dim
        for ind in (register.ind, dim.indirect if dim else None):
            self.address(ind)
        if register.ind is not None or (dim is not None and dim.indirect is not None):
            file.indirect = True
            if not file.spans:
                self.error(f"{name}: Undeclared {what} register")
            return
        if not file.use(dim.number if dim else None, register.number):
            outer = f"[{dim.number}]" if dim else ""
            self.error(f"{name}{outer}[{register.number}]: Undeclared {what} register")

    def address(self, ind: Ind | None) -> None:
        """The register that an index is taken from."""
        if ind is None:
            return
        file = self.file(ind.file)
        if file is not None and not file.use(None, ind.number):
            self.error(f"{word(enums.FILES, ind.file)}[{ind.number}]: Undeclared indirect register")

    def structure(self, name: str) -> None:
        """IF, loops and the rest nest."""
        if name in STRUCTURES:
            self.open.append(name)
        elif name in _CLOSES or name in _WITHIN:
            middle, close = STRUCTURES.get(self.open[-1] if self.open else "", ((), ""))
            if name not in (*middle, close):
                self.error(f"{name}: Nothing is open that this belongs to")
            elif name == "ELSE":
                self.open[-1] = "_ELSE"
            elif name == close:
                self.open.pop()
        elif name in ("BRK", "CONT"):
            wanted = ("BGNLOOP", "SWITCH") if name == "BRK" else ("BGNLOOP",)
            if not any(o in wanted for o in self.open):
                self.error(f"{name}: Outside of a loop")

    def epilog(self) -> None:
        self.item += 1
        if self.open:
            self.error(f"{self.open[-1].removeprefix('_')}: Not closed")
        if not self.ends:
            self.error("Missing END instruction")
        for (number, dim, first, last), item in self.places.items():
            file = self.files[number]
            used = file.used.get(dim, set())
            if not file.indirect and not any(first <= index <= last for index in used):
                text = f"{word(enums.FILES, number)}[{first}]: Register never used"
                self.report.warnings.append((item, text))


STRUCTURES["_ELSE"] = ((), "ENDIF")


def sanity(shader: Stream | Sequence[int]) -> Report:
    """All errors and warnings."""
    iterator = _Sanity()
    iterate(shader, iterator)
    return iterator.report


def check(shader: Stream | Sequence[int]) -> None:
    """Raise the first error, if there is one."""
    report = sanity(shader)
    if report.errors:
        item, message = report.errors[0]
        raise SanityError(message, item)
