# SPDX-License-Identifier: MIT
"""TGSI to nir.

In: a stream; for vertex shaders the attribute slot of each input register.  Out: a nir shader whose
inputs and outputs are slots, in SSA.  Registers that are written become local variables of four
components (arrays where they are indexed), which lower_vars_to_ssa takes away; outputs are stored
once, at the end.  RET, switches and calls become loops that run once (`_Exit`), so that there is
one way out.  What an opcode computes is its row's `expand` over nir's Builder, the same that
machine.py runs.  Counterpart of tgsi_to_nir.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydri.nir import types
from pydri.nir.builder import Builder
from pydri.nir.enums import INTERP_NONE
from pydri.nir.ir import Deref, LoadConst, Shader, SSADef, Variable
from pydri.nir.passes import run_pass
from pydri.nir.stages import ATTRIBUTES, OFFERED
from pydri.tgsi.tokens import enums as t
from pydri.tgsi.tokens.iterate import stream_of
from pydri.tgsi.tokens.opcodes import CHAN, REPL
from pydri.tgsi.tokens.parse import Declaration, Immediate, Instruction, Stream
from pydri.tgsi.tokens.registers import Dst, Src
from pydri.tgsi.tokens.resources import ACCESSES, Lacking, access_of
from pydri.tgsi.tokens.slots import (
    FRAGMENT_VALUES,
    INTERP,
    SYSTEM_VALUES,
    NoSlot,
    outputs_of,
    varying_slot,
)
from pydri.tgsi.tokens.structure import DEEPEST, Branch, Cycle, Node, Program, Switch, structure
from pydri.tgsi.tokens.tex import NoTexture, form_of, lod_place
from pydri.tgsi.translate.to_nir_memory import translate_access
from pydri.util.deep_stack import DeepStack

#: the stages that there are words for, by processor: those have the numbers of stages
STAGES = {row.number: row for row in OFFERED}
#: a call within a call ... so many times at most: nir has no calls, they are written out
MAX_CALLS = 32


class Unsupported(Exception):
    """The stream does something that nir here has no words for; the text names the instruction."""


#: passes that clean up and change no result, not by a bit
CLEAN = ("opt_copy_prop", "opt_remove_phis", "opt_dce", "opt_cse", "opt_dce")


def to_nir(shader: Stream | Sequence[int], attributes: Sequence[int] | None = None) -> Shader:
    """The nir of a stream. `attributes`: the slot of each input register of a vertex shader (its
    own number, where it is not said).
    """
    stream = stream_of(shader)
    with DeepStack(DEEPEST):
        translation = _Translation(stream, attributes)
        try:
            found = translation.run()
        except (Unsupported, NoSlot, NoTexture, Lacking) as error:
            raise Unsupported(f"{error}{stream.place(translation.at)}") from None
        for name in ("lower_vars_to_ssa", *CLEAN):
            run_pass(found, name)
    found.main.index_ssa_defs()
    return found


class _Exit:
    """Something that can be left: a loop of the text, or one that stands for a switch, a
    subroutine, the program. `flags` are variables of those around it that lanes want to leave
    while they are within it: it breaks, and then they break on.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.flags: list[tuple[_Exit, Variable, bool]] = []


class _Translation:
    def __init__(self, stream: Stream, attributes: Sequence[int] | None) -> None:
        if stream.processor not in STAGES:
            raise Unsupported(f"shaders of {t.word(t.PROCESSORS, stream.processor)}")
        self.stream = stream
        self.row = STAGES[stream.processor]
        self.attributes = attributes
        self.shader = Shader(self.row.name)
        self.b = Builder(self.shader)
        self.program: Program = structure(stream)
        #: by file: first and last register, whether it is indexed as one array, its variable
        self.spans: dict[int, list[tuple[int, int, int, Variable]]] = {}
        self.inputs: dict[int, Declaration] = {}
        self.values: dict[int, Declaration] = {}
        self.immediates: list[Immediate] = stream.immediates
        self.exits: list[_Exit] = []
        self.calls = 0
        self.at: Instruction | None = None  # that is being translated

    # ---- registers
    def run(self) -> Shader:
        for decl in self.stream.declarations:
            if decl.file == t.FILE_SYSTEM_VALUE:
                self.values.update(dict.fromkeys(range(decl.first, decl.last + 1), decl))
            elif decl.file == t.FILE_INPUT:
                self.inputs.update(dict.fromkeys(range(decl.first, decl.last + 1), decl))
        for file in (t.FILE_TEMPORARY, t.FILE_ADDRESS, t.FILE_OUTPUT):
            self.declare(file)
        if _has(self.program.main, "RET"):
            self.once("main", self.program.main)
        else:
            self.nodes(self.program.main)
        self.store_outputs()
        return self.shader

    def declare(self, file: int) -> None:
        """Variables of a file: one for each array, one for each other register; one for all of
        them where an indirection names no array.
        """
        decls = [decl for decl in self.stream.declarations if decl.file == file]
        spans = self.spans.setdefault(file, [])
        if not decls:
            return
        name = t.FILES[file].lower()
        if _indexed_whole(self.stream, file):
            last = max(decl.last for decl in decls)
            arrays = [(0, last, 0)]
        else:
            arrays = [(d.first, d.last, d.array) for d in decls if d.array]
            singles = {n for d in decls if not d.array for n in range(d.first, d.last + 1)}
            for n in sorted(singles):
                var = self.b.local(f"{name}{n}", types.vector("float", 4))
                spans.append((n, n, 0, var))
        for first, last, array in arrays:
            kind = types.array(types.vector("float", 4), last - first + 1)
            spans.append((first, last, array, self.b.local(f"{name}{first}_{last}", kind)))

    def place(self, register: Src | Dst) -> Deref:
        """The variable of a register, with its index."""
        number, ind = register.number, register.ind
        for first, last, array, var in self.spans.get(register.file, ()):
            named = ind is not None and (ind.array_id == array)
            if not named and not (ind is None and first <= number <= last):
                continue
            if not isinstance(var.type, types.ArrayType):
                return Deref(var)
            if ind is None:
                return Deref(var)[number - first]
            address = self.register(Src(ind.file, ind.number))
            base = self.b.swizzle(address, (ind.swizzle,))
            return Deref(var)[self.b.alu("iadd", base, number - first)]
        raise Unsupported(f"{t.word(t.FILES, register.file)}[{number}]")

    def register(self, src: Src) -> SSADef:
        """What a register holds: four components, before swizzle and sign."""
        b = self.b
        if src.file == t.FILE_IMMEDIATE and src.ind is None:
            return self.immediate(src.number)
        if src.file == t.FILE_CONSTANT:
            return self.constant(src)
        if src.file == t.FILE_INPUT:
            return self.input(src)
        if src.file == t.FILE_SYSTEM_VALUE and src.ind is None:
            return self.system_value(src.number)
        return b.load_var(self.place(src))

    def immediate(self, number: int) -> SSADef:
        imm = self.immediates[number]
        words = (*imm.values, 0, 0, 0, 0)[:4]
        kind = "float" if imm.type == t.IMM_FLOAT32 else "int"
        instr = LoadConst(words, 32, kind)
        self.b.insert(instr)
        return instr.dest

    def constant(self, src: Src) -> SSADef:
        b, dim = self.b, src.dim
        if dim is not None and dim.indirect is not None:
            raise Unsupported("constant blocks that are chosen at run time")
        block = dim.number if dim else 0
        if src.ind is None:
            return b.load_ubo(block, 16 * src.number)
        address = self.register(Src(src.ind.file, src.ind.number))
        index = b.alu("iadd", b.swizzle(address, (src.ind.swizzle,)), src.number)
        return b.load_ubo(block, b.alu("ishl", index, 4))

    def input(self, src: Src) -> SSADef:
        if src.ind is not None:
            return self.indexed_input(src)
        decl = self.inputs.get(src.number)
        if decl is None:
            raise Unsupported(f"IN[{src.number}] is not declared")
        b = self.b
        if self.row.inputs.kind == ATTRIBUTES:
            slots = self.attributes
            if slots is not None and src.number >= len(slots):
                raise Unsupported(f"IN[{src.number}] is no attribute")
            return b.load_input(src.number if slots is None else slots[src.number])
        if decl.semantic is None:
            raise Unsupported("a fragment input without a semantic")
        at = decl.semantic.number + src.number - decl.first
        semantic = decl.semantic._replace(number=at)
        if semantic.name == t.SEMANTIC_FACE:
            front = b.bcsel(b.load_front_face(), 1.0, b.imm_float(-1.0))
            return b.swizzle(front, (0, 0, 0, 0))
        name = FRAGMENT_VALUES.get((semantic.name, semantic.number))
        if name is not None:
            return self.widened(b.sysval(name))
        if semantic.name == t.SEMANTIC_PCOORD:
            return self.widened(b.sysval("point_coord"))
        interp = INTERP_NONE if decl.interp is None else INTERP[decl.interp.mode]
        return b.load_input(varying_slot(semantic), interp=interp)

    def indexed_input(self, src: Src) -> SSADef:
        """An input that is chosen at run time: out of all of its array."""
        assert src.ind is not None
        decls = [d for d in self.inputs.values() if d.array == src.ind.array_id or not src.ind[3]]
        if not decls:
            raise Unsupported("an array of inputs that is not declared")
        first, last = min(d.first for d in decls), max(d.last for d in decls)
        address = self.register(Src(src.ind.file, src.ind.number))
        index = self.b.swizzle(address, (src.ind.swizzle,))
        index = self.b.alu("iadd", index, src.number - first)
        found = self.input(Src(t.FILE_INPUT, last))
        for n in range(first, last):
            hit = self.b.alu("ieq", index, n - first)
            hit = self.b.swizzle(hit, (0, 0, 0, 0))
            found = self.b.bcsel(hit, self.input(Src(t.FILE_INPUT, n)), found)
        return found

    def system_value(self, number: int) -> SSADef:
        decl = self.values.get(number)
        if decl is None or decl.semantic is None or decl.semantic.name not in SYSTEM_VALUES:
            raise Unsupported(f"SV[{number}]")
        value = self.b.sysval(SYSTEM_VALUES[decl.semantic.name])
        if value.bit_size == 1:
            value = self.b.ineg(self.b.b2i(value))
        return self.widened(value)

    def widened(self, value: SSADef) -> SSADef:
        """Four components; those that there are not repeat the last."""
        last = value.num_components - 1
        return self.b.swizzle(value, tuple(min(n, last) for n in range(4)))

    def source(self, src: Src, picks: Sequence[int], letter: str = "f") -> SSADef:
        """Some components of an operand."""
        b = self.b
        value = b.swizzle(self.register(src), tuple(src.swz[n] for n in picks))
        if src.absolute:
            value = b.fabs(value) if letter == "f" else b.iabs(value)
        if src.negated:
            value = b.fneg(value) if letter == "f" else b.ineg(value)
        return value

    def store(self, dst: Dst, value: SSADef, saturate: bool = False) -> None:
        """Write components in the order of the mask."""
        if saturate:
            value = self.b.fsat(value)
        places = [n for n in range(4) if dst.mask >> n & 1]
        if not places:
            return
        picks = [0, 0, 0, 0]
        for at, place in enumerate(places):
            picks[place] = min(at, value.num_components - 1)
        wide = self.b.swizzle(value, tuple(picks))
        self.b.store_var(self.place(dst), wide, dst.mask)

    def store_outputs(self) -> None:
        b = self.b
        for out in outputs_of(self.stream):
            value = b.load_var(self.place(Dst(t.FILE_OUTPUT, out.register)))
            b.store_output(value if out.whole else b.swizzle(value, (out.first,)), out.slot)

    # ---- control flow
    def nodes(self, nodes: list[Node]) -> None:
        for node in nodes:
            if self.b.block.jump is not None:
                return  # what follows a jump is never run
            if isinstance(node, Instruction):
                self.instruction(node)
            elif isinstance(node, Branch):
                self.branch(node)
            elif isinstance(node, Cycle):
                self.cycle(node)
            else:
                self.switch(node)

    def branch(self, node: Branch) -> None:
        b, (src,), self.at = self.b, node.instr.srcs, node.instr
        if node.instr.op.name == "UIF":
            condition = b.ine(self.source(src, (0,), "i"), 0)
        else:
            condition = b.fneu(self.source(src, (0,)), 0.0)
        with b.If(condition):
            self.nodes(node.then)
        if node.otherwise:
            with b.Else():
                self.nodes(node.otherwise)

    def cycle(self, node: Cycle) -> None:
        exit_ = _Exit("loop")
        self.exits.append(exit_)
        with self.b.Loop():
            self.nodes(node.body)
        self.exits.pop()
        self.leave_on(exit_)

    def once(self, kind: str, body: list[Node]) -> None:
        """A body as a loop of one round, which can be left from anywhere within it."""
        exit_ = _Exit(kind)
        self.exits.append(exit_)
        with self.b.Loop():
            self.nodes(body)
            if self.b.block.jump is None:
                self.b.Break()
        self.exits.pop()
        self.leave_on(exit_)

    def leave_on(self, exit_: _Exit) -> None:
        """Behind something that was left: those who want to leave what is around it do."""
        for target, flag, again in exit_.flags:
            with self.b.If(self.b.load_var(flag)):
                self.b.store_var(flag, False)  # a next round begins without it
                self.jump(target, again)

    def jump(self, target: _Exit, again: bool) -> None:
        """Leave `target`, or begin its next round."""
        if self.exits[-1] is target:
            if again:
                self.b.Continue()
            else:
                self.b.Break()
            return
        inner = self.exits[-1]
        flag = next((f for to, f, c in inner.flags if to is target and c == again), None)
        if flag is None:
            flag = self.b.local(f"leave{len(self.shader.main.locals)}", types.vector("bool", 1))
            inner.flags.append((target, flag, again))
        self.b.store_var(flag, True)
        self.b.Break()

    def leave(self, name: str) -> None:
        """BRK, CONT, RET."""
        wanted = {"BRK": ("loop", "switch"), "CONT": ("loop",), "RET": ("sub", "main")}[name]
        for exit_ in reversed(self.exits):
            if exit_.kind in wanted:
                self.jump(exit_, name == "CONT")
                return
            if exit_.kind == "sub":
                break  # the loop of a caller is not left from within
        raise Unsupported(f"{name} outside of what it leaves")

    def switch(self, node: Switch) -> None:
        """One round: each case turns on those that it is for, and runs those that are on."""
        b, self.at = self.b, node.instr
        value = self.source(node.instr.srcs[0], (0,), "i")
        hits = [
            None if src is None else b.ieq(value, self.source(src, (0,), "i"))
            for src, _ in node.cases
        ]
        on = b.local(f"on{len(self.shader.main.locals)}", types.vector("bool", 1))
        b.store_var(on, False)
        exit_ = _Exit("switch")
        self.exits.append(exit_)
        with b.Loop():
            for hit, (_, body) in zip(hits, node.cases, strict=True):
                comes = hit if hit is not None else self.none_of(hits)
                b.store_var(on, b.ior(b.load_var(on), comes))
                with b.If(b.load_var(on)):
                    self.nodes(body)
            b.Break()
        self.exits.pop()
        self.leave_on(exit_)

    def none_of(self, hits: list[SSADef | None]) -> SSADef:
        found = self.b.imm_bool(False)
        for hit in hits:
            found = found if hit is None else self.b.ior(found, hit)
        return self.b.inot(found)

    def call(self, instr: Instruction) -> None:
        body = self.program.subs.get(instr.label or 0)
        if body is None:
            raise Unsupported(f"CAL :{instr.label}: no subroutine begins there")
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise Unsupported("calls within calls, more than can be written out")
        self.once("sub", body)
        self.calls -= 1

    # ---- instructions
    def instruction(self, instr: Instruction) -> None:
        b, op, self.at = self.b, instr.op, instr
        if op.wide:
            self.compute_wide(instr)
        elif op.expand is not None:
            self.compute(instr)
        elif op.is_tex:
            self.store(instr.dsts[0], self.lookup(instr), instr.saturate)
        elif op.name in ("BRK", "CONT", "RET"):
            self.leave(op.name)
        elif op.name == "CAL":
            self.call(instr)
        elif op.name in ("KILL", "DEMOTE"):
            b.discard()
        elif op.name == "KILL_IF":
            b.discard_if(b.any_true(b.flt(self.source(instr.srcs[0], range(4)), 0.0)))
        elif op.name == "READ_HELPER":
            self.store(instr.dsts[0], b.ineg(b.b2i(b.sysval("helper_invocation"))))
        elif op.name == "LOAD" and instr.srcs[0].file == t.FILE_CONSTBUF:
            offset = self.source(instr.srcs[1], (0,), "i")
            count = instr.dsts[0].mask.bit_length()
            value = b.load_ubo(instr.srcs[0].number, offset, count)
            picks = tuple(n for n in range(4) if instr.dsts[0].mask >> n & 1)
            self.store(instr.dsts[0], b.swizzle(value, picks))
        elif op.name in ACCESSES:
            self.access(instr)
        elif op.name not in ("NOP", "END", "MEMBAR"):
            raise Unsupported(f"{op.name}: nir here has no counterpart")

    def access(self, instr: Instruction) -> None:
        """An instruction on a buffer, an image or counters."""
        access = access_of(self.stream, instr)
        value = translate_access(
            self.b, access, lambda src, picks: self.source(src, picks, "i"), instr.dsts[0].mask
        )
        if value is not None:
            self.store(instr.dsts[0], value)

    def compute(self, instr: Instruction) -> None:
        """An opcode with an expression: of those components alone that are written."""
        b, op, dst = self.b, instr.op, instr.dsts[0]
        assert op.expand is not None
        places = [n for n in range(4) if dst.mask >> n & 1]
        picks: Sequence[int] = places
        if op.mode == REPL:
            picks = range(op.reads)
        elif op.mode == CHAN:
            picks = range(4)
        srcs = [
            self.source(src, picks, op.sources[min(n, len(op.sources) - 1)])
            for n, src in enumerate(instr.srcs)
        ]
        if not places:
            return
        found = op.expand(b, *srcs)
        if op.mode == CHAN:
            found = b.swizzle(found, tuple(places))
        self.store(dst, found, instr.saturate)

    def compute_wide(self, instr: Instruction) -> None:
        """An opcode on numbers of 64 bits: x and y are the halves of one, z and w of another."""
        b, op, dst = self.b, instr.op, instr.dsts[0]
        assert op.expand is not None
        short = op.wide[0] in "fiu"
        places = [n for n in range(4) if dst.mask >> n & 1]
        parts: dict[int, SSADef] = {}
        for number in (0, 1):
            if number >= len(places) if short else not dst.mask >> 2 * number & 3:
                continue
            srcs = [self.number(src, number, kind) for src, kind in zip(instr.srcs, op.wide[2:])]
            found = op.expand(b, *srcs)
            if instr.saturate:
                found = b.fsat64(found) if op.wide[0] == "d" else b.fsat(found)
            if short:
                parts[places[number]] = found
            else:
                parts[2 * number] = b.unpack_64_2x32_split_x(found)
                parts[2 * number + 1] = b.unpack_64_2x32_split_y(found)
        written = [n for n in places if n in parts]
        if written:
            value = b.vec(*(parts[n] for n in written))
            self.store(dst._replace(mask=sum(1 << n for n in written)), value)

    def number(self, src: Src, number: int, kind: str) -> SSADef:
        """The first or the second number of an operand, of a type of `Opcode.wide`."""
        b = self.b
        if kind in "fiu":
            return self.source(src, (number,), "f" if kind == "f" else "i")
        halves = src._replace(absolute=False, negated=False)
        low, high = (self.source(halves, (2 * number + n,)) for n in (0, 1))
        value, letter = b.pack_64_2x32_split(low, high), "f" if kind == "d" else "i"
        if src.absolute:
            value = b.alu(f"{letter}abs64", value)
        return b.alu(f"{letter}neg64", value) if src.negated else value

    def lookup(self, instr: Instruction) -> SSADef:
        """A texture instruction: the components of the mask."""
        assert instr.texture is not None
        b = self.b
        form, target = form_of(instr.op.name, instr.texture.target)
        operands, letter = instr.srcs[:-1], instr.op.sources
        sampler = instr.srcs[-1]
        if sampler.ind is not None:
            raise Unsupported("samplers that are chosen at run time")
        srcs: dict[str, SSADef] = {}
        lod = lod_place(form, target)
        if lod is not None:
            operand, component = lod
            kind = {"txb": "bias", "txf_ms": "ms_index"}.get(form.op, "lod")
            integer = letter == "i"
            if component < 0:
                srcs[kind] = b.imm_int(0) if integer else b.imm_float(0.0)
            else:
                srcs[kind] = self.source(operands[operand], (component,), letter)
        size = target.size
        if form.op != "txs":
            layer = [target.layer] if target.layer >= 0 and form.op != "lod" else []
            srcs["coord"] = self.source(operands[0], [*range(size), *layer], letter)
            at = target.comparator
            if at >= 0 and form.op not in ("lod", "tg4"):
                srcs["comparator"] = self.source(operands[at == 4], (at % 4,))
        for offset in instr.texture.offsets[:1]:
            steps = (*self.immediates[offset.number].values, 0, 0, 0)
            srcs["offset"] = b.imm_int(*(steps[n] for n in offset.swz[:size]))
        if form.project:
            factor = b.frcp(self.source(operands[0], (3,)))
            parts = b.components(srcs["coord"])
            srcs["coord"] = b.vec(*(b.fmul(part, factor) for part in parts[:size]), *parts[size:])
            if "comparator" in srcs:
                srcs["comparator"] = b.fmul(srcs["comparator"], factor)
        if form.gradients:
            for kind, operand in (("ddx", 1), ("ddy", 2)):
                srcs[kind] = self.source(operands[operand], range(size))
        return self.emit_lookup(instr, form.op, srcs)

    def component(self, src: Src) -> int:
        """Which component TG4's second operand names."""
        if src.file != t.FILE_IMMEDIATE or src.ind is not None:
            raise Unsupported("a component that is chosen at run time")
        return int(self.immediates[src.number].values[src.swz[0]]) & 3

    def emit_lookup(self, instr: Instruction, op: str, srcs: dict[str, SSADef]) -> SSADef:
        assert instr.texture is not None
        b, unit = self.b, instr.srcs[-1].number
        form, target = form_of(instr.op.name, instr.texture.target)
        fields: dict[str, Any] = {
            "sampler_dim": target.dim, "texture_index": unit, "sampler_index": unit
        }
        array, shadow = target.layer >= 0, target.comparator >= 0
        places = tuple(n for n in range(4) if instr.dsts[0].mask >> n & 1)
        if op != "txs":
            if form.component:
                fields["component"] = self.component(instr.srcs[1])
            found = b.tex(op, srcs, is_array=array, is_shadow=shadow, **fields)
            return b.swizzle(found, places)
        count = (2 if target.dim == "Cube" else target.size) + array
        sizes = b.tex("txs", srcs, is_array=array, num_components=count, kind="int", **fields)
        parts = b.components(sizes)
        parts += [b.imm_int(0)] * (3 - len(parts))
        levels = b.tex("query_levels", {}, num_components=1, kind="int", **fields)
        return b.swizzle(b.vec(*parts, levels), places)


def _has(nodes: list[Node], name: str) -> bool:
    """Whether an instruction stands in a tree; calls are not followed."""
    for node in nodes:
        if isinstance(node, Instruction):
            found = node.op.name == name
        elif isinstance(node, Branch):
            found = _has(node.then, name) or _has(node.otherwise, name)
        elif isinstance(node, Cycle):
            found = _has(node.body, name)
        else:
            found = any(_has(body, name) for _, body in node.cases)
        if found:
            return True
    return False


def _indexed_whole(stream: Stream, file: int) -> bool:
    """Whether an indirection into a file names no array of it."""
    arrays = {d.array for d in stream.declarations if d.file == file and d.array}
    for instr in stream.instructions:
        registers: list[Src | Dst] = [*instr.srcs, *instr.dsts]
        for register in registers:
            if register.file == file and register.ind and register.ind.array_id not in arrays:
                return True
    return False


__all__ = ["Unsupported", "to_nir"]
