# SPDX-License-Identifier: MIT
"""Buffers, counters and images of a shader: gathers and scatters of the lanes within bounds, and
atomics lane by lane.

In: the intrinsics of nir that touch memory (`memory` in their row), and an environment that knows
what is bound. Out: code. nir/memory.py says what it means. Only lanes that run, are no helpers and
were not discarded write; a load outside gives 0, a store outside vanishes. Texels are of the format
that the shader names, which the image must have, or of 32 bits a channel. Counterpart of Mesa's
lp_bld_nir_soa.c (emit_store_mem, emit_atomic_mem) and lp_bld_img.c."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydri.jit.types import Scalar, f32, i32, ptr, u8, u32, u64
from pydri.nir.intrinsics import IMAGE_DIMS
from pydri.pipe import format_emit
from pydri.pipe.format import FORMATS

if TYPE_CHECKING:
    from pipe_llvm.gallivm.nir_flow import FlowTranslator, Mask
    from pipe_llvm.native import LpImage
    from pydri.jit import Pointer, Value
    from pydri.nir.ir import IntrinsicInstr, SSADef
    from pydri.pipe.format import Format

#: atomic -> LLVM's operation
_RMW: Final = {
    "add": "add", "imin": "min", "umin": "umin", "imax": "max", "umax": "umax", "and": "and",
    "or": "or", "xor": "xor", "exchange": "xchg", "fadd": "fadd", "inc_wrap": "uinc_wrap",
    "dec_wrap": "udec_wrap",
}  # fmt: skip


class Memory:
    """The accesses of a shader that is being translated."""

    def __init__(self, translator: FlowTranslator) -> None:
        self.t = translator

    def access(self, instr: IntrinsicInstr, mask: Mask) -> list[Value] | None:
        """An intrinsic; None if it gives nothing."""
        name = instr.name
        if name.startswith("image_"):
            return self._image(instr, name.removeprefix("image_"), mask)
        if "counter" in name:
            base, size = self.t.env.buffer("counter", instr.indices["base"])
            what = name.removeprefix("atomic_counter_")
            if what == "read":
                return self._load(base, size, self._u32(instr.srcs[0]), 1)
            return self._atomic(base, size, what, instr, mask)
        base, size = self.t.env.buffer("ssbo", instr.indices["buffer"])
        if name == "get_ssbo_size":
            return [self.t.b.bitcast(size, i32)]
        if name == "load_ssbo":
            assert instr.dest is not None
            offset = self._u32(instr.srcs[0])
            return self._load(base, size, offset, instr.dest.num_components)
        if name == "store_ssbo":
            self._store(base, size, instr, mask)
            return None
        return self._atomic(base, size, name.removeprefix("ssbo_atomic_"), instr, mask)

    # ---- buffers
    def _u32(self, source: SSADef, component: int = 0, elem: Scalar = u32) -> Value:
        """A component of a source, in all lanes."""
        value = self.t.as_type(self.t.get(source, component), elem)
        return self.t.b.splat(value, self.t.width)

    def _word(self, offset: Value, n: int, size: Value) -> tuple[Value, Value]:
        """The n-th dword behind an offset, in bytes, and in which lanes it is there."""
        at = offset & ~3
        word = at + 4 * n
        inside = word < self.t.b.splat(size, self.t.width)
        return word, inside & (word >= at) if n else inside

    def _load(self, base: Pointer, size: Value, offset: Value, count: int) -> list[Value]:
        b, out = self.t.b, []
        for n in range(count):
            word, inside = self._word(offset, n, size)
            out.append(b.gather(base, b.bitcast(word, i32), inside, f32, scale=1))
        return out

    def _store(self, base: Pointer, size: Value, instr: IntrinsicInstr, mask: Mask) -> None:
        b, (value, place) = self.t.b, instr.srcs
        offset, live = self._u32(place), self.t.env.live(mask)
        for n in range(value.num_components):
            if instr.indices["wrmask"] >> n & 1:
                word, inside = self._word(offset, n, size)
                data = self._u32(value, n, f32)
                b.scatter(base, b.bitcast(word, i32), data, live & inside, scale=1)

    def _atomic(
        self, base: Pointer, size: Value, what: str, instr: IntrinsicInstr, mask: Mask
    ) -> list[Value]:
        word, inside = self._word(self._u32(instr.srcs[0]), 0, size)
        return self._in_turn(base, word, self.t.env.live(mask) & inside, what, instr.srcs[1:])

    def _in_turn(
        self, base: Pointer, place: Value, live: Value, what: str, data: list[SSADef]
    ) -> list[Value]:
        """An atomic of each live lane, one after the other, at a place in bytes."""
        b, width = self.t.b, self.t.width
        elem = f32 if what == "fadd" else u32
        given = [self._u32(source, 0, elem) for source in data]
        found = b.var(elem.vec(width), 0)
        left = b.var(u64, b.cast(b.bits_of(live), u64))
        with b.While(lambda: left.value != 0):
            lane = b.cast(b.ctz(left.value), u32)
            left.value = left.value & (left.value - 1)
            at = b.bytes_from(base, place[lane], elem)
            if what == "comp_swap":
                old = b.cmpxchg(at, given[0][lane], given[1][lane])
            else:
                old = b.atomic(_RMW[what], at, given[0][lane])
            found.value = found.value.insert(lane, old)
        return [found.value]

    # ---- images
    def _image(self, instr: IntrinsicInstr, what: str, mask: Mask) -> list[Value] | None:
        b, env = self.t.b, self.t.env
        image = env.image(instr.indices["image"])
        dim, array = IMAGE_DIMS[instr.indices["dim"]], bool(instr.indices["array"])
        if what == "size":
            return self._sizes(image, dim, array)
        base, place, inside = self._texel(image, instr.srcs[0], dim, array)
        if what.startswith("atomic_"):
            live = env.live(mask) & inside
            return self._in_turn(base, place, live, what.removeprefix("atomic_"), instr.srcs[1:])
        fmt = FORMATS[instr.indices["format"]]
        if fmt.bits:
            return self._of_format(fmt, instr, what, image, mask)
        channels = image.channels
        inside = inside & b.splat(channels != 0, self.t.width)
        if what == "load":
            one = b.splat(b.bitcast(b.cast(image.one, u32), f32), self.t.width)
            out = []
            for n in range(4):
                there = inside & b.splat(channels > n, self.t.width)
                at = b.bitcast(place + 4 * n, i32)
                value = b.gather(base, at, there, f32, scale=1)
                if n == 3:
                    missing = inside & b.splat(channels <= n, self.t.width)
                    value = b.select(missing, one, value)
                out.append(value)
            return out
        live = env.live(mask) & inside
        for n in range(4):
            there = live & b.splat(channels > n, self.t.width)
            data = self._u32(instr.srcs[1], n, f32)
            b.scatter(base, b.bitcast(place + 4 * n, i32), data, there, scale=1)
        return None

    def _of_format(
        self, fmt: Format, instr: IntrinsicInstr, what: str, image: LpImage, mask: Mask
    ) -> list[Value] | None:
        """Loads and stores of an image whose format the shader names."""
        b, width = self.t.b, self.t.width
        dim, array = IMAGE_DIMS[instr.indices["dim"]], bool(instr.indices["array"])
        base, place, inside = self._texel(image, instr.srcs[0], dim, array)
        inside = inside & b.splat(image.format == fmt.number, width)
        at = b.bitcast(place, i32)
        if what == "load":
            texel = format_emit.gather(b, fmt, base, at, inside)
            return [b.select(inside, self.t.as_type(v, f32), 0.0) for v in texel]
        elem = format_emit.number_type(fmt)
        rgba = [self._u32(instr.srcs[1], n, elem) for n in range(4)]
        format_emit.scatter(b, fmt, base, at, rgba, self.t.env.live(mask) & inside)
        return None

    def _sizes(self, image: LpImage, dim: str, array: bool) -> list[Value]:
        width, height, layers = (self.t.b.bitcast(getattr(image, name), i32)
                                 for name in ("width", "height", "layers"))  # fmt: skip
        known = {"1D": [width], "Buf": [width], "3D": [width, height, layers]}
        sizes = known.get(dim, [width, height])
        return [*sizes, layers // 6 if dim == "Cube" else layers] if array else sizes

    def _texel(
        self, image: LpImage, coord: SSADef, dim: str, array: bool
    ) -> tuple[Pointer, Value, Value]:
        """Where the image begins, the place of each lane's texel in bytes, and whether it is one
        (a negative coordinate is a large one)."""
        b, width = self.t.b, self.t.width
        names = ["width", "layers"] if dim == "1D" and array else ["width", "height", "layers"]
        parts: dict[str, Value] = {}
        for n, name in zip(range(coord.num_components), names):
            parts[name] = self._u32(coord, n)
        inside, place = None, b.const(u32.vec(width), 0)
        steps = {"width": "texel", "height": "row_stride", "layers": "image_stride"}
        for name in ("width", "height", "layers"):
            size = b.splat(getattr(image, name), width)
            part = parts.get(name)
            within = (size != 0) if part is None else part < size
            inside = within if inside is None else inside & within
            if part is not None:
                place = place + part * b.splat(b.cast(getattr(image, steps[name]), u32), width)
        assert inside is not None
        base: Pointer = image.data.cast(ptr(u8))
        return base, place, inside


__all__ = ["Memory"]
