# SPDX-License-Identifier: MIT
"""Building a scene: arena, per-draw state blocks, bins, clears (lp_scene.c and the state half of
lp_setup.c).

A context owns two scenes, one being recorded while threads may still execute the other. Memory is
one arena, filled from the bottom; a scene that is full is flushed and recording goes on in a
fresh one. A clear of everything before anything else was drawn costs nothing here: it becomes a
property of the scene that rast applies tile by tile, in cache."""

from __future__ import annotations

from typing import Any

from pipe_llvm.gallivm import format as color_format
from pipe_llvm.gallivm.depth import layout_of
from pipe_llvm.gallivm.srgb import encode_color
from pipe_llvm.native import (
    CHUNK_COMMANDS,
    OP_CLEAR,
    PLAN_USES_ZS,
    PLAN_WRITES_STENCIL,
    TILE_SHIFT,
    LpBin,
    LpChunk,
    LpContext,
    LpFragState,
    LpPlan,
    LpScene,
)
from pydri.jit import Struct, f32, f64, i32, kernel, ptr, u8, u32, u64, void
from pydri.pipe.format import FORMATS
from pydri.pipe.native import (
    CLEAR_COLOR,
    CLEAR_DEPTH,
    CLEAR_SRGB,
    CLEAR_STENCIL,
    PipeDynamic,
    PipeNative,
    Surface,
)

GROW_BINS, OWN_KERNEL = 3, 4
SCENE_BYTES = 3 << 19  # what is recorded is soon read again: it should still be in the L2 cache


class ClearBlock(Struct, align=64):
    """Argument of OP_CLEAR: a rectangle in surface space (x1, y1 exclusive), values and the bits
    they may change.
    """

    rect = i32[4]
    color = u32
    color_mask = u32
    zs = u64
    zs_mask = u64


def scene_begin(b: Any, lp: Any, dyn: Any) -> Any:
    """Emit: make lp.scene record for dyn's framebuffer; 0 if memory is short."""
    fb = dyn.fb
    return b.call(scene_open, lp, fb.cbuf, fb.zsbuf, fb.width, fb.height)


@kernel(u32, (ptr(LpContext), ptr(Surface), ptr(Surface), u32, u32), noinline=True)
def scene_open(b: Any, lp: Any, cbuf: Any, zsbuf: Any, width: Any, height: Any) -> Any:
    """Make lp.scene record for these surfaces; flushes what belongs to others. Returns 0 if memory
    is short.
    """
    scene = b.var(ptr(LpScene), lp.scene)
    with b.If(scene.value.active != 0):
        b.call(lp_flush, lp.addr("pipe"))
        scene.value = lp.scene
    now = scene.value
    tiles_x = (width + 63) >> TILE_SHIFT
    tiles_y = (height + 63) >> TILE_SHIFT
    count = tiles_x * tiles_y
    with b.If(now.bin_capacity < count):
        with b.If(lp.hook_grow(lp, GROW_BINS, b.cast(count, u64)) == 0):
            b.Return(0)
    now.tiles_x, now.tiles_y, now.tile_count = tiles_x, tiles_y, count
    now.width, now.height = width, height
    now.cbuf, now.zsbuf = cbuf, zsbuf
    now.color_data = None
    now.depth_data = None
    now.color_bytes = 0
    now.depth_bytes = 0
    now.samples = 1
    now.target = None
    with b.If(b.ptr_to_int(cbuf) != 0):
        now.color_data, now.color_stride = cbuf.data, cbuf.stride
        now.color_bytes = b.call(format_bytes, cbuf.format)
        now.samples = b.max(now.samples, cbuf.samples)
    with b.If(b.ptr_to_int(zsbuf) != 0):
        now.depth_data, now.depth_stride = zsbuf.data, zsbuf.stride
        now.depth_bytes = b.call(format_bytes, zsbuf.format)
        now.samples = b.max(now.samples, zsbuf.samples)
    b.memset(now.bins, 0, b.cast(count, u64) * LpBin.size)
    now.arena_used = 0
    now.arena_limit = b.min(
        b.max(b.cast(count, u64) * (4 * LpChunk.size), b.const(u64, SCENE_BYTES)), now.arena_size
    )
    now.state = None
    now.clear_flags = 0
    now.commands = 0
    now.work = 0
    now.uses_zs = 0
    now.rects = None
    now.counting = 0
    now.active = 1
    b.Return(1)


@kernel(u32, (u32,))
def format_bytes(b: Any, number: Any) -> Any:
    """Bytes a pixel of a format."""
    b.Return(b.cast(b.table(u8, [f.bytes for f in FORMATS])[number], u32))


def same_target(b: Any, scene: Any, dyn: Any) -> Any:
    """Whether the scene records for the framebuffer of `dyn`."""
    fb = dyn.fb
    cbuf, zsbuf = fb.cbuf, fb.zsbuf
    return (
        (scene.active != 0)
        & (scene.cbuf == cbuf)
        & (scene.zsbuf == zsbuf)
        & (scene.width == fb.width)
        & (scene.height == fb.height)
    )


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
    margin = now.tile_count * LpChunk.size + LpFragState.size + plan.const_bytes + size + 256
    with b.If(now.arena_used + b.cast(margin, u64) > now.arena_limit, likely=False):
        b.call(lp_flush, lp.addr("pipe"))
        with b.If(scene_begin(b, lp, dyn) == 0):
            b.Return(None)
        scene.value = lp.scene
    with b.If((plan.flags & PLAN_USES_ZS) != 0):
        scene.value.uses_zs = 1
    with b.If((plan.flags & PLAN_WRITES_STENCIL) != 0, likely=False):
        zsbuf = dyn.fb.zsbuf
        with b.If(b.ptr_to_int(zsbuf) != 0):
            zsbuf.stencil_known = 0
    b.Return(allocate(b, scene.value, size))


def allocate(b: Any, scene: Any, size: Any) -> Any:
    """Bump-allocate 64-byte aligned memory whose room was checked before."""
    at = scene.arena_used
    scene.arena_used = at + b.cast(
        (size + 63) & ~63 if not isinstance(size, int) else b.const(u32, (size + 63) & ~63), u64
    )
    return scene.arena + at


@kernel(ptr(LpFragState), (ptr(LpContext), ptr(LpPlan), ptr(PipeDynamic)), name="lp_scene_state")
def scene_state(b: Any, lp: Any, plan: Any, dyn: Any) -> Any:
    """The state block of the current draw in the current scene: the last one if nothing changed,
    else a new one.
    """
    scene = lp.scene
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
    new.sample_mask = dyn.sample_mask
    middle, scale, near = dyn.viewport_translate[2], dyn.viewport_scale[2], dyn.viewport_scale[3]
    ends = (middle - scale * near, middle + scale)
    new.depth_range[0] = b.min(*ends)
    new.depth_range[1] = b.max(*ends)
    size = (plan.const_bytes + (LpFragState.offset("consts") + 63)) & ~63
    source = dyn.const0 + plan.const_start
    with b.For(b.const(u32, 0), plan.const_bytes, 16) as n:
        b.bytes_from(new, n + LpFragState.offset("consts"), f32).store(
            b.bytes_from(source, n, f32).load(f32x4, align=4), align=4
        )
    # zero the tail, so that blocks compare whole
    tail = b.var(u32, LpFragState.offset("consts") + ((plan.const_bytes + 15) & ~15))
    with b.While(lambda: tail.value < size):
        b.bytes_from(new, tail.value, u32)[0] = 0
        tail.value = tail.value + 4
    last = scene.state
    with b.If(b.ptr_to_int(last) != 0):
        different = b.var(u32, 0)
        with b.For(b.const(u32, 0), size, 64) as n:
            x = b.bytes_from(last, n, u32).load(u32.vec(16), align=64)
            y = b.bytes_from(new, n, u32).load(u32.vec(16), align=64)
            with b.If(b.any(x != y)):
                different.value = 1
                b.Break()
        with b.If(different.value == 0):
            b.Return(last)
    with b.If(plan.shared != 0, likely=False):  # what is drawn often gets a kernel of its own
        plan.shared = plan.shared - 1
        with b.If(plan.shared == 0):
            lp.hook_grow(lp, OWN_KERNEL, b.ptr_to_int(plan))
    scene.arena_used = scene.arena_used + b.cast(size, u64)
    scene.state = new
    with b.If(dyn.occlusion_counter != None):  # noqa: E711 - a run-time comparison
        scene.counting = 1
    b.Return(new)


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
    place = scene.bins + tile
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


def pack_by_format(b: Any, number: Any, color: Any) -> Any:
    """Packed clear colour for a colour format known at run time."""
    out = b.var(u32, 0)
    with b.Switch(number) as s:
        for fmt in color_format.COLOR_FORMATS:
            with s.Case(fmt.number):
                value = color_format.pack_scalar(b, fmt, color)
                out.value = value | (value << 16) if fmt.bits == 16 else value
    return out.value


def pack_zs_by_format(b: Any, number: Any, depth: Any, stencil: Any) -> Any:
    """Packed depth/stencil value for a format known at run time, as u64."""
    out = b.var(u64, 0)
    clamped = b.clamp(depth, 0.0, 1.0)
    stencil = b.cast(stencil & 0xFF, u64)
    with b.Switch(number) as s:
        for fmt in color_format.ZS_FORMATS:
            zs = layout_of(fmt)
            with s.Case(fmt.number):
                if fmt.name == "S8_UINT":
                    out.value = stencil
                    continue
                if zs.is_float:
                    value = b.cast(b.bitcast(b.cast(clamped, f32), u32), u64)
                else:
                    value = b.cast(clamped * float((1 << zs.depth_bits) - 1) + 0.5, u64)
                if zs.has_stencil:
                    value = value | (stencil << (32 if fmt.bytes == 8 else 24))
                out.value = value
    return out.value


def zs_mask_by_format(b: Any, number: Any, buffers: Any, stencil_mask: Any) -> Any:
    """Bits of a depth/stencil pixel that a clear of `buffers` may change."""
    out = b.var(u64, 0)
    depth_on = (buffers & CLEAR_DEPTH) != 0
    stencil_bits = b.select(
        (buffers & CLEAR_STENCIL) != 0, b.cast(stencil_mask & 0xFF, u64), b.const(u64, 0)
    )
    with b.Switch(number) as s:
        for fmt in color_format.ZS_FORMATS:
            zs = layout_of(fmt)
            with s.Case(fmt.number):
                if fmt.name == "S8_UINT":
                    out.value = stencil_bits
                    continue
                whole = (1 << fmt.bits) - 1
                stencil_at = 32 if fmt.bytes == 8 else 24
                depth_bits = whole & ~(0xFF << stencil_at) if zs.has_stencil else whole
                value = b.select(depth_on, b.const(u64, depth_bits), b.const(u64, 0))
                if zs.has_stencil:
                    value = value | (stencil_bits << stencil_at)
                out.value = value
    return out.value


def know_stencil(b: Any, zsbuf: Any, zs: Any, zs_mask: Any, whole: Any) -> None:
    """Emit, for a clear of `zs_mask` bits: where all pixels have one stencil value anyway, a clear
    of all depth is a clear of everything, which costs nothing. Programs that leave the stencil
    buffer alone clear depth only. Keeps `stencil_known`.
    """
    bits = b.var(u64, 0)
    at = b.var(u64, 0)
    with b.Switch(zsbuf.format) as s:
        for fmt in color_format.ZS_FORMATS:
            if layout_of(fmt).has_stencil and fmt.name != "S8_UINT":
                with s.Case(fmt.number):
                    at.value = 32 if fmt.bytes == 8 else 24
                    bits.value = (1 << fmt.bits) - 1
    stencil = (b.const(u64, 0xFF) << at.value) & bits.value
    cleared = zs_mask.value & stencil
    known = zsbuf.stencil_known
    with b.If((bits.value != 0) & (cleared == 0)):
        depth = zs_mask.value == (bits.value & ~stencil)
        with b.If(depth & whole & (known != 0)):
            value = b.cast(known & 0xFF, u64) << at.value
            zs.value = (zs.value & ~stencil) | value
            zs_mask.value = bits.value
    with b.If(cleared != 0):
        all_of_it = whole & (cleared == stencil)
        value = b.cast((zs.value >> at.value) & 0xFF, u32) | 0x100
        zsbuf.stencil_known = b.select(all_of_it, value, b.select(known == value, known, 0))


def _whole_mask(b: Any, size: Any) -> Any:
    """All bits of a pixel of `size` bytes (u64)."""
    return b.select(
        size == 8, b.const(u64, -1), (b.const(u64, 1) << b.cast((size & 7) * 8, u64)) - 1
    )


@kernel(void, (ptr(PipeNative), ptr(PipeDynamic), u32, ptr(f32), f64, u32, u32, u32))
def lp_clear(
    b: Any,
    pipe: Any,
    dyn: Any,
    buffers: Any,
    color: Any,
    depth: Any,
    stencil: Any,
    color_mask: Any,
    stencil_mask: Any,
) -> None:
    """pipe.clear: a whole clear of a fresh scene becomes a scene property; any other is binned
    tile by tile.
    """
    lp = pipe.cast(ptr(LpContext))
    sx0, sy0, sx1, sy1 = dyn.scissor_x0, dyn.scissor_y0, dyn.scissor_x1, dyn.scissor_y1
    with b.If((sx0 >= sx1) | (sy0 >= sy1)):
        b.Return()
    scene_var = b.var(ptr(LpScene), lp.scene)
    with b.If(~same_target(b, scene_var.value, dyn)):
        with b.If(scene_begin(b, lp, dyn) == 0):
            b.Return()
        scene_var.value = lp.scene
    fb = dyn.fb
    packed = b.var(u32, 0)
    cmask = b.var(u32, 0)
    zs = b.var(u64, 0)
    zs_mask = b.var(u64, 0)
    cbuf, zsbuf = fb.cbuf, fb.zsbuf
    with b.If((b.ptr_to_int(cbuf) != 0) & ((buffers & CLEAR_COLOR) != 0)):
        stored = b.var(ptr(f32), color)
        encoded = b.array(f32, 4, align=16)
        with b.If((cbuf.srgb != 0) & ((buffers & CLEAR_SRGB) != 0), likely=False):
            b.call(encode_color, encoded, color)
            stored.value = encoded
        packed.value = pack_by_format(b, cbuf.format, stored.value)
        cmask.value = b.call(color_mask_bits, cbuf.format, color_mask)
    with b.If(b.ptr_to_int(zsbuf) != 0):
        zs.value = pack_zs_by_format(b, zsbuf.format, depth, stencil)
        zs_mask.value = zs_mask_by_format(b, zsbuf.format, buffers, stencil_mask)
    with b.If((cmask.value == 0) & (zs_mask.value == 0)):
        b.Return()
    scene = scene_var.value
    whole = (
        (sx0 <= 0)
        & (sy0 <= 0)
        & (sx1 >= b.cast(scene.width, i32))
        & (sy1 >= b.cast(scene.height, i32))
    )
    with b.If(b.ptr_to_int(zsbuf) != 0):
        know_stencil(b, zsbuf, zs, zs_mask, whole)
    all_color = (cmask.value == 0xFFFFFFFF) | ((cmask.value & 0xFFFF) == 0xFFFF) & (
        scene.color_bytes == 2
    )
    all_zs = zs_mask.value == _whole_mask(b, scene.depth_bytes)
    no_color, no_zs = b.ptr_to_int(cbuf) == 0, b.ptr_to_int(zsbuf) == 0
    everything = whole & (all_color | no_color) & (all_zs | no_zs)
    with b.If(everything & (scene.commands != 0) & (scene.counting == 0)):
        # nothing drawn so far can be seen any more
        b.memset(scene.bins, 0, b.cast(scene.tile_count, u64) * LpBin.size)
        scene.commands = 0
        scene.arena_used = 0
        scene.state = None
        scene.rects = None
        scene.clear_flags = 0
    simple = (
        whole
        & (scene.commands == 0)
        & (all_color | (cmask.value == 0))
        & (all_zs | (zs_mask.value == 0))
    )
    with b.If(simple):
        with b.If(cmask.value != 0):
            scene.clear_flags = scene.clear_flags | CLEAR_COLOR
            scene.clear_color = b.cast(packed.value, u64)
        with b.If(zs_mask.value != 0):
            scene.clear_flags = scene.clear_flags | (CLEAR_DEPTH | CLEAR_STENCIL)
            scene.clear_zs = zs.value
        b.Return()
    b.call(bin_clear, lp, dyn, packed.value, cmask.value, zs.value, zs_mask.value)


@kernel(u32, (u32, u32))
def color_mask_bits(b: Any, number: Any, mask: Any) -> Any:
    """Packed bits of a colour format that a GL colour mask allows."""
    table = [
        color_format.channel_mask(f, m) * (0x10001 if f.bits == 16 else 1)
        if f.kind == "color" and m
        else 0
        for f in FORMATS
        for m in range(16)
    ]
    b.Return(b.table(u32, table)[number * 16 + (mask & 15)])


@kernel(void, (ptr(LpContext), ptr(PipeDynamic), u32, u32, u64, u64), noinline=True)
def bin_clear(
    b: Any, lp: Any, dyn: Any, color: Any, color_mask: Any, zs: Any, zs_mask: Any
) -> None:
    """Put a clear of a rectangle, or of some bits, into the bins."""
    scene_var = b.var(ptr(LpScene), lp.scene)
    margin = b.cast(scene_var.value.tile_count * LpChunk.size + ClearBlock.size + 64, u64)
    with b.If(scene_var.value.arena_used + margin > scene_var.value.arena_size):
        b.call(lp_flush, lp.addr("pipe"))
        with b.If(scene_begin(b, lp, dyn) == 0):
            b.Return()
        scene_var.value = lp.scene
    scene = scene_var.value
    block = allocate(b, scene, ClearBlock.size).cast(ptr(ClearBlock))
    x0, y0, x1, y1 = dyn.scissor_x0, dyn.scissor_y0, dyn.scissor_x1, dyn.scissor_y1
    for n, v in enumerate((x0, y0, x1, y1)):
        block.rect[n] = v
    block.color, block.color_mask, block.zs, block.zs_mask = color, color_mask, zs, zs_mask
    with b.If(zs_mask != 0):
        scene.uses_zs = 1
    command = b.ptr_to_int(block) | (OP_CLEAR << 56)
    with b.For(y0 >> TILE_SHIFT, ((y1 - 1) >> TILE_SHIFT) + 1) as ty:
        with b.For(x0 >> TILE_SHIFT, ((x1 - 1) >> TILE_SHIFT) + 1) as tx:
            append_command(b, scene, ty * b.cast(scene.tiles_x, i32) + tx, command, new_chunk)


from pipe_llvm.rast import lp_flush  # noqa: E402  (recording and execution call each other)
