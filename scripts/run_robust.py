# SPDX-License-Identifier: MIT
"""The body of scripts/robust: random well-typed calls until their number or the time is reached.

In: tests/robust/fuzz.py (GL, one and two threads that share objects), tests/robust/glx_calls.c
and egl_calls.c (GLX and EGL, one to four threads), the programs of tests/robust/test_programs.py
(contexts by the thousand, storms of resizes, forks, absurd numbers, a server that dies), an X
server of our own.
Out: a line a run, and for each that failed what led to it and how to have it again. Everything
depends on --seed; thread counts of the rasteriser change from run to run. --minutes plays GLX and
drawing in one process that long, whose memory may not grow in its second half. --compare
plays random sequences on the peer as well (tests/robust/fuzz_peer.py): the errors of all commands,
then episodes; with --seconds half of that time each, the commands in an order of chance. --context:
all of this in core profiles or OpenGL ES.
"""

import argparse
import itertools
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if __name__ == "__main__":
    sys.path[0] = ROOT

from libgl_shim import build, products  # noqa: E402
from scripts import host  # noqa: E402
from tests.pictures import compare  # noqa: E402
from tests.robust import fuzz, fuzz_contexts, fuzz_known, fuzz_peer  # noqa: E402

ROBUST = os.path.join(ROOT, "tests", "robust")
GL_CALLS, FRONT_CALLS = 10000, 3000  # of one process
LONGEST = 600  # seconds that one of them may take
GLX_RATE = 250  # calls a second, about: how many --minutes asks for


class Robust:
    """One session: what was called, what failed."""

    def __init__(self, seed: int, folder: str, display: str) -> None:
        self.seed, self.folder = seed, folder
        self.calls, self.failures = 0, 0
        self.began = time.monotonic()
        self.notes = pathlib.Path(folder, "notes")
        flags = ("-lEGL", "-lGL", "-lX11", "-lpthread")
        self.fronts = {
            name: host.compile_client(f"{ROBUST}/{name}_calls.c", *flags) for name in ("glx", "egl")
        }
        self.env = host.environment("ours", "", False, DISPLAY=display)

    def run(
        self, what: str, calls: int, *command: str, threads: int = 2, seconds: float = LONGEST
    ) -> bool:
        """One process, with so many threads in the rasteriser; says how it ended."""
        env = {"LP_NUM_THREADS": str(threads)}
        try:
            done = subprocess.run(
                command, env={**self.env, **env}, cwd=ROOT, capture_output=True, text=True,
                timeout=seconds, check=False, errors="replace",
            )  # fmt: skip
            how = "ok" if done.returncode == 0 else f"status {done.returncode}"
            if "libGL error" in done.stderr:
                how = "a failure of ours behind a call"
            told = done.stdout[-500:] + done.stderr[-3000:]
        except subprocess.TimeoutExpired:
            how, told = f"hangs (more than {seconds:.0f} s)", ""
        self.calls += calls
        self.failures += how != "ok"
        spent = time.monotonic() - self.began
        print(f"{spent:6.0f} s {self.calls:9,} calls  {what}: {how}", flush=True)
        if how != "ok":
            print("  " + " ".join([*(f"{k}={v}" for k, v in env.items()), *command]))
            print(told, flush=True)
        return how == "ok"

    def gl(self, number: int) -> None:
        """The calls of a seed, in every second run those of another one in a second thread."""
        seed, threads = self.seed + number, 1 + number % 2
        command = (f"{ROBUST}/fuzz.py", str(seed), str(GL_CALLS), str(self.notes), str(threads),
                   fuzz_contexts.used())  # fmt: skip
        what = f"GL, seed {seed}, {threads} thread{'s' * (threads > 1)}"
        if not self.run(what, GL_CALLS * threads, sys.executable, *command, threads=number % 3):
            last = struct.unpack("<QQ", self.notes.read_bytes())
            for n in range(threads):
                print(fuzz.show(seed + 1000 * n, last[n]), flush=True)

    def front(self, name: str, number: int) -> None:
        """The calls of a seed in one to four threads, each with a connection of its own."""
        seed, threads = self.seed + number, 1 + number // 4 % 4
        command = (self.fronts[name], str(seed), str(FRONT_CALLS), str(threads))
        what = f"{name.upper()}, seed {seed}, {threads} thread{'s' * (threads > 1)}"
        self.run(what, FRONT_CALLS * threads, *command, threads=number // 4 % 3)

    def memory(self, minutes: float) -> None:
        """Processes whose memory must stay as it is: all scenes of tests/pictures, each in a window
        and a context of its own, round after round; frames of 2,000 states, and of objects that
        live a frame; random GLX calls."""
        scenes = str(compare.compile_client())
        watch = (sys.executable, "-m", "tests.pictures.watch", scenes, str(int(minutes * 60)))
        self.run(f"scenes, {minutes:g} minutes", 0, *watch, seconds=minutes * 120 + 600)
        steady = host.compile_client(f"{ROOT}/tests/steady/steady.c", "-lGL", "-lX11")
        for group in ("states", "objects"):
            what = f"steady frames of {group}, {minutes:g} minutes"
            self.run(what, 0, steady, group, f"{int(minutes * 60)}s", seconds=minutes * 60 + 300)
        calls = int(minutes * 60 * GLX_RATE)
        command = (self.fronts["glx"], str(self.seed), str(calls), "1")
        self.run(f"GLX memory, {minutes:g} minutes", calls, *command, seconds=minutes * 600 + 60)

    def programs(self) -> None:
        """What tests/robust has as tests."""
        command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROBUST)
        self.run("tests/robust", 0, *command, seconds=3600)


def beside_the_peer(seed: int, episodes: int, display: str, seconds: float) -> int:
    """Errors, answers, state and pixels beside the peer's: 1 if any differ. `seconds`: 0 is for
    ever."""
    wanted = {"DISPLAY": display, "PYTHONPATH": ROOT}
    peers = host.environment("peer", **wanted)
    pair = fuzz_peer.Pair(host.environment("ours", products.default_out(), False, **wanted), peers)
    pair.start()
    without = fuzz_peer.unwritten()
    found, done, began = 0, 0, time.monotonic()
    names = fuzz_peer.swept(without)
    if seconds:
        random.Random(seed).shuffle(names)
    for name in names:
        if seconds and time.monotonic() - began > seconds / 2:
            break
        for told in fuzz_peer.sweep(pair, name, seed):
            print(told, flush=True)
            found += 1
    for number in range(seed, seed + episodes):
        if seconds and time.monotonic() - began > seconds:
            break
        done += 1
        if told := fuzz_peer.report(pair, number, without):
            print(told, flush=True)
            found += 1
    pair.close()
    for row in fuzz_known.idle() if done >= 200 and fuzz_contexts.used() == "compat" else []:
        print(f"excused nothing here: {row}")
    deaf = pair.unheard > 0.05 * pair.compared
    print(f"{fuzz_contexts.used()}: {done} episodes, {found} differences;"
          f" {pair.compared:,} lists of calls compared")  # fmt: skip
    if pair.unheard:
        print(f"{pair.unheard} of them killed the peer{', too many' * deaf}")
    return int(found > 0 or deaf)


def main() -> int:
    """0 if nothing broke."""
    parser = argparse.ArgumentParser(description="tries to knock the driver over")
    parser.add_argument("--calls", type=int, default=1_000_000, help="calls of GL, GLX and EGL")
    parser.add_argument("--seconds", type=float, default=0, help="end after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=0, help="watch memory that long, first")
    parser.add_argument(
        "--compare", type=int, nargs="?", const=200, default=0, metavar="EPISODES",
        help="instead: so many random sequences, and the errors of all commands, beside the peer's",
    )  # fmt: skip
    parser.add_argument("--context", choices=(*fuzz_contexts.KINDS, "any"), default="compat",
        help="the kind of contexts for GL's calls; any: one that the seed chooses")  # fmt: skip
    parser.add_argument("--programs", action="store_true", help="the tests of tests/robust, too")
    arguments = parser.parse_args()
    build.build(say=False)
    kinds = list(fuzz_contexts.KINDS)
    any_ = kinds[arguments.seed % len(kinds)]
    fuzz_contexts.use(any_ if arguments.context == "any" else arguments.context)
    with tempfile.TemporaryDirectory() as folder, host.XServer() as server:
        if arguments.compare:
            number, seconds = arguments.compare, arguments.seconds
            return beside_the_peer(arguments.seed, number, server.name, seconds)
        session = Robust(arguments.seed, folder, server.name)
        if arguments.minutes:
            session.memory(arguments.minutes)
        if arguments.programs:
            session.programs()
        for number in itertools.count():
            late = arguments.seconds and time.monotonic() - session.began > arguments.seconds
            if late or session.calls >= arguments.calls:
                break
            if number % 4 == 3:
                session.front("egl" if number % 8 == 7 else "glx", number)
            else:
                session.gl(number)
    print(f"{session.calls:,} calls, {session.failures} runs failed")
    return int(session.failures > 0)


if __name__ == "__main__":
    sys.exit(main())
