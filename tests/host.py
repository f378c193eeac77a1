# SPDX-License-Identifier: MIT
"""What tests add to scripts/host.py: sides on a display with the kernels that the run shares, and
the two kinds of skips.

A test says what it needs by a mark: `@pytest.mark.needs("piglit", *host.CLIENT)` names Debian
packages; `x11` implies xvfb and `embed` a C compiler. tests/conftest.py installs (as root) before
the first test what the selected tests lack; what cannot be installed makes them skip, and where
`CI` is set such a skip is a failure. A case that has no meaning on a machine skips by
`does_not_apply`, which is none.
"""

import fcntl
import functools
import os
import pathlib
import random
import subprocess
import sys
from collections.abc import Iterable
from typing import NoReturn

import pytest

from libgl_shim import build
from scripts.host import (
    ASK,
    CLIENT,
    LIB,
    PACKAGES,
    REFERENCE_PEER,
    ROOT,
    STEERING,
    CompiledBadly,
    Missing,
    Peer,
    XServer,
    clean_environment,
    compile_client,
    end,
    environment,
    install,
    kernels,
    missing,
    peer,
    resident,
)

__all__ = [
    "ASK", "CLIENT", "LIB", "NOBODY", "NOT_APPLICABLE", "NO_ENGINE", "PACKAGES",
    "REFERENCE_PEER", "ROOT", "STEERING", "SYSTEM_PYTHON", "CompiledBadly", "Missing", "Peer",
    "XServer", "clean_environment", "compile_client", "does_not_apply", "EXCUSES", "end",
    "environment", "gl_packages", "install", "is_ci",
    "kernels", "libraries", "missing", "only_drivers_for_all_loaders", "only_reference_peer",
    "peer", "resident", "seed",
    "seeds", "side", "tier",
]  # fmt: skip
NOT_APPLICABLE = "does not apply: "
OTHER_MESA = "the known differences are the reference's, this is another Mesa"
NEWER_DRIVERS = "the peer's drivers are for the libGL of their own build alone"
SYSTEM_PYTHON = "this Python is the distribution's, which nobody moves"
NO_ENGINE = "an engine for clusters is not installed"
EXCUSES = {
    OTHER_MESA: 100,  # of Debian 13; none where the peer is the reference's
    NEWER_DRIVERS: 40,  # of Debian 13: what loads Mesa's compiled drivers
    "needs root": 7,
    SYSTEM_PYTHON: 3,
    NO_ENGINE: 2,  # tests/apps/test_cluster.py: too large to be fetched for a run of the tests
    "the painter knows 32-bit pixels": 1,
    "no visual of depth 32": 1,
    "no MIT-SHM": 1,
}
"""Why a test means nothing on a machine, and how many of a whole run may. tests/excused.py counts
them in each run, and a run of CI fails where there are more: what is excused once more is asked for
here, by a number."""
NOBODY = 65534
"""The user and group of who owns nothing."""


def does_not_apply(reason: str, more: str = "") -> NoReturn:
    """Skip a case that cannot mean anything here. The reason is a row of EXCUSES; `more` says what
    it was this time."""
    assert reason in EXCUSES, reason
    pytest.skip(NOT_APPLICABLE + reason + (f": {more}" if more else ""))


def only_reference_peer() -> None:
    """Skip what compares with a list of known differences, where they are of another Mesa."""
    found = peer()
    if not found.reason and not found.is_reference:
        version = ".".join(map(str, found.version))
        does_not_apply(OTHER_MESA, f"{version} instead of {REFERENCE_PEER}")


def only_drivers_for_all_loaders() -> None:
    """Skip what loads the peer's compiled driver, where that is of Mesa 24.2 or later."""
    found = peer()
    if not found.reason and found.version >= (24, 2):
        does_not_apply(NEWER_DRIVERS, ".".join(map(str, found.version)))


def seed() -> int:
    """The seed of this run (scripts/test --seed): what it draws by lot is the same in all processes
    that share the work, and another run can have it again."""
    return int(os.environ.get("TESTS_SEED", "0"))


def tier() -> str:
    """What scripts/test was asked for: "quick", "merge" (the default), "long"."""
    return os.environ.get("TESTS_TIER", "merge")


def seeds(fixed: Iterable[int], fresh: int) -> list[int]:
    """Seeds for a random test: the fixed ones, in the tier "long" so many fresh ones, too. (They
    depend on TESTS_SEED alone: all processes that share the work must see the same tests.)"""
    found = list(fixed)
    if tier() == "long":
        base = random.Random(seed())
        found += [base.randrange(1 << 30) for _ in range(fresh)]
    return found


GL_PACKAGES = ("pygame", "pyglet<2", "glfw", "vispy", "PyOpenGL")
"""What Python programs open windows with."""


def gl_packages() -> str:
    """A Python with GL_PACKAGES, of our own version, in an environment that is made once: the
    driver needs none of them. Missing says why they cannot be had."""
    place = pathlib.Path(ROOT, "build", "gl-packages")
    python, stamp = place / "bin" / "python", place / ".stamp"
    wanted = "\n".join([sys.version, *GL_PACKAGES])
    place.parent.mkdir(exist_ok=True)
    with open(place.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_text() == wanted:
            return str(python)
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "-q", "install"]
        try:
            for command in ([sys.executable, "-m", "venv", "--clear", str(place)],
                            [*pip, *GL_PACKAGES]):  # fmt: skip
                subprocess.run(command, check=True, capture_output=True, text=True, timeout=240)
        except (subprocess.SubprocessError, OSError) as problem:
            told = getattr(problem, "stderr", "") or str(problem)
            raise Missing(f"no {' '.join(GL_PACKAGES)}: {told[-500:]}") from problem
        stamp.write_text(wanted)
    return str(python)


@functools.cache
def libraries() -> str:
    """The folder of our libraries, brought up to date once a process."""
    return build.build(say=False)


def side(name: str, display: str = "", **more: str) -> dict[str, str]:
    """The environment of a side ("ours", "peer", "softpipe") as an ordinary program has it, with
    compiled code kept from run to run; that a program waits for a compiler is not said, since it
    depends on what else the machine does."""
    if name == "ours":
        libraries()
    env = environment(name, "", False, MESA_SHADER_CACHE_DIR=kernels(), PYDRI_PATIENCE="0")
    env.pop("DISPLAY", None)
    return {**env, **({"DISPLAY": display} if display else {}), **more}


def is_ci() -> bool:
    """Whether a skip for something missing is a failure."""
    return os.environ.get("CI", "") not in ("", "0", "false")


def shm_segments(*makers: int) -> list[list[str]]:
    """The rows of /proc/sysvipc/shm that processes `makers` made, each as its columns (key, shmid,
    perms, size, cpid ...).

    The table is the machine's: tests that run beside this one, and programs of others, come and go
    in it, so that only the rows of known makers say anything.
    """
    rows = [line.split() for line in pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()[1:]]
    return [row for row in rows if int(row[4]) in makers]
