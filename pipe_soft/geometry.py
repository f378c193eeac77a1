# SPDX-License-Identifier: MIT
"""The geometry shader, between assembly and stream output (OpenGL 3.2, 2.12).

In: what the vertex shader gave, and primitives in the order in which they were assembled.  Out: the
vertices that were emitted, as if a vertex shader had given them, and the primitives that strips of
them make. A lane of nir's interpreter is a primitive, or one of its invocations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pipe_soft.arrays import Arr
from pipe_soft.assemble import ALL, LINE_STRIP, Primitives, provoked_first
from pipe_soft.shader_memory import memory_of
from pipe_soft.textures import Textures
from pipe_soft.vertices import constants
from pydri.nir.interp import Result, run_geometry
from pydri.pipe.native import SHADER_GEOMETRY

if TYPE_CHECKING:
    from pipe_soft.pipeline import Pipeline


class Made(NamedTuple):
    """What came of a draw. `mode`: that of the strips (POINTS, LINE_STRIP, TRIANGLE_STRIP);
    `corners`: of each primitive as it was made, before one vertex becomes the provoking one.
    """

    mode: int
    result: Result
    total: int  # of vertices
    corners: Arr
    begins: Arr  # whether a line's pattern begins with this primitive

    def primitives(self, first_provokes: bool) -> Primitives:
        """As rasterisation wants them."""
        corners = self.corners
        if first_provokes and corners.shape[1] == 3:
            corners = provoked_first(corners, corners[:, 0] > corners[:, 1])
        lines = self.mode == LINE_STRIP
        begins = self.begins if lines else np.ones(len(corners), np.bool_)
        return Primitives(corners, np.full(len(corners), 0 if lines else ALL), begins)


def emit(pipeline: Pipeline, dyn: Any, done: Result, corners: Arr, first: int = 0) -> Made:
    """Run the geometry shader over primitives (numbers of their vertices: primitives, vertices).
    `first`: the number of the first one (gl_PrimitiveIDIn)."""
    shader = pipeline.geometry
    assert shader is not None
    bound = dyn.stages[SHADER_GEOMETRY]
    inputs = {slot: cells.T[corners] for slot, cells in done.outputs.items()}
    emitted = run_geometry(
        shader, len(corners), inputs=inputs,
        system={"primitive_id": np.arange(first, first + len(corners))},
        ubos=constants(dyn, SHADER_GEOMETRY), texture=Textures(bound.views, vertex=True),
        memory=memory_of(bound.memory),
    )  # fmt: skip
    mode = shader.info["gs_output_primitive"]
    lane, vertex = np.nonzero(np.arange(emitted.most) < emitted.counts[:, None])
    outputs = {slot: table[vertex, :, lane].T for slot, table in emitted.outputs.items()}
    discarded = np.zeros(len(lane), np.bool_)
    before = np.cumsum(emitted.counts) - emitted.counts  # vertices of the lanes before each
    rows = emitted.primitives(mode)
    made = before[rows[:, :1]] + rows[:, 1:]
    begins = emitted.starts[rows[:, 1:].min(axis=1), rows[:, 0]]
    return Made(mode, Result(outputs, discarded, {}), len(lane), made, begins)


__all__ = ["Made", "emit"]
