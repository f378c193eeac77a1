# SPDX-License-Identifier: MIT
"""The words of tokens: bits where C puts them, streams to items and back, errors with a place."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import pytest

from pydri.tgsi.text.reader import read
from pydri.tgsi.tokens.layout import PLACES, ROWS, FieldError, field, pack, replace, unpack
from pydri.tgsi.tokens.opcodes import BY_NAME, COMP, OPCODES, REPL
from pydri.tgsi.tokens.parse import TokenError, build, parse
from tests.unit.tgsi.streams import random_stream

GOLDEN = Path(__file__).parents[2] / "golden" / "tgsi"


def c_struct(row: str) -> type[ctypes.Union]:
    """A row as the bit fields of a C struct over a word: ctypes packs them as gcc does."""
    members = []
    for name, bits in ROWS[row]:
        members.append((name, ctypes.c_int32 if bits < 0 else ctypes.c_uint32, abs(bits)))
    fields = type("fields", (ctypes.Structure,), {"_fields_": members})
    union = {"_fields_": [("f", fields), ("value", ctypes.c_uint32)]}
    return type(row, (ctypes.Union,), union)


@pytest.mark.parametrize("row", sorted(ROWS))
def test_fields_lie_where_c_puts_them(row: str) -> None:
    rng, struct = random.Random(row), c_struct(row)
    for _ in range(20):
        values = {}
        for name, (_, mask, signed) in PLACES[row].items():
            low = -(mask >> 1) - 1 if signed else 0
            values[name] = rng.choice((low, low + mask, rng.randint(low, low + mask)))
        word = struct()
        for name, value in values.items():
            setattr(word.f, name, value)
        assert pack(row, **values) == word.value
        assert unpack(row, word.value) == values


def test_numbers_that_do_not_fit_are_refused() -> None:
    for row, name, value in (("src", "Index", 32768), ("dst", "WriteMask", 16), ("ind", "File", -1),
                             ("src", "Index", -32769), ("header", "BodySize", 1 << 24)):
        with pytest.raises(FieldError):
            pack(row, **{name: value})
    word = replace("instruction", pack("instruction", Opcode=8, Saturate=1), Opcode=7)
    assert unpack("instruction", word)["Opcode"] == 7 and field("instruction", "Saturate", word)


def test_the_table_of_opcodes_is_mesas() -> None:
    # the numbers that p_shader_tokens.h leaves out
    assert sorted(set(range(252)) - set(OPCODES)) == [67, 81, 82, 93, 113, 114, 115, 165, 212]
    for name, number in (("MOV", 1), ("TEX", 52), ("KILL_IF", 116), ("END", 117), ("UCMP", 158),
                         ("SAMPLE", 145), ("TEX2", 177), ("DADD", 199), ("ATOMDEC_WRAP", 251)):
        assert BY_NAME[name].number == number
    for op in OPCODES.values():
        means = op.expand is not None
        apart = ("READ_HELPER", "READ_INVOC", "READ_FIRST", "VOTE_ANY", "VOTE_ALL", "VOTE_EQ")
        assert means == (op.mode in (COMP, REPL, "CHAN")) or op.name in apart


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.tgsi")), ids=lambda path: path.stem)
def test_words_of_golden_texts_come_back(path: Path) -> None:
    words = build(read(path.read_text()))
    assert build(parse(words)) == words
    assert words[0] == 2 | (len(words) - 2) << 8


@pytest.mark.parametrize("seed", range(40))
def test_random_streams_come_back(seed: int) -> None:
    stream = random_stream(random.Random(seed))
    words = build(stream)
    assert parse(words) == stream
    assert parse([*words, 1, 2, 3]) == stream  # what lies behind the end is not looked at


def test_a_stream_that_ends_early_says_where() -> None:
    words = build(read((GOLDEN / "everything.tgsi").read_text()))
    for length in range(2, len(words)):
        cut = [pack("header", HeaderSize=2, BodySize=length - 2), *words[1:length]]
        try:
            parse(cut)
        except TokenError as error:
            assert error.position <= length
    with pytest.raises(TokenError, match="announced"):
        parse(words[:-1])
    for bad in ([], [2], [3, 0], [2 | 1 << 8, 4], [2, 9], [2 | 1 << 8, 4, 5]):
        with pytest.raises(TokenError):
            parse(bad)
