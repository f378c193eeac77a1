# SPDX-License-Identifier: MIT
"""What smooth points and lines, and points with several samples a pixel, change in a pipeline:
fragments scale their alpha by coverage, or by how much the point fades.

In: a PipelineState. Out: its fragment shader, or one that reads where it lies in the line or point
(inputs that smooth.py writes) and has lower_coverage applied. Loads no generators: a pipeline
that is in the cache is found by the key alone. Counterpart of the shader half of Mesa's
draw_pipe_aaline.c and draw_pipe_aapoint.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.native import VARYING_SLOT_LINE_COVERAGE, VARYING_SLOT_POINT_COVERAGE
from pydri.pipe.format import FORMATS
from pydri.pipe.state import PipelineState, Rasterizer, ShaderInput, ShaderRef

if TYPE_CHECKING:
    from pydri.nir.ir import Shader

GL_POINT = 0x1B00


def fading(state: PipelineState) -> bool:
    """Whether there are points that may fade (GL 2.1, 3.13), or are discs by sample."""
    rast = state.rast
    points = state.prim == 0 or (state.prim == 2 and GL_POINT in (rast.fill_front, rast.fill_back))
    return state.multisample.enabled and points


def coverage_inputs(rast: Rasterizer, fade: bool = False) -> tuple[ShaderInput, ...]:
    """What fragment programs read of smooth primitives, and of points that `fade`."""
    slots = ((rast.line_smooth, VARYING_SLOT_LINE_COVERAGE),
             (rast.point_smooth or fade, VARYING_SLOT_POINT_COVERAGE))  # fmt: skip
    return tuple(ShaderInput(slot, 4, "noperspective") for on, slot in slots if on)


def covered(state: PipelineState, fs: ShaderRef) -> ShaderRef:
    """The fragment shader of a state, which scales alpha by coverage if primitives are smooth."""
    fade = fading(state)
    inputs = coverage_inputs(state.rast, fade)
    if not inputs:
        return fs
    lines, points = state.rast.line_smooth, state.rast.point_smooth and not fade
    whole = sum(FORMATS[t.format].integer << n for n, t in enumerate(state.targets))

    def build() -> Shader:
        from pydri.nir.passes import lower_for_backend, run_pass

        shader = fs.build()
        lower_for_backend(shader, scalar=False)
        run_pass(
            shader, "pipe_llvm.draw.lower_coverage", lines=lines, points=points, fade=fade,
            whole=whole,
        )  # fmt: skip
        return shader

    return fs._replace(
        key=fs.key + b" coverage %d %d %d %d" % (lines, state.rast.point_smooth, fade, whole),
        build=build,
        inputs=(*fs.inputs, *inputs),
        uses_discard=fs.uses_discard or points,
    )
