# SPDX-License-Identifier: MIT
"""Random programs of QIR do as words what they mean; and no word breaks a rule (qpu_validate)."""

import random

import numpy as np
import pytest

from pipe_vc4.emit import QpuCode, vc4_generate_code
from pipe_vc4.emit.schedule import Scheduler
from pipe_vc4.qir.enums import QFile, QUniform
from pipe_vc4.qir.interpreter import LANES, Machine, Written
from pipe_vc4.qir.qir import Vc4Compile
from pipe_vc4.qir.text import qir_dump
from pipe_vc4.qpu.words import qpu_NOP
from pydri.util.registers import NoRegister
from tests.unit.pipe_vc4.emit import random_qir
from tests.unit.pipe_vc4.emit.word_machine import WordMachine


def given(seed: int) -> dict[tuple[QFile, int], np.ndarray]:
    """Varyings, attributes, the tile's colour."""
    rng = np.random.default_rng(seed)
    found = {(file, n): (rng.normal(size=LANES) * 2).astype(np.float32).view(np.uint32)
             for file in (QFile.VARY, QFile.VPM) for n in range(40)}
    found[QFile.TLB_COLOR_WRITE, 0] = rng.integers(0, 1 << 32, LANES, np.uint32)
    return found


def uniform(contents: QUniform, data: int) -> int:
    """Constants are what they say."""
    return data


def fetched(words: list[int], coordinates: dict[QFile, np.ndarray]) -> np.ndarray:
    """A sample: anything that all of its set-up and coordinates go into."""
    mixed = np.full(LANES, sum((n + 1) * word for n, word in enumerate(words)), np.uint32)
    for file, value in sorted(coordinates.items()):
        mixed = mixed * np.uint32(31) + value * np.uint32(int(file))
    return mixed


def by_qir(c: Vc4Compile, seed: int) -> list[Written]:
    """What the program writes, by QIR's meaning."""
    def fetch(coordinates, numbers):
        return fetched([c.uniform_data[number] for number in numbers], coordinates)

    return Machine(c, uniform, given(seed), fetch).run()


def by_words(code: QpuCode, seed: int) -> list[Written]:
    """The same by its words."""
    return WordMachine(code, uniform, given(seed), lambda coordinates, words: fetched(
        words, coordinates)).run()


def same(a: list[Written], b: list[Written]) -> bool:
    """Equal in the lanes that write; the VPM and the tile are separate queues."""
    def queues(found: list[Written]) -> dict[bool, list[Written]]:
        return {vpm: [one for one in found if (one.file == QFile.VPM) == vpm]
                for vpm in (False, True)}

    one, other = queues(a), queues(b)
    return all(
        len(one[vpm]) == len(other[vpm]) and all(
            x.file == y.file and (x.lanes == y.lanes).all()
            and (x.value[x.lanes] == y.value[y.lanes]).all()
            for x, y in zip(one[vpm], other[vpm]))
        for vpm in one)


def check(c: Vc4Compile, seed: int) -> QpuCode | None:
    """The program's words, which do what QIR says; None: too few registers for two threads."""
    listing = qir_dump(c)
    expected = by_qir(c, seed)
    try:
        code = vc4_generate_code(c)
    except NoRegister:
        assert c.fs_threaded, listing
        return None
    assert same(expected, by_words(code, seed)), listing
    return code


@pytest.mark.parametrize("seed", range(30))
def test_straight_programs(seed: int) -> None:
    check(random_qir.straight(random.Random(seed)), seed)


@pytest.mark.parametrize("seed", range(20))
def test_programs_with_branches(seed: int) -> None:
    check(random_qir.branching(random.Random(seed)), seed)


@pytest.mark.parametrize("seed", range(12))
def test_programs_with_loops(seed: int) -> None:
    check(random_qir.looping(random.Random(50 + seed)), seed)


def test_a_missing_word_is_noticed() -> None:
    """The comparison is one that fails: without any one of its words a program does something else
    (clamps that do not clamp, and flags of which all lanes agree, go unnoticed)."""
    c = random_qir.straight(random.Random(3))
    expected = by_qir(c, 0)
    code = vc4_generate_code(c)
    noticed = tried = 0
    for at, word in enumerate(code.words[:-3]):
        if word == qpu_NOP():
            continue
        words = [*code.words[:at], qpu_NOP(), *code.words[at + 1:]]
        tried += 1
        try:
            noticed += not same(expected, by_words(code._replace(words=words), 0))
        except (AssertionError, KeyError, IndexError):
            noticed += 1
    assert noticed > tried * 0.7


def test_pairs_make_programs_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the same list schedule with one operation a word."""
    words = [0, 0]
    for n in range(2):
        for seed in range(3000, 3012):
            words[n] += len(vc4_generate_code(random_qir.straight(random.Random(seed)), 1).words)
        monkeypatch.setattr(Scheduler, "_fellow", lambda *_: None)
    assert words[0] < 0.8 * words[1]
