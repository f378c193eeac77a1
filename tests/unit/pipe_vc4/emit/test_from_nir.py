# SPDX-License-Identifier: MIT
"""Random shaders all the way: nir's interpreter and the simulated QPU agree bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from pipe_vc4.emit import vc4_generate_code
from pipe_vc4.ntq.ends import read_slots_of
from pipe_vc4.qir.enums import QFile, QUniform
from pipe_vc4.qir.interpreter import LANES
from pipe_vc4.qir.qir import Vc4Compile
from pipe_vc4.qir.text import qir_dump
from pydri.nir.ir import Shader
from pydri.util.registers import NoRegister
from tests.unit.pipe_vc4.emit import test_on_simulator
from tests.unit.pipe_vc4.ntq.rig import SLOTS, ExactGenerator, agree, by_nir, compiled, data


def by_words(c: Vc4Compile, shader: Shader, seed: int) -> dict[int, np.ndarray]:
    """Outputs by slot: what the words put behind the position, z and 1/w."""
    inputs, block = data(seed)
    words = np.frombuffer(block, np.uint32)
    slots = sorted(read_slots_of(shader))
    rows = [np.ascontiguousarray(inputs[slot][:, k]).view(np.uint32)
            for slot in slots for k in range(4)] or [np.zeros(LANES, np.uint32)]

    def uniform(contents: QUniform, number: int) -> int:
        if contents == QUniform.CONSTANT:
            return number
        known = contents == QUniform.UNIFORM and number < len(words)
        return int(words[number]) if known else 0

    order = [src.index for inst in c.instructions() for src in inst.src if src.file == QFile.VPM]
    given = {(QFile.VPM, n): rows[index] for n, index in enumerate(order)}
    found = test_on_simulator.simulated(vc4_generate_code(c), given, uniform)[3:]
    return {slot: np.stack([one.value for one in found[4 * n : 4 * n + 4]])
            for n, slot in enumerate(SLOTS)}


@pytest.mark.parametrize("seed", range(10))
def test_words_mean_what_nir_meant(seed: int) -> None:
    expected = by_nir(ExactGenerator(seed).make(), seed)
    shader = ExactGenerator(seed).make()
    c = compiled(shader)
    listing = qir_dump(c)
    try:
        found = by_words(c, shader, seed)
    except NoRegister:
        pytest.skip("more values than registers: a clear error")
    assert agree(expected, found), listing
