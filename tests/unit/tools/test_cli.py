# SPDX-License-Identifier: MIT
"""`pydri doctor` and `pydri info`: what they say of made-up programs and of this machine."""

import importlib.metadata
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from libgl_shim import build, products
from pydri import cli
from pydri.jit import cpu
from pydri.jit.cache import FOLDER, ObjectCache
from pydri.tools import doctor, info
from pydri.tools.program import NOT_ELF, examine, read_elf
from pydri.util import stats
from pydri.util.options import options
from tests import host

ENV = {"PATH": os.environ["PATH"]}


pytestmark = pytest.mark.embed


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some programs: linked with a library of a folder by RPATH, by RUNPATH; one that opens GL."""
    here = tmp_path_factory.mktemp("programs")
    (here / "gl.c").write_text("int gl(void) { return 0; }\n")
    (here / "main.c").write_text("int gl(void); int main(void) { return gl(); }\n")
    (here / "opens.c").write_text(
        'const char *name = "libGL.so.1"; int main(void) { return !name; }\n'
    )

    def cc(source: str, name: str, *flags: str) -> str:
        return host.compile_client(here / source, *flags, folder=here, name=name)

    (here / "libs").mkdir()
    library = cc("gl.c", "libs/libGL.so.1", "-shared", "-fPIC", "-Wl,-soname,libGL.so.1")
    cc("main.c", "rpath", library, "-Wl,--disable-new-dtags,-rpath,$ORIGIN/libs")
    cc("main.c", "runpath", library, "-Wl,--enable-new-dtags,-rpath,$ORIGIN/libs")
    cc("opens.c", "opens")
    return here


def test_rpath_comes_before_the_variable_and_runpath_after(folder: Path) -> None:
    other = folder / "other"
    other.mkdir(exist_ok=True)
    shutil.copy(folder / "libs" / "libGL.so.1", other)
    env = {**ENV, "LD_LIBRARY_PATH": str(other)}
    for name, expected in (("rpath", ("libs", "rpath")), ("runpath", ("other", "LD_LIBRARY_PATH"))):
        gl = examine(str(folder / name), env).linked_gl()[0]
        assert (Path(gl.path).parent.name, gl.how) == expected
    assert examine(str(folder / "runpath"), ENV).linked_gl()[0].how == "runpath"
    preload = {**ENV, "LD_PRELOAD": str(other / "libGL.so.1")}
    assert examine(str(folder / "rpath"), preload).linked_gl()[0].how == "preload"


def test_programs_that_open_gl_at_run_time(folder: Path) -> None:
    program = examine(str(folder / "opens"), ENV)
    assert program.linked_gl() == [] and program.opens == ("libGL.so.1",)
    found = list(doctor.check_program(str(folder / "opens"), ENV, "/nowhere"))
    assert [f.level for f in found] == [doctor.OK, doctor.OK]
    assert "libGL.so.1" in found[1].text


def test_privileged_programs(folder: Path) -> None:
    copy = folder / "setuid"
    shutil.copy(folder / "opens", copy)
    copy.chmod(copy.stat().st_mode | stat.S_ISUID)
    found = list(doctor.check_program(str(copy), ENV, "/nowhere"))
    (told,) = (f for f in found if "set-uid" in f.text)
    assert told.level == doctor.PROBLEM and not told.fix
    program = examine(str(copy), {**ENV, "LD_LIBRARY_PATH": "/nowhere"})
    assert program.privileged and all(f.how != "LD_LIBRARY_PATH" for f in program.libraries)


def test_scripts_are_judged_by_their_interpreter(folder: Path) -> None:
    script = folder / "script"
    script.write_text("#!/usr/bin/env sh\nexit 0\n")
    script.chmod(0o755)
    program = examine(str(script), ENV)
    assert os.path.basename(program.script) == "sh" and program.elf.bits == 64


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "no ELF"),
        (b"hello", "no ELF"),
        (b"\x7fELF\x01\x01" + bytes(12) + b"\x03" + bytes(60), "only 64-bit"),
        (b"\x7fELF\x02\x01" + bytes(12) + b"\x3e" + bytes(60), "static"),
        (b"\x7fELF\x02\x01" + bytes(12) + b"\x3e\0" + b"\xff" * 60, "static"),
    ],
)
def test_files_that_cannot_load_us(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "program"
    path.write_bytes(content)
    path.chmod(0o755)
    found = list(doctor.check_program(str(path), ENV, "/nowhere"))
    assert found[-1].level == doctor.PROBLEM and text in found[-1].text


def test_what_is_no_program(tmp_path: Path) -> None:
    (found,) = doctor.check_program("no-such-program-here", ENV, "/nowhere")
    assert found.level == doctor.PROBLEM and "not found" in found.text
    assert read_elf(__file__) == NOT_ELF


def test_missing_things_have_a_remedy(tmp_path: Path) -> None:
    (found,) = doctor.check_libraries(str(tmp_path))
    assert found.level == doctor.PROBLEM and "pydri.cli path" in found.fix
    (found,) = doctor.check_x({"PATH": "/nowhere"})
    assert found.level == doctor.PROBLEM and "xvfb" in found.fix
    (found,) = doctor.check_x({"DISPLAY": ":54321"})
    assert found.level == doctor.PROBLEM and "does not answer" in found.text
    text = doctor.report([found])
    assert "PROBLEM" in text and found.fix in text
    assert "nothing is missing" in doctor.report([doctor.Finding("x", doctor.OK, "fine")])


def _cache_finding(**variables: str) -> doctor.Finding:
    unset: dict[str, str | None] = {"MESA_SHADER_CACHE_DISABLE": None, "XDG_CACHE_HOME": None}
    with options(**{**unset, **variables}):
        (found,) = doctor.check_cache()
    return found


def test_doctor_looks_at_the_cache_as_the_driver_does(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    assert _cache_finding(MESA_SHADER_CACHE_DIR=str(tmp_path)).level == doctor.OK
    folder.mkdir(mode=0o700)
    assert _cache_finding(MESA_SHADER_CACHE_DIR=str(tmp_path)).level == doctor.OK
    folder.chmod(0o777)
    assert ObjectCache(str(folder))._fd < 0
    found = _cache_finding(MESA_SHADER_CACHE_DIR=str(tmp_path))
    assert found.level == doctor.PROBLEM and "not yours alone" in found.text
    assert found.fix.endswith(f"/var/tmp/pydri-{os.geteuid()}")  # nobody else's, too
    folder.rmdir()
    folder.symlink_to(tmp_path / "elsewhere")
    assert _cache_finding(MESA_SHADER_CACHE_DIR=str(tmp_path)).level == doctor.PROBLEM
    found = _cache_finding(MESA_SHADER_CACHE_DIR="", XDG_CACHE_HOME="relative")
    assert "relative is no absolute path" in found.text


def test_no_advice_installs_a_strangers_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index may have a package called pydri that is not ours."""
    monkeypatch.setattr(doctor.folder, "libpython", lambda: "")
    monkeypatch.setattr(sys, "base_prefix", "/opt/python")
    (found,) = (f for f in doctor.check_python() if "no shared libpython" in f.text)
    assert found.fix.endswith(f"pip install {build.ROOT}")
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    (found,) = (f for f in doctor.check_python() if "no shared libpython" in f.text)
    assert found.fix == "apt-get install libpython{}.{}".format(*sys.version_info)
    monkeypatch.setattr(products, "is_checkout", lambda: False)
    assert doctor._source() not in ("", "pydri")


def test_doctor_tells_what_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    libdir = build.build(say=False)
    assert all(f.level == doctor.OK for f in doctor.check_libraries(libdir))
    monkeypatch.setattr(doctor.installed, "is_noexec", lambda path: True)
    assert any("noexec" in f.text and f.fix for f in doctor.check_libraries(libdir))
    monkeypatch.setattr(doctor.machine, "_system", lambda: ("Linux", "aarch64"))
    found = list(doctor.check_system())
    assert found[0].level == doctor.PROBLEM and "aarch64" in found[0].text


def test_doctor_knows_whose_kernels_there_are(tmp_path: Path) -> None:
    def found() -> doctor.Finding:
        return next(doctor._check_kernels(str(tmp_path), "again"))

    assert found().level == doctor.NOTE and "again" in found().text
    folder = tmp_path / "objects" / cpu.level_folder(cpu.LEVELS[0])
    folder.mkdir(parents=True, mode=0o755)
    assert found().level == doctor.OK and found().text.startswith("kernels for x86-64; this")
    folder.chmod(0o775)
    assert found().level == doctor.PROBLEM and found().fix == f"chmod -R go-w {folder}"


def test_doctor_knows_what_sudo_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root's folder in a home that is the user's."""
    cache = tmp_path / ".cache"
    cache.mkdir(mode=0o500)
    monkeypatch.setenv("HOME", str(tmp_path))
    real, whose = os.stat, {str(cache): 4711}

    def stat_of(path: str, *args: object, **more: object) -> object:
        status = real(path)
        owner = whose.get(str(path), status.st_uid)
        return os.stat_result((*status[:4], owner, *status[5:]))

    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(cache))
    monkeypatch.setattr(doctor.os, "stat", stat_of)
    found = _cache_finding(MESA_SHADER_CACHE_DIR="", XDG_CACHE_HOME="")
    assert found.level == doctor.PROBLEM and "belongs to user 4711" in found.text
    assert found.fix == f"sudo chown -R {os.geteuid()} {cache}"


def test_one_command_installs_what_is_missing() -> None:
    def problem(fix: str) -> doctor.Finding:
        return doctor.Finding("x", doctor.PROBLEM, "missing", fix)

    fixes = ["apt-get install a b", "export X=1", "apt-get install b c", "", "export X=1"]
    told = doctor.commands([problem(fix) for fix in fixes])
    assert told == ["apt-get install a b c", "export X=1"]
    assert doctor.commands([problem("apt-get install a")]) == ["apt-get install a"]


def test_another_system_gets_one_sentence(tmp_path: Path) -> None:
    """Windows has no fcntl, no machine like it is asked for more."""
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(build.ROOT)!r})\n"
        "for name in ('fcntl', 'grp', 'pwd'): sys.modules[name] = None\n"
        "from libgl_shim import machine\n"
        "machine._system = lambda: ('Windows', 'x86_64')\n"
        "import pydri\n"
        "try: pydri.load()\n"
        "except RuntimeError as problem: print(problem)\n"
        "from pydri.cli import main; main(['run', 'glxgears'])\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True,
                          timeout=60, check=False)  # fmt: skip
    sentence = "pydri: runs on Linux on x86-64, and this is Windows on x86_64\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, sentence, sentence)


def test_doctor_as_json(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    code = cli.main(["doctor", "--json", str(folder / "runpath")])
    told = json.loads(capsys.readouterr().out)
    assert code == int(told["problems"] > 0)
    sections = {row["section"] for row in told["findings"]}
    assert {"system", "python", "libraries", "cpu", "x", "program"} <= sections


def test_info_asks_a_real_context() -> None:
    """In a process of its own: the driver stays in it."""
    libdir = build.build(say=False)
    code = f"from pydri.tools import info; import json; print(json.dumps(info.collect({libdir!r})))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
        cwd=build.ROOT, env={**os.environ, "DISPLAY": ""},
    )  # fmt: skip
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert told["gl"]["vendor"] == "pydri" and told["gl"]["extensions"]
    assert told["gl"]["limits"]["GL_MAX_LIGHTS"] == 8
    assert len(told["gl"]["limits"]["GL_MAX_VIEWPORT_DIMS"]) == 2
    assert told["paths"]["libraries"] == libdir and told["versions"]["pydri"]
    assert "GL_MAX_LIGHTS" in info.report(told)


def test_the_table_of_variables(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["env"]) == 0
    assert "GALLIUM_DRIVER" in capsys.readouterr().out


def test_versions_are_held_against_the_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds stand in pyproject.toml alone."""
    real = importlib.metadata.version
    monkeypatch.setattr(
        importlib.metadata, "version", lambda name: "0.1" if name == "llvmlite" else real(name)
    )
    problems = [found for found in doctor.check_python() if found.level == doctor.PROBLEM]
    (bound,) = [r for r in importlib.metadata.requires("pydri") or [] if r.startswith("llvmlite")]
    assert len(problems) == 1 and "llvmlite 0.1 is not in" in problems[0].text
    assert all(part in problems[0].fix for part in bound.removeprefix("llvmlite").split(","))


def test_heavy_modules_are_not_loaded_for_a_start() -> None:
    code = "import pydri.cli, sys; print({'numpy', 'llvmlite', 'cffi'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=build.ROOT, timeout=60
    )
    assert done.stdout == "set()\n"


def _counted(path: Path) -> str:
    """What a process says that counts into a file."""
    code = "from pydri.util import stats; stats.add('draws', 3)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=build.ROOT,
        env={**os.environ, "PYDRI_STATS": str(path)},
    )  # fmt: skip
    assert done.returncode == 0
    return done.stderr


def test_only_a_file_of_counters_is_written_over(tmp_path: Path) -> None:
    """PYDRI_STATS may name any file of the user's."""
    counters, precious = tmp_path / "counters", tmp_path / "precious"
    for _ in range(2):  # new, and one of an earlier run
        assert _counted(counters) == ""
        assert stats.read_file(str(counters))["total"]["draws"] == 3
    size = counters.stat().st_size
    link = tmp_path / "link"
    link.symlink_to(counters)
    assert "counters stay in memory" in _counted(link)
    for content in ("precious", "x" * size):
        precious.write_text(content)
        assert "not one of counters" in _counted(precious) and precious.read_text() == content


@pytest.mark.parametrize("mesa", [True, False])
def test_pydri_run_knows_mesa(mesa: bool, capfd: pytest.CaptureFixture[str]) -> None:
    """The same options as scripts/run; --mesa needs no libraries of ours."""
    code = "import os; print('libGL' in os.environ.get('LD_PRELOAD', ''))"
    args = ["run", *(["--mesa"] if mesa else []), "--seconds", "30", sys.executable, "-c", code]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISPLAY", ":77")
        if mesa:
            patch.setattr("libgl_shim.installed.prepare", lambda: pytest.fail("nothing to prepare"))
        assert cli.main(args) == 0
    assert capfd.readouterr().out == f"{not mesa}\n"
