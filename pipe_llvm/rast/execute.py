# SPDX-License-Identifier: MIT
"""Executing a scene: tiles, clears, threads, fences (lp_rast.c, lp_fence.c).

A tile belongs to one thread at a time and its commands run in order, so the picture does not
depend on how many threads there are. Threads enter `lp_worker` once and stay there, sleeping on a
futex. A scene with little in it is executed by the caller at once: waking a thread costs more
than a small frame. The caller that waits for a scene helps to execute it.

Fast clears: each surface has one word a tile (`tile_state`), and 1 means that every pixel of the
tile is the surface's `clear_value`. Depth, and colour with several samples, of windows: a clear is
pending that nothing has had to see yet. Else, and in all images of resources: the memory holds it,
so clearing to the same value again does nothing, until somebody else writes there (rast/clear.py).
"""

from __future__ import annotations

from typing import Any

from pipe_llvm.blit.execute import rast_blit
from pipe_llvm.command import OP_CLEAR, operation_of, state_of
from pipe_llvm.debug import DEBUG_RAST, DEBUG_SCENE
from pipe_llvm.native import (
    IDLE,
    LOOPS_CUT,
    SPINS,
    TILE_SHIFT,
    WORK_CLEAR,
    WORK_TILE,
    LpChunk,
    LpContext,
    LpFragState,
    LpPool,
    LpScene,
    LpTask,
    LpThreadData,
)
from pipe_llvm.rast.clear import begin_clear, begin_stamp_tile, rast_clear, tile_state
from pipe_llvm.rast.depth import begin_linear_tile, end_linear_tile
from pipe_llvm.rast.fill import fill_color_tile, fill_rows
from pipe_llvm.rast.futex import futex_wait, futex_wake
from pipe_llvm.rast.samples import begin_samples, resolve_tile
from pipe_llvm.rast.split import help_with_parts
from pipe_llvm.scene_views import release_views
from pipe_llvm.shader_memory import refresh_stored
from pydri.jit import boolean, extern_c, i32, kernel, ptr, u8, u32, u64, void
from pydri.pipe.native import CLEAR_COLOR0, CLEAR_DEPTH, MAX_TARGETS, PipeNative
from pydri.pipe.skirt import refresh_image

SCHED_YIELD = extern_c("sched_yield", i32)
INLINE_WORK = 1500  # below this the caller executes a scene itself (about 100 us)


def _fill_if_stale(b: Any, scene: Any, task: Any, n: Any, known: Any) -> None:
    """Emit: clear the tile's pixels of target n, unless they are `known` to be clear already."""
    with b.If((known & (scene.same_clear >> n) & 1) == 0):
        pattern, stride = scene.clear_color + n * 4, scene.color_stride[n]
        with b.If(scene.color_bytes[n] == 4, likely=True):
            b.call(fill_color_tile, task.color[n], stride, pattern)
        with b.Else():
            b.call(fill_rows, task.color[n], stride, pattern, scene.color_bytes[n] * 64)


def layer_of(b: Any, surface: Any, data: Any, layer: Any) -> Any:
    """Emit: where a layer of a surface lies whose first image is at `data`; null if it has not so
    many."""
    place = b.ptr_to_int(data) + b.cast(layer, u64) * surface.layer_stride
    return b.int_to_ptr(b.select(layer < surface.layers, place, b.const(u64, 0)), u8)


@kernel(void, (ptr(LpScene), ptr(LpTask), u32, u32, boolean), inline=True)
def begin_color_tile(b: Any, scene: Any, task: Any, n: Any, tile: Any, busy: Any) -> None:
    """Where the tile of the task's layer lies in target n, whose clear is written."""
    cbuf = scene.cbufs[n]
    image = b.var(ptr(u8), scene.color_data[n])
    with b.If(task.layer != 0, likely=False):
        image.value = layer_of(b, cbuf, image.value, task.layer)
        with b.If(b.ptr_to_int(image.value) == 0):
            task.color[n] = image.value
            b.Return()
    tx, ty = tile % scene.tiles_x, tile // scene.tiles_x
    cleared = (scene.clear_flags & (b.const(u32, CLEAR_COLOR0) << n)) != 0
    task.color_stride[n] = scene.color_stride[n]
    with b.If(scene.samples > 1, likely=False):
        place = b.call(begin_stamp_tile, task, cbuf, image.value, n, tile, busy, cleared)
        task.color[n] = place
        b.Return()
    x_bytes = (tx << TILE_SHIFT) * scene.color_bytes[n]
    row = b.cast(ty << TILE_SHIFT, u64) * b.cast(scene.color_stride[n], u64)
    task.color[n] = image.value + (row + b.cast(x_bytes, u64))
    states = tile_state(b, task, cbuf, tile)
    known = b.var(u32, 0)
    tracked = ((scene.tracked >> n) & 1) != 0
    with b.If(tracked):
        known.value = states[0]
    with b.If(cleared):
        _fill_if_stale(b, scene, task, n, known.value)
        known.value = 1
    with b.If(tracked):
        states[0] = b.select(busy, 0, known.value)


@kernel(void, (ptr(LpScene), ptr(LpTask), u32))
def rast_tile(b: Any, scene: Any, task: Any, number: Any) -> None:
    """Execute one tile of a layer: pending clears, then its commands in order."""
    own, layer = b.var(u32, number), b.var(u32, 0)
    with b.If(scene.layers > 1, likely=False):
        own.value, layer.value = number % scene.layer_tiles, number // scene.layer_tiles
    tile, task.layer = own.value, layer.value
    tx, ty = tile % scene.tiles_x, tile // scene.tiles_x
    task.x0 = b.cast(tx << TILE_SHIFT, i32)
    task.y0 = b.cast(ty << TILE_SHIFT, i32)
    needed = b.var(boolean, False)
    head = (scene.bins + number).head
    busy = b.ptr_to_int(head) != 0
    with b.For(b.const(u32, 0), scene.targets) as n:
        with b.If(b.ptr_to_int(scene.cbufs[n]) != 0):
            b.call(begin_color_tile, scene, task, n, tile, busy)
    zsbuf = scene.zsbuf
    image = b.var(ptr(u8), b.const(ptr(u8), None))
    with b.If(b.ptr_to_int(zsbuf) != 0):
        image.value = scene.depth_data
        with b.If(layer.value != 0, likely=False):
            image.value = layer_of(b, zsbuf, image.value, layer.value)
            task.depth = image.value
    with b.If(b.ptr_to_int(image.value) != 0):
        needed.value = busy & (scene.uses_zs != 0)
        with b.If(scene.depth_linear != 0, likely=False):
            b.call(begin_linear_tile, scene, task, image.value, tile, needed.value)
        with b.Else():
            task.depth_stride = scene.depth_stride
            cleared, at = (scene.clear_flags & CLEAR_DEPTH) != 0, (image.value, MAX_TARGETS, tile)
            task.depth = b.call(begin_stamp_tile, task, zsbuf, *at, needed.value, cleared)
    with b.If(busy):
        b.call(rast_bin, task, head)
        with b.If(needed.value & (scene.depth_linear != 0), likely=False):
            b.call(end_linear_tile, scene, task, image.value, tile)
    with b.If(scene.averaging != 0, likely=False):
        with b.For(b.const(u32, 0), scene.targets) as n:
            with b.If(b.ptr_to_int(scene.averaged[n]) != 0):
                b.call(resolve_tile, scene.cbufs[n], scene.averaged[n], tile)


@kernel(void, (ptr(LpTask), ptr(LpChunk)))
def rast_bin(b: Any, task: Any, head: Any) -> None:
    """The commands of a tile, in order."""
    chunk, over = b.var(ptr(LpChunk), head), b.var(u32, 0)
    with b.While(lambda: b.ptr_to_int(chunk.value) != 0):
        now = chunk.value
        count = now.count
        at = b.var(u32, over.value)
        task.chunk = now
        commands = now.commands
        with b.While(lambda: at.value < count):
            command = commands[at.value]
            operation = operation_of(command)
            with b.If(operation >= OP_CLEAR, likely=False):
                with b.If(operation == OP_CLEAR):
                    b.call(rast_clear, task, command)
                with b.Else():
                    b.call(rast_blit, task, command)
                at.value = at.value + 1
            with b.Else():
                state = b.int_to_ptr(state_of(b, command), LpFragState)
                at.value = at.value + state.fs(task, commands + at.value, count - at.value)
        # who draws polygons as a whole may have gone on in the chunks behind
        over.value = at.value - count
        chunk.value = now.next


def _task(b: Any, scene: Any, thread: Any) -> Any:
    """Emit: what a thread has for a scene's tiles."""
    task = b.array(LpTask, 1, align=64)
    task.scene = scene
    task.thread = thread
    return task


@kernel(u32, (ptr(LpScene), ptr(LpThreadData)))
def rast_tiles(b: Any, scene: Any, thread: Any) -> Any:
    """Take tiles of a shared scene until none is left; returns how many this thread did."""
    task = _task(b, scene, thread)
    done = b.var(u32, 0)
    with b.Loop():
        tile = b.atomic_add(scene.addr("next_tile"), 1)
        with b.If(tile >= scene.tile_count):
            b.Break()
        b.call(rast_tile, scene, task, tile)
        done.value = done.value + 1
    with b.If(thread.loops_cut != 0, likely=False):
        thread.loops_cut = 0
        scene.loops_cut = 1
    b.Return(done.value)


@kernel(void, (ptr(LpPool),))
def lp_worker(b: Any, pool: Any) -> None:
    """A rasteriser thread: helps with every scene and with all parts (split.py) that are handed to
    the pool, sleeps in between."""
    thread = pool.memory + b.atomic_add(pool.addr("started"), 1)
    with b.Loop():
        seen = b.load_atomic(pool.addr("generation"))
        b.atomic_add(thread.addr("looks"), 1)
        scene = b.load_atomic(pool.addr("scene"))
        with b.If(b.ptr_to_int(scene) != 0):
            done = b.call(rast_tiles, scene, thread)
            with b.If(done != 0):
                b.call(account, pool, scene, done)
        b.call(help_with_parts, pool, seen)
        b.atomic_add(thread.addr("looks"), 1)
        with b.If(b.load_atomic(pool.addr("generation")) == seen):
            b.atomic_add(pool.addr("sleepers"), 1)
            futex_wait(b, pool.addr("generation"), seen)
            b.atomic_add(pool.addr("sleepers"), -1)


@kernel(void, (ptr(LpPool), ptr(LpScene), u32))
def account(b: Any, pool: Any, scene: Any, done: Any) -> None:
    """Add finished tiles; whoever finishes the last one wakes the waiting owner."""
    before = b.atomic_add(scene.addr("tiles_done"), done)
    with b.If(before + done == scene.tile_count):
        b.atomic_add(pool.addr("done"), 1)
        with b.If(b.load_atomic(pool.addr("waiters")) != 0):
            futex_wake(b, pool.addr("done"))


@kernel(void, (ptr(LpScene), u32, u32), noinline=True)
def refresh_target(b: Any, scene: Any, n: Any, layer: Any) -> None:
    """Make the skirt of a target's image true; MAX_TARGETS: of depth and stencil."""
    size = scene.skirts[n]
    width, height = size & 0xFFFF, size >> 16
    depth = n == MAX_TARGETS
    at = b.min(n, MAX_TARGETS - 1)
    surface = b.select(depth, scene.zsbuf, scene.cbufs[at])
    image = b.var(ptr(u8), b.select(depth, scene.depth_data, scene.color_data[at]))
    with b.If(layer != 0, likely=False):
        image.value = layer_of(b, surface, image.value, layer)
    with b.If(b.ptr_to_int(image.value) != 0):
        stride = b.select(depth, scene.depth_stride, scene.color_stride[at])
        bytes_ = b.select(depth, scene.depth_bytes, scene.color_bytes[at])
        b.call(refresh_image, image.value, stride, width, height, bytes_)


@kernel(void, (ptr(LpScene),), noinline=True)
def scene_done(b: Any, scene: Any) -> None:
    """All tiles are done: the skirts of what was drawn to are made true, and memory is given
    back."""
    with b.For(b.const(u32, 0), MAX_TARGETS + 1) as n:
        with b.If(scene.skirts[n] != 0), b.For(b.const(u32, 0), scene.layers) as layer:
            b.call(refresh_target, scene, n, layer)
    with b.If(b.ptr_to_int(scene.stored) != 0, likely=False):
        b.call(refresh_stored, scene.stored)
    b.call(release_views, scene)
    scene.active = 0


def _tell_of_loops(b: Any, lp: Any, scene: Any) -> None:
    """Emit: a line for the program's author, once, if loops of a shader were cut."""
    with b.If((scene.loops_cut | lp.thread.loops_cut) != 0, likely=False):
        lp.thread.loops_cut = 0
        scene.loops_cut = 0
        lp.hook_grow(lp, LOOPS_CUT, 0)


@kernel(void, (ptr(LpContext),))
def lp_wait(b: Any, lp: Any) -> None:
    """Wait for the scene that threads are executing, helping meanwhile."""
    scene = lp.pending
    with b.If(b.ptr_to_int(scene) == 0):
        b.Return()
    pool = lp.pool
    mine = b.call(rast_tiles, scene, lp.thread)
    with b.If(mine != 0):
        b.call(account, pool, scene, mine)
    spins = b.var(u32, 0)
    with b.While(lambda: b.load_atomic(scene.addr("tiles_done")) != scene.tile_count):
        spins.value = spins.value + 1
        b.pause()
        with b.If(spins.value > SPINS):
            b.atomic_add(pool.addr("waiters"), 1)
            seen = b.load_atomic(pool.addr("done"))
            with b.If(b.load_atomic(scene.addr("tiles_done")) != scene.tile_count):
                futex_wait(b, pool.addr("done"), seen)
            b.atomic_add(pool.addr("waiters"), -1)
    b.store_atomic(scene.addr("next_tile"), IDLE)
    b.store_atomic(pool.addr("scene"), None)  # who wakes late finds nothing, not a freed scene
    b.call(scene_done, scene)
    _tell_of_loops(b, lp, scene)
    lp.pending = None
    lp.pipe.completed = scene.number
    b.store_atomic(pool.addr("claimed"), 0)


@kernel(void, (ptr(LpScene),), noinline=True)
def begin_clears(b: Any, scene: Any) -> None:
    """The surfaces of a scene take over the values of the clears that it begins with."""
    flags, zsbuf = scene.clear_flags, scene.zsbuf
    scene.same_clear = scene.tracked = 0
    with b.For(b.const(u32, 0), scene.targets) as n:
        cbuf = scene.cbufs[n]
        cleared = (flags & (b.const(u32, CLEAR_COLOR0) << n)) != 0
        with b.If(b.ptr_to_int(cbuf) != 0):
            b.call(begin_clear, scene, cbuf, n, cleared, scene.clear_color + n * 4)
    with b.If(b.ptr_to_int(zsbuf) != 0):
        cleared = (flags & CLEAR_DEPTH) != 0
        b.call(begin_clear, scene, zsbuf, MAX_TARGETS, cleared, scene.clear_zs)
    with b.If(scene.samples > 1, likely=False):
        b.call(begin_samples, scene)


def _work_of(b: Any, lp: Any, scene: Any) -> Any:
    """Emit: how much there is to do, in the units of INLINE_WORK; LP_DEBUG=scene prints it."""
    flags = scene.clear_flags
    cleared = b.select(flags != 0, scene.tile_count * WORK_CLEAR, b.const(u32, 0))
    averaged = scene.averaging * scene.tile_count * WORK_TILE
    work = (scene.work + cleared) * scene.samples + averaged
    with b.If((lp.debug & DEBUG_SCENE) != 0, likely=False):
        kilobytes = b.cast(scene.arena_used >> 10, u32)
        b.printf(
            "llvmpipe: scene %dx%d, %d commands, work %d, clear %d, %d kB\n",
            scene.width, scene.height, scene.commands, scene.work, flags, kilobytes,
        )  # fmt: skip
    return work


def _execute_here(b: Any, lp: Any, scene: Any) -> None:
    """Emit: all tiles, on the caller's thread."""
    task = _task(b, scene, lp.thread)
    with b.For(b.const(u32, 0), scene.tile_count) as tile:
        b.call(rast_tile, scene, task, tile)
    b.call(scene_done, scene)
    _tell_of_loops(b, lp, scene)


@kernel(void, (ptr(PipeNative),))
def lp_flush(b: Any, pipe: Any) -> None:
    """pipe.flush: execute the recorded scene, here or on the pool's threads."""
    lp = pipe.cast(ptr(LpContext))
    scene = lp.scene
    pipe.submitted = pipe.submitted + 1
    with b.If(scene.active == 0):
        with b.If(b.ptr_to_int(lp.pending) == 0):
            pipe.completed = pipe.submitted
        b.Return()
    scene.number = pipe.submitted
    b.call(lp_wait, lp)
    b.call(begin_clears, scene)
    with b.If(lp.no_rast != 0):
        b.call(release_views, scene)
        scene.active = 0
        pipe.completed = pipe.submitted
        b.Return()
    work = _work_of(b, lp, scene)
    pool = lp.pool
    alone = b.var(u32, 1)
    with b.If((lp.threads != 0) & (work > INLINE_WORK)):
        alone.value = b.cmpxchg(pool.addr("claimed"), 0, 1)
    with b.If((lp.debug & DEBUG_RAST) != 0, likely=False):
        threads = b.select(alone.value != 0, 0, lp.threads)
        text = "llvmpipe: rast %d tiles, %d threads beside the caller\n"
        b.printf(text, scene.tile_count, threads)
    with b.If(alone.value != 0):
        _execute_here(b, lp, scene)
        pipe.completed = pipe.submitted
        b.Return()
    scene.tiles_done = 0
    b.store_atomic(pool.addr("scene"), scene)
    b.store_atomic(scene.addr("next_tile"), 0)
    b.atomic_add(pool.addr("generation"), 1)
    with b.If(b.load_atomic(pool.addr("sleepers")) != 0):
        futex_wake(b, pool.addr("generation"))
    lp.pending = scene
    # record into the other scene meanwhile
    first = lp.scenes
    lp.scene = b.select(scene == first, first + 1, first)


@kernel(void, (ptr(PipeNative),))
def lp_finish(b: Any, pipe: Any) -> None:
    """pipe.finish: flush, and wait until memory holds the pixels."""
    b.call(lp_flush, pipe)
    b.call(lp_wait, pipe.cast(ptr(LpContext)))
    pipe.completed = pipe.submitted


@kernel(void, (ptr(PipeNative),))
def lp_retire(b: Any, pipe: Any) -> None:
    """Finish, and wait until no thread may still hold the address of a scene of ours: then their
    memory can be freed. Other contexts may keep the threads busy meanwhile: what counts is that
    each thread which was looking when ours were done has looked away once.

    A thread makes `looks` odd before it looks for a scene; the addition of 0 is the full barrier
    between our "there is none" and that."""
    b.call(lp_finish, pipe)
    pool = pipe.cast(ptr(LpContext)).pool
    with b.For(b.const(u32, 0), pool.threads) as n:
        looks = (pool.memory + n).addr("looks")
        seen = b.atomic_add(looks, 0)
        with b.If((seen & 1) != 0):
            with b.While(lambda: b.load_atomic(looks) == seen):
                b.call(SCHED_YIELD)
