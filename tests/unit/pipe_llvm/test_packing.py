# SPDX-License-Identifier: MIT
"""Batches whose quads lie side by side draw what single stamps do, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pipe_llvm.fragment import batch as fs_batch
from pipe_llvm.fragment.batch import BatchFragmentBuilder
from pipe_llvm.fragment.kernel import FragmentBuilder
from pipe_llvm.fragment.sample_batch import SampleBatchBuilder
from pipe_llvm.fragment.samples import SampleFragmentBuilder
from pydri.nir.builder import Builder
from pydri.pipe.state import DepthStencilAlpha, Rasterizer, RtBlend, ShaderInput
from tests.unit.pipe_llvm.sample_rig import View
from tests.unit.pipe_llvm.test_textured import drawn, scene, shader_of, views

__all__ = ["views"]  # a fixture


def sloping(b: Builder) -> Any:
    """Derivatives, of which each quad needs its own neighbours, behind texels and before them."""
    coord = b.load_input(1, 4)
    texel = b.tex("tex", {"coord": coord.xy})
    slope = b.fddx(coord.x) * 9.0 + b.fddy(texel.y)
    return b.vec(texel.x, slope, b.fabs(b.fddx(texel.z)), coord.w)


def facing(b: Builder) -> Any:
    """The face of triangles, which the quads of a step do not share."""
    color = b.load_input(1, 4) * 0.5
    with b.If(b.load_front_face()):
        one = color + 0.25
    with b.Else():
        two = color.wzyx
    return b.if_phi(one, two)


def placed(b: Builder) -> Any:
    """Where a fragment lies, and loops out of which lanes go one by one."""
    place, total = b.load_frag_coord(), b.load_input(1, 4)
    for n in range(3):
        total = total + b.fsin(place.yxzw * 0.1 * (n + 1)) * 0.2
    return total


def killing(b: Builder) -> Any:
    """Pixels that go before and behind a texel."""
    coord = b.load_input(1, 4)
    b.discard_if(coord.x < 0.2)
    texel = b.tex("tex", {"coord": coord.xy})
    b.discard_if(texel.y < 0.3)
    return texel + b.fddx(texel)


BODIES = (sloping, facing, placed, killing)
STATES: dict[str, dict[str, Any]] = {
    "plain": {},
    "blend": {"blend": RtBlend(True, rgb_src=0x302, rgb_dst=0x303)},
    "depth": {"dsa": DepthStencilAlpha(depth_func=0x201, depth_write=True)},
    "alpha": {"dsa": DepthStencilAlpha(depth_func=0x203, depth_write=True, alpha_func=0x204)},
}


def mesh(rng: np.random.Generator) -> np.ndarray:
    """Triangles of a pixel or two in both directions, half of them in perspective, between such
    that fill whole stamps."""
    large = scene(rng, 12).reshape(-1, 3, 8)
    small = []
    for n in range(400):
        middle, reach = rng.uniform(2, 126, 2), rng.uniform(0.5, 4)
        rows = np.ones((3, 8))
        rows[:, :2] = middle + rng.uniform(-reach, reach, (3, 2))
        rows[:, 2] = rng.uniform(0, 1, 3)
        rows[:, 3] = rng.uniform(0.5, 2, 3) if n % 2 else 1
        rows[:, 4:] = rng.uniform(-1, 2, (3, 4))
        small.append(rows)
    return np.concatenate([small[:150], large, small[150:]])


def named(kind: type, name: str) -> type:
    """A class of kernels by another name, so that the cache does not mix them up."""
    return type(name, (kind,), {})


@pytest.mark.parametrize("how", STATES)
@pytest.mark.parametrize(("stamps", "samples"), [(2, 1), (4, 1), (1, 4), (4, 4)])
@pytest.mark.parametrize("body", BODIES)
def test_quads_side_by_side(
    body: Callable[[Builder], Any], stamps: int, samples: int, how: str, views: list[View],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Small triangles share a batch's stamps with large ones, whose stamps stay whole."""
    kinds: tuple[type, type] = (
        (SampleBatchBuilder, SampleFragmentBuilder) if samples > 1
        else (BatchFragmentBuilder, FragmentBuilder)
    )  # fmt: skip
    monkeypatch.setenv("PYDRI_TIERS", "best")
    monkeypatch.setattr(fs_batch, "stamps_a_step", lambda shader: stamps)
    uses = {"uses_discard": body is killing, "uses_position": body is placed}
    fs = shader_of(body, int(body in (sloping, killing)), **uses)
    vertices, state = mesh(np.random.default_rng(11)), STATES[how]
    packed, single = named(kinds[0], f"Packed{stamps}"), named(kinds[1], "Single")
    found, wanted = (drawn(views, fs, vertices, state, b, samples) for b in (packed, single))
    assert all((a == b).all() for a, b in zip(found, wanted, strict=True))
    assert len(np.unique(found[0])) > 100


@pytest.mark.parametrize("clamp", [False, True])
@pytest.mark.parametrize("kind", ["flat", "noperspective", "smooth"])
def test_inputs_of_all_kinds(
    kind: str, clamp: bool, views: list[View], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is computed for quads of several triangles at once is what their stamps have."""
    monkeypatch.setenv("PYDRI_TIERS", "best")
    monkeypatch.setattr(fs_batch, "stamps_a_step", lambda shader: 4)
    fs = shader_of(placed, 0, uses_position=True)
    fs = fs._replace(key=fs.key + kind.encode(), inputs=(ShaderInput(1, 4, kind),))
    state: dict[str, Any] = {"rast": Rasterizer(depth_clamp=clamp)}
    vertices = mesh(np.random.default_rng(12))
    packed, single = named(BatchFragmentBuilder, "Packed4"), named(FragmentBuilder, "Single")
    found, wanted = (drawn(views, fs, vertices, state, b) for b in (packed, single))
    assert all((a == b).all() for a, b in zip(found, wanted, strict=True))
