# SPDX-License-Identifier: MIT
"""PYDRI_DEBUG=api on a program whose glX calls are kernels that go up to Python."""

import os
import shutil
import subprocess

import pytest

from tests.unit.winsys.xserver import Server

pytestmark = pytest.mark.embed


@pytest.mark.skipif(shutil.which("glxinfo") is None, reason="glxinfo is not installed")
def test_calls_of_kernels_that_go_up_to_python_are_printed_once(plain: Server) -> None:
    from libgl_shim import build

    environment = dict(
        os.environ,
        DISPLAY=plain.name,
        LD_LIBRARY_PATH=build.build(say=False),
        GALLIUM_DRIVER="null",
        PYDRI_DEBUG="api",
    )
    done = subprocess.run(
        ["glxinfo", "-B"], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0
    assert "RecursionError" not in done.stderr
    bound = [line for line in done.stderr.splitlines() if line.startswith("glXMakeCurrent(")]
    assert bound and all(" = 1" in line or "ctx=NULL" in line for line in bound)
