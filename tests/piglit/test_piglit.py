# SPDX-License-Identifier: MIT
"""Piglit's tests of what the driver has, each against what tests/expectations says of it."""

import os
import pathlib
import re
import shlex
import subprocess
from collections.abc import Iterator

import pytest

from tests import host

PIGLIT = pathlib.Path(host.LIB, "piglit")
LISTS = pathlib.Path(__file__).parents[1] / "expectations"
SECONDS = 60
"""Longer than any of these takes; what has not ended by then hangs."""


BATCH = 24
"""Files of shader_runner that share a process."""


def listed(kind: str = "gl") -> list[tuple[str, list[str]]]:
    """(name, command words) of all lists: of programs, or the files of "shader"."""
    found = []
    for path in sorted(LISTS.glob("[a-h]*_*.txt")):
        for line in path.read_text().splitlines():
            name, of, _, command = line.split("\t")
            if of == kind:
                words = shlex.split(command.replace("{R}", str(PIGLIT)))
                found.append((name, words if of == "gl" else [command]))
    return found


def batches() -> list[list[str]]:
    """The files of shader_runner, by the dozens that share a process."""
    files = [command[0] for _, command in listed("shader")]
    return [files[at : at + BATCH] for at in range(0, len(files), BATCH)]


def known() -> dict[str, str]:
    """Why a test is expected to fail, by its name."""
    lines = (LISTS / "known.txt").read_text().splitlines()
    return dict(line.split("\t", 1) for line in lines)  # type: ignore[misc]


@pytest.fixture(scope="module")
def env(libdir: str) -> Iterator[dict[str, str]]:
    """Our side, preloaded, on an X server of its own."""
    with host.XServer() as server:
        yield host.side(
            "ours", server.name, LD_PRELOAD=f"{libdir}/libGL.so.1", PIGLIT_PLATFORM="glx",
            PIGLIT_SOURCE_DIR=str(PIGLIT),
        )  # fmt: skip


def test_the_lists_are_sound() -> None:
    """No name twice, and no reason for a test that is in no list."""
    names = [name for kind in ("gl", "shader") for name, _ in listed(kind)]
    assert len(names) == len(set(names)) > 800
    assert set(known()) <= set(names)


@pytest.mark.x11
@pytest.mark.slow
@pytest.mark.needs("piglit")
def test_piglit_loads_our_library(env: dict[str, str], tmp_path: pathlib.Path) -> None:
    """What piglit's own program says of the driver in this environment is what we say."""
    done = subprocess.run(
        [str(PIGLIT / "bin" / "glinfo"), "-auto"], cwd=tmp_path, env=env, capture_output=True,
        text=True, errors="replace", timeout=SECONDS, check=False,
    )  # fmt: skip
    assert re.search(r"GL_RENDERER = pydri", done.stdout), done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.x11
@pytest.mark.slow
@pytest.mark.needs("piglit")
@pytest.mark.parametrize(("name", "command"), listed(), ids=[name for name, _ in listed()])
def test_piglit(name: str, command: list[str], env: dict[str, str], tmp_path: pathlib.Path) -> None:
    """The verdict is 'pass', unless a reason is known why not."""
    done = subprocess.run(
        [str(PIGLIT / "bin" / command[0]), *command[1:]],
        cwd=tmp_path,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode >= 0, f"ended by signal {-done.returncode}: {done.stderr[-2000:]}"
    verdicts = re.findall(r'PIGLIT: \{"result": "(\w+)"', done.stdout)
    said = f"{os.linesep}{done.stdout[-2000:]}{done.stderr[-2000:]}"
    verdict = verdicts[-1] if verdicts else "none"
    if reason := known().get(name):
        assert verdict != "pass", f"passes now: take it off known.txt ({reason})"
        pytest.xfail(reason)
    assert verdict == "pass", f"{verdict}{said}"


@pytest.mark.x11
@pytest.mark.slow
@pytest.mark.needs("piglit")
@pytest.mark.parametrize("files", batches(), ids=[files[0] for files in batches()])
def test_shaders(files: list[str], env: dict[str, str], tmp_path: pathlib.Path) -> None:
    """Every file says 'pass'. One shader_runner does them all, one after the other."""
    paths = [str(PIGLIT / file) for file in files]
    done = subprocess.run(
        [str(PIGLIT / "bin" / "shader_runner"), *paths, "-auto", "-fbo", "-report-subtests"],
        cwd=tmp_path, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", timeout=SECONDS, check=False,
    )  # fmt: skip
    said = re.findall(r'PIGLIT: \{"subtest": \{"(.*)" : "(\w+)"\}\}', done.stdout)
    wanted = [(pathlib.Path(file).stem, "pass") for file in files]
    end = f"{done.returncode}{os.linesep}{done.stdout[-2000:]}{done.stderr[-2000:]}"
    assert (done.returncode, said) == (0, wanted), end
