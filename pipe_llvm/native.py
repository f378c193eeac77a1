# SPDX-License-Identifier: MIT
"""The driver's native structs: context, plan, vertex stream, scene, bins and tiles, declared once
for all kernels.

The line between the two halves, as in llvmpipe's lp_scene.h: *draw* and *setup* build a scene,
*rast* executes it. A vertex after the vertex shader is a row of `vertex_size` bytes (a multiple
of 64): floats x, y, z, 1/w in surface space, then the varyings of the plan's VertexLayout,
packed. Triangles travel in packets of 16 in SoA form: setup works on 16 at a time and stores
whole vectors, fragment kernels read one lane of each field by broadcast loads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipe_llvm.native_any import LpBlend, LpTests
from pydri.jit.types import Struct, f32, fn, hook, i32, nested, ptr, u8, u16, u32, u64, void
from pydri.nir.enums import VARYING_SLOT_DRIVER0
from pydri.pipe.native import (
    MAX_CAPTURES,
    MAX_STREAM_TARGETS,
    MAX_TARGETS,
    PART,
    RECT_VALUES,
    PipeDynamic,
    PipeNative,
    Surface,
    VertexBinding,
)
from pydri.pipe.resource import Storage
from pydri.pipe.sampler import SAMPLE_STAMPS, SampleCoords, TextureView
from pydri.pipe.shader_memory import MAX_BLOCKS, MAX_BUFFERS, MAX_COUNTERS, MAX_IMAGES

if TYPE_CHECKING:
    from pydri.jit import Pointer, Value

LANES = 16
#: Fragment inputs that the draw module makes (draw/lower_coverage.py says what they hold): where a
#: fragment lies in a smooth line, and in a smooth or fading point.
VARYING_SLOT_LINE_COVERAGE = VARYING_SLOT_DRIVER0
VARYING_SLOT_POINT_COVERAGE = VARYING_SLOT_DRIVER0 + 1
GUARD_BAND = 16384.0  # pixels from the surface's origin that setup can take without clipping
SUBPIXEL_BITS = 8
TILE_SHIFT = 6  # tiles are 64x64 pixels
MAX_VARYINGS = 32  # vectors that a vertex shader may pass to fragments
#: floats of a vertex row: these, and what rasterisation adds (place, planes, back colours ...)
MAX_ROW_FLOATS = 4 * MAX_VARYINGS + 64
# where the samples lie in a pixel of n, in surface space: 1/256 pixels from its upper left corner
SAMPLE_POSITIONS: dict[int, tuple[tuple[int, int], ...]] = {
    4: ((96, 32), (224, 96), (32, 160), (160, 224)),
}
VERTEX_BATCH = 8192  # vertices a chunk of a draw call
# Clip flag bits of a vertex: it lies outside of a frustum plane (x and y: of the guard band), of a
# user plane; what cuts nothing: its w is no positive number, a distance to cull by is negative.
CLIP_LEFT, CLIP_RIGHT, CLIP_BOTTOM, CLIP_TOP, CLIP_NEAR, CLIP_FAR = 1, 2, 4, 8, 16, 32
CLIP_USER0, CLIP_W, CLIP_CULL0 = 64, 1 << 14, 1 << 15  # the first of 8, one, the first of 8
CLIP_CULLS = CLIP_CULL0 * 0xFF

MAX_SPRITE_COORDS = 9  # coordinate sets, and gl_PointCoord


class VertexStream(Struct, align=64):
    """Shaded vertices of the chunk being drawn. Owned by the context, grown by Python before a draw
    needs more."""

    rows = ptr(u8)  # vertex rows (64-byte aligned)
    clip = ptr(f32)  # clip coordinates, planar in groups of 16: [group][x,y,z,w][16]
    flags = ptr(u32)  # clip flags
    capacity = u32  # vertices (draw uses 7/8 at most; clipping and wide primitives append the rest)
    row_bytes = u32
    # scratch for primitive assembly: vertex numbers of triangles, planar; index_capacity entries
    # each (a multiple of 16)
    v0, v1, v2 = ptr(u32), ptr(u32), ptr(u32)
    w0, w1, w2 = ptr(u32), ptr(u32), ptr(u32)  # second set: what clipping writes
    polygons = ptr(u32)  # the number of the polygon that each of w0, w1, w2 is a part of
    elts = ptr(u32)  # indices widened to 32 bits
    index_capacity = u32
    # of plans with a geometry shader (null until there is one): the rows that it reads; the
    # vertices of what it takes, planar, and its number; what 16 invocations emit (draw/geometry.py)
    shaded = ptr(u8)
    shaded_bytes = u64
    a0, a1, a2, a3, a4, a5 = ptr(u32), ptr(u32), ptr(u32), ptr(u32), ptr(u32), ptr(u32)
    numbers = ptr(u32)
    emitted = ptr(u8)


class LpBuffer(Struct):
    """A buffer that shaders read and write."""

    data = ptr(u8)
    size = u32  # bytes, a multiple of four
    pad = u32


class LpImage(Struct):
    """An image that shaders read and write."""

    data = ptr(u8)
    image_stride = u64
    row_stride = u32
    texel = u32  # bytes
    width = u32
    height = u32
    layers = u32
    format = u32
    one = u32  # bits of what a missing alpha is
    channels = u32  # of 32 bits; 0: others


class LpStored(Struct):
    """An image that shaders of a scene may write, and that has a skirt (pydri/pipe/skirt.py)."""

    data = ptr(u8)
    image_stride = u64
    next = ptr("LpStored")  # the scene's one before
    row_stride = u32
    texel = u32  # bytes
    width = u32
    height = u32
    layers = u32
    pad = u32


class LpAccess(Struct):
    """Which rows of its ShaderMemory a shader reads and writes, as bits (Accesses of
    pydri/pipe/state.py)."""

    buffers_read = u32
    buffers_written = u32
    counters_read = u32
    counters_written = u32
    images_read = u32
    images_written = u32
    writes = u32  # 1: it writes some
    pad = u32


class LpHold(Struct, align=64):
    """Memory that a scene keeps, of a uniform block (uniform_blocks.py) or of what shaders access
    (shader_memory.py), which has the first two fields alone."""

    storage = ptr(Storage)  # referenced; null: nothing was to be had
    next = ptr("LpHold")  # the scene's one before
    data = ptr(u8)  # of the block
    source = u64  # where the range began that it was made of; 0: none was bound
    given = u64  # bytes of that
    size = u32  # bytes that can be read
    pad = u32


class LpMemory(Struct, align=64):
    """All that a draw's fragment shader reads and writes (shader_memory.py)."""

    buffers = LpBuffer[MAX_BUFFERS]
    counters = LpBuffer[MAX_COUNTERS]
    images = LpImage[MAX_IMAGES]


def buffer_of(memory: LpMemory, space: str, number: int) -> tuple[Pointer, Value]:
    """Emit: where a buffer, or the counters of a binding, lie, and their bytes."""
    name = "buffers" if space == "ssbo" else "counters"
    row = memory.addr(name).cast(ptr(LpBuffer)) + number
    return row.data, row.size


def image_of(memory: LpMemory, number: int) -> LpImage:
    """Emit: an image of a table."""
    return memory.addr("images").cast(ptr(LpImage)) + number


class LpFragState(Struct, align=64):
    """What fragment kernels of one draw read; lives in the scene. From `consts` on lie the copied
    ranges of the uniform blocks and addresses of the draw's TextureViews (fragment/constants.py).
    """

    fs = fn(u32, ptr("LpTask"), ptr(u64), u32)  # fs(task, commands, count) -> commands done
    plan = ptr("LpPlan")
    scissor = i32[4]  # x0, y0, x1, y1
    blend_color = f32[4]
    alpha_ref = f32
    stencil_ref = u32[2]
    stencil_valuemask = u32[2]
    stencil_writemask = u32[2]
    sample_mask = u32
    occlusion_counter = ptr(u64)  # where fragments that pass are counted, null = none
    depth_range = f32[2]  # least and greatest window depth: where depth clamp ends
    fragments_counter = ptr(u64)  # where those are counted that kernels with `counting` shade
    # grows: const_bytes and uniform_bytes of the plan, views, blocks, and what its LpMemory is
    consts = f32[16]


class LpStagePlan(Struct):
    """What a stage's shader reads and writes by number."""

    views = u32  # texture views
    ways = u32[4]  # bits of those that are read in other ways (ShaderRef.ways), by way
    memory = u32  # 1: it accesses memory (shader_memory.py); and how
    access = nested(LpAccess)
    blocks = u32  # uniform blocks behind the first two, and how many bytes of each
    block_bytes = u32[MAX_BLOCKS]


class LpStatePlan(Struct):
    """What is copied into the LpFragState of a draw: Constants (fragment/constants.py)."""

    const_start = u32  # range of block 0 that fragment kernels read
    const_bytes = u32
    uniform_start = u32  # and of block 1
    uniform_bytes = u32
    # where the copy of block 1, the views and the addresses of further blocks begin, and where the
    # address of the LpMemory is
    uniforms_at = u32
    views_at = u32
    blocks_at = u32
    memory_at = u32
    bytes = u32  # of the state


class LpPrimitivePlan(Struct):
    """What the links between the vertex stage and setup (draw/) know of vertex rows and modes."""

    psiz = u32  # float of the point size in a row, 0 = none
    number = u32  # float of a primitive's number, 0: nobody asks for it
    clip_planes = u32
    flat = u32[MAX_ROW_FLOATS // 32]  # bit n: float n of a row is flat
    noperspective = u32[MAX_ROW_FLOATS // 32]  # bit n: it is interpolated linearly in the window
    # with PLAN_UNFILLED: polygon modes, the edge flag in a row (0: none), the least difference of
    # depth that polygon offset counts in (negative: floating point)
    fill_front = u32
    fill_back = u32
    edge = u32
    offset_unit = f32
    # of smooth lines and points: where a row holds what coverage follows from (4 floats; 0: none)
    line_coverage = u32
    point_coverage = u32
    # sprites with several samples: which floats of a row are coordinates of their fragments (a
    # float's number, and 256 * the component), and how many
    sprites = u32
    sprite_map = u32[4 * MAX_SPRITE_COORDS]


class LpRectPlan(Struct):
    """Of rectangles: packet fields of the inputs (value number | field << 16), of the image
    (address in two, stride; 0: none), and bytes a pixel of the image (0: bits)."""

    inputs = u32
    image = u32
    bytes = u32
    map = u32[4 * RECT_VALUES]


class LpAnySetup(Struct):
    """What the setup kernel for any inputs reads (setup/any_inputs.py)."""

    unit = f32  # the difference of depth that a unit of polygon offset is
    perspective = u32  # whether 1/w has a plane
    inputs = u32
    # of each input: float of a row | the same of back faces << 16 | field of a packet << 32 |
    # SETUP_* << 48
    map = u64[MAX_ROW_FLOATS]


class LpUses(Struct):
    """When a plan gets better code: an own fragment kernel where `fs` is one for any blending, the
    best where it was made in a hurry."""

    left = u32  # states of scenes until then (0: there is no better)
    pad = u32
    since = u64  # LpContext.states when that began to count


class LpCapture(Struct):
    """Floats of a vertex that stream output writes."""

    source = u16  # the first one: in the vertex row, or a clip coordinate
    clip = u16  # 1: that
    count = u16
    buffer = u16
    offset = u32  # bytes from where the vertex begins there


class LpStreamPlan(Struct):
    """Stream output (draw/stream_output.py): what of a vertex, and bytes of one by buffer."""

    captures = u32
    map = LpCapture[MAX_CAPTURES]
    strides = u32[MAX_STREAM_TARGETS]


class LpGeometryPlan(Struct):
    """What a geometry shader takes and makes, for those who know no shader."""

    input_bytes = u32  # of a row of what it reads of a vertex
    invocations = u32  # of a primitive
    most = u32  # vertices that one of them may emit
    cells = u32  # words of such a vertex (draw/geometry_kernel.py)
    mode = u32  # GL's of the strips
    bytes = u32  # of VertexStream.emitted


class LpPlan(Struct, align=64):
    """A compiled pipeline: addresses of its kernels and what generic kernels must know of it."""

    # vs(lp, plan, dyn, bindings, elts (null: linear), start, count, instances) -> OR of clip flags
    # | AND of clip flags << 16, where CLIP_CULL0 stands for all of CLIP_CULLS; `instances`: the
    # instance of each vertex, null where all are 0
    vs = fn(
        u32, ptr("LpContext"), ptr("LpPlan"), ptr(PipeDynamic), ptr(VertexBinding), ptr(u32), u32,
        u32, ptr(u32),
    )  # fmt: skip
    # setup(lp, plan, dyn, v0, v1, v2, count, prim): triangles by vertex number; prim 0 point, 1
    # line, 2 triangle (cull, offset, facing); with PRIM_BACK points and lines of a back face
    setup = fn(
        void, ptr("LpContext"), ptr("LpPlan"), ptr(PipeDynamic), ptr(u32), ptr(u32), ptr(u32),
        u32, u32,
    )  # fmt: skip
    fs = fn(u32, ptr("LpTask"), ptr(u64), u32)
    # with PLAN_BOXES: points(lp, plan, dyn, v, count, prim): points by vertex number; prim: 0, with
    # PRIM_BACK of a back face
    points = fn(void, ptr("LpContext"), ptr("LpPlan"), ptr(PipeDynamic), ptr(u32), u32, u32)
    # gs(lp, plan, dyn, prims, at, row) -> as `vs`: invocations at to at + 16 over primitives; rows
    # of what they emit, from number `row` on; null: there is no geometry shader
    gs = fn(u32, ptr("LpContext"), ptr("LpPlan"), ptr(PipeDynamic), ptr("Prims"), u32, u32)
    row_bytes = u32  # bytes of a vertex row
    packet_bytes = u32  # bytes of a triangle packet
    flags = u32  # PLAN_*
    prim = u32
    vertex_inputs = u64  # attribute slots that are fetched (0: not known); bounds absurd counts
    vertex = nested(LpStagePlan)
    geometry = nested(LpStagePlan)
    fragment = nested(LpStagePlan)
    emits = nested(LpGeometryPlan)
    state = nested(LpStatePlan)
    primitive = nested(LpPrimitivePlan)
    uses = nested(LpUses)
    rect = nested(LpRectPlan)
    any_setup = nested(LpAnySetup)
    stream = nested(LpStreamPlan)
    blend = nested(LpBlend)
    tests = nested(LpTests)


SETUP_FLAT, SETUP_PERSPECTIVE = 1, 2  # kinds of inputs; 0: linear in the window
SETUP_NO_BACK = 0xFFFF
SHARED_USES = 32  # states of a plan, after which it gets a fragment kernel of its own
MANY_PLANS = 64  # unless more than so many plans take turns

PLAN_FLAT, PLAN_NO_COLOR, PLAN_PROVOKING_FIRST, PLAN_USES_ZS, PLAN_UNFILLED = 1, 2, 4, 8, 16
PLAN_WRITES_STENCIL = 128
PLAN_STIPPLED = 32  # lines have a pattern
PLAN_MULTISAMPLE = 64  # lines and points have their exact shapes
PLAN_POLY_SMOOTH = 512  # setup reads VertexStream.polygons
PLAN_BOXES = 256  # points go to `points`, not as triangles to `setup`
PRIM_BACK = 4


class LpBin(Struct):
    """A tile's command list: chunks of 64-bit commands."""

    head = ptr("LpChunk")
    tail = ptr("LpChunk")


CHUNK_COMMANDS = 62
IDLE = 0x40000000  # LpScene.next_tile of a scene that no thread may touch
WORK_TILE, WORK_CLEAR = 32, 2


class LpChunk(Struct):
    next = ptr("LpChunk")
    count = u32
    pad = u32
    commands = u64[CHUNK_COMMANDS]


TILE_DEPTHS = 64 * 64 * 8
BATCH_BYTES = 1 << 19  # of a batch (fragment/batch.py) at most
VARIABLE_BYTES = 1 << 20  # of a shader's indexed variables (gallivm/nir_scratch.py) at most
STAMP_BATCH = 128  # commands that one list of stamps may come from
STAMP_LIMIT = 1024  # its entries; one command may give 256


class LpStamps(Struct, align=64):
    """Covered 4x4 stamps of a tile, in the order of their commands. An entry: bits 0..15 the
    pixels, 16..19 and 20..23 the stamp's column and row, 24..30 the command. With bit 31, for who
    takes `blocks`, it stands for all of four by four stamps, of which that is the first, or for
    rows of four such blocks: bits 0..15 say how many there are."""

    count = u32
    blocks = u32  # 1: who reads the list takes blocks
    pad = u32[14]
    stamps = u32[STAMP_LIMIT]


class LpCover(Struct, align=64):
    """What a smooth polygon covers of a tile (fragment/area.py), and where in the tile's bin that
    comes from. Pixels are in stamp order; only the stamps that `rows` has are written."""

    chunk = ptr(LpChunk)
    state = u64  # address of the LpFragState whose polygons are taken
    at = u32  # next command of the chunk
    pad = u32[11]
    rows = u32[16]  # bits of the stamps in each row of stamps that something was added to
    area = i32[4096]  # in 1/65536 of a pixel
    # which triangle to interpolate: the packet's place in the arena / 4 | lane; where area > 0
    owner = u32[4096]


class LpThreadData(Struct, align=64):
    """What kernels keep for a while and what is too large for a stack, which may be one of a few
    pages where it is a program's: each thread of the pool has such a block, and each context one
    for the thread that it is current in. No call leaves anything here that another one reads."""

    # of a thread of the pool: odd while it may hold the address of a scene, another number the next
    # time it does
    looks = u32
    loops_cut = u32  # 1: a shader's loops were ended (MAX_ROUNDS) since somebody last looked
    batched = u32  # stamps in `batch`
    packed = u32  # places of quads that they take (fragment/packing.py)
    pad = u32[12]
    # depth and stencil of a tile in stamp order where the surface is linear (rast/depth.py)
    depths = u8[TILE_DEPTHS]
    cover = nested(LpCover)
    # the operands and the result of one texture instruction (sample/call.py)
    coords = nested(SampleCoords)
    texels = f32[64 * SAMPLE_STAMPS]
    batch = u8[BATCH_BYTES]
    variables = u8[VARIABLE_BYTES]


class LpTask(Struct, align=64):
    """The tile that a thread is working on."""

    x0 = i32  # tile origin in pixels
    y0 = i32
    color = ptr(u8)[MAX_TARGETS]  # address of the tile's first pixel in each target
    depth = ptr(u8)
    depth_stride = u32  # bytes
    color_stride = u32[MAX_TARGETS]
    layer = u32  # the tile's; targets that have no such layer are null
    scene = ptr("LpScene")
    chunk = ptr(LpChunk)  # of the tile's bin: where the commands lie that are being executed
    thread = ptr(LpThreadData)


VIEW_SLOTS = 16
BLOCK_SLOTS = 64
MAX_VIEWS = 32  # texture views that a shader may read


class LpScene(Struct, align=64):
    """Everything recorded since the last flush for one framebuffer."""

    cbufs = ptr(Surface)[MAX_TARGETS]  # null where there is none
    zsbuf = ptr(Surface)
    color_data = ptr(u8)[MAX_TARGETS]
    depth_data = ptr(u8)
    color_stride = u32[MAX_TARGETS]
    color_bytes = u32[MAX_TARGETS]  # bytes a pixel
    targets = u32  # how many of cbufs may be there
    depth_stride = u32
    depth_bytes = u32
    depth_linear = u32  # zsbuf has rows
    uneven = u32  # a target is larger than what is drawn of it
    tiles_x, tiles_y = u32, u32
    width, height = u32, u32
    bins = ptr(LpBin)  # of all layers' tiles, one layer behind the other
    layer_bins = ptr(LpBin)  # those of the layer to which something is being recorded
    arena = ptr(u8)
    arena_used = u64
    arena_size = u64
    arena_limit = u64  # where recording is looked at: it stops, or goes on while threads are busy
    arena_end = u64  # where it stops
    state = ptr(LpFragState)  # of the last draw, null = none in this scene yet
    active = u32  # something is recorded
    clear_flags = u32  # whole-surface clear at the scene's start: CLEAR_* bits
    clear_color = u32[4 * MAX_TARGETS]  # packed pixels, repeated to 128 bits
    clear_zs = u32[4]
    # what clears of all depth and stencil values wrote, and which bits (0: none); `commands` behind
    # them: as long as there are no more, nothing else has been recorded
    part_zs, part_bits = u64, u64
    part_commands = u32
    commands = u32
    uses_zs = u32  # depth or stencil is tested or written by something recorded
    bin_capacity = u32
    # bit n: the last clear of target n (MAX_TARGETS: of depth and stencil) was to the same value:
    # tiles that still hold it need no work; of `tracked`: whether tiles are remembered
    same_clear, tracked = u32, u32
    entwined = u32  # 1: targets lie in the same memory, and may be the same image
    # execution
    next_tile, tiles_done = u32, u32
    tile_count = u32  # of all layers
    layers = u32  # at least 1: the greatest number that a target has
    layer_tiles, drawn_layers = u32, u32  # tiles of a layer; PipeFramebuffer.layers
    # tiles that sixteen primitives may touch at most; for how many of these the arena has room
    chunk_tiles, chunk_capacity = u32, u32
    work = u32  # rough cost of execution: 1 a small triangle, WORK_TILE a tile of a large one
    counting = u32  # an occlusion query counts some of it: nothing recorded may be dropped
    samples = u32  # a pixel of either surface, at least 1
    # single-sampled surfaces that get the averages of cbufs, tile by tile; null: none asked for
    averaged = ptr(Surface)[MAX_TARGETS]
    averaging = u32  # how many of them there are
    rects = ptr(u8)  # the packet of the last rectangles, null = none in this scene yet
    rect_lanes = u32  # taken lanes of `rects`
    rect_pad = u32
    # copies of the views that recorded draws sample through (scene_views.py): the last one, and
    # some of them by their source's address
    views = ptr("LpViewCopy")
    number = u64  # of the scene, once it is handed over (PipeNative.submitted)
    # referenced memory of the targets, of depth and stencil, where these are images of resources
    storages = ptr(Storage)[MAX_TARGETS + 1]
    # width | height << 16 of those that have a skirt (pydri/pipe/skirt.py), to be made true when
    # the scene is done; 0: none
    skirts = u32[MAX_TARGETS + 1]
    stored = ptr("LpStored")  # images whose skirts are to be made true, too
    loops_cut = u32  # 1: LpThreadData.loops_cut of a thread of the pool
    cut_pad = u32
    view_slots = ptr("LpViewCopy")[VIEW_SLOTS]
    # what its draws read of uniform blocks, and what their shaders access: the last one, and some
    # by their addresses
    holds = ptr("LpHold")
    block_slots = ptr("LpHold")[BLOCK_SLOTS]
    hold_slots = ptr("LpHold")[VIEW_SLOTS]
    memory = ptr(LpMemory)  # the table of the last draw whose shader accesses memory; or null


SPINS = 2000  # of who waits for a thread, before it sleeps


class LpPool(Struct, align=64):
    """The rasteriser threads' meeting point."""

    generation = u32  # futex: bumped for each scene
    scene = ptr(LpScene)  # being executed; null = idle
    claimed = u32
    done = u32  # futex: bumped when a scene is complete
    threads, sleepers, waiters = u32, u32, u32
    # work in parts (split.py): the number of the next one, and above that how many there are
    parts = u64
    part_function = PART
    part_argument = ptr(void)
    parts_done = u32
    started = u32  # threads that have taken their place in `memory`
    memory = ptr(LpThreadData)  # one for each thread


#: What LpContext.hook_grow is asked for: memory (bins, << 32 chunk_tiles), a plan's own fragment
#: kernel, or a format's kernels for blits; or it is told that a shader's loops were cut.
GROW_VERTICES, GROW_INDICES, GROW_BINS, OWN_KERNEL, BLIT_KERNELS, LOOPS_CUT = 1, 2, 3, 4, 5, 6
GROW_SHADED = 7


class LpShading(Struct, align=64):
    """What a stage that shades while a draw is recorded finds by numbers, in that draw."""

    # copies of its texture views (draw/stage_views.py); null until a plan has some
    views = ptr(TextureView)
    blocks = ptr(u8)[MAX_BLOCKS]  # where its uniform blocks lie
    memory = nested(LpMemory)  # what it reads and writes, if it does


class LpContext(Struct, align=64):
    """A pipe context. PipeNative comes first, so its address is the native handle."""

    pipe = nested(PipeNative)
    stream = nested(VertexStream)
    scenes = ptr(LpScene)  # two
    scene = ptr(LpScene)  # the one being recorded
    pending = ptr(LpScene)  # handed to threads and not yet waited for
    pool = ptr(LpPool)
    # hook into Python: grow(lp, what, amount) with GROW_* and the count that must fit, or with
    # OWN_KERNEL and the address of a plan, with BLIT_KERNELS and a format, with LOOPS_CUT and 0;
    # returns 0 if memory ran out
    hook_grow = hook(u32, ptr("LpContext"), u32, u64)
    threads = u32
    no_rast = u32
    debug = u32
    scene_bytes = u32  # after which a scene is handed over: memory.scene_bytes
    stats = ptr(u64)
    states = u64  # state blocks of all draws so far
    vertex = nested(LpShading)
    geometry = nested(LpShading)
    thread = ptr(LpThreadData)  # of the thread that the context is current in
    base_instance = u32  # of the draw
    # What outlives a link's Prims (draw/prims.py), since a primitive, or a draw, may go on in the
    # next chunk or draw: primitives (of polygons their triangles) that the instance has had, also
    # in parts that primitive restart cut off (PRIM_NUMBERED_ON); pixels since the pattern of
    # stippled lines began; and the number of the last polygon, bit 31 set, by which fragment
    # kernels see what triangles of a scene are one polygon's.
    primitive = u32
    stipple_count = f32
    polygon = u32
    blit_kernels = ptr(u8)  # BlitKernels by format (blit/texels.py); null until the first is made
    # room for uniform blocks that are too short, and MAX_BLOCK_BYTES zeros (null until a plan has
    # blocks)
    block_pad = ptr(u8)
    zeros = ptr(u8)
