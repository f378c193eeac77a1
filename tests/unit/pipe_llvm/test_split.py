# SPDX-License-Identifier: MIT
"""Work in parts: each part is done once, by whatever threads there are, before split returns."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import pytest

from pydri.jit import Module, kernel, ptr, u32, void
from pydri.pipe.native import PipeNative
from pydri.pipe.split import LEAST_BYTES, PART_BYTES, in_parts, rows_a_part
from tests.unit.pipe_llvm.harness import Bench

_PARTS = 37
_CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32)


@kernel(void, (ptr(void), u32), noinline=True)
def count_part(b: Any, argument: Any, number: Any) -> None:
    """Adds one to the part's word: with atomics, so that two who do one part are seen."""
    b.atomic_add(argument.cast(ptr(u32)) + number, 1)


@kernel(void, (ptr(PipeNative), ptr(u32), u32, u32))
def count_often(b: Any, pipe: Any, words: Any, parts: Any, times: Any) -> None:
    """Pieces of work close behind each other: threads that are late for one meet the next."""
    with b.For(b.const(u32, 0), times) as n:
        in_parts(b, pipe, count_part, words.cast(ptr(void)), b.select((n & 1) == 0, parts, 2))


@pytest.fixture(scope="module")
def often() -> Any:
    image = Module("split_example", [count_often]).compile()
    return image, _CALL(image.address("count_often"))


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_each_part_is_done_once(often: Any, threads: int) -> None:
    """Two threads of the program that have contexts of one screen: who comes second works alone."""
    from pipe_llvm.context import LlvmContext

    bench = Bench(threads=threads)
    other = LlvmContext(bench.screen)
    times, words = 400, [(ctypes.c_uint32 * _PARTS)() for _ in range(2)]
    users = [
        threading.Thread(target=often[1], args=(cx.native, ctypes.addressof(w), _PARTS, times))
        for cx, w in zip((bench.cx, other), words, strict=True)
    ]
    for user in users:
        user.start()
    for user in users:
        user.join()
    other.destroy()
    for row in words:
        assert list(row) == [times, times] + [times // 2] * (_PARTS - 2)


def test_without_a_driver_that_splits(often: Any) -> None:
    pipe, words = PipeNative.ctype()(), (ctypes.c_uint32 * _PARTS)()
    often[1](ctypes.addressof(pipe), ctypes.addressof(words), _PARTS, 1)
    assert list(words) == [1] * _PARTS


@kernel(u32, (u32, u32))
def part_size(b: Any, rows: Any, cost: Any) -> None:
    from pydri.jit import u64

    b.Return(rows_a_part(b, rows, b.cast(cost, u64)))


def test_what_is_small_stays_whole() -> None:
    image = Module("part_example", [part_size]).compile()
    size = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32)(
        image.address("part_size")
    )
    cost = 2048
    assert size(LEAST_BYTES // cost - 1, cost) == LEAST_BYTES // cost - 1
    assert size(1 << 20, cost) == PART_BYTES // cost + 1
    assert size(8, 1 << 30) == 1 and size(5, 0) == 5
