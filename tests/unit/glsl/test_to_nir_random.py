# SPDX-License-Identifier: MIT
"""Random programs compute the same as translated, as optimised, and as drivers get them; and the
same as before the passes of one kind alone.
"""

from __future__ import annotations

import numpy as np
import pytest

from pydri.glsl.translate.base import TooComplex
from pydri.glsl.translate.to_nir import to_nir
from pydri.nir.passes import lower_for_backend, lower_glsl, run_pass
from pydri.nir.validate import validate
from tests import host
from tests.unit.glsl.programs import generate
from tests.unit.glsl.test_to_nir import LANES, M3, TABLE, A, B
from tests.unit.glsl.translated import OneStage, checked, execute

INPUTS = {"a": A, "b": B}
UNIFORMS = {"n": 2, "table": TABLE, "m3": M3}
STEPS = (
    ("lower_io_to_temporaries",), ("lower_io_to_temporaries", "lower_vars_to_ssa"),
    ("opt_dce", "opt_cse", "opt_copy_prop"), (lower_glsl,), (lower_glsl, lower_for_backend),
)  # fmt: skip


def agree(seed: int) -> bool:
    """Whether the program of a seed could be compared: functions that call each other become now
    and then more code than a stage may be.
    """
    text = generate(seed)
    tree = checked(text)
    layout = OneStage(tree)
    uniforms = {name: v for name, v in UNIFORMS.items() if name in layout.names}

    def colors(*steps) -> np.ndarray:  # type: ignore[no-untyped-def]
        shader = to_nir(tree, layout)
        validate(shader, "to_nir")
        for step in steps:
            if isinstance(step, str):
                run_pass(shader, step)
            else:
                step(shader)
            validate(shader, str(step))
        return execute(shader, layout, LANES, INPUTS, uniforms).output(2)

    try:
        wanted = colors()
    except TooComplex:
        return False
    for steps in STEPS:
        np.testing.assert_allclose(colors(*steps), wanted, 1e-5, 1e-5,
                                   err_msg=f"seed {seed}, {steps}\n{text}")  # fmt: skip
    return True


def test_random_programs() -> None:
    for seed in host.seeds(range(12), 4):
        agree(seed)


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_many_random_programs() -> None:
    seeds = host.seeds(range(1000, 1400), 100)
    agreed = sum(agree(seed) for seed in seeds)
    assert agreed > 0.98 * len(seeds)
