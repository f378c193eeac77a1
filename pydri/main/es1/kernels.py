# SPDX-License-Identifier: MIT
"""Native commands of fixed-point numbers and of single precision, made of the table (tables.py):
each converts its numbers and runs the command of OpenGL, whose errors are its own.

Exactly as many numbers are read of the program as a parameter has, and as many are written as the
command answers. And what OpenGL ES 1 sets of texture coordinates at once (OES_texture_cube_map),
and a matrix as fractions and exponents (OES_query_matrix). Mesa: main/es1_conversion.c,
main/querymatrix.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.gl_table import TABLE
from pydri.jit import f32, f64, i32, u32, u64
from pydri.jit.types import Ptr
from pydri.main.direct.kernels import run
from pydri.main.es1.tables import COMMANDS, SINGLE, VECTORS, WHOLE, Command
from pydri.main.kernels import (
    error_if,
    flush_vertices,
    native,
    native_as,
    one_of,
    to_fixed,
    type_of,
)
from pydri.main.pointers import FIXED_ONE
from pydri.main.textures.tables import COORDS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

#: bits of a number that no command answers: by it is known what was written
_UNTOUCHED: dict[Any, tuple[Any, int]] = {f32: (u32, 0x7FC5EED5), f64: (u64, 0x7FF85EED5EED5EED)}
_LONGEST = 16  # numbers of a matrix


def _converted(b: Builder, value: Value, whole: Any, ty: Any) -> Any:
    """A number of the program's as the command of OpenGL takes it. `whole`: whether it is none of
    fixed point, or None."""
    if value.ty is not i32:
        return b.cast(value, ty)
    exact = b.cast(value, f64)  # that has room for all of it
    scaled = exact * (1 / FIXED_ONE)
    return b.cast(scaled if whole is None else b.select(whole, exact, scaled), ty)


def _answered(b: Builder, value: Any, whole: Any, ty: Any) -> Any:
    """A number of OpenGL's as the program gets it."""
    if ty is not i32:
        return b.cast(value, ty)
    exact = b.cast(value, f64)
    fixed = to_fixed(b, exact)
    return fixed if whole is None else b.select(whole, b.cast(exact, i32), fixed)


def _length(code: str) -> int:
    """How many numbers a pointer's code says ("*i16"); 0: the parameter decides."""
    digits = code.lstrip("*abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits else 0


def _count(b: Builder, pname: Any) -> Any:
    """How many numbers a parameter has."""
    count = b.var(u32, 1)
    for n in sorted(set(VECTORS.values())):
        with b.If(one_of(b, pname, [each for each, size in VECTORS.items() if size == n])):
            count.value = b.const(u32, n)
    return count.value


def _read(b: Builder, given: Pointer, local: Pointer, count: Any, whole: Any) -> None:
    with b.For(b.const(u32, 0), count, 1) as n:
        local[n] = _converted(b, given[n], whole, local.ty.to)


def _answer(b: Builder, local: Pointer, out: Any, whole: Any) -> None:
    """What was written of four numbers."""
    word, untouched = _UNTOUCHED[local.ty.to]
    words: Any = local.cast(Ptr(word))
    with b.For(b.const(u32, 0), 4, 1) as n, b.If(words[n] != untouched):
        out[n] = _answered(b, local[n], whole, out.ty.to)


def _command(row: Command) -> None:
    params = TABLE.row(row.entry).params
    base = [type_of(code) for _, code in TABLE.row(row.base).params]
    place = next((n for n, (name, _) in enumerate(params) if name == "pname"), -1)

    def body(b: Builder, ctx: GLContext, *given: Any) -> None:
        pname: Any = given[place] if place >= 0 else None
        whole = one_of(b, pname, WHOLE) if pname is not None and row.fixed else None
        if row.entry in SINGLE:
            error_if(b, ctx, one_of(b, pname, list(VECTORS)), gl.GL_INVALID_ENUM)
        args, answers = list(given), []
        for n, ((_, code), ty) in enumerate(zip(params, base, strict=True)):
            if code[0] == "*":
                local = b.array(ty.to, _LONGEST)
                args[n] = local
                if row.gets:
                    word, untouched = _UNTOUCHED[ty.to]
                    for k in range(4):
                        local.cast(Ptr(word))[k] = untouched
                    answers.append((local, given[n]))
                else:
                    size = _length(code)
                    count = b.const(u32, size) if size else _count(b, pname)
                    _read(b, given[n], local, count, whole)
            elif ty in (f32, f64):
                args[n] = _converted(b, given[n], whole, ty)
        run(b, ctx, row.base, args)
        for local, out in answers:
            _answer(b, local, out, whole)

    body.__module__ = __name__
    native_as(row.entry, body)


for _row in COMMANDS:
    _command(_row)


# -- coordinates of textures -----------------------------------------------------------------------


def _generation(suffix: str) -> None:
    """glTexGenfOES and its kin: the first three coordinates have one mode."""

    def body(b: Builder, ctx: GLContext, coord: Value, pname: Value, value: Value) -> None:
        error_if(b, ctx, coord != gl.GL_TEXTURE_GEN_STR_OES, gl.GL_INVALID_ENUM)
        error_if(b, ctx, pname != gl.GL_TEXTURE_GEN_MODE, gl.GL_INVALID_ENUM)
        for each in COORDS[:3]:
            run(b, ctx, f"glTexGen{suffix}", [b.const(u32, each), pname, value])

    body.__module__ = __name__
    native_as(f"glTexGen{suffix}OES", body)


for _suffix in ("f", "i", "fv", "iv"):
    _generation(_suffix)


# -- a matrix --------------------------------------------------------------------------------------


@native
def glQueryMatrixxOES(b: Builder, ctx: GLContext, mantissa: Pointer, exponent: Pointer) -> Value:
    """The current matrix: fractions of [0.5, 1) with exponents of two. A bit for each number that
    is none; those are told as zeros."""
    flush_vertices(b, ctx)
    matrix, status = ctx.matrix.top, b.var(u32, 0)
    with b.For(b.const(u32, 0), 16, 1) as n:
        exact = b.bitcast(b.cast(matrix[n], f64), u64)  # in which no float is denormal
        power = b.cast((exact >> 52) & 0x7FF, i32)
        none, zero = power == 0x7FF, power == 0
        fraction = (exact & 0x800FFFFFFFFFFFFF) | (1022 << 52)
        value = to_fixed(b, b.bitcast(fraction, f64))
        nothing = b.const(i32, 0)
        mantissa[n] = b.select(none | zero, nothing, value)
        exponent[n] = b.select(none | zero, nothing, power - 1022)
        status.value = status.value | b.select(none, b.const(u32, 1) << n, 0)
    return status.value

