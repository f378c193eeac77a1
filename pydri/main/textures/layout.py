# SPDX-License-Identifier: MIT
"""Texture objects and texture units: native structs. Counterparts of Mesa's gl_texture_object,
gl_texture_image, gl_texture_unit and gl_fixedfunc_texture_unit (mtypes.h)."""

from pydri.jit.types import Struct, f32, fn, hook, i32, nested, ptr, u8, u16, u32, u64, void
from pydri.main.buffers.layout import BufferObject
from pydri.main.names.layout import TEXTURE_TARGETS, Named
from pydri.main.shaders.layout import MAX_STAGE_SAMPLERS
from pydri.pipe.native import SHADER_STAGES
from pydri.pipe.resource import CUBE_FACES, MAX_LEVELS, Resource, Storage
from pydri.pipe.sampler import SamplerTable, TextureView

MAX_TEXTURE_UNITS = 8  # with coordinates and an environment: those of fixed function
MAX_IMAGE_UNITS = 64  # to which textures are bound, for all stages together; a power of two
MAX_VIEWS = SHADER_STAGES * MAX_STAGE_SAMPLERS  # that a draw looks through
MAX_FACES = CUBE_FACES


class TexUnitKey(Struct):
    """What of one texture unit selects code. Samplers are called by pointer, so nothing of texture
    formats and filters is here but the environment's view of them.
    """

    env = u64  # `TexEnv.packed` with the base format (ENV_BASE); 0 with `target` 0
    target = u8  # number in TARGETS of tables.py, plus 1; 0: the unit is off
    flags = u8  # UNIT_* bits
    texgen = u16  # three bits a coordinate: number in GEN_MODES of tables.py, plus 1; 0: not
    pad = u32


# bits of TexUnitKey.flags: the texture matrix is not the identity; the texture compares depths
# (ARB_shadow); points replace the coordinates (ARB_point_sprite)
UNIT_MATRIX, UNIT_SHADOW, UNIT_SPRITE = 1, 2, 4

# bits of RawState.texture_enabled[unit], in rising order of priority
TEX_1D, TEX_2D, TEX_RECT, TEX_3D, TEX_CUBE = 1, 2, 4, 8, 16
# bits of RawState.texgen_enabled[unit]
TEXGEN_S, TEXGEN_T, TEXGEN_R, TEXGEN_Q = 1, 2, 4, 8


class TexEnv(Struct):
    """The environment of one texture unit (main/textures/tables.py); its colour is FragBlock's.

    `packed` says the same as the enums in a form that keys can hold; setters keep it.
    """

    packed = u64
    mode = u32
    combine_rgb = u32
    combine_alpha = u32
    source_rgb = u32[4]
    source_alpha = u32[4]
    operand_rgb = u32[4]
    operand_alpha = u32[4]
    scale_rgb = f32
    scale_alpha = f32
    lod_bias = f32
    coord_replace = u32


#: `TexEnv.packed` of a new unit: all modes modulate (tests/unit/main/test_textures.py compares).
FIRST_ENV = 0x0860413041301100


# Targets that textures are bound to: places of TextureBlock.bound and SharedBlock.textures. The
# first five are in the order of TEX_1D .. TEX_CUBE, so effective targets are found by their bits.
(
    TARGET_INDEX_1D,
    TARGET_INDEX_2D,
    TARGET_INDEX_RECT,
    TARGET_INDEX_3D,
    TARGET_INDEX_CUBE,
    TARGET_INDEX_1D_ARRAY,
    TARGET_INDEX_2D_ARRAY,
    TARGET_INDEX_CUBE_ARRAY,
    TARGET_INDEX_2D_MS,
    TARGET_INDEX_2D_MS_ARRAY,
    TARGET_INDEX_BUFFER,
) = range(TEXTURE_TARGETS)
MAX_TEXTURE_TARGETS = TEXTURE_TARGETS


class TextureImage(Struct):
    """One level of one face."""

    width = u32  # with the border, as glTexImage was given; 0: there is no image
    height = u32
    depth = u32
    border = u32
    internal_format = u32  # as it was asked for
    row = u32  # place of the row among those of main/textures/formats.py
    format = u32  # PipeFormat of the texels
    samples = u32  # of a texel; 0: the target has no such
    fixed = u32  # GL_TEXTURE_FIXED_SAMPLE_LOCATIONS, where there are samples
    compressed_size = u32
    compressed = ptr(u8)  # kept blocks of a compressed image, or null: they lie in
    kept = ptr(Storage)  # with a reference; those of views and EGL images in their source's
    # what holds the texels, with a reference: the object's resource (level for level), or one of
    # their own (level 0) until `finalize`; null: none
    resource = ptr(Resource)


class TextureParams(Struct):
    """What glTexParameter sets (main/textures/parameters.py); saved by glPushAttrib as a whole."""

    wrap = u32[3]  # s, t, r
    min_filter = u32
    mag_filter = u32
    compare_mode = u32
    compare_func = u32
    depth_mode = u32
    min_lod = f32
    max_lod = f32
    lod_bias = f32
    max_anisotropy = f32
    border = u32[4]  # bits of floats, or of whole numbers (glTexParameterI)
    base_level = i32
    max_level = i32
    swizzle = u32[4]  # GL_RED .. GL_ALPHA, GL_ZERO, GL_ONE
    srgb_decode = u32
    seamless = u32  # GL_TEXTURE_CUBE_MAP_SEAMLESS: of this texture or sampler alone
    stencil_mode = u32  # what of depth and stencil is sampled (GL_DEPTH_STENCIL_TEXTURE_MODE)
    generate_mipmap = u32
    priority = f32
    crop = i32[4]  # what glDrawTexOES shows: left, bottom, width, height (OES_draw_texture)


class SampledView(Struct, align=64):
    """A view that is never changed: whoever has a reference may look at it (view_kernels.py)."""

    view = nested(TextureView)  # its resource is referenced
    references = u32


class TextureObject(Named):
    """Native part of a texture object. Whoever changes images, the resource or parameters flushes
    vertices before, and calls `texture_changed` (objects.py) afterwards.
    """

    target = u32  # 0 until it is first bound
    target_index = u32  # TARGET_INDEX_*
    serial = u32  # bumped when images, resource or parameters change; from 1 on
    checked = u32  # `serial` for which reason to last_level and `sampled` were made
    reason = u32  # why it is incomplete: place in REASONS of textures/tables.py; 0: it is not
    base = u32  # as the environment tells formats apart: place in BASE_FORMATS of tables.py
    compares = u32  # whether it compares depths
    last_level = u32  # the last one that is sampled
    immutable = u32
    immutable_levels = u32  # how many levels it has for ever
    # of immutable textures: GL_TEXTURE_IMMUTABLE_LEVELS, and which part of whose images they are
    # views (of textures that are no views: all of their own)
    told_levels = u32
    min_level = u32
    num_levels = u32
    min_layer = u32
    num_layers = u32
    unfinished = u32  # levels lie in resources of their own: `finalize` brings them together
    params = nested(TextureParams)
    resource = ptr(Resource)  # all levels and faces in one allocation, or null; with a reference
    images = TextureImage[MAX_FACES * MAX_LEVELS]  # face * MAX_LEVELS + level
    sampled = ptr(SampledView)  # what samplers read, with a reference; see `checked`
    # of a buffer texture (buffer_kernels.py): the buffer whose content are its texels, held, or
    # null; which part, where its size is 0 all of it; the row of its format; and the serial of the
    # buffer for which `resource` was made
    buffer = ptr(BufferObject)
    buffer_offset = u64
    buffer_size = u64
    buffer_row = u32
    buffer_serial = u32


class SamplerObject(Named):
    """A sampler object (ARB_sampler_objects): where one is bound to a unit, these count in place of
    the texture's.
    """

    params = nested(TextureParams)  # those that Parameter.sampler says


class TextureBlock(Struct, align=64):
    """What a context has of textures: bindings, and what its next draw samples through."""

    # unit * MAX_TEXTURE_TARGETS + TARGET_INDEX_*; never null: a share group has default objects
    bound = ptr(TextureObject)[MAX_IMAGE_UNITS * MAX_TEXTURE_TARGETS]
    sampler = ptr(SamplerObject)[MAX_IMAGE_UNITS]  # bound; null: the texture's own parameters
    used = u32  # textures were bound to this many units at most
    seen = u32  # SharedBlock.texture_serial when the views were looked through
    # of each stage MAX_STAGE_SAMPLERS, by sampler (StageBindings.views); of fixed function's
    # fragments by unit
    views = ptr(TextureView)[MAX_VIEWS]
    # what they are part of, with a reference; null: `none`. Units that look at a texture in a way
    # of their own (a bias, a sampler object) have a view of their own, others their texture's
    held = ptr(SampledView)[MAX_VIEWS]
    looked = u32[SHADER_STAGES]  # of each stage, how many of them looked at something
    none = nested(TextureView)  # of no texture
    samplers = ptr(SamplerTable)  # the driver's; null: it has none
    saved = ptr(u8)  # SavedTextures by level of the attribute stack; null until the first push
    # under MESA_DEBUG: a texture that is drawn with is not complete
    hook_incomplete = hook(void, ptr("GLContext"), ptr(TextureObject))


class SavedTextures(Struct):
    """What glPushAttrib saves of textures: bindings with references, and parameters."""

    used = u32
    defaults = TextureParams[MAX_TEXTURE_TARGETS]
    bound = ptr(TextureObject)[MAX_IMAGE_UNITS * MAX_TEXTURE_TARGETS]
    params = TextureParams[MAX_IMAGE_UNITS * MAX_TEXTURE_TARGETS]


MAX_TEXTURE_LEVELS = MAX_LEVELS
PROXY_TARGETS = MAX_TEXTURE_TARGETS - 1  # all of them have a proxy but buffer textures


class ImageCall(Struct):
    """What an entry point was given (pydri/main/textures/image_kernels.py fills it), and what the
    checks found out about it. What an entry point has no parameter for is that of a smaller image:
    offsets 0, sizes 1."""

    operation = u32  # OP_* of image_tables.py
    dims = u32  # of the entry point
    slot = u32  # of the entry point, for errors
    name = u32  # of calls with a name instead of a target (`by_name`), which then is the object's
    other = u32  # the texture that a view is made of
    by_name = u32
    target = u32
    level = i32  # glTexStorage*: how many levels
    internal = u32
    x = i32
    y = i32
    z = i32
    width = i32
    height = i32
    depth = i32
    border = i32
    read_x = i32  # of copies: in the framebuffer
    read_y = i32
    format = u32
    type = u32
    size = i32  # imageSize or bufSize
    samples = i32  # 0: the entry point has no such parameter
    fixed = u32  # fixedsamplelocations
    # found by the checks
    at = u32  # number of the target's row
    row = u32  # number of the internal format's row
    chosen = u32  # number of the row whose formats are taken
    format_number = u32  # places in pixels/tables.py
    type_number = u32
    combination = u32  # OpenGL ES: place in COMBINATIONS of es_formats.py
    pad = u32
    pixels = ptr(u8)
    object = ptr(TextureObject)
    image = ptr(TextureImage)


class CopySide(Struct):
    """What glCopyImageSubData copies from or to: a level of a texture, or a renderbuffer."""

    name = u32
    target = u32
    level = i32
    x = i32
    y = i32
    z = i32
    # found by the checks
    object = ptr(Named)  # with a reference; null: none
    images = ptr(TextureImage)  # the level's image of the first face; null: a renderbuffer
    resource = ptr(Resource)  # of a renderbuffer
    internal = u32
    row = u32
    width = u32
    height = u32  # of arrays of 1D textures 1
    depth = u32  # images: slices, layers, faces
    samples = u32  # 0: one
    pad = u32


class ImageCopy(Struct):
    """glCopyImageSubData. Sizes are those of the source's texels."""

    src = nested(CopySide)
    dst = nested(CopySide)
    width = i32
    height = i32
    depth = i32
    slot = u32
    same = u32  # internal formats must be the same (NV_copy_image)
    pad = u32


class ImageShare(Struct):
    """An image that textures and renderbuffers of any context share (EGLImage)."""

    resource = ptr(Resource)  # one image, with a reference
    internal = u32  # of the source
    row = u32
    format = u32
    width = u32
    height = u32
    pad = u32
    compressed = ptr(u8)  # as TextureImage's
    kept = ptr(Storage)


#: why an image cannot be shared: there is no such, or it is not complete; no such level or slice;
#: no memory
SHARE_PARAMETER, SHARE_MATCH, SHARE_MEMORY = 1, 2, 3


class ImageBlock(Struct, align=64):
    """What calls with images need of a context."""

    # the kernels that do all of them; null until hook_load has compiled them
    run = fn(void, ptr("GLContext"), ptr(ImageCall))
    copy = fn(u32, ptr("GLContext"), ptr(ImageCopy))  # glCopyImageSubData: the GL error, or 0
    hook_load = hook(void, ptr("GLContext"))
    # by internal format's row, of the driver: PipeFormat of the texels (0: it has none), and of the
    # blocks of compressed ones
    formats = ptr(u16)
    blocks = ptr(u16)
    several = ptr(u16)  # PipeFormat of texels with several samples, which most can be drawn to
    proxies = TextureImage[PROXY_TARGETS * MAX_TEXTURE_LEVELS]
