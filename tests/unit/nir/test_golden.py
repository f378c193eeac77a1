# SPDX-License-Identifier: MIT
"""Golden files: tests/golden/nir/PASS.test (tests/golden/DRIVER/PASS.test) holds cases
`[case]` nir in, `[out]` nir out.

Compared up to renumbering of SSA values.  UPDATE_GOLDEN=1 rewrites the [out] parts; review
the diff.  A line `[arguments] name=value ...` after the case's name is handed to the pass.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from pydri.nir.ir import Shader
from pydri.nir.parser import parse_shader
from pydri.nir.passes import PASSES, run_pass
from pydri.nir.printer import print_shader
from pydri.nir.validate import validate

GOLDEN = Path(__file__).parents[2] / "golden"
DRIVER_PASSES = {
    "lower_coverage": "pipe_llvm.draw.lower_coverage",
    "lower_addresses": "pipe_vc4.ntq.lower_addresses",
    "lower_division": "pipe_vc4.ntq.lower_division",
}


class Case(NamedTuple):
    """One case of a file."""

    name: str
    arguments: str
    source: str
    out: str


def read(path: Path) -> list[Case]:
    cases = []
    for chunk in path.read_text().split("[case] ")[1:]:
        head, _, out = chunk.partition("[out]\n")
        name, _, source = head.partition("\n")
        arguments = ""
        if source.startswith("[arguments] "):
            arguments, _, source = source.removeprefix("[arguments] ").partition("\n")
        cases.append(Case(name, arguments, source.strip() + "\n", out.strip() + "\n"))
    return cases


def write(path: Path, cases: list[Case]) -> None:
    text = ""
    for case in cases:
        extra = f"[arguments] {case.arguments}\n" if case.arguments else ""
        text += f"[case] {case.name}\n{extra}{case.source}[out]\n{case.out}\n"
    path.write_text(text.rstrip() + "\n")


def parse_arguments(text: str) -> dict[str, object]:
    result: dict[str, object] = {}
    for word in text.split():
        key, _, value = word.partition("=")
        parts = value.split(",")
        if ":" in value:
            result[key] = {int(k): int(v) for k, v in (part.split(":") for part in parts)}
        else:
            result[key] = int(value) if value.isdigit() else parts
    return result


def canonical(shader: Shader) -> str:
    """The listing with SSA values numbered in listing order."""
    for function in shader.functions:
        number = 0
        for instr in function.instrs():
            if instr.dest is not None:
                instr.dest.index = number
                number += 1
        function.ssa_alloc = number
    return print_shader(shader)


def outcome(name: str, case: Case) -> str:
    shader = parse_shader(case.source)
    validate(shader, "parsing")
    run_pass(shader, DRIVER_PASSES.get(name, name), **parse_arguments(case.arguments))
    validate(shader, name)
    return canonical(shader)


FILES = sorted(GOLDEN.glob("*/*.test"))
CASES = [(path, case.name) for path in FILES for case in read(path)]


@pytest.mark.parametrize("path,name", CASES, ids=[f"{p.stem}-{n}" for p, n in CASES])
def test_golden(path: Path, name: str) -> None:
    cases = read(path)
    case = next(c for c in cases if c.name == name)
    got = outcome(path.stem, case)
    if os.environ.get("UPDATE_GOLDEN"):
        write(path, [c._replace(out=got) if c.name == name else c for c in cases])
        return
    assert got == canonical(parse_shader(case.out))


def test_every_pass_has_a_golden_file() -> None:
    seed = {"lower_indirect_io", "lower_io_types"}  # test_seed_listing.py
    assert {path.stem for path in FILES} | seed == {*PASSES, *DRIVER_PASSES}
