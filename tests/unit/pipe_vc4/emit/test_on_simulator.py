# SPDX-License-Identifier: MIT
"""The same random programs on the simulated QPU (pipe_vc4/simulator/qpu.py), which has its own
arithmetic; without the SFU, whose bits are nobody's."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from pipe_vc4.emit import QpuCode, vc4_generate_code
from pipe_vc4.qir.enums import QFile, QStage, QUniform
from pipe_vc4.qir.interpreter import LANES, Written
from pipe_vc4.qir.qir import Vc4Compile, float_bits
from pipe_vc4.qir.text import qir_dump
from pipe_vc4.qpu.fields import QPU_R, QPU_W
from pipe_vc4.simulator.memory import Memory
from pipe_vc4.simulator.program import UNIFORMS_BASE, Program, code_of
from pipe_vc4.simulator.qpu import Machine, run
from tests.unit.pipe_vc4.emit import random_qir
from tests.unit.pipe_vc4.emit.test_emit import by_qir, given, same, uniform

Given = dict[tuple[QFile, int], np.ndarray]
_OUT = {QPU_W.TLB_COLOR_ALL: QFile.TLB_COLOR_WRITE, QPU_W.TLB_Z: QFile.TLB_Z_WRITE,
        QPU_W.VPM: QFile.VPM}  # fmt: skip


class Around:
    """What stands around the QPU: varyings and the words of a vertex come, results go."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.next = {QFile.VARY: 0, QFile.VPM: 0}
        self.written: list[Written] = []

    def select(self, groups: np.ndarray) -> Around:
        """There is one group."""
        return self

    def read(self, file: int, address: int) -> np.ndarray:
        """The next of a queue, or which fragments are of back faces."""
        if address == QPU_R.MS_REV_FLAGS:
            assert file == 1
            return self.given[QFile.FRAG_REV_FLAG, 0][None]
        stream = {QPU_R.VARY: QFile.VARY, QPU_R.VPM: QFile.VPM}[QPU_R(address)]
        self.next[stream] += 1
        return self.given[stream, self.next[stream] - 1][None]

    def constant(self) -> np.ndarray:
        """Varyings are whole: nothing is added, and -0 keeps a -0."""
        return np.full((1, 1), 0x80000000, np.uint32)

    def write(self, file: int, address: int, value: np.ndarray, mask: np.ndarray | None) -> None:
        """A result; set-up of the VPM is not looked at."""
        if address != QPU_W.VPMVCD_SETUP:
            lanes = np.ones(LANES, bool) if mask is None else mask[0]
            self.written.append(Written(_OUT[QPU_W(address)], value[0].copy(), lanes))

    def load_color(self) -> np.ndarray:
        """The tile's colour."""
        return self.given[QFile.TLB_COLOR_WRITE, 0][None]


def simulated(code: QpuCode, given: Given, uniform: Callable[[QUniform, int], int],
              tables: Sequence[int] = ()) -> list[Written]:
    """What the words write. `tables`: constants that they read from memory."""
    memory = Memory()
    known = memory.allocate(4 * len(tables) + 4)
    memory.bytes[known:known + 4 * len(tables)] = np.array(tables, np.uint32).view(np.uint8)
    at = memory.allocate(4 * len(code.uniform_data) + 4)
    values = [UNIFORMS_BASE if contents == QUniform.UNIFORMS_ADDRESS else
              data if contents == QUniform.TABLES_ADDR else uniform(contents, data)
              for contents, data in zip(code.uniform_contents, code.uniform_data)]
    buffers = [known] * code.uniform_contents.count(QUniform.TABLES_ADDR)
    checked = code_of(struct.pack(f"<{len(code.words)}Q", *code.words), False)
    placed = checked.relocated(np.array(values, np.int64), buffers, at)
    memory.bytes[at:at + 4 * len(values)] = placed.view(np.uint8)
    around = Around(given)
    program = Program(checked.instructions, 0, at)
    machine = Machine(program, memory, around, 1)
    machine.files[0][15] = float_bits(1.0)
    run(machine)
    return around.written


def check(c: Vc4Compile, seed: int) -> None:
    """The words do there what QIR says."""
    listing = qir_dump(c)
    expected = by_qir(c, seed)
    assert same(expected, simulated(vc4_generate_code(c), given(seed), uniform)), listing


@pytest.mark.parametrize("seed", range(16))
def test_straight_programs(seed: int) -> None:
    check(random_qir.straight(random.Random(1000 + seed), sfu=False, textures=False), seed)


@pytest.mark.parametrize("seed", range(16))
def test_programs_with_branches(seed: int) -> None:
    c = random_qir.branching(random.Random(1000 + seed), sfu=False)
    assert c.stage == QStage.FRAG
    check(c, seed)


@pytest.mark.parametrize("seed", range(12))
def test_programs_with_loops(seed: int) -> None:
    check(random_qir.looping(random.Random(seed), sfu=False), seed)
