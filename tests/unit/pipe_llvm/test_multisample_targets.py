# SPDX-License-Identifier: MIT
"""Resources with four samples a pixel as targets, of all formats, and resolved by a blit: the
judge is pipe_soft, which resolves the same memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from pipe_soft import blit as soft
from pipe_soft.memory import Image
from pydri.pipe import resource as r
from pydri.pipe.format import FORMATS, TARGET, ZS_FORMATS, number
from pydri.pipe.native import CLEAR_COLOR0, CLEAR_DEPTH, CLEAR_STENCIL, BlitInfo, Surface
from pydri.pipe.pipe_resource import PipeResource
from pydri.pipe.state import ColorTarget, DepthStencilAlpha, StencilSide
from tests.unit.pipe_llvm.harness import Bench
from tests.unit.pipe_llvm.test_raster import random_triangles
from tests.unit.pipe_llvm.test_render_to_texture import Rendering

WIDTH, HEIGHT = 90, 70


def resource(name: str, samples: int, sampled: bool = False) -> PipeResource:
    bind = r.BIND_DEPTH if FORMATS[number(name)].kind == "zs" else r.BIND_RENDER
    return PipeResource.create(
        r.TARGET_2D, number(name), WIDTH, HEIGHT, samples=samples,
        bind=bind | (r.BIND_SAMPLED if sampled else 0),
    )  # fmt: skip


def surface_of(bench: Any, held: PipeResource) -> Any:
    memory = (ctypes.c_ubyte * (Surface.size + 64))()
    surface = Surface.view((ctypes.addressof(memory) + 63) & ~63)
    bench.kept = [*getattr(bench, "kept", []), memory, held]
    bench.screen.surface_view(surface, held.address)
    return surface


def blit_info(src: Any, dst: Any, mask: int) -> Any:
    info = BlitInfo.ctype()()
    info.src, info.dst = ctypes.addressof(src), ctypes.addressof(dst)
    box = (0, 0, WIDTH, HEIGHT)
    info.src_box[:], info.dst_box[:], info.scissor[:], info.mask = box, box, box, mask
    return info


def shapes(seed: int) -> Any:
    tri = random_triangles(40, 90, seed, 40.0)
    rng = np.random.default_rng(seed)
    tri[:, :, 2] = rng.random((40, 3))
    tri[:, :, 4:8] = rng.random((40, 1, 4))
    return tri


@pytest.mark.parametrize(
    "name",
    ["R8G8B8A8_UNORM", "B5G6R5_UNORM", "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT", "R16_UNORM",
     "R11G11B10_FLOAT", "R8G8B8A8_SNORM", "R8_UNORM", "R32G32_FLOAT", "B10G10R10A2_UNORM"],
)  # fmt: skip
def test_colours_are_resolved_by_a_blit(name: str) -> None:
    """Drawn over a clear with four samples; averaged within one recording."""
    assert FORMATS[number(name)].uses & TARGET
    bench = Rendering(WIDTH, HEIGHT, name, "Z24_UNORM_S8_UINT", samples=4)
    four = resource(name, 4)
    assert four.native.flags & r.FLAG_STAMPS
    bench.attach(four)
    source = Surface.view(bench.dyn.fb.cbuf)
    one, judged = (surface_of(bench, resource(name, 1, True)) for _ in range(2))
    bench.clear((0.25, 0.5, 0.75, 1.0), 1.0)
    bench.triangles(bench.plan(dsa=DepthStencilAlpha(0x201, True)), shapes(1))
    info = blit_info(source, one, CLEAR_COLOR0)
    bench.cx.blit(ctypes.addressof(info))
    bench.cx.finish()
    info.dst = ctypes.addressof(judged)
    soft.blit(info)
    places = Image(one).box(0, 0, WIDTH, HEIGHT)
    texels = Image(one).texels[places]
    assert np.array_equal(texels, Image(judged).texels[places])
    assert len(np.unique(texels[:, 0], axis=0)) > 50


@pytest.mark.parametrize("name", [f.name for f in ZS_FORMATS])
def test_depth_and_stencil_with_four_samples(name: str) -> None:
    """The same depths as the driver's own surfaces hold; sample 0 is what a blit gives."""
    side = StencilSide(0x207, 0x1E00, 0x1E00, 0x8507)
    usual = Bench(WIDTH, HEIGHT, depth=name, samples=4)
    bench = Rendering(WIDTH, HEIGHT, depth=name, samples=4)
    bench.attach(resource(name, 4))
    source = Surface.view(bench.dyn.fb.zsbuf)
    for b in (usual, bench):
        b.clear((0, 0, 0, 0), 0.9, 7)
        b.triangles(b.plan(dsa=DepthStencilAlpha(0x201, True, side)), shapes(2))
        b.dyn.scissor_x0, b.dyn.scissor_y0 = 33, 21
        b.clear(depth=0.25, stencil=0x55, buffers=CLEAR_DEPTH | CLEAR_STENCIL, stencil_mask=0x0F)
        b.dyn.scissor_x0 = b.dyn.scissor_y0 = 0
    one = surface_of(bench, resource(name, 1, True))
    info = blit_info(source, one, CLEAR_DEPTH | CLEAR_STENCIL)
    bench.cx.blit(ctypes.addressof(info))
    bench.cx.finish()
    image = Image(source)
    places = image.box(0, 0, WIDTH, HEIGHT)
    for s in range(4):
        words = image.words[places[:, s]].reshape(HEIGHT, WIDTH)
        assert np.array_equal(words, usual.depth_words(s))
    single = Image(one)
    found = single.words[single.box(0, 0, WIDTH, HEIGHT)].reshape(HEIGHT, WIDTH)
    assert np.array_equal(found, usual.depth_words(0))
    assert len(np.unique(found)) > (2 if name == "S8_UINT" else 50)


def test_several_targets_with_samples() -> None:
    """Two formats at once, drawn and resolved each."""
    names = ("R8G8B8A8_UNORM", "R16G16_FLOAT")
    bench = Rendering(WIDTH, HEIGHT, names[0], "", samples=4, others=(names[1],))
    fours = [resource(name, 4) for name in names]
    second = bench.attach(fours[1])
    bench.dyn.fb.others[0] = ctypes.addressof(second)
    bench.attach(fours[0])
    bench.clear((0.5, 0.5, 0.5, 0.5))
    plan = bench.plan(targets=tuple(ColorTarget(number(name)) for name in names))
    bench.triangles(plan, shapes(3))
    sources = [Surface.view(bench.dyn.fb.cbuf), second]
    for name, source in zip(names, sources, strict=True):
        one, judged = (surface_of(bench, resource(name, 1)) for _ in range(2))
        info = blit_info(source, one, CLEAR_COLOR0)
        bench.cx.blit(ctypes.addressof(info))
        bench.cx.finish()
        info.dst = ctypes.addressof(judged)
        soft.blit(info)
        places = Image(one).box(0, 0, WIDTH, HEIGHT)
        texels = Image(one).texels[places]
        assert np.array_equal(texels, Image(judged).texels[places])
        assert len(np.unique(texels[:, 0], axis=0)) > 30
