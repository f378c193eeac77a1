# SPDX-License-Identifier: MIT
"""Run kernels over numpy arrays: shared by the tests of the kernel language."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from pydri.jit import cpu, f32, f64, i8, i16, i32, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.jit.kernel import Kernel
from tests.unit.alone import compiled_alone

BEST = cpu.host().level.width
WIDTHS = [w for w in cpu.WIDTHS if w <= BEST]
EACH_WIDTH = [pytest.param(w, marks=[] if w == BEST else [pytest.mark.slow]) for w in WIDTHS]
"""For parametrize: all widths; `--quick` tests the machine's own."""
DTYPE: dict[Any, Any] = {
    i8: np.int8,
    i16: np.int16,
    i32: np.int32,
    i64: np.int64,
    u8: np.uint8,
    u16: np.uint16,
    u32: np.uint32,
    u64: np.uint64,
    f32: np.float32,
    f64: np.float64,
}
LANES = 16


def compiled(kernels: list[Kernel], width: int | None = None) -> Any:
    """The image of some kernels at a vector width."""
    return compiled_alone("test", list(kernels), width)


def function(image: Any, name: str, ret: Any, *args: Any) -> Callable[..., Any]:
    """A ctypes function of an image."""
    return ctypes.CFUNCTYPE(ret, *args)(image.address(name))


def address(array: np.ndarray) -> int:
    """Where an array's data lies."""
    return int(array.ctypes.data)


def lane_kernel(
    name: str, emit: Callable[..., Any], inputs: list[Any], output: Any, lanes: int = LANES
) -> Kernel:
    """A kernel f(n, out, in0, in1, ...) that applies `emit` to `lanes` elements at a time."""

    @kernel(ret=void, args=(i64, ptr(output), *(ptr(t) for t in inputs)), name=name)
    def run(b: Any, n: Any, out: Any, *ins: Any) -> None:
        with b.For(0, n, max(lanes, 1)) as i:
            values = [
                (p + i).load(t.vec(lanes)) if lanes else p[i]
                for p, t in zip(ins, inputs, strict=True)
            ]
            (out + i).store(b.cast(emit(b, *values), output))

    return run


def call_lanes(image: Any, name: str, output: Any, *arrays: np.ndarray) -> np.ndarray:
    """Call a `lane_kernel` over whole arrays (their length is a multiple of the lanes)."""
    out = np.zeros(len(arrays[0]), DTYPE[output])
    f = function(image, name, None, *[ctypes.c_void_p] * (len(arrays) + 2))
    f(len(out), address(out), *map(address, arrays))
    return out


def pairs(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every a with every b, padded to whole vectors."""
    x, y = (np.ascontiguousarray(m.ravel()) for m in np.meshgrid(a, b))
    return padded(x), padded(y)


def padded(a: np.ndarray) -> np.ndarray:
    """The array with its first elements repeated up to a multiple of LANES."""
    return np.ascontiguousarray(np.resize(a, -(-len(a) // LANES) * LANES))


def edge_values(dtype: Any) -> np.ndarray:
    """Numbers at which arithmetic goes wrong, and a few that are plain."""
    if np.issubdtype(dtype, np.floating):
        info = np.finfo(dtype)
        one = [
            0.0,
            1.0,
            0.5,
            1.5,
            2.5,
            3.0,
            7.25,
            1e-3,
            123456.7,
            255.0,
            256.5,
            65536.0,
            2147483648.0,
            4294967296.0,
            float(info.max),
            float(info.tiny),
            float(info.smallest_subnormal),
            np.inf,
        ]
        return np.array([*one, *(-x for x in one), np.nan], dtype)
    limits = np.iinfo(dtype)
    small = [
        0,
        1,
        2,
        3,
        5,
        7,
        31,
        100,
        limits.max // 3,
        limits.max // 2,
        limits.max - 1,
        limits.max,
    ]
    negative = [-1, -2, -7, -100, limits.min, limits.min + 1, limits.min // 2]
    return np.array(small + (negative if limits.min < 0 else []), dtype)


def widths() -> Iterator[int]:
    """The vector widths this machine can run."""
    return iter(WIDTHS)
