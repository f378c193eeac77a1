# SPDX-License-Identifier: MIT
"""Compiled drivers without an X server: thunks, and Mesa's swrast_dri.so on the headless winsys.

Mesa's driver runs in a process of its own, since it brings another LLVM along. What is drawn with
it in windows is tested in tests/unit/glx/test_compiled.py.
"""

import ctypes
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pydri.api import gl_table
from pydri.dri.compiled import thunks
from pydri.dri.compiled.context import attribute_list
from pydri.dri.context import ContextAttribs
from tests import host

MESA = "/usr/lib/x86_64-linux-gnu/dri"
needs_driver = pytest.mark.needs("libgl1-mesa-dri", "xvfb")  # the peer is asked for its version


def kinds() -> list[tuple[bool, ...]]:
    """All there are, and some that no entry point has: which parameters are floats."""
    table, chance = gl_table.TABLE, random.Random(1)
    found = {
        tuple(kind in ("float", "double") for kind in table.row(slot).c_params)
        for slot in range(len(table))
    }
    found |= {
        tuple(chance.random() < 0.5 for _ in range(chance.randrange(24))) for _ in range(200)
    }
    return sorted(found)


@pytest.mark.embed
def test_thunks_drop_the_first_argument_alone(tmp_path: Path) -> None:
    """Functions in C that note their arguments, each called through its thunk with a context in
    front: they see the others, and their result comes back."""
    lines = ["double seen[64]; int count;"]
    for n, kind in enumerate(kinds()):
        declared = ", ".join(f"{'double' if x else 'long'} a{i}" for i, x in enumerate(kind))
        noted = " ".join(f"seen[{i}] = a{i};" for i in range(len(kind)))
        lines.append(f"long f{n}({declared or 'void'}) {{ count = {len(kind)}; {noted}"
                     f" return {n} + 7; }}")  # fmt: skip
    source = tmp_path / "functions.c"
    source.write_text("\n".join(lines))
    library = ctypes.CDLL(
        host.compile_client(source, "-shared", "-fPIC", folder=tmp_path, name="functions.so")
    )
    seen = (ctypes.c_double * 64).in_dll(library, "seen")
    count = ctypes.c_int.in_dll(library, "count")
    for n, kind in enumerate(kinds()):
        target = ctypes.cast(getattr(library, f"f{n}"), ctypes.c_void_p).value or 0
        address = thunks._lasting(thunks.template(kind).to(target), execute=True)
        types = [ctypes.c_double if is_float else ctypes.c_long for is_float in kind]
        call = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, *types)(address)
        values = [100.0 * n + i + 1 for i in range(len(kind))]
        given = [value if is_float else int(value) for value, is_float in zip(values, kind)]
        assert call(0xC0FFEE, *given) == n + 7
        assert (count.value, list(seen[: len(kind)])) == (len(kind), values), kind


def test_a_name_that_glapi_does_not_know_does_nothing() -> None:
    table = thunks.make_table(lambda name: 0)
    slot = gl_table.SLOTS["glGetError"]
    address = ctypes.c_uint64.from_address(table + 8 * slot).value
    assert ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_void_p)(address)(1) == 0


def test_attributes_are_said_where_they_are_not_usual() -> None:
    assert attribute_list(ContextAttribs()) == [0, 1, 1, 0]
    asked = ContextAttribs(
        major=4, minor=5, forward_compatible=True, debug=True, robust_access=True,
        lose_context_on_reset=True, flush_on_release=False,
    )  # fmt: skip
    assert attribute_list(asked) == [0, 4, 1, 5, 3, 1, 5, 0, 2, 7]
    assert attribute_list(ContextAttribs(major=2, no_error=True)) == [0, 2, 1, 0, 6, 1]


def run_alone(name: str, **more: str) -> None:
    """Run a function of this module in a process whose drivers are Mesa's."""
    host.only_drivers_for_all_loaders()
    env = {
        **host.clean_environment(), "LIBGL_DRIVERS_PATH": MESA, "PYTHONPATH": host.ROOT,
        "MESA_SHADER_CACHE_DIR": host.kernels(), **more,
    }  # fmt: skip
    code = f"from tests.unit.dri import test_compiled; test_compiled.{name}()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=100,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


class Bench:
    """Mesa's driver, a window of the headless winsys, and GL by name in the current context."""

    def __init__(self, format_name: str = "B8G8R8A8_UNORM") -> None:
        from pydri.dri.screen import create_screen
        from winsys_x11.null import NullWinsys

        screen: Any = create_screen(NullWinsys())
        self.screen = screen
        configs = [c.config for c in screen.configs([], [24])]
        self.config = next(
            c for c in configs if c.color_format == format_name and c.double_buffer and c.depth
        )
        self.window = screen.winsys.window_surface(1, 24, 4)
        self.drawable = screen.create_drawable(self.config, self.window, 1)

    def context(self, share: Any = None, **attribs: int) -> "Gl":
        """A new context."""
        return Gl(self.screen.create_context(self.config, share, ContextAttribs(**attribs)))


class Gl:
    """A context and its functions, through the table that the shim's stubs jump by."""

    def __init__(self, dri: Any) -> None:
        self.dri = dri
        self.address: int = dri.address

    def call(self, name: str, *arguments: float, ret: Any = ctypes.c_uint32) -> Any:
        """A GL function."""
        table = ctypes.c_uint64.from_address(self.address).value
        address = ctypes.c_uint64.from_address(table + 8 * gl_table.SLOTS[name]).value
        kinds = gl_table.TABLE.row(name).c_params
        types = [
            {"float": ctypes.c_float, "double": ctypes.c_double}.get(kind, ctypes.c_uint64)
            for kind in kinds
        ]
        return ctypes.CFUNCTYPE(ret, ctypes.c_uint64, *types)(address)(self.address, *arguments)

    def pixel(self, x: int, y: int) -> tuple[int, ...]:
        """What glReadPixels says."""
        out = (ctypes.c_uint8 * 4)()
        self.call("glReadPixels", x, y, 1, 1, 0x1908, 0x1401, ctypes.addressof(out))
        return tuple(out)

    def clear(self, red: float, green: float, blue: float) -> None:
        """glClear of the colours."""
        self.call("glClearColor", red, green, blue, 1.0)
        self.call("glClear", 0x4000)


def frames() -> None:
    bench = Bench()
    gl = bench.context()
    gl.dri.bind(bench.drawable, bench.drawable)
    gl.clear(1, 0, 0)
    assert gl.pixel(0, 0) == (255, 0, 0, 255) == gl.pixel(255, 255)
    bench.drawable.swap(gl.dri)
    assert (bench.window.frames, len(bench.window.last)) == (1, 256 * 256 * 4)
    assert bench.window.last[:4] == bytes((0, 0, 255, 255))
    bench.window.resize(70, 30)
    gl.clear(0, 1, 0)
    bench.drawable.swap(gl.dri)  # the driver hears of it now
    gl.clear(0, 0, 1)
    bench.drawable.swap(gl.dri)
    assert (bench.drawable.width, bench.drawable.height) == (70, 30)
    assert bench.window.last[:4] == bytes((255, 0, 0, 255))
    assert gl.call("glGetError") == 0
    gl.dri.unbind()
    bench.drawable.destroy()
    bench.screen.destroy()
    assert bench.screen.handle  # a context is left
    gl.dri.destroy()
    assert not bench.screen.handle


@needs_driver
def test_frames() -> None:
    run_alone("frames")


def versions() -> None:
    bench = Bench()
    for attribs, expected in (
        ({}, "4.5 (Compatibility Profile) Mesa"),
        ({"major": 3, "minor": 3, "api": 2}, "4.5 (Core Profile) Mesa"),
        ({"major": 2, "api": 8}, "OpenGL ES 3.2 Mesa"),
        ({"major": 1, "api": 4}, "OpenGL ES-CM 1.1 Mesa"),
    ):
        gl = bench.context(**attribs)
        gl.dri.bind(bench.drawable, bench.drawable)
        text = gl.call("glGetString", 0x1F02, ret=ctypes.c_char_p)
        assert isinstance(text, bytes) and text.startswith(expected.encode()), text
        gl.dri.unbind()
        gl.dri.destroy()


@needs_driver
def test_versions() -> None:
    run_alone("versions")


def refusals() -> None:
    from pydri.dri.context import ContextError

    bench = Bench()
    try:
        bench.context(major=4, minor=6)
    except ContextError as problem:
        assert str(problem).endswith("makes no such context: no such version"), problem
    else:
        raise AssertionError("a context of a version that the driver has not")


@needs_driver
def test_a_context_that_the_driver_refuses() -> None:
    run_alone("refusals")


def sharing() -> None:
    bench = Bench()
    one = bench.context()
    two = bench.context(one.dri)
    one.dri.bind(bench.drawable, bench.drawable)
    one.call("glBindTexture", 0x0DE1, 5)
    one.dri.unbind()
    two.dri.bind(bench.drawable, bench.drawable)
    assert two.call("glIsTexture", 5)
    two.dri.unbind()
    for gl in (one, two):
        gl.dri.destroy()


@needs_driver
def test_sharing() -> None:
    run_alone("sharing")


def srgb() -> None:
    """eglCreateWindowSurface with EGL_GL_COLORSPACE_SRGB: the driver's config is another one."""
    bench = Bench()
    surface = bench.screen.winsys.window_surface(2, 24, 4)
    drawable = bench.screen.create_drawable(bench.config, surface, 2, True)
    assert drawable.config.srgb and not bench.config.srgb


@needs_driver
def test_encoded_surfaces() -> None:
    run_alone("srgb")
