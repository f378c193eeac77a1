# SPDX-License-Identifier: MIT
"""The builder: operators, broadcasting, control flow, errors that say what to write instead."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from pydri.nir import Builder, Shader, SSADef, types
from pydri.nir.enums import (
    FRAG_RESULT_DATA0,
    INTERP_FLAT,
    VARYING_SLOT_COL0,
    VARYING_SLOT_TEX0,
    VARYING_SLOT_VAR0,
    VERT_ATTRIB_NAMES,
)
from pydri.nir.interp import run
from pydri.nir.ir import Block, IRError, Loop
from pydri.nir.opcodes import OPCODES
from pydri.nir.stages import slot_names
from pydri.nir.validate import validate


@pytest.fixture
def b() -> Builder:
    return Builder(Shader("fragment"))


def names(b: Builder) -> list[str]:
    return [i.op.name for i in b.function.instrs() if hasattr(i, "op")]


def test_every_opcode_is_a_method(b: Builder) -> None:
    for name, op in OPCODES.items():
        method = getattr(b, name)
        assert op.rule in (method.__doc__ or "")
    assert b.fadd(b.imm_float(1.0), 2.0).num_components == 1


@pytest.mark.parametrize(
    "kind,expected",
    [
        ("float", ["fadd", "fsub", "fmul", "fdiv", "fmod", "fneg", "fabs"]),
        ("int", ["iadd", "isub", "imul", "idiv", "irem", "ineg", "iabs"]),
    ],
)
def test_operators_follow_the_kind(b: Builder, kind: str, expected: list[str]) -> None:
    x = b.load_input(0, 1, kind=kind)
    y = b.load_input(1, 1, kind=kind)
    for value in (x + y, x - y, x * y, x / y, x % y, -x, abs(x)):
        assert value.kind == kind
    assert names(b) == expected


def test_unsigned_operators(b: Builder) -> None:
    x = b.load_input(0, 1, kind="uint")
    for value in (x + 1, x / 2, x % 3, x >> 1, x << 1, ~x, x & 1, x | 1, x ^ 1, 2 - x):
        assert value.kind == "uint"
    assert (x < 5).kind == "bool" and (x >= 5).kind == "bool"
    expected = "iadd udiv umod ushr ishl inot iand ior ixor isub ult uge"
    assert names(b) == expected.split()
    validate(b.shader)


def test_comparisons(b: Builder) -> None:
    x, y = b.load_input(0, 1), b.load_input(1, 1)
    for value in (x < y, x > y, x <= y, x >= y, x.eq(y), x.ne(y), 1.0 < x):
        assert (value.kind, value.bit_size) == ("bool", 1)
    assert names(b) == ["flt", "flt", "fge", "fge", "feq", "fneu", "flt"]
    both = (x < y) & (y < x) | ~(x < y)
    assert both.bit_size == 1


def test_swizzles_and_components(b: Builder) -> None:
    x = b.load_input(0, 4)
    assert x.xyzw is x
    assert (x.xy.num_components, x.w.num_components, x.rgb.num_components) == (2, 1, 3)
    assert x[1:3].num_components == 2 and x[3].num_components == 1
    with pytest.raises(AttributeError, match=r"no \.zw in a vec2"):
        _ = x.xy.zw
    with pytest.raises(AttributeError, match="no attribute 'position'"):
        _ = x.position
    with pytest.raises(IndexError):
        _ = x.xyz[3]
    with pytest.raises(TypeError, match="unpack"):
        _ = list(x)  # type: ignore[call-overload]


def test_scalars_spread_without_an_instruction(b: Builder) -> None:
    x, s = b.load_input(0, 3), b.load_input(1, 1)
    y = x * s
    assert y.num_components == 3 and names(b) == ["fmul"]
    assert (2.0 * y).num_components == 3
    with pytest.raises(TypeError, match="a vec2 where a vec3"):
        b.fadd(x, x.xy)


def test_errors_say_what_to_write(b: Builder) -> None:
    x, i = b.load_input(0, 1), b.load_input(1, 1, kind="int")
    with pytest.raises(TypeError, match=r"with b\.If\(condition\)"):
        if x < 1.0:
            pass
    with pytest.raises(TypeError, match="convert one side"):
        _ = x + i
    with pytest.raises(TypeError, match="not defined for bool"):
        _ = (x < 1.0) + (x < 2.0)
    with pytest.raises(TypeError, match="is a float"):
        _ = i + 0.5
    with pytest.raises(TypeError, match="needs one bool"):
        b.If(x)
    with pytest.raises(TypeError, match="takes 2 operands"):
        b.fadd(x)


def test_numbers_next_to_bit_operations_are_integers(b: Builder) -> None:
    x = b.load_input(0, 1)  # hinted float
    b.store_output(b.b2f(b.ieq(x, 1)), 4)
    lanes = np.array([[1], [0x3F800000]])
    assert run(b.shader, 2, inputs={0: lanes}).output(4)[:, 0].tolist() == [1.0, 0.0]


def test_if_else_phi(b: Builder) -> None:
    x = b.load_input(VARYING_SLOT_COL0, 1)
    with b.If(x < 0.0):
        y = -x
    with b.Else():
        z = x + 1.0
    b.store_output(b.if_phi(y, z), FRAG_RESULT_DATA0)
    validate(b.shader)
    out = run(b.shader, 2, inputs={VARYING_SLOT_COL0: [[-3.0], [3.0]]}).output(FRAG_RESULT_DATA0)
    assert out[:, 0].tolist() == [3.0, 4.0]


def test_else_must_follow_if(b: Builder) -> None:
    x = b.load_input(0, 1)
    with b.If(x < 0.0):
        pass
    b.discard()
    with pytest.raises(IRError, match="directly after"):
        b.Else()


def test_nothing_follows_a_jump(b: Builder) -> None:
    with b.Loop():
        b.Break()
        with pytest.raises(IRError, match="follow a break"):
            b.discard()
    with pytest.raises(IRError, match="outside a loop"):
        with b.If(b.imm_bool(True)):
            b.Break()


def test_loop_counts(b: Builder) -> None:
    n = b.load_input(0, 1)
    total, i = b.local("total", types.FLOAT), b.local("i", types.FLOAT)
    b.store_var(total, 0.0)
    b.store_var(i, 0.0)
    with b.Loop() as loop:
        with b.If(b.load_var(i) >= n):
            b.Break()
        b.store_var(i, b.load_var(i) + 1.0)
        with b.If(b.load_var(i).eq(2.0)):
            b.Continue()
        b.store_var(total, b.load_var(total) + b.load_var(i))
    b.store_output(b.load_var(total), FRAG_RESULT_DATA0)
    validate(b.shader)
    assert isinstance(loop, Loop)
    out = run(b.shader, 4, inputs={0: [[0.0], [1.0], [2.0], [4.0]]}).output(FRAG_RESULT_DATA0)
    assert out[:, 0].tolist() == [0.0, 1.0, 1.0, 8.0]


def test_if_in_the_middle_of_a_block_splits_it(b: Builder) -> None:
    x = b.load_input(0, 1)
    y = b.fadd(x, 1.0)
    b.store_output(y, FRAG_RESULT_DATA0)
    b.before(y.instr)
    with b.If(x < 0.0):
        b.discard()
    validate(b.shader)
    blocks = list(b.function.blocks())
    assert len(blocks) == 4 and y.instr.block is blocks[3]
    assert blocks[0].successors == [blocks[1], blocks[2]]
    assert blocks[3].predecessors == [blocks[1], blocks[2]]
    assert isinstance(blocks[3], Block) and blocks[3].successors == [b.function.end_block]


def test_slots_declare_their_variables(b: Builder) -> None:
    b.load_input(VARYING_SLOT_TEX0 + 2, 2, interp=INTERP_FLAT)
    b.load_input(VARYING_SLOT_TEX0 + 2, 4)
    b.store_output(1.0, FRAG_RESULT_DATA0)
    (var,) = b.shader.inputs
    assert (var.name, var.location, var.type) == ("in_tex2", VARYING_SLOT_TEX0 + 2, types.VEC4)
    assert b.shader.input_interp(VARYING_SLOT_TEX0 + 2) == INTERP_FLAT
    assert [v.name for v in b.shader.outputs] == ["out_data0"]


def test_write_mask_and_component(b: Builder) -> None:
    b.store_output(b.imm_vec4(1.0, 2.0, 3.0, 4.0), FRAG_RESULT_DATA0, 0b0101)
    b.store_output(b.imm_vec2(8.0, 9.0), FRAG_RESULT_DATA0, component=2)
    assert run(b.shader, 1).output(FRAG_RESULT_DATA0)[0].tolist() == [1.0, 0.0, 8.0, 9.0]


def test_vec_channel_any_all(b: Builder) -> None:
    x = b.load_input(0, 2)
    index = b.f2i(b.load_input(1, 1))
    v = b.vec(x, 7.0)
    flags = x < 1.0
    b.store_output(
        b.vec(b.channel(v, index), b.b2f(b.any_true(flags)), b.b2f(b.all_true(flags))), 4
    )
    out = run(b.shader, 3, inputs={0: [[0.0, 5.0]] * 3, 1: [[0.0], [1.0], [2.0]]}).output(4)
    assert out[:, :3].tolist() == [[0.0, 1.0, 0.0], [5.0, 1.0, 0.0], [7.0, 1.0, 0.0]]


def test_geometry_helpers(b: Builder) -> None:
    x = b.load_input(0, 3)
    b.store_output(b.vec(b.length(x), b.dot(x, x), b.clamp(x[0], -1.0, 1.0)), 4)
    b.store_output(b.normalize(x), 5)
    result = run(b.shader, 1, inputs={0: [[3.0, 0.0, 4.0]]})
    assert result.output(4)[0, :3].tolist() == [5.0, 25.0, 1.0]
    assert np.allclose(result.output(5)[0, :3], [0.6, 0.0, 0.8], atol=1e-7)


def test_ubo_and_uniforms() -> None:
    b = Builder(Shader("vertex"))
    b.store_output(b.load_ubo(0, 8, 3), VARYING_SLOT_VAR0)
    b.store_output(b.load_uniform(1, 2, b.f2i(b.load_input(0, 1))), VARYING_SLOT_VAR0 + 1)
    block = np.arange(4, dtype=np.float32).tobytes()
    uniforms = np.arange(12, dtype=np.float32).reshape(3, 4)
    result = run(b.shader, 2, inputs={0: [[0.0], [1.0]]}, ubos={0: block}, uniforms=uniforms)
    assert result.output(VARYING_SLOT_VAR0)[0, :3].tolist() == [2.0, 3.0, 0.0]  # past the end: 0
    assert result.output(VARYING_SLOT_VAR0 + 1)[:, :2].tolist() == [[4.0, 5.0], [8.0, 9.0]]


def test_equality_is_identity(b: Builder) -> None:
    x = b.load_input(0, 1)
    assert isinstance(x, SSADef) and x == x and {x: 1}[x] == 1 and not names(b)


def test_slot_names() -> None:
    assert VERT_ATTRIB_NAMES[0] == "VERT_ATTRIB_POS" and VERT_ATTRIB_NAMES[7] == "VERT_ATTRIB_TEX1"
    assert VERT_ATTRIB_NAMES[15] == "VERT_ATTRIB_GENERIC0"
    assert VERT_ATTRIB_NAMES[43] == "VERT_ATTRIB_MAT11"
    assert slot_names("vertex", "shader_out")[33] == "VARYING_SLOT_VAR1"
    assert slot_names("vertex", "shader_out")[129] == "VARYING_SLOT_DRIVER1"
    assert slot_names("fragment", "shader_out")[5] == "FRAG_RESULT_DATA1"


def test_start_up_imports_nothing_heavy() -> None:
    code = (
        "import sys, typing; before = set(sys.modules)\n"
        "import pydri.nir.builder, pydri.nir.printer, pydri.nir.passes\n"
        "new = set(sys.modules) - before\n"
        "print(*sorted(m for m in new if not m.startswith('pydri')))"
    )
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numpy", "dataclasses", "inspect", "json", "logging", "llvmlite", "ctypes"}
    assert not heavy & set(got.stdout.split()), got.stdout
