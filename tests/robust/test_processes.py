# SPDX-License-Identifier: MIT
"""Processes of Python's multiprocessing: who is forked before the first GL call draws, who is
started anew draws, and who is forked later is told in one line why it cannot, by whichever front.
"""

import pathlib
import sys
from collections.abc import Callable

import pytest

from tests import host
from tests.robust.conftest import run
from tests.robust.test_hosts import without

pytestmark = pytest.mark.slow

PROGRAM = """
import ctypes, multiprocessing, os, sys
import pydri
if os.environ["WAY"] == "load":
    pydri.load()
gl, egl = ctypes.CDLL("libGL.so.1"), ctypes.CDLL("libEGL.so.1")
osmesa = ctypes.CDLL("libOSMesa.so.8")
P, I = ctypes.c_void_p, ctypes.c_int

def by_osmesa(blue):
    buffer = ctypes.create_string_buffer(4 * 16 * 16)
    osmesa.OSMesaCreateContext.restype = P
    context = osmesa.OSMesaCreateContext(0x1908, None)
    if not context:
        return "no context"
    assert osmesa.OSMesaMakeCurrent(P(context), buffer, 0x1401, 16, 16)
    clear(blue)
    color = buffer.raw[:4].hex()
    osmesa.OSMesaDestroyContext(P(context))
    return color

def by_egl(blue):
    egl.eglGetPlatformDisplay.restype = egl.eglCreateContext.restype = P
    egl.eglCreatePbufferSurface.restype = P
    display = egl.eglGetPlatformDisplay(0x31DD, None, None)
    if not display:
        return "no context"
    assert egl.eglInitialize(P(display), None, None) and egl.eglBindAPI(0x30A2)
    config, count = P(), I()
    wanted, size = (I * 5)(0x3033, 1, 0x3022, 8, 0x3038), (I * 5)(0x3057, 16, 0x3056, 16, 0x3038)
    egl.eglChooseConfig(P(display), wanted, ctypes.byref(config), 1, ctypes.byref(count))
    surface = egl.eglCreatePbufferSurface(P(display), config, size)
    context = egl.eglCreateContext(P(display), config, None, None)
    assert egl.eglMakeCurrent(P(display), P(surface), P(surface), P(context))
    clear(blue)
    pixel = ctypes.create_string_buffer(4)
    gl.glReadPixels(3, 3, 1, 1, 0x1908, 0x1401, pixel)
    egl.eglMakeCurrent(P(display), None, None, None)
    egl.eglDestroyContext(P(display), P(context))
    return pixel.raw.hex()

def by_glx(blue):
    gl.glXChooseFBConfig.restype = P
    gl.glXChooseFBConfig(None, 0, None, ctypes.byref(I()))
    return "no context"

def clear(blue):
    f = ctypes.c_float
    gl.glClearColor(f(1), f(0), f(blue / 255), f(1))
    gl.glClear(0x4000)
    gl.glFinish()

FRONTS = {"osmesa": by_osmesa, "egl": by_egl, "glx": by_glx}

def child(front, blue):
    if front == "nothing":
        egl.eglMakeCurrent(None, None, None, None)
        egl.eglTerminate(None)
        return "tidied up"
    return FRONTS[front](blue)

def in_pool(method, front):
    with multiprocessing.get_context(method).Pool(2) as pool:
        return pool.starmap(child, [(front, 16), (front, 32), (front, 48)], chunksize=1)

if __name__ == "__main__":
    method, when, front = sys.argv[1:]
    if when == "later":
        print(by_osmesa(64))
    print(*in_pool(method, front), sep="\\n")
    print(by_osmesa(80))
"""


Play = Callable[..., tuple[list[str], list[str]]]


@pytest.fixture
def play(tmp_path: pathlib.Path) -> Play:
    """Lines of a program whose children draw: what it printed, what it was told."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)

    def play_(
        method: str, when: str, front: str, way: str = "load", **more: str
    ) -> tuple[list[str], list[str]]:
        env = without(host.side("ours"), *(("LD_LIBRARY_PATH",) if way == "load" else ()))
        env |= {"PYTHONPATH": host.ROOT, "WAY": way, **more}
        done = run(sys.executable, str(path), method, when, front, env=env)
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout.splitlines(), done.stderr.splitlines()

    return play_


DRAWN = ["ff0010ff", "ff0020ff", "ff0030ff"]


@pytest.mark.parametrize("front", ["osmesa", "egl"])
@pytest.mark.parametrize("way", ["load", "LD_LIBRARY_PATH"])
def test_forked_before_the_first_call(play: Play, front: str, way: str) -> None:
    """As multiprocessing does by itself on Linux: the libraries are loaded, and nothing was asked
    of them."""
    out, told = play("fork", "before", front, way)
    assert (out, told) == ([*DRAWN, "ff0050ff"], [])


@pytest.mark.parametrize("front", ["osmesa", "egl"])
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_started_anew(play: Play, method: str, front: str) -> None:
    out, told = play(method, "later", front)
    assert (out, told) == (["ff0040ff", *DRAWN, "ff0050ff"], [])


@pytest.mark.parametrize("front", ["osmesa", "egl", "glx"])
def test_forked_from_who_draws(play: Play, front: str) -> None:
    """One line for each child, with what to do; the parent goes on."""
    out, told = play("fork", "later", front)
    assert out == ["ff0040ff", *["no context"] * 3, "ff0050ff"]
    assert 1 <= len(told) <= 2 and len(set(told)) == 1  # of one process or of both
    assert told[0].startswith("libGL error: pydri: this process was forked after its parent")
    assert "spawn" in told[0]


def test_who_only_tidies_up_is_told_nothing(play: Play) -> None:
    assert play("fork", "later", "nothing") == (["ff0040ff", *["tidied up"] * 3, "ff0050ff"], [])
    assert play("fork", "later", "egl", LIBGL_DEBUG="quiet")[1] == []

