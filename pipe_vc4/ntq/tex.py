# SPDX-License-Identifier: MIT
"""Texture samples (ntq_emit_tex).

In: an `Ntq` and a TexInstr. Out: its components. Coordinates go to the TMU's registers one by one,
each with a word of set-up; the write of s starts the sample. Its result is four unorm bytes, or
depth in the upper 24 bits of a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipe_vc4.ntq.alu import NtqError, rcp
from pipe_vc4.ntq.keys import FUNC_ALWAYS, FUNC_NEVER, Vc4TexKey
from pipe_vc4.ntq.memory import thread_switch
from pipe_vc4.qir.qir import Cond, QFile, QReg, QStage, QUniform, Unpack
from pydri.nir.ir import TexInstr

if TYPE_CHECKING:
    from pipe_vc4.ntq.compile import Ntq

#: where r, g, b, a lie in the bytes that the TMU gives, by format
FORMAT_SWIZZLES: Final = {
    "L8_UNORM": "www1", "A8_UNORM": "000w", "I8_UNORM": "wwww", "L8A8_UNORM": "xxxw",
    "B8G8R8A8_UNORM": "zyxw", "B8G8R8X8_UNORM": "zyx1", "R8G8B8X8_UNORM": "xyz1",
    "B5G6R5_UNORM": "xyz1",
}  # fmt: skip
_BORDERED: Final = ("CLAMP", "CLAMP_TO_BORDER", "MIRROR_CLAMP", "MIRROR_CLAMP_TO_BORDER")
#: compare function -> (what is subtracted from what, the flag that says yes)
_COMPARES: Final = {
    1: ("rd", Cond.NS), 2: ("rd", Cond.ZS), 3: ("dr", Cond.NC), 4: ("dr", Cond.NS),
    5: ("rd", Cond.ZC), 6: ("rd", Cond.NC),
}  # fmt: skip


def key_of(n: Ntq, unit: int) -> Vc4TexKey:
    """The key of a texture unit."""
    key = n.c.fs_key if n.c.stage == QStage.FRAG else n.c.vs_key
    known = key.tex if key is not None else ()
    return known[unit] if unit < len(known) else Vc4TexKey()


def _is_cube(instr: TexInstr) -> bool:
    """Whether it samples a cube."""
    return instr.sampler_dim == "Cube"


def emit_tex(n: Ntq, instr: TexInstr) -> list[QReg]:
    """The sample, its result with the swizzle of format and view."""
    if instr.op not in ("tex", "txb", "txl", "txd") or instr.op == "txd" and _is_cube(instr):
        raise NtqError(f"VC4 has no texture operation {instr.op}")
    if instr.sampler_dim == "3D" or instr.is_array:
        raise NtqError("VC4 has no textures of layers, and of three dimensions no such operation")
    c, key = n.c, key_of(n, instr.texture_index)
    _coordinates(n, instr, key)
    c.num_texture_samples += 1
    thread_switch(n)
    result = c.q.TEX_RESULT()
    if key.format.startswith("Z"):
        return _depth(n, instr, key, result)
    steps = FORMAT_SWIZZLES.get(key.format, "xyzw")
    parts: dict[str, QReg] = {"0": c.uniform_f(0.0), "1": c.uniform_f(1.0)}
    found = []
    for letter in key.swizzle[: instr.dest.num_components]:
        source = steps["xyzw".index(letter)] if letter in "xyzw" else letter
        if source not in parts:
            parts[source] = c.UNPACK_8_F(result, "xyzw".index(source))
        found.append(parts[source])
    return found


def _coordinates(n: Ntq, instr: TexInstr, key: Vc4TexKey) -> None:
    c, unit = n.c, instr.texture_index
    coord = instr.source("coord")
    assert coord is not None
    parts = [n.get(coord, k) for k in range(coord.num_components)]
    cube = _is_cube(instr)
    if cube:
        parts = _on_cube(n, parts)
    s, t = parts[0], parts[1] if instr.sampler_dim != "1D" else c.uniform_f(0.5)
    lod, is_level = _level(n, instr, key)
    if instr.sampler_dim == "Rect":
        s = c.q.FMUL(s, c.uniform(QUniform.TEXRECT_SCALE_X, unit))
        t = c.q.FMUL(t, c.uniform(QUniform.TEXRECT_SCALE_Y, unit))
    words = [c.uniform(QUniform.TEXTURE_CONFIG_P0, unit),
             c.uniform(QUniform.TEXTURE_CONFIG_P1, unit)]  # fmt: skip
    if cube or is_level:
        words.append(c.uniform(QUniform.TEXTURE_CONFIG_P2, unit | is_level << 16))
    words += [c.uniform_ui(0)] * 2
    writes: list[tuple[QFile, QReg]] = []
    if cube:
        writes.append((QFile.TEX_R, parts[2]))
    elif key.wrap_s in _BORDERED or key.wrap_t in _BORDERED:
        writes.append((QFile.TEX_R, c.uniform(QUniform.TEXTURE_BORDER_COLOR, unit)))
    s, t = _wrapped(n, s, key.wrap_s), _wrapped(n, t, key.wrap_t)
    writes.append((QFile.TEX_T, t))
    if lod is not None:
        writes.append((QFile.TEX_B, lod))
    writes.append((QFile.TEX_S, s))
    for (file, value), word in zip(writes, words):
        c.to.MOV(QReg(file), value, word)


def _wrapped(n: Ntq, value: QReg, wrap: str) -> QReg:
    """A coordinate as far as the TMU does not wrap it: mirrored once, clamped to 0 and 1."""
    if wrap.startswith("MIRROR_CLAMP"):
        value = n.c.q.FMAXABS(value, value)
    return n.c.SAT(value) if wrap.endswith("CLAMP") else value


def _on_cube(n: Ntq, parts: list[QReg]) -> list[QReg]:
    """The TMU wants a direction whose greatest component is 1."""
    c = n.c
    greatest = c.q.FMAXABS(c.q.FMAXABS(parts[0], parts[1]), parts[2])
    scale = rcp(c, greatest)
    return [c.q.FMUL(part, scale) for part in parts]


def _level(n: Ntq, instr: TexInstr, key: Vc4TexKey) -> tuple[QReg | None, bool]:
    """What the b register gets, and whether that is a level instead of a bias. The sampler's own
    bias, which the hardware has not, is added to both (GL 2.1, 3.8.8).
    """
    if key.force_first_level:
        return n.c.uniform(QUniform.TEXTURE_FIRST_LEVEL, instr.texture_index), True
    found, is_level = _level_asked(n, instr)
    if not key.biased:
        return found, is_level
    more = n.c.uniform(QUniform.TEXTURE_LOD_BIAS, instr.texture_index)
    return more if found is None else n.c.q.FADD(found, more), is_level


def _level_asked(n: Ntq, instr: TexInstr) -> tuple[QReg | None, bool]:
    """The level or the bias that the shader asks for."""
    lod, bias = instr.source("lod"), instr.source("bias")
    if lod is not None:
        return n.get(lod), True
    if instr.op == "txd":
        return _level_of_slopes(n, instr), True
    if n.c.stage != QStage.FRAG:
        return n.c.uniform_ui(0), True
    return (None, False) if bias is None else (n.get(bias), False)


def _level_of_slopes(n: Ntq, instr: TexInstr) -> QReg:
    """The level of given derivatives: the logarithm of the longer slope in texels (GL 2.1, 3.8.8;
    nir_lower_tex's lower_txd)."""
    c = n.c
    squares = []
    for name in ("ddx", "ddy"):
        slope = instr.source(name)
        assert slope is not None
        total: QReg | None = None
        for k in range(slope.num_components):
            part = n.get(slope, k)
            if instr.sampler_dim != "Rect":  # whose coordinates are texels
                size = (QUniform.TEXTURE_WIDTH, QUniform.TEXTURE_HEIGHT)[k]
                part = c.q.FMUL(part, c.uniform(size, instr.texture_index))
            square = c.q.FMUL(part, part)
            total = square if total is None else c.q.FADD(total, square)
        assert total is not None
        squares.append(total)
    return c.q.FMUL(c.q.LOG2(c.q.FMAX(*squares)), c.uniform_f(0.5))


def _depth(n: Ntq, instr: TexInstr, key: Vc4TexKey, word: QReg) -> list[QReg]:
    """Depth, or what comparing with it gives (GL 2.1, 3.8.14)."""
    c = n.c
    depth = c.q.FMUL(c.q.ITOF(c.q.SHR(word, c.uniform_ui(8))), c.uniform_f(1.0 / 0xFFFFFF))
    reference = instr.source("comparator")
    zero, one = c.uniform_f(0.0), c.uniform_f(1.0)
    if key.compare_mode and key.compare_func in (FUNC_NEVER, FUNC_ALWAYS):
        depth = one if key.compare_func == FUNC_ALWAYS else zero
    elif key.compare_mode and reference is not None:
        order, cond = _COMPARES[key.compare_func]
        r = c.SAT(n.get(reference))
        c.SF(c.q.FSUB(*((r, depth) if order == "rd" else (depth, r))))
        depth = c.SEL(cond, one, zero)
    parts = {"0": zero, "1": one}
    return [parts.get(letter, depth) for letter in key.swizzle[: instr.dest.num_components]]


__all__ = ["Unpack", "emit_tex", "key_of"]
