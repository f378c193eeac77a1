# SPDX-License-Identifier: MIT
"""ARB programs at draw time: their stages among what is drawn with, and their parameters.

In: `ctx.arb` (bound, enabled), the GLSL program's executable. Out: an `Executable` in which each
stage is GLSL's or, where GLSL has none, an ARB program's (so the order is GLSL, ARB, fixed
function), and constant block 1 of such stages, filled with the parameters that they read.
Everything behind takes that executable as it would take GLSL's. Counterparts of Mesa's
update_program (state.c), st_upload_constants and _mesa_load_state_parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import boolean, f32, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX, is_null
from pydri.main.names.counted_kernels import COUNTED, PLACE, counted_drop, counted_take
from pydri.main.names.object_kernels import NAMED
from pydri.main.names.space_kernels import FREE_MEMORY, MALLOC, lock, unlock
from pydri.main.programs.kernels import CODE
from pydri.main.programs.layout import (
    ATI,
    ATI_TARGET_BITS,
    ATI_UNITS,
    FRAGMENT,
    NO_TARGET,
    OF_PROGRAM,
    PLACE_STAGES,
    VERTEX,
)
from pydri.main.shaders.kernels import EXECUTABLE
from pydri.main.shaders.layout import (
    MAX_STAGE_SAMPLERS,
    WRITES_CLIP_VERTEX,
    WRITES_POINT_SIZE,
    Executable,
    StageSampler,
)
from pydri.main.shaders.primitives import REDUCED
from pydri.main.textures.view_kernels import lock_textures, unlock_textures
from pydri.nir.stages import STAGES, VARYINGS
from pydri.st.textures.kernels import st_effective

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext
    from pydri.main.programs.layout import ArbCode

BYTES = ptr(u8)
V4 = f32.vec(4)
_OF_VERTICES = WRITES_CLIP_VERTEX | WRITES_POINT_SIZE


@kernel(u32, (CTX, u32, CODE), noinline=True)
def arb_block(b: Builder, ctx: GLContext, index: Value, code: ArbCode) -> Value:
    """The constants of a stage's block, which is large enough then; 0: no memory."""
    place, capacity = ctx.arb.blocks + index, ctx.arb.capacity + index
    with b.If(capacity.load() < code.block_bytes):
        old = place.load()
        with b.If(~is_null(old)):
            b.call(FREE_MEMORY, old)
        made = b.call(MALLOC, b.cast(code.block_bytes, u64) + 64)
        place.store(made)
        capacity.store(b.select(is_null(made), b.const(u32, 0), code.block_bytes))
        with b.If(is_null(made), likely=False):
            b.Return(0)
    b.memcpy(place.load(), code.image, b.cast(code.block_bytes, u64))
    return b.const(u32, 1)


@kernel(void, (CTX,), noinline=True)
def st_arb_constants(b: Builder, ctx: Any) -> None:
    """Bring the parameters together that the programs read; all else is up to date."""
    for index in (VERTEX, FRAGMENT, ATI):
        with b.If((ctx.arb.used & (1 << index)) != 0):
            code = (ctx.arb.codes + index).load()
            own = (ctx.arb.bound + index).load().locals
            block = (ctx.arb.blocks + min(index, FRAGMENT)).load().cast(ptr(f32))
            with b.For(b.const(u32, 0), code.rows_count, 1) as n:
                row = code.rows + n
                out = block + row.slot * 4
                local = row.base == OF_PROGRAM
                with b.If(local & is_null(own)):
                    out.store(b.const(V4, 0.0), align=4)
                with b.Else():
                    base = b.select(local, own.cast(BYTES), ctx.cast(BYTES))
                    for part in range(4):
                        out[part] = b.bytes_from(base, row.parts[part], f32).load()


def _stage(b: Builder, ctx: Any, place: int, code: Any) -> None:
    """Make an ARB program's code a stage of the mixed executable."""
    out, row = ctx.arb.mixed, STAGES[PLACE_STAGES[place]]
    stage = out.stages[row.number]
    index = min(place, FRAGMENT)
    stage.number, stage.reads = code.number, code.reads
    if row.outputs.kind == VARYINGS:
        out.flags = out.flags & ~b.const(u32, _OF_VERTICES)
    out.flags = out.flags | code.flags
    stage.sampler_count = code.sampler_count
    out.sampler_count = out.sampler_count + code.sampler_count
    size = MAX_STAGE_SAMPLERS * StageSampler.size
    b.memcpy(stage.samplers.cast(BYTES), code.samplers.cast(BYTES), b.const(u64, size))
    stage.block = (ctx.arb.blocks + index).load()
    stage.block_bytes = code.block_bytes
    ctx.arb.used = ctx.arb.used | (1 << place)
    ctx.arb.copies_state = ctx.arb.copies_state | code.copies_state


@kernel(void, (EXECUTABLE, EXECUTABLE), noinline=True)
def _begin(b: Builder, out: Executable, linked: Executable) -> None:
    """The mixed executable begins as GLSL's, or as that of no program."""
    size = b.const(u64, Executable.size)
    with b.If(is_null(linked)):
        b.memset(out.cast(BYTES), 0, size)
        out.reduced = REDUCED
    with b.Else():
        b.memcpy(out.cast(BYTES), linked.cast(BYTES), size)


@kernel(u32, (CTX,), noinline=True)
def ati_signature(b: Builder, ctx: Any) -> Value:
    """What of the state decides the code of the ATI_fragment_shader."""
    program, key = (ctx.arb.bound + ATI).load(), ctx.key
    out = b.var(u32, 0)
    lock_textures(b, ctx)
    with b.For(b.const(u32, 0), ATI_UNITS, 1) as unit:
        with b.If((program.units >> unit & 1) != 0):
            texture = b.call(st_effective, ctx, unit)
            target = b.var(u32, NO_TARGET)
            with b.If(~is_null(texture)):
                target.value = texture.target_index
            out.value = out.value | target.value << (unit * ATI_TARGET_BITS)
    unlock_textures(b, ctx)
    fog = b.const(u32, 0)
    for number, mode in enumerate((gl.GL_LINEAR, gl.GL_EXP, gl.GL_EXP2), 1):
        bits = b.const(u32, number << ATI_UNITS * ATI_TARGET_BITS)
        fog = b.select((key.fog != 0) & (key.fog_mode == mode), bits, fog)
    return out.value | fog


@kernel(CODE, (CTX, u32), noinline=True)
def _known(b: Builder, ctx: Any, signature: Value) -> Value:
    """The code for a signature with a reference, or null."""
    program = (ctx.arb.bound + ATI).load()
    lock(b, program.space)
    code = b.var(CODE, program.code)
    with b.While(lambda: ~is_null(code.value)):
        here = code.value
        with b.If(here.signature == signature):
            b.atomic_add(here.addr("references"), 1)
            b.Break()
        code.value = here.previous
    unlock(b, program.space)
    return code.value


@kernel(CODE, (CTX,), noinline=True)
def ati_code(b: Builder, ctx: Any) -> Value:
    """The code of the ATI_fragment_shader for the state, with a reference; null: it was never
    defined."""
    with b.If((ctx.arb.bound + ATI).load().serial == 0):
        b.Return(b.const(CODE, None))
    signature = b.call(ati_signature, ctx)
    found = b.var(CODE, b.call(_known, ctx, signature))
    with b.If(is_null(found.value), likely=False):
        b.call(ctx.arb.hook_variant, ctx, signature)
        found.value = b.call(_known, ctx, signature)
    return found.value


@kernel(CODE, (CTX, u32), noinline=True)
def arb_code(b: Builder, ctx: GLContext, place: Any) -> Value:
    """The code of the program at a place, or null; the context holds it from now on."""
    found = b.var(CODE, b.const(CODE, None))
    program = (ctx.arb.bound + place).load()
    with b.If(place != ATI):
        taken = b.call(counted_take, program.cast(NAMED), program.addr("code").cast(PLACE))
        found.value = taken.cast(CODE)
    with b.Else():
        found.value = b.call(ati_code, ctx)
    held = ctx.arb.codes + place
    old = held.load()
    held.store(found.value)
    b.call(counted_drop, ctx, old.cast(COUNTED))
    return found.value


@kernel(EXECUTABLE, (CTX, EXECUTABLE), noinline=True)
def st_arb_programs(b: Builder, ctx: GLContext, linked: Any) -> Value:
    """What is drawn with: GLSL's executable (null: none), or one with stages of ARB programs.
    `ctx.program.conflict` is set where a program is switched on that has no code."""
    block = ctx.arb
    block.used, block.copies_state = 0, 0
    out = block.addr("mixed").cast(EXECUTABLE)
    begun = b.var(boolean, b.const(boolean, 0))
    for place in (VERTEX, FRAGMENT, ATI):
        with b.If(block.enabled[place] != 0):
            taken = b.var(u32, 0)
            with b.If(~is_null(linked)):
                taken.value = linked.stages[PLACE_STAGES[place]].number
            if place == ATI:
                taken.value = taken.value | b.cast(block.enabled[FRAGMENT], u32)
            with b.If(taken.value == 0):
                code = b.call(arb_code, ctx, place)
                good = b.var(u32, 0)
                with b.If(~is_null(code)):
                    good.value = b.call(arb_block, ctx, min(place, FRAGMENT), code)
                with b.If(good.value == 0):
                    if place != ATI:
                        ctx.program.conflict = 1
                with b.Else():
                    with b.If(~begun.value):
                        b.call(_begin, out, linked)
                        begun.value = b.const(boolean, 1)
                    _stage(b, ctx, place, code)
    return b.select(begun.value, out, linked)


__all__ = ["st_arb_constants", "st_arb_programs"]
