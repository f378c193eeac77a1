# SPDX-License-Identifier: MIT
"""The memory of a scene: arena, per-draw state blocks, bins with their chunks of commands
(lp_scene.c and the state half of lp_setup.c).

A context owns two scenes, one being recorded while threads may still execute the other. Memory is
one arena, filled from the bottom. Setup builds scenes (setup/recording.py, setup/clear.py and the
setup of primitives), rast executes them; this file knows neither."""

from __future__ import annotations

from typing import Any

from pipe_llvm.arena import allocate, same_bytes
from pipe_llvm.native import (
    CHUNK_COMMANDS,
    MANY_PLANS,
    MAX_VIEWS,
    OWN_KERNEL,
    SHARED_USES,
    LpBin,
    LpChunk,
    LpContext,
    LpFragState,
    LpPlan,
    LpScene,
)
from pipe_llvm.scene_views import any_way, find_ways, scene_view
from pipe_llvm.shader_memory import bound, scene_memory
from pipe_llvm.uniform_blocks import scene_block
from pydri.jit import Struct, f32, i32, kernel, ptr, u32, u64, void
from pydri.pipe.native import MAX_TARGETS, SHADER_FRAGMENT, PipeDynamic
from pydri.pipe.sampler import TextureView
from pydri.pipe.shader_memory import MAX_BLOCKS


class ClearBlock(Struct, align=64):
    """Argument of OP_CLEAR: a rectangle in surface space (x1, y1 exclusive), pixels and the bits
    they may change, all repeated to 128 bits.
    """

    rect = i32[4]
    targets = u32  # bit n: target n is cleared; bit MAX_TARGETS: depth and stencil are
    values = u32[4 * (MAX_TARGETS + 1)]  # of the targets, of depth and stencil
    masks = u32[4 * (MAX_TARGETS + 1)]


def _memory_of(b: Any, lp: Any, plan: Any, dyn: Any) -> Any:
    """Emit: the address of the draw's LpMemory; 0 if it has none."""
    memory = b.var(u64, 0)
    with b.If(plan.fragment.memory != 0, likely=False):
        table = bound(b, dyn, SHADER_FRAGMENT)
        made = b.call(scene_memory, lp, table, plan.fragment.addr("access"))
        memory.value = b.ptr_to_int(made)
    return memory.value


def _copy_tail(b: Any, new: Any, plan: Any, dyn: Any, tables: tuple[Any, Any, Any]) -> None:
    """Emit: the draw's constants and its tables of views and blocks into a state block, and the
    address of its memory. What is left of its last 64 bytes is zeroed, so that blocks compare
    whole.
    """
    views, blocks, memory = tables
    own = dyn.stages[SHADER_FRAGMENT]
    first = b.const(u32, LpFragState.offset("consts"))
    for source, size, at in (
        (dyn.const0 + plan.state.const_start, plan.state.const_bytes, first),
        (own.const1 + plan.state.uniform_start, plan.state.uniform_bytes, plan.state.uniforms_at),
    ):
        with b.For(b.const(u32, 0), size, 16) as n:
            b.bytes_from(new, at + n, f32).store(
                b.bytes_from(source, n, f32).load(f32.vec(4), align=4), align=4
            )
    with b.For(b.const(u32, 0), plan.fragment.views) as n:
        b.bytes_from(new, plan.state.views_at + n * 8, u64)[0] = views[n]
    with b.For(b.const(u32, 0), plan.fragment.blocks) as n:
        b.bytes_from(new, plan.state.blocks_at + n * 8, u64)[0] = blocks[n]
    tail, size = b.var(u32, plan.state.blocks_at + plan.fragment.blocks * 8), plan.state.bytes
    with b.While(lambda: tail.value < size):
        b.bytes_from(new, tail.value, u32)[0] = 0
        tail.value = tail.value + 4
    with b.If(plan.fragment.memory != 0, likely=False):
        b.bytes_from(new, plan.state.memory_at, u64)[0] = memory


@kernel(void, (ptr(LpContext), ptr(LpPlan)), noinline=True)
def count_use(b: Any, lp: Any, plan: Any) -> None:
    """A further state of a plan whose code could be better. With a fragment kernel that is shared
    it gets its own after SHARED_USES of them, unless it is one of so many that compiling them all
    would cost more than they gain."""
    plan.uses.left = plan.uses.left - 1
    with b.If(plan.uses.left == 0):
        with b.If(lp.states > plan.uses.since + SHARED_USES * MANY_PLANS):
            plan.uses.left, plan.uses.since = SHARED_USES, lp.states
        with b.Else():
            lp.hook_grow(lp, OWN_KERNEL, b.ptr_to_int(plan))


def plan_used(b: Any, lp: Any, plan: Any) -> None:
    """Emit: a plan is drawn with. What is drawn often gets better code, a kernel of its own."""
    with b.If(plan.uses.left != 0, likely=False):
        b.call(count_use, lp, plan)


@kernel(ptr(LpFragState), (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic)), name="lp_scene_state")
def scene_state(b: Any, lp: Any, plan: Any, dyn: Any) -> Any:
    """The state block of the current draw in the current scene: the last one if nothing changed,
    else a new one.
    """
    scene = lp.scene
    views = b.array(u64, MAX_VIEWS)
    with b.For(b.const(u32, 0), plan.fragment.views) as n:
        source = dyn.stages[SHADER_FRAGMENT].views.cast(ptr(u64))[n]
        copy = b.call(scene_view, lp, source)
        views[n] = b.ptr_to_int(copy)
        with b.If(any_way(plan.fragment.ways), likely=False):
            find_ways(b, copy, b.int_to_ptr(source, TextureView), plan.fragment.ways, n)
    memory = _memory_of(b, lp, plan, dyn)
    blocks = b.array(u64, MAX_BLOCKS)
    with b.For(b.const(u32, 0), plan.fragment.blocks) as n:
        table = bound(b, dyn, SHADER_FRAGMENT)
        blocks[n] = b.ptr_to_int(b.call(scene_block, lp, table, n, plan.fragment.block_bytes[n]))
    place = scene.arena + scene.arena_used
    new = place.cast(ptr(LpFragState))
    f32x4 = f32.vec(4)
    new.fs = plan.fs
    new.plan = plan
    for n, name in enumerate(("scissor_x0", "scissor_y0", "scissor_x1", "scissor_y1")):
        new.scissor[n] = getattr(dyn, name)
    new.blend_color.store(dyn.blend_color.load(f32x4))
    new.alpha_ref = dyn.alpha_ref
    for n in range(2):
        new.stencil_ref[n] = dyn.stencil_ref[n]
        new.stencil_valuemask[n] = dyn.stencil_valuemask[n]
        new.stencil_writemask[n] = dyn.stencil_writemask[n]
    new.occlusion_counter = dyn.occlusion_counter
    new.fragments_counter = dyn.fragments_counter
    new.sample_mask = dyn.sample_mask
    middle, scale, near = dyn.viewport_translate[2], dyn.viewport_scale[2], dyn.viewport_scale[3]
    ends = (middle - scale * near, middle + scale)
    new.depth_range[0] = b.min(*ends)
    new.depth_range[1] = b.max(*ends)
    _copy_tail(b, new, plan, dyn, (views, blocks, memory))
    size = plan.state.bytes
    last = scene.state
    with b.If(same_bytes(b, last, new, size, 64)):
        b.Return(last)
    plan_used(b, lp, plan)
    scene.arena_used = scene.arena_used + b.cast(size, u64)
    scene.state = new
    lp.states = lp.states + 1
    with b.If(is_counted(b, dyn)):
        scene.counting = 1
    b.Return(new)


def is_counted(b: Any, draw: Any) -> Any:
    """Whether a query counts the fragments of a draw (a PipeDynamic, an LpFragState)."""
    return (b.ptr_to_int(draw.occlusion_counter) | b.ptr_to_int(draw.fragments_counter)) != 0


@kernel(ptr(LpChunk), (ptr(LpScene), ptr(LpBin)), noinline=True, name="lp_new_chunk")
def new_chunk(b: Any, scene: Any, place: Any) -> None:
    """A fresh chunk at the end of a bin; the room was reserved."""
    tail = place.tail
    fresh = allocate(b, scene, LpChunk.size).cast(ptr(LpChunk))
    fresh.next = None
    fresh.count = 0
    with b.If(b.ptr_to_int(tail) == 0):
        place.head = fresh
    with b.Else():
        tail.next = fresh
    place.tail = fresh
    b.Return(fresh)


def append_command(b: Any, scene: Any, tile: Any, command: Any, fresh: Any) -> None:
    """Emit: add a command to a tile's bin; the room was reserved. `fresh`: new_chunk, as kernel
    or as extern.
    """
    place = scene.layer_bins + tile
    chunk = b.var(ptr(LpChunk), place.tail)
    full = b.var(u32, 1)
    with b.If(b.ptr_to_int(chunk.value) != 0, likely=True):
        full.value = b.cast(chunk.value.count == CHUNK_COMMANDS, u32)
    with b.If(full.value != 0, likely=False):
        chunk.value = b.call(fresh, scene, place)
    now = chunk.value
    at = now.count
    now.commands[at] = command
    now.count = at + 1
    scene.commands = scene.commands + 1
