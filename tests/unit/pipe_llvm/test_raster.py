# SPDX-License-Identifier: MIT
"""Coverage, interpolation, tests and blending of the rasteriser against numpy."""

from __future__ import annotations

import ctypes
import struct
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pydri.nir.builder import Builder
from pydri.pipe.native import CLEAR_COLOR
from pydri.pipe.state import DepthStencilAlpha, Rasterizer, RtBlend, StencilSide
from tests.unit.pipe_llvm.harness import Bench
from tests.unit.pipe_llvm.test_textured import shader_of

WHITE = (1, 1, 1, 1)


def coverage(
    tri: NDArray[Any], width: int, height: int, place: tuple[int, int] = (128, 128)
) -> NDArray[Any]:
    """Exact coverage by the fill rule, on positions snapped to 1/256, in Python integers
    (y-flipped window: the bottom edge in memory is the top edge of the window). `place` within the
    pixel, in 1/256.
    """
    p = [(int(np.rint(x * 256)), int(np.rint(y * 256))) for x, y in tri[:, :2].astype(np.float32)]
    area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1])
    if area == 0:
        return np.zeros((height, width), bool)
    if area < 0:
        p[1], p[2] = p[2], p[1]
    ys, xs = np.mgrid[0:height, 0:width].astype(np.int64) * 256
    xs, ys = xs + place[0], ys + place[1]
    inside = np.ones((height, width), bool)
    for k in range(3):
        (xa, ya), (xb, yb) = p[k], p[(k + 1) % 3]
        dx, dy = ya - yb, xb - xa
        e = dx * (xs - xa) + dy * (ys - ya)
        owned = dx > 0 or (dx == 0 and dy < 0)
        inside &= (e >= 0) if owned else (e > 0)
    return inside


def random_triangles(n: int, size: int, seed: int, spread: float) -> NDArray[Any]:
    rng = np.random.default_rng(seed)
    out = np.zeros((n, 3, 8), np.float32)
    center = rng.random((n, 1, 2)) * size
    out[:, :, :2] = center + (rng.random((n, 3, 2)) - 0.5) * spread
    out[: n // 4, :, :2] = (
        np.rint(out[: n // 4, :, :2] * 2) / 2
    )  # corners on pixel centres and edges
    out[:, :, 2] = rng.random((n, 3))
    out[:, :, 3] = 1
    out[:, :, 4:] = rng.random((n, 3, 4))
    return out


@pytest.mark.parametrize("spread", [3.0, 20.0, 150.0, 5000.0])
def test_coverage_is_exact(spread: float) -> None:
    bench = Bench(150, 100)
    plan = bench.plan()
    for tri in random_triangles(40, 120, int(spread), spread):
        tri[:, 4:] = 1
        bench.clear()
        bench.triangles(plan, tri[None])
        got = bench.pixels()[:, :, 0] == 255
        assert np.array_equal(got, coverage(tri, 150, 100)), tri[:, :2]


@pytest.mark.parametrize("spread", [1.0, 4.0, 9.0, 14.0])
def test_coverage_of_many_small_triangles_is_exact(spread: float) -> None:
    """Small triangles are covered sixteen at a time: on the borders of tiles and of the scissor,
    too, beside larger ones, in their order."""
    bench = Bench(150, 100)
    plan = bench.plan()
    bench.dyn.scissor_x0, bench.dyn.scissor_x1 = 3, 141
    for seed in range(8):
        triangles = random_triangles(250, 150, 100 * seed + int(spread), spread)
        triangles[::9, :, :2] += (triangles[::9, :1, :2] - triangles[::9, :, :2]) * -9.0
        want = np.zeros((100, 150), np.uint8)
        for n, tri in enumerate(triangles):
            tri[:, 4:] = (n + 1) / 255
            want[coverage(tri, 150, 100)] = n + 1
        want[:, :3] = want[:, 141:] = 0
        bench.dyn.scissor_x0, bench.dyn.scissor_x1 = 0, 150
        bench.clear()
        bench.dyn.scissor_x0, bench.dyn.scissor_x1 = 3, 141
        bench.triangles(plan, triangles)
        assert np.array_equal(bench.pixels()[:, :, 0], want)


@pytest.mark.parametrize(
    ("axis", "edge", "out"), [(0, 0, -1), (0, 150, 1), (1, 0, -1), (1, 100, 1)]
)
def test_large_triangles_of_which_the_window_holds_a_corner(axis: int, edge: int, out: int) -> None:
    """Their boxes within the window are small, their edges are not: 16 bits would not hold them."""
    rng = np.random.default_rng(edge)
    triangles = random_triangles(64, 90, edge + axis, 30.0)
    triangles[:, 0, axis] = edge - out * rng.random(64) * 6.0
    triangles[:, 0, 1 - axis] = 20.0 + rng.random(64) * 60.0
    for k in (1, 2):
        triangles[:, k, :2] = triangles[:, 0, :2] + (rng.random((64, 2)) - 0.5) * 8.0
        triangles[:, k, axis] += out * (200.0 + rng.random(64) * 3000.0)
    bench = Bench(150, 100)
    plan = bench.plan()
    bench.clear()
    want = np.zeros((100, 150), np.uint8)
    for n, tri in enumerate(triangles):
        tri[:, 4:] = (n + 1) / 255
        want[coverage(tri, 150, 100)] = n + 1
    bench.triangles(plan, triangles)
    assert np.array_equal(bench.pixels()[:, :, 0], want)


@pytest.mark.parametrize("spread", [60.0, 300.0, 5000.0])
@pytest.mark.parametrize("depth", ["Z24_UNORM_S8_UINT", ""])
def test_covered_blocks_have_the_bits_of_their_stamps(spread: float, depth: str) -> None:
    """What a triangle covers wholly is drawn four by four stamps at a time, and counted so: as
    where the scissor leaves no such block, nearer or further in depth."""
    dsa = DepthStencilAlpha(0x201, True) if depth else DepthStencilAlpha()
    triangles = random_triangles(24, 150, int(spread) + 7, spread)
    triangles[:, :, 3] += triangles[:, :, 4]  # 1/w
    found = []
    for width, height in ((150, 100), (13, 100), (150, 14)):
        bench, counter = Bench(150, 100, depth=depth), ctypes.c_uint64(0)
        plan, dyn = bench.plan(dsa=dsa), bench.dyn
        bench.clear()
        dyn.occlusion_counter = ctypes.addressof(counter)
        for x in range(0, 150, width):
            for y in range(0, 100, height):
                dyn.scissor_x0, dyn.scissor_x1 = x, min(x + width, 150)
                dyn.scissor_y0, dyn.scissor_y1 = y, min(y + height, 100)
                bench.triangles(plan, triangles)
        words = [bench.raw()] + ([bench.depth_words()] if depth else [])
        found.append((counter.value, *(w.tobytes() for w in words)))
    assert len(set(found)) == 1
    if not depth:
        covered = sum(int(coverage(tri, 150, 100).sum()) for tri in triangles)
        assert found[0][0] == covered > 0


def test_shared_edges_are_drawn_once() -> None:
    """A fan of triangles around a point, blended additively, covers each pixel exactly once."""
    bench = Bench(64, 64)
    plan = bench.plan(RtBlend(True, 0x8006, 1, 1, 0x8006, 1, 1))
    rng = np.random.default_rng(5)
    for _ in range(10):
        center = rng.random(2) * 40 + 12
        angles = np.sort(rng.random(9) * 2 * np.pi)
        ring = np.stack([32 + 400 * np.cos(angles), 32 + 400 * np.sin(angles)], -1)
        tris = [
            [
                [*center, 0, 1, *[0.2] * 4],
                [*ring[k], 0, 1, *[0.2] * 4],
                [*ring[(k + 1) % 9], 0, 1, *[0.2] * 4],
            ]
            for k in range(9)
        ]
        gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
        if gaps.max() > 2.5:
            continue
        bench.clear()
        bench.triangles(plan, tris)
        assert (bench.pixels()[:, :, 0] == 51).all()


def test_scissor_cuts_exactly() -> None:
    bench = Bench(130, 90)
    plan = bench.plan()
    for box in ((3, 5, 100, 77), (64, 64, 65, 65), (0, 0, 130, 90), (63, 1, 129, 2)):
        bench.dyn.scissor_x0, bench.dyn.scissor_y0, bench.dyn.scissor_x1, bench.dyn.scissor_y1 = (
            0,
            0,
            130,
            90,
        )
        bench.clear()
        bench.dyn.scissor_x0, bench.dyn.scissor_y0, bench.dyn.scissor_x1, bench.dyn.scissor_y1 = box
        bench.quad(plan, WHITE, box=(-500, -500, 900, 900))
        want = np.zeros((90, 130), bool)
        want[box[1] : box[3], box[0] : box[2]] = True
        assert np.array_equal(bench.pixels()[:, :, 0] == 255, want)


def test_interpolation_is_perspective_correct() -> None:
    bench = Bench(64, 64)
    plan = bench.plan()
    tri = random_triangles(1, 64, 3, 60)[0]
    tri[:, :2] = [[0, 0], [128, 0], [0, 128]]
    tri[:, 3] = [1.0, 0.25, 0.5]
    bench.triangles(plan, tri[None])
    y, x = np.mgrid[0:64, 0:64] + 0.5
    w1, w2 = x / 128, y / 128
    bary = np.stack([1 - w1 - w2, w1, w2], -1)
    recip = bary @ tri[:, 3]
    want = (bary * tri[:, 3]) @ tri[:, 4:] / recip[:, :, None] * 255
    inside = coverage(tri, 64, 64)
    assert np.abs(bench.pixels()[inside] - want[inside]).max() <= 1


def test_inputs_that_differ_by_a_constant_stay_apart_by_it() -> None:
    """Their planes are rounded alike but for two sums: piglit's glsl-1.50, clip-distance-bulk-copy
    asks for a unit in the last place, which sums from the anchor on do not give."""

    def apart(b: Builder) -> Any:
        near = b.fabs(b.load_input(1, 4).y - (b.load_input(1, 4).x + 7.0)) < 1e-6
        return b.vec(b.b2f(near), 1.0, 1.0, 1.0)

    bench = Bench(250, 250)
    plan = bench.plan(fs=shader_of(apart, 0))
    corners = np.array([[0, 0, 1], [250, 0, 2], [250, 250, 3], [0, 250, 4]])
    rows = np.ones((4, 8), np.float32)
    rows[:, :2], rows[:, 2] = corners[:, :2], 0
    rows[:, 4], rows[:, 5] = corners[:, 2], corners[:, 2] + 7
    bench.triangles(plan, np.stack([rows[[0, 1, 2]], rows[[0, 2, 3]]]))
    assert (bench.pixels() == 255).all()


def test_flat_takes_the_last_vertex_and_two_sides_their_colours() -> None:
    bench = Bench()
    tri = [
        [
            [0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1],
            [64, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1],
            [0, 64, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1],
        ]
    ]
    bench.triangles(bench.plan(rast=Rasterizer(flatshade=True)), tri)
    assert bench.pixels()[1, 1].tolist() == [0, 0, 255, 255]
    bench.dyn.front_negative = 1  # the triangle's area is positive in memory: a back face
    bench.triangles(bench.plan(rast=Rasterizer(flatshade=True, twoside=True)), tri)
    assert bench.pixels()[1, 1].tolist() == [255, 255, 255, 255]


def test_culling() -> None:
    bench = Bench()
    plan = bench.plan()
    tri = np.array(
        [[[0, 0, 0, 1, 1, 1, 1, 1], [64, 0, 0, 1, 1, 1, 1, 1], [0, 64, 0, 1, 1, 1, 1, 1]]],
        np.float32,
    )
    for negative in (0, 1):
        for cull in range(4):
            for reverse in (False, True):
                bench.dyn.front_negative, bench.dyn.cull = negative, cull
                bench.clear()
                bench.triangles(plan, tri[:, ::-1] if reverse else tri)
                front = (negative == 1) == reverse
                want = not cull & (1 if front else 2)
                assert bool(bench.pixels().any()) == want


@pytest.mark.parametrize(
    "zs",
    [
        "Z16_UNORM",
        "Z24X8_UNORM",
        "Z24_UNORM_S8_UINT",
        "Z32_UNORM",
        "Z32_FLOAT",
        "Z32_FLOAT_S8X24_UINT",
    ],
)
def test_depth_formats(zs: str) -> None:
    bench = Bench(64, 64, depth=zs)
    plan = bench.plan(dsa=DepthStencilAlpha(0x201, True))
    bench.clear(depth=0.75, stencil=0x5A)
    for z, color in ((0.5, (1, 0, 0, 1)), (0.25, (0, 1, 0, 1)), (0.6, (0, 0, 1, 1)), (0.9, WHITE)):
        bench.quad(plan, color, z, (0, 0, 32, 64))
    px = bench.pixels()
    assert (px[:, :32] == [0, 255, 0, 255]).all()
    assert not px[:, 32:].any()
    words = bench.depth_words()
    bits = bench.zs_fmt.channels[0][1]
    for column, z in ((5, 0.25), (50, 0.75)):
        want = (
            struct.unpack("<I", struct.pack("<f", z))[0]
            if "FLOAT" in zs
            else round(z * ((1 << bits) - 1))
        )
        assert abs(int(words[9, column] & ((1 << bits) - 1)) - want) <= (1 if bits < 32 else 300)
    if "S8" in zs:
        assert (words >> bits == 0x5A).all()


@pytest.mark.parametrize("func", range(0x200, 0x208))
def test_depth_functions(func: int) -> None:
    bench = Bench()
    plan = bench.plan(dsa=DepthStencilAlpha(func, False))
    for z in (0.25, 0.5, 0.75):
        bench.clear(depth=0.5)
        bench.quad(plan, WHITE, z)
        passes = {
            0x200: False,
            0x201: z < 0.5,
            0x202: z == 0.5,
            0x203: z <= 0.5,
            0x204: z > 0.5,
            0x205: z != 0.5,
            0x206: z >= 0.5,
            0x207: True,
        }[func]
        assert bench.pixels()[7, 7, 0] == (255 if passes else 0)
        assert abs(int(bench.depth_words()[7, 7] & 0xFFFFFF) - 0x7FFFFF) <= 1


@pytest.mark.parametrize("op", [0, 0x1E00, 0x1E01, 0x1E02, 0x1E03, 0x150A, 0x8507, 0x8508])
def test_stencil_operations(op: int) -> None:
    bench = Bench()
    bench.dyn.stencil_ref[:] = [0x3C, 0x3C]
    results = {
        0: lambda s: 0,
        0x1E00: lambda s: s,
        0x1E01: lambda s: 0x3C,
        0x1E02: lambda s: min(255, s + 1),
        0x1E03: lambda s: max(0, s - 1),
        0x150A: lambda s: s ^ 255,
        0x8507: lambda s: (s + 1) & 255,
        0x8508: lambda s: (s - 1) & 255,
    }
    for start in (0, 1, 0x3C, 254, 255):
        for case, (side, z) in {
            "fail": (StencilSide(0x200, op), 0.2),
            "zfail": (StencilSide(0x207, 0, op), 0.9),
            "zpass": (StencilSide(0x207, 0, 0, op), 0.2),
        }.items():
            plan = bench.plan(dsa=DepthStencilAlpha(0x201, True, side))
            bench.dyn.stencil_writemask[0] = 0xF7
            bench.clear(depth=0.5, stencil=start)
            bench.quad(plan, WHITE, z, (0, 0, 20, 64))
            words = bench.depth_words() >> 24
            want = results[op](start) & 0xF7 | start & 8
            assert words[3, 3] == want, case
            assert words[3, 40] == start
            assert bench.pixels()[3, 3, 0] == (255 if case == "zpass" else 0)


FACTORS: dict[int, Any] = {
    0: lambda s, d, c: 0 * s,
    1: lambda s, d, c: 0 * s + 1,
    0x300: lambda s, d, c: s,
    0x301: lambda s, d, c: 1 - s,
    0x302: lambda s, d, c: 0 * s + s[3],
    0x303: lambda s, d, c: 0 * s + 1 - s[3],
    0x304: lambda s, d, c: 0 * s + d[3],
    0x305: lambda s, d, c: 0 * s + 1 - d[3],
    0x306: lambda s, d, c: d,
    0x307: lambda s, d, c: 1 - d,
    0x308: lambda s, d, c: np.array([*[min(s[3], 1 - d[3])] * 3, 1]),
    0x8001: lambda s, d, c: c,
    0x8002: lambda s, d, c: 1 - c,
    0x8003: lambda s, d, c: 0 * s + c[3],
    0x8004: lambda s, d, c: 0 * s + 1 - c[3],
}
SRC, DST, CONST = (
    np.array([0.8, 0.1, 0.45, 0.3]),
    np.array([0.2, 0.6, 1.0, 0.7]),
    np.array([0.25, 0.5, 0.9, 0.6]),
)


@pytest.mark.parametrize("factor", FACTORS)
def test_blend_factors(factor: int) -> None:
    bench = Bench()
    bench.dyn.blend_color[:] = list(CONST)
    for blend, want in (
        (
            RtBlend(True, 0x8006, factor, 0, 0x8006, factor, 0),
            SRC * FACTORS[factor](SRC, DST, CONST),
        ),
        (
            RtBlend(True, 0x8006, 1, factor, 0x8006, 1, factor),
            SRC + DST * FACTORS[factor](SRC, DST, CONST),
        ),
    ):
        bench.clear(DST)
        bench.quad(bench.plan(blend), SRC, box=(0, 0, 32, 64))
        px = bench.pixels()
        assert np.abs(px[5, 5] - np.clip(want, 0, 1) * 255).max() <= 1.01
        assert np.abs(px[5, 40] - DST * 255).max() <= 0.51


@pytest.mark.parametrize("equation", [0x8006, 0x8007, 0x8008, 0x800A, 0x800B])
def test_blend_equations(equation: int) -> None:
    bench = Bench()
    bench.clear(DST)
    bench.quad(bench.plan(RtBlend(True, equation, 1, 1, equation, 1, 1)), SRC)
    want = {
        0x8006: SRC + DST,
        0x8007: np.minimum(SRC, DST),
        0x8008: np.maximum(SRC, DST),
        0x800A: SRC - DST,
        0x800B: DST - SRC,
    }[equation]
    assert np.abs(bench.pixels()[5, 5] - np.clip(want, 0, 1) * 255).max() <= 1.01


@pytest.mark.parametrize("op", range(0x1500, 0x1510))
def test_logic_operations(op: int) -> None:
    bench = Bench()
    src, dst = 0b11001010, 0b10101100
    bench.clear([dst / 255] * 4)
    bench.quad(bench.plan(RtBlend(logicop=op)), [src / 255] * 4)
    want = {
        0x1500: 0,
        0x1501: src & dst,
        0x1502: src & ~dst,
        0x1503: src,
        0x1504: ~src & dst,
        0x1505: dst,
        0x1506: src ^ dst,
        0x1507: src | dst,
        0x1508: ~(src | dst),
        0x1509: ~(src ^ dst),
        0x150A: ~dst,
        0x150B: src | ~dst,
        0x150C: ~src,
        0x150D: ~src | dst,
        0x150E: ~(src & dst),
        0x150F: 255,
    }[op] & 255
    assert bench.pixels()[5, 5].tolist() == [want] * 4


@pytest.mark.parametrize("n", range(1, 510, 34))
def test_clears_round_as_draws_do(n: int) -> None:
    """Values half-way between two of eight bits among them."""
    bench = Bench()
    color = [n / 510] * 4
    bench.clear(color)
    cleared = bench.pixels()[5, 5].tolist()
    bench.quad(bench.plan(), color)
    assert bench.pixels()[5, 5].tolist() == cleared


@pytest.mark.parametrize("mask", range(16))
def test_colour_mask(mask: int) -> None:
    bench = Bench()
    bench.clear([0.2, 0.4, 0.6, 0.8])
    bench.quad(bench.plan(RtBlend(colormask=mask)), WHITE)
    assert bench.pixels()[5, 5].tolist() == [
        255 if mask >> n & 1 else (51, 102, 153, 204)[n] for n in range(4)
    ]
    bench.clear([0, 0, 0, 0], mask=mask, buffers=CLEAR_COLOR)
    assert bench.pixels()[5, 5].tolist() == [
        0 if mask >> n & 1 else (51, 102, 153, 204)[n] for n in range(4)
    ]


@pytest.mark.parametrize(
    "fmt",
    [
        "B8G8R8X8_UNORM",
        "R8G8B8A8_UNORM",
        "R8G8B8X8_UNORM",
        "B5G6R5_UNORM",
        "B5G5R5X1_UNORM",
        "B10G10R10A2_UNORM",
        "B10G10R10X2_UNORM",
    ],
)
def test_colour_formats(fmt: str) -> None:
    bench = Bench(70, 70, color=fmt)
    color = (0.25, 0.5, 0.75, 1.0)
    bench.clear(color)
    scale = [
        (1 << bench.fmt.channels[int(c)][1]) - 1 if c not in "zo" else 1 for c in bench.fmt.swizzle
    ]
    assert np.abs(bench.pixels()[69, 69] - np.array(color) * scale).max() <= 0.51
    bench.clear()
    bench.quad(bench.plan(), color)
    bench.quad(
        bench.plan(RtBlend(True, 0x8006, 0, 0x300, 0x8006, 0, 0x300)),
        (0.5,) * 4,
        box=(0, 0, 35, 70),
    )
    px = bench.pixels()
    assert np.abs(px[69, 69] - np.array(color) * scale).max() <= 0.51
    assert np.abs(px[3, 3][:3] - np.array(color)[:3] * 0.5 * scale[:3]).max() <= 1.01


@pytest.mark.parametrize("func", range(0x200, 0x208))
def test_alpha_test(func: int) -> None:
    bench = Bench()
    bench.dyn.alpha_ref = 0.5
    plan = bench.plan(dsa=DepthStencilAlpha(0x201, True, alpha_func=func))
    for a in (0.25, 0.5, 0.75):
        bench.clear(depth=1.0)
        bench.quad(plan, (1, 1, 1, a), 0.3)
        passes = {
            0x200: False,
            0x201: a < 0.5,
            0x202: a == 0.5,
            0x203: a <= 0.5,
            0x204: a > 0.5,
            0x205: a != 0.5,
            0x206: a >= 0.5,
            0x207: True,
        }[func]
        assert bench.pixels()[7, 7, 0] == (255 if passes else 0)
        assert (int(bench.depth_words()[7, 7] & 0xFFFFFF) < 0x800000) == passes


@pytest.mark.parametrize("func", range(0x201, 0x207))
def test_alpha_test_compares_fixed_point_numbers(func: int) -> None:
    """GL 2.1, 4.1.4: the reference and alpha are both rounded as the colour buffer's alpha is."""
    bench = Bench()
    bench.dyn.alpha_ref = 0.5  # 127.5 of 255, the byte 128
    plan = bench.plan(dsa=DepthStencilAlpha(alpha_func=func))
    for byte in (126.6, 127.4, 127.6, 128.4, 128.6):
        bench.clear()
        bench.quad(plan, (1, 1, 1, byte / 255), 0.3)
        number = round(byte)
        passes = {
            0x201: number < 128,
            0x202: number == 128,
            0x203: number <= 128,
            0x204: number > 128,
            0x205: number != 128,
            0x206: number >= 128,
        }[func]
        assert bench.pixels()[7, 7, 0] == (255 if passes else 0), byte


def test_polygon_offset() -> None:
    bench = Bench()
    plan = bench.plan(dsa=DepthStencilAlpha(0x201, True))
    bench.clear(depth=1.0)
    bench.dyn.offset_flags, bench.dyn.offset_units = 4, 100.0
    bench.quad(plan, WHITE, 0.5)
    assert abs(int(bench.depth_words()[7, 7] & 0xFFFFFF) - (0x7FFFFF + 200)) <= 2


@pytest.mark.parametrize("z", [0.0, 0.1, 0.25, 0.5, 0.7, 0.99])
def test_one_unit_of_offset_is_resolvable(z: float) -> None:
    """GL 2.1, 3.5.5: whatever the depth; half a step of fixed point would round either way."""
    seen = []
    for units in (-1, 0, 1, 2):
        bench = Bench()
        plan = bench.plan(dsa=DepthStencilAlpha(0x207, True))
        bench.dyn.offset_flags, bench.dyn.offset_units = 4, units
        bench.quad(plan, WHITE, z)
        seen.append(int(bench.depth_words()[7, 7] & 0xFFFFFF))
    assert seen[1] < seen[2] < seen[3] and (seen[0] < seen[1] or not z)


def test_partial_clears_keep_the_rest() -> None:
    bench = Bench(130, 130)
    bench.clear((1, 0, 0, 1), 0.5, 7)
    bench.dyn.scissor_x0, bench.dyn.scissor_y0, bench.dyn.scissor_x1, bench.dyn.scissor_y1 = (
        10,
        60,
        70,
        100,
    )
    bench.clear((0, 1, 0, 1), 0.25, 9, stencil_mask=0xF8)
    px, words = bench.pixels(), bench.depth_words()
    inside = np.zeros((130, 130), bool)
    inside[60:100, 10:70] = True
    assert (px[inside] == [0, 255, 0, 255]).all() and (px[~inside] == [255, 0, 0, 255]).all()
    assert (words[inside] >> 24 == 15).all() and (words[~inside] >> 24 == 7).all()
    assert (np.abs((words[inside] & 0xFFFFFF).astype(int) - 0x3FFFFF) <= 1).all()
    bench.clear((0, 0, 1, 1), buffers=2, depth=0.75)  # depth alone: stencil stays
    words = bench.depth_words()
    assert (words[inside] >> 24 == 15).all()


def _record(bench: Bench) -> None:
    smooth = bench.plan(dsa=DepthStencilAlpha(0x201, True))
    mixed = bench.plan(RtBlend(True, 0x8006, 0x302, 0x303, 0x8006, 1, 0))
    bench.clear((0.1, 0.2, 0.3, 1))
    for seed in range(6):
        tris = random_triangles(500, 300, seed, 20 + 60 * seed)
        tris[:, :, 3] = 0.2 + tris[:, :, 4]
        bench.triangles(mixed if seed & 1 else smooth, tris)


def _scene(threads: int) -> bytes:
    bench = Bench(300, 200, threads=threads)
    _record(bench)
    return bench.raw().tobytes() + bench.depth_words().tobytes()


def test_picture_does_not_depend_on_threads() -> None:
    alone = _scene(0)
    assert all(_scene(n) == alone for n in (1, 2, 4))


@pytest.mark.parametrize(("threads", "samples", "early"), [(0, 1, 0), (2, 1, 1), (2, 4, 0)])
def test_many_primitives_go_to_idle_threads_in_parts(
    threads: int, samples: int, early: int
) -> None:
    """Not where nobody is there to draw them, or where scenes cost more."""
    bench = Bench(300, 200, threads=threads, samples=samples)
    before = bench.cx.lp.pipe.submitted
    _record(bench)
    handed_over = bench.cx.lp.pipe.submitted - before
    assert handed_over >= 1 if early else handed_over == 0


def test_absurd_surfaces_are_refused() -> None:
    bench = Bench()
    for size in ((0, 5), (1 << 20, 4), (16384, 1 << 30)):
        with pytest.raises(MemoryError):
            bench.screen.surface_create(bench.zs, bench.zs_fmt.number, *size)


@pytest.mark.parametrize("zs", ["Z16_UNORM", "Z24_UNORM_S8_UINT", "Z32_UNORM"])
def test_depth_of_one_is_all_ones_and_leaves_stencil_alone(zs: str) -> None:
    bench = Bench(64, 64, depth=zs)
    bench.clear(depth=0.5, stencil=0x35)
    bench.quad(bench.plan(dsa=DepthStencilAlpha(0x207, True)), WHITE, 1.0)
    bits = bench.zs_fmt.channels[0][1]
    words = bench.depth_words().astype(np.uint64)
    assert (words & ((1 << bits) - 1) == (1 << bits) - 1).all()
    if "S8" in zs:
        assert (words >> bits == 0x35).all()
