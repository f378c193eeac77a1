# SPDX-License-Identifier: MIT
"""Broken token streams: an error with a place, or a shader that runs and ends; never anything else.

More: `python -m tests.unit.tgsi.test_hostile COUNT SEED`.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from pydri.tgsi.dump import dump
from pydri.tgsi.exec import ExecError, run
from pydri.tgsi.parse import TokenError, build, parse
from pydri.tgsi.sanity import sanity
from pydri.tgsi.scan import scan
from pydri.tgsi.slots import NoSlot
from pydri.tgsi.structure import StructureError
from pydri.tgsi.tex import NoTexture
from pydri.tgsi.text import read
from pydri.tgsi.to_nir import Unsupported, to_nir
from tests.unit.tgsi.programs import generate
from tests.unit.tgsi.streams import random_stream
from tests.unit.tgsi.test_translate import CASES, HEAD, texture

GOLDEN = Path(__file__).parents[2] / "golden" / "tgsi"
REFUSED = (ExecError, NoSlot, NoTexture, StructureError)


def damaged(rng: random.Random, words: list[int]) -> list[int]:
    """A few bits changed, words lost or doubled; the header says how many there are."""
    words = list(words)
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(2, len(words))
        kind = rng.randrange(4)
        if kind == 0:
            words[at] ^= 1 << rng.randrange(32)
        elif kind == 1:
            words[at] = rng.choice((0, 0xFFFFFFFF, rng.getrandbits(32)))
        elif kind == 2 and len(words) > 4:
            del words[at]
        else:
            words.insert(at, words[rng.randrange(2, len(words))])
    words[0] = 2 | (len(words) - 2) << 8
    return words


def attempt(words: list[int]) -> str:
    """How far it comes."""
    try:
        stream = parse(words)
    except TokenError as error:
        assert 0 <= error.position <= len(words)
        return "no stream"
    text = dump(stream)
    scan(stream)
    report = sanity(stream)
    assert all(0 <= item <= len(stream.items) for item, _ in report.errors), text
    if report.errors:
        return "not sane"
    if text.startswith(("FRAG", "VERT")):
        try:
            run(stream, 4, texture=texture, max_rounds=64)
        except REFUSED:
            pass
        try:
            to_nir(stream)
        except Unsupported:
            pass
    return "sane"


def fuzz(count: int, seed: int) -> dict[str, int]:
    """Try so many streams; how many came how far."""
    rng = random.Random(seed)
    good = [build(read(path.read_text())) for path in sorted(GOLDEN.glob("*.tgsi"))]
    good += [build(read(HEAD + text)) for text in CASES.values()]
    good += [generate(n) for n in range(6)]
    found: dict[str, int] = {}
    for _ in range(count):
        if rng.random() < 0.1:
            words = build(random_stream(rng))
        else:
            words = damaged(rng, rng.choice(good))
        try:
            how = attempt(words)
        except Exception:
            print(" ".join(f"{word:08x}" for word in words))
            raise
        found[how] = found.get(how, 0) + 1
    return found


def test_damaged_streams() -> None:
    found = fuzz(300, 1)
    assert set(found) == {"no stream", "not sane", "sane"}, found


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_many_damaged_streams() -> None:
    fuzz(20000, 2)


if __name__ == "__main__":
    print(fuzz(int(sys.argv[1]), int(sys.argv[2])))
