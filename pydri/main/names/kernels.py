# SPDX-License-Identifier: MIT
"""What follows from the row of a kind: its entry points glGen*, glCreate*, glDelete*, glIs*, and
the kernels with which its room finds and makes objects.

In: a row of names/tables.py, and what the kind does: `born` writes initial values into zeroed
memory, `unbind` undoes the bindings of the current context when the object is deleted, `dead` gives
back what the object refers to. Each is a kernel (context, object). Out: `Names`. Mesa has this once
a kind (create_buffers, gen_queries, _mesa_DeleteTextures, ...).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pydri.api.enums as gl
from pydri.jit import boolean, kernel, ptr, u8, u32, u64
from pydri.jit.kernel import Kernel
from pydri.main.kernels import (
    CTX,
    error_if,
    gl_record_error,
    is_null,
    native_as,
    where,
)
from pydri.main.names.layout import FREE, RESERVED, NameSpace
from pydri.main.names.object_kernels import (
    NAMED,
    acquire,
    no_object,
    object_abandon,
    object_delete,
    object_new,
)
from pydri.main.names.space_kernels import (
    NO_MEMORY,
    SPACE,
    limit_of,
    names_enter,
    names_find,
    names_table,
    names_take,
)
from pydri.main.names.tables import Kind

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Pointer, Value
    from pydri.main.layout import GLContext


@kernel(u64, (CTX, SPACE, u32, u64), noinline=True)
def name_unused(b: Builder, ctx: GLContext, space: NameSpace, name: Value, steps: Value) -> Value:
    """Whether an object may be made of a name that has none: 0, or the GL error. `steps`: of the
    contexts that take names from the program."""
    free = b.call(names_find, space, name) == FREE
    strict = (ctx.steps & steps) == 0
    return b.select(free & strict, b.const(u64, gl.GL_INVALID_OPERATION), 0)


class Names:
    """The names of one kind, for its room's kernels. Objects are pointers to its struct.

    `obtain(ctx, name, slot)`: the object of a name that is being bound (not 0), made at its first
    use, with a reference for the context; null after an error. `make(ctx, slot)`: a new object with
    a name of its own; null after GL_OUT_OF_MEMORY.
    """

    def __init__(
        self, kind: Kind, born: Kernel | None, unbind: Kernel | None, dead: Kernel | None
    ) -> None:
        self.kind = kind
        struct: Any = kind.struct
        self.struct = struct
        self.object: Any = ptr(struct)
        self._hooks = {"born": born, "unbind": unbind, "dead": dead}
        self.open = self._open()
        self.generate = self._generate()
        self.obtain = self._obtain()
        self.make = self._make()

    def space(self, b: Builder, ctx: Any) -> Any:
        """Where the kind's names are."""
        return (ctx.shared.spaces if self.kind.shared else ctx.spaces) + self.kind.number

    def acquire(self, b: Builder, ctx: GLContext, name: Value) -> Any:
        """The object of a name, with a reference for the context; null if it has none."""
        return acquire(b, ctx, self.space(b, ctx), name).cast(self.object)

    def bind(self, b: Builder, ctx: GLContext, name: Value, slot: Value) -> Any:
        """`obtain`, in place for objects that are there."""
        found = b.var(self.object, self.acquire(b, ctx, name))
        with b.If(is_null(found.value), likely=False):
            found.value = b.call(self.obtain, ctx, name, slot)
        return found.value

    def peek(self, b: Builder, ctx: GLContext, name: Value) -> Any:
        """The object of a name, or null; for kinds of one context, or only to be compared."""
        entry = b.call(names_find, self.space(b, ctx), name)
        return b.int_to_ptr(b.select(entry > RESERVED, entry, b.const(u64, 0)), self.struct)

    def entry(self, b: Builder, ctx: GLContext, name: Value) -> Any:
        """FREE, RESERVED, or more: there is an object."""
        return b.call(names_find, self.space(b, ctx), name)

    def _open(self) -> Kernel:
        @kernel(SPACE, (CTX,), cold=True, name=self.kind.name + "_names_open")
        def open_(b: Builder, ctx: GLContext) -> Any:
            """The name space, made ready at its first use; null: no memory."""
            space = self.space(b, ctx)
            space.object_bytes = self.kind.struct.size
            for name, hook in self._hooks.items():
                if hook is not None:
                    setattr(space, name, b.address_of(hook))
            with b.If(b.call(names_table, space) == 0):
                b.Return(b.const(SPACE, None))
            return space

        return open_

    def _ready(self, b: Builder, ctx: GLContext) -> Any:
        """Whether there is a table of names, made if there is none."""
        done = b.var(u32, 1)
        with b.If(limit_of(b, self.space(b, ctx)) == 0, likely=False):
            done.value = b.cast(~is_null(b.call(self.open, ctx)), u32)
        return done.value

    def _obtain(self) -> Kernel:
        @kernel(self.object, (CTX, u32, u32), noinline=True, name=self.kind.name + "_obtain")
        def obtain(b: Builder, ctx: GLContext, name: Value, slot: Value) -> None:
            space = self.space(b, ctx)
            none = b.const(self.object, None)
            with b.Loop():
                found = acquire(b, ctx, space, name)
                with b.If(~is_null(found), likely=True):
                    b.Return(found.cast(self.object))
                error = b.call(name_unused, ctx, space, name, self.kind.invented.steps)
                with b.If(error != 0):
                    b.call(gl_record_error, ctx, b.cast(error, u32), slot)
                    b.Return(none)
                thing = b.var(NAMED, no_object(b))
                before = b.var(u64, NO_MEMORY)
                with b.If(self._ready(b, ctx) != 0):
                    thing.value = b.call(object_new, ctx, space, name)
                with b.If(~is_null(thing.value)):
                    thing.value.own = 1
                    entry = b.ptr_to_int(thing.value)
                    before.value = b.call(names_enter, space, name, entry)
                with b.If(before.value <= RESERVED, likely=True):
                    b.Return(thing.value.cast(self.object))
                with b.If(~is_null(thing.value)):
                    thing.value.own = 0
                    b.call(object_abandon, ctx, thing.value)
                with b.If(before.value == NO_MEMORY):
                    b.call(gl_record_error, ctx, gl.GL_OUT_OF_MEMORY, slot)
                    b.Return(none)
                # another thread made the object meanwhile

        return obtain

    def _make(self) -> Kernel:
        @kernel(self.object, (CTX, u32), noinline=True, name=self.kind.name + "_make")
        def make(b: Builder, ctx: GLContext, slot: Value) -> Any:
            thing = b.var(NAMED, no_object(b))
            name = b.call(self.generate, ctx)
            with b.If(name != 0, likely=True):
                space = self.space(b, ctx)
                thing.value = b.call(object_new, ctx, space, name)
                with b.If(is_null(thing.value)):
                    b.call(object_delete, ctx, space, name)
                with b.Else():
                    b.call(names_enter, space, name, b.ptr_to_int(thing.value))
            with b.If(is_null(thing.value), likely=False):
                b.call(gl_record_error, ctx, gl.GL_OUT_OF_MEMORY, slot)
            return thing.value.cast(self.object)

        return make

    def _generate(self) -> Kernel:
        @kernel(u32, (CTX,), noinline=True, name=self.kind.name + "_generate")
        def generate(b: Builder, ctx: GLContext) -> Any:
            """A free name, reserved; 0: no memory."""
            with b.If(self._ready(b, ctx) == 0, likely=False):
                b.Return(0)
            return b.call(names_take, self.space(b, ctx), 1)

        return generate


Exists = Callable[[Any], Any]


def _deleter(names: Names, stays: Callable[[Builder, Any, Any], Any] | None) -> Any:
    def delete(b: Builder, ctx: GLContext, n: Value, given: Pointer) -> None:
        error_if(b, ctx, n < 0, gl.GL_INVALID_VALUE)
        with b.If(is_null(given)):
            b.Return()
        with b.For(b.const(n.ty, 0), n, 1) as i:
            if stays is not None:
                busy, object = b.var(boolean, b.const(boolean, 0)), names.peek(b, ctx, given[i])
                with b.If(~is_null(object)):
                    busy.value = stays(b, ctx, object)
                error_if(b, ctx, busy.value, gl.GL_INVALID_OPERATION)
            b.call(object_delete, ctx, names.space(b, ctx), given[i])

    return delete


def install(
    kind: Kind,
    module: str,
    born: Kernel | None = None,
    unbind: Kernel | None = None,
    dead: Kernel | None = None,
    exists: Exists | None = None,
    stays: Callable[[Builder, Any, Any], Any] | None = None,
) -> Names:
    """Make the entry points of a kind, as part of a room's `module` of kernels. `exists` says of an
    object (that nobody frees meanwhile) whether glIs* is true; without it every object is one.
    `stays` says of one, of a kind of contexts, whether it cannot be deleted now: then it stays, and
    those behind it.
    """
    names = Names(kind, born, unbind, dead)

    def generate(b: Builder, ctx: GLContext, n: Value, out: Pointer) -> None:
        error_if(b, ctx, n < 0, gl.GL_INVALID_VALUE)
        with b.If(is_null(out)):
            b.Return()
        with b.For(b.const(n.ty, 0), n, 1) as i:
            name = b.call(names.generate, ctx)
            error_if(b, ctx, name == 0, gl.GL_OUT_OF_MEMORY)
            out[i] = name

    def create(b: Builder, ctx: GLContext, n: Value, out: Pointer) -> None:
        error_if(b, ctx, n < 0, gl.GL_INVALID_VALUE)
        with b.If(is_null(out)):
            b.Return()
        with b.For(b.const(n.ty, 0), n, 1) as i:
            made = b.call(names.make, ctx, where(b))
            with b.If(is_null(made), likely=False):
                b.Return()
            out[i] = made.name

    def test(b: Builder, ctx: GLContext, name: Value) -> Any:
        entry = names.entry(b, ctx, name)
        out = b.var(u8, 0)
        with b.If(entry > RESERVED):
            if exists is None:
                out.value = 1
            else:
                out.value = b.cast(exists(b.int_to_ptr(entry, names.struct)), u8)
        return out.value

    bodies = ((kind.generate, create if kind.at_once else generate), (kind.create, create),
              (kind.delete, _deleter(names, stays)), (kind.test, test))  # fmt: skip
    for entry_point, body in bodies:
        if entry_point:
            body.__module__ = module
            native_as(entry_point, body)
    return names
