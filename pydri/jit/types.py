# SPDX-License-Identifier: MIT
"""Types of the kernel language: scalars, SIMD vectors, arrays, pointers, functions, structs.

Each type knows its LLVM text, its size and alignment by C's layout rules, and its ctypes twin. A
`Struct` is declared once as a Python class and read by kernels (as a pointer with fields), by
Python (through `.view(address)`) and by people. Sign lives in the type (`i32` / `u32`), not in
the operation.

For mypy a field of a struct is what a kernel gets of it: `lights = Light[8]` a pointer, `count =
u32` a `Value`, `next = ptr(Node)` a `Node`. So a kernel's parameter that points to a struct is
annotated with the struct's class, and mypy knows its fields. A pointer whose pointee is given by
name, or is no struct, is a `Pointer`; fields of the former are not checked."""

from __future__ import annotations

import struct as _struct
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

if TYPE_CHECKING:
    from typing import Self, TypeAlias

    from pydri.jit.values import AnyPointer, FnPointer, Pointer, Settable, Value

    #: what can stand where memory is declared: a type or the class of a struct
    AnyType: TypeAlias = "Type | StructMeta"
    #: a class of ctypes; their bases are not public
    CType: TypeAlias = Any

#: what a kernel gets of a pointer type: a struct's class, or Pointer
P = TypeVar("P", bound="Pointer")
S = TypeVar("S", bound="Struct")


class Type:
    """Base of all types: `ir` is LLVM's text for it; `size` and `align` are in bytes."""

    ir: str
    size: int
    align: int
    #: the class of run-time values of this type (values.py)
    run_time: Any

    def vec(self, lanes: int) -> Vec:
        """The SIMD type of `lanes` such elements."""
        return _intern_vec(self, lanes)

    def __getitem__(self, count: int) -> Array:
        return Array(self, count)

    def const(self, value: float) -> str:
        """LLVM's text of a constant of this type."""
        raise TypeError(f"{self!r} has no constants")

    def ctype(self) -> CType:
        """The ctypes class of the same memory layout."""
        raise TypeError(f"{self!r} has no ctypes form")

    def __repr__(self) -> str:
        return self.ir


class Numeric(Type):
    """Numbers and vectors: a field of such a type is a `Value` to a kernel."""

    if TYPE_CHECKING:

        @overload
        def __get__(self, struct: Struct, owner: type[object]) -> Value: ...
        @overload
        def __get__(self, struct: object, owner: type[object]) -> Self: ...
        def __get__(self, struct: object, owner: type[object]) -> object: ...
        def __set__(self, struct: Struct, value: Settable) -> None: ...


class Scalar(Numeric):
    """A number: kind is 'f' (IEEE), 'i' (signed), 'u' (unsigned) or 'b' (one bit, never in
    memory).
    """

    def __init__(self, name: str, kind: str, bits: int) -> None:
        self.name = name
        self.kind = kind
        self.bits = bits
        if kind == "f":
            self.ir = {16: "half", 32: "float", 64: "double"}[bits]
        else:
            self.ir = f"i{bits}"
        self.size = self.align = max(1, bits // 8)
        self._texts: dict[float, str] = {}  # of the constants that there were

    def __repr__(self) -> str:
        return self.name

    def const(self, value: float | int | bool) -> str:
        """LLVM text of a constant of this type; integers wrap to the width."""
        if self.kind == "b":
            return "true" if value else "false"
        if self.kind == "f":
            value = float(value)
            if value and value == value:  # zeros have signs, and no NaN is another one
                text = self._texts.get(value)
                if text is None:
                    text = self._texts[value] = self._float(value)
                return text
            return self._float(value)
        if isinstance(value, float) and value != int(value):
            raise TypeError(f"{value} is not a whole number; {self!r} wanted")
        return str(_wrap(int(value), self.bits))

    def _float(self, value: float) -> str:
        """LLVM text of a number."""
        if self.bits == 32:
            try:
                value = _struct.unpack("<f", _struct.pack("<f", value))[0]
            except OverflowError:
                value = float("inf") if value > 0 else float("-inf")
        elif self.bits == 16:
            return f"0xH{_struct.unpack('<H', _struct.pack('<e', value))[0]:04X}"
        return f"0x{_struct.unpack('<Q', _struct.pack('<d', value))[0]:016X}"

    def ctype(self) -> CType:
        import ctypes

        return {
            "f32": ctypes.c_float,
            "f64": ctypes.c_double,
            "i8": ctypes.c_int8,
            "i16": ctypes.c_int16,
            "i32": ctypes.c_int32,
            "i64": ctypes.c_int64,
            "u8": ctypes.c_uint8,
            "u16": ctypes.c_uint16,
            "u32": ctypes.c_uint32,
            "u64": ctypes.c_uint64,
        }[self.name]


def _wrap(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class Void(Type):
    ir = "void"
    size = 0
    align = 1


class Vec(Numeric):
    """`lanes` scalars side by side in a register (and in memory, aligned to its element)."""

    def __init__(self, elem: Type, lanes: int) -> None:
        if not isinstance(elem, (Scalar, Ptr)):
            raise TypeError(f"a vector holds scalars or pointers, not {elem!r}")
        #: of the few vectors of pointers a Ptr
        self.elem: Scalar = elem  # type: ignore[assignment]
        self.lanes = lanes
        self.ir = f"<{lanes} x {elem.ir}>"
        self.size = elem.size * lanes
        self.align = elem.align

    def __repr__(self) -> str:
        return f"{self.elem!r}x{self.lanes}"

    def ctype(self) -> CType:
        return self.elem.ctype() * self.lanes


def element(ty: Type) -> Scalar:
    """The type itself, or that of a vector's lanes; the caller knows that they are numbers."""
    return ty.elem if isinstance(ty, Vec) else ty  # type: ignore[return-value]


_vecs: dict[tuple[int, int], Vec] = {}


def _intern_vec(elem: Type, lanes: int) -> Vec:
    key = (id(elem), lanes)
    found = _vecs.get(key)
    if found is None:
        found = _vecs[key] = Vec(elem, lanes)
    return found


class Array(Type):
    """`count` elements in memory."""

    if TYPE_CHECKING:

        @overload
        def __get__(self, struct: Struct, owner: type[object]) -> Pointer: ...
        @overload
        def __get__(self, struct: object, owner: type[object]) -> Self: ...
        def __get__(self, struct: object, owner: type[object]) -> object: ...

    def __init__(self, elem: AnyType, count: int) -> None:
        self.elem = elem
        self.count = count
        self.ir = f"[{count} x {elem.ir}]"
        self.size = elem.size * count
        self.align = elem.align

    def ctype(self) -> CType:
        return self.elem.ctype() * self.count


class Ptr(Type, Generic[P]):
    """A typed pointer (LLVM's own are untyped). The pointee may be a struct's name, for
    recursion. Kernels get a P of it.
    """

    ir = "ptr"
    size = 8
    align = 8

    if TYPE_CHECKING:

        @overload
        def __get__(self, struct: Struct, owner: type[object]) -> P: ...
        @overload
        def __get__(self, struct: object, owner: type[object]) -> Self: ...
        def __get__(self, struct: object, owner: type[object]) -> object: ...
        def __set__(self, struct: Struct, value: Settable) -> None: ...

    def __init__(self, to: AnyType | str) -> None:
        self._to = to

    @property
    def to(self) -> AnyType:
        """The pointee."""
        if isinstance(self._to, str):
            self._to = Struct.registry[self._to]
        return self._to

    @property
    def loaded(self) -> Type:
        """The pointee, where it can be loaded into a register: no struct."""
        if isinstance(self.to, StructMeta):
            raise TypeError(f"{self!r}: a struct is loaded field by field")
        return self.to

    def __repr__(self) -> str:
        return f"ptr({self._to if isinstance(self._to, str) else self._to!r})"

    def ctype(self) -> CType:
        import ctypes

        return ctypes.c_uint64


class Fn(Type):
    """A function's type; a field or value of this type holds its address."""

    ir = "ptr"
    size = 8
    align = 8

    if TYPE_CHECKING:

        @overload
        def __get__(self, struct: Struct, owner: type[object]) -> FnPointer: ...
        @overload
        def __get__(self, struct: object, owner: type[object]) -> Self: ...
        def __get__(self, struct: object, owner: type[object]) -> object: ...
        def __set__(self, struct: Struct, value: Settable) -> None: ...

    def __init__(self, ret: Type, args: tuple[Type, ...], varargs: bool = False) -> None:
        self.ret = ret
        self.args = args
        self.varargs = varargs

    def __repr__(self) -> str:
        return f"fn({self.ret!r}, {', '.join(map(repr, self.args))})"

    @property
    def signature(self) -> str:
        """LLVM's text of the function type, as a call through a pointer wants it."""
        dots = ", ..." if self.varargs else ""
        return f"{self.ret.ir} ({', '.join(a.ir for a in self.args)}{dots})"

    def ctype(self) -> CType:
        import ctypes

        return ctypes.c_uint64


class Hook(Fn):
    """The type of a function of Python's that kernels call: it gets MXCSR as Python wants it
    (fpstate.py).
    """


class Field:
    """One member of a struct: its type and byte offset."""

    __slots__ = ("name", "offset", "type")

    def __init__(self, name: str, type_: AnyType, offset: int) -> None:
        self.name = name
        self.type = type_
        self.offset = offset


# names that a pointer value uses itself and that a field can therefore not bear
RESERVED = frozenset({"load", "store", "addr", "cast", "ty", "ref", "b", "elem", "insert"})


# To Python a struct is no class: a class has methods for a hundred operators, which nobody asks
# for; those of 161 structs would be a twentieth of a start.
if TYPE_CHECKING:
    _Base = type
else:
    _Base = object
_LAID_OUT = ("fields", "size", "align")


class StructMeta(_Base):
    """What the statement `class NAME(Struct)` makes: fields with C's layout, which is found out
    when somebody wants it; `align=N` raises the struct's alignment."""

    fields: dict[str, Field]
    size: int
    align: int
    _ctype: CType

    def __init__(
        cls, name: str, bases: tuple[StructMeta, ...], ns: dict[str, object], align: int = 1
    ) -> None:
        known: Any = cls.__dict__
        known.update(ns)
        for each in _LAID_OUT:  # fields may have these names
            known.pop(each, None)
        cls.__name__, cls._ctype = name, None
        cls._declared = bases, ns, align
        for field_name in () if RESERVED.isdisjoint(ns) else RESERVED & ns.keys():
            if isinstance(ns[field_name], (Type, StructMeta)):
                raise TypeError(
                    f"{name}.{field_name}: that name belongs to pointers; choose another"
                )
        if bases:
            Struct.registry[name] = cls

    if not TYPE_CHECKING:  # mypy knows what a struct declares

        def __getattr__(cls, name):
            if name in _LAID_OUT:
                cls._lay_out()
                return cls.__dict__[name]
            for base in cls._declared[0] if name[:1] != "_" else ():
                if name in base.fields:
                    return getattr(base, name)
            raise AttributeError(f"struct {cls.__name__} has no {name!r}")

    def _lay_out(cls) -> None:
        bases, ns, widest = cls._declared
        fields: dict[str, Field] = {}
        offset = 0
        for base in bases:
            fields |= base.fields
            for field in base.fields.values():
                offset = field.offset + field.type.size
                widest = max(widest, field.type.align)
        for field_name, value in ns.items():
            if isinstance(value, (Type, StructMeta)):
                align = value.align
                offset = (offset + align - 1) // align * align
                fields[field_name] = Field(field_name, value, offset)
                offset += value.size
                if align > widest:
                    widest = align
        cls.fields = fields
        cls.align = widest
        cls.size = (offset + widest - 1) // widest * widest

    @property
    def ir(cls) -> str:
        return f"[{cls.size} x i8]"

    def __getitem__(cls, count: int) -> Array:
        return Array(cls, count)

    def __repr__(cls) -> str:
        return cls.__name__

    def offset(cls, path: str) -> int:
        """Byte offset of a field; `a.b` goes into structs, `a[2]` into arrays."""
        at = 0
        here: Any = cls  # the path says what it is
        for part in path.split("."):
            name, _, index = part.partition("[")
            field = here.fields[name]
            at += field.offset
            here = field.type
            if index:
                at += int(index.rstrip("]")) * here.elem.size
                here = here.elem
        return at

    def prototype(cls, name: str) -> Any:
        """ctypes' class of the functions that a field holds: to call them, or to be one of them."""
        import ctypes

        kind = cls.fields[name].type
        assert isinstance(kind, Fn)
        returned = None if isinstance(kind.ret, Void) else kind.ret.ctype()
        return ctypes.CFUNCTYPE(returned, *(arg.ctype() for arg in kind.args))

    def ctype(cls) -> CType:
        """The ctypes.Structure of the same layout (made on first use). The structs and arrays in it
        are bytes until they are asked for: a context has hundreds, of which a start looks into a
        few."""
        if cls._ctype is None:
            import ctypes

            members: list[tuple[str, Any]] = []  # as in _fields_
            late: dict[str, Any] = {}
            at = 0
            for field in cls.fields.values():
                if isinstance(field.type, (StructMeta, Array)):
                    late[field.name] = _Late(cls, field)
                    continue
                if field.offset > at:
                    members += _room(field.offset - at, at)
                members.append((field.name, field.type.ctype()))
                at = field.offset + field.type.size
            members += _room(cls.size - at, at)
            cls._ctype = type(cls.__name__, (ctypes.Structure,), {"_fields_": members, **late})
            if ctypes.sizeof(cls._ctype) != cls.size:
                raise TypeError(
                    f"{cls.__name__}: ctypes sees {ctypes.sizeof(cls._ctype)} bytes, not {cls.size}"
                )
        return cls._ctype

    def view(cls, address: int) -> Any:
        """A ctypes view of such a struct that lies at `address`: its fields are attributes that
        hold Python numbers and ctypes arrays."""
        return cls.ctype().from_address(address)


_blocks: dict[int, CType] = {}


def _room(size: int, at: int) -> list[tuple[str, Any]]:
    """Members of a ctypes.Structure that take so many bytes, which begin at `at`. They are arrays
    of few sizes, as each further one would be another class."""
    import ctypes

    members = []
    while size:
        length = 1 << size.bit_length() - 1
        block = _blocks.get(length)
        if block is None:
            block = _blocks[length] = ctypes.c_uint8 * length
        members.append((f"_at_{at}", block))
        size -= length
        at += length
    return members


class _Late:
    """Stands in the ctypes class of a struct for a field that is a struct or an array. When it is
    asked for again, it makes the field that belongs there and puts that in its own place: most are
    asked for once, and a field is made of a class."""

    __slots__ = ("asked", "field", "struct")

    def __init__(self, struct: StructMeta, field: Field) -> None:
        self.struct = struct
        self.field = field
        self.asked = False

    def _settled(self) -> Any:
        import ctypes

        name = self.field.name
        members = [*_room(self.field.offset, 0), (name, self.field.type.ctype())]
        # ctypes' fields know their offset, and look at no class
        made = vars(type(name, (ctypes.Structure,), {"_fields_": members}))[name]
        setattr(self.struct.ctype(), name, made)
        return made

    def __get__(self, view: Any, owner: type) -> Any:
        if self.asked or view is None or not self.field.type.size:
            return self._settled().__get__(view, owner)
        self.asked = True
        return self.field.type.ctype().from_buffer(view, self.field.offset)

    def __set__(self, view: Any, value: Any) -> None:
        self._settled().__set__(view, value)


if TYPE_CHECKING:

    class Struct(Pointer, metaclass=StructMeta):
        """For mypy an instance of a struct's class is a kernel's pointer to such a struct."""

        registry: dict[str, StructMeta]

        def __getitem__(self, index: Value | float) -> Self: ...

else:

    class Struct(metaclass=StructMeta):
        """Base of all struct declarations: class attributes that are types become fields, in
        order. A class is never instantiated: kernels handle pointers to structs."""

        registry = {}


class Nested(Generic[S]):
    """What mypy takes `nested(S)` for: a field that gives kernels a pointer to the struct there."""

    if TYPE_CHECKING:

        @overload
        def __get__(self, struct: Struct, owner: type[object]) -> S: ...
        @overload
        def __get__(self, struct: object, owner: type[object]) -> type[S]: ...
        def __get__(self, struct: object, owner: type[object]) -> object: ...


def nested(of: type[S]) -> Nested[S]:
    """The type of a field that is itself a struct: the struct's class, which mypy would read as a
    name for it instead of as a field."""
    return cast("Nested[S]", of)


@overload
def ptr(to: type[S]) -> Ptr[S]: ...
@overload
def ptr(to: Type) -> Ptr[Pointer]: ...
@overload
def ptr(to: str) -> Ptr[AnyPointer]: ...
def ptr(to: AnyType | str) -> Ptr[Any]:
    """Pointer to `to` (a type, a struct class, or a struct's name)."""
    return Ptr(to)


def fn(ret: Type, *args: Type) -> Fn:
    """Type of a function (its address, where it is a field or a value)."""
    return Fn(ret, args)


def hook(ret: Type, *args: Type) -> Hook:
    """Type of a function that may be Python's."""
    return Hook(ret, args)


void = Void()
boolean = Scalar("boolean", "b", 1)
i8, i16, i32, i64 = (Scalar(f"i{n}", "i", n) for n in (8, 16, 32, 64))
u8, u16, u32, u64 = (Scalar(f"u{n}", "u", n) for n in (8, 16, 32, 64))
f16 = Scalar("f16", "f", 16)
f32 = Scalar("f32", "f", 32)
f64 = Scalar("f64", "f", 64)
