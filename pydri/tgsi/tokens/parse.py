# SPDX-License-Identifier: MIT
"""Token streams to declarations, immediates, properties and instructions, and back.

In: a sequence of 32-bit words.  Out: a `Stream`; `build` gives the words again.  What a token is
followed by is said by its flags, as in Mesa: NrTokens of ureg's declarations of arrays is too
small by one, since tgsi_ureg.c does not count the array's token.  Anything that is no stream raises
TokenError, which names the word.  Counterpart of tgsi_parse.c and tgsi_build.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pydri.tgsi.tokens import enums
from pydri.tgsi.tokens.layout import pack, unpack
from pydri.tgsi.tokens.opcodes import OPCODES, Opcode
from pydri.tgsi.tokens.registers import Dim, Dst, Ind, Src, TexOffset


class TokenError(ValueError):
    """Words that are no stream of tokens; `position` is the word's number."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} (token {position})")
        self.position = position


class Semantic(NamedTuple):
    """What an input, output or system value is."""

    name: int
    number: int = 0
    streams: tuple[int, int, int, int] = (0, 0, 0, 0)


class Interp(NamedTuple):
    """How an input is interpolated."""

    mode: int
    location: int = 0
    cylindrical_wrap: int = 0


class ImageInfo(NamedTuple):
    """An image's declaration."""

    resource: int
    format: int = 0
    writable: bool = False
    raw: bool = False


class ViewInfo(NamedTuple):
    """A sampler view's declaration."""

    resource: int
    types: tuple[int, int, int, int]


class Declaration(NamedTuple):
    """Registers first..last of a file (tgsi_full_declaration)."""

    file: int
    first: int = 0
    last: int = 0
    mask: int = enums.WRITEMASK_XYZW
    dim: int | None = None
    interp: Interp | None = None
    semantic: Semantic | None = None
    image: ImageInfo | None = None
    view: ViewInfo | None = None
    array: int | None = None
    invariant: bool = False
    local: bool = False
    atomic: bool = False
    memory: int = 0
    value_type: int = 0


class Immediate(NamedTuple):
    """Constants; their 32-bit words (tgsi_full_immediate)."""

    type: int
    values: tuple[int, ...]


class Property(NamedTuple):
    """A property and its words (tgsi_full_property)."""

    name: int
    values: tuple[int, ...]


class Memory(NamedTuple):
    """How memory is accessed (tgsi_instruction_memory)."""

    qualifier: int = 0
    texture: int = 0
    format: int = 0


class TexInfo(NamedTuple):
    """What a texture instruction says besides its operands (tgsi_instruction_texture)."""

    target: int
    return_type: int = 0
    offsets: tuple[TexOffset, ...] = ()


class Instruction(NamedTuple):
    """tgsi_full_instruction."""

    op: Opcode
    dsts: tuple[Dst, ...] = ()
    srcs: tuple[Src, ...] = ()
    saturate: bool = False
    precise: bool = False
    label: int | None = None
    texture: TexInfo | None = None
    memory: Memory | None = None


Item = Declaration | Immediate | Property | Instruction


class Stream(NamedTuple):
    """A whole shader."""

    processor: int
    items: tuple[Item, ...]

    @property
    def declarations(self) -> list[Declaration]:
        """In their order."""
        return [item for item in self.items if isinstance(item, Declaration)]

    @property
    def immediates(self) -> list[Immediate]:
        """In their order, which is their number."""
        return [item for item in self.items if isinstance(item, Immediate)]

    @property
    def instructions(self) -> list[Instruction]:
        """In their order."""
        return [item for item in self.items if isinstance(item, Instruction)]

    def place(self, instr: Instruction | None) -> str:
        """" (instruction 3)": where an instruction of this stream stands, for messages."""
        at = next((n for n, item in enumerate(self.instructions) if item is instr), None)
        return "" if at is None else f" (instruction {at})"

    @property
    def properties(self) -> dict[int, int]:
        """Name -> first word."""
        return {
            item.name: item.values[0] if item.values else 0
            for item in self.items
            if isinstance(item, Property)
        }


# ---- words to items ---------------------------------------------------------------------------
class _Words:
    """A cursor over a stream."""

    def __init__(self, words: Sequence[int]) -> None:
        self.words = words
        self.at = 0
        self.end = len(words)

    def word(self) -> int:
        if self.at >= self.end:
            raise TokenError("the stream ends within an item", self.at)
        word = int(self.words[self.at])
        if not 0 <= word <= 0xFFFFFFFF:
            raise TokenError(f"{word} is no word of 32 bits", self.at)
        self.at += 1
        return word

    def fields(self, row: str) -> dict[str, int]:
        return unpack(row, self.word())

    def ind(self) -> Ind:
        f = self.fields("ind")
        return Ind(f["File"], f["Index"], f["Swizzle"], f["ArrayID"])

    def behind(self, f: dict[str, int]) -> tuple[Ind | None, Dim | None]:
        """The indirection and the second dimension of a register."""
        ind = self.ind() if f["Indirect"] else None
        if not f["Dimension"]:
            return ind, None
        d = self.fields("dimension")
        if d["Dimension"]:
            raise TokenError("a register has two dimensions at most", self.at - 1)
        return ind, Dim(d["Index"], self.ind() if d["Indirect"] else None)

    def dst(self) -> Dst:
        f = self.fields("dst")
        ind, dim = self.behind(f)
        return Dst(f["File"], f["Index"], f["WriteMask"], ind, dim)

    def src(self) -> Src:
        f = self.fields("src")
        ind, dim = self.behind(f)
        swizzle = (f["SwizzleX"], f["SwizzleY"], f["SwizzleZ"], f["SwizzleW"])
        return Src(
            f["File"], f["Index"], swizzle, bool(f["Negate"]), bool(f["Absolute"]), ind, dim
        )


def _declaration(words: _Words, word: int) -> Declaration:
    f = unpack("declaration", word)
    span = words.fields("range")
    dim = words.fields("dim")["Index2D"] if f["Dimension"] else None
    interp = semantic = image = view = array = None
    if f["Interpolate"]:
        i = words.fields("interp")
        interp = Interp(i["Interpolate"], i["Location"], i["CylindricalWrap"])
    if f["Semantic"]:
        s = words.fields("semantic")
        streams = (s["StreamX"], s["StreamY"], s["StreamZ"], s["StreamW"])
        semantic = Semantic(s["Name"], s["Index"], streams)
    if f["File"] == enums.FILE_IMAGE:
        i = words.fields("image")
        image = ImageInfo(i["Resource"], i["Format"], bool(i["Writable"]), bool(i["Raw"]))
    if f["File"] == enums.FILE_SAMPLER_VIEW:
        v = words.fields("sampler_view")
        types = (v["ReturnTypeX"], v["ReturnTypeY"], v["ReturnTypeZ"], v["ReturnTypeW"])
        view = ViewInfo(v["Resource"], types)
    if f["Array"]:
        array = words.fields("array")["ArrayID"]
    return Declaration(
        f["File"], span["First"], span["Last"], f["UsageMask"], dim, interp, semantic, image, view,
        array, bool(f["Invariant"]), bool(f["Local"]), bool(f["Atomic"]), f["MemType"],
        f["ValueType"],
    )  # fmt: skip


def _instruction(words: _Words, word: int) -> Instruction:
    f = unpack("instruction", word)
    op = OPCODES.get(f["Opcode"])
    if op is None:
        raise TokenError(f"opcode {f['Opcode']} is none", words.at - 1)
    label = words.fields("label")["Label"] if f["Label"] else None
    texture = memory = None
    if f["Texture"]:
        t = words.fields("texture")
        offsets = []
        for _ in range(t["NumOffsets"]):
            o = words.fields("offset")
            swizzle = (o["SwizzleX"], o["SwizzleY"], o["SwizzleZ"])
            offsets.append(TexOffset(o["File"], o["Index"], swizzle))
        texture = TexInfo(t["Texture"], t["ReturnType"], tuple(offsets))
    if f["Memory"]:
        m = words.fields("memory")
        memory = Memory(m["Qualifier"], m["Texture"], m["Format"])
    dsts = tuple(words.dst() for _ in range(f["NumDstRegs"]))
    srcs = tuple(words.src() for _ in range(f["NumSrcRegs"]))
    return Instruction(
        op, dsts, srcs, bool(f["Saturate"]), bool(f["Precise"]), label, texture, memory
    )


def _values(words: _Words, count: int) -> tuple[int, ...]:
    if count < 1:
        raise TokenError("an item without its own token", words.at - 1)
    return tuple(words.word() for _ in range(count - 1))


def _item(words: _Words) -> Item:
    word = words.word()
    kind = word & 15
    if kind == enums.TOKEN_DECLARATION:
        return _declaration(words, word)
    if kind == enums.TOKEN_INSTRUCTION:
        return _instruction(words, word)
    if kind == enums.TOKEN_IMMEDIATE:
        f = unpack("immediate", word)
        if f["NrTokens"] > 5:
            raise TokenError("an immediate of more than four words", words.at - 1)
        return Immediate(f["DataType"], _values(words, f["NrTokens"]))
    if kind == enums.TOKEN_PROPERTY:
        f = unpack("property", word)
        return Property(f["PropertyName"], _values(words, f["NrTokens"]))
    raise TokenError(f"{kind} is no type of token", words.at - 1)


def parse(tokens: Sequence[int]) -> Stream:
    """The items of a stream; words behind its end, which the header names, are not looked at."""
    words = _Words(tokens)
    header = words.fields("header")
    if header["HeaderSize"] != 2:
        raise TokenError(f"a header of {header['HeaderSize']} words", 0)
    size = header["HeaderSize"] + header["BodySize"]
    if size > words.end:
        raise TokenError(f"{size} words are announced, {words.end} are there", 0)
    words.end = size
    processor = words.fields("processor")["Processor"]
    if processor >= len(enums.PROCESSORS):
        raise TokenError(f"{processor} is no processor", 1)
    items = []
    while words.at < words.end:
        items.append(_item(words))
    return Stream(processor, tuple(items))


# ---- items to words ---------------------------------------------------------------------------
def declaration_tokens(decl: Declaration) -> list[int]:
    """The words of a declaration."""
    out = [0, pack("range", First=decl.first, Last=decl.last)]
    if decl.dim is not None:
        out.append(pack("dim", Index2D=decl.dim))
    if decl.interp is not None:
        mode, location, wrap = decl.interp
        out.append(pack("interp", Interpolate=mode, Location=location, CylindricalWrap=wrap))
    if decl.semantic is not None:
        x, y, z, w = decl.semantic.streams
        out.append(pack(
            "semantic", Name=decl.semantic.name, Index=decl.semantic.number, StreamX=x, StreamY=y,
            StreamZ=z, StreamW=w,
        ))  # fmt: skip
    if decl.file == enums.FILE_IMAGE:
        image = decl.image or ImageInfo(0)
        out.append(pack(
            "image", Resource=image.resource, Raw=image.raw, Writable=image.writable,
            Format=image.format,
        ))  # fmt: skip
    if decl.file == enums.FILE_SAMPLER_VIEW:
        view = decl.view or ViewInfo(0, (0, 0, 0, 0))
        x, y, z, w = view.types
        out.append(pack(
            "sampler_view", Resource=view.resource, ReturnTypeX=x, ReturnTypeY=y, ReturnTypeZ=z,
            ReturnTypeW=w,
        ))  # fmt: skip
    if decl.array is not None:
        out.append(pack("array", ArrayID=decl.array))
    out[0] = pack(
        "declaration", Type=enums.TOKEN_DECLARATION, NrTokens=len(out), File=decl.file,
        UsageMask=decl.mask, Dimension=decl.dim is not None, Semantic=decl.semantic is not None,
        Interpolate=decl.interp is not None, Invariant=decl.invariant, Local=decl.local,
        Array=decl.array is not None, Atomic=decl.atomic, MemType=decl.memory,
        ValueType=decl.value_type,
    )  # fmt: skip
    return out


def instruction_tokens(instr: Instruction) -> list[int]:
    """The words of an instruction. NrTokens counts what follows the first."""
    out = [0]
    if instr.label is not None:
        out.append(pack("label", Label=instr.label))
    if instr.texture is not None:
        tex = instr.texture
        out.append(pack(
            "texture", Texture=tex.target, NumOffsets=len(tex.offsets), ReturnType=tex.return_type
        ))  # fmt: skip
        out += [offset.token() for offset in tex.offsets]
    if instr.memory is not None:
        qualifier, texture, format = instr.memory
        out.append(pack("memory", Qualifier=qualifier, Texture=texture, Format=format))
    for dst in instr.dsts:
        out += dst.tokens()
    for src in instr.srcs:
        out += src.tokens()
    out[0] = pack(
        "instruction", Type=enums.TOKEN_INSTRUCTION, NrTokens=len(out) - 1,
        Opcode=instr.op.number, Saturate=instr.saturate, NumDstRegs=len(instr.dsts),
        NumSrcRegs=len(instr.srcs), Label=instr.label is not None,
        Texture=instr.texture is not None, Memory=instr.memory is not None, Precise=instr.precise,
    )  # fmt: skip
    return out


def immediate_tokens(imm: Immediate) -> list[int]:
    """The words of an immediate."""
    first = pack(
        "immediate", Type=enums.TOKEN_IMMEDIATE, NrTokens=1 + len(imm.values), DataType=imm.type
    )
    return [first, *imm.values]


def property_tokens(prop: Property) -> list[int]:
    """The words of a property."""
    first = pack(
        "property", Type=enums.TOKEN_PROPERTY, NrTokens=1 + len(prop.values),
        PropertyName=prop.name,
    )  # fmt: skip
    return [first, *prop.values]


def item_tokens(item: Item) -> list[int]:
    """The words of any item."""
    if isinstance(item, Declaration):
        return declaration_tokens(item)
    if isinstance(item, Immediate):
        return immediate_tokens(item)
    if isinstance(item, Property):
        return property_tokens(item)
    return instruction_tokens(item)


def header_tokens(processor: int, body: int) -> list[int]:
    """The two words before `body` others."""
    return [pack("header", HeaderSize=2, BodySize=body), pack("processor", Processor=processor)]


def build(stream: Stream) -> list[int]:
    """The words of a stream."""
    body = [word for item in stream.items for word in item_tokens(item)]
    return [*header_tokens(stream.processor, len(body)), *body]
