# SPDX-License-Identifier: MIT
"""The interpreter: what a token stream means, in numpy, over any number of lanes at once.

In: a stream, inputs by nir's slots (slots.py), constant blocks, textures as nir's interpreter has
them.  Out: nir's `Result`.  Registers are uint32 arrays (registers, 4, lanes).  What an opcode
computes is its row (opcodes.py) over arrays (lanes.py); here are registers, masks and control flow.
Indices keep nir's rule: unsigned, a load beyond the last register of an array gives that one, a
store vanishes, constants beyond their block are 0; all loops together make MAX_ROUNDS rounds.  A
killed fragment goes on as a helper.  Counterpart of tgsi_exec.c.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pydri.nir.instr import TexInstr
from pydri.nir.interp import Result, TextureFn, raw
from pydri.nir.ir import MAX_ROUNDS
from pydri.nir.memory import Memory
from pydri.tgsi.exec.lanes import LANES, Arr
from pydri.tgsi.exec.memory import run_access
from pydri.tgsi.exec.wide import run_wide
from pydri.tgsi.tokens import enums as t
from pydri.tgsi.tokens.iterate import stream_of
from pydri.tgsi.tokens.opcodes import REPL
from pydri.tgsi.tokens.parse import Declaration, Instruction, Stream
from pydri.tgsi.tokens.registers import Dim, Dst, Ind, Src
from pydri.tgsi.tokens.resources import ACCESSES, Lacking
from pydri.tgsi.tokens.slots import FRAGMENT_VALUES, SYSTEM_VALUES, NoSlot, outputs_of, varying_slot
from pydri.tgsi.tokens.structure import DEEPEST, Branch, Cycle, Node, Program, Switch, structure
from pydri.tgsi.tokens.tex import NoTexture, form_of, lod_place
from pydri.util.deep_stack import DeepStack

_SIGN = np.uint32(1 << 31)
#: inputs that are system values where vertices have none
_SYSTEM_TOO = {t.SEMANTIC_PCOORD: "point_coord", t.SEMANTIC_PRIMID: "primitive_id"}


class ExecError(Exception):
    """The shader does something that has no meaning here; the text names the instruction."""


def run(
    shader: Stream | Sequence[int],
    lanes: int,
    *,
    attributes: Sequence[int] | None = None,
    inputs: Mapping[int, object] | None = None,
    ubos: Mapping[int, bytes] | None = None,
    system: Mapping[str, object] | None = None,
    texture: TextureFn | None = None,
    mask: Arr | None = None,
    helpers: Arr | None = None,
    max_rounds: int = MAX_ROUNDS,
    memory: Memory | None = None,
) -> Result:
    """Run a shader; arguments are those of nir's interpreter. `attributes`: the slot of each input
    register of a vertex shader (its own number, where it is not said).
    """
    machine = Machine(stream_of(shader), lanes, texture, max_rounds)
    machine.resources = memory or machine.resources
    try:
        return _run(machine, attributes, inputs, ubos, system, mask, helpers)
    except (ExecError, NoSlot, NoTexture, Lacking) as error:
        raise ExecError(f"{error}{machine.stream.place(machine.at)}") from None


def _run(
    machine: Machine, attributes: Sequence[int] | None, inputs: Mapping[int, object] | None,
    ubos: Mapping[int, bytes] | None, system: Mapping[str, object] | None, mask: Arr | None,
    helpers: Arr | None,
) -> Result:  # fmt: skip
    """Load a machine and run it."""
    if mask is not None:
        machine.entered = mask
    if helpers is not None:
        machine.helpers = helpers
    for block, data in (ubos or {}).items():
        machine.constants[block] = np.frombuffer(bytes(data), np.uint32)
    for name, values in (system or {}).items():
        machine.system[name] = np.atleast_2d(np.asarray(values).T)
    machine.load_inputs(inputs or {}, attributes)
    with np.errstate(all="ignore"), DeepStack(DEEPEST):
        return machine.main()


class _Frame:
    """Lanes that left or restarted the loop, the switch or the subroutine that is being run."""

    def __init__(self, kind: str, lanes: int) -> None:
        self.kind = kind
        self.gone = np.zeros(lanes, np.bool_)
        self.continued = np.zeros(lanes, np.bool_)


class Machine:
    """Registers, masks and the walk over a program."""

    def __init__(
        self, stream: Stream, lanes: int, texture: TextureFn | None, max_rounds: int
    ) -> None:
        self.stream = stream
        self.lanes = lanes
        self.texture = texture
        self.rounds_left = max_rounds
        self.at: Instruction | None = None  # that is being run
        self.program: Program = structure(stream)
        self.entered = np.ones(lanes, np.bool_)
        self.helpers = np.zeros(lanes, np.bool_)
        self.discarded = np.zeros(lanes, np.bool_)
        self.constants: dict[int, Arr] = {}
        self.system: dict[str, Arr] = {}
        self.frames: list[_Frame] = []
        self.files: dict[int, Arr] = {}
        self.arrays: dict[tuple[int, int], tuple[int, int]] = {}
        self.resources = Memory()
        self.lookups: dict[int, TexInstr] = {}
        self.declare()

    # ---- registers
    def declare(self) -> None:
        """Make the registers that are declared; nothing else is there."""
        counts: dict[int, int] = {}
        for decl in self.stream.declarations:
            if decl.array is not None:
                self.arrays[decl.file, decl.array] = (decl.first, decl.last)
            counts[decl.file] = max(counts.get(decl.file, 0), decl.last + 1)
        for file in (t.FILE_TEMPORARY, t.FILE_INPUT, t.FILE_OUTPUT, t.FILE_ADDRESS,
                     t.FILE_SYSTEM_VALUE):  # fmt: skip
            self.files[file] = np.zeros((counts.get(file, 0), 4, self.lanes), np.uint32)
        values = [(*imm.values, 0, 0, 0, 0)[:4] for imm in self.stream.immediates]
        table = np.array(values, np.uint32).reshape(-1, 4, 1)
        self.files[t.FILE_IMMEDIATE] = np.broadcast_to(table, (len(values), 4, self.lanes))

    def load_inputs(self, given: Mapping[int, object], attributes: Sequence[int] | None) -> None:
        """Put values into inputs and system values."""
        for decl in self.stream.declarations:
            if decl.file not in (t.FILE_INPUT, t.FILE_SYSTEM_VALUE):
                continue
            for number in range(decl.first, decl.last + 1):
                register = self.files[decl.file][number]
                if decl.file == t.FILE_SYSTEM_VALUE:
                    self.system_value(register, decl)
                elif self.stream.processor == t.VERTEX:
                    if attributes is not None and number >= len(attributes):
                        raise ExecError(f"IN[{number}] is no attribute")
                    slot = number if attributes is None else attributes[number]
                    self.load(register, given.get(slot))
                else:
                    self.fragment_input(register, decl, number - decl.first, given)

    def load(self, register: Arr, values: object) -> None:
        """A vector; missing components are 0, 0, 0, 1 (GL 2.1, 2.8)."""
        if values is None:
            return
        array = np.asarray(values).reshape(self.lanes, -1)
        register[3] = raw(np.float32(1)) if array.dtype.kind == "f" else np.uint32(1)
        register[: array.shape[1]] = raw(array).T

    def fragment_input(
        self, register: Arr, decl: Declaration, number: int, given: Mapping[int, object]
    ) -> None:
        if decl.semantic is None:
            raise ExecError("an input without a semantic")
        semantic = decl.semantic._replace(number=decl.semantic.number + number)
        if semantic.name == t.SEMANTIC_FACE:  # a number whose sign says it
            front = self.system.get("front_face", np.ones((1, self.lanes), np.bool_))
            register[:] = raw(np.where(front, np.float32(1), np.float32(-1)))
            return
        name = FRAGMENT_VALUES.get((semantic.name, semantic.number))
        if name is not None:
            self.named(register, name)
        else:
            self.load(register, given.get(varying_slot(semantic)))
            other = _SYSTEM_TOO.get(semantic.name)
            if other is not None and varying_slot(semantic) not in given:
                self.named(register, other)

    def named(self, register: Arr, name: str) -> None:
        """A system value by nir's name; zero if it was not given."""
        value = self.system.get(name)
        if value is not None:
            register[: value.shape[0]] = raw(value)
        elif name == "vertex_id":
            register[0] = np.arange(self.lanes)

    def system_value(self, register: Arr, decl: Declaration) -> None:
        assert decl.semantic is not None
        name = SYSTEM_VALUES.get(decl.semantic.name)
        if name is None:
            raise ExecError(f"no value of {t.word(t.SEMANTICS, decl.semantic.name)}")
        if name == "helper_invocation":
            register[:] = np.where(self.helpers, 0xFFFFFFFF, 0)
            return
        self.named(register, name)
        if name == "front_face":
            register[:] = np.where(register[:1] != 0, 0xFFFFFFFF, 0)

    # ---- reading and writing
    def index(self, file: int, number: int, ind: Ind | None) -> tuple[Any, Any]:
        """The register of each lane (one number where there is no indirection), and where it is
        one of the array (None: everywhere).
        """
        if ind is None:
            return number, None
        first, last = 0, self.files[file].shape[0] - 1
        if ind.array_id:
            first, last = self.arrays.get((file, ind.array_id), (first, last))
        address = self.files[ind.file][ind.number][ind.swizzle].astype(np.int64)
        relative = (address + (number - first)) & 0xFFFFFFFF
        return first + np.minimum(relative, last - first), relative <= last - first

    def register(self, src: Src) -> Arr:
        """What a source register holds, before swizzle and sign."""
        if src.file == t.FILE_CONSTANT:
            return self.constant(src)
        cells = self.files.get(src.file)
        if cells is None:
            raise ExecError(f"{t.word(t.FILES, src.file)} cannot be read")
        at, _ = self.index(src.file, src.number, src.ind)
        if src.ind is None:
            return cells[at]
        if not cells.shape[0]:
            return np.zeros((4, self.lanes), np.uint32)
        found: Arr = cells[at, :, np.arange(self.lanes)].T
        return found

    def constant(self, src: Src) -> Arr:
        dim: Dim | None = src.dim
        if dim is not None and dim.indirect is not None:
            raise ExecError("constant blocks that are chosen at run time")
        data = self.constants.get(dim.number if dim else 0, np.zeros(0, np.uint32))
        at: Any = np.int64(src.number)
        if src.ind is not None:
            cells = self.files[src.ind.file][src.ind.number][src.ind.swizzle]
            at = at + np.ascontiguousarray(cells).view(np.int32)
        return self.dwords(data, np.atleast_1d(at) * 4, 4)

    def dwords(self, data: Arr, first: Arr, count: int) -> Arr:
        """Words of a block, 0 where it has none."""
        index = first + np.arange(count)[:, None]
        inside = (index >= 0) & (index < data.size)
        if not data.size:
            return np.zeros((count, self.lanes), np.uint32)
        found = np.where(inside, data[np.where(inside, index, 0)], np.uint32(0))
        return np.broadcast_to(found, (count, self.lanes))

    def fetch(self, src: Src, letter: str = "f") -> Arr:
        """A source, (4, lanes)."""
        value = self.register(src)[list(src.swz)]
        if src.absolute:
            value = value & ~_SIGN if letter == "f" else LANES.iabs(value)
        if src.negated:
            value = value ^ _SIGN if letter == "f" else LANES.ineg(value)
        return value

    def store(self, dst: Dst, value: Arr, mask: Arr, saturate: bool = False) -> None:
        """Write the masked components, (4, lanes), in the lanes of the mask."""
        cells = self.files.get(dst.file)
        if cells is None or dst.file == t.FILE_IMMEDIATE:
            raise ExecError(f"{t.word(t.FILES, dst.file)} cannot be written")
        if saturate:
            value = LANES.fsat(value)
        at, inside = self.index(dst.file, dst.number, dst.ind)
        if dst.ind is not None:
            if not cells.shape[0]:
                return
            lanes = np.nonzero(mask & inside)[0]
            for n in range(4):
                if dst.mask >> n & 1:
                    cells[at[lanes], n, lanes] = value[n, lanes]
            return
        register, whole = cells[at], bool(mask.all())
        for n in range(4):
            if dst.mask >> n & 1:
                register[n] = value[n] if whole else np.where(mask, value[n], register[n])

    # ---- control flow; each step returns the lanes that go on behind the node
    def main(self) -> Result:
        self.nodes(self.program.main, self.entered)
        return Result(self.outputs(), self.discarded, {})

    def outputs(self) -> dict[int, Arr]:
        found: dict[int, Arr] = {}
        for out in outputs_of(self.stream):
            cells = self.files[t.FILE_OUTPUT][out.register]
            found[out.slot] = np.roll(cells, -out.first, axis=0) if out.first else cells.copy()
        return found

    def nodes(self, nodes: list[Node], mask: Arr) -> Arr:
        for node in nodes:
            if not mask.any():
                break
            if isinstance(node, Instruction):
                mask = self.instruction(node, mask)
            elif isinstance(node, Branch):
                mask = self.branch(node, mask)
            elif isinstance(node, Cycle):
                mask = self.loop(node, mask)
            else:
                mask = self.switch(node, mask)
        return mask

    def branch(self, node: Branch, mask: Arr) -> Arr:
        self.at = node.instr
        value = np.ascontiguousarray(self.fetch(node.instr.srcs[0], node.instr.op.sources)[0])
        taken = value != 0 if node.instr.op.name == "UIF" else value.view(np.float32) != 0
        then = self.nodes(node.then, mask & taken)
        return then | self.nodes(node.otherwise, mask & ~taken)

    def loop(self, node: Cycle, mask: Arr) -> Arr:
        frame = _Frame("loop", self.lanes)
        self.frames.append(frame)
        while mask.any() and self.rounds_left:
            self.rounds_left -= 1
            rest = self.nodes(node.body, mask)
            mask = rest | frame.continued
            frame.continued = np.zeros(self.lanes, np.bool_)
        self.frames.pop()
        return frame.gone | mask

    def switch(self, node: Switch, mask: Arr) -> Arr:
        """Lanes come in at their case, or at DEFAULT where none is theirs, and go on from there."""
        self.at = node.instr
        value = self.fetch(node.instr.srcs[0], "i")[0]
        hits = [
            None if src is None else (self.fetch(src, "i")[0] == value) for src, _ in node.cases
        ]
        matched = np.zeros(self.lanes, np.bool_)
        for hit in hits:
            matched |= False if hit is None else hit
        frame = _Frame("switch", self.lanes)
        self.frames.append(frame)
        on = np.zeros(self.lanes, np.bool_)
        waiting = mask.copy()
        for hit, (_, body) in zip(hits, node.cases, strict=True):
            comes = waiting & (~matched if hit is None else hit)
            waiting &= ~comes
            on = self.nodes(body, on | comes)
        self.frames.pop()
        return on | frame.gone | waiting

    def call(self, instr: Instruction, mask: Arr) -> Arr:
        body = self.program.subs.get(instr.label or 0)
        if body is None:
            raise ExecError(f"CAL :{instr.label}: no subroutine begins there")
        if not self.rounds_left:
            return mask
        self.rounds_left -= 1  # so that recursion ends
        frame = _Frame("sub", self.lanes)
        self.frames.append(frame)
        rest = self.nodes(body, mask)
        self.frames.pop()
        return rest | frame.gone

    def leave(self, name: str, mask: Arr) -> Arr:
        """BRK, CONT, RET, END."""
        wanted = {"BRK": ("loop", "switch"), "CONT": ("loop",), "RET": ("sub",)}.get(name, ())
        for frame in reversed(self.frames):
            if frame.kind in wanted:
                if name == "CONT":
                    frame.continued |= mask
                else:
                    frame.gone |= mask
                break
        return np.zeros(self.lanes, np.bool_)

    # ---- instructions
    def instruction(self, instr: Instruction, mask: Arr) -> Arr:
        op, self.at = instr.op, instr
        if op.wide:
            run_wide(self, instr, mask)
        elif op.expand is not None:
            self.store(instr.dsts[0], self.value(instr), mask, instr.saturate)
        elif op.is_tex:
            self.store(instr.dsts[0], self.lookup(instr), mask, instr.saturate)
        elif op.name in ("BRK", "CONT", "RET", "END"):
            return self.leave(op.name, mask)
        elif op.name == "CAL":
            return self.call(instr, mask)
        elif op.name in ("KILL", "DEMOTE"):
            self.discarded |= mask
        elif op.name == "KILL_IF":
            negative = np.ascontiguousarray(self.fetch(instr.srcs[0])).view(np.float32) < 0
            self.discarded |= mask & negative.any(axis=0)
        elif op.name == "READ_HELPER":
            helper = np.where(self.helpers | self.discarded, np.uint32(0xFFFFFFFF), np.uint32(0))
            self.store(instr.dsts[0], np.tile(helper, (4, 1)), mask)
        elif op.name == "LOAD" and instr.srcs[0].file == t.FILE_CONSTBUF:
            data = self.constants.get(instr.srcs[0].number, np.zeros(0, np.uint32))
            first = self.fetch(instr.srcs[1], "i")[0].astype(np.int64) // 4
            self.store(instr.dsts[0], self.dwords(data, first, 4), mask)
        elif op.name in ACCESSES:
            run_access(self, instr, mask)
        elif op.name not in ("NOP", "MEMBAR"):
            raise ExecError(f"{op.name} has no meaning here")
        return mask

    def value(self, instr: Instruction) -> Arr:
        """What an opcode with an expression gives, (4, lanes)."""
        op = instr.op
        assert op.expand is not None
        srcs = [
            self.fetch(src, op.sources[min(n, len(op.sources) - 1)])
            for n, src in enumerate(instr.srcs)
        ]
        if op.mode == REPL:
            srcs = [src[: op.reads] for src in srcs]
        found = op.expand(LANES, *srcs)
        return np.broadcast_to(found, (4, found.shape[-1]))

    def lookup(self, instr: Instruction) -> Arr:
        """A texture instruction, asked as nir's."""
        assert instr.texture is not None
        form, target = form_of(instr.op.name, instr.texture.target)
        if self.texture is None:
            raise ExecError("the shader reads a texture; pass texture=")
        operands = [self.fetch(src, instr.op.sources) for src in instr.srcs[:-1]]
        sampler = instr.srcs[-1].number
        srcs: dict[str, Arr] = {}
        lod = lod_place(form, target)
        if lod is not None:
            operand, component = lod
            zero = np.zeros((1, self.lanes), np.uint32)
            level = zero if component < 0 else operands[operand][component : component + 1]
            srcs["bias" if form.op == "txb" else "lod"] = level
        if form.op != "txs":
            layered = target.layer >= 0 and form.op != "lod"
            picks = [*range(target.size), *([target.layer] if layered else [])]
            srcs["coord"] = operands[0][picks]
            at = target.comparator
            if at >= 0 and form.op not in ("lod", "tg4"):
                srcs["comparator"] = operands[1][:1] if at == 4 else operands[0][at : at + 1]
        for offset in instr.texture.offsets[:1]:
            steps = self.fetch(Src(offset.file, offset.number, (*offset.swz, 0)), "u")
            srcs["offset"] = steps[: target.size]
        if form.project:
            factor = LANES.frcp(operands[0][3:4])
            parts = [LANES.fmul(part[None], factor) for part in srcs["coord"][: target.size]]
            srcs["coord"] = np.concatenate([*parts, srcs["coord"][target.size :]])
            if "comparator" in srcs:
                srcs["comparator"] = LANES.fmul(srcs["comparator"], factor)
        if form.gradients:
            srcs["ddx"], srcs["ddy"] = (operands[n][: target.size] for n in (1, 2))
        same = self.nir_lookup(form.op, target.dim, target.layer >= 0, target.comparator >= 0,
                               sampler)  # fmt: skip
        if form.component:
            same.component = int(operands[1].view(np.uint32)[0, 0]) & 3
        found = raw(self.texture(same, srcs))
        out = np.zeros((4, self.lanes), np.uint32)
        out[: found.shape[0]] = found
        if form.op == "txs":
            levels = self.nir_lookup("query_levels", target.dim, False, False, sampler)
            out[3] = raw(self.texture(levels, {}))[0]
        return out

    def nir_lookup(self, op: str, dim: str, is_array: bool, shadow: bool, unit: int) -> TexInstr:
        return TexInstr(op, [], sampler_dim=dim, is_array=is_array, is_shadow=shadow,
                        texture_index=unit, sampler_index=unit)  # fmt: skip
