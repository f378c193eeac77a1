# SPDX-License-Identifier: MIT
"""LP_DEBUG and LP_PERF: what the driver tells, and what it leaves out (lp_debug.h, lp_perf.c).

LP_DEBUG names go to stderr. `fs`, `setup` and `pipe` are told by Python when a pipeline is made;
`scene` and `rast` by kernels whenever a scene is executed (`LpContext.debug` holds the bits).
LP_PERF switches features off, to find by halves what is slow or wrong.
"""

from __future__ import annotations

from typing import Any

from pydri.pipe.format import FORMATS
from pydri.pipe.native import SHADER_FRAGMENT
from pydri.pipe.state import DepthStencilAlpha, PipelineState, RtBlend, ShaderRef
from pydri.util import log
from pydri.util.options import options

DEBUG_SCENE, DEBUG_RAST = 1, 2  # bits of LpContext.debug


def native_bits() -> int:
    """LpContext.debug as LP_DEBUG says."""
    flags = options.LP_DEBUG
    return (DEBUG_SCENE if "scene" in flags else 0) | (DEBUG_RAST if "rast" in flags else 0)


def without_features(state: PipelineState) -> PipelineState:
    """The state less what LP_PERF switches off."""
    flags = options.LP_PERF
    if not flags:
        return state
    dsa = state.dsa
    if "no_depth" in flags:
        dsa = DepthStencilAlpha(alpha_func=dsa.alpha_func)
    if "no_alphatest" in flags:
        dsa = dsa._replace(alpha_func=0)
    targets = state.targets
    if "no_blend" in flags:
        targets = tuple(
            t._replace(blend=RtBlend(colormask=t.blend.colormask)) for t in state.targets
        )
    if "no_shade" in flags:
        plain = ShaderRef(b"no_shade", _constant_color, (), (2,))
        state = state.with_shader(SHADER_FRAGMENT, plain)
    return state._replace(dsa=dsa, targets=targets)


def _constant_color() -> Any:
    """LP_PERF=no_shade: a fragment shader that writes one colour."""
    from pydri.nir.builder import Builder
    from pydri.nir.ir import Shader

    shader = Shader("fragment", "no_shade")
    b = Builder(shader)
    b.store_output(b.imm_vec4(0.5, 0.5, 0.5, 1.0), 2)
    return shader


def describe(state: PipelineState) -> str:
    """A pipeline state in lines for people."""
    names = {0: "points", 1: "lines", 2: "triangles"}
    fragment = state.stages[SHADER_FRAGMENT]
    inputs = fragment.inputs if fragment is not None else ()
    formats = ", ".join(f"{e.slot}:{FORMATS[e.format].name}" for e in state.elements)
    return (
        f"{names[state.prim]} to "
        f"{', '.join(FORMATS[t.format].name for t in state.targets) or 'no colour'}, "
        f"{FORMATS[state.zs_format].name}\n"
        f"  vertex elements: {formats or 'none'}\n  inputs: {list(map(tuple, inputs))}\n"
        + "".join(f"  {t.blend}\n" for t in state.targets)
        + f"  {state.dsa}\n  {state.rast}"
        + (f"\n  {state.samples} samples, {state.multisample}" if state.samples > 1 else "")
    )


def pipeline_made(state: PipelineState, number: int) -> None:
    """LP_DEBUG=fs,setup,pipe: a new pipeline; `fs` shows the shaders too."""
    flags = options.LP_DEBUG
    if flags & {"fs", "setup", "pipe"}:
        log.note(f"llvmpipe: pipeline {number}: {describe(state)}")
    if "fs" in flags:
        from pydri.nir.printer import print_shader

        log.note("\n".join(print_shader(ref.build()) for ref in state.stages if ref is not None))


def screen_made(name: str, threads: int) -> None:
    """LP_DEBUG=screen: what was decided when the screen was made."""
    if "screen" in options.LP_DEBUG:
        log.note(f"llvmpipe: {name}, {threads} rasteriser threads beside the caller")
