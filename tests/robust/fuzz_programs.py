# SPDX-License-Identifier: MIT
"""ARB programs by seed: random calls of all their entry points, on this driver and on the peer.

In: a seed. Out: the calls of an episode: names that are generated, invented, deleted, of another
target; strings that are good, changed and broken, in wrong formats and lengths; parameters by
binding and by name, at indices within and far beyond; lists that keep them; draws by them; and
behind each what GL says of errors, positions, counts and values. Strings come from
tests/unit/prog/texts.py (the grammar) and programs.py (piglit's, changed).

`python -m tests.robust.fuzz_programs SEED COUNT`: so many episodes (of LENGTH calls each) beside
the peer, on an X server of its own; prints what differs, with the fewest calls that show it.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator

from tests import host
from tests.robust import fuzz_peer
from tests.robust.fuzz_calls import Call
from tests.unit.prog.programs import changed, of_piglit
from tests.unit.prog.texts import written

VERTEX, FRAGMENT, ASCII = 0x8620, 0x8804, 0x8875
POSITION, ERROR_STRING = 0x864B, 0x8874
LENGTH = 60
ANSWER = ("o", 64)
_PNAMES = (
    0x8627, 0x8876, 0x8677, *range(0x88A0, 0x88B7), *range(0x8805, 0x8811), 0x8628, 0x0BE2,
)  # fmt: skip
#: names; counts of what programs became natively, and of the peer's units; the native limit of
#: attributes, which is above the other one there
_UNASKED = (0x8677, *range(0x8805, 0x880B), 0x88A2, 0x88A6, 0x88AA, 0x88AE, 0x88AF, 0x88B2, 0x88B6)
DRAWN = {
    VERTEX: "!!ARBvp1.0\nMOV result.position, vertex.position;\n"
            "MOV result.color, program.local[{}];END",
    FRAGMENT: "!!ARBfp1.0\nADD result.color, program.local[{}], program.env[1];END",
}  # fmt: skip


class Episode:
    """The calls of a seed."""

    def __init__(self, seed: int, corpus: list[tuple[str, str]]) -> None:
        self.rng = random.Random(f"programs {seed}")
        self.corpus = corpus
        self.listing = False

    # ---- arguments
    def target(self) -> int:
        return self.rng.choice((VERTEX, FRAGMENT) * 12 + (0, 0x8892))

    def name(self) -> int:
        return self.rng.choice((0, 1, 1, 2, 3, 4, 5, 77, 4000))

    def index(self) -> int:
        """Not the greatest number that there is: the peer adds one to it and writes at 0."""
        return self.rng.choice((0, 1, 2, 3, 5, 100, 255, 256, 2047, 2048, 1 << 20, 1 << 31))

    def text(self, target: int) -> str:
        rng, stage = self.rng, "vertex" if target == VERTEX else "fragment"
        kind = rng.random()
        if kind < 0.35:
            return DRAWN.get(target, "!!ARBfp1.0\nEND").format(rng.randrange(6))
        if kind < 0.7:
            return written(rng)[1]
        if kind < 0.9:
            return changed(self.corpus, rng)[1].encode("ascii", "replace").decode()
        return rng.choice([text for of, text in self.corpus if of == stage])

    def floats(self, count: int = 1) -> tuple[str, str, list[float]]:
        return "c", "f", [self.rng.choice((0.0, 1.0, 0.5, -2.0, 0.25)) for _ in range(4 * count)]

    # ---- calls
    def string(self) -> Iterator[Call]:
        target = self.target()
        text = self.text(target)
        if "\0" in text or "@" in text or any(f"texture[{n}" in text for n in ("16", "17", "3")):
            return
        length = len(text) if self.rng.random() < 0.9 else self.rng.randrange(len(text))
        form = ASCII if self.rng.random() < 0.95 else 0x1401
        yield self.named("String", target, (form, length, ("s", text)), "ARB")
        yield "glGetIntegerv", (POSITION, ANSWER)

    def named(self, what: str, target: int, rest: tuple[object, ...], suffix: str) -> Call:
        """A command of the program that is bound, or of one that is named."""
        verb, _, tail = what.rpartition(" ")
        if self.rng.random() < 0.5 and target in (VERTEX, FRAGMENT):
            return f"gl{verb}NamedProgram{tail}EXT", (self.name(), target, *rest)
        return f"gl{verb}Program{tail}{suffix}", (target, *rest)

    def parameters(self) -> Iterator[Call]:
        rng, target, index = self.rng, self.target(), self.index()
        four = [rng.choice((0.0, 1.0, 0.5, -3.0)) for _ in range(4)]
        kind, kept = rng.randrange(5), rng.random() < 0.5
        forms: list[tuple[str, tuple[object, ...]]] = [
            ("4f", tuple(four)), ("4d", tuple(four)), ("4fv", (self.floats(),)),
            ("4dv", (("c", "d", four),)),
        ]  # fmt: skip
        if kind < 4:
            form, values = forms[kind]
            if kept:
                yield self.named(f"LocalParameter{form}", target, (index, *values), "ARB")
            else:
                yield f"glProgramEnvParameter{form}ARB", (target, index, *values)
            return
        # the peer's lists put all of them at the first index
        count = 1 if self.listing else rng.choice((1, 1, 2, 5))
        what = "Local" if kept else "Env"
        yield f"glProgram{what}Parameters4fvEXT", (target, index, count, self.floats(count))

    def asked(self) -> Iterator[Call]:
        rng, target, index = self.rng, self.target(), self.index()
        kind, form = rng.randrange(4), rng.choice("fd")
        if kind == 0:
            pname = rng.choice([p for p in _PNAMES if p not in _UNASKED])
            yield "glGetProgramivARB", (target, pname, ANSWER)
        elif kind == 1:
            yield self.named(f"Get LocalParameter{form}v", target, (index, ANSWER), "ARB")
        elif kind == 2:
            yield f"glGetProgramEnvParameter{form}vARB", (target, index, ANSWER)
        else:
            yield "glGetProgramStringARB", (target, rng.choice((0x8628, 0x8627)), ("o", 30000))

    def objects(self) -> Iterator[Call]:
        rng = self.rng
        kind = rng.randrange(6)
        if kind < 4:
            yield "glBindProgramARB", (self.target(), self.name())
        elif kind == 4:
            names = [self.name() for _ in range(rng.randrange(3))]
            yield "glDeleteProgramsARB", (len(names), ("c", "I", names or [0]))
        yield "glIsProgramARB", (self.name(),)

    def switches(self) -> Iterator[Call]:
        word = self.rng.choice(("glEnable", "glEnable", "glDisable", "glIsEnabled"))
        yield word, (self.target(),)

    def lists(self) -> Iterator[Call]:
        if self.listing:
            yield "glEndList", ()
        elif self.rng.random() < 0.5:
            yield "glNewList", (1, 0x1300)
            self.listing = True
            return
        self.listing = False
        yield "glCallList", (1,)

    def draw(self) -> Iterator[Call]:
        """Only what is simple: what a random program computes is no picture's matter."""
        for target in (VERTEX, FRAGMENT):
            text = DRAWN[target].format(self.rng.randrange(4))
            yield "glBindProgramARB", (target, 9 + (target == VERTEX))
            yield "glProgramStringARB", (target, ASCII, len(text), ("s", text))
            if self.rng.random() < 0.7:
                yield "glEnable", (target,)
        yield "glRectf", (-0.5, -0.5, 0.75, 0.5)

    def calls(self) -> list[Call]:
        """All of them."""
        kinds: list[Callable[[], Iterator[Call]]] = [
            *[self.string] * 5, *[self.parameters] * 5, *[self.asked] * 5, *[self.objects] * 4,
            self.switches, self.lists, self.draw,
        ]  # fmt: skip
        out: list[Call] = []
        while len(out) < LENGTH:
            out += self.rng.choice(kinds)()
        if self.listing:
            out.append(("glEndList", ()))
        return out


def after() -> list[Call]:
    """What is asked in the end: parameters, bindings, pixels."""
    out: list[Call] = []
    for target in (VERTEX, FRAGMENT):
        for n in (0, 1, 2, 3, 5, 100, 255):
            out.append(("glGetProgramEnvParameterfvARB", (target, n, ANSWER)))
            out.append(("glGetProgramLocalParameterfvARB", (target, n, ANSWER)))
        out.append(("glIsEnabled", (target,)))
    size = fuzz_peer.SIZE
    out.append(("glReadPixels", (0, 0, size, size, 0x1908, 0x1401, ("o", size * size * 4))))
    return out


def report(pair: fuzz_peer.Pair, seed: int, corpus: list[tuple[str, str]]) -> str:
    """"" if both sides agree about the episode of a seed."""
    calls, end = [("glClear", (0x4700,)), *Episode(seed, corpus).calls()], after()
    found = pair.differences(calls + end)
    if not found:
        return ""
    fewest = fuzz_peer.reduce(pair, calls, end)
    found = pair.differences(fewest + end) or found
    lines = [f"seed {seed}:", *(f"  {name} {values}" for name, values in fewest)]
    return "\n".join([*lines, *(f"  -> {d.kind} {d.told}" for d in found[:4])])


def main(seed: int, count: int) -> None:
    corpus = of_piglit()
    with host.XServer() as server:
        pair = fuzz_peer.Pair(*(host.side(name, server.name, PYTHONPATH=host.ROOT)
                                for name in ("ours", "peer")))  # fmt: skip
        pair.start()
        bad = 0
        for n in range(seed, seed + count):
            told = report(pair, n, corpus)
            if told:
                bad += 1
                print(told, flush=True)
        pair.close()
    print(f"{count} episodes of {LENGTH} calls: {bad} differ")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
