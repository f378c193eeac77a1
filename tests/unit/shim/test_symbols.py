# SPDX-License-Identifier: MIT
"""What the libraries export and need, and that the generated files are those of the registry."""

import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable

import pytest

from libgl_shim import build, stubs
from pydri.api import egl_table, gl_table, glx_table, osmesa_table
from pydri.api.rows import C_TYPES
from tests import host
from tests.unit.shim.conftest import ROOT, run


def exports(path: pathlib.Path) -> list[str]:
    """Names a library defines dynamically."""
    out = run("nm", "-D", "--defined-only", str(path)).stdout
    return sorted(line.split()[2] for line in out.splitlines())


def dynamic(path: pathlib.Path, tag: str) -> list[str]:
    """Values of a tag of the dynamic section."""
    out = run("readelf", "-dW", str(path)).stdout
    return re.findall(rf"\({tag}\).*\[(.*)\]", out)


def test_exports_are_the_golden_list(libdir: pathlib.Path) -> None:
    golden = (ROOT / "libgl_shim" / "gl.symbols").read_text().split()
    assert exports(libdir / "libGL.so.1") == golden
    fronts = len(glx_table.TABLE) + len(egl_table.CORE) + len(osmesa_table.TABLE)
    names = len(gl_table.TABLE) + fronts
    assert len(golden) == names + 1 > 3400  # and where the thread's block lies
    assert len([name for name in golden if name.startswith("egl")]) == 44  # EGL 1.5


def test_libraries(libdir: pathlib.Path) -> None:
    vendor = libdir / "vendor" / "libGLX_pydri.so.0"
    assert exports(vendor) == ["__egl_Main", "__glx_Main"]
    assert exports(libdir / "_core.so") == ["PyInit__core", "pydri_core_boot", "pydri_look"]
    for path in (libdir / "libGL.so.1", vendor):
        assert dynamic(path, "NEEDED") == ["libc.so.6"]
        assert dynamic(path, "SONAME") == [path.name]
    for name in ("libGLX.so.0", "libOpenGL.so.0"):
        assert exports(libdir / name) == []
        assert dynamic(libdir / name, "NEEDED") == ["libGL.so.1"]
        assert dynamic(libdir / name, "SONAME") == [name]
        assert dynamic(libdir / name, "RUNPATH") == ["$ORIGIN"]
    assert dynamic(libdir / "_core.so", "NEEDED") == ["libc.so.6"]  # Py* come from the process
    for name in ("libEGL.so.1", "libOSMesa.so.8"):
        path = libdir / name
        assert (exports(path), dynamic(path, "NEEDED"), dynamic(path, "SONAME")) == ([], [], [name])
        assert dynamic(path, "FILTER") == ["$ORIGIN/libGL.so.1"]
    egl = libdir / "vendor" / "libEGL_pydri.so.0"
    assert (exports(egl), dynamic(egl, "NEEDED")) == ([], [vendor.name])  # one state for both
    assert dynamic(egl, "RUNPATH") == ["$ORIGIN"]
    for name, column in stubs.GLES.items():
        es = libdir / name
        assert exports(es) == sorted(stubs.gles_names(column))
        # it opens libGL.so.1: with a NEEDED dlsym would find OpenGL's entry points in it, too
        assert (dynamic(es, "NEEDED"), dynamic(es, "SONAME")) == (["libc.so.6"], [es.name])
    icd = libdir / "vendor" / "50_pydri.json"
    assert json.loads(icd.read_text())["ICD"] == {"library_path": str(egl)}
    assert sorted((libdir / "vendor").iterdir()) == [icd, egl, vendor]


@pytest.mark.needs("libgles1", "libgles2", "binutils")
@pytest.mark.parametrize(("name", "column"), stubs.GLES.items())
def test_entry_points_of_es_are_those_of_glvnd(name: str, column: str) -> None:
    assert exports(pathlib.Path(host.LIB, name)) == sorted(stubs.gles_names(column))


@pytest.mark.parametrize(
    ("name", "own"), [("libGLESv1_CM.so.1", "glRotatex"), ("libGLESv2.so.2", "glUniform1f")]
)
def test_es_alone(libdir: pathlib.Path, name: str, own: str) -> None:
    """A program that opens a library of OpenGL ES finds what it exports, and nothing else."""
    code = (
        f"import ctypes; es = ctypes.CDLL('{name}'); es.glClear(0x4000);"
        f"print(es.glGetError(), hasattr(es, '{own}'), hasattr(es, 'glBegin'))"
    )
    env = {"LD_LIBRARY_PATH": str(libdir), "HOME": "/"}
    assert run(sys.executable, "-c", code, env=env).stdout == "0 True False\n"


@pytest.mark.needs("libosmesa6", "binutils")
def test_functions_of_osmesa_are_the_peers(libdir: pathlib.Path) -> None:
    peer = set(exports(pathlib.Path(host.LIB, "libOSMesa.so.8")))
    assert {name for name in peer if name.startswith("OSMesa")} == set(osmesa_table.SLOTS)
    assert not peer - set(exports(libdir / "libGL.so.1")) - {"glBufferDataSysmem"}


@pytest.mark.needs("libgl1", "binutils")
def test_everything_the_system_libgl_has_that_khronos_knows() -> None:
    system = pathlib.Path(host.LIB, "libGL.so.1")
    ours = set(gl_table.SLOTS) | set(glx_table.SLOTS)
    # names that left the registry or were never in it
    unknown = {n for n in exports(system) if n.startswith("gl") and n not in ours}
    assert not {n for n in unknown if not re.search(r"(NVX|NV|EXT|OES|Autodesk|x|xv|SGI)$", n)} - {
        "glBufferDataSysmem", "glPrimitiveRestart", "glXGetDriverConfig", "glXGetScreenDriver",
    }  # fmt: skip


def test_generated_files_are_current() -> None:
    pytest.importorskip("glad")
    done = subprocess.run(
        [sys.executable, "scripts/gen_api.py", "--check"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("", 0)


def test_generated_files_are_small() -> None:
    for name in ("gl_table.py", "glx_table.py", "egl_table.py", "enums.py", "egl_enums.py"):
        assert (ROOT / "pydri" / "api" / name).stat().st_size < 500_000


def test_rows() -> None:
    row = gl_table.TABLE.row("glVertex4fv")
    assert (row.name, row.ret, row.params) == ("glVertex4fv", "v", [("v", "*f4")])
    assert gl_table.TABLE.row("glActiveTextureARB").alias == "glActiveTexture"
    assert "glActiveTextureARB" in gl_table.TABLE.aliases_of("glActiveTexture")
    for table in (gl_table.TABLE, glx_table.TABLE, egl_table.TABLE, osmesa_table.TABLE):
        names = table.names
        assert names == sorted(names)
        for i, name in enumerate(names):
            row = table.row(i)
            assert (row.name, row.slot, table.slots[name]) == (name, i, i)
            assert all(code[0] in C_TYPES for _, code in row.params), row.name
            if row.alias:
                assert table.row(row.alias).c_params == row.c_params, row.name


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("glVertex3f", ["float", "float", "float"]),
        ("glBufferData", ["unsigned int", "long", "void *", "unsigned int"]),
        ("glColor4ub", ["unsigned char"] * 4),
        ("glClientWaitSync", ["void *", "unsigned int", "unsigned long"]),
        ("glVertex2d", ["double", "double"]),
        ("glVertex2s", ["short", "short"]),
        ("glColor3us", ["unsigned short"] * 3),
        ("glNormal3b", ["signed char"] * 3),
    ],
)
def test_c_types(name: str, types: list[str]) -> None:
    assert gl_table.TABLE.row(name).c_params == types


def test_stub_text() -> None:
    text = stubs.stubs_c()
    assert "HIDDEN unsigned int s_glGetError(void) { struct pydri_context *c" in text
    assert "glXGetCurrentContext" not in text  # written by hand in shim.c
    assert "vendorFromDrawable(a0, a1)" in stubs.vendor_dispatch()


def test_second_build_does_nothing(libdir: pathlib.Path) -> None:
    before = (libdir / "libGL.so.1").stat().st_mtime_ns
    assert build.build(str(libdir), say=False) == str(libdir)
    assert (libdir / "libGL.so.1").stat().st_mtime_ns == before


VENDOR = """
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
static int asked, index_, color = 5;
static void *from_drawable(void *dpy, unsigned long d) { asked = d; return &asked; }
static int swap(void *dpy, unsigned long d, int n) { return (int)d * 100 + n; }
static void *fetch(void *vendor, int i) { return i == 42 ? (void *)swap : 0; }
static void *current(void) { return 0; }
int main(int n, char **a)
{
    void *exports[13] = {0, current, fetch, 0, 0, 0, 0, 0, 0, 0, 0, 0, from_drawable};
    void *imports[9] = {0};
    void *lib = dlopen(a[1], RTLD_LAZY);
    if (!lib) { puts(dlerror()); return 1; }
    int (*glx_main)(uint32_t, void *, void *, void *) = dlsym(lib, "__glx_Main");
    printf("%d %d\\n", glx_main(2 << 16, exports, &asked, imports),
           glx_main(1 << 16, exports, &asked, imports));
    void *(*proc)(const char *) = imports[1];
    void *(*dispatch)(const char *) = imports[2];
    void (*set)(const char *, int) = imports[3];
    for (char **s = (char *[]){"glXChooseVisual", "glXCreateContext", "glXUseXFont", "glBegin",
                               "glXCreateContextAttribsARB", "glXSwapIntervalEXT", "glFoo", 0};
         *s; s++)
        printf("%s %d %d\\n", *s, !!proc(*s), !!dispatch(*s));
    set("glXSwapIntervalEXT", 42);
    void (*interval)(void *, unsigned long, int) = dispatch("glXSwapIntervalEXT");
    interval(0, 7, 3);
    printf("asked %d\\n", asked);
    int (*sgi)(int) = dispatch("glXSwapIntervalSGI");
    printf("none current: %d\\n", sgi(1));
    printf("python: %p\\n", dlsym(RTLD_DEFAULT, "Py_GetVersion"));
    return ((int (*)(void *, int))imports[0])(0, 0) ? 8 : 9;
}"""


@pytest.mark.embed
def test_glvnd_vendor(c_program: Callable[..., str], libdir: pathlib.Path) -> None:
    done = run(c_program(VENDOR), f"{libdir}/vendor/libGLX_pydri.so.0", env={})
    assert done.stdout.splitlines() == [
        "0 1",
        "glXChooseVisual 1 0",
        "glXCreateContext 1 0",
        "glXUseXFont 1 0",
        "glBegin 1 0",
        "glXCreateContextAttribsARB 1 0",
        "glXSwapIntervalEXT 1 1",
        "glFoo 0 0",
        "asked 7",
        "none current: 0",
        "python: (nil)",
    ]
    assert done.returncode == 8
