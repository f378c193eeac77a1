# SPDX-License-Identifier: MIT
"""The libraries, built once, and copies of them that boot into a small test package instead of the
driver's own glx and main rooms, so that the shim is tested by itself."""

import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable

import pytest

from libgl_shim import products
from tests import host

ROOT = pathlib.Path(__file__).resolve().parents[3]

GLX_ENTRIES = """
from pydri.api import dispatch
from pydri.api.dispatch import glx_entry

@glx_entry
def glXQueryVersion(dpy, major, minor):
    dispatch.ffi.cast("int *", major)[0] = 1
    dispatch.ffi.cast("int *", minor)[0] = 4
    return 1

@glx_entry
def glXIsDirect(dpy, ctx):
    raise ValueError("on purpose")

@glx_entry
def glXMakeCurrent(dpy, draw, ctx):
    import pydri.main.fake as fake
    if not draw:
        dispatch.make_current(0, 0, 0, 0, 0)
        return 1
    dispatch.make_current(fake.new_context(), 0x77, draw, draw, int(dispatch.ffi.cast("long", dpy)))
    return 1
"""
MAIN_FAKE = """
import ctypes
from pydri.api import dispatch
from pydri.api.gl_table import SLOTS

class Fake:
    api = 1
    error = 0
    flushed = 0
    strings = {0x1F02: ctypes.create_string_buffer(b"3.3"), (0x1F03, 0): None}
    def flush_vertices(self):
        self.flushed += 1
    def record_error(self, enum, message):
        from pydri.util import log
        self.error = self.error or enum
        log.gl_error(message)

keep = []
COLOR = []

@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_float, ctypes.c_float, ctypes.c_float)
def native(ctx, r, g, b):
    assert ctx in dispatch.CONTEXTS
    COLOR[:] = [r, g, b]

@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_float, ctypes.c_float, ctypes.c_float)
def goes_up(ctx, x, y, z):  # a kernel that leaves a rare case to the Python form
    table = dispatch.ffi.cast("void(**)(unsigned long, float, float, float)",
                              dispatch.shim.lazy_dispatch)
    table[SLOTS["glNormal3f"]](ctx, x, y, z)

GOES_UP = ctypes.cast(goes_up, ctypes.c_void_p).value
NATIVE = ctypes.cast(native, ctypes.c_void_p).value

def new_context():
    ffi = dispatch.ffi
    table = ffi.new("void *[]", dispatch.shim.n_gl)
    context = ffi.new("struct pydri_context *")
    context.dispatch = table
    address = int(ffi.cast("unsigned long", context))
    dispatch.fill_table(int(ffi.cast("unsigned long", table)))
    table[SLOTS["glNormal3f"]] = ffi.cast("void *", GOES_UP)
    table[SLOTS["glColor3f"]] = ffi.cast("void *", NATIVE)  # stands for a kernel
    dispatch.table_ready(int(ffi.cast("unsigned long", table)))
    dispatch.CONTEXTS[address] = Fake()
    keep.append((context, table))
    return address
"""
MAIN_ENTRIES = """
from pydri.api import dispatch
from pydri.api.dispatch import GLError, entry

@entry(flush=False)
def glGetError(ctx):
    error, ctx.error = ctx.error, 0
    return error

@entry
def glEnable(ctx, cap):
    raise GLError(0x500, "on purpose")

@entry
def glVertex4d(ctx, x, y, z, w):
    ctx.value = (x, y, z, w)

@entry
def glNormal3f(ctx, x, y, z):
    ctx.value = (x, y, z)

@entry
def glTexSubImage3D(ctx, *args):
    ctx.value = args[:-1]

@entry(flush=False)
def glGetDoublev(ctx, pname, params):
    import pydri.main.fake as fake
    out = dispatch.ffi.cast("double *", params)
    if pname == 2:
        for i, value in enumerate(fake.COLOR):
            out[i] = value
        return
    if pname == 1:
        out[0] = ctx.flushed
        return
    for i, value in enumerate(ctx.value):
        out[i] = value

@entry
def glIsEnabled(ctx, cap):
    return cap == 7

@entry
def glGetString(ctx, name):
    return dispatch.ffi.cast("void *", STRING)

@entry
def glCullFace(ctx, mode):
    return 1 // 0

STRING = dispatch.ffi.new("char[]", b"a string")
"""

Runner = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def libdir(libdir: str) -> pathlib.Path:
    """The real libraries of this checkout, as a path."""
    return pathlib.Path(libdir)


@pytest.fixture(scope="session")
def fake_libdir(libdir: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A copy whose sidecar leads to the test package."""
    base = tmp_path_factory.mktemp("fake")
    package = base / "tree" / "pydri"
    for name in ("glx", "main"):
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text("")
    for name in ("__init__.py", "boot.py", "api", "util"):
        (package / name).symlink_to(ROOT / "pydri" / name)
    (package / "glx" / "entries.py").write_text(GLX_ENTRIES)
    (package / "main" / "fake.py").write_text(MAIN_FAKE)
    (package / "main" / "entries.py").write_text(MAIN_ENTRIES)
    copy = base / "lib"
    shutil.copytree(libdir, copy)
    text = (libdir / products.SIDECAR).read_text()
    (copy / products.SIDECAR).write_text(text.replace(f"path={ROOT}\n", f"path={base}/tree\n"))
    return copy


@pytest.fixture
def c_program(tmp_path: pathlib.Path) -> Callable[..., str]:
    """Compiles C text to a program (or, with shared=True, a library)."""

    def compile_(text: str, *flags: str, name: str = "program") -> str:
        source = tmp_path / f"{name}.c"
        source.write_text(text)
        return host.compile_client(source, "-w", *flags, folder=tmp_path, name=name)

    return compile_


def run(*command: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run with nothing but `env` in the environment."""
    base = {k: v for k, v in os.environ.items() if k in ("HOME",)} if env is None else env
    return subprocess.run(
        command, env=base, cwd="/", capture_output=True, text=True, timeout=30, check=False
    )
