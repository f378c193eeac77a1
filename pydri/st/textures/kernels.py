# SPDX-License-Identifier: MIT
"""Textures at draw time: what the units of fixed function, or the samplers of a program's stages,
sample, as keys and as views.

In: bindings, switches and environments of the units, when one of them or a texture of the share
group changed since the last draw (DIRTY_TEXTURE, SharedBlock.texture_serial). Out: `key.tex`, a
TexUnitKey a unit, and `textures.views`, the TextureViews that drivers sample through
(pydri/pipe/sampling.md). A fragment program's views are by the number of its sampler, whose
unit stands in the program's block of uniforms; of the units' keys only what fixed-function vertices
need is there then. A unit's target is the one of highest priority that is on and whose
texture is complete (GL 2.1, 3.8.16). A view is made when a texture changed, and kept with it; only
a unit that has a bias of its own has a view of its own. All views have references: another thread
may change or delete a texture of the share group while this one draws with it. Counterpart of
Mesa's update_ff_texture_state, st_atom_texture.c and st_atom_sampler.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import f32, kernel, ptr, u8, u16, u32, u64, void
from pydri.main.buffers.texel_kernels import texels_follow, texels_moved
from pydri.main.kernels import CTX, is_null
from pydri.main.shaders.layout import MAX_STAGE_SAMPLERS
from pydri.main.textures.complete_kernels import (
    DEPTHS,
    base_format,
    stencil_shown,
    texture_check,
)
from pydri.main.textures.layout import (
    MAX_IMAGE_UNITS,
    MAX_TEXTURE_TARGETS,
    MAX_TEXTURE_UNITS,
    MAX_VIEWS,
    TARGET_INDEX_2D_MS,
    TARGET_INDEX_BUFFER,
    TARGET_INDEX_CUBE,
    UNIT_MATRIX,
    UNIT_SHADOW,
    UNIT_SPRITE,
    SampledView,
    SamplerObject,
    TextureObject,
    TextureParams,
    TexUnitKey,
)
from pydri.main.textures.object_kernels import texture_changed
from pydri.main.textures.tables import BIND_TARGETS, ENV_BASE, GEN_MODES
from pydri.main.textures.view_kernels import (
    lock_textures,
    unlock_textures,
    view_new,
    view_reference,
    view_release,
)
from pydri.nir.stages import OFFERED
from pydri.pipe.format import FORMATS, Format, linear
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_STAGES
from pydri.pipe.resource import (
    TARGET_1D,
    TARGET_1D_ARRAY,
    TARGET_2D,
    TARGET_2D_ARRAY,
    TARGET_2D_MS,
    TARGET_2D_MS_ARRAY,
    TARGET_3D,
    TARGET_BUFFER,
    TARGET_CUBE,
    TARGET_CUBE_ARRAY,
    TARGET_RECT,
    Resource,
)
from pydri.pipe.resource_kernels import resource_reference
from pydri.pipe.sampler import (
    STENCIL_VIEW,
    SWIZZLE_ONE,
    SWIZZLE_ZERO,
    SamplerParams,
    SamplerTable,
    TextureView,
    ViewParams,
)
from pydri.pipe.sampler_kernels import texture_view

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

OBJECT, VIEW, TABLE = ptr(TextureObject), ptr(TextureView), ptr(SamplerTable)
PARAMS, SAMPLER = ptr(TextureParams), ptr(SamplerObject)
SAMPLED = ptr(SampledView)
#: place of the view of fixed function's unit 0
_FIXED = SHADER_FRAGMENT * MAX_STAGE_SAMPLERS
_RESOURCE_TARGETS = dict(
    zip(
        BIND_TARGETS,
        (
            TARGET_1D, TARGET_2D, TARGET_RECT, TARGET_3D, TARGET_CUBE, TARGET_1D_ARRAY,
            TARGET_2D_ARRAY, TARGET_CUBE_ARRAY, TARGET_2D_MS, TARGET_2D_MS_ARRAY, TARGET_BUFFER,
        ),
        strict=True,
    )
)  # fmt: skip
_Z, _O = SWIZZLE_ZERO, SWIZZLE_ONE
#: what a shader sees of red, green, blue and alpha, by base format
_SHOWN = {
    gl.GL_RED: (0, _Z, _Z, _O),
    gl.GL_RG: (0, 1, _Z, _O),
    gl.GL_RGB: (0, 1, 2, _O),
    gl.GL_RGBA: (0, 1, 2, 3),
    gl.GL_ALPHA: (_Z, _Z, _Z, 3),
    gl.GL_LUMINANCE: (0, 0, 0, _O),
    gl.GL_LUMINANCE_ALPHA: (0, 0, 0, 3),
    gl.GL_INTENSITY: (0, 0, 0, 0),
}
#: of depths, or of the stencil values beside them (ARB_stencil_texturing, 3.10.18: the number that
#: is assigned is either), as GL_DEPTH_TEXTURE_MODE says
_DEPTH_SHOWN = {**_SHOWN, gl.GL_ALPHA: (_Z, _Z, _Z, 0)}


def _packed(shown: tuple[int, ...]) -> int:
    return sum(part << 4 * n for n, part in enumerate(shown))


def _undecoded(row: Format) -> int:
    """Number of the format that shows the encoded colours of an sRGB format. (No texels are kept
    in compressed formats.)
    """
    return linear(row).number if row.srgb and not row.codec else row.number


def _swizzle(b: Builder, texture: Any, base: Any, single: Any, out: Pointer) -> None:
    """The view's swizzle: the program's, applied to what the base format shows. Lookups that give a
    single number take red, where GL_ALPHA shows nothing: for them it counts as GL_INTENSITY.
    """
    mode = texture.params.depth_mode
    mode = b.select((single != 0) & (mode == gl.GL_ALPHA), b.const(u32, gl.GL_INTENSITY), mode)
    depth = b.const(u32, 0) != 0
    for enum in DEPTHS:
        depth = depth | (base == enum)
    shown = b.var(u32, _packed(_SHOWN[gl.GL_RGBA]))
    for table, shows, wanted in ((_SHOWN, base, ~depth),
                                 (_DEPTH_SHOWN, mode, depth)):  # fmt: skip
        with b.If(wanted), b.Switch(shows) as s:
            for enum, parts in table.items():
                with s.Case(enum):
                    shown.value = _packed(parts)
    for n in range(4):
        asked = texture.params.swizzle[n]
        shift = (asked - gl.GL_RED) * 4  # GL_RED to GL_ALPHA follow each other
        part = (shown.value >> (shift & 15)) & 15
        part = b.select(asked == gl.GL_ZERO, b.const(u32, _Z), part)
        out[n] = b.select(asked == gl.GL_ONE, b.const(u32, _O), part)


@kernel(void, (CTX, OBJECT, PARAMS, VIEW, f32, u32, u32), noinline=True)
def st_make_view(b: Builder, ctx: GLContext, texture: Any, params: Any, view: TextureView,
                 bias: Value, seamless: Value, single: Value) -> None:  # fmt: skip
    """The view of a complete texture, looked at as `params` say (its own, or a sampler object's),
    `bias` being added to its level of detail; `single`: StageSampler.single.
    """
    what, how = b.array(ViewParams, 1, align=64), b.array(SamplerParams, 1, align=64)
    first = b.cast(texture.params.base_level, u32)
    image = texture.images + first
    what.resource = texture.resource
    decoded = b.table(u16, [_undecoded(row) for row in FORMATS])[image.format]
    skips = params.srgb_decode == gl.GL_SKIP_DECODE_EXT
    stencil = stencil_shown(b, texture, image)
    what.format = b.select(skips, b.cast(decoded, u32), image.format)
    what.format = what.format + b.select(stencil, b.const(u32, STENCIL_VIEW), 0)
    targets = b.table(u32, list(_RESOURCE_TARGETS.values()))
    what.target = targets[texture.target_index]
    what.first_level = first
    what.last_level = texture.last_level
    what.first_layer = 0
    what.last_layer = texture.resource.layers - 1
    _swizzle(b, texture, base_format(b, image), single, what.swizzle)
    for n in range(3):
        how.wrap[n] = params.wrap[n]
    how.min_filter = params.min_filter
    how.mag_filter = params.mag_filter
    how.compare_func = b.select(texture.compares != 0, params.compare_func, b.const(u32, 0))
    how.seamless = seamless | params.seamless
    how.max_anisotropy = params.max_anisotropy
    how.lod_bias = params.lod_bias + bias
    how.min_lod = params.min_lod
    how.max_lod = params.max_lod
    for n in range(4):
        how.border[n] = b.bitcast(params.border[n], f32)
    b.call(texture_view, view, what, how, ctx.textures.samplers)


def own_params(texture: Any) -> Any:
    """A texture's own parameters."""
    return texture.addr("params").cast(PARAMS)


@kernel(u32, (CTX, OBJECT), noinline=True)
def st_validate_texels(b: Builder, ctx: GLContext, texture: TextureObject) -> Value:
    """Whether a buffer texture has texels; its view is true then."""
    with b.If(~is_null(texture.buffer)), b.If(texels_moved(texture)):
        texture_changed(b, ctx, texture)  # other contexts of the group look again, too
    with b.If(texture.checked != texture.serial):
        texture.reason = b.call(texels_follow, ctx, texture)
        texture.checked = texture.serial
        b.call(view_release, texture.sampled)
        texture.sampled = b.const(SAMPLED, None)
        with b.If(texture.reason == 0):
            own = own_params(texture)
            texture.sampled = b.call(st_new_view, ctx, texture, own, 0.0, 0, 0)
    return b.cast(~is_null(texture.sampled), u32)


def is_filtered(texture: TextureObject) -> Any:
    """Whether samplers say something about a texture: not about those of buffers, nor about those
    with several samples."""
    return texture.target_index < TARGET_INDEX_2D_MS


def sampled_texture(b: Builder, ctx: GLContext, own: Any, sampler: Any) -> Any:
    """The unit and the texture that a sampler of a stage reads."""
    unit = b.bytes_from(own.block, sampler.offset, u32).load() & (MAX_IMAGE_UNITS - 1)
    at = unit * MAX_TEXTURE_TARGETS + b.cast(sampler.target, u32)
    return unit, ctx.textures.bound[at]


@kernel(u32, (CTX, OBJECT, SAMPLER), noinline=True)
def st_validate(b: Builder, ctx: GLContext, texture: TextureObject, sampler: Any) -> Value:
    """Whether a texture is complete, as the unit's sampler object (or null) wants it. Its own view
    is true then, if there is no sampler.
    """
    buffers = texture.target_index == TARGET_INDEX_BUFFER  # which have no sampler
    with b.If(buffers, likely=False):
        b.Return(b.call(st_validate_texels, ctx, texture))
    with b.If(~is_null(sampler) & is_filtered(texture), likely=False):
        b.call(texture_check, ctx, texture, sampler.addr("params").cast(PARAMS))
        # a unit without the sampler looks again
        texture.checked = texture.serial - 1
        b.Return(b.cast(texture.reason == 0, u32))
    with b.If(texture.checked != texture.serial):
        b.call(texture_check, ctx, texture, own_params(texture))
        b.call(view_release, texture.sampled)
        texture.sampled = b.const(SAMPLED, None)
        with b.If(texture.reason == 0):
            own = own_params(texture)
            texture.sampled = b.call(st_new_view, ctx, texture, own, 0.0, 0, 0)
    return b.cast(~is_null(texture.sampled), u32)


@kernel(SAMPLED, (CTX, OBJECT, PARAMS, f32, u32, u32), noinline=True)
def st_new_view(b: Builder, ctx: GLContext, texture: TextureObject, params: TextureParams,
                bias: Value, seamless: Value, single: Value) -> None:  # fmt: skip
    """A view of a complete texture, the caller's; null if there is no memory."""
    made = view_new(b, ctx)
    with b.If(~is_null(made)):
        view = made.addr("view").cast(VIEW)
        b.call(st_make_view, ctx, texture, params, view, bias, seamless, single)
        with b.If(~is_null(texture.resource)):
            b.call(resource_reference, texture.resource)
    return made


@kernel(void, (CTX, u32, SAMPLED), noinline=True)
def st_hold_view(b: Builder, ctx: GLContext, at: Value, view: SampledView) -> None:
    """A place of the table looks through a view, whose reference it has now; null: through none."""
    place = ctx.textures.held + at
    b.call(view_release, place.load())
    place.store(view)
    seen = b.var(VIEW, ctx.textures.addr("none").cast(VIEW))
    with b.If(~is_null(view)):
        seen.value = view.addr("view").cast(VIEW)
    (ctx.textures.views + at).store(seen.value)


@kernel(OBJECT, (CTX, u32), noinline=True)
def st_effective(b: Builder, ctx: GLContext, unit: Value) -> Value:
    """The texture that a unit of fixed function samples, null if it is off."""
    found = b.var(OBJECT, b.const(OBJECT, None))
    left = b.var(u32, b.cast(ctx.raw.texture_enabled[unit], u32))
    with b.While(lambda: left.value != 0):
        index = b.const(u32, 31) - b.clz(left.value)
        texture = ctx.textures.bound[unit * MAX_TEXTURE_TARGETS + index]
        with b.If(b.call(st_validate, ctx, texture, ctx.textures.sampler[unit]) != 0, likely=True):
            found.value = texture
            b.Break()
        left.value = left.value & ~(b.const(u32, 1) << index)
    return found.value


def generation(b: Builder, ctx: GLContext, unit: Operand) -> Value:
    """TexUnitKey.texgen of a unit."""
    enabled = b.cast(ctx.raw.texgen_enabled[unit], u32)
    out = b.const(u32, 0)
    for n in range(4):
        mode = ctx.raw.texgen_mode[unit * 4 + n]
        code = b.const(u32, 0)
        for number, enum in enumerate(GEN_MODES, 1):
            code = b.select(mode == enum, b.const(u32, number << 3 * n), code)
        out = out | b.select((enabled >> n & 1) != 0, code, b.const(u32, 0))
    return out


def _is_identity(b: Builder, ctx: GLContext, unit: Operand) -> Value:
    """Whether a unit's texture matrix (derived, so true) changes nothing."""
    matrix = ctx.val.addr("texture_matrix").cast(ptr(f32)) + unit * 16
    row = f32.vec(16)
    one = b.const(row, [1.0 if n % 5 == 0 else 0.0 for n in range(16)])
    return b.all(matrix.load(row, align=4) == one)


@kernel(void, (CTX, u32, u64, u32, u32, u32), noinline=True)
def st_unit_key(
    b: Builder, ctx: GLContext, unit: Value, env: Value, target: Value, flags: Value, texgen: Value
) -> None:
    """Write a unit's part of the key, if it is another one."""
    key = ctx.key.addr("tex").cast(ptr(TexUnitKey)) + unit
    differs = (key.env != env) | (b.cast(key.target, u32) != target)
    differs = differs | (b.cast(key.flags, u32) != flags) | (b.cast(key.texgen, u32) != texgen)
    with b.If(differs):
        key.env = env
        key.target = b.cast(target, u8)
        key.flags = b.cast(flags, u8)
        key.texgen = b.cast(texgen, u16)
        ctx.key_dirty = 1


def _unit(b: Builder, ctx: GLContext, unit: Any, texture: Any) -> None:
    """Key and view of a unit that samples a texture."""
    env = ctx.raw.texenv + unit
    zero = b.const(u32, 0)
    sprite = (ctx.key.point_sprite != 0) & (env.coord_replace != 0)
    flags = b.select(_is_identity(b, ctx, unit), zero, b.const(u32, UNIT_MATRIX))
    flags = flags | b.select(texture.compares != 0, b.const(u32, UNIT_SHADOW), zero)
    flags = flags | b.select(sprite, b.const(u32, UNIT_SPRITE), zero)
    packed = env.packed | (b.cast(texture.base, u64) << ENV_BASE)
    texgen = generation(b, ctx, unit)
    b.call(st_unit_key, ctx, unit, packed, texture.target_index + 1, flags, texgen)
    b.call(st_look, ctx, unit + _FIXED, unit, texture, 0)


@kernel(void, (CTX, u32, u32, OBJECT, u32), noinline=True)
def st_look(
    b: Builder, ctx: Any, at: Value, unit: Value, texture: TextureObject, single: Value
) -> None:
    """A place of the table looks at a complete texture, as its unit wants it, and lookups that give
    a `single` number (StageSampler.single).
    """
    env = ctx.raw.texenv + unit
    sampler = ctx.textures.sampler[unit]
    seamless = (ctx.raw.seamless != 0) & (texture.target_index == TARGET_INDEX_CUBE)
    apart = (env.lod_bias != 0.0) | ~is_null(sampler) | seamless
    apart = apart | (single != 0) & (texture.params.depth_mode == gl.GL_ALPHA)
    with b.If(apart & is_filtered(texture), likely=False):
        params = b.var(PARAMS, own_params(texture))
        with b.If(~is_null(sampler)):
            params.value = sampler.addr("params").cast(PARAMS)
        whole = b.cast(ctx.raw.seamless, u32)
        made = b.call(st_new_view, ctx, texture, params.value, env.lod_bias, whole,
                      single)
        b.call(st_hold_view, ctx, at, made)
    with b.Else(), b.If((ctx.textures.held + at).load() != texture.sampled):
        view_reference(b, texture.sampled)
        b.call(st_hold_view, ctx, at, texture.sampled)


@kernel(void, (CTX, u32), noinline=True)
def st_unheld(b: Builder, ctx: GLContext, at: Value) -> None:
    """A place of the table looks at nothing."""
    with b.If(~is_null((ctx.textures.held + at).load())):
        b.call(st_hold_view, ctx, at, b.const(SAMPLED, None))


@kernel(void, (CTX, u32), noinline=True)
def st_stage_views(b: Builder, ctx: GLContext, stage: Any) -> None:
    """The views of a program's stage (SHADER_*), by sampler. A texture that is not
    complete gives 0, 0, 0, 1 (GL 2.1, 3.11.2).
    """
    exec_ = ctx.program.exec
    own = exec_.stages + stage
    first = stage * MAX_STAGE_SAMPLERS
    with b.For(b.const(u32, 0), own.sampler_count, 1) as n:
        sampler = own.samplers + n
        unit, texture = sampled_texture(b, ctx, own, sampler)
        good = b.call(st_validate, ctx, texture, ctx.textures.sampler[unit])
        with b.If(good != 0, likely=True):
            b.call(st_look, ctx, first + n, unit, texture, b.cast(sampler.single, u32))
        with b.Else():
            b.call(st_unheld, ctx, first + n)


@kernel(void, (CTX,), noinline=True)
def st_program_views(b: Builder, ctx: Any) -> None:
    """The views of the program's stages. Places that its samplers leave are let go."""
    block, exec_ = ctx.textures, ctx.program.exec
    for row in OFFERED:
        first, looked = row.number * MAX_STAGE_SAMPLERS, block.looked + row.number
        # fixed function's fragments look for themselves
        kept = b.var(u32, MAX_TEXTURE_UNITS if row.number == SHADER_FRAGMENT else 0)
        with b.If(~is_null(exec_)):
            with b.If(exec_.stages[row.number].number != 0):
                b.call(st_stage_views, ctx, row.number)
                kept.value = exec_.stages[row.number].sampler_count
        with b.For(kept.value, b.max(kept.value, looked.load()), 1) as n:
            b.call(st_unheld, ctx, n + first)
        looked.store(kept.value)


def _coordinate_key(b: Builder, ctx: GLContext, unit: Any) -> None:
    """The key of a unit whose texture a fragment shader chooses: what fixed-function vertices do to
    its coordinates. Which units count is decided by what the shader reads (canonical.py).
    """
    env = ctx.raw.texenv + unit
    zero = b.const(u32, 0)
    sprite = (ctx.key.point_sprite != 0) & (env.coord_replace != 0)
    flags = b.select(_is_identity(b, ctx, unit), zero, b.const(u32, UNIT_MATRIX))
    flags = flags | b.select(sprite, b.const(u32, UNIT_SPRITE), zero)
    b.call(st_unit_key, ctx, unit, b.const(u64, 0), 1, flags, generation(b, ctx, unit))


@kernel(void, (CTX,), noinline=True)
def st_textures(b: Builder, ctx: GLContext) -> None:
    """Bring keys and views of all units up to date."""
    block = ctx.textures
    block.seen = b.load_atomic(ctx.shared.addr("texture_serial"))
    with b.If(is_null(block.samplers), likely=False):
        b.Return()  # a driver that samples nothing
    lock_textures(b, ctx)
    shaded = ctx.key.stages[SHADER_FRAGMENT] != 0
    with b.For(b.const(u32, 0), MAX_TEXTURE_UNITS, 1) as unit:
        with b.If(shaded):
            _coordinate_key(b, ctx, unit)
            b.Continue()
        texture = b.call(st_effective, ctx, unit)
        with b.If(is_null(texture)):
            b.call(st_unit_key, ctx, unit, b.const(u64, 0), 0, 0, 0)
            with b.If(~is_null((block.held + (unit + _FIXED)).load())):
                b.call(st_hold_view, ctx, unit + _FIXED, b.const(SAMPLED, None))
        with b.Else():
            _unit(b, ctx, unit, texture)
    b.call(st_program_views, ctx)
    unlock_textures(b, ctx)


@kernel(void, (CTX, TABLE), cold=True)
def st_attach_textures(b: Builder, ctx: Any, table: SamplerTable) -> None:
    """A new context has a driver with samplers: nothing is sampled yet."""
    block = ctx.textures
    block.samplers = table
    what, how = b.array(ViewParams, 1, align=64), b.array(SamplerParams, 1, align=64)
    what.resource = b.const(ptr(Resource), None)
    b.call(texture_view, block.addr("none").cast(VIEW), what, how, table)
    with b.For(b.const(u32, 0), MAX_VIEWS, 1) as n:
        (block.views + n).store(block.addr("none").cast(VIEW))
    for stage in range(SHADER_STAGES):
        ctx.dyn.stages[stage].views = block.views + stage * MAX_STAGE_SAMPLERS


__all__ = ["generation", "sampled_texture", "st_attach_textures", "st_textures"]
