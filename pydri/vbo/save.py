# SPDX-License-Identifier: MIT
"""Native entry points while a display list is compiled: the `save` table.

In: the rows of attribs.py, the names of listable.py. Out: kernels of a module of its own
(`vbo_save`), compiled or loaded at the first glNewList. Vertices go into the list's store
(native.VboSave) as they go into the buffer of immediate mode; all other listable commands put
their arguments into `dlist.args`, one cell each, and go up to Python (compile.py), which alone
knows nodes. In GL_COMPILE_AND_EXECUTE mode each entry then calls what stands in the exec table.
Answers to Mesa's vbo_save_api.c and the save_* functions of main/dlist.c.
"""

from __future__ import annotations

from typing import Any

from pydri.api.enums import (
    GL_INVALID_ENUM,
    GL_INVALID_OPERATION,
    GL_INVALID_VALUE,
    GL_UNSIGNED_BYTE,
)
from pydri.api.gl_table import TABLE
from pydri.jit.kernel import Kernel, kernel
from pydri.jit.types import Fn, Ptr, f32, i32, ptr, u8, u16, u32, u64, void
from pydri.main.kernels import CTX, gl_record_error, type_of
from pydri.main.storage_kernels import read_begin, read_end
from pydri.nir.enums import VERT_ATTRIB_GENERIC0, VERT_ATTRIB_MAT0, VERT_ATTRIB_TEX0
from pydri.vbo.arrays import (
    ELEMENTS_CALLS,
    ElementsCall,
    array_element,
    elements_arguments,
    indices_of,
)
from pydri.vbo.attribs import (
    FIXED,
    GENERIC,
    ROWS,
    TEXTURE,
    VERTEX,
    AttribRow,
    packed_known,
    value_of,
)
from pydri.vbo.core import V4, append_vertex, begin_prim, end_prim, four_components
from pydri.vbo.exec import MAX_GENERIC, RECTS, rect_corners
from pydri.vbo.listable import CHANGES_CURRENT, base_names
from pydri.vbo.native import (
    CALL_BYTES,
    FLOAT_REGISTERS,
    HOOK_SAVE_ARRAYS,
    HOOK_SAVE_ATTR,
    HOOK_SAVE_BEGIN,
    HOOK_SAVE_CALL,
    HOOK_SAVE_EMPTY,
    HOOK_SAVE_END,
    HOOK_SAVE_ERROR,
    HOOK_SAVE_GROW,
    HOOK_SAVE_OUTSIDE,
    INT_REGISTERS,
    NODE_CALL,
    OUTSIDE,
    POLYGON,
    QUADS,
    CallNode,
    VboSave,
)
from pydri.vbo.restart import restarts


def save_of(ctx: Any) -> Any:
    """The store of the list being compiled."""
    return ctx.dlist.save.cast(ptr(VboSave))


def hook(b: Any, ctx: Any, what: int, argument: Any = 0) -> None:
    """Go up to Python."""
    b.call(
        ctx.hook_upload,
        ctx,
        argument * 256 + what if isinstance(argument, int) else (argument << 8) | what,
    )


# -- the store -------------------------------------------------------------------------------------


@kernel(void, (CTX, u32, V4), noinline=True)
def save_attr(b: Any, ctx: Any, slot: Any, value: Any) -> None:
    """A new value of an attribute."""
    s = save_of(ctx)
    bit = b.const(u64, 1) << b.cast(slot, u64)
    with b.If((s.layout & bit) == 0, likely=False):
        hook(b, ctx, HOOK_SAVE_ATTR, slot)
    b.store(s.current.cast(ptr(f32)) + slot * 4, value, 4)
    s.touched = s.touched | bit


@kernel(void, (CTX, V4, u32), noinline=True)
def save_vertex(b: Any, ctx: Any, position: Any, size: Any) -> None:
    """A vertex; `size` components were given."""
    s = save_of(ctx)
    with b.If(s.begin_mode == 0, likely=False):
        hook(b, ctx, HOOK_SAVE_OUTSIDE)
    with b.If(size == 4):
        four_components(s)
    count = append_vertex(b, s, s, position)
    with b.If(count >= s.capacity, likely=False):
        hook(b, ctx, HOOK_SAVE_GROW)


@kernel(void, (CTX, u32), noinline=True)
def save_begin(b: Any, ctx: Any, mode: Any) -> None:
    """glBegin."""
    s = save_of(ctx)
    with b.If((mode > POLYGON) | (s.begin_mode != 0), likely=False):
        hook(b, ctx, HOOK_SAVE_BEGIN, b.min(mode, 255))
        b.Return()
    with b.If(s.prim_count + 2 >= s.max_prims, likely=False):
        hook(b, ctx, HOOK_SAVE_GROW)
    begin_prim(b, s, mode)


@kernel(void, (CTX,), noinline=True)
def save_end(b: Any, ctx: Any) -> None:
    """glEnd."""
    s = save_of(ctx)
    with b.If((s.begin_mode == 0) | (s.begin_mode == OUTSIDE) | (s.loopback != 0), likely=False):
        hook(b, ctx, HOOK_SAVE_END)
        b.Return()
    end_prim(b, s)
    with b.If(s.prim_count == 0, likely=False):
        hook(b, ctx, HOOK_SAVE_EMPTY)


@kernel(void, (CTX, u32, u32), noinline=True)
def save_error(b: Any, ctx: Any, error: Any, slot: Any) -> None:
    """A mistake: it happens when the list is played."""
    ctx.dlist.args[0] = b.cast(slot, u64)
    hook(b, ctx, HOOK_SAVE_ERROR, error)


def error_node_if(b: Any, ctx: Any, cond: Any, error: int) -> None:
    """Compile an error and return, if `cond`; the command still has its turn in
    GL_COMPILE_AND_EXECUTE mode, and fails by itself.
    """
    with b.If(cond, likely=False):
        b.call(save_error, ctx, error, b.gl_slot)
        b.Return()


def execute(b: Any, ctx: Any, row: Any, args: tuple[Any, ...]) -> None:
    """GL_COMPILE_AND_EXECUTE: the same call through the table of today's state."""
    with b.If(save_of(ctx).execute != 0, likely=False):
        table = b.select(ctx.vbo.begin_mode != 0, ctx.begin_end_table, ctx.exec_table)
        ctx.dispatch = table
        signature = Fn(type_of(row.ret), (CTX, *(type_of(c) for _, c in row.params)))
        b.call(table.cast(ptr(signature))[row.slot], ctx, *args)
        ctx.dispatch = ctx.save_table


def inside(ctx: Any) -> Any:
    """Whether the list is between its own glBegin and glEnd."""
    mode = save_of(ctx).begin_mode
    return (mode != 0) & (mode != OUTSIDE)


@kernel(void, (CTX,), noinline=True)
def save_restart(b: Any, ctx: Any) -> None:
    """End the list's primitive and begin another of its kind."""
    mode = save_of(ctx).begin_mode - 1
    b.call(save_end, ctx)
    b.call(save_begin, ctx, mode)


# -- array elements --------------------------------------------------------------------------------


@kernel(void, (CTX, u32), noinline=True)
def save_element(b: Any, ctx: Any, index: Any) -> None:
    """The values of an array element go into the list."""
    array_element(
        b,
        ctx,
        index,
        lambda slot, value: b.call(save_attr, ctx, slot, value),
        lambda value, size: b.call(save_vertex, ctx, value, size),
    )


@kernel(void, (CTX, u32, i32, i32, u32), noinline=True)
def save_draw_arrays(b: Any, ctx: Any, mode: Any, first: Any, count: Any, where: Any) -> None:
    """glDrawArrays: unrolled, the list keeps what the arrays hold now."""
    b.gl_slot = where
    error_node_if(b, ctx, mode > POLYGON, GL_INVALID_ENUM)
    error_node_if(b, ctx, (first < 0) | (count < 0), GL_INVALID_VALUE)
    error_node_if(b, ctx, inside(ctx), GL_INVALID_OPERATION)
    hook(b, ctx, HOOK_SAVE_ARRAYS, 1)
    b.call(save_begin, ctx, mode)
    start = b.cast(first, u32)
    read_begin(b, ctx)
    with b.For(b.const(u32, 0), b.cast(count, u32), 1) as i:
        b.call(save_element, ctx, start + i)
    read_end(b, ctx)
    b.call(save_end, ctx)
    hook(b, ctx, HOOK_SAVE_ARRAYS)


@kernel(void, (CTX, u32, i32, u32, ptr(u8), i32, u32), noinline=True)
def save_draw_elements(
    b: Any, ctx: Any, mode: Any, count: Any, type_: Any, indices: Any, bias: Any, where: Any
) -> None:
    """glDrawElements: unrolled."""
    b.gl_slot = where
    code = type_ - GL_UNSIGNED_BYTE
    error_node_if(b, ctx, (mode > POLYGON) | (code > 4) | ((code & 1) != 0), GL_INVALID_ENUM)
    error_node_if(b, ctx, count < 0, GL_INVALID_VALUE)
    error_node_if(b, ctx, inside(ctx), GL_INVALID_OPERATION)
    read_begin(b, ctx)
    base, n = indices_of(b, ctx, count, code, indices)
    hook(b, ctx, HOOK_SAVE_ARRAYS, 1)
    b.call(save_begin, ctx, mode)
    with b.For(b.const(u32, 0), n, 1) as i:
        index = b.var(u32, 0)
        with b.Switch(code) as s:
            for k, ty in enumerate((u8, u16, u32)):
                with s.Case(2 * k):
                    index.value = b.cast(base.cast(ptr(ty))[i], u32)
        with b.If(restarts(b, ctx, index.value, b.const(u32, 1) << (code >> 1)), likely=False):
            b.call(save_restart, ctx)
            b.Continue()
        b.call(save_element, ctx, index.value + b.cast(bias, u32))
    read_end(b, ctx)
    b.call(save_end, ctx)
    hook(b, ctx, HOOK_SAVE_ARRAYS)


# -- entry points ----------------------------------------------------------------------------------


def _attribute(row: AttribRow) -> Any:
    if row.type != "packed":
        return _set_attribute(row)
    plain = _set_attribute(row)

    def body(b: Any, ctx: Any, *args: Any) -> None:
        type_ = args[1] if row.kind in (TEXTURE, GENERIC) else args[0]
        with b.If(~packed_known(row, type_), likely=False):
            b.call(save_error, ctx, GL_INVALID_ENUM, b.gl_slot)
        with b.Else():
            plain(b, ctx, *args)

    return body


def _set_attribute(row: AttribRow) -> Any:
    def body(b: Any, ctx: Any, *args: Any) -> None:
        if row.kind == VERTEX:
            b.call(save_vertex, ctx, value_of(b, row, args), row.size)
        elif row.kind == FIXED:
            b.call(save_attr, ctx, row.slot, value_of(b, row, args))
        elif row.kind == TEXTURE:
            b.call(save_attr, ctx, (args[0] & 7) + VERT_ATTRIB_TEX0, value_of(b, row, args[1:]))
        else:
            value = value_of(b, row, args[1:])
            with b.If(args[0] >= MAX_GENERIC, likely=False):
                b.call(save_error, ctx, GL_INVALID_VALUE, b.gl_slot)
            with b.Elif(lambda: (args[0] == 0) & (save_of(ctx).begin_mode != 0)):
                b.call(save_vertex, ctx, value, 4)
            with b.Else():
                b.call(save_attr, ctx, args[0] + VERT_ATTRIB_GENERIC0, value)

    return body


def _begin(b: Any, ctx: Any, mode: Any) -> None:
    b.call(save_begin, ctx, mode)


def _end(b: Any, ctx: Any) -> None:
    b.call(save_end, ctx)


@kernel(void, (CTX, f32, f32, f32, f32, u32), noinline=True)
def save_rect(b: Any, ctx: Any, x1: Any, y1: Any, x2: Any, y2: Any, where: Any) -> None:
    """glRect."""
    b.gl_slot = where
    error_node_if(b, ctx, inside(ctx), GL_INVALID_OPERATION)
    b.call(save_begin, ctx, QUADS)
    for x, y in ((x1, y1), (x2, y1), (x2, y2), (x1, y2)):
        b.call(save_vertex, ctx, b.vector([x, y, 0.0, 1.0]), 2)
    b.call(save_end, ctx)


def _rect(b: Any, ctx: Any, *args: Any) -> None:
    b.call(save_rect, ctx, *rect_corners(b, args), b.gl_slot)


def _array_element(b: Any, ctx: Any, i: Any) -> None:
    with b.If(i < 0, likely=False):
        b.call(save_error, ctx, GL_INVALID_VALUE, b.gl_slot)
    with b.Elif(lambda: restarts(b, ctx, b.cast(i, u32), b.const(u32, 4)) & inside(ctx)):
        b.call(save_restart, ctx)
    with b.Else():
        read_begin(b, ctx)
        b.call(save_element, ctx, b.cast(i, u32))
        read_end(b, ctx)


def _primitive_restart(b: Any, ctx: Any) -> None:
    """Of a primitive that began elsewhere, or of none: decided when the list is played."""
    with b.If(inside(ctx)):
        b.call(save_restart, ctx)
    with b.Else():
        _command(b, ctx)


def _draw_arrays(b: Any, ctx: Any, mode: Any, first: Any, count: Any) -> None:
    b.call(save_draw_arrays, ctx, mode, first, count, b.gl_slot)


def _elements(row: ElementsCall) -> Any:
    def body(b: Any, ctx: Any, *args: Any) -> None:
        mode, start, end, count, type_, indices, bias, _, _ = elements_arguments(row, args)
        passed = (mode, count, type_, indices, bias, b.gl_slot)
        if not row.range:
            b.call(save_draw_elements, ctx, *passed)
            return
        with b.If(end < start, likely=False):
            b.call(save_error, ctx, GL_INVALID_VALUE, b.gl_slot)
        with b.Else():
            b.call(save_draw_elements, ctx, *passed)

    return body


def _multi_arrays(b: Any, ctx: Any, mode: Any, first: Any, count: Any, n: Any) -> None:
    with b.For(b.const(i32, 0), n, 1) as i:
        b.call(save_draw_arrays, ctx, mode, first[i], count[i], b.gl_slot)


def _multi_elements(
    b: Any, ctx: Any, mode: Any, count: Any, type_: Any, indices: Any, n: Any, bias: Any = None
) -> None:
    with b.For(b.const(i32, 0), n, 1) as i:
        pointer = indices.cast(ptr(ptr(u8)))[i]
        b.call(
            save_draw_elements,
            ctx,
            mode,
            count[i],
            type_,
            pointer,
            0 if bias is None else bias[i],
            b.gl_slot,
        )


_PLAIN = 1 << 31


def call_shape(name: str) -> int:
    """What `save_command` must know: bits 0..7 the number of arguments, 8..23 which of them are
    floats, 24 that current values are not known afterwards, 31 that it may make the node (numbers
    alone, in registers; a target may be a proxy, which is no command of a list).
    """
    params = TABLE.row(name).params
    floats = [n for n, (_, code) in enumerate(params) if code[0] in "fd"]
    plain = not any(code[0] in "*pz" for _, code in params) and len(floats) <= FLOAT_REGISTERS
    plain = plain and len(params) - len(floats) <= INT_REGISTERS
    plain = plain and not (params and params[0][0] == "target")
    shape = len(params) | sum(1 << 8 + n for n in floats) | (_PLAIN if plain else 0)
    return shape | (1 << 24 if name in CHANGES_CURRENT else 0)


@kernel(void, (CTX, u32, u32), noinline=True)
def save_command(b: Any, ctx: Any, slot: Any, shape: Any) -> None:
    """A command whose arguments lie in dlist.args: a node, if that is plain and no vertex waits to
    become one before it; else up.
    """
    s = save_of(ctx)
    waits = (s.count | s.prim_count | s.begin_mode) != 0
    full = s.calls_used + CALL_BYTES > s.calls_size
    with b.If(((shape & _PLAIN) == 0) | waits | (s.touched != 0) | full, likely=False):
        hook(b, ctx, HOOK_SAVE_CALL, slot)
        b.Return()
    place = s.calls + s.calls_used
    b.memset(place, 0, CALL_BYTES)
    node = place.cast(ptr(CallNode))
    node.size, node.kind, node.slot = CALL_BYTES, NODE_CALL, slot
    ints, floats = b.var(u32, 0), b.var(u32, 0)
    with b.For(b.const(u32, 0), shape & 0xFF, 1) as n:
        cell = ctx.dlist.args[n]
        with b.If(((shape >> (n + 8)) & 1) != 0):
            node.floats[floats.value] = cell
            floats.value = floats.value + 1
        with b.Else():
            node.ints[ints.value] = cell
            ints.value = ints.value + 1
    s.calls_used = s.calls_used + CALL_BYTES
    vertex = b.const(u64, (1 << VERT_ATTRIB_MAT0) - 1)  # materials change by many commands
    s.known = s.known & b.select((shape & (1 << 24)) != 0, b.const(u64, 0), vertex)


def _command(b: Any, ctx: Any, *args: Any) -> None:
    """Any other listable command: its arguments, one cell each, and on."""
    cells = ctx.dlist.args
    for n, value in enumerate(args):
        ty = value.ty
        if isinstance(ty, Ptr):
            cells[n] = b.ptr_to_int(value)
        elif ty.kind == "f":
            cells[n] = b.cast(b.bitcast(value, u32 if ty is f32 else u64), u64)
        else:
            cells[n] = b.cast(value, u64)
    b.call(save_command, ctx, b.gl_slot, call_shape(TABLE.row(b.gl_slot).name))


SPECIAL: dict[str, Any] = {
    "glBegin": _begin,
    "glEnd": _end,
    "glArrayElement": _array_element,
    "glPrimitiveRestartNV": _primitive_restart,
    "glDrawArrays": _draw_arrays,
    **{row.name: _elements(row) for row in ELEMENTS_CALLS if not row.instances},
    "glMultiDrawArrays": _multi_arrays,
    "glMultiDrawElements": _multi_elements,
    "glMultiDrawElementsBaseVertex": _multi_elements,
    **dict.fromkeys(RECTS, _rect),
}


def _kernel(name: str, body: Any) -> Kernel:
    row = TABLE.row(name)

    def trace(b: Any, ctx: Any, *args: Any) -> None:
        b.gl_slot = row.slot
        # b.Return inside a body would skip the execution: bodies that return early are kernels of
        # their own
        body(b, ctx, *args)
        execute(b, ctx, row, args)

    return Kernel(trace, "save_" + name, void, (CTX, *(type_of(c) for _, c in row.params)))


#: not allowed while a list is compiled (ARB_draw_instanced)
REFUSED = (
    "glDrawArraysInstanced",
    "glDrawArraysInstancedBaseInstance",
    *(row.name for row in ELEMENTS_CALLS if row.instances),
)


def _refusal(name: str) -> Kernel:
    row = TABLE.row(name)

    def trace(b: Any, ctx: Any, *args: Any) -> None:
        b.call(gl_record_error, ctx, GL_INVALID_OPERATION, row.slot)

    return Kernel(trace, "save_" + name, void, (CTX, *(type_of(c) for _, c in row.params)))


def save_names() -> list[str]:
    """Every entry point that has a form of its own while a list is compiled (without aliases)."""
    return [row.name for row in ROWS] + list(SPECIAL) + list(REFUSED) + base_names()


def kernels() -> list[Kernel]:
    """The exports of the module `vbo_save`."""
    out = [_kernel(row.name, _attribute(row)) for row in ROWS]
    out += [_kernel(name, body) for name, body in SPECIAL.items()]
    out += [_refusal(name) for name in REFUSED]
    out += [_kernel(name, _command) for name in base_names()]
    return out
