# SPDX-License-Identifier: MIT
"""Which values of a nir shader need a register, and from where to where.

In: a function in SSA.  Out: `Values`: each value as a piece of another one where it is no more than
that (`alias`: swizzles, signs, vectors of one value's components), and for those that are computed
the number of the last instruction that reads them.  Numbers count instructions in the order of the
listing; what is alive when a loop is entered and read in it lives until the loop ends.
"""

from __future__ import annotations

from typing import NamedTuple

from pydri.nir.ir import (
    AluInstr,
    Block,
    CFNode,
    Function,
    If,
    Instr,
    IntrinsicInstr,
    LoadConst,
    Loop,
    PhiInstr,
    SSADef,
    Undef,
)

#: what is read in place: it needs no register
_IN_PLACE = ("load_input", "load_frag_coord", "load_front_face", "load_vertex_id",
             "load_instance_id", "load_primitive_id", "load_point_coord", "load_pixel")  # fmt: skip


class Piece(NamedTuple):
    """Components of a value, with a sign."""

    root: SSADef
    picks: tuple[int, ...]
    negated: bool = False
    absolute: bool = False


class Values:
    """What is known of each value."""

    def __init__(self, function: Function) -> None:
        self.aliases: dict[SSADef, Piece] = {}
        self.number: dict[Instr, int] = {}
        #: the number behind the last instruction of a block, where its phis are copied
        self.ends: dict[Block, int] = {}
        self.last: dict[SSADef, int] = {}
        self.loops: list[tuple[int, int]] = []
        #: numbers behind what a node holds
        self.if_ends: dict[If, int] = {}
        self.loop_ends: dict[Loop, int] = {}
        self.defined: dict[SSADef, int] = {}
        self.float_only = _read_as_floats(function)
        self._at = 0
        self._uses: list[tuple[SSADef, int]] = []
        self.walk(function.body)
        for value, at in self._uses:
            self.use(value, at)

    # ---- order
    def walk(self, nodes: list[CFNode]) -> None:
        for node in nodes:
            if isinstance(node, Block):
                self.block(node)
            elif isinstance(node, If):
                self._uses.append((node.condition, self.step()))
                self.walk(node.then)
                self.walk(node.otherwise)
                self.if_ends[node] = self.step()
            elif isinstance(node, Loop):
                start = self.step()
                self.walk(node.body)
                self.loop_ends[node] = self.step()
                self.loops.append((start, self._at))

    def step(self) -> int:
        self._at += 1
        return self._at

    def block(self, block: Block) -> None:
        for instr in block.instrs:
            at = self.number[instr] = self.step()
            if instr.dest is not None:
                self.defined[instr.dest] = at
                self.name(instr)
            if isinstance(instr, PhiInstr):
                self._uses.append((instr.dest, at))
            else:
                self._uses += [(value, at) for value in instr.sources()]
        end = self.ends[block] = self.step()
        for successor in block.successors:
            for phi in successor.phis:
                value = next((v for b, v in phi.srcs if b is block), None)
                if value is not None:
                    self._uses += [(value, end), (phi.dest, end)]
                    self.defined[phi.dest] = min(end, self.defined.get(phi.dest, end))

    # ---- pieces
    def name(self, instr: Instr) -> None:
        """Note what is but a piece of another value."""
        if not isinstance(instr, AluInstr) or instr.saturate:
            return
        name, dest = instr.op.name, instr.dest
        if name == "mov" or (name in ("fneg", "fabs") and dest in self.float_only):
            piece = self.piece(instr.srcs[0].ssa, instr.srcs[0].swizzle)
            if name == "fneg":
                piece = piece._replace(negated=not piece.negated)
            elif name == "fabs":
                piece = piece._replace(absolute=True, negated=False)
            self.aliases[dest] = piece
        elif name in ("vec2", "vec3", "vec4"):
            parts = [self.piece(src.ssa, src.swizzle) for src in instr.srcs]
            first = parts[0]
            if all(p._replace(picks=()) == first._replace(picks=()) for p in parts):
                picks = tuple(p.picks[0] for p in parts)
                self.aliases[dest] = first._replace(picks=picks)

    def piece(self, value: SSADef, picks: tuple[int, ...]) -> Piece:
        """Components of a value, of the value that they are computed in."""
        found = self.aliases.get(value)
        if found is None:
            return Piece(value, picks)
        return found._replace(picks=tuple(found.picks[n] for n in picks))

    def use(self, value: SSADef, at: int) -> None:
        found = self.aliases.get(value)
        root = value if found is None else found.root
        end, begin = at, self.defined[root]
        for start, stop in self.loops:
            if begin < start < at < stop:
                end = max(end, stop)
        self.last[root] = max(self.last.get(root, 0), end)

    def in_place(self, value: SSADef) -> bool:
        """Whether a value is read where it lies."""
        instr = value.instr
        if isinstance(instr, LoadConst | Undef):
            return True
        if isinstance(instr, IntrinsicInstr):
            return instr.name in _IN_PLACE or constant_place(instr) is not None
        return False


def constant_place(instr: IntrinsicInstr) -> tuple[int, int, int] | None:
    """Block, vector and first component of a load of constants that lie in one vector."""
    if instr.name != "load_ubo" or not isinstance(instr.srcs[0].instr, LoadConst):
        return None
    assert instr.dest is not None
    offset = instr.srcs[0].instr.values[0]
    first = offset // 4 % 4
    if offset % 4 or first + instr.dest.num_components > 4 or offset // 16 > 32767:
        return None
    return instr.indices["block"], offset // 16, first


def _read_as_floats(function: Function) -> set[SSADef]:
    """Values that nothing but float arithmetic reads: signs can be given where they are read."""
    other: set[SSADef] = set()
    floats: set[SSADef] = set()
    for node in function.nodes():
        if isinstance(node, If):
            other.add(node.condition)
        if not isinstance(node, Block):
            continue
        for instr in node.instrs:
            if isinstance(instr, AluInstr):
                for src, kind in zip(instr.srcs, instr.op.in_types, strict=True):
                    (floats if kind == "float" else other).add(src.ssa)
            else:
                other.update(instr.sources())
    return floats - other


__all__ = ["Piece", "Values", "constant_place"]
