# SPDX-License-Identifier: MIT
"""Points whose size is no number: as if it were 1, on both drivers (draw/exact.py, draw/smooth.py;
GL 2.1, 3.3 leaves it open)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pipe_llvm
import pipe_soft
from pydri.nir.enums import VERT_ATTRIB_COLOR0, VERT_ATTRIB_POINT_SIZE, VERT_ATTRIB_POS
from pydri.pipe.format import number
from pydri.pipe.state import (
    PRIM_POINTS,
    ColorTarget,
    DepthStencilAlpha,
    Multisample,
    PipelineState,
    Rasterizer,
    VertexElement,
)
from tests.unit.pipe_soft.bench import (
    SIZE,
    Bench,
    Call,
    Target,
    fragment_shader,
    random_dynamic,
    vertex_shader,
)

DRIVERS = {"llvm": pipe_llvm.create_screen, "soft": pipe_soft.create_screen}


def drawn(driver: str, size: float, samples: int, smooth: bool) -> NDArray[Any]:
    """A white point of a size in the middle."""
    slots = (VERT_ATTRIB_POS, VERT_ATTRIB_COLOR0, VERT_ATTRIB_POINT_SIZE)
    floats = number("R32G32B32A32_FLOAT")
    state = PipelineState(
        vertex_shader(slots), fragment_shader("color"),
        tuple(VertexElement(slot, floats) for slot in slots),
        (ColorTarget(number("B8G8R8A8_UNORM")),), DepthStencilAlpha(),
        Rasterizer(point_smooth=smooth, point_size_per_vertex=True), 0,
        PRIM_POINTS, samples, multisample=Multisample(samples > 1),
    )  # fmt: skip
    dynamic = random_dynamic(random.Random(1), SIZE)
    dynamic |= {"scissor_x0": 0, "scissor_y0": 0, "scissor_x1": SIZE, "scissor_y1": SIZE}
    dynamic["point_fade"] = 0.0
    values = ((0.0, 0.0, 0.0, 1.0), (1.0,) * 4, (size,) * 4)
    arrays = {slot: np.array([value], "f4") for slot, value in zip(slots, values)}
    bench = Bench(DRIVERS[driver], Target(number("B8G8R8A8_UNORM"), 0, samples, False))
    bench.clear((0.0,) * 4, 1.0, 0)
    bench.draw(Call(state, dynamic, arrays, 0, None, 1))
    found = bench.memory(bench.color)
    bench.close()
    return found


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(("samples", "smooth"), [(1, False), (1, True), (4, False), (4, True)])
def test_a_size_that_is_no_number(driver: str, samples: int, smooth: bool) -> None:
    one = drawn(driver, 1.0, samples, smooth)
    assert (one != 0).any()
    assert (drawn(driver, float("nan"), samples, smooth) == one).all()
    assert (drawn(driver, 9.0, samples, smooth) != one).any()
