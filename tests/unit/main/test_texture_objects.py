# SPDX-License-Identifier: MIT
"""Texture objects as state: binding, parameters with their errors, deletion, attribute stacks,
share groups.
"""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.main.context import GLContext
from pydri.main.names.objects import live
from pydri.main.names.tables import TEXTURES
from pydri.main.textures.layout import MAX_TEXTURE_TARGETS, TextureObject
from pydri.main.textures.parameter_entries import texture_at
from pydri.main.textures.parameters import (
    BOX,
    COLOR,
    ENUM,
    ENUMS,
    FLOAT,
    PARAMETERS,
    TRUTH,
    WHOLE,
    Parameter,
)
from pydri.main.textures.tables import BIND_TARGETS
from tests.unit.main.conftest import Caller, having
from tests.unit.main.test_state import unchanged

T2 = e.GL_TEXTURE_2D
RECT = e.GL_TEXTURE_RECTANGLE


def generate(gl: Any, count: int) -> list[int]:
    out = np.zeros(count, np.uint32)
    gl.glGenTextures(count, out)
    return out.tolist()


def delete(gl: Any, *names: int) -> None:
    gl.glDeleteTextures(len(names), np.array(names, np.uint32))


def bound(gl: Any, target: int = T2) -> int:
    return int(texture_at(gl.ctx, target).name)


def params(gl: Any, pname: int, target: int = T2, count: int = 1) -> list[float]:
    out = np.zeros(count, np.float32)
    gl.glGetTexParameterfv(target, pname, out)
    return out.tolist()


def ints(gl: Any, pname: int, target: int = T2, count: int = 1, pure: bool = False) -> list[int]:
    out = np.zeros(count, np.int32)
    (gl.glGetTexParameterIiv if pure else gl.glGetTexParameteriv)(target, pname, out)
    return out.tolist()


def test_binding(gl: Any) -> None:
    a, b = generate(gl, 2)
    assert not gl.glIsTexture(a)
    gl.glBindTexture(T2, a)
    assert gl.glIsTexture(a) and not gl.glIsTexture(b) and bound(gl) == a
    assert gl.ints(e.GL_TEXTURE_BINDING_2D, 1) == [a]
    assert gl.ints(e.GL_TEXTURE_BINDING_3D, 1) == [0]
    gl.glActiveTexture(e.GL_TEXTURE3)
    assert bound(gl) == 0
    gl.glBindTexture(RECT, b)
    assert bound(gl, RECT) == b and params(gl, e.GL_TEXTURE_WRAP_S, RECT) == [e.GL_CLAMP_TO_EDGE]
    assert params(gl, e.GL_TEXTURE_MIN_FILTER, RECT) == [e.GL_LINEAR]
    unchanged(gl, e.GL_INVALID_OPERATION, "glBindTexture", T2, b)
    unchanged(gl, e.GL_INVALID_ENUM, "glBindTexture", e.GL_TEXTURE_CUBE_MAP_POSITIVE_X, a)
    gl.glActiveTexture(e.GL_TEXTURE0)
    delete(gl, a, b, 0, 99)
    assert bound(gl) == 0 and not gl.glIsTexture(a)
    gl.glActiveTexture(e.GL_TEXTURE3)
    assert bound(gl, RECT) == 0 and live(gl.ctx, TEXTURES) == MAX_TEXTURE_TARGETS
    gl.glBindTexture(T2, 1234)  # names may be invented
    assert gl.glIsTexture(1234) and gl.error() == 0


def test_a_texture_of_another_context_lives_on(gl: Any) -> None:
    other = Caller(GLContext(share=gl.ctx))
    (name,) = generate(gl, 1)
    gl.glBindTexture(T2, name)
    gl.glTexParameteri(T2, e.GL_TEXTURE_MAG_FILTER, e.GL_NEAREST)
    other.glBindTexture(T2, name)
    assert texture_at(gl.ctx, T2).references and bound(other) == name
    delete(gl, name)
    assert bound(gl) == 0 and bound(other) == name  # GL 2.1, appendix D
    assert params(other, e.GL_TEXTURE_MAG_FILTER) == [e.GL_NEAREST]
    assert live(gl.ctx, TEXTURES) == MAX_TEXTURE_TARGETS + 1
    other.glBindTexture(T2, 0)
    assert live(gl.ctx, TEXTURES) == MAX_TEXTURE_TARGETS
    # texture objects 0 belong to the share group, too
    other.glTexParameteri(T2, e.GL_TEXTURE_WRAP_S, e.GL_CLAMP)
    assert params(gl, e.GL_TEXTURE_WRAP_S) == [e.GL_CLAMP]
    other.ctx.destroy()
    assert params(gl, e.GL_TEXTURE_WRAP_S) == [e.GL_CLAMP]


def test_priorities_and_residence(gl: Any) -> None:
    a, b = generate(gl, 2)
    gl.glBindTexture(T2, a)
    names = np.array([a, b, 0], np.uint32)
    gl.glPrioritizeTextures(3, names, np.array([0.5, 0.25, 7.0], np.float32))
    assert params(gl, e.GL_TEXTURE_PRIORITY) == [0.5]
    gl.glTexParameterf(T2, e.GL_TEXTURE_PRIORITY, 4.0)
    assert params(gl, e.GL_TEXTURE_PRIORITY) == [1.0]
    out = np.full(4, 7, np.uint8)
    assert gl.glAreTexturesResident(1, names, out) == 1
    assert gl.error() == 0 and ints(gl, e.GL_TEXTURE_RESIDENT) == [1]
    assert gl.glAreTexturesResident(2, names, out) == 0 and gl.error() == e.GL_INVALID_VALUE
    unchanged(gl, e.GL_INVALID_VALUE, "glPrioritizeTextures", -1, names, out)


@pytest.mark.parametrize("row", PARAMETERS, ids=lambda row: e.name_of(row.pname))
def test_parameters(row: Parameter) -> None:
    with having(row.pname, row.where) as caller:
        check_parameter(caller, row)


def check_parameter(gl: Any, row: Parameter) -> None:
    serial = texture_at(gl.ctx, T2).serial
    if row.kind == ENUM:
        for value in row.values:
            gl.glTexParameterf(T2, row.pname, float(value))
            assert params(gl, row.pname) == [value]
            gl.glTexParameteriv(T2, row.pname, np.array([value], np.int32))
            assert ints(gl, row.pname) == [value] and gl.error() == 0
            legal = row.rectangle is None or value in row.rectangle
            gl.glTexParameteri(RECT, row.pname, value)
            assert gl.error() == (0 if legal else e.GL_INVALID_ENUM)
        unchanged(gl, e.GL_INVALID_ENUM, "glTexParameteri", T2, row.pname, 5)
    elif row.kind == ENUMS:
        given = np.array([e.GL_ONE, e.GL_ZERO, e.GL_RED, e.GL_ALPHA], np.int32)
        gl.glTexParameteriv(T2, row.pname, given)
        assert ints(gl, row.pname, count=4) == given.tolist()
        unchanged(gl, e.GL_INVALID_ENUM, "glTexParameteri", T2, row.pname, e.GL_ONE)
        given[3] = e.GL_RGB
        unchanged(gl, e.GL_INVALID_ENUM, "glTexParameteriv", T2, row.pname, given)
    elif row.kind == COLOR:
        gl.glTexParameterfv(T2, row.pname, np.array([0.5, 2, -1, 0.25], np.float32))
        # told as fragments are, which are clamped here
        assert params(gl, row.pname, count=4) == [0.5, 1, 0, 0.25]
        assert ints(gl, row.pname, count=4)[2] == 0
        gl.glTexParameterIiv(T2, row.pname, np.array([5, -6, 7, 8], np.int32))
        assert ints(gl, row.pname, count=4, pure=True) == [5, -6, 7, 8]
        gl.glTexParameteriv(T2, row.pname, np.array([2**31 - 1, 0, 0, 0], np.int32))
        assert params(gl, row.pname, count=4)[0] == 1.0
    elif row.kind == WHOLE:
        gl.glTexParameterf(T2, row.pname, 3.0)
        assert ints(gl, row.pname) == [3]
        gl.glTexParameterf(T2, row.pname, 1.6)  # GL 2.1, 3.8.4: to the nearest
        assert ints(gl, row.pname) == [2]
        unchanged(gl, e.GL_INVALID_VALUE, "glTexParameteri", T2, row.pname, -1)
        unchanged(gl, e.GL_INVALID_VALUE, "glTexParameterf", T2, row.pname, -0.6)
        base = row.pname == e.GL_TEXTURE_BASE_LEVEL  # as the peer's
        error = e.GL_INVALID_OPERATION if base else e.GL_INVALID_VALUE
        unchanged(gl, error, "glTexParameteri", RECT, row.pname, 2)
    elif row.kind == FLOAT:
        gl.glTexParameteri(T2, row.pname, 3)
        assert params(gl, row.pname) == [min(3.0, row.high or 3.0)]
        if row.pname == e.GL_TEXTURE_MAX_ANISOTROPY:
            unchanged(gl, e.GL_INVALID_VALUE, "glTexParameterf", T2, row.pname, 0.5)
    elif row.kind == BOX:
        gl.glTexParameteriv(T2, row.pname, given := np.array([3, -4, 17, 2], np.int32))
        assert ints(gl, row.pname, count=4) == given.tolist()
        unchanged(gl, e.GL_INVALID_ENUM, "glTexParameteri", T2, row.pname, 1)
    elif row.kind == TRUTH:
        gl.glTexParameteri(T2, row.pname, 1)
        unchanged(gl, e.GL_INVALID_ENUM, "glTexParameteri", T2, row.pname, 17)
        assert ints(gl, row.pname) == [1]
    else:
        gl.glTexParameteri(T2, row.pname, 17)
        assert ints(gl, row.pname) == [1]
    if row.pname != e.GL_TEXTURE_PRIORITY:
        assert texture_at(gl.ctx, T2).serial > serial
    unchanged(gl, e.GL_INVALID_ENUM, "glTexParameteri", 77, row.pname, 1)
    unchanged(gl, e.GL_INVALID_ENUM, "glTexParameterf", T2, e.GL_RED, 1.0)


def test_a_new_value_alone_makes_views_stale(gl: Any) -> None:
    texture = texture_at(gl.ctx, T2)
    serial, shared = texture.serial, gl.ctx.shared.n.texture_serial
    gl.glTexParameteri(T2, e.GL_TEXTURE_WRAP_S, e.GL_REPEAT)
    assert (texture.serial, gl.ctx.shared.n.texture_serial) == (serial, shared)
    gl.glTexParameteri(T2, e.GL_TEXTURE_WRAP_S, e.GL_CLAMP)
    assert (texture.serial, gl.ctx.shared.n.texture_serial) == (serial + 1, shared + 1)


def test_attribute_stack(gl: Any) -> None:
    a, b = generate(gl, 2)
    gl.glBindTexture(T2, a)
    gl.glTexParameteri(T2, e.GL_TEXTURE_WRAP_S, e.GL_CLAMP)
    gl.glTexParameteri(RECT, e.GL_TEXTURE_MAG_FILTER, e.GL_NEAREST)
    gl.glPushAttrib(e.GL_TEXTURE_BIT)
    gl.glTexParameteri(T2, e.GL_TEXTURE_WRAP_S, e.GL_REPEAT)
    gl.glBindTexture(T2, b)
    gl.glTexParameteri(RECT, e.GL_TEXTURE_MAG_FILTER, e.GL_LINEAR)
    gl.glActiveTexture(e.GL_TEXTURE5)
    gl.glBindTexture(T2, b)
    gl.glPopAttrib()
    assert gl.ints(e.GL_ACTIVE_TEXTURE, 1) == [e.GL_TEXTURE0] and bound(gl) == a
    assert params(gl, e.GL_TEXTURE_WRAP_S) == [e.GL_CLAMP]
    assert params(gl, e.GL_TEXTURE_MAG_FILTER, RECT) == [e.GL_NEAREST]
    gl.glActiveTexture(e.GL_TEXTURE5)
    assert bound(gl) == 0
    gl.glActiveTexture(e.GL_TEXTURE0)
    # what was deleted meanwhile is not bound again
    gl.glPushAttrib(e.GL_TEXTURE_BIT)
    gl.glBindTexture(T2, b)
    delete(gl, a)
    assert live(gl.ctx, TEXTURES) == MAX_TEXTURE_TARGETS + 2  # the stack has it
    gl.glPopAttrib()
    assert bound(gl) == b and live(gl.ctx, TEXTURES) == MAX_TEXTURE_TARGETS + 1
    # a context goes with references on its stack
    gl.glPushAttrib(e.GL_ALL_ATTRIB_BITS)
    other = Caller(GLContext(share=gl.ctx))
    gl.ctx.destroy()
    assert live(other.ctx, TEXTURES) == MAX_TEXTURE_TARGETS + 1
    other.ctx.destroy()
    gc.collect()


def test_struct() -> None:
    assert len(BIND_TARGETS) == MAX_TEXTURE_TARGETS and TextureObject.offset("references") == 0
