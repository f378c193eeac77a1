# SPDX-License-Identifier: MIT
"""Native glGetIntegerv, glGetFloatv, glGetBooleanv, glGetDoublev, glGetFixedv for everything that
lies in the context; the rest goes to Python.

In: an enum. A switch gives the row of tables.NATIVE (or of the table of capabilities),
constant tables the offset, kind and count; one loop converts. What no table knows is handed to the
Python form through `ctx.python_table`. Mesa: main/get.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.gl_table import TABLE
from pydri.jit import f32, f64, fn, i32, i64, kernel, ptr, u8, u16, u32, void
from pydri.jit.kernel import Kernel
from pydri.main.arrays.layout import VertexArray
from pydri.main.get.derived_kernels import DERIVED, MOST_VALUES
from pydri.main.get.tables import BY_ENUM, CONSTANT, NATIVE, OF_COORDINATES
from pydri.main.kernels import (
    CTX,
    flush_vertices,
    follow_targets,
    is_null,
    native,
    native_as,
    one_of,
    python_form,
    to_fixed,
)
from pydri.main.layout import GLContext
from pydri.main.matrix.tables import TEXTURE
from pydri.main.rows import row_finder
from pydri.main.state.enable_kernels import cap_byte, cap_row
from pydri.main.state.enable_tables import CAPS
from pydri.main.textures.layout import MAX_TEXTURE_UNITS

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value

KINDS = "bhIifndN"
TO_BOOL, TO_INT, TO_FLOAT, TO_DOUBLE, TO_FIXED = range(5)
FORMS = (
    ("glGetBooleanv", TO_BOOL),
    ("glGetIntegerv", TO_INT),
    ("glGetFloatv", TO_FLOAT),
    ("glGetDoublev", TO_DOUBLE),
    ("glGetFixedv", TO_FIXED),
)


def _offset(path: str) -> int:
    block, _, field = path.partition(".")
    return VertexArray.offset(field) if block == "vao" else GLContext.offset(path)


param_row = row_finder("param_row", NATIVE)
constant_row = row_finder("constant_row", CONSTANT)
derived_row = row_finder("derived_row", [BY_ENUM[enum] for enum in DERIVED])


@kernel(u32, (CTX, u32, ptr(f64)), noinline=True)
def derived_values(b: Builder, ctx: GLContext, pname: Value, out: Pointer) -> None:
    """Parameters that are made of fields (get_derived.DERIVED): the values, their number in bits
    0..7, and in 8.. their kind; 0 for what is none.
    """
    with b.Switch(b.call(derived_row, ctx, pname)) as s:
        for n, (enum, emit) in enumerate(DERIVED.items()):
            with s.Case(n):
                kind = KINDS.index(BY_ENUM[enum].kind) << 8
                if isinstance(emit, Kernel):
                    b.Return(b.call(emit, ctx, out) | kind)
                    continue
                values = emit(b, ctx)
                for place, value in enumerate(values):
                    out[place] = b.cast(value, f64)
                b.Return(len(values) | kind)
    b.Return(0)


def _numbers(limit: Any) -> list[float]:
    """A limit as four numbers (a double holds every 32-bit integer)."""
    given = list(limit) if isinstance(limit, tuple) else [limit]
    return [float(v) for v in given] + [0.0] * (4 - len(given))


@kernel(void, (ptr(u8), i32, f64, u32, u32), noinline=True)
def get_put(b: Builder, out: Pointer, index: Value, x: Value, kind: Value, form: Value) -> None:
    """Store one value in the form that was asked for. Kinds as in KINDS."""
    fraction = (kind == KINDS.index("n")) | (kind == KINDS.index("N"))
    with b.Switch(form) as s:
        with s.Case(TO_BOOL):
            out[index] = b.cast(x != 0.0, u8)
        with s.Case(TO_INT):
            place = out.cast(ptr(i32)) + index
            with b.If(kind < KINDS.index("f")):
                place.store(b.cast(b.cast(x, i64), i32))  # unsigned values keep their bits
            with b.Else():
                whole = b.round_even(x)
                place.store(b.cast(b.select(fraction, x * 2147483647.0, whole), i32))
        with s.Case(TO_FLOAT):
            (out.cast(ptr(f32)) + index).store(b.cast(x, f32))
        with s.Case(TO_DOUBLE):
            (out.cast(ptr(f64)) + index).store(x)
        with s.Case(TO_FIXED):
            (out.cast(ptr(i32)) + index).store(to_fixed(b, x))


@kernel(f64, (ptr(u8), u32), noinline=True)
def get_fetch(b: Builder, at: Pointer, kind: Value) -> Value:
    """The value of a kind at an address."""
    x = b.var(f64, 0.0)
    types = {"b": u8, "h": u16, "I": u32, "i": i32, "f": f32, "n": f32, "d": f64, "N": f64}
    with b.Switch(kind) as s:
        for n, letter in enumerate(KINDS):
            with s.Case(n):
                x.value = b.cast(at.cast(ptr(types[letter])).load(), f64)
    return x.value


@kernel(u32, (CTX, u32, ptr(u8), u32), noinline=True)
def get_native(b: Builder, ctx: GLContext, pname: Value, out: Pointer, form: Value) -> Value:
    """Answer if a table knows the parameter: 1, else 0."""
    flush_vertices(b, ctx)
    beyond = ctx.raw.active_texture >= MAX_TEXTURE_UNITS
    with b.If(beyond & one_of(b, pname, OF_COORDINATES), likely=False):
        b.Return(0)  # Python says so
    follow_targets(b, ctx)
    row = b.call(param_row, ctx, pname)
    with b.If(row >= 0):
        unit = ctx.raw.active_texture
        offsets = b.table(u32, [_offset(p.place) for p in NATIVE])
        kinds = b.table(u8, [KINDS.index(p.kind) for p in NATIVE])
        counts = b.table(u8, [p.size for p in NATIVE])
        strides = b.table(u16, [p.unit for p in NATIVE])
        stacks = b.table(u8, [p.stack.mode + 1 if p.stack else 0 for p in NATIVE])
        offset = b.var(u32, offsets[row] + b.cast(strides[row], u32) * unit)
        stack = b.cast(stacks[row], u32)
        with b.If(stack != 0):
            of_unit = b.select(stack == TEXTURE.mode + 1, unit, 0)
            level = ctx.matrix.depth[stack - 1 + of_unit] + of_unit * TEXTURE.limit
            offset.value = offset.value + level * 64
        in_vao = b.table(u8, [int(p.place.startswith("vao.")) for p in NATIVE])[row] != 0
        owner = b.select(in_vao, ctx.arrays.vao.cast(ptr(u8)), ctx.cast(ptr(u8)))
        kind = b.cast(kinds[row], u32)
        sizes = b.table(u8, [{"b": 1, "h": 2, "d": 8, "N": 8}.get(k, 4) for k in KINDS])
        step = b.cast(sizes[kind], u32)
        with b.For(0, b.cast(counts[row], i32)) as n:
            at = b.bytes_from(owner, offset.value + b.cast(n, u32) * step, u8)
            b.call(get_put, out, n, b.call(get_fetch, at, kind), kind, form)
        b.Return(1)
    row = b.call(constant_row, ctx, pname)
    with b.If(row >= 0):
        limits = b.table(f64, [v for p in CONSTANT for v in _numbers(p.place)])
        kinds = b.table(u8, [KINDS.index(p.kind) for p in CONSTANT])
        counts = b.table(u8, [p.size for p in CONSTANT])
        with b.For(0, b.cast(counts[row], i32)) as n:
            b.call(get_put, out, n, limits[row * 4 + n], b.cast(kinds[row], u32), form)
        b.Return(1)
    found = b.array(f64, MOST_VALUES)
    derived = b.call(derived_values, ctx, pname, found)
    with b.If(derived != 0):
        with b.For(0, b.cast(derived & 0xFF, i32)) as n:
            b.call(get_put, out, n, found[n], derived >> 8, form)
        b.Return(1)
    row = b.call(cap_row, ctx, pname)
    with b.If(row >= 0):
        masks = b.table(u8, [c.tells for c in CAPS])
        on = (cap_byte(b, ctx, row).load() & masks[row]) != 0
        b.call(get_put, out, 0, b.select(on, b.const(f64, 1.0), 0.0), 0, form)
        b.Return(1)
    return b.const(u32, 0)


GET = fn(void, CTX, u32, ptr(u8))


def _make_get(name: str, form: int) -> None:
    slot = TABLE.slots[name]

    def body(b: Builder, ctx: GLContext, pname: Operand, params: Pointer) -> None:
        out = params.cast(ptr(u8))
        with b.If(b.call(get_native, ctx, pname, out, form) == 0):
            python_form(b, ctx, slot, GET, pname, out)

    native_as(name, body)


for _name, _form in FORMS:
    _make_get(_name, _form)


@native
def glGetError(b: Builder, ctx: GLContext) -> Value:
    # what immediate mode holds may be drawn to a framebuffer object that is not complete
    with b.If((ctx.vbo.count != 0) & (ctx.vbo.begin_mode == 0), likely=False):
        with b.If(~is_null(ctx.framebuffers.draw)):
            b.call(ctx.flush_vertices, ctx)
    error = ctx.error
    ctx.error = 0
    return error
