# SPDX-License-Identifier: MIT
"""What leaves loops before LLVM sees them, what stays, and that the results are the same."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from pydri.jit import Module, f32, i32, kernel, ptr, void
from pydri.jit.kernel import Kernel
from tests.unit.jit import harness

P = ctypes.c_void_p
TIMES_3, TIMES_HALF = ", 0x4008000000000000", ", 0x3FE0000000000000"


def text(k: Kernel, first: bool = False) -> list[str]:
    """The lines of a variant's only kernel before LLVM."""
    lines = Module("hoist test", [k], b"", variant=True, first=lambda: [k]).ir(256, first)
    return lines[lines.index("entry") : lines.index("\n}")].splitlines()


def depth(lines: list[str], what: str) -> int:
    """In how many loops the line with that text is, by labels of `b.For` and `b.Loop`."""
    inside, heads = 0, ("for.", "loop.")
    for line in lines:
        if what in line:
            return inside
        if line.endswith(":"):
            inside += line.startswith(heads) - line.startswith("done.")
    raise AssertionError(f"no {what}")


@kernel(void, (ptr(f32), ptr(f32), i32))
def scaled(b: Any, out: Any, given: Any, count: Any) -> None:
    """Sums over two loops, of products that do not vary, in branches."""
    step = b.var(f32, 0.0)
    with b.For(0, count) as i:
        with b.For(0, 4) as j:
            fixed = given.load(f32, invariant=True) * 3.0  # moves out of both
            row = (given + 1).load(f32) / fixed  # what is loaded may change: it stays
            with b.If(i > j):
                step.value = step.value + fixed * 0.5
            out[i] = out[i] + step.value * row + b.sqrt(b.cast(i, f32) + 2.0)  # out of the inner


def test_what_does_not_vary_moves_out() -> None:
    lines = text(scaled)
    assert depth(lines, TIMES_3) == 0 and depth(lines, TIMES_HALF) == 0
    assert depth(lines, "llvm.sqrt") == 1 and depth(lines, "fdiv") == 2
    assert depth(text(scaled, first=True), TIMES_3) == 2  # made in a hurry


def test_results_are_the_same() -> None:
    given, out = np.array([0.7, 1.3], np.float32), []
    for variant in (False, True):
        image = Module(f"hoisted {variant}", [scaled], b"", variant=variant).compile()
        found = np.zeros(9, np.float32)
        run = harness.function(image, "scaled", None, P, P, ctypes.c_int)
        run(harness.address(found), harness.address(given), 9)
        out.append(found)
    assert np.array_equal(*out) and (out[0] > 5).all()


def test_what_a_loop_changes_stays() -> None:
    """Local variables, those whose address goes elsewhere, division of whole numbers."""

    @kernel(void, (ptr(f32), i32))
    def changing(b: Any, out: Any, count: Any) -> None:
        x, y = b.var(f32, 1.0), b.var(f32, 2.0)
        with b.For(0, count) as i:
            out[i] = x.value * 1.5 + b.cast(count // b.max(count, 1), f32)
            x.value = x.value + 1.0
            out[i + count] = y.value * 2.5
            b.memset(y.address, 0, 4)

    lines = text(changing)
    for what in ("0x3FF8000000000000", "0x4004000000000000", "sdiv", "sitofp"):
        assert depth(lines, what) == 1, what
