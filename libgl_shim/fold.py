# SPDX-License-Identifier: MIT
"""Enums of the API as the start image has them: numbers in the code of who names them.

In: the syntax tree of a module of ours. Out: the same with `gl.GL_LIGHT0` replaced by its number.
The modules of enums (`SOURCES`) are 6,000 names, of which a start would otherwise make objects;
they are imported where a name is looked up (`gl.name_of`), when that is done, and are text
themselves (`late`). An image that was made of other enums than there are is no good: it notes how
these files looked.
"""

import ast
import importlib

SOURCES = ("pydri.api.enums", "pydri.api.egl_enums")
_PREFIXES = ("GL_", "GLX_", "EGL_")


def fold(tree: ast.Module) -> ast.Module:
    """The tree with numbers for enums. It is changed in place."""
    folder = _Folder(_aliases(tree), _bound(tree))
    tree = folder.visit(tree)
    _Importer(folder.needed).visit(tree)
    return ast.fix_missing_locations(tree)


def late(tree: ast.Module) -> ast.Module:
    """A module of enums that keeps them as text, each until it is asked for. It is changed in
    place."""
    words: dict[int, list[str]] = {}
    body: list[ast.stmt] = []
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        value = node.value if isinstance(node, ast.Assign) else None
        if (isinstance(target, ast.Name) and target.id.startswith(_PREFIXES)
                and isinstance(value, ast.Constant) and isinstance(value.value, int)):  # fmt: skip
            words.setdefault(len(target.id), []).append(f"{target.id}={value.value:x} ")
        else:
            body.append(node)
    texts = tuple(" " + "".join(words.get(n, ())) for n in range(max(words) + 1))
    made = "from pydri.api.enum_names import LateConstants\n"
    made += f"__getattr__ = LateConstants(globals(), {texts!r})"
    tree.body = [*ast.parse(made).body, *body]
    return ast.fix_missing_locations(tree)


def _aliases(tree: ast.Module) -> dict[str, str]:
    """What the module calls modules of enums: its name -> theirs. Imports in functions stay as they
    are."""
    found: dict[str, str] = {}
    for node in tree.body:
        for name, module in _imported(node):
            if module in SOURCES:
                found[name] = module
    return found


def _imported(node: ast.stmt) -> list[tuple[str, str]]:
    """The modules that a statement of one of these kinds binds to names."""
    if isinstance(node, ast.Import):
        return [(each.asname, each.name) for each in node.names if each.asname]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [(each.asname or each.name, f"{node.module}.{each.name}") for each in node.names]
    return []


def _bound(tree: ast.Module) -> set[str]:
    """Names that mean something else somewhere in the module."""
    found = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return found | {
        node.id for node in ast.walk(tree)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }  # fmt: skip


def _number(module: str, name: str) -> int | None:
    """The number that a name of such a module stands for, if it does."""
    if not name.startswith(_PREFIXES):
        return None
    found = getattr(importlib.import_module(module), name, None)
    return found if isinstance(found, int) else None


class _Folder(ast.NodeTransformer):
    """Puts numbers in place of names; notes the modules that are needed none the less."""

    def __init__(self, aliases: dict[str, str], bound: set[str]) -> None:
        self.aliases = aliases
        self.bound = bound
        self.needed: set[str] = set()  # names that stay
        self._depth = 0  # of functions around

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and isinstance(node.ctx, ast.Load):
            module = self.aliases.get(node.value.id)
            number = _number(module, node.attr) if module else None
            if number is not None:
                return ast.copy_location(ast.Constant(number), node)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        module = self.aliases.get(node.id)
        if not module:
            return node
        if not self._depth or node.id in self.bound:
            self.needed.add(node.id)
            return node
        # words for a message are wanted: import it then, as `from package import module` does
        call = ast.parse(f"__import__({module!r}, None, None, ('name_of',))", mode="eval").body
        return ast.copy_location(call, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> "ast.AST | list[ast.stmt]":
        if node.module not in SOURCES or node.level:
            return node
        values = [(each, _number(node.module, each.name)) for each in node.names]
        rest = [each for each, number in values if number is None]
        made: list[ast.stmt] = [
            ast.Assign([ast.Name(each.asname or each.name, ast.Store())], ast.Constant(number))
            for each, number in values if number is not None
        ]  # fmt: skip
        if rest:
            made.append(ast.ImportFrom(node.module, rest, 0))
        return [ast.copy_location(each, node) for each in made]

    def _function(self, node: ast.AST) -> ast.AST:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _function


class _Importer(ast.NodeTransformer):
    """Takes away imports of modules of enums that nothing needs any more."""

    def __init__(self, needed: set[str]) -> None:
        self.needed = needed

    def _import(self, node: "ast.Import | ast.ImportFrom") -> "ast.AST | None":
        gone = {name for name, module in _imported(node) if module in SOURCES} - self.needed
        node.names = [each for each in node.names if (each.asname or each.name) not in gone]
        return node if node.names else None

    visit_Import = visit_ImportFrom = _import

    def _function(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _function
