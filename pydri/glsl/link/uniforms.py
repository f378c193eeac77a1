# SPDX-License-Identifier: MIT
"""Uniforms of a program: which are active, where their values lie, their locations and samplers.

In: merged stages.  Out: `Resource`s (a row for each member that is no struct), the program's block
of values with its first content, and for each stage its samplers. A uniform of several stages is
one (GLSL 1.20, 4.3.5). Values take whole vec4 slots (VEC4 of layouts.py); the unit of a sampler
lies in its slot, too. Arrays end behind the last element in use, as with Mesa
(gl_nir_link_uniforms.c: update_array_sizes). What lies in blocks is link/blocks.py's.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from pydri.glsl.language.layouts import (
    SLOT_BYTES,
    VEC4,
    Leaf,
    extent,
    leaf_count,
    leaves,
    sampler_count,
)
from pydri.glsl.link.layout import UNIFORM_BLOCK
from pydri.glsl.link.linked import Resource, Sampler
from pydri.glsl.link.reach import Use
from pydri.glsl.link.stage import LinkError, Stage, merge
from pydri.glsl.tree import Constant, Var
from pydri.nir import types
from pydri.nir.types import ArrayType, SamplerType, Type

#: what is left out of all counts: no program comes near
MOST_ROWS = 1 << 16

#: the version from which on lookups that compare give a single number. In such a shader, as with
#: Mesa (st_sampler_view.c), the older shadow2D() counts as one of them.
_SINGLE_SINCE: Final = 130


class Uniforms:
    """The uniforms of a program."""

    def __init__(self) -> None:
        self.rows: list[Resource] = []
        self.storage = bytearray()
        self.samplers: dict[str, list[Sampler]] = {}
        self.locations = 0


class Limits(NamedTuple):
    """What of a stage's limits uniforms can exceed."""

    components: int
    samplers: int


def _components(type_: Type) -> int:
    """What counts against the limit of a stage's components; samplers do not."""
    return type_.components - sampler_count(type_)


def _write(storage: bytearray, at: int, type_: Type, values: Constant) -> None:
    """Put a constant at a place; what has no room, the elements of an array that nobody uses, is
    left out.
    """
    numbers = iter(values)
    for leaf in leaves(VEC4, "", type_, at):
        inner = leaf.element
        form = {"float": "<f", "uint": "<I"}.get(inner.kind, "<i")
        for n in range(leaf.size or 1):
            for column in range(inner.columns):
                where = leaf.offset + n * leaf.array_stride + column * leaf.matrix_stride
                for row in range(inner.rows):
                    value = next(numbers)
                    number = value if inner.kind == "float" else int(value)
                    if where < len(storage):
                        struct.pack_into(form, storage, where + 4 * row, number)


def _active(stages: Iterable[Stage]) -> dict[str, list[tuple[Stage, Var]]]:
    """The uniforms that are read, by name, with the stages that read them. Those with a value of
    their own count as read, as with the peer (opt_dead_code.cpp).
    """
    out: dict[str, list[tuple[Stage, Var]]] = {}
    for stage in stages:
        for name, root in stage.active_globals():
            if root.block is not None:
                continue  # link/blocks.py's
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
            if root.block is not None and root.block.instance:
                continue  # matched by the block's name
            known = seen.setdefault(name, root)
            if known is not root:
                merge(known, root, stage.strict_precision)
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
        if leaf_count(type_) + len(out.rows) > MOST_ROWS:
            _too_many(users[0][0].name, "default uniform block components")
        if users[0][1].builtin:
            _add_state(out, name, type_, users)
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


def resource(leaf: Leaf, stages: int) -> Resource:
    """The row of a member that is no struct, but for its place; `stages`: which refer to it."""
    return Resource(
        leaf.name, leaf.element, leaf.size, stages, array_stride=leaf.array_stride,
        matrix_stride=leaf.matrix_stride, by_rows=leaf.by_rows)  # fmt: skip


def _mask(users: Iterable[tuple[Stage, Var]]) -> int:
    return sum(1 << stage.row.number for stage, _ in users)


def _add_state(out: Uniforms, name: str, type_: Type, users: list[tuple[Stage, Var]]) -> None:
    """A built-in uniform: it has neither location nor storage."""
    stages = _mask(users)
    out.rows += (resource(leaf, stages) for leaf in leaves(VEC4, name, type_, 0))


def _add(out: Uniforms, name: str, type_: Type, users: list[tuple[Stage, Var]]) -> None:
    first = len(out.storage)
    out.storage.extend(bytes(extent(VEC4, type_).size))
    value = users[0][1].initializer
    if value is not None and value.constant is not None:
        _write(out.storage, first, value.type, value.constant)
    for stage, root in users:
        stage.layout.uniforms[root] = UNIFORM_BLOCK, first
        if sampler_count(type_):
            stage.layout.samplers[root] = len(out.samplers[stage.name])
    stages = [stage for stage, _ in users]
    mask = _mask(users)
    for leaf in leaves(VEC4, name, type_, first):
        row = resource(leaf, mask)._replace(location=out.locations, storage=leaf.offset)
        out.rows.append(row)
        out.locations += row.elements
        if isinstance(row.type, SamplerType):
            for stage in stages:
                single = row.type.shadow and stage.version >= _SINGLE_SINCE
                out.samplers[stage.name] += (
                    Sampler(leaf.offset + n * leaf.array_stride, row.type, single=single)
                    for n in range(row.elements))


__all__ = ["Limits", "Sampler", "Uniforms", "link_uniforms", "resource"]
