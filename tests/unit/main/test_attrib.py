# SPDX-License-Identifier: MIT
"""Attribute stacks, dispatch tables, and life of a context."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import pydri.api.enums as e
from pydri.api import dispatch
from pydri.api.gl_table import TABLE
from pydri.main import forms
from pydri.main.attrib.layout import MAX_ATTRIB_STACK, MAX_CLIENT_ATTRIB_STACK, AttribStacks
from pydri.main.attrib.tables import CLIENT_SAVED, SAVED
from pydri.main.context import GLContext
from pydri.main.layout import GLContext as Native
from pydri.main.light.layout import LIGHT_ENABLED, LIGHT_POSITIONAL, LIGHT_SPOT, Material
from pydri.main.matrix.layout import MatrixStacks
from tests.unit.main.conftest import VISUAL

BITS = sorted({row.bit for row in SAVED})


@pytest.mark.parametrize("bit", BITS, ids=hex)
def test_push_and_pop_restore_every_byte_of_a_bit(gl: Any, bit: int) -> None:
    mine = np.zeros(Native.size, bool)
    for row in SAVED:
        if row.bit == bit:
            mine[row.offset : row.offset + row.size] = True
    # what a pop derives again, and the stacks themselves
    derived = np.zeros(Native.size, bool)
    # colour material, switched on and then off by the pop, writes the current colour down
    materials = [("val.materials", 2 * Material.size)] if bit == e.GL_ENABLE_BIT else []
    for path, size in (
        *materials,
        ("key.light.flags", 8),
        ("attrib", AttribStacks.size),
        ("textures.saved", 8),
        ("dirty", 4),
        ("key_dirty", 4),
        ("matrix", MatrixStacks.size),
    ):
        derived[Native.offset(path) : Native.offset(path) + size] = True
    start = np.frombuffer(ctypes.string_at(gl.ctx.address, Native.size), np.uint8)
    gl.glPushAttrib(bit)
    memory = (ctypes.c_uint8 * Native.size).from_address(gl.ctx.address)
    touched = np.where(mine & ~derived)[0]
    for at in touched:
        memory[at] = (
            (memory[at] + 1) & 3
            if bit & (e.GL_TEXTURE_BIT | e.GL_TRANSFORM_BIT)
            else memory[at] ^ 1
        )
    gl.clean()
    gl.glPopAttrib()
    assert gl.error() == 0
    end = np.frombuffer(ctypes.string_at(gl.ctx.address, Native.size), np.uint8)
    assert (start == end)[~derived].all()
    if bit not in (
        e.GL_CURRENT_BIT,
        e.GL_ACCUM_BUFFER_BIT,
        e.GL_HINT_BIT,
        e.GL_EVAL_BIT,
        e.GL_LIST_BIT,
    ):
        assert gl.n.dirty or gl.n.key_dirty


def test_pop_of_nothing_new_dirties_nothing(gl: Any) -> None:
    gl.clean()
    gl.glPushAttrib(e.GL_ALL_ATTRIB_BITS)
    gl.glPopAttrib()
    assert (gl.n.dirty, gl.n.key_dirty) == (0, 0)


def test_attrib_stack_in_use(gl: Any) -> None:
    gl.glMatrixMode(e.GL_PROJECTION)
    gl.glPushAttrib(e.GL_ENABLE_BIT | e.GL_TRANSFORM_BIT | e.GL_LIGHTING_BIT)
    gl.glEnable(e.GL_LIGHTING)
    gl.glEnable(e.GL_LIGHT3)
    gl.glLightfv(e.GL_LIGHT3, e.GL_POSITION, np.array([1, 2, 3, 1], np.float32))
    gl.glMatrixMode(e.GL_MODELVIEW)
    gl.glPushAttrib(e.GL_ENABLE_BIT)
    gl.glDisable(e.GL_LIGHT3)
    gl.glLightf(e.GL_LIGHT3, e.GL_SPOT_CUTOFF, 30.0)
    gl.glPopAttrib()
    assert gl.n.key.light.flags[3] == LIGHT_ENABLED | LIGHT_POSITIONAL | LIGHT_SPOT, (
        "parameters stay"
    )
    gl.glPopAttrib()
    assert gl.n.key.light.flags[3] == 0 and not gl.glIsEnabled(e.GL_LIGHTING)
    gl.glTranslatef(5, 0, 0)
    assert gl.floats(e.GL_PROJECTION_MATRIX)[12] == 5, (
        "the matrix mode came back, and with it the stack"
    )


def test_color_material_is_written_down(gl: Any) -> None:
    gl.glPushAttrib(e.GL_ENABLE_BIT)
    gl.glEnable(e.GL_COLOR_MATERIAL)
    gl.n.val.current[2][:] = (0.25, 0.5, 0.75, 1.0)
    gl.glPopAttrib()
    assert list(gl.n.val.materials[0].diffuse) == [0.25, 0.5, 0.75, 1.0]


def test_limits(gl: Any) -> None:
    for push, pop, limit, depth in (
        ("glPushAttrib", "glPopAttrib", MAX_ATTRIB_STACK, e.GL_ATTRIB_STACK_DEPTH),
        (
            "glPushClientAttrib",
            "glPopClientAttrib",
            MAX_CLIENT_ATTRIB_STACK,
            e.GL_CLIENT_ATTRIB_STACK_DEPTH,
        ),
    ):
        getattr(gl, pop)()
        assert gl.error() == e.GL_STACK_UNDERFLOW
        for k in range(limit):
            getattr(gl, push)(0xFFFFFFFF)
            assert gl.ints(depth, 1) == [k + 1]
        assert gl.error() == 0
        getattr(gl, push)(0)
        assert gl.error() == e.GL_STACK_OVERFLOW
        for _ in range(limit):
            getattr(gl, pop)()
        assert gl.error() == 0


def test_client_attributes(gl: Any) -> None:
    assert {row.bit for row in CLIENT_SAVED} == {
        e.GL_CLIENT_PIXEL_STORE_BIT,
        e.GL_CLIENT_VERTEX_ARRAY_BIT,
    }
    gl.glVertexPointer(2, e.GL_SHORT, 0, 0x40)
    gl.glPushClientAttrib(e.GL_CLIENT_VERTEX_ARRAY_BIT)
    gl.glVertexPointer(4, e.GL_FLOAT, 0, 0x80)
    gl.glEnableClientState(e.GL_VERTEX_ARRAY)
    gl.glPixelStorei(e.GL_PACK_ROW_LENGTH, 9)
    gl.clean()
    gl.glPopClientAttrib()
    array = gl.ctx.vao.attribs[0]
    assert (array.pointer, array.size, array.type, gl.ctx.vao.enabled) == (0x40, 2, e.GL_SHORT, 0)
    assert gl.n.raw.pack[1] == 9 and gl.ctx.vao.stale


# -- tables ---------------------------------------------------------------------------------------


def table(address: int) -> Any:
    return (ctypes.c_uint64 * len(TABLE)).from_address(address)


def test_tables(gl: Any) -> None:
    n = gl.n
    exec_, begin = table(n.exec_table), table(n.begin_end_table)
    symbols = gl.ctx.image.symbols
    slots = TABLE.slots
    assert exec_[slots["glEnable"]] == symbols["glEnable"]
    assert exec_[slots["glActiveTextureARB"]] == symbols["glActiveTexture"], (
        "aliases share the function"
    )
    stub = symbols["gl_begin_end_error"]
    for name in (
        "glEnable",
        "glBegin",
        "glGetError",
        "glDrawArrays",
        "glVertexPointer",
        "glColorMaterial",
        "glNewList",
    ):
        assert begin[slots[name]] == stub, name
    for name in (
        "glVertex3f",
        "glColor4ubv",
        "glMaterialfv",
        "glCallList",
        "glEvalCoord1f",
        "glArrayElement",
        "glMultiTexCoord2fARB",
        "glVertexAttrib4Nub",
        "glSecondaryColor3f",
        "glEdgeFlag",
        "glEdgeFlagv",
    ):
        assert begin[slots[name]] == exec_[slots[name]] != stub, name
    assert table(n.save_table)[slots["glEnable"]] == symbols["glEnable"]
    assert n.dispatch == n.exec_table


def test_error_between_begin_and_end(gl: Any) -> None:
    gl.n.dispatch = gl.n.begin_end_table
    assert gl.glIsEnabled(e.GL_BLEND) == 0
    gl.n.dispatch = gl.n.exec_table
    assert gl.error() == e.GL_INVALID_OPERATION


@pytest.mark.parametrize(
    "name, allowed",
    [
        ("glVertex2f", True),
        ("glVertexPointer", False),
        ("glVertexAttribs4fvNV", True),
        ("glVertexAttribPointer", False),
        ("glColorMask", False),
        ("glColorTable", False),
        ("glColorP3ui", True),
        ("glVertexAttribI4iv", True),
        ("glVertexAttribL1d", True),
        ("glIndexf", True),
        ("glIndexMask", False),
        ("glEnd", True),
        ("glEndList", False),
        ("glCallLists", True),
        ("glMaterialiv", True),
        ("glFogCoorddEXT", True),
        ("glFogCoordPointer", False),
        ("glEvalMesh1", False),
        ("glNormal3bv", True),
        ("glTexCoord4s", True),
        ("glEdgeFlagPointer", False),
    ],
)
def test_what_begin_end_allows(name: str, allowed: bool) -> None:
    assert forms.allowed_in_begin_end(name) is allowed


def test_contexts_are_registered_and_aligned() -> None:
    ctx = GLContext(VISUAL)
    address = ctx.address
    assert dispatch.CONTEXTS[address] is ctx and address % 64 == 0
    ctx.destroy()
    ctx.destroy()
    assert address not in dispatch.CONTEXTS


def test_warm_start_imports_no_kernels() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from pydri.main.context import GLContext; GLContext({'red': 8});"
        "late = ('llvmlite', 'numpy', 'pydri.nir.ir', 'pydri.main.get.tables');"
        "print([m for m in sys.modules if m.endswith('kernels') or m in late])"
    )
    GLContext(VISUAL).destroy()  # the image is in the cache now, under the same parts
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "[]", run.stdout + run.stderr
