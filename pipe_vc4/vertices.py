# SPDX-License-Identifier: MIT
"""Vertex arrays and primitives of a draw as the hardware takes them (vc4_draw.c, u_primconvert).

In: DrawInfo, VertexBindings. Out: the vertices that are drawn, each attribute in a buffer of its
own; 16-bit indices. Primitives that the hardware has not (quads, polygons, edges of polygons, parts
of loops, those whose first vertex provokes) come as lists whose last vertex provokes.
"""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipe_vc4.ntq.alu import NtqError
from pipe_vc4.ntq.attributes import attr_format
from pipe_vc4.resource import Bytes, Ints
from pydri.nir.enums import VARYING_SLOT_EDGE, VERT_ATTRIB_EDGEFLAG
from pydri.nir.ir import IntrinsicInstr, LoadConst, Shader
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.memory_numpy import drawn_count, memory
from pydri.pipe.native import MAX_ATTRIBS, PRIM_BEGIN, PRIM_END, VertexBinding
from pydri.pipe.state import PRIM_LINES, PRIM_POINTS, PRIM_TRIANGLES, PipelineState

Flags = NDArray[np.bool_]
(POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN, QUADS, QUAD_STRIP,
 POLYGON) = range(10)  # fmt: skip
_GL_POINT, _GL_FILL = 0x1B00, 0x1B02
#: what one indexed draw can name
MOST: Final = 1 << 16
_KINDS: Final = ("FLOAT", "UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "FIXED")


class Primitives(NamedTuple):
    """A mode of the hardware's and places in the list of vertices."""

    mode: int
    order: Ints
    prim: int  # PRIM_*: what is rasterised


def _grid(count: int, step: int, offsets: list[int]) -> Ints:
    return np.arange(max(count, 0))[:, None] * step + np.array(offsets)


def _lines(mode: int, count: int, flags: int) -> Ints:
    if mode == LINES:
        return _grid(count // 2, 2, [0, 1])
    lines = _grid(count - 1, 1, [0, 1])
    if mode == LINE_LOOP and count > 1:
        # a part that does not begin the loop starts with the loop's first vertex, to close it
        lines = lines if flags & PRIM_BEGIN else lines[1:]
        if flags & PRIM_END:
            lines = np.concatenate([lines, [[count - 1, 0]]])
    return lines


def _triangles(mode: int, count: int, first: bool) -> Ints:
    if mode == TRIANGLES:
        return _grid(count // 3, 3, [1, 2, 0] if first else [0, 1, 2])
    if mode == QUADS:
        return _grid(count // 4, 4, [0, 1, 3, 1, 2, 3]).reshape(-1, 3)
    if mode == QUAD_STRIP:
        return _grid(count // 2 - 1, 2, [2, 0, 3, 0, 1, 3]).reshape(-1, 3)
    v = _grid(count - 2, 1, [0, 1, 2])
    if mode == TRIANGLE_STRIP:
        odd = (np.arange(len(v)) & 1 == 1)[:, None]
        turns = ([2, 1, 0], [1, 2, 0]) if first else ([1, 0, 2], [0, 1, 2])
        return np.where(odd, v[:, turns[0]], v[:, turns[1]])
    v[:, 0] = 0
    return v[:, [1, 2, 0]] if mode == POLYGON else v[:, [2, 0, 1]] if first else v


def _edges(mode: int, count: int) -> Ints:
    """The edges of polygons (u_unfilled)."""
    if mode == QUADS:
        return _grid(count // 4, 4, [0, 1, 1, 2, 2, 3, 3, 0]).reshape(-1, 2)
    if mode == QUAD_STRIP:
        return _grid(count // 2 - 1, 2, [0, 1, 1, 3, 3, 2, 2, 0]).reshape(-1, 2)
    if mode == POLYGON:
        return _lines(LINE_LOOP, count, PRIM_BEGIN | PRIM_END)
    return _triangles(mode, count, False)[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)


def edge_flags(shader: Shader, dyn: Any, arrays: Arrays, numbers: Ints) -> Flags | None:
    """Which vertices begin edges that are their polygon's (GL 2.1, 2.6.2); None: all. The vertex
    shader passes the flag on: that of an array, or the current one out of block 0.
    """
    stores = (instr for instr in shader.main.instrs() if isinstance(instr, IntrinsicInstr)
              and instr.name == "store_output" and instr.indices["base"] == VARYING_SLOT_EDGE)
    source = next((store.srcs[0].instr for store in stores), None)
    if not isinstance(source, IntrinsicInstr):
        return None
    if source.name == "load_input":
        size = FORMATS[arrays.formats[VERT_ATTRIB_EDGEFLAG]].bytes
        rows = arrays.rows(VERT_ATTRIB_EDGEFLAG, numbers, 0)[:, :size]
        return np.broadcast_to((rows != 0).any(axis=1), len(numbers))
    offset = source.srcs[0].instr if source.name == "load_ubo" else None
    if not isinstance(offset, LoadConst):
        return None
    current = memory(dyn.const0 + offset.values[0], 4, np.float32)[0]
    return np.full(len(numbers), current != 0)


def primitives(state: PipelineState, dyn: Any, mode: int, count: int, flags: int,
               begins: Flags | None = None) -> Primitives:  # fmt: skip
    """What is drawn of `count` vertices. `begins`: those whose edges are drawn, of polygons that
    are drawn as edges or corners; None: all.
    """
    rast, first = state.rast, state.rast.provoking_first
    if mode == POINTS:
        return Primitives(POINTS, np.arange(count), PRIM_POINTS)
    if mode <= LINE_STRIP:
        if not first and mode != LINE_LOOP and flags == PRIM_BEGIN | PRIM_END:
            return Primitives(mode, np.arange(count), PRIM_LINES)
        lines = _lines(mode, count, flags)
        return Primitives(LINES, (lines[:, ::-1] if first else lines).reshape(-1), PRIM_LINES)
    # one mode for both faces: that of those that are not culled
    fill = rast.fill_back if dyn.cull & 1 else rast.fill_front
    if fill != _GL_FILL:
        edges = _edges(mode, count)
        if begins is not None and mode in (TRIANGLES, QUADS, POLYGON):
            edges = edges[begins[edges[:, 0]]]
        if fill == _GL_POINT:
            return Primitives(POINTS, np.unique(edges[:, 0]), PRIM_POINTS)
        return Primitives(LINES, edges.reshape(-1), PRIM_LINES)
    if mode <= TRIANGLE_FAN and not first:
        return Primitives(mode, np.arange(count), PRIM_TRIANGLES)
    return Primitives(TRIANGLES, _triangles(mode, count, first).reshape(-1), PRIM_TRIANGLES)


def parts(found: Primitives) -> list[Primitives]:
    """Draws that name few enough vertices for 16 bits: strips and fans are cut into lists."""
    mode, order = found.mode, found.order
    if len(order) <= MOST:
        return [found]
    if mode in (LINE_STRIP, TRIANGLE_STRIP, TRIANGLE_FAN):
        count = len(order)
        cut = _lines(mode, count, 3) if mode == LINE_STRIP else _triangles(mode, count, False)
        mode, order = (LINES if mode == LINE_STRIP else TRIANGLES), order[cut].reshape(-1)
    step = MOST // 6 * 6
    return [Primitives(mode, order[at : at + step], found.prim)
            for at in range(0, len(order), step)]  # fmt: skip


# ---- attributes
@functools.lru_cache(512)
def native_name(number: int) -> str:
    """What shaders call a format that they can unpack; of others, that of four floats."""
    name = FORMATS[number].name.removeprefix("V")
    try:
        form = attr_format(name)
    except NtqError:
        return "R32G32B32A32_FLOAT"
    plain = form.bits in (8, 16, 32) and form.kind in _KINDS
    return name if plain else "R32G32B32A32_FLOAT"


def _as_floats(fmt: Format, data: Bytes) -> Bytes:
    """Vertices of a format that shaders cannot unpack as four floats each."""
    wide = np.zeros((len(data), 4), np.float32)
    wide[:, 3] = 1
    if fmt.channels[0][1] == 64:
        found = np.ascontiguousarray(data).view("<f8").astype(np.float32)
        wide[:, : found.shape[1]] = found
        return wide.view(np.uint8)
    word, at = np.ascontiguousarray(data).view("<u4")[:, 0].astype(np.int64), 0
    channels = []
    for kind, bits in fmt.channels:
        value, at = word >> at & (1 << bits) - 1, at + bits
        if kind == "f":
            small = (value << 15 - bits).astype(np.uint16)
            channels.append(small.view(np.float16).astype(np.float32))
            continue
        if kind[0] == "s":
            value = np.where(value >> bits - 1 != 0, value - (1 << bits), value)
        top = {"un": (1 << bits) - 1, "sn": (1 << bits - 1) - 1}.get(kind, 1)
        channels.append(np.maximum(value / top, -1.0 if kind == "sn" else -np.inf))
    for n, letter in enumerate(fmt.swizzle[:4]):
        if letter.isdigit():
            wide[:, n] = channels[int(letter)]
    return wide.view(np.uint8)


class Arrays:
    """The attributes of a draw's vertices."""

    def __init__(self, state: PipelineState, info: Any) -> None:
        self.info = info
        self.formats = {e.slot: e.format for e in state.elements}

    def names(self) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Slots, and formats as shaders know them."""
        slots = tuple(sorted(self.formats))
        return slots, tuple(native_name(self.formats[slot]) for slot in slots)

    def _binding(self, slot: int) -> Any:
        place = min(slot, MAX_ATTRIBS - 1)
        return VertexBinding.view(self.info.attribs + place * VertexBinding.size)

    def count(self, count: int) -> int:
        """The vertices of an array draw, less those that none of its arrays holds."""
        return drawn_count(self.info, map(self._binding, self.formats), count)

    def rows(self, slot: int, numbers: Ints, instance: int) -> Bytes:
        """The bytes of an attribute: vertices x bytes. One row where all vertices have one value.

        A number at or above a binding's count reads the last vertex.
        """
        number = self.formats.get(slot)
        if number is None:  # GL 2.1, 2.7: no array and no current value
            return np.array([[0, 0, 0, 1]], np.float32).view(np.uint8)
        binding, fmt = self._binding(slot), FORMATS[number]
        if binding.divisor:
            numbers = np.array([instance // binding.divisor + self.info.base_instance])
        elif not binding.stride:
            numbers = np.zeros(1, np.int64)
        if binding.count:
            numbers = np.minimum(numbers, binding.count - 1)
        offsets = numbers * binding.stride
        array = memory(binding.base, int(offsets.max()) + fmt.bytes, np.uint8)
        data = array[offsets[:, None] + np.arange(fmt.bytes)]
        native = FORMATS[number].name.removeprefix("V") == native_name(number)
        return data if native else _as_floats(fmt, data)
