# SPDX-License-Identifier: MIT
"""Clear values: a colour as the packed pixel of a format that is known at run time.

In: four numbers (floats; for formats of whole numbers the bits of integers) and a PipeFormat. Out:
a pixel of up to 128 bits, repeated to 128, and likewise the bits that a colour mask allows to be
written. A table of the channels of all formats says what to do, so that there is one piece of code
for all of them; it rounds as draws do: halves upwards (pydri/pipe/format_emit.py), in windows'
formats to the even number (gallivm/format.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipe_llvm.rast.fill import format_bytes, repeat_pixel
from pydri.jit import f32, i32, kernel, ptr, u8, u32, u64, void
from pydri.pipe import format_emit
from pydri.pipe.format import DISPLAY, FORMATS, TARGET, Format

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

#: What a channel's number is; 0: there is no channel.
_KINDS = ("", "un", "un even", "sn", "f16", "f32", "f11", "f10", "ui", "si", "x")
_KIND, _BITS, _SHIFT, _SOURCE = range(4)


def _rows(fmt: Format) -> list[int]:
    """Four bytes for each of four channels: kind, bits, first bit, which of r, g, b, a."""
    out: list[int] = []
    if fmt.uses & TARGET:
        ones = format_emit.padding(fmt) != 0
        for source, (kind, bits, shift) in zip(
            format_emit.sources(fmt), format_emit.places(fmt), strict=True
        ):
            name = kind + str(bits) if kind == "f" else kind
            name += " even" if kind == "un" and fmt.uses & DISPLAY else ""
            # padding that is not ones is a whole number, of which nothing is known: zero
            row = (_KINDS.index(name), bits, shift, source or 0)
            out += (_KINDS.index("x"), bits, shift, 4 + ones) if source is None else row
    return out + [0] * (16 - len(out))


def _number(b: Builder, kind: str, color: Pointer, source: Value, bits: Value) -> Value:
    """A channel (u64) of kind, from the colour's number `source`."""
    one = b.const(u64, 1)
    top = (one << b.cast(bits, u64)) - 1
    if kind == "x":
        return b.select(source == 5, top, b.const(u64, 0))
    value = color[source]
    if kind in ("un", "un even", "sn"):  # targets have 16 bits a channel at most
        most = b.cast(b.cast(top >> 1 if kind == "sn" else top, u32), f32)
        wide = b.clamp(value, -1.0 if kind == "sn" else 0.0, 1.0) * most
        number = b.cast_fast(wide + 0.5, i32) if kind == "un" else b.round_to_int(wide)
        return b.cast(b.bitcast(number, u32), u64) & top
    if kind == "f32":
        return b.cast(b.bitcast(value, u32), u64)
    if kind[0] == "f":
        return b.cast(format_emit.number_to_channel(b, value, "f", int(kind[1:])), u64)
    whole = b.bitcast(value, u32)
    if kind == "ui":
        return b.min(b.cast(whole, u64), top)
    limit = b.cast(b.cast(top >> 1, u32), i32)
    signed = b.max(b.min(b.bitcast(whole, i32), limit), -limit - 1)
    return b.cast(b.bitcast(signed, u32), u64) & top


def _put(b: Builder, pixel: Pointer, shift: Value, number: Value) -> None:
    """Add the bits of a channel to four words; no channel crosses a word of 32 bits."""
    word = shift >> 5
    pixel[word] = pixel[word] | b.cast(number << b.cast(shift & 31, u64), u32)


def _channel(b: Builder, number: Value, n: Value) -> list[Value]:
    table = b.table(u8, [v for fmt in FORMATS for v in _rows(fmt)])
    first = number * 16 + n * 4
    return [b.cast(table[first + k], u32) for k in range(4)]


@kernel(void, (ptr(u32), u32, ptr(f32)), noinline=True)
def clear_pattern(b: Any, out: Any, number: Any, color: Any) -> None:
    """The packed pixel of a colour in a format, repeated to 128 bits. Not for sRGB formats, whose
    clear colours are encoded before (srgb.encode_color).
    """
    pixel = b.array(u32, 4, align=16)
    pixel.store(b.splat(b.const(u32, 0), 4), align=16)
    with b.For(b.const(u32, 0), 4) as n:
        row = _channel(b, number, n)
        with b.Switch(row[_KIND]) as s:
            for k, kind in enumerate(_KINDS):
                if kind:
                    with s.Case(k):
                        value = _number(b, kind, color, row[_SOURCE], row[_BITS])
                        _put(b, pixel, row[_SHIFT], value)
    b.call(repeat_pixel, out, pixel, b.call(format_bytes, number))


@kernel(u32, (ptr(u32), u32, u32), noinline=True)
def mask_pattern(b: Any, out: Any, number: Any, mask: Any) -> Any:
    """The bits of a pixel that a colour mask (bit 0 red) allows to be written, padding included,
    repeated to 128 bits. 1 if these are all, 2 if some, 0 if none but padding.
    """
    pixel = b.array(u32, 4, align=16)
    pixel.store(b.splat(b.const(u32, 0), 4), align=16)
    all_of, some = b.var(u32, 1), b.var(u32, 0)
    with b.For(b.const(u32, 0), 4) as n:
        row = _channel(b, number, n)
        with b.If(row[_KIND] != 0):
            padding = row[_SOURCE] >= 4
            written = ((mask >> (row[_SOURCE] & 3)) & 1) != 0
            with b.If(written | padding):
                ones = (b.const(u64, 1) << b.cast(row[_BITS], u64)) - 1
                _put(b, pixel, row[_SHIFT], ones)
                some.value = b.select(padding, some.value, 1)
            with b.Else():
                all_of.value = 0
    b.call(repeat_pixel, out, pixel, b.call(format_bytes, number))
    b.Return(b.select(some.value == 0, 0, b.select(all_of.value != 0, b.const(u32, 1), 2)))
