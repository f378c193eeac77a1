# SPDX-License-Identifier: MIT
"""Mesa's compiled driver through our libGL: everything that a program sees is what it sees of the
same driver through Mesa's own libGL, bit for bit.

compiled.c says it in words; the scenes of tests/pictures are compared by their hashes, of which
each also looks at its window.
"""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from pydri.util import stats
from tests import host
from tests.pictures import compare
from tests.unit.glx.clients import compiled, ended

pytestmark = [
    pytest.mark.x11, pytest.mark.embed, pytest.mark.needs("libgl1-mesa-dri", *host.CLIENT),
]  # fmt: skip
MESA = "/usr/lib/x86_64-linux-gnu/dri"
MODES = (
    "steady", "resized", "windows", "subbuffer", "front", "double", "pbuffer",
    "pixmap", "samples", "versions", "shared", "threads", "strings", "procs",
)  # fmt: skip


@pytest.fixture(autouse=True)
def only_where_there_is_one() -> None:
    """What all of these load."""
    host.only_drivers_for_all_loaders()


def said_by(side: str, display: str, *words: str, **more: str) -> str:
    """What compiled.c prints on a side that draws with Mesa's driver."""
    ours = {"LIBGL_DRIVERS_PATH": MESA} if side == "ours" else {}
    env = host.side(side, display, **ours, **more)
    done = subprocess.run(
        [compiled("compiled"), *words], env=env, capture_output=True, text=True, timeout=100,
        check=False,
    )  # fmt: skip
    assert (done.stderr, done.returncode) == ("", 0), (side, words, done)
    return done.stdout


@pytest.mark.parametrize("mode", MODES)
def test_as_through_mesas_own(mode: str, display: str) -> None:
    assert said_by("ours", display, mode) == said_by("peer", display, mode)


def test_without_shared_memory(display: str) -> None:
    for mode in ("steady", "resized", "windows", "subbuffer"):
        assert said_by("ours", display, mode, PYDRI_NO_SHM="1") == said_by("peer", display, mode)


def test_fonts_are_those_of_our_own_driver(display: str) -> None:
    """Not the peer's, which has a glyph two rows too high."""
    ours = ended(compiled("compiled"), display, "font").stdout
    assert said_by("ours", display, "font") == ours != ""


def test_a_window_that_is_destroyed(display: str) -> None:
    said = said_by("ours", display, "destroyed")
    assert said.splitlines() == ["drawn 3,3: 00ff00ff"] * 3 + ["still here"]


def test_a_steady_frame_enters_no_python(display: str, tmp_path: Path) -> None:
    entries = []
    for frames in (20, 220):
        counters = str(tmp_path / f"counters{frames}")
        said_by("ours", display, "steady", str(frames), PYDRI_STATS=counters)
        total = stats.read_file(counters)["total"]
        assert total["frames"] == frames
        entries.append(total["python_entries"])
    assert entries[0] == entries[1]


@pytest.mark.parametrize("mode", ["windows", "contexts", "shared", "pbuffer"])
def test_what_is_current_changes_each_frame(mode: str, display: str) -> None:
    done = ended(compiled("switch"), display, mode, "40", "0", LIBGL_DRIVERS_PATH=MESA)
    assert (done.stdout, done.stderr, done.returncode) == ("0 0\n", "", 0)


def test_a_thread_that_ends_lets_its_context_go(display: str) -> None:
    done = ended(compiled("thread_exit"), display, LIBGL_DRIVERS_PATH=MESA)
    assert done.stdout.split()[:5] == ["drawn", "drawn", "drawn", "green", "destroyed"]


def test_what_is_opened_is_told(display: str) -> None:
    done = ended(
        compiled("compiled"), display, "procs", LIBGL_DRIVERS_PATH=f"/nowhere:{MESA}",
        LIBGL_DEBUG="verbose",
    )  # fmt: skip
    assert "MESA-LOADER: failed to open /nowhere/swrast_dri.so: No such file" in done.stderr
    assert f"libGL: MESA-LOADER: dlopen({MESA}/swrast_dri.so)\n" in done.stderr
    assert re.search(rf"libGL: driver swrast \({MESA}/swrast_dri.so\): llvmpipe", done.stderr)


def test_softpipe_is_the_drivers_choice(display: str) -> None:
    done = ended(
        compiled("compiled"), display, "strings", LIBGL_DRIVERS_PATH=MESA,
        GALLIUM_DRIVER="softpipe",
    )  # fmt: skip
    assert "|softpipe|" in done.stdout.splitlines()[0]


def test_calls_are_printed(display: str) -> None:
    done = ended(
        compiled("compiled"), display, "steady", "1", LIBGL_DRIVERS_PATH=MESA, PYDRI_DEBUG="api"
    )
    assert done.returncode == 0
    assert "glClearColor(red=0, green=0, blue=0, alpha=1)" in done.stderr
    assert "glVertex4f(" in done.stderr


#: piglit's tests of GLX that do not pass, with the peer's own libGL neither, and two that make a
#: context of each of some hundred configs
OTHERWISE = {
    "glx@glx-swap-copy": "fail",
    "glx@glx-copy-sub-buffer": "fail",
    "glx@glx-buffer-age": "skip",
    "glx@glx-buffer-age vblank_mode=0": "skip",
}
TAKE_LONG = ("glx@glx-visuals-depth -pixmap", "glx@glx-visuals-stencil -pixmap")


def piglits() -> list[tuple[str, str]]:
    """(name, command) of those of tests/expectations."""
    text = Path(host.ROOT, "tests", "expectations", "g_glx.txt").read_text()
    rows = [line.split("\t") for line in text.splitlines()]
    return [(row[0], row[3]) for row in rows if row[1] == "gl" and row[0] not in TAKE_LONG]


@pytest.mark.slow
@pytest.mark.needs("piglit")
@pytest.mark.parametrize(("name", "command"), piglits())
def test_piglits_tests_of_glx(name: str, command: str, display: str) -> None:
    folder = Path(host.LIB, "piglit")
    program, *words = shlex.split(command)
    env = host.side(
        "ours", display, LIBGL_DRIVERS_PATH=MESA, PIGLIT_PLATFORM="glx",
        PIGLIT_SOURCE_DIR=str(folder),
    )  # fmt: skip
    done = subprocess.run(
        [str(folder / "bin" / program), *words], env=env, capture_output=True, text=True,
        errors="replace", timeout=100, check=False,
    )  # fmt: skip
    result = re.search(r'PIGLIT: {"result": "(\w+)"', done.stdout)
    assert result, done.stdout + done.stderr
    assert result[1] == OTHERWISE.get(name, "pass"), done.stdout + done.stderr


@pytest.mark.slow
def test_pictures_are_the_peers(tmp_path: Path) -> None:
    """Every seventh scene, drawn and shown by the same driver: not a bit is different, neither in
    what is read back nor in the window (where samples are resolved by another function)."""
    program = compare.compile_client()
    names = compare.scene_names(program)[::7]
    with compare.private_server() as server:
        env = host.side("ours", server.name, LIBGL_DRIVERS_PATH=MESA, SCENES_WINDOW="1")
        peers_env = {**compare.peer_env(server.name), "SCENES_WINDOW": "1"}
        ours = compare.draw_all(program, env, None, names)
        peers = compare.draw_all(program, peers_env, None, names)
    assert len(ours) == len(names)
    assert ours == peers
    odd = {name for name, one in ours.items() if one.window not in ("-", "0")}
    assert not {name for name in odd if not name.startswith("samples")}
