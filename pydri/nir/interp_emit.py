# SPDX-License-Identifier: MIT
"""What a geometry shader emits, in the reference interpreter.

In: the outputs at each `emit_vertex`, and which lanes run it.  Out: an `Emitted`: of each lane its
vertices in order, and where primitives begin. What is beyond the number that the shader declared is
dropped (GLSL 1.50, 8.10, leaves it undefined). `primitives` cuts the strips into points, lines and
triangles, lane after lane, as the next stages get them (OpenGL 3.2, 2.15.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Arr = npt.NDArray[Any]

#: how many vertices a primitive takes, by the output primitive's mode
_CORNERS: Final = {0: 1, 3: 2, 5: 3}


class Emitted:
    """The vertices of all lanes. `outputs`: slot -> uint32 (vertices, 4, lanes); `starts`:
    (vertices, lanes), true where a vertex begins a primitive (strip).
    """

    def __init__(self, most: int, lanes: int) -> None:
        self.most = most
        self.lanes = lanes
        self.counts: Arr = np.zeros(lanes, np.int64)
        self.outputs: dict[int, Arr] = {}
        self.starts: Arr = np.zeros((most, lanes), np.bool_)
        self._begins: Arr = np.ones(lanes, np.bool_)

    def emit(self, mask: Arr, outputs: Mapping[int, Arr]) -> None:
        """One vertex more in the lanes of a mask."""
        lanes = np.nonzero(mask & (self.counts < self.most))[0]
        at = self.counts[lanes]
        for slot, cells in outputs.items():
            table = self.outputs.get(slot)
            if table is None:
                table = self.outputs[slot] = np.zeros((self.most, 4, self.lanes), np.uint32)
            table[at, :, lanes] = cells[:, lanes].T
        self.starts[at, lanes] = self._begins[lanes]
        self._begins[lanes] = False
        self.counts[lanes] += 1

    def end(self, mask: Arr) -> None:
        """EndPrimitive in the lanes of a mask."""
        self._begins |= mask

    def output(self, lane: int, slot: int) -> Arr:
        """What a lane passed in a slot, as floats: (vertices, 4)."""
        count = int(self.counts[lane])
        found = self.outputs.get(slot, np.zeros((self.most, 4, self.lanes), np.uint32))
        return np.ascontiguousarray(found[:count, :, lane]).view(np.float32)

    def primitives(self, mode: int) -> Arr:
        """The primitives of an output mode (GL's points, line strip, triangle strip), in order:
        (count, 1 + corners), the lane and its vertices. Of triangles with an odd number in their
        strip the first two change places, so that all of a strip face the same way; the last
        vertex stays the last (OpenGL 3.2, 2.6.1). Strips with too few vertices give none.
        """
        corners = _CORNERS[mode]
        # The place of each vertex in its strip: how many came behind the last start.
        number = np.arange(self.most)[:, None]
        first = np.maximum.accumulate(np.where(self.starts, number, 0), axis=0)
        place = number - first
        whole = (number < self.counts) & (place >= corners - 1)
        lane, last = np.nonzero(whole.T)
        rows = [last - back for back in range(corners - 1, -1, -1)]
        if corners == 3:
            odd = (place.T[lane, last] - 2) % 2 == 1
            rows[0], rows[1] = np.where(odd, rows[1], rows[0]), np.where(odd, rows[0], rows[1])
        return np.stack([lane, *rows], axis=1)


__all__ = ["Emitted"]
