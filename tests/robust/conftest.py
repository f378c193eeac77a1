# SPDX-License-Identifier: MIT
"""The driver as programs meet it: programs of this folder, an X server, our side's environment."""

import pathlib
import subprocess
from collections.abc import Callable

import pytest

from tests import host

HERE = pathlib.Path(__file__).parent
NEEDS = (*host.CLIENT, "libegl-dev")
Program = Callable[..., str]  # compiles a C file of this folder; the path of the program


@pytest.fixture(scope="session")
def program() -> Program:
    """Compiles NAME.c of this folder."""

    def compile_(name: str, *flags: str) -> str:
        libraries = [] if "-DOPEN" in flags else ["-lGL"]
        return host.compile_client(
            HERE / f"{name}.c", *flags, *libraries, "-lX11", "-lpthread", "-lm", "-ldl"
        )

    return compile_


def run(
    *command: str, env: dict[str, str], seconds: float = 120
) -> "subprocess.CompletedProcess[str]":
    """Run with exactly this environment; a program that hangs is a failure, not a wait."""
    return subprocess.run(
        command, env=env, cwd="/", capture_output=True, text=True, timeout=seconds, check=False
    )


@pytest.fixture
def ours(display: str) -> dict[str, str]:
    """The environment of an ordinary host."""
    return host.side("ours", display)
