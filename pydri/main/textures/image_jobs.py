# SPDX-License-Identifier: MIT
"""What is asked of the state tracker for a call with images: its box as a TexTransfer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import u32
from pydri.main.kernels import is_null
from pydri.main.pixels.layout import TexTransfer
from pydri.main.textures import image_tables as tables
from pydri.main.textures.image_check import format_class, of_row, of_target
from pydri.main.textures.image_store import first_image, image_level
from pydri.main.textures.image_tables import TARGETS

if TYPE_CHECKING:
    from pydri.jit import Builder
    from pydri.main.layout import GLContext


def whole_job(b: Builder, call: Any, image: Any) -> Any:
    """A TexTransfer for the call's box of an image."""
    job = b.array(TexTransfer)
    job.pixels, job.resource = call.pixels, image.resource
    job.level = image_level(b, image, b.cast(call.level, u32))
    job.format, job.type, job.dims = call.format_number, call.type_number, call.dims
    job.base, job.slot = of_row(b, image.row, tables.BASES), call.slot
    face = of_target(b, call, [row.face for row in TARGETS])
    for name in ("x", "y", "width", "height", "depth"):
        setattr(job.box, name, b.cast(getattr(call, name), u32))
    job.box.z = b.cast(call.z, u32) + first_image(b, image, face)
    return job


def has_pixels(b: Builder, ctx: GLContext, call: Any) -> Any:
    """Whether there is an image to be read."""
    return ~is_null(call.pixels) | ~is_null(ctx.pixel.unpack_buffer)


def same_class(b: Builder, call: Any, image: Any) -> Any:
    """Whether the program's pixels have what the image holds: colours are no stencil values."""
    colors = format_class(b, call) == tables.CLASS_COLOR
    return colors == (of_row(b, image.row, tables.CLASSES) == tables.CLASS_COLOR)


__all__ = ["has_pixels", "same_class", "whole_job"]
