# SPDX-License-Identifier: MIT
"""Images of the program's memory as numbers, and GL's transfer operations on them (GL 2.1, 3.6.4,
3.6.5).

In: memory under GL_UNPACK_*, a format and a type; scale, bias, shift, offset and the pixel maps of
the context. Out: RGBA, depth (both floats within [0, 1]) or stencil values, as (rows, columns, ...)
arrays with the bottom row first. Mesa: main/pack.c, main/pixeltransfer.c.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.api.dispatch import GLError
from pydri.main.pixel import pixel_map
from pydri.st.readpix import COLOR_FORMATS, PACKED, TYPES, Pack, row_bytes

if TYPE_CHECKING:
    import numpy as np

    Arr = np.ndarray[Any, Any]

STENCIL_BITS = 0xFF
_TO_COLOR = (
    gl.GL_PIXEL_MAP_I_TO_R, gl.GL_PIXEL_MAP_I_TO_G, gl.GL_PIXEL_MAP_I_TO_B, gl.GL_PIXEL_MAP_I_TO_A
)  # fmt: skip
_OF_COLOR = (
    gl.GL_PIXEL_MAP_R_TO_R, gl.GL_PIXEL_MAP_G_TO_G, gl.GL_PIXEL_MAP_B_TO_B, gl.GL_PIXEL_MAP_A_TO_A
)  # fmt: skip


def check_index_type(type_: int) -> None:
    """The types of GL_COLOR_INDEX."""
    if type_ not in TYPES and type_ != gl.GL_BITMAP:
        wrong = gl.GL_INVALID_OPERATION if type_ in PACKED else gl.GL_INVALID_ENUM
        raise GLError(wrong, f"GL_COLOR_INDEX with {gl.name_of(type_)}")


# -- memory ----------------------------------------------------------------------------------------


def load_bits(pixels: int, pack: Pack, width: int, height: int) -> Arr:
    """A bitmap as zeros and ones."""
    import numpy as np

    length = pack.row_length if pack.row_length > 0 else width
    step = -(-length // (8 * pack.alignment)) * pack.alignment
    used = (pack.skip_pixels + width + 7) // 8
    first = pixels + pack.skip_rows * step
    data = b"".join(ctypes.string_at(first + n * step, used) for n in range(height))
    order: Any = "little" if pack.lsb_first else "big"
    bits = np.unpackbits(np.frombuffer(data, np.uint8).reshape(height, used), axis=1,
                         bitorder=order)
    return bits[:, pack.skip_pixels : pack.skip_pixels + width]


def _elements(format: int, type_: int) -> tuple[str, int]:
    """numpy name of an element, and elements a pixel."""
    if type_ in PACKED:
        return PACKED[type_][0], 1
    if type_ == gl.GL_UNSIGNED_INT_24_8:
        return "u4", 1
    if type_ == gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV:
        return "u4", 2
    return TYPES[type_], len(COLOR_FORMATS.get(format, "1"))


def load_image(pixels: int, pack: Pack, size: tuple[int, int], format: int, type_: int) -> Arr:
    """The elements of an image, (rows, columns, elements a pixel), as they lie in memory."""
    import numpy as np

    width, height = size
    if type_ == gl.GL_BITMAP:
        return load_bits(pixels, pack, width, height)[..., None]
    name, count = _elements(format, type_)
    pixel = int(name[1]) * count
    step = row_bytes(pack, width, pixel)
    first = pixels + pack.skip_rows * step + pack.skip_pixels * pixel
    data = b"".join(ctypes.string_at(first + n * step, width * pixel) for n in range(height))
    elements = np.frombuffer(data, f"<{name}").reshape(height, width, count)
    return elements.byteswap() if pack.swap_bytes else elements


def _unit(values: Arr) -> Arr:
    """Components as floats (GL 2.1, table 2.9)."""
    import numpy as np

    kind, bits = values.dtype.kind, 8 * values.dtype.itemsize
    if kind == "f":
        return np.nan_to_num(values.astype(np.float64))
    top = float((1 << bits) - 1)
    wide = values.astype(np.float64)
    return (2.0 * wide + 1.0) / top if kind == "i" else wide / top


def _unpacked(words: Arr, type_: int) -> Arr:
    """Components of a packed type as floats."""
    import numpy as np

    _, widths, reverse = PACKED[type_]
    wide = words[..., 0].astype(np.uint64)
    parts = []
    shift = 0 if reverse else sum(widths)
    for bits in widths:
        shift -= 0 if reverse else bits
        parts.append((wide >> np.uint64(shift) & np.uint64((1 << bits) - 1)) / ((1 << bits) - 1))
        shift += bits if reverse else 0
    return np.stack(parts, axis=-1)


def _indices(values: Arr) -> Arr:
    import numpy as np

    return np.nan_to_num(values[..., 0].astype(np.float64)).clip(-(2.0**31), 2.0**32).astype(
        np.int64
    )


# -- transfer --------------------------------------------------------------------------------------


def colors(ctx: Any, image: Arr, format: int, type_: int) -> Arr:
    """An image of a colour format, or of colour indices, as RGBA."""
    import numpy as np

    if format == gl.GL_COLOR_INDEX:
        index = _shifted(ctx.n, _indices(image))
        tables = [np.array(pixel_map(ctx, which)) for which in _TO_COLOR]
        return np.stack([table[index & len(table) - 1] for table in tables], axis=-1)
    values = _unpacked(image, type_) if type_ in PACKED else _unit(image)
    rgba = np.zeros((*image.shape[:2], 4))
    rgba[..., 3] = 1.0
    for n, letter in enumerate(COLOR_FORMATS[format]):
        if letter == "L":
            rgba[..., :3] = values[..., n, None]
        else:
            rgba[..., "RGBA".index(letter)] = values[..., n]
    return transfer_colors(ctx, rgba)


def transfer_colors(ctx: Any, rgba: Arr) -> Arr:
    """Scale, bias and maps, then clamped."""
    import numpy as np

    raw = ctx.n.raw
    out = (rgba * np.array(raw.pixel_scale[:4]) + np.array(raw.pixel_bias[:4])).clip(0.0, 1.0)
    if raw.map_color:
        for n, which in enumerate(_OF_COLOR):
            table = np.array(pixel_map(ctx, which))
            out[..., n] = table[np.rint(out[..., n] * (len(table) - 1)).astype(np.int64)]
    return out


def depth(n: Any, image: Arr, type_: int) -> Arr:
    """An image of depths."""
    import numpy as np

    if type_ == gl.GL_UNSIGNED_INT_24_8:
        values = (image[..., 0] >> np.uint32(8)) / float(0xFFFFFF)
    elif type_ == gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV:
        values = _unit(np.ascontiguousarray(image[..., 0]).view(np.float32))
    else:
        values = _unit(image[..., 0])
    return transfer_depth(n, values)


def transfer_depth(n: Any, values: Arr) -> Arr:
    """Scale and bias, then clamped."""
    return (values * n.raw.pixel_scale[4] + n.raw.pixel_bias[4]).clip(0.0, 1.0)


def stencil(ctx: Any, image: Arr, type_: int) -> Arr:
    """An image of stencil values."""
    values = _indices(image[..., -1:])
    packed = (gl.GL_UNSIGNED_INT_24_8, gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV)
    return transfer_stencil(ctx, values & STENCIL_BITS if type_ in packed else values)


def transfer_stencil(ctx: Any, values: Arr) -> Arr:
    """Shift, offset and the map, then the bits that a stencil buffer has."""
    import numpy as np

    values = _shifted(ctx.n, values)
    if ctx.n.raw.map_stencil:
        table = np.array(pixel_map(ctx, gl.GL_PIXEL_MAP_S_TO_S)).astype(np.int64)
        values = table[values & len(table) - 1]
    return values & STENCIL_BITS


def _shifted(n: Any, values: Arr) -> Arr:
    shift = max(-63, min(63, n.raw.index_shift))
    return (values << shift if shift >= 0 else values >> -shift) + n.raw.index_offset


__all__ = [
    "check_index_type", "colors", "depth", "load_bits", "load_image", "stencil", "transfer_colors",
    "transfer_depth", "transfer_stencil",
]
