# SPDX-License-Identifier: MIT
"""The key blocks that draws had lately, as entry points wrote them, and their plans.

In: a key block, and the plan that was found for its canonical form. Out: the same plan for the same
bytes, without making that form, which takes a microsecond. The table grows with what a program
draws, so that one which goes through thousands of states in each frame finds all of them here;
beyond MOST_SEEN_KEYS it begins anew. The peer looks each part of the state up in the cso cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import extern_c, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX
from pydri.main.layout import MOST_SEEN_KEYS, KeyBlock, PlanEntry, SeenBlock, SeenKey, SeenSlot
from pydri.main.memory import ALIGN

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

BYTES, BLOCK, SEEN = ptr(u8), ptr(SeenBlock), ptr(SeenKey)
ALIGNED_ALLOC = extern_c("aligned_alloc", BYTES, u64, u64)
FREE = extern_c("free", void, BYTES)
#: bytes of a key with its two slots
EACH = SeenKey.size + 2 * SeenSlot.size


def find_slot(b: Builder, block: Any, hash: Value, found: Any) -> Any:
    """Emit: the slot of a key with this hash, or the empty one where it would be. `found(seen)`:
    whether that is the key."""
    mask = block.capacity * 2 - 1
    at = b.var(u32, b.cast(hash, u32) & mask)
    with b.Loop():
        slot = block.slots + at.value
        seen = slot.seen
        with b.If(seen == b.const(seen.ty, None)):
            b.Break()
        with b.If(slot.hash == hash), b.If(found(seen), likely=True):
            b.Break()
        at.value = (at.value + 1) & mask
    return block.slots + at.value


def _enter(b: Builder, block: Any, seen: Any) -> None:
    """Emit: a key that is in no slot gets one."""
    slot = find_slot(b, block, seen.hash, lambda _: b.const(u32, 0) != 0)
    slot.hash, slot.seen = seen.hash, seen


@kernel(void, (BLOCK,), cold=True)
def seen_room(b: Builder, block: SeenBlock) -> None:
    """Room for a further key: twice as much as before, or nothing is known any more."""
    keys, count, wanted = block.keys, block.count, block.capacity * 2
    size = b.cast(wanted, u64) * EACH
    fresh = b.var(BYTES, b.const(BYTES, None))
    with b.If(wanted <= MOST_SEEN_KEYS):
        fresh.value = b.call(ALIGNED_ALLOC, ALIGN, size)
    with b.If(fresh.value == b.const(BYTES, None)):
        b.memset(block.slots.cast(BYTES), 0, b.cast(wanted, u64) * SeenSlot.size)
        block.count = 0
        b.Return()
    of_keys = b.cast(wanted, u64) * SeenKey.size
    b.memcpy(fresh.value, keys.cast(BYTES), b.cast(count, u64) * SeenKey.size)
    b.memset(fresh.value + of_keys, 0, size - of_keys)
    b.call(FREE, keys.cast(BYTES))
    block.keys, block.capacity = fresh.value.cast(SEEN), wanted
    block.slots = (fresh.value + of_keys).cast(ptr(SeenSlot))
    with b.For(b.const(u32, 0), count) as n:
        _enter(b, block, block.keys + n)


@kernel(SEEN, (CTX, u64, ptr(PlanEntry)), noinline=True)
def remember_key(b: Builder, ctx: GLContext, hash: Value, plan: PlanEntry) -> Value:
    """The key block has this plan."""
    block = ctx.seen
    with b.If(block.count == block.capacity, likely=False):
        b.call(seen_room, block)
    seen: Any = block.keys + block.count
    block.count = block.count + 1
    b.memcpy(seen.key, ctx.addr("key").cast(BYTES), KeyBlock.size)
    seen.plan, seen.hash = plan, hash
    _enter(b, block, seen)
    return seen


__all__ = ["EACH", "find_slot", "remember_key"]
