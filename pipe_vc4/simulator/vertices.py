# SPDX-License-Identifier: MIT
"""Vertices: attributes fetched into the VPM, the coordinate and vertex shaders over them."""
from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from pipe_vc4.qpu.fields import QPU_R, QPU_W
from pipe_vc4.simulator.arrays import Bools, Ints, Words
from pipe_vc4.simulator.cl import Attribute
from pipe_vc4.simulator.errors import JobError
from pipe_vc4.simulator.memory import Memory
from pipe_vc4.simulator.program import Program
from pipe_vc4.simulator.qpu import LANES, Machine, Unit, run

ROWS = 64
_HORIZONTAL, _SIZE_32 = 1 << 11, 2 << 8


def rows_of_setup(setup: int, writes: bool) -> range | None:
    """The rows that a word sets up: the guide's "VPM Generic Block Write/Read Setup", for rows of
    32-bit words; None of others."""
    if setup >> 30 or not setup & _HORIZONTAL or setup & 0x300 != _SIZE_32:
        return None
    row, step = setup & 0x3F, setup >> 12 & 0x3F or 64
    count = 64 if writes else setup >> 20 & 15 or 16
    return range(row, row + step * count, step)


class VertexUnit:
    """The VPM as a shader of vertices sees it: a row of 16 words is one value of 16 vertices."""

    def __init__(self, rows: Words, written: Words, places: Ints) -> None:
        self.rows, self.written, self.places = rows, written, places
        self.reads: list[int] = []
        self.next = self.step = 0

    def select(self, groups: Ints) -> VertexUnit:
        """The VPM of some groups; what they write goes to their places in the one array."""
        part = VertexUnit(self.rows[:, groups], self.written, self.places[groups])
        part.reads, part.next, part.step = list(self.reads), self.next, self.step
        return part

    def join(self, others: Sequence[VertexUnit]) -> VertexUnit:
        """The VPM of its groups and then those of others."""
        every = (self, *others)
        whole = VertexUnit(np.concatenate([unit.rows for unit in every], axis=1), self.written,
                           np.concatenate([unit.places for unit in every]))
        whole.reads, whole.next, whole.step = list(self.reads), self.next, self.step
        return whole

    def state(self) -> Hashable:
        """The set-ups of reads and writes."""
        return tuple(self.reads), self.next, self.step

    def read(self, file: int, address: int) -> Words:
        """The next row of the reads that were set up."""
        if address in (QPU_R.VPM_LD_BUSY, QPU_R.VPM_LD_WAIT, QPU_R.MUTEX_ACQUIRE):
            return np.zeros((1, 1), np.uint32)
        if address != QPU_R.VPM:
            raise JobError(f"a shader of vertices reads address {address}")
        if not self.reads:
            raise JobError("a read of the VPM that was not set up")
        row = self.reads.pop(0)
        if row >= len(self.rows):
            raise JobError(f"row {row} of the VPM is read, {len(self.rows)} are filled")
        found: Words = self.rows[row]
        return found

    def constant(self) -> Words:
        """There are no varyings here."""
        raise JobError("a shader of vertices reads a varying")

    def write(self, file: int, address: int, value: Words, mask: Bools | None) -> None:
        """A set-up, or the next row written."""
        if address == QPU_W.VPMVCD_SETUP:
            self.set_up(file, int(value[0, 0]))
        elif address == QPU_W.VPM:
            if not self.step:
                raise JobError("a write of the VPM that was not set up")
            if self.next >= ROWS:
                raise JobError("more rows of the VPM are written than there are")
            row = self.written[self.next]
            row[self.places] = value if mask is None else np.where(mask, value, row[self.places])
            self.next += self.step
        else:
            raise JobError(f"a shader of vertices writes address {address}")

    def set_up(self, file: int, setup: int) -> None:
        """Rows to be read (file A), or where writes go (file B)."""
        rows = rows_of_setup(setup, file == 1)
        if rows is None:
            raise JobError(f"VPM set-up {setup:#x}: only rows of 32-bit words are simulated")
        if file == 1:
            self.next, self.step = rows.start, rows.step
        else:
            self.reads += rows

    def load_color(self) -> Words:
        """There is no tile buffer here."""
        raise JobError("a shader of vertices loads a colour")


def fetch(memory: Memory, attributes: list[Attribute], addresses: list[int], mask: int, stage: str,
          vertices: Ints) -> Words:
    """The VPM's rows for `vertices` (a multiple of 16): rows x groups x 16."""
    rows: Words = np.zeros((ROWS, len(vertices)), np.uint32)
    top = 0
    for i, (attribute, base) in enumerate(zip(attributes, addresses, strict=True)):
        if not mask >> i & 1:
            continue
        place = attribute.vertex_at if stage == "vertex" else attribute.coordinate_at
        if place % 4 or place + attribute.size > 4 * ROWS:
            raise JobError(f"an attribute at byte {place} of the VPM")
        at = base + attribute.offset + attribute.stride * vertices
        for byte in range(attribute.size):
            row = (place + byte) // 4
            part = memory.elements(at + byte, 1, "an attribute is read")
            # Attributes may overlap: the later one stands.
            shift = np.uint32(8 * (byte % 4))
            rows[row] = rows[row] & ~(np.uint32(255) << shift) | part << shift
            top = max(top, row + 1)
    return rows[:top].reshape(top, len(vertices) // LANES, LANES)


def shade(program: Program, memory: Memory, rows: Words, limit: int = 0) -> Words:
    """What a shader writes for the vertices of `rows`: rows x vertices."""
    groups = rows.shape[1] if len(rows) else 1
    written: Words = np.zeros((ROWS, groups, LANES), np.uint32)
    unit: Unit = VertexUnit(rows, written, np.arange(groups))
    run(Machine(program, memory, unit, groups, limit))
    return written.reshape(ROWS, -1)


def padded(vertices: Ints) -> Ints:
    """Vertices filled up to a multiple of 16 by the last."""
    missing = -len(vertices) % LANES
    return np.concatenate([vertices, np.repeat(vertices[-1:], missing)])

