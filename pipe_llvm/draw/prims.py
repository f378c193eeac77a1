# SPDX-License-Identifier: MIT
"""What one link of the vertex side hands to the next, and what the last one makes for setup."""

from __future__ import annotations

from pydri.jit.types import Struct, f32, ptr, u32

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


class Made(Struct, align=16):
    """What the last link before setup makes of its `Prims`, until setup takes it (`hand_over` of
    draw/clip.py): points in w0, or triangles by the numbers of their vertices, planar, of which the
    link may append some to the stream's.
    """

    w0 = ptr(u32)
    w1 = ptr(u32)
    w2 = ptr(u32)
    polygons = ptr(u32)  # which polygon each is a part of
    count = u32  # that setup has not got yet
    prim = u32  # what they are to setup
    free = u32  # first row of the stream that is not taken
    # as LpContext.polygon and LpContext.stipple_count, from which they come and where they go
    polygon = u32
    stipple = f32
