# SPDX-License-Identifier: MIT
"""Uniform blocks of a program: which are active, what lies where in them, which numbers stages use.

In: merged stages, whose blocks of one name agree.  Out: rows of the interfaces `uniform block` and
`uniform`, and of each stage's layout the blocks that it may read: they are numbered from
FIRST_BLOCK on, each element of an array of blocks by itself. A block that is not `packed` is active
with all of its members wherever it is declared (OpenGL 3.1, 2.11.4); a packed one where something
of it is read. Messages are Mesa's (link_uniform_blocks.cpp, linker.cpp).
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from pydri.glsl.language.layouts import (
    RULES,
    SLOT_BYTES,
    Rule,
    extent,
    leaf_count,
    leaves,
    members,
)
from pydri.glsl.link.layout import UNIFORM_BLOCK, BlockHome
from pydri.glsl.link.linked import Resource
from pydri.glsl.link.stage import LinkError, Stage, match_blocks
from pydri.glsl.link.uniforms import MOST_ROWS, resource
from pydri.glsl.tree import BlockVar
from pydri.nir.types import Type
from pydri.pipe.shader_memory import FIRST_BLOCK
from pydri.util.recent import Recent

#: of a member of a block: its name, type, whether its matrices lie by rows, and its place
_Member = tuple[str, Type, bool, int]
#: rows of members, by all that they say
_known: Recent[tuple[str, str, _Member, int, int], tuple[Resource, ...]] = Recent(1 << 12)


class BlockLimits(NamedTuple):
    """What blocks can exceed: blocks of a stage, of all stages, bytes of a block."""

    stage: int = 12
    combined: int = 24
    bytes: int = 16384


class Blocks:
    """The blocks of a program: rows, and by stage the indices of its blocks."""

    def __init__(self) -> None:
        self.rows: list[Resource] = []
        self.uniforms: list[Resource] = []
        self.of_stage: dict[str, list[int]] = {}


def _by_name(stages: list[Stage]) -> dict[str, list[Stage]]:
    """The stages that declare a block."""
    found: dict[str, list[Stage]] = {}
    for stage in stages:
        for name in stage.blocks:
            found.setdefault(name, []).append(stage)
    return found


def cross_validate(stages: list[Stage]) -> None:
    """Blocks of the same name are the same in all stages."""
    for name, users in _by_name(stages).items():
        for stage in users[1:]:
            match_blocks(users[0].blocks[name], stage.blocks[name], "uniform")


def link_blocks(stages: list[Stage], first: int, limits: BlockLimits) -> Blocks:
    """Decide everything about blocks; `first`: uniforms that are there already."""
    out = Blocks()
    for name, users in _by_name(stages).items():
        _link(out, name, users, first, limits)
    _check_counts(out, limits)
    return out


def _link(
    out: Blocks, name: str, users: list[Stage], first: int, limits: BlockLimits
) -> None:
    block = users[0].blocks[name]
    rule = RULES[block.packing]
    places = list(members(rule, tuple((m.name, m.type, m.by_rows) for m in block.members)))
    offsets = {field: at for field, _, _, at in places}
    readers = [stage for stage in users if _is_read(stage, block)]
    if block.packing == "packed" and not readers:
        for stage in users:  # code that nobody runs may still name it
            stage.layout.homes[name] = BlockHome(UNIFORM_BLOCK, offsets)
        return
    if sum(leaf_count(member.type) for member in block.members) > MOST_ROWS:
        raise LinkError(f"Uniform block {name} too big")
    _, last, by_rows, at = places[-1]
    total = -(-(at + extent(rule, last, by_rows).size) // SLOT_BYTES) * SLOT_BYTES
    if total > limits.bytes:
        raise LinkError(f"Uniform block {name} too big ({total}/{limits.bytes})")
    index = len(out.rows)
    prefix = f"{name}." if block.instance else ""
    before = first + len(out.uniforms)
    reading = sum(1 << stage.row.number for stage in readers)
    for place in places:
        if block.packing == "packed" and not any(
            _is_read(stage, block, place[0]) for stage in users
        ):
            continue
        out.uniforms += _rows(rule, prefix, place, reading, index)
    mine = tuple(range(before, first + len(out.uniforms)))
    for n, indices in enumerate(product(*map(range, block.sizes))):
        mask = sum(1 << stage.row.number for stage in readers if _reads_element(stage, block, n))
        each = name + "".join(f"[{index}]" for index in indices)
        out.rows.append(Resource(each, block.type, stages=mask, bytes=total, members=mine))
    for stage in users:
        used = out.of_stage.setdefault(stage.name, [])
        stage.layout.homes[name] = BlockHome(FIRST_BLOCK + len(used), offsets)
        used += range(index, len(out.rows))


def _rows(rule: Rule, prefix: str, place: _Member, stages: int, block: int) -> tuple[Resource, ...]:
    """The rows of a member. Programs of one family have blocks in common, and in the same places.
    """
    key = rule.name, prefix, place, stages, block
    found = _known.get(key)
    if found is None:
        field, type_, by_rows, at = place
        found = tuple(
            resource(leaf, stages)._replace(block=block, offset=leaf.offset)
            for leaf in leaves(rule, prefix + field, type_, at, by_rows))
        _known.put(key, found, len(found))
    return found


def _is_read(stage: Stage, block: BlockVar, member: str = "") -> bool:
    """Whether a stage reads something of a block; of a member, where it is a variable."""
    for root, use in stage.used.items():
        if root.mode != "uniform" or root.block is None:
            continue
        if root.block.name == block.name and use.read:
            if not member or block.instance or root.name == member:
                return True
    return False


def _reads_element(stage: Stage, block: BlockVar, n: int) -> bool:
    """Whether a stage that reads an array of blocks reads this one of all of them."""
    use = stage.used.get(stage.roots[f"#block {block.name}"]) if block.sizes else None
    return use is None or not use.blocks or n in use.blocks


def _check_counts(out: Blocks, limits: BlockLimits) -> None:
    total = 0
    for name, used in out.of_stage.items():
        total += len(used)
        if len(used) > limits.stage:
            raise LinkError(f"Too many {name} uniform blocks ({len(used)}/{limits.stage})")
    if total > limits.combined:
        raise LinkError(f"Too many combined uniform blocks ({total}/{limits.combined})")


__all__ = ["BlockLimits", "Blocks", "cross_validate", "link_blocks"]
