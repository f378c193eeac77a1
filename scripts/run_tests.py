# SPDX-License-Identifier: MIT
"""The body of scripts/test: ruff, mypy, pytest, in that order; pytest's closing line comes last."""

import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from libgl_shim import build  # noqa: E402
from scripts import host  # noqa: E402

_FOLDERS = ("pydri", "pipe_llvm", "winsys_x11", "libgl_shim", "scripts", "tests")


def step(name: str, *command: str) -> int:
    """Run one tool of this Python; 0 if it is content."""
    print(f"pydri: {name}", flush=True)
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, env=host.clean_environment(), check=False
    )
    if name != "pytest":
        print(f"pydri: {name}: {time.monotonic() - begin:.1f} s", flush=True)
    return done.returncode


def main() -> int:
    """0 if all three are content."""
    args = sys.argv[1:]
    quick = "--quick" in args
    args = [arg for arg in args if arg != "--quick"]
    build.build()
    failed = step("ruff", "ruff", "check", "--quiet", *_FOLDERS)
    failed |= step("mypy", "mypy", "--no-error-summary")
    failed |= step("pytest", "pytest", *(["-m", "not slow"] if quick else []), *args)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
