# SPDX-License-Identifier: MIT
"""The body of scripts/test: ruff, mypy, pytest, in that order; pytest's closing line comes last.

In: a tier (--quick, --long), which tools (--only), in which order (--shuffle), whether with empty
caches (--cold), and pytest's own arguments. Out: what each tool says, the 20 slowest
tests, the tests that were skipped and why, what a fresh seed finds in a minute (run_fresh.py; it
fails nothing, and parts of the tests and --quick go without); the exit status is 0 if all three
are content. pytest
shares its work among as many processes as there are processors (four at most; -n N says how many,
-n 0 one), but for single files or folders: those it tests in one, which a debugger can stop.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from libgl_shim import build  # noqa: E402
from scripts import host, run_fresh  # noqa: E402

_FOLDERS = ("pydri", "pipe_llvm", "pipe_soft", "pipe_vc4", "winsys_x11", "libgl_shim", "scripts",
            "tests")  # fmt: skip
MOST_PROCESSES = 4
TOOLS = ("ruff", "mypy", "pytest")


def arguments() -> tuple[argparse.Namespace, list[str]]:
    """Ours, and those for pytest."""
    parser = argparse.ArgumentParser(
        prog="scripts/test", description="ruff, mypy and pytest", allow_abbrev=False,
        epilog="everything else goes to pytest: a file or folder, -k NAME, -x, -m MARK, ...",
    )  # fmt: skip
    tier = parser.add_mutually_exclusive_group()
    add = tier.add_argument
    add("--quick", action="store_const", dest="tier", const="quick",
        help="without what is marked slow: under three minutes")  # fmt: skip
    add("--long", action="store_const", dest="tier", const="long",
        help="everything: what is marked long, too, and fresh seeds for random tests")  # fmt: skip
    parser.add_argument("--seed", type=int, help="of the random tests of --long")
    parser.add_argument("--only", choices=TOOLS, action="append", help="this tool (again: both)")
    parser.add_argument("--shuffle", type=int, metavar="SEED",
        help="files, and the tests in each, in an order of chance")  # fmt: skip
    parser.add_argument("--cold", action="store_true",
        help="with an empty cache of compiled code, which is removed afterwards")  # fmt: skip
    parser.set_defaults(tier="merge")
    return parser.parse_known_args()


def processes(args: list[str]) -> list[str]:
    """How pytest shares its work, as its options."""
    mine = any(arg.startswith(("-n", "--pdb", "--trace", "-pno:xdist")) for arg in args)
    if mine or any(os.path.exists(arg.split("::")[0]) for arg in args):
        return []
    count = min(len(os.sched_getaffinity(0)), MOST_PROCESSES)
    return ["-n", str(count)] if count > 1 else []


def step(name: str, *command: str, **more: str) -> int:
    """Run one tool of this Python; 0 if it is content."""
    print(f"pydri: {name}", *command[1:], flush=True)
    begin = time.monotonic()
    env = {**host.clean_environment(), **more}
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, env=env, check=False)
    if name != "pytest":
        print(f"pydri: {name}: {time.monotonic() - begin:.1f} s", flush=True)
    return done.returncode


def fresh(seed: int | None) -> str:
    """What a seed of the moment finds; conftest.py shows it at the end."""
    seed = int(time.time()) if seed is None else seed
    print(f"pydri: a minute of random calls: scripts/run_fresh.py {seed}", flush=True)
    return run_fresh.report(seed)


def main() -> int:
    """0 if all three are content."""
    args, rest = arguments()
    seed = random.SystemRandom().randrange(1 << 20) if args.seed is None else args.seed
    tier = {"TESTS_TIER": args.tier, "TESTS_SEED": str(seed), "TESTS_AGAIN": "1"}
    if args.tier == "long":
        print(f"pydri: random tests again: scripts/test --long --seed {seed}", flush=True)
    if args.shuffle is not None:
        tier["TESTS_SHUFFLE"] = str(args.shuffle)
    build.build()
    tools, failed = args.only or TOOLS, 0
    if "ruff" in tools:
        failed |= step("ruff", "ruff", "check", "--quiet", *_FOLDERS)
    if "mypy" in tools:
        failed |= step("mypy", "mypy", "--no-error-summary")
    with tempfile.TemporaryDirectory(prefix="pydri-cold-") as empty:
        if args.cold:
            tier["TESTS_KERNELS"] = empty
        if "pytest" in tools:
            if args.tier != "quick" and not rest:
                tier["TESTS_FRESH"] = fresh(args.seed)
            failed |= step("pytest", "pytest", *processes(rest), *rest, **tier)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
