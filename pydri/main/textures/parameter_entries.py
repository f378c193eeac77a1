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
from pydri.main.names.objects import object_by_name
from pydri.main.names.tables import SAMPLERS
from pydri.main.pointers import F32, I32, U32, store, to_int
from pydri.main.state.layout import FRAGMENT_FREE
from pydri.main.textures.layout import MAX_TEXTURE_TARGETS, TextureObject
from pydri.main.textures.parameters import BOX, COLOR, ENUMS, FLOAT, PARAMETERS, Parameter
from pydri.main.textures.tables import IMAGE_TARGETS

if TYPE_CHECKING:
    from pydri.main.context import GLContext

_TARGETS = {target: n for n, target in enumerate(IMAGE_TARGETS)}
_ROWS = {row.pname: row for row in PARAMETERS}
#: Parameters that cannot be set.
_FIXED: dict[int, str] = {
    gl.GL_TEXTURE_RESIDENT: "",  # they all are
    gl.GL_TEXTURE_IMMUTABLE_FORMAT: "immutable",
    gl.GL_TEXTURE_IMMUTABLE_LEVELS: "told_levels",
    gl.GL_TEXTURE_VIEW_MIN_LEVEL: "min_level",
    gl.GL_TEXTURE_VIEW_NUM_LEVELS: "num_levels",
    gl.GL_TEXTURE_VIEW_MIN_LAYER: "min_layer",
    gl.GL_TEXTURE_VIEW_NUM_LAYERS: "num_layers",
}


def texture_at(ctx: GLContext, target: int) -> Any:
    """A view of the texture that is bound to a target of the active unit."""
    if ctx.row(_TARGETS, target) is None:
        raise GLError(gl.GL_INVALID_ENUM, f"target={gl.name_of(target)}")
    n = ctx.n
    place = n.raw.active_texture * MAX_TEXTURE_TARGETS + _TARGETS[target]
    return TextureObject.view(n.textures.bound[place])


Values = tuple[str, list[Any]]


def _values(ctx: GLContext, target: int, pname: int) -> Values:
    """Kind ("w": words that may be floats; otherwise as in get/tables.py) and values."""
    texture = texture_at(ctx, target)
    field = ctx.row(_FIXED, pname)
    if field is not None:
        return "i", [getattr(texture, field) if field else 1]
    row = ctx.row(_ROWS, pname)
    if row is None:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    return _of_row(texture.params, row)


def _sampler_values(ctx: GLContext, sampler: int, pname: int) -> Values:
    """The same of a sampler object."""
    row = ctx.row(_ROWS, pname)
    with object_by_name(ctx, SAMPLERS, sampler) as thing:
        if thing is None:
            raise GLError(gl.GL_INVALID_OPERATION, f"sampler={sampler}")
        if row is None or not row.sampler:
            raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
        return _of_row(thing.params, row)


def _of_row(params: Any, row: Parameter) -> Values:
    value = getattr(params, row.field)
    if row.kind == COLOR:
        return "w", list(value)
    if row.kind in (BOX, ENUMS):
        return "i", list(value)
    one = value[row.place] if hasattr(value, "__len__") else value
    return ("n" if row.fraction else "f") if row.kind == FLOAT else "i", [one]


def _floats(words: list[int]) -> list[float]:
    return list((ctypes.c_float * len(words)).from_buffer_copy((U32 * len(words))(*words)))


def _clamped(ctx: GLContext, values: Values) -> Values:
    """Borders are told as fragments are (ARB_color_buffer_float)."""
    kind, found = values
    if kind != "w" or ctx.n.key.clamping & FRAGMENT_FREE:
        return values
    return "n", [min(max(v, 0.0), 1.0) for v in _floats(found)]


def _store_floats(values: Values, params: Any) -> None:
    kind, found = values
    store(params, F32, _floats(found) if kind == "w" else [float(v) for v in found])


def _store_integers(values: Values, params: Any) -> None:
    """Colours are fractions."""
    kind, found = values
    if kind == "w":
        kind, found = "n", _floats(found)
    store(params, I32, [to_int(kind, v) for v in found])


def _store_pure(values: Values, params: Any, ctype: Any) -> None:
    """Colours as they were set."""
    kind, found = values
    words = found if kind == "w" else [to_int(kind, v) & 0xFFFFFFFF for v in found]
    store(params, ctype, [ctype(word).value for word in words])


@entry(flush=False)
def glGetTexParameterfv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    """Parameters as floats."""
    _store_floats(_clamped(ctx, _values(ctx, target, pname)), params)


@entry(flush=False)
def glGetTexParameteriv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    """Parameters as integers."""
    _store_integers(_clamped(ctx, _values(ctx, target, pname)), params)


@entry(flush=False)
def glGetTexParameterIiv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    """Parameters as integers, colours as they were set."""
    _store_pure(_values(ctx, target, pname), params, I32)


@entry(flush=False)
def glGetTexParameterIuiv(ctx: GLContext, target: int, pname: int, params: Any) -> None:
    """The same without signs."""
    _store_pure(_values(ctx, target, pname), params, U32)


@entry(flush=False)
def glGetSamplerParameterfv(ctx: GLContext, sampler: int, pname: int, params: Any) -> None:
    """Parameters of a sampler object as floats."""
    _store_floats(_sampler_values(ctx, sampler, pname), params)


@entry(flush=False)
def glGetSamplerParameteriv(ctx: GLContext, sampler: int, pname: int, params: Any) -> None:
    """Parameters of a sampler object as integers."""
    _store_integers(_sampler_values(ctx, sampler, pname), params)


@entry(flush=False)
def glGetSamplerParameterIiv(ctx: GLContext, sampler: int, pname: int, params: Any) -> None:
    """Parameters of a sampler object as integers, colours as they were set."""
    _store_pure(_sampler_values(ctx, sampler, pname), params, I32)


@entry(flush=False)
def glGetSamplerParameterIuiv(ctx: GLContext, sampler: int, pname: int, params: Any) -> None:
    """The same without signs."""
    _store_pure(_sampler_values(ctx, sampler, pname), params, U32)
