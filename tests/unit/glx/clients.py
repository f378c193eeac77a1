# SPDX-License-Identifier: MIT
"""C programs of this folder: compiled, and run on our libraries."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from libgl_shim import build

HERE = Path(__file__).parent


def compiled(name: str, folder: Path) -> str:
    """The program of `name`.c; without a compiler the test is skipped."""
    if shutil.which("cc") is None or not os.path.exists("/usr/include/GL/glx.h"):
        pytest.skip("no C compiler, or no headers of GL")
    target = folder / name
    command = ["cc", "-O1", "-Wall", "-o", str(target), str(HERE / f"{name}.c"), "-lGL", "-lX11"]
    subprocess.run(command, check=True, timeout=60)
    return str(target)


def run(program: str, server: str, *args: str, **more: str) -> str:
    """What the program prints on our libraries."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LD_", "LIBGL", "LP_"))}
    env |= {"DISPLAY": server, "LD_LIBRARY_PATH": build.build(say=False), **more}
    done = subprocess.run(
        [program, *args], env=env, capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout
