# SPDX-License-Identifier: MIT
"""Geometry shaders made up by chance: both drivers draw, capture and count the same.

Lanes of one group emit different numbers of vertices, under conditions and in loops, end strips
where they like, and look at any vertex of what they take.
"""

from __future__ import annotations

import ctypes
import random
from typing import NamedTuple

import numpy as np
import pytest

from pydri.nir.enums import VERT_ATTRIB_GENERIC0
from pydri.pipe.format import number
from pydri.pipe.native import SHADER_FRAGMENT
from pydri.pipe.state import PipelineState
from tests import host
from tests.unit.pipe_soft.bench import DRIVERS, SIZE, Bench, Call, Target
from tests.unit.pipe_soft.test_geometry import DYNAMIC, pipeline, program, shader, vertices

TAKEN = {"points": (0,), "lines": (1, 2, 3), "lines_adjacency": (10, 11), "triangles": (4, 5, 6),
         "triangles_adjacency": (12, 13)}  # fmt: skip
MADE = {"points": 0, "line_strip": 3, "triangle_strip": 5}
CORNERS = {"points": 1, "lines": 2, "lines_adjacency": 4, "triangles": 3, "triangles_adjacency": 6}


class Result(NamedTuple):
    """What a draw leaves."""

    picture: bytes
    captured: bytes
    counters: list[int]
    passed: int


def draw(driver: str, state: PipelineState, call: Call) -> Result:
    memory, counters = np.zeros(1 << 14, np.uint32), (ctypes.c_uint64 * 2)()
    bench = Bench(DRIVERS[driver], Target(number("R8G8B8A8_UNORM"), 0, 1, False))
    bench.clear((0.0,) * 4, 1.0, 0)
    target = bench.dyn.stream_targets[0]
    target.data, target.size = memory.ctypes.data, memory.nbytes
    bench.dyn.primitives_generated = ctypes.addressof(counters)
    bench.dyn.primitives_written = ctypes.addressof(counters) + 8
    bench.draw(call)
    found = Result(bench.memory(bench.color).tobytes(), memory.tobytes(), list(counters),
                   bench.counter.value)  # fmt: skip
    bench.close()
    return found


class Text:
    """The body of a shader, and how many vertices it emits at most."""

    def __init__(self, r: random.Random, corners: int) -> None:
        self.r, self.corners = r, corners
        self.loops = 0

    def vertex(self) -> str:
        n = self.corners
        kinds = [str(self.r.randrange(n)), f"gl_PrimitiveIDIn % {n}", f"int(tint[0].x * {n}.0)"]
        if self.loops:
            kinds += [f"(i{self.loops} + 1) % {n}"] * 2
        return self.r.choice(kinds)

    def condition(self) -> str:
        kinds = [f"tint[{self.vertex()}].y > {self.r.random():.2f}",
                 f"gl_PrimitiveIDIn % {self.r.randint(2, 4)} == 1"]  # fmt: skip
        if self.loops:
            kinds.append(f"i{self.loops} == {self.r.randrange(3)}")
        return self.r.choice(kinds)

    def statement(self, depth: int) -> str:
        kind = self.r.choice(["v", "v", "v", "end", "moved", "if", "for", "leave"])
        if kind == "end":
            return "EndPrimitive();"
        if kind == "moved":
            return (f"gl_Position = gl_in[{self.vertex()}].gl_Position * 0.5; color = tint["
                    f"{self.vertex()}].bgra; EmitVertex();")
        if kind == "leave" and depth:
            return f"if ({self.condition()}) {'break' if self.loops else 'return'};"
        if kind == "if" and depth < 3:
            other = f" else {{ {self.body(depth + 1)} }}" if self.r.random() < 0.5 else ""
            return f"if ({self.condition()}) {{ {self.body(depth + 1)} }}{other}"
        if kind == "for" and depth < 2:
            end = self.r.choice(["2", "3", "int(tint[0].z * 4.0)"])
            self.loops += 1
            inner, name = self.body(depth + 1), f"i{self.loops}"
            self.loops -= 1
            return f"for (int {name} = 0; {name} < {end}; {name}++) {{ {inner} }}"
        return f"v({self.vertex()});"

    def body(self, depth: int) -> str:
        return " ".join(self.statement(depth) for _ in range(self.r.randint(1, 4)))


def case(seed: int) -> tuple[PipelineState, Call]:
    """A state with a geometry shader, and a draw."""
    r = random.Random(seed)
    taken, made = r.choice(list(TAKEN)), r.choice(list(MADE))
    text = Text(r, CORNERS[taken])
    first = " ".join(f"v({text.vertex()});" for _ in range(r.randint(0, 3)))
    body = " ".join([first, *(text.statement(0) for _ in range(r.randint(2, 5)))])
    kind = r.choice(["", "flat", "noperspective"])
    whole = shader(taken, made, body, r.choice([3, 8, 40]))
    captured = ("color", "gl_Position") if r.random() < 0.5 else ()
    found = program(whole, kind, captured)
    state = pipeline(found, MADE[made], r.random() < 0.5)
    count = r.choice([r.randint(1, 12), r.randint(12, 70)])
    rows = vertices(count, seed)
    rows[:, 0, 2] = np.random.default_rng(seed).uniform(-1.2, 1.2, count)
    arrays = {VERT_ATTRIB_GENERIC0 + n: np.ascontiguousarray(rows[:, n]) for n in (0, 1)}
    indices = np.array([r.randrange(count) for _ in range(count)], np.uint16)
    some = indices if r.random() < 0.3 else None
    mode, instances = r.choice(TAKEN[taken]), r.choice([1, 1, 2, 5])
    return state, Call(state, DYNAMIC, arrays, mode, some, count, instances=instances)


@pytest.mark.parametrize("seed", host.seeds(range(24), 30))
def test_both_do_the_same(seed: int) -> None:
    state, call = case(seed)
    assert state.stages[SHADER_FRAGMENT] is not None
    soft, llvm = draw("soft", state, call), draw("llvm", state, call)
    assert llvm.counters == soft.counters and llvm.captured == soft.captured
    differing = np.frombuffer(soft.picture, np.uint8) != np.frombuffer(llvm.picture, np.uint8)
    assert not differing.any() and len(differing) == 4 * SIZE * SIZE
    assert llvm.passed == soft.passed


@pytest.mark.parametrize("mode", [0, 2, 6, 11, 13])
def test_chunks_join(mode: int) -> None:
    """A draw that is too large for the stream is drawn in parts, and those with adjacent vertices
    know what lies beyond a cut."""
    taken = next(name for name, modes in TAKEN.items() if mode in modes)
    ends = CORNERS[taken] - 1, CORNERS[taken] // 2
    body = f"v({ends[0]}); if (gl_PrimitiveIDIn % 97 == 3) v(0); v({ends[1]});"
    state = pipeline(program(shader(taken, "line_strip", body), "flat"), 3, False)
    count = 9001
    rows = vertices(count)
    angle = np.arange(count) * 0.05
    rows[:, 0, 0] = np.cos(angle) * (angle / 500)
    rows[:, 0, 1] = np.sin(angle) * (angle / 500)
    arrays = {VERT_ATTRIB_GENERIC0 + n: np.ascontiguousarray(rows[:, n]) for n in (0, 1)}
    call = Call(state, DYNAMIC, arrays, mode, None, count)
    soft, llvm = draw("soft", state, call), draw("llvm", state, call)
    assert llvm == soft and soft.counters[0] > count // 3


def test_many_vertices() -> None:
    """A shader that may emit more than a chunk of a draw has, and tries to emit more than it may.
    """
    body = ("int n = 122 + gl_PrimitiveIDIn % 9; for (int i = 0; i < n; i++) { gl_Position = "
            "gl_in[0].gl_Position + vec4(0.005 * float(i), 0.004 * float(i % 7), 0.0, 0.0);"
            "color = tint[0]; EmitVertex(); if (i % 40 == 7) EndPrimitive(); }")
    state = pipeline(program(shader("points", "triangle_strip", body, 128)), 5, False)
    rows = vertices(70)
    arrays = {VERT_ATTRIB_GENERIC0 + n: np.ascontiguousarray(rows[:, n]) for n in (0, 1)}
    call = Call(state, DYNAMIC, arrays, 0, None, 70)
    assert draw("llvm", state, call) == draw("soft", state, call)
