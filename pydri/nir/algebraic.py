# SPDX-License-Identifier: MIT
"""The rule language of algebraic rewriting, and the matcher that applies rules.

A rule is `(search, replace)`.  A search is a tuple `(opcode, operand, ...)`; operands are

    "a"          any value; the same letter twice must be the same value with the same swizzle
    "#a"         a constant; "#a(pow2)" a constant that meets a named condition for each component
    0.5, 3, True a constant of that type with these bits (so 0.0 is not -0.0)
    (op, ...)    an instruction of this opcode

and a replacement is such a tuple, a letter, a number, or a Python function that is given a dict of
the constants bound to "#" letters and returns a number per component; a tuple that stands in it
more than once, as one Python object, is one instruction.  An opcode that begins with
"~" marks a rule that may change the result for NaN, infinities, signed zeros or in the last bit;
such rules are off in exact mode.  Operands of commutative opcodes match in either order.  Opcodes
with sources of fixed size (dot products, packing) cannot be searched for.

In: rules.  Out: `RuleSet`, with `apply(shader)`.  Counterpart of Mesa's nir_algebraic.py and
nir_search.c; theirs compiles the rules to C tables, ours indexes them by the root's opcode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from pydri.nir.builder import Builder, float_bits
from pydri.nir.ir import AluInstr, AluSrc, LoadConst, Shader, SSADef
from pydri.nir.opcodes import BITS, KINDS, OPCODES

Pattern = Any  #: str | float | int | bool | tuple of these; recursive types do not help here
Rule = tuple[Pattern, Pattern]
Binding = dict[str, AluSrc]

#: conditions on one component of a constant, given as its unsigned value
CONDITIONS: dict[str, Callable[[int], bool]] = {
    "pow2": lambda bits: bits != 0 and bits & (bits - 1) == 0,
}


class _Row(NamedTuple):
    """A rule as it is tried. What its search asks of an instruction's sources in any order is
    looked at first: whether one is constant, the opcodes that must be among them."""

    exact: bool
    search: Pattern
    replace: Pattern
    constant: bool
    opcodes: frozenset[str]
    literals: tuple[int, ...]  # bits that constants among the sources must have
    same: bool  # whether all of them are one value


class RuleSet:
    """Rules by the opcode of their root."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.by_op: dict[str, list[_Row]] = {}
        self._rows: dict[tuple[object, ...], tuple[_Row, ...]] = {}
        for search, replace in rules:
            _check(search)
            name = search[0]
            exact = not name.startswith("~")
            root = (name.lstrip("~"), *search[1:])
            named = [p for p in search[1:] if isinstance(p, tuple | str)]
            constant = len(named) < len(search) - 1 or any(p[0][0] == "#" for p in named)
            opcodes = frozenset(p[0] for p in named if isinstance(p, tuple))
            literals = tuple(_bits(p) for p in search[1:] if isinstance(p, bool | int | float))
            same = len(search) == 3 and isinstance(search[1], str) and search[1] == search[2]
            row = _Row(exact, root, replace, constant, opcodes, literals, same)
            self.by_op.setdefault(root[0], []).append(row)

    def apply(self, shader: Shader, exact: bool = False) -> bool:
        """Rewrite where the first fitting rule says so; True if anything was. Each instruction is
        looked at when its sources are what they will be, so that a second walk finds nothing but
        where loops come back to."""
        progress = False
        for function in shader.functions:
            done: dict[SSADef, SSADef] = {}
            b = Builder(shader, function)
            for instr in function.instrs():
                if not isinstance(instr, AluInstr):
                    continue
                if done:
                    for src in instr.srcs:
                        if src.ssa in done:
                            src.ssa = done[src.ssa]
                if rows := self._fitting(instr):
                    new = self._rewritten(b, instr, rows, exact)
                    if new is not None:
                        done[instr.dest] = new
            function.rewrite(done)
            progress |= bool(done)
            for old in done:
                old.instr.remove()
        return progress

    def _fitting(self, instr: AluInstr) -> tuple[_Row, ...]:
        """The rules that ask for no other opcodes among an instruction's sources, nor for a
        constant where there is none. They are found once for each such look of an instruction."""
        srcs = instr.srcs
        same = srcs[0].ssa is srcs[-1].ssa
        look = (instr.op.name, same, *[src.ssa.instr.look for src in srcs])
        rows = self._rows.get(look)
        if rows is None:
            sources = {src.ssa.instr.look for src in srcs}
            rows = self._rows[look] = tuple(
                row
                for row in self.by_op.get(instr.op.name, ())
                if row.opcodes <= sources
                and (LoadConst.look in sources or not row.constant)
                and (same or not row.same)
            )
        return rows

    def _rewritten(
        self, b: Builder, instr: AluInstr, rows: tuple[_Row, ...], exact: bool
    ) -> SSADef | None:
        """What takes an instruction's place in the end."""
        found = None
        while (new := self._rewrite(b, instr, rows, exact)) is not None:
            found = new
            if not isinstance(new.instr, AluInstr) or not (rows := self._fitting(new.instr)):
                break
            instr = new.instr
        return found

    def _rewrite(
        self, b: Builder, instr: AluInstr, rows: tuple[_Row, ...], exact: bool
    ) -> SSADef | None:
        if instr.saturate:
            return None
        width = instr.dest.num_components
        constants: set[int] = set()
        for src in instr.srcs:
            if isinstance(src.ssa.instr, LoadConst):
                constants.update(src.ssa.instr.values)
        for row in rows:
            literals = row.literals
            if (literals and not constants.issuperset(literals)) or (exact and not row.exact):
                continue
            binding: Binding = {}
            if _match_sources(row.search, instr, instr.srcs, binding):
                b.before(instr)
                kind = instr.dest.kind
                src = _build(b, row.replace, width, binding, instr.op.out_type, kind, {})
                if src.ssa.num_components == width and src.is_identity:
                    return src.ssa
                return b.swizzle(src.ssa, src.swizzle)
        return None


def _check(pattern: Pattern) -> None:
    if not isinstance(pattern, tuple):
        return
    op = OPCODES[pattern[0].lstrip("~")]
    if any(op.in_sizes) or op.out_size or len(pattern) != op.arity + 1:
        raise ValueError(f"a rule cannot search for {pattern}")
    for operand in pattern[1:]:
        _check(operand)


# ---- matching ---------------------------------------------------------------------------------
def _match_instr(
    pattern: Pattern, instr: AluInstr, components: tuple[int, ...], binding: Binding
) -> bool:
    """Does the instruction, of which `components` are read, fit the pattern?"""
    if instr.op.name != pattern[0] or instr.saturate:
        return False
    srcs = [AluSrc(s.ssa, tuple([s.swizzle[c] for c in components])) for s in instr.srcs]
    return _match_sources(pattern, instr, srcs, binding)


def _match_sources(
    pattern: Pattern, instr: AluInstr, srcs: list[AluSrc], binding: Binding
) -> bool:
    """Do the instruction's sources, read like this, fit the pattern's operands?"""
    before = dict(binding)
    for order in (srcs, srcs[::-1]) if instr.op.commutative else (srcs,):
        for number, src in enumerate(order, 1):
            if not _match(pattern[number], src, binding):
                break
        else:
            return True
        binding.clear()
        binding.update(before)
    return False


def _match(pattern: Pattern, src: AluSrc, binding: Binding) -> bool:
    if isinstance(pattern, tuple):
        source = src.ssa.instr
        return isinstance(source, AluInstr) and _match_instr(pattern, source, src.swizzle, binding)
    if isinstance(pattern, str):
        return _match_name(pattern, src, binding)
    values = constant_values(src)
    if values is None:
        return False
    if isinstance(pattern, bool):
        return src.ssa.bit_size == 1 and all(v == int(pattern) for v in values)
    bits = _bits(pattern)
    return src.ssa.bit_size == 32 and all(v == bits for v in values)


def _bits(number: float) -> int:
    """A literal of a rule as a constant's component holds it."""
    return float_bits(number) if isinstance(number, float) else number & 0xFFFFFFFF


def _match_name(pattern: str, src: AluSrc, binding: Binding) -> bool:
    name = pattern
    if name[0] == "#":
        name, _, condition = pattern.rstrip(")").partition("(")
        values = constant_values(src)
        if values is None or (condition and not all(map(CONDITIONS[condition], values))):
            return False
        name = name[1:]
    known = binding.setdefault(name, src)
    return known.ssa is src.ssa and known.swizzle == src.swizzle


def constant_values(src: AluSrc) -> tuple[int, ...] | None:
    """The bits that a source reads, if they are constant."""
    source = src.ssa.instr
    if not isinstance(source, LoadConst):
        return None
    return tuple(source.values[c] for c in src.swizzle)


# ---- building ---------------------------------------------------------------------------------
def _build(
    b: Builder, pattern: Pattern, width: int, binding: Binding, type_: str, kind: str,
    built: dict[int, AluSrc],
) -> AluSrc:  # fmt: skip
    """The replacement, as something that can be read with `width` components. `built` has the
    tuples of it that are instructions already, by identity."""
    if isinstance(pattern, str):
        return binding[pattern]
    if isinstance(pattern, tuple):
        if id(pattern) in built:
            return built[id(pattern)]
        op = OPCODES[pattern[0]]
        srcs = [
            _build(b, operand, width, binding, wanted, kind, built)
            for operand, wanted in zip(pattern[1:], op.in_types, strict=True)
        ]
        if op.out_type == "any":
            any_srcs = zip(srcs, op.in_types, strict=True)
            bits = next(s.ssa.bit_size for s, t in any_srcs if t == "any")
            instr = AluInstr(op, srcs, width, bits, kind)
        else:
            instr = AluInstr(op, srcs, width, BITS[op.out_type], KINDS[op.out_type])
        b.insert(instr)
        built[id(pattern)] = AluSrc(instr.dest, tuple(range(width)))
        return built[id(pattern)]
    if callable(pattern):
        values = pattern(_constants(binding))
        const = b.imm_int(*values)
        return AluSrc(const, tuple(range(width)))
    if isinstance(pattern, bool):
        return AluSrc(b.imm_bool(pattern), (0,) * width)
    if isinstance(pattern, float):
        return AluSrc(b.imm_float(pattern), (0,) * width)
    return AluSrc(b.imm_int(pattern), (0,) * width)


def _constants(binding: Binding) -> Mapping[str, tuple[int, ...]]:
    pairs = ((name, constant_values(src)) for name, src in binding.items())
    return {name: values for name, values in pairs if values is not None}
