# SPDX-License-Identifier: MIT
"""Register allocation by classes, a library that knows no machine.

In: a register set (`RaRegs`: registers, which of them conflict, classes of registers) and a graph
of nodes (values), each with a class, with an edge wherever two values live at once.  Out: a
register a node, or the node that is best spilled.  The method is Runeson and Nystrom's
"Retargetable Graph-Coloring Register Allocation for Irregular Architectures" (SCOPES 2003): Chaitin
and Briggs's simplify and optimistic select, with the p/q test in the place of "fewer neighbours
than colours".
Names are those of Mesa's util/register_allocate.h.
"""

from pydri.util.registers.graph import (
    NoRegister,
    RaGraph,
    ra_add_node_interference,
    ra_alloc_interference_graph,
    ra_allocate,
    ra_get_best_spill_node,
    ra_get_node_reg,
    ra_set_node_class,
    ra_set_node_reg,
    ra_set_node_spill_cost,
    ra_set_select_reg_callback,
)
from pydri.util.registers.spill import ra_allocate_spilling
from pydri.util.registers.target import (
    RaClass,
    RaRegs,
    bits,
    ra_add_reg_conflict,
    ra_alloc_contig_reg_class,
    ra_alloc_reg_set,
    ra_class_add_reg,
    ra_set_finalize,
)

__all__ = [
    "NoRegister", "RaClass", "RaGraph", "RaRegs", "bits", "ra_add_node_interference",
    "ra_add_reg_conflict", "ra_alloc_contig_reg_class", "ra_alloc_interference_graph",
    "ra_alloc_reg_set", "ra_allocate", "ra_allocate_spilling", "ra_class_add_reg",
    "ra_get_best_spill_node", "ra_get_node_reg", "ra_set_finalize", "ra_set_node_class",
    "ra_set_node_reg", "ra_set_node_spill_cost", "ra_set_select_reg_callback",
]
