# SPDX-License-Identifier: MIT
"""Surfaces with four samples a pixel against numpy: coverage, depth, resolve, masks, clears."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from pipe_llvm.native import SAMPLE_POSITIONS, VARYING_SLOT_POINT_COVERAGE
from pydri.pipe.resource import BIND_DEPTH, BIND_RENDER, TARGET_2D
from pydri.pipe.state import (
    DepthStencilAlpha,
    Multisample,
    Rasterizer,
    RtBlend,
    ShaderInput,
    StencilSide,
)
from tests.unit.pipe_llvm.harness import COLOR, Bench
from tests.unit.pipe_llvm.test_raster import coverage, random_triangles

PLACES = SAMPLE_POSITIONS[4]
WHITE = (1.0, 1.0, 1.0, 1.0)


def black(bench: Bench) -> None:
    """Clear so that the memory, not a pending clear, holds it."""
    bench.clear()
    bench.quad(bench.plan(multisample=Multisample()), (0, 0, 0, 0))


@pytest.mark.parametrize("spread", [3.0, 20.0, 150.0, 5000.0])
def test_coverage_is_exact_at_each_sample(spread: float) -> None:
    bench = Bench(150, 100, samples=4)
    plan = bench.plan()
    for tri in random_triangles(40, 120, int(spread), spread):
        tri[:, 4:] = 1
        black(bench)
        bench.triangles(plan, tri[None])
        got = bench.sample_words() != 0
        for s, place in enumerate(PLACES):
            assert np.array_equal(got[s], coverage(tri, 150, 100, place)), (s, tri)
        mean = (255 * got.astype(int).sum(0) + 2) // 4
        assert np.array_equal(bench.pixels()[..., 0], mean)


def test_without_multisampling_the_centre_decides_for_all() -> None:
    bench = Bench(100, 70, samples=4)
    plan = bench.plan(multisample=Multisample())
    for tri in random_triangles(20, 80, 5, 60.0):
        tri[:, 4:] = 1
        black(bench)
        bench.triangles(plan, tri[None])
        got = bench.sample_words() != 0
        for s in range(4):
            assert np.array_equal(got[s], coverage(tri, 100, 70, (128, 128)))


def test_depth_is_that_of_the_sample() -> None:
    bench = Bench(64, 64, depth="Z32_FLOAT", samples=4)
    plan = bench.plan(dsa=DepthStencilAlpha(0x201, True))
    bench.clear()
    # z = x / 128 + y / 256
    corners = [(0, 0), (128, 0), (0, 128)]
    tri = [[x, y, x / 128 + y / 256, 1, *WHITE] for x, y in corners]
    bench.triangles(plan, [tri])
    ys, xs = np.mgrid[0:64, 0:64]
    for s, (px, py) in enumerate(PLACES):
        wanted = (xs + px / 256) / 128 + (ys + py / 256) / 256
        got = bench.depth_words(s).view(np.float32)
        assert np.abs(got - wanted).max() < 1e-6


def test_interpenetration_is_decided_by_sample() -> None:
    bench = Bench(64, 64, samples=4)
    plan = bench.plan(dsa=DepthStencilAlpha(0x201, True))
    bench.clear()
    bench.quad(plan, (0, 0, 1, 1), 0.5)
    # steep: crosses z = 0.5 at x = 32 exactly; nearer to the left
    tri = [[x, y, 0.5 + (x - 32) / 128, 1, 1, 0, 0, 1] for x, y in ((0, -64), (0, 128), (64, 32))]
    bench.triangles(plan, [tri])
    row = bench.pixels()[32]
    assert (row[:32, 0] == 255).all() and (row[32:, 2] == 255).all()
    tri = [[x, y, 0.5 + (x - 20.5) / 128, 1, 0, 1, 0, 1]
           for x, y in ((0, -64), (0, 128), (64, 32))]  # fmt: skip
    bench.clear()
    bench.quad(plan, (0, 0, 1, 1), 0.5)
    bench.triangles(plan, [tri])
    assert tuple(bench.pixels()[32, 20]) == (0, 128, 128, 255)  # two samples lie left of 20.5


def test_stencil_counts_samples() -> None:
    bench = Bench(32, 32, samples=4)
    side = StencilSide(0x207, 0x1E00, 0x1E00, 0x1E02)
    bench.clear()
    bench.quad(bench.plan(dsa=DepthStencilAlpha(stencil_front=side)), WHITE, box=(0, 0, 10.5, 32))
    values = [bench.depth_words(s)[5, 10] >> 24 for s in range(4)]
    assert values == [int(x < 128) for x, _ in PLACES]


def test_sample_mask() -> None:
    bench = Bench(32, 32, samples=4)
    black(bench)
    bench.dyn.sample_mask = 0b0101
    bench.quad(bench.plan(multisample=Multisample(True, mask=True)), WHITE)
    written = [bool((plane != 0).all()) for plane in bench.sample_words()]
    assert written == [True, False, True, False]
    assert (bench.pixels() == 128).all()


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.25, 0.26, 0.5, 0.6, 0.8, 1.0])
def test_alpha_to_coverage(alpha: float) -> None:
    bench = Bench(32, 32, samples=4)
    black(bench)
    plan = bench.plan(
        dsa=DepthStencilAlpha(0x201, True), multisample=Multisample(True, alpha_to_coverage=True)
    )
    bench.quad(plan, (1, 1, 1, alpha))
    count = sum(alpha > s / 4 for s in range(4))
    assert (bench.pixels()[..., 0] == (255 * count + 2) // 4).all()
    near = [(bench.depth_words(s) & 0xFFFFFF == 0xFFFFFF).all() for s in range(4)]
    assert near == [not alpha > s / 4 for s in range(4)]  # what is not covered keeps its depth


def test_alpha_to_one() -> None:
    bench = Bench(32, 32, samples=4)
    black(bench)
    plan = bench.plan(
        dsa=DepthStencilAlpha(alpha_func=0x204),
        multisample=Multisample(True, alpha_to_one=True, alpha_to_coverage=True),
    )
    bench.dyn.alpha_ref = 0.9  # the alpha test comes after it
    bench.quad(plan, (1, 0, 0, 0.5))
    assert tuple(bench.pixels()[3, 3]) == (128, 0, 0, 128)


def test_blending_is_each_samples_own() -> None:
    bench = Bench(32, 32, samples=4)
    black(bench)
    bench.quad(bench.plan(), (1, 0, 0, 1), box=(0, 0, 10.5, 32))
    add = bench.plan(blend=RtBlend(True, rgb_src=1, rgb_dst=1, alpha_src=1, alpha_dst=1))
    bench.quad(add, (0.5, 0, 0, 0.5))
    planes = bench.sample_words()[:, 3, 10] >> 16 & 255
    assert list(planes) == [255 if x < 128 else 128 for x, _ in PLACES]
    assert bench.pixels()[3, 10, 0] == (2 * 255 + 2 * 128 + 2) // 4


def test_clears_of_parts_reach_all_samples() -> None:
    bench = Bench(150, 100, samples=4)
    bench.clear((1, 0, 0, 1))
    bench.dyn.scissor_x0, bench.dyn.scissor_y0 = 11, 21
    bench.dyn.scissor_x1, bench.dyn.scissor_y1 = 99, 70
    bench.clear((0, 1, 0, 1), depth=0.0, stencil=7)
    pixels = bench.pixels()
    inside = np.zeros((100, 150), bool)
    inside[21:70, 11:99] = True
    assert (pixels[inside] == (0, 255, 0, 255)).all()
    assert (pixels[~inside] == (255, 0, 0, 255)).all()
    for s in range(4):
        words = bench.depth_words(s)
        assert (words[inside] == 7 << 24).all() and (words[~inside] == 0xFFFFFF).all()


@pytest.mark.parametrize(
    "color", ["B8G8R8A8_UNORM", "B8G8R8X8_UNORM", "B5G6R5_UNORM", "B10G10R10A2_UNORM"]
)
def test_resolve_rounds_to_nearest(color: str) -> None:
    bench = Bench(64, 64, color=color, samples=4)
    rng = np.random.default_rng(1)
    black(bench)
    for mask in (1, 2, 4, 8):
        bench.dyn.sample_mask = mask
        tri = random_triangles(30, 64, mask, 60.0)
        tri[:, :, 4:] = rng.random((30, 1, 4))
        bench.triangles(bench.plan(multisample=Multisample(True, mask=True)), tri)
    planes = bench.sample_words().astype(np.uint64)
    wanted, shift = np.zeros((64, 64), np.uint64), 0
    for _, bits in bench.fmt.channels:
        top = np.uint64((1 << bits) - 1)
        at = np.uint64(shift)
        total = sum((plane >> at) & top for plane in planes)
        wanted |= ((total + np.uint64(2)) // np.uint64(4)) << at
        shift += bits
    assert np.array_equal(bench.raw(), wanted)


def test_resolving_again_and_what_was_cleared_only() -> None:
    bench = Bench(150, 100, samples=4)
    for color in ((0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 0, 1)):
        bench.clear(color)
        bench.quad(bench.plan(), (1, 0, 0, 1), box=(3, 3, 10, 10))
        expected = np.broadcast_to(np.array(color) * 255, (100, 150, 4)).astype(int).copy()
        expected[3:10, 3:10] = (255, 0, 0, 255)
        assert np.array_equal(bench.pixels(), expected)
        assert np.array_equal(bench.pixels(), expected)
    bench.cx.flush()  # executed without anybody having asked for a resolve
    bench.quad(bench.plan(), (0, 0, 1, 1), box=(80, 80, 90, 90))
    bench.cx.finish()
    expected[80:90, 80:90] = (0, 0, 255, 255)
    assert np.array_equal(bench.pixels(), expected)
    bench.color.serial += 1  # another displaytarget: what is known of its tiles is not this one's
    ctypes.memset(bench.color.tile_state, 0, 4 * 6)
    ctypes.memset(bench.color.data, 0x55, bench.color.stride * 100)
    assert np.array_equal(bench.pixels(), expected)


def test_spread_is_the_reverse_of_resolve() -> None:
    bench = Bench(150, 100, samples=4)
    black(bench)
    tri = random_triangles(20, 120, 3, 80.0)
    bench.triangles(bench.plan(), tri)
    before = bench.raw()
    bench.screen.surface_spread(bench.color)
    assert all(np.array_equal(plane, before) for plane in bench.sample_words())
    bench.color.serial += 1
    assert np.array_equal(bench.raw(), before)


def test_threads_do_not_change_the_picture() -> None:
    pictures = []
    for threads in (0, 3):
        bench = Bench(400, 300, threads=threads, samples=4)
        bench.clear((0.2, 0.2, 0.2, 1))
        bench.triangles(bench.plan(dsa=DepthStencilAlpha(0x201, True)),
                        random_triangles(900, 350, 9, 90.0))  # fmt: skip
        pictures.append(bench.raw())
    assert np.array_equal(*pictures)


def test_absurd_sizes_are_refused() -> None:
    bench = Bench(8, 8)
    with pytest.raises(MemoryError):
        bench.screen.surface_create(bench.multi, bench.fmt.number, 16385, 8, 4)
    with pytest.raises(MemoryError):
        bench.screen.surface_create(bench.multi, bench.fmt.number, 16384, 16384, 4)
    assert not bench.screen.is_format_supported(bench.fmt.number, TARGET_2D, 3, BIND_RENDER)
    assert bench.screen.is_format_supported(bench.fmt.number, TARGET_2D, 4, BIND_RENDER)
    assert bench.screen.is_format_supported(bench.zs_fmt.number, TARGET_2D, 4, BIND_DEPTH)


def test_a_smooth_point_is_a_disc_by_sample() -> None:
    """GL 2.1, 3.3.3: the samples that lie in the circle; the alpha that is left comes with it."""
    bench = Bench(40, 40, samples=4)
    coverage = ShaderInput(VARYING_SLOT_POINT_COVERAGE, 4, "noperspective")
    fs = COLOR._replace(key=b"test disc", inputs=(*COLOR.inputs, coverage))
    plan = bench.plan(fs=fs, rast=Rasterizer(point_smooth=True))
    for x, y, radius in ((20.0, 20.0, 9.0), (17.3, 21.9, 4.25), (12.0, 12.5, 0.6)):
        corners = []
        for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            place = [x + sx * radius, y + sy * radius, 0.5, 1]
            corners.append([*place, *WHITE, 0, 0, 0, 0, sx, sy, 0, 1])
        black(bench)
        bench.triangles(plan, [corners[:3], [corners[0], *corners[2:]]])
        got = bench.sample_words() != 0
        for s, (px, py) in enumerate(PLACES):
            ys, xs = np.mgrid[0:40, 0:40]
            far = np.hypot(xs + px / 256 - x, ys + py / 256 - y) / radius
            clear = np.abs(far - 1) > 1e-3
            assert np.array_equal(got[s][clear], (far < 1)[clear])
