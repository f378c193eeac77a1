# SPDX-License-Identifier: MIT
"""From a shader of nir to its QIR (vc4_shader_ntq).

In: nir as front ends and state trackers make it, a stage and a key. Out: a `Vc4Compile` with
optimised QIR, uniforms lowered: what the register allocator takes.
"""

from __future__ import annotations

from collections.abc import Callable

from pipe_vc4.ntq import ends
from pipe_vc4.ntq.compile import Ntq
from pipe_vc4.ntq.keys import Vc4FsKey, Vc4VsKey
from pipe_vc4.ntq.lower_tables import lower_tables
from pipe_vc4.qir import optimize
from pipe_vc4.qir.qir import QStage, Vc4Compile
from pydri.nir.enums import VARYING_SLOT_POS, VARYING_SLOT_PSIZ, VARYING_SLOT_TEX0
from pydri.nir.ir import IntrinsicInstr, Shader
from pydri.nir.passes import lower_for_backend, run_pass
from pydri.nir.passes import optimize as optimize_nir

#: opcodes that are rebuilt from simpler ones before QIR
LOWERED = ("fmod", "flrp", "fsat")
_ANY = 1 << 30


def prepare(shader: Shader, stage: QStage, key: Vc4FsKey | Vc4VsKey) -> list[int]:
    """State of the key put into the shader; scalar arithmetic on values, registers instead of
    phis. The words of its tables of constants.
    """
    run_pass(shader, "lower_io")
    if isinstance(key, Vc4FsKey):
        if key.is_points and key.point_sprite_mask:
            run_pass(shader, "lower_point_sprites", coords=key.point_sprite_mask)
        if key.light_twoside:
            run_pass(shader, "lower_two_sided_color")
    run_pass(shader, "lower_clip_planes", planes=key.ucp_enables)
    if stage == QStage.COORD:
        _position_only(shader)
    lower_for_backend(shader)
    run_pass(shader, "pipe_vc4.ntq.lower_volumes", tex=key.tex)
    tables = lower_tables(shader)
    if shader.main.locals or shader.globals:  # there is no memory to write: all is selections
        # What was never written must not cost registers: there are few, and large arrays.
        run_pass(shader, "lower_indirect_derefs", limit=_ANY)
        run_pass(shader, "lower_vars_to_ssa", undefined=True)
        run_pass(shader, "opt_undef")
        optimize_nir(shader)
    run_pass(shader, "lower_alu_to_scalar")
    run_pass(shader, "lower_load_const_to_scalar")
    run_pass(shader, "lower_alu", ops=LOWERED)
    run_pass(shader, "pipe_vc4.ntq.lower_division")
    run_pass(shader, "pipe_vc4.ntq.lower_addresses")
    optimize_nir(shader)
    run_pass(shader, "from_ssa")
    return tables


def lowered_vertex(shader: Shader) -> Shader:
    """A vertex shader that fragment shaders are linked with."""
    lower_for_backend(shader)
    return shader


def _position_only(shader: Shader) -> None:
    """The coordinate shader is the vertex shader less what only fragments need."""
    for instr in shader.main.instrs():
        if isinstance(instr, IntrinsicInstr) and instr.name == "store_output":
            if instr.indices["base"] not in (VARYING_SLOT_POS, VARYING_SLOT_PSIZ):
                instr.remove()


def vc4_shader_ntq(
    shader: Shader, stage: QStage, key: Vc4FsKey | Vc4VsKey, threaded: bool = False,
    optimized: bool = True, vertex: Shader | None = None,
    seen: Callable[[Vc4Compile], None] | None = None,
) -> Vc4Compile:  # fmt: skip
    """Compile; the shader is changed. `vertex`: the one before a fragment shader, if it is known
    and as `lowered_vertex` leaves it: what it writes as constants is no varying then. `seen` is
    called with the QIR before it is optimised.
    """
    if vertex is not None and isinstance(key, Vc4FsKey):
        sprites = {VARYING_SLOT_TEX0 + n for n in range(8) if key.point_sprite_mask >> n & 1}
        run_pass(shader, "lower_io")
        run_pass(shader, "pydri.nir.link_varyings", vertex=vertex, kept=sprites)
    tables = prepare(shader, stage, key)
    c = Vc4Compile(stage)
    c.tables = tables
    c.fs_threaded = threaded
    if isinstance(key, Vc4FsKey):
        c.fs_key = key
    else:
        c.vs_key = key
    n = Ntq(shader, c)
    if stage == QStage.FRAG:
        ends.setup_fragment(n)
        n.emit()
        ends.end_fragment(n)
    else:
        ends.setup_vertex(n)
        n.emit()
        ends.end_vertex(n)
    if seen is not None:
        seen(c)
    if optimized:
        optimize.qir_optimize(c)
        optimize.qir_lower_uniforms(c)
    return c
