# SPDX-License-Identifier: MIT
"""Out of SSA: random shaders mean what they meant; swaps, lost copies, values that leave loops."""

import numpy as np
import pytest

from pydri.nir import interp, types
from pydri.nir.builder import Builder
from pydri.nir.enums import FRAG_RESULT_DATA0
from pydri.nir.ir import Loop, PhiInstr, Shader
from pydri.nir.liveness import Liveness, overlap
from pydri.nir.passes import lower_for_backend, run_pass
from pydri.nir.printer import print_shader
from pydri.nir.uses import Uses
from pydri.nir.validate import validate
from tests.unit.nir.lanegen import BLOCKS, LANES, LaneGenerator


def _inputs(seed):
    random = np.random.default_rng(seed)
    inputs = {slot: random.uniform(-4, 4, (LANES, 4)).astype(np.float32) for slot in range(6)}
    blocks = {n: random.bytes(size) for n, size in BLOCKS.items()}
    return inputs, blocks


def _run(shader, inputs, blocks=None):
    return interp.run(shader, LANES, inputs=inputs, ubos=blocks or {})


@pytest.mark.parametrize("seed", range(16))
def test_random_shaders_mean_the_same(seed):
    shader = LaneGenerator(seed).make()
    lower_for_backend(shader)
    inputs, blocks = _inputs(seed)
    before = _run(shader, inputs, blocks)
    run_pass(shader, "from_ssa")
    validate(shader, "from_ssa")
    assert not any(isinstance(i, PhiInstr) for i in shader.main.instrs())
    after = _run(shader, inputs, blocks)
    alive = ~before.discarded
    assert (before.discarded == after.discarded).all()
    for slot, cells in before.outputs.items():
        assert (cells[:, alive] == after.outputs[slot][:, alive]).all()


def _swapping(rounds):
    """Two values that change places in a loop: the copies at its end must all read first."""
    b = Builder(Shader("fragment"))
    x, y, n = b.local("x", types.FLOAT), b.local("y", types.FLOAT), b.local("n", types.INT)
    value = b.load_input(4, 2)
    b.store_var(x, value.x), b.store_var(y, value.y), b.store_var(n, 0)
    with b.Loop():
        with b.If(b.ige(b.load_var(n), rounds)):
            b.Break()
        old = b.load_var(x)
        b.store_var(x, b.load_var(y)), b.store_var(y, old)
        b.store_var(n, b.load_var(n) + 1)
    found = b.vec(b.load_var(x), b.load_var(y), b.i2f(b.load_var(n)), 1.0)
    b.store_output(found, FRAG_RESULT_DATA0)
    return b.shader


@pytest.mark.parametrize("rounds", [3, 40])
def test_values_that_change_places(rounds):
    shader = _swapping(rounds)
    for name in ("lower_vars_to_ssa", "from_ssa"):
        run_pass(shader, name)
    values = np.arange(2 * LANES, dtype=np.float32).reshape(LANES, 2)
    out = _run(shader, {4: values}).output(FRAG_RESULT_DATA0)
    expected = values[:, ::-1] if rounds % 2 else values
    assert (out[:, :2] == expected).all() and (out[:, 2] == rounds).all()


def test_values_that_leave_loops_are_registers():
    """A lane that left early keeps what it had, though others run on."""
    b = Builder(Shader("fragment"))
    n = b.local("n", types.INT)
    b.store_var(n, 0)
    limit = b.f2i(b.load_input(4, 1))
    with b.Loop():
        last = b.load_var(n) * 3
        with b.If(b.ige(b.load_var(n), limit)):
            b.Break()
        b.store_var(n, b.load_var(n) + 1)
    b.store_output(b.i2f(last), FRAG_RESULT_DATA0)
    for name in ("lower_vars_to_ssa", "opt_copy_prop", "from_ssa"):
        run_pass(b.shader, name)
    loop = next(node for node in b.shader.main.nodes() if isinstance(node, Loop))
    every = list(b.shader.main.instrs())
    made = {i.dest for i in every if i.block is not None and i.block.parent is loop}
    behind = b.shader.main.body[-1]
    assert not any(value in made for i in behind.instrs for value in i.sources())
    values = (np.arange(LANES) % 5).astype(np.float32)[:, None]
    out = _run(b.shader, {4: values}).output(FRAG_RESULT_DATA0)[:, 0]
    assert (out == values[:, 0] * 3).all()


def test_a_counter_needs_no_copy():
    """A web that nothing stands against: one register, one write in the loop."""
    shader = _swapping(40)
    run_pass(shader, "lower_vars_to_ssa")
    ranges = Liveness(shader.main).ranges()
    phis = [phi for block in shader.main.blocks() for phi in block.phis]
    assert overlap(ranges[phis[0].dest], ranges[phis[1].dest])
    run_pass(shader, "from_ssa")
    listing = print_shader(shader)
    counter = [line for line in listing.splitlines() if "intrinsic store_var" in line]
    assert len(counter) == 6, listing  # three to begin with, two of the swap, the counter


def test_use_lists():
    b = Builder(Shader("fragment"))
    value = b.load_input(4, 1)
    condition = b.flt(value, 0.5)
    with b.If(condition):
        b.store_output(value * value, FRAG_RESULT_DATA0)
    uses = Uses(b.shader.main)
    assert uses.count(value) == 3 and uses.count(condition) == 1
    assert uses.only(condition) is None and len(uses.ifs(condition)) == 1
    assert uses.only(uses.instrs(value)[-1].dest).name == "store_output"
