# SPDX-License-Identifier: MIT
"""The body of scripts/test: ruff, mypy, pytest, in that order; pytest's closing line comes last."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

from libgl_shim import build  # noqa: E402
from scripts.xserver import XServer  # noqa: E402


def step(name: str, *command: str, env: dict[str, str]) -> int:
    """Run one tool of this Python."""
    print(f"pydri: {name}", flush=True)
    status = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, env=env, check=False
    ).returncode
    return status


def main() -> int:
    """0 if all three are content."""
    args = sys.argv[1:]
    quick = "--quick" in args
    args = [arg for arg in args if arg != "--quick"]
    env = dict(os.environ)
    for name in list(env):  # a developer's switches must not decide what a test sees
        if name.split("_")[0] in (
            "LIBGL",
            "MESA",
            "LP",
            "GALLIVM",
            "GALLIUM",
            "NIR",
            "PYDRI",
            "ST",
        ):
            del env[name]
    for name in ("LD_PRELOAD", "LD_LIBRARY_PATH"):
        env.pop(name, None)
    build.build()
    folders = [f for f in ("pydri", "pipe_llvm", "pipe_soft", "winsys_x11", "libgl_shim", "scripts")
               if os.path.isdir(os.path.join(ROOT, f))]  # fmt: skip
    failed = step("ruff", "ruff", "check", "--quiet", *folders, "tests", env=env)
    failed |= step("mypy", "mypy", "--no-error-summary", *folders, env=env)
    with XServer() as display:
        env["DISPLAY"] = display
        select = ["-m", "not slow"] if quick else []
        failed |= step("pytest", "pytest", *select, *args, env=env)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
