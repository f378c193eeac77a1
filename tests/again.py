# SPDX-License-Identifier: MIT
"""Tests that failed are run again at the end, each alone in a process of its own.

In: TESTS_AGAIN=1 (scripts/test sets it), what failed in a run. Out: who passes alone is FLAKY: it
fails nothing, is counted in the closing line, and what both runs said is kept in a folder below
build/flaky that the end of the run names. A flaky test is a defect all the same: tests/README.md
has the list of those that are known. More than MOST failures are no chance: none is run again.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest
from _pytest.terminal import TerminalReporter

MOST = 10
KEPT_RUNS = 20  # folders of outputs
FAILED = ("failed", "error")  # in the call; in a fixture
ROOT = pathlib.Path(__file__).resolve().parents[1]


def is_wanted(config: pytest.Config) -> bool:
    """Whether this process decides about a run: no worker of xdist, no debugger, all tests."""
    stops = config.getoption("usepdb", False) or config.getoption("maxfail", 0)
    return bool(os.environ.get("TESTS_AGAIN")) and not hasattr(config, "workerinput") and not stops


def _folder() -> pathlib.Path:
    """Where this run keeps outputs, an empty folder; the oldest ones of other runs are removed."""
    place = pathlib.Path(os.environ.get("TESTS_AGAIN_FOLDER") or ROOT / "build" / "flaky")
    place.mkdir(parents=True, exist_ok=True)
    for old in sorted(place.iterdir())[: -KEPT_RUNS + 1]:
        shutil.rmtree(old, ignore_errors=True)
    folder = place / f"{time.strftime('%Y-%m-%d-%H.%M.%S')}-{os.getpid()}"
    folder.mkdir()
    return folder


def passes_alone(nodeid: str, root: pathlib.Path, output: pathlib.Path) -> bool:
    """Run a test in a fresh process; what it says goes to a file."""
    command = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", nodeid]
    env = {name: value for name, value in os.environ.items() if name != "TESTS_AGAIN"}
    try:
        done = subprocess.run(
            command, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=3600, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        output.write_text(str(late))
        return False
    output.write_text(done.stdout)
    return done.returncode == 0 and re.search(r"(?<!\d)1 passed\b", done.stdout) is not None


def _told(report: pytest.TestReport) -> str:
    """All that the run said of a failure."""
    sections = [f"-- {name} --\n{content}" for name, content in report.sections]
    return "\n".join([f"{report.nodeid} ({report.when})", report.longreprtext, *sections, ""])


def _reports(reporter: TerminalReporter) -> dict[str, list[pytest.TestReport]]:
    """The reports of what failed, by test."""
    found: dict[str, list[pytest.TestReport]] = {}
    for category in FAILED:
        for report in reporter.stats.get(category, []):
            if isinstance(report, pytest.TestReport):
                found.setdefault(report.nodeid, []).append(report)
    return found


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Run again what failed, before the run is summed up; the exit status follows."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not is_wanted(session.config) or reporter is None:
        return
    failed = _reports(reporter)
    lines = reporter.flaky_lines = []
    if len(failed) > MOST:
        lines.append(f"{len(failed)} tests failed: too many to run them again alone")
        return
    folder = _folder() if failed else None
    for number, (nodeid, reports) in enumerate(failed.items()):
        assert folder is not None
        (folder / f"{number}-in-the-run.txt").write_text("\n".join(map(_told, reports)))
        if not passes_alone(nodeid, session.config.rootpath, folder / f"{number}-alone.txt"):
            lines.append(f"fails alone, too: {nodeid}")
            continue
        lines.append(f"FLAKY {nodeid}: {folder}/{number}-*.txt")
        reporter.stats.setdefault("flaky", []).extend(reports)
        for category in FAILED:
            left = [one for one in reporter.stats.get(category, []) if one not in reports]
            reporter.stats[category] = left
            if not left:
                del reporter.stats[category]
    if not any(reporter.stats.get(category) for category in FAILED):
        if session.exitstatus == pytest.ExitCode.TESTS_FAILED:
            session.exitstatus = pytest.ExitCode.OK


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """How many tests were flaky, and where their list stands."""
    if not is_wanted(config):
        return
    flaky = {report.nodeid for report in terminalreporter.stats.get("flaky", [])}
    terminalreporter.section("flaky tests")
    for line in getattr(terminalreporter, "flaky_lines", []):
        terminalreporter.write_line(line)
    terminalreporter.write_line(
        f"flaky: {len(flaky)} (a defect each; the list of known ones: tests/README.md)"
    )
