# SPDX-License-Identifier: MIT
"""Shaders of a driver: compiled once for each key (vc4_program.c's cache).

In: shaders by what builds their nir, keys. Out: `Vc4CompiledShader`: words, uniforms as contents
and data, the varyings that a fragment shader reads, which its vertex shaders write in that order. A
fragment shader that samples is compiled for two threads first, for one if that finds no registers
or switches threads nowhere that all lanes pass. `ShaderCache.hits` and `misses` count.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from itertools import count
from typing import NamedTuple

from pipe_vc4 import debug
from pipe_vc4.emit.generate import QpuCode, vc4_generate_code
from pipe_vc4.ntq.keys import Vc4FsKey, Vc4VsKey
from pipe_vc4.ntq.lower import lowered_vertex, vc4_shader_ntq
from pipe_vc4.qir.qir import QFile, QStage, VaryingSlot, Vc4Compile
from pipe_vc4.qir.text import qir_dump
from pipe_vc4.uniforms import Stream, stream_of
from pydri.nir.enums import INTERP_FLAT, INTERP_NONE
from pydri.nir.ir import Shader
from pydri.nir.lower_two_sided_color import BACK
from pydri.nir.printer import print_shader
from pydri.util.registers import NoRegister

Key = Vc4FsKey | Vc4VsKey
_COLORS = frozenset((*BACK, *BACK.values()))
_numbers = count()


class Vc4UncompiledShader:
    """A shader as the state tracker gives it (struct vc4_uncompiled_shader)."""

    def __init__(self, build: Callable[[], Shader]) -> None:
        self.build = build
        self.program_id = next(_numbers)
        self.compiled_variant_count = 0
        self._linked: Shader | None = None

    @property
    def linked(self) -> Shader:
        """A vertex shader that fragment shaders are linked with, lowered once."""
        if self._linked is None:
            self._linked = lowered_vertex(self.build())
        return self._linked


class Vc4CompiledShader(NamedTuple):
    """A variant (struct vc4_compiled_shader)."""

    code: QpuCode
    #: its words as they lie in memory, and its uniforms
    words: bytes
    stream: Stream
    #: of a fragment shader: the varyings it reads, in order (struct vc4_fs_inputs)
    fs_inputs: tuple[VaryingSlot, ...]
    #: of these, as bits: those that are constant on a primitive, and colours, which are if the
    #: rasterizer says so
    flat_inputs: int
    color_inputs: int
    #: bytes of each attribute in the VPM
    vattr_sizes: tuple[int, ...]
    #: which attributes these are (VERT_ATTRIB_*)
    attr_slots: tuple[int, ...]
    num_texture_samples: int
    #: instructions of QIR, for VC4_DEBUG=shaderdb
    qir: int
    blocks: int


class ShaderCache:
    """All variants of a context."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, QStage, Key], Vc4CompiledShader] = {}
        self.hits = 0
        self.misses = 0

    def get(
        self, shader: Vc4UncompiledShader, stage: QStage, key: Key,
        vertex: Vc4UncompiledShader | None = None,
    ) -> Vc4CompiledShader:  # fmt: skip
        """A variant (vc4_get_compiled_shader). `vertex`: the one before a fragment shader, whose
        constants it takes over.
        """
        place = (shader.program_id, -1 if vertex is None else vertex.program_id, stage, key)
        found = self._known.get(place)
        if found is not None:
            self.hits += 1
            return found
        self.misses += 1
        shader.compiled_variant_count += 1
        made = self._known[place] = compile_variant(shader, stage, key, vertex)
        number, variant = shader.program_id, shader.compiled_variant_count - 1
        if debug.wanted().qpu:
            debug.say(debug.title(stage, number, variant, "QPU"))
            debug.say(debug.qpu_text(made.code))
        if debug.wanted().shaderdb:
            debug.say(debug.shaderdb_row(stage, number, variant, made.qir, made.blocks, made.code))
        return made

    def forget(self, shader: Vc4UncompiledShader) -> None:
        """The shader is deleted: its variants, and those linked with it, go."""
        number = shader.program_id
        for place in [place for place in self._known if number in place[:2]]:
            del self._known[place]


def compile_variant(
    shader: Vc4UncompiledShader, stage: QStage, key: Key, vertex: Vc4UncompiledShader | None = None
) -> Vc4CompiledShader:
    """From nir to words, with two threads if that can be."""
    linked = None if vertex is None else vertex.linked
    before: list[str] = []

    def seen(c: Vc4Compile) -> None:
        if debug.wanted().qir:
            before[:] = [qir_dump(c)]

    if stage == QStage.FRAG:
        source = shader.build()
        c = vc4_shader_ntq(source, stage, key, threaded=True, vertex=linked, seen=seen)
        if c.num_texture_samples and c.last_thrsw_at_top_level:
            try:
                return _finished(c, source, shader, before)
            except NoRegister:
                debug.perf(f"FS prog {shader.program_id} finds registers for one thread alone")
    source = shader.build()
    c = vc4_shader_ntq(source, stage, key, vertex=linked, seen=seen)
    return _finished(c, source, shader, before)


def _finished(c: Vc4Compile, shader: Shader, of: Vc4UncompiledShader, before: list[str]
              ) -> Vc4CompiledShader:  # fmt: skip
    """`before`: its QIR before optimisation, if that is to be printed."""
    number, variant = of.program_id, of.compiled_variant_count - 1
    if debug.wanted().nir:
        debug.say(debug.title(c.stage, number, variant, "NIR") + "\n" + print_shader(shader))
    if debug.wanted().qir:
        for what, text in (("pre-opt QIR", before[0]), ("QIR", qir_dump(c))):
            debug.say(debug.title(c.stage, number, variant, what) + "\n" + text)
    slots = live_inputs(c)
    interps = [shader.input_interp(slot.slot) for slot in slots]
    flat = sum(1 << n for n, interp in enumerate(interps) if interp == INTERP_FLAT)
    colors = sum(1 << n for n, slot in enumerate(slots)
                 if slot.slot in _COLORS and interps[n] == INTERP_NONE)  # fmt: skip
    sizes, samples = tuple(c.vattr_sizes), c.num_texture_samples
    attrs = tuple(c.attr_slots)
    tables = c.tables
    qir, blocks = sum(len(block.instructions) for block in c.blocks), len(c.blocks)
    code = vc4_generate_code(c)
    words = struct.pack(f"<{len(code.words)}Q", *code.words)
    return Vc4CompiledShader(code, words, stream_of(code, tables), slots, flat, colors, sizes,
                             attrs, samples, qir, blocks)  # fmt: skip


def live_inputs(c: Vc4Compile) -> tuple[VaryingSlot, ...]:
    """Varyings that are read and come from the vertex shader (vc4_setup_compiled_fs_inputs)."""
    read = {src.index for inst in c.instructions() for src in inst.src if src.file == QFile.VARY}
    return tuple(slot for n, slot in enumerate(c.input_slots) if n in read and slot.slot >= 0)
