# SPDX-License-Identifier: MIT
"""Pythons and virtual environments that are not where, or not what, their files say.

An interpreter that was moved after it was built, as conda's and uv's are (what Python has noted of
its build names folders that may be gone, or another Python's); an environment that has numpy and
LLVM from the interpreter's own packages (--system-site-packages); one that was moved; two versions
of the driver with one cache. In each a C program draws, on `pydri run`.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator

import pytest

from libgl_shim import products
from pydri.util import stats
from tests import host
from tests.robust.conftest import NEEDS, Program, run
from tests.robust.test_hosts import drew, without
from tests.robust.test_installed import lay_out, pydri

pytestmark = [pytest.mark.x11, pytest.mark.slow, pytest.mark.needs(*NEEDS)]

VERSION = f"python{sys.version_info[0]}.{sys.version_info[1]}"
DEPENDENCIES = ("numpy", "numpy.libs", "llvmlite", "cffi", "_cffi_backend*.so", "packaging")


def link(source: str, target: str) -> None:
    """A file as it is, without its bytes where that can be."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


@pytest.fixture(scope="module")
def place() -> Iterator[pathlib.Path]:
    """A folder that nobody else may write, nor what is above it."""
    with tempfile.TemporaryDirectory(prefix="pydri-test-") as name:
        yield pathlib.Path(name)


@pytest.fixture(scope="module")
def moved(place: pathlib.Path) -> pathlib.Path:
    """The executable of an interpreter that is not where it was built, with the driver's
    dependencies among its own packages."""
    base, prefix = pathlib.Path(sys.base_prefix), place / "python"
    if not list((base / "lib").glob(f"lib{VERSION}*.so*")):
        host.does_not_apply(host.SYSTEM_PYTHON, sys.base_prefix)
    library = pathlib.Path("lib", VERSION)
    unwanted = shutil.ignore_patterns("test", "tests", "site-packages", "idlelib", "__pycache__")
    shutil.copytree(base / library, prefix / library, symlinks=True, copy_function=link,
                    ignore=unwanted)  # fmt: skip
    (prefix / "bin").mkdir()
    link(os.path.realpath(base / "bin" / VERSION), str(prefix / "bin" / VERSION))
    for path in (base / "lib").glob(f"lib{VERSION[:-3]}*"):
        link(str(path), str(prefix / "lib" / path.name))
    packages = prefix / library / "site-packages"
    packages.mkdir()
    for pattern in DEPENDENCIES:
        for path in pathlib.Path(sysconfig.get_path("platlib")).glob(pattern):
            (packages / path.name).symlink_to(path)
    return prefix / "bin" / VERSION


@pytest.fixture(scope="module")
def environment(moved: pathlib.Path, place: pathlib.Path, libdir: str) -> pathlib.Path:
    """An environment of that interpreter that sees its packages, and in which the driver is."""
    venv = place / "venv"
    order = [str(moved), "-m", "venv", "--system-site-packages", "--without-pip", str(venv)]
    subprocess.run(order, check=True, timeout=120)
    lay_out(venv / "lib" / VERSION / "site-packages", libdir)
    return venv


@pytest.fixture
def user(ours: dict[str, str], tmp_path: pathlib.Path) -> dict[str, str]:
    """The environment variables of somebody with an empty home."""
    names = ("LD_LIBRARY_PATH", "LD_PRELOAD", "XDG_CACHE_HOME")
    return {**without(ours, *names), "HOME": str(tmp_path)}


def libraries(venv: pathlib.Path) -> pathlib.Path:
    return venv / "lib" / VERSION / "site-packages" / "pydri" / "lib"


def start(
    venv: pathlib.Path, user: dict[str, str], *words: str
) -> "subprocess.CompletedProcess[str]":
    """`pydri WORDS` of an environment."""
    return run(str(venv / "bin" / "python"), "-P", "-m", "pydri.cli", *words, env=user)


def test_an_interpreter_that_was_moved(
    program: Program, environment: pathlib.Path, moved: pathlib.Path, user: dict[str, str]
) -> None:
    """Nothing that the driver is started with is of the place where this Python was built."""
    drew(start(environment, user, "run", program("frame")))
    facts = (libraries(environment) / products.SIDECAR).read_text()
    prefix = moved.parent.parent
    assert f"libpython={prefix}/lib/lib{VERSION}" in facts
    assert f"path={prefix}/lib/{VERSION}/site-packages\n" in facts  # numpy's and llvmlite's
    assert f"{sys.base_prefix}/" not in facts and sys.prefix not in facts
    env = {**user, "LD_LIBRARY_PATH": str(libraries(environment))}
    drew(run(program("frame"), env=env))
    told = start(environment, user, "doctor")
    assert f"lib{VERSION}" in told.stdout and "Traceback" not in told.stderr


def test_an_environment_that_was_moved(
    program: Program, environment: pathlib.Path, user: dict[str, str]
) -> None:
    """Who goes on with the libraries as they are is told what mends them; whose program is started
    by `pydri run` hears nothing."""
    drew(start(environment, user, "run", program("frame")))
    elsewhere = environment.with_name("elsewhere")
    environment.rename(elsewhere)
    try:
        env = {**user, "LD_LIBRARY_PATH": str(libraries(elsewhere))}
        done = run(program("frame"), env=env)
        assert done.returncode != 7 and "pydri path" in done.stderr
        assert "Traceback" not in done.stderr and len(done.stderr.splitlines()) <= 3, done.stderr
        drew(start(elsewhere, user, "run", program("frame")))
        drew(run(program("frame"), env=env))
    finally:
        elsewhere.rename(environment)


@pytest.mark.timeout(600)
def test_two_versions_with_one_cache(
    program: Program, libdir: str, place: pathlib.Path, user: dict[str, str],
    tmp_path: pathlib.Path,
) -> None:  # fmt: skip
    """Their kernels have names of their own: each finds what it has compiled, whatever the other
    one did meanwhile, and never anything else."""
    sites = [place / "first", place / "second"]
    for site in sites:
        lay_out(site, libdir)
    with open(sites[1] / "pipe_llvm" / "core.py", "a") as file:
        file.write("# another version\n")
    env = {**user, "MESA_SHADER_CACHE_DIR": str(tmp_path / "cache")}
    for turn in range(3):
        for number, site in enumerate(sites):
            counters = tmp_path / f"counters{turn}{number}"
            done = pydri(site, {**env, "PYDRI_STATS": str(counters)}, "run", program("frame"))
            assert (done.stdout, done.returncode) == ("pydri: ok\n", 7), done.stderr
            total = stats.read_file(str(counters))["total"]
            assert total["cache_hits"] > 0 and (turn < 2 or not total["kernels_compiled"])
    objects = [{path.name for path in (site / "pydri/lib/objects").glob("*/*")} for site in sites]
    assert objects[0] and not objects[0] & objects[1]


def test_info_of_a_package(
    environment: pathlib.Path, user: dict[str, str], program: Program
) -> None:
    """`pydri info` knows the kernels that came with it, and works on their level."""
    import json

    told = json.loads(start(environment, user, "info", "--json").stdout)
    shipped = pathlib.Path(told["paths"]["shipped kernels"])
    assert shipped.parent == libraries(environment) / "objects" and list(shipped.iterdir())
    assert told["gl"]["vendor"] == "pydri"
