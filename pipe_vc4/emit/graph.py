# SPDX-License-Identifier: MIT
"""The dependency graph of a block's queue: who must come before whom, and by how many words.

In: entries in program order.  Out: `Node`s with their edges and how long the way from each to the
block's end is.  An edge of 0 words means that both may share a word: a word reads all of its
operands before it writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipe_vc4.emit.entry import (
    FILE_A,
    FLAGS,
    R4,
    TLB,
    TMU,
    TMU_SIGS,
    UNIFORMS,
    Entry,
)
from pipe_vc4.emit.word import NO_UNIFORM
from pipe_vc4.qpu.fields import QPU_SIG_

#: words from a write to a read of a register of a file, of what the SFU made, of a new uniform
FILE_DELAY, SFU_DELAY, UNIFORMS_DELAY = 2, 3, 3
#: words from a Z write to a read of the multisample mask
Z_DELAY: Final = 3
#: about how many words a texture sample takes; nothing depends on it but the order
TMU_LATENCY: Final = 9


class Node:
    """An entry in the graph."""

    __slots__ = ("after", "delay", "earliest", "entry", "index", "waits", "way")

    def __init__(self, entry: Entry, index: int) -> None:
        self.entry = entry
        self.index = index
        #: (node that comes later, words between at least)
        self.after: list[tuple[Node, int]] = []
        #: edges into it whose other end has not been placed
        self.waits = 0
        #: the first word that it may be in, as far as is known
        self.earliest = 0
        #: words from it to the end on the longest way, with waits that are only wise; without them
        self.delay = 1
        self.way = 1


def latency(writer: Entry, reader: Entry, resource: int) -> int:
    """Words from a write to a read of the same resource."""
    if FILE_A <= resource < FLAGS:
        return FILE_DELAY
    if resource == R4 and writer.sfu:
        return SFU_DELAY
    if resource == UNIFORMS:
        return UNIFORMS_DELAY
    if resource == TLB:
        return Z_DELAY
    return FILE_DELAY if reader.rotates and resource < FILE_A else 1


def build(entries: Sequence[Entry]) -> list[Node]:
    """The graph of a block."""
    nodes = [Node(entry, index) for index, entry in enumerate(entries)]
    edges: list[dict[int, int]] = [{} for _ in nodes]
    writer: dict[int, int] = {}
    readers: dict[int, list[int]] = {}

    def edge(one: int, other: int, words: int) -> None:
        if one != other:
            edges[one][other] = max(edges[one].get(other, 0), words)

    for index, entry in enumerate(entries):
        for resource in entry.reads:
            if resource in writer:
                edge(writer[resource], index,
                     latency(entries[writer[resource]], entry, resource))
            readers.setdefault(resource, []).append(index)
        for resource in entry.writes:
            if resource in writer:
                before = entries[writer[resource]]
                edge(writer[resource], index,
                     SFU_DELAY if resource == R4 and before.sfu else 1)
            for reader in readers.get(resource, ()):
                edge(reader, index, 0)
            writer[resource] = index
            readers[resource] = []
    for index, ends in enumerate(edges):
        for other, words in ends.items():
            nodes[index].after.append((nodes[other], words))
            nodes[other].waits += 1
    _delays(nodes)
    return nodes


def _delays(nodes: list[Node]) -> None:
    """The longest way to the end, texture samples counted with what they take."""
    for node in reversed(nodes):
        for other, words in node.after:
            taken = words
            node.way = max(node.way, other.way + words)
            if other.entry.sig in TMU_SIGS and TMU in node.entry.writes and (
                    node.entry.sig not in TMU_SIGS):
                taken = TMU_LATENCY
            if other.entry.sig == QPU_SIG_.BRANCH:
                taken = 4  # what is left then fills the branch's delay slots
            node.delay = max(node.delay, other.delay + taken)


def fewest_words(nodes: Sequence[Node]) -> int:
    """No schedule of these entries is shorter: each pipe does one operation a word, a word reads
    one uniform and reaches one unit beside the QPU, and the longest way must be gone."""
    alone = add = mul = either = peripherals = 0
    uniforms: set[int] = set()
    beside = 0  # uniforms that texture coordinates take: each its own word
    for node in nodes:
        entry = node.entry
        peripherals += entry.peripheral
        if entry.uniform_read:
            uniforms.add(entry.uniform)
        elif entry.uniform != NO_UNIFORM:
            beside += 1
        pipes = {form.has_add for form in entry.forms if form.is_alu and (
            form.has_add or form.has_mul)}
        if entry.sig in (QPU_SIG_.LOAD_IMM, QPU_SIG_.BRANCH):
            alone += 1
        elif len(pipes) == 2:
            either += 1
        elif pipes:
            add += True in pipes
            mul += False in pipes
    return max(alone + max(add, mul, (add + mul + either + 1) // 2), peripherals,
               len(uniforms) + beside, max((node.way for node in nodes), default=0))
