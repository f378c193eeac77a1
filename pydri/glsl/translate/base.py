# SPDX-License-Identifier: MIT
"""The ground of the translation to nir: where values lie, constants, loads and stores.

In: variables of the typed tree, the `Layout` of their program.  Out: references and nir's values.
A vector is an SSA value, a matrix the list of its columns; arrays and structs stay where they are
and are handed on as `Ref`s. The layers build on each other by inheritance, as the checker's do:
this, access, operators, constructors, built-in functions, calls, statements.

Variables begin as zero. An index at run time is read as unsigned; outside it means the last element
when something is loaded, and a store to it vanishes.
"""

from __future__ import annotations

from typing import Final

from pydri.glsl import tree
from pydri.glsl.check.base import component_count
from pydri.glsl.language.layouts import SLOT_BYTES
from pydri.glsl.link.layout import DEFAULT_BLOCK, Layout, Place
from pydri.glsl.tree import Number, Var
from pydri.nir.builder import Builder, float_bits
from pydri.nir.enums import INTERP_NAMES
from pydri.nir.ir import (
    AluInstr,
    AluSrc,
    Deref,
    Instr,
    IntrinsicInstr,
    LoadConst,
    Shader,
    SSADef,
    Variable,
    first_block,
)
from pydri.nir.lower_var_copies import leaf_paths
from pydri.nir.opcodes import OPCODES
from pydri.nir.stages import BY_NAME
from pydri.nir.types import StructType, Type

#: components of one variable, and instructions in all, beyond which a shader is refused
MAX_COMPONENTS: Final = 1 << 18
MAX_INSTRUCTIONS: Final = 1 << 16
#: loops within each other, those of functions that they call among them: what passes and LLVM need
#: for a nest grows with the square of its depth
MAX_LOOPS: Final = 160

Index = int | SSADef
Step = int | str | SSADef


class TooComplex(Exception):
    """The shader becomes too large when its functions are inlined; the text is for the log."""


class Ref:
    """Something that has a place, or a value that is treated as such."""

    __slots__ = ("type",)

    def __init__(self, type_: Type) -> None:
        self.type = type_


class Memory(Ref):
    """A variable of nir, or a part of one; never a component of a vector."""

    __slots__ = ("path", "var")

    def __init__(self, type_: Type, var: Variable, path: tuple[Step, ...] = ()) -> None:
        super().__init__(type_)
        self.var = var
        self.path = path

    @property
    def deref(self) -> Deref:
        """As nir's instructions name it."""
        return Deref(self.var, self.path)


class Uniform(Ref):
    """A uniform or a part of one; `indices` of its arrays, then of a matrix, are in bounds."""

    __slots__ = ("indices", "members", "root")

    def __init__(
        self, type_: Type, root: Var, members: tuple[str, ...] = (),
        indices: tuple[Index, ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(type_)
        self.root = root
        self.members = members
        self.indices = indices


class Passed(Ref):
    """An in or out block by its instance, or an element of an array of them. Its members are
    variables of their own."""

    __slots__ = ("indices", "root")

    def __init__(self, type_: Type, root: Var, indices: tuple[Index, ...] = ()) -> None:
        super().__init__(type_)
        self.root = root
        self.indices = indices


class Known(Ref):
    """A constant array or struct: its components in order."""

    __slots__ = ("numbers",)

    def __init__(self, type_: Type, numbers: tuple[Number, ...]) -> None:
        super().__init__(type_)
        self.numbers = numbers


class Held(Ref):
    """A vector or matrix that was computed."""

    __slots__ = ("value",)

    def __init__(self, type_: Type, value: SSADef | list[SSADef]) -> None:
        super().__init__(type_)
        self.value = value


#: what an expression gives: a vector, the columns of a matrix, an array or struct
Result = SSADef | list[SSADef] | Ref


def bits_of(kind: str, number: Number) -> int:
    """A component of a constant, as LoadConst has it."""
    if kind == "float":
        return float_bits(float(number))
    return int(number) & 0xFFFFFFFF


def _is_passed(var: Var) -> bool:
    """The instance of an in or out block?"""
    block = var.block
    if block is None or not block.instance or var.mode == "uniform":
        return False
    return var not in block.members


def is_aggregate(type_: Type) -> bool:
    """An array or a struct?"""
    return type_.columns == 0


class Base:
    """What all layers share."""

    def __init__(self, source: tree.Shader, layout: Layout) -> None:
        self.source = source
        self.layout = layout
        self.shader = Shader(source.stage)
        self.b = Builder(self.shader)
        #: what variables of the tree are at present
        self.bound: dict[Var, Ref] = {}
        #: constants and what fills constant arrays: the beginning of the shader
        self.head: list[Instr] = []
        self.constants: dict[tuple[object, ...], SSADef] = {}
        self.spilled: dict[tuple[Type, tuple[Number, ...]], Memory] = {}
        #: variables that nobody else knows of: results, constructed values
        self.fresh: set[Variable] = set()
        self.places: dict[tuple[Var, tuple[str, ...]], Place] = {}

    # ---- constants ------------------------------------------------------------------------
    def prologue(self, instr: Instr) -> None:
        """Put an instruction at the beginning of the shader; `finish_head` does it in the end."""
        function = self.shader.main
        instr.block = first_block(function.body)
        if instr.dest is not None:
            instr.dest.index = function.ssa_alloc
            function.ssa_alloc += 1
        self.head.append(instr)

    def finish_head(self) -> None:
        """All is emitted."""
        first_block(self.shader.main.body).instrs[0:0] = self.head

    def vector(self, kind: str, numbers: tuple[Number, ...]) -> SSADef:
        """A constant vector or scalar."""
        bits = tuple(bits_of(kind, n) for n in numbers)
        found = self.constants.get((kind, *bits))
        if found is None:
            instr = LoadConst(bits, 1 if kind == "bool" else 32, kind)
            self.prologue(instr)
            found = self.constants[(kind, *bits)] = instr.dest
        return found

    def constant(self, type_: Type, numbers: tuple[Number, ...]) -> Result:
        """A constant of any type."""
        if is_aggregate(type_):
            return Known(type_, numbers)
        rows = type_.rows
        if type_.columns == 1:
            return self.vector(type_.kind, numbers)
        return [self.vector("float", numbers[c * rows : c * rows + rows])
                for c in range(type_.columns)]

    def zero(self, type_: Type) -> SSADef | list[SSADef]:
        """Zero, as a vector or matrix."""
        one = self.vector(type_.kind, (0,) * type_.rows)
        return one if type_.columns == 1 else [one] * type_.columns

    # ---- components -----------------------------------------------------------------------
    def gather(self, parts: list[tuple[SSADef, int]]) -> SSADef:
        """A vector of components of others."""
        first = parts[0][0]
        if all(value is first for value, _ in parts):
            return self.b.swizzle(first, tuple(i for _, i in parts))
        width = len(parts)
        srcs = [AluSrc(value, (i,)) for value, i in parts]
        instr = AluInstr(OPCODES[f"vec{width}"], srcs, width, first.bit_size, first.kind)
        self.b.insert(instr)
        return instr.dest

    def select(self, value: SSADef | list[SSADef], index: Index) -> SSADef:
        """A component of a vector or a column of a matrix."""
        if isinstance(index, int):
            return self.b.swizzle(value, (index,)) if isinstance(value, SSADef) else value[index]
        if isinstance(value, SSADef):
            return self.b.channel(value, index)
        result = value[-1]
        for i, column in enumerate(value[:-1]):
            result = self.b.alu("bcsel", self.b.alu("ieq", index, i), column, result)
        return result

    # ---- variables ------------------------------------------------------------------------
    def local(self, name: str, type_: Type) -> Memory:
        """A new variable of nir."""
        if component_count(type_) > MAX_COMPONENTS:
            raise TooComplex(f"variable `{name}' is too large")
        return Memory(type_, self.b.local(name, type_))

    def temporary(self, name: str, type_: Type) -> Memory:
        """A variable for a value that is written once."""
        memory = self.local(name, type_)
        self.fresh.add(memory.var)
        return memory

    def variable(self, var: Var) -> Ref:
        """What a variable of the tree is."""
        found = self.bound.get(var)
        if found is not None:
            return found
        if _is_passed(var):
            return Passed(var.type, var)
        root = self.layout.var(var)
        made = self.bound.get(root)
        if made is None:
            made = self._declare(root)
            if isinstance(made, Held):
                return made  # loaded where it is read
            self.bound[root] = made
        self.bound[var] = made
        return made

    def _declare(self, var: Var) -> Ref:
        if var.constant is not None and var.mode == "const":
            known = self.constant(var.type, var.constant)
            return known if isinstance(known, Ref) else Held(var.type, known)
        if var.mode == "uniform":
            return Uniform(var.type, var)
        if var.mode not in ("shader_in", "shader_out"):
            return self.local(var.name, var.type)
        if isinstance(var.slot, str):
            return Held(var.type, self.b.sysval(var.slot.removeprefix("load_")))
        made = Variable(var.name, var.type, var.mode, var.slot or 0, invariant=var.invariant)
        if var.interp and BY_NAME[self.source.stage].interface(var.mode).interpolated:
            made.interp = INTERP_NAMES.index(var.interp.upper())
        self.shader.add(made)
        return Memory(var.type, made)

    # ---- parts ----------------------------------------------------------------------------
    def member(self, ref: Ref, name: str) -> Ref:
        """A member of a struct."""
        if isinstance(ref, Passed):
            assert ref.root.block is not None
            passed = self.variable(ref.root.block.member(name))
            for step in ref.indices:
                passed = self.element(passed, step)
            return passed
        type_ = ref.type.element(name)
        if isinstance(ref, Memory):
            return Memory(type_, ref.var, (*ref.path, name))
        if isinstance(ref, Uniform):
            return Uniform(type_, ref.root, (*ref.members, name), ref.indices)
        assert isinstance(ref, Known) and isinstance(ref.type, StructType)
        start = 0
        for field, inner in ref.type.fields:
            if field == name:
                break
            start += component_count(inner)
        return self._known(type_, ref.numbers[start : start + component_count(type_)])

    def _known(self, type_: Type, numbers: tuple[Number, ...]) -> Ref:
        value = self.constant(type_, numbers)
        return value if isinstance(value, Ref) else Held(type_, value)

    def element(self, ref: Ref, index: Index) -> Ref:
        """An element of an array, a column of a matrix, a component of a vector."""
        type_ = ref.type.element(0)
        if isinstance(ref, Passed):  # its members know how many there are
            return Passed(type_, ref.root, (*ref.indices, index))
        if isinstance(index, int):
            last = ref.type.length - 1
            index = index if 0 <= index <= last else last
        if isinstance(ref, Held):
            return Held(type_, self.select(ref.value, index))
        if ref.type.columns == 1:
            value = self.load(ref)
            assert isinstance(value, SSADef)
            return Held(type_, self.select(value, index))
        if isinstance(ref, Memory):
            return Memory(type_, ref.var, (*ref.path, index))
        if isinstance(ref, Uniform):
            if isinstance(index, SSADef):
                index = self.clamped(index, ref.type.length)
            return Uniform(type_, ref.root, ref.members, (*ref.indices, index))
        assert isinstance(ref, Known)
        if isinstance(index, SSADef):
            return self.element(self._spill(ref), index)
        size = component_count(type_)
        return self._known(type_, ref.numbers[index * size : index * size + size])

    def clamped(self, index: SSADef, length: int) -> SSADef:
        """An index in bounds."""
        return self.b.alu("umin", index, self.vector("uint", (length - 1,)))

    def _spill(self, ref: Known) -> Memory:
        """A constant array that is indexed at run time, as a variable filled at the beginning."""
        found = self.spilled.get((ref.type, ref.numbers))
        if found is None:
            found = self.spilled[ref.type, ref.numbers] = self.local("constants", ref.type)
            at = 0
            for path in leaf_paths(ref.type):
                deref = Deref(found.var, path)
                type_ = deref.type
                value = self.vector(type_.kind, ref.numbers[at : at + type_.rows])
                at += type_.rows
                mask = {"wrmask": (1 << type_.rows) - 1}
                self.prologue(IntrinsicInstr("store_var", [value], [deref], mask))
        return found

    # ---- loads and stores -----------------------------------------------------------------
    def load(self, ref: Ref) -> Result:
        """The value of a vector or matrix; an array or struct as it is."""
        if isinstance(ref, Held):
            return ref.value
        type_ = ref.type
        if is_aggregate(type_):
            return ref
        if isinstance(ref, Memory):
            if type_.columns == 1:
                return self.b.load_var(ref.deref)
            return [self.b.load_var(ref.deref[c]) for c in range(type_.columns)]
        assert isinstance(ref, Uniform)
        if type_.columns == 1:
            return self._load_uniform(ref)
        if self.place(ref).step != 4:
            return self._load_by_rows(ref)
        return [self._load_uniform(Uniform(type_.element(0), ref.root, ref.members,
                                           (*ref.indices, c))) for c in range(type_.columns)]

    def place(self, ref: Uniform) -> Place:
        """Where a uniform's member lies."""
        key = ref.root, ref.members
        found = self.places.get(key)
        if found is None:
            found = self.places[key] = self.layout.place(*key)
        return found

    def _locate(
        self, place: Place, indices: tuple[Index, ...]
    ) -> tuple[int, int, SSADef | None]:
        """The block, bytes known now, and bytes known at run time."""
        block, fixed, moving = place.block, place.offset, None
        for index, apart in zip(indices, place.blocks):
            assert isinstance(index, int), "the checker lets no other pass"
            block += index * apart
        for index, stride in zip(indices, place.strides):
            if isinstance(index, int):
                fixed += index * stride
            else:
                if place.block == DEFAULT_BLOCK:
                    stride //= SLOT_BYTES
                part = self.b.alu("imul", index, self.vector("int", (stride,)))
                moving = part if moving is None else self.b.alu("iadd", moving, part)
        return block, fixed, moving

    def _load_uniform(self, ref: Uniform) -> SSADef:
        """A vector."""
        place = self.place(ref)
        block, fixed, moving = self._locate(place, ref.indices)
        type_ = ref.type
        if place.step == 4:
            return self._fetch(ref.root, block, fixed, moving, type_.rows, type_.kind)
        parts = [self._fetch(ref.root, block, fixed + i * place.step, moving, 1, type_.kind)
                 for i in range(type_.rows)]
        return self.gather([(part, 0) for part in parts])

    def _load_by_rows(self, ref: Uniform) -> list[SSADef]:
        """A matrix that lies there transposed."""
        place, type_ = self.place(ref), ref.type
        block, fixed, moving = self._locate(place, ref.indices)
        lines = [self._fetch(ref.root, block, fixed + r * place.step, moving,
                             type_.columns, "float") for r in range(type_.rows)]
        return [self.gather([(line, c) for line in lines]) for c in range(type_.columns)]

    def _fetch(
        self, root: Var, block: int, fixed: int, moving: SSADef | None, rows: int, kind: str
    ) -> SSADef:
        """Components at an offset; bools lie there as whole numbers."""
        b = self.b
        found = "uint" if kind == "bool" else kind
        if block == DEFAULT_BLOCK:
            base = fixed // SLOT_BYTES
            self._declare_uniform(root)
            value = b.load_uniform(base, rows, 0 if moving is None else moving, found)
        else:
            offset = self.vector("int", (fixed,))
            if moving is not None:
                offset = b.alu("iadd", moving, offset) if fixed else moving
            value = b.load_ubo(block, offset, rows, found)
        return b.alu("ine", value, self.vector("uint", (0,))) if kind == "bool" else value

    def _declare_uniform(self, root: Var) -> None:
        base = self.layout.uniform(root)[1] // SLOT_BYTES
        if all(v.driver_location != base for v in self.shader.uniforms):
            var = Variable(root.name, root.type, "uniform", base, driver_location=base)
            self.shader.add(var)

    def store(self, target: Memory, value: Result) -> None:
        """target = value, whole."""
        b = self.b
        if isinstance(value, SSADef):
            b.store_var(target.deref, value)
        elif isinstance(value, list):
            for c, column in enumerate(value):
                b.store_var(target.deref[c], column)
        elif isinstance(value, Memory):
            b.copy_var(target.deref, value.deref)
        else:
            for path in leaf_paths(target.type):
                part = value
                for step in path:
                    part = self.member(part, step) if isinstance(step, str) else (
                        self.element(part, step))  # fmt: skip
                leaf = self.load(part)
                assert isinstance(leaf, SSADef)
                b.store_var(Deref(target.var, (*target.path, *path)), leaf)

    def copied(self, value: Result, type_: Type) -> Result:
        """The value as it is now, whatever is written to variables later."""
        if not isinstance(value, Memory):
            return value
        target = self.temporary("copy", type_)
        self.store(target, value)
        return target

    @staticmethod
    def wrapped(type_: Type, value: Result) -> Ref:
        """A result as something that has parts."""
        return value if isinstance(value, Ref) else Held(type_, value)
