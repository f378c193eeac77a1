# SPDX-License-Identifier: MIT
"""Random vertex and fragment programs on both of our drivers: the same bits.

More seeds: `scripts/test --long --seed N tests/unit/pipe_soft`."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pipe_llvm
import pipe_soft
from pipe_llvm.fragment import batch as fs_batch
from pipe_llvm.sample.table import samplers
from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_COLOR, VARYING_SLOT_POS, VERT_ATTRIB_POS
from pydri.nir.ir import Shader
from pydri.pipe.format import number
from pydri.pipe.interface import PipeScreen
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX
from pydri.pipe.state import (
    PRIM_LINES,
    PRIM_POINTS,
    PRIM_TRIANGLES,
    ColorTarget,
    DepthStencilAlpha,
    Multisample,
    PipelineState,
    Rasterizer,
    ShaderRef,
    stages_of,
)
from tests import host
from tests.unit.pipe_llvm import sample_rig
from tests.unit.pipe_soft import random_shaders as programs
from tests.unit.pipe_soft.bench import (
    SIZE,
    Bench,
    Call,
    Scene,
    Target,
    random_call,
    random_dynamic,
    random_rasterizer,
    random_tests,
)
from tests.unit.pipe_soft.random_textures import random_texture
from tests.unit.pipe_soft.test_states import apart


@pytest.fixture(autouse=True)
def the_drivers_samplers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views have the functions that pipe_llvm has for all."""
    monkeypatch.setattr(sample_rig, "sampler", lambda key, _: (samplers().function(key), None))


FLOATS = number("R32G32B32A32_FLOAT")
SEEDS = range(2000, 2008)


def random_state(r: random.Random, target: Target, textures: list) -> PipelineState:
    """A state whose programs are random."""
    prim = r.choice([PRIM_POINTS, PRIM_LINES, *[PRIM_TRIANGLES] * 4])
    rast = random_rasterizer(r, prim, target.samples)._replace(
        poly_smooth=False, sprite_coords=0, line_smooth=False, point_smooth=False
    )
    point = rast.point_sprite
    seed, depth = r.randrange(1 << 30), r.random() < 0.3
    vertex = programs.vertex_shader(seed, textures[:1] if r.random() < 0.5 else [])
    fragment = programs.fragment_shader(seed + 1, textures, depth, point)
    targets = tuple(ColorTarget(FLOATS) for _ in range(programs.TARGETS))
    tests = random_tests(r)._replace(alpha_func=0)
    how = Multisample(True) if target.samples > 1 else Multisample()
    return PipelineState(
        stages_of({SHADER_VERTEX: vertex, SHADER_FRAGMENT: fragment}), programs.ELEMENTS,
        targets, tests, rast, target.zs, prim, target.samples, r.random() < 0.3, multisample=how,
    )  # fmt: skip


def random_scene(seed: int, states: int = 2) -> tuple[Scene, dict[int, np.ndarray]]:
    """The scene of a seed, and the memory of its uniform blocks."""
    r = random.Random(seed)
    zs = number("Z24_UNORM_S8_UINT") if r.random() < 0.8 else 0
    more = (FLOATS,) * (programs.TARGETS - 1)
    target = Target(FLOATS, zs, r.choice([1, 1, 1, 4]), False, more)
    textures = [random_texture(r) for _ in range(r.choice([0, 1, 2]))]
    blocks = programs.blocks(r)
    drawn = []
    for _ in range(states):
        state = random_state(r, target, textures)
        for _ in range(2):
            call = random_call(r, state)
            dynamic = random_dynamic(r, SIZE)
            for block, words in blocks.items():
                stages = (SHADER_VERTEX, SHADER_FRAGMENT) if block else (None,)
                for stage in stages:
                    dynamic[stage, f"const{block}"] = words.ctypes.data
                    dynamic[stage, f"const{block}_size"] = words.nbytes
            arrays = dict(call.arrays)
            for slot in programs.GENERIC:
                count = r.choice([1, len(arrays[VERT_ATTRIB_POS])])
                values = [[r.uniform(-0.5, 1.5) for _ in range(4)] for _ in range(count)]
                arrays[slot] = np.array(values, np.float32)
            drawn.append(Call(state, dynamic, arrays, *call[3:]))
    return Scene(target, textures, drawn), blocks


@pytest.mark.slow
@pytest.mark.parametrize("seed", host.seeds(SEEDS, fresh=200))
def test_both_drivers_run_the_same(seed: int) -> None:
    scene, blocks = random_scene(seed)
    wrong = apart(scene)
    assert not wrong, f"seed {seed}: {wrong}\n{scene}"
    assert blocks  # the draws read them


@pytest.mark.slow
@pytest.mark.parametrize("stamps", [2, 4])
@pytest.mark.parametrize("seed", host.seeds(range(2104, 2107), fresh=100))
def test_several_stamps_at_once(
    seed: int, stamps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs of all lengths as if they were long (fragment/wide.py); their names are not those
    that the other test gives them, so that no kernel of that is found."""
    monkeypatch.setattr(fs_batch, "stamps_a_step", lambda shader: stamps)
    monkeypatch.setattr(programs, "NAME", f"random {stamps}")
    test_both_drivers_run_the_same(seed)


def _fixed_scene(vertex: ShaderRef, fragment: ShaderRef) -> Scene:
    """Two triangles over everything, with one target and no depth buffer."""
    state = PipelineState(
        stages_of({SHADER_VERTEX: vertex, SHADER_FRAGMENT: fragment}), programs.ELEMENTS[:1],
        (ColorTarget(FLOATS),), DepthStencilAlpha(), Rasterizer(), 0, PRIM_TRIANGLES,
    )  # fmt: skip
    corners = np.array([[x, y, 0, 1] for x, y in ((-1, -1), (3, -1), (-1, 3))], np.float32)
    half = SIZE / 2
    dynamic = {
        "viewport_scale": (half, half, 0.5, 1.0), "viewport_translate": (half, half, 0.5, 0.0),
        "scissor_x1": SIZE, "scissor_y1": SIZE,
    }  # fmt: skip
    call = Call(state, dynamic, {VERT_ATTRIB_POS: corners}, 4, None, 3)
    return Scene(Target(FLOATS, 0, 1, False), [], [call])


def _position_alone() -> Shader:
    b = Builder(Shader("vertex"))
    b.store_output(b.load_input(VERT_ATTRIB_POS, 4), VARYING_SLOT_POS)
    return b.shader


def _uniform_color() -> Shader:
    """The vec4 of block 1 at a place that differs by column of pixels."""
    b = Builder(Shader("fragment"))
    column = b.iand(b.f2i(b.load_frag_coord().x), 1)
    color = b.load_ubo(1, b.ishl(column, 4), 4)
    b.store_output(color, FRAG_RESULT_COLOR)
    return b.shader


@pytest.mark.parametrize("create", [pipe_llvm.create_screen, pipe_soft.create_screen])
def test_a_draw_keeps_its_uniforms(create: Callable[[Any], PipeScreen]) -> None:
    """What becomes of block 1 behind a draw does not change that draw, which is not drawn yet."""
    vertex = ShaderRef(b"position", _position_alone, (VERT_ATTRIB_POS,), (VARYING_SLOT_POS,))
    fragment = ShaderRef(
        b"uniform color", _uniform_color, (), (FRAG_RESULT_COLOR,), uniform_range=(0, 32)
    )
    scene = _fixed_scene(vertex, fragment)
    bench = Bench(create, scene.target)
    words = np.arange(8, dtype=np.float32)
    bound = bench.dyn.stages[SHADER_FRAGMENT]
    bound.const1, bound.const1_size = words.ctypes.data, words.nbytes
    bench.context.finish = lambda finish=bench.context.finish: (words.fill(9.0), finish())
    (call,) = scene.calls
    assert isinstance(call, Call)
    bench.draw(call)
    found = bench.memory(bench.color).view(np.float32).reshape(SIZE, SIZE, 4)
    bench.close()
    assert (words == 9.0).all()
    assert (found[:, ::2] == np.arange(4)).all() and (found[:, 1::2] == np.arange(4, 8)).all()
