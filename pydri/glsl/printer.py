# SPDX-License-Identifier: MIT
"""The typed tree as text, for tests and for people.

In: a `tree.Shader`.  Out: lines. Values are written as `(op:type args)`, so that every implicit
conversion and every resolved overload is seen; constants by their components.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pydri.glsl import tree
from pydri.glsl.tree import Statement, Value, Var


def _constant(value: Value) -> str:
    numbers = ", ".join(
        str(c).lower() if isinstance(c, bool) else f"{c:g}" if isinstance(c, float) else str(c)
        for c in value.constant or ()
    )  # fmt: skip
    return f"{value.type}{{{numbers}}}"


def _op(value: tree.Op) -> str:
    # Down the left side in a loop: that is how deep a chain is.
    tails: list[str] = []
    left: Value = value
    while isinstance(left, tree.Op) and left.constant is None:
        rest = "".join(f" {text(a)}" for a in left.args[1:])
        tails.append(f"{rest})")
        left = left.args[0]
    heads = []
    link: Value = value
    while isinstance(link, tree.Op) and link.constant is None:
        heads.append(f"({link.op}:{link.type} ")
        link = link.args[0]
    return "".join(heads) + text(left) + "".join(reversed(tails))


def _call(head: str, value: Value, args: list[Value]) -> str:
    return f"({head}:{value.type}{''.join(f' {text(a)}' for a in args)})"


_VALUES: Final[dict[type, Callable[..., str]]] = {
    tree.VarRef: lambda v: v.var.name,
    tree.Swizzle: lambda v: f"{text(v.base)}.{''.join('xyzw'[i] for i in v.picks)}",
    tree.Member: lambda v: f"{text(v.base)}.{v.name}",
    tree.Element: lambda v: f"{text(v.base)}[{text(v.index)}]",
    tree.Op: _op,
    tree.Convert: lambda v: f"(to:{v.type} {text(v.base)})",
    tree.Make: lambda v: _call("make", v, v.args),
    tree.Call: lambda v: _call(v.function.name, v, v.args),
    tree.BuiltinCall: lambda v: _call(f"@{v.signature.row.name}", v, v.args),
    tree.Length: lambda v: f"(length:{v.type} {text(v.base)})",
    tree.Choice: lambda v: _call("?", v, [v.condition, v.then, v.otherwise]),
    tree.Assign: lambda v: f"({v.op}= {text(v.target)} {text(v.value)})",
    tree.Step: lambda v: f"({'post' if v.post else 'pre'}{v.by:+d} {text(v.target)})",
    tree.Sequence: lambda v: _call(",", v, v.parts),
}


def text(value: Value) -> str:
    """A value."""
    if value.constant is not None:
        return _constant(value)
    return _VALUES[type(value)](value)


def declaration(var: Var) -> str:
    """A variable, as the head of its line."""
    words = [w for w, on in (("invariant", var.invariant), ("centroid", var.centroid)) if on]
    return " ".join([*words, var.mode, str(var.type), var.name])


def _lines(statement: Statement | None, indent: str, out: list[str]) -> None:
    deeper = indent + "    "
    if isinstance(statement, tree.Body):
        for inner in statement.statements:
            _lines(inner, indent, out)
    elif isinstance(statement, tree.Declare):
        value = "" if statement.value is None else f" = {text(statement.value)}"
        out.append(f"{indent}{declaration(statement.var)}{value}")
    elif isinstance(statement, tree.Evaluate):
        out.append(indent + text(statement.value))
    elif isinstance(statement, tree.If):
        word = "if"
        for condition, body in statement.arms:
            out.append(f"{indent}{word} {text(condition)}")
            _lines(body, deeper, out)
            word = "else if"
        if statement.otherwise is not None:
            out.append(f"{indent}else")
            _lines(statement.otherwise, deeper, out)
    elif isinstance(statement, tree.Loop):
        _loop(statement, indent, deeper, out)
    elif isinstance(statement, tree.Switch):
        _switch(statement, indent, out)
    elif isinstance(statement, tree.Jump):
        value = "" if statement.value is None else f" {text(statement.value)}"
        out.append(f"{indent}{statement.kind}{value}")


def _loop(loop: tree.Loop, indent: str, deeper: str, out: list[str]) -> None:
    _lines(loop.init, indent, out)
    out.append(f"{indent}loop")
    condition = None if loop.condition is None else f"{deeper}while {text(loop.condition)}"
    _lines(loop.prelude, deeper, out)
    if condition and not loop.test_last:
        out.append(condition)
    _lines(loop.body, deeper, out)
    if loop.step is not None:
        out.append(f"{deeper}step {text(loop.step)}")
    if condition and loop.test_last:
        out.append(condition)


def _switch(switch: tree.Switch, indent: str, out: list[str]) -> None:
    out.append(f"{indent}switch {text(switch.value)}")
    for section in switch.sections:
        labels = [*map(text, section.labels), *(["default"] if section.default else [])]
        out.append(f"{indent}  case {', '.join(labels)}")
        for statement in section.body:
            _lines(statement, f"{indent}    ", out)


def print_shader(shader: tree.Shader) -> str:
    """The whole shader."""
    out = [f"{shader.stage} {shader.version}{' es' if shader.es else ''}"]
    for var in shader.globals:
        value = "" if var.initializer is None else f" = {text(var.initializer)}"
        out.append(declaration(var) + value)
    for function in shader.functions:
        parameters = ", ".join(f"{p.mode} {p.type} {p.name}" for p in function.parameters)
        out.append(f"{function.result} {function.name}({parameters})")
        if function.body is not None:
            _lines(function.body, "    ", out)
    return "\n".join(out) + "\n"
