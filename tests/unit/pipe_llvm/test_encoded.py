# SPDX-License-Identifier: MIT
"""Linear filters of sRGB-encoded textures (pipe_llvm/sample/encoded.py) against numpy, which
decodes with doubles: within a tenth of an encoded step, and the same bits at all vector widths."""

from __future__ import annotations

import numpy as np
import pytest

from pipe_soft.sample import Coords
from pydri.pipe import format_numpy
from pydri.pipe import resource as r
from pydri.pipe import sampler as s
from pydri.pipe.sampler import SamplerState
from tests.unit.pipe_llvm.sample_rig import F, Texture
from tests.unit.pipe_llvm.test_sampling import SHAPES, coords_of, directions, state, view_of

LINEAR, TRILINEAR = s.GL_LINEAR, 0x2703
WIDTHS = (128, 256, 512)
FORMATS = ("R8G8B8A8_SRGB", "B8G8R8X8_SRGB", "R8_SRGB", "L8A8_SRGB")


def steps(light: np.ndarray) -> np.ndarray:
    """Light as encoded numbers, not rounded."""
    return np.asarray(format_numpy.linear_to_srgb(light.astype(np.float64))) * 255


def check(tex: Texture, how: SamplerState, coords: Coords, bound: float = 0.1) -> None:
    """What each width finds is the same, and but for `bound` steps what numpy finds; alpha, which
    is not encoded, but for rounding (and what is more than a tenth of a step)."""
    views = [view_of(tex, width, how) for width in WIDTHS]
    found = [view.sample(coords) for view in views]
    for other in found[1:]:
        assert (other.view(np.uint32) == found[0].view(np.uint32)).all()
    wanted = views[0].judged(coords)
    assert np.abs(steps(found[0][..., :3]) - steps(wanted[..., :3])).max() <= bound
    assert np.abs(found[0][..., 3] - wanted[..., 3]).max() <= 2e-6 + (bound - 0.1) / 255


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("wrap", (s.GL_REPEAT, s.GL_CLAMP_TO_EDGE, s.GL_CLAMP_TO_BORDER))
def test_formats(format: str, wrap: int) -> None:
    """One level and two; where there are borders, which are not encoded, too."""
    rng = np.random.default_rng(1)
    tex = Texture(rng, format, r.TARGET_2D, 16, 13, last_level=4)
    how = state(wrap, TRILINEAR, LINEAR, border=(0.3, 0.02, 0.1, 0.7))
    for stamps in (1, 16, 16):
        check(tex, how, coords_of(rng, tex, stamps))


@pytest.mark.parametrize("target", set(SHAPES) - {r.TARGET_CUBE, r.TARGET_CUBE_ARRAY})
def test_targets(target: int) -> None:
    """1D has one row, 3D two slices."""
    rng = np.random.default_rng(2)
    tex = Texture(rng, FORMATS[0], target, **SHAPES[target])
    how = state(s.GL_CLAMP_TO_EDGE, LINEAR if target == r.TARGET_RECT else TRILINEAR, LINEAR)
    for stamps in (1, 16):
        check(tex, how, coords_of(rng, tex, stamps))


def test_seamless_cubes() -> None:
    """A corner's mean is a byte."""
    rng = np.random.default_rng(3)
    tex = Texture(rng, FORMATS[0], r.TARGET_CUBE, 8, 8, layers=6, last_level=2)
    how = state(s.GL_REPEAT, TRILINEAR, LINEAR, seamless=True)
    for spread in (0.01, 0.2):
        check(tex, how, directions(rng, 16, spread), bound=0.6)


def test_texels_themselves() -> None:
    """In the middle of a texel is that texel; black is zero and white one."""
    tex = Texture(np.random.default_rng(4), "R8_SRGB", r.TARGET_2D, 256, 16)
    texels = tex.levels[0].reshape(16, 16, 16)
    view = view_of(tex, WIDTHS[-1], state(low=LINEAR, high=LINEAR))
    x, y = (np.arange(16) + 0.5) / 256, (np.arange(16) + 0.5) / 16
    for column in range(16):
        s_, t = np.meshgrid(x + column / 16, y)
        coords = Coords(s_.astype(F), t.astype(F), np.zeros((16, 16), F))
        found, wanted = view.sample(coords)[..., 0], texels[:, column]
        assert np.abs(steps(found) - steps(wanted)).max() < 0.08
        ends = (wanted == 0.0) | (wanted == 1.0)
        assert ends.any() and (found[ends] == wanted[ends]).all()
