# SPDX-License-Identifier: MIT
"""Emits one LLVM function as text: arithmetic, comparison, conversion, memory and calls.

In: a kernel's Python function calls these methods and the operators of `values.py`. Out: lines of
LLVM assembly in basic blocks. Text is written straight away (no object tree): half the time of
building IR objects and printing them. Locals are allocas in the entry block; LLVM's SROA makes
registers of them, so no phi is written here. Every instruction's name carries the line of the
kernel source that made it (`%L123.7`), but for variants that nobody looks at. No fast-math flag is
ever set: the same input gives the same bits on every machine.
`ops.py` (SIMD and intrinsics) and `flow.py` (control flow) build on it; `builder.py` puts them
together."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar, overload

from pydri.jit.types import (
    Array,
    Fn,
    Hook,
    Ptr,
    Scalar,
    StructMeta,
    Type,
    Vec,
    Void,
    boolean,
    element,
    f16,
    i64,
    u8,
    void,
)
from pydri.jit.values import FnPointer, Pointer, Value, Var, is_float, local_align, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from pydri.jit.extern import ExternC
    from pydri.jit.flow import If, LoopFrame
    from pydri.jit.hoist import Loop
    from pydri.jit.kernel import Kernel, ModuleBuilder
    from pydri.jit.types import AnyType, P, S
    from pydri.jit.values import Operand, Settable

Place = TypeVar("Place", bound="Pointer")

_HERE = __file__.rpartition("/")[0] + "/"
_OF_JIT: dict[str, bool] = {}  # source file -> whether it is of this package

_FLOAT_OPS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "truediv": "fdiv", "rem": "frem"}
_SIGNED_OPS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "div": "sdiv",
    "rem": "srem",
    "and": "and",
    "or": "or",
    "xor": "xor",
    "shl": "shl",
    "shr": "ashr",
}
_heads: dict[tuple[str, Type], str] = {}  # by operator and type
_UNSIGNED_OPS = {**_SIGNED_OPS, "div": "udiv", "rem": "urem", "shr": "lshr"}
_FLOAT_CMP = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
_SIGNED_CMP = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_UNSIGNED_CMP = {"eq": "eq", "ne": "ne", "lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge"}


def mangle(ty: AnyType) -> str:
    """LLVM's suffix for an overloaded intrinsic."""
    if isinstance(ty, Vec):
        return f"v{ty.lanes}{mangle(ty.elem)}"
    if not isinstance(ty, Scalar):
        return "p0"
    return f"f{ty.bits}" if ty.kind == "f" else f"i{ty.bits}"


class Block:
    """A basic block: label, lines, and whether it already ends in a terminator."""

    __slots__ = ("closed", "label", "lines")

    def __init__(self, label: str) -> None:
        self.label = label
        self.lines: list[str] = []
        self.closed = False


class Emitter:
    """The base of Builder: values, memory and calls."""

    def __init__(self, module: ModuleBuilder, ret: Type) -> None:
        self.module = module
        self.ret = ret
        self.count = 0
        self.named = module.named
        self.splats: dict[tuple[str, int], Value] = {}  # of the block, by what is spread
        self.allocas: list[str] = []
        self.array_bytes = 0  # of the arrays among them
        self.blocks: list[Block] = []
        self.block = self.new_block("entry")
        self.place(self.block)
        self.loops: list[LoopFrame] = []  # that are being traced
        self.traced_loops: list[Loop] = []  # that have been, inner ones first
        self.last_if: If | None = None
        #: what `clamp` gave, by name: a second one with the same limits has nothing to do (LLVM
        #: does not see it, since a NaN might pass the first)
        self.clamped: dict[str, tuple[float, float]] = {}
        self.selected: set[str] = set()  # vectors that `select` gave, by name

    # -- emission --------------------------------------------------------------------------------

    def new_block(self, hint: str) -> Block:
        self.count += 1
        return Block(f"{hint}.{self.count}")

    def place(self, block: Block) -> None:
        """Append the block to the function and go on emitting there."""
        self.blocks.append(block)
        self.block = block
        self.splats = {}

    def line(self, text: str) -> None:
        """Emit one instruction that yields no value."""
        if self.block.closed:
            self.place(self.new_block("dead"))
        self.block.lines.append(text)

    def terminate(self, text: str) -> None:
        """End the block with a branch or a return; nothing where it has ended already."""
        if not self.block.closed:
            self.block.lines.append(text)
            self.block.closed = True

    def name(self) -> str:
        """A fresh value name that carries the kernel's source line."""
        self.count += 1
        if not self.named:
            return f"%n{self.count}"
        frame: FrameType | None = sys._getframe(2)
        while frame is not None:
            file = frame.f_code.co_filename
            ours = _OF_JIT.get(file)  # a tenth of all tracing was to look at the text each time
            if ours is None:
                ours = _OF_JIT[file] = file.startswith(_HERE)
            if not ours:
                break
            frame = frame.f_back
        return f"%L{frame.f_lineno if frame else 0}.{self.count}"

    @overload
    def emit(self, text: str, ty: Ptr[P]) -> P: ...
    @overload
    def emit(self, text: str, ty: Fn) -> FnPointer: ...
    @overload
    def emit(self, text: str, ty: Type) -> Value: ...
    def emit(self, text: str, ty: Type) -> Value:
        """Emit `name = text` and return the value of type `ty`."""
        if self.block.closed:
            self.place(self.new_block("dead"))
        if self.named:
            name = self.name()
        else:
            self.count += 1
            name = f"%n{self.count}"
        self.block.lines.append(f"{name} = {text}")
        return ty.run_time(self, ty, name)  # type: ignore[no-any-return]

    # -- constants and coercion ------------------------------------------------------------------

    @overload
    def const(self, ty: Ptr[P], value: int | None) -> P: ...
    @overload
    def const(self, ty: Type, value: float | Sequence[float] | None) -> Value: ...
    def const(self, ty: Type, value: float | Sequence[float] | None) -> Value:
        """A constant; for a vector type a number (in every lane) or a list with one number a
        lane.
        """
        if isinstance(ty, Vec):
            elem = ty.elem
            if isinstance(value, (list, tuple)):
                if len(value) != ty.lanes:
                    raise TypeError(f"{len(value)} numbers for {ty.lanes} lanes")
                return Value(
                    self, ty, "<" + ", ".join(f"{elem.ir} {elem.const(v)}" for v in value) + ">"
                )
            return Value(self, ty, f"splat ({elem.ir} {elem.const(value)})")  # type: ignore[arg-type]
        if isinstance(ty, (Ptr, Fn)):
            if value is not None and value != 0:
                return wrap(self, ty, f"inttoptr (i64 {value} to ptr)")
            return wrap(self, ty, "null")
        return Value(self, ty, ty.const(value))  # type: ignore[arg-type]

    @overload
    def coerce(self, value: Settable, ty: Ptr[P]) -> P: ...
    @overload
    def coerce(self, value: Settable, ty: Type) -> Value: ...
    def coerce(self, value: Settable, ty: Type) -> Value:
        """Python number -> constant of `ty`; scalar -> vector; a value of another type is an
        error.
        """
        if not isinstance(value, Value):
            if callable(getattr(value, "trace", None)) and isinstance(ty, (Fn, Ptr)):
                return self.address_of(value)  # type: ignore[arg-type]
            return self.const(ty, value)  # type: ignore[arg-type]
        have = value.ty
        if have is ty:
            return value
        if isinstance(ty, Vec) and not isinstance(have, Vec) and have is ty.elem:
            return self.splat(value, ty.lanes)
        if isinstance(have, (Ptr, Fn)) and isinstance(ty, (Ptr, Fn)):
            return wrap(self, ty, value.ref)
        if (
            isinstance(have, Vec)
            and isinstance(ty, Vec)
            and have.elem is ty.elem
            and have.lanes == ty.lanes
        ):
            return value
        raise TypeError(f"{have!r} given where {ty!r} is wanted; write b.cast(value, {ty!r})")

    def _pair(self, x: Operand, y: Operand) -> tuple[Value, Value, Type]:
        """Bring two operands, at least one of which is a value, to one type."""
        if not isinstance(x, Value):
            assert isinstance(y, Value), "one of two operands is a run-time value"
            return self.coerce(x, y.ty), y, y.ty
        if not isinstance(y, Value):
            return x, self.coerce(y, x.ty), x.ty
        if isinstance(y.ty, Vec) and not isinstance(x.ty, Vec):
            return self.coerce(x, y.ty), y, y.ty
        return x, self.coerce(y, x.ty), x.ty

    def splat(self, x: Value, lanes: int) -> Value:
        """A vector with `x` in every lane (a vector stays as it is)."""
        if isinstance(x.ty, Vec):
            return x
        ty = x.ty.vec(lanes)
        known = self.splats.get((x.ref, lanes))
        if known is not None and known.ty is ty:
            return known
        one = self.emit(f"insertelement {ty.ir} poison, {x.ty.ir} {x.ref}, i64 0", ty)
        known = self.splats[x.ref, lanes] = self.emit(
            f"shufflevector {ty.ir} {one.ref}, {ty.ir} poison, <{lanes} x i32> zeroinitializer", ty
        )
        return known

    def extract(self, v: Value, lane: Operand) -> Value:
        """One lane of a vector."""
        if not isinstance(v.ty, Vec):
            raise TypeError(f"{v.ty!r} has no lanes")
        at = f"{lane.ty.ir} {lane.ref}" if isinstance(lane, Value) else f"i64 {lane}"
        return self.emit(f"extractelement {v.ty.ir} {v.ref}, {at}", v.ty.elem)

    def insert(self, v: Value, lane: Operand, x: Operand) -> Value:
        """The vector v with x in one lane."""
        ty = v.ty
        x = self.coerce(x, v.elem)
        at = f"{lane.ty.ir} {lane.ref}" if isinstance(lane, Value) else f"i64 {lane}"
        return self.emit(f"insertelement {ty.ir} {v.ref}, {v.elem.ir} {x.ref}, {at}", ty)

    # -- arithmetic ------------------------------------------------------------------------------

    def arith(self, op: str, x: Operand, y: Operand) -> Value:
        """Binary operator on numbers: `truediv` is for floats, `div` for integers (towards
        zero).
        """
        if x.__class__ is Value and y.__class__ is Value and x.ty is y.ty:
            ty = x.ty
        else:
            x, y, ty = self._pair(x, y)
        head = _heads.get((op, ty)) or self._arith_head(op, ty)
        return self.emit(f"{head} {x.ref}, {y.ref}", ty)

    @staticmethod
    def _arith_head(op: str, ty: Type) -> str:
        """LLVM's name of an operator for a type, and the type; kept in `_heads`."""
        elem = element(ty)
        if not isinstance(elem, Scalar):
            raise TypeError(f"no arithmetic on {ty!r}")
        if elem is f16:
            raise TypeError("f16 is for memory only; b.cast to f32 to compute with it")
        if elem.kind == "f":
            if op == "div":
                raise TypeError("// on floats: write b.floor(x / y) or b.trunc(x / y)")
            if op not in _FLOAT_OPS:
                raise TypeError(f"{op} needs integers, not {ty!r}; b.bitcast first")
            return _heads.setdefault((op, ty), f"{_FLOAT_OPS[op]} {ty.ir}")
        if op == "truediv":
            raise TypeError("/ on integers: write // (towards zero), or b.cast to a float first")
        if elem.kind == "b" and op not in ("and", "or", "xor"):
            raise TypeError(f"{op} on booleans; b.cast to an integer first")
        table = _SIGNED_OPS if elem.kind == "i" else _UNSIGNED_OPS
        return _heads.setdefault((op, ty), f"{table[op]} {ty.ir}")

    def neg(self, x: Value) -> Value:
        """-x."""
        if is_float(x.ty):
            return self.emit(f"fneg {x.ty.ir} {x.ref}", x.ty)
        return self.arith("sub", self.const(x.ty, 0), x)

    def invert(self, x: Value) -> Value:
        """~x: the bits of integers, the truth of booleans."""
        return self.arith("xor", x, self.const(x.ty, 1 if x.elem.kind == "b" else -1))

    def compare(self, op: str, x: Value, y: object) -> Value:
        """Comparison: a boolean (vector). On floats: false where an operand is NaN, but `!=` is
        true.
        """
        x, y, ty = self._pair(x, y)  # type: ignore[arg-type]
        out = boolean.vec(ty.lanes) if isinstance(ty, Vec) else boolean
        elem = element(ty)
        if isinstance(elem, (Ptr, Fn)):
            return self.emit(f"icmp {_UNSIGNED_CMP[op]} {ty.ir} {x.ref}, {y.ref}", out)
        if elem is f16:
            raise TypeError("f16 is for memory only; b.cast to f32 to compare it")
        if elem.kind == "f":
            return self.emit(f"fcmp {_FLOAT_CMP[op]} {ty.ir} {x.ref}, {y.ref}", out)
        table = _SIGNED_CMP if elem.kind == "i" else _UNSIGNED_CMP
        return self.emit(f"icmp {table[op]} {ty.ir} {x.ref}, {y.ref}", out)

    @overload
    def select(self, cond: Value, x: Pointer, y: Pointer) -> Pointer: ...
    @overload
    def select(self, cond: Value, x: Operand, y: Operand) -> Value: ...
    def select(self, cond: Value, x: Operand, y: Operand) -> Value:
        """Lane-wise choice. At least one of x, y is a value; `cond` is a boolean or a vector of
        them.
        """
        if not isinstance(x, Value) and not isinstance(y, Value):
            raise TypeError(
                "b.select of two Python numbers: give one its type with b.const(type, number)"
            )
        x, y, ty = self._pair(x, y)
        if isinstance(cond.ty, Vec) and not isinstance(ty, Vec):
            x, y = self.splat(x, cond.ty.lanes), self.splat(y, cond.ty.lanes)
            ty = x.ty
        out = self.emit(f"select {cond.ty.ir} {cond.ref}, {ty.ir} {x.ref}, {ty.ir} {y.ref}", ty)
        if isinstance(ty, Vec):
            self.selected.add(out.ref)
        return out

    def cast(self, x: Operand, to: Type) -> Value:
        """Convert a value; a scalar target type applies lane by lane. Float to integer truncates
        and saturates (NaN gives 0).
        """
        if not isinstance(x, Value):
            return self.const(to, x)
        if isinstance(x.ty, Vec) and not isinstance(to, Vec):
            to = to.vec(x.ty.lanes)
        if not isinstance(x.ty, Vec) and isinstance(to, Vec):
            return self.splat(self.cast(x, to.elem), to.lanes)
        src, dst = x.elem, element(to)
        if src is dst:
            return x
        if isinstance(src, (Ptr, Fn)) or isinstance(dst, (Ptr, Fn)):
            raise TypeError(
                "pointers convert by p.cast(ptr(T)), b.ptr_to_int(p) and b.int_to_ptr(v, T)"
            )
        if f16 in (src, dst):
            from pydri.jit import half

            return half.convert(self, x, to)
        if src.kind == "f" and dst.kind == "f":
            op = "fpext" if dst.bits > src.bits else "fptrunc"
        elif src.kind == "f":
            return self._float_to_int(x, to, dst)
        elif dst.kind == "f":
            op = "sitofp" if src.kind == "i" else "uitofp"
        elif dst.kind == "b":
            return self.compare("ne", x, self.const(x.ty, 0))
        elif dst.bits == src.bits:
            return wrap(self, to, x.ref)
        elif dst.bits < src.bits:
            op = "trunc"
        else:
            op = "sext" if src.kind == "i" else "zext"
        return self.emit(f"{op} {x.ty.ir} {x.ref} to {to.ir}", to)

    def _float_to_int(self, x: Value, to: Type, dst: Scalar) -> Value:
        if dst.kind == "b":
            return self.compare("ne", x, self.const(x.ty, 0.0))
        if isinstance(x.ty, Vec) and x.elem.bits == dst.bits == 32:
            from pydri.jit import x86

            return x86.to_integer(self, x, to)
        sign = "s" if dst.kind == "i" else "u"
        return self.intrinsic(f"llvm.fpto{sign}i.sat.{mangle(to)}.{mangle(x.ty)}", to, x)

    def cast_fast(self, x: Value, to: Type) -> Value:
        """Float to integer by truncation where the caller knows that the value fits (one
        instruction).
        """
        if isinstance(x.ty, Vec) and not isinstance(to, Vec):
            to = to.vec(x.ty.lanes)
        sign = "u" if element(to).kind == "u" else "s"
        return self.emit(f"fpto{sign}i {x.ty.ir} {x.ref} to {to.ir}", to)

    def shuffle(self, x: Value, y: Value | None, lanes: Sequence[int]) -> Value:
        """Lanes by constant numbers: below len(x) from x, above from y; -1 is "any"."""
        ty = x.ty
        mask = ", ".join(f"i32 {n}" if n >= 0 else "i32 poison" for n in lanes)
        other = y.ref if y is not None else "poison"
        return self.emit(
            f"shufflevector {ty.ir} {x.ref}, {ty.ir} {other}, <{len(lanes)} x i32> <{mask}>",
            x.elem.vec(len(lanes)),
        )

    def bitcast(self, x: Value, to: Type) -> Value:
        """The same bits as another type; a scalar target type applies lane by lane."""
        if isinstance(x.ty, Vec) and not isinstance(to, Vec) and to.size == x.ty.elem.size:
            to = to.vec(x.ty.lanes)
        if to.ir == x.ty.ir:
            return wrap(self, to, x.ref)
        out = self.emit(f"bitcast {x.ty.ir} {x.ref} to {to.ir}", to)
        if x.ref in self.selected:
            self.selected.add(out.ref)
        return out

    def ptr_to_int(self, p: Value) -> Value:
        """The address as a u64."""
        from pydri.jit.types import u64

        return self.emit(f"ptrtoint ptr {p.ref} to i64", u64)

    @overload
    def int_to_ptr(self, v: Value, to: type[S]) -> S: ...
    @overload
    def int_to_ptr(self, v: Value, to: Type) -> Pointer: ...
    def int_to_ptr(self, v: Value, to: AnyType) -> Pointer:
        """Pointer to `to` at the address `v` (a 64-bit integer)."""
        place: Ptr[Pointer] = Ptr(to)
        return self.emit(f"inttoptr i64 {v.ref} to ptr", place)

    # -- memory ----------------------------------------------------------------------------------

    @overload
    def load(
        self, place: Value, ty: Ptr[P], align: int | None = None, invariant: bool = False
    ) -> P: ...
    @overload
    def load(
        self, place: Value, ty: AnyType, align: int | None = None, invariant: bool = False
    ) -> Value: ...
    def load(
        self, place: Value, ty: AnyType, align: int | None = None, invariant: bool = False
    ) -> Value:
        """Load a `ty` from the address `place`; see Pointer.load."""
        if isinstance(ty, (StructMeta, Array, Void)):
            raise TypeError(f"cannot load a {ty!r} as a value")
        tail = ", !invariant.load !0" if invariant else ""
        return self.emit(f"load {ty.ir}, ptr {place.ref}, align {align or ty.align}{tail}", ty)

    def store(
        self, place: Value, value: Value, align: int | None = None, local: bool = False,
        kept: bool = False,
    ) -> None:  # fmt: skip
        """Store a value at the address `place`; `align` in bytes, default the element's own.
        `local`: of a variable, which is to become a register. `kept`: who loads its lanes again
        wants them from memory, not out of the register, one by one.

        Of a vector some of whose lanes were loaded from there LLVM makes a masked store, unless it
        is volatile: AVX-512 has these; AVX2's are some forty micro-operations on AMD's CPUs."""
        merged = value.ref in self.selected and self.module.width < 512 and not local
        self.line(
            f"store {'volatile ' if merged or kept else ''}{value.ty.ir} {value.ref},"
            f" ptr {place.ref}, align {align or value.ty.align}"
        )

    def offset_pointer(self, p: Value, offset: int, ty: Ptr[P]) -> P:
        """`p` moved by a constant number of bytes."""
        if offset == 0:
            return Pointer(self, ty, p.ref)  # type: ignore[return-value]
        return self.emit(f"getelementptr inbounds i8, ptr {p.ref}, i64 {offset}", ty)

    def element_pointer(self, p: Place, index: Operand) -> Place:
        """`p` moved by `index` pointees (a vector index gives a vector of pointers)."""
        to = p.ty.to
        ty: Ptr[Place] = p.ty
        unit = "i8" if isinstance(to, Void) else to.ir
        if not isinstance(index, Value):
            if index == 0:
                return p
            return self.emit(f"getelementptr inbounds {unit}, ptr {p.ref}, i64 {index}", ty)
        if isinstance(index.ty, Vec):
            raise TypeError("vector of addresses: use b.gather(p, index) or b.scatter(p, index, v)")
        if index.elem.bits < 64:
            index = self.cast(index, i64)
        return self.emit(f"getelementptr inbounds {unit}, ptr {p.ref}, i64 {index.ref}", ty)

    @overload
    def bytes_from(self, p: Pointer, offset: Operand, to: type[S]) -> S: ...
    @overload
    def bytes_from(self, p: Pointer, offset: Operand, to: Type) -> Pointer: ...
    def bytes_from(self, p: Pointer, offset: Operand, to: AnyType) -> Pointer:
        """Pointer to `to` at `offset` bytes (number or value) from `p`."""
        first: Ptr[Pointer] = Ptr(u8)
        place: Ptr[Pointer] = Ptr(to)
        return self.element_pointer(p.cast(first), offset).cast(place)

    @overload
    def var(self, ty: Ptr[P], init: Settable = None) -> Var[P]: ...
    @overload
    def var(self, ty: Type, init: Settable = None) -> Var[Value]: ...
    def var(self, ty: Type, init: Settable = None) -> Var[Any]:
        """A mutable local of a scalar, vector or pointer type."""
        self.count += 1
        name = f"%v{self.count}"
        self.allocas.append(f"{name} = alloca {ty.ir}, align {local_align(ty)}")
        out: Var[Any] = Var(Pointer(self, Ptr(ty), name), ty)
        if init is not None:
            out.value = init
        return out

    @overload
    def array(self, ty: type[S], count: int = 1, align: int | None = None) -> S: ...
    @overload
    def array(self, ty: Type, count: int = 1, align: int | None = None) -> Pointer: ...
    def array(self, ty: AnyType, count: int = 1, align: int | None = None) -> Pointer:
        """Uninitialised local memory for `count` elements of `ty` (a struct too); returns its
        pointer.
        """
        self.count += 1
        self.array_bytes += count * ty.size
        name = f"%a{self.count}"
        self.allocas.append(
            f"{name} = alloca [{count} x {ty.ir}], align {align or max(ty.align, 16)}"
        )
        return Pointer(self, Ptr(ty), name)

    def table(self, ty: Scalar, values: Sequence[float]) -> Pointer:
        """A constant table in the module's read-only data; returns a pointer to its first
        element.
        """
        return Pointer(self, Ptr(ty), self.module.constant(ty, values))

    # -- calls -----------------------------------------------------------------------------------

    def call(self, target: Kernel | ExternC | FnPointer, *args: Settable) -> Any:
        """Call a kernel, an `extern_c` function or a function pointer. Python numbers take the
        parameter's type. Gives what the function returns, a value of its type; None if that is
        void.
        """
        if isinstance(target, FnPointer):
            sig = target.ty
            callee, head = target.ref, sig.signature if sig.varargs else sig.ret.ir
            params, ret = sig.args, sig.ret
        else:
            callee = self.module.reference(target)
            params, ret = target.args, target.ret
            head = target.fn_type.signature if target.varargs else ret.ir
        extra = len(args) - len(params)
        if extra and not (
            extra > 0 and (target.ty if isinstance(target, FnPointer) else target).varargs
        ):
            raise TypeError(f"{callee} takes {len(params)} arguments, {len(args)} given")
        passed = [self.coerce(a, p) for a, p in zip(args, params, strict=False)]
        passed += args[len(params) :]  # type: ignore[arg-type]
        given = [f"{v.ty.ir} {v.ref}" for v in passed]
        if isinstance(target, FnPointer) and isinstance(target.ty, Hook):
            given.append(f"ptr {callee}")
            callee = self.module.way_out(target.ty)
        text = f"call {head} {callee}({', '.join(given)})"
        if isinstance(ret, Void):
            self.line(text)
            return None
        return self.emit(text, ret)

    def address_of(self, target: Kernel | ExternC) -> FnPointer:
        """The address of a kernel or extern_c function, as a function pointer."""
        return FnPointer(self, target.fn_type, self.module.reference(target))

    def intrinsic(self, name: str, ret: Type, *args: Value) -> Value:
        """Call an LLVM intrinsic by its full mangled name. One that returns nothing: see
        `intrinsic_void`."""
        self.module.declare_intrinsic(name, ret, [a.ty for a in args])
        text = f"call {ret.ir} @{name}({', '.join(f'{a.ty.ir} {a.ref}' for a in args)})"
        return self.emit(text, ret)

    def intrinsic_void(self, name: str, *args: Value) -> None:
        """Call an LLVM intrinsic that returns nothing."""
        self.module.declare_intrinsic(name, void, [a.ty for a in args])
        self.line(f"call void @{name}({', '.join(f'{a.ty.ir} {a.ref}' for a in args)})")

    # -- result ----------------------------------------------------------------------------------

    def text(self) -> str:
        """The function's body."""
        out: list[str] = []
        for n, block in enumerate(self.blocks):
            out.append(f"{block.label}:")
            if n == 0:
                out.extend(self.allocas)
            out.extend(block.lines)
            if not block.closed:
                out.append("unreachable")
        return "\n".join(out)
