# SPDX-License-Identifier: MIT
"""Real programs start, show frames, end when they are told to, and their windows hold a picture."""

import pathlib
import random
import subprocess
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from scripts import host as host_scripts
from scripts import run_apps, run_hacks
from scripts.run_apps import APPS, App, Outcome
from tests import host

pytestmark = [pytest.mark.x11, pytest.mark.slow, pytest.mark.needs(*run_apps.BASE)]


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """An X server that only these programs use."""
    with host.XServer() as server:
        yield server.name


@pytest.fixture(scope="module")
def env(libdir: str, display: str) -> dict[str, str]:
    """Our side, preloaded as scripts/run does it."""
    preload = f"{libdir}/libGL.so.1"
    return host.side("ours", display, LD_PRELOAD=preload, vblank_mode="0")


def prepare(app: App, folder: pathlib.Path) -> None:
    """Compile."""
    if app.name == "gears_pyopengl":
        pytest.importorskip("OpenGL")
    run_apps.make_clients(str(folder), (app,))


def shows_a_picture(outcome: Outcome) -> None:
    """Neither blank nor noise (glxheads draws a triangle of one colour)."""
    width, height, _ = outcome.picture
    assert width >= 100 and height >= 100, outcome.text[-1500:]
    number, share = run_apps.colours(outcome.picture)
    assert number >= 2, f"{number} colours"
    assert share < 0.97, f"{share:.0%} of the window have one colour"


def marked(apps: Iterable[App]) -> list[Any]:
    """Parameters of a test, each with the packages it needs."""
    return [
        pytest.param(app, id=app.name, marks=pytest.mark.needs(*run_apps.wanted((app,))))
        for app in apps
    ]


@pytest.mark.parametrize("app", marked(APPS))
def test_runs(app: App, env: dict[str, str], tmp_path: pathlib.Path) -> None:
    prepare(app, tmp_path)
    outcome = run_apps.watch(app, str(tmp_path), env, 3.0)
    shows_a_picture(outcome)
    assert outcome.frames >= 30, outcome.text[-1500:]
    # a signal ends most; SDL makes an event of it and leaves its loop
    assert outcome.status in (0, -15), outcome.status
    assert "libGL error" not in outcome.text
    assert "Traceback" not in outcome.text


@pytest.mark.parametrize("app", marked(app for app in APPS if app.ends))
def test_ends_by_itself(app: App, env: dict[str, str], tmp_path: pathlib.Path) -> None:
    """Contexts and windows are destroyed, exit handlers run: status 0 and nothing to say."""
    prepare(app, tmp_path)
    counters = tmp_path / "counters"
    done = subprocess.run(
        [*run_apps.command_of(app, str(tmp_path)), "50"],
        env={**env, "PYDRI_STATS": str(counters), "HOME": str(tmp_path),
             "XDG_RUNTIME_DIR": str(tmp_path)},  # of which libraries complain that have Wayland
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    # GLFW clears and shows a new window once before the program draws
    frames = run_apps.stats.read_file(str(counters))["total"]["frames"]
    assert frames == (51 if app.name == "gears_glfw" else 50)


@pytest.mark.needs(*run_apps.wanted(tuple(app for app in APPS if app.ends)))
def test_without_a_cache(env: dict[str, str], tmp_path: pathlib.Path) -> None:
    """One of them, drawn by lot (scripts/test --seed N has it again), that finds no compiled code:
    its first frames and its end are as ever."""
    app = random.Random(host.seed()).choice([app for app in APPS if app.ends])
    prepare(app, tmp_path)
    done = subprocess.run(
        [*run_apps.command_of(app, str(tmp_path)), "5"],
        env={**env, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path),
             "MESA_SHADER_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, ""), app.name
    assert any((tmp_path / "cache").rglob("*")), "nothing was compiled"


@pytest.mark.needs("mesa-utils")
def test_glxinfo(env: dict[str, str]) -> None:
    done = subprocess.run(
        ["glxinfo", "-B"], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "direct rendering: Yes" in done.stdout
    assert "OpenGL vendor string: pydri\n" in done.stdout
    assert "OpenGL renderer string: pydri llvmpipe (LLVM " in done.stdout
    full = subprocess.run(
        ["glxinfo"], env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert (full.returncode, full.stderr) == (0, "")
    assert "GLX_ARB_create_context" in full.stdout
    assert "GLX Visuals" in full.stdout


FRAME = 40  # by then what turns has turned
FAR = 24  # of 255: another shade; edges of llvmpipe's triangles are elsewhere by less than a pixel
OTHERS = 0.004  # of the pixels may be others: those at edges


def frame_of(app: App, folder: pathlib.Path, side: str, env: dict[str, str]) -> np.ndarray:
    """What frame FRAME holds before its swap, with a clock that goes on by a 60th a frame."""
    preload = [host_scripts.compile_preload(name) for name in ("swapcount", "dettime")]
    preload += filter(None, [env.get("LD_PRELOAD", "")])
    target, home = folder / f"{side}.ppm", folder / side
    home.mkdir()
    env = {**env, "DETTIME_HZ": "60", "vblank_mode": "0", "SWAPCOUNT_OUT": f"{target}.count",
           "SWAPCOUNT_SNAP": f"{FRAME}:{target}", "SWAPCOUNT_EXIT": str(FRAME + 1),
           "HOME": str(home), "SDL_AUDIODRIVER": "dummy"}  # fmt: skip
    done = subprocess.run(
        ["env", f"LD_PRELOAD={':'.join(preload)}", *run_apps.command_of(app, str(folder))], env=env,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert target.exists(), (side, done.returncode, done.stdout[-500:], done.stderr[-500:])
    return run_hacks.read(str(target))


@pytest.mark.needs("libgl1-mesa-dri")
@pytest.mark.parametrize("app", marked(APPS))
def test_the_picture_is_the_peers(app: App, env: dict[str, str], tmp_path: pathlib.Path) -> None:
    """The same frame of both sides, pixel by pixel, in the places where it is."""
    prepare(app, tmp_path)
    peer = host.side("peer", env["DISPLAY"])
    ours, theirs = (frame_of(app, tmp_path, name, side)
                    for name, side in (("ours", env), ("peer", peer)))  # fmt: skip
    assert ours.shape == theirs.shape
    found = run_hacks.difference(ours, theirs)
    shown = [run_hacks.difference(ours, turned).far
             for turned in (theirs[::-1], theirs[:, ::-1], np.roll(theirs, 9, axis=1))]  # fmt: skip
    assert found.far <= OTHERS, found
    if app.name != "glxheads":  # whose triangle is its own mirror image
        assert min(shown) > 2 * OTHERS, "a picture of which this says little"
