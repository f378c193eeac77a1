# SPDX-License-Identifier: MIT
"""Random states, vertices and targets on both of our drivers: the same pixels.

Coverage, depth, stencil, logic operations and counters are the same numbers; colours may be one
step of the format apart where sRGB is encoded. More seeds: `scripts/test --long --seed N
tests/unit/pipe_soft`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pipe_llvm
import pipe_soft
from pipe_llvm.sample.table import samplers
from pipe_soft.pixels import fields
from pydri.pipe.format import FORMATS, Format
from tests import host
from tests.unit.pipe_llvm import sample_rig
from tests.unit.pipe_soft.bench import Bench, Scene, random_scene


@pytest.fixture(autouse=True)
def the_drivers_samplers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views have the functions that pipe_llvm has for all."""
    monkeypatch.setattr(sample_rig, "sampler", lambda key, _: (samplers().function(key), None))


SEEDS = range(1, 17)


def channels_apart(fmt: Format, one: NDArray[Any], other: NDArray[Any]) -> int:
    """The greatest difference of a channel of packed pixels."""
    worst = 0
    for _, bits, at in fields(fmt):
        mask = (1 << bits) - 1
        sides = [(words.astype(np.int64) >> at) & mask for words in (one, other)]
        worst = max(worst, int(np.abs(sides[0] - sides[1]).max()))
    return worst


def drawn_by_both(scene: Scene) -> list[Bench]:
    """The scene on both drivers."""
    benches = []
    for create in (pipe_llvm.create_screen, pipe_soft.create_screen):
        bench = Bench(create, scene.target, scene.textures)
        bench.clear((0.25, 0.5, 0.75, 0.5), 0.6, 5)
        for call in scene.calls:
            bench.draw(call)
        benches.append(bench)
    return benches


def differences(scene: Scene, benches: list[Bench]) -> list[str]:
    """What differs, in words."""
    wrong = []
    one, other = (bench.memory(bench.color) for bench in benches)
    tolerance = 1 if scene.target.srgb else 0
    apart = channels_apart(FORMATS[scene.target.color], one, other)
    if apart > tolerance:
        wrong.append(f"colours: {int((one != other).sum())} samples, {apart} steps")
    if scene.target.zs:
        one, other = (bench.memory(bench.zs) for bench in benches)
        if (one != other).any():
            wrong.append(f"depth and stencil: {int((one != other).sum())} samples")
    counted = [bench.counter.value for bench in benches]
    if counted[0] != counted[1]:
        wrong.append(f"counters {counted}")
    return wrong


def test_the_scenes_draw_something() -> None:
    """Two in five draws of these seeds leave a mark: else their equality says little."""
    drawn = []
    for seed in SEEDS:
        scene = random_scene(seed)
        bench = Bench(pipe_soft.create_screen, scene.target, scene.textures)
        bench.clear((0.25, 0.5, 0.75, 0.5), 0.6, 5)
        surfaces = [bench.color, bench.zs] if scene.target.zs else [bench.color]
        for call in scene.calls:
            before = [bench.memory(surface) for surface in surfaces]
            bench.draw(call)
            after = [bench.memory(surface) for surface in surfaces]
            drawn.append(sum(int((x != y).sum()) for x, y in zip(before, after)) > 20)
        bench.close()
    assert sum(drawn) > 0.4 * len(drawn), (sum(drawn), len(drawn))


@pytest.mark.slow
@pytest.mark.parametrize("seed", host.seeds(SEEDS, fresh=400))
def test_both_drivers_draw_the_same(seed: int) -> None:
    scene = random_scene(seed)
    benches = drawn_by_both(scene)
    try:
        wrong = differences(scene, benches)
        assert not wrong, f"seed {seed}: {wrong}\n{scene}"
    finally:
        for bench in benches:
            bench.close()
