# SPDX-License-Identifier: MIT
"""What OpenGL ES asks of copies from framebuffers: which colours go to which internal format.

In: a context, numbers of internal formats. Out: tests in the kernel language. Mesa:
copytexture_error_check of main/teximage.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.api.where import In
from pydri.jit import boolean, kernel, u8, u32
from pydri.main.kernels import CTX, is_null
from pydri.main.rows import available
from pydri.main.textures.formats import InternalFormat
from pydri.main.textures.image_tables import ROWS
from pydri.pipe.format import BY_NAME, FORMATS, Format

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
    return sum(1 << n for n, bits in enumerate(fmt.component_bits) if bits)


#: kinds of numbers, one of which a copy does not change into another
_KINDS = {"unorm": 1, "srgb": 1, "uint": 2, "sint": 3}
_SIGNED = frozenset(row.enum for row in ROWS if BY_NAME[row.formats[0]].kind == "snorm")
_WITHOUT_SIZE = frozenset((
    gl.GL_RED, gl.GL_RG, gl.GL_RGB, gl.GL_RGBA, gl.GL_ALPHA, gl.GL_LUMINANCE,
    gl.GL_LUMINANCE_ALPHA, gl.GL_BGRA,
))  # fmt: skip
_SINCE_3 = In(0, 0, 0, 30)


def _sizes(fmt: Format, components: int = 15) -> int:
    """Bits of red, green, blue and alpha, a byte each; 0: there is none."""
    every = enumerate(fmt.component_bits)
    return sum(bits << 8 * n for n, bits in every if (components >> n) & 1)


def _sizes_of_row(row: InternalFormat) -> int:
    """The same of an internal format that has a size: luminance is no red."""
    light = row.base in (gl.GL_LUMINANCE, gl.GL_LUMINANCE_ALPHA)
    unknown = row.compressed or row.enum in _WITHOUT_SIZE
    have = 0 if unknown else _COMPONENTS.get(row.base, 0)
    return _sizes(BY_NAME[row.formats[0]], have & 8 if light else have)


def _kind_of(fmt: Format) -> int:
    return _KINDS.get(fmt.kind, 0)


def _of_sizes_apart(b: Builder, one: Value, other: Value) -> Any:
    """Whether a component that both have has not the same bits in both."""
    out = b.const(boolean, 0)
    for n in range(4):
        mine, its = ((size >> 8 * n) & 0xFF for size in (one, other))
        out = out | ((mine != 0) & (its != 0) & (mine != its))
    return out


@kernel(boolean, (CTX, u32), noinline=True)
def es_copy_refused(b: Builder, ctx: GLContext, row: Value) -> Any:
    """Whether the colours that are read are not to be copied to an internal format: they lack a
    component, or it is none of colours (OpenGL ES 2.0, table 3.9); their numbers are of another
    kind; from 3.0 on, they are of other sizes or encoded in another way, or it is one that nothing
    is copied to (3.8.5)."""
    need = b.cast(b.table(u8, [_COMPONENTS.get(each.base, 0) for each in ROWS])[row], u32)
    firsts, read = [BY_NAME[each.formats[0]] for each in ROWS], ctx.read.cbuf
    format_, view = b.var(u32, 0), b.var(boolean, b.const(boolean, 0))
    with b.If(~is_null(read)):
        format_.value = b.cast(read.format, u32)
        object = ~is_null(ctx.framebuffers.read)
        view.value = (read.srgb != 0) & (object | (read.encoded != 0))
    have = b.cast(b.table(u8, [_components_of(fmt) for fmt in FORMATS])[format_.value], u32)
    kinds = b.table(u8, [_kind_of(fmt) for fmt in FORMATS])[format_.value]
    wrong = (need == 0) | ((need & ~have) != 0)
    wrong = wrong | (kinds != b.table(u8, [_kind_of(fmt) for fmt in firsts])[row])
    never = [each.enum == gl.GL_RGB9_E5 or each.enum in _SIGNED for each in ROWS]
    later = b.table(u8, [int(each) for each in never])[row] != 0
    later = later | (view.value != (b.table(u8, [int(fmt.srgb) for fmt in firsts])[row] != 0))
    sizes = b.table(u32, [_sizes(fmt) for fmt in FORMATS])[format_.value]
    needed = b.table(u32, [_sizes_of_row(each) for each in ROWS])[row]
    later = later | _of_sizes_apart(b, sizes, needed)
    # what has no size takes 8 bits of all, and of ten nothing
    tens = _sizes(BY_NAME["R10G10B10A2_UNORM"])
    bare = b.table(u8, [int(each.enum in _WITHOUT_SIZE) for each in ROWS])[row] != 0
    later = later | (bare & (sizes == tens))
    return wrong | (later & available(b, ctx, _SINCE_3))


__all__ = ["es_copy_refused"]
