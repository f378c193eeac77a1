# SPDX-License-Identifier: MIT
"""scripts/run_fresh.py: what programs of a fresh seed tell is shown, with the way to see it again,
and fails nothing."""

import pytest

from scripts import host, run_fresh
from scripts.run_fresh import Fuzzer


def _python(text: str, tells: str = "", seconds: float = 60) -> Fuzzer:
    return Fuzzer(("-c", text, "{seed}"), ("bounded",), seconds, tells)


def test_findings_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the status or by a line; a process that takes too long has told nothing."""
    fuzzers = (
        _python("import sys; sys.exit(sys.argv[1:] != ['77', 'bounded'])"),
        _python("print('a pixel differs'); raise SystemExit(3)"),
        _python("print('seed 5 differs')", r"^seed \d+"),
        _python("print('40 calls, seed 5 is fine')", r"^seed \d+"),
        _python("import time; time.sleep(600)", r"^seed \d+", 0.1),
    )
    monkeypatch.setattr(run_fresh, "FUZZERS", fuzzers)
    monkeypatch.setattr(run_fresh, "GRACE", 0.0)
    found = run_fresh.findings(77)
    assert len(found) == 2
    for text, fuzzer in zip(found, fuzzers[1:3], strict=True):
        first, *said = text.splitlines()
        assert first == f"FRESH SEED .venv/bin/python -c {fuzzer.command[1]} 77"
        assert said == ["  a pixel differs" if fuzzer is fuzzers[1] else "  seed 5 differs"]
    assert run_fresh.report(77).endswith("fresh seed 77: 2 to mend; this run does not fail")


def test_another_mesa_is_no_judge_of_known_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    found = _python("raise SystemExit(1)")
    monkeypatch.setattr(run_fresh, "FUZZERS", (found, found._replace(beside=True)))
    for version, told in (((22, 3, 6), 2), ((25, 0, 7), 1)):
        other = host.peer()._replace(version=version)
        monkeypatch.setattr(run_fresh.host, "peer", lambda other=other: other)
        assert len(run_fresh.findings(3)) == told


def test_nothing_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_fresh, "FUZZERS", (_python("pass"),))
    assert run_fresh.report(3) == "fresh seed 3: nothing to tell"


def test_a_bare_system_has_nothing_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the programs need is installed first; where it cannot be they are not tried."""
    asked = []
    monkeypatch.setattr(run_fresh, "FUZZERS", (_python("raise SystemExit(1)"),))
    monkeypatch.setattr(
        run_fresh.host, "install", lambda names: asked.extend(names) or "needs piglit"
    )
    assert run_fresh.report(3) == "fresh seed 3: not tried: needs piglit"
    assert {"libgl-dev", "libegl-dev", "piglit"} <= set(asked)
