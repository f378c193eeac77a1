# SPDX-License-Identifier: MIT
"""Control flow of a shader on vectors of lanes: branches where all agree, masks where they do not.

nir/divergence.py says which conditions and phis are the same in all lanes that run: such a phi is a
scalar, such a condition a branch, and a break or continue that all lanes of a loop take together is
a jump. Everything else runs under execution masks (None: all lanes). A side of an If that no lane
wants is branched around unless it is short. Phis, and values that are read outside of the If or
Loop that defines them, live in local variables (registers after SROA): vectors are written under
the mask, so a value keeps what it was when its lane left a loop, the rule of nir/interp.py. What a
loop's next round begins with is written in all lanes where nothing in the loop looks at others:
nobody can see it there.

All loops of a shader together make MAX_ROUNDS rounds, so that one that does not end cannot hang the
program; then every loop ends, and its lanes go on behind it (LP_MAX_TGSI_LOOP_ITERATIONS of
llvmpipe's lp_bld_limits.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipe_llvm.gallivm.lookups import in_calls
from pipe_llvm.gallivm.soa_env import SoaEnv
from pydri.jit.types import Scalar, Vec, boolean, element, f32, f64, i32, i64
from pydri.jit.values import Value, Var
from pydri.nir.divergence import Divergence, LoopLanes
from pydri.nir.ir import (
    MAX_ROUNDS,
    AluInstr,
    Block,
    CFNode,
    If,
    IntrinsicInstr,
    JumpInstr,
    Loop,
    PhiInstr,
    Shader,
    SSADef,
    TexInstr,
)

if TYPE_CHECKING:
    from pydri.jit import Builder

_HEAVY: Final = ("disc", "term", "emit")  # intrinsics with such names are worth a branch
SHORT = 8  # instructions: a side as short as this is not worth a branch


class _Dead:
    """Stands for the mask where control does not come: behind a jump."""


DEAD: Final = _Dead()
Mask = Value | None


def _scopes(node: CFNode) -> list[tuple[CFNode, str]]:
    """The sides of Ifs and bodies of Loops that a node lies in, innermost first."""
    out: list[tuple[CFNode, str]] = []
    while node.parent is not None:
        parent = node.parent
        out.append((parent, _side_of(parent, node)))
        node = parent
    return out


def _side_of(parent: CFNode, node: CFNode) -> str:
    if isinstance(parent, Loop):
        return "body"
    assert isinstance(parent, If)
    return "then" if any(n is node for n in parent.then) else "otherwise"


def weight(nodes: list[CFNode]) -> int:
    """A rough count of instructions; loops are always worth a branch."""
    total = 0
    for node in nodes:
        if isinstance(node, Block):
            for instr in node.instrs:
                total += 1 + 4 * isinstance(instr, TexInstr)
                if isinstance(instr, IntrinsicInstr) and instr.name.startswith(_HEAVY):
                    total += SHORT
        elif isinstance(node, If):
            total += weight(node.then) + weight(node.otherwise)
        else:
            total += 1000
    return total


def _looks_around(nodes: list[CFNode]) -> bool:
    """Whether something reads other lanes: derivatives, and what lookups make of coordinates."""
    for node in nodes:
        if isinstance(node, Block):
            for instr in node.instrs:
                if isinstance(instr, TexInstr):
                    return True
                if isinstance(instr, AluInstr) and instr.op.cross_lane:
                    return True
        elif isinstance(node, If):
            if _looks_around(node.then) or _looks_around(node.otherwise):
                return True
        elif isinstance(node, Loop) and _looks_around(node.body):
            return True
    return False


def next_rounds(loop: Loop) -> list[PhiInstr]:
    """What the next round of a loop begins with, all of which one place says; none where lanes
    that have left the loop may be looked at."""
    header = loop.body[0]
    assert isinstance(header, Block)
    phis = [phi for phi in header.phis if len(phi.srcs) == 2]
    return [] if not phis or _looks_around(loop.body) else phis


class _Frame:
    """The loop that is being emitted."""

    def __init__(self, b: Builder, node: Loop, how: LoopLanes, mask: Value) -> None:
        self.node = node
        self.how = how
        #: the lanes of the next round, where these change
        self.active = b.var(mask.ty, mask) if how.masked else None
        #: lanes that this round left for the next one, and lanes that left the loop
        self.continued = b.var(mask.ty, 0) if how.divergent_continues else None
        self.broken = b.var(mask.ty, 0) if how.ends else None


class FlowTranslator:
    """The part of the translation that walks the tree; nir_soa.py adds the instructions."""

    def __init__(self, b: Builder, shader: Shader, env: SoaEnv) -> None:
        #: results that are choices between values, by name: who asks for their bits shall find no
        #: denormals (alu.py)
        self.chosen: set[str] = set()
        self.b = b
        self.shader = shader
        self.env = env
        self.width = env.lanes
        self.mask_type = boolean.vec(env.lanes)
        self.divergence: Divergence | None = None  # where there is control flow
        self.values: dict[SSADef, list[Value]] = {}
        self.kept: dict[SSADef, list[Var[Value]]] = {}
        #: scalars of what is a vector in `kept`, for reads within the loop that lanes leave one by
        #: one: there the value is still the same in all of them, and what depends on it, too
        self.alike: dict[SSADef, list[Var[Value]]] = {}
        self.phis: dict[PhiInstr, list[Var[Value]]] = {}
        self.loose: set[PhiInstr] = set()  # those that all lanes may write
        self.frames: list[_Frame] = []
        self.rounds: Var[Value] | None = None  # of all loops so far
        self.made: list[list[SSADef]] = [[]]  # definitions by scope, forgotten at its end

    def run(self, mask: Mask) -> None:
        """The whole main function."""
        function = self.shader.main
        function.require_cfg()
        if len(function.body) > 1:
            self.prepare(Divergence(function))
        self.nodes(function.body, mask)

    # ---- what nir_soa.py does
    def instruction(self, instr: Any, mask: Mask) -> Mask:
        """Emit an instruction that is no phi and no jump; the lanes that go on behind it."""
        raise NotImplementedError

    def lookups(self, instrs: list[TexInstr], mask: Mask) -> None:
        """Emit lookups that one call can do."""
        raise NotImplementedError

    @staticmethod
    def output_cells(instr: IntrinsicInstr) -> list[tuple[int, int, int]]:
        """(slot, component, component of the source) of each dword that is stored."""
        first, mask = instr.indices["component"], instr.indices["wrmask"]
        width = instr.srcs[0].num_components
        slot = instr.indices["base"]
        return [(slot, first + n, n) for n in range(width) if mask >> n & 1]

    # ---- local variables
    def prepare(self, divergence: Divergence) -> None:
        """Local variables for phis, outputs, and values that outlive their scope."""
        self.divergence = divergence
        stored: dict[tuple[int, int], bool] = {}  # whether more than once, or under a condition
        home: dict[SSADef, tuple[CFNode, str] | None] = {}
        uses: list[tuple[SSADef, CFNode]] = []
        for node in self.shader.main.nodes():
            if isinstance(node, If):
                uses.append((node.condition, node))
            if isinstance(node, Loop):
                self.loose.update(next_rounds(node))
                if self.rounds is None:
                    self.rounds = self.b.var(i32, 0)
            if not isinstance(node, Block):
                continue
            scope = next(iter(_scopes(node)), None)
            for instr in node.instrs:
                if instr.dest is not None:
                    home[instr.dest] = scope
                if isinstance(instr, PhiInstr):
                    uniform = divergence.is_uniform(instr.dest)
                    self.phis[instr] = self.variables(instr.dest, uniform)
                    uses += [(ssa, block) for block, ssa in instr.srcs]
                    continue
                uses += [(ssa, node) for ssa in instr.sources()]
                if isinstance(instr, IntrinsicInstr) and instr.name == "store_output":
                    for slot, component, _ in self.output_cells(instr):
                        again = (slot, component) in stored
                        stored[slot, component] = again or scope is not None
        for (slot, component), varies in stored.items():
            if varies:
                self.env.declare_output(slot, component)
        self._keep(uses, home)

    def _keep(
        self,
        uses: list[tuple[SSADef, CFNode]],
        home: dict[SSADef, tuple[CFNode, str] | None],
    ) -> None:
        """Variables for the values that are read outside of the scope that defines them."""
        assert self.divergence is not None
        uniform: dict[SSADef, set[bool]] = {}  # as its readers see it
        for ssa, where in uses:
            scope = home[ssa]
            if scope is not None and scope not in _scopes(where):
                uniform.setdefault(ssa, set()).add(self.divergence.is_uniform(ssa, where))
        for ssa, seen in uniform.items():
            self.kept[ssa] = self.variables(ssa, False not in seen)
            if len(seen) > 1:
                self.alike[ssa] = self.variables(ssa, True)

    def variables(self, ssa: SSADef, uniform: bool) -> list[Var[Value]]:
        """Local variables for a value, scalars if all lanes have the same."""
        ty = self.storage(ssa)
        kind = ty if uniform else ty.vec(self.width)
        return [self.b.var(kind, 0) for _ in range(ssa.num_components)]

    @staticmethod
    def storage(ssa: SSADef) -> Scalar:
        """The type of a value's components in a local variable."""
        if ssa.bit_size == 64:
            return f64 if ssa.kind == "float" else i64
        return boolean if ssa.bit_size == 1 else f32 if ssa.kind == "float" else i32

    # ---- values
    def get(self, ssa: SSADef, component: int = 0) -> Value:
        """A component of a value."""
        found = self.values.get(ssa)
        if found is not None:
            return found[component]
        alike = self.alike.get(ssa)
        if alike is not None:
            assert self.divergence is not None
            nodes = self.frames[-1].node.body if self.frames else self.shader.main.body
            if self.divergence.is_uniform(ssa, nodes[0]):
                return alike[component].value
        return self.kept[ssa][component].value

    def define(self, ssa: SSADef, value: list[Value], mask: Mask) -> None:
        """A value is there, in all lanes; those of `mask` keep it."""
        self.values[ssa] = value
        self.made[-1].append(ssa)
        if not self.kept:
            return
        for variables in (self.kept, self.alike):
            for var, v in zip(variables.get(ssa, ()), value):
                self.assign(var, v, mask)

    def assign(self, var: Var[Value], value: Value, mask: Mask) -> None:
        """Write a local variable: a scalar, or the lanes of the mask."""
        value = self.as_type(value, element(var.ty))
        if not isinstance(var.ty, Vec):
            if isinstance(value.ty, Vec):
                raise TypeError("a value that nir/divergence.py calls uniform is a vector")
            var.value = value
            return
        wide = self.b.splat(value, self.width)
        var.value = wide if mask is None else self.b.select(mask, wide, var.value)

    def as_type(self, value: Value, elem: Scalar) -> Value:
        """The same bits read as another type of their width."""
        if value.elem is elem:
            return value
        if value.ref in self.chosen:
            value = self.b.canonical(value)
        return self.b.bitcast(value, elem)

    def both(self, mask: Mask, cond: Value) -> Value:
        """The lanes of `mask` for which `cond` holds."""
        wide = self.b.splat(cond, self.width)
        return wide if mask is None else mask & wide

    def full(self, mask: Mask) -> Value:
        """The mask as a value."""
        return self.b.const(self.mask_type, 1) if mask is None else mask

    # ---- the tree; each step gives the lanes that go on behind the node
    def nodes(self, nodes: list[CFNode], mask: Mask) -> Mask | _Dead:
        """Nodes one after the other."""
        for at, node in enumerate(nodes):
            if isinstance(node, Block):
                after = self.block(node, mask)
            elif isinstance(node, If):
                after = self.branch(node, mask)
                if not isinstance(after, _Dead) and after is not mask:
                    self.skip_round(node, after, nodes[at + 1 :])
            else:
                assert isinstance(node, Loop)
                after = self.loop(node, mask)
            if isinstance(after, _Dead):
                return after
            mask = after
        return mask

    def scoped(self, nodes: list[CFNode], mask: Mask) -> Mask | _Dead:
        """Nodes whose values cannot be read directly behind them."""
        self.made.append([])
        after = self.nodes(nodes, mask)
        for ssa in self.made.pop():
            del self.values[ssa]
        return after

    def block(self, block: Block, mask: Mask) -> Mask | _Dead:
        """Instructions, and what phis behind the block read."""
        for instr in in_calls(block.instrs, self.env.lookups):
            if isinstance(instr, list):
                self.lookups(instr, mask)
            elif isinstance(instr, PhiInstr):
                self.define(instr.dest, [var.value for var in self.phis[instr]], mask)
            elif isinstance(instr, JumpInstr):
                self.feed_phis(block, mask)
                return self.jump(block, instr, mask)
            else:
                mask = self.instruction(instr, mask)
        self.feed_phis(block, mask)
        return mask

    def feed_phis(self, block: Block, mask: Mask) -> None:
        """Where control leaves a block: what the phis of its successors read from here."""
        if not self.phis:
            return
        for successor in block.successors:
            for phi in successor.phis:
                for source, ssa in phi.srcs:
                    if source is block:
                        for n, var in enumerate(self.phis[phi]):
                            lanes = None if phi in self.loose else mask
                            self.assign(var, self.get(ssa, n), lanes)

    # ---- Ifs
    def branch(self, node: If, mask: Mask) -> Mask | _Dead:
        """Both sides, as a branch or under masks."""
        b = self.b
        cond = self.get(node.condition)
        leaves = self.leaves(node.then) or self.leaves(node.otherwise)
        out = b.var(self.mask_type, 0) if leaves else None
        if not isinstance(cond.ty, Vec):
            with b.If(cond):
                ends = self.side(node.then, mask, out)
            if out is not None or not self.is_empty(node):
                with b.Else():
                    if self.side(node.otherwise, mask, out) and ends:
                        return DEAD
        else:
            for nodes, taken in ((node.then, cond), (node.otherwise, ~cond)):
                if nodes is node.otherwise and out is None and self.is_empty(node):
                    continue
                lanes = self.both(mask, taken)
                if weight(nodes) <= SHORT:
                    self.side(nodes, lanes, out)
                    continue
                with b.If(b.any(lanes)):
                    self.side(nodes, lanes, out)
        return mask if out is None else out.value

    def is_empty(self, node: If) -> bool:
        """Whether the second side does nothing at all."""
        (block, *more) = node.otherwise
        assert isinstance(block, Block)
        return not more and not block.instrs and not node.next_block.phis

    def side(self, nodes: list[CFNode], lanes: Mask, out: Var[Value] | None) -> bool:
        """One side of an If; whether it ends with a jump that all lanes take."""
        rest = self.scoped(nodes, lanes)
        if isinstance(rest, _Dead):
            return True
        if out is not None:
            out.value = out.value | self.full(rest)
        return False

    def leaves(self, nodes: list[CFNode], looped: bool = False) -> bool:
        """Whether a part of the lanes may leave these nodes for good. `looped`: within a loop, out
        of which lanes come back behind it."""
        assert self.divergence is not None
        for node in nodes:
            if isinstance(node, Block):
                jump = node.jump
                if jump is not None and (jump.kind == "return" or not looped):
                    if node not in self.divergence.direct:
                        return True
                for i in node.instrs:
                    if isinstance(i, IntrinsicInstr) and i.name == "terminate":
                        return True
            elif isinstance(node, If):
                if self.leaves(node.then, looped) or self.leaves(node.otherwise, looped):
                    return True
            elif isinstance(node, Loop) and self.leaves(node.body, True):
                return True
        return False

    # ---- loops
    def loop(self, node: Loop, mask: Mask) -> Mask:
        """A loop, around which no lane that runs may be missing."""
        assert self.divergence is not None
        how = self.divergence.loops[node]
        if self.divergence.drops_lanes and not how.masked and mask is not None:
            # scalars would go on without any lane
            with self.b.If(self.b.any(mask)):
                self.rounds_of(node, how, mask)
            return mask
        return self.rounds_of(node, how, mask)

    def rounds_of(self, node: Loop, how: LoopLanes, mask: Mask) -> Mask:
        """The loop itself; the lanes behind it."""
        b = self.b
        assert self.rounds is not None
        frame = _Frame(b, node, how, self.full(mask))
        self.frames.append(frame)
        with b.Loop():
            lanes = mask if frame.active is None else frame.active.value
            last = self.rounds.value >= MAX_ROUNDS
            if lanes is not None and frame.active is not None:
                last = last | ~b.any(lanes)
            with b.If(last, likely=False):
                with b.If(self.rounds.value >= MAX_ROUNDS):
                    self.env.loops_cut()
                if frame.broken is not None:
                    frame.broken.value = frame.broken.value | self.full(lanes)
                b.Break()
            self.rounds.value = self.rounds.value + 1
            if frame.continued is not None:
                frame.continued.value = b.const(self.mask_type, 0)
            rest = self.scoped(node.body, lanes)
            if not isinstance(rest, _Dead):
                self.set_active(frame, rest)
        self.frames.pop()
        # all lanes that came leave a loop sometime, but for those that end in it
        return mask if frame.broken is None else frame.broken.value

    def set_active(self, frame: _Frame, rest: Value | None) -> None:
        """The lanes of the next round: `rest`, and those that are there already."""
        if frame.active is None:
            return
        active = self.full(rest)
        if frame.continued is not None:
            active = active | frame.continued.value
        frame.active.value = active

    def skip_round(self, node: If, mask: Mask, behind: list[CFNode]) -> None:
        """In a loop, where lanes may have left in an If: if all did, the round is over."""
        if not self.frames or not isinstance(node.parent, Loop) or weight(behind) <= SHORT:
            return
        with self.b.If(~self.b.any(self.full(mask)), likely=False):
            self.set_active(self.frames[-1], self.b.const(self.mask_type, 0))
            self.b.Continue()

    def jump(self, block: Block, instr: JumpInstr, mask: Mask) -> Mask | _Dead:
        """A break, continue or return of the lanes of the mask."""
        assert self.divergence is not None
        if instr.kind == "return":
            return self.b.const(self.mask_type, 0)
        frame = self.frames[-1]
        leaves = instr.kind == "break"
        if block in self.divergence.direct:
            self._jump_together(frame, leaves, mask)
            return DEAD
        var = frame.broken if leaves else frame.continued
        if var is not None:
            var.value = var.value | self.full(mask)
        return self.b.const(self.mask_type, 0)

    def _jump_together(self, frame: _Frame, leaves: bool, mask: Mask) -> None:
        """All lanes that are left of the round jump: a branch."""
        b = self.b
        if not leaves:
            self.set_active(frame, mask)
            b.Continue()
            return
        if frame.broken is not None:
            frame.broken.value = frame.broken.value | self.full(mask)
        if frame.continued is None:
            b.Break()
            return
        self.set_active(frame, b.const(self.mask_type, 0))
        b.Continue()
