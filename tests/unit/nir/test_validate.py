# SPDX-License-Identifier: MIT
"""The validator finds each kind of fault, and its message shows pass, instruction and listing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pydri.nir import Builder, Shader, types
from pydri.nir.ir import (
    AluInstr,
    Block,
    Deref,
    IntrinsicInstr,
    JumpInstr,
    LoadConst,
    PhiInstr,
    SSADef,
    Variable,
)
from pydri.nir.parser import ParseError, parse_shader
from pydri.nir.passes import run_pass
from pydri.nir.validate import ValidationError, validate
from pydri.util.options import options


class Bench:
    """A small valid shader and handles to its parts."""

    def __init__(self) -> None:
        self.b = b = Builder(Shader("fragment"))
        self.x = b.load_input(1, 4)
        self.sum = b.fadd(self.x, self.x)
        self.cond = b.flt(self.x[0], 1.0)
        with b.If(self.cond):
            self.inner = b.fneg(self.x)
        with b.Else():
            self.other = b.fabs(self.x)
        self.phi = b.if_phi(self.inner, self.other)
        b.store_output(self.phi, 4)
        effects = [i for i in b.function.instrs() if i.dest is None]
        assert isinstance(effects[0], IntrinsicInstr)
        self.store = effects[0]

    def alu(self, value: SSADef) -> AluInstr:
        assert isinstance(value.instr, AluInstr)
        return value.instr


def use_before_definition(t: Bench) -> None:
    t.alu(t.sum).srcs[0].ssa = t.cond
    t.alu(t.sum).srcs[0].swizzle = (0, 0, 0, 0)


def other_side(t: Bench) -> None:
    t.alu(t.other).srcs[0].ssa = t.inner


def swizzle(t: Bench) -> None:
    t.alu(t.cond).srcs[1].swizzle = (2,)


def width(t: Bench) -> None:
    t.alu(t.sum).dest.num_components = 3


def bool_source(t: Bench) -> None:
    t.alu(t.sum).srcs[0].ssa = t.cond
    t.alu(t.sum).srcs[0].swizzle = (0, 0, 0, 0)


def phi_blocks(t: Bench) -> None:
    assert isinstance(t.phi.instr, PhiInstr)
    t.phi.instr.srcs.pop()


def phi_first(t: Bench) -> None:
    block = t.phi.instr.block
    assert block is not None
    block.insert(0, LoadConst((1,)))


def condition(t: Bench) -> None:
    node = next(n for n in t.b.function.nodes() if hasattr(n, "condition"))
    node.condition = t.x  # type: ignore[attr-defined]


def removed(t: Bench) -> None:
    t.sum.instr.remove()
    t.store.srcs = [t.sum]


def mask(t: Bench) -> None:
    t.store.indices["wrmask"] = 16


def indices(t: Bench) -> None:
    del t.store.indices["component"]


def undeclared(t: Bench) -> None:
    t.b.load_var(Variable("ghost", types.VEC4, "local"))


def variable_type(t: Bench) -> None:
    var = t.b.local("v", types.VEC4)
    load = t.b.load_var(var)
    assert isinstance(load.instr, IntrinsicInstr)
    load.instr.variables = [Deref(var)[0]]


def twice(t: Bench) -> None:
    t.sum.index = t.x.index


def jump_not_last(t: Bench) -> None:
    t.b.Return()
    t.b.block.instrs.append(t.store)


def break_outside(t: Bench) -> None:
    t.b.insert(JumpInstr("break"))


def blocks_in_a_row(t: Bench) -> None:
    t.b.function.body.append(Block(t.b.function))


def saturate(t: Bench) -> None:
    t.alu(t.cond).saturate = True


FAULTS: list[tuple[Callable[[Bench], None], str]] = [
    (use_before_definition, "used before its definition"),
    (other_side, "not defined on every way"),
    (swizzle, "the swizzle leaves"),
    (width, "the swizzle must have 3 letters"),
    (bool_source, "a float source must have 32 bits"),
    (phi_blocks, "the blocks are not the predecessors"),
    (phi_first, "phis must come first"),
    (condition, "the condition must be one 1-bit component"),
    (removed, "is not defined in this function"),
    (mask, "the write mask does not fit"),
    (indices, "indices are"),
    (undeclared, "variable ghost is not declared"),
    (variable_type, "the variable is a float"),
    (twice, "the SSA number is used twice"),
    (jump_not_last, "a jump must come last"),
    (break_outside, "not inside a loop"),
    (blocks_in_a_row, "blocks and other nodes must alternate"),
    (saturate, "only floats saturate"),
]


def test_the_bench_is_valid() -> None:
    validate(Bench().b.shader)


@pytest.mark.parametrize("fault,message", FAULTS, ids=[f.__name__ for f, _ in FAULTS])
def test_fault_is_found(fault: Callable[[Bench], None], message: str) -> None:
    bench = Bench()
    fault(bench)
    with pytest.raises(ValidationError, match=message) as info:
        validate(bench.b.shader, "opt_example")
    text = str(info.value)
    assert "after opt_example" in text and "impl main {" in text and "\terror: " in text


def test_passes_are_validated_on_request() -> None:
    bench = Bench()
    mask(bench)
    run_pass(bench.b.shader, "opt_dce")
    with options(NIR_VALIDATE="1"), pytest.raises(ValidationError, match="after opt_dce"):
        run_pass(bench.b.shader, "opt_dce")


def test_passes_print_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    bench = Bench()
    with options(NIR_DEBUG="print"):
        run_pass(bench.b.shader, "opt_dce")
    shown = capsys.readouterr().err
    assert shown.startswith("opt_dce\nshader: MESA_SHADER_FRAGMENT") and "fneg" in shown
    with pytest.raises(ValueError, match="no pass is called opt_everything"):
        run_pass(bench.b.shader, "opt_everything")


@pytest.mark.parametrize(
    "line,message",
    [
        ("vec1 ssa_1 = fadd ssa_0", "takes 2 sources"),
        ("vec1 ssa_1 = frobnicate ssa_0", "unknown opcode"),
        ("vec1 ssa_1 = fneg ssa_7", "ssa_7"),
        ("vec1 ssa_0 = fneg ssa_0", "defined twice"),
        ("intrinsic nothing () () ()", "unknown instruction"),
    ],
)
def test_parser_names_the_line(line: str, message: str) -> None:
    text = (
        "shader: MESA_SHADER_VERTEX\ndecl_function main returning void\n\nimpl main {\n"
        f"\tblock block_0:\n\tvec1 ssa_0 = load_const (0x00000000)\n\t{line}\n"
        "\tblock block_1:\n}\n"
    )
    with pytest.raises(ParseError, match=message) as info:
        parse_shader(text)
    assert "line 7" in str(info.value)
