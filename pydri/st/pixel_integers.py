# SPDX-License-Identifier: MIT
"""Whole numbers of the program's memory (formats GL_*_INTEGER) to texels' numbers and back, a piece
of a row at a time (GL 3.0, 3.7.4; EXT_texture_integer).

In and out: up to CHUNK pixels of a format and a plain type, and r, g, b, a as 32-bit words, which
are two's complements where `signed` is 1. What is missing is 0, 0, 0, 1. Numbers that the other
side cannot hold become the nearest that it can.
"""

from __future__ import annotations

from typing import Any

from pydri.jit import i32, kernel, ptr, u8, u32, void
from pydri.main.pixels.tables import FORMATS, TYPES
from pydri.st.pixel_rows import (
    CHUNK,
    LANES,
    components_of,
    element_bytes,
    element_of,
    in_order,
    store_swapped,
    sweep,
    wide_type,
)

_INTEGERS = tuple(n for n, row in enumerate(FORMATS) if row.kind == "integer")
_PLAIN = tuple(n for n, row in enumerate(TYPES) if row.kind in "ui")
_RGBA = next(n for n in _INTEGERS if FORMATS[n].channels == "RGBA")
#: words, pixels, how many, format, type, bytes exchanged, signed
_ARGS = (u32, u32, u32, u32, u32)


def _gathered(b: Any, place: Any, lanes: list[int], constants: Any) -> Any:
    """16 words of memory, or of constants, by place."""
    return b.shuffle(place.load(u32.vec(LANES), align=4), constants, lanes)


@kernel(void, (ptr(u32), ptr(u8), *_ARGS), noinline=True, noalias=(0,))
def px_load_integers(b: Any, words: Any, src: Any, count: Any, format: Any, type_: Any, swap: Any,
                     signed: Any) -> None:
    """Pixels as words, four a pixel; there is room for whole steps of 16 words."""
    components = components_of(b, format)
    element = element_bytes(b, type_)
    source = in_order(b, src, count * components * element, element, swap)
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


@kernel(void, (ptr(u32), ptr(u8), *_ARGS), noinline=True, noalias=(1,))
def px_pack_integers(b: Any, words: Any, dst: Any, count: Any, format: Any, type_: Any, swap: Any,
                     signed: Any) -> None:
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

    element = element_bytes(b, type_)
    store_swapped(b, dst, swap, element, count * components * element, write)


def _narrow(b: Any, v: Any, row: Any, signed: Any) -> Any:
    """Words clamped to what a type holds."""
    top = (1 << 8 * row.bytes - (row.kind == "i")) - 1
    least = -top - 1 if row.kind == "i" else 0
    number = b.bitcast(v, i32)
    from_signed = b.max(number, least) if least > -(1 << 31) else number
    from_signed = b.min(from_signed, top) if top < 0x7FFFFFFF else from_signed
    from_unsigned = b.min(v, top) if top < 0xFFFFFFFF else v
    out = b.select(signed != 0, b.bitcast(from_signed, u32), from_unsigned)
    return b.cast(out, element_of(row))


__all__ = ["px_load_integers", "px_pack_integers"]
