# SPDX-License-Identifier: MIT
"""pipe.resolve: a surface's memory holds its pixels, whatever was recorded or pending for it.

Pending fast clears of depth and stencil are written. A surface that another one with several
samples a pixel is drawn in place of (`Surface.multi`) gets the averages of its samples: in the
scene that is being recorded if that draws to the other one, else in a scene made for it alone.
"""

from __future__ import annotations

from typing import Any

from pipe_llvm.native import TILE_SHIFT, LpContext, LpScene
from pipe_llvm.rast.execute import lp_finish
from pipe_llvm.rast.fill import fill_stamp_tile, format_bytes
from pipe_llvm.setup.recording import scene_open
from pydri.jit import kernel, ptr, u32, u64, void
from pydri.pipe.native import PipeFramebuffer, PipeNative, Surface
from pydri.pipe.resource_kernels import storage_changed


@kernel(void, (ptr(PipeNative), ptr(Surface)), noinline=True)
def resolve_samples(b: Any, pipe: Any, surface: Any) -> None:
    """pipe.resolve of a surface that has a multisampled one in its place: finish, and its memory
    holds the averages.
    """
    lp = pipe.cast(ptr(LpContext))
    multi = surface.multi
    with b.If(b.call(_average, lp.scene, surface) != 0):
        b.call(lp_finish, pipe)
    with b.Else():
        b.call(lp_finish, pipe)
        with b.If(multi.resolved == surface.serial):
            b.Return()
        fb = b.array(PipeFramebuffer, 1, align=64)
        b.memset(fb, 0, b.const(u64, PipeFramebuffer.size))
        fb.cbuf, fb.width, fb.height = multi, multi.width, multi.height
        with b.If(b.call(scene_open, lp, fb) == 0):
            b.Return()
        b.call(_average, lp.scene, surface)
        b.call(lp_finish, pipe)
    multi.resolved = surface.serial


@kernel(u32, (ptr(LpScene), ptr(Surface)))
def _average(b: Any, scene: Any, surface: Any) -> None:
    """Have a scene that is being recorded average what it draws in the place of a surface; 0: it
    draws no such thing."""
    found = b.var(u32, 0)
    with b.If(scene.active != 0):
        with b.For(b.const(u32, 0), scene.targets) as n:
            with b.If(scene.cbufs[n] == surface.multi):
                scene.averaged[n] = surface
                scene.averaging = scene.averaging + 1
                found.value = 1
    b.Return(found.value)


def may_wait(b: Any, surface: Any) -> Any:
    """Emit: whether clears of a surface may be pending. Others see the memory of a resource."""
    own = (surface.layout != 0) & (b.ptr_to_int(surface.resource) == 0)
    return own & (b.ptr_to_int(surface.tile_state) != 0)


@kernel(void, (ptr(Surface),), noinline=True)
def write_clears(b: Any, surface: Any) -> None:
    """The pending fast clears of a surface in stamp order become pixels."""
    states = surface.tile_state
    with b.If(~may_wait(b, surface)):
        b.Return()
    size = b.call(format_bytes, surface.format)
    samples = b.max(surface.samples, 1)
    tiles_x = surface.tiles_x
    with b.For(b.const(u32, 0), surface.rows // 64) as ty:
        with b.For(b.const(u32, 0), tiles_x) as tx:
            tile = ty * tiles_x + tx
            with b.If(states[tile] != 0):
                at = b.cast(ty << TILE_SHIFT, u64) * b.cast(surface.stride, u64) + b.cast(
                    tx * 256 * size * samples, u64
                )
                place, pattern = surface.data + at, surface.clear_value
                b.call(fill_stamp_tile, place, surface.stride, size, pattern, samples)
                states[tile] = 0


def _touched(b: Any, surface: Any) -> None:
    """Emit: who asked for a surface's memory may write there. Of a window nothing is known any more
    once its clears are written."""
    with b.If(b.ptr_to_int(surface.resource) != 0):
        storage_changed(b, surface.resource.storage)


@kernel(void, (ptr(PipeNative), ptr(Surface)), noinline=True)
def resolve_pending(b: Any, pipe: Any, surface: Any) -> None:
    """pipe.resolve where something is recorded or being executed, or has several samples."""
    multi = surface.multi
    with b.If(b.ptr_to_int(multi) != 0, likely=False):
        b.call(resolve_samples, pipe, surface)
        b.Return()
    b.call(lp_finish, pipe)
    b.call(write_clears, surface)
    _touched(b, surface)


@kernel(void, (ptr(PipeNative), ptr(Surface)))
def lp_resolve(b: Any, pipe: Any, surface: Any) -> None:
    """pipe.resolve: finish, then write the surface's pending fast clears (depth/stencil) to
    memory; or the averages of what is drawn to in its place.

    It is called before each read: where nothing is to be drawn it passes no door
    (pydri/jit/fpstate.py), which costs more than the question.
    """
    lp = pipe.cast(ptr(LpContext))
    idle = (lp.scene.active == 0) & (b.ptr_to_int(lp.pending) == 0)
    with b.If(idle & (b.ptr_to_int(surface.multi) == 0)):
        pipe.submitted = pipe.submitted + 1
        pipe.completed = pipe.submitted
        b.call(write_clears, surface)
        _touched(b, surface)
        b.Return()
    b.call(resolve_pending, pipe, surface)
