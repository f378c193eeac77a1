# SPDX-License-Identifier: MIT
"""One stage of a program: its shader objects become one shader.

In: typed trees of one stage, which are never written to.  Out: a `Stage`: a root `Var` for each
global (a fresh one, of this program alone), the definitions of functions, and what `main` reaches.
The same global may be declared in several objects if type and qualifiers agree; an array without a
size takes it from where it has one. Messages are Mesa's (linker.cpp: cross_validate_globals,
link_intrastage_shaders; link_functions.cpp; ir_function_detect_recursion.cpp).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from pydri.glsl.language.builtin_variables import ROWS
from pydri.glsl.language.layouts import has_matrix
from pydri.glsl.link.layout import UNIFORM_BLOCK, Layout, Place
from pydri.glsl.link.passed import (
    InputArray,
    LinkError,
    PassedBlock,
    add_blocks,
    copied,
    merge_layouts,
    parts,
    size_inputs,
)
from pydri.glsl.link.reach import Reach, Use
from pydri.glsl.tree import BlockVar, Function, Shader, Var, recursive
from pydri.nir import types
from pydri.nir.stages import ShaderStage
from pydri.nir.types import ArrayType, Type

_MODES = {
    "uniform": "uniform", "shader_in": "shader input", "shader_out": "shader output",
    "const": "global constant", "global": "global variable",
}  # fmt: skip


_RANKS: Final = {name: -number for number, name in enumerate(ROWS)}


def _rank(item: tuple[str, Var]) -> int:
    return _RANKS.get(item[0], 0) if item[1].builtin else 1


class StageLayout(Layout):
    """What the translation asks about one stage of a linked program."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage = stage
        #: where built-in uniforms stand: the state tracker's matter (name, members)
        self.state_place: Callable[[str, tuple[str, ...]], Place] | None = None

    def var(self, var: Var) -> Var:
        return self.stage.root_of.get(var, var)

    def function(self, function: Function) -> Function:
        return self.stage.definition(function) or function

    def uniform(self, root: Var) -> tuple[int, int]:
        # what only code that is never reached names has no place
        return self.uniforms.get(root, (UNIFORM_BLOCK, 0))

    def sampler(self, root: Var) -> int:
        return self.samplers.get(root, 0)

    def state(self, root: Var, members: tuple[str, ...]) -> Place:
        assert self.state_place is not None
        return self.state_place(root.name, members)


class Stage:
    """The merged shader objects of a stage. `roots`: its globals, by name, in order."""

    def __init__(self, row: ShaderStage) -> None:
        self.row = row
        self.name = row.name
        self.version = 0
        self.es = False
        self.invariant_all = False
        self.roots: dict[str, Var] = {}
        self.blocks: dict[str, BlockVar] = {}
        #: of a global of a compiled tree, its root
        self.root_of: dict[Var, Var] = {}
        self._functions: dict[tuple[str, tuple[Type, ...]], Function] = {}
        self.reach = Reach(self.definition)
        self.used: dict[Var, Use] = {}
        self.layout = StageLayout(self)
        #: of its inputs and outputs (by mode): of the slot of each vector of a varying, the
        #: component where it is passed, counted over all slots (link/varyings.py); both stages
        #: that an interface lies between have one table
        self.packing: dict[str, dict[int, int]] = {}
        #: what layout() says of the whole stage (`Shader.layouts`)
        self.layouts: dict[str, str | int] = {}
        #: `in' and `out' blocks by mode and name; inputs that are arrays over vertices
        self.passed: dict[tuple[str, str], PassedBlock] = {}
        self.input_arrays: list[InputArray] = []

    def definition(self, function: Function) -> Function | None:
        """The definition of a function that is called."""
        if function.body is not None:
            return function
        return self._functions.get((function.name, function.types))

    def active_globals(self) -> list[tuple[str, Var]]:
        """The globals in the order in which programs list them: the built-in ones first,
        from the end of their table to its beginning, as the peer."""
        return sorted(self.roots.items(), key=_rank)

    def use(self, root: Var) -> Use | None:
        """What the stage does with a global; None: nothing."""
        return self.used.get(root)

    # ---- merging ------------------------------------------------------------------------------
    def add(self, shader: Shader) -> None:
        """A further shader object."""
        self.version = max(self.version, shader.version)
        self.es = self.es or shader.es
        self.invariant_all = self.invariant_all or shader.invariant_all
        merge_layouts(self, shader)
        for block in shader.blocks:
            if block.storage == "uniform":
                match_blocks(self.blocks.setdefault(block.name, block), block, "interface")
        add_blocks(self, shader)
        for var in shader.globals:
            for name, own, seen in parts(self, var):
                self.root_of[own] = self._root(name, seen)

    def _root(self, name: str, var: Var) -> Var:
        """The root of a global, which may be there already."""
        root = self.roots.get(name)
        if root is None:
            root = self.roots[name] = copied(var)
        elif not (var.builtin and root.builtin and var.type is root.type):
            merge(root, var, self.strict_precision)
        elif var.layout != root.layout:
            raise LinkError(f"{self.name} shader defined with conflicting layout qualifiers "
                            f"for {var.name}")
        return root

    @property
    def strict_precision(self) -> bool:
        """Must precisions of uniforms agree in any case?"""
        return self.es and self.version >= 300

    def add_functions(self, shaders: Iterable[Shader]) -> None:
        """The functions of all objects; each may be defined once."""
        for shader in shaders:
            for function in shader.functions:
                if function.body is None:
                    continue
                key = function.name, function.types
                if key in self._functions:
                    raise LinkError(f"function `{function.name}' is multiply defined")
                self._functions[key] = function

    def resolve(self) -> None:
        """Follow the calls from main."""
        main = self._functions.get(("main", ()))
        if main is None:
            raise LinkError(f"{self.name} shader lacks `main'")
        self.reach.function(main)
        self._initializers()
        if self.reach.missing:
            name = self.reach.missing[0].name
            raise LinkError(f"unresolved reference to function `{name}'")
        self._check_recursion()
        if "ftransform" in self.reach.special:
            for name in ("gl_Vertex", "gl_ModelViewProjectionMatrix"):
                if name in self.roots:
                    self.reach.use(self.roots[name]).read = True
        self.used = self._used()

    def _initializers(self) -> None:
        """The initializers of globals that are used run before main, and may use others."""
        done: set[Var] = set()
        waiting = True
        while waiting:
            waiting = False
            for var, root in self.root_of.items():
                value = root.initializer
                if var not in self.reach.uses or root in done or value is None:
                    continue
                done.add(root)
                if root.mode == "global":
                    calls: list[Function] = []
                    self.reach.value(value, calls)
                    for called in calls:
                        self.reach.function(called)
                    waiting = True

    def _used(self) -> dict[Var, Use]:
        """By root."""
        out: dict[Var, Use] = {}
        for var, use in self.reach.uses.items():
            root = self.root_of.get(var, var)
            known = out.setdefault(root, Use())
            known.read |= use.read
            known.written |= use.written
            known.whole |= use.whole
            known.most = max(known.most, use.most)
            known.blocks |= use.blocks
        return out

    def _check_recursion(self) -> None:
        """No function may call itself, directly or through others (GLSL 1.20, 6.1)."""
        calls: dict[Function, list[Function]] = {}
        for function in self.reach.functions:
            found = (self.definition(called) for called in function.calls)
            calls[function] = [f for f in found if f is not None and f in self.reach.functions]
        circle = recursive(calls, calls.__getitem__)
        if circle:
            raise LinkError(*(f"function `{each}' has static recursion." for each in circle))

    def shader(self) -> Shader:
        """The stage as one shader, for the translation."""
        out = Shader(self.name, self.version, self.es)
        out.globals = list(self.roots.values())
        out.functions = list(self.reach.functions)
        out.invariant_all = self.invariant_all
        out.layouts = self.layouts
        return out


def match_blocks(ours: BlockVar, theirs: BlockVar, what: str) -> None:
    """Blocks of one name are the same in all shaders of a program (GLSL 1.40, 4.3.7)."""
    if ours is not theirs and _form(ours) != _form(theirs):
        raise LinkError(f"definitions of {what} block `{ours.name}' do not match")


def _form(block: BlockVar) -> tuple[object, ...]:
    members = [
        (m.name, m.type, m.precision, m.by_rows and has_matrix(m.type)) for m in block.members]
    return block.packing, bool(block.instance), block.sizes, members


def _same_block(root: Var, var: Var, what: str) -> None:
    """A uniform is a member of the same block everywhere, or of none."""
    ours, theirs = (x.block.name if x.block is not None else "" for x in (root, var))
    if ours == theirs:
        return
    if ours and theirs:
        raise LinkError(f"declarations for {what} `{var.name}` are inside blocks `{ours}` and "
                        f"`{theirs}`")
    raise LinkError(f"declarations for {what} `{var.name}` are inside block `{ours or theirs}` and "
                    "outside a block")


def merge(root: Var, var: Var, strict: bool) -> None:
    """The same global in another shader object, or another stage's uniform (GLSL 1.20, 4.3);
    `strict`: precisions must agree even where the variable is not used."""
    what = _MODES.get(var.mode, var.mode)
    _same_block(root, var, what)
    if var.type is not root.type and not _merge_sizes(root, var, what):
        raise LinkError(
            f"{what} `{var.name}' declared as type `{var.type}' and type `{root.type}'")
    root.max_index = max(root.max_index, var.max_index)
    new, old = var.initializer, root.initializer
    if new is not None and old is not None:
        if new.constant is None or old.constant is None:
            raise LinkError(
                f"shared global variable `{var.name}' has multiple non-constant initializers.")
        if new.constant != old.constant:
            raise LinkError(f"initializers for {what} `{var.name}' have differing values")
    elif new is not None:
        root.initializer = new
    if var.location >= 0:
        if root.location >= 0 and root.location != var.location:
            raise LinkError(f"explicit locations for {what} `{var.name}' have differing values")
        root.location, root.index = var.location, var.index
    if var.mode == "uniform" and root.precision != var.precision and var.block is None and (
        strict or root.used and var.used
    ):
        # Only OpenGL ES's shaders have precisions; what is not used was first let pass (GLSL ES
        # 1.00, 4.5.3; 3.00, 4.5.3).
        raise LinkError(
            f"declarations for {what} `{var.name}` have mismatching precision qualifiers")
    root.used = root.used or var.used
    for name in ("invariant", "centroid"):
        if getattr(root, name) != getattr(var, name):
            raise LinkError(
                f"declarations for {what} `{var.name}' have mismatching {name} qualifiers")


def _merge_sizes(root: Var, var: Var, what: str) -> bool:
    """Arrays of the same elements, of which one was declared without a size."""
    ours, theirs = root.type, var.type
    if not isinstance(ours, ArrayType) or not isinstance(theirs, ArrayType):
        return False
    if ours.item is not theirs.item or not (root.implicit or var.implicit):
        return False
    if root.implicit and var.implicit:
        root.type = types.array(ours.item, max(ours.size, theirs.size))
        return True
    sized, other, size = (root, var, ours.size) if var.implicit else (var, root, theirs.size)
    if other.max_index >= size:
        raise LinkError(
            f"{what} `{var.name}' declared as type `{sized.type}' but outermost dimension has an "
            f"index of `{other.max_index}'")
    root.type, root.implicit = sized.type, False
    return True


def merge_stage(row: ShaderStage, shaders: list[Shader]) -> Stage:
    """The stage that these shader objects make."""
    stage = Stage(row)
    for shader in shaders:
        stage.add(shader)
    size_inputs(stage)
    stage.add_functions(shaders)
    stage.resolve()
    return stage


__all__ = [
    "LinkError", "Stage", "StageLayout", "match_blocks", "merge", "merge_stage",
]  # fmt: skip
