# SPDX-License-Identifier: MIT
"""Many instances in one draw: the same primitives, in the same order, as one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pipe_llvm.native import PLAN_BOXES
from tests.unit.pipe_llvm.draw.fake import Drawing, pipeline

F32X4 = "R32G32B32A32_FLOAT"
MODES = range(10)
OFFSETS = 700


def moved(b: Any) -> None:
    """Position from slot 0 plus what instances share in slot 2; their number as a colour."""
    b.store_output(b.load_input(0, 4) + b.load_input(2, 4), 0)
    number = b.alu("i2f", b.sysval("instance_id"))
    b.store_output(b.alu("vec4", number, number, number, number), 1)


STATE: dict[str, Any] = {"elements": ((0, F32X4), (2, F32X4, True))}


def drawing(divisor: int = 1, base: int = 0, count: int = 64, width: int = 0,
            **rast: Any) -> Drawing:  # fmt: skip
    d = Drawing(pipeline(moved, **STATE, **rast), width, vertices=1024)
    rng = np.random.default_rng(7)
    pos = rng.uniform(-0.3, 0.3, (count, 4)).astype(np.float32)
    pos[:, 3] = 1
    shared = rng.uniform(-0.5, 0.5, (OFFSETS, 4)).astype(np.float32)
    shared[:, 3] = 0
    d.attribute(0, pos)
    d.attribute(2, shared)
    d.bindings[2].divisor = divisor
    d.info.base_instance = base
    d.positions, d.shared = pos, shared
    return d


def together(d: Drawing, instances: int, *args: Any, **more: Any) -> tuple[Any, Any]:
    """What setup (or points) got of one draw, and of one for each instance."""

    def drawn() -> Any:
        return np.concatenate([d.drawn.reshape(-1, d.layout.floats), *(p for p, _ in d.points)])

    whole = drawn_of(d, drawn, *args, instances=instances, **more)
    parts = [drawn_of(d, drawn, *args, instance=n, **more) for n in range(instances)]
    return whole, np.concatenate(parts)


def drawn_of(d: Drawing, drawn: Any, *args: Any, **more: Any) -> Any:
    d.draw(*args, **more)
    return drawn()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count", [1, 3, 4, 7, 50])
def test_arrays(mode: int, count: int) -> None:
    d = drawing(prim=0 if mode < 1 else 1 if mode < 4 else 2)
    d.plan.flags |= PLAN_BOXES if mode == 0 else 0
    whole, parts = together(d, 37, mode, count, start=3)
    np.testing.assert_array_equal(whole[:, :8], parts[:, :8])


@pytest.mark.parametrize("mode", [4, 5, 6, 7, 9])
@pytest.mark.parametrize("first", [False, True])
def test_provoking_vertex(mode: int, first: bool) -> None:
    d = drawing(provoking_first=first)
    whole, parts = together(d, 21, mode, 9)
    np.testing.assert_array_equal(whole[:, :8], parts[:, :8])


@pytest.mark.parametrize("spread", [12, 4000])
@pytest.mark.parametrize("mode", [4, 5, 2])
def test_indices(mode: int, spread: int) -> None:
    """Close together, and far apart."""
    d = drawing(count=4100)
    indices = np.random.default_rng(3).integers(0, spread, 21).astype(np.uint16)
    whole, parts = together(d, 900, mode, 21, indices=indices, bias=5)
    assert len(whole)
    np.testing.assert_array_equal(whole[:, :8], parts[:, :8])


@pytest.mark.parametrize("width", [128, 512])
@pytest.mark.parametrize(("divisor", "base"), [(1, 0), (3, 0), (4, 5), (0x80000000, 699), (2, 690)])
def test_values(divisor: int, base: int, width: int) -> None:
    """Of instance i element i / divisor + base, within the array (GL 4.6, 10.3.4)."""
    d = drawing(divisor, base, width=width)
    d.draw(4, 3, instances=1000)
    elements = np.minimum(np.arange(1000) // divisor + base, OFFSETS - 1)
    wanted = d.positions[:3][None] + d.shared[elements][:, None]
    drawn = d.drawn
    assert drawn.shape[:2] == (1000, 3)
    scale, move = np.float32([128, -128]), np.float32(128)
    np.testing.assert_allclose(drawn[:, :, :2], wanted[:, :, :2] * scale + move, rtol=1e-5)
    np.testing.assert_array_equal(drawn[:, :, 4], np.arange(1000)[:, None] + np.zeros((1, 3)))


def test_lanes_are_full() -> None:
    """10,000 triangles are 30,000 vertices in four chunks."""
    d = drawing()
    d.draw(4, 3, instances=10000)
    assert len(d.calls) == 4 and int(d.stats.sum()) >= 30000
    assert [len(numbers) for numbers, _ in d.calls] == [2728, 2728, 2728, 1816]


def test_large_instances() -> None:
    """Each takes chunks of its own."""
    d = drawing(count=9000)
    whole, parts = together(d, 3, 5, 9000)
    np.testing.assert_array_equal(whole[:, :8], parts[:, :8])


def test_clipped() -> None:
    """Some instances reach out of the view volume's depth."""
    d = drawing()
    d.shared[::7, 2] = 0.9
    d.attribute(2, d.shared)
    for mode in (4, 5, 9):
        whole, parts = together(d, 50, mode, 12)
        np.testing.assert_array_equal(whole[:, :8], parts[:, :8])
