# SPDX-License-Identifier: MIT
"""A TextureView says everything that a lookup needs: what pipe_soft reads back from it gives the
numbers of the texture and the state that it was made of."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import numpy as np
import pytest

from pipe_llvm.sample.table import samplers
from pipe_soft import textures
from pipe_soft.sample import Coords, sample
from pydri.nir.ir import TexInstr
from pydri.pipe import resource as r
from pydri.pipe import sampler as s
from tests import host
from tests.unit.pipe_llvm import sample_rig
from tests.unit.pipe_llvm.sample_rig import F, Texture, View, planes
from tests.unit.pipe_llvm.test_sampling import (
    FORMATS,
    LINEAR,
    LINEAR_LINEAR,
    NEAREST,
    NEAREST_LINEAR,
    SHAPES,
    WRAPS,
    state,
    view_of,
)
from tests.unit.pipe_soft.random_textures import random_texture


@pytest.fixture(autouse=True)
def no_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here calls a sampler function, so none is compiled."""
    monkeypatch.setattr(sample_rig, "sampler", lambda key, width: (0, None))


def same(one: Any, other: Any) -> bool:
    return bool(((one == other) | (np.isnan(one) & np.isnan(other))).all())


def read_back(view: View, coords: Coords) -> Any:
    """What the view alone says."""
    texture = textures.texture_of(view.native, view.key)
    return sample(texture, textures.state_of(view.native, view.key), coords)


@pytest.mark.parametrize("format", FORMATS)
def test_formats(format: str) -> None:
    rng = np.random.default_rng(5)
    tex = Texture(rng, format, r.TARGET_2D, 16, 13, last_level=4)
    for wrap, low, high in (
        (s.GL_REPEAT, LINEAR_LINEAR, LINEAR),
        (s.GL_CLAMP_TO_BORDER, NEAREST_LINEAR, NEAREST),
    ):
        how = state(wrap, low, high, border=(0.3, 0.9, 0.1, 0.7))
        view = view_of(tex, 0, how, swizzle=(2, 1, 5, 0))
        coords = Coords(*planes(rng, 4, 3.0, (16, 13)))
        assert same(read_back(view, coords), view.judged(coords)), format


@pytest.mark.parametrize("target", SHAPES)
def test_targets_and_parts(target: int) -> None:
    rng = np.random.default_rng(target)
    tex = Texture(rng, "R8G8B8A8_UNORM", target, **SHAPES[target])
    for wrap in WRAPS[: 3 if target == r.TARGET_RECT else None]:
        view = view_of(tex, 0, state(wrap, LINEAR, NEAREST, border=(0.2, 0.5, 1.0, 0.0)))
        coords = Coords(*planes(rng, 4, 2.0, (8, 8, 3)), layer=np.ones((4, 16), F))
        assert same(read_back(view, coords), view.judged(coords)), wrap


def test_lanes_are_quads() -> None:
    """A `tex` of the interpreter's lanes, of which four are a quad, is the lookup of stamps; a
    projector divides."""
    rng = np.random.default_rng(9)
    tex = Texture(rng, "R8G8B8A8_UNORM", r.TARGET_2D, 32, 32, last_level=5)
    view = view_of(tex, 0, state(s.GL_REPEAT, LINEAR_LINEAR, LINEAR))
    coords = Coords(*planes(rng, 3, 4.0, (32, 32)))
    wanted = sample(*_parts(view), coords)
    order = [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]
    quads = np.stack([x[:, order].reshape(-1) for x in (coords.s, coords.t)])
    table = (ctypes.c_uint64 * 1)(view.address)
    found = textures.Textures(ctypes.addressof(table))
    half = np.full((1, quads.shape[1]), 0.5, F)
    for name, extra in (("plain", {}), ("projected", {"projector": half.view(np.uint32)})):
        given = quads * F(0.5) if extra else quads
        srcs = {"coord": given.view(np.uint32), **extra}
        out = found(TexInstr("tex", []), srcs).view(F)
        assert same(out.T.reshape(3, 16, 4), wanted[:, order]), name
    levels = found(TexInstr("query_levels", []), {})
    assert levels.tolist() == [[6]]
    lod = np.array([[0, 2, 9]], np.uint32)
    assert found(TexInstr("txs", []), {"lod": lod}).tolist() == [[32, 8, 1], [32, 8, 1]]


WILD = (np.nan, np.inf, -np.inf, 1e30, -1e30, 1e-40, -0.0, 1e18, -1e10, 1e5, 0.5, -0.3)


@pytest.mark.parametrize("seed", host.seeds(range(1, 9), fresh=300))
def test_random_views(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver's functions and numpy: every target, format and state, also where coordinates are
    no numbers. Numbers that are decoded from sRGB may be 1e-4 apart."""
    monkeypatch.setattr(sample_rig, "sampler", lambda key, _: (samplers().function(key), None))
    view, rng = random_texture(random.Random(seed)), np.random.default_rng(seed)
    texture, how = _parts(view)
    cube = texture.target in (r.TARGET_CUBE, r.TARGET_CUBE_ARRAY)

    def values(low: float, high: float) -> Any:
        usual = rng.uniform(low, high, (4, 16))
        return np.where(rng.random((4, 16)) < 0.2, rng.choice(WILD, (4, 16)), usual).astype(F)

    for lookup in range(4):
        place = [values(-1.5, 2.5) * F(8 if texture.target == r.TARGET_RECT else 1) for _ in "str"]
        rest = [values(-1, 6), values(-0.2, 1.2), values(-2, 6)]
        if texture.target in (r.TARGET_1D_ARRAY, r.TARGET_2D_ARRAY):
            place[texture.dims] = rest[0]
        slopes = [[values(-0.5, 0.5) for _ in range(3 if cube else texture.dims)] for _ in "xy"]
        with np.errstate(all="ignore"):
            found = view.sample(Coords(*place, *rest, *slopes), lookup)
            wanted = sample(texture, how, Coords(*place, *rest, *slopes), lookup)
        if view.native.one != 0x3F800000:  # whole numbers
            wanted[..., np.array(texture.swizzle) == s.SWIZZLE_ONE] = np.uint32(1).view(F)
            assert (found.view(np.uint32) == wanted.view(np.uint32)).all(), (view.key, view.state)
            continue
        alike = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
        alike |= view.tex.fmt.srgb & (np.abs(found - wanted) < 1e-4)
        assert alike.all(), (lookup, view.tex.fmt.name, view.key, view.state)


def _parts(view: View) -> tuple[Any, Any]:
    native = view.native
    return textures.texture_of(native, view.key), textures.state_of(native, view.key)
