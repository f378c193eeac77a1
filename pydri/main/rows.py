# SPDX-License-Identifier: MIT
"""Rows that a context has or has not, in the kernel language: what the column `where` of the tables
means (pydri/api/where.py).

In: rows, or enums alone, which are where the registry has them. Out: kernels that find a row by its
enum and answer -1 where the context has it not, and checks of enums. So no caller asks for an API
or a version. A row that is there by the context's version costs an AND; only for others the
context's extensions are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api import registry
from pydri.api.enums import GL_INVALID_ENUM
from pydri.api.gl_table import TABLE
from pydri.api.where import EVERYWHERE, In, asks, registered, where_of
from pydri.jit import i32, kernel, ptr, u16, u32, u64
from pydri.jit.kernel import Kernel
from pydri.jit.types import boolean
from pydri.main.extensions import NUMBERS
from pydri.main.kernels import CTX, NOWHERE, error_if, one_of, where

if TYPE_CHECKING:
    from typing import Protocol

    from pydri.api.where import Row
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext

    class EnumRow(Row, Protocol):
        """A row that knows its enum."""

        @property
        def enum(self) -> int: ...


class Enum(NamedTuple):
    """An enum that is not where the registry has it, as a row of a set."""

    enum: int
    where: In | None = None


#: name -> what each finder and each named set has, for tests
FINDERS: dict[str, tuple[tuple[int, In], ...]] = {}


def pairs_of(rows: Iterable[EnumRow | int]) -> tuple[tuple[int, In], ...]:
    """(enum, where) of rows, or of enums that are where the registry has them."""
    return tuple(
        (row, registered(row)) if isinstance(row, int)
        else (row.enum, where_of(row.enum, row.where))
        for row in rows
    )  # fmt: skip


def enum_set(name: str, *rows: EnumRow | int) -> tuple[tuple[int, In], ...]:
    """A set of enums that arguments are checked against (`enum_check`)."""
    FINDERS[name] = pairs_of(rows)
    return FINDERS[name]


# -- kernels --------------------------------------------------------------------------------------


_API_SHIFT = 12  # of APIs in an element of such a list


def _numbers(found: In) -> list[int]:
    """The extensions that bring something, of those that there are here: places and APIs."""
    known = ((name, bits) for name, bits in found.brought_by.items() if name in NUMBERS)
    return [NUMBERS[name] | bits << _API_SHIFT for name, bits in known]


@kernel(boolean, (CTX, ptr(u16), u32), cold=True)
def brought(b: Builder, ctx: GLContext, numbers: Pointer, count: Value) -> Value:
    """Whether the context has one of some extensions."""
    with b.If(ctx.extensions_known == 0):
        b.call(ctx.hook_extensions, ctx)
    out = b.var(u64, 0)
    with b.For(b.const(u32, 0), count, 1) as n:
        number = b.cast(numbers[n], u32)
        place = number & ((1 << _API_SHIFT) - 1)
        word = ctx.extensions[place >> 6] >> b.cast(place & 63, u64)
        with b.If(((number >> _API_SHIFT) & ctx.api) != 0):
            out.value = out.value | word
    return (out.value & 1) != 0


def available(b: Builder, ctx: GLContext, found: In) -> Any:
    """Whether a context has what is in these APIs."""
    out = b.var(boolean, (ctx.steps & found.steps) != 0)
    numbers = _numbers(found)
    if numbers:
        with b.If(~out.value, likely=False):
            table = b.table(u16, numbers)
            out.value = b.call(brought, ctx, table, len(numbers))
    return out.value


def row_finder(
    name: str, rows: Iterable[EnumRow | int], inline: bool = False, keys: bool = False
) -> Kernel:
    """A kernel that gives an enum's place in a table, -1 for what is not there or not in the
    context (LLVM makes a tree of comparisons of the switch). `inline`: for a caller that branches
    by the row at once, since LLVM then makes one tree of both. `keys`: the numbers are none of the
    registry's, and every row says where it is."""
    pairs = pairs_of(rows)
    if not keys:
        FINDERS[name] = pairs

    @kernel(i32, (CTX, u32), noinline=not inline, inline=inline, name=name)
    def find(b: Builder, ctx: GLContext, enum: Value) -> Value:
        row = b.var(i32, -1)
        with b.Switch(enum) as s:
            for n, (each, _) in enumerate(pairs):
                with s.Case(each):
                    row.value = n
        with b.If(row.value >= 0):
            steps = b.table(u64, [found.steps for _, found in pairs])
            with b.If((ctx.steps & steps[row.value]) == 0, likely=False):
                numbers = [_numbers(found) for _, found in pairs]
                starts = [sum(map(len, numbers[:n])) for n in range(len(numbers) + 1)]
                first = b.table(u16, starts) + row.value
                count = b.cast(first[1], u32) - b.cast(first[0], u32)
                table = b.table(u16, [*sum(numbers, []), 0]) + b.cast(first[0], i32)
                with b.If(~b.call(brought, ctx, table, count)):
                    row.value = -1
        return row.value

    return find


def valid(b: Builder, ctx: GLContext, value: Value,
          allowed: Sequence[tuple[int, In] | EnumRow | int], of: str = "") -> Any:  # fmt: skip
    """Whether an unsigned value is an enum of a set, and in the context. What each context has that
    can be here (of the entry point being traced, or those whose helper this is: `of`) is only
    compared."""
    pairs = [each if type(each) is tuple else pairs_of([each])[0] for each in allowed]  # type: ignore[list-item]
    slot = where(b)
    known = isinstance(slot, int) and slot != NOWHERE  # helpers get it as a parameter
    callers = [TABLE.names[slot]] if known else of.split()
    names = [name for caller in callers for name in TABLE.same(caller)]
    entries = [registry.row(TABLE.slots[name]) for name in names] or [_EVERY_ENTRY]
    groups: dict[In | None, list[int]] = {}
    for enum, found in pairs:
        groups.setdefault(found if asks(found, entries) else None, []).append(enum)
    here = groups.pop(None, [])
    out = b.var(boolean, one_of(b, value, here) if here else b.const(boolean, 0))
    for some, enums in groups.items():
        with b.If(one_of(b, value, enums)):
            out.value = available(b, ctx, some or EVERYWHERE)
    return out.value


#: stands for an entry point that is not known
_EVERY_ENTRY = registry.Availability(10, 31, 10, 20, {})


def enum_check(b: Builder, ctx: GLContext, value: Value, allowed: Sequence[Any]) -> None:
    """GL_INVALID_ENUM and return unless `value` is allowed, and in the context."""
    error_if(b, ctx, ~valid(b, ctx, value, allowed), GL_INVALID_ENUM)
