# SPDX-License-Identifier: MIT
"""C programs of this folder: compiled, and run on our libraries."""

import subprocess
from pathlib import Path

from tests import host

HERE = Path(__file__).parent


def compiled(name: str) -> str:
    """The program of `name`.c."""
    return host.compile_client(HERE / f"{name}.c", "-lGL", "-lX11", "-lpthread")


def ended(
    program: str, server: str, *args: str, **more: str
) -> "subprocess.CompletedProcess[str]":
    """A run on our libraries."""
    return subprocess.run(
        [program, *args], env=host.side("ours", server, **more), capture_output=True, text=True,
        timeout=100, check=False,
    )  # fmt: skip


def run(program: str, server: str, *args: str, **more: str) -> str:
    """What a program prints that ends well and has nothing to complain about."""
    done = ended(program, server, *args, **more)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout
