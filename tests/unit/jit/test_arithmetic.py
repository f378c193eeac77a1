# SPDX-License-Identifier: MIT
"""Every operator, comparison and conversion of the kernel language against numpy, at all widths."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from pydri.jit import boolean, f16, f32, f64, i16, i32, i64, u8, u16, u32, u64
from tests.unit.jit import harness
from tests.unit.jit.harness import DTYPE, call_lanes, edge_values, lane_kernel, pairs

TYPES = list(DTYPE)
FLOATS = [f32, f64]
INTS = [t for t in TYPES if t not in FLOATS]
RNG = np.random.default_rng(7)


def truncated_division(a: int, b: int) -> int:
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def each(f: Callable[[int, int], int]) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Python integers element by element, wrapped to the type."""

    def apply(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        bits = x.dtype.itemsize * 8
        out = [f(int(a), int(b)) & ((1 << bits) - 1) for a, b in zip(x, y, strict=True)]
        return np.array(out, np.uint64).astype(f"u{x.dtype.itemsize}").view(x.dtype)

    return apply


def shift(op: Callable[[int, int], int]) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    def apply(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        mask = x.dtype.itemsize * 8 - 1
        return each(lambda a, b: op(a, b & mask))(x, y)

    return apply


def guarded(b: Any, y: Any, x: Any) -> Any:
    """A divisor for which the quotient exists: not 0, and not -1 under the least number."""
    y = b.select(y == 0, 1, y)
    return b.select((y == -1) & (x == -x), 1, y) if y.elem.kind == "i" else y


def guarded_np(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    y = np.where(y == 0, 1, y).astype(y.dtype)
    if y.dtype.kind == "i":
        y = np.where((y == -1) & ((x == np.iinfo(x.dtype).min) | (x == 0)), 1, y).astype(y.dtype)
    return y


# name -> (emit, numpy), both of two operands
INT_OPS: dict[str, tuple[Any, Any]] = {
    "add": (lambda b, x, y: x + y, each(operator.add)),
    "sub": (lambda b, x, y: x - y, each(operator.sub)),
    "mul": (lambda b, x, y: x * y, each(operator.mul)),
    "and": (lambda b, x, y: x & y, np.bitwise_and),
    "or": (lambda b, x, y: x | y, np.bitwise_or),
    "xor": (lambda b, x, y: x ^ y, np.bitwise_xor),
    "shl": (lambda b, x, y: x << (y & (x.elem.bits - 1)), shift(operator.lshift)),
    "shr": (lambda b, x, y: x >> (y & (x.elem.bits - 1)), shift(operator.rshift)),
    "div": (
        lambda b, x, y: x // guarded(b, y, x),
        lambda x, y: each(truncated_division)(x, guarded_np(x, y)),
    ),
    "rem": (
        lambda b, x, y: x % guarded(b, y, x),
        lambda x, y: each(lambda p, q: p - q * truncated_division(p, q))(x, guarded_np(x, y)),
    ),
    "min": (lambda b, x, y: b.min(x, y), np.minimum),
    "max": (lambda b, x, y: b.max(x, y), np.maximum),
}
FLOAT_OPS: dict[str, tuple[Any, Any]] = {
    "add": (lambda b, x, y: x + y, np.add),
    "sub": (lambda b, x, y: x - y, np.subtract),
    "mul": (lambda b, x, y: x * y, np.multiply),
    "div": (lambda b, x, y: x / y, np.divide),
    "rem": (lambda b, x, y: x % y, np.fmod),
    "min": (lambda b, x, y: b.min(x, y), lambda x, y: np.where(x < y, x, y)),
    "max": (lambda b, x, y: b.max(x, y), lambda x, y: np.where(x > y, x, y)),
    "copysign": (lambda b, x, y: b.copysign(x, y), np.copysign),
}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")
}
UNARY_INT: dict[str, tuple[Any, Any]] = {
    "neg": (lambda b, x: -x, lambda x: each(lambda a, _: -a)(x, x)),
    "invert": (lambda b, x: ~x, np.invert),
    "clz": (lambda b, x: b.clz(x), lambda x: bits(x, lambda s: len(s) - len(s.lstrip("0")))),
    "ctz": (lambda b, x: b.ctz(x), lambda x: bits(x, lambda s: len(s) - len(s.rstrip("0")))),
    "popcount": (lambda b, x: b.popcount(x), lambda x: bits(x, lambda s: s.count("1"))),
}


def clamped(x: np.ndarray) -> np.ndarray:
    low = np.where(x > 0, x, 0)
    return np.where(low < 1, low, 1)


UNARY_FLOAT: dict[str, tuple[Any, Any]] = {
    "neg": (lambda b, x: -x, np.negative),
    "abs": (lambda b, x: b.abs(x), np.abs),
    "sqrt": (lambda b, x: b.sqrt(x), np.sqrt),
    "floor": (lambda b, x: b.floor(x), np.floor),
    "ceil": (lambda b, x: b.ceil(x), np.ceil),
    "trunc": (lambda b, x: b.trunc(x), np.trunc),
    "round_even": (lambda b, x: b.round_even(x), np.rint),
    "clamp": (lambda b, x: b.clamp(x, 0.0, 1.0), clamped),
}


def bits(x: np.ndarray, count: Callable[[str], int]) -> np.ndarray:
    width = x.dtype.itemsize * 8
    return np.array([count(f"{int(v) & ((1 << width) - 1):0{width}b}") for v in x], x.dtype)


def operations(ty: Any) -> dict[str, tuple[Any, Any]]:
    return FLOAT_OPS if ty in FLOATS else INT_OPS


def unary(ty: Any) -> dict[str, tuple[Any, Any]]:
    if ty in FLOATS:
        return UNARY_FLOAT
    return UNARY_INT | ({"abs": (lambda b, x: b.abs(x), np.abs)} if ty.kind == "i" else {})


@pytest.fixture(scope="module", params=harness.EACH_WIDTH)
def image(request: pytest.FixtureRequest) -> Any:
    kernels = []
    for ty in TYPES:
        for lanes in (16, 0):
            for name, (emit, _) in operations(ty).items():
                kernels.append(lane_kernel(f"{ty}_{name}_{lanes}", emit, [ty, ty], ty, lanes))
            for name, op in COMPARISONS.items():
                emit = lambda b, x, y, op=op: op(x, y)  # noqa: E731
                kernels.append(lane_kernel(f"{ty}_{name}_{lanes}", emit, [ty, ty], u8, lanes))
            for name, (emit, _) in unary(ty).items():
                kernels.append(lane_kernel(f"{ty}_1{name}_{lanes}", emit, [ty], ty, lanes))
            for to in TYPES:
                emit = lambda b, x, to=to: b.cast(x, to)  # noqa: E731
                kernels.append(lane_kernel(f"{ty}_to_{to}_{lanes}", emit, [ty], to, lanes))
            emit = lambda b, x: b.cast(b.cast(x, boolean), u8)  # noqa: E731
            kernels.append(lane_kernel(f"{ty}_to_bool_{lanes}", emit, [ty], u8, lanes))
    return harness.compiled(kernels, request.param)


def same(got: np.ndarray, want: np.ndarray, text: str, *inputs: np.ndarray) -> None:
    """Bit for bit; of NaNs only that they are."""
    want = want.astype(got.dtype)
    word = f"u{got.dtype.itemsize}"
    ok = got.view(word) == np.ascontiguousarray(want).view(word)
    if got.dtype.kind == "f":
        ok |= np.isnan(got) & np.isnan(want)
    bad = np.flatnonzero(~ok)[:3]
    assert ok.all(), f"{text}{[v[bad] for v in inputs]} gave {got[bad]}, not {want[bad]}"


@pytest.mark.parametrize("ty", TYPES, ids=repr)
def test_two_operands(image: Any, ty: Any) -> None:
    edges = edge_values(DTYPE[ty])
    x, y = pairs(edges, edges)
    for name, (_, numpy) in operations(ty).items():
        with np.errstate(all="ignore"):
            want = numpy(x, y)
        for lanes in (16, 0):
            same(call_lanes(image, f"{ty}_{name}_{lanes}", ty, x, y), want, f"{ty} {name}", x, y)


@pytest.mark.parametrize("ty", TYPES, ids=repr)
def test_comparisons(image: Any, ty: Any) -> None:
    edges = edge_values(DTYPE[ty])
    x, y = pairs(edges, edges)
    for name, op in COMPARISONS.items():
        want = op(x, y).astype(np.uint8)
        for lanes in (16, 0):
            same(call_lanes(image, f"{ty}_{name}_{lanes}", u8, x, y), want, f"{ty} {name}", x, y)


@pytest.mark.parametrize("ty", TYPES, ids=repr)
def test_one_operand(image: Any, ty: Any) -> None:
    x = harness.padded(edge_values(DTYPE[ty]))
    for name, (_, numpy) in unary(ty).items():
        with np.errstate(all="ignore"):
            want = numpy(x)
        for lanes in (16, 0):
            same(call_lanes(image, f"{ty}_1{name}_{lanes}", ty, x), want, f"{ty} {name}", x)


def converted(x: np.ndarray, to: Any) -> np.ndarray:
    """C's conversion, with saturation where a float does not fit."""
    if x.dtype.kind != "f" or to in FLOATS:
        return x.astype(DTYPE[to])
    limits = np.iinfo(DTYPE[to])
    out = []
    for v in x.astype(np.float64):
        if np.isnan(v):
            out.append(0)
        elif np.isinf(v):
            out.append(limits.max if v > 0 else limits.min)
        else:
            out.append(min(max(int(v), limits.min), limits.max))
    return np.array(out, DTYPE[to])


@pytest.mark.parametrize("ty", TYPES, ids=repr)
def test_conversions(image: Any, ty: Any) -> None:
    edges = edge_values(DTYPE[ty])
    if ty in FLOATS:
        near = np.array(
            [2.0**n + d for n in (7, 8, 15, 16, 31, 32, 63) for d in (-1, -0.5, 0, 0.5)]
        )
        edges = np.concatenate([edges, near, -near]).astype(DTYPE[ty])
    x = harness.padded(edges)
    for lanes in (16, 0):
        for to in TYPES:
            with np.errstate(all="ignore"):
                want = converted(x, to)
            got = call_lanes(image, f"{ty}_to_{to}_{lanes}", to, x)
            same(got, want, f"{ty} to {to}", x)
        got = call_lanes(image, f"{ty}_to_bool_{lanes}", u8, x)
        same(got, (x != 0).astype(np.uint8), f"{ty} to boolean", x)


def exact_fma(x: float, y: float, z: float, ty: Any) -> float:
    """x*y+z with one rounding, by rational numbers (round to nearest even of a Fraction)."""
    dtype = DTYPE[ty]
    if not all(map(np.isfinite, (x, y, z))):
        with np.errstate(all="ignore"):
            return float(dtype(x) * dtype(y) + dtype(z))
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        with np.errstate(all="ignore"):
            return float(dtype(x) * dtype(y) + dtype(z)) if x * y == 0 else 0.0
    guess = (
        dtype(float(exact)) if abs(exact) < Fraction(float(np.finfo(dtype).max)) else dtype(np.inf)
    )
    near = [np.nextafter(guess, dtype(-np.inf)), guess, np.nextafter(guess, dtype(np.inf))]
    near = [v for v in near if np.isfinite(v)]
    even = lambda v: int(np.array(v).view(f"u{dtype(0).itemsize}")) & 1  # noqa: E731
    return float(min(near, key=lambda v: (abs(Fraction(float(v)) - exact), even(v))))


@pytest.mark.parametrize("ty", FLOATS, ids=repr)
def test_fma_rounds_once(ty: Any) -> None:
    dtype = DTYPE[ty]
    n = 64
    x = RNG.uniform(-2, 2, n).astype(dtype)
    y = RNG.uniform(-2, 2, n).astype(dtype)
    z = (-x * y).astype(dtype)  # what is left is the rounding error, lost by separate operations
    z[n // 2 :] = RNG.uniform(-2, 2, n // 2)
    x[:4] = [np.inf, np.nan, 0, 1]
    want = np.array([exact_fma(*map(float, v), ty) for v in zip(x, y, z, strict=True)], dtype)
    assert (want[8 : n // 2] != 0).any()
    for width in harness.WIDTHS:
        kernels = [
            lane_kernel(f"fma{lanes}", lambda b, *v: b.fma(*v), [ty] * 3, ty, lanes)
            for lanes in (16, 0)
        ]
        made = harness.compiled(kernels, width)
        for lanes in (16, 0):
            same(call_lanes(made, f"fma{lanes}", ty, x, y, z), want, "fma", x, y, z)


def test_separate_multiply_and_add_are_never_fused() -> None:
    x = RNG.uniform(-2, 2, 256).astype(np.float32)
    y = RNG.uniform(-2, 2, 256).astype(np.float32)
    z = -(x * y)
    for width in harness.WIDTHS:
        k = lane_kernel("mad", lambda b, x, y, z: x * y + z, [f32] * 3, f32)
        assert not call_lanes(harness.compiled([k], width), "mad", f32, x, y, z).any()


def test_half_floats() -> None:
    x = harness.padded(
        np.concatenate(
            [
                edge_values(np.float32),
                np.linspace(-70000, 70000, 501, dtype=np.float32),
                np.float32(2) ** np.arange(-28, 17, dtype=np.float32),
            ]
        )
    )
    with np.errstate(all="ignore"):
        want = x.astype(np.float16).astype(np.float32)
    for width in harness.WIDTHS:
        k = lane_kernel("half", lambda b, x: b.cast(b.cast(x, f16), f32), [f32], f32)
        same(call_lanes(harness.compiled([k], width), "half", f32, x), want, "f16", x)


def test_python_numbers_take_the_type_of_the_value() -> None:
    def emit(b: Any, x: Any) -> Any:
        y = 1000 - (3 * x + 5) // 2
        y = (y ^ 0xFFFFFFFF) & (0x7FFF | x)
        return b.select(y > 10, y, 1 + y % 7)

    x = np.arange(-64, 64, dtype=np.int32)
    inner = 3 * x + 5
    y = 1000 - np.trunc(inner / 2).astype(np.int32)
    y = ~y & (0x7FFF | x)
    want = np.where(y > 10, y, 1 + np.fmod(y, 7))
    for lanes in (16, 0):
        image = harness.compiled([lane_kernel("mixed", emit, [i32], i32, lanes)])
        same(call_lanes(image, "mixed", i32, x), want, "mixed", x)


def test_bitcasts() -> None:
    x = harness.padded(edge_values(np.float32))
    image = harness.compiled(
        [
            lane_kernel("bits", lambda b, x: b.bitcast(x, u32), [f32], u32),
            lane_kernel("bits1", lambda b, x: b.bitcast(x, u32), [f32], u32, 0),
            lane_kernel(
                "back", lambda b, x: b.bitcast(b.bitcast(x, u16.vec(32)), f32.vec(16)), [f32], f32
            ),
        ]
    )
    assert np.array_equal(call_lanes(image, "bits", u32, x), x.view(np.uint32))
    assert np.array_equal(call_lanes(image, "bits1", u32, x), x.view(np.uint32))
    assert np.array_equal(call_lanes(image, "back", f32, x).view(np.uint32), x.view(np.uint32))


def test_constants() -> None:
    values = [0.1, -0.0, float("inf"), 1e-45, 3.4028234e38, 1e300, 16777217.0]
    for ty in FLOATS:
        with np.errstate(all="ignore"):
            want = np.resize(np.array(values, np.float64).astype(DTYPE[ty]), 16)

        def emit(b: Any, x: Any, ty: Any = ty) -> Any:
            return b.const(ty.vec(16), list(np.resize(values, 16)))

        image = harness.compiled([lane_kernel("constants", emit, [ty], ty)])
        same(call_lanes(image, "constants", ty, np.zeros(16, DTYPE[ty])), want, "constant")
    for ty2, number in ((i64, -(2**63)), (u64, 2**64 - 1), (i16, 70000), (u8, -1)):
        image = harness.compiled(
            [lane_kernel("constant", lambda b, x, n=number, t=ty2: b.const(t, n), [ty2], ty2, 0)]
        )
        got = call_lanes(image, "constant", ty2, np.zeros(16, DTYPE[ty2]))
        assert int(got[0]) & 0xFF == number & 0xFF
        assert got[0] == np.array([number & (2**64 - 1)], np.uint64).astype(DTYPE[ty2])[0]
