# SPDX-License-Identifier: MIT
"""What is wrong with a call that copies from the read framebuffer to a texture.

In: an ImageCall whose numbers are known (image_check.py), what is read. Out: a GL error or 0, in
the order in which the peer finds them. Mesa: copytexture_error_check and
copytexsubimage_error_check of main/teximage.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import boolean, kernel, u8, u32
from pydri.main.kernels import CTX, is_es, is_null
from pydri.main.textures.es_check import es_copy_refused
from pydri.main.textures.image_check import (
    BLOCKS_ALONE,
    CALL,
    ENUM,
    OPERATION,
    VALUE,
    bad,
    bad_blocks,
    bad_border,
    bad_part_of_blocks,
    bad_target,
    box_beyond,
    exists,
    image_of,
    known,
    level_beyond,
    negative,
    of_dims,
    of_row,
)
from pydri.main.textures.image_tables import (
    CLASS_COLOR,
    CLASS_DEPTH,
    CLASS_STENCIL,
    CLASSES,
    INTEGER,
    ROW_NUMBERS,
)
from pydri.pipe.format import FORMATS as TEXELS
from pydri.pipe.native import CLEAR_DEPTH, CLEAR_STENCIL

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Value
    from pydri.main.layout import GLContext
    from pydri.main.textures.layout import ImageCall


def no_source(b: Builder, ctx: GLContext, row: Operand) -> Any:
    """Whether the read framebuffer has not what an internal format needs."""
    need, fb = of_row(b, row, CLASSES), ctx.read
    depths = [0] * len(TEXELS)
    stencils = [0] * len(TEXELS)
    for fmt in TEXELS:
        if fmt.kind == "zs":
            depths[fmt.number] = int(fmt.swizzle[0] == "0")
            stencils[fmt.number] = int(any(kind == "us" for kind, _ in fmt.channels))
    found = b.var(boolean, ~is_null(fb.cbuf))
    with b.If(need != CLASS_COLOR):
        found.value = ~is_null(fb.zsbuf)
        with b.If(found.value):
            hidden = fb.zs_hidden  # parts that are not attached
            depth = (b.table(u8, depths)[fb.zsbuf.format] != 0) & ((hidden & CLEAR_DEPTH) == 0)
            stencil = b.table(u8, stencils)[fb.zsbuf.format] != 0
            stencil = stencil & ((hidden & CLEAR_STENCIL) == 0)
            found.value = b.select(need == CLASS_DEPTH, depth,
                                   b.select(need == CLASS_STENCIL, stencil, depth & stencil))
    return ~found.value


def integers_read(b: Builder, ctx: GLContext, row: Operand) -> Any:
    """Whether one of an internal format and the colours that are read has whole numbers, and the
    other has not."""
    read, whole = ctx.read.cbuf, b.var(boolean, of_row(b, row, INTEGER) != 0)
    colors = of_row(b, row, CLASSES) == CLASS_COLOR
    with b.If(~is_null(read)):
        given = b.table(u8, [int(fmt.integer) for fmt in TEXELS])[read.format] != 0
        whole.value = whole.value != given
    return colors & whole.value


def samples_read(ctx: Any) -> Any:
    """Whether a framebuffer object with several samples a pixel is read from (GL 4.6, 18.2.1)."""
    return (ctx.read.samples != 0) & ~is_null(ctx.framebuffers.read)


@kernel(u32, (CTX, CALL), noinline=True)
def check_copy_image(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glCopyTexImage, but for its object and the sizes."""
    bad_target(b, call, lambda row, dims: of_dims(row, dims) and dims < 3)
    bad(b, level_beyond(b, ctx, call), VALUE)
    bad(b, is_null(ctx.read.cbuf) & is_null(ctx.read.zsbuf), gl.GL_INVALID_FRAMEBUFFER_OPERATION)
    bad(b, samples_read(ctx), OPERATION)
    bad_border(b, ctx, call)
    bad(b, ~known(call) | (call.internal <= 4), ENUM)
    bad(b, of_row(b, call.row, BLOCKS_ALONE) != 0, ENUM)
    bad(b, no_source(b, ctx, call.row), OPERATION)
    bad(b, is_es(ctx) & b.call(es_copy_refused, ctx, call.row), OPERATION)
    bad(b, integers_read(b, ctx, call.row), OPERATION)
    bad_blocks(b, call)
    return b.const(u32, 0)


@kernel(u32, (CTX, CALL), noinline=True)
def check_copy_sub_image(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glCopyTexSubImage; the object is known."""
    bad(b, is_null(ctx.read.cbuf) & is_null(ctx.read.zsbuf), gl.GL_INVALID_FRAMEBUFFER_OPERATION)
    bad(b, samples_read(ctx), OPERATION)
    bad(b, level_beyond(b, ctx, call), VALUE)
    image = image_of(b, call)
    bad(b, ~exists(image), OPERATION)
    bad(b, negative(call), VALUE)
    bad(b, box_beyond(b, call, image), VALUE)
    bad_part_of_blocks(b, call, image)
    shared = image.row == ROW_NUMBERS[gl.GL_RGB9_E5]  # OpenGL ES 3.2, 8.6
    bad(b, is_es(ctx) & shared, OPERATION)
    bad(b, integers_read(b, ctx, image.row), OPERATION)
    bad(b, no_source(b, ctx, image.row), OPERATION)
    return b.const(u32, 0)


__all__ = ["check_copy_image", "check_copy_sub_image", "samples_read"]
