# SPDX-License-Identifier: MIT
"""Objects with names, for Python: found by name, held meanwhile, labelled.

In: a kind of names/tables.py and a name. Out: ctypes views of native structs. Everything that
happens to names and references is done by the kernels. Mesa: main/objectlabel.c for the labels.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pydri.main import memory
from pydri.main.layout import GLContext as Native
from pydri.main.names.layout import RESERVED, Named, NameSpace, SharedBlock

if TYPE_CHECKING:
    from pydri.main.context import GLContext
    from pydri.main.names.tables import Kind

_LENGTH = 4  # bytes before a label
NOWHERE = 0xFFFFFFFF  # an entry point that is not named in reports


def space_address(ctx: GLContext, kind: Kind) -> int:
    """Where the names of a kind are."""
    if kind.shared:
        base = ctx.shared.address + SharedBlock.offset("spaces")
    else:
        base = ctx.address + Native.offset("spaces")
    return base + kind.number * NameSpace.size


def live(ctx: GLContext, kind: Kind) -> int:
    """How many objects of a kind there are, with or without a name."""
    return int(NameSpace.view(space_address(ctx, kind)).live)


def is_object(ctx: GLContext, kind: Kind, name: int) -> bool:
    """Whether a name stands for an object."""
    entry = int(ctx.kernel("name_entry")(space_address(ctx, kind), name))
    return entry > RESERVED or (kind.reserved_is_object and entry == RESERVED)


@contextmanager
def object_by_name(ctx: GLContext, kind: Kind, name: int) -> Iterator[Any]:
    """A view of the object that has a name, alive as long as this is entered; None without one."""
    address = int(ctx.kernel("object_find")(ctx.address, space_address(ctx, kind), name))
    if not address and kind.reserved_is_object and is_object(ctx, kind, name):
        address = int(ctx.kernel(kind.name + "_obtain")(ctx.address, name, NOWHERE))
    try:
        yield kind.struct.view(address) if address else None
    finally:
        if address:
            ctx.kernel("object_release")(ctx.address, address)


@contextmanager
def object_made_by_name(ctx: GLContext, kind: Kind, name: int) -> Iterator[Any]:
    """`object_by_name`, but a name that has no object yet gets one, as binding it would make
    (EXT_direct_state_access); an error is recorded for what can be no name."""
    if name and not is_object(ctx, kind, name):
        address = int(ctx.kernel(kind.name + "_obtain")(ctx.address, name, NOWHERE))
        if address:
            ctx.kernel("object_release")(ctx.address, address)
    with object_by_name(ctx, kind, name) as thing:
        yield thing


def name_at(address: int) -> int:
    """The name of an object that something refers to; 0 for null."""
    return int(Named.view(address).name) if address else 0


def label_of(ctx: GLContext, thing: Any) -> bytes:
    """The label of an object."""
    with ctx.shared.lock:
        at = thing.label or 0
        size = ctypes.c_uint32.from_address(at).value if at else 0
        return ctypes.string_at(at + _LENGTH, size) if at else b""


def set_label(ctx: GLContext, thing: Any, text: bytes | None) -> None:
    """Give an object a label; None takes it away."""
    fresh = 0
    if text is not None:
        fresh = memory.allocate(_LENGTH + len(text))
        ctypes.c_uint32.from_address(fresh).value = len(text)
        ctypes.memmove(fresh + _LENGTH, text, len(text))
    with ctx.shared.lock:
        thing.label, fresh = fresh, thing.label or 0
    memory.free(fresh)
