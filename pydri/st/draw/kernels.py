# SPDX-License-Identifier: MIT
"""The kernels between GL state and a driver: draw, clear, flush, and the lookup of plans.

In: a context whose state was written by the rooms below, and a DrawInfo. Out: one native call of
the driver. A draw checks that the framebuffer is still the one it was (stamp), refreshes derived
state if a dirty bit is set (derived.py), finds the pipeline of the key block if a key byte was
written, and calls. The key block selects code and nothing else does: equal bytes, equal pipeline.
It is compared with the last draw's first, then looked up among those seen lately by a hash of
vector multiplications, so that to flip a state back and forth costs some ten nanoseconds. Else its
canonical form (canonical.py) is looked up in the table of plans; only a meaning that was never seen
goes up to Python (plan.py). The peer validates state groups again on every change
(st_validate_state) and looks each up in the cso cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.apis import COMPAT
from pydri.api.enums import (
    GL_ACCUM_BUFFER_BIT,
    GL_COLOR_BUFFER_BIT,
    GL_DEPTH_BUFFER_BIT,
    GL_INVALID_OPERATION,
    GL_INVALID_VALUE,
    GL_STENCIL_BUFFER_BIT,
)
from pydri.jit import f32, i32, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import (
    CTX,
    NOWHERE,
    error_if,
    flush_vertices,
    gl_record_error,
    native,
)
from pydri.main.layout import KeyBlock, PlanEntry, SeenKey
from pydri.main.light.kernels import sync_color_material
from pydri.main.light.layout import Material
from pydri.main.queries.kernels import discarded
from pydri.main.shaders.kernels import second_sources_conflict
from pydri.main.shaders.layout import READS_MATERIALS
from pydri.main.transform.kernels import refused
from pydri.pipe.format import FORMATS
from pydri.pipe.native import (
    CLEAR_COLOR,
    CLEAR_DEPTH,
    CLEAR_SRGB,
    CLEAR_STENCIL,
    DISCARD_UNSEEN,
    SHADER_FRAGMENT,
)
from pydri.st.draw.canonical import st_canonical
from pydri.st.draw.derived import refresh, scissor_box, st_refresh, st_scissor, synchronise
from pydri.st.draw.seen import find_slot, remember_key
from pydri.st.feedback.kernels import INFO, captured, generate, st_feed, st_feed_rows
from pydri.st.pixels.read_kernels import glReadPixels, loaded_pixels
from pydri.st.programs.blocks import draw_buffers, st_blocks
from pydri.st.targets.kernels import st_surface_view, st_targets
from pydri.st.textures.kernels import st_attach_textures

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext
    from pydri.pipe.native import DrawInfo

U64X8 = u64.vec(8)
CHUNK = 64  # the key block is read in whole cache lines
KEY_LINES = KeyBlock.size // CHUNK
#: Bit n: PipeFormat number n holds depth (stencil).
DEPTH_FORMATS = sum(
    1 << f.number for f in FORMATS if f.kind == "zs" and f.swizzle[0] == "0"
)
STENCIL_FORMATS = sum(
    1 << f.number for f in FORMATS if f.kind == "zs" and any(c[0] == "us" for c in f.channels)
)


def _secrets(count: int) -> list[list[int]]:
    """Odd-looking 64-bit numbers (splitmix64), eight a line."""
    out, state = [], 0x243F6A8885A308D3
    for _ in range(count):
        line = []
        for _ in range(8):
            state = (state + 0x9E3779B97F4A7C15) & (1 << 64) - 1
            z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & (1 << 64) - 1
            z = ((z ^ z >> 27) * 0x94D049BB133111EB) & (1 << 64) - 1
            line.append(z ^ z >> 31)
        out.append(line)
    return out


# -- plans -----------------------------------------------------------------------------------------


def key_hash(b: Builder, key: Any) -> Value:
    """64-bit hash of a key block: 32x32-bit products as in XXH3, lane by lane."""
    total = None
    for n, secret in enumerate(_secrets(KEY_LINES)):
        data = (key + n * CHUNK).load(U64X8)
        mixed = data ^ b.const(U64X8, secret)
        # The neighbour's bits are added so that a product with 0 loses nothing.
        swapped = b.shuffle(data, None, [1, 0, 3, 2, 5, 4, 7, 6])
        part = (mixed & 0xFFFFFFFF) * (mixed >> 32) + swapped
        total = part if total is None else total + part
    assert total is not None
    h = b.reduce("add", total ^ (total >> 29))
    h = (h ^ (h >> 32)) * 0x9E3779B97F4A7C15
    return h ^ (h >> 29)


def key_equal(b: Builder, x: Any, y: Any) -> Value:
    """Whether two key blocks hold the same bytes."""
    differs = None
    for n in range(KEY_LINES):
        part = (x + n * CHUNK).load(U64X8) ^ (y + n * CHUNK).load(U64X8)
        differs = part if differs is None else differs | part
    assert differs is not None
    return ~b.any(differs != b.const(U64X8, 0))


def _is_null(b: Builder, pointer: Any) -> Any:
    return pointer == b.const(pointer.ty, None)


@kernel(ret=ptr(PlanEntry), args=(CTX,), noinline=True)
def st_canonical_plan(b: Builder, ctx: GLContext) -> None:
    """The plan of the key block's canonical form, made if there is none; null on failure."""
    b.call(st_canonical, ctx.addr("key"), ctx.addr("canonical"))
    key = ctx.addr("canonical").cast(ptr(u8))
    hash, mask = key_hash(b, key), ctx.plan_mask
    at = b.var(u64, hash & mask)
    with b.Loop():
        slot = ctx.plans + at.value
        plan = slot.plan
        with b.If(_is_null(b, plan)):
            b.Return(b.call(ctx.hook_plan_miss, ctx))
        with b.If(slot.hash == hash), b.If(key_equal(b, key, plan.key)):
            b.Return(plan)
        at.value = (at.value + 1) & mask


@kernel(ret=u32, args=(CTX,), noinline=True)
def st_find_plan(b: Builder, ctx: GLContext) -> None:
    """Make `ctx.plan` the plan of the key block; 0 if there is none (the reason was told)."""
    key = ctx.addr("key").cast(ptr(u8))
    last = ctx.last_seen
    with b.If(~_is_null(b, last)), b.If(key_equal(b, key, last.key)):
        ctx.key_dirty = 0
        b.Return(1)
    hash = key_hash(b, key)
    slot = find_slot(b, ctx.seen, hash, lambda seen: key_equal(b, key, seen.key))
    seen = b.var(ptr(SeenKey), slot.seen)
    with b.If(_is_null(b, seen.value), likely=False):
        made = b.call(st_canonical_plan, ctx)
        with b.If(_is_null(b, made)):
            b.Return(0)
        seen.value = b.call(remember_key, ctx, hash, made)
    plan = seen.value.plan
    ctx.last_seen = seen.value
    ctx.plan = plan
    ctx.plan_clock = ctx.plan_clock + 1
    plan.used = ctx.plan_clock
    ctx.key_dirty = 0
    b.Return(1)


@kernel(ret=void, args=(CTX, ptr(PlanEntry)))
def st_insert_plan(b: Builder, ctx: GLContext, plan: PlanEntry) -> None:
    """Put a plan into the table; Python keeps free slots in it."""
    hash, mask = key_hash(b, plan.key), ctx.plan_mask
    at = b.var(u64, hash & mask)
    with b.While(lambda: ~_is_null(b, (ctx.plans + at.value).plan)):
        at.value = (at.value + 1) & mask
    slot = ctx.plans + at.value
    slot.hash, slot.plan = hash, plan


# -- state -----------------------------------------------------------------------------------------


def _specular_bits(b: Builder, ctx: GLContext) -> None:
    """Black specular materials select simpler code: no half vector, no power (a key bit a face)."""
    black = b.const(f32.vec(4), 0.0)
    bits = b.const(u8, 0)
    for face in (0, 1):
        material = ctx.val.addr("materials").cast(ptr(Material)) + face
        some = (b.bits_of(material.specular.load(f32.vec(4)) != black) & 7) != 0
        bits = bits | b.select(some, b.const(u8, 1 << face), b.const(u8, 0))
    with b.If(ctx.key.light.specular != bits):
        ctx.key.light.specular = bits
        ctx.key_dirty = 1


@kernel(ret=void, args=(CTX, INFO), noinline=True)
def st_render_mode(b: Builder, ctx: GLContext, info: DrawInfo) -> None:
    """A draw in selection or feedback."""
    with b.If(~captured(ctx)):
        b.call(ctx.hook_draw, ctx, info)
        b.Return()
    generate(b, ctx)
    with b.If(ctx.key_dirty != 0), b.If(b.call(st_find_plan, ctx) == 0, likely=False):
        b.Return()
    b.call(st_feed, ctx, info)


def _hand_to_driver(b: Builder, ctx: GLContext, info: Any) -> None:
    """Emit: the driver draws with what the key block says, if there is a plan for it."""
    with b.If(ctx.key_dirty != 0), b.If(b.call(st_find_plan, ctx) == 0, likely=False):
        b.Return()
    pipe, dyn = ctx.pipe, ctx.dyn
    draw = pipe.draw_vbo
    with b.If(draw == b.const(draw.ty, None), likely=False):
        draw_buffers(b, ctx, lambda: b.call(ctx.hook_draw, ctx, info))
        b.Return()
    draw_buffers(b, ctx, lambda: b.call(draw, pipe, ctx.plan.pipeline, dyn, info))


@kernel(ret=void, args=(CTX, INFO), cold=True)
def st_draw_discarded(b: Builder, ctx: GLContext, info: DrawInfo) -> None:
    """A draw whose primitives end before they are rasterised."""
    _hand_to_driver(b, ctx, info)


@kernel(ret=void, args=(CTX, INFO), cold=True)
def st_draw_unseen(b: Builder, ctx: GLContext, info: DrawInfo) -> None:
    """The same where no pixel may be written."""
    kept = b.var(u32, ctx.dyn.discard)
    ctx.dyn.discard = b.select(kept.value == 0, b.const(u32, DISCARD_UNSEEN), kept.value)
    b.call(st_draw_discarded, ctx, info)
    ctx.dyn.discard = kept.value


@kernel(ret=void, args=(CTX, INFO))
def st_draw(b: Builder, ctx: GLContext, info: DrawInfo) -> None:
    """Draw: the context's state and one DrawInfo become a call of the driver."""
    synchronise(b, ctx)
    exec_ = ctx.program.exec
    with b.If(ctx.program.conflict != 0, likely=False):  # GL 2.1, 2.15.3
        b.call(gl_record_error, ctx, GL_INVALID_OPERATION, NOWHERE)
        b.Return()
    with b.If(ctx.raw.second_sources != 0, likely=False):
        with b.If(b.call(second_sources_conflict, ctx) != 0):
            b.call(gl_record_error, ctx, GL_INVALID_OPERATION, NOWHERE)
            b.Return()
    with b.If(~_is_null(b, exec_), likely=False):
        with b.If(((exec_.flags & READS_MATERIALS) != 0) & (ctx.key.light.color_material != 0)):
            pending = ctx.vbo.count  # it is their draw that is being made
            ctx.vbo.count = 0
            b.call(sync_color_material, ctx)
            ctx.vbo.count = pending
            refresh(b, ctx)
    fixed = (ctx.key.stages[SHADER_FRAGMENT] == 0) & (ctx.api == COMPAT)
    with b.If((ctx.visual.integers != 0) & fixed, likely=False):
        # Fixed function has no whole numbers to draw (EXT_texture_integer); where there is none it
        # is only undefined what is drawn without a fragment shader.
        b.call(gl_record_error, ctx, GL_INVALID_OPERATION, NOWHERE)
        b.Return()
    mode, key, dyn = info.mode, ctx.key, ctx.dyn
    prim = b.cast((ctx.program.reduced >> mode + mode) & 3, u8)
    with b.If(key.prim != prim):
        key.prim = prim
        ctx.key_dirty = 1
        b.call(st_scissor, ctx)
    with b.If(key.light.lighting != 0):
        _specular_bits(b, ctx)
    with b.If(refused(ctx, mode), likely=False):
        b.call(gl_record_error, ctx, GL_INVALID_OPERATION, NOWHERE)
        b.Return()
    empty = (dyn.scissor_x0 >= dyn.scissor_x1) | (dyn.scissor_y0 >= dyn.scissor_y1)
    nothing = empty | (info.count == 0) | (ctx.query.skip != 0)
    with b.If(nothing | (key.render_mode != 0), likely=False):
        # vertices that nobody sees are captured and counted all the same
        with b.If(empty & (info.count != 0) & (ctx.query.skip == 0) & (key.render_mode == 0)):
            counted = b.ptr_to_int(dyn.primitives_generated) | b.ptr_to_int(dyn.statistics)
            with b.If((key.capturing != 0) | (counted != 0)):
                b.call(st_draw_unseen, ctx, info)
        # selection and feedback look at what the scissor and the viewport's sides cut off, too
        with b.If((key.render_mode != 0) & (info.count != 0) & (ctx.query.skip == 0)):
            b.call(st_render_mode, ctx, info)
        b.Return()
    _hand_to_driver(b, ctx, info)


# -- clear and flush -------------------------------------------------------------------------------


def _holds(b: Builder, formats: int, number: Value) -> Value:
    """Whether a format number is in a set."""
    return ((b.const(u64, formats) >> b.cast(number, u64)) & 1) != 0


def _wanted(b: Builder, cond: Value, bit: int) -> Value:
    return b.select(cond, b.const(u32, bit), b.const(u32, 0))


@kernel(ret=void, args=(CTX, u32), noinline=True)
def st_clear(b: Builder, ctx: GLContext, buffers: Value) -> None:
    """Clear CLEAR_* buffers, which are there, to the context's clear values within the scissor."""
    key, raw = ctx.key, ctx.raw
    value = b.cast(raw.clear_stencil, u32) & 0xFF
    write = b.cast(raw.stencil_writemask[0], u32) & 0xFF
    pipe, dyn = ctx.pipe, ctx.dyn
    # A clear is bounded by the scissor alone, a draw by the viewport too.
    names = ("scissor_x0", "scissor_y0", "scissor_x1", "scissor_y1")
    narrow = [getattr(dyn, name) for name in names]
    box = scissor_box(b, ctx)
    with b.If((box[0] >= box[2]) | (box[1] >= box[3])):
        b.Return()
    for name, bound in zip(names, box, strict=True):
        setattr(dyn, name, b.cast(bound, i32))
    clear = pipe.clear
    with b.If(clear == b.const(clear.ty, None), likely=False):
        b.call(ctx.hook_clear, ctx, buffers)
    with b.Else():
        b.call(clear, pipe, dyn, buffers, raw.clear_color, raw.clear_depth, value,
               key.color_mask, write)
    for name, bound in zip(names, narrow, strict=True):
        setattr(dyn, name, bound)


@native
def glClear(b: Builder, ctx: GLContext, mask: Value) -> None:
    """Clear what is there and may be written (GL 2.1, 4.2.3)."""
    known = (
        GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT | GL_ACCUM_BUFFER_BIT
    )
    here = b.select(ctx.api == COMPAT, b.const(u32, known), known & ~GL_ACCUM_BUFFER_BIT)
    error_if(b, ctx, (mask & ~here) != 0, GL_INVALID_VALUE)
    flush_vertices(b, ctx)
    synchronise(b, ctx)
    accum = ctx.dyn.fb.accum
    accumulated = ((mask & GL_ACCUM_BUFFER_BIT) != 0) & (accum != b.const(accum.ty, None))
    with b.If(accumulated, likely=False):
        loaded_pixels(b, ctx)
        b.call(ctx.pixel.accum, ctx, 0, 0.0)
    key, raw, fb = ctx.key, ctx.raw, ctx.dyn.fb
    color = ((mask & GL_COLOR_BUFFER_BIT) != 0) & (key.color_mask != 0)
    targets = fb.addr("cbuf").cast(ptr(u64)).load(U64X8, align=64)
    color = color & b.any(targets != 0)
    zs = fb.zsbuf != None  # noqa: E711
    depth = ((mask & GL_DEPTH_BUFFER_BIT) != 0) & (key.depth_mask != 0) & zs
    depth = depth & _holds(b, DEPTH_FORMATS, key.zs_format) & ((fb.zs_hidden & CLEAR_DEPTH) == 0)
    stencil = ((mask & GL_STENCIL_BUFFER_BIT) != 0) & zs & ((fb.zs_hidden & CLEAR_STENCIL) == 0)
    write = b.cast(raw.stencil_writemask[0], u32) & 0xFF
    stencil = stencil & (write != 0) & _holds(b, STENCIL_FORMATS, key.zs_format)
    buffers = (
        _wanted(b, color, CLEAR_COLOR)
        | _wanted(b, color & (key.framebuffer_srgb != 0), CLEAR_SRGB)
        | _wanted(b, depth, CLEAR_DEPTH)
        | _wanted(b, stencil, CLEAR_STENCIL)
    )
    with b.If((buffers == 0) | (key.render_mode != 0) | discarded(ctx)):
        b.Return()
    b.call(st_clear, ctx, buffers)


def _hand_over(b: Builder, ctx: GLContext, finish: bool) -> None:
    """Emit: the driver executes what is recorded. Drawing to a front buffer has to be shown, which
    is Python's work unless the front has a kernel for it."""
    pipe = ctx.pipe
    call = pipe.finish if finish else pipe.flush
    block = ctx.framebuffers
    shows = ~_is_null(b, block.window_draw.front) & _is_null(b, block.show)
    with b.If(_is_null(b, call) | shows, likely=False):
        b.call(ctx.hook_flush, ctx, int(finish))
        b.Return()
    b.call(call, pipe)
    with b.If(~_is_null(b, block.show), likely=False):
        b.call(block.show, ctx)


@kernel(ret=void, args=(CTX, INFO))
def st_draw_flushed(b: Builder, ctx: GLContext, info: DrawInfo) -> None:
    """What `ctx.draw` is under MESA_DEBUG=flush: each draw is executed at once."""
    b.call(st_draw, ctx, info)
    _hand_over(b, ctx, False)


@native
def glFlush(b: Builder, ctx: GLContext) -> None:
    """Hand what is recorded to the rasteriser."""
    flush_vertices(b, ctx)
    _hand_over(b, ctx, False)


@native
def glFinish(b: Builder, ctx: GLContext) -> None:
    """Wait until everything drawn is in memory."""
    flush_vertices(b, ctx)
    _hand_over(b, ctx, True)


#: what the core image holds of this room beside the gl entry points
EXPORTS = (
    st_attach_textures, st_blocks, st_canonical, st_draw, st_draw_flushed, st_feed_rows,
    st_insert_plan, st_refresh, st_surface_view, st_targets,
)  # fmt: skip

__all__ = [
    "EXPORTS", "glClear", "glFinish", "glFlush", "glReadPixels", "st_draw", "st_find_plan",
    "st_insert_plan",
]
