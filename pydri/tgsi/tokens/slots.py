# SPDX-License-Identifier: MIT
"""TABLES: TGSI's semantics beside the slots and system values of nir (tgsi_from_mesa.c).

In: stage, semantic and index, or a slot.  Out: the other.  Texture coordinates are TEXCOORD, user
varyings GENERIC, as for drivers with PIPE_CAP_TGSI_TEXCOORD.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from pydri.nir import enums as slots
from pydri.tgsi.tokens import enums as t
from pydri.tgsi.tokens.parse import Semantic, Stream

_GENERICS: Final = slots.VARYING_SLOT_DRIVER0 - slots.VARYING_SLOT_VAR0
#: (semantic, how many of it) -> the slot of the first
_VARYINGS: Final[dict[int, tuple[int, int]]] = {
    t.SEMANTIC_POSITION: (1, slots.VARYING_SLOT_POS),
    t.SEMANTIC_COLOR: (2, slots.VARYING_SLOT_COL0),
    t.SEMANTIC_BCOLOR: (2, slots.VARYING_SLOT_BFC0),
    t.SEMANTIC_FOG: (1, slots.VARYING_SLOT_FOGC),
    t.SEMANTIC_PSIZE: (1, slots.VARYING_SLOT_PSIZ),
    t.SEMANTIC_TEXCOORD: (8, slots.VARYING_SLOT_TEX0),
    # Up to the driver's own: what is only captured lies behind those that fragments read.
    t.SEMANTIC_GENERIC: (_GENERICS, slots.VARYING_SLOT_VAR0),
    t.SEMANTIC_EDGEFLAG: (1, slots.VARYING_SLOT_EDGE),
    t.SEMANTIC_CLIPVERTEX: (1, slots.VARYING_SLOT_CLIP_VERTEX),
    # The last two registers are distances to cull by: Gallium's follow those to clip by in the
    # same ones, as many as a property says.
    t.SEMANTIC_CLIPDIST: (4, slots.VARYING_SLOT_CLIP_DIST0),
    t.SEMANTIC_PRIMID: (1, slots.VARYING_SLOT_PRIMITIVE_ID),
    t.SEMANTIC_LAYER: (1, slots.VARYING_SLOT_LAYER),
    t.SEMANTIC_VIEWPORT_INDEX: (1, slots.VARYING_SLOT_VIEWPORT),
    t.SEMANTIC_FACE: (1, slots.VARYING_SLOT_FACE),
    t.SEMANTIC_PCOORD: (1, slots.VARYING_SLOT_PNTC),
}
_SLOTS: Final = {
    first + n: Semantic(name, n)
    for name, (count, first) in _VARYINGS.items()
    for n in range(count)
}
#: fragment inputs that are system values in nir: intrinsic without load_, components
PIXEL_INDEX: Final = 1000  # GENERIC of this number is ours: nir's load_pixel
FRAGMENT_VALUES: Final[dict[tuple[int, int], str]] = {
    (t.SEMANTIC_POSITION, 0): "frag_coord",
    (t.SEMANTIC_GENERIC, PIXEL_INDEX): "pixel",
}
#: system values by semantic
SYSTEM_VALUES: Final[dict[int, str]] = {
    t.SEMANTIC_FACE: "front_face",
    t.SEMANTIC_VERTEXID: "vertex_id",
    t.SEMANTIC_INSTANCEID: "instance_id",
    t.SEMANTIC_PRIMID: "primitive_id",
    t.SEMANTIC_HELPER_INVOCATION: "helper_invocation",
    t.SEMANTIC_PCOORD: "point_coord",
    t.SEMANTIC_POSITION: "frag_coord",
}


class NoSlot(ValueError):
    """A semantic, or a slot, that the other side has no word for."""


def varying_slot(semantic: Semantic) -> int:
    """The VARYING_SLOT of a semantic."""
    count, first = _VARYINGS.get(semantic.name, (0, 0))
    if semantic.number >= count:
        raise NoSlot(f"{t.word(t.SEMANTICS, semantic.name)}[{semantic.number}] has no slot")
    return first + semantic.number


def varying_semantic(slot: int) -> Semantic:
    """The semantic of a VARYING_SLOT."""
    if slot not in _SLOTS:
        raise NoSlot(f"slot {slot} has no semantic")
    return _SLOTS[slot]


def result_slot(semantic: Semantic, writes_all: bool) -> tuple[int, int]:
    """The FRAG_RESULT of a fragment output, and the component of it that is meant by its first."""
    if semantic.name == t.SEMANTIC_POSITION:
        return slots.FRAG_RESULT_DEPTH, 2
    if semantic.name == t.SEMANTIC_STENCIL:
        return slots.FRAG_RESULT_STENCIL, 1
    if semantic.name == t.SEMANTIC_SAMPLEMASK:
        return slots.FRAG_RESULT_SAMPLE_MASK, 0
    if semantic.name != t.SEMANTIC_COLOR or semantic.number >= 8:
        raise NoSlot(f"{t.word(t.SEMANTICS, semantic.name)} is nothing that fragments give")
    if writes_all and semantic.number == 0:
        return slots.FRAG_RESULT_COLOR, 0
    return slots.FRAG_RESULT_DATA0 + semantic.number, 0


class Output(NamedTuple):
    """An output register: where it goes, and the first component of it that is meant there."""

    register: int
    slot: int
    first: int
    whole: bool  # not one component alone


def outputs_of(stream: Stream) -> Iterator[Output]:
    """The outputs of a shader in the order of their declarations. Registers of one declaration
    have numbers of its semantic one after the other."""
    writes_all = bool(stream.properties.get(t.PROPERTY_FS_COLOR0_WRITES_ALL_CBUFS))
    for decl in stream.declarations:
        if decl.file != t.FILE_OUTPUT:
            continue
        for register in range(decl.first, decl.last + 1):
            semantic = decl.semantic or Semantic(t.SEMANTIC_GENERIC, register)
            semantic = semantic._replace(number=semantic.number + register - decl.first)
            if stream.processor != t.FRAGMENT:
                yield Output(register, varying_slot(semantic), 0, True)
                continue
            slot, first = result_slot(semantic, writes_all)
            yield Output(register, slot, first, semantic.name == t.SEMANTIC_COLOR)


def result_semantic(slot: int) -> tuple[Semantic, int]:
    """The fragment output of a FRAG_RESULT, and its first component."""
    if slot == slots.FRAG_RESULT_COLOR:
        return Semantic(t.SEMANTIC_COLOR), 0
    if slot >= slots.FRAG_RESULT_DATA0:
        return Semantic(t.SEMANTIC_COLOR, slot - slots.FRAG_RESULT_DATA0), 0
    found = {
        slots.FRAG_RESULT_DEPTH: (t.SEMANTIC_POSITION, 2),
        slots.FRAG_RESULT_STENCIL: (t.SEMANTIC_STENCIL, 1),
        slots.FRAG_RESULT_SAMPLE_MASK: (t.SEMANTIC_SAMPLEMASK, 0),
    }[slot]
    return Semantic(found[0]), found[1]


#: how inputs are interpolated: TGSI's mode -> nir's
INTERP: Final = {
    t.INTERPOLATE_CONSTANT: slots.INTERP_FLAT,
    t.INTERPOLATE_LINEAR: slots.INTERP_NOPERSPECTIVE,
    t.INTERPOLATE_PERSPECTIVE: slots.INTERP_SMOOTH,
    t.INTERPOLATE_COLOR: slots.INTERP_NONE,
}


def interpolation(slot: int, interp: int) -> int:
    """TGSI's mode for nir's; what is not said is a colour's own, else smooth."""
    if interp == slots.INTERP_NONE:
        colors = (slots.VARYING_SLOT_COL0, slots.VARYING_SLOT_COL1)
        return t.INTERPOLATE_COLOR if slot in colors else t.INTERPOLATE_PERSPECTIVE
    return next(mode for mode, value in INTERP.items() if value == interp)
