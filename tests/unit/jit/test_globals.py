# SPDX-License-Identifier: MIT
"""Globals that a library makes late outlive the process's end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import host

SOURCE = """
#include <cstdio>
struct Late { ~Late() { puts("destroyed"); } };
extern "C" void use() { static Late late; puts("used"); }
"""
RUN = """
import ctypes, sys
from pydri.jit.globals import keep_globals
library = ctypes.CDLL(sys.argv[1])
changed = keep_globals(sys.argv[1]) if sys.argv[2] == "keep" else 1
library.use()
assert changed == 1
"""


@pytest.mark.needs("g++", "libc6-dev")
@pytest.mark.parametrize("binding", ["lazy", "now"])
def test_a_late_global_is_not_destroyed(binding: str, tmp_path: Path) -> None:
    source, library = tmp_path / "late.cpp", tmp_path / "late.so"
    source.write_text(SOURCE.replace("<cstdio>", "<stdio.h>"))
    order = [
        "gcc", "-fPIC", "-shared", f"-Wl,-z,{binding}", "-Wl,-z,relro", "-x", "c++",
        "-fno-exceptions", "-fno-threadsafe-statics", str(source), "-o", str(library),
    ]  # fmt: skip
    subprocess.run(order, capture_output=True, text=True, check=True)
    said = {}
    for how in ("keep", "leave"):
        done = subprocess.run(
            [sys.executable, "-c", RUN, str(library), how], cwd=host.ROOT, capture_output=True,
            text=True, check=True,
        )  # fmt: skip
        said[how] = done.stdout.split()
    assert said == {"keep": ["used"], "leave": ["used", "destroyed"]}
