# SPDX-License-Identifier: MIT
"""Golden files: tests/golden/qir/PASS.qir holds cases `[case] NAME, STAGE`, QIR, `[out]`, QIR.

UPDATE_GOLDEN=1 rewrites what is behind [out]; review the diff.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import pytest

from pipe_vc4.qir.optimize import PASSES
from pipe_vc4.qir.qir import QStage
from pipe_vc4.qir.text import parse_qir, qir_dump
from pipe_vc4.qir.validate import qir_validate

GOLDEN = Path(__file__).parents[3] / "golden" / "qir"
FILES = sorted(GOLDEN.glob("*.qir"))


def _read(path: Path) -> list[tuple[str, str, str]]:
    found = []
    for chunk in path.read_text().split("[case] ")[1:]:
        head, _, out = chunk.partition("[out]\n")
        name, _, source = head.partition("\n")
        found.append((name, source.strip() + "\n", out.strip() + "\n"))
    return found


def _outcome(path: Path, name: str, source: str) -> str:
    c = parse_qir(source, QStage[name.rpartition(", ")[2].upper()])
    qir_validate(c, "parsing")
    run = getattr(import_module(f"pipe_vc4.qir.{path.stem}"), f"qir_{path.stem}")
    while run(c):
        qir_validate(c, path.stem)
    return qir_dump(c).strip() + "\n"


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_golden(path: Path) -> None:
    cases = _read(path)
    got = [(name, source, _outcome(path, name, source)) for name, source, _ in cases]
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(
            "\n".join(f"[case] {name}\n{source}[out]\n{out}" for name, source, out in got)
        )
        return
    assert cases and got == cases


def test_every_pass_has_a_golden_file() -> None:
    names = {run.__name__.removeprefix("qir_") for run in PASSES} | {"lower_uniforms"}
    assert {path.stem for path in FILES} == names
