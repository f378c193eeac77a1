# SPDX-License-Identifier: MIT
"""A merged word does what the two did, each at the old values: by the simulated QPU."""

import random

import numpy as np
import pytest

from pipe_vc4.emit.word import Word, merge
from pipe_vc4.qpu import words
from pipe_vc4.qpu.fields import QPU_A, QPU_COND, QPU_M, QPU_MUX, UNARY
from pipe_vc4.qpu.text import disassemble
from pipe_vc4.simulator.memory import Memory
from pipe_vc4.simulator.program import Program, decode
from pipe_vc4.simulator.qpu import LANES, Machine

STATE = np.random.default_rng(9).integers(0, 1 << 32, (70, 2, LANES), dtype=np.uint32)


MEMORY = Memory()
BASE = MEMORY.allocate(64)
MEMORY.store_words(BASE + 4 * np.arange(8), np.arange(8, dtype=np.uint32) + 77, "uniforms")


def machine():
    """A machine with something in every register and flag, and uniforms to read."""
    made = Machine(Program([], 0, BASE), MEMORY, None, 2)
    made.files[0][:], made.files[1][:], made.acc[:] = STATE[:32], STATE[32:64], STATE[64:]
    made.zero[:], made.negative[:], made.carry[:] = (STATE[:3] & 1).astype(bool)
    return made


def everything(made):
    """The state, as one array of bits."""
    return np.concatenate([*made.files, made.acc, made.zero[None], made.negative[None],
                           made.carry[None]])


def random_word(rng, multiplies):
    """One operation of a pipe with what may go with it."""
    def reg(count):
        return rng.choice([words.qpu_ra(rng.randrange(count)), words.qpu_rb(rng.randrange(count)),
                           words.qpu_rn(rng.randrange(4))])

    sources = [reg(3), rng.choice([reg(3), words.qpu_r4(), words.qpu_unif()])]
    rng.shuffle(sources)
    dst = reg(32) if multiplies else reg(31)
    if multiplies:
        op = rng.choice(list(QPU_M)[1:])
        word = words.qpu_m_alu2(op, dst, *sources)
    else:
        op = rng.choice([*list(QPU_A)[1:], QPU_A.OR, QPU_A.OR])
        if op in UNARY or rng.random() < 0.3:
            sources[1] = sources[0]
        word = words.qpu_a_alu2(op, dst, *sources)
    set_cond = words.qpu_set_cond_mul if multiplies else words.qpu_set_cond_add
    word = set_cond(word, rng.choice([QPU_COND.ALWAYS] * 4 + list(QPU_COND)[1:]))
    if rng.random() < 0.2:
        word = words.qpu_set_sf(word)
    # Bits that mean nothing in one word would mean something in two.
    muxes = {source.mux for source in sources}
    kind = rng.random()
    if kind < 0.3 and dst.mux == QPU_MUX.A:
        word = words.qpu_set_pack(word, rng.choice([1, 2, 4, 7, 9]), 0)
    elif kind < 0.3 and multiplies:
        word = words.qpu_set_pack(word, rng.choice([3, 4, 5, 6, 7]), 1)
    elif kind < 0.6 and QPU_MUX.A in muxes and words.qpu_unif() not in sources:
        word = words.qpu_set_unpack(word, rng.randrange(1, 8), 0)
    elif kind < 0.6 and QPU_MUX.R4 in muxes:
        word = words.qpu_set_unpack(word, rng.randrange(1, 8), 1)
    return word


def made_of(rng):
    """Two words, of two pipes or two of the add pipe, whose operands fit."""
    while True:
        try:
            pair = [random_word(rng, False), random_word(rng, rng.random() < 0.7)]
        except ValueError:  # two addresses of one file
            continue
        rng.shuffle(pair)
        return pair


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_merged_word_does_what_both_did():
    rng = random.Random(6)
    merged_count = 0
    before = everything(machine())
    for _ in range(1500):
        one, other = made_of(rng)
        joined = merge(Word(one), Word(other))
        if joined is None:
            continue
        states = []
        for word in (one, other, joined.word):
            made = machine()
            with np.errstate(all="ignore"):
                made.word(decode(word))
            states.append(everything(made))
        first, second, both = states
        if ((first != before) & (second != before)).any():
            continue  # both write one register
        merged_count += 1
        expected = np.where(first != before, first, second)
        told = f"{disassemble(one)} | {disassemble(other)} | {disassemble(joined.word)}"
        assert (both == expected).all(), told
    assert merged_count > 100
