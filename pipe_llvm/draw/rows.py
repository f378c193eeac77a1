# SPDX-License-Identifier: MIT
"""What the last stage before rasterisation leaves of 16 vertices: clip flags, place, a row each.

In: an environment whose shader has run, or any that knows outputs. Out, for the vertex stream: a
row for each vertex (surface x, y, depth, 1/w, then varyings), clip coordinates (planar in groups of
16), clip flags. Rows are made by transposing 16 vertices in registers. Counterpart of Mesa's
draw_llvm.c (store_aos_array, generate_clipmask, generate_viewport).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pipe_llvm.draw import fetch
from pipe_llvm.draw.layout import CULL_SLOTS
from pipe_llvm.draw.space import View
from pipe_llvm.gallivm.nir_soa import LANES
from pipe_llvm.native import CLIP_CULL0, CLIP_USER0, CLIP_W
from pydri.jit.cpu import native_vector_width
from pydri.jit.types import f32, i32, ptr, u32
from pydri.jit.values import wrap
from pydri.nir.enums import VARYING_SLOT_CLIP_DIST0, VARYING_SLOT_CLIP_VERTEX, VARYING_SLOT_POS

if TYPE_CHECKING:
    from pipe_llvm.gallivm.nir_soa import SoaEnv
    from pydri.jit import Builder, Pointer, Value

_F32X16 = f32.vec(LANES)


def value_of(env: SoaEnv, slot: int, component: int) -> Any:
    """An output as f32x16; what the shader does not write is 0, 0, 0, 1."""
    found = env.output(slot, component)
    if found is None:
        found = env.b.const(f32, float(component == 3))
    return env.b.splat(found, LANES)


class Cells(list[tuple[int, int] | None]):
    """What each float of a row is: slot and component of a varying, or nothing. `varyings`: slot,
    first float, components (Varying)."""

    def __init__(self, varyings: Iterable[Sequence[int]], floats: int) -> None:
        super().__init__([None] * floats)
        for slot, first, components in varyings:
            self[first : first + components] = [(slot, n) for n in range(components)]


class RowWriter:
    """Stores rows. `hurried`: the code shall be short rather than fast."""

    def __init__(self, b: Builder, cells: Cells, hurried: bool) -> None:
        self.b, self.cells, self.hurried = b, cells, hurried
        self.row_bytes = 4 * len(cells)

    def store_rows(self, env: SoaEnv, surface: list[Any], rows: Pointer) -> None:
        """Varyings, behind `surface` where that is not empty."""
        columns = [cell and value_of(env, *cell) for cell in self.cells]
        columns[: len(surface)] = surface
        if self.hurried and native_vector_width() == 512:  # others have no such instruction
            lanes = self.b.iota(i32.vec(LANES)) * self.row_bytes
            for n, column in enumerate(columns):
                if column is not None:
                    self.b.scatter(rows, lanes + 4 * n, column, scale=1)
            return
        for block in range(0, len(columns), 16):
            store_block(self.b, rows, self.row_bytes, block, columns[block : block + 16])


class RasterRows(RowWriter):
    """Rows of vertices that reach rasterisation."""

    def __init__(self, b: Builder, lp: Any, dyn: Any, cells: Cells, clip_planes: int,
                 depth_clamp: bool, hurried: bool) -> None:  # fmt: skip
        super().__init__(b, cells, hurried)
        stream = lp.stream
        self.rows, self.clip, self.flags = stream.rows, stream.clip, stream.flags
        self.dyn, self.clip_planes, self.depth_clamp = dyn, clip_planes, depth_clamp
        self.view = View(b, dyn)

    def store(self, env: SoaEnv, first: Value) -> Value:
        """Vertices from number `first` on, a multiple of 16; their clip flags (i32x16)."""
        b = self.b
        pos = [value_of(env, VARYING_SLOT_POS, n) for n in range(4)]
        bits = self._clip_flags(env, pos)
        for n in range(4):
            (self.clip + (first * 4 + n * LANES)).store(pos[n], align=64)
        (self.flags + first).store(b.bitcast(bits, u32), align=64)
        self.store_rows(env, self.view.project(pos), self.rows + first * self.row_bytes)
        return bits

    def _clip_flags(self, env: SoaEnv, pos: list[Any]) -> Value:
        b = self.b
        planes = self.view.distances(pos, not self.depth_clamp)
        for n in range(8):
            if self.clip_planes >> n & 1:
                planes.append((CLIP_USER0 << n, self._user_distance(env, pos, n)))
        for n in range(8):
            slot, component = CULL_SLOTS[n // 4], n % 4
            if env.output(slot, component) is not None:
                planes.append((CLIP_CULL0 << n, value_of(env, slot, component)))
        zero = b.const(i32.vec(LANES), 0)
        bits = b.select(pos[3] > 0.0, zero, b.const(i32.vec(LANES), CLIP_W))
        for flag, distance in planes:
            # written so that NaN counts as outside
            bits = b.select(distance >= 0.0, bits, bits | flag)
        return bits

    def _user_distance(self, env: SoaEnv, pos: list[Any], n: int) -> Any:
        """Distance to user plane n: written by the shader, else its clip vertex in the plane."""
        slot, component = VARYING_SLOT_CLIP_DIST0 + n // 4, n % 4
        if env.output(slot, component) is not None:
            return value_of(env, slot, component)
        vertex = pos
        if env.output(VARYING_SLOT_CLIP_VERTEX, 0) is not None:
            vertex = [value_of(env, VARYING_SLOT_CLIP_VERTEX, c) for c in range(4)]
        plane = self.dyn.addr("clip_planes").cast(ptr(f32)) + 4 * n
        factors = [(plane + c).load(f32, invariant=True) for c in range(4)]
        total = vertex[0] * factors[0]
        for c in range(1, 4):
            total = total + vertex[c] * factors[c]
        distance = self.b.splat(total, LANES)
        env.outputs[slot, component] = distance  # clipping finds it in the row
        return distance


class FlagSums:
    """OR and AND of the clip flags of vertices, lane by lane; `outputs`: of their shader."""

    def __init__(self, b: Builder, outputs: Iterable[int]) -> None:
        self.b, self._culls = b, not set(CULL_SLOTS).isdisjoint(outputs)
        self._any, self._all = b.var(i32.vec(LANES), 0), b.var(i32.vec(LANES), -1)

    def add(self, bits: Value, lanes: Value | None = None) -> None:
        """Those of 16 vertices, of which these lanes count."""
        either, every = bits, bits
        if lanes is not None:
            zero = self.b.const(i32.vec(LANES), 0)
            either = self.b.select(lanes, bits, zero)
            every = self.b.select(lanes, bits, ~zero)
        self._any.value = self._any.value | either
        self._all.value = self._all.value & every

    def result(self) -> Value:
        """OR | AND << 16 (LpPlan.vs)."""
        b = self.b
        either = b.bitcast(b.reduce("or", self._any.value), u32)
        every = b.bitcast(b.reduce("and", self._all.value), u32)
        if self._culls:
            either, every = self._folded(either), self._folded(every)
        return either | (every << 16)

    def _folded(self, bits: Value) -> Value:
        """Flags as 16 bits: what to cull by is one of them, which tells enough."""
        culls = self.b.select(bits >= CLIP_CULL0, self.b.const(u32, CLIP_CULL0), 0)
        return (bits & (CLIP_CULL0 - 1)) | culls


def store_block(b: Builder, rows: Pointer, row_bytes: int, block: int, columns: list[Any]) -> None:
    """Store up to 16 columns (f32x16 or None) of 16 rows, transposed; unused ends are left."""
    poison = wrap(b, _F32X16, "poison")
    used = max((n + 1 for n, c in enumerate(columns) if c is not None), default=0)
    chunks = []
    for at in range(0, (used + 3) // 4 * 4, 4):
        four = [poison if c is None else c for c in columns[at : at + 4]]
        chunks.append(fetch.transpose_in_lanes(b, four))
    if not chunks:
        return
    if len(chunks) == 3:
        chunks.append([poison] * 4)
    for k in range(4):  # vertices k, k+4, k+8, k+12 in the 128-bit lanes
        parts = [chunk[k] for chunk in chunks]
        for j, row in enumerate(_gather_lanes(b, parts)):
            place = b.bytes_from(rows, (k + 4 * j) * row_bytes + 4 * block, f32)
            place.store(row, align=min(64, row.ty.size))


def _lane(*picks: int) -> list[int]:
    """A shuffle of whole 128-bit lanes: 0..3 of the first vector, 4..7 of the second."""
    return [4 * p + n for p in picks for n in range(4)]


def _gather_lanes(b: Builder, parts: list[Any]) -> list[Any]:
    """Lane j of each of 1, 2 or 4 vectors side by side, for j = 0..3."""
    if len(parts) == 1:
        return [b.shuffle(parts[0], None, _lane(j)) for j in range(4)]
    if len(parts) == 2:
        return [b.shuffle(parts[0], parts[1], _lane(j, 4 + j)) for j in range(4)]
    low = [b.shuffle(parts[0], parts[1], _lane(n, n + 1, 4 + n, 5 + n)) for n in (0, 2)]
    high = [b.shuffle(parts[2], parts[3], _lane(n, n + 1, 4 + n, 5 + n)) for n in (0, 2)]
    return [
        b.shuffle(low[j // 2], high[j // 2], _lane(j % 2, 2 + j % 2, 4 + j % 2, 6 + j % 2))
        for j in range(4)
    ]


__all__ = ["Cells", "FlagSums", "RasterRows", "RowWriter", "store_block", "value_of"]
