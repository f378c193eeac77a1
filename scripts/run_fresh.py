# SPDX-License-Identifier: MIT
"""A minute of random tests whose seed nobody has chosen: what scripts/test does before pytest.

Fixed seeds find a thing once. In: a seed (the time, if none is given). Out: the findings, each
with the command that shows it again. They fail no run: what they tell is to be mended, or becomes
a row of tests/robust/fuzz_known.py, and it is not the fault of the change that is being tested.
"""

import os
import re
import signal
import subprocess
import sys
import time
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if __name__ == "__main__":
    sys.path[0] = ROOT

from scripts import host  # noqa: E402

GRACE = 30.0  # seconds beyond its own that a program may take to end
LINES = 40  # of a finding
#: Debian packages without which these programs find nothing: the first run on a bare system comes
#: here before any test has asked for them
NEEDED = (*host.CLIENT, "libegl-dev", "libgl1", "libgl1-mesa-dri", "piglit", "xvfb")


class Fuzzer(NamedTuple):
    """A program, its arguments (`{seed}`), what bounds it (left out when it is shown again), the
    seconds that it takes at most, the pattern of a line that tells something ("": its status
    does), and whether it knows the differences from the reference's Mesa alone."""

    command: tuple[str, ...]
    bounds: tuple[str, ...]
    seconds: float
    tells: str = ""
    beside: bool = False


_ROBUST = ("scripts/run_robust.py", "--seed", "{seed}")
_ANY = (*_ROBUST, "--context", "any")
FUZZERS = (
    Fuzzer((*_ANY, "--calls", "200000"), ("--seconds", "20"), 20),
    Fuzzer((*_ROBUST, "--compare", "1000"), ("--seconds", "20"), 20, beside=True),
    Fuzzer((*_ANY, "--compare", "1000"), ("--seconds", "20"), 20, beside=True),
    Fuzzer(("-m", "tests.robust.fuzz_programs", "{seed}", "40"), (), 10, r"^seed \d+", True),
    Fuzzer(("tests/robust/fuzz_shaders.py", "{seed}", "25", "5"), (), 10, r"^==== fault"),
    Fuzzer(("-m", "tests.robust.fuzz_vc4", "{seed}", "24"), (), 10, r"^seed \d+"),
)


def _output(command: list[str], seconds: float) -> tuple[int | None, str]:
    """Status (None: it took too long) and what was written, of a process and all that it starts."""
    with subprocess.Popen(
        command, cwd=ROOT, env=host.clean_environment(), text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    ) as running:  # fmt: skip
        try:
            text = running.communicate(timeout=seconds)[0]
            return running.returncode, text
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGTERM)
            return None, running.communicate()[0]


def findings(seed: int) -> list[str]:
    """A text for each program that has something to tell."""
    found = []
    for fuzzer in FUZZERS:
        if fuzzer.beside and not host.peer().is_reference:
            continue
        shown = [part.format(seed=seed) for part in fuzzer.command]
        status, text = _output([sys.executable, *shown, *fuzzer.bounds], fuzzer.seconds + GRACE)
        told = re.search(fuzzer.tells, text, re.MULTILINE) if fuzzer.tells else status
        if told or (status or 0) != 0:
            again = " ".join([".venv/bin/python", *shown])
            lines = [f"  {line[:400]}" for line in text.splitlines()[-LINES:]]
            found.append("\n".join([f"FRESH SEED {again}", *lines]))
    return found


def report(seed: int) -> str:
    """What the seed finds, as a run of the tests tells it at its end."""
    lacking = host.install(NEEDED)
    if lacking:
        return f"fresh seed {seed}: not tried: {lacking}"
    found = findings(seed)
    if not found:
        return f"fresh seed {seed}: nothing to tell"
    return "\n".join([*found, f"fresh seed {seed}: {len(found)} to mend; this run does not fail"])


if __name__ == "__main__":
    print(report(int(sys.argv[1]) if len(sys.argv) > 1 else int(time.time())))
