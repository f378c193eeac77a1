# SPDX-License-Identifier: MIT
"""Constants: operations on constants become constants.

In: a shader.  Out: True if something was folded.
Only opcodes whose row promises exact bits (ulp 0) are folded: a sine computed here could differ
from the one that machine code computes next to it.  Nearly all are folded by scalar.py; what is not
there by the opcode table's own numpy code.  Counterpart of nir_opt_constant_folding.c.
"""

from __future__ import annotations

from pydri.nir.ir import AluInstr, Instr, IntrinsicInstr, LoadConst, Shader, SSADef
from pydri.nir.opcodes import OPCODES
from pydri.nir.scalar import foldable, on_bits


def run(shader: Shader) -> bool:
    """The pass."""
    progress = False
    for function in shader.functions:
        replace: dict[SSADef, SSADef] = {}

        def now(value: SSADef, replace: dict[SSADef, SSADef] = replace) -> SSADef:
            return replace.get(value, value)

        for block in function.blocks():
            idle: list[Instr] = []
            for position, instr in enumerate(tuple(block.instrs)):
                # Folding in order sees through what was folded just before.
                if replace:
                    instr.map_sources(now)
                if isinstance(instr, AluInstr):
                    if not isinstance(instr.srcs[0].ssa.instr, LoadConst):
                        continue  # nearly always
                    if (folded := _fold(instr)) is not None:
                        constant = LoadConst(folded, instr.dest.bit_size, instr.dest.kind)
                        block.replace(position, constant)
                        replace[instr.dest] = constant.dest
                elif isinstance(instr, IntrinsicInstr) and instr.name == "discard_if":
                    if isinstance(source := instr.srcs[0].instr, LoadConst):
                        progress = True
                        if source.values[0]:
                            block.replace(position, IntrinsicInstr("discard"))
                        else:
                            idle.append(instr)
            for instr in idle:
                instr.remove()
        function.rewrite(replace)
        progress |= bool(replace)
    return progress


def _fold(instr: AluInstr) -> tuple[int, ...] | None:
    consts: list[tuple[int, ...]] = []
    for src in instr.srcs:
        source: Instr = src.ssa.instr
        if not isinstance(source, LoadConst):
            return None
        consts.append(source.values)
    return fold(instr, consts)


def fold(instr: AluInstr, values: list[tuple[int, ...]]) -> tuple[int, ...] | None:
    """An operation on these values of its sources; None if no exact bits are promised."""
    if instr.op.ulp:
        return None
    consts = [
        tuple(parts[component] for component in src.swizzle)
        for src, parts in zip(instr.srcs, values, strict=True)
    ]
    if not instr.saturate:
        if instr.op.name == "mov":
            return consts[0]
        if instr.op.name in ("vec2", "vec3", "vec4"):
            return tuple(parts[0] for parts in consts)
        if foldable(instr.op):
            bits = instr.dest.bit_size
            return tuple(on_bits(instr.op, bits, c) for c in zip(*consts, strict=True))
        if instr.op.name in ("fdot2", "fdot3", "fdot4"):
            return (_dot(*consts),)
    import numpy as np

    from pydri.nir.interp import CELLS, evaluate

    arrays: list[np.ndarray] = [
        np.array(parts, CELLS[src.ssa.bit_size])[:, None]
        for src, parts in zip(instr.srcs, consts, strict=True)
    ]
    result = evaluate(instr.op, arrays, instr.dest.num_components, instr.saturate)
    return tuple(int(value) for value in result[:, 0])


def _dot(x: tuple[int, ...], y: tuple[int, ...]) -> int:
    """A dot product, from left to right, of singles as bits."""
    products = [on_bits(OPCODES["fmul"], 32, pair) for pair in zip(x, y, strict=True)]
    total = products[0]
    for product in products[1:]:
        total = on_bits(OPCODES["fadd"], 32, (total, product))
    return total
