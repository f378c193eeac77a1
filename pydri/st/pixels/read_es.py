# SPDX-License-Identifier: MIT
"""What glReadPixels takes in OpenGL ES: which formats and types, from which surfaces.

In: a format and a type, the read framebuffer. Out: the error, 0 for none. OpenGL ES 3.0 has a table
of what each kind of surface is read as (READABLE; 4.3.2), 2.0 takes those of textures, as the peer
does; both take what glGet tells of the surface that is read. Mesa: read_pixels_es3_error_check of
main/readpix.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api import enums as gl
from pydri.api.where import In
from pydri.jit import kernel, u8, u16, u32
from pydri.main.framebuffers.tables import read_as_of
from pydri.main.kernels import CTX, is_null, one_of
from pydri.main.rows import available
from pydri.main.textures.image_check import es_combination
from pydri.pipe.format import FORMATS, Format
from pydri.st.pixels.read import WITH_DEPTH, WITH_STENCIL, holds

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext


class Readable(NamedTuple):
    """A format and a type, and the kinds of surfaces that are read as them (of depths those with
    these letters in their channels)."""

    format: int
    type: int
    kinds: tuple[str, ...]

    def fits(self, surface: Format) -> bool:
        """Whether a surface is read so."""
        if self.type == gl.GL_UNSIGNED_INT_2_10_10_10_REV and "10A2" not in surface.name:
            return False
        if surface.kind != "zs":
            return surface.kind in self.kinds
        return any(kind == have for kind in self.kinds for have, _ in surface.channels)


_FIXED = ("unorm", "srgb")
READABLE = (
    Readable(gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, _FIXED),
    Readable(gl.GL_BGRA, gl.GL_UNSIGNED_BYTE, (*_FIXED, "float")),  # EXT_read_format_bgra
    Readable(gl.GL_RGBA, gl.GL_UNSIGNED_INT_2_10_10_10_REV, _FIXED),
    Readable(gl.GL_RGBA, gl.GL_FLOAT, ("float", "shared")),
    Readable(gl.GL_RGBA_INTEGER, gl.GL_INT, ("sint",)),
    Readable(gl.GL_RGBA_INTEGER, gl.GL_UNSIGNED_INT, ("uint",)),
    # NV_read_depth, NV_read_stencil and both
    Readable(gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_SHORT, ("un",)),
    Readable(gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT, ("un",)),
    Readable(gl.GL_DEPTH_COMPONENT, gl.GL_UNSIGNED_INT_24_8, ("un",)),
    Readable(gl.GL_DEPTH_COMPONENT, gl.GL_FLOAT, ("f",)),
    Readable(gl.GL_STENCIL_INDEX, gl.GL_UNSIGNED_BYTE, ("us", "ui")),
    Readable(gl.GL_DEPTH_STENCIL, gl.GL_UNSIGNED_INT_24_8, ("un",)),
    Readable(gl.GL_DEPTH_STENCIL, gl.GL_FLOAT_32_UNSIGNED_INT_24_8_REV, ("f",)),
)
_READS_STENCIL = In(0, 0, ext=("NV_read_stencil:8",))
_DEPTHS = (gl.GL_DEPTH_COMPONENT, gl.GL_STENCIL_INDEX, gl.GL_DEPTH_STENCIL)
#: by surface: the rows of READABLE that fit, as bits
_FITS = [sum(row.fits(fmt) << n for n, row in enumerate(READABLE)) for fmt in FORMATS]
_FLOATS = [int(fmt.kind == "float") for fmt in FORMATS]


def _error(b: Builder, ctx: GLContext, format: Value, type_: Value) -> Any:
    """The error of a format and a type in OpenGL ES 3.0: GL_INVALID_OPERATION where what is read
    does not fit, GL_INVALID_ENUM where there are depths (or stencil values, if the format is of
    those alone), but none is read so. Of colours that are not there is not asked here."""
    row = b.var(u32, 0)
    for n, each in enumerate(READABLE):
        row.value = b.select((format == each.format) & (type_ == each.type),
                             b.const(u32, 1 << n), row.value)  # fmt: skip
    packed, depths = one_of(b, format, _DEPTHS), ctx.read.zsbuf
    surface: Any = b.select(packed, depths, ctx.read.cbuf)
    fits = b.var(u32, row.value)
    with b.If(~is_null(surface)):
        fits.value = row.value & b.cast(b.table(u16, _FITS)[surface.format], u32)
    there = packed & b.select(format == gl.GL_STENCIL_INDEX, holds(b, WITH_STENCIL, depths),
                              holds(b, WITH_DEPTH, depths))  # fmt: skip
    wrong = b.select((row.value == 0) & there, b.const(u32, gl.GL_INVALID_ENUM),
                     gl.GL_INVALID_OPERATION)  # fmt: skip
    return b.select(fits.value != 0, b.const(u32, 0), wrong)


@kernel(u32, (CTX, u32, u32), cold=True)
def st_read_refused(b: Builder, ctx: GLContext, format: Value, type_: Value) -> Value:
    """The error of a format and type in OpenGL ES, 0: none. Of 2.0 floats are read of floats alone
    (EXT_color_buffer_half_float)."""
    color, known = ctx.read.cbuf, b.array(u32, 1)
    floats = b.var(u32, 0)
    with b.If(~is_null(color)):
        plain = b.select(type_ == gl.GL_HALF_FLOAT_OES, b.const(u32, gl.GL_HALF_FLOAT), type_)
        told = b.table(u32, [word for n in range(len(FORMATS)) for word in read_as_of(n)])
        at = b.cast(color.format, u32) * 2
        with b.If((told[at] == format) & (told[at + 1] == plain)):
            b.Return(0)
        floats.value = b.cast(b.table(u8, _FLOATS)[color.format], u32)
    with b.If((format == gl.GL_STENCIL_INDEX) & available(b, ctx, _READS_STENCIL)):
        b.Return(_error(b, ctx, format, type_))  # a format of reads alone
    found = b.call(es_combination, ctx, format, type_, known)
    with b.If(known[0] == 0):
        b.Return(gl.GL_INVALID_ENUM)
    operation = b.const(u32, gl.GL_INVALID_OPERATION)
    with b.If(available(b, ctx, In(0, 0, 0, 30))):
        b.Return(_error(b, ctx, format, type_))
    halves = (gl.GL_FLOAT, gl.GL_HALF_FLOAT, gl.GL_HALF_FLOAT_OES)
    wide = one_of(b, type_, halves) & (floats.value == 0) & (format != gl.GL_DEPTH_COMPONENT)
    return b.select((found == 0) | wide, operation, 0)
