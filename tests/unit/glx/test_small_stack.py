# SPDX-License-Identifier: MIT
"""Shaders that need much memory, drawn by a thread with 64 KB of stack (small_stack.c)."""

import pytest

from tests import host
from tests.unit.glx.clients import compiled, run

pytestmark = [pytest.mark.x11, pytest.mark.embed, pytest.mark.needs(*host.CLIENT)]


@pytest.mark.parametrize("threads", ["0", "1"])
def test_a_thread_with_little_stack_draws_all(display: str, threads: str) -> None:
    # quiet: where nothing is compiled yet, it takes more than two seconds, and a line says so
    quiet = {"LIBGL_DEBUG": "quiet", "LP_NUM_THREADS": threads}
    said = run(compiled("small_stack"), display, "64", **quiet)
    scenes = ("array", "vertex array", "lookups", "vertex lookups", "smooth")
    assert said.splitlines() == ["drawn", *(f"{scene}: drawn same" for scene in scenes)]
