# SPDX-License-Identifier: MIT
"""The calling thread's MXCSR for Python: what computes in numpy as kernels do (fpstate.py)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pydri.jit.kernel import Module, kernel
from pydri.jit.types import u32
from pydri.util.once import once

if TYPE_CHECKING:
    from pydri.jit.builder import Builder
    from pydri.jit.values import Value


@kernel(u32, (u32,))
def mxcsr_exchange(b: Builder, word: Value) -> None:
    """Load a word; gives the one before."""
    place = b.array(u32, 2)
    b.intrinsic_void("llvm.x86.sse.stmxcsr", place)
    place[1] = word
    b.intrinsic_void("llvm.x86.sse.ldmxcsr", place + 1)
    b.Return(place[0])


@once
def _exchange() -> Callable[[int], int]:
    image = Module("mxcsr", [mxcsr_exchange]).compile()
    function = ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint32)(image.address("mxcsr_exchange"))
    return lambda word: int(function(word))


def exchange(word: int) -> int:
    """Load a word; gives the one before."""
    return _exchange()(word)


@contextmanager
def computing(word: int) -> Iterator[None]:
    """This word while the block runs, and then the one before."""
    before = exchange(word)
    try:
        yield
    finally:
        exchange(before)


__all__ = ["computing", "exchange", "mxcsr_exchange"]
