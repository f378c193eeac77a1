# SPDX-License-Identifier: MIT
"""docs/avoided.md against the comments of tests/pictures: what a scene avoids is listed, with a
test that takes its place."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = sorted((ROOT / "tests/pictures").glob("*.[ch]"))
LISTS = [ROOT / "tests/pictures/texture_scenes.py"]  # scenes that are lists of calls
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
MESA = re.compile(r"\bpeer|\bllvmpipe\b|\bsoftpipe\b|\bMesa", re.IGNORECASE)


def rows() -> dict[str, list[str]]:
    """The tests that each row of the first table names."""
    table = (ROOT / "docs/avoided.md").read_text().split("\n## ")[1]
    found = re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", table, re.MULTILINE)
    assert len(found) == len(dict(found)), "a corner has two rows"
    return {name: re.findall(r"`(\S+?::\w+)`", tests) for name, tests in found}


def test_what_scenes_avoid_is_what_is_listed() -> None:
    avoided = set(re.findall(r"AVOIDS\((\w+)\)", "".join(p.read_text() for p in SCENES + LISTS)))
    assert len(avoided) > 15
    assert avoided == set(rows())


def test_each_corner_has_a_test() -> None:
    missing = []
    for name, tests in rows().items():
        assert tests, name
        for path, function in (test.split("::") for test in tests):
            file = ROOT / path
            if not file.exists() or f"\ndef {function}(" not in file.read_text():
                missing.append((name, path, function))
    assert not missing


def test_nothing_is_avoided_silently() -> None:
    """A comment of a scene that speaks of the peer has a mark (or is the rule about marks)."""
    silent = [
        f"{path.name}: {comment}"
        for path in SCENES
        for comment in COMMENT.findall(path.read_text())
        if MESA.search(comment) and "AVOIDS(" not in comment and "docs/avoided.md" not in comment
    ]
    assert not silent, "\n".join(silent)
