# SPDX-License-Identifier: MIT
"""Execution masks: random shaders with loops, discards, derivatives and indices run on kernels of
all widths as nir/interp.py says.

LANES_SEEDS=1000 runs so many shaders instead of a few."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
import pytest

from pipe_llvm.gallivm.constants import load_dwords
from pipe_llvm.gallivm.nir_flow import next_rounds
from pipe_llvm.gallivm.nir_soa import LANES, SoaEnv, emit_shader
from pydri.jit import Module, boolean, f32, kernel, ptr, u8, u16, void
from pydri.jit.fpstate import FLUSHED
from pydri.nir.builder import Builder
from pydri.nir.constant_tables import constant_tables
from pydri.nir.interp import run
from pydri.nir.ir import Loop, Shader
from pydri.nir.passes import lower_for_backend, run_pass
from pydri.nir.printer import print_shader
from pydri.nir.validate import validate
from tests.unit.alone import compiled_alone
from tests.unit.jit.harness import EACH_WIDTH, WIDTHS
from tests.unit.nir import lanegen
from tests.unit.pipe_llvm.gallivm.test_nir_soa import agree, variables

SEEDS = range(int(os.environ.get("LANES_SEEDS", "12")))
SLOTS = 8


class Env(SoaEnv):
    """Inputs, blocks, outputs and the mask of live lanes in memory."""

    def __init__(self, b: Any, inputs: Any, blocks: dict[int, Any], live: Any) -> None:
        super().__init__(b)
        self.inputs, self.blocks = inputs, blocks
        self.live = b.var(boolean.vec(LANES), live)

    def variables(self) -> Any:
        return variables(self.b)

    def load_input(self, slot: int, component: int) -> Any:
        return (self.inputs + LANES * (4 * slot + component)).load(f32.vec(LANES))

    def load_ubo(self, block: int, offset: Any, count: int) -> list[Any]:
        place, size = self.blocks[block]
        return load_dwords(self.b, place, 0, size, offset, count)

    def discard(self, mask: Any) -> None:
        dropped = self.b.const(boolean.vec(LANES), 1) if mask is None else mask
        self.live.value = self.live.value & ~self.b.splat(dropped, LANES)


def machine_run(
    shader: Shader, slots: list[int], inputs: dict[int, np.ndarray], blocks: dict[int, bytes],
    mask: np.ndarray, width: int,
) -> tuple[dict[int, np.ndarray], np.ndarray]:  # fmt: skip
    """Outputs by slot, uint32 (4, 16), and which lanes were discarded."""

    @kernel(ret=void, args=(ptr(f32), ptr(u8), ptr(u8), ptr(f32), ptr(u16)))
    def shade(b: Any, into: Any, block0: Any, block1: Any, out: Any, masks: Any) -> None:
        places = {0: (block0, len(blocks[0])), 1: (block1, len(blocks[1]))}
        given = b.mask_of(masks[0])
        env = Env(b, into, places, given)
        emit_shader(b, shader, env, given)
        for i, slot in enumerate(slots):
            for c in range(4):
                value = env.output(slot, c)
                wide = b.splat(b.const(f32, 0.0) if value is None else value, LANES)
                (out + LANES * (4 * i + c)).store(wide)
        masks[0] = b.bits_of(given & ~env.live.value)

    planar = np.zeros((1 + max(inputs), 4, LANES), np.float32)
    for slot, values in inputs.items():
        planar[slot] = values.T
    out = np.zeros((len(slots), 4, LANES), np.float32)
    bits = np.packbits(mask, bitorder="little").view(np.uint16).copy()
    words = [np.frombuffer(blocks[n], np.uint8).copy() for n in (0, 1)]
    function = compiled_alone("lanes", [shade], width, FLUSHED).address("shade")
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(function)
    call(*(a.ctypes.data for a in (planar, *words, out, bits)))
    dropped = np.unpackbits(bits.view(np.uint8), bitorder="little").astype(np.bool_)
    return {slot: out[i].view(np.uint32) for i, slot in enumerate(slots)}, dropped


def lower(shader: Shader, how: int) -> None:
    """As back ends get it, or with nothing but what they cannot do without."""
    if how:
        lower_for_backend(shader)
    else:
        run_pass(shader, "lower_io")
        run_pass(shader, "lower_indirect_derefs")
        run_pass(shader, "lower_vars_to_ssa")
    validate(shader)


def check(seed: int, how: int, width: int) -> None:
    shader = lanegen.generate(seed)
    validate(shader)
    inputs, blocks, mask = lanegen.arguments(seed)
    wanted = run(shader, LANES, inputs=inputs, ubos=blocks, mask=mask)
    lower(shader, how)
    again = run(shader, LANES, inputs=inputs, ubos=blocks, mask=mask)
    slots = list(wanted.outputs)
    made, dropped = machine_run(shader, slots, inputs, blocks, mask, width)
    for slot in slots:
        for name, bits in (("lowered", again.outputs[slot]), ("kernel", made[slot])):
            good = agree(bits, wanted.outputs[slot]) | ~mask
            assert good.all(), (
                f"{name}: seed {seed} slot {slot} lanes {np.argwhere(~good).tolist()} "
                f"{bits[~good]} {wanted.outputs[slot][~good]}\n{print_shader(shader)}"
            )
    assert ((dropped == wanted.discarded) | ~mask).all(), f"discards of seed {seed}"


@pytest.mark.parametrize("seed", SEEDS)
def test_random_shaders(seed: int) -> None:
    check(seed, seed % 2, WIDTHS[seed % len(WIDTHS)])


def endless(x: Builder) -> None:
    with x.Loop():
        pass


@pytest.mark.parametrize("kind", ["nothing", "never true", "a lane of sixteen", "nested"])
def test_endless_loops_end(kind: str) -> None:
    """All loops together make MAX_ROUNDS rounds, and the lanes go on behind them."""
    b = Builder(Shader("fragment"))
    x = b.load_input(0, 1)
    with b.Loop():
        if kind == "nested":
            endless(b)
        elif kind != "nothing":
            limit = b.imm_float(1e30) if kind == "never true" else b.imm_float(3.0)
            with b.If(b.fge(x, limit)):
                b.Break()
    b.store_output(b.fadd(x, 1.0), 4)
    inputs, blocks, mask = lanegen.arguments(1)
    inputs[0] = np.repeat(np.arange(16, dtype=np.float32)[:, None], 4, axis=1)
    lower(b.shader, 1)
    made, _ = machine_run(b.shader, [4], inputs, blocks, mask, WIDTHS[-1])
    assert (made[4].view(np.float32)[0] == inputs[0][:, 0] + 1)[mask].all()


def test_uniform_loops_are_scalar() -> None:
    """A loop whose counter and length are the same in all lanes has scalars and branches: no
    masks, and reads of a block are scalar loads."""
    b = Builder(Shader("fragment"))
    from pydri.nir import types

    i, total = b.local("i", types.INT), b.local("total", types.FLOAT)
    b.store_var(i, 0)
    b.store_var(total, 0.0)
    count = b.load_ubo(1, 0, 1, "int")
    with b.Loop():
        now = b.load_var(i)
        with b.If(b.ige(now, count)):
            b.Break()
        b.store_var(total, b.load_var(total) + b.load_ubo(1, b.ishl(now, 2), 1))
        b.store_var(i, b.iadd(now, 1))
    b.store_output(b.load_var(total) * b.load_input(0, 1), 4)
    lower(b.shader, 1)
    shader = b.shader

    @kernel(ret=void, args=(ptr(f32), ptr(u8), ptr(f32), ptr(u16)))
    def shade(b: Any, into: Any, block: Any, out: Any, masks: Any) -> None:
        given = b.mask_of(masks[0])
        env = Env(b, into, {1: (block, 64)}, given)
        emit_shader(b, shader, env, given)
        out.store(b.splat(env.output(4, 0), LANES))

    text = Module("lanes_scalar", [shade]).ir(512)
    assert "gather" not in text and "select <16" not in text
    assert "fadd float" in text and "fadd <16" not in text
    assert "icmp sge i32" in text and "icmp sge <16" not in text


@pytest.mark.parametrize("jump", [False, True])
@pytest.mark.parametrize("width", EACH_WIDTH)
def test_same_in_all_lanes_only_within_a_loop(jump: bool, width: int) -> None:
    """What an inner loop leaves is a scalar to its readers in the loop around it, to phis and to
    jumps; behind that one, which lanes leave one by one, each lane has the value of its round."""
    from pydri.nir import types

    b = Builder(Shader("fragment"))
    i, k, last = (b.local(name, types.INT) for name in ("i", "k", "last"))
    x, limit = b.f2i(b.load_input(0, 1)), b.load_ubo(1, 0, 1, "int")
    b.store_var(i, 0)
    b.store_var(last, 0)
    with b.Loop():
        now = b.load_var(i)
        before = b.load_var(last)
        b.store_var(k, 0)
        with b.Loop():
            seen = b.iadd(b.load_var(k), b.imul(now, 3))
            with b.If(b.ige(b.load_var(k), limit)):
                b.Break()
            b.store_var(k, b.iadd(b.load_var(k), 1))
        with b.If(b.ige(now, x)):
            b.Break()
        if jump:
            with b.If(b.ige(seen, 20)):
                b.Break()
        b.store_var(last, seen)
        b.store_var(i, b.iadd(now, 1))
    b.store_output(b.vec(*(b.i2f(value) for value in (now, seen, before))), 4)
    inputs, blocks, mask = lanegen.arguments(1)
    inputs[0] = np.repeat(np.arange(16, dtype=np.float32)[:, None], 4, axis=1)
    blocks[1] = (2).to_bytes(4, "little") + blocks[1][4:]
    wanted = run(b.shader, LANES, inputs=inputs, ubos=blocks, mask=mask).outputs[4]
    lower(b.shader, 1)
    made, _ = machine_run(b.shader, [4], inputs, blocks, mask, width)
    assert len(set(made[4][1][mask].tolist())) > 3
    assert (agree(made[4], wanted) | ~mask)[:3].all()


@pytest.mark.parametrize("looking", [False, True])
def test_what_lanes_leave_behind_in_a_loop(looking: bool) -> None:
    """Lanes that have left a loop go on as their neighbours do where nobody can see it (no choice
    between two rounds' values), and stand still where a derivative can."""
    from pydri.nir import types

    b = Builder(Shader("fragment"))
    i, total, seen = (b.local(name, types.FLOAT) for name in ("i", "total", "seen"))
    x = b.load_input(0, 1)
    for var in (i, total, seen):
        b.store_var(var, 0.0)
    with b.Loop():
        now = b.load_var(i)
        with b.If(b.fge(now, x)):
            b.Break()
        if looking:
            b.store_var(seen, b.load_var(seen) + b.alu("fddx", b.load_var(total)))
        b.store_var(total, b.load_var(total) * 1.5 + x)
        b.store_var(i, now + 1.0)
    b.store_output(b.vec(b.load_var(total), b.load_var(seen), b.load_var(i)), 4)
    inputs, blocks, mask = lanegen.arguments(1)
    inputs[0] = np.repeat(np.arange(0, 48, 3, dtype=np.float32)[:, None], 4, axis=1)
    mask[:] = True
    wanted = run(b.shader, LANES, inputs=inputs, ubos=blocks, mask=mask).outputs[4]
    lower(b.shader, 1)
    made, _ = machine_run(b.shader, [4], inputs, blocks, mask, WIDTHS[-1])
    assert agree(made[4], wanted)[:3].all()
    (loop,) = (node for node in b.shader.main.nodes() if isinstance(node, Loop))
    assert bool(next_rounds(loop)) != looking


@pytest.mark.parametrize("changed", [False, True])
def test_tables_of_constants(changed: bool) -> None:
    """An array that is set once and for all is read-only data; one that changes is memory."""
    from pydri.nir import types
    from pydri.nir.ir import Deref

    b = Builder(Shader("fragment"))
    table = b.local("table", types.array(types.VEC3, 24))
    flags = b.local("flags", types.array(types.BOOL, 80))
    for n in range(23):  # the last one stays zero
        b.store_var(Deref(table, (n,)), b.imm_float(n * 0.5, -n, n * n))
    b.store_var(Deref(flags, (3,)), True)
    i = b.local("i", types.INT)
    total = b.local("total", types.VEC3)
    b.store_var(i, 0)
    b.store_var(total, 0.0)
    with b.Loop():
        now = b.load_var(i)
        with b.If(b.ige(now, b.load_ubo(1, 0, 1, "int"))):
            b.Break()
        b.store_var(total, b.load_var(total) + b.load_var(Deref(table, (now,))))
        if changed:
            b.store_var(Deref(table, (b.iadd(now, 20),)), b.load_var(total))
        b.store_var(i, b.iadd(now, 1))
    index = b.f2i(b.load_input(0, 1))
    b.store_output(b.load_var(total), 4)
    b.store_output(b.load_var(Deref(table, (index,))), 5)
    b.store_output(b.b2f(b.load_var(Deref(flags, (index,)))), 6)
    inputs, blocks, mask = lanegen.arguments(3)
    inputs[0] = np.repeat(np.arange(-2, 30, 2, dtype=np.float32)[:, None], 4, axis=1)
    inputs[0][5] = 3.0
    blocks[1] = (40).to_bytes(4, "little") + blocks[1][4:]
    mask[:] = True
    wanted = run(b.shader, LANES, inputs=inputs, ubos=blocks)
    lower(b.shader, 1)
    made, _ = machine_run(b.shader, [4, 5, 6], inputs, blocks, mask, WIDTHS[-1])
    for slot in (4, 5, 6):
        assert agree(made[slot], wanted.outputs[slot]).all(), slot
    assert (table in constant_tables(b.shader)) is not changed
    assert flags in constant_tables(b.shader)
