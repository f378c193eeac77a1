# SPDX-License-Identifier: MIT
"""Out of SSA: phis become registers, for back ends that have no phis.

In: a shader in SSA form.  Out: True if there was something to do. A register is a local variable of
a scalar or vector that is read (load_var) right before its readers and written (store_var) right
behind what defines a value; no pass that makes SSA values of locals may run afterwards.

Values that a phi connects and that are never kept at the same time are one web and live in one
register; where they would get in each other's way the phi copies at the ends of the blocks that it
follows, all reads before all writes, so that phis that swap values do. All other values stay SSA,
with one exception: a machine of many lanes runs a loop until the last lane leaves it, so a value
that is made in a loop and read behind it needs a register, which only lanes that run write.
Sources: Boissinot et al., "Revisiting Out-of-SSA Translation" (CGO 2009); counterpart of Mesa's
nir_from_ssa.c (nir_convert_from_ssa, with phi webs only).
"""

from __future__ import annotations

from collections.abc import Callable

from pydri.nir import types
from pydri.nir.ir import (
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
)
from pydri.nir.liveness import BEGIN, Liveness, Range, end, overlap


def run(shader: Shader) -> bool:
    """The pass."""
    done = [_Webs(function).convert() for function in shader.functions]
    return any(done)


class _Web:
    """Values and copies that share a register."""

    def __init__(self) -> None:
        self.members: list[SSADef] = []
        self.kept: list[Range] = []
        self.joined: _Web | None = None

    def root(self) -> _Web:
        web = self
        while web.joined is not None:
            web = web.joined
        return web

    def admits(self, ranges: list[Range]) -> bool:
        """None of these is kept while something of the web is."""
        return not any(overlap(a, b) for a in self.kept for b in ranges)


class _Webs:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.phis = [phi for block in function.blocks() for phi in block.phis]
        self.webs: dict[PhiInstr, _Web] = {}
        #: the web that a value is kept in
        self.of: dict[SSADef, _Web] = {}
        self.registers: dict[_Web, Variable] = {}

    def convert(self) -> bool:
        if self.phis:
            ranges = Liveness(self.function).ranges()
            for phi in self.phis:
                self.begin(phi, ranges)
            for phi in self.phis:
                self.coalesce(phi, ranges)
            self.rewrite()
        left = self.leaving()
        return bool(self.phis) or left

    # ---- webs
    def begin(self, phi: PhiInstr, ranges: dict[SSADef, Range]) -> None:
        """A web of what comes over the edges, and the phi itself if it is not needed any more when
        the next comes."""
        web = self.webs[phi] = _Web()
        edges: Range = {source: (end(source), end(source) + 1) for source, _ in phi.srcs}
        web.kept.append(edges)
        mine = ranges[phi.dest]
        if web.admits([mine]):
            web.members.append(phi.dest)
            web.kept.append(mine)
            self.of[phi.dest] = web

    def coalesce(self, phi: PhiInstr, ranges: dict[SSADef, Range]) -> None:
        """Take the sources in that fit."""
        for _, value in phi.srcs:
            web = self.webs[phi].root()
            other = self.of.get(value)
            if other is not None:
                other = other.root()
                if other is not web and web.admits(other.kept):
                    other.joined = web
                    web.members += other.members
                    web.kept += other.kept
            elif not isinstance(value.instr, LoadConst | Undef | PhiInstr):
                if web.admits([ranges[value]]):
                    web.members.append(value)
                    web.kept.append(ranges[value])
                    self.of[value] = web

    def register(self, web: _Web, like: SSADef) -> Variable:
        """The register of a web."""
        web = web.root()
        found = self.registers.get(web)
        if found is None:
            found = self.registers[web] = _register(self.function, like)
        return found

    # ---- rewriting
    def rewrite(self) -> None:
        conditions = {
            node.previous_block: node for node in self.function.nodes() if isinstance(node, If)
        }
        copies = self.copies()
        for block in self.function.blocks():
            made: list[Instr] = []
            for phi in block.phis:
                if phi.dest not in self.of:  # a snapshot, before anything else is written
                    load = self.load(self.register(self.webs[phi], phi.dest), phi.dest)
                    load.dest = phi.dest
                    phi.dest.instr = load
                    made.append(load)
            rest = block.instrs[len(block.phis) :]
            jump = [rest.pop()] if block.jump is not None else []
            for instr in rest:
                instr.map_sources(self.reader(made))
                made.append(instr)
                if instr.dest is not None and instr.dest in self.of:
                    web = self.of[instr.dest]
                    made.append(_store(self.register(web, instr.dest), instr.dest))
            read = self.reader(made)
            if block in conditions:
                conditions[block].condition = read(conditions[block].condition)
            values = [(variable, read(value)) for variable, value in copies.get(block, ())]
            made += [_store(variable, value) for variable, value in values]
            block.instrs = []
            for instr in (*made, *jump):
                block.append(instr)
        self.function.cfg_changed()

    def copies(self) -> dict[Block, list[tuple[Variable, SSADef]]]:
        """What is written at the end of each block."""
        found: dict[Block, list[tuple[Variable, SSADef]]] = {}
        for phi in self.phis:
            web = self.webs[phi].root()
            for source, value in phi.srcs:
                other = self.of.get(value)
                if isinstance(value.instr, Undef):
                    continue  # whatever the register holds
                if other is None or other.root() is not web:
                    found.setdefault(source, []).append((self.register(web, phi.dest), value))
        return found

    def reader(self, made: list[Instr]) -> Callable[[SSADef], SSADef]:
        """Reads values of registers, each once for an instruction."""
        loaded: dict[Variable, SSADef] = {}

        def read(value: SSADef) -> SSADef:
            web = self.of.get(value)
            if web is None:
                return value
            variable = self.register(web, value)
            found = loaded.get(variable)
            if found is None:
                load = self.load(variable, value)
                made.append(load)
                assert load.dest is not None
                found = loaded[variable] = load.dest
            return found

        return read

    @staticmethod
    def load(variable: Variable, like: SSADef) -> IntrinsicInstr:
        return IntrinsicInstr(
            "load_var", variables=[Deref(variable)], num_components=like.num_components,
            bit_size=like.bit_size, kind=like.kind,
        )  # fmt: skip

    # ---- values that leave loops
    def leaving(self) -> bool:
        """Registers for SSA values that are made in a loop and read outside of it."""
        inside: dict[SSADef, tuple[Loop, ...]] = {}
        for block in self.function.blocks():
            loops = _loops(block)
            for instr in block.instrs if loops else ():
                if instr.dest is not None and not isinstance(instr, LoadConst | Undef):
                    inside[instr.dest] = loops
        kept: dict[SSADef, Variable] = {}

        def wanted(value: SSADef, loops: tuple[Loop, ...]) -> bool:
            outer = inside.get(value)
            return outer is not None and outer != loops[: len(outer)]

        for block in list(self.function.blocks()) if inside else ():
            loops = _loops(block)
            made: list[Instr] = []
            for instr in block.instrs:
                leaves = {v for v in instr.sources() if wanted(v, loops)}
                _replace(self.function, instr, leaves, kept, made)
                made.append(instr)
            node = _if_after(block)
            if node is not None and wanted(node.condition, loops):
                node.condition = _kept(self.function, node.condition, kept, made)
            if len(made) != len(block.instrs):
                block.instrs = []
                for instr in made:
                    block.append(instr)
        for value, variable in kept.items():
            assert value.instr.block is not None
            home = value.instr.block
            home.insert(home.instrs.index(value.instr) + 1, _store(variable, value))
        return bool(kept)


def _replace(
    function: Function,
    instr: Instr,
    wanted: set[SSADef],
    kept: dict[SSADef, Variable],
    made: list[Instr],
) -> None:
    if wanted:
        instr.map_sources(lambda v: _kept(function, v, kept, made) if v in wanted else v)


def _kept(
    function: Function, value: SSADef, kept: dict[SSADef, Variable], made: list[Instr]
) -> SSADef:
    if value not in kept:
        kept[value] = _register(function, value)
    load = _Webs.load(kept[value], value)
    made.append(load)
    assert load.dest is not None
    return load.dest


def _register(function: Function, like: SSADef) -> Variable:
    kind = "bool" if like.bit_size == 1 else like.kind
    type_ = types.vector(kind, like.num_components)
    made = Variable(f"r{len(function.locals)}", type_, "local")
    function.locals.append(made)
    return made


def _store(variable: Variable, value: SSADef) -> IntrinsicInstr:
    mask = (1 << value.num_components) - 1
    return IntrinsicInstr("store_var", [value], [Deref(variable)], {"wrmask": mask})


def _loops(block: Block) -> tuple[Loop, ...]:
    """The loops around a block, outer ones first."""
    found: list[Loop] = []
    node: CFNode | None = block.parent
    while node is not None:
        if isinstance(node, Loop):
            found.append(node)
        node = node.parent
    return tuple(reversed(found))


def _if_after(block: Block) -> If | None:
    nodes = block.siblings
    at = nodes.index(block) + 1
    node = nodes[at] if at < len(nodes) else None
    return node if isinstance(node, If) else None


__all__ = ["BEGIN", "run"]
