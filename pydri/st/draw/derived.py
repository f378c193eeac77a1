# SPDX-License-Identifier: MIT
"""The kernel that brings derived state up to date before a draw, a clear or a read.

In: `ctx.dirty` (DIRTY_* bits, set by whoever changed state) and the state as it was set: matrix
stacks, `raw`, lights. Out: what shaders read in place (`val`: products and inverses of matrices,
normalised light vectors, fog scale) and what drivers read (`dyn`: viewport transform, scissor, cull
and stencil values), with the bits cleared. Only what a set bit names is computed, so a call with
nothing to do costs a compare in the caller.

Every sum has one fixed order and no fused operation: the transform of a vertex is the same whatever
program does it (ftransform, GL 2.1, 2.3.3 of the shading language). What units sample is
texture_kernels.py's. Counterpart of Mesa's _mesa_update_state and the st atoms of
viewport, scissor, rasterizer and stencil.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.apis import ES2
from pydri.api.enums import (
    GL_BACK,
    GL_CCW,
    GL_FILL,
    GL_FRAMEBUFFER_COMPLETE,
    GL_FRONT,
    GL_INVALID_FRAMEBUFFER_OPERATION,
    GL_UPPER_LEFT,
    GL_ZERO_TO_ONE,
)
from pydri.jit import f32, i32, i64, kernel, ptr, u32, void
from pydri.main.kernels import NOWHERE, gl_record_error
from pydri.main.layout import (
    DIRTY_CLIP,
    DIRTY_CONSTANTS,
    DIRTY_FB,
    DIRTY_FOG,
    DIRTY_LIGHT,
    DIRTY_MODELVIEW,
    DIRTY_PROGRAM,
    DIRTY_PROGRAM_MATRIX,
    DIRTY_PROJECTION,
    DIRTY_STENCIL,
    DIRTY_TARGET,
    DIRTY_TEXMAT,
    DIRTY_TEXTURE,
    DIRTY_VIEWPORT,
    GLContext,
)
from pydri.main.light.layout import LIGHT_ENABLED, LIGHT_POSITIONAL, LIGHT_SPOT, MAX_LIGHTS, Light
from pydri.main.matrix.kernels import stack_top
from pydri.main.matrix.tables import MODELVIEW, PROJECTION, TEXTURE
from pydri.main.state.layout import SAMPLE_COVERAGE, SAMPLE_MASK
from pydri.main.textures.layout import MAX_TEXTURE_UNITS
from pydri.st.programs.arb import st_arb_constants
from pydri.st.programs.blocks import st_blocks
from pydri.st.programs.kernels import (
    SHADER_STATE,
    half_vector,
    normalize3,
    program_moved,
    st_clip_planes,
    st_program,
    st_shader_values,
)
from pydri.st.targets.kernels import st_targets
from pydri.st.textures.kernels import st_textures
from pydri.st.textures.texel_buffers import st_texel_buffers

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.pipe.native import PipeFramebuffer

V4 = f32.vec(4)
#: from where a viewport is taken to begin at most
FAR_AWAY = 32768.0
TRANSFORM = DIRTY_MODELVIEW | DIRTY_PROJECTION
WINDOW = DIRTY_VIEWPORT | DIRTY_FB
# the units' keys say whether their matrices change anything
TEXTURES = DIRTY_TEXTURE | DIRTY_TEXMAT
HANDLED = (
    TRANSFORM | WINDOW | TEXTURES | DIRTY_LIGHT | DIRTY_FOG | DIRTY_STENCIL | DIRTY_CLIP
    | DIRTY_TARGET | DIRTY_PROGRAM | DIRTY_CONSTANTS | DIRTY_PROGRAM_MATRIX
)
STENCIL_MAX = 255  # every stencil format has 8 bits


def _lane(b: Builder, v: Value, n: int) -> Value:
    """One lane in all four."""
    return b.shuffle(v, None, [n] * 4)


def matrix_product(b: Builder, out: Any, left: Any, right: Any) -> None:
    """out = left * right for column-major 4x4 matrices; products are added from left to right."""
    columns = [(left + 4 * k).load(V4) for k in range(4)]
    rows = [(right + 4 * j).load(V4) for j in range(4)]
    for j, row in enumerate(rows):
        total = columns[0] * _lane(b, row, 0)
        for k in range(1, 4):
            total = total + columns[k] * _lane(b, row, k)
        (out + 4 * j).store(total)


def copy_matrix(b: Builder, out: Pointer, source: Pointer) -> None:
    """Copy 16 floats."""
    for j in range(4):
        (out + 4 * j).store((source + 4 * j).load(V4))


def cross(b: Builder, x: Operand, y: Operand) -> Value:
    """The cross product of two vec3 held in vec4; the last lane is 0 for finite input."""

    def turn(v: Any, lanes: list[int]) -> Any:
        return b.shuffle(v, None, lanes)

    left = turn(x, [1, 2, 0, 3]) * turn(y, [2, 0, 1, 3])
    return left - turn(x, [2, 0, 1, 3]) * turn(y, [1, 2, 0, 3])


def dot3(b: Builder, x: Any, y: Any) -> Value:
    """x0*y0 + x1*y1 + x2*y2, from left to right."""
    p = x * y
    return p[0] + p[1] + p[2]


def _transform(b: Builder, ctx: GLContext, dirty: Value) -> None:
    val = ctx.val
    with b.If((dirty & DIRTY_MODELVIEW) != 0):
        copy_matrix(b, val.modelview, stack_top(b, ctx, MODELVIEW))
        _normal_matrix(b, val)
    with b.If((dirty & DIRTY_PROJECTION) != 0):
        copy_matrix(b, val.projection, stack_top(b, ctx, PROJECTION))
    matrix_product(b, val.mvp, val.projection, val.modelview)


def _normal_matrix(b: Builder, val: Any) -> None:
    """The inverse transpose of the upper 3x3 (GL 2.1, 2.11.3): its cofactors over its determinant.

    A singular matrix has no inverse and the specification leaves the result open: cofactors alone
    keep what direction there is."""
    x, y, z = ((val.modelview + 4 * j).load(V4) for j in range(3))
    yz, zx, xy = cross(b, y, z), cross(b, z, x), cross(b, x, y)
    det = dot3(b, x, yz)
    scale = b.splat(b.select(det == 0.0, b.const(f32, 1.0), 1.0 / det), 4)
    zero = b.const(V4, 0.0)
    for j, column in enumerate((yz, zx, xy)):
        value = b.shuffle(column * scale, zero, [0, 1, 2, 4])
        (val.normal_matrix + 4 * j).store(value)
    third = (val.normal_matrix + 8).load(V4)  # the inverse's third row
    length = b.sqrt(dot3(b, third, third))
    val.rescale_factor = b.select(length == 0.0, b.const(f32, 1.0), 1.0 / length)


def _texture_matrices(b: Builder, ctx: GLContext) -> None:
    val = ctx.val
    with b.For(0, MAX_TEXTURE_UNITS) as unit:
        out = val.addr("texture_matrix").cast(ptr(f32)) + unit * 16
        copy_matrix(b, out, stack_top(b, ctx, TEXTURE, b.cast(unit, u32)))


def _lights(b: Builder, ctx: GLContext) -> None:
    """Vectors that depend on the light alone (GL 2.1, 2.14.1), of the enabled lights.

    Whoever enables a light or lighting sets DIRTY_LIGHT; glLight keeps the cosine of the cutoff."""
    with b.For(0, MAX_LIGHTS) as n:
        flags = b.cast(ctx.key.light.flags[n], u32)
        with b.If((flags & LIGHT_ENABLED) != 0):
            light = (ctx.val.addr("lights").cast(ptr(Light))) + n
            position = light.position.load(V4)
            with b.If((flags & LIGHT_POSITIONAL) != 0):
                light.direction.store(position / _lane(b, position, 3))
            with b.Else():
                direction = normalize3(b, position)
                light.direction.store(direction)
                light.half_vector.store(half_vector(b, direction))
            with b.If((flags & LIGHT_SPOT) != 0):
                light.spot_direction_n.store(normalize3(b, light.spot_direction.load(V4)))


def _fog(b: Builder, ctx: GLContext) -> None:
    frag = ctx.val.frag
    span = frag.fog_end - frag.fog_start
    frag.fog_scale = b.select(span == 0.0, b.const(f32, 1.0), 1.0 / span)
    frag.shader_fog_scale = 1.0 / span


def scissor_box(b: Builder, ctx: GLContext) -> list[Any]:
    """The scissor box within the framebuffer, in surface space: x0, y0, x1, y1 (i64).

    x1 <= x0 or y1 <= y0 is empty. This is what bounds a clear."""
    raw, fb = ctx.raw, ctx.dyn.fb
    flip = fb.flip_y != 0
    width, height = b.cast(fb.width, i64), b.cast(fb.height, i64)
    zero = b.const(i64, 0)
    box = [b.var(i64, v) for v in (zero, zero, width, height)]
    with b.If(raw.scissor_enabled != 0):
        x, y, w, h = (b.cast(raw.scissor[n], i64) for n in range(4))
        low = b.select(flip, height - (y + h), y)
        high = b.select(flip, height - y, y + h)
        for var, value, limit in zip(
            box, (x, low, x + w, high), (width, height, width, height), strict=True
        ):
            var.value = b.min(b.max(value, zero), limit)
    return [var.value for var in box]


@kernel(ret=void, args=(ptr(GLContext),), noinline=True)
def st_scissor(b: Builder, ctx: GLContext) -> None:
    """A draw's box: the scissor's, for triangles narrowed to the pixels whose centres are in the
    viewport.

    So a driver need not clip what sticks out of the viewport's sides. Wide lines and points may
    reach beyond the viewport (GL 2.1, 2.12 clips them before they get their width), those of
    polygons, too: their box depends on `key.prim` and the polygon modes; st_draw asks again when
    the one changes, and the other is DIRTY_VIEWPORT."""
    raw, dyn, fb = ctx.raw, ctx.dyn, ctx.dyn.fb
    x, y, w, h = (raw.viewport[n] for n in range(4))
    height = b.cast(fb.height, f32)
    flip = fb.flip_y != 0
    top = b.select(flip, height - (y + h), y)
    edges = [b.cast(b.ceil(v - 0.5), i64) for v in (x, top, x + w, top + h)]
    box = scissor_box(b, ctx)
    key = ctx.key
    unfilled = (key.polygon_front != GL_FILL) | (key.polygon_back != GL_FILL)
    # OpenGL ES 2 clips no points by their centres; their fragments are in the viewport
    point = (ctx.api == ES2) & (key.prim == 0)
    wide = ((key.prim != 2) & ~point) | unfilled
    for n, name in enumerate(("x0", "y0", "x1", "y1")):
        narrow = (b.max if n < 2 else b.min)(box[n], edges[n])
        bound = b.select(wide, box[n], narrow)
        setattr(dyn, f"scissor_{name}", b.cast(b.clamp(bound, 0, 1 << 30), i32))


def _window(b: Builder, ctx: GLContext) -> None:
    """Everything that depends on the framebuffer's size and its direction of y."""
    raw, dyn, fb = ctx.raw, ctx.dyn, ctx.dyn.fb
    flip = fb.flip_y != 0
    height = b.cast(fb.height, f32)
    # A viewport that begins further away shows nothing: none is larger than half of this.
    x, y = (b.clamp(raw.viewport[n], -FAR_AWAY, FAR_AWAY) for n in range(2))
    w, h = raw.viewport[2], raw.viewport[3]
    window = ctx.val.frag.wpos_transform
    window[0] = b.select(flip, b.const(f32, -1.0), b.const(f32, 1.0))
    window[1] = b.select(flip, height, b.const(f32, 0.0))
    window[2] = b.select(flip, b.const(f32, 1.0), b.const(f32, -1.0))
    window[3] = b.select(flip, b.const(f32, 0.0), height)
    near, far = raw.depth_range[0], raw.depth_range[1]
    half_w, half_h = w * 0.5, h * 0.5
    center_y = y + half_h
    # ARB_clip_control: y may grow downwards in clip space, and z begin at 0 there
    upper = raw.clip_origin == GL_UPPER_LEFT
    whole = raw.clip_depth_mode == GL_ZERO_TO_ONE
    depth = b.select(whole, far - near, (far - near) * 0.5)
    scale = [half_w, b.select(flip ^ upper, -half_h, half_h), b.cast(depth, f32)]
    middle = [
        x + half_w,
        b.select(flip, height - center_y, center_y),
        b.cast(b.select(whole, near, (far + near) * 0.5), f32),
    ]
    begin = b.select(whole, b.const(f32, 0.0), b.const(f32, 1.0))
    dyn.viewport_scale.store(b.vector([*scale, begin]))
    dyn.viewport_translate.store(b.vector([*middle, b.const(f32, 0.0)]))
    b.call(st_scissor, ctx)
    face = raw.cull_face_mode
    sides = b.select(
        face == GL_FRONT,
        b.const(u32, 1),
        b.select(face == GL_BACK, b.const(u32, 2), b.const(u32, 3)),
    )
    dyn.cull = b.select(raw.cull_enabled != 0, sides, b.const(u32, 0))
    # Counter-clockwise with y up is clockwise with y down, where the area is negative.
    counter = raw.front_face == GL_CCW
    dyn.front_negative = b.cast(counter ^ ~(flip ^ upper), u32)
    flags = [
        b.select(on != 0, b.const(u32, bit), b.const(u32, 0))
        for on, bit in ((raw.offset_point, 1), (raw.offset_line, 2), (raw.offset_fill, 4))
    ]
    dyn.offset_flags = flags[0] | flags[1] | flags[2]
    with b.If(ctx.key.polygon_stipple != 0, likely=False):
        _stipple(b, ctx)
    dyn.line_width = raw.line_width
    dyn.line_stipple_factor = b.cast(raw.line_stipple_factor, u32)
    dyn.line_stipple_pattern = raw.line_stipple_pattern
    val = ctx.val
    dyn.point_size = b.min(b.max(val.point_size, val.point_size_min), val.point_size_max)
    dyn.point_fade = val.point_fade
    dyn.sprite_down = b.cast((raw.point_sprite_origin == GL_UPPER_LEFT) ^ ~flip, u32)
    with b.If(ctx.key.samples > 1, likely=False):
        _sample_mask(b, ctx)
    dyn.offset_units = raw.offset_units
    dyn.offset_factor = raw.offset_factor
    dyn.offset_clamp = raw.offset_clamp


def _sample_mask(b: Builder, ctx: GLContext) -> None:
    """GL_SAMPLE_COVERAGE: the value's share of the samples, from the first on, or the others (GL
    2.1, 4.1.3; which ones, the same for all pixels, is the peer's choice, too). Of these, those of
    GL_SAMPLE_MASK (GL 3.2, 4.1.3).
    """
    raw, flags, every = ctx.raw, ctx.key.sample_flags, b.const(u32, 0xFFFFFFFF)
    count = b.cast(ctx.key.samples, u32)
    chosen = b.cast(raw.sample_coverage_value * b.cast(count, f32), u32)
    mask = (b.const(u32, 1) << chosen) - 1
    mask = b.select(raw.sample_coverage_invert != 0, ~mask, mask)
    mask = b.select((flags & SAMPLE_COVERAGE) != 0, mask, every)
    ctx.dyn.sample_mask = mask & b.select(
        (flags & SAMPLE_MASK) != 0, raw.sample_mask_value, every)


def _stipple(b: Builder, ctx: GLContext) -> None:
    """The polygon pattern in the order of surface rows, where fragments look it up."""
    fb, out, source = ctx.dyn.fb, ctx.val.frag.stipple, ctx.raw.polygon_stipple
    with b.For(b.const(u32, 0), 32) as row:
        at = b.select(fb.flip_y != 0, fb.height - 1 - row, row)
        out[row] = source[at & 31]


def _stencil(b: Builder, ctx: GLContext) -> None:
    """Front values, and the back's: the second set, or EXT_stencil_two_side's third."""
    raw, dyn = ctx.raw, ctx.dyn
    back = b.select(ctx.key.stencil_two_side != 0, b.const(i32, 2), b.const(i32, 1))
    for side, source in ((0, 0), (1, back)):
        ref = b.min(b.max(raw.stencil_ref[source], 0), STENCIL_MAX)
        dyn.stencil_ref[side] = b.cast(ref, u32)
        dyn.stencil_valuemask[side] = raw.stencil_mask[source] & STENCIL_MAX
        dyn.stencil_writemask[side] = raw.stencil_writemask[source] & STENCIL_MAX


@kernel(ret=void, args=(ptr(GLContext),), noinline=True)
def st_refresh(b: Builder, ctx: GLContext) -> None:
    """Refresh what the bits of `ctx.dirty` name and clear them."""
    with b.If((ctx.dirty & DIRTY_PROGRAM) != 0):
        b.call(st_program, ctx)
    dirty = ctx.dirty
    # targets are brought up to date by st_targets alone, which draws ask for
    ctx.dirty = dirty & ~b.const(u32, HANDLED & ~DIRTY_TARGET)
    parts = (
        (TRANSFORM, lambda: _transform(b, ctx, dirty)),
        (WINDOW, lambda: _window(b, ctx)),
        (DIRTY_LIGHT, lambda: _lights(b, ctx)),
        (DIRTY_STENCIL, lambda: _stencil(b, ctx)),
        (DIRTY_FOG, lambda: _fog(b, ctx)),
        (DIRTY_TEXMAT, lambda: _texture_matrices(b, ctx)),
        (DIRTY_CLIP | DIRTY_PROJECTION, lambda: b.call(st_clip_planes, ctx)),
        (SHADER_STATE, lambda: b.call(st_shader_values, ctx, dirty)),
        (TEXTURES, lambda: b.call(st_textures, ctx)),
        (DIRTY_PROGRAM | DIRTY_CONSTANTS, lambda: b.call(st_arb_constants, ctx)),
    )
    for bits, part in parts:
        with b.If((dirty & bits) != 0):
            part()


def _moved(b: Builder, fb: PipeFramebuffer) -> Value:
    """Not 0: a framebuffer's drawable has other buffers now."""
    source = fb.stamp_source
    moved = b.var(u32, 0)
    with b.If(source != b.const(source.ty, None)):
        moved.value = source.load() ^ fb.stamp
    return moved.value


def _objects_moved(b: Builder, ctx: GLContext) -> Value:
    """Whether a framebuffer object is bound, and what is attached to it may have changed."""
    block = ctx.framebuffers
    some = (block.draw != b.const(block.draw.ty, None)) | (
        block.read != b.const(block.read.ty, None)
    )
    return some & (b.load_atomic(ctx.shared.addr("texture_serial")) != block.seen)


@kernel(ret=u32, args=(ptr(GLContext), u32), noinline=True)
def st_follow(b: Builder, ctx: GLContext, resized: Value) -> Value:
    """`dyn.fb` and `read` are what is bound now, with the sizes that windows have; `resized`: a
    window may have another size. 0: there is nothing to draw to.
    """
    done = b.var(u32, 1)
    with b.If(_objects_moved(b, ctx) | ((ctx.dirty & DIRTY_TARGET) != 0)):
        done.value = b.call(st_targets, ctx)
    stale = _moved(b, ctx.dyn.fb) | _moved(b, ctx.read) | (ctx.dirty & DIRTY_FB) | resized
    with b.If(stale != 0, likely=False):
        done.value = b.call(ctx.hook_fb, ctx)
    block, front = ctx.framebuffers, ctx.dyn.fb.front
    no_object = block.draw == b.const(block.draw.ty, None)
    with b.If(no_object & (front != b.const(front.ty, None))):
        block.used = 1
    return done.value


def follow(b: Builder, ctx: GLContext) -> None:
    """Framebuffers are those that are bound now, for calls that read."""
    b.call(st_follow, ctx, _resized(b, ctx))
    refresh(b, ctx)


def _resized(b: Builder, ctx: GLContext) -> Value:
    """Whether a viewport was set (u32) that looks like a new window's: programs set it before they
    draw, and the window's size is heard of only with the next present. Asked once for a size.

    Whoever refreshes what depends on the viewport asks this first: the bit is gone afterwards."""
    view, asked, fb = ctx.raw.viewport, ctx.viewport_asked, ctx.dyn.fb
    w, h = view[2], view[3]
    at_origin = (view[0] == 0.0) & (view[1] == 0.0) & (fb.flip_y != 0)
    other = (w != b.cast(fb.width, f32)) | (h != b.cast(fb.height, f32))
    given = (ctx.dirty & DIRTY_VIEWPORT) != 0
    return b.cast(given & at_origin & other & ((w != asked[0]) | (h != asked[1])), u32)


@kernel(ret=u32, args=(ptr(GLContext),), noinline=True)
def st_synchronise(b: Builder, ctx: GLContext) -> None:
    """The slow half of `synchronise`; 0 where nothing can be drawn to."""
    with b.If(b.call(st_follow, ctx, _resized(b, ctx)) == 0, likely=False):
        with b.If(incomplete(ctx)):
            b.call(gl_record_error, ctx, GL_INVALID_FRAMEBUFFER_OPERATION, NOWHERE)
        b.Return(0)
    with b.If(textures_moved(b, ctx) != 0):
        ctx.dirty = ctx.dirty | DIRTY_TEXTURE
    with b.If(program_moved(b, ctx) != 0):
        ctx.dirty = ctx.dirty | DIRTY_PROGRAM
    with b.If(ctx.arb.copies_state != 0):
        ctx.dirty = ctx.dirty | DIRTY_CONSTANTS
    refresh(b, ctx)
    b.Return(1)


def incomplete(ctx: Any) -> Any:
    """Whether a framebuffer object is drawn to that is not complete (a context that has drawn
    nothing yet has status 0)."""
    status = ctx.framebuffers.draw_status
    return (status != GL_FRAMEBUFFER_COMPLETE) & (status != 0)


def unreadable(ctx: Any) -> Any:
    """Whether a framebuffer object is read from that is not complete; behind `follow`."""
    status = ctx.framebuffers.read_status
    return (status != GL_FRAMEBUFFER_COMPLETE) & (status != 0)


def textures_moved(b: Builder, ctx: GLContext) -> Value:
    """Not 0: a texture of the share group was changed since the units were looked through."""
    return b.load_atomic(ctx.shared.addr("texture_serial")) ^ ctx.textures.seen


def synchronise(b: Builder, ctx: GLContext, *nothing: int) -> None:
    """Framebuffer and derived values are true after this; returns (`nothing`, if the kernel has a
    result) where nothing can be drawn to."""
    with b.If(ctx.program.texel_buffers != 0, likely=False):
        b.call(st_texel_buffers, ctx)
    moved = (ctx.dirty & HANDLED) | textures_moved(b, ctx) | _moved(b, ctx.dyn.fb)
    moved = moved | program_moved(b, ctx) | ctx.arb.copies_state
    with b.If(moved != 0), b.If(b.call(st_synchronise, ctx) == 0, likely=False):
        b.Return(*nothing)
    with b.If(ctx.program.blocks != 0, likely=False):
        b.call(st_blocks, ctx)


def refresh(b: Builder, ctx: GLContext) -> None:
    """Derived values are true after this."""
    with b.If((ctx.dirty & HANDLED) != 0):
        b.call(st_refresh, ctx)


__all__ = [
    "follow", "incomplete", "matrix_product", "refresh", "st_refresh", "synchronise", "unreadable",
]  # fmt: skip
