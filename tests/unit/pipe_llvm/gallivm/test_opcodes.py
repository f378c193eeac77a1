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
from pydri.nir.builder import Builder
from pydri.nir.interp import run
from pydri.nir.ir import AluInstr, IntrinsicInstr, Shader, SSADef
from pydri.nir.opcodes import OPCODES
from pydri.util.options import options
from tests.unit.jit.harness import EACH_WIDTH, WIDTHS
from tests.unit.pipe_llvm.gallivm.test_nir_soa import Env, agree

Bits = np.ndarray[Any, np.dtype[np.uint32]]
Runner = Callable[[Bits], Bits]

FLOATS = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e30, np.inf, -np.inf, np.nan, 1e-40, 3e9, 255.5, -1e-3,
     7.0], np.float32,
).view(np.uint32)  # fmt: skip
INTS = np.array(
    [0, 1, -1, 2, 31, 32, 33, -(1 << 31), (1 << 31) - 1, 255, -256, 12345678, -7, 5, 16, 3],
    np.int32,
).view(np.uint32)
SLOTS = 9  # of inputs: three of floats, three of whole numbers, three of 0 to 3
ROUNDS = 16  # of edges, of random bits, of plain numbers each
FIRST_OUT = 100
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
        data[6:] &= 3
        rounds.append(data)
    return rounds


def of_all(load: Callable[[Builder, int, str], SSADef], components: int) -> tuple[Shader, list]:
    """A shader with an output for each opcode, and the opcodes."""
    shader = Shader("vertex")
    b = Builder(shader)
    floats = [load(b, s, "float") for s in range(3)]
    ints = [load(b, s, "int") for s in range(3, 6)]
    small = [load(b, s, "int") for s in range(6, 9)]
    bools = [b.alu("ine", b.alu("iand", v, 1), 0) for v in ints]
    for slot, op in enumerate(OPCODES.values()):
        args = []
        for i, (size, kind) in enumerate(zip(op.in_sizes, op.in_types, strict=True)):
            source = {"float": floats, "bool": bools}.get(kind, ints)[i % 3]
            if "bitfield_" in op.name and i >= len(op.in_types) - 2 and op.arity > 1:
                source = small[i % 3]
            args.append(b.swizzle(source, (0, 1, 2, 3)[: size or components]))
        value = b.alu(op.name, *args, saturate=op.name == "fmul")
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
        for slot in range(count):
            for c in range(4):
                value = env.output(FIRST_OUT + slot, c)
                wide = b.splat(b.const(f32, 0.0) if value is None else value, LANES)
                (out + LANES * (4 * slot + c)).store(wide)

    before = cache.object_cache()
    cache.use(cache.ObjectCache(None, b""))
    try:
        with options(LP_NATIVE_VECTOR_WIDTH=width):
            image = compile_module(Module("opcodes", [shade], variant=True), first)
    finally:
        cache.use(before)
    f = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2)(image.address("shade"))

    def call(given: Bits) -> Bits:
        assert image is not None  # it owns the code
        given = np.ascontiguousarray(given)
        out = np.zeros((count, 4, LANES), np.uint32)
        f(given.ctypes.data, out.ctypes.data)
        return out

    return call


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
            right = wanted[FIRST_OUT + slot]
            good = agree(mine[slot], right, op.ulp)
            if op.name in FAR:
                x = np.abs(data[0].view(np.float32))
                good |= (x > 32768) & np.isfinite(x) & (np.abs(mine[slot].view(np.float32)) <= 1)
            if op.name in ("fmin", "fmax"):  # of -0 and +0 either
                good |= (mine[slot] | right) == 1 << 31
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
            good = agree(shade(data), wanted)
            bad = {ops[n].name for n in np.nonzero(~good)[0]}
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
                good = agree(one(data[:, :, lane])[:, :, 0], wanted[:, :, lane])
                bad = {ops[n].name for n in np.nonzero(~good)[0]} - set(alu.DERIVATIVES)
                assert not bad, (lane, first)
