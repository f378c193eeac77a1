# SPDX-License-Identifier: MIT
"""Every opcode of nir through nir_soa: nir/interp.py's answers on edge and random values, and the
same bits at all vector widths, from the first and the best image, of lanes and of scalars.

The shaders are made of the table of opcodes, so that a new row is tested when it is there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pipe_llvm.gallivm import alu
from pipe_llvm.gallivm.nir_soa import LANES, emit_shader
from pydri.jit import Module, cache, f32, kernel, ptr, void
from pydri.jit.compiler import compile_module
from pydri.jit.fpstate import FLUSHED
from pydri.nir.builder import Builder
from pydri.nir.interp import run
from pydri.nir.ir import AluInstr, IntrinsicInstr, Shader, SSADef
from pydri.nir.opcodes import OPCODES, Opcode
from pydri.util.options import options
from tests.unit.jit.harness import EACH_WIDTH, WIDTHS
from tests.unit.pipe_llvm.gallivm.test_nir_soa import Env, agree

Bits = np.ndarray[Any, np.dtype[np.uint32]]
Runner = Callable[[Bits], Bits]

FLOATS = np.array(
    [0.0, -0.0, 1.0, -1.0, -np.inf, 2.5, -3.5, 1e30, np.inf, np.nan, 1e-40, -2e-39, 2.0**-126,
     255.5, -1.5e-38, 3e9], np.float32,
).view(np.uint32)  # fmt: skip
INTS = np.array(
    [0, 1, -1, 2, 31, 32, 33, -(1 << 31), (1 << 31) - 1, 255, -256, 12345678, -7, 5, 16, 3],
    np.int32,
).view(np.uint32)
DOUBLES = np.array(
    [0.0, -0.0, 1.0, -1.5, np.inf, 1e300, -1e-310, 3e-308, -np.inf, np.nan, 9.3e18, -9.3e18,
     2.0**-1022, 1.9e19, 2.0**63, 1.2e-38], np.float64,
).view(np.uint64)  # fmt: skip
LONGS = np.array(
    [0, 1, -1, 2, 31, 63, 64, -(1 << 63), (1 << 63) - 1, 255, -256, 1 << 32, -7, 5, (1 << 53) + 1,
     (1 << 62) + 3], np.int64,
).view(np.uint64)  # fmt: skip
#: of inputs: three of floats, three of whole numbers, three of 0 to 3; then halves of three of
#: doubles and three of long numbers
SLOTS = 21
ROUNDS = 16  # of edges, of random bits, of plain numbers each
FIRST_OUT, HIGH_OUT = 100, 1100  # low and high halves
#: opcodes whose answer beyond |x| of 32768 is free
FAR = ("fsin", "fcos")


def values() -> list[Bits]:
    """(slot, component, lane) of each round."""
    rng, rounds = np.random.default_rng(5), []
    for n in range(3 * ROUNDS):
        data = rng.integers(0, 1 << 32, (SLOTS, 4, LANES), np.uint32)
        for slot, c in np.ndindex(3, 4):
            if n % 3 == 0:
                data[slot, c] = rng.permutation(FLOATS)
                data[slot + 3, c] = rng.permutation(INTS)
            elif n % 3 == 1:
                scale = 10.0 ** rng.integers(-3, 5)
                data[slot, c] = rng.normal(0, scale, LANES).astype(np.float32).view(np.uint32)
                data[slot + 3, c] = rng.integers(-40, 40, LANES).astype(np.uint32)
        data[6:9] &= 3
        for slot, c in np.ndindex(3, 4):
            if n % 3 == 0:
                put(data, 9 + 2 * slot, c, rng.permutation(DOUBLES))
                put(data, 15 + 2 * slot, c, rng.permutation(LONGS))
            elif n % 3 == 1:
                plain = rng.normal(0, 10.0 ** rng.integers(-3, 20), LANES)
                put(data, 9 + 2 * slot, c, plain.view(np.uint64))
                small = rng.integers(-40, 40, LANES) << rng.integers(0, 60)
                put(data, 15 + 2 * slot, c, small.view(np.uint64))
        rounds.append(data)
    return rounds


def put(data: Bits, slot: int, component: int, values: Any) -> None:
    """Numbers of 64 bits, as halves in two slots."""
    data[slot, component] = values & np.uint64(0xFFFFFFFF)
    data[slot + 1, component] = values >> np.uint64(32)


def of_all(load: Callable[[Builder, int, str], SSADef], components: int) -> tuple[Shader, list]:
    """A shader with an output for each opcode, and the opcodes."""
    shader = Shader("vertex")
    b = Builder(shader)
    floats = [load(b, s, "float") for s in range(3)]
    ints = [load(b, s, "int") for s in range(3, 6)]
    small = [load(b, s, "int") for s in range(6, 9)]
    bools = [b.alu("ine", b.alu("iand", v, 1), 0) for v in ints]
    halves = [load(b, s, "uint") for s in range(9, SLOTS)]
    wide = [b.alu("pack_64_2x32_split", *halves[n : n + 2]) for n in range(0, 12, 2)]
    of_type = {"float": floats, "bool": bools, "float64": wide[:3], "int64": wide[3:],
               "uint64": wide[3:]}  # fmt: skip
    for slot, op in enumerate(OPCODES.values()):
        args = []
        for i, (size, kind) in enumerate(zip(op.in_sizes, op.in_types, strict=True)):
            source = of_type.get(kind, ints)[i % 3]
            if "bitfield_" in op.name and i >= len(op.in_types) - 2 and op.arity > 1:
                source = small[i % 3]
            args.append(b.swizzle(source, (0, 1, 2, 3)[: size or components]))
        value = b.alu(op.name, *args, saturate=op.name in ("fmul", "fmul64"))
        if value.bit_size == 64:
            b.store_output(b.alu("unpack_64_2x32_split_y", value), HIGH_OUT + slot)
            value = b.alu("unpack_64_2x32_split_x", value)
        b.store_output(b.alu("b2i", value) if value.bit_size == 1 else value, FIRST_OUT + slot)
    return shader, list(OPCODES.values())


def of_lanes(components: int) -> tuple[Shader, list]:
    return of_all(lambda b, slot, kind: b.load_input(slot, 4, kind=kind), components)


def of_scalars(components: int) -> tuple[Shader, list]:
    return of_all(lambda b, slot, kind: b.load_ubo(0, 16 * slot, 4, kind=kind), components)


def machine(shader: Shader, count: int, width: int, first: bool = False) -> Runner:
    """A function of a round's values, which all are inputs and a uniform block's first bytes."""

    @kernel(ret=void, args=(ptr(f32), ptr(f32)))
    def shade(b: Any, given: Any, out: Any) -> None:
        env = Env(b, given, given, 16 * SLOTS)
        emit_shader(b, shader, env)
        for slot in range(2 * count):
            for c in range(4):
                half = HIGH_OUT - count if slot >= count else FIRST_OUT
                value = env.output(half + slot, c)
                wide = b.splat(b.const(f32, 0.0) if value is None else value, LANES)
                (out + LANES * (4 * slot + c)).store(wide)

    before = cache.object_cache()
    cache.use(cache.ObjectCache(None, b""))
    try:
        with options(LP_NATIVE_VECTOR_WIDTH=width):
            module = Module("opcodes", [shade], variant=True, floats=FLUSHED)
            image = compile_module(module, first)
    finally:
        cache.use(before)
    f = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2)(image.address("shade"))

    def call(given: Bits) -> Bits:
        assert image is not None  # it owns the code
        given = np.ascontiguousarray(given)
        out = np.zeros((2 * count, 4, LANES), np.uint32)
        f(given.ctypes.data, out.ctypes.data)
        return joined(out[:count], out[count:])

    return call


def joined(low: Bits, high: Any) -> Any:
    """Results, as wide as the widest are."""
    return low.astype(np.uint64) | np.asarray(high, np.uint64) << np.uint64(32)


def same(op: Opcode, mine: Any, wanted: Any, ulp: Any = 0) -> Any:
    """Where two results of an opcode are one; any NaN is any NaN."""
    if op.out_type == "float64":
        x, y = mine.view(np.float64), wanted.view(np.float64)
        good = (mine == wanted) | (np.isnan(x) & np.isnan(y))
    else:
        good = agree(mine.astype(np.uint32), wanted.astype(np.uint32), ulp)
        good &= mine >> np.uint64(32) == wanted >> np.uint64(32)
    if op.name == "pack_half_2x16":  # a NaN among two halves is any, too
        x, y = (np.ascontiguousarray(v).view(np.float16).reshape(*v.shape, 4)
                for v in (mine, wanted))  # fmt: skip
        equal = x.view(np.uint16) == y.view(np.uint16)
        good = (equal | (np.isnan(x) & np.isnan(y))).all(axis=-1)
    if op.name.startswith(("fmin", "fmax")):  # of -0 and +0 either
        good |= (mine | wanted) == 1 << (63 if op.out_type == "float64" else 31)
    return good


def tolerance(op: Opcode, data: Bits) -> Any:
    """How many ulp an opcode may be off: of all, or in each lane of each component."""
    if op.ulp_more is None:
        return op.ulp
    args = (data[i].view(np.float32).astype(np.float64) for i in range(op.arity))
    with np.errstate(all="ignore"):
        more = op.ulp_more(*args)
    return op.ulp + np.where(np.isfinite(more), more, 0)


def apart(ops: list, mine: Any, wanted: Any) -> set[str]:
    """The opcodes of which results differ."""
    pairs = zip(ops, mine, wanted, strict=True)
    return {op.name for op, x, y in pairs if not same(op, x, y).all()}


def components_at(width: int) -> int:
    """Narrow vectors take long to compile."""
    return 4 if width == WIDTHS[-1] else 1


def test_every_opcode_has_a_row() -> None:
    rows = {*alu.EMIT, *alu.EMIT_VECTOR, *alu.DERIVATIVES}
    assert rows == set(OPCODES)


@pytest.mark.parametrize("make", [of_lanes, of_scalars])
def test_every_opcode_is_tested(make: Callable[[int], tuple[Shader, list]]) -> None:
    """The shaders have all opcodes of the table, and store what each of them says."""
    shader, ops = make(1)
    instrs = list(shader.main.instrs())
    assert {i.op.name for i in instrs if isinstance(i, AluInstr)} == set(OPCODES)
    stored = [i for i in instrs if isinstance(i, IntrinsicInstr) and i.name == "store_output"]
    assert [op.name for op in ops] == list(OPCODES) and len(stored) >= len(ops)


@pytest.mark.parametrize("width", EACH_WIDTH)
def test_answers(width: int) -> None:
    """The interpreter's on all rounds."""
    shader, ops = of_lanes(components_at(width))
    shade = machine(shader, len(ops), width)
    for data in values():
        inputs = dict(enumerate(data.transpose(0, 2, 1).view(np.float32)))
        wanted = run(shader, LANES, inputs=inputs).outputs
        mine = shade(data)
        for slot, op in enumerate(ops):
            right = joined(wanted[FIRST_OUT + slot], wanted.get(HIGH_OUT + slot, 0))
            good = same(op, mine[slot], right, tolerance(op, data))
            if op.name in FAR:
                x = np.abs(data[0].view(np.float32))
                found = mine[slot].astype(np.uint32).view(np.float32)
                good |= (x > 32768) & np.isfinite(x) & (np.abs(found) <= 1)
            assert good.all(), (op.name, mine[slot][~good], right[~good])


@pytest.mark.slow
def test_one_answer() -> None:
    """All widths and both images give the same bits, of opcodes with a tolerance, too."""
    shader, ops = of_lanes(1)
    runners = [(w, first, machine(shader, len(ops), w, first)) for w in WIDTHS
               for first in (False, True)]  # fmt: skip
    for data in values():
        wanted = runners[0][2](data)
        for width, first, shade in runners[1:]:
            bad = apart(ops, shade(data), wanted)
            assert not bad, f"{width} bits, first image: {first}"


def test_scalars() -> None:
    """What is the same in all lanes is computed once, and gives what a lane gives."""
    (lanes, ops), (scalars, _) = of_lanes(4), of_scalars(4)
    wide = machine(lanes, len(ops), WIDTHS[-1])
    for first in (False, True):
        one = machine(scalars, len(ops), WIDTHS[-1], first)
        for data in values():
            wanted = wide(data)
            for lane in range(LANES):
                found = one(data[:, :, lane])[:, :, :1]
                bad = apart(ops, found, wanted[:, :, lane : lane + 1]) - set(alu.DERIVATIVES)
                assert not bad, (lane, first)
