# SPDX-License-Identifier: MIT
"""The judges' scenes drawn by their own client on our libGL with GALLIUM_DRIVER=vc4: unmodified
OpenGL through our compiler, our jobs and the simulator, beside llvmpipe's pictures, within the
bounds of test_scenes.py. Scenes of ES 2 wait for ES."""

import pathlib
import subprocess

import numpy as np
import pytest

from tests import host
from tests.unit.pipe_vc4.shared import SHARED, scene_names
from tests.unit.pipe_vc4.test_scenes import EXCEPT, KINDS

pytestmark = [pytest.mark.embed, pytest.mark.slow, pytest.mark.needs(*host.CLIENT)]
#: drawn always; the others with --long
ALWAYS = ("gl-texture-environments",)


def gl_scenes() -> list[str]:
    """Scenes of desktop GL."""
    names = scene_names()
    text = {name: (SHARED / "scenes" / f"{name}.scene").read_text() for name in names}
    return [name for name in names if "\napi gl\n" in f"\n{text[name]}"]


@pytest.fixture(scope="module")
def client() -> str:
    """The judges' client."""
    return host.compile_client(SHARED / "scenes.c", "-w", "-lEGL", "-ldl", "-lm")


if scene_names():
    @pytest.mark.parametrize("name", [
        pytest.param(name, marks=() if name in ALWAYS else pytest.mark.long)
        for name in gl_scenes()])
    def test_a_scene_through_gl(name: str, client: str, tmp_path: pathlib.Path) -> None:
        env = host.environment("ours", GALLIUM_DRIVER="vc4", MESA_SHADER_CACHE_DIR=host.kernels())
        picture = tmp_path / "picture"
        scene = str(SHARED / "scenes" / f"{name}.scene")
        done = subprocess.run([client, scene, "-o", str(picture)], env=env, capture_output=True,
                              text=True, timeout=300, check=False)  # fmt: skip
        assert done.returncode == 0 and "VC4" in done.stdout, done.stdout + done.stderr
        with np.load(SHARED / "pictures.npz") as pictures:
            theirs = pictures[name].astype(int)
        ours = np.fromfile(picture, np.uint8).reshape(theirs.shape).astype(int)
        off = np.abs(ours - theirs).max(axis=2)
        kind = KINDS[EXCEPT.get(name, "same")]
        assert (off > 3).sum() <= kind.pixels, kind.why
        assert off.max() <= kind.largest, kind.why

    def test_there_are_scenes_of_gl() -> None:
        assert set(ALWAYS) <= set(gl_scenes())
        assert len(gl_scenes()) >= 10
