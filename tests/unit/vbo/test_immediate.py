# SPDX-License-Identifier: MIT
"""glBegin, glEnd, attributes: layouts, upgrades, merging, wrapping, errors."""

from __future__ import annotations

import ctypes
import random
import struct
from typing import Any

import pytest

from pydri.api.gl_table import TABLE
from pydri.nir.enums import (
    VERT_ATTRIB_COLOR0,
    VERT_ATTRIB_GENERIC0,
    VERT_ATTRIB_MAT0,
    VERT_ATTRIB_NORMAL,
    VERT_ATTRIB_TEX0,
)
from pydri.vbo.attribs import FILL, GENERIC, PACKED_TYPES, ROWS, TEXTURE, VERTEX, AttribRow
from tests.unit.vbo.harness import GL, Draw, assemble
from tests.unit.vbo.script import play, random_script

INVALID_ENUM, INVALID_VALUE, INVALID_OPERATION = 0x0500, 0x0501, 0x0502
MODES = range(10)
BITS = {"b": 8, "s": 16, "i": 32, "ub": 8, "us": 16, "ui": 32}


def expected(row: AttribRow, values: list[Any]) -> tuple[float, ...]:
    if row.pure:
        words = [*(v & 0xFFFFFFFF for v in values), 0, 0, 0, 1][: row.size] + [0, 0, 0, 1][
            row.size :
        ]
        return tuple((ctypes.c_float * 4).from_buffer_copy(struct.pack("<4I", *words)))
    if row.type == "h":
        values = [struct.unpack("<e", struct.pack("<H", v))[0] for v in values]
    if row.type == "flag":
        values = [float(v != 0) for v in values]
    elif row.normalized:
        limit = (1 << BITS[row.type]) - 1
        values = [v / limit if row.type[0] == "u" else (2 * v + 1) / limit for v in values]
    return tuple([ctypes.c_float(v).value for v in values] + list(FILL[row.size :]))


def sample(row: AttribRow) -> list[Any]:
    if row.type in ("f", "d"):
        return [0.25, -3.5, 1e6, 0.1][: row.size]
    if row.type == "flag":
        return [7]
    if row.type == "h":
        return [0x3400, 0xC300, 0x7BFF, 0x0001][: row.size]  # 0.25, -3.5, the greatest, the least
    bits = BITS[row.type]
    if row.type[0] == "u":
        return [(1 << bits) - 1, 0, 5, 1 << (bits - 1)][: row.size]
    return [-(1 << (bits - 1)), (1 << (bits - 1)) - 1, -1, 3][: row.size]


PLAIN = [row for row in ROWS if row.type != "packed"]
SIGNED, UNSIGNED, SMALL = PACKED_TYPES


@pytest.mark.parametrize("row", [r for r in ROWS if r.type == "packed"], ids=lambda r: r.name)
@pytest.mark.parametrize(
    "type_, word, plain, unit",
    [
        (UNSIGNED, 3 << 30 | 1023 << 20 | 1 << 10, (0, 1, 1023, 3), (0, 1 / 1023, 1, 1)),
        (
            SIGNED,
            2 << 30 | 511 << 20 | 1023 << 10 | 512,
            (-512, -1, 511, -2),
            (-1, -1 / 1023, 1, -1),  # GL 2.1, table 2.9
        ),
        (SMALL, 0x1E0 << 22 | 0x3C0 << 11 | 0x400, (2, 1, 1, 0), (2, 1, 1, 0)),
        (0x1406, 0, (), ()),
    ],
)
def test_packed_calls(
    gl: GL, row: AttribRow, type_: int, word: int, plain: tuple[float, ...], unit: tuple[float, ...]
) -> None:
    lead = {TEXTURE: [0x84C0 + 2], GENERIC: [5]}.get(row.kind, [])
    slot = {TEXTURE: VERT_ATTRIB_TEX0 + 2, GENERIC: VERT_ATTRIB_GENERIC0 + 5}.get(
        row.kind, row.slot
    )
    known = type_ in (SIGNED, UNSIGNED) or (
        type_ == SMALL and row.kind == GENERIC and row.size < 4
    )
    for normalized in (0, 1) if row.normalized is None else (None,):
        args = [*lead, type_, *([] if normalized is None else [normalized])]
        gl.Begin(0)
        gl.call(row.name, *args, [word] if row.vector else word)
        gl.Vertex2f(0, 0)
        gl.End()
        draw = gl.take()[0]
        assert gl.error() == (0 if known else INVALID_ENUM)
        if not known:
            gl.call(row.name, *args, [word] if row.vector else word)
            assert gl.error() == INVALID_ENUM  # outside of glBegin and glEnd, too
            continue
        numbers = unit if (row.normalized if normalized is None else normalized) else plain
        got = draw.vertices[0][0] if row.kind == VERTEX else gl.current(slot)
        want = [*numbers[: row.size], *FILL[row.size :]]
        assert got == pytest.approx(tuple(want), rel=1e-6)


@pytest.mark.parametrize("row", PLAIN, ids=lambda r: r.name)
def test_every_attribute_call(gl: GL, row: AttribRow) -> None:
    values = sample(row)
    args: list[Any] = [values] if row.vector else list(values)
    want = expected(row, values)
    slot = row.slot
    if row.kind == TEXTURE:
        args.insert(0, 0x84C0 + 3)
        slot += 3
    elif row.kind == GENERIC:
        args.insert(0, 5)
        slot = VERT_ATTRIB_GENERIC0 + 5
    if row.kind == VERTEX:
        gl.call(row.name, *args)  # outside of glBegin: ignored
        assert gl.n.vbo.count == 0 and gl.error() == 0
        gl.Begin(0)
        gl.call(row.name, *args)
        gl.End()
        (draw,) = gl.take()
        got = draw.vertices[0][0]
    else:
        gl.call(row.name, *args)
        got = gl.current(slot)
    if row.pure:  # bits; NaNs among them
        assert struct.pack("<4f", *got) == struct.pack("<4f", *want)
        return
    assert got == pytest.approx(want, rel=1e-6, abs=1e-9)


def test_table_is_in_the_registry() -> None:
    assert not [row.name for row in ROWS if row.name not in TABLE.slots]
    assert len({row.name for row in ROWS}) == len(ROWS)


def test_generic_zero_is_the_vertex(gl: GL) -> None:
    gl.VertexAttrib4f(0, 9, 9, 9, 9)
    assert gl.n.vbo.count == 0 and gl.current(VERT_ATTRIB_GENERIC0) == (9, 9, 9, 9)
    gl.Begin(0)
    gl.VertexAttrib3f(0, 1, 2, 3)
    gl.End()
    (draw,) = gl.take()
    assert draw.vertices[0][0] == (1, 2, 3, 1) == draw.vertices[0][VERT_ATTRIB_GENERIC0]
    gl.VertexAttrib1f(16, 1)
    assert gl.error() == INVALID_VALUE


def test_constant_attributes_do_not_vary(gl: GL) -> None:
    gl.Color3f(1, 0, 0)
    gl.Begin(4)
    gl.Normal3f(0, 1, 0)
    for i in range(3):
        gl.Vertex2f(i, 0)
    gl.End()
    (draw,) = gl.take()
    assert draw.varying == {0, VERT_ATTRIB_GENERIC0}
    assert {v[VERT_ATTRIB_COLOR0] for v in draw.vertices} == {(1, 0, 0, 1)}
    assert {v[VERT_ATTRIB_NORMAL][:3] for v in draw.vertices} == {(0, 1, 0)}


def test_upgrade_in_the_middle_gives_earlier_vertices_the_old_value(gl: GL) -> None:
    gl.TexCoord2f(5, 6)
    gl.Color3f(1, 0, 0)
    gl.Begin(4)
    gl.Vertex3f(0, 0, 0)
    gl.Color3f(0, 1, 0)
    gl.Vertex3f(1, 0, 0)
    gl.TexCoord2f(7, 8)
    gl.Vertex3f(2, 0, 0)
    gl.End()
    (draw,) = gl.take()
    assert draw.varying == {0, VERT_ATTRIB_COLOR0, VERT_ATTRIB_TEX0, VERT_ATTRIB_GENERIC0}
    assert [v[0][0] for v in draw.vertices] == [0, 1, 2]
    assert [v[VERT_ATTRIB_COLOR0][:2] for v in draw.vertices] == [(1, 0), (0, 1), (0, 1)]
    assert [v[VERT_ATTRIB_TEX0][:2] for v in draw.vertices] == [(5, 6), (5, 6), (7, 8)]


def test_layout_is_forgotten_by_a_flush(gl: GL) -> None:
    test_upgrade_in_the_middle_gives_earlier_vertices_the_old_value(gl)
    gl.Begin(0)
    gl.Vertex4f(1, 2, 3, 4)
    gl.Vertex2f(1, 2)
    gl.End()
    (draw,) = gl.take()
    assert draw.varying == {0, VERT_ATTRIB_GENERIC0}
    assert [v[0] for v in draw.vertices] == [(1, 2, 3, 4), (1, 2, 0, 1)]


@pytest.mark.parametrize("mode", MODES)
def test_pairs_merge_only_where_pieces_are_separate(gl: GL, mode: int) -> None:
    size = {0: 1, 1: 2, 4: 3, 7: 4}.get(mode, 4)
    for _ in range(3):
        gl.Begin(mode)
        for i in range(size):
            gl.Vertex2f(i, 0)
        gl.End()
    draws = gl.take()
    assert len(draws) == (1 if mode in (0, 1, 4, 7) else 3)
    assert sum(len(d.vertices) for d in draws) == 3 * size
    assert all(d.flags == 3 for d in draws)


@pytest.mark.parametrize("mode", MODES)
def test_leftover_vertices_are_dropped(gl: GL, mode: int) -> None:
    for n in range(11):
        gl.Begin(mode)
        for i in range(n):
            gl.Vertex2f(i, 0)
        gl.End()
        gl.Begin(mode)
        gl.End()
        size, least = {1: (2, 2), 4: (3, 3), 7: (4, 4), 8: (2, 4)}.get(
            mode, (1, [1, 2, 2, 2, 3, 3, 3, 4, 4, 3][mode])
        )
        kept = n - n % size if n >= least else 0
        assert sum(len(d.vertices) for d in gl.take()) == kept


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("capacity", [8, 9, 10, 11])
def test_wrapping_draws_the_same_primitives(gl: GL, mode: int, capacity: int) -> None:
    rng = random.Random(mode * 16 + capacity)
    for n in (0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 15, 16, 17, 18, 19, 24, 25, 33, 40, 41, 42, 43):
        before = rng.randrange(capacity - 1)
        results = []
        for limit in (capacity, 4096):
            gl.n.vbo.capacity = limit
            gl.Color3f(9, 9, 9)
            gl.Begin(0)
            for i in range(before):
                gl.Vertex2f(i, -1)
            gl.End()
            gl.Begin(mode)
            for i in range(n):
                gl.Color3f(i, 0, 0)
                gl.Vertex2f(i, 1)
            gl.End()
            results.append(gl.take())
        cut, whole = results
        assert assemble(cut) == assemble(whole)
        assert len(cut) > 1 or n < 2 * capacity
        if mode:  # points join those before
            check_flags([d for d in cut if d.vertices[0][0][1] == 1])


def check_flags(pieces: list[Draw]) -> None:
    """The first piece begins and the last one ends; nothing between does either."""
    if pieces:
        assert pieces[0].flags & 1
        assert not any(d.flags & 1 for d in pieces[1:])
        assert not any(d.flags & 2 for d in pieces[:-1])


def test_real_capacity(gl: GL) -> None:
    gl.Begin(5)
    for i in range(10000):
        gl.Vertex2f(i, 0)
    gl.End()
    draws = gl.take()
    assert len(draws) == 3
    assert len(assemble(draws)) == 9998


def test_many_primitives_flush_before_their_list_is_full(gl: GL) -> None:
    for k in range(3000):
        gl.Begin(3)
        gl.Vertex2f(k, 0)
        gl.Vertex2f(k, 1)
        gl.End()
    assert [d.vertices[0][0][0] for d in gl.take()] == list(range(3000))


def test_state_changes_flush(gl: GL) -> None:
    for shade in (0x1D00, 0x1D01):
        gl.ShadeModel(shade)
        gl.Begin(0)
        gl.Vertex2f(shade, 0)
        gl.End()
    assert len(gl.draws) == 1
    assert len(gl.take()) == 2


def test_errors(gl: GL) -> None:
    gl.Begin(14)
    assert gl.error() == INVALID_ENUM and gl.n.vbo.begin_mode == 0
    gl.End()
    assert gl.error() == INVALID_OPERATION
    gl.Begin(4)
    gl.Begin(4)
    assert gl.error() == INVALID_OPERATION
    gl.ShadeModel(0x1D00)
    assert gl.error() == INVALID_OPERATION
    gl.Rectf(0, 0, 1, 1)
    assert gl.error() == INVALID_OPERATION
    gl.End()
    assert gl.error() == 0 and not gl.take()


def test_rectangles(gl: GL) -> None:
    for name, args in (
        ("Rectf", (1, 2, 3, 4)),
        ("Recti", (1, 2, 3, 4)),
        ("Rectsv", ([1, 2], [3, 4])),
        ("Rectdv", ([1, 2], [3, 4])),
    ):
        getattr(gl, name)(*args)
        (draw,) = gl.take()
        assert draw.mode == 7
        assert [v[0] for v in draw.vertices] == [
            (1, 2, 0, 1),
            (3, 2, 0, 1),
            (3, 4, 0, 1),
            (1, 4, 0, 1),
        ]


def test_materials_inside_are_vertex_attributes(gl: GL) -> None:
    gl.Materialfv(0x0404, 0x1201, [1, 0, 0, 1])
    gl.Begin(0)
    gl.Vertex2f(0, 0)
    gl.Materialfv(0x0408, 0x1602, [0, 1, 0, 1])
    gl.Vertex2f(1, 0)
    gl.Materialf(0x0405, 0x1601, 129)
    assert gl.error() == INVALID_VALUE
    gl.Materialf(0x0405, 0x1204, 1)
    assert gl.error() == INVALID_ENUM
    gl.Materiali(0x0405, 0x1601, 7)
    gl.Vertex2f(2, 0)
    gl.End()
    (draw,) = gl.take()
    front_diffuse, back_shininess = VERT_ATTRIB_MAT0 + 2, VERT_ATTRIB_MAT0 + 9
    assert draw.varying == {0, 15, 32, 33, 34, 35, back_shininess}
    assert [v[front_diffuse] for v in draw.vertices] == [(1, 0, 0, 1), (0, 1, 0, 1), (0, 1, 0, 1)]
    assert [v[back_shininess][0] for v in draw.vertices] == [0, 0, 7]
    assert gl.current(front_diffuse) == (0, 1, 0, 1)


def test_tracked_materials_keep_their_value(gl: GL) -> None:
    gl.ColorMaterial(0x0404, 0x1201)
    gl.Enable(0x0B57)
    gl.Begin(0)
    gl.Vertex2f(0, 0)
    gl.Materialfv(0x0408, 0x1201, [0, 0, 1, 1])
    gl.Vertex2f(0, 0)
    gl.End()
    (draw,) = gl.take()
    assert VERT_ATTRIB_MAT0 + 2 not in draw.varying and VERT_ATTRIB_MAT0 + 3 in draw.varying


@pytest.mark.parametrize("seed", range(12))
def test_capacity_does_not_show(gl: GL, seed: int) -> None:
    """The same calls with a tiny buffer and with a large one: the same primitives, the same state
    after.
    """
    script = random_script(random.Random(seed), 60)
    results = []
    for capacity in (8, 4096):
        made = GL()
        made.n.vbo.capacity = capacity
        play(made, script)
        results.append((assemble(made.take()), made.state(), made.error()))
        made.ctx.destroy()
    assert results[0] == results[1]


def test_several_attributes_of_halves(gl: GL) -> None:
    """NV_half_float: the highest index comes first; attributes beyond the last change nothing."""
    halves = (ctypes.c_uint16 * 6)(0x3C00, 0x4000, 0x3800, 0xC000, 0x4200, 0x3400)
    gl.VertexAttribs3hvNV(5, 2, halves)
    assert list(gl.n.val.current[VERT_ATTRIB_GENERIC0 + 5]) == [1.0, 2.0, 0.5, 1.0]
    assert list(gl.n.val.current[VERT_ATTRIB_GENERIC0 + 6]) == [-2.0, 3.0, 0.25, 1.0]
    for index, count in ((15, 2), (16, 1), (3, -1)):
        gl.VertexAttribs3hvNV(index, count, halves)
        assert gl.error() == INVALID_VALUE
    assert list(gl.n.val.current[VERT_ATTRIB_GENERIC0 + 15]) == [0.0, 0.0, 0.0, 1.0]
    gl.Begin(0)
    gl.VertexAttribs1hvNV(0, 1, halves)
    gl.End()
    assert len(assemble(gl.take())) == 1
