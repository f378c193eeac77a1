# SPDX-License-Identifier: MIT
"""What means nothing on a machine is counted at the end of each run, and bounded where CI is set.

In: the skips of host.does_not_apply, whose reasons are rows of host.EXCUSES with the most that a
whole run may have. Out: a line for each reason; where there are more and CI is set, one failure
more, with the reasons, so that the closing line and the exit status say so.
"""

from collections import Counter

import pytest
from _pytest.terminal import TerminalReporter

from tests import host

NODE = "tests/host.py::EXCUSES"


def reason_of(report: pytest.TestReport) -> str:
    """The row of host.EXCUSES by which a test was skipped; "" for any other skip."""
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    text = str(told).removeprefix("Skipped: ")
    if not text.startswith(host.NOT_APPLICABLE):
        return ""
    text = text.removeprefix(host.NOT_APPLICABLE)
    return next((row for row in host.EXCUSES if text.startswith(row)), text)


def counted(reports: list[pytest.TestReport]) -> Counter[str]:
    """How many tests have each reason."""
    return Counter(filter(None, map(reason_of, reports)))


def beyond(counts: Counter[str]) -> list[str]:
    """The reasons that more tests have than may, in words."""
    return [
        f"{count} tests do not apply ({reason}), {host.EXCUSES.get(reason, 0)} may"
        for reason, count in counts.items()
        if count > host.EXCUSES.get(reason, 0)
    ]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """One failure more where too much is excused."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput") or not host.is_ci():
        return
    wrong = beyond(counted(reporter.stats.get("skipped", [])))
    if wrong:
        text = "CI is set, and too much is excused.\n" + "\n".join(wrong)
        place = ("tests/host.py", 0, NODE)
        report = pytest.TestReport(NODE, place, {}, "failed", text, "call")
        reporter.stats.setdefault("failed", []).append(report)
        if session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """The number and the reasons."""
    counts = counted(terminalreporter.stats.get("skipped", []))
    most = sum(host.EXCUSES.values())
    terminalreporter.write_line(f"does not apply here: {counts.total()} (of a whole run: {most})")
    for reason, count in counts.most_common():
        terminalreporter.write_line(f"  {count} of {host.EXCUSES.get(reason, 0)}: {reason}")
