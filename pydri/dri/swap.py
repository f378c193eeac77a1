# SPDX-License-Identifier: MIT
"""The swap of a drawable as a kernel: flush, finish, pace, present, and the targets change places.

Stage: end of a frame.  In: a `Drawable` and the calling thread's GLContext.  Out: 1 if the swap is
done, 0 if it is a case for Python (pydri/dri/drawable.py, `DriDrawable.swap`, which is the
definition).  Native is what a steady frame needs: the drawable belongs to the thread's context, is
double-buffered, and winsys and driver both offer native functions. Counterpart of
drisw_swap_buffers in Mesa's gallium/frontends/dri/drisw.c, which copies nothing either but waits
for the server.
"""

from typing import Any

from pydri.api.gl_table import TABLE as GL_TABLE
from pydri.dri.native import Drawable
from pydri.jit import Struct, extern_c, fn, i32, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.layout import GLContext
from pydri.pipe.native import TILE
from pydri.util import stats

CLOCK_MONOTONIC = 1
TIMER_ABSTIME = 1
NS = 1_000_000_000


class _TimeSpec(Struct):
    seconds = i64
    nanoseconds = i64


clock_gettime = extern_c("clock_gettime", i32, i32, ptr(_TimeSpec))
clock_nanosleep = extern_c("clock_nanosleep", i32, i32, i32, ptr(_TimeSpec), ptr(_TimeSpec))
# Not a function: the counters of pydri.util.stats, an address known when the image is loaded.
counters = extern_c("pydri_stats_base", void)

GL_FLUSH_SLOT = GL_TABLE.slots["glFlush"]
_FLUSH = fn(void, ptr(GLContext))


@kernel(void, (ptr(Drawable),))
def dri_pace(b: Any, d: Any) -> None:
    """Sleep until the drawable's next refresh; there is no hardware to wait for."""
    time = b.array(_TimeSpec, 1)
    b.call(clock_gettime, CLOCK_MONOTONIC, time)
    now = b.cast(time.seconds * NS + time.nanoseconds, u64)
    due = d.next_swap
    with b.If(now < due):
        time.seconds = b.cast(due // NS, i64)
        time.nanoseconds = b.cast(due % NS, i64)
        with b.Loop():  # a signal ends the sleep early (EINTR)
            left = b.call(clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, time,
                          b.const(ptr(_TimeSpec), 0))  # fmt: skip
            with b.If(left != 4):
                b.Break()
    step = b.cast(d.interval, u64) * d.period
    # A program slower than the refresh starts counting anew, else it would rush to catch up.
    late = now > due + d.period
    d.next_swap = b.select(late, now, due) + step


@kernel(void, (u64,))
def dri_count_frame(b: Any, size: Any) -> None:
    """Count a frame and take the snapshot of the counters (pydri.util.stats.frame)."""
    base = b.address_of(counters)
    words = b.int_to_ptr(b.ptr_to_int(base), u64)
    frames, presented = stats.INDEX["frames"], stats.INDEX["bytes_presented"]
    words[frames] = words[frames] + 1
    words[presented] = words[presented] + size
    b.memcpy(words + 2 * stats.COUNT, words + stats.COUNT, 8 * stats.COUNT)
    b.memcpy(words + stats.COUNT, words, 8 * stats.COUNT)


@kernel(void, (ptr(Drawable), u32))
def dri_exchange(b: Any, d: Any, back: Any) -> None:
    """Make target `back` the back buffer and the other one the front buffer."""
    d.current = back
    surface = d.addr("back")
    surface.data = d.target_data[back]
    surface.serial = surface.serial + 1
    front = d.addr("front")
    front.data = d.target_data[back ^ 1]
    front.serial = front.serial + 1
    # what the driver knows of the pixels (fast clears) goes with them
    states = surface.tile_state
    surface.tile_state, front.tile_state = front.tile_state, states
    values = [s.clear_value.load(u32.vec(4), align=4) for s in (front, surface)]
    for s, value in zip((surface, front), values):
        s.clear_value.store(value, align=4)
    front.multi = None  # what stands for it has the pixels of an older frame


@kernel(void, (ptr(Drawable),))
def dri_copy_to_back(b: Any, d: Any) -> None:
    """Give the back buffer the pixels of the front buffer (after a swap: the frame just shown)."""
    back, front = d.addr("back"), d.addr("front")
    size = b.cast(front.stride, u64) * b.cast(front.height, u64)
    b.memcpy(back.data, front.data, size)
    with b.If(b.ptr_to_int(back.tile_state) != 0):  # no tile is known to be of one colour
        tiles = b.cast(back.tiles_x * (back.rows // TILE), u64)
        b.memset(back.tile_state.cast(ptr(u8)), 0, tiles * 4)


@kernel(u32, (ptr(Drawable),))
def dri_driver_swap(b: Any, d: Any) -> None:
    """Let a compiled driver swap: 1 if done, 0 if Python must do it."""
    with b.If((d.through_python | d.reported) != 0):
        b.Return(0)
    b.call(d.driver_flush)
    with b.If((d.interval != 0) & (d.period != 0)):
        b.call(dri_pace, d)
    b.call(d.driver_swap, d.driver_drawable)
    d.sbc = d.sbc + 1
    b.call(dri_count_frame, d.frame_bytes)
    b.Return(1)


@kernel(u32, (ptr(Drawable), ptr(GLContext)))
def dri_swap(b: Any, d: Any, ctx: Any) -> None:
    """Swap natively: 1 if done, 0 if Python must do it."""
    # Before this is known, ctx may be the shim's null context, which ends behind its first member.
    with b.If((d.context != ctx) | (d.double_buffer == 0), likely=False):
        b.Return(0)
    # That of a compiled driver ends there, too.
    with b.If(b.ptr_to_int(d.driver_swap) != 0, likely=False):
        b.Return(b.call(dri_driver_swap, d))
    front = b.ptr_to_int(ctx.framebuffers.window_draw.front) != 0  # GL draws to the front buffer
    with b.If(((d.through_python | d.front_used | d.reported) != 0) | front, likely=False):
        b.Return(0)
    pipe = ctx.pipe
    with b.If(ctx.vbo.count != 0):
        table = ctx.dispatch.cast(ptr(ptr(void)))
        flush = b.load(table + GL_FLUSH_SLOT, _FLUSH)
        b.call(flush, ctx)
    resolve = pipe.resolve
    with b.If(b.ptr_to_int(resolve) == 0, likely=False):
        b.Return(0)
    b.call(resolve, pipe, d.addr("back"))
    with b.If((d.interval != 0) & (d.period != 0), likely=False):
        b.call(dri_pace, d)
    current = d.current
    b.call(d.present, d.surface, d.addr("targets")[current])
    other = current ^ 1
    changed = b.call(d.settle, d.surface, d.addr("targets")[other])
    b.call(dri_exchange, d, other)
    with b.If(d.swap_copy != 0, likely=False):
        b.call(dri_copy_to_back, d)
    d.frames = d.frames + 1
    d.sbc = d.sbc + 1
    d.stamp = d.stamp + changed
    b.call(dri_count_frame, d.frame_bytes)
    b.Return(1)


def register() -> None:
    """Tell the loader of images where the counters are."""
    from pydri.jit.image import register_extern

    register_extern("pydri_stats_base", stats.BASE)


__all__ = ["dri_swap", "register"]
