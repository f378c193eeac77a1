# SPDX-License-Identifier: MIT
"""How a run of the tests goes: what is excused is bounded, files come in an order of chance."""

import os
import pathlib
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests import conftest, excused, host

SUITE = """
import pytest
from tests import host

@pytest.mark.parametrize("n", range({count}))
def test_of_root(n):
    host.does_not_apply("needs root", "to do that")

def test_passes(): pass
"""


def skipped(reason: str) -> pytest.TestReport:
    """A report of a test that was skipped so."""
    place = ("a.py", 1, "test")
    return pytest.TestReport("a.py::test", place, {}, "skipped", ("a.py", 1, reason), "call")


def test_what_is_excused_is_counted() -> None:
    reports = [skipped(f"Skipped: {host.NOT_APPLICABLE}{host.OTHER_MESA}: {n}") for n in range(3)]
    reports += [skipped("Skipped: needs the Debian packages piglit"), skipped("unconditional skip")]
    assert excused.counted(reports) == {host.OTHER_MESA: 3}
    most = host.EXCUSES["needs root"]
    assert not excused.beyond(excused.counted([skipped("")] * 4))
    many = [skipped(f"Skipped: {host.NOT_APPLICABLE}needs root: so")] * (most + 1)
    assert not excused.beyond(excused.counted(many[:-1])) and excused.beyond(
        excused.counted(many)
    ) == [f"{most + 1} tests do not apply (needs root), {most} may"]
    # a reason that is in no list may have nothing
    assert excused.beyond(excused.counted([skipped(f"Skipped: {host.NOT_APPLICABLE}a whim")]))


def test_reasons_are_rows() -> None:
    with pytest.raises(AssertionError, match="a whim"):
        host.does_not_apply("a whim")


@pytest.mark.slow
@pytest.mark.parametrize("ci", ["", "true"])
@pytest.mark.parametrize("more", [0, 1])
def test_too_many_excuses_fail_in_ci(tmp_path: pathlib.Path, ci: str, more: int) -> None:
    (tmp_path / "conftest.py").write_text(
        "from tests.excused import pytest_sessionfinish, pytest_terminal_summary\n"
    )
    count = host.EXCUSES["needs root"] + more
    (tmp_path / "test_one.py").write_text(SUITE.format(count=count))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "--rootdir", "."],
        cwd=tmp_path, env={**os.environ, "CI": ci, "PYTHONPATH": host.ROOT}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    fails = bool(ci and more)
    assert done.returncode == fails, done.stdout
    assert ("1 failed, 1 passed" in done.stdout.splitlines()[-1]) == fails, done.stdout
    assert f"does not apply here: {count} " in done.stdout


def test_an_order_of_chance_keeps_files_together() -> None:
    names = [f"tests/{file}.py::test_{n}" for file in "abcdefgh" for n in range(9)]
    items = [SimpleNamespace(nodeid=name) for name in names]

    def order(seed: str) -> list[str]:
        return [item.nodeid for item in conftest.shuffled(items, seed)]  # type: ignore[arg-type]

    once = order("1")
    assert sorted(once) == sorted(names) and once != names
    files = [name.partition("::")[0] for name in once]
    assert sum(a != b for a, b in zip(files, files[1:])) == 7 and files != sorted(files)
    assert [n for n in once if "/a" in n] != [n for n in names if "/a" in n]
    assert once == order("1") != order("2")
