# SPDX-License-Identifier: MIT
"""The driver as programs meet it: programs of this folder, an X server, our side's environment."""

import pathlib
import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests import host
from tests.robust import fuzz_peer

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
    *command: str, env: dict[str, str], seconds: float = 240
) -> "subprocess.CompletedProcess[str]":
    """Run with exactly this environment; a program that hangs is a failure, not a wait."""
    return subprocess.run(
        command, env=env, cwd="/", capture_output=True, text=True, timeout=seconds, check=False
    )


@pytest.fixture
def ours(display: str) -> dict[str, str]:
    """The environment of an ordinary host."""
    return host.side("ours", display)


@pytest.fixture(scope="module")
def pair(display: str) -> Iterator[fuzz_peer.Pair]:
    """Players of both sides."""
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    host.only_reference_peer()
    both = fuzz_peer.Pair(
        *(host.side(name, display, PYTHONPATH=host.ROOT) for name in ("ours", "peer"))
    )
    both.start()
    yield both
    both.close()
