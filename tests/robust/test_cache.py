# SPDX-License-Identifier: MIT
"""Whatever has happened to the cache of compiled code, the picture is right and nobody is told more
than they need: the cache is an optimisation, never a condition."""

import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from pydri.jit import cpu
from pydri.util import stats
from tests import host
from tests.robust.conftest import NEEDS, Program, run
from tests.robust.test_hosts import drew, without

pytestmark = [pytest.mark.x11, pytest.mark.slow, pytest.mark.needs(*NEEDS)]


@pytest.fixture(scope="module")
def bare(libdir: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The libraries without the objects that the build compiles beforehand."""
    folder = tmp_path_factory.mktemp("bare") / "lib"
    shutil.copytree(libdir, folder, symlinks=True, ignore=shutil.ignore_patterns("objects*"))
    return str(folder)


@pytest.fixture(scope="module")
def filled(
    program: Program, libdir: str, display: str, tmp_path_factory: pytest.TempPathFactory
) -> pathlib.Path:
    """A cache that the frame program has filled with the code of its pipelines (the driver's own is
    beside the libraries): MESA_SHADER_CACHE_DIR of it."""
    folder = tmp_path_factory.mktemp("filled")
    env = {"LD_LIBRARY_PATH": libdir, "DISPLAY": display, "MESA_SHADER_CACHE_DIR": str(folder)}
    drew(run(program("frame"), env=env))
    assert len(files(folder)) > 2
    return folder


def files(folder: pathlib.Path) -> list[pathlib.Path]:
    """The objects of a cache."""
    return sorted(path for path in (folder / "pydri_cache").iterdir() if path.is_file())


def shipped(libdir: pathlib.Path) -> list[pathlib.Path]:
    """The objects beside the libraries, for this machine's level."""
    level = cpu.level(cpu.host().level.width)
    return sorted((libdir / "objects" / cpu.level_folder(level)).iterdir())


def flip_bytes(path: pathlib.Path) -> None:
    """Damage in the middle."""
    data = bytearray(path.read_bytes())
    for at in range(len(data) // 3, len(data), 97):
        data[at] ^= 0xFF
    path.write_bytes(data)


def truncate(path: pathlib.Path) -> None:
    """A disk that was full."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: pathlib.Path) -> None:
    """A crash of the machine before the data were written."""
    path.write_bytes(b"")


def forge(path: pathlib.Path) -> None:
    """Right magic, length and checksum around nonsense (our own format, another meaning)."""
    magic = path.read_bytes()[:8]
    content = bytes(range(256)) * 8
    checksum = zlib.crc32(content, zlib.crc32(path.name.encode()))
    path.write_bytes(struct.pack("<8sII", magic, checksum, len(content)) + content)


def swap_kernels(path: pathlib.Path) -> None:
    """A whole object under the name of another one."""
    others = [other for other in path.parent.iterdir() if other.is_file() and other != path]
    if others:
        shutil.copy(others[0], path)


def make_folder(path: pathlib.Path) -> None:
    """A folder where a file should be."""
    path.unlink()
    path.mkdir()


def make_pipe(path: pathlib.Path) -> None:
    """A named pipe nobody writes to: opening it must not wait."""
    path.unlink()
    os.mkfifo(path)


def link_to_zero(path: pathlib.Path) -> None:
    """A symbolic link to an endless file."""
    path.unlink()
    path.symlink_to("/dev/zero")


def foreign(path: pathlib.Path) -> None:
    """Somebody else's file."""
    if os.getuid():
        host.does_not_apply("needs root", "to give a file away")
    os.chown(path, host.NOBODY, host.NOBODY)


def writable_by_all(path: pathlib.Path) -> None:
    """Ours, but others may have written it."""
    path.chmod(0o666)


DAMAGE = [
    flip_bytes, truncate, empty, forge, swap_kernels, make_folder, make_pipe, link_to_zero, foreign,
    writable_by_all,
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_damaged_files(
    program: Program, ours: dict[str, str], filled: pathlib.Path, tmp_path: pathlib.Path,
    damage: Callable[[pathlib.Path], None],
) -> None:  # fmt: skip
    """Every file of a cache; the driver's own code is that of the build."""
    copy = tmp_path / "copy"
    shutil.copytree(filled, copy)
    for path in files(copy):
        damage(path)
    env = {**ours, "MESA_SHADER_CACHE_DIR": str(copy)}
    drew(run(program("frame"), env=env))
    drew(run(program("frame"), env=env))  # what was written over the damage is of use


def test_damaged_files_of_all_code(
    program: Program, ours: dict[str, str], bare: str, libdir: str, filled: pathlib.Path,
    tmp_path: pathlib.Path,
) -> None:  # fmt: skip
    """The driver's own code lies in the cache, too, and each file has another damage. It is
    compiled anew, and who waits for that is told so in a line, not more."""
    copy = tmp_path / "copy"
    shutil.copytree(filled, copy)
    for path in shipped(pathlib.Path(libdir)):
        shutil.copy(path, copy / "pydri_cache")
    # Over a folder nothing can be written: each program would compile that file's code again.
    kinds = [flip_bytes, truncate, empty, forge, swap_kernels, writable_by_all]
    for n, path in enumerate(files(copy)):
        kinds[n % len(kinds)](path)
    env = {**ours, "MESA_SHADER_CACHE_DIR": str(copy), "LD_LIBRARY_PATH": bare}
    done = run(program("frame"), env={**env, "PYDRI_PATIENCE": "1"})
    told = done.stderr.splitlines()
    assert (done.stdout, done.returncode) == ("pydri: ok\n", 7), done.stdout + done.stderr
    assert sum("compiling the driver's kernels" in line for line in told) == 1, told
    assert all(line.startswith("libGL: compiling ") for line in told), told
    assert str(copy) in told[0]
    done = run(program("frame"), env={**env, "PYDRI_PATIENCE": "1"})
    assert (done.stdout, done.returncode) == ("pydri: ok\n", 7), done.stdout + done.stderr
    assert "the driver's kernels" not in done.stderr


SMALL = 16384  # bytes of an object that is compiled at once: presenting, the front buffers


@pytest.mark.parametrize("damage", [flip_bytes, forge, empty], ids=lambda damage: damage.__name__)
def test_damaged_objects_of_the_build(
    program: Program, ours: dict[str, str], libdir: str, tmp_path: pathlib.Path,
    damage: Callable[[pathlib.Path], None],
) -> None:  # fmt: skip
    """Flipped bytes meet all of them, the others what is small: to compile all takes long."""
    copy = tmp_path / "lib"
    shutil.copytree(libdir, copy, symlinks=True)
    objects = shipped(copy)
    if damage is not flip_bytes:
        objects = [path for path in objects if path.stat().st_size < SMALL]
    assert len(objects) > 1
    for path in objects:
        damage(path)
    env = {**ours, "LD_LIBRARY_PATH": str(copy), "MESA_SHADER_CACHE_DIR": str(tmp_path)}
    drew(run(program("frame"), env={**env, "PYDRI_PATIENCE": "1", "LIBGL_DEBUG": "quiet"}))
    drew(run(program("frame"), env=env))


def test_kernels_of_a_lower_level(
    program: Program, ours: dict[str, str], libdir: str, tmp_path: pathlib.Path
) -> None:
    """An image that a lesser machine made: its kernels serve, and nothing is compiled at the start.
    Who asks for the width of this machine gets it."""
    if cpu.host().level.width == 128:
        host.does_not_apply("this machine has no level with narrower vectors")
    level = cpu.LEVELS[cpu.LEVELS.index(cpu.host().level) - 1]
    narrow = {"LP_NATIVE_VECTOR_WIDTH": str(level.width)}
    cache = tmp_path / "cache"
    shutil.copytree(pathlib.Path(host.kernels(), "pydri_cache"), cache / "pydri_cache")
    drew(run(program("frame"), env={**ours, **narrow, "MESA_SHADER_CACHE_DIR": str(cache)}))
    copy = tmp_path / "lib"
    shutil.copytree(libdir, copy, symlinks=True)
    shutil.rmtree(copy / "objects")
    objects = copy / "objects" / cpu.level_folder(level)
    shutil.copytree(cache / "pydri_cache", objects)
    env = {**ours, "LD_LIBRARY_PATH": str(copy), "MESA_SHADER_CACHE_DIR": str(tmp_path / "empty")}
    statistics = tmp_path / "statistics"
    drew(run(program("frame"), env={**env, "PYDRI_STATS": str(statistics)}))
    assert stats.read_file(str(statistics))["total"]["kernels_compiled"] == 0
    done = run(sys.executable, "-c", host.ASK, env=env)
    assert f" {level.width} bits" in done.stdout, done.stdout + done.stderr
    width = str(cpu.host().level.width)
    cached = {**env, "LP_NATIVE_VECTOR_WIDTH": width, "MESA_SHADER_CACHE_DIR": host.kernels()}
    assert f" {width} bits" in run(sys.executable, "-c", host.ASK, env=cached).stdout


@pytest.mark.parametrize(
    "state",
    ["missing", "a file", "proc", "foreign", "open to all", "link", "relative"],
)
def test_unusable_folder(
    program: Program, ours: dict[str, str], tmp_path: pathlib.Path, state: str
) -> None:
    place = tmp_path / "place"
    inside = place / "pydri_cache"
    where = str(place)
    if state == "missing":
        where = str(place / "a" / "b" / "c")
    elif state == "a file":
        place.write_text("not a folder")
    elif state == "proc":
        where = "/proc/self"
    elif state == "foreign":
        if os.getuid():
            host.does_not_apply("needs root", "to give a folder away")
        inside.mkdir(parents=True)
        os.chown(inside, host.NOBODY, host.NOBODY)
    elif state == "open to all":
        inside.mkdir(parents=True)
        inside.chmod(0o777)
    elif state == "link":
        place.mkdir()
        (tmp_path / "elsewhere").mkdir()
        inside.symlink_to(tmp_path / "elsewhere")
    else:
        where = "relative/folder"
    drew(run(program("frame"), env={**ours, "MESA_SHADER_CACHE_DIR": where}))
    if state in ("foreign", "open to all"):
        assert not list(inside.iterdir())
    if state == "link":
        assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("home", [None, "", "/proc", "relative"])
def test_homes(program: Program, ours: dict[str, str], home: str | None) -> None:
    env = without(ours, "HOME", "MESA_SHADER_CACHE_DIR")
    if home is not None:
        env["HOME"] = home
    if home is None and os.getuid() == 0:
        env["MESA_SHADER_CACHE_DIR"] = ours["MESA_SHADER_CACHE_DIR"]
    drew(run(program("frame"), env=env))


@pytest.fixture
def place() -> Iterator[pathlib.Path]:
    """A folder of ours, for who is bound by modes of files."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pydri-test-"))
    try:
        yield folder
    finally:
        for path in (folder, *filter(os.path.isdir, folder.rglob("*"))):
            path.chmod(0o700)
        shutil.rmtree(folder)


def run_bound(
    *command: str, env: dict[str, str], **more: str
) -> "subprocess.CompletedProcess[str]":
    """Run a program that modes of files bind, without a home: root's without the rights to pass
    over them."""
    rights = "--bounding-set=-dac_override,-dac_read_search,-fowner,-chown"
    bound = [shutil.which("setpriv") or "setpriv", rights] if os.getuid() == 0 else []
    return run(*bound, *command, env={**without(env, "HOME"), **more})


def test_modes_bind(place: pathlib.Path) -> None:
    """As they do not bind root."""
    (place / "closed").touch(0o444)
    place.chmod(0o555)
    for order in (f"mkdir {place}/a", f": >{place}/closed"):
        script = place.parent / f"{place.name}.sh"
        script.write_text(f"#!/bin/sh\n{order}\n")
        script.chmod(0o755)
        done = run_bound(str(script), env=dict(os.environ))
        script.unlink()
        assert done.returncode and "Permission denied" in done.stderr


def test_a_home_that_cannot_be_made(
    program: Program, ours: dict[str, str], place: pathlib.Path
) -> None:
    place.chmod(0o555)
    env = {**without(ours, "MESA_SHADER_CACHE_DIR"), "XDG_CACHE_HOME": ""}
    drew(run_bound(program("frame"), env=env, HOME=str(place / "home")))
    assert not list(place.iterdir())


def test_user_without_rights(
    program: Program, ours: dict[str, str], place: pathlib.Path
) -> None:
    """One who may write nothing into any cache."""
    place.chmod(0o555)
    drew(run_bound(program("frame"), env=without(ours, "MESA_SHADER_CACHE_DIR"),
                   XDG_CACHE_HOME=str(place)))  # fmt: skip
    assert not list(place.iterdir())


@pytest.mark.parametrize("state", ["unreadable", "read-only", "closed"])
def test_modes_that_bind(
    state: str, program: Program, ours: dict[str, str], libdir: str, filled: pathlib.Path,
    place: pathlib.Path,
) -> None:  # fmt: skip
    """Files that may not be read, a folder where nothing may be written, one that may not be
    entered: the picture is right, and the cache stays as it was."""
    libraries, cache = place / "lib", place / "cache"
    shutil.copytree(libdir, libraries, symlinks=True)
    shutil.copytree(filled, cache)
    inside = cache / "pydri_cache"
    if state == "unreadable":
        for path in files(cache):
            path.chmod(0)
    if state == "read-only":
        for path in files(cache)[1:]:
            path.unlink()
        inside.chmod(0o500)
    before = [path.name for path in files(cache)]
    if state == "closed":
        inside.chmod(0)
    env = {**ours, "MESA_SHADER_CACHE_DIR": str(cache), "LD_LIBRARY_PATH": str(libraries)}
    drew(run_bound(program("frame"), env=env))
    drew(run_bound(program("frame"), env=env))
    inside.chmod(0o700)
    if state != "unreadable":  # what cannot be read may be written anew
        assert [path.name for path in files(cache)] == before


def test_a_read_only_file_system(
    program: Program, ours: dict[str, str], filled: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """As nodes of a cluster share a cache: what is there serves, however old it is, and nothing is
    compiled."""
    if os.getuid():
        host.does_not_apply("needs root", "to mount a file system")
    cache, counters = tmp_path / "cache", tmp_path / "counters"
    shutil.copytree(filled, cache)
    for path in files(cache):
        os.utime(path, (1e9, 1e9))
    script = f'mount --bind {cache} {cache} && mount -o remount,ro,bind {cache} && exec "$@"'
    env = {**ours, "MESA_SHADER_CACHE_DIR": str(cache), "PYDRI_STATS": str(counters)}
    drew(run("unshare", "--mount", "sh", "-c", script, "sh", program("frame"), env=env))
    total = stats.read_file(str(counters))["total"]
    assert total["cache_hits"] > 0 and not total["kernels_compiled"]
    assert {path.stat().st_mtime for path in files(cache)} == {1e9}


def test_full_cache(program: Program, ours: dict[str, str], tmp_path: pathlib.Path) -> None:
    """A bound below the size of a single object."""
    env = {**ours, "MESA_SHADER_CACHE_DIR": str(tmp_path), "MESA_SHADER_CACHE_MAX_SIZE": "1K"}
    drew(run(program("frame"), env=env))
    assert sum(path.stat().st_size for path in files(tmp_path)) <= 1024


def test_switched_off(program: Program, ours: dict[str, str], tmp_path: pathlib.Path) -> None:
    env = {**ours, "MESA_SHADER_CACHE_DIR": str(tmp_path), "MESA_SHADER_CACHE_DISABLE": "true"}
    drew(run(program("frame"), env=env))
    assert not (tmp_path / "pydri_cache").exists()


def test_programs_at_once(program: Program, ours: dict[str, str], tmp_path: pathlib.Path) -> None:
    """Three fill one cache together; a fourth finds whole objects, and all it needs."""
    env = {**ours, "MESA_SHADER_CACHE_DIR": str(tmp_path)}
    with ExitStack() as stack:
        running = []
        for _ in range(3):
            env["DISPLAY"] = stack.enter_context(host.XServer("640x480")).name
            running.append(
                subprocess.Popen([program("frame")], env=env, stdout=subprocess.PIPE, text=True)
            )
        for process in running:
            assert process.communicate(timeout=60)[0] == "pydri: ok\n"
    env["DISPLAY"] = ours["DISPLAY"]
    before = {path.name for path in files(tmp_path)}
    drew(run(program("frame"), env=env))
    assert {path.name for path in files(tmp_path)} == before
    assert not [path for path in (tmp_path / "pydri_cache").iterdir() if path.name[0] == "."]
