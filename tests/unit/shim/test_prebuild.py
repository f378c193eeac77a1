# SPDX-License-Identifier: MIT
"""The build's own kernels: shared out to processes, counted, and in a folder for each level."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from libgl_shim import build, prebuild
from pydri.jit import cpu

WORKER = """
import os
os.write(1, b"of 7\\n")
while number := os.read(0, 1):
    if number[0] < 7:
        open(f"{os.environ['FOLDER']}/{number[0]}-{os.getpid()}", "w")
        os.write(1, b"done\\n")
raise SystemExit(int(os.environ["STATUS"]))
"""


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path, str], None]:
    """Processes that note which numbers they were given."""

    def ready(folder: Path, status: str) -> None:
        env = {**os.environ, "FOLDER": str(folder), "STATUS": status}

        def start(_: str, __: str, numbers: int, said: int) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-c", WORKER]
            return subprocess.Popen(command, stdin=numbers, stdout=said, env=env)

        monkeypatch.setattr(prebuild, "_start", start)
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})

    return ready


def test_processes_share_the_work(
    workers: Callable[[Path, str], None], tmp_path: Path
) -> None:
    """Each number is taken once, and what is done is counted up to all of them."""
    workers(tmp_path, "0")
    heard: list[tuple[int, int]] = []
    prebuild._run("", "", lambda done, total: heard.append((done, total)))
    assert sorted(int(path.name.partition("-")[0]) for path in tmp_path.iterdir()) == [*range(7)]
    assert heard[-1] == (7, 7) and [done for done, _ in heard] == sorted(done for done, _ in heard)


def test_a_process_that_fails_fails_the_build(
    workers: Callable[[Path, str], None], tmp_path: Path
) -> None:
    workers(tmp_path, "3")
    with pytest.raises(subprocess.CalledProcessError):
        prebuild._run("", "", lambda done, total: None)


def test_what_an_older_build_left_goes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Other levels of these sources stay; whoever may load the libraries may read the objects."""
    v2, v3, v4 = cpu.LEVELS[1:]
    objects = tmp_path / cpu.SHIPPED
    objects.mkdir()
    (objects / "an object of before there were levels").write_bytes(b"")
    for name in ("x86-64-v4-0123456789abcdef", cpu.level_folder(v2), cpu.level_folder(v3)):
        (objects / name).mkdir()
        (objects / name / "old").write_bytes(b"")

    def run(folder: str, level: str, _: object) -> None:
        Path(folder, "object").write_text(level)

    monkeypatch.setattr(prebuild, "_run", run)
    prebuild.prebuild(str(tmp_path), v3.name, cpu.level_folder(v3), lambda done, total: None)
    kept = {cpu.level_folder(v2), cpu.level_folder(v3)}
    assert {path.name for path in objects.iterdir()} == kept
    [path] = (objects / cpu.level_folder(v3)).iterdir()
    assert path.read_text() == v3.name
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o644, 0o755)
    assert build.kernels_are_current(str(tmp_path), [v3.name, v2.name])
    assert not build.kernels_are_current(str(tmp_path), [v4.name])


@pytest.mark.parametrize("say", [True, False])
def test_progress_is_told_without_a_terminal(
    say: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build.Progress, "EVERY", -1.0)
    progress = build.Progress("compiling", say)
    progress(12, 46)
    progress.end()
    told = capsys.readouterr().err.splitlines()
    assert told[1:2] == (["pydri: kernels: 12 of 46"] if say else [])
    assert len(told) == (3 if say else 0)
