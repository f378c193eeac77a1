# SPDX-License-Identifier: MIT
"""Kernels of one format each: texels in memory to numbers and back, a piece of a row at a time.

A piece is up to CHUNK texels. Its numbers lie in memory as all pixel paths have them: four 32-bit
words a texel, r, g, b and a (f32, or u32 and i32 of formats of whole numbers); of depth and stencil
formats CHUNK f64 depths, then CHUNK i32 stencil values (`DEPTHS`, `STENCILS` say where). Room for
whole steps of 16 texels is the caller's; of texels nothing outside of the piece is touched.

Of formats whose channels are all alike a texel's numbers lie as its elements do, or change places
with each other: such texels are converted element by element, and never become planes.

A format's kernels are a module of their own, compiled when somebody first needs them
(texel_loader.py) and kept in the object cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.jit.fpstate import FLUSHED
from pydri.jit.kernel import Kernel, Module, kernel
from pydri.jit.types import Scalar, f32, f64, i32, ptr, u8, u32, void
from pydri.pipe import format_emit as emit
from pydri.pipe.format import Format, linear
from pydri.pipe.texel_table import CHUNK, DEPTH_PART, DEPTHS, STENCIL_PART, STENCILS

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

LANES = 16
#: numbers, texels, how many, DEPTH_PART | STENCIL_PART
PIECE = (ptr(u8), ptr(u8), u32, u32)


def _numbers(b: Builder, fmt: Format, values: Pointer, first: Value) -> list[Pointer]:
    """Where depths and stencil values of texels from `first` on lie."""
    return [
        b.bytes_from(values, DEPTHS, f64) + first,
        b.bytes_from(values, STENCILS, i32) + first,
    ]


def _wide_depth(b: Builder, fmt: Format, raw: list[Value]) -> list[Value]:
    """Depth as f64, stencil as u32; 0 where there is none."""
    depth, stencil = emit.zs_channels(fmt)
    out = [b.splat(b.const(f64, 0.0), LANES), b.splat(b.const(u32, 0), LANES)]
    if depth is not None:
        kind, bits = fmt.channels[depth]
        if kind == "f":
            out[0] = b.cast(emit.channel_to_number(b, raw[depth], kind, bits), f64)
        else:
            out[0] = b.cast(raw[depth], f64) / float((1 << bits) - 1)
    if stencil is not None:
        out[1] = raw[stencil]
    return out


_PIXELS = LANES // 4  # whose four numbers are a vector


def element_of(fmt: Format) -> Scalar | None:
    """The type of a texel's four elements, if these are numbers of one kind; None: there are not
    four, they differ, or they are more than that (encoded, whole numbers)."""
    kinds = {channel for channel in fmt.channels if channel[0] != "x"}
    widths = {bits for _, bits in fmt.channels}
    if len(fmt.channels) != 4 or len(kinds) != 1 or len(widths) != 1 or fmt.srgb:
        return None
    ((kind, bits),) = kinds
    return emit.UNSIGNED.get(bits) if kind in ("un", "sn", "f") else None


def _kind_of(fmt: Format) -> tuple[str, int]:
    return next(channel for channel in fmt.channels if channel[0] != "x")


def _fetch_elements(b: Builder, fmt: Format, element: Scalar, to: Pointer, texels: Pointer) -> None:
    """16 texels of such elements to numbers."""
    constants = b.const(f32.vec(LANES), [0.0, 1.0] + [0.0] * (LANES - 2))
    missing = {"z": LANES, "o": LANES + 1}
    places = [
        4 * t + int(c) if c.isdigit() else missing[c] for t in range(_PIXELS) for c in fmt.swizzle
    ]
    base = b.bytes_from(texels, 0, element)
    for n in range(0, 4 * LANES, LANES):
        raw = b.cast((base + n).load(element.vec(LANES), align=1), u32)
        numbers = emit.channel_to_number(b, raw, *_kind_of(fmt))
        (to + n).store(b.shuffle(numbers, constants, places), align=4)


def _store_elements(
    b: Builder, fmt: Format, element: Scalar, numbers: Pointer, texels: Pointer
) -> None:
    """16 texels of such elements of numbers; padding is zeros, or ones where emit.padding says."""
    sources, kind = emit.sources(fmt), _kind_of(fmt)
    places = [4 * t + (source or 0) for t in range(_PIXELS) for source in sources]
    top = (1 << kind[1]) - 1
    holds = [0 if source is None else top for source in sources] * _PIXELS
    ones = [top if emit.padding(fmt) and not held else 0 for held in holds]
    base = b.bytes_from(texels, 0, element)
    for n in range(0, 4 * LANES, LANES):
        v = (numbers + n).load(f32.vec(LANES), align=4)
        raw = emit.number_to_channel(b, b.shuffle(v, None, places), *kind)
        if None in sources:
            raw = (raw & b.const(u32.vec(LANES), holds)) | b.const(u32.vec(LANES), ones)
        (base + n).store(b.cast(raw, element), align=1)


def _fetch_step(b: Builder, fmt: Format, values: Pointer, texels: Pointer, first: Value) -> None:
    """16 texels to numbers."""
    element = element_of(fmt)
    if element is not None:
        _fetch_elements(b, fmt, element, b.bytes_from(values, first * 16, f32), texels)
        return
    raw = emit.load(b, fmt, texels, LANES)
    if fmt.kind == "zs":
        places = _numbers(b, fmt, values, first)
        depth, stencil = _wide_depth(b, fmt, raw)
        places[0].store(depth, align=8)
        places[1].store(b.bitcast(stencil, i32), align=4)
        return
    rgba = emit.decode(b, fmt, raw)
    to = b.bytes_from(values, first * 16, emit.number_type(fmt))
    for n, part in enumerate(emit.interleave(b, rgba)):
        (to + LANES * n).store(part, align=4)


def _store_step(b: Builder, fmt: Format, values: Pointer, texels: Pointer, first: Value,
                parts: Value) -> None:  # fmt: skip
    """16 texels of numbers; of depth and stencil formats only the given parts."""
    if fmt.kind == "zs":
        places = _numbers(b, fmt, values, first)
        depth = places[0].load(f64.vec(LANES), align=8)
        stencil = b.bitcast(places[1].load(i32.vec(LANES), align=4), u32)
        new, old = emit.encode(b, fmt, [depth, stencil]), emit.load(b, fmt, texels, LANES)
        bits = dict(zip(emit.zs_channels(fmt), (DEPTH_PART, STENCIL_PART), strict=True))
        kept = [
            None if v is None else b.select((parts & bits[n]) != 0, v, old[n])
            for n, v in enumerate(new)
        ]
        emit.store(b, fmt, texels, kept)
        return
    element = element_of(fmt)
    if element is not None:
        _store_elements(b, fmt, element, b.bytes_from(values, first * 16, f32), texels)
        return
    ty = emit.number_type(fmt)
    at = b.bytes_from(values, first * 16, ty)
    rows = [(at + LANES * n).load(ty.vec(LANES), align=4) for n in range(4)]
    low = b.shuffle(rows[0], rows[1], list(range(2 * LANES)))
    high = b.shuffle(rows[2], rows[3], list(range(2 * LANES)))
    rgba = [
        b.shuffle(
            b.shuffle(low, None, [4 * n + c for n in range(8)]),
            b.shuffle(high, None, [4 * n + c for n in range(8)]),
            list(range(LANES)),
        )
        for c in range(4)
    ]
    emit.put(b, fmt, texels, rgba)


def fetch_kernel(fmt: Format, decoded: bool = False) -> Kernel:
    """Texels to numbers. What is sRGB-encoded stays so, as images are moved and not looked at; or
    is decoded."""
    plain = fmt if decoded else linear(fmt)

    @kernel(void, PIECE, name=f"fetch_{fmt.name}", noinline=True, noalias=(0,))
    def fetch(b: Builder, values: Pointer, texels: Pointer, count: Value, parts: Value) -> None:
        whole = count & ~(LANES - 1)
        with b.For(b.const(u32, 0), whole, LANES) as i:
            _fetch_step(b, plain, values, b.bytes_from(texels, i * fmt.bytes, u8), i)
        with b.If(whole != count):
            rest = b.array(u8, LANES * fmt.bytes, align=64)
            size = (count - whole) * fmt.bytes
            b.memcpy(rest, b.bytes_from(texels, whole * fmt.bytes, u8), size)
            _fetch_step(b, plain, values, rest, whole)

    return fetch


def store_kernel(fmt: Format, encoded: bool = False) -> Kernel:
    """Numbers to texels; sRGB as in fetch_kernel."""
    plain = fmt if encoded else linear(fmt)

    @kernel(void, PIECE, name=f"store_{fmt.name}", noinline=True, noalias=(1,))
    def store(b: Builder, values: Pointer, texels: Pointer, count: Value, parts: Value) -> None:
        whole = count & ~(LANES - 1)
        with b.For(b.const(u32, 0), whole, LANES) as i:
            _store_step(b, plain, values, b.bytes_from(texels, i * fmt.bytes, u8), i, parts)
        with b.If(whole != count):
            rest = b.array(u8, LANES * fmt.bytes, align=64)
            size = (count - whole) * fmt.bytes
            place = b.bytes_from(texels, whole * fmt.bytes, u8)
            if fmt.kind == "zs":
                b.memcpy(rest, place, size)
            _store_step(b, plain, values, rest, whole, parts)
            b.memcpy(place, rest, size)

    return store


def module(fmt: Format) -> Module:
    """The kernels of a format that is no compressed one."""
    assert not fmt.codec, f"{fmt.name} is kept as {fmt.decoded}"

    def exports() -> list[Kernel]:
        return [fetch_kernel(fmt), store_kernel(fmt)]

    return Module(f"texels_{fmt.name}", exports, variant=True, floats=FLUSHED)


__all__ = ["CHUNK", "LANES", "PIECE", "fetch_kernel", "module", "store_kernel"]
