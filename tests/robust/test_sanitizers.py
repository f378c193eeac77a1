# SPDX-License-Identifier: MIT
"""Our C under AddressSanitizer: the stubs, the boot and the thread's block, while contexts and
drawables come and go in two threads. What the driver compiles is not instrumented."""

import subprocess
import sys

import pytest

from libgl_shim import build
from tests.robust.conftest import HERE, run

pytestmark = [pytest.mark.x11, pytest.mark.slow]


def test_address_sanitizer(libdir: str, ours: dict[str, str], tmp_path: str) -> None:
    command = [sys.executable, "-m", "libgl_shim.build", "--sanitize", "address"]
    subprocess.run(command, cwd=build.ROOT, check=True, capture_output=True)
    program = f"{tmp_path}/glx_calls"
    flags = ["-fsanitize=address", "-g", "-O1", "-lGL", "-lX11", "-lpthread"]
    subprocess.run(["gcc", "-o", program, f"{HERE}/glx_calls.c", *flags], check=True)
    env = {
        **ours,
        "LD_LIBRARY_PATH": f"{libdir}-address",
        # Python and LLVM keep what they have to the end, and absurd sizes are refused, not fatal
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    }
    done = run(program, "3", "1000", "2", env=env, seconds=240)
    assert done.returncode == 0 and done.stdout.startswith("ok"), done.stderr[-4000:]
