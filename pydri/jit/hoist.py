# SPDX-License-Identifier: MIT
"""Moves what is the same in all rounds of a loop in front of it: uniforms' products, normalised
lights, the bytes of a colour that does not vary (what Mesa's nir_opt_preamble and LLVM's LICM are
for; llvmlite has no way to ask for the latter).

In: the blocks that were traced, and the loops among them, inner ones first. It works on the text,
before LLVM: there, a value that nothing in a loop defines is found by its name alone, and names of
the loop's own are few. What moves is pure, so the bits are the same; it may be computed where it
was not asked for (loads too, but only those called invariant, whose memory is there). What is one
instruction with an operand in memory anyway, such as spreading a number over lanes, moves only if
something behind it does: registers are few."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydri.jit.emitter import Block

_DEFINITION = re.compile(r"(%[\w.]+) = (\w+) (.*)", re.DOTALL)
_NAMES = re.compile(r"%[\w.]+")
#: what has no effect, and depends on nothing but its operands; division of integers may trap
_FLOAT = {"fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "fptrunc", "fpext", "sitofp", "uitofp"}
_PURE = _FLOAT | {
    "fcmp", "icmp", "select", "add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr",
    "trunc", "zext", "sext", "bitcast", "fptosi", "fptoui", "insertelement", "extractelement",
    "shufflevector", "getelementptr", "inttoptr", "ptrtoint",
}  # fmt: skip
#: what is not worth a register by itself
_LIGHT = {
    "insertelement", "extractelement", "shufflevector", "getelementptr", "inttoptr", "ptrtoint",
    "bitcast", "trunc", "zext", "sext", "load",
}  # fmt: skip
#: functions that are pure: words of masks (masks.py), LLVM's of numbers, and x86's of vectors
_FUNCTIONS = re.compile(
    r"@words_of_|@llvm\.(x86\.(sse|avx)[\w.]*\.(cvt|max|pack|movmsk)|"
    r"[su](min|max)\.|(sqrt|fabs|floor|ceil|trunc|"
    r"rint|lrint|roundeven|copysign|fma|ctpop|fpto[su]i\.sat|vector\.reduce)\.)"
)


class _Line(NamedTuple):
    """An instruction that may move."""

    name: str
    operands: list[str]
    variable: str  # the local variable that it loads
    heavy: bool  # worth a register


class Loop(NamedTuple):
    """A loop: the block before it, which ends with the branch to the loop's first, and its own
    blocks, as the first's number and the number behind the last."""

    before: Block
    first: int
    end: int


def _parsed(text: str, variables: set[str]) -> _Line | None:
    """The instruction, if it may move."""
    found = _DEFINITION.match(text)
    if found is None:
        return None
    name, op, rest = found.groups()
    operands, variable = _NAMES.findall(rest), ""
    if op == "load":
        if len(operands) == 1 and operands[0] in variables:
            variable = operands[0]
        elif "!invariant.load" not in rest:
            return None
    elif op == "call":
        if not _FUNCTIONS.search(rest):
            return None
    elif op not in _PURE:
        return None
    # numbers and truths that are no vectors stay: they are flags and addresses
    heavy = op not in _LIGHT and (op in _FLOAT or op == "call" or rest.startswith(_VECTORS[op]))
    return _Line(name, operands, variable, heavy)


class _Vectors(dict[str, tuple[str, ...]]):
    """By operation: how an instruction on vectors or floats begins, behind its name."""

    def __missing__(self, op: str) -> tuple[str, ...]:
        predicate = ("eq", "ne", "olt", "ole", "ogt", "oge", "oeq", "une", "slt", "sle", "sgt",
                     "sge", "ult", "ule", "ugt", "uge")  # fmt: skip
        starts = tuple(f"{p} <" for p in predicate) if op in ("icmp", "fcmp") else ("<",)
        self[op] = starts
        return starts


_VECTORS = _Vectors()


class _Function:
    """The lines of a function, each looked at once."""

    def __init__(self, blocks: list[Block], allocas: Iterable[str]) -> None:
        self.blocks = blocks
        self.variables = {
            text.partition(" ")[0] for text in allocas if not text.partition("alloca ")[2][0] == "["
        }
        self.lines = [[_parsed(text, self.variables) for text in block.lines] for block in blocks]
        self.elsewhere: set[str] = set()  # variables whose address is somewhere else, too
        #: by block the variables that it changes
        self.changed = [self._changes(block, n) for n, block in enumerate(blocks)]

    def _changes(self, block: Block, number: int) -> set[str]:
        found: set[str] = set()
        for text, line in zip(block.lines, self.lines[number], strict=True):
            if (line is None or not line.variable) and "%v" in text:
                names = _NAMES.findall(text)
                if text.startswith("store "):
                    found.add(names.pop())
                self.elsewhere.update(self.variables.intersection(names))
        return found

    def empty(self, loop: Loop) -> None:
        """Move what may and should go in front of a loop."""
        before = loop.before
        if not before.lines or before.lines[-1] != f"br label %{self.blocks[loop.first].label}":
            return  # nobody comes there
        inside = range(loop.first, loop.end)
        changed = self.elsewhere.union(*(self.changed[n] for n in inside))
        defined: set[str] = set()  # names that the loop gives, but for those that are `still`
        still: dict[str, _Line] = {}
        for n in inside:
            for text, line in zip(self.blocks[n].lines, self.lines[n], strict=True):
                if line is None:
                    if text[0] == "%":
                        defined.add(text.partition(" ")[0])
                elif line.variable in changed or not defined.isdisjoint(line.operands):
                    defined.add(line.name)
                else:
                    still[line.name] = line
        wanted: set[str] = set()
        for name, line in reversed(still.items()):
            if line.heavy or name in wanted:
                wanted.add(name)
                wanted.update(line.operands)
        if wanted:
            self._move(loop, wanted.intersection(still))

    def _move(self, loop: Loop, names: set[str]) -> None:
        """Move the definitions of these names, in their order."""
        texts: list[str] = []
        moved: list[_Line | None] = []
        for n in range(loop.first, loop.end):
            block, lines = self.blocks[n], self.lines[n]
            goes = [line is not None and line.name in names for line in lines]
            if any(goes):
                texts += [t for t, go in zip(block.lines, goes, strict=True) if go]
                moved += [line for line, go in zip(lines, goes, strict=True) if go]
                block.lines = [t for t, go in zip(block.lines, goes, strict=True) if not go]
                self.lines[n] = [x for x, go in zip(lines, goes, strict=True) if not go]
        at = self.blocks.index(loop.before)
        loop.before.lines[-1:-1] = texts
        self.lines[at][-1:-1] = moved


def run(blocks: list[Block], allocas: Iterable[str], loops: list[Loop]) -> None:
    """Empty the loops of a function, inner ones first."""
    if loops:
        function = _Function(blocks, allocas)
        for loop in loops:
            function.empty(loop)
