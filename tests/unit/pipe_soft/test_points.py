# SPDX-License-Identifier: MIT
"""Points on both drivers: sprites, whose coordinates GL says exactly, and sizes that are no number
(as if they were 1: draw/exact.py, draw/smooth.py; GL 2.1, 3.3 leaves it open)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_POINT_SIZE,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX
from pydri.pipe.state import (
    PRIM_POINTS,
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


def drawn(driver: str, size: float, samples: int, smooth: bool) -> NDArray[Any]:
    """A white point of a size in the middle."""
    slots = (VERT_ATTRIB_POS, VERT_ATTRIB_COLOR0, VERT_ATTRIB_POINT_SIZE)
    floats = number("R32G32B32A32_FLOAT")
    state = PipelineState(
        stages_of({
            SHADER_VERTEX: vertex_shader(slots), SHADER_FRAGMENT: fragment_shader("color")}),
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


SAMPLES = [(0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875)]  # of a pixel, as Mesa's


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("samples", [1, 4])
@pytest.mark.parametrize("down", [0, 1])
@pytest.mark.parametrize("size", [0.3, 1.0, 7.0, 10.1, 33.3])
def test_sprites(driver: str, samples: int, down: int, size: float) -> None:
    """The formula of GL 2.1, 3.3.1, in every pixel whose centre (or in every sample that)
    lies in the square."""
    x, y = 17.3, 40.6  # of the surface
    at = (2 * (x - 0.25 - SIZE / 2) / (SIZE * 0.97), 2 * (y + 0.125 - SIZE / 2) / SIZE)
    found = sprite(driver, size, samples, down, at)
    side = size if samples > 1 else max(size, 1.0)  # 3.3.3: points of several samples may be small
    centres = np.arange(SIZE) + 0.5
    places = np.array(SAMPLES if samples > 1 else [(0.5, 0.5)]) - 0.5
    columns = np.abs(centres[:, None] + places[:, 0] - x) < side / 2
    rows = np.abs(centres[:, None] + places[:, 1] - y) < side / 2
    covered = found[..., 3] == 1.0
    assert (covered == rows[:, None] & columns).all()
    assert covered.any() or side < 0.5
    s = 0.5 + (centres - x) / side
    t = 0.5 + (centres - y) / side * (1 if down else -1)
    wanted = np.stack(np.broadcast_arrays(s[None], t[:, None], 0.0, 1.0), -1)[:, :, None]
    assert np.abs(found - wanted)[covered].max(initial=0) < 2e-3


def sprite(
    driver: str, size: float, samples: int, down: int, at: tuple[float, float]
) -> NDArray[Any]:
    """The coordinates that a point's fragments get, (rows, columns, samples, 4), or zeros."""
    slots = (VERT_ATTRIB_POS, VERT_ATTRIB_TEX0)
    floats = number("R32G32B32A32_FLOAT")
    state = PipelineState(
        stages_of({
            SHADER_VERTEX: vertex_shader(slots), SHADER_FRAGMENT: fragment_shader("place")}),
        tuple(VertexElement(slot, floats) for slot in slots), (ColorTarget(floats),),
        DepthStencilAlpha(), Rasterizer(point_sprite=True, sprite_coords=1), 0, PRIM_POINTS,
        samples, multisample=Multisample(samples > 1),
    )  # fmt: skip
    dynamic = random_dynamic(random.Random(1), SIZE)
    dynamic |= {"scissor_x0": 0, "scissor_y0": 0, "scissor_x1": SIZE, "scissor_y1": SIZE}
    half = SIZE / 2
    dynamic |= {"viewport_scale": (half * 0.97, half, 0.5, 1.0), "point_size": size}
    dynamic |= {"viewport_translate": (half + 0.25, half - 0.125, 0.5, 0.0)}
    dynamic |= {"point_fade": 0.0, "sprite_down": down}
    arrays = {
        VERT_ATTRIB_POS: np.array([(*at, 0.0, 1.0)], "f4"),
        VERT_ATTRIB_TEX0: np.full((1, 4), 9, "f4"),
    }
    bench = Bench(DRIVERS[driver], Target(floats, 0, samples, False))
    bench.clear((0.0,) * 4, 1.0, 0)
    bench.draw(Call(state, dynamic, arrays, 0, None, 1))
    found = bench.memory(bench.color).reshape(SIZE, SIZE, samples, 16)
    bench.close()
    return np.ascontiguousarray(found).view("f4")


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(("samples", "smooth"), [(1, False), (1, True), (4, False), (4, True)])
def test_a_size_that_is_no_number(driver: str, samples: int, smooth: bool) -> None:
    one = drawn(driver, 1.0, samples, smooth)
    assert (one != 0).any()
    assert (drawn(driver, float("nan"), samples, smooth) == one).all()
    assert (drawn(driver, 9.0, samples, smooth) != one).any()
