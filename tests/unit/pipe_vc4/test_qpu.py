# SPDX-License-Identifier: MIT
"""QPU words: the fields, the constructors, the text's round trip, the rules."""

import itertools
import random
import re

import pytest

from pipe_vc4.qpu import fields, words
from pipe_vc4.qpu.fields import (
    QPU_A,
    QPU_COND,
    QPU_COND_BRANCH,
    QPU_GET_FIELD,
    QPU_IMM,
    QPU_M,
    QPU_SET_FIELD,
    QPU_SIG,
    QPU_SIG_,
    QPU_UPDATE_FIELD,
    QPU_W,
)
from pipe_vc4.qpu.text import assemble, disassemble
from pipe_vc4.qpu.validate import QpuError, qpu_rules, qpu_validate
from tests.unit.pipe_vc4.shared import job_files, programs


@pytest.mark.parametrize("kind", [
    fields.ALU_FIELDS, fields.LOAD_IMM_FIELDS, fields.SEMAPHORE_FIELDS])
def test_fields_share_out_the_word(kind):
    assert sum(field.mask for field in kind) == (1 << 64) - 1
    for one, other in itertools.combinations(kind, 2):
        assert not one.mask & other.mask


def test_a_branch_has_no_bits_twice():
    for one, other in itertools.combinations(fields.BRANCH_FIELDS, 2):
        assert not one.mask & other.mask
    assert sum(field.mask for field in fields.BRANCH_FIELDS) == (1 << 64) - 1


def test_a_value_too_big_for_its_field():
    with pytest.raises(ValueError, match="sig"):
        QPU_SET_FIELD(16, QPU_SIG)
    word = QPU_UPDATE_FIELD((1 << 64) - 1, 5, QPU_SIG)
    assert QPU_GET_FIELD(word, QPU_SIG) == 5 and word | QPU_SIG.mask == (1 << 64) - 1


# Words worked out by hand from the guide's tables of fields.
@pytest.mark.parametrize("word,line", [
    (0x100009E7009E7000, "nop"),
    (0x300009E7009E7000, "nop ; thrend"),
    (0x1002082702427C40, "fsub r0, ra16, r1"),
    (0xD00049E1809F3000, "nop ; mov r1, r0 >> 3"),
    (0xAD0149C7208E7026, "nop ; fmul.nc rb7, r4.8c, vary ; ldtmu0"),
    (0x10B200671E0A7CC0, "v8adds ra1.s8888, ra2, r3 {waddr_mul=39}"),
    (0xE0020827DEADBEEF, "ldi r0, 0xdeadbeef {cond_mul=0}"),
    (0xE20250E700010003, "ldi.i2 rb3, 0x00010003"),
    (0xE80249E700000013, "sema.down 3"),
    (0xF02809E7FFFFFFD8, "bra.any_zs rel -40"),
    (0xF0F4A9E700000010, "bra.always ra5 16"),
])
def test_known_words(word, line):
    assert assemble(line) == word
    assert assemble(disassemble(word)) == word
    if "{" not in line:
        assert disassemble(word) == line


def test_every_word_comes_back_from_its_text():
    chance = random.Random(4)
    for _ in range(1500):
        word = chance.getrandbits(64)
        assert assemble(disassemble(word)) == word
    for sig in QPU_SIG_:
        for field in fields.fields_of(QPU_SET_FIELD(sig, QPU_SIG)):
            word = QPU_UPDATE_FIELD(words.qpu_NOP(), sig, QPU_SIG)
            for bit in range(field.shift, field.mask.bit_length()):
                assert assemble(disassemble(word ^ 1 << bit)) == word ^ 1 << bit


if job_files():
    def test_every_word_of_mesa_comes_back_and_keeps_the_rules():
        for where, fragment, program in programs():
            assert qpu_rules(program, fragment=fragment) == [], where
        for word in {word for _, _, program in programs() for word in program}:
            assert assemble(disassemble(word)) == word


@pytest.mark.parametrize("line,why", [
    ("fadd r0, rb5, 0.5", "one raddr_b|one sig"),
    ("fadd r0, ra5, ra6", "one raddr_a"),
    ("fadd ra0, r0, r0 ; fmul ra1, r0, r0", "one ws"),
    ("fadd r0, r1, 0.3", "no small immediate"),
    ("fadd r4, r1, r0", "no register r4 can be written"),
    ("fadd r0, r9, r0", "no register r9 can be read"),
    ("fmul r0, r1, r1", "no operation fmul"),
    ("fadd r0, r1, 1 ; ldtmu0", "one sig"),
])
def test_what_no_word_can_hold(line, why):
    with pytest.raises(ValueError, match=why):
        assemble(line)


def test_constructors_name_every_operation():
    a, b, c = words.qpu_r0(), words.qpu_ra(3), words.qpu_rb(4)
    for op in set(QPU_A) - {QPU_A.NOP}:
        make = getattr(words, f"qpu_a_{op.name}")
        word = make(a, b) if op in fields.UNARY else make(a, b, c)
        name = op.name.lower()
        assert disassemble(word) == f"{name} r0, ra3" + ("" if op in fields.UNARY else ", rb4")
    for op in set(QPU_M) - {QPU_M.NOP}:
        word = getattr(words, f"qpu_m_{op.name}")(a, b, c)
        assert disassemble(word) == f"nop ; {op.name.lower()} r0, ra3, rb4"
    assert disassemble(words.qpu_m_MOV(c, b)) == "nop ; mov rb4, ra3"
    assert disassemble(words.qpu_a_MOV(words.qpu_vwsetup(), b)) == "mov vpm_wr_setup, ra3"
    assert disassemble(words.qpu_m_rot(a, words.qpu_r2(), 0)) == "nop ; mov r0, r2 >> r5"
    assert disassemble(words.qpu_load_imm_f(b, 1.0)) == "ldi ra3, 0x3f800000"
    assert disassemble(words.qpu_semaphore(7, down=False)) == "sema.up 7"
    assert disassemble(words.qpu_branch(QPU_COND_BRANCH.ANY_ZC, -8)) == "bra.any_zc rel -8"
    with pytest.raises(ValueError, match="two addresses"):
        words.qpu_a_FADD(a, b, words.qpu_ra(5))
    with pytest.raises(ValueError, match="r4"):
        words.qpu_a_MOV(words.qpu_r4(), a)


def test_setters():
    word = words.qpu_a_MOV(words.qpu_ra(1), words.qpu_r4())
    word = words.qpu_set_cond_add(words.qpu_set_sf(word), QPU_COND.ZC)
    assert disassemble(words.qpu_set_pack(word, 1, 0)) == "mov.zc.sf ra1.16a, r4"
    assert disassemble(words.qpu_set_unpack(word, 5, 1)) == "mov.zc.sf ra1, r4.8b"
    assert disassemble(words.qpu_set_sig(word, QPU_SIG_.LOAD_TMU1)).endswith("; ldtmu1")
    with pytest.raises(ValueError, match="LOAD_TMU1"):
        words.qpu_set_sig(words.qpu_set_sig(word, QPU_SIG_.LOAD_TMU1), QPU_SIG_.PROG_END)
    assert words.qpu_cond_complement(QPU_COND.NS) == QPU_COND.NC


def test_small_immediates_round_trip():
    for code in range(fields.QPU_SMALL_IMM_MUL_ROT):
        value = fields.small_immediate(code)
        line = f"add r0, r1, {value!r}"
        assert disassemble(assemble(line)) == line
    assert words.qpu_encode_small_immediate(16) is None
    assert words.qpu_encode_small_immediate(0xFFFFFFF0) == 16


END = ["nop ; thrend", "nop", "nop"]


@pytest.mark.parametrize("lines,why", [
    (["mov ra1, r0", "mov r0, ra1", *END], "right after it was written"),
    (["mov sfu_recip, r0", "nop", "mov r0, r4", *END], "r4 is read within two"),
    (["mov sfu_recip, r0", "nop ; ldtmu0", *END], "r4 is written within two"),
    (["mov sfu_recip, r0 ; fmul tmu0_s, r0, r0", *END], "more than one access"),
    (["mov r1, r0", "nop ; mov r2, r1 >> 3", *END], "rotation of what the word before"),
    (["mov r5rep, r0", "nop ; mov r2, r1 >> r5", *END], "rotation by r5 right after"),
    (["nop ; mov r2, r4 >> 3", *END], "r0 to r3 only"),
    (["nop", "nop", "mov tlb_z, r0", "mov r0, ms_mask", *END], "multisample mask"),
    (["mov unif_addr, r0", "nop", "mov r0, unif", *END], "its address was written"),
    (["mov tmu_noswap, r0", "nop", "mov tmu0_s, r0", *END], "TMU_NOSWAP"),
    (["mov tmu0_t, r0", "mov tmu0_s, unif", *END], "takes a uniform of its own"),
    (["mov ra1, r0 ; thrend", "nop", "nop"], "end's word writes"),
    (["nop ; thrend", "mov r0, unif", "nop"], "last three words"),
    (["nop ; thrend", "nop", "mov vpm, r0"], "last three words"),
    (["nop ; thrend", "mov rb14, r0", "nop"], "address 14"),
    (["nop", "nop", "nop ; thrend", "nop", "mov tlb_z, r0"], "last word writes Z"),
    (["nop ; thrend", "nop"], "delay slots are missing"),
    (["nop", "nop"], "has no end"),
    (["nop", "mov tlb_color, r0", *END], "scoreboard in the first two"),
    (["nop ; thrsw", *END], "no last one"),
    (["nop ; lthrsw", "mov ra16, r0", *END], "from 16 up"),
    (["nop", "nop", "nop ; sbwait", "nop ; lthrsw", *END], "scoreboard is locked"),
    (["bra.always rel 8", "nop", *END], "in a branch's delay slots"),
])
def test_rules(lines, why):
    program = [assemble(line) for line in lines]
    offences = [what for _, what in qpu_rules(program, fragment=True)]
    assert any(re.search(why, what) for what in offences), offences
    with pytest.raises(QpuError, match="^word [0-9]+, "):
        qpu_validate(program, fragment=True)


def test_a_read_of_memory_takes_no_uniform():
    program = [assemble(line) for line in ["add tmu0_s, r0, unif", "nop ; ldtmu0", *END]]
    qpu_validate(program, fragment=False)


def test_load_imm_keeps_its_value():
    assert QPU_GET_FIELD(words.qpu_load_imm_u2(words.qpu_ra(QPU_W.NOP), 0x8001), QPU_IMM) == 0x8001
