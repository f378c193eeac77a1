# SPDX-License-Identifier: MIT
"""The native GL context: one struct, declared once, that kernels, Python and people read.

Blocks: `key` (everything that selects code, compared byte for byte to find the pipeline of a
draw), `val` (everything that shaders read in place: constant block 0), `dyn` (what drivers read),
`vbo` (immediate mode), `arrays` and `buffers` (vertex arrays, bindings of buffers), `dlist`
(display list compilation), and stacks. What belongs to one subject is declared in that room's
layout.py; here is what several subjects share, and the whole. Offsets are taken from here by
`GLContext.offset("val.fog_color")`; nobody writes a number.

Rules: a write into `key` sets `key_dirty`; a write that others are derived from sets bits of
`dirty` (DIRTY_*); whoever changes state first flushes pending vertices. GL enums are stored as
they are (u16) in the key block; booleans as 0/1. Counterpart of Mesa's mtypes.h, and replaces its
state validation: derived values are refreshed by one kernel at draw time (st/draw/derived.py)."""

from typing import Any

from pydri.jit.types import Struct, f32, fn, hook, nested, ptr, u8, u16, u32, u64, void
from pydri.main.arrays.layout import ArraysBlock
from pydri.main.attrib.layout import AttribStacks
from pydri.main.buffers.layout import BuffersBlock
from pydri.main.feedback.layout import FeedbackBlock, RowLayout, SelectBlock
from pydri.main.framebuffers.layout import FramebufferBlock, VisualBlock
from pydri.main.get.layout import Limits
from pydri.main.light.layout import MAX_LIGHTS, Light, LightKey, LightProduct, Material
from pydri.main.matrix.layout import MAX_CLIP_PLANES, MAX_PROGRAM_MATRICES, MatrixStacks
from pydri.main.names.layout import MAX_KINDS, Named, NameSpace, SharedBlock
from pydri.main.pixels.layout import PixelBlock
from pydri.main.programs.layout import ArbBlock
from pydri.main.queries.layout import QueryBlock
from pydri.main.shaders.layout import ProgramBlock
from pydri.main.state.layout import BlendKey, RawState, ShadedVertex, StencilKey
from pydri.main.textures.layout import MAX_TEXTURE_UNITS, ImageBlock, TextureBlock, TexUnitKey
from pydri.main.transform.layout import TransformBlock
from pydri.pipe.native import (
    MAX_ATTRIBS,
    MAX_TARGETS,
    SHADER_STAGES,
    DrawInfo,
    PipeDynamic,
    PipeFramebuffer,
    PipeNative,
    VertexBinding,
)

MAX_LIST_NESTING = 64
EXTENSION_WORDS = 8  # of 64 extensions each


# dirty bits: what st/draw/derived.py must refresh before the next draw
DIRTY_MODELVIEW = 1  # modelview top changed
DIRTY_PROJECTION = 2
DIRTY_TEXMAT = 4
# viewport, depth range, scissor, framebuffer, cull/front face, offset, line width, point size
DIRTY_VIEWPORT = 8
DIRTY_LIGHT = 16
DIRTY_FOG = 32
DIRTY_STENCIL = 64
DIRTY_CLIP = 128
DIRTY_FB = 512  # draw or read buffer, attachments
DIRTY_TEXTURE = 1024  # texture enables, environment, generation, bindings
DIRTY_TARGET = 2048  # framebuffer objects: what is bound or attached
# the current program, its executable, units of its samplers; ARB programs: what is bound, enabled
DIRTY_PROGRAM = 4096
DIRTY_CONSTANTS = 8192  # parameters of ARB programs
DIRTY_PROGRAM_MATRIX = 16384
DIRTY_ALL = 0xFFFFFFFF


#: KeyBlock.prim of rectangles whose image is RECT_NONE (pydri/pipe/state.py)
RECTANGLES = 3


class KeyBlock(Struct, align=64):
    """Everything that selects code. Packed, compared whole: no pointers, no padding left
    unwritten (all zeroed at creation).
    """

    # the stages of the current program by number (SHADER_*), each the number of its code
    # (main/shaders/code.py), 0 = fixed function or none; and, decided by them: bits of the
    # VERT_ATTRIBs that the first one reads, of the VARYING_SLOTs below 32 that fragments read
    stages = u32[SHADER_STAGES]
    attribs_read = u32
    varyings_read = u32
    # PipeFormat of the draw buffer, 0 = none; its sRGB view if it has one (even if not enabled)
    color_format = u8
    zs_format = u8
    samples = u8
    # reduced primitive: 0 points, 1 lines, 2 triangles; RECTANGLES + RECT_*: pixels without
    # vertices; written by the kernels that draw
    prim = u8
    other_formats = u8[MAX_TARGETS - 1]  # as color_format, of the further colour targets
    # PipeFormat of per-vertex attributes; 0 = constant (current value)
    attrib_format = u8[MAX_ATTRIBS]
    # right behind it: a bit for each vertex attribute whose elements are counted by instances
    attrib_divided = u8[4]
    light = nested(LightKey)
    shade_model = u16
    polygon_front = u16  # polygon modes
    polygon_back = u16
    # enables
    fog = u8
    alpha_test = u8
    depth_test = u8
    depth_mask = u8
    stencil_test = u8
    blend = u8  # bit a colour target
    color_logic_op = u8
    blend_apart = u8  # 1: the further colour targets have blend functions of their own
    color_sum = u8
    clip_planes = u8  # bit mask
    point_smooth = u8
    line_smooth = u8
    polygon_smooth = u8
    line_stipple = u8
    polygon_stipple = u8
    dither = u8
    depth_clamp = u8
    point_attenuated = u8
    point_sprite = u8
    multisample = u8
    sample_flags = u8  # SAMPLE_* bits
    render_mode = u8  # 0 render, 1 select, 2 feedback
    stencil_two_side = u8
    framebuffer_srgb = u8  # GL_FRAMEBUFFER_SRGB
    zs_hidden = u8  # PipeFramebuffer.zs_hidden
    # of vertex shaders: they say how large points are; back faces have colours of their own
    program_point_size = u8
    program_two_side = u8
    capturing = u8  # transform feedback is active: what the vertex stage's code captures is written
    clamping = u8  # VERTEX_FREE, FRAGMENT_* bits, derived of glClampColor and the targets
    counting = u8  # a query counts the fragments that are shaded
    color_mask = u32  # four bits (red first) a colour target, as PipeNative.clear takes it
    fog_mode = u16
    fog_coord_src = u16
    fog_distance_mode = u16
    alpha_func = u16
    depth_func = u16
    stencil = StencilKey[3]  # front, back, EXT two-side back
    blend_eq_rgb = u16
    blend_eq_alpha = u16
    blend_src_rgb = u16
    blend_dst_rgb = u16
    blend_src_alpha = u16
    blend_dst_alpha = u16
    other_blends = BlendKey[MAX_TARGETS - 1]  # where `blend_apart`: of the further targets
    logic_op = u16
    provoking = u16
    tex = TexUnitKey[MAX_TEXTURE_UNITS]


def blend_of(key: Any, target: Any) -> Any:
    """Where a key block's blend functions of a target lie (in kernels): `other_blends` follow those
    of the first one."""
    return key.addr("blend_eq_rgb").cast(ptr(BlendKey)) + target


class FragBlock(Struct):
    """What fragment programs of fixed function read; contiguous so that it is copied at one go
    into a scene.
    """

    fog_color = f32[4]
    fog_density = f32
    fog_start = f32
    fog_end = f32
    fog_scale = f32  # 1/(end-start), derived
    stipple = u32[32]  # a word a row of surface space, highest bit to the left; derived
    tex_env_color = f32[4][MAX_TEXTURE_UNITS]
    # of shaders: scale and offset from the surface's y to the window's, and to the one that counts
    # from the top (ARB_fragment_coord_conventions)
    wpos_transform = f32[4]
    shader_fog_scale = f32  # 1/(end-start), whatever that is


class ShaderValues(Struct):
    """What GLSL can ask of the state beside what fixed function computes with (GLSL 1.20, 7.5);
    true while a program is current that reads it (main/shaders/layout.py: READS_*).
    """

    modelview_inverse = f32[16]
    projection_inverse = f32[16]
    mvp_inverse = f32[16]
    texture_matrix_inverse = f32[16][MAX_TEXTURE_UNITS]
    program_matrix = f32[16][MAX_PROGRAM_MATRICES]
    program_matrix_inverse = f32[16][MAX_PROGRAM_MATRICES]
    normal_scale = f32
    depth_range = f32[3]  # near, far, far - near
    scene_color = f32[4][2]  # front, back
    products = LightProduct[2 * MAX_LIGHTS]  # of the front material, of the back one


class ValueBlock(Struct, align=64):
    """Constant block 0: what shaders read in place. Matrices are column-major as in GL."""

    modelview = f32[16]  # copy of the stack's top, refreshed at draw time when dirty
    projection = f32[16]
    mvp = f32[16]
    # inverse transpose of the upper 3x3: three columns, padded to 4 floats each
    normal_matrix = f32[12]
    rescale_factor = f32  # for GL_RESCALE_NORMAL
    pad0 = f32[3]
    light_model_ambient = f32[4]
    lights = Light[MAX_LIGHTS]
    materials = Material[2]  # front, back
    frag = nested(FragBlock)
    current = f32[4][
        MAX_ATTRIBS
    ]  # current values, slot = VERT_ATTRIB_*; materials live in `materials`, not in 32..43
    point_size = f32
    point_size_min = f32
    point_size_max = f32
    point_fade = f32
    point_attenuation = f32[4]
    clip_planes = f32[4][MAX_CLIP_PLANES]  # eye space
    texture_matrix = f32[16][MAX_TEXTURE_UNITS]
    texgen = f32[16][MAX_TEXTURE_UNITS * 2]  # object planes s,t,r,q then eye planes
    shader = nested(ShaderValues)


VBO_CAPACITY = 4096  # vertices kept before immediate mode must flush


class VboPrim(Struct):
    mode = u32
    start = u32
    count = u32
    flags = u32  # PRIM_BEGIN | PRIM_END


class VboBlock(Struct, align=64):
    """Immediate mode: vertices of one layout collected in a buffer until state changes (Mesa's
    vbo_exec).

    A vertex is a row of 16-byte slots, one for each attribute of `layout`: position first, then
    in order of arrival.
    """

    begin_mode = u32  # mode + 1 between glBegin and glEnd, 0 outside
    count = u32  # vertices in the buffer; not 0 = pending work
    capacity = u32
    vertex_size = u32  # bytes
    layout = u64  # bit per attribute slot that varies per vertex
    cursor = ptr(u8)  # where the next vertex goes
    buffer = ptr(u8)
    prim_count = u32
    max_prims = u32
    prims = ptr(VboPrim)
    offsets = u32[MAX_ATTRIBS]  # byte offset of each attribute within a vertex
    bindings = VertexBinding[MAX_ATTRIBS]
    info = nested(DrawInfo)
    attr_count = (
        u32  # attributes of a vertex; the n-th (0: position) lies at 16n bytes, in order of arrival
    )
    # materials (bits as in set_materials) that glEnd sets, since a vertex program is in use
    late_bits = u32
    late = f32[4][Material.size // 8]
    # of the n-th attribute: where its current value lies, in bytes from the context
    sources = u32[MAX_ATTRIBS]
    slots = u8[48]  # of the n-th attribute: its slot
    # by slot: what key.attrib_format gets when this is drawn, and attrib_divided (none) behind it
    formats = u8[48]


class DlistBlock(Struct, align=64):
    """Display lists: the one being compiled and how playback stands (pydri/vbo)."""

    name = u32  # list being compiled, 0 = none
    mode = u32  # GL_COMPILE or GL_COMPILE_AND_EXECUTE
    nesting = u32
    pad = u32
    save = ptr(void)  # VboSave of pydri/vbo/native.py, made by the first glNewList
    args = u64[20]  # arguments of an image command being compiled, on their way to Python


#: key blocks that are remembered as they were written: at first, and at most (powers of two)
SEEN_KEYS, MOST_SEEN_KEYS = 256, 1 << 14


class PlanEntry(Struct, align=64):
    """A canonical key block (pydri/st/draw/canonical.py) and the driver's pipeline for it."""

    key = u8[KeyBlock.size]
    pipeline = ptr(void)  # driver's handle
    used = u64  # GLContext.plan_clock when a draw last changed to it
    rows = nested(RowLayout)  # of a key block of selection or feedback


class PlanSlot(Struct):
    """Of the table of plans, which is open-addressing."""

    hash = u64  # of the key
    plan = ptr(PlanEntry)  # null = empty slot


class SeenKey(Struct, align=64):
    """A key block as it was written, and the plan of its canonical form: found without making
    that."""

    key = u8[KeyBlock.size]
    plan = ptr(PlanEntry)
    hash = u64  # of the key


class SeenSlot(Struct):
    """Of the table of seen keys, which is open-addressing and half empty at least."""

    hash = u64  # of the key
    seen = ptr(SeenKey)  # null = empty slot


class SeenBlock(Struct):
    """The keys that were seen, and the table in which they are found by their hashes: one piece of
    memory, which grows (pydri/st/draw/seen.py)."""

    keys = ptr(SeenKey)
    slots = ptr(SeenSlot)  # twice as many as there is room for keys
    count = u32
    capacity = u32  # keys that there is room for, a power of two


class GLContext(Struct, align=64):
    """The native context. Its address is what stubs pass as first argument."""

    dispatch = ptr(void)  # current table: exec, begin_end or save
    exec_table = ptr(void)
    begin_end_table = ptr(void)
    save_table = ptr(void)
    python_table = ptr(
        u64
    )  # every slot's Python form: kernels go on there with what they do not do themselves
    error = u32  # pending GL error, 0 = none
    key_dirty = u32
    dirty = u32
    no_error = u32
    debug = u32  # bit 0: report errors (MESA_DEBUG), bit 1: call hooks even for native errors
    api = u32  # COMPAT, CORE, ... of pydri/api/apis.py
    forward = u32  # a forward-compatible context: what is deprecated is not there
    modes = u32  # bit n: primitives of mode n may be drawn now (never bit 31)
    steps = u64  # the versions of its API that it has reached, as bits (pydri/api/apis.py)
    # bits of the extensions it has, by their place in EXTENSIONS (pydri/main/extensions.py), from
    # the first time on that one of them decides about a row
    extensions = u64[EXTENSION_WORDS]
    extensions_known = u32
    hook_extensions = hook(void, ptr("GLContext"))  # main: fills them in
    # addresses of the names of those that it says it has; null: nobody has asked for one yet
    extension_names = ptr(ptr(u8))
    extension_count = u32  # 0: nobody has asked yet
    # what glGet tells of how it was made
    major = u32
    minor = u32
    context_flags = u32
    profile = u32
    reset_strategy = u32
    release_behavior = u32
    # slot + 1 of the direct command whose errors those of the running one are (main/direct); 0
    direct = u32
    pipe = ptr(PipeNative)
    plan = ptr(PlanEntry)  # the plan of the last draw
    last_seen = ptr(SeenKey)  # the key block of the last draw, null = look up
    plans = ptr(PlanSlot)
    plan_mask = u64  # slots of `plans`, a power of two, less one
    plan_clock = u64  # counts the draws that changed the plan
    seen = nested(SeenBlock)
    # hooks into Python (extern "Python" addresses); all get the context
    hook_plan_miss = hook(
        ptr(PlanEntry), ptr("GLContext")
    )  # st: build a pipeline for the current key block; null on failure
    hook_fb = hook(
        u32, ptr("GLContext")
    )  # st: framebuffer changed (stamp differs): re-derive; 0 = nothing to draw to
    hook_draw = hook(
        void, ptr("GLContext"), ptr(DrawInfo)
    )  # st: draw in Python (driver without native draw_vbo)
    hook_clear = hook(void, ptr("GLContext"), u32)
    hook_flush = hook(void, ptr("GLContext"), u32)  # 0 flush, 1 finish
    hook_error = hook(
        void, ptr("GLContext"), u32, u32
    )  # main: report error (enum, where) under MESA_DEBUG
    hook_upload = hook(u32, ptr("GLContext"), u32)  # vbo: rare cases of immediate mode and lists
    # kernels that rooms below call upwards (set once when the context is made)
    draw = fn(void, ptr("GLContext"), ptr(DrawInfo))  # st_draw: main and vbo draw with it
    flush_vertices = fn(
        void, ptr("GLContext")
    )  # vbo: draw pending immediate-mode vertices (call only where vbo.count is not 0)
    # st: what the vertex stage makes of a raster position (GL_MAX_TEXTURE_COORDS); 0: there is none
    shade_vertex = fn(u32, ptr("GLContext"), ptr(f32), ptr(ShadedVertex))
    hook_shade = hook(void, ptr("GLContext"), ptr(f32), ptr(ShadedVertex))  # st: runs the stage
    stats = ptr(u64)
    # what glReadPixels and glCopyPixels read; cbuf is the read buffer (null: none)
    read = nested(PipeFramebuffer)
    key = nested(KeyBlock)
    canonical = nested(KeyBlock)  # of the key block that was looked up last
    val = nested(ValueBlock)
    dyn = nested(PipeDynamic)
    raw = nested(RawState)
    matrix = nested(MatrixStacks)
    vbo = nested(VboBlock)
    arrays = nested(ArraysBlock)
    buffers = nested(BuffersBlock)
    dlist = nested(DlistBlock)
    select = nested(SelectBlock)
    feedback = nested(FeedbackBlock)
    evaluators = ptr(void)  # EvalBlock of pydri/vbo/native.py
    visual = nested(VisualBlock)  # of what is drawn to
    framebuffers = nested(FramebufferBlock)
    limits = nested(Limits)
    attrib = nested(AttribStacks)
    shared = ptr(SharedBlock)
    next_shared = ptr("GLContext")  # of the share group
    reading = u64  # SharedBlock.epoch while buffer storage is being read, else 0
    spaces = NameSpace[MAX_KINDS]  # by Kind.number; those of kinds that are not shared
    orphans = ptr(Named)  # of this context, and deleted by others (names/layout.py)
    query = nested(QueryBlock)
    program = nested(ProgramBlock)
    transform = nested(TransformBlock)
    arb = nested(ArbBlock)
    pixel = nested(PixelBlock)
    textures = nested(TextureBlock)
    images = nested(ImageBlock)
    # size of the last viewport at (0, 0) for which the drawable was asked for its size (st)
    viewport_asked = f32[2]
    # the Drawables (pydri/dri/native.py) that are drawn to and read from, null: none
    draw_drawable = ptr(void)
    read_drawable = ptr(void)
