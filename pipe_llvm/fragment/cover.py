# SPDX-License-Identifier: MIT
"""Fragments of smooth polygons: one a pixel and polygon, alpha times the part that is covered
(GL 2.1, 3.5.3 and 3.12). cover.py says which part.

Depth and inputs are those of the middle of what the triangle covers of the pixel, which for planes
is the mean over it that GL asks for; of pixels that are covered wholly that is the centre. Alpha is
scaled behind the shader and before every test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.fragment.area import LP_COVER, ONE, Slopes
from pipe_llvm.fragment.packet import PacketHeader
from pipe_llvm.native import LpCover
from pydri.jit import f32, i32, ptr, u8, u32, u64

if TYPE_CHECKING:
    from pipe_llvm.fragment.kernel import FragmentBuilder
    from pipe_llvm.fragment.primitive import Passed, Primitive, Tile
    from pipe_llvm.native import LpFragState, LpTask
    from pydri.jit import Builder, Pointer, Value

f32x16, i32x16, u32x16 = f32.vec(16), i32.vec(16), u32.vec(16)


def shade_polygons(
    frag: FragmentBuilder,
    b: Builder,
    task: LpTask,
    tile: Tile,
    commands: Pointer,
    shared: Value,
    state: LpFragState,
    passed: Passed,
) -> Value:
    """Emit the body of a fragment kernel for smooth polygons: shade all polygons from `commands` on
    whose draw state, `state`, lies at the address `shared`. Gives the number of commands that were
    executed, with those in further chunks of the bin."""
    done = b.var(u32, 0)
    cover = task.thread.addr("cover").cast(ptr(LpCover))
    b.memset(cover, 0, b.const(u64, LpCover.offset("area")))
    cover.chunk = task.chunk
    skipped = b.ptr_to_int(commands) - b.ptr_to_int(task.chunk.commands)
    cover.at = b.cast(skipped >> 3, u32)
    cover.state = shared
    arena = b.ptr_to_int(task.scene.arena)
    with b.Loop():
        taken = b.call(LP_COVER, task, cover)
        with b.If(taken == 0):
            b.Break()
        done.value = done.value + taken
        with b.For(b.const(i32, 0), 16) as sy:
            columns = b.var(u32, cover.rows[sy])
            cover.rows[sy] = 0
            with b.While(lambda: columns.value != 0):
                sx = b.cast(b.ctz(columns.value), i32)
                columns.value = columns.value & (columns.value - 1)
                at = ((sy << 4) + sx) << 4
                area = (cover.area + at).load(i32x16, align=64)
                owners = (cover.owner + at).load(u32x16, align=64)
                todo = b.var(u32, b.cast(b.bits_of(area > 0), u32))
                with b.While(lambda: todo.value != 0):
                    owner = (cover.owner + at)[b.cast(b.ctz(todo.value), i32)]
                    mine = (owners == b.splat(owner, 16)) & (area > 0)
                    bits = b.cast(b.bits_of(mine), u32)
                    todo.value = todo.value & ~bits
                    packet = b.int_to_ptr(arena + (b.cast(owner & ~15, u64) << 2), u8)
                    lane = owner & 15
                    prim = frag.triangle(b, tile, state, packet, lane)
                    prim.passed = passed
                    x, y = sx << 2, sy << 2
                    prim.coverage = b.min(b.cast(area, f32) * (1 / ONE), 1.0)
                    header = packet.cast(ptr(PacketHeader))
                    prim.shift = _shift(b, task, prim, header, lane, area, x, y)
                    frag.shade(b, prim, x, y, [mine], bits == 0xFFFF)
    return done.value


def _shift(
    b: Builder,
    task: LpTask,
    prim: Primitive,
    header: PacketHeader,
    lane: Value,
    area: Value,
    x: Value,
    y: Value,
) -> tuple[Value, Value]:
    """From each pixel's centre to the middle of the part that is covered, which is the centre where
    the pixel is covered wholly. Triangles that the packet's header does not call smooth cover
    pixels wholly or not at all."""
    shift = [b.var(f32x16, 0.0) for _ in range(2)]
    smooth = ((header.smooth >> lane) & 1) != 0
    with b.If(smooth & b.any(area < ONE)):
        middle = Slopes(b, task, prim.load).middle(x, y)
        for var, value in zip(shift, middle, strict=True):
            var.value = b.select(area < ONE, value, 0.0)
    return shift[0].value, shift[1].value
