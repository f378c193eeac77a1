# SPDX-License-Identifier: MIT
"""Smooth points and lines: what their fragments learn of their place, and the coverage it means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pipe_llvm.draw.coverage import coverage_inputs, covered
from pipe_llvm.native import (
    PLAN_MULTISAMPLE,
    VARYING_SLOT_LINE_COVERAGE,
    VARYING_SLOT_POINT_COVERAGE,
)
from pydri.pipe.native import SHADER_FRAGMENT
from pydri.pipe.state import Multisample, PipelineState, Rasterizer, ShaderRef

from .fake import Drawing, pipeline
from .test_wide import LINES, POINTS, SIZE


def drawing(window: list[tuple[float, float]], size: float = 1.0, **rast: bool) -> Drawing:
    """Vertices at places of the surface; vertex n has the colour n."""
    inputs = ((1, 4), *(tuple(i) for i in coverage_inputs(Rasterizer(**rast))))
    d = Drawing(pipeline(prim=1, inputs=inputs, **rast))
    d.plan.line_coverage = max(0, d.layout.offset_of(VARYING_SLOT_LINE_COVERAGE))
    d.plan.point_coverage = max(0, d.layout.offset_of(VARYING_SLOT_POINT_COVERAGE))
    places = np.array(window, np.float32)
    pos = np.zeros((len(places), 4), np.float32)
    pos[:, 0] = places[:, 0] / (SIZE / 2) - 1
    pos[:, 1] = 1 - places[:, 1] / (SIZE / 2)
    pos[:, 3] = 1
    color = np.zeros((len(places), 4), np.float32)
    color[:, 0] = np.arange(len(places))
    d.attribute(0, pos)
    d.attribute(2, color)
    d.viewport(0, 0, SIZE, SIZE)
    d.dyn.line_width = d.dyn.point_size = size
    return d


def inputs_at(drawn: Any, at: int, x: float, y: float) -> Any:
    """The four coverage inputs at a place, None outside."""
    for tri in drawn.astype(np.float64):
        p = tri[:, :2]
        m = np.array([[*corner, 1.0] for corner in p]).T
        if abs(np.linalg.det(m)) < 1e-9:
            continue
        weights = np.linalg.solve(m, [x, y, 1.0])
        if (weights > -1e-6).all():
            return weights @ tri[:, at : at + 4]
    return None


def line_coverage(d: Drawing, x: float, y: float) -> float:
    place = inputs_at(d.drawn, d.plan.line_coverage, x, y)
    if place is None:
        return 0.0
    across, half, along, reach = place
    ends = min(np.clip(reach - abs(along), 0, 1), 2 * reach - 1)
    return float(np.clip(half + 1 - abs(across), 0, 1) * ends)


def point_coverage(d: Drawing, x: float, y: float) -> float:
    place = inputs_at(d.drawn, d.plan.point_coverage, x, y)
    if place is None or place[0] ** 2 + place[1] ** 2 > 1:
        return 0.0
    square = place[0] ** 2 + place[1] ** 2
    return 1.0 if square <= place[2] else float((1 - square) / (1 - place[2]))


@pytest.mark.parametrize("width", [1.0, 2.0, 5.5])
@pytest.mark.parametrize("angle", [0.0, 0.6, 1.5, 3.9])
def test_a_line_covers_its_width(width: float, angle: float) -> None:
    middle, length = np.array([31.3, 32.7]), 24.0
    way = np.array([np.cos(angle), np.sin(angle)])
    ends = [tuple(middle - way * length / 2), tuple(middle + way * length / 2)]
    d = drawing(ends, width, line_smooth=True)
    d.draw(LINES, 2)
    assert len(d.drawn) == 2
    steps = np.linspace(-6, 6, 241)
    normal = np.array([-way[1], way[0]])
    profile = [line_coverage(d, *(middle + normal * s)) for s in steps]
    assert np.trapezoid(profile, steps) == pytest.approx(max(width, 1.0), abs=0.02)
    assert max(profile) == pytest.approx(1.0, abs=1e-5)
    # along the line it is as long as it is
    steps = np.linspace(-16, 16, 641)
    profile = [line_coverage(d, *(middle + way * s)) for s in steps]
    assert np.trapezoid(profile, steps) == pytest.approx(length, abs=0.02)


def test_line_ends_keep_their_values() -> None:
    d = drawing([(10, 10), (40, 20)], 3, line_smooth=True)
    d.draw(LINES, 2)
    assert sorted(d.drawn[..., 4].ravel().tolist()) == [0, 0, 0, 1, 1, 1]


def test_a_line_without_length_covers_nothing() -> None:
    d = drawing([(20, 20), (20, 20)], 1, line_smooth=True)
    d.draw(LINES, 2)
    assert line_coverage(d, 20, 20) == line_coverage(d, 21, 20) == 0


@pytest.mark.parametrize("size", [1.0, 2.0, 7.0, 300.0])
def test_a_point_is_a_disc(size: float) -> None:
    d = drawing([(32.25, 31.5)], size, point_smooth=True)
    d.draw(POINTS, 1)
    radius = min(max(size, 2.0), 255.0) / 2
    box = d.drawn[..., :2]
    assert np.allclose(box.max((0, 1)) - box.min((0, 1)), 2 * radius)
    for turn in (0.0, 0.7, 2.0):
        way = np.array([np.cos(turn), np.sin(turn)])
        for share in (0.0, 0.5, 0.99):
            inside = share * max(radius - 1, 0.0)
            assert point_coverage(d, *([32.25, 31.5] + way * inside)) == pytest.approx(1, abs=0.01)
        falling = [point_coverage(d, *([32.25, 31.5] + way * (radius - s))) for s in (0.75, 0.25)]
        assert 1 >= falling[0] > falling[1] > 0
        assert point_coverage(d, *([32.25, 31.5] + way * (radius + 0.01))) == 0


@pytest.mark.parametrize("size, threshold", [(7.0, 1.0), (0.5, 1.0), (3.0, 12.0), (2.0, 0.0)])
def test_points_with_samples_fade(size: float, threshold: float) -> None:
    """GL 2.1, 3.3 and 3.13: never smaller than the threshold, but with less alpha."""
    d = drawing([(32.25, 31.5)], size, point_smooth=True)
    d.plan.flags |= PLAN_MULTISAMPLE
    d.dyn.point_fade = threshold
    d.draw(POINTS, 1)
    box = d.drawn[..., :2]
    assert np.allclose(box.max((0, 1)) - box.min((0, 1)), max(size, threshold))
    x, y, _, kept = inputs_at(d.drawn, d.plan.point_coverage, 32.25 + size / 4, 31.5)
    assert (x, y) == pytest.approx((size / 2 / max(size, threshold), 0), abs=1e-5)
    assert kept == pytest.approx(min(size / threshold, 1.0) ** 2 if threshold else 1.0)


def test_pipelines() -> None:
    def shader_of(state: PipelineState) -> ShaderRef:
        return covered(state, state.shader(SHADER_FRAGMENT))

    state = pipeline()
    plain = shader_of(state)
    assert plain is state.shader(SHADER_FRAGMENT)
    line, point = shader_of(pipeline(line_smooth=True)), shader_of(pipeline(point_smooth=True))
    assert (line.uses_discard, point.uses_discard) == (False, True)
    assert line.key != point.key != plain.key
    several = pipeline(prim=0)._replace(samples=4, multisample=Multisample(enabled=True))
    faded, round_one = (
        shader_of(several._replace(rast=Rasterizer(point_smooth=on))) for on in (False, True)
    )
    assert faded.inputs[-1].slot == VARYING_SLOT_POINT_COVERAGE
    assert faded.key != round_one.key and not round_one.uses_discard
    assert line.inputs[-1].interp == point.inputs[-1].interp == "noperspective"
