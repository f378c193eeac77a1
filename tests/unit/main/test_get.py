# SPDX-License-Identifier: MIT
"""The table of glGet parameters: every row in every form, native against Python; strings."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.api.apis import COMPAT, CORE, ES2
from pydri.main import version
from pydri.main.arrays.layout import VertexArray
from pydri.main.arrays.tables import CLIENT_ARRAYS
from pydri.main.buffers.tables import TARGETS
from pydri.main.context import GLContext
from pydri.main.get.derived_kernels import DERIVED
from pydri.main.get.tables import CONSTANT, NATIVE, PARAMS
from pydri.main.kernels import fields_of
from pydri.main.layout import GLContext as Native
from pydri.main.pointers import to_int
from pydri.main.state.enable_tables import CAPS
from pydri.main.version import GLVersion
from pydri.util.options import options
from tests.unit.main.conftest import VISUAL, Caller

FORMS = (
    ("glGetBooleanv", np.uint8),
    ("glGetIntegerv", np.int32),
    ("glGetFloatv", np.float32),
    ("glGetDoublev", np.float64),
)


def scatter(gl: Any) -> None:
    """State in which neighbours differ, so that a wrong offset shows."""
    n = gl.n
    rng = np.random.default_rng(5)
    gl.glActiveTexture(e.GL_TEXTURE2)
    for k in range(44):
        n.val.current[k][:] = rng.uniform(-1, 1, 4).astype(np.float32).tolist()
    for unit in range(8):
        n.raw.raster_texcoords[unit][:] = rng.normal(size=4).tolist()
    gl.glMatrixMode(e.GL_TEXTURE)
    for mode in (e.GL_PROJECTION, e.GL_TEXTURE, e.GL_MODELVIEW):
        gl.glMatrixMode(mode)
        gl.glPushMatrix()
        gl.glLoadMatrixf(rng.normal(size=16).astype(np.float32))
    n.raw.viewport[:] = (1.0, 2.0, 30.5, 40.0)
    n.raw.scissor[:] = (-5, 6, 7, 8)
    gl.glBlendColor(0.1, 0.2, 0.3, 0.4)
    gl.glStencilMask(0xFFFFFFFE)
    gl.glFogfv(e.GL_FOG_COLOR, np.array([0.5, 0.25, 0.125, 1], np.float32))
    gl.glLineWidth(2.5)
    gl.glPolygonMode(e.GL_BACK, e.GL_LINE)
    gl.glColorMask(1, 0, 1, 0)
    gl.glActiveStencilFaceEXT(e.GL_BACK)
    n.raw.stencil_ref[:] = (3, -5, 400)
    gl.glClientActiveTexture(e.GL_TEXTURE1)
    for name, target in enumerate(TARGETS, 11):
        gl.glBindBuffer(target, name)
        gl.glVertexAttribPointer(name - 10, 4, e.GL_FLOAT, 0, 0, 0)
        gl.glTexCoordPointer(2 + name % 2, e.GL_FLOAT, 4 * name, 0)
    gl.glColorPointer(3, e.GL_FLOAT, 0, 0)
    gl.glPixelStorei(e.GL_PACK_SWAP_BYTES, 1)
    gl.glPixelStorei(e.GL_UNPACK_LSB_FIRST, 1)


#: the time does not stand still; some names are of OpenGL ES alone
OTHERS = (
    e.GL_TIMESTAMP, e.GL_PACK_REVERSE_ROW_ORDER_ANGLE, e.GL_GPU_DISJOINT_EXT,
    e.GL_POINT_SIZE_ARRAY_TYPE_OES, e.GL_POINT_SIZE_ARRAY_STRIDE_OES,
    e.GL_POINT_SIZE_ARRAY_BUFFER_BINDING_OES,
)  # fmt: skip
STILL = [p for p in PARAMS if p.enum not in OTHERS]


@pytest.fixture
def later() -> Iterator[Caller]:
    """Of a version that has all parameters."""
    ctx = GLContext(VISUAL, version=GLVersion(COMPAT, 4, 6))
    yield Caller(ctx)
    ctx.destroy()


@pytest.mark.parametrize("param", STILL, ids=lambda p: e.name_of(p.enum))
def test_every_row(later: Any, param: Any) -> None:
    gl = later
    scatter(gl)
    for name, dtype in FORMS:
        native = np.full(20, 77, dtype)
        python = native.copy()
        getattr(gl, name)(param.enum, native)
        gl.python(name, param.enum, python)
        assert gl.error() == 0
        assert np.array_equal(native, python), (name, native, python)
        assert (native[param.size :] == 77).all(), "wrote too much"
        assert param.size == 0 or dtype == np.uint8 or (native != 77).any(), "wrote nothing"


def test_rows_fit_the_native_fields() -> None:
    sizes = {"b": 1, "h": 2, "I": 4, "i": 4, "f": 4, "n": 4, "d": 8, "N": 8}
    for param in NATIVE:
        block, _, field = param.place.partition(".")
        in_vao = block == "vao"
        _, kind = fields_of(VertexArray if in_vao else Native, field if in_vao else param.place)
        while hasattr(kind, "count"):
            kind = kind.elem
        assert kind.size == sizes[param.kind], e.name_of(param.enum)
        assert (kind.kind == "f") == (param.kind in "fndN"), e.name_of(param.enum)


def test_what_every_program_asks_enters_no_python() -> None:
    """Loaders read these of each context (glad, GLEW, moderngl, pyglet), toolkits the last ones in
    each frame, to put them back."""
    native = {p.enum for p in (*NATIVE, *CONSTANT)} | DERIVED.keys()
    assert {
        e.GL_MAJOR_VERSION, e.GL_MINOR_VERSION, e.GL_NUM_EXTENSIONS, e.GL_CONTEXT_FLAGS,
        e.GL_CONTEXT_PROFILE_MASK, e.GL_MAX_TEXTURE_SIZE, e.GL_NUM_PROGRAM_BINARY_FORMATS,
        e.GL_CURRENT_PROGRAM, e.GL_ACTIVE_TEXTURE, e.GL_TEXTURE_BINDING_2D, e.GL_SAMPLER_BINDING,
        e.GL_ARRAY_BUFFER_BINDING, e.GL_VERTEX_ARRAY_BINDING, e.GL_VIEWPORT, e.GL_SCISSOR_BOX,
        e.GL_POLYGON_MODE, e.GL_BLEND_SRC_RGB, e.GL_BLEND_EQUATION_ALPHA,
        e.GL_DRAW_FRAMEBUFFER_BINDING, e.GL_TRANSFORM_FEEDBACK_BINDING,
        e.GL_NUM_COMPRESSED_TEXTURE_FORMATS, e.GL_COMPRESSED_TEXTURE_FORMATS,
        e.GL_RESET_NOTIFICATION_STRATEGY, e.GL_CONTEXT_RELEASE_BEHAVIOR,
        e.GL_CONTEXT_ROBUST_ACCESS,
    } <= native  # fmt: skip


def test_no_enum_twice() -> None:
    enums = [p.enum for p in PARAMS] + [c.enum for c in CAPS] + list(CLIENT_ARRAYS)
    assert len(enums) == len(set(enums))


def test_conversions(gl: Any) -> None:
    gl.n.val.current[2][:] = (1.0, -1.0, 0.5, 0.0)
    assert gl.ints(e.GL_CURRENT_COLOR) == [0x7FFFFFFF, -0x7FFFFFFF, 0x3FFFFFFF, 0]
    gl.glPointSize(2.6)
    assert gl.ints(e.GL_POINT_SIZE, 1) == [3]
    gl.glStencilMask(0xFFFFFFFF)
    assert gl.ints(e.GL_STENCIL_WRITEMASK, 1) == [-1]
    out = np.zeros(1, np.int64)
    gl.glGetInteger64v(e.GL_MAX_TEXTURE_SIZE, out)
    assert out[0] == 16384
    gl.glGetInteger64v(e.GL_MAX_SERVER_WAIT_TIMEOUT, out)  # too large for 32 bits
    assert out[0] == 2**63 - 1 and gl.ints(e.GL_MAX_SERVER_WAIT_TIMEOUT, 1) == [2**31 - 1]
    flags = np.full(4, 9, np.uint8)
    gl.glGetBooleanv(e.GL_CURRENT_COLOR, flags)
    assert flags.tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize("name", [n for n, _ in FORMS] + ["glGetInteger64v"])
def test_unknown_parameter(gl: Any, name: str) -> None:
    out = np.zeros(4)
    getattr(gl, name)(0x7777, out)
    assert gl.error() == e.GL_INVALID_ENUM and not out.any()


def test_visual(gl: Any) -> None:
    assert [
        gl.ints(b, 1)[0]
        for b in (e.GL_RED_BITS, e.GL_ALPHA_BITS, e.GL_DEPTH_BITS, e.GL_STENCIL_BITS)
    ] == [8, 0, 24, 8]
    assert gl.ints(e.GL_DOUBLEBUFFER, 1) == [1]


# -- strings --------------------------------------------------------------------------------------


def text(gl: Any, name: int) -> str | None:
    address = gl.glGetString(name)
    return ctypes.string_at(address).decode() if address else None


def test_strings(gl: Any) -> None:
    assert text(gl, e.GL_VENDOR) == "pydri" and text(gl, e.GL_RENDERER) == "pydri test"
    assert text(gl, e.GL_VERSION).startswith("3.3 (Compatibility Profile) pydri ")
    names = text(gl, e.GL_EXTENSIONS).split()
    assert len(names) == len(set(names)) == gl.ints(e.GL_NUM_EXTENSIONS, 1)[0]
    assert "GL_ARB_transpose_matrix" in names
    assert gl.glGetString(e.GL_VERSION) == gl.glGetString(e.GL_VERSION)
    for call in (partial(gl.python, "glGetStringi"), gl.glGetStringi):  # which the first fills in
        each = [call(e.GL_EXTENSIONS, n) for n in range(len(names))]
        assert [ctypes.string_at(address).decode() for address in each] == names
    for name, index, error in ((e.GL_EXTENSIONS, len(names), e.GL_INVALID_VALUE),
                               (e.GL_VENDOR, 0, e.GL_INVALID_ENUM)):  # fmt: skip
        assert not gl.glGetStringi(name, index)  # these are Python's, which is not there
        gl.python("glGetStringi", name, index)
        assert gl.error() == error
    assert text(gl, 5) is None and gl.error() == e.GL_INVALID_ENUM


def test_overrides(capfd: pytest.CaptureFixture[str]) -> None:
    with options(
        MESA_GL_VERSION_OVERRIDE="3.1COMPAT", MESA_EXTENSION_OVERRIDE="-GL_EXT_bgra +GL_FOO_bar"
    ):
        ctx = GLContext(VISUAL)
        gl = Caller(ctx)
        assert text(gl, e.GL_VERSION).startswith("3.1 pydri")
        assert gl.ints(e.GL_MAJOR_VERSION, 1) == [3] and gl.ints(e.GL_MINOR_VERSION, 1) == [1]
        names = text(gl, e.GL_EXTENSIONS).split()
        assert "GL_EXT_bgra" not in names and "GL_FOO_bar" in names
        ctx.destroy()
    for of, told in (
        (GLVersion(COMPAT, 3, 2), "3.2 (Compatibility Profile) pydri"),
        (GLVersion(CORE, 3, 1), "3.1 (Core Profile) pydri"),
    ):
        assert version.version_string(of).startswith(told)
    with options(MESA_GL_VERSION_OVERRIDE="nonsense"):
        assert version.context_version().number == version.offered(None, COMPAT)
    assert "'nonsense' is no version" in capfd.readouterr().err
    numbers = ((1, 5), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (3, 3), (4, 5))
    for api in (COMPAT, CORE):  # with a version that is claimed comes its language
        told = [version.glsl_version(GLVersion(api, *of)) for of in numbers]
        assert told == [0, 120, 120, 130, 140, 150, 330, 330]
    assert [version.glsl_version(GLVersion(ES2, n, 0)) for n in (2, 3)] == [100, 300]
    with options(MESA_GLSL_VERSION_OVERRIDE=110):
        assert version.glsl_version(GLVersion(COMPAT, 2, 1)) == 110
    with options(MESA_EXTENSION_MAX_YEAR=1996):
        assert (
            "GL_EXT_bgra" in version.extensions() and "GL_EXT_fog_coord" not in version.extensions()
        )


def test_errors_are_reported(capfd: pytest.CaptureFixture[str]) -> None:
    with options(MESA_DEBUG=""):
        ctx = GLContext(VISUAL)
        gl = Caller(ctx)
        gl.glEnable(0x1234)
        gl.glLineWidth(-1)
        gl.glLightf(e.GL_LIGHT0, e.GL_SPOT_CUTOFF, 100.0)
        gl.glGetPixelMapfv(3, np.zeros(4, np.float32))
        ctx.destroy()
    lines = capfd.readouterr().err.splitlines()
    assert lines[:3] == [
        "Mesa: User error: GL_INVALID_ENUM in glEnable",
        "Mesa: User error: GL_INVALID_VALUE in glLineWidth",
        "Mesa: User error: GL_INVALID_VALUE in glLightf",
    ]
    assert lines[3].startswith("Mesa: User error: GL_INVALID_ENUM in glGetPixelMapfv(")


@pytest.mark.parametrize(
    ("kind", "value", "bits", "expected"),
    [
        ("f", 2.5, 32, 2), ("f", -3.7, 32, -4), ("f", float("nan"), 32, 0),
        ("f", float("inf"), 32, 0x7FFFFFFF), ("d", float("-inf"), 64, -(1 << 63)),
        ("n", 1.0, 32, 0x7FFFFFFF), ("n", -2.0, 32, -0x7FFFFFFF), ("N", 0.5, 32, 0x3FFFFFFF),
        ("I", 0xFFFFFFFF, 32, -1), ("I", 0xFFFFFFFF, 64, 0xFFFFFFFF), ("b", True, 32, 1),
        ("L", 1 << 40, 32, 0x7FFFFFFF), ("L", 1 << 40, 64, 1 << 40),
    ],
)  # fmt: skip
def test_values_become_integers(kind: str, value: float, bits: int, expected: int) -> None:
    assert to_int(kind, value, bits) == expected
