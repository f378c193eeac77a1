# SPDX-License-Identifier: MIT
"""The judges' scenes drawn by their own client on our libGL with GALLIUM_DRIVER=vc4: unmodified
OpenGL and OpenGL ES 2 through our compiler, our jobs and the simulator, beside llvmpipe's pictures,
within the bounds of test_scenes.py; and those of OpenGL ES 2 on the other two drivers."""

import pathlib
import subprocess

import numpy as np
import pytest

from tests import host
from tests.unit.pipe_vc4.shared import SHARED, scene_names
from tests.unit.pipe_vc4.test_scenes import EXCEPT, KINDS

pytestmark = [pytest.mark.embed, pytest.mark.slow, pytest.mark.needs(*host.CLIENT)]
#: drawn always; the others with --long
ALWAYS = ("gl-texture-environments", "texture-mirror")
#: scenes of OpenGL ES 2 where pixels of ours differ from llvmpipe's by more than 3 of 255: how many
#: may, by how much, and why
OTHERWISE = {
    "target-565": (2048, 9, "the nearest of 32 or 64 levels; the peer cuts off bits of bytes"),
    "texture-trilinear": (3072, 12, "levels of detail by a logarithm; the peer's is approximate"),
    "texture-dependent": (640, 20, "coordinates that a lookup gave: one of 255 is some texels"),
    "pressure-unthreaded": (48, 6, "sums of sixty values, each rounded"),
    "many-states": (40, 48, "pixels at edges, a level at its border"),
    "texture-vertex": (8, 255, "pixels at edges of what a texture moved"),
    "math-roots": (8, 255, "fract of what is a whole number, or the last one before it"),
}


def es_scenes() -> list[str]:
    """Scenes of OpenGL ES 2."""
    names = scene_names()
    text = {name: (SHARED / "scenes" / f"{name}.scene").read_text() for name in names}
    return [name for name in names if "\napi gl\n" not in f"\n{text[name]}"]


def drawn(client: str, driver: str, name: str, picture: pathlib.Path) -> tuple[np.ndarray, str]:
    """By how much each pixel of a scene differs from llvmpipe's, and what the client said."""
    env = host.environment("ours", GALLIUM_DRIVER=driver, MESA_SHADER_CACHE_DIR=host.kernels())
    scene = str(SHARED / "scenes" / f"{name}.scene")
    done = subprocess.run([client, scene, "-o", str(picture)], env=env, capture_output=True,
                          text=True, timeout=300, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    with np.load(SHARED / "pictures.npz") as pictures:
        theirs = pictures[name].astype(int)
    ours = np.fromfile(picture, np.uint8).reshape(theirs.shape).astype(int)
    return np.abs(ours - theirs).max(axis=2), done.stdout


@pytest.fixture(scope="module")
def client() -> str:
    """The judges' client."""
    return host.compile_client(SHARED / "scenes.c", "-w", "-lEGL", "-ldl", "-lm")


if scene_names():
    @pytest.mark.parametrize("name", [
        pytest.param(name, marks=() if name in ALWAYS else pytest.mark.long)
        for name in scene_names()])
    def test_a_scene_through_gl(name: str, client: str, tmp_path: pathlib.Path) -> None:
        off, said = drawn(client, "vc4", name, tmp_path / "picture")
        assert "VC4" in said
        kind = KINDS[EXCEPT.get(name, "same")]
        assert (off > 3).sum() <= kind.pixels, kind.why
        assert off.max() <= kind.largest, kind.why

    @pytest.mark.parametrize("driver", ["llvmpipe", "softpipe"])
    @pytest.mark.parametrize("name", [
        pytest.param(name, marks=() if name in ALWAYS else pytest.mark.long)
        for name in es_scenes()])
    def test_a_scene_of_es(name: str, driver: str, client: str, tmp_path: pathlib.Path) -> None:
        off, said = drawn(client, driver, name, tmp_path / "picture")
        assert "OpenGL ES " in said
        pixels, largest, why = OTHERWISE.get(name, (0, 3, ""))
        assert (off > 3).sum() <= pixels and off.max() <= largest, why

    def test_there_are_scenes_of_both() -> None:
        assert set(ALWAYS) <= set(scene_names())
        assert len(es_scenes()) >= 40 and len(scene_names()) - len(es_scenes()) >= 10
