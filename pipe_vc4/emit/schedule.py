# SPDX-License-Identifier: MIT
"""The list scheduler: a block's queue in, words out, as few as the rules allow.

At each word it takes, of the entries that everything they need is ready for, the one with the
longest way to the end, then what else fits into the word.  Where nothing is ready, a NOP.
Counterpart of Mesa's vc4_qpu_schedule.c; beyond it: branches and the program's end have their delay
slots filled, several operations that read the same uniform read it once, and what is not needed at
a thread switch goes into the switch's delay slots.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pipe_vc4.emit.entry import (
    FLAGS,
    THREAD_SIGS,
    TMU,
    TMU_SIGS,
    Entry,
)
from pipe_vc4.emit.graph import Node, build, fewest_words, latency
from pipe_vc4.emit.word import NO_UNIFORM, SIG, SIG_NONE, Word, merge
from pipe_vc4.qpu.words import qpu_NOP

#: words after a signal that switches threads until it happens
SWITCH_DELAY: Final = 3
#: words of the program before its first access to the tile buffer
TLB_BEGIN: Final = 2


class Placed:
    """A word of the program and what is in it."""

    __slots__ = ("entries", "word")

    def __init__(self, word: Word, entries: list[Entry]) -> None:
        self.word = word
        self.entries = entries

    @property
    def sig(self) -> int:
        """Its signal."""
        return self.word.sig

    def set_sig(self, sig: int) -> None:
        """Give it a signal; it had none."""
        self.word = self.word.copy()
        self.word.sig = sig
        self.word.encode()


def nop() -> Placed:
    """A word that does nothing."""
    return Placed(Word(qpu_NOP()), [])


def _rank(node: Node) -> float:
    """What goes first: the tile buffer late, for other threads' sake; texture samples begun early
    and fetched late; the longest way first."""
    entry = node.entry
    if entry.tlb:
        return node.delay - 4000.0
    if entry.sig in TMU_SIGS:
        return node.delay - 2000.0
    if TMU in entry.writes and entry.sig not in THREAD_SIGS:
        return node.delay + 2000.0
    return float(node.delay)


class Scheduler:
    """Places the blocks of a program, one after the other."""

    def __init__(self, fragment: bool) -> None:
        self.fragment = fragment
        self.placed: list[Placed] = []
        self._switched = -SWITCH_DELAY  # the word of the last thread switch
        self._start = 0
        #: no other schedule of the same entries has fewer words, the program's end left out
        self.fewest = 0

    def block(self, entries: Sequence[Entry]) -> int:
        """Places a block; the index of its branch's word, or -1."""
        self._start = len(self.placed)
        branch = entries[-1] if entries and entries[-1].sig == SIG.BRANCH else None
        nodes = build(entries)
        self.fewest += fewest_words(nodes)
        self._carry(nodes)
        heads = [node for node in nodes if not node.waits and node.entry is not branch]
        while heads:
            self._word(heads, branch)
        return -1 if branch is None else self._branch(branch)

    def _carry(self, nodes: list[Node]) -> None:
        """What the words before this block still hold up."""
        first = max(len(self.placed) - 4, 0)
        for index in range(first, len(self.placed)):
            for before in self.placed[index].entries:
                for node in nodes:
                    entry = node.entry
                    for resource in before.writes & entry.reads:
                        node.earliest = max(
                            node.earliest, index + latency(before, entry, resource))
                    if before.sfu and entry.writes & before.writes:
                        node.earliest = max(node.earliest, index + 3)

    # ---- one word
    def _word(self, heads: list[Node], branch: Entry | None) -> None:
        tick = len(self.placed)
        first = self._best(heads, tick)
        if first is None:
            self.placed.append(nop())
            return
        if first.entry.sig in THREAD_SIGS and self._switch_above(first, heads, branch):
            return
        heads.remove(first)
        inside = [first]
        words = list(first.entry.forms)
        self._release(first, tick, heads, branch, False)
        while True:
            found = self._fellow(heads, tick, inside, words)
            if found is None:
                break
            fellow, words = found
            heads.remove(fellow)
            inside.append(fellow)
            self._release(fellow, tick, heads, branch, False)
        self.placed.append(Placed(words[0], [node.entry for node in inside]))
        for node in inside:
            if node.entry.sig in THREAD_SIGS:
                self._switched = tick
            self._release(node, tick, heads, branch, True)

    def _ready(self, node: Node, tick: int) -> bool:
        if node.earliest > tick:
            return False
        return not (self.fragment and node.entry.tlb and tick < TLB_BEGIN)

    def _best(self, heads: list[Node], tick: int) -> Node | None:
        ready = [node for node in heads if self._ready(node, tick)]
        return max(ready, key=lambda node: (_rank(node), -node.index), default=None)

    def _fellow(self, heads: list[Node], tick: int, inside: list[Node],
                words: list[Word]) -> tuple[Node, list[Word]] | None:
        """The best entry that fits into the word, and the words that hold it too."""
        for node in sorted(heads, key=lambda node: (-_rank(node), node.index)):
            entry = node.entry
            if not self._ready(node, tick) or entry.sig in THREAD_SIGS:
                continue
            if any(not _may_share(entry, other.entry) for other in inside):
                continue
            both = [joined for one in words for form in entry.forms
                    if (joined := merge(one, form)) is not None]
            if both:
                return node, both
        return None

    def _release(self, node: Node, tick: int, heads: list[Node], branch: Entry | None,
                 placed: bool) -> None:
        """Entries behind a placed one: those that may share its word at once (`placed`: False), the
        others when the word is done."""
        delay = SWITCH_DELAY if node.entry.sig in THREAD_SIGS else 0
        for other, words in node.after:
            if (words > 0) != placed:
                continue
            other.earliest = max(other.earliest, tick + max(words, delay))
            other.waits -= 1
            if not other.waits and other.entry is not branch:
                heads.append(other)

    def _switch_above(self, node: Node, heads: list[Node], branch: Entry | None) -> bool:
        """The signal goes into one of the last three words, which are then its delay slots."""
        count = len(self.placed)
        lowest = max(count - SWITCH_DELAY, self._start, self._switched + SWITCH_DELAY)
        for index in range(lowest, count):
            if self.placed[index].sig == SIG_NONE and self.placed[index].word.is_alu:
                self.placed[index].set_sig(node.entry.sig)
                self._switched = index
                heads.remove(node)
                for early in (False, True):
                    self._release(node, index, heads, branch, early)
                return True
        return False

    # ---- the block's end
    def _branch(self, branch: Entry) -> int:
        """The branch goes above the last words that may be in its delay slots."""
        while any(one.sig in THREAD_SIGS for one in self.placed[-2:]):
            self.placed.append(nop())
        moved = min(3, len(self.placed) - self._start)
        while moved and not self._may_delay(moved):
            moved -= 1
        at = len(self.placed) - moved
        self.placed.insert(at, Placed(Word(branch.word), [branch]))
        self.placed.extend(nop() for _ in range(3 - moved))
        return at

    def _may_delay(self, moved: int) -> bool:
        """Whether the last words may follow the branch, and what they write is there in time."""
        for slot, one in enumerate(self.placed[-moved:], 1):
            if one.sig in THREAD_SIGS:
                return False
            for entry in one.entries:
                if FLAGS in entry.writes or FLAGS in entry.reads:
                    return False
                slowest = max((_settles(entry, resource) for resource in entry.writes), default=1)
                if slot + slowest > 4:
                    return False
        return True


def _settles(entry: Entry, resource: int) -> int:
    """Words after which anybody may use what the entry wrote."""
    if resource in entry.writes and entry.sfu:
        return 3
    return max(latency(entry, _ANY_READER, resource), 1)


_ANY_READER = Entry(qpu_NOP())


def _may_share(one: Entry, other: Entry) -> bool:
    """No rule forbids both in one word, whatever its fields."""
    if one.peripheral and other.peripheral:
        return False
    if NO_UNIFORM in (one.uniform, other.uniform):
        return True
    return one.uniform == other.uniform and one.uniform_read and other.uniform_read
