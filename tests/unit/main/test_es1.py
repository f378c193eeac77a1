# SPDX-License-Identifier: MIT
"""Commands of fixed-point numbers: each is the command of OpenGL with its numbers, reads and writes
as many as a parameter has, and its errors are its own."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as gl
from pydri.api import apis
from pydri.api.apis import COMPAT, ES1
from pydri.api.gl_table import TABLE
from pydri.main.context import GLContext
from pydri.main.es1.tables import COMMANDS, VECTORS, WHOLE, Command
from pydri.main.get.derived_kernels import DERIVED
from pydri.main.get.tables import BY_ENUM, PARAMS
from pydri.main.layout import GLContext as Native
from pydri.main.textures.layout import TARGET_INDEX_2D, TextureObject
from pydri.main.version import GLVersion
from tests.unit.main.conftest import CTYPES, VISUAL, Caller

ONE = 65536
#: what the commands change
BLOCKS = ("key", "val", "raw", "matrix")
#: a target or a light in front of the parameter, and parameters that a command may have
LEADS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "glFog": ((), (gl.GL_FOG_MODE, gl.GL_FOG_COLOR, gl.GL_FOG_DENSITY, gl.GL_FOG_END)),
    "glLightModel": ((), (gl.GL_LIGHT_MODEL_AMBIENT, gl.GL_LIGHT_MODEL_TWO_SIDE)),
    "glLight": ((gl.GL_LIGHT2,), (gl.GL_AMBIENT, gl.GL_POSITION, gl.GL_SPOT_DIRECTION,
                                  gl.GL_SPOT_EXPONENT, gl.GL_LINEAR_ATTENUATION)),
    "glMaterial": ((gl.GL_FRONT_AND_BACK,), (gl.GL_SPECULAR, gl.GL_SHININESS)),
    "glTexEnv": ((gl.GL_TEXTURE_ENV,), (gl.GL_TEXTURE_ENV_COLOR, gl.GL_RGB_SCALE,
                                        gl.GL_COMBINE_RGB)),
    "glTexParameter": ((gl.GL_TEXTURE_2D,), (gl.GL_TEXTURE_CROP_RECT_OES, gl.GL_TEXTURE_WRAP_S)),
    "glPointParameter": ((), (gl.GL_POINT_DISTANCE_ATTENUATION, gl.GL_POINT_SIZE_MIN)),
}  # fmt: skip
ENUMS = {
    gl.GL_FOG_MODE: gl.GL_EXP2, gl.GL_LIGHT_MODEL_TWO_SIDE: 1, gl.GL_COMBINE_RGB: gl.GL_ADD,
    gl.GL_TEXTURE_WRAP_S: gl.GL_CLAMP_TO_EDGE,
}  # fmt: skip
#: of vertices: their kernels are vbo's, and are not in the image of this room
VERTICES = ("glColor4x", "glNormal3x", "glMultiTexCoord4x")
SETTERS = [
    row for row in COMMANDS
    if row.fixed and not row.gets and "OES" not in row.entry and row.entry not in VERTICES
]  # fmt: skip


@pytest.fixture
def ctx() -> Iterator[GLContext]:
    made = GLContext(VISUAL, version=GLVersion(ES1, 1, 1))
    yield made
    made.destroy()


def blocks(ctx: GLContext) -> dict[str, bytes]:
    """What commands change, without addresses."""
    out = {}
    for name in BLOCKS:
        field = Native.fields[name]
        data = ctypes.string_at(ctx.address + field.offset, field.type.size // 8 * 8)
        words = np.frombuffer(data, np.uint64)
        here = (words >= ctx.address) & (words < ctx.address + Native.size)
        out[name] = np.where(here, words - ctx.address, words).tobytes()
    params = TextureObject.fields["params"]
    texture = ctx.n.textures.bound[TARGET_INDEX_2D] + params.offset
    return out | {"texture": ctypes.string_at(texture, params.type.size)}


def at_the_end(values: list[int]) -> tuple[int, Any]:
    """Numbers behind which no memory can be read."""
    libc = ctypes.CDLL(None)
    pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    assert libc.mprotect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
    place = start + mmap.PAGESIZE - 4 * len(values)
    (ctypes.c_int32 * len(values)).from_address(place)[:] = values
    return place, pages


def calls(row: Command) -> Iterator[tuple[list[int], list[float]]]:
    """Arguments of a setter, without pointers to vectors, and those of its base."""
    params = TABLE.row(row.entry).params
    stem = row.entry.removesuffix("v").removesuffix("x")
    numbers = [0.75, 0.25, 3.5, 1.5, 0.5, 9.0]
    if params[-1][0] in ("param", "params"):
        leads, pnames = LEADS[stem]
        for pname in pnames:
            if (pname in VECTORS) and not row.entry.endswith("v"):
                continue
            count = VECTORS.get(pname, 1)
            whole = [ENUMS[pname]] if pname in WHOLE else None
            values = numbers[:count] if pname != gl.GL_RGB_SCALE else [2.0]
            yield ([*leads, pname, *(whole or (round(v * ONE) for v in values))],
                   [*leads, pname, *(whole or values)])  # fmt: skip
        return
    fixed, plain = [], []
    for n, (_, code) in enumerate(params):
        if code[0] == "*":
            size = int(code.lstrip("*i"))
            values = [k / 4 - 1 for k in range(size)]
            fixed += [round(v * ONE) for v in values]
            plain += values
        elif code == "i":
            fixed.append(round(numbers[n] * ONE))
            plain.append(numbers[n])
        else:
            enums = {"func": gl.GL_LESS, "plane": gl.GL_CLIP_PLANE2, "texture": gl.GL_TEXTURE0}
            value = enums.get(params[n][0], 1)
            fixed.append(value)
            plain.append(value)
    yield fixed, plain


def passed(row: str, numbers: list[Any]) -> tuple[list[Any], Any]:
    """Arguments of a call: the numbers of a vector behind a pointer."""
    params = TABLE.row(row).params
    if params[-1][1][0] != "*":
        return numbers, None
    head, vector = numbers[: len(params) - 1], numbers[len(params) - 1 :]
    if params[-1][1][1] == "i":
        place, keep = at_the_end(vector)
        return [*head, place], keep
    kind = ctypes.c_double if params[-1][1][1] == "d" else ctypes.c_float
    keep = (kind * max(len(vector), 4))(*vector)
    return [*head, ctypes.addressof(keep)], keep


@pytest.mark.parametrize("row", SETTERS, ids=lambda row: row.entry)
def test_a_command_is_that_of_floats(row: Command) -> None:
    for fixed, plain in calls(row):
        told = []
        for name, numbers in ((row.entry, fixed), (row.base, plain)):
            ctx = GLContext(VISUAL, version=GLVersion(ES1, 1, 1))
            fresh = blocks(ctx)
            args, _keep = passed(name, numbers)
            call = Caller(ctx)
            # by its kernel: the table of this API has no doubles
            kinds = [CTYPES.get(code[0], ctypes.c_void_p) for _, code in TABLE.row(name).params]
            kernel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *kinds)(ctx.image.address(name))
            kernel(ctx.address, *args)
            assert call.error() == 0, (name, numbers)
            changed = {key: value for key, value in blocks(ctx).items() if value != fresh[key]}
            told.append(changed)
            ctx.destroy()
        assert told[0] == told[1] and told[0], (row.entry, fixed)


def test_errors_are_the_commands_own(ctx: GLContext) -> None:
    call = Caller(ctx)
    for name, args, error in (
        ("glFogx", (gl.GL_FOG_COORD_SRC, 1), gl.GL_INVALID_ENUM),
        ("glLineWidthx", (0,), gl.GL_INVALID_VALUE),
        ("glFrustumx", (0, 0, 0, 0, 0, 0), gl.GL_INVALID_VALUE),
        ("glMaterialx", (gl.GL_FRONT, gl.GL_SHININESS, ONE), gl.GL_INVALID_ENUM),
        ("glTexGenxOES", (gl.GL_S, gl.GL_TEXTURE_GEN_MODE, gl.GL_NORMAL_MAP), gl.GL_INVALID_ENUM),
    ):
        getattr(call, name)(*args)
        assert (ctx.n.raw.error_slot, call.error()) == (TABLE.slots[name], error), name
    assert ctx.n.direct == 0


def test_queries_write_what_there_is(ctx: GLContext) -> None:
    call, out = Caller(ctx), np.full(6, 77, np.int32)
    call.glLightx(gl.GL_LIGHT0, gl.GL_SPOT_EXPONENT, 3 * ONE)
    call.glGetLightxv(gl.GL_LIGHT0, gl.GL_SPOT_EXPONENT, out)
    assert out.tolist() == [3 * ONE, 77, 77, 77, 77, 77]
    call.glGetLightxv(gl.GL_LIGHT0, gl.GL_SPOT_DIRECTION, out)
    assert out.tolist() == [0, 0, -ONE, 77, 77, 77]
    call.glGetTexEnvxv(gl.GL_TEXTURE_ENV, gl.GL_TEXTURE_ENV_MODE, out)
    assert out.tolist() == [gl.GL_MODULATE, 0, -ONE, 77, 77, 77]
    call.glGetTexEnvxv(gl.GL_TEXTURE_ENV, gl.GL_TEXTURE_WIDTH, out)
    assert call.error() == gl.GL_INVALID_ENUM and out[0] == gl.GL_MODULATE
    call.glGetClipPlanex(gl.GL_CLIP_PLANE0, out)
    assert out.tolist() == [0, 0, 0, 0, 77, 77]


def test_fixed_forms_of_glget(ctx: GLContext) -> None:
    """Natively and in Python; numbers that are too large are the largest."""
    call = Caller(ctx)
    answered = (row for row in PARAMS if row.enum in DERIVED or not callable(row.place))
    for row in (row for row in answered if ctx.row(BY_ENUM, row.enum)):
        native, python = np.zeros(64, np.int32), np.zeros(64, np.int32)
        call.glGetFixedv(row.enum, native)
        call.python("glGetFixedv", row.enum, python)
        assert call.error() == 0 and native.tolist() == python.tolist(), gl.name_of(row.enum)
    out = np.zeros(2, np.int32)
    call.glGetFixedv(gl.GL_MAX_TEXTURE_SIZE, out)
    assert out[0] in (0x7FFFFFFF, ctx.n.limits.texture_2d * ONE)
    call.glPointSizex(int(2.5 * ONE))
    call.glGetFixedv(gl.GL_POINT_SIZE, out)
    assert out[0] == int(2.5 * ONE)


def test_a_matrix_as_fractions_and_exponents(ctx: GLContext) -> None:
    call = Caller(ctx)
    values = np.array([1, -3, 0, 0.125, 5e-40, np.inf, np.nan, 1e30, *range(8)], np.float32)
    call.glLoadMatrixf(values)
    fractions, exponents = np.zeros(16, np.int32), np.zeros(16, np.int32)
    status = call.glQueryMatrixxOES(fractions, exponents)
    assert status == 1 << 5 | 1 << 6
    assert fractions[:4].tolist() == [ONE // 2, -3 * ONE // 4, 0, ONE // 2]
    assert exponents[:4].tolist() == [1, 2, 0, -2]
    finite = np.isfinite(values)
    back = fractions / ONE * np.exp2(exponents.astype(float))
    assert np.allclose(back[finite], values[finite].astype(float), rtol=1e-4, atol=0)
    assert not fractions[~finite].any() and not exponents[~finite].any()


def test_no_other_api_has_them() -> None:
    for row in COMMANDS:
        assert apis.apis_of(TABLE.slots[row.entry]) == ES1
    ctx = GLContext(VISUAL, version=GLVersion(COMPAT, 2, 1))
    call = Caller(ctx)
    call.glColor4x(0, 0, 0, 0)
    assert call.error() == gl.GL_INVALID_OPERATION
    ctx.destroy()
