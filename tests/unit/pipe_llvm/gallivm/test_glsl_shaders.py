# SPDX-License-Identifier: MIT
"""Piglit's shaders without textures, as the back end lowers them, on kernels: what the interpreter
says of the same nir, but for the tolerance of transcendental functions."""

from __future__ import annotations

import numpy as np
import pytest

from pydri.glsl.translate.to_nir import TooComplex, to_nir
from pydri.nir.interp import run
from pydri.nir.ir import AluInstr, IntrinsicInstr, Shader, TexInstr
from pydri.nir.passes import lower_for_backend
from pydri.nir.validate import validate
from tests.unit.glsl import shaders
from tests.unit.glsl.translated import OneStage
from tests.unit.jit.harness import WIDTHS
from tests.unit.pipe_llvm.gallivm.test_lanes import LANES, machine_run

SLOTS = 64
_NOT_HERE = ("load_frag_coord", "load_front_face", "load_point_coord")


def _nir(shader: shaders.Shader) -> tuple[Shader, OneStage] | None:
    """A whole shader that looks at nothing but inputs and uniforms."""
    tree = shader.compiled().shader
    if tree is None or all(f.name != "main" for f in tree.functions):
        return None
    if tree.blocks or any(f.body is None for f in tree.functions):
        return None
    layout = OneStage(tree)
    try:
        nir = to_nir(tree, layout)
    except TooComplex:
        return None
    for instr in nir.main.instrs():
        if isinstance(instr, TexInstr):
            return None
        if isinstance(instr, IntrinsicInstr) and instr.name in _NOT_HERE:
            return None
    return nir, layout


def _is_exact(nir: Shader) -> bool:
    """Whether no operation is one of those that machine code may round otherwise (`ulp`)."""
    return not any(isinstance(i, AluInstr) and i.op.ulp for i in nir.main.instrs())


def _agree(bits: np.ndarray, wanted: np.ndarray, exactly: bool) -> np.ndarray:
    """Lanes that are the same, any NaN for any other; not `exactly`: what a few last bits make."""
    x, y = bits.view(np.float32), wanted.view(np.float32)
    same: np.ndarray = (bits == wanted) | (np.isnan(x) & np.isnan(y))
    if exactly:
        return same
    with np.errstate(all="ignore"):
        return same | (np.abs(x - y) <= 1e-4 * np.maximum(1, np.abs(y)))


def agreeing(found: list[shaders.Shader]) -> tuple[int, int]:
    """How many shaders were run, on one width after the other, and how many of them exactly."""
    count = exact = 0
    for n, shader in enumerate(found):
        made = _nir(shader)
        if made is None:
            continue
        nir, layout = made
        rng = np.random.default_rng(n)
        blocks = {}
        for block in (0, 1):
            size = max(16, layout.offsets.get(block, 0))
            words = rng.integers(0, 4, size // 4).astype(np.int32)
            if n % 2:
                words = (rng.random(size // 4) * 3 - 0.5).astype(np.float32).view(np.int32)
            blocks[block] = words.tobytes()
        inputs = {n: (rng.random((LANES, 4)) * 3 - 1).astype(np.float32) for n in range(SLOTS)}
        lower_for_backend(nir)
        validate(nir, shader.name)
        exactly = _is_exact(nir)
        exact += exactly
        wanted = run(nir, LANES, inputs=inputs, ubos=blocks)
        everywhere = np.ones(LANES, np.bool_)
        slots = list(wanted.outputs)
        out, dropped = machine_run(nir, slots, inputs, blocks, everywhere, WIDTHS[n % len(WIDTHS)])
        for slot in slots:
            good = _agree(out[slot], wanted.outputs[slot], exactly)
            assert good.all(), (shader.name, slot, out[slot][~good], wanted.outputs[slot][~good])
        assert (dropped == wanted.discarded).all(), shader.name
        count += 1
    return count, exact


@pytest.mark.needs("piglit")
def test_sample() -> None:
    count, exact = agreeing(shaders.embedded()[7::120])
    assert count > 40 and exact > 0.7 * count, (count, exact)


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.needs("piglit")
def test_all() -> None:
    count, exact = agreeing(shaders.embedded())
    assert count > 4000 and exact > 0.7 * count
