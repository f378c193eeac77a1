# SPDX-License-Identifier: MIT
"""What scripts/wheel looks for on a machine, and what it holds a wheel to."""

import os
import pathlib
import sys
import zipfile

import pytest
from setuptools import find_packages

from libgl_shim import build, products
from pydri.jit import cpu
from scripts import make_wheels

GOOD = [
    "pydri/__init__.py", "pipe_llvm/core.py", "pydri-0.1.0.dist-info/METADATA",
    *(f"pydri/lib/{name}" for name in products.PRODUCTS),
    *(f"pydri/lib/objects/{name}/0123" for name in make_wheels._kernel_folders()),
]  # fmt: skip


def test_a_wheel_is_held_to_what_it_must_hold() -> None:
    assert make_wheels.problems(GOOD) == []
    assert make_wheels.problems([*GOOD, "scripts/host.py"]) == ["another top-level name: scripts"]
    told = make_wheels.problems(["pydri/lib/pydri.sidecar", *GOOD[:-1]])
    assert told[0] == "pydri/lib/pydri.sidecar is of one place"
    assert told[1].startswith("no kernels x86-64-v4-")
    assert f"no pydri/lib/{products.PRODUCTS[-1]}" in make_wheels.problems(GOOD[:3])


def test_levels_are_those_of_the_processor_table() -> None:
    assert set(make_wheels.LEVELS) == {level.name for level in cpu.LEVELS[1:]}


def test_sources_are_all_packages_and_nothing_that_was_built(tmp_path: pathlib.Path) -> None:
    """setuptools finds the packages of the copy as pyproject.toml names them; names of kernels are
    made of contents, so the copy's must be the tree's."""
    make_wheels.copy_sources(str(tmp_path))
    found = find_packages(str(tmp_path), include=["pydri*", "pipe_*", "winsys_*", "libgl_shim*"])
    assert {name.partition(".")[0] for name in found} == {*make_wheels.PACKAGES}
    assert not (tmp_path / "pydri" / "lib").exists() and (tmp_path / "setup.py").exists()
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".pyc", ".so")]
    from pydri.util import source_tree

    roots = source_tree.source_roots()
    copied = [str(tmp_path / os.path.basename(root)) for root in roots]
    tools = tmp_path / "pydri" / "tools"
    for path in tools.rglob("*.py"):
        path.unlink()  # which count nowhere, but are left out by their place
    assert source_tree.contents(copied) == source_tree.contents(roots)


def test_one_python_a_version(tmp_path: pathlib.Path) -> None:
    """The first that is found; what only looks like one is none."""
    (tmp_path / "python3.12").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "python3.12").chmod(0o755)
    found = make_wheels.pythons([str(tmp_path / "python3.12"), "/nowhere", sys.executable,
                                 os.path.realpath(sys.executable)])  # fmt: skip
    assert [python.path for python in found] == [sys.executable]
    assert found[0].tag == "cp{}{}".format(*sys.version_info)


@pytest.mark.long
def test_a_wheel_is_made(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the kernels of this machine's level alone, which are there."""
    monkeypatch.setattr(make_wheels, "LEVELS", (cpu.level().name,))
    python = make_wheels.probe(sys.executable)
    assert python is not None
    path = make_wheels.build_wheel(python, str(tmp_path), build.build(say=False))
    with zipfile.ZipFile(path) as archive:
        assert make_wheels.problems(archive.namelist()) == []
