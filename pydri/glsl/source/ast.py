# SPDX-License-Identifier: MIT
"""The syntax tree: what the parser makes and the checker reads.

Plain classes with slots and typed constructors, not `dataclasses`: that module alone takes longer
to import than this whole room. `at` is the offset where the node begins in the text.
Nothing is resolved here: names are text, constants are what was written.
"""

from __future__ import annotations


class Node:
    """Something at a place."""

    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at


class Expr(Node):
    """An expression."""

    __slots__ = ()


class Stmt(Node):
    """A statement."""

    __slots__ = ()


class Number(Expr):
    """`kind` is int, uint, float, double or bool."""

    __slots__ = ("kind", "value")

    def __init__(self, at: int, kind: str, value: int | float | bool) -> None:
        self.at = at
        self.kind = kind
        self.value = value


class Name(Expr):
    """A name that is used."""

    __slots__ = ("name",)

    def __init__(self, at: int, name: str) -> None:
        self.at = at
        self.name = name


class Unary(Expr):
    """`op` is one of + - ! ~ ++x --x x++ x--."""

    __slots__ = ("op", "operand")

    def __init__(self, at: int, op: str, operand: Expr) -> None:
        self.at = at
        self.op = op
        self.operand = operand


class Binary(Expr):
    """Arithmetic, comparison, logic. Chains lean to the left, as deep as they are long: walk down
    `left` in a loop.
    """

    __slots__ = ("left", "op", "right")

    def __init__(self, at: int, op: str, left: Expr, right: Expr) -> None:
        self.at = at
        self.op = op
        self.left = left
        self.right = right


class Sequence(Expr):
    """The comma operator."""

    __slots__ = ("parts",)

    def __init__(self, at: int, parts: list[Expr]) -> None:
        self.at = at
        self.parts = parts


class Choice(Expr):
    """`?:`"""

    __slots__ = ("condition", "otherwise", "then")

    def __init__(self, at: int, condition: Expr, then: Expr, otherwise: Expr) -> None:
        self.at = at
        self.condition = condition
        self.then = then
        self.otherwise = otherwise


class Assign(Expr):
    """`op` is = or a compound assignment."""

    __slots__ = ("op", "target", "value")

    def __init__(self, at: int, op: str, target: Expr, value: Expr) -> None:
        self.at = at
        self.op = op
        self.target = target
        self.value = value


class Index(Expr):
    """`base[index]`"""

    __slots__ = ("base", "index")

    def __init__(self, at: int, base: Expr, index: Expr) -> None:
        self.at = at
        self.base = base
        self.index = index


class Field(Expr):
    """`base.name`: a member or a swizzle."""

    __slots__ = ("base", "name")

    def __init__(self, at: int, base: Expr, name: str) -> None:
        self.at = at
        self.base = base
        self.name = name


class Call(Expr):
    """A call of the function `name`."""

    __slots__ = ("args", "name")

    def __init__(self, at: int, name: str, args: list[Expr]) -> None:
        self.at = at
        self.name = name
        self.args = args


class Construct(Expr):
    """A constructor: `vec4(...)`, `S(...)`, `float[2](...)`."""

    __slots__ = ("args", "type")

    def __init__(self, at: int, type: TypeName, args: list[Expr]) -> None:
        self.at = at
        self.type = type
        self.args = args


class Method(Expr):
    """`base.name(args)`"""

    __slots__ = ("args", "base", "name")

    def __init__(self, at: int, base: Expr, name: str, args: list[Expr]) -> None:
        self.at = at
        self.base = base
        self.name = name
        self.args = args


class InitList(Expr):
    """`{a, b}` as an initializer (GLSL 4.20)."""

    __slots__ = ("parts",)

    def __init__(self, at: int, parts: list[Expr]) -> None:
        self.at = at
        self.parts = parts


class TypeName(Node):
    """A type as written. `sizes` has an entry for each pair of brackets, None for empty ones."""

    __slots__ = ("name", "sizes", "struct")

    def __init__(
        self, at: int, name: str, struct: StructDef | None, sizes: list[Expr | None]
    ) -> None:
        self.at = at
        self.name = name
        self.struct = struct
        self.sizes = sizes


class Layout(Node):
    """One name of layout(), perhaps with a value."""

    __slots__ = ("name", "value")

    def __init__(self, at: int, name: str, value: Expr | None) -> None:
        self.at = at
        self.name = name
        self.value = value


class Qualifiers(Node):
    """`words` in the order written, with their offsets; `layout` of all layout()s; `subroutines`
    are the types that subroutine() names.
    """

    __slots__ = ("layout", "subroutines", "words")

    def __init__(
        self, at: int, words: list[tuple[str, int]], layout: list[Layout], subroutines: list[str]
    ) -> None:
        self.at = at
        self.words = words
        self.layout = layout
        self.subroutines = subroutines


class Declarator(Node):
    """One name of a declaration."""

    __slots__ = ("init", "name", "sizes")

    def __init__(self, at: int, name: str, sizes: list[Expr | None], init: Expr | None) -> None:
        self.at = at
        self.name = name
        self.sizes = sizes
        self.init = init


class StructDef(Node):
    """A struct; `name` is empty where none was given."""

    __slots__ = ("members", "name")

    def __init__(self, at: int, name: str, members: list[Variables]) -> None:
        self.at = at
        self.name = name
        self.members = members


class Variables(Stmt):
    """`qualifiers type a, b = 1;`. No declarators: a type alone."""

    __slots__ = ("declarators", "qualifiers", "type")

    def __init__(
        self, at: int, qualifiers: Qualifiers, type: TypeName, declarators: list[Declarator]
    ) -> None:
        self.at = at
        self.qualifiers = qualifiers
        self.type = type
        self.declarators = declarators


class Precision(Stmt):
    """`precision mediump float;`"""

    __slots__ = ("precision", "type")

    def __init__(self, at: int, precision: str, type: TypeName) -> None:
        self.at = at
        self.precision = precision
        self.type = type


class Requalify(Stmt):
    """`invariant a, b;`, or qualifiers alone (`layout(...) in;`)."""

    __slots__ = ("names", "qualifiers")

    def __init__(self, at: int, qualifiers: Qualifiers, names: list[tuple[str, int]]) -> None:
        self.at = at
        self.qualifiers = qualifiers
        self.names = names


class Block(Stmt):
    """An interface block."""

    __slots__ = ("instance", "members", "name", "qualifiers")

    def __init__(
        self, at: int, qualifiers: Qualifiers, name: str, members: list[Variables],
        instance: Declarator | None,
    ) -> None:  # fmt: skip
        self.at = at
        self.qualifiers = qualifiers
        self.name = name
        self.members = members
        self.instance = instance


class Parameter(Node):
    """A parameter; `name` may be empty."""

    __slots__ = ("name", "qualifiers", "sizes", "type")

    def __init__(
        self, at: int, qualifiers: Qualifiers, type: TypeName, name: str, sizes: list[Expr | None]
    ) -> None:
        self.at = at
        self.qualifiers = qualifiers
        self.type = type
        self.name = name
        self.sizes = sizes


class Function(Stmt):
    """A prototype, or with `body` a definition."""

    __slots__ = ("body", "name", "parameters", "qualifiers", "result")

    def __init__(
        self, at: int, qualifiers: Qualifiers, result: TypeName, name: str,
        parameters: list[Parameter], body: Compound | None,
    ) -> None:  # fmt: skip
        self.at = at
        self.qualifiers = qualifiers
        self.result = result
        self.name = name
        self.parameters = parameters
        self.body = body


class Compound(Stmt):
    """`{ ... }`; `end` is the offset of the closing brace."""

    __slots__ = ("body", "end")

    def __init__(self, at: int, body: list[Stmt], end: int) -> None:
        self.at = at
        self.body = body
        self.end = end


class Evaluate(Stmt):
    """An expression as a statement; None for `;`."""

    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr | None) -> None:
        self.at = at
        self.value = value


class If(Stmt):
    """`if (...) ... else if (...) ... else ...`: as many arms as there are ifs."""

    __slots__ = ("arms", "otherwise")

    def __init__(self, at: int, arms: list[tuple[Expr, Stmt]], otherwise: Stmt | None) -> None:
        self.at = at
        self.arms = arms
        self.otherwise = otherwise


class While(Stmt):
    """The condition may declare a variable."""

    __slots__ = ("body", "condition")

    def __init__(self, at: int, condition: Expr | Variables, body: Stmt) -> None:
        self.at = at
        self.condition = condition
        self.body = body


class DoWhile(Stmt):
    """`do ... while (...);`"""

    __slots__ = ("body", "condition")

    def __init__(self, at: int, body: Stmt, condition: Expr) -> None:
        self.at = at
        self.body = body
        self.condition = condition


class For(Stmt):
    """`for (...; ...; ...) ...`"""

    __slots__ = ("body", "condition", "init", "step")

    def __init__(
        self, at: int, init: Stmt, condition: Expr | Variables | None, step: Expr | None, body: Stmt
    ) -> None:
        self.at = at
        self.init = init
        self.condition = condition
        self.step = step
        self.body = body


class Switch(Stmt):
    """`switch (...) {...}`"""

    __slots__ = ("body", "value")

    def __init__(self, at: int, value: Expr, body: Compound) -> None:
        self.at = at
        self.value = value
        self.body = body


class Case(Stmt):
    """A label; None is `default`."""

    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr | None) -> None:
        self.at = at
        self.value = value


class Jump(Stmt):
    """break, continue, discard or return."""

    __slots__ = ("kind", "value")

    def __init__(self, at: int, kind: str, value: Expr | None) -> None:
        self.at = at
        self.kind = kind
        self.value = value


class Unit(Node):
    """A shader's external declarations."""

    __slots__ = ("body",)

    def __init__(self, at: int, body: list[Stmt]) -> None:
        self.at = at
        self.body = body
