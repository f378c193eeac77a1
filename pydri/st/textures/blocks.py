# SPDX-License-Identifier: MIT
"""Compressed levels: blocks of the program in and out, and texels compressed (GL 2.1, 3.8.3, 6.1.4;
next.md 8: what is sampled is decoded when it arrives, blocks are kept for reading back).

In: a BlockTransfer (main/pixels/layout.py). Kept blocks lie without gaps, rows of blocks, then
images; the program's lie as the store parameters say (main/pixels/blocks.py). glTexImage with a
compressed internal format is tex_upload into the resource, then `st_tex_encode` of the same box:
blocks are made of the texels, and the texels are what the blocks mean. Counterpart of Mesa's
main/texcompress.c and of what st_cb_texture.c does for formats that a driver lacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.jit import Kernel, i64, kernel, ptr, u8, u32, u64, void
from pydri.main.kernels import CTX
from pydri.main.pixels.blocks import ClientBlocks, client_blocks
from pydri.main.pixels.layout import BlockTransfer
from pydri.pipe.codecs import CODECS, flags_of
from pydri.pipe.encoders import ENCODERS
from pydri.pipe.format import FORMATS
from pydri.pipe.resource_kernels import level_of
from pydri.pipe.rows import move_rows
from pydri.pipe.skirt import image_place, refresh_skirt
from pydri.st.pixels.memory import in_buffer, leave_buffer

if TYPE_CHECKING:
    from pydri.jit import Builder, Pointer, Value
    from pydri.main.layout import GLContext
    from pydri.main.textures.image_copy import Part

_NAMES = tuple(CODECS)
#: by format: codec (place in _NAMES), flags, bytes, width and height of a block
_CODEC = [_NAMES.index(f.codec) if f.codec else 0xFF for f in FORMATS]
_FLAGS = [flags_of(f) if f.codec else 0 for f in FORMATS]
_BYTES = [f.bytes if f.codec else 0 for f in FORMATS]
_WIDTH = [f.width for f in FORMATS]
_HEIGHT = [f.height for f in FORMATS]
#: blocks, bytes a row of them; texels, bytes a row; texels across and down; format
_IMAGE = (ptr(u8), u64, ptr(u8), u64, u32, u32, u32)


def _by_codec(b: Builder, format: Value, kernels: dict[str, Kernel], *args: Any) -> None:
    flags = b.table(u32, _FLAGS)[format]
    with b.Switch(b.cast(b.table(u8, _CODEC)[format], u32)) as s:
        for n, name in enumerate(_NAMES):
            if name not in kernels:  # blocks that are never made of texels
                continue
            with s.Case(n):
                b.call(kernels[name], *args, flags)


@kernel(void, _IMAGE, noinline=True)
def tx_decode(b: Builder, blocks: Pointer, block_step: Value, texels: Pointer, step: Value,
              across: Value, down: Value, format: Value) -> None:  # fmt: skip
    """An image of blocks as texels."""
    kernels = {name: codec.kernel for name, codec in CODECS.items()}
    _by_codec(b, format, kernels, texels, step, blocks, block_step, across, down)


@kernel(void, _IMAGE, noinline=True)
def tx_encode(b: Builder, blocks: Pointer, block_step: Value, texels: Pointer, step: Value,
              across: Value, down: Value, format: Value) -> None:  # fmt: skip
    """An image of texels as blocks."""
    _by_codec(b, format, ENCODERS, blocks, block_step, texels, step, across, down)


class _Blocks:
    """Rows of blocks of a job's box, kept and the program's; addresses of images by number."""

    def __init__(self, b: Builder, job: BlockTransfer) -> None:
        box, level = job.box, level_of(job.resource, job.level)
        self.bytes = b.cast(b.table(u8, _BYTES)[job.format], u64)
        width = b.cast(b.table(u8, _WIDTH)[job.format], u32)
        height = b.cast(b.table(u8, _HEIGHT)[job.format], u32)
        self.rows = b.cast((box.height + height - 1) // height, i64)
        self.row = b.cast((box.width + width - 1) // width, u64) * self.bytes
        self.kept_row = b.cast((level.width + width - 1) // width, u64) * self.bytes
        kept_image = self.kept_row * b.cast((level.height + height - 1) // height, u64)
        self.kept_image = kept_image
        across, down = b.cast(box.x // width, u64), b.cast(box.y // height, u64)
        start = kept_image * b.cast(box.z, u64) + down * self.kept_row + across * self.bytes
        self.kept = b.bytes_from(job.blocks, start, u8)
        self.step = b.cast(level.row_stride, u64)
        size = b.cast(job.resource.block_bytes, u64)
        texels = image_place(b, job.resource, level, box.z)
        at = b.cast(box.y, u64) * self.step + b.cast(box.x, u64) * size
        self.texels, self.texel_image = b.bytes_from(texels, at, u8), level.image_stride

    def client(self, b: Builder, job: BlockTransfer, store: Any, sizes: Any) -> ClientBlocks:
        """Where the program's are."""
        box = self.row, self.rows, b.cast(job.box.depth, u64)
        return client_blocks(b, store, sizes, job.dims, box)


def _at(b: Builder, blocks: _Blocks, n: Value) -> tuple[Any, Any]:
    """Of image n of the box: the kept blocks, the texels."""
    image = b.cast(n, u64)
    return (
        b.bytes_from(blocks.kept, image * blocks.kept_image, u8),
        b.bytes_from(blocks.texels, image * blocks.texel_image, u8),
    )


def _copy(b: Builder, to: Part, to_row: Value, come: Part, come_row: Any,
          blocks: _Blocks) -> None:  # fmt: skip
    b.call(move_rows, to, come, b.cast(blocks.row, u64), b.cast(blocks.rows, u64),
           b.cast(to_row, i64), b.cast(come_row, i64), b.const(u32, 0))


@kernel(u32, (CTX, ptr(BlockTransfer)), name="tx_blocks_in", noinline=True)
def _blocks_in(b: Any, ctx: GLContext, job: BlockTransfer) -> None:
    b.gl_slot = job.slot
    blocks = _Blocks(b, job)
    client = blocks.client(b, job, ctx.raw.unpack, ctx.raw.unpack_blocks)
    memory = in_buffer(b, ctx, False, job.pixels, client.end, b.const(u32, 1), 0)
    with b.For(b.const(u32, 0), job.box.depth) as n:
        kept, texels = _at(b, blocks, n)
        given = b.bytes_from(memory, client.skip + b.cast(n, i64) * client.image, u8)
        _copy(b, kept, blocks.kept_row, given, client.row, blocks)
        b.call(tx_decode, kept, blocks.kept_row, texels, blocks.step, job.box.width,
               job.box.height, job.format)
    b.call(refresh_skirt, job.resource, job.level, job.box, 1)
    b.Return(1)


@kernel(u32, (CTX, ptr(BlockTransfer)), noinline=True)
def st_tex_blocks_in(b: Builder, ctx: GLContext, job: BlockTransfer) -> None:
    """The program's blocks into a box of a level; 0: an error was recorded, nothing changed."""
    done = b.call(_blocks_in, ctx, job)
    leave_buffer(b, ctx, ctx.pixel.unpack_buffer)
    b.Return(done)


@kernel(u32, (CTX, ptr(BlockTransfer)), name="tx_blocks_out", noinline=True)
def _blocks_out(b: Any, ctx: GLContext, job: BlockTransfer) -> None:
    b.gl_slot = job.slot
    blocks = _Blocks(b, job)
    client = blocks.client(b, job, ctx.raw.pack, ctx.raw.pack_blocks)
    before = b.cast(job.before, i64) * client.image
    memory = in_buffer(b, ctx, True, job.pixels, client.end + before, b.const(u32, 1), 0)
    first = b.bytes_from(memory, client.skip + before, u8)
    with b.For(b.const(u32, 0), job.box.depth) as n:
        kept, _ = _at(b, blocks, n)
        to = b.bytes_from(first, b.cast(n, i64) * client.image, u8)
        _copy(b, to, client.row, kept, blocks.kept_row, blocks)
    b.Return(1)


@kernel(u32, (CTX, ptr(BlockTransfer)), noinline=True)
def st_tex_blocks_out(b: Builder, ctx: GLContext, job: BlockTransfer) -> None:
    """The kept blocks of a box to the program; 0: an error was recorded."""
    done = b.call(_blocks_out, ctx, job)
    leave_buffer(b, ctx, ctx.pixel.pack_buffer)
    b.Return(done)


@kernel(void, (CTX, ptr(BlockTransfer)), noinline=True)
def st_tex_encode(b: Builder, ctx: GLContext, job: BlockTransfer) -> None:
    """Compress a box of a level's texels; the texels become what the blocks mean."""
    blocks = _Blocks(b, job)
    with b.For(b.const(u32, 0), job.box.depth) as n:
        kept, texels = _at(b, blocks, n)
        size = (job.box.width, job.box.height, job.format)
        b.call(tx_encode, kept, blocks.kept_row, texels, blocks.step, *size)
        b.call(tx_decode, kept, blocks.kept_row, texels, blocks.step, *size)
    b.call(refresh_skirt, job.resource, job.level, job.box, 1)


__all__ = ["st_tex_blocks_in", "st_tex_blocks_out", "st_tex_encode"]
