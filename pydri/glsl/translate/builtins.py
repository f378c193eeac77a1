# SPDX-License-Identifier: MIT
"""Calls of built-in functions: expansions, texture lookups, and what nir has an instruction for.

In: `tree.BuiltinCall`s.  Out: SSA values. A lookup in an array of samplers that is indexed at run
time is one for each element, of which one is chosen: so derivatives are right whatever the index,
and after unrolling of a loop those with another index go away.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Final

from pydri.glsl import tree
from pydri.glsl.language import builtin_expansions as ex
from pydri.glsl.language.builtin_functions import Lookup
from pydri.glsl.translate.base import Index, Result, TooComplex, Uniform
from pydri.glsl.translate.operators import Operators
from pydri.glsl.tree import BuiltinCall, Value, VarRef
from pydri.nir.ir import SSADef
from pydri.nir.types import FLOAT, SamplerType

#: samplers that one lookup may choose from at run time
MAX_CHOICES: Final = 64


#: what operations give that do not look at texels
_QUERIES: Final = {"txs": "int", "query_levels": "int", "lod": "float"}


class Builtins(Operators):
    """Operators, and built-in functions."""

    def builtin_call(self, value: BuiltinCall) -> Result:
        """A call of a built-in function."""
        row = value.signature.row
        if row.lookup is not None:
            found = self._lookup(row.lookup, value.args, value.type.rows)
            # The newer names give one number of what is compared.
            return self.b.swizzle(found, (0,)) if value.type is FLOAT else found
        if row.outputs:
            return self._modf(*value.args)
        if row.special:
            return _SPECIAL[row.name](self, [self.rvalue(a) for a in value.args])
        assert row.expand is not None
        result: SSADef = row.expand(self.b, *(self.scalar(a) for a in value.args))
        width = value.type.rows
        if result.num_components != width:
            result = self.b.swizzle(result, (0,) * width)
        return result

    # ---- textures -------------------------------------------------------------------------
    def _lookup(self, lookup: Lookup, args: list[Value], width: int) -> SSADef:
        sampler = self.ref(args[0])
        assert isinstance(sampler, Uniform) and isinstance(sampler.type, SamplerType)
        if lookup.op == "txs":
            return self._size(sampler, args[1:])
        if lookup.op == "query_levels":
            return self._tex("query_levels", {}, sampler, width)
        coord = self.scalar(args[1])
        if lookup.op == "txf_ms":
            sample = self.scalar(args[2])
            return self._tex("txf_ms", {"coord": coord, "ms_index": sample}, sampler)
        if lookup.op == "txf":
            return self._fetch_texel(lookup, sampler, coord, args)
        srcs: dict[str, SSADef] = {}
        picks = tuple(range(lookup.coords))
        srcs["coord"] = self.b.swizzle(coord, picks)
        if lookup.project >= 0:
            srcs["projector"] = self.b.swizzle(coord, (lookup.project,))
        if lookup.compare >= coord.num_components:
            srcs["comparator"] = self.scalar(args[2])
            args = [*args[:2], *args[3:]]
        elif lookup.compare >= 0:
            srcs["comparator"] = self.b.swizzle(coord, (lookup.compare,))
        op = lookup.op
        more = [self.scalar(a) for n, a in enumerate(args) if n > 1 and n != lookup.offset]
        names = {"txb": ("bias",), "txl": ("lod",), "txd": ("ddx", "ddy")}.get(op, ())
        srcs.update(zip(names, more, strict=True))
        if lookup.offset:
            self._move(srcs, sampler.type, args[lookup.offset])
        return self._tex(op, srcs, sampler, width if op == "lod" else 4)

    def _move(self, srcs: dict[str, SSADef], type_: SamplerType, offset: Value) -> None:
        """An offset in texels; a rectangle's coordinates are in texels themselves."""
        steps = offset.constant or ()
        if type_.dim != "Rect":
            srcs["offset"] = self.vector("int", steps)
            return
        by = self.vector("float", tuple(float(step) for step in steps))
        if "projector" in srcs:
            by = self.b.alu("fmul", by, srcs["projector"])
        srcs["coord"] = self.b.alu("fadd", srcs["coord"], by)

    def _size(self, sampler: Uniform, args: list[Value]) -> SSADef:
        """textureSize: of level 0 where there are none."""
        type_ = sampler.type
        assert isinstance(type_, SamplerType)
        lod = self.scalar(args[0]) if args else self.vector("int", (0,))
        width = {"1D": 1, "3D": 3, "Buf": 1}.get(type_.dim, 2) + type_.arrayed
        return self._tex("txs", {"lod": lod}, sampler, width)

    def _fetch_texel(
        self, lookup: Lookup, sampler: Uniform, place: SSADef, args: list[Value]
    ) -> SSADef:
        """texelFetch: a layer is not moved."""
        if lookup.offset:
            steps = args[lookup.offset].constant or ()
            whole = tuple(steps) + (0,) * (place.num_components - len(steps))
            place = self.b.alu("iadd", place, self.vector("int", whole))
        more = [a for n, a in enumerate(args) if n > 1 and n != lookup.offset]
        lod = self.scalar(more[0]) if more else self.vector("int", (0,))
        return self._tex("txf", {"coord": place, "lod": lod}, sampler)

    def _tex(
        self, op: str, srcs: dict[str, SSADef], sampler: Uniform, width: int = 4
    ) -> SSADef:
        first, strides = self.layout.sampler_place(sampler.root, sampler.members)
        lengths = self._lengths(sampler)
        type_ = sampler.type
        assert isinstance(type_, SamplerType)
        choices = [range(length) if isinstance(index, SSADef) else (index,)
                   for index, length in zip(sampler.indices, lengths, strict=True)]
        found: SSADef | None = None
        for number, chosen in enumerate(product(*choices)):
            if number >= MAX_CHOICES:
                raise TooComplex(f"`{sampler.root.name}' is too large to be indexed at run time")
            unit = first + sum(i * stride for i, stride in zip(chosen, strides, strict=True))
            color = self.b.tex(
                op, srcs, sampler_dim=type_.dim, is_array=type_.arrayed, is_shadow=type_.shadow,
                texture_index=unit, sampler_index=unit, num_components=width,
                kind=_QUERIES.get(op, type_.result))  # fmt: skip
            if found is None:
                found = color
            else:
                test = self._is_chosen(sampler.indices, chosen)
                found = self.b.alu("bcsel", test, color, found)
        assert found is not None
        return found

    def _is_chosen(self, indices: tuple[Index, ...], chosen: tuple[int, ...]) -> SSADef:
        test: SSADef | None = None
        for index, number in zip(indices, chosen, strict=True):
            if isinstance(index, SSADef):
                same = self.b.alu("ieq", index, self.vector("int", (number,)))
                test = same if test is None else self.b.alu("iand", test, same)
        assert test is not None
        return test

    @staticmethod
    def _lengths(sampler: Uniform) -> list[int]:
        """How many elements the arrays on the way to a sampler have."""
        type_ = sampler.root.type
        lengths = []
        members = list(sampler.members)
        while type_ is not sampler.type:
            if type_.kind == "array":
                lengths.append(type_.length)
                type_ = type_.element(0)
            else:
                type_ = type_.element(members.pop(0))
        return lengths

    # ---- geometry shaders -------------------------------------------------------------------
    def emit(self, name: str) -> Result:
        """EmitVertex, EndPrimitive: of stream 0."""
        self.b.intrinsic(name, indices={"stream": 0})
        return []

    # ---- matrices and what has an instruction ---------------------------------------------
    def _derivative(self, args: list[Result], names: list[str]) -> Result:
        (x,) = args
        assert isinstance(x, SSADef)
        found = [self.b.alu(name, x) for name in names]
        if len(found) == 1:
            return found[0]
        return self.b.alu("fadd", *(self.b.alu("fabs", f) for f in found))

    def _ftransform(self, args: list[Result]) -> Result:
        """As the fixed function does it: gl_ModelViewProjectionMatrix * gl_Vertex."""
        matrix, vertex = (self.rvalue(VarRef(0, self._builtin(name)))
                          for name in ("gl_ModelViewProjectionMatrix", "gl_Vertex"))
        return self.product(matrix, vertex)

    def _builtin(self, name: str) -> tree.Var:
        return next(v for v in self.source.globals if v.name == name and v.builtin)

    def _modf(self, value: Value, place: Value) -> Result:
        """The fraction; the whole part is written."""
        x, target = self.scalar(value), self.target(place)
        whole = self.b.alu("ftrunc", x)
        self.write(target, whole)
        return self.b.alu("fsub", x, whole)

    def _outer(self, args: list[Result]) -> Result:
        x, y = args
        assert isinstance(x, SSADef) and isinstance(y, SSADef)
        return [self.b.alu("fmul", x, self.b.swizzle(y, (i,))) for i in range(y.num_components)]

    def _transpose(self, args: list[Result]) -> Result:
        (columns,) = args
        assert isinstance(columns, list)
        return [self.gather([(column, r) for column in columns])
                for r in range(columns[0].num_components)]

    def _parts(self, args: list[Result]) -> list[list[SSADef]]:
        (columns,) = args
        assert isinstance(columns, list)
        return [self.b.components(column) for column in columns]

    def _determinant(self, args: list[Result]) -> Result:
        found: SSADef = ex.determinant(self.b, self._parts(args))
        return found

    def _inverse(self, args: list[Result]) -> Result:
        columns, scale = ex.inverse(self.b, self._parts(args))
        return [self.b.alu("fmul", self.gather([(x, 0) for x in column]), scale)
                for column in columns]


_SPECIAL: Final[dict[str, Callable[[Builtins, list[Result]], Result]]] = {
    **{f"{name}{tail}": partial(Builtins._derivative, names=[op + kind for op in ops])
       for name, ops in (("dFdx", ["fddx"]), ("dFdy", ["fddy"]), ("fwidth", ["fddx", "fddy"]))
       for tail, kind in (("", ""), ("Coarse", "_coarse"), ("Fine", "_fine"))},
    "ftransform": Builtins._ftransform,
    "matrixCompMult": lambda t, args: t.each("fmul", args[0], args[1]),
    "outerProduct": Builtins._outer,
    "transpose": Builtins._transpose,
    # Values have no type, so the bits are the result.
    **{name: lambda t, args: args[0] for name in (
        "floatBitsToInt", "floatBitsToUint", "intBitsToFloat", "uintBitsToFloat")},
    "EmitVertex": lambda t, args: t.emit("emit_vertex"),
    "EndPrimitive": lambda t, args: t.emit("end_primitive"),
    "determinant": Builtins._determinant,
    "inverse": Builtins._inverse,
}
