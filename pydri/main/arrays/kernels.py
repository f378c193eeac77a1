# SPDX-License-Identifier: MIT
"""Native vertex array state: gl*Pointer, formats and bindings (ARB_vertex_attrib_binding), array
enables, vertex array objects, glInterleavedArrays.

ONE table, ARRAYS, says what each fixed-function call allows; `check_format` checks in the order of
the specification, the PipeFormat comes out of a constant table. Everything takes the vertex array
object as an argument, so that the calls of direct state access are the same kernels. `stale` tells
the draw kernels to look again; `key.attrib_format` is theirs to write, since immediate mode has
formats of its own. An object holds references to its buffers. Mesa: main/varray.c,
main/arrayobj.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.apis import CORE, ES1
from pydri.api.dispatch import gl_kernel
from pydri.api.gl_table import TABLE
from pydri.jit import i32, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.main import defaults
from pydri.main.arrays.enable_kernels import VAO, set_array_enabled
from pydri.main.arrays.format_kernels import NORMALIZED, check_format
from pydri.main.arrays.layout import VERTEX_BUFFERS, VertexArray
from pydri.main.arrays.tables import (
    BGRA,
    EVERY,
    FLOATS,
    FORMATS,
    GENERIC,
    INTEGERS,
    NUMBER,
    PACKED_10,
    TYPES,
    format_index,
    size_mask,
    type_mask,
)
from pydri.main.buffers.kernels import names as buffer_names
from pydri.main.buffers.storage_kernels import BUFFER
from pydri.main.kernels import (
    CTX,
    error_if,
    errors_of_several,
    gl_record_error,
    is_null,
    lookup,
    native,
    native_as,
    record_error,
    where,
)
from pydri.main.names.kernels import install
from pydri.main.names.object_kernels import NAMED, put_reference, rebind
from pydri.main.names.tables import ARRAYS as ARRAY_KIND
from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR_INDEX,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_FOG,
    VERT_ATTRIB_GENERIC0,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_POINT_SIZE,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

MAX_GENERIC = 16
MAX_RELATIVE_OFFSET = 2047
# flags of an array, beside NORMALIZED: what its numbers mean (MEANINGS of tables.py)
_INTEGER = 2
_UNSIGNED_BYTE, _FLOAT = NUMBER[gl.GL_UNSIGNED_BYTE], NUMBER[gl.GL_FLOAT]


@kernel(u32, (VAO, u32, u32, u32, u32), noinline=True)
def set_format(b: Builder, vao: Any, slot: Any, checked: Any, flags: Any,
               relative_offset: Any) -> Value:  # fmt: skip
    """Write one array's format (`checked`: of check_format). Returns the bytes of an element."""
    kind, n = checked & 15, checked >> 4
    array = vao.attribs + slot
    bgra = n == BGRA
    count = b.select(bgra, b.const(u32, 4), n)
    each = b.cast(b.table(u8, [row.bytes for row in TYPES])[kind], u32)
    packed = b.cast(b.table(u8, [row.packed for row in TYPES])[kind], u32)
    size = b.select(packed != 0, packed, count * each)
    enum = b.cast(b.table(u16, [row.enum for row in TYPES])[kind], u32)
    array.size = b.select(bgra, b.const(u32, gl.GL_BGRA), count)
    array.type = b.cast(enum, u16)
    array.format = b.table(u8, FORMATS)[format_index(kind, flags, n)]
    array.normalized = b.cast(flags & NORMALIZED, u8)
    array.integer = b.cast(flags >> 1, u8)
    array.bytes = b.cast(size, u16)
    array.relative_offset = relative_offset
    vao.stale = 1
    return size


@kernel(void, (CTX, VAO, u32, u32, u32, i32, u32, ptr(u8)), noinline=True)
def set_array(
    b: Builder, ctx: GLContext, vao: Any, slot: Any, checked: Any, flags: Any, stride: Any,
    given_stride: Any, pointer: Any,
) -> None:  # fmt: skip
    """Write one array and its own binding, which gets the array buffer; everything is checked."""
    size = b.call(set_format, vao, slot, checked, flags, 0)
    array = vao.attribs + slot
    array.pointer = pointer
    array.binding = slot
    array.given_stride = given_stride
    binding = vao.buffers + slot
    rebind(b, ctx, binding.addr("buffer"), ctx.buffers.array)
    binding.offset = b.ptr_to_int(pointer)
    binding.stride = b.select(stride == 0, size, b.cast(stride, u32))


def no_object(ctx: GLContext) -> Value:
    """Whether there are no vertex arrays: the core profile has none without an object (OpenGL 3.2
    core, E.2.2), and draws nothing."""
    found: Value = (ctx.api == CORE) & (ctx.arrays.vao.name == 0)
    return found


@kernel(void, (CTX, u32, u32, i32, u32, i32, u32, u32, ptr(u8), u32), noinline=True)
def array_pointer(b: Builder, ctx: GLContext, slot: Any, allowed: Value, size: Any, type_: Value,
                  stride: Any, flags: Any, count: Any, pointer: Any,
                  where_: Value) -> None:  # fmt: skip
    """Check and set; `flags`: 1 normalized, 2 integer; `count`: what EXT_vertex_array gives, 0."""
    with b.If(no_object(ctx), likely=False):
        b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, where_)
        b.Return()
    checked = b.call(check_format, ctx, allowed, size, type_, flags, where_)
    with b.If(checked == 0xFFFFFFFF, likely=False):
        b.Return()
    with b.If(stride < 0, likely=False):
        b.call(gl_record_error, ctx, gl.GL_INVALID_VALUE, where_)
        b.Return()
    vao, buffer = ctx.arrays.vao, ctx.buffers.array
    # an object of ARB_vertex_array_object holds no addresses of client memory
    with b.If((vao.name != 0) & is_null(buffer) & ~is_null(pointer), likely=False):
        b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, where_)
        b.Return()
    b.call(set_array, ctx, vao, slot, checked, flags, stride, b.cast(stride, u32), pointer)
    vao.counts[slot] = count


class ArrayCall(NamedTuple):
    """One gl*Pointer: slot, sizes it allows, types, normalized?, fixed size and type (0: it is an
    argument); sizes and types that OpenGL ES 1 allows.
    """

    name: str
    slot: int
    sizes: tuple[int, ...]
    types: int
    normalized: bool = False
    fixed_size: int = 0
    fixed_type: int = 0
    es1: int = 0


_COORDS = type_mask(gl.GL_SHORT, gl.GL_INT) | FLOATS | PACKED_10
_NORMALS = _COORDS | type_mask(gl.GL_BYTE)
#: of OpenGL ES 1 (1.1, table 2.4)
_ES1_SIZES = type_mask(gl.GL_FLOAT, gl.GL_FIXED)
_ES1_COORDS = _ES1_SIZES | type_mask(gl.GL_BYTE, gl.GL_SHORT)
_ES1_COLORS = _ES1_SIZES | type_mask(gl.GL_UNSIGNED_BYTE)
ARRAYS: tuple[ArrayCall, ...] = (
    ArrayCall("glVertexPointer", VERT_ATTRIB_POS, (2, 3, 4), _COORDS,
              es1=_ES1_COORDS | size_mask(2, 3, 4)),
    ArrayCall("glNormalPointer", VERT_ATTRIB_NORMAL, (3,), _NORMALS, True, 3,
              es1=_ES1_COORDS | size_mask(3)),
    ArrayCall("glColorPointer", VERT_ATTRIB_COLOR0, (3, 4, BGRA), EVERY, True,
              es1=_ES1_COLORS | size_mask(4)),
    ArrayCall("glSecondaryColorPointer", VERT_ATTRIB_COLOR0 + 1, (3, BGRA), EVERY, True),
    ArrayCall("glFogCoordPointer", VERT_ATTRIB_FOG, (1,), FLOATS, False, 1),
    ArrayCall(
        "glIndexPointer",
        VERT_ATTRIB_COLOR_INDEX,
        (1,),
        type_mask(gl.GL_UNSIGNED_BYTE, gl.GL_SHORT, gl.GL_INT, gl.GL_FLOAT, gl.GL_DOUBLE),
        False,
        1,
    ),
    ArrayCall("glTexCoordPointer", VERT_ATTRIB_TEX0, (1, 2, 3, 4), _COORDS,
              es1=_ES1_COORDS | size_mask(2, 3, 4)),
    ArrayCall("glPointSizePointerOES", VERT_ATTRIB_POINT_SIZE, (1,), _ES1_SIZES, False, 1,
              es1=_ES1_SIZES | size_mask(1)),
    ArrayCall(
        "glEdgeFlagPointer",
        VERT_ATTRIB_EDGEFLAG,
        (1,),
        type_mask(gl.GL_UNSIGNED_BYTE),
        False,
        1,
        gl.GL_UNSIGNED_BYTE,
    ),
)


def _make_pointer(row: ArrayCall, name: str, counted: bool = False) -> None:
    """`counted`: EXT_vertex_array's form, which has the number of vertices before the pointer."""

    def body(b: Builder, ctx: GLContext, *args: Any) -> None:
        *rest, pointer = args
        count = rest.pop() if counted else b.const(i32, 0)
        if counted:
            error_if(b, ctx, count < 0, gl.GL_INVALID_VALUE)
        size = row.fixed_size or rest.pop(0)
        type_ = row.fixed_type or rest.pop(0)
        (stride,) = rest
        slot: Any = row.slot
        if row.slot == VERT_ATTRIB_TEX0:
            slot = ctx.arrays.client_active_texture + slot
        allowed: Any = row.types | size_mask(*row.sizes)
        if row.es1:
            allowed = b.select(ctx.api == ES1, b.const(u32, row.es1), allowed)
        b.call(
            array_pointer, ctx, slot, allowed, size, type_, stride, int(row.normalized),
            b.cast(count, u32), pointer, where(b),
        )  # fmt: skip

    native_as(name, body)


for _row in ARRAYS:
    _make_pointer(_row, _row.name)
    _ext = _row.name + "EXT"
    if _ext in TABLE.slots and not TABLE.row(_ext).alias:
        _make_pointer(_row, _ext, counted=True)


# -- generic arrays -------------------------------------------------------------------------------

ALL_SIZES = size_mask(1, 2, 3, 4, BGRA)
PURE_SIZES = size_mask(1, 2, 3, 4)
#: what glVertexAttrib*Pointer and glVertexAttrib*Format allow
KINDS: dict[str, tuple[int, int]] = {
    "": (GENERIC | ALL_SIZES, 0),
    "I": (INTEGERS | PURE_SIZES, _INTEGER),
    "L": (type_mask(gl.GL_DOUBLE) | PURE_SIZES, 0),
}


def _generic_pointer(letter: str) -> None:
    allowed, fixed = KINDS[letter]

    def body(b: Builder, ctx: GLContext, index: Value, size: Value, type_: Value,
             *rest: Any) -> None:  # fmt: skip
        error_if(b, ctx, index >= MAX_GENERIC, gl.GL_INVALID_VALUE)
        flags: Any = fixed
        if not letter:
            flags = b.cast(rest[0] != 0, u32)
        stride, pointer = rest[-2:]
        slot = index + VERT_ATTRIB_GENERIC0
        b.call(
            array_pointer, ctx, slot, allowed, size, type_, stride, flags, 0, pointer, where(b)
        )

    native_as(f"glVertexAttrib{letter}Pointer", body)


for _letter in ("", "I"):
    _generic_pointer(_letter)


def _generic_enable(b: Builder, ctx: GLContext, vao: Any, index: Value, on: int) -> None:
    error_if(b, ctx, index >= MAX_GENERIC, gl.GL_INVALID_VALUE)
    b.call(set_array_enabled, ctx, vao, b.cast(index + VERT_ATTRIB_GENERIC0, i32), on)


# -- objects --------------------------------------------------------------------------------------

@kernel(void, (CTX, NAMED), noinline=True)
def vao_born(b: Builder, ctx: GLContext, thing: Any) -> None:
    """The initial state of the arrays (GL 4.5, table 23.3)."""
    image = VertexArray.ctype()()
    defaults.vertex_array(image)
    first, end = VertexArray.offset("attribs"), VertexArray.offset("bindings")
    values = b.table(u8, bytes(image)[first:end])
    b.memcpy(b.bytes_from(thing, first, u8), values, end - first)


@kernel(void, (CTX, NAMED), noinline=True)
def vao_unbind(b: Builder, ctx: GLContext, thing: Any) -> None:
    """The object is deleted: if it is bound, 0 is."""
    arrays = ctx.arrays
    with b.If(arrays.vao == thing.cast(VAO)):
        rebind(b, ctx, arrays.addr("vao"), arrays.addr("default"))


@kernel(void, (CTX, NAMED), noinline=True)
def vao_dead(b: Builder, ctx: GLContext, thing: Any) -> None:
    """What an object refers to."""
    vao, null = thing.cast(VAO), b.const(BUFFER, None)
    put_reference(b, ctx, vao.addr("element_buffer"), null)
    with b.For(b.const(u32, 0), VERTEX_BUFFERS, 1) as n:
        put_reference(b, ctx, (vao.buffers + n).addr("buffer"), null)


names = install(ARRAY_KIND, __name__, born=vao_born, unbind=vao_unbind, dead=vao_dead)


@gl_kernel
@kernel(void, (CTX,), cold=True)
def leave_arrays(b: Builder, ctx: GLContext) -> None:
    """The context goes: 0 is bound, and it refers to nothing."""
    arrays = ctx.arrays
    rebind(b, ctx, arrays.addr("vao"), arrays.addr("default"))
    b.call(vao_dead, ctx, arrays.addr("default").cast(NAMED))


# -- operations on a vertex array object, bound or named -------------------------------------------


@kernel(VAO, (CTX, u32, u32), noinline=True)
def vao_of_name(b: Builder, ctx: GLContext, name: Value, slot: Any) -> Value:
    """The object of a direct call; null after an error. 0 is none in the core profile (GL 4.5 core,
    10.3.1)."""
    found = b.var(VAO, ctx.arrays.addr("default"))
    with b.If((name != 0) | (ctx.api == CORE)):
        found.value = names.peek(b, ctx, name)
    with b.If(is_null(found.value), likely=False):
        b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, slot)
    return found.value


def _operation(names: tuple[str, str], body: Any, needs: bool = True) -> None:
    """An entry point on the bound object (`needs`: an error without one), and one whose first
    argument names the object."""

    def bound(b: Builder, ctx: GLContext, *args: Any) -> None:
        if needs:
            error_if(b, ctx, no_object(ctx), gl.GL_INVALID_OPERATION)
        body(b, ctx, ctx.arrays.vao, *args)

    def named(b: Builder, ctx: GLContext, name: Value, *args: Any) -> None:
        vao = b.call(vao_of_name, ctx, name, where(b))
        with b.If(~is_null(vao)):
            body(b, ctx, vao, *args)

    if names[0]:
        native_as(names[0], bound)
    native_as(names[1], named)


_operation(
    ("glEnableVertexAttribArray", "glEnableVertexArrayAttrib"),
    lambda b, ctx, vao, index: _generic_enable(b, ctx, vao, index, 1), needs=False,
)  # fmt: skip
_operation(
    ("glDisableVertexAttribArray", "glDisableVertexArrayAttrib"),
    lambda b, ctx, vao, index: _generic_enable(b, ctx, vao, index, 0), needs=False,
)  # fmt: skip


def _format_operation(letter: str) -> None:
    allowed, fixed = KINDS[letter]

    def body(b: Builder, ctx: GLContext, vao: Any, index: Value, size: Value, type_: Value,
             *rest: Any) -> None:  # fmt: skip
        error_if(b, ctx, index >= MAX_GENERIC, gl.GL_INVALID_VALUE)
        flags: Any = fixed if letter else b.cast(rest[0] != 0, u32)
        offset = rest[-1]
        checked = b.call(check_format, ctx, allowed, size, type_, flags, where(b))
        with b.If(checked != 0xFFFFFFFF):
            error_if(b, ctx, offset > MAX_RELATIVE_OFFSET, gl.GL_INVALID_VALUE)
            b.call(set_format, vao, index + VERT_ATTRIB_GENERIC0, checked, flags, offset)

    _operation((f"glVertexAttrib{letter}Format", f"glVertexArrayAttrib{letter}Format"), body)


for _letter in KINDS:
    _format_operation(_letter)


def _attrib_binding(b: Builder, ctx: GLContext, vao: Any, index: Operand, binding: Operand) -> None:
    bad = (index >= MAX_GENERIC) | (binding >= MAX_GENERIC)
    error_if(b, ctx, bad, gl.GL_INVALID_VALUE)
    (vao.attribs + (index + VERT_ATTRIB_GENERIC0)).binding = binding + VERT_ATTRIB_GENERIC0
    vao.stale = 1


_operation(("glVertexAttribBinding", "glVertexArrayAttribBinding"), _attrib_binding)


def _binding_divisor(b: Builder, ctx: GLContext, vao: Any, binding: Operand,
                     divisor: Operand) -> None:  # fmt: skip
    error_if(b, ctx, binding >= MAX_GENERIC, gl.GL_INVALID_VALUE)
    (vao.buffers + (binding + VERT_ATTRIB_GENERIC0)).divisor = divisor
    vao.stale = 1


_operation(("glVertexBindingDivisor", "glVertexArrayBindingDivisor"), _binding_divisor)


@native
def glVertexAttribDivisor(b: Builder, ctx: GLContext, index: Value, divisor: Value) -> None:
    _attrib_binding(b, ctx, ctx.arrays.vao, index, index)
    _binding_divisor(b, ctx, ctx.arrays.vao, index, divisor)


def _vertex_buffer(
    b: Builder, ctx: GLContext, vao: Any, binding: Value, name: Value, offset: Value, stride: Value
) -> None:
    error_if(b, ctx, binding >= MAX_GENERIC, gl.GL_INVALID_VALUE)
    error_if(b, ctx, (offset < 0) | (stride < 0), gl.GL_INVALID_VALUE)
    error_if(b, ctx, stride > b.cast(ctx.limits.attrib_stride, stride.ty), gl.GL_INVALID_VALUE)
    found = b.var(BUFFER, b.const(BUFFER, None))
    with b.If(name != 0):
        found.value = b.call(buffer_names.obtain, ctx, name, where(b))
        with b.If(is_null(found.value), likely=False):
            b.Return()
    b.call(put_vertex_buffer, ctx, vao, binding, found.value, b.cast(offset, u64),
           b.cast(stride, u32))


@kernel(void, (CTX, VAO, u32, BUFFER, u64, u32), noinline=True)
def put_vertex_buffer(
    b: Builder, ctx: GLContext, vao: Any, binding: Any, buffer: Any, offset: Any, stride: Any
) -> None:
    """A binding's buffer (null, or with a reference, which is the object's now)."""
    at = vao.buffers + (binding + VERT_ATTRIB_GENERIC0)
    put_reference(b, ctx, at.addr("buffer"), buffer)
    # without a buffer there is nothing to read; addresses come from gl*Pointer alone
    at.offset = b.select(is_null(buffer), b.const(u64, 0), offset)
    at.stride = stride
    vao.stale = 1


_operation(("glBindVertexBuffer", "glVertexArrayVertexBuffer"), _vertex_buffer)


@kernel(u32, (CTX, VAO, u32, u32, i64, i32), noinline=True)
def one_of_several(
    b: Builder, ctx: GLContext, vao: Any, binding: Any, name: Value, offset: Any, stride: Any
) -> Value:
    """One binding of glBindVertexBuffers: the GL error, and then it stays as it was, or 0."""
    beyond = stride > b.cast(ctx.limits.attrib_stride, i32)
    with b.If((offset < 0) | (stride < 0) | beyond):
        b.Return(gl.GL_INVALID_VALUE)
    found = b.var(BUFFER, b.const(BUFFER, None))
    with b.If(name != 0):
        found.value = buffer_names.acquire(b, ctx, name)
        with b.If(is_null(found.value)):
            b.Return(gl.GL_INVALID_OPERATION)
    b.call(put_vertex_buffer, ctx, vao, binding, found.value, b.cast(offset, u64),
           b.cast(stride, u32))
    return b.const(u32, 0)


def _vertex_buffers(b: Builder, ctx: GLContext, vao: Any, first: Value, count: Value,
                    buffers: Value, offsets: Pointer, strides: Value) -> None:  # fmt: skip
    """ARB_multi_bind: without names all bindings lose their buffer."""
    errors_of_several(b, ctx, first, count, MAX_GENERIC)
    with b.For(b.const(i32, 0), b.min(count, MAX_GENERIC), 1) as n:
        binding = first + b.cast(n, u32)
        with b.If(is_null(buffers)):
            b.call(put_vertex_buffer, ctx, vao, binding, b.const(BUFFER, None), 0, 16)
        with b.Else():
            error = b.call(one_of_several, ctx, vao, binding, buffers[n],
                           b.cast(offsets[n], i64), strides[n])  # fmt: skip
            with b.If(error != 0, likely=False):
                b.call(gl_record_error, ctx, error, where(b))


_operation(("glBindVertexBuffers", "glVertexArrayVertexBuffers"), _vertex_buffers)


def _element_buffer(b: Builder, ctx: GLContext, vao: Any, name: Value) -> None:
    found = b.var(BUFFER, b.const(BUFFER, None))
    with b.If(name != 0):
        found.value = buffer_names.acquire(b, ctx, name)
        with b.If(is_null(found.value)):
            record_error(b, ctx, gl.GL_INVALID_OPERATION)
            b.Return()
    put_reference(b, ctx, vao.addr("element_buffer"), found.value)


_operation(("", "glVertexArrayElementBuffer"), _element_buffer)


# -- binding --------------------------------------------------------------------------------------


@native
def glBindVertexArray(b: Builder, ctx: GLContext, name: Value) -> None:
    arrays = ctx.arrays
    with b.If(name == arrays.vao.name):
        b.Return()
    with b.If(name == 0):
        rebind(b, ctx, arrays.addr("vao"), arrays.addr("default"))
        b.Return()
    found = names.bind(b, ctx, name, where(b))
    with b.If(~is_null(found)):
        put_reference(b, ctx, arrays.addr("vao"), found)


class Interleaved(NamedTuple):
    """A row of GL 2.1, table 2.5; sizes 0 mean "not there", offsets and stride in bytes."""

    enum: int
    texcoord: int
    color: int
    normal: int
    vertex: int
    color_bytes: bool
    color_at: int
    normal_at: int
    vertex_at: int
    stride: int


INTERLEAVED: tuple[Interleaved, ...] = (
    Interleaved(gl.GL_V2F, 0, 0, 0, 2, False, 0, 0, 0, 8),
    Interleaved(gl.GL_V3F, 0, 0, 0, 3, False, 0, 0, 0, 12),
    Interleaved(gl.GL_C4UB_V2F, 0, 4, 0, 2, True, 0, 0, 4, 12),
    Interleaved(gl.GL_C4UB_V3F, 0, 4, 0, 3, True, 0, 0, 4, 16),
    Interleaved(gl.GL_C3F_V3F, 0, 3, 0, 3, False, 0, 0, 12, 24),
    Interleaved(gl.GL_N3F_V3F, 0, 0, 3, 3, False, 0, 0, 12, 24),
    Interleaved(gl.GL_C4F_N3F_V3F, 0, 4, 3, 3, False, 0, 16, 28, 40),
    Interleaved(gl.GL_T2F_V3F, 2, 0, 0, 3, False, 0, 0, 8, 20),
    Interleaved(gl.GL_T4F_V4F, 4, 0, 0, 4, False, 0, 0, 16, 32),
    Interleaved(gl.GL_T2F_C4UB_V3F, 2, 4, 0, 3, True, 8, 0, 12, 24),
    Interleaved(gl.GL_T2F_C3F_V3F, 2, 3, 0, 3, False, 8, 0, 20, 32),
    Interleaved(gl.GL_T2F_N3F_V3F, 2, 0, 3, 3, False, 0, 8, 20, 32),
    Interleaved(gl.GL_T2F_C4F_N3F_V3F, 2, 4, 3, 3, False, 8, 24, 36, 48),
    Interleaved(gl.GL_T4F_C4F_N3F_V4F, 4, 4, 3, 4, False, 16, 32, 44, 60),
)


@native
def glInterleavedArrays(b: Builder, ctx: GLContext, format_: Value, stride: Any,
                        pointer: Any) -> None:  # fmt: skip
    # Mesa's order of checks: stride, then format
    error_if(b, ctx, stride < 0, gl.GL_INVALID_VALUE)
    row = lookup(b, format_, {r.enum: n + 1 for n, r in enumerate(INTERLEAVED)})
    error_if(b, ctx, row == 0, gl.GL_INVALID_ENUM)
    n = row - 1

    def column(values: list[int]) -> Any:
        return b.cast(b.table(u8, values)[n], i32)

    real = b.select(stride == 0, column([r.stride for r in INTERLEAVED]), stride)
    vao, buffer = ctx.arrays.vao, ctx.buffers.array
    client = (vao.name != 0) & is_null(buffer) & ~is_null(pointer)
    error_if(b, ctx, client, gl.GL_INVALID_OPERATION)
    for slot in (
        VERT_ATTRIB_COLOR_INDEX,
        VERT_ATTRIB_EDGEFLAG,
        VERT_ATTRIB_COLOR0 + 1,
        VERT_ATTRIB_FOG,
    ):
        b.call(set_array_enabled, ctx, vao, slot, 0)
    color_bytes = column([int(r.color_bytes) for r in INTERLEAVED])
    color_kind = b.select(color_bytes != 0, b.const(u32, _UNSIGNED_BYTE), _FLOAT)
    texture = b.cast(ctx.arrays.client_active_texture + VERT_ATTRIB_TEX0, i32)

    def part(slot: Value, sizes: list[int], kind: Operand, normalized: int,
             offsets: list[int]) -> None:  # fmt: skip
        """Set and enable one array, or disable it where a row has none."""
        size = column(sizes)
        with b.If(size != 0):
            checked = b.cast(size, u32) * 16 + kind
            given, at = b.cast(real, u32), pointer + column(offsets)
            at_slot = b.cast(slot, u32)
            b.call(set_array, ctx, vao, at_slot, checked, normalized, real, given, at)
            b.call(set_array_enabled, ctx, vao, slot, 1)
        with b.Else():
            b.call(set_array_enabled, ctx, vao, slot, 0)

    rows = INTERLEAVED
    part(texture, [r.texcoord for r in rows], _FLOAT, 0, [0 for r in rows])
    color, normal, position = (
        b.const(i32, n) for n in (VERT_ATTRIB_COLOR0, VERT_ATTRIB_NORMAL, VERT_ATTRIB_POS)
    )
    part(color, [r.color for r in rows], color_kind, 1, [r.color_at for r in rows])
    part(normal, [r.normal for r in rows], _FLOAT, 1, [r.normal_at for r in rows])
    part(position, [r.vertex for r in rows], _FLOAT, 0, [r.vertex_at for r in rows])
