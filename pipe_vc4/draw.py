# SPDX-License-Identifier: MIT
"""Draws into jobs (vc4_draw.c).

In: PipelineState, PipeDynamic, DrawInfo. Out: pixels in the surfaces' memory once `flush` has
played what the draws were recorded into (batch.py: a job for each colour target). Draws go into one
batch while they draw to the same surfaces; all they read is copied into the jobs' buffers when they
are recorded.
"""

from __future__ import annotations

import struct
from typing import Any, Final, NamedTuple

import numpy as np

from pipe_vc4 import debug
from pipe_vc4.batch import Batch, addresses_of, batch_of, key_of
from pipe_vc4.job import JobBuilder
from pipe_vc4.ntq.alu import NtqError
from pipe_vc4.ntq.keys import Vc4FsKey, Vc4VsKey
from pipe_vc4.program import ShaderCache, Vc4CompiledShader, Vc4UncompiledShader
from pipe_vc4.qir.enums import QStage
from pipe_vc4.qir.qir import QirError
from pipe_vc4.qpu.validate import QpuError
from pipe_vc4.rect import drawn_as, rectangle
from pipe_vc4.resource import COLOR_FORMATS, Ints, Texture, Textures
from pipe_vc4.state import fs_key, packets, stencil_words, to_target
from pipe_vc4.uniforms import Uniforms
from pipe_vc4.vertices import Arrays, Flags, Primitives, edge_flags, parts, primitives
from pydri.nir.enums import VARYING_SLOT_EDGE
from pydri.pipe.memory_numpy import index_list
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX, Surface
from pydri.pipe.resource import Resource, Storage
from pydri.pipe.state import PRIM_POINTS, PipelineState, ShaderRef
from pydri.util import log
from pydri.util.registers import NoRegister

_REFUSED = (NtqError, QirError, QpuError, NoRegister)
_POINT_SIZE, _CLIPPING, _ONE_THREAD = 2, 4, 1
#: attributes of a shader record
MAX_RECORD_ATTRIBUTES: Final = 8
#: draws after which a job ends: the hardware loses count some time beyond (HW-2116)
MAX_DRAWS: Final = 0x1EF0


class Shaders(NamedTuple):
    """The three programs of a draw."""

    fragment: Vc4CompiledShader
    vertex: Vc4CompiledShader
    coordinate: Vc4CompiledShader


class Drawing:
    """What lasts from draw to draw: shaders, textures, the job that is being recorded."""

    def __init__(self) -> None:
        self.cache = ShaderCache()
        self.textures = Textures()
        self.batch: Batch | None = None
        self._shaders: dict[bytes, Vc4UncompiledShader] = {}
        self._refused: set[Any] = set()
        self._rectangles: dict[PipelineState, PipelineState] = {}

    # ---- jobs
    def batch_for(self, dyn: Any, submitted: int) -> Batch | None:
        """The job that draws to the bound surfaces; None where there are none."""
        key = key_of(dyn.fb)
        if self.batch is not None and self.batch.key == key:
            return self.batch
        self.flush()
        self.batch = batch_of(dyn.fb, key)
        if self.batch is not None:
            for address in addresses_of(dyn.fb):
                _note_write(address, submitted + 1)
        if self.batch is not None and self.batch.samples > 1:
            for address in addresses_of(dyn.fb):
                if address:  # what is shown of the samples is no more true
                    Surface.view(address).resolved = 0
        return self.batch

    def flush(self) -> None:
        """Play what is recorded."""
        batch, self.batch = self.batch, None
        if batch is not None and not batch.is_empty:
            batch.play()

    # ---- shaders
    def shader(self, ref: ShaderRef) -> Vc4UncompiledShader:
        """The shader of a key."""
        found = self._shaders.get(ref.key)
        if found is None:
            found = self._shaders[ref.key] = Vc4UncompiledShader(ref.build)
        return found

    def forget(self, kept: set[bytes]) -> None:
        """Shaders that no pipeline has any more go."""
        self._rectangles.clear()
        for key in [key for key in self._shaders if key not in kept]:
            self.cache.forget(self._shaders.pop(key))

    def _compiled(self, state: PipelineState, key: Vc4FsKey, tex: tuple[Any, ...],
                  arrays: Arrays) -> Shaders | None:  # fmt: skip
        """The programs; None where the hardware cannot do what they want (said once)."""
        place = (state.shader(SHADER_VERTEX).key, state.shader(SHADER_FRAGMENT).key, key)
        if place in self._refused:
            return None
        vs = self.shader(state.shader(SHADER_VERTEX))
        fs = self.shader(state.shader(SHADER_FRAGMENT))
        slots, formats = arrays.names()
        try:
            fragment = self.cache.get(fs, QStage.FRAG, key, vs)
            sized = key.is_points and state.rast.point_size_per_vertex
            vs_key = Vc4VsKey(fragment.fs_inputs, formats, slots, False, sized,
                              ucp_enables=key.ucp_enables, tex=tex)  # fmt: skip
            vertex = self.cache.get(vs, QStage.VERT, vs_key)
            coord = vs_key._replace(fs_inputs=(), is_coord=True)
            return Shaders(fragment, vertex, self.cache.get(vs, QStage.COORD, coord))
        except _REFUSED as error:
            log.error(f"vc4: a shader that VC4 cannot run: {error}")
            self._refused.add(place)
            return None

    # ---- draws
    def draw_rect(self, state: PipelineState, dyn: Any, rect: Any, submitted: int) -> None:
        """A rectangle of pixels: two triangles with its image as a texture."""
        if rect.x0 >= rect.x1 or rect.y0 >= rect.y1:
            return
        drawn = self._rectangles.get(state)
        if drawn is None:
            drawn = self._rectangles[state] = drawn_as(state)
        made = rectangle(state, dyn, rect)
        image = (made.image,) if made.image is not None else ()
        self.draw(drawn, made.dyn, made.info, submitted, image)

    def draw(self, state: PipelineState, dyn: Any, info: Any, submitted: int,
             more: tuple[Texture, ...] = ()) -> tuple[int, int]:  # fmt: skip
        """One draw call; `more`: textures behind the bound ones of the fragment shader. The numbers
        of vertices and of what primitives have of them.
        """
        batch = self.batch_for(dyn, submitted)
        if batch is None or dyn.discard:
            return 0, 0
        arrays = Arrays(state, info)
        indices = index_list(info)[: arrays.count(info.count)]
        found = primitives(state, dyn, info.mode, len(indices), info.prim_flags,
                           self._edge_flags(state, dyn, arrays, indices))  # fmt: skip
        if not len(found.order):
            return 0, 0
        if found.mode != info.mode:
            debug.perf(f"{len(indices)} vertices of mode {info.mode} become a list of "
                       f"{len(found.order)}")  # fmt: skip
        bound = [self._textures(state, dyn, stage) for stage in (SHADER_VERTEX, SHADER_FRAGMENT)]
        bound[1] += more
        keys = [tuple(texture.key for texture in some) for some in bound]
        made: list[_Record] = []
        for job in batch.jobs:
            seen = to_target(state, job.number)
            key = fs_key(seen, dyn, found.prim, keys[1], job.number)
            shaders = self._compiled(state, key, keys[0], arrays)
            if shaders is None:
                return 0, 0
            made.append(_Record(job.builder, seen, dyn, shaders, bound))
        for n in range(max(info.instances, 1)):
            for part in parts(found):
                for record in made:
                    record.draw(part, indices, arrays, info.instance + n)
                batch.draws += 1
        if batch.draws >= MAX_DRAWS:
            debug.perf(f"{batch.draws} draws end the job")
            self.flush()
        if debug.wanted().always_flush:
            self.flush()
        return len(indices), len(found.order)

    def _edge_flags(self, state: PipelineState, dyn: Any, arrays: Arrays, indices: Ints
                    ) -> Flags | None:  # fmt: skip
        """Which vertices begin edges that are drawn; None: all."""
        ref = state.shader(SHADER_VERTEX)
        if VARYING_SLOT_EDGE not in ref.outputs:
            return None
        return edge_flags(self.shader(ref).linked, dyn, arrays, indices)

    def _textures(self, state: PipelineState, dyn: Any, stage: int) -> list[Texture]:
        views = dyn.stages[stage].views
        return [self.textures.get(views, n) for n in range(state.shader(stage).textures)]


def _note_write(address: int, scene: int) -> None:
    """Whoever maps a texture that is drawn to waits for this scene (Storage.writes)."""
    surface: Any = Surface.view(address) if address else None
    if surface is None or not surface.resource:
        return
    resource: Any = Resource.view(surface.resource)
    if resource.storage:
        storage: Any = Storage.view(resource.storage)
        storage.writes = scene


class _Record:
    """A draw while it is put into a job: packets, shader record, uniforms."""

    def __init__(self, builder: JobBuilder, state: PipelineState, dyn: Any, shaders: Shaders,
                 bound: list[list[Texture]]) -> None:  # fmt: skip
        self.builder, self.state, self.dyn, self.shaders = builder, state, dyn, shaders
        self.bound = bound

    def draw(self, part: Primitives, indices: Ints, arrays: Arrays, instance: int) -> None:
        """Everything of a draw."""
        numbers, places = np.unique(indices[part.order], return_inverse=True)
        self.builder.packet(packets(self.state, self.dyn, part.prim, self._flat()))
        self._shader_record(part.prim, numbers, arrays, instance)
        index = self.builder.buffer(places.astype("<u2").tobytes())
        self.builder.packet(b"\xfe" + struct.pack("<2I", index, 0))
        self.builder.packet(struct.pack("<BBIII", 32, part.mode | 16, len(places), 0,
                                        len(numbers) - 1))  # fmt: skip

    def _flat(self) -> int:
        """Which varyings have one value on a primitive."""
        fragment = self.shaders.fragment
        return fragment.flat_inputs | (fragment.color_inputs if self.state.rast.flatshade else 0)

    def _shader_record(self, prim: int, numbers: Ints, arrays: Arrays, instance: int) -> None:
        fragment, vertex, coordinate = self.shaders
        stencil = stencil_words(self.state, self.dyn)
        blocks = []
        for stage, shader, textures in (
            (SHADER_FRAGMENT, fragment, self.bound[1]), (SHADER_VERTEX, vertex, self.bound[0]),
            (SHADER_VERTEX, coordinate, self.bound[0]),
        ):  # fmt: skip
            code = self.builder.buffer(shader.words, "shader", ("shader", shader.words))
            uniforms = Uniforms(self.builder, self.state, self.dyn, stage, tuple(textures), stencil)
            blocks.append((code, *uniforms.block(shader.stream)))
        rows, masks, sizes = self._attributes(numbers, arrays, instance)
        sized = prim == PRIM_POINTS and self.state.rast.point_size_per_vertex
        flags = _CLIPPING | (fragment.code.threads == 1) * _ONE_THREAD | sized * _POINT_SIZE
        buffers = [block[0] for block in blocks] + [row[0] for row in rows]
        body = struct.pack("<HBB2I", flags, 0, len(fragment.fs_inputs), 0, 0)
        for mask, size in zip(masks, sizes):
            body += struct.pack("<HBB2I", 0, mask, size, 0, 0)
        for _, size, stride, *at in rows:
            body += struct.pack("<I4B", 0, size - 1, stride, *at)
        self.builder.record(struct.pack(f"<{len(buffers)}I", *buffers) + body, len(rows), blocks)

    def _attributes(
        self, numbers: Ints, arrays: Arrays, instance: int
    ) -> tuple[list[tuple[int, ...]], list[int], list[int]]:
        """Attributes (buffer, bytes, stride, places in the VPM), masks and bytes by shader."""
        places: list[dict[int, tuple[int, int]]] = []
        sizes = []
        for shader in self.shaders[1:]:
            at, found = 0, {}
            for slot, size in zip(shader.attr_slots, shader.vattr_sizes):
                if size:
                    found[slot] = at, size
                at += size
            places.append(found)
            sizes.append(at)
        slots = sorted({*places[0], *places[1]})
        if not slots:  # the hardware wants an attribute
            return [(self.builder.buffer(bytes(4)), 4, 0, 0, 0)], [1, 1], [4, 4]
        if len(slots) > MAX_RECORD_ATTRIBUTES:
            return self._joined(places, sizes, numbers, arrays, instance)
        rows: list[tuple[int, ...]] = []
        masks = [0, 0]
        for n, slot in enumerate(slots):
            data = arrays.rows(slot, numbers, instance)
            size, stride = data.shape[1], data.shape[1] if len(data) > 1 else 0
            wanted = [found.get(slot, (0, 0)) for found in places]
            size = min(size, max(one[1] for one in wanted))
            for k, found in enumerate(places):
                masks[k] |= (slot in found) << n
            raw = data.tobytes()
            rows.append((self.builder.buffer(raw, "data", raw), size, stride,
                         wanted[0][0], wanted[1][0]))  # fmt: skip
        return rows, masks, sizes

    def _joined(self, places: list[dict[int, tuple[int, int]]], sizes: list[int], numbers: Ints,
                arrays: Arrays, instance: int
                ) -> tuple[list[tuple[int, ...]], list[int], list[int]]:  # fmt: skip
        """More attributes than a record has: those of a shader lie side by side, as in its VPM,
        and two "attributes" for each shader have a half of the vertex each."""
        debug.perf(f"{len(numbers)} vertices are copied: more attributes than a record has")
        rows: list[tuple[int, ...]] = []
        masks = [0, 0]
        for k, found in enumerate(places):
            whole = np.zeros((len(numbers), sizes[k]), np.uint8)
            for slot, (at, size) in found.items():
                data = arrays.rows(slot, numbers, instance)[:, :size]
                whole[:, at : at + data.shape[1]] = data
            half = (sizes[k] // 8 + 1) * 4
            for at in (0, half):
                some = whole[:, at : at + half]
                if some.shape[1]:
                    masks[k] |= 1 << len(rows)
                    number = self.builder.buffer(some.tobytes())
                    rows.append((number, some.shape[1], some.shape[1], at, at))
        return rows, masks, sizes


__all__ = ["COLOR_FORMATS", "Drawing"]
