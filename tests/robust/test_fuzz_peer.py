# SPDX-License-Identifier: MIT
"""The same random calls on our driver and on the peer: errors, answers, state and pixels agree, but
for what fuzz_peer.KNOWN names (scripts/robust --compare takes other seeds)."""

import base64
import struct
from collections.abc import Callable

import pytest

from tests.robust import fuzz_contexts, fuzz_known, fuzz_modern, fuzz_peer
from tests.robust.fuzz_registry import registry

pytestmark = [
    pytest.mark.x11, pytest.mark.slow, pytest.mark.needs("libgl1-mesa-dri", "libgl1"),
    pytest.mark.timeout(600),
]  # fmt: skip
#: in all of them the peer lives
EPISODES = (*range(1, 15), 16, 17)  # the peer dies of 15

#: the other kinds of contexts
KINDS = tuple(kind for kind in fuzz_contexts.KINDS if kind != "compat")
Pairs = Callable[[str], fuzz_peer.Pair]

#: a small triangle, and what is seen
DRAWN: list[fuzz_peer.Call] = [
    ("glBegin", (4,)), *(("glVertex2f", place) for place in ((0.0, 0.0), (0.25, 0.0), (0.0, 0.25))),
    ("glEnd", ()), ("glReadPixels", (0, 0, 100, 100, 0x1908, 0x1401, ("o", 40000))),
]  # fmt: skip


@pytest.fixture(scope="module")
def without() -> frozenset[str]:
    """What is not written yet."""
    return fuzz_peer.unwritten()


def test_errors_are_the_peers(pair: fuzz_peer.Pair, without: frozenset[str]) -> None:
    """One form of each family: bad enums, negative sizes, between glBegin and glEnd."""
    forms: dict[tuple[str, str], str] = {}
    for name in fuzz_peer.swept(without):
        command = registry().commands[name]
        forms.setdefault((command.group, command.family), name)
    assert len(forms) > 150
    found = [told for name in forms.values() for told in fuzz_peer.sweep(pair, name, 1, tries=4)]
    assert found == [], "\n".join(found[:20])
    # where the peer dies nothing is compared: of images that are not there it does
    assert pair.compared > max(20 * pair.unheard, len(forms))


@pytest.mark.parametrize("seed", EPISODES)
def test_episodes_agree(seed: int, pair: fuzz_peer.Pair, without: frozenset[str]) -> None:
    before = pair.compared
    told = fuzz_peer.report(pair, seed, without)
    assert not told, told
    assert pair.compared > before


@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_the_peers_in_other_contexts(kind: str, pairs: Pairs) -> None:
    """Of commands that differ by kinds of contexts, or that compatibility contexts have not."""
    pair = pairs(kind)
    forms: dict[tuple[str, str], str] = {}
    for name in fuzz_peer.swept(frozenset()):
        command = registry().commands[name]
        forms.setdefault((command.group, command.family), name)
    assert len(forms) > 80
    found = [told for name in forms.values() for told in fuzz_peer.sweep(pair, name, 1, tries=4)]
    assert found == [], "\n".join(found[:20])
    assert pair.compared > 20 * pair.unheard


@pytest.mark.parametrize("seed", range(2, 7))  # the peer dies of 1 in OpenGL ES 3
@pytest.mark.parametrize("kind", KINDS)
def test_episodes_agree_in_other_contexts(kind: str, seed: int, pairs: Pairs) -> None:
    pair = pairs(kind)
    before = pair.compared
    told = fuzz_peer.report(pair, seed, frozenset())
    assert not told, told
    assert pair.compared > before


@pytest.mark.parametrize("number", range(len(fuzz_known.KNOWN)))
def test_known_rows_excuse_their_examples(number: int, pairs: Pairs) -> None:
    """A row of KNOWN whose difference is no longer there hides what comes next: it goes. The peer
    has it still, ours too, and the row is the first that says so."""
    row = fuzz_known.KNOWN[number]
    pair = pairs(row.context)
    begin = [("glClear", (0x4700,))] if row.context == "compat" else fuzz_modern.prelude()
    calls = [*begin, *row.example]
    heard = [side.play(calls) for side in pair.sides]
    assert [told for told in heard[0][:-1] if told[0]] == []
    mine, theirs = heard[0][-1], heard[1][-1]
    if row.kind == "drawing":
        rows = [fuzz_known.row_of("drawing", *both, call)
                for call, *both in zip(calls, *heard, strict=True)]  # fmt: skip
        assert number in rows
        pictures = [side.play([*calls, *DRAWN])[-1][2] for side in pair.sides]
        assert pictures[0] != pictures[1]
        return
    differs = mine[0] != theirs[0] or fuzz_peer.answers_differ(mine, theirs, calls[-1])
    assert differs, f"both say the same: {mine}"
    assert fuzz_known.row_of(row.kind, mine, theirs, calls[-1]) == number


def test_what_vertices_left_may_be_rounded_otherwise() -> None:
    """Floats by a little; whole numbers not at all."""
    call: fuzz_peer.Call = ("glGetBufferSubData", (0x8C8E, 0, 4, ("o", 4)))
    for kind, one, other, differs in (
        ("f", 1.0564, 1.0564001, ""), ("f", 1.0, 1.1, "answer"), ("i", 3, 4, "answer"),
    ):  # fmt: skip
        heard = [[0, None, base64.b64encode(struct.pack(kind, x)).decode()] for x in (one, other)]
        assert fuzz_peer.answers_differ(*heard, call) == differs


def test_a_difference_is_found_and_reduced(pair: fuzz_peer.Pair) -> None:
    """The judge sees what it is shown: a list whose calls the peer never gets."""

    class Forgetful(fuzz_peer.Side):
        def play(self, calls: list[fuzz_peer.Call]) -> list[object]:
            return super().play([("glFlush", ()) if c[0] == "glFogf" else c for c in calls])

    other = Forgetful("forgetful", pair.sides[1].env)
    other.accumulation = pair.sides[1].accumulation
    shown = fuzz_peer.Pair({}, {})
    shown.sides = pair.sides[0], other
    calls: list[fuzz_peer.Call] = [("glPointSize", (3.0,)), ("glFogf", (0xB62, 0.5)),
                                   ("glLineWidth", (2.0,))]  # fmt: skip
    after: list[fuzz_peer.Call] = [("glGetFloatv", (0xB62, ("o", 256)))]
    assert [d.kind for d in shown.differences(calls + after)] == ["answer"]
    assert fuzz_peer.reduce(shown, calls, after) == calls[1:2]
    assert other.process
    other.process.kill()
    other.end()
