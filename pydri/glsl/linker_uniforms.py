# SPDX-License-Identifier: MIT
"""Uniforms of a program: which are active, where their values lie, their locations and samplers.

In: merged stages.  Out: `Uniform`s (what glGetActiveUniform tells: a row for each member that is no
struct), the program's block of values with its first content, and for each stage its samplers. A
uniform of several stages is one (GLSL 1.20, 4.3.5). Values take whole vec4 slots, as
`Layout.uniform` says; the unit of a sampler lies in its slot, too. Arrays end behind the last
element in use, as with Mesa (gl_nir_link_uniforms.c: update_array_sizes).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from pydri.glsl.layout import SLOT_BYTES, UNIFORM_BLOCK, sampler_count
from pydri.glsl.linked import Sampler, Uniform
from pydri.glsl.linker_reach import Use
from pydri.glsl.linker_stage import LinkError, Stage, merge
from pydri.glsl.tree import Constant, Var
from pydri.nir import types
from pydri.nir.types import ArrayType, SamplerType, StructType, Type

#: what is left out of all counts: no program comes near
MOST_ROWS = 1 << 16


class Uniforms:
    """The uniforms of a program."""

    def __init__(self) -> None:
        self.rows: list[Uniform] = []
        self.storage = bytearray()
        self.samplers: dict[str, list[Sampler]] = {}
        self.locations = 0


class Limits(NamedTuple):
    """What of a stage's limits uniforms can exceed."""

    components: int
    samplers: int


def _leaves(name: str, type_: Type, offset: int) -> Iterator[tuple[str, Type, int]]:
    """The members of a uniform that are no structs: name, type (arrays whole), place."""
    if isinstance(type_, ArrayType) and isinstance(type_.item, (StructType, ArrayType)):
        step = type_.item.slots * SLOT_BYTES
        for n in range(type_.size):
            yield from _leaves(f"{name}[{n}]", type_.item, offset + n * step)
    elif isinstance(type_, StructType):
        for field, inner in type_.fields:
            yield from _leaves(f"{name}.{field}", inner, offset)
            offset += inner.slots * SLOT_BYTES
    else:
        yield name, type_, offset


def _components(type_: Type) -> int:
    """What counts against the limit of a stage's components; samplers do not."""
    if isinstance(type_, ArrayType):
        return type_.size * _components(type_.item)
    if isinstance(type_, StructType):
        return sum(_components(inner) for _, inner in type_.fields)
    return 0 if isinstance(type_, SamplerType) else type_.components


def _row_count(type_: Type) -> int:
    if isinstance(type_, ArrayType):
        inner = type_.item
        return type_.size * _row_count(inner) if isinstance(inner, (StructType, ArrayType)) else 1
    if isinstance(type_, StructType):
        return sum(_row_count(inner) for _, inner in type_.fields)
    return 1


def _write(storage: bytearray, at: int, type_: Type, values: Constant, first: int) -> int:
    """Put the components of a constant, from `first` on, at a place; how many components it took.

    Beyond the block's end, where the elements of an array are that nobody uses, nothing is put.
    """
    if isinstance(type_, ArrayType):
        step, taken = type_.item.slots * SLOT_BYTES, 0
        for n in range(type_.size):
            taken += _write(storage, at + n * step, type_.item, values, first + taken)
        return taken
    if isinstance(type_, StructType):
        taken = 0
        for _, inner in type_.fields:
            taken += _write(storage, at, inner, values, first + taken)
            at += inner.slots * SLOT_BYTES
        return taken
    form = {"float": "<f", "uint": "<I"}.get(type_.kind, "<i")
    for column in range(type_.columns):
        for row in range(type_.rows):
            value = values[first + column * type_.rows + row]
            number = value if type_.kind == "float" else int(value)
            struct.pack_into(form, storage, at + SLOT_BYTES * column + 4 * row, number)
    return type_.components


def _active(stages: Iterable[Stage]) -> dict[str, list[tuple[Stage, Var]]]:
    """The uniforms that are read, by name, with the stages that read them. Those with a value of
    their own count as read, as with the peer (opt_dead_code.cpp).
    """
    out: dict[str, list[tuple[Stage, Var]]] = {}
    for stage in stages:
        for name, root in stage.active_globals():
            if root.mode == "uniform" and root.initializer is not None:
                use = stage.used.setdefault(root, Use())
                use.read = use.whole = True
            found = stage.use(root)
            if root.mode == "uniform" and found is not None and found.read:
                out.setdefault(name, []).append((stage, root))
    return out


def cross_validate(stages: list[Stage]) -> None:
    """Uniforms of the same name are the same in all stages."""
    seen: dict[str, Var] = {}
    for stage in stages:
        for name, root in stage.roots.items():
            if root.mode != "uniform" or root.builtin:
                continue
            known = seen.setdefault(name, root)
            if known is not root:
                merge(known, root)
                root.type, root.initializer = known.type, known.initializer
                root.implicit = known.implicit


def _trim(name: str, users: list[tuple[Stage, Var]]) -> Type:
    """An array ends behind the last element in use."""
    type_ = users[0][1].type
    if isinstance(type_, ArrayType):
        used = (stage.used[root].size(type_) for stage, root in users)
        type_ = types.array(type_.item, max(used))
        for _, root in users:
            root.type = type_
    return type_


def link_uniforms(stages: list[Stage], limits: Mapping[str, Limits]) -> Uniforms:
    """Decide everything about uniforms; the stages' layouts get it."""
    cross_validate(stages)
    out = Uniforms()
    out.samplers = {stage.name: [] for stage in stages}
    counts = {stage.name: 0 for stage in stages}
    for name, users in _active(stages).items():
        type_ = _trim(name, users)
        for stage, _ in users:
            counts[stage.name] += _components(type_)
        if _row_count(type_) + len(out.rows) > MOST_ROWS:
            _too_many(users[0][0].name, "default uniform block components")
        if users[0][1].builtin:
            _add_state(out, name, type_)
        else:
            _check_room(out, type_, users[0][0].name, limits)
            _add(out, name, type_, users)
    for stage in stages:
        if counts[stage.name] > limits[stage.name].components:
            _too_many(stage.name, "default uniform block components")
        if len(out.samplers[stage.name]) > limits[stage.name].samplers:
            _too_many(stage.name, "texture samplers")
    return out


def _too_many(stage: str, what: str) -> None:
    raise LinkError(f"Too many {stage} shader {what}")


def _check_room(out: Uniforms, type_: Type, stage: str, limits: Mapping[str, Limits]) -> None:
    """No memory for what is beyond all limits anyway: a slot has a component at least."""
    most = sum(limits[name].components + limits[name].samplers for name in out.samplers)
    if len(out.storage) // SLOT_BYTES + type_.slots > most:
        _too_many(stage, "default uniform block components")


def _add_state(out: Uniforms, name: str, type_: Type) -> None:
    """A built-in uniform: it has neither location nor storage."""
    for leaf, inner, _ in _leaves(name, type_, 0):
        array = isinstance(inner, ArrayType)
        element = inner.element(0) if array else inner
        out.rows.append(Uniform(leaf, element, inner.length if array else 0, -1, -1))


def _add(out: Uniforms, name: str, type_: Type, users: list[tuple[Stage, Var]]) -> None:
    first = len(out.storage)
    out.storage.extend(bytes(type_.slots * SLOT_BYTES))
    value = users[0][1].initializer
    if value is not None and value.constant is not None:
        whole = bytearray(value.type.slots * SLOT_BYTES)
        _write(whole, 0, value.type, value.constant, 0)
        out.storage[first:] = whole[: type_.slots * SLOT_BYTES]
    for stage, root in users:
        stage.layout.uniforms[root] = UNIFORM_BLOCK, first
        if sampler_count(type_):
            stage.layout.samplers[root] = len(out.samplers[stage.name])
    for leaf, inner, offset in _leaves(name, type_, first):
        array = isinstance(inner, ArrayType)
        element = inner.element(0) if array else inner
        size = inner.length if array else 0
        out.rows.append(Uniform(leaf, element, size, out.locations, offset))
        out.locations += size or 1
        if isinstance(element, SamplerType):
            for stage, _ in users:
                out.samplers[stage.name] += (
                    Sampler(offset + n * SLOT_BYTES, element) for n in range(size or 1))


__all__ = ["Limits", "Sampler", "Uniform", "Uniforms", "link_uniforms"]
