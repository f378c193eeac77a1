# SPDX-License-Identifier: MIT
"""The memory that jobs share: buffers by their handles, at addresses of 4 KiB pages."""
from __future__ import annotations

import numpy as np

from pipe_vc4.simulator.arrays import Bytes, Ints, Words
from pipe_vc4.simulator.errors import JobError

PAGE = 4096
FIRST = 16 * PAGE


class Memory:
    """Buffers one behind the other, a page of nothing between two: an access there is an error."""

    def __init__(self) -> None:
        self.bytes: Bytes = np.zeros(1 << 20, np.uint8)
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.at = FIRST
        self.by_handle: dict[int, tuple[int, int]] = {}
        self.stored: set[int] = set()
        self._bounds: tuple[Ints, Ints] | None = None  # `starts`, `ends`

    def allocate(self, size: int) -> int:
        """The address of `size` new bytes of zeros."""
        address = self.at
        self.at += (size + PAGE - 1) // PAGE * PAGE + PAGE
        if self.at > len(self.bytes):
            grown = np.zeros(max(self.at, 2 * len(self.bytes)), np.uint8)
            grown[:len(self.bytes)] = self.bytes
            self.bytes = grown
        self.starts.append(address)
        self.ends.append(address + (size + 3) // 4 * 4)
        self._bounds = None
        return address

    def buffer(self, handle: int, size: int, data: bytes) -> int:
        """The address of a job's buffer, holding `data`, or what a job before stored there."""
        known = self.by_handle.get(handle)
        if known is None or known[1] != size:
            known = self.by_handle[handle] = (self.allocate(size), size)
            self.stored.discard(handle)
        address = known[0]
        if handle not in self.stored:
            self.bytes[address:address + size] = 0
            self.bytes[address:address + len(data)] = np.frombuffer(data, np.uint8)
        return address

    def check(self, addresses: Ints, what: str) -> None:
        """JobError unless each address lies in a buffer."""
        if not addresses.size:
            return
        if self._bounds is None:
            self._bounds = np.array(self.starts), np.array(self.ends)
        starts, ends = self._bounds
        at = np.searchsorted(starts, addresses, side="right") - 1
        if (at < 0).any() or (addresses >= ends[at]).any():
            raise JobError(f"{what} outside of every buffer")

    def limits(self) -> Words:
        """How many bytes of each page belong to a buffer."""
        found = np.zeros(len(self.bytes) // PAGE, np.uint32)
        for start, end in zip(self.starts, self.ends, strict=True):
            whole = end // PAGE
            found[start // PAGE:whole] = PAGE
            if end % PAGE:
                found[whole] = end % PAGE
        return found

    def words(self, addresses: Ints, what: str) -> Words:
        """The 32-bit words at `addresses` (multiples of 4)."""
        self.check(addresses, what)
        words: Words = self.bytes.view(np.uint32)[addresses >> 2]
        return words

    def store_words(self, addresses: Ints, values: Words, what: str) -> None:
        """32-bit words to `addresses`."""
        self.check(addresses, what)
        self.bytes.view(np.uint32)[addresses >> 2] = values

    def elements(self, addresses: Ints, size: int, what: str) -> Words:
        """What lies at `addresses` in elements of 1, 2 or 4 bytes, as words."""
        self.check(addresses, what)
        kind = {1: np.uint8, 2: np.uint16, 4: np.uint32}[size]
        found: Words = self.bytes.view(kind)[addresses // size].astype(np.uint32)
        return found
