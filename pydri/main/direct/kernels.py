# SPDX-License-Identifier: MIT
"""Native commands of EXT_direct_state_access, made of the table (tables.py): each selects what its
first arguments name, runs the command of OpenGL, and selects again what was.

A selection is a context manager that emits it; what it yields to runs only if there was no error.
Pending vertices are drawn first, so nothing is drawn meanwhile, and nobody else sees what is
selected: it is this context's. Objects are made by their first use here, as by binding them.
Mesa: main/texobj.c (_mesa_lookup_or_create_texture), main/matrix.c, main/varray.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import KERNELS
from pydri.api.gl_table import TABLE
from pydri.jit import boolean, fn, i32, kernel, ptr, u8, u32
from pydri.jit.types import Ptr
from pydri.main.arrays.enable_kernels import VAO
from pydri.main.arrays.kernels import names as array_names
from pydri.main.buffers import texel_kernels
from pydri.main.buffers.kernels import names as buffer_names
from pydri.main.buffers.storage_kernels import BUFFER
from pydri.main.direct.tables import (
    ARRAYS,
    ASSEMBLY,
    BUFFERED,
    COMMANDS,
    COORDS,
    MATRIX,
    PROGRAM,
    TEXTURE,
    UNIT,
    Command,
)
from pydri.main.get import object_kernels, texture_kernels
from pydri.main.kernels import (
    CTX,
    flush_vertices,
    gl_record_error,
    is_null,
    native,
    native_as,
    one_of,
    python_form,
    record_error,
    type_of,
    where,
)
from pydri.main.matrix.kernels import select_stack
from pydri.main.matrix.layout import MAX_PROGRAM_MATRICES
from pydri.main.matrix.tables import PROGRAM as PROGRAM_STACK
from pydri.main.matrix.tables import STACKS
from pydri.main.matrix.tables import TEXTURE as TEXTURE_STACK
from pydri.main.names.object_kernels import NAMED, reference, release
from pydri.main.programs import parameter_kernels
from pydri.main.programs.kernels import OBJECT as ASSEMBLY_PROGRAM
from pydri.main.programs.kernels import is_target, program_of_target, target_place
from pydri.main.shaders import uniform_kernels
from pydri.main.shaders.kernels import PROGRAM as PROGRAM_POINTER
from pydri.main.shaders.kernels import names as program_names
from pydri.main.textures import image_kernels, kernels, sampler_kernels
from pydri.main.textures.image_tables import TARGETS, Target
from pydri.main.textures.layout import MAX_IMAGE_UNITS, MAX_TEXTURE_TARGETS, MAX_TEXTURE_UNITS
from pydri.main.textures.object_kernels import OBJECT, bind_first, target_index
from pydri.main.textures.object_kernels import names as texture_names
from pydri.main.textures.tables import BIND_TARGETS

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

#: modules whose commands are selected for
BASES = (
    image_kernels, kernels, object_kernels, parameter_kernels, sampler_kernels, texel_kernels,
    texture_kernels, uniform_kernels,
)  # fmt: skip
Selection = AbstractContextManager[Any]


# -- what is selected ------------------------------------------------------------------------------


@contextmanager
def unless(b: Builder, ctx: GLContext, wrong: Value, error: int) -> Iterator[None]:
    """What follows, or an error."""
    with b.If(wrong, likely=False):
        record_error(b, ctx, error)
    with b.If(~wrong):
        yield


@contextmanager
def instead(place: Any, value: Any) -> Iterator[None]:
    """Something else stands at a place meanwhile."""
    before = place.load()
    place.store(value)
    yield
    place.store(before)


@contextmanager
def _unit(b: Builder, ctx: GLContext, args: list[Any], row: Command) -> Iterator[None]:
    """The active texture unit."""
    unit = args.pop(0) - gl.GL_TEXTURE0
    error = gl.GL_INVALID_ENUM if row.base == "glBindTexture" else gl.GL_INVALID_OPERATION
    with unless(b, ctx, unit >= MAX_IMAGE_UNITS, error):
        flush_vertices(b, ctx)
        with instead(ctx.raw.addr("active_texture"), unit):
            yield


@contextmanager
def _coordinates(b: Builder, ctx: GLContext, args: list[Any], row: Command) -> Iterator[None]:
    """The unit of the client's texture coordinates."""
    unit = args.pop(0) - gl.GL_TEXTURE0
    with unless(b, ctx, unit >= MAX_TEXTURE_UNITS, gl.GL_INVALID_OPERATION):
        with instead(ctx.arrays.addr("client_active_texture"), unit):
            yield


#: targets that a command may name, and what textures they are bound to
_ENUMS = {**{t.enum: t.object for t in TARGETS}, gl.GL_TEXTURE_BUFFER: gl.GL_TEXTURE_BUFFER}


@kernel(OBJECT, (CTX, u32, u32, u32), noinline=True)
def direct_texture(b: Builder, ctx: GLContext, name: Value, target: Value, slot: Value) -> Any:
    """The texture of a name and a target, with a reference; it is made if there is none. Of a proxy
    (whose name must be 0) what is bound. Null after an error.
    """
    none = b.const(OBJECT, None)

    def refuse(wrong: Value, error: int) -> None:
        with b.If(wrong, likely=False):
            b.call(gl_record_error, ctx, error, slot)
            b.Return(none)

    row = b.var(u32, len(_ENUMS))
    with b.Switch(target) as s:
        for n, enum in enumerate(_ENUMS):
            with s.Case(enum):
                row.value = n
    refuse(row.value == len(_ENUMS), gl.GL_INVALID_ENUM)
    none_here = (target == gl.GL_TEXTURE_BUFFER) & (b.call(target_index, ctx, target) < 0)
    refuse(none_here, gl.GL_INVALID_ENUM)
    index = b.cast(b.table(u8, [BIND_TARGETS.index(e) for e in _ENUMS.values()])[row.value], u32)
    proxies = {t.enum for t in TARGETS if t.proxy}
    proxy = b.table(u8, [int(enum in proxies) for enum in _ENUMS])[row.value] != 0
    refuse(proxy & (name != 0), gl.GL_INVALID_OPERATION)
    found = b.var(OBJECT, ctx.shared.textures[index])
    with b.If(proxy):
        found.value = ctx.textures.bound[ctx.raw.active_texture * MAX_TEXTURE_TARGETS + index]
    with b.If(name == 0):
        reference(b, ctx, found.value.cast(NAMED))
        b.Return(found.value)
    made = b.call(texture_names.obtain, ctx, name, slot)
    with b.If(is_null(made), likely=False):
        b.Return(none)
    with b.If(made.target == 0):
        bind_first(b, made, index)
    with b.If(made.target_index != index, likely=False):
        release(b, ctx, made.cast(NAMED))
        b.call(gl_record_error, ctx, gl.GL_INVALID_OPERATION, slot)
        b.Return(none)
    return made


_WHOLE = ("glTexParameter", "glGetTexParameter", "glGenerateMipmap")


def _fits(row: Target, base: str) -> bool:
    """Whether a command that changes a part of textures, or all their storage, is for a target.
    What proxies are refused for, the command says itself."""
    if row.proxy:
        return True
    if row.multisample != ("Multisample" in base):
        return False
    if str(row.dims) != base.removesuffix("Multisample").removesuffix("D")[-1]:
        return False
    return row.enum == row.object if "Storage" in base else not row.whole


def _for_target(b: Builder, ctx: GLContext, found: Any, target: Operand, base: str) -> Value:
    """Whether there is a texture and the command is for its target: else an error, which is another
    one than that of the bound texture; the texture is given back."""
    good = b.var(boolean, ~is_null(found))
    with b.If(good.value):
        fits = one_of(b, target, [row.enum for row in TARGETS if _fits(row, base)])
        with b.If(~fits, likely=False):
            record_error(b, ctx, gl.GL_INVALID_OPERATION)
            release(b, ctx, found.cast(NAMED))
            good.value = b.const(boolean, 0)
    return good.value


@contextmanager
def _texture(b: Builder, ctx: GLContext, args: list[Any], row: Command) -> Iterator[None]:
    """A texture for a target of the active unit."""
    name = args.pop(0)
    target = args[0]
    found = b.call(direct_texture, ctx, name, target, where(b))
    good = ~is_null(found)
    if "SubImage" in row.base or "Storage" in row.base:
        good = _for_target(b, ctx, found, target, row.base)
    with b.If(good, likely=True):
        flush_vertices(b, ctx)
        at = ctx.raw.active_texture * MAX_TEXTURE_TARGETS + found.target_index
        if row.base.startswith(_WHOLE):  # a face means its cube
            named = (target < gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X) | (
                target > gl.GL_TEXTURE_CUBE_MAP_NEGATIVE_Z)  # fmt: skip
            whole = b.select(named, target, b.const(u32, gl.GL_TEXTURE_CUBE_MAP))
            args[0:1] = [whole]
        with instead(ctx.textures.bound + at, found):
            yield
        release(b, ctx, found.cast(NAMED))


@contextmanager
def _matrix(b: Builder, ctx: GLContext, args: list[Any], row: Command) -> Iterator[None]:
    """The current matrix: a stack, the one of a texture unit (GL_TEXTUREn), or of programs."""
    mode = args.pop(0)
    unit = mode - gl.GL_TEXTURE0
    of_unit = unit < MAX_TEXTURE_UNITS
    number = b.select(of_unit, b.const(u32, TEXTURE_STACK.mode), mode - STACKS[0].enum)
    of_program = mode - PROGRAM_STACK.enum < MAX_PROGRAM_MATRICES
    wrong = (number >= len(STACKS)) & ~of_program
    number = b.select(of_program, mode - PROGRAM_STACK.enum + PROGRAM_STACK.mode, number)
    with unless(b, ctx, wrong, gl.GL_INVALID_ENUM):
        flush_vertices(b, ctx)
        active = ctx.raw.active_texture
        with instead(ctx.matrix.addr("mode"), number):
            with instead(ctx.raw.addr("active_texture"), b.select(of_unit, unit, active)):
                b.call(select_stack, ctx)
                yield
        b.call(select_stack, ctx)


@contextmanager
def _program(b: Builder, ctx: GLContext, args: list[Any], row: Command) -> Iterator[None]:
    """The current program."""
    found = program_names.acquire(b, ctx, args.pop(0))
    with unless(b, ctx, is_null(found), gl.GL_INVALID_VALUE):
        with unless(b, ctx, found.is_program == 0, gl.GL_INVALID_OPERATION):
            flush_vertices(b, ctx)
            with instead(ctx.program.addr("current"), found.cast(PROGRAM_POINTER)):
                yield
        release(b, ctx, found.cast(NAMED))


@contextmanager
def _assembly(b: Builder, ctx: GLContext, args: list[Any], row: Command) -> Iterator[None]:
    """The ARB program of a target. Which one is bound is asked of the target alone, as with the
    peer."""
    name, target = args.pop(0), args[0]
    with unless(b, ctx, ~is_target(target), gl.GL_INVALID_ENUM):
        place = ctx.arb.bound + target_place(b, target)
        found = b.var(ASSEMBLY_PROGRAM, place.load())
        asks = row.base == "glGetProgramivARB"
        with b.If(args[1] == gl.GL_PROGRAM_BINDING_ARB if asks else b.const(boolean, 0)):
            reference(b, ctx, found.value.cast(NAMED))
        with b.Else():
            found.value = b.call(program_of_target, ctx, name, target, where(b))
        with b.If(~is_null(found.value), likely=True):
            flush_vertices(b, ctx)
            with instead(place, found.value):
                yield
            release(b, ctx, found.value.cast(NAMED))


@contextmanager
def _arrays(b: Builder, ctx: GLContext, args: list[Any], row: Command) -> Iterator[None]:
    """A vertex array object, which is never the default one."""
    name = args.pop(0)
    found = b.var(VAO, b.const(VAO, None))
    with unless(b, ctx, name == 0, gl.GL_INVALID_OPERATION):
        found.value = b.call(array_names.obtain, ctx, name, where(b))
    with b.If(~is_null(found.value), likely=True):
        flush_vertices(b, ctx)
        with instead(ctx.arrays.addr("vao"), found.value):
            yield
        release(b, ctx, found.value.cast(NAMED))


@contextmanager
def _buffered(b: Builder, ctx: GLContext, args: list[Any], row: Command) -> Iterator[None]:
    """A vertex array object and the array buffer, in which the last argument is an offset."""
    with _arrays(b, ctx, args, row):
        name, offset = args.pop(0), args[-1]
        found = b.var(BUFFER, b.const(BUFFER, None))
        good = b.var(boolean, b.const(boolean, 1))
        with b.If(name != 0):
            found.value = b.call(buffer_names.obtain, ctx, name, where(b))
            good.value = ~is_null(found.value)
            with b.If(good.value & (offset < 0), likely=False):
                record_error(b, ctx, gl.GL_INVALID_VALUE)
                good.value = b.const(boolean, 0)
        with b.If(good.value, likely=True):
            with instead(ctx.buffers.addr("array"), found.value):
                args[-1] = b.int_to_ptr(offset, u8)
                yield
        with b.If(~is_null(found.value)):
            release(b, ctx, found.value.cast(NAMED))


SELECT: dict[int, Callable[[Any, Any, list[Any], Command], Selection]] = {
    UNIT: _unit, TEXTURE: _texture, MATRIX: _matrix, PROGRAM: _program, COORDS: _coordinates,
    ARRAYS: _arrays, BUFFERED: _buffered, ASSEMBLY: _assembly,
}  # fmt: skip


# -- the commands ----------------------------------------------------------------------------------


def _fitted(b: Builder, value: Pointer, ty: Any) -> Pointer:
    return value.cast(ty) if isinstance(ty, Ptr) and value.ty is not ty else value


def run(b: Any, ctx: GLContext, name: str, args: list[Any]) -> None:
    """A command of OpenGL, its kernel or its Python form; errors are those of the direct one."""
    row = TABLE.row(name)
    types = [type_of(code) for _, code in row.params]
    ctx.direct = where(b) + 1
    given = [_fitted(b, value, ty) for value, ty in zip(args, types, strict=True)]
    if name in KERNELS:
        b.call(KERNELS[name], ctx, *given)
    else:
        python_form(b, ctx, row.slot, fn(type_of(row.ret), CTX, *types), *given)
    ctx.direct = 0


def _command(row: Command) -> None:
    def body(b: Builder, ctx: GLContext, *given: Any) -> None:
        args = list(given)
        with ExitStack() as stack:
            for number in row.selects:
                stack.enter_context(SELECT[number](b, ctx, args, row))
            run(b, ctx, row.base, args)

    body.__module__ = __name__
    native_as(row.entry, body)


for _row in COMMANDS:
    _command(_row)


# -- arrays of the client --------------------------------------------------------------------------


def _client_state(entry: str, base: str, what: int = gl.GL_TEXTURE_COORD_ARRAY) -> None:
    """Coordinates of a unit that is given by its number."""

    def body(b: Builder, ctx: GLContext, array: Value, index: Value, *rest: Any) -> None:
        with unless(b, ctx, array != what, gl.GL_INVALID_ENUM):
            with unless(b, ctx, index >= MAX_TEXTURE_UNITS, gl.GL_INVALID_VALUE):
                with instead(ctx.arrays.addr("client_active_texture"), index):
                    run(b, ctx, base, [array, *rest])

    body.__module__ = __name__
    native_as(entry, body)


def _array_state(entry: str, base: str) -> None:
    """An array of a vertex array object; GL_TEXTUREn are the coordinates of that unit."""
    row = Command(entry, base, (ARRAYS,))

    def body(b: Builder, ctx: GLContext, name: Operand, array: Value) -> None:
        unit = array - gl.GL_TEXTURE0
        of_unit = unit < MAX_TEXTURE_UNITS
        active = ctx.arrays.client_active_texture
        which = b.select(of_unit, b.const(u32, gl.GL_TEXTURE_COORD_ARRAY), array)
        with _arrays(b, ctx, [name], row):
            with instead(ctx.arrays.addr("client_active_texture"),
                          b.select(of_unit, unit, active)):  # fmt: skip
                run(b, ctx, base, [which])

    body.__module__ = __name__
    native_as(entry, body)


for _verb in ("Enable", "Disable"):
    for _ending in ("iEXT", "IndexedEXT"):
        _client_state(f"gl{_verb}ClientState{_ending}", f"gl{_verb}ClientState")
    _array_state(f"gl{_verb}VertexArrayEXT", f"gl{_verb}ClientState")
for _entry in ("glGetPointerIndexedvEXT", "glGetPointeri_vEXT"):
    _client_state(_entry, "glGetPointerv", gl.GL_TEXTURE_COORD_ARRAY_POINTER)

#: gl*Pointer that a default of client state calls: array, and the size (0: it has none) and type
#: (0: it has none) that the arrays begin with (GL 2.1, table 6.6)
_POINTERS = (
    ("EdgeFlag", gl.GL_EDGE_FLAG_ARRAY, 0, 0), ("Index", gl.GL_INDEX_ARRAY, 0, gl.GL_FLOAT),
    ("SecondaryColor", gl.GL_SECONDARY_COLOR_ARRAY, 3, gl.GL_FLOAT),
    ("FogCoord", gl.GL_FOG_COORD_ARRAY, 0, gl.GL_FLOAT),
    ("Color", gl.GL_COLOR_ARRAY, 4, gl.GL_FLOAT), ("Normal", gl.GL_NORMAL_ARRAY, 0, gl.GL_FLOAT),
    ("Vertex", gl.GL_VERTEX_ARRAY, 4, gl.GL_FLOAT),
)  # fmt: skip
_STORE = (
    "SWAP_BYTES", "LSB_FIRST", "IMAGE_HEIGHT", "SKIP_IMAGES", "ROW_LENGTH", "SKIP_ROWS",
    "SKIP_PIXELS",
    *(f"COMPRESSED_BLOCK_{name}" for name in ("WIDTH", "HEIGHT", "DEPTH", "SIZE")),
)  # fmt: skip


def _default_pixels(b: Builder, ctx: GLContext) -> None:
    for way in ("UNPACK", "PACK"):
        for name in _STORE:
            run(b, ctx, "glPixelStorei", _numbers(b, getattr(gl, f"GL_{way}_{name}"), 0))
        run(b, ctx, "glPixelStorei", _numbers(b, getattr(gl, f"GL_{way}_ALIGNMENT"), 4))
        run(b, ctx, "glBindBuffer", _words(b, getattr(gl, f"GL_PIXEL_{way}_BUFFER"), 0))
    run(b, ctx, "glPixelStorei", _numbers(b, gl.GL_PACK_INVERT_MESA, 0))


def _words(b: Builder, *values: int) -> list[Any]:
    return [b.const(u32, value) for value in values]


def _numbers(b: Builder, pname: int, value: int) -> list[Any]:
    return [b.const(u32, pname), b.const(i32, value)]


def _default_arrays(b: Builder, ctx: GLContext) -> None:
    for target in (gl.GL_ARRAY_BUFFER, gl.GL_ELEMENT_ARRAY_BUFFER):
        run(b, ctx, "glBindBuffer", _words(b, target, 0))
    none, tight = b.const(ptr(u8), None), b.const(i32, 0)
    for name, array, size, kind in _POINTERS:
        run(b, ctx, "glDisableClientState", _words(b, array))
        sizes = [b.const(i32, size)] if size else []
        kinds = _words(b, kind) if kind else []
        run(b, ctx, f"gl{name}Pointer", [*sizes, *kinds, tight, none])
    four = [b.const(i32, 4), b.const(u32, gl.GL_FLOAT)]
    with b.For(b.const(u32, 0), MAX_TEXTURE_UNITS, 1) as unit:
        ctx.arrays.client_active_texture = unit
        run(b, ctx, "glDisableClientState", _words(b, gl.GL_TEXTURE_COORD_ARRAY))
        run(b, ctx, "glTexCoordPointer", [*four, tight, none])
    ctx.arrays.client_active_texture = 0
    with b.For(b.const(u32, 0), 16, 1) as index:
        run(b, ctx, "glDisableVertexAttribArray", [index])
        run(b, ctx, "glVertexAttribPointer", [index, *four, b.const(u8, 0), tight, none])
    ctx.raw.restart, ctx.raw.restart_fixed, ctx.raw.restart_index = 0, 0, 0


@native
def glClientAttribDefaultEXT(b: Builder, ctx: GLContext, mask: Value) -> None:
    with b.If((mask & gl.GL_CLIENT_PIXEL_STORE_BIT) != 0):
        _default_pixels(b, ctx)
    with b.If((mask & gl.GL_CLIENT_VERTEX_ARRAY_BIT) != 0):
        _default_arrays(b, ctx)


@native
def glPushClientAttribDefaultEXT(b: Any, ctx: GLContext, mask: Value) -> None:
    run(b, ctx, "glPushClientAttrib", [mask])
    b.call(KERNELS["glClientAttribDefaultEXT"], ctx, mask)
