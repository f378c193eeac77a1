# SPDX-License-Identifier: MIT
"""The column `where`: rows against the registry, and what contexts of each API have of them."""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

import pytest

import pydri.api.enums as e
from pydri.api import apis
from pydri.api.apis import COMPAT, CORE, ES1, ES2
from pydri.api.where import COMPAT_ONLY, EVERYWHERE, In, asks, registered
from pydri.main import core
from pydri.main.context import GLContext
from pydri.main.extensions import EXTENSIONS
from pydri.main.rows import FINDERS
from pydri.main.state.enable_tables import CAPS
from pydri.main.textures.parameters import BOX, COLOR, ENUMS, PARAMETERS
from pydri.main.version import GLVersion
from pydri.util.options import options
from tests.unit.main.conftest import VISUAL, Caller

for _part in core.PARTS:
    importlib.import_module(_part)

#: what the peer tells every context, and programs ask (piglit's shader_runner); planes beyond those
#: that a version names, of which there are as many as that tells
ASKED_EVERYWHERE = (e.GL_MAX_CLIP_PLANES, e.GL_CLIP_DISTANCE6, e.GL_CLIP_DISTANCE7)
TABLES = pytest.mark.parametrize("name", sorted(FINDERS))
#: parts of GL that no driver here has in a context of 2.1
LATER = (
    "ATOMIC_COUNTER", "SHADER_STORAGE", "CONTEXT_PROFILE_MASK",
    "MAX_GEOMETRY", "COMBINED_GEOMETRY", "_OUTPUT_COMPONENTS", "_INPUT_COMPONENTS",
    "NUM_PROGRAM_BINARY_FORMATS",
)


@TABLES
def test_no_row_is_where_the_registry_has_no_enum(name: str) -> None:
    """What was removed, or never was in an API, is in no table of it."""
    for enum, where in FINDERS[name]:
        try:
            known = registered(enum)
        except KeyError:
            assert where.ext and not any(where[:4]), e.name_of(enum)
            continue
        for api, mine, theirs in zip(apis.NAMES, where[:4], known[:4], strict=True):
            # there names of 3.x are harmless, and old programs use some of them
            if api != COMPAT and enum not in ASKED_EVERYWHERE:
                assert not mine or 0 < theirs <= mine, (e.name_of(enum), api)
        assert known.compat or not where.compat, e.name_of(enum)


@TABLES
def test_a_context_of_today_has_every_row(name: str) -> None:
    steps, ours = apis.reached(COMPAT, 21), {row.name.removeprefix("GL_") for row in EXTENSIONS}
    for enum, where in FINDERS[name]:
        brought = {name for name, bits in where.brought_by.items() if bits & COMPAT}
        if not where.compat and not brought:
            continue  # of OpenGL ES alone
        here = bool(where.steps & steps) or bool(ours & brought)
        assert here != any(word in e.name_of(enum) for word in LATER), e.name_of(enum)


@pytest.mark.parametrize(
    ("api", "major", "minor"), [(COMPAT, 2, 1), (COMPAT, 1, 1), (CORE, 3, 3), (ES1, 1, 1),
                                (ES2, 2, 0), (ES2, 3, 0)],
)  # fmt: skip
def test_kernels_find_what_python_finds(api: int, major: int, minor: int) -> None:
    ctx = GLContext(VISUAL, version=GLVersion(api, major, minor))
    gl = Caller(ctx)

    def check(enum: int, where: In | None, name: str, *arguments: Any) -> None:
        getattr(gl, name)(*arguments)
        there = ctx.has(registered(enum) if where is None else where)
        assert (gl.error() != e.GL_INVALID_ENUM) is there, (name, e.name_of(enum))

    for cap in CAPS:
        if not cap.client:
            check(cap.enum, cap.where, "glDisable", cap.enum)
    for row in PARAMETERS:
        if row.kind not in (BOX, COLOR, ENUMS):
            value = int(row.initial)
            given = e.GL_TEXTURE_2D, row.pname, value
            check(row.pname, row.where, "glTexParameteri", *given)
    for wrap in (e.GL_CLAMP, e.GL_MIRRORED_REPEAT, e.GL_CLAMP_TO_EDGE):
        check(wrap, None, "glTexParameteri", e.GL_TEXTURE_2D, e.GL_TEXTURE_WRAP_S, wrap)
    for hint in (e.GL_FOG_HINT, e.GL_LINE_SMOOTH_HINT, e.GL_GENERATE_MIPMAP_HINT):
        check(hint, None, "glHint", hint, e.GL_NICEST)
    for factor in (e.GL_CONSTANT_COLOR, e.GL_SRC_ALPHA):
        check(factor, None, "glBlendFunc", factor, e.GL_ZERO)
    ctx.destroy()


def test_extensions_bring_rows_and_their_absence_takes_them() -> None:
    for text, there in (("", True), ("-GL_ARB_depth_clamp -GL_NV_depth_clamp", False)):
        with options(MESA_EXTENSION_OVERRIDE=text):
            ctx = GLContext(VISUAL, version=GLVersion(COMPAT, 2, 1))
            gl = Caller(ctx)
            gl.glEnable(e.GL_DEPTH_CLAMP)
            assert (gl.error() == 0) is there and bool(ctx.n.key.depth_clamp) is there
            ctx.destroy()
    with options(MESA_EXTENSION_OVERRIDE="-GL_ARB_depth_clamp -GL_NV_depth_clamp"):
        ctx = GLContext(VISUAL, version=GLVersion(COMPAT, 3, 2))
        Caller(ctx).glEnable(e.GL_DEPTH_CLAMP)  # the version has it, whatever the extensions
        assert ctx.n.key.depth_clamp == 1
        ctx.destroy()


def test_what_has_no_switch_is_on() -> None:
    for version, on in (
        (GLVersion(COMPAT, 2, 1), 0), (GLVersion(CORE, 3, 1), 1), (GLVersion(ES2, 2, 0), 1),
    ):  # fmt: skip
        ctx = GLContext(VISUAL, version=version)
        assert ctx.n.key.point_sprite == on
        ctx.destroy()


def test_depths_are_sampled_as_the_api_says() -> None:
    from pydri.main.textures.parameter_entries import texture_at

    for version, mode in (
        (GLVersion(COMPAT, 2, 1), e.GL_LUMINANCE), (GLVersion(CORE, 3, 1), e.GL_RED),
    ):  # fmt: skip
        ctx = GLContext(VISUAL, version=version)
        assert texture_at(ctx, e.GL_TEXTURE_2D).params.depth_mode == mode
        ctx.destroy()


def test_checks_are_left_out_where_every_context_passes() -> None:
    from pydri.api.gl_table import SLOTS
    from pydri.api.registry import row

    depth = row(SLOTS["glDepthFunc"])
    assert not asks(EVERYWHERE, [depth]) and asks(COMPAT_ONLY, [depth])
    light = row(SLOTS["glAlphaFunc"])  # the compatibility profile's and ES 1's alone
    assert not asks(In(10, 0, 10), [light]) and asks(In(14, 0, 10), [light])


def test_fields_of_numbers() -> None:
    assert In(33, 0).steps == apis.STEPS[COMPAT, 33] and In(0, 0).steps == 0
    assert apis.reached(COMPAT, 21) & In(21, 0).steps
    assert not apis.reached(CORE, 46) & In(10, 0).steps


def _es2_objects(gl: Caller) -> tuple[int, int]:
    """A framebuffer and a texture, bound; their names."""
    names = (ctypes.c_uint32 * 2)()
    gl.glGenFramebuffers(1, ctypes.addressof(names))
    gl.glGenTextures(1, ctypes.addressof(names) + 4)
    gl.glBindFramebuffer(e.GL_FRAMEBUFFER, names[0])
    gl.glBindTexture(e.GL_TEXTURE_2D, names[1])
    return names[0], names[1]


#: what an error tells of a context of ES: the call, the last argument but one where there is one,
#: and the first version that has it
ES_ROWS = (
    ("target", e.GL_DRAW_FRAMEBUFFER, 20), ("target", e.GL_FRAMEBUFFER, 20),
    ("asked target", e.GL_READ_FRAMEBUFFER, 30),
    ("status", e.GL_DRAW_FRAMEBUFFER, 30),
    ("textarget", e.GL_TEXTURE_RECTANGLE, 0), ("textarget", e.GL_TEXTURE_3D, 20),
    ("attachment", e.GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING, 30),
    ("attachment", e.GL_FRAMEBUFFER_ATTACHMENT_LAYERED, 32),
    ("attachment", e.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, 20),
    ("renderbuffer", e.GL_RENDERBUFFER_SAMPLES, 30),
    ("buffer", e.GL_BUFFER_ACCESS, 20), ("buffer", e.GL_BUFFER_MAP_LENGTH, 20),
    ("buffer", e.GL_BUFFER_IMMUTABLE_STORAGE, 0), ("buffer", e.GL_BUFFER_SIZE, 20),
    ("attrib", e.GL_VERTEX_ATTRIB_ARRAY_INTEGER, 30), ("attrib", e.GL_VERTEX_ATTRIB_ARRAY_LONG, 0),
    ("attrib", e.GL_VERTEX_ATTRIB_BINDING, 31), ("attrib", e.GL_VERTEX_ATTRIB_ARRAY_TYPE, 20),
)  # fmt: skip


@pytest.mark.parametrize("version", [20, 30])
def test_targets_and_parameters_of_queries_are_rows(version: int) -> None:
    """What a context has not is GL_INVALID_ENUM; what it has is so or another error."""
    ctx = GLContext(VISUAL, version=GLVersion(ES2, version // 10, version % 10))
    gl, out = Caller(ctx), (ctypes.c_int32 * 4)()
    fbo, texture = _es2_objects(gl)
    buffer = ctypes.c_uint32()
    gl.glGenBuffers(1, ctypes.addressof(buffer))
    gl.glBindBuffer(e.GL_ARRAY_BUFFER, buffer.value)
    renderbuffer = ctypes.c_uint32()
    gl.glGenRenderbuffers(1, ctypes.addressof(renderbuffer))
    gl.glBindRenderbuffer(e.GL_RENDERBUFFER, renderbuffer.value)
    place, at = e.GL_COLOR_ATTACHMENT0, ctypes.addressof(out)
    calls = {
        "target": lambda row: gl.glBindFramebuffer(row, fbo),
        "asked target": lambda row: gl.glGetFramebufferAttachmentParameteriv(
            row, place, e.GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, at),
        "status": lambda row: gl.glCheckFramebufferStatus(row),
        "textarget": lambda row: gl.glFramebufferTexture2D(
            e.GL_FRAMEBUFFER, place, row, texture, 0),
        "attachment": lambda row: gl.glGetFramebufferAttachmentParameteriv(
            e.GL_FRAMEBUFFER, place, row, at),
        "renderbuffer": lambda row: gl.glGetRenderbufferParameteriv(e.GL_RENDERBUFFER, row, at),
        "buffer": lambda row: gl.glGetBufferParameteriv(e.GL_ARRAY_BUFFER, row, at),
        "attrib": lambda row: gl.glGetVertexAttribiv(1, row, at),
    }  # fmt: skip
    assert gl.error() == 0
    for call, row, first in ES_ROWS:
        calls[call](row)
        missing = gl.error() == e.GL_INVALID_ENUM
        assert missing is not (0 < first <= version), (call, e.name_of(row))
    ctx.destroy()
