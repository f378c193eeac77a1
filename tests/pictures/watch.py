# SPDX-License-Identifier: MIT
"""Changing scenes for a long time: `python -m tests.pictures.watch SCENES SECONDS`.

In: the client of compare.compile_client, the environment of a side. Out: what the process kept
after each round in KiB; the exit status is 1 if a picture changed or the memory grew.
"""

import os
import subprocess
import sys

#: rounds until every buffer has been as large as it gets, and Python has looked for what compiling
#: left in circles (pydri/util/garbage.py: every 24,000 objects, which are some hundred KiB)
WARM = 4
GROWTH = 512  # KiB that fragmentation may take in a round,
MOST = 1024  # and however many rounds follow


def watch(scenes: str, env: dict[str, str], seconds: int = 0, nth: int = 1) -> list[int]:
    """Draw all scenes, or each nth, for WARM + 2 rounds and at least so long; KiB kept after each
    round.

    AssertionError if a picture changed or the memory grew."""
    command = [scenes, "watch", str(WARM + 2), str(seconds), str(nth)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2000:]
    kept = [int(line.split()[1]) for line in done.stdout.splitlines()]
    allowed = min(GROWTH * (len(kept) - 1 - WARM), MOST)
    assert kept[-1] - kept[WARM] < allowed, f"the process grew: {kept} KiB"
    return kept


if __name__ == "__main__":
    rounds = watch(sys.argv[1], dict(os.environ), int(sys.argv[2]))
    print(len(rounds), "rounds, KiB:", *rounds[:: max(1, len(rounds) // 20)])
