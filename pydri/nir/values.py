# SPDX-License-Identifier: MIT
"""Operators on SSA values: `x + y`, `-x`, `x.xyz`, `x[1]`, `x < y`.

In: values and Python numbers.  Out: instructions, emitted through the builder that works on the
value's function.  Which opcode an operator stands for follows from the value's `kind` hint: float,
int, uint or bool.  `==` stays Python's identity, since values are keys of dictionaries everywhere;
write `x.eq(y)` and `x.ne(y)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from pydri.nir.builder import Builder
    from pydri.nir.ir import Instr, SSADef

    Operand: TypeAlias = SSADef | float | int | bool

#: operator -> opcode by kind
_TABLE: Final[dict[str, dict[str, str]]] = {
    "+": {"float": "fadd", "int": "iadd", "uint": "iadd"},
    "-": {"float": "fsub", "int": "isub", "uint": "isub"},
    "*": {"float": "fmul", "int": "imul", "uint": "imul"},
    "/": {"float": "fdiv", "int": "idiv", "uint": "udiv"},
    "%": {"float": "fmod", "int": "irem", "uint": "umod"},
    "<": {"float": "flt", "int": "ilt", "uint": "ult"},
    ">=": {"float": "fge", "int": "ige", "uint": "uge"},
    "==": {"float": "feq", "int": "ieq", "uint": "ieq", "bool": "ieq"},
    "!=": {"float": "fneu", "int": "ine", "uint": "ine", "bool": "ine"},
    "&": {"int": "iand", "uint": "iand", "bool": "iand"},
    "|": {"int": "ior", "uint": "ior", "bool": "ior"},
    "^": {"int": "ixor", "uint": "ixor", "bool": "ixor"},
    "<<": {"int": "ishl", "uint": "ishl"},
    ">>": {"int": "ishr", "uint": "ushr"},
    "neg": {"float": "fneg", "int": "ineg", "uint": "ineg"},
    "abs": {"float": "fabs", "int": "iabs"},
    "~": {"int": "inot", "uint": "inot", "bool": "inot"},
}

#: opcodes of the table that serve all widths
_ANY_WIDTH: Final = frozenset(("ieq", "ine", "iand", "ior", "ixor", "inot"))

_LETTERS: Final = {
    letter: i for letters in ("xyzw", "rgba", "stpq") for i, letter in enumerate(letters)
}


class SSAOperators:
    """Mixed into SSADef; holds no data."""

    __slots__ = ()

    if TYPE_CHECKING:
        instr: Instr
        bit_size: int
        kind: str
        num_components: int

    @property
    def builder(self) -> Builder:
        """The builder that operators emit through."""
        block = self.instr.block
        builder = None if block is None else block.function.builder
        if builder is None:
            raise TypeError("operators need a Builder on the value's function; make one first")
        return builder

    def _emit(self, operator: str, x: Operand, y: Operand | None = None) -> SSADef:
        kinds = _TABLE[operator]
        if self.kind not in kinds:
            raise TypeError(f"operator {operator} is not defined for {self.kind} values")
        for other in (x, y):
            if isinstance(other, SSAOperators) and other.kind != self.kind:
                shifts = operator in ("<<", ">>")
                if not (shifts and {other.kind, self.kind} <= {"int", "uint"}):
                    raise TypeError(
                        f"operator {operator} mixes {self.kind} and {other.kind}; convert one "
                        "side, for example with b.i2f(x) or b.f2i(x)"
                    )
        opcode = kinds[self.kind]
        if self.bit_size == 64 and opcode not in _ANY_WIDTH:
            opcode += "64"
        result = self.builder.alu(opcode, x) if y is None else self.builder.alu(opcode, x, y)
        if self.kind == "uint" and result.kind == "int":
            result.kind = "uint"
        return result

    def _self(self) -> SSADef:
        return self  # type: ignore[return-value]

    def __add__(self, other: Operand) -> SSADef:
        return self._emit("+", self._self(), other)

    def __radd__(self, other: Operand) -> SSADef:
        return self._emit("+", other, self._self())

    def __sub__(self, other: Operand) -> SSADef:
        return self._emit("-", self._self(), other)

    def __rsub__(self, other: Operand) -> SSADef:
        return self._emit("-", other, self._self())

    def __mul__(self, other: Operand) -> SSADef:
        return self._emit("*", self._self(), other)

    def __rmul__(self, other: Operand) -> SSADef:
        return self._emit("*", other, self._self())

    def __truediv__(self, other: Operand) -> SSADef:
        return self._emit("/", self._self(), other)

    def __rtruediv__(self, other: Operand) -> SSADef:
        return self._emit("/", other, self._self())

    def __mod__(self, other: Operand) -> SSADef:
        return self._emit("%", self._self(), other)

    def __lt__(self, other: Operand) -> SSADef:
        return self._emit("<", self._self(), other)

    def __gt__(self, other: Operand) -> SSADef:
        return self._emit("<", other, self._self())

    def __ge__(self, other: Operand) -> SSADef:
        return self._emit(">=", self._self(), other)

    def __le__(self, other: Operand) -> SSADef:
        return self._emit(">=", other, self._self())

    def eq(self, other: Operand) -> SSADef:
        """x == y, component by component."""
        return self._emit("==", self._self(), other)

    def ne(self, other: Operand) -> SSADef:
        """x != y, component by component."""
        return self._emit("!=", self._self(), other)

    def __and__(self, other: Operand) -> SSADef:
        return self._emit("&", self._self(), other)

    def __or__(self, other: Operand) -> SSADef:
        return self._emit("|", self._self(), other)

    def __xor__(self, other: Operand) -> SSADef:
        return self._emit("^", self._self(), other)

    def __lshift__(self, other: Operand) -> SSADef:
        return self._emit("<<", self._self(), other)

    def __rshift__(self, other: Operand) -> SSADef:
        return self._emit(">>", self._self(), other)

    def __neg__(self) -> SSADef:
        return self._emit("neg", self._self())

    def __invert__(self) -> SSADef:
        return self._emit("~", self._self())

    def __abs__(self) -> SSADef:
        return self._emit("abs", self._self())

    def __bool__(self) -> bool:
        raise TypeError(
            "a shader value is not known while the shader is built: branch with "
            "`with b.If(condition): ...` or choose with b.bcsel(condition, x, y)"
        )

    def __getitem__(self, which: int | slice) -> SSADef:
        if isinstance(which, slice):
            return self.builder.swizzle(self._self(), tuple(range(4))[: self.num_components][which])
        if not 0 <= which < self.num_components:
            raise IndexError(f"component {which} of a vec{self.num_components}")
        return self.builder.swizzle(self._self(), (which,))

    def __iter__(self) -> None:
        raise TypeError("unpack components with x[0], x[1], ... or b.components(x)")

    def __getattr__(self, name: str) -> SSADef:
        try:
            picks = tuple(_LETTERS[letter] for letter in name)
        except KeyError:
            raise AttributeError(f"a value has no attribute {name!r}") from None
        if len(picks) > 4 or max(picks) >= self.num_components:
            raise AttributeError(f"no .{name} in a vec{self.num_components}")
        return self.builder.swizzle(self._self(), picks)
