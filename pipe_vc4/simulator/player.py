# SPDX-License-Identifier: MIT
"""Plays a job in numpy: vertices, then every tile, then the picture out of memory."""
from __future__ import annotations

import numpy as np

from pipe_vc4.qpu.validate import QpuError
from pipe_vc4.simulator import samples, tiling
from pipe_vc4.simulator.arrays import Bytes, Doubles, Ints, Words
from pipe_vc4.simulator.cl import Draw, Record, read_list, read_records
from pipe_vc4.simulator.clip import Vertices, assemble, clip_primitives
from pipe_vc4.simulator.errors import JobError
from pipe_vc4.simulator.job import (
    DECIMATE_4X,
    READ_IS_FULL_RES,
    STAGES,
    Job,
    Surface,
)
from pipe_vc4.simulator.memory import Memory
from pipe_vc4.simulator.program import Program, code_of
from pipe_vc4.simulator.qpu import Machine, Unit, run
from pipe_vc4.simulator.raster import Quads, rasterize
from pipe_vc4.simulator.tlb import SIZE, FragmentUnit, Tile
from pipe_vc4.simulator.vertices import fetch, padded, shade

#: More vertices in one draw than this are taken for a damaged job.
MOST_VERTICES = 1 << 20


class Player:
    """One job on the memory that it shares with those before it."""

    #: words that a shader may run; 0: what hardware's kernel would wait for
    patience = 0

    def __init__(self, job: Job, memory: Memory) -> None:
        self.job, self.memory = job, memory
        self.samples = job.samples
        #: pixels of a tile's side
        self.side = SIZE if self.samples == 1 else samples.SIZE
        self.addresses = [memory.buffer(b.handle, b.size, b.data) for b in job.buffers]
        self.draws, counts = read_list(job)
        self.records = read_records(job, counts)
        self.programs = self.read_programs()

    def read_programs(self) -> list[dict[str, Program]]:
        """The shaders of every record, checked, with their uniforms in memory."""
        data = self.job.streams["uniforms"]
        at = 0
        programs: list[dict[str, Program]] = []
        for number, (record, blocks) in enumerate(zip(self.records, self.job.records, strict=True)):
            programs.append({})
            for stage in STAGES:
                block = blocks[stage]
                size = 4 * (block.handles + block.values)
                if at + size > len(data):
                    raise JobError(f"the uniforms of record {number} are cut off")
                words = np.frombuffer(data[at:at + size], "<u4").astype(np.int64)
                at += size
                try:
                    programs[-1][stage] = self.program(record, stage, words, block.handles)
                except (JobError, QpuError) as error:
                    raise JobError(f"record {number}, {stage} shader: {error}") from None
        return programs

    def program(self, record: Record, stage: str, words: Ints, handles: int) -> Program:
        """One shader of a record."""
        buffer, offset = record.code[stage]
        size = self.job.buffers[buffer].size
        if size % 8 or offset % 8 or offset >= size:
            raise JobError("the code is not whole words")
        address = self.addresses[buffer] + offset
        code = code_of(self.memory.bytes[address:address - offset + size].tobytes(),
                       stage == "fragment")
        if code.switches and (stage != "fragment" or record.single_threaded):
            raise JobError("thread switches in a shader of one thread")
        buffers = words[:handles].tolist()
        if any(number >= len(self.addresses) for number in buffers):
            raise JobError("the uniforms name a buffer that there is not")
        base = self.memory.allocate(4 * (len(words) - handles) + 4)
        values = code.relocated(words[handles:], [self.addresses[number] for number in buffers],
                                base)
        self.memory.bytes[base:base + 4 * len(values)] = values.view(np.uint8)
        return Program(code.instructions, address, base, code)

    def indices(self, draw: Draw) -> Ints:
        """The vertices of a draw, in its order."""
        if draw.count > MOST_VERTICES:
            raise JobError(f"a draw of {draw.count} vertices: at most {MOST_VERTICES}")
        if not draw.index_size:
            return np.arange(draw.first, draw.first + draw.count, dtype=np.int64)
        buffer = draw.state.index_buffer
        if not 0 <= buffer < len(self.addresses):
            raise JobError("a draw with indices, and no index buffer")
        if draw.index_offset % draw.index_size:
            raise JobError("indices at half an index")
        at = self.addresses[buffer] + draw.index_offset
        places = at + draw.index_size * np.arange(draw.count, dtype=np.int64)
        found = self.memory.elements(places, draw.index_size, "an index is read").astype(np.int64)
        if (found > draw.greatest).any():
            raise JobError(f"an index above {draw.greatest}")
        return found

    def written(self, draw: Draw, stage: str, numbers: Ints) -> Words:
        """What a shader writes for vertices: rows x vertices."""
        record, programs = self.records[draw.state.record], self.programs[draw.state.record]
        addresses = [self.addresses[attribute.buffer] for attribute in record.attributes]
        rows = fetch(self.memory, record.attributes, addresses, record.masks[stage], stage,
                     padded(numbers))
        return shade(programs[stage], self.memory, rows, self.patience)[:, :len(numbers)]

    def vertices(self, draw: Draw, numbers: Ints) -> Vertices:
        """What the two shaders make of vertices."""
        record = self.records[draw.state.record]
        written = {stage: self.written(draw, stage, numbers) for stage in ("coordinate", "vertex")}
        out = written["vertex"]
        place = out[0].astype(np.int64)
        x = (place & 0xFFFF ^ 0x8000) - 0x8000 + draw.state.centre[0]
        y = (place >> 16 ^ 0x8000) - 0x8000 + draw.state.centre[1]

        def numbers_of(rows: Words) -> Doubles:
            return np.nan_to_num(rows.view(np.float32).astype(np.float64))

        first = 3 + record.has_point_size
        rest = numbers_of(out[1:first + record.varyings])
        size = (rest[2] if record.has_point_size
                else np.full(len(numbers), draw.state.point_size))
        return Vertices(x, y, rest[0], rest[1], size, numbers_of(written["coordinate"][:4]).T,
                        rest[first - 1:].T)

    def quads(self, draw: Draw) -> Quads | None:
        """The quads of a draw."""
        order = self.indices(draw)
        if not len(order):
            return None
        numbers, inverse = np.unique(order, return_inverse=True)
        vertices = self.vertices(draw, numbers)
        rows = assemble(draw.mode, inverse.astype(np.int64))
        rows, provoking = clip_primitives(vertices, rows, draw.state)
        return rasterize(vertices, rows, provoking, draw.state)

    def shade(self, draw: Draw, quads: Quads, layers: list[Ints], tile: Tile) -> None:
        """Runs the fragment shader over a draw's quads within a tile, layer by layer."""
        side = self.side
        inside = ((quads.x // side == tile.x // side) & (quads.y // side == tile.y // side))
        program = self.programs[draw.state.record]["fragment"]
        for layer in layers:
            chosen = layer[inside[layer]]
            if not len(chosen):
                continue
            fragments = quads.fragments(chosen)
            kind = FragmentUnit if self.samples == 1 else samples.SampledUnit
            unit: Unit = kind(fragments, tile, draw.state)
            machine = Machine(program, self.memory, unit, len(fragments.x), self.patience)
            machine.files[0][15] = fragments.w.view(np.uint32)
            machine.files[1][15] = fragments.z
            run(machine)

    def play(self) -> None:
        """Draws all tiles."""
        drawn = [(draw, quads, quads.layers()) for draw in self.draws
                 for quads in (self.quads(draw),) if quads is not None]
        x0, y0, x1, y1 = self.job.tiles
        for ty in range(y0, y1 + 1):
            for tx in range(x0, x1 + 1):
                tile = self.load(tx * self.side, ty * self.side)
                for draw, quads, layers in drawn:
                    self.shade(draw, quads, layers, tile)
                self.store(tile)

    def pixels(self, tile: Tile) -> tuple[Ints, Ints]:
        """Rows and columns of a tile's pixels within the picture."""
        ys = np.arange(tile.y, min(tile.y + self.side, self.job.height), dtype=np.int64)
        xs = np.arange(tile.x, min(tile.x + self.side, self.job.width), dtype=np.int64)
        return ys[:, None], xs[None, :]

    def part(self, tile: Tile) -> tuple[slice, slice]:
        """The part of a tile that lies within the picture."""
        return (slice(max(min(self.side, self.job.height - tile.y), 0)),
                slice(max(min(self.side, self.job.width - tile.x), 0)))

    def place(self, surface: Surface, tile: Tile, cpp: int, kind: int) -> Ints:
        """The addresses of a tile's pixels in a surface."""
        y, x = np.broadcast_arrays(*self.pixels(tile))
        base = self.addresses[surface.buffer] + surface.offset
        if surface.offset % cpp:
            raise JobError("a surface at half a pixel")
        return base + tiling.offsets(x, y, self.job.width, cpp, kind)

    def address_of_samples(self, surface: Surface) -> int:
        """Where a surface of all samples begins."""
        if surface.offset % 16 or self.samples == 1:
            raise JobError("a surface of all samples at half a quad, or where there is but one")
        return self.addresses[surface.buffer] + surface.offset

    def every_place(self, surface: Surface, tile: Tile) -> Ints:
        """The addresses of the samples of a tile in a surface that has them all: whole tiles."""
        y, x = np.mgrid[tile.y:tile.y + self.side, tile.x:tile.x + self.side]
        return self.address_of_samples(surface) + samples.offsets(x, y, self.job.width)

    def loaded(self, surface: Surface, tile: Tile, cpp: int
               ) -> tuple[tuple[slice, ...], Words]:  # fmt: skip
        """What a surface has for a part of a tile, or for each sample of all of it."""
        if surface.flags & READ_IS_FULL_RES:
            return (), self.memory.words(self.every_place(surface, tile), "a tile is loaded")
        at = self.place(surface, tile, cpp, surface.bits >> 4 & 3)
        words = self.memory.elements(at, cpp, "a tile is loaded")
        return self.part(tile), words if self.samples == 1 else words[..., None]

    def load(self, x: int, y: int) -> Tile:
        """A tile, cleared or loaded."""
        job = self.job
        shape = (self.side, self.side, self.samples)[:2 if self.samples == 1 else 3]
        tile = Tile(x, y, *(np.full(shape, value, np.uint32) for value in (
            job.clear_color, job.clear_z, job.clear_s)))
        color, zs = job.surfaces["color_read"], job.surfaces["zs_read"]
        if color.buffer >= 0:
            cpp = 2 if color.bits >> 8 & 3 else 4
            part, words = self.loaded(color, tile, cpp)
            tile.color[part] = _from_stored(words, cpp)
        if zs.buffer >= 0:
            part, words = self.loaded(zs, tile, 4)
            tile.z[part], tile.stencil[part] = words >> np.uint32(8), words & np.uint32(255)
        return tile

    def store(self, tile: Tile) -> None:
        """A tile's depth and stencil, then its colours, to memory."""
        surfaces, part = self.job.surfaces, self.part(tile)
        color, zs = surfaces["color_write"], surfaces["zs_write"]
        words, colors = tile.z << np.uint32(8) | tile.stencil, tile.color
        for name, values in (("msaa_color_write", colors), ("msaa_zs_write", words)):
            if surfaces[name].buffer >= 0:
                at = self.every_place(surfaces[name], tile)
                self.memory.store_words(at, values, "a tile is stored")
        words, colors = words[part], colors[part]
        if self.samples > 1:
            words = np.ascontiguousarray(words[..., 0])
            colors = samples.average(colors) if color.bits & DECIMATE_4X else colors[..., 0]
        if zs.buffer >= 0:
            at = self.place(zs, tile, 4, zs.bits >> 4 & 3)
            self.memory.store_words(at, words, "a tile is stored")
        if color.buffer >= 0:
            cpp = cpp_of(color)
            at = self.place(color, tile, cpp, color.bits >> 6 & 3)
            self.memory.check(at, "a tile is stored")
            kind = np.uint16 if cpp == 2 else np.uint32
            self.memory.bytes.view(kind)[at // cpp] = _to_stored(colors, cpp)
        self.note_stored()

    def note_stored(self) -> None:
        """Later jobs find in the surfaces what was stored, not what their own texts say."""
        for name in ("color_write", "zs_write", "msaa_color_write", "msaa_zs_write"):
            buffer = self.job.surfaces[name].buffer
            if buffer >= 0:
                self.memory.stored.add(self.job.buffers[buffer].handle)

    def picture(self) -> Bytes:
        """What the colour surface holds, of samples their means: height x width x 4, the bottom
        row first.
        """
        surface, every = (self.job.surfaces[name] for name in ("color_write", "msaa_color_write"))
        y, x = np.mgrid[:self.job.height, :self.job.width]
        if surface.buffer < 0 <= every.buffer:
            base = self.addresses[every.buffer] + every.offset
            words = self.memory.words(base + samples.offsets(x, y, self.job.width),
                                      "the picture is read")
            return samples.average(words).view(np.uint8).reshape(*x.shape, 4)
        if surface.buffer < 0:
            raise JobError("the job stores no colours")
        cpp = cpp_of(surface)
        at = self.addresses[surface.buffer] + surface.offset + tiling.offsets(
            x, y, self.job.width, cpp, surface.bits >> 6 & 3)
        words = _from_stored(self.memory.elements(at, cpp, "the picture is read"), cpp)
        return np.ascontiguousarray(words).view(np.uint8).reshape(*words.shape, 4)


def cpp_of(surface: Surface) -> int:
    """Bytes a pixel of a surface stored to: 4 of RGBA8888, 2 of BGR565."""
    kind = surface.bits >> 2 & 3
    if kind not in (1, 2):
        raise JobError(f"colour format {kind} is not simulated")
    return 4 if kind == 1 else 2


def _from_stored(words: Words, cpp: int) -> Words:
    """Stored pixels as RGBA8888, R in the lowest byte."""
    if cpp == 4:
        return words
    red, blue = words >> np.uint32(11), words & np.uint32(31)
    green = words >> np.uint32(5) & np.uint32(63)
    red, blue = (part << np.uint32(3) | part >> np.uint32(2) for part in (red, blue))
    green = green << np.uint32(2) | green >> np.uint32(4)
    found: Words = red | green << np.uint32(8) | blue << np.uint32(16) | np.uint32(0xFF000000)
    return found


def _to_stored(words: Words, cpp: int) -> Words:
    """RGBA8888 as stored pixels."""
    if cpp == 4:
        return words
    red, green, blue = (words >> np.uint32(shift) & np.uint32(255) for shift in (0, 8, 16))
    found: Words = ((red >> np.uint32(3)) << np.uint32(11) | (green >> np.uint32(2)) << np.uint32(5)
                    | blue >> np.uint32(3))
    return found


