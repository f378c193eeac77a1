# SPDX-License-Identifier: MIT
"""Random shaders through nir_soa against nir/interp.py (each opcode: test_opcodes.py)."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipe_llvm.gallivm.nir_soa import LANES, SoaEnv, emit_shader
from pipe_llvm.memory import Block
from pipe_llvm.native import VARIABLE_BYTES
from pydri.jit import Module, f32, i32, kernel, ptr, u8, u32, u64, void
from pydri.jit.fpstate import FLUSHED
from pydri.nir.builder import Builder
from pydri.nir.interp import run
from pydri.nir.ir import Shader
from pydri.nir.passes import lower_for_backend
from pydri.nir.printer import print_shader
from tests.unit.jit.harness import WIDTHS

sys.path.insert(0, str(Path(__file__).parents[2] / "nir"))
import shadergen

from tests.unit.alone import compiled_alone

_VARIABLES = Block(VARIABLE_BYTES)


def variables(b: Any) -> Any:
    """Where kernels of tests have their variables."""
    return b.int_to_ptr(b.const(u64, _VARIABLES.address), u8)


class Env(SoaEnv):
    """Inputs and outputs in arrays of 16 floats, one for each (slot, component)."""

    def __init__(self, b: Any, inputs: Any, ubo: Any, ubo_size: int) -> None:
        super().__init__(b)
        self.inputs, self.ubo, self.ubo_size = inputs, ubo, ubo_size

    def variables(self) -> Any:
        return variables(self.b)

    def load_input(self, slot: int, component: int) -> Any:
        return (self.inputs + LANES * (4 * slot + component)).load(f32.vec(LANES))

    def load_ubo(self, block: int, offset: Any, count: int) -> list[Any]:
        assert isinstance(offset, int), "the generator uses constant offsets"
        return [(self.ubo + (offset // 4 + n)).load(f32, invariant=True) for n in range(count)]


def machine_run(
    shader: Shader, slots: list[int], inputs: np.ndarray, ubo: bytes, width: int
) -> dict:
    """Outputs by slot, uint32 (4, 16)."""

    @kernel(ret=void, args=(ptr(f32), ptr(f32), ptr(f32)))
    def shade(b: Any, into: Any, ubo_: Any, out: Any) -> None:
        env = Env(b, into, ubo_, len(ubo))
        emit_shader(b, shader, env)
        for i, slot in enumerate(slots):
            for c in range(4):
                value = env.output(slot, c)
                wide = b.splat(b.const(f32, 0.0) if value is None else value, LANES)
                (out + LANES * (4 * i + c)).store(wide)

    image = compiled_alone("soa", [shade], width, FLUSHED)
    out = np.zeros((len(slots), 4, LANES), np.float32)
    block = np.frombuffer(ubo, np.uint32).copy()
    f = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(image.address("shade"))
    f(inputs.ctypes.data, block.ctypes.data, out.ctypes.data)
    return {slot: out[i].view(np.uint32) for i, slot in enumerate(slots)}


def agree(mine: np.ndarray, wanted: np.ndarray, ulp: Any = 0) -> np.ndarray:
    x, y = mine.view(np.float32), wanted.view(np.float32)
    equal = (mine == wanted) | (np.isnan(x) & np.isnan(y))
    if np.any(ulp):
        equal |= np.abs(mine.view(np.int32).astype(np.int64) - wanted.view(np.int32)) <= ulp
    return equal


@pytest.mark.parametrize("lowered", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_random_shaders(seed: int, lowered: bool) -> None:
    """Control flow of all kinds, bit for bit (so without opcodes that have a tolerance)."""
    width = WIDTHS[seed % len(WIDTHS)]
    exact = [op for op in shadergen.OPS if op.ulp == 0]
    kept, shadergen.OPS = shadergen.OPS, exact
    try:
        shader = shadergen.generate(seed + 100)
    finally:
        shadergen.OPS = kept
    given: Any = shadergen.inputs(seed)
    inputs = np.zeros((4, LANES, 4), np.float32)
    for slot, values in given["inputs"].items():
        inputs[slot] = np.resize(values, (LANES, 4))
    inputs[:, 3::5] *= np.float32(1e-39)  # denormals
    wanted = run(shader, LANES, inputs=dict(enumerate(inputs)), ubos=given["ubos"])
    if lowered:
        lower_for_backend(shader)
    else:
        from pydri.nir.passes import run_pass

        for name in ("lower_io", "lower_indirect_derefs", "lower_vars_to_ssa"):
            run_pass(shader, name)
    planar = np.ascontiguousarray(inputs.transpose(0, 2, 1))
    mine = machine_run(shader, list(wanted.outputs), planar, given["ubos"][0], width)
    for slot, bits in wanted.outputs.items():
        found = mine[slot]
        if lowered:  # rules marked with ~ may have kept a denormal
            kept = (found & 0x7F800000 == 0) & (bits & 0x7FFFFFFF == 0)
            found = np.where(kept, found & 0x80000000, found)
        good = agree(found, bits)
        assert good.all(), (
            f"seed {seed} slot {slot} {mine[slot][~good]} {bits[~good]}\n{print_shader(shader)}"
        )


def test_uniform_values_stay_scalar() -> None:
    """What is computed from constants and uniforms alone is computed once, not in 16 lanes."""
    shader = Shader("vertex")
    b = Builder(shader)
    b.store_output(b.load_input(0, 1) * (b.load_ubo(0, 0, 1) + b.load_ubo(0, 4, 1)), 1)
    made: list[Any] = []

    @kernel(ret=void, args=(ptr(f32), ptr(f32), ptr(f32)))
    def shade(b: Any, into: Any, ubo: Any, out: Any) -> None:
        env = Env(b, into, ubo, 64)
        emit_shader(b, shader, env)
        out.store(env.output(1, 0))
        made.append(env.output(1, 0).ty)

    text = Module("soa_scalar", [shade]).ir(512)
    assert "fadd float" in text and "fmul <16 x float>" in text
    assert made[0].ir == "<16 x float>"


def test_what_is_not_lowered_is_refused() -> None:
    shader = Shader("vertex")
    b = Builder(shader)
    b.store_output(b.load_uniform(0, 1), 1)

    @kernel(ret=void, args=(ptr(f32),))
    def shade(b: Any, into: Any) -> None:
        emit_shader(b, shader, Env(b, into, into, 0))

    with pytest.raises(TypeError, match="lower_for_backend"):
        Module("soa_bad", [shade]).ir(512)


__all__ = ["i32", "u32"]
