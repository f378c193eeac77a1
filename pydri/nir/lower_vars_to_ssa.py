# SPDX-License-Identifier: MIT
"""Local variables become SSA values and phis.

In: a shader with load_var/store_var on locals (and globals, if there is one function).
Out: True if a variable went away.
Every vector inside a variable (array element, struct field, matrix column) is promoted on its own.
A variable with an index known only at run time stays; lower_indirect_derefs removes those first.
What was not written is zero, as in memory; with `undefined` it may be anything.

A value is looked for where it is read, from there upwards: past an If or Loop that does not store
the vector at once, and into a phi where ways meet behind one that does; so nothing is made that
nobody reads, and the work does not grow with the number of variables times that of branches. The
sources of phis are found last, when all stores are known, and then phis of one value go.
Counterpart of nir_lower_vars_to_ssa.c and nir_phi_builder.c.
"""

from __future__ import annotations

from pydri.nir import lower_var_copies
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
    Undef,
    Variable,
    first_block,
)
from pydri.nir.opcodes import BITS, OPCODES

Leaf = tuple[Variable, tuple[int | str | SSADef, ...]]
Values = dict[Leaf, SSADef]


def run(shader: Shader, undefined: bool = False) -> bool:
    """The pass."""
    if not shader.globals and not any(function.locals for function in shader.functions):
        return False
    progress = lower_var_copies.run(shader, ("local", "global"))
    for function in shader.functions:
        chosen = _promotable(shader, function)
        if chosen:
            _Promoter(function, chosen, undefined).run()
            function.locals = [var for var in function.locals if var not in chosen]
            shader.globals = [var for var in shader.globals if var not in chosen]
            progress = True
    return progress


def _promotable(shader: Shader, function: Function) -> set[Variable]:
    chosen = set(function.locals)
    if len(shader.functions) == 1:
        chosen.update(shader.globals)
    for block in function.blocks():
        for instr in block.instrs:
            if isinstance(instr, IntrinsicInstr) and instr.variables:
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


class _Promoter:
    def __init__(self, function: Function, chosen: set[Variable], undefined: bool) -> None:
        self.function = function
        self.chosen = chosen
        self.undefined = undefined
        #: values that were loaded, and phis of one value: what they are
        self.replace: dict[SSADef, SSADef] = {}
        self.zeros: dict[tuple[int, str], LoadConst | Undef] = {}
        #: of each block: what it stores, and what is known of its beginning
        self.stored: dict[Block, Values] = {}
        self.begins: dict[Block, Values] = {}
        #: what stands before a block: the If or Loop that it follows or begins
        self.behind: dict[Block, tuple[If | Loop, Block]] = {}
        self.within: dict[Block, tuple[If | Loop, Block]] = {}
        #: of each If and Loop: the vectors that are stored inside
        self.writes: dict[CFNode, set[Leaf]] = {}
        self.phis: list[tuple[PhiInstr, Block, Leaf]] = []
        self.shapes: dict[Leaf, tuple[int, str]] = {}

    def run(self) -> None:
        self.function.require_cfg()
        self.survey(self.function.body, set())
        for block in self.function.blocks():
            self.block(block)
        # Looking for the sources of a phi may make more phis.
        for phi, block, leaf in self.phis:
            phi.srcs = [(source, self.at_end(source, leaf)) for source in block.predecessors]
        self.drop_phis()
        for phi, block, _ in reversed(self.phis):
            if phi.dest not in self.replace:
                phi.dest.index = self.number()
                block.instrs.insert(0, phi)
        first_block(self.function.body).instrs[0:0] = self.zeros.values()
        self.function.rewrite(self.replace)

    # ---- where values come from
    def survey(self, nodes: list[CFNode], outer: set[Leaf]) -> None:
        """Note what stands before each block, and what each If and Loop stores."""
        previous: Block | None = None
        node: If | Loop | None = None
        for child in nodes:
            if isinstance(child, Block):
                if node is not None and previous is not None:
                    self.behind[child] = node, previous
                previous = child
                for instr in child.instrs:
                    if isinstance(instr, IntrinsicInstr) and instr.name == "store_var":
                        deref = instr.variables[0]
                        if deref.var in self.chosen:
                            leaf, _, width = _leaf(deref)
                            outer.add(leaf)
                            self.shapes[leaf] = width, deref.type.kind
                continue
            assert isinstance(child, If | Loop) and previous is not None
            node = child
            inner = self.writes[child] = set()
            bodies = (child.then, child.otherwise) if isinstance(child, If) else (child.body,)
            for body in bodies:
                self.within[first_block(body)] = child, previous
                self.survey(body, inner)
            outer |= inner

    def at_end(self, block: Block, leaf: Leaf) -> SSADef:
        """A vector's value at the end of a block."""
        passed: list[Values] = []
        while True:
            found = self.stored[block].get(leaf) if block in self.stored else None
            if found is None:
                begins = self.begins.setdefault(block, {})
                found = begins.get(leaf)
            if found is not None:
                break
            passed.append(begins)
            above = self.above(block, leaf)
            if isinstance(above, SSADef):
                found = above
                break
            block = above
        for values in passed:
            values[leaf] = found
        return found

    def above(self, block: Block, leaf: Leaf) -> Block | SSADef:
        """The one block at whose end the value is that of this one's beginning; or that value."""
        if block in self.within:
            node, before = self.within[block]
            if isinstance(node, Loop) and leaf in self.writes[node]:
                return self.phi(block, leaf)
            return before
        if block in self.behind:
            node, before = self.behind[block]
            if leaf not in self.writes[node]:
                return before
            ways = block.predecessors
            if len(ways) == 1:
                return ways[0]
            if ways:
                return self.phi(block, leaf)
        return self.zero(leaf)

    def phi(self, block: Block, leaf: Leaf) -> SSADef:
        width, kind = self.shapes[leaf]
        phi = PhiInstr(width, BITS[kind], kind)
        phi.block = block
        self.phis.append((phi, block, leaf))
        return phi.dest

    def drop_phis(self) -> None:
        """Phis of one value are that value; those that read them may be next."""
        readers: dict[SSADef, list[PhiInstr]] = {}
        for phi, _, _ in self.phis:
            for _, value in phi.srcs:
                readers.setdefault(self.final(value), []).append(phi)
        work = [phi for phi, _, _ in self.phis]
        while work:
            phi = work.pop()
            if phi.dest in self.replace:
                continue
            values = {self.final(value) for _, value in phi.srcs}
            values.discard(phi.dest)
            if len(values) == 1:
                value = self.replace[phi.dest] = values.pop()
                again = readers.pop(phi.dest, [])
                readers.setdefault(value, []).extend(again)
                work += again

    def final(self, value: SSADef) -> SSADef:
        while value in self.replace:
            value = self.replace[value]
        return value

    # ---- instructions
    def block(self, block: Block) -> None:
        kept: list[Instr] = []
        values = self.stored[block] = {}
        for instr in block.instrs:
            if not isinstance(instr, IntrinsicInstr) or not instr.variables:
                kept.append(instr)
            elif instr.variables[0].var not in self.chosen:
                kept.append(instr)
            elif instr.dest is not None:
                self.replace[instr.dest] = self.read(instr, block, kept)
            else:
                self.write(instr, values, block, kept)
        block.instrs = kept

    def read(self, instr: IntrinsicInstr, block: Block, kept: list[Instr]) -> SSADef:
        assert instr.dest is not None
        deref = instr.variables[0]
        leaf, component, width = _leaf(deref)
        self.shapes[leaf] = width, instr.dest.kind
        value = self.at_end(block, leaf)
        if component is None:
            return value
        move = AluInstr(
            OPCODES["mov"], [AluSrc(value, (component,))], 1, value.bit_size, value.kind
        )
        self.put(instr, move, kept)
        return move.dest

    def write(self, instr: IntrinsicInstr, values: Values, block: Block, kept: list[Instr]) -> None:
        leaf, component, width = _leaf(instr.variables[0])
        value = instr.srcs[0]
        mask = instr.indices["wrmask"]
        if component is None and mask == (1 << width) - 1:
            values[leaf] = value
            return
        old = self.at_end(block, leaf)
        srcs = []
        for i in range(width):
            if component is None:
                new = AluSrc(value, (i,)) if mask >> i & 1 else None
            else:
                new = AluSrc(value, (0,)) if i == component else None
            srcs.append(new or AluSrc(old, (i,)))
        vec = AluInstr(OPCODES[f"vec{width}"], srcs, width, value.bit_size, value.kind)
        self.put(instr, vec, kept)
        values[leaf] = vec.dest

    def put(self, instr: Instr, new: AluInstr, kept: list[Instr]) -> None:
        """`new` stands where `instr` stood."""
        new.block = instr.block
        new.dest.index = self.number()
        kept.append(new)

    def number(self) -> int:
        self.function.ssa_alloc += 1
        return self.function.ssa_alloc - 1

    def zero(self, leaf: Leaf) -> SSADef:
        """What a variable holds before it is written; one instruction per shape."""
        width, kind = self.shapes[leaf]
        found = self.zeros.get((width, kind))
        if found is None:
            if self.undefined:
                found = Undef(width, BITS[kind], kind)
            else:
                found = LoadConst((0,) * width, BITS[kind], kind)
            found.block = first_block(self.function.body)
            found.dest.index = self.number()
            self.zeros[width, kind] = found
        return found.dest
