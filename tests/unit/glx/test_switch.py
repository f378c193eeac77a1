# SPDX-License-Identifier: MIT
"""Real programs that change what is current: other drawables each frame (switch.c: what is drawn
lands where it belongs, and steady frames do not enter Python), threads that end (thread_exit.c).
"""

from pathlib import Path

import pytest

from pydri.util import stats
from tests import host
from tests.unit.glx.clients import compiled, run

pytestmark = [pytest.mark.x11, pytest.mark.embed, pytest.mark.needs(*host.CLIENT)]
FRAMES = 200


@pytest.mark.parametrize("samples", ["0", "4"])
@pytest.mark.parametrize("mode", ["windows", "contexts", "shared", "pbuffer", "toolkit"])
def test_switch(mode: str, samples: str, display: str, tmp_path: Path) -> None:
    counters = str(tmp_path / "counters")
    said = run(compiled("switch"), display, mode, str(FRAMES), samples, PYDRI_STATS=counters)
    assert said == "0 0\n"
    total = stats.read_file(counters)["total"]
    assert total["frames"] == (FRAMES if mode == "toolkit" else 2 * FRAMES)
    swaps_in_python = FRAMES if mode == "pbuffer" else 0  # nothing of a pbuffer is presented
    assert total["python_entries"] < swaps_in_python + 30


def test_a_thread_that_ends_lets_its_context_go(display: str) -> None:
    words = run(compiled("thread_exit"), display).split()
    assert words[:5] == ["drawn", "drawn", "drawn", "green", "destroyed"]
    assert words[5] == "error" and len(words) == 7
