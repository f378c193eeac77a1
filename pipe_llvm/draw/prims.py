# SPDX-License-Identifier: MIT
"""What one link of the vertex side hands to the next."""

from __future__ import annotations

from pydri.jit.types import Struct, ptr, u32


class Prims(Struct, align=16):
    """What one link of the vertex side hands to the next (draw/draw.py): primitives by the numbers
    of their vertices, planar, with 16 numbers that may be read behind the last.
    """

    v0 = ptr(u32)
    v1 = ptr(u32)
    v2 = ptr(u32)
    count = u32
    mode = u32  # GL's, of which they are parts
    flags = u32  # PRIM_BEGIN, PRIM_END of that
    first = u32  # primitives (of polygons their triangles) that its instance had before
    clip = u32  # OR of the clip flags of all vertices
    outside = u32  # AND of them: not 0 where nothing can be seen
    free = u32  # first row of the stream that is not taken
