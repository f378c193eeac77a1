# SPDX-License-Identifier: MIT
"""Tests that fail in a run and pass alone (tests/again.py): a suite of its own, in subprocess."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from tests import again, host

SUITE = """
import os, pathlib, pytest

def test_passes(): pass

@pytest.mark.parametrize("n", range({flaky}))
def test_once(n):
    print("what it printed")
    mark = pathlib.Path("mark" + str(n))
    if not mark.exists():
        mark.touch()
        assert n < 0, "the first time"

@pytest.fixture
def thing():
    mark = pathlib.Path("fixture")
    if not mark.exists():
        mark.touch()
        raise OSError("no thing")

@pytest.mark.skipif({flaky} == 0, reason="none")
def test_fixture(thing): pass
"""
FAILS = "\ndef test_fails(): assert os.environ is None\n"
LATER = """
def test_later():
    if {crash}:
        mark = pathlib.Path("crashed")
        if not mark.exists():
            mark.touch()
            os._exit(3)
import pathlib, os
"""


def run(folder: pathlib.Path, flaky: int, *more: str, fails: bool = False, crash: bool = False,
        again: str = "1") -> "subprocess.CompletedProcess[str]":  # fmt: skip
    """A suite with so many tests that fail once."""
    (folder / "conftest.py").write_text(
        "from tests.again import pytest_sessionfinish, pytest_terminal_summary\n"
    )
    (folder / "test_one.py").write_text(SUITE.format(flaky=flaky) + FAILS * fails)
    (folder / "test_two.py").write_text(LATER.format(crash=crash))
    env = {**os.environ, "TESTS_AGAIN": again, "TESTS_AGAIN_FOLDER": str(folder / "kept"),
           "PYTHONPATH": host.ROOT}  # fmt: skip
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder),
         *more], cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip


def closing(done: "subprocess.CompletedProcess[str]") -> str:
    """pytest's last line, without the time."""
    return done.stdout.splitlines()[-1].partition(" in ")[0]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n", "2", "--dist", "loadfile")], ids=["one", "two"])
def test_who_passes_alone_fails_nothing(workers: tuple[str, ...], tmp_path: pathlib.Path) -> None:
    done = run(tmp_path, 2, *workers)
    assert done.returncode == 0, done.stdout
    assert closing(done) == "2 passed, 3 flaky"
    assert "flaky: 3 (a defect each; the list of known ones: tests/README.md)" in done.stdout
    kept = re.findall(r"^FLAKY test_one.py::(\S+): (\S+)-\*.txt$", done.stdout, re.M)
    assert {name for name, _ in kept} == {"test_once[0]", "test_once[1]", "test_fixture"}
    for name, place in kept:
        first = pathlib.Path(f"{place}-in-the-run.txt").read_text()
        assert ("the first time" in first and "what it printed" in first) != ("no thing" in first)
        assert "1 passed" in pathlib.Path(f"{place}-alone.txt").read_text(), name
    # once more: nothing fails, and the run says so
    done = run(tmp_path, 2, *workers)
    assert (done.returncode, closing(done)) == (0, "5 passed") and "flaky: 0 " in done.stdout


@pytest.mark.slow
def test_who_fails_alone_has_failed(tmp_path: pathlib.Path) -> None:
    done = run(tmp_path, 1, fails=True)
    assert (done.returncode, closing(done)) == (1, "1 failed, 2 passed, 2 flaky"), done.stdout
    assert "fails alone, too: test_one.py::test_fails" in done.stdout
    assert "assert environ" in done.stdout  # the failure itself is shown as ever


@pytest.mark.slow
def test_a_crash_of_a_worker_is_a_failure_like_another(tmp_path: pathlib.Path) -> None:
    done = run(tmp_path, 0, "-n", "2", "--dist", "loadfile", crash=True)
    assert done.returncode == 0 and "1 flaky" in closing(done), done.stdout
    assert "FLAKY test_two.py::test_later" in done.stdout


@pytest.mark.slow
def test_many_failures_are_no_chance(tmp_path: pathlib.Path) -> None:
    done = run(tmp_path, again.MOST)  # and the fixture
    assert done.returncode == 1 and closing(done) == "10 failed, 2 passed, 1 error", done.stdout
    assert "too many to run them again" in done.stdout and not (tmp_path / "kept").exists()


@pytest.mark.slow
def test_only_where_it_is_wanted(tmp_path: pathlib.Path) -> None:
    """A debugger or -x is for who looks at the first failure."""
    for more, again_ in (((), ""), (("-x",), "1")):
        done = run(tmp_path, 1, *more, again=again_)
        assert done.returncode == 1 and "flaky" not in done.stdout
        (tmp_path / "mark0").unlink()
        (tmp_path / "fixture").unlink(missing_ok=True)
