# SPDX-License-Identifier: MIT
"""Memory of the program ends where GL says that it is not read or written any more (guard.h): no
kernel reads or writes a byte beyond, neither at once nor after the call."""

import pytest

from tests.robust.conftest import Program, run
from tests.robust.test_programs import holds

pytestmark = [pytest.mark.x11, pytest.mark.slow]


@pytest.mark.parametrize("group", ["formats", "indices", "interleaved", "instanced"])
def test_client_arrays(program: Program, ours: dict[str, str], group: str) -> None:
    holds(run(program("guard_arrays"), group, env=ours, seconds=180))


@pytest.mark.parametrize("width", ["", "128"])
def test_pixel_rectangles(program: Program, ours: dict[str, str], width: str) -> None:
    env = {**ours, "LP_NATIVE_VECTOR_WIDTH": width}
    holds(run(program("guard_pixels"), "1", "24", env=env, seconds=180))


def test_vectors_answers_and_lists(program: Program, ours: dict[str, str]) -> None:
    holds(run(program("guard_values"), env=ours, seconds=180))
