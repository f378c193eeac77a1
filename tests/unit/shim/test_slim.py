# SPDX-License-Identifier: MIT
"""Modules of the start image do what their sources do."""

import ast
import copy
import pathlib
import pickle
import re
import sys
import types
from typing import Any

import pytest

from libgl_shim.slim import slim
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
    assert "from collections.abc import Callable" in light


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
