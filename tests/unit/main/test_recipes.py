# SPDX-License-Identifier: MIT
"""What docs/contracts.md says about adding ("How to add") is tried: a row more in each table, and
nothing else, has the effect. Kernels are compiled by themselves, of tables with that row."""

from __future__ import annotations

import ctypes
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.api import dispatch
from pydri.api.apis import COMPAT
from pydri.api.where import In
from pydri.glsl.language import builtin_functions
from pydri.jit import u32
from pydri.jit.kernel import Module
from pydri.main import core, extensions, version
from pydri.main.context import GLContext
from pydri.main.extensions import EXTENSIONS, NUMBERS, Extension
from pydri.main.get import entries as get_entries
from pydri.main.get import kernels as get_kernels
from pydri.main.get.tables import BY_ENUM, NATIVE, Param
from pydri.main.names.kernels import install
from pydri.main.names.layout import Named
from pydri.main.names.objects import live
from pydri.main.names.tables import COMPATIBLE, KINDS, Kind
from pydri.main.rows import FINDERS, row_finder
from pydri.main.textures import parameter_entries, parameter_kernels
from pydri.main.textures.parameters import PARAMETERS, WHOLE, Parameter
from pydri.main.version import GLVersion
from pydri.main.versions import VERSIONS, Version
from tests.unit.glsl.translated import color
from tests.unit.main.conftest import VISUAL, Caller

#: rows that there are not: a parameter that lies where another does, a limit, a kind
PARAMETER = Parameter(
    e.GL_TEXTURE_TILING_EXT, "seamless", WHOLE, where=In(46, 46, ext=("FOO_bar",))
)
LIMIT = Param(e.GL_MAX_VIEWPORTS, "I", 1, "limits.draw_buffers", where=In(21, 31))


class Fence(Named):
    """An object of the kind that is added."""

    wrap = u32


KIND = Kind(
    len(KINDS), "fence", Fence, True, 0, COMPATIBLE, "glGenFencesNV", "", "glDeleteFencesNV",
    "glIsFenceNV",
)  # fmt: skip
KEY = pathlib.Path(__file__).read_bytes()  # of the tables above the image is made, too
ENTRIES = ("glTexParameteri", "glGetIntegerv", "glGenFencesNV", "glDeleteFencesNV", "glIsFenceNV")


class Extended(Caller):
    """Calls the kernels that were made of the longer tables."""

    def __init__(self, ctx: GLContext, image: Any) -> None:
        super().__init__(ctx)
        self.image = image

    def call(self, name: str, *args: Any) -> int:
        passed = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in args]
        kinds = [ctypes.c_uint64] * (len(args) + 1)
        function = ctypes.CFUNCTYPE(ctypes.c_uint8, *kinds)(self.image.address(name))
        return int(function(self.ctx.address, *passed))


@pytest.fixture(scope="module")
def image() -> Any:
    """The kernels of ENTRIES, made of tables with a row more each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dispatch, "KERNELS", dict(dispatch.KERNELS))
        patch.setattr("pydri.main.rows.FINDERS", dict(FINDERS))
        patch.setattr("pydri.main.rows.NUMBERS", {**NUMBERS, "FOO_bar": len(NUMBERS)})
        longer = (*PARAMETERS, PARAMETER)
        patch.setattr(parameter_kernels, "PARAMETERS", longer)
        row = row_finder("texture_parameter_row", longer)
        patch.setattr(parameter_kernels, "parameter_row", row)
        patch.setattr(get_kernels, "NATIVE", (*NATIVE, LIMIT))
        patch.setattr(get_kernels, "param_row", row_finder("param_row", (*NATIVE, LIMIT)))
        install(KIND, __name__)
        made = Module("recipes", [dispatch.KERNELS[name] for name in ENTRIES], key=KEY).compile()
    return made


@pytest.fixture
def gl(image: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Extended]:
    """A context of OpenGL 2.1 with one extension more."""
    row = Extension("GL_FOO_bar", 2026, COMPAT)
    monkeypatch.setattr(version, "EXTENSIONS", (*EXTENSIONS, row))
    monkeypatch.setitem(extensions.NUMBERS, "FOO_bar", len(EXTENSIONS))
    ctx = GLContext(VISUAL, version=GLVersion(COMPAT, 2, 1))
    yield Extended(ctx, image)
    ctx.destroy()


def test_an_extension(gl: Extended) -> None:
    text = ctypes.string_at(gl.glGetString(e.GL_EXTENSIONS)).decode()
    assert "GL_FOO_bar" in text.split() and gl.ctx.has(In(0, 0, ext=("FOO_bar",)))
    older = GLContext(VISUAL, version=GLVersion(COMPAT, 2, 1))
    older.n.extensions_known = 1  # that has none
    assert not older.has(In(0, 0, ext=("FOO_bar",)))
    older.destroy()


def test_a_texture_parameter(gl: Extended, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {**parameter_entries._ROWS, PARAMETER.pname: PARAMETER}
    monkeypatch.setattr(parameter_entries, "_ROWS", rows)
    gl.call("glTexParameteri", e.GL_TEXTURE_2D, PARAMETER.pname, 7)
    out = np.zeros(1, np.int32)
    gl.python("glGetTexParameteriv", e.GL_TEXTURE_2D, PARAMETER.pname, out)
    assert gl.error() == 0 and out[0] == 7
    gl.call("glTexParameteri", e.GL_TEXTURE_2D, PARAMETER.pname, -1)
    assert gl.error() == e.GL_INVALID_VALUE
    gl.n.extensions[:] = [0] * len(gl.n.extensions)  # of a context without the extension
    gl.call("glTexParameteri", e.GL_TEXTURE_2D, PARAMETER.pname, 8)
    assert gl.error() == e.GL_INVALID_ENUM
    gl.python("glGetTexParameteriv", e.GL_TEXTURE_2D, PARAMETER.pname, out)
    assert gl.error() == e.GL_INVALID_ENUM and out[0] == 7


def test_a_parameter_of_glget(gl: Extended, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get_entries, "BY_ENUM", {**BY_ENUM, LIMIT.enum: LIMIT})
    native, python = np.zeros(1, np.int32), np.zeros(1, np.int32)
    gl.call("glGetIntegerv", LIMIT.enum, native)
    gl.python("glGetIntegerv", LIMIT.enum, python)
    assert gl.error() == 0 and native[0] == python[0] == gl.n.limits.draw_buffers > 0
    old = GLContext(VISUAL, version=GLVersion(COMPAT, 1, 5))
    Extended(old, gl.image).call("glGetIntegerv", LIMIT.enum, native)
    assert old.n.error == e.GL_INVALID_ENUM
    old.destroy()


def test_a_kind_of_object(gl: Extended) -> None:
    names = np.zeros(2, np.uint32)
    gl.call("glGenFencesNV", 2, names)
    assert names.tolist() == [1, 2] and gl.error() == 0
    assert gl.call("glIsFenceNV", 1) == 0  # nothing was made of the name yet
    gl.call("glDeleteFencesNV", 2, names)
    assert live(gl.ctx, KIND) == 0
    assert not [name for name in core.leaving(gl.ctx.image) if "fence" in name]


def test_a_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = version.offered(None, COMPAT)
    for limit, offered in ((1 << 30, before), (1, (3, 0))):
        row = Version(COMPAT, (3, 0), 130, ("GL_ARB_sync",), (("max_render_targets", limit),))
        monkeypatch.setattr(version, "VERSIONS", (*VERSIONS, row))
        assert version.offered(None, COMPAT) == offered
    ctx = GLContext(VISUAL)
    gl = Caller(ctx)
    assert ctx.version.number == (3, 0) and gl.ints(e.GL_MAJOR_VERSION, 1) == [3]
    words = ctypes.string_at(gl.glGetString(e.GL_SHADING_LANGUAGE_VERSION)).decode()
    assert words == "1.30"
    gl.glBindBuffer(e.GL_TRANSFORM_FEEDBACK_BUFFER, 0)  # a row that begins with 3.0
    assert gl.error() == 0
    ctx.destroy()


def test_a_built_in_function(monkeypatch: pytest.MonkeyPatch) -> None:
    row = builtin_functions.Row("twice", "G(G)", 120, expand=lambda b, x: b.fadd(x, x))
    monkeypatch.setitem(builtin_functions.ROWS, "twice", [row])
    text = "#version 120\nvarying vec4 v; void main() { gl_FragColor = twice(v); }"
    assert color(text, 1, {"v": [[1.0, 2.0, 3.0, 4.0]]}).tolist() == [[2.0, 4.0, 6.0, 8.0]]
