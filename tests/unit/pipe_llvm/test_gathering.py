# SPDX-License-Identifier: MIT
"""Four texels at once, and levels of detail, against numpy: bit by bit, at all vector widths."""

from __future__ import annotations

import numpy as np
import pytest

from pipe_soft.gather import gather
from pipe_soft.sample import Coords, query_lod
from pydri.pipe import resource as r
from pydri.pipe import sampler as s
from tests.unit.jit.harness import EACH_WIDTH
from tests.unit.pipe_llvm.sample_rig import F, Texture, View
from tests.unit.pipe_llvm.test_sampling import (
    BYTES,
    LINEAR,
    LINEAR_LINEAR,
    NEAREST,
    SHAPES,
    WRAPS,
    coords_of,
    state,
    view_of,
    wild,
)

TARGETS = (r.TARGET_2D, r.TARGET_RECT, r.TARGET_2D_ARRAY, r.TARGET_CUBE, r.TARGET_CUBE_ARRAY)
FORMATS = (BYTES, "B8G8R8X8_UNORM", "L8A8_UNORM", "R16G16_UNORM", "R32G32B32A32_FLOAT",
           "Z24X8_UNORM")  # fmt: skip


def same(found: np.ndarray, wanted: np.ndarray, about: object) -> None:
    equal = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    if not equal.all():
        where = tuple(np.argwhere(~equal)[0])
        raise AssertionError(
            f"{about}\n{(~equal).sum()} of {equal.size} differ; first {where}: "
            f"{found[where[:2]]!r}, not {wanted[where[:2]]!r}"
        )


def check(view: View, coords: Coords, component: int, moves: tuple[int, ...] = ()) -> None:
    how = component << s.GATHER_SHIFT | s.moves(moves)
    found = view.sample(coords, how, s.WAY_GATHER)
    asked = coords._replace(moves=moves)
    wanted = gather(view.tex.soft(view.view, view.state), view.state, asked, component)
    same(found, wanted, (view.key, component, moves))


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("high", (NEAREST, LINEAR))
def test_wraps(width: int, wrap: int, high: int) -> None:
    """All wrap modes, whatever the filters are; borders, offsets, coordinates that are no numbers.
    """
    rng = np.random.default_rng(wrap)
    for size in ((1, 1), (5, 3), (64, 16)):
        tex = Texture(rng, BYTES, r.TARGET_2D, *size)
        view = view_of(tex, width, state(wrap, high, high, border=(0.3, 0.9, 0.1, 0.7)))
        for component in range(4):
            check(view, coords_of(rng, tex, 16), component)
        check(view, coords_of(rng, tex, 3), 1, (-3, 7))
        check(view, wild(rng, 16), 0)


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("format", FORMATS)
def test_targets_and_formats(width: int, target: int, format: str) -> None:
    """Swizzles choose what the component is; cubes with faces that are neighbours, and without."""
    rng = np.random.default_rng(target)
    shape = SHAPES.get(target, {"width": 20, "height": 9})
    tex = Texture(rng, format, target, **shape)
    cube = target in (r.TARGET_CUBE, r.TARGET_CUBE_ARRAY)
    for swizzle in ((0, 1, 2, 3), (2, 4, 5, 0)):
        for seamless in (False, True)[: 1 + cube]:
            how = state(s.GL_CLAMP_TO_EDGE, LINEAR, LINEAR, seamless=seamless)
            view = view_of(tex, width, how, swizzle=swizzle)
            coords = coords_of(rng, tex, 16)
            if cube:
                layer = rng.uniform(-1, 4, (16, 16)).astype(F)
                sides = (rng.normal(size=(16, 16)).astype(F) for _ in range(3))
                coords = Coords(*sides, layer=layer)
            for component in range(4):
                check(view, coords, component)


def test_a_mirror_turns_the_order() -> None:
    """By the specification's own words: texels' numbers are wrapped, not coordinates."""
    tex = Texture(np.random.default_rng(1), "R32_FLOAT", r.TARGET_2D, 4, 1)
    row = [float(value) for value in tex.levels[0][0, 0, :, 0]]
    at = np.full((1, 16), F(1.4))  # u - 1/2 = 5.1: texels 5 and 6, which are 2 and 1
    for wrap, wanted in ((s.GL_MIRRORED_REPEAT, (2, 1)), (s.GL_REPEAT, (1, 2)),
                         (s.GL_CLAMP_TO_EDGE, (3, 3))):  # fmt: skip
        view = view_of(tex, 512, state(wrap))
        found = view.sample(Coords(at, at * 0), 0, s.WAY_GATHER)[0, 0]
        assert found.tolist() == [row[wanted[0]], row[wanted[1]], row[wanted[1]], row[wanted[0]]]


@pytest.mark.parametrize("width", EACH_WIDTH)
@pytest.mark.parametrize("target", (r.TARGET_2D, *SHAPES))
def test_levels_of_detail(width: int, target: int) -> None:
    """With and without mipmaps, of nearest and mixed levels, biased, limited, anisotropic."""
    rng = np.random.default_rng(target)
    shape = SHAPES.get(target, {"width": 64, "height": 16, "last_level": 5})
    tex = Texture(rng, BYTES, target, **shape)
    for low in (NEAREST, LINEAR, 0x2700, 0x2701, 0x2702, LINEAR_LINEAR):
        limits = {"lod_bias": 0.7, "min_lod": 0.3, "max_lod": 2.6}
        for more in ({}, limits, {"max_anisotropy": 8.0}):
            if target == r.TARGET_RECT and low >= 0x2700:
                continue
            view = view_of(tex, width, state(s.GL_CLAMP_TO_EDGE, low, LINEAR, **more))
            coords = coords_of(rng, tex, 16)
            found = view.sample(coords, 0, s.WAY_LOD)
            wanted = query_lod(tex.soft(view.view, view.state), view.state, coords)
            same(found, wanted, (view.key, more))
