# SPDX-License-Identifier: MIT
"""A package that somebody has installed, on machines that are not as usual: without a home, with a
full disk, with folders that may not be written or executed from. Whoever starts a program gets its
picture, and is told in a line at most what it costs; there is no traceback.

The package is what a wheel of scripts/wheel lays out, made of this build's libraries and kernels;
its user is bound by the modes of files. tests/unit/shim/test_installed.py tries the same rules with
libraries that are none; scripts/try-release installs real wheels.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from libgl_shim import products
from scripts import make_wheels
from tests import host
from tests.robust.conftest import NEEDS, Program
from tests.robust.test_cache import place, run_bound  # noqa: F401  `place` is a fixture
from tests.robust.test_hosts import drew, without

pytestmark = [pytest.mark.x11, pytest.mark.slow, pytest.mark.needs(*NEEDS)]

CLI = "import sys; sys.path.insert(0, sys.argv.pop(1)); from pydri import cli; sys.exit(cli.main())"
#: what is mounted over a folder
SMALL, NOEXEC = "size=256k", "noexec"


def lay_out(site: pathlib.Path, libdir: str) -> None:
    """What a wheel brings. (Byte code comes along: it is valid as long as times are kept.)"""
    for name in make_wheels.PACKAGES:
        shutil.copytree(os.path.join(host.ROOT, name), site / name)
    for name in products.PRODUCTS:
        target = site / "pydri" / "lib" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.join(libdir, name), target)
    shutil.copytree(os.path.join(libdir, "objects"), site / "pydri" / "lib" / "objects")


@pytest.fixture(scope="module")
def site(libdir: str) -> Iterator[pathlib.Path]:
    """A site-packages in which its user may write nothing."""
    where = pathlib.Path(tempfile.mkdtemp(prefix="pydri-test-")) / "site"
    lay_out(where, libdir)
    set_modes(where, 0o555)
    yield where
    set_modes(where, 0o755)
    shutil.rmtree(where.parent)


def set_modes(where: pathlib.Path, mode: int) -> None:
    """Of a folder and those in it."""
    for path in (where, *filter(os.path.isdir, where.rglob("*"))):
        path.chmod(mode)


@pytest.fixture
def env(
    ours: dict[str, str], place: pathlib.Path, site: pathlib.Path  # noqa: F811
) -> Iterator[dict[str, str]]:
    """A user with a home and a folder for what is temporary, whose caches are empty."""
    for name in ("home", "tmp"):
        (place / name).mkdir(mode=0o700)
    kept = without(ours, "MESA_SHADER_CACHE_DIR", "LD_LIBRARY_PATH", "LD_PRELOAD",
                   "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")  # fmt: skip
    yield {**kept, "MESA_SHADER_CACHE_DIR": host.kernels(), "TMPDIR": str(place / "tmp"),
           "HOME": str(place / "home")}  # fmt: skip
    for shared in ("/tmp", "/var/tmp", "/dev/shm"):  # where a copy goes if there is no other place
        for left in pathlib.Path(shared).glob(f"pydri-{os.geteuid()}-lib-{package_name(site)}"):
            shutil.rmtree(left)


def package_name(site: pathlib.Path) -> str:
    """How the user's copy of a package is told from that of another one."""
    from libgl_shim import installed

    return installed.own_folders(str(site / "pydri" / "lib"))[0].rpartition("-")[2]


def pydri(
    site: pathlib.Path, env: dict[str, str], *arguments: str, over: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """`pydri ARGUMENTS` of the package. `over`: folders over which an empty file system is mounted,
    with its options."""
    command = [sys.executable, "-P", "-c", CLI, str(site), *arguments]
    if over:
        if os.getuid():
            host.does_not_apply("needs root", "to mount a file system")
        mounts = [f"mount -t tmpfs -o {how},mode=0700 tmpfs {path}" for path, how in over.items()]
        script = " && ".join([*mounts, 'exec "$@"'])
        command = ["unshare", "--mount", "sh", "-c", script, "sh", *command]
    return run_bound(*command, env=env, HOME=env["HOME"])


def told(done: "subprocess.CompletedProcess[str]") -> list[str]:
    """What was said, but for how far kernels are."""
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr.splitlines()


def elsewhere(done: "subprocess.CompletedProcess[str]", where: str) -> None:
    """The program drew, and one line says where the libraries are."""
    [line] = told(done)
    assert line.startswith("pydri: not in /") and f": the libraries are in {where}/" in line
    drew(subprocess.CompletedProcess(done.args, done.returncode, done.stdout, ""))


def test_a_package_is_used_without_a_compiler(
    program: Program, site: pathlib.Path, env: dict[str, str], place: pathlib.Path  # noqa: F811
) -> None:
    """Nothing is said, nothing written beside the package, and no kernel of the driver's own is
    compiled: those that it brought serve where they are."""
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    env = {**env, "PATH": "/nowhere", "MESA_SHADER_CACHE_DIR": str(place / "cache")}
    for _ in range(2):
        drew(pydri(site, env, "run", program("frame")))
    assert before == {path: path.stat().st_mtime_ns for path in site.rglob("*")}
    [copy] = (place / "home" / ".cache").iterdir()
    assert os.readlink(copy / "objects") == str(site / "pydri" / "lib" / "objects")
    kept = list((place / "cache" / "pydri_cache").iterdir())
    own = {path.name for path in (copy / "objects").glob("*/*")}
    assert own and kept and not own & {path.name for path in kept}


@pytest.mark.parametrize("fault", ["no home", "closed home", "small home", "noexec home"])
def test_homes(
    program: Program, site: pathlib.Path, env: dict[str, str], place: pathlib.Path, fault: str  # noqa: F811
) -> None:
    """The user's copy of the libraries goes elsewhere."""
    home, over = place / "home", {}
    if fault == "no home":
        env = {**env, "HOME": "/proc"}
    elif fault == "closed home":
        home.chmod(0o500)
    else:
        over = {str(home): SMALL if fault == "small home" else NOEXEC}
    elsewhere(pydri(site, env, "run", program("frame"), over=over), str(place / "tmp"))
    assert [path.name.startswith("pydri-") for path in (place / "tmp").iterdir()] == [True]
    assert not list(home.iterdir())


def test_disks_that_are_full(
    program: Program, site: pathlib.Path, env: dict[str, str], place: pathlib.Path  # noqa: F811
) -> None:
    """Then /tmp is taken, or at last memory."""
    over = {str(place / "home"): SMALL, str(place / "tmp"): SMALL}
    elsewhere(pydri(site, env, "run", program("frame"), over=over), "")
    assert not list((place / "tmp").iterdir())


def test_no_file_may_be_written(
    program: Program, site: pathlib.Path, env: dict[str, str]
) -> None:
    """Then there is no place for what is of this machine: one sentence."""
    command = ["prlimit", "--fsize=0", sys.executable, "-P", "-c", CLI, str(site)]
    done = run_bound(*command, "run", program("frame"), env=env, HOME=env["HOME"])
    [line] = told(done)
    assert done.returncode == 1 and line.startswith("pydri: no folder for the libraries: ")


def test_two_at_once(program: Program, site: pathlib.Path, env: dict[str, str]) -> None:
    """The first programs of a user, started together, each with a screen of its own."""
    command = [sys.executable, "-P", "-c", CLI, str(site), "run", program("frame")]
    with ExitStack() as stack:
        servers = [stack.enter_context(host.XServer("640x480")) for _ in range(2)]
        running = [
            subprocess.Popen(command, env={**env, "DISPLAY": server.name}, cwd="/", text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for server in servers
        ]  # fmt: skip
        for process in running:
            out, err = process.communicate(timeout=240)
            drew(subprocess.CompletedProcess(command, process.returncode, out, err))


def test_a_package_that_is_moved(
    program: Program, env: dict[str, str], place: pathlib.Path, libdir: str  # noqa: F811
) -> None:
    """An environment of one's own, in which all is written beside the package, and that goes
    elsewhere; beside somebody's pyproject.toml; with files that a group may write, as pip makes
    them under a umask of 2."""
    first, second = place / "mine", place / "moved"
    lay_out(first, libdir)
    (first / "pyproject.toml").touch()
    objects = first / "pydri" / "lib" / "objects"
    for path in (objects, *objects.rglob("*")):
        path.chmod(0o775 if path.is_dir() else 0o664)
    drew(pydri(first, env, "run", program("frame")))
    assert not [path for path in objects.rglob("*") if path.stat().st_mode & 0o022]
    assert not (place / "home" / ".cache").exists() and not (first / "build").exists()
    first.rename(second)
    drew(pydri(second, env, "run", program("frame")))
    assert str(second) in (second / "pydri" / "lib" / products.SIDECAR).read_text()
