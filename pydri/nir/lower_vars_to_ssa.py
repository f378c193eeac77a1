# SPDX-License-Identifier: MIT
"""Local variables become SSA values and phis.

In: a shader with load_var/store_var on locals (and globals, if there is one function).
Out: True if a variable went away.
Every vector inside a variable (array element, struct field, matrix column) is promoted on its own.
A variable with an index known only at run time stays; lower_indirect_derefs removes those first.
What was not written is zero, as in memory.
Structured control flow makes it simple: walk the tree with the current value of every leaf, put a
phi where ways meet with different values, and at a loop's head for every leaf that the loop stores;
superfluous phis are removed at the end.  Counterpart of nir_lower_vars_to_ssa.c.
"""

from __future__ import annotations

from pydri.nir import lower_var_copies, opt_remove_phis
from pydri.nir.ir import (
    AluInstr,
    AluSrc,
    Block,
    CFNode,
    Deref,
    Function,
    If,
    Instr,
    IntrinsicInstr,
    LoadConst,
    Loop,
    PhiInstr,
    Shader,
    SSADef,
    Variable,
    first_block,
    last_block,
)
from pydri.nir.opcodes import OPCODES

Leaf = tuple[Variable, tuple[int | str | SSADef, ...]]
Env = dict[Leaf, SSADef]


def run(shader: Shader) -> bool:
    """The pass."""
    progress = lower_var_copies.run(shader, ("local", "global"))
    for function in shader.functions:
        chosen = _promotable(shader, function)
        if chosen:
            _Promoter(function, chosen).run()
            function.locals = [var for var in function.locals if var not in chosen]
            shader.globals = [var for var in shader.globals if var not in chosen]
            progress = True
    if progress:
        opt_remove_phis.run(shader)
    return progress


def _promotable(shader: Shader, function: Function) -> set[Variable]:
    chosen = set(function.locals)
    if len(shader.functions) == 1:
        chosen.update(shader.globals)
    for instr in function.instrs():
        if isinstance(instr, IntrinsicInstr):
            for deref in instr.variables:
                if deref.is_indirect or instr.name == "copy_var":
                    chosen.discard(deref.var)
    return chosen


def _leaf(deref: Deref) -> tuple[Leaf, int | None, int]:
    """The vector a path leads to or into, the component it picks there, the vector's width."""
    if deref.path:
        outer = Deref(deref.var, deref.path[:-1])
        type_ = outer.type
        if type_.is_vector_or_scalar and type_.rows > 1:
            step = deref.path[-1]
            assert isinstance(step, int)
            return (outer.var, outer.path), step, type_.rows
    return (deref.var, deref.path), None, deref.type.rows


class _Edges:
    """Where a loop is left or restarted, and what the leaves are there."""

    def __init__(self) -> None:
        self.breaks: list[tuple[Block, Env]] = []
        self.continues: list[tuple[Block, Env]] = []


class _Promoter:
    def __init__(self, function: Function, chosen: set[Variable]) -> None:
        self.function = function
        self.chosen = chosen
        self.replace: dict[SSADef, SSADef] = {}
        self.zeros: dict[tuple[int, str], LoadConst] = {}
        self.loops: list[_Edges] = []

    def run(self) -> None:
        self.nodes(self.function.body, {})
        first_block(self.function.body).instrs[0:0] = self.zeros.values()
        self.function.rewrite(self.replace)

    # ---- control flow: each step takes the values before, gives those behind; None = not reached
    def nodes(self, nodes: list[CFNode], env: Env) -> Env | None:
        now: Env | None = env
        for node in nodes:
            current = {} if now is None else now
            if isinstance(node, Block):
                now = self.block(node, current)
            elif isinstance(node, If):
                now = self.branch(node, current)
            elif isinstance(node, Loop):
                now = self.loop(node, current)
        return now

    def branch(self, node: If, env: Env) -> Env:
        ways = []
        for side in (node.then, node.otherwise):
            out = self.nodes(side, dict(env))
            if out is not None:
                ways.append((last_block(side), out))
        return self.join(node.next_block, ways)

    def loop(self, node: Loop, env: Env) -> Env:
        header = first_block(node.body)
        edges = _Edges()
        self.loops.append(edges)
        phis: dict[Leaf, PhiInstr] = {}
        for leaf, shape in self.stored_in(node.body).items():
            value = self.value(env, leaf, *shape)
            phi = self.phi_like(header, value)
            phi.srcs.append((node.previous_block, value))
            phis[leaf] = phi
            env[leaf] = phi.dest
        end = self.nodes(node.body, env)
        self.loops.pop()
        ways = [*edges.continues]
        if end is not None:
            ways.append((last_block(node.body), end))
        for leaf, phi in phis.items():
            phi.srcs += [(block, out.get(leaf, phi.dest)) for block, out in ways]
        return self.join(node.next_block, edges.breaks)

    def stored_in(self, nodes: list[CFNode]) -> dict[Leaf, tuple[int, str]]:
        found: dict[Leaf, tuple[int, str]] = {}
        for node in nodes:
            if isinstance(node, Block):
                for instr in node.instrs:
                    if self.is_access(instr, "store_var"):
                        assert isinstance(instr, IntrinsicInstr)
                        deref = instr.variables[0]
                        leaf, _, width = _leaf(deref)
                        found[leaf] = (width, deref.type.kind)
            elif isinstance(node, If):
                found |= self.stored_in(node.then) | self.stored_in(node.otherwise)
            elif isinstance(node, Loop):
                found |= self.stored_in(node.body)
        return found

    def join(self, block: Block, ways: list[tuple[Block, Env]]) -> Env:
        """The values where ways meet, with phis for those that differ."""
        result: Env = {}
        leaves = {leaf: value for _, env in ways for leaf, value in env.items()}
        for leaf, some in leaves.items():
            values = [env.get(leaf) for _, env in ways]
            if all(value is some for value in values):
                result[leaf] = some
                continue
            phi = self.phi_like(block, some)
            shape = (some.num_components, some.kind)
            phi.srcs = [(source, self.value(env, leaf, *shape)) for source, env in ways]
            result[leaf] = phi.dest
        return result

    # ---- instructions
    def is_access(self, instr: Instr, name: str) -> bool:
        return (
            isinstance(instr, IntrinsicInstr)
            and instr.name == name
            and instr.variables[0].var in self.chosen
        )

    def block(self, block: Block, env: Env) -> Env | None:
        kept: list[Instr] = []
        for instr in block.instrs:
            if not isinstance(instr, IntrinsicInstr) or not instr.variables:
                kept.append(instr)
            elif instr.variables[0].var not in self.chosen:
                kept.append(instr)
            elif instr.dest is not None:
                self.replace[instr.dest] = self.read(instr, env, kept)
            else:
                self.write(instr, env, kept)
        block.instrs = kept
        jump = block.jump
        if jump is None:
            return env
        if jump.kind == "break":
            self.loops[-1].breaks.append((block, env))
        elif jump.kind == "continue":
            self.loops[-1].continues.append((block, env))
        return None

    def read(self, instr: IntrinsicInstr, env: Env, kept: list[Instr]) -> SSADef:
        leaf, component, width = _leaf(instr.variables[0])
        assert instr.dest is not None
        value = self.value(env, leaf, width, instr.dest.kind)
        if component is None:
            return value
        move = AluInstr(
            OPCODES["mov"], [AluSrc(value, (component,))], 1, value.bit_size, value.kind
        )
        self.put(instr, move, kept)
        return move.dest

    def write(self, instr: IntrinsicInstr, env: Env, kept: list[Instr]) -> None:
        deref = instr.variables[0]
        leaf, component, width = _leaf(deref)
        value = instr.srcs[0]
        mask = instr.indices["wrmask"]
        if component is None and mask == (1 << width) - 1:
            env[leaf] = value
            return
        old = self.value(env, leaf, width, deref.type.kind)
        srcs = []
        for i in range(width):
            if component is None:
                new = AluSrc(value, (i,)) if mask >> i & 1 else None
            else:
                new = AluSrc(value, (0,)) if i == component else None
            srcs.append(new or AluSrc(old, (i,)))
        vec = AluInstr(OPCODES[f"vec{width}"], srcs, width, value.bit_size, value.kind)
        self.put(instr, vec, kept)
        env[leaf] = vec.dest

    def put(self, instr: Instr, new: AluInstr, kept: list[Instr]) -> None:
        """`new` stands where `instr` stood."""
        new.block = instr.block
        new.dest.index = self.number()
        kept.append(new)

    def number(self) -> int:
        self.function.ssa_alloc += 1
        return self.function.ssa_alloc - 1

    def phi_like(self, block: Block, value: SSADef) -> PhiInstr:
        phi = PhiInstr(value.num_components, value.bit_size, value.kind)
        block.insert(len(block.phis), phi)
        return phi

    def value(self, env: Env, leaf: Leaf, width: int, kind: str) -> SSADef:
        known = env.get(leaf)
        return self.zero(width, kind) if known is None else known

    def zero(self, width: int, kind: str) -> SSADef:
        """What a variable holds before it is written; one instruction per shape."""
        found = self.zeros.get((width, kind))
        if found is None:
            found = LoadConst((0,) * width, 1 if kind == "bool" else 32, kind)
            found.block = first_block(self.function.body)
            found.dest.index = self.number()
            self.zeros[width, kind] = found
        return found.dest
