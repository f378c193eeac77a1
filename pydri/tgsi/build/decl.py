# SPDX-License-Identifier: MIT
"""The declarations of ureg: registers of every file, kept until the program is finished.

In: declarations, in any order and as often as one likes.  Out: operands; at the end the words of
all declarations in the order of emit_decls (tgsi_ureg.c): properties, inputs, system values,
outputs, samplers, views, images, buffers, memory, constants, atomics, temporaries, addresses,
immediates.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from pydri.tgsi.tokens import enums
from pydri.tgsi.tokens.layout import replace
from pydri.tgsi.tokens.parse import (
    Declaration,
    ImageInfo,
    Immediate,
    Interp,
    Property,
    Semantic,
    ViewInfo,
    declaration_tokens,
    immediate_tokens,
    property_tokens,
)
from pydri.tgsi.tokens.registers import Dst, Src

MAX_ATTRIBS = 32  # PIPE_MAX_ATTRIBS
MAX_INPUT = 4 * 80
MAX_OUTPUT = 4 * 80
MAX_SYSTEM_VALUE = MAX_ATTRIBS
MAX_CONSTANT_RANGE = 32
MAX_CONSTANT_BUFFERS = 32
MAX_HW_ATOMIC_RANGE = 32
MAX_HW_ATOMIC_BUFFERS = 32
MAX_IMMEDIATE = 4096
MAX_ADDR = 3
MAX_ARRAY_TEMPS = 256
MAX_SAMPLERS = 32
MAX_SAMPLER_VIEWS = 128
MAX_IMAGES = 64
MAX_BUFFERS = 32


class Immediate32:
    """An immediate that may still grow: its type and its words."""

    def __init__(self, type: int, words: Sequence[int] = (), count: int = 0) -> None:
        self.type = type
        self.words = [*words, *[0] * (4 - len(words))]
        self.count = count

    def match(self, wanted: Sequence[int], step: int) -> list[int] | None:
        """Where the words are, `step` of them at a time; what is not there is added if there is
        room for all of it (match_or_expand_immediate, and the same of 64 bits).
        """
        words, count = list(self.words), self.count
        picks: list[int] = []
        for at in range(0, len(wanted), step):
            part = list(wanted[at : at + step])
            places = range(0, count, step)
            found = next((j for j in places if words[j : j + step] == part), -1)
            if found < 0:
                if count >= 4:
                    return None
                words[count : count + step] = part
                found, count = count, count + step
            picks += range(found, found + step)
        self.words, self.count = words, count
        return picks


class Decl(NamedTuple):
    """An input or output: registers first..last."""

    semantic: Semantic
    first: int
    last: int
    mask: int
    interp: Interp = Interp(enums.INTERPOLATE_CONSTANT)
    array_id: int = 0
    invariant: bool = False


class Declarations:
    """Everything that is declared."""

    def __init__(self, processor: int, any_inout_decl_range: bool) -> None:
        self.processor = processor
        self.any_inout_decl_range = any_inout_decl_range
        self.properties: dict[int, int] = {}
        self.vs_inputs: set[int] = set()
        self.inputs: list[Decl] = []
        self.input_regs = 0
        self.outputs: list[Decl] = []
        self.output_regs = 0
        self.system_values: list[Semantic] = []
        self.immediates: list[Immediate32] = []
        self.samplers: list[int] = []
        self.views: dict[int, ViewInfo] = {}
        self.images: dict[int, ImageInfo] = {}
        self.buffers: dict[int, bool] = {}
        self.memories: set[int] = set()
        self.constants: dict[int, list[tuple[int, int]]] = {}
        self.atomics: dict[int, list[tuple[int, int, int]]] = {}
        self.temps = 0
        # bit n: of temporary n (util_bitmask)
        self.free_temps = self.local_temps = self.decl_temps = 0
        self.array_temps: list[int] = []
        self.addrs = 0

    def set_bad(self) -> None:
        """There is no room for something."""
        raise NotImplementedError

    def property(self, name: int, value: int) -> None:
        """Set a property (ureg_property)."""
        self.properties[name] = value

    # ---- inputs, system values, outputs
    def decl_vs_input(self, index: int) -> Src:
        """A vertex attribute by number (ureg_DECL_vs_input)."""
        if self.processor != enums.VERTEX or not 0 <= index < MAX_ATTRIBS:
            raise TypeError(f"attribute {index}")
        self.vs_inputs.add(index)
        return Src(enums.FILE_INPUT, index)

    def decl_fs_input(self, name: int, index: int = 0, mode: int = enums.INTERPOLATE_PERSPECTIVE,
                      location: int = enums.LOC_CENTER, array_id: int = 0, array_size: int = 1,
                      *, register: int = -1, usage_mask: int = enums.WRITEMASK_XYZW,
                      cylindrical_wrap: int = 0) -> Src:  # fmt: skip
        """An input with its interpolation (ureg_DECL_fs_input_centroid_layout); `register`: where,
        behind the others if it is not said.
        """
        wanted = Semantic(name, index)
        for at, known in enumerate(self.inputs):
            if known.semantic == wanted and known.array_id == array_id:
                last = max(known.last, known.first + array_size - 1)
                self.inputs[at] = known._replace(mask=known.mask | usage_mask, last=last)
                self.input_regs = max(self.input_regs, last + 1)
                return Src(enums.FILE_INPUT, known.first, array_id=array_id)
        if len(self.inputs) >= MAX_INPUT:
            self.set_bad()
            return Src(enums.FILE_INPUT, 0)
        first = self.input_regs if register < 0 else register
        interp = Interp(mode, location, cylindrical_wrap)
        last = first + array_size - 1
        self.inputs.append(Decl(wanted, first, last, usage_mask, interp, array_id))
        self.input_regs = max(self.input_regs, last + 1)
        return Src(enums.FILE_INPUT, first, array_id=array_id)

    def decl_input(self, name: int, index: int = 0, array_id: int = 0, array_size: int = 1,
                   *, register: int = -1,
                   usage_mask: int = enums.WRITEMASK_XYZW) -> Src:  # fmt: skip
        """An input of a geometry or tessellation shader (ureg_DECL_input, _layout)."""
        return self.decl_fs_input(
            name, index, enums.INTERPOLATE_CONSTANT, enums.LOC_CENTER, array_id, array_size,
            register=register, usage_mask=usage_mask,
        )  # fmt: skip

    def decl_system_value(self, name: int, index: int = 0) -> Src:
        """A system value (ureg_DECL_system_value)."""
        wanted = Semantic(name, index)
        if wanted not in self.system_values:
            if len(self.system_values) >= MAX_SYSTEM_VALUE:
                self.set_bad()
                return Src(enums.FILE_SYSTEM_VALUE, len(self.system_values))
            self.system_values.append(wanted)
        return Src(enums.FILE_SYSTEM_VALUE, self.system_values.index(wanted))

    def decl_output(self, name: int, index: int = 0, usage_mask: int = enums.WRITEMASK_XYZW,
                    array_id: int = 0, array_size: int = 1, *, streams: int = 0,
                    register: int = -1, invariant: bool = False) -> Dst:  # fmt: skip
        """An output (ureg_DECL_output_layout); `streams` has two bits a component."""
        s = streams
        wanted = Semantic(name, index, (s & 3, s >> 2 & 3, s >> 4 & 3, s >> 6 & 3))
        for at, known in enumerate(self.outputs):
            if known.semantic[:2] == wanted[:2] and known.array_id == array_id:
                last = max(known.last, known.first + array_size - 1)
                pairs = zip(known.semantic.streams, wanted.streams)
                x, y, z, w = (a | b for a, b in pairs)
                both = wanted._replace(streams=(x, y, z, w))
                self.outputs[at] = known._replace(
                    semantic=both, mask=known.mask | usage_mask, last=last
                )
                self.output_regs = max(self.output_regs, last + 1)
                return Dst(enums.FILE_OUTPUT, known.first, array_id=array_id)
        if len(self.outputs) >= MAX_OUTPUT:
            self.set_bad()
            return Dst(enums.FILE_OUTPUT, 0)
        first = self.output_regs if register < 0 else register
        last = first + array_size - 1
        self.outputs.append(
            Decl(wanted, first, last, usage_mask, array_id=array_id, invariant=invariant)
        )
        self.output_regs = max(self.output_regs, last + 1)
        return Dst(enums.FILE_OUTPUT, first, array_id=array_id)

    # ---- constants
    def decl_constant2d(self, first: int, last: int, index2d: int) -> None:
        """Vectors first..last of a constant block (ureg_DECL_constant2D)."""
        if not 0 <= index2d < MAX_CONSTANT_BUFFERS:
            raise TypeError(f"constant block {index2d}")
        ranges = self.constants.setdefault(index2d, [])
        if len(ranges) < MAX_CONSTANT_RANGE:
            ranges.append((first, last))

    def decl_constant(self, index: int) -> Src:
        """A vector of constant block 0 (ureg_DECL_constant): ranges grow, and become one where
        there are too many.
        """
        ranges = self.constants.setdefault(0, [])
        src = Src(enums.FILE_CONSTANT, index).dimension(0)
        if any(first <= index <= last for first, last in ranges):
            return src
        for at, (first, last) in enumerate(ranges):
            if index in (first - 1, last + 1):
                ranges[at] = min(first, index), max(last, index)
                return src
        if len(ranges) < MAX_CONSTANT_RANGE:
            ranges.append((index, index))
            return src
        low = min(index, *(first for first, _ in ranges))
        high = max(index, *(last for _, last in ranges))
        ranges[:] = [(low, high)]
        return src

    def decl_hw_atomic(self, first: int, last: int, buffer: int, array_id: int = 0) -> None:
        """Atomic counters of a buffer (ureg_DECL_hw_atomic)."""
        ranges = self.atomics.setdefault(buffer, [])
        if len(ranges) < MAX_HW_ATOMIC_RANGE:
            ranges.append((first, last, array_id))
        else:
            self.set_bad()

    # ---- temporaries, addresses
    def decl_temporary(self, local: bool = False) -> Dst:
        """A temporary: one that was released, or a new one (alloc_temporary)."""
        same = self.local_temps if local else ~self.local_temps
        free = self.free_temps & same
        if free:
            n = (free & -free).bit_length() - 1
            self.free_temps &= ~(1 << n)
            return Dst(enums.FILE_TEMPORARY, n)
        n = self.temps
        self.temps += 1
        if local:
            self.local_temps |= 1 << n
        if not n or (self.local_temps >> (n - 1) & 1) != local:
            self.decl_temps |= 1 << n  # another declaration begins where the flag changes
        return Dst(enums.FILE_TEMPORARY, n)

    def decl_local_temporary(self) -> Dst:
        """A temporary that subroutines need not keep (ureg_DECL_local_temporary)."""
        return self.decl_temporary(True)

    def decl_array_temporary(self, size: int, local: bool = False) -> Dst:
        """Temporaries that are indexed (ureg_DECL_array_temporary)."""
        n = self.temps
        if local:
            self.local_temps |= 1 << n
        self.temps += size
        self.decl_temps |= 1 << n | 1 << self.temps
        if len(self.array_temps) >= MAX_ARRAY_TEMPS:
            return Dst(enums.FILE_TEMPORARY, n)
        self.array_temps.append(n)
        return Dst(enums.FILE_TEMPORARY, n, array_id=len(self.array_temps))

    def release_temporary(self, dst: Dst) -> None:
        """Give a temporary back (ureg_release_temporary)."""
        if dst.file == enums.FILE_TEMPORARY:
            self.free_temps |= 1 << dst.number

    def decl_address(self) -> Dst:
        """An address register, of three (ureg_DECL_address)."""
        if self.addrs >= MAX_ADDR:
            raise TypeError(f"more than {MAX_ADDR} address registers")
        self.addrs += 1
        return Dst(enums.FILE_ADDRESS, self.addrs - 1)

    # ---- resources
    def decl_sampler(self, index: int) -> Src:
        """A sampler (ureg_DECL_sampler)."""
        if index not in self.samplers:
            if len(self.samplers) >= MAX_SAMPLERS:
                raise TypeError(f"more than {MAX_SAMPLERS} samplers")
            self.samplers.append(index)
        return Src(enums.FILE_SAMPLER, index)

    def decl_sampler_view(self, index: int, target: int, *types: int) -> Src:
        """A sampler view with the types of its components, one for all or four
        (ureg_DECL_sampler_view).
        """
        x, y, z, w = types * 4 if len(types) == 1 else types
        _room(self.views, index, MAX_SAMPLER_VIEWS, "sampler views")
        self.views.setdefault(index, ViewInfo(target, (x, y, z, w)))
        return Src(enums.FILE_SAMPLER_VIEW, index)

    def decl_image(self, index: int, target: int, format: int, writable: bool = False,
                   raw: bool = False) -> Src:  # fmt: skip
        """An image (ureg_DECL_image)."""
        _room(self.images, index, MAX_IMAGES, "images")
        self.images.setdefault(index, ImageInfo(target, format, writable, raw))
        return Src(enums.FILE_IMAGE, index)

    def decl_buffer(self, index: int, atomic: bool = False) -> Src:
        """A shader buffer (ureg_DECL_buffer)."""
        _room(self.buffers, index, MAX_BUFFERS, "buffers")
        self.buffers.setdefault(index, atomic)
        return Src(enums.FILE_BUFFER, index)

    def decl_memory(self, kind: int) -> Src:
        """A memory area (ureg_DECL_memory)."""
        self.memories.add(kind)
        return Src(enums.FILE_MEMORY, kind)

    # ---- words
    def declarations(self) -> Iterator[list[int]]:
        """The words of everything (emit_decls)."""
        for name, value in sorted(self.properties.items()):
            if value != 0xFFFFFFFF:  # Mesa's mark of what is not set
                yield property_tokens(Property(name, (value,)))
        for decl in (*self._inputs(), *self._outputs(), *self._resources(), *self._registers()):
            # The token of an array is not counted by Mesa; who reads it goes by the flag.
            words = declaration_tokens(decl)
            array = decl.array is not None
            words[0] = replace("declaration", words[0], NrTokens=len(words) - array)
            yield words
        for imm in self.immediates:
            yield immediate_tokens(Immediate(imm.type, tuple(imm.words)))

    def _ranges(self, decl: Decl) -> Iterator[tuple[int, int, Semantic, int | None]]:
        """A declaration, or one for each register where arrays are not allowed."""
        if self.any_inout_decl_range:
            yield decl.first, decl.last, decl.semantic, decl.array_id or None
            return
        for n in range(decl.first, decl.last + 1):
            index = decl.semantic.number + n - decl.first
            yield n, n, decl.semantic._replace(number=index), None

    def _inputs(self) -> Iterator[Declaration]:
        if self.processor == enums.VERTEX:
            for n in sorted(self.vs_inputs):
                yield Declaration(enums.FILE_INPUT, n, n)
        else:
            fragment = self.processor == enums.FRAGMENT
            for decl in sorted(self.inputs, key=lambda decl: decl.first):
                for first, last, semantic, array in self._ranges(decl):
                    yield Declaration(
                        enums.FILE_INPUT, first, last,
                        decl.mask if fragment else enums.WRITEMASK_XYZW,
                        interp=decl.interp if fragment else None, semantic=semantic, array=array,
                    )  # fmt: skip
        for n, semantic in enumerate(self.system_values):
            yield Declaration(enums.FILE_SYSTEM_VALUE, n, n, semantic=semantic)

    def _outputs(self) -> Iterator[Declaration]:
        for decl in sorted(self.outputs, key=lambda decl: decl.first):
            for first, last, semantic, array in self._ranges(decl):
                yield Declaration(
                    enums.FILE_OUTPUT, first, last, decl.mask, semantic=semantic, array=array,
                    invariant=decl.invariant,
                )  # fmt: skip

    def _resources(self) -> Iterator[Declaration]:
        for n in self.samplers:
            yield Declaration(enums.FILE_SAMPLER, n, n)
        for n, view in self.views.items():
            yield Declaration(enums.FILE_SAMPLER_VIEW, n, n, view=view)
        for n, image in self.images.items():
            yield Declaration(enums.FILE_IMAGE, n, n, image=image)
        for n, atomic in self.buffers.items():
            yield Declaration(enums.FILE_BUFFER, n, n, atomic=atomic)
        for n in sorted(self.memories):
            yield Declaration(enums.FILE_MEMORY, n, n, memory=n)

    def _registers(self) -> Iterator[Declaration]:
        for block, ranges in sorted(self.constants.items()):
            for first, last in ranges:
                yield Declaration(enums.FILE_CONSTANT, first, last, dim=block)
        for buffer, spans in sorted(self.atomics.items()):
            for first, last, array in sorted(spans):
                yield Declaration(
                    enums.FILE_HW_ATOMIC, first, last, dim=buffer, array=array or None
                )
        yield from self._temporaries()
        if self.addrs:
            yield Declaration(enums.FILE_ADDRESS, 0, self.addrs - 1)

    def _temporaries(self) -> Iterator[Declaration]:
        first, array = 0, 0
        while first < self.temps:
            above = self.decl_temps >> (first + 1)
            end = first + (above & -above).bit_length() if above else self.temps
            end = min(end, self.temps)
            number = None
            if array < len(self.array_temps) and self.array_temps[array] == first:
                array += 1
                number = array
            local = bool(self.local_temps >> first & 1)
            yield Declaration(enums.FILE_TEMPORARY, first, end - 1, array=number, local=local)
            first = end


def _room(table: Collection[int], index: int, most: int, what: str) -> None:
    if index not in table and len(table) >= most:
        raise TypeError(f"more than {most} {what}")


__all__ = ["Decl", "Declarations", "Immediate32"]
