# SPDX-License-Identifier: MIT
"""What stands before and behind the body of each of the three programs (emit_frag_end and kin).

In: an `Ntq`. Out: instructions that read varyings and attributes, that write the vertex or the
pixel. Vertex: x and y of the screen in one word, z, 1/w, the point size if wanted, the varyings in
the fragment shader's order; the coordinate shader writes clip coordinates first and no varyings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipe_vc4.ntq import attributes, blend
from pipe_vc4.ntq.alu import rcp
from pipe_vc4.qir.qir import Cond, Pack, QFile, QReg, QStage, QUniform, VaryingSlot
from pydri.nir.enums import (
    FRAG_RESULT_COLOR,
    FRAG_RESULT_DATA0,
    FRAG_RESULT_DEPTH,
    VARYING_SLOT_PNTC,
    VARYING_SLOT_POS,
    VARYING_SLOT_PSIZ,
)
from pydri.nir.ir import IntrinsicInstr, Shader

if TYPE_CHECKING:
    from pipe_vc4.ntq.compile import Ntq

#: what the hardware makes for points and lines
HARDWARE: Final = VaryingSlot(-1, 0)


def read_slots_of(shader: Shader) -> dict[int, int]:
    """Input slots that a shader reads, with the components as a mask."""
    found: dict[int, int] = {}
    for instr in shader.main.instrs():
        if isinstance(instr, IntrinsicInstr) and instr.name == "load_input":
            assert instr.dest is not None
            mask = (1 << instr.dest.num_components) - 1 << instr.indices["component"]
            found[instr.indices["base"]] = found.get(instr.indices["base"], 0) | mask
        elif isinstance(instr, IntrinsicInstr) and instr.name == "load_point_coord":
            found[VARYING_SLOT_PNTC] = 3
    return found


# ---- fragments
def setup_fragment(n: Ntq) -> None:
    """Varyings, in the order of their slots; what comes for points and lines before them."""
    c, key = n.c, n.c.fs_key
    assert key is not None
    slots = read_slots_of(n.shader)
    if key.is_points:
        x, y = varying(n, HARDWARE), varying(n, HARDWARE)
        if VARYING_SLOT_PNTC in slots:
            if key.point_coord_upper_left:
                y = c.q.FSUB(c.uniform_f(1.0), y)
            n.inputs[VARYING_SLOT_PNTC, 0], n.inputs[VARYING_SLOT_PNTC, 1] = x, y
    elif key.is_lines:
        varying(n, HARDWARE)
    for slot, mask in sorted(slots.items()):
        for component in range(4):
            if mask >> component & 1 and slot != VARYING_SLOT_PNTC:
                n.inputs[slot, component] = varying(n, VaryingSlot(slot, component))


def varying(n: Ntq, slot: VaryingSlot) -> QReg:
    """The next varying: v * w + c (emit_fragment_varying)."""
    c = n.c
    c.input_slots.append(slot)
    read = QReg(QFile.VARY, len(c.input_slots) - 1)
    return c.q.VARY_ADD_C(c.q.FMUL(read, c.payload("FRAG_W")))


def end_fragment(n: Ntq) -> None:
    """Colour, depth and stencil to the tile (emit_frag_end)."""
    c, key = n.c, n.c.fs_key
    assert key is not None
    color = blend.color_of(n, FRAG_RESULT_COLOR, FRAG_RESULT_DATA0 + key.target)
    # The alpha of the first target decides for all (ARB_draw_buffers, issue 2).
    first = blend.color_of(n, FRAG_RESULT_COLOR, FRAG_RESULT_DATA0)
    blend.sample_mask(n, first[3] if first else None)
    if key.sample_alpha_to_one:
        color, first = ([*some[:3], c.uniform_f(1.0)] if some else [] for some in (color, first))
    blend.alpha_test(n, first)
    words = blend.blended(n, color)
    cond = Cond.ALWAYS
    if n.discard.file != QFile.NULL:
        c.SF(n.discard)
        cond = Cond.ZS
    if key.stencil_enabled:
        _stencil(n, 0)
        if key.stencil_twoside:
            _stencil(n, 1)
        if key.stencil_full_writemasks:
            _stencil(n, 2)
    if key.depth_enabled:
        written = n.output(FRAG_RESULT_DEPTH, 0)
        place = QReg(QFile.TLB_Z_WRITE)
        if written is None:
            c.to.MOV(place, c.payload("FRAG_Z")).cond = cond
        else:
            scaled = c.q.FMUL(c.SAT(written), c.uniform_f(float(0xFFFFFF)))
            if cond != Cond.ALWAYS:
                c.SF(n.discard)
            c.to.FTOI(place, scaled).cond = cond
    place = QReg(QFile.TLB_COLOR_WRITE if len(words) == 1 else QFile.TLB_COLOR_WRITE_MS)
    for word in words:
        c.to.MOV(place, word).cond = cond


def _stencil(n: Ntq, number: int) -> None:
    n.c.to.MOV(QReg(QFile.TLB_STENCIL_SETUP), n.c.uniform(QUniform.STENCIL, number))


# ---- vertices
def setup_vertex(n: Ntq) -> None:
    """Attributes out of the VPM, unpacked as their formats say (emit_vertex_input)."""
    attributes.setup(n, sorted(read_slots_of(n.shader).items()))


def end_vertex(n: Ntq) -> None:
    """emit_vert_end, emit_coord_end."""
    c, key = n.c, n.c.vs_key
    assert key is not None
    place = [n.output(VARYING_SLOT_POS, k) or c.uniform_f(float(k == 3)) for k in range(4)]
    scale = rcp(c, place[3])
    if c.stage == QStage.COORD:
        for part in place:
            c.VPM_WRITE(part)
    word = c.get_temp()
    sizes = (QUniform.VIEWPORT_X_SCALE, QUniform.VIEWPORT_Y_SCALE)
    for k, size in enumerate(sizes):
        moved = c.q.FMUL(c.q.FMUL(place[k], c.uniform(size)), scale)
        c.to.FTOI(word._replace(pack=Pack.P16A + k), moved)
    c.VPM_WRITE(word)
    depth = c.q.FMUL(c.q.FMUL(place[2], c.uniform(QUniform.VIEWPORT_Z_SCALE)), scale)
    c.VPM_WRITE(c.q.FADD(depth, c.uniform(QUniform.VIEWPORT_Z_OFFSET)))
    c.VPM_WRITE(scale)
    if key.per_vertex_point_size:
        size_ = n.output(VARYING_SLOT_PSIZ, 0) or c.uniform_f(1.0)
        # The hardware hangs on points of no size (HW-2726).
        c.VPM_WRITE(c.q.FMAX(size_, c.uniform_f(0.125)))
    if c.stage == QStage.VERT:
        for slot, component in key.fs_inputs:
            c.VPM_WRITE(_passed_on(n, slot, component))


def _passed_on(n: Ntq, slot: int, component: int) -> QReg:
    """An output for the fragment shader; what is not written is 0."""
    found = n.output(slot, component)
    return n.c.uniform_f(0.0) if found is None else found
