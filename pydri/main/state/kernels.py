# SPDX-License-Identifier: MIT
"""Native forms of the small state setters: per-fragment operations, rasterisation modes, viewport,
hints.

The plain ones (enums into the key block) are rows of ONE table, SIMPLE; what has a rule of its own
is a function below it. In: arguments as the program gave them. Out: state in place, compared
first. Errors as GL 2.1 states them. Mesa:
main/{blend,depth,stencil,polygon,lines,points,viewport,scissor,hint}.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.where import COMPAT_ONLY, In
from pydri.jit import f32, f64, i32, kernel, ptr, u8, u16, u32, u64, void
from pydri.main import layout as la
from pydri.main.kernels import (
    CTX,
    FLOATS,
    clamp01,
    enum_of_float,
    error_if,
    fail,
    flush_vertices,
    four_forms,
    is_es,
    lookup,
    mark,
    native,
    native_as,
    one_of,
    place,
    set_vector,
    unclamped,
    update,
)
from pydri.main.rows import Enum, enum_check, enum_set, row_finder, valid
from pydri.main.state.layout import BlendKey
from pydri.main.textures.layout import MAX_TEXTURE_UNITS
from pydri.pipe.native import EACH_TARGET, MAX_TARGETS

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

FUNCS = enum_set("comparisons", *range(gl.GL_NEVER, gl.GL_ALWAYS + 1))
DST_FACTORS = enum_set(
    "factors of the destination",
    gl.GL_ZERO,
    gl.GL_ONE,
    *range(gl.GL_SRC_COLOR, gl.GL_ONE_MINUS_DST_COLOR + 1),
    *range(gl.GL_CONSTANT_COLOR, gl.GL_ONE_MINUS_CONSTANT_ALPHA + 1),
)
#: from ARB_blend_func_extended on GL_SRC_ALPHA_SATURATE is a factor of the destination, too; the
#: name of GL_SRC1_ALPHA is that of an older enum
_DUAL = In(33, 33, ext=("ARB_blend_func_extended:3", "EXT_blend_func_extended:8"))
SECOND_SOURCES = (
    gl.GL_SRC1_COLOR, gl.GL_SRC1_ALPHA, gl.GL_ONE_MINUS_SRC1_COLOR, gl.GL_ONE_MINUS_SRC1_ALPHA,
)  # fmt: skip
_DUAL_FACTORS = enum_set(
    "factors of a second source", *(Enum(factor, _DUAL) for factor in SECOND_SOURCES)
)
SRC_FACTORS = (
    *DST_FACTORS, *_DUAL_FACTORS,
    *enum_set("factors of the source alone", gl.GL_SRC_ALPHA_SATURATE),
)  # fmt: skip
DST_FACTORS = (
    *DST_FACTORS, *_DUAL_FACTORS,
    *enum_set("factors of the source, as the destination's",
              Enum(gl.GL_SRC_ALPHA_SATURATE, _DUAL._replace(es2=30))),
)  # fmt: skip
EQUATIONS = enum_set(
    "blend equations",
    gl.GL_FUNC_ADD, gl.GL_MIN, gl.GL_MAX, gl.GL_FUNC_SUBTRACT, gl.GL_FUNC_REVERSE_SUBTRACT,
)  # fmt: skip
FACES = enum_set("faces", gl.GL_FRONT, gl.GL_BACK, gl.GL_FRONT_AND_BACK)
#: of glPolygonMode: one by one they are deprecated
POLYGON_FACES = enum_set(
    "faces of polygon modes",
    Enum(gl.GL_FRONT, COMPAT_ONLY), Enum(gl.GL_BACK, COMPAT_ONLY), gl.GL_FRONT_AND_BACK,
)  # fmt: skip
FACE_BITS = {gl.GL_FRONT: 1, gl.GL_BACK: 2, gl.GL_FRONT_AND_BACK: 3}
STENCIL_OPS = enum_set(
    "stencil operations",
    gl.GL_KEEP,
    gl.GL_ZERO,
    gl.GL_REPLACE,
    gl.GL_INCR,
    gl.GL_DECR,
    gl.GL_INVERT,
    gl.GL_INCR_WRAP,
    gl.GL_DECR_WRAP,
)


class Simple(NamedTuple):
    """One setter whose arguments are enums: for each argument what is allowed and which fields
    take it.
    """

    name: str
    args: tuple[tuple[Sequence[Any], tuple[str, ...]], ...]
    dirty: int = 0


_SRC_RGB, _DST_RGB, _SRC_A, _DST_A = (
    f"key.blend_{n}" for n in ("src_rgb", "dst_rgb", "src_alpha", "dst_alpha")
)
SIMPLE: tuple[Simple, ...] = (
    Simple("glShadeModel", (((gl.GL_FLAT, gl.GL_SMOOTH), ("key.shade_model",)),)),
    Simple("glDepthFunc", ((FUNCS, ("key.depth_func",)),)),
    Simple("glLogicOp", ((tuple(range(gl.GL_CLEAR, gl.GL_SET + 1)), ("key.logic_op",)),)),
    Simple("glBlendFunc", ((SRC_FACTORS, (_SRC_RGB, _SRC_A)), (DST_FACTORS, (_DST_RGB, _DST_A)))),
    Simple(
        "glBlendFuncSeparate",
        (
            (SRC_FACTORS, (_SRC_RGB,)),
            (DST_FACTORS, (_DST_RGB,)),
            (SRC_FACTORS, (_SRC_A,)),
            (DST_FACTORS, (_DST_A,)),
        ),
    ),
    Simple("glBlendEquation", ((EQUATIONS, ("key.blend_eq_rgb", "key.blend_eq_alpha")),)),
    Simple(
        "glBlendEquationSeparate",
        ((EQUATIONS, ("key.blend_eq_rgb",)), (EQUATIONS, ("key.blend_eq_alpha",))),
    ),
    Simple(
        "glProvokingVertex",
        (((gl.GL_FIRST_VERTEX_CONVENTION, gl.GL_LAST_VERTEX_CONVENTION), ("key.provoking",)),),
    ),
    Simple("glCullFace", ((FACES, ("raw.cull_face_mode",)),), la.DIRTY_VIEWPORT),
    Simple("glFrontFace", (((gl.GL_CW, gl.GL_CCW), ("raw.front_face",)),), la.DIRTY_VIEWPORT),
)


def _checked(b: Builder, ctx: GLContext, row: Simple,
             args: tuple[Any, ...]) -> list[tuple[str, Any]]:  # fmt: skip
    """The fields of a row with their values; GL_INVALID_ENUM."""
    good = None
    writes = []
    for value, (allowed, fields) in zip(args, row.args, strict=True):
        test = valid(b, ctx, value, allowed)
        good = test if good is None else good & test
        writes += [(field, value) for field in fields]
    error_if(b, ctx, ~good, gl.GL_INVALID_ENUM)  # type: ignore[operator]
    if row.name.startswith("glBlendFunc"):
        for value, _ in zip(args, row.args, strict=True):
            with b.If(one_of(b, value, SECOND_SOURCES), likely=False):
                ctx.raw.second_sources = 1
    return writes


def _make_simple(row: Simple) -> None:
    def body(b: Builder, ctx: GLContext, *args: Any) -> None:
        writes = _checked(b, ctx, row, args)
        update(b, ctx, writes, row.dirty)
        if row.name.startswith("glBlend"):
            with b.If(ctx.key.blend_apart != 0, likely=False):
                for path, value in writes:
                    b.call(blend_spread, ctx, _blend_field(path), value)

    native_as(row.name, body)


# -- colour targets, one by one (EXT_draw_buffers2, ARB_draw_buffers_blend) ------------------------


def _blend_field(path: str) -> int:
    """Place of a field among those of a BlendKey."""
    return list(BlendKey.fields).index(path.removeprefix("key.blend_"))


@kernel(void, (CTX, u32, u32), noinline=True)
def blend_spread(b: Builder, ctx: GLContext, field: Value, value: Value) -> None:
    """The targets that have functions of their own get a value, too."""
    with b.For(b.const(u32, 1), MAX_TARGETS, 1) as n:
        at = la.blend_of(ctx.key, n).cast(ptr(u16)) + field
        update(b, ctx, [(at, value)], key=True)


@kernel(void, (CTX, u32, u32, u32), noinline=True)
def blend_target(b: Builder, ctx: GLContext, target: Value, field: Value, value: Value) -> None:
    """One target's function; from then on each has its own."""
    key = ctx.key
    first = la.blend_of(key, 0)
    at = la.blend_of(key, target).cast(ptr(u16)) + field
    with b.If(key.blend_apart == 0):
        with b.If(b.cast((first.cast(ptr(u16)) + field).load(), u32) == value):
            b.Return()
        flush_vertices(b, ctx)
        with b.For(b.const(u32, 1), MAX_TARGETS, 1) as n:
            b.memcpy((first + n).cast(ptr(u8)), first.cast(ptr(u8)), BlendKey.size)
        key.blend_apart = 1
    update(b, ctx, [(at, value)], key=True)


def _make_indexed(row: Simple) -> None:
    def body(b: Builder, ctx: GLContext, target: Value, *args: Any) -> None:
        error_if(b, ctx, ~(target < ctx.limits.draw_buffers), gl.GL_INVALID_VALUE)
        for path, value in _checked(b, ctx, row, args):
            b.call(blend_target, ctx, target, _blend_field(path), value)

    native_as(row.name + "i", body)


for _row in SIMPLE:
    _make_simple(_row)
    if _row.name.startswith("glBlend"):
        _make_indexed(_row)


# -- per-fragment operations ----------------------------------------------------------------------


@native
def glAlphaFunc(b: Builder, ctx: GLContext, func: Value, ref: Value) -> None:
    enum_check(b, ctx, func, FUNCS)
    used = b.select(unclamped(ctx), ref, clamp01(b, ref))
    ctx.raw.given_alpha_ref = ref
    update(b, ctx, [("key.alpha_func", func), ("dyn.alpha_ref", used)])


@native
def glBlendColor(b: Builder, ctx: GLContext, red: Value, green: Value, blue: Value,
                 alpha: Value) -> None:  # fmt: skip
    # drivers clamp it to what the target can hold
    color = b.vector([red, green, blue, alpha])
    set_vector(b, ctx, place(b, ctx, "dyn.blend_color"), color, 0)


_CLAMPED = {
    gl.GL_CLAMP_VERTEX_COLOR: "raw.clamp_vertex", gl.GL_CLAMP_FRAGMENT_COLOR: "raw.clamp_fragment",
    gl.GL_CLAMP_READ_COLOR: "raw.clamp_read",
}  # fmt: skip


@native
def glClampColor(b: Builder, ctx: GLContext, target: Value, clamp: Value) -> None:
    enum_check(b, ctx, target, tuple(_CLAMPED))
    enum_check(b, ctx, clamp, (gl.GL_TRUE, gl.GL_FALSE, gl.GL_FIXED_ONLY))
    for enum, path in _CLAMPED.items():
        with b.If(target == enum):
            update(b, ctx, [(path, clamp)], la.DIRTY_TARGET)


@kernel(void, (CTX,), noinline=True)
def reclamp(b: Builder, ctx: GLContext) -> None:
    """What is clamped with fragments follows a change of `key.clamping` or of what was given."""
    free, raw, frag = unclamped(ctx), ctx.raw, ctx.val.frag
    ref = raw.given_alpha_ref
    ctx.dyn.alpha_ref = b.select(free, ref, clamp01(b, ref))
    places = [(raw.given_fog_color, frag.fog_color)]
    for unit in range(MAX_TEXTURE_UNITS):
        given = place(b, ctx, f"raw.given_env_color[{unit}]")
        places.append((given, place(b, ctx, f"val.frag.tex_env_color[{unit}]")))
    for given, used in places:
        value = given.load(f32.vec(4), align=4)
        used.store(b.select(free, value, clamp01(b, value)), align=4)
    mark(b, ctx, la.DIRTY_FOG | la.DIRTY_TEXTURE)


@native
def glDepthMask(b: Builder, ctx: GLContext, flag: Value) -> None:
    update(b, ctx, [("key.depth_mask", b.cast(flag != 0, u8))])


def _depth_range(b: Builder, ctx: GLContext, near: Value, far: Value) -> None:
    """Ends of either precision are kept as doubles, which glGetDoublev gives back."""
    ends = [clamp01(b, b.cast(value, f64)) for value in (near, far)]
    values = [(f"raw.depth_range[{n}]", value) for n, value in enumerate(ends)]
    update(b, ctx, values, la.DIRTY_VIEWPORT)


native_as("glDepthRange", _depth_range)
native_as("glDepthRangef", _depth_range)


@native
def glClipControl(b: Builder, ctx: GLContext, origin: Value, depth: Value) -> None:
    enum_check(b, ctx, origin, (gl.GL_LOWER_LEFT, gl.GL_UPPER_LEFT))
    enum_check(b, ctx, depth, (gl.GL_NEGATIVE_ONE_TO_ONE, gl.GL_ZERO_TO_ONE))
    values = [("raw.clip_origin", origin), ("raw.clip_depth_mode", depth)]
    update(b, ctx, values, la.DIRTY_VIEWPORT)


def _mask_bits(b: Builder, *flags: Any) -> Value:
    """A colour mask of its flags."""
    bits = b.const(u32, 0)
    for n, flag in enumerate(flags):
        bits = bits | b.select(flag != 0, b.const(u32, 1 << n), 0)
    return bits


@native
def glColorMask(b: Builder, ctx: GLContext, red: Value, green: Value, blue: Value,
                alpha: Value) -> None:  # fmt: skip
    update(b, ctx, [("key.color_mask", _mask_bits(b, red, green, blue, alpha) * EACH_TARGET)])


@native
def glColorMaski(b: Builder, ctx: GLContext, target: Value, red: Value, green: Value, blue: Value,
                 alpha: Value) -> None:  # fmt: skip
    error_if(b, ctx, ~(target < ctx.limits.draw_buffers), gl.GL_INVALID_VALUE)
    others = ctx.key.color_mask & ~(b.const(u32, 15) << (target * 4))
    bits = _mask_bits(b, red, green, blue, alpha) << (target * 4)
    update(b, ctx, [("key.color_mask", others | bits)])


@native
def glIndexMask(b: Builder, ctx: GLContext, mask: Value) -> None:
    update(b, ctx, [("raw.index_mask", mask)])


@native
def glSampleCoverage(b: Builder, ctx: GLContext, value: Value, invert: Value) -> None:
    value = clamp01(b, value)
    writes = [("sample_coverage_value", value),
              ("sample_coverage_invert", b.cast(invert != 0, u8))]  # fmt: skip
    update(b, ctx, [(f"raw.{name}", each) for name, each in writes], la.DIRTY_VIEWPORT)


@native
def glSampleMaski(b: Builder, ctx: GLContext, maskNumber: Value, mask: Value) -> None:
    """One word is enough for all samples that there are (GL_MAX_SAMPLE_MASK_WORDS)."""
    error_if(b, ctx, maskNumber != 0, gl.GL_INVALID_VALUE)
    update(b, ctx, [("raw.sample_mask_value", mask)], la.DIRTY_VIEWPORT)


# Stencil sides: 1 front, 2 back, 4 the back side of EXT_stencil_two_side


def _active_sides(b: Builder, ctx: GLContext) -> Value:
    """Which sides the calls without a face set: both, or the one of glActiveStencilFaceEXT when
    that is the back.
    """
    return b.select(ctx.raw.stencil_active_face == gl.GL_BACK, b.const(u32, 4), 3)


@kernel(void, (CTX, u32, u32, i32, u32), noinline=True)
def stencil_func(b: Builder, ctx: GLContext, sides: Value, func: Value, ref: Value,
                 mask: Value) -> None:  # fmt: skip
    for n in range(3):
        with b.If((sides & (1 << n)) != 0):
            update(
                b,
                ctx,
                [
                    (f"key.stencil[{n}].func", func),
                    (f"raw.stencil_ref[{n}]", ref),
                    (f"raw.stencil_mask[{n}]", mask),
                ],
                la.DIRTY_STENCIL,
            )


@kernel(void, (CTX, u32, u32, u32, u32), noinline=True)
def stencil_op(b: Builder, ctx: GLContext, sides: Value, fail_: Value, zfail: Value,
               zpass: Value) -> None:  # fmt: skip
    for n in range(3):
        with b.If((sides & (1 << n)) != 0):
            at = f"key.stencil[{n}]."
            update(
                b,
                ctx,
                [(at + "fail", fail_), (at + "zfail", zfail), (at + "zpass", zpass)],
                la.DIRTY_STENCIL,
            )


@kernel(void, (CTX, u32, u32), noinline=True)
def stencil_mask(b: Builder, ctx: GLContext, sides: Value, mask: Value) -> None:
    for n in range(3):
        with b.If((sides & (1 << n)) != 0):
            update(b, ctx, [(f"raw.stencil_writemask[{n}]", mask)], la.DIRTY_STENCIL)


def _ops_check(b: Builder, ctx: GLContext, *ops: Any) -> None:
    for op in ops:
        enum_check(b, ctx, op, STENCIL_OPS)


@native
def glStencilFunc(b: Builder, ctx: GLContext, func: Value, ref: Value, mask: Value) -> None:
    enum_check(b, ctx, func, FUNCS)
    b.call(stencil_func, ctx, _active_sides(b, ctx), func, ref, mask)


@native
def glStencilFuncSeparate(b: Builder, ctx: GLContext, face: Value, func: Value, ref: Value,
                          mask: Value) -> None:  # fmt: skip
    enum_check(b, ctx, face, FACES)
    enum_check(b, ctx, func, FUNCS)
    b.call(stencil_func, ctx, lookup(b, face, FACE_BITS), func, ref, mask)


@native
def glStencilFuncSeparateATI(
    b: Builder, ctx: GLContext, frontfunc: Value, backfunc: Value, ref: Value, mask: Value
) -> None:
    """ATI_separate_stencil: reference and mask are both sides'."""
    enum_check(b, ctx, frontfunc, FUNCS)
    enum_check(b, ctx, backfunc, FUNCS)
    for face, func in ((gl.GL_FRONT, frontfunc), (gl.GL_BACK, backfunc)):
        b.call(stencil_func, ctx, FACE_BITS[face], func, ref, mask)


@native
def glStencilOp(b: Builder, ctx: GLContext, fail_: Value, zfail: Value, zpass: Value) -> None:
    _ops_check(b, ctx, fail_, zfail, zpass)
    b.call(stencil_op, ctx, _active_sides(b, ctx), fail_, zfail, zpass)


@native
def glStencilOpSeparate(b: Builder, ctx: GLContext, face: Value, fail_: Value, zfail: Value,
                        zpass: Value) -> None:  # fmt: skip
    _ops_check(b, ctx, fail_, zfail, zpass)
    enum_check(b, ctx, face, FACES)
    b.call(stencil_op, ctx, lookup(b, face, FACE_BITS), fail_, zfail, zpass)


@native
def glStencilMask(b: Builder, ctx: GLContext, mask: Value) -> None:
    b.call(stencil_mask, ctx, _active_sides(b, ctx), mask)


@native
def glStencilMaskSeparate(b: Builder, ctx: GLContext, face: Value, mask: Value) -> None:
    enum_check(b, ctx, face, FACES)
    b.call(stencil_mask, ctx, lookup(b, face, FACE_BITS), mask)


@native
def glActiveStencilFaceEXT(b: Builder, ctx: GLContext, face: Value) -> None:
    enum_check(b, ctx, face, (gl.GL_FRONT, gl.GL_BACK))
    update(b, ctx, [("raw.stencil_active_face", face)])


# -- rasterisation --------------------------------------------------------------------------------


@native
def glPolygonMode(b: Builder, ctx: GLContext, face: Value, mode: Value) -> None:
    enum_check(b, ctx, face, POLYGON_FACES)
    enum_check(b, ctx, mode, (gl.GL_POINT, gl.GL_LINE, gl.GL_FILL))
    with b.If(face != gl.GL_BACK):
        update(b, ctx, [("key.polygon_front", mode)], la.DIRTY_VIEWPORT)
    with b.If(face != gl.GL_FRONT):
        update(b, ctx, [("key.polygon_back", mode)], la.DIRTY_VIEWPORT)


@native
def glPolygonOffset(b: Builder, ctx: GLContext, factor: Value, units: Value) -> None:
    _set_offset(b, ctx, factor, units, b.const(f32, 0.0))


@native
def glPolygonOffsetEXT(b: Builder, ctx: GLContext, factor: Value, bias: Value) -> None:
    """EXT_polygon_offset: its bias is of window depth, GL 1.1's units are the buffer's steps."""
    bits = b.min(ctx.visual.depth, 32)
    steps = b.cast((b.const(u64, 1) << b.cast(bits, u64)) - 1, f32)
    _set_offset(b, ctx, factor, bias * steps, b.const(f32, 0.0))


@native
def glPolygonOffsetClamp(b: Builder, ctx: GLContext, factor: Value, units: Value,
                         clamp: Value) -> None:  # fmt: skip
    _set_offset(b, ctx, factor, units, clamp)


def _set_offset(b: Builder, ctx: GLContext, factor: Value, units: Value, clamp: Operand) -> None:
    values = (("factor", factor), ("units", units), ("clamp", clamp))
    update(b, ctx, [(f"raw.offset_{name}", value) for name, value in values], la.DIRTY_VIEWPORT)


@native
def glLineWidth(b: Builder, ctx: GLContext, width: Value) -> None:
    wide = (ctx.forward != 0) & (width > 1.0)  # deprecated (OpenGL 3.0, E.1)
    error_if(b, ctx, ~(width > 0.0) | wide, gl.GL_INVALID_VALUE)
    update(b, ctx, [("raw.line_width", width)], la.DIRTY_VIEWPORT)


@native
def glLineStipple(b: Builder, ctx: GLContext, factor: Value, pattern: Value) -> None:
    update(
        b,
        ctx,
        [
            ("raw.line_stipple_factor", b.clamp(factor, 1, 256)),
            ("raw.line_stipple_pattern", pattern),
        ],
        la.DIRTY_VIEWPORT,
    )


@native
def glPointSize(b: Builder, ctx: GLContext, size: Value) -> None:
    error_if(b, ctx, ~(size > 0.0), gl.GL_INVALID_VALUE)
    update(b, ctx, [("val.point_size", size)], la.DIRTY_VIEWPORT)


POINT_PARAMETERS = enum_set(
    "parameters of points", gl.GL_POINT_SIZE_MIN, gl.GL_POINT_SIZE_MAX,
    gl.GL_POINT_FADE_THRESHOLD_SIZE, gl.GL_POINT_DISTANCE_ATTENUATION,
    gl.GL_POINT_SPRITE_COORD_ORIGIN,
)  # fmt: skip


@kernel(void, (CTX, u32, FLOATS, u32), noinline=True)
def point_parameter_fv(b: Builder, ctx: GLContext, pname: Value, p: Pointer, slot: Value) -> None:
    """glPointParameterfv."""
    known = valid(b, ctx, pname, POINT_PARAMETERS, "glPointParameterfv")
    fail(b, ctx, ~known, gl.GL_INVALID_ENUM, slot)
    with b.Switch(pname) as s:
        for enum, field in (
            (gl.GL_POINT_SIZE_MIN, "point_size_min"),
            (gl.GL_POINT_SIZE_MAX, "point_size_max"),
            (gl.GL_POINT_FADE_THRESHOLD_SIZE, "point_fade"),
        ):
            with s.Case(enum):
                fail(b, ctx, ~(p[0] >= 0.0), gl.GL_INVALID_VALUE, slot)
                update(b, ctx, [("val." + field, p[0])], la.DIRTY_VIEWPORT)
        with s.Case(gl.GL_POINT_DISTANCE_ATTENUATION):
            x, y, z = p[0], p[1], p[2]
            attenuated = b.cast((x != 1.0) | (y != 0.0) | (z != 0.0), u8)
            update(
                b,
                ctx,
                [
                    ("val.point_attenuation[0]", x),
                    ("val.point_attenuation[1]", y),
                    ("val.point_attenuation[2]", z),
                    ("key.point_attenuated", attenuated),
                ],
                la.DIRTY_VIEWPORT,
            )
        with s.Default():  # GL_POINT_SPRITE_COORD_ORIGIN
            x = enum_of_float(b, p[0])
            fail(
                b,
                ctx,
                ~one_of(b, x, (gl.GL_LOWER_LEFT, gl.GL_UPPER_LEFT)),
                gl.GL_INVALID_VALUE,
                slot,
            )
            update(b, ctx, [("raw.point_sprite_origin", x)], la.DIRTY_VIEWPORT)


four_forms(
    "glPointParameter", point_parameter_fv, 0, {gl.GL_POINT_DISTANCE_ATTENUATION: (3, False)}
)


@native
def glViewport(b: Builder, ctx: GLContext, x: Value, y: Value, width: Value, height: Value) -> None:
    error_if(b, ctx, (width < 0) | (height < 0), gl.GL_INVALID_VALUE)
    most = [b.cast(ctx.limits.viewport[n], i32) for n in range(2)]
    width, height = (b.min(v, limit) for v, limit in zip((width, height), most))
    # ARB_viewport_array has bounds, which the peer has in every context of OpenGL; ES has none.
    x, y = (
        b.select(is_es(ctx), v, b.clamp(v, limit * -2, limit * 2 - 1))
        for v, limit in zip((x, y), most, strict=True)
    )
    values = b.cast(b.vector([x, y, width, height]), f32)
    set_vector(b, ctx, place(b, ctx, "raw.viewport"), values, la.DIRTY_VIEWPORT)


@native
def glScissor(b: Builder, ctx: GLContext, x: Value, y: Value, width: Value, height: Value) -> None:
    error_if(b, ctx, (width < 0) | (height < 0), gl.GL_INVALID_VALUE)
    set_vector(
        b, ctx, place(b, ctx, "raw.scissor"), b.vector([x, y, width, height]), la.DIRTY_VIEWPORT
    )


# -- hints -----------------------------------------------------------------------------------------

HINTS = (
    gl.GL_PERSPECTIVE_CORRECTION_HINT,
    gl.GL_POINT_SMOOTH_HINT,
    gl.GL_LINE_SMOOTH_HINT,
    gl.GL_POLYGON_SMOOTH_HINT,
    gl.GL_FOG_HINT,
    gl.GL_GENERATE_MIPMAP_HINT,
    gl.GL_TEXTURE_COMPRESSION_HINT,
    gl.GL_FRAGMENT_SHADER_DERIVATIVE_HINT,
)  # index = place in raw.hints
hint_row = row_finder("hint_row", HINTS, inline=True)


@native
def glHint(b: Builder, ctx: GLContext, target: Value, mode: Value) -> None:
    number = b.call(hint_row, ctx, target)
    error_if(b, ctx, number < 0, gl.GL_INVALID_ENUM)
    enum_check(b, ctx, mode, (gl.GL_DONT_CARE, gl.GL_FASTEST, gl.GL_NICEST))
    update(b, ctx, [(ctx.raw.hints + number, mode)])
