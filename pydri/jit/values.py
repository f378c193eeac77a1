# SPDX-License-Identifier: MIT
"""Run-time values of the kernel language: what operators and field accesses on them emit.

A `Value` is a name in the LLVM function being built plus its type. Python computes with it at
*generation* time; the machine computes with it at *run* time. So asking Python for its truth is
an error. `Pointer` adds memory: fields by attribute, elements by index. `Var` is a mutable local.

An operand is a Value or a Python number, which takes the other operand's type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar, overload

from pydri.jit.types import Array, Fn, Ptr, Scalar, StructMeta, Type, Vec, element

if TYPE_CHECKING:
    from typing import Self, TypeAlias

    from pydri.jit.emitter import Emitter
    from pydri.jit.extern import ExternC
    from pydri.jit.kernel import Kernel
    from pydri.jit.types import AnyType, Field, P

    #: what the operators take: a value, or a number that takes the other operand's type
    Operand: TypeAlias = "Value | float"
    #: what can be stored in a field or passed as an argument: None is the null pointer
    Settable: TypeAlias = "Value | float | Kernel | ExternC | None"

V = TypeVar("V", bound="Value")


class Value:
    """A run-time value: `ty` its type, `ref` its LLVM text, `b` the builder that made it."""

    __slots__ = ("b", "ref", "ty")

    def __init__(self, b: Emitter, ty: Type, ref: str) -> None:
        self.b, self.ty, self.ref = b, ty, ref

    @property
    def elem(self) -> Scalar:
        """The scalar type (of each lane)."""
        return element(self.ty)

    def __bool__(self) -> bool:
        raise TypeError(
            "Python's `if`, `and`, `or`, `not` and chained comparisons choose when the kernel is "
            "generated; this value is known only when it runs. Write `with b.If(cond):` "
            "(and `with b.Else():`) or `b.select(cond, a, b)`, "
            "and & | ~ for and, or, not."
        )

    def __iter__(self) -> NoReturn:
        raise TypeError("a run-time value cannot be iterated; write `with b.For(0, n) as i:`")

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Operand) -> Value:
        return self.b.arith("add", self, other)

    def __radd__(self, other: float) -> Value:
        return self.b.arith("add", other, self)

    def __sub__(self, other: Operand) -> Value:
        return self.b.arith("sub", self, other)

    def __rsub__(self, other: float) -> Value:
        return self.b.arith("sub", other, self)

    def __mul__(self, other: Operand) -> Value:
        return self.b.arith("mul", self, other)

    def __rmul__(self, other: float) -> Value:
        return self.b.arith("mul", other, self)

    def __truediv__(self, other: Operand) -> Value:
        return self.b.arith("truediv", self, other)

    def __rtruediv__(self, other: float) -> Value:
        return self.b.arith("truediv", other, self)

    def __floordiv__(self, other: Operand) -> Value:
        return self.b.arith("div", self, other)

    def __rfloordiv__(self, other: float) -> Value:
        return self.b.arith("div", other, self)

    def __mod__(self, other: Operand) -> Value:
        return self.b.arith("rem", self, other)

    def __rmod__(self, other: float) -> Value:
        return self.b.arith("rem", other, self)

    def __and__(self, other: Operand) -> Value:
        return self.b.arith("and", self, other)

    def __rand__(self, other: float) -> Value:
        return self.b.arith("and", other, self)

    def __or__(self, other: Operand) -> Value:
        return self.b.arith("or", self, other)

    def __ror__(self, other: float) -> Value:
        return self.b.arith("or", other, self)

    def __xor__(self, other: Operand) -> Value:
        return self.b.arith("xor", self, other)

    def __rxor__(self, other: float) -> Value:
        return self.b.arith("xor", other, self)

    def __lshift__(self, other: Operand) -> Value:
        return self.b.arith("shl", self, other)

    def __rlshift__(self, other: float) -> Value:
        return self.b.arith("shl", other, self)

    def __rshift__(self, other: Operand) -> Value:
        return self.b.arith("shr", self, other)

    def __rrshift__(self, other: float) -> Value:
        return self.b.arith("shr", other, self)

    def __neg__(self) -> Value:
        return self.b.neg(self)

    def __invert__(self) -> Value:
        return self.b.invert(self)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self.b.compare("eq", self, other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self.b.compare("ne", self, other)

    def __lt__(self, other: Operand) -> Value:
        return self.b.compare("lt", self, other)

    def __le__(self, other: Operand) -> Value:
        return self.b.compare("le", self, other)

    def __gt__(self, other: Operand) -> Value:
        return self.b.compare("gt", self, other)

    def __ge__(self, other: Operand) -> Value:
        return self.b.compare("ge", self, other)

    def __getitem__(self, lane: Operand) -> Value:
        """One lane of a vector; the lane may be a run-time value."""
        return self.b.extract(self, lane)

    def insert(self, lane: Operand, value: Operand) -> Value:
        """The vector with one lane replaced."""
        return self.b.insert(self, lane, value)

    def __repr__(self) -> str:
        return f"<{self.ty!r} {self.ref}>"


_SET_B, _SET_TY, _SET_REF = (vars(Value)[name].__set__ for name in ("b", "ty", "ref"))


class Pointer(Value):
    """A pointer: `p.field`, `p.field = v`, `p[i]`, `p[i] = v`, `p + n` (elements),
    `p.load(type)`, `p.store(v)`.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, b: Emitter, ty: Ptr[Any], ref: str) -> None:
            super().__init__(b, ty, ref)
            self.ty: Ptr[Any]

    else:  # an assignment to an attribute is a store to a field

        def __init__(self, b, ty, ref):
            _SET_B(self, b)
            _SET_TY(self, ty)
            _SET_REF(self, ref)

    def _field(self, name: str) -> Field:
        to = self.ty.to
        if not isinstance(to, StructMeta):
            raise AttributeError(f"{self.ty!r} points to no struct, so it has no field {name!r}")
        field = to.fields.get(name)
        if field is None:
            raise AttributeError(
                f"struct {to.__name__} has no field {name!r}; it has {', '.join(to.fields)}"
            )
        return field

    def addr(self, name: str) -> Pointer:
        """Address of a field, typed."""
        field = self._field(name)
        to = field.type.elem if isinstance(field.type, Array) else field.type
        return self.b.offset_pointer(self, field.offset, Ptr(to))

    if not TYPE_CHECKING:  # mypy knows the fields from the struct's class (pydri.jit.types)

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            field = self._field(name)
            place = self.addr(name)
            if isinstance(field.type, (StructMeta, Array)):
                return place
            return self.b.load(place, field.type)

        def __setattr__(self, name, value):
            field = self._field(name)
            if isinstance(field.type, (StructMeta, Array)):
                raise TypeError(f"{name} is an aggregate; store its elements, or b.memcpy it")
            self.b.store(self.addr(name), self.b.coerce(value, field.type))

    def __getitem__(self, index: Operand) -> Value:
        """The element: its value, or its address where it is a struct or an array."""
        place = self + index
        to = self.ty.to
        if isinstance(to, StructMeta):
            return place
        if isinstance(to, Array):
            return place.cast(Ptr(to.elem))
        return self.b.load(place, to)

    def __setitem__(self, index: Operand, value: Settable) -> None:
        to = self.ty.to
        if isinstance(to, (StructMeta, Array)):
            raise TypeError(f"element type {to!r} is an aggregate; use b.memcpy")
        self.b.store(self + index, self.b.coerce(value, to))

    def __add__(self, count: Operand) -> Self:
        return self.b.element_pointer(self, count)

    def __sub__(self, other: Operand) -> Self:
        if isinstance(other, Pointer):
            raise TypeError("to subtract pointers, b.ptr_to_int both")
        return self.b.element_pointer(self, -other)

    @overload
    def load(self, ty: Ptr[P], align: int | None = None, invariant: bool = False) -> P: ...
    @overload
    def load(
        self, ty: Type | None = None, align: int | None = None, invariant: bool = False
    ) -> Value: ...
    def load(
        self, ty: Type | None = None, align: int | None = None, invariant: bool = False
    ) -> Value:
        """Load a value of `ty` (default: the pointee). `align` in bytes, default the element's own.

        `invariant` promises that this memory does not change while the kernel runs, and is there
        even where the kernel would not come by (hoist.py).
        """
        return self.b.load(self, ty or self.ty.to, align, invariant)

    def store(self, value: Settable, align: int | None = None) -> None:
        """Store a value here (a Python number takes the pointee's type)."""
        if not isinstance(value, Value):
            value = self.b.coerce(value, self.ty.loaded)
        self.b.store(self, value, align)

    def cast(self, ty: Ptr[P]) -> P:
        """The same address with another pointee."""
        if not isinstance(ty, Ptr):
            raise TypeError("cast a pointer to a pointer type: p.cast(ptr(T))")
        return Pointer(self.b, ty, self.ref)  # type: ignore[return-value]


if TYPE_CHECKING:

    class AnyPointer(Pointer):
        """For mypy: a pointer to a struct that is known by name alone, so its fields are not."""

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...
        def __getitem__(self, index: Operand) -> Any: ...


class FnPointer(Value):
    """The address of a function; call it with `b.call(f, ...)` or directly."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(self, b: Emitter, ty: Fn, ref: str) -> None:
            super().__init__(b, ty, ref)
            self.ty: Fn

    def __call__(self, *args: Settable) -> Any:
        return self.b.call(self, *args)


class Var(Generic[V]):
    """A mutable local variable; LLVM turns it into registers."""

    __slots__ = ("_place", "ty")

    def __init__(self, place: Pointer, ty: Type) -> None:
        self._place = place
        self.ty = ty

    @property
    def value(self) -> V:
        """What it holds now; assigning stores."""
        return self._place.b.load(self._place, self.ty, local_align(self.ty))  # type: ignore[return-value]

    @value.setter
    def value(self, new: Settable) -> None:
        b = self._place.b
        b.store(self._place, b.coerce(new, self.ty), local_align(self.ty), local=True)

    @property
    def address(self) -> Pointer:
        """Where it lives (takes it out of registers)."""
        return self._place


@overload
def wrap(b: Emitter, ty: Ptr[P], ref: str) -> P: ...
@overload
def wrap(b: Emitter, ty: Fn, ref: str) -> FnPointer: ...
@overload
def wrap(b: Emitter, ty: Type, ref: str) -> Value: ...
def wrap(b: Emitter, ty: Type, ref: str) -> Value:
    """The right kind of Value for a type."""
    return ty.run_time(b, ty, ref)  # type: ignore[no-any-return]


Type.run_time, Ptr.run_time, Fn.run_time = Value, Pointer, FnPointer


def local_align(ty: Type) -> int:
    """Alignment of a local: a vector's own size if that is a power of two, at most a cache line."""
    if isinstance(ty, Vec) and ty.size & (ty.size - 1) == 0:
        return max(ty.align, min(ty.size, 64))
    return ty.align


def is_float(ty: AnyType) -> bool:
    """Whether a scalar or vector type holds IEEE numbers."""
    elem = ty.elem if isinstance(ty, Vec) else ty
    return isinstance(elem, Scalar) and elem.kind == "f"
