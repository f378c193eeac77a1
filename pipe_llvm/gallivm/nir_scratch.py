# SPDX-License-Identifier: MIT
"""Variables in memory: those that a shader indexes at run time and that are too large for
selections (nir/lower_indirect_derefs.py leaves them).

A variable's components lie one after the other, all lanes of each. Where the index is the same in
all lanes, an access is one of whole vectors; else lanes are gathered and scattered. An index is
read as unsigned: a load outside gives the last element, a store outside vanishes, as everywhere
(nir/interp.py). Counterpart of Mesa's nir_lower_vars_to_scratch.c."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pipe_llvm.native import VARIABLE_BYTES
from pydri.jit.types import Vec, boolean, f32, i32, u8, u32
from pydri.nir.constant_tables import constant_tables, field_offset
from pydri.nir.ir import Deref, IntrinsicInstr, SSADef, Variable
from pydri.nir.types import StructType

if TYPE_CHECKING:
    from pipe_llvm.gallivm.nir_flow import FlowTranslator, Mask
    from pydri.jit import Pointer, Value

STACK_BYTES = 4096  # of all variables, for which the kernel's own stack will do


class _Place(NamedTuple):
    """A vector in a variable."""

    static: int  # component of the variable
    dynamic: Value | None  # and as many more (u32, scalar or vector)
    inside: Value | None  # whether all indices are


class Scratch:
    """The variables of a shader in memory."""

    def __init__(self, translator: FlowTranslator) -> None:
        self.t = translator
        self._memory: dict[Variable, Pointer] = {}
        self._tables: dict[Variable, Pointer] = {}  # those that never change, one dword a component

    def prepare(self, memory: bool = True) -> None:
        """Make room for all variables that are still there, zeroed; without `memory` for the
        tables alone."""
        b, shader = self.t.b, self.t.shader
        used = dict.fromkeys(
            deref.var
            for instr in (shader.main.instrs() if shader.main.locals or shader.globals else ())
            if isinstance(instr, IntrinsicInstr)
            for deref in instr.variables
        )
        tables = constant_tables(shader) if used else {}
        for var, values in tables.items():
            self._tables[var] = b.table(u32, values)
            used.pop(var, None)
        if memory:
            self._make_room(list(used))

    def _make_room(self, used: list[Variable]) -> None:
        """Variables lie one behind the other."""
        b = self.t.b
        sizes = [4 * self.t.width * var.type.components for var in used]
        if sum(sizes) > VARIABLE_BYTES:
            raise MemoryError(f"a shader's indexed variables take {sum(sizes)} bytes")
        if not used:
            return
        few = sum(sizes) <= STACK_BYTES
        place = b.array(u8, sum(sizes), align=64) if few else self.t.env.variables()
        at = 0
        for var, size in zip(used, sizes, strict=True):
            if var.mode not in ("local", "global"):
                raise TypeError(f"{var!r} is no variable of the shader's; run lower_for_backend")
            self._memory[var] = b.bytes_from(place, at, f32)
            b.memset(self._memory[var], 0, size)
            at += size

    # ---- addresses
    def _place(self, deref: Deref) -> _Place:
        b = self.t.b
        static, type_ = 0, deref.var.type
        dynamic: Value | None = None
        inside: Value | None = None
        for step in deref.path:
            if isinstance(step, str):
                assert isinstance(type_, StructType)
                static += field_offset(type_, step)
                type_ = type_.element(step)
                continue
            last = type_.length - 1
            type_ = type_.element()
            if not isinstance(step, SSADef):
                static += min(step, last) * type_.components
                continue
            index = self.t.as_type(self.t.get(step), u32)
            within = index <= last
            inside = within if inside is None else self._both(inside, within)
            part = b.min(index, last) * type_.components
            dynamic = part if dynamic is None else self._sum(dynamic, part)
        return _Place(static, dynamic, inside)

    def _level(self, x: Value, y: Value) -> tuple[Value, Value]:
        if isinstance(x.ty, Vec) or isinstance(y.ty, Vec):
            return self.t.b.splat(x, self.t.width), self.t.b.splat(y, self.t.width)
        return x, y

    def _both(self, x: Value, y: Value) -> Value:
        x, y = self._level(x, y)
        return x & y

    def _sum(self, x: Value, y: Value) -> Value:
        x, y = self._level(x, y)
        return x + y

    def _vector(self, deref: Deref, place: _Place, component: int) -> Pointer:
        """Where 16 lanes of a component lie, if the index is the same in all."""
        start = self._memory[deref.var] + self.t.width * (place.static + component)
        return start if place.dynamic is None else start + place.dynamic * self.t.width

    def _numbers(self, place: _Place, component: int) -> Value:
        """The number of each lane's float in the variable's memory."""
        b = self.t.b
        assert place.dynamic is not None
        first = b.iota(u32.vec(self.t.width)) + self.t.width * (place.static + component)
        return b.bitcast(first + place.dynamic * self.t.width, i32)

    # ---- accesses
    def load(self, instr: IntrinsicInstr) -> list[Value]:
        """load_var."""
        b, dest, deref = self.t.b, instr.dest, instr.variables[0]
        assert dest is not None
        place = self._place(deref)
        ty = self.t.storage(dest)
        out = []
        for n in range(dest.num_components):
            if deref.var in self._tables:
                value = self._constant(deref.var, place, n)
            elif place.dynamic is not None and isinstance(place.dynamic.ty, Vec):
                value = b.gather(self._memory[deref.var], self._numbers(place, n))
            else:
                value = self._vector(deref, place, n).load(f32.vec(self.t.width), align=64)
            if ty is boolean:
                out.append(b.bitcast(value, i32) != 0)
            else:
                out.append(self.t.as_type(value, ty))
        return out

    def _constant(self, var: Variable, place: _Place, component: int) -> Value:
        """A dword of a table: the same in all lanes where the index is."""
        start = self._tables[var] + (place.static + component)
        if place.dynamic is None:
            return start.load(u32)
        if isinstance(place.dynamic.ty, Vec):
            return self.t.b.gather(start, self.t.b.bitcast(place.dynamic, i32), ty=u32)
        return (start + place.dynamic).load(u32)

    def store(self, instr: IntrinsicInstr, mask: Mask) -> None:
        """store_var, of the lanes of the mask."""
        b, deref, source = self.t.b, instr.variables[0], instr.srcs[0]
        if deref.var in self._tables:
            return
        place = self._place(deref)
        if place.inside is not None:
            mask = self.t.both(mask, place.inside)
        for n in range(source.num_components):
            if not instr.indices["wrmask"] >> n & 1:
                continue
            value = b.splat(self.t.get(source, n), self.t.width)
            if value.elem is boolean:
                value = b.select(value, b.const(i32.vec(self.t.width), 1), 0)
            value = self.t.as_type(value, f32)
            if place.dynamic is not None and isinstance(place.dynamic.ty, Vec):
                b.scatter(self._memory[deref.var], self._numbers(place, n), value, mask)
                continue
            where = self._vector(deref, place, n)
            if mask is not None:
                value = b.select(mask, value, where.load(f32.vec(self.t.width), align=64))
            where.store(value, align=64)
