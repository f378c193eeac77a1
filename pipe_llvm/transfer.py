# SPDX-License-Identifier: MIT
"""pipe.transfer_map: when the CPU may touch a resource (llvmpipe_transfer_map).

A resource knows the last scene that reads and the last that writes it, by the numbers of this
context's scenes; what else is recorded or executed is none of its business and goes on. Another
context's scenes are awaited by glFinish or a fence there, as GL asks of programs that share
(GL 4.6, chapter 5); the memory is theirs as long as they need it in any case."""

from __future__ import annotations

from typing import Any

from pipe_llvm.native import LpContext
from pipe_llvm.rast.execute import lp_flush, lp_wait
from pydri.jit import kernel, ptr, u8, u32
from pydri.pipe.native import MAP_DISCARD, MAP_UNSYNCHRONIZED, MAP_WRITE, PipeNative
from pydri.pipe.resource import Resource
from pydri.pipe.resource_kernels import foreign, resource_rename, storage_changed, unfinished


@kernel(ptr(u8), (ptr(PipeNative), ptr(Resource), u32), noinline=True)
def lp_transfer_map(b: Any, pipe: Any, resource: Any, flags: Any) -> None:
    """The resource's data; see PipeNative.transfer_map. A write counts behind the scenes that are
    waited for: what they leave is known by the count as they found it."""
    data = b.call(_waited_for, pipe, resource, flags)
    with b.If((flags & MAP_WRITE) != 0):
        storage_changed(b, resource.storage)
    b.Return(data)


@kernel(ptr(u8), (ptr(PipeNative), ptr(Resource), u32), noinline=True)
def _waited_for(b: Any, pipe: Any, resource: Any, flags: Any) -> None:
    """The resource's data, which scenes of this context no longer use as the flags forbid."""
    lp = pipe.cast(ptr(LpContext))
    with b.If((flags & MAP_UNSYNCHRONIZED) != 0):
        b.Return(resource.data)
    writes = resource.storage.writes
    both = b.max(writes, resource.storage.reads)
    last = b.select((flags & MAP_WRITE) != 0, both, writes)
    reads = unfinished(b, pipe, resource.storage.reads) & ((flags & MAP_WRITE) != 0)
    with b.If(~(reads | unfinished(b, pipe, writes))):
        b.Return(resource.data)
    hidden = foreign(b, pipe, writes) | foreign(b, pipe, resource.storage.reads)
    with b.If(hidden, likely=False):  # which scene of this context it is is not known any more
        b.call(lp_flush, pipe)
        b.call(lp_wait, lp)
        b.Return(resource.data)
    recording = last > pipe.submitted
    with b.If((flags & MAP_DISCARD) != 0):
        with b.If(writes > pipe.submitted):  # what is drawn from now on goes to the new memory
            b.call(lp_flush, pipe)
        with b.If(b.call(resource_rename, resource) != 0):
            b.Return(resource.data)
    with b.If(recording & (last > pipe.submitted)):
        b.call(lp_flush, pipe)
    with b.If(last > pipe.completed):
        b.call(lp_wait, lp)
    b.Return(resource.data)
