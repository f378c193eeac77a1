# SPDX-License-Identifier: MIT
"""Copies: readers of a mov or vec read what it copies instead.

In: a shader.  Out: True if a source was changed; the copies themselves are left for opt_dce.
An ALU source has a swizzle, so it sees through any mov, and through a vec whose components it reads
come from one value.  Other readers need the whole value in order.  Counterpart of
nir_opt_copy_propagate.c.
"""

from __future__ import annotations

from pydri.nir.ir import (
    IDENTITY,
    AluInstr,
    AluSrc,
    Shader,
    SSADef,
)

_COPIES = frozenset(("mov", "vec2", "vec3", "vec4"))


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        replace: dict[SSADef, SSADef] = {}
        instrs = [
            instr
            for block in function.blocks()
            for instr in block.instrs
            if isinstance(instr, AluInstr)
        ]
        copies = {instr.dest for instr in instrs if instr.op.name in _COPIES}
        if not copies:
            continue
        for instr in instrs:
            for src in instr.srcs:  # few read a copy, and most instructions are none
                while src.ssa in copies and _see_through(src):
                    progress = True
            if instr.dest in copies and (whole := _whole_copy(instr)) is not None:
                replace[instr.dest] = whole
        if replace:
            used = function.use_counts()
            progress |= any(used.get(value) for value in replace)
            function.rewrite(replace)
    return progress


def _copied(instr: AluInstr, component: int) -> tuple[SSADef, int]:
    """Where a component of a mov or vec comes from."""
    if instr.op.name == "mov":
        return instr.srcs[0].ssa, instr.srcs[0].swizzle[component]
    return instr.srcs[component].ssa, instr.srcs[component].swizzle[0]


def _is_copy(value: SSADef) -> bool:
    instr = value.instr
    return isinstance(instr, AluInstr) and instr.op.name in _COPIES and not instr.saturate


def _see_through(src: AluSrc) -> bool:
    instr = src.ssa.instr
    if not isinstance(instr, AluInstr) or instr.op.name not in _COPIES or instr.saturate:
        return False
    origins = [_copied(instr, component) for component in src.swizzle]
    if any(value is not origins[0][0] for value, _ in origins):
        return False
    src.ssa = origins[0][0]
    src.swizzle = tuple(component for _, component in origins)
    return True


def _whole_copy(instr: AluInstr) -> SSADef | None:
    """The value that a mov or vec repeats whole and in order."""
    if not _is_copy(instr.dest):
        return None
    width = instr.dest.num_components
    origins = [_copied(instr, component) for component in range(width)]
    value = origins[0][0]
    same = all(v is value for v, _ in origins) and value.num_components == width
    return value if same and tuple(c for _, c in origins) == IDENTITY[:width] else None
