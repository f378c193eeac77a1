# SPDX-License-Identifier: MIT
"""What compiling and linking found out as a record of the cache (pydri/util/codec.py).

In: `CompiledBefore` or `LinkedBefore`. Out: bytes, and the same again. Types are written
once each, those that they are made of first, and read as the one type that each of them is
(pydri/nir/types.py). What stages read and write is a record within it, which is read when a
pipeline is made that no cache has. Only what the linker, `Info` and the native form say of a
program is in it: whoever gives them a field writes it here, and
tests/unit/main/test_shader_records.py fails until then.
"""

from __future__ import annotations

from typing import NamedTuple

from pydri.glsl.link.linked import INTERFACES, Attribute, Linked, Resource, Sampler
from pydri.main.shaders.layout import Executable, UniformSlot
from pydri.nir import types
from pydri.nir.info import Info
from pydri.nir.stages import NUMBERS
from pydri.pipe.state import Accesses, Capture, Emits, ShaderInput, StreamOutput
from pydri.util.codec import Damaged, Reader, Writer, decode

_COMPILED, _LINKED = 1, 2
_BASIC, _ARRAY, _STRUCT = 0, 1, 2
_MOST_ELEMENTS = 1 << 16  # of an array, far beyond what a program may have


class CompiledBefore(NamedTuple):
    """A source that compiles."""

    log: bytes


class Native(NamedTuple):
    """The native form of a program, without numbers of stages and addresses."""

    executable: bytes  # Executable
    slots: bytes  # UniformSlots by location


NO_NATIVE = Native(b"", b"")


class LinkedBefore(NamedTuple):
    """A program that links: its `Linked` without stages, what its stages read and write (`info`),
    and its native form."""

    linked: Linked
    stages: dict[str, bytes]
    native: Native


class _Types:
    """Types by number, in the order in which they are first used."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, int]] = []
        self.parts = Writer()
        self.known: dict[types.Type, int] = {}

    def number(self, kind: types.Type) -> int:
        """The number of a type; it and what it is made of are written if they are new."""
        known = self.known.get(kind)
        if known is not None:
            return known
        if isinstance(kind, types.ArrayType):
            row = _ARRAY, self.number(kind.item), kind.size
        elif isinstance(kind, types.StructType):
            fields = [self.number(field) for _, field in kind.fields]
            self.parts.number(*fields)
            self.parts.text(kind.name, *(name for name, _ in kind.fields))
            row = _STRUCT, len(fields), 0
        else:
            self.parts.text(kind.name)
            row = _BASIC, 0, 0
        self.rows.append(row)
        self.known[kind] = len(self.known)
        return self.known[kind]


def _read_types(read: Reader) -> dict[int, types.Type]:
    """Types by number."""
    found: dict[int, types.Type] = {}
    for what, part, size in zip(*read.table(3), strict=True):
        if what == _BASIC:
            name = read.text()
            made = _basics.get(name) or _basic(name)
        elif what == _ARRAY:
            if not 0 <= size <= _MOST_ELEMENTS:
                raise Damaged("an array of a size that none has")
            made = types.array(found[part], size)
        elif what == _STRUCT:
            fields = [found[number] for number in read.some(part)]
            name, *names = read.texts(1 + part)
            made = types.struct(name, tuple(zip(names, fields, strict=True)))
        else:
            raise Damaged("a type of no kind")
        found[len(found)] = made
    return found


_basics: dict[str, types.Type] = {}


def _basic(name: str) -> types.Type:
    """A type that is made of no other; ValueError if none has this name."""
    if "[" in name:
        raise ValueError("an array")
    made = _basics[name] = types.by_name(name)
    return made


# -- what linking found ----------------------------------------------------------------------------


def _write_linked(out: Writer, linked: Linked, kinds: _Types) -> None:
    out.data(linked.log.encode(), linked.storage)
    out.number(linked.good, linked.locations)
    out.table((kinds.number(row.type), row.location) for row in linked.attributes)
    out.text(*(row.name for row in linked.attributes))
    for interface in INTERFACES:
        _write_resources(out, linked.resources[interface], kinds)
    out.table(linked.outputs.values())
    out.text(*linked.outputs)
    out.table(linked.stream_output.captures)
    out.numbers(linked.stream_output.strides)
    out.table(
        (NUMBERS[stage], row.offset, kinds.number(row.type), row.active, row.single)
        for stage, rows in linked.samplers.items()
        for row in rows
    )
    out.table((NUMBERS[s], index) for s, blocks in linked.stage_blocks.items() for index in blocks)


def _read_linked(read: Reader, kinds: dict[int, types.Type]) -> Linked:
    linked = Linked()
    linked.log, linked.storage = read.data().decode(), read.data()
    linked.good, linked.locations = read.flag(), read.number()
    of_type, places = read.table(2)
    names = read.texts(len(places))
    linked.attributes = [*map(Attribute, names, map(kinds.__getitem__, of_type), places)]
    for interface in INTERFACES:
        linked.resources[interface] = _read_resources(read, kinds)
    outputs = [*zip(*read.table(3), strict=True)]
    linked.outputs = dict(zip(read.texts(len(outputs)), outputs, strict=True))
    captures = (*map(Capture, *read.table(5)),)
    linked.stream_output = StreamOutput(captures, read.numbers())
    for stage, offset, number, active, single in zip(*read.table(5), strict=True):
        kind = kinds[number]
        if not isinstance(kind, types.SamplerType):
            raise Damaged("a sampler of a type that is none")
        row = Sampler(offset, kind, bool(active), bool(single))
        linked.samplers.setdefault(_STAGE_NAMES[stage], []).append(row)
    for stage, index in zip(*read.table(2), strict=True):
        linked.stage_blocks.setdefault(_STAGE_NAMES[stage], []).append(index)
    return linked


#: of stages, by number
_STAGE_NAMES = {number: name for name, number in NUMBERS.items()}
#: numbers of a resource
_COLUMNS = 12


def _write_resources(out: Writer, rows: list[Resource], kinds: _Types) -> None:
    out.table(
        (kinds.number(row.type), row.size, row.stages, row.location, row.storage, row.block,
         row.offset, row.array_stride, row.matrix_stride, row.by_rows, row.bytes, len(row.members))
        for row in rows
    )  # fmt: skip
    for row in rows:
        out.number(*row.members)
    out.text(*(row.name for row in rows))


def _read_resources(read: Reader, kinds: dict[int, types.Type]) -> list[Resource]:
    of_type, *numbers, by_rows, sizes, counts = read.table(_COLUMNS)
    if not counts:
        return []
    members = [read.some(count) if count else () for count in counts]
    return [*map(
        Resource, read.texts(len(counts)), map(kinds.__getitem__, of_type), *numbers,
        map(bool, by_rows), sizes, members,
    )]  # fmt: skip


# -- what stages read and write --------------------------------------------------------------------


def pack_info(info: Info) -> bytes:
    """The record of what a stage reads and writes."""
    out = Writer()
    inputs = [row for row in info.inputs if isinstance(row, ShaderInput)]
    out.number(bool(inputs))
    out.numbers(row.slot for row in inputs) if inputs else out.numbers(info.inputs)
    out.number(*(row.components for row in inputs))
    out.text(*(row.interp for row in inputs))
    out.numbers(info.outputs)
    out.number(*info.const_range, *info.uniform_range, *info.ways, info.textures)
    out.number(info.uses_discard, info.writes_depth, info.uses_position, info.indexed, info.loops)
    out.table(info.uniforms)
    out.numbers(sorted(info.samplers))
    out.number(*info.access)
    out.numbers(info.blocks)
    out.number(*info.emits)
    return out.finish()


def unpack_info(data: bytes) -> Info:
    """What a stage reads and writes; Damaged if this is no record of that."""
    return decode(data, _read_info)


def _read_info(read: Reader) -> Info:
    of_fragments, slots = read.flag(), read.numbers()
    inputs: tuple[int, ...] | tuple[ShaderInput, ...] = slots
    if of_fragments:
        inputs = (*map(ShaderInput, slots, read.some(len(slots)), read.texts(len(slots))),)
    outputs = read.numbers()
    const_range, uniform_range = read.two(), read.two()
    ways, textures = (*read.two(), *read.two()), read.number()
    discard, depth, position, indexed, loops = (read.flag() for _ in range(5))
    uniforms = (*zip(*read.table(2), strict=True),)
    samplers = frozenset(read.numbers())
    return Info(
        inputs, outputs, const_range, uniform_range, discard, depth, position, textures, uniforms,
        indexed, samplers, ways, Accesses(*read.some(6)), read.numbers(), Emits(*read.some(4)),
        loops,
    )  # fmt: skip


# -- records ---------------------------------------------------------------------------------------


def pack(what: CompiledBefore | LinkedBefore) -> bytes:
    """The record of what was found out."""
    out = Writer()
    if isinstance(what, CompiledBefore):
        out.number(_COMPILED)
        out.data(what.log)
        return out.finish()
    kinds, rows = _Types(), Writer()
    _write_linked(rows, what.linked, kinds)
    rows.numbers(NUMBERS[stage] for stage in what.stages)
    rows.data(*what.stages.values(), *what.native)
    out.number(_LINKED)
    out.table(kinds.rows)
    out.add(kinds.parts)
    out.add(rows)
    return out.finish()


def unpack(data: bytes) -> CompiledBefore | LinkedBefore:
    """What a record says; Damaged if it says nothing of use."""
    return decode(data, _read)


def _read(read: Reader) -> CompiledBefore | LinkedBefore:
    kind = read.number()
    if kind == _COMPILED:
        return CompiledBefore(read.data())
    if kind != _LINKED:
        raise Damaged("a record of no kind")
    linked = _read_linked(read, _read_types(read))
    stages = {_STAGE_NAMES[number]: read.data() for number in read.numbers()}
    native = Native(read.data(), read.data())
    _check_native(native, linked)
    return LinkedBefore(linked, stages, native)


def _check_native(native: Native, linked: Linked) -> None:
    """The native form's sizes are those of our structs and of what it goes with."""
    if len(native.executable) != Executable.size:
        raise Damaged("an executable of another size")
    if len(native.slots) != linked.locations * UniformSlot.size:
        raise Damaged("uniforms without locations")


__all__ = [
    "NO_NATIVE", "CompiledBefore", "LinkedBefore", "Native", "pack", "pack_info", "unpack",
    "unpack_info",
]  # fmt: skip
