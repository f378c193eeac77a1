# SPDX-License-Identifier: MIT
"""glGetTexParameter*: the table of textures/parameters.py asked.

In: enums. Out: values of the texture that is bound to a target of the active unit. Mesa:
main/texparam.c.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main.pointers import F32, I32, U32, store, to_int
from pydri.main.textures.layout import MAX_TARGETS, TextureObject
from pydri.main.textures.parameters import COLOR, ENUMS, FLOAT, PARAMETERS
from pydri.main.textures.tables import BIND_TARGETS

if TYPE_CHECKING:
    from pydri.main.context import GLContext

_ROWS = {row.pname: row for row in PARAMETERS}
_CORE = {row.pname for row in PARAMETERS if row.core}
#: Parameters that cannot be set.
_FIXED: dict[int, str] = {
    gl.GL_TEXTURE_IMMUTABLE_FORMAT: "immutable",
    gl.GL_TEXTURE_IMMUTABLE_LEVELS: "immutable_levels",
}


def texture_at(ctx: GLContext, target: int) -> Any:
    """A view of the texture that is bound to a target of the active unit."""
    if target not in BIND_TARGETS:
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    n = ctx.n
    place = n.raw.active_texture * MAX_TARGETS + BIND_TARGETS.index(target)
    return TextureObject.view(n.textures.bound[place])


def _values(ctx: GLContext, target: int, pname: int) -> tuple[str, list[Any]]:
    """Kind ("w": words that may be floats; otherwise as in get/tables.py) and values."""
    texture = texture_at(ctx, target)
    if pname == gl.GL_TEXTURE_RESIDENT and not ctx.core_profile:
        return "i", [1]
    if pname in _FIXED:
        return "i", [getattr(texture, _FIXED[pname])]
    row = _ROWS.get(pname)
    if row is None or (ctx.core_profile and pname not in _CORE):
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    value = getattr(texture.params, row.field)
    if row.kind == COLOR:
        return "w", list(value)
    if row.kind == ENUMS:
        return "i", list(value)
    found = value[row.place] if hasattr(value, "__len__") else value
    return ("n" if row.fraction else "f") if row.kind == FLOAT else "i", [found]


def _floats(words: list[int]) -> list[float]:
    return list((ctypes.c_float * len(words)).from_buffer_copy((U32 * len(words))(*words)))


@entry(flush=False)
def glGetTexParameterfv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    """Parameters as floats."""
    kind, values = _values(ctx, target, pname)
    store(params, F32, _floats(values) if kind == "w" else [float(v) for v in values])


@entry(flush=False)
def glGetTexParameteriv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    """Parameters as integers; colours are fractions."""
    kind, values = _values(ctx, target, pname)
    if kind == "w":
        kind, values = "n", _floats(values)
    store(params, I32, [to_int(kind, v) for v in values])


def _pure(ctx: GLContext, target: int, pname: int, params: Any, ctype: Any) -> None:
    kind, values = _values(ctx, target, pname)
    words = values if kind == "w" else [to_int(kind, v) & 0xFFFFFFFF for v in values]
    store(params, ctype, [ctype(word).value for word in words])


@entry(flush=False)
def glGetTexParameterIiv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    """Parameters as integers, colours as they were set."""
    _pure(ctx, target, pname, params, I32)


@entry(flush=False)
def glGetTexParameterIuiv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    """The same without signs."""
    _pure(ctx, target, pname, params, U32)
