# SPDX-License-Identifier: MIT
"""The structs of the hot pipe calls: what kernels of the state tracker and of a driver share.

Each hot call has a Python method (pydri/pipe/interface.py: the definition) and, where a driver
offers one, a native function whose address stands in `PipeNative`; 0 there means "call the Python
method". Counterpart of Mesa's p_state.h and p_context.h.

Surfaces are linear in memory unless `layout` says otherwise, row 0 is the top row of a window,
rows are padded to whole 64x64 tiles (so a tile may always be written whole). "Surface space" below
is that space: x to the right, y down, pixel centres at .5."""

from pydri.jit.types import Struct, f32, f64, fn, i32, nested, ptr, u8, u32, u64, void
from pydri.pipe.resource import Resource

TILE = 64
#: the stages, in the order in which work passes through them (rows: pydri/nir/stages.py): places in
#: all that is by stage
SHADER_VERTEX, SHADER_TESS_CTRL, SHADER_TESS_EVAL, SHADER_GEOMETRY = range(4)
SHADER_FRAGMENT, SHADER_COMPUTE, SHADER_STAGES = range(4, 7)
MAX_TARGETS = 8  # colour targets of a framebuffer
MAX_STREAM_TARGETS = 4  # buffers that stream output writes
MAX_CAPTURES = 128  # components of all of them together
MAX_CAPTURED = 64  # of one of them
MAX_VERTEX_STREAMS = 4  # those behind the first are of geometry shaders of ARB_gpu_shader5
MAX_ATTRIBS = (
    44  # VERT_ATTRIB_MAX of pydri.nir.enums: 32 vertex attributes and 12 material attributes
)


class Surface(Struct, align=64):
    """A colour or depth/stencil image that can be drawn to. Lives as long as its owner; its
    address is stable.
    """

    data = ptr(u8)  # 64-byte aligned; changes at a swap
    stride = u32  # bytes a row, a multiple of 64 pixels
    width = u32
    height = u32
    rows = u32  # allocated rows, a multiple of 64
    format = u32  # PipeFormat number; never a view's (_SRGB)
    encoded = u32  # of a window: whether OpenGL ES, too, draws through `srgb`
    tiles_x = u32  # tiles a row
    # One word a tile of each layer, owned by the driver that draws here: 0 = the memory says what
    # the pixels are. Null = no fast clears.
    tile_state = ptr(u32)
    # pixel of the pending or last clear that tile_state refers to, repeated to 128 bits
    clear_value = u32[4]
    # 0x100 + the stencil value that all pixels have; 0: they may differ (the driver keeps it)
    stencil_known = u32
    serial = u32  # bumped when data, size or format change
    # 0: linear rows; 1: 4x4 stamps of 16 contiguous pixels (depth/stencil; a row of stamps is
    # 4*stride bytes)
    layout = u32
    # Samples a pixel; 0 and 1: single-sampled. More: layout 1 (colour, too), the samples of a stamp
    # one after the other: 16 pixels of sample 0, 16 of sample 1 ...; `stride` counts them all.
    samples = u32
    # what `serial` of the surface that `multi` names us from was when it got our pixels; 0: ours
    # were drawn to since
    resolved = u32
    # the multisampled image whose pixels, averaged, are this surface's (pipe.resolve); or null
    multi = ptr("Surface")
    # PipeFormat number of the sRGB-encoded view that may be drawn to instead of `format`; 0: none
    srgb = u32
    # what this is an image of, or null: `data` follows its memory, `offset` bytes from there
    # (PipeScreen.surface_view)
    resource = ptr(Resource)
    offset = u64
    # images that lie `layer_stride` bytes from each other, of which `data` is the first; 0 and 1:
    # there are no others
    layers = u32
    layer_stride = u64
    # of an image of a resource, the driver's: the last scene that drew to it through this surface,
    # and what Storage.changes was then; another Storage.writes or changes: somebody else wrote
    drawn = u64
    changes = u64


class PipeFramebuffer(Struct, align=64):
    """What is drawn to. `stamp` follows the drawable's; a difference sends the next draw to
    Python.
    """

    cbuf = ptr(Surface)  # the first colour target (of a read framebuffer the one), or null
    others = ptr(Surface)[MAX_TARGETS - 1]  # the further ones, in order; null where there is none
    width = u32
    height = u32
    zsbuf = ptr(Surface)  # null: no depth/stencil
    front = ptr(Surface)
    # the drawable's accumulation buffer (four i16 a pixel, no format; no driver looks at it), or
    # null; its memory comes with the first use
    accum = ptr(Surface)
    flip_y = u32  # 1: GL's y is counted from the bottom of the surface (window-system buffers)
    stamp = u32
    stamp_source = ptr(u32)  # the drawable's stamp, or null
    # CLEAR_DEPTH, CLEAR_STENCIL: what zsbuf holds, but is not attached to a framebuffer object
    zs_hidden = u32
    samples = u32  # of a framebuffer object that is multisampled
    # layers that primitives are drawn to: the least number that a target has; 0: all is drawn to
    # the first image of each target
    layers = u32


class StageBindings(Struct):
    """What the shader of a stage finds by numbers, beside the value block that all stages have."""

    # constant block 1, a program's uniforms: 16-byte aligned, readable to the next multiple of 16
    const1 = ptr(u8)
    # the TextureViews (pydri/pipe/sampler.py) by texture_index: as many as ShaderRef.textures, none
    # of them null. Copied when something is drawn
    views = ptr(ptr("TextureView"))
    # the ShaderMemory (pydri/pipe/shader_memory.py: buffers, counters, images, uniform blocks) of a
    # shader that has some; null: all is empty
    memory = ptr("ShaderMemory")
    const1_size = u32


class StreamTarget(Struct):
    """A range of memory that stream output writes. It is written while `draw_vbo` runs, so whoever
    gives it has waited for what reads or writes it."""

    data = ptr(u8)
    size = u64  # bytes
    used = u64  # bytes written so far; the driver counts on


class PipelineStatistics(Struct):
    """What has been counted while work passed through the vertex side of the pipeline
    (ARB_pipeline_statistics_query, ARB_transform_feedback_overflow_query); it only grows.
    Primitives that are submitted, and those that come to be clipped where there is no geometry
    shader, are as the program gave them: a quadrilateral is one. What is left of clipping are
    points, lines and triangles; one that is cut counts once.
    """

    vertices_submitted = u64
    primitives_submitted = u64
    vertex_invocations = u64
    geometry_invocations = u64
    geometry_primitives = u64
    clipping_input = u64
    clipping_output = u64
    primitives_lost = u64  # that stream output had no room for


class PipeDynamic(Struct, align=64):
    """State that a compiled pipeline reads when it runs (never selects code)."""

    # NDC -> surface space (x, y) and depth (z); y scale is negative when flipped. The fourth says
    # where the near plane is, z = -w times it: 1, or 0 (ARB_clip_control)
    viewport_scale = f32[4]
    viewport_translate = f32[4]
    # pixels that may be written: [x0, x1) x [y0, y1) in surface space, within the framebuffer
    scissor_x0 = i32
    scissor_y0 = i32
    scissor_x1 = i32
    scissor_y1 = i32
    cull = u32  # bit 0: cull front faces, bit 1: cull back faces
    front_negative = (
        u32  # 1: front faces have a negative (x1-x0)(y2-y0)-(x2-x0)(y1-y0) in surface space
    )
    offset_flags = u32  # polygon offset for 1 points, 2 lines, 4 fill
    offset_units = f32
    offset_factor = f32
    offset_clamp = f32
    line_width = f32
    point_size = f32
    # whether centres of points may lie beside the view volume: OpenGL ES clips points at the near
    # and the far plane alone (3.0, 2.17)
    points_unbounded = u32
    point_fade = f32  # with several samples: smaller points get this size, and lose alpha instead
    blend_color = f32[4]
    alpha_ref = f32
    sample_mask = u32  # samples that may be written (with Multisample.mask)
    stencil_ref = u32[2]  # front, back
    stencil_valuemask = u32[2]
    stencil_writemask = u32[2]
    clip_planes = f32[4][8]  # user planes in eye space; plane n at clip_planes + 4n floats
    const0 = ptr(u8)  # constant block 0: what `load_ubo 0, offset` reads
    const0_size = u32
    line_stipple_factor = u32
    line_stipple_pattern = u32
    # 1: t of Rasterizer.sprite_coords grows with rows of the surface; 0: it falls
    sprite_down = u32
    # where fragments that pass are counted; null: nobody asks. Lives until the scene is done
    occlusion_counter = ptr(u64)
    stages = StageBindings[SHADER_STAGES]
    # of pipelines with stream output (StreamOutput); a primitive that one of them has no room for
    # is written to none, nor is what follows it in the draw
    stream_targets = StreamTarget[MAX_STREAM_TARGETS]
    # primitives that come to stream output, or would; those of them that are written. Null: nobody
    # counts
    primitives_generated = ptr(u64)
    primitives_written = ptr(u64)
    # where the driver counts what passes the vertex side; null: nobody asks
    statistics = ptr(PipelineStatistics)
    # of pipelines that count fragments (PipelineState): those whose shader runs; lives as
    # `occlusion_counter` does
    fragments_counter = ptr(u64)
    discard = u32  # DISCARD_*: primitives end there, nothing is rasterised
    fb = nested(PipeFramebuffer)


#: why primitives end before they are rasterised: they are discarded there (which is before they are
#: clipped, OpenGL 4.6, 14.1), or nobody would see them, though those that are clipped are counted
DISCARD_ASKED, DISCARD_UNSEEN = 1, 2


class VertexBinding(Struct):
    """Where one attribute's values lie. stride 0: one value for all vertices."""

    base = ptr(u8)
    stride = u32
    # elements that may be read; an index at or above it reads element count-1 (0: never checked)
    count = u32
    # 0: an element a vertex. Else instances that share one (VertexElement.divided): instance i
    # reads element i / divisor + DrawInfo.base_instance
    divisor = u32
    pad = u32


class DrawInfo(Struct, align=16):
    """One draw call."""

    mode = u32  # GL_POINTS .. GL_POLYGON
    index_size = u32  # bytes an index: 0 (no indices), 1, 2, 4
    start = u32  # first vertex, or first index
    count = u32
    index_bias = i32
    bounds_known = u32  # 1: min_index and max_index hold
    min_index = u32
    max_index = u32
    indices = ptr(u8)
    attribs = ptr(VertexBinding)  # one for each attribute slot (MAX_ATTRIBS)
    # primitive flags: 1 = begins here, 2 = ends here (both set for whole primitives; line loops,
    # polygons and strips of triangles with adjacent vertices that are cut in two lack one), 4 =
    # primitives are numbered on from the draw before, whose part this is (restarts)
    prim_flags = u32
    instance = u32  # number of the first instance, base instance excluded
    instances = u32  # how many there are, all vertices of one before those of the next; 0 is 1
    base_instance = u32  # added to what elements of instances are numbered


RECT_VALUES = 12  # VARYING_SLOT_TEX7 + 1: position, colours, fog coordinate, texture coordinates


class RectInfo(Struct, align=64):
    """A rectangle of pixels, all of whose fragments have the same values but for its image.

    The rectangle lies within dyn's scissor. The image begins at the 4x4 stamp that holds pixel
    (x0, y0) and has whole stamps. Bits (RECT_BITS of pydri/pipe/state.py) are a u16 a stamp, bit
    4 * row + column; pixels of the other formats lie in rows. `stride`: bytes from a row of stamps
    (bits) or pixels (others) to the next, a multiple of 16 for pixels. The memory comes from
    `PipeNative.upload`.
    """

    x0 = i32  # [x0, x1) x [y0, y1) in surface space
    y0 = i32
    x1 = i32
    y1 = i32
    depth = f32  # window depth
    stride = u32
    image = ptr(u8)
    values = f32[4][RECT_VALUES]  # by VARYING_SLOT


class BlitInfo(Struct, align=64):
    """A blit: pixels of a box of one surface to a box of another, of the same kind (colour, or
    depth and stencil).

    Boxes are x0, y0, x1, y1 in each surface's own surface space; x1 < x0 or y1 < y0 mirrors, and
    different sizes scale. A pixel of dst whose place in src lies outside of src is not written, nor
    is one outside of dst or of `scissor`. Pixel (x, y) has its place at its centre. Neither surface
    goes before what draws to it is finished.
    """

    src = ptr(Surface)
    dst = ptr(Surface)
    src_box = i32[4]
    dst_box = i32[4]
    scissor = i32[4]  # [x0, x1) x [y0, y1) of dst
    mask = u32  # CLEAR_COLOR0 of colour surfaces; CLEAR_DEPTH and CLEAR_STENCIL of the others
    filter = u32  # BLIT_NEAREST, BLIT_LINEAR
    # 1: what the surfaces' sRGB views hold is decoded and encoded; 0: stored numbers are moved
    srgb = u32


BLIT_NEAREST, BLIT_LINEAR = 0, 1


class CopyInfo(Struct, align=64):
    """A copy of a box of texels between levels of two resources with blocks of the same size, and
    the same number of samples. z counts images: slices, layers, faces. Sizes and places are those
    of src, in pixels, within both levels; where src is compressed, whole blocks of it.
    """

    dst = ptr(Resource)
    src = ptr(Resource)
    dst_level = u32
    src_level = u32
    dst_x = u32
    dst_y = u32
    dst_z = u32
    x = u32
    y = u32
    z = u32
    width = u32
    height = u32
    depth = u32


CLEAR_DEPTH, CLEAR_STENCIL = 2, 4
CLEAR_SRGB = 8  # with CLEAR_COLOR: to the surfaces' sRGB views, if they have them
CLEAR_COLOR0 = 0x100  # and, shifted by n, of target n
CLEAR_COLOR = 0xFF00  # all targets
EACH_TARGET = 0x11111111  # times a colour mask: that of each target
PRIM_BEGIN, PRIM_END, PRIM_NUMBERED_ON = 1, 2, 4
#: What the CPU does to a mapped resource: reads wait for scenes that write it, writes for those
#: that read it too. With MAP_DISCARD nothing of its content is wanted: a resource in use is renamed
#: instead. MAP_UNSYNCHRONIZED waits for nothing.
MAP_READ, MAP_WRITE, MAP_DISCARD, MAP_UNSYNCHRONIZED = 1, 2, 4, 8
#: the bits of a scene's number that count; those above are the context's own number, not 0
SCENE_BITS = 48


#: a part of some work: what all parts share, and the number of this one
PART = fn(void, ptr(void), u32)


class PipeNative(Struct, align=64):
    """The native face of a pipe context: addresses of its hot calls. The driver puts its own data
    behind it.
    """

    # draw_vbo(pipe, pipeline, dyn, info)
    draw_vbo = fn(void, ptr("PipeNative"), ptr(void), ptr(PipeDynamic), ptr(DrawInfo))
    # clear(pipe, dyn, buffers, color[4], depth, stencil, color_writemask, stencil_writemask):
    # within dyn's scissor. The colour is floats; for targets of whole numbers the bits of integers.
    # The mask has four bits (red first) a target. Of a layered framebuffer all layers of the
    # targets are cleared.
    clear = fn(void, ptr("PipeNative"), ptr(PipeDynamic), u32, ptr(f32), f64, u32, u32, u32)
    # flush(pipe): hand what is recorded to the rasteriser; finish(pipe): and wait until memory
    # holds the pixels
    flush = fn(void, ptr("PipeNative"))
    finish = fn(void, ptr("PipeNative"))
    # resolve(pipe, surface): make the surface's memory true (pending fast clears); implies finish
    resolve = fn(void, ptr("PipeNative"), ptr(Surface))
    stats = ptr(u64)  # pydri.util.stats counters, or null
    # draw_rect(pipe, pipeline of PRIM_RECTS, dyn, rect)
    draw_rect = fn(void, ptr("PipeNative"), ptr(void), ptr(PipeDynamic), ptr(RectInfo))
    # upload(pipe, pipeline, dyn, size): memory (64-byte aligned) for the image of the next call,
    # which must be draw_rect with this pipeline; null if there is not so much
    upload = fn(ptr(u8), ptr("PipeNative"), ptr(void), ptr(PipeDynamic), u32)
    # transfer_map(pipe, resource, MAP_*): the resource's data, when the CPU may touch it: waits for
    # the scenes that conflict and no others (see MAP_READ)
    transfer_map = fn(ptr(u8), ptr("PipeNative"), ptr(Resource), u32)
    # blit(pipe, info), in order with what is recorded: conversion between formats (fractions and
    # floats, or whole numbers), scaling, averages of samples, or all samples the same pixel; a
    # surface that has a `multi` stands for that. Boxes of one image that overlap: undefined, safe.
    blit = fn(void, ptr("PipeNative"), ptr(BlitInfo))
    # copy_region(pipe, info): bytes, as they are
    copy_region = fn(void, ptr("PipeNative"), ptr(CopyInfo))
    # split(pipe, function, argument, count): function(argument, n) for each n below count, in any
    # order, on whatever threads the driver has idle; all are done when it returns. None of them may
    # call the pipe. 0: whoever has the work does it alone (pydri/pipe/split.py)
    split = fn(void, ptr("PipeNative"), PART, ptr(void), u32)
    # fences: scenes handed to the rasteriser so far (what is being recorded is submitted + 1), and
    # those known to be in memory; `finish` makes them equal. They count from a number of the
    # context's own (SCENE_BITS): what is noted of another context's scene is known by that
    submitted = u64
    completed = u64


#: functions of PipeNative that a PipeContext has as methods, too, and `upload`, which is for rects
CALLS = ("draw_vbo", "clear", "flush", "finish", "resolve", "draw_rect", "upload", "transfer_map",
         "blit", "copy_region")  # fmt: skip
