# SPDX-License-Identifier: MIT
"""Display lists: compiled and played, they give what immediate mode gives."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import pytest

from pydri.api import enums as e
from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_EDGEFLAG,
    VERT_ATTRIB_MAT0,
    VERT_ATTRIB_NORMAL,
)
from pydri.vbo import listable
from tests.unit.vbo.harness import GL, assemble
from tests.unit.vbo.script import Call, play, random_script

COMPILE, COMPILE_AND_EXECUTE = e.GL_COMPILE, e.GL_COMPILE_AND_EXECUTE
INVALID_ENUM, INVALID_VALUE, INVALID_OPERATION = 0x0500, 0x0501, 0x0502


def compiled(gl: GL, name: int, script: list[Call], mode: int = COMPILE) -> None:
    gl.NewList(name, mode)
    play(gl, script)
    gl.EndList()


def outcome(gl: GL) -> Any:
    return assemble(gl.take()), gl.state(), gl.error()


@pytest.mark.parametrize("seed", range(25))
def test_a_list_is_immediate_mode(seed: int) -> None:
    rng = random.Random(seed)
    before = random_script(rng, 3)
    script = random_script(rng, rng.choice((1, 3, 30)))
    results = []
    for way in ("immediate", "list", "twice nested", "compile and execute"):
        gl = GL()
        gl.n.vbo.capacity = 16 if way == "immediate" else 4096
        play(gl, before)
        if way == "immediate":
            play(gl, script)
        elif way == "compile and execute":
            compiled(gl, 1, script, COMPILE_AND_EXECUTE)
        else:
            compiled(gl, 1, script)
            assert len(gl.draws) <= len(before)
            compiled(gl, 2, [("CallList", (1,))])
            gl.CallList(1 if way == "list" else 2)
        results.append(outcome(gl))
        gl.ctx.destroy()
    assert results[1] == results[0]
    assert results[2] == results[0]
    assert results[3] == results[0]


@pytest.mark.parametrize("seed", range(6))
def test_cut_anywhere(seed: int) -> None:
    """A script cut into lists at random places, also between glBegin and glEnd."""
    rng = random.Random(100 + seed)
    script = random_script(rng, 12, states=False)
    cuts = sorted(rng.sample(range(len(script)), 6))
    pieces = [script[a:b] for a, b in zip([0, *cuts], [*cuts, len(script)])]
    results = []
    for way in ("immediate", "calls", "one list"):
        gl = GL()
        if way == "immediate":
            play(gl, script)
        elif way == "calls":
            for n, piece in enumerate(pieces):
                compiled(gl, n + 1, piece)
            for n in range(len(pieces)):
                gl.CallList(n + 1)
        else:
            whole: list[Call] = []
            for n, piece in enumerate(pieces):
                if n % 2:
                    compiled(gl, n + 1, piece)
                    whole.append(("CallList", (n + 1,)))
                else:
                    whole += piece
            compiled(gl, 99, whole)
            gl.CallList(99)
        results.append(outcome(gl))
        gl.ctx.destroy()
    assert results[1] == results[0]
    assert results[2] == results[0]


def test_an_attribute_that_appears_late_leaves_earlier_vertices_alone(gl: GL) -> None:
    compiled(
        gl,
        1,
        [
            ("Begin", (4,)),
            ("Vertex2f", (0, 0)),
            ("Color3f", (0, 1, 0)),
            ("Vertex2f", (1, 0)),
            ("Vertex2f", (2, 0)),
            ("End", ()),
        ],
    )
    for red in (1.0, 0.5):
        gl.Color3f(red, 0, 0)
        gl.CallList(1)
        (draw,) = gl.take()
        assert [v[VERT_ATTRIB_COLOR0][:2] for v in draw.vertices] == [(red, 0), (0, 1), (0, 1)]


def test_unset_attributes_come_from_playback(gl: GL) -> None:
    compiled(
        gl,
        1,
        [
            ("Begin", (0,)),
            ("Vertex2f", (0, 0)),
            ("End", ()),
            ("Normal3f", (0, 1, 0)),
            ("Begin", (0,)),
            ("Vertex2f", (1, 0)),
            ("End", ()),
        ],
    )
    gl.Normal3f(1, 0, 0)
    gl.CallList(1)
    assert [d.vertices[0][VERT_ATTRIB_NORMAL][:2] for d in gl.take()] == [(1, 0), (0, 1)]
    assert gl.current(VERT_ATTRIB_NORMAL)[:2] == (0, 1)


def gear(normal: float) -> list[Call]:
    """The calls of one gear of glxgears, in small."""
    out: list[Call] = [("ShadeModel", (e.GL_FLAT,)), ("Normal3f", (0, 0, normal))]
    out += [("Begin", (8,)), *(("Vertex3f", (i, i & 1, 0)) for i in range(20)), ("End", ())]
    out += [("Begin", (7,)), *(("Vertex3f", (i, i & 1, 1)) for i in range(20)), ("End", ())]
    out += [
        ("Normal3f", (0, 0, -normal)),
        ("Begin", (8,)),
        *(("Vertex3f", (i, i & 1, 2)) for i in range(20)),
        ("End", ()),
    ]
    out += [("ShadeModel", (e.GL_SMOOTH,)), ("Begin", (8,))]
    for i in range(20):
        out += [("Normal3f", (i, 0, 0)), ("Vertex3f", (i, 0, 3))]
    return [*out, ("End", ())]


def test_a_gear_is_two_draws(gl: GL) -> None:
    compiled(
        gl, 1, [("Materialfv", (e.GL_FRONT, e.GL_AMBIENT_AND_DIFFUSE, [1, 0, 0, 1])), *gear(1.0)]
    )
    gl.CallList(1)
    draws = gl.take()
    assert len(draws) == 2
    assert all(d.varying == {0, 15, VERT_ATTRIB_NORMAL} for d in draws)
    play(gl, gear(1.0))
    assert assemble(draws) == assemble(gl.take())
    # where it would show, strips stay strips
    for start in (lambda: gl.EdgeFlag(0), lambda: gl.EdgeFlag(1)):
        start()
        gl.CallList(1)
    draws = gl.take()
    assert [d.mode for d in draws] == [8, 7, 8, 8, 7, 8]
    assert assemble(draws[:4])[0][1][VERT_ATTRIB_EDGEFLAG][0] == 0


@pytest.mark.parametrize(
    "modes", [(5, 6, 4), (6, 5), (8, 7, 8), (4, 5, 3, 5, 4), (9, 9), (2, 5, 5)]
)
def test_joined_primitives_are_the_same(gl: GL, modes: tuple[int, ...]) -> None:
    script: list[Call] = []
    for n, mode in enumerate(modes):
        script += [
            ("Begin", (mode,)),
            *(("Vertex3f", (i, n, 0)) for i in range(3 + 3 * n)),
            ("End", ()),
        ]
    compiled(gl, 1, script)
    gl.CallList(1)
    joined = gl.take()
    play(gl, script)
    assert assemble(joined) == assemble(gl.take())


def test_growth(gl: GL) -> None:
    script: list[Call] = []
    for n in range(700):
        script += [
            ("Begin", (3,)),
            ("Color3f", (n, 0, 0)),
            ("Vertex2f", (n, 0)),
            ("Vertex2f", (n, 1)),
            ("End", ()),
        ]
    compiled(gl, 1, script)
    gl.CallList(1)
    assert [d.vertices[0][VERT_ATTRIB_COLOR0][0] for d in gl.take()] == list(range(700))


def test_inside_and_outside(gl: GL) -> None:
    compiled(gl, 1, [("Vertex2f", (1, 0)), ("Color3f", (0, 0, 1)), ("Vertex2f", (2, 0))])
    gl.CallList(1)
    assert not gl.take() and gl.error() == 0  # vertices outside of glBegin and glEnd
    gl.Begin(1)
    gl.CallList(1)
    gl.End()
    assert [v[0][0] for v in gl.take()[0].vertices] == [1, 2]
    compiled(gl, 2, [("Begin", (1,)), ("Vertex2f", (1, 0)), ("Vertex2f", (2, 0)), ("End", ())])
    gl.Begin(1)
    gl.CallList(2)
    assert gl.error() == INVALID_OPERATION
    gl.End()
    assert gl.error() == 0


def test_errors_happen_at_playback(gl: GL) -> None:
    cases: list[tuple[list[Call], int]] = [
        ([("End", ())], INVALID_OPERATION),
        ([("Begin", (77,))], INVALID_ENUM),
        ([("Begin", (4,)), ("Begin", (4,)), ("End", ())], INVALID_OPERATION),
        ([("Begin", (4,)), ("ShadeModel", (e.GL_FLAT,)), ("End", ())], INVALID_OPERATION),
        ([("ShadeModel", (3,))], INVALID_ENUM),
        ([("VertexAttrib1f", (99, 1))], INVALID_VALUE),
        ([("DrawArrays", (14, 0, 3))], INVALID_ENUM),
        ([("DrawArrays", (4, 0, -3))], INVALID_VALUE),
        ([("Begin", (4,)), ("Materialfv", (0x404, 0x1601, [500.0])), ("End", ())], INVALID_VALUE),
        ([("Begin", (4,)), ("Materialf", (0x404, 0x1204, 1.0)), ("End", ())], INVALID_ENUM),
    ]
    for script, error in cases:
        compiled(gl, 1, script)
        assert gl.error() == 0, script
        gl.CallList(1)
        assert gl.error() == error, script
        if gl.n.vbo.begin_mode:
            gl.End()
        compiled(gl, 2, script, COMPILE_AND_EXECUTE)
        assert gl.error() == error, script
        if gl.n.vbo.begin_mode:
            gl.End()


def test_empty_primitives_are_errors_inside(gl: GL) -> None:
    for script in ([("Begin", (4,)), ("End", ())], [("DrawArrays", (7, 0, 4))]):
        compiled(gl, 1, script)
        gl.CallList(1)
        assert gl.error() == 0 and not gl.take()
        gl.Begin(4)
        gl.CallList(1)
        gl.End()
        assert gl.error() == INVALID_OPERATION


def test_a_list_that_ends_inside(gl: GL) -> None:
    """An error, and its end, as on the peer; what was begun goes on without the list."""
    gl.NewList(1, COMPILE_AND_EXECUTE)
    gl.Begin(0)
    gl.EndList()
    assert gl.error() == INVALID_OPERATION
    gl.Vertex2f(1, 1)
    gl.End()
    assert gl.error() == 0 and len(gl.take()) == 1
    gl.EndList()
    assert gl.error() == INVALID_OPERATION  # there is none
    gl.CallList(1)
    gl.Vertex2f(2, 2)
    gl.End()
    assert gl.error() == 0 and gl.take()[0].vertices[0][0][:2] == (2, 2)


def test_names(gl: GL) -> None:
    assert gl.GenLists(0) == 0
    assert gl.GenLists(-1) == 0 and gl.error() == INVALID_VALUE
    first = gl.GenLists(3)
    assert [gl.IsList(first + n) for n in range(4)] == [1, 1, 1, 0]
    gl.CallList(first)
    assert gl.error() == 0
    other = gl.GenLists(2)
    assert other >= first + 3
    gl.DeleteLists(first, 3)
    assert not gl.IsList(first) and gl.IsList(other)
    gl.DeleteLists(other, -1)
    assert gl.error() == INVALID_VALUE
    gl.NewList(0, COMPILE)
    assert gl.error() == INVALID_VALUE
    gl.NewList(1, 1)
    assert gl.error() == INVALID_ENUM
    gl.EndList()
    assert gl.error() == INVALID_OPERATION
    gl.NewList(1, COMPILE)
    gl.NewList(2, COMPILE)
    assert gl.error() == INVALID_OPERATION
    gl.EndList()
    assert gl.error() == 0 and gl.IsList(1) and not gl.IsList(2)


@pytest.mark.parametrize("name", [5, 1500, (1 << 20) + 1, 0xFFFFFFFF])
def test_names_of_all_sizes(gl: GL, name: int) -> None:
    compiled(gl, name, [("Color3f", (0.5, 0, 0))])
    gl.CallList(name)
    assert gl.current(VERT_ATTRIB_COLOR0)[0] == 0.5
    gl.DeleteLists(name, 1)
    gl.Color3f(1, 0, 0)
    gl.CallList(name)
    assert gl.current(VERT_ATTRIB_COLOR0)[0] == 1


def test_names_beyond_the_table(gl: GL) -> None:
    """A range that the table of names has no room for lies beyond it; absurd ones are refused."""
    compiled(gl, 3, [("Color3f", (0.5, 0, 0))])
    first = gl.GenLists(1 << 20)
    assert first >= 1 << 20
    assert [gl.IsList(first + n) for n in (-1, 0, (1 << 20) - 1, 1 << 20)] == [0, 1, 1, 0]
    compiled(gl, first + 7, [("Color3f", (0.25, 0, 0))])
    gl.CallList(first + 7)
    assert gl.current(VERT_ATTRIB_COLOR0)[0] == 0.25
    assert gl.GenLists(5) == 4
    assert gl.GenLists(0x7FFFFFFF) == 0 and gl.error() == e.GL_OUT_OF_MEMORY
    gl.DeleteLists(4, 0x7FFFFFFF)
    assert not gl.IsList(first + 7) and not gl.IsList(5) and gl.IsList(3)
    compiled(gl, 0xFFFFFFFF, [])
    gl.DeleteLists(0xFFFFFFF0, 0x7FFFFFFF)
    assert not gl.IsList(0xFFFFFFFF) and gl.error() == 0


def test_the_last_names(gl: GL) -> None:
    """Where the greatest name is taken, a gap below is found."""
    compiled(gl, 0xFFFFFFFF, [])
    compiled(gl, (1 << 20) - 1, [])
    compiled(gl, (1 << 20) + 1, [])
    assert gl.GenLists(2) == 1
    first = gl.GenLists((1 << 20) - 1)
    assert first == (1 << 20) + 2
    assert gl.IsList(first - 1) and not gl.IsList(first - 2)


def test_big_lists(gl: GL) -> None:
    """More than the store keeps, indices of 32 bits; and a small one after it."""
    count = 70000
    gl.NewList(1, COMPILE)
    for mode in (5, 4):
        gl.Begin(mode)
        for n in range(count):
            gl.Vertex2f(n, mode)
        gl.End()
    gl.EndList()
    compiled(gl, 2, [("Begin", (0,)), ("Vertex2f", (1, 2)), ("End", ())])
    gl.CallList(1)
    (draw,) = gl.take()
    assert draw.index_size == 4 and draw.mode == 4
    assert len(draw.indices) == 3 * (count - 2) + count // 3 * 3
    assert draw.vertices[-1][0][:2] == (count // 3 * 3 - 1, 4)
    assert draw.vertices[3 * (count - 2) - 1][0][:2] == (count - 1, 5)
    gl.CallList(2)
    assert gl.take()[0].vertices[0][0][:2] == (1, 2)


def test_pointers_are_read_when_they_are_compiled(gl: GL) -> None:
    """Also in the middle of vertices, and what a command refuses is not read."""
    color = (ctypes.c_float * 4)(0.5, 0.25, 0.125, 1)
    gl.NewList(1, COMPILE)
    gl.Begin(4)
    gl.Vertex2f(0, 0)
    gl.call("glMaterialfv", e.GL_FRONT, e.GL_EMISSION, ctypes.addressof(color))
    gl.Vertex2f(1, 0)
    gl.Vertex2f(0, 1)
    gl.End()
    gl.call("glLightfv", e.GL_LIGHT0, e.GL_DIFFUSE, ctypes.addressof(color))
    gl.call("glMap1f", e.GL_MAP1_VERTEX_3, 0.0, 1.0, 3, 1 << 30, ctypes.addressof(color))
    gl.EndList()
    color[0] = 9
    gl.CallList(1)
    assert gl.error() == INVALID_VALUE  # of glMap1f
    assert list(gl.n.val.lights[0].diffuse) == [0.5, 0.25, 0.125, 1]
    (draw,) = gl.take()
    emission = VERT_ATTRIB_MAT0 + 6
    assert [v[emission][0] for v in draw.vertices] == [0, 0.5, 0.5]


def test_the_mode_of_the_list_being_compiled(gl: GL) -> None:
    value = (ctypes.c_int32 * 1)(7)
    for mode in (COMPILE, COMPILE_AND_EXECUTE, 0):
        if mode:
            gl.NewList(2, mode)
        for pname, wanted in ((e.GL_LIST_MODE, mode), (e.GL_LIST_INDEX, 2 if mode else 0)):
            gl.call("glGetIntegerv", pname, value)
            assert value[0] == wanted
        if mode:
            gl.EndList()


def test_a_list_is_replaced_at_its_end(gl: GL) -> None:
    compiled(gl, 1, [("Color3f", (0.5, 0, 0))])
    gl.NewList(1, COMPILE)
    gl.CallList(1)  # the new list calls itself
    gl.Color3f(0.25, 0, 0)
    gl.EndList()
    gl.CallList(1)
    assert gl.current(VERT_ATTRIB_COLOR0)[0] == 0.25


def test_nesting_has_a_limit(gl: GL) -> None:
    for n in range(1, 100):
        compiled(gl, n, [("Color3f", (n, 0, 0)), ("CallList", (n + 1,))])
    gl.CallList(1)
    assert gl.current(VERT_ATTRIB_COLOR0)[0] == 64
    assert gl.n.dlist.nesting == 0


@pytest.mark.parametrize(
    "type_,bytes_",
    [
        (e.GL_BYTE, [1, 255]),
        (e.GL_UNSIGNED_BYTE, [1, 200]),
        (e.GL_SHORT, [1, 0, 254, 255]),
        (e.GL_UNSIGNED_SHORT, [1, 0, 44, 1]),
        (e.GL_INT, [1, 0, 0, 0]),
        (e.GL_UNSIGNED_INT, [2, 1, 0, 0]),
        (e.GL_FLOAT, [0, 0, 64, 64]),
        (e.GL_2_BYTES, [1, 2]),
        (e.GL_3_BYTES, [0, 1, 2]),
        (e.GL_4_BYTES, [0, 0, 1, 3]),
    ],
)
def test_call_lists(gl: GL, type_: int, bytes_: list[int]) -> None:
    size = listable.LIST_TYPE_BYTES[type_]
    raw = bytes(bytes_)
    if type_ == e.GL_FLOAT:
        offsets = [3]
    elif type_ in (e.GL_2_BYTES, e.GL_3_BYTES, e.GL_4_BYTES):
        offsets = [int.from_bytes(raw, "big")]
    else:
        signed = type_ in (e.GL_BYTE, e.GL_SHORT, e.GL_INT)
        offsets = [
            int.from_bytes(raw[i : i + size], "little", signed=signed)
            for i in range(0, len(raw), size)
        ]
    for offset in offsets:
        compiled(gl, 300 + offset, [("Begin", (0,)), ("Vertex2f", (offset, 0)), ("End", ())])
    gl.ListBase(300)
    gl.CallLists(len(offsets), type_, bytes_)
    assert [v[0][0] for d in gl.take() for v in d.vertices] == offsets
    compiled(gl, 1000, [("CallLists", (len(offsets), type_, bytes_))])
    gl.CallList(1000)
    assert [v[0][0] for d in gl.take() for v in d.vertices] == offsets
    gl.CallLists(1, 3, bytes_)
    assert gl.error() == INVALID_ENUM
    gl.CallLists(-1, type_, bytes_)
    assert gl.error() == INVALID_VALUE
