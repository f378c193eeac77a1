# SPDX-License-Identifier: MIT
"""ARB program objects: native structs. Counterparts of Mesa's gl_program, gl_vertex_program_state
and gl_fragment_program_state (mtypes.h).

A program draws with its `ArbCode`, which a program string makes (code.py); a string that fails
leaves none. Environment parameters are the context's, local ones the object's. Before a draw the
numbers that the code reads are brought together in a block of the context, constant block 1 of the
stage (`st_arb_constants` of st/programs/arb.py).
"""

from pydri.jit.types import Struct, f32, hook, i32, nested, ptr, u8, u32, void
from pydri.main.names.layout import Counted, Named
from pydri.main.shaders.layout import MAX_STAGE_SAMPLERS, Executable, StageSampler
from pydri.pipe.native import SHADER_FRAGMENT, SHADER_VERTEX

#: places of the two targets
VERTEX, FRAGMENT = 0, 1
#: the stage of each place
PLACE_STAGES = (SHADER_VERTEX, SHADER_FRAGMENT, SHADER_FRAGMENT)
#: ATI_fragment_shader's, which is the fragment stage where no other program is it
ATI = 2
#: ArbCode.signature: TARGET_INDEX_* of each unit, and behind them 1 to 3: linear, exp, exp2
ATI_UNITS, ATI_TARGET_BITS = 6, 4
NO_TARGET = 15  # nothing is switched on
MAX_ENV_PARAMETERS = 256
MAX_LOCAL_PARAMETERS = 2048
#: ParameterRow.base: where its offsets count from
OF_CONTEXT, OF_PROGRAM = 0, 1


class ParameterRow(Struct):
    """A parameter that is copied into the block: where its four numbers lie."""

    slot = u32  # 16 bytes each
    base = u32
    parts = u32[4]  # bytes from the context, or from the program's local parameters


class ArbCode(Counted, align=64):
    """What a program string became; never changed. One piece of memory, with all that it leads to.
    """

    number = u32  # in KeyBlock.stages
    reads = u32  # and attribs_read or varyings_read
    flags = u32  # as Executable's
    copies_state = u32  # rows name what may change without a word: copied before each draw
    sampler_count = u32
    rows_count = u32
    block_bytes = u32  # the parameters, and behind them the numbers of the samplers' units
    size = u32
    samplers = StageSampler[MAX_STAGE_SAMPLERS]
    rows = ptr(ParameterRow)
    image = ptr(u8)  # the block as it begins: constants
    # of ATI_fragment_shader: the targets and the fog that it is for, and the code of others
    previous = ptr("ArbCode")
    signature = u32
    pad_signature = u32


class ArbProgram(Named):
    """A program object; text and counts are Python's (objects.py)."""

    target = u32  # 0 before it is bound
    serial = u32  # how often its code changed
    units = u32  # of ATI_fragment_shader: bits of those that are sampled
    pad_units = u32
    code = ptr(ArbCode)  # null: nothing can be drawn with it
    locals = ptr(f32)  # MAX_LOCAL_PARAMETERS of four numbers; null: all are 0


class ArbBlock(Struct, align=64):
    """Of a context: what is bound and switched on, and what is drawn with."""

    bound = ptr(ArbProgram)[3]  # never null: the share group has default objects
    enabled = u8[4]  # vertex, fragment program, ATI_fragment_shader
    error_position = i32
    used = u32  # bit a place in `bound`: the code of its program is drawn with
    compiling = u32  # between glBeginFragmentShaderATI and glEndFragmentShaderATI
    copies_state = u32
    codes = ptr(ArbCode)[3]  # that were looked at last, each with a reference
    blocks = ptr(u8)[2]
    capacity = u32[2]
    unit = f32[4]  # 0, 0, 0, 1, for numbers that are always the same
    mixed = nested(Executable)  # of the stages that are drawn with, where some is an ARB program's
    env = f32[2 * 4 * MAX_ENV_PARAMETERS]
    ati_constants = f32[4 * 8]
    # make the code of an ATI_fragment_shader for a signature (main/programs/ati_entries.py)
    hook_variant = hook(void, ptr("GLContext"), u32)
