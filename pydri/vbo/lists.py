# SPDX-License-Identifier: MIT
"""Display lists by name: glGenLists, glDeleteLists, glIsList, glNewList; and their memory when
nobody needs it any more.

In: names. Out: objects of the kind LISTS (pydri/main/names), whose `nodes` playback reads. A list
without commands is a name that is reserved. Who plays a list has a reference: it may be replaced or
deleted meanwhile, here or in another context. Counterpart of the first half of Mesa's main/dlist.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.api.enums import (
    GL_COMPILE,
    GL_COMPILE_AND_EXECUTE,
    GL_INVALID_ENUM,
    GL_INVALID_OPERATION,
    GL_INVALID_VALUE,
    GL_OUT_OF_MEMORY,
)
from pydri.jit import kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import (
    CTX,
    error_if,
    flush_vertices,
    is_null,
    native,
    record_error,
)
from pydri.main.names.kernels import install
from pydri.main.names.layout import FREE, RESERVED, TABLE_NAMES, DisplayList
from pydri.main.names.object_kernels import (
    NAMED,
    object_abandon,
    object_delete,
    object_new,
    object_replace,
)
from pydri.main.names.space_kernels import (
    BYTES,
    FREE_MEMORY,
    SPACE,
    far_in_bucket,
    limit_of,
    names_next,
    names_take,
)
from pydri.main.names.tables import LISTS
from pydri.vbo.core import empty_store, measure, reset_layout
from pydri.vbo.native import HOOK_SAVE_PREPARE, VboSave

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.main.names.layout import Named, NameSpace

LIST = ptr(DisplayList)


@kernel(void, (CTX, NAMED), noinline=True)
def list_dead(b: Builder, ctx: GLContext, thing: Named) -> None:
    """Nobody plays the list, and no name leads to it."""
    b.call(FREE_MEMORY, thing.cast(LIST).nodes)


names = install(LISTS, __name__, dead=list_dead)


@kernel(u32, (CTX, u32, BYTES), noinline=True)
def list_enter(b: Builder, ctx: GLContext, name: Value, nodes: Pointer) -> None:
    """Give a name (not 0) its list: nodes, or null for one without commands; the one that it had
    is deleted. 0: no memory, and nothing changed.
    """
    space = names.space(b, ctx)
    with b.If(limit_of(b, space) == 0), b.If(is_null(b.call(names.open, ctx))):
        b.Return(0)
    entry = b.var(u64, RESERVED)
    made = b.var(NAMED, b.const(NAMED, None))
    with b.If(~is_null(nodes)):
        made.value = b.call(object_new, ctx, space, name)
        with b.If(is_null(made.value)):
            b.Return(0)
        made.value.cast(LIST).nodes = nodes
        entry.value = b.ptr_to_int(made.value)
    done = b.call(object_replace, ctx, space, name, entry.value)
    with b.If((done == 0) & ~is_null(nodes)):
        made.value.cast(LIST).nodes = b.const(BYTES, None)  # they are the caller's
        b.call(object_abandon, ctx, made.value)
    return done


@native
def glGenLists(b: Builder, ctx: GLContext, range_: Value) -> None:
    error_if(b, ctx, range_ < 0, GL_INVALID_VALUE)
    with b.If(range_ == 0):
        b.Return(0)
    space = names.space(b, ctx)
    with b.If(limit_of(b, space) == 0, likely=False):
        error_if(b, ctx, is_null(b.call(names.open, ctx)), GL_OUT_OF_MEMORY)
    first = b.call(names_take, space, b.cast(range_, u32))
    error_if(b, ctx, first == 0, GL_OUT_OF_MEMORY)
    b.Return(first)


@native
def glIsList(b: Builder, ctx: GLContext, name: Value) -> None:
    b.Return(b.cast(names.entry(b, ctx, name) != FREE, u8))


@kernel(void, (CTX, SPACE, u64, u64), cold=True)
def lists_delete_far(b: Builder, ctx: GLContext, space: NameSpace, first: Value,
                     end: Value) -> None:  # fmt: skip
    """The same beyond the table: a few names are looked up, for more all buckets are looked at."""
    with b.If(end - first <= b.cast(space.far_buckets, u64)):
        with b.For(first, end, 1) as name:
            b.call(object_delete, ctx, space, b.cast(name, u32))
        b.Return()
    n = b.var(u32, 0)
    with b.While(lambda: n.value < space.far_buckets):
        name = b.call(far_in_bucket, space, n.value, first, end)
        with b.If(name < end):
            b.call(object_delete, ctx, space, b.cast(name, u32))
        with b.Else():
            n.value = n.value + 1


@kernel(void, (CTX, SPACE, u64, u64), noinline=True)
def lists_delete(b: Builder, ctx: GLContext, space: NameSpace, first: Value, end: Value) -> None:
    """Make names in [first, end) free again, which may be very many that are free already."""
    with b.If(limit_of(b, space) != 0):
        top = b.cast(b.min(end, b.cast(space.top, u64) + 1), u32)
        at = b.var(u32, b.cast(b.min(first, TABLE_NAMES), u32))
        with b.While(lambda: at.value < top):
            at.value = b.call(names_next, space, at.value, top, 1)
            with b.If(at.value < top):
                b.call(object_delete, ctx, space, at.value)
            at.value = at.value + 1
    with b.If((end > TABLE_NAMES) & (space.far_count != 0), likely=False):
        b.call(lists_delete_far, ctx, space, b.max(first, TABLE_NAMES), end)


@native
def glDeleteLists(b: Builder, ctx: GLContext, first: Value, range_: Value) -> None:
    error_if(b, ctx, range_ < 0, GL_INVALID_VALUE)
    flush_vertices(b, ctx)
    start = b.cast(first, u64)
    end = b.min(start + b.cast(b.cast(range_, u32), u64), 1 << 32)
    b.call(lists_delete, ctx, names.space(b, ctx), start, end)


@native
def glNewList(b: Builder, ctx: GLContext, name: Value, mode: Value) -> None:
    error_if(b, ctx, name == 0, GL_INVALID_VALUE)
    error_if(b, ctx, (mode != GL_COMPILE) & (mode != GL_COMPILE_AND_EXECUTE), GL_INVALID_ENUM)
    dlist = ctx.dlist
    error_if(b, ctx, dlist.name != 0, GL_INVALID_OPERATION)
    flush_vertices(b, ctx)
    with b.If(is_null(dlist.save), likely=False):
        b.call(ctx.hook_upload, ctx, HOOK_SAVE_PREPARE)
        error_if(b, ctx, is_null(dlist.save), GL_OUT_OF_MEMORY)
    s = dlist.save.cast(ptr(VboSave))
    for field in ("begin_mode", "touched", "known", "loopback", "has_first", "failed"):
        setattr(s, field, 0)
    s.execute = b.cast(mode == GL_COMPILE_AND_EXECUTE, u32)
    s.nodes_used = 0
    empty_store(s)
    reset_layout(b, s)
    measure(b, s)
    dlist.name = name
    dlist.mode = mode
    ctx.dispatch = ctx.save_table


@native
def glEndList(b: Builder, ctx: GLContext) -> None:
    """No list is being compiled: while one is, save.py's stands here."""
    record_error(b, ctx, GL_INVALID_OPERATION)


#: called by name from main/names/objects.py, which labels a list without commands
EXPORTS = [names.obtain]
