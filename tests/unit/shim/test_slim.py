# SPDX-License-Identifier: MIT
"""Modules of the start image do what their sources do."""

import ast
import bisect
import contextlib
import copy
import functools
import pathlib
import pickle
import re
import sys
import threading
import types
from typing import Any

import pytest

from libgl_shim.fold import fold, late
from libgl_shim.slim import slim
from pydri.api import enums
from pydri.api.enum_names import constants_of
from pydri.util import lean
from tests.unit.shim.conftest import ROOT

ROWS = '''
"""A module."""

from __future__ import annotations

import queue
import signal
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar, cast, overload

if TYPE_CHECKING:
    from nowhere import nothing

    T = TypeVar("T")
else:
    kept = 1

K = TypeVar("K")
Alias = Callable[[Any], Any]
COUNT: Final = 3
declared: int


class Inner(NamedTuple):
    """Rows in a row."""

    a: int = 7


class Pair(NamedTuple):
    """A row."""

    first: int
    second: str = "b"
    third: Inner = Inner()

    LIMIT = 5

    @property
    def double(self) -> int:
        """Twice."""
        return 2 * self.first

    def longer(self, by: int = 1) -> Pair:
        """Another one."""
        return self._replace(first=self.first + by)


class Box(Generic[K]):
    """Says what is in it."""

    content: K

    if not TYPE_CHECKING:

        def ask(self) -> int:
            return 1


class Empty:
    """Nothing but words."""


@overload
def read(x: int) -> int: ...
@overload
def read(x: str) -> str: ...
def read(x: Any, *rest: int, key: Sequence[int] = (), **more: str) -> Any:
    """Read it."""
    found: list[int] = []
    found.append(cast("int", x))
    return found, rest, key, more


def silent() -> None:
    """Does nothing."""


def signals() -> Any:
    return signal.SIG_BLOCK, queue.SimpleQueue().qsize(), Box[int]().ask()
'''


def made(text: str, name: str, light: bool) -> types.ModuleType:
    """A module of a text, as it is or as the image has it."""
    tree = ast.parse(text)
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(slim(tree) if light else tree, name, "exec"), module.__dict__)
    return module


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    """The module from its source, and the light one."""
    return made(ROWS, "slim_full", False), made(ROWS, "slim_light", True)


def test_rows_are_what_typing_makes(both: tuple[Any, Any]) -> None:
    full, light = both
    assert type(light.Pair) is type and not hasattr(light.Pair, "__orig_bases__")
    for module in both:
        pair = module.Pair(1, third=module.Inner(9))
        assert pair == (1, "b", (9,)) and pair.double == 2 and pair.third.a == 9
        assert pair.longer(4).first == 5 and pair.LIMIT == 5
        assert copy.copy(pair) == pair == pickle.loads(pickle.dumps(pair)) and hash(pair)
        assert isinstance(pickle.loads(pickle.dumps(pair)), module.Pair)
        assert module.Pair._make(range(3)).second == 1
        first, *_ = pair
        match pair:
            case module.Pair(x, y):
                assert (x, y) == (1, "b") and first == 1
        for wrong in (lambda m=module: m.Pair(), lambda m=module: m.Pair(1, 2, 3, 4),
                      lambda m=module: m.Pair._make([1]), lambda m=module: m.Pair(1, 2, 3).x,
                      lambda m=module: m.Pair(1)._replace(fourth=1)):  # fmt: skip
            with pytest.raises((TypeError, ValueError, AttributeError)):
                wrong()
        with pytest.raises(AttributeError):
            pair.first = 3
    for name in ("_fields", "_field_defaults", "__match_args__", "__slots__"):
        assert getattr(full.Pair, name) == getattr(light.Pair, name)
    text = "Pair(first=1, second='b', third=Inner(a=7))"
    assert repr(light.Pair(1)) == repr(full.Pair(1)) == text
    assert full.Pair(2)._asdict() == light.Pair(2)._asdict()


def test_functions_and_names(both: tuple[Any, Any]) -> None:
    for module in both:
        assert module.read(1, 2, key=(3,), other="4") == ([1], (2,), (3,), {"other": "4"})
        assert module.silent() is None and module.COUNT == 3 and module.kept == 1
        assert module.signals()[1:] == (0, 1) and module.Empty()
    assert both[0].signals()[0] == both[1].signals()[0]
    light = both[1]
    assert light.read.__annotations__ == {} and light.read.__doc__ is None
    assert light.signal.__name__ == "_signal" and light.queue.__name__ == "_queue"


def test_typing_is_not_imported() -> None:
    light = ast.unparse(slim(ast.parse(ROWS)))
    assert "typing" not in light and "nowhere" not in light and "Sequence" not in light
    assert "from _collections_abc import Callable" in light


def test_lines_stay() -> None:
    """Messages of errors name lines of the source."""
    for tree in (ast.parse(ROWS), slim(ast.parse(ROWS))):
        found = {n.name: n.lineno for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        assert ROWS.splitlines()[found["longer"] - 1].lstrip().startswith("def longer")


def test_nobody_reads_what_is_left_out() -> None:
    reads = re.compile(r"__annotations__|get_type_hints|get_annotations|\w\.__doc__(?! *=)")
    for package in ("pydri", "pipe_llvm", "winsys_x11"):
        for path in pathlib.Path(ROOT, package).rglob("*.py"):
            if "tools" not in path.parts:
                assert not reads.search(path.read_text()), path


# -- stand-ins -------------------------------------------------------------------------------------


def _log(told: list[str], how: str) -> Any:
    """A generator for a `with`, of a kind."""
    told.append("begin")
    if how == "never":
        return
    try:
        yield "value"
    except KeyError as error:
        told.append("caught")
        if how == "other":
            raise OSError from error
        if how == "again":
            raise
        if how == "twice":
            yield
    except StopIteration:
        if how != "swallow":
            raise
    if how == "more":
        yield
    told.append("end")


@pytest.mark.parametrize("raised", [None, KeyError("k"), StopIteration("s"), RuntimeError("r")])
@pytest.mark.parametrize("how", ["plain", "never", "other", "again", "twice", "swallow", "more"])
def test_contextmanager(how: str, raised: BaseException | None) -> None:
    outcomes = []
    for module in (contextlib, lean):
        told: list[str] = []
        try:
            with module.contextmanager(_log)(told, how) as value:
                told.append(value)
                if raised is not None:
                    raise raised
            told.append("after")
        except BaseException as error:
            told.append(repr(error))
        outcomes.append(told)
    assert outcomes[0] == outcomes[1]


def test_stand_ins_for_functools() -> None:
    calls = []

    class Example:
        @lean.cached_property
        def made(self) -> int:
            """Doc."""
            calls.append("made")
            return 4

    @lean.cache
    def twice(x: int) -> int:
        """Doc."""
        calls.append("twice")
        return 2 * x

    @lean.lru_cache
    def once(x: int) -> int:
        return x

    assert once(1) == once(1) == 1 and once.cache_info() == (1, 1, 128, 1)
    assert lean.lru_cache(maxsize=2, typed=True)(len)("ab") == 2
    example = Example()
    assert example.made + example.made + twice(3) + twice(3) == 20 and calls == ["made", "twice"]
    assert twice.__name__ == "twice" and twice.__doc__ == "Doc." and twice.__wrapped__(1) == 2
    assert isinstance(Example.made, lean.cached_property)
    assert lean.partial is functools.partial and lean.reduce is functools.reduce


def test_stand_in_for_bisect() -> None:
    for count in range(9):
        some = [n // 2 for n in range(count)]
        for wanted in (-1, 0, 1, 1.5, 4, 9):
            assert lean.bisect_left(some, wanted) == bisect.bisect_left(some, wanted)
        assert lean.bisect_left(some, 1, 1 % max(count, 1), count // 2) == bisect.bisect_left(
            some, 1, 1 % max(count, 1), count // 2
        )


def test_what_no_stand_in_has_is_the_module_s() -> None:
    assert lean.Condition is threading.Condition and lean.ExitStack is contextlib.ExitStack
    assert lean.singledispatch is functools.singledispatch
    with pytest.raises(AttributeError, match="nowhere"):
        lean.nowhere  # noqa: B018
    with lean.suppress(KeyError):
        raise KeyError
    with pytest.raises(OSError), lean.suppress(KeyError):
        raise OSError
    text = "import threading\nfrom functools import cache\nfrom collections.abc import Mapping\n"
    text += "class M(Mapping):\n    lock = threading.Lock()\n    one = cache(len)\n"
    assert "import threading" in ast.unparse(ast.parse(text))
    lines = ast.unparse(slim(ast.parse(text))).splitlines()
    assert lines[:3] == [
        "import pydri.util.lean as threading", "from pydri.util.lean import cache",
        "from _collections_abc import Mapping",
    ]  # fmt: skip


ENUMS = """
import pydri.api.enums as gl
from pydri.api import egl_enums as e
from pydri.api.enums import GL_LINES as LINES, GL_POINTS

TABLE = {gl.GL_LIGHT0: e.EGL_NONE}

def kind(x):
    match x:
        case gl.GL_FOG:
            return GL_POINTS
    return gl.GL_TEXTURE0 + x, [gl.GL_ZERO for _ in "a"]

def words(x):
    return (lambda: gl.name_of(x))() + e.name_of(e.EGL_NONE)
"""
KEPT = """
from pydri.api import enums as gl, egl_enums as e
VALUES = [getattr(gl, f"GL_LIGHT{n}") for n in range(2)]

def words(e):
    return e.upper(), gl.GL_LIGHT0
"""


def test_enums_are_numbers() -> None:
    code = compile(fold(ast.parse(ENUMS)), "folded", "exec")
    assert not {"enums", "egl_enums", "pydri.api"} & {*code.co_names}
    full: dict[str, Any] = {}
    light: dict[str, Any] = {}
    exec(ENUMS, full)
    exec(code, light)
    assert light["LINES"] == 1 and light["TABLE"] == full["TABLE"] == {0x4000: 0x3038}
    for x in (0xB60, 7):
        assert light["kind"](x) == full["kind"](x)
    assert light["words"](0xB60) == full["words"](0xB60) == "GL_FOGEGL_NONE"


def test_enums_that_are_asked_for_by_name() -> None:
    light: dict[str, Any] = {}
    exec(compile(fold(ast.parse(KEPT)), "kept", "exec"), light)
    assert light["VALUES"] == [0x4000, 0x4001] and light["words"]("a") == ("A", 0x4000)


def test_enums_are_text_until_they_are_asked_for() -> None:
    made = types.ModuleType("late_enums")
    with open(enums.__file__, encoding="utf-8") as file:
        exec(compile(late(ast.parse(file.read())), "late", "exec"), vars(made))
    ours: Any = made
    assert "GL_LIGHT0" not in vars(made) and ours.GL_LIGHT0 == 0x4000 == vars(made)["GL_LIGHT0"]
    assert not hasattr(made, "GL_LIGHT") and not hasattr(made, "GL_" + "X" * 200)
    assert ours.mode_name(4) == "GL_TRIANGLES" and ours.bits_name(0x4100) == enums.bits_name(0x4100)
    assert ours.name_of(0x0DE1) == "GL_TEXTURE_2D"
    full = {name: value for name, value in vars(enums).items() if isinstance(value, int)}
    assert len(full) > 6000
    assert full == {name: constants_of(vars(made))[name] for name in full}
