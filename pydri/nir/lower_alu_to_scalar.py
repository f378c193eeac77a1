# SPDX-License-Identifier: MIT
"""Vector arithmetic becomes one instruction per component, gathered by a vec.

In: a shader.  Out: True if an instruction was split.
A back end that keeps one SIMD register per component wants this: its lanes are pixels or vertices.
Dot products are expanded in the order that the opcode table defines; mov, vec and the packing
opcodes stay as they are.  Counterpart of nir_lower_alu_to_scalar.c.
"""

from __future__ import annotations

from pydri.nir.builder import Builder
from pydri.nir.ir import AluInstr, AluSrc, Shader, SSADef

_KEPT = frozenset(("mov", "vec2", "vec3", "vec4"))
_DOTS = frozenset(("fdot2", "fdot3", "fdot4"))


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        replace: dict[SSADef, SSADef] = {}
        b = Builder(shader, function)
        for instr in function.instrs():
            if not isinstance(instr, AluInstr) or instr.op.name in _KEPT:
                continue
            if instr.op.name in _DOTS:
                b.before(instr)
                replace[instr.dest] = _dot(b, instr)
            elif instr.dest.num_components > 1 and not instr.op.out_size:
                b.before(instr)
                replace[instr.dest] = _split(b, instr)
            else:
                continue
            instr.remove()
        function.rewrite(replace)
        progress |= bool(replace)
    return progress


def _scalar(b: Builder, instr: AluInstr, component: int) -> SSADef:
    srcs = []
    for src, size in zip(instr.srcs, instr.op.in_sizes, strict=True):
        swizzle = src.swizzle if size else (src.swizzle[component],)
        srcs.append(AluSrc(src.ssa, swizzle))
    dest = instr.dest
    scalar = AluInstr(instr.op, srcs, 1, dest.bit_size, dest.kind, instr.saturate)
    b.insert(scalar)
    return scalar.dest


def _split(b: Builder, instr: AluInstr) -> SSADef:
    return b.vec(*(_scalar(b, instr, i) for i in range(instr.dest.num_components)))


def _dot(b: Builder, instr: AluInstr) -> SSADef:
    x, y = instr.srcs
    total: SSADef | None = None
    for i, j in zip(x.swizzle, y.swizzle, strict=True):
        product = b.fmul(b.swizzle(x.ssa, (i,)), b.swizzle(y.ssa, (j,)))
        total = product if total is None else b.fadd(total, product)
    assert total is not None
    return b.fsat(total) if instr.saturate else total
