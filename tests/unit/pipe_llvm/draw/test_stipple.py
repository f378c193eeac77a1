# SPDX-License-Identifier: MIT
"""Line stipple: the pattern's bits along a line, the counter through strips, loops and chunks."""

from __future__ import annotations

import numpy as np
import pytest

from pipe_llvm.native import PLAN_STIPPLED

from .test_wide import LINE_LOOP, LINE_STRIP, LINES, drawing, pixels


def columns(places: list[tuple[float, float]], mode: int, pattern: int, factor: int = 1,
            flags: int = 3, first: float = 0.0) -> dict[tuple[int, int], float]:  # fmt: skip
    d = drawing(np.array(places, np.float32))
    d.plan.flags |= PLAN_STIPPLED
    d.dyn.line_stipple_pattern, d.dyn.line_stipple_factor = pattern, factor
    d.lp.stipple_count = first
    return pixels(d.draw(mode, len(places), flags=flags).drawn)


@pytest.mark.parametrize("factor", [1, 2, 3])
@pytest.mark.parametrize("pattern", [0xFFFF, 0x0F0F, 0x5555, 0x8001, 0x1C47, 0])
def test_pattern(pattern: int, factor: int) -> None:
    drawn = columns([(4.5, 9.5), (60.5, 9.5)], LINES, pattern, factor)
    on = [n for n in range(56) if pattern >> (n // factor % 16) & 1]
    assert sorted(x - 4 for x, _ in drawn) == on


def test_counter() -> None:
    """It begins again with each separate line, and goes on through strips and loops."""
    apart = [(4.5, 9.5), (14.5, 9.5), (14.5, 19.5), (24.5, 19.5)]
    assert sorted(columns(apart, LINES, 0x000F)) == [
        *((x, 9) for x in range(4, 8)), *((x, 19) for x in range(14, 18)),
    ]  # fmt: skip
    strip = [(4.5, 9.5), (14.5, 9.5), (24.5, 9.5), (54.5, 9.5)]
    on = [n + 4 for n in range(50) if 0x00F1 >> n % 16 & 1]
    assert sorted(x for x, _ in columns(strip, LINE_STRIP, 0x00F1)) == on
    loop = [(4.5, 9.5), (14.5, 9.5), (14.5, 19.5), (4.5, 19.5)]
    assert len(columns(loop, LINE_LOOP, 0x0001)) == 3  # 40 pixels around


def test_a_strip_that_goes_on() -> None:
    """Without PRIM_BEGIN the counter keeps what it was; with it, it does not."""
    strip = [(4.5, 9.5), (24.5, 9.5)]
    for flags, shift in ((2, 5), (3, 0)):
        on = [n + 4 for n in range(20) if 0x00F0 >> (n + shift) % 16 & 1]
        drawn = columns(strip, LINE_STRIP, 0x00F0, flags=flags, first=5.0)
        assert sorted(x for x, _ in drawn) == on


def test_colours_are_the_lines() -> None:
    drawn = columns([(4.5, 9.5), (60.5, 9.5)], LINES, 0xAAAA)
    for (x, _), color in drawn.items():
        assert color == pytest.approx((x - 4) / 56, abs=1e-4)


def test_a_long_line_fits() -> None:
    """More pieces than the stream has rows."""
    d = drawing(np.array([(0.5, 9.5), (16000.5, 9.5)], np.float32))
    d.viewport(0, 0, 64, 64)
    d.dyn.viewport_scale[0] = d.dyn.viewport_translate[0] = 8000
    pos = np.array([[-1, 0, 0, 1], [1, 0, 0, 1]], np.float32)
    d.attribute(0, pos)
    d.plan.flags |= PLAN_STIPPLED
    d.dyn.line_stipple_pattern, d.dyn.line_stipple_factor = 0x5555, 1
    assert len(d.draw(LINES, 2).drawn) == 2 * 8000
    assert len(d.calls) > 1
