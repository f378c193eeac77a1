# SPDX-License-Identifier: MIT
"""A fragment shader takes over what its vertex shader writes without computing anything: constants,
and one value twice.

In: a fragment shader and `vertex`, the vertex shader before it, both with slots (lower_io) and as
optimised as they get; `kept`: slots that something between them may change (colours that are
clamped or have two sides, sprites). Out: True if an input is read no more. A constant is that
everywhere on the primitive, however it is interpolated; the second of two equal outputs is read as
the first if both are interpolated alike. Counterpart of Mesa's nir_link_opt_varyings.
"""

from __future__ import annotations

from collections.abc import Collection

from pydri.nir.builder import Builder
from pydri.nir.enums import VARYING_SLOT_TEX0, VARYING_SLOT_VAR0
from pydri.nir.ir import (
    AluInstr,
    IntrinsicInstr,
    LoadConst,
    PhiInstr,
    Shader,
    SSADef,
)

#: (slot, component)
Place = tuple[int, int]
#: what a component is: a number of a value, or the bits of a constant
Source = tuple[SSADef, int] | int


def run(shader: Shader, vertex: Shader, kept: Collection[int] = ()) -> bool:
    """The pass."""
    sources = {
        place: source for place, source in written(vertex).items()
        if _plain(place[0]) and place[0] not in kept
    }  # fmt: skip
    first: dict[tuple[Source, int], Place] = {}
    for place in sorted(sources):
        first.setdefault((sources[place], shader.input_interp(place[0])), place)
    progress = False
    for function in shader.functions:
        b = Builder(shader, function)
        replace: dict[SSADef, SSADef] = {}
        for instr in list(function.instrs()):
            if not isinstance(instr, IntrinsicInstr) or instr.name != "load_input":
                continue
            assert instr.dest is not None
            places = [
                (instr.indices["base"], instr.indices["component"] + k)
                for k in range(instr.dest.num_components)
            ]
            if not any(_known(shader, place, sources, first) for place in places):
                continue
            b.before(instr)
            parts = [_read(b, place, sources, first) for place in places]
            replace[instr.dest] = b.vec(*parts)
            instr.remove()
            progress = True
        function.rewrite(replace)
    return progress


def _plain(slot: int) -> bool:
    return VARYING_SLOT_TEX0 <= slot < VARYING_SLOT_TEX0 + 8 or slot >= VARYING_SLOT_VAR0


def _known(
    shader: Shader, place: Place, sources: dict[Place, Source],
    first: dict[tuple[Source, int], Place],
) -> bool:  # fmt: skip
    source = sources.get(place)
    if source is None:
        return False
    return isinstance(source, int) or first[source, shader.input_interp(place[0])] != place


def _read(
    b: Builder, place: Place, sources: dict[Place, Source],
    first: dict[tuple[Source, int], Place],
) -> SSADef:  # fmt: skip
    source, interp = sources.get(place), b.shader.input_interp(place[0])
    if isinstance(source, int):
        made = LoadConst((source,))
        b.insert(made)
        return made.dest
    slot, component = place if source is None else first[source, interp]
    return b.load_input(slot, 1, component=component, interp=interp)


def written(vertex: Shader) -> dict[Place, Source]:
    """Outputs that are written once, at the end of a way that all vertices go."""
    found: dict[Place, Source] = {}
    twice: set[Place] = set()
    for instr in vertex.main.instrs():
        if not isinstance(instr, IntrinsicInstr) or instr.name != "store_output":
            continue
        assert instr.block is not None
        for k in range(instr.srcs[0].num_components):
            if instr.indices["wrmask"] >> k & 1:
                place = (instr.indices["base"], instr.indices["component"] + k)
                if place in found or instr.block.parent is not None:
                    twice.add(place)
                found[place] = _source(instr.srcs[0], k)
    return {place: source for place, source in found.items() if place not in twice}


#: selections that are looked through, one within the other
_DEEPEST = 8


def _source(ssa: SSADef, component: int, depth: int = 0) -> Source:
    """A component's origin, through moves and vectors, and through selections and phis if it is the
    same on all sides.
    """
    while isinstance(ssa.instr, AluInstr) and not ssa.instr.saturate:
        instr = ssa.instr
        if instr.op.name == "mov":
            src = instr.srcs[0]
            ssa, component = src.ssa, src.swizzle[component]
        elif instr.op.name in ("vec2", "vec3", "vec4"):
            src = instr.srcs[component]
            ssa, component = src.ssa, src.swizzle[0]
        else:
            break
    sides = _sides(ssa, component) if depth < _DEEPEST else []
    origins = {_source(*side, depth + 1) for side in sides}
    if len(origins) == 1:
        return origins.pop()
    if isinstance(ssa.instr, LoadConst) and ssa.bit_size == 32:
        return ssa.instr.values[component]
    return ssa, component


def _sides(ssa: SSADef, component: int) -> list[tuple[SSADef, int]]:
    """What a selection or a phi chooses from."""
    instr = ssa.instr
    if isinstance(instr, PhiInstr):
        return [(value, component) for _, value in instr.srcs]
    if isinstance(instr, AluInstr) and instr.op.name == "bcsel" and not instr.saturate:
        return [(src.ssa, src.swizzle[component]) for src in instr.srcs[1:]]
    return []
