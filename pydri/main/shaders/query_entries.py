# SPDX-License-Identifier: MIT
"""Questions about shaders and programs (GL 2.1, 6.1.14; ARB_shader_objects).

In: names, numbers and locations. Out: texts, lists and values at the program's addresses. Mesa:
main/shaderapi.c, main/shader_query.cpp, main/uniform_query.cpp (_mesa_get_uniform).
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.api.where import registered
from pydri.glsl.link.linked import UNIFORM_BLOCK
from pydri.main.pointers import F32, F64, I32, U32, address_of, bounded, check_room, store
from pydri.main.shaders.entries import name_text
from pydri.main.shaders.layout import (
    BOOL,
    FLOAT,
    NO_UNIFORM,
    UINT,
    Executable,
    ProgramObject,
    UniformSlot,
)
from pydri.main.shaders.link import settle
from pydri.main.shaders.objects import (
    ProgramData,
    ShaderData,
    at_work,
    find,
    linked_of,
    program_of,
    shader_of,
)
from pydri.main.shaders.resources import full_name
from pydri.main.shaders.types import type_enum
from pydri.pipe.native import SHADER_GEOMETRY

if TYPE_CHECKING:
    from pydri.glsl.link.linked import Linked
    from pydri.main.context import GLContext
    from pydri.nir.types import Type


def put_text(text: bytes, room: int, length: Any, out: Any) -> None:
    """Write a text with its zero, as much as there is room for; and how long that is without."""
    if room < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"bufSize={room}")
    part = text[: max(room - 1, 0)]
    at = address_of(out)
    if at and room:
        ctypes.memmove(at, part + b"\0", len(part) + 1)
    store(length, I32, [len(part)])


# -- numbers ---------------------------------------------------------------------------------------


def _with_zero(text: bytes | None) -> int:
    return len(text) + 1 if text else 0


def _done(ctx: GLContext, pname: int) -> bool:
    """Whether that is asked which is always so when it is asked: that nothing is compiled any more
    (KHR_parallel_shader_compile)."""
    return pname == gl.GL_COMPLETION_STATUS_KHR and ctx.has(registered(pname))


def _shader_number(ctx: GLContext, shader: ShaderData, pname: int) -> int:
    if pname == gl.GL_SHADER_TYPE:
        return int(shader.n.kind)
    if pname == gl.GL_DELETE_STATUS:
        return int(shader.n.pending)
    if pname in (gl.GL_COMPILE_STATUS, gl.GL_INFO_LOG_LENGTH):
        settle(shader)
        return int(shader.compiled) if pname == gl.GL_COMPILE_STATUS else _with_zero(shader.log)
    if pname == gl.GL_SHADER_SOURCE_LENGTH:
        return 0 if shader.source is None else len(shader.source) + 1
    if _done(ctx, pname):
        settle(shader)
        return 1
    raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")


def _longest(names: list[str]) -> int:
    return max((len(name) + 1 for name in names), default=0)


#: what is asked of geometry shaders, and the fields of Executable
_OF_GEOMETRY = {
    gl.GL_GEOMETRY_VERTICES_OUT: "geometry_vertices", gl.GL_GEOMETRY_INPUT_TYPE: "geometry_input",
    gl.GL_GEOMETRY_OUTPUT_TYPE: "geometry_output",
}  # fmt: skip


#: of program binaries, of which there are none (binary_entries.py)
_OF_BINARIES = (gl.GL_PROGRAM_BINARY_RETRIEVABLE_HINT, gl.GL_PROGRAM_BINARY_LENGTH)


def _program_number(ctx: GLContext, program: ProgramData, pname: int) -> int:
    linked, n = program.linked, program.n
    rows = range(len(linked.uniforms)) if linked else ()
    if pname == gl.GL_DELETE_STATUS:
        return int(n.pending)
    if pname == gl.GL_LINK_STATUS:
        return int(n.linked != 0)
    if pname == gl.GL_VALIDATE_STATUS:
        return int(program.validated)
    if pname == gl.GL_INFO_LOG_LENGTH:
        return _with_zero(program.log)
    if pname == gl.GL_ATTACHED_SHADERS:
        return len(program.shaders)
    if pname == gl.GL_ACTIVE_ATTRIBUTES:
        return len(linked.attributes) if linked else 0
    if pname == gl.GL_ACTIVE_ATTRIBUTE_MAX_LENGTH:
        return _longest([a.name for a in linked.attributes]) if linked else 0
    if pname == gl.GL_ACTIVE_UNIFORMS:
        return len(rows)
    if pname == gl.GL_ACTIVE_UNIFORM_BLOCKS:
        return len(linked.resources[UNIFORM_BLOCK]) if linked else 0
    if pname == gl.GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH:
        return _longest([row.name for row in linked.resources[UNIFORM_BLOCK]]) if linked else 0
    if pname == gl.GL_TRANSFORM_FEEDBACK_BUFFER_MODE:
        return gl.GL_SEPARATE_ATTRIBS if program.captures[1] else gl.GL_INTERLEAVED_ATTRIBS
    if pname == gl.GL_TRANSFORM_FEEDBACK_VARYINGS:
        return len(program.captures[0])
    if pname == gl.GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH:
        return _longest(list(program.captures[0]))
    if pname == gl.GL_ACTIVE_UNIFORM_MAX_LENGTH:
        return _longest([full_name(row) for row in linked.uniforms]) if linked else 0
    if pname in _OF_BINARIES and ctx.has(registered(pname)):
        return int(program.retrievable) if pname == gl.GL_PROGRAM_BINARY_RETRIEVABLE_HINT else 0
    if _done(ctx, pname):
        return 1
    field = _OF_GEOMETRY.get(pname)
    if field is not None and ctx.has(registered(pname)):
        made: Any = Executable.view(n.exec) if linked else None
        if made is None or not made.stages[SHADER_GEOMETRY].number:
            raise GLError(gl.GL_INVALID_OPERATION, "no linked geometry shader")
        return int(getattr(made, field))
    raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")


@entry(flush=False)
def glGetShaderiv(ctx: GLContext, shader: int, pname: int, params: Any) -> None:
    with at_work(ctx, shader, shader_of) as found:
        store(params, I32, [_shader_number(ctx, found, pname)])


@entry(flush=False)
def glGetProgramiv(ctx: GLContext, program: int, pname: int, params: Any) -> None:
    with ctx.shared.lock:
        store(params, I32, [_program_number(ctx, program_of(ctx, program), pname)])


def _object_number(ctx: GLContext, obj: int, pname: int) -> int:
    with ctx.shared.lock:
        found = find(ctx, obj)
        if found is None:
            raise GLError(gl.GL_INVALID_VALUE, f"object={obj}")
        if isinstance(found, ProgramData):
            if pname == gl.GL_OBJECT_TYPE_ARB:
                return gl.GL_PROGRAM_OBJECT_ARB
            return _program_number(ctx, found, pname)
    if pname == gl.GL_OBJECT_TYPE_ARB:
        return gl.GL_SHADER_OBJECT_ARB
    with at_work(ctx, obj, shader_of) as shader:
        return _shader_number(ctx, shader, pname)


@entry(flush=False)
def glGetObjectParameterivARB(ctx: GLContext, obj: int, pname: int, params: Any) -> None:
    store(params, I32, [_object_number(ctx, obj, pname)])


@entry(flush=False)
def glGetObjectParameterfvARB(ctx: GLContext, obj: int, pname: int, params: Any) -> None:
    number = 0
    try:
        number = _object_number(ctx, obj, pname)
    finally:
        store(params, F32, [float(number)])  # 0 after an error, as the peer


@entry(flush=False)
def glGetHandleARB(ctx: GLContext, pname: int) -> int:
    if pname != gl.GL_PROGRAM_OBJECT_ARB:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    at = ctx.n.program.current
    return int(ProgramObject.view(at).name) if at else 0


# -- texts -----------------------------------------------------------------------------------------


@entry(flush=False)
def glGetShaderInfoLog(ctx: GLContext, shader: int, size: int, length: Any, log: Any) -> None:
    with at_work(ctx, shader, shader_of) as found:
        settle(found)
        put_text(found.log, size, length, log)


@entry(flush=False)
def glGetProgramInfoLog(ctx: GLContext, program: int, size: int, length: Any, log: Any) -> None:
    with ctx.shared.lock:
        put_text(program_of(ctx, program).log, size, length, log)


@entry(flush=False)
def glGetInfoLogARB(ctx: GLContext, obj: int, size: int, length: Any, log: Any) -> None:
    with ctx.shared.lock:
        found = find(ctx, obj)
        if found is None:
            raise GLError(gl.GL_INVALID_OPERATION, f"object={obj}")
        if isinstance(found, ProgramData):
            put_text(found.log, size, length, log)
            return
    glGetShaderInfoLog(ctx, obj, size, length, log)


@entry(flush=False)
def glGetShaderSource(ctx: GLContext, shader: int, size: int, length: Any, source: Any) -> None:
    with ctx.shared.lock:
        put_text(shader_of(ctx, shader).source or b"", size, length, source)


#: by kind of number: log2 of the least and the greatest value and of the precision. Every precision
#: is computed as singles and 32-bit integers.
_PRECISIONS = {
    **dict.fromkeys((gl.GL_LOW_FLOAT, gl.GL_MEDIUM_FLOAT, gl.GL_HIGH_FLOAT), (127, 127, 23)),
    **dict.fromkeys((gl.GL_LOW_INT, gl.GL_MEDIUM_INT, gl.GL_HIGH_INT), (31, 30, 0)),
}


@entry(flush=False)
def glGetShaderPrecisionFormat(
    ctx: GLContext, shadertype: int, precisiontype: int, range: Any, precision: Any
) -> None:
    """ARB_ES2_compatibility (GL 4.1, 6.1.15)."""
    if shadertype not in (gl.GL_VERTEX_SHADER, gl.GL_FRAGMENT_SHADER):
        raise GLError(gl.GL_INVALID_ENUM, f"shadertype={shadertype:#x}")
    if precisiontype not in _PRECISIONS:
        raise GLError(gl.GL_INVALID_ENUM, f"precisiontype={precisiontype:#x}")
    *ends, digits = _PRECISIONS[precisiontype]
    store(range, I32, ends)
    store(precision, I32, [digits])


# -- lists -----------------------------------------------------------------------------------------


@entry(flush=False)
def glGetAttachedShaders(
    ctx: GLContext, program: int, room: int, count: Any, shaders: Any
) -> None:
    if room < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"maxCount={room}")
    with ctx.shared.lock:
        names = program_of(ctx, program).shaders[:room]
    store(shaders, U32, names)
    store(count, I32, [len(names)])


@entry(flush=False)
def glGetAttachedObjectsARB(ctx: GLContext, obj: int, room: int, count: Any, out: Any) -> None:
    glGetAttachedShaders(ctx, obj, room, count, out)


def _put_row(
    name: str, kind: Type, count: int, room: int, length: Any, size: Any, type_: Any, out: Any
) -> None:
    put_text(name.encode("latin-1"), room, length, out)
    store(size, I32, [count])
    store(type_, U32, [type_enum(kind)])


@entry(flush=False)
def glGetActiveAttrib(
    ctx: GLContext, program: int, index: int, room: int, length: Any, size: Any, type_: Any,
    name: Any,
) -> None:  # fmt: skip
    if room < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"bufSize={room}")
    with ctx.shared.lock:
        _, linked = _rows_of(ctx, program)
        if index >= len(linked.attributes):
            raise GLError(gl.GL_INVALID_VALUE, f"index={index}")
        row = linked.attributes[index]
    _put_row(row.name, row.element, row.elements, room, length, size, type_, name)


@entry(flush=False)
def glGetActiveUniform(
    ctx: GLContext, program: int, index: int, room: int, length: Any, size: Any, type_: Any,
    name: Any,
) -> None:  # fmt: skip
    if room < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"bufSize={room}")
    with ctx.shared.lock:
        program_of(ctx, program)
        _, linked = _rows_of(ctx, program, gl.GL_INVALID_VALUE)
        if index >= len(linked.uniforms):
            raise GLError(gl.GL_INVALID_VALUE, f"index={index}")
        row = linked.uniforms[index]
    _put_row(full_name(row), row.type, row.elements, room, length, size, type_, name)


def _rows_of(
    ctx: GLContext, name: int, error: int = gl.GL_INVALID_VALUE
) -> tuple[ProgramData, Linked]:
    """A program's lists; one that is not linked has none."""
    program = program_of(ctx, name)
    if program.linked is None:
        raise GLError(error, f"program {name} is not linked")
    return program, program.linked


# -- locations and values --------------------------------------------------------------------------


def _index(text: str) -> tuple[str, int] | None:
    """`a[3]` as a name and a number; None for what is no name of an element. No zeros in front, no
    blanks (GL 4.6, 7.3.1).
    """
    if not text.endswith("]"):
        return text, -1
    name, _, digits = text[:-1].rpartition("[")
    if not digits.isdigit() or not digits.isascii() or (len(digits) > 1 and digits[0] == "0"):
        return None
    if len(digits) > 10:
        return None  # no array has so many elements
    return name, int(digits)


def uniform_location(linked: Linked, text: str) -> int:
    """The location of a uniform or an element of one; -1: none."""
    found = _index(text)
    if found is None:
        return -1
    name, element = found
    for row in linked.uniforms:
        if row.name == name and row.location >= 0:
            if element < 0:
                return row.location
            return row.location + element if element < row.elements else -1
    return -1


def _location(ctx: GLContext, call: str, program: int, find_in: Callable[[Linked], int]) -> int:
    """What a function tells whose result is -1 after an error, too."""
    with ctx.shared.lock:
        try:
            return find_in(linked_of(ctx, program)[1])
        except GLError as error:
            ctx.record_error(error.enum, f"{call}({error})")
            return -1


@entry(flush=False)
def glGetUniformLocation(ctx: GLContext, program: int, name: Any) -> int:
    text = name_text(name) or ""
    return _location(
        ctx, "glGetUniformLocation", program, lambda linked: uniform_location(linked, text))


@entry(flush=False)
def glGetAttribLocation(ctx: GLContext, program: int, name: Any) -> int:
    text = name_text(name) or ""

    def find_in(linked: Linked) -> int:
        found = _index(text)
        row = next((a for a in linked.attributes if found and a.name == found[0]), None)
        if found is None or row is None or row.location < 0:
            return -1
        if found[1] < 0:
            return row.location
        is_there = row.is_array and found[1] < row.elements
        return row.location + found[1] * row.element.slots if is_there else -1

    return _location(ctx, "glGetAttribLocation", program, find_in)


#: of what is no output: number, elements, index
_NOWHERE = -1, 0, -1


@entry(flush=False)
def glGetFragDataLocation(ctx: GLContext, program: int, name: Any) -> int:
    text = name_text(name) or ""

    def find_in(linked: Linked) -> int:
        found = _index(text)
        first, count, _ = linked.outputs.get(found[0], _NOWHERE) if found else _NOWHERE
        element = max(found[1], 0) if found else 0
        return first + element if element < count else -1

    return _location(ctx, "glGetFragDataLocation", program, find_in)


@entry(flush=False)
def glGetFragDataIndex(ctx: GLContext, program: int, name: Any) -> int:
    text = name_text(name) or ""

    def find_in(linked: Linked) -> int:
        found = _index(text)
        _, count, index = linked.outputs.get(found[0], _NOWHERE) if found else _NOWHERE
        return index if found and max(found[1], 0) < count else -1

    return _location(ctx, "glGetFragDataIndex", program, find_in)


def _value(ctx: GLContext, program: int, location: int) -> list[float | int]:
    """The components of a uniform, column after column (GL 2.1, 6.1.14)."""
    with ctx.shared.lock:
        found, _ = linked_of(ctx, program)
        executable: Any = Executable.view(found.n.exec)
        row: Any = None
        if 0 <= location < executable.locations:
            row = UniformSlot.view(executable.uniforms + location * UniformSlot.size)
        if row is None or row.kind == NO_UNIFORM:
            raise GLError(gl.GL_INVALID_OPERATION, f"location={location}")
        form = {FLOAT: "<f", UINT: "<I"}.get(row.kind, "<i")
        out: list[float | int] = []
        for column in range(row.columns):
            at = executable.storage + row.offset + 16 * column
            data = ctypes.string_at(at, 4 * row.rows)
            out += (v for (v,) in struct.iter_unpack(form, data))
        return [int(v != 0) for v in out] if row.kind == BOOL else out


def _rounded(value: float | int) -> int:
    """A value as an integer: floats are rounded, halves away from zero, as the peer does."""
    if isinstance(value, int):
        return value
    near = int(abs(bounded(value)) + 0.5)
    return -near if value < 0 else near


def _integers(ctx: GLContext, program: int, location: int) -> list[int]:
    return [_rounded(v) for v in _value(ctx, program, location)]


def _tell(ctx: GLContext, program: int, location: int, kind: Any, params: Any,
          room: int | None = None) -> None:  # fmt: skip
    """Store the components of a uniform as a C type; `room`: bytes that there are for them."""
    values: list[float] | list[int]
    if kind in (F32, F64):
        values = [float(v) for v in _value(ctx, program, location)]
    else:
        values = [kind(v).value for v in _integers(ctx, program, location)]
    if room is not None:
        check_room(ctypes.sizeof(kind) * len(values), room)
    store(params, kind, values)


@entry(flush=False)
def glGetUniformfv(ctx: GLContext, program: int, location: int, params: Any) -> None:
    _tell(ctx, program, location, F32, params)


@entry(flush=False)
def glGetUniformiv(ctx: GLContext, program: int, location: int, params: Any) -> None:
    _tell(ctx, program, location, I32, params)


@entry(flush=False)
def glGetUniformuiv(ctx: GLContext, program: int, location: int, params: Any) -> None:
    _tell(ctx, program, location, U32, params)


@entry(flush=False)
def glGetnUniformfv(ctx: GLContext, program: int, location: int, size: int, params: Any) -> None:
    _tell(ctx, program, location, F32, params, size)


@entry(flush=False)
def glGetnUniformiv(ctx: GLContext, program: int, location: int, size: int, params: Any) -> None:
    _tell(ctx, program, location, I32, params, size)


@entry(flush=False)
def glGetnUniformuiv(ctx: GLContext, program: int, location: int, size: int, params: Any) -> None:
    _tell(ctx, program, location, U32, params, size)


@entry(flush=False)
def glGetnUniformdv(ctx: GLContext, program: int, location: int, size: int, params: Any) -> None:
    _tell(ctx, program, location, F64, params, size)


@entry(flush=False)
def glGetnUniformfvARB(ctx: GLContext, program: int, location: int, size: int, params: Any) -> None:
    glGetnUniformfv(ctx, program, location, size, params)


@entry(flush=False)
def glGetnUniformivARB(ctx: GLContext, program: int, location: int, size: int, params: Any) -> None:
    glGetnUniformiv(ctx, program, location, size, params)


@entry(flush=False)
def glGetnUniformuivARB(
    ctx: GLContext, program: int, location: int, size: int, params: Any
) -> None:
    glGetnUniformuiv(ctx, program, location, size, params)


@entry(flush=False)
def glGetnUniformdvARB(ctx: GLContext, program: int, location: int, size: int, params: Any) -> None:
    glGetnUniformdv(ctx, program, location, size, params)


__all__ = ["put_text", "uniform_location"]
