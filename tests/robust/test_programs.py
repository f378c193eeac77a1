# SPDX-License-Identifier: MIT
"""C programs that do what programs should not: each ends with 0 and "ok" if the driver held."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

from pydri.util import stats
from tests import host
from tests.robust.conftest import HERE, NEEDS, Program, run

pytestmark = [pytest.mark.x11, pytest.mark.slow, pytest.mark.needs(*NEEDS)]


DELAYS = [*range(0, 75, 4), -1]  # ms after LLVM begins to be loaded; -1: when it is there
"""Milliseconds from the last draw to the end: around the time when LLVM is loaded, and after it."""


def holds(done: "subprocess.CompletedProcess[str]") -> None:
    """The program is content and the driver had nothing to complain about."""
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}"
    assert done.stdout.splitlines()[-1].startswith("ok")
    assert "libGL error" not in done.stderr, done.stderr[-2000:]


@pytest.fixture
def settled(ours: dict[str, str]) -> dict[str, str]:
    """For programs whose memory is counted: nothing is compiled in the background meanwhile, for
    which LLVM would be loaded some time after the first frame."""
    return {**ours, "PYDRI_TIERS": "best"}


@pytest.mark.parametrize("threads", ["0", "2", "4"])
@pytest.mark.parametrize("shm", ["MIT-SHM", "XPutImage"])
def test_storm_of_resizes(program: Program, ours: dict[str, str], threads: str, shm: str) -> None:
    more = {"LP_NUM_THREADS": threads, "PYDRI_NO_SHM": "1" if shm == "XPutImage" else "0"}
    holds(run(program("resize_storm"), "200", env={**ours, **more}))


def test_window_destroyed_between_draw_and_swap(program: Program, ours: dict[str, str]) -> None:
    holds(run(program("destroyed"), env=ours))


@pytest.mark.parametrize("attempt", range(4))
def test_two_threads(program: Program, ours: dict[str, str], attempt: int) -> None:
    holds(run(program("threads"), env=ours))


def test_lists_come_and_go_while_they_are_played(program: Program, settled: dict[str, str]) -> None:
    """Memory that was given back is overwritten: who still plays it falls over."""
    env = {**settled, "MALLOC_PERTURB_": "165"}
    holds(run(program("lists"), env=env))  # whose end awaits what it has compiled
    holds(run(program("lists"), "measured", env=env))


def test_names_in_threads(program: Program, ours: dict[str, str]) -> None:
    holds(run(program("names"), env={**ours, "MALLOC_PERTURB_": "165"}))


@pytest.mark.parametrize("threads", ["2", "4"])
@pytest.mark.parametrize("seed", ["1", "2", "6"])
def test_shared_objects(program: Program, ours: dict[str, str], seed: str, threads: str) -> None:
    """Lists, buffers, syncs, contexts and windows, made and ended by other threads than those that
    use them. (1: the first lists of all threads at once; 6: windows end on a shared Display.)"""
    env = {**ours, "LP_NUM_THREADS": threads, "MALLOC_PERTURB_": "165"}
    holds(run(program("shared"), seed, "6000", threads, env=env))


def test_contexts_come_and_go(program: Program, settled: dict[str, str]) -> None:
    holds(run(program("contexts"), "2000", env=settled))


@pytest.mark.parametrize("group", ["viewports", "coordinates", "counts", "reading", "nesting"])
@pytest.mark.parametrize("threads", ["0", "2"])
def test_absurd_numbers(program: Program, ours: dict[str, str], group: str, threads: str) -> None:
    holds(run(program("absurd"), group, env={**ours, "LP_NUM_THREADS": threads}))


@pytest.mark.parametrize("seed", ["1", "2"])
def test_wild_primitives(program: Program, ours: dict[str, str], seed: str) -> None:
    holds(run(program("primitives"), seed, "250", env=ours))


@pytest.mark.needs("mesa-utils")
def test_constant_memory(settled: dict[str, str]) -> None:
    """glxgears for some seconds (scripts/bench watches it for a minute)."""
    process = subprocess.Popen(
        ["glxgears"], env={**settled, "vblank_mode": "0"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        time.sleep(2)
        before = host.resident(process.pid)
        time.sleep(4)
        after = host.resident(process.pid)
        threads = len(os.listdir(f"/proc/{process.pid}/task"))
        files = len(os.listdir(f"/proc/{process.pid}/fd"))
    finally:
        process.terminate()
        process.wait(10)
    assert process.returncode == -15
    assert after - before < 1 << 20
    assert threads < 20 and files < 40


@pytest.mark.needs("mesa-utils")
def test_memory_of_a_warm_start(settled: dict[str, str], tmp_path: pathlib.Path) -> None:
    """Nothing is compiled, so LLVM is not there: 28 MiB (README.md), and room for other machines'
    libraries. (Where the first run finds no compiled code, a later one does.)"""
    counters = tmp_path / "counters"
    for _ in range(5):
        counters.unlink(missing_ok=True)
        process = subprocess.Popen(
            ["glxgears"], env={**settled, "vblank_mode": "0", "PYDRI_STATS": str(counters)},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            until_frames(counters, 200)
            time.sleep(2)
            resident = host.resident(process.pid)
            compiled = stats.read_file(str(counters))["total"]["kernels_compiled"]
        finally:
            process.terminate()
            process.wait(10)
        if not compiled:
            assert resident < 56 << 20
            return
    pytest.fail("something is compiled in each run")


def until_frames(counters: pathlib.Path, frames: int) -> None:
    """Wait until a program has shown some (as long as it takes where nothing is compiled yet)."""
    for _ in range(600):
        time.sleep(0.1)
        if counters.exists() and stats.read_file(str(counters))["total"]["frames"] > frames:
            return
    raise AssertionError("no frames after a minute")


@pytest.mark.needs("mesa-utils")
def test_killed_in_the_middle(ours: dict[str, str], tmp_path: pathlib.Path) -> None:
    """No shared-memory segment survives a program that was killed."""
    makers: list[int] = []
    for attempt in range(3):
        counters = tmp_path / str(attempt)
        process = subprocess.Popen(
            ["glxgears"], env={**ours, "PYDRI_STATS": str(counters)}, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        makers.append(process.pid)
        until_frames(counters, 10)
        assert host.shm_segments(*makers)
        process.kill()
        process.wait()
        for _ in range(50):
            if not host.shm_segments(*makers):
                break
            time.sleep(0.1)
        assert not host.shm_segments(*makers)


@pytest.mark.needs("mesa-utils")
def test_steady_frames_stay_out_of_python(ours: dict[str, str], tmp_path: pathlib.Path) -> None:
    """Once it turns, glxgears enters Python not once in a second."""
    counters = tmp_path / "counters"
    process = subprocess.Popen(
        ["glxgears"], env={**ours, "vblank_mode": "0", "PYDRI_STATS": str(counters)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until_frames(counters, 200)
        time.sleep(0.5)
        first = stats.read_file(str(counters))["total"]
        time.sleep(1)
        second = stats.read_file(str(counters))["total"]
    finally:
        process.terminate()
        process.wait(10)
    assert second["frames"] > first["frames"] + 20
    assert second["draws"] > first["draws"] + 20
    for name in ("python_entries", "pipelines_compiled", "kernels_compiled"):
        assert second[name] == first[name], name


@pytest.mark.parametrize(
    "end",
    [
        *("forks", "exit_while_drawing", "thread_ends", "close_display", "draws_on"),
        *("objects", "handler_exits"),
    ],
)
@pytest.mark.parametrize("threads", ["0", "2"])
def test_ends(program: Program, settled: dict[str, str], end: str, threads: str) -> None:
    """Forks, exits in the middle, threads and displays that go with everything still current."""
    done = run(program("ends"), end, env={**settled, "LP_NUM_THREADS": threads})
    assert (done.returncode, done.stdout) == (5, "ok\n"), done.stdout + done.stderr[-2000:]
    assert done.stderr == ""


def test_the_end_comes_while_llvm_is_loaded(
    program: Program, ours: dict[str, str], tmp_path: pathlib.Path
) -> None:
    """Who finds the code that was made in a hurry in the cache loads LLVM in the background, for
    better code; exit() must not destroy what LLVM's constructors are making. (Of 200 ends of a
    piglit program that came at that time 20 were crashes.)"""
    kept, cache = tmp_path / "kept", tmp_path / "cache"
    env = {**ours, "MESA_SHADER_CACHE_DIR": str(cache)}
    for _ in range(2):
        done = run(program("ends"), "while_improving", env={**env, "PYDRI_TIERS": "first"})
        assert done.returncode == 5, done.stderr[-2000:]
    cache.rename(kept)
    hook = host.compile_client(HERE / "llvm_loads.c", "-O2", "-shared", "-fPIC", "-ldl")
    said = []
    for delay in DELAYS:
        shutil.copytree(kept, cache)
        done = run(program("ends"), "while_improving", str(delay), env={**env, "LD_PRELOAD": hook})
        assert (done.returncode, done.stderr) == (5, ""), f"{delay} ms"
        said.append(done.stdout.split()[0])
        shutil.rmtree(cache)
    assert "before" not in said and said[-1] == "after", said
    assert "while" in said, said  # the first ends come 30 ms before LLVM's first constructor


@pytest.mark.needs("mesa-utils")
@pytest.mark.parametrize("delay", ["0", "20000"])
def test_the_server_dies(delay: str, ours: dict[str, str], tmp_path: pathlib.Path) -> None:
    """Xlib ends a program whose server is gone; the driver must not stand in the way.

    libxcb asks by poll() whether the server is there and then calls writev(), which raises SIGPIPE
    if it has gone in between: any program of X may end so, on the peer as on our driver
    (server_dies.py: of 200 programs 200 end with 1 on both; with the window 5 ms wide 106 of the
    peer's and 81 of ours by SIGPIPE; with it closed 100 of 100 of ours with 1). writev.c closes it
    here, so that a SIGPIPE is of some other write, which would be ours. With a delay before each of
    libxcb's writes about half of the programs are between the two calls when the server dies."""
    library = host.compile_client(HERE / "writev.c", "-shared", "-fPIC", "-ldl")
    counters = tmp_path / "counters"
    more = {"WRITEV_QUIET": "1", "WRITEV_DELAY": delay, "PYDRI_STATS": str(counters)}
    with host.XServer("640x480") as server:
        env = {**ours, **more, "LD_PRELOAD": library, "DISPLAY": server.name}
        process = subprocess.Popen(
            ["glxgears"], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until_frames(counters, 10)
        assert process.poll() is None
    try:
        assert process.wait(60) == 1
    finally:
        host.end(process)


def test_what_is_gone_leaves_nothing(program: Program, settled: dict[str, str]) -> None:
    """Neither circles, which hold native memory until the collector comes, nor anything else."""
    library = program("comings", "-shared", "-fPIC", "-lEGL")
    run(sys.executable, str(HERE / "comings.py"), library, env=settled)  # kernels are made, once
    done = run(sys.executable, str(HERE / "comings.py"), library, env=settled)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [name for name, _, _ in rows] == ["displays", "contexts", "drawables", "egl_displays"]
    for name, circles, grown in rows:
        assert int(circles) < 40, f"{name}: {circles} objects in circles after 40 rounds"
        assert int(grown) < 8192, f"{name}: {grown} bytes a round"
