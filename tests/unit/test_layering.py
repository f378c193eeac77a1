# SPDX-License-Identifier: MIT
"""Imports go down: the floors of FLOORS, read off the source with `ast`.

A room uses only rooms below it. Drivers see pydri.pipe, nir, tgsi, jit and util; a winsys sees
pydri.pipe, jit and util. pydri/loader/drivers is a folder of drivers, which the loader opens by
file name: what is in it stands above the drivers' rooms. Imports under `if TYPE_CHECKING:` are
types only and do not count.

No circles among files either: two files that need each other are one file, or what they share
belongs below both. An import inside a function counts like one at the top of a file: it hides a
circle, and does not break it.
"""

import ast
import pathlib
from collections.abc import Iterable, Mapping

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

FLOORS = {
    "libgl_shim": 9, "pydri": 9, "pydri.boot": 9, "pydri.cli": 9, "pydri.tools": 9,
    "pydri.glx": 8, "pydri.egl": 8, "pydri.osmesa": 8,
    "pydri.dri": 7,
    "pydri.st": 6,
    "pydri.vbo": 5,
    "pydri.main": 4, "pydri.loader.drivers": 4,
    "pydri.api": 3, "pipe_llvm": 3, "winsys_x11": 3,
    "pydri.glsl": 2, "pydri.prog": 2, "pydri.tgsi": 2, "pydri.loader": 2, "pipe_soft": 2,
    "pipe_vc4": 2,
    "pydri.nir": 1, "pydri.pipe": 1, "pydri.jit": 1, "pydri.util": 1,
}  # fmt: skip
SAME_FLOOR = {  # rooms of one floor that build on each other, one way
    ("pydri.jit", "pydri.util"),
    ("pydri.pipe", "pydri.util"),
    ("pydri.pipe", "pydri.jit"),  # pipe/native.py declares the hot structs in jit's language
    ("pydri.nir", "pydri.util"),
    ("pydri.nir", "pydri.pipe"),
    ("pydri.glsl", "pydri.tgsi"),
    ("pydri.prog", "pydri.tgsi"),
    ("pipe_soft", "pydri.tgsi"),
    ("libgl_shim", "pydri"),
    ("pydri.boot", "pydri"),
    ("pydri.cli", "pydri"),
    ("pydri.cli", "libgl_shim"),
    ("pydri.cli", "pydri.tools"),
    ("pydri", "pydri.tools"),  # pydri.load(), within the function
    ("pydri.tools", "libgl_shim"),
    ("pydri.tools", "pydri"),
}
DRIVER = {"pydri.pipe", "pydri.nir", "pydri.tgsi", "pydri.jit", "pydri.util"}
ONLY = {
    "pipe_llvm": DRIVER,
    "pipe_soft": DRIVER,
    "pipe_vc4": DRIVER,
    "winsys_x11": {"pydri.pipe", "pydri.jit", "pydri.util"},
}
#: the rooms within pydri/main: each uses those before it
MAIN_ROOMS = (
    "names", "matrix", "light", "pixels", "textures", "buffers", "arrays", "queries",
    "framebuffers", "feedback", "state", "attrib", "debug", "get", "shaders", "transform",
    "programs", "direct", "es1",
)  # fmt: skip
#: the rooms within others that are cut by subject, likewise
INNER_ROOMS = {
    "pydri.glsl": ("language", "source", "check", "link", "translate"),
    "pydri.tgsi": ("tokens", "text", "build", "exec", "translate"),
}
#: what stands on top of them; the other files of pydri/main are below
MAIN_TOP = ("context", "entries")
BANNED_AT_START = {"dataclasses", "inspect", "logging", "numpy", "re", "json", "llvmlite", "typing"}


def room_of(module: str) -> str | None:
    """The room a module belongs to; None for what is not ours."""
    parts = module.split(".")
    for n in (3, 2, 1):
        name = ".".join(parts[:n])
        if name in FLOORS:
            return name
    return None


ROOMS = ("libgl_shim", "pydri", "pipe_llvm", "pipe_soft", "pipe_vc4", "winsys_x11")


def sources(tops: Iterable[str] = ROOMS) -> list[tuple[str, pathlib.Path]]:
    """(module, file) of all our code."""
    found = []
    for top in tops:
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


def main_level(module: str) -> int | None:
    """How high a module of pydri/main stands; None for what is elsewhere. The rooms' layouts are
    the ground, since pydri/main/layout.py is made of them.
    """
    parts = module.split(".")
    if parts[:2] != ["pydri", "main"] or len(parts) < 3:
        return None
    if parts[2] in MAIN_ROOMS:
        return 0 if parts[3:4] == ["layout"] else 2 + MAIN_ROOMS.index(parts[2])
    return 2 + len(MAIN_ROOMS) if parts[2] in MAIN_TOP else 1


def main_violations(module: str, text: str) -> list[str]:
    """What a module of pydri/main imports from a room that does not stand below its own."""
    level = main_level(module)
    return [
        f"{module}:{line} imports {name}, which does not stand below it"
        for name, line in imports(ast.parse(text), module, False)
        if level is not None and (main_level(name) or 0) > level
    ]


@pytest.mark.parametrize(
    ("module", "path"), [s for s in sources() if s[0].startswith("pydri.main.")],
    ids=lambda v: str(v) if "." in str(v) else "",
)  # fmt: skip
def test_rooms_of_main_have_an_order(module: str, path: pathlib.Path) -> None:
    folder = path.parent.name
    assert folder == "main" or folder in MAIN_ROOMS, f"{module}: a room without a place"
    assert not main_violations(module, path.read_text())


def inner_level(module: str) -> tuple[str, int] | None:
    """The package that a module's room lies in, and the room's place there."""
    parts = module.split(".")
    order = INNER_ROOMS.get(".".join(parts[:2]), ())
    return (".".join(parts[:2]), order.index(parts[2])) if parts[2:] and parts[2] in order else None


def inner_violations(module: str, text: str) -> list[str]:
    """What a module imports from a room of its package that does not stand below its own."""
    here = inner_level(module)
    return [
        f"{module}:{line} imports {name}, which does not stand below it"
        for name, line in imports(ast.parse(text), module, False)
        if here and (there := inner_level(name)) and there[0] == here[0] and there[1] > here[1]
    ]


@pytest.mark.parametrize("package", INNER_ROOMS)
def test_rooms_within_rooms_have_an_order(package: str) -> None:
    found = [s for s in sources() if s[0].startswith(package + ".")]
    assert {inner_level(module) for module, _ in found} >= {
        (package, n) for n in range(len(INNER_ROOMS[package]))
    }
    assert not [bad for m, path in found for bad in inner_violations(m, path.read_text())]


def test_the_scan_within_rooms_sees() -> None:
    text = "from pydri.glsl.check.types import a\nfrom pydri.glsl.source import ast"
    [bad] = inner_violations("pydri.glsl.source.parser", text)
    assert "pydri.glsl.check.types" in bad


@pytest.mark.parametrize(
    ("module", "text", "bad"),
    [
        ("pydri.main.light.kernels", "from pydri.main.state import kernels", True),
        ("pydri.main.light.kernels", "def f():\n    import pydri.main.get.tables", True),
        ("pydri.main.light.kernels", "from pydri.main.state.layout import RawState", False),
        ("pydri.main.light.layout", "from pydri.main import kernels", True),
        ("pydri.main.light.kernels", "from pydri.main.matrix import kernels", False),
        ("pydri.main.light.entries", "from pydri.main.context import GLContext", True),
        ("pydri.main.kernels", "from pydri.main.get import kernels", True),
        ("pydri.main.context", "from pydri.main.names.share import ShareGroup", False),
    ],
)
def test_the_scan_of_main_sees(module: str, text: str, bad: bool) -> None:
    assert bool(main_violations(module, text)) == bad


@pytest.mark.parametrize(
    ("module", "text", "bad"),
    [
        ("pydri.main.light", "from pydri.st import draw", True),
        ("pydri.main.light", "def f():\n    import pydri.st.draw", True),
        ("pydri.main.light", "if TYPE_CHECKING:\n    import pydri.st.draw", False),
        ("pydri.st.draw", "from pydri.main import layout", False),
        ("pipe_llvm.rast.execute", "from pydri.main import layout", True),
        ("pipe_llvm.rast.execute", "from pydri.jit import kernel", False),
        ("pipe_llvm.rast.execute", "import winsys_x11", True),
        ("winsys_x11.shm", "from pydri.nir import ir", True),
        ("pydri.nir.ir", "from . import opcodes", False),
        ("pydri.nir.ir", "from ..jit import kernel", True),
        ("pipe_new.x", "", True),
    ],
)
def test_the_scan_sees(module: str, text: str, bad: bool) -> None:
    assert bool(violations(module, text)) == bad


def import_graph(files: Mapping[str, tuple[str, bool]]) -> dict[str, set[str]]:
    """Which modules import which: (text, is it a package's __init__?) by module -> by module.

    A name imported from a package is the module of that name if there is one, else the package.
    Scripts find each other by bare names, since their folder is on the path.
    """
    graph: dict[str, set[str]] = {}
    for module, (text, package) in files.items():
        uses = graph[module] = set()
        beside = module.rpartition(".")[0] if module.startswith("scripts.") else ""
        for name, _ in imports(ast.parse(text), module, package):
            candidates = [name, name.rpartition(".")[0]]
            if beside:
                candidates += [f"{beside}.{c}" for c in candidates if c]
            found = next((c for c in candidates if c in files), module)
            if found != module:
                uses.add(found)
    return graph


def circles(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The strongly connected components of more than one module (Tarjan's algorithm)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(module: str) -> None:
        number[module] = lowest[module] = len(number)
        stack.append(module)
        for used in graph[module]:
            if used not in number:
                visit(used)
                lowest[module] = min(lowest[module], lowest[used])
            elif used in stack:
                lowest[module] = min(lowest[module], number[used])
        if lowest[module] == number[module]:
            at = stack.index(module)
            circle = sorted(stack[at:])
            del stack[at:]
            if len(circle) > 1:
                found.append(circle)

    for module in graph:
        if module not in number:
            visit(module)
    return found


def test_no_circles_among_files() -> None:
    everything = sources((*ROOMS, "scripts"))
    files = {module: (path.read_text(), path.name == "__init__.py") for module, path in everything}
    graph = import_graph(files)
    assert len(graph) > 200
    assert circles(graph) == []


@pytest.mark.parametrize(
    ("c", "found"),
    [
        ("", []),
        ("from p import a", [["p.a", "p.b", "p.c"]]),
        ("from p.a import f", [["p.a", "p.b", "p.c"]]),
        ("from . import a", [["p.a", "p.b", "p.c"]]),
        ("from .a import f", [["p.a", "p.b", "p.c"]]),
        ("def f():\n    import p.a", [["p.a", "p.b", "p.c"]]),
        ("class C:\n    def f(self):\n        from p.b import x", [["p.b", "p.c"]]),
        ("if TYPE_CHECKING:\n    import p.a", []),
        ("from p import d", []),
        ("from p import VERSION", []),
    ],
)
def test_the_circles_are_seen(c: str, found: list[list[str]]) -> None:
    """A made-up room: a uses b, b uses c, and c uses whatever the case says."""
    files = {
        "p": ("VERSION = 1", True),
        "p.a": ("from p import b", False),
        "p.b": ("import p.c as other\nfrom p.d import x", False),
        "p.c": (c, False),
        "p.d": ("x = 1", False),
    }
    assert circles(import_graph(files)) == found


def test_circles_of_scripts_and_packages_are_seen() -> None:
    files = {
        "scripts.a": ("import b", False),
        "scripts.b": ("def f():\n    from a import g", False),
        "q": ("from q.x import f", True),
        "q.x": ("from q import VERSION", False),
    }
    assert circles(import_graph(files)) == [["scripts.a", "scripts.b"], ["q", "q.x"]]


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
