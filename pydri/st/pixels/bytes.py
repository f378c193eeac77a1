# SPDX-License-Identifier: MIT
"""Pixels that never become floats: colours of four bytes in any order, stencil values, depth and
stencil as they lie in the buffer (GL 2.1, 3.6.4 and 4.3.2).

In: rows of a surface that was resolved, or of the program's image, where transfer operations leave
them as they are. Out: the program's memory, or R8G8B8A8 for a rectangle's image. A byte as a wider
unsigned integer is its bits repeated, which is what GL's conversion gives (GL 4.6, 2.3.5). What is
asked for and how surface and memory order their bytes are run-time shifts, so the kernels are one
loop for each number of components and each element type. The peer: the memcpy and swizzle paths of
main/format_utils.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import boolean, f32, i32, i64, kernel, ptr, u8, u16, u32, u64, void
from pydri.main.layout import GLContext
from pydri.main.pixels.tables import FORMATS, TYPES, PixelFormat, PixelType, error_of
from pydri.pipe.format import BY_NAME
from pydri.pipe.format_emit import fraction, interleave
from pydri.pipe.native import Surface
from pydri.st.pixels.copy import ROWS, U32X16, copy_rows, stamp_kernel
from pydri.st.pixels.ops import depth_stays, stencil_stays
from pydri.st.pixels.rows import LANES

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value

#: surfaces of four bytes a pixel: from which byte R (lowest digit), G, B and A come; 5: it is 255
SURFACE_ORDERS = {
    BY_NAME[name].number: order
    for name, order in (
        ("B8G8R8A8_UNORM", 0x3012), ("B8G8R8X8_UNORM", 0x5012),
        ("R8G8B8A8_UNORM", 0x3210), ("R8G8B8X8_UNORM", 0x5210),
    )
}  # fmt: skip
Z24S8 = BY_NAME["Z24_UNORM_S8_UINT"].number
_CHANNELS = "RGBA"


def _is_bytes(type_: PixelType) -> bool:
    return type_.kind == "packed" and type_.widths == (8, 8, 8, 8)


# -- the program's image to R8G8B8A8 ---------------------------------------------------------------


def _order_of(format: PixelFormat, type_: PixelType) -> int:
    """Byte orders of pixels that are bytes: four hexadecimal digits say from which byte R (lowest),
    G, B and A come, 4: it is 0, 5: it is 255; bytes a pixel << 16. 0: not bytes."""
    if format.kind != "color":
        return 0
    channels = format.channels
    if _is_bytes(type_):
        channels = channels if type_.reverse else channels[::-1]
    elif (type_.kind, type_.bytes) != ("u", 1):
        return 0
    out = 0
    for n, c in enumerate(_CHANNELS):
        at = channels.find("L") if "L" in channels and c != "A" else channels.find(c)
        out |= (at if at >= 0 else 5 if c == "A" else 4) << 4 * n
    return out | len(channels) << 16


ORDERS = [_order_of(f, t) for f in FORMATS for t in TYPES]


def reorder(b: Builder, words: Any, order: Value) -> Any:
    """Words (u32, a vector or one) with their bytes as `order` says (see ORDERS)."""
    out = None
    for n in range(4):
        digit = (order >> (4 * n)) & 15
        shift = (digit & 3) * 8
        keep = b.select(digit < 4, b.const(u32, 0xFF), 0)
        ones = b.select(digit == 5, b.const(u32, 0xFF << 8 * n), 0)
        part = (((words >> b.coerce(shift, words.ty)) & keep) << (8 * n)) | ones
        out = part if out is None else out | part
    return out


def load_words(b: Builder, place: Pointer, size: int) -> Any:
    """16 pixels of one to four bytes as words (u32), whose upper bytes may be anything."""
    if size != 3:
        ty = {1: u8, 2: u16, 4: u32}[size]
        return b.cast(place.cast(ptr(ty)).load(ty.vec(LANES), align=1), u32)
    low, high = place.load(u8.vec(32), align=1), (place + 16).load(u8.vec(32), align=1)
    both = b.shuffle(low, high, [*range(32), *range(48, 64), *[-1] * 16])
    spread = b.shuffle(both, None, [3 * (n // 4) + min(n % 4, 2) for n in range(64)])
    return b.bitcast(spread, U32X16)


def narrow_words(b: Builder, words: Pointer, size: int) -> Any:
    """16 words as what lies in memory of pixels of one to four bytes."""
    if size == 3:
        lanes = [4 * pixel + c for pixel in range(LANES) for c in range(3)]
        return b.shuffle(b.bitcast(words, u8.vec(64)), None, lanes)
    return b.cast(words, {1: u8, 2: u16, 4: u32}[size])


@kernel(void, (ptr(u32), ptr(u8), u32, u32, u32), noinline=True, noalias=(0, 1))
def px_bytes(b: Builder, out: Pointer, src: Pointer, count: Value, order: Value,
             size: Value) -> None:  # fmt: skip
    """Pixels of `size` bytes in some order as R8G8B8A8."""
    with b.If((order == 0x3210) & (size == 4)):
        b.memcpy(out, src, b.cast(count, u64) * 4)
        b.Return()
    done = b.var(u32, 0)

    def sweep(bytes_: int, load: Any) -> None:
        with b.If(size == bytes_), b.While(lambda: done.value + LANES <= count):
            v = load(b.bytes_from(src, done.value * bytes_, u8))
            (out + done.value).store(reorder(b, v, order), align=4)
            done.value = done.value + LANES

    for bytes_ in range(1, 5):
        sweep(bytes_, lambda place, n=bytes_: load_words(b, place, n))
    with b.For(done.value, count) as i:
        place = b.bytes_from(src, i * size, u8)
        word = b.const(u32, 0)
        for n in range(4):
            word = word | (b.cast(place[b.min(size - 1, n)], u32) << (8 * n))
        out[i] = reorder(b, word, order)


# -- a surface of bytes to the program's memory ----------------------------------------------------

_READ_TYPES = {("u", 1): u8, ("u", 2): u16, ("u", 4): u32, ("f", 4): f32}
_ELEMENTS = tuple(_READ_TYPES.values())


def _read_code(format: PixelFormat, type_: PixelType) -> int:
    """What px_read_bytes makes of a format and a type: a hexadecimal digit for each component says
    its channel (R is 0); 1 + the place in _ELEMENTS << 16, components << 20. 0: not this way."""
    if error_of(format.enum, type_.enum) or format.kind != "color" or "L" in format.channels:
        return 0
    channels = format.channels
    element = _READ_TYPES.get((type_.kind, type_.bytes))
    if _is_bytes(type_):
        element, channels = u8, channels if type_.reverse else channels[::-1]
    if element is None:
        return 0
    digits = sum(_CHANNELS.index(c) << 4 * n for n, c in enumerate(channels))
    return digits | (_ELEMENTS.index(element) + 1) << 16 | len(channels) << 20


_READ_CODES = [_read_code(f, t) for f in FORMATS for t in TYPES]


def _elements(b: Builder, planes: list[Any], element: Any) -> Any:
    """Planes of bytes (u32x16) as pixels of components of a type: see store_parts."""
    n = len(planes)
    if element is u8:
        word = planes[0]
        for k, plane in enumerate(planes[1:], 1):
            word = word | (plane << (8 * k))
        return narrow_words(b, word, n)
    if element is f32:
        return interleave(b, [fraction(b, b.cast(p, i32), 8) for p in planes])
    repeat = 0x101 if element is u16 else 0x1010101
    return interleave(b, [b.cast(p * repeat, element) for p in planes])


@kernel(void, (*ROWS, u32), noinline=True, noalias=(0, 1))
def px_read_bytes(b: Builder, dst: Pointer, src: Pointer, count: Value, rows: Value,
                  dst_step: Value, src_step: Value, order: Value, code: Value) -> None:  # fmt: skip
    """Rows of a surface of SURFACE_ORDERS as _READ_CODES says."""
    shifts, ones = [], b.var(u32, 0)
    for n in range(4):
        channel = (code >> (4 * n)) & 15
        digit = (order >> (channel * 4)) & 15
        shifts.append(b.splat(b.min(digit, 3) * 8, LANES))
        with b.If(digit == 5):
            ones.value = b.const(u32, 0xFF000000)
    filled = b.splat(ones.value, LANES)
    with b.Switch((code >> 16) & 0xFF) as s:
        for n in range(1, 5):
            for e, element in enumerate(_ELEMENTS):

                def convert(place: Any, n: int = n, element: Any = element) -> Any:
                    v = place.cast(ptr(u32)).load(U32X16, align=4) | filled
                    return _elements(b, [(v >> shifts[k]) & 0xFF for k in range(n)], element)

                with s.Case((e + 1) | n << 4):
                    size = n * element.size
                    copy_rows(b, dst, src, count, rows, dst_step, src_step, 4, size, convert)


# -- stencil values --------------------------------------------------------------------------------

#: what pixels of Z24_UNORM_S8_UINT become, by kind of format and number of type
_ZS_TYPES: dict[tuple[str, int], tuple[int, Any]] = {}


def _stencil(row: PixelType) -> Any:
    element = {1: u8, 2: u16, 4: u32}[row.bytes]

    def convert(b: Builder, v: Any) -> Any:
        v = v >> 24
        return b.cast(b.cast(v, i32), f32) if row.kind == "f" else b.cast(v, element)

    return convert


def _turned(b: Builder, v: Any) -> Value:
    return (v << 8) | (v >> 24)


def _depth_and_stencil(b: Builder, v: Any) -> Any:
    depth = b.bitcast(fraction(b, b.cast(v & 0xFFFFFF, i32), 24), U32X16)
    return interleave(b, [depth, v >> 24])


for _n, _row in enumerate(TYPES):
    if _row.kind in ("u", "i") or (_row.kind, _row.bytes) == ("f", 4):
        _ZS_TYPES["stencil", _n] = (_row.bytes, _stencil(_row))
    elif _row.kind == "z24s8":
        _ZS_TYPES["both", _n] = (4, _turned)
    elif _row.kind == "z32fs8":
        _ZS_TYPES["both", _n] = (8, _depth_and_stencil)

_ZS_KERNELS = {
    key: stamp_kernel(f"px_read_{key[0]}{key[1]}", 4, size, convert)
    for key, (size, convert) in _ZS_TYPES.items()
}
#: the words themselves
px_zs_words = stamp_kernel("px_zs_words", 4, 4, lambda b, v: v)


def same_words(b: Builder, ctx: GLContext, surface: Surface, stencil: Value, both: Value) -> Value:
    """Whether pixels of kind stencil, or both, are words of a surface as they lie there."""
    words = (surface.format == Z24S8) & (surface.layout != 0)
    return words & stencil_stays(b, ctx) & (stencil | (both & depth_stays(b, ctx)))


# -- glReadPixels ----------------------------------------------------------------------------------


@kernel(u32, (ptr(GLContext), ptr(Surface), ptr(u32), ptr(u8), *[i64] * 6), noinline=True)
def px_read_direct(b: Builder, ctx: GLContext, surface: Surface, numbers: Pointer, dst: Pointer,
                   x0: Value, x1: Value, y: Value, rows: Value, step: Value,
                   down: Value) -> None:  # fmt: skip
    """Columns [x0, x1) of rows y, y + down, ... of a surface to memory, if they are bytes or words
    there that need no arithmetic; 0: they do. Transfer operations leave colours as they are."""
    f, t = numbers[0], numbers[1]
    pitch = b.cast(surface.stride, i64)
    code = b.table(u32, _READ_CODES)[f * len(TYPES) + t]
    order = b.var(u32, 0)
    with b.Switch(surface.format) as s:
        for number, digits in SURFACE_ORDERS.items():
            with s.Case(number):
                order.value = digits
    with b.If((code != 0) & (order.value != 0) & (surface.layout == 0)):
        first = b.bytes_from(surface.data, y * pitch + x0 * 4, u8)
        b.call(px_read_bytes, dst, first, x1 - x0, rows, step, down * pitch, order.value, code)
        b.Return(1)
    kinds = [b.const(boolean, 0)] * 2
    for n, row in enumerate(FORMATS):
        if row.kind in ("stencil", "both"):
            kinds[row.kind == "both"] = kinds[row.kind == "both"] | (f == n)
    samples = b.cast(b.max(surface.samples, 1), i64)
    with b.If(same_words(b, ctx, surface, *kinds)), b.Switch(t) as s:
        for (_, n), copy in _ZS_KERNELS.items():
            with s.Case(n):
                b.call(copy, dst, surface.data, x0, x1, y, rows, step, pitch, down, samples)
                b.Return(1)
    b.Return(0)


__all__ = [
    "ORDERS", "SURFACE_ORDERS", "Z24S8", "load_words", "narrow_words", "px_bytes", "px_read_direct",
    "px_zs_words", "reorder", "same_words",
]
