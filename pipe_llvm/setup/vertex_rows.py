# SPDX-License-Identifier: MIT
"""Floats of vertex rows, sixteen vertices at a time: rows in memory, a vector a float out.

Rows are loaded and transposed by shuffles, which costs a fraction of gathers. Registers of 512 bits
take 64 bytes of a row, all that sixteen rounds of shuffles turn into sixteen vectors. Narrower ones
take four floats: the four rows that lie beside each other in a vector come together while they are
loaded, and a turn within 128 bits is one instruction a vector, where half of the steps of the large
transposition are two, and all of its sixteen vectors would have to be somewhere meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.draw.fetch import transpose_in_lanes
from pydri.jit import f32, u64, x86

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

f32x4, f32x16, u64x16 = f32.vec(4), f32.vec(16), u64.vec(16)


def transpose16(b: Builder, rows: list[Value]) -> list[Value]:
    """16 vectors of 16 lanes, transposed: out[c][r] = rows[r][c] (four rounds of shuffles)."""
    out = rows
    for step in (1, 2, 4, 8):
        turned = list(out)
        for i in range(16):
            if i & step:
                continue
            x, y = out[i], out[i + step]
            low = [k if not k & step else 16 + k - step for k in range(16)]
            high = [k + step if not k & step else 16 + k for k in range(16)]
            turned[i], turned[i + step] = b.shuffle(x, y, low), b.shuffle(x, y, high)
        out = turned
    return out


class VertexRows:
    """The rows of sixteen vertices, which are loaded where somebody asks for their floats."""

    def __init__(self, b: Builder, rows: Pointer, row_bytes: Value, numbers: Value) -> None:
        self._b, self._rows, self._row_bytes, self._numbers = b, rows, row_bytes, numbers
        self._found: dict[int, list[Value]] = {}  # by the first of floats that are loaded together
        self._at_once = 16 if b.module.width == 512 else 4
        self._places: list[Value] = []

    def value(self, n: int) -> Value:
        """Float n of all rows."""
        first = n - n % self._at_once
        if first not in self._found:
            load = self._load_blocks if self._at_once == 16 else self._load_groups
            self._found[first] = load(first)
        return self._found[first][n - first]

    def _load_blocks(self, first: int) -> list[Value]:
        b, loaded = self._b, []
        for lane in range(16):
            at = b.cast(self._numbers[lane], u64) * self._row_bytes + 4 * first
            loaded.append(b.bytes_from(self._rows, at, f32).load(f32x16, align=64))
        return transpose16(b, loaded)

    def _load_groups(self, first: int) -> list[Value]:
        b = self._b
        if not self._places:
            kept = b.array(u64, 16, align=64)
            places = b.cast(self._numbers, u64) * b.splat(self._row_bytes, 16)
            b.store(kept, places, align=64, kept=True)
            self._places = [kept[lane] for lane in range(16)]
        parts = [
            b.bytes_from(self._rows, place + 4 * first, f32).load(f32x4, align=16)
            for place in self._places
        ]
        four = [x86.join(b, [parts[n + 4 * k] for k in range(4)]) for n in range(4)]
        return transpose_in_lanes(b, four)


__all__ = ["VertexRows", "transpose16"]
