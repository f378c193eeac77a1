# SPDX-License-Identifier: MIT
"""The matrix stacks, wholly native: 4x4 column-major floats.

`matrix.top` points at the matrix that calls change; glMatrixMode and glActiveTexture
(textures/kernels.py) move it (`select_stack`). In: GL calls. Out: the top of a stack in place, a
DIRTY_* bit for st/draw/derived.py. Products are multiply and add in a fixed order, so every machine
and every vector width gives the same bits. Rotation angles are exact at multiples of 90 degrees,
and translation and scaling touch only the columns that change. glClipPlane is here because it needs
the inverse of the modelview. Mesa: main/matrix.c, math/m_matrix.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.where import registered
from pydri.jit import f32, f64, i32, kernel, mathlib, ptr, u32, void
from pydri.main import layout as la
from pydri.main.kernels import (
    CTX,
    F4,
    FLOATS,
    error_if,
    flush_vertices,
    mark,
    native,
    native_as,
    place,
    set_vector,
)
from pydri.main.matrix.layout import MAX_CLIP_PLANES, MAX_PROGRAM_MATRICES
from pydri.main.matrix.tables import MODELVIEW, PROGRAM, STACKS, Stack
from pydri.main.rows import available

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

F16 = f32.vec(16)
IDENTITY = [1.0 if n % 5 == 0 else 0.0 for n in range(16)]
TRANSPOSE = [4 * (n % 4) + n // 4 for n in range(16)]


def top(b: Builder, ctx: GLContext) -> Any:
    """Pointer to the current matrix."""
    return ctx.matrix.top


def touched(b: Builder, ctx: GLContext) -> None:
    """The current matrix was changed: what depends on it is dirty."""
    mark(b, ctx, ctx.matrix.dirty_bit)


def multiply_columns(b: Builder, ctx: GLContext, columns: list[list[Any]]) -> None:
    """Columns of the current matrix become its product with columns of four, or three, numbers: the
    sum over k of its column k times number k. Column by column: a matrix that was just written so
    is read again at once only in pieces that are no larger.
    """
    at = top(b, ctx)
    flush_vertices(b, ctx)
    left = [(at + 4 * k).load(F4) for k in range(4)]
    products = []
    for numbers in columns:
        out = left[0] * b.splat(numbers[0], 4)
        for k in range(1, len(numbers)):
            out = out + left[k] * b.splat(numbers[k], 4)
        products.append(out)
    for j, out in enumerate(products):
        (at + 4 * j).store(out)
    touched(b, ctx)


@kernel(void, (CTX, FLOATS), noinline=True)
def matrix_load(b: Builder, ctx: GLContext, m: Pointer) -> None:
    """Replace the current matrix; nothing happens if it is the same."""
    set_top(b, ctx, m.load(F16))


@kernel(void, (CTX, FLOATS), noinline=True)
def matrix_multiply(b: Builder, ctx: GLContext, m: Pointer) -> None:
    """Current matrix = current matrix * m."""
    multiply_columns(b, ctx, [[m[4 * j + k] for k in range(4)] for j in range(4)])


def set_top(b: Builder, ctx: GLContext, m: Any) -> None:
    """Write sixteen lanes to the current matrix if they differ."""
    at = top(b, ctx)
    with b.If(b.any(at.load(F16) != m)):
        flush_vertices(b, ctx)
        at.store(m)
        touched(b, ctx)


# -- which stack ----------------------------------------------------------------------------------


@kernel(void, (CTX,), noinline=True)
def select_stack(b: Builder, ctx: GLContext) -> None:
    """Point `top` at the stack of matrix.mode (and of the active texture unit)."""
    m = ctx.matrix
    mode, unit = m.mode, ctx.raw.active_texture
    stack = b.var(u32, mode)
    limit = b.var(u32, MODELVIEW.limit)
    base = b.var(FLOATS, m.modelview)
    dirty = b.var(u32, MODELVIEW.dirty)
    for other in STACKS[1:]:
        with b.If(mode == other.mode):
            base.value = getattr(m, other.field)
            limit.value = other.limit
            dirty.value = other.dirty
            if other.per_unit:
                stack.value = unit + other.mode
                base.value = base.value + b.cast(unit * (16 * other.limit), i32)
    with b.If(mode >= PROGRAM.mode):
        stack.value = mode
        base.value = m.program + b.cast((mode - PROGRAM.mode) * (16 * PROGRAM.limit), i32)
        limit.value = PROGRAM.limit
        dirty.value = PROGRAM.dirty
    m.stack = stack.value
    m.limit = limit.value
    m.dirty_bit = dirty.value
    m.top = base.value + b.cast(m.depth[stack.value] * 16, i32)


# glMatrixMode takes a name's distance from GL_MODELVIEW for the stack's number
assert all(stack.enum - MODELVIEW.enum == stack.mode for stack in STACKS)


@native
def glMatrixMode(b: Builder, ctx: GLContext, mode: Value) -> None:
    number = mode - MODELVIEW.enum
    programs = mode - PROGRAM.enum
    of_program = programs < MAX_PROGRAM_MATRICES
    error_if(b, ctx, (number >= len(STACKS)) & ~of_program, gl.GL_INVALID_ENUM)
    with b.If(of_program, likely=False):
        error_if(b, ctx, ~available(b, ctx, registered(PROGRAM.enum)), gl.GL_INVALID_ENUM)
    number = b.select(of_program, programs + PROGRAM.mode, number)
    with b.If(ctx.matrix.mode != number):
        ctx.matrix.mode = number
        ctx.matrix.mode_enum = mode
        b.call(select_stack, ctx)


@native
def glPushMatrix(b: Builder, ctx: GLContext) -> None:
    m = ctx.matrix
    depth = m.depth + m.stack
    d = depth.load()
    error_if(b, ctx, d + 1 >= m.limit, gl.GL_STACK_OVERFLOW)
    at = top(b, ctx)
    (at + 16).store(at.load(F16))
    m.top = at + 16
    depth.store(d + 1)


@native
def glPopMatrix(b: Builder, ctx: GLContext) -> None:
    m = ctx.matrix
    depth = m.depth + m.stack
    d = depth.load()
    error_if(b, ctx, d == 0, gl.GL_STACK_UNDERFLOW)
    at = top(b, ctx)
    below = at - 16
    with b.If(b.any(at.load(F16) != below.load(F16))):
        flush_vertices(b, ctx)
        touched(b, ctx)
    m.top = below
    depth.store(d - 1)


# -- loading and multiplying ----------------------------------------------------------------------


@native
def glLoadIdentity(b: Builder, ctx: GLContext) -> None:
    set_top(b, ctx, b.const(F16, IDENTITY))


def _matrix_of(b: Builder, m: Any, transpose: bool) -> Value:
    """Sixteen floats from memory of floats or doubles."""
    values = m.load(m.ty.to.vec(16))
    if m.ty.to is f64:
        values = b.cast(values, f32)
    return b.shuffle(values, None, TRANSPOSE) if transpose else values


def _via_memory(b: Builder, ctx: GLContext, target: Any, m: Any, transpose: bool) -> None:
    if m.ty.to is f32 and not transpose:
        b.call(target, ctx, m)
        return
    local = b.array(f32, 16, align=64)
    local.store(_matrix_of(b, m, transpose))
    b.call(target, ctx, local)


def _matrix_call(name: str, target: Any, transpose: bool) -> None:
    def body(b: Builder, ctx: GLContext, m: Pointer) -> None:
        _via_memory(b, ctx, target, m, transpose)

    native_as(name, body)


for _stem, _target in (("glLoad", matrix_load), ("glMult", matrix_multiply)):
    for _type in "fd":
        _matrix_call(f"{_stem}Matrix{_type}", _target, False)
        _matrix_call(f"{_stem}TransposeMatrix{_type}", _target, True)


# -- transformations ------------------------------------------------------------------------------


@kernel(void, (CTX, f32, f32, f32), noinline=True)
def matrix_translate(b: Builder, ctx: GLContext, x: Value, y: Value, z: Value) -> None:
    m = top(b, ctx)
    flush_vertices(b, ctx)
    columns = [(m + 4 * n).load(F4) for n in range(4)]
    moved = (
        columns[0] * b.splat(x, 4)
        + columns[1] * b.splat(y, 4)
        + columns[2] * b.splat(z, 4)
        + columns[3]
    )
    (m + 12).store(moved)
    touched(b, ctx)


@kernel(void, (CTX, f32, f32, f32), noinline=True)
def matrix_scale(b: Builder, ctx: GLContext, x: Value, y: Value, z: Value) -> None:
    m = top(b, ctx)
    flush_vertices(b, ctx)
    for n, factor in enumerate((x, y, z)):
        at = m + 4 * n
        at.store(at.load(F4) * b.splat(factor, 4))
    touched(b, ctx)


@kernel(void, (CTX, f32, f32, f32, f32), noinline=True)
def matrix_rotate(b: Builder, ctx: GLContext, angle: Value, x: Value, y: Value, z: Value) -> None:
    """Rotation by degrees about an axis that need not be of unit length (GL 2.1, 2.11.2); a null
    axis changes nothing.
    """
    squared = x * x + y * y + z * z
    length = b.sqrt(squared)
    with b.If(~(length > 0.0)):
        b.Return()
    # fold to [-45, 45] degrees and a quadrant: right angles come out exact
    turns = b.round_even(angle / 90.0)
    rest = (angle - turns * 90.0) * 0.017453292519943295
    s0, c0 = mathlib.sin_cos_small(b, rest)
    quadrant = b.cast(turns - b.floor(turns / 4.0) * 4.0, i32)
    odd = (quadrant & 1) != 0
    s = b.select(odd, c0, s0)
    c = b.select(odd, s0, c0)
    s = b.select(quadrant >= 2, -s, s)
    c = b.select((quadrant == 1) | (quadrant == 2), -c, c)
    x, y, z = x / length, y / length, z / length
    one_c = 1.0 - c
    xy, yz, zx = x * y * one_c, y * z * one_c, z * x * one_c
    # u^2 + c (1 - u^2): exactly 1 on the axis itself
    columns = [
        [x * x + c * (1.0 - x * x), xy + z * s, zx - y * s],
        [xy - z * s, y * y + c * (1.0 - y * y), yz + x * s],
        [zx + y * s, yz - x * s, z * z + c * (1.0 - z * z)],
    ]
    multiply_columns(b, ctx, columns)


def _transformation(name: str, target: Any) -> None:
    def body(b: Builder, ctx: GLContext, *numbers: Any) -> None:
        b.call(target, ctx, *(b.cast(x, f32) for x in numbers))

    native_as(name, body)


for _name, _kernel in (
    ("glRotate", matrix_rotate),
    ("glTranslate", matrix_translate),
    ("glScale", matrix_scale),
):
    for _type in "fd":
        _transformation(_name + _type, _kernel)


def _multiply_by(b: Builder, ctx: GLContext, entries: dict[int, Any]) -> None:
    """Multiply by a matrix that is zero but for a few doubles."""
    m = b.array(f32, 16, align=64)
    m.store(b.const(F16, 0.0))
    for n, value in entries.items():
        m[n] = b.cast(value, f32)
    b.call(matrix_multiply, ctx, m)


@native
def glFrustum(b: Builder, ctx: GLContext, left: Value, right: Value, bottom: Value, top_: Value,
              near: Value, far: Value) -> None:  # fmt: skip
    bad = ~(near > 0.0) | ~(far > 0.0) | (near == far) | (left == right) | (bottom == top_)
    error_if(b, ctx, bad, gl.GL_INVALID_VALUE)
    width, height, depth = right - left, top_ - bottom, far - near
    _multiply_by(
        b,
        ctx,
        {
            0: near * 2.0 / width,
            5: near * 2.0 / height,
            8: (right + left) / width,
            9: (top_ + bottom) / height,
            10: -(far + near) / depth,
            11: b.const(f64, -1.0),
            14: -(far * near * 2.0) / depth,
        },
    )


@native
def glOrtho(b: Builder, ctx: GLContext, left: Value, right: Value, bottom: Value, top_: Value,
            near: Value, far: Value) -> None:  # fmt: skip
    error_if(b, ctx, (near == far) | (left == right) | (bottom == top_), gl.GL_INVALID_VALUE)
    width, height, depth = right - left, top_ - bottom, far - near
    _multiply_by(
        b,
        ctx,
        {
            0: 2.0 / width,
            5: 2.0 / height,
            10: -2.0 / depth,
            12: -(right + left) / width,
            13: -(top_ + bottom) / height,
            14: -(far + near) / depth,
            15: b.const(f64, 1.0),
        },
    )


# -- clip planes ----------------------------------------------------------------------------------


def inverse64(b: Builder, m: Pointer) -> tuple[list[Any], Any]:
    """Adjugate (sixteen doubles, column-major) and determinant of a float matrix in memory."""
    a = [b.cast(m[n], f64) for n in range(16)]
    # 2x2 minors of the first two and the last two columns
    s = [
        a[i] * a[4 + j] - a[j] * a[4 + i]
        for i, j in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    ]
    c = [
        a[8 + i] * a[12 + j] - a[8 + j] * a[12 + i]
        for i, j in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
    ]
    det = s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0]
    out = [
        a[5] * c[5] - a[6] * c[4] + a[7] * c[3],
        a[2] * c[4] - a[1] * c[5] - a[3] * c[3],
        a[13] * s[5] - a[14] * s[4] + a[15] * s[3],
        a[10] * s[4] - a[9] * s[5] - a[11] * s[3],
        a[6] * c[2] - a[4] * c[5] - a[7] * c[1],
        a[0] * c[5] - a[2] * c[2] + a[3] * c[1],
        a[14] * s[2] - a[12] * s[5] - a[15] * s[1],
        a[8] * s[5] - a[10] * s[2] + a[11] * s[1],
        a[4] * c[4] - a[5] * c[2] + a[7] * c[0],
        a[1] * c[2] - a[0] * c[4] - a[3] * c[0],
        a[12] * s[4] - a[13] * s[2] + a[15] * s[0],
        a[9] * s[2] - a[8] * s[4] - a[11] * s[0],
        a[5] * c[1] - a[4] * c[3] - a[6] * c[0],
        a[0] * c[3] - a[1] * c[1] + a[2] * c[0],
        a[13] * s[1] - a[12] * s[3] - a[14] * s[0],
        a[8] * s[3] - a[9] * s[1] + a[10] * s[0],
    ]
    return out, det


def plane_to_eye(b: Builder, ctx: GLContext, plane: list[Any]) -> Any:
    """A plane's four numbers through the inverse of the modelview of now, as four floats; a
    singular modelview has none, and the plane is kept as it was given (GL 2.1, 2.12, 2.11.4).
    """
    e = [b.cast(x, f64) for x in plane]
    modelview = stack_top(b, ctx, MODELVIEW)
    adjugate, det = inverse64(b, modelview)
    singular = det == 0.0
    scale_ = b.select(singular, b.const(f64, 1.0), 1.0 / det)
    out = []
    for j in range(4):
        dot = (
            e[0] * adjugate[4 * j]
            + e[1] * adjugate[4 * j + 1]
            + e[2] * adjugate[4 * j + 2]
            + e[3] * adjugate[4 * j + 3]
        )
        out.append(b.cast(b.select(singular, e[j], dot * scale_), f32))
    return b.vector(out)


@native
def glClipPlane(b: Builder, ctx: GLContext, plane: Value, equation: Pointer) -> None:
    number = plane - gl.GL_CLIP_PLANE0
    error_if(b, ctx, number >= MAX_CLIP_PLANES, gl.GL_INVALID_ENUM)
    eye = plane_to_eye(b, ctx, [equation.cast(ptr(f64))[n] for n in range(4)])
    target = place(b, ctx, "val.clip_planes") + b.cast(number * 4, i32)
    set_vector(b, ctx, target, eye, la.DIRTY_CLIP)


def stack_top(b: Builder, ctx: GLContext, stack: Stack, unit: Operand = 0) -> Any:
    """Pointer to the top of a stack; `unit` is the texture unit where there is one for each."""
    at = ctx.matrix.depth[unit + stack.mode] + unit * stack.limit
    return getattr(ctx.matrix, stack.field) + b.cast(at * 16, i32)


def transform(b: Builder, matrix: Any, x: Any, y: Any, z: Any, w: Any = None) -> Any:
    """matrix * (x, y, z, w) as a vector; without w: the upper 3x3 only."""
    out = (
        matrix.load(F4) * b.splat(x, 4)
        + (matrix + 4).load(F4) * b.splat(y, 4)
        + (matrix + 8).load(F4) * b.splat(z, 4)
    )
    if w is None:
        return out.insert(3, 0.0)
    return out + (matrix + 12).load(F4) * b.splat(w, 4)
