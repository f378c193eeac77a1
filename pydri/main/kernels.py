# SPDX-License-Identifier: MIT
"""What every native GL entry point is made of: typing from the registry, errors, flushing,
compared writes.

In: plain Python functions `def glFoo(b, ctx, ...)` marked `@native`. Out: kernels whose parameter
types come from the row of gl_table, registered as the native form of that name
(pydri.api.dispatch.gl_kernel). The order inside an entry is always: check and `error_if`, then
`update`, which compares first, flushes pending vertices only if something changes, writes, and
marks the key or the derived values dirty. So a redundant call costs a compare and breaks no batch.

Big bodies are kernels of their own that are called, not copied: cold compile time counts. Answers
to Mesa's main/errors.c, the FLUSH_VERTICES macro and the heads of all main/*.c entry points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pydri.api.apis import DESKTOP
from pydri.api.dispatch import gl_kernel
from pydri.api.enums import GL_INVALID_OPERATION, GL_INVALID_VALUE
from pydri.api.gl_table import TABLE
from pydri.jit import f32, f64, fn, i32, i64, kernel, ptr, u8, u16, u32, void
from pydri.jit.kernel import Kernel
from pydri.jit.types import Array, Fn, Ptr, StructMeta, boolean, i8, i16, u64
from pydri.jit.values import Value
from pydri.main.layout import DIRTY_TARGET, GLContext
from pydri.main.pointers import FIXED_ONE
from pydri.main.state.layout import FRAGMENT_FREE

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer

CTX = ptr(GLContext)
NOWHERE = 0xFFFFFFFF  # "where" of an error whose entry point is not known

_SCALARS: dict[str, Any] = {
    "v": void,
    "E": u32,
    "M": u32,
    "B": u32,
    "A": u32,
    "b": u8,
    "c": i8,
    "C": u8,
    "s": i16,
    "S": u16,
    "i": i32,
    "I": u32,
    "l": i64,
    "L": u64,
    "X": u64,
    "f": f32,
    "d": f64,
    "D": u64,
}


def type_of(code: str) -> Any:
    """The kernel type of a registry code: "f" is f32, "*f" and "*f4" a pointer to it, "p" a
    pointer to bytes.
    """
    if code[0] == "*":
        inner = code[1:].rstrip("0123456789")
        return Ptr(_SCALARS[inner]) if inner in _SCALARS and inner != "v" else Ptr(u8)
    return _SCALARS.get(code[0]) or Ptr(u8)


def native_as(name: str, body: Callable[..., Any], prefix: str = "") -> Kernel:
    """Register `body(b, ctx, *args)` as the native form of the entry point `name`.

    `prefix` is "save_" for the form used while a display list is compiled, "be_" for the one
    between glBegin and glEnd.
    """
    row = TABLE.row(name)

    def trace(b: Any, ctx: GLContext, *args: Any) -> Any:
        b.gl_slot = row.slot
        return body(b, ctx, *args)

    trace.__module__ = body.__module__  # core.py asks which part a kernel belongs to
    return gl_kernel(
        Kernel(trace, prefix + name, type_of(row.ret), (CTX, *(type_of(c) for _, c in row.params)))
    )


def native(body: Callable[..., Any]) -> Kernel:
    """Decorator: `def glFoo(b, ctx, ...)` becomes the native form of glFoo; types come from the
    registry.
    """
    return native_as(body.__name__, body)


def call_entry(b: Builder, ctx: Any, name: str, *args: Any) -> Any:
    """Call an entry point as the program would: through the context's table, so that a list that is
    being compiled gets it. For commands that are defined by others.
    """
    row = TABLE.row(name)
    types = [type_of(code) for _, code in row.params]
    abi = fn(type_of(row.ret), CTX, *types)
    return b.call(ctx.dispatch.cast(ptr(abi))[row.slot], ctx, *args)


def is_es(ctx: Any) -> Any:
    """Whether a context is of OpenGL ES."""
    return (ctx.api & DESKTOP) == 0


def is_null(p: Any) -> Any:
    """Whether a pointer is null."""
    return p == p.b.const(p.ty, None)


# -- errors ---------------------------------------------------------------------------------------


@kernel(void, (CTX, u32, u32), cold=True)
def gl_record_error(b: Builder, ctx: GLContext, error: Value, where: Value) -> None:
    """The first error stays until glGetError; reports go through hook_error under MESA_DEBUG and
    where the program wants debug messages.
    """
    where = b.select(ctx.direct != 0, ctx.direct - 1, where)
    with b.If((ctx.error == 0) & (ctx.no_error == 0)):
        ctx.error = error
        ctx.raw.error_slot = where
    hook = ctx.hook_error
    wanted = ((ctx.debug & 1) != 0) | (ctx.raw.debug_output != 0)
    with b.If(wanted & (hook != b.const(hook.ty, None))):
        b.call(hook, ctx, error, where)


@gl_kernel
@kernel(u64, (CTX,), cold=True)
def gl_begin_end_error(b: Builder, ctx: GLContext) -> Value:
    """Stands in the tables for everything that is not allowed where it was called; 0 serves every
    result type.
    """
    b.call(gl_record_error, ctx, GL_INVALID_OPERATION, NOWHERE)
    return b.const(u64, 0)


def where(b: Builder) -> Any:
    """The slot of the entry point being traced (helper kernels take it as a parameter and set
    b.gl_slot).
    """
    return getattr(b, "gl_slot", NOWHERE)


def record_error(b: Builder, ctx: GLContext, error: Operand) -> None:
    """Set the GL error; the entry point is named in the report."""
    b.call(gl_record_error, ctx, error, where(b))


def nothing(b: Builder) -> Any:
    """What an operation that failed returns."""
    if b.ret is void:
        return None
    return b.const(b.ret, None if isinstance(b.ret, Ptr) else 0)


def error_if(b: Builder, ctx: GLContext, cond: Any, error: Operand) -> None:
    """If `cond`: record the error and return (0 from a function)."""
    with b.If(cond, likely=False):
        record_error(b, ctx, error)
        b.Return(nothing(b))


def errors_of_several(b: Builder, ctx: Any, first: Value, count: Value, limit: Operand) -> None:
    """Emit the errors of what binds to `count` places from `first` on (ARB_multi_bind), of as many
    as there are; the sum of both may wrap."""
    error_if(b, ctx, count < 0, GL_INVALID_VALUE)
    beyond = (first > limit) | (first + b.cast(count, u32) > limit)
    error_if(b, ctx, beyond, GL_INVALID_OPERATION)


def wrong_mode(b: Builder, ctx: GLContext, mode: Operand) -> Any:
    """Whether primitives of a mode (u32) cannot be drawn in this context (GL_INVALID_ENUM)."""
    return ((ctx.modes >> b.min(mode, 31)) & 1) == 0


def one_of(b: Builder, value: Operand, allowed: Sequence[int]) -> Any:
    """Whether an unsigned value is one of the numbers; runs of three and more become one
    comparison.
    """
    values = sorted(set(allowed))
    out = None
    at = 0
    while at < len(values):
        end = at
        while end + 1 < len(values) and values[end + 1] == values[end] + 1:
            end += 1
        low, high = values[at], values[end]
        test = value == low if low == high else (value - low) <= (high - low)
        out = test if out is None else out | test
        at = end + 1
    return out


# -- state ----------------------------------------------------------------------------------------


def place(b: Builder, ctx: GLContext, path: str) -> Any:
    """Pointer to a field of the context by path: "key.blend", "raw.viewport[2]" (an array: to its
    first element).
    """
    offset, here = fields_of(GLContext, path)
    while isinstance(here, Array):
        here = here.elem
    return b.offset_pointer(ctx, offset, Ptr(here))


def flush_vertices(b: Builder, ctx: GLContext) -> None:
    """Draw what immediate mode has collected, if anything."""
    with b.If(ctx.vbo.count != 0, likely=False):
        b.call(ctx.flush_vertices, ctx)


def mark(b: Builder, ctx: GLContext, dirty: Operand = 0, key: bool = False) -> None:
    """Note what has to be derived again before the next draw."""
    if key:
        ctx.key_dirty = 1
    if not isinstance(dirty, int) or dirty:
        ctx.dirty = ctx.dirty | dirty


def update(b: Any, ctx: GLContext, writes: Sequence[tuple[Any, Any]], dirty: Operand = 0,
           key: bool | None = None) -> None:  # fmt: skip
    """Write values of (path or pointer, value) pairs if one of them differs; flush before, mark
    dirty after.

    A path that begins with "key." marks the key dirty; for pointers say `key=True`.
    """
    targets = []
    differs = None
    for where_, value in writes:
        if isinstance(where_, str):
            if where_.startswith("key.") and key is None:
                key = True
            target = place(b, ctx, where_)
        else:
            target = where_
        to = target.ty.to
        if not isinstance(value, Value) or isinstance(to, (Ptr, Fn)):
            value = b.coerce(value, to)
        else:
            value = b.cast(value, to)
        targets.append((target, value))
        test = b.load(target, to) != value
        differs = test if differs is None else differs | test
    with b.If(differs):
        flush_vertices(b, ctx)
        for target, value in targets:
            b.store(target, value)
        mark(b, ctx, dirty, bool(key))


def set_key(b: Builder, ctx: GLContext, field: str, value: Operand) -> None:
    """Write one field of the key block, if the value is another one."""
    update(b, ctx, [("key." + field, value)])


# -- numbers --------------------------------------------------------------------------------------


def clamp01(b: Builder, x: Value) -> Any:
    """x within [0, 1]; NaN gives 0."""
    return b.min(b.max(x, 0.0), 1.0)


def int_to_float(b: Builder, x: Value) -> Any:
    """A signed 32-bit integer as a colour or normal component: (2x + 1) / (2^32 - 1) (GL 2.1,
    table 2.9).
    """
    wide = (b.cast(x, f64) * 2.0 + 1.0) / 4294967295.0
    return b.cast(wide, f32)


def to_fixed(b: Builder, x: Any) -> Any:
    """A double as a fixed-point number; what is too large is the largest."""
    return b.cast(b.min(b.max(x * FIXED_ONE, -2147483648.0), 2147483647.0), i32)


def round_to_int(b: Builder, x: Value) -> Value:
    """A float parameter that is an integer or an enum."""
    return b.cast(b.round_even(x), i32)


def enum_of_float(b: Builder, x: Value) -> Any:
    """An enum that was passed as a float. By way of a signed number: as an unsigned one what is
    negative would become 0, which GL_ZERO and GL_NONE are."""
    return b.bitcast(b.cast(x, i32), u32)


def fields_of(struct: StructMeta, path: str) -> tuple[int, Any]:
    """Offset and type of a field by path (Python side; arrays may be indexed)."""
    here: Any = struct
    offset = 0
    for part in path.split("."):
        name, _, index = part.partition("[")
        field = here.fields[name]
        offset += field.offset
        here = field.type
        while index:
            number, _, index = index.partition("]")
            offset += int(number) * here.elem.size
            here = here.elem
            index = index.lstrip("[")
    return offset, here


__all__ = [
    "CTX",
    "NOWHERE",
    "wrong_mode",
    "boolean",
    "clamp01",
    "enum_of_float",
    "error_if",
    "errors_of_several",
    "fields_of",
    "flush_vertices",
    "gl_record_error",
    "int_to_float",
    "is_es",
    "is_null",
    "mark",
    "native",
    "native_as",
    "one_of",
    "place",
    "record_error",
    "round_to_int",
    "set_key",
    "to_fixed",
    "type_of",
    "update",
    "where",
]


F4 = f32.vec(4)
FLOATS = ptr(f32)


def fail(b: Builder, ctx: GLContext, cond: Any, error: int, slot: Operand) -> None:
    """error_if for helper kernels, whose entry point is a parameter."""
    with b.If(cond, likely=False):
        b.call(gl_record_error, ctx, error, slot)
        b.Return(nothing(b))


def set_vector(b: Builder, ctx: GLContext, target: Any, value: Any, dirty: int) -> None:
    """Write a vector of floats if it differs."""
    old = target.load(value.ty)
    with b.If(b.any(old != value)):
        flush_vertices(b, ctx)
        target.store(value)
        mark(b, ctx, dirty)


def unclamped(ctx: Any) -> Any:
    """Whether colours of fragments, and what goes with them, are not clamped to [0, 1]."""
    return (ctx.key.clamping & FRAGMENT_FREE) != 0


def follow_targets(b: Builder, ctx: GLContext) -> None:
    """What glGet tells of what is drawn to, and by it, is true after this."""
    with b.If(((ctx.dirty & DIRTY_TARGET) != 0) & ~is_null(ctx.framebuffers.follow)):
        b.call(ctx.framebuffers.follow, ctx)


def set_clamped(b: Builder, ctx: GLContext, given: Pointer, used: Value, value: Value,
                dirty: int) -> None:  # fmt: skip
    """Write a vector as it was given, and as it is used: clamped where fragments are."""
    given.store(value, align=4)
    set_vector(b, ctx, used, b.select(unclamped(ctx), value, clamp01(b, value)), dirty)


def from_ints(b: Builder, pname: Value, params: Pointer, sizes: dict[int, tuple[int, bool]]) -> Any:
    """Integer parameters as floats in local memory; `sizes` says for vectors: how many, and
    whether they are fractions.
    """
    out = b.array(f32, 4)
    with b.Switch(pname) as s:
        for count, fraction in sorted(set(sizes.values())):
            with s.Case(*(p for p, v in sizes.items() if v == (count, fraction))):
                for n in range(count):
                    x = params[n]
                    out[n] = int_to_float(b, x) if fraction else b.cast(x, f32)
        with s.Default():
            out[0] = b.cast(params[0], f32)
    return out


def four_forms(stem: str, target: Any, lead: int, vectors: dict[int, tuple[int, bool]]) -> None:
    """Make glFoof, glFooi, glFoofv, glFooiv from the kernel `target(ctx, *lead, pname, floats,
    slot)`.

    What `vectors` names takes its first component from the scalar forms and zeros, as with Mesa;
    the specification wants GL_INVALID_ENUM there, but programs have come to rely on it.
    """

    def scalar(b: Builder, ctx: GLContext, *args: Any) -> None:
        *head, value = args
        local = b.array(f32, 4)
        local.store(b.const(F4, 0.0))
        local[0] = b.cast(value, f32)
        b.call(target, ctx, *head, local, where(b))

    def scalar_int(b: Builder, ctx: GLContext, *args: Any) -> None:
        *head, value = args
        ints = b.array(i32, 4)
        for n in range(4):
            ints[n] = value if n == 0 else b.const(i32, 0)
        b.call(target, ctx, *head, from_ints(b, head[lead], ints, vectors), where(b))

    def floats(b: Builder, ctx: GLContext, *args: Any) -> None:
        b.call(target, ctx, *args, where(b))

    def ints(b: Builder, ctx: GLContext, *args: Any) -> None:
        *head, params = args
        b.call(target, ctx, *head, from_ints(b, head[lead], params, vectors), where(b))

    native_as(stem + "f", scalar)
    native_as(stem + "i", scalar_int if vectors else scalar)
    native_as(stem + "fv", floats)
    native_as(stem + "iv", ints)


def lookup(b: Builder, value: Value, table: dict[int, int]) -> Any:
    """Small number for an enum, 0 if it is not in the table."""
    out = b.var(u32, 0)
    with b.Switch(value) as s:
        for enum, number in table.items():
            with s.Case(enum):
                out.value = number
    return out.value


def python_form(b: Builder, ctx: GLContext, slot: int, kind: Any, *args: Any) -> Any:
    """Go on in the Python form of an entry point; `kind` is its function type. Its result, or 0."""
    address = ctx.python_table[slot]
    result = None if kind.ret is void else b.var(kind.ret, 0)
    with b.If(address != 0):
        found = b.call(b.coerce(b.int_to_ptr(address, u8), kind), ctx, *args)
        if result is not None:
            result.value = found
    return result.value if result is not None else None
