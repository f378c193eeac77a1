# SPDX-License-Identifier: MIT
"""What objects draw with, by reference: `Counted` (names/layout.py) at a place of a named object.

In: an object that the caller has a reference of, and the place in it. Out: what stands there, with
a reference more; who gives the last one back puts it among the group's dead code. An object's place
is read and written under the lock of its name space, for a few instructions: between reading the
address and counting the reference nobody may give the last one back. Mesa: the references of
gl_program (program/program.c), without its race.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.api.dispatch import gl_kernel
from pydri.jit import kernel, ptr, u32, u64, void
from pydri.main.kernels import CTX, is_null
from pydri.main.names.layout import Counted
from pydri.main.names.object_kernels import NAMED
from pydri.main.names.space_kernels import lock, unlock

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.main.names.layout import Named

COUNTED = ptr(Counted)
PLACE = ptr(COUNTED)


@kernel(COUNTED, (NAMED, PLACE), noinline=True)
def counted_take(b: Builder, owner: Named, place: Pointer) -> Value:
    """What stands at a place of an object, with a reference; null: nothing."""
    lock(b, owner.space)
    found = b.var(COUNTED, place.load())
    with b.If(~is_null(found.value)):
        b.atomic_add(found.value.addr("references"), 1)
    unlock(b, owner.space)
    return found.value


@gl_kernel
@kernel(void, (CTX, COUNTED), noinline=True)
def counted_drop(b: Builder, ctx: GLContext, code: Counted) -> None:
    """Give a reference back; null: none."""
    with b.If(is_null(code)):
        b.Return()
    before = b.atomic_add(code.addr("references"), b.const(u32, 0xFFFFFFFF))
    with b.If(before == 1, likely=False):
        head = ctx.shared.addr("dead_code")
        done = b.var(u32, 0)
        with b.While(lambda: done.value == 0):
            first = b.load_atomic(head)
            code.next = first
            done.value = b.cast(b.cmpxchg(head, first, code) == first, u32)


@gl_kernel
@kernel(void, (CTX, NAMED, PLACE, COUNTED), cold=True)
def counted_put(b: Builder, ctx: GLContext, owner: Named, place: Pointer, code: Counted) -> None:
    """Something else (null: nothing) with the caller's reference stands at a place of an object."""
    lock(b, owner.space)
    old = place.load()
    place.store(code)
    unlock(b, owner.space)
    b.call(counted_drop, ctx, old)


@gl_kernel
@kernel(u64, (CTX,), cold=True)
def counted_dead(b: Builder, ctx: GLContext) -> Value:
    """The chain of all that nobody refers to any more, the caller's; 0: there is none."""
    head = ctx.shared.addr("dead_code")
    found = b.var(COUNTED, b.load_atomic(head))
    with b.While(lambda: ~is_null(found.value)):
        there = b.cmpxchg(head, found.value, b.const(COUNTED, None))
        with b.If(there == found.value):
            b.Break()
        found.value = there
    return b.ptr_to_int(found.value)


__all__ = ["COUNTED", "PLACE", "counted_drop", "counted_put", "counted_take"]
