# SPDX-License-Identifier: MIT
"""Pixels of the program's memory to numbers and back, a piece of a row at a time (GL 2.1, 3.6.4 and
4.3.2).

In: up to CHUNK pixels of a format and a type, by their numbers in main/pixels/tables.py, at any
alignment and byte order. Out: RGBA floats (four a pixel, not clamped), depths (f32 in, f64 out) or
indices (i32); and the other way round, clamped to what the type holds and rounded to nearest.
Signed normalised types are c / (2^(b-1) - 1), as GL 4.2 has it and the peer in all versions.
Nothing outside of the pixels is touched. Kernels: one loop a type, made from its row. Counterpart
of Mesa's main/pack.c and main/format_utils.c.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydri.jit import f16, f32, f64, i8, i16, i32, i64, kernel, ptr, u8, u16, u32, void
from pydri.main.pixels.tables import FORMATS, TYPES, PixelType
from pydri.pipe.format_emit import (
    fraction,
    interleave,
    shared_exponent,
    small_float,
    to_shared_exponent,
    to_small_float,
)
from pydri.pipe.texel_table import CHUNK

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value

LANES = 16
_ELEMENTS = {
    ("u", 1): u8, ("u", 2): u16, ("u", 4): u32, ("i", 1): i8, ("i", 2): i16, ("i", 4): i32,
    ("f", 4): f32, ("f", 2): f16,
}  # fmt: skip
_PLAIN = tuple(n for n, row in enumerate(TYPES) if row.kind in "uif")
_RGBA = next(n for n, row in enumerate(FORMATS) if row.channels == "RGBA" and row.kind == "color")
_CHANNEL = {"R": 0, "G": 1, "B": 2, "A": 3}


def element_of(row: PixelType) -> Any:
    """The kernel type of a plain type's element."""
    return _ELEMENTS[row.kind, row.bytes]


def sweep(b: Builder, count: Any, body: Callable[[Any, int], None]) -> None:
    """body(first, lanes): 16 elements a step, then one by one."""
    whole = count & ~(LANES - 1)
    with b.For(b.const(u32, 0), whole, LANES) as i:
        body(i, LANES)
    with b.For(whole, count) as i:
        body(i, 1)


def wide_type(ty: Any, lanes: int) -> Any:
    return ty if lanes == 1 else ty.vec(lanes)


# -- components to floats --------------------------------------------------------------------------


def normalised(b: Builder, v: Any, row: PixelType) -> Any:
    """Elements as floats (f32)."""
    bits = 8 * row.bytes
    if row.kind == "f":
        return b.cast(v, f32)
    top = float((1 << (bits - (row.kind == "i"))) - 1)
    if bits == 32:  # in f64 a product is near enough to round to the same f32
        out = b.cast(b.cast(v, f64) * (1.0 / top), f32)
    else:
        out = fraction(b, b.cast(v, i32), bits - (row.kind == "i"))
    return b.max(out, -1.0) if row.kind == "i" else out


def fields_of(row: PixelType) -> list[tuple[int, int]]:
    """(shift, bits) of the components of a packed type."""
    out, shift = [], 0 if row.reverse else sum(row.widths)
    for bits in row.widths:
        shift -= 0 if row.reverse else bits
        out.append((shift, bits))
        shift += bits if row.reverse else 0
    return out


def _packed_components(b: Builder, word: Any, row: PixelType) -> list[Any]:
    """The components of a word (u32) as floats."""
    if row.kind == "r11g11b10":
        parts = ((0, 0x7FF, 6), (11, 0x7FF, 6), (22, 0x3FF, 5))
        return [small_float(b, (word >> shift) & mask, m) for shift, mask, m in parts]
    if row.kind == "rgb9e5":
        return shared_exponent(b, [*((word >> n) & 0x1FF for n in (0, 9, 18)), word >> 27])
    out = []
    for shift, bits in fields_of(row):
        part = (word >> shift) & ((1 << bits) - 1)
        out.append(fraction(b, b.cast(part, i32), bits))
    return out


WORDS = {1: u8, 2: u16, 4: u32}
_PACKED = tuple(n for n, row in enumerate(TYPES) if row.kind in ("packed", "r11g11b10", "rgb9e5"))


@kernel(void, (ptr(u8), ptr(u8), u32, u32), noinline=True, noalias=(0, 1))
def px_swap(b: Builder, dst: Pointer, src: Pointer, bytes_: Value, element: Value) -> None:
    """Copy with the bytes of each element (2 or 4) in reverse order."""
    with b.For(b.const(u32, 0), bytes_) as i:
        dst[i] = src[i ^ (element - 1)]


def in_order(b: Builder, src: Any, bytes_: Value, element: Value, swap: Operand) -> Any:
    """The source, or a copy of it with its bytes exchanged."""
    out = b.var(ptr(u8), src)
    with b.If((swap != 0) & (element > 1), likely=False):
        copy = b.array(u8, CHUNK * 16, align=64)
        b.call(px_swap, copy, src, bytes_, element)
        out.value = copy
    return out.value


def _table(b: Builder, values: list[int], n: Any) -> Any:
    return b.cast(b.table(u8, values)[n], u32)


def components_of(b: Builder, format: Operand) -> Any:
    """Components of a format by number."""
    return _table(b, [row.components for row in FORMATS], format)


def element_bytes(b: Builder, type_: Operand) -> Any:
    """Bytes an element of a type by number."""
    return _table(b, [row.bytes for row in TYPES], type_)


def bytes_a_pixel(b: Builder, format: Operand, type_: Operand) -> Any:
    """Bytes a pixel (u32); bitmaps have 0."""
    plain = _table(b, [int(row.kind in "uif") for row in TYPES], type_)
    whole = _table(
        b, [0 if r.kind == "bits" else 8 if r.kind == "z32fs8" else r.bytes for r in TYPES], type_
    )
    return b.select(plain != 0, whole * components_of(b, format), whole)


_ROW = (ptr(u8), u32, u32, u32, u32)


def _load_words(b: Builder, source: Pointer, values: Any, count: Any, row: PixelType) -> None:
    """Words of a packed type as its components, 16 a step where it has fields, then one by one."""
    word = WORDS[row.bytes]
    width = len(row.widths) or 3
    words = source.cast(ptr(word))
    whole = count & ~(LANES - 1) if row.kind == "packed" else b.const(u32, 0)
    if row.kind == "packed":
        with b.For(b.const(u32, 0), whole, LANES) as i:
            v = b.cast((words + i).load(word.vec(LANES), align=1), u32)
            for k, part in enumerate(interleave(b, _packed_components(b, v, row))):
                (values + (i * width + k * LANES)).store(part, align=4)
    with b.For(whole, count) as i:
        v = b.cast((words + i).load(word, align=1), u32)
        for c, part in enumerate(_packed_components(b, v, row)):
            (values + (i * width + c)).store(part, align=4)


@kernel(void, (ptr(f32), *_ROW), noinline=True, noalias=(0,))
def px_load(b: Builder, rgba: Pointer, src: Pointer, count: Value, format: Value, type_: Value,
            swap: Value) -> None:  # fmt: skip
    """`count` pixels of a colour format as RGBA."""
    components = components_of(b, format)
    source = in_order(
        b, src, count * bytes_a_pixel(b, format, type_), element_bytes(b, type_), swap
    )
    straight = format == _RGBA
    buffer = b.array(f32, CHUNK * 4 + LANES, align=64)
    values = b.select(straight, rgba, buffer)
    with b.Switch(type_) as s:
        for n in _PLAIN:
            with s.Case(n):
                row = TYPES[n]
                place = source.cast(ptr(element_of(row)))

                def convert(i: Any, lanes: int, row: Any = row, place: Any = place) -> None:
                    v = (place + i).load(wide_type(element_of(row), lanes), align=1)
                    (values + i).store(normalised(b, v, row), align=4)

                sweep(b, count * components, convert)
        for n in _PACKED:
            with s.Case(n):
                _load_words(b, source, values, count, TYPES[n])
    with b.If(straight):
        b.Return()
    with b.Switch(format) as s:
        for n, item in enumerate(FORMATS):
            if item.kind == "color":
                with s.Case(n):
                    _expand(b, values, rgba, count, item.channels)


def _expand(b: Builder, values: Any, rgba: Any, count: Any, channels: str) -> None:
    """Components of a format as RGBA, four pixels a step; what is missing is 0, 0, 0, 1."""
    width = len(channels)
    constants = b.const(f32.vec(LANES), [0.0, 1.0] + [0.0] * (LANES - 2))
    from_l = "L" in channels
    with b.For(b.const(u32, 0), (count + 3) & ~3, 4) as i:
        given = (values + i * width).load(f32.vec(LANES), align=4)
        lanes = []
        for pixel in range(4):
            for c in "RGBA":
                at = channels.find("L" if from_l and c != "A" else c)
                missing = LANES + (1 if c == "A" else 0)
                lanes.append(pixel * width + at if at >= 0 else missing)
        (rgba + i * 4).store(b.shuffle(given, constants, lanes), align=4)


# -- floats to components --------------------------------------------------------------------------


def quantised(b: Builder, v: Any, row: PixelType) -> Any:
    """Floats (f32 or f64) as elements: clamped, scaled, rounded to nearest."""
    target = element_of(row)
    bits = 8 * row.bytes
    if row.kind == "f":
        return b.cast(b.cast(v, f32), target)
    if bits == 32 and v.elem is not f64:
        v = b.cast(v, f64)
    if row.kind == "u":
        scaled = b.clamp(v, 0.0, 1.0) * float((1 << bits) - 1) + 0.5
        return b.cast(b.cast_fast(b.floor(scaled), i64 if bits == 32 else i32), target)
    scaled = b.round_even(b.clamp(v, -1.0, 1.0) * float((1 << (bits - 1)) - 1))
    return b.cast(b.cast_fast(scaled, i32), target)


def _packed_word(b: Builder, parts: list[Any], row: PixelType) -> Value:
    if row.kind == "r11g11b10":
        r, g, bl = (to_small_float(b, v, m) for v, m in zip(parts, (6, 6, 5), strict=False))
        return r | (g << 11) | (bl << 22)
    if row.kind == "rgb9e5":
        r, g, bl, exponent = to_shared_exponent(b, parts)
        return r | (g << 9) | (bl << 18) | (exponent << 27)
    word = b.const(u32 if parts[0].ty is f32 else u32.vec(8), 0)
    for v, (shift, bits) in zip(parts, fields_of(row), strict=False):
        top = float((1 << bits) - 1)
        part = b.cast(b.cast_fast(b.floor(b.clamp(v, 0.0, 1.0) * top + 0.5), i32), u32)
        word = word | (part << shift)
    return word


def _pack_words(b: Builder, values: Any, to: Any, count: Operand, width: int, row: PixelType,
                ty: Any) -> None:  # fmt: skip
    """Words of `width` components, eight a step where the type has fields, then one by one."""
    whole = b.var(u32, 0)
    if row.kind == "packed":
        x8 = f32.vec(8)
        with b.While(lambda: whole.value + 8 <= count):
            first = values + whole.value * width
            given = [(first + 8 * n).load(x8, align=4) for n in range(width)]
            low = b.shuffle(given[0], given[1], list(range(16)))
            last = given[3] if width == 4 else given[2]
            both = b.shuffle(low, b.shuffle(given[2], last, list(range(16))), list(range(32)))
            parts = [b.shuffle(both, None, [n * width + c for n in range(8)]) for c in range(width)]
            word = _packed_word(b, parts, row)
            (to + whole.value).store(b.cast(word, ty), align=1)
            whole.value = whole.value + 8
    with b.For(whole.value, count) as i:
        parts = [values[i * width + c] for c in range(width)]
        (to + i).store(b.cast(_packed_word(b, parts, row), ty), align=1)


def store_swapped(b: Builder, dst: Pointer, swap: Operand, element: Value, bytes_: Value,
                   write: Callable[[Any], None]) -> None:
    """`write(place)` to the destination, or to a buffer whose bytes are exchanged on the way."""
    place = b.var(ptr(u8), dst)
    turned = (swap != 0) & (element > 1)
    buffer = b.array(u8, CHUNK * 16, align=64)
    with b.If(turned, likely=False):
        place.value = buffer
    write(place.value)
    with b.If(turned, likely=False):
        b.call(px_swap, dst, buffer, bytes_, element)


def _reduce(b: Builder, rgba: Any, values: Any, count: Any, channels: str, clamp: Any) -> None:
    """RGBA as components of a format, four pixels a step; luminance is R + G + B."""
    width = len(channels)
    v16 = f32.vec(LANES)
    with b.For(b.const(u32, 0), (count + 3) & ~3, 4) as i:
        given = (rgba + i * 4).load(v16, align=4)
        sums = given
        if "L" in channels:
            for shift in (1, 2):
                sums = sums + b.shuffle(given, None, [min(n + shift, 15) for n in range(LANES)])
            sums = b.select(clamp != 0, b.min(sums, 1.0), sums)
        lanes = [
            LANES + 4 * pixel if c == "L" else 4 * pixel + _CHANNEL[c]
            for pixel in range(4)
            for c in channels
        ]
        # what follows the last component is overwritten by the next step
        lanes += [0] * (LANES - len(lanes))
        (values + i * width).store(b.shuffle(given, sums, lanes), align=4)


@kernel(void, (ptr(f32), *_ROW, u32), noinline=True, noalias=(0,))
def px_pack(b: Builder, rgba: Pointer, dst: Pointer, count: Value, format: Value, type_: Value,
            swap: Value, clamp: Value) -> None:  # fmt: skip
    """`count` RGBA pixels as pixels of a colour format; luminance is R + G + B, at most 1 unless
    `clamp` is 0."""
    components = components_of(b, format)
    values = b.array(f32, CHUNK * 4 + LANES, align=64)
    with b.Switch(format) as s:
        for n, item in enumerate(FORMATS):
            if item.kind == "color":
                with s.Case(n):
                    _reduce(b, rgba, values, count, item.channels, clamp)

    def write(place: Any) -> None:
        with b.Switch(type_) as s:
            for n in _PLAIN:
                with s.Case(n):
                    row = TYPES[n]
                    to = place.cast(ptr(element_of(row)))

                    def convert(i: Any, lanes: int, row: Any = row, to: Any = to) -> None:
                        v = (values + i).load(wide_type(f32, lanes), align=4)
                        (to + i).store(quantised(b, v, row), align=1)

                    sweep(b, count * components, convert)
            for n in _PACKED:
                with s.Case(n):
                    row = TYPES[n]
                    ty = WORDS[row.bytes]
                    to = place.cast(ptr(ty))
                    width = len(row.widths) or 3
                    _pack_words(b, values, to, count, width, row, ty)

    size = count * bytes_a_pixel(b, format, type_)
    store_swapped(b, dst, swap, element_bytes(b, type_), size, write)


# -- indices and depths ----------------------------------------------------------------------------


@kernel(void, (ptr(i32), ptr(u8), u32, u32, u32, u32, u32), noinline=True, noalias=(0,))
def px_load_index(b: Builder, out: Pointer, src: Pointer, count: Value, type_: Value, swap: Value,
                  bit: Value, lsb_first: Value) -> None:  # fmt: skip
    """Indices, or the stencil half of pixels with both; bitmaps begin at bit `bit` of src[0]."""
    size = _table(b, [8 if r.kind == "z32fs8" else r.bytes for r in TYPES], type_)
    source = in_order(b, src, count * size, element_bytes(b, type_), swap)
    with b.Switch(type_) as s:
        for n, row in enumerate(TYPES):
            if row.kind in ("u", "i", "f", "z24s8", "z32fs8"):
                with s.Case(n):
                    ty = u32 if row.kind[0] == "z" else element_of(row)
                    elements = source.cast(ptr(ty))

                    def convert(i: Any, lanes: int, row: Any = row, place: Any = elements,
                                ty: Any = ty) -> None:  # fmt: skip
                        if row.kind == "z32fs8":
                            v = _of_pairs(b, place + i * 2, 1, ty, lanes)
                        else:
                            v = (place + i).load(wide_type(ty, lanes), align=1)
                        v = v & 0xFF if row.kind[0] == "z" else v
                        wide = b.cast(v, f32) if row.kind == "f" else v
                        (out + i).store(b.cast(wide, i32), align=4)

                    sweep(b, count, convert)
                continue
            with s.Case(n), b.For(b.const(u32, 0), count) as i:
                if row.kind == "bits":
                    at = bit + i
                    shift = b.select(lsb_first != 0, at & 7, 7 - (at & 7))
                    out[i] = b.cast((b.cast(src[at >> 3], u32) >> shift) & 1, i32)
                else:
                    out[i] = 0


@kernel(void, (ptr(i32), ptr(u8), u32, u32, u32, u32, u32), noinline=True, noalias=(0,))
def px_pack_index(b: Builder, values: Pointer, dst: Pointer, count: Value, type_: Value,
                  swap: Value, bit: Value, lsb_first: Value) -> None:  # fmt: skip
    """Indices as a type; of bitmaps only their own bits are written."""
    with b.If(type_ == next(n for n, row in enumerate(TYPES) if row.kind == "bits")):
        with b.For(b.const(u32, 0), count) as i:
            at = bit + i
            shift = b.select(lsb_first != 0, at & 7, 7 - (at & 7))
            one = b.const(u32, 1) << shift
            old = b.cast(dst[at >> 3], u32)
            dst[at >> 3] = b.cast(b.select((values[i] & 1) != 0, old | one, old & ~one), u8)
        b.Return()

    def write(place: Any) -> None:
        with b.Switch(type_) as s:
            for n in _PLAIN:
                with s.Case(n):
                    to = place.cast(ptr(element_of(TYPES[n])))

                    def convert(i: Any, lanes: int, row: Any = TYPES[n], to: Any = to) -> None:
                        v = (values + i).load(wide_type(i32, lanes), align=4)
                        made = b.cast(v, f32) if row.kind == "f" else v
                        (to + i).store(b.cast(made, element_of(row)), align=1)

                    sweep(b, count, convert)

    size = element_bytes(b, type_)
    store_swapped(b, dst, swap, size, count * size, write)


def _of_pairs(b: Any, place: Any, which: int, ty: Any, lanes: int) -> Any:
    """The first (0) or second (1) elements of pairs in memory, of which nothing else is read."""
    if lanes == 1:
        return (place + which).load(ty, align=1)
    halves = [(place + n * lanes).load(ty.vec(lanes), align=1) for n in range(2)]
    return b.shuffle(*halves, [2 * i + which for i in range(lanes)])


def _exact_depth(b: Builder, v: Any, row: PixelType) -> Any:
    """Elements as depths (f64); signed ones by the rule of GL 2.1, (2 c + 1) / (2^b - 1), but that
    0 stays 0, as the peer has it for depths."""
    wide = b.cast(v, f64)
    if row.kind == "f":
        return wide
    top = float((1 << 8 * row.bytes) - 1)
    return b.select(v == 0, 0.0, (wide * 2.0 + 1.0) / top) if row.kind == "i" else wide / top


def _depth_loader(name: str, number: Any) -> Any:
    """px_load_depth as f32, and as f64: for what must not be rounded twice."""
    wide = number is f64

    @kernel(void, (ptr(number), ptr(u8), u32, u32, u32), name=name, noinline=True, noalias=(0,))
    def load(b: Builder, out: Pointer, src: Any, count: Operand, type_: Any,
             swap: Operand) -> None:  # fmt: skip
        size = _table(b, [8 if r.kind == "z32fs8" else r.bytes for r in TYPES], type_)
        source = in_order(b, src, count * size, element_bytes(b, type_), swap)
        with b.Switch(type_) as s:
            for n, row in enumerate(TYPES):
                if row.kind not in ("u", "i", "f", "z24s8", "z32fs8"):
                    continue
                with s.Case(n):
                    ty = {"z24s8": u32, "z32fs8": f32}.get(row.kind) or element_of(row)
                    elements = source.cast(ptr(ty))

                    def convert(i: Any, lanes: int, row: Any = row, place: Any = elements,
                                ty: Any = ty) -> None:  # fmt: skip
                        if row.kind == "z32fs8":
                            v = _of_pairs(b, place + i * 2, 0, ty, lanes)
                            (out + i).store(b.cast(v, number), align=number.size)
                            return
                        v = (place + i).load(wide_type(ty, lanes), align=1)
                        if row.kind == "z24s8":
                            v = b.cast(v >> 8, i32)
                            top = float((1 << 24) - 1)
                            depth = b.cast(v, f64) / top if wide else fraction(b, v, 24)
                        else:
                            depth = _exact_depth(b, v, row) if wide else normalised(b, v, row)
                        (out + i).store(depth, align=number.size)

                    sweep(b, count, convert)

    return load


#: depths (or what else has one component), or the depth half of pixels with both
px_load_depth = _depth_loader("px_load_depth", f32)
px_load_depth64 = _depth_loader("px_load_depth64", f64)


@kernel(void, (ptr(f64), ptr(i32), ptr(u8), u32, u32, u32), noinline=True, noalias=(0,))
def px_pack_depth(b: Builder, depths: Pointer, stencils: Pointer, dst: Pointer, count: Value,
                  type_: Value, swap: Value) -> None:  # fmt: skip
    """Depths as a type, with stencil values where it holds both."""
    size = _table(b, [8 if r.kind == "z32fs8" else r.bytes for r in TYPES], type_)

    def write(place: Any) -> None:
        words = place.cast(ptr(u32))
        with b.Switch(type_) as s:
            for n, row in enumerate(TYPES):
                if row.kind not in ("u", "i", "f", "z24s8", "z32fs8"):
                    continue
                if row.kind in "uif":
                    with s.Case(n):
                        to = place.cast(ptr(element_of(row)))

                        def convert(i: Any, lanes: int, row: Any = row, to: Any = to) -> None:
                            v = (depths + i).load(wide_type(f64, lanes), align=8)
                            (to + i).store(quantised(b, v, row), align=1)

                        sweep(b, count, convert)
                    continue
                with s.Case(n):

                    def both(i: Any, lanes: int, row: Any = row) -> None:
                        z = (depths + i).load(wide_type(f64, lanes), align=8)
                        stencil = b.cast((stencils + i).load(wide_type(i32, lanes), align=4), u32)
                        stencil = stencil & 0xFF
                        if row.kind == "z24s8":
                            whole = b.floor(b.clamp(z, 0.0, 1.0) * float((1 << 24) - 1) + 0.5)
                            (words + i).store((b.cast(whole, u32) << 8) | stencil, align=1)
                            return
                        pair = [b.bitcast(b.cast(z, f32), wide_type(u32, lanes)), stencil]
                        for n, part in enumerate(interleave(b, pair) if lanes > 1 else pair):
                            (words + (i * 2 + n * lanes)).store(part, align=1)

                    sweep(b, count, both)

    store_swapped(b, dst, swap, element_bytes(b, type_), count * size, write)


__all__ = [
    "CHUNK", "LANES", "WORDS", "bytes_a_pixel", "components_of", "element_bytes", "element_of",
    "fields_of", "in_order", "store_swapped", "sweep", "wide_type", "px_load", "px_load_depth",
    "px_load_depth64", "px_load_index", "px_pack", "px_pack_depth", "px_pack_index", "px_swap",
]
