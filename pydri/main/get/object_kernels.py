# SPDX-License-Identifier: MIT
"""Native glGetLight, glGetMaterial, glGetPointerv (rows of get/entries.py), glGetClipPlane, and
glLockArraysEXT with its end.

Arrays that are locked are read when they are drawn, as all others: the lock is a promise that a
program makes, and nothing here needs it (EXT_compiled_vertex_array). Mesa: main/light.c,
main/varray.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.gl_table import TABLE
from pydri.jit import f32, f64, fn, i32, ptr, u8, u32, void
from pydri.jit.types import StructMeta
from pydri.main.get.tables import POINTERS
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    is_null,
    native,
    native_as,
    place,
    python_form,
    record_error,
)
from pydri.main.light.kernels import sync_color_material
from pydri.main.light.layout import MAX_LIGHTS, Light, Material
from pydri.main.light.tables import LIGHT, MATERIAL
from pydri.main.matrix.layout import MAX_CLIP_PLANES
from pydri.main.rows import enum_check, row_finder
from pydri.nir.enums import VERT_ATTRIB_TEX0

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext


def _as_int(b: Builder, x: Value, kind: str) -> Value:
    """A float as glGet*iv gives it: fractions map [-1, 1] onto the integers, others round."""
    wide = b.cast(x, f64)
    if kind == "n":
        return b.cast(b.max(b.min(wide, 1.0), -1.0) * 2147483647.0, i32)
    return b.cast(b.round_even(wide), i32)


def _copy(b: Builder, ctx: GLContext, base: Any, struct: StructMeta, rows: Any, pname: Any,
          out: Pointer) -> None:  # fmt: skip
    """Store the floats of the row that `pname` names, in the form of `out`; GL_INVALID_ENUM if
    there is none.
    """
    with b.Switch(pname) as s:
        for enum, (kind, name, count) in rows.items():
            with s.Case(enum):
                for n in range(count or 1):
                    at = struct.offset(name) + 4 * n
                    value = b.bytes_from(base, at, f32).load(f32)
                    out[n] = value if out.ty.to is f32 else _as_int(b, value, kind)
                b.Return()
    record_error(b, ctx, gl.GL_INVALID_ENUM)


def _get_light(b: Builder, ctx: GLContext, light: Value, pname: Any, params: Any) -> None:
    number = light - gl.GL_LIGHT0
    error_if(b, ctx, number >= MAX_LIGHTS, gl.GL_INVALID_ENUM)
    lights = place(b, ctx, "val.lights").cast(ptr(u8))
    base = b.bytes_from(lights, number * Light.size, u8)
    _copy(b, ctx, base, Light, LIGHT, pname, params)


def _get_material(b: Builder, ctx: GLContext, face: Value, pname: Any, params: Any) -> None:
    back = face == gl.GL_BACK
    error_if(b, ctx, ~back & (face != gl.GL_FRONT), gl.GL_INVALID_ENUM)
    enum_check(b, ctx, pname, tuple(MATERIAL))
    flush_vertices(b, ctx)
    b.call(sync_color_material, ctx)
    materials = place(b, ctx, "val.materials").cast(ptr(u8))
    base = b.bytes_from(materials, b.select(back, b.const(u32, Material.size), 0), u8)
    _copy(b, ctx, base, Material, MATERIAL, pname, params)


for _suffix in ("fv", "iv"):
    native_as("glGetLight" + _suffix, _get_light)
    native_as("glGetMaterial" + _suffix, _get_material)


@native
def glGetClipPlane(b: Builder, ctx: GLContext, plane: Value, equation: Pointer) -> None:
    number = plane - gl.GL_CLIP_PLANE0
    error_if(b, ctx, number >= MAX_CLIP_PLANES, gl.GL_INVALID_ENUM)
    planes = place(b, ctx, "val.clip_planes")
    with b.If(~is_null(equation)), b.For(b.const(u32, 0), 4, 1) as n:
        equation[n] = b.cast(planes[number * 4 + n], f64)


_pointer_row = row_finder("told_pointer", tuple(POINTERS))


@native
def glGetPointerv(b: Builder, ctx: Any, pname: Value, params: Pointer) -> None:
    out = params.cast(ptr(ptr(u8)))
    vao = ctx.arrays.vao
    with b.Switch(b.call(_pointer_row, ctx, pname)) as s:
        for row, slot in enumerate(POINTERS.values()):
            with s.Case(row):
                unit = ctx.arrays.client_active_texture if slot == VERT_ATTRIB_TEX0 else 0
                with b.If(~is_null(params)):
                    out.store((vao.attribs + (unit + slot)).pointer)
        with s.Default():
            slot = TABLE.slots["glGetPointerv"]
            python_form(b, ctx, slot, fn(void, CTX, u32, ptr(u8)), pname, params.cast(ptr(u8)))


@native
def glLockArraysEXT(b: Builder, ctx: GLContext, first: Value, count: Value) -> None:
    error_if(b, ctx, (first < 0) | (count <= 0), gl.GL_INVALID_VALUE)
    error_if(b, ctx, ctx.raw.lock_count != 0, gl.GL_INVALID_OPERATION)
    ctx.raw.lock_first = first
    ctx.raw.lock_count = count


@native
def glUnlockArraysEXT(b: Builder, ctx: GLContext) -> None:
    error_if(b, ctx, ctx.raw.lock_count == 0, gl.GL_INVALID_OPERATION)
    ctx.raw.lock_first = 0
    ctx.raw.lock_count = 0
