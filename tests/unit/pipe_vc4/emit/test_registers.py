# SPDX-License-Identifier: MIT
"""The QPU's registers: classes, live intervals, R4's rules, two threads, values made again."""

import random

import pytest

from pipe_vc4.emit import vc4_generate_code
from pipe_vc4.qir.enums import BranchCond, Cond, QFile, QStage, QUniform
from pipe_vc4.qir.qir import QReg, VaryingSlot, Vc4Compile
from pipe_vc4.registers import (
    NOP_REG,
    R4_INDEX,
    RESERVED,
    VC4_REGS,
    qir_calculate_live_intervals,
    vc4_alloc_reg_set,
    vc4_register_allocate,
)
from pydri.util.registers import NoRegister, bits
from tests.unit.pipe_vc4.emit import random_qir
from tests.unit.pipe_vc4.emit.test_emit import by_qir, by_words, same


def test_classes_are_the_seeds() -> None:
    found = vc4_alloc_reg_set()

    def text(regs_class) -> set[str]:
        return {f"{file}{number}" for file, number in
                (VC4_REGS[reg] for reg in bits(regs_class.regs))}

    for threaded, last in ((0, 32), (1, 16)):
        a, b = ({f"{file}{n}" for n in range(last) if n != RESERVED} for file in "AB")
        acc = {"R0", "R1", "R2", "R3"}
        assert text(found.reg_class_any[threaded]) == a | b | acc | {"R4"}
        assert text(found.reg_class_a_or_b[threaded]) == a | b
        assert text(found.reg_class_a_or_b_or_acc[threaded]) == a | b | acc
        assert text(found.reg_class_r4_or_a[threaded]) == a | {"R4"}
        assert text(found.reg_class_a[threaded]) == a
        assert text(found.reg_class_r0_r3[threaded]) == acc
    assert found.reg_class_any[0].p == 67
    assert found.reg_class_a[1].q[found.reg_class_r4_or_a[0].index] == 1
    assert found.reg_class_a[1].q[found.reg_class_r0_r3[0].index] == 0


@pytest.mark.parametrize("seed", range(20))
def test_no_two_values_share_a_register(seed: int) -> None:
    """By the intervals' own meaning, checked at each instruction."""
    c = random_qir.straight(random.Random(100 + seed))
    live = qir_calculate_live_intervals(c)
    try:
        regs = vc4_register_allocate(c, live, turn=seed % 3)
    except NoRegister:
        assert c.fs_threaded
        return
    for ip, inst in enumerate(c.instructions()):
        alive = [t for t in range(c.num_temps)
                 if live.temp_start[t] < ip < live.temp_end[t] and regs[t] != NOP_REG]
        assert len({regs[t] for t in alive}) == len(alive)
        if inst.name == "THRSW":
            assert not any(VC4_REGS[regs[t]][0] == "R" for t in alive)
        if inst.writes_r4:
            assert R4_INDEX not in {regs[t] for t in alive}
        elif inst.dst.file == QFile.TEMP:
            assert regs[inst.dst.index] != R4_INDEX
        if inst.dst.file == QFile.TEMP and inst.dst.pack and not inst.is_mul:
            assert VC4_REGS[regs[inst.dst.index]][0] == "A"
        for src in inst.src:
            if src.file == QFile.TEMP and src.pack:
                file, number = VC4_REGS[regs[src.index]]
                assert file == "A" or inst.is_float_input and (file, number) == ("R", 4)


def test_interval_of_a_value_kept_around_a_loop() -> None:
    """What is read at a loop's begin and written at its end lives in all of it; what is written
    whole before it is read lives from there."""
    c = Vc4Compile(QStage.FRAG)
    kept = c.q.MOV(c.uniform_ui(1))
    loop, after = c.new_block(), c.new_block()
    c.link_blocks(c.cur_block, loop)
    c.set_emit_block(loop)
    made = c.q.ADD(kept, kept)
    c.to.MOV(kept, made).sf = True
    c.BRANCH(BranchCond.ANY_ZC)
    c.link_blocks(loop, loop)
    c.link_blocks(loop, after)
    c.set_emit_block(after)
    c.to.MOV(QReg(QFile.TLB_COLOR_WRITE), made)
    live = qir_calculate_live_intervals(c)
    assert (live.temp_start[kept.index], live.temp_end[kept.index]) == (0, 4)
    assert (live.temp_start[made.index], live.temp_end[made.index]) == (1, 4)
    assert live.max_pressure == 2


def test_a_write_of_some_lanes_keeps_the_value_alive() -> None:
    c = Vc4Compile(QStage.FRAG)
    value = c.q.MOV(c.uniform_ui(1))
    c.to.MOV(value, c.uniform_ui(2)).cond = Cond.ZS
    c.to.MOV(value, c.uniform_ui(3))
    c.to.MOV(QReg(QFile.TLB_COLOR_WRITE), value)
    live = qir_calculate_live_intervals(c)
    assert (live.temp_start[value.index], live.temp_end[value.index]) == (0, 3)


def test_result_in_r4_is_read_there() -> None:
    """The result of the SFU is not moved when all that reads it comes before R4's next writer."""
    c = Vc4Compile(QStage.VERT)
    c.num_inputs = 1
    first = c.q.RCP(c.q.MOV(QReg(QFile.VPM, 0)))
    second = c.q.RCP(first)
    c.VPM_WRITE(first)
    c.VPM_WRITE(second)
    regs = vc4_register_allocate(c)
    assert regs[second.index] == R4_INDEX != regs[first.index]


def pressed(values: int, texture: bool) -> Vc4Compile:
    """So many products of a varying that live at once; with a sample, for two threads."""
    c = Vc4Compile(QStage.FRAG)
    c.fs_threaded = texture
    c.input_slots = [VaryingSlot(0, 0)]
    base = c.q.VARY_ADD_C(c.q.FMUL(QReg(QFile.VARY, 0), c.payload("FRAG_W")))
    made = [c.q.FMUL(base, c.uniform(QUniform.UNIFORM, 0x3F800000 + n)) for n in range(values)]
    if texture:
        word = c.uniform(QUniform.TEXTURE_CONFIG_P0, 0)
        c.to.MOV(QReg(QFile.TEX_S), base, word)
        c.to.THRSW(QReg(QFile.NULL))
        made.append(c.q.TEX_RESULT())
    total = c.q.FADD(made[0], made[-1])
    for one, other in zip(made, made[::-1]):
        total = c.q.FADD(total, c.q.FMAX(one, other))
    for value in made:  # a second time, so that no order helps
        total = c.q.FMIN(c.q.FADD(total, value), c.uniform_f(100.0))
    c.to.MOV(QReg(QFile.TLB_COLOR_WRITE), total)
    return c


def test_two_threads_have_half_the_registers() -> None:
    """Then the caller compiles for one thread."""
    with pytest.raises(NoRegister):
        vc4_generate_code(pressed(36, texture=True))
    again = pressed(36, texture=True)
    again.fs_threaded = False
    for block in again.blocks:
        block.instructions[:] = [i for i in block.instructions if i.name != "THRSW"]
    assert vc4_generate_code(again).threads == 1


def test_values_without_a_register_are_made_again() -> None:
    """More values that live at once than there are registers."""
    c = pressed(72, texture=False)
    assert qir_calculate_live_intervals(c).max_pressure > 67
    expected = by_qir(c, 5)
    code = vc4_generate_code(c)
    assert code.max_temps <= 67
    assert same(expected, by_words(code, 5))


def test_what_cannot_be_made_again_is_an_error() -> None:
    c = Vc4Compile(QStage.VERT)
    c.num_inputs = 80
    inputs = [c.q.MOV(QReg(QFile.VPM, n)) for n in range(80)]
    for value in inputs[::-1]:
        c.VPM_WRITE(value)
    with pytest.raises(NoRegister):
        vc4_generate_code(c)
