# SPDX-License-Identifier: MIT
"""What a shader reads that is no value: inputs, uniforms, system values.

In: an `Ntq` and a loading intrinsic. Out: its components. Uniform blocks are GL's uniforms: the
word `data` of QUniform.UNIFORM is block << 24 | word. What is indexed at run time is read from
memory through the TMU, within the block (indirect_uniform_load).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipe_vc4.ntq.alu import NtqError, rcp
from pipe_vc4.ntq.lower_tables import TABLES
from pipe_vc4.qir.qir import QFile, QReg, QStage, QUniform
from pydri.nir.enums import VARYING_SLOT_PNTC
from pydri.nir.ir import IntrinsicInstr, LoadConst

if TYPE_CHECKING:
    from pipe_vc4.ntq.compile import Ntq


def emit_load(n: Ntq, instr: IntrinsicInstr) -> list[QReg]:
    """By the intrinsic's name."""
    name, c = instr.name, n.c
    assert instr.dest is not None
    width = instr.dest.num_components
    if name == "load_input":
        slot, first = instr.indices["base"], instr.indices["component"]
        return [load_input(n, slot, first + k) for k in range(width)]
    if name == "load_ubo":
        return _load_ubo(n, instr, width)
    if name == "load_uniform":
        return _load_uniform(n, instr, width)
    if name == "load_frag_coord":
        return [_frag_coord(n, k) for k in range(width)]
    if name == "load_front_face":
        return [c.q.ADD(c.uniform_ui(~0), QReg(QFile.FRAG_REV_FLAG))]
    if name == "load_point_coord":
        return [load_input(n, VARYING_SLOT_PNTC, k) for k in range(width)]
    if name == "load_alpha_ref":
        return [c.uniform(QUniform.ALPHA_REF)]
    if name == "load_blend_color":
        return [c.uniform(QUniform(QUniform.BLEND_CONST_COLOR_X + k)) for k in range(width)]
    if name == "load_user_clip_plane":
        plane = instr.indices["plane"]
        return [c.uniform(QUniform.USER_CLIP_PLANE, plane * 4 + k) for k in range(width)]
    raise NtqError(f"VC4 has nothing for {name}")


def load_input(n: Ntq, slot: int, component: int) -> QReg:
    """A component of an input (setup_inputs has emitted it at the top)."""
    found = n.inputs.get((slot, component))
    if found is not None:
        return found
    if n.c.stage == QStage.FRAG and slot == VARYING_SLOT_PNTC:
        return n.c.uniform_f(1.0 if component == 3 else 0.0)
    raise NtqError(f"input {slot}.{component} was not set up")


def _frag_coord(n: Ntq, component: int) -> QReg:
    """Pixels' centres lie at halves (GL 2.1, 3.10)."""
    c = n.c
    if component < 2:
        file = (QFile.FRAG_X, QFile.FRAG_Y)[component]
        return c.q.FADD(c.q.ITOF(QReg(file)), c.uniform_f(0.5))
    if component == 2:
        return c.q.FMUL(c.q.ITOF(c.payload("FRAG_Z")), c.uniform_f(1.0 / 0xFFFFFF))
    return rcp(c, c.payload("FRAG_W"))


# ---- uniforms
#: by block: where it lies in memory, and where its last word begins
_MEMORY: Final = (
    (QUniform.UBO0_ADDR, QUniform.UBO0_LAST), (QUniform.UBO1_ADDR, QUniform.UBO1_LAST),
    (QUniform.TABLES_ADDR, QUniform.TABLES_LAST),
)  # fmt: skip


def _load_ubo(n: Ntq, instr: IntrinsicInstr, width: int) -> list[QReg]:
    block, offset = instr.indices["block"], instr.srcs[0].instr
    if isinstance(offset, LoadConst):
        word = offset.values[0] // 4
        return [n.c.uniform(QUniform.UNIFORM, block << 24 | word + k) for k in range(width)]
    return _fetch(n, block, n.get(instr.srcs[0]), 0, width)


def _load_uniform(n: Ntq, instr: IntrinsicInstr, width: int) -> list[QReg]:
    c, first, offset = n.c, instr.indices["base"], instr.srcs[0].instr
    if isinstance(offset, LoadConst):
        word = 4 * (first + offset.values[0])
        return [c.uniform(QUniform.UNIFORM, 1 << 24 | word + k) for k in range(width)]
    place = c.q.SHL(n.get(instr.srcs[0]), c.uniform_ui(4))
    return _fetch(n, 1, place, 16 * first, width)


def _fetch(n: Ntq, block: int, place: QReg, more: int, width: int) -> list[QReg]:
    """Words of memory. The kernel wants to see that each place is within: that it is no more than a
    uniform, which is compared with where the words begin, another one.
    """
    c = n.c
    if block >= len(_MEMORY):
        raise NtqError(f"VC4 has no uniform block {block}")
    kind, last = _MEMORY[block]
    if more:
        place = c.q.ADD(place, c.uniform_ui(more))
    place = c.q.MAX(place, c.uniform_ui(0))
    found = []
    for word in range(width):
        # the last place for which this word is within
        least = 4 * (len(c.tables) - 1 - word) if block == TABLES else 4 * word
        inside = c.q.MIN_NOIMM(place, c.uniform(last, max(least, 0)))
        c.to.ADD(QReg(QFile.TEX_S_DIRECT), inside, c.uniform(kind, 4 * word))
        c.num_texture_samples += 1
        thread_switch(n)
        found.append(c.q.TEX_RESULT())
    return found


def thread_switch(n: Ntq) -> None:
    """Let the other thread run while the TMU works (ntq_emit_thrsw)."""
    if n.c.fs_threaded:
        n.c.to.THRSW(QReg(QFile.NULL))
        n.c.last_thrsw_at_top_level = n.running
