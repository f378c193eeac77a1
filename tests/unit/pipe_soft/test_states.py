# SPDX-License-Identifier: MIT
"""Random states, vertices and targets on both of our drivers: the same pixels.

Coverage, depth, stencil, logic operations and counters are the same numbers; colours may be one
step of the format apart where sRGB is encoded (textures of sRGB: test_textures.py). More seeds:
`scripts/test --long --seed N tests/unit/pipe_soft`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import pipe_llvm
import pipe_soft
from pipe_llvm.sample.table import samplers
from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_DUAL_SRC
from pydri.nir.ir import Shader, first_block
from pydri.pipe import format_numpy
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.interface import PipeScreen
from pydri.pipe.native import SHADER_FRAGMENT
from pydri.pipe.state import RtBlend
from tests import host
from tests.unit.pipe_llvm import sample_rig
from tests.unit.pipe_soft.bench import Bench, Call, Scene, random_scene


@pytest.fixture(autouse=True)
def the_drivers_samplers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views have the functions that pipe_llvm has for all."""
    monkeypatch.setattr(sample_rig, "sampler", lambda key, _: (samplers().function(key), None))


# 1018, 1051: points that fade, drawn to whole numbers; zeros of both signs. The last four: halves
# in clears, polygon offset where nothing holds depth, a texture that is no sRGB here, a zero's sign
# in a target of whole numbers
SEEDS = [
    *range(1000, 1007), *range(1034, 1039), 1018, 1051, 377968316, 94473305, 43882471, 413706204,
]  # fmt: skip


def channels_apart(fmt: Format, one: NDArray[Any], other: NDArray[Any]) -> int:
    """The greatest difference of a channel of texels, as stored; all NaNs are one, and both
    zeros."""
    worst = 0
    sides = [format_numpy.channels(fmt, x.reshape(-1, fmt.bytes)) for x in (one, other)]
    for (kind, bits), x, y in zip(fmt.channels, *sides):
        apart = np.abs(x.astype(np.int64) - y.astype(np.int64))
        if kind == "f" and bits in (16, 32):
            numbers = [v.astype(f"u{bits // 8}").view(f"f{bits // 8}") for v in (x, y)]
            alike = np.isnan(numbers[0]) & np.isnan(numbers[1]) | (numbers[0] == numbers[1])
            apart = np.where(alike, 0, apart)
        worst = max(worst, int(apart.max()))
    return worst


def drawn_by_both(scene: Scene) -> list[Bench]:
    """The scene on both drivers."""
    return [drawn(create, scene) for create in (pipe_llvm.create_screen, pipe_soft.create_screen)]


def drawn(create: Callable[[Any], PipeScreen], scene: Scene) -> Bench:
    """The scene on a driver."""
    bench = Bench(create, scene.target, scene.textures)
    bench.clear((0.25, 0.5, 0.75, 0.5), 0.6, 5)
    for call in scene.calls:
        bench.draw(call)
    return bench


def differences(scene: Scene, benches: list[Bench]) -> list[str]:
    """What differs, in words."""
    wrong = []
    tolerance = 1 if scene.target.srgb else 0
    for n, format in enumerate((scene.target.color, *scene.target.more)):
        fmt = FORMATS[format]
        one, other = (bench.memory(bench.colors[n]) for bench in benches)
        apart = channels_apart(fmt, one, other)
        if apart > tolerance:
            count = int((one != other).any(axis=2).sum())
            wrong.append(f"colours {n} ({fmt.name}): {count} samples, {apart} steps")
    if scene.target.zs:
        one, other = (bench.memory(bench.zs) for bench in benches)
        if (one != other).any():
            wrong.append(f"depth and stencil: {int((one != other).sum())} samples")
    counted = [bench.counter.value for bench in benches]
    if counted[0] != counted[1]:
        wrong.append(f"counters {counted}")
    return wrong


def apart(scene: Scene) -> list[str]:
    """Draw a scene on both drivers; what differs, in words."""
    benches = drawn_by_both(scene)
    try:
        return differences(scene, benches)
    finally:
        for bench in benches:
            bench.close()


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
    wrong = apart(scene)
    assert not wrong, f"seed {seed}: {wrong}\n{scene}"


def _with_second_source(call: Call) -> Call:
    """The call with factors of a second source, which its shader writes, too."""
    old = call.state.shader(SHADER_FRAGMENT)

    def build() -> Shader:
        made = old.build()
        b = Builder(made)
        b.at_start(first_block(made.main.body))
        second = [b.imm_float(value) for value in (0.25, 1.5, 0.75, 0.5)]
        b.store_output(b.vec(*second), FRAG_RESULT_DUAL_SRC, 15)
        return made

    outputs = tuple(sorted({*old.outputs, FRAG_RESULT_DUAL_SRC}))
    shader = old._replace(key=old.key + b"second", build=build, outputs=outputs)
    blend = RtBlend(True, rgb_src=0x88F9, rgb_dst=0x88FA, alpha_src=0x8589, alpha_dst=0x88FB)
    first, *more = call.state.targets
    targets = (first._replace(blend=blend), *more)
    state = call.state.with_shader(SHADER_FRAGMENT, shader)._replace(targets=targets)
    return call._replace(state=state)


@pytest.mark.parametrize("seed", [1001, 1002])
def test_second_sources(seed: int) -> None:
    scene = random_scene(seed)
    calls = [_with_second_source(call) for call in scene.calls
             if isinstance(call, Call) and call.state.targets and call.state.targets[0].format]
    assert calls
    wrong = apart(scene._replace(calls=calls))
    assert not wrong, wrong
