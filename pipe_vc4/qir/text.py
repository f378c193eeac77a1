# SPDX-License-Identifier: MIT
"""QIR as text: printer and parser.

In: a `Vc4Compile`. Out: a listing; and back. The form is that of Mesa's dumps (qir_dump), so that a
listing can be laid beside ../shared/vc4/listings: operation in small letters, `.sf`, condition,
destination, sources; `.8a` behind a destination packs, behind a source unpacks.

    BLOCK 0:
    fmul t1, v0, t0
    vary_add_c t2, t1
    mov.zs t3, u0 (0x3f800000 / 1.000000)
    branch.any_zc -> 1, 2
"""

from __future__ import annotations

from typing import Final

from pipe_vc4.qir.qir import (
    BranchCond,
    Cond,
    QFile,
    QInst,
    QReg,
    QUniform,
    Vc4Compile,
    bits_float,
)

_FILES: Final = {
    QFile.NULL: "null", QFile.TEMP: "t", QFile.VARY: "v", QFile.UNIF: "u",
    QFile.TLB_COLOR_WRITE: "tlb_c", QFile.TLB_COLOR_WRITE_MS: "tlb_c_ms",
    QFile.TLB_Z_WRITE: "tlb_z", QFile.TLB_STENCIL_SETUP: "tlb_stencil",
    QFile.TEX_S_DIRECT: "tex_s_direct", QFile.TEX_S: "tex_s", QFile.TEX_T: "tex_t",
    QFile.TEX_R: "tex_r", QFile.TEX_B: "tex_b", QFile.FRAG_X: "frag_x", QFile.FRAG_Y: "frag_y",
    QFile.FRAG_REV_FLAG: "frag_rev_flag", QFile.QPU_ELEMENT: "elem",
}  # fmt: skip
_NUMBERED: Final = (QFile.TEMP, QFile.VARY, QFile.UNIF)
UNPACK_NAMES: Final = ("", "16a", "16b", "8d_rep", "8a", "8b", "8c", "8d")
PACK_NAMES: Final = (
    "", "16a", "16b", "8888", "8a", "8b", "8c", "8d", "sat", "16a.sat", "16b.sat", "8888.sat",
    "8a.sat", "8b.sat", "8c.sat", "8d.sat",
)  # fmt: skip
UNIFORM_NAMES: Final = {
    QUniform.VIEWPORT_X_SCALE: "vp_x_scale", QUniform.VIEWPORT_Y_SCALE: "vp_y_scale",
    QUniform.VIEWPORT_Z_OFFSET: "vp_z_offset", QUniform.VIEWPORT_Z_SCALE: "vp_z_scale",
}  # fmt: skip


def uniform_text(contents: QUniform, data: int) -> str:
    """What stands behind a uniform in brackets."""
    if contents == QUniform.CONSTANT:
        return f"0x{data:08x} / {bits_float(data):f}"
    if contents == QUniform.UNIFORM:
        return f"unif[{data}]"
    if contents in UNIFORM_NAMES:
        return UNIFORM_NAMES[contents]
    return f"{contents.name.lower()}[{data}]"


def small_imm_text(bits: int) -> str:
    """A small immediate: an integer of -16 to 15, or a power of two."""
    signed = bits - (1 << 32) if bits >> 31 else bits
    return str(signed) if -16 <= signed <= 15 else f"{bits_float(bits):f}"


def reg_text(reg: QReg, written: bool, c: Vc4Compile | None = None) -> str:
    """An operand."""
    if reg.file == QFile.LOAD_IMM:
        return f"0x{reg.index:08x} ({bits_float(reg.index):f})"
    if reg.file == QFile.SMALL_IMM:
        return small_imm_text(reg.index & 0xFFFFFFFF)
    if reg.file == QFile.VPM:
        text = "vpm" if written else f"vpm{reg.index // 4}.{reg.index % 4}"
    else:
        text = _FILES[reg.file] + (str(reg.index) if reg.file in _NUMBERED else "")
    if reg.pack:
        text += "." + (PACK_NAMES if written else UNPACK_NAMES)[reg.pack]
    if reg.file == QFile.UNIF and c is not None:
        contents = c.uniform_contents[reg.index]
        text += f" ({uniform_text(contents, c.uniform_data[reg.index])})"
    return text


def inst_text(inst: QInst, c: Vc4Compile | None = None) -> str:
    """An instruction without the blocks that a branch goes to."""
    text = inst.name.lower()
    if inst.name == "BRANCH":
        return text + (
            f".{BranchCond(inst.cond).name.lower()}" if inst.cond != BranchCond.ALWAYS else ""
        )
    if inst.cond != Cond.ALWAYS:
        text += f".{Cond(inst.cond).name.lower()}"
    if inst.cond_is_exec_mask:
        text += ".exec"
    if inst.sf:
        text += ".sf"
    parts = [reg_text(inst.dst, True, c)] if inst.op.has_dst else []
    parts += [reg_text(src, False, c) for src in inst.src]
    return f"{text} {', '.join(parts)}" if parts else text


def qir_dump(c: Vc4Compile) -> str:
    """The whole program."""
    lines = []
    for block in c.blocks:
        lines.append(f"BLOCK {block.index}:")
        for inst in block.instructions:
            lines.append(inst_text(inst, c))
        if block.successors:
            lines.append("-> " + ", ".join(str(s.index) for s in block.successors))
        lines.append("")
    return "\n".join(lines)
