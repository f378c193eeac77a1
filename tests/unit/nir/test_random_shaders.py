# SPDX-License-Identifier: MIT
"""Properties over random shaders: text round trip, and no pass changes what a shader computes."""

from __future__ import annotations

import pytest

from pydri.nir.parser import parse_shader
from pydri.nir.passes import OPTIMIZE, lower_for_backend, run_pass
from pydri.nir.printer import print_shader
from pydri.nir.validate import validate
from tests.unit.nir.shadergen import execute, generate, same

SEEDS = range(24)
ALONE = [
    ("opt_dce", {}),
    ("opt_cse", {}),
    ("opt_copy_prop", {}),
    ("opt_constant_folding", {}),
    ("opt_algebraic", {"exact": True}),
    ("opt_peephole_select", {}),
    ("opt_dead_cf", {}),
    ("opt_remove_phis", {}),
    ("lower_vars_to_ssa", {}),
    ("lower_alu_to_scalar", {}),
    ("lower_indirect_derefs", {}),
    ("lower_alu", {"ops": ["fsub", "fdot2", "fdot3", "fdot4", "flrp", "ffract", "irem", "isign"]}),
]


@pytest.mark.parametrize("seed", SEEDS)
def test_round_trip(seed: int) -> None:
    shader = generate(seed)
    validate(shader)
    text = print_shader(shader)
    again = parse_shader(text)
    assert print_shader(again) == text
    validate(again)
    assert same(execute(shader, seed), execute(again, seed))


@pytest.mark.parametrize("name,arguments", ALONE, ids=[name for name, _ in ALONE])
def test_each_pass_keeps_the_meaning(name: str, arguments: dict) -> None:
    progress = 0
    for seed in SEEDS:
        shader = generate(seed)
        if name in ("opt_remove_phis", "opt_peephole_select", "opt_dead_cf"):
            run_pass(shader, "lower_indirect_derefs")
            run_pass(shader, "lower_vars_to_ssa")
        before = execute(shader, seed)
        listing = print_shader(shader)
        progress += run_pass(shader, name, **arguments)
        validate(shader, name)
        after = print_shader(shader)
        assert same(before, execute(shader, seed)), f"seed {seed}\n{listing}\n{after}"
    if name != "opt_remove_phis":  # lower_vars_to_ssa has run it already
        assert progress


@pytest.mark.parametrize("seed", [*SEEDS, 276])  # 276: a product with 0 that is -0.0
def test_all_passes_together(seed: int) -> None:
    shader = generate(seed)
    before = execute(shader, seed)
    run_pass(shader, "lower_indirect_derefs")
    for _ in range(12):
        progress = False
        for name in OPTIMIZE:
            exact = {"exact": True} if name == "opt_algebraic" else {}
            progress |= run_pass(shader, name, **exact)
            validate(shader, name)
            assert same(before, execute(shader, seed)), name
        if not progress:
            break
    assert not progress, "the optimiser does not come to an end"
    assert not shader.main.locals or "load_var" not in print_shader(shader)


@pytest.mark.parametrize("seed", range(10))
def test_the_backend_pipeline_ends_and_is_valid(seed: int) -> None:
    shader = generate(seed)
    lower_for_backend(shader)
    validate(shader)
    assert " load_var " not in print_shader(shader) and " store_var " not in print_shader(shader)


@pytest.mark.parametrize("seed", range(20))
def test_a_hurried_shader_gives_the_same_bits(seed: int) -> None:
    """What is left out in a hurry saves instructions alone: both images of a pipeline agree."""
    best, hurried = generate(seed), generate(seed)
    lower_for_backend(best)
    lower_for_backend(hurried, hurried=True)
    validate(hurried)
    assert same(execute(best, seed), execute(hurried, seed))


@pytest.mark.parametrize("seed", range(20))
def test_a_second_walk_finds_no_algebra(seed: int) -> None:
    shader = generate(seed)
    run_pass(shader, "lower_indirect_derefs")
    run_pass(shader, "lower_vars_to_ssa")
    run_pass(shader, "opt_algebraic")
    assert not run_pass(shader, "opt_algebraic")
