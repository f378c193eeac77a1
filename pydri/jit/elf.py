# SPDX-License-Identifier: MIT
"""The linker: LLVM's relocatable object -> the flat image of image.py. Runs only after a
compilation.

In: an x86-64 ELF object with position-independent code (reloc='pic'). Out: the blob that
`pydri.jit.image.load` maps. Sections are sorted into three parts (code, constants, variables),
references between them are resolved, and each undefined symbol gets a GOT entry plus, where it is
called directly, a stub that jumps through it. A load of an address from the GOT becomes a plain
`lea` when the symbol is in the image itself (as static linkers do). Unwind tables are dropped:
nothing throws through kernels. Everything that would need a real dynamic linker (thread-local
storage, constructors, ifuncs, 32-bit absolute addresses) is an ImageError that names the symbol.

Counterpart of RuntimeDyldELF inside LLVM, and the x86-64 psABI, chapter 4.4 (relocations) and B.2
(relaxation).
"""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

from pydri.jit.image import (
    CHECKED_FROM,
    CHECKSUM_AT,
    HEADER,
    HEADER_SIZE,
    MAGIC,
    MAX_SIZE,
    PAGE,
    Header,
    ImageError,
)

_EHDR = struct.Struct("<16sHHIQQQIHHHHHH")
_SHDR = struct.Struct("<IIQQQQIIQQ")
_SYM = struct.Struct("<IBBHQQ")
_RELA = struct.Struct("<QQq")

_SHT_SYMTAB, _SHT_RELA, _SHT_NOBITS, _SHT_REL = 2, 4, 8, 9
_SHT_ARRAYS = (14, 15, 16)  # init_array, fini_array, preinit_array
_SHT_NOTE, _SHT_UNWIND = 7, 0x70000001
_SHF_WRITE, _SHF_ALLOC, _SHF_EXEC, _SHF_TLS = 1, 2, 4, 0x400
_SHN_UNDEF, _SHN_LORESERVE, _SHN_COMMON = 0, 0xFF00, 0xFFF2
_STT_OBJECT, _STT_FUNC, _STT_TLS, _STT_IFUNC = 1, 2, 6, 10
_STB_LOCAL = 0

_R_NONE, _R_64, _R_PC32, _R_PLT32, _R_GOTPCREL = 0, 1, 2, 4, 9
_R_PC64, _R_GOTPCRELX, _R_REX_GOTPCRELX = 24, 41, 42
_GOT_LOADS = (_R_GOTPCREL, _R_GOTPCRELX, _R_REX_GOTPCRELX)
_R_NAMES = {
    10: "R_X86_64_32",
    11: "R_X86_64_32S",
    19: "R_X86_64_TLSGD",
    20: "R_X86_64_TLSLD",
    22: "R_X86_64_GOTTPOFF",
    23: "R_X86_64_TPOFF32",
    25: "R_X86_64_GOTOFF64",
    26: "R_X86_64_GOTPC32",
}

_STUB_SIZE = 8  # jmp *slot(%rip), int3, int3


class _Section(NamedTuple):
    name: str
    type: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    align: int


class _Symbol(NamedTuple):
    name: str
    kind: int
    local: bool
    section: int
    value: int
    size: int


class _Reloc(NamedTuple):
    section: int
    offset: int
    type: int
    symbol: int
    addend: int


def link(obj: bytes) -> bytes:
    """Turn a relocatable x86-64 ELF object into a blob for `pydri.jit.image.load`."""
    try:
        return _Linker(obj).link()
    except (struct.error, IndexError, OverflowError, ValueError) as error:
        raise ImageError(f"malformed ELF object: {error}") from error


def _align(value: int, to: int) -> int:
    return -(-value // to) * to


def _string(table: bytes, offset: int) -> str:
    return table[offset : table.index(b"\0", offset)].decode()


class _Linker:
    def __init__(self, obj: bytes) -> None:
        self.obj = obj
        self.sections = self._read_sections()
        self.symbols = self._read_symbols()
        self.kept = self._choose_sections()
        self.relocs = self._read_relocs()
        self.place: dict[int, int] = {}  # section number -> offset in the image
        self.got = 0
        self.externs: dict[str, int] = {}  # undefined name -> number of its GOT entry
        self.stubs: dict[str, int] = {}  # undefined name that is called -> offset of its stub
        self.local_got: dict[int, int] = {}  # symbol number -> offset of a GOT entry for it
        self.bases: list[tuple[int, int]] = []
        self.absolutes: list[tuple[int, int, int]] = []
        self.image = bytearray()

    # -- reading ---------------------------------------------------------------------------------

    def _read_sections(self) -> list[_Section]:
        ident, kind, machine, _, _, _, shoff, _, _, _, _, shentsize, shnum, shstrndx = (
            _EHDR.unpack_from(self.obj)
        )
        if ident[:6] != b"\x7fELF\x02\x01" or kind != 1 or machine != 62 or shentsize != _SHDR.size:
            raise ImageError("not a relocatable x86-64 ELF object")
        raw = [_SHDR.unpack_from(self.obj, shoff + i * shentsize) for i in range(shnum)]
        for _, kind, _, _, offset, size, *_ in raw:
            if kind != _SHT_NOBITS and offset + size > len(self.obj):
                raise ImageError("malformed ELF object: a section lies outside")
        names = self.obj[raw[shstrndx][4] : raw[shstrndx][4] + raw[shstrndx][5]]
        return [
            _Section(_string(names, name), kind, flags, offset, size, link, info, max(align, 1))
            for name, kind, flags, _, offset, size, link, info, align, _ in raw
        ]

    def _data(self, section: _Section) -> bytes:
        return self.obj[section.offset : section.offset + section.size]

    def _read_symbols(self) -> list[_Symbol]:
        for section in self.sections:
            if section.type == _SHT_SYMTAB:
                names = self._data(self.sections[section.link])
                return [
                    _Symbol(
                        _string(names, name), info & 15, info >> 4 == _STB_LOCAL, shndx, value, size
                    )
                    for name, info, _, shndx, value, size in _SYM.iter_unpack(self._data(section))
                ]
        return []

    def _choose_sections(self) -> dict[int, str]:
        """Numbers of the sections that go into the image -> the part they belong to."""
        kept: dict[int, str] = {}
        for number, s in enumerate(self.sections):
            if (
                not s.flags & _SHF_ALLOC
                or s.type in (_SHT_NOTE, _SHT_UNWIND)
                or s.name.startswith(".eh_frame")
            ):
                continue
            if s.flags & _SHF_TLS:
                raise ImageError(
                    f"section {s.name}: thread-local variables are not possible in kernels"
                )
            if s.type in _SHT_ARRAYS or s.name.startswith((".ctors", ".dtors")):
                raise ImageError(f"section {s.name}: constructors are not possible in kernels")
            if s.align > PAGE:
                raise ImageError(f"section {s.name}: alignment {s.align} is larger than a page")
            if s.flags & _SHF_EXEC:
                kept[number] = "text"
            elif not s.flags & _SHF_WRITE or s.name.startswith(".data.rel.ro"):
                kept[number] = "ro"
            else:
                kept[number] = "bss" if s.type == _SHT_NOBITS else "data"
        return kept

    def _read_relocs(self) -> list[_Reloc]:
        relocs: list[_Reloc] = []
        for section in self.sections:
            if section.type == _SHT_REL and section.info in self.kept:
                raise ImageError("relocations without addends are not x86-64")
            if section.type == _SHT_RELA and section.info in self.kept:
                target = self.sections[section.info]
                for offset, info, addend in _RELA.iter_unpack(self._data(section)):
                    if (
                        info >> 32 >= len(self.symbols)
                        or offset + 4 > target.size
                        or target.type == _SHT_NOBITS
                    ):
                        raise ImageError("malformed ELF object: a relocation lies outside")
                    if info & 0xFFFFFFFF != _R_NONE:
                        relocs.append(
                            _Reloc(section.info, offset, info & 0xFFFFFFFF, info >> 32, addend)
                        )
        return relocs

    # -- layout ----------------------------------------------------------------------------------

    def link(self) -> bytes:
        """Lay the parts out, resolve the relocations, write the tables and the header."""
        called, n_bases, n_absolutes = self._collect()
        exported = [
            number
            for number, s in enumerate(self.symbols)
            if s.section in self.kept
            and s.name
            and (s.kind == _STT_FUNC or (s.kind == _STT_OBJECT and not s.local))
        ]
        names = "".join(
            f"{name}\0" for name in [*self.externs, *(self.symbols[i].name for i in exported)]
        ).encode()

        end = self._place("text", HEADER_SIZE)
        self.stubs = {name: _align(end, 16) + _STUB_SIZE * i for i, name in enumerate(called)}
        text_end = _align(_align(end, 16) + _STUB_SIZE * len(called), PAGE)
        self.got = _align(self._place("ro", text_end), 8)
        local_got = self.got + 8 * len(self.externs)
        self.local_got = {number: local_got + 8 * i for i, number in enumerate(self.local_got)}
        symbols_at = local_got + 8 * len(self.local_got)
        bases_at = symbols_at + 8 * len(exported)
        names_at = bases_at + 8 * n_bases + 16 * n_absolutes
        ro_end = _align(names_at + len(names), PAGE)
        file_size = self._place("data", ro_end)
        mem_size = _align(self._place("bss", file_size), PAGE)
        if mem_size > MAX_SIZE:
            raise ImageError(f"{mem_size} bytes are too much for an image")

        self._copy(file_size)
        for reloc in self.relocs:
            self._apply(reloc)
        for number, slot in self.local_got.items():
            self.bases.append((slot, self._value(number)))
        assert len(self.bases) == n_bases and len(self.absolutes) == n_absolutes
        header = Header(
            magic=MAGIC,
            checksum=0,
            file_size=file_size,
            text_end=text_end,
            ro_end=ro_end,
            mem_size=mem_size,
            got=self.got,
            n_externs=len(self.externs),
            n_symbols=len(exported),
            symbols=symbols_at,
            names=names_at,
            names_size=len(names),
            n_bases=n_bases,
            bases=bases_at,
            n_absolutes=n_absolutes,
        )
        self._write_tables(header, exported, names)
        return bytes(self.image)

    def _write_tables(self, header: Header, exported: list[int], names: bytes) -> None:
        """Write the header, and where it says so the symbols, addresses and names."""
        image = self.image
        for i, number in enumerate(exported):
            struct.pack_into(
                "<II", image, header.symbols + 8 * i, self._value(number), self.symbols[number].size
            )
        for i, base in enumerate(self.bases):
            struct.pack_into("<II", image, header.bases + 8 * i, *base)
        absolutes_at = header.bases + 8 * header.n_bases
        for i, absolute in enumerate(self.absolutes):
            struct.pack_into("<IIq", image, absolutes_at + 16 * i, *absolute)
        image[header.names : header.names + len(names)] = names
        image[: HEADER.size] = HEADER.pack(*header)
        struct.pack_into("<I", image, CHECKSUM_AT, zlib.crc32(memoryview(image)[CHECKED_FROM:]))

    def _collect(self) -> tuple[list[str], int, int]:
        """Find the externs and count the tables: names that need a stub, base addresses, absolute
        addresses.
        """
        called: dict[str, None] = {}
        n_bases = n_absolutes = 0
        for reloc in self.relocs:
            symbol = self.symbols[reloc.symbol]
            if symbol.kind in (_STT_TLS, _STT_IFUNC) or _SHN_LORESERVE <= symbol.section:
                raise ImageError(f"symbol {symbol.name!r}: its kind is not possible in kernels")
            if symbol.section == _SHN_UNDEF:
                if not symbol.name:
                    raise ImageError("malformed ELF object: relocation against no symbol")
                self.externs.setdefault(symbol.name, len(self.externs))
                if reloc.type == _R_PLT32:
                    called[symbol.name] = None
                n_absolutes += reloc.type == _R_64
            elif symbol.section not in self.kept:
                raise ImageError(f"symbol {symbol.name!r} lies in a section that is not kept")
            else:
                n_bases += reloc.type == _R_64
                if reloc.type in _GOT_LOADS and not self._relaxable(reloc):
                    self.local_got[reloc.symbol] = 0
        return list(called), n_bases + len(self.local_got), n_absolutes

    def _place(self, part: str, at: int) -> int:
        """Give the sections of a part their offsets from `at` on; returns where they end."""
        for number, name in self.kept.items():
            if name == part:
                at = self.place[number] = _align(at, self.sections[number].align)
                at += self.sections[number].size
        return at

    def _copy(self, file_size: int) -> None:
        image = self.image = bytearray(file_size)
        for number, at in self.place.items():
            section = self.sections[number]
            if section.type != _SHT_NOBITS:
                image[at : at + section.size] = self._data(section)
        for name, at in self.stubs.items():
            slot = self.got + 8 * self.externs[name]
            image[at : at + _STUB_SIZE] = (
                b"\xff\x25" + struct.pack("<i", slot - (at + 6)) + b"\xcc\xcc"
            )

    # -- relocations -----------------------------------------------------------------------------

    def _value(self, number: int) -> int:
        """Offset of a defined symbol in the image."""
        symbol = self.symbols[number]
        if symbol.value > self.sections[symbol.section].size:
            raise ImageError(
                f"malformed ELF object: symbol {symbol.name!r} lies outside its section"
            )
        return self.place[symbol.section] + symbol.value

    def _instruction(self, reloc: _Reloc) -> bytes:
        """The two bytes before the operand: opcode and ModRM."""
        start = self.sections[reloc.section].offset + reloc.offset
        return self.obj[start - 2 : start]

    def _relaxable(self, reloc: _Reloc) -> bool:
        """Whether this use of the GOT can do without it, the symbol being in the image (psABI
        B.2).
        """
        if (
            reloc.type not in (_R_GOTPCRELX, _R_REX_GOTPCRELX)
            or reloc.offset < 2
            or reloc.addend != -4
        ):
            return False
        opcode = self._instruction(reloc)
        return opcode[0] == 0x8B or opcode in (b"\xff\x15", b"\xff\x25")

    def _apply(self, reloc: _Reloc) -> None:
        symbol = self.symbols[reloc.symbol]
        where = self.place[reloc.section] + reloc.offset
        defined = symbol.section != _SHN_UNDEF
        kind = reloc.type
        if kind == _R_64:
            if reloc.offset + 8 > self.sections[reloc.section].size:
                raise ImageError("malformed ELF object: a relocation lies outside")
            if defined:
                self.bases.append((where, self._value(reloc.symbol) + reloc.addend))
            else:
                self.absolutes.append((where, self.externs[symbol.name], reloc.addend))
        elif kind in _GOT_LOADS:
            if not defined:
                target = self.got + 8 * self.externs[symbol.name]
            elif reloc.symbol in self.local_got and not self._relaxable(reloc):
                target = self.local_got[reloc.symbol]
            else:
                self._relax(reloc, where)
                return
            self._store("<i", where, target + reloc.addend - where, symbol)
        elif kind in (_R_PC32, _R_PLT32, _R_PC64):
            if defined:
                target = self._value(reloc.symbol)
            elif kind == _R_PLT32:
                target = self.stubs[symbol.name]
            else:
                raise ImageError(
                    f"symbol {symbol.name!r} is undefined but taken to be near: is it dso_local?"
                )
            self._store(
                "<q" if kind == _R_PC64 else "<i", where, target + reloc.addend - where, symbol
            )
        else:
            name = _R_NAMES.get(kind, f"relocation type {kind}")
            raise ImageError(
                f"symbol {symbol.name!r}: {name} is not possible in position-independent kernels"
            )

    def _relax(self, reloc: _Reloc, where: int) -> None:
        """Turn a load from the GOT into the address itself, an indirect call or jump into a
        direct one.
        """
        opcode = self._instruction(reloc)
        target = self._value(reloc.symbol)
        if opcode[0] == 0x8B:  # mov symbol@GOTPCREL(%rip), %reg -> lea symbol(%rip), %reg
            self.image[where - 2] = 0x8D
        elif opcode == b"\xff\x15":  # call *symbol@GOTPCREL(%rip) -> addr32 call symbol
            self.image[where - 2 : where] = b"\x67\xe8"
        else:  # jmp *symbol@GOTPCREL(%rip) -> jmp symbol; nop
            self.image[where - 2] = 0xE9
            self.image[where + 3] = 0x90
            where -= 1
        self._store("<i", where, target - (where + 4), self.symbols[reloc.symbol])

    def _store(self, form: str, where: int, value: int, symbol: _Symbol) -> None:
        try:
            struct.pack_into(form, self.image, where, value)
        except struct.error:
            raise ImageError(f"symbol {symbol.name!r} is too far away") from None
