# SPDX-License-Identifier: MIT
"""What one link of the vertex side hands to the next."""

from __future__ import annotations

from pydri.jit.types import Struct, ptr, u32

EMITTED = 2  # Prims.parity of what a geometry shader made


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
    # of strips: 1 where the first one is an odd one of its strip; EMITTED: there are many strips,
    # whose vertices have numbers that grow
    parity = u32
