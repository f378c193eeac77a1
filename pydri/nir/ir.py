# SPDX-License-Identifier: MIT
"""NIR's data structures: shaders, functions, the control-flow tree, instructions, SSA values.

In: made by `builder.py`, `parser.py` or a front end.  Out: read by passes and back ends.
A function's body is a list of control-flow nodes that begins and ends with a Block; an If or Loop
always stands between two Blocks, and so do the lists inside them.  Only Blocks hold instructions.
SSA values have a width (components, bits per component), no type; `kind` is a mere hint that tells
the builder whether `x + y` is fadd or iadd.

Differences from Mesa (src/compiler/nir/nir.h): there are no use lists (a pass walks the function
once and rewrites with a map, see `Function.rewrite`), predecessors and successors are recomputed
when somebody asks after a change, variables are named by intrinsics directly as in 2016, and calls
are inlined by the front end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pydri.nir.enums import INTERP_NONE
from pydri.nir.instr import (
    IDENTITY,
    TEX_OPS,
    TEX_SRCS,
    AluInstr,
    AluSrc,
    Deref,
    Instr,
    IntrinsicInstr,
    IRError,
    JumpInstr,
    LoadConst,
    PhiInstr,
    SSADef,
    TexInstr,
    Undef,
    Variable,
)

if TYPE_CHECKING:
    from pydri.nir.builder import Builder

__all__ = [
    "AluInstr",
    "AluSrc",
    "Block",
    "CFNode",
    "Deref",
    "Function",
    "IDENTITY",
    "IRError",
    "If",
    "Instr",
    "IntrinsicInstr",
    "JumpInstr",
    "LoadConst",
    "Loop",
    "MAX_ROUNDS",
    "PhiInstr",
    "SSADef",
    "Shader",
    "TEX_OPS",
    "TEX_SRCS",
    "TexInstr",
    "Undef",
    "Variable",
    "first_block",
    "last_block",
]


#: Rounds that all loops of an invocation, and of those that run beside it, make together; then
#: every loop ends, so that one that never would cannot hang the program.
MAX_ROUNDS = 65535


# ---- control flow -----------------------------------------------------------------------------
class CFNode:
    """A Block, If or Loop.  `parent` is the node around it, None at the top of the function."""

    __slots__ = ("function", "parent")

    def __init__(self, function: Function, parent: If | Loop | None = None) -> None:
        self.function = function
        self.parent = parent

    @property
    def siblings(self) -> list[CFNode]:
        """The list that this node is in."""
        if self.parent is None:
            return self.function.body
        if isinstance(self.parent, Loop):
            return self.parent.body
        return self.parent.then if self in self.parent.then else self.parent.otherwise

    @property
    def next_block(self) -> Block:
        """The block after an If or Loop."""
        nodes = self.siblings
        after = nodes[nodes.index(self) + 1]
        assert isinstance(after, Block)
        return after

    @property
    def previous_block(self) -> Block:
        """The block before an If or Loop."""
        nodes = self.siblings
        before = nodes[nodes.index(self) - 1]
        assert isinstance(before, Block)
        return before


class Block(CFNode):
    """Instructions without control flow between them."""

    __slots__ = ("_predecessors", "_successors", "index", "instrs")

    def __init__(self, function: Function, parent: If | Loop | None = None) -> None:
        super().__init__(function, parent)
        self.instrs: list[Instr] = []
        self.index = -1
        self._predecessors: list[Block] = []
        self._successors: list[Block] = []

    @property
    def predecessors(self) -> list[Block]:
        """Blocks that control comes from."""
        self.function.require_cfg()
        return self._predecessors

    @property
    def successors(self) -> list[Block]:
        """Blocks that control may go to: at most two, then first."""
        self.function.require_cfg()
        return self._successors

    @property
    def jump(self) -> JumpInstr | None:
        """The jump at the end, if there is one."""
        last = self.instrs[-1] if self.instrs else None
        return last if isinstance(last, JumpInstr) else None

    @property
    def phis(self) -> list[PhiInstr]:
        """The phis at the beginning."""
        return [i for i in self.instrs if isinstance(i, PhiInstr)]

    def insert(self, position: int, instr: Instr) -> None:
        """Put an instruction before the one at `position`; its value gets its number here."""
        self._own(instr)
        self.instrs.insert(position, instr)

    def append(self, instr: Instr) -> None:
        """Put an instruction at the end."""
        self._own(instr)
        self.instrs.append(instr)

    def replace(self, position: int, instr: Instr) -> None:
        """Put an instruction where the one at `position` is, which leaves the block."""
        self._own(instr)
        self.instrs[position].block = None
        self.instrs[position] = instr

    def _own(self, instr: Instr) -> None:
        instr.block = self
        function = self.function
        function.settled = False
        dest = instr.dest
        if dest is not None and dest.index < 0:
            dest.index = function.ssa_alloc
            function.ssa_alloc += 1
        if isinstance(instr, JumpInstr):
            function.cfg_changed()

    def __repr__(self) -> str:
        return f"<block_{self.index}>"


class If(CFNode):
    """`then` runs where the 1-bit `condition` is true, `otherwise` elsewhere."""

    __slots__ = ("condition", "otherwise", "then")

    def __init__(
        self, function: Function, condition: SSADef, parent: If | Loop | None = None
    ) -> None:
        super().__init__(function, parent)
        self.condition = condition
        self.then: list[CFNode] = [Block(function, self)]
        self.otherwise: list[CFNode] = [Block(function, self)]


class Loop(CFNode):
    """Runs its body for ever; only break and return leave it."""

    __slots__ = ("body",)

    def __init__(self, function: Function, parent: If | Loop | None = None) -> None:
        super().__init__(function, parent)
        self.body: list[CFNode] = [Block(function, self)]


def first_block(nodes: list[CFNode]) -> Block:
    """The block a list of nodes begins with."""
    assert isinstance(nodes[0], Block)
    return nodes[0]


def last_block(nodes: list[CFNode]) -> Block:
    """The block a list of nodes ends with."""
    assert isinstance(nodes[-1], Block)
    return nodes[-1]


# ---- variables, functions, shaders ------------------------------------------------------------
class Function:
    """A function and its body."""

    def __init__(self, shader: Shader, name: str = "main") -> None:
        self.shader = shader
        self.name = name
        self.locals: list[Variable] = []
        #: next SSA number
        self.ssa_alloc = 0
        #: the builder that operators on values emit through
        self.builder: Builder | None = None
        self.body: list[CFNode] = [Block(self)]
        #: where return and the end of the body lead; holds no instructions
        self.end_block = Block(self)
        self._cfg_valid = False
        #: passes.optimize found nothing more to do, and nothing was put in, taken out or read
        #: elsewhere since then
        self.settled = False

    # -- walking
    def blocks(self) -> Iterator[Block]:
        """All blocks in listing order, without the end block."""
        yield from _walk_blocks(self.body)

    def instrs(self) -> Iterator[Instr]:
        """All instructions in listing order; a block may be edited while it is walked."""
        for block in self.blocks():
            yield from tuple(block.instrs)

    def nodes(self) -> Iterator[CFNode]:
        """All control-flow nodes, outer before inner."""
        yield from walk_nodes(self.body)

    def use_counts(self) -> dict[SSADef, int]:
        """How often each value is read."""
        counts: dict[SSADef, int] = {}
        for node in self.nodes():
            if isinstance(node, Block):
                for instr in node.instrs:
                    for ssa in instr.sources():
                        counts[ssa] = counts.get(ssa, 0) + 1
            elif isinstance(node, If):
                counts[node.condition] = counts.get(node.condition, 0) + 1
        return counts

    def rewrite(self, replace: Mapping[SSADef, SSADef]) -> None:
        """Read replace[v] wherever v was read; chains of replacements are followed."""
        if not replace:
            return
        self.settled = False

        def final(ssa: SSADef) -> SSADef:
            while ssa in replace:
                ssa = replace[ssa]
            return ssa

        for node in self.nodes():
            if isinstance(node, Block):
                for instr in node.instrs:
                    if isinstance(instr, AluInstr):  # nearly all are, and few read such a value
                        for src in instr.srcs:
                            if src.ssa in replace:
                                src.ssa = final(src.ssa)
                    else:
                        instr.map_sources(final)
            elif isinstance(node, If):
                node.condition = final(node.condition)

    def index_ssa_defs(self) -> None:
        """Number the values in the order of the listing, without gaps."""
        self.ssa_alloc = 0
        for block in self.blocks():
            for instr in block.instrs:
                if instr.dest is not None:
                    instr.dest.index = self.ssa_alloc
                    self.ssa_alloc += 1

    # -- the flow graph
    def cfg_changed(self) -> None:
        """Must be called after an edit of the control-flow tree or of a jump."""
        self._cfg_valid = False
        self.settled = False

    def require_cfg(self) -> None:
        """Make block indices, predecessors and successors right."""
        if self._cfg_valid:
            return
        index = 0
        for block in (*self.blocks(), self.end_block):
            block.index = index
            block._predecessors = []
            block._successors = []
            index += 1
        _link(self.body, self.end_block, None, None, self.end_block)
        self._cfg_valid = True


class Shader:
    """A shader of one stage: vertex, geometry or fragment."""

    def __init__(self, stage: str, name: str = "") -> None:
        self.stage = stage
        self.name = name
        self.uniforms: list[Variable] = []
        self.inputs: list[Variable] = []
        self.outputs: list[Variable] = []
        self.globals: list[Variable] = []
        self.functions: list[Function] = [Function(self)]
        #: facts for the driver that the instructions do not show (set by the front end)
        self.info: dict[str, int] = {}

    @property
    def main(self) -> Function:
        """The entry point."""
        return self.functions[0]

    def variables(self, mode: str) -> list[Variable]:
        """The list that variables of a mode are in (locals: those of main)."""
        if mode == "local":
            return self.main.locals
        lists = {
            "uniform": self.uniforms,
            "shader_in": self.inputs,
            "shader_out": self.outputs,
            "global": self.globals,
        }
        return lists[mode]

    def add(self, var: Variable) -> Variable:
        """Declare a variable."""
        self.variables(var.mode).append(var)
        return var

    def input_interp(self, slot: int) -> int:
        """INTERP_* of the input variable that covers a slot."""
        for var in self.inputs:
            if var.location <= slot < var.location + var.type.slots:
                return var.interp
        return INTERP_NONE


def _walk_blocks(nodes: list[CFNode]) -> Iterator[Block]:
    for node in walk_nodes(nodes):
        if isinstance(node, Block):
            yield node


def walk_nodes(nodes: list[CFNode]) -> Iterator[CFNode]:
    """All nodes of a list and what they hold, outer before inner."""
    # A list may be edited while it is walked, so each is copied when the walk comes to it. A stack
    # instead of recursion: nodes nest as deep as a program's statements.
    work = list(reversed(nodes))
    while work:
        node = work.pop()
        yield node
        if isinstance(node, If):
            work += reversed(node.otherwise)
            work += reversed(node.then)
        elif isinstance(node, Loop):
            work += reversed(node.body)


def _edge(source: Block, target: Block) -> None:
    if target not in source._successors:
        source._successors.append(target)
        target._predecessors.append(source)


def _link(
    nodes: list[CFNode], after: Block, breaks: Block | None, continues: Block | None, end: Block
) -> None:
    """Add the edges of a list of nodes; control goes to `after` at its end."""
    for position, node in enumerate(nodes):
        follow = nodes[position + 1] if position + 1 < len(nodes) else None
        if isinstance(node, Block):
            if node.jump is not None:
                target = {"break": breaks, "continue": continues, "return": end}[node.jump.kind]
                # A break outside a loop is the validator's to report, in a listing.
                _edge(node, end if target is None else target)
            elif isinstance(follow, If):
                _edge(node, first_block(follow.then))
                _edge(node, first_block(follow.otherwise))
            elif isinstance(follow, Loop):
                _edge(node, first_block(follow.body))
            else:
                _edge(node, after)
        elif isinstance(node, If):
            assert isinstance(follow, Block)
            _link(node.then, follow, breaks, continues, end)
            _link(node.otherwise, follow, breaks, continues, end)
        elif isinstance(node, Loop):
            assert isinstance(follow, Block)
            header = first_block(node.body)
            _link(node.body, header, follow, header, end)
