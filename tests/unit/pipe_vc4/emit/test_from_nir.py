# SPDX-License-Identifier: MIT
"""Random shaders all the way: nir's interpreter and the simulated QPU agree bit for bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pipe_vc4.emit import QpuCode, vc4_generate_code
from pipe_vc4.emit.generate import TRIES
from pipe_vc4.ntq.ends import read_slots_of
from pipe_vc4.qir.enums import QFile, QUniform
from pipe_vc4.qir.interpreter import LANES
from pipe_vc4.qir.qir import Vc4Compile
from pipe_vc4.qir.text import qir_dump
from pydri.nir import types
from pydri.nir.builder import Builder
from pydri.nir.ir import Deref, Shader
from pydri.util.registers import NoRegister
from tests import host
from tests.unit.pipe_vc4.emit import test_on_simulator
from tests.unit.pipe_vc4.ntq import rig
from tests.unit.pipe_vc4.ntq.rig import (
    SLOTS,
    ExactGenerator,
    agree,
    by_nir,
    by_qir,
    compiled,
    data,
    fragments,
)


def generated(c: Vc4Compile, tries: int) -> QpuCode | None:
    """The words, the best of so many tries; None: there are too few registers."""
    try:
        return vc4_generate_code(c, tries)
    except NoRegister:
        return None


def by_words(c: Vc4Compile, shader: Shader, seed: int, tries: int = len(TRIES)
             ) -> dict[int, np.ndarray] | None:  # fmt: skip
    """Outputs by slot: what the words put behind the position, z and 1/w; None: as above."""
    inputs, block = data(seed)
    words = np.frombuffer(block, np.uint32)
    slots = sorted(read_slots_of(shader))
    rows = [np.ascontiguousarray(inputs[slot][:, k]).view(np.uint32)
            for slot in slots for k in range(4)] or [np.zeros(LANES, np.uint32)]

    def uniform(contents: QUniform, number: int) -> int:
        if contents in (QUniform.CONSTANT, QUniform.TABLES_LAST):
            return number
        known = contents == QUniform.UNIFORM and number < len(words)
        return int(words[number]) if known else 0

    order = [src.index for inst in c.instructions() for src in inst.src if src.file == QFile.VPM]
    given = {(QFile.VPM, n): rows[index] for n, index in enumerate(order)}
    code = generated(c, tries)
    if code is None:
        return None
    found = test_on_simulator.simulated(code, given, uniform, c.tables)[3:]
    return {slot: np.stack([one.value for one in found[4 * n : 4 * n + 4]])
            for n, slot in enumerate(SLOTS)}


def vertices_agree(seed: int, times: int = 1, tries: int = len(TRIES)) -> bool:
    """nir, QIR and words (the best of `tries`) of a random vertex shader; False: it has more values
    than registers."""
    expected = by_nir(ExactGenerator(seed, times).make(), seed)
    shader = ExactGenerator(seed, times).make()
    c = compiled(shader)
    listing = qir_dump(c)
    assert agree(expected, by_qir(c, shader, seed)), listing
    found = by_words(c, shader, seed, tries)
    assert found is None or agree(expected, found), listing
    return found is not None


def fragments_agree(seed: int, times: int = 1, tries: int = len(TRIES)) -> bool:
    """The same of a random fragment shader."""
    made = fragments(seed, times)
    listing = qir_dump(made.c)
    assert rig.fragments_agree(made), listing
    varyings = [src.index for inst in made.c.instructions() for src in inst.src
                if src.file == QFile.VARY]  # fmt: skip
    given = {(QFile.VARY, n): made.reads[QFile.VARY, index] for n, index in enumerate(varyings)}
    given[QFile.FRAG_REV_FLAG, 0] = made.reads[QFile.FRAG_REV_FLAG, 0]
    code = generated(made.c, tries)
    if code is None:
        return False
    assert made.agrees(test_on_simulator.simulated(code, given, made.uniform)), listing
    return True


def table_shader() -> Shader:
    """An element of each of two tables by indices that differ from lane to lane."""
    b = Builder(Shader("vertex"))
    index = b.f2i(b.fabs(b.load_input(0, 4)))
    total = b.imm_float(0.5, 0.25, 0.0, 1.0)
    for number, type_ in enumerate((types.array(types.VEC3, 40), types.array(types.INT, 300))):
        table = b.local(f"table{number}", type_)
        for n in range(type_.length):
            known = b.imm_float(n, n * 2.5, -n) if number == 0 else b.imm_int(n * n - 7)
            b.store_var(Deref(table, (n,)), known)
        found = b.load_var(Deref(table, (index.y if number else index.x,)))
        found = b.vec(found, found, found, found) if number else b.vec(found.x, found.y, found.z, 1)
        total = b.fadd(total, b.i2f(found) if number else found)
    b.store_output(total, SLOTS[0])
    return b.shader


def test_tables_are_read_from_memory() -> None:
    shader = table_shader()
    c = compiled(shader)
    assert len(c.tables) == 40 * 3 + 300
    expected, found = by_nir(table_shader(), 3), by_words(c, shader, 3)
    assert found is not None and agree(expected, found)
    assert len(np.unique(expected[SLOTS[0]][1])) > 4


@pytest.mark.parametrize("agree", [vertices_agree, fragments_agree])
def test_words_mean_what_nir_meant(agree: Callable[[int], bool]) -> None:
    assert sum(agree(seed) for seed in host.seeds(range(10), 4)) >= 9


@pytest.mark.long
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("agree", [vertices_agree, fragments_agree])
def test_a_thousand_shaders(agree: Callable[[int], bool]) -> None:
    seeds = host.seeds(range(1000, 2000), 50)
    assert sum(agree(seed) for seed in seeds) > 0.95 * len(seeds)
