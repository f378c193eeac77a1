# SPDX-License-Identifier: MIT
"""Boolean vectors where the CPU has no registers for masks (part of Builder).

AVX-512 keeps a boolean vector in a mask register. Below it LLVM keeps one that lives for longer
than an instruction as bytes, so comparisons of 32-bit lanes are packed together, and taken apart
again before each choice: six instructions and ten cycles a time, half of the time of a loop that
pixels leave one by one. So logic on such masks, and variables that hold them, are of words here, as
long as the lanes that were compared, whose highest bit is the truth; a choice takes just that.

LLVM would see through plain IR and return to bytes. What hides a comparison from it is an empty
inline assembly, which costs no instruction. Masks of other lanes (bytes, f64) stay LLVM's own."""

from __future__ import annotations

from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING, Any, overload

from pydri.jit.emitter import Block, Emitter
from pydri.jit.types import Ptr, Scalar, Type, Vec, boolean, f32, i32, u8, u16, u32, u64
from pydri.jit.values import Pointer, Value, Var, local_align

if TYPE_CHECKING:
    from pydri.jit.kernel import ModuleBuilder
    from pydri.jit.types import P
    from pydri.jit.values import Operand, Settable

_LOGIC = {"and", "or", "xor"}
_INTEGERS = {8: u8, 16: u16, 32: u32, 64: u64}  # that hold a bit for each lane
#: by bits of a register: what gathers the highest bits of its words
_MOVMSK = {128: "llvm.x86.sse.movmsk.ps", 256: "llvm.x86.avx.movmsk.ps.256"}


class MaskVar(Var[Value]):
    """A variable that holds a mask as words."""

    __slots__ = ()

    @property
    def value(self) -> Value:
        """See Var."""
        b: Masks = self._place.b  # type: ignore[assignment]
        words = i32.vec(self.ty.lanes)  # type: ignore[attr-defined]
        return b.mask_from(b.load(self._place, words, local_align(words)))

    @value.setter
    def value(self, new: Settable) -> None:
        b: Masks = self._place.b  # type: ignore[assignment]
        words = b.as_words(b.coerce(new, self.ty))
        b.store(self._place, words, local_align(words.ty), local=True)


class Masks(Emitter):
    """The part of Builder that says how boolean vectors lie in registers."""

    def __init__(self, module: ModuleBuilder, ret: Type) -> None:
        super().__init__(module, ret)
        self.in_words = module.width < 512
        self.words: dict[str, Value] = {}  # of boolean vectors, by name
        #: comparisons of 32-bit lanes, by name: where they stand
        self.comparisons: dict[str, tuple[Block, int]] = {}

    # -- words -----------------------------------------------------------------------------------

    def words_of(self, mask: Value) -> Value | None:
        """The words of a boolean vector, if it comes from 32-bit lanes (or is a constant)."""
        ref = mask.ref
        found = self.words.get(ref)
        if found is not None or not self.in_words:
            return found
        assert isinstance(mask.ty, Vec)
        ty = i32.vec(mask.ty.lanes)
        place = self.comparisons.get(ref)
        if place is not None:
            block, at = place
            self.count += 1
            found = Value(self, ty, f"%w{self.count}")
            # behind the comparison: wherever that may be read, these may be
            call = f"call {ty.ir} {self._hidden(ty)}({mask.ty.ir} {ref})"
            block.lines[at] += f"\n{found.ref} = {call}"
        elif ref.startswith("splat ("):
            found = self.const(ty, -1 if ref == self.const(mask.ty, 1).ref else 0)
        else:
            return None
        self.words[ref] = found
        return found

    def as_words(self, mask: Value) -> Value:
        """The words of any boolean vector."""
        assert isinstance(mask.ty, Vec)
        ty = i32.vec(mask.ty.lanes)
        words = self.words_of(mask)
        if words is None:
            words = self.emit(f"sext {mask.ty.ir} {mask.ref} to {ty.ir}", ty)
        return words

    def mask_from(self, words: Value) -> Value:
        """The boolean vector of words: true where they are negative."""
        assert isinstance(words.ty, Vec)
        ty = boolean.vec(words.ty.lanes)
        out = self.emit(f"icmp slt {words.ty.ir} {words.ref}, zeroinitializer", ty)
        self.words[out.ref] = words
        return out

    def _hidden(self, ty: Vec) -> str:
        """The function that makes words of comparisons; how it does so LLVM does not see."""
        name, step = f"@words_of_{ty.lanes}", min(ty.lanes, self.module.width // 32)
        part = i32.vec(step).ir
        lines = [f"%w = sext <{ty.lanes} x i1> %m to {ty.ir}"]
        found = []
        for n in range(0, ty.lanes, step):
            which = ", ".join(f"i32 {k}" for k in range(n, n + step))
            lines.append(
                f"%a{n} = shufflevector {ty.ir} %w, {ty.ir} poison, <{step} x i32> <{which}>"
            )
            lines.append(
                f'%b{n} = call {part} asm "", "=x,0"({part} %a{n}) nounwind willreturn memory(none)'
            )
            found.append(f"%b{n}")
        while len(found) > 1:
            both = ", ".join(f"i32 {k}" for k in range(2 * step))
            pairs = list(zip(found[::2], found[1::2], strict=True))
            found = [f"{x}.j" for x, _ in pairs]
            lines += [
                f"{x}.j = shufflevector {i32.vec(step).ir} {x}, {i32.vec(step).ir} {y},"
                f" <{2 * step} x i32> <{both}>"
                for x, y in pairs
            ]
            step *= 2
        lines = [
            f"define internal {ty.ir} {name}(<{ty.lanes} x i1> %m) alwaysinline nounwind"
            " willreturn memory(none) {",
            *lines,
            f"ret {ty.ir} {found[0]}",
            "}",
        ]
        self.module.declare("\n".join(lines))
        return name

    # -- what makes and reads boolean vectors ----------------------------------------------------

    def compare(self, op: str, x: Value, y: object) -> Value:
        """See Emitter."""
        out = super().compare(op, x, y)
        if self.in_words and isinstance(out.ty, Vec) and out.ty.lanes in _INTEGERS:
            of = x if isinstance(x, Value) else y
            if of.elem.bits == 32:  # type: ignore[attr-defined]
                self.comparisons[out.ref] = self.block, len(self.block.lines) - 1
        return out

    def arith(self, op: str, x: Operand, y: Operand) -> Value:
        """See Emitter."""
        if op in _LOGIC and self.in_words:
            x, y, ty = self._pair(x, y)
            if isinstance(ty, Vec) and ty.elem is boolean:
                first, second = self.words_of(x), self.words_of(y)
                if first is not None and second is not None:
                    return self.mask_from(super().arith(op, first, second))
        return super().arith(op, x, y)

    def splat(self, x: Value, lanes: int) -> Value:
        """See Emitter."""
        if x.ty is boolean and self.in_words and lanes in _INTEGERS:
            known = self.splats.get((x.ref, lanes))
            if known is None:
                word = self.emit(f"sext i1 {x.ref} to i32", i32)
                known = self.splats[x.ref, lanes] = self.mask_from(super().splat(word, lanes))
            return known
        return super().splat(x, lanes)

    @overload
    def select(self, cond: Value, x: Pointer, y: Pointer) -> Pointer: ...
    @overload
    def select(self, cond: Value, x: Operand, y: Operand) -> Value: ...
    def select(self, cond: Value, x: Operand, y: Operand) -> Value:
        """See Emitter."""
        if self.in_words and isinstance(cond.ty, Vec):
            of = x if isinstance(x, Value) else y
            if isinstance(of, Value) and of.elem is boolean:
                x, y, _ = self._pair(x, y)
                x, y = (self.splat(v, cond.ty.lanes) for v in (x, y))
                first, second = self.words_of(x), self.words_of(y)
                if first is not None and second is not None:
                    return self.mask_from(super().select(cond, first, second))
        return super().select(cond, x, y)

    @overload
    def var(self, ty: Ptr[P], init: Settable = None) -> Var[P]: ...
    @overload
    def var(self, ty: Type, init: Settable = None) -> Var[Value]: ...
    def var(self, ty: Type, init: Settable = None) -> Var[Any]:
        """See Emitter."""
        if not (self.in_words and isinstance(ty, Vec) and ty.elem is boolean):
            return super().var(ty, init)
        place = super().var(i32.vec(ty.lanes))
        words: Ptr[Pointer] = Ptr(i32.vec(ty.lanes))
        out = MaskVar(Pointer(self, words, place.address.ref), ty)
        if init is not None:
            out.value = init
        return out

    # -- all lanes together ----------------------------------------------------------------------

    def _registers(self, words: Value) -> list[Value]:
        """Words, register by register."""
        assert isinstance(words.ty, Vec)
        lanes, step = words.ty.lanes, min(words.ty.lanes, self.module.width // 32)
        return [self.shuffle(words, None, range(n, n + step)) for n in range(0, lanes, step)]

    def _signs(self, words: Value) -> Value:
        """The highest bits of a register's words as an i32."""
        assert isinstance(words.ty, Vec)
        numbers = self.bitcast(words, f32)
        return self.intrinsic(_MOVMSK[32 * words.ty.lanes], i32, numbers)

    def gathered(self, words: Value) -> Value:
        """The highest bits of words as an integer (u32, u64 of 64 of them), lane 0 lowest."""
        assert isinstance(words.ty, Vec)
        parts = self._registers(words)
        out: Value | None = None
        for n, part in enumerate(parts):
            signs = self._signs(part)
            if words.ty.lanes > 32:
                signs = self.cast(signs, u64)
            moved = signs << (n * (words.ty.lanes // len(parts))) if n else signs
            out = moved if out is None else out | moved
        assert out is not None
        return out

    def any(self, mask: Value) -> Value:
        """Whether some lane is true."""
        words = self.words_of(mask)
        if words is None:
            return self.bits_of(mask) != 0
        return self._signs(reduce(or_, self._registers(words))) != 0

    def all(self, mask: Value) -> Value:
        """Whether every lane is true."""
        words = self.words_of(mask)
        if words is None:
            return self.bits_of(mask) == -1
        parts = self._registers(words)
        return self._signs(reduce(and_, parts)) == (1 << parts[0].ty.lanes) - 1  # type: ignore[attr-defined]

    def bits_of(self, mask: Value) -> Value:
        """The lanes of a boolean vector as the bits of an unsigned integer, lane 0 lowest."""
        assert isinstance(mask.ty, Vec)
        lanes = mask.ty.lanes
        ty = _INTEGERS.get(lanes) or Scalar(f"u{lanes}", "u", lanes)
        words = self.words_of(mask)
        if words is not None:
            return self.cast(self.gathered(words), ty)
        # not b.bitcast: that reads "a scalar of the element's size" as lane by lane, and booleans
        # count as one byte
        return self.emit(f"bitcast {mask.ty.ir} {mask.ref} to {ty.ir}", ty)

    bitmask = bits_of

    # -- result ----------------------------------------------------------------------------------

    def one_a_line(self) -> None:
        """What stands behind comparisons becomes lines of its own."""
        for block in {place[0] for ref, place in self.comparisons.items() if ref in self.words}:
            block.lines = "\n".join(block.lines).split("\n")


__all__ = ["MaskVar", "Masks"]
