# SPDX-License-Identifier: MIT
"""glReadPixels in Python: the definition, for every format and type (GL 2.1, 4.3.2).

In: a rectangle, format, type, the program's pointer and the GL_PACK_* state. Out: pixels there, or
a GL error. Colours are taken as floats (fixed-point values divided by 2^n - 1), reordered or summed
(luminance), and packed by the rules of table 4.7: clamp to the type's range, scale, round to
nearest. Depth and stencil likewise. Only memory of pixels within the framebuffer is touched. Slow
and plain: what programs do every frame is in read_kernels.py. numpy is imported on first use.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api import enums as gl
from pydri.api.dispatch import GLError
from pydri.pipe.format import FORMATS, Format
from pydri.pipe.native import Surface

if TYPE_CHECKING:
    import numpy as np

    Arr = np.ndarray[Any, Any]

#: format -> channels of RGBA in memory order ("L" is R + G + B)
COLOR_FORMATS = {
    gl.GL_RED: "R",
    gl.GL_GREEN: "G",
    gl.GL_BLUE: "B",
    gl.GL_ALPHA: "A",
    gl.GL_RG: "RG",
    gl.GL_RGB: "RGB",
    gl.GL_BGR: "BGR",
    gl.GL_RGBA: "RGBA",
    gl.GL_BGRA: "BGRA",
    gl.GL_ABGR_EXT: "ABGR",
    gl.GL_LUMINANCE: "L",
    gl.GL_LUMINANCE_ALPHA: "LA",
}
DEPTH_FORMATS = (gl.GL_DEPTH_COMPONENT, gl.GL_DEPTH_STENCIL)
STENCIL_FORMATS = (gl.GL_STENCIL_INDEX, gl.GL_DEPTH_STENCIL)
INDEX_FORMATS = (gl.GL_COLOR_INDEX,)
#: type -> numpy name
TYPES = {
    gl.GL_UNSIGNED_BYTE: "u1",
    gl.GL_BYTE: "i1",
    gl.GL_UNSIGNED_SHORT: "u2",
    gl.GL_SHORT: "i2",
    gl.GL_UNSIGNED_INT: "u4",
    gl.GL_INT: "i4",
    gl.GL_FLOAT: "f4",
    gl.GL_HALF_FLOAT: "f2",
}
#: packed type -> (numpy name, bits of the components from the highest bit down, reversed order)
PACKED = {
    gl.GL_UNSIGNED_BYTE_3_3_2: ("u1", (3, 3, 2), False),
    gl.GL_UNSIGNED_BYTE_2_3_3_REV: ("u1", (3, 3, 2), True),
    gl.GL_UNSIGNED_SHORT_5_6_5: ("u2", (5, 6, 5), False),
    gl.GL_UNSIGNED_SHORT_5_6_5_REV: ("u2", (5, 6, 5), True),
    gl.GL_UNSIGNED_SHORT_4_4_4_4: ("u2", (4, 4, 4, 4), False),
    gl.GL_UNSIGNED_SHORT_4_4_4_4_REV: ("u2", (4, 4, 4, 4), True),
    gl.GL_UNSIGNED_SHORT_5_5_5_1: ("u2", (5, 5, 5, 1), False),
    gl.GL_UNSIGNED_SHORT_1_5_5_5_REV: ("u2", (5, 5, 5, 1), True),
    gl.GL_UNSIGNED_INT_8_8_8_8: ("u4", (8, 8, 8, 8), False),
    gl.GL_UNSIGNED_INT_8_8_8_8_REV: ("u4", (8, 8, 8, 8), True),
    gl.GL_UNSIGNED_INT_10_10_10_2: ("u4", (10, 10, 10, 2), False),
    gl.GL_UNSIGNED_INT_2_10_10_10_REV: ("u4", (10, 10, 10, 2), True),
}


class Pack(NamedTuple):
    """GL_PACK_* state."""

    alignment: int = 4
    row_length: int = 0
    skip_rows: int = 0
    skip_pixels: int = 0
    image_height: int = 0
    skip_images: int = 0
    swap_bytes: int = 0
    lsb_first: int = 0


def check(format: int, type_: int, zs: Format | None, has_color: bool) -> None:
    """The errors of GL 2.1, 4.3.2, in Mesa's order: enums, then combinations, then buffers."""
    known = format in COLOR_FORMATS or format in DEPTH_FORMATS + STENCIL_FORMATS + INDEX_FORMATS
    if not known:
        raise GLError(gl.GL_INVALID_ENUM, f"format={gl.name_of(format)}")
    both = (gl.GL_UNSIGNED_INT_24_8, gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV)
    if type_ not in TYPES and type_ not in PACKED and type_ not in (*both, gl.GL_BITMAP):
        raise GLError(gl.GL_INVALID_ENUM, f"type={gl.name_of(type_)}")
    if type_ == gl.GL_BITMAP and format not in (gl.GL_STENCIL_INDEX, gl.GL_COLOR_INDEX):
        raise GLError(gl.GL_INVALID_ENUM, "GL_BITMAP is for indices")
    if (format == gl.GL_DEPTH_STENCIL) != (type_ in both):
        wrong = gl.GL_INVALID_ENUM if format == gl.GL_DEPTH_STENCIL else gl.GL_INVALID_OPERATION
        raise GLError(wrong, f"{gl.name_of(format)} with {gl.name_of(type_)}")
    if type_ in PACKED:
        wanted = len(PACKED[type_][1])
        channels = COLOR_FORMATS.get(format, "")
        if len(channels) != wanted or (wanted == 3 and channels != "RGB"):
            raise GLError(gl.GL_INVALID_OPERATION, f"{gl.name_of(type_)} with {gl.name_of(format)}")
    if format == gl.GL_COLOR_INDEX:
        raise GLError(gl.GL_INVALID_OPERATION, "the framebuffer holds colours, not indices")
    if format in COLOR_FORMATS and not has_color:
        raise GLError(gl.GL_INVALID_OPERATION, "no read buffer")
    kinds = [kind for kind, _ in zs.channels] if zs is not None else []
    if format in DEPTH_FORMATS and not (zs is not None and zs.swizzle[:1] == "0"):
        raise GLError(gl.GL_INVALID_OPERATION, "no depth buffer")
    if format in STENCIL_FORMATS and "us" not in kinds:
        raise GLError(gl.GL_INVALID_OPERATION, "no stencil buffer")


def read_pixels(
    native: Any, pipe: Any, box: tuple[int, int, int, int], format: int, type_: int, pixels: int
) -> None:
    """Read from the read framebuffer of a native GLContext (a ctypes view) to `pixels`."""
    x, y, width, height = box
    if width < 0 or height < 0:
        raise GLError(gl.GL_INVALID_VALUE, f"{width} x {height}")
    fb = native.read
    zs = FORMATS[Surface.view(fb.zsbuf).format] if fb.zsbuf else None
    check(format, type_, zs, bool(fb.cbuf))
    x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + width, fb.width), min(y + height, fb.height)
    if x0 >= x1 or y0 >= y1:
        return
    address = int(fb.cbuf if format in COLOR_FORMATS else fb.zsbuf)
    pipe.resolve(address)
    surface = Surface.view(address)
    words = load_words(surface, bool(fb.flip_y), fb.height, (x0, y0, x1, y1))
    pack = Pack(*native.raw.pack)
    if type_ == gl.GL_BITMAP:
        store_bitmap(pixels, pack, width, (x0 - x, y0 - y), stencil_of(words, surface.format))
        return
    elements = convert(words, FORMATS[surface.format], format, type_)
    if pack.swap_bytes:
        elements = elements.byteswap()
    store(pixels, pack, width, (x0 - x, y0 - y), elements)


# -- the surface -----------------------------------------------------------------------------------


def load_words(surface: Any, flip: bool, height: int, box: tuple[int, int, int, int]) -> Arr:
    """The box's pixels as unsigned words (rows from the bottom up as GL counts, columns)."""
    import numpy as np

    x0, y0, x1, y1 = box
    size = FORMATS[surface.format].bytes
    lines = -(-surface.height // 4) * 4 if surface.layout else surface.height
    memory = (ctypes.c_uint8 * (surface.stride * lines)).from_address(surface.data)
    pixels = np.frombuffer(memory, f"<u{size}")
    samples = max(surface.samples, 1)
    columns = surface.stride // (size * samples)
    if surface.layout:  # stamps: 16 neighbours of 4x4 pixels; of several samples the first
        stamps = pixels.reshape(lines // 4, columns // 4, samples, 4, 4)[:, :, 0]
        rows = stamps.transpose(0, 2, 1, 3).reshape(lines, columns)
    else:
        rows = pixels.reshape(lines, columns)
    part = rows[height - y1 : height - y0][::-1] if flip else rows[y0:y1]
    return np.ascontiguousarray(part[:, x0:x1])


def _field(words: Arr, row: Format, n: int) -> tuple[Arr, str, int]:
    """Channel `n` of packed words: bits, kind and width."""
    import numpy as np

    shift = sum(bits for _, bits in row.channels[:n])
    kind, bits = row.channels[n]
    mask = np.uint64((1 << bits) - 1)
    return (words.astype(np.uint64) >> np.uint64(shift)) & mask, kind, bits


def colors_of(words: Arr, row: Format) -> Arr:
    """RGBA as float64, (rows, columns, 4)."""
    import numpy as np

    out = np.zeros((*words.shape, 4))
    for n, pick in enumerate(row.swizzle):
        if pick in "zo":
            out[..., n] = pick == "o"
            continue
        raw, _, bits = _field(words, row, int(pick))
        out[..., n] = raw / ((1 << bits) - 1)
    return out


def depth_of(words: Arr, format: int) -> Arr:
    """Depth as float64 in [0, 1]."""
    import numpy as np

    raw, kind, bits = _field(words, FORMATS[format], 0)
    if kind == "f":
        return raw.astype(np.uint32).view(np.float32).astype(np.float64)
    return raw / ((1 << bits) - 1)


def stencil_of(words: Arr, format: int) -> Arr:
    """Stencil values."""
    row = FORMATS[format]
    n = next(n for n, (kind, _) in enumerate(row.channels) if kind == "us")
    return _field(words, row, n)[0]


# -- conversion ------------------------------------------------------------------------------------


def quantise(values: Arr, name: str) -> Arr:
    """Floats to a component type (GL 2.1, table 4.7): clamp, scale, round to nearest."""
    import numpy as np

    kind, bits = name[0], 8 * int(name[1])
    if kind == "f":
        return values.astype(f"<{name}")
    if kind == "u":
        scaled = np.clip(values, 0.0, 1.0) * float((1 << bits) - 1)
        return np.floor(scaled + 0.5).clip(0, (1 << bits) - 1).astype(np.uint64).astype(f"<{name}")
    # c = ((2^n - 1) f - 1) / 2
    scaled = (np.clip(values, -1.0, 1.0) * float((1 << bits) - 1) - 1.0) * 0.5
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    return np.rint(scaled).clip(low, high).astype(np.int64).astype(f"<{name}")


def _pack_words(values: Arr, type_: int) -> Arr:
    import numpy as np

    name, widths, reverse = PACKED[type_]
    total = np.zeros(values.shape[:2], np.uint64)
    shift = 0 if reverse else sum(widths)
    for n, bits in enumerate(widths):
        if not reverse:
            shift -= bits
        top = float((1 << bits) - 1)
        q = np.floor(np.clip(values[..., n], 0.0, 1.0) * top + 0.5).astype(np.uint64)
        total |= q << np.uint64(shift)
        if reverse:
            shift += bits
    return total.astype(f"<{name}")[..., None]


def convert(words: Arr, row: Format, format: int, type_: int) -> Arr:
    """Pixels as elements of the type, (rows, columns, elements a pixel)."""
    import numpy as np

    if format == gl.GL_DEPTH_STENCIL:
        return _depth_stencil(words, row, type_)
    if format == gl.GL_STENCIL_INDEX:
        raw = stencil_of(words, row.number)
        return raw.astype(f"<{TYPES[type_]}")[..., None]
    if format == gl.GL_DEPTH_COMPONENT:
        return quantise(depth_of(words, row.number), TYPES[type_])[..., None]
    rgba = colors_of(words, row)
    parts = []
    for letter in COLOR_FORMATS[format]:
        if letter == "L":
            parts.append(rgba[..., :3].sum(axis=-1))
        else:
            parts.append(rgba[..., "RGBA".index(letter)])
    values = np.stack(parts, axis=-1)
    return _pack_words(values, type_) if type_ in PACKED else quantise(values, TYPES[type_])


def _depth_stencil(words: Arr, row: Format, type_: int) -> Arr:
    import numpy as np

    stencil = stencil_of(words, row.number).astype(np.uint32)
    depth = depth_of(words, row.number)
    if type_ == gl.GL_UNSIGNED_INT_24_8:
        z = np.floor(np.clip(depth, 0.0, 1.0) * 0xFFFFFF + 0.5).astype(np.uint32)
        return (z << np.uint32(8) | stencil)[..., None]
    z = depth.astype(np.float32).view(np.uint32)
    return np.stack([z, stencil], axis=-1)


# -- the program's memory --------------------------------------------------------------------------


def row_bytes(pack: Pack, width: int, pixel: int) -> int:
    """Bytes from a row to the next (GL 2.1, 3.6.4, equation 3.13)."""
    length = pack.row_length if pack.row_length > 0 else width
    return -(-length * pixel // pack.alignment) * pack.alignment


def store(pixels: int, pack: Pack, width: int, at: tuple[int, int], elements: Arr) -> None:
    """Copy rows to where the pack parameters say; `at` is the first pixel within the rectangle."""
    import numpy as np

    rows, columns = elements.shape[:2]
    pixel = elements.itemsize * elements.shape[2]
    step = row_bytes(pack, width, pixel)
    first = pixels + (pack.skip_rows + at[1]) * step + (pack.skip_pixels + at[0]) * pixel
    data = np.ascontiguousarray(elements)
    source, size = int(data.ctypes.data), columns * pixel
    for n in range(rows):
        ctypes.memmove(first + n * step, source + n * size, size)


def store_bitmap(pixels: int, pack: Pack, width: int, at: tuple[int, int], values: Arr) -> None:
    """One bit a pixel, the lowest of the index (GL 2.1, 4.3.2): bits of bytes, from the first."""
    length = pack.row_length if pack.row_length > 0 else width
    step = -(-length // (8 * pack.alignment)) * pack.alignment
    for n, row in enumerate(values.tolist()):
        base = pixels + (pack.skip_rows + at[1] + n) * step
        for i, value in enumerate(row):
            place, bit = divmod(pack.skip_pixels + at[0] + i, 8)
            mask = 1 << bit if pack.lsb_first else 0x80 >> bit
            cell = ctypes.c_uint8.from_address(base + place)
            cell.value = cell.value | mask if value & 1 else cell.value & ~mask


__all__ = ["Pack", "check", "convert", "load_words", "read_pixels", "row_bytes", "store"]
