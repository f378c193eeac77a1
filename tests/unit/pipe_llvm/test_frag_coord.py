# SPDX-License-Identifier: MIT
"""Where a fragment lies: x, y, z and 1/w (GL 2.1, 3.11.1), whatever else a pipeline does."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pipe_llvm.native import LpPlan
from pydri.nir.builder import Builder
from pydri.nir.ir import Shader
from pydri.pipe import resource as r
from pydri.pipe.format import number
from pydri.pipe.native import CLEAR_COLOR
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.state import DepthStencilAlpha, ShaderInput, ShaderRef
from tests.unit.pipe_llvm.sample_rig import Texture
from tests.unit.pipe_llvm.test_render_to_texture import Rendering
from tests.unit.pipe_llvm.test_textured import BYTES, bound, view_of

SIZE = 64
FLOATS = "R32G32B32A32_FLOAT"


def alone(b: Builder) -> Any:
    return b.load_frag_coord()


def behind_a_texture(b: Builder) -> Any:
    texel = b.tex("tex", {"coord": b.load_frag_coord().xy})
    return b.load_frag_coord() + b.alu("fmin", texel, b.imm_float(0.0))


def in_a_late_branch(b: Builder) -> Any:
    """A node that waits for a texture, and reads place and input then."""
    texel = b.tex("tex", {"coord": b.load_frag_coord().xy})
    with b.If(texel.x > -1.0):
        one = b.load_frag_coord() + b.load_input(1, 4) * 0.0
    with b.Else():
        two = b.load_input(1, 4)
    return b.if_phi(one, two)


SHADERS: tuple[Callable[[Builder], Any], ...] = (alone, behind_a_texture, in_a_late_branch)


def shader(body: Callable[[Builder], Any], interp: str) -> ShaderRef:
    def build() -> Shader:
        b = Builder(Shader("fragment"))
        b.store_output(body(b), 2, 15)
        return b.shader

    key = f"place {body.__name__} {interp}".encode()
    inputs = (ShaderInput(1, 4, interp),)
    return ShaderRef(key, build, inputs, (2,), textures=int(body is not alone), uses_position=True)


@pytest.mark.parametrize("interp", ["flat", "smooth"])
@pytest.mark.parametrize("zs", ["", "Z24X8_UNORM"])
@pytest.mark.parametrize("body", SHADERS)
def test_place_of_fragments(body: Any, zs: str, interp: str) -> None:
    """Planes of z and 1/w, with and without a depth test and perspective inputs."""
    bench = Rendering(SIZE, SIZE, FLOATS, zs)
    texture = PipeResource.create(
        r.TARGET_2D, number(FLOATS), SIZE, SIZE, bind=r.BIND_SAMPLED | r.BIND_RENDER
    )
    bench.attach(texture)
    bound(bench, [view_of(Texture(np.random.default_rng(1), BYTES, r.TARGET_2D, 4, 4))])
    dsa = DepthStencilAlpha(0x201, True) if zs else DepthStencilAlpha()
    plan = bench.plan(fs=shader(body, interp), dsa=dsa)
    LpPlan.view(plan).fragment.views = int(body is not alone)
    bench.clear()

    def z(x: Any, y: Any) -> Any:
        return 0.1 + x / 256 + y / 512

    def w(x: Any, y: Any) -> Any:
        return 0.5 + x / 128 - y / 256

    corners = ((0, 0), (128, 0), (0, 128))
    bench.triangles(plan, [[[x, y, z(x, y), w(x, y), 1, 2, 3, 4] for x, y in corners]])
    found = bench.whole(texture, 0, 0)[:-1, :-1].copy().view(np.float32)
    y, x = np.mgrid[0:SIZE, 0:SIZE] + 0.5
    assert np.array_equal(found[..., 0], x) and np.array_equal(found[..., 1], y)
    assert np.abs(found[..., 2] - z(x, y)).max() < 1e-6
    assert np.abs(found[..., 3] - w(x, y)).max() < 1e-6


def test_place_with_several_samples_is_the_centres() -> None:
    bench = Rendering(SIZE, SIZE, "B8G8R8A8_UNORM", "Z24X8_UNORM", samples=4)
    plan = bench.plan(fs=shader(alone, "flat"))
    values = (ctypes.c_float * 4)()
    bench.cx.clear(bench.dyn_address, CLEAR_COLOR | 2, ctypes.addressof(values), 1.0, 0, -1, 255)
    corners = ((0, 0), (128, 0), (0, 128))
    bench.triangles(plan, [[[x, y, x / 128, 0.25, 1, 1, 1, 1] for x, y in corners]])
    x = np.arange(SIZE) + 0.5
    pixels = bench.pixels()
    assert np.array_equal(pixels[5, :, 2], np.rint(x / 128 * 255))
    assert (pixels[..., 3] == 64).all()
