# SPDX-License-Identifier: MIT
"""The interference graph and its colouring: simplify by the p/q test, optimistic select.

Nodes are numbers.  Low nodes are coloured first and, where no callback chooses, get the lowest
register that is free, so a caller orders its nodes by who should have the first registers.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from pydri.util.registers.target import RaClass, RaRegs

#: (node, mask of the registers it may have) -> the one it gets
Select = Callable[[int, int], int]

NO_REG = -1
#: a spill cost that says "never"
NEVER = float("inf")


class NoRegister(Exception):
    """No register is left for a node, and none may be spilled."""


class RaGraph:
    """Values and which of them live at once."""

    __slots__ = ("classes", "costs", "edges", "fixed", "reg", "regs", "select", "uncoloured")

    def __init__(self, regs: RaRegs, count: int) -> None:
        if not regs.final:
            raise ValueError("ra_set_finalize comes before the graph")
        self.regs = regs
        self.classes: list[RaClass | None] = [None] * count
        self.edges: list[set[int]] = [set() for _ in range(count)]
        #: node -> a register fixed beforehand, or NO_REG
        self.fixed = [NO_REG] * count
        self.reg = [NO_REG] * count
        self.costs = [0.0] * count  # of a spill; 0 and NEVER: it may not be spilled
        self.select: Select | None = None
        #: nodes that the last ra_allocate found no register for
        self.uncoloured: list[int] = []

    def class_of(self, node: int) -> RaClass:
        """A node's class."""
        found = self.classes[node]
        if found is None:
            raise ValueError(f"node {node} has no class")
        return found

    def pressure(self, node: int, among: list[bool] | None = None) -> int:
        """The q total of a node: how many of its class's registers its neighbours take at most."""
        q = self.class_of(node).q
        return sum(q[self.class_of(other).index] for other in self.edges[node]
                   if among is None or among[other])


def ra_alloc_interference_graph(regs: RaRegs, count: int) -> RaGraph:
    """A graph of `count` nodes without edges."""
    return RaGraph(regs, count)


def ra_set_node_class(graph: RaGraph, node: int, regs_class: RaClass) -> None:
    """A node's value may be in the registers of the class."""
    graph.classes[node] = regs_class


def ra_set_node_reg(graph: RaGraph, node: int, reg: int) -> None:
    """A node's value is in `reg`, which is one of its class's."""
    graph.fixed[node] = reg


def ra_get_node_reg(graph: RaGraph, node: int) -> int:
    """The register that a node has after ra_allocate; NO_REG (-1) without."""
    return graph.reg[node]


def ra_set_select_reg_callback(graph: RaGraph, select: Select | None) -> None:
    """`select(node, mask)` chooses among the registers left for a node."""
    graph.select = select


def ra_set_node_spill_cost(graph: RaGraph, node: int, cost: float) -> None:
    """What spilling the node costs, in any unit; a node without a cost is never spilled."""
    graph.costs[node] = cost


def ra_add_node_interference(graph: RaGraph, a: int, b: int) -> None:
    """Nodes a and b live at once."""
    if a != b:
        graph.edges[a].add(b)
        graph.edges[b].add(a)


def _simplify(graph: RaGraph) -> list[int]:
    """Nodes in the order in which they leave the graph; they are coloured in the opposite order."""
    count = len(graph.classes)
    here = [True] * count
    total = [graph.pressure(node) for node in range(count)]
    left = {node for node in range(count) if graph.fixed[node] == NO_REG}
    # The highest node that is sure of a register leaves first, so the lowest is coloured first.
    sure = [-node for node in left if total[node] < graph.class_of(node).p]
    heapq.heapify(sure)
    queued = {-node for node in sure}
    stack: list[int] = []
    while left:
        if sure:
            node = -heapq.heappop(sure)
        else:
            # Nobody is sure: the one that lacks least is put aside and may yet be lucky.
            node = min(left, key=lambda n: (_worth(graph, n, total[n]), -n))
        left.discard(node)
        here[node] = False
        stack.append(node)
        index = graph.class_of(node).index
        for other in graph.edges[node]:
            if not here[other] or other not in left:
                continue
            its = graph.class_of(other)
            total[other] -= its.q[index]
            if total[other] < its.p and other not in queued:
                queued.add(other)
                heapq.heappush(sure, -other)
    return stack


def _worth(graph: RaGraph, node: int, total: int) -> float:
    """How little is lost when a node gets no register: cost over what its neighbours gain, else how
    many registers it lacks."""
    cost = graph.costs[node]
    if 0 < cost < NEVER:
        return cost / (1 + total) - 1e9
    return total - graph.class_of(node).p


def ra_allocate(graph: RaGraph) -> bool:
    """Gives every node a register; False where one is left without (`uncoloured` names them)."""
    graph.uncoloured = []
    count = len(graph.classes)
    graph.reg = [NO_REG] * count
    lost = [0] * count  # registers of its class that a node's coloured neighbours rule out

    def colour(node: int, reg: int) -> None:
        graph.reg[node] = reg
        mine = graph.class_of(node)
        for other in graph.edges[node]:
            if graph.reg[other] == NO_REG:
                lost[other] |= graph.regs.blocked(graph.class_of(other), mine, reg)

    for node, reg in enumerate(graph.fixed):
        if reg != NO_REG:
            if not graph.class_of(node).regs >> reg & 1 or lost[node] >> reg & 1:
                graph.uncoloured.append(node)
            else:
                colour(node, reg)
    for node in reversed(_simplify(graph)):
        free = graph.class_of(node).regs & ~lost[node]
        if not free:
            graph.uncoloured.append(node)
            continue
        colour(node, graph.select(node, free) if graph.select
               else (free & -free).bit_length() - 1)
    return not graph.uncoloured


def ra_get_best_spill_node(graph: RaGraph) -> int:
    """The node whose spilling costs least for what its neighbours gain; -1 where none may be."""
    best, best_benefit = -1, 0.0
    for node, cost in enumerate(graph.costs):
        if not 0 < cost < NEVER or graph.fixed[node] != NO_REG:
            continue
        index = graph.class_of(node).index
        gain = 0.0
        for other in graph.edges[node]:
            its = graph.class_of(other)
            gain += its.q[index] / max(its.p, 1)
        if gain / cost > best_benefit:
            best, best_benefit = node, gain / cost
    return best
