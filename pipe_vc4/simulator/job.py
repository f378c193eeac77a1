# SPDX-License-Identifier: MIT
"""Reader of a job's text: what a driver gave the kernel for a frame."""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pipe_vc4.simulator.errors import JobError

SURFACES = ("color_read", "color_write", "zs_read", "zs_write", "msaa_color_write",
            "msaa_zs_write")
#: bits of `color_write`: four samples a pixel; their mean is stored (two bits, 0: one of them)
MS_MODE_4X, DECIMATE_4X = 0x01, 0x10
#: flag of a read surface: it holds all samples, tile by tile, as they lie in the tile buffer
READ_IS_FULL_RES = 1
STREAMS = ("bin_cl", "shader_rec", "uniforms")
STAGES = ("fragment", "vertex", "coordinate")


@dataclass(frozen=True)
class Surface:
    """Where tiles are loaded from or stored to; buffer -1: nowhere."""

    buffer: int = -1
    offset: int = 0
    bits: int = 0
    flags: int = 0


@dataclass(frozen=True)
class Buffer:
    """A buffer object: its handle names it in other jobs, too; past `data` it holds zeros."""

    handle: int
    size: int
    kind: str
    data: bytes


@dataclass(frozen=True)
class Block:
    """A shader's uniforms within the stream: its code's buffer, `handles`, then `values`."""

    buffer: int
    handles: int
    values: int


@dataclass
class Job:
    """One submitted frame. Tiles are inclusive, in units of 64 pixels, of 32 with four samples."""

    name: str
    width: int = 0
    height: int = 0
    tiles: tuple[int, int, int, int] = (0, 0, 0, 0)
    flags: int = 0
    surfaces: dict[str, Surface] = field(default_factory=dict)
    clear_color: int = 0
    clear_z: int = 0
    clear_s: int = 0
    streams: dict[str, bytes] = field(default_factory=dict)
    buffers: list[Buffer] = field(default_factory=list)
    records: list[dict[str, Block]] = field(default_factory=list)

    @property
    def samples(self) -> int:
        """Samples a pixel, as the render configuration says."""
        return 4 if self.surfaces["color_write"].bits & MS_MODE_4X else 1


class _Reader:
    """Lines, with the number of the one last taken."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.lines, self.at = name, text.splitlines(), 0

    def error(self, what: str) -> JobError:
        return JobError(f"{self.name}: line {self.at}: {what}")

    def line(self) -> str:
        if self.at >= len(self.lines):
            raise self.error("the job ends too early")
        self.at += 1
        return self.lines[self.at - 1]

    def match(self, pattern: str, line: str) -> tuple[str, ...]:
        found = re.fullmatch(pattern, line)
        if not found:
            raise self.error(f"not understood: {line[:60]!r}")
        return found.groups()

    def data(self, size: int) -> bytes:
        """`size` bytes: words of 32 bits, 16 a line, then up to three bytes as "tail BYTES"."""
        data = b""
        while len(data) < size:
            line = self.line()
            pattern = r"([0-9a-f]{8}(?: [0-9a-f]{8}){0,15})?(?: ?tail ((?:[0-9a-f]{2}){1,3}))?"
            found = re.fullmatch(pattern, line.strip())
            if not found or not line.strip():
                raise self.error(f"words expected, {line[:40]!r} found: bytes are missing")
            words = (found[1] or "").split()
            data += b"".join(int(word, 16).to_bytes(4, "little") for word in words)
            data += bytes.fromhex(found[2] or "")
        if len(data) != size:
            raise self.error(f"more than the {size} bytes promised")
        return data


def _head(job: Job, reader: _Reader, line: str) -> None:
    pattern = r"width (\d+) height (\d+) tiles (\d+) (\d+) (\d+) (\d+) flags (\d+) records (\d+)"
    w, h, x0, y0, x1, y1, flags, records = map(int, reader.match(pattern, line))
    job.width, job.height, job.tiles, job.flags = w, h, (x0, y0, x1, y1), flags
    job.records = [{} for _ in range(records)]
    if not (0 < w <= 2048 and 0 < h <= 2048 and x0 <= x1 < 64 and y0 <= y1 < 64):
        raise reader.error("a picture of 1 to 2048 pixels each way is expected")


def _surface(job: Job, reader: _Reader, line: str) -> None:
    pattern = r"(\w+) (-?\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+)"
    name, buffer, offset, bits, flags = reader.match(pattern, line)
    job.surfaces[name] = Surface(int(buffer), int(offset), int(bits, 16), int(flags, 16))


def _clear(job: Job, reader: _Reader, line: str) -> None:
    pattern = r"clear ([0-9a-f]{8}) ([0-9a-f]{8}) z ([0-9a-f]+) s ([0-9a-f]+)"
    color, _, z, s = (int(value, 16) for value in reader.match(pattern, line))
    job.clear_color, job.clear_z, job.clear_s = color, z & 0xFFFFFF, s & 0xFF


def _stream(job: Job, reader: _Reader, line: str) -> None:
    name, size = reader.match(r"(\w+) bytes (\d+)", line)
    job.streams[name] = reader.data(int(size))


def _buffer(job: Job, reader: _Reader, line: str) -> None:
    pattern = r"bo(\d+) handle (\d+) size (\d+) kind (\w+) bytes (\d+)"
    number, handle, size, kind, given = reader.match(pattern, line)
    if int(number) != len(job.buffers) or int(given) > int(size) or int(size) > 1 << 28:
        raise reader.error("a buffer out of order, or with more bytes than its size")
    job.buffers.append(Buffer(int(handle), int(size), kind, reader.data(int(given))))


def _record(job: Job, reader: _Reader, line: str) -> None:
    stage = r" (fragment|vertex|coordinate) bo(\d+) (\d+) (\d+)"
    number, *rest = reader.match(rf"record (\d+) uniforms{stage * 3}", line)
    if int(number) >= len(job.records):
        raise reader.error("more records than promised")
    for i in range(0, 12, 4):
        block = Block(*(int(value) for value in rest[i + 1:i + 4]))
        if block.buffer >= len(job.buffers):
            raise reader.error(f"there is no buffer {block.buffer}")
        job.records[int(number)][rest[i]] = block


_READERS: dict[str, Callable[[Job, _Reader, str], None]] = {
    "width": _head, "clear": _clear, "record": _record,
    **dict.fromkeys(SURFACES, _surface), **dict.fromkeys(STREAMS, _stream)}


def parse_job(text: str, name: str = "job") -> Job:
    """A job of its text; JobError says which line is wrong, and how."""
    job, reader = Job(name), _Reader(name, text)
    seen = set()
    while reader.at < len(reader.lines):
        line = reader.line().rstrip()
        if not line or line.startswith("#"):
            continue
        word = line.split()[0]
        read = _buffer if re.fullmatch(r"bo\d+", word) else _READERS.get(word)
        if read is None:
            raise reader.error(f"not understood: {line[:60]!r}")
        read(job, reader, line)
        seen.add(word)
    missing = [word for word in ("width", "clear", *SURFACES, *STREAMS) if word not in seen]
    if missing:
        raise reader.error(f"the job has no {missing[0]}")
    for surface_name, surface in job.surfaces.items():
        if surface.buffer >= len(job.buffers):
            raise reader.error(f"{surface_name} names buffer {surface.buffer}, which there is not")
    if any(set(record) != set(STAGES) for record in job.records):
        raise reader.error("the uniforms of a record are missing")
    return job
