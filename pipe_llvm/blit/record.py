# SPDX-License-Identifier: MIT
"""pipe.blit: an argument of OP_BLIT in the bins of the tiles that the box touches.

A blit is drawn as all else is, by the scene that draws to dst: in order, by all threads, and the
caller does not wait. What draws to src is handed over before. Counterpart of llvmpipe_blit, which
draws a textured rectangle."""

from __future__ import annotations

from typing import Any

from pipe_llvm.arena import allocate
from pipe_llvm.blit.native import (
    BLIT_AVERAGE,
    BLIT_CONVERT,
    BLIT_FILTER,
    BLIT_MOVE,
    BlitKernels,
    LpBlit,
)
from pipe_llvm.blit.place import PAD, lay_out, to_bytes
from pipe_llvm.command import OP_BLIT, coded
from pipe_llvm.native import BLIT_KERNELS, TILE_SHIFT, WORK_TILE, LpChunk, LpContext
from pipe_llvm.rast.execute import lp_finish, lp_flush
from pipe_llvm.rast.fill import format_bytes
from pipe_llvm.rast.resolve import may_wait, write_clears
from pipe_llvm.scene import append_command, new_chunk
from pipe_llvm.scene_views import LpViewCopy
from pipe_llvm.setup.clear import whole_mask, zs_mask_by_format
from pipe_llvm.setup.recording import scene_open
from pydri.jit import boolean, f32, i32, kernel, ptr, u8, u32, u64, void
from pydri.pipe.format import FORMATS, TARGET
from pydri.pipe.native import (
    BLIT_LINEAR,
    CLEAR_COLOR0,
    CLEAR_STENCIL,
    MAX_TARGETS,
    BlitInfo,
    PipeFramebuffer,
    PipeNative,
    Surface,
)
from pydri.pipe.resource_kernels import storage_reference

TABLES = 6


def _format_of(b: Any, surface: Any, info: Any) -> Any:
    """Emit: what a surface's bytes mean: its format, or its sRGB view."""
    view = (info.srgb != 0) & (surface.srgb != 0)
    return b.select(view, surface.srgb, surface.format)


@kernel(u32, (u32,))
def is_number(b: Any, number: Any) -> Any:
    """Whether what a format holds can be averaged and filtered: no whole numbers, no depths."""
    flags = [int(f.kind != "zs" and not f.integer) for f in FORMATS]
    b.Return(b.cast(b.table(u8, flags)[number], u32))


#: What byte_order says of a format whose pixels are four bytes of fractions.
BYTES, SWAPPED, PADDED = 1, 2, 4


@kernel(u32, (u32,))
def byte_order(b: Any, number: Any) -> Any:
    """BYTES, SWAPPED where blue comes first, PADDED where there is no alpha; 0: another format."""
    flags = [0] * len(FORMATS)
    for fmt in FORMATS:
        if fmt.kind == "unorm" and fmt.swizzle in ("0123", "2103", "012o", "210o"):
            if [bits for _, bits in fmt.channels] == [8] * 4 and fmt.uses & TARGET:
                swapped, padded = fmt.swizzle[0] == "2", fmt.swizzle[3] == "o"
                flags[fmt.number] = BYTES | SWAPPED * swapped | PADDED * padded
    b.Return(b.cast(b.table(u8, flags)[number], u32))


@kernel(ptr(Surface), (ptr(Surface),))
def _drawn(b: Any, surface: Any) -> None:
    """The surface that is drawn to in the place of one."""
    multi = surface.multi
    with b.If(b.ptr_to_int(multi) != 0):
        b.Return(multi)
    b.Return(surface)


@kernel(u32, (ptr(LpContext), ptr(Surface)), noinline=True)
def place_in_scene(b: Any, lp: Any, surface: Any) -> None:
    """Which target of the scene that is being recorded a surface is, plus 1; MAX_TARGETS + 1: its
    depth and stencil; 0: none."""
    scene, found = lp.scene, b.var(u32, 0)
    with b.If(scene.active != 0):
        with b.For(b.const(u32, 0), scene.targets) as n:
            with b.If(scene.cbufs[n] == surface):
                found.value = n + 1
        with b.If(scene.zsbuf == surface):
            found.value = b.const(u32, MAX_TARGETS + 1)
    b.Return(found.value)


@kernel(void, (ptr(LpContext), ptr(Surface)), noinline=True)
def settle_source(b: Any, lp: Any, src: Any) -> None:
    """What is recorded for src is handed over, and its pending clears are in memory."""
    pipe = lp.cast(ptr(PipeNative))
    drawn = b.var(boolean, b.call(place_in_scene, lp, src) != 0)
    resource = src.resource
    with b.If(b.ptr_to_int(resource) != 0):
        drawn.value = drawn.value | (resource.storage.writes == pipe.submitted + 1)
    with b.If(drawn.value & (lp.scene.active != 0)):
        b.call(lp_flush, pipe)
    with b.If(may_wait(b, src)):
        b.call(lp_finish, pipe)
        b.call(write_clears, src)


@kernel(u32, (ptr(LpContext), ptr(Surface), ptr(i32), u64), noinline=True)
def open_target(b: Any, lp: Any, dst: Any, box: Any, room: Any) -> None:
    """Have a scene that draws to dst, at least to `box`, with `room` bytes; which target that is,
    plus 1; 0 if memory is short."""
    found, pipe = b.var(u32, b.call(place_in_scene, lp, dst)), lp.cast(ptr(PipeNative))
    with b.If(found.value != 0):
        scene = lp.scene
        small = (b.cast(scene.width, i32) < box[2]) | (b.cast(scene.height, i32) < box[3])
        margin = room + b.cast(scene.layer_tiles * LpChunk.size, u64)
        with b.If(small | (scene.arena_used + margin > scene.arena_size)):
            b.call(lp_flush, pipe)
            found.value = b.const(u32, 0)
    with b.If(found.value != 0):
        b.Return(found.value)
    fb = b.array(PipeFramebuffer, 1, align=64)
    b.memset(fb, 0, b.const(u64, PipeFramebuffer.size))
    fb.width, fb.height = dst.width, dst.height
    zs = b.call(format_is_zs, dst.format) != 0
    with b.If(zs):
        fb.zsbuf = dst
    with b.Else():
        fb.cbuf = dst
    with b.If(b.call(scene_open, lp, fb) == 0):
        b.Return(0)
    scene = lp.scene
    with b.If(room + b.cast(scene.layer_tiles * LpChunk.size, u64) > scene.arena_size):
        b.Return(0)
    b.Return(b.select(zs, b.const(u32, MAX_TARGETS + 1), 1))


@kernel(u32, (u32,))
def format_is_zs(b: Any, number: Any) -> Any:
    """Whether a format is of depth or stencil."""
    flags = [int(f.kind == "zs") for f in FORMATS]
    b.Return(b.cast(b.table(u8, flags)[number], u32))


@kernel(void, (ptr(LpContext), ptr(Surface), ptr(LpBlit)), noinline=True)
def _describe_source(b: Any, lp: Any, src: Any, blit: Any) -> None:
    """Where the texels lie; the scene that is being recorded holds their memory."""
    resource, scene = src.resource, lp.scene
    blit.data, blit.stride, blit.stamps = src.data, src.stride, b.cast(src.layout != 0, u32)
    blit.from_size = b.call(format_bytes, src.format)
    with b.If(b.ptr_to_int(resource) != 0):
        blit.data = resource.data + src.offset
        resource.storage.reads = lp.cast(ptr(PipeNative)).submitted + 1
        copy = allocate(b, scene, LpViewCopy.size).cast(ptr(LpViewCopy))
        copy.source, copy.storage, copy.next = 0, resource.storage, scene.views
        b.call(storage_reference, resource.storage)
        scene.views = copy


@kernel(ptr(BlitKernels), (ptr(LpContext), u32), noinline=True)
def kernels_of(b: Any, lp: Any, number: Any) -> None:
    """The kernels of a format, compiled if need be; null if they cannot be had."""
    table = b.var(ptr(BlitKernels), lp.blit_kernels.cast(ptr(BlitKernels)))
    missing = b.var(boolean, b.ptr_to_int(table.value) == 0)
    with b.If(~missing.value):
        missing.value = b.ptr_to_int((table.value + number).put) == 0
    with b.If(missing.value):
        with b.If(lp.hook_grow(lp, BLIT_KERNELS, b.cast(number, u64)) == 0):
            b.Return(None)
        table.value = lp.blit_kernels.cast(ptr(BlitKernels))
    b.Return(table.value + number)


@kernel(u32, (ptr(LpContext), ptr(BlitInfo), ptr(Surface), ptr(Surface), ptr(LpBlit), boolean),
        noinline=True)  # fmt: skip
def _choose(b: Any, lp: Any, info: Any, src: Any, dst: Any, blit: Any, linear: Any) -> None:
    """What becomes of pixels, and by which kernels; 0 if these cannot be had."""
    come, go = _format_of(b, src, info), _format_of(b, dst, info)
    number = b.call(is_number, come) != 0
    from_samples, to_samples = b.max(src.samples, 1), b.max(dst.samples, 1)
    own = (from_samples == to_samples) & (from_samples > 1)
    blit.to_samples, blit.one_to_one = to_samples, b.cast(own, u32)
    read = b.select(number & ~own, from_samples, b.const(u32, 1))
    blit.samples, blit.scale = read, 1.0 / b.cast(b.cast(read, i32), f32)
    blit.size, blit.format = b.call(format_bytes, dst.format), src.format
    orders = b.call(byte_order, come), b.call(byte_order, go)
    bytes_ = (orders[0] != 0) & (orders[1] != 0)
    same = (come == go) | bytes_
    blit.swap = b.select(bytes_, (orders[0] ^ orders[1]) & SWAPPED, 0)
    padded = bytes_ & (come != go) & (((orders[0] | orders[1]) & PADDED) != 0)
    blit.ones = b.select(padded, b.const(u32, 0xFF000000), 0)
    plain = b.select(same, b.const(u32, BLIT_MOVE), BLIT_CONVERT)
    plainly = (info.srgb == 0) | ((src.srgb | dst.srgb) == 0)
    stored = ((src.format == dst.format) | bytes_) & plainly
    mean = b.select(stored & (read == 4), b.const(u32, BLIT_AVERAGE), BLIT_CONVERT)
    blit.how = b.select(linear & number, b.const(u32, BLIT_FILTER), b.select(read > 1, mean, plain))
    blit.keep = b.const(u64, 0)
    with b.If((info.mask & CLEAR_COLOR0) == 0):
        written = zs_mask_by_format(b, dst.format, info.mask, b.const(u32, 255))
        blit.keep = ~written & whole_mask(b, blit.size)
    with b.If((blit.how == BLIT_CONVERT) | (blit.how == BLIT_FILTER)):
        blit.swap = blit.ones = b.const(u32, 0)
        reading, writing = b.call(kernels_of, lp, come), b.call(kernels_of, lp, go)
        with b.If((b.ptr_to_int(reading) == 0) | (b.ptr_to_int(writing) == 0)):
            b.Return(0)
        blit.fetch, blit.put = reading.fetch, writing.put
    b.Return(1)


def _clip(b: Any, info: Any, dst: Any, box: Any) -> Any:
    """Emit: the pixels of dst that may be written; whether there are any."""
    sizes = (dst.width, dst.height)
    for n in range(2):
        ends = info.dst_box[n], info.dst_box[n + 2]
        box[n] = b.max(b.max(b.min(*ends), info.scissor[n]), 0)
        limit = b.min(info.scissor[n + 2], b.cast(sizes[n], i32))
        box[n + 2] = b.min(b.max(*ends), limit)
    return (box[0] < box[2]) & (box[1] < box[3])


def _is_scaled(b: Any, info: Any) -> Any:
    """Emit: whether the boxes have different sizes."""
    found = []
    for n in range(2):
        source = b.abs(b.cast(info.src_box[n + 2], i32) - info.src_box[n])
        target = b.abs(b.cast(info.dst_box[n + 2], i32) - info.dst_box[n])
        found.append(source != target)
    return found[0] | found[1]


def _tables(b: Any, scene: Any, blit: Any, box: Any) -> tuple[list[Any], list[Any]]:
    """Emit: memory for the tables of columns and rows."""
    out = []
    for n in range(2):
        size = b.cast(box[n + 2] - box[n] + PAD, u32) * 4
        out.append([allocate(b, scene, size).cast(ptr(ty)) for ty in (u32, u32, f32)])
    return out[0], out[1]


@kernel(boolean, (ptr(LpContext), ptr(BlitInfo), ptr(Surface), ptr(LpBlit), ptr(i32), boolean),
        noinline=True)  # fmt: skip
def _lay_out_tables(b: Any, lp: Any, info: Any, src: Any, blit: Any, box: Any, linear: Any) -> None:
    """Fill the tables; the box shrinks to what lies within src. Whether anything is left."""
    columns, rows = _tables(b, lp.scene, blit, box)
    some = b.var(boolean, True)
    firsts = []
    for n, (table, size) in enumerate(((columns, src.width), (rows, src.height))):
        count = b.cast(box[n + 2] - box[n], u32)
        ends = b.call(
            lay_out, *table, box[n], count, info.dst_box[n], info.dst_box[n + 2], info.src_box[n],
            info.src_box[n + 2], size, linear,
        )  # fmt: skip
        if n == 0:
            samples = b.select(src.layout != 0, b.max(src.samples, 1), 0)
            for part in table[:2]:
                b.call(to_bytes, part, count + PAD, blit.from_size, samples)
        first, end = b.cast(ends, u32), b.cast(ends >> 32, u32)
        some.value = some.value & (first < end)
        start = box[n]
        blit.box[n], blit.box[n + 2] = start + b.cast(first, i32), start + b.cast(end, i32)
        firsts.append(first)
    blit.columns, blit.right, blit.weights = (part + firsts[0] for part in columns)
    blit.rows, blit.below, blit.row_weights = (part + firsts[1] for part in rows)
    width, forward = info.src_box[2] - info.src_box[0], info.dst_box[2] - info.dst_box[0]
    beside = (width == forward) & (blit.how != BLIT_FILTER)
    stamps = 16 * blit.from_size * b.max(src.samples, 1)
    blit.step = b.select(src.layout != 0, stamps, 0)
    blit.adjacent = b.cast(beside, u32)
    b.Return(some.value)


def _bin(b: Any, scene: Any, blit: Any) -> None:
    """Emit: the command for each tile that the box touches."""
    command = b.ptr_to_int(blit) | coded(OP_BLIT)
    x0, y0, x1, y1 = (blit.box[n] for n in range(4))
    with b.For(y0 >> TILE_SHIFT, ((y1 - 1) >> TILE_SHIFT) + 1) as ty:
        with b.For(x0 >> TILE_SHIFT, ((x1 - 1) >> TILE_SHIFT) + 1) as tx:
            scene.work = scene.work + WORK_TILE
            append_command(b, scene, ty * b.cast(scene.tiles_x, i32) + tx, command, new_chunk)


@kernel(void, (ptr(PipeNative), ptr(BlitInfo)), noinline=True)
def lp_blit(b: Any, pipe: Any, info: Any) -> None:
    """pipe.blit; see PipeNative.blit."""
    lp, box = pipe.cast(ptr(LpContext)), b.array(i32, 4)
    src, dst = b.call(_drawn, info.src), b.call(_drawn, info.dst)
    empty = b.var(boolean, ~_clip(b, info, dst, box))
    for n in range(2):
        for ends in (info.src_box, info.dst_box):
            empty.value = empty.value | (ends[n] == ends[n + 2])
    with b.If(empty.value):
        b.Return()
    b.call(settle_source, lp, src)
    sides = b.cast((box[2] - box[0]) + (box[3] - box[1]) + 2 * PAD + 32, u64)
    room = sides * 12 + (LpBlit.size + LpViewCopy.size + 256)
    target = b.call(open_target, lp, dst, box, room)
    with b.If(target == 0):
        b.Return()
    scene = lp.scene
    blit = allocate(b, scene, LpBlit.size).cast(ptr(LpBlit))
    blit.target = target - 1
    linear = (info.filter == BLIT_LINEAR) & _is_scaled(b, info)
    with b.If(b.call(_choose, lp, info, src, dst, blit, linear) == 0):
        b.Return()
    b.call(_describe_source, lp, src, blit)
    with b.If(~b.call(_lay_out_tables, lp, info, src, blit, box, blit.how == BLIT_FILTER)):
        b.Return()
    with b.If(target == MAX_TARGETS + 1):
        scene.uses_zs = 1
        with b.If((info.mask & CLEAR_STENCIL) != 0):
            dst.stencil_known = 0
    _bin(b, scene, blit)
    # what is drawn from now on must not come before what is read of the same image
    with b.If((src.data == dst.data) & (src.offset == dst.offset)):
        b.call(lp_flush, pipe)
