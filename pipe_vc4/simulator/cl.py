# SPDX-License-Identifier: MIT
"""The binning list: packets into draws, each with the state that holds for it; the shader records.

Packets as the guide's "Control Record IDs and Data Summary" gives them; 254 names the index buffer
and stands for what the kernel patches.
"""
from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pipe_vc4.simulator.errors import JobError
from pipe_vc4.simulator.job import Job

POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN = range(7)


@dataclass(frozen=True)
class State:
    """What packets have set: the configuration bits, the viewport, the clipper's factors ..."""

    config: int = 0
    flat: int = 0
    point_size: float = 1.0
    line_width: float = 1.0
    offset_factor: float = 0.0
    offset_units: float = 0.0
    clip: tuple[int, int, int, int] = (0, 0, 0, 0)
    centre: tuple[int, int] = (0, 0)
    scale: tuple[float, float] = (0.0, 0.0)
    depth: tuple[float, float] = (0.0, 0.0)
    record: int = -1
    index_buffer: int = -1
    #: of a pixel of the tile buffer
    samples: int = 1

    @property
    def oversamples(self) -> bool:
        """Whether coverage is that of each sample; else all have the centre's."""
        return self.samples > 1 and bool(self.config >> 6 & 3)

    @property
    def draws_front(self) -> bool:
        """Whether triangles facing the front are drawn."""
        return bool(self.config & 1)

    @property
    def draws_back(self) -> bool:
        """Whether triangles facing the back are drawn."""
        return bool(self.config & 2)

    @property
    def front_is_clockwise(self) -> bool:
        """Whether the front is clockwise, y upwards."""
        return bool(self.config & 4)

    @property
    def offsets_depth(self) -> bool:
        """Whether depth is offset."""
        return bool(self.config & 8)

    @property
    def depth_function(self) -> int:
        """The depth test: never, less, equal, lequal, greater, notequal, gequal, always."""
        return self.config >> 12 & 7

    @property
    def writes_depth(self) -> bool:
        """Whether depth is written."""
        return bool(self.config & 0x8000)


@dataclass(frozen=True)
class Draw:
    """A draw: vertices `first` to `first + count` - 1, or `count` indices of the index buffer."""

    state: State
    mode: int
    count: int
    first: int = 0
    index_size: int = 0
    index_offset: int = 0
    greatest: int = 0


@dataclass(frozen=True)
class Attribute:
    """Where a vertex's bytes lie, and the byte of the VPM at which each shader finds them."""

    buffer: int
    offset: int
    size: int
    stride: int
    vertex_at: int
    coordinate_at: int


@dataclass(frozen=True)
class Record:
    """A shader record: code (buffer, byte) of the three shaders, and the attributes."""

    flags: int
    varyings: int
    code: dict[str, tuple[int, int]]
    masks: dict[str, int]
    attributes: list[Attribute] = field(default_factory=list)

    @property
    def single_threaded(self) -> bool:
        """Whether the fragment shader may use all registers."""
        return bool(self.flags & 1)

    @property
    def has_point_size(self) -> bool:
        """Whether the shaders write a point's size after 1/w."""
        return bool(self.flags & 2)


def _length(data: bytes) -> float:
    (value,) = struct.unpack("<f", data)
    if not math.isfinite(value):
        raise JobError("a point's size or a line's width that is no number")
    return float(value)


class _List:
    """A control list while it is read."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.values: dict[str, Any] = {}
        self.state: State | None = None
        self.draws: list[Draw] = []
        self.attributes: list[int] = []
        self.started = self.flushed = False

    def set(self, **values: Any) -> None:
        """What packets say, from now on."""
        self.values.update(values)
        self.state = None

    def binning(self, data: bytes) -> None:
        tiles = (self.job.tiles[2] + 1, self.job.tiles[3] + 1)
        if data[12] < tiles[0] or data[13] < tiles[1]:
            raise JobError(f"binning of {data[12]}x{data[13]} tiles, where {tiles} are drawn")
        if bool(data[14] & 1) != (self.job.samples > 1):
            raise JobError("binning and rendering differ in their samples")
        self.set(samples=self.job.samples)

    def start(self, _: bytes) -> None:
        self.started = True

    def flush(self, _: bytes) -> None:
        self.flushed = True

    def ignore(self, _: bytes) -> None:
        pass

    def prim_format(self, data: bytes) -> None:
        if data[0] & 15 not in (2, 0, 1, 3):
            raise JobError(f"primitive list format {data[0]:#x}")

    def config(self, data: bytes) -> None:
        self.set(config=int.from_bytes(data, "little"))

    def flat(self, data: bytes) -> None:
        self.set(flat=int.from_bytes(data, "little"))

    def point_size(self, data: bytes) -> None:
        self.set(point_size=_length(data))

    def line_width(self, data: bytes) -> None:
        self.set(line_width=_length(data))

    def depth_offset(self, data: bytes) -> None:
        factor, units = (struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in (0, 2))
        self.set(offset_factor=factor, offset_units=units)

    def clip(self, data: bytes) -> None:
        left, bottom, width, height = struct.unpack("<4H", data)
        self.set(clip=(left, bottom, width, height))

    def centre(self, data: bytes) -> None:
        x, y = struct.unpack("<2h", data)
        self.set(centre=(x, y))

    def scale(self, data: bytes) -> None:
        x, y = struct.unpack("<2f", data)
        self.set(scale=(x, y))

    def depth(self, data: bytes) -> None:
        scale, offset = struct.unpack("<2f", data)
        self.set(depth=(scale, offset))

    def shader(self, data: bytes) -> None:
        self.attributes.append(data[0] & 7 or 8)
        self.set(record=len(self.attributes) - 1)

    def buffers(self, data: bytes) -> None:
        self.set(index_buffer=struct.unpack("<I", data[:4])[0])

    def draw(self, mode: int, *rest: int) -> None:
        if "record" not in self.values:
            raise JobError("a draw before a shader state")
        if mode > TRIANGLE_FAN:
            raise JobError(f"primitive mode {mode}")
        if not self.started or self.flushed:
            raise JobError("a draw outside of start and flush")
        if self.state is None:
            self.state = State(**self.values)
        self.draws.append(Draw(self.state, mode, *rest))

    def arrays(self, data: bytes) -> None:
        mode, count, first = struct.unpack("<BII", data)
        self.draw(mode, count, first)

    def indexed(self, data: bytes) -> None:
        mode, count, offset, greatest = struct.unpack("<BIII", data)
        size = 2 if mode & 16 else 1
        self.draw(mode & 15, count, 0, size, offset, greatest)


#: Of each packet its bytes with the opcode, and what reads them.
_PACKETS: dict[int, tuple[int, Callable[[_List, bytes], None]]] = {
    1: (1, _List.ignore), 4: (1, _List.flush), 5: (1, _List.flush), 6: (1, _List.start),
    7: (1, _List.ignore), 32: (14, _List.indexed), 33: (10, _List.arrays),
    56: (2, _List.prim_format),
    64: (5, _List.shader), 96: (4, _List.config), 97: (5, _List.flat), 98: (5, _List.point_size),
    99: (5, _List.line_width), 101: (5, _List.depth_offset), 102: (9, _List.clip),
    103: (5, _List.centre), 105: (9, _List.scale), 106: (9, _List.depth),
    112: (16, _List.binning), 254: (9, _List.buffers)}


def read_list(job: Job) -> tuple[list[Draw], list[int]]:
    """The draws of a binning list, and the number of attributes of each shader record."""
    data = job.streams["bin_cl"]
    reader = _List(job)
    at = 0
    while at < len(data):
        size, read = _PACKETS.get(data[at], (0, _List.ignore))
        if not size:
            raise JobError(f"{job.name}: binning list: unknown packet {data[at]} at byte {at}")
        if at + size > len(data):
            raise JobError(f"{job.name}: binning list: packet {data[at]} is cut off")
        try:
            read(reader, data[at + 1:at + size])
        except JobError as error:
            raise JobError(f"{job.name}: binning list: byte {at}: {error}") from None
        at += size
    if not reader.flushed:
        raise JobError(f"{job.name}: binning list: no flush at its end")
    return reader.draws, reader.attributes


def read_records(job: Job, counts: list[int]) -> list[Record]:
    """The shader records, one a shader state packet."""
    data = job.streams["shader_rec"]
    if len(counts) != len(job.records):
        raise JobError(f"{job.name}: {len(counts)} shader states, {len(job.records)} records")
    records: list[Record] = []
    at = 0
    for count in counts:
        size = 4 * (3 + count) + 36 + 8 * count
        if at + size > len(data):
            raise JobError(f"{job.name}: shader record {len(records)} is cut off")
        records.append(_record(job, data[at:at + size], count))
        at += size
    return records


def _record(job: Job, data: bytes, count: int) -> Record:
    buffers = struct.unpack(f"<{3 + count}I", data[:12 + 4 * count])
    if any(buffer >= len(job.buffers) for buffer in buffers):
        raise JobError(f"{job.name}: a shader record names a buffer that there is not")
    body = data[12 + 4 * count:]
    code = {stage: (buffer, struct.unpack_from("<I", body, at)[0])
            for stage, buffer, at in zip(("fragment", "vertex", "coordinate"), buffers, (4, 16, 28),
                                         strict=False)}
    masks = {"vertex": body[14], "coordinate": body[26]}
    attributes = []
    for i in range(count):
        offset, size, stride, vertex, coordinate = struct.unpack_from("<I4B", body, 36 + 8 * i)
        attributes.append(Attribute(buffers[3 + i], offset, size + 1, stride, vertex, coordinate))
    return Record(struct.unpack_from("<H", body)[0], body[3], code, masks, attributes)
