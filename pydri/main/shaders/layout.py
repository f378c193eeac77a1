# SPDX-License-Identifier: MIT
"""Shader and program objects: native structs. Counterparts of Mesa's gl_shader,
gl_shader_program and gl_uniform_storage (mtypes.h, ir_uniform.h).

Both kinds share one space of names (GL 2.1, 2.15.1). A name that is deleted stays one while the
object is in use: `uses` counts the contexts whose current program it is, or of a shader the
programs that it is attached to. What a program draws with is its `Executable`: linking makes a new
one, and a link that fails leaves the old one to those who use it.
"""

from pydri.jit.types import Struct, hook, ptr, u8, u16, u32, void
from pydri.main.names.layout import Counted, Named
from pydri.pipe.native import MAX_STREAM_TARGETS, SHADER_STAGES
from pydri.pipe.shader_memory import MAX_BLOCKS, ShaderMemory

#: UniformSlot.kind
NO_UNIFORM, FLOAT, INT, UINT, BOOL, SAMPLER = range(6)
#: Executable.flags: what the vertex shader writes, and which of ShaderValues (main/layout.py) and
#: of lights and materials some stage reads
WRITES_CLIP_VERTEX, WRITES_POINT_SIZE, READS_INVERSES, READS_TEXTURE_INVERSES = 1, 2, 4, 8
READS_PRODUCTS, READS_LIGHTS, READS_MATERIALS, READS_PROGRAM_MATRICES = 16, 32, 64, 128
#: ExecutableStage.reads of fragments, beside the bits of slots: some input is that of the provoking
#: vertex
READS_FLAT = 1 << 31
#: samplers of a stage
MAX_STAGE_SAMPLERS = 16
#: limits of linking, a stage
MAX_UNIFORM_COMPONENTS = 16384
#: vertices that an invocation of a geometry shader may make; components of all of them together
MAX_GEOMETRY_VERTICES = 1024
MAX_GEOMETRY_COMPONENTS = 1024
#: limits that each stage has, by their names without the stage's
STAGE_LIMITS = {
    "UNIFORM_COMPONENTS": MAX_UNIFORM_COMPONENTS, "UNIFORM_VECTORS": MAX_UNIFORM_COMPONENTS // 4,
    "TEXTURE_IMAGE_UNITS": MAX_STAGE_SAMPLERS,
}  # fmt: skip


#: answers that a context keeps (a power of two), and the longest name of one
ANSWERS, MAX_ANSWERED_NAME = 512, 112
#: uniform blocks of a program
MAX_PROGRAM_BLOCKS = SHADER_STAGES * MAX_BLOCKS


class UniformSlot(Struct):
    """What a location is: an element of a uniform."""

    offset = u32  # in the block, in bytes
    left = u32  # elements of its array from here to the end
    kind = u8
    rows = u8
    columns = u8
    is_array = u8
    number = u32  # of its row in Linked.uniforms


class StageSampler(Struct):
    """A sampler of a stage."""

    offset = u32  # where in the block the number of its unit is
    target = u16  # TARGET_INDEX_*
    dead = u8  # nobody looks through it
    single = u8  # its lookups give one number, whatever GL_DEPTH_TEXTURE_MODE says


class ExecutableStage(Struct):
    """A stage of an executable."""

    number = u32  # of its code, KeyBlock.stages; 0: the program has no such stage
    reads = u32  # its inputs: KeyBlock.attribs_read of the first stage, varyings_read of fragments
    sampler_count = u32
    block_bytes = u32
    block = ptr(u8)  # constant block 1, in which samplers' units are, too
    samplers = StageSampler[MAX_STAGE_SAMPLERS]
    # the indices of the uniform blocks in buffers that it may read, by their numbers in its code
    # from FIRST_BLOCK on
    block_count = u32
    blocks = u8[MAX_BLOCKS]


class Executable(Counted, align=64):
    """What a successful link made. Never changed but for the values of uniforms. One piece of
    memory, with all that it leads to."""

    flags = u32
    locations = u32  # of `uniforms`
    storage_bytes = u32
    sampler_count = u32  # of all stages
    uniforms = ptr(UniformSlot)
    storage = ptr(u8)  # of all uniforms
    stages = ExecutableStage[SHADER_STAGES]
    block_count = u32  # uniform blocks in buffers, and the binding point of each
    bindings = u32[MAX_PROGRAM_BLOCKS]
    capture_buffers = u32  # a bit for each buffer that transform feedback writes
    capture_strides = u32[MAX_STREAM_TARGETS]  # bytes of a vertex in each
    # of its geometry shader, if there is one: how many vertices it may emit, what it takes and
    # makes (GL's modes)
    geometry_vertices = u32
    geometry_input = u32
    geometry_output = u32
    reduced = u32  # what reaches rasterisation, by mode (REDUCED of main/shaders/primitives.py)


class ProgramObject(Named):
    """A shader or program object; sources and trees are Python's (objects.py)."""

    is_program = u32
    kind = u32  # of a shader: GL_VERTEX_SHADER ...
    linked = u32  # GL_LINK_STATUS: the number of the link, which no other link has; 0: it failed
    pending = u32  # GL_DELETE_STATUS
    uses = u32
    refused = u32  # bit n: primitives of mode n are none that its geometry shader takes
    captured = u32  # how many active transform feedback objects capture what it makes
    exec = ptr(Executable)  # null before the first link that succeeds


class Answer(Struct):
    """What a question for a number by a name was answered, as long as the program is not linked
    again (answer_kernels.py)."""

    link = u32  # ProgramObject.linked; 0: an empty place
    slot = u32  # of the entry point
    length = u32  # of the name, without its end
    value = u32
    name = u8[MAX_ANSWERED_NAME]


class ProgramBlock(Struct):
    """The current program of a context, and what it was told of programs."""

    current = ptr(ProgramObject)  # with a reference; null: fixed function
    # the executable that was looked at, with a reference: another than current.exec after a link
    linked = ptr(Executable)
    # the one that calls between draws asked for last (`executable` of kernels.py), with another
    asked = ptr(Executable)
    # what key and drivers know of: that, or one of which a stage is an ARB program's
    exec = ptr(Executable)
    # of what is drawn with: how many uniform blocks in buffers its stages have, and their ranges,
    # which each draw brings up to date (pydri/st/programs/blocks.py)
    blocks = u32
    memory = ShaderMemory[SHADER_STAGES]
    texel_buffers = u32  # and how many of its samplers read buffer textures
    reduced = u32  # Executable.reduced of that, and ProgramObject.refused of the current program
    refused = u32
    conflict = u32  # samplers of different types have one unit: nothing can be drawn
    answers = ptr(Answer)  # ANSWERS of them, null before the first
    answered = u32  # how many were kept
    hook_unused = hook(void, ptr("GLContext"), u32)  # a deleted program is used no more
