# SPDX-License-Identifier: MIT
"""Native entry points of immediate mode: glBegin, glEnd, all attributes, materials, rectangles.

In: the rows of attribs.py. Out: kernels registered with pydri.api.dispatch under their GL names;
those that only count between glBegin and glEnd as `be_<name>`. Counterpart of Mesa's
vbo_exec_api.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.enums import GL_INVALID_ENUM, GL_INVALID_VALUE
from pydri.jit.kernel import Kernel, kernel
from pydri.jit.types import boolean, f32, i32, i64, ptr, u8, u16, u32, u64, void
from pydri.main.framebuffers.complete_kernels import refuse_draw
from pydri.main.kernels import (
    CTX,
    call_entry,
    error_if,
    int_to_float,
    is_null,
    native,
    native_as,
    one_of,
    wrong_mode,
)
from pydri.main.layout import DIRTY_LIGHT
from pydri.main.light.kernels import set_materials, tracked_bits
from pydri.main.programs.kernels import refuse_missing
from pydri.main.shaders.kernels import refuse_conflict
from pydri.main.transform.kernels import refuse_primitives
from pydri.nir.enums import MAT_ATTRIB_MAX, VERT_ATTRIB_GENERIC0, VERT_ATTRIB_MAT0, VERT_ATTRIB_TEX0
from pydri.pipe.native import SHADER_VERTEX
from pydri.vbo.attribs import (
    FIXED,
    GENERIC,
    ROWS,
    TEXTURE,
    VERTEX,
    AttribRow,
    packed_known,
    value_of,
)
from pydri.vbo.core import (
    V4,
    emit_vertex,
    set_attr,
    value_place,
    vbo_attr,
    vbo_begin,
    vbo_end,
    vbo_vertex,
)
from pydri.vbo.native import QUADS

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

MAX_GENERIC = 16

FRONT, BACK, FRONT_AND_BACK = 0x0404, 0x0405, 0x0408
AMBIENT, DIFFUSE, SPECULAR, EMISSION = 0x1200, 0x1201, 0x1202, 0x1600
SHININESS, AMBIENT_AND_DIFFUSE, COLOR_INDEXES = 0x1601, 0x1602, 0x1603


# -- glBegin, glEnd --------------------------------------------------------------------------------


@native
def glBegin(b: Builder, ctx: GLContext, mode: Value) -> None:
    error_if(b, ctx, wrong_mode(b, ctx, mode), GL_INVALID_ENUM)
    refuse_draw(b, ctx)  # here, not at glEnd
    refuse_conflict(b, ctx)
    refuse_missing(b, ctx)
    refuse_primitives(b, ctx, mode)
    b.call(vbo_begin, ctx, mode)


def _end(b: Builder, ctx: GLContext) -> None:
    b.call(vbo_end, ctx)


native_as("glEnd", _end, "be_")


# -- attributes ------------------------------------------------------------------------------------


@kernel(void, (CTX, u32, V4, u32), noinline=True)
def vbo_generic(b: Any, ctx: GLContext, index: Value, value: Value, where: Value) -> None:
    """glVertexAttrib: number 0 is the vertex between glBegin and glEnd."""
    b.gl_slot = where
    error_if(b, ctx, index >= MAX_GENERIC, GL_INVALID_VALUE)
    with b.If(index != 0):
        b.call(vbo_attr, ctx, index + VERT_ATTRIB_GENERIC0, value)
        b.Return()
    with b.If(ctx.vbo.begin_mode != 0):
        b.call(vbo_vertex, ctx, value)
        b.Return()
    b.store(value_place(b, ctx, VERT_ATTRIB_GENERIC0), value, 4)


def _refuse_packing(b: Builder, ctx: GLContext, row: AttribRow, args: tuple[Any, ...]) -> None:
    """INVALID_ENUM for a type that a packed call does not take."""
    if row.type == "packed":
        type_ = args[1] if row.kind in (TEXTURE, GENERIC) else args[0]
        error_if(b, ctx, ~packed_known(row, type_), GL_INVALID_ENUM)


def _outside(row: AttribRow) -> Any:
    """glVertex outside of glBegin and glEnd is undefined: nothing is drawn, as with Mesa; a type of
    glVertexP that is none is an error everywhere.
    """

    def body(b: Builder, ctx: GLContext, *args: Any) -> None:
        _refuse_packing(b, ctx, row, args)

    return body


def _attribute(row: AttribRow) -> Any:
    def body(b: Any, ctx: GLContext, *args: Any) -> None:
        _refuse_packing(b, ctx, row, args)
        if row.kind == VERTEX:
            emit_vertex(b, ctx, value_of(b, row, args), row.size)
        elif row.kind == FIXED:
            set_attr(b, ctx, row.slot, value_of(b, row, args))
            if row.type == "flag":
                ctx.raw.edge_flag = b.cast(
                    b.cast((args[0][0] if row.vector else args[0]) != 0, u32), u8
                )
        elif row.kind == TEXTURE:
            b.call(vbo_attr, ctx, (args[0] & 7) + VERT_ATTRIB_TEX0, value_of(b, row, args[1:]))
        else:
            assert row.kind == GENERIC
            b.call(vbo_generic, ctx, args[0], value_of(b, row, args[1:]), b.gl_slot)

    return body


for _row in ROWS:
    native_as(_row.name, _attribute(_row), "be_" if _row.kind == VERTEX else "")
    if _row.kind == VERTEX:
        native_as(_row.name, _outside(_row))


def _several(size: int) -> None:
    """NV_half_float's glVertexAttribs*: attribute index + n - 1 first, so that a vertex is the
    last.
    """

    def body(b: Builder, ctx: GLContext, index: Value, n: Value, v: Any) -> None:
        room = MAX_GENERIC - b.cast(index, i64)
        error_if(b, ctx, (n < 0) | (b.cast(n, i64) > room), GL_INVALID_VALUE)
        left = b.var(i32, n)
        with b.While(lambda: left.value > 0):
            left.value = left.value - 1
            at = b.bytes_from(v, b.cast(left.value, u64) * (2 * size), u16)
            call_entry(b, ctx, f"glVertexAttrib{size}hvNV", index + b.cast(left.value, u32), at)

    native_as(f"glVertexAttribs{size}hvNV", body)


for _size in (1, 2, 3, 4):
    _several(_size)


# -- materials -------------------------------------------------------------------------------------


@kernel(void, (CTX, u32, V4), noinline=True)
def vbo_set_material(b: Builder, ctx: GLContext, slot: Value, value: Value) -> None:
    """One attribute of one face. Between glBegin and glEnd it becomes a vertex attribute; outside,
    what is pending is drawn first (main's set_materials): a draw more costs less than materials in
    every vertex and in the lighting of each.
    """
    n = slot - VERT_ATTRIB_MAT0
    bit = b.const(u32, 1) << ((n >> 1) + (n & 1) * (MAT_ATTRIB_MAX // 2))
    free = bit & ~b.call(tracked_bits, ctx)
    with b.If(ctx.vbo.begin_mode == 0):
        b.call(set_materials, ctx, free, value)
        b.Return()
    with b.If(free == 0):
        b.Return()
    with b.If(_in_vertex_program(b, ctx), likely=False):
        ctx.vbo.late_bits = ctx.vbo.late_bits | bit
        (ctx.vbo.late.cast(ptr(f32)) + b.ctz(bit) * 4).store(value, align=4)
        b.Return()
    b.call(vbo_attr, ctx, slot, value)
    ctx.dirty = ctx.dirty | DIRTY_LIGHT


def _in_vertex_program(b: Builder, ctx: Any) -> Value:
    """Whether vertices are a program's: then a material that is set between glBegin and glEnd is
    what the program sees from glEnd on (ARB_vertex_program, 2.14.3.7: it need not be before).
    """
    program = ctx.program.current
    out = b.var(boolean, ctx.arb.enabled[0] != 0)
    with b.If(~is_null(program)):
        with b.If(~is_null(program.exec)):
            out.value = out.value | (program.exec.stages[SHADER_VERTEX].number != 0)
    return out.value


def material_values(
    b: Builder, face: Any, pname: Value, params: Any, set_value: Any, fail_if: Any
) -> None:
    """What a glMaterialfv sets: `set_value(slot, value)` for each attribute of each face, or
    `fail_if(condition, error)`, which returns from the kernel.
    """
    fail_if(~one_of(b, face, [FRONT, BACK, FRONT_AND_BACK]), GL_INVALID_ENUM)
    first = b.var(u32, 0)
    count = b.var(u32, 1)
    size = b.var(u32, 4)
    with b.Switch(pname) as s:
        for n, name in enumerate((AMBIENT, DIFFUSE, SPECULAR, EMISSION)):
            with s.Case(name):
                first.value = n
        with s.Case(SHININESS):
            x = params[0]
            fail_if(~((x >= 0.0) & (x <= 128.0)), GL_INVALID_VALUE)
            first.value = 4
            size.value = 1
        with s.Case(AMBIENT_AND_DIFFUSE):
            count.value = 2
        with s.Case(COLOR_INDEXES):
            first.value = 5
            size.value = 3
        with s.Default():
            size.value = 0
    fail_if(size.value == 0, GL_INVALID_ENUM)
    value = b.var(V4, b.const(V4, 0.0))
    with b.If(size.value == 4):
        value.value = params.load(V4)
    with b.Elif(lambda: size.value == 3):
        value.value = b.vector([params[0], params[1], params[2], 0.0])
    with b.Else():
        value.value = b.vector([params[0], 0.0, 0.0, 0.0])
    with b.For(first.value, first.value + count.value, 1) as prop:
        with b.If(face != BACK):
            set_value(prop * 2 + VERT_ATTRIB_MAT0, value.value)
        with b.If(face != FRONT):
            set_value(prop * 2 + (VERT_ATTRIB_MAT0 + 1), value.value)


def material_kernel(name: str, set_attribute: Kernel, fail_if: Any) -> Kernel:
    """glMaterialfv between glBegin and glEnd: `set_attribute(ctx, slot, value)` gets its values,
    `fail_if(b, ctx, condition, error)` its mistakes.
    """

    def trace(b: Any, ctx: GLContext, face: Operand, pname: Value, params: Pointer,
              where: Operand) -> None:  # fmt: skip
        b.gl_slot = where
        material_values(
            b,
            face,
            pname,
            params,
            lambda slot, value: b.call(set_attribute, ctx, slot, value),
            lambda cond, error: fail_if(b, ctx, cond, error),
        )

    return Kernel(trace, name, void, (CTX, u32, u32, ptr(f32), u32), noinline=True)


vbo_material = material_kernel("vbo_material", vbo_set_material, error_if)


def _material_fv(b: Builder, face: Operand, pname: Value, params: Pointer) -> Value:
    return params


def _material_iv(b: Builder, face: Operand, pname: Value, params: Pointer) -> Any:
    """Colours are normalised, shininess and indices are taken as they are."""
    value = b.array(f32, 4)
    with b.If(pname == SHININESS):
        value[0] = b.cast(params[0], f32)
    with b.Elif(lambda: pname == COLOR_INDEXES):
        for n in range(3):
            value[n] = b.cast(params[n], f32)
    with b.Elif(
        lambda: one_of(b, pname, [AMBIENT, DIFFUSE, SPECULAR, EMISSION, AMBIENT_AND_DIFFUSE])
    ):
        for n in range(4):
            value[n] = int_to_float(b, params[n])
    with b.Else():
        value[0] = 0.0  # it will be refused
    return value


def _material_one(b: Builder, face: Operand, pname: Value, param: Value) -> Value:
    """glMaterialf and glMateriali: for shininess; with other names the rest is 0, as with Mesa."""
    value = b.array(f32, 4)
    value.store(b.const(V4, 0.0))
    value[0] = b.cast(param, f32)
    return value


#: the forms of glMaterial: what makes the floats of glMaterialfv of the arguments
MATERIALS: dict[str, Any] = {
    "f": _material_one,
    "i": _material_one,
    "fv": _material_fv,
    "iv": _material_iv,
}


def _material(form: Any) -> Any:
    def body(b: Any, ctx: GLContext, *args: Any) -> None:
        b.call(vbo_material, ctx, args[0], args[1], form(b, *args), b.gl_slot)

    return body


# outside of glBegin and glEnd they are main's (light_kernels.py)
for _suffix, _value in MATERIALS.items():
    native_as("glMaterial" + _suffix, _material(_value), "be_")


# -- rectangles ------------------------------------------------------------------------------------


@kernel(void, (CTX, f32, f32, f32, f32), noinline=True)
def vbo_rect(b: Builder, ctx: GLContext, x1: Value, y1: Value, x2: Value, y2: Value) -> None:
    """glRect outside of glBegin and glEnd."""
    b.call(vbo_begin, ctx, QUADS)
    for x, y in ((x1, y1), (x2, y1), (x2, y2), (x1, y2)):
        b.call(vbo_vertex, ctx, b.vector([x, y, 0.0, 1.0]))
    b.call(vbo_end, ctx)


def rect_corners(b: Builder, args: tuple[Any, ...]) -> list[Any]:
    """x1, y1, x2, y2 as floats from four numbers or two pointers."""
    numbers = [args[0][0], args[0][1], args[1][0], args[1][1]] if len(args) == 2 else list(args)
    return [b.cast(n, f32) for n in numbers]


RECTS = tuple(f"glRect{t}{v}" for t in "sifd" for v in ("", "v"))


def _rect(b: Builder, ctx: GLContext, *args: Any) -> None:
    b.call(vbo_rect, ctx, *rect_corners(b, args))


for _name in RECTS:
    native_as(_name, _rect)

__all__ = [
    "MATERIALS",
    "RECTS",
    "material_kernel",
    "rect_corners",
    "vbo_generic",
    "vbo_material",
    "vbo_rect",
    "vbo_set_material",
]
