# SPDX-License-Identifier: MIT
"""The rasteriser's threads: whom a context waits for when it ends, and what they tell."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import pytest

from pipe_llvm.core import core_image
from pipe_llvm.memory import Block
from pipe_llvm.native import LpPool, LpThreadData
from pydri.nir import types
from pydri.nir.builder import Builder
from pydri.nir.ir import Shader
from pydri.pipe.state import ShaderInput, ShaderRef
from tests.unit.pipe_llvm.harness import Bench

TRIANGLE = [[[0, 0, 0.5, 1, 1, 1, 1, 1], [64, 0, 0.5, 1, 1, 1, 1, 1], [0, 64, 0.5, 1, 1, 1, 1, 1]]]


def retired(bench: Bench) -> threading.Thread:
    """A thread that ends when no thread of the pool can hold a scene of the context."""
    retire = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(core_image().address("lp_retire"))
    started = threading.Thread(target=retire, args=(bench.cx.native,))
    started.start()
    return started


def test_a_context_ends_while_others_keep_the_threads_busy() -> None:
    """Who looks again looks at another's scene. The pool is one of two threads that the test plays:
    the second is at work for another context all the time."""
    bench = Bench(threads=0)
    pool, memory = Block(LpPool.size), Block(2 * LpThreadData.size)
    own = bench.cx.lp.pool
    view: Any = LpPool.view(pool.address)
    view.threads, view.memory = 2, memory.address
    second: Any = LpThreadData.view(memory.address + LpThreadData.size)
    second.looks = 5
    bench.cx.lp.pool = pool.address
    try:
        waiting = retired(bench)
        waiting.join(0.05)
        assert waiting.is_alive()
        second.looks = 7  # it looked away, and looks again
        waiting.join(60)
        assert not waiting.is_alive()
    finally:
        second.looks = 8
        bench.cx.lp.pool = own


def test_contexts_end_while_another_draws() -> None:
    """The same with real threads."""
    other, over = Bench(256, 256, threads=2), threading.Event()
    plan = other.plan()
    large = [[[v * 4 if n < 2 else v for n, v in enumerate(row)] for row in TRIANGLE[0]]]

    def draw() -> None:
        while not over.is_set():
            for _ in range(60):
                other.triangles(plan, large)
            other.cx.flush()

    busy = threading.Thread(target=draw)
    busy.start()
    try:
        for _ in range(20):
            bench = Bench(threads=2)
            bench.triangles(bench.plan(), TRIANGLE)
            retired(bench).join()
            del bench
    finally:
        over.set()
        busy.join()


@pytest.mark.parametrize("threads", [0, 1])
def test_a_line_tells_of_loops_that_were_ended(
    threads: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pydri.util.options._said", set())

    def build() -> Shader:
        b = Builder(Shader("fragment"))
        color = b.load_input(1, 4)
        sum_ = b.local("sum", types.VEC4)  # read behind the loop, which is kept for that
        b.store_var(sum_, color)
        with b.Loop():
            b.store_var(sum_, b.fadd(b.load_var(sum_), color))
            with b.If(b.flt(color.x, 0.0)):
                b.Break()
        b.store_output(b.load_var(sum_), 2, 15)
        return b.shader

    bench = Bench(threads=threads)
    shader = ShaderRef(b"endless", build, (ShaderInput(1, 4, "color"),), (2,))
    bench.triangles(bench.plan(), TRIANGLE)
    bench.cx.finish()
    assert "loops" not in capfd.readouterr().err
    for _ in range(2):
        bench.triangles(bench.plan(fs=shader), TRIANGLE)
        bench.cx.finish()
    said = capfd.readouterr().err.splitlines()
    assert said == ["libGL: a shader's loops were ended after 65535 rounds"]
