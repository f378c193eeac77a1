# SPDX-License-Identifier: MIT
"""OSMesa beside the peer's: player.py does the same on both, and what it says must be the same.
Ways to find the library; frames that enter no Python. There is no X server."""

import functools
import subprocess
import sys
from pathlib import Path

import pytest

from pydri.tools.png import decode
from pydri.util import stats
from scripts.try_release import FIRST_EXAMPLE
from tests import host

PLAYER = Path(__file__).with_name("player.py")


def play(*part: str, **env: str) -> str:
    """What a part of the player says."""
    done = subprocess.run(
        [sys.executable, str(PLAYER), *part], env=env, capture_output=True, text=True, timeout=100,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@functools.cache
def ours(part: str, **more: str) -> str:
    """What it says on our library."""
    return play(part, **host.side("ours", **more))


PARTS = (
    "formats sizes when framebuffers depths accumulation queries attribs errors clamping sharing"
    " ends resize retype filters"
).split()


@pytest.mark.needs("libosmesa6")
@pytest.mark.parametrize("part", PARTS)
def test_as_the_peer(part: str) -> None:
    host.only_reference_peer()
    assert ours(part).splitlines() == play(part, **host.side("peer")).splitlines()


def test_three_channels() -> None:
    """What the peer's driver makes of three channels of 8 and 16 bits is no picture."""
    lines = ours("three").splitlines()
    assert len(lines) == 18 and all(line.endswith("True") for line in lines)


def test_the_depth_buffer_of_another_size() -> None:
    """It follows; the peer writes beyond the memory that it made for the first size."""
    lines = ours("resize_depth").splitlines()
    assert [line[:17] for line in lines[1::2]] == [
        "1 [40, 30, 4] 7c9", "1 [90, 70, 4] 378", "1 [20, 10, 4] 9e5",
    ]  # fmt: skip


def test_sizes_that_no_buffer_has() -> None:
    """GL_FALSE, as osmesa.h says; the peer goes on without a buffer."""
    assert [line.split()[-1] for line in ours("huge").splitlines()] == ["0"] * 4


@pytest.mark.parametrize("part", ["formats", "when", "depths"])
def test_on_softpipe(part: str) -> None:
    """A driver without native calls shows the same."""
    assert ours(part, GALLIUM_DRIVER="softpipe") == ours(part)


def test_frames_do_not_enter_python(tmp_path: Path) -> None:
    """Neither those that draw, nor make-current, nor what copies the picture and the depths."""
    counters = tmp_path / "counters"
    play("steady", "600", **host.side("ours", PYDRI_STATS=str(counters)))
    found = stats.read_file(str(counters))
    assert found["total"]["frames"] == 600
    assert found["total"]["python_entries"] < 100


PYOPENGL = """
from OpenGL import GL, arrays, osmesa
context = osmesa.OSMesaCreateContextExt(osmesa.OSMESA_RGBA, 24, 8, 0, None)
picture = arrays.GLubyteArray.zeros((48, 64, 4))
assert osmesa.OSMesaMakeCurrent(context, picture, GL.GL_UNSIGNED_BYTE, 64, 48)
GL.glClearColor(0, 0, 1, 1)
GL.glClear(GL.GL_COLOR_BUFFER_BIT)
GL.glColor3f(1, 0, 0)
GL.glRectf(-1, -1, 0, 1)
GL.glFinish()
print(bytes(picture[0, 0]).hex(), bytes(picture[47, 63]).hex(), osmesa.OSMesaGetIntegerv(0x20),
      GL.glGetString(GL.GL_VENDOR).decode())
"""


@pytest.mark.parametrize("way", ["LD_LIBRARY_PATH", "pydri.load"])
def test_pyopengl(way: str) -> None:
    """PYOPENGL_PLATFORM=osmesa, whether the environment or the program says whose OSMesa it is."""
    pytest.importorskip("OpenGL")
    env = host.side("ours", PYOPENGL_PLATFORM="osmesa")
    code = PYOPENGL
    if way == "pydri.load":
        del env["LD_LIBRARY_PATH"]
        code = f"import pydri; pydri.load()\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, cwd=host.ROOT
    )
    assert (done.stdout, done.stderr) == ("ff0000ff 0000ffff 64 pydri\n", "")


def test_the_first_call_at_the_end_of_a_python() -> None:
    """What an object that Python destroys last asks for does not work, and harms nobody."""
    code = """
import ctypes
class Last:
    library = ctypes.CDLL("libOSMesa.so.8")
    def __del__(self):
        print(self.library.OSMesaCreateContext(0x1908, None), flush=True)
last = Last()
last.itself = last
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=host.side("ours"), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
    assert "the program's Python is ending" in done.stderr


def test_the_example_of_the_manual(tmp_path: Path) -> None:
    """docs/python.md: a picture in a file, without a display and without the environment's help;
    taken out of the page as scripts/try-release does."""
    pytest.importorskip("OpenGL")
    code = subprocess.run(
        f"{FIRST_EXAMPLE} docs/python.md", shell=True, cwd=host.ROOT, capture_output=True, text=True
    ).stdout
    env = host.side("ours", PYTHONPATH=host.ROOT)
    del env["LD_LIBRARY_PATH"]
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.stdout, done.stderr) == ("", "")
    image = decode((tmp_path / "triangle.png").read_bytes())
    assert (image.width, image.height, image.pixel(0, 0)) == (320, 240, (0, 0, 0))
    corners = [image.pixel(160, 16), image.pixel(20, 213), image.pixel(299, 213)]
    assert [max(range(3), key=corner.__getitem__) for corner in corners] == [2, 0, 1]
    assert min(map(max, corners)) > 220


@pytest.mark.parametrize("name", ["libOSMesa.so.8", "libGL.so.1"])
def test_preload(name: str) -> None:
    """The library that the program opens by its name is the preloaded one, or finds the system's
    where there is one: of libGL.so.1 the functions come first."""
    env = host.side("ours")
    libdir = env.pop("LD_LIBRARY_PATH")
    env["LD_PRELOAD"] = f"{libdir}/{name}"
    code = "import ctypes; print(bool(ctypes.CDLL(None).OSMesaCreateContext))"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")
    if name == "libOSMesa.so.8":
        assert play("when", **env) == ours("when")
