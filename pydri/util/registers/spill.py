# SPDX-License-Identifier: MIT
"""Allocation that spills until it fits."""

from __future__ import annotations

from collections.abc import Callable

from pydri.util.registers.graph import NoRegister, RaGraph, ra_allocate, ra_get_best_spill_node


def ra_allocate_spilling(build: Callable[[], RaGraph], spill: Callable[[int], None],
                         limit: int = 256) -> RaGraph:
    """A coloured graph of a program that gets shorter lives until it fits.

    `build()` makes the graph of the program as it is, with spill costs; `spill(node)` rewrites the
    program so that the node's value lives elsewhere.  NoRegister where nothing is left to spill or
    `limit` spills were not enough.
    """
    for _ in range(limit):
        graph = build()
        if ra_allocate(graph):
            return graph
        node = ra_get_best_spill_node(graph)
        if node < 0:
            raise NoRegister(
                f"no register for {len(graph.uncoloured)} of {len(graph.reg)} values, and nothing"
                " is left to spill")
        spill(node)
    raise NoRegister(f"{limit} spills were not enough")
