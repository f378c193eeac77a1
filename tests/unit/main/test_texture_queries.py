# SPDX-License-Identifier: MIT
"""What kernels answer about textures is what the Python forms say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.api.apis import CORE
from pydri.main.context import GLContext
from pydri.main.textures.image_tables import TARGETS
from pydri.main.textures.parameters import PARAMETERS
from pydri.main.textures.tables import BIND_TARGETS, COORDS, ENV
from pydri.main.version import GLVersion
from tests.unit.main.conftest import VISUAL, Caller


def both(gl: Any, name: str, *args: Any) -> None:
    """A query's native and Python forms, with what they write and their errors."""
    dtype = {"fv": np.float32, "iv": np.int32, "dv": np.float64}[name[-2:]]
    native = np.full(8, 77, dtype)
    python = native.copy()
    getattr(gl, name)(*args, native)
    error = gl.error()
    gl.python(name, *args, python)
    assert gl.error() == error, (name, args)
    assert np.array_equal(native, python), (name, args, native, python)


@pytest.mark.parametrize("form", ["fv", "iv"])
def test_parameters(gl: Any, form: str) -> None:
    for target in (*BIND_TARGETS, 77):
        gl.glTexParameterfv(
            target, e.GL_TEXTURE_BORDER_COLOR, np.array([0.3, -4.0, 2.0, 0.9], np.float32)
        )
        gl.glTexParameterf(target, e.GL_TEXTURE_MAX_LOD, 3e20)
        gl.glTexParameterf(target, e.GL_TEXTURE_LOD_BIAS, float("nan"))
        gl.glTexParameterf(target, e.GL_TEXTURE_MIN_LOD, -2.5)
        gl.glTexParameterf(target, e.GL_TEXTURE_PRIORITY, 0.4)
        gl.error()
        for pname in (*(row.pname for row in PARAMETERS), e.GL_TEXTURE_RESIDENT, 77):
            if form == "fv" and pname == e.GL_TEXTURE_LOD_BIAS:
                continue  # not a number equals nothing
            both(gl, "glGetTexParameter" + form, target, pname)


@pytest.mark.parametrize("form", ["fv", "iv"])
def test_units(gl: Any, form: str) -> None:
    for unit in (0, 3, 9):
        gl.glActiveTexture(e.GL_TEXTURE0 + unit)
        gl.glTexEnvf(e.GL_TEXTURE_FILTER_CONTROL, e.GL_TEXTURE_LOD_BIAS, -1.5)
        gl.glTexGenfv(e.GL_T, e.GL_OBJECT_PLANE, np.array([1.5, 2.5, 3e20, -4], np.float32))
        gl.error()
        rows = [(row.target, row.pname) for row in ENV]
        for target, pname in (*rows, (e.GL_TEXTURE_ENV, e.GL_TEXTURE_ENV_COLOR), (77, 78)):
            both(gl, "glGetTexEnv" + form, target, pname)
            both(gl, "glGetTexEnv" + form, e.GL_POINT_SPRITE, pname)
        for coord in (*COORDS, 77):
            for pname in (e.GL_TEXTURE_GEN_MODE, e.GL_OBJECT_PLANE, e.GL_EYE_PLANE, 77):
                both(gl, "glGetTexGen" + form, coord, pname)
                both(gl, "glGetTexGendv", coord, pname)


@pytest.mark.parametrize("form", ["fv", "iv"])
def test_levels_without_images(gl: Any, form: str) -> None:
    for row in TARGETS:
        for level in (0, 3, -1, 99):
            for pname in (e.GL_TEXTURE_WIDTH, e.GL_TEXTURE_BORDER, e.GL_TEXTURE_COMPRESSED, 77):
                both(gl, "glGetTexLevelParameter" + form, row.enum, level, pname)


def test_what_the_core_profile_has_no_longer_is_no_level_parameter() -> None:
    """Borders, luminance and intensity (OpenGL 3.1, E.2)."""
    ctx = GLContext(VISUAL, version=GLVersion(CORE, 3, 2))
    gl, out = Caller(ctx), np.zeros(1, np.int32)
    for pname, error in (
        (e.GL_TEXTURE_WIDTH, 0), (e.GL_TEXTURE_RED_SIZE, 0), (e.GL_TEXTURE_BORDER, 0x500),
        (e.GL_TEXTURE_LUMINANCE_SIZE, 0x500), (e.GL_TEXTURE_INTENSITY_TYPE, 0x500),
    ):  # fmt: skip
        gl.glGetTexLevelParameteriv(e.GL_TEXTURE_2D, 0, pname, out)
        assert gl.error() == error
    ctx.destroy()
