# SPDX-License-Identifier: MIT
"""Allocation by classes beside exact colouring of small random graphs.

The judge is a search through all colourings: what it finds none for, nobody may colour; and where
the p/q test takes every node away, Runeson and Nystrom's theorem says that a colouring is found.
"""

import random

import pytest

from pydri.util import registers as ra


def _target(rng: random.Random) -> ra.RaRegs:
    """A small machine: up to 6 registers, some that overlap, up to 4 classes."""
    count = rng.randint(2, 6)
    regs = ra.ra_alloc_reg_set(count)
    for _ in range(rng.randint(0, 2)):
        ra.ra_add_reg_conflict(regs, rng.randrange(count), rng.randrange(count))
    for _ in range(rng.randint(1, 4)):
        contig = rng.choice((1, 1, 1, 2))
        made = ra.ra_alloc_contig_reg_class(regs, contig)
        starts = range(count - contig + 1)
        for reg in rng.sample(starts, rng.randint(1, len(starts))):
            ra.ra_class_add_reg(made, reg)
    ra.ra_set_finalize(regs)
    return regs


def _graph(rng: random.Random, regs: ra.RaRegs) -> ra.RaGraph:
    count = rng.randint(1, 8)
    graph = ra.ra_alloc_interference_graph(regs, count)
    density = rng.random()
    for node in range(count):
        mine = rng.choice(regs.classes)
        ra.ra_set_node_class(graph, node, mine)
        if rng.random() < 0.1:
            ra.ra_set_node_reg(graph, node, rng.choice(list(ra.bits(mine.regs))))
        for other in range(node):
            if rng.random() < density:
                ra.ra_add_node_interference(graph, node, other)
    return graph


def _units(regs: ra.RaRegs, graph: ra.RaGraph, node: int, reg: int) -> set[int]:
    """The registers in which a value lies."""
    return set(range(reg, reg + graph.class_of(node).contig))


def _clash(regs: ra.RaRegs, graph: ra.RaGraph, a: int, reg_a: int, b: int, reg_b: int) -> bool:
    return any(regs.conflicts[x] >> y & 1 for x in _units(regs, graph, a, reg_a)
               for y in _units(regs, graph, b, reg_b))


def _exact(regs: ra.RaRegs, graph: ra.RaGraph, chosen: list[int]) -> bool:
    """Whether the first nodes' registers `chosen` can be completed to a colouring."""
    node = len(chosen)
    if node == len(graph.classes):
        return True
    options = ([graph.fixed[node]] if graph.fixed[node] >= 0
               else list(ra.bits(graph.class_of(node).regs)))
    return any(
        all(not _clash(regs, graph, node, reg, other, chosen[other])
            for other in graph.edges[node] if other < node)
        and _exact(regs, graph, [*chosen, reg])
        for reg in options)


def _all_sure(graph: ra.RaGraph) -> bool:
    """Whether the p/q test takes away every node, by its definition."""
    left = {n for n in range(len(graph.classes)) if graph.fixed[n] < 0}
    fixed = {n for n in range(len(graph.classes)) if graph.fixed[n] >= 0}
    while left:
        here = [n in left or n in fixed for n in range(len(graph.classes))]
        sure = [n for n in left if graph.pressure(n, here) < graph.class_of(n).p]
        if not sure:
            return False
        left -= set(sure[:1])
    return True


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs(seed: int) -> None:
    rng = random.Random(seed)
    colourable = missed = sure = hopeless = 0
    for _ in range(120):
        regs = _target(rng)
        graph = _graph(rng, regs)
        possible = _exact(regs, graph, [])
        got = ra.ra_allocate(graph)
        for node, reg in enumerate(graph.reg):
            if reg < 0:
                assert not got and node in graph.uncoloured
                continue
            assert graph.class_of(node).regs >> reg & 1
            assert graph.fixed[node] in (-1, reg)
            for other in graph.edges[node]:
                assert graph.reg[other] < 0 or not _clash(
                    regs, graph, node, reg, other, graph.reg[other])
        assert possible or not got
        # Nodes with fixed registers that clash are nobody's to colour: the theorem is about others.
        if _all_sure(graph) and not any(graph.fixed[n] >= 0 for n in graph.uncoloured):
            assert got
            sure += 1
        colourable += possible
        missed += possible and not got
        hopeless += not possible
    assert sure > 20 and hopeless > 5  # both sides were seen
    assert missed <= colourable * 0.12  # the heuristic's price (8.6 % at most here)


def test_q_is_the_worst_case() -> None:
    """q by its definition, beside the class tables."""
    rng = random.Random(5)
    for _ in range(50):
        regs = _target(rng)
        for b in regs.classes:
            assert b.p == len(list(ra.bits(b.regs)))
            for c in regs.classes:
                worst = 0
                for reg in ra.bits(c.regs):
                    held = range(reg, reg + c.contig)
                    worst = max(worst, sum(
                        any(regs.conflicts[x] >> y & 1
                            for x in held for y in range(other, other + b.contig))
                        for other in ra.bits(b.regs)))
                assert b.q[c.index] == worst


def _pairs() -> tuple[ra.RaRegs, ra.RaClass]:
    regs = ra.ra_alloc_reg_set(4)
    single = ra.ra_alloc_contig_reg_class(regs, 1)
    for reg in range(4):
        ra.ra_class_add_reg(single, reg)
    ra.ra_set_finalize(regs)
    return regs, single


def test_low_nodes_have_the_low_registers() -> None:
    regs, single = _pairs()
    graph = ra.ra_alloc_interference_graph(regs, 4)
    for node in range(4):
        ra.ra_set_node_class(graph, node, single)
        for other in range(node):
            ra.ra_add_node_interference(graph, node, other)
    assert ra.ra_allocate(graph)
    assert graph.reg == [0, 1, 2, 3]
    ra.ra_set_select_reg_callback(graph, lambda node, free: free.bit_length() - 1)
    assert ra.ra_allocate(graph)
    assert graph.reg == [3, 2, 1, 0]


def test_optimistic_colouring() -> None:
    """A ring of four needs two colours though each node has two neighbours (Briggs's example)."""
    regs = ra.ra_alloc_reg_set(2)
    both = ra.ra_alloc_contig_reg_class(regs, 1)
    ra.ra_class_add_reg(both, 0)
    ra.ra_class_add_reg(both, 1)
    ra.ra_set_finalize(regs)
    graph = ra.ra_alloc_interference_graph(regs, 4)
    for node in range(4):
        ra.ra_set_node_class(graph, node, both)
        ra.ra_add_node_interference(graph, node, (node + 1) % 4)
    assert not _all_sure(graph)
    assert ra.ra_allocate(graph)
    assert graph.reg[0] == graph.reg[2] != graph.reg[1] == graph.reg[3]


def test_spilling_until_it_fits() -> None:
    """Six values that all live at once on four registers: the two cheapest go to memory."""
    regs, single = _pairs()
    costs = {node: float(node + 1) for node in range(6)}
    alive = set(costs)

    def build() -> ra.RaGraph:
        graph = ra.ra_alloc_interference_graph(regs, 6)
        for node in range(6):
            ra.ra_set_node_class(graph, node, single)
            if node in alive:
                ra.ra_set_node_spill_cost(graph, node, costs[node])
                for other in alive - {node}:
                    ra.ra_add_node_interference(graph, node, other)
        return graph

    graph = ra.ra_allocate_spilling(build, alive.remove)
    assert alive == {2, 3, 4, 5}
    assert sorted(graph.reg[node] for node in alive) == [0, 1, 2, 3]
    alive, costs = set(range(6)), dict.fromkeys(range(6), 0.0)  # now none may be spilled
    with pytest.raises(ra.NoRegister):
        ra.ra_allocate_spilling(build, alive.remove)
