# SPDX-License-Identifier: MIT
"""Calls of the shader's own functions: the body is put in the place of the call.

In: `tree.Call`s.  Out: the function's result. Arguments are evaluated from left to right, l-values
once; `out` and `inout` parameters are copied back from left to right after the body (GLSL 1.20,
6.1.1). A parameter that the function never writes is the argument itself, not a copy.
"""

from __future__ import annotations

from pydri.glsl import tree
from pydri.glsl.check.base import component_count
from pydri.glsl.link.layout import Layout
from pydri.glsl.translate.access import Target
from pydri.glsl.translate.base import (
    MAX_INSTRUCTIONS,
    Memory,
    Ref,
    Result,
    TooComplex,
)
from pydri.glsl.translate.builtins import Builtins
from pydri.glsl.tree import Function, Statement, Value, Var, is_void
from pydri.nir.ir import Block, IntrinsicInstr, SSADef, last_block
from pydri.nir.types import BOOL, SamplerType, Type

#: larger variables are not cleared when they begin anew in a loop
MAX_CLEARED = 64


class Region:
    """A function's body or a loop's, which can be left before its end. That a way left it is noted
    in a flag, if what follows has to ask; then the places that left get their stores.
    """

    __slots__ = ("builder", "flag", "owner", "position", "sites", "start")

    def __init__(self, owner: Calls) -> None:
        self.owner = owner
        self.start = owner.b.block
        self.position = len(self.start.instrs)
        self.flag: Memory | None = None
        self.sites: list[Block] = []

    def mark(self) -> None:
        """Here the region is left."""
        if self.flag is None:
            self.sites.append(self.owner.b.block)
        else:
            self.owner.store(self.flag, self.owner.vector("bool", (True,)))

    def require_flag(self) -> Memory:
        """The flag: has this invocation left the region?"""
        if self.flag is None:
            self.flag = self.owner.local("left", BOOL)
            self._insert(self.start, self.position, False)
            for block in self.sites:
                self._insert(block, len(block.instrs), True)
        return self.flag

    def _insert(self, block: Block, position: int, value: bool) -> None:
        assert self.flag is not None
        constant = self.owner.vector("bool", (value,))
        store = IntrinsicInstr("store_var", [constant], [self.flag.deref], {"wrmask": 1})
        block.insert(position, store)


class LoopState:
    """A loop that is being translated."""

    __slots__ = ("endless", "exits", "region", "returns")

    def __init__(self, region: Region, endless: bool) -> None:
        self.region = region
        #: it has no condition
        self.endless = endless
        #: is it left by its condition or by break; by a return from the function?
        self.exits = False
        self.returns = False


class SwitchState:
    """A switch that is being translated; its region is what `break` leaves."""

    __slots__ = ("breaks", "outwards", "region")

    def __init__(self, region: Region) -> None:
        self.region = region
        #: is it left by a break; by a `continue` or `return`, which leaves another region too?
        self.breaks = False
        self.outwards = False


class Frame:
    """A function that is being translated. `value`: what its only return gave; `open`: its loops
    and switches at hand, the innermost last.
    """

    __slots__ = ("direct", "function", "open", "region", "result", "value")

    def __init__(self, function: Function, region: Region, direct: bool) -> None:
        self.function = function
        self.region = region
        self.direct = direct
        self.result: Memory | None = None
        self.value: Result | None = None
        self.open: list[LoopState | SwitchState] = []

    @property
    def loops(self) -> list[LoopState]:
        """The loops alone."""
        return [state for state in self.open if isinstance(state, LoopState)]


def leaves(statement: Statement | None, endless: bool = False) -> int:
    """How many statements leave the function (a discard in an endless loop does)."""
    if isinstance(statement, tree.Jump):
        return int(statement.kind == "return" or (endless and statement.kind == "discard"))
    if isinstance(statement, tree.Body):
        return sum(leaves(s, endless) for s in statement.statements)
    if isinstance(statement, tree.If):
        inside = sum(leaves(body, endless) for _, body in statement.arms)
        return inside + leaves(statement.otherwise, endless)
    if isinstance(statement, tree.Loop):
        return leaves(statement.body, endless or is_endless(statement))
    if isinstance(statement, tree.Switch):
        return sum(leaves(s, endless) for part in statement.sections for s in part.body)
    return 0


def is_endless(loop: tree.Loop) -> bool:
    """A loop without a condition, or one that always holds."""
    condition = loop.condition
    return condition is None or bool(condition.constant and condition.constant[0])


class Calls(Builtins):
    """All that is called."""

    frame: Frame
    #: how many loops are open, in all functions
    loops = 0

    def __init__(self, source: tree.Shader, layout: Layout) -> None:
        super().__init__(source, layout)
        self._returns: dict[Function, bool] = {}

    def statements(self, body: list[Statement]) -> int:
        """The statements of a body; translate/statements.py has them."""
        raise NotImplementedError

    def begun(self, name: str, type_: Type) -> Memory:
        """A variable that begins here, as zero."""
        memory = self.local(name, type_)
        if self.loops and component_count(type_) <= MAX_CLEARED:
            self.store(memory, self.constant(type_, (0,) * component_count(type_)))
        return memory

    def owned(self, value: Result, type_: Type) -> Ref:
        """A value that nobody will change."""
        if isinstance(value, Memory):
            own = value.var in self.fresh or value.var.mode == "shader_in"
            return value if own else self.wrapped(type_, self.copied(value, type_))
        return self.wrapped(type_, value)

    # ---- the call -------------------------------------------------------------------------
    def call(self, value: tree.Call) -> Result:
        """A call of a function of the shader."""
        function = self.layout.function(value.function)
        if self.shader.main.ssa_alloc > MAX_INSTRUCTIONS:
            raise TooComplex("the shader is too large when its functions are inlined")
        targets: list[tuple[Var, Target, Memory]] = []
        bound: list[tuple[Var, Ref]] = []
        for parameter, arg in zip(function.parameters, value.args, strict=True):
            if parameter.mode in ("out", "inout"):
                target = self.target(arg)
                memory = self.begun(parameter.name, parameter.type)
                if parameter.mode == "inout":
                    self.store(memory, self.read(target))
                targets.append((parameter, target, memory))
                bound.append((parameter, memory))
            else:
                bound.append((parameter, self._argument(parameter, arg)))
        self.bound.update(bound)
        result = self.inlined(function)
        for parameter, target, memory in targets:
            back = self.load(memory)
            if isinstance(back, SSADef) and target.type.kind != parameter.type.kind:
                back = self.as_kind(back, parameter.type.kind, target.type.kind)
            self.write(target, back)
        return result

    def _argument(self, parameter: Var, arg: Value) -> Ref:
        if isinstance(parameter.type, SamplerType):
            return self.ref(arg)
        value = self.rvalue(arg)
        if not parameter.assigned:
            return self.owned(value, parameter.type)
        memory = self.local(parameter.name, parameter.type)
        self.store(memory, value)
        return memory

    def inlined(self, function: Function) -> Result:
        """A function's body, parameters being bound; its result."""
        body = function.body
        if body is None:
            raise TooComplex(f"function `{function.name}' has no body")
        nodes = self.b.block.siblings
        before = getattr(self, "frame", None)
        self.frame = frame = Frame(function, Region(self), self._single_return(function))
        type_ = function.result
        if not is_void(type_) and not frame.direct:
            frame.result = self.begun(f"{function.name}_result", type_)
            self.fresh.add(frame.result.var)
        self.statements(body.statements)
        self.b.at_end(last_block(nodes))
        if before is not None:
            self.frame = before
        if frame.value is not None:
            return frame.value
        if frame.result is None:
            return []  # of a void function
        return self.load(frame.result)

    def _single_return(self, function: Function) -> bool:
        """Is the only way out a return at the very end?"""
        found = self._returns.get(function)
        if found is None:
            assert function.body is not None
            last = function.body.statements[-1:]
            at_end = bool(last) and isinstance(last[0], tree.Jump) and last[0].kind == "return"
            found = self._returns[function] = at_end and leaves(function.body) == 1
        return found

    def give(self, value: Value) -> None:
        """What a return statement returns."""
        frame = self.frame
        found = self.rvalue(value)
        if frame.result is not None:
            self.store(frame.result, found)
        elif frame.direct:
            frame.value = self.load(self.owned(found, frame.function.result))
