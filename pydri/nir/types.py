# SPDX-License-Identifier: MIT
"""GLSL types, as variables and dereferences carry them.

In: nothing.  Out: `Type` objects that are unique per type, so `is` compares them. Arrays and
structs live as long as somebody has them: programs make any number of them.
SSA values have no type, only a width; types exist where memory has a shape: variables, uniforms,
inputs and outputs. Counterpart of Mesa's src/compiler/glsl_types.h, reduced to what GLSL 1.10-3.30
has (no doubles, no images). Sizes are given in vec4 slots, the unit in which inputs and outputs are
assigned; std140 layout of uniform blocks is the linker's business.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Any, Final
from weakref import WeakValueDictionary

FLOAT_KIND: Final = "float"
INT_KIND: Final = "int"
UINT_KIND: Final = "uint"
BOOL_KIND: Final = "bool"


class Type:
    """A type.  `kind` is float, int, uint, bool, void, array, struct or sampler."""

    __slots__ = ("__weakref__", "derived", "kind", "name")

    #: rows of a vector or of a matrix column; 0 for what is not built of components
    rows: int = 0
    columns: int = 0

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name
        #: what other rooms found out about the type, by keys of theirs; it goes with the type
        self.derived: dict[Hashable, Any] = {}

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<Type {self.name}>"

    @property
    def is_vector_or_scalar(self) -> bool:
        """One SSA value can hold it."""
        return self.columns == 1

    @property
    def is_matrix(self) -> bool:
        return self.columns > 1

    @property
    def components(self) -> int:
        """How many 32-bit numbers it holds in all."""
        raise TypeError(f"{self.name} has no components")

    @property
    def slots(self) -> int:
        """How many vec4 slots it takes as an input or output."""
        raise TypeError(f"{self.name} cannot be an input or output")

    def element(self, step: int | str = 0) -> Type:
        """The type one dereference further: array element, matrix column, struct field."""
        raise TypeError(f"{self.name} cannot be indexed with {step!r}")

    @property
    def length(self) -> int:
        """How many elements an index can choose from."""
        raise TypeError(f"{self.name} has no length")


class VectorType(Type):
    """Scalars, vectors and matrices of one base kind."""

    __slots__ = ("columns", "rows")

    def __init__(self, kind: str, name: str, rows: int, columns: int) -> None:
        super().__init__(kind, name)
        self.rows = rows
        self.columns = columns

    @property
    def components(self) -> int:
        return self.rows * self.columns

    @property
    def slots(self) -> int:
        return self.columns

    @property
    def length(self) -> int:
        return self.columns if self.columns > 1 else self.rows

    def element(self, step: int | str = 0) -> Type:
        if isinstance(step, str) or self.rows == 1:
            return super().element(step)
        return vector(self.kind, self.rows) if self.columns > 1 else vector(self.kind, 1)


class ArrayType(Type):
    """An array; size 0 is an array whose size is not known yet."""

    __slots__ = ("item", "size")

    def __init__(self, item: Type, size: int) -> None:
        # The outermost size is written first: vec4[2][3] is two arrays of three.
        base, bracket, rest = item.name.partition("[")
        super().__init__("array", f"{base}[{size}]{bracket}{rest}")
        self.item = item
        self.size = size

    @property
    def components(self) -> int:
        return self.item.components * self.size

    @property
    def slots(self) -> int:
        return self.item.slots * self.size

    @property
    def length(self) -> int:
        return self.size

    def element(self, step: int | str = 0) -> Type:
        return super().element(step) if isinstance(step, str) else self.item


class StructType(Type):
    """A struct or interface block; fields in order."""

    __slots__ = ("_components", "_slots", "fields")

    def __init__(self, name: str, fields: tuple[tuple[str, Type], ...]) -> None:
        super().__init__("struct", name)
        self.fields = fields
        # Counted once: a struct may hold another twice, which holds another twice, and so on.
        self._components = -1
        self._slots = -1

    @property
    def components(self) -> int:
        if self._components < 0:
            self._components = sum(t.components for _, t in self.fields)
        return self._components

    @property
    def slots(self) -> int:
        if self._slots < 0:
            self._slots = sum(t.slots for _, t in self.fields)
        return self._slots

    @property
    def length(self) -> int:
        return len(self.fields)

    def element(self, step: int | str = 0) -> Type:
        for name, field in self.fields:
            if name == step:
                return field
        return super().element(step)


class SamplerType(Type):
    """A sampler: `dim` is 1D, 2D, 3D, Cube, Rect, Buf or MS (2D with several samples); `result` the
    kind that a lookup gives."""

    __slots__ = ("arrayed", "dim", "result", "shadow")

    def __init__(self, dim: str, shadow: bool, arrayed: bool, result: str) -> None:
        prefix = {"float": "", "int": "i", "uint": "u"}[result]
        tail = ("Array" if arrayed else "") + ("Shadow" if shadow else "")
        dim_name = {"Rect": "2DRect", "Buf": "Buffer", "MS": "2DMS"}.get(dim, dim)
        super().__init__("sampler", f"{prefix}sampler{dim_name}{tail}")
        self.dim = dim
        self.shadow = shadow
        self.arrayed = arrayed
        self.result = result

    @property
    def components(self) -> int:
        return 1

    @property
    def slots(self) -> int:
        return 1


_PREFIX: Final = {"float": "", "int": "i", "uint": "u", "bool": "b"}

VOID: Final = Type("void", "void")

_vectors: dict[tuple[str, int], VectorType] = {}
_matrices: dict[tuple[int, int], VectorType] = {}
_arrays: WeakValueDictionary[tuple[Type, int], ArrayType] = WeakValueDictionary()
_structs: WeakValueDictionary[tuple[str, tuple[tuple[str, Type], ...]], StructType] = (
    WeakValueDictionary()
)
_making = threading.Lock()  # no two threads make the same type
_samplers: dict[tuple[str, bool, bool, str], SamplerType] = {}


def dimensions(type_: Type) -> tuple[int, ...]:
    """The sizes of an array of arrays, outermost first; () of what is no array."""
    found = []
    while isinstance(type_, ArrayType):
        found.append(type_.size)
        type_ = type_.item
    return tuple(found)


def vector(kind: str, rows: int) -> VectorType:
    """The scalar (rows 1) or vector type of a kind."""
    found = _vectors.get((kind, rows))
    if found is None:
        if not 1 <= rows <= 4:
            raise ValueError(f"a vector has 1 to 4 components, not {rows}")
        name = kind if rows == 1 else f"{_PREFIX[kind]}vec{rows}"
        found = _vectors[kind, rows] = VectorType(kind, name, rows, 1)
    return found


def matrix(columns: int, rows: int) -> VectorType:
    """matCxR: C columns of R-component vectors (GLSL 4.1.6)."""
    found = _matrices.get((columns, rows))
    if found is None:
        name = f"mat{columns}" if columns == rows else f"mat{columns}x{rows}"
        found = _matrices[columns, rows] = VectorType("float", name, rows, columns)
    return found


def array(item: Type, size: int) -> ArrayType:
    """`size` items."""
    found = _arrays.get((item, size))
    if found is None:
        with _making:
            found = _arrays.setdefault((item, size), ArrayType(item, size))
    return found


def struct(name: str, fields: tuple[tuple[str, Type], ...]) -> StructType:
    """A struct type; the same name with the same fields is the same type."""
    found = _structs.get((name, fields))
    if found is None:
        with _making:
            found = _structs.setdefault((name, fields), StructType(name, fields))
    return found


def sampler(
    dim: str, shadow: bool = False, arrayed: bool = False, result: str = "float"
) -> SamplerType:
    """A sampler type."""
    key = (dim, shadow, arrayed, result)
    found = _samplers.get(key)
    if found is None:
        found = _samplers[key] = SamplerType(*key)
    return found


FLOAT: Final = vector("float", 1)
VEC2: Final = vector("float", 2)
VEC3: Final = vector("float", 3)
VEC4: Final = vector("float", 4)
INT: Final = vector("int", 1)
IVEC2: Final = vector("int", 2)
IVEC3: Final = vector("int", 3)
IVEC4: Final = vector("int", 4)
UINT: Final = vector("uint", 1)
UVEC2: Final = vector("uint", 2)
UVEC3: Final = vector("uint", 3)
UVEC4: Final = vector("uint", 4)
BOOL: Final = vector("bool", 1)
BVEC2: Final = vector("bool", 2)
BVEC3: Final = vector("bool", 3)
BVEC4: Final = vector("bool", 4)
MAT2: Final = matrix(2, 2)
MAT3: Final = matrix(3, 3)
MAT4: Final = matrix(4, 4)

_SAMPLER_DIMS: Final = ("1D", "2D", "3D", "Cube", "Rect", "Buf", "MS")


def by_name(name: str, structs: dict[str, StructType] | None = None) -> Type:
    """The type a printed name stands for, arrays included; `structs` adds named ones."""
    base, *sizes = name.split("[")
    found = (structs or {}).get(base) or _basic(base)
    if found is None:
        raise ValueError(f"unknown type {name!r}")
    result: Type = found
    for size in reversed(sizes):
        result = array(result, int(size.rstrip("]")))
    return result


def _basic(name: str) -> Type | None:
    if name == "void":
        return VOID
    for kind, prefix in _PREFIX.items():
        if name == kind:
            return vector(kind, 1)
        if name[:-1] == f"{prefix}vec" and name[-1] in "234":
            return vector(kind, int(name[-1]))
    if name.startswith("mat"):
        columns, _, rows = name[3:].partition("x")
        return matrix(int(columns), int(rows or columns))
    if "sampler" in name:
        for dim in _SAMPLER_DIMS:
            for shadow in (False, True):
                for arrayed in (False, True):
                    for result in ("float", "int", "uint"):
                        if sampler(dim, shadow, arrayed, result).name == name:
                            return sampler(dim, shadow, arrayed, result)
    return None
