# SPDX-License-Identifier: MIT
"""Functions of at most 60 lines, modules of at most 600; longer ones are named, and get shorter."""

import ast
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = ("pydri", "pipe_llvm", "pipe_soft", "winsys_x11", "libgl_shim", "scripts")
MOST_LINES_OF_A_FUNCTION, MOST_LINES_OF_A_MODULE = 60, 600

#: Tables and generated files: a line a row.
TABLES = frozenset(
    """
    pydri/api/enums.py pydri/api/egl_enums.py pydri/api/gl_table.py pydri/api/glx_table.py
    pydri/api/egl_table.py pydri/api/availability.py
    pydri/api/enum_availability.py pydri/api/api_digits.py pydri/glx/enums.py
    """.split()
)
#: Functions that are still longer, with their lines: a row goes when its function is cut.
LONGER: dict[str, int] = {}
#: The same of modules.
LONGER_MODULES: dict[str, int] = {}


def functions(text: str) -> dict[str, int]:
    """The lines of each function of a file, by name (`Class.method`, `outer.inner`)."""
    found: dict[str, int] = {}

    def look(node: ast.AST, path: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{path}.{child.name}" if path else child.name
                if not isinstance(child, ast.ClassDef):
                    found[name] = (child.end_lineno or 0) - child.lineno + 1
                look(child, name)
            else:
                look(child, path)

    look(ast.parse(text), "")
    return found


def sources() -> list[tuple[str, str]]:
    paths = [path for top in CODE for path in sorted((ROOT / top).rglob("*.py"))]
    named = [(path.relative_to(ROOT).as_posix(), path) for path in paths]
    return [(name, path.read_text()) for name, path in named if name not in TABLES]


def test_functions_are_short() -> None:
    long = {
        f"{name}:{function}": lines
        for name, text in sources()
        for function, lines in functions(text).items()
        if lines > MOST_LINES_OF_A_FUNCTION
    }
    assert long == LONGER


def test_modules_are_short() -> None:
    long = {name: text.count("\n") for name, text in sources()}
    long = {name: n for name, n in long.items() if n > MOST_LINES_OF_A_MODULE}
    assert long == LONGER_MODULES


def test_the_tables_are_there() -> None:
    assert all((ROOT / name).exists() for name in TABLES)


@pytest.mark.parametrize(("body", "lines"), [(58, 59), (59, 60), (60, 61)])
def test_lines_are_counted(body: int, lines: int) -> None:
    text = "class C:\n    @staticmethod\n    def f():\n" + body * "        pass\n"
    assert functions(text) == {"C.f": lines}
