# SPDX-License-Identifier: MIT
"""Piglit's shader tests on VC4, their counts beside Mesa's: `python -m tests.piglit.vc4 [LIST]`.

In: a list of tests (c1_glsl1_exec of the judges, if none is named), Mesa's counts of them
(shaderdb.tsv). Out: the verdict of each test that does not pass; geometric means of QPU words and
of uniforms over Mesa's, by stages; each program above LIMIT, or of fewer threads. Programs are
compared in the order in which a test draws with them.
"""

from __future__ import annotations

import math
import operator
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from typing import NamedTuple

from tests import host
from tests.piglit.test_piglit import PIGLIT
from tests.unit.pipe_vc4.shared import SHARED

LIMIT = 1.25
SECONDS = 300
STAGES = ("FS", "VS", "CS")
WHAT = ("qpu", "threads", "uniforms")
LIST = SHARED.parent / "piglit" / "dev" / "c1_glsl1_exec.txt"


class Row(NamedTuple):
    """A program: its stage and its counts."""

    stage: str
    qpu: int
    threads: int
    uniforms: int


class Ratio(NamedTuple):
    """A count of ours over Mesa's."""

    test: str
    stage: str
    what: str
    ours: int
    theirs: int

    @property
    def value(self) -> float:
        """Where both are nothing, they are the same."""
        return max(self.ours, 1) / max(self.theirs, 1)


def mesas(path: pathlib.Path) -> dict[str, list[Row]]:
    """What Mesa drew with, by test."""
    head, *lines = (line.split("\t") for line in path.read_text().splitlines())
    at = {name: number for number, name in enumerate(head)}
    found: dict[str, list[Row]] = {}
    for line in lines:
        if line[at["made"]] == "draw":
            row = Row(line[at["stage"]], *(int(line[at[what]]) for what in Row._fields[1:]))
            found.setdefault(line[0], []).append(row)
    return found


def told(text: str) -> list[Row]:
    """The rows that VC4_DEBUG=shaderdb printed."""
    lines = (line.split("\t") for line in text.splitlines() if line.startswith("shaderdb\t"))
    return [Row(line[1], *map(int, line[7:10])) for line in lines]


def compared(test: str, ours: list[Row], theirs: list[Row]) -> list[Ratio]:
    """Program by program of each stage, as far as both drew."""
    found = []
    for stage in STAGES:
        pair = ([row for row in side if row.stage == stage] for side in (ours, theirs))
        for mine, other in zip(*pair):
            found += [Ratio(test, stage, what, getattr(mine, what), getattr(other, what))
                      for what in WHAT]  # fmt: skip
    return found


def run(command: str, kind: str, env: dict[str, str]) -> tuple[str, list[Row]]:
    """A test's verdict and what it drew with."""
    words = shlex.split(command.replace("{R}", str(PIGLIT)))
    if kind == "shader":
        words = ["shader_runner", str(PIGLIT / command), "-auto", "-fbo"]
    try:
        done = subprocess.run(
            [str(PIGLIT / "bin" / words[0]), *words[1:]], env=env, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "timeout", []
    verdicts = re.findall(r'PIGLIT: \{"result": "(\w+)"', done.stdout)
    return (verdicts[-1] if verdicts else f"exit {done.returncode}"), told(done.stderr)


def means(ratios: Iterable[Ratio]) -> dict[tuple[str, str], float]:
    """Geometric means by what is counted and by stage."""
    logs: dict[tuple[str, str], list[float]] = {}
    for one in ratios:
        logs.setdefault((one.what, one.stage), []).append(math.log(one.value))
    return {place: math.exp(sum(found) / len(found)) for place, found in logs.items()}


def main(arguments: list[str]) -> int:
    """1 if a mean is above one."""
    path = pathlib.Path(arguments[0]) if arguments else LIST
    known, ratios, verdicts = mesas(SHARED / "shaderdb.tsv"), list[Ratio](), list[str]()
    with host.XServer() as server, tempfile.TemporaryDirectory() as folder:
        env = host.side(
            "ours", server.name, GALLIUM_DRIVER="vc4", VC4_DEBUG="shaderdb", TMPDIR=folder,
            PIGLIT_PLATFORM="glx", PIGLIT_SOURCE_DIR=str(PIGLIT),
            MESA_SHADER_CACHE_DIR=host.kernels(),
        )  # fmt: skip
        for line in path.read_text().splitlines():
            name, kind, _, command = line.split("\t")
            verdict, rows = run(command, kind, env)
            verdicts.append(verdict)
            if verdict != "pass":
                print(f"{verdict}\t{name}", flush=True)
            ratios += compared(name, rows, known.get(name, []))
    print(f"{verdicts.count('pass')} of {len(verdicts)} pass")
    found = means(ratios)
    threads = [one for one in ratios if one.what == "threads"]
    fewer, more = (sum(compare(one.ours, one.theirs) for one in threads)
                   for compare in (operator.lt, operator.gt))  # fmt: skip
    print(f"threads\t{fewer} programs have fewer, {more} more, of {len(threads)}")
    for (what, stage), mean in sorted(found.items()):
        if what == "threads":
            continue
        count = sum((one.what, one.stage) == (what, stage) for one in ratios)
        print(f"{what}\t{stage}\t{mean:.3f}\tof {count} programs")
    for one in ratios:
        if one.value > LIMIT and one.what != "threads" or one.value < 1 and one in threads:
            print(f"beyond Mesa's\t{one.what}\t{one.stage}\t{one.ours}/{one.theirs}\t{one.test}")
    return int(any(mean > 1 for (what, _), mean in found.items() if what != "threads"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
