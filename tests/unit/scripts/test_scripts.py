# SPDX-License-Identifier: MIT
"""scripts/run and its parts, on an X server of their own."""

import os
import pathlib
import subprocess
import sys

import pytest

from pydri.tools.screenshot import grab, open_display
from tests import host

ROOT = pathlib.Path(__file__).resolve().parents[3]
RUN = [sys.executable, str(ROOT / "scripts" / "run_program.py")]


def run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """scripts/run without the shell part."""
    full = {k: v for k, v in os.environ.items() if k != "DISPLAY"} | env
    return subprocess.run(
        [*RUN, *args], env=full, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.x11
def test_grab_sees_the_biggest_window() -> None:
    from Xlib import X

    with host.XServer("320x200") as server:
        name = server.name
        display = open_display(name)
        screen = display.screen()
        for x, y, w, h, colour in ((0, 0, 20, 20, 0x00FF00), (30, 40, 100, 50, 0x2040FF)):
            window = screen.root.create_window(
                x, y, w, h, 0, screen.root_depth, X.InputOutput, X.CopyFromParent,
                background_pixel=colour,
            )  # fmt: skip
            window.map()
        display.sync()
        width, height, rgb = grab(name)
        assert (width, height) == (100, 50)
        assert rgb == bytes((0x20, 0x40, 0xFF)) * 5000
        assert grab(name, whole=True)[:2] == (320, 200)
        display.close()


def test_status_and_environment() -> None:
    show = "import os; print(os.environ['LD_LIBRARY_PATH'].split(':')[0]); raise SystemExit(9)"
    done = run("--driver", "null", sys.executable, "-c", show, DISPLAY=":77")
    libdir = run("--libdir").stdout.strip()
    assert (done.stdout.strip(), done.returncode) == (libdir, 9)
    vendor = ["50_pydri.json", "libEGL_pydri.so.0", "libGLX_pydri.so.0"]
    assert sorted(os.listdir(libdir + "/vendor")) == vendor
    assert run("--driver", "null", "/no/such/program", DISPLAY=":77").returncode == 127
    assert run().returncode == 2


@pytest.mark.x11
def test_seconds_screenshot_and_size(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "screen.png"
    done = run("--mesa", "--size", "200x100", "--screenshot", str(file), "--seconds", "0.3",
               sys.executable, "-c", "import time; time.sleep(30)")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert file.read_bytes()[16:24] == b"\0\0\0\xc8\0\0\0\x64"
    early = run("--mesa", "--size", "200x100", "--screenshot", str(tmp_path / "b.png"),
                "/bin/true")  # fmt: skip
    assert early.returncode == 1
    assert "before the screenshot" in early.stderr
