# SPDX-License-Identifier: MIT
"""Whole draws: each mode against a plain decomposition, chunks, index types, odd counts."""

from __future__ import annotations

import numpy as np
import pytest

from pipe_llvm.native import PLAN_POLY_SMOOTH
from pydri.util.stats import INDEX

from .fake import Drawing, pipeline

POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, STRIP, FAN, QUADS, QUAD_STRIP, POLYGON = range(10)
TRIANGLE_MODES = [TRIANGLES, STRIP, FAN, QUADS, QUAD_STRIP, POLYGON]


def decompose(mode: int, n: int, first: bool = False) -> list[tuple[int, int, int]]:
    """Triangles of n vertices; the third one provokes (GL 2.1, tables 2.12)."""
    out: list[tuple[int, int, int]] = []
    if mode == TRIANGLES:
        out = [(i, i + 1, i + 2) for i in range(0, n - 2, 3)]
    elif mode == STRIP:
        out = [(i, i + 1, i + 2) if i % 2 == 0 else (i + 1, i, i + 2) for i in range(n - 2)]
    elif mode == FAN:
        out = [(0, i, i + 1) for i in range(1, n - 1)]
    elif mode == POLYGON:
        return [(i, i + 1, 0) for i in range(1, n - 1)]
    elif mode == QUADS:
        for i in range(0, n - 3, 4):
            out += [(i, i + 1, i + 3), (i + 1, i + 2, i + 3)]
        return out
    elif mode == QUAD_STRIP:
        for i in range(0, n - 3, 2):
            out += [(i + 2, i, i + 3), (i, i + 1, i + 3)]
        return out
    if first:  # turned until the least of those that may provoke comes last
        turned = []
        for i, (a, b, c) in enumerate(out):
            provoking = {TRIANGLES: a, STRIP: i, FAN: i + 1}[mode]
            turn = [(a, b, c), (b, c, a), (c, a, b)]
            turned.append(next(t for t in turn if t[2] == provoking))
        return turned
    return out


def drawing(vertices: int, width: int = 0, **more: bool) -> Drawing:
    """Vertex n has the colour n."""
    d = Drawing(pipeline(**more), width)
    pos = np.zeros((vertices, 4), np.float32)
    pos[:, 0] = np.linspace(-0.9, 0.9, vertices)
    pos[:, 3] = 1
    color = np.zeros((vertices, 4), np.float32)
    color[:, 0] = np.arange(vertices)
    d.attribute(0, pos)
    d.attribute(2, color)
    return d


def drawn(d: Drawing) -> list[tuple[int, ...]]:
    return [tuple(t) for t in d.drawn[:, :, 4].astype(int).tolist()]


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("mode", TRIANGLE_MODES)
def test_modes(mode: int, first: bool) -> None:
    d = drawing(120, provoking_first=first)
    order = np.random.default_rng(mode).permutation(120).astype(np.uint16)
    for n in (0, 1, 2, 3, 4, 5, 6, 7, 31, 40, 101):
        wanted = decompose(mode, n, first)
        assert drawn(d.draw(mode, n)) == wanted
        shifted = [tuple(v + 9 for v in t) for t in wanted]
        assert drawn(d.draw(mode, n, 9)) == shifted
        by_index = [tuple(int(order[v]) for v in t) for t in wanted]
        assert drawn(d.draw(mode, n, indices=order)) == by_index


@pytest.mark.parametrize("mode", TRIANGLE_MODES)
@pytest.mark.parametrize("count", [8184, 8185, 8190, 20011, 24580, 60000])
def test_chunks_join(mode: int, count: int) -> None:
    d = drawing(count)
    wanted = np.array(decompose(mode, count))
    np.testing.assert_array_equal(d.draw(mode, count).drawn[:, :, 4], wanted)
    order = np.random.default_rng(1).permutation(count).astype(np.uint32)
    np.testing.assert_array_equal(
        d.draw(mode, count, indices=order).drawn[:, :, 4], order[wanted].astype(np.float32)
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
def test_index_types(dtype: type) -> None:
    d = drawing(250)
    rng = np.random.default_rng(3)
    for spread in (10, 200):
        indices = rng.integers(20, 20 + spread, 99).astype(dtype)
        wanted = [tuple(t) for t in (indices[3:].reshape(-1, 3).astype(int) + 5).tolist()]
        assert drawn(d.draw(TRIANGLES, 96, 3, indices, bias=5)) == wanted
        wanted = [tuple(t) for t in (indices[:96].reshape(-1, 3).astype(int) - 20).tolist()]
        assert drawn(d.draw(TRIANGLES, 96, 0, indices, bias=-20)) == wanted


def test_close_indices_are_shaded_once() -> None:
    d = drawing(1000)
    indices = np.random.default_rng(3).integers(100, 200, 3000).astype(np.uint16)
    before = int(d.stats[INDEX["vertices"]])
    d.draw(TRIANGLES, 3000, indices=indices)
    assert int(d.stats[INDEX["vertices"]]) - before == 100
    assert int(d.stats[INDEX["primitives"]]) == 1000
    assert int(d.stats[INDEX["draws"]]) == 1
    far = np.array([0, 999, 500], np.uint16)
    before = int(d.stats[INDEX["vertices"]])
    assert drawn(d.draw(TRIANGLES, 3, indices=far)) == [(0, 999, 500)]
    assert int(d.stats[INDEX["vertices"]]) - before == 3


def test_wild_indices_are_harmless() -> None:
    d = drawing(10)
    wild = np.array([0, 5, 0xFFFFFFFF, 0x80000000, 10, 3], np.uint32)
    assert drawn(d.draw(TRIANGLES, 6, indices=wild)) == [(0, 5, 9), (9, 9, 3)]
    assert drawn(d.draw(TRIANGLES, 6, indices=wild, bias=-7))[1][1] == 3


def test_absurd_counts_end_at_the_arrays() -> None:
    d = drawing(10)
    assert drawn(d.draw(TRIANGLES, 0x7FFFFFFF)) == [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
    assert drawn(d.draw(TRIANGLES, 0x7FFFFFFF, 0xFFFFFFF0)) == []
    assert drawn(d.draw(TRIANGLES, 3, 10)) == []
    d.bindings[2].stride = 0
    assert len(drawn(d.draw(STRIP, 0xFFFFFFFF))) == 8
    d.attribute(2, np.zeros((40, 4), np.float32), count=0)  # not known: bounds nothing
    assert len(drawn(d.draw(STRIP, 30, 0))) == 28
    assert drawn(d.draw(77, 3)) == []


def test_memory_that_cannot_be_had_draws_nothing() -> None:
    d = drawing(20000)
    d.vertices(512)
    d.grow_allowed = False
    assert drawn(d.draw(TRIANGLES, 9000)) == []
    d.grow_allowed = True
    assert len(drawn(d.draw(TRIANGLES, 9000))) == 3000
    assert d.grows


@pytest.mark.parametrize("width", [128, 256, 512])
def test_widths_agree(width: int) -> None:
    d, wanted = drawing(500, width), drawing(500)
    order = np.random.default_rng(1).permutation(500).astype(np.uint16)
    for mode in TRIANGLE_MODES:
        for indices in (None, order):
            mine = d.draw(mode, 500, indices=indices).drawn[:, :, :8]
            np.testing.assert_array_equal(
                mine.view(np.uint32),
                wanted.draw(mode, 500, indices=indices).drawn[:, :, :8].view(np.uint32),
            )


def test_nothing_of_a_chunk_outside_is_drawn() -> None:
    d = drawing(30)
    pos = np.zeros((30, 4), np.float32)
    pos[:, 2:] = (2, 1)
    d.attribute(0, pos)
    assert d.draw(TRIANGLES, 30).calls == []


@pytest.mark.parametrize("mode", TRIANGLE_MODES)
@pytest.mark.parametrize("seen", ["whole", "clipped"])
def test_triangles_know_their_polygon(mode: int, seen: str) -> None:
    """Of smooth polygons: a quad's two triangles, and what clipping makes of them, are one."""
    d = drawing(24)
    if seen == "clipped":
        pos = d.keep[0]
        pos[:, 1:3] = np.random.default_rng(mode).uniform(-2, 2, (24, 2))
    d.plan.flags |= PLAN_POLY_SMOOTH
    d.draw(mode, 24)
    numbers = np.concatenate(d.polygons)
    assert (numbers >> 31 == 1).all()
    count = {TRIANGLES: 8, QUADS: 6, QUAD_STRIP: 11, POLYGON: 1}.get(mode, 22)
    if seen == "whole":
        assert len(set(numbers)) == count
    assert 1 <= len(set(numbers)) <= count
    assert (np.diff(numbers.astype(int)) >= 0).all()
    whole = [tuple(sorted(t)) for t in decompose(mode, 24)]
    polygon = {t: i // (2 if mode in (QUADS, QUAD_STRIP) else 22 if mode == POLYGON else 1)
               for i, t in enumerate(whole)}  # fmt: skip
    for triangle, number in zip(drawn(d), numbers):
        if seen == "whole":
            assert polygon[tuple(sorted(triangle))] == number - numbers[0]
