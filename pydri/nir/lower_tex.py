# SPDX-License-Identifier: MIT
"""Texture projection: coordinates and comparison value are divided by the projector (GL 2.1, 3.8);
and levels of detail in stages that have no derivatives.

In: a shader.  Out: True if an instruction had a projector, which none has afterwards, or no level
of detail in a stage that cannot find one: that is the base level (GLSL 1.20, 8.7), or the bias.
The layer of an array is not divided.  Counterpart of nir_lower_tex.c's lower_txp and
lower_invalid_implicit_lod.
"""

from __future__ import annotations

from pydri.nir.builder import Builder
from pydri.nir.ir import Shader, SSADef, TexInstr
from pydri.nir.stages import BY_NAME


def run(shader: Shader) -> bool:
    """The pass."""
    progress, derivatives = False, BY_NAME[shader.stage].derivatives
    for function in shader.functions:
        b = Builder(shader, function)
        for instr in list(function.instrs()):
            if isinstance(instr, TexInstr) and instr.source("projector") is not None:
                _project(b, instr)
                progress = True
            if isinstance(instr, TexInstr) and not derivatives:
                progress |= _without_derivatives(b, instr)
    return progress


def _project(b: Builder, instr: TexInstr) -> None:
    sources = dict(instr.srcs)
    projector = sources.pop("projector")
    b.before(instr)
    factor = b.alu("frcp", projector)
    for name in ("coord", "comparator"):
        if name in sources:
            whole = name == "coord" and instr.is_array
            sources[name] = _scaled(b, sources[name], factor, whole)
    instr.srcs = list(sources.items())


def _without_derivatives(b: Builder, instr: TexInstr) -> bool:
    if instr.op not in ("tex", "txb"):
        return False
    sources = dict(instr.srcs)
    b.before(instr)
    bias = sources.pop("bias", None)
    sources["lod"] = b.imm_float(0.0) if bias is None else bias
    instr.op, instr.srcs = "txl", list(sources.items())
    return True


def _scaled(b: Builder, value: SSADef, factor: SSADef, layer: bool) -> SSADef:
    parts = []
    for n in range(value.num_components):
        part = b.swizzle(value, (n,))
        is_layer = layer and n == value.num_components - 1
        parts.append(part if is_layer else b.alu("fmul", part, factor))
    return parts[0] if len(parts) == 1 else b.alu(f"vec{len(parts)}", *parts)
