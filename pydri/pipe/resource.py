# SPDX-License-Identifier: MIT
"""Resources: the memory of a buffer, texture, renderbuffer or window-system buffer (Mesa's
pipe_resource): the native structs; PipeResource (pipe_resource.py) is Python's half.

All levels lie in one allocation, in linear rows, each level at a multiple of 64 bytes:

- A resource that is sampled (BIND_SAMPLED) has around each image a *skirt* of one texel right of
  the last column and below the last row, which `row_stride` and `image_stride` include. So a pair
  of horizontal neighbours, or the row below, may be loaded wherever a texel may. What writes texels
  refreshes the skirt.
- A resource that is drawn to (BIND_RENDER, BIND_DEPTH) has room for whole 64x64 tiles in each
  image, so that no kernel of a rasteriser that writes a tile needs a form that clips. A skirt lies
  in that room, or right of and below it where the image fills its tiles. The room costs small
  levels 16 KiB an image, so textures get it when they are first attached, not before.
- With several samples, and for depth and stencil that are not sampled, pixels lie in 4x4 stamps
  (FLAG_STAMPS; native.py says how), for which `row_stride` is a quarter of a row of stamps. There
  is no skirt then, since nothing is filtered.

The memory itself is a `Storage` with references of its own: a scene that is pending refers to the
storage it reads and writes, so a resource that is renamed meanwhile (gets new storage), or deleted,
leaves the old one to the scene. A buffer object has its storage without a Resource until something
deferred reads it (main/buffers); then it owns one, which follows what storage the object has and
holds no reference of its own.

References are counted by kernels (pydri/pipe/resource_kernels.py), on any thread; the last one
frees."""

from pydri.jit.types import Struct, ptr, u8, u32, u64

MAX_LEVELS = 15  # 16384 pixels
MAX_SIZE = 16384
#: of one texture with all its levels; an image has at most half of that, as with llvmpipe (proxies
#: and GL_OUT_OF_MEMORY tell), since who asks for the greatest sizes would get all memory there is
MAX_BYTES = 1 << 31
SLACK = 64  # bytes behind the last level that vector loads may read

(
    TARGET_BUFFER,
    TARGET_1D,
    TARGET_2D,
    TARGET_3D,
    TARGET_CUBE,
    TARGET_RECT,
    TARGET_1D_ARRAY,
    TARGET_2D_ARRAY,
    TARGET_CUBE_ARRAY,
    TARGET_2D_MS,  # with several samples, for samplers of such textures; without levels
    TARGET_2D_MS_ARRAY,
) = range(11)
#: what shaders read sample by sample
MULTISAMPLE = (TARGET_2D_MS, TARGET_2D_MS_ARRAY)

CUBE_FACES = 6  # layers of a cube

#: What a resource may be used for (Mesa's PIPE_BIND_*).
BIND_SAMPLED, BIND_RENDER, BIND_DEPTH, BIND_VERTEX, BIND_INDEX, BIND_CONSTANT = (
    1,
    2,
    4,
    8,
    16,
    32,
)
BIND_DISPLAY = 64  # the memory is the winsys'

FLAG_STAMPS = 1  # pixels lie in 4x4 stamps


class Storage(Struct, align=64):
    """Memory with a count of its users: of a texture's levels, of a renderbuffer, of a buffer
    object. The data follow this head, SLACK readable bytes behind their capacity."""

    references = u32
    shared = u32  # several resources are parts of it (and who respecifies one takes other storage)
    size = u64  # bytes in use; never more than the capacity
    capacity = u64
    memory = ptr(u8)  # what free() takes
    # fences of the last scene that reads, that writes it; 0: none. They are here, and not with
    # resources, since resources may be parts of one storage (`resource_part`)
    reads = u64
    writes = u64
    # another number whenever somebody but a scene may have written: who draws to a part of this
    # remembers which tiles are clear (Surface.tile_state), and must see that
    changes = u64
    # of a buffer object that got other storage while another context may be reading this: what
    # waits for that, and since which epoch (main/buffers/storage_kernels.py)
    next = ptr("Storage")
    epoch = u64


class Level(Struct):
    """One mipmap level."""

    offset = u64  # of pixel (0, 0) of image 0 from Resource.data, bytes
    image_stride = u64  # bytes from one image (3D slice, array layer, cube face) to the next
    row_stride = u32  # bytes from one row (of blocks) to the next
    width = u32
    height = u32
    depth = u32  # images: slices, layers, 6 * cubes


class Resource(Struct, align=64):
    """What kernels know of a resource; its address is stable."""

    references = u32  # atomic; 0 frees
    target = u32  # TARGET_*
    format = u32  # PipeFormat number; 0 for buffers without one
    width = u32  # of level 0, pixels; of buffers bytes
    height = u32
    depth = u32  # slices of 3D textures, else 1
    layers = u32  # of arrays; cubes have 6, arrays of cubes 6 * cubes; else 1
    last_level = u32
    samples = u32  # 1 and more
    bind = u32  # BIND_*: what it may be used for
    flags = u32  # FLAG_*
    serial = u32  # bumped when data changes
    data = ptr(u8)  # 64-byte aligned; changes when the resource is renamed
    size = u64
    storage = ptr(Storage)  # with a reference
    block_bytes = u32  # bytes of a block of the format (a pixel, where it is not compressed)
    block_width = u32  # pixels of a block; 1 where it is not compressed
    block_height = u32
    level = Level[MAX_LEVELS]
