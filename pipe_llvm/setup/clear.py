# SPDX-License-Identifier: MIT
"""pipe.clear (the clears of lp_setup.c): a clear of everything before anything else was drawn
becomes a property of the scene, which rast applies tile by tile, in cache; any other is a command
in the bins of the tiles that it touches."""

from __future__ import annotations

from typing import Any

from pipe_llvm.clear_value import clear_pattern, mask_pattern
from pipe_llvm.command import OP_CLEAR, coded
from pipe_llvm.gallivm import format as color_format
from pipe_llvm.gallivm.depth import layout_of
from pipe_llvm.native import TILE_SHIFT, LpBin, LpChunk, LpContext, LpScene
from pipe_llvm.rast.execute import lp_flush
from pipe_llvm.rast.fill import repeat_pixel
from pipe_llvm.scene import ClearBlock, allocate, append_command, new_chunk
from pipe_llvm.scene_views import forget_views
from pipe_llvm.setup.recording import same_target, scene_begin
from pydri.jit import f32, f64, i32, kernel, ptr, u32, u64, void
from pydri.pipe.native import (
    CLEAR_COLOR0,
    CLEAR_DEPTH,
    CLEAR_SRGB,
    CLEAR_STENCIL,
    MAX_TARGETS,
    PipeDynamic,
    PipeNative,
    Surface,
)
from pydri.pipe.srgb import encode_color


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


def whole_mask(b: Any, size: Any) -> Any:
    """All bits of a pixel of `size` bytes (u64)."""
    return b.select(
        size == 8, b.const(u64, -1), (b.const(u64, 1) << b.cast((size & 7) * 8, u64)) - 1
    )


def _repeat_zs(b: Any, out: Any, value: Any, size: Any) -> None:
    """Emit: a packed depth/stencil pixel (u64) repeated to 128 bits."""
    pixel = b.array(u32, 4, align=16)
    pixel[0], pixel[1] = b.cast(value, u32), b.cast(value >> 32, u32)
    pixel[2] = pixel[3] = b.const(u32, 0)
    b.call(repeat_pixel, out, pixel, size)


#: What a clear does to a framebuffer, in a ClearBlock that is not in a scene yet.
ALL, SOME = 1, 2  # of the bits of what is cleared


@kernel(u32, (ptr(ClearBlock), ptr(PipeDynamic), u32, ptr(f32), u32), noinline=True)
def colors_to_clear(
    b: Any, block: Any, dyn: Any, buffers: Any, color: Any, color_mask: Any
) -> Any:
    """Fill the values and masks of the colour targets that are cleared. Returns ALL if all bits of
    these are, SOME if not, 0 if there are none; and, shifted by 8, ALL if that is every target."""
    cbufs = dyn.fb.addr("cbuf").cast(ptr(ptr(Surface)))
    result, missing = b.var(u32, 0), b.var(u32, 0)
    encoded = b.array(f32, 4, align=16)
    with b.For(b.const(u32, 0), MAX_TARGETS) as n:
        cbuf, bit = cbufs[n], b.const(u32, 1) << n
        with b.If(b.ptr_to_int(cbuf) != 0):
            done = b.var(u32, 0)
            with b.If((buffers & (bit * CLEAR_COLOR0)) != 0):
                out = block.masks + n * 4
                done.value = b.call(mask_pattern, out, cbuf.format, color_mask >> (n * 4) & 15)
            with b.If(done.value != 0):
                stored = b.var(ptr(f32), color)
                with b.If((cbuf.srgb != 0) & ((buffers & CLEAR_SRGB) != 0), likely=False):
                    b.call(encode_color, encoded, color)
                    stored.value = encoded
                b.call(clear_pattern, block.values + n * 4, cbuf.format, stored.value)
                block.targets = block.targets | bit
                result.value = result.value | done.value
            missing.value = missing.value | b.cast(done.value != ALL, u32)
    known = b.select((result.value & SOME) != 0, b.const(u32, SOME), result.value)
    b.Return(known | b.select(missing.value == 0, b.const(u32, ALL << 8), 0))


def _zs_to_clear(
    b: Any, dyn: Any, buffers: Any, depth: Any, stencil: Any, stencil_mask: Any
) -> tuple[Any, Any]:
    """Emit: the packed depth and stencil and the bits that they may change, as variables."""
    packed = b.var(u64, 0)
    bits = b.var(u64, 0)
    zsbuf = dyn.fb.zsbuf
    with b.If(b.ptr_to_int(zsbuf) != 0):
        packed.value = pack_zs_by_format(b, zsbuf.format, depth, stencil)
        bits.value = zs_mask_by_format(b, zsbuf.format, buffers, stencil_mask)
    return packed, bits


def _forget_drawn(b: Any, scene: Any) -> None:
    """Emit: nothing drawn so far can be seen any more."""
    b.call(forget_views, scene)
    b.memset(scene.bins, 0, b.cast(scene.tile_count, u64) * LpBin.size)
    scene.commands = 0
    scene.arena_used = 0
    scene.state = None
    scene.rects = None
    scene.clear_flags = 0
    scene.part_bits = 0


def _join_parts(b: Any, scene: Any, zs: Any, zs_bits: Any, whole: Any) -> None:
    """Emit: where nothing but a clear of all depth and stencil values, or of some bits of them, has
    been recorded, a clear of other bits is one with it. Programs clear depth and stencil by two
    calls."""
    only = (scene.part_bits != 0) & (scene.commands == scene.part_commands)
    with b.If(whole & only & (zs_bits.value != 0) & (scene.counting == 0)):
        zs.value = (zs.value & zs_bits.value) | (scene.part_zs & ~zs_bits.value)
        zs_bits.value = zs_bits.value | scene.part_bits
        flags = scene.clear_flags
        _forget_drawn(b, scene)
        scene.clear_flags = flags


def _note_part(b: Any, scene: Any, zs: Any, zs_bits: Any) -> None:
    """Emit: a scene has nothing but such a clear; see `_join_parts`."""
    with b.If(zs_bits.value != 0):
        scene.part_zs, scene.part_bits = zs.value, zs_bits.value
        scene.part_commands = scene.commands


def _begin_with(b: Any, scene: Any, block: Any) -> None:
    """Emit: the scene begins with a clear of whole buffers."""
    four = u32.vec(4)
    with b.For(b.const(u32, 0), scene.targets) as n:
        bit = b.const(u32, 1) << n
        with b.If((block.targets & bit) != 0):
            scene.clear_flags = scene.clear_flags | (bit * CLEAR_COLOR0)
            value = (block.values + n * 4).load(four, align=4)
            (scene.clear_color + n * 4).store(value, align=4)
    with b.If((block.targets & (1 << MAX_TARGETS)) != 0):
        scene.clear_flags = scene.clear_flags | (CLEAR_DEPTH | CLEAR_STENCIL)
        value = (block.values + 4 * MAX_TARGETS).load(four, align=4)
        scene.clear_zs.store(value, align=4)


@kernel(void, (ptr(PipeNative), ptr(PipeDynamic), u32, ptr(f32), f64, u32, u32, u32))
def lp_clear(
    b: Any, pipe: Any, dyn: Any, buffers: Any, color: Any, depth: Any, stencil: Any,
    color_mask: Any, stencil_mask: Any,
) -> None:  # fmt: skip
    """pipe.clear: what is cleared wholly before anything is drawn becomes a scene property; all
    else is binned tile by tile.
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
    block = b.array(ClearBlock, 1, align=64)
    block.targets = b.const(u32, 0)
    for n, v in enumerate((sx0, sy0, sx1, sy1)):
        block.rect[n] = v
    colors = b.call(colors_to_clear, block, dyn, buffers, color, color_mask)
    scene, zsbuf = scene_var.value, dyn.fb.zsbuf
    width, height = b.cast(scene.width, i32), b.cast(scene.height, i32)
    even = scene.uneven == 0
    whole = even & (sx0 <= 0) & (sy0 <= 0) & (sx1 >= width) & (sy1 >= height)
    zs, zs_bits = _zs_to_clear(b, dyn, buffers, depth, stencil, stencil_mask)
    with b.If((block.targets == 0) & (zs_bits.value == 0)):
        b.Return()
    no_zs = b.ptr_to_int(zsbuf) == 0
    with b.If(~no_zs):
        know_stencil(b, zsbuf, zs, zs_bits, whole)
        _join_parts(b, scene, zs, zs_bits, whole)
    with b.If(zs_bits.value != 0):
        size, at = scene.depth_bytes, 4 * MAX_TARGETS
        _repeat_zs(b, block.values + at, zs.value, size)
        _repeat_zs(b, block.masks + at, zs_bits.value, size)
        block.targets = block.targets | (1 << MAX_TARGETS)
    all_zs = zs_bits.value == whole_mask(b, scene.depth_bytes)
    everything = whole & (colors >= ALL << 8) & (all_zs | no_zs)
    with b.If(everything & (scene.commands != 0) & (scene.counting == 0)):
        _forget_drawn(b, scene)
    first = whole & (scene.commands == 0) & ((colors & SOME) == 0)
    part = ~all_zs & (zs_bits.value != 0)
    with b.If(first):
        bit = b.const(u32, 1 << MAX_TARGETS)
        targets = block.targets
        block.targets = b.select(part, targets & ~bit, targets)
        _begin_with(b, scene, block)
        with b.If(~part):
            _note_part(b, scene, zs, zs_bits)
            b.Return()
        block.targets = bit
    b.call(bin_clear, lp, dyn, block)
    with b.If(first):
        _note_part(b, lp.scene, zs, zs_bits)


@kernel(void, (ptr(LpContext), ptr(PipeDynamic), ptr(ClearBlock)), noinline=True)
def bin_clear(b: Any, lp: Any, dyn: Any, clear: Any) -> None:
    """Put a clear of a rectangle, or of some bits, into the bins, layer by layer."""
    command, layer = b.var(u64, 0), b.var(u32, 0)
    x0, y0, x1, y1 = (clear.rect[n] for n in range(4))
    with b.While(lambda: layer.value < lp.scene.layers):
        margin = b.cast(lp.scene.layer_tiles * LpChunk.size + ClearBlock.size + 64, u64)
        with b.If(lp.scene.arena_used + margin > lp.scene.arena_size):
            b.call(lp_flush, lp.addr("pipe"))
            with b.If(scene_begin(b, lp, dyn) == 0):
                b.Return()
            command.value = 0
        scene = lp.scene
        with b.If(command.value == 0):
            block = allocate(b, scene, ClearBlock.size).cast(ptr(ClearBlock))
            b.memcpy(block, clear, b.const(u64, ClearBlock.size))
            command.value = b.ptr_to_int(block) | coded(OP_CLEAR)
            with b.If((clear.targets & (1 << MAX_TARGETS)) != 0):
                scene.uses_zs = 1
        scene.layer_bins = scene.bins + layer.value * scene.layer_tiles
        with b.For(y0 >> TILE_SHIFT, ((y1 - 1) >> TILE_SHIFT) + 1) as ty:
            with b.For(x0 >> TILE_SHIFT, ((x1 - 1) >> TILE_SHIFT) + 1) as tx:
                at = ty * b.cast(scene.tiles_x, i32) + tx
                append_command(b, scene, at, command.value, new_chunk)
        scene.layer_bins = scene.bins
        layer.value = layer.value + 1
