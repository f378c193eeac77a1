# SPDX-License-Identifier: MIT
"""Which states have fragment kernels of their own."""

from __future__ import annotations

from pipe_llvm.recipe import fragment_module, recipe
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX
from pydri.pipe.state import (
    PRIM_TRIANGLES,
    ColorTarget,
    DepthStencilAlpha,
    PipelineState,
    Rasterizer,
    RtBlend,
    stages_of,
)
from tests.unit.pipe_llvm.harness import COLOR


def key_of(**more: object) -> bytes:
    """The key of the fragment kernel of triangles with a rasterizer's state."""
    target = ColorTarget(number("B8G8R8A8_UNORM"), RtBlend())
    rast = Rasterizer()._replace(**more)
    state = PipelineState(
        stages_of({SHADER_VERTEX: COLOR, SHADER_FRAGMENT: COLOR}), (), (target,),
        DepthStencilAlpha(), rast, 0, PRIM_TRIANGLES,
    )  # fmt: skip
    return fragment_module(recipe(state).fragment).key


def test_where_vertices_keep_their_values_is_no_fragment_kernels_business() -> None:
    plain = key_of()
    for more in ({"clip_planes": 1}, {"clip_planes": 5, "twoside": True}):
        assert key_of(**more) == plain, more
    assert key_of(flatshade=True) != plain and key_of(depth_clamp=True) != plain
