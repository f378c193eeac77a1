# SPDX-License-Identifier: MIT
"""Lookups of a block that one call can do: which stand together, and that nothing is done before
what it needs."""

from __future__ import annotations

import pytest

from pipe_llvm.gallivm.lookups import in_calls
from pydri.nir.builder import Builder
from pydri.nir.ir import Instr, Shader, SSADef, TexInstr


def _lookup(b: Builder, coord: SSADef, texture: int = 0, op: str = "tex") -> SSADef:
    return b.tex(op, {"coord": coord}, texture_index=texture)


def _instrs(shader: Shader) -> list[Instr]:
    (block,) = shader.main.blocks()
    return list(block.instrs)


def _grouped(shader: Shader, most: int) -> list[int]:
    """How many lookups each call does; the order of all is looked at."""
    instrs, done, calls = _instrs(shader), list[Instr](), []
    for step in in_calls(instrs, most):
        group = step if isinstance(step, list) else [step]
        for instr in group:
            for ssa in instr.sources():
                assert any(ssa is before.dest for before in done), "read before it is there"
        done += group
        if isinstance(group[0], TexInstr):
            calls.append(len(group))
    assert sorted(map(id, done)) == sorted(map(id, instrs))
    return calls


def _coords(b: Builder, count: int) -> list[SSADef]:
    place = b.load_input(1, 2)
    return [place * (n + 0.5) for n in range(count)]


@pytest.mark.parametrize(("most", "calls"), [(8, [6]), (4, [4, 2]), (1, [1] * 6)])
def test_those_of_a_gradient_are_one_call(most: int, calls: list[int]) -> None:
    """Each is read at once: what reads it waits for all."""
    shader = Shader("fragment")
    b = Builder(shader)
    total = b.imm_float(0.0)
    for coord in _coords(b, 6):
        total = total + _lookup(b, coord).x
    b.store_output(total, 2)
    assert _grouped(shader, most) == calls


def test_one_that_needs_another_is_a_call_of_its_own() -> None:
    shader = Shader("fragment")
    b = Builder(shader)
    first, second = _coords(b, 2)
    found = _lookup(b, first)
    again = _lookup(b, found.xy + second)
    b.store_output(again + _lookup(b, first), 2)
    assert _grouped(shader, 8) == [1, 2]


def test_those_of_other_textures_are_calls_of_their_own() -> None:
    shader = Shader("fragment")
    b = Builder(shader)
    found = [_lookup(b, coord, n % 2) for n, coord in enumerate(_coords(b, 4))]
    b.store_output(found[0] + found[1] + found[2] + found[3], 2)
    assert _grouped(shader, 8) == [2, 2]


def test_nothing_passes_what_has_effects() -> None:
    shader = Shader("fragment")
    b = Builder(shader)
    first, second = _coords(b, 2)
    b.store_output(_lookup(b, first), 2)
    b.store_output(_lookup(b, second), 3)
    assert _grouped(shader, 8) == [1, 1]
