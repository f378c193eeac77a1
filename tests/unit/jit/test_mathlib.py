# SPDX-License-Identifier: MIT
"""sin, exp2, pow ... against numpy in float64: error in ulp, edge cases, same bits at all
widths.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pydri.jit import f32, mathlib
from pydri.jit.fpstate import FLUSHED
from tests.unit.alone import compiled_alone
from tests.unit.jit import harness

RNG = np.random.default_rng(1)
PLUS_MINUS = np.array([1, -1], np.float32)


def all_exponents(n: int, low: int = 0, high: int = 255) -> np.ndarray:
    """Random float32 of both signs, spread evenly over the exponents (denormals with low=0)."""
    bits = RNG.integers(low << 23, high << 23, n, dtype=np.uint32)
    return bits.view(np.float32) * RNG.choice(PLUS_MINUS, n)


def near_multiples_of_half_pi(n: int) -> np.ndarray:
    """float32 next to k pi/2, where reducing the argument hurts most."""
    k = np.concatenate([np.arange(n // 2), RNG.integers(1, 1 << 45, n // 2)])
    x = (k * (np.longdouble(np.pi) / 2)).astype(np.float32)
    return np.concatenate([x, np.nextafter(x, np.float32(np.inf)), np.nextafter(x, np.float32(0))])


SPECIAL = np.array(
    [
        0,
        1,
        0.5,
        2,
        3,
        4,
        0.25,
        10,
        126,
        127,
        128,
        128.5,
        149,
        150,
        151,
        88.72,
        103.97,
        104.5,
        1e-40,
        1e-45,
        1.17e-38,
        np.inf,
        np.nan,
        3.4e38,
        0.99999994,
        1.0000001,
        8388608,
        16777216,
        67108864,
        67108856,
    ],
    np.float32,
)
SPECIAL = np.concatenate([SPECIAL, -SPECIAL])

DOMAINS: dict[str, np.ndarray] = {
    "sin": np.concatenate([SPECIAL, all_exponents(40000), near_multiples_of_half_pi(6000)]),
    "exp2": np.concatenate([SPECIAL, RNG.uniform(-152, 130, 40000), all_exponents(4000)]),
    "exp": np.concatenate([SPECIAL, RNG.uniform(-105, 90, 40000), all_exponents(4000)]),
    "log2": np.concatenate([SPECIAL, abs(all_exponents(20000)), RNG.uniform(0.5, 2, 20000)]),
    "rsqrt": np.concatenate([SPECIAL, abs(all_exponents(20000))]),
    "atan": np.concatenate([SPECIAL, all_exponents(20000), RNG.uniform(-4, 4, 20000)]),
}
DOMAINS["cos"] = DOMAINS["tan"] = DOMAINS["sin"]
DOMAINS["log"] = DOMAINS["log2"]
REFERENCE: dict[str, Callable[..., Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "exp2": np.exp2,
    "exp": np.exp,
    "log2": np.log2,
    "log": np.log,
    "atan": np.arctan,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "pow": np.power,
    "powr": np.power,
    "atan2": np.arctan2,
}
# what the docstring of mathlib promises
LIMIT = dict.fromkeys(["sin", "cos", "rsqrt", "exp2", "exp", "pow", "powr"], 1.5)
DEFAULT_LIMIT = 0.6


def ulps(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Distance in units of the last place of the right result; 0 where both are the same special
    value.
    """
    with np.errstate(all="ignore"):
        right = exact.astype(np.float32)
        same = (got == right) & (np.signbit(got) == np.signbit(right))
        same |= np.isnan(got) & np.isnan(right)
        unit = np.spacing(np.minimum(np.abs(right), np.float32(3e38))).astype(np.float64)
        distance = np.abs(got.astype(np.float64) - exact) / unit
    # past the largest number a float64 result is rounded to infinity from the same limit on
    return np.where(same, np.where(np.isfinite(distance), np.minimum(distance, 0.5), 0), distance)


@pytest.fixture(scope="module", params=harness.EACH_WIDTH)
def image(request: pytest.FixtureRequest) -> Any:
    kernels = []
    for lanes in (16, 0):
        for name, emit in mathlib.UNARY.items():
            kernels.append(harness.lane_kernel(f"{name}{lanes}", emit, [f32], f32, lanes))
        for name, emit2 in mathlib.BINARY.items():
            kernels.append(harness.lane_kernel(f"{name}{lanes}", emit2, [f32, f32], f32, lanes))
    return harness.compiled(kernels, request.param)


#: for code that flushes denormals, which is what they are compiled as here
FLUSHING = ("quick_exp2", "quick_log2", "quick_powr")


@pytest.fixture(scope="module", params=harness.EACH_WIDTH)
def flushing_image(request: pytest.FixtureRequest) -> Any:
    kernels = []
    for lanes in (16, 0):
        for name in FLUSHING:
            table, count = (mathlib.UNARY, 1) if name in mathlib.UNARY else (mathlib.BINARY, 2)
            kernels.append(
                harness.lane_kernel(f"{name}{lanes}", table[name], [f32] * count, f32, lanes)
            )
    return compiled_alone("flushing", kernels, request.param, FLUSHED)


#: what has a bound of its own
ANGLES = {"quick_sin": np.sin, "quick_cos": np.cos}
SPREAD = (RNG.uniform(-1, 1, (4, 20000)) * np.array([[4], [7000], [1e5], [4e6]])).ravel()
DOMAINS |= {"quick_log2": DOMAINS["log2"], "quick_exp2": DOMAINS["exp2"]}
REFERENCE |= {"quick_log2": np.log2, "quick_exp2": np.exp2, "quick_powr": np.power}
LIMIT |= {"quick_log2": 3.0, "quick_exp2": 1.5}

FIRST: dict[str, np.ndarray] = {}


def same_as_before(name: str, got: np.ndarray) -> None:
    """All widths and the scalar form must give the same bits (of NaNs, that they are)."""
    got = np.where(np.isnan(got), np.float32(np.nan), got)
    first = FIRST.setdefault(name, got)
    assert np.array_equal(first.view(np.uint32), got.view(np.uint32)), name


@pytest.mark.parametrize("name", [n for n in mathlib.UNARY if n not in {*FLUSHING, *ANGLES}])
def test_one_argument(image: Any, name: str) -> None:
    x = harness.padded(DOMAINS[name].astype(np.float32))
    got = harness.call_lanes(image, f"{name}16", f32, x)
    with np.errstate(all="ignore"):
        exact = REFERENCE[name](x.astype(np.float64))
    error = ulps(got, exact)
    worst = int(np.nanargmax(error))
    assert not np.isnan(error).any(), x[np.isnan(error)]
    assert error[worst] < LIMIT.get(name, DEFAULT_LIMIT), (x[worst], got[worst], exact[worst])
    same_as_before(name, got)
    same_as_before(name, harness.call_lanes(image, f"{name}0", f32, x))


@pytest.mark.parametrize("name", ANGLES)
def test_angles(image: Any, name: str) -> None:
    """Small angles within 4 ulp and 2^-35 of the angle, larger ones as one within an ulp of it, all
    within -1 and 1."""
    x = harness.padded(np.concatenate([DOMAINS["sin"], SPREAD]).astype(np.float32))
    got = harness.call_lanes(image, f"{name}16", f32, x)
    size, known = np.abs(x.astype(np.float64)), np.isfinite(x)
    with np.errstate(all="ignore"):
        exact = ANGLES[name](x.astype(np.float64))
        error = np.abs(got - exact)
        near = 4 * np.spacing(np.abs(exact).astype(np.float32)) + size * 2.0**-35
        far = np.spacing(np.abs(x)) + 2.0**-21
    assert np.isnan(got[~known]).all() and (np.abs(got[known]) <= 1).all()
    for limit, most in ((near, 100000), (far, 2.0**22)):
        bad = (size <= most) & ~(error <= limit)
        assert not bad.any(), (x[bad][:5], got[bad][:5], exact[bad][:5])
    same_as_before(name, got)
    same_as_before(name, harness.call_lanes(image, f"{name}0", f32, x))


def test_functions_are_odd_or_even(image: Any) -> None:
    x = harness.padded(DOMAINS["sin"].astype(np.float32))
    for name, sign in (("sin", 1), ("quick_sin", 1), ("tan", 1), ("atan", 1), ("cos", 0)):
        plus, minus = (harness.call_lanes(image, f"{name}16", f32, v) for v in (x, -x))
        fine = ~np.isnan(plus) & ((np.abs(x) < 2.0**23) | (name not in ANGLES))
        flipped = minus.view(np.uint32) ^ np.uint32(sign << 31)
        assert np.array_equal(plus.view(np.uint32)[fine], flipped[fine]), name


def test_no_sine_exceeds_one(image: Any) -> None:
    """Programs take square roots of 1 - s * s; and nothing turned by nothing stays what it is."""
    half_pi = np.array([np.pi / 2], np.float32).view(np.uint32)[0]
    around = np.arange(half_pi - 30000, half_pi + 30000, dtype=np.uint32).view(np.float32)
    wide = RNG.uniform(-200000, 200000, 40000).astype(np.float32)
    for name, x in (("quick_sin", around), ("quick_sin", wide), ("quick_cos", wide)):
        got = harness.call_lanes(image, f"{name}16", f32, harness.padded(x))
        assert np.abs(got).max() <= 1, name
    assert (harness.call_lanes(image, "quick_cos16", f32, np.zeros(16, np.float32)) == 1).all()
    zeros = np.array([0.0, -0.0] * 8, np.float32)
    got = harness.call_lanes(image, "quick_sin16", f32, zeros)
    assert np.array_equal(got.view(np.uint32), zeros.view(np.uint32))


def two_arguments() -> tuple[np.ndarray, np.ndarray]:
    edges = np.array(
        [0, 1, 0.5, 2, 3, 1e-45, 1e-38, 1e38, 7, 8, 2.5, 16777216, 16777215, np.inf, np.nan],
        np.float32,
    )
    a, b = harness.pairs(np.concatenate([edges, -edges]), np.concatenate([edges, -edges]))
    n = 20000
    x = abs(all_exponents(n))
    with np.errstate(all="ignore"):
        y = RNG.uniform(-150, 129, n) / np.log2(
            x.astype(np.float64)
        )  # results over the whole range
    near = RNG.uniform(0.9, 1.1, n)
    far = RNG.uniform(-800, 800, n)
    return (
        harness.padded(np.concatenate([a, x, near, RNG.uniform(-20, 20, n)]).astype(np.float32)),
        harness.padded(np.concatenate([b, y, far, RNG.integers(-30, 30, n)]).astype(np.float32)),
    )


X, Y = two_arguments()


def flushed(x: np.ndarray) -> np.ndarray:
    """Denormals are zeros of their sign."""
    return np.where(np.abs(x) < 2.0**-126, np.copysign(np.zeros_like(x), x), x)


@pytest.mark.parametrize("name", FLUSHING)
def test_where_denormals_are_flushed(flushing_image: Any, name: str) -> None:
    """Zeros instead of denormals, in and out; else what the docstrings promise."""
    if name in mathlib.UNARY:
        args = [harness.padded(DOMAINS[name].astype(np.float32))]
    else:
        args = [X, Y]
    got = harness.call_lanes(flushing_image, f"{name}16", f32, *args)
    plain = [flushed(x).astype(np.float64) for x in args]
    with np.errstate(all="ignore"):
        exact = REFERENCE[name](*plain)
        limit = np.full(len(got), LIMIT.get(name, 0))
        if name == "quick_powr":
            x, y = plain
            exact = np.where((x < 0) | np.isnan(y), np.nan, np.power(np.abs(x), y))
            limit = 4 + 3 * np.abs(y * np.log2(x))
            limit[~np.isfinite(limit)] = 4
    # What is rounded to the least normal number may be given as zero, and the other way round.
    least = np.abs(exact) < 2.0**-126 * (1 + limit * 2.0**-23)
    good = ulps(got, np.where(least, flushed(exact), exact)) <= limit
    good |= least & ((got == 0) | (np.abs(got) <= 2.0**-126 * (1 + limit * 2.0**-22)))
    assert good.all(), [v[~good][:5] for v in (*args, got, exact)]
    same_as_before(name, got)
    same_as_before(name, harness.call_lanes(flushing_image, f"{name}0", f32, *args))


@pytest.mark.parametrize("name", [name for name in mathlib.BINARY if name not in FLUSHING])
def test_two_arguments(image: Any, name: str) -> None:
    got = harness.call_lanes(image, f"{name}16", f32, X, Y)
    with np.errstate(all="ignore"):
        exact = REFERENCE[name](X.astype(np.float64), Y.astype(np.float64))
    if name == "powr":
        exact = np.where((X < 0) & (Y != 0), np.nan, exact)
        zero = (X == 0) & np.signbit(X)
        exact = np.where(zero, np.abs(exact), exact)
    error = ulps(got, exact)
    bad = np.isnan(error) | (error >= LIMIT.get(name, DEFAULT_LIMIT))
    assert not bad.any(), (X[bad][:5], Y[bad][:5], got[bad][:5], exact[bad][:5])
    same_as_before(name, got)
    same_as_before(name, harness.call_lanes(image, f"{name}0", f32, X, Y))


def test_as_kernel_to_call() -> None:
    def twice(b: Any, x: Any) -> Any:
        k = mathlib.function("exp2")
        assert k is mathlib.function("exp2")
        return b.call(k, b.call(k, x))

    image = harness.compiled([harness.lane_kernel("twice", twice, [f32], f32)])
    x = np.arange(16, dtype=np.float32) / 8
    got = harness.call_lanes(image, "twice", f32, x)
    assert np.allclose(got, np.exp2(np.exp2(x)), rtol=1e-6)


def test_other_types_are_refused() -> None:
    from pydri.jit import i32

    for name, emit in mathlib.UNARY.items():
        with pytest.raises(TypeError, match=f"mathlib.{name} takes an f32"):
            harness.compiled([harness.lane_kernel("wrong", emit, [i32], i32)])
