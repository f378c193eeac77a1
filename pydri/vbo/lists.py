# SPDX-License-Identifier: MIT
"""Display lists by name: glNewList, glEndList, glGenLists, glDeleteLists, glIsList.

In: calls that are never compiled themselves. Out: the share group's `lists` (name -> DisplayList)
and its native table of list heads, in which glCallList looks names up. While a list is compiled,
the context dispatches through the save table: the exec table with the kernels of the image
`vbo_save` in it. Answers to the first half of Mesa's main/dlist.c.
"""

from __future__ import annotations

import ctypes
from typing import Any

from pydri.api import dispatch
from pydri.api.dispatch import GLError, entry
from pydri.api.enums import (
    GL_COMPILE,
    GL_COMPILE_AND_EXECUTE,
    GL_INVALID_ENUM,
    GL_INVALID_OPERATION,
    GL_INVALID_VALUE,
)
from pydri.api.gl_table import TABLE
from pydri.jit.kernel import Kernel, Module
from pydri.vbo.compile import DisplayList, ListCompiler
from pydri.vbo.native import Block

TABLE_LIMIT = 1 << 20  # larger names are looked up in Python
_FIRST_TABLE = 1024
_filled: set[int] = set()  # save tables that have our kernels


def _save_kernels() -> list[Kernel]:
    from pydri.vbo import save

    return save.kernels()


def save_module() -> Module:
    """The module of the kernels that compile lists."""
    return Module("vbo_save", _save_kernels)


def fill_save_table(table: int, exec_table: int) -> None:
    """Put the kernels that compile lists into a save table (shared by all contexts: done once)."""
    if table in _filled:
        return
    _filled.add(table)
    image = save_module().compile()
    slots = TABLE.slots
    count = len(TABLE)
    ctypes.memmove(table, exec_table, 8 * count)
    cells = (ctypes.c_uint64 * count).from_address(table)
    for symbol, address in image.symbols.items():
        name = symbol.removeprefix("save_")
        if name in slots:
            for alias in dispatch.aliases(name):
                cells[slots[alias]] = address
    if dispatch.shim is not None:
        dispatch.table_ready(table)


def _set_head(shared: Any, name: int, head: int) -> None:
    """Enter a list's first node into the native table."""
    if name >= TABLE_LIMIT:
        return
    n = shared.n
    if name >= n.list_count:
        count = max(_FIRST_TABLE, n.list_count)
        while count <= name:
            count *= 2
        fresh = Block(8 * count)
        if n.list_heads:
            ctypes.memmove(fresh.address, n.list_heads, 8 * n.list_count)
        # another thread may be reading the old table: all are kept for as long as the group lives
        shared.others.setdefault("list_tables", []).append(fresh)
        n.list_heads = fresh.address
        n.list_count = count
    ctypes.c_uint64.from_address(n.list_heads + 8 * name).value = head


@entry
def glNewList(ctx: Any, name: int, mode: int) -> None:
    n = ctx.n
    if name == 0:
        raise GLError(GL_INVALID_VALUE, "list=0")
    if mode not in (GL_COMPILE, GL_COMPILE_AND_EXECUTE):
        raise GLError(GL_INVALID_ENUM, f"mode=0x{mode:04X}")
    if n.dlist.name:
        raise GLError(GL_INVALID_OPERATION, f"list {n.dlist.name} is being compiled")
    fill_save_table(n.save_table, n.exec_table)
    if ctx.vbo.compiler is None:
        ctx.vbo.compiler = ListCompiler(ctx.address)
    ctx.vbo.compiler.start(mode == GL_COMPILE_AND_EXECUTE)
    n.dlist.name, n.dlist.mode = name, mode
    n.dispatch = n.save_table


@entry
def glEndList(ctx: Any) -> None:
    n = ctx.n
    if not n.dlist.name:
        raise GLError(GL_INVALID_OPERATION, "no list is being compiled")
    if n.vbo.begin_mode:
        raise GLError(GL_INVALID_OPERATION, "between glBegin and glEnd")
    done = ctx.vbo.compiler.finish()
    name, n.dlist.name = n.dlist.name, 0
    shared = ctx.shared
    with shared.lock:
        old = shared.lists.get(name)
        shared.lists[name] = done
        _set_head(shared, name, done.head)
        if old is not None:
            shared.let_go(old)
    n.dispatch = n.exec_table


@entry(flush=False)
def glGenLists(ctx: Any, count: int) -> int:
    """The first of `count` names in a row that no list bears; they become empty lists."""
    if count < 0:
        raise GLError(GL_INVALID_VALUE, f"range={count}")
    if count == 0:
        return 0
    lists = ctx.shared.lists
    with ctx.shared.lock:
        first = max(lists, default=0) + 1
        if first + count > 1 << 32:
            taken = sorted(lists)
            first = 1
            for name in taken:
                if name - first >= count:
                    break
                first = name + 1
            if first + count > 1 << 32:
                return 0
        for name in range(first, first + count):
            lists[name] = _EMPTY
            _set_head(ctx.shared, name, _EMPTY.head)
    return first


_EMPTY = DisplayList([], [])


@entry(flush=False)
def glIsList(ctx: Any, name: int) -> int:
    return int(name in ctx.shared.lists)


@entry
def glDeleteLists(ctx: Any, first: int, count: int) -> None:
    if count < 0:
        raise GLError(GL_INVALID_VALUE, f"range={count}")
    lists = ctx.shared.lists
    last = first + count
    with ctx.shared.lock:
        names = (
            range(first, last)
            if count <= len(lists)
            else [name for name in lists if first <= name < last]
        )
        for name in names:
            old = lists.pop(name, None)
            if old is not None:
                _set_head(ctx.shared, name, 0)
                ctx.shared.let_go(old)
