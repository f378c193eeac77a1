# SPDX-License-Identifier: MIT
"""What the interpreter adds to the opcodes: masks, memory, discards, textures, system values."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from pydri.nir import Builder, Shader, types
from pydri.nir.enums import FRAG_RESULT_DATA0, VARYING_SLOT_VAR0
from pydri.nir.interp import InterpError, run
from pydri.nir.ir import Deref, TexInstr, Variable
from pydri.nir.parser import parse_shader
from pydri.nir.printer import print_shader
from pydri.nir.validate import validate


def test_discard_is_per_lane_and_goes_on() -> None:
    b = Builder(Shader("fragment"))
    x = b.load_input(1, 1)
    b.discard_if(x < 0.0)
    with b.If(x > 5.0):
        b.discard()
    b.store_output(b.b2f(b.sysval("helper_invocation")), FRAG_RESULT_DATA0)
    result = run(b.shader, 3, inputs={1: [[-1.0], [1.0], [9.0]]})
    assert result.discarded.tolist() == [True, False, True]
    assert result.output(FRAG_RESULT_DATA0)[:, 0].tolist() == [1.0, 0.0, 1.0]


def test_terminate_ends_the_lane() -> None:
    b = Builder(Shader("fragment"))
    x = b.load_input(1, 1)
    with b.If(x < 0.0):
        b.intrinsic("terminate")
    b.store_output(7.0, FRAG_RESULT_DATA0)
    result = run(b.shader, 2, inputs={1: [[-1.0], [1.0]]})
    assert result.discarded.tolist() == [True, False]
    assert result.output(FRAG_RESULT_DATA0)[:, 0].tolist() == [0.0, 7.0]


def test_return_in_a_loop() -> None:
    b = Builder(Shader("fragment"))
    x = b.load_input(1, 1)
    i = b.local("i", types.FLOAT)
    b.store_var(i, 0.0)
    with b.Loop():
        b.store_var(i, b.load_var(i) + 1.0)
        with b.If(b.load_var(i).eq(x)):
            b.store_output(b.load_var(i), FRAG_RESULT_DATA0)
            b.Return()
        with b.If(b.load_var(i) >= 4.0):
            b.Break()
    b.store_output(-1.0, FRAG_RESULT_DATA0)
    validate(b.shader)
    out = run(b.shader, 3, inputs={1: [[2.0], [9.0], [4.0]]}).output(FRAG_RESULT_DATA0)
    assert out[:, 0].tolist() == [2.0, -1.0, 4.0]


def test_an_endless_loop_ends_and_its_lanes_go_on() -> None:
    b = Builder(Shader("fragment"))
    with b.Loop():
        pass
    b.store_output(3.0, FRAG_RESULT_DATA0)
    out = run(b.shader, 1, max_rounds=10).output(FRAG_RESULT_DATA0)
    assert out[0, 0] == 3.0


def test_a_value_keeps_what_it_was_when_its_lane_left_the_loop() -> None:
    b = Builder(Shader("fragment"))
    n = b.load_input(1, 1)
    i = b.local("i", types.FLOAT)
    b.store_var(i, 0.0)
    with b.Loop():
        now = b.load_var(i)
        with b.If(now >= n):
            b.Break()
        b.store_var(i, now + 1.0)
    b.store_output(now, FRAG_RESULT_DATA0)
    out = run(b.shader, 3, inputs={1: [[0.0], [5.0], [2.0]]}).output(FRAG_RESULT_DATA0)
    assert out[:, 0].tolist() == [0.0, 5.0, 2.0]


def test_memory_layout_and_clamped_indices() -> None:
    b = Builder(Shader("vertex"))
    inner = types.struct("S", (("a", types.FLOAT), ("m", types.MAT2), ("v", types.VEC3)))
    var = b.local("s", types.array(inner, 2))
    index = b.f2i(b.load_input(0, 1))
    b.store_var(Deref(var, (0, "m", 1)), b.imm_vec2(1.0, 2.0))
    b.store_var(Deref(var, (1, "m", 1)), b.imm_vec2(3.0, 4.0))
    b.store_var(Deref(var, (index, "v", 2)), 5.0)
    copy = b.local("t", types.array(inner, 2))
    b.copy_var(copy, var)
    b.store_output(b.load_var(Deref(copy, (index, "m", 1))), VARYING_SLOT_VAR0)
    b.store_output(b.load_var(Deref(copy, (1, "v"))), VARYING_SLOT_VAR0 + 1)
    validate(b.shader)
    result = run(b.shader, 3, inputs={0: [[0.0], [1.0], [99.0]]})
    assert result.output(VARYING_SLOT_VAR0)[:, :2].tolist() == [[1, 2], [3, 4], [3, 4]]
    assert result.output(VARYING_SLOT_VAR0 + 1)[:, 2].tolist() == [0.0, 5.0, 0.0]
    again = parse_shader(print_shader(b.shader))
    assert print_shader(again) == print_shader(b.shader)


def test_interface_variables() -> None:
    shader = Shader("vertex")
    matrix = shader.add(Variable("m", types.MAT2, "shader_in", 3))
    out = shader.add(Variable("o", types.array(types.VEC2, 2), "shader_out", VARYING_SLOT_VAR0))
    uniform = shader.add(Variable("u", types.IVEC2, "uniform", driver_location=1))
    b = Builder(shader)
    b.store_var(Deref(out, (1,)), b.load_var(Deref(matrix, (1,))))
    b.store_var(Deref(out, (0, 1)), b.i2f(b.load_var(Deref(uniform, (0,)))))
    result = run(
        shader,
        1,
        inputs={3: [[1.0, 2.0]], 4: [[3.0, 4.0]]},
        uniforms=np.array([[0] * 4, [9, 8, 0, 0]]),
    )
    assert result.output(VARYING_SLOT_VAR0 + 1)[0, :2].tolist() == [3.0, 4.0]
    assert result.output(VARYING_SLOT_VAR0)[0, :2].tolist() == [0.0, 9.0]


def test_missing_input_components_are_0001() -> None:
    b = Builder(Shader("vertex"))
    b.store_output(b.load_input(0, 4), VARYING_SLOT_VAR0)
    out = run(b.shader, 1, inputs={0: [[5.0, 6.0]]}).output(VARYING_SLOT_VAR0)
    assert out[0].tolist() == [5.0, 6.0, 0.0, 1.0]


def test_textures_and_system_values() -> None:
    b = Builder(Shader("fragment"))
    uv = b.load_input(4, 2)
    texel = b.tex("txl", {"coord": uv, "lod": b.imm_float(2.0)}, texture_index=3, is_shadow=True)
    facing = b.bcsel(b.load_front_face(), texel, b.load_frag_coord())
    b.store_output(facing, FRAG_RESULT_DATA0)
    validate(b.shader)
    assert print_shader(parse_shader(print_shader(b.shader))) == print_shader(b.shader)

    def texture(instr: TexInstr, srcs: Mapping[str, np.ndarray]) -> np.ndarray:
        assert (instr.op, instr.texture_index, instr.is_shadow) == ("txl", 3, True)
        u = srcs["coord"].view(np.float32)[0]
        return np.stack([u, u * 2, srcs["lod"].view(np.float32)[0], u * 0])

    system = {"front_face": [True, False], "frag_coord": [[0.5, 0.5, 0, 1], [1.5, 0.5, 0, 1]]}
    result = run(b.shader, 2, inputs={4: [[3.0, 1.0]] * 2}, system=system, texture=texture)
    assert result.output(FRAG_RESULT_DATA0).tolist() == [[3.0, 6.0, 2.0, 0.0], [1.5, 0.5, 0.0, 1.0]]
    with pytest.raises(InterpError, match="texture="):
        run(b.shader, 2)
