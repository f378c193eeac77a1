# SPDX-License-Identifier: MIT
"""Native glActiveTexture, glTexEnv* and glTexGen*: state of the active texture unit, from the
tables of textures/tables.py.

All forms become floats and meet in one kernel a subject, which checks, compares, flushes and writes
(GL 2.1, 3.8.13 and 2.11.4). An eye plane is taken through the inverse of the modelview of now.
Mesa: main/texenv.c, main/texgen.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import f32, i32, kernel, u32, u64, void
from pydri.main import layout as la
from pydri.main.kernels import (
    CTX,
    F4,
    FLOATS,
    enum_of_float,
    error_if,
    fail,
    four_forms,
    gl_record_error,
    native,
    native_as,
    place,
    set_clamped,
    set_vector,
    update,
    where,
)
from pydri.main.matrix.kernels import plane_to_eye, select_stack
from pydri.main.matrix.tables import TEXTURE
from pydri.main.rows import row_finder, valid
from pydri.main.textures.layout import MAX_IMAGE_UNITS, MAX_TEXTURE_UNITS
from pydri.main.textures.tables import COORDS, ENV, ENV_TARGETS, GENERATION, EnvRow

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

#: the place of a parameter in ENV; behind them the colour, which is no row of it
environment_row = row_finder("environment_row", (*ENV, gl.GL_TEXTURE_ENV_COLOR), inline=True)


@kernel(void, (CTX, u32, u32, FLOATS, u32), noinline=True)
def tex_env_fv(b: Builder, ctx: Any, target: Value, pname: Value, p: Pointer, slot: Value) -> None:
    """glTexEnvfv."""
    unit = ctx.raw.active_texture
    env = ctx.raw.texenv + unit
    beyond = unit >= MAX_TEXTURE_UNITS
    fail(b, ctx, beyond & (target == gl.GL_POINT_SPRITE), gl.GL_INVALID_OPERATION, slot)
    with b.If(beyond & (target == gl.GL_TEXTURE_ENV)):
        b.Return()  # as the peer: a unit without coordinates has no environment
    fail(b, ctx, ~valid(b, ctx, target, ENV_TARGETS, "glTexEnvfv"), gl.GL_INVALID_ENUM, slot)
    value, number = p[0], enum_of_float(b, p[0])
    with b.Switch(b.call(environment_row, ctx, pname)) as s:
        with s.Case(len(ENV)):
            fail(b, ctx, target != gl.GL_TEXTURE_ENV, gl.GL_INVALID_ENUM, slot)
            given, used = (
                place(b, ctx, path) + b.cast(unit * 4, i32)
                for path in ("raw.given_env_color", "val.frag.tex_env_color")
            )
            set_clamped(b, ctx, given, used, p.load(F4), la.DIRTY_TEXTURE)
        for n, row in enumerate(ENV):
            with s.Case(n):
                fail(b, ctx, target != row.target, gl.GL_INVALID_ENUM, slot)
                if row.values:
                    good = valid(b, ctx, number, row.allowed, "glTexEnvfv")
                    fail(b, ctx, ~good, gl.GL_INVALID_ENUM, slot)
                if row.numbers:
                    good = None
                    for allowed in row.numbers:
                        test = value == allowed
                        good = test if good is None else good | test
                    fail(b, ctx, ~good, gl.GL_INVALID_VALUE, slot)  # type: ignore[operator]
                field = env.addr(row.field)
                at = field if row.field not in _LISTS else getattr(env, row.field) + row.place
                what = value if row.is_float else number
                writes = [(at, what)]
                if row.width:
                    writes.append((env.addr("packed"), _packed(b, env, row, value, number)))
                update(b, ctx, writes, la.DIRTY_TEXTURE)
        with s.Default():
            b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, slot)


_LISTS = frozenset(row.field for row in ENV if row.place)


def _packed(b: Builder, env: Any, row: EnvRow, value: Any, number: Any) -> Any:
    """`env.packed` with the place of a row's new value in it."""
    code = b.const(u64, 0)
    for place_, allowed in enumerate(row.values or row.numbers):
        same = number == allowed if row.values else value == allowed
        code = b.select(same, b.const(u64, place_ << row.bit), code)
    mask = ((1 << row.width) - 1) << row.bit
    return (env.packed & b.const(u64, ~mask & (1 << 64) - 1)) | code
four_forms("glTexEnv", tex_env_fv, 1, {gl.GL_TEXTURE_ENV_COLOR: (4, True)})


_GENERATORS = "glTexGenfv glTexGenfvOES"


@kernel(void, (CTX, u32, u32, FLOATS, u32), noinline=True)
def tex_gen_fv(b: Builder, ctx: GLContext, coord: Value, pname: Value, p: Pointer,
               slot: Value) -> None:  # fmt: skip
    """glTexGenfv."""
    n = coord - COORDS[0]
    unit = ctx.raw.active_texture
    fail(b, ctx, unit >= MAX_TEXTURE_UNITS, gl.GL_INVALID_OPERATION, slot)
    fail(b, ctx, n >= len(COORDS), gl.GL_INVALID_ENUM, slot)
    planes = place(b, ctx, "val.texgen") + b.cast(unit * 32 + n * 4, i32)
    with b.Switch(pname) as s:
        with s.Case(gl.GL_TEXTURE_GEN_MODE):
            mode = enum_of_float(b, p[0])
            good = None
            for k, modes in enumerate(GENERATION):
                test = (n == k) & valid(b, ctx, mode, modes, _GENERATORS)
                good = test if good is None else good | test
            fail(b, ctx, ~good, gl.GL_INVALID_ENUM, slot)  # type: ignore[operator]
            at = ctx.raw.texgen_mode + b.cast(unit * 4 + n, i32)
            update(b, ctx, [(at, mode)], la.DIRTY_TEXTURE)
        with s.Case(gl.GL_OBJECT_PLANE):
            set_vector(b, ctx, planes, p.load(F4), la.DIRTY_TEXTURE)
        with s.Case(gl.GL_EYE_PLANE):
            eye = plane_to_eye(b, ctx, [p[k] for k in range(4)])
            set_vector(b, ctx, planes + 16, eye, la.DIRTY_TEXTURE)
        with s.Default():
            b.call(gl_record_error, ctx, gl.GL_INVALID_ENUM, slot)


_PLANES = {gl.GL_OBJECT_PLANE: (4, False), gl.GL_EYE_PLANE: (4, False)}
four_forms("glTexGen", tex_gen_fv, 1, _PLANES)


def _double(b: Builder, ctx: GLContext, coord: Operand, pname: Value, param: Value) -> None:
    local = b.array(f32, 4)
    local.store(b.const(F4, 0.0))
    local[0] = b.cast(param, f32)
    b.call(tex_gen_fv, ctx, coord, pname, local, where(b))


def _doubles(b: Builder, ctx: GLContext, coord: Operand, pname: Value, params: Pointer) -> None:
    local = b.array(f32, 4)
    with b.If(pname == gl.GL_TEXTURE_GEN_MODE):
        local[0] = b.cast(params[0], f32)
    with b.Else():
        for n in range(4):
            local[n] = b.cast(params[n], f32)
    b.call(tex_gen_fv, ctx, coord, pname, local, where(b))


native_as("glTexGend", _double)
native_as("glTexGendv", _doubles)


@native
def glActiveTexture(b: Builder, ctx: GLContext, texture: Value) -> None:
    unit = texture - gl.GL_TEXTURE0
    error_if(b, ctx, unit >= MAX_IMAGE_UNITS, gl.GL_INVALID_ENUM)
    ctx.raw.active_texture = unit
    with b.If(ctx.matrix.mode == TEXTURE.mode):
        b.call(select_stack, ctx)
