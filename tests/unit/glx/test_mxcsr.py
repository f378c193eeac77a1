# SPDX-License-Identifier: MIT
"""A C program (mxcsr.c) that rounds upwards, unmasks all exceptions, or flushes denormals: its
pictures are those of one that does nothing of this, and it finds its word again."""

import pytest

from tests import host
from tests.unit.glx.clients import HERE, run

pytestmark = [pytest.mark.x11, pytest.mark.embed, pytest.mark.needs(*host.CLIENT)]


@pytest.fixture
def program() -> str:
    """The compiled program."""
    return host.compile_client(HERE / "mxcsr.c", "-lGL", "-lX11", "-lm")


@pytest.mark.parametrize("how", ["up", "trap", "flush"])
@pytest.mark.parametrize("threads", ["0", "2"])
def test_one_picture(how: str, threads: str, program: str, display: str) -> None:
    wanted = run(program, display, "plain", LP_NUM_THREADS="1")
    assert "uniform 0\n" in wanted and "matrix 0\n" in wanted and " 0\n" in wanted
    assert run(program, display, how, LP_NUM_THREADS=threads) == wanted


@pytest.mark.parametrize("how", ["plain", "up", "flush"])
def test_softpipe_draws_the_same(how: str, program: str, display: str) -> None:
    """numpy has denormals, unless it is told: tiny gradients and depths, constants that fold."""
    wanted = run(program, display, "plain")
    assert run(program, display, how, GALLIUM_DRIVER="softpipe") == wanted


def test_nothing_is_compiled_with_the_programs_word(program: str, display: str) -> None:
    """Also with caches empty: what Python and LLVM do meanwhile is theirs."""
    wanted = run(program, display, "plain")
    assert run(program, display, "trap", MESA_SHADER_CACHE_DISABLE="true") == wanted
