# SPDX-License-Identifier: MIT
"""Operators, conversions and constructors as nir's instructions.

In: values of the typed tree.  Out: SSA values. Arithmetic of matrices is written out by columns:
products add up column times component, from the first on, as the fixed function does.
"""

from __future__ import annotations

from functools import reduce
from typing import Final

from pydri.glsl import tree
from pydri.glsl.translate.access import Access
from pydri.glsl.translate.base import Memory, Ref, Result, is_aggregate
from pydri.glsl.tree import Op, Value
from pydri.nir.ir import SSADef
from pydri.nir.lower_var_copies import leaf_paths
from pydri.nir.types import StructType, Type

#: operator and kind -> opcode, operands exchanged?
_OPCODES: Final[dict[tuple[str, str], tuple[str, bool]]] = {
    (op, kind): (name.lstrip("~"), name.startswith("~"))
    for kind, names in (
        ("float", "fadd fsub fmul fdiv fmod flt ~flt ~fge fge"),
        ("int", "iadd isub imul idiv irem ilt ~ilt ~ige ige"),
        ("uint", "iadd isub imul udiv umod ult ~ult ~uge uge"),
    )
    for op, name in zip("+ - * / % < > <= >=".split(), names.split(), strict=True)
} | {
    (op, kind): (name, False)
    for kind, shift in (("int", "ishr"), ("uint", "ushr"))
    for op, name in (("<<", "ishl"), (">>", shift), ("&", "iand"), ("|", "ior"), ("^", "ixor"))
}
_UNARY: Final = {
    ("neg", "float"): "fneg", ("neg", "int"): "ineg", ("neg", "uint"): "ineg",
    ("!", "bool"): "inot", ("~", "int"): "inot", ("~", "uint"): "inot",
}  # fmt: skip
#: (from, to) -> opcode; the same bits where there is none
_CONVERSIONS: Final = {
    ("int", "float"): "i2f", ("uint", "float"): "u2f", ("bool", "float"): "b2f",
    ("float", "int"): "f2i", ("bool", "int"): "b2i",
    ("float", "uint"): "f2u", ("bool", "uint"): "b2i",
}  # fmt: skip
#: an operand of && or || that costs no more is evaluated in any case
CHEAP: Final = 12


def column_of(value: Result, column: int) -> Result:
    """A column of a matrix; a scalar beside it stands for itself."""
    return value[column] if isinstance(value, list) else value


class Operators(Access):
    """Everything that computes, but for calls."""

    # ---- operators ------------------------------------------------------------------------
    def op(self, value: Op) -> Result:
        """An operator; a chain of them is as deep on the left as it is long."""
        chain: list[Op] = []
        left: Value = value
        while isinstance(left, Op) and left.constant is None and len(left.args) == 2:
            chain.append(left)
            left = left.args[0]
        if chain:
            found = self.rvalue(left)
            for link in reversed(chain):
                found = self._link(link, found)
            return found
        found = self.rvalue(value.args[0])
        if value.op == "+":
            return found
        name = _UNARY[value.op, value.type.kind]
        if isinstance(found, list):
            return [self.b.alu(name, column) for column in found]
        assert isinstance(found, SSADef)
        return self.b.alu(name, found)

    def _link(self, link: Op, left: Result) -> Result:
        right = link.args[1]
        if link.op in ("&&", "||"):
            assert isinstance(left, SSADef)
            return self._logic(link.op, left, right)
        if isinstance(left, Ref) and not self.harmless(right):
            left = self.copied(left, left.type)
        return self.binary(link.op, link.args[0].type, left, right.type, self.rvalue(right))

    def _logic(self, op: str, left: SSADef, right: Value) -> SSADef:
        """The second operand is evaluated only if the first does not decide."""
        known = self.known_bool(left)
        if known is not None:
            return self.scalar(right) if known == (op == "&&") else left
        if self.cost(right, CHEAP) <= CHEAP:
            return self.b.alu("iand" if op == "&&" else "ior", left, self.scalar(right))
        b = self.b
        with b.If(left if op == "&&" else b.alu("inot", left)):
            found = self.scalar(right)
        return b.if_phi(found, self.vector("bool", (op == "||",)))

    def binary(self, op: str, a_type: Type, a: Result, b_type: Type, b: Result) -> Result:
        """An operator on two values of one kind (shifts apart)."""
        if op in ("==", "!="):
            same = self.equal(a_type, a, b)
            return same if op == "==" else self.b.alu("inot", same)
        if op == "^^":
            assert isinstance(a, SSADef) and isinstance(b, SSADef)
            return self.b.alu("ine", a, b)
        if op == "*" and (a_type.is_matrix or b_type.is_matrix):
            scalar = a_type.components == 1 or b_type.components == 1
            if not scalar:
                return self.product(a, b)
        name, exchanged = _OPCODES[op, a_type.kind]
        return self.each(name, b, a) if exchanged else self.each(name, a, b)

    def each(self, name: str, a: Result, b: Result) -> Result:
        """An opcode for all components; a scalar counts for every one."""
        if isinstance(a, list) or isinstance(b, list):
            count = max(len(x) for x in (a, b) if isinstance(x, list))
            return [self._vectors(name, column_of(a, c), column_of(b, c)) for c in range(count)]
        return self._vectors(name, a, b)

    def _vectors(self, name: str, a: Result, b: Result) -> SSADef:
        assert isinstance(a, SSADef) and isinstance(b, SSADef)
        return self.b.alu(name, a, b)

    def product(self, a: Result, b: Result) -> Result:
        """Linear algebra's; a vector on the left is a row, on the right a column."""
        if isinstance(a, SSADef):
            assert isinstance(b, list)
            return self.gather([(self.b.dot(a, column), 0) for column in b])
        assert isinstance(a, list)
        if isinstance(b, SSADef):
            return self.transformed(a, b)
        assert isinstance(b, list)
        return [self.transformed(a, column) for column in b]

    def transformed(self, matrix: list[SSADef], vector: SSADef) -> SSADef:
        """Matrix times column."""
        b = self.b
        total: SSADef | None = None
        for i, column in enumerate(matrix):
            part = b.alu("fmul", column, b.swizzle(vector, (i,)))
            total = part if total is None else b.alu("fadd", total, part)
        assert total is not None
        return total

    def equal(self, type_: Type, a: Result, b: Result) -> SSADef:
        """Are all components the same, of two values of a type? The type tells what is compared: a
        value of nir may be a number of another kind, seen as this one (uintBitsToFloat)."""
        tests: list[SSADef] = []
        if isinstance(a, Ref) and is_aggregate(a.type):
            assert isinstance(b, Ref)
            for path in leaf_paths(a.type):
                kind = reduce(lambda type_, step: type_.element(step), path, a.type).kind
                tests.append(self._same(kind, self.leaf(a, path), self.leaf(b, path)))
        elif isinstance(a, list):
            assert isinstance(b, list)
            tests = [self._same("float", x, y) for x, y in zip(a, b, strict=True)]
        else:
            assert isinstance(a, SSADef) and isinstance(b, SSADef)
            return self._same(type_.kind, a, b)
        found = tests[0]
        for test in tests[1:]:
            found = self.b.alu("iand", found, test)
        return found

    def leaf(self, ref: Ref, path: tuple[int | str, ...]) -> SSADef:
        """The vector at the end of a path."""
        for step in path:
            ref = self.member(ref, step) if isinstance(step, str) else self.element(ref, step)
        value = self.load(ref)
        assert isinstance(value, SSADef)
        return value

    def _same(self, kind: str, x: SSADef, y: SSADef) -> SSADef:
        test = self.b.alu("feq" if kind == "float" else "ieq", x, y)
        return test if test.num_components == 1 else self.b.all_true(test)

    # ---- conversions, constructors --------------------------------------------------------
    def convert(self, value: tree.Convert) -> Result:
        """Components as numbers of another kind."""
        found = self.rvalue(value.base)
        source, target = value.base.type.kind, value.type.kind
        if isinstance(found, list):
            return found  # there are matrices of floats alone
        assert isinstance(found, SSADef)
        return self.as_kind(found, source, target)

    def as_kind(self, value: SSADef, source: str, target: str) -> SSADef:
        """A vector's components as numbers of another kind."""
        if target == "bool" and source != "bool":
            name = "fneu" if source == "float" else "ine"
            return self.b.alu(name, value, self.vector(source, (0,)))
        name = _CONVERSIONS.get((source, target), "")
        if name:
            return self.b.alu(name, value)
        if source == target:
            return value
        found = self.b.alu("mov", value)
        found.kind = target
        return found

    def make(self, value: tree.Make) -> Result:
        """A constructor."""
        type_ = value.type
        if is_aggregate(type_):
            return self._make_aggregate(value)
        args = [self.rvalue(arg) for arg in value.args]
        first = args[0]
        if type_.is_matrix:
            if isinstance(first, list):
                return self._resized(type_, first)
            if len(args) == 1 and isinstance(first, SSADef) and first.num_components == 1:
                return self._diagonal(type_, first)
        need = type_.components
        parts: list[tuple[SSADef, int]] = []
        for arg, given in zip(args, value.args, strict=True):
            for vector in arg if isinstance(arg, list) else [arg]:
                assert isinstance(vector, SSADef)
                # There are no matrices of whole numbers that a Convert could give.
                if given.type.is_matrix:
                    vector = self.as_kind(vector, "float", type_.kind)
                parts += [(vector, i) for i in range(vector.num_components)]
        if len(parts) == 1:
            parts *= need
        rows = type_.rows
        if not type_.is_matrix:
            return self.gather(parts[:need])
        return [self.gather(parts[c * rows : c * rows + rows]) for c in range(type_.columns)]

    def _make_aggregate(self, value: tree.Make) -> Memory:
        type_ = value.type
        memory = self.temporary("made", type_)
        steps: list[int | str] = list(range(type_.length))
        if isinstance(type_, StructType):
            steps = [name for name, _ in type_.fields]
        for step, arg in zip(steps, value.args, strict=True):
            made = self.rvalue(arg)
            part = Memory(type_.element(step), memory.var, (step,))
            self.store(part, made)
        return memory

    def _diagonal(self, type_: Type, value: SSADef) -> list[SSADef]:
        zero = self.vector("float", (0,))
        return [self.gather([(value if c == r else zero, 0) for r in range(type_.rows)])
                for c in range(type_.columns)]

    def _resized(self, type_: Type, columns: list[SSADef]) -> list[SSADef]:
        """The part of a matrix that fits, and the identity where it has nothing."""
        zero, one = self.vector("float", (0,)), self.vector("float", (1,))
        height = columns[0].num_components
        return [
            self.gather([
                (columns[c], r) if c < len(columns) and r < height
                else (one if c == r else zero, 0)
                for r in range(type_.rows)
            ])
            for c in range(type_.columns)
        ]  # fmt: skip

    # ---- effects --------------------------------------------------------------------------
    def assign(self, value: tree.Assign) -> Result:
        """An assignment; its value is the target's."""
        target = self.target(value.target)
        if value.op:
            old = self.read(target)
            right = self.rvalue(value.value)
            new = self.binary(value.op, target.type, old, value.value.type, right)
        else:
            new = self.rvalue(value.value)
        self.write(target, new)
        if isinstance(new, Ref):
            return target.memory
        return new

    def step(self, value: tree.Step) -> Result:
        """++ and --."""
        target = self.target(value.target)
        old = self.read(target)
        kind = value.target.type.kind
        kind = "float" if value.target.type.is_matrix else kind
        name = "fadd" if kind == "float" else "iadd"
        new = self.each(name, old, self.vector(kind, (value.by,)))
        self.write(target, new)
        return old if value.post else new

    def sequence(self, value: tree.Sequence) -> Result:
        """The comma operator."""
        for part in value.parts[:-1]:
            self.rvalue(part)
        return self.rvalue(value.parts[-1])
