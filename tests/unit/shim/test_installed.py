# SPDX-License-Identifier: MIT
"""Where the libraries of an installed package are made ready: whose folder, how it is held to be
safe, and what happens where nothing can be written."""

import errno
import fcntl
import os
import pathlib
import stat
import subprocess
import sys
from collections.abc import Callable

import pytest

from libgl_shim import build, folder, installed, machine, products, ready, start_image
from tests import host


@pytest.fixture
def package(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A package in site-packages of root's, with libraries (small ones), used by somebody else
    whose home is tmp_path/home; kernels and the start image (of no modules) take no time."""
    out = tmp_path / "site" / "pydri" / "lib"
    for name in products.PRODUCTS:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(f"library {name}")
    real = os.access
    monkeypatch.setattr(products, "is_checkout", lambda: False)
    monkeypatch.setattr(products, "default_out", lambda: str(out))
    monkeypatch.setattr(os, "access", lambda path, *how, **more: (
        os.fspath(path) != str(out) and real(path, *how, **more)))  # fmt: skip
    monkeypatch.setattr(build, "kernels_are_current", lambda out, levels=(): True)
    monkeypatch.setattr(build, "prebuild_kernels", lambda out, say, levels=(): None)
    monkeypatch.setattr(start_image, "_image", lambda paths, mark, *_: (
        start_image._sealed([], b"", b"", mark)))  # fmt: skip
    (tmp_path / "home").mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    return out


def test_a_copy_is_made_and_found_again(package: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = pathlib.Path(installed.prepare())
    assert out.parent == tmp_path / "home" / ".cache" and installed.current_folder() == str(out)
    for name in products.PRODUCTS:
        assert (out / name).read_text() == f"library {name}"
    assert stat.S_IMODE(out.stat().st_mode) == 0o700 and (out / products.SIDECAR).exists()
    (package / "libGL.so.1").write_text("a newer library")
    assert installed.prepare() == str(out)
    assert (out / "libGL.so.1").read_text() == "a newer library"


def test_nothing_is_written_where_all_is_current(
    package: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home that is read-only by now, or full."""
    out = installed.prepare()
    monkeypatch.setattr(build, "alone", lambda out: pytest.fail("a lock was taken"))
    assert installed.prepare() == out


# -- what was found right (ready.py) ---------------------------------------------------------------


def another_library(out: pathlib.Path, patch: pytest.MonkeyPatch) -> None:
    (out / "libGL.so.1").write_text("another library")


def another_sidecar(out: pathlib.Path, patch: pytest.MonkeyPatch) -> None:
    (out / products.SIDECAR).write_text("seen=otherwise\n")


def another_interpreter(out: pathlib.Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(sys, "executable", "/another/python")


def another_processor(out: pathlib.Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ready, "_processor", lambda: b"fpu vme")


def kernels_of_another_level(out: pathlib.Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("PYDRI_CPU", "x86-64-v2")


def edited_sources(out: pathlib.Path, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ready.source_tree, "appearance", lambda roots: "of other sources")


def kernels_that_are_gone(out: pathlib.Path, patch: pytest.MonkeyPatch) -> None:
    (out / "objects").unlink()


def a_file_that_is_cut_short(out: pathlib.Path, patch: pytest.MonkeyPatch) -> None:
    (out / ready.NAME).write_text((out / ready.NAME).read_text()[:-1])


@pytest.mark.parametrize("change", [
    another_library, another_sidecar, another_interpreter, another_processor,
    kernels_of_another_level, edited_sources, kernels_that_are_gone, a_file_that_is_cut_short,
])  # fmt: skip
def test_what_was_found_right_is_looked_over_when_it_looks_otherwise(
    package: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
    change: Callable[[pathlib.Path, pytest.MonkeyPatch], None],
) -> None:  # fmt: skip
    (package / "objects").mkdir()
    out = installed.prepare()
    looks: list[str] = []
    real = installed._looked_over

    def look(package: str, say: bool) -> str:
        looks.append(package)
        return real(package, say)

    monkeypatch.setattr(installed, "_looked_over", look)
    assert installed.prepare() == out and looks == []
    with monkeypatch.context() as patch:
        change(pathlib.Path(out), patch)
        assert installed.prepare() == out and looks == [str(package)]


def test_a_newer_package_is_looked_over(package: pathlib.Path) -> None:
    """Though its copy looks as it did."""
    out = pathlib.Path(installed.prepare())
    (package / "libEGL.so.1").write_text("a newer library")
    installed.prepare()
    assert (out / "libEGL.so.1").read_text() == "a newer library"


def test_a_file_that_changes_meanwhile_is_not_found_right(
    package: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at it and the note."""
    monkeypatch.setattr(installed, "_is_copy", lambda out, package: False)
    assert not (pathlib.Path(installed.prepare()) / ready.NAME).exists()


def test_packages_that_only_one_caller_has_are_looked_for(
    package: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those on PYTHONPATH: the next one may have others."""
    monkeypatch.setattr(folder, "_found_in", lambda name: "/somewhere/else")
    assert folder.looked_at(str(package)) == []
    assert not (pathlib.Path(installed.prepare()) / ready.NAME).exists()


#: what takes a millisecond or more and has no part in it
SLOW = {
    "argparse", "ast", "contextlib", "hashlib", "importlib.metadata", "inspect", "json", "numpy",
    "pathlib", "platform", "pydri.jit", "re", "shutil", "subprocess", "sysconfig", "tempfile",
    "typing", "libgl_shim.build", "libgl_shim.folder", "libgl_shim.start_image",
}  # fmt: skip


PARSER = {"argparse", "re", "shutil"}  # one imports the others
CLI = "from pydri import cli; cli.main({words})"
TELLING = """
import os, sys
old = {{*sys.modules}}
def told(*_):
    print(*{{*sys.modules}} - old, flush=True)
    os._exit(0)
os.execvpe = told
{code}
told()
"""


@pytest.mark.parametrize(
    ("code", "besides"),
    [
        ("import pydri; pydri.load()", set()),
        (CLI.format(words=["exec", "script.py", "-x"]), set()),
        (CLI.format(words=["run", "true"]), PARSER),
        (CLI.format(words=["path"]), PARSER),
    ],
)
def test_a_start_imports_nothing_of_the_build(
    libdir: pathlib.Path, tmp_path: pathlib.Path, code: str, besides: set[str]
) -> None:
    """While all looks as it did."""
    assert installed.prepare() == str(libdir)
    (tmp_path / "script.py").touch()
    done = subprocess.run(
        [sys.executable, "-c", TELLING.format(code=code)], capture_output=True, text=True,
        env={**host.environment("ours", "", False), "PYTHONPATH": host.ROOT, "DISPLAY": ":0"},
        cwd=tmp_path, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and done.stderr == "", done.stderr
    loaded = {*done.stdout.split()}
    assert "libgl_shim.ready" in loaded and SLOW & loaded <= besides


@pytest.mark.parametrize("xdg", ["relative/cache", "", None])
def test_only_absolute_xdg_folders_count(
    package: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, xdg: str | None
) -> None:
    if xdg is not None:
        monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    monkeypatch.chdir(tmp_path)
    assert pathlib.Path(installed.prepare()).parent == tmp_path / "home" / ".cache"
    assert not (tmp_path / "relative").exists()


def damage_link(home: pathlib.Path, out: pathlib.Path) -> None:
    out.parent.mkdir(parents=True)
    (home / "elsewhere").mkdir()
    out.symlink_to(home / "elsewhere")


def damage_open(home: pathlib.Path, out: pathlib.Path) -> None:
    out.mkdir(parents=True)
    out.chmod(0o777)


def damage_above(home: pathlib.Path, out: pathlib.Path) -> None:
    out.mkdir(parents=True, mode=0o700)
    out.parent.chmod(0o777)  # others may rename our folder away and put theirs in its place


def damage_owner(home: pathlib.Path, out: pathlib.Path) -> None:
    if os.getuid():
        host.does_not_apply("needs root to give a folder away")
    out.mkdir(parents=True, mode=0o700)
    os.chown(out, host.NOBODY, host.NOBODY)


def damage_lock(home: pathlib.Path, out: pathlib.Path) -> None:
    out.mkdir(parents=True, mode=0o700)
    (home / "precious").write_text("precious")
    (out / ".lock").symlink_to(home / "precious")


def damage_file(home: pathlib.Path, out: pathlib.Path) -> None:
    (home / ".cache").write_text("not a folder")


@pytest.mark.parametrize("damage", [damage_link, damage_open, damage_above, damage_owner,
                                    damage_lock, damage_file])  # fmt: skip
def test_a_folder_that_others_may_fill_is_not_used(
    package: pathlib.Path, tmp_path: pathlib.Path, damage: object,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Its libraries would be loaded by every program that draws. A folder of our own in TMPDIR is
    taken instead."""
    assert callable(damage)
    home, first = tmp_path / "home", pathlib.Path(installed.own_folders(str(package))[0])
    damage(home, first)
    out = pathlib.Path(installed.prepare())
    assert out.parent == tmp_path / "temporary" and str(os.geteuid()) in out.name
    assert installed.prepare() == str(out)
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1 and told[0].endswith(f"): the libraries are in {out}")
    assert (out / "libGL.so.1").exists() and not (first / "libGL.so.1").exists()
    if (home / "precious").exists():
        assert (home / "precious").read_text() == "precious"


def test_no_folder_at_all_is_one_sentence(
    package: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "own_folders", lambda package: ["/proc/pydri", "/sys/pydri"])
    with pytest.raises(SystemExit, match=r"no folder for .*: /proc/pydri \(.*/sys/pydri"):
        installed.prepare()


def test_a_package_that_is_ready_is_used_as_it_is(package: pathlib.Path) -> None:
    folder.write_sidecar(str(package))
    assert installed.prepare() == installed.current_folder() == str(package)


def test_an_interpreter_without_what_the_driver_needs_changes_nothing(
    package: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs go on with the one that the folder was made for."""
    folder.write_sidecar(str(package))
    before = {path: path.read_bytes() for path in package.iterdir() if path.is_file()}
    monkeypatch.setattr(folder, "_found_in", lambda name: "" if name == "llvmlite" else "/some")
    with pytest.raises(SystemExit, match=r"has no llvmlite: .* was left as it is"):
        folder.write_sidecar(str(package))
    assert {path: path.read_bytes() for path in package.iterdir() if path.is_file()} == before


def test_a_full_disk_beside_the_package(
    package: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be written there is written elsewhere."""
    write = folder.write_sidecar

    def full(out: str) -> bool:
        if out == str(package):
            raise OSError(28, "No space left on device")
        return write(out)

    monkeypatch.setattr(os, "access", lambda *_, **__: True)
    monkeypatch.setattr(folder, "write_sidecar", full)
    assert pathlib.Path(installed.prepare()).parent == tmp_path / "home" / ".cache"


def test_kernels_of_a_package_are_used_where_they_are(package: pathlib.Path) -> None:
    """By a link: they name no place."""
    objects = package / "objects"
    objects.mkdir()
    out = pathlib.Path(installed.prepare())
    assert (out / "objects").readlink() == objects


def test_a_file_system_without_locks(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files appear whole: two builds at once cost time alone."""

    def none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", none)
    with build.alone(str(tmp_path)):
        assert (tmp_path / ".lock").exists()


def test_what_pip_lets_a_group_write_is_closed(tmp_path: pathlib.Path) -> None:
    (tmp_path / "level").mkdir(mode=0o755)
    (tmp_path / "level" / "kernel").touch()
    for path in (tmp_path / "level", tmp_path / "level" / "kernel"):
        path.chmod(path.stat().st_mode | 0o020)
    installed._close_to_others(str(tmp_path))
    assert not [path for path in tmp_path.rglob("*") if path.stat().st_mode & 0o022]


def test_noexec_is_told(package: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
                        capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """ld.so says one line and goes on with the system's GL."""
    folder.write_sidecar(str(package))
    monkeypatch.setattr(installed, "is_noexec", lambda path: True)
    installed.prepare()
    assert "is mounted noexec" in capsys.readouterr().err


# -- a checkout ------------------------------------------------------------------------------------


def test_site_packages_are_no_checkout(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some wheels leave a pyproject.toml there."""
    assert products.is_checkout()
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(products, "ROOT", str(tmp_path))
    assert not products.is_checkout()


def test_a_checkout_of_somebody_else(
    libdir: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Up to date it is used without a lock; kernels of another CPU are done without; libraries of
    other sources are not."""

    def refuse(out: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(build, "alone", refuse)
    assert build.build(say=False) == str(libdir) and capsys.readouterr().err == ""
    monkeypatch.setattr(build, "kernels_are_current", lambda out, levels: False)
    assert build.build(say=False) == str(libdir)
    assert "each program compiles what it needs" in capsys.readouterr().err
    monkeypatch.setattr(build, "_digest", lambda: "of other sources")
    with pytest.raises(SystemExit, match="is out of date, and cannot be written"):
        build.build(say=False)


def test_a_lock_is_not_opened_through_a_link(tmp_path: pathlib.Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / ".lock").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError), build.alone(str(tmp_path)):
        pass
    (tmp_path / ".lock").unlink()
    with build.alone(str(tmp_path)), open(tmp_path / ".lock", "r+") as second:
        with pytest.raises(BlockingIOError):
            fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert (tmp_path / "precious").read_text() == "precious"


def test_full_disk_leaves_a_driver_without_kernels(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("libgl_shim.prebuild.prebuild", full)
    build.prebuild_kernels(str(tmp_path), False)
    assert "No space left on device" in capsys.readouterr().err


# -- other machines --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "value", "text"),
    [
        ("libgl_shim.machine._system", ("Linux", "aarch64"), "and this is Linux on aarch64"),
        ("libgl_shim.machine._system", ("Darwin", "x86_64"), "and this is Darwin on x86_64"),
        ("os.confstr", None, "needs glibc"),
    ],
)
def test_another_machine_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, what: str, value: object, text: str
) -> None:
    assert machine.why_not() == ""
    machine.check()
    monkeypatch.setattr(what, lambda *_: value)
    assert text in machine.why_not()
    with pytest.raises(SystemExit, match="pydri: "):
        machine.check()
