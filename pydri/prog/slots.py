# SPDX-License-Identifier: MIT
"""Attributes and results by the names that programs have for them."""

from __future__ import annotations

from pydri.nir import enums
from pydri.prog.instructions import INPUT


def _table(kind: str, rows: dict[int, str], first_texcoord: int) -> dict[int, str]:
    out = {slot: f"{kind}.{name}" for slot, name in rows.items()}
    out |= {first_texcoord + n: f"{kind}.texcoord[{n}]" for n in range(8)}
    return out


_ATTRIBUTES = _table("vertex", {
    enums.VERT_ATTRIB_POS: "position", enums.VERT_ATTRIB_NORMAL: "normal",
    enums.VERT_ATTRIB_COLOR0: "color.primary", enums.VERT_ATTRIB_COLOR1: "color.secondary",
    enums.VERT_ATTRIB_FOG: "fogcoord",
    **{enums.VERT_ATTRIB_GENERIC0 + n: f"attrib[{n}]" for n in range(16)},
}, enums.VERT_ATTRIB_TEX0)  # fmt: skip
_VARYINGS = {
    enums.VARYING_SLOT_POS: "position", enums.VARYING_SLOT_COL0: "color.primary",
    enums.VARYING_SLOT_COL1: "color.secondary", enums.VARYING_SLOT_FOGC: "fogcoord",
}  # fmt: skip
_FRAGMENT = _table("fragment", _VARYINGS, enums.VARYING_SLOT_TEX0)
_VERTEX_RESULTS = _table("result", _VARYINGS | {
    enums.VARYING_SLOT_PSIZ: "pointsize", enums.VARYING_SLOT_BFC0: "color.back.primary",
    enums.VARYING_SLOT_BFC1: "color.back.secondary",
}, enums.VARYING_SLOT_TEX0)  # fmt: skip
_FRAGMENT_RESULTS = {
    enums.FRAG_RESULT_DEPTH: "result.depth", enums.FRAG_RESULT_COLOR: "result.color",
    **{enums.FRAG_RESULT_DATA0 + n: f"result.color[{n}]" for n in range(8)},
}  # fmt: skip
#: of inputs and of results, by stage
_NAMES = {
    "vertex": (_ATTRIBUTES, _VERTEX_RESULTS), "fragment": (_FRAGMENT, _FRAGMENT_RESULTS),
}  # fmt: skip


def slot_name(stage: str, file: str, slot: int) -> str:
    """The name of an input or output."""
    return _NAMES[stage][file != INPUT][slot]


__all__ = ["slot_name"]
