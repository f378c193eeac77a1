# SPDX-License-Identifier: MIT
"""TABLE: how types lie in memory: the rules of blocks, and one walk over types that applies them.

In: a type and a row of RULES.  Out: how much room a type takes (`extent`), where a part of it lies
(`path`), and its members that are no structs with their places (`leaves`). Everything is in bytes.
A further layout is a further row. Sources: OpenGL 4.6, 7.6.2.2 (std140, std430).

    rule     vectors of 1, 2, 3, 4            elements, columns, structs begin at multiples of
    vec4     16 bytes each                    16: the default block, all of whose values are slots
    std140   4, 8, 12, 16; at 4, 8, 16, 16    16
    std430   the same                         what they hold
    samplers none; a sampler takes 1          1: what is counted are samplers

`shared` and `packed` leave the choice to the driver: they are std140, as with the peer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from pydri.nir.types import ArrayType, SamplerType, StructType, Type

#: of a vec4, the unit of the default block
SLOT_BYTES: Final = 16


class Rule(NamedTuple):
    """A row. `vectors`: (alignment, size) of a scalar and of vectors of 2, 3 and 4 components;
    `least`: the least alignment of elements of arrays, columns or rows of matrices, and structs;
    `sampler`: the size of one, which is its alignment, too.
    """

    name: str
    vectors: tuple[tuple[int, int], tuple[int, int], tuple[int, int], tuple[int, int]]
    least: int
    sampler: int


class Extent(NamedTuple):
    """Room that a type takes. `stride`: from one element of an array, or from one column (of what
    lies by rows: one row) of a matrix, to the next; else 0.
    """

    alignment: int
    size: int
    stride: int = 0


class Path(NamedTuple):
    """Where a part lies, all indices being 0. `strides`: of each array on the way, outermost first,
    and then from one column of a matrix to the next; `step`: from one component to the next.
    """

    offset: int
    strides: tuple[int, ...]
    step: int


class Leaf(NamedTuple):
    """A member that is no struct. `array_stride` is 0 for what is no array, `matrix_stride` for
    what is no matrix.
    """

    name: str
    type: Type
    offset: int
    array_stride: int
    matrix_stride: int
    by_rows: bool

    @property
    def element(self) -> Type:
        """Its type; of an array its elements'."""
        return self.type.element(0) if isinstance(self.type, ArrayType) else self.type

    @property
    def size(self) -> int:
        """Of an array; 0 for what is none."""
        return self.type.length if isinstance(self.type, ArrayType) else 0


_MACHINE: Final = ((4, 4), (8, 8), (16, 12), (16, 16))
VEC4: Final = Rule("vec4", ((SLOT_BYTES, SLOT_BYTES),) * 4, SLOT_BYTES, SLOT_BYTES)
STD140: Final = Rule("std140", _MACHINE, 16, 0)
STD430: Final = Rule("std430", _MACHINE, 1, 0)
SAMPLERS: Final = Rule("samplers", ((1, 0),) * 4, 1, 1)
#: what layout() may say of a block
RULES: Final = {
    "std140": STD140, "std430": STD430,
    "shared": STD140._replace(name="shared"), "packed": STD140._replace(name="packed"),
}  # fmt: skip


def _up(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


def extent(rule: Rule, type_: Type, by_rows: bool = False) -> Extent:
    """The room of a type; `by_rows`: its matrices lie there row after row."""
    key = ("extent", rule.name, by_rows)
    found: Extent | None = type_.derived.get(key)
    if found is None:
        found = type_.derived[key] = _extent(rule, type_, by_rows)
    return found


def _extent(rule: Rule, type_: Type, by_rows: bool) -> Extent:
    if isinstance(type_, ArrayType):
        return _repeated(rule, extent(rule, type_.item, by_rows), type_.size)
    if isinstance(type_, StructType):
        alignment, end = rule.least, 0
        for _, inner, _, at in members(rule, _fields(type_, by_rows)):
            room = extent(rule, inner, by_rows)
            alignment, end = max(alignment, room.alignment), at + room.size
        return Extent(alignment, _up(end, alignment))
    if isinstance(type_, SamplerType):
        return Extent(max(rule.sampler, 1), rule.sampler)
    if not type_.is_matrix:
        return Extent(*rule.vectors[type_.rows - 1])
    width, count = type_.rows, type_.columns
    if by_rows:
        width, count = count, width
    return _repeated(rule, Extent(*rule.vectors[width - 1]), count)


def _repeated(rule: Rule, room: Extent, count: int) -> Extent:
    alignment = max(room.alignment, rule.least)
    stride = _up(room.size, alignment)
    return Extent(alignment, stride * count, stride)


def _fields(type_: StructType, by_rows: bool) -> tuple[tuple[str, Type, bool], ...]:
    """The members of a struct, all of whose matrices lie alike."""
    return tuple((name, inner, by_rows) for name, inner in type_.fields)


def members(
    rule: Rule, fields: tuple[tuple[str, Type, bool], ...], at: int = 0
) -> Iterator[tuple[str, Type, bool, int]]:
    """The members of a block or struct, each with its place: name, type, whether its matrices lie
    by rows, offset.
    """
    for name, inner, by_rows in fields:
        room = extent(rule, inner, by_rows)
        at = _up(at, room.alignment)
        yield name, inner, by_rows, at
        at += room.size


def _offset(rule: Rule, type_: StructType, name: str, by_rows: bool) -> int:
    """Where a member of a struct lies in it."""
    key = ("offsets", rule.name, by_rows)
    found: dict[str, int] | None = type_.derived.get(key)
    if found is None:
        found = {field: at for field, _, _, at in members(rule, _fields(type_, by_rows))}
        type_.derived[key] = found
    return found[name]


def path(rule: Rule, type_: Type, names: tuple[str, ...], by_rows: bool = False) -> Path:
    """The way to a member of a type, arrays passed on it; no names: to the type itself."""
    key = ("path", rule.name, names, by_rows)
    found: Path | None = type_.derived.get(key)
    if found is None:
        found = type_.derived[key] = _path(rule, type_, names, by_rows)
    return found


def _path(rule: Rule, type_: Type, names: tuple[str, ...], by_rows: bool) -> Path:
    at, strides, rest = 0, [], list(names)
    while True:
        if isinstance(type_, ArrayType):
            strides.append(extent(rule, type_, by_rows).stride)
            type_ = type_.item
        elif rest:
            assert isinstance(type_, StructType)
            name = rest.pop(0)
            at += _offset(rule, type_, name, by_rows)
            type_ = type_.element(name)
        elif type_.is_matrix:
            between = extent(rule, type_, by_rows).stride
            return Path(at, (*strides, 4 if by_rows else between), between if by_rows else 4)
        else:
            return Path(at, tuple(strides), 4)


def leaves(
    rule: Rule, name: str, type_: Type, at: int, by_rows: bool = False
) -> Iterator[Leaf]:
    """The members of a variable that are no structs; an array of such is one, as a whole."""
    if isinstance(type_, ArrayType) and isinstance(type_.item, (StructType, ArrayType)):
        step = extent(rule, type_, by_rows).stride
        for n in range(type_.size):
            yield from leaves(rule, f"{name}[{n}]", type_.item, at + n * step, by_rows)
    elif isinstance(type_, StructType):
        for field, inner, _, offset in members(rule, _fields(type_, by_rows)):
            yield from leaves(rule, f"{name}.{field}", inner, at + offset, by_rows)
    else:
        array = isinstance(type_, ArrayType)
        inner = type_.element(0) if array else type_
        between = extent(rule, type_, by_rows).stride if array else 0
        columns = extent(rule, inner, by_rows).stride if inner.is_matrix else 0
        yield Leaf(name, type_, at, between, columns, by_rows and inner.is_matrix)


def leaf_count(type_: Type) -> int:
    """How many leaves a variable has; there may be too many to look at them."""
    if isinstance(type_, ArrayType):
        inner = type_.item
        return type_.size * leaf_count(inner) if isinstance(inner, (StructType, ArrayType)) else 1
    if isinstance(type_, StructType):
        found: int | None = type_.derived.get("leaf count")
        if found is None:
            found = type_.derived["leaf count"] = sum(leaf_count(t) for _, t in type_.fields)
        return found
    return 1


def has_matrix(type_: Type) -> bool:
    """A matrix, or something that holds one?"""
    if isinstance(type_, ArrayType):
        return has_matrix(type_.item)
    if isinstance(type_, StructType):
        found: bool | None = type_.derived.get("has matrix")
        if found is None:
            found = type_.derived["has matrix"] = any(has_matrix(t) for _, t in type_.fields)
        return found
    return type_.is_matrix


def sampler_count(type_: Type) -> int:
    """How many samplers a type holds, arrays and structs flattened."""
    return extent(SAMPLERS, type_).size


__all__ = [
    "RULES", "SAMPLERS", "SLOT_BYTES", "STD140", "STD430", "VEC4", "Extent", "Leaf", "Path", "Rule",
    "extent", "has_matrix", "leaf_count", "leaves", "members", "path", "sampler_count",
]  # fmt: skip
