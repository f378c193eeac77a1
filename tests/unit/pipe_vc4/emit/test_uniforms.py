# SPDX-License-Identifier: MIT
"""Streams of uniforms are short: what is read again is kept, constants come with empty words. That
the words still do what QIR says is test_emit.py's and test_on_simulator.py's matter."""

import random

import pytest

from pipe_vc4.emit import generate, vc4_generate_code
from pipe_vc4.qir.enums import QFile, QStage, QUniform
from pipe_vc4.qir.qir import QReg, Vc4Compile
from tests.unit.pipe_vc4.emit import random_qir
from tests.unit.pipe_vc4.emit.test_emit import check

SCALE = QUniform.UNIFORM, 7


def reader(words: int) -> tuple[Vc4Compile, list[QReg]]:
    """A vertex shader that has read some words."""
    c = Vc4Compile(QStage.VERT)
    c.vattr_sizes[0], c.num_inputs = 4 * words, words
    return c, [c.q.MOV(QReg(QFile.VPM, n)) for n in range(words)]


def stream(c: Vc4Compile) -> list[QUniform]:
    """What its words read."""
    return vc4_generate_code(c).uniform_contents


def test_a_scale_of_a_vector_is_read_once() -> None:
    c, words = reader(8)
    for value in words:
        c.VPM_WRITE(c.q.FMUL(value, c.uniform(*SCALE)))
    # and where the register's port is another operand's
    assert stream(c).count(QUniform.UNIFORM) <= 3


def test_constants_come_in_the_shadow_of_the_special_functions() -> None:
    c, words = reader(1)
    c.VPM_WRITE(c.q.FADD(c.q.FMUL(c.q.RCP(words[0]), c.uniform_f(3.3)), c.uniform_f(5.7)))
    assert not stream(c)


def test_a_move_of_a_constant_gives_way() -> None:
    c, words = reader(1)
    packed = c.q.MOV(c.uniform_ui(0xFF000000))
    total = c.q.FADD(c.q.RCP(words[0]), c.uniform(*SCALE))
    c.VPM_WRITE(c.q.ADD(total, packed))
    assert stream(c) == [QUniform.UNIFORM]


def test_addresses_stay_where_the_kernel_looks() -> None:
    c, _ = reader(1)
    for n in range(3):
        c.to.ADD(QReg(QFile.TEX_S_DIRECT), c.uniform_ui(64 * n), c.uniform(QUniform.UBO1_ADDR))
        c.VPM_WRITE(c.q.TEX_RESULT())
    c.num_texture_samples = 3
    assert stream(c).count(QUniform.UBO1_ADDR) == 3


@pytest.mark.parametrize("make", [random_qir.straight, random_qir.branching, random_qir.looping])
def test_no_word_is_added(make, monkeypatch: pytest.MonkeyPatch) -> None:
    uniforms, words = [0, 0], [0, 0]
    for n in range(2):
        for seed in range(2000, 2010):
            code = check(make(random.Random(seed)), seed)
            if code is not None:
                uniforms[n] += len(code.uniform_contents)
                words[n] += len(code.words)
        for name in ("load_constants", "keep_uniforms"):
            monkeypatch.setattr(generate, name, lambda c, placed, starts: None)
    assert words[0] == words[1] and uniforms[0] < 0.9 * uniforms[1]
