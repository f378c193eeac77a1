# SPDX-License-Identifier: MIT
"""A job while draws are recorded: binning list, shader records, uniforms, buffers (vc4_job.c).

In: draws. Out: a `Job` as the simulator's reader makes one, and its text.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable, Sequence
from itertools import count
from typing import Final

from pipe_vc4.simulator.job import STAGES, STREAMS, SURFACES, Block, Buffer, Job, Surface

#: pixels of a tile's side, by the samples of a pixel
TILES: Final = {1: 64, 4: 32}
_numbers = count(1)


class JobBuilder:
    """A job of a picture of width x height pixels of one sample or four."""

    def __init__(self, width: int, height: int, samples: int = 1) -> None:
        self.samples = samples
        self.tiles = -(-width // TILES[samples]), -(-height // TILES[samples])
        self.job = Job(f"job {next(_numbers)}", width, height,
                       (0, 0, self.tiles[0] - 1, self.tiles[1] - 1))  # fmt: skip
        self.job.surfaces = {name: Surface() for name in SURFACES}
        self._bin = bytearray(b"\x70" + bytes(12) + bytes((*self.tiles, samples > 1)))
        self._bin += b"\x06\x07\x38\x12"
        self._records, self._uniforms = bytearray(), bytearray()
        self._known: dict[Hashable, int] = {}

    def buffer(self, data: bytes, kind: str = "data", key: Hashable = None, size: int = 0) -> int:
        """The number of a buffer that holds `data`; buffers of one key are one."""
        if key is not None and key in self._known:
            return self._known[key]
        number = len(self.job.buffers)
        size = max(size, len(data), 4)
        self.job.buffers.append(Buffer(number + 1, size, kind, data))
        if key is not None:
            self._known[key] = number
        return number

    def packet(self, data: bytes) -> None:
        """Packets of the binning list."""
        self._bin += data

    def record(
        self, record: bytes, attributes: int,
        blocks: Sequence[tuple[int, Sequence[int], Sequence[int]]],
    ) -> None:  # fmt: skip
        """A shader record with the uniforms of its three shaders (code, handles, values)."""
        self._records += record
        for _, handles, values in blocks:
            numbers = [*handles, *values]
            self._uniforms += struct.pack(f"<{len(numbers)}I", *numbers)
        self.job.records.append({
            stage: Block(code, len(handles), len(values))
            for stage, (code, handles, values) in zip(STAGES, blocks, strict=True)
        })  # fmt: skip
        self._bin += bytes((64, attributes & 7, 0, 0, 0))

    def finished(self) -> Job:
        """The job."""
        streams = map(bytes, (self._bin + b"\x05\x04", self._records, self._uniforms))
        self.job.streams = dict(zip(STREAMS, streams, strict=True))
        return self.job


def _words(data: bytes) -> list[str]:
    whole = len(data) // 4 * 4
    words = [f"{word:08x}" for word in struct.unpack(f"<{whole // 4}I", data[:whole])]
    if data[whole:]:
        words.append(f"tail {data[whole:].hex()}")
    return [" ".join(words[i : i + 16]) for i in range(0, len(words), 16)]


def job_text(job: Job) -> str:
    """A job as the text that `parse_job` reads."""
    tiles = " ".join(map(str, job.tiles))
    lines = [f"width {job.width} height {job.height} tiles {tiles} flags {job.flags} "
             f"records {len(job.records)}"]  # fmt: skip
    for name in SURFACES:
        one = job.surfaces[name]
        lines.append(f"{name} {one.buffer} {one.offset} {one.bits:04x} {one.flags:04x}")
    color = f"{job.clear_color:08x}"
    lines.append(f"clear {color} {color} z {job.clear_z:08x} s {job.clear_s:02x}")
    for name in STREAMS:
        lines += [f"{name} bytes {len(job.streams[name])}", *_words(job.streams[name])]
    for number, one_ in enumerate(job.buffers):
        data = one_.data.rstrip(b"\0")
        lines += [f"bo{number} handle {one_.handle} size {one_.size} kind {one_.kind} "
                  f"bytes {len(data)}", *_words(data)]  # fmt: skip
    for number, record in enumerate(job.records):
        parts = (f"{stage} bo{record[stage].buffer} {record[stage].handles} {record[stage].values}"
                 for stage in STAGES)  # fmt: skip
        lines.append(f"record {number} uniforms {' '.join(parts)}")
    return "\n".join(lines) + "\n"
