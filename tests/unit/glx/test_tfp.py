# SPDX-License-Identifier: MIT
"""A C program (tfp.c): a small compositor, whose textures are pixmaps that X draws to."""

import subprocess
from pathlib import Path

import pytest

from pydri.util import stats
from tests import host
from tests.unit.glx.clients import compiled, run

pytestmark = [pytest.mark.x11, pytest.mark.embed, pytest.mark.needs(*host.CLIENT)]

#: What only we answer: the peer tells no texture format of a pixmap, and takes any XID for one.
OURS = {
    "rgb.told": "20d9 20dc 40", "rgb_of_32.told": "20d9 20dc 40", "rgba.told": "20da 20dc 40",
    "rect.told": "20da 20dd 40", "no_pixmap": "1", "no_pixmap.release": "1",
}  # fmt: skip
#: The pixmap has 0x12ab34 at the left and below, 0xfe8001 at the upper right; then X draws.
EXPECTED = {
    "rgb.level": "0x28 0x18 0x1907 0 0x8 0x8 0 next 0 0",
    "rgb.drawn": "12ab34 fe8001 12ab34 12ab34 0",
    "rgb.again": "12ab34 fe8001 fe8001 12ab34 0",
    "rgb.plain": "808080 808080 808080 808080 0",
    "rgba.alpha": "64 144",
    "rect.drawn": "12ab34 fe8001 12ab34 12ab34 0",
    "by_gl.drawn": "ff8040 ff8040 00ffff ff8040 0",
}


def _answers(text: str) -> dict[str, str]:
    return dict(line.split(" ", 1) for line in text.splitlines())


@pytest.fixture
def program() -> str:
    """The compiled program."""
    return compiled("tfp")


def test_pixmaps_are_textures(program: str, display: str) -> None:
    ours = _answers(run(program, display))
    assert {name: ours[name] for name in EXPECTED} == EXPECTED
    assert {name: ours[name] for name in OURS} == OURS


def test_without_shared_memory(program: str, display: str) -> None:
    assert run(program, display, PYDRI_NO_SHM="1") == run(program, display)


def test_softpipe_binds_them_too(program: str, display: str) -> None:
    assert run(program, display, GALLIUM_DRIVER="softpipe") == run(program, display)


def test_as_the_peer(program: str, display: str) -> None:
    env = host.side("peer", display)
    peer = subprocess.run([program], env=env, capture_output=True, text=True, check=True).stdout
    theirs, ours = _answers(peer), _answers(run(program, display))
    assert {k: v for k, v in ours.items() if k not in OURS} == {
        k: v for k, v in theirs.items() if k not in OURS
    }


def test_frames_of_a_compositor(program: str, display: str, tmp_path: Path) -> None:
    """Each of 900 bindings shows what X drew just before; only the bindings enter Python."""
    counters = tmp_path / "counters"
    assert run(program, display, "frames", PYDRI_STATS=str(counters)) == "frames 900 0\n"
    total = stats.read_file(str(counters))["total"]
    assert total["python_entries"] < 900 * 2 + 150
