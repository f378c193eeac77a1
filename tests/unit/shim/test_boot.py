# SPDX-License-Identifier: MIT
"""The shim in tiny C programs: boot, lazy slots, failures, fork, exit, threads, hosts."""

import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable

import pytest

from libgl_shim import products
from tests import host
from tests.unit.shim.conftest import ROOT, run

MINE = f"{sys.version_info[0]}.{sys.version_info[1]}"

pytestmark = pytest.mark.embed

DECLARE = """
#include <dlfcn.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
void *glXGetProcAddress(const char *); void *glXGetCurrentContext(void);
unsigned long glXGetCurrentDrawable(void); void *glXGetCurrentDisplay(void);
int glXQueryVersion(void *, int *, int *), glXIsDirect(void *, void *);
int glXMakeCurrent(void *, unsigned long, void *);
void *glXChooseVisual(void *, int, int *);
unsigned glGetError(void); const char *glGetString(unsigned); unsigned char glIsEnabled(unsigned);
void glEnable(unsigned), glCullFace(unsigned), glVertex4d(double, double, double, double);
void glGetDoublev(unsigned, double *);
void glBegin(unsigned), glVertex3f(float, float, float);
void glTexSubImage3D(unsigned, int, int, int, int, int, int, int, unsigned, unsigned, const void *);
void glNormal3f(float, float, float), glColor3f(float, float, float);
void glColor4f(float, float, float, float);
"""

CALLS = (
    DECLARE
    + """
int main(void)
{
    int major = 0, minor = 0, i; double v[16];
    glVertex3f(1, 2, 3);                       /* nothing current, nothing booted */
    printf("%d %p %u\\n", glGetError(), glXGetCurrentContext(), (unsigned)glXGetCurrentDrawable());
    printf("%s\\n", setlocale(LC_CTYPE, NULL));
    printf("%d", glXQueryVersion(0, &major, &minor)); printf(" %d.%d\\n", major, minor);
    printf("%d\\n", glXMakeCurrent((void *)0x1234, 99, (void *)1));
    printf("%p %lu %p\\n", glXGetCurrentContext(), glXGetCurrentDrawable(), glXGetCurrentDisplay());
    for (i = 0; i < 2; i++) {                  /* lazy, then bound */
        glVertex4d(1.5, -2.5, 3.25, i);
        glGetDoublev(0, v); printf("%g %g %g %g\\n", v[0], v[1], v[2], v[3]);
        glTexSubImage3D(1, 2, 3, 4, 5, 6, 7, 8, 9, 4000000000u, v);
        glGetDoublev(0, v);
        for (int k = 0; k < 10; k++) printf("%.0f ", v[k]);
        printf("\\n");
    }
    glNormal3f(3, 2, 1); glGetDoublev(0, v); printf("%g %g %g\\n", v[0], v[1], v[2]);
    glGetDoublev(1, v); printf("flushed %g\\n", v[0]);
    glColor3f(0.25, 0.5, 0.75); glGetDoublev(2, v);  /* a kernel's slot */
    printf("%g %g %g\\n", v[0], v[1], v[2]);
    printf("%d %d %s\\n", glIsEnabled(7), glIsEnabled(8), glGetString(1));
    glEnable(5); printf("0x%x ", glGetError()); printf("0x%x\\n", glGetError());
    glColor4f(1, 1, 1, 1); printf("0x%x\\n", glGetError());  /* nobody has written it */
    glCullFace(0x405); glCullFace(0x405);
    printf("%d\\n", glXIsDirect(0, 0));
    printf("%s\\n", setlocale(LC_CTYPE, NULL));
    glXMakeCurrent(0, 0, 0); glEnable(3);
    printf("%p %d\\n", glXGetCurrentContext(), glGetError());
    return 7;
}
"""
)

EXPECTED = """\
0 (nil) 0
C
1 1.4
1
0x77 99 0x1234
1.5 -2.5 3.25 0
1 2 3 4 5 6 7 8 9 4000000000 
1.5 -2.5 3.25 1
1 2 3 4 5 6 7 8 9 4000000000 
3 2 1
flushed 5
0.25 0.5 0.75
1 0 a string
0x500 0x0
0x502
0
C
(nil) 0
"""  # noqa: W291


@pytest.fixture
def calls(c_program: Callable[..., str], fake_libdir: pathlib.Path) -> str:
    """The program of all calls, linked with libGL."""
    return c_program(CALLS, f"-L{fake_libdir}", "-l:libGL.so.1")


def env_of(libdir: pathlib.Path, **more: str) -> dict[str, str]:
    """The smallest environment."""
    return {"LD_LIBRARY_PATH": str(libdir), **more}


def test_every_kind_of_call(calls: str, fake_libdir: pathlib.Path) -> None:
    done = run(calls, env=env_of(fake_libdir))
    assert done.stdout == EXPECTED
    assert done.returncode == 7
    lines = done.stderr.splitlines()
    assert len(lines) == 2, lines  # one report a mistake of ours, however often it happens
    assert lines[0].startswith("libGL error: pydri: glCullFace(mode=GL_BACK) failed at ")
    assert "ZeroDivisionError" in lines[0]
    assert lines[1].startswith("libGL error: pydri: glXIsDirect(dpy=NULL, ctx=NULL) failed at ")


def test_verbose_names_what_is_not_written(calls: str, fake_libdir: pathlib.Path) -> None:
    done = run(calls, env=env_of(fake_libdir, LIBGL_DEBUG="verbose"))
    assert done.stdout == EXPECTED
    assert "libGL: glVertex3f called without a current context" in done.stderr
    assert done.stderr.count("glColor4f is not written yet: GL_INVALID_OPERATION") == 1
    assert "glEnable(on purpose)" in done.stderr


def test_bad_python_environment(calls: str, fake_libdir: pathlib.Path) -> None:
    env = env_of(fake_libdir, PYTHONHOME="/nonexistent", PYTHONPATH="/nowhere", LC_ALL="C.UTF-8")
    done = run(calls, env=env)
    assert (done.stdout, done.returncode) == (EXPECTED, 7)


def test_preload(c_program: Callable[..., str], fake_libdir: pathlib.Path) -> None:
    program = c_program(CALLS, "-L/usr/lib/x86_64-linux-gnu", f"-L{fake_libdir}", "-l:libGL.so.1")
    done = run(program, env={"LD_PRELOAD": f"{fake_libdir}/libGL.so.1"})
    assert (done.stdout, done.returncode) == (EXPECTED, 7)


def test_trace_prints_every_call(calls: str, fake_libdir: pathlib.Path) -> None:
    done = run(calls, env=env_of(fake_libdir, PYDRI_DEBUG="api"))
    assert done.stdout == EXPECTED
    for line in (
        "glXQueryVersion(dpy=NULL, maj=0x",
        "glVertex4d(x=1.5, y=-2.5, z=3.25, w=0)",
        "glColor3f(red=0.25, green=0.5, blue=0.75)",
        "glIsEnabled(cap=0x0007) = GL_TRUE",
        'glGetString(name=GL_ONE) = "a string"',
        "glGetError() = GL_INVALID_ENUM",
    ):
        assert line in done.stderr, line
    assert done.stderr.count("glNormal3f(nx=3, ny=2, nz=1)") == 1


def test_dlopen_local(c_program: Callable[..., str], fake_libdir: pathlib.Path) -> None:
    text = (
        DECLARE
        + """
int main(int n, char **a)
{
    void *gl = dlopen(a[1], RTLD_NOW | RTLD_LOCAL);
    if (!gl) { puts(dlerror()); return 1; }
    void *(*proc)(const char *) = dlsym(gl, "glXGetProcAddressARB");
    int (*make)(void *, unsigned long, void *) = proc("glXMakeCurrent");
    const char *(*string)(unsigned) = proc("glGetString");
    printf("%p %p\\n", proc("glNoSuchThing"), proc("malloc"));
    make(0, 5, 0);
    puts(string(1));
    dlclose(gl);
    return 3;
}"""
    )
    program = c_program(text)
    for name in ("libGL.so.1", "libGLX.so.0"):
        done = run(program, f"{fake_libdir}/{name}", env={})
        assert (done.stdout, done.returncode) == ("(nil) (nil)\na string\n", 3), done.stderr


def test_libopengl_and_libglx_linked(
    c_program: Callable[..., str], fake_libdir: pathlib.Path
) -> None:
    """A program that was linked with GLVND's two libraries (here: stand-ins of the same SONAME)."""
    names = set(re.findall(r"\b(glX?[A-Z]\w+)\(", CALLS))
    for soname, glx in (("libOpenGL.so.0", False), ("libGLX.so.0", True)):
        text = "".join(f"void {n}(void) {{}}\n" for n in names if n.startswith("glX") == glx)
        c_program(text, "-shared", "-fPIC", f"-Wl,-soname,{soname}", name=soname)
    here = os.path.dirname(c_program("", "-shared", name="x"))
    program = c_program(CALLS, f"-L{here}", "-l:libOpenGL.so.0", "-l:libGLX.so.0")
    assert "libGL.so.1" not in run("readelf", "-d", program).stdout
    done = run(program, env=env_of(fake_libdir))
    assert (done.stdout, done.returncode) == (EXPECTED, 7)


ASK = (
    DECLARE
    + """
int main(void)
{
    int a = 0, b = 0, i;
    for (i = 0; i < 1000; i++) { glXQueryVersion(0, &a, &b); glVertex3f(0, 0, 0); }
    printf("%d %d %p\\n", a, b, glXChooseVisual(0, 0, 0));
    return 5;
}"""
)


def fails_with(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """One message, calls that do nothing, the program's own status."""
    assert (done.stdout, done.returncode) == ("0 0 (nil)\n", 5)
    lines = done.stderr.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("libGL error: ")
    for word in words:
        assert word in lines[0]


def test_host_of_another_python(c_program: Callable[..., str], fake_libdir: pathlib.Path) -> None:
    other = 'const char *Py_GetVersion(void) { return "3.9.1 (main)"; }'
    c_program(other, "-shared", "-fPIC", name="libother.so")
    flags = (f"-L{fake_libdir}", "-l:libGL.so.1")
    program = c_program(ASK, *flags)
    here = os.path.dirname(program)
    done = run(program, env=env_of(fake_libdir, LD_PRELOAD=f"{here}/libother.so"))
    fails_with(done, f"built for Python {MINE}", "already runs Python 3.9.1")
    # the same, loaded out of sight under the name of a libpython
    os.rename(f"{here}/libother.so", f"{here}/libpython3.9.so.1.0")
    text = ASK.replace(
        "int a", f'dlopen("{here}/libpython3.9.so.1.0", RTLD_LOCAL|RTLD_NOW); int a'
    )
    hidden = c_program(text, *flags, name="hidden")
    fails_with(run(hidden, env=env_of(fake_libdir)), "already runs Python 3.9.1")


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("no sidecar", ("pydri.sidecar", "libgl_shim.build")),
        ("libpython=/nowhere/libpython3.so", ("/nowhere/libpython3.so", "libgl_shim.build")),
        ("libpython=", ("no shared libpython", f"Debian: libpython{MINE}")),
        ("home=/nowhere", ()),
        ("path=/nowhere", ("/nowhere is gone", "pydri path")),
        ("no core", ("_core.so", "libgl_shim.build")),
    ],
)
def test_broken_installation(
    c_program: Callable[..., str], fake_libdir: pathlib.Path, tmp_path: pathlib.Path, damage: str,
    words: tuple[str, ...],
) -> None:  # fmt: skip
    import shutil

    broken = tmp_path / "broken"
    shutil.copytree(fake_libdir, broken)
    sidecar = broken / products.SIDECAR
    if damage == "no sidecar":
        sidecar.unlink()
    elif damage == "no core":
        (broken / "_core.so").unlink()
    else:
        key = damage.split("=")[0]
        lines = [line for line in sidecar.read_text().splitlines() if line.split("=")[0] != key]
        sidecar.write_text("\n".join([*lines, damage]) + "\n")
    program = c_program(ASK, f"-L{fake_libdir}", "-l:libGL.so.1")
    done = run(program, env=env_of(broken))
    if damage.startswith("home="):  # every path is explicit: a moved home alone does no harm
        assert done.returncode == 5
    else:
        fails_with(done, *words)


def test_fork_and_threads(c_program: Callable[..., str], fake_libdir: pathlib.Path) -> None:
    text = (
        DECLARE
        + """
static void *work(void *x)
{
    double v[4];
    if (glXGetCurrentContext() || glGetError()) return (void *)1;
    glXMakeCurrent(0, (unsigned long)x, 0);
    for (int i = 0; i < 200; i++) {
        glVertex4d(i, (long)x, 0, 0); glGetDoublev(0, v);
        if (v[0] != i || v[1] != (long)x) return (void *)2;
    }
    return (void *)(long)(glXGetCurrentDrawable() != (unsigned long)x);
}
int main(void)
{
    pthread_t t[4]; void *r; long i; int status;
    for (i = 0; i < 4; i++) pthread_create(&t[i], 0, work, (void *)(i + 1));
    for (i = 0; i < 4; i++) { pthread_join(t[i], &r); printf("%ld ", (long)r); }
    glXMakeCurrent(0, 9, 0);
    fflush(stdout);
    if (!fork()) {
        int a = 0, b = 0;
        glVertex4d(1, 1, 1, 1); glVertex4d(1, 1, 1, 1);
        if (glXGetCurrentContext() || glXQueryVersion(0, &a, &b) || a) _exit(1);
        exit(4);
    }
    wait(&status);
    printf("child %d, parent %s\\n", WEXITSTATUS(status), glGetString(1));
    return 6;
}"""
    )
    program = c_program(text, f"-L{fake_libdir}", "-l:libGL.so.1", "-lpthread")
    done = run(program, env=env_of(fake_libdir, LIBGL_DEBUG="1", PYDRI_STATS="1"))
    assert done.stdout == "0 0 0 0 child 4, parent a string\n"
    assert done.returncode == 6
    assert done.stderr.count("after fork()") == 1
    assert done.stderr.count("pydri stats: python_entries") == 1  # the parent's, at its exit


def test_calls_after_exit_do_nothing(
    c_program: Callable[..., str], fake_libdir: pathlib.Path
) -> None:
    text = (
        DECLARE
        + """
static void late(void)
{
    glEnable(1);
    printf("late %p %d\\n", glGetString(1), glXMakeCurrent(0, 1, 0));
    fflush(stdout);
}
int main(void) { atexit(late); glXMakeCurrent(0, 9, 0); puts(glGetString(1)); return 9; }"""
    )
    program = c_program(text, f"-L{fake_libdir}", "-l:libGL.so.1")
    done = run(program, env=env_of(fake_libdir))
    assert (done.stdout, done.stderr, done.returncode) == ("a string\nlate (nil) 1\n", "", 9)


PYTHON_HOST = """
import ctypes, sys
gl = ctypes.CDLL(sys.argv[1])
gl.glGetString.restype = ctypes.c_char_p
a, b = ctypes.c_int(), ctypes.c_int()
print(gl.glXQueryVersion(None, ctypes.byref(a), ctypes.byref(b)), a.value, b.value)
gl.glXMakeCurrent(None, 5, None)
print(gl.glGetString(1), sys.modules["pydri.boot"].__name__)
sys.exit(11)
"""


def test_python_host_is_joined(fake_libdir: pathlib.Path) -> None:
    env = {"PYDRI_STATS": "1", "LIBGL_DEBUG": "verbose"}
    # this Python would find the tree's packages first: ours come from where the libraries' are
    done = run(sys.executable, "-Pc", PYTHON_HOST, f"{fake_libdir}/libGL.so.1", env=env)
    assert done.stdout == "1 1 4\nb'a string' pydri.boot\n"
    assert done.returncode == 11
    assert "(joined)" in done.stderr
    assert "pydri stats: python_entries" in done.stderr


def test_a_host_that_has_imported_pydri_gets_no_other(
    fake_libdir: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """All of ours come from there then: rooms of two builds are never mixed."""
    (tmp_path / "pydri").symlink_to(ROOT / "pydri")
    told = "import pydri\n" + PYTHON_HOST.replace("sys.exit(11)", "import pipe_llvm, pydri.glx\n"
        "print(sys.modules['pydri.boot'].__file__, pipe_llvm.__file__)")  # fmt: skip
    (tmp_path / "pipe_llvm").symlink_to(ROOT / "pipe_llvm")
    done = run(sys.executable, "-PSc", told, f"{fake_libdir}/libGL.so.1",
               env={"PYTHONPATH": str(tmp_path)})  # fmt: skip
    assert f"{tmp_path}/pydri/boot.py {tmp_path}/pipe_llvm/__init__.py" in done.stdout, done.stderr


ROOM = (
    DECLARE
    + """
int main(void)
{
    char line[4096];
    int major, minor, there = 0, advised = 0;
    FILE *maps;
    glXQueryVersion(0, &major, &minor);
    maps = fopen("/proc/self/smaps", "r");
    while (fgets(line, sizeof line, maps)) {
        sscanf(line, "Rss: %d", &there);
        advised += !strncmp(line, "VmFlags:", 8) && strstr(line, " hg") && there;
    }
    printf("%d\\n", advised);
    return 0;
}"""
)
HOST_ROOM = """
import ctypes, sys
gl = ctypes.CDLL(sys.argv[1])
before = [bytes(100) for _ in range(100_000)]
a, b = ctypes.c_int(), ctypes.c_int()
gl.glXQueryVersion(None, ctypes.byref(a), ctypes.byref(b))
after = [bytes(n % 300) for n in range(200_000)]
with open("/proc/self/smaps") as file:
    print(int(" hg" in file.read()))
del before, after
print(sum(len(bytes(n % 300)) for n in range(1000)))
"""


@pytest.mark.skipif(
    not os.path.exists("/sys/kernel/mm/transparent_hugepage"), reason="this kernel has none"
)
def test_objects_of_a_start_lie_in_huge_pages(
    c_program: Callable[..., str], fake_libdir: pathlib.Path
) -> None:
    """A start's are asked for; a host goes on with arenas of both kinds, and gives them back."""
    program = c_program(ROOM, f"-L{fake_libdir}", "-l:libGL.so.1")
    done = run(program, env=env_of(fake_libdir))
    assert (done.stdout, done.stderr, done.returncode) == ("1\n", "", 0)
    done = run(sys.executable, "-PSc", HOST_ROOM, f"{fake_libdir}/libGL.so.1")
    assert (done.stdout, done.stderr, done.returncode) == ("1\n139500\n", "", 0)


TIDYING = """
import atexit, ctypes, sys

def late():  # registered before the driver's end, so it runs after it
    context = ctypes.c_void_p(0x77)
    print(gl.glXGetCurrentDrawable(), gl.glXMakeCurrent(None, 7, context), gl.glGetString(0x1F02))
    print(gl.glXGetCurrentDrawable(), gl.glGetError())
    print(egl.eglMakeCurrent(None, None, None, None), hex(egl.eglGetError()))
    print(gl.glXGetCurrentDrawable(), egl.eglInitialize(None, None, None), hex(egl.eglGetError()))

atexit.register(late)
gl, egl = ctypes.CDLL(sys.argv[1]), ctypes.CDLL(sys.argv[2])
gl.glGetString.restype = ctypes.c_char_p
gl.glXMakeCurrent(None, 5, None)
"""


def test_who_tidies_up_after_python_succeeds(fake_libdir: pathlib.Path) -> None:
    """Blender ends its Python first, and then makes its context current to delete what is in it."""
    names = [f"{fake_libdir}/{name}" for name in ("libGL.so.1", "libEGL.so.1")]
    done = run(sys.executable, "-PSc", TIDYING, *names)
    assert (done.stdout, done.stderr) == ("5 1 b'3.3'\n7 0\n1 0x3000\n0 0 0x3001\n", "")


def other_pythons() -> list[str]:
    """Pythons of this machine that are not the one that runs the tests."""
    found = [pathlib.Path("/usr/bin/python3")]
    found += sorted((pathlib.Path.home() / ".pyenv" / "versions").glob("3.*/bin/python3"))
    return [str(path) for path in found if path.exists()]


@pytest.mark.parametrize("host", other_pythons())
def test_other_python_host(host: str, fake_libdir: pathlib.Path) -> None:
    """The same minor version is joined; any other gets one message, no hang and its own status."""
    version = run(host, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").stdout.strip()
    program = PYTHON_HOST
    ours = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if version != ours:
        program = program.replace(
            'sys.modules["pydri.boot"].__name__', '"pydri.boot" in sys.modules'
        )
    done = run(host, "-c", program, f"{fake_libdir}/libGL.so.1", env={})
    assert done.returncode == 11
    if version == ours:
        assert done.stdout == "1 1 4\nb'a string' pydri.boot\n"
        assert done.stderr == ""
    else:
        assert done.stdout == "0 0 0\nNone False\n"
        assert len(done.stderr.splitlines()) == 1
        assert f"already runs Python {version}." in done.stderr


def test_setuid_program_is_refused(
    c_program: Callable[..., str], fake_libdir: pathlib.Path
) -> None:
    if os.getuid():
        host.does_not_apply("needs root", "to make a setuid program")
    program = c_program(
        ASK.replace("int main(void)\n{", "int main(void)\n{ setegid(65534);"),
        f"-L{fake_libdir}", "-l:libGL.so.1",
    )  # fmt: skip
    fails_with(run(program, env=env_of(fake_libdir)), "setuid")


def test_stats_file_and_help(calls: str, fake_libdir: pathlib.Path, tmp_path: pathlib.Path) -> None:
    from pydri.util import stats

    file = tmp_path / "counters"
    done = run(calls, env=env_of(fake_libdir, PYDRI_STATS=str(file), PYDRI_HELP="1"))
    assert "LP_NUM_THREADS" in done.stderr and "MESA_SHADER_CACHE_DIR" in done.stderr
    assert stats.read_file(str(file))["total"]["python_entries"] > 10


def test_preload_costs_nothing_without_gl(fake_libdir: pathlib.Path) -> None:
    env = {"LD_PRELOAD": f"{fake_libdir}/libGL.so.1", "LD_DEBUG": "files"}
    done = run("/bin/true", env=env)
    assert "libpython" not in done.stderr and "_core.so" not in done.stderr
    assert str(ROOT) not in done.stdout


@pytest.mark.x11
@pytest.mark.needs("libgl1")
def test_glvnd_finds_our_vendor(
    c_program: Callable[..., str], libdir: pathlib.Path, display: str
) -> None:
    """The system's libGL (GLVND) asks our vendor library; our GLX chooses the visual."""
    text = (
        DECLARE
        + """
void *XOpenDisplay(const char *);
int main(void)
{
    int want[] = {4, 5, 0};  /* GLX_RGBA, GLX_DOUBLEBUFFER */
    void *gl = dlopen("libGLX.so.0", RTLD_NOW), *x = dlopen("libX11.so.6", RTLD_NOW);
    void *(*open)(const char *) = dlsym(x, "XOpenDisplay");
    void *(*choose)(void *, int, int *) = dlsym(gl, "glXChooseVisual");
    void *(*proc)(const char *) = dlsym(gl, "glXGetProcAddress");
    void *dpy = open(0);
    printf("%d %d\\n", !!choose(dpy, 0, want), !!proc("glXSwapIntervalEXT"));
    return 3;
}"""
    )
    env = {
        "DISPLAY": display,
        "LD_LIBRARY_PATH": f"{libdir}/vendor",
        "__GLX_VENDOR_LIBRARY_NAME": "pydri",
        "LIBGL_DEBUG": "verbose",
    }
    done = run(c_program(text), env=env)
    assert (done.stdout, done.returncode) == ("1 1\n", 3), done.stderr
    assert f"from {libdir}" in done.stderr
