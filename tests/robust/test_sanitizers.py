# SPDX-License-Identifier: MIT
"""Our C under AddressSanitizer with UndefinedBehaviorSanitizer, and under ThreadSanitizer: the
stubs, the boot, the tables that threads share, the way from C into Python and back, while contexts
and drawables come and go in several threads.

What the driver compiles, what cffi writes and what Python is made of are not instrumented: a report
names our C, the program's, or memory that a library function was given. tsan.supp says what is not
ours.
"""

import os
import shutil
import subprocess
import sys

import pytest

from libgl_shim import build
from tests.robust import fuzz
from tests.robust.conftest import NEEDS, Program, run

pytestmark = [pytest.mark.x11, pytest.mark.slow, pytest.mark.needs(*NEEDS)]

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = {
    # Python and LLVM keep what they have to the end, and absurd sizes are refused, not fatal.
    # GCC 12's runtime gives back a signal stack of its own when a thread ends, and by chance
    # reports that write itself; threads need none here.
    "address": {
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:use_sigaltstack=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    },
    "thread": {"TSAN_OPTIONS": f"suppressions={HERE}/tsan.supp:second_deadlock_stack=1"},
}
RUNTIMES = {"address": ("libasan.so", "libubsan.so"), "thread": ("libtsan.so",)}
# Programs of this folder with their arguments.
PROGRAMS = [
    "threads", "contexts 300", "glx_calls 3 1000 4", "egl_calls 3 1000 4", "shared 5 2000 4",
    "names", "primitives 3 40", "ends forks", "ends exit_while_drawing", "ends thread_ends",
    "ends close_display", "ends objects", "ends handler_exits", "destroyed", "resize_storm 60",
]  # fmt: skip
# Their threads share objects (those of random calls, too): one fills buffers that the other reads
# (the program's own race), or frees the last reference to what the other made. Kernels do that by
# memcpy and free, which ThreadSanitizer watches, while it cannot see the locks and atomic
# references of kernels.
SHARE = ("threads", "shared", "names")
UNWATCHED = {"TSAN_OPTIONS": f"{OPTIONS['thread']['TSAN_OPTIONS']}:ignore_interceptors_accesses=1"}
Host = tuple[str, dict[str, str]]


def _same_places() -> list[str]:
    """TSan wants its own part of the address space, which a kernel with much randomness may give to
    others first; where a sandbox forbids to ask for none, it must do without."""
    command = ["setarch", "-R"]
    if not shutil.which("setarch"):
        return []
    done = subprocess.run([*command, "true"], capture_output=True, check=False)
    return command if done.returncode == 0 else []


def runtime(kind: str) -> list[str]:
    """The libraries of a sanitizer, for programs that are not linked with it."""
    found = []
    for name in RUNTIMES[kind]:
        command = ["gcc", f"-print-file-name={name}"]
        path = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        if not os.path.isabs(path):  # gcc answers with the bare name
            pytest.skip(f"gcc has no {name} (Debian: libgcc-12-dev)")
        found.append(path)
    return found


@pytest.fixture(scope="session", params=list(OPTIONS))
def host(request: pytest.FixtureRequest, libdir: str) -> Host:
    """A sanitizer, and the environment for programs on our libraries built with it."""
    kind = str(request.param)
    runtime(kind)
    command = [sys.executable, "-m", "libgl_shim.build", "--sanitize", kind]
    subprocess.run(command, cwd=build.ROOT, check=True, capture_output=True)
    return kind, {"LD_LIBRARY_PATH": f"{libdir}-{kind}", **OPTIONS[kind]}


def clean(done: "subprocess.CompletedProcess[str]") -> None:
    """The program held, and nothing was reported."""
    told = f"{done.returncode}\n{done.stdout[-500:]}\n{done.stderr[-6000:]}"
    assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, told
    assert done.returncode in (0, 5) and done.stdout.splitlines()[-1].startswith("ok"), told


@pytest.mark.parametrize("what", PROGRAMS)
def test_programs(
    what: str, host: Host, program: Program, ours: dict[str, str]
) -> None:
    kind, env = host
    name, *arguments = what.split()
    path = program(name, *build.SANITIZERS[kind], "-g", "-lEGL")
    places = _same_places() if kind == "thread" else []
    if kind == "thread" and name in SHARE:
        env = {**env, **UNWATCHED}
    clean(run(*places, path, *arguments, env={**ours, **env}, seconds=240))


def test_random_calls(host: Host, ours: dict[str, str]) -> None:
    """Every entry point's stub, in two threads (fuzz.py); Python is not instrumented, so it
    gets the runtime preloaded."""
    kind, env = host
    places = _same_places() if kind == "thread" else []
    env = {**ours, **env, "LD_PRELOAD": " ".join(runtime(kind))}
    if kind == "thread":
        env.update(UNWATCHED)
    command = (sys.executable, fuzz.__file__, "7", "3000", "", "2")
    clean(run(*places, "/usr/bin/env", *command, env=env, seconds=240))
