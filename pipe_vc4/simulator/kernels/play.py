# SPDX-License-Identifier: MIT
"""Plays a job by kernels: Python reads lists and records, all that is many is machine code's."""
from __future__ import annotations

import ctypes
import threading
from collections import Counter
from typing import Any, Final

import numpy as np

from pipe_vc4.qpu.fields import QPU_SIG_, QPU_W
from pipe_vc4.simulator.arrays import Ints, Words
from pipe_vc4.simulator.cl import POINTS, TRIANGLES, Attribute, Draw
from pipe_vc4.simulator.clip import Vertices, assemble, clip_primitives
from pipe_vc4.simulator.errors import JobError, TooLong
from pipe_vc4.simulator.job import DECIMATE_4X, READ_IS_FULL_RES, Surface
from pipe_vc4.simulator.kernels.engine import (
    is_worth_it,
    pipeline,
    sampled_play,
    sampler,
    shader,
)
from pipe_vc4.simulator.kernels.errors import error_text
from pipe_vc4.simulator.kernels.layout import (
    LANES,
    ROWS,
    Vc4Attribute,
    Vc4Draw,
    Vc4Group,
    Vc4Job,
    Vc4Memory,
    Vc4Primitive,
    Vc4Rows,
    Vc4Surface,
    Vc4Tile,
    Vc4Vertices,
)
from pipe_vc4.simulator.kernels.program import Shape
from pipe_vc4.simulator.kernels.state import Untranslatable
from pipe_vc4.simulator.player import Player, cpp_of
from pipe_vc4.simulator.program import Program
from pipe_vc4.simulator.raster import IMPLICIT
from pipe_vc4.simulator.samples import REACH
from pipe_vc4.simulator.vertices import padded

_ALIGN: Final = 64
#: words of a shader that numpy runs before a compiler is worth its time
PATIENCE: Final = 1 << 13
#: draws of one job by one shader that are worth a compiler
MANY: Final = 64


def _at(array: np.ndarray) -> int:
    return int(array.ctypes.data)


class _Scratch(threading.local):
    """Memory that a thread's jobs use one after the other: it grows, and is never cleared."""

    def __init__(self) -> None:
        self._parts: dict[str, Any] = {}

    def bytes(self, name: str, size: int) -> int:
        """The address of `size` bytes, aligned to a cache line."""
        part = self._parts.get(name)
        if part is None or len(part) < size + _ALIGN:
            part = self._parts[name] = np.zeros(max(size + _ALIGN, 4096), np.uint8)
        return -(-_at(part) // _ALIGN) * _ALIGN


_SCRATCH: Final = _Scratch()


def _depth_shape(program: Program, draw: Draw) -> tuple[int, bool]:
    """The depth test that a shader makes; always the same one of those that make none."""
    writes = any(QPU_W.TLB_Z in (word.waddr_add, word.waddr_mul) for word in program.code)
    return (draw.state.depth_function, draw.state.writes_depth) if writes else (7, False)


class KernelPlayer(Player):
    """One job on the memory that it shares with those before it."""

    #: the kernels' view of the memory, while they play
    _view: Any = None

    def play(self) -> None:
        """Draws all tiles."""
        draws = [draw for draw in self.draws if draw.count]
        try:
            self.code = {id(draw): {stage: shader(shape)
                                    for stage, shape in self._shapes(draw).items()}
                         for draw in draws}
        except Untranslatable:
            super().play()
        else:
            self._by_kernels(draws)

    # ---- what all kernels want
    def _memory(self) -> Any:
        limits = self.memory.limits()
        view = Vc4Memory.ctype()(_at(self.memory.bytes), _at(limits), len(limits))
        view.kept = limits  # lives as long
        return view

    def _shapes(self, draw: Draw) -> dict[str, Shape]:
        """A draw's three shaders."""
        record, programs = self.records[draw.state.record], self.programs[draw.state.record]
        corners = 1 if draw.mode == POINTS else 2 if draw.mode < TRIANGLES else 3
        if record.varyings + 3 + record.has_point_size > ROWS:
            raise Untranslatable("more varyings than the VPM has rows")
        varyings = record.varyings + IMPLICIT[corners]
        found = {stage: Shape(program.source.words, False) for stage, program in programs.items()
                 if program.source is not None}
        of = programs["fragment"]
        found["fragment"] = Shape(found["fragment"].words, True, varyings, *_depth_shape(of, draw),
                                  self.samples)
        return found

    def _by_kernels(self, draws: list[Draw]) -> None:
        if any(program.source is not None and program.source.places
               for programs in self.programs for program in programs.values()):
            sampler()
        view = self._view = self._memory()
        made = (Vc4Draw.ctype() * max(len(draws), 1))()
        kept = []
        for number, draw in enumerate(draws):
            made[number].shader = self.code[id(draw)]["fragment"].address
            kept.append(self._set_up(draw, made[number], number))
        job = self._job(view, made, len(draws))
        play = pipeline().play if self.samples == 1 else sampled_play()
        code = play(ctypes.addressof(job))
        if code:
            raise JobError(error_text(code))
        self.note_stored()

    # ---- vertices
    def written(self, draw: Draw, stage: str, numbers: Ints) -> Words:
        """What a shader writes for vertices: rows x vertices."""
        if self._view is None:
            return super().written(draw, stage, numbers)
        record, program = self.records[draw.state.record], self.programs[draw.state.record][stage]
        every = padded(numbers)
        groups = len(every) // LANES
        attributes = [(attribute, self.addresses[attribute.buffer])
                      for n, attribute in enumerate(record.attributes)
                      if record.masks[stage] >> n & 1]
        table = (Vc4Attribute.ctype() * max(len(attributes), 1))()
        top = 0
        for n, (attribute, base) in enumerate(attributes):
            place = _place(attribute, stage)
            table[n] = (base + attribute.offset, attribute.stride, attribute.size, place)
            top = max(top, (place + attribute.size + 3) // 4)
        rows = 4 if stage == "coordinate" else 3 + record.has_point_size + record.varyings
        written: Words = np.zeros((ROWS, groups * LANES), np.uint32)
        every = np.ascontiguousarray(every, np.int64)
        run = Vc4Vertices.ctype()(
            memory=ctypes.addressof(self._view), numbers=_at(every), groups=groups,
            shader=self.code[id(draw)][stage].address,
            attributes=ctypes.addressof(table), count=len(attributes), filled=top,
            uniforms=program.uniforms, out_rows=min(rows, ROWS), written=_at(written),
            state=_SCRATCH.bytes("rows", Vc4Rows.size))
        state: Any = Vc4Rows.view(run.state)
        state.units = ctypes.addressof(pipeline().units)
        code = pipeline().shade(ctypes.addressof(run))
        if code:
            raise JobError(error_text(code))
        return written[:, :len(numbers)]

    # ---- primitives
    def _set_up(self, draw: Draw, into: Any, number: int) -> Any:
        """A draw's primitives into memory of their own; what must live as long."""
        order = self.indices(draw)
        numbers, inverse = np.unique(order, return_inverse=True)
        vertices = self.vertices(draw, numbers)
        rows = assemble(draw.mode, inverse.astype(np.int64))
        rows, provoking = clip_primitives(vertices, rows, draw.state)
        count = vertices.varyings.shape[1]
        arrays = _arrays(vertices, rows, provoking)
        for name, array in arrays.items():
            setattr(into, name, _at(array))
        state = draw.state
        left, bottom, width, height = state.clip
        into.primitives, into.corners, into.count = len(rows), rows.shape[1], count
        into.flat, into.config = state.flat, state.config
        into.left, into.bottom = left, bottom
        into.right, into.top = left + width - 1, bottom + height - 1
        into.near, into.far = REACH if state.oversamples else (8, 8)
        into.oversamples = state.oversamples
        into.line_width, into.offset_factor = state.line_width, state.offset_factor
        into.offset_units = state.offset_units
        into.made = _SCRATCH.bytes(f"primitives {number}", Vc4Primitive.size * (len(rows) + 1))
        into.uniforms = self.programs[state.record]["fragment"].uniforms
        pipeline().set_up(ctypes.addressof(into))
        return arrays

    # ---- tiles
    def _surface(self, surface: Surface, tiling_at: int, cpp: int) -> Any:
        if surface.buffer < 0:
            return Vc4Surface.ctype()(0, 0, cpp, 0, 0)
        if surface.offset % cpp:
            raise JobError("a surface at half a pixel")
        address = self.addresses[surface.buffer] + surface.offset
        return Vc4Surface.ctype()(address, surface.bits >> tiling_at & 3, cpp, 0, 0)

    def _every(self, surface: Surface) -> Any:
        """A surface of all samples."""
        address = self.address_of_samples(surface) if surface.buffer >= 0 else 0
        return Vc4Surface.ctype()(address, 0, 4, 1, 0)

    def _job(self, view: Any, draws: Any, count: int) -> Any:
        job, surfaces = self.job, self.job.surfaces
        color = surfaces["color_write"]
        made = Vc4Job.ctype()()
        made.memory, made.draws, made.count = (
            ctypes.addressof(view), ctypes.addressof(draws), count)
        made.tile = _SCRATCH.bytes("tile", Vc4Tile.size)
        made.group = _SCRATCH.bytes("group", Vc4Group.size)
        made.width, made.height = job.width, job.height
        made.first_x, made.first_y, made.last_x, made.last_y = job.tiles
        made.clear_color, made.clear_z, made.clear_s = job.clear_color, job.clear_z, job.clear_s
        read = surfaces["color_read"]
        for name, cpp in (("color_read", 2 if read.bits >> 8 & 3 else 4), ("zs_read", 4)):
            one = surfaces[name]
            every = one.flags & READ_IS_FULL_RES
            setattr(made, name, self._every(one) if every else self._surface(one, 4, cpp))
        for name in ("msaa_color_write", "msaa_zs_write"):
            setattr(made, name, self._every(surfaces[name]))
        made.color_write = self._surface(color, 6, cpp_of(color) if color.buffer >= 0 else 4)
        made.color_write.mean = bool(color.bits & DECIMATE_4X)
        made.zs_write = self._surface(surfaces["zs_write"], 4, 4)
        group: Any = Vc4Group.view(made.group)
        group.memory, group.tile = made.memory, made.tile
        group.units = ctypes.addressof(pipeline().units)
        return made


def _place(attribute: Attribute, stage: str) -> int:
    """The byte of the VPM at which an attribute lies."""
    place = attribute.vertex_at if stage == "vertex" else attribute.coordinate_at
    if place % 4 or place + attribute.size > 4 * ROWS:
        raise JobError(f"an attribute at byte {place} of the VPM")
    return place


def _arrays(vertices: Vertices, rows: Ints, provoking: Ints) -> dict[str, np.ndarray]:
    """What set-up reads, by the fields of Vc4Draw."""
    whole = {name: np.ascontiguousarray(array, np.int64)
             for name, array in (("x", vertices.x), ("y", vertices.y), ("rows", rows),
                                 ("provoking", provoking))}
    numbers = {name: np.ascontiguousarray(array, np.float64)
               for name, array in (("z", vertices.z), ("rw", vertices.rw),
                                   ("size", vertices.size), ("varyings", vertices.varyings))}
    return {**whole, **numbers}


class SteadyPlayer(KernelPlayer):
    """By kernels what is played again, or often, or what has code already; for the first time by
    numpy: a shader that is used once is not worth a compiler, unless its loops run for long."""

    def play(self) -> None:
        """Draws all tiles."""
        try:
            wanted = Counter(shape for draw in self.draws if draw.count
                             for shape in self._shapes(draw).values())
            known = [is_worth_it(shape) for shape in wanted]
            steady = all(known) or max(wanted.values()) >= MANY
        except Untranslatable:
            steady = False
        if steady:
            super().play()
        else:
            self._play_patiently()

    def _play_patiently(self) -> None:
        """By numpy, as long as no loop takes long; then from the begin by kernels."""
        loops = any(word.sig == QPU_SIG_.BRANCH for programs in self.programs
                    for program in programs.values() for word in program.code)
        before = self.memory.bytes.copy() if loops else None
        self.patience = PATIENCE if loops else 0
        try:
            Player.play(self)
        except TooLong:
            if before is None:
                raise
            self.memory.bytes[:] = before
            self.patience = 0
            super().play()


__all__ = ["KernelPlayer", "SteadyPlayer"]
