# SPDX-License-Identifier: MIT
"""Selection and feedback behind a geometry shader: what it makes of a draw's primitives.

In: what the vertex shader gave, in nir's interpreter (feedback/vertices.py), and a DrawInfo. Out:
the vertices that were emitted, and the points, lines and triangles of their strips, which are
clipped and fed back as others are (OpenGL 3.2 compatibility, 2.12 and 5.2 to 5.3).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import pydri.api.enums as gl
from pydri.main import layout as la
from pydri.nir import interp
from pydri.nir.interp import Result
from pydri.pipe.native import PRIM_BEGIN, PRIM_END, PRIM_NUMBERED_ON, SHADER_GEOMETRY
from pydri.pipe.shader_memory import constant_buffers
from pydri.st.feedback.lookups import lookups
from pydri.st.programs.glsl import geometry_ref

Arr = np.ndarray[Any, np.dtype[Any]]
#: the numbers of each primitive's vertices, of a mode without adjacent ones
Assembled = Callable[[int, int, int], list[list[int]]]


class Made(NamedTuple):
    """The vertices that were emitted; and of each primitive their numbers, which of these provokes
    if the first vertex does, and whether a strip begins with it."""

    outputs: tuple[int, ...]
    result: Result
    total: int
    primitives: list[tuple[list[int], int, bool]]


def with_adjacent(mode: int, count: int, flags: int, assembled: Assembled) -> list[list[int]]:
    """All vertices of each primitive, as a geometry shader gets them (OpenGL 3.2, 2.6.1)."""
    if mode == gl.GL_LINES_ADJACENCY:
        return [list(range(i, i + 4)) for i in range(0, count - 3, 4)]
    if mode == gl.GL_LINE_STRIP_ADJACENCY:
        return [list(range(i, i + 4)) for i in range(count - 3)]
    if mode == gl.GL_TRIANGLES_ADJACENCY:
        return [list(range(i, i + 6)) for i in range(0, count - 5, 6)]
    if mode != gl.GL_TRIANGLE_STRIP_ADJACENCY:
        return assembled(mode, count, flags)
    number, out = max(0, count // 2 - 2), []
    for n in range(number):  # table 2.4
        at = 2 * n
        before, beside = at - 2 if n else 1, at + 3
        behind = at + 6 if n + 1 < number else at + 5
        even = [at, before, at + 2, behind, at + 4, beside]
        out.append([at + 2, before, at, beside, at + 4, behind] if n & 1 else even)
    # the triangles at a cut are another part's
    return out[not flags & PRIM_BEGIN : number - (not flags & PRIM_END)]


def emit(ctx: Any, info: Any, done: Result, places: Sequence[int], assembled: Assembled) -> Made:
    """Run the geometry shader of the key block over a draw; `places`: which vertex of `done` each
    vertex of the draw is."""
    n = ctx.n
    ref = geometry_ref(n.key)
    shader = ref.build()
    numbers = with_adjacent(info.mode, len(places), info.prim_flags, assembled)
    before = ctx.st.numbered if info.prim_flags & PRIM_NUMBERED_ON else 0
    ctx.st.numbered = before + len(numbers)
    mode = shader.info["gs_output_primitive"]
    if not numbers:
        return Made(ref.outputs, Result({}, np.zeros(0, np.bool_), {}), 0, [])
    corners = np.asarray(places)[np.array(numbers)]
    blocks = {0: ctypes.string_at(n.dyn.const0, la.ValueBlock.size)}
    bound = n.dyn.stages[SHADER_GEOMETRY]
    if bound.const1:
        blocks[1] = ctypes.string_at(bound.const1, bound.const1_size)
    if n.program.blocks:
        ctx.call("st_blocks")
        blocks.update(constant_buffers(bound.memory))
    emitted = interp.run_geometry(
        shader, len(corners), inputs={slot: v.T[corners] for slot, v in done.outputs.items()},
        system={"primitive_id": np.arange(before, before + len(corners))}, ubos=blocks,
        texture=lookups(ctx.st.pipe, bound.views) if ref.textures else None,
    )  # fmt: skip
    lane, vertex = np.nonzero(np.arange(emitted.most) < emitted.counts[:, None])
    outputs = {slot: table[vertex, :, lane].T for slot, table in emitted.outputs.items()}
    first = np.cumsum(emitted.counts) - emitted.counts  # vertices of the lanes before each
    made = []
    for lane_, *row in emitted.primitives(mode).tolist():
        # of a strip's odd triangles the first two have changed places
        leads = 1 if len(row) == 3 and row[0] > row[1] else 0
        begins = bool(emitted.starts[min(row), lane_])
        made.append(([int(first[lane_]) + place for place in row], leads, begins))
    return Made(ref.outputs, Result(outputs, np.zeros(len(lane), np.bool_), {}), len(lane), made)


__all__ = ["Made", "emit", "with_adjacent"]
