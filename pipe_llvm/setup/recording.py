# SPDX-License-Identifier: MIT
"""Which scene a draw or clear is recorded in (the scene half of lp_setup.c).

Setup builds scenes, rast executes them: a scene that records for other surfaces, or that is full,
is handed to rast here, and recording goes on in a fresh one. That is why setup is above rast, and
both are above scene.py, which is the memory that they share."""

from __future__ import annotations

from typing import Any

from pipe_llvm.arena import allocate
from pipe_llvm.native import (
    GROW_BINS,
    LANES,
    PLAN_USES_ZS,
    PLAN_WRITES_STENCIL,
    TILE_SHIFT,
    LpAccess,
    LpBin,
    LpChunk,
    LpContext,
    LpFragState,
    LpHold,
    LpPlan,
    LpScene,
    LpShading,
)
from pipe_llvm.rast.clear import forget_tiles
from pipe_llvm.rast.execute import lp_flush
from pipe_llvm.rast.fill import format_bytes
from pipe_llvm.scene_views import LpViewCopy, release_views
from pipe_llvm.shader_memory import ROOM, bound, copy_memory, ranges
from pipe_llvm.transfer import lp_transfer_map
from pipe_llvm.uniform_blocks import block_range
from pydri.jit import boolean, kernel, ptr, u8, u32, u64, void
from pydri.pipe.native import (
    MAP_READ,
    MAP_WRITE,
    MAX_TARGETS,
    SHADER_FRAGMENT,
    SHADER_VERTEX,
    PipeDynamic,
    PipeFramebuffer,
    PipeNative,
    Surface,
)
from pydri.pipe.resource import BIND_SAMPLED, FLAG_STAMPS
from pydri.pipe.resource_kernels import storage_reference
from pydri.pipe.sampler import TextureView
from pydri.pipe.shader_memory import ShaderMemory

# After so many bytes, and then again and again, what is recorded goes to threads that have nothing
# to do, if it is so much work: they are woken for it, and surfaces are gone through once more.
STEP_BYTES, EARLY_WORK = 1 << 16, 12000


def scene_begin(b: Any, lp: Any, dyn: Any) -> Any:
    """Emit: make lp.scene record for dyn's framebuffer; 0 if memory is short."""
    return b.call(scene_open, lp, dyn.addr("fb"))


def _targets_of(fb: Any) -> Any:
    """Where the addresses of a framebuffer's colour targets lie."""
    return fb.addr("cbuf").cast(ptr(ptr(Surface)))


@kernel(void, (ptr(LpScene), ptr(Surface), u32, u64), noinline=True)
def _hold(b: Any, now: Any, surface: Any, n: Any, number: Any) -> None:
    """A surface that is an image of a resource: its memory as it is now, which the scene keeps."""
    resource = surface.resource
    with b.If(b.ptr_to_int(resource) == 0):
        b.Return()
    surface.data = resource.data + surface.offset
    storage = resource.storage
    with b.If(storage.writes == number, likely=False):
        now.entwined = 1
    with b.If(storage.writes != surface.drawn):
        b.call(forget_tiles, surface)
    with b.If(storage.changes != surface.changes):
        surface.stencil_known = 0
    with b.If((storage.writes == 0) & (storage.changes == 0)):
        surface.stencil_known = 0x100  # fresh memory is zero
    storage.writes = number
    surface.drawn = number
    now.storages[n] = storage
    b.call(storage_reference, storage)
    sampled = (resource.bind & BIND_SAMPLED) != 0
    with b.If(sampled & ((resource.flags & FLAG_STAMPS) == 0)):
        now.skirts[n] = surface.width | (surface.height << 16)


def _is_larger(b: Any, surface: Any, fb: Any) -> Any:
    """Emit: whether a surface is larger than what the framebuffer draws of it."""
    return (surface.width != fb.width) | (surface.height != fb.height)


@kernel(void, (ptr(LpScene), ptr(PipeFramebuffer), u64), noinline=True)
def _take_targets(b: Any, now: Any, fb: Any, number: Any) -> None:
    """The surfaces of a framebuffer become those of a scene, which will have that number."""
    cbufs = _targets_of(fb)
    now.targets, now.averaging, now.samples, now.depth_bytes = 0, 0, 1, 0
    now.depth_linear = now.uneven = now.entwined = 0
    b.memset(now.addr("skirts"), 0, 4 * (MAX_TARGETS + 1))
    with b.For(b.const(u32, 0), MAX_TARGETS) as n:
        cbuf = cbufs[n]
        now.cbufs[n] = cbuf
        now.averaged[n] = None
        with b.If(b.ptr_to_int(cbuf) != 0):
            now.targets = n + 1
            b.call(_hold, now, cbuf, n, number)
            now.color_data[n], now.color_stride[n] = cbuf.data, cbuf.stride
            now.color_bytes[n] = b.call(format_bytes, cbuf.format)
            now.samples = b.max(now.samples, cbuf.samples)
            now.uneven = now.uneven | b.cast(_is_larger(b, cbuf, fb), u32)
    zsbuf = fb.zsbuf
    now.zsbuf = zsbuf
    with b.If(b.ptr_to_int(zsbuf) != 0):
        b.call(_hold, now, zsbuf, MAX_TARGETS, number)
        now.depth_data, now.depth_stride = zsbuf.data, zsbuf.stride
        now.depth_linear = b.cast(zsbuf.layout == 0, u32)
        now.depth_bytes = b.call(format_bytes, zsbuf.format)
        now.samples = b.max(now.samples, zsbuf.samples)
        now.uneven = now.uneven | b.cast(_is_larger(b, zsbuf, fb), u32)


@kernel(u32, (ptr(PipeFramebuffer),), noinline=True)
def _most_layers(b: Any, fb: Any) -> Any:
    """The greatest number of layers that a target of a layered framebuffer has: clears clear all
    layers of each."""
    most, cbufs = b.var(u32, 1), _targets_of(fb)
    for n in range(MAX_TARGETS + 1):
        surface = fb.zsbuf if n == MAX_TARGETS else cbufs[n]
        with b.If(b.ptr_to_int(surface) != 0):
            most.value = b.max(most.value, surface.layers)
    b.Return(most.value)


@kernel(u32, (ptr(LpContext), ptr(PipeFramebuffer)), noinline=True)
def scene_open(b: Any, lp: Any, fb: Any) -> Any:
    """Make lp.scene record for these surfaces; flushes what belongs to others. Returns 0 if memory
    is short.
    """
    width, height = fb.width, fb.height
    scene = b.var(ptr(LpScene), lp.scene)
    with b.If(scene.value.active != 0):
        b.call(lp_flush, lp.addr("pipe"))
        scene.value = lp.scene
    now = scene.value
    tiles_x = (width + 63) >> TILE_SHIFT
    tiles_y = (height + 63) >> TILE_SHIFT
    tiles = tiles_x * tiles_y
    layers = b.var(u32, 1)
    with b.If(fb.layers != 0, likely=False):
        layers.value = b.call(_most_layers, fb)
    count, touched = tiles * layers.value, tiles * b.min(layers.value, LANES)
    with b.If((now.bin_capacity < count) | (now.chunk_capacity < touched)):
        wanted = b.cast(count, u64) | (b.cast(touched, u64) << 32)
        with b.If(lp.hook_grow(lp, GROW_BINS, wanted) == 0):
            b.Return(0)
    now.tiles_x, now.tiles_y, now.tile_count = tiles_x, tiles_y, count
    now.layers, now.layer_tiles, now.chunk_tiles = layers.value, tiles, touched
    now.drawn_layers, now.layer_bins = fb.layers, now.bins
    now.width, now.height = width, height
    b.call(release_views, now)
    b.call(_take_targets, now, fb, lp.pipe.submitted + 1)
    b.memset(now.bins, 0, b.cast(count, u64) * LpBin.size)
    now.arena_used = 0
    least = b.cast(touched, u64) * (4 * LpChunk.size)
    now.arena_end = b.min(b.max(least, b.cast(lp.scene_bytes, u64)), now.arena_size)
    # where each scene copies its tiles, or a pixel has several samples, scenes cost more
    first = b.cast(touched, u64) * LpChunk.size + 2 * STEP_BYTES
    early = (lp.threads != 0) & (now.depth_linear == 0) & (now.samples == 1)
    now.arena_limit = b.select(early, b.min(now.arena_end, first), now.arena_end)
    now.state = None
    now.clear_flags = 0
    now.commands = 0
    now.part_bits = 0
    now.work = 0
    now.uses_zs = 0
    now.rects = None
    now.stored = None
    now.counting = 0
    now.loops_cut = 0
    now.active = 1
    b.Return(1)


def same_target(b: Any, scene: Any, dyn: Any) -> Any:
    """Whether the scene records for the framebuffer of `dyn`."""
    fb = dyn.fb
    places = [p.cast(ptr(u64)).load(u64.vec(8), align=64) for p in (scene.cbufs, _targets_of(fb))]
    return (
        (scene.active != 0)
        & ~b.any(places[0] != places[1])
        & (scene.zsbuf == fb.zsbuf)
        & (scene.width == fb.width)
        & (scene.height == fb.height)
        & (scene.drawn_layers == fb.layers)
    )


@kernel(void, (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic)), name="lp_settle_views")
def settle_views(b: Any, lp: Any, plan: Any, dyn: Any) -> None:
    """Before a draw: if it samples what the scene that is being recorded draws to, that scene ends
    here. What is sampled and drawn to by one and the same draw is undefined, but safe.
    """
    views = dyn.stages[SHADER_FRAGMENT].views
    with b.For(b.const(u32, 0), plan.fragment.views) as n:
        resource = (views + n).load(ptr(TextureView)).resource
        with b.If(b.ptr_to_int(resource) != 0):
            recording = lp.addr("pipe").cast(ptr(PipeNative)).submitted + 1
            drawn = resource.storage.writes == recording
            with b.If(drawn & (lp.scene.active != 0), likely=False):
                b.call(lp_flush, lp.addr("pipe"))


@kernel(void, (ptr(LpContext), ptr(ShaderMemory), ptr(LpAccess), ptr(LpShading)), noinline=True,
        name="lp_settle_now")  # fmt: skip
def settle_now(b: Any, lp: Any, table: Any, access: Any, out: Any) -> None:
    """Before a draw with a stage that runs at once and accesses memory: it waits for the scenes
    that conflict."""
    for resource, written in ranges(b, table, access):
        flags = b.select(written, b.const(u32, MAP_WRITE), MAP_READ)
        b.call(lp_transfer_map, lp.addr("pipe"), resource, flags)
    b.call(copy_memory, table, out.addr("memory"), access)


@kernel(void, (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic)), name="lp_settle_memory")
def settle_memory(b: Any, lp: Any, plan: Any, dyn: Any) -> None:
    """Before a draw whose shaders access memory: if it writes what the recorded scene uses, or
    reads what that writes, that scene ends here, and the draw runs behind it: so later draws see
    what earlier ones wrote, in order. A vertex shader runs at once and waits for the scenes that
    conflict."""
    pipe = lp.addr("pipe").cast(ptr(PipeNative))
    with b.If(plan.vertex.memory != 0):
        own = bound(b, dyn, SHADER_VERTEX)
        b.call(settle_now, lp, own, plan.vertex.addr("access"), lp.vertex)
    with b.If(plan.fragment.memory == 0):
        b.Return()
    table = bound(b, dyn, SHADER_FRAGMENT)
    recording = pipe.submitted + 1
    used = b.var(u32, 0)
    for resource, written in ranges(b, table, plan.fragment.addr("access")):
        storage = resource.storage
        read = storage.reads == recording
        with b.If((storage.writes == recording) | (written & read)):
            used.value = 1
    with b.If((used.value != 0) & (lp.scene.active != 0)):
        b.call(lp_flush, lp.addr("pipe"))


@kernel(void, (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic)), name="lp_settle_blocks")
def settle_blocks(b: Any, lp: Any, plan: Any, dyn: Any) -> None:
    """Before a draw whose fragments read uniform blocks: a scene that writes to them ends here."""
    with b.For(b.const(u32, 0), plan.fragment.blocks) as n:
        data, _, storage = block_range(b, bound(b, dyn, SHADER_FRAGMENT), n)
        with b.If(b.ptr_to_int(data) != 0):
            recording = lp.addr("pipe").cast(ptr(PipeNative)).submitted + 1
            written = storage.writes == recording
            with b.If(written & (lp.scene.active != 0), likely=False):
                b.call(lp_flush, lp.addr("pipe"))


@kernel(u32, (ptr(LpContext), ptr(PipeDynamic), u64), noinline=True)
def _make_room(b: Any, lp: Any, dyn: Any, end: Any) -> Any:
    """The arena would be filled up to `end`, beyond where recording is looked at: go on, or hand
    the scene over and begin another one; 0 if memory is short.

    A frame of many primitives goes to the threads in parts, so that they draw while the rest of
    it is recorded. What is too little to wake them, or for which they have no time yet, waits.
    """
    scene, pool, pending = lp.scene, lp.pool, lp.pending
    with b.If(end <= scene.arena_end):
        waits = b.var(boolean, scene.work < EARLY_WORK)
        with b.If(b.ptr_to_int(pending) != 0):
            done = b.load_atomic(pending.addr("tiles_done")) == pending.tile_count
            waits.value = waits.value | ~done
        with b.Elif(lambda: b.load_atomic(pool.addr("claimed")) != 0):
            waits.value = b.const(boolean, 1)  # another context's scene has them
        with b.If(waits.value):
            scene.arena_limit = b.min(scene.arena_end, end + STEP_BYTES)
            b.Return(1)
    b.call(lp_flush, lp.addr("pipe"))
    b.Return(scene_begin(b, lp, dyn))


@kernel(ptr(u8), (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic), u32), name="lp_reserve")
def reserve(b: Any, lp: Any, plan: Any, dyn: Any, size: Any) -> Any:
    """`size` bytes of scene memory (64-byte aligned) for a packet, with room kept for its state
    block and commands.

    Begins or flushes scenes as needed; null if memory is short.
    """
    scene = b.var(ptr(LpScene), lp.scene)
    with b.If(~same_target(b, scene.value, dyn), likely=False):
        with b.If(scene_begin(b, lp, dyn) == 0):
            b.Return(None)
        scene.value = lp.scene
    now = scene.value
    margin = now.chunk_tiles * LpChunk.size + LpFragState.size + plan.state.const_bytes + size + 256
    margin = margin + plan.state.uniform_bytes + plan.fragment.views * (LpViewCopy.size + 8)
    margin = margin + plan.fragment.memory * ROOM
    margin = margin + plan.fragment.blocks * (LpHold.size + 8)
    end = now.arena_used + b.cast(margin, u64)
    with b.If(end > now.arena_limit, likely=False):
        with b.If(b.call(_make_room, lp, dyn, end) == 0):
            b.Return(None)
        scene.value = lp.scene
    with b.If((plan.flags & PLAN_USES_ZS) != 0):
        scene.value.uses_zs = 1
    with b.If((plan.flags & PLAN_WRITES_STENCIL) != 0, likely=False):
        zsbuf = dyn.fb.zsbuf
        with b.If(b.ptr_to_int(zsbuf) != 0):
            zsbuf.stencil_known = 0
    b.Return(allocate(b, scene.value, size))
