# SPDX-License-Identifier: MIT
"""Each opcode's meaning over edge values, through a one-op shader, against plain Python."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from pydri.nir import Builder, Shader
from pydri.nir.enums import VARYING_SLOT_VAR0
from pydri.nir.interp import run
from pydri.nir.opcodes import OPCODES
from pydri.nir.opcodes_wide import SAME

NAN, INF = math.nan, math.inf
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.75, 1e-40, 1e30, -3e38, INF, -INF, NAN]
INTS = [0, 1, -1, 2, 3, 7, -8, 31, 32, 255, -256, 65536, 2**31 - 1, -(2**31)]
UINTS = [0, 1, 2, 3, 7, 31, 32, 255, 65536, 2**31, 2**32 - 1]
DOUBLES = [*FLOATS[:11], 1e300, -1e-310, 9.3e18, -9.3e18, 1.9e19, INF, -INF, NAN]
LONGS = [0, 1, -1, 2, 31, 63, -7, 255, 1 << 32, (1 << 53) + 1, 2**63 - 1, -(2**63)]
EDGES = {
    "float": FLOATS, "int": INTS, "uint": UINTS, "bool": [False, True], "any": UINTS,
    "float64": DOUBLES, "int64": LONGS, "uint64": [v % 2**64 for v in LONGS],
}  # fmt: skip
NUMPY = {"float64": np.float64, "int64": np.int64, "uint64": np.uint64}


def f32(x: float) -> float:
    """Rounded to single precision."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


#: least normal numbers, and where what is rounded to them begins (of doubles oracles know no more)
LEAST = {"float": 2.0**-126, "float64": 2.0**-1022}
TINY = {"float": 2.0**-126 * (1 - 2.0**-25), "float64": 2.0**-1022}


def flushed(x: float, least: float) -> float:
    """Zero of the same sign for what is less."""
    return math.copysign(0.0, x) if abs(x) < least else x


def wrap(x: int) -> int:
    return (x + 2**31) % 2**32 - 2**31


def columns(types: tuple[str, ...]) -> list[list]:
    """All combinations of edge values (for three sources: a sample)."""
    grid: list[tuple] = [()]
    for i, kind in enumerate(types):
        values = EDGES[kind] if i < 2 else EDGES[kind][:: 3 if kind != "bool" else 1]
        grid = [(*row, value) for row in grid for value in values]
    return [list(column) for column in zip(*grid, strict=True)]


def execute(name: str, args: list[list]) -> np.ndarray:
    """Run `name` on scalar sources, one lane per element."""
    op = OPCODES[name]
    b = Builder(Shader("vertex"))
    inputs: dict[int, np.ndarray] = {}
    srcs = []
    for slot, (kind, values) in enumerate(zip(op.in_types, args, strict=True)):
        if kind in NUMPY:
            halves = np.array(values, NUMPY[kind]).view(np.uint32).reshape(-1, 2)
            inputs[slot] = halves
            srcs.append(b.pack_64_2x32(b.load_input(slot, 2, kind="uint")))
            continue
        dtype = {"float": np.float32, "int": np.int64, "uint": np.int64, "any": np.int64}
        inputs[slot] = np.array(values).astype(dtype.get(kind, np.int64))[:, None]
        value = b.load_input(slot, 1, kind="uint" if kind == "any" else kind)
        srcs.append(b.ine(value, 0) if kind == "bool" else value)
    result = b.alu(name, *srcs)
    kind = op.out_type
    if result.bit_size == 64:
        result = b.unpack_64_2x32(result)
    b.store_output(b.b2i(result) if result.bit_size == 1 else result, VARYING_SLOT_VAR0)
    outs = run(b.shader, len(args[0]), inputs=inputs).outputs[VARYING_SLOT_VAR0]
    if kind in NUMPY:
        return np.ascontiguousarray(outs[:2].T).view(NUMPY[kind])[:, 0]
    out = outs[0]
    return out.view({"float": np.float32, "int": np.int32}.get(kind, np.uint32))


def div_to_zero(a: int, b: int) -> int:
    return (
        0 if b == 0 else wrap(int(math.copysign(1, a) * math.copysign(1, b)) * (abs(a) // abs(b)))
    )


def fdiv(a: float, b: float) -> float:
    if b == 0:
        return NAN if a == 0 or a != a else math.copysign(INF, a) * math.copysign(1, b)
    return a / b


def fmul(a: float, b: float) -> float:
    return a * b


def trunc_to(low: int, high: int) -> Callable[[float], int]:
    return lambda x: 0 if x != x else low if x <= low else high if x >= high else math.trunc(x)


def round_even(x: float) -> float:
    return x if x != x or abs(x) == INF else float(round(x))


def whole(fn: Callable[[float], int]) -> Callable[[float], float]:
    return lambda x: x if x != x or abs(x) == INF else float(fn(x))


def guarded(fn: Callable[..., float]) -> Callable[..., float]:
    def call(*args: float) -> float:
        try:
            return fn(*args)
        except (ValueError, OverflowError, ZeroDivisionError):
            return NAN

    return call


def either(pick: Callable[[float, float], float]) -> Callable[[float, float], float]:
    return lambda a, b: b if a != a else a if b != b else pick(a, b)


def ulog2(x: int) -> int:
    return x.bit_length() - 1


ORACLE: dict[str, Callable] = {
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": fmul,
    "fdiv": fdiv,
    "fneg": lambda a: -a,
    "fabs": abs,
    "fsat": lambda a: min(max(a, 0.0), 1.0) if a == a else 0.0,
    "fsign": lambda a: (a > 0) - (a < 0),
    "frcp": lambda a: fdiv(1.0, a),
    "fsqrt": lambda a: a if a == 0 else math.sqrt(a) if a > 0 else NAN,
    "frsq": lambda a: math.copysign(INF, a) if a == 0 else 1 / math.sqrt(a) if a > 0 else NAN,
    "fexp2": lambda a: 0.0 if a == -INF else 2.0**a if a < 200 else INF if a == a else NAN,
    "flog2": lambda a: -INF if a == 0 else math.log2(a) if a > 0 else NAN,
    "fsin": guarded(math.sin),
    "fcos": guarded(math.cos),
    "ffloor": whole(math.floor),
    "fceil": whole(math.ceil),
    "ftrunc": whole(math.trunc),
    "fround_even": round_even,
    "ffract": lambda a: a - math.floor(a) if abs(a) < INF else NAN,
    "fmin": either(min),
    "fmax": either(max),
    "ffma": guarded(lambda a, b, c: a * b + c),
    "feq": lambda a, b: a == b,
    "fneu": lambda a, b: a != b,
    "flt": lambda a, b: a < b,
    "fge": lambda a, b: a >= b,
    "ieq": lambda a, b: a == b,
    "ine": lambda a, b: a != b,
    "ilt": lambda a, b: a < b,
    "ige": lambda a, b: a >= b,
    "ult": lambda a, b: a < b,
    "uge": lambda a, b: a >= b,
    "iadd": lambda a, b: wrap(a + b),
    "isub": lambda a, b: wrap(a - b),
    "imul": lambda a, b: wrap(a * b),
    "imul_high": lambda a, b: a * b >> 32,
    "umul_high": lambda a, b: a * b >> 32,
    "idiv": div_to_zero,
    "irem": lambda a, b: 0 if b == 0 else int(math.fmod(a, b)),
    "imod": lambda a, b: 0 if b == 0 else a % b,
    "udiv": lambda a, b: 0 if b == 0 else a // b,
    "umod": lambda a, b: 0 if b == 0 else a % b,
    "ineg": lambda a: wrap(-a),
    "iabs": lambda a: wrap(abs(a)),
    "isign": lambda a: (a > 0) - (a < 0),
    "imin": min,
    "imax": max,
    "umin": min,
    "umax": max,
    "uadd_carry": lambda a, b: int(a + b >= 2**32),
    "usub_borrow": lambda a, b: int(a < b),
    "iand": lambda a, b: a & b,
    "ior": lambda a, b: a | b,
    "ixor": lambda a, b: a ^ b,
    "inot": lambda a: a ^ 0xFFFFFFFF,
    "ishl": lambda a, b: wrap(a << (b & 31)),
    "ishr": lambda a, b: a >> (b & 31),
    "ushr": lambda a, b: a >> (b & 31),
    "bit_count": lambda a: a.bit_count(),
    "bitfield_reverse": lambda a: int(f"{a:032b}"[::-1], 2),
    "ufind_msb": ulog2,
    "ifind_msb": lambda a: ulog2(~a if a < 0 else a),
    "find_lsb": lambda a: ulog2(a & -a),
    "mov": lambda a: a,
    "bcsel": lambda c, a, b: a if c else b,
    "b2f": float,
    "b2i": int,
    "f2b": lambda a: a != 0,
    "i2b": lambda a: a != 0,
    "f2i": trunc_to(-(2**31), 2**31 - 1),
    "f2u": trunc_to(0, 2**32 - 1),
    "i2f": float,
    "u2f": float,
}


def wrap64(x: int) -> int:
    return (x + 2**63) % 2**64 - 2**63


def div64(a: int, b: int) -> int:
    return 0 if b == 0 else wrap64(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def rem64(a: int, b: int) -> int:
    return 0 if b == 0 else a - b * (abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def exact_fma(a: float, b: float, c: float) -> float:
    """With one rounding: Python's fractions are exact."""
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c
    total = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(total) if total else a * b + c
    except OverflowError:
        return INF if total > 0 else -INF


def ldexp(a: float, n: int) -> float:
    try:
        return math.ldexp(a, n)
    except OverflowError:
        return math.copysign(INF, a)


def rounded_fmod(a: float, b: float) -> float:
    quotient = fdiv(a, b)
    return a - b * whole(math.floor)(quotient)


def oracle_wide() -> dict[str, Callable]:
    """Rows of 64 bits whose meaning is that of 32, and those that are there alone."""
    found = {f"{name}64": ORACLE[name] for name in SAME if name in ORACLE}
    for name in ("fneg", "fabs", "fsat", "fsign", "frcp", "frsq"):
        found[f"{name}64"] = ORACLE[name]
    for name, row in {"iadd": operator.add, "isub": operator.sub, "imul": operator.mul}.items():
        found[f"{name}64"] = lambda a, b, row=row: wrap64(row(a, b))
    halves = lambda x: x % 2**32  # noqa: E731
    return found | {
        "ineg64": lambda a: wrap64(-a), "iabs64": lambda a: wrap64(abs(a)),
        "fmod64": rounded_fmod, "flrp64": lambda a, b, t: a * (1 - t) + b * t,
        "ffma64": exact_fma, "fldexp64": ldexp,
        "idiv64": div64, "irem64": rem64, "imod64": lambda a, b: 0 if b == 0 else a % b,
        "ishl64": lambda a, n: wrap64(a << (n & 63)), "ishr64": lambda a, n: a >> (n & 63),
        "ushr64": lambda a, n: a >> (n & 63),
        **dict.fromkeys(("f2d", "i2d", "u2d", "d2f", "i642d", "u642d", "b2d"), float),
        **dict.fromkeys(("i642f", "u642f"), lambda a: float(np.float32(a))),
        **dict.fromkeys(("i2i64", "u2u64", "b2i64"), int),
        "d2i": ORACLE["f2i"], "d2u": ORACLE["f2u"],
        **dict.fromkeys(("f2i64", "d2i64"), trunc_to(-(2**63), 2**63 - 1)),
        **dict.fromkeys(("f2u64", "d2u64"), trunc_to(0, 2**64 - 1)),
        "u2u32": halves, "unpack_64_2x32_split_x": halves,
        "unpack_64_2x32_split_y": lambda x: x >> 32,
        "pack_64_2x32_split": lambda low, high: low | high << 32,
    }  # fmt: skip


def ulps(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Distance in representable floats; NaNs are equal, and so are the two zeros."""
    ordered = []
    for bits in (x.view(np.int32).astype(np.int64), y.view(np.int32).astype(np.int64)):
        ordered.append(np.where(bits < 0, -(2**31) - bits, bits))
    return np.where(np.isnan(x) & np.isnan(y), 0, np.abs(ordered[0] - ordered[1]))


ORACLE |= oracle_wide()


@pytest.mark.parametrize("name", sorted(ORACLE))
def test_edge_values(name: str) -> None:
    op = OPCODES[name]
    args = columns(op.in_types)
    if op.out_type.startswith("float"):
        args = [[f32(v) for v in a] if t == "float" else a for a, t in zip(args, op.in_types)]
    got = execute(name, args)
    if not op.bits:
        args = [[flushed(v, LEAST[t]) if t in LEAST else v for v in a]
                for t, a in zip(op.in_types, args, strict=True)]  # fmt: skip
    want = [ORACLE[name](*row) for row in zip(*args, strict=True)]
    if op.out_type in LEAST and not op.bits:
        want = [flushed(v, TINY[op.out_type]) for v in want]
    if op.out_type == "float":
        wanted = np.array([f32(v) for v in want], np.float32)
        # Python's double rounding makes an ffma oracle that is right to one ulp only.
        limit = max(op.ulp, 1 if name == "ffma" else 0)
        if name in ("fsin", "fcos"):
            ok = np.abs(np.array(args[0])) <= 32768
            got, wanted = got[ok], wanted[ok]
        bad = ulps(got, wanted) > limit
        assert not bad.any(), [(r, g, w) for r, g, w, b in zip(zip(*args), got, wanted, bad) if b]
    elif op.out_type == "float64":
        with np.errstate(all="ignore"):
            wanted = np.array(want, np.float64)
        good = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        assert good.all(), [(r, g, w) for r, g, w, k in zip(zip(*args), got, wanted, good) if not k]
    else:
        assert [int(v) for v in got] == [int(v) for v in want]


def test_every_opcode_is_tested_somewhere() -> None:
    here = {
        "fpow", "fmod", "flrp", "vec2", "vec3", "vec4", "fdot2", "fdot3", "fdot4",
        "bitfield_insert", "ubitfield_extract", "ibitfield_extract",
        "fddx", "fddy", "fddx_coarse", "fddy_coarse", "fddx_fine", "fddy_fine",
    }  # fmt: skip
    packing = {name for name in OPCODES if "pack_" in name and "split" not in name}
    assert set(OPCODES) == set(ORACLE) | here | packing


def vectors(name: str, *args: list[list[float]]) -> np.ndarray:
    """Run an opcode whose sources are float vectors; (lanes, components) out."""
    b = Builder(Shader("vertex"))
    inputs = {i: np.array(a, np.float32) for i, a in enumerate(args)}
    srcs = [b.load_input(i, inputs[i].shape[1]) for i in inputs]
    b.store_output(b.alu(name, *srcs), VARYING_SLOT_VAR0)
    return run(b.shader, len(args[0]), inputs=inputs).output(VARYING_SLOT_VAR0)


def test_pow() -> None:
    x = [[v] for v in (0.0, 0.0, 2.0, 2.0, -2.0, 0.5, 1.0)]
    y = [[v] for v in (0.0, 3.0, 10.0, -1.0, 2.0, 128.0, 1e30)]
    got = vectors("fpow", x, y)[:, 0]
    assert got[:4].tolist() == [1.0, 0.0, 1024.0, 0.5]
    assert math.isnan(got[4]) and got[5] == 0.0 and got[6] == 1.0


#: significands that make products and quotients on both sides of what is rounded to one half
NEAR = [1.0, 1 + 2.0**-23, 1.5, 1 - 2.0**-24, 1 - 2.0**-23, 1.25, 1.75, 1 + 2.0**-12, 1.1]


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("name", ["fmul", "fdiv", "ffma", "frcp"])
def test_tiny_is_said_after_rounding(name: str, wide: bool) -> None:
    """Zero is what would be less than the least normal number with any exponent; fractions are
    exact."""
    bits, least = (53, -1022) if wide else (24, -126)
    kind = np.float64 if wide else np.float32
    near = [float(kind(v)) for v in (*NEAR, 1 + 2.0**-52, 1 - 2.0**-53, 1 / 3)]
    up, down = 2.0 ** (least // 2), 2.0 ** (least - least // 2)
    rows = [(x * up, y * down * s) for x in near for y in near for s in (1.0, 0.5)]
    if name == "fdiv":
        rows = [(x, 1 / y) for x, y in rows]
    columns: list[list[float]] = [[float(kind(v)) for v in column] for column in zip(*rows)]
    if name == "ffma":
        columns.append([(-1) ** n * 2.0 ** (least - bits + 3 - n % 7) for n in range(len(rows))])
        columns[2] = [flushed(c, 2.0**least) for c in columns[2]]
    if name == "frcp":
        columns = [[x * 2.0**-least for x in near]]
    exact = {
        "fmul": lambda a, b: Fraction(a) * Fraction(b), "frcp": lambda a: 1 / Fraction(a),
        "fdiv": lambda a, b: Fraction(a) / Fraction(b),
        "ffma": lambda a, b, c: Fraction(a) * Fraction(b) + Fraction(c),
    }[name]  # fmt: skip
    got = execute(f"{name}64" if wide else name, columns)
    half = Fraction(2) ** least * (1 - Fraction(1, 2 ** (bits + 1)))
    zeros = 0
    for lane, row in enumerate(zip(*columns, strict=True)):
        tiny = exact(*row) < half
        assert (got[lane] == 0) == tiny, row
        assert tiny or abs(got[lane]) >= 2.0**least
        zeros += tiny
    assert 0 < zeros < len(got)


def test_mod_and_lrp() -> None:
    assert vectors("fmod", [[5.5], [-5.5]], [[2.0], [2.0]])[:, 0].tolist() == [1.5, 0.5]
    got = vectors("flrp", [[2.0, 8.0]], [[4.0, 0.0]], [[0.25, 1.0]])
    assert got[0, :2].tolist() == [2.5, 0.0]


def test_dot_adds_from_left_to_right() -> None:
    x = [[1e8, 1.0, -1e8, 1.0]]
    ones = [[1.0] * 4]
    assert vectors("fdot4", x, ones)[0, 0] == 1.0  # (1e8 + 1) is 1e8 in single precision
    assert vectors("fdot3", [[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]])[0, 0] == 32.0
    assert vectors("fdot2", [[1.0, 2.0]], [[4.0, 5.0]])[0, 0] == 14.0


def test_ffma_rounds_once() -> None:
    x = f32(1 + 2**-12)
    got = vectors("ffma", [[x]], [[x]], [[-f32(x * x)]])[0, 0]
    assert got == x * x - f32(x * x) != 0.0


@pytest.mark.parametrize(
    "name,want",
    [
        ("fddx", [[1, 1, 3, 3], [8, 8, 1, 1]]),
        ("fddx_fine", [[1, 1, 3, 3], [8, 8, 1, 1]]),
        ("fddy", [[4, 6, 4, 6], [2, -5, 2, -5]]),
        ("fddy_fine", [[4, 6, 4, 6], [2, -5, 2, -5]]),
        ("fddx_coarse", [[1, 1, 1, 1], [8, 8, 8, 8]]),
        ("fddy_coarse", [[4, 4, 4, 4], [2, 2, 2, 2]]),
    ],
)
def test_derivatives(name: str, want: list[list[int]]) -> None:
    lanes = [[1.0], [2.0], [5.0], [8.0], [0.0], [8.0], [2.0], [3.0]]
    assert vectors(name, lanes)[:, 0].tolist() == want[0] + want[1]


def test_vec() -> None:
    b = Builder(Shader("vertex"))
    x = b.load_input(0, 2)
    b.store_output(b.vec4(x[1], x[0], 3.0, x.y), VARYING_SLOT_VAR0)
    out = run(b.shader, 1, inputs={0: [[1.0, 2.0]]}).output(VARYING_SLOT_VAR0)
    assert out[0].tolist() == [2.0, 1.0, 3.0, 2.0]


def test_bitfields() -> None:
    b = Builder(Shader("vertex"))
    x = b.load_input(0, 1, kind="uint")
    parts = [
        b.bitfield_insert(x, 0xAB, 8, 8),
        b.ubitfield_extract(x, 4, 8),
        b.ibitfield_extract(x, 28, 4),
        b.ubitfield_extract(x, 0, 32),
    ]
    b.store_output(b.vec(*parts), 32)
    b.store_output(b.vec(b.bitfield_insert(x, 5, 3, 0), b.ibitfield_extract(x, 3, 0)), 33)
    result = run(b.shader, 1, inputs={0: np.array([[0xF2345678]])})
    assert result.outputs[32][:, 0].tolist() == [0xF234AB78, 0x67, 0xFFFFFFFF, 0xF2345678]
    assert result.outputs[33][:2, 0].tolist() == [0xF2345678, 0]


@pytest.mark.parametrize(
    "name,value,word",
    [
        ("pack_unorm_4x8", [0.0, 1.0, 0.5, NAN], 0x0080FF00),
        ("pack_snorm_4x8", [-2.0, 1.0, 0.0, -0.5], 0xC0007F81),
        ("pack_unorm_2x16", [1.0, 2.0], 0xFFFFFFFF),
        ("pack_snorm_2x16", [-1.0, 0.0], 0x00008001),
        ("pack_half_2x16", [1.0, -2.0], 0xC0003C00),
    ],
)
def test_packing(name: str, value: list[float], word: int) -> None:
    b = Builder(Shader("vertex"))
    x = b.load_input(0, len(value))
    packed = b.alu(name, x)
    b.store_output(packed, 32)
    b.store_output(b.alu(f"un{name}", packed), 33)
    result = run(b.shader, 1, inputs={0: [value]})
    assert hex(int(result.outputs[32][0, 0])) == hex(word)
    scale = {"4x8": 1 / 250, "16": 1e-4}[name[-3:] if name.endswith("4x8") else "16"]
    low = -1.0 if "snorm" in name or "half" in name else 0.0
    top = 1.0 if "norm" in name else 65504.0
    for got, given in zip(result.output(33)[0], value, strict=False):
        want = min(max(0.0 if given != given else given, low * 2 if "half" in name else low), top)
        assert abs(got - want) <= scale


@pytest.mark.parametrize("name", sorted(n for n, op in OPCODES.items() if op.lower))
def test_lowering_means_the_same(name: str) -> None:
    from pydri.nir.passes import run_pass

    op = OPCODES[name]
    size = max(op.in_sizes) or 1
    b = Builder(Shader("vertex"))
    inputs: dict[int, np.ndarray] = {}
    srcs = []
    args = columns(op.in_types)
    for slot, (kind, values) in enumerate(zip(op.in_types, args, strict=True)):
        if kind in NUMPY:
            inputs[slot] = np.array(values, NUMPY[kind]).view(np.uint32).reshape(-1, 2)
            halves = b.load_input(slot, 2, kind="uint")
            srcs.append(b.pack_64_2x32_split(halves.x, halves.y))
            continue
        column = np.array(values, np.float32 if kind == "float" else np.int64)
        inputs[slot] = np.stack([np.roll(column, i) for i in range(size)], axis=1)
        value = b.load_input(slot, size, kind="int" if kind == "bool" else kind)
        srcs.append(b.ine(value, 0) if kind == "bool" else value)
    result = b.alu(name, *srcs)
    if result.bit_size == 64:
        result = b.vec(b.unpack_64_2x32_split_x(result), b.unpack_64_2x32_split_y(result))
    b.store_output(b.b2i(result) if result.bit_size == 1 else result, 32)
    before = run(b.shader, len(args[0]), inputs=inputs).outputs[32]
    assert run_pass(b.shader, "lower_alu", ops=[name])
    after = run(b.shader, len(args[0]), inputs=inputs).outputs[32]
    if op.out_type == "float64":
        x, y = (np.ascontiguousarray(bits[:2].T).view(np.float64) for bits in (before, after))
        assert np.all((x == y) | (np.isnan(x) & np.isnan(y)))
        return
    before, after = before[0], after[0]
    if op.out_type == "float":
        assert (ulps(before.view(np.float32), after.view(np.float32)) <= max(op.ulp, 0)).all()
    else:
        assert np.array_equal(before, after)
