# SPDX-License-Identifier: MIT
"""Images of the program's memory into levels of textures, and back (GL 2.1, 3.6.3, 3.8.1, 6.1.4).

In: a TexTransfer (main/pixels/layout.py), the context's store and transfer parameters and maps, a
pixel buffer object or memory. Out: texels of a level with their skirt, or pixels. What is the same
on both sides, or the same bytes in another order, is moved at the speed of memory
(textures/direct.py). All else goes through numbers, a piece of a row at a time: pixels to numbers
(pixels/rows.py, pixels/integers.py), transfer operations, texels (pydri/pipe/texels.py); numbers
are clamped only where a texel cannot hold them. Depths are f64 on the way, so that none is rounded
twice.

Nothing waits for scenes here: whoever calls has made sure that none that is pending uses the level.
Counterpart of Mesa's main/texstore.c, main/texgetimage.c and main/image.c.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from pydri.api import enums as gl
from pydri.jit import Struct, boolean, f32, f64, i32, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX
from pydri.main.pixels.blocks import capped_product
from pydri.main.pixels.layout import TexTransfer
from pydri.main.pixels.tables import FORMATS, TYPES
from pydri.pipe.format import DEPTH as DEPTH_USE
from pydri.pipe.format import FORMATS as TEXELS
from pydri.pipe.resource import Resource
from pydri.pipe.resource_kernels import level_of
from pydri.pipe.skirt import has_skirt, image_place, refresh_skirt, rows_are_images
from pydri.pipe.split import in_parts, rows_a_part
from pydri.pipe.texel_table import (
    CHUNK,
    DEPTH_PART,
    DEPTHS,
    STENCIL_PART,
    STENCILS,
    VALUES,
    TexelKernels,
)
from pydri.st.pixels.integers import px_load_integers, px_pack_integers
from pydri.st.pixels.memory import BITS, SWAP_BYTES, Image, in_buffer, leave_buffer
from pydri.st.pixels.ops import (
    colors_stay,
    depth_stays,
    px_index_colors,
    px_shift,
    px_transfer,
    px_transfer_stencil,
    stencil_stays,
    transfer_depths,
)
from pydri.st.pixels.read import BOTH, COLOR, DEPTH, INDEX, INTEGER, STENCIL, kind_of
from pydri.st.pixels.rows import (
    LANES,
    element_bytes,
    px_load,
    px_load_depth64,
    px_load_index,
    px_pack,
    px_pack_depth,
    px_pack_index,
)
from pydri.st.textures.direct import COPY, READ_SWIZZLE, UNKNOWN, natural_base, tx_direct

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Pointer, Value
    from pydri.main.layout import GLContext

#: glGetTexImage's luminance is red and no sum, as the peer has it
_PLACES = {
    row.channels: n for n, row in enumerate(FORMATS) if row.kind == "color" and row.channels
}
_FLOAT = next(n for n, row in enumerate(TYPES) if row.kind == "f" and row.bytes == 4)
_ONE = 0x3F800000  # the bits of 1.0
_BASES = [0 if f.uses & DEPTH_USE or not f.channels else natural_base(f) for f in TEXELS]
_SIGNED = [int(f.kind == "sint") for f in TEXELS]


class _Images:
    """Images of the program's memory one behind the other: rows by Image, and the step between
    images (GL 2.1, 3.6.4: with one dimension rows, with two images are not skipped)."""

    def __init__(self, b: Builder, store: Any, job: Any) -> None:
        self.rows = Image(b, store, job.pixels, job.box.width, job.format, job.type)
        one, volume = job.dims == 1, job.dims == 3
        self.rows.offset = b.select(one, self.rows.left, self.rows.offset)
        height, skip = b.cast(store[4], i64), b.cast(store[5], i64)
        height = b.select(volume & (height > 0), height, b.cast(job.box.height, i64))
        self.step = capped_product(b, height, self.rows.step)
        skipped = b.select(volume, skip, b.const(i64, 0))
        self.offset = self.rows.offset + capped_product(b, skipped, self.step)

    def end(self, b: Builder, job: Any) -> Any:
        """Bytes from where the pixels were given to the end of the last one."""
        behind = b.cast(job.box.depth, i64) - 1
        last = self.rows.end(b, b.cast(job.box.height, i64))
        return last + (self.offset - self.rows.offset) + capped_product(b, behind, self.step)

    def overlap(self, b: Builder, job: Any) -> Any:
        """Whether rows share bytes: what is written last is there then."""
        used = self.rows.end(b, b.const(u32, 1)) - self.rows.offset
        # a bitmap's rows may end within a byte in which the next begins
        rows = (used > self.rows.step) | (self.rows.type == BITS)
        images = b.cast(job.box.height, i64) * self.rows.step > self.step
        return rows | ((job.box.depth > 1) & images)


class _Texels(NamedTuple):
    """Where the box is in the level: its first texel, bytes from row to row and image to image."""

    first: Any
    row: Any
    image: Any


def _texels(b: Builder, job: Any) -> _Texels:
    res, box = job.resource, job.box
    level = level_of(res, job.level)
    flat = rows_are_images(b, res)
    row, image = b.cast(level.row_stride, i64), b.cast(level.image_stride, i64)
    step = b.select(flat, image, row)
    start = image_place(b, res, level, box.z)
    along = b.cast(box.x, i64) * b.cast(res.block_bytes, i64)
    return _Texels(start + (b.cast(box.y, i64) * step + along), step, image)


def _kernels(b: Builder, ctx: GLContext, job: Any, codes: str) -> tuple[Any, Any]:
    """The row of kernels of the resource's format, and the code of the job's format and type; what
    is missing Python makes."""
    kernels = ctx.pixel.texels + job.resource.format
    at = job.format * len(TYPES) + job.type
    code = b.var(u32, UNKNOWN)
    table = getattr(kernels, codes)
    with b.If(table != b.const(table.ty, None)):
        code.value = table[at]
    with b.If(code.value == UNKNOWN, likely=False):
        b.call(ctx.pixel.hook_texels, ctx, job.resource.format, job.format, job.type)
        code.value = getattr(kernels, codes)[at]
    return kernels, code.value


def _operations(b: Builder, ctx: GLContext, kind: Operand) -> tuple[Any, Any]:
    """Whether transfer operations leave colours, and whether they leave the job's pixels, as they
    are."""
    plain = colors_stay(b, ctx)
    same = (kind == INTEGER) | ((kind == COLOR) & plain)
    zs = (kind == DEPTH) | (kind == BOTH)
    stencil = (kind == STENCIL) | (kind == BOTH)
    same = same | (zs & depth_stays(b, ctx) & (stencil_stays(b, ctx) | (kind == DEPTH)))
    return plain, same | (stencil & ~zs & stencil_stays(b, ctx))


def _base_of(b: Builder, job: Any) -> Any:
    """The base format that the resource's format is made for; 0 of depth and stencil."""
    return b.table(u32, _BASES)[job.resource.format]


# -- parts -----------------------------------------------------------------------------------------

#: what a row through numbers costs, in bytes of a plain copy a pixel
_NUMBERS_COST = 32


class _Parts(Struct):
    """What the parts of a transfer share; a part is some rows, counted through all images."""

    ctx = CTX
    job = ptr(TexTransfer)
    memory = ptr(u8)  # where the program's pixels begin
    kernels = ptr(TexelKernels)
    code = u32  # textures/direct.py's; 0: through numbers
    plain = u32  # 1: transfer operations leave colours as they are
    columns = u32
    rows = u32  # a part


def _parts(b: Builder, ctx: GLContext, job: Any, codes: str, store: Any) -> Any:
    """How a transfer is done, all but where the pixels are."""
    kernels, code = _kernels(b, ctx, job, codes)
    plain, same = _operations(b, ctx, kind_of(b, job.format))
    swapped = (store[SWAP_BYTES] != 0) & (element_bytes(b, job.type) > 1)
    made_for = _base_of(b, job)
    direct = same & ~swapped & ((made_for == job.base) | (made_for == 0))
    parts = b.array(_Parts)
    parts.ctx, parts.job, parts.kernels = ctx, job, kernels
    parts.code = b.select(direct, code, 0)
    parts.plain = b.cast(plain, u32)
    parts.columns = 0
    return parts


def _in_parts(b: Builder, ctx: GLContext, job: Any, parts: Any, work: Any, in_order: Value) -> None:
    """Emit: all parts; one after the other where their order counts."""
    box = job.box
    cost = b.select(parts.code != 0, job.resource.block_bytes, b.const(u32, _NUMBERS_COST))
    rows = box.height * box.depth
    parts.rows = rows_a_part(b, rows, b.cast(box.width, u64) * b.cast(cost, u64))
    with b.If(in_order):
        parts.rows = rows
    count = (rows + parts.rows - 1) // parts.rows
    in_parts(b, ctx.pipe, work, parts.cast(ptr(void)), count)


class _Run(NamedTuple):
    """Rows of one image that a part has: the first, and how many."""

    parts: Any
    #: the program's, of this image
    rows: Image
    #: the image's first texel, and bytes from row to row
    texels: Any
    step: Any
    first: Any
    count: Any

    def places(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        """Where the first row is among the texels and in the program's memory, and the steps from
        row to row."""
        texels, rows = self.texels + self.first * self.step, self.rows
        return (texels, self.step), (rows.first + self.first * rows.step, rows.step)


def _direct(b: Builder, run: _Run, to: tuple[Any, Any], come: tuple[Any, Any],
            columns: Any) -> None:  # fmt: skip
    """Emit: rows at the speed of memory."""
    job, code = run.parts.job, run.parts.code
    width, size = b.cast(job.box.width, i64), job.resource.block_bytes
    b.call(tx_direct, to[0], come[0], width, run.count, to[1], come[1], code, size, columns)


def _runs(b: Builder, argument: Any, number: Value, store: str) -> Iterator[_Run]:
    """Emit a loop over the images that a part touches; `store` are the parameters that say how
    the program's lie."""
    parts = argument.cast(ptr(_Parts))
    job = parts.job
    images, texels = _Images(b, getattr(parts.ctx.raw, store), job), _texels(b, job)
    rows, height = images.rows, job.box.height
    last = b.min((number + 1) * parts.rows, height * job.box.depth)
    at = b.var(u32, number * parts.rows)
    with b.While(lambda: at.value < last):
        image, first = b.cast(at.value // height, i64), at.value % height
        count = b.min(height - first, last - at.value)
        rows.first = b.bytes_from(parts.memory, images.offset, u8) + image * images.step
        target = texels.first + image * texels.image
        yield _Run(parts, rows, target, texels.row, b.cast(first, i64), b.cast(count, i64))
        at.value = at.value + count


# -- upload ----------------------------------------------------------------------------------------


@kernel(void, (CTX, ptr(TexTransfer), ptr(u8), ptr(u8), u32, u32, u32), noinline=True)
def tx_load(b: Builder, ctx: GLContext, job: TexTransfer, values: Pointer, place: Pointer,
            count: Value, bit: Value, plain: Value) -> None:  # fmt: skip
    """A piece of a row of the program's pixels as numbers, transferred."""
    kind = kind_of(b, job.format)
    swap, lsb = (b.cast(ctx.raw.unpack[n], u32) for n in (6, 7))
    rgba, depths = values.cast(ptr(f32)), b.bytes_from(values, DEPTHS, f64)
    stencils = b.bytes_from(values, STENCILS, i32)
    with b.Switch(kind) as s:
        with s.Case(COLOR):
            b.call(px_load, rgba, place, count, job.format, job.type, swap)
        with s.Case(INDEX):
            indices = b.array(i32, CHUNK, align=64)
            b.call(px_load_index, indices, place, count, job.type, swap, bit, lsb)
            b.call(px_shift, ctx, indices, count)
            b.call(px_index_colors, ctx, indices, rgba, count)
        with s.Case(INTEGER):
            signed = b.table(u32, _SIGNED)[job.resource.format]
            b.call(px_load_integers, values.cast(ptr(u32)), place, count, job.format, job.type,
                   swap, signed)
        with s.Default():
            with b.If(kind != STENCIL):
                b.call(px_load_depth64, depths, place, count, job.type, swap)
                transfer_depths(b, ctx, depths, f64, count)
            with b.If(kind != DEPTH):
                b.call(px_load_index, stencils, place, count, job.type, swap, bit, lsb)
                b.call(px_transfer_stencil, ctx, stencils, count)
    with b.If((kind == COLOR) & (plain == 0)):
        b.call(px_transfer, ctx, rgba, count, 0)
    # what has no alpha, in a format that has: it is one
    wanted = _base_of(b, job)
    with b.If((kind <= INDEX) & (job.base == gl.GL_RGB) & (wanted == gl.GL_RGBA)):
        one = b.select(kind == INTEGER, b.const(u32, 1), _ONE)
        with b.For(b.const(u32, 0), count) as i:
            values.cast(ptr(u32))[i * 4 + 3] = one


@kernel(u32, (CTX, ptr(TexTransfer)), noinline=True)
def st_tex_upload(b: Builder, ctx: GLContext, job: TexTransfer) -> None:
    """Pixels of the program into a box of a level; 0: an error was recorded, nothing changed."""
    uploaded = b.call(_upload, ctx, job)
    leave_buffer(b, ctx, ctx.pixel.unpack_buffer)
    b.Return(uploaded)


def _columns(b: Builder, res: Any, job: Any, code: Any) -> Any:
    """Bytes that each row of the box repeats behind it, where tx_direct makes the skirt's column
    while it copies: of whole rows. 0: refresh_skirt does."""
    whole = (job.box.x == 0) & (job.box.width == level_of(res, job.level).width)
    at_once = whole & has_skirt(b, res) & ((code >> 24) == COPY)
    return b.select(at_once, b.cast(res.block_bytes, u32), 0)


@kernel(u32, (CTX, ptr(TexTransfer)), name="tx_upload", noinline=True)
def _upload(b: Any, ctx: GLContext, job: TexTransfer) -> None:
    b.gl_slot = job.slot
    box, res = job.box, job.resource
    with b.If((box.width == 0) | (box.height == 0) | (box.depth == 0)):
        b.Return(1)
    images = _Images(b, ctx.raw.unpack, job)
    end, element = images.end(b, job), element_bytes(b, job.type)
    memory = in_buffer(b, ctx, False, job.pixels, end, element, 0)
    parts = _parts(b, ctx, job, "uploads", ctx.raw.unpack)
    parts.memory = memory
    parts.columns = _columns(b, res, job, parts.code)
    _in_parts(b, ctx, job, parts, tx_part_up, b.const(boolean, False))
    b.call(refresh_skirt, res, job.level, job.box, b.cast(parts.columns == 0, u32))
    b.Return(1)


@kernel(void, (ptr(void), u32), noinline=True)
def tx_part_up(b: Builder, argument: Pointer, number: Value) -> None:
    """A part of an upload."""
    for run in _runs(b, argument, number, "unpack"):
        with b.If(run.parts.code != 0):
            texels, rows = run.places()
            _direct(b, run, texels, rows, run.parts.columns)
        with b.Else():
            _rows_up(b, run)


def _rows_up(b: Builder, run: _Run) -> None:
    """Emit: rows through numbers."""
    parts, rows = run.parts, run.rows
    ctx, job = parts.ctx, parts.job
    kind = kind_of(b, job.format)
    size = b.cast(job.resource.block_bytes, i64)
    bits = b.select(kind == DEPTH, b.const(u32, DEPTH_PART), DEPTH_PART | STENCIL_PART)
    bits = b.select(kind == STENCIL, b.const(u32, STENCIL_PART), bits)
    values = b.array(u8, VALUES + 256, align=64)
    are_numbers = _are_numbers(b, run, "unpack") & (
        (job.base != gl.GL_RGB) | (_base_of(b, job) != gl.GL_RGBA)  # see tx_load
    )
    with b.For(run.first, run.first + run.count) as y:
        target = run.texels + y * run.step
        with b.For(b.const(u32, 0), job.box.width, CHUNK) as x:
            count = b.min(job.box.width - x, CHUNK)
            place, bit = rows.place(b, y, x)
            numbers = b.var(ptr(u8), place)
            with b.If(~(are_numbers & _is_whole(b, place, count))):
                numbers.value = values
                b.call(tx_load, ctx, job, values, place, count, bit, parts.plain)
            texels = target + b.cast(x, i64) * size
            b.call(parts.kernels.write, numbers.value, texels, count, bits)


def _are_numbers(b: Builder, run: _Run, store: str) -> Value:
    """Whether the program's pixels are RGBA floats that nothing changes, as numbers lie between
    the kernels: what a kernel reads or writes then may be the program's memory itself."""
    parts = run.parts
    job, swap = parts.job, getattr(parts.ctx.raw, store)[SWAP_BYTES]
    plain = (parts.plain != 0) & (swap == 0)
    return plain & (job.format == _PLACES["RGBA"]) & (job.type == _FLOAT)


def _is_whole(b: Builder, place: Pointer, count: Value) -> Value:
    """Whether pixels of a piece may be a kernel's numbers: of whole steps, aligned as floats."""
    return ((count & (LANES - 1)) == 0) & ((b.ptr_to_int(place) & 3) == 0)


# -- download --------------------------------------------------------------------------------------


@kernel(void, (ptr(u32), u32, u32, u32), noinline=True)
def tx_read_as(b: Builder, words: Pointer, count: Value, base: Value, one: Value) -> None:
    """r, g, b, a as glGetTexImage gives textures of a base format: luminance and intensity are red,
    what is missing is 0, 0, 0, 1. `one` is that number's bits."""
    v4 = u32.vec(4)
    with b.Switch(base) as s:
        for enum, swizzle in READ_SWIZZLE.items():
            if swizzle == "012o" or "1" in swizzle or swizzle == "0zzo" and enum == gl.GL_RED:
                continue  # their formats read so by themselves, and alpha is one
            keep = b.const(v4, [0xFFFFFFFF if c.isdigit() else 0 for c in swizzle])
            with s.Case(enum):
                ones = b.splat(one, 4) & b.const(v4, [0xFFFFFFFF * (c == "o") for c in swizzle])
                with b.For(b.const(u32, 0), count) as i:
                    place = words + i * 4
                    place.store((place.load(v4, align=4) & keep) | ones, align=4)


@kernel(void, (CTX, ptr(TexTransfer), ptr(u8), ptr(u8), u32, u32, u32), noinline=True)
def tx_pack(b: Builder, ctx: GLContext, job: TexTransfer, values: Pointer, place: Pointer,
            count: Value, bit: Value, plain: Value) -> None:  # fmt: skip
    """Numbers of a piece of a row, transferred, as the program's pixels."""
    kind = kind_of(b, job.format)
    swap, lsb = (b.cast(ctx.raw.pack[n], u32) for n in (6, 7))
    rgba, depths = values.cast(ptr(f32)), b.bytes_from(values, DEPTHS, f64)
    stencils, words = b.bytes_from(values, STENCILS, i32), values.cast(ptr(u32))
    with b.Switch(kind) as s:
        with s.Case(COLOR):
            b.call(tx_read_as, words, count, job.base, _ONE)
            with b.If(plain == 0):
                b.call(px_transfer, ctx, rgba, count, 0)
            format = b.var(u32, job.format)
            with b.If(format.value == _PLACES["L"]):
                format.value = _PLACES["R"]
            with b.If(format.value == _PLACES["LA"]):
                format.value = _PLACES["RG"]
                with b.For(b.const(u32, 0), count) as i:
                    words[i * 4 + 1] = words[i * 4 + 3]
            b.call(px_pack, rgba, place, count, format.value, job.type, swap, 1)
        with s.Case(INTEGER):
            b.call(tx_read_as, words, count, job.base, 1)
            signed = b.table(u32, _SIGNED)[job.resource.format]
            b.call(px_pack_integers, words, place, count, job.format, job.type, swap, signed)
        with s.Default():
            with b.If(kind != DEPTH):
                b.call(px_transfer_stencil, ctx, stencils, count)
            with b.If(kind == STENCIL):
                b.call(px_pack_index, stencils, place, count, job.type, swap, bit, lsb)
                b.Return()
            with b.If(~depth_stays(b, ctx)):
                transfer_depths(b, ctx, depths, f64, count)
            b.call(px_pack_depth, depths, stencils, place, count, job.type, swap)


@kernel(u32, (CTX, ptr(TexTransfer)), noinline=True)
def st_tex_download(b: Builder, ctx: GLContext, job: TexTransfer) -> None:
    """A box of a level as pixels of the program; 0: an error was recorded, nothing changed."""
    done = b.call(_download, ctx, job)
    leave_buffer(b, ctx, ctx.pixel.pack_buffer)
    b.Return(done)


@kernel(u32, (CTX, ptr(TexTransfer)), name="tx_download", noinline=True)
def _download(b: Any, ctx: GLContext, job: TexTransfer) -> None:
    b.gl_slot = job.slot
    box = job.box
    with b.If((box.width == 0) | (box.height == 0) | (box.depth == 0)):
        b.Return(1)
    images = _Images(b, ctx.raw.pack, job)
    end, element = images.end(b, job), element_bytes(b, job.type)
    memory = in_buffer(b, ctx, True, job.pixels, end, element, 0)
    parts = _parts(b, ctx, job, "downloads", ctx.raw.pack)
    parts.memory = memory
    _in_parts(b, ctx, job, parts, tx_part_down, images.overlap(b, job))
    b.Return(1)


@kernel(void, (ptr(void), u32), noinline=True)
def tx_part_down(b: Builder, argument: Pointer, number: Value) -> None:
    """A part of a download."""
    for run in _runs(b, argument, number, "pack"):
        with b.If(run.parts.code != 0):
            texels, rows = run.places()
            _direct(b, run, rows, texels, 0)
        with b.Else():
            _rows_down(b, run)


def _rows_down(b: Builder, run: _Run) -> None:
    """Emit: rows through numbers."""
    parts, rows = run.parts, run.rows
    ctx, job = parts.ctx, parts.job
    size = b.cast(job.resource.block_bytes, i64)
    values = b.array(u8, VALUES + 256, align=64)
    are_numbers = _are_numbers(b, run, "pack")
    with b.For(run.first, run.first + run.count) as y:
        source = run.texels + y * run.step
        with b.For(b.const(u32, 0), job.box.width, CHUNK) as x:
            count = b.min(job.box.width - x, CHUNK)
            place, bit = rows.place(b, y, x)
            texels = source + b.cast(x, i64) * size
            with b.If(are_numbers & _is_whole(b, place, count)):
                b.call(parts.kernels.read, place, texels, count, 3)
                b.call(tx_read_as, place.cast(ptr(u32)), count, job.base, _ONE)
            with b.Else():
                b.call(parts.kernels.read, values, texels, count, 3)
                b.call(tx_pack, ctx, job, values, place, count, bit, parts.plain)


# -- mipmaps ---------------------------------------------------------------------------------------


@kernel(void, (CTX, ptr(Resource), u32, u32), noinline=True)
def st_tex_mipmaps(b: Builder, ctx: GLContext, res: Resource, first: Value, last: Value) -> None:
    """Make levels first to last, each of the one above it (pydri/pipe/mipmap.py says of which
    formats)."""
    kernels = ctx.pixel.texels + res.format
    with b.If(kernels.mipmap == b.const(kernels.mipmap.ty, None), likely=False):
        b.call(ctx.pixel.hook_mipmaps, ctx, res.format)
    with b.For(first, last + 1) as level:
        b.call(kernels.mipmap, res, level)


__all__ = ["st_tex_download", "st_tex_mipmaps", "st_tex_upload"]
