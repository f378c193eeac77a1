# SPDX-License-Identifier: MIT
"""Displays that begin in several threads at once, and are closed while in use (closing.c)."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from winsys_x11.xvfb import Xvfb

pytestmark = [pytest.mark.embed]


def test_displays_begin_and_end(tmp_path: Path) -> None:
    from libgl_shim import build

    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    program = str(tmp_path / "closing")
    source = str(Path(__file__).parent / "closing.c")
    libraries = ["-lGL", "-lX11", "-lpthread"]
    subprocess.run(["cc", "-Wall", source, "-o", program, *libraries], check=True, timeout=60)
    with Xvfb((300, 300)) as server:
        environment = dict(os.environ, DISPLAY=server.name, LD_LIBRARY_PATH=build.build(say=False))
        done = subprocess.run(
            [program], env=environment, capture_output=True, text=True, timeout=60
        )
    assert done.returncode == 0 and done.stdout == "done\n", done.stdout + done.stderr
    assert not done.stderr
