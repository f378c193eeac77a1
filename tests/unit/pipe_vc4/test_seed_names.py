# SPDX-License-Identifier: MIT
"""The table of the seed's names in pipe_vc4/README.md: complete, and of things that exist."""

import functools
import pathlib
import re

import pytest

from tests import host
from tests.unit.pipe_vc4.shared import SHARED

ROOT = pathlib.Path(host.ROOT)
README = ROOT / "pipe_vc4" / "README.md"
HEADING = "## The seed's names, and Mesa's"
#: where counterparts live
ROOMS = ("pipe_vc4", "pydri/util/registers", "pydri/nir")
SEED = sorted((SHARED.parent / "seeds").glob("004_*.txt"))
#: C's, its libraries' and the text's own, which nobody re-makes
OF_C = frozenset({
    "uint8_t", "uint32_t", "uint64_t", "list_head", "list_addtail", "nir_foreach_function",
    "_MASK", "_SHIFT", "_def", "qsort",
})  # fmt: skip
#: names that the text writes in two ways
MISSPELT = frozenset({
    "qir_emit_nodef", "ntq_set_inputs", "QPU_GET_FILED", "QPU_SET_FILED",
})  # fmt: skip
NAME = r"[A-Za-z_][A-Za-z0-9_]*"


@functools.cache
def rows() -> list[tuple[str, str]]:
    """The table: what the seed has, what is here."""
    section = README.read_text().partition(HEADING)[2].partition("\n## ")[0]
    cells = [line.strip("|").split(" | ") for line in section.splitlines()
             if line.startswith("| `")]  # fmt: skip
    return [(left, right) for left, right in cells]


def patterns(cell: str) -> list[str]:
    """Names of a cell as patterns: `<OP>` stands for capitals, `*` for any letters, `_ui` behind a
    name for the same name with that end."""
    found, last = [], ""
    for span in re.findall(r"`([^`]+)`", cell):
        for name in re.findall(r"[A-Za-z_][A-Za-z0-9_]*(?:(?:<\w+>|\*)[A-Za-z0-9_]*)*", span):
            name = last + name if name.startswith("_") else name
            last = name
            capitals = re.sub(r"<\w+>", "[A-Z][A-Z0-9_]*", name)
            found.append(capitals.replace("*", "[A-Za-z0-9_]+") if "<" not in name else capitals)
    return found


def is_known(name: str) -> bool:
    """Whether the table has a name."""
    return any(re.fullmatch(one, name) for left, _ in rows() for one in patterns(left))


def seed_names(text: str) -> set[str]:
    """What a text names of the driver: words with an underscore within, structs, enumerations."""
    words = set(re.findall(rf"(?<![A-Za-z0-9_]){NAME}", text))
    structs = set(re.findall(rf"(?:struct|enum) ({NAME})", text))
    named = {word for word in words if "_" in word.strip("_")}
    return {word for word in (named | structs) - OF_C - MISSPELT if word == word.strip("_")}


@functools.cache
def words() -> frozenset[str]:
    """All words of what a counterpart may be defined in."""
    files = (path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
    return frozenset(word for path in files for word in re.findall(NAME, path.read_text()))


def missing(cell: str) -> list[str]:
    """Files and names of a cell that are not there."""
    wrong = []
    for span in re.findall(r"`([^`]+)`", cell) + re.findall(r"(?<![`/\w])[\w/]+\.py", cell):
        for path in re.findall(r"[\w/]+\.py", span):
            homes = (ROOT, *(ROOT / room for room in (*ROOMS, "pipe_vc4/ntq")))
            wrong += [] if any((home / path).exists() for home in homes) else [path]
        for name in re.findall(NAME, re.sub(r"[\w/]+\.py|\w*<\w+>\w*|\w+\*", "", span)):
            wrong += [] if {name, name.strip("_")} & words() else [name]
    return wrong


def test_what_is_here_exists() -> None:
    """No counterpart was renamed behind the table's back."""
    assert len(rows()) > 40
    assert {left: missing(right) for left, right in rows() if missing(right)} == {}
    assert missing("`qir_no_such` in `no_such.py`") == ["qir_no_such", "no_such.py"]


@pytest.mark.parametrize(("cell", "name"), [
    ("`qir_<OP>(c, a, b)`", "qir_MOV"), ("`CLASS_BIT_*`", "CLASS_BIT_A"),
    ("`qir_uniform`, `_ui`", "qir_uniform_ui"), ("`struct qreg`", "qreg"),
])  # fmt: skip
def test_patterns(cell: str, name: str) -> None:
    assert any(re.fullmatch(one, name) for one in patterns(cell))


if SEED:

    def test_every_name_of_the_seed_has_a_counterpart() -> None:
        names = seed_names(pathlib.Path(SEED[0]).read_text())
        assert len(names) > 100
        assert sorted(name for name in names if not is_known(name)) == []
