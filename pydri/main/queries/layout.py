# SPDX-License-Identifier: MIT
"""Query objects and fences: native structs of pydri/main/layout.py. Counterpart of Mesa's
gl_query_object and gl_sync_object (mtypes.h)."""

from pydri.jit.types import Struct, ptr, u32, u64


class QueryObject(Struct, align=64):
    """A query object; fragment kernels add to `value` while scenes are executed."""

    value = u64  # samples, or nanoseconds
    fence = u64  # number of the scene (PipeNative.submitted) that holds the last of its draws
    target = u32  # 0: never begun
    name = u32
    active = u32


class QueryBlock(Struct):
    """Query objects of this context (pydri/main/queries/entries.py)."""

    objects = ptr(ptr("QueryObject"))  # by name, null = Python knows; `count` entries
    count = u32
    conditional = u32  # between glBeginConditionalRender and its end
    skip = u32  # ... and what is drawn is discarded
    occlusion = ptr("QueryObject")  # active, null = none
    elapsed = ptr("QueryObject")


class SyncObject(Struct):
    """A fence; its handle is `uses` and its place (queries/sync_kernels.py)."""

    context = ptr("GLContext")  # only compared
    fence = u64  # number of the scene that is waited for
    uses = u32
    live = u32
    next_free = u32  # place plus one
    pad = u32
