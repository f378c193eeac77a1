# SPDX-License-Identifier: MIT
"""Native glPixelTransfer, glPixelStore and glPixelZoom (GL 2.1, 3.6.3, 3.6.1, 3.6.5).

In: parameters. Out: the transfer and store parameters in `raw` (and `pixel.pack_invert`). Mesa:
main/pixel.c, main/pixelstore.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pydri.api.enums as gl
from pydri.api.where import In, on_desktop
from pydri.jit import f32, i32, kernel, u8, u32, void
from pydri.main.kernels import (
    CTX,
    fail,
    native,
    one_of,
    record_error,
    update,
    where,
)
from pydri.main.rows import row_finder

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext

_CHANNELS = ("RED", "GREEN", "BLUE", "ALPHA", "DEPTH")
#: the place that glPixelTransfer's name stands for
TRANSFER: dict[int, str] = {
    gl.GL_MAP_COLOR: "raw.map_color",
    gl.GL_MAP_STENCIL: "raw.map_stencil",
    gl.GL_INDEX_SHIFT: "raw.index_shift",
    gl.GL_INDEX_OFFSET: "raw.index_offset",
    **{getattr(gl, f"GL_{c}_SCALE"): f"raw.pixel_scale[{n}]" for n, c in enumerate(_CHANNELS)},
    **{getattr(gl, f"GL_{c}_BIAS"): f"raw.pixel_bias[{n}]" for n, c in enumerate(_CHANNELS)},
}


@kernel(void, (CTX, u32, f32, i32, u32), noinline=True)
def pixel_transfer(b: Any, ctx: GLContext, pname: Value, number: Value, whole: Value,
                   where: Value) -> None:  # fmt: skip
    """One parameter, given as both kinds of number."""
    b.gl_slot = where
    with b.Switch(pname) as s:
        for enum, path in TRANSFER.items():
            with s.Case(enum):
                if path.startswith("raw.map_"):
                    value = b.select(number != 0.0, b.const(u8, 1), 0)
                else:
                    value = whole if path.startswith("raw.index_") else number
                update(b, ctx, [(path, value)])
        with s.Default():
            record_error(b, ctx, gl.GL_INVALID_ENUM)


@native
def glPixelTransferf(b: Any, ctx: GLContext, pname: Value, param: Value) -> None:
    b.call(pixel_transfer, ctx, pname, param, b.cast(param, i32), b.gl_slot)


@native
def glPixelTransferi(b: Any, ctx: GLContext, pname: Value, param: Value) -> None:
    b.call(pixel_transfer, ctx, pname, b.cast(param, f32), param, b.gl_slot)


# -- pixel store ----------------------------------------------------------------------------------


class Store(NamedTuple):
    """One pixel store parameter: name, path, and whether it is a flag."""

    enum: int
    path: str
    flag: bool = False
    where: In | None = None


PIXEL_STORE: tuple[Store, ...] = tuple(
    Store(getattr(gl, f"GL_{upper}_{name}"), f"raw.{lower}[{n}]", n > 5)
    for upper, lower in (("PACK", "pack"), ("UNPACK", "unpack"))
    for n, name in enumerate(
        (
            "ALIGNMENT",
            "ROW_LENGTH",
            "SKIP_ROWS",
            "SKIP_PIXELS",
            "IMAGE_HEIGHT",
            "SKIP_IMAGES",
            "SWAP_BYTES",
            "LSB_FIRST",
        )
    )
) + tuple(
    Store(getattr(gl, f"GL_{upper}_COMPRESSED_BLOCK_{name}"), f"raw.{upper.lower()}_blocks[{n}]")
    for upper in ("PACK", "UNPACK")
    for n, name in enumerate(("WIDTH", "HEIGHT", "DEPTH", "SIZE"))
)


#: names of the switch that turns rows round when they are packed
_INVERT = (
    Store(gl.GL_PACK_INVERT_MESA, "pixel.pack_invert", True, on_desktop("MESA_pack_invert")),
    Store(gl.GL_PACK_REVERSE_ROW_ORDER_ANGLE, "pixel.pack_invert", True),
)
_store = row_finder("pixel_store_name", (*PIXEL_STORE, *_INVERT))


@kernel(void, (CTX, u32, i32, u32), noinline=True)
def pixel_store(b: Builder, ctx: GLContext, pname: Value, param: Value, slot: Value) -> None:
    """glPixelStorei."""
    number = b.call(_store, ctx, pname)
    fail(b, ctx, number < 0, gl.GL_INVALID_ENUM, slot)
    with b.If(number >= len(PIXEL_STORE), likely=False):
        ctx.pixel.pack_invert = b.cast(param != 0, u8)
        b.Return()
    n = b.cast(number, u32)
    kind = b.select(n < 16, n & 7, 1)
    with b.If(kind == 0):
        fail(b, ctx, ~one_of(b, b.cast(param, u32), (1, 2, 4, 8)), gl.GL_INVALID_VALUE, slot)
    with b.Else():
        fail(b, ctx, (kind < 6) & (param < 0), gl.GL_INVALID_VALUE, slot)
    # pack, unpack and those of blocks lie side by side
    (ctx.raw.pack + n).store(b.select(kind >= 6, b.cast(param != 0, i32), param))


@native
def glPixelStorei(b: Builder, ctx: GLContext, pname: Value, param: Value) -> None:
    b.call(pixel_store, ctx, pname, param, where(b))


@native
def glPixelStoref(b: Builder, ctx: GLContext, pname: Value, param: Value) -> None:
    flags = [row.enum for row in (*PIXEL_STORE, *_INVERT) if row.flag]
    value = b.select(
        one_of(b, pname, flags), b.cast(param != 0.0, i32), b.cast(b.floor(param + 0.5), i32)
    )
    b.call(pixel_store, ctx, pname, value, where(b))


@native
def glPixelZoom(b: Builder, ctx: GLContext, x: Value, y: Value) -> None:
    ctx.raw.pixel_zoom[0] = x
    ctx.raw.pixel_zoom[1] = y
