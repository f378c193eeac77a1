# SPDX-License-Identifier: MIT
"""Modules as the start image has them: what only readers and the type checker read is left out.

In: the syntax tree of a module of ours. Out: the tree of one that does the same, sooner. Gone are
docstrings, annotations, what stands under `if TYPE_CHECKING`, overloads, what makes a class an
abstract one, and names of `typing` that nothing uses any more, so that `typing` (which loads `re`
and `enum`) is not imported at all; a NamedTuple becomes a class that has its `__new__` written out
(pydri/util/row_class.py); modules of Python's that are large, for the little that is wanted of
them, have stand-ins (pydri/util/lean.py). Nothing at run time asks for docstrings or annotations,
which a test holds. Of Python's own modules docstrings are left out, as `python -OO` does.
"""

import ast
import importlib
from collections.abc import Collection, Iterable

from pydri.util.lean import MODULES

_SUPPORT = "pydri.util.row_class"
#: modules that add to one in C what a start does not need: that one will do, if it has the names
_ADDED_TO = {
    "collections": "_collections", "collections.abc": "_collections_abc", "heapq": "_heapq",
    "queue": "_queue", "signal": "_signal", "struct": "_struct",
}  # fmt: skip
_STAND_IN = "pydri.util.lean"
_FOR_TYPES = ("typing", "abc", "_collections_abc")  # modules whose names are mostly for annotations


def slim(tree: ast.Module) -> ast.Module:
    """The same module, lighter. The tree is changed in place."""
    names = _typing_names(tree)
    slimmer = _Slimmer(names)
    tree = slimmer.visit(tree)
    _Redirector(tree).visit(tree)
    _drop_typing(tree)
    if slimmer.support:
        _import_support(tree, slimmer.support)
    for node in ast.walk(tree):
        if getattr(node, "body", None) == []:
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
    return ast.fix_missing_locations(tree)


def without_docstrings(tree: ast.Module) -> ast.Module:
    """A module of Python's own: nobody reads in it. The tree is changed in place."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            node.body = _without_text(node.body) or [ast.Pass()]
    return ast.fix_missing_locations(tree)


def _typing_names(tree: ast.Module) -> dict[str, str]:
    """What the module calls things of `typing` and `abc`: its name here -> its name there."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("typing", "abc"):
            found |= {alias.asname or alias.name: alias.name for alias in node.names}
    return found


class _Slimmer(ast.NodeTransformer):
    """Leaves out what is for readers."""

    def __init__(self, typing_names: dict[str, str]) -> None:
        self.typing_names = typing_names
        self.support: set[str] = set()  # names of `_SUPPORT` that the module needs

    def _is(self, node: ast.AST, name: str) -> bool:
        """Whether an expression is that name of `typing`."""
        return isinstance(node, ast.Name) and self.typing_names.get(node.id) == name

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = _without_text(node.body)
        self.generic_visit(node)
        return node

    def _function(self, node: "ast.FunctionDef | ast.AsyncFunctionDef") -> "ast.AST | None":
        if any(self._is(each, "overload") for each in node.decorator_list):
            return None
        node.returns = None
        abstract = [each for each in node.decorator_list if self._is(each, "abstractmethod")]
        node.decorator_list = [each for each in node.decorator_list if each not in abstract]
        every = node.args
        for arg in (*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg):
            if arg is not None:
                arg.annotation = None
        node.body = _without_text(node.body)
        self.generic_visit(node)
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_AnnAssign(self, node: ast.AnnAssign) -> "ast.AST | None":
        if node.value is None:
            return None
        value = self.visit(node.value)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_If(self, node: ast.If) -> "ast.AST | list[ast.stmt] | None":
        self.generic_visit(node)
        test = node.test
        if isinstance(test, ast.Constant) and test.value is False:
            return node.orelse or None
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "TYPE_CHECKING" and isinstance(node.ctx, ast.Load):
            return ast.copy_location(ast.Constant(False), node)
        return ast.copy_location(ast.Constant(None), node) if self._is(node, "Any") else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if self._is(node.func, "cast") and len(node.args) == 2:
            return node.args[1]
        if self._is(node.func, "TypeVar"):
            return ast.copy_location(ast.Constant(None), node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.body = _without_text(node.body)
        is_row = len(node.bases) == 1 and self._is(node.bases[0], "NamedTuple")
        head = self._row_head(node) if is_row else []
        self.generic_visit(node)
        node.bases = [self._base(base) for base in node.bases if not self._is(base, "ABC")]
        node.body = [*head, *node.body]
        return node

    def _base(self, base: ast.expr) -> ast.expr:
        if isinstance(base, ast.Subscript) and self._is(base.value, "Generic"):
            return self._supported("Subscripted", base)
        return base

    def _supported(self, name: str, at: ast.AST) -> ast.expr:
        self.support.add(name)
        return ast.copy_location(ast.Name(f"_{name}", ast.Load()), at)

    def _row_head(self, node: ast.ClassDef) -> list[ast.stmt]:
        """What a class of rows begins with, in place of its fields."""
        fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        node.body = [each for each in node.body if not isinstance(each, ast.AnnAssign)]
        names = [each.target.id for each in fields if isinstance(each.target, ast.Name)]
        defaults = [self.visit(each.value) for each in fields if each.value is not None]
        node.bases = [self._supported("Row", node)]
        self.support |= {"GETTERS", "MAKE"}
        text = f"__slots__ = ()\n__match_args__ = _fields = {tuple(names)!r}\n"
        text += f"def __new__(_cls, {', '.join(names)}): return _MAKE(_cls, ({', '.join(names)},))"
        if defaults:
            text += f"\n_field_defaults = dict(zip({tuple(names[-len(defaults):])!r}, "
            text += "__new__.__defaults__))"
        text += f"\n{', '.join(names)}, = _GETTERS[:{len(names)}]"
        head = ast.parse(text).body
        for statement in head:
            for each in ast.walk(statement):
                ast.copy_location(each, node)
            if isinstance(statement, ast.FunctionDef):
                statement.args.defaults = defaults
        return head


def _without_text(body: list[ast.stmt]) -> list[ast.stmt]:
    """A block without the docstring that it may begin with."""
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return body[1:]
    return body


def _drop_typing(tree: ast.Module) -> None:
    """Take away imports of names of types that nothing uses any more."""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    _Dropper(used).visit(tree)


class _Redirector(ast.NodeTransformer):
    """Imports from the module in C what it has itself (_ADDED_TO), or from a stand-in."""

    def __init__(self, tree: ast.Module) -> None:
        self.asked: dict[str, set[str]] = {}  # of a module, as attributes of its name
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                self.asked.setdefault(node.value.id, set()).add(node.attr)

    def visit_Import(self, node: ast.Import) -> ast.AST:
        for alias in node.names:
            name = _ADDED_TO.get(alias.name)
            asked = self.asked.get(alias.asname or alias.name, ())
            if alias.name in MODULES:
                alias.name, alias.asname = _STAND_IN, alias.asname or alias.name
            elif name and all(hasattr(importlib.import_module(name), each) for each in asked):
                alias.name, alias.asname = name, alias.asname or alias.name
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        name = _ADDED_TO.get(node.module or "")
        if node.module in MODULES:
            node.module = _STAND_IN
        elif name and all(hasattr(importlib.import_module(name), each.name) for each in node.names):
            node.module = name
        return node


class _Dropper(ast.NodeTransformer):
    """Takes away imports of names that are not used any more, from modules that do nothing else;
    and what says how annotations, which are gone, are read."""

    def __init__(self, used: Collection[str]) -> None:
        self.used = used

    def visit_ImportFrom(self, node: ast.ImportFrom) -> "ast.AST | None":
        if node.module == "__future__":
            node.names = [each for each in node.names if each.name != "annotations"]
            return node if node.names else None
        if node.module in _FOR_TYPES and not node.level:
            node.names = [each for each in node.names if (each.asname or each.name) in self.used]
            return node if node.names else None
        return node


def _import_support(tree: ast.Module, names: Iterable[str]) -> None:
    """Import what classes need, behind imports from __future__."""
    place = sum(isinstance(each, ast.ImportFrom) and each.module == "__future__"
                for each in tree.body)  # fmt: skip
    aliases = [ast.alias(name, f"_{name}") for name in sorted(names)]
    tree.body.insert(place, ast.ImportFrom(_SUPPORT, aliases, 0))
