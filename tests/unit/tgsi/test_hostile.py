# SPDX-License-Identifier: MIT
"""Broken token streams: an error with a place, or a shader that runs and ends; never anything else.

More: `python -m tests.unit.tgsi.test_hostile COUNT SEED`.
"""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest

from pydri.nir.validate import validate
from pydri.tgsi.exec.machine import ExecError, run
from pydri.tgsi.text.dump import dump
from pydri.tgsi.text.reader import read
from pydri.tgsi.tokens.parse import Instruction, Stream, TokenError, build, parse
from pydri.tgsi.tokens.sanity import sanity
from pydri.tgsi.tokens.scan import scan
from pydri.tgsi.tokens.structure import StructureError
from pydri.tgsi.translate.from_nir import from_nir
from pydri.tgsi.translate.to_nir import Unsupported, to_nir
from tests.unit.tgsi.programs import generate
from tests.unit.tgsi.streams import random_stream
from tests.unit.tgsi.test_translate import CASES, HEAD, texture

#: where it is: an instruction, a declaration
PLACE = re.compile(r"\(instruction \d+\)|[A-Z]+\[\d+\]|shaders of")
GOLDEN = Path(__file__).parents[2] / "golden" / "tgsi"


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


def noise(rng: random.Random) -> list[int]:
    """Random words, most of them small, behind a header that may fit."""
    words = [rng.choice((rng.getrandbits(32), rng.getrandbits(12), rng.getrandbits(16) << 4))
             for _ in range(rng.randrange(40))]  # fmt: skip
    if rng.random() < 0.8:
        words = [2 | (len(words) + 1) << 8, rng.randrange(8), *words]
    return words


def cut(rng: random.Random, words: list[int]) -> list[int]:
    """The beginning of a stream, with its own header or one that says how short it is."""
    words = words[: rng.randrange(len(words))]
    if words and rng.random() < 0.5:
        words[0] = 2 | (len(words) - 1) << 8
    return words


def edited(rng: random.Random, words: list[int]) -> list[int]:
    """A stream whose items are whole: some lost, doubled, exchanged, or with the operands, the
    opcode, the texture of another one.
    """
    stream = parse(words)
    items = list(stream.items)
    for _ in range(rng.randrange(1, 4)):
        at, other = rng.randrange(len(items)), rng.choice(items)
        kind, item = rng.randrange(6), items[at]
        if kind == 0 and len(items) > 1:
            del items[at]
        elif kind == 1:
            items.insert(at, item)
        elif kind == 2:
            items[at] = other
        elif isinstance(item, Instruction) and isinstance(other, Instruction):
            fields = rng.choice(("op", "srcs", "dsts", "texture", "label"))
            items[at] = item._replace(**{fields: getattr(other, fields)})
        elif isinstance(item, Instruction) and item.srcs:
            srcs = list(item.srcs)
            n = rng.randrange(len(srcs))
            srcs[n] = srcs[n]._replace(number=rng.choice((0, 1, 2, 7)), file=rng.randrange(1, 15))
            items[at] = item._replace(srcs=tuple(srcs))
    return build(Stream(stream.processor, tuple(items)))


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
        except (ExecError, StructureError) as error:
            assert PLACE.search(str(error)), str(error)
        try:
            shader = to_nir(stream)
        except (Unsupported, StructureError) as error:
            assert PLACE.search(str(error)), str(error)
            return "sane"
        validate(shader, "to_nir")
        try:
            from_nir(shader)
        except Unsupported:
            return "nir"
        return "back"
    return "sane"


def fuzz(count: int, seed: int) -> dict[str, int]:
    """Try so many streams; how many came how far."""
    rng = random.Random(seed)
    good = [build(read(path.read_text())) for path in sorted(GOLDEN.glob("*.tgsi"))]
    good += [build(read(HEAD + text)) for text in CASES.values()]
    good += [generate(n) for n in range(6)]
    found: dict[str, int] = {}
    for _ in range(count):
        kind = rng.random()
        if kind < 0.1:
            words = build(random_stream(rng))
        elif kind < 0.2:
            words = noise(rng)
        elif kind < 0.3:
            words = cut(rng, rng.choice(good))
        elif kind < 0.65:
            words = edited(rng, rng.choice(good))
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
    assert {"no stream", "not sane", "sane", "back"} <= set(found), found


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_many_damaged_streams() -> None:
    fuzz(20000, 2)


if __name__ == "__main__":
    print(fuzz(int(sys.argv[1]), int(sys.argv[2])))
