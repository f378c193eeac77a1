# SPDX-License-Identifier: MIT
"""For all tests: what they need is installed before the first one, what is missing skips (a failure
where CI is set), no test takes for ever, and one X server serves all that need nothing special.

At the end what failed is run again alone (again.py), and what was excused is counted (excused.py).
"""

import fcntl
import os
import random
import zlib
from collections.abc import Generator, Iterator

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from pydri.util.options import reset_once
from tests import again, excused, host

SECONDS = 300
"""What a test may take, if no mark `timeout` says otherwise."""
FIRST = ("pictures", "piglit", "robust/test_sanitizers", "robust", "unit/glx/test_samples", "apps")
"""What takes long begins first, so that no process waits for another one at the end."""
SPREAD = {"tests/piglit/test_piglit.py": 8}
"""Files of a thousand processes each: so many parts, which the workers share."""
_IMPLIED = {"x11": ("xvfb",), "embed": ("gcc", "libc6-dev")}


def pytest_configure(config: pytest.Config) -> None:
    """Tests see no X server that they have not asked for, and nothing that steers GL."""
    config.pluginmanager.register(excused, "excused")
    config.pluginmanager.register(again, "again")
    os.environ.pop("DISPLAY", None)
    for name in set(os.environ) - set(host.clean_environment()):
        del os.environ[name]


def needed(item: pytest.Item) -> list[str]:
    """The Debian packages of a test."""
    packages = [name for mark in item.iter_markers("needs") for name in mark.args]
    for mark, implied in _IMPLIED.items():
        if item.get_closest_marker(mark):
            packages += implied
    return packages


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """When processes share the work (-n), the tests of a file stay in one of them, so that what
    they share is made once, but for those of SPREAD; files go in the order of FIRST: the longest
    begin first."""
    if getattr(config.option, "numprocesses", None):
        config.option.dist = "loadfile"
        config.option.loadscopereorder = False


class Scheduling(LoadFileScheduling):
    """A file in one process, those of SPREAD in parts."""

    def _split_scope(self, nodeid: str) -> str:
        """The name of what stays together."""
        path = nodeid.partition("::")[0]
        return f"{path} {zlib.crc32(nodeid.encode()) % SPREAD.get(path, 1)}"


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling | None:
    """Ours, where files are what is shared."""
    return Scheduling(config, log) if config.option.dist == "loadfile" else None


def _rank(item: pytest.Item) -> int:
    path = item.nodeid.split("::")[0]
    return next((n for n, name in enumerate(FIRST) if path.startswith(f"tests/{name}")), len(FIRST))


def shuffled(items: list[pytest.Item], seed: str) -> list[pytest.Item]:
    """The files in an order of chance, and the tests of each; those of a file stay together. The
    order depends on the seed alone: processes that share the work must all see the same one."""
    chance, files = random.Random(seed), dict[str, list[pytest.Item]]()
    for item in items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    order = sorted(files)
    chance.shuffle(order)
    return [item for name in order for item in chance.sample(files[name], len(files[name]))]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The tier's tests, the longest files first, or in the order of TESTS_SHUFFLE; each test has a
    limit; those of a file stay together when processes share the work."""
    left_out = {"quick": ("slow", "long"), "merge": ("long",)}.get(host.tier(), ())
    gone = [item for item in items if any(map(item.get_closest_marker, left_out))]
    config.hook.pytest_deselected(items=gone)
    kept = [item for item in items if item not in set(gone)]
    seed = os.environ.get("TESTS_SHUFFLE", "")
    items[:] = shuffled(kept, seed) if seed else sorted(kept, key=_rank)
    for item in items:
        if not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(SECONDS))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Install at once what the chosen tests lack; processes that share the work do so in turn."""
    wanted = {name for item in session.items for name in needed(item)}
    if session.config.option.collectonly or not host.missing(wanted):
        return
    folder = os.path.join(host.ROOT, "build")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, ".packages.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        host.install(sorted(wanted))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what lacks a package. What an earlier test of this process was told once is told again:
    which tests share a process is chance."""
    reset_once()
    if absent := host.missing(needed(item)):
        pytest.skip("needs the Debian packages " + " ".join(absent))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Who meets `host.Missing` is skipped; where CI is set, a test that was skipped because
    something is missing has failed."""
    report = yield
    if call.excinfo is not None and call.excinfo.errisinstance(host.Missing):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: {call.excinfo.value}")
    if report.skipped and not hasattr(report, "wasxfail") and host.is_ci():
        if not excused.reason_of(report):
            told = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            report.outcome = "failed"
            report.longrepr = f"CI is set, and this was not run. {told}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What a fresh seed told scripts/test (scripts/run_fresh.py): it fails nothing."""
    if told := os.environ.get("TESTS_FRESH"):
        terminalreporter.section("fresh seeds")
        terminalreporter.write_line(told)


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """The name of an X server with a big screen, which all tests of this process share."""
    with host.XServer("1280x1024") as server:
        yield server.name


@pytest.fixture(scope="session")
def libdir() -> str:
    """The folder of our libraries, up to date."""
    return host.libraries()
