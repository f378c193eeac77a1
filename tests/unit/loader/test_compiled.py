# SPDX-License-Identifier: MIT
"""Compiled drivers that cannot be used, and what is said of them; which file is taken.

The drivers of these tests are a C file's, compiled with something missing; what Mesa's own does is
tested in tests/unit/dri/test_compiled.py.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from pydri.loader import LoaderError, load_driver
from pydri.loader.bind import BoundDriver
from pydri.loader.compiled import CompiledDriver
from pydri.util.options import options
from tests import host
from tests.unit.loader.test_loader import write_driver

pytestmark = pytest.mark.embed
SOURCE = Path(__file__).with_name("fake_dri.c")
WHOLE = ("-DCORE=2", "-DSWRAST=4", "-DGLAPI")
_EM_AARCH64 = 183


def make_driver(folder: Path, *flags: str, name: str = "fake") -> Path:
    """A library NAME_dri.so in a folder."""
    folder.mkdir(exist_ok=True)
    options_ = ("-shared", "-fPIC", *flags)
    return Path(host.compile_client(SOURCE, *options_, folder=folder, name=f"{name}_dri.so"))


def reason(folder: Path, name: str = "fake") -> str:
    """Why a driver cannot be used."""
    with pytest.raises(LoaderError) as caught:
        load_driver(name, str(folder))
    return str(caught.value)


def test_a_whole_one(tmp_path: Path) -> None:
    file = make_driver(tmp_path, "-DNAME=fake", *WHOLE)
    driver = load_driver("fake", str(tmp_path))
    assert isinstance(driver, CompiledDriver)
    assert (driver.name, driver.file) == ("fake", str(file))
    assert (driver.core.version, driver.swrast.version) == (2, 4)
    assert driver.copy_sub_buffer is None


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ((), "driver exports no extensions (no function __driDriverGetExtensions_fake)"),
        (("-DNAME=other", *WHOLE),
         "driver exports no extensions (no function __driDriverGetExtensions_fake)"),
        (("-DNAME=fake", "-DNO_LIST", *WHOLE), "driver exports no extensions (its list is empty)"),
        (("-DNAME=fake",), "driver exports no extensions (its list is empty)"),
        (("-DNAME=fake", "-DCORE=2", "-DGLAPI"), "did not find extension DRI_SWRast version 4"),
        (("-DNAME=fake", "-DCORE=2", "-DSWRAST=3", "-DGLAPI"),
         "did not find extension DRI_SWRast version 4, the driver has version 3"),
        (("-DNAME=fake", "-DSWRAST=3", "-DGLAPI"),
         "did not find extension DRI_Core version 1; "
         "did not find extension DRI_SWRast version 4, the driver has version 3"),
        (("-DNAME=fake", "-DHOLE", *WHOLE), "extension DRI_SWRast lacks createNewScreen2"),
        (("-DNAME=fake", "-DCORE=2", "-DSWRAST=4"),
         "driver has no glapi that its GL functions could be asked of"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(flags: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    file = make_driver(tmp_path, *flags)
    assert reason(tmp_path) == (
        f"MESA-LOADER: failed to open fake: {file}: {expected}"
        f" (search paths {tmp_path}, suffix _dri)"
    )


def test_what_is_no_library_of_this_machine(tmp_path: Path) -> None:
    file = tmp_path / "fake_dri.so"
    file.write_text("no library")
    assert f"{file}: file too short" in reason(tmp_path)
    file.write_text("no library" * 1000)
    assert f"{file}: invalid ELF header" in reason(tmp_path)
    code = bytearray(make_driver(tmp_path, "-DNAME=fake", *WHOLE).read_bytes())
    code[18:20] = _EM_AARCH64.to_bytes(2, "little")
    file.write_bytes(code)
    assert f"{file}: cannot open shared object file" in reason(tmp_path)


def test_a_library_that_it_needs_is_named(tmp_path: Path) -> None:
    other = tmp_path / "gone"
    make_driver(other, name="other")
    needed = (other / "other_dri.so").rename(other / "libgone.so")
    make_driver(tmp_path, "-DNAME=fake", *WHOLE, "-Wl,--no-as-needed", str(needed))
    needed.unlink()
    assert "libgone.so: cannot open shared object file: No such file" in reason(tmp_path)


def test_the_next_directory_is_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, good = tmp_path / "old", tmp_path / "good"
    bad = make_driver(old, "-DNAME=fake", "-DCORE=2", "-DSWRAST=3", "-DGLAPI")
    file = make_driver(good, "-DNAME=fake", *WHOLE)
    with options(LIBGL_DEBUG="verbose"):
        assert load_driver("fake", f"{old}:{good}").file == str(file)
    said = capsys.readouterr().err
    assert f"libGL: MESA-LOADER: failed to open {bad}: did not find extension DRI_SWRast" in said
    assert f"libGL: MESA-LOADER: dlopen({file})" in said
    with options(LIBGL_DEBUG=None):
        load_driver("fake", f"{old}:{good}")
    assert capsys.readouterr().err == ""


def test_python_comes_first_in_a_directory(tmp_path: Path) -> None:
    make_driver(tmp_path, "-DNAME=fake", *WHOLE)
    write_driver(tmp_path, "fake")
    assert isinstance(load_driver("fake", str(tmp_path)), BoundDriver)


def test_mesas_library_of_software_drivers_stands_for_each(tmp_path: Path) -> None:
    file = make_driver(tmp_path, "-DNAME=swrast", *WHOLE, name="swrast")
    for name in ("llvmpipe", "softpipe", "swrast"):
        driver = load_driver(name, str(tmp_path))
        assert (driver.name, driver.file) == ("swrast", str(file))
    with options(MESA_LOADER_DRIVER_OVERRIDE="llvmpipe"):  # means a file of that name
        assert "failed to open llvmpipe: No such file or directory" in reason(tmp_path, "llvmpipe")


def test_a_driver_that_makes_no_screen(tmp_path: Path) -> None:
    file = make_driver(tmp_path, "-DNAME=fake", *WHOLE)
    program = (
        "from winsys_x11.null import NullWinsys; from pydri.dri.screen import create_screen;"
        "assert create_screen(NullWinsys()) is None"
    )
    env = {
        **host.clean_environment(), "LIBGL_DRIVERS_PATH": str(tmp_path), "GALLIUM_DRIVER": "fake",
        "MESA_SHADER_CACHE_DIR": host.kernels(),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, cwd=host.ROOT, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        f"libGL error: driver fake ({file}) could not make a screen\n"
        "libGL error: failed to load driver: fake\n"
    )
