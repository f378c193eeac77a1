# SPDX-License-Identifier: MIT
"""Native entry points of images: each fills an ImageCall with its arguments and hands it to the one
kernel that does all of them (image_run.py), which is an image of its own (`gl_images`): programs
without textures need not load it.

In: the table OPERATIONS. Out: kernels named as the entry points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api.gl_table import TABLE
from pydri.main.kernels import flush_vertices, is_null, native_as, where
from pydri.main.textures.image_tables import FIELDS, OPERATIONS, Operation
from pydri.main.textures.layout import ImageCall

if TYPE_CHECKING:
    from pydri.main.layout import GLContext

_SIZES = ("width", "height", "depth")


def _field(name: str) -> str:
    return FIELDS.get(name, name)


def _entry(row: Operation) -> Any:
    names = [_field(name) for name, _ in TABLE.row(row.entry).params]

    def body(b: Any, ctx: GLContext, *args: Any) -> None:
        call = b.array(ImageCall)
        given = dict(zip(names, args, strict=True))
        for field in ("name", "other", "target", "level", "internal", "format", "type", "border",
                      "read_x", "read_y", "x", "y", "z", *_SIZES, "size", "samples",
                      "fixed"):  # fmt: skip
            kind = ImageCall.fields[field].type
            value = given.get(field, 0x7FFFFFFF if field == "size" else int(field in _SIZES))
            setattr(call, field, value if isinstance(value, int) else b.cast(value, kind))
        call.operation, call.dims, call.slot = row.number, row.dims, where(b)
        call.by_name = int(row.by_name)
        call.pixels = given["pixels"] if "pixels" in given else b.const(call.pixels.ty, None)
        flush_vertices(b, ctx)
        with b.If(is_null(ctx.images.run), likely=False):
            b.call(ctx.pixel.hook_textures, ctx)
            b.call(ctx.images.hook_load, ctx)
        b.call(ctx.images.run, ctx, call)

    body.__module__ = __name__
    native_as(row.entry, body)


for _row in OPERATIONS:
    _entry(_row)
