# SPDX-License-Identifier: MIT
"""Statements: control flow without jumps but for `break` of loops.

In: statements of the typed tree.  Out: Ifs and Loops of nir. What follows a statement in which
some ways `return`, `continue` or leave a switch stands in the arm where the others end, or, if that
would nest too deep, in an If of its own that asks a flag. So a loop has one way back, its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pydri.glsl import tree
from pydri.glsl.translate.base import MAX_LOOPS, Memory, Result, TooComplex, is_aggregate
from pydri.glsl.translate.calls import Calls, LoopState, Region, SwitchState, is_endless
from pydri.glsl.translate.operators import CHEAP
from pydri.glsl.tree import Statement, Value, Var
from pydri.nir.ir import Block, If, SSADef, last_block

#: what may become of an invocation that comes to a statement: it goes on behind it; it leaves the
#: region (a loop's body, a switch or the function), and must not run what follows in it
FALLS: Final = 1
LEAVES: Final = 2
#: Ifs that may nest without the source nesting, for early returns and chains of `else if`
MAX_INWARD: Final = 12

Arm = tuple[Value, Callable[[], int]]


class Statements(Calls):
    """Everything."""

    #: after a statement that falls and leaves: where those that did not leave are, if that is one
    #: place
    inside: Block | None = None
    #: is an If that asks a flag open in the list of statements at hand?
    guarded = False
    #: variables that the sections of a switch share: they exist whichever section runs
    shared: frozenset[Var] = frozenset()

    def rvalue(self, value: Value) -> Result:
        """Any expression."""
        if value.constant is not None:
            return self.constant(value.type, value.constant)
        return _VALUES[type(value)](self, value)

    # ---- lists of statements --------------------------------------------------------------
    def statements(self, body: list[Statement]) -> int:
        """Statements one after the other; what may become of an invocation."""
        outer, self.guarded = self.guarded, False
        nodes = self.b.block.siblings
        total, inward = FALLS, 0
        for number, statement in enumerate(body):
            status = _STATEMENTS[type(statement)](self, statement)
            if not status & FALLS:
                total = (total & ~FALLS) | status
                break
            if status & LEAVES:
                total |= LEAVES
                if number == len(body) - 1:
                    break  # where they are stands in `inside`
                if self.inside is not None and inward < MAX_INWARD:
                    self.b.at_end(self.inside)
                    inward += 1
                else:
                    self.b.at_end(last_block(nodes))
                    flag = self.load(self.region.require_flag())
                    assert isinstance(flag, SSADef)
                    self._into(self.b.alu("inot", flag))
                    self.guarded, inward = True, 0
                self.inside = self.b.block
        else:
            if total & LEAVES:
                self.inside = self.b.block
        self.guarded = outer
        return total

    def _into(self, condition: SSADef) -> If:
        """Open an If; emit into it."""
        node = If(self.shader.main, condition)
        self.b.add_cf(node)
        self.b.at_end(last_block(node.then))
        return node

    @property
    def region(self) -> Region:
        """What `continue`, a switch's `break` or, outside of both, `return` leaves."""
        inner = self.frame.open
        return inner[-1].region if inner else self.frame.region

    # ---- simple statements ----------------------------------------------------------------
    def _body(self, statement: tree.Body) -> int:
        return self.statements(statement.statements)

    def _declare_local(self, statement: tree.Declare) -> int:
        var = statement.var
        if var in self.shared:
            place = self.bound[var]
            assert isinstance(place, Memory)
            if statement.value is not None:
                self.store(place, self.rvalue(statement.value))
            return FALLS
        if statement.value is None:
            self.bound[var] = self.begun(var.name, var.type)
            return FALLS
        value = self.rvalue(statement.value)
        # Behind an If that asks a flag a value would not be there; a variable is.
        if not var.assigned and not self.guarded:
            self.bound[var] = self.owned(value, var.type)
        else:
            memory = self.local(var.name, var.type)
            self.store(memory, value)
            self.bound[var] = memory
        return FALLS

    def _evaluate(self, statement: tree.Evaluate) -> int:
        self.rvalue(statement.value)
        return FALLS

    def _jump(self, statement: tree.Jump) -> int:
        loops = self.frame.loops
        if statement.kind == "break":
            inner = self.frame.open[-1]
            if isinstance(inner, SwitchState):
                inner.breaks = True
                inner.region.mark()
                return LEAVES
            inner.exits = True
            self.b.Break()
            return 0
        if statement.kind == "continue":
            self._leave_switches()
            loops[-1].region.mark()
            return LEAVES
        if statement.kind == "discard":
            self.b.discard()
            # It goes on as a helper, but not in a loop that nothing else might end.
            return self.leave() if any(state.endless for state in loops) else FALLS
        if statement.value is not None:
            self.give(statement.value)
        return LEAVES if self.frame.direct else self.leave()

    def _leave_switches(self) -> None:
        """The innermost loop's body, or the function, is left: the switches within it are too."""
        for state in reversed(self.frame.open):
            if not isinstance(state, SwitchState):
                break
            state.outwards = True
            state.region.mark()

    def leave(self) -> int:
        """Leave the function."""
        frame = self.frame
        loops = frame.loops
        if not loops:
            self._leave_switches()
            frame.region.mark()
            return LEAVES
        frame.region.require_flag()
        frame.region.mark()
        loops[-1].returns = True
        self.b.Break()
        return 0

    # ---- if -------------------------------------------------------------------------------
    def _if(self, statement: tree.If) -> int:
        arms = statement.arms
        if len(arms) == 1 and statement.otherwise is None and self._only_discard(arms[0][1]):
            condition = self.scalar(arms[0][0])
            self.b.discard_if(condition)
            return FALLS
        ways: list[Arm] = [(condition, self._runner(body)) for condition, body in arms]
        otherwise = statement.otherwise
        return self.chain(ways, None if otherwise is None else self._runner(otherwise))

    def _runner(self, body: Statement) -> Callable[[], int]:
        return lambda: _STATEMENTS[type(body)](self, body)

    def _only_discard(self, body: Statement) -> bool:
        while isinstance(body, tree.Body) and len(body.statements) == 1:
            body = body.statements[0]
        discards = isinstance(body, tree.Jump) and body.kind == "discard"
        return discards and not any(state.endless for state in self.frame.loops)

    def chain(self, arms: list[Arm], otherwise: Callable[[], int] | None) -> int:
        """`if`, `else if` and so on. A long chain goes on in an If that asks a flag."""
        nodes = self.b.block.siblings
        unmatched = Region(self)
        total, depth = 0, 0
        falling: list[Block | None] = []

        def ran(status: int) -> None:
            nonlocal total
            total |= status
            if status & FALLS:
                falling.append(self.inside if status & LEAVES else self.b.block)

        for condition, run in arms:
            if depth == MAX_INWARD:
                unmatched.mark()
                self.b.at_end(last_block(nodes))
                flag = self.load(unmatched.require_flag())
                assert isinstance(flag, SSADef)
                self._into(flag)
                depth = 0
            test = self.scalar(condition)
            known = self.known_bool(test)
            if known is None:
                node = self._into(test)
                ran(run())
                self.b.at_end(last_block(node.otherwise))
                depth += 1
            elif known:
                otherwise = run
                break
        ran(FALLS if otherwise is None else otherwise())
        self.b.at_end(last_block(nodes))
        if total == FALLS | LEAVES:
            self.inside = falling[0] if len(falling) == 1 else None
        elif not total & FALLS:
            self.inside = None
        return total

    # ---- switch ---------------------------------------------------------------------------
    def _switch(self, statement: tree.Switch) -> int:
        """Sections one after the other, each in an If: its labels match, or the section in front of
        it fell into it. Those that left the switch have matched already, so no later label does.
        """
        b, nodes = self.b, self.b.block.siblings
        matches = self._matches(self.scalar(statement.value), statement.sections)
        outer = self.shared
        self._share(statement.sections)
        state = SwitchState(Region(self))
        self.frame.open.append(state)
        fallen: SSADef | None = None
        status = FALLS
        for section, match in zip(statement.sections, matches, strict=True):
            run = match if fallen is None else b.alu("ior", match, fallen)
            self._into(run)
            status = self.statements(section.body)
            b.at_end(last_block(nodes))
            fallen = run if status & FALLS else None
            if status == FALLS | LEAVES and section is not statement.sections[-1]:
                left = self.load(state.region.require_flag())
                assert isinstance(left, SSADef)
                fallen = b.alu("iand", run, b.alu("inot", left))
        self.frame.open.pop()
        self.shared = outer
        falls = state.breaks or bool(status & FALLS) or not any(
            section.default for section in statement.sections)
        self.inside = None
        return FALLS * falls | LEAVES * state.outwards

    def _matches(self, value: SSADef, sections: list[tree.Section]) -> list[SSADef]:
        """For each section: does one of its labels match?"""
        b = self.b
        none: SSADef = self.vector("bool", (False,))
        every, found = none, []
        for section in sections:
            match = none
            for label in section.labels:
                same = b.alu("ieq", value, self.scalar(label))
                match = same if match is none else b.alu("ior", match, same)
            every = match if every is none else b.alu("ior", every, match)
            found.append(match)
        return [b.alu("ior", match, b.alu("inot", every)) if section.default else match
                for section, match in zip(sections, found, strict=True)]

    def _share(self, sections: list[tree.Section]) -> None:
        """Variables of the switch's own scope begin in front of it."""
        variables = [statement.var for section in sections for statement in section.body
                     if isinstance(statement, tree.Declare)]
        for var in variables:
            self.bound[var] = self.begun(var.name, var.type)
        self.shared = self.shared.union(variables)

    # ---- loops ----------------------------------------------------------------------------
    def _loop(self, statement: tree.Loop) -> int:
        if statement.init is not None:
            _STATEMENTS[type(statement.init)](self, statement.init)
        b, inner = self.b, self.frame.open
        if self.loops >= MAX_LOOPS:
            raise TooComplex(f"loops are nested deeper than {MAX_LOOPS} levels")
        with b.Loop() as node:
            state = LoopState(Region(self), is_endless(statement))
            inner.append(state)
            self.loops += 1
            status = FALLS
            if not statement.test_last:
                status = self._test(statement, state)
            state.region = Region(self)
            if status:
                status = _STATEMENTS[type(statement.body)](self, statement.body)
            if status:
                b.at_end(last_block(node.body))  # type: ignore[union-attr]
                if statement.step is not None:
                    self.rvalue(statement.step)
                if statement.test_last:
                    self._test(statement, state)
            self.loops -= 1
            inner.pop()
        if not state.returns:
            return FALLS if state.exits else 0
        return self._after_returns(state)

    def _test(self, statement: tree.Loop, state: LoopState) -> int:
        """Leave the loop unless its condition holds."""
        if statement.prelude is not None:
            _STATEMENTS[type(statement.prelude)](self, statement.prelude)
        if statement.condition is None:
            return FALLS
        test = self.scalar(statement.condition)
        known = self.known_bool(test)
        if known:
            return FALLS
        state.exits = True
        if known is False:
            self.b.Break()
            return 0
        with self.b.If(self.b.alu("inot", test)):
            self.b.Break()
        return FALLS

    def _after_returns(self, state: LoopState) -> int:
        """Behind a loop that some ways left to return."""
        if not state.exits:
            return self.leave()
        flag = self.load(self.frame.region.require_flag())
        assert isinstance(flag, SSADef)
        node = self._into(flag)
        status = self.leave()
        self.b.at_end(node.next_block)
        self.inside = last_block(node.otherwise)
        return status | FALLS

    # ---- ?: -------------------------------------------------------------------------------
    def choice(self, value: tree.Choice) -> Result:
        """`?:`; cheap operands are all evaluated, and one of them chosen."""
        links: list[tree.Choice] = []
        last: Value = value
        while isinstance(last, tree.Choice) and last.constant is None:
            links.append(last)
            last = last.otherwise
        cheap = not is_aggregate(value.type) and all(
            self.cost(v, CHEAP) <= CHEAP for link in links for v in (link.condition, link.then)
        )  # fmt: skip
        if cheap and self.cost(last, CHEAP) <= CHEAP:
            found = self.rvalue(last)
            for link in reversed(links):
                test = self.scalar(link.condition)
                found = self._chosen(test, self.rvalue(link.then), found)
            return found
        memory = self.temporary("choice", value.type)

        def storing(result: Value) -> Callable[[], int]:
            def run() -> int:
                self.store(memory, self.rvalue(result))
                return FALLS

            return run

        self.chain([(link.condition, storing(link.then)) for link in links], storing(last))
        return self.load(memory)

    def _chosen(self, test: SSADef, then: Result, otherwise: Result) -> Result:
        if isinstance(then, list) and isinstance(otherwise, list):
            return [self.b.alu("bcsel", test, x, y) for x, y in zip(then, otherwise, strict=True)]
        assert isinstance(then, SSADef) and isinstance(otherwise, SSADef)
        return self.b.alu("bcsel", test, then, otherwise)

    def array_length(self, value: tree.Length) -> Result:
        """The length of an array whose size was settled late."""
        return self.vector("int", (self.ref(value.base).type.length,))


_VALUES: Final[dict[type, Callable[..., Result]]] = {
    tree.VarRef: Statements.part, tree.Swizzle: Statements.part, tree.Member: Statements.part,
    tree.Element: Statements.part, tree.Op: Statements.op, tree.Convert: Statements.convert,
    tree.Make: Statements.make, tree.Call: Statements.call,
    tree.BuiltinCall: Statements.builtin_call, tree.Length: Statements.array_length,
    tree.Choice: Statements.choice, tree.Assign: Statements.assign, tree.Step: Statements.step,
    tree.Sequence: Statements.sequence,
}  # fmt: skip
_STATEMENTS: Final[dict[type, Callable[..., int]]] = {
    tree.Body: Statements._body, tree.Declare: Statements._declare_local,
    tree.Evaluate: Statements._evaluate, tree.If: Statements._if, tree.Loop: Statements._loop,
    tree.Switch: Statements._switch, tree.Jump: Statements._jump,
}  # fmt: skip
