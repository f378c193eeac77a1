# SPDX-License-Identifier: MIT
"""Texture instructions for from_nir.py: nir's sources in the components where TGSI has them.

In: a TexInstr.  Out: TEX and its kin, with samplers and views declared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.nir.ir import LoadConst, SSADef, TexInstr
from pydri.tgsi.tokens import enums as t
from pydri.tgsi.tokens.registers import TexOffset
from pydri.tgsi.tokens.tex import TARGETS, NoTexture, Target, target_of

if TYPE_CHECKING:
    from pydri.tgsi.tokens.registers import Dst, Src
    from pydri.tgsi.translate.from_nir import _Emitter

_RETURNS = {"float": t.RETURN_FLOAT, "int": t.RETURN_SINT, "uint": t.RETURN_UINT}


def lookup(e: _Emitter, instr: TexInstr) -> None:
    """Emit a texture instruction."""
    u, op = e.u, instr.op
    number = target_of(instr.sampler_dim, instr.is_array, instr.is_shadow)
    sampler = u.decl_sampler(instr.texture_index)  # a view has its sampler (pydri/pipe/sampler.py)
    kind = t.RETURN_FLOAT if op in ("txs", "query_levels") else _RETURNS[instr.dest.kind]
    u.decl_sampler_view(instr.texture_index, number, kind)
    if op in ("txs", "query_levels"):
        _sizes(e, instr, number, sampler)
        return
    work: list[Dst] = []
    _sampled(e, instr, number, sampler, work)
    for temporary in work:
        u.release_temporary(temporary)


def _sampled(e: _Emitter, instr: TexInstr, number: int, sampler: Src, work: list[Dst]) -> None:
    """A lookup; `work` gets the temporaries that its operands need."""
    u, op = e.u, instr.op
    dst = e.target(instr.dest)
    place, second = _operands(e, instr, TARGETS[number], work)
    offsets = _offsets(e, instr)
    if op == "txd":
        ddx, ddy = instr.source("ddx"), instr.source("ddy")
        assert ddx is not None and ddy is not None
        u.TXD(dst, number, place, e.whole(ddx), e.whole(ddy), sampler, offsets=offsets)
        return
    if op == "tg4":
        u.TG4(dst, number, place, u.imm_int(instr.component), sampler, offsets=offsets)
        return
    name = {"tex": "TEX", "txb": "TXB", "txl": "TXL", "txf": "TXF", "txf_ms": "TXF",
            "lod": "LODQ"}[op]  # fmt: skip
    if second is None:
        getattr(u, name)(dst, number, place, sampler, offsets=offsets)
    elif name not in ("TEX", "TXB", "TXL"):
        raise NoTexture(f"{name} of {t.TEXTURES[number]}")
    else:
        getattr(u, f"{name}2")(dst, number, place, second, sampler, offsets=offsets)


def _offsets(e: _Emitter, instr: TexInstr) -> tuple[TexOffset, ...]:
    """A constant offset in texels."""
    offset = instr.source("offset")
    if offset is None:
        return ()
    if not isinstance(offset.instr, LoadConst):
        raise NoTexture("offsets that are not constant")
    src = e.u.immediate(offset.instr.values, t.IMM_INT32)
    return (TexOffset(src.file, src.number, src.swz[:3]),)


def _operands(
    e: _Emitter, instr: TexInstr, target: Target, work: list[Dst]
) -> tuple[Src, Src | None]:
    """The first operand, and the second of TEX2 and its kin."""
    coord = instr.source("coord")
    assert coord is not None
    lod = instr.source({"txb": "bias", "txf_ms": "ms_index"}.get(instr.op, "lod"))
    parts: dict[int, tuple[SSADef, int]] = {n: (coord, n) for n in range(target.size)}
    if target.layer >= 0 and instr.op != "lod":  # which has nothing to do with layers
        parts[target.layer] = coord, target.size
    second: dict[int, tuple[SSADef, int]] = {}
    comparator = instr.source("comparator")
    if comparator is not None and target.comparator == 4:
        second[0] = comparator, 0
    elif comparator is not None:
        parts[target.comparator] = comparator, 0
    if lod is not None and instr.op in ("txb", "txl", "txf", "txf_ms"):
        if 3 in parts:
            second[len(second)] = lod, 0  # lod_place of tex.py
        else:
            parts[3] = lod, 0
    return _packed(e, parts, work), _packed(e, second, work) if second else None


def _packed(e: _Emitter, parts: dict[int, tuple[SSADef, int]], work: list[Dst]) -> Src:
    """A source whose components are these: in place if they are of one value, else in a temporary,
    which `work` gets.
    """
    values = {value for value, _ in parts.values()}
    if len(values) == 1:
        (value,) = values
        picks = [parts.get(n, parts[0])[1] for n in range(4)]
        return e.operand(value, picks)
    made = e.u.decl_temporary()
    work.append(made)
    for value in dict.fromkeys(value for value, _ in parts.values()):
        mine = {n: part for n, (v, part) in parts.items() if v is value}
        first = next(iter(mine.values()))
        picks = [mine.get(n, first) for n in range(4)]
        e.u.MOV(made.writemask(sum(1 << n for n in mine)), e.operand(value, picks))
    return made.src()


def _sizes(e: _Emitter, instr: TexInstr, number: int, sampler: Src) -> None:
    """TXQ: sizes in x, y, z, levels in w."""
    u, lod = e.u, instr.source("lod")
    level = u.imm_uint(0) if lod is None else e.operand(lod, (0,))
    dst = e.target(instr.dest)
    if instr.op == "txs":
        u.TXQ(dst, number, level, sampler)
        return
    work = u.decl_temporary()
    u.TXQ(work, number, level, sampler)
    u.MOV(dst, work.src().scalar(3))
    u.release_temporary(work)
