# SPDX-License-Identifier: MIT
"""The documents are true: every name in docs/contracts.md and the rooms' pages exists, the examples
run, no line is wider than 100 columns, and a room's page has at most 80 lines. In all pages links
lead somewhere, and scripts, their options and variables are there.

A name is what stands between backticks. A path must be a file or folder; `Struct.field` and
`Class.member` must be there; any other identifier must be defined somewhere in our code, in the C
of the shim, in the registry's tables, or be a name of Python or C that VOCABULARY lists.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import pytest

from pydri.api import egl_table, gl_table, glx_table
from pydri.util.options import TABLE as options_table

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROSE = ("README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").glob("*.md")))
CODE = ("pydri", "pipe_llvm", "pipe_soft", "winsys_x11", "libgl_shim", "scripts")
#: the pages of rooms, which stand in their folders
ROOMS = sorted(str(p.relative_to(ROOT)) for top in CODE for p in (ROOT / top).rglob("*.md"))
NAMED = ("docs/contracts.md", *ROOMS)
COLUMNS = 100
ROOM_LINES = 80

#: Names that are right though nothing of ours defines them: libraries, files of a built tree,
#: Python's and C's own words, and the placeholders of the text.
VOCABULARY = frozenset(
    """
    libGL so libGLX libOpenGL libEGL libGLESv1_CM libGLESv2 libOSMesa libGLX_pydri libEGL_pydri
    50_pydri json vendor NamedTuple ShmPutImage GetGeometry _pydri
    build lib objects origin RUNPATH NEEDED dlsym clock_gettime clock_nanosleep malloc memcpy
    atexit register Display GLsync ctypes cffi cdata uintptr_t u8 u16 u32 u64 i32 f16 f32
    ORIGIN LEVEL ID n_gl NAME Foo glFoo glXFoo eglFoo py_glFoo py_glXFoo ctypes ffi cast lanes
    pow powr MESA_SHADER_FRAGMENT
    """.split()
)


def spans(text: str) -> Iterator[tuple[int, str]]:
    """What stands between backticks outside of fenced blocks, with the line number."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield from ((number, match) for match in re.findall(r"`([^`]+)`", line))


def camel_words(text: str) -> Iterator[tuple[int, str]]:
    """Words of prose that look like names of classes (BlendState), with the line number."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            prose = re.sub(r"`[^`]*`", " ", line)
            words = re.findall(r"(?<![\w.])[A-Z][a-z]+(?:[A-Z][a-z]+)+(?![\w.])", prose)
            yield from ((number, word) for word in words)


@cache
def sources() -> tuple[tuple[pathlib.Path, ast.Module], ...]:
    """All our code, parsed."""
    found = [path for top in CODE for path in sorted((ROOT / top).rglob("*.py"))]
    return tuple((path, ast.parse(path.read_text())) for path in found)


def _targets(node: ast.AST) -> Iterator[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    if isinstance(node, ast.FunctionDef):
        arguments = node.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        yield from (a.arg for a in every)
    if isinstance(node, ast.Module | ast.ClassDef):  # a function's locals are nobody's names
        for statement in node.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                yield from (
                    n.id
                    for n in ast.walk(statement)
                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                )
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.attr
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        yield node.value  # rows of tables: opcodes, intrinsics, symbols, words of flags


@cache
def known() -> frozenset[str]:
    """Every name that our code, its C and the registry define."""
    names = set(VOCABULARY) | set(dir(builtins)) | set(keyword.kwlist)
    for path, tree in sources():
        names.add(path.stem)
        names.update(path.relative_to(ROOT).parts[:-1])
        for node in ast.walk(tree):
            names.update(_targets(node))
    for path in (ROOT / "libgl_shim").iterdir():
        if path.suffix in (".c", ".h"):
            code = re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(), flags=re.S)
            names.update(re.findall(r"[A-Za-z_]\w*", code))
    for table in (gl_table, glx_table, egl_table):
        names.update(table.SLOTS)
    return frozenset(names)


@cache
def members() -> dict[str, frozenset[str]]:
    """Fields, methods and attributes by class, those of base classes of ours included."""
    own: dict[str, set[str]] = {}
    bases: dict[str, set[str]] = {}
    for _, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found = own.setdefault(node.name, set())
                for inner in ast.walk(node):
                    found.update(_targets(inner))
                bases.setdefault(node.name, set()).update(
                    b.attr if isinstance(b, ast.Attribute) else getattr(b, "id", "")
                    for b in node.bases
                )
    return {name: frozenset(_inherited(name, own, bases)) for name in own}


def _inherited(name: str, own: dict[str, set[str]], bases: dict[str, set[str]]) -> set[str]:
    found = set(own.get(name, ()))
    for base in bases.get(name, ()):
        if base in own and base != name:
            found |= _inherited(base, own, bases)
    return found


@cache
def files() -> frozenset[str]:
    listed: list[str] = []
    if shutil.which("git"):  # a tree that was copied to a machine without git has its files, too
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=False,
        ).stdout.split()  # fmt: skip
    everything = (p for p in ROOT.rglob("*.*") if not p.relative_to(ROOT).parts[0].startswith("."))
    found = listed or [str(p.relative_to(ROOT)) for p in everything]
    return frozenset("/" + name for name in found)


PATH = re.compile(r"(?<![\w$*.])(?:[\w.-]+/)*[\w-]+\.(?:py|c|h|md|csv|glade|xml|txt|toml)\b")
BUILT = ("gl.xml", "glx.xml", "egl.xml")  # of the glad2 wheel


def wrong_names(text: str) -> list[str]:
    """What a document names and nobody has defined, with its line."""
    wrong = []
    for number, line in enumerate(text.splitlines(), 1):
        for path in PATH.findall(line):
            if path not in BUILT and "NAME" not in path and path.upper() != path:
                if not any(name.endswith("/" + path.removeprefix("../")) for name in files()):
                    wrong.append(f"{number}: no file {path}")
    for number, word in camel_words(text):
        if word not in known() and word.removesuffix("s") not in known():
            wrong.append(f"{number}: {word}")
    for number, span in spans(text):
        if PATH.fullmatch(span) or "/" in span and (ROOT / span.rstrip("/")).exists():
            continue
        for chain in re.findall(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", PATH.sub(" ", span)):
            first, *rest = chain.split(".")
            if first in members() and rest and rest[0] not in members()[first]:
                wrong.append(f"{number}: {first} has no {rest[0]}")
            wrong += [f"{number}: {n}" for n in (first, *rest) if n not in known() and len(n) > 1]
    return wrong


@pytest.mark.parametrize("name", NAMED)
def test_every_name_exists(name: str) -> None:
    assert not wrong_names((ROOT / name).read_text())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("`GLContext` and `GLContext.key`", []),
        ("`GLContext.no_such_field`", ["1: GLContext has no no_such_field"]),
        ("\n`no_such_name(b, ctx)`", ["2: no_such_name"]),
        ("a BlendSort and a PipelineState", ["1: BlendSort"]),
        ("see pydri/main/no_such_file.py", ["1: no file pydri/main/no_such_file.py"]),
        ("see main/layout.py and `pydri/main/layout.py`", []),
        ("`pydri.main.no_such_room`", ["1: no_such_room"]),
        ("no_such_word that is no code", []),
        ("```\n`no_such_name`\n```", []),
    ],
)
def test_the_search_for_names_sees(text: str, found: list[str]) -> None:
    wrong = wrong_names(text)
    assert [w for w in wrong if "no_such_field" not in w or "has no" in w] == found


def wide_lines(text: str) -> list[int]:
    """Lines of more than COLUMNS columns; rows of tables and lone links may be wider."""
    return [
        number
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > COLUMNS and not line.startswith(("|", "!["))
    ]


@pytest.mark.parametrize("name", ROOMS)
def test_pages_of_rooms_are_short(name: str) -> None:
    assert len((ROOT / name).read_text().splitlines()) <= ROOM_LINES


def test_every_page_of_a_room_is_linked_from_the_contracts() -> None:
    text = (ROOT / "docs" / "contracts.md").read_text()
    assert [name for name in ROOMS if f"](../{name})" not in text] == []


@pytest.mark.parametrize("name", [*PROSE, *ROOMS])
def test_lines_are_narrow(name: str) -> None:
    assert not wide_lines((ROOT / name).read_text())


def test_wide_lines_are_seen() -> None:
    assert wide_lines("| " + 120 * "x" + "\n" + 101 * "x" + "\n" + 100 * "x") == [2]


# -- links and files, in every page ----------------------------------------------------------------

PAGES = (*PROSE, *ROOMS, "tests/README.md", "tests/pictures/README.md")


def broken_links(name: str, text: str) -> list[str]:
    """Links of a page to files that are not there."""
    here = (ROOT / name).parent
    prose = re.sub(r"```.*?```|`[^`]*`", " ", text, flags=re.S)
    links = re.findall(r"\]\(([^)#\s]+)", prose)
    return [link for link in links if "://" not in link and not (here / link).exists()]


def _anchor(heading: str) -> str:
    """What a heading is called in links."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def broken_anchors(name: str, text: str) -> list[str]:
    """Links of a page to headings that no page has."""
    prose = re.sub(r"```.*?```|`[^`]*`", " ", text, flags=re.S)
    wrong = []
    for path, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", prose):
        page = (ROOT / name).parent / path if path else ROOT / name
        if "://" not in path and page.suffix == ".md" and page.exists():
            headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
            if anchor not in map(_anchor, headings):
                wrong.append(f"{path}#{anchor}")
    return wrong


SCRIPT = re.compile(r"(?<![\w/])scripts/([a-z][\w-]*)(?![\w./-])")
#: where options of commands are declared
COMMANDS = (
    "scripts", "tests", "tests/pictures", "pydri/cli.py", "pydri/tools/launch.py",
    "pydri/pytest_plugin.py", "libgl_shim/build.py",
)  # fmt: skip
#: options that a page gives to other programs in one line with ours
OTHERS = ("--no-use-damage",)
VARIABLE = re.compile(
    r"(?<![\w/])(?:LP|PYDRI|LIBGL|MESA|NIR|GALLIUM|GALLIVM|VC4|ST)_[A-Z][A-Z0-9_]*(?![\w*])"
)


@cache
def declared() -> tuple[frozenset[str], frozenset[str]]:
    """Options of our commands, and variables: rows of the table, or what shell scripts read."""
    flags, variables = {*OTHERS}, {*options_table}
    for place in COMMANDS:
        path = ROOT / place
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            if file.is_file():
                text = file.read_text()
                flags.update(re.findall(r"""["' ](--[a-z][a-z-]*)""", text))
                variables.update(re.findall(r"\$\{(\w+):-", text))
    return frozenset(flags), frozenset(variables)


def wrong_commands(text: str) -> list[str]:
    """Scripts, options of scripts and variables that are not there."""
    flags, variables = declared()
    wrong = [f"scripts/{n}" for n in SCRIPT.findall(text) if not (ROOT / "scripts" / n).exists()]
    lines = [span for _, span in spans(text)] + re.findall(r"^ {4}(\S.*)$", text, re.M)
    for line in lines:
        if SCRIPT.search(line) or line.startswith(("pydri ", "--")):
            command = line.partition("#")[0].partition("   ")[0]
            wrong += [f for f in re.findall(r"(?<!\S)--[a-z][a-z-]*", command) if f not in flags]
    variables |= {*re.findall(r"^ +([A-Z]\w+) = [A-Z][a-z]+\(", text, re.M)}  # an example's own
    names = [name for name in VARIABLE.findall(text) if name not in known()]
    return wrong + [name for name in names if name not in variables]


def lost_files(text: str) -> list[str]:
    """Paths with a folder, between backticks outside of blocks, of our tree and not there."""
    named = [word for _, span in spans(text) for word in PATH.findall(span) if "/" in word]
    ours = [word for word in named if word.split("/")[0] in (*CODE, "docs", "tests")]
    return [word for word in ours if not any(name.endswith("/" + word) for name in files())]


@pytest.mark.parametrize("name", PAGES)
def test_links_and_files_are_there(name: str) -> None:
    text = (ROOT / name).read_text()
    assert not broken_links(name, text) and not lost_files(text)
    assert not broken_anchors(name, text)


@pytest.mark.parametrize("name", PAGES)
def test_commands_and_variables_are_there(name: str) -> None:
    assert not wrong_commands((ROOT / name).read_text())


def test_wrong_commands_are_seen() -> None:
    text = "`scripts/run --seconds 3 x` scripts/never `pydri run --nothing` LP_DEBUG LP_NOTHING\n"
    text += "    scripts/bench --alas     # and --more\n"
    assert wrong_commands(text) == ["scripts/never", "--nothing", "--alas", "LP_NOTHING"]


def test_broken_links_are_seen() -> None:
    text = "[a](docs/no.md) [b](docs/contracts.md#x) [c](https://x.org/y) `b[i](c)`"
    text += "`pydri/no.py` `pydri/boot.py`"
    assert broken_links("README.md", text) == ["docs/no.md"]
    assert lost_files(text) == ["pydri/no.py"]
    assert broken_anchors("README.md", "[a](#two-commands) [b](#none)") == ["#none"]


def test_every_page_is_linked_from_the_readme() -> None:
    text = (ROOT / "README.md").read_text()
    assert [name for name in PROSE[1:] if f"]({name})" not in text] == []


# -- examples --------------------------------------------------------------------------------------


def examples(text: str) -> list[tuple[int, str]]:
    """The fenced blocks marked `python`, with the lines on which they begin."""
    found = re.finditer(r"^```python\n(.*?)^```", text, flags=re.M | re.S)
    return [(text.count("\n", 0, m.start()) + 1, m.group(1)) for m in found]


def _all_examples() -> list[tuple[str, int, str]]:
    return [(name, *one) for name in NAMED for one in examples((ROOT / name).read_text())]


@pytest.mark.parametrize(
    ("name", "line", "code"), _all_examples(), ids=lambda v: str(v) if isinstance(v, int) else ""
)
def test_examples_run(name: str, line: int, code: str, tmp_path: pathlib.Path) -> None:
    """Each example is a program of its own; it may hold assertions."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{code}"],
        capture_output=True, text=True, timeout=120, cwd=tmp_path, check=False,
        env={**os.environ, "MESA_SHADER_CACHE_DISABLE": "1"},
    )  # fmt: skip
    assert not done.returncode, f"{name}:{line}\n{done.stderr}"
