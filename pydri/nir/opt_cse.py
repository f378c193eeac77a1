# SPDX-License-Identifier: MIT
"""Common subexpressions: an instruction that an earlier one already computed is replaced by it.

In: a shader.  Out: True if something was replaced.
Walks the tree with the expressions known so far; what an If or Loop computes is forgotten after
it, which is the dominance rule of structured code.  Counterpart of nir_opt_cse.c.
"""

from __future__ import annotations

from collections.abc import Hashable

from pydri.nir.ir import (
    AluInstr,
    Block,
    CFNode,
    If,
    Instr,
    IntrinsicInstr,
    LoadConst,
    Loop,
    Shader,
    SSADef,
    TexInstr,
    Undef,
)


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        replace: dict[SSADef, SSADef] = {}
        _nodes(function.body, {}, replace)
        function.rewrite(replace)
        progress |= bool(replace)
    return progress


def _alu_key(instr: AluInstr) -> Hashable:
    """What an operation computes, of which sources."""
    srcs = instr.srcs
    first = srcs[0]
    if len(srcs) == 1:
        return (
            instr.op.name, first.ssa, first.swizzle, instr.saturate, instr.dest.num_components,
        )  # fmt: skip
    second = srcs[1]
    if instr.op.commutative:
        one, other = id(first.ssa), id(second.ssa)
        if other < one or (other == one and second.swizzle < first.swizzle):
            first, second = second, first
    return (
        instr.op.name, first.ssa, first.swizzle, second.ssa, second.swizzle, instr.saturate,
        instr.dest.num_components, *[(src.ssa, src.swizzle) for src in srcs[2:]],
    )  # fmt: skip


def _key(instr: Instr, replace: dict[SSADef, SSADef]) -> Hashable:
    """Equal for instructions that compute the same; None for those that must stay. What they read
    is brought up to date first."""

    def now(value: SSADef) -> SSADef:
        return replace.get(value, value)

    if isinstance(instr, AluInstr):
        if replace:
            for src in instr.srcs:
                if src.ssa in replace:
                    src.ssa = replace[src.ssa]
        return _alu_key(instr)
    if isinstance(instr, LoadConst):
        return ("load_const", instr.dest.bit_size, instr.values)
    if isinstance(instr, Undef):
        return ("undef", instr.dest.bit_size, instr.dest.num_components)
    if isinstance(instr, IntrinsicInstr) and instr.row.can_reorder and instr.dest is not None:
        indices = tuple(sorted(instr.indices.items()))
        return (instr.name, instr.dest.num_components, indices, *map(now, instr.srcs))
    if isinstance(instr, TexInstr):
        fields = (instr.sampler_dim, instr.is_array, instr.is_shadow, instr.dest.num_components)
        units = (instr.texture_index, instr.sampler_index, instr.dest.kind, instr.component)
        return (instr.op, fields, units, *((kind, now(value)) for kind, value in instr.srcs))
    return None


def _nodes(
    nodes: list[CFNode], known: dict[Hashable, SSADef], replace: dict[SSADef, SSADef]
) -> None:
    for node in nodes:
        if isinstance(node, Block):
            gone: set[Instr] = set()
            for instr in node.instrs:
                key = _key(instr, replace)
                if key is None or instr.dest is None:
                    continue
                first = known.setdefault(key, instr.dest)
                if first is not instr.dest:
                    replace[instr.dest] = first
                    gone.add(instr)
            if gone:
                node.instrs = [instr for instr in node.instrs if instr not in gone]
        elif isinstance(node, If):
            _nodes(node.then, dict(known), replace)
            _nodes(node.otherwise, dict(known), replace)
        elif isinstance(node, Loop):
            _nodes(node.body, dict(known), replace)
