# SPDX-License-Identifier: MIT
"""A C program (srgb.c) that asks for windows that hold sRGB-encoded colours and draws to them."""

from pathlib import Path

import pytest

from pydri.util import stats
from tests import host
from tests.unit.glx.clients import compiled, run

pytestmark = [pytest.mark.x11, pytest.mark.embed, pytest.mark.needs(*host.CLIENT)]

#: (1, 1, 1) over (0.5, 0.25, 0.1) with alpha 0.5 is (0.75, 0.625, 0.55) in linear light. Whatever
#: was asked for, a window of 8 bits a channel is capable, as with Mesa.
WINDOW = """\
state 1 0 0 0
clear.off 128 64 26 128
clear.on 188 137 89 128
draw.on 188 137 89 128
blend.on 225 207 196 128
draw.off 128 64 26 128
popped 1 1 1 0
draw.popped 188 137 89 128
logic.none 188 137 89 128
both.front 188 137 89 128
both.back 188 137 89 128
shown bc8959
switched 188 137 89 128
"""
EXPECTED = f"""\
default 0, asked 1, refused 0
visual 0 0
glx 1 1
== srgb
{WINDOW}== plain
{WINDOW}== samples
{WINDOW}"""


@pytest.fixture
def program() -> str:
    """The compiled program."""
    return compiled("srgb")


def test_windows_of_both_kinds(program: str, display: str) -> None:
    assert run(program, display) == EXPECTED


@pytest.mark.slow
def test_without_threads_and_wide_vectors(program: str, display: str) -> None:
    assert run(program, display, LP_NUM_THREADS="0", LP_NATIVE_VECTOR_WIDTH="128") == EXPECTED


def test_turning_it_on_and_off_does_not_enter_python(
    program: str, display: str, tmp_path: Path
) -> None:
    counters = tmp_path / "counters"
    run(program, display, "steady", PYDRI_STATS=str(counters))
    total = stats.read_file(str(counters))["total"]
    assert total["frames"] == 500
    assert total["python_entries"] < 60
