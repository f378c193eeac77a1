# SPDX-License-Identifier: MIT
"""A clock that is preloaded under a program is the program's: our Python does not read it."""

import ast
import pathlib
import sys
from collections.abc import Callable

import pytest

from libgl_shim import folder
from tests import host
from tests.unit.shim.conftest import run

pytestmark = pytest.mark.embed

CLOCK = """
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int readings;
int clock_gettime(clockid_t id, struct timespec *t)
{ readings++; return (int)syscall(SYS_clock_gettime, id, t); }
int gettimeofday(struct timeval *tv, void *zone)
{ readings++; return (int)syscall(SYS_gettimeofday, tv, zone); }
time_t time(time_t *t) { readings++; return (time_t)syscall(SYS_time, t); }
"""
PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
int glXQueryVersion(void *, int *, int *);
int main(int argc, char **argv)
{
    int major = 1, minor = 4, *readings = dlsym(RTLD_DEFAULT, "readings"), mine;
    time(0);
    mine = *readings; /* what the loader and others read before is not ours */
    if (argc > 1) dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    else glXQueryVersion(0, &major, &minor); /* Python starts here */
    printf("%d.%d %d %d\\n", major, minor, mine > 0, *readings - mine);
    return 0;
}
"""


def test_python_reads_clocks_of_its_own(
    c_program: Callable[..., str], fake_libdir: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """From 3.13 on libpython's allocator reads the clock as the library is loaded (3.14: four
    times), before anybody can bind it otherwise; a whole start reads it no oftener."""
    clock = str(tmp_path / "clock.so")
    pathlib.Path(c_program(CLOCK, "-shared", "-fPIC")).rename(clock)
    program = c_program(PROGRAM, f"-L{fake_libdir}", "-l:libGL.so.1")
    env = {"LD_LIBRARY_PATH": str(fake_libdir), "LD_PRELOAD": clock}
    loaded = run(program, folder.libpython(), env=env)
    assert int(loaded.stdout.split()[2]) < 10
    done = run(program, env=env)
    assert done.stdout == loaded.stdout, done.stderr


READS = """
import ctypes
from pydri.util import clock
readings = ctypes.c_int.in_dll(ctypes.CDLL(None), "readings")
before = readings.value, clock.monotonic_ns()
for _ in range(200):
    clock.wall()
    clock.sleep(0.0001)
    clock.sleep_until_ns(before[1])
assert clock.monotonic_ns() - before[1] >= 20_000_000
print(readings.value - before[0])
"""


def test_in_a_python_program_the_driver_reads_libcs_clock(
    c_program: Callable[..., str], tmp_path: pathlib.Path
) -> None:
    """(The interpreter reads the program's now and then, as it takes locks.)"""
    clock = str(tmp_path / "clock.so")
    pathlib.Path(c_program(CLOCK, "-shared", "-fPIC")).rename(clock)
    done = run(sys.executable, "-c", READS, env={"LD_PRELOAD": clock, "PYTHONPATH": host.ROOT})
    assert int(done.stdout) < 20, done.stderr


def test_no_room_has_the_programs_clock() -> None:
    """`time` is the program's where the program is Python."""
    found = []
    for room in ("pydri", "pipe_llvm", "pipe_soft", "winsys_x11"):
        for path in pathlib.Path(host.ROOT, room).rglob("*.py"):
            names = [n for node in ast.walk(ast.parse(path.read_text()))
                     if isinstance(node, ast.Import) for n in node.names]  # fmt: skip
            if any(name.name == "time" for name in names):
                found.append("/".join(path.relative_to(host.ROOT).parts))
    assert sorted(found) == ["pydri/tools/watch.py", "pydri/util/clock.py"]
