# SPDX-License-Identifier: MIT
"""Which outputs of a program transform feedback writes, and where they lie (EXT_transform_feedback;
OpenGL 4.6, 11.1.2.1).

In: the names that glTransformFeedbackVaryings was given, the last stage whose outputs are varyings.
Out: rows for queries, and the components of the stage's slots, by buffer. A name is that of an
output, of a member, of an element of an array, or of all of one; or a word that says where what
follows goes (ARB_transform_feedback3). Messages are Mesa's (link_varyings.cpp: tfeedback_decl,
parse_xfb_decls).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple, cast

from pydri.glsl.link.linked import Resource
from pydri.glsl.link.stage import LinkError, Stage
from pydri.glsl.link.varyings import vectors_of
from pydri.glsl.tree import Var
from pydri.nir.slots import is_compact
from pydri.nir.types import VOID, ArrayType, StructType, Type
from pydri.pipe.native import MAX_CAPTURED, MAX_CAPTURES
from pydri.pipe.state import Capture, StreamOutput

_NAME: Final = re.compile(r"([A-Za-z_]\w*)((?:\.\w+|\[\d+\])*)")
_STEP: Final = re.compile(r"\.(\w+)|\[(\d+)\]")


#: names that are no output's: what follows goes to the next buffer, or lies so many components
#: further on
NEXT_BUFFER: Final = "gl_NextBuffer"
SKIPS: Final = {f"gl_SkipComponents{n}": n for n in range(1, 5)}
SPECIAL: Final = frozenset({NEXT_BUFFER, *SKIPS})


class Asked(NamedTuple):
    """What glTransformFeedbackVaryings was given."""

    names: tuple[str, ...] = ()
    separate: bool = False


class Found(NamedTuple):
    """An output that was asked for: which vectors of a variable."""

    name: str
    root: Var
    type: Type
    first: int

    @property
    def row(self) -> Resource:
        is_array = isinstance(self.type, ArrayType)
        item = cast("ArrayType", self.type).item if is_array else self.type
        return Resource(self.name, item, cast("ArrayType", self.type).size if is_array else 0)


class Gap(NamedTuple):
    """A name that is none of an output: so many components that are not written; 0: the rest goes
    to the next buffer."""

    name: str
    components: int

    @property
    def row(self) -> Resource:
        return Resource(self.name, VOID, self.components)


def _undeclared(name: str) -> LinkError:
    return LinkError(f"Transform feedback varying {name} undeclared.")


def _member(type_: StructType, name: str) -> tuple[Type, int] | None:
    """A member's type, and how many vectors lie before it."""
    before = 0
    for own, field in type_.fields:
        if own == name:
            return field, before
        before += len(vectors_of(field))
    return None


def _root(stage: Stage, name: str, steps: list[tuple[str, str]]) -> Var | None:
    """The variable that a name begins with: a member of a block with an instance is behind the
    block's name (OpenGL 4.6, 7.3.1.1), and between them the index of the block, if there is an
    array of it. Steps that lead to the variable are taken away.
    """
    for root in stage.roots.values():
        block = root.block
        if block is None or not block.instance or block.name != name:
            continue
        at = next((n for n, (member, _) in enumerate(steps) if member), len(steps))
        if at == len(block.sizes) and steps[at:] and steps[at][0] == root.name:
            del steps[at]
            return root
    plain = stage.roots.get(name)
    if plain is not None:
        return plain
    return next((root for root in stage.roots.values() if root.name == name
                 and root.block is not None and not root.block.instance), None)


def _find(stage: Stage, name: str) -> Found:
    parts = _NAME.fullmatch(name)
    if parts is None:
        raise _undeclared(name)
    steps = _STEP.findall(parts[2])
    root = _root(stage, parts[1], steps)
    if root is None or root.mode != "shader_out" or isinstance(root.slot, str):
        raise _undeclared(name)
    type_: Type = root.type
    first = 0
    for member, index in steps:
        if member:
            found = _member(type_, member) if isinstance(type_, StructType) else None
            if found is None:
                raise _undeclared(name)
            type_, first = found[0], first + found[1]
        elif not isinstance(type_, ArrayType):
            raise LinkError(
                f"Transform feedback varying {name} requested, but {root.name} is not an array.")
        elif int(index) >= type_.size:
            raise LinkError(f"Transform feedback varying {name} has index {int(index)}, "
                            f"but the array size is {type_.size}.")
        else:
            first += int(index) * len(vectors_of(type_.item))
            type_ = type_.item
    leaf = type_.item if isinstance(type_, ArrayType) else type_
    if isinstance(leaf, ArrayType | StructType):
        raise _undeclared(name)
    return Found(name, root, type_, first)


def asked_outputs(stage: Stage | None, asked: Asked) -> list[Found | Gap]:
    """What is asked for, before outputs have slots."""
    if not asked.names:
        return []
    if stage is None:
        raise LinkError("Transform feedback varyings specified, but no vertex, tessellation, or "
                        "geometry shader is present.")
    found: list[Found | Gap] = []
    seen: set[tuple[str, int, Type]] = set()
    for name in asked.names:
        if name in SPECIAL and not asked.separate:
            found.append(Gap(name, SKIPS.get(name, 0)))
            continue
        one = _find(stage, name)
        what = one.root.name, one.first, one.type
        if what in seen:
            raise LinkError(f"Transform feedback varying {name} specified more than once.")
        seen.add(what)
        found.append(one)
    _check_sizes(found, asked.separate)
    return found


def _buffers(found: Sequence[Found | Gap], separate: bool) -> list[int]:
    """The buffer of each of these."""
    if separate:
        return list(range(len(found)))
    return list(accumulate(one.name == NEXT_BUFFER for one in found))


def _check_sizes(found: Sequence[Found | Gap], separate: bool) -> None:
    sizes = [one.components if isinstance(one, Gap) else sum(vectors_of(one.type)) for one in found]
    if separate:
        for one, size in zip(found, sizes):
            if size > MAX_CAPTURED:
                raise LinkError(f"Transform feedback varying {one.name} exceeds "
                                "MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS.")
    in_buffer: Counter[int] = Counter()
    for buffer, size in zip(_buffers(found, separate), sizes):
        in_buffer[buffer] += size
    written = sum(size for one, size in zip(found, sizes) if isinstance(one, Found))
    if written > MAX_CAPTURES or max(in_buffer.values()) > MAX_CAPTURED:
        raise LinkError(
            "The MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS limit has been exceeded.")


def placed(
    found: Sequence[Found | Gap], packing: Mapping[int, int], separate: bool
) -> StreamOutput:
    """Where they lie in the stage's slots, and in buffers."""
    captures: list[Capture] = []
    buffers = _buffers(found, separate)
    strides = [0] * (buffers[-1] + 1 if buffers else 0)
    for buffer, one in zip(buffers, found):
        if isinstance(one, Gap):
            strides[buffer] += one.components
            continue
        first = cast("int", one.root.slot) + one.first
        compact = is_compact(one.root.type, cast("int", one.root.slot))
        for slot, width in enumerate(vectors_of(one.type), first):
            at = packing.get(slot, 4 * slot)
            if compact:
                at = 3 * cast("int", one.root.slot) + slot  # a component each
            end = at + width
            while at < end:
                count = min(4 - at % 4, end - at)
                captures.append(Capture(at // 4, at % 4, count, buffer, strides[buffer]))
                strides[buffer] += count
                at += count
    return StreamOutput(tuple(captures), tuple(strides))


__all__ = ["NEXT_BUFFER", "SPECIAL", "Asked", "Found", "Gap", "asked_outputs", "placed"]
