# SPDX-License-Identifier: MIT
"""The driver as programs meet it: programs of this folder, an X server, our side's environment."""

import pathlib
import subprocess
from collections.abc import Callable, Iterator

import pytest

from tests import host
from tests.robust import fuzz_contexts, fuzz_peer

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
def pairs(display: str) -> Iterator[Callable[[str], fuzz_peer.Pair]]:
    """Gives the players of both sides for a kind of contexts (fuzz_contexts.py), which is the one
    that is played from then on."""
    if host.peer().reason:
        pytest.skip(host.peer().reason)
    host.only_reference_peer()
    made: dict[str, fuzz_peer.Pair] = {}

    def pair_of(kind: str) -> fuzz_peer.Pair:
        fuzz_contexts.use(kind)
        if kind not in made:
            made[kind] = fuzz_peer.Pair(
                *(host.side(name, display, PYTHONPATH=host.ROOT) for name in ("ours", "peer"))
            )
            made[kind].start()
        return made[kind]

    yield pair_of
    fuzz_contexts.use("compat")
    for both in made.values():
        both.close()


@pytest.fixture
def pair(pairs: Callable[[str], fuzz_peer.Pair]) -> fuzz_peer.Pair:
    """Players of both sides in compatibility contexts."""
    return pairs("compat")
