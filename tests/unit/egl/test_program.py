# SPDX-License-Identifier: MIT
"""A C program that asks what EGL promises (egl.c), through the real libraries and driver."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import host

HERE = Path(__file__).parent
PARTS = (
    "displays references devices configs surfaces surfaceless contexts current frames steady storm"
    " start xcb switch toolkit fork closed syncs debug images es"
).split()
pytestmark = [pytest.mark.x11, pytest.mark.embed, pytest.mark.needs(*host.CLIENT, "libegl-dev")]


def compiled(name: str) -> str:
    """A program, linked with the system's libraries as programs are."""
    sources = [HERE / f"{name}.c", *sorted(HERE.glob(f"{name}_*.c"))]
    return host.compile_client(sources, "-lEGL", "-lGL", "-lX11", "-lxcb", "-lpthread")


@pytest.fixture
def program() -> str:
    """The program of many parts."""
    return compiled("egl")


def run(program: str, part: str, server: str, **env: str) -> "subprocess.CompletedProcess[str]":
    """One part of the program; what it prints is what doesn't hold."""
    base = {**host.clean_environment(), "MESA_SHADER_CACHE_DIR": host.kernels()}
    return subprocess.run(
        [program, *part.split()], env={**base, "DISPLAY": server, **env},
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


def holds(done: "subprocess.CompletedProcess[str]") -> None:
    """Nothing was printed."""
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.mark.parametrize("part", PARTS)
def test_library_path(program: str, part: str, display: str, libdir: str) -> None:
    holds(run(program, part, display, LD_LIBRARY_PATH=libdir))


@pytest.mark.needs("libgl1-mesa-dri")
@pytest.mark.parametrize("part", [part for part in PARTS if part not in ("images", "es")])
def test_with_mesas_compiled_driver(
    program: str, part: str, display: str, libdir: str
) -> None:
    """What EGL promises of any driver, and of this one: no age of buffers."""
    host.only_drivers_for_all_loaders()
    other = {"frames": "value is 0, not 0x2"}.get(part, "nothing")
    env = {"LD_LIBRARY_PATH": libdir, "LIBGL_DRIVERS_PATH": "/usr/lib/x86_64-linux-gnu/dri"}
    done = run(program, part, display, **env)
    said = [line.split(": ", 1)[1] for line in done.stdout.splitlines()]
    assert (done.stderr, [line for line in said if not line.startswith(other)]) == ("", [])
    assert done.returncode == len(said)


@pytest.mark.parametrize(
    ("part", "frames"), [("steady", 1000), ("switch", 401), ("toolkit", 300)]
)
def test_frames_do_not_enter_python(
    program: str, part: str, frames: int, display: str, libdir: str, tmp_path: Path
) -> None:
    from pydri.util import stats

    counters = tmp_path / "counters"
    holds(run(program, part, display, LD_LIBRARY_PATH=libdir, PYDRI_STATS=str(counters)))
    total = stats.read_file(str(counters))["total"]
    assert total["frames"] == frames
    assert total["python_entries"] < 150


@pytest.mark.parametrize("names", ["libEGL.so.1", "libGL.so.1", "libGL.so.1:libEGL.so.1"])
def test_preload(program: str, display: str, libdir: str, names: str) -> None:
    preload = ":".join(f"{libdir}/{name}" for name in names.split(":"))
    holds(run(program, "frames", display, LD_PRELOAD=preload))


@pytest.mark.parametrize("part", ["surfaces", "surfaceless", "current", "frames", "syncs"])
def test_glvnd_vendor(program: str, part: str, display: str, libdir: str) -> None:
    """The system's libEGL with our vendor library behind it, but for what libEGL answers itself:
    eglQueryAPI, and make-current of what is current."""
    env = {"__EGL_VENDOR_LIBRARY_FILENAMES": f"{libdir}/vendor/50_pydri.json"}
    done = run(program, part, display, **env)
    its_own = ("eglQueryAPI", "eglMakeCurrent(dpy, q, q, d)")
    lines = [line for line in done.stdout.splitlines() if not any(name in line for name in its_own)]
    assert (lines, done.stderr) == ([], "")


def test_glx_and_egl(display: str, libdir: str) -> None:
    holds(run(compiled("mix"), "", display, LD_LIBRARY_PATH=libdir))


def test_both_glvnd_vendors(display: str, libdir: str) -> None:
    """One driver behind libGLX and libEGL; each in a thread of its own, as GLVND wants it."""
    env = {
        "LD_LIBRARY_PATH": f"{libdir}/vendor",
        "__GLX_VENDOR_LIBRARY_NAME": "pydri",
        "__EGL_VENDOR_LIBRARY_FILENAMES": f"{libdir}/vendor/50_pydri.json",
    }
    holds(run(compiled("mix"), "threads", display, **env))


def test_without_shared_memory(program: str, libdir: str) -> None:
    with host.XServer("600x500", without=("MIT-SHM", "GLX")) as server:
        holds(run(program, "frames", server.name, LD_LIBRARY_PATH=libdir))


def test_random_calls(display: str, libdir: str) -> None:
    """Seeded; every failed call has its error and only those, and GL draws at the end."""
    done = subprocess.run(
        [sys.executable, str(HERE / "fuzz.py"), f"{libdir}/libEGL.so.1", "11", "4000"],
        env=host.side("ours", display), capture_output=True, text=True, timeout=100,
        check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("ok True\n", "")


def test_no_server(program: str, libdir: str) -> None:
    """Surfaceless needs no X server; X11 says politely that there is none."""
    holds(run(program, "surfaceless", "", LD_LIBRARY_PATH=libdir))


OPEN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
typedef void *(*find)(const char *);
int main(int n, char **a)
{   /* one state, in whatever order and scope the libraries are opened */
    void *egl = 0, *gl = 0, *(*proc)(const char *), *p, *dpy, *c, *ctx, *s;
    int i, k = 0;
    int list[] = { 0x3033, 1, 0x3040, 8, 0x3038 }, size[] = { 0x3057, 8, 0x3056, 8, 0x3038 };
    const char *(*string)(unsigned);
    for (i = 1; i < n; i++) {
        void *h = dlopen(a[i], RTLD_NOW | RTLD_LOCAL);
        if (!h) return printf("%s\n", dlerror()), 1;
        if (strstr(a[i], "libEGL")) egl = h; else gl = h;
    }
    proc = (find)dlsym(egl, "eglGetProcAddress");
    dpy = ((void *(*)(unsigned, void *, void *))proc("eglGetPlatformDisplay"))(0x31DD, 0, 0);
    if (!((int (*)(void *, void *, void *))proc("eglInitialize"))(dpy, 0, 0))
        return puts("init"), 1;
    ((int (*)(unsigned))proc("eglBindAPI"))(0x30A2);
    ((int (*)(void *, int *, void *, int, int *))proc("eglChooseConfig"))(dpy, list, &c, 1, &k);
    ctx = ((void *(*)(void *, void *, void *, void *))proc("eglCreateContext"))(dpy, c, 0, 0);
    s = ((void *(*)(void *, void *, int *))proc("eglCreatePbufferSurface"))(dpy, c, size);
    if (!((int (*)(void *, void *, void *, void *))dlsym(egl, "eglMakeCurrent"))(dpy, s, s, ctx))
        return puts("current"), 1;
    string = (const char *(*)(unsigned))dlsym(gl ? gl : egl, "glGetString");
    puts(string(0x1F00)); /* GL_VENDOR */
    return 0;
}
"""


@pytest.mark.parametrize(
    "names",
    [
        ("libEGL.so.1",), ("libGL.so.1", "libEGL.so.1"), ("libEGL.so.1", "libGL.so.1"),
        ("libOpenGL.so.0", "libEGL.so.1"), ("libEGL.so.1", "libOpenGL.so.0"),
        ("libGLX.so.0", "libOpenGL.so.0", "libEGL.so.1"),
    ],
)  # fmt: skip
def test_opened_out_of_sight(names: tuple[str, ...], libdir: str, tmp_path: Path) -> None:
    (tmp_path / "open.c").write_text(OPEN)
    host.compile_client(tmp_path / "open.c", "-w", "-ldl", folder=tmp_path)
    done = subprocess.run(
        [str(tmp_path / "open"), *(f"{libdir}/{name}" for name in names)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("pydri\n", "")


PYOPENGL = """
from OpenGL import EGL, GL
display = EGL.eglGetDisplay(EGL.EGL_DEFAULT_DISPLAY)
assert EGL.eglInitialize(display, EGL.EGLint(), EGL.EGLint())
config, count = (EGL.EGLConfig * 1)(), EGL.EGLint()
wanted = [EGL.EGL_RENDERABLE_TYPE, EGL.EGL_OPENGL_BIT, EGL.EGL_SURFACE_TYPE, EGL.EGL_PBUFFER_BIT]
EGL.eglChooseConfig(display, [*wanted, EGL.EGL_NONE], config, 1, count)
EGL.eglBindAPI(EGL.EGL_OPENGL_API)
size = [EGL.EGL_WIDTH, 32, EGL.EGL_HEIGHT, 32, EGL.EGL_NONE]
surface = EGL.eglCreatePbufferSurface(display, config[0], size)
context = EGL.eglCreateContext(display, config[0], EGL.EGL_NO_CONTEXT, None)
assert EGL.eglMakeCurrent(display, surface, surface, context)
GL.glClearColor(1, 0, 0, 1)
GL.glClear(GL.GL_COLOR_BUFFER_BIT)
print(GL.glGetString(GL.GL_VENDOR), GL.glReadPixels(0, 0, 1, 1, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE))
"""


def test_pyopengl(display: str) -> None:
    """A program that is a Python itself, whose interpreter the driver joins."""
    pytest.importorskip("OpenGL")
    env = host.side("ours", display, PYOPENGL_PLATFORM="egl")
    done = subprocess.run(
        [sys.executable, "-c", PYOPENGL], env=env, capture_output=True, text=True, timeout=100,
        check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("b'pydri' b'\\xff\\x00\\x00\\xff'\n", "")
