# SPDX-License-Identifier: MIT
"""The typed tree: what the checker makes, and the translation to nir reads.

In: made by `check_*.py`.  Out: variables, functions, statements and values, all of them with their
types (`pydri.nir.types`), names resolved, implicit conversions written out as `Convert`, constant
expressions folded: `constant` of a value is a flat tuple of its components in order, else None.
The translation needs neither sources nor tables of the language. Chains of binary operators lean
to the left, as deep as they are long: walk down `args[0]` in a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from pydri.glsl.language.builtin_functions import Signature
from pydri.nir.types import VOID, ArrayType, StructType, Type, struct

Number = int | float | bool
Constant = tuple[Number, ...]

#: what a wrong expression has: it is compatible with anything, so that one mistake is one message
ERROR = Type("error", "error")


class Var:
    """A variable. `mode`: uniform, shader_in, shader_out, global, local, const, in, out, inout or
    const in (parameters).
    """

    __slots__ = ("assigned", "at", "block", "builtin", "by_rows", "centroid", "constant",
                 "implicit", "index", "initializer", "interp", "invariant", "layout", "location",
                 "max_index", "mode", "name", "precision", "slot", "type", "used")  # fmt: skip

    def __init__(self, name: str, type_: Type, mode: str, at: int = 0) -> None:
        self.name = name
        #: of an array without size the element type with size 0; settled when the shader ends
        self.type = type_
        self.mode = mode
        self.at = at
        self.constant: Constant | None = None
        #: of a uniform or global
        self.initializer: Value | None = None
        #: what the interpolation qualifier says
        self.interp = ""
        self.precision = ""
        self.centroid = False
        self.invariant = False
        self.builtin = False
        #: the block that it is a member of, or that it is the instance of
        self.block: BlockVar | None = None
        #: of a member: its matrices lie there row after row
        self.by_rows = False
        #: what layout() says (-1: nothing): an attribute's or fragment output's place
        self.location = -1
        self.index = 0
        #: names in layout() of a built-in variable that is declared again
        self.layout: tuple[str, ...] | None = None
        #: VERT_ATTRIB, VARYING_SLOT, FRAG_RESULT number or intrinsic of a built-in variable
        self.slot: int | str | None = None
        #: the greatest constant index used, which sizes an array without size
        self.max_index = -1
        #: was the size of the array found like that? Another shader of the program may have more
        self.implicit = False
        self.used = False
        self.assigned = False

    @property
    def read_only(self) -> bool:
        """May no shader assign to it (in its stage)?"""
        return self.mode in ("uniform", "shader_in", "const", "const in")

    def __repr__(self) -> str:
        return f"<{self.mode} {self.type} {self.name}>"


class BlockVar:
    """An interface block, as one thing. `storage`: the mode of its members (uniform, shader_in,
    shader_out); `packing` of uniforms: std140, shared or packed; `sizes`: of an array of blocks,
    outermost first. With an `instance` the shader names that variable, of the block's own struct
    type, and members as parts of it; without one members are globals.
    """

    __slots__ = ("at", "builtin", "instance", "members", "name", "packing", "sizes", "storage")

    def __init__(self, name: str, storage: str, packing: str, at: int = 0) -> None:
        self.builtin = False
        self.name = name
        self.storage = storage
        self.packing = packing
        self.at = at
        self.members: list[Var] = []
        self.instance = ""
        self.sizes: tuple[int, ...] = ()

    @property
    def type(self) -> StructType:
        """The members as those of a struct, which no name in the shader means."""
        return struct(f"#block {self.name}", tuple((var.name, var.type) for var in self.members))

    def member(self, name: str) -> Var:
        """A member."""
        return next(var for var in self.members if var.name == name)


def indexed(value: Value) -> tuple[Value, list[Value]]:
    """What is indexed, and the indices, outermost first: of `a[i][j]` it is `a` and i, j."""
    indices: list[Value] = []
    while isinstance(value, Element):
        indices.insert(0, value.index)
        value = value.base
    return value, indices


def member_of_block(value: Value) -> Var | None:
    """The member of an in or out block that `instance.member` or `instance[i].member` is; None for
    what is no such value. Uniform blocks are looked at as a whole.
    """
    if not isinstance(value, Member):
        return None
    base, _ = indexed(value.base)
    if not isinstance(base, VarRef) or base.var.block is None or base.var.mode == "uniform":
        return None
    return base.var.block.member(value.name) if base.var.block.instance else None


class Function:
    """A function of the shader; `body` is None while there is a prototype alone."""

    __slots__ = ("at", "body", "calls", "name", "parameters", "precision", "result")

    def __init__(self, name: str, result: Type, parameters: list[Var], at: int) -> None:
        self.name = name
        self.result = result
        self.parameters = parameters
        self.at = at
        self.precision = ""
        self.body: Body | None = None
        #: the functions that it calls
        self.calls: dict[Function, None] = {}

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(p.type for p in self.parameters)

    def __str__(self) -> str:
        return f"{self.result} {self.name}({', '.join(map(str, self.types))})"


# ---- values -----------------------------------------------------------------------------------
class Value:
    """An expression."""

    __slots__ = ("at", "constant", "type")

    def __init__(self, at: int, type_: Type, constant: Constant | None = None) -> None:
        self.at = at
        self.type = type_
        self.constant = constant


class VarRef(Value):
    """A variable; `var.type` is right where its size was unknown when this was made."""

    __slots__ = ("var",)

    def __init__(self, at: int, var: Var) -> None:
        super().__init__(at, var.type, var.constant)
        self.var = var


class Swizzle(Value):
    """Components of a vector."""

    __slots__ = ("base", "picks")

    def __init__(
        self, at: int, type_: Type, base: Value, picks: tuple[int, ...], constant: Constant | None
    ) -> None:
        super().__init__(at, type_, constant)
        self.base = base
        self.picks = picks


class Member(Value):
    """A member of a struct."""

    __slots__ = ("base", "name")

    def __init__(
        self, at: int, type_: Type, base: Value, name: str, constant: Constant | None
    ) -> None:
        super().__init__(at, type_, constant)
        self.base = base
        self.name = name


class Element(Value):
    """An element of an array, column of a matrix or component of a vector."""

    __slots__ = ("base", "index")

    def __init__(
        self, at: int, type_: Type, base: Value, index: Value, constant: Constant | None
    ) -> None:
        super().__init__(at, type_, constant)
        self.base = base
        self.index = index


class Op(Value):
    """An operator with one or two operands of one kind: `neg`, `!`, `~`, + - * / % << >> & ^ |
    < > <= >= == != && || ^^. Of && and || the second operand is evaluated only if needed. A scalar
    beside a vector or matrix counts for all components; * of matrices is linear algebra's.
    """

    __slots__ = ("args", "op")

    def __init__(
        self, at: int, type_: Type, op: str, args: list[Value], constant: Constant | None
    ) -> None:
        super().__init__(at, type_, constant)
        self.op = op
        self.args = args


class Convert(Value):
    """The same components as numbers of another kind."""

    __slots__ = ("base",)

    def __init__(self, at: int, type_: Type, base: Value, constant: Constant | None) -> None:
        super().__init__(at, type_, constant)
        self.base = base


class Make(Value):
    """A constructor. Structs and arrays: one argument a member. Vectors and matrices: the
    arguments' components in order, as far as needed; one scalar fills a vector or a matrix's
    diagonal; one matrix gives the part that fits, and the identity where it has nothing.
    """

    __slots__ = ("args",)

    def __init__(
        self, at: int, type_: Type, args: list[Value], constant: Constant | None
    ) -> None:
        super().__init__(at, type_, constant)
        self.args = args


class Call(Value):
    """A call of a function of the shader. Arguments for `in` are converted; those for `out` and
    `inout` are l-values, to which the result is converted.
    """

    __slots__ = ("args", "function")

    def __init__(self, at: int, function: Function, args: list[Value]) -> None:
        super().__init__(at, function.result)
        self.function = function
        self.args = args


class BuiltinCall(Value):
    """A call of a built-in function; `signature.row` says what it means."""

    __slots__ = ("args", "signature")

    def __init__(
        self, at: int, signature: Signature, args: list[Value], constant: Constant | None
    ) -> None:
        super().__init__(at, signature.result, constant)
        self.signature = signature
        self.args = args


class Length(Value):
    """The length of an array whose size is settled when the shader ends, or by the linker."""

    __slots__ = ("base",)

    def __init__(self, at: int, type_: Type, base: Value) -> None:
        super().__init__(at, type_)
        self.base = base


class Choice(Value):
    """`?:`: one of the two is evaluated."""

    __slots__ = ("condition", "otherwise", "then")

    def __init__(
        self, at: int, condition: Value, then: Value, otherwise: Value, constant: Constant | None
    ) -> None:
        super().__init__(at, then.type, constant)
        self.condition = condition
        self.then = then
        self.otherwise = otherwise


class Assign(Value):
    """`target = value`; with `op`, `target = target op value`, the target evaluated once."""

    __slots__ = ("op", "target", "value")

    def __init__(self, at: int, op: str, target: Value, value: Value) -> None:
        super().__init__(at, target.type)
        self.op = op
        self.target = target
        self.value = value


class Step(Value):
    """++ and --: `by` is 1 or -1; `post`: the value is that from before."""

    __slots__ = ("by", "post", "target")

    def __init__(self, at: int, target: Value, by: int, post: bool) -> None:
        super().__init__(at, target.type)
        self.target = target
        self.by = by
        self.post = post


class Sequence(Value):
    """The comma operator."""

    __slots__ = ("parts",)

    def __init__(self, at: int, parts: list[Value]) -> None:
        whole = all(part.constant is not None for part in parts)
        super().__init__(at, parts[-1].type, parts[-1].constant if whole else None)
        self.parts = parts


# ---- statements -------------------------------------------------------------------------------
class Statement:
    """A statement."""

    __slots__ = ()


class Body(Statement):
    """Statements one after the other."""

    __slots__ = ("statements",)

    def __init__(self, statements: list[Statement]) -> None:
        self.statements = statements


class Declare(Statement):
    """A local variable begins; without `value` it is undefined."""

    __slots__ = ("value", "var")

    def __init__(self, var: Var, value: Value | None) -> None:
        self.var = var
        self.value = value


class Evaluate(Statement):
    """An expression for its effects."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


class If(Statement):
    """As many arms as there are `if`s in an `else if` chain."""

    __slots__ = ("arms", "otherwise")

    def __init__(self, arms: list[tuple[Value, Statement]], otherwise: Statement | None) -> None:
        self.arms = arms
        self.otherwise = otherwise


class Loop(Statement):
    """All loops. `init` runs once; each turn: the condition (`prelude` declares its variable), the
    body, `step`; with `test_last` the condition comes behind the body. No condition: for ever.
    """

    __slots__ = ("body", "condition", "init", "prelude", "step", "test_last")

    def __init__(
        self, init: Statement | None, prelude: Statement | None, condition: Value | None,
        step: Value | None, body: Statement, test_last: bool = False,
    ) -> None:  # fmt: skip
        self.init = init
        self.prelude = prelude
        self.condition = condition
        self.step = step
        self.body = body
        self.test_last = test_last


class Section:
    """What stands behind the labels of a switch up to the next ones. `labels`: constants of the
    type of the switch's value; `default`: is `default` among them?
    """

    __slots__ = ("body", "default", "labels")

    def __init__(self) -> None:
        self.labels: list[Value] = []
        self.default = False
        self.body: list[Statement] = []


class Switch(Statement):
    """`switch`: sections in order, each of which falls into the next. No two labels are equal; all
    sections are one scope.
    """

    __slots__ = ("sections", "value")

    def __init__(self, value: Value, sections: list[Section]) -> None:
        self.value = value
        self.sections = sections


class Jump(Statement):
    """break, continue, discard or return."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: str, value: Value | None = None) -> None:
        self.kind = kind
        self.value = value


class Shader:
    """One compiled shader object."""

    __slots__ = (
        "__weakref__", "blocks", "es", "functions", "globals", "invariant_all", "layouts", "stage",
        "version",
    )  # fmt: skip

    def __init__(self, stage: str, version: int, es: bool) -> None:
        self.stage = stage
        self.version = version
        self.es = es
        #: in the order in which they are declared or, built-in ones, first used
        self.globals: list[Var] = []
        self.blocks: list[BlockVar] = []
        #: what has a body, and what is called and has none: another shader of the stage may
        self.functions: list[Function] = []
        self.invariant_all = False
        #: what layout() says of the whole stage: `in` and `out`, the words of primitives;
        #: `max_vertices`, `invocations`
        self.layouts: dict[str, str | int] = {}


def recursive(
    functions: Iterable[Function], calls: Callable[[Function], Collection[Function]]
) -> list[Function]:
    """Those of the functions that call themselves, directly or through others (GLSL 1.20, 6.1), in
    their order; `calls` gives callees.
    """
    # What calls nothing is in no circle, and what only it calls neither (Kahn's algorithm).
    waiting = {function: len(calls(function)) for function in functions}
    callers: dict[Function, list[Function]] = {function: [] for function in waiting}
    for function in waiting:
        for called in calls(function):
            callers.setdefault(called, []).append(function)
    ready = [function for function, count in waiting.items() if count == 0]
    while ready:
        done = ready.pop()
        del waiting[done]
        for caller in callers[done]:
            waiting[caller] -= 1
            if waiting[caller] == 0:
                ready.append(caller)
    return [function for function in waiting if _reaches_itself(function, calls)]


def _reaches_itself(
    function: Function, calls: Callable[[Function], Collection[Function]]
) -> bool:
    seen: set[Function] = set()
    todo = list(calls(function))
    while todo:
        called = todo.pop()
        if called is function:
            return True
        if called not in seen:
            seen.add(called)
            todo += calls(called)
    return False


def is_unsized(type_: Type) -> bool:
    """An array whose size is not known yet?"""
    return isinstance(type_, ArrayType) and type_.size == 0


def is_void(type_: Type) -> bool:
    return type_ is VOID
