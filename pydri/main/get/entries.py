# SPDX-License-Identifier: MIT
"""The Python forms of glGet*: what get/kernels.py does not answer from the native context, and the
object-like queries.

In: enums and pointers. Out: values converted as GL 2.1, 6.1.2 says: floats round to integers,
fractions map [-1, 1] onto the range of integers, everything that is not zero is GL_TRUE. Tables:
get/tables.py, state/enable_tables.py. Mesa: main/get.c, main/light.c (glGetLight ...).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main import layout as la
from pydri.main.debug.entries import debug
from pydri.main.get.tables import BY_ENUM, OF_COORDINATES, Param
from pydri.main.matrix.tables import top_of
from pydri.main.pointers import F32, F64, FIXED_ONE, I32, I64, U8, bounded, store, to_int
from pydri.main.state.enable_tables import is_enabled
from pydri.main.textures.layout import MAX_TEXTURE_UNITS

if TYPE_CHECKING:
    from pydri.main.context import GLContext

FLOATS = "fnDdN"


def _walk(ctx: GLContext, param: Param) -> list[Any]:
    """The values of a row whose place is a path."""
    here: Any = ctx.n
    parts = param.place.split(".")
    if parts[0] == "vao":
        here, parts = ctx.vao, parts[1:]
    for part in parts:
        name, _, index = part.partition("[")
        here = getattr(here, name)
        if index:
            here = here[int(index.rstrip("]"))]
    unit = ctx.n.raw.active_texture
    if param.stack:
        return top_of(ctx.n, param.stack, unit if param.stack.per_unit else 0)
    if param.unit:
        # one element a unit: of the current attributes the units follow each other, other arrays
        # are indexed
        here = ctx.n.val.current[6 + unit] if "current[" in param.place else here[unit]
    if hasattr(here, "__len__"):
        return list(here[: param.size])
    if param.size > 1:  # enums in fields side by side
        place = ctx.address + la.GLContext.offset(param.place)
        return list((ctypes.c_uint16 * param.size).from_address(place))
    return [here]


def values(ctx: GLContext, pname: int) -> tuple[str, list[Any]]:
    """(kind, values) of a glGet parameter; GLError for what is none."""
    param = ctx.row(BY_ENUM, pname)
    if pname in OF_COORDINATES and ctx.n.raw.active_texture >= MAX_TEXTURE_UNITS:
        raise GLError(gl.GL_INVALID_OPERATION, "the unit has no coordinates")
    if param is None:
        on = is_enabled(ctx, pname)
        if on is None:
            raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
        return "b", [int(on)]
    place = param.place
    if isinstance(place, str):
        return param.kind, _walk(ctx, param)
    result = place(ctx) if callable(place) else place
    return param.kind, list(result) if isinstance(result, (list, tuple)) else [result]


@entry
def glGetBooleanv(ctx: GLContext, pname: int, data: Any) -> None:
    store(data, U8, [int(v != 0) for v in values(ctx, pname)[1]])


@entry
def glGetIntegerv(ctx: GLContext, pname: int, data: Any) -> None:
    kind, found = values(ctx, pname)
    store(data, I32, [to_int(kind, v) for v in found])


@entry
def glGetInteger64v(ctx: GLContext, pname: int, data: Any) -> None:
    kind, found = values(ctx, pname)
    store(data, I64, [to_int(kind, v, 64) for v in found])


@entry
def glGetFloatv(ctx: GLContext, pname: int, data: Any) -> None:
    store(data, F32, [float(v) for v in values(ctx, pname)[1]])


@entry
def glGetFixedv(ctx: GLContext, pname: int, data: Any) -> None:
    """Numbers of OpenGL ES 1: what is too large is the largest."""
    found = [bounded(v * FIXED_ONE) for v in values(ctx, pname)[1]]
    store(data, I32, [int(v) for v in found])


@entry
def glGetDoublev(ctx: GLContext, pname: int, data: Any) -> None:
    store(data, F64, [float(v) for v in values(ctx, pname)[1]])


# -- lights and materials -------------------------------------------------------------------------


_POINTERS: dict[int, Callable[[GLContext], int]] = {
    gl.GL_DEBUG_CALLBACK_FUNCTION: lambda ctx: debug(ctx).callback,
    gl.GL_DEBUG_CALLBACK_USER_PARAM: lambda ctx: debug(ctx).user,
    gl.GL_SELECTION_BUFFER_POINTER: lambda ctx: int(ctx.n.select.buffer),
    gl.GL_FEEDBACK_BUFFER_POINTER: lambda ctx: int(ctx.n.feedback.buffer),
}


@entry
def glGetPointerv(ctx: GLContext, pname: int, params: Any) -> None:
    """Pointers of selection, feedback and debug; get/object_kernels.py answers for arrays."""
    pointer = ctx.row(_POINTERS, pname)
    if pointer is None:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    store(params, I64, [pointer(ctx)])
