# SPDX-License-Identifier: MIT
"""Joins the primitives of a list's node: neighbouring strips, fans and separate pieces become one
indexed draw of quads or of triangles. Kernels of the module `vbo_save`.

In: primitives of one layout (VboPrim). Out: `ListPrim`s, and the indices of those that were joined.
Every piece keeps its last vertex, which provokes. Counterpart of the merging of Mesa's
vbo_save_api.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit.kernel import kernel
from pydri.jit.types import ptr, u8, u16, u32, u64, void
from pydri.main.layout import VboPrim
from pydri.pipe.native import PRIM_BEGIN, PRIM_END
from pydri.vbo.native import (
    MIN_VERTICES,
    QUAD_STRIP,
    QUADS,
    TRIANGLE_FAN,
    TRIANGLE_STRIP,
    TRIANGLES,
    ListPrim,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value

BYTES = ptr(u8)
_NO_FAMILY = 0xFF
_FAMILY = [_NO_FAMILY] * len(MIN_VERTICES)
for _mode in (QUADS, QUAD_STRIP):
    _FAMILY[_mode] = QUADS
for _mode in (TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN):
    _FAMILY[_mode] = TRIANGLES


def family(b: Builder, prim: Any) -> Value:
    """The separate primitives that a primitive can be made of."""
    return b.cast(b.table(u8, _FAMILY)[prim.mode], u32)


def group_end(b: Builder, prims: Any, first: Operand, count: Operand) -> Value:
    """Neighbours of one family: where the group that begins at `first` ends."""
    kind = family(b, prims + first)
    end = b.var(u32, first + 1)
    with b.If(kind != _NO_FAMILY), b.While(lambda: end.value < count):
        with b.If(family(b, prims + end.value) != kind):
            b.Break()
        end.value = end.value + 1
    return end.value


@kernel(u32, (ptr(VboPrim),), noinline=True)
def index_count(b: Builder, prim: VboPrim) -> None:
    """Indices of a primitive as separate pieces."""
    n = prim.count
    with b.Switch(prim.mode) as s:
        with s.Case(QUAD_STRIP):
            b.Return((n // 2 - 1) * 4)
        with s.Case(TRIANGLE_STRIP, TRIANGLE_FAN):
            b.Return((n - 2) * 3)
    b.Return(n)


def _put_indices(b: Builder, prim: Any, out: Any, ty: Any) -> Value:
    """A strip, a fan or separate pieces as indices of separate quads or triangles, each with the
    same last vertex as before. Returns where the next ones go.
    """
    start, n, mode = prim.start, prim.count, prim.mode
    to = out.cast(ptr(ty))
    at = b.var(u32, 0)

    def put(*values: Any) -> None:
        for k, value in enumerate(values):
            to[at.value + k] = b.cast(value, ty)
        at.value = at.value + len(values)

    with b.Switch(mode) as s:
        with s.Case(QUAD_STRIP), b.For(b.const(u32, 0), n // 2 - 1, 1) as k:
            first = start + k * 2  # turned so that the quad's last vertex is the strip's
            put(first + 2, first, first + 1, first + 3)
        with s.Case(TRIANGLE_FAN), b.For(b.const(u32, 1), n - 1, 1) as k:
            put(start, start + k, start + k + 1)
        with s.Case(TRIANGLE_STRIP), b.For(b.const(u32, 0), n - 2, 1) as k:
            first, odd = start + k, k & 1
            put(first + odd, first + 1 - odd, first + 2)
        with s.Default(), b.For(b.const(u32, 0), n, 1) as k:
            put(start + k)
    return (to + at.value).cast(BYTES)


@kernel(BYTES, (ptr(VboPrim), BYTES, u32), noinline=True)
def put_indices(b: Builder, prim: VboPrim, out: Pointer, size: Value) -> None:
    """The indices of a primitive, of 2 or 4 bytes; returns where the next ones go."""
    with b.If(size == 2):
        b.Return(_put_indices(b, prim, out, u16))
    b.Return(_put_indices(b, prim, out, u32))


def list_prim(b: Builder, to: Any, prim: Any) -> None:
    """A primitive as it is."""
    to.mode, to.start, to.count, to.flags = prim.mode, prim.start, prim.count, prim.flags
    to.min_index, to.max_index = prim.start, prim.start + prim.count - 1
    to.index_size = 0


@kernel(void, (ptr(VboPrim), u32, ptr(ListPrim), BYTES, u32), noinline=True)
def join(b: Builder, prims: VboPrim, count: Value, out: ListPrim, indices: Pointer,
         size: Value) -> None:  # fmt: skip
    """ListPrims for a node, neighbours of one family as one indexed draw; and the indices."""
    at, n, to = b.var(u32, 0), b.var(u32, 0), b.var(BYTES, indices)
    with b.While(lambda: at.value < count):
        end = group_end(b, prims, at.value, count)
        first, last = prims + at.value, prims + (end - 1)
        p = out + n.value
        with b.If(end - at.value == 1):
            list_prim(b, p, first)
        with b.Else():
            start = b.ptr_to_int(to.value)
            p.start = b.cast((start - b.ptr_to_int(indices)) // b.cast(size, u64), u32)
            with b.For(at.value, end, 1) as k:
                to.value = b.call(put_indices, prims + k, to.value, size)
            p.count = b.cast((b.ptr_to_int(to.value) - start) // b.cast(size, u64), u32)
            p.mode, p.flags = family(b, first), PRIM_BEGIN | PRIM_END
            p.min_index, p.max_index = first.start, last.start + last.count - 1
            p.index_size = size
        n.value = n.value + 1
        at.value = end
