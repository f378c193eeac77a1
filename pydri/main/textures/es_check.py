# SPDX-License-Identifier: MIT
"""What OpenGL ES asks of copies from framebuffers: the components that an image needs are there.

In: a context, numbers of internal formats. Out: tests in the kernel language. Mesa:
copytexture_error_check of main/teximage.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydri.api import enums as gl
from pydri.jit import boolean, kernel, u8, u32
from pydri.main.kernels import CTX, is_null
from pydri.main.textures.image_tables import ROWS
from pydri.pipe.format import FORMATS, Format

if TYPE_CHECKING:
    from pydri.jit import Builder, Value
    from pydri.main.layout import GLContext


#: components of a base format as bits, and those of the driver's formats: red 1, green 2, blue 4,
#: alpha 8; depths and stencil values are none
_COMPONENTS = {
    gl.GL_RED: 1, gl.GL_RG: 3, gl.GL_RGB: 7, gl.GL_RGBA: 15, gl.GL_ALPHA: 8, gl.GL_LUMINANCE: 1,
    gl.GL_LUMINANCE_ALPHA: 9, gl.GL_INTENSITY: 9,
}  # fmt: skip


def _components_of(fmt: Format) -> int:
    color = fmt.kind != "zs"
    return sum(1 << n for n, pick in enumerate(fmt.swizzle[:4]) if color and pick.isdigit())


@kernel(boolean, (CTX, u32), noinline=True)
def components_missing(b: Builder, ctx: GLContext, row: Value) -> Value:
    """Whether the colours that are read lack a component of an internal format, or it is none of
    colours (OpenGL ES 2.0, table 3.9)."""
    need = b.cast(b.table(u8, [_COMPONENTS.get(each.base, 0) for each in ROWS])[row], u32)
    have, read = b.var(u32, 0), ctx.read.cbuf
    with b.If(~is_null(read)):
        have.value = b.cast(b.table(u8, [_components_of(f) for f in FORMATS])[read.format], u32)
    return (need == 0) | ((need & ~have.value) != 0)


__all__ = ["components_missing"]
