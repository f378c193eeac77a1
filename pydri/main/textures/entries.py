# SPDX-License-Identifier: MIT
"""glGetTexEnv*, glGetTexGen*: the tables of textures/tables.py asked.

In: enums. Out: values of the active texture unit. Mesa: main/texenv.c, main/texgen.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.pointers import F32, F64, I32, store, to_int
from pydri.main.textures.layout import MAX_TEXTURE_UNITS
from pydri.main.textures.tables import COORDS, ENV

if TYPE_CHECKING:
    from pydri.main.context import GLContext

_ENV = {(row.target, row.pname): row for row in ENV}


def _tex_env(ctx: GLContext, target: int, pname: int) -> tuple[str, list[Any]]:
    n = ctx.n
    unit = n.raw.active_texture
    if unit >= MAX_TEXTURE_UNITS:
        if target == gl.GL_POINT_SPRITE:
            raise GLError(gl.GL_INVALID_OPERATION, "the unit has no coordinates")
        if target == gl.GL_TEXTURE_ENV:
            return "i", []
    if (target, pname) == (gl.GL_TEXTURE_ENV, gl.GL_TEXTURE_ENV_COLOR):
        return "n", list(n.val.frag.tex_env_color[unit])
    row = ctx.row(_ENV, pname, (target, pname))
    if row is None:
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}, {gl.name_of(pname)}")
    value = getattr(n.raw.texenv[unit], row.field)
    return "f" if row.is_float else "i", [value[row.place] if hasattr(value, "__len__") else value]


@entry(flush=False)
def glGetTexEnvfv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    store(params, F32, [float(v) for v in _tex_env(ctx, target, pname)[1]])


@entry(flush=False)
def glGetTexEnviv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    kind, found = _tex_env(ctx, target, pname)
    store(params, I32, [to_int(kind, v) for v in found])


def _tex_gen(ctx: GLContext, coord: int, pname: int) -> list[Any]:
    n = coord - COORDS[0]
    unit = ctx.n.raw.active_texture
    if unit >= MAX_TEXTURE_UNITS:
        raise GLError(gl.GL_INVALID_OPERATION, "the unit has no coordinates")
    if not 0 <= n < len(COORDS):
        raise GLError(gl.GL_INVALID_ENUM, f"coord={gl.name_of(coord)}")
    if pname == gl.GL_TEXTURE_GEN_MODE:
        return [ctx.n.raw.texgen_mode[4 * unit + n]]
    if pname not in (gl.GL_OBJECT_PLANE, gl.GL_EYE_PLANE):
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    planes = ctx.n.val.texgen[2 * unit + (pname == gl.GL_EYE_PLANE)]
    return list(planes[4 * n : 4 * n + 4])


@entry(flush=False)
def glGetTexGenfv(ctx: GLContext, coord: int, pname: int, params: Any) -> None:
    store(params, F32, [float(v) for v in _tex_gen(ctx, coord, pname)])


def _generated(coord: int) -> int:
    """Of the coordinates that OpenGL ES 1 sets at once the first."""
    if coord != gl.GL_TEXTURE_GEN_STR_OES:
        raise GLError(gl.GL_INVALID_ENUM, f"coord={gl.name_of(coord)}")
    return COORDS[0]


@entry(flush=False)
def glGetTexGenfvOES(ctx: GLContext, coord: int, pname: int, params: Any) -> None:
    if pname != gl.GL_TEXTURE_GEN_MODE:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(params, F32, [float(v) for v in _tex_gen(ctx, _generated(coord), pname)])


@entry(flush=False)
def glGetTexGenivOES(ctx: GLContext, coord: int, pname: int, params: Any) -> None:
    if pname != gl.GL_TEXTURE_GEN_MODE:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(params, I32, [to_int("f", v) for v in _tex_gen(ctx, _generated(coord), pname)])


@entry(flush=False)
def glGetTexGendv(ctx: GLContext, coord: int, pname: int, params: Any) -> None:
    store(params, F64, [float(v) for v in _tex_gen(ctx, coord, pname)])


@entry(flush=False)
def glGetTexGeniv(ctx: GLContext, coord: int, pname: int, params: Any) -> None:
    store(params, I32, [to_int("f", v) for v in _tex_gen(ctx, coord, pname)])
