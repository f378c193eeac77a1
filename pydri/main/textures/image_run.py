# SPDX-License-Identifier: MIT
"""What calls with images do, once they are checked: the kernel `image_run` of `gl_images`.

In: an ImageCall. Out: images of the bound texture (or a proxy) changed, or their texels in the
program's memory; or a GL error, and then nothing has changed. Texels are moved by the kernels that
`ctx.pixel` points to (pydri/st/tex_*.py); where they lie is image_store.py's affair. Borders are
not kept, as the peer does not: what a border surrounds is the image. Counterpart of Mesa's
main/teximage.c and main/texgetimage.c.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydri.api import enums as gl
from pydri.jit import i32, kernel, ptr, u32, u64, void
from pydri.main.kernels import CTX, gl_record_error, is_null, one_of
from pydri.main.names.object_kernels import NAMED, release
from pydri.main.pixels.layout import TexTransfer
from pydri.main.textures import image_tables as tables
from pydri.main.textures.image_check import (
    CALL,
    IMAGE,
    OBJECT,
    OPERATION,
    VALUE,
    bad,
    bad_target,
    check_get,
    check_image,
    check_storage,
    check_sub_image,
    image_numbers,
    image_of,
    kind_of,
    of_dims,
    of_row,
    of_target,
    sizes_beyond,
    too_much,
)
from pydri.main.textures.image_compressed import (
    compress,
    do_compressed,
    do_compressed_sub,
    do_get_compressed,
    gather_blocks,
)
from pydri.main.textures.image_copy_check import check_copy_image, check_copy_sub_image
from pydri.main.textures.image_jobs import has_pixels, same_class, whole_job
from pydri.main.textures.image_mipmap import do_mipmap, mipmaps_follow
from pydri.main.textures.image_named import DOES as NAMED_DOES
from pydri.main.textures.image_palette import palette_kernel, palette_row
from pydri.main.textures.image_samples import DOES as SAMPLES_DOES
from pydri.main.textures.image_store import (
    FRESH,
    drop_blocks,
    image_clear,
    image_place,
    image_zero,
    make_resource,
    put_resource,
    resource_target,
)
from pydri.main.textures.image_sync import bound_texture, settle
from pydri.main.textures.image_tables import TARGETS, UNCOMPRESSED
from pydri.main.textures.image_views import do_view, set_storage
from pydri.main.textures.layout import MAX_FACES, MAX_TEXTURE_LEVELS
from pydri.main.textures.object_kernels import names as texture_names
from pydri.main.textures.object_kernels import texture_changed
from pydri.main.textures.view_kernels import lock_textures, unlock_textures
from pydri.pipe import resource as res
from pydri.pipe.format import FORMATS
from pydri.pipe.resource_kernels import resource_release

if TYPE_CHECKING:
    from pydri.jit import Builder, Operand, Value
    from pydri.main.layout import GLContext
    from pydri.main.textures.layout import ImageCall, TextureImage

TRANSFER = ptr(TexTransfer)


# -- what several do -------------------------------------------------------------------------------


def texel_format(b: Builder, ctx: GLContext, call: Any) -> Any:
    """The PipeFormat that the driver has for the call's internal format."""
    return b.cast(ctx.images.formats[call.chosen], u32)


def texel_bytes(b: Builder, format: Operand) -> Any:
    return b.cast(b.table(u32, [f.bytes for f in FORMATS])[format], u32)


@kernel(void, (CTX, CALL, IMAGE), noinline=True)
def describe(b: Builder, ctx: GLContext, call: ImageCall, image: TextureImage) -> None:
    """Make an image what the call says (its room is another matter)."""
    image.width, image.height = b.cast(call.width, u32), b.cast(call.height, u32)
    image.depth, image.border = b.cast(call.depth, u32), b.cast(call.border, u32)
    # the peer's proxies keep the blocks
    lines = one_of(b, kind_of(b, call), (res.TARGET_1D, res.TARGET_1D_ARRAY))
    with b.If(lines & (of_target(b, call, [row.proxy for row in TARGETS]) == 0)):
        call.row = of_row(b, call.row, UNCOMPRESSED)
        call.chosen = of_row(b, call.chosen, UNCOMPRESSED)
    image.internal_format, image.row = call.internal, call.row
    image.format = texel_format(b, ctx, call)
    image.compressed_size = 0


@kernel(u32, (CTX, CALL), noinline=True)
def source_error(b: Builder, ctx: GLContext, call: ImageCall) -> Any:
    """The error of reading the call's pixels from the bound buffer object; 0 without one."""
    with b.If(is_null(ctx.pixel.unpack_buffer)):
        b.Return(0)
    job = b.array(TexTransfer)
    job.pixels, job.format, job.type = call.pixels, call.format_number, call.type_number
    job.dims, job.slot = call.dims, call.slot
    for name in ("width", "height", "depth"):
        setattr(job.box, name, b.cast(getattr(call, name), u32))
    return b.call(ctx.pixel.tex_check, ctx, job, 0)


def squeeze(b: Builder, ctx: GLContext, call: Any, image: Any) -> None:
    """Emit, in a kernel that returns an error: texels of a compressed image become blocks."""
    face = of_target(b, call, [row.face for row in TARGETS])
    error = b.call(compress, ctx, call, image, face, b.cast(call.level, u32))
    with b.If(error != 0, likely=False):
        b.Return(error)


# -- glTexImage ------------------------------------------------------------------------------------


@kernel(void, (CTX, CALL, u32, u32), noinline=True)
def set_proxy(b: Builder, ctx: GLContext, call: ImageCall, proxy: Value, refused: Value) -> None:
    """A proxy's level is what the call says, or nothing (GL 2.1, 3.8.11)."""
    image = ctx.images.proxies + ((proxy - 1) * MAX_TEXTURE_LEVELS + b.cast(call.level, u32))
    b.call(image_clear, image)
    with b.If(refused == 0):
        b.call(describe, ctx, call, image)


def sizes_of(b: Builder, ctx: GLContext, call: Any) -> None:
    """Emit, in a kernel that returns an error: proxies end here; sizes are checked."""
    format = texel_format(b, ctx, call)
    beyond = b.call(sizes_beyond, ctx, call)
    huge = b.call(too_much, call, texel_bytes(b, format)) | (format == 0)
    proxy = of_target(b, call, [row.proxy for row in TARGETS])
    with b.If(proxy != 0):
        b.call(set_proxy, ctx, call, proxy, b.cast(beyond | huge, u32))
        b.Return(0)
    bad(b, beyond, VALUE)
    bad(b, huge, gl.GL_OUT_OF_MEMORY)


@kernel(void, (CTX, CALL), noinline=True)
def strip_border(b: Builder, ctx: GLContext, call: ImageCall) -> None:
    """Pass over the border of the program's image: skip its texels, by the store parameters."""
    store, kind = ctx.raw.unpack, kind_of(b, call)
    rows = (kind != res.TARGET_1D) & (kind != res.TARGET_1D_ARRAY)
    images = kind == res.TARGET_3D
    for n, field, skip, there in ((1, "width", 3, rows | ~rows), (4, "height", 2, rows),
                                  (0, "depth", 5, images)):  # fmt: skip
        size = getattr(call, field)
        with b.If(there):
            if n:
                store[n] = b.select(store[n] == 0, size, store[n])
            store[skip] = store[skip] + call.border
            setattr(call, field, size - call.border * 2)
    call.border = 0


@kernel(u32, (CTX, CALL, IMAGE), noinline=True)
def fill_image(b: Builder, ctx: GLContext, call: ImageCall, image: TextureImage) -> Any:
    """Room and texels for an image that is described; GL_OUT_OF_MEMORY, or 0."""
    face = of_target(b, call, [row.face for row in TARGETS])
    level = b.cast(call.level, u32)
    room = b.call(image_place, ctx, call.object, face, level)
    with b.If(room == 0):
        b.call(image_clear, image)
        b.Return(gl.GL_OUT_OF_MEMORY)
    with b.If(~is_null(image.resource)):
        given = has_pixels(b, ctx, call) & same_class(b, call, image)
        with b.If(given | (room != FRESH)):  # else there is nothing to write, and it is zero
            settle(b, ctx, image.resource)
        with b.If(given):
            b.call(ctx.pixel.tex_upload, ctx, whole_job(b, call, image))
        with b.Else(), b.If(room != FRESH):
            b.call(image_zero, image, face, level)
    return b.call(compress, ctx, call, image, face, level)


@kernel(u32, (CTX, CALL), noinline=True)
def do_image(b: Builder, ctx: GLContext, call: ImageCall) -> Any:
    """glTexImage."""
    error = b.call(check_image, ctx, call)
    with b.If(error != 0):
        b.Return(error)
    proxy = of_target(b, call, [row.proxy for row in TARGETS])
    with b.If(proxy == 0):
        call.object = bound_texture(b, ctx, call)
        bad(b, call.object.immutable != 0, OPERATION)
        error = b.call(source_error, ctx, call)
        with b.If(error != 0):
            b.Return(error)
    sizes_of(b, ctx, call)
    store = b.array(i32, 8)
    b.memcpy(store, ctx.raw.unpack, 32)
    with b.If(call.border != 0):
        b.call(strip_border, ctx, call)
    image = image_of(b, call)
    b.call(drop_blocks, image)
    b.call(describe, ctx, call, image)
    error = b.call(fill_image, ctx, call, image)
    b.memcpy(ctx.raw.unpack, store, 32)
    b.call(mipmaps_follow, ctx, call)
    texture_changed(b, ctx, call.object)
    return error


@kernel(u32, (CTX, CALL), noinline=True)
def do_sub_image(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glTexSubImage."""
    bad_target(b, call, of_dims)
    call.object = bound_texture(b, ctx, call)
    error = b.call(check_sub_image, ctx, call)
    with b.If(error != 0):
        b.Return(error)
    error = b.call(source_error, ctx, call)
    with b.If(error != 0):
        b.Return(error)
    image = image_of(b, call)
    some = (call.width > 0) & (call.height > 0) & (call.depth > 0)
    some = some & same_class(b, call, image)
    with b.If(some & has_pixels(b, ctx, call) & ~is_null(image.resource)):
        settle(b, ctx, image.resource)
        b.call(ctx.pixel.tex_upload, ctx, whole_job(b, call, image))
        squeeze(b, ctx, call, image)
        b.call(mipmaps_follow, ctx, call)
        texture_changed(b, ctx, call.object)
    return b.const(u32, 0)


# -- copies of the framebuffer ---------------------------------------------------------------------


@kernel(u32, (CTX, CALL), noinline=True)
def do_copy_image(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glCopyTexImage."""
    b.call(ctx.pixel.tex_validate, ctx)
    error = b.call(check_copy_image, ctx, call)
    with b.If(error != 0):
        b.Return(error)
    call.object = bound_texture(b, ctx, call)
    bad(b, call.object.immutable != 0, OPERATION)
    bad(b, (call.width < 0) | (call.height < 0), VALUE)
    sizes_of(b, ctx, call)
    kind = kind_of(b, call)
    rows = (kind != res.TARGET_1D) & (kind != res.TARGET_1D_ARRAY)
    with b.If(call.border != 0):
        call.read_x, call.width = call.read_x + 1, call.width - 2
        with b.If(rows):
            call.read_y, call.height = call.read_y + 1, call.height - 2
        call.border = 0
    image = image_of(b, call)
    b.call(drop_blocks, image)
    b.call(describe, ctx, call, image)
    face = of_target(b, call, [row.face for row in TARGETS])
    room = b.call(image_place, ctx, call.object, face, b.cast(call.level, u32))
    texture_changed(b, ctx, call.object)
    with b.If(room == 0):
        b.call(image_clear, image)
        b.Return(gl.GL_OUT_OF_MEMORY)
    with b.If(~is_null(image.resource)):
        settle(b, ctx, image.resource)
        with b.If(room != FRESH):
            b.call(image_zero, image, face, b.cast(call.level, u32))
        call.x, call.y, call.z = 0, 0, 0
        b.call(ctx.pixel.tex_copy, ctx, whole_job(b, call, image), call.read_x, call.read_y)
        squeeze(b, ctx, call, image)
    b.call(mipmaps_follow, ctx, call)
    return b.const(u32, 0)


@kernel(u32, (CTX, CALL), noinline=True)
def do_copy_sub_image(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glCopyTexSubImage."""
    bad_target(b, call, of_dims)
    b.call(ctx.pixel.tex_validate, ctx)
    call.object = bound_texture(b, ctx, call)
    error = b.call(check_copy_sub_image, ctx, call)
    with b.If(error != 0):
        b.Return(error)
    image = image_of(b, call)
    with b.If((call.width > 0) & (call.height > 0) & ~is_null(image.resource)):
        settle(b, ctx, image.resource)
        b.call(ctx.pixel.tex_copy, ctx, whole_job(b, call, image), call.read_x, call.read_y)
        squeeze(b, ctx, call, image)
        b.call(mipmaps_follow, ctx, call)
        texture_changed(b, ctx, call.object)
    return b.const(u32, 0)


# -- glGetTexImage ---------------------------------------------------------------------------------


@kernel(u32, (CTX, CALL), noinline=True)
def do_get(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glGetTexImage and glGetnTexImage: a whole image."""
    masks = [int(not (row.proxy or row.whole or row.multisample)) for row in TARGETS]
    bad(b, call.at >= len(TARGETS), gl.GL_INVALID_ENUM)
    bad(b, of_target(b, call, masks) == 0, gl.GL_INVALID_ENUM)
    call.object = bound_texture(b, ctx, call)
    error = b.call(check_get, ctx, call)
    with b.If(error != 0):
        b.Return(error)
    image = call.image
    with b.If(is_null(image)):
        b.Return(0)
    call.x, call.y, call.z = 0, 0, 0
    for name in ("width", "height", "depth"):
        setattr(call, name, b.cast(getattr(image, name), call.width.ty))
    call.dims = of_target(b, call, [row.dims for row in TARGETS])
    job = whole_job(b, call, image)
    error = b.call(ctx.pixel.tex_check, ctx, job, b.cast(call.size, u32) | 0x80000000)
    with b.If(error != 0):
        b.Return(error)
    with b.If(is_null(call.pixels) & is_null(ctx.pixel.pack_buffer)):
        b.Return(0)
    settle(b, ctx, image.resource)
    b.call(ctx.pixel.tex_download, ctx, job)
    return b.const(u32, 0)


# -- glTexStorage ----------------------------------------------------------------------------------


@kernel(void, (CTX, CALL, u32), noinline=True)
def storage_levels(b: Builder, ctx: GLContext, call: ImageCall, proxy: Value) -> None:
    """Describe all levels of a texture (or a proxy) whose level 0 is the call's."""
    kind, levels = kind_of(b, call), b.cast(call.level, u32)
    cube = kind == res.TARGET_CUBE
    faces = b.select(cube & (proxy == 0), b.const(u32, MAX_FACES), 1)
    sizes = [getattr(call, name) for name in ("width", "height", "depth")]
    with b.For(b.const(u32, 0), faces) as face, b.For(b.const(u32, 0), levels) as level:
        image = b.var(IMAGE, ctx.images.proxies + ((proxy - 1) * MAX_TEXTURE_LEVELS + level))
        with b.If(proxy == 0):
            image.value = call.object.images + (face * MAX_TEXTURE_LEVELS + level)
        b.call(describe, ctx, call, image.value)
        smaller = [b.max(b.cast(size, u32) >> level, 1) for size in sizes]
        image.value.width = smaller[0]
        rows = kind == res.TARGET_1D_ARRAY
        image.value.height = b.select(rows, b.cast(sizes[1], u32), smaller[1])
        image.value.depth = b.select(kind == res.TARGET_3D, smaller[2], b.cast(sizes[2], u32))
        with b.If(proxy == 0):
            b.call(put_resource, image.value.addr("resource"), call.object.resource)


@kernel(void, (CTX, CALL), noinline=True)
def forget_images(b: Builder, ctx: GLContext, call: ImageCall) -> None:
    """The texture has no images."""
    with b.For(b.const(u32, 0), MAX_FACES * MAX_TEXTURE_LEVELS) as n:
        b.call(image_clear, call.object.images + n)


@kernel(u32, (CTX, CALL), noinline=True)
def do_storage(b: Builder, ctx: GLContext, call: ImageCall) -> Value:
    """glTexStorage."""
    error = b.call(check_storage, ctx, call)
    with b.If(error != 0):
        b.Return(error)
    proxy = of_target(b, call, [row.proxy for row in TARGETS])
    levels = call.level
    with b.If(proxy == 0):
        call.object = bound_texture(b, ctx, call)
        bad(b, (call.object.name == 0) | (call.object.immutable != 0), OPERATION)
    format = texel_format(b, ctx, call)
    call.level, call.border = 0, 0
    beyond = b.call(sizes_beyond, ctx, call)
    huge = b.call(too_much, call, texel_bytes(b, format)) | (format == 0)
    call.level = levels
    with b.If(proxy != 0):
        refused = beyond | huge
        with b.If(refused), b.For(b.const(u32, 0), MAX_TEXTURE_LEVELS) as n:
            b.call(image_clear, ctx.images.proxies + ((proxy - 1) * MAX_TEXTURE_LEVELS + n))
        with b.If(~refused):
            b.call(storage_levels, ctx, call, proxy)
        b.Return(0)
    bad(b, beyond, VALUE)
    bad(b, huge, gl.GL_OUT_OF_MEMORY)
    object = call.object
    made = b.call(make_resource, resource_target(b, object), format, b.cast(call.width, u32),
                  b.cast(call.height, u32), b.cast(call.depth, u32), b.cast(levels, u32) - 1)
    bad(b, is_null(made), gl.GL_OUT_OF_MEMORY)
    b.call(forget_images, ctx, call)
    b.call(put_resource, object.addr("resource"), made)
    b.call(resource_release, made)
    b.call(storage_levels, ctx, call, 0)
    set_storage(b, object, call)
    object.unfinished = 0
    texture_changed(b, ctx, object)
    with b.For(b.const(u32, 0), object.num_levels) as level:
        bad(b, b.call(gather_blocks, ctx, object, level) == 0, gl.GL_OUT_OF_MEMORY)
    return b.const(u32, 0)


do_palette = palette_kernel(do_image)


@kernel(u32, (CTX, CALL), noinline=True)
def do_blocks(b: Builder, ctx: GLContext, call: ImageCall) -> Any:
    """glCompressedTexImage, of blocks or of a palette."""
    row = b.call(palette_row, ctx, call.internal)
    with b.If(row >= 0, likely=False):
        b.Return(b.call(do_palette, ctx, call, b.cast(row, u32)))
    return b.call(do_compressed, ctx, call)


# -- all of them -----------------------------------------------------------------------------------

_DOES = {
    tables.OP_IMAGE: do_image, tables.OP_SUB_IMAGE: do_sub_image,
    tables.OP_COPY_IMAGE: do_copy_image, tables.OP_COPY_SUB_IMAGE: do_copy_sub_image,
    tables.OP_COMPRESSED: do_blocks, tables.OP_COMPRESSED_SUB: do_compressed_sub,
    tables.OP_GET: do_get, tables.OP_GET_COMPRESSED: do_get_compressed,
    tables.OP_MIPMAP: do_mipmap, tables.OP_STORAGE: do_storage, tables.OP_VIEW: do_view,
    **NAMED_DOES, **SAMPLES_DOES,
}  # fmt: skip


@kernel(u32, (CTX, CALL), noinline=True)
def _take_named(b: Any, ctx: GLContext, call: ImageCall) -> Any:
    """The texture that the call names, with a reference, and its target; the error if there is
    none. The reference is there if 0 is returned."""
    object = texture_names.acquire(b, ctx, call.name)
    invalidates = (call.operation == tables.OP_INVALIDATE)
    invalidates = invalidates | (call.operation == tables.OP_INVALIDATE_SUB)
    error = b.select(invalidates, b.const(u32, VALUE), OPERATION)
    bad(b, is_null(object), error)
    with b.If(object.target == 0):
        release(b, ctx, object.cast(NAMED))
        b.Return(error)
    with b.If(object.target == gl.GL_TEXTURE_BUFFER, likely=False):
        with b.If(~invalidates | (call.level != 0)):  # it has no images
            release(b, ctx, object.cast(NAMED))
            b.Return(error)
        call.operation = tables.OP_NOTHING
    call.object, call.target = object, object.target
    return b.const(u32, 0)


@kernel(void, (CTX, CALL))
def image_run(b: Builder, ctx: GLContext, call: ImageCall) -> None:
    """What an entry point of images does."""
    error = b.var(u32, 0)
    lock_textures(b, ctx)
    with b.If(call.by_name != 0, likely=False):
        error.value = b.call(_take_named, ctx, call)
    with b.If(error.value == 0, likely=True):
        b.call(image_numbers, ctx, call)
        with b.Switch(call.operation) as s:
            for number, does in _DOES.items():
                with s.Case(number):
                    error.value = b.call(does, ctx, call)
        with b.If(call.by_name != 0, likely=False):
            release(b, ctx, call.object.cast(NAMED))
    unlock_textures(b, ctx)
    with b.If(error.value != 0, likely=False):
        b.call(gl_record_error, ctx, error.value, call.slot)


EXPORTS = (image_run,)
__all__ = ["EXPORTS", "OBJECT", "TRANSFER", "image_run", "u64"]
