# SPDX-License-Identifier: MIT
"""LALR(1) tables from a grammar, and the automaton that runs them as bison's parsers run.

In: rules as text, tokens in the order of their numbers. Out: `Tables`, and by `run` the calls of a
grammar's actions. What a syntax error says (which token came, which of at most four were expected)
depends on the automaton's states: on which reductions are made before the next token is looked at,
and which are a state's default. Both are decided here as bison decides them, so that errors are
those of a driver whose parser bison made. The lookaheads are found by the method of DeRemer and
Pennello (TOPLAS 4, 1982).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

END: Final = "end of file"
INVALID: Final = "invalid token"
#: expected tokens that are named; where there are more, none is
_NAMED: Final = 4


class Rule(NamedTuple):
    """lhs: rhs, and the name of what is done with it ("": the first value goes on)."""

    lhs: str
    rhs: tuple[str, ...]
    action: str


class Place(NamedTuple):
    """Where a token or a phrase stands; `position` counts as the peer counts."""

    first_line: int
    first_column: int
    last_line: int
    last_column: int
    position: int


class Token(NamedTuple):
    """A token, its value and its place."""

    kind: str
    value: Any
    place: Place


class Tables(NamedTuple):
    """Of each state: token -> state to shift to, or ~rule to reduce by; the default reduction
    (-1: none); phrase -> next state."""

    rules: tuple[Rule, ...]
    order: dict[str, int]  # numbers of tokens
    actions: tuple[dict[str, int], ...]
    defaults: tuple[int, ...]
    gotos: tuple[dict[str, int], ...]


def read_rules(text: str) -> tuple[Rule, ...]:
    """Rules as `lhs: a b @action | c`; a line without a colon goes on with the one before."""
    rules: list[Rule] = []
    lhs = ""
    for line in text.splitlines():
        words = line.split()
        if words and words[0].endswith(":"):
            lhs = words.pop(0)[:-1]
        elif words and words[0] == "|":
            words.pop(0)
        elif not words:
            continue
        for part in " ".join(words).split(" | "):
            rhs = part.split()
            action = rhs.pop()[1:] if rhs and rhs[-1].startswith("@") else ""
            rules.append(Rule(lhs, tuple(word for word in rhs if word != "-"), action))
    return tuple(rules)


class _Generator:
    """The construction of one grammar's tables."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self.rules = (Rule("$accept", (rules[0].lhs, END), ""), *rules)
        self.of: dict[str, list[int]] = {}
        for n, rule in enumerate(self.rules):
            self.of.setdefault(rule.lhs, []).append(n)
        self.nullable = self._nullable()
        self.kernels: list[tuple[tuple[int, int], ...]] = []
        self.moves: list[dict[str, int]] = []
        self.complete: list[list[int]] = []  # rules that end in the state
        self._states()

    def _nullable(self) -> set[str]:
        found: set[str] = set()
        before = -1
        while before != len(found):
            before = len(found)
            found.update(r.lhs for r in self.rules if all(s in found for s in r.rhs))
        return found

    def _closure(self, kernel: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        items = list(kernel)
        seen: set[str] = set()
        for n, dot in items:
            rhs = self.rules[n].rhs
            if dot < len(rhs) and rhs[dot] in self.of and rhs[dot] not in seen:
                seen.add(rhs[dot])
                items += [(m, 0) for m in self.of[rhs[dot]]]
        return items

    def _states(self) -> None:
        first: tuple[tuple[int, int], ...] = ((0, 0),)
        numbers = {first: 0}
        self.kernels.append(first)
        for kernel in self.kernels:
            next_: dict[str, list[tuple[int, int]]] = {}
            ends = []
            for n, dot in self._closure(kernel):
                rhs = self.rules[n].rhs
                if dot < len(rhs):
                    next_.setdefault(rhs[dot], []).append((n, dot + 1))
                else:
                    ends.append(n)
            row = {}
            for symbol, items in next_.items():
                key = tuple(sorted(items))
                if key not in numbers:
                    numbers[key] = len(self.kernels)
                    self.kernels.append(key)
                row[symbol] = numbers[key]
            self.moves.append(row)
            self.complete.append(sorted(ends))

    def lookaheads(self) -> dict[tuple[int, int], set[str]]:
        """The tokens before which a rule that ends in a state is reduced."""
        moves, of = self.moves, self.of
        pairs = [(p, a) for p, row in enumerate(moves) for a in row if a in of]
        direct = {(p, a): {t for t in moves[moves[p][a]] if t not in of} for p, a in pairs}
        reads = {(p, a): [(moves[p][a], c) for c in moves[moves[p][a]] if c in self.nullable]
                 for p, a in pairs}  # fmt: skip
        includes: dict[Any, list[Any]] = {pair: [] for pair in pairs}
        lookback: dict[tuple[int, int], list[Any]] = {}
        for p, a in pairs:
            for n in of[a]:
                self._walk(p, a, n, includes, lookback)
        follow = _spread(includes, _spread(reads, direct))
        return {
            (state, n): set().union(*(follow[pair] for pair in lookback.get((state, n), ())))
            for state, ends in enumerate(self.complete) for n in ends
        }  # fmt: skip

    def _walk(self, p: int, a: str, n: int, includes: Any, lookback: Any) -> None:
        state, rhs = p, self.rules[n].rhs
        for at, symbol in enumerate(rhs):
            if symbol in self.of and all(s in self.nullable for s in rhs[at + 1 :]):
                includes[state, symbol].append((p, a))
            state = self.moves[state][symbol]
        lookback.setdefault((state, n), []).append((p, a))

    def tables(self, tokens: tuple[str, ...]) -> Tables:
        """All of it, with defaults chosen as bison chooses them: the reduction for the most tokens,
        of several the first."""
        ahead = self.lookaheads()
        actions, defaults = [], []
        for state, ends in enumerate(self.complete):
            row: dict[str, int] = {}
            for n in reversed(ends):
                row.update(dict.fromkeys(ahead[state, n], ~n))
            shifts = {s: to for s, to in self.moves[state].items() if s not in self.of}
            row.update(shifts)
            default = -1
            if ends and not shifts and len(ends) == 1:
                default = ends[0]
            elif ends:
                counts = [sum(action == ~n for action in row.values()) for n in ends]
                default = ends[counts.index(max(counts))] if max(counts) else -1
            actions.append({t: action for t, action in row.items() if action != ~default})
            defaults.append(default)
        gotos = tuple({s: to for s, to in row.items() if s in self.of} for row in self.moves)
        order = {token: n for n, token in enumerate((END, "error", INVALID, *tokens))}
        return Tables(self.rules, order, tuple(actions), tuple(defaults), gotos)


def _spread(relation: dict[Any, list[Any]], sets: dict[Any, set[str]]) -> dict[Any, set[str]]:
    """The least sets that hold `sets` and, of each member, those of what it is related to."""
    out = {key: set(value) for key, value in sets.items()}
    users: dict[Any, list[Any]] = {}
    for key, others in relation.items():
        for other in others:
            users.setdefault(other, []).append(key)
    work = list(out)
    while work:
        key = work.pop()
        for user in users.get(key, ()):
            if not out[key] <= out[user]:
                out[user] |= out[key]
                work.append(user)
    return out


def generate(rules: tuple[Rule, ...], tokens: tuple[str, ...]) -> Tables:
    """The tables of a grammar, whose first rule is the start."""
    return _Generator(rules).tables(tokens)


class SyntaxFault(Exception):
    """A token that no rule allows; `place` is its place."""

    def __init__(self, text: str, place: Place) -> None:
        super().__init__(text)
        self.place = place


def _complaint(tables: Tables, state: int, token: Token) -> SyntaxFault:
    row = tables.actions[state]
    expected = sorted(row, key=tables.order.__getitem__)
    text = f"syntax error, unexpected {token.kind}"
    if 0 < len(expected) <= _NAMED:
        text += ", expecting " + " or ".join(expected)
    return SyntaxFault(text, token.place)


def _span(places: list[Place], before: Place) -> Place:
    """The place of a phrase; of an empty one, behind what stands before it."""
    if places:
        first, last = places[0], places[-1]
        return Place(first.first_line, first.first_column, last.last_line, last.last_column,
                     first.position)  # fmt: skip
    line, column = before.last_line, before.last_column
    return Place(line, column, line, column, before.position + column)


Action = Callable[[list[Any], list[Place]], Any]


def run(
    tables: Tables, next_token: Callable[[], Token], action: Callable[[str], Action]
) -> None:
    """Parse: `action(name)(values, places)` gives the value of a phrase. A token is asked for when
    it is needed, and not before."""
    states, values = [0], [None]
    places = [Place(1, 1, 1, 1, 0)]
    token: Token | None = None
    while True:
        state = states[-1]
        row, default = tables.actions[state], tables.defaults[state]
        number = ~default
        if row:
            token = next_token() if token is None else token
            if token.kind not in row and default < 0:
                raise _complaint(tables, state, token)
            number = row.get(token.kind, number)
            if number >= 0:
                if token.kind == END:
                    return
                states.append(number)
                values.append(token.value)
                places.append(token.place)
                token = None
                continue
        rule = tables.rules[~number]
        count = len(rule.rhs)
        given = values[len(values) - count :]
        where = places[len(places) - count :]
        span = _span(where, places[len(places) - count - 1])
        value = action(rule.action)(given, where) if rule.action else given[0] if given else None
        for stack in (states, values, places):
            del stack[len(stack) - count :]
        states.append(tables.gotos[states[-1]][rule.lhs])
        values.append(value)
        places.append(span)


__all__ = [
    "END", "INVALID", "Place", "Rule", "SyntaxFault", "Tables", "Token", "generate", "read_rules",
    "run",
]  # fmt: skip
