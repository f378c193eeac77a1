# SPDX-License-Identifier: MIT
"""What the code of a linked stage reaches: functions, and what it does with global variables.

In: the functions of a stage, beginning with `main`.  Out: `Reach`: functions in the order in which
they are met, and for each global `Var` whether it is read, written, and with which indices. What
stands behind a constant condition that does not hold is not reached, nor is what a constant
expression was made of. Trees may be deep to one side, so they are walked with a list of what is
still to do. Mesa learns the same from its intermediate code once it is optimised
(link_uniforms.cpp, ir_array_refcount.cpp).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from pydri.glsl import tree
from pydri.glsl.tree import Function, Statement, Value, Var, member_of_block
from pydri.nir.types import ArrayType


class Use:
    """What a stage does with one global. `most`: the greatest constant index; `whole`: an index is
    not constant, or the array is used as a whole; `blocks`: the constant indices of an array of
    blocks.
    """

    __slots__ = ("blocks", "most", "read", "whole", "written")

    def __init__(self) -> None:
        self.read = False
        self.written = False
        self.most = 0
        self.whole = False
        self.blocks: set[int] = set()

    def size(self, type_: ArrayType) -> int:
        """How many elements of an array are in use."""
        return type_.size if self.whole else min(self.most + 1, type_.size)


def _no(_: Any) -> Iterable[Value]:
    return ()


def _one(value: Any) -> Iterable[Value]:
    return (value.base,)


def _args(value: Any) -> Iterable[Value]:
    return tuple(value.args)


def _read_args(call: tree.BuiltinCall) -> Iterable[Value]:
    return (a for n, a in enumerate(call.args) if n not in call.signature.row.outputs)


_PARTS: Final[dict[type, Callable[[Any], Iterable[Value]]]] = {
    tree.Value: _no, tree.VarRef: _no, tree.Swizzle: _one, tree.Member: _one,
    tree.Convert: _one, tree.Length: _no, tree.Op: _args, tree.Make: _args,
    tree.BuiltinCall: _read_args, tree.Sequence: lambda v: tuple(v.parts),
    tree.Step: lambda v: (v.target,),
}  # fmt: skip


class Reach:
    """What is met on the way from some functions and values."""

    def __init__(self, definition: Callable[[Function], Function | None]) -> None:
        self._definition = definition
        self.functions: dict[Function, None] = {}
        self.uses: dict[Var, Use] = {}
        #: functions that are called and have no definition
        self.missing: list[Function] = []
        #: names of built-in functions that read variables by themselves
        self.special: set[str] = set()

    def use(self, var: Var) -> Use:
        """The row of a variable."""
        found = self.uses.get(var)
        if found is None:
            found = self.uses[var] = Use()
        return found

    def function(self, called: Function) -> None:
        """A function is called: its body, and what that calls, is reached."""
        todo = [called]
        while todo:
            wanted = todo.pop()
            found = self._definition(wanted)
            if found is None:
                if wanted not in self.missing:
                    self.missing.append(wanted)
            elif found not in self.functions:
                self.functions[found] = None
                assert found.body is not None
                todo += reversed(self._statements(found.body))

    # ---- statements ---------------------------------------------------------------------------
    def _statements(self, body: Statement) -> list[Function]:
        """Walk a body; the functions that it calls."""
        calls: list[Function] = []
        todo: list[Statement] = [body]
        while todo:
            node = todo.pop()
            if isinstance(node, tree.Body):
                todo += reversed(node.statements)
            elif isinstance(node, tree.Declare):
                if node.value is not None:
                    self.value(node.value, calls)
            elif isinstance(node, tree.Evaluate):
                self.value(node.value, calls)
            elif isinstance(node, tree.If):
                todo += reversed(self._arms(node, calls))
            elif isinstance(node, tree.Loop):
                todo += reversed(self._loop(node, calls))
            elif isinstance(node, tree.Switch):
                self.value(node.value, calls)
                todo += [s for part in reversed(node.sections) for s in reversed(part.body)]
            elif isinstance(node, tree.Jump) and node.value is not None:
                self.value(node.value, calls)
        return calls

    def _arms(self, node: tree.If, calls: list[Function]) -> list[Statement]:
        """What of an if may run."""
        out: list[Statement] = []
        for condition, statement in node.arms:
            known = condition.constant
            if known is None:
                self.value(condition, calls)
            if known is None or known[0]:
                out.append(statement)
            if known is not None and known[0]:
                return out
        return out if node.otherwise is None else [*out, node.otherwise]

    def _loop(self, node: tree.Loop, calls: list[Function]) -> list[Statement]:
        out: list[Statement] = [part for part in (node.init, node.prelude) if part is not None]
        condition = node.condition
        if condition is not None:
            self.value(condition, calls)
            if condition.constant is not None and not condition.constant[0] and not node.test_last:
                return out
        if node.step is not None:
            self.value(node.step, calls)
        return [*out, node.body]

    # ---- values -------------------------------------------------------------------------------
    def value(self, root: Value, calls: list[Function]) -> None:
        """Walk an expression that is read."""
        todo: list[Value] = [root]
        while todo:
            node = todo.pop()
            if node.constant is not None:
                continue
            if isinstance(node, tree.VarRef):
                use = self.use(node.var)
                use.read = use.whole = True
            elif isinstance(node, tree.Element):
                todo += self._element(node, True)
            elif (member := member_of_block(node)) is not None:
                todo += self._member(node, member, True)
            elif isinstance(node, tree.Assign):
                if node.op:
                    todo.append(node.target)
                todo += self._written(node.target)
                todo.append(node.value)
            elif isinstance(node, tree.Step):
                todo += self._written(node.target)
                todo.append(node.target)
            elif isinstance(node, tree.Call):
                calls.append(node.function)
                todo += self._arguments(node)
            elif isinstance(node, tree.Choice):
                todo += self._choice(node)
            else:
                if isinstance(node, tree.BuiltinCall):
                    row = node.signature.row
                    if row.special:
                        self.special.add(row.name)
                    for n in row.outputs:
                        todo += self._written(node.args[n])
                todo += _PARTS[type(node)](node)

    @staticmethod
    def _choice(node: tree.Choice) -> list[Value]:
        known = node.condition.constant
        if known is not None:
            return [node.then if known[0] else node.otherwise]
        return [node.condition, node.then, node.otherwise]

    def _element(self, node: tree.Element, read: bool) -> list[Value]:
        """An element of something: of a variable itself its index is noted."""
        base, indices = tree.indexed(node)
        if isinstance(base, tree.VarRef) and base.var.block is not None and len(indices) > 1 and (
            base.var.mode == "uniform"
        ):
            return self._block_of_several(base.var, indices)
        out = [] if node.index.constant is not None else [node.index]
        if not isinstance(node.base, tree.VarRef):
            return [*out, node.base] if read else out
        use = self.use(node.base.var)
        if node.index.constant is None:
            use.whole = True
        else:
            number = int(node.index.constant[0])
            use.most = max(use.most, number)
            if node.base.var.block is not None:
                use.blocks.add(number)
        use.read = use.read or read
        return out

    def _block_of_several(self, var: Var, indices: list[Value]) -> list[Value]:
        """A block of an array of arrays of them is read: which one of all."""
        assert var.block is not None
        use, number = self.use(var), 0
        use.read = True
        for index, size in zip(indices, var.block.sizes):
            if index.constant is None:
                use.whole = True
                return [index for index in indices if index.constant is None]
            number = number * size + int(index.constant[0])
        use.blocks.add(number)
        return []

    def _member(self, node: Value, member: Var, read: bool) -> list[Value]:
        """A member of an in or out block: it is what is used, not the block."""
        use = self.use(member)
        use.whole = True
        use.read = use.read or read
        _, indices = tree.indexed(node.base if isinstance(node, tree.Member) else node)
        return [index for index in indices if index.constant is None]

    def _written(self, target: Value) -> list[Value]:
        """An l-value is written; the indices in it are read."""
        out: list[Value] = []
        while not isinstance(target, tree.VarRef):
            member = member_of_block(target)
            if member is not None:
                out += self._member(target, member, False)
                self.use(member).written = True
                return out
            if isinstance(target, tree.Element):
                out += self._element(target, False)
            if isinstance(target, (tree.Swizzle, tree.Member, tree.Element)):
                target = target.base
                if isinstance(target, tree.VarRef):
                    self.use(target.var).written = True
                    return out
            else:
                return [*out, target]
        use = self.use(target.var)
        use.written = use.whole = True
        return out

    def _arguments(self, node: tree.Call) -> list[Value]:
        out: list[Value] = []
        for argument, parameter in zip(node.args, node.function.parameters, strict=True):
            if parameter.mode in ("out", "inout"):
                out += self._written(argument)
            if parameter.mode != "out":
                out.append(argument)
        return out


__all__ = ["Reach", "Use"]
