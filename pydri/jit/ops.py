# SPDX-License-Identifier: MIT
"""SIMD, mathematical, atomic and debugging operations of the kernel language (part of Builder).

Every operation is exact IEEE or integer arithmetic: `min`/`max` are compare-and-select with a
stated NaN rule, `sqrt` and `/` are the correctly rounded ones, `fma` is one rounding on every
machine."""

from __future__ import annotations

from typing import Any

from pydri.jit.extern import DPRINTF
from pydri.jit.types import Ptr, Scalar, Vec, boolean, f64, i32, i64, u8, u16, u32, u64, void
from pydri.jit.values import Pointer, Value, is_float, wrap


def mangle(ty: Any) -> str:
    """LLVM's suffix for an overloaded intrinsic."""
    if isinstance(ty, Vec):
        return f"v{ty.lanes}{mangle(ty.elem)}"
    if not isinstance(ty, Scalar):
        return "p0"
    return f"f{ty.bits}" if ty.kind == "f" else f"i{ty.bits}"


class OpsMixin:
    """Mixed into Builder; uses its emit, coerce, intrinsic."""

    # -- vectors ---------------------------------------------------------------------------------

    def splat(self: Any, x: Any, lanes: int) -> Any:
        """A vector with `x` in every lane (a vector stays as it is)."""
        if isinstance(x.ty, Vec):
            return x
        ty = x.ty.vec(lanes)
        one = self.emit(f"insertelement {ty.ir} poison, {x.ty.ir} {x.ref}, i64 0", ty)
        return self.emit(
            f"shufflevector {ty.ir} {one.ref}, {ty.ir} poison, <{lanes} x i32> zeroinitializer", ty
        )

    def vector(self: Any, values: list[Any]) -> Any:
        """A vector from scalars of one type."""
        typed = next(v for v in values if isinstance(v, Value))
        out = wrap(self, typed.ty.vec(len(values)), "poison")
        for n, v in enumerate(values):
            out = self.insert(out, n, v)
        return out

    def extract(self: Any, v: Value, lane: Any) -> Any:
        if not isinstance(v.ty, Vec):
            raise TypeError(f"{v.ty!r} has no lanes")
        at = f"{lane.ty.ir} {lane.ref}" if isinstance(lane, Value) else f"i64 {lane}"
        return self.emit(f"extractelement {v.ty.ir} {v.ref}, {at}", v.ty.elem)

    def insert(self: Any, v: Value, lane: Any, x: Any) -> Any:
        ty: Any = v.ty
        x = self.coerce(x, ty.elem)
        at = f"{lane.ty.ir} {lane.ref}" if isinstance(lane, Value) else f"i64 {lane}"
        return self.emit(f"insertelement {ty.ir} {v.ref}, {ty.elem.ir} {x.ref}, {at}", ty)

    def shuffle(self: Any, x: Value, y: Value | None, lanes: list[int]) -> Any:
        """Lanes by constant numbers: below len(x) from x, above from y; -1 is "any"."""
        ty: Any = x.ty
        mask = ", ".join(f"i32 {n}" if n >= 0 else "i32 poison" for n in lanes)
        other = y.ref if y is not None else "poison"
        return self.emit(
            f"shufflevector {ty.ir} {x.ref}, {ty.ir} {other}, <{len(lanes)} x i32> <{mask}>",
            ty.elem.vec(len(lanes)),
        )

    def iota(self: Any, ty: Any) -> Any:
        """0, 1, 2 ... in the lanes of a vector type."""
        return self.const(ty, list(range(ty.lanes)))

    def gather(
        self: Any,
        p: Pointer,
        index: Value,
        mask: Any = None,
        ty: Any = None,
        scale: int | None = None,
    ) -> Any:
        """Load p[index] lane by lane. `scale` overrides the element size in bytes; masked-off
        lanes give 0.
        """
        elem = ty or p.ty.to
        out = elem.vec(index.ty.lanes)  # type: ignore[attr-defined]
        ptrs = self._lane_pointers(p, index, scale if scale is not None else elem.size)
        return self._gather(ptrs, out, mask)

    def _lane_pointers(self: Any, p: Pointer, index: Value, scale: int) -> Any:
        lanes = index.ty.lanes  # type: ignore[attr-defined]
        unit = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}.get(scale)
        if unit is None:
            index = index * scale
            unit = "i8"
        # a signed 32-bit index keeps the hardware's one-instruction gather
        return self.emit(
            f"getelementptr {unit}, ptr {p.ref}, {index.ty.ir} {index.ref}", Ptr(u8).vec(lanes)
        )

    def _mask(self: Any, mask: Any, lanes: int) -> Any:
        return self.const(boolean.vec(lanes), 1) if mask is None else mask

    def _gather(self: Any, ptrs: Value, out: Any, mask: Any) -> Any:
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
        self: Any,
        p: Pointer,
        index: Value,
        value: Value,
        mask: Any = None,
        scale: int | None = None,
    ) -> None:
        """Store lane by lane to p[index]; later lanes win where indices repeat."""
        ty: Any = value.ty
        ptrs = self._lane_pointers(p, index, scale if scale is not None else ty.elem.size)
        mask = self._mask(mask, ty.lanes)
        name = f"llvm.masked.scatter.{mangle(ty)}.v{ty.lanes}p0"
        self.module.declare(f"declare void @{name}({ty.ir}, {ptrs.ty.ir}, {mask.ty.ir})")
        self.line(
            f"call void @{name}({ty.ir} {value.ref}, {ptrs.ty.ir} align {ty.align} {ptrs.ref}, "
            f"{mask.ty.ir} {mask.ref})"
        )

    def masked_load(self: Any, p: Value, mask: Value, ty: Any, other: Any = None) -> Any:
        """Load the lanes of `mask`; the rest is `other` (default 0) and its memory is not
        touched.
        """
        other = self.const(ty, 0) if other is None else self.coerce(other, ty)
        name = f"llvm.masked.load.{mangle(ty)}.p0"
        self.module.declare(f"declare {ty.ir} @{name}(ptr, {mask.ty.ir}, {ty.ir})")
        return self.emit(
            f"call {ty.ir} @{name}(ptr align {ty.align} {p.ref}, "
            f"{mask.ty.ir} {mask.ref}, {ty.ir} {other.ref})",
            ty,
        )

    def masked_store(self: Any, p: Value, value: Value, mask: Value) -> None:
        """Store the lanes of `mask`; other memory is not touched."""
        ty: Any = value.ty
        name = f"llvm.masked.store.{mangle(ty)}.p0"
        self.module.declare(f"declare void @{name}({ty.ir}, ptr, {mask.ty.ir})")
        self.line(
            f"call void @{name}({ty.ir} {value.ref}, ptr align {ty.align} {p.ref}, "
            f"{mask.ty.ir} {mask.ref})"
        )

    def compress_store(self: Any, p: Value, value: Value, mask: Value) -> None:
        """Store the lanes of `mask` one after the other from `p` on."""
        ty: Any = value.ty
        name = f"llvm.masked.compressstore.{mangle(ty)}"
        self.module.declare(f"declare void @{name}({ty.ir}, ptr, {mask.ty.ir})")
        self.line(
            f"call void @{name}({ty.ir} {value.ref}, ptr align {ty.align} {p.ref}, "
            f"{mask.ty.ir} {mask.ref})"
        )

    def any(self: Any, mask: Value) -> Any:
        """Whether some lane is true."""
        return self.bits_of(mask) != 0

    def all(self: Any, mask: Value) -> Any:
        """Whether every lane is true."""
        return self.bits_of(mask) == -1

    def bits_of(self: Any, mask: Value) -> Any:
        """The lanes of a boolean vector as the bits of an unsigned integer, lane 0 lowest."""
        lanes = mask.ty.lanes  # type: ignore[attr-defined]
        ty = {8: u8, 16: u16, 32: u32, 64: u64}.get(lanes) or Scalar(f"u{lanes}", "u", lanes)
        # not b.bitcast: that reads "a scalar of the element's size" as lane by lane, and booleans
        # count as one byte
        return self.emit(f"bitcast {mask.ty.ir} {mask.ref} to {ty.ir}", ty)

    bitmask = bits_of

    def mask_of(self: Any, bits: Value) -> Any:
        """The inverse of bits_of: integer to boolean vector."""
        return self.emit(
            f"bitcast {bits.ty.ir} {bits.ref} to <{bits.ty.bits} x i1>", boolean.vec(bits.ty.bits)
        )  # type: ignore[attr-defined]

    def reduce(self: Any, op: str, v: Value) -> Any:
        """Horizontal add, and, or, xor, min, max of an integer vector."""
        ty: Any = v.ty
        if is_float(ty):
            raise TypeError(
                "horizontal reduction of floats depends on the order; write the order out"
            )
        signed = {"i": "s"}.get(ty.elem.kind, "u")
        name = op if op in ("add", "and", "or", "xor") else f"{signed}{op}"
        return self.intrinsic(f"llvm.vector.reduce.{name}.{mangle(ty)}", ty.elem, v)

    # -- mathematics -----------------------------------------------------------------------------

    def min(self: Any, x: Any, y: Any) -> Any:
        """The smaller; on floats `x < y ? x : y`, so y where an operand is NaN (the x86 rule)."""
        x, y, ty = self._pair(x, y)
        if is_float(ty):
            return self.select(x < y, x, y)
        kind = "s" if x.elem.kind == "i" else "u"
        return self.intrinsic(f"llvm.{kind}min.{mangle(ty)}", ty, x, y)

    def max(self: Any, x: Any, y: Any) -> Any:
        """The larger; on floats `x > y ? x : y`, so y where an operand is NaN."""
        x, y, ty = self._pair(x, y)
        if is_float(ty):
            return self.select(x > y, x, y)
        kind = "s" if x.elem.kind == "i" else "u"
        return self.intrinsic(f"llvm.{kind}max.{mangle(ty)}", ty, x, y)

    def clamp(self: Any, x: Value, low: Any, high: Any) -> Any:
        """x within [low, high]; NaN gives low."""
        return self.min(self.max(x, low), high)

    def abs(self: Any, x: Value) -> Any:
        if is_float(x.ty):
            return self.intrinsic(f"llvm.fabs.{mangle(x.ty)}", x.ty, x)
        return self.select(x < 0, -x, x)

    def _unary(self: Any, name: str, x: Value) -> Any:
        return self.intrinsic(f"llvm.{name}.{mangle(x.ty)}", x.ty, x)

    def sqrt(self: Any, x: Value) -> Any:
        return self._unary("sqrt", x)

    def floor(self: Any, x: Value) -> Any:
        return self._unary("floor", x)

    def ceil(self: Any, x: Value) -> Any:
        return self._unary("ceil", x)

    def trunc(self: Any, x: Value) -> Any:
        return self._unary("trunc", x)

    def round_even(self: Any, x: Value) -> Any:
        return self._unary("roundeven", x)

    def round_to_int(self: Any, x: Value) -> Any:
        """Nearest i32 (ties to even), where the caller knows that the value fits."""
        ty: Any = i32.vec(x.ty.lanes) if isinstance(x.ty, Vec) else i32
        return self.intrinsic(f"llvm.lrint.{mangle(ty)}.{mangle(x.ty)}", ty, x)

    def copysign(self: Any, x: Value, sign: Value) -> Any:
        return self.intrinsic(f"llvm.copysign.{mangle(x.ty)}", x.ty, x, sign)

    def fma(self: Any, x: Any, y: Any, z: Any) -> Any:
        """x*y+z with one rounding, on every machine (slow where the CPU has no FMA)."""
        x, y, _ = self._pair(x, y)
        x, z, ty = self._pair(x, z)
        y = self.coerce(y, ty)
        return self.intrinsic(f"llvm.fma.{mangle(ty)}", ty, x, y, z)

    def ctz(self: Any, x: Value) -> Any:
        """Trailing zero bits; the width for 0."""
        return self._count("cttz", x)

    def clz(self: Any, x: Value) -> Any:
        """Leading zero bits; the width for 0."""
        return self._count("ctlz", x)

    def _count(self: Any, name: str, x: Value) -> Any:
        ty = x.ty
        self.module.declare(f"declare {ty.ir} @llvm.{name}.{mangle(ty)}({ty.ir}, i1)")
        return self.emit(f"call {ty.ir} @llvm.{name}.{mangle(ty)}({ty.ir} {x.ref}, i1 false)", ty)

    def popcount(self: Any, x: Value) -> Any:
        return self._unary("ctpop", x)

    def bswap(self: Any, x: Value) -> Any:
        return self._unary("bswap", x)

    # -- memory blocks ---------------------------------------------------------------------------

    def _bytes(self: Any, n: Any) -> Any:
        return self.cast(n, i64) if isinstance(n, Value) else self.const(i64, n)

    def memcpy(self: Any, to: Value, source: Value, size: Any) -> None:
        """Copy `size` bytes; the blocks do not overlap."""
        n = self._bytes(size)
        self.module.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
        self.line(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {to.ref}, ptr {source.ref}, "
            f"i64 {n.ref}, i1 false)"
        )

    def memmove(self: Any, to: Value, source: Value, size: Any) -> None:
        n = self._bytes(size)
        self.module.declare("declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)")
        self.line(
            f"call void @llvm.memmove.p0.p0.i64(ptr {to.ref}, ptr {source.ref}, "
            f"i64 {n.ref}, i1 false)"
        )

    def memset(self: Any, to: Value, byte: Any, size: Any) -> None:
        n = self._bytes(size)
        v = self.cast(byte, u8) if isinstance(byte, Value) else self.const(u8, byte)
        self.module.declare("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")
        self.line(f"call void @llvm.memset.p0.i64(ptr {to.ref}, i8 {v.ref}, i64 {n.ref}, i1 false)")

    def prefetch(self: Any, p: Value, write: bool = False) -> None:
        self.module.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        self.line(f"call void @llvm.prefetch.p0(ptr {p.ref}, i32 {int(write)}, i32 3, i32 1)")

    # -- threads ---------------------------------------------------------------------------------

    def atomic_add(self: Any, p: Value, v: Any) -> Any:
        """*p += v; returns what was there before. Sequentially consistent."""
        return self._rmw("add", p, v)

    def atomic_xchg(self: Any, p: Value, v: Any) -> Any:
        return self._rmw("xchg", p, v)

    def atomic_or(self: Any, p: Value, v: Any) -> Any:
        return self._rmw("or", p, v)

    def _rmw(self: Any, op: str, p: Any, v: Any) -> Any:
        ty = p.ty.to
        v = self.coerce(v, ty)
        return self.emit(
            f"atomicrmw {op} ptr {p.ref}, {ty.ir} {v.ref} seq_cst, align {ty.size}", ty
        )

    def cmpxchg(self: Any, p: Any, expected: Any, new: Any) -> Any:
        """If *p == expected, *p = new. Returns what was there before."""
        ty = p.ty.to
        expected, new = self.coerce(expected, ty), self.coerce(new, ty)
        name = self.name()
        self.line(
            f"{name} = cmpxchg ptr {p.ref}, {ty.ir} {expected.ref}, {ty.ir} {new.ref} "
            f"seq_cst seq_cst, align {ty.size}"
        )
        return self.emit(f"extractvalue {{ {ty.ir}, i1 }} {name}, 0", ty)

    def load_atomic(self: Any, p: Any) -> Any:
        """Load with acquire order."""
        ty = p.ty.to
        return self.emit(f"load atomic {ty.ir}, ptr {p.ref} acquire, align {ty.size}", ty)

    def store_atomic(self: Any, p: Any, v: Any) -> None:
        """Store with release order."""
        ty = p.ty.to
        v = self.coerce(v, ty)
        self.line(f"store atomic {ty.ir} {v.ref}, ptr {p.ref} release, align {ty.size}")

    def pause(self: Any) -> None:
        """Tell the core that this is a spin loop."""
        self.intrinsic("llvm.x86.sse2.pause", void)

    def cycles(self: Any) -> Any:
        """The time-stamp counter, for measuring."""
        return self.intrinsic("llvm.readcyclecounter", u64)

    # -- debugging -------------------------------------------------------------------------------

    def printf(self: Any, fmt: str, *args: Any) -> None:
        """Print to stderr from a running kernel; vectors print lane by lane where the format says
        %v.
        """
        flat: list[Any] = []
        values = [
            a if isinstance(a, Value) else self.const(f64 if isinstance(a, float) else i64, a)
            for a in args
        ]
        parts = fmt.split("%v")
        out = parts[0]
        vectors = [a for a in values if isinstance(a.ty, Vec)]
        for part, vec in zip(parts[1:], vectors, strict=True):
            lanes: Any = vec.ty
            code = "%g" if is_float(lanes) else "%d"
            out += "[" + " ".join([code] * lanes.lanes) + "]" + part
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
