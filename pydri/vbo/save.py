# SPDX-License-Identifier: MIT
"""Native entry points while a display list is compiled: the `save` table.

In: the rows of attribs.py, the names of listable.py. Out: kernels of a module of its own
(`vbo_save`), compiled or loaded at the first glNewList. Vertices go into the list's store
(native.VboSave) as they go into the buffer of immediate mode; all other listable commands become a
node each (compile.py) with the arguments as they are called with, and behind them what a pointer
argument leads to. Images alone go up to Python, which unpacks them (images.py). In
GL_COMPILE_AND_EXECUTE mode each entry then calls what stands in the exec table. Counterpart of
Mesa's vbo_save_api.c and the save_* functions of main/dlist.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.gl_table import TABLE
from pydri.jit.kernel import Kernel, kernel
from pydri.jit.types import Fn, Ptr, f32, i32, i64, ptr, u8, u16, u32, u64, void
from pydri.jit.values import is_float
from pydri.main.buffers.storage_kernels import read_begin, read_end
from pydri.main.kernels import CTX, gl_record_error, is_null, one_of, type_of, wrong_mode
from pydri.nir.enums import VERT_ATTRIB_GENERIC0, VERT_ATTRIB_TEX0
from pydri.vbo import arrays, listable
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
from pydri.vbo.compile import (
    CALLS_LISTS,
    CHANGES_CURRENT,
    INSIDE,
    aligned,
    bit_of,
    save_add_attribute,
    save_arrays,
    save_begin_rare,
    save_call,
    save_empty,
    save_end_list,
    save_end_rare,
    save_error,
    save_grow,
    save_grow_prims,
    save_of,
    save_outside,
)
from pydri.vbo.core import V4, append_vertex, begin_prim, end_prim, four_components
from pydri.vbo.exec import MATERIALS, MAX_GENERIC, RECTS, material_kernel, rect_corners
from pydri.vbo.multi import INDIRECT
from pydri.vbo.native import (
    FLOAT_REGISTERS,
    HOOK_SAVE_IMAGE,
    INT_REGISTERS,
    NODE_CALL,
    NODE_CALL_INTS,
    NODE_CALL_POINTER,
    NODE_CALL_STACK,
    NODE_PIXELS,
    OUTSIDE,
    QUADS,
    CallNode,
)
from pydri.vbo.restart import restarts

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

# -- the store -------------------------------------------------------------------------------------


@kernel(void, (CTX, u32, V4), noinline=True)
def save_attr(b: Builder, ctx: GLContext, slot: Value, value: Value) -> None:
    """A new value of an attribute."""
    s = save_of(ctx)
    bit = bit_of(b, slot)
    with b.If((s.layout & bit) == 0, likely=False):
        b.call(save_add_attribute, s, slot)
    b.store(s.current.cast(ptr(f32)) + slot * 4, value, 4)
    s.touched = s.touched | bit


@kernel(void, (CTX, V4, u32), noinline=True)
def save_vertex(b: Builder, ctx: GLContext, position: Value, size: Value) -> None:
    """A vertex; `size` components were given."""
    s = save_of(ctx)
    with b.If(s.begin_mode == 0, likely=False):
        b.call(save_outside, s)
    with b.If(size == 4):
        four_components(s)
    count = append_vertex(b, s, s, position)
    with b.If(count >= s.capacity, likely=False):
        b.call(save_grow, s)


@kernel(void, (CTX, u32), noinline=True)
def save_begin(b: Builder, ctx: GLContext, mode: Value) -> None:
    """glBegin."""
    s = save_of(ctx)
    with b.If(s.prim_count + 2 >= s.max_prims, likely=False):
        b.call(save_grow_prims, s)
    with b.If(wrong_mode(b, ctx, mode) | (s.begin_mode != 0), likely=False):
        b.call(save_begin_rare, ctx, mode)
        b.Return()
    begin_prim(b, s, mode)


@kernel(void, (CTX,), noinline=True)
def save_end(b: Builder, ctx: GLContext) -> None:
    """glEnd."""
    s = save_of(ctx)
    with b.If((s.begin_mode == 0) | (s.begin_mode == OUTSIDE) | (s.loopback != 0), likely=False):
        b.call(save_end_rare, s)
        b.Return()
    end_prim(b, s)
    with b.If(s.prim_count == 0, likely=False):
        b.call(save_empty, s)


def error_node_if(b: Any, ctx: GLContext, cond: Value, error: int) -> None:
    """Compile an error and return, if `cond`; the command still has its turn in
    GL_COMPILE_AND_EXECUTE mode, and fails by itself.
    """
    with b.If(cond, likely=False):
        b.call(save_error, ctx, error, b.gl_slot)
        b.Return()


def call_executed(b: Builder, ctx: Any, row: Any, args: tuple[Any, ...]) -> None:
    """The same call through the table of today's state."""
    table = b.select(ctx.vbo.begin_mode != 0, ctx.begin_end_table, ctx.exec_table)
    ctx.dispatch = table
    signature = Fn(type_of(row.ret), (CTX, *(type_of(c) for _, c in row.params)))
    b.call(table.cast(ptr(signature))[row.slot], ctx, *args)
    ctx.dispatch = ctx.save_table


def execute(b: Builder, ctx: GLContext, row: Any, args: tuple[Any, ...]) -> None:
    """GL_COMPILE_AND_EXECUTE."""
    with b.If(save_of(ctx).execute != 0, likely=False):
        call_executed(b, ctx, row, args)


def inside(ctx: Any) -> Any:
    """Whether the list is between its own glBegin and glEnd."""
    mode = save_of(ctx).begin_mode
    return (mode != 0) & (mode != OUTSIDE)


@kernel(void, (CTX,), noinline=True)
def save_restart(b: Builder, ctx: GLContext) -> None:
    """End the list's primitive and begin another of its kind."""
    mode = save_of(ctx).begin_mode - 1
    b.call(save_end, ctx)
    b.call(save_begin, ctx, mode)


# -- array elements --------------------------------------------------------------------------------


@kernel(void, (CTX, u32), noinline=True)
def save_element(b: Builder, ctx: GLContext, index: Value) -> None:
    """The values of an array element go into the list."""
    arrays.array_element(
        b,
        ctx,
        index,
        lambda slot, value: b.call(save_attr, ctx, slot, value),
        lambda value, size: b.call(save_vertex, ctx, value, size),
    )


@kernel(void, (CTX, u32, i32, i32, u32), noinline=True)
def save_draw_arrays(b: Any, ctx: GLContext, mode: Value, first: Value, count: Value,
                     where: Value) -> None:  # fmt: skip
    """glDrawArrays: unrolled, the list keeps what the arrays hold now."""
    b.gl_slot = where
    error_node_if(b, ctx, wrong_mode(b, ctx, mode), gl.GL_INVALID_ENUM)
    error_node_if(b, ctx, (first < 0) | (count < 0), gl.GL_INVALID_VALUE)
    error_node_if(b, ctx, inside(ctx), gl.GL_INVALID_OPERATION)
    b.call(save_arrays, save_of(ctx), 1)
    b.call(save_begin, ctx, mode)
    start = b.cast(first, u32)
    read_begin(b, ctx)
    with b.For(b.const(u32, 0), b.cast(count, u32), 1) as i:
        b.call(save_element, ctx, start + i)
    read_end(b, ctx)
    b.call(save_end, ctx)
    b.call(save_arrays, save_of(ctx), 0)


@kernel(void, (CTX, u32, i32, u32, ptr(u8), i32, u32), noinline=True)
def save_draw_elements(b: Any, ctx: GLContext, mode: Value, count: Value, type_: Value,
                       indices: Pointer, bias: Value, where: Value) -> None:  # fmt: skip
    """glDrawElements: unrolled."""
    b.gl_slot = where
    code = type_ - gl.GL_UNSIGNED_BYTE
    wrong = wrong_mode(b, ctx, mode) | (code > 4) | ((code & 1) != 0)
    error_node_if(b, ctx, wrong, gl.GL_INVALID_ENUM)
    error_node_if(b, ctx, count < 0, gl.GL_INVALID_VALUE)
    error_node_if(b, ctx, inside(ctx), gl.GL_INVALID_OPERATION)
    read_begin(b, ctx)
    base, n = arrays.indices_of(b, ctx, count, code, indices)
    b.call(save_arrays, save_of(ctx), 1)
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
    b.call(save_arrays, save_of(ctx), 0)


# -- entry points ----------------------------------------------------------------------------------


def _attribute(row: AttribRow) -> Any:
    if row.type != "packed":
        return _set_attribute(row)
    plain = _set_attribute(row)

    def body(b: Any, ctx: GLContext, *args: Any) -> None:
        type_ = args[1] if row.kind in (TEXTURE, GENERIC) else args[0]
        with b.If(~packed_known(row, type_), likely=False):
            b.call(save_error, ctx, gl.GL_INVALID_ENUM, b.gl_slot)
        with b.Else():
            plain(b, ctx, *args)

    return body


def _set_attribute(row: AttribRow) -> Any:
    def body(b: Any, ctx: GLContext, *args: Any) -> None:
        if row.kind == VERTEX:
            b.call(save_vertex, ctx, value_of(b, row, args), row.size)
        elif row.kind == FIXED:
            b.call(save_attr, ctx, row.slot, value_of(b, row, args))
        elif row.kind == TEXTURE:
            b.call(save_attr, ctx, (args[0] & 7) + VERT_ATTRIB_TEX0, value_of(b, row, args[1:]))
        else:
            value = value_of(b, row, args[1:])
            with b.If(args[0] >= MAX_GENERIC, likely=False):
                b.call(save_error, ctx, gl.GL_INVALID_VALUE, b.gl_slot)
            with b.Elif(lambda: (args[0] == 0) & (save_of(ctx).begin_mode != 0)):
                b.call(save_vertex, ctx, value, 4)
            with b.Else():
                b.call(save_attr, ctx, args[0] + VERT_ATTRIB_GENERIC0, value)

    return body


def _begin(b: Builder, ctx: GLContext, mode: Operand) -> None:
    b.call(save_begin, ctx, mode)


def _end(b: Builder, ctx: GLContext) -> None:
    b.call(save_end, ctx)


@kernel(void, (CTX, f32, f32, f32, f32, u32), noinline=True)
def save_rect(b: Any, ctx: GLContext, x1: Value, y1: Value, x2: Value, y2: Value,
              where: Value) -> None:  # fmt: skip
    """glRect."""
    b.gl_slot = where
    error_node_if(b, ctx, inside(ctx), gl.GL_INVALID_OPERATION)
    b.call(save_begin, ctx, QUADS)
    for x, y in ((x1, y1), (x2, y1), (x2, y2), (x1, y2)):
        b.call(save_vertex, ctx, b.vector([x, y, 0.0, 1.0]), 2)
    b.call(save_end, ctx)


def _rect(b: Any, ctx: GLContext, *args: Any) -> None:
    b.call(save_rect, ctx, *rect_corners(b, args), b.gl_slot)


def _array_element(b: Any, ctx: GLContext, i: Operand) -> None:
    with b.If(i < 0, likely=False):
        b.call(save_error, ctx, gl.GL_INVALID_VALUE, b.gl_slot)
    with b.Elif(lambda: restarts(b, ctx, b.cast(i, u32), b.const(u32, 4)) & inside(ctx)):
        b.call(save_restart, ctx)
    with b.Else():
        read_begin(b, ctx)
        b.call(save_element, ctx, b.cast(i, u32))
        read_end(b, ctx)


def _primitive_restart(b: Builder, ctx: GLContext) -> None:
    """Of a primitive that began elsewhere, or of none: decided when the list is played."""
    with b.If(inside(ctx)):
        b.call(save_restart, ctx)
    with b.Else():
        _command(b, ctx)


def _draw_arrays(b: Any, ctx: GLContext, mode: Operand, first: Value, count: Value) -> None:
    b.call(save_draw_arrays, ctx, mode, first, count, b.gl_slot)


def _elements(row: arrays.ElementsCall) -> Any:
    def body(b: Any, ctx: GLContext, *args: Any) -> None:
        mode, start, end, count, type_, indices, bias, _, _ = arrays.elements_arguments(row, args)
        passed = (mode, count, type_, indices, bias, b.gl_slot)
        if not row.range:
            b.call(save_draw_elements, ctx, *passed)
            return
        with b.If(end < start, likely=False):
            b.call(save_error, ctx, gl.GL_INVALID_VALUE, b.gl_slot)
        with b.Else():
            b.call(save_draw_elements, ctx, *passed)

    return body


def _multi_arrays(b: Any, ctx: GLContext, mode: Operand, first: Value, count: Value,
                  n: Operand) -> None:  # fmt: skip
    with b.For(b.const(i32, 0), n, 1) as i:
        b.call(save_draw_arrays, ctx, mode, first[i], count[i], b.gl_slot)


def _multi_elements(b: Any, ctx: GLContext, mode: Any, count: Pointer, type_: Any, indices: Any,
                    n: Any, bias: Any = None) -> None:  # fmt: skip
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


# -- all other commands ----------------------------------------------------------------------------

_LISTS = frozenset(("glCallList", "glCallLists"))
#: commands that may stand between glBegin and glEnd (materials and vertex commands apart)
_INSIDE = frozenset(
    (
        *_LISTS,
        "glEvalPoint1",
        "glEvalPoint2",
        "glPrimitiveRestartNV",
        *(f"glEvalCoord{n}{t}{v}" for n in "12" for t in "fd" for v in ("", "v")),
    )
)


def call_flags(name: str) -> int:
    """What a command does to a list."""
    out = INSIDE if name in _INSIDE else 0
    out |= CALLS_LISTS if name in _LISTS else 0
    return out | (CHANGES_CURRENT if name in listable.CHANGES_CURRENT else 0)


class Emitted:
    """The operations of listable.SIZES on the values of a kernel."""

    def __init__(self, b: Builder) -> None:
        self.b = b

    def pick(self, value: Any, rows: dict[int, int], default: int) -> Any:
        out = self.b.var(i64, default)
        groups: dict[int, list[int]] = {}
        for key, result in rows.items():
            groups.setdefault(result, []).append(key)
        for result, keys in groups.items():
            with self.b.If(one_of(self.b, self.b.cast(value, u64), keys)):
                out.value = result
        return out.value

    def within(self, value: Any, low: int, high: int, result: Any) -> Any:
        return self.b.select((value >= low) & (value <= high), result, self.b.const(i64, 0))


def _wide(b: Builder, value: Pointer) -> Value:
    """An argument as a cell of a node: whole numbers with the bits that they have."""
    ty = value.ty
    if isinstance(ty, Ptr):
        return b.ptr_to_int(value)
    if ty.kind == "f":
        return b.cast(b.bitcast(value, u32 if ty is f32 else u64), u64)
    return b.cast(value, u64)


def _counted(b: Builder, value: Pointer) -> Value:
    """An argument as SIZES want it."""
    return b.cast(b.ptr_to_int(value) if isinstance(value.ty, Ptr) else value, i64)


def _put_call(b: Any, ctx: GLContext, args: tuple[Any, ...], kind: int,
              data: dict[int, Any]) -> None:  # fmt: skip
    """The node of a call. `data`: by argument, what a pointer leads to (null: nothing) and its
    bytes.
    """
    row = TABLE.row(b.gl_slot)
    floats = [n for n, value in enumerate(args) if is_float(value.ty)]
    ints = [n for n in range(len(args)) if n not in floats]
    assert len(floats) <= FLOAT_REGISTERS and len(data) <= 2, row.name
    if kind != NODE_PIXELS:
        if len(ints) > INT_REGISTERS or (floats and data):
            kind = NODE_CALL_STACK
        elif data:
            kind = NODE_CALL_POINTER
        elif floats:
            kind = NODE_CALL
    short = {NODE_CALL: "stack", NODE_CALL_INTS: "floats", NODE_CALL_POINTER: "floats"}.get(kind)
    end = CallNode.offset(short) if short else CallNode.size
    total = b.const(u64, end)
    places: dict[int, Any] = {}
    for n, (_, size) in data.items():
        places[n] = total
        total = total + aligned(size)
    node = b.call(save_call, ctx, row.slot, call_flags(row.name), total, kind)

    def cell(n: int) -> tuple[str, int]:
        if n in floats:
            return "floats", floats.index(n)
        k = ints.index(n)
        return ("ints", k) if k < INT_REGISTERS else ("stack", k - INT_REGISTERS)

    with b.If(~is_null(node), likely=True):
        for n, value in enumerate(args):
            field, k = cell(n)
            (node.addr(field) + k).store(_wide(b, value))
        node.pointers[0] = 0
        node.pointers[1] = 0
        for number, (n, (source, size)) in enumerate(data.items()):
            field, k = cell(n)
            place = node.addr(field) + k
            place.store(b.const(u64, 0))
            with b.If(~is_null(source)):
                place.store(places[n])
                node.pointers[number] = CallNode.offset(field) + 8 * k
                b.memcpy(b.bytes_from(node, places[n], u8), source, size)


def _command(b: Any, ctx: GLContext, *args: Any) -> None:
    """Any other listable command: its arguments, and what pointer arguments lead to."""
    row = TABLE.row(b.gl_slot)
    counted = [_counted(b, value) for value in args]
    data = {}
    for n, value in enumerate(args):
        if isinstance(value.ty, Ptr):
            wanted = listable.pointer_bytes(Emitted(b), row.name, row.params[n][1], counted)
            size = b.select(is_null(value), b.const(u64, 0), b.cast(b.coerce(wanted, i64), u64))
            data[n] = value.cast(ptr(u8)), size
    _put_call(b, ctx, args, NODE_CALL_INTS, data)


def _unless_proxy(compiled: Any) -> Any:
    """Textures' proxies are queries in disguise: executed, not compiled."""

    def body(b: Any, ctx: GLContext, *args: Any) -> None:
        row = TABLE.row(b.gl_slot)
        proxies = listable.proxies(row.name)
        if not proxies:
            compiled(b, ctx, *args)
            return
        target = args[[name for name, _ in row.params].index("target")]
        with b.If(one_of(b, target, proxies), likely=False):
            with b.If(save_of(ctx).execute == 0):  # or it is about to be run
                call_executed(b, ctx, row, args)
        with b.Else():
            compiled(b, ctx, *args)

    return body


def _image(b: Any, ctx: GLContext, *args: Any) -> None:
    """A command with an image, or with a table that may lie in a buffer object: Python unpacks it
    into rows without gaps, which the list keeps.
    """
    slot = b.gl_slot
    data, size = b.var(ptr(u8), b.const(ptr(u8), None)), b.var(u64, 0)
    there = ~is_null(args[-1]) | ~is_null(ctx.pixel.unpack_buffer)
    with b.If(there & ~inside(ctx)):
        cells = ctx.dlist.args
        for n, value in enumerate(args):
            cells[n] = _wide(b, value)
        b.call(ctx.hook_upload, ctx, slot << 8 | HOOK_SAVE_IMAGE)
        data.value, size.value = b.int_to_ptr(cells[0], u8), cells[1]
        with b.If(cells[2] != 0, likely=False):
            b.call(save_error, ctx, b.cast(cells[2], u32), slot)
    _put_call(b, ctx, args, NODE_PIXELS, {len(args) - 1: (data.value, size.value)})


save_material = material_kernel("save_material", save_attr, error_node_if)


def _material(form: Any) -> Any:
    def body(b: Any, ctx: GLContext, *args: Any) -> None:
        with b.If(inside(ctx)):
            b.call(save_material, ctx, args[0], args[1], form(b, *args), b.gl_slot)
        with b.Else():
            _command(b, ctx, *args)

    return body


def _end_list(b: Any, ctx: GLContext) -> None:
    b.call(save_end_list, ctx, b.gl_slot)


def _form(name: str) -> Any:
    """How a listable command is kept."""
    if name in listable.IMAGES or name.startswith("glPixelMap"):
        return _unless_proxy(_image)
    return _command


SPECIAL: dict[str, Any] = {
    "glBegin": _begin,
    "glEnd": _end,
    "glArrayElement": _array_element,
    "glPrimitiveRestartNV": _primitive_restart,
    "glDrawArrays": _draw_arrays,
    **{row.name: _elements(row) for row in arrays.ELEMENTS_CALLS if not row.instances},
    "glMultiDrawArrays": _multi_arrays,
    "glMultiDrawElements": _multi_elements,
    "glMultiDrawElementsBaseVertex": _multi_elements,
    **dict.fromkeys(RECTS, _rect),
}

#: between glBegin and glEnd of the list they are vertex attributes
_MATERIALS = {"glMaterial" + suffix: _material(form) for suffix, form in MATERIALS.items()}


def _one_of_four(b: Builder, number: Any) -> Value:
    """Memory with a number and three zeros."""
    values = b.array(number.ty, 4)
    for n, value in enumerate((number, 0, 0, 0)):
        values[n] = value
    return values


def _kernel(name: str, body: Any, compiled: bool = True) -> Kernel:
    """What a command does while a list is compiled; `compiled`: where that is executed, it runs."""
    row = TABLE.row(name)
    vector = listable.VECTORS.get(name)

    def trace(b: Any, ctx: GLContext, *args: Any) -> None:
        kept = TABLE.row(vector or name)
        b.gl_slot = kept.slot
        if vector:
            args = (*args[:-1], _one_of_four(b, args[-1]))
        # b.Return inside a body would skip the execution: bodies that return early are kernels of
        # their own
        body(b, ctx, *args)
        if compiled:
            execute(b, ctx, kept, args)

    return Kernel(trace, "save_" + name, void, (CTX, *(type_of(c) for _, c in row.params)))


#: not allowed while a list is compiled (ARB_draw_instanced, ARB_draw_indirect)
REFUSED = (
    "glDrawArraysInstanced",
    "glDrawArraysInstancedBaseInstance",
    *(row.name for row in arrays.ELEMENTS_CALLS if row.instances),
    *(row.name for row in INDIRECT),
)


def _refuse(b: Any, ctx: GLContext, *args: Any) -> None:
    b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, b.gl_slot)


def kernels() -> list[Kernel]:
    """The exports of the module `vbo_save`."""
    out = [_kernel(row.name, _attribute(row)) for row in ROWS]
    out += [_kernel(name, body) for name, body in SPECIAL.items()]
    out += [_kernel(name, _refuse, compiled=False) for name in REFUSED]
    names = listable.base_names()
    out += [_kernel(name, _MATERIALS.get(name) or _form(name)) for name in names]
    out.append(_kernel("glEndList", _end_list, compiled=False))
    return out
