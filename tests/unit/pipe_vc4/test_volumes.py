# SPDX-License-Identifier: MIT
"""3D textures, which the hardware has not: samples of their slices beside pipe_soft's. Where texels
meet, a last bit decides which one is nearest, and the TMU filters to 8 bits."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import pipe_soft
import pipe_vc4
from pydri.nir.enums import VERT_ATTRIB_COLOR0, VERT_ATTRIB_POS, VERT_ATTRIB_TEX0
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX
from pydri.pipe.resource import TARGET_2D, TARGET_3D
from pydri.pipe.sampler import SamplerState, SamplerView
from pydri.pipe.state import (
    PRIM_TRIANGLES,
    ColorTarget,
    DepthStencilAlpha,
    PipelineState,
    Rasterizer,
    VertexElement,
    stages_of,
)
from tests.unit.pipe_llvm.sample_rig import View
from tests.unit.pipe_soft.bench import SIZE, Bench, Call, Target, vertex_shader
from tests.unit.pipe_soft.random_textures import _Raw, texture_shader

COLOR = number("B8G8R8A8_UNORM")
SLOTS = (VERT_ATTRIB_POS, VERT_ATTRIB_COLOR0, VERT_ATTRIB_TEX0)
REPEAT, CLAMP, EDGE, BORDER, MIRROR, MIRROR_EDGE = 0x2901, 0x2900, 0x812F, 0x812D, 0x8370, 0x8743
NEAREST, LINEAR = 0x2600, 0x2601
LINEAR_MIPMAP_LINEAR, NEAREST_MIPMAP_NEAREST, NEAREST_MIPMAP_LINEAR = 0x2703, 0x2700, 0x2702
BORDER_COLOR = (0.9, 0.2, 0.6, 0.5)
PLACES = SIZE * SIZE // 200


def texture(format: str, state: SamplerState, swizzle: tuple[int, ...] = (0, 1, 2, 3),
            target: int = TARGET_3D) -> View:  # fmt: skip
    """8 x 6 x 5, or 8 x 6, random texels with three levels."""
    size = {"width": 8, "height": 6, "depth": 5 if target == TARGET_3D else 1}
    made = _Raw(np.random.default_rng(5), format, target, **size, last_level=2)
    native = made.resource.native
    ctypes.memmove(native.data, made.address, native.size)
    view = SamplerView(made.resource.address, made.fmt.number, target, 0, 2, 0, 0, swizzle)
    found = View(made, view, state, 0)
    found.native.data = native.data
    return found


def picture(create: Any, view: View, op: str, far: float) -> np.ndarray:
    """A quad whose texture coordinates go from -far to far."""
    bench = Bench(create, Target(COLOR, 0, 1, False), [view])
    bench.clear((0.0, 0.0, 0.0, 0.0), 1.0, 0)
    shaders = {SHADER_VERTEX: vertex_shader(SLOTS), SHADER_FRAGMENT: texture_shader([view], op)}
    floats = number("R32G32B32A32_FLOAT")
    state = PipelineState(
        stages_of(shaders), tuple(VertexElement(slot, floats) for slot in SLOTS),
        (ColorTarget(COLOR),), DepthStencilAlpha(), Rasterizer(), 0, PRIM_TRIANGLES,
    )  # fmt: skip
    corners = [(-1, -1), (1, -1), (-1, 1), (1, 1)]
    arrays = {
        VERT_ATTRIB_POS: np.array([[x, y, 0, 1] for x, y in corners], "f4"),
        VERT_ATTRIB_COLOR0: np.ones((4, 4), "f4"),
        VERT_ATTRIB_TEX0: np.array(
            [[x * far, y * far, (x + 0.4 * y) * far * 0.5, 1] for x, y in corners], "f4"),
    }  # fmt: skip
    dynamic = {
        "scissor_x0": 0, "scissor_y0": 0, "scissor_x1": SIZE, "scissor_y1": SIZE, "cull": 0,
        "viewport_scale": (SIZE / 2, SIZE / 2, 0.5, 1.0), "offset_flags": 0,
        "viewport_translate": (SIZE / 2, SIZE / 2, 0.5, 0.0),
    }  # fmt: skip
    bench.draw(Call(state, dynamic, arrays, 5, None, 4))
    found = bench.memory(bench.color)[:, 0].astype(int)
    bench.close()
    return found


CASES: dict[str, tuple[str, SamplerState, str, float]] = {
    "repeat": ("R8G8B8A8_UNORM", SamplerState(), "tex", 0.8),
    "linear": ("R8G8B8A8_UNORM", SamplerState((REPEAT,) * 3, LINEAR, LINEAR), "tex", 0.8),
    "edge": ("B5G6R5_UNORM", SamplerState((EDGE,) * 3, LINEAR, LINEAR), "tex", 0.9),
    "border": ("L8A8_UNORM", SamplerState((BORDER,) * 3, LINEAR, LINEAR, border=BORDER_COLOR),
               "tex", 0.9),
    "clamp": ("R8G8B8A8_UNORM", SamplerState((CLAMP,) * 3, LINEAR, LINEAR, border=BORDER_COLOR),
              "tex", 0.9),
    "clamp nearest": ("R8G8B8A8_UNORM", SamplerState((CLAMP,) * 3, border=BORDER_COLOR), "tex",
                      0.9),
    "mirrored": ("A8_UNORM", SamplerState((MIRROR, MIRROR_EDGE, MIRROR), LINEAR, LINEAR), "tex",
                 0.9),
    "levels": ("R8G8B8A8_UNORM", SamplerState((REPEAT,) * 3, LINEAR_MIPMAP_LINEAR, LINEAR), "tex",
               4.0),
    "nearest level": ("R8G8B8A8_UNORM", SamplerState((EDGE,) * 3, NEAREST_MIPMAP_NEAREST, LINEAR),
                      "txl", 0.6),
    "bias": ("R8G8B8A8_UNORM", SamplerState((REPEAT,) * 3, NEAREST_MIPMAP_LINEAR, LINEAR), "txb",
             0.6),
    "sampler's bias": ("R8G8B8A8_UNORM", SamplerState(
        (REPEAT,) * 3, NEAREST_MIPMAP_LINEAR, LINEAR, lod_bias=1.3), "tex", 0.6),
    "slopes": ("R8G8B8A8_UNORM", SamplerState((REPEAT,) * 3, LINEAR_MIPMAP_LINEAR, LINEAR), "txd",
               0.6),
    "projected": ("B4G4R4A4_UNORM", SamplerState((REPEAT,) * 3, NEAREST, LINEAR), "projected",
                  0.8),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_volume_is_sampled_as_pipe_soft_does(name: str) -> None:
    format, state, op, far = CASES[name]
    view = texture(format, state, (2, 1, 5, 0) if name == "repeat" else (0, 1, 2, 3))
    soft, ours = (picture(create, view, op, far)
                  for create in (pipe_soft.create_screen, pipe_vc4.create_screen))  # fmt: skip
    apart = np.abs(soft - ours).max(axis=1)
    assert (apart > 3).sum() <= PLACES, (name, np.percentile(apart, [50, 80, 90, 95, 99, 100]))
    assert len(np.unique(ours, axis=0)) > 8


@pytest.mark.parametrize("op", ["tex", "txb", "txl"])
def test_a_samplers_bias(op: str) -> None:
    """Of two dimensions: the hardware has none, so the shader adds it (GL 2.1, 3.8.8)."""
    found = []
    for bias in (0.0, 3.0):
        state = SamplerState((REPEAT,) * 3, NEAREST_MIPMAP_NEAREST, LINEAR, lod_bias=bias)
        view = texture("R8G8B8A8_UNORM", state, target=TARGET_2D)
        soft, ours = (picture(create, view, op, 0.8)
                      for create in (pipe_soft.create_screen, pipe_vc4.create_screen))  # fmt: skip
        assert (np.abs(soft - ours).max(axis=1) > 3).sum() <= 8 * PLACES
        found.append(ours)
    assert (found[0] != found[1]).any()


def test_without_a_texture_there_is_black() -> None:
    """The texture of an incomplete unit gives 0, 0, 0, 1 (GL 2.1, 3.8.10)."""
    view = texture("R8G8B8A8_UNORM", SamplerState())
    view.native.key = 0
    assert (picture(pipe_vc4.create_screen, view, "tex", 0.8) == [0, 0, 0, 255]).all()
