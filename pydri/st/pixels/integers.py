# SPDX-License-Identifier: MIT
"""Whole numbers of the program's memory (formats GL_*_INTEGER) to texels' numbers and back, a piece
of a row at a time (GL 3.0, 3.7.4; EXT_texture_integer).

In and out: up to CHUNK pixels of a format and a type, and r, g, b, a as 32-bit words, which are
two's complements where `signed` is 1. Packed types have a number in each field. What is missing is
0, 0, 0, 1. Numbers that the other side cannot hold become the nearest that it can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import i32, i64, kernel, ptr, u8, u32, void
from pydri.main.pixels.tables import FORMATS, TYPES, PixelType
from pydri.st.pixels.rows import (
    CHUNK,
    LANES,
    WORDS,
    bytes_a_pixel,
    components_of,
    element_bytes,
    element_of,
    fields_of,
    in_order,
    store_swapped,
    sweep,
    wide_type,
)

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value

_INTEGERS = tuple(n for n, row in enumerate(FORMATS) if row.kind == "integer")
_PLAIN = tuple(n for n, row in enumerate(TYPES) if row.kind in "ui")
_PACKED = tuple(n for n, row in enumerate(TYPES) if row.kind == "packed")
_RGBA = next(n for n in _INTEGERS if FORMATS[n].channels == "RGBA")
#: words, pixels, how many, format, type, bytes exchanged, signed
_ARGS = (u32, u32, u32, u32, u32)


def _gathered(b: Builder, place: Any, lanes: list[int], constants: Value) -> Any:
    """16 words of memory, or of constants, by place."""
    return b.shuffle(place.load(u32.vec(LANES), align=4), constants, lanes)


@kernel(void, (ptr(u32), ptr(u8), *_ARGS), noinline=True, noalias=(0,))
def px_load_integers(b: Builder, words: Pointer, src: Pointer, count: Value, format: Value,
                     type_: Value, swap: Value, signed: Value) -> None:  # fmt: skip
    """Pixels as words, four a pixel; there is room for whole steps of 16 words."""
    components = components_of(b, format)
    element = element_bytes(b, type_)
    source = in_order(b, src, count * bytes_a_pixel(b, format, type_), element, swap)
    straight = format == _RGBA
    values = b.select(straight, words, b.array(u32, CHUNK * 4 + LANES, align=64))
    with b.Switch(type_) as s:
        for n in _PLAIN:
            row = TYPES[n]
            with s.Case(n):
                place = source.cast(ptr(element_of(row)))

                def convert(i: Any, lanes: int, row: Any = row, place: Any = place) -> None:
                    v = (place + i).load(wide_type(element_of(row), lanes), align=1)
                    v = b.cast(v, i32 if row.kind == "i" else u32)
                    if row.kind == "i":
                        out = b.bitcast(b.select(signed != 0, v, b.max(v, 0)), u32)
                    elif row.bytes == 4:
                        out = b.select(signed != 0, b.min(v, 0x7FFFFFFF), v)
                    else:
                        out = v
                    (values + i).store(out, align=4)

                sweep(b, count * components, convert)
        for n in _PACKED:
            with s.Case(n):
                _load_fields(b, source, values, count, TYPES[n])
    with b.If(straight):
        b.Return()
    constants = b.const(u32.vec(LANES), [0, 1] + [0] * (LANES - 2))
    with b.Switch(format) as s:
        for n in _INTEGERS:
            channels = FORMATS[n].channels
            width = len(channels)
            at = {c: channels.find("L" if "L" in channels and c != "A" else c) for c in "RGBA"}
            lanes = [
                pixel * width + at[c] if at[c] >= 0 else LANES + (c == "A")
                for pixel in range(4)
                for c in "RGBA"
            ]
            with s.Case(n), b.For(b.const(u32, 0), count, 4) as i:
                (words + i * 4).store(_gathered(b, values + i * width, lanes, constants), align=4)


def _load_fields(b: Builder, source: Pointer, values: Pointer, count: Operand,
                 row: PixelType) -> None:  # fmt: skip
    """Words of a packed type as the numbers in their fields."""
    words, fields = source.cast(ptr(WORDS[row.bytes])), fields_of(row)
    with b.For(b.const(u32, 0), count) as i:
        word = b.cast((words + i).load(align=1), u32)
        for n, (shift, bits) in enumerate(fields):
            values[i * len(fields) + n] = (word >> shift) & ((1 << bits) - 1)


def _pack_fields(b: Builder, values: Pointer, place: Any, count: Operand, row: PixelType,
                 signed: Value) -> None:  # fmt: skip
    """The other way."""
    ty, fields = WORDS[row.bytes], fields_of(row)
    with b.For(b.const(u32, 0), count) as i:
        word = b.const(u32, 0)
        for n, (shift, bits) in enumerate(fields):
            v = values[i * len(fields) + n]
            top = (1 << bits) - 1
            positive = b.bitcast(b.max(b.bitcast(v, i32), 0), u32)
            word = word | (b.min(b.select(signed != 0, positive, v), top) << shift)
        (place.cast(ptr(ty)) + i).store(b.cast(word, ty), align=1)


@kernel(void, (ptr(u32), ptr(u8), *_ARGS), noinline=True, noalias=(1,))
def px_pack_integers(b: Builder, words: Pointer, dst: Pointer, count: Value, format: Value,
                     type_: Value, swap: Value, signed: Value) -> None:  # fmt: skip
    """Words as pixels."""
    components = components_of(b, format)
    values = b.array(u32, CHUNK * 4 + LANES, align=64)
    zero = b.const(u32.vec(LANES), 0)
    with b.Switch(format) as s:
        for n in _INTEGERS:
            channels = FORMATS[n].channels
            width, luminance = len(channels), channels.replace("L", "R")
            # luminance of what is none is red: sums of whole numbers mean nothing
            lanes = [4 * pixel + "RGBA".index(c) for pixel in range(4) for c in luminance]
            lanes += [0] * (LANES - len(lanes))  # overwritten by the next step
            with s.Case(n), b.For(b.const(u32, 0), count, 4) as i:
                (values + i * width).store(_gathered(b, words + i * 4, lanes, zero), align=4)

    def write(place: Any) -> None:
        with b.Switch(type_) as s:
            for n in _PLAIN:
                row = TYPES[n]
                with s.Case(n):
                    to = place.cast(ptr(element_of(row)))

                    def convert(i: Any, lanes: int, row: Any = row, to: Any = to) -> None:
                        v = (values + i).load(wide_type(u32, lanes), align=4)
                        (to + i).store(_narrow(b, v, row, signed), align=1)

                    sweep(b, count * components, convert)
            for n in _PACKED:
                with s.Case(n):
                    _pack_fields(b, values, place, count, TYPES[n], signed)

    bytes_ = count * bytes_a_pixel(b, format, type_)
    store_swapped(b, dst, swap, element_bytes(b, type_), bytes_, write)


@kernel(u32, (ptr(u32), u32, u32, u32), noinline=True)
def px_sum_integers(b: Builder, words: Pointer, count: Value, type_: Value, signed: Value) -> Value:
    """Luminance in the place of red: R + G + B (GL 2.1, 4.3.2), or the nearest number to that which
    is a 32-bit one; gives whether these are signed, as they are for all but unsigned types."""
    plain = [n for n in _PLAIN if TYPES[n].kind == "i"]
    out = b.var(u32, 0)
    for n in plain:
        out.value = b.select(type_ == n, b.const(u32, 1), out.value)
    least = b.select(out.value != 0, b.const(i64, -(1 << 31)), 0)
    top = b.select(out.value != 0, b.const(i64, (1 << 31) - 1), (1 << 32) - 1)
    with b.For(b.const(u32, 0), count) as i:
        parts = [words[i * 4 + n] for n in range(3)]
        total = sum((b.cast(b.bitcast(v, i32), i64) for v in parts), b.const(i64, 0))
        positive = sum((b.cast(v, i64) for v in parts), b.const(i64, 0))
        wide = b.select(signed != 0, total, positive)
        words[i * 4] = b.cast(b.min(b.max(wide, least), top), u32)
        alpha = words[i * 4 + 3]
        beyond = b.select(signed != 0, b.const(u32, 0), 0x7FFFFFFF)
        other = (signed != out.value) & (alpha > 0x7FFFFFFF)
        words[i * 4 + 3] = b.select(other, beyond, alpha)
    return out.value


def _narrow(b: Builder, v: Any, row: Any, signed: Any) -> Any:
    """Words clamped to what a type holds."""
    top = (1 << 8 * row.bytes - (row.kind == "i")) - 1
    least = -top - 1 if row.kind == "i" else 0
    number = b.bitcast(v, i32)
    from_signed = b.max(number, least) if least > -(1 << 31) else number
    from_signed = b.min(from_signed, top) if top < 0x7FFFFFFF else from_signed
    from_unsigned = b.min(v, top) if top < 0xFFFFFFFF else v
    out = b.select(signed != 0, b.bitcast(from_signed, u32), from_unsigned)
    return b.cast(out, element_of(row))


__all__ = ["px_load_integers", "px_pack_integers", "px_sum_integers"]
