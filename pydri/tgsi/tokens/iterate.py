# SPDX-License-Identifier: MIT
"""Walks a stream item by item: the base of dump, sanity and scan.

In: tokens or a parsed stream.  Out: calls of an Iterator's methods, in the order of the stream.
Counterpart of tgsi_iterate.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydri.tgsi.tokens.parse import Declaration, Immediate, Instruction, Property, Stream, parse


class Iterator:
    """What is called; each does nothing until it is overridden."""

    def __init__(self) -> None:
        self.processor = 0

    def prolog(self) -> None:
        """Before the first item; `processor` is set."""

    def declaration(self, decl: Declaration) -> None:
        """A declaration."""

    def immediate(self, imm: Immediate) -> None:
        """An immediate."""

    def property(self, prop: Property) -> None:
        """A property."""

    def instruction(self, instr: Instruction) -> None:
        """An instruction."""

    def epilog(self) -> None:
        """Behind the last item."""


def stream_of(shader: Stream | Sequence[int]) -> Stream:
    """The shader, parsed if it is not yet."""
    return shader if isinstance(shader, Stream) else parse(shader)


def iterate(shader: Stream | Sequence[int], iterator: Iterator) -> None:
    """Walk a shader."""
    stream = stream_of(shader)
    iterator.processor = stream.processor
    iterator.prolog()
    for item in stream.items:
        if isinstance(item, Instruction):
            iterator.instruction(item)
        elif isinstance(item, Declaration):
            iterator.declaration(item)
        elif isinstance(item, Immediate):
            iterator.immediate(item)
        else:
            iterator.property(item)
    iterator.epilog()
