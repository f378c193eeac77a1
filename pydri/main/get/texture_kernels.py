# SPDX-License-Identifier: MIT
"""Native glGetTexParameter, glGetTexLevelParameter, glGetTexEnv and glGetTexGen, of what programs
ask for in each frame; the rest, and errors, are the Python forms' (parameter_entries.py,
image_entries.py, entries.py), which say what is right.

In: the tables of parameters.py, tables.py and image_tables.py. Out: values of the active unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.gl_table import TABLE
from pydri.jit import f32, f64, fn, i32, ptr, u8, u32, void
from pydri.main.kernels import (
    CTX,
    clamp01,
    follow_targets,
    is_null,
    native_as,
    place,
    python_form,
    unclamped,
)
from pydri.main.rows import row_finder
from pydri.main.textures.image_tables import TARGETS as IMAGE_TARGETS
from pydri.main.textures.kernels import environment_row
from pydri.main.textures.layout import MAX_TEXTURE_LEVELS, MAX_TEXTURE_TARGETS, MAX_TEXTURE_UNITS
from pydri.main.textures.object_kernels import image_target_index
from pydri.main.textures.parameter_kernels import parameter_row
from pydri.main.textures.parameters import BOX, COLOR, ENUMS, FLOAT, PARAMETERS
from pydri.main.textures.tables import BIND_TARGETS, COORDS, ENV

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

_THREE = fn(void, CTX, u32, u32, ptr(u8))
_FOUR = fn(void, CTX, u32, i32, u32, ptr(u8))
_SIZES = {
    gl.GL_TEXTURE_WIDTH: "width", gl.GL_TEXTURE_HEIGHT: "height", gl.GL_TEXTURE_DEPTH: "depth",
}  # fmt: skip
_SINGLE = [row for row in IMAGE_TARGETS if not row.whole]
_single = row_finder("single_image_target", _SINGLE)


def as_int(b: Builder, x: Any, kind: str) -> Value:
    """A float as an integer: fractions map [-1, 1] onto the integers, others round; what is too
    large is the largest, and not a number is 0.
    """
    wide = b.cast(b.select(x == x, x, 0.0), f64)
    if kind == "n":
        return b.cast(b.max(b.min(wide, 1.0), -1.0) * 2147483647.0, i32)
    return b.cast(b.round_even(b.max(b.min(wide, 2147483647.0), -2147483648.0)), i32)


def _give(b: Builder, out: Any, n: int, value: Any, kind: str) -> None:
    """Store a value in the form of `out`. Kinds: i an integer, f a float, n a fraction."""
    if value.ty is f32 and out.ty.to is i32:
        out[n] = as_int(b, value, kind)
    else:
        out[n] = b.cast(value, out.ty.to)




def _in_python(b: Builder, ctx: GLContext, name: str, kind: Any, *args: Any) -> None:
    *head, out = args
    python_form(b, ctx, TABLE.slots[name], kind, *head, out.cast(ptr(u8)))


def _tex_parameter(name: str) -> None:
    def body(b: Builder, ctx: Any, target: Value, pname: Operand, out: Pointer) -> None:
        index = b.call(image_target_index, ctx, target)
        with b.If((index >= 0) & ~is_null(out), likely=True):
            unit = ctx.raw.active_texture
            texture = ctx.textures.bound[unit * MAX_TEXTURE_TARGETS + b.cast(index, u32)]
            with b.Switch(b.call(parameter_row, ctx, pname)) as s:
                for n, row in enumerate(PARAMETERS):
                    with s.Case(n):
                        _parameter(b, ctx, texture.params, row, out)
                        b.Return()
        _in_python(b, ctx, name, _THREE, target, pname, out)

    body.__module__ = __name__
    native_as(name, body)


def _parameter(b: Builder, ctx: GLContext, params: Any, row: Any, out: Any) -> None:
    words = params.addr(row.field)
    if row.kind == COLOR:
        follow_targets(b, ctx)  # borders are told as fragments are (ARB_color_buffer_float)
        for n in range(4):
            value = (words.cast(ptr(f32)) + n).load()
            _give(b, out, n, b.select(unclamped(ctx), value, clamp01(b, value)), "n")
    elif row.kind in (BOX, ENUMS):
        for n in range(4):
            _give(b, out, n, (words.cast(ptr(i32)) + n).load(), "i")
    elif row.kind == FLOAT:
        value = (words.cast(ptr(f32)) + row.place).load()
        _give(b, out, 0, value, "n" if row.fraction else "f")
    else:
        _give(b, out, 0, (words.cast(ptr(i32)) + row.place).load(), "i")


def _level_parameter(name: str) -> None:
    def body(b: Builder, ctx: Any, target: Operand, level: Operand, pname: Any,
             out: Pointer) -> None:  # fmt: skip
        row = b.call(_single, ctx, target)
        at = b.cast(level, u32)
        with b.If((row >= 0) & ~is_null(out) & (at < MAX_TEXTURE_LEVELS), likely=True):
            indices = b.table(u8, [BIND_TARGETS.index(each.object) for each in _SINGLE])
            faces = b.table(u8, [each.face for each in _SINGLE])
            proxies = b.table(u8, [each.proxy for each in _SINGLE])
            place_ = ctx.raw.active_texture * MAX_TEXTURE_TARGETS + b.cast(indices[row], u32)
            bound, proxy = ctx.textures.bound[place_].images, b.cast(proxies[row], u32)
            bound = bound + (b.cast(faces[row], u32) * MAX_TEXTURE_LEVELS + at)
            asked = ctx.images.proxies + (b.max(proxy, 1) - 1) * MAX_TEXTURE_LEVELS + at
            image = b.select(proxy != 0, asked, bound)
            # level 0 there always is, if not an image
            with b.If((image.internal_format != 0) | (at == 0)), b.Switch(pname) as s:
                for enum, field in _SIZES.items():
                    with s.Case(enum):
                        _give(b, out, 0, b.cast(getattr(image, field), i32), "i")
                        b.Return()
        _in_python(b, ctx, name, _FOUR, target, level, pname, out)

    body.__module__ = __name__
    native_as(name, body)


def _environment(name: str) -> None:
    def body(b: Builder, ctx: Any, target: Value, pname: Any, out: Pointer) -> None:
        unit = ctx.raw.active_texture
        with b.If((unit < MAX_TEXTURE_UNITS) & ~is_null(out), likely=True):
            env = ctx.raw.texenv + unit
            with b.Switch(b.call(environment_row, ctx, pname)) as s:
                with s.Case(len(ENV)), b.If(target == gl.GL_TEXTURE_ENV):
                    follow_targets(b, ctx)
                    color = place(b, ctx, "val.frag.tex_env_color") + b.cast(unit * 4, i32)
                    for k in range(4):
                        _give(b, out, k, color[k], "n")
                    b.Return()
                for n, row in enumerate(ENV):
                    with s.Case(n), b.If(target == row.target):
                        at = env.addr(row.field).cast(ptr(f32 if row.is_float else i32))
                        _give(b, out, 0, (at + row.place).load(), "f")
                        b.Return()
        _in_python(b, ctx, name, _THREE, target, pname, out)

    body.__module__ = __name__
    native_as(name, body)


def _generation(name: str) -> None:
    def body(b: Builder, ctx: GLContext, coord: Any, pname: Any, out: Pointer) -> None:
        n, unit = coord - COORDS[0], ctx.raw.active_texture
        good = (n < len(COORDS)) & (unit < MAX_TEXTURE_UNITS) & ~is_null(out)
        with b.If(good, likely=True):
            with b.If(pname == gl.GL_TEXTURE_GEN_MODE):
                _give(b, out, 0, b.cast(ctx.raw.texgen_mode[unit * 4 + n], i32), "i")
                b.Return()
            eye = pname == gl.GL_EYE_PLANE
            with b.If(eye | (pname == gl.GL_OBJECT_PLANE)):
                which = unit * 2 + b.select(eye, b.const(u32, 1), 0)
                plane = place(b, ctx, "val.texgen") + b.cast(which * 16 + n * 4, i32)
                for k in range(4):
                    _give(b, out, k, plane[k], "f")
                b.Return()
        _in_python(b, ctx, name, _THREE, coord, pname, out)

    body.__module__ = __name__
    native_as(name, body)


for _form in ("fv", "iv"):
    _tex_parameter("glGetTexParameter" + _form)
    _level_parameter("glGetTexLevelParameter" + _form)
    _environment("glGetTexEnv" + _form)
    _generation("glGetTexGen" + _form)
_generation("glGetTexGendv")

