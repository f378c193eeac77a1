# SPDX-License-Identifier: MIT
"""The table of options parses as Mesa does (src/util/u_debug.c)."""

import ast
import ctypes
import ctypes.util
import os
import pathlib
import subprocess
import sys

import pytest

from pydri.util import log, stats
from pydri.util.options import TABLE, Flags, nearest, options, parse_flags, parse_number, parse_size

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIBC = ctypes.CDLL(None)
LIBC.strtoll.restype = ctypes.c_longlong


@pytest.mark.parametrize("text", ["0", "n", "No", "f", "FALSE", "false"])
def test_false_words(text: str) -> None:
    with options(vblank_mode=1, MESA_NO_ERROR=text):
        assert options.MESA_NO_ERROR is False


@pytest.mark.parametrize("text", ["1", "y", "YES", "t", "true"])
def test_true_words(text: str) -> None:
    with options(MESA_NO_ERROR=text):
        assert options.MESA_NO_ERROR is True


def test_a_choice_is_one_of_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("x86-64-v3", "", None):
        with options(PYDRI_CPU=text):
            assert options.PYDRI_CPU == (text or "")
    assert capsys.readouterr().err == ""
    with options(PYDRI_CPU="x86-64-v33"):
        assert options.PYDRI_CPU == options.PYDRI_CPU == ""
    told = capsys.readouterr().err
    assert told.count("unknown word x86-64-v33 (did you mean x86-64-v3?); it is one of") == 1


def test_other_words_are_the_default_and_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with options(NIR_VALIDATE="ture"):
        assert options.NIR_VALIDATE is False
        assert options.NIR_VALIDATE is False
    assert capsys.readouterr().err.count("did you mean true?") == 1


@pytest.mark.parametrize(
    "text",
    ["7", " 12", "-3", "+4", "0x10", "0X1f", "010", "12abc", "0x", "08", "0", "-0x8", "99z9",
     "9" * 5000, "-" + "9" * 5000, "0" * 5000 + "17", "0x" + "f" * 5000],
)
def test_numbers_are_strtoll(text: str) -> None:
    assert parse_number(text, 77) == LIBC.strtoll(text.encode(), None, 0)


def test_sizes_that_are_none() -> None:
    """Digits of other scripts, and more of them than Python reads at once."""
    assert parse_size("\u00b2", 5) == parse_size("1\u0663", 5) == 5
    assert parse_size("9" * 5000 + "K", 5) == (1 << 63) - 1


@pytest.mark.parametrize("text", ["", "abc", "-", " ", None])
def test_no_digits_is_the_default(text: str | None) -> None:
    assert parse_number(text, 77) == 77


def test_flags(capsys: pytest.CaptureFixture[str]) -> None:
    rows = {"ir": "", "asm": "", "no_tex": ""}
    assert parse_flags("ir,asm", rows) == {"ir", "asm"}
    assert parse_flags("ir|no_tex;x", rows) == {"ir", "no_tex"}
    assert parse_flags("all", rows) == set(rows)
    assert parse_flags("help", rows, "X_DEBUG") == set()
    assert "X_DEBUG flag asm" in capsys.readouterr().err
    assert parse_flags(None, rows) == set()
    with options(GALLIVM_DEBUG="ir,smbols"):
        assert options.GALLIVM_DEBUG == {"ir"}
    assert "did you mean symbols?" in capsys.readouterr().err


@pytest.mark.parametrize("run", range(2))
def test_each_test_is_told_what_is_said_once(run: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a text that an earlier test of the process had read, too (tests/conftest.py)."""
    with options(GALLIVM_DEBUG="smbols"):
        for _ in range(2):
            assert options.GALLIVM_DEBUG == set()
        assert capsys.readouterr().err.count("did you mean symbols?") == 1


@pytest.mark.parametrize(
    ("text", "value"), [("1", 1 << 30), ("64K", 65536), ("5m", 5 << 20), ("2G", 2 << 30), ("x", 9)]
)
def test_sizes(text: str, value: int) -> None:
    assert parse_size(text, 9) == value


def test_override_nests_and_restores() -> None:
    before = options.LP_NUM_THREADS
    with options(LP_NUM_THREADS=3):
        with options(LP_NUM_THREADS=None):
            assert options.LP_NUM_THREADS == -1
        assert options.LP_NUM_THREADS == 3
    assert options.LP_NUM_THREADS == before


def test_unknown_name_in_override() -> None:
    with pytest.raises(AttributeError, match="did you mean LP_NUM_THREADS"):
        options(LP_NUM_THREAD=1)


def test_read_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GALLIUM_DRIVER", "null")
    assert options.GALLIUM_DRIVER == "null"
    monkeypatch.delenv("GALLIUM_DRIVER")
    assert options.GALLIUM_DRIVER == ""


def test_paths_mean_nothing_when_setuid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBGL_DRIVERS_PATH", "/tmp/evil")
    assert options.LIBGL_DRIVERS_PATH == "/tmp/evil"
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert options.LIBGL_DRIVERS_PATH == ""


def test_every_row_has_help_and_every_flag_too() -> None:
    for name, row in TABLE.items():
        assert row.help, name
        assert row.name == name
        if isinstance(row, Flags):
            assert all(row.flags.values()), name
    text = options.help_text()
    assert all(name in text for name in TABLE)


def test_nearest() -> None:
    assert nearest("rastt", ("fast", "rast", "draw")) == "rast"
    assert nearest("zzzz", ("fast", "rast")) is None


def test_messages(capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path) -> None:
    with options(LIBGL_DEBUG="quiet"):
        log.error("a")
        log.info("b")
        log.fatal("c")
    with options(LIBGL_DEBUG="verbose"):
        log.info("d", once=True)
        log.info("d", once=True)
    with options(LIBGL_DEBUG=None):
        log.info("e")
        log.warning("f")
    with options(MESA_DEBUG="1"):
        log.gl_error("g")
    with options(MESA_DEBUG="silent"):
        log.gl_error("h")
    assert capsys.readouterr().err.splitlines() == [
        "libGL error: c",
        "libGL: d",
        "libGL error: f",
        "Mesa: User error: g",
    ]
    with options(MESA_LOG_FILE=tmp_path / "log", LIBGL_DEBUG=None):
        log.error("into the file")
    assert (tmp_path / "log").read_text() == "libGL error: into the file\n"


def test_counters_and_last_frame() -> None:
    before = stats.stats()["total"]["draws"]
    stats.frame()
    stats.add("draws", 5)
    ctypes.c_uint64.from_address(stats.address("draws")).value += 2
    stats.frame()
    now = stats.stats()
    assert now["total"]["draws"] == before + 7
    assert now["last_frame"]["draws"] == 7
    assert now["last_frame"]["frames"] == 1
    assert "draws" in stats.format_stats(now)


def test_counters_survive_a_kill(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "counters"
    code = (
        "import os, signal; from pydri.util import stats; stats.add('frames', 42);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    env = dict(os.environ, PYDRI_STATS=str(file))
    subprocess.run([sys.executable, "-c", code], env=env, cwd=ROOT, check=False)
    assert stats.read_file(str(file))["total"]["frames"] == 42


# -- every row is read somewhere -------------------------------------------------------------------


def reads(text: str) -> tuple[set[str], set[tuple[str, str]]]:
    """What the code of a file asks of the table: rows, and pairs of a row and a word.

    A row is read as `options.ROW` or `options.is_set("ROW")`. A word counts as read where it is a
    string in a function that reads the row.
    """
    rows: set[str] = set()
    words: set[tuple[str, str]] = set()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.Module):
            continue
        inside = [n for n in ast.walk(node) if n is not node]
        texts = {n.value for n in inside if isinstance(n, ast.Constant) and type(n.value) is str}
        asked = {
            n.attr
            for n in inside
            if isinstance(n, ast.Attribute) and getattr(n.value, "id", "") == "options"
        }
        calls = [n for n in inside if isinstance(n, ast.Call) and n.args]
        asked |= {
            ast.literal_eval(n.args[0])
            for n in calls
            if isinstance(n.func, ast.Attribute) and n.func.attr == "is_set"
        }
        rows |= asked & TABLE.keys()
        if isinstance(node, ast.FunctionDef):
            words |= {(row, text) for row in asked for text in texts}
    return rows, words


def test_every_row_and_every_word_is_read() -> None:
    rows = {"GALLIUM_PRINT_OPTIONS"}  # read by the table itself
    words: set[tuple[str, str]] = set()
    for top in ("pydri", "pipe_llvm", "pipe_soft", "pipe_vc4", "winsys_x11", "libgl_shim"):
        for path in (ROOT / top).rglob("*.py"):
            if path.name != "options.py":
                more_rows, more_words = reads(path.read_text())
                rows |= more_rows
                words |= more_words
    assert not TABLE.keys() - rows, "advertised, and read by nobody"
    flags = {(n, word) for n, row in TABLE.items() if isinstance(row, Flags) for word in row.flags}
    assert not flags - words, "advertised, and asked for by nobody"


def test_the_search_for_readers_sees() -> None:
    rows, words = reads(
        "def f():\n    flags = options.LP_DEBUG\n    return 'fs' in flags\n"
        "def g():\n    return 'tex', options.is_set('MESA_DEBUG')\n"
        "x = ('rast', 'LP_NUM_THREADS')\n"
    )
    assert rows == {"LP_DEBUG", "MESA_DEBUG"}
    assert ("LP_DEBUG", "fs") in words
    assert ("LP_DEBUG", "tex") not in words and ("LP_DEBUG", "rast") not in words
