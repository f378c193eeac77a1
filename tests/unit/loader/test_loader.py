# SPDX-License-Identifier: MIT
"""The loader: names, paths, files, bindings, and the very words of its messages."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pydri.loader import LoaderError, driver_name, load_driver, search_path
from pydri.loader.bind import MATCHES, bind_extensions
from pydri.loader.extensions import DriCopySubBuffer, DriCore, DriMesa, DriSwrast, swrast_extensions
from pydri.loader.search import BUILT_IN, extensions_function
from pydri.util.options import options

GOOD = """
from pydri.loader.extensions import swrast_extensions
def __driDriverGetExtensions_{symbol}():
    return swrast_extensions("{name}", lambda winsys: ("screen of {name}", winsys))
"""


def write_driver(folder: Path, name: str, text: str | None = None) -> Path:
    file = folder / f"{name}_dri.py"
    symbol = name.replace("-", "_")
    file.write_text(GOOD.format(name=name, symbol=symbol) if text is None else text)
    return file


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "llvmpipe"),
        ({"GALLIUM_DRIVER": "null"}, "null"),
        ({"MESA_LOADER_DRIVER_OVERRIDE": "swrast"}, "swrast"),
        ({"MESA_LOADER_DRIVER_OVERRIDE": "swrast", "GALLIUM_DRIVER": "null"}, "swrast"),
        ({"MESA_LOADER_DRIVER_OVERRIDE": "", "GALLIUM_DRIVER": "null"}, "null"),
        ({"LIBGL_ALWAYS_SOFTWARE": "1"}, "llvmpipe"),
    ],
)
def test_driver_name(variables: dict[str, str], expected: str) -> None:
    unset: dict[str, Any] = {"GALLIUM_DRIVER": None, "MESA_LOADER_DRIVER_OVERRIDE": None}
    with options(**{**unset, **variables}):
        assert driver_name() == expected


def test_search_path_replaces_and_the_old_name_counts_second() -> None:
    with options(LIBGL_DRIVERS_PATH=None, LIBGL_DRIVERS_DIR=None):
        assert search_path() == BUILT_IN
    with options(LIBGL_DRIVERS_PATH="/a:/b", LIBGL_DRIVERS_DIR="/c"):
        assert search_path() == "/a:/b"
    with options(LIBGL_DRIVERS_PATH=None, LIBGL_DRIVERS_DIR="/c"):
        assert search_path() == "/c"


def test_an_empty_element_is_not_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`"$UNSET:/opt/x"` asks for nobody's code but that of /opt/x."""
    monkeypatch.chdir(tmp_path)
    write_driver(tmp_path, "evil", "raise SystemExit('code of the current directory ran')")
    for path in (f":{BUILT_IN}", f"{BUILT_IN}:", "::", ""):
        with pytest.raises(LoaderError, match="failed to open evil"):
            load_driver("evil", path)
    assert load_driver("null", f":{BUILT_IN}").file.startswith(BUILT_IN)


def test_setuid_programs_get_no_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 12345)
    with options(LIBGL_DRIVERS_PATH="/a", GALLIUM_DRIVER="null"):
        assert search_path() == BUILT_IN
        assert driver_name() == "llvmpipe"


@pytest.mark.parametrize("name", ["llvmpipe", "swrast", "null", "softpipe", "vc4"])
def test_built_in_drivers_bind(name: str) -> None:
    driver = load_driver(name, BUILT_IN)
    assert driver.name == name == driver.core.driver_name()
    assert driver.file.endswith(f"/{name}_dri.py")
    assert driver.copy_sub_buffer is not None


def test_nothing_of_softpipe_is_loaded_before_its_screen_is_made() -> None:
    program = (
        "import sys; from pydri.loader import load_driver; driver = load_driver('softpipe');"
        "assert not {'numpy', 'pipe_soft'} & set(sys.modules), 'before';"
        "driver.swrast.create_new_screen(None).context_create();"
        "assert {'numpy', 'pipe_soft.context'} <= set(sys.modules);"
        "assert not {'llvmlite', 'pipe_llvm'} & set(sys.modules), 'after'"
    )
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_a_drivers_file_and_a_package(tmp_path: Path) -> None:
    write_driver(tmp_path, "mine")
    package = tmp_path / "yours_dri"
    package.mkdir()
    (package / "helper.py").write_text("NAME = 'yours'\n")
    (package / "__init__.py").write_text(
        "from pydri.loader.extensions import swrast_extensions\n"
        "from .helper import NAME\n"
        "def __driDriverGetExtensions_yours():\n"
        "    return swrast_extensions(NAME, lambda winsys: NAME)\n"
    )
    assert load_driver("mine", str(tmp_path)).swrast.create_new_screen(7) == ("screen of mine", 7)
    assert load_driver("yours", str(tmp_path)).swrast.create_new_screen(None) == "yours"


def test_a_dash_in_the_name(tmp_path: Path) -> None:
    assert extensions_function("a-b-c") == "__driDriverGetExtensions_a_b_c"
    write_driver(tmp_path, "soft-pipe")
    assert load_driver("soft-pipe", str(tmp_path)).core.driver_name() == "soft-pipe"


def test_the_first_directory_that_loads_wins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty, broken, good, later = (tmp_path / n for n in ("empty", "broken", "good", "later"))
    for folder in (empty, broken, good, later):
        folder.mkdir()
    write_driver(broken, "x", "def (:\n")
    expected = write_driver(good, "x")
    write_driver(later, "x")
    with options(LIBGL_DEBUG="verbose"):
        driver = load_driver("x", f"{empty}:{broken}:{good}:{later}")
    assert driver.file == str(expected)
    lines = capsys.readouterr().err
    missing = f"libGL: MESA-LOADER: failed to open {empty}/x_dri.py: No such file or directory\n"
    assert missing in lines
    assert f"libGL: MESA-LOADER: failed to open {broken}/x_dri.py: SyntaxError" in lines
    assert str(later) not in lines


def test_total_miss(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from pydri.dri.screen import create_screen

    with options(GALLIUM_DRIVER="nosuch", LIBGL_DRIVERS_PATH=str(tmp_path), LIBGL_DEBUG=None):
        assert create_screen(None) is None
    assert capsys.readouterr().err == (
        "libGL error: MESA-LOADER: failed to open nosuch: No such file or directory "
        f"(search paths {tmp_path}, suffix _dri)\n"
        "libGL error: failed to load driver: nosuch\n"
    )
    with options(GALLIUM_DRIVER="nosuch", LIBGL_DRIVERS_PATH=str(tmp_path), LIBGL_DEBUG="quiet"):
        assert create_screen(None) is None
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["", "../x", "/etc/x", ".x"])
def test_a_name_is_not_a_path(name: str, tmp_path: Path) -> None:
    with pytest.raises(LoaderError, match="not a driver name"):
        load_driver(name, str(tmp_path))


def test_no_function(tmp_path: Path) -> None:
    file = write_driver(tmp_path, "bare", "x = 1\n")
    with pytest.raises(LoaderError) as caught:
        load_driver("bare", str(tmp_path))
    assert str(caught.value) == (
        f"driver exports no extensions ({file}: no function __driDriverGetExtensions_bare)"
    )


def test_a_function_that_fails(tmp_path: Path) -> None:
    file = write_driver(
        tmp_path, "sick", "def __driDriverGetExtensions_sick():\n    raise OSError('no cake')\n"
    )
    with pytest.raises(LoaderError) as caught:
        load_driver("sick", str(tmp_path))
    assert str(caught.value) == f"__driDriverGetExtensions_sick of {file}: OSError: no cake"


def full_set() -> list[Any]:
    return swrast_extensions("t", lambda winsys: None)


def test_least_versions_are_those_of_the_seed() -> None:
    assert [(m.name, m.version, m.optional) for m in MATCHES] == [
        ("DRI_Core", 1, False),
        ("DRI_SWRast", 4, False),
        ("DRI_CopySubBuffer", 1, True),
        ("DRI_Mesa", 1, False),
    ]


@pytest.mark.parametrize("kind", [DriCore, DriSwrast, DriMesa])
def test_a_needed_extension_is_missing(kind: type) -> None:
    rest = [x for x in full_set() if not isinstance(x, kind)]
    with pytest.raises(LoaderError) as caught:
        bind_extensions("t", "/d/t_dri.py", rest)
    version = next(m.version for m in MATCHES if m.kind is kind)
    expected = f"did not find extension {kind.name} version {version} in /d/t_dri.py"  # type: ignore[attr-defined]
    assert str(caught.value) == expected


def test_an_optional_extension_may_be_missing() -> None:
    rest = [x for x in full_set() if not isinstance(x, DriCopySubBuffer)]
    assert bind_extensions("t", "f", rest).copy_sub_buffer is None


def test_a_version_that_is_too_old() -> None:
    class Old(DriSwrast):
        version = 3

        def create_new_screen(self, winsys: Any) -> Any:
            return None

    rest = [Old(), *(x for x in full_set() if not isinstance(x, DriSwrast))]
    with pytest.raises(LoaderError) as caught:
        bind_extensions("t", "/d/t_dri.py", rest)
    assert str(caught.value) == (
        "extension DRI_SWRast of /d/t_dri.py has version 3, version 4 is needed"
    )


def test_every_complaint_at_once() -> None:
    with pytest.raises(LoaderError) as caught:
        bind_extensions("t", "f", [])
    assert str(caught.value).count("did not find extension") == 3
    with pytest.raises(LoaderError, match="exports no extensions"):
        bind_extensions("t", "f", None)
    with pytest.raises(LoaderError, match="no name and version"):
        bind_extensions("t", "f", [object()])


def test_another_pipe_interface() -> None:
    class Future(DriMesa):
        def interface_version(self) -> int:
            return 99

    rest = [Future(), *(x for x in full_set() if not isinstance(x, DriMesa))]
    with pytest.raises(LoaderError, match=r"version 99 .* speaks version 1"):
        bind_extensions("t", "f", rest)


def test_a_screen_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from pydri.dri.screen import create_screen

    file = write_driver(
        tmp_path, "weak",
        "from pydri.loader.extensions import swrast_extensions\n"
        "def fail(winsys):\n    raise MemoryError('too big')\n"
        "def __driDriverGetExtensions_weak():\n    return swrast_extensions('weak', fail)\n",
    )  # fmt: skip
    with options(GALLIUM_DRIVER="weak", LIBGL_DRIVERS_PATH=str(tmp_path), LIBGL_DEBUG=None):
        assert create_screen(None) is None
    error = capsys.readouterr().err
    assert f"driver weak ({file}) could not make a screen: MemoryError: too big" in error
    assert error.endswith("libGL error: failed to load driver: weak\n")


def test_the_documented_example(tmp_path: Path) -> None:
    """docs/driver-of-your-own.md shows docs/examples/stripes_dri.py; both must agree and work."""
    docs = Path(__file__).resolve().parents[3] / "docs"
    source = (docs / "examples" / "stripes_dri.py").read_text()
    assert source.strip() in (docs / "driver-of-your-own.md").read_text()
    assert len([line for line in source.splitlines() if line.strip()]) <= 40
    driver = load_driver("stripes", str(docs / "examples"))
    import ctypes

    from pydri.pipe.format import number
    from pydri.pipe.native import CLEAR_COLOR0, PipeDynamic, Surface

    screen = driver.swrast.create_new_screen(None)
    assert screen.get_name() == "stripes"
    surface = Surface.ctype()()
    screen.surface_create(surface, number("B8G8R8A8_UNORM"), 70, 20)
    dyn = PipeDynamic.ctype()()
    dyn.fb.cbuf = ctypes.addressof(surface)
    dyn.fb.width, dyn.fb.height = 70, 20
    context = screen.context_create()
    color = (ctypes.c_float * 4)(1.0, 0.0, 0.0, 1.0)
    context.clear(ctypes.addressof(dyn), CLEAR_COLOR0, ctypes.addressof(color), 1.0, 0, 15, 255)
    context.finish()
    rows = [ctypes.string_at(surface.data + y * surface.stride, 4) for y in range(surface.height)]
    assert rows[0] == b"\x00\x00\xff\xff"
    assert len(set(rows)) == 2, "stripes: two colours"
    sys.modules.pop("stripes_dri", None)
