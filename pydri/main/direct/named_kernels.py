# SPDX-License-Identifier: MIT
"""Native commands of ARB_direct_state_access that name textures and queries (GL 4.6, 8 and 4.2).

They differ from those of EXT_direct_state_access in that a name alone says which object is meant:
it must be there (glCreateTextures makes it with its target), and faces of cubes are counted as
images by the commands of three dimensions. Each command of OpenGL runs with the texture bound
meanwhile, as in kernels.py. Not here: objects that this driver has not (buffer textures, textures
with several samples, transform feedback, program pipelines).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import boolean, i32, ptr, u8, u32
from pydri.main.buffers.kernels import names as buffer_names
from pydri.main.buffers.storage_kernels import BUFFER
from pydri.main.direct.kernels import instead, run, unless
from pydri.main.kernels import (
    call_entry,
    error_if,
    flush_vertices,
    is_null,
    native,
    native_as,
    one_of,
    record_error,
    where,
)
from pydri.main.names.object_kernels import NAMED, release
from pydri.main.queries.kernels import names as query_names
from pydri.main.queries.tables import COUNTER_BITS
from pydri.main.rows import enum_check
from pydri.main.textures.image_tables import TARGETS
from pydri.main.textures.layout import MAX_FACES, MAX_TEXTURE_TARGETS
from pydri.main.textures.object_kernels import names as texture_names
from pydri.main.textures.object_kernels import set_target, target_index
from pydri.main.textures.parameters import PARAMETERS
from pydri.main.textures.tables import BIND_TARGETS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.buffers.layout import BufferObject
    from pydri.main.layout import GLContext
    from pydri.main.queries.layout import QueryObject

_PARAMETERS = ("f", "fv", "i", "iv", "Iiv", "Iuiv")
#: by command: of OpenGL
_WHOLE = {
    **{f"glTextureParameter{n}": f"glTexParameter{n}" for n in _PARAMETERS},
    **{f"glGetTextureParameter{n}": f"glGetTexParameter{n}" for n in ("fv", "iv", "Iiv", "Iuiv")},
    "glGenerateTextureMipmap": "glGenerateMipmap",
    "glTextureBuffer": "glTexBuffer", "glTextureBufferRange": "glTexBufferRange",
}
#: targets of textures with several samples, and the parameters that these have not
_SAMPLES = (gl.GL_TEXTURE_2D_MULTISAMPLE, gl.GL_TEXTURE_2D_MULTISAMPLE_ARRAY)
_SAMPLED_BY = tuple(row.pname for row in PARAMETERS if row.sampler)
_LEVELS = {
    f"glGetTextureLevelParameter{n}": f"glGetTexLevelParameter{n}" for n in ("fv", "iv")
}
_SIZED = {
    f"gl{word.format('Texture')}{n}D": f"gl{word.format('Tex')}{n}D"
    for word in ("{}Storage", "{}SubImage", "Compressed{}SubImage", "Copy{}SubImage")
    for n in (1, 2, 3)
}
_SIZED |= {f"glTextureStorage{n}DMultisample": f"glTexStorage{n}DMultisample" for n in (2, 3)}


@contextmanager
def _named(b: Builder, ctx: GLContext, name: Value) -> Iterator[Any]:
    """A texture, bound to its target of the active unit; it is yielded."""
    found = texture_names.acquire(b, ctx, name)
    with unless(b, ctx, is_null(found), gl.GL_INVALID_OPERATION):
        with unless(b, ctx, found.target == 0, gl.GL_INVALID_OPERATION):
            flush_vertices(b, ctx)
            at = ctx.raw.active_texture * MAX_TEXTURE_TARGETS + found.target_index
            with instead(ctx.textures.bound + at, found):
                yield found
        release(b, ctx, found.cast(NAMED))


def _whole(entry: str, base: str, faces: bool = False) -> None:
    """A command that is for a texture as a whole; or (`faces`) of a level, of cubes the first
    face's."""

    def body(b: Builder, ctx: GLContext, name: Value, *rest: Any) -> None:
        with _named(b, ctx, name) as found:
            target = found.target
            if faces:
                first = b.const(u32, gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X)
                target = b.select(target == gl.GL_TEXTURE_CUBE_MAP, first, target)
                run(b, ctx, base, [target, *rest])
                return
            # what is for buffer textures is for no others, and the other way round
            buffers = target == gl.GL_TEXTURE_BUFFER
            wrong = ~buffers if base.startswith("glTexBuffer") else buffers
            if base.startswith("glTexParameter"):  # another error than that of the bound texture
                wrong = wrong | (one_of(b, target, _SAMPLES) & one_of(b, rest[0], _SAMPLED_BY))
            with unless(b, ctx, wrong, gl.GL_INVALID_OPERATION):
                run(b, ctx, base, [target, *rest])

    body.__module__ = __name__
    native_as(entry, body)


def _sized(entry: str, base: str) -> None:
    """A command for targets of so many dimensions. What three dimensions change of cubes are
    faces, one after the other."""
    dims, several = int(base.removesuffix("Multisample")[-2]), "Multisample" in base
    fits = [
        row.enum for row in TARGETS
        if row.enum == row.object and row.dims == dims and row.multisample == several
    ]
    storage = "Storage" in base
    refused = gl.GL_INVALID_ENUM if "Compressed" in base else gl.GL_INVALID_OPERATION
    if not storage:
        fits = [enum for enum in fits if enum != gl.GL_TEXTURE_CUBE_MAP]

    def body(b: Builder, ctx: GLContext, name: Value, *rest: Any) -> None:
        with _named(b, ctx, name) as found:
            target = found.target
            with b.If(one_of(b, target, fits)):
                run(b, ctx, base, [target, *rest])
            with b.Else():
                if dims == 3 and not storage:
                    with b.If(target == gl.GL_TEXTURE_CUBE_MAP):
                        _faces(b, ctx, base, list(rest))
                    with b.Else():
                        record_error(b, ctx, refused)
                elif several:  # the peer looks at the numbers first
                    fewer = b.const(boolean, 0)
                    for number in (rest[0], *rest[2 : 2 + dims]):
                        fewer = fewer | (number < 1)
                    value = b.const(u32, gl.GL_INVALID_VALUE)
                    record_error(b, ctx, b.select(fewer, value, refused))
                else:
                    record_error(b, ctx, refused)

    body.__module__ = __name__
    native_as(entry, body)


def _faces(b: Builder, ctx: GLContext, base: str, rest: list[Any]) -> None:
    """Emit: a part of faces of a cube, which is bound."""
    flat = base.replace("3D", "2D")
    level, x, y, z = rest[:4]
    first = b.const(u32, gl.GL_TEXTURE_CUBE_MAP_POSITIVE_X)
    if base.startswith("glCopy"):
        with unless(b, ctx, (z < 0) | (z >= MAX_FACES), gl.GL_INVALID_VALUE):
            run(b, ctx, flat, [first + b.cast(z, u32), level, x, y, *rest[4:]])
        return
    width, height, depth = rest[4:7]
    wrong = (z < 0) | (depth < 0) | (z > MAX_FACES) | (depth > MAX_FACES - z)
    if base.startswith("glCompressed"):  # of each face as many, and no more
        wrong = wrong | (rest[8] % b.max(depth, 1) != 0)
    # of no faces nothing of one changes, and the faults of all that is said of it are told
    faces, width = b.max(depth, 1), b.select(depth == 0, b.min(width, 0), width)
    with unless(b, ctx, wrong, gl.GL_INVALID_VALUE), b.For(b.const(i32, 0), faces) as n:
        box = [first + b.cast(b.min(z + n, MAX_FACES - 1), u32), level, x, y, width, height]
        store = ctx.raw.unpack
        if base.startswith("glCompressed"):
            format_, size, data = rest[7:]
            size = size // faces
            args = [*box, format_, size, b.bytes_from(data, n * size, u8)]
            run(b, ctx, flat, args)
            b.Continue()
        # images of the program's memory are rows further on
        rows = b.select(store[4] > 0, store[4], height)
        with instead(store + 2, store[2] + (n + store[5]) * rows):
            run(b, ctx, flat, [*box, *rest[7:]])


for _entry, _base in _WHOLE.items():
    _whole(_entry, _base)
for _entry, _base in _LEVELS.items():
    _whole(_entry, _base, faces=True)
for _entry, _base in _SIZED.items():
    _sized(_entry, _base)


# -- new objects -----------------------------------------------------------------------------------


def _new(b: Builder, ctx: GLContext, kinds: tuple[Any, Sequence[int]], count: Value, place: Pointer,
         generate: str, names: Any) -> Iterator[Any]:  # fmt: skip
    """Emit: new names and their objects, of which each is yielded. `kinds`: the enum of what they
    are, and what it may be."""
    enum, allowed = kinds
    enum_check(b, ctx, enum, allowed)
    error_if(b, ctx, count < 0, gl.GL_INVALID_VALUE)
    out = place.cast(ptr(u32))
    with b.If(is_null(out)):
        b.Return()
    call_entry(b, ctx, generate, count, out)
    with b.For(b.const(i32, 0), count) as k:
        made = b.call(names.obtain, ctx, out[k], where(b))
        with b.If(~is_null(made)):
            yield made
            release(b, ctx, made.cast(NAMED))


@native
def glCreateTextures(b: Builder, ctx: GLContext, target: Value, n: Value,
                     textures: Pointer) -> None:  # fmt: skip
    kinds = (target, BIND_TARGETS)
    for made in _new(b, ctx, kinds, n, textures, "glGenTextures", texture_names):
        set_target(b, made, b.cast(b.call(target_index, ctx, target), u32))


@native
def glCreateQueries(b: Builder, ctx: GLContext, target: Value, n: Value, ids: Pointer) -> None:
    kinds = (target, tuple(COUNTER_BITS))
    for made in _new(b, ctx, kinds, n, ids, "glGenQueries", query_names):
        made.target = target


def _query_result(ending: str) -> None:
    """The result of a query into a buffer object that is named."""

    def body(b: Builder, ctx: GLContext, query: QueryObject, buffer: BufferObject, pname: Value,
             offset: Value) -> None:  # fmt: skip
        found = buffer_names.acquire(b, ctx, buffer)
        with unless(b, ctx, is_null(found), gl.GL_INVALID_OPERATION):
            with unless(b, ctx, offset < 0, gl.GL_INVALID_VALUE):
                with instead(ctx.buffers.addr("query"), found.cast(BUFFER)):
                    place = b.int_to_ptr(offset, u8)
                    run(b, ctx, f"glGetQueryObject{ending}", [query, pname, place])
            release(b, ctx, found.cast(NAMED))

    body.__module__ = __name__
    native_as(f"glGetQueryBufferObject{ending}", body)


for _ending in ("iv", "uiv", "i64v", "ui64v"):
    _query_result(_ending)
