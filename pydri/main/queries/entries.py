# SPDX-License-Identifier: MIT
"""Names of query objects: made, deleted, asked about; and the Python forms of what the kernels do
for objects that are in their table (queries/kernels.py).

In: names. Out: native QueryObjects. They belong to one context (GL 2.1, appendix D: queries are not
shared). A name is only a name until its first glBeginQuery or glQueryCounter. Names from
TABLE_LIMIT on, which only a program that invents its names has, are known here alone. Mesa:
main/queryobj.c.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.api.dispatch import GLError, entry
from pydri.main import memory
from pydri.main.pointers import I32, I64, U32, U64, address_of, fetch, store
from pydri.main.queries.layout import QueryObject
from pydri.main.queries.tables import OCCLUSION, RESULT_NAMES

if TYPE_CHECKING:
    from pydri.main.context import GLContext

TABLE_LIMIT = 1 << 16
_FIRST_TABLE = 64
_ADDRESS, _WORD = ctypes.c_uint64, ctypes.c_uint32


class Queries:
    """The query objects of one context."""

    def __init__(self, ctx: GLContext) -> None:
        self.ctx = ctx
        self.block: Any = ctx.n.query
        self.objects: dict[int, int] = {}  # address of the native object, 0: only a name

    def generate(self, count: int) -> list[int]:
        """`count` names that are not in use."""
        first = max(self.objects, default=0) + 1
        if first + count > 1 << 32:
            free = (name for name in range(1, 1 << 32) if name not in self.objects)
            names = [next(free) for _ in range(count)]
        else:
            names = list(range(first, first + count))
        self.objects.update(dict.fromkeys(names, 0))
        return names

    def make(self, name: int) -> int:
        """The object behind a name, made if there is none."""
        found = self.objects.get(name, 0)
        if not found:
            self._make_room(name)
            found = self.objects[name] = memory.allocate(QueryObject.size)
            QueryObject.view(found).name = name
            self._enter(name, found)
        return found

    def _make_room(self, name: int) -> None:
        """The kernels' table is long enough for a name; MemoryError leaves all as it was."""
        block = self.block
        if block.count <= name < TABLE_LIMIT:
            block.objects, block.count = memory.grow_table(
                block.objects or 0, block.count, name, _FIRST_TABLE
            )

    def _enter(self, name: int, address: int) -> None:
        if name >= TABLE_LIMIT:
            return
        block = self.block
        _ADDRESS.from_address(block.objects + 8 * name).value = address

    def delete(self, name: int) -> None:
        """The name is free again. An active query is ended first (GL 4.6, 4.2.2)."""
        address = self.objects.pop(name, 0)
        if not address:
            return
        query: Any = QueryObject.view(address)
        if query.active:
            self.kernel("query_end", None, _ADDRESS)(address)
        self.kernel("query_wait", None, _ADDRESS)(query.fence)  # a scene may still count into it
        if name < self.block.count:
            _ADDRESS.from_address(self.block.objects + 8 * name).value = 0
        memory.free(address)

    def kernel(self, name: str, result: Any, *types: Any) -> Callable[..., Any]:
        """A kernel of the core whose first parameter is the context."""
        function = ctypes.CFUNCTYPE(result, _ADDRESS, *types)(self.ctx.image.address(name))
        return lambda *args: function(self.ctx.address, *args)

    def destroy(self) -> None:
        """The context goes, its driver comes after it."""
        for address in filter(None, self.objects.values()):
            self.kernel("query_wait", None, _ADDRESS)(QueryObject.view(address).fence)
            memory.free(address)
        self.objects.clear()
        memory.free(self.block.objects)
        self.block.objects = self.block.count = 0


def queries(ctx: GLContext) -> Queries:
    """The context's query objects."""
    if ctx.queries is None:
        ctx.queries = Queries(ctx)
    return ctx.queries


def _slot(name: str) -> int:
    from pydri.api.gl_table import TABLE

    return int(TABLE.slots[name])


@entry(flush=False)
def glGenQueries(ctx: GLContext, n: int, ids: Any) -> None:
    if n < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"n={n}")
    store(ids, U32, queries(ctx).generate(n))


@entry
def glDeleteQueries(ctx: GLContext, n: int, ids: Any) -> None:
    if n < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"n={n}")
    for name in fetch(ids, U32, n) if n else ():
        queries(ctx).delete(name)


@entry(flush=False)
def glIsQuery(ctx: GLContext, id: int) -> int:
    found = queries(ctx).objects.get(id)
    return int(bool(found and QueryObject.view(found).target))


@entry
def glBeginQuery(ctx: GLContext, target: int, id: int) -> None:
    """What the kernel leaves over: the first use of a name makes the object (also of a name that
    was never generated: GL 2.1, 4.1.7).
    """
    address = queries(ctx).make(id)
    call = queries(ctx).kernel("query_start", None, _WORD, _ADDRESS, _WORD)
    call(target, address, _slot("glBeginQuery"))


@entry
def glQueryCounter(ctx: GLContext, id: int, target: int) -> None:
    if id not in queries(ctx).objects:
        raise GLError(gl.GL_INVALID_OPERATION, f"id={id}: no name of a query")
    address = queries(ctx).make(id)
    query: Any = QueryObject.view(address)
    if query.active or query.target not in (0, gl.GL_TIMESTAMP):
        raise GLError(gl.GL_INVALID_OPERATION, f"id={id}: in use for {gl.name_of(query.target)}")
    queries(ctx).kernel("query_stamp", None, _ADDRESS)(address)


def _result(ctx: GLContext, id: int, pname: int, params: Any, kind: Any, top: int) -> None:
    """`top`: the largest value that fits."""
    address = queries(ctx).objects.get(id, 0)
    if not address or QueryObject.view(address).active or not QueryObject.view(address).target:
        raise GLError(gl.GL_INVALID_OPERATION, f"id={id}: no query that has ended")
    if pname not in RESULT_NAMES:
        raise GLError(gl.GL_INVALID_ENUM, f"pname={gl.name_of(pname)}")
    value = int(queries(ctx).kernel("query_result", _ADDRESS, _ADDRESS, _WORD)(address, pname))
    place, size = address_of(params), ctypes.sizeof(kind)
    buffer = ctx.bound_buffer(ctx.n.buffers.query)
    if buffer is not None:
        if buffer.n.mapped == 1 or place + size > buffer.n.size:
            raise GLError(gl.GL_INVALID_OPERATION, f"query buffer: offset {place}")
        place += buffer.n.data
    store(place, kind, [min(value, top)])


@entry
def glGetQueryObjectiv(ctx: GLContext, id: int, pname: int, params: Any) -> None:
    _result(ctx, id, pname, params, I32, 0x7FFFFFFF)


@entry
def glGetQueryObjectuiv(ctx: GLContext, id: int, pname: int, params: Any) -> None:
    _result(ctx, id, pname, params, U32, 0xFFFFFFFF)


@entry
def glGetQueryObjecti64v(ctx: GLContext, id: int, pname: int, params: Any) -> None:
    _result(ctx, id, pname, params, I64, (1 << 63) - 1)


@entry
def glGetQueryObjectui64v(ctx: GLContext, id: int, pname: int, params: Any) -> None:
    _result(ctx, id, pname, params, U64, (1 << 64) - 1)


@entry
def glBeginConditionalRender(ctx: GLContext, id: int, mode: int) -> None:
    address = queries(ctx).objects.get(id)
    if address is None:
        raise GLError(gl.GL_INVALID_VALUE, f"id={id}: no name of a query")
    if not address or QueryObject.view(address).target not in OCCLUSION:
        raise GLError(gl.GL_INVALID_OPERATION, f"id={id}: no occlusion query")
    call = queries(ctx).kernel("query_condition", None, _ADDRESS, _WORD, _WORD)
    call(address, mode, _slot("glBeginConditionalRender"))
