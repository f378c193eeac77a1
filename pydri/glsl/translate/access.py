# SPDX-License-Identifier: MIT
"""Expressions that denote something: variables, members, elements, swizzles; what is assigned to.

In: values of the typed tree.  Out: `Ref`s, and `Target`s with the components that are written.
The indices of a target are evaluated once, when it is looked at. Chains of members, elements and
swizzles are walked in a loop.
"""

from __future__ import annotations

from typing import Final

from pydri.glsl import tree
from pydri.glsl.translate.base import Base, Index, Memory, Passed, Ref, Result, is_aggregate
from pydri.glsl.tree import Element, Member, Swizzle, Value, VarRef
from pydri.nir.ir import LoadConst, SSADef
from pydri.nir.types import Type, vector

#: what `cost` says of an expression that has effects or must not be evaluated on other ways
EFFECTS: Final = 1 << 30


class Target:
    """A variable or part of one that is written. `picks`: the components, None for all; `index`:
    the one among them that is chosen at run time.
    """

    __slots__ = ("index", "memory", "picks")

    def __init__(
        self, memory: Memory, picks: tuple[int, ...] | None = None, index: SSADef | None = None
    ) -> None:
        self.memory = memory
        self.picks = picks
        self.index = index

    @property
    def type(self) -> Type:
        """Of what is written."""
        type_ = self.memory.type
        if self.index is not None:
            return vector(type_.kind, 1)
        return type_ if self.picks is None else vector(type_.kind, len(self.picks))


def signed(bits: int) -> int:
    """32 bits as a whole number with a sign."""
    return bits - (1 << 32) if bits >> 31 else bits


class Access(Base):
    """Places, and what has a place."""

    def rvalue(self, value: Value) -> Result:
        """Any expression; translate/statements.py's class has all of them."""
        raise NotImplementedError

    def scalar(self, value: Value) -> SSADef:
        """The value of an expression that gives a vector or scalar."""
        found = self.rvalue(value)
        assert isinstance(found, SSADef)
        return found

    def index(self, value: Value) -> Index:
        """An index; a number if it is constant."""
        if value.constant is not None:
            return int(value.constant[0])
        found = self.scalar(value)
        instr = found.instr
        return signed(instr.values[0]) if isinstance(instr, LoadConst) else found

    @staticmethod
    def _walk(value: Value) -> tuple[Value, list[Value]]:
        """What a chain of parts begins with, and the parts from there."""
        parts: list[Value] = []
        while isinstance(value, (Swizzle, Member, Element)) and value.constant is None:
            parts.append(value)
            value = value.base
        parts.reverse()
        return value, parts

    def ref(self, value: Value) -> Ref:
        """Where an expression's value is."""
        inner, parts = self._walk(value)
        if inner.constant is not None:
            found = self.wrapped(inner.type, self.constant(inner.type, inner.constant))
        elif isinstance(inner, VarRef):
            found = self.variable(inner.var)
        else:
            found = self.wrapped(inner.type, self.rvalue(inner))
        for part in parts:
            if isinstance(part, Member):
                found = self.member(found, part.name)
            elif isinstance(part, Element):
                found = self.element(found, self.index(part.index))
            else:
                assert isinstance(part, Swizzle)
                base = self.load(found)
                assert isinstance(base, SSADef)
                found = self.wrapped(part.type, self.b.swizzle(base, part.picks))
        return found

    def part(self, value: Value) -> Result:
        """The value of a variable, member, element or swizzle."""
        return self.load(self.ref(value))

    # ---- targets --------------------------------------------------------------------------
    def target(self, value: Value) -> Target:
        """What an assignment writes to."""
        inner, parts = self._walk(value)
        assert isinstance(inner, VarRef)
        found, parts = self._outermost(self.variable(inner.var), parts)
        picks: tuple[int, ...] | None = None
        chosen: SSADef | None = None
        for part in parts:
            if isinstance(part, Member):
                inside = self.member(found, part.name)
                assert isinstance(inside, Memory)
                found = inside
            elif isinstance(part, Swizzle):
                if chosen is None:  # of one component, .x is that
                    picks = part.picks if picks is None else tuple(picks[i] for i in part.picks)
            else:
                assert isinstance(part, Element)
                index = self.index(part.index)
                if isinstance(index, int) and not 0 <= index < (
                    found.type.length if picks is None else len(picks)
                ):
                    index = self.vector("int", (index,))  # the store vanishes, as at run time
                if picks is None and found.type.columns != 1:
                    inside = self.element(found, index)
                    assert isinstance(inside, Memory)
                    found = inside
                    continue
                now = picks or tuple(range(found.type.rows))
                if isinstance(index, int):
                    picks = (now[index],)
                else:
                    picks, chosen = now, index
        return Target(found, picks, chosen)

    def _outermost(self, found: Ref, parts: list[Value]) -> tuple[Memory, list[Value]]:
        """The variable that is written: of a block its member, behind its index."""
        while isinstance(found, Passed):
            part, *parts = parts
            if isinstance(part, Member):
                found = self.member(found, part.name)
            else:
                assert isinstance(part, Element)
                found = self.element(found, self.index(part.index))
        assert isinstance(found, Memory)
        return found, parts

    def read(self, target: Target) -> Result:
        """What a target holds now."""
        value = self.load(target.memory)
        if target.picks is None:
            return value
        assert isinstance(value, SSADef)
        picked = self.b.swizzle(value, target.picks)
        return picked if target.index is None else self.select(picked, target.index)

    def write(self, target: Target, value: Result) -> None:
        """Assign."""
        picks, memory, b = target.picks, target.memory, self.b
        if picks is None:
            self.store(memory, value)
            return
        assert isinstance(value, SSADef)
        rows = memory.type.rows
        if target.index is None:
            order = tuple(picks.index(i) if i in picks else 0 for i in range(rows))
            mask = sum(1 << i for i in set(picks))
            if value.num_components == 1:
                order = (0,) * rows
            b.store_var(memory.deref, b.swizzle(value, order) if rows > 1 else value, mask)
            return
        old = self.load(memory)
        assert isinstance(old, SSADef)
        new = {p: b.alu("bcsel", b.alu("ieq", target.index, self.vector("int", (n,))), value,
                        b.swizzle(old, (p,))) for n, p in enumerate(picks)}
        mask = sum(1 << p for p in new)
        whole = [(new[i], 0) if i in new else (old, i) for i in range(rows)]
        b.store_var(memory.deref, self.gather(whole), mask)

    # ---- what an expression costs ---------------------------------------------------------
    def cost(self, value: Value, budget: int) -> int:
        """About how many operations it takes; EFFECTS or more if it may not be evaluated where it
        need not be. Looks no further than `budget`.
        """
        total = 0
        work = [value]
        while work and total <= budget:
            value = work.pop()
            if value.constant is not None:
                continue
            kind = type(value)
            if kind is VarRef:
                total += int(is_aggregate(value.type))
                continue
            weight = _WEIGHTS.get(kind, EFFECTS)
            total += weight
            if weight >= EFFECTS:
                break
            if isinstance(value, tree.BuiltinCall):
                row = value.signature.row
                if row.lookup is not None or row.stages or row.outputs:
                    return EFFECTS
                work += value.args
            elif isinstance(value, (tree.Op, tree.Make)):
                total += len(value.args)
                if is_aggregate(value.type) or value.type.columns > 1:
                    total += 16
                work += value.args
            elif isinstance(value, (Swizzle, Member, tree.Convert)):
                work.append(value.base)
            elif isinstance(value, Element):
                work += (value.base, value.index)
            elif isinstance(value, tree.Choice):
                work += (value.condition, value.then, value.otherwise)
        return total

    def harmless(self, value: Value) -> bool:
        """Does evaluating it change nothing?"""
        return self.cost(value, EFFECTS - 1) < EFFECTS

    def known_bool(self, value: SSADef) -> bool | None:
        """A condition that is constant."""
        instr = value.instr
        return bool(instr.values[0]) if isinstance(instr, LoadConst) else None


_WEIGHTS: Final[dict[type, int]] = {
    Swizzle: 0, Member: 0, Element: 1, tree.Op: 1, tree.Convert: 1, tree.Make: 1,
    tree.BuiltinCall: 4, tree.Choice: 1, tree.Length: 0,
}  # fmt: skip
