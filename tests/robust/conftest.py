# SPDX-License-Identifier: MIT
"""The driver as programs meet it: libraries built once, programs of this folder compiled once, an X
server of our own, a cache of compiled code that the whole session shares (so only the first program
pays for LLVM)."""

import os
import pathlib
import subprocess
from collections.abc import Callable, Iterator

import pytest

from libgl_shim import build
from scripts import sides
from scripts.xserver import XServer

HERE = pathlib.Path(__file__).parent
WANTED = {
    "cc": "gcc",
    "Xvfb": "xvfb",
    "/usr/include/GL/glx.h": "libgl-dev",
    "/usr/include/EGL/egl.h": "libegl-dev",
    "/usr/include/X11/Xlib.h": "libx11-dev",
}
Program = Callable[..., str]  # compiles a C file of this folder; the path of the program


@pytest.fixture(scope="session")
def libdir() -> str:
    """The folder of our libraries."""
    if problem := sides.install(WANTED):
        pytest.skip(problem)
    return build.build(say=False)


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """An X server with a big screen."""
    if problem := sides.install(WANTED):
        pytest.skip(problem)
    with XServer("1280x1024") as name:
        yield name


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder for compiled code."""
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def program(libdir: str, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Compiles NAME.c of this folder, once."""
    folder = str(tmp_path_factory.mktemp("programs"))
    done: dict[str, str] = {}

    def compile_(name: str, *flags: str) -> str:
        key = "_".join([name, *flags]).replace("-", "").replace("/", "")
        if key not in done:
            source = str(HERE / f"{name}.c")
            libraries = [] if "-DOPEN" in flags else ["-lGL"]
            all_flags = [*flags, *libraries, "-lX11", "-lpthread", "-lm", "-ldl"]
            done[key] = sides.compile_client(source, folder, *all_flags, name=key)
        return done[key]

    return compile_


def run(
    *command: str, env: dict[str, str], seconds: float = 60
) -> "subprocess.CompletedProcess[str]":
    """Run with exactly this environment; a program that hangs is a failure, not a wait."""
    return subprocess.run(
        command, env=env, cwd="/", capture_output=True, text=True, timeout=seconds, check=False
    )


@pytest.fixture
def ours(libdir: str, display: str, cache: str) -> dict[str, str]:
    """The environment of an ordinary host."""
    home = os.environ.get("HOME", "/")
    return {
        "LD_LIBRARY_PATH": libdir,
        "DISPLAY": display,
        "MESA_SHADER_CACHE_DIR": cache,
        "HOME": home,
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
    }
