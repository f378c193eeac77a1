# SPDX-License-Identifier: MIT
"""Native glUniform* (GL 2.1, 2.15.3).

In: a location of the current program and values. Out: the program's block of values, which drivers
read in place or copy when they record a draw; so a write is a write, and pending vertices are drawn
only if a value changes. The unit of a sampler lies in its slot of the block: after such a write the
next draw looks through the textures again. Errors and their order are the peer's. Mesa:
main/uniform_query.cpp (validate_uniform_parameters, _mesa_uniform, _mesa_uniform_matrix).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import f32, i32, kernel, ptr, u32, void
from pydri.jit.types import boolean
from pydri.main.kernels import CTX, fail, flush_vertices, is_null, mark, native_as, where
from pydri.main.layout import DIRTY_PROGRAM
from pydri.main.shaders.kernels import executable
from pydri.main.shaders.layout import BOOL, FLOAT, INT, NO_UNIFORM, SAMPLER, UINT
from pydri.main.textures.layout import MAX_IMAGE_UNITS

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

WORDS = ptr(u32)
MATRICES = [(c, r) for c in (2, 3, 4) for r in (2, 3, 4)]


def _row(b: Builder, ctx: GLContext, location: Any, count: Operand,
         slot: Operand) -> tuple[Any, Any]:  # fmt: skip
    """The row of a location, and the executable that it is of; errors for what is none (the caller
    ends)."""
    program = ctx.program.current
    fail(b, ctx, is_null(program), gl.GL_INVALID_OPERATION, slot)
    fail(b, ctx, count < 0, gl.GL_INVALID_VALUE, slot)
    fail(b, ctx, program.linked == 0, gl.GL_INVALID_OPERATION, slot)
    with b.If(location == -1):
        b.Return()
    at, exec_ = b.cast(location, u32), executable(b, ctx)
    fail(b, ctx, at >= exec_.locations, gl.GL_INVALID_OPERATION, slot)
    row = exec_.uniforms + at
    nothing = (row.kind == NO_UNIFORM) | ((row.is_array == 0) & (count > 1))
    fail(b, ctx, nothing, gl.GL_INVALID_OPERATION, slot)
    return row, exec_


def _written(b: Builder, row: Any, kind: Any, word: Any) -> Value:
    """A value as it stands in the block: what is not 0 is true (GL 2.1, 2.15.3)."""
    zero = b.select(kind == FLOAT, b.cast(b.bitcast(word, f32) == 0.0, u32), b.cast(word == 0, u32))
    return b.select(row.kind == BOOL, zero ^ 1, word)


@kernel(void, (CTX, i32, i32, WORDS, u32, u32, u32), noinline=True)
def uniform_write(b: Builder, ctx: GLContext, location: Value, count: Value, values: Pointer,
                  size: Value, kind: Value, slot: Value) -> None:  # fmt: skip
    """glUniform*: `count` vectors of `size` numbers of a kind."""
    row, exec_ = _row(b, ctx, location, count, slot)
    shape = (b.cast(row.rows, u32) == size) & (row.columns == 1)
    fail(b, ctx, ~shape, gl.GL_INVALID_OPERATION, slot)
    own = b.cast(row.kind, u32)
    fits = (own == kind) | (own == BOOL) | ((own == SAMPLER) & (kind == INT))
    fail(b, ctx, ~fits, gl.GL_INVALID_OPERATION, slot)
    with b.If(own == SAMPLER), b.For(b.const(i32, 0), count, 1) as n:
        fail(b, ctx, values[n] >= MAX_IMAGE_UNITS, gl.GL_INVALID_VALUE, slot)
    total = b.min(b.cast(count, u32), row.left)
    first = b.bytes_from(exec_.storage, row.offset, u32)
    differs = b.var(boolean, b.const(boolean, 0))
    with b.For(b.const(u32, 0), total, 1) as n, b.For(b.const(u32, 0), size, 1) as c:
        value = _written(b, row, kind, values[n * size + c])
        with b.If(first[n * 4 + c] != value):
            differs.value = b.const(boolean, 1)
    with b.If(~differs.value):
        b.Return()
    flush_vertices(b, ctx)
    with b.For(b.const(u32, 0), total, 1) as n, b.For(b.const(u32, 0), size, 1) as c:
        first[n * 4 + c] = _written(b, row, kind, values[n * size + c])
    with b.If(own == SAMPLER):
        mark(b, ctx, DIRTY_PROGRAM)


@kernel(void, (CTX, i32, i32, u32, WORDS, u32, u32, u32), noinline=True)
def uniform_matrix(b: Builder, ctx: GLContext, location: Value, count: Value, transpose: Value,
                   values: Pointer, columns: Value, rows: Value, slot: Value) -> None:  # fmt: skip
    """glUniformMatrix*: `count` matrices, column by column or, transposed, row by row."""
    row, exec_ = _row(b, ctx, location, count, slot)
    shape = (b.cast(row.rows, u32) == rows) & (b.cast(row.columns, u32) == columns)
    fail(b, ctx, ~shape | (row.kind != FLOAT), gl.GL_INVALID_OPERATION, slot)
    total = b.min(b.cast(count, u32), row.left)
    first = b.bytes_from(exec_.storage, row.offset, u32)
    by_column = b.select(transpose != 0, b.const(u32, 1), rows)
    by_row = b.select(transpose != 0, columns, b.const(u32, 1))
    flush_vertices(b, ctx)
    size = columns * rows
    with b.For(b.const(u32, 0), total, 1) as n, b.For(b.const(u32, 0), columns, 1) as c:
        with b.For(b.const(u32, 0), rows, 1) as r:
            value = values[n * size + c * by_column + r * by_row]
            first[(n * columns + c) * 4 + r] = value


def _scalars(name: str, size: int, kind: int) -> None:
    def body(b: Builder, ctx: GLContext, location: Operand, *given: Any) -> None:
        words = b.array(u32, 4)
        for n, value in enumerate(given):
            words[n] = b.bitcast(value, u32)
        b.call(uniform_write, ctx, location, 1, words, size, kind, where(b))

    native_as(name, body)


def _vectors(name: str, size: int, kind: int) -> None:
    def body(b: Builder, ctx: GLContext, location: Operand, count: Operand, values: Any) -> None:
        b.call(uniform_write, ctx, location, count, values.cast(WORDS), size, kind, where(b))

    native_as(name, body)


def _matrices(name: str, columns: int, rows: int) -> None:
    def body(b: Builder, ctx: GLContext, location: Operand, count: Operand, transpose: Value,
             values: Any) -> None:  # fmt: skip
        b.call(uniform_matrix, ctx, location, count, b.cast(transpose, u32), values.cast(WORDS),
               columns, rows, where(b))  # fmt: skip

    native_as(name, body)


for _letter, _kind in (("f", FLOAT), ("i", INT), ("ui", UINT)):
    for _size in (1, 2, 3, 4):
        _scalars(f"glUniform{_size}{_letter}", _size, _kind)
        _vectors(f"glUniform{_size}{_letter}v", _size, _kind)
for _columns, _rows in MATRICES:
    _form = str(_columns) if _columns == _rows else f"{_columns}x{_rows}"
    _matrices(f"glUniformMatrix{_form}fv", _columns, _rows)

__all__ = ["uniform_matrix", "uniform_write"]
