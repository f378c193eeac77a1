# SPDX-License-Identifier: MIT
"""State that passes put into shaders (pydri/nir/lower_*.py) draws what the driver itself draws:
alpha test, blending, logic operation, colour mask, two sides, sprites, user clip planes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import pipe_soft
from pydri.nir.builder import Builder
from pydri.nir.enums import (
    VARYING_SLOT_CLIP_DIST0 as CLIP_DIST,
)
from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_COLOR1,
    VERT_ATTRIB_POINT_SIZE,
    VERT_ATTRIB_POS,
    VERT_ATTRIB_TEX0,
)
from pydri.nir.gather_info import gather
from pydri.nir.ir import Shader
from pydri.nir.passes import run_pass
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX
from pydri.pipe.state import (
    PRIM_POINTS,
    PRIM_TRIANGLES,
    ColorTarget,
    DepthStencilAlpha,
    PipelineState,
    Rasterizer,
    RtBlend,
    ShaderRef,
    VertexElement,
    stages_of,
)
from tests.unit.pipe_soft.bench import (
    PLANES,
    SIZE,
    Bench,
    Call,
    Target,
    fragment_shader,
    random_dynamic,
    vertex_shader,
)

FORMAT = number("B8G8R8A8_UNORM")
SLOTS = (VERT_ATTRIB_POS, VERT_ATTRIB_COLOR0, VERT_ATTRIB_COLOR1, VERT_ATTRIB_TEX0,
         VERT_ATTRIB_POINT_SIZE)  # fmt: skip
POINTS = SLOTS[:2] + SLOTS[3:]


def _passed(ref: ShaderRef, name: str, **arguments: int) -> ShaderRef:
    """A shader after a pass."""

    def build() -> Shader:
        shader = ref.build()
        assert run_pass(shader, name, **arguments)
        return shader

    info = gather(build())
    key = ref.key + name.encode() + repr(sorted(arguments.items())).encode()
    return ref._replace(
        key=key, build=build, inputs=info.inputs, outputs=info.outputs,
        uses_discard=info.uses_discard,
    )  # fmt: skip


def _state(fragment: str = "color", prim: int = PRIM_TRIANGLES, **changes: Any) -> PipelineState:
    floats = number("R32G32B32A32_FLOAT")
    slots = SLOTS if prim == PRIM_TRIANGLES else POINTS
    shaders = {SHADER_VERTEX: vertex_shader(slots), SHADER_FRAGMENT: fragment_shader(fragment)}
    state = PipelineState(
        stages_of(shaders),
        tuple(VertexElement(slot, floats) for slot in slots), (ColorTarget(FORMAT),),
        DepthStencilAlpha(), Rasterizer(), 0, prim,
    )  # fmt: skip
    return state._replace(**changes)


def _drawn(state: PipelineState, seed: int = 1) -> np.ndarray:
    """Triangles that do not overlap, one draw after the other; twice, so that there is a colour."""
    rng = np.random.default_rng(seed)
    bench = Bench(pipe_soft.create_screen, Target(FORMAT, 0, 1, False))
    bench.clear((0.2, 0.4, 0.6, 0.8), 1.0, 0)
    dynamic = random_dynamic(random.Random(seed), SIZE)
    dynamic |= {"scissor_x0": 0, "scissor_y0": 0, "scissor_x1": SIZE, "scissor_y1": SIZE}
    dynamic |= {"alpha_ref": 0.4, "blend_color": (0.3, 0.7, 0.9, 0.6)}
    planes = bench.dyn.clip_planes
    for n in range(8):
        planes[n][:] = PLANES[n % len(PLANES)]
    points = state.prim == PRIM_POINTS
    for turn in (1, -1):
        places = np.array([[-0.9, -0.8 * turn], [0.9, -0.7 * turn], [0.1, 0.9 * turn]])
        arrays = {
            VERT_ATTRIB_POS: np.hstack([places, np.tile([0.1, 1.0], (3, 1))]),
            VERT_ATTRIB_COLOR0: rng.uniform(-0.1, 1.1, (3, 4)),
            VERT_ATTRIB_COLOR1: rng.uniform(0, 1, (3, 4)),
            VERT_ATTRIB_TEX0: rng.uniform(0, 1, (3, 4)),
            VERT_ATTRIB_POINT_SIZE: np.full((3, 4), 17.0),
        }
        wanted = {e.slot for e in state.elements}
        floats = {slot: a.astype("f4") for slot, a in arrays.items() if slot in wanted}
        bench.draw(Call(state, dynamic, floats, 0 if points else 4, None, 3))
    found = bench.memory(bench.color)
    bench.close()
    return found


def _same(plain: PipelineState, lowered: PipelineState, changed: bool = True) -> None:
    expected = _drawn(plain)
    assert (expected == _drawn(lowered)).all()
    if changed:  # the state does something in this scene
        assert (expected != _drawn(_state(prim=plain.prim))).any()


def _fragment(state: PipelineState, name: str, **arguments: int) -> PipelineState:
    ref = _passed(state.shader(SHADER_FRAGMENT), name, **arguments)
    return state.with_shader(SHADER_FRAGMENT, ref)


@pytest.mark.parametrize("func", range(0x200, 0x207))
def test_alpha_test(func: int) -> None:
    plain = _state(dsa=DepthStencilAlpha(alpha_func=func))
    _same(plain, _fragment(_state(), "lower_alpha_test", func=func, bits=8))


_FACTORS = (0, 1, *range(0x300, 0x309), 0x8001, 0x8002, 0x8003, 0x8004)


@pytest.mark.parametrize("seed", range(12))
def test_blending(seed: int) -> None:
    r = random.Random(seed)
    equations = (0x8006, 0x8007, 0x8008, 0x800A, 0x800B)
    row = [r.choice(equations), r.choice(_FACTORS), r.choice(_FACTORS)]
    row += [r.choice(equations), r.choice(_FACTORS[:-5]), r.choice(_FACTORS[:-5])]
    mask = r.choice((15, 15, r.randrange(1, 16)))
    names = ("rgb_func", "rgb_src", "rgb_dst", "alpha_func", "alpha_src", "alpha_dst")
    how = dict(zip(names, row)) | {"colormask": mask}
    plain = _state(targets=(ColorTarget(FORMAT, RtBlend(True, **how)),))
    _same(plain, _fragment(_state(), "lower_blend", enabled=1, **how))


@pytest.mark.parametrize("operation", range(0x1500, 0x1510))
def test_logic_operations(operation: int) -> None:
    plain = _state(targets=(ColorTarget(FORMAT, RtBlend(logicop=operation)),))
    lowered = _fragment(_state(), "lower_blend", logicop=operation)
    _same(plain, lowered, changed=operation != 0x1503)


def test_two_sides() -> None:
    plain = _state(rast=Rasterizer(twoside=True))
    _same(plain, _fragment(_state(), "lower_two_sided_color"))


def test_sprites() -> None:
    plain = _state("place", PRIM_POINTS, rast=Rasterizer(
        point_size_per_vertex=True, point_sprite=True, sprite_coords=1))  # fmt: skip
    lowered = _state("place", PRIM_POINTS, rast=Rasterizer(
        point_size_per_vertex=True, point_sprite=True))  # fmt: skip
    _same(plain, _fragment(lowered, "lower_point_sprites", coords=1))


@pytest.mark.parametrize("planes", [1, 2, 5, 7])
def test_user_clip_planes(planes: int) -> None:
    plain = _state(rast=Rasterizer(clip_planes=planes))
    lowered = _fragment(_state(), "lower_clip_planes", planes=planes)
    vertex = _passed(lowered.shader(SHADER_VERTEX), "lower_clip_planes", planes=planes)
    _same(plain, lowered.with_shader(SHADER_VERTEX, vertex))


def test_distances_that_a_shader_writes() -> None:
    """Fixed functions clip in eye space, and say so in gl_ClipDistance."""
    ref = vertex_shader(SLOTS)

    def build() -> Shader:
        shader = ref.build()
        b = Builder(shader)
        place = b.load_input(VERT_ATTRIB_POS, 4)
        b.store_output(b.vec(place.x + 0.3, 0.4 - place.y, place.x, place.w), CLIP_DIST)
        return shader

    own = ref._replace(key=b"own distances", build=build, outputs=(*ref.outputs, CLIP_DIST))
    plain = _state(rast=Rasterizer(clip_planes=3)).with_shader(SHADER_VERTEX, own)
    lowered = _fragment(_state(), "lower_clip_planes", planes=3)
    vertex = _passed(own, "lower_clip_planes", planes=3)
    _same(plain, lowered.with_shader(SHADER_VERTEX, vertex))


