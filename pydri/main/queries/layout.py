# SPDX-License-Identifier: MIT
"""Query objects and fences: native structs of pydri/main/layout.py. Counterpart of Mesa's
gl_query_object and gl_sync_object (mtypes.h)."""

from pydri.jit.types import Struct, nested, ptr, u32, u64
from pydri.main.names.layout import Named
from pydri.pipe.native import MAX_VERTEX_STREAMS, PipelineStatistics

MAX_STATISTICS = 12


class QueryObject(Named, align=64):
    """A query object; fragment kernels add to `value` while scenes are executed. `fence` is the
    number of the scene (PipeNative.submitted) that holds the last of its draws. While one of the
    pipeline's statistics is counted, `value` is what the count was when that began.
    """

    value = u64  # samples, or nanoseconds
    target = u32  # 0: never begun
    active = u32
    stream = u32  # the index with which it was begun


class QueryBlock(Struct):
    """What is active in this context; references."""

    conditional = u32  # between glBeginConditionalRender and its end
    skip = u32  # ... and what is drawn is discarded
    occlusion = ptr("QueryObject")  # null = none
    elapsed = ptr("QueryObject")
    generated = ptr("QueryObject")
    written = ptr("QueryObject")
    fragments = ptr("QueryObject")
    # of STATISTICS (tables.py), in its order; how many of them are active, and what they look at
    statistics = ptr("QueryObject")[MAX_STATISTICS]
    asking = u32
    # of the vertex streams behind the first, those of BY_STREAM side by side
    streams = ptr("QueryObject")[3 * (MAX_VERTEX_STREAMS - 1)]
    counts = nested(PipelineStatistics)


class SyncObject(Named):
    """A fence; its handle is `stamp` and the name (queries/sync_kernels.py)."""

    context = ptr("GLContext")  # only compared
    scene = u64  # number of the scene that is waited for
    stamp = u32  # tells it from those that had the name before
