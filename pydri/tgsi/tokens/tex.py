# SPDX-License-Identifier: MIT
"""TABLE: texture targets and opcodes beside nir's texture instructions (tgsi.rst).

In: an opcode and a target.  Out: nir's operation, and for each of its sources where TGSI has it:
which operand, which components.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from pydri.tgsi.tokens import enums as t


class Target(NamedTuple):
    """A texture target: nir's dimension, components of the place without layer, and where layer
    and comparison value stand (a component of the first operand; 4: x of the second).
    """

    dim: str
    size: int
    layer: int = -1
    comparator: int = -1


TARGETS: Final[dict[int, Target]] = {
    t.TEXTURE_BUFFER: Target("Buf", 1),
    t.TEXTURE_1D: Target("1D", 1),
    t.TEXTURE_2D: Target("2D", 2),
    t.TEXTURE_3D: Target("3D", 3),
    t.TEXTURE_CUBE: Target("Cube", 3),
    t.TEXTURE_RECT: Target("Rect", 2),
    t.TEXTURE_SHADOW1D: Target("1D", 1, comparator=2),
    t.TEXTURE_SHADOW2D: Target("2D", 2, comparator=2),
    t.TEXTURE_SHADOWRECT: Target("Rect", 2, comparator=2),
    t.TEXTURE_1D_ARRAY: Target("1D", 1, 1),
    t.TEXTURE_2D_ARRAY: Target("2D", 2, 2),
    t.TEXTURE_SHADOW1D_ARRAY: Target("1D", 1, 1, 2),
    t.TEXTURE_SHADOW2D_ARRAY: Target("2D", 2, 2, 3),
    t.TEXTURE_SHADOWCUBE: Target("Cube", 3, comparator=3),
    t.TEXTURE_CUBE_ARRAY: Target("Cube", 3, 3),
    t.TEXTURE_SHADOWCUBE_ARRAY: Target("Cube", 3, 3, 4),
    t.TEXTURE_2D_MSAA: Target("MS", 2),
    t.TEXTURE_2D_ARRAY_MSAA: Target("MS", 2, 2),
}
_BY_FORM: Final = {
    (row.dim, row.layer >= 0, row.comparator >= 0): number for number, row in TARGETS.items()
}


class Form(NamedTuple):
    """What an opcode does: nir's operation; operand of each source beyond the place."""

    op: str
    #: operand and component of a bias, level or sample; component -1: a constant 0
    lod: tuple[int, int] | None = None
    project: bool = False
    gradients: bool = False
    #: the second operand is an immediate: which component of texels (TG4)
    component: bool = False


#: (opcode) -> its form; TXQ's level is its first operand
FORMS: Final[dict[str, Form]] = {
    "TEX": Form("tex"),
    "TEX2": Form("tex"),
    "TXP": Form("tex", project=True),
    "TXB": Form("txb", (0, 3)),
    "TXB2": Form("txb", (1, 0)),
    "TXL": Form("txl", (0, 3)),
    "TXL2": Form("txl", (1, 0)),
    "TEX_LZ": Form("txl", (0, -1)),
    "TXD": Form("txd", gradients=True),
    "TXF": Form("txf", (0, 3)),
    "TXF_LZ": Form("txf", (0, -1)),
    "TXQ": Form("txs", (0, 0)),
    "LODQ": Form("lod"),
    "TG4": Form("tg4", component=True),
}


def lod_place(form: Form, target: Target) -> tuple[int, int] | None:
    """Operand and component of a bias or level, as Form.lod: behind the comparison value where
    that is the second operand's x, as it is of cube arrays (EXT_texture_shadow_lod)."""
    if form.lod is not None and form.lod[0] == 1 and target.comparator == 4:
        return 1, 1
    return form.lod


class NoTexture(ValueError):
    """A lookup that nir's textures have no form for."""


def form_of(name: str, target: int) -> tuple[Form, Target]:
    """What an opcode does on a target."""
    if name not in FORMS or target not in TARGETS:
        raise NoTexture(f"{name} of {t.word(t.TEXTURES, target)}")
    form = FORMS[name]
    if form.op == "txf" and TARGETS[target].dim == "MS":
        form = form._replace(op="txf_ms")
    return form, TARGETS[target]


def target_of(dim: str, is_array: bool, is_shadow: bool) -> int:
    """The target of a nir instruction."""
    found = _BY_FORM.get((dim, is_array, is_shadow))
    if found is None:
        raise NoTexture(f"{dim}, array: {is_array}, shadow: {is_shadow}")
    return found
