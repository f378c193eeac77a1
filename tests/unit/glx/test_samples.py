# SPDX-License-Identifier: MIT
"""A C program (samples.c) that draws with four samples a pixel to every kind of drawable."""

from pathlib import Path

import pytest

from pydri.util import stats
from tests import host
from tests.unit.glx.clients import compiled, run

pytestmark = [pytest.mark.x11, pytest.mark.embed, pytest.mark.needs(*host.CLIENT)]

#: A white area ends in the middle of pixel 10: its mean is read and shown; depth and stencil are
#: those of the first sample, which lies left of the middle.
EXPECTED = """\
window.gets 1 4 1
window.read 255 128 0
window.shown 255 128 0
front.read 255 128 0
front.shown 128 128
front.after_swap 0
front.after_swap.read 255 128 0
sub.shown 128 0
zs.19 0.250 5
zs.20 0.250 5
zs.21 1.000 0
zs.short 16384 16384 65535
query.samples 420
query.centres 400
stack 0.50 1 1 1
stack.covers 128
resize 255 128 0
second.read 255 255 255
second.on_top.read 255 255 255
single.gets 1 4 1
single.shown 255 128 0
single.read 255 128 0
pbuffer.gets 1 4 1
pbuffer.read 255 128 0
pixmap.gets 1 4 1
pixmap.shown 255 128 0
any.window.gets 1 4 1
any.plain.gets 0 0 1
any.plain.read 255 255 255
visual.samples 4
visual.sixteen 0
"""


@pytest.fixture
def program() -> str:
    """The compiled program."""
    return compiled("samples")


def test_every_kind_of_drawable(program: str, display: str) -> None:
    assert run(program, display) == EXPECTED


@pytest.mark.slow
def test_without_threads_and_wide_vectors(program: str, display: str) -> None:
    assert run(program, display, LP_NUM_THREADS="0", LP_NATIVE_VECTOR_WIDTH="128") == EXPECTED


def test_frames_do_not_enter_python(program: str, display: str, tmp_path: Path) -> None:
    counters = tmp_path / "counters"
    run(program, display, "steady", PYDRI_STATS=str(counters))
    total = stats.read_file(str(counters))["total"]
    assert total["frames"] == 500
    assert total["python_entries"] < 60
