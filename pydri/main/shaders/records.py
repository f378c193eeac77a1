# SPDX-License-Identifier: MIT
"""What compiling and linking found out as a record of the cache (pydri/util/codec.py).

In: `CompiledBefore` or `LinkedBefore`. Out: bytes, and the same again. Types are written
once each, those that they are made of first, and read as the one type that each of them is
(pydri/nir/types.py). Only what the linker, `Info` and the native form say of a program is in it:
whoever gives them a field writes it here, and tests/unit/main/test_shader_records.py fails until
then.
"""

from __future__ import annotations

from typing import NamedTuple

from pydri.glsl.link.linked import INTERFACES, Attribute, Linked, Resource, Sampler
from pydri.main.shaders.layout import Executable, UniformSlot
from pydri.nir import types
from pydri.nir.gather_info import Info
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
    """A program that links: its `Linked` without stages, what its stages read and write, and its
    native form."""

    linked: Linked
    stages: dict[str, Info]
    native: Native


class _Types:
    """Types by number, in the order in which they are first used."""

    def __init__(self) -> None:
        self.out = Writer()
        self.known: dict[types.Type, int] = {}

    def number(self, kind: types.Type) -> int:
        """The number of a type; it and what it is made of are written if they are new."""
        known = self.known.get(kind)
        if known is not None:
            return known
        out = self.out
        if isinstance(kind, types.ArrayType):
            item = self.number(kind.item)
            out.number(_ARRAY, item, kind.size)
        elif isinstance(kind, types.StructType):
            parts = [self.number(field) for _, field in kind.fields]
            out.number(_STRUCT)
            out.numbers(parts)
            out.text(kind.name, *(name for name, _ in kind.fields))
        else:
            out.number(_BASIC)
            out.text(kind.name)
        self.known[kind] = len(self.known)
        return self.known[kind]


def _read_types(read: Reader) -> list[types.Type]:
    """Types by number."""
    found: list[types.Type] = []

    def known(number: int) -> types.Type:
        if not 0 <= number < len(found):
            raise Damaged("a type of parts that are none")
        return found[number]

    for _ in range(read.count()):
        what = read.number()
        if what == _BASIC:
            name = read.text()
            found.append(_basics.get(name) or _basic(name))
        elif what == _ARRAY:
            item, size = known(read.number()), read.number()
            if not 0 <= size <= _MOST_ELEMENTS:
                raise Damaged("an array of a size that none has")
            found.append(types.array(item, size))
        elif what == _STRUCT:
            parts = [known(number) for number in read.numbers()]
            name = read.text()
            found.append(types.struct(name, tuple((read.text(), part) for part in parts)))
        else:
            raise Damaged("a type of no kind")
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
    out.text(linked.log)
    out.data(linked.storage)
    out.number(linked.good, linked.locations)
    out.number(len(linked.attributes), len(linked.outputs))
    for attribute in linked.attributes:
        out.text(attribute.name)
        out.number(kinds.number(attribute.type), attribute.location)
    for interface in INTERFACES:
        out.number(len(linked.resources[interface]))
        for row in linked.resources[interface]:
            _write_resource(out, row, kinds)
    for name, place in linked.outputs.items():
        out.text(name)
        out.number(*place)
    captures, strides = linked.stream_output
    out.number(len(captures))
    for capture in captures:
        out.number(*capture)
    out.numbers(strides)
    for stage in NUMBERS:
        rows = linked.samplers.get(stage)
        out.number(-1 if rows is None else len(rows))
        for sampler in rows or ():
            out.number(sampler.offset, kinds.number(sampler.type), sampler.active, sampler.single)
        out.numbers(linked.stage_blocks.get(stage, ()))


def _read_linked(read: Reader, kinds: list[types.Type]) -> Linked:
    linked = Linked()
    linked.log, linked.storage = read.text(), read.data()
    linked.good, linked.locations = read.flag(), read.number()
    attributes, outputs = read.count(), read.count()

    def kind() -> types.Type:
        number = read.number()
        if not 0 <= number < len(kinds):
            raise Damaged("a type that is none")
        return kinds[number]

    linked.attributes = [
        Attribute(read.text(), kind(), read.number()) for _ in range(attributes)
    ]
    for interface in INTERFACES:
        linked.resources[interface] = [
            _read_resource(read, kind()) for _ in range(read.count())
        ]
    linked.outputs = {read.text(): read.three() for _ in range(outputs)}
    captures = tuple(Capture(*read.some(5)) for _ in range(read.count()))
    linked.stream_output = StreamOutput(captures, read.numbers())
    for stage in NUMBERS:
        count = read.number()
        if count >= 0:
            rows = linked.samplers[stage] = []
            for _ in range(count):
                offset, sampler = read.number(), kind()
                active, single = read.flag(), read.flag()
                if not isinstance(sampler, types.SamplerType):
                    raise Damaged("a sampler of a type that is none")
                rows.append(Sampler(offset, sampler, active, single))
        blocks = read.numbers()
        if blocks:
            linked.stage_blocks[stage] = list(blocks)
    return linked


def _write_resource(out: Writer, row: Resource, kinds: _Types) -> None:
    out.text(row.name)
    out.number(
        kinds.number(row.type), row.size, row.stages, row.location, row.storage, row.block,
        row.offset, row.array_stride, row.matrix_stride, row.bytes, row.by_rows,
    )  # fmt: skip
    out.numbers(row.members)


def _read_resource(read: Reader, kind: types.Type) -> Resource:
    size, stages, location, storage, block, offset, array, matrix, total = read.some(9)
    return Resource(
        read.text(), kind, size, stages, location, storage, block, offset, array, matrix,
        read.flag(), total, read.numbers(),
    )  # fmt: skip


def _write_info(out: Writer, info: Info) -> None:
    inputs = [row for row in info.inputs if isinstance(row, ShaderInput)]
    out.number(bool(inputs))
    out.numbers(row.slot for row in inputs) if inputs else out.numbers(info.inputs)
    out.number(*(row.components for row in inputs))
    out.text(*(row.interp for row in inputs))
    out.numbers(info.outputs)
    out.number(*info.const_range, *info.uniform_range, *info.ways, info.textures)
    out.number(info.uses_discard, info.writes_depth, info.uses_position, info.indexed)
    out.numbers(end for pair in info.uniforms for end in pair)
    out.numbers(sorted(info.samplers))
    out.number(*info.access)
    out.numbers(info.blocks)
    out.number(*info.emits)


def _read_info(read: Reader) -> Info:
    of_fragments, slots = read.flag(), read.numbers()
    inputs: tuple[int, ...] | tuple[ShaderInput, ...] = slots
    if of_fragments:
        components = read.some(len(slots))
        inputs = tuple(
            ShaderInput(*row, read.text()) for row in zip(slots, components, strict=True)
        )
    outputs = read.numbers()
    const_range, uniform_range = read.two(), read.two()
    ways, textures = (*read.two(), *read.two()), read.number()
    discard, depth, position, indexed = (read.flag() for _ in range(4))
    ends = read.numbers()
    uniforms = tuple(zip(ends[::2], ends[1::2], strict=True))
    samplers = frozenset(read.numbers())
    return Info(
        inputs, outputs, const_range, uniform_range, discard, depth, position, textures, uniforms,
        indexed, samplers, ways, Accesses(*read.some(6)), read.numbers(), Emits(*read.some(4)),
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
    for stage in NUMBERS:
        info = what.stages.get(stage)
        rows.number(info is not None)
        if info is not None:
            _write_info(rows, info)
    rows.data(*what.native)
    out.number(_LINKED, len(kinds.known))
    out.add(kinds.out)
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
    stages = {stage: _read_info(read) for stage in NUMBERS if read.flag()}
    native = Native(read.data(), read.data())
    _check_native(native, linked)
    return LinkedBefore(linked, stages, native)


def _check_native(native: Native, linked: Linked) -> None:
    """The native form's sizes are those of our structs and of what it goes with."""
    if len(native.executable) != Executable.size:
        raise Damaged("an executable of another size")
    if len(native.slots) != linked.locations * UniformSlot.size:
        raise Damaged("uniforms without locations")


__all__ = ["NO_NATIVE", "CompiledBefore", "LinkedBefore", "Native", "pack", "unpack"]
