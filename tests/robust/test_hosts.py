# SPDX-License-Identifier: MIT
"""Every kind of host draws a real frame whose pixels are read back from the X server."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from pydri.util import stats
from tests import host
from tests.robust.conftest import HERE, NEEDS, Program, run

pytestmark = [pytest.mark.x11, pytest.mark.slow, pytest.mark.needs(*NEEDS)]


def drew(done: "subprocess.CompletedProcess[str]") -> None:
    """The program saw its frames, on our driver, and ended with its own status."""
    assert done.stdout == "pydri: ok\n", done.stdout + done.stderr[-2000:]
    assert done.returncode == 7
    assert done.stderr == ""


def without(env: dict[str, str], *names: str) -> dict[str, str]:
    """A copy that lacks some variables."""
    return {name: value for name, value in env.items() if name not in names}


def test_library_path(program: Program, ours: dict[str, str]) -> None:
    drew(run(program("frame"), env=ours))


def test_preload(program: Program, ours: dict[str, str], libdir: str) -> None:
    env = {**without(ours, "LD_LIBRARY_PATH"), "LD_PRELOAD": f"{libdir}/libGL.so.1"}
    drew(run(program("frame"), env=env))


def test_linked_with_libopengl_and_libglx(
    program: Program, ours: dict[str, str], libdir: str, tmp_path: pathlib.Path
) -> None:
    """As CMake's OpenGL::OpenGL and OpenGL::GLX link it (here: stand-ins of the same SONAME)."""
    names = set(re.findall(r"#define (glX?[A-Z]\w+)", (HERE / "frame.c").read_text()))
    for soname, glx in (("libOpenGL.so.0", False), ("libGLX.so.0", True)):
        source = tmp_path / f"{soname}.c"
        text = [f"void {name}(void) {{}}" for name in names if name.startswith("glX") == glx]
        source.write_text("\n".join(text))
        flags = ["-shared", "-fPIC", f"-Wl,-soname,{soname}"]
        host.compile_client(source, *flags, folder=tmp_path, name=soname)
    libraries = [f"-L{tmp_path}", "-l:libOpenGL.so.0", "-l:libGLX.so.0", "-lX11", "-lm"]
    target = host.compile_client(HERE / "frame.c", *libraries, folder=tmp_path)
    drew(run(target, env=ours))


@pytest.mark.needs("libgl1")
def test_glvnd_vendor(program: Program, ours: dict[str, str], libdir: str) -> None:
    """The system's libGL and libGLX, with our vendor library behind them."""
    env = {**ours, "LD_LIBRARY_PATH": f"{libdir}/vendor", "__GLX_VENDOR_LIBRARY_NAME": "pydri"}
    drew(run(program("frame"), env=env))


@pytest.mark.parametrize("name", ["libGL.so.1", "libGLX.so.0", "libOpenGL.so.0"])
def test_opened_out_of_sight(
    program: Program, ours: dict[str, str], libdir: str, name: str
) -> None:
    env = without(ours, "LD_LIBRARY_PATH")
    drew(run(program("frame", "-DOPEN"), f"{libdir}/{name}", env=env))


def test_opened_by_a_thread_that_ends(
    program: Program, ours: dict[str, str], libdir: str, tmp_path: pathlib.Path
) -> None:
    """The process goes on: code that was made in a hurry is made better as in any other, some time
    (a machine that is busy with other things may need many frames for it)."""
    statistics = tmp_path / "statistics"
    env = {**ours, "MESA_SHADER_CACHE_DIR": str(tmp_path / "cache")}
    command = program("frame", "-DOPEN"), f"{libdir}/libGL.so.1"
    drew(run(*command, "100", env={**env, "PYDRI_TIERS": "first"}))
    compiled = 0
    for frames in ("100", "1000", "6000"):
        drew(run(*command, frames, env={**env, "PYDRI_STATS": str(statistics)}))
        compiled = stats.read_file(str(statistics))["total"]["kernels_compiled"]
        if compiled:
            break
    assert compiled > 0


def test_bad_python_home(program: Program, ours: dict[str, str]) -> None:
    bad = {"PYTHONHOME": "/nonexistent", "PYTHONPATH": "/nowhere", "PYTHONSTARTUP": "/nowhere/x.py"}
    drew(run(program("frame"), env={**ours, **bad}))


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX", "xx_YY.ISO-8859-15"])
def test_locales(program: Program, ours: dict[str, str], locale: str) -> None:
    drew(run(program("frame"), env={**ours, "LC_ALL": locale, "LANG": locale}))


def test_empty_environment(
    program: Program, display: str, libdir: str, tmp_path: pathlib.Path
) -> None:
    """`env -i`: no HOME, no PATH. (The library is found by the program's own run path.)"""
    flags = [f"-L{libdir}", "-l:libGL.so.1", f"-Wl,-rpath,{libdir}", "-lX11", "-lm"]
    target = host.compile_client(HERE / "frame.c", *flags, folder=tmp_path)
    drew(run("/usr/bin/env", "-i", f"DISPLAY={display}", target, env={}))
    assert not os.path.exists("/pydri_cache")


def test_closed_standard_files(program: Program, ours: dict[str, str]) -> None:
    """A daemon has no stdin and no stderr. Again and again: what a thread opens meanwhile must not
    get their numbers, by chance."""
    for _ in range(12):
        done = run("/bin/sh", "-c", f"exec {program('frame')} <&- 2>&-", env=ours)
        assert done.returncode == 7
        assert done.stdout == "pydri: ok\n"


@pytest.mark.parametrize("glx", [True, False], ids=["GLX", "no GLX"])
@pytest.mark.parametrize("shm", [True, False], ids=["MIT-SHM", "no MIT-SHM"])
def test_x_servers(program: Program, ours: dict[str, str], glx: bool, shm: bool) -> None:
    absent = ([] if glx else ["GLX"]) + ([] if shm else ["MIT-SHM"])
    with host.XServer("640x480", without=absent) as server:
        drew(run(program("frame"), env={**ours, "DISPLAY": server.name}))


PYOPENGL = """
import ctypes, sys
from OpenGL import GL, GLX
import OpenGL
x11 = ctypes.CDLL("libX11.so.6")
P, L, I = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int
x11.XOpenDisplay.restype = P
x11.XDefaultRootWindow.restype = L
x11.XDefaultRootWindow.argtypes = [P]
x11.XCreateSimpleWindow.restype = L
x11.XCreateSimpleWindow.argtypes = [P, L, I, I, I, I, I, L, L]
x11.XMapRaised.argtypes = [P, L]
x11.XSync.argtypes = [P, I]
x11.XGetImage.restype = P
x11.XGetImage.argtypes = [P, L, I, I, I, I, L, I]
x11.XGetPixel.restype = L
x11.XGetPixel.argtypes = [P, I, I]
lib = ctypes.CDLL(sys.argv[1]) if len(sys.argv) > 1 else GLX
dpy = x11.XOpenDisplay(None)
window = x11.XCreateSimpleWindow(dpy, x11.XDefaultRootWindow(dpy), 0, 0, 100, 80, 0, 0, 0)
x11.XMapRaised(dpy, window)
x11.XSync(dpy, 0)
lib = ctypes.CDLL("libGL.so.1")
lib.glXChooseVisual.restype = P
lib.glXChooseVisual.argtypes = [P, I, P]
lib.glXCreateContext.restype = P
lib.glXCreateContext.argtypes = [P, P, P, I]
lib.glXMakeCurrent.argtypes = [P, L, P]
lib.glXSwapBuffers.argtypes = [P, L]
visual = lib.glXChooseVisual(dpy, 0, (I * 4)(4, 5, 0, 0))
context = lib.glXCreateContext(dpy, visual, None, 1)
assert lib.glXMakeCurrent(dpy, window, context)
GL.glClearColor(0.2, 0.4, 0.6, 1)
GL.glClear(GL.GL_COLOR_BUFFER_BIT)
GL.glBegin(GL.GL_TRIANGLES)
GL.glColor3f(1, 0, 0)
for x, y in ((-1, -1), (1, -1), (-1, 1)):
    GL.glVertex2f(x, y)
GL.glEnd()
vertices = (ctypes.c_float * 6)(0.5, 0.5, 1, 0.5, 1, 1)
GL.glColor3ub(0, 255, 0)
GL.glEnableClientState(GL.GL_VERTEX_ARRAY)
GL.glVertexPointer(2, GL.GL_FLOAT, 0, vertices)
GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
try:
    GL.glEnable(0xFFFF)
    print("no GLError")
except OpenGL.error.GLError as error:
    print(error.err == 1280)
lib.glXSwapBuffers(dpy, window)
image = x11.XGetImage(dpy, window, 0, 0, 100, 80, 0xFFFFFFFF, 2)
print(*(f"{x11.XGetPixel(image, x, y) & 0xFFFFFF:06x}" for x, y in ((5, 70), (60, 10), (95, 15))))
print(GL.glGetString(GL.GL_VENDOR).decode())
sys.exit(7)
"""


def test_pyopengl_in_the_same_python(ours: dict[str, str], libdir: str) -> None:
    pytest.importorskip("OpenGL")
    # it opens libOpenGL.so and libGLX.so by name, so a preloaded libGL.so.1 alone is not enough
    for env in (ours, {**ours, "LD_PRELOAD": f"{libdir}/libGL.so.1"}):
        done = run(sys.executable, "-c", PYOPENGL, env=env)
        assert done.returncode == 7, done.stdout + done.stderr
        assert done.stdout == "True\nff0000 336699 00ff00\npydri\n"


@pytest.mark.needs("libfontconfig1")  # which vispy opens
def test_packages_in_one_interpreter(ours: dict[str, str]) -> None:
    """pygame, pyglet 1.x, glfw and vispy open windows in one Python, which has them from the
    package registry (host.gl_packages)."""
    python = host.gl_packages()
    script = HERE.parent / "apps/clients/one_interpreter.py"
    done = run(python, str(script), env={**ours, "SDL_AUDIODRIVER": "dummy"})
    lines = [line.split() for line in done.stdout.splitlines() if "pydri" in line]
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert {line[0] for line in lines} == {"pygame", "pyglet", "glfw", "vispy"}, done.stdout
    assert {tuple(line[1:]) for line in lines} == {("pydri", "ff6633", "0000ff")}


CTYPES_HOST = """
import ctypes, sys
P, L, I = ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int
x11, gl = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libGL.so.1")
x11.XOpenDisplay.restype = P
dpy = P(x11.XOpenDisplay(None))
x11.XDefaultRootWindow.restype = L
x11.XCreateSimpleWindow.restype = L
root = x11.XDefaultRootWindow(dpy)
window = x11.XCreateSimpleWindow(dpy, L(root), 0, 0, 100, 80, 0, L(0), L(0))
x11.XMapRaised(dpy, L(window))
x11.XSync(dpy, 0)
gl.glXChooseVisual.restype = gl.glXCreateContext.restype = P
visual = gl.glXChooseVisual(dpy, 0, (I * 4)(4, 5, 0, 0))
if visual:
    context = gl.glXCreateContext(dpy, P(visual), None, 1)
    gl.glXMakeCurrent(dpy, L(window), P(context))
    f = ctypes.c_float
    for red in (0.0, 0.5, 1.0):
        gl.glClearColor(f(red), f(0.4), f(0.2), f(1))
        gl.glClear(0x4000)
        gl.glXSwapBuffers(dpy, L(window))
    x11.XGetImage.restype = P
    x11.XGetPixel.restype = L
    image = x11.XGetImage(dpy, L(window), 0, 0, 100, 80, L(0xFFFFFFFF), 2)
    print("%06x" % (x11.XGetPixel(P(image), 50, 40) & 0xFFFFFF))
else:
    print("no visual")
sys.stdout.flush()
sys.exit(11)
"""


def test_pydri_load(ours: dict[str, str]) -> None:
    """No variable at all: the libraries are loaded by hand, the program asks for them by SONAME. A
    GL library that was first is named."""
    env = without(ours, "LD_LIBRARY_PATH", "LD_PRELOAD")
    done = run(sys.executable, "-c", "import pydri; pydri.load()\n" + CTYPES_HOST, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (11, "ff6633\n", "")
    late = "import ctypes, pydri; ctypes.CDLL('libGL.so.1'); pydri.load()"
    done = run(sys.executable, "-c", late, env=env)
    assert done.returncode == 1 and "is loaded already: call pydri.load() before" in done.stderr


HEADLESS = """
import ctypes, sys
import pydri
libdir = pydri.load()
from OpenGL import EGL, GL
display = EGL.eglGetDisplay(EGL.EGL_DEFAULT_DISPLAY)
assert EGL.eglInitialize(display, EGL.EGLint(), EGL.EGLint())
config, count = (EGL.EGLConfig * 1)(), EGL.EGLint()
wanted = [EGL.EGL_SURFACE_TYPE, EGL.EGL_PBUFFER_BIT,
          EGL.EGL_RENDERABLE_TYPE, EGL.EGL_OPENGL_BIT, EGL.EGL_NONE]
EGL.eglChooseConfig(display, wanted, config, 1, count)
EGL.eglBindAPI(EGL.EGL_OPENGL_API)
size = [EGL.EGL_WIDTH, 64, EGL.EGL_HEIGHT, 64, EGL.EGL_NONE]
surface = EGL.eglCreatePbufferSurface(display, config[0], size)
context = EGL.eglCreateContext(display, config[0], EGL.EGL_NO_CONTEXT, None)
EGL.eglMakeCurrent(display, surface, surface, context)
GL.glClearColor(0, 0, 1, 1)
GL.glClear(GL.GL_COLOR_BUFFER_BIT)
GL.glColor3f(1, 0, 0)
GL.glRectf(-1, -1, 0, 1)
rgb = bytes(GL.glReadPixels(0, 0, 64, 64, GL.GL_RGB, GL.GL_UNSIGNED_BYTE))
print(rgb[:3].hex(), rgb[-3:].hex(), GL.glGetString(GL.GL_VENDOR).decode())
print(pydri.stats()["total"]["draws"] > 0)
from pydri.tools import load
print(load.foreign_libraries(libdir))
sys.exit(7)
"""


@pytest.mark.needs("libgl-dev", "libegl-dev")
def test_pydri_load_beside_dev_packages(ours: dict[str, str]) -> None:
    """PyOpenGL opens `libEGL.so` and `libOpenGL.so`, without a number: files of the -dev packages,
    in which the system's Mesa waits. By GLX, and by EGL without any window system."""
    pytest.importorskip("OpenGL")
    env = without(ours, "LD_LIBRARY_PATH", "LD_PRELOAD")
    glx = "import pydri; pydri.load()\n" + PYOPENGL
    done = run(sys.executable, "-c", glx, env={**env, "PYOPENGL_PLATFORM": "glx"})
    assert (done.returncode, done.stderr) == (7, ""), done.stdout + done.stderr
    assert done.stdout == "True\nff0000 336699 00ff00\npydri\n"
    egl = {"PYOPENGL_PLATFORM": "egl", "EGL_PLATFORM": "surfaceless"}
    done = run(sys.executable, "-c", HEADLESS, env={**without(env, "DISPLAY"), **egl})
    assert (done.returncode, done.stderr) == (7, ""), done.stdout + done.stderr
    assert done.stdout == "ff0000 0000ff pydri\nTrue\n[]\n"


@pytest.mark.needs("libegl1", "libgl-dev")
def test_what_pydri_load_cannot_help_is_told(ours: dict[str, str]) -> None:
    """A library that is opened by its path is what its path says; a name that would lead elsewhere
    is an error at once."""
    env = without(ours, "LD_LIBRARY_PATH", "LD_PRELOAD")
    path = f"{host.LIB}/libEGL.so.1"
    code = f"import ctypes, pydri; pydri.load(); pydri.load(); ctypes.CDLL({path!r})"
    done = run(sys.executable, "-c", code, env=env)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 0 and "was loaded after pydri.load(), by its path" in line
    assert os.path.realpath(path) in line
    name, _, value = line.rpartition(" ")[2].partition("=")
    assert name == "__EGL_VENDOR_LIBRARY_FILENAMES"
    assert vendor_by_path(path, env, **{name: value}) == "pydri"
    names = "from pydri.tools import load; load._check_names('/nowhere')"
    done = run(sys.executable, "-c", names, env=env)
    assert "RuntimeError: libGL.so.1 would be the system library" in done.stderr


VENDOR = """
import ctypes, sys
import pydri
pydri.load()
egl = ctypes.CDLL(sys.argv[1])
egl.eglGetPlatformDisplay.restype, egl.eglQueryString.restype = ctypes.c_void_p, ctypes.c_char_p
egl.eglGetPlatformDisplay.argtypes = ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p
display = ctypes.c_void_p(egl.eglGetPlatformDisplay(0x31DD, None, None))
assert egl.eglInitialize(display, None, None)
print(egl.eglQueryString(display, 0x3053).decode())
"""


def vendor_by_path(path: str, env: dict[str, str], **more: str) -> str:
    """Whose EGL a program gets that opens GLVND's by its path."""
    return run(sys.executable, "-c", VENDOR, path, env={**env, **more}).stdout.strip()


SCRIPT = """
import multiprocessing, os, sys
sys.path.insert(0, os.environ["HERE"])
import beside
class Kept: pass
def draw(n):
    from OpenGL import GL, arrays, osmesa
    picture = arrays.GLubyteArray.zeros((4, 4, 4))
    context = osmesa.OSMesaCreateContextExt(osmesa.OSMESA_RGBA, 24, 8, 0, None)
    assert osmesa.OSMesaMakeCurrent(context, picture, GL.GL_UNSIGNED_BYTE, 4, 4)
    GL.glClearColor(0, n / 255, 1, 1)
    GL.glClear(GL.GL_COLOR_BUFFER_BIT)
    GL.glFinish()
    return bytes(picture[0, 0]).hex(), GL.glGetString(GL.GL_VENDOR).decode()
if __name__ == "__main__":
    import pickle
    print(sys.argv[1:], beside.NAME, sys.modules["__main__"].Kept is Kept, __file__ == sys.argv[0])
    assert type(pickle.loads(pickle.dumps(Kept()))) is Kept
    print(*draw(16))
    if os.path.isfile(sys.argv[0]):  # of a folder it imports nothing again, with plain Python too
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(*pool.apply(draw, (32,)))
    sys.exit(7)
"""


@pytest.mark.parametrize("way", ["script", "module", "folder"])
def test_pydri_exec(ours: dict[str, str], tmp_path: pathlib.Path, way: str) -> None:
    """A Python program as it is, in this interpreter, and what it starts itself; nothing in the
    environment, and no display."""
    pytest.importorskip("OpenGL")
    (tmp_path / "beside.py").write_text("NAME = 'found'\n")
    name = "__main__.py" if way == "folder" else "program.py"
    (tmp_path / name).write_text(SCRIPT)
    words = {"script": [str(tmp_path / name)], "module": ["-m", "program"],
             "folder": [str(tmp_path)]}[way]  # fmt: skip
    env = {**without(ours, "LD_LIBRARY_PATH", "LD_PRELOAD", "DISPLAY"), "HERE": str(tmp_path),
           "PYOPENGL_PLATFORM": "osmesa", "PYTHONPATH": f"{host.ROOT}:{tmp_path}"}  # fmt: skip
    done = run(sys.executable, "-m", "pydri.cli", "exec", *words, "-x", "--seconds", env=env)
    assert done.stderr == "" and done.returncode == 7, done.stderr
    first, *drawn = done.stdout.splitlines()
    assert first == f"['-x', '--seconds'] found True {way != 'folder'}"
    assert drawn == ["0010ffff pydri", "0020ffff pydri"][: 1 if way == "folder" else 2]


def test_pydri_exec_of_nothing(ours: dict[str, str]) -> None:
    done = run(sys.executable, "-m", "pydri.cli", "exec", "/nowhere.py",
               env={**ours, "PYTHONPATH": host.ROOT})  # fmt: skip
    assert (done.returncode, done.stderr) == (2, "pydri: /nowhere.py: no such file\n")


def pythons() -> list[str]:
    """Pythons of this machine."""
    found = [pathlib.Path(sys.executable), pathlib.Path("/usr/bin/python3")]
    found += sorted((pathlib.Path.home() / ".pyenv" / "versions").glob("[23].*/bin/python"))
    return [str(path) for path in found if path.exists()]


OURS = f"{sys.version_info[0]}.{sys.version_info[1]}"
CLAIM = f"import sys; sys.version = '{OURS}.99 (another patch version)'\n"


@pytest.mark.parametrize("claim", ["", CLAIM], ids=["itself", "another"])
def test_the_first_start_of_a_python_compiles_nothing(
    claim: str, ours: dict[str, str], tmp_path: pathlib.Path
) -> None:
    """Pythons of our version, whatever their patch version and who built them, find the kernels of
    the build: with an empty cache, and although they are not the Python that compiled them."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    same = [python for python in pythons() if run(python, "-c", ask, env={}).stdout.strip() == OURS]
    assert sys.executable in same
    for number, python in enumerate(same):
        statistics = tmp_path / f"statistics{number}"
        cache = str(tmp_path / str(number))
        env = {**ours, "MESA_SHADER_CACHE_DIR": cache, "PYDRI_STATS": str(statistics)}
        done = run(python, "-c", claim + CTYPES_HOST, env=env)
        assert (done.returncode, done.stdout, done.stderr) == (11, "ff6633\n", ""), python
        total = stats.read_file(str(statistics))["total"]
        assert total["kernels_compiled"] == 0 and total["cache_hits"] > 0, python


@pytest.mark.parametrize("python", pythons())
def test_python_hosts(python: str, ours: dict[str, str]) -> None:
    """Ours draws; any other version gets one message, no hang and its own exit status."""
    version = run(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])", env={}).stdout
    done = run(python, "-c", CTYPES_HOST, env=ours)
    assert done.returncode == 11, done.stdout + done.stderr
    if version.strip() == f"{sys.version_info[0]}.{sys.version_info[1]}":
        assert (done.stdout, done.stderr) == ("ff6633\n", "")
    else:
        assert done.stdout == "no visual\n"
        lines = done.stderr.splitlines()
        assert len(lines) == 1 and f"already runs Python {version.strip()}." in lines[0]


@pytest.mark.parametrize(
    "setting",
    [
        "LP_NUM_THREADS=-5", "LP_NUM_THREADS=999", "LP_NUM_THREADS=abc", "LP_NUM_THREADS=",
        "LP_NATIVE_VECTOR_WIDTH=17", "LP_NATIVE_VECTOR_WIDTH=128", "LP_NATIVE_VECTOR_WIDTH=4096",
        "MESA_SHADER_CACHE_MAX_SIZE=0", "PYDRI_STATS=/nowhere/x", "MESA_LOG_FILE=/nowhere/x",
        "MESA_GL_VERSION_OVERRIDE=9.9XX", "MESA_EXTENSION_OVERRIDE=-GL_foo +GL_bar",
        "vblank_mode=3", "PYDRI_NO_SHM=1", "LIBGL_DEBUG=quiet", "MESA_DEBUG=context,flush",
    ],
)  # fmt: skip
def test_odd_settings(program: Program, ours: dict[str, str], setting: str) -> None:
    """Values that mean nothing leave the default; all of these draw the same picture."""
    name, _, value = setting.partition("=")
    done = run(program("frame"), env={**ours, name: value})
    assert (done.stdout, done.returncode) == ("pydri: ok\n", 7), done.stdout + done.stderr[-2000:]


@pytest.mark.needs("mesa-utils")
@pytest.mark.parametrize("setting", ["GALLIUM_DRIVER=foo", "LIBGL_DRIVERS_PATH=/nonexistent"])
def test_no_driver(ours: dict[str, str], setting: str) -> None:
    """The program hears that there is no visual, its user why."""
    name, _, value = setting.partition("=")
    done = run("glxgears", env={**ours, name: value})
    assert done.returncode == 1
    assert "MESA-LOADER: failed to open" in done.stderr and value in done.stderr
    assert "couldn't get an RGB" in done.stdout
