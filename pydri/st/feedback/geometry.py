# SPDX-License-Identifier: MIT
"""Selection and feedback behind a geometry shader: what it makes of a draw's primitives.

In: what the vertex shader gave, in nir's interpreter (feedback/vertices.py), and a DrawInfo. Out:
the vertices that were emitted, and the strips that they make, which are drawn as others are (OpenGL
3.2 compatibility, 2.12 and 5.2 to 5.3).
"""

from __future__ import annotations

import ctypes
import itertools
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


class Made(NamedTuple):
    """The vertices that were emitted; and the mode of their strips (GL_POINTS, GL_LINE_STRIP,
    GL_TRIANGLE_STRIP), with the vertices of each."""

    outputs: tuple[int, ...]
    result: Result
    total: int
    mode: int
    strips: list[slice]


def _plain(mode: int, count: int, flags: int) -> list[list[int]]:
    """The vertices of each primitive of a mode without adjacent ones."""
    if mode == gl.GL_POINTS:
        return [[i] for i in range(count)]
    if mode == gl.GL_LINES:
        return [[i, i + 1] for i in range(0, count - 1, 2)]
    if mode in (gl.GL_LINE_STRIP, gl.GL_LINE_LOOP):
        loop = mode == gl.GL_LINE_LOOP
        # the first vertex of a part of a loop is there for the line that closes it
        later = loop and not flags & PRIM_BEGIN
        closing = [[count - 1, 0]] if loop and flags & PRIM_END and count > 1 else []
        return [[i, i + 1] for i in range(int(later), count - 1)] + closing
    if mode == gl.GL_TRIANGLES:
        return [[i, i + 1, i + 2] for i in range(0, count - 2, 3)]
    if mode == gl.GL_TRIANGLE_FAN:
        return [[0, i, i + 1] for i in range(1, count - 1)]
    return [[i + (i & 1), i + 1 - (i & 1), i + 2] for i in range(count - 2)]


def with_adjacent(mode: int, count: int, flags: int) -> list[list[int]]:
    """All vertices of each primitive, as a geometry shader gets them (OpenGL 3.2, 2.6.1)."""
    if mode == gl.GL_LINES_ADJACENCY:
        return [list(range(i, i + 4)) for i in range(0, count - 3, 4)]
    if mode == gl.GL_LINE_STRIP_ADJACENCY:
        return [list(range(i, i + 4)) for i in range(count - 3)]
    if mode == gl.GL_TRIANGLES_ADJACENCY:
        return [list(range(i, i + 6)) for i in range(0, count - 5, 6)]
    if mode != gl.GL_TRIANGLE_STRIP_ADJACENCY:
        return _plain(mode, count, flags)
    number, out = max(0, count // 2 - 2), []
    for n in range(number):  # table 2.4
        at = 2 * n
        before, beside = at - 2 if n else 1, at + 3
        behind = at + 6 if n + 1 < number else at + 5
        even = [at, before, at + 2, behind, at + 4, beside]
        out.append([at + 2, before, at, beside, at + 4, behind] if n & 1 else even)
    # the triangles at a cut are another part's
    return out[not flags & PRIM_BEGIN : number - (not flags & PRIM_END)]


def emit(ctx: Any, info: Any, done: Result, places: Arr) -> Made:
    """Run the geometry shader of the key block over a draw; `places`: which vertex of `done` each
    vertex of the draw is."""
    n = ctx.n
    ref = geometry_ref(n.key)
    shader = ref.build()
    numbers = with_adjacent(info.mode, len(places), info.prim_flags)
    before = ctx.st.numbered if info.prim_flags & PRIM_NUMBERED_ON else 0
    ctx.st.numbered = before + len(numbers)
    mode = shader.info["gs_output_primitive"]
    if not numbers:
        return Made(ref.outputs, Result({}, np.zeros(0, np.bool_), {}), 0, mode, [])
    corners = places[np.array(numbers)]
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
    result = Result(outputs, np.zeros(len(lane), np.bool_), {})
    begins = np.nonzero(emitted.starts[vertex, lane])[0].tolist()
    strips = [slice(a, z) for a, z in itertools.pairwise([*begins, len(lane)])]
    return Made(ref.outputs, result, len(lane), mode, strips)


__all__ = ["Made", "emit", "with_adjacent"]
