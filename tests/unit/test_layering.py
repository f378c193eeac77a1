# SPDX-License-Identifier: MIT
"""Imports go down: the floors of architecture section 9, read off the source with `ast`.

A room uses only rooms below it. Drivers see pydri.pipe, nir, tgsi, jit and util; a winsys sees
pydri.pipe, jit and util. pydri/loader/drivers is a folder of drivers, which the loader opens by
file name: what is in it stands above the drivers' rooms. Imports under `if TYPE_CHECKING:` are
types only and do not count.
"""

import ast
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

FLOORS = {
    "libgl_shim": 9, "pydri": 9, "pydri.boot": 9, "pydri.cli": 9, "pydri.tools": 9,
    "pydri.glx": 8, "pydri.egl": 8,
    "pydri.dri": 7,
    "pydri.st": 6,
    "pydri.vbo": 5,
    "pydri.main": 4, "pydri.loader.drivers": 4,
    "pydri.arbprog": 3, "pydri.api": 3, "pipe_llvm": 3, "winsys_x11": 3,
    "pydri.glsl": 2, "pydri.tgsi": 2, "pydri.loader": 2, "pipe_soft": 2,
    "pydri.nir": 1, "pydri.pipe": 1, "pydri.jit": 1, "pydri.util": 1,
}  # fmt: skip
SAME_FLOOR = {  # rooms of one floor that build on each other, one way
    ("pydri.jit", "pydri.util"),
    ("pydri.pipe", "pydri.util"),
    ("pydri.pipe", "pydri.jit"),  # pipe/native.py declares the hot structs in jit's language
    ("pydri.nir", "pydri.util"),
    ("pydri.nir", "pydri.pipe"),
    ("pydri.glsl", "pydri.tgsi"),
    ("libgl_shim", "pydri"),
    ("pydri.boot", "pydri"),
    ("pydri.cli", "pydri"),
    ("pydri.cli", "libgl_shim"),
    ("pydri.cli", "pydri.tools"),
    ("pydri.tools", "libgl_shim"),
    ("pydri.tools", "pydri"),
}
DRIVER = {"pydri.pipe", "pydri.nir", "pydri.tgsi", "pydri.jit", "pydri.util"}
ONLY = {
    "pipe_llvm": DRIVER,
    "pipe_soft": DRIVER,
    "winsys_x11": {"pydri.pipe", "pydri.jit", "pydri.util"},
}
BANNED_AT_START = {"dataclasses", "inspect", "logging", "numpy", "re", "json", "llvmlite", "typing"}


def room_of(module: str) -> str | None:
    """The room a module belongs to; None for what is not ours."""
    parts = module.split(".")
    for n in (3, 2, 1):
        name = ".".join(parts[:n])
        if name in FLOORS:
            return name
    return None


def sources() -> list[tuple[str, pathlib.Path]]:
    """(module, file) of all our code."""
    found = []
    for top in ("libgl_shim", "pydri", "pipe_llvm", "pipe_soft", "winsys_x11"):
        for path in sorted((ROOT / top).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found.append((".".join(p for p in parts if p != "__init__"), path))
    return found


def is_type_checking(test: ast.expr) -> bool:
    """`TYPE_CHECKING` or `typing.TYPE_CHECKING`."""
    return getattr(test, "id", getattr(test, "attr", "")) == "TYPE_CHECKING"


def imports(tree: ast.AST, module: str, package: bool) -> list[tuple[str, int]]:
    """Every module a tree imports when it runs, with the line."""
    found: list[tuple[str, int]] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and is_type_checking(node.test):
            for other in node.orelse:
                found += imports(other, module, package)
            continue
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = module.split(".")
                keep = len(parts) - node.level + (1 if package else 0)
                base = ".".join([*parts[:keep], *([base] if base else [])])
            found += [(f"{base}.{alias.name}", node.lineno) for alias in node.names]
        else:
            found += imports(node, module, package)
    return found


def violations(module: str, text: str, package: bool = False) -> list[str]:
    """What a module imports and may not."""
    room = room_of(module)
    if room is None:
        return [f"{module}: a room without a floor"]
    wrong = []
    for name, line in imports(ast.parse(text), module, package):
        other = room_of(name)
        if other is None or other == room or (other == "pydri" and name.startswith("pydri.__")):
            continue
        allowed = FLOORS[other] < FLOORS[room] or (room, other) in SAME_FLOOR
        if room in ONLY and other not in ONLY[room]:
            allowed = False
        if not allowed:
            wrong.append(f"{module}:{line} imports {name}: {other} is not below {room}")
    return wrong


@pytest.mark.parametrize(
    ("module", "path"), sources(), ids=lambda v: str(v) if "." in str(v) else ""
)
def test_imports_go_down(module: str, path: pathlib.Path) -> None:
    assert not violations(module, path.read_text(), path.name == "__init__.py")


@pytest.mark.parametrize(
    ("module", "text", "bad"),
    [
        ("pydri.main.light", "from pydri.st import draw", True),
        ("pydri.main.light", "def f():\n    import pydri.st.draw", True),
        ("pydri.main.light", "if TYPE_CHECKING:\n    import pydri.st.draw", False),
        ("pydri.st.draw", "from pydri.main import layout", False),
        ("pipe_llvm.rast", "from pydri.main import layout", True),
        ("pipe_llvm.rast", "from pydri.jit import kernel", False),
        ("pipe_llvm.rast", "import winsys_x11", True),
        ("winsys_x11.shm", "from pydri.nir import ir", True),
        ("pydri.nir.ir", "from . import opcodes", False),
        ("pydri.nir.ir", "from ..jit import kernel", True),
        ("pipe_new.x", "", True),
    ],
)
def test_the_scan_sees(module: str, text: str, bad: bool) -> None:
    assert bool(violations(module, text)) == bad


START = ("pydri.boot", "pydri.api.dispatch", "pydri.api.enums", "pydri.util.options")


@pytest.mark.parametrize("module", START)
def test_start_is_light(module: str) -> None:
    import subprocess
    import sys

    code = f"import sys; import {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = [{str(ROOT)!r}]; {code}"],
        capture_output=True, text=True, check=True, timeout=20,
    )  # fmt: skip
    assert not BANNED_AT_START & set(done.stdout.split())
