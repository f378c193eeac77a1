# SPDX-License-Identifier: MIT
"""SIMD, mathematical, atomic and debugging operations of the kernel language (part of Builder).

Every operation is exact IEEE or integer arithmetic: `min`/`max` are compare-and-select with a
stated NaN rule, `sqrt` and `/` are the correctly rounded ones, `fma` is one rounding on every
machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydri.jit import x86
from pydri.jit.emitter import mangle
from pydri.jit.extern import DPRINTF
from pydri.jit.masks import Masks
from pydri.jit.types import (
    Ptr,
    Scalar,
    Vec,
    boolean,
    element,
    f32,
    f64,
    i32,
    i64,
    u8,
    u32,
)
from pydri.jit.values import Pointer, Value, is_float, wrap

if TYPE_CHECKING:
    from pydri.jit.values import Operand, Settable

_U8_PTR: Ptr[Pointer] = Ptr(u8)


def lanes_of(v: Value) -> int:
    """How many lanes a vector has."""
    assert isinstance(v.ty, Vec)
    return v.ty.lanes


class Ops(Masks):
    """The part of Builder that is more than LLVM's plain instructions."""

    # -- vectors ---------------------------------------------------------------------------------

    def vector(self, values: Sequence[Operand]) -> Value:
        """A vector from scalars of one type."""
        typed = next(v for v in values if isinstance(v, Value))
        out = wrap(self, typed.elem.vec(len(values)), "poison")
        for n, v in enumerate(values):
            out = self.insert(out, n, v)
        return out

    def iota(self, ty: Vec) -> Value:
        """0, 1, 2 ... in the lanes of a vector type."""
        return self.const(ty, list(range(ty.lanes)))

    def gather(
        self,
        p: Pointer,
        index: Value,
        mask: Value | None = None,
        ty: Scalar | None = None,
        scale: int | None = None,
    ) -> Value:
        """Load p[index] lane by lane. `scale` overrides the element size in bytes; masked-off
        lanes give 0.
        """
        elem = ty or element(p.ty.loaded)
        out = elem.vec(lanes_of(index))
        ptrs = self._lane_pointers(p, index, scale if scale is not None else elem.size)
        return self._gather(ptrs, out, mask)

    def _lane_pointers(self, p: Pointer, index: Value, scale: int) -> Value:
        lanes = lanes_of(index)
        unit = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}.get(scale)
        if unit is None:
            index = index * scale
            unit = "i8"
        # a signed 32-bit index keeps the hardware's one-instruction gather
        return self.emit(
            f"getelementptr {unit}, ptr {p.ref}, {index.ty.ir} {index.ref}", _U8_PTR.vec(lanes)
        )

    def _mask(self, mask: Value | None, lanes: int) -> Value:
        return self.const(boolean.vec(lanes), 1) if mask is None else mask

    def _gather(self, ptrs: Value, out: Vec, mask: Value | None) -> Value:
        mask = self._mask(mask, out.lanes)
        zero = self.const(out, 0)
        name = f"llvm.masked.gather.{mangle(out)}.v{out.lanes}p0"
        self.module.declare(f"declare {out.ir} @{name}({ptrs.ty.ir}, {mask.ty.ir}, {out.ir})")
        return self.emit(
            f"call {out.ir} @{name}({ptrs.ty.ir} align {out.align} {ptrs.ref}, "
            f"{mask.ty.ir} {mask.ref}, {out.ir} {zero.ref})",
            out,
        )

    def scatter(
        self,
        p: Pointer,
        index: Value,
        value: Value,
        mask: Value | None = None,
        scale: int | None = None,
    ) -> None:
        """Store lane by lane to p[index]; later lanes win where indices repeat."""
        ty, lanes = value.ty, lanes_of(value)
        ptrs = self._lane_pointers(p, index, scale if scale is not None else value.elem.size)
        mask = self._mask(mask, lanes)
        name = f"llvm.masked.scatter.{mangle(ty)}.v{lanes}p0"
        self.module.declare(f"declare void @{name}({ty.ir}, {ptrs.ty.ir}, {mask.ty.ir})")
        self.line(
            f"call void @{name}({ty.ir} {value.ref}, {ptrs.ty.ir} align {ty.align} {ptrs.ref}, "
            f"{mask.ty.ir} {mask.ref})"
        )

    def masked_load(
        self, p: Value, mask: Value, ty: Vec, other: Operand | None = None
    ) -> Value:
        """Load the lanes of `mask`; the rest is `other` (default 0) and its memory is not
        touched.
        """
        rest = self.const(ty, 0) if other is None else self.coerce(other, ty)
        name = f"llvm.masked.load.{mangle(ty)}.p0"
        self.module.declare(f"declare {ty.ir} @{name}(ptr, {mask.ty.ir}, {ty.ir})")
        return self.emit(
            f"call {ty.ir} @{name}(ptr align {ty.align} {p.ref}, "
            f"{mask.ty.ir} {mask.ref}, {ty.ir} {rest.ref})",
            ty,
        )

    def masked_store(self, p: Value, value: Value, mask: Value) -> None:
        """Store the lanes of `mask`; other memory is not touched."""
        ty = value.ty
        name = f"llvm.masked.store.{mangle(ty)}.p0"
        self.module.declare(f"declare void @{name}({ty.ir}, ptr, {mask.ty.ir})")
        self.line(
            f"call void @{name}({ty.ir} {value.ref}, ptr align {ty.align} {p.ref}, "
            f"{mask.ty.ir} {mask.ref})"
        )

    def mask_of(self, bits: Value) -> Value:
        """The inverse of bits_of: integer to boolean vector."""
        lanes = bits.elem.bits
        if self.module.width < 512:
            # without registers for masks LLVM puts a bitcast together lane by lane
            if lanes == 64:
                words = self.bitcast(bits, u32.vec(2))
                words = self.shuffle(words, None, [n // 32 for n in range(lanes)])
            else:
                words = self.splat(self.cast(bits, u32), lanes)
            return (words & self.const(words.ty, [1 << n % 32 for n in range(lanes)])) != 0
        ty = boolean.vec(lanes)
        return self.emit(f"bitcast {bits.ty.ir} {bits.ref} to {ty.ir}", ty)

    def reduce(self, op: str, v: Value) -> Value:
        """Horizontal add, and, or, xor, min, max of an integer vector."""
        ty = v.ty
        if is_float(ty):
            raise TypeError(
                "horizontal reduction of floats depends on the order; write the order out"
            )
        signed = {"i": "s"}.get(v.elem.kind, "u")
        name = op if op in ("add", "and", "or", "xor") else f"{signed}{op}"
        return self.intrinsic(f"llvm.vector.reduce.{name}.{mangle(ty)}", v.elem, v)

    # -- mathematics -----------------------------------------------------------------------------

    def min(self, x: Operand, y: Operand) -> Value:
        """The smaller; on floats `x < y ? x : y`, so y where an operand is NaN (the x86 rule)."""
        x, y, ty = self._pair(x, y)
        if is_float(ty):
            return self.select(x < y, x, y)
        kind = "s" if x.elem.kind == "i" else "u"
        return self.intrinsic(f"llvm.{kind}min.{mangle(ty)}", ty, x, y)

    def max(self, x: Operand, y: Operand) -> Value:
        """The larger; on floats `x > y ? x : y`, so y where an operand is NaN."""
        zero = isinstance(y, float) and repr(y) == "0.0"  # -0.0 is another answer
        if zero and isinstance(x, Value) and isinstance(x.ty, Vec) and x.elem is f32:
            return x86.at_least_zero(self, x)
        x, y, ty = self._pair(x, y)
        if is_float(ty):
            return self.select(x > y, x, y)
        kind = "s" if x.elem.kind == "i" else "u"
        return self.intrinsic(f"llvm.{kind}max.{mangle(ty)}", ty, x, y)

    def clamp(self, x: Value, low: Operand, high: Operand) -> Value:
        """x within [low, high]; NaN gives low."""
        if isinstance(low, Value) or isinstance(high, Value):
            return self.min(self.max(x, low), high)
        known = self.clamped.get(x.ref)
        if known is not None and low <= known[0] and known[1] <= high:
            return x
        value = self.min(self.max(x, low), high)
        self.clamped[value.ref] = (low, high)
        return value

    def abs(self, x: Value) -> Value:
        """|x|."""
        if is_float(x.ty):
            return self.intrinsic(f"llvm.fabs.{mangle(x.ty)}", x.ty, x)
        return self.select(x < 0, -x, x)

    def canonical(self, x: Value) -> Value:
        """x, a denormal as the kernel's word in MXCSR has it (fpstate.py): one multiplication."""
        return self._unary("canonicalize", x)

    def _unary(self, name: str, x: Value) -> Value:
        return self.intrinsic(f"llvm.{name}.{mangle(x.ty)}", x.ty, x)

    def sqrt(self, x: Value) -> Value:
        """The correctly rounded square root."""
        return self._unary("sqrt", x)

    def floor(self, x: Value) -> Value:
        """Towards minus infinity, as a float."""
        return self._unary("floor", x)

    def ceil(self, x: Value) -> Value:
        """Towards infinity, as a float."""
        return self._unary("ceil", x)

    def trunc(self, x: Value) -> Value:
        """Towards zero, as a float."""
        return self._unary("trunc", x)

    def round_even(self, x: Value) -> Value:
        """To the nearest whole number, as a float; ties to even."""
        return self._unary("roundeven", x)

    def round_to_int(self, x: Value) -> Value:
        """Nearest i32 (ties to even), where the caller knows that the value fits."""
        ty = i32.vec(x.ty.lanes) if isinstance(x.ty, Vec) else i32
        return self.intrinsic(f"llvm.lrint.{mangle(ty)}.{mangle(x.ty)}", ty, x)

    def copysign(self, x: Value, sign: Value) -> Value:
        """|x| with the sign of `sign`."""
        return self.intrinsic(f"llvm.copysign.{mangle(x.ty)}", x.ty, x, sign)

    def fma(self, x: Operand, y: Operand, z: Operand) -> Value:
        """x*y+z with one rounding, on every machine (slow where the CPU has no FMA)."""
        x, y, _ = self._pair(x, y)
        x, z, ty = self._pair(x, z)
        y = self.coerce(y, ty)
        return self.intrinsic(f"llvm.fma.{mangle(ty)}", ty, x, y, z)

    def ctz(self, x: Value) -> Value:
        """Trailing zero bits; the width for 0."""
        return self._count("cttz", x)

    def clz(self, x: Value) -> Value:
        """Leading zero bits; the width for 0."""
        return self._count("ctlz", x)

    def _count(self, name: str, x: Value) -> Value:
        ty = x.ty
        self.module.declare(f"declare {ty.ir} @llvm.{name}.{mangle(ty)}({ty.ir}, i1)")
        return self.emit(f"call {ty.ir} @llvm.{name}.{mangle(ty)}({ty.ir} {x.ref}, i1 false)", ty)

    def popcount(self, x: Value) -> Value:
        """How many bits are set."""
        return self._unary("ctpop", x)

    def bswap(self, x: Value) -> Value:
        """The bytes in reverse order."""
        return self._unary("bswap", x)

    # -- memory blocks ---------------------------------------------------------------------------

    def _bytes(self, n: Operand) -> Value:
        return self.cast(n, i64) if isinstance(n, Value) else self.const(i64, n)

    def memcpy(self, to: Value, source: Value, size: Operand) -> None:
        """Copy `size` bytes; the blocks do not overlap."""
        n = self._bytes(size)
        self.module.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        self.line(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {to.ref}, ptr {source.ref}, "
            f"i64 {n.ref}, i1 false)"
        )

    def memmove(self, to: Value, source: Value, size: Operand) -> None:
        """Copy `size` bytes; the blocks may overlap."""
        n = self._bytes(size)
        self.module.declare("declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)")
        self.line(
            f"call void @llvm.memmove.p0.p0.i64(ptr {to.ref}, ptr {source.ref}, "
            f"i64 {n.ref}, i1 false)"
        )

    def memset(self, to: Value, byte: Operand, size: Operand) -> None:
        """Fill `size` bytes."""
        n = self._bytes(size)
        v = self.cast(byte, u8) if isinstance(byte, Value) else self.const(u8, byte)
        self.module.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        self.line(f"call void @llvm.memset.p0.i64(ptr {to.ref}, i8 {v.ref}, i64 {n.ref}, i1 false)")

    def prefetch(self, p: Value, write: bool = False) -> None:
        """Fetch the cache line of an address that is needed soon."""
        self.module.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        self.line(f"call void @llvm.prefetch.p0(ptr {p.ref}, i32 {int(write)}, i32 3, i32 1)")

    # -- threads ---------------------------------------------------------------------------------

    def atomic_add(self, p: Pointer, v: Operand) -> Value:
        """*p += v; returns what was there before. Sequentially consistent."""
        return self._rmw("add", p, v)

    def atomic_xchg(self, p: Pointer, v: Operand) -> Value:
        """*p = v; returns what was there before. Sequentially consistent."""
        return self._rmw("xchg", p, v)

    def atomic(self, op: str, p: Pointer, v: Operand) -> Value:
        """*p = op(*p, v) for an operation of LLVM's atomicrmw; returns what was there before.
        Sequentially consistent."""
        return self._rmw(op, p, v)

    def _rmw(self, op: str, p: Pointer, v: Operand) -> Value:
        ty = p.ty.loaded
        v = self.coerce(v, ty)
        return self.emit(
            f"atomicrmw {op} ptr {p.ref}, {ty.ir} {v.ref} seq_cst, align {ty.size}", ty
        )

    def cmpxchg(self, p: Pointer, expected: Settable, new: Settable) -> Value:
        """If *p == expected, *p = new. Returns what was there before."""
        ty = p.ty.loaded
        expected, new = self.coerce(expected, ty), self.coerce(new, ty)
        name = self.name()
        self.line(
            f"{name} = cmpxchg ptr {p.ref}, {ty.ir} {expected.ref}, {ty.ir} {new.ref} "
            f"seq_cst seq_cst, align {ty.size}"
        )
        return self.emit(f"extractvalue {{ {ty.ir}, i1 }} {name}, 0", ty)

    def load_atomic(self, p: Pointer) -> Value:
        """Load with acquire order."""
        ty = p.ty.loaded
        return self.emit(f"load atomic {ty.ir}, ptr {p.ref} acquire, align {ty.size}", ty)

    def store_atomic(self, p: Pointer, v: Settable) -> None:
        """Store with release order."""
        ty = p.ty.loaded
        v = self.coerce(v, ty)
        self.line(f"store atomic {ty.ir} {v.ref}, ptr {p.ref} release, align {ty.size}")

    def pause(self) -> None:
        """Tell the core that this is a spin loop."""
        self.intrinsic_void("llvm.x86.sse2.pause")

    # -- debugging -------------------------------------------------------------------------------

    def printf(self, fmt: str, *args: Operand) -> None:
        """Print to stderr from a running kernel; vectors print lane by lane where the format says
        %v.
        """
        flat: list[Value] = []
        values = [
            a if isinstance(a, Value) else self.const(f64 if isinstance(a, float) else i64, a)
            for a in args
        ]
        parts = fmt.split("%v")
        out = parts[0]
        vectors = [a for a in values if isinstance(a.ty, Vec)]
        for part, vec in zip(parts[1:], vectors, strict=True):
            code = "%g" if is_float(vec.ty) else "%d"
            out += "[" + " ".join([code] * lanes_of(vec)) + "]" + part
        for a in values:
            flat.extend([a[n] for n in range(a.ty.lanes)] if isinstance(a.ty, Vec) else [a])
        widened = []
        for a in flat:
            if isinstance(a.ty, Scalar) and a.ty.kind == "f" and a.ty.bits < 64:
                a = self.cast(a, f64)
            elif isinstance(a.ty, Scalar) and a.ty.bits < 32:
                a = self.cast(a, i32)
            widened.append(a)
        text = self.table(u8, [*out.encode(), 0])
        self.call(DPRINTF, 2, text, *widened)
