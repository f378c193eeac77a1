# SPDX-License-Identifier: MIT
"""QIR as text: printer and parser.

In: a `Vc4Compile`. Out: a listing; and back. The form is that of Mesa's dumps (qir_dump), so that a
listing can be laid beside Mesa's listings: operation in small letters, `.sf`, condition,
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
    NULL,
    QOPS,
    BranchCond,
    Cond,
    QFile,
    QInst,
    QirError,
    QReg,
    QStage,
    QUniform,
    VaryingSlot,
    Vc4Compile,
    bits_float,
    float_bits,
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
        block, word = data >> 24, data & 0xFFFFFF
        return f"unif{'' if block == 1 else block}[{word}]"
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


# ---- parser
_NAMES: Final = {name: file for file, name in _FILES.items()}
_BY_UNIFORM: Final = {name: contents for contents, name in UNIFORM_NAMES.items()}


def parse_qir(text: str, stage: QStage) -> Vc4Compile:
    """A program by its listing. Temps that one instruction writes have it as their definition;
    every varying is slot 32, in the order of their numbers.
    """
    c = Vc4Compile(stage)
    c.blocks = []
    edges: list[tuple[int, list[int]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        try:
            if line.startswith("BLOCK "):
                c.set_emit_block(c.new_block())
                c.cur_block.index = int(line[6:].rstrip(":"))
            elif line.startswith("->"):
                edges.append((c.cur_block.index, [int(n) for n in line[2:].split(",")]))
            elif line:
                c.cur_block.instructions.append(_parse_inst(c, line))
        except (KeyError, ValueError, IndexError) as problem:
            raise QirError(f"line {number}: {line}: {problem}") from None
    blocks = {block.index: block for block in c.blocks}
    for source, targets in edges:
        for target in targets:
            c.link_blocks(blocks[source], blocks[target])
    _finish(c)
    return c


def _finish(c: Vc4Compile) -> None:
    """Definitions, slots and sizes, by what the instructions say."""
    writers: dict[int, list[QInst]] = {}
    for inst in c.instructions():
        for reg in (inst.dst, *inst.src):
            if reg.file == QFile.TEMP:
                c.num_temps = max(c.num_temps, reg.index + 1)
            elif reg.file == QFile.VARY:
                while len(c.input_slots) <= reg.index:
                    c.input_slots.append(VaryingSlot(32, len(c.input_slots)))
        for reg in inst.src:
            if reg.file == QFile.VPM:
                size = reg.index % 4 * 4 + 4
                c.vattr_sizes[reg.index // 4] = max(size, c.vattr_sizes[reg.index // 4])
        if inst.dst.file == QFile.TEMP:
            writers.setdefault(inst.dst.index, []).append(inst)
    c.num_inputs = sum(c.vattr_sizes) // 4
    found = [writers.get(n, []) for n in range(c.num_temps)]
    # A write of a part, or of some lanes, is not all of the value.
    c.defs = [
        one[0] if len(one) == 1 and one[0].cond == Cond.ALWAYS and one[0].channels_written == 15
        else None
        for one in found
    ]  # fmt: skip


def _parse_inst(c: Vc4Compile, line: str) -> QInst:
    word, _, rest = line.partition(" ")
    name, *marks = word.split(".")
    row = QOPS[name.upper()]
    if row.name == "BRANCH":
        inst = QInst(row, NULL, [], BranchCond.ALWAYS)
        if marks:
            inst.cond = BranchCond[marks[0].upper()]
        return inst
    regs = _split(rest)
    dst = _parse_reg(c, regs.pop(0), True) if row.has_dst else NULL
    inst = c.inst(row, dst, *(_parse_reg(c, text, False) for text in regs))
    for mark in marks:
        if mark == "sf":
            inst.sf = True
        elif mark == "exec":
            inst.cond_is_exec_mask = True
        else:
            inst.cond = Cond[mark.upper()]
    return inst


def _split(text: str) -> list[str]:
    """By commas outside of brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _parse_reg(c: Vc4Compile, text: str, written: bool) -> QReg:
    name, _, note = text.partition(" ")
    note = note.strip("()")
    if name.startswith("0x"):
        return QReg(QFile.LOAD_IMM, int(name, 16))
    if name[0].isdigit() or name[0] == "-":
        value = float_bits(float(name)) if "." in name else int(name) & 0xFFFFFFFF
        return QReg(QFile.SMALL_IMM, value)
    base, _, pack = name.partition(".")
    if base.startswith("vpm") and not written:
        return QReg(QFile.VPM, int(base[3:]) * 4 + int(pack))
    mode = (PACK_NAMES if written else UNPACK_NAMES).index(pack)
    if base == "vpm":
        return QReg(QFile.VPM, 0, mode)
    if base in _NAMES and base not in ("t", "v", "u"):
        return QReg(_NAMES[base], 0, mode)
    file, index = _NAMES[base[0]], int(base[1:])
    if file == QFile.UNIF:
        return c.uniform(*_parse_uniform(note, index))._replace(pack=mode)
    return QReg(file, index, mode)


def _parse_uniform(note: str, index: int) -> tuple[QUniform, int]:
    """What stands in brackets; without it the word of GL's uniforms with that number."""
    if not note:
        return QUniform.UNIFORM, 1 << 24 | index
    if note in _BY_UNIFORM:
        return _BY_UNIFORM[note], 0
    if note.startswith("0x"):
        return QUniform.CONSTANT, int(note.partition(" ")[0], 16)
    name, _, data = note.rstrip("]").partition("[")
    if name.startswith("unif"):
        return QUniform.UNIFORM, int(name[4:] or 1) << 24 | int(data)
    return QUniform[name.upper()], int(data)
