# SPDX-License-Identifier: MIT
"""The simulator plays Mesa's jobs into llvmpipe's pictures, within a bound stated for each kind.

A bound is how many pixels may differ by more than 3 of 255 in some channel, and by how much any
pixel may differ. Without these files there is nothing to compare with, and no test here.
"""

from typing import NamedTuple

import numpy as np
import pytest

from pipe_vc4.simulator.play import play_files
from tests.unit.pipe_vc4.shared import SHARED, scene_files, scene_names


class Kind(NamedTuple):
    """A kind of scene: the bound, and where the difference comes from."""

    pixels: int
    largest: int
    why: str


KINDS = {
    "same": Kind(0, 2, "rounding of varyings and filters"),
    "edges": Kind(24, 255, "Mesa's vertices lie on 1/16 pixel (cut off), llvmpipe's on 1/256"),
    "points": Kind(60, 255, "llvmpipe rounds a point's size to whole pixels"),
    "filters": Kind(50, 5, "llvmpipe weighs texels in 8 bits; the shader multiplies what is left"),
    "levels": Kind(3000, 10, "llvmpipe's log2 is linear between powers of two"),
    "565": Kind(400, 9, "llvmpipe blends what is stored in 5 bits, the tile holds 8"),
    "fragcoord": Kind(3400, 8, "Mesa's shader takes x and y without half a pixel"),
    "wholes": Kind(8, 255, "fract of what is a whole number but for the last bit of 1/x"),
    "reference": Kind(128, 229, "Mesa's job has the stencil reference of the draw before"),
    "left out": Kind(4096, 255, "Mesa leaves the draw out of its job"),
}
EXCEPT = {
    "culling": "edges", "flat": "edges", "frontfacing": "edges", "gl-clip-planes": "edges",
    "gl-lighting": "edges", "gl-point-sprites": "points", "gl-two-sided-colour": "edges",
    "lines": "edges", "near-clip": "edges", "perspective": "edges",
    "stencil-two-sided": "edges", "texture-vertex": "edges", "vertex-loop": "edges",
    "texture-dependent": "filters", "pressure-unthreaded": "filters",
    "texture-trilinear": "levels", "target-565": "565", "fragcoord": "fragcoord",
    "math-roots": "wholes", "stencil-operations": "reference", "pressure-no-room": "left out",
}  # fmt: skip
#: Always played: what each part of the simulator is needed for; the others with --long.
ALWAYS = ("discard", "if-divergent", "loop-uniform", "points", "lines", "stencil-two-sided",
          "texture-cube", "texture-eight", "tiles", "two-jobs", "vertex-loop")  # fmt: skip


def play(name):
    """Our picture of a scene and llvmpipe's, as ints."""
    with np.load(SHARED / "pictures.npz") as pictures:
        return play_files(scene_files(name)).astype(int), pictures[name].astype(int)


if scene_names():
    @pytest.mark.parametrize("name", [
        pytest.param(name, marks=() if name in ALWAYS else pytest.mark.long)
        for name in scene_names()])
    def test_a_scene_of_mesa(name):
        ours, theirs = play(name)
        assert ours.shape == theirs.shape
        off = np.abs(ours - theirs).max(axis=2)
        kind = KINDS[EXCEPT.get(name, "same")]
        assert (off > 3).sum() <= kind.pixels, kind.why
        assert off.max() <= kind.largest, kind.why

    def test_exceptions_name_scenes():
        assert set(EXCEPT) <= set(scene_names()) and set(ALWAYS) <= set(scene_names())
        assert set(EXCEPT.values()) | {"same"} == set(KINDS)

    @pytest.mark.long
    def test_the_stale_reference_is_in_one_cell():
        ours, theirs = play("stencil-operations")
        y, x = np.nonzero((ours != theirs).any(axis=2))
        assert set(x) == set(range(32, 48)) and set(y) == set(range(8))

    @pytest.mark.long
    def test_the_draw_left_out_leaves_the_clear_colour():
        ours, _ = play("pressure-no-room")
        assert (ours == (26, 51, 76, 255)).all()
