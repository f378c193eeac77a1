# SPDX-License-Identifier: MIT
"""What passes the pipeline is counted, while somebody asks (ARB_pipeline_statistics_query; OpenGL
4.6, 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pipe_soft.arrays import Arr
from pipe_soft.assemble import POLYGON, QUAD_STRIP, QUADS
from pydri.pipe.native import DISCARD_ASKED, PRIM_BEGIN, PipelineStatistics

if TYPE_CHECKING:
    from pipe_soft.vertices import Vertices

#: by mode: the vertices of the first primitive, and those of each further one
_VERTICES = (
    (1, 1), (2, 2), (2, 1), (2, 1), (3, 3), (3, 1), (3, 1), (4, 4), (4, 2), (3, 1), (4, 4), (4, 1),
    (6, 6), (6, 2),
)  # fmt: skip


def count(dyn: Any, **numbers: int) -> None:
    """Add to fields of the statistics, if somebody asks."""
    if dyn.statistics:
        into = PipelineStatistics.view(dyn.statistics)
        for field, number in numbers.items():
            setattr(into, field, getattr(into, field) + int(number))


def _submitted(mode: int, flags: int, made: int) -> int:
    """How many primitives of the program's a draw's points, lines and triangles are."""
    if mode in (QUADS, QUAD_STRIP):
        return made // 2
    return flags & PRIM_BEGIN if mode == POLYGON else made


def count_submitted(dyn: Any, info: Any, vertices: int, made: int) -> None:
    """Vertices and primitives of a draw, without those of primitives that are not complete."""
    least, step = _VERTICES[info.mode]
    whole = least + (vertices - least) // step * step
    made = _submitted(info.mode, info.prim_flags, made)
    count(dyn, vertices_submitted=whole, primitives_submitted=made)


def count_clipped(dyn: Any, vertices: Vertices, mode: int, flags: int, corners: Arr) -> None:
    """Primitives that come to be clipped, and those that do not lie beyond one plane. `mode` is 0
    where a geometry shader made them: each is one then."""
    if not dyn.statistics or dyn.discard == DISCARD_ASKED:
        return
    beyond = vertices.of_volume(corners.ravel()).reshape(corners.shape)
    left = int(np.count_nonzero(np.bitwise_and.reduce(beyond, axis=1) == 0))
    came = _submitted(mode, flags, len(corners))
    count(dyn, clipping_input=came, clipping_output=left)


__all__ = ["count", "count_clipped", "count_submitted"]
