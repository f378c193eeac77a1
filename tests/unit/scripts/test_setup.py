# SPDX-License-Identifier: MIT
"""What scripts/setup.sh and the build do before the driver is there: whose code they run, and what
they say."""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from libgl_shim import folder, prebuild
from scripts import try_release
from tests import host

ROOT = pathlib.Path(__file__).resolve().parents[3]
CODE = ("pydri", "pipe_llvm", "pipe_soft", "winsys_x11", "libgl_shim", "scripts", "setup.py")
EVIL = "open({mark!r}, 'w').close(); raise SystemExit(3)\n"  # it may be what another one imports


@pytest.fixture
def evil(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The current directory, with modules in it that nobody asked for; the mark that one ran."""
    mark = tmp_path / "ran"
    (tmp_path / "here").mkdir()
    text = EVIL.format(mark=str(mark))
    for name in ("re", "venv", "ensurepip", "ctypes", "sysconfig", "numpy", "cffi", "json"):
        (tmp_path / "here" / f"{name}.py").write_text(text)
    for name in ("llvmlite", "pip"):
        (tmp_path / "here" / name).mkdir()
        (tmp_path / "here" / name / "__init__.py").write_text(text)
    monkeypatch.chdir(tmp_path / "here")
    return mark


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """A command after `source setup.sh`, in the current directory."""
    return subprocess.run(
        ["bash", "-uc", f"source {ROOT}/scripts/setup.sh; PYTHON={sys.executable}; {command}"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_the_mark_can_be_made(evil: pathlib.Path) -> None:
    """This is what must not happen."""
    subprocess.run([sys.executable, "-c", "import llvmlite"], check=False, timeout=60)
    assert evil.exists()


def test_set_up_runs_nothing_of_the_current_directory(evil: pathlib.Path) -> None:
    for command in (f"python_fits {sys.executable}", f"venv_is_of {sys.executable}"):
        done = shell(command)
        assert done.returncode == 0 and not evil.exists(), command + done.stderr


@pytest.mark.parametrize("status", [None, 0, 1])
def test_packages_come_by_uv_or_else_by_pip(tmp_path: pathlib.Path, status: int | None) -> None:
    """uv may be missing, or know no way to the packages."""
    told = tmp_path / "told"
    for name, result in (("uv", status), ("python", 0)):
        if result is not None:
            (tmp_path / name).write_text(f'#!/bin/sh\necho "{name} $*" >>{told}\nexit {result}\n')
            (tmp_path / name).chmod(0o755)
    place = f"PATH={tmp_path}:/usr/bin:/bin; PYTHON={tmp_path}/python"
    assert shell(f"{place}; install setuptools cffi && new_venv {tmp_path}/python").returncode == 0
    words = [line.split()[0] for line in told.read_text().splitlines()]
    assert words == {None: 2 * ["python"], 0: 2 * ["uv"], 1: 2 * ["uv", "python"]}[status]
    text = told.read_text()
    assert status is not None or "-P -m pip" in text and "--no-compile setuptools cffi" in text


@pytest.mark.embed
def test_libraries_are_compiled_before_packages_are_there(tmp_path: pathlib.Path) -> None:
    """With cffi alone: neither numpy nor llvmlite is imported."""
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "for name in ('numpy', 'llvmlite', 'packaging'): sys.modules[name] = None\n"
        "from libgl_shim import build, core, stubs\n"
        f"stubs.texts(); core.render({str(tmp_path / '_core.c')!r})\n"
        "build.build(sidecar=False)\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True, timeout=120)
    assert (tmp_path / "_core.c").stat().st_size


def test_the_build_runs_nothing_of_the_current_directory(evil: pathlib.Path) -> None:
    text = folder.sidecar_text({})
    assert re.search(r"^llvm=\d+\.\d+\.\d+$", text, re.M) and not evil.exists()
    assert str(evil.parent) not in text


def test_kernels_are_compiled_with_nothing_of_the_current_directory(
    evil: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    """A process of prebuild that gets no numbers: it has imported all when it says how many
    modules there are."""
    numbers, give = os.pipe()
    listen, said = os.pipe()
    process = prebuild._start(str(tmp_path / "objects"), "", numbers, said)
    for end in (numbers, give, said):
        os.close(end)
    with open(listen, encoding="utf-8") as lines:
        told = lines.read()
    assert process.wait() == 0 and re.fullmatch(r"of \d+\n", told) and not evil.exists()


def unsafe_calls(text: str) -> list[int]:
    """Lines of Python source on which a Python is started with -c or -m and without -P."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.List | ast.Tuple | ast.Call):
            items = node.args if isinstance(node, ast.Call) else node.elts
            for before, after in zip(items, items[1:], strict=False):
                if ast.unparse(before) == "sys.executable":
                    word = after.value if isinstance(after, ast.Constant) else ""
                    if word in ("-c", "-m"):
                        found.append(node.lineno)
    return sorted(set(found))


def test_unsafe_calls_are_seen() -> None:
    assert unsafe_calls("run([sys.executable, '-c', code])") == [1]
    assert unsafe_calls("\nrun(sys.executable, '-m', 'x')") == [2]
    assert unsafe_calls("run([sys.executable, '-P', '-c', code]); [sys.executable, 'a.py']") == []


#: Files that start modules of this tree with -m, in the tree's own folder (cwd=ROOT).
IN_OUR_FOLDER = {"scripts/run_robust.py", "scripts/run_tests.py"}


def test_no_python_is_started_in_the_callers_folder() -> None:
    """`python -c` and `python -m` look for modules in the current directory first; -P does not."""
    paths = [p for top in CODE for p in ([ROOT / top] if top.endswith(".py") else
                                         sorted((ROOT / top).rglob("*.py")))]  # fmt: skip
    found = {}
    for path in paths:
        name, text = path.relative_to(ROOT).as_posix(), path.read_text()
        if "sys.executable" in text and (lines := unsafe_calls(text)):
            found[name] = lines
            assert name not in IN_OUR_FOLDER or "cwd=ROOT" in text, name
    assert set(found) == IN_OUR_FOLDER, found
    for script in sorted((ROOT / "scripts").iterdir()):
        if script.is_file() and script.suffix in ("", ".sh") and script.name != "packages":
            calls = re.findall(r'"\$(?:PYTHON|base|1)" (-\S+)', script.read_text())
            assert set(calls) <= {"-P"}, script.name


def test_two_starts_ask_llvm_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its version is in the sidecar, with what llvmlite it is of."""
    asked: list[int] = []
    monkeypatch.setattr(folder, "_llvm_version", lambda: asked.append(1) or "1.2.3")
    text = folder.sidecar_text({})
    facts = dict(line.split("=", 1) for line in text.splitlines())
    assert folder.sidecar_text(facts) == text and len(asked) == 1
    assert folder.sidecar_text({**facts, "llvmlite": "another"}) == text and len(asked) == 2


def test_the_sidecar_names_folders_of_dependencies(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in an environment with --system-site-packages, whose numpy is the system's."""
    system = tmp_path / "dist-packages"
    (system / "numpy").mkdir(parents=True)
    (system / "numpy" / "__init__.py").touch()
    empty = tmp_path / "empty"
    (empty / "numpy").mkdir(parents=True)  # a folder is no package
    monkeypatch.setattr(folder, "_site_folders", lambda: iter([str(empty), str(system)]))
    assert str(system) in folder.package_folders() and str(empty) not in folder.package_folders()


def test_a_caller_s_pythonpath_does_not_change_the_sidecar(tmp_path: pathlib.Path) -> None:
    shutil.copytree(ROOT / "pydri" / "util", tmp_path / "numpy")
    (tmp_path / "numpy" / "__init__.py").touch()
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from libgl_shim import folder; print(*folder.package_folders(), sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(tmp_path)}, cwd="/",
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == folder.package_folders(), done.stderr


# -- scripts/try-release, which runs as root -------------------------------------------------------


def test_systems_are_made_in_a_folder_of_ones_own(tmp_path: pathlib.Path) -> None:
    """Its default name in /var/tmp is known to everybody."""
    made = try_release.own_folder(str(tmp_path / "a" / "systems"))
    assert os.stat(made).st_mode & 0o777 == 0o700 and try_release.own_folder(made) == made
    os.chmod(made, 0o777)
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "file").touch()
    for path in (made, tmp_path / "link", tmp_path / "file"):
        with pytest.raises(SystemExit, match="not a folder of root's alone"):
            try_release.own_folder(str(path))


def test_passwords_do_not_stay_in_the_systems(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The registries' configuration of this machine, as far as it may name a password."""
    home = tmp_path / "home"
    (home / ".config" / "pip").mkdir(parents=True)
    (home / ".config" / "pip" / "pip.conf").write_text("index-url = https://me:secret@index/")
    monkeypatch.setenv("HOME", str(home))
    system = try_release.System.__new__(try_release.System)
    system.path, system.secrets = str(tmp_path / "system"), []
    (tmp_path / "system" / "etc" / "apt").mkdir(parents=True)
    system._copy_client_configuration("bookworm", "http://me:secret@mirror/debian")

    def told() -> list[pathlib.Path]:
        files = (p for p in (tmp_path / "system").rglob("*") if p.is_file())
        return [p for p in files if b"secret" in p.read_bytes()]

    assert len(told()) == 2
    system.forget_secrets()
    assert told() == [] and system.secrets


# -- the tree is everybody's -----------------------------------------------------------------------

_PLACES = re.compile(
    r"/work/\w|/home/(?!me\b|\{)\w|(?<![\w.])/root/\w|/tmp/apps|\.\./shared"
    r"|\bseed 00\d\b|\barchitecture\.md|\barchitecture,? section",
)


@pytest.mark.needs("git")  # which lists our files
def test_nothing_names_a_place_of_one_machine() -> None:
    """Folders of whoever wrote it, and papers that are not in the repository."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
        check=False,
    ).stdout.split()  # fmt: skip
    if not listed:
        host.does_not_apply("no git here, which lists our files")
    found = []
    for name in listed:
        path = ROOT / name
        if path == pathlib.Path(__file__).resolve() or not path.is_file():
            continue
        for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").splitlines(), 1):
            if place := _PLACES.search(line):
                found.append(f"{name}:{number}: {place[0]}")
    assert not found
    assert _PLACES.search("see /work/shared/x") and _PLACES.search("(architecture, section 3)")
