# SPDX-License-Identifier: MIT
"""Primitive restart: the same as primitives apart, in all index types, buffers, lists, elements."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from pydri.api import enums as e
from tests.unit.vbo.harness import GL
from tests.unit.vbo.test_arrays import (
    COUNT,
    INVALID_OPERATION,
    bind,
    new_buffer,
    new_data,
    primitives,
    some_arrays,
)
from tests.unit.vbo.test_arrays import struct_bytes as indices_of

TYPES = (
    ("B", e.GL_UNSIGNED_BYTE, 1),
    ("H", e.GL_UNSIGNED_SHORT, 2),
    ("I", e.GL_UNSIGNED_INT, 4),
)
MODES = (e.GL_LINE_LOOP, e.GL_TRIANGLE_STRIP, e.GL_QUADS, e.GL_POLYGON)


def apart(gl: GL, mode: int, runs: list[list[int]]) -> Any:
    """The primitives of runs that are drawn one by one."""
    for run in runs:
        gl.DrawElements(mode, len(run), e.GL_UNSIGNED_INT, indices_of("I", run))
    return primitives(gl)


def joined(runs: list[list[int]], restart: int) -> list[int]:
    out = [restart]  # restarts in a row, first and last make nothing
    for run in runs:
        out += [*run, restart]
    return [*out, restart]


def some_runs(seed: int) -> list[list[int]]:
    rng = random.Random(seed)
    return [[rng.randrange(COUNT) for _ in range(n)] for n in (5, 1, 21, 16, 4, 40, 2)]


@pytest.mark.parametrize("code, type_, size", TYPES)
@pytest.mark.parametrize("mode", MODES)
def test_runs(gl: GL, mode: int, code: str, type_: int, size: int) -> None:
    some_arrays(gl)
    runs = some_runs(mode)
    want = apart(gl, mode, runs)
    assert want
    fixed = (1 << 8 * size) - 1
    for restart, index in ((True, 99), (False, fixed)):
        gl.n.raw.restart, gl.n.raw.restart_fixed = restart, not restart
        gl.PrimitiveRestartIndex(99)
        data = indices_of(code, joined(runs, index))
        count = len(data) // size
        gl.DrawElements(mode, count, type_, data)
        assert primitives(gl) == want
        buffer = new_buffer(gl)
        new_data(gl, buffer, len(data), data)
        bind(gl, gl.ctx.vao, "element_buffer", buffer)
        gl.DrawElements(mode, count + 100, type_, 0)  # more than there are
        assert primitives(gl) == want
        gl.ctx.vao.element_buffer = 0
        gl.NewList(1, e.GL_COMPILE)
        gl.DrawElements(mode, count, type_, data)
        gl.EndList()
        gl.n.raw.restart = gl.n.raw.restart_fixed = 0
        gl.CallList(1)
        assert primitives(gl) == want


def test_an_index_beyond_the_type(gl: GL) -> None:
    some_arrays(gl)
    gl.n.raw.restart = 1
    gl.PrimitiveRestartIndexNV(0x100 + 3)
    gl.DrawElements(e.GL_POINTS, 3, e.GL_UNSIGNED_BYTE, indices_of("B", [1, 3, 2]))
    assert [v[0][0] for v in gl.take()[0].vertices] == [1, 3, 2]


def test_before_the_base_vertex(gl: GL) -> None:
    some_arrays(gl)
    gl.n.raw.restart = 1
    gl.PrimitiveRestartIndex(3)
    data = indices_of("H", [1, 3, 2])
    gl.DrawElementsBaseVertex(e.GL_POINTS, 3, e.GL_UNSIGNED_SHORT, data, 1)
    assert [[v[0][0] for v in d.vertices] for d in gl.take()] == [[2], [3]]


@pytest.mark.parametrize("in_list", [False, True])
@pytest.mark.parametrize("by_element", [False, True])
def test_between_begin_and_end(gl: GL, by_element: bool, in_list: bool) -> None:
    some_arrays(gl)
    runs = some_runs(3)
    want = apart(gl, e.GL_TRIANGLE_FAN, runs)
    gl.n.raw.restart = 1
    gl.PrimitiveRestartIndex(99)
    restart: Callable[[], Any] = gl.PrimitiveRestartNV
    if by_element:
        restart = partial(gl.ArrayElement, 99)
    if in_list:
        gl.NewList(1, e.GL_COMPILE)
    gl.Begin(e.GL_TRIANGLE_FAN)
    for n, run in enumerate(runs):
        if n:
            restart()
        for i in run:
            gl.ArrayElement(i)
    gl.End()
    if in_list:
        gl.EndList()
        gl.CallList(1)
    assert primitives(gl) == want


def test_a_list_restarts_what_began_outside(gl: GL) -> None:
    gl.NewList(1, e.GL_COMPILE)
    gl.PrimitiveRestartNV()
    gl.EndList()
    gl.Begin(e.GL_LINE_STRIP)
    for n in range(4):
        if n == 2:
            gl.CallList(1)
        gl.Vertex2f(n, 0)
    gl.End()
    assert len(primitives(gl)) == 2


def test_outside(gl: GL) -> None:
    gl.PrimitiveRestartNV()
    assert gl.error() == INVALID_OPERATION
