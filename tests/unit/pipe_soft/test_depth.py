# SPDX-License-Identifier: MIT
"""Depth clamp of what a shader writes: within the viewport's range (GL 3.2, 4.1.5)."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pydri.nir.enums import VERT_ATTRIB_COLOR0, VERT_ATTRIB_POS, VERT_ATTRIB_TEX0
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX
from pydri.pipe.state import (
    PRIM_TRIANGLES,
    ColorTarget,
    DepthStencilAlpha,
    Multisample,
    PipelineState,
    Rasterizer,
    VertexElement,
    stages_of,
)
from tests.unit.pipe_soft.bench import (
    DRIVERS,
    SIZE,
    Bench,
    Call,
    Target,
    fragment_shader,
    random_dynamic,
    vertex_shader,
)


@pytest.mark.parametrize("samples", (1, 4))
@pytest.mark.parametrize("clamp", (False, True))
@pytest.mark.parametrize("driver", DRIVERS)
def test_written_depth_is_clamped(driver: str, clamp: bool, samples: int) -> None:
    slots = (VERT_ATTRIB_POS, VERT_ATTRIB_COLOR0, VERT_ATTRIB_TEX0)
    floats, color, zs = (
        number(name) for name in ("R32G32B32A32_FLOAT", "B8G8R8A8_UNORM", "Z32_FLOAT")
    )
    state = PipelineState(
        stages_of({
            SHADER_VERTEX: vertex_shader(slots), SHADER_FRAGMENT: fragment_shader("depth")}),
        tuple(VertexElement(slot, floats) for slot in slots), (ColorTarget(color),),
        DepthStencilAlpha(0x207, True), Rasterizer(depth_clamp=clamp), zs, PRIM_TRIANGLES, samples,
        multisample=Multisample(samples > 1),
    )  # fmt: skip
    dynamic = random_dynamic(random.Random(1), SIZE)
    dynamic |= {"scissor_x0": 0, "scissor_y0": 0, "scissor_x1": SIZE, "scissor_y1": SIZE}
    dynamic |= {"cull": 0, "viewport_scale": (32.0, 32.0, 0.125, 1.0)}
    dynamic["viewport_translate"] = (32.0, 32.0, 0.375, 0.0)
    corners = [(-3, -3, 0, 1), (3, -3, 0, 1), (0, 3, 0, 1)]
    values = {VERT_ATTRIB_POS: corners, VERT_ATTRIB_COLOR0: [(1,) * 4] * 3,
              VERT_ATTRIB_TEX0: [(0.9, 0, 0, 1)] * 3}  # fmt: skip
    arrays = {slot: np.array(value, "f4") for slot, value in values.items()}
    bench = Bench(DRIVERS[driver], Target(color, zs, samples, False))
    bench.clear((0.0,) * 4, 1.0, 0)
    bench.draw(Call(state, dynamic, arrays, 4, None, 3))
    middle = bench.memory(bench.zs)[SIZE * SIZE // 2 + SIZE // 2]
    bench.close()
    assert np.allclose(middle.view(np.float32), 0.5 if clamp else 0.9)
