# SPDX-License-Identifier: MIT
"""Texture samples: what the TMU is asked for."""

from __future__ import annotations

import numpy as np
import pytest

from pipe_vc4.ntq.alu import NtqError
from pipe_vc4.ntq.keys import Vc4FsKey, Vc4TexKey
from pipe_vc4.ntq.lower import vc4_shader_ntq
from pipe_vc4.qir.interpreter import LANES, Machine
from pipe_vc4.qir.qir import QFile, QStage, QUniform, float_bits
from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_COLOR
from pydri.nir.ir import Shader

SIZES = {QUniform.TEXTURE_WIDTH: 16.0, QUniform.TEXTURE_HEIGHT: 64.0}


def gradients(dim: str) -> Shader:
    """A sample whose derivatives are given: (1/4, 0) and (0, 1/8) of the texture."""
    b = Builder(Shader("fragment"))
    count = {"1D": 1, "Cube": 3}.get(dim, 2)
    numbers = {"coord": (0.5,) * count, "ddx": (0.25, 0.0, 0.0)[:count],
               "ddy": (0.0, 0.125, 0.0)[:count]}  # fmt: skip
    sources = {name: b.imm_float(*values) for name, values in numbers.items()}
    b.store_output(b.tex("txd", sources, sampler_dim=dim), FRAG_RESULT_COLOR)
    return b.shader


@pytest.mark.parametrize(("dim", "level"), [("2D", 3.0), ("1D", 2.0), ("Rect", -2.0)])
def test_gradients_are_a_level(dim: str, level: float) -> None:
    c = vc4_shader_ntq(gradients(dim), QStage.FRAG, Vc4FsKey(tex=(Vc4TexKey(),)))
    asked = {}

    def fetch(coordinates, numbers):
        asked.update(coordinates)
        p2 = [n for n in numbers if c.uniform_contents[n] == QUniform.TEXTURE_CONFIG_P2]
        assert [c.uniform_data[n] >> 16 for n in p2] == [1]  # b is a level, not a bias
        return np.zeros(LANES, np.uint32)

    def uniform(contents: QUniform, data: int) -> int:
        if contents == QUniform.CONSTANT:
            return data
        return float_bits(SIZES.get(contents, 1.0))

    Machine(c, uniform, {}, fetch).run()
    found = asked[QFile.TEX_B].view(np.float32)
    assert found == pytest.approx(np.full(LANES, level))


def test_cubes_have_no_gradients() -> None:
    with pytest.raises(NtqError, match="txd"):
        vc4_shader_ntq(gradients("Cube"), QStage.FRAG, Vc4FsKey(tex=(Vc4TexKey(),)))
